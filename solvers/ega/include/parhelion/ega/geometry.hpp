// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_GEOMETRY_HPP
#define PARHELION_EGA_GEOMETRY_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

namespace parhelion::ega {

/// A position or direction in Cartesian coordinates: origin at the centre of the Earth, x towards 0 N 0 E, z towards
/// the north pole. Positions are in metres.
struct Vector3 {
  double x, y, z;

  KOKKOS_INLINE_FUNCTION friend Vector3 operator+(Vector3 const& a, Vector3 const& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  KOKKOS_INLINE_FUNCTION friend Vector3 operator-(Vector3 const& a, Vector3 const& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  KOKKOS_INLINE_FUNCTION friend Vector3 operator*(double s, Vector3 const& a) { return {s * a.x, s * a.y, s * a.z}; }
  KOKKOS_INLINE_FUNCTION friend double dot(Vector3 const& a, Vector3 const& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
  }
  KOKKOS_INLINE_FUNCTION friend double norm(Vector3 const& a) { return Kokkos::sqrt(dot(a, a)); }
};

/// \brief From altitude [m], longitude and latitude [degree] to Cartesian coordinates [m].
/// \param altitude     above the mean radius of the Earth
/// \param longitude    degrees east
/// \param latitude     degrees north
/// \param earth_radius in the unit of altitude and coordinates
KOKKOS_INLINE_FUNCTION Vector3 to_cartesian(double altitude, double longitude, double latitude,
                                            double earth_radius = jurassic_constants::earth_radius) {
  double const radian = Kokkos::numbers::pi_v<double> / 180;
  double const radius = earth_radius + altitude;
  double const across = radius * Kokkos::cos(latitude * radian);
  return {across * Kokkos::cos(longitude * radian), across * Kokkos::sin(longitude * radian),
          radius * Kokkos::sin(latitude * radian)};
}

/// A place above the sphere.
struct Place {
  double altitude;   ///< [m]
  double longitude;  ///< [degree east]
  double latitude;   ///< [degree north]
};

/// \brief From Cartesian coordinates to altitude, longitude and latitude.
KOKKOS_INLINE_FUNCTION Place to_place(Vector3 const& at, double earth_radius = jurassic_constants::earth_radius) {
  double const degree = 180 / Kokkos::numbers::pi_v<double>;
  double const radius = norm(at);
  return {radius - earth_radius, Kokkos::atan2(at.y, at.x) * degree, Kokkos::asin(at.z / radius) * degree};
}

/// \brief Solar zenith angle from time and place, after the standard low-precision ephemeris (Astronomical Almanac,
///        page C24; about 0.01 degree between 1950 and 2050).
/// \param time      [s] since 2000-01-01T00:00Z
/// \param longitude [degree east]
/// \param latitude  [degree north]
/// \return [degree], 0 to 180
KOKKOS_INLINE_FUNCTION double solar_zenith_angle(double time, double longitude, double latitude) {
  double const radian = Kokkos::numbers::pi_v<double> / 180;
  // Days since noon of 2000-01-01. Expressions and numbers also: U.S. Naval Observatory, "Computing approximate solar
  // coordinates" and "Approximate sidereal time".
  double const days = time / 86400 - 0.5;
  double const mean_anomaly = (357.529 + 0.98560028 * days) * radian;
  double const mean_longitude = 280.459 + 0.98564736 * days;
  double const ecliptic_longitude =
      (mean_longitude + 1.915 * Kokkos::sin(mean_anomaly) + 0.020 * Kokkos::sin(2 * mean_anomaly)) * radian;
  double const obliquity = (23.439 - 0.00000036 * days) * radian;
  double const sine_declination = Kokkos::sin(obliquity) * Kokkos::sin(ecliptic_longitude);
  double const cosine_declination = Kokkos::sqrt(1 - sine_declination * sine_declination);
  double const right_ascension =
      Kokkos::atan2(Kokkos::cos(obliquity) * Kokkos::sin(ecliptic_longitude), Kokkos::cos(ecliptic_longitude));
  double const sidereal_hours = 18.697374558 + 24.06570982441908 * days + longitude / 15;
  double const hour_angle = sidereal_hours * 15 * radian - right_ascension;
  double const cosine = Kokkos::sin(latitude * radian) * sine_declination +
                        Kokkos::cos(latitude * radian) * cosine_declination * Kokkos::cos(hour_angle);
  return Kokkos::acos(Kokkos::fmin(1., Kokkos::fmax(-1., cosine))) / radian;
}

}  // namespace parhelion::ega

#endif
