// SPDX-License-Identifier: BSD-3-Clause
// Enqueue the kernels of ClearSky. Compiled in files of their own for each kind.
#ifndef PARHELION_ADDING_IMPL_CLEAR_SKY_LAUNCH_HPP
#define PARHELION_ADDING_IMPL_CLEAR_SKY_LAUNCH_HPP

#include "clear_sky_bodies.hpp"
#include "layer_runs.hpp"

#include <parhelion/core/compose.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace parhelion::adding::Impl {

/// The radiance at the top over a surface that reflects into the same angle or not at all.
template <class ExecutionSpace, class Real>
void launch_top(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& top, How const& how);

/// The maps of whole columns.
template <class ExecutionSpace, class Number>
void launch_runs(ExecutionSpace const& space, Atmosphere<Number> const& in, RunSink<Number> const& runs,
                 How const& how);

/// The radiance at all levels in one direction: entry, levels, last, upward and emits as in LevelRadiances.
template <class ExecutionSpace, class Real>
void launch_levels(ExecutionSpace const& space, Atmosphere<Real> const& in, Entry<Real> const& entry,
                   Field<Real> const& levels, Field<Real> const& last, bool upward, bool emits, How const& how);

/// The upward radiance that what lies below each level makes, over a surface that reflects.
/// \param buffer (profile, level, angle), where the surface mixes angles
template <class ExecutionSpace, class Real>
void launch_from_below(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& levels,
                       Field<Real> const& buffer, How const& how);

/// \brief Angles of a lane: many, so that what is loaded of a layer serves many, unless the lanes would be few.
/// \tparam choices in rising order
template <int... choices, class ExecutionSpace>
int angles_per_lane(ExecutionSpace const& space, How const& how, int nangle) {
  int most = 1;
  ((most = choices), ...);
  if (how.angles_per_lane > 0) {
    most = std::min(most, how.angles_per_lane);
  } else if (!runs_on_host<ExecutionSpace>) {
    double const lanes = static_cast<double>(how.nprofile) * divided_up(nangle, most);
    if (lanes < CutCrossover::lanes_per_thread_of_few_angles * space.concurrency())
      most = std::min(most, CutCrossover::few_angles);
  }
  int const groups = divided_up(nangle, most);
  int const each = divided_up(nangle, groups);
  int result = most;
  (void)((choices >= each && (result = choices, true)) || ...);
  return result;
}

/// Calls action.operator()<G>() for the one of `choices` that angles_per_lane gives.
template <int... choices, class ExecutionSpace, class Action>
void with_angles(ExecutionSpace const& space, How const& how, int nangle, Action const& action) {
  int const chosen = angles_per_lane<choices...>(space, how, nangle);
  (void)((choices == chosen && (action.template operator()<choices>(), true)) || ...);
}

template <class ExecutionSpace, class Body>
void launch_teams(ExecutionSpace const& space, std::string const& label, Body const& body, How const& how) {
  TeamRuns<ExecutionSpace, Body>::launch(space, label, body, how);
}

/// With any strategy.
template <class ExecutionSpace, class Body>
void launch_columns(ExecutionSpace const& space, std::string const& label, Body const& body, How const& how) {
  if (how.strategy == Strategy::lane_scan)
    LaneRuns<ExecutionSpace, Body>::launch(space, label, body, how);
  else
    launch_teams(space, label, body, how);
}

}  // namespace parhelion::adding::Impl

#endif
