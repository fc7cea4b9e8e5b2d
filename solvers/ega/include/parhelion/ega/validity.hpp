// SPDX-License-Identifier: BSD-3-Clause
// The range of air that the emissivity growth model is made for.
#ifndef PARHELION_EGA_VALIDITY_HPP
#define PARHELION_EGA_VALIDITY_HPP

#include <parhelion/core/validity.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/channels.hpp>

#include <string>

namespace parhelion::ega {

/// Temperatures of air and surface [K]: those of the source tables. Emissivity tables end not far inside of them, and
/// there the last interval continues; continua are given at 230 to 296 K.
inline constexpr double lowest_temperature = source_first_temperature;
inline constexpr double highest_temperature = source_last_temperature;

/// Pressures up to this [Pa]: a little more than any at the ground.
inline constexpr double highest_pressure = 120000;

/// The range of validity of the model.
struct ValidRanges {
  ValidRange temperature{lowest_temperature, highest_temperature};  ///< of air and surface [K]
  ValidRange pressure{0, highest_pressure};                         ///< [Pa]
  ValidRange mixing_ratio{0, 1};                                    ///< mole fraction [1]
};

/// \brief The atmosphere that the model computes where values may lie out of its range.
///
/// Looked at are temperatures, pressures and mixing ratios at levels, and temperature and pressure of the surface where
/// these count. By what is asked for
/// - refuse: the first value out of range is refused;
/// - clip: such values become the nearest end of their range;
/// - extrapolate: temperatures and pressures stay. Tables and continua are then looked up at the nearest end of the
///   range, amounts of air follow from the pressure and temperature as they are, and the source function goes on from
///   the end of its table as Planck's function does at the channel's wavenumber. Mixing ratios below 0 become 0, those
///   above 1 stay. Radiances are positive.
///
/// \param atmosphere one that validate() accepts; is not changed
/// \param what       to do with values out of range
/// \param counts     the variables that are looked at are added, with the numbers of values out of range
/// \param where      opens the message, such as the name of a file
/// \throws parhelion::Error naming variable, level, value and range
HostAtmosphere in_valid_range(HostAtmosphere const& atmosphere, OutOfRange what, OutOfRangeCounts& counts,
                              std::string const& where);

}  // namespace parhelion::ega

#endif
