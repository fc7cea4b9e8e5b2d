// SPDX-License-Identifier: BSD-3-Clause
// Constants of the JURASSIC model, kept so that its results can be reproduced to the last digit. Baumeister &
// Hoffmann (2022), doi:10.5194/gmd-15-1855-2022, and the code that it describes, version 1.12.
#ifndef PARHELION_EGA_JURASSIC_CONSTANTS_HPP
#define PARHELION_EGA_JURASSIC_CONSTANTS_HPP

namespace parhelion::ega::jurassic_constants {

/// Mean radius of the Earth [m]
inline constexpr double earth_radius = 6367421;
/// First radiation constant [W m-2 sr-1 (cm-1)-4]
inline constexpr double first_radiation = 1.19104259e-8;
/// Second radiation constant [cm K]
inline constexpr double second_radiation = 1.43877506;
/// Boltzmann constant [J K-1]
inline constexpr double boltzmann = 1.3806504e-23;
/// Avogadro constant [mol-1]
inline constexpr double avogadro = 6.02214199e23;
/// Molar gas constant [J mol-1 K-1]
inline constexpr double molar_gas = 8.3144598;
/// Standard pressure [Pa]
inline constexpr double standard_pressure = 101325;
/// Gravity, the same at every altitude [m s-2]
inline constexpr double gravity = 9.80665;
/// Molar masses of water and dry air [kg mol-1]
inline constexpr double molar_mass_water = 18.0153e-3;
inline constexpr double molar_mass_dry_air = 28.96456e-3;
/// Temperature of the sun [K] and its solid angle [sr]
inline constexpr double sun_temperature = 5780;
inline constexpr double sun_solid_angle = 6.764e-5;

}  // namespace parhelion::ega::jurassic_constants

#endif
