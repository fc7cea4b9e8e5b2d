// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of radiances with respect to refraction.
#ifndef PARHELION_EGA_ADJOINT_PATH_HPP
#define PARHELION_EGA_ADJOINT_PATH_HPP

#include "adjoint_kernels.hpp"
#include "ray_steps.hpp"

#include <parhelion/ega/derivatives.hpp>

namespace parhelion::ega::Impl {

/// Derivatives of the refractivity at a point.
struct RefractivitySlopes {
  int level;              ///< level below the point
  double by_altitude;     ///< [km-1]
  double by_pressure[2];  ///< at the levels below and above [Pa-1]
  double by_temperature[2];
};

KOKKOS_INLINE_FUNCTION RefractivitySlopes refractivity_slopes(Air& air, double altitude) {
  double const value = air.refractivity(altitude);
  AirInterval const& i = air.interval;
  double const above = km * altitude - i.altitude;
  double const weight = above * i.inverse_depth;
  double const per_kelvin = 1 / (i.temperature + i.temperature_slope * above);
  // The pressure at the upper level.
  double const upper = i.pressure * Kokkos::exp(i.pressure_slope / i.inverse_depth);
  return {.level = air.last,
          .by_altitude = km * value * (i.pressure_slope - i.temperature_slope * per_kelvin),
          .by_pressure = {value * (1 - weight) / i.pressure, value * weight / upper},
          .by_temperature = {-value * (1 - weight) * per_kelvin, -value * weight * per_kelvin}};
}

/// `pack` interleaved vectors: derivatives of `pack` radiances with respect to a position or direction.
template <int pack>
struct Vectors {
  double x[pack], y[pack], z[pack];

  KOKKOS_INLINE_FUNCTION void clear() {
    for (int l = 0; l < pack; ++l) x[l] = y[l] = z[l] = 0;
  }
  KOKKOS_INLINE_FUNCTION double dot(int l, Vector3 const& a) const { return x[l] * a.x + y[l] * a.y + z[l] * a.z; }
  KOKKOS_INLINE_FUNCTION void add(int l, double factor, Vector3 const& a) {
    x[l] += factor * a.x;
    y[l] += factor * a.y;
    z[l] += factor * a.z;
  }
  KOKKOS_INLINE_FUNCTION void add(int l, double factor, Vectors const& a) {
    x[l] += factor * a.x[l];
    y[l] += factor * a.y[l];
    z[l] += factor * a.z[l];
  }
  KOKKOS_INLINE_FUNCTION void scale(int l, double factor) {
    x[l] *= factor;
    y[l] *= factor;
    z[l] *= factor;
  }
};

/// \brief trace_rays in reverse: goes back along one ray in `pack` channels.
///
/// It takes the derivatives with respect to altitudes of points and lengths of segments, and adds those with respect
/// to pressure and temperature due to refraction. The begin of a ray does not depend on the atmosphere.
template <class Space, Floating Real, int pack>
struct ReturnAlongPath {
  Model<Space, Real> model;
  AirProfiles<Space> atmosphere;
  Observation<Space> observation;
  Rays<Space> rays;
  RayOptions options;
  int first;  ///< index of the first ray of the batch
  WorkspaceArray<Real****, Space> segment;
  WorkspaceArray<Real**, Space> sun;
  Array<Real****, Space> derivative;  ///< of all rays, see SpectraDerivatives

  KOKKOS_FUNCTION void operator()(int item) const {
    int const packs = model.nblock() * model.tables.lanes / pack;
    int const ray = item / packs;
    int const channel = item % packs * pack;
    int const left = model.nchannel - channel;
    int const live = left < pack ? left : pack;
    int const n = rays.summary(ray).npoint;
    if (n < 2 || live <= 0) return;
    int const profile = observation.profile.size() > 0 ? observation.profile(first + ray) : 0;
    Air air{&atmosphere.air(profile, 0), static_cast<int>(atmosphere.air.extent(1))};
    // Derivatives with respect to position and direction of the ray at some point.
    Vectors<pack> place;
    Vectors<pack> direction;
    Vectors<pack> before_boundary;
    return_from_boundary(ray, n, profile, channel, place, direction, before_boundary);
    for (int i = n - 2; i >= 0; --i) {
      bool const to_boundary = i == n - 2;
      double by_length_of_step[pack];
      for (int l = 0; l < pack; ++l) by_length_of_step[l] = to_boundary ? 0 : by_step(ray, i, channel + l);
      return_step(ray, i, channel, live, air, place, direction, by_length_of_step);
      Vector3 const at = rays.step(ray, i).at;
      double const inverse = 1 / norm(at);
      for (int l = 0; l < pack; ++l) {
        place.add(l, km * segment(ray, i, by_altitude, channel + l) * inverse, at);
        if (to_boundary) place.add(l, 1, before_boundary);
      }
    }
  }

 private:
  /// Derivative with respect to the length of the step from a point, of which two segments have half each [km-1].
  KOKKOS_INLINE_FUNCTION double by_step(int ray, int i, int channel) const {
    return km * 0.5 *
           (static_cast<double>(segment(ray, i, by_length, channel)) + segment(ray, i + 1, by_length, channel));
  }

  /// The length of a step depends on position and direction if the vertical step limits it.
  KOKKOS_INLINE_FUNCTION void return_length(RayStep const& step, int l, double by_length_of_step, Vectors<pack>& place,
                                            Vectors<pack>& direction) const {
    if (step.length == options.step / km) return;
    double const by_logarithm = by_length_of_step * step.length;
    double const inverse = 1 / dot(step.at, step.direction);
    place.add(l, by_logarithm / dot(step.at, step.at), step.at);
    place.add(l, -by_logarithm * inverse, step.direction);
    direction.add(l, -by_logarithm * inverse, step.at);
  }

  /// \brief From the last point, which was moved to the boundary, to its position before that.
  /// \param before_boundary derivative with respect to the last point but one, through the position of the boundary
  ///                        point
  KOKKOS_INLINE_FUNCTION void return_from_boundary(int ray, int n, int profile, int channel, Vectors<pack>& place,
                                                   Vectors<pack>& direction, Vectors<pack>& before_boundary) const {
    RayStep const inside = rays.step(ray, n - 2);
    RayStep const outside = rays.step(ray, n - 1);
    double const boundary = atmosphere.range(profile, rays.summary(ray).surface ? 0 : 1) / km;
    double const altitude = altitude_of(inside.at);
    double const rise = altitude_of(outside.at) - altitude;
    double const fraction = (boundary - altitude) / rise;
    Vector3 const chord = outside.at - inside.at;
    Vector3 const at = inside.at + fraction * chord;
    double const inverse = 1 / norm(at);
    Vector3 const by_sun = rays.summary(ray).sun != 0
                               ? sun_slope(rays.step(ray, 0).at, at, observation.time(first + ray))
                               : Vector3{0, 0, 0};
    Vectors<pack> end;
    place.clear();
    direction.clear();
    before_boundary.clear();
    end.clear();
    for (int l = 0; l < pack; ++l) {
      end.add(l, km * segment(ray, n - 1, by_altitude, channel + l) * inverse, at);
      end.add(l, sun(ray, channel + l), by_sun);
      double const by_step_before = by_step(ray, n - 2, channel + l);
      double const by_fraction = (by_step_before * outside.length + end.dot(l, chord)) / rise;
      place.add(l, fraction, end);
      place.add(l, -by_fraction * fraction / norm(outside.at), outside.at);
      return_length(outside, l, by_step_before * fraction, place, direction);
      before_boundary.add(l, 1 - fraction, end);
      before_boundary.add(l, -by_fraction * (1 - fraction) / norm(inside.at), inside.at);
    }
  }

  /// Derivative of RaySummary::sun with respect to the end of the ray [km-1].
  KOKKOS_INLINE_FUNCTION Vector3 sun_slope(Vector3 const& begin, Vector3 const& at, double time) const {
    double const radian = Kokkos::numbers::pi_v<double> / 180;
    Vector3 const back = begin - at;
    double const radius = norm(at);
    double const distance = norm(back);
    double const incidence = dot(at, back) / radius / distance;
    Vector3 const slope = 1 / (radius * distance) * (back - at) - incidence / (radius * radius) * at +
                          incidence / (distance * distance) * back;
    if (options.solar_zenith_angle >= 0) return 1 / Kokkos::cos(options.solar_zenith_angle * radian) * slope;
    // The cosine of the solar zenith angle is the scalar product of the directions of the point and the sun.
    Vector3 const to_sun{Kokkos::cos(radian * solar_zenith_angle(time, 0, 0)),
                         Kokkos::cos(radian * solar_zenith_angle(time, 90, 0)),
                         Kokkos::cos(radian * solar_zenith_angle(time, 0, 90))};
    double const cosine = dot(to_sun, at) / radius;
    Vector3 const cosine_slope = 1 / radius * to_sun - cosine / (radius * radius) * at;
    return 1 / cosine * slope - incidence / (cosine * cosine) * cosine_slope;
  }

  /// \brief From the point behind a step to that before it.
  /// \param by_length_of_step derivative with respect to the length of the step, from the segments
  KOKKOS_INLINE_FUNCTION void return_step(int ray, int i, int channel, int live, Air& air, Vectors<pack>& place,
                                          Vectors<pack>& direction, double* by_length_of_step) const {
    RayStep const step = rays.step(ray, i);
    Vector3 const next = rays.step(ray, i + 1).direction;
    double const half = step.length / 2;
    double const index = 1 + step.refractivity;
    Vector3 const mean = 0.5 * (step.direction + next);
    double const inverse = 1 / norm(index * step.direction + step.length * step.gradient);
    Vectors<pack> turned;
    for (int l = 0; l < pack; ++l) {
      direction.add(l, half, place);
      double const along = direction.dot(l, next);
      turned.x[l] = inverse * (direction.x[l] - along * next.x);
      turned.y[l] = inverse * (direction.y[l] - along * next.y);
      turned.z[l] = inverse * (direction.z[l] - along * next.z);
      by_length_of_step[l] += place.dot(l, mean) + turned.dot(l, step.gradient);
      direction.x[l] = half * place.x[l] + index * turned.x[l];
      direction.y[l] = half * place.y[l] + index * turned.y[l];
      direction.z[l] = half * place.z[l] + index * turned.z[l];
    }
    if (step.refractivity > 0)
      return_refraction(ray, step, channel, live, air, turned, place, direction, by_length_of_step);
    for (int l = 0; l < pack; ++l) return_length(step, l, by_length_of_step[l], place, direction);
  }

  /// From refractivity and its gradient to pressure, temperature and the positions at which they are evaluated.
  KOKKOS_INLINE_FUNCTION void return_refraction(int ray, RayStep const& step, int channel, int live, Air& air,
                                                Vectors<pack> const& turned, Vectors<pack>& place,
                                                Vectors<pack>& direction, double* by_length_of_step) const {
    double const half = step.length / 2;
    double const factor = step.length / probe;
    Vector3 const ahead = step.at + half * step.direction;
    double by_refractivity[pack];
    Vectors<pack> by_ahead;
    by_ahead.clear();
    double const radius = norm(step.at);
    auto const here = refractivity_slopes(air, radius - earth_radius);
    for (int l = 0; l < pack; ++l) {
      by_refractivity[l] = turned.dot(l, step.direction);
      place.add(l, by_refractivity[l] * here.by_altitude / radius, step.at);
    }
    add_to_levels(ray, channel, live, here, by_refractivity);
    // The midpoint and three points that are displaced slightly along the axes.
    for (int axis = -1; axis < 3; ++axis) {
      Vector3 at = ahead;
      if (axis == 0) at.x += probe;
      if (axis == 1) at.y += probe;
      if (axis == 2) at.z += probe;
      double const distance = norm(at);
      auto const there = refractivity_slopes(air, distance - earth_radius);
      for (int l = 0; l < pack; ++l) {
        double const by_gradient = axis == 0   ? turned.x[l]
                                   : axis == 1 ? turned.y[l]
                                   : axis == 2 ? turned.z[l]
                                               : -(turned.x[l] + turned.y[l] + turned.z[l]);
        by_refractivity[l] = factor * by_gradient;
        by_ahead.add(l, by_refractivity[l] * there.by_altitude / distance, at);
      }
      add_to_levels(ray, channel, live, there, by_refractivity);
    }
    for (int l = 0; l < pack; ++l) {
      place.add(l, 1, by_ahead);
      direction.add(l, half, by_ahead);
      by_length_of_step[l] += 0.5 * by_ahead.dot(l, step.direction);
    }
  }

  KOKKOS_INLINE_FUNCTION void add_to_levels(int ray, int channel, int live, RefractivitySlopes const& slopes,
                                            double const* by_refractivity) const {
    for (int side = 0; side < 2; ++side) {
      Real* const pressure = &derivative(first + ray, derivative_row::pressure, slopes.level + side, channel);
      Real* const temperature = &derivative(first + ray, derivative_row::temperature, slopes.level + side, channel);
      for (int l = 0; l < live; ++l) {
        pressure[l] += static_cast<Real>(by_refractivity[l] * slopes.by_pressure[side]);
        temperature[l] += static_cast<Real>(by_refractivity[l] * slopes.by_temperature[side]);
      }
    }
  }
};

}  // namespace parhelion::ega::Impl

#endif
