// SPDX-License-Identifier: BSD-3-Clause
#include "clear_sky_levels.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::adding::Impl {

#define PARHELION_INSTANTIATE(SPACE)                                                                              \
  template void launch_levels(SPACE const&, Atmosphere<float> const&, Entry<float> const&, Field<float> const&,   \
                              Field<float> const&, bool, bool, NotFinite<SPACE> const&, LaunchRequest const&);    \
  template bool launch_levels_both_ways(SPACE const&, Atmosphere<float> const&, Field<float> const&,              \
                                        Field<float> const&, NotFinite<SPACE> const&, LaunchRequest const&);      \
  template void launch_emergent(SPACE const&, Atmosphere<float> const&, Field<float> const&, Field<float> const&, \
                                NotFinite<SPACE> const&, LaunchRequest const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::adding::Impl
