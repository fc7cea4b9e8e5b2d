// SPDX-License-Identifier: BSD-3-Clause
// Functions that enqueue the kernels of ClearSky. Each kind is compiled in its own source files.
#ifndef PARHELION_ADDING_IMPL_CLEAR_SKY_LAUNCH_HPP
#define PARHELION_ADDING_IMPL_CLEAR_SKY_LAUNCH_HPP

#include "clear_sky_bodies.hpp"

#include <parhelion/core/impl/layer_runs.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace parhelion::adding::Impl {

using parhelion::Impl::divided_up;
using parhelion::Impl::LaunchRequest;
using parhelion::Impl::PartitionThresholds;
using parhelion::Impl::TeamRuns;

/// Enqueues the radiance at the top over a surface that reflects into the same angle or not at all.
template <class ExecutionSpace, class Real>
void launch_top(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& top,
                NotFinite<ExecutionSpace> const& not_finite, LaunchRequest const& request);

/// Enqueues the maps of whole columns.
template <class ExecutionSpace, class Number>
void launch_runs(ExecutionSpace const& space, Atmosphere<Number> const& in, RunSink<Number> const& runs,
                 LaunchRequest const& request);

/// Enqueues the radiance at all levels in one direction: entry, levels, last, upward and emits as in LevelRadiances.
template <class ExecutionSpace, class Real>
void launch_levels(ExecutionSpace const& space, Atmosphere<Real> const& in, Entry<Real> const& entry,
                   Field<Real> const& levels, Field<Real> const& last, bool upward, bool emits,
                   NotFinite<ExecutionSpace> const& not_finite, LaunchRequest const& request);

/// \brief Enqueues the downward and the upward radiance at all levels in one kernel, on devices where each column is a
///        run and the surface does not mix angles.
/// \param dn (profile, level, angle)
/// \param up (profile, level, angle)
/// \return whether it did
template <class ExecutionSpace, class Real>
bool launch_levels_both_ways(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& dn,
                             Field<Real> const& up, NotFinite<ExecutionSpace> const& not_finite,
                             LaunchRequest const& request);

/// Enqueues the emergent upward radiance of everything below each level, over a surface that reflects.
/// \param buffer (profile, level, angle), used if the surface mixes angles
template <class ExecutionSpace, class Real>
void launch_emergent(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& levels,
                     Field<Real> const& buffer, NotFinite<ExecutionSpace> const& not_finite,
                     LaunchRequest const& request);

/// \brief The number of angles of a lane.
///
/// It is large, so that loads of a layer are used for many angles, unless there would be too few lanes.
///
/// \tparam choices in ascending order
template <int... choices, class ExecutionSpace>
int angles_per_lane(ExecutionSpace const& space, LaunchRequest const& request, int nangle) {
  int most = 1;
  ((most = choices), ...);
  if (request.angles_per_lane > 0) {
    most = std::min(most, request.angles_per_lane);
  } else if (!runs_on_host<ExecutionSpace>) {
    double const lanes = static_cast<double>(request.nprofile) * divided_up(nangle, most);
    if (lanes < PartitionThresholds::lanes_per_thread_of_few_angles * space.concurrency())
      most = std::min(most, PartitionThresholds::few_angles);
  }
  int const groups = divided_up(nangle, most);
  int const each = divided_up(nangle, groups);
  int result = most;
  (void)((choices >= each && (result = choices, true)) || ...);
  return result;
}

/// Calls action.operator()<G>() for the one of `choices` that angles_per_lane gives.
template <int... choices, class ExecutionSpace, class Action>
void with_angles(ExecutionSpace const& space, LaunchRequest const& request, int nangle, Action const& action) {
  int const chosen = angles_per_lane<choices...>(space, request, nangle);
  (void)((choices == chosen && (action.template operator()<choices>(), true)) || ...);
}

template <class ExecutionSpace, class Body>
void launch_teams(ExecutionSpace const& space, std::string const& label, Body const& body,
                  LaunchRequest const& request) {
  TeamRuns<ExecutionSpace, Body>::launch(space, label, body, request);
}

}  // namespace parhelion::adding::Impl

#endif
