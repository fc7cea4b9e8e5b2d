// SPDX-License-Identifier: BSD-3-Clause
// Hydrostatic pressures of a profile, on hosts and devices.
#ifndef PARHELION_EGA_HYDROSTATIC_HPP
#define PARHELION_EGA_HYDROSTATIC_HPP

#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

namespace parhelion::ega::Impl {

/// Number of points for the mean over a hydrostatic step.
inline constexpr int hydrostatic_points = 20;

/// M g / (R T) [m-1]: the reciprocal of the scale height.
KOKKOS_INLINE_FUNCTION double inverse_scale_height(double temperature, double water) {
  double const molar_mass =
      water * jurassic_constants::molar_mass_water + (1 - water) * jurassic_constants::molar_mass_dry_air;
  return molar_mass * jurassic_constants::gravity / (jurassic_constants::molar_gas * temperature);
}

/// The level of a profile that is nearest to an altitude [m].
/// \tparam Profiles Atmosphere or HostAtmosphere
template <class Profiles>
KOKKOS_INLINE_FUNCTION int nearest_level(Profiles const& a, int profile, double altitude) {
  int nearest = 0;
  for (int l = 1; l < a.nlev(); ++l)
    if (Kokkos::fabs(a.altitude(profile, l) - altitude) < Kokkos::fabs(a.altitude(profile, nearest) - altitude))
      nearest = l;
  return nearest;
}

/// \brief Replaces the pressures of a profile, see make_hydrostatic().
/// \param a         atmosphere
/// \param pressure  its pressures (profile, level) [Pa]
/// \param water     index of water vapour among the gases; -1: none
/// \param profile   index
/// \param reference altitude whose pressure is kept [m]
template <class Profiles, class Pressure>
KOKKOS_INLINE_FUNCTION void make_profile_hydrostatic(Profiles const& a, Pressure const& pressure, int water,
                                                     int profile, double reference) {
  int const kept = nearest_level(a, profile, reference);
  // The pressure of level `to` from that of its neighbour `from`.
  auto const step = [&](int from, int to) {
    double mean = 0;
    for (int i = 0; i < hydrostatic_points; ++i) {
      double const weight = i / (hydrostatic_points - 1.0);
      double const vapour = water < 0 ? 0
                                      : linear<double>(a.mole_fraction(profile, water, from),
                                                       a.mole_fraction(profile, water, to), weight);
      mean += inverse_scale_height(linear<double>(a.temperature(profile, from), a.temperature(profile, to), weight),
                                   vapour) /
              hydrostatic_points;
    }
    pressure(profile, to) =
        pressure(profile, from) * Kokkos::exp(-(a.altitude(profile, to) - a.altitude(profile, from)) * mean);
  };
  for (int l = kept + 1; l < a.nlev(); ++l) step(l - 1, l);
  for (int l = kept - 1; l >= 0; --l) step(l + 1, l);
}

}  // namespace parhelion::ega::Impl

#endif
