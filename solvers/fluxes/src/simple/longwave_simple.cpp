// SPDX-License-Identifier: BSD-3-Clause
#include "longwave_solver.hpp"
#include "simple/simple_spectral_lanes.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::fluxes {

#define PARHELION_INSTANTIATE(SPACE)                     \
  template class Longwave<SimpleSpectral<SPACE, float>>; \
  template class Longwave<SimpleSpectral<SPACE, double>>;
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
