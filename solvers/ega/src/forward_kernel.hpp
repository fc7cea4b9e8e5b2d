// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the forward model: growth, continua, source and integration along rays.
#ifndef PARHELION_EGA_FORWARD_KERNEL_HPP
#define PARHELION_EGA_FORWARD_KERNEL_HPP

#include "continuum_terms.hpp"
#include "growth.hpp"
#include "rays.hpp"

#include <parhelion/core/lanes.hpp>
#include <parhelion/core/machine.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/workspace.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <string>
#include <type_traits>

namespace parhelion::ega::Impl {

/// The largest number of threads times lanes of a team, and the number of such teams that a multiprocessor should hold,
/// from the registers that a thread may use. Measured on an H200: with more registers there are too few teams to hide
/// latency, with fewer registers they spill.
inline constexpr int max_team_lanes = 128;
template <class Space, Floating Real>
inline constexpr int teams_at_a_time =
    teams_per_multiprocessor<MachineTraits<Space>>(max_team_lanes, std::is_same_v<Real, float> ? 96 : 128);
/// With one gas, tables need less cache, and more teams fit.
template <class Space, Floating Real>
inline constexpr int teams_of_one_gas =
    teams_per_multiprocessor<MachineTraits<Space>>(max_team_lanes, std::is_same_v<Real, float> ? 80 : 128);

/// How the work of a launch is divided.
struct ForwardCut {
  int gas_threads;    ///< threads that share the gases of a ray
  int rays_per_team;  ///< rays of a team
  /// Number of points of a ray that are computed together: one gas after another goes through all of them, so that the
  /// points of its curves stay in the first-level cache.
  int points;
};

/// Input and output of a batch of rays.
template <class Space, Floating Real>
struct ForwardWork {
  Model<Space, Real> model;
  AirProfiles<Space> atmosphere;
  Array<int const*, Space> profile_of;  ///< see Observation::profile
  Rays<Space> rays;
  int first;  ///< nray of the first ray of the batch
  int nray;   ///< rays of the batch
  ForwardCut cut;
  WorkspaceArray<Real***, Space> path;           ///< (ray of the batch, gas, channel)
  WorkspaceArray<std::uint64_t***, Space> last;  ///< the same
  WorkspaceArray<double** [3], Space> means;     ///< (ray of the batch, gas of a block of channels)
  Spectra<Space, Real> spectra;
  PathRecord<Space> record;
  bool keep;  ///< whether `record` is written
  NotFinite<Space> not_finite;
};

/// \brief A team computes some rays in one block of channels. The threads of a ray share the gases; the vector lanes of
///        a thread are packs of channels.
/// \tparam usual whether it is the growth approximation, with tables that share their grids, without a record: the code
///               that is left out allows more teams on a device
/// \tparam teams number of teams that a multiprocessor should hold
template <class Space, Floating Real, int pack, bool float_slopes, bool usual, int teams = teams_at_a_time<Space, Real>>
struct ForwardKernel : ForwardWork<Space, Real> {
  // Low rays are many times longer than high ones: on a host they are scheduled dynamically.
  using Policy =
      Kokkos::TeamPolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::LaunchBounds<max_team_lanes, teams>>;
  using Member = typename Policy::member_type;
  template <class T>
  using Scratch = Kokkos::View<T, Kokkos::LayoutRight, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Work = ForwardWork<Space, Real>;
  using Work::last, Work::means, Work::spectra, Work::record, Work::keep, Work::not_finite;
  using Work::model, Work::atmosphere, Work::profile_of, Work::rays, Work::first, Work::nray, Work::cut, Work::path;

  explicit ForwardKernel(Work const& work) : Work(work) {}

  /// Means over the path differ between gases; otherwise all gases use the conditions of the segment.
  KOKKOS_INLINE_FUNCTION int own_places() const { return grows() ? 0 : cut.points; }
  KOKKOS_INLINE_FUNCTION bool grows() const { return usual || model.options.method == Method::growth; }
  KOKKOS_INLINE_FUNCTION bool keeps() const { return !usual && keep; }

  std::size_t scratch_bytes() const {
    int const w = model.tables.lanes;
    int const threads = cut.gas_threads * cut.rays_per_team;
    return Scratch<SegmentTerms<Real>**>::shmem_size(cut.rays_per_team, cut.points) +
           Scratch<SegmentPlace**>::shmem_size(cut.rays_per_team, cut.points) +
           Scratch<Real***>::shmem_size(cut.rays_per_team, 3, w) +
           Scratch<Corners<Real>**>::shmem_size(threads, cut.points) +
           Scratch<Real**>::shmem_size(threads, cut.points) +
           Scratch<LookupPlace**>::shmem_size(threads, own_places()) +
           Scratch<Real***>::shmem_size(threads, cut.points, w);
  }

  void launch(Space const& space, std::string const& label) const {
    int const packs = model.tables.lanes / pack;
    int const league = (nray + cut.rays_per_team - 1) / cut.rays_per_team * model.nblock();
    if (league == 0) return;
    Policy policy(space, league, cut.gas_threads * cut.rays_per_team, runs_on_host<Space> ? 1 : packs);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes())));
    Kokkos::parallel_for(label, policy, *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const w = model.tables.lanes;
    int const threads = cut.gas_threads;
    int const slot = team.team_rank() / threads;
    int const thread = team.team_rank() % threads;
    int const block = team.league_rank() % model.nblock();
    int const first_ray = team.league_rank() / model.nblock() * cut.rays_per_team;
    int const ray = first_ray + slot;

    Scratch<SegmentTerms<Real>**> const all_terms(team.team_scratch(0), cut.rays_per_team, cut.points);
    Scratch<SegmentPlace**> const all_places(team.team_scratch(0), cut.rays_per_team, cut.points);
    Scratch<Real***> const all_sums(team.team_scratch(0), cut.rays_per_team, 3, w);
    Scratch<Corners<Real>**> const all_corners(team.team_scratch(0), threads * cut.rays_per_team, cut.points);
    Scratch<Real**> const all_columns(team.team_scratch(0), threads * cut.rays_per_team, cut.points);
    Scratch<LookupPlace**> const all_means(team.team_scratch(0), threads * cut.rays_per_team, own_places());
    Scratch<Real***> const all_segments(team.team_scratch(0), threads * cut.rays_per_team, cut.points, w);
    SegmentTerms<Real>* const terms = &all_terms(slot, 0);
    Real* const radiance = &all_sums(slot, 0, 0);
    Real* const transmittance = &all_sums(slot, 1, 0);
    Real* const downward = &all_sums(slot, 2, 0);
    Corners<Real>* const corners = &all_corners(team.team_rank(), 0);
    SegmentPlace* const places = &all_places(slot, 0);
    LookupPlace* const path_means = all_means.data() + team.team_rank() * own_places();
    Real* const columns = &all_columns(team.team_rank(), 0);
    Real* const segments = &all_segments(team.team_rank(), 0, 0);
    Real* const total = &all_segments(slot * threads, 0, 0);

    // Teams have barriers, so their rays continue until the longest one ends.
    int longest = 0;
    for (int r = 0; r < cut.rays_per_team && first_ray + r < nray; ++r) {
      int const n = rays.summary(first_ray + r).npoint;
      longest = n > longest ? n : longest;
    }
    int const npoint = ray < nray ? rays.summary(ray).npoint : 0;
    int const profile = ray < nray && profile_of.size() > 0 ? profile_of(first + ray) : 0;
    int const nlev = atmosphere.nlev();
    auto const lanes = Kokkos::ThreadVectorRange(team, w / pack);

    if (thread == 0)
      Kokkos::parallel_for(lanes, [&](int p) {
        for (int l = p * pack; l < (p + 1) * pack; ++l) {
          radiance[l] = 0;
          transmittance[l] = 1;
          downward[l] = 0;
        }
      });

    for (int begin = 0; begin < longest; begin += cut.points) {
      int const left = npoint - begin;
      int const n = left < 0 ? 0 : left < cut.points ? left : cut.points;
      if (threads > 1) team.team_barrier();
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n), [&](int k) {
        if (k % threads == thread) {
          RayPoint const point = rays.point(ray, begin + k);
          places[k] = segment_place(point, nlev);
          terms[k] = segment_terms(model, atmosphere, profile, block * w, point, places[k]);
        }
      });
      if (threads > 1) team.team_barrier();
      int grid = -1;
      bool begun = false;
      for (int gas = thread; gas < model.ngas() && n > 0; gas += threads) {
        walk_gas(team, ray, profile, block, gas, begin, n, corners, places, path_means, columns, grid, begun, segments);
        begun = true;
      }
      if (!begun)
        Kokkos::parallel_for(lanes, [&](int p) {
          for (int k = 0; k < n; ++k)
            for (int l = p * pack; l < (p + 1) * pack; ++l) segments[k * w + l] = 0;
        });
      if (threads > 1) {
        team.team_barrier();
        Kokkos::parallel_for(lanes, [&](int p) {
          ChannelTerms<Real, pack> channels{};
          channels.load(model, atmosphere, block * w + p * pack);
          PARHELION_DO_NOT_UNROLL
          for (int k = thread; k < n; k += threads) {
            Real* const here = total + k * w + p * pack;
            for (int t = 1; t < threads; ++t)
              for (int l = 0; l < pack; ++l) here[l] = overlap(here[l], here[t * cut.points * w + l]);
            absorb(ray, profile, begin + k, terms[k], channels, here);
          }
        });
        team.team_barrier();
      }
      if (thread == 0)
        Kokkos::parallel_for(lanes, [&](int p) {
          int const lane = p * pack;
          ChannelTerms<Real, pack> channels{};
          channels.load(model, atmosphere, block * w + lane);
          Sums sums;
          for (int l = 0; l < pack; ++l)
            sums.radiance[l] = radiance[lane + l], sums.transmittance[l] = transmittance[lane + l],
            sums.downward[l] = downward[lane + l];
          PARHELION_DO_NOT_UNROLL
          for (int k = 0; k < n; ++k) {
            Real* const here = total + k * w + lane;
            if (threads == 1) absorb(ray, profile, begin + k, terms[k], channels, here);
            integrate(ray, begin + k, terms[k], channels, here, sums);
          }
          for (int l = 0; l < pack; ++l)
            radiance[lane + l] = sums.radiance[l], transmittance[lane + l] = sums.transmittance[l],
                            downward[lane + l] = sums.downward[l];
        });
    }
    if (thread == 0 && ray < nray)
      Kokkos::parallel_for(lanes,
                           [&](int p) { finish(ray, profile, block, p * pack, radiance, transmittance, downward); });
  }

  /// Transmittance and radiance of the path so far, in a pack of channels.
  struct Sums {
    Real radiance[pack];
    Real transmittance[pack];
    Real downward[pack];
  };

  /// Adds the emissivity of one gas in `n` segments to `segments`, or sets it if no other gas has `begun`.
  KOKKOS_INLINE_FUNCTION void walk_gas(Member const& team, int ray, int profile, int block, int gas, int begin, int n,
                                       Corners<Real>* corners, SegmentPlace const* places, LookupPlace* path_means,
                                       Real* columns, int& cornered, bool begun, Real* segments) const {
    auto const& tables = model.tables;
    int const w = tables.lanes;
    int const grid = tables.block_grid(block, gas);
    if (grid == -1 && begun) return;
    bool const growth = grows();
    double const* const mole_fraction = &atmosphere.mole_fraction(profile, gas, 0);
    bool const first_chunk = begin == 0;
    if (growth) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n), [&](int k) {
        columns[k] = static_cast<Real>(places[k].air * places[k].level.of(mole_fraction));
      });
    } else {
      // Blocks of channels follow a ray at the same time, each with its own sums.
      int const sums = block * model.ngas() + gas;
      Kokkos::single(Kokkos::PerThread(team), [&]() {
        double u = first_chunk ? 0. : means(ray, sums, 0);
        double up = first_chunk ? 0. : means(ray, sums, 1);
        double ut = first_chunk ? 0. : means(ray, sums, 2);
        for (int k = 0; k < n; ++k) {
          LookupPlace const here = places[k].lookup;
          double const column = places[k].air * places[k].level.of(mole_fraction);
          u += column;
          up += column * here.pressure;
          ut += column * here.temperature;
          columns[k] = static_cast<Real>(u);
          path_means[k] = u > 0 ? LookupPlace{up / u, ut / u} : here;
        }
        means(ray, sums, 0) = u;
        means(ray, sums, 1) = up;
        means(ray, sums, 2) = ut;
      });
    }
    auto const lookup = [&](int k) { return growth ? places[k].lookup : path_means[k]; };
    if (grid >= 0 && (grid != cornered || !growth)) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n), [&](int k) {
        LookupPlace const here = growth ? places[k].lookup : path_means[k];
        corners[k] = find_corners<Real>(tables, grid, here.pressure, here.temperature, !growth);
      });
      cornered = grid;
    }
    std::int64_t const first_curve = tables.first_curve(block, gas);
    int const at = block * w;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, w / pack), [&](int p) {
      int const lane = p * pack;
      Real* const emissivity = &path(ray, gas, at + lane);
      std::uint64_t* const rows = &last(ray, gas, at + lane);
      if (first_chunk)
        for (int l = 0; l < pack; ++l) {
          emissivity[l] = 0;
          rows[l] = 0;
        }
      // Tables on different grids have different corners, so their channels are computed one by one.
      constexpr int together = usual ? pack : 1;
      for (int l = 0; l < pack; l += together) {
        Real* const to = segments + lane + l;
        // Some channels of a pack may have no table: their curves end where they begin.
        int const own = usual ? grid : tables.grid(gas, at + lane + l);
        if (own < 0) {
          if (!begun)
            for (int k = 0; k < n; ++k)
              for (int i = 0; i < together; ++i) to[k * w + i] = 0;
          continue;
        }
        GasPath<Space, Real, float_slopes, together> walk;
        walk.begin(tables, first_curve, lane + l, emissivity + l, rows + l);
        PARHELION_DO_NOT_UNROLL
        for (int k = 0; k < n; ++k) {
          Corners<Real> here;
          if (usual || grid >= 0) {
            here = corners[k];
          } else {
            LookupPlace const place = lookup(k);
            here = find_corners<Real>(tables, own, place.pressure, place.temperature, !growth);
          }
          Real segment[together];
          walk.walk(tables, first_curve, lane + l, here, columns[k], !growth, segment);
          for (int i = 0; i < together; ++i) to[k * w + i] = begun ? overlap(to[k * w + i], segment[i]) : segment[i];
          if (keeps()) keep_path(ray, begin + k, gas, at + lane + l, walk.emissivity[0]);
        }
        walk.end(emissivity + l, rows + l);
      }
    });
  }

  /// Adds continua and extinction to the emissivities of a segment, unless it is opaque.
  KOKKOS_INLINE_FUNCTION void absorb(int ray, int profile, int point, SegmentTerms<Real> const& terms,
                                     ChannelTerms<Real, pack> const& channels, Real* emissivity) const {
    for (int l = 0; l < pack; ++l) {
      Real const gases = emissivity[l];
      Real const extinction = extinction_depth(atmosphere, profile, terms, channels, l);
      Real const depth = continuum_depth(model, terms, channels, l) + extinction;
      auto const attenuation = fast_attenuate_exp2(depth * static_cast<Real>(-1.4426950408889634074));
      emissivity[l] = gases > Real(1) ? gases : gases + (1 - gases) * attenuation.absorptivity;
      if (keeps() && channels.first + l < model.nchannel) {
        int const channel = channels.first + l;
        record.segment_transmittance(first + ray, point, channel) = gases > Real(1) ? 0. : double(1 - gases);
        record.optical_depth(first + ray, point, channel) = depth;
        record.extinction(first + ray, point, channel) = extinction;
      }
    }
  }

  /// Adds a segment to the radiance at the observer and to the downwelling radiance at the end of the ray.
  KOKKOS_INLINE_FUNCTION void integrate(int ray, int point, SegmentTerms<Real> const& terms,
                                        ChannelTerms<Real, pack> const& channels, Real const* emissivities,
                                        Sums& sums) const {
    Real const* const below = &model.source(terms.source.index, channels.first);
    Real const* const above = &model.source(terms.source.index + 1, channels.first);
    Real sources[pack];
    for (int l = 0; l < pack; ++l) sources[l] = below[l] + terms.source.weight * (above[l] - below[l]);
    if (terms.source.beyond > 0)
      for (int l = 0; l < pack; ++l)
        sources[l] *=
            planck_beyond(model.coefficient(ChannelCoefficient::wavenumber, channels.first + l), terms.source.beyond);
    for (int l = 0; l < pack; ++l) {
      Real const source = sources[l];
      // An opaque segment is skipped: nothing behind it is seen, and its own radiance is that of the segments before.
      Real const emissivity = emissivities[l] > Real(1) ? Real(0) : emissivities[l];
      Real const emitted = source * emissivity;
      sums.radiance[l] += emitted * sums.transmittance[l];
      sums.transmittance[l] *= 1 - emissivity;
      sums.downward[l] = sums.downward[l] * (1 - emissivity) + emitted;
      if (keeps() && channels.first + l < model.nchannel) {
        int const channel = channels.first + l;
        record.segment_emissivity(first + ray, point, channel) = emissivity;
        record.planck(first + ray, point, channel) = source;
        record.path_transmittance(first + ray, point, channel) = sums.transmittance[l];
        record.path_radiance(first + ray, point, channel) = sums.radiance[l];
      }
    }
  }

  /// Adds the surface and stores the result.
  KOKKOS_INLINE_FUNCTION void finish(int ray, int profile, int block, int lane, Real const* radiance,
                                     Real const* transmittance, Real const* downward) const {
    RaySummary const& summary = rays.summary(ray);
    for (int l = lane; l < lane + pack; ++l) {
      int const channel = block * model.tables.lanes + l;
      if (channel >= model.nchannel) continue;
      Real sum = radiance[l];
      if (summary.surface && model.options.surface != SurfaceType::none) {
        bool const grey = atmosphere.has_surface();
        double temperature = summary.surface_temperature;
        Real emissivity = 1;
        if (grey) {
          if (atmosphere.surface_temperature(profile) > 0) temperature = atmosphere.surface_temperature(profile);
          int const nodes = static_cast<int>(atmosphere.surface_emissivity.extent(1));
          int const node = model.index(ChannelIndex::surface_node, channel);
          Real const e0 = static_cast<Real>(atmosphere.surface_emissivity(profile, node));
          Real const e1 = static_cast<Real>(atmosphere.surface_emissivity(profile, nodes > 1 ? node + 1 : node));
          emissivity = e0 + model.coefficient(ChannelCoefficient::surface_weight, channel) * (e1 - e0);
        }
        sum += emissivity * source_of(model, source_place<Real>(temperature), channel) * transmittance[l];
        if (emissivity < Real(1) && model.options.surface >= SurfaceType::reflection) {
          Real reflected = downward[l];
          if (model.options.surface >= SurfaceType::sunlight)
            reflected += model.coefficient(ChannelCoefficient::sun_radiance, channel) * transmittance[l] *
                         static_cast<Real>(summary.sun);
          sum += reflected * transmittance[l] * (1 - emissivity);
        }
      }
      bool const failed = summary.npoint < 0;
      Real const passed = failed ? Kokkos::Experimental::quiet_NaN_v<Real> : transmittance[l];
      spectra.radiance(first + ray, channel) = failed ? Kokkos::Experimental::quiet_NaN_v<Real> : sum;
      spectra.transmittance(first + ray, channel) = passed;
      not_finite.check(sum + passed, first + ray);
    }
    if (block == 0 && lane == 0) store_summary(spectra, first + ray, summary);
  }

 private:
  KOKKOS_INLINE_FUNCTION void keep_path(int ray, int point, int gas, int channel, Real emissivity) const {
    if (channel < model.nchannel) record.gas_transmittance(first + ray, point, gas, channel) = 1 - double(emissivity);
  }
};

/// Enqueues the kernel with the widest packs into which the lanes of the model can be divided. Compiled in separate
/// files.
template <class Space, Floating Real, bool float_slopes, bool usual>
struct LaunchForward {
  static void launch(Space const& space, ForwardWork<Space, Real> const& work);
};

}  // namespace parhelion::ega::Impl

#endif
