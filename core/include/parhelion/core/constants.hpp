// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_CONSTANTS_HPP
#define PARHELION_CORE_CONSTANTS_HPP

namespace parhelion::constants {

// CODATA 2018: Tiesinga et al. (2021), doi:10.1103/RevModPhys.93.025010. All of these are exact since 2019 or derived
// from exact ones; derived constants are written with more digits than a double holds. In kernels they must be used by
// value: a compile-time constant has no address on a device.

/// Planck constant h [J s]
inline constexpr double planck = 6.62607015e-34;
/// Speed of light in vacuum c [m s-1]
inline constexpr double speed_of_light = 299792458.0;
/// Boltzmann constant k [J K-1]
inline constexpr double boltzmann = 1.380649e-23;
/// Avogadro constant [mol-1]
inline constexpr double avogadro = 6.02214076e23;
/// Molar gas constant, avogadro * boltzmann [J mol-1 K-1]
inline constexpr double molar_gas = 8.31446261815324;
/// Stefan-Boltzmann constant, 2 pi^5 k^4 / (15 h^3 c^2) [W m-2 K-4]
inline constexpr double stefan_boltzmann = 5.6703744191844294540e-8;
/// First radiation constant for spectral radiance over wavenumber, 2 h c^2 [W m-2 sr-1 (cm-1)-4]
inline constexpr double first_radiation_cm1 = 1.1910429723971884141e-8;
/// Second radiation constant, h c / k [cm K]
inline constexpr double second_radiation_cm1 = 1.4387768775039337;
/// Standard acceleration of gravity [m s-2], by definition (3rd CGPM, 1901)
inline constexpr double standard_gravity = 9.80665;

}  // namespace parhelion::constants

#endif
