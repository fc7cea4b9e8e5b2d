// SPDX-License-Identifier: BSD-3-Clause
// The kernel of ClearSky for both directions at all levels, which reads each layer once.
#ifndef PARHELION_ADDING_CLEAR_SKY_BOTH_WAYS_HPP
#define PARHELION_ADDING_CLEAR_SKY_BOTH_WAYS_HPP

#include "clear_sky_bodies.hpp"

#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/machine.hpp>
#include <parhelion/core/solver.hpp>

#include <cstddef>
#include <string>

namespace parhelion::adding::Impl {

/// \brief The radiance at all levels, first downward and then upward, in whole columns over surfaces that do not mix
///        angles. For devices.
///
/// Stores take most of the time, and after them the loads of layers. A lane goes down through its column and then up:
/// it keeps the layers in scratch memory, or, where that is too small, reads them again while the lower ones are still
/// in a cache.
/// \tparam keeps whether layers are kept in scratch memory
template <class ExecutionSpace, class Real, int angles, bool keeps>
struct LevelsBothWays {
  using Path = DepthPath<Real, angles, 1>;
  using Layer = typename Path::Layer;
  using Map = RunMap<Real, angles, false>;
  using Levels = LevelRadiances<ExecutionSpace, Path>;
  using Machine = MachineTraits<ExecutionSpace>;
  static constexpr int threads = sizeof(Real) > 4 ? 32 : 64;  ///< of a team, so that it keeps as many bytes
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads>>;

  Atmosphere<Real> in;
  Field<Real> dn;  ///< (profile, level, angle)
  Field<Real> up;  ///< the same
  NotFinite<ExecutionSpace> not_finite;
  int ngroup = parhelion::Impl::divided_up(in.nangle, angles);  ///< groups of angles

  /// Scratch memory of a team: (optical depth and Planck radiance, layer, lane).
  static std::size_t scratch_bytes(int nlay) { return 2 * sizeof(Real) * threads * static_cast<std::size_t>(nlay); }
  /// Whether a multiprocessor can hold enough teams that keep their layers.
  static bool can_keep(int nlay) {
    constexpr std::size_t teams = 6;
    return scratch_bytes(nlay) <= Machine::team_scratch_bytes && teams * scratch_bytes(nlay) <= Machine::scratch_bytes;
  }

  KOKKOS_INLINE_FUNCTION void operator()(typename Policy::member_type const& team) const {
    int const p = team.league_rank() / ngroup * threads + team.team_rank();
    if (p >= in.nprofile) return;
    Task const task{p, 1, team.league_rank() % ngroup * angles};
    Real* kept = nullptr;
    if constexpr (keeps)
      kept = static_cast<Real*>(
                 team.team_scratch(0).get_shmem(static_cast<std::ptrdiff_t>(2 * sizeof(Real) * threads * in.nlay))) +
             team.team_rank();
    Path path(in, task);
    Map map;
    PARHELION_UNROLL
    for (int g = 0; g < angles; ++g) map.up[g] = in.from_space(p);
    Levels::store(in, dn, task, in.nlay, map);
    for_each_layer<layers_together<Path, Map>, loads_early<Path>>(
        in, path, task, LayerRun{in.nlay - 1, -1, in.nlay}, true,
        [&](int k, Layer const& layer, Real const(&planck)[1]) {
          if constexpr (keeps) {
            kept[2 * k * threads] = layer.depth[0];
            kept[(2 * k + 1) * threads] = planck[0];
          }
          cross_layer(map, path, layer, planck);
          Levels::store(in, dn, task, k, map);
        },
        [] {});
    check(map, task);
    PARHELION_UNROLL
    for (int g = 0; g < angles; ++g) {
      int const i = task.i0 + g < in.nangle ? task.i0 + g : in.nangle - 1;
      map.up[g] = in.surface_source(p, i) + (in.value.specular ? in.value.specular(p, i) * map.up[g] : Real(0));
    }
    Levels::store(in, up, task, 0, map);
    auto const cross_upward = [&](int k, Layer const& layer, Real const(&planck)[1]) {
      cross_layer(map, path, layer, planck);
      Levels::store(in, up, task, k + 1, map);
    };
    if constexpr (keeps) {
      for (int k = 0; k < in.nlay; ++k) {
        Real const planck[1] = {kept[(2 * k + 1) * threads]};
        cross_upward(k, Layer{{kept[2 * k * threads]}}, planck);
      }
    } else {
      for_each_layer<layers_together<Path, Map>, loads_early<Path>>(in, path, task, LayerRun{0, 1, in.nlay}, true,
                                                                    cross_upward, [] {});
    }
    check(map, task);
  }

  /// Values that are not finite remain so in the following layers.
  KOKKOS_INLINE_FUNCTION void check(Map const& map, Task const& task) const {
    PARHELION_UNROLL
    for (int g = 0; g < angles; ++g)
      if (task.i0 + g < in.nangle) not_finite.check(map.up[g], in.first + task.p0);
  }

  void launch(ExecutionSpace const& space) const {
    static std::string const label = "parhelion::Adding::levels_both_ways";
    int const league = parhelion::Impl::divided_up(in.nprofile, threads) * ngroup;
    Policy policy(space, league, threads);
    if (keeps) policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes(in.nlay))));
    Kokkos::parallel_for(label, light_weight(policy), *this);
  }
};

}  // namespace parhelion::adding::Impl

#endif
