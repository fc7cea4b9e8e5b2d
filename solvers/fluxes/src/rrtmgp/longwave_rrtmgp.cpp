// SPDX-License-Identifier: BSD-3-Clause
#include "longwave_solver.hpp"
#include "rrtmgp/longwave_lanes.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::fluxes {

#define PARHELION_INSTANTIATE(SPACE)                       \
  template class Longwave<rrtmgp::Longwave<SPACE, float>>; \
  template class Longwave<rrtmgp::Longwave<SPACE, double>>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
