// SPDX-License-Identifier: BSD-3-Clause
#include "ecckd/longwave_lanes.hpp"
#include "longwave_solver.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::fluxes {

#define PARHELION_INSTANTIATE(SPACE)                      \
  template class Longwave<ecckd::Longwave<SPACE, float>>; \
  template class Longwave<ecckd::Longwave<SPACE, double>>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
