// SPDX-License-Identifier: BSD-3-Clause
// What the solvers of fluxes are made with, whatever the range: layers, heat capacity and gravity.
#ifndef PARHELION_FLUXES_SOLVER_CONSTANTS_HPP
#define PARHELION_FLUXES_SOLVER_CONSTANTS_HPP

namespace parhelion::fluxes::Impl {

/// \param solver opens the message
/// \throws parhelion::Error for less than one layer, and for constants that are negative or not finite
void check_solver_constants(char const* solver, int nlay, double heat_capacity, double gravity);

/// \brief Kelvins a day for a flux divergence of 1 W m-2 over 1 Pa.
/// \tparam Optics has the heat capacity and the gravity that hold where the tuning has 0
/// \param  tuning LongwaveTuning or ShortwaveTuning
template <class Optics, class Tuning>
double heating_factor(Tuning const& tuning) {
  double const heat_capacity = tuning.heat_capacity > 0 ? tuning.heat_capacity : Optics::heat_capacity;
  double const gravity = tuning.gravity > 0 ? tuning.gravity : Optics::gravity;
  return gravity * 86400 / heat_capacity;
}

}  // namespace parhelion::fluxes::Impl

#endif
