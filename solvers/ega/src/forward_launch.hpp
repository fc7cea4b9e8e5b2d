// SPDX-License-Identifier: BSD-3-Clause
// Compiles the forward kernel for every execution space; for one source file each for a precision and rounding.
#ifndef PARHELION_EGA_FORWARD_LAUNCH_HPP
#define PARHELION_EGA_FORWARD_LAUNCH_HPP

#include "forward_kernel.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::ega::Impl {

template <class Space, Floating Real, bool float_slopes, bool usual>
void LaunchForward<Space, Real, float_slopes, usual>::narrow(
    Space const& space, ForwardKernel<Space, Real, 1, float_slopes, usual> const& kernel) {
  kernel.launch(space, "parhelion::ega::forward");
}

template <class Space, Floating Real, bool float_slopes, bool usual>
void LaunchForward<Space, Real, float_slopes, usual>::wide(
    Space const& space, ForwardKernel<Space, Real, width, float_slopes, usual> const& kernel) {
  kernel.launch(space, "parhelion::ega::forward");
}

}  // namespace parhelion::ega::Impl

#endif
