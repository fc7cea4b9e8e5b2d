// SPDX-License-Identifier: BSD-3-Clause
// The range of atmospheric conditions for which the emissivity growth model is valid.
#ifndef PARHELION_EGA_VALIDITY_HPP
#define PARHELION_EGA_VALIDITY_HPP

#include <parhelion/core/validity.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/channels.hpp>

#include <string>

namespace parhelion::ega {

/// Temperatures of air and surface [K]: those of the source tables. Emissivity tables have a slightly smaller range and
/// are extrapolated from their last interval; continua are given at 230 to 296 K.
inline constexpr double lowest_temperature = source_first_temperature;
inline constexpr double highest_temperature = source_last_temperature;

/// The highest pressure [Pa]: slightly more than at any ground.
inline constexpr double highest_pressure = 120000;

/// The range of validity of the model.
struct ValidRanges {
  ValidRange temperature{lowest_temperature, highest_temperature};  ///< of air and surface [K]
  ValidRange pressure{0, highest_pressure};                         ///< [Pa]
  ValidRange mole_fraction{0, 1};                                   ///< mole fraction [1]
};

/// \brief The atmosphere that the model computes if values may be out of range.
///
/// Temperatures, pressures and mole fractions at levels are checked, and temperature and pressure of the surface if
/// they are used:
/// - refuse: the first value out of range is an error;
/// - clip: values out of range are replaced by the nearest end of the range;
/// - extrapolate: temperatures and pressures are kept. Tables and continua are then evaluated at the nearest end of the
///   range, the amount of air follows from the actual pressure and temperature, and the source function continues from
///   the end of its table like Planck's function at the wavenumber of the channel. Mole fractions below 0 become 0,
///   those above 1 are kept. Radiances are positive.
///
/// \param atmosphere one that validate() accepts; not changed
/// \param what       what to do with values out of range
/// \param counts     the checked variables are added, with their numbers of values out of range
/// \param where      begins the message, such as the name of a file
/// \throws parhelion::Error naming variable, level, value and range
HostAtmosphere in_valid_range(HostAtmosphere const& atmosphere, OutOfRange what, OutOfRangeCounts& counts,
                              std::string const& where);

}  // namespace parhelion::ega

#endif
