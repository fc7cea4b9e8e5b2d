// SPDX-License-Identifier: BSD-3-Clause
#include "forward_launch.hpp"

namespace parhelion::ega::Impl {

#define PARHELION_IMPL_INSTANTIATE(SPACE)                    \
  template struct LaunchForward<SPACE, double, false, true>; \
  template struct LaunchForward<SPACE, double, false, false>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega::Impl
