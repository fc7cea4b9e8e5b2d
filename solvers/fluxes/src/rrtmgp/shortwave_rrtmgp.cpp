// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmgp/shortwave_lanes.hpp"
#include "shortwave_solver.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::fluxes {

#define PARHELION_INSTANTIATE(SPACE)                         \
  template class Shortwave<rrtmgp::Shortwave<SPACE, float>>; \
  template class Shortwave<rrtmgp::Shortwave<SPACE, double>>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
