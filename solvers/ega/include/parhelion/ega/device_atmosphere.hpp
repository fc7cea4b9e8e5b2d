// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_DEVICE_ATMOSPHERE_HPP
#define PARHELION_EGA_DEVICE_ATMOSPHERE_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/ega/atmosphere.hpp>

namespace parhelion::ega {

/// The air between two levels, written so that interpolation needs no division.
struct alignas(16) AirInterval {
  double altitude;           ///< of the lower level [m]
  double inverse_depth;      ///< [m-1]
  double pressure;           ///< at the lower level [Pa]
  double pressure_slope;     ///< of the logarithm [m-1]
  double temperature;        ///< at the lower level [K]
  double temperature_slope;  ///< [K m-1]
};

/// \brief Vertical profiles on a device. Level 0 is the lowest, interval i lies between levels i and i + 1.
template <KokkosExecutionSpace ExecutionSpace>
struct Atmosphere {
  Array<AirInterval const**, ExecutionSpace> air;            ///< (profile, interval)
  Array<double const***, ExecutionSpace> mixing_ratio;       ///< [1], (profile, gas, level)
  Array<double const***, ExecutionSpace> extinction;         ///< [m-1], (profile, window, level)
  Array<double const* [2], ExecutionSpace> range;            ///< lowest and highest altitude of a ray [m], (profile)
  Array<double const* [2], ExecutionSpace> cloud;            ///< height and depth [m], (profile); empty: no clouds
  Array<double const**, ExecutionSpace> cloud_extinction;    ///< [m-1], (profile, node)
  Array<double const*, ExecutionSpace> surface_temperature;  ///< [K], (profile), <= 0: the air's; empty: black surface
  Array<double const**, ExecutionSpace> surface_emissivity;  ///< [1], (profile, node)
  double longest_range = 0;                                  ///< largest difference of highest and lowest altitude [m]
  double highest = 0;                                        ///< largest highest altitude [m]

  KOKKOS_INLINE_FUNCTION int nprofile() const { return static_cast<int>(air.extent(0)); }
  KOKKOS_INLINE_FUNCTION int nlev() const { return static_cast<int>(air.extent(1)) + 1; }
  KOKKOS_INLINE_FUNCTION int ngas() const { return static_cast<int>(mixing_ratio.extent(1)); }
  KOKKOS_INLINE_FUNCTION int nwindow() const { return static_cast<int>(extinction.extent(1)); }
};

/// Where rays end in a profile: its lowest level, or the surface above it [m].
double lowest_altitude(HostAtmosphere const& atmosphere, int profile);

/// \brief Brings profiles that have been checked to a device. Fences.
template <KokkosExecutionSpace ExecutionSpace>
Atmosphere<ExecutionSpace> make_device_atmosphere(ExecutionSpace const& space, HostAtmosphere const& atmosphere);

/// \brief The interval that holds an altitude, looked for from `interval` on; the first and the last extrapolate.
KOKKOS_INLINE_FUNCTION int find_interval(AirInterval const* air, int intervals, double altitude, int interval) {
  while (interval > 0 && altitude < air[interval].altitude) --interval;
  while (interval < intervals - 1 && altitude >= air[interval + 1].altitude) ++interval;
  return interval;
}

}  // namespace parhelion::ega

#endif
