// SPDX-License-Identifier: BSD-3-Clause
// Definitions of launch_top and launch_runs, compiled in one source file for each precision.
#ifndef PARHELION_ADDING_IMPL_CLEAR_SKY_TOP_HPP
#define PARHELION_ADDING_IMPL_CLEAR_SKY_TOP_HPP

#include "clear_sky_launch.hpp"

namespace parhelion::adding::Impl {

template <bool two_way, class ExecutionSpace, class Real>
void launch_top_over(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& top,
                     NotFinite<ExecutionSpace> const& not_finite, LaunchRequest const& request) {
  static std::string const label = "parhelion::Adding::top";
  constexpr int W = lanes_per_thread<ExecutionSpace, Real>;
  TopSink<ExecutionSpace, Real> const sink{top, not_finite};
  if (in.value.transmittance) {
    using Body =
        RadianceAtTop<ExecutionSpace, TransmittancePath<Real, 1, W>, two_way, false, TopSink<ExecutionSpace, Real>>;
    launch_teams(space, label, Body{in, sink}, request);
  } else {
    with_angles<1, 2, 3, 4, 6, 8>(space, request, in.nangle, [&]<int G>() {
      constexpr bool fast = W == 1;
      using Body = RadianceAtTop<ExecutionSpace, DepthPath<Real, G, W>, two_way, fast, TopSink<ExecutionSpace, Real>>;
      launch_teams(space, label, Body{in, sink}, request);
    });
  }
}

template <class ExecutionSpace, class Real>
void launch_top(ExecutionSpace const& space, Atmosphere<Real> const& in, Field<Real> const& top,
                NotFinite<ExecutionSpace> const& not_finite, LaunchRequest const& request) {
  if (in.value.specular)
    launch_top_over<true>(space, in, top, not_finite, request);
  else
    launch_top_over<false>(space, in, top, not_finite, request);
}

template <class ExecutionSpace, class Number>
void launch_runs(ExecutionSpace const& space, Atmosphere<Number> const& in, RunSink<Number> const& runs,
                 LaunchRequest const& request) {
  static std::string const label = "parhelion::Adding::columns";
  constexpr int W = lanes_per_thread<ExecutionSpace, ValueOf<Number>>;
  if (in.value.transmittance) {
    using Body = RadianceAtTop<ExecutionSpace, TransmittancePath<Number, 1, W>, true, false, RunSink<Number>>;
    launch_teams(space, label, Body{in, runs}, request);
  } else {
    using Body = RadianceAtTop<ExecutionSpace, DepthPath<Number, 1, W>, true, false, RunSink<Number>>;
    launch_teams(space, label, Body{in, runs}, request);
  }
}

}  // namespace parhelion::adding::Impl

#endif
