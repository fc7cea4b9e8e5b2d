// SPDX-License-Identifier: BSD-3-Clause
#include "clear_sky_top.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::adding::Impl {

#define PARHELION_INSTANTIATE(SPACE)                                                                                \
  template void launch_top(SPACE const&, Atmosphere<double> const&, Field<double> const&, NotFinite<SPACE> const&,  \
                           LaunchRequest const&);                                                                   \
  template void launch_runs(SPACE const&, Atmosphere<double> const&, RunSink<double> const&, LaunchRequest const&); \
  template void launch_runs(SPACE const&, Atmosphere<Dual<double>> const&, RunSink<Dual<double>> const&,            \
                            LaunchRequest const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::adding::Impl
