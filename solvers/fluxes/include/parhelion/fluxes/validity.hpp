// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_VALIDITY_HPP
#define PARHELION_FLUXES_VALIDITY_HPP

#include <parhelion/core/validity.hpp>
#include <parhelion/fluxes/cloud_optics.hpp>

#include <optional>

namespace parhelion::fluxes {

/// Sizes of particles for which a model with its own optics of clouds and aerosol has properties [m].
struct ParticleSizes {
  SizeRange liquid;   ///< effective radius of droplets
  SizeRange ice;      ///< effective diameter of ice particles, with ecCKD effective radius
  SizeRange aerosol;  ///< radius of dust and sea salt
};

/// \brief Where a model of gas optics is valid: both ends of a range belong to it.
struct Validity {
  ValidRange temperature;                         ///< of layers, levels and the surface [K]
  ValidRange pressure;                            ///< of layers and, unless level_pressure is given, of levels [Pa]
  ValidRange vmr;                                 ///< of each gas to dry air [mol mol-1]
  double low_pressure;                            ///< [Pa]: where the pressure is less than this,
  double lowest_temperature;                      ///< temperatures may go down to this [K]
  std::optional<ValidRange> level_pressure = {};  ///< of levels [Pa]
  /// Nothing where the optics of clouds are those that a column chooses, see IceOptics and LiquidOptics.
  std::optional<ParticleSizes> particle_sizes = {};
  /// Whether temperatures of layers count, otherwise those of levels alone do.
  bool uses_layers = true;

  constexpr ValidRange pressure_of_levels() const { return level_pressure.value_or(pressure); }

  /// Temperatures at a pressure [Pa]; those of the surface at that of the lowest level.
  constexpr ValidRange temperature_at(double at_pressure) const {
    return {at_pressure < low_pressure ? lowest_temperature : temperature.lowest, temperature.highest};
  }
};

}  // namespace parhelion::fluxes

#endif
