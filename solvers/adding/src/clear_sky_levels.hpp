// SPDX-License-Identifier: BSD-3-Clause
// Definitions of the functions that launch kernels for all levels, compiled in one source file for each precision.
#ifndef PARHELION_ADDING_IMPL_CLEAR_SKY_LEVELS_HPP
#define PARHELION_ADDING_IMPL_CLEAR_SKY_LEVELS_HPP

#include "clear_sky_both_ways.hpp"
#include "clear_sky_launch.hpp"

namespace parhelion::adding::Impl {

template <class ExecutionSpace, class Real>
void launch_levels(ExecutionSpace const& space, Atmosphere<Real> const& in, Entry<Real> const& entry,
                   Field<Real> const& levels, Field<Real> const& last, bool upward, bool emits,
                   NotFinite<ExecutionSpace> const& not_finite, LaunchRequest const& request) {
  static std::string const label = "parhelion::Adding::levels";
  constexpr int W = lanes_per_thread<ExecutionSpace, Real>;
  if (in.value.transmittance) {
    using Body = LevelRadiances<ExecutionSpace, TransmittancePath<Real, 1, W>>;
    launch_teams(space, label, Body{in, entry, levels, last, upward, emits, not_finite}, request);
  } else {
    with_angles<1, 2, 3, 6>(space, request, in.nangle, [&]<int G>() {
      using Body = LevelRadiances<ExecutionSpace, DepthPath<Real, G, W>>;
      launch_teams(space, label, Body{in, entry, levels, last, upward, emits, not_finite}, request);
    });
  }
}

template <class ExecutionSpace, class Real>
bool launch_levels_both_ways(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& dn,
                             Field<Real> const& up, NotFinite<ExecutionSpace> const& not_finite,
                             LaunchRequest const& request) {
  if constexpr (!runs_on_host<ExecutionSpace>) {
    constexpr int angles = 6;
    using Runs = TeamRuns<ExecutionSpace, LevelRadiances<ExecutionSpace, DepthPath<Real, angles, 1>>>;
    if (in.value.transmittance || in.value.reflectivity || !Runs::are_whole_columns(space, in, request) ||
        angles_per_lane<1, 2, 3, angles>(space, request, in.nangle) != angles)
      return false;
    using Keeping = LevelsBothWays<ExecutionSpace, Real, angles, true>;
    if (Keeping::can_keep(in.nlay))
      Keeping{in, dn, up, not_finite}.launch(space);
    else
      LevelsBothWays<ExecutionSpace, Real, angles, false>{in, dn, up, not_finite}.launch(space);
    return true;
  }
  return false;
}

template <class ExecutionSpace, class Real>
void launch_emergent(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& levels,
                     Field<Real> const& buffer, NotFinite<ExecutionSpace> const& not_finite,
                     LaunchRequest const& request) {
  static std::string const label = "parhelion::Adding::levels_from_below";
  constexpr int W = lanes_per_thread<ExecutionSpace, Real>;
  auto const launch = [&]<class Body>(Body const* /* its type */) {
    if (in.value.specular) {
      launch_teams(space, label, Body{in, levels, {}, Body::Store::specular, not_finite}, request);
      return;
    }
    Field<Real const> const down{buffer.data, buffer.stride1, buffer.stride2};
    launch_teams(space, label, Body{in, buffer, {}, Body::Store::down, not_finite}, request);
    launch_teams(space, label, Body{in, levels, down, Body::Store::mixed, not_finite}, request);
  };
  if (in.value.transmittance) {
    launch(static_cast<LevelsFromBelow<ExecutionSpace, TransmittancePath<Real, 1, W>> const*>(nullptr));
  } else {
    with_angles<1, 2, 3, 6>(space, request, in.nangle, [&]<int G>() {
      launch(static_cast<LevelsFromBelow<ExecutionSpace, DepthPath<Real, G, W>> const*>(nullptr));
    });
  }
}

}  // namespace parhelion::adding::Impl

#endif
