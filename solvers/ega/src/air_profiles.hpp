// SPDX-License-Identifier: BSD-3-Clause
// The atmosphere in the form that kernels use.
#ifndef PARHELION_EGA_AIR_PROFILES_HPP
#define PARHELION_EGA_AIR_PROFILES_HPP

#include <parhelion/core/workspace.hpp>
#include <parhelion/ega/atmosphere.hpp>

namespace parhelion::ega::Impl {

/// The air between two levels, in a form that needs no division for interpolation.
struct alignas(16) AirInterval {
  double altitude;           ///< of the lower level [m]
  double inverse_depth;      ///< [m-1]
  double pressure;           ///< at the lower level [Pa]
  double pressure_slope;     ///< of the logarithm [m-1]
  double temperature;        ///< at the lower level [K]
  double temperature_slope;  ///< [K m-1]
};

/// \brief The part of an atmosphere that kernels along rays need, with its air in intervals. Interval i lies between
///        levels i and i + 1.
template <KokkosExecutionSpace Space>
struct AirProfiles {
  WorkspaceArray<AirInterval**, Space> air;  ///< (profile, interval)
  WorkspaceArray<double* [2], Space> range;  ///< lowest and highest altitude of a ray [m], (profile)

  // As in Atmosphere.
  Array<double const***, Space> mole_fraction = {}, extinction = {};
  Array<double const*, Space> cloud_height = {}, cloud_depth = {};
  Array<double const**, Space> cloud_extinction = {};
  Array<double const*, Space> surface_temperature = {};
  Array<double const**, Space> surface_emissivity = {};

  KOKKOS_INLINE_FUNCTION int nlev() const { return static_cast<int>(air.extent(1)) + 1; }
  KOKKOS_INLINE_FUNCTION bool has_cloud() const { return cloud_extinction.size() > 0; }
  KOKKOS_INLINE_FUNCTION bool has_surface() const { return surface_emissivity.size() > 0; }
};

/// \brief The altitude at which rays end in a profile [m]: its lowest level, or the surface above it.
/// \tparam Profiles Atmosphere or HostAtmosphere
template <class Profiles>
KOKKOS_INLINE_FUNCTION double lowest_altitude_of(Profiles const& atmosphere, int profile) {
  auto const& z = atmosphere.altitude;
  auto const& p = atmosphere.pressure;
  double lowest = z(profile, 0);
  if (!atmosphere.has_surface()) return lowest;
  lowest = Kokkos::fmax(lowest, atmosphere.surface_altitude(profile));
  double const pressure = atmosphere.surface_pressure(profile);
  if (!(pressure > 0)) return lowest;
  // The altitude of a pressure: linear in its logarithm.
  int i = 0;
  while (i < atmosphere.nlev() - 2 && pressure <= p(profile, i + 1)) ++i;
  double const altitude = z(profile, i) + (z(profile, i + 1) - z(profile, i)) * Kokkos::log(pressure / p(profile, i)) /
                                              Kokkos::log(p(profile, i + 1) / p(profile, i));
  return Kokkos::fmax(lowest, altitude);
}

/// \brief Takes the blocks of profiles from a Workspace, or counts them in a WorkspaceSize.
template <KokkosExecutionSpace Space, class Work>
AirProfiles<Space> take_profiles(Work& work, int nprofile, int nlev) {
  AirProfiles<Space> profiles;
  profiles.air = work.template take<AirInterval**>("air", nprofile, nlev - 1);
  profiles.range = work.template take<double* [2]>("range", nprofile);
  return profiles;
}

/// \brief Enqueues the kernel that copies an atmosphere into blocks that are large enough.
/// \return the profiles of the atmosphere
template <KokkosExecutionSpace Space>
AirProfiles<Space> fill_profiles(Space const& space, Atmosphere<Space> const& atmosphere,
                                 AirProfiles<Space> const& room);

}  // namespace parhelion::ega::Impl

#endif
