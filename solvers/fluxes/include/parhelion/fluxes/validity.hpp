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

}  // namespace parhelion::fluxes

#endif
