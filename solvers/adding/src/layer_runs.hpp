// SPDX-License-Identifier: BSD-3-Clause
// Cuts columns into runs of layers for lanes, and puts the runs together again.
#ifndef PARHELION_ADDING_IMPL_LAYER_RUNS_HPP
#define PARHELION_ADDING_IMPL_LAYER_RUNS_HPP

#include "clear_sky_columns.hpp"

#include <parhelion/core/compose.hpp>
#include <parhelion/core/lanes.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace parhelion::adding::Impl {

/// How a call's work is cut. Only nchunk and layers matter to the results, and they do not follow from the call's
/// number of profiles.
struct Cut {
  int nchunk = 1;           ///< runs of layers of a column
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

/// How a call is run, and what follows from it for the cut.
struct How {
  Strategy strategy = Strategy::sweep;
  /// The most profiles that a call of the solver may have: what is chosen by the amount of work follows from it, so
  /// that a profile has the same result whatever others are in the call.
  int nprofile = 0;
  // What the caller requests; 0: chosen automatically.
  int angles_per_lane = 0;
  int layers_per_run = 0;
  int lanes = 0;
  int threads = 0;
};

/// The amounts of work at which one way of cutting it becomes faster than another; the one place that holds them.
///
/// Measured on an H200 with 1,000 to 300,000 profiles of 20 to 200 layers and 2 to 16 angles
/// (docs/decisions/001-composing-layers.md).
/// Hosts sweep: their threads are few, and their lanes are neighbouring profiles in any case.
struct CutCrossover {
  /// Lanes for each hardware thread of a device up to which columns are cut into more runs; fewer where levels are
  /// wanted, for which a scan goes through the layers twice.
  static constexpr double lanes_per_thread = 0.3;
  static constexpr double lanes_per_thread_with_levels = 0.1;
  /// The same up to which a lane takes few angles.
  static constexpr double lanes_per_thread_of_few_angles = 0.08;
  static constexpr int few_angles = 3;
  /// Runs have a multiple of this many layers, which are loaded together.
  static constexpr int shortest_run = 8;
  /// Teams for each hardware thread up to which a team takes fewer profiles.
  static constexpr double teams_per_thread = 1.0 / 512;
};

inline int divided_up(int n, int by) { return (n + by - 1) / by; }

/// \brief Layers of a run.
/// \param ngroup groups of angles: lanes that a profile takes
/// \param most_runs what the scratch memory of a team has room for
template <class ExecutionSpace>
int layers_of_run(ExecutionSpace const& space, How const& how, bool levels, int ngroup, int nlay, int most_runs) {
  if (how.strategy == Strategy::sweep || nlay == 0) return nlay;
  constexpr int step = CutCrossover::shortest_run;
  int const least = divided_up(nlay, most_runs);
  if (how.layers_per_run > 0) return std::clamp(how.layers_per_run, least, nlay);
  double runs = 1;
  if constexpr (!runs_on_host<ExecutionSpace>) {
    double const lanes = static_cast<double>(how.nprofile) * ngroup;
    double const wanted = levels ? CutCrossover::lanes_per_thread_with_levels : CutCrossover::lanes_per_thread;
    runs = std::round(wanted * space.concurrency() / lanes);
  }
  if (how.strategy != Strategy::automatic) runs = std::max(runs, 2.0);
  if (runs < 2) return nlay;
  return std::min(nlay, step * divided_up(std::max(least, static_cast<int>(std::ceil(nlay / runs))), step));
}

/// \brief Runs of layers by the threads of a team, or whole columns by a thread where there is one chunk.
///
/// The lanes that are neighbours load from neighbouring profiles. The runs meet in team scratch and are put together in
/// their order.
///
/// \tparam Body what is done with a run, see RadianceAtTop: `begin` makes what enters the first run, `run` crosses
///         layers, and where not Body::stores_levels `finish` receives whole columns
template <class ExecutionSpace, class Body>
struct TeamRuns {
  using Path = typename Body::Path;
  using Map = typename Body::Map;
  using Number = typename Path::Number;
  using Real = typename Path::Real;
  static constexpr int G = Path::G;
  static constexpr int W = Path::W;
  static constexpr int parts = Map::both ? 3 : 2;
  /// Threads of a team; their registers bound it.
  static constexpr int most_threads = sizeof(Number) > 8 ? 64 : sizeof(Number) > 4 || G > 6 ? 128 : 256;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<256>>;
  using Member = typename Policy::member_type;

  /// What a team of the fewest profiles, 8, has room for.
  static constexpr std::size_t most_scratch = (runs_on_host<ExecutionSpace> ? 30 : 40) * 1024;
  static constexpr int most_runs = static_cast<int>(most_scratch / (8 * (parts * G * sizeof(Number) + sizeof(Real))));

  Body body;
  Cut cut;

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
    // Levels of a column that is scanned need a second time through the layers.
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

  /// The columns of the team from their runs; lanes are profiles and angles.
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

  static void launch(ExecutionSpace const& space, std::string const& label, Body const& body, How const& how) {
    TeamRuns runs{body, Cut{}};
    Cut& cut = runs.cut;
    int const nlay = body.in.nlay;
    cut.ngroup = divided_up(body.in.nangle, G);
    cut.layers = layers_of_run(space, how, Body::stores_levels, cut.ngroup, nlay, most_runs);
    cut.nchunk = nlay == 0 ? 1 : divided_up(nlay, cut.layers);
    bool const scan = cut.nchunk > 1;
    int const nblock = divided_up(body.in.nprofile, W);
    int threads = 1;
    if constexpr (runs_on_host<ExecutionSpace>) {
      cut.groups_per_team = scan ? 1 : cut.ngroup;
    } else {
      int const most = how.threads > 0 ? std::min(how.threads, 256) : scan ? most_threads : 64;
      int lanes = how.lanes > 0 ? how.lanes : 32;
      if (how.lanes == 0 && scan) {
        // Fewer profiles a team, a sector of memory at least, where that many teams would not fill the machine.
        double const teams = CutCrossover::teams_per_thread * space.concurrency();
        while (lanes > 8 &&
               (lanes * cut.nchunk > most || lanes * cut.nchunk > 8 * most_runs || nblock * cut.ngroup < teams * lanes))
          lanes /= 2;
      }
      if (how.lanes == 0 && !scan)
        while (2 * lanes * cut.ngroup <= most) lanes *= 2;
      while ((2 << cut.lane_bits) <= lanes) ++cut.lane_bits;
      cut.groups_per_team = std::clamp(most / (lanes * cut.nchunk), 1, cut.ngroup);
      threads = std::min(most, divided_up(lanes * cut.groups_per_team * cut.nchunk, 32) * 32);
    }
    while (cut.nchunk > 1 && runs.scratch_bytes() > most_scratch) {
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
    using Kokkos::Experimental::WorkItemProperty;
    Kokkos::parallel_for(label, Kokkos::Experimental::require(policy, WorkItemProperty::HintLightWeight), runs);
  }
};

/// Runs of layers by the vector lanes of a thread, which exchange them by Kokkos' nested scan. For whole columns
/// only: levels would need a second time through the layers, for which a team's scratch does as well.
template <class ExecutionSpace, class Body>
struct LaneRuns {
  using Path = typename Body::Path;
  using Map = typename Body::Map;
  using Real = typename Path::Real;
  using Placed = parhelion::Impl::PlacedMap<Map>;
  using Join = parhelion::Impl::PlacedJoin<Map>;
  static constexpr int G = Path::G;
  static constexpr int W = Path::W;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<256>>;
  using Member = typename Policy::member_type;
  static_assert(sizeof(Placed) % sizeof(int) == 0, "the lanes of a device pass each other whole words");

  Body body;
  Cut cut;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& team) const {
    int const nblock = (body.in.nprofile + W - 1) / W;
    int const all = nblock * cut.ngroup;
    int const wanted = team.league_rank() * team.team_size() + team.team_rank();
    // Threads past the last column repeat it and store nothing: all of a warp must take part in its exchanges.
    bool const is_column = wanted < all;
    int const column = is_column ? wanted : all - 1;
    int const group = column / nblock;
    int const p0 = (column - group * nblock) * W;
    Task const task{p0, body.in.nprofile - p0 < W ? body.in.nprofile - p0 : W, group * G};
    // A scan composes neighbours with neighbours; Kokkos' reduction would join the first lane with one from the middle.
    // On devices it asks for each run twice.
    Placed unused;
    Kokkos::parallel_scan(
        Kokkos::ThreadVectorRange(team, cut.nchunk),
        [&](int chunk, Placed& composed, bool final) {
          Map map = chunk == 0 ? body.begin(task) : Map();
          typename Body::Notes notes;
          body.run(map, notes, task, cut.begin(chunk), cut.count(chunk, body.in.nlay), true, true);
          composed.map = composed.map + map;
          composed.first_layer = composed.first_layer < chunk ? composed.first_layer : chunk;
          if (final && is_column && chunk == cut.nchunk - 1)
            body.finish_all(task, composed.map, typename Body::Notes());
        },
        Join(unused));
  }

  static void launch(ExecutionSpace const& space, std::string const& label, Body const& body, How const& how) {
    LaneRuns runs{body, Cut{}};
    Cut& cut = runs.cut;
    int const nlay = body.in.nlay;
    int lanes = 4;
    if constexpr (!runs_on_host<ExecutionSpace>)
      while (lanes < 32 && 16 * lanes < nlay) lanes *= 2;
    cut.layers = how.layers_per_run > 0 ? how.layers_per_run : std::max(1, divided_up(nlay, lanes));
    cut.nchunk = std::max(1, divided_up(nlay, cut.layers));
    cut.ngroup = divided_up(body.in.nangle, G);
    int const columns = divided_up(body.in.nprofile, W) * cut.ngroup;
    int const threads = runs_on_host<ExecutionSpace> ? 1 : std::max(1, 128 / lanes);
    Policy const policy(space, divided_up(columns, threads), threads,
                        runs_on_host<ExecutionSpace> ? 1 : std::min(lanes, Policy::vector_length_max()));
    using Kokkos::Experimental::WorkItemProperty;
    Kokkos::parallel_for(label, Kokkos::Experimental::require(policy, WorkItemProperty::HintLightWeight), runs);
  }
};

}  // namespace parhelion::adding::Impl

#endif
