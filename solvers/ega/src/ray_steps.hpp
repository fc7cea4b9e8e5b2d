// SPDX-License-Identifier: BSD-3-Clause
// What tracing rays and its derivative share.
#ifndef PARHELION_EGA_RAY_STEPS_HPP
#define PARHELION_EGA_RAY_STEPS_HPP

#include <parhelion/ega/problem.hpp>
#include <parhelion/ega/rays.hpp>

namespace parhelion::ega::Impl {

inline RayOptions ray_options(ModelOptions const& options) {
  return {.refraction = options.refraction,
          .step = options.step,
          .vertical_step = options.vertical_step,
          .sunlight = options.surface == SurfaceType::sunlight,
          .solar_zenith_angle = options.solar_zenith_angle.value_or(-1)};
}

// Rays are walked in kilometres, as in the model's own code. A path of some hundred steps, each rounded to the last
// digit of a distance from the Earth's centre, is then rounded alike: results agree to 1e-12 instead of 1e-11.
inline constexpr double km = 1000;
inline constexpr double earth_radius = model::earth_radius / km;
/// Refraction is neglected above [km].
inline constexpr double highest_refraction = 60;
/// Distance over which the gradient of refractivity is a difference [km].
inline constexpr double probe = 0.02;
/// How closely the place where a ray enters the atmosphere is found [km].
inline constexpr double entry_width = 0.001;

/// The air of one profile, with the interval in which it was looked up last.
struct Air {
  AirInterval const* intervals;
  int n;
  int last = 0;

  KOKKOS_INLINE_FUNCTION AirInterval const& at(double altitude) {
    last = find_interval(intervals, n, altitude, last);
    return intervals[last];
  }

  /// Refractive index minus 1 at an altitude [km]: 7.753e-5 p[hPa] / T.
  KOKKOS_INLINE_FUNCTION double refractivity(double altitude) {
    AirInterval const& i = at(km * altitude);
    double const above = km * altitude - i.altitude;
    return 7.753e-7 * i.pressure * Kokkos::exp(i.pressure_slope * above) /
           (i.temperature + i.temperature_slope * above);
  }
};

KOKKOS_INLINE_FUNCTION double altitude_of(Vector3 const& at) { return norm(at) - earth_radius; }

}  // namespace parhelion::ega::Impl

#endif
