// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SUN_TOTALS_HPP
#define PARHELION_FLUXES_SUN_TOTALS_HPP

namespace parhelion::fluxes {

/// The irradiance of SolarVariability::mean_cycle where no total is given [W m-2], at 1 au.
double mean_cycle_irradiance();

}  // namespace parhelion::fluxes

#endif
