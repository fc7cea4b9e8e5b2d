// SPDX-License-Identifier: BSD-3-Clause
// Common parts of tracing rays and of its derivative.
#ifndef PARHELION_EGA_RAY_STEPS_HPP
#define PARHELION_EGA_RAY_STEPS_HPP

#include "rays.hpp"

#include <parhelion/core/lanes.hpp>

namespace parhelion::ega::Impl {

// Rays are traced in kilometres, as in JURASSIC, so that positions are rounded alike over some hundred steps: results
// then agree to 1e-12 instead of 1e-11.
inline constexpr double km = 1000;
inline constexpr double earth_radius = jurassic_constants::earth_radius / km;
/// Refraction is neglected above [km].
inline constexpr double highest_refraction = 60;
/// Distance of the differences for the gradient of refractivity [km].
inline constexpr double probe = 0.02;
/// Accuracy of the point at which a ray enters the atmosphere [km].
inline constexpr double entry_width = 0.001;

/// The air of one profile, with the interval that was used last, which is not read again as long as rays stay in it.
struct Air {
  AirInterval const* intervals;
  int n;
  int last = -1;
  AirInterval interval = {};
  double top = 0;  ///< altitude at which the next interval begins [m]

  /// The interval that contains an altitude [m], searched from the last one on; the first and the last of the profile
  /// extrapolate.
  KOKKOS_INLINE_FUNCTION AirInterval const& at(double altitude) {
    if (last < 0) use(0);
    while (last > 0 && altitude < interval.altitude) use(last - 1);
    while (last < n - 1 && altitude >= top) use(last + 1);
    return interval;
  }

  // All that is read is on its way at the same time.
  KOKKOS_INLINE_FUNCTION void use(int i) {
    last = i;
    interval = intervals[i];
    top = i < n - 1 ? intervals[i + 1].altitude : 1e300;
  }

  /// Refractive index minus 1 at an altitude [km]: 7.753e-5 p[hPa] / T.
  KOKKOS_INLINE_FUNCTION double refractivity(double altitude) {
    AirInterval const& i = at(km * altitude);
    double const above = km * altitude - i.altitude;
    return 7.753e-7 * i.pressure * Kokkos::exp(i.pressure_slope * above) /
           (i.temperature + i.temperature_slope * above);
  }

  /// \brief Differences of refractivity over `probe` along the axes, divided by it [km-1].
  ///
  /// The differences are so short that radius, pressure and temperature at their ends follow from those at `place` by
  /// series. If these are not exact to rounding, or in another interval, the ends are evaluated directly.
  KOKKOS_INLINE_FUNCTION Vector3 refractivity_gradient(Vector3 const& place) {
    double const square = dot(place, place);
    double const per_square = 1 / square;
    double const radius = Kokkos::sqrt(square);
    AirInterval const i = at(km * (radius - earth_radius));
    int const here = last;
    double const above = km * (radius - earth_radius) - i.altitude;
    double const per_temperature = 1 / (i.temperature + i.temperature_slope * above);
    double const refractive = 7.753e-7 * i.pressure * Kokkos::exp(i.pressure_slope * above) * per_temperature;
    double const depth = top - i.altitude;
    // Rise of the radius over `probe` [km], and what it changes: the logarithm of pressure, temperature in parts of it.
    struct Change {
      double rise, pressure, temperature;
      bool is_small;
    };
    auto const change_along = [&](double coordinate) {
      double const widening = probe * (2 * coordinate + probe) * per_square;
      double const rise = radius * widening * (0.5 - widening * (0.125 - widening * (0.0625 - widening * 0.0390625)));
      double const x = i.pressure_slope * (km * rise);
      double const t = i.temperature_slope * (km * rise) * per_temperature;
      double const end = above + km * rise;
      bool const inside = (end >= 0 || here == 0) && end < depth;
      return Change{rise, x, t, inside && Kokkos::fabs(x) <= 0.02 && Kokkos::fabs(t) <= 1e-3};
    };
    auto const by_series = [&](Change const& change) {
      double const x = change.pressure;
      double const t = change.temperature;
      double const denser = x * (1 + x * (1. / 2) * (1 + x * (1. / 3) * (1 + x * (1. / 4) * (1 + x * (1. / 5)))));
      return refractive * (denser - t) * (1 - t * (1 - t * (1 - t))) * (1 / probe);
    };
    Change const x = change_along(place.x);
    Change const y = change_along(place.y);
    Change const z = change_along(place.z);
    Vector3 gradient{by_series(x), by_series(y), by_series(z)};
    if (!(x.is_small && y.is_small && z.is_small)) {
      // Rare: one copy of this code, away from that of every step.
      PARHELION_DO_NOT_UNROLL
      for (int axis = 0; axis < 3; ++axis) {
        Change const change = change_along(axis == 0 ? place.x : axis == 1 ? place.y : place.z);
        if (change.is_small) continue;
        (axis == 0   ? gradient.x
         : axis == 1 ? gradient.y
                     : gradient.z) = (refractivity(radius - earth_radius + change.rise) - refractive) / probe;
      }
    }
    return gradient;
  }
};

KOKKOS_INLINE_FUNCTION double altitude_of(Vector3 const& at) { return norm(at) - earth_radius; }

}  // namespace parhelion::ega::Impl

#endif
