// SPDX-License-Identifier: BSD-3-Clause
#include "longwave_solver.hpp"
#include "rrtmg_lw/gas_optics_lanes.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::fluxes {

#define PARHELION_INSTANTIATE(SPACE)                \
  template class Longwave<GasOptics<SPACE, float>>; \
  template class Longwave<GasOptics<SPACE, double>>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
