// SPDX-License-Identifier: BSD-3-Clause
#include "rays.hpp"

#include "ray_steps.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/machine.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <algorithm>
#include <cmath>

namespace parhelion::ega {

int max_points(ModelOptions const& options, HostAtmosphere const& atmosphere) {
  double range = 0;
  double highest = 0;
  for (int p = 0; p < atmosphere.nprofile(); ++p) {
    double const top = atmosphere.altitude(p, atmosphere.nlev() - 1);
    range = std::max(range, top - lowest_altitude(atmosphere, p));
    highest = std::max(highest, top);
  }
  return Impl::max_points(options, range, highest);
}

namespace Impl {

int max_points(ModelOptions const& options, double range, double highest) {
  double const inner = jurassic_constants::earth_radius + highest - range;
  double const outer = jurassic_constants::earth_radius + highest;
  double const chord = 2 * std::sqrt(std::max(0., outer * outer - inner * inner));
  double points = 8 + 1.1 * chord / options.step;
  if (options.vertical_step > 0) points += 2.1 * range / options.vertical_step;
  return static_cast<int>(std::min(points, 1e8));
}

namespace {

KOKKOS_INLINE_FUNCTION Place place_of(Vector3 const& at) {
  Place place = to_place(at, earth_radius);
  place.altitude *= km;
  return place;
}

/// A point of the ray, for finding the tangent point.
struct Passed {
  Vector3 at;
  double altitude;
  double step;
};

/// The lowest point of the parabola through three points of a ray, with the abscissae of JURASSIC.
KOKKOS_INLINE_FUNCTION Place tangent_point(Passed const& before, Passed const& lowest, Passed const& after) {
  double const square1 =
      lowest.step * lowest.step - (lowest.altitude - before.altitude) * (lowest.altitude - before.altitude);
  double const square2 =
      after.step * after.step - (after.altitude - lowest.altitude) * (after.altitude - lowest.altitude);
  // A last step of length 0 defines no parabola.
  if (!(square1 > 0 && square2 > 0)) return place_of(lowest.at);
  double const x1 = Kokkos::sqrt(square1);
  double const x2 = x1 + Kokkos::sqrt(square2);
  double const a =
      1 / (x1 - x2) * (-(before.altitude - lowest.altitude) / x1 + (before.altitude - after.altitude) / x2);
  double const b = -(before.altitude - lowest.altitude) / x1 - a * x1;
  double const x = -b / (2 * a);
  Place place = place_of(before.at + (x / x2) * (after.at - before.at));
  place.altitude = km * (a * x * x + b * x + before.altitude);
  return place;
}

template <class Space>
struct TraceRays {
  AirProfiles<Space> atmosphere;
  Observation<Space> observation;
  RayOptions options;
  int first;
  Rays<Space> rays;
  int spacing = 1;  ///< of threads that have a ray

  KOKKOS_INLINE_FUNCTION void operator()(int item) const {
    int const ray = item / spacing;
    if (ray * spacing == item) trace(ray);
  }

  KOKKOS_INLINE_FUNCTION void trace(int ray) const {
    int const index = first + ray;
    int const profile = observation.profile.size() > 0 ? observation.profile(index) : 0;
    double const lowest = atmosphere.range(profile, 0) / km;
    double const highest = atmosphere.range(profile, 1) / km;
    Air air{&atmosphere.air(profile, 0), static_cast<int>(atmosphere.air.extent(1))};

    RaySummary summary{.npoint = 0,
                       .surface = false,
                       .surface_temperature = 0,
                       .sun = 0,
                       .tangent = {observation.view_point.altitude(index), observation.view_point.longitude(index),
                                   observation.view_point.latitude(index)}};
    auto const is_finite = [&](auto const& places) {
      return Kokkos::isfinite(places.altitude(index)) && Kokkos::isfinite(places.longitude(index)) &&
             Kokkos::isfinite(places.latitude(index));
    };
    if (!Kokkos::isfinite(observation.time(index)) || !is_finite(observation.observer) ||
        !is_finite(observation.view_point)) {
      summary.npoint = -1;
      rays.summary(ray) = summary;
      return;
    }
    if (summary.tangent.altitude > km * highest) {
      rays.summary(ray) = summary;
      return;
    }

    auto const cartesian = [&](auto const& places) {
      return to_cartesian(places.altitude(index) / km, places.longitude(index), places.latitude(index), earth_radius);
    };
    Vector3 const observer = cartesian(observation.observer);
    Vector3 const aim = cartesian(observation.view_point) - observer;
    double const distance = norm(aim);
    if (!(distance > 0 && Kokkos::isfinite(distance))) {  // no direction
      summary.npoint = -1;
      rays.summary(ray) = summary;
      return;
    }
    Vector3 direction = (1 / distance) * aim;
    Vector3 at = observer;
    if (observation.observer.altitude(index) > km * highest) {
      double near = 0;
      double far = distance;
      while (far - near > entry_width) {
        double const middle = (near + far) / 2;
        // Far away, neighbouring floating-point numbers are further apart than that.
        if (!(middle > near && middle < far)) break;
        at = observer + middle * direction;
        double const altitude = altitude_of(at);
        if (altitude <= highest && altitude > highest - entry_width) break;
        if (altitude < highest - entry_width / 2)
          far = middle;
        else
          near = middle;
      }
    }

    double const longest_step = options.step / km;
    double const vertical_step = options.vertical_step / km;
    int const room = static_cast<int>(rays.point.extent(1));
    bool const keep_place = rays.place.size() > 0;
    bool const keep_step = rays.step.size() > 0;
    Vector3 const begin = at;
    // The last point is stored once the length of its segment is known.
    RayPoint waiting{};
    double step_before = 0;
    Passed passed1{};  // the last point, and the one before it
    Passed passed0{};
    Passed low0{};
    Passed low1{};
    Passed low2{};
    int lowest_point = -1;
    double lowest_altitude = 0;
    int n = 0;
    for (;;) {
      // The step from this point.
      double const radius = norm(at);
      double step = longest_step;
      if (vertical_step > 0) {
        double const cosine = Kokkos::fabs(dot(direction, at)) / radius;
        if (cosine > 0 && vertical_step < step * cosine) step = vertical_step / cosine;
      }
      double altitude = radius - earth_radius;
      bool const below = altitude < lowest;
      bool const last = below || altitude > highest;
      if (keep_step && n < room) rays.step(ray, n) = {at, direction, step, 0, {0, 0, 0}};
      double previous_step = passed1.step;
      if (last) {
        if (n > 0) {
          double const fraction = ((below ? lowest : highest) - passed1.altitude) / (altitude - passed1.altitude);
          at = passed1.at + fraction * (at - passed1.at);
          altitude = altitude_of(at);
          previous_step = fraction * step;
        }
        step = 0;
      }
      if (n == room) {
        n = -1;
        break;
      }
      AirInterval const& interval = air.at(km * altitude);
      double const above = km * altitude - interval.altitude;
      if (n > 0) {
        waiting.length = km * (n > 1 ? (step_before + previous_step) / 2 : previous_step / 2);
        rays.point(ray, n - 1) = waiting;
      }
      waiting = {.pressure = interval.pressure * Kokkos::exp(interval.pressure_slope * above),
                 .temperature = interval.temperature + interval.temperature_slope * above,
                 .length = 0,
                 .position = air.last + above * interval.inverse_depth};
      if (keep_place) {
        rays.place(ray, n, 0) = km * at.x;
        rays.place(ray, n, 1) = km * at.y;
        rays.place(ray, n, 2) = km * at.z;
      }
      // The lowest point so far, and its neighbours once the ray rises from there.
      passed1.step = previous_step;
      if (last && lowest_point == n - 2) low2.step = previous_step;
      Passed const here{at, altitude, step};
      bool const falls = n == 0 || altitude < lowest_altitude;
      if (!falls && lowest_point == n - 1) {
        low0 = passed0;
        low1 = passed1;
        low2 = here;
      }
      if (falls) {
        lowest_point = n;
        lowest_altitude = altitude;
      }
      passed0 = passed1;
      passed1 = here;
      step_before = previous_step;
      ++n;
      if (last) {
        waiting.length = km * (n > 1 ? previous_step / 2 : 0);
        rays.point(ray, n - 1) = waiting;
        summary.surface = below;
        summary.surface_temperature = waiting.temperature;
        break;
      }

      // To the next point.
      double refractive_index = 1;
      Vector3 gradient{0, 0, 0};
      if (options.refraction && altitude <= highest_refraction) {
        refractive_index += 7.753e-7 * waiting.pressure / waiting.temperature;
        Vector3 const ahead = at + (step / 2) * direction;
        gradient = air.refractivity_gradient(ahead);
        if (keep_step) {
          rays.step(ray, n - 1).refractivity = refractive_index - 1;
          rays.step(ray, n - 1).gradient = gradient;
        }
      }
      Vector3 const turned = refractive_index * direction + step * gradient;
      Vector3 const next = (1 / norm(turned)) * turned;
      at = at + (step / 2) * (direction + next);
      direction = next;
    }
    summary.npoint = n;
    if (n > 0) {
      summary.tangent =
          lowest_point > 0 && lowest_point < n - 1 ? tangent_point(low0, low1, low2) : place_of(passed1.at);
      if (summary.surface && options.sunlight) {
        Place const foot = place_of(passed1.at);
        double const zenith_angle = options.solar_zenith_angle >= 0
                                        ? options.solar_zenith_angle
                                        : solar_zenith_angle(observation.time(index), foot.longitude, foot.latitude);
        if (zenith_angle < 89.999) {
          Vector3 const back = begin - passed1.at;
          double const incidence = dot(passed1.at, back) / norm(passed1.at) / norm(back);
          summary.sun = incidence / Kokkos::cos(zenith_angle * Kokkos::numbers::pi_v<double> / 180);
        }
      }
    }
    rays.summary(ray) = summary;
  }
};

}  // namespace

template <KokkosExecutionSpace Space>
void trace_rays(Space const& space, AirProfiles<Space> const& atmosphere, Observation<Space> const& observation,
                RayOptions const& options, int first, Rays<Space> const& rays) {
  int const n = std::min(rays.nray(), observation.nray() - first);
  using Machine = MachineTraits<Space>;
  constexpr int threads = 128;
  auto const launch = [&]<int blocks>(int spacing) {
    Kokkos::parallel_for(
        "parhelion::ega::trace_rays",
        Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::LaunchBounds<threads, blocks>>(
            space, 0, n * spacing),
        TraceRays<Space>{atmosphere, observation, options, first, rays, spacing});
  };
  constexpr int blocks = teams_per_multiprocessor<Machine>(threads, 128);
  if constexpr (runs_on_host<Space>) {
    launch.template operator()<blocks>(1);
  } else {
    // Threads in step wait for each other where the ray of one needs more work for a step. So a few rays have threads
    // without rays between them, where the device has room; with more than that many apart there is no gain. They
    // also have as many registers as they can use, as each of them waits for all that it does.
    constexpr int widest = Machine::lanes / 4;
    constexpr int few_blocks = teams_per_multiprocessor<Machine>(threads, 192);
    int const room = space.concurrency() / Machine::resident_threads * threads;  // threads for each block
    int const spacing = std::clamp(room * blocks / std::max(n, 1), 1, widest);
    if (n * spacing <= room * few_blocks)
      launch.template operator()<few_blocks>(spacing);
    else
      launch.template operator()<blocks>(spacing);
  }
}

#define PARHELION_IMPL_INSTANTIATE(SPACE)                                                                              \
  template void trace_rays(SPACE const&, AirProfiles<SPACE> const&, Observation<SPACE> const&, RayOptions const&, int, \
                           Rays<SPACE> const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace Impl

}  // namespace parhelion::ega
