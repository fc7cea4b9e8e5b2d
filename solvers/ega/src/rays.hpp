// SPDX-License-Identifier: BSD-3-Clause
// Traced rays through the atmosphere.
#ifndef PARHELION_EGA_RAYS_HPP
#define PARHELION_EGA_RAYS_HPP

#include "air_profiles.hpp"

#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>
#include <parhelion/ega/geometry.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>
#include <parhelion/ega/spectra.hpp>

namespace parhelion::ega::Impl {

/// A point of a ray, which represents the segment around it.
struct alignas(16) RayPoint {
  double pressure;     ///< [Pa]
  double temperature;  ///< [K]
  double length;       ///< of the segment [m]
  double position;     ///< interval of the atmosphere plus the fraction of its depth; outside of the levels below 0 or
                       ///< above the last level
};

/// \brief The step of a ray from a point to the next, for derivatives of the path. In kilometres.
///
/// That of the last point is the one before the point was moved to the boundary.
struct RayStep {
  Vector3 at;
  Vector3 direction;
  double length;        ///< length of the step
  double refractivity;  ///< 0 if refraction is neglected or the ray has ended
  Vector3 gradient;     ///< gradient of refractivity [km-1]; likewise
};

/// The summary of a traced ray.
struct RaySummary {
  int npoint;                  ///< number of points, see Spectra::npoint
  bool surface;                ///< whether it ends at the surface
  double surface_temperature;  ///< of the air there [K]
  double sun;                  ///< cosine of incidence over that of the solar zenith angle; 0: no sun
  Place tangent;               ///< tangent point
};

/// \brief Rays that have been traced. Point 0 is next to the observer.
template <KokkosExecutionSpace ExecutionSpace>
struct Rays {
  WorkspaceArray<RayPoint**, ExecutionSpace> point = {};     ///< (ray, point)
  WorkspaceArray<RaySummary*, ExecutionSpace> summary = {};  ///< (ray)
  /// Cartesian coordinates [m], (ray, point, axis); empty: not stored.
  WorkspaceArray<double***, ExecutionSpace> place = {};
  WorkspaceArray<RayStep**, ExecutionSpace> step = {};  ///< (ray, point); empty: not stored

  KOKKOS_INLINE_FUNCTION int nray() const { return static_cast<int>(summary.extent(0)); }
};

/// How rays are traced.
struct RayOptions {
  bool refraction = true;
  double step = 10e3;              ///< longest step [m], > 0
  double vertical_step = 100;      ///< longest vertical step [m]; 0: no limit
  bool sunlight = false;           ///< whether RaySummary::sun is computed
  double solar_zenith_angle = -1;  ///< [degree]; below 0: from time and place
};

/// The options of a model that affect rays.
inline RayOptions ray_options(ModelOptions const& options) {
  return {.refraction = options.refraction,
          .step = options.step,
          .vertical_step = options.vertical_step,
          .sunlight = options.surface == SurfaceType::sunlight,
          .solar_zenith_angle = options.solar_zenith_angle.value_or(-1)};
}

/// \brief The largest number of points of a ray, see max_points().
/// \param options the steps along rays are used
/// \param range   largest difference of altitudes in a profile [m]
/// \param highest highest altitude [m]
int max_points(ModelOptions const& options, double range, double highest);

/// Stores the summary of a ray in the spectra.
template <class Space, Floating Real>
KOKKOS_INLINE_FUNCTION void store_summary(Spectra<Space, Real> const& spectra, int ray, RaySummary const& summary) {
  spectra.npoint(ray) = summary.npoint;
  spectra.tangent.altitude(ray) = summary.tangent.altitude;
  spectra.tangent.longitude(ray) = summary.tangent.longitude;
  spectra.tangent.latitude(ray) = summary.tangent.latitude;
}

/// \brief Traces rays through the atmosphere with steps along the tangent of the ray.
///
/// The Eikonal equation is solved as in Hase & Hoepfner (1999), doi:10.1364/AO.38.003129. Segments follow the
/// trapezoidal rule. A ray begins where it enters the atmosphere.
/// \param space       execution space instance; work is enqueued there and not fenced
/// \param atmosphere  profiles
/// \param observation begin and direction of rays
/// \param options     how rays are traced
/// \param first       index of the ray of the observation that is ray 0 of the result
/// \param rays        overwritten; as many rays as it can hold and the observation has
template <KokkosExecutionSpace ExecutionSpace>
void trace_rays(ExecutionSpace const& space, AirProfiles<ExecutionSpace> const& atmosphere,
                Observation<ExecutionSpace> const& observation, RayOptions const& options, int first,
                Rays<ExecutionSpace> const& rays);

}  // namespace parhelion::ega::Impl

#endif
