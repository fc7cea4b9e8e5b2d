// SPDX-License-Identifier: BSD-3-Clause
// Divides columns into runs of layers for lanes, and combines the runs.
#ifndef PARHELION_CORE_IMPL_LAYER_RUNS_HPP
#define PARHELION_CORE_IMPL_LAYER_RUNS_HPP

#include <parhelion/core/affine_map.hpp>
#include <parhelion/core/dual.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace parhelion::Impl {

/// Neighbouring profiles p0 .. p0 + n - 1 and angles from i0 on, for one lane of a device or one vector of a CPU.
struct Task {
  int p0;
  int n;
  int i0;
};

/// The radiance that leaves a run through the bottom, if it is computed.
template <class Number, int count, bool wanted>
struct DownwardOffsets {
  Number down[count];
};
template <class Number, int count>
struct DownwardOffsets<Number, count, false> {};

/// \brief The combined effect of layers on N independent pairs of profile and angle: affine maps, interleaved.
///
/// Radiance that leaves through the top = gain * radiance that enters through the bottom + up. With down, the
/// same for the bottom: the layers do not reflect, so both directions have the same gain.
template <class NumberType, int count, bool two_way>
struct RunMap : DownwardOffsets<NumberType, count, two_way> {
  using Number = NumberType;
  static constexpr int N = count;
  static constexpr bool both = two_way;
  Number gain[N];
  Number up[N];

  KOKKOS_INLINE_FUNCTION constexpr RunMap() {
    for (int i = 0; i < N; ++i) set_upward(i, {});
    if constexpr (both)
      for (int i = 0; i < N; ++i) this->down[i] = AffineMap<Number>().offset;
  }

  KOKKOS_INLINE_FUNCTION constexpr AffineMap<Number> upward(int i) const { return {gain[i], up[i]}; }
  KOKKOS_INLINE_FUNCTION constexpr void set_upward(int i, AffineMap<Number> const& map) {
    gain[i] = map.gain;
    up[i] = map.offset;
  }

  KOKKOS_INLINE_FUNCTION friend RunMap operator+(RunMap const& lower, RunMap const& upper) {
    RunMap run;
    for (int i = 0; i < N; ++i) {
      run.set_upward(i, lower.upward(i) + upper.upward(i));
      if constexpr (both) run.down[i] = AffineMap<Number>(lower.gain[i], lower.down[i])(upper.down[i]);
    }
    return run;
  }
};

/// How the work of a call is divided. Only nchunk and layers affect results, by rounding, and they do not depend on the
/// number of profiles of the call.
struct Partition {
  int nchunk = 1;           ///< number of runs of layers of a column
  int layers = 0;           ///< layers of a run; the last may have fewer
  int lane_bits = 0;        ///< log2 of the lanes of a team that are neighbouring profiles (vectors of them on a CPU)
  int groups_per_team = 1;  ///< groups of angles of a team
  int ngroup = 1;           ///< groups of angles
  int nteam_angle = 1;      ///< teams that share neighbouring profiles

  KOKKOS_INLINE_FUNCTION int begin(int chunk) const { return chunk * layers; }
  KOKKOS_INLINE_FUNCTION int count(int chunk, int nlay) const {
    int const left = nlay - chunk * layers;
    return left < layers ? left : layers;
  }
};

/// The parameters of a call that determine how its work is divided.
struct LaunchRequest {
  bool whole_columns = true;  ///< whether each column is one run: a sweep
  int min_runs = 1;           ///< otherwise the least number of runs of a column, at least 2 for a scan
  /// The largest number of profiles of a call of the solver. Automatic choices depend on it and not on the call, so
  /// that the results of a profile do not depend on the other profiles of a call.
  int nprofile = 0;
  // Requests of the caller; 0: automatic.
  int angles_per_lane = 0;
  int layers_per_run = 0;
  int lanes = 0;
  int threads = 0;
};

/// The amounts of work at which one way of dividing it becomes faster than another.
///
/// Measured on an H200 with 1,000 to 300,000 profiles of 20 to 200 layers and 2 to 16 angles
/// (docs/decisions/001-composing-layers.md). Hosts sweep: they have few threads, and their lanes are neighbouring
/// profiles in any case.
struct PartitionThresholds {
  /// Lanes for each hardware thread of a device up to which columns are divided into more runs; fewer if levels are
  /// computed, for which a scan processes the layers twice.
  static constexpr double lanes_per_thread = 0.3;
  static constexpr double lanes_per_thread_with_levels = 0.1;
  /// The same limit up to which a lane has few angles.
  static constexpr double lanes_per_thread_of_few_angles = 0.08;
  static constexpr int few_angles = 3;
  /// Runs have a multiple of this many layers, which are loaded together.
  static constexpr int shortest_run = 8;
  /// Teams for each hardware thread up to which a team has fewer profiles.
  static constexpr double teams_per_thread = 1.0 / 512;
};

inline int divided_up(int n, int by) { return (n + by - 1) / by; }

/// \brief Layers of a run.
/// \param ngroup number of groups of angles: lanes of a profile
/// \param max_runs the capacity of the scratch memory of a team
template <class ExecutionSpace>
int layers_of_run(ExecutionSpace const& space, LaunchRequest const& request, bool levels, int ngroup, int nlay,
                  int max_runs) {
  if (request.whole_columns || nlay == 0) return nlay;
  constexpr int step = PartitionThresholds::shortest_run;
  int const least = divided_up(nlay, max_runs);
  if (request.layers_per_run > 0) return std::clamp(request.layers_per_run, least, nlay);
  double runs = 1;
  if constexpr (!runs_on_host<ExecutionSpace>) {
    double const lanes = static_cast<double>(request.nprofile) * ngroup;
    double const wanted =
        levels ? PartitionThresholds::lanes_per_thread_with_levels : PartitionThresholds::lanes_per_thread;
    runs = std::round(wanted * space.concurrency() / lanes);
  }
  runs = std::max<double>(runs, request.min_runs);
  if (runs < 2) return nlay;
  return std::min(nlay, step * divided_up(std::max(least, static_cast<int>(std::ceil(nlay / runs))), step));
}

/// \brief Runs of layers by the threads of a team, or whole columns by a thread where there is one chunk.
///
/// Neighbouring lanes load from neighbouring profiles. The runs are collected in team scratch and combined in their
/// order.
///
/// \tparam Body the operations on a run of layers:
///   - `Path`: attenuation along G angles of W profiles, with the types Number (Real or a Dual of it) and Real
///   - `Map`: a RunMap of these; `Notes`: records of a run, with `largest` if `Body::watches`
///   - `in`: the sizes in.nprofile, in.nlay, in.nangle
///   - `begin(task)`: a map with the radiation that enters the first run
///   - `run(map, notes, task, first, count, with_gain, store)`: crosses layers
///   - `stores_levels`: `run` stores levels. Otherwise `finish` and `finish_all` receive whole columns.
///   See adding's RadianceAtTop for one.
template <class ExecutionSpace, class Body>
struct TeamRuns {
  using Path = typename Body::Path;
  using Map = typename Body::Map;
  using Number = typename Path::Number;
  using Real = typename Path::Real;
  static constexpr int G = Path::G;
  static constexpr int W = Path::W;
  static constexpr int parts = Map::both ? 3 : 2;
  /// Threads of a team, limited by their registers.
  static constexpr int max_threads = sizeof(Number) > 8 ? 64 : sizeof(Number) > 4 || G > 6 ? 128 : 256;
  /// Teams that a multiprocessor should hold, or 0 for as many as the compiler chooses. In double it chooses so many
  /// that there are too few registers for whole columns: 1.14 times the time on an H100.
  static constexpr int teams = Body::watches && sizeof(Real) == 8 ? 2 : 0;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<256, teams>>;
  using Member = typename Policy::member_type;

  /// The capacity of a team with the least number of profiles, 8.
  static constexpr std::size_t max_scratch = (runs_on_host<ExecutionSpace> ? 30 : 40) * 1024;
  static constexpr int max_runs = static_cast<int>(max_scratch / (8 * (parts * G * sizeof(Number) + sizeof(Real))));

  Body body;
  Partition cut;

  KOKKOS_INLINE_FUNCTION int lanes() const { return 1 << cut.lane_bits; }
  KOKKOS_INLINE_FUNCTION int angles_per_team() const { return cut.groups_per_team * G; }

  /// Values of runs in team scratch: lanes are contiguous.
  struct Runs {
    Number* values;
    int nangle;
    int nprofile;
    KOKKOS_INLINE_FUNCTION Number& operator()(int chunk, int part, int angle, int profile) const {
      return values[((chunk * parts + part) * nangle + angle) * nprofile + profile];
    }
  };

  std::size_t scratch_bytes() const {
    if (cut.nchunk == 1) return 0;
    std::size_t const profiles = static_cast<std::size_t>(lanes()) * W;
    return cut.nchunk * profiles * (parts * angles_per_team() * sizeof(Number) + sizeof(Real));
  }

  KOKKOS_INLINE_FUNCTION Task task(Member const& team, int lane, int group) const {
    int const team_profiles = team.league_rank() / cut.nteam_angle;
    int const team_angles = team.league_rank() - team_profiles * cut.nteam_angle;
    int const p0 = ((team_profiles << cut.lane_bits) + lane) * W;
    int const left = body.in.nprofile - p0;
    int const all = team_angles * cut.groups_per_team + group;
    return {p0, all >= cut.ngroup ? 0 : left < W ? left : W, all * G};
  }

  KOKKOS_INLINE_FUNCTION void operator()(Member const& team) const {
    bool const scan = cut.nchunk > 1;
    Runs const runs = scan ? Runs{static_cast<Number*>(scratch(team, sizeof(Number) * parts * angles_per_team())),
                                  angles_per_team(), lanes() * W}
                           : Runs{};
    Real* const largest = scan && Body::watches ? static_cast<Real*>(scratch(team, sizeof(Real))) : nullptr;
    // Levels of a scanned column need a second pass through the layers.
    constexpr int passes = Body::stores_levels ? 2 : 1;
    for (int pass = scan ? 0 : passes - 1; pass < passes; ++pass) {
      bool const is_last = pass == passes - 1;
      for (int item = team.team_rank(); item < lanes() * cut.groups_per_team * cut.nchunk; item += team.team_size()) {
        int const lane = item & (lanes() - 1);
        int const rest = item >> cut.lane_bits;
        int const chunk = scan ? rest / cut.groups_per_team : 0;
        int const group = rest - chunk * cut.groups_per_team;
        Task const mine = task(team, lane, group);
        if (mine.n <= 0) continue;
        Map map;
        if (chunk == 0) {
          map = body.begin(mine);
        } else if (Body::stores_levels && is_last) {
          map = read(runs, 0, group, lane);
          for (int c = 1; c < chunk; ++c) map = map + read(runs, c, group, lane);
        }
        typename Body::Notes notes;
        body.run(map, notes, mine, cut.begin(chunk), cut.count(chunk, body.in.nlay), scan && (!is_last || passes == 1),
                 is_last);
        if (!scan) {
          if constexpr (!Body::stores_levels) body.finish_all(mine, map, notes);
        } else if (!is_last || passes == 1) {
          write(runs, chunk, group, lane, map);
          if constexpr (Body::watches)
            if (group == 0) largest[(chunk << cut.lane_bits) + lane] = notes.largest;
        }
      }
      if (scan && pass == 0) team.team_barrier();
    }
    if constexpr (!Body::stores_levels)
      if (scan) put_together(team, runs, largest);
  }

  KOKKOS_INLINE_FUNCTION void* scratch(Member const& team, std::size_t bytes_of_profile) const {
    return team.team_scratch(0).get_shmem(static_cast<std::ptrdiff_t>(bytes_of_profile * cut.nchunk * lanes() * W));
  }

  /// Combines the runs of the columns of the team; lanes are profiles and angles.
  KOKKOS_INLINE_FUNCTION void put_together(Member const& team, Runs const& runs, Real const* largest) const {
    Task const first = task(team, 0, 0);
    for (int item = team.team_rank(); item < lanes() * W * angles_per_team(); item += team.team_size()) {
      int const angle = W == 1 ? item >> cut.lane_bits : item / (lanes() * W);
      int const profile = item - angle * lanes() * W;
      if (first.p0 + profile >= body.in.nprofile || first.i0 + angle >= body.in.nangle) continue;
      RunMap<Number, 1, Map::both> all;
      bool weak = false;
      Real most = 0;
      for (int c = 0; c < cut.nchunk; ++c) {
        RunMap<Number, 1, Map::both> next;
        next.gain[0] = runs(c, 0, angle, profile);
        next.up[0] = runs(c, 1, angle, profile);
        if constexpr (Map::both) next.down[0] = runs(c, 2, angle, profile);
        all = c == 0 ? next : all + next;
        if constexpr (Body::watches) {
          Real const planck = largest[(c << cut.lane_bits) + profile];
          weak = weak || body.is_weak(all.up[0], planck);
          most = Kokkos::fmax(most, planck);
        }
      }
      body.finish(first.p0 + profile, first.i0 + angle, all, 0, weak, most);
    }
  }

  KOKKOS_INLINE_FUNCTION static void write(Runs const& runs, int chunk, int group, int lane, Map const& map) {
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      for (int w = 0; w < W; ++w) {
        runs(chunk, 0, group * G + g, lane * W + w) = map.gain[g * W + w];
        runs(chunk, 1, group * G + g, lane * W + w) = map.up[g * W + w];
        if constexpr (Map::both) runs(chunk, 2, group * G + g, lane * W + w) = map.down[g * W + w];
      }
    }
  }

  KOKKOS_INLINE_FUNCTION static Map read(Runs const& runs, int chunk, int group, int lane) {
    Map map;
    PARHELION_UNROLL
    for (int g = 0; g < G; ++g) {
      for (int w = 0; w < W; ++w) {
        map.gain[g * W + w] = runs(chunk, 0, group * G + g, lane * W + w);
        map.up[g * W + w] = runs(chunk, 1, group * G + g, lane * W + w);
        if constexpr (Map::both) map.down[g * W + w] = runs(chunk, 2, group * G + g, lane * W + w);
      }
    }
    return map;
  }

  /// \param in the sizes of a call, as in Body
  template <class In>
  static int layers(ExecutionSpace const& space, In const& in, LaunchRequest const& request) {
    return layers_of_run(space, request, Body::stores_levels, divided_up(in.nangle, G), in.nlay, max_runs);
  }
  /// Whether each column is one run.
  template <class In>
  static bool are_whole_columns(ExecutionSpace const& space, In const& in, LaunchRequest const& request) {
    return layers(space, in, request) >= in.nlay;
  }

  static void launch(ExecutionSpace const& space, std::string const& label, Body const& body,
                     LaunchRequest const& request) {
    TeamRuns runs{body, Partition{}};
    Partition& cut = runs.cut;
    int const nlay = body.in.nlay;
    cut.ngroup = divided_up(body.in.nangle, G);
    cut.layers = layers(space, body.in, request);
    cut.nchunk = nlay == 0 ? 1 : divided_up(nlay, cut.layers);
    bool const scan = cut.nchunk > 1;
    int const nblock = divided_up(body.in.nprofile, W);
    int threads = 1;
    if constexpr (runs_on_host<ExecutionSpace>) {
      cut.groups_per_team = scan ? 1 : cut.ngroup;
    } else {
      int const most = request.threads > 0 ? std::min(request.threads, 256) : scan ? max_threads : 64;
      int lanes = request.lanes > 0 ? request.lanes : 32;
      if (request.lanes == 0 && scan) {
        // Fewer profiles in a team (at least a sector of memory) if the teams would not fill the machine.
        double const teams = PartitionThresholds::teams_per_thread * space.concurrency();
        while (lanes > 8 &&
               (lanes * cut.nchunk > most || lanes * cut.nchunk > 8 * max_runs || nblock * cut.ngroup < teams * lanes))
          lanes /= 2;
      }
      if (request.lanes == 0 && !scan)
        while (2 * lanes * cut.ngroup <= most) lanes *= 2;
      while ((2 << cut.lane_bits) <= lanes) ++cut.lane_bits;
      cut.groups_per_team = std::clamp(most / (lanes * cut.nchunk), 1, cut.ngroup);
      threads = std::min(most, divided_up(lanes * cut.groups_per_team * cut.nchunk, 32) * 32);
    }
    while (cut.nchunk > 1 && runs.scratch_bytes() > max_scratch) {
      cut.layers *= 2;
      cut.nchunk = divided_up(nlay, cut.layers);
    }
    cut.nteam_angle = divided_up(cut.ngroup, cut.groups_per_team);
    int const nteam = divided_up(nblock, runs.lanes()) * cut.nteam_angle;
    if constexpr (runs_on_host<ExecutionSpace>) {
      if (scan) {
        auto const bytes = Kokkos::PerTeam(static_cast<int>(runs.scratch_bytes()));
        Policy const any(space, nteam, 1);
        threads =
            std::min(cut.nchunk, Policy(any).set_scratch_size(0, bytes).team_size_max(runs, Kokkos::ParallelForTag()));
      }
    }
    Policy policy(space, nteam, threads);
    if (cut.nchunk > 1) policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(runs.scratch_bytes()) + 2 * 64));
    Kokkos::parallel_for(label, light_weight(policy), runs);
  }
};

}  // namespace parhelion::Impl

#endif
