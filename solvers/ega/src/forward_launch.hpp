// SPDX-License-Identifier: BSD-3-Clause
// Compiles the forward kernel for every execution space; one source file for each precision and rounding includes it.
#ifndef PARHELION_EGA_FORWARD_LAUNCH_HPP
#define PARHELION_EGA_FORWARD_LAUNCH_HPP

#include "forward_kernel.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::ega::Impl {

template <class Space, Floating Real, bool float_slopes, bool usual>
void LaunchForward<Space, Real, float_slopes, usual>::launch(Space const& space, ForwardWork<Space, Real> const& work) {
  auto const launch_packs = [&]<int pack>() {
    if constexpr (usual && !runs_on_host<Space> && teams_of_one_gas<Space, Real> != teams_at_a_time<Space, Real>)
      if (work.model.ngas() == 1) {
        ForwardKernel<Space, Real, pack, float_slopes, usual, teams_of_one_gas<Space, Real>>(work).launch(
            space, "parhelion::ega::forward");
        return;
      }
    ForwardKernel<Space, Real, pack, float_slopes, usual>(work).launch(space, "parhelion::ega::forward");
  };
  constexpr int width = lanes_per_thread<Space, Real>;
  // Tables of neighbouring channels are followed in step: twice the width halves the number of branches.
  constexpr int double_width = usual && width > 1 ? 2 * width : width;
  if (work.model.tables.lanes % double_width == 0)
    launch_packs.template operator()<double_width>();
  else if (width < double_width && work.model.tables.lanes % width == 0)
    launch_packs.template operator()<width>();
  else
    launch_packs.template operator()<1>();
}

}  // namespace parhelion::ega::Impl

#endif
