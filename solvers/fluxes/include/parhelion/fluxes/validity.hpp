// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_VALIDITY_HPP
#define PARHELION_FLUXES_VALIDITY_HPP

#include <parhelion/core/validity.hpp>

namespace parhelion::fluxes {

/// \brief Where a model of gas optics is valid: both ends of a range belong to it.
struct Validity {
  ValidRange temperature;     ///< of layers, levels and the surface [K]
  ValidRange pressure;        ///< of layers and levels [Pa]
  ValidRange vmr;             ///< of each gas to dry air [mol mol-1]
  double low_pressure;        ///< [Pa]: where the pressure is less than this,
  double lowest_temperature;  ///< temperatures may go down to this [K]

  /// Temperatures at a pressure [Pa]; those of the surface at that of the lowest level.
  constexpr ValidRange temperature_at(double at_pressure) const {
    return {at_pressure < low_pressure ? lowest_temperature : temperature.lowest, temperature.highest};
  }
};

/// \brief RRTMG_LW: what its tables span, with room for the mesosphere and for hot ground.
///
/// Absorption was tabulated within 30 K of reference temperatures from 172 to 294 K and for pressures from 1050 to
/// 0.01 hPa (Mlawer et al. 1997, doi:10.1029/97JD00237), Planck functions from 160 to 340 K.
inline constexpr Validity rrtmg_validity{
    .temperature = {160, 400}, .pressure = {0, 120000}, .vmr = {0, 1}, .low_pressure = 100, .lowest_temperature = 110};

/// \brief The simple spectral model.
///
/// Its 41 intervals emit what Stefan and Boltzmann say to 1 % from 110 to 570 K: below, too few of them lie where the
/// spectrum is, and above, too much of it lies beyond the last one. Absorption grows with pressure as lines get
/// broader, from what it is at 500 hPa, which serves as far as Earth's surface.
inline constexpr Validity simple_validity{
    .temperature = {110, 570}, .pressure = {0, 120000}, .vmr = {0, 1}, .low_pressure = 0, .lowest_temperature = 110};

}  // namespace parhelion::fluxes

#endif
