// SPDX-License-Identifier: BSD-3-Clause
// Properties of spectra without reference data: closed forms, symmetries, and options that must not change results.
#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/ega/forward_model.hpp>
#include <parhelion/ega/host_ega.hpp>

#include "comparisons.hpp"
#include "kokkos_manners.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

constexpr double pi = 3.14159265358979323846;

template <class P>
struct EgaForward : testing::Test {
  using Space = typename P::ExecutionSpace;
  using Real = typename P::Real;

  /// Rounding of one operation.
  static constexpr double ulp = std::numeric_limits<Real>::epsilon();

  static HostEgaOptions options() {
    return {.space = Space::name(), .precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64};
  }
  static HostSpectra solve(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& rays) {
    return compute_spectra(problem, atmosphere, rays, options());
  }
};

TYPED_TEST_SUITE(EgaForward, SpacesAndReals, PairName);

/// To the last bit.
void expect_same(HostSpectra const& a, HostSpectra const& b, std::string const& what = {}) {
  EXPECT_TRUE(same_bits(a.radiance, b.radiance)) << what << " radiance";
  EXPECT_TRUE(same_bits(a.transmittance, b.transmittance)) << what << " transmittance";
  for (std::size_t r = 0; r < a.npoint.extent(0); ++r) {
    EXPECT_EQ(a.tangent.altitude(r), b.tangent.altitude(r)) << what;
    EXPECT_EQ(a.tangent.longitude(r), b.tangent.longitude(r)) << what;
    EXPECT_EQ(a.tangent.latitude(r), b.tangent.latitude(r)) << what;
    EXPECT_EQ(a.npoint(r), b.npoint(r)) << what;
  }
}

/// Radiances relative to the largest of their channel, transmittances absolutely.
void expect_near(HostSpectra const& a, HostSpectra const& b, double tolerance, std::string const& what = {}) {
  for (std::size_t c = 0; c < a.radiance.extent(1); ++c) {
    double largest = 0;
    for (std::size_t r = 0; r < a.radiance.extent(0); ++r) largest = std::max(largest, b.radiance(r, c));
    for (std::size_t r = 0; r < a.radiance.extent(0); ++r) {
      EXPECT_NEAR(a.radiance(r, c), b.radiance(r, c), tolerance * largest) << what << " at " << r << ", " << c;
      EXPECT_NEAR(a.transmittance(r, c), b.transmittance(r, c), tolerance) << what << " at " << r << ", " << c;
    }
  }
}

double planck(double wavenumber, double temperature) {
  return jurassic_constants::first_radiation * std::pow(wavenumber, 3) /
         std::expm1(jurassic_constants::second_radiation * wavenumber / temperature);
}

/// A temperature that source tables have.
double source_node(int i) { return source_first_temperature + 300. / 1199 * i; }

double length_of(HostLineOfSight const& sight) {
  double sum = 0;
  for (double const length : sight.length) sum += length;
  return sum;
}

HostObservation limb_and_nadir() { return joined({limb_rays({5e3, 17e3, 33e3, 55e3}), nadir_rays({0, 4, 9})}); }

void set_surface(HostAtmosphere& a, double altitude, double temperature, std::vector<double> const& emissivity) {
  a.surface_altitude = HostArray<double*>("altitude", 1);
  a.surface_pressure = HostArray<double*>("pressure", 1);
  a.surface_temperature = HostArray<double*>("temperature", 1);
  a.surface_emissivity = HostArray<double**>("emissivity", 1, emissivity.size());
  a.surface_altitude(0) = altitude;
  a.surface_temperature(0) = temperature;
  for (std::size_t i = 0; i < emissivity.size(); ++i) a.surface_emissivity(0, i) = emissivity[i];
}

void set_cloud(HostAtmosphere& a, double height, double depth, std::vector<double> const& extinction) {
  a.cloud_height = HostArray<double*>("height", 1);
  a.cloud_depth = HostArray<double*>("depth", 1);
  a.cloud_extinction = HostArray<double**>("extinction", 1, extinction.size());
  a.cloud_height(0) = height;
  a.cloud_depth(0) = depth;
  for (std::size_t i = 0; i < extinction.size(); ++i) a.cloud_extinction(0, i) = extinction[i];
}

/// Emissivity of a curve in double precision: linear between points and the origin, exponential beyond the last point.
double on_curve(EmissivityTable const& table, std::int64_t curve, double u) {
  auto const first = static_cast<std::size_t>(table.first_point[static_cast<std::size_t>(curve)]);
  auto const end = static_cast<std::size_t>(table.first_point[static_cast<std::size_t>(curve) + 1]);
  double const last_u = table.column_density[end - 1], last = table.emissivity[end - 1];
  if (u >= last_u) return -std::expm1(std::log1p(-last) / last_u * u);
  double u0 = 0, e0 = 0;
  for (std::size_t i = first; i < end; ++i) {
    double const u1 = table.column_density[i], e1 = table.emissivity[i];
    if (u < u1) return e0 + (e1 - e0) / (u1 - u0) * (u - u0);
    u0 = u1;
    e0 = e1;
  }
  return e0;
}

// --- closed forms ------------------------------------------------------------------------------------------------

// The radiance is B (1 - tau) from the air and B tau from the ground. It is a sum of some hundred parts of B, each
// rounded, and tau is a product of as many.
TYPED_TEST(EgaForward, AnIsothermalAtmosphereOverBlackGroundIsBlack) {
  auto const problem = small_problem(3, 9);
  auto const rays = nadir_rays({0, 3, 8});
  for (double const temperature : {source_node(500), source_node(733), 251.37}) {
    auto const a = small_atmosphere(problem.gases);
    parhelion::assign_array(a.temperature, temperature);
    auto const spectra = this->solve(problem, a, rays);
    for (int c = 0; c < problem.nchannel(); ++c) {
      double const nu = problem.channels.wavenumber[static_cast<std::size_t>(c)];
      // Between nodes the source is the chord of a convex function: too large by at most h^2 / 8 of its second
      // derivative, which is less than (c2 nu / T^2)^2 B.
      double const curvature = std::pow(jurassic_constants::second_radiation * nu / (temperature * temperature), 2);
      double const chord = temperature == 251.37 ? curvature * std::pow(300. / 1199, 2) / 8 : 0;
      for (int r = 0; r < rays.nray(); ++r) {
        double const rounding = 2 * spectra.npoint(r) * this->ulp;
        double const ratio = spectra.radiance(r, c) / planck(nu, temperature);
        EXPECT_GE(ratio, 1 - rounding) << r << ", " << c;
        EXPECT_LE(ratio, 1 + chord + rounding) << r << ", " << c;
        EXPECT_LT(spectra.transmittance(r, c), 1);
      }
    }
  }
}

TYPED_TEST(EgaForward, TransparentAirShowsNothing) {
  auto problem = small_problem(3, 9);
  auto a = small_atmosphere(problem.gases);
  parhelion::assign_array(a.mole_fraction, 0.);
  auto const expect_nothing = [&](Problem const& of, HostObservation const& rays) {
    auto const spectra = this->solve(of, a, rays);
    for (int r = 0; r < rays.nray(); ++r)
      for (int c = 0; c < of.nchannel(); ++c) {
        EXPECT_EQ(spectra.radiance(r, c), 0);
        EXPECT_EQ(spectra.transmittance(r, c), 1);
      }
  };
  expect_nothing(problem, limb_rays({5e3, 30e3}));
  // The ground, where it does nothing.
  problem.options.surface = SurfaceType::none;
  expect_nothing(problem, limb_and_nadir());
  problem.options.method = Method::curtis_godson;
  expect_nothing(problem, limb_and_nadir());
  // Gases without tables are transparent.
  problem.tables = [](int, int) { return EmissivityTable{}; };
  a = small_atmosphere(problem.gases);
  expect_nothing(problem, limb_and_nadir());
}

TYPED_TEST(EgaForward, RaysThatMissTheAtmosphereAreEmpty) {
  auto const problem = small_problem(2, 9);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_rays({60001, 20e3, 100e3});
  auto const spectra = this->solve(problem, a, rays);
  for (int r : {0, 2}) {
    EXPECT_EQ(spectra.npoint(r), 0);
    EXPECT_EQ(spectra.tangent.altitude(r), rays.view_point.altitude(r));
    EXPECT_EQ(spectra.tangent.longitude(r), rays.view_point.longitude(r));
    EXPECT_EQ(spectra.tangent.latitude(r), rays.view_point.latitude(r));
    for (int c = 0; c < problem.nchannel(); ++c) {
      EXPECT_EQ(spectra.radiance(r, c), 0);
      EXPECT_EQ(spectra.transmittance(r, c), 1);
    }
  }
  EXPECT_GT(spectra.npoint(1), 0);
  EXPECT_LT(spectra.transmittance(1, 0), 1);
}

// At a pressure and temperature that the table has, the approximation is exact: segment after segment walks along one
// curve. Each step goes from emissivity to column density and back, about eight roundings of the emissivity; the curve
// is concave, so that they do not grow.
TYPED_TEST(EgaForward, EmissivityOfAHomogeneousPathIsThatOfTheCurve) {
  auto problem = small_problem(1, 1);
  auto const table = small_table({.strength = 1e-21, .width = 0.1, .lower_state = 500});
  problem.tables = [&](int, int) { return table; };
  problem.options.refraction = false;
  int const p = 5, t = 2;
  double const temperature = source_node(520);
  auto moved = table;  // the temperature is one of the sources', too
  for (std::size_t i = 0; i < moved.temperature.size(); ++i) moved.temperature[i] += temperature - table.temperature[t];
  problem.tables = [&](int, int) { return moved; };
  for (double const q : {1e-9, 1e-7, 1e-5, 1e-4, 1e-3})
    for (double const step : {300., 2000.})
      for (Method const method : {Method::growth, Method::curtis_godson}) {
        auto const a = homogeneous_atmosphere(problem.gases, 100 * moved.pressure_hPa[p],
                                              moved.temperature[static_cast<std::size_t>(t)], q);
        problem.options.vertical_step = step;
        problem.options.method = method;
        auto const rays = limb_rays({20e3});
        auto const spectra = this->solve(problem, a, rays);
        auto const sight = compute_lines_of_sight(problem, a, rays, {0}, this->options()).front();
        double u = 0;
        for (int i = 0; i < sight.npoint(); ++i) u += sight.column_density(i, 0);
        double const emissivity = on_curve(moved, moved.first_temperature[p] + t, u);
        double const tolerance = 8 * sight.npoint() * this->ulp;
        double const nu = problem.channels.wavenumber[0];
        EXPECT_NEAR(spectra.transmittance(0, 0), 1 - emissivity, tolerance) << q << ", " << step;
        EXPECT_NEAR(spectra.radiance(0, 0) / (planck(nu, temperature) * emissivity), 1, tolerance)
            << q << ", " << step << ", emissivity " << emissivity;
      }
}

TYPED_TEST(EgaForward, StraightPathsAreAsLongAsGeometrySaysAndTouchWhereItSays) {
  auto problem = small_problem(1, 1);
  problem.options.refraction = false;
  auto const a = small_atmosphere(problem.gases);
  double const top = jurassic_constants::earth_radius + 60e3;
  auto const limb = limb_rays({1e3, 20e3, 47e3});
  auto const down = nadir_rays({0, 2, 6});
  for (double const step : {100., 1000., 7000.}) {
    problem.options.vertical_step = step;
    auto const spectra = this->solve(problem, a, limb);
    auto const sights = compute_lines_of_sight(problem, a, joined({limb, down}), {0, 1, 2, 3, 4, 5}, this->options());
    for (int r = 0; r < limb.nray(); ++r) {
      double const altitude = limb.view_point.altitude(r);
      double const half = std::sqrt(top * top - std::pow(jurassic_constants::earth_radius + altitude, 2));
      // The ray begins within 1 m below the top and its end is put there along a chord of one step, 10 km or less:
      // altitudes are off by up to step^2 / 8 r = 2 m. The ray crosses the top at a slope of half / r. The model cuts
      // the last step as if it were as long as the next one would be, which is step^2 / half off.
      double const taken = std::min(10e3, step * top / half);
      EXPECT_NEAR(length_of(sights[static_cast<std::size_t>(r)]), 2 * half, 3 * top / half + taken * taken / half)
          << altitude;
      // Tangent points come from a parabola through points 10 km apart: off by dz^2 (dz / step)^2 / dz with the 8 m
      // that these lie higher, 1e-5 m.
      EXPECT_NEAR(spectra.tangent.altitude(r), altitude, 1e-4);
      EXPECT_NEAR(spectra.tangent.latitude(r), limb.view_point.latitude(r), 1e-4);
      EXPECT_NEAR(spectra.tangent.longitude(r), 0, 1e-12);
    }
    for (int r = 0; r < down.nray(); ++r) {
      auto const& sight = sights[static_cast<std::size_t>(limb.nray() + r)];
      // From the observer at 700 km to the ground, less what is above 60 km: with the angle at the ground from the law
      // of cosines, s = -R cos + sqrt(top^2 - R^2 sin^2).
      double const observer = jurassic_constants::earth_radius + 700e3, earth = jurassic_constants::earth_radius;
      double const angle = down.view_point.latitude(r) * pi / 180;
      double const distance = std::sqrt(observer * observer + earth * earth - 2 * observer * earth * std::cos(angle));
      double const cosine = (observer * observer - earth * earth - distance * distance) / (2 * earth * distance);
      double const length = -earth * cosine + std::sqrt(top * top - earth * earth * (1 - cosine * cosine));
      // Less up to 1 m of altitude at the top. The end of the last step is put on the ground as if altitude were linear
      // along it; it lies lower than that by up to the sagitta of the chord.
      double const taken = std::min(10e3, step / cosine);
      double const sagitta = taken * taken * (1 - cosine * cosine) / (8 * earth) + 1e-6;
      EXPECT_LE(length_of(sight), length + 3 * sagitta / cosine);
      EXPECT_GE(length_of(sight), length - 1.5 / cosine - 3 * sagitta / cosine);
      EXPECT_NEAR(sight.place.back().altitude, 0, sagitta);
      EXPECT_NEAR(sight.place.back().latitude, down.view_point.latitude(r), 1e-5);
    }
  }
}

TYPED_TEST(EgaForward, WithoutAVerticalLimitStepsAreThatLong) {
  auto problem = small_problem(1, 1);
  problem.options.step = 4000;
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  problem.options.vertical_step = 1e12;
  auto const expected = this->solve(problem, a, rays);
  problem.options.vertical_step = 0;
  expect_same(this->solve(problem, a, rays), expected);
  auto const sight = compute_lines_of_sight(problem, a, rays, {4}, this->options()).front();
  for (int i = 1; i + 2 < sight.npoint(); ++i) EXPECT_NEAR(sight.length[static_cast<std::size_t>(i)], 4000, 1e-9);
}

TYPED_TEST(EgaForward, RefractionBendsRaysDown) {
  auto problem = small_problem(1, 1);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_rays({5e3, 12e3, 30e3, 45e3});
  auto const bent = this->solve(problem, a, rays);
  problem.options.refraction = false;
  auto const straight = this->solve(problem, a, rays);
  // To first order the tangent point sinks by N r, N the refractivity there.
  for (int r = 0; r < rays.nray(); ++r) {
    double const z = straight.tangent.altitude(r);
    double const n = 7.753e-7 * 101325 * std::exp(-z / 1000 / (7.5 - 0.02 * z / 1000)) / 240;
    double const sunk = z - bent.tangent.altitude(r);
    EXPECT_GT(sunk, 0.6 * n * jurassic_constants::earth_radius) << r;
    EXPECT_LT(sunk, 1.7 * n * jurassic_constants::earth_radius) << r;
  }
}

// Only extinction, the same everywhere, at one temperature: Beer's law along the path, up and down.
TYPED_TEST(EgaForward, SurfacesEmitAndReflect) {
  auto problem = small_problem(1, 3);
  problem.channels.wavenumber = {650, 800, 1100};
  problem.channels.filter = {{{650}, {1}}, {{800}, {1}}, {{1100}, {1}}};
  problem.channels.surface_wavenumber = {700, 900};
  problem.tables = [](int, int) { return EmissivityTable{}; };
  double const air = source_node(560), ground = source_node(800), k = 2e-6;
  auto a = homogeneous_atmosphere(problem.gases, 5000, air, 0);
  parhelion::assign_array(a.extinction, k);
  set_surface(a, 3e3, ground, {0.7, 0.9});
  std::vector<double> const emissivities{0.65, 0.8, 1.1};  // linear, extrapolated
  auto const rays = nadir_rays({0, 5});
  double const zenith_angle = 60;
  problem.options.solar_zenith_angle = zenith_angle;
  auto const sights = compute_lines_of_sight(problem, a, rays, {0, 1}, this->options());
  for (double const ground_temperature : {ground, 0.}) {
    a.surface_temperature(0) = ground_temperature;
    for (SurfaceType const type :
         {SurfaceType::none, SurfaceType::emission, SurfaceType::reflection, SurfaceType::sunlight}) {
      problem.options.surface = type;
      auto const spectra = this->solve(problem, a, rays);
      for (int r = 0; r < rays.nray(); ++r) {
        auto const& sight = sights[static_cast<std::size_t>(r)];
        EXPECT_NEAR(sight.place.back().altitude, 3e3, 0.02);  // the sagitta of a step of 1 km
        double const tau = std::exp(-k * length_of(sight));
        // From the ground towards where the ray begins.
        auto const at = [](Place const& p) { return to_cartesian(p.altitude, p.longitude, p.latitude); };
        Vector3 const foot = at(sight.place.back()), back = at(sight.place.front()) - foot;
        double const incidence = dot(foot, back) / norm(foot) / norm(back);
        for (int c = 0; c < problem.nchannel(); ++c) {
          auto const i = static_cast<std::size_t>(c);
          double const nu = problem.channels.wavenumber[i], e = emissivities[i];
          double const b = planck(nu, air), warm = planck(nu, ground_temperature > 0 ? ground : air);
          double expected = b * (1 - tau);
          if (type >= SurfaceType::emission) expected += e * warm * tau;
          if (type >= SurfaceType::reflection && e < 1) expected += (1 - e) * tau * b * (1 - tau);
          if (type == SurfaceType::sunlight && e < 1)
            expected += (1 - e) * tau * tau * jurassic_constants::sun_solid_angle / (2 * pi) *
                        planck(nu, jurassic_constants::sun_temperature) * incidence / std::cos(zenith_angle * pi / 180);
          // As many roundings as segments, twice on the way down and up.
          double const tolerance = 4 * spectra.npoint(r) * this->ulp;
          EXPECT_NEAR(spectra.radiance(r, c) / expected, 1, tolerance) << r << ", " << c << ", " << int(type);
          EXPECT_NEAR(spectra.transmittance(r, c), tau, tolerance);
        }
      }
    }
  }
}

TYPED_TEST(EgaForward, TheSunStandsWhereTimeAndPlaceSay) {
  auto problem = small_problem(1, 1);
  problem.tables = [](int, int) { return EmissivityTable{}; };
  problem.channels.wavenumber = {2500};
  problem.channels.filter = {{{2500}, {1}}};
  problem.channels.surface_wavenumber = {2500};
  problem.options.surface = SurfaceType::sunlight;
  auto a = small_atmosphere(problem.gases);
  set_surface(a, 0, 0, {0});
  auto rays = nadir_rays({0, 0, 0});
  for (int r = 0; r < 3; ++r) rays.time(r) = 3600 * (12 + 4 * r);  // noon, afternoon, night
  auto const spectra = this->solve(problem, a, rays);
  double const overhead =
      jurassic_constants::sun_solid_angle / (2 * pi) * planck(2500, jurassic_constants::sun_temperature);
  for (int r = 0; r < 2; ++r) {
    double const angle = solar_zenith_angle(rays.time(r), 0, 0);
    EXPECT_LT(angle, 85);
    EXPECT_NEAR(spectra.radiance(r, 0) * std::cos(angle * pi / 180) / overhead, 1, 8 * this->ulp + 1e-11) << r;
  }
  EXPECT_GT(solar_zenith_angle(rays.time(2), 0, 0), 90);
  EXPECT_EQ(spectra.radiance(2, 0), 0);
}

// Trapezoids on a Gaussian are good to exp(-2 (pi depth / step)^2), which is nothing here.
TYPED_TEST(EgaForward, ACloudHasTheOpticalDepthOfItsGaussian) {
  auto problem = small_problem(1, 3);
  problem.tables = [](int, int) { return EmissivityTable{}; };
  problem.channels.wavenumber = {800, 900, 1050};
  problem.channels.cloud_wavenumber = {800, 1000};
  problem.options.surface = SurfaceType::none;
  problem.options.vertical_step = 200;
  auto a = small_atmosphere(problem.gases);
  double const depth = 900;
  set_cloud(a, 11.3e3, depth, {2e-4, 6e-4});
  std::vector<double> const extinction{2e-4, 4e-4, 7e-4};
  auto const rays = nadir_rays({0});
  auto const spectra = this->solve(problem, a, rays);
  for (int c = 0; c < problem.nchannel(); ++c) {
    double const tau = std::exp(-extinction[static_cast<std::size_t>(c)] * depth * std::sqrt(2 * pi));
    // The optical depth is a sum, the transmittance a product over some hundred segments that hold something. Places
    // are known to 1e-9 m.
    EXPECT_NEAR(spectra.transmittance(0, c), tau, 60 * this->ulp + 1e-12) << c;
  }
}

TYPED_TEST(EgaForward, EachWindowHasItsExtinction) {
  auto problem = small_problem(1, 9);
  problem.tables = [](int, int) { return EmissivityTable{}; };
  for (int c = 0; c < 9; ++c) problem.channels.window[static_cast<std::size_t>(c)] = c % 2;
  auto a = small_atmosphere(problem.gases, 2);
  std::vector<double> const k{1e-6, 3e-6};
  for (int w = 0; w < 2; ++w)
    for (int l = 0; l < a.nlev(); ++l) a.extinction(0, w, l) = k[static_cast<std::size_t>(w)];
  auto const rays = limb_rays({10e3, 40e3});
  auto const spectra = this->solve(problem, a, rays);
  auto const sights = compute_lines_of_sight(problem, a, rays, {0, 1}, this->options());
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 9; ++c)
      EXPECT_NEAR(spectra.transmittance(r, c),
                  std::exp(-k[static_cast<std::size_t>(c % 2)] * length_of(sights[static_cast<std::size_t>(r)])),
                  2 * spectra.npoint(r) * this->ulp);
}

TYPED_TEST(EgaForward, LinearExtinctionIsIntegratedExactly) {
  auto problem = small_problem(1, 1);
  problem.tables = [](int, int) { return EmissivityTable{}; };
  auto a = small_atmosphere(problem.gases);
  for (int l = 0; l < a.nlev(); ++l) a.extinction(0, 0, l) = 1e-9 * (a.altitude(0, l) - 500);
  a.extinction(0, 0, 0) = 0;
  auto b = a;
  b.extinction = HostArray<double***>("extinction", 1, 1, a.nlev());
  for (int l = 0; l < a.nlev(); ++l) b.extinction(0, 0, l) = 1e-9 * a.altitude(0, l);
  auto const rays = nadir_rays({0});
  auto const spectra = this->solve(problem, b, rays);
  // 1e-9 z from 0 to the top, of which up to a metre is missing.
  double const depth = 1e-9 * 60e3 * 60e3 / 2;
  EXPECT_NEAR(-std::log(spectra.transmittance(0, 0)) / depth, 1, 4e-5 + 200 * this->ulp);
}

// --- what must not change a result -------------------------------------------------------------------------------

TYPED_TEST(EgaForward, TheLimbLooksTheSameFromAllSides) {
  for (bool const refraction : {false, true}) {
    auto problem = small_problem(3, 4);
    problem.options.refraction = refraction;
    auto const a = small_atmosphere(problem.gases);
    auto const north = limb_rays({8e3, 25e3});
    auto turned = [&](auto const& turn) {
      auto o = with_rays(north, {0, 1});
      for (int r = 0; r < o.nray(); ++r) turn(o, r);
      return this->solve(problem, a, o);
    };
    auto const spectra = this->solve(problem, a, north);
    // Coordinates are rounded to 1e-9 m, and 1e-9 m in pressure is 1e-13; in single precision it is rounding of some
    // hundred segments. The model takes gradients of refractivity for differences over 20 m along the axes, forwards:
    // 1e-3 of them depends on the direction, and so does as much of the bending by 1 % of the path.
    double const rounding = std::is_same_v<typename TestFixture::Real, float> ? 2e-5 : 1e-10;
    double const tolerance = refraction ? 1e-4 : rounding;
    expect_near(turned([](HostObservation& o, int r) { o.view_point.latitude(r) *= -1; }), spectra, tolerance, "south");
    expect_near(turned([](HostObservation& o, int r) {
                  o.view_point.longitude(r) = o.view_point.latitude(r);
                  o.view_point.latitude(r) = 0;
                }),
                spectra, tolerance, "east");
    expect_near(turned([](HostObservation& o, int r) {
                  o.observer.longitude(r) = o.view_point.longitude(r) = 77;
                  o.observer.latitude(r) = 30;
                  o.view_point.latitude(r) += 30;
                }),
                spectra, tolerance, "elsewhere");
  }
}

TYPED_TEST(EgaForward, TheOrderOfGasesDoesNotMatter) {
  auto const problem = small_problem(4, 9);
  auto const a = small_atmosphere(problem.gases);
  std::vector<int> const order{2, 0, 3, 1};
  auto const other = with_gases(problem, order);
  auto b = small_atmosphere(other.gases);
  for (int g = 0; g < 4; ++g)
    for (int l = 0; l < a.nlev(); ++l)
      b.mole_fraction(0, g, l) = a.mole_fraction(0, order[static_cast<std::size_t>(g)], l);
  auto const rays = limb_and_nadir();
  auto const spectra = this->solve(problem, a, rays);
  // Emissivities of a segment are put together in another order: some roundings a segment.
  expect_near(this->solve(other, b, rays), spectra, 4 * 300 * this->ulp);
}

TYPED_TEST(EgaForward, GasesWithoutTablesDoNotCount) {
  auto const three = small_problem(3, 12);
  auto const a = small_atmosphere(three.gases);
  auto const rays = limb_and_nadir();
  // Gas 1 has no tables at all.
  auto without = three;
  without.tables = [tables = three.tables](int g, int c) { return g == 1 ? EmissivityTable{} : tables(g, c); };
  auto const two = with_gases(three, {0, 2});
  auto b = small_atmosphere(two.gases);
  for (int l = 0; l < a.nlev(); ++l) b.mole_fraction(0, 1, l) = a.mole_fraction(0, 2, l);
  for (int l = 0; l < a.nlev(); ++l) b.mole_fraction(0, 0, l) = a.mole_fraction(0, 0, l);
  auto const all = this->solve(three, a, rays);
  auto const expected = this->solve(two, b, rays);
  expect_same(this->solve(without, a, rays), expected);
  // It has tables in some channels only.
  auto some = three;
  some.tables = [tables = three.tables](int g, int c) {
    return g == 1 && c % 3 == 0 ? EmissivityTable{} : tables(g, c);
  };
  auto const mixed = this->solve(some, a, rays);
  for (int r = 0; r < rays.nray(); ++r)
    for (int c = 0; c < 12; ++c) {
      auto const& like = c % 3 == 0 ? expected : all;
      EXPECT_EQ(mixed.radiance(r, c), like.radiance(r, c)) << r << ", " << c;
      EXPECT_EQ(mixed.transmittance(r, c), like.transmittance(r, c)) << r << ", " << c;
    }
}

TYPED_TEST(EgaForward, NamesOfGasesMayBeInSmallLetters) {
  auto const problem = small_problem(2, 1);
  auto a = small_atmosphere({"co2", "h2O"});
  auto const rays = limb_rays({10e3});
  expect_same(this->solve(problem, a, rays), this->solve(problem, small_atmosphere(problem.gases), rays));
}

TYPED_TEST(EgaForward, TheNumberOfChannelsDoesNotMatter) {
  auto const forty = small_problem(2, 40);
  auto const a = small_atmosphere(forty.gases);
  auto const rays = limb_and_nadir();
  std::vector<HostSpectra> alone;
  for (int c = 0; c < 40; ++c) alone.push_back(this->solve(with_channels(forty, {c}), a, rays));
  for (int n = 2; n <= 40; n += n < 20 ? 1 : 5) {
    std::vector<int> which;
    for (int c = 0; c < n; ++c) which.push_back(c);
    auto const spectra = this->solve(with_channels(forty, which), a, rays);
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < rays.nray(); ++r) {
        auto const& one = alone[static_cast<std::size_t>(c)];
        EXPECT_EQ(spectra.radiance(r, c), one.radiance(r, 0)) << r << ", " << c << " of " << n;
        EXPECT_EQ(spectra.transmittance(r, c), one.transmittance(r, 0)) << r << ", " << c << " of " << n;
      }
  }
}

TYPED_TEST(EgaForward, TablesMayHaveDifferentGrids) {
  for (Method const method : {Method::growth, Method::curtis_godson}) {
    auto problem = small_problem(2, 11);
    problem.options.method = method;
    TableSet tables(2);
    for (int c = 0; c < 11; ++c) {
      tables[0].push_back(
          small_table(io::synthetic_band(0, 700. + 7 * c),
                      {.npressure = 5 + c % 3, .highest_pressure_hPa = 1000. + c % 2, .ntemperature = 1 + c % 4}));
      tables[1].push_back(small_table(io::synthetic_band(1, 700. + 7 * c)));
    }
    // And pressures that do not all have the same temperatures.
    auto& uneven = tables[1][4];
    for (std::size_t curve = 0; curve < uneven.temperature.size(); ++curve)
      uneven.temperature[curve] += 0.1 * static_cast<double>(curve / 5);
    problem.tables = provider_of(tables);
    auto const a = small_atmosphere(problem.gases);
    auto const rays = limb_and_nadir();
    auto const spectra = this->solve(problem, a, rays);
    for (int c = 0; c < 11; ++c) {
      auto const one = this->solve(with_channels(problem, {c}), a, rays);
      for (int r = 0; r < rays.nray(); ++r) {
        EXPECT_EQ(spectra.radiance(r, c), one.radiance(r, 0)) << r << ", " << c;
        EXPECT_EQ(spectra.transmittance(r, c), one.transmittance(r, 0)) << r << ", " << c;
      }
    }
  }
}

/// A table whose curves have other column densities, and a part of their points: all, every second one or one alone.
EmissivityTable thinned(EmissivityTable const& all, int kind) {
  EmissivityTable table = all;
  table.first_point = {0};
  table.column_density.clear();
  table.emissivity.clear();
  for (std::size_t curve = 0; curve + 1 < all.first_point.size(); ++curve) {
    auto const first = all.first_point[curve];
    auto const last = all.first_point[curve + 1];
    auto const from = kind % 4 == 3 ? first + (last - first) / 2 : first;
    for (auto i = from; i < last; i += 1 + kind % 2) {
      auto const at = static_cast<std::size_t>(i);
      table.column_density.push_back(all.column_density[at] * static_cast<float>(1 + 0.03 * kind));
      table.emissivity.push_back(all.emissivity[at]);
      if (kind % 4 == 3) break;
    }
    table.first_point.push_back(static_cast<std::int64_t>(table.npoint()));
  }
  return table;
}

// Neighbours walk their tables in step, in packs of channels whose width divides their number or not. Each does what it
// does alone, in the same order: the bits are the same, unless a compiler contracts a product and a sum in one of the
// two only. Then each of some hundred segments rounds on its own, which adds up to ten roundings or so.
TYPED_TEST(EgaForward, NeighbouringChannelsMayHaveAnyTables) {
  constexpr int most = 33;
  for (bool const one_grid : {true, false})
    for (Method const method : {Method::growth, Method::curtis_godson}) {
      auto problem = small_problem(3, most);
      problem.options.method = method;
      TableSet tables(3);
      for (int g = 0; g < 3; ++g)
        for (int c = 0; c < most; ++c) {
          // A whole pack without tables of a gas, and single channels.
          bool const missing = (c + 2 * g) % 5 == 0 || (g == 1 && c / 8 == 1);
          SmallGrid grid;
          if (!one_grid) grid = {.npressure = 5 + c % 3, .ntemperature = 1 + (c + g) % 4};
          tables[static_cast<std::size_t>(g)].push_back(
              missing ? EmissivityTable{} : thinned(small_table(io::synthetic_band(g, 700. + 7 * c), grid), c + g));
        }
      problem.tables = provider_of(std::move(tables));
      auto const a = small_atmosphere(problem.gases);
      auto const rays = limb_and_nadir();
      std::vector<HostSpectra> alone;
      for (int c = 0; c < most; ++c) alone.push_back(this->solve(with_channels(problem, {c}), a, rays));
      for (int const n : {1, 7, 8, 9, 16, 17, 24, most}) {
        std::vector<int> which;
        for (int c = 0; c < n; ++c) which.push_back(c);
        auto const spectra = this->solve(with_channels(problem, which), a, rays);
        for (int c = 0; c < n; ++c)
          for (int r = 0; r < rays.nray(); ++r) {
            auto const& one = alone[static_cast<std::size_t>(c)];
            auto const what = std::to_string(r) + ", " + std::to_string(c) + " of " + std::to_string(n) +
                              (one_grid ? ", one grid" : ", several grids");
            EXPECT_NEAR(spectra.radiance(r, c), one.radiance(r, 0), 16 * this->ulp * one.radiance(r, 0)) << what;
            EXPECT_NEAR(spectra.transmittance(r, c), one.transmittance(r, 0), 16 * this->ulp) << what;
          }
      }
    }
}

// What is said before the run is what tables will take, lanes without a channel and (on hosts) reading included. A few
// channels stand for all, so it is near to that.
TYPED_TEST(EgaForward, BlocksOfChannelsFitTheLimit) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  constexpr int nchannel = 70;
  auto problem = small_problem(2, nchannel);
  for (auto& filter : problem.channels.filter) filter = problem.channels.filter.front();
  auto const table = small_table(io::synthetic_band(0, 700));
  problem.tables = [&](int, int) { return table; };
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_rays({20e3});
  auto options = this->options();
  HostEgaReport report;
  compute_spectra(with_channels(problem, {0}), a, rays, options, &report);
  auto const channel = report.table_bytes;
  for (int const channels : {2, 5, 9, 13, 17, 31, 33, 63, 65, 200}) {
    options.memory_limit = channel * static_cast<std::size_t>(channels);
    compute_spectra(problem, a, rays, options, &report);
    EXPECT_LE(report.table_bytes, options.memory_limit) << channels;
    // No less than a third of the room is used.
    EXPECT_GE(report.channels_per_block, std::min(nchannel, channels / 3)) << channels;
    EXPECT_EQ(report.channel_blocks, (nchannel + report.channels_per_block - 1) / report.channels_per_block);
    for (int first = 0; first < nchannel; first += report.channels_per_block) {
      int const last = std::min(nchannel, first + report.channels_per_block);
      EXPECT_LE((make_model<Space, Real>(Space(), problem, first, last).bytes()), options.memory_limit)
          << first << " to " << last << ", room for " << channels;
    }
  }
}

TYPED_TEST(EgaForward, BitsDoNotDependOnHowTheWorkIsCut) {
  auto const problem = small_problem(3, 40);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto options = this->options();
  HostEgaReport report;
  auto const spectra = compute_spectra(problem, a, rays, options, &report);
  EXPECT_EQ(report.channel_blocks, 1);
  EXPECT_EQ(report.plan.chunk, rays.nray());
  EXPECT_EQ(report.channels_per_block, 40);
  EXPECT_EQ(report.plan.space, TestFixture::Space::name());
  expect_same(compute_spectra(problem, a, rays, options), spectra, "again");
  for (int const chunk : {1, 3, 100}) {
    options.chunk = chunk;
    expect_same(compute_spectra(problem, a, rays, options, &report), spectra, "chunk");
    EXPECT_EQ(report.plan.chunk, std::min(chunk, rays.nray()));
  }
  options.chunk = 3;
  // Both kinds of devices do 40 channels in two blocks of 32 lanes.
  std::size_t const channel = report.table_bytes / 64;
  for (std::size_t const channels : {39, 11, 5}) {
    options.memory_limit = channel * channels;
    expect_same(compute_spectra(problem, a, rays, options, &report), spectra, "limit of memory");
    EXPECT_GT(report.channel_blocks, 1);
    EXPECT_LE(report.channels_per_block, static_cast<int>(channels));
    EXPECT_LE(report.table_bytes, options.memory_limit);
  }
  // One by one and in another order.
  for (int r = 0; r < rays.nray(); ++r) {
    auto const one = this->solve(problem, a, with_rays(rays, {r}));
    EXPECT_TRUE(same_bits(one.radiance, Kokkos::subview(spectra.radiance, std::pair(r, r + 1), Kokkos::ALL))) << r;
    EXPECT_EQ(one.tangent.altitude(0), spectra.tangent.altitude(r));
    EXPECT_EQ(one.tangent.latitude(0), spectra.tangent.latitude(r));
  }
  auto const backwards = this->solve(problem, a, with_rays(rays, {6, 5, 4, 3, 2, 1, 0}));
  for (int r = 0; r < rays.nray(); ++r)
    for (int c = 0; c < 40; ++c) EXPECT_EQ(backwards.radiance(r, c), spectra.radiance(6 - r, c));
}

TEST(EgaForwardOnHosts, BitsDoNotDependOnTheNumberOfThreads) {
  auto const problem = small_problem(3, 10);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto const names = execution_space_names();
  std::vector<HostSpectra> found;
  for (std::string const space : {"Serial", "OpenMP", "Threads"})
    if (std::find(names.begin(), names.end(), space) != names.end())
      found.push_back(compute_spectra(problem, a, rays, {.space = space}));
  for (auto const& spectra : found) expect_same(spectra, found.front());
}

TYPED_TEST(EgaForward, ProfilesAreThoseOfTheirRays) {
  auto const problem = small_problem(2, 9);
  auto const one = small_atmosphere(problem.gases);
  auto const three = repeat(one, 3);
  for (int p = 0; p < 3; ++p)
    for (int l = 0; l < one.nlev(); ++l) three.temperature(p, l) += 3 * p;
  auto rays = limb_and_nadir();
  rays.profile = HostArray<int*>("profile", rays.nray());
  for (int r = 0; r < rays.nray(); ++r) rays.profile(r) = r % 3;
  auto const spectra = this->solve(problem, three, rays);
  for (int r = 0; r < rays.nray(); ++r) {
    auto const own = repeat(one, 1);
    for (int l = 0; l < one.nlev(); ++l) own.temperature(0, l) += 3 * (r % 3);
    auto const alone = this->solve(problem, own, with_rays(rays, {r}));
    for (int c = 0; c < 9; ++c) EXPECT_EQ(spectra.radiance(r, c), alone.radiance(0, c)) << r << ", " << c;
  }
}

TYPED_TEST(EgaForward, PressuresMayBeMadeHydrostaticFirst) {
  auto problem = small_problem(2, 3);
  auto const a = small_atmosphere(problem.gases);
  auto const balanced = repeat(a, 1);
  make_hydrostatic(balanced, 20e3);
  auto const rays = limb_and_nadir();
  auto const expected = this->solve(problem, balanced, rays);
  problem.options.hydrostatic_reference = 20e3;
  auto const before = a.pressure(0, 5);
  expect_same(this->solve(problem, a, rays), expected);
  EXPECT_EQ(a.pressure(0, 5), before) << "the input changed";
  EXPECT_NE(balanced.pressure(0, 5), before);
}

// --- what comes last ---------------------------------------------------------------------------------------------

TYPED_TEST(EgaForward, FieldOfViewBrightnessTemperatureAndMask) {
  auto problem = small_problem(2, 3);
  auto const a = small_atmosphere(problem.gases);
  auto rays = limb_rays({8e3, 10e3, 12e3, 14e3, 16e3, 18e3});
  auto const pencil = this->solve(problem, a, rays);
  problem.field_of_view = {{-1500, 0, 1500}, {0.5, 1, 0.5}};
  auto const wide = this->solve(problem, a, rays);
  apply_field_of_view(problem.field_of_view, rays, pencil);
  expect_same(wide, pencil, "field of view");

  rays.masked = HostArray<bool**>("masked", rays.nray(), 3);
  rays.masked(2, 1) = true;
  problem.options.brightness_temperature = true;
  auto const spectra = this->solve(problem, a, rays);
  for (int r = 0; r < rays.nray(); ++r)
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(spectra.transmittance(r, c), wide.transmittance(r, c));
      if (r == 2 && c == 1)
        EXPECT_TRUE(std::isnan(spectra.radiance(r, c)));
      else  // Planck's formula turned round: some roundings, of an exponent of at most 20
        EXPECT_NEAR(planck(problem.channels.wavenumber[static_cast<std::size_t>(c)], spectra.radiance(r, c)) /
                        wide.radiance(r, c),
                    1, 1e-13);
    }
}

TYPED_TEST(EgaForward, BlackBodiesHaveTheirTemperature) {
  auto problem = small_problem(2, 3);
  problem.options.brightness_temperature = true;
  auto const a = small_atmosphere(problem.gases);
  double const temperature = source_node(611);
  parhelion::assign_array(a.temperature, temperature);
  auto const spectra = this->solve(problem, a, nadir_rays({0, 7}));
  // d ln B / d ln T = c2 nu / T is 4 here: relative errors of radiances come out smaller.
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(spectra.radiance(r, c) / temperature, 1, 2 * spectra.npoint(r) * this->ulp);
}

// --- the device's side -------------------------------------------------------------------------------------------

template <class Space, class Real>
struct OnDevice {
  Space space;
  Model<Space, Real> model;
  ForwardInput<Space> input;
  Spectra<Space, Real> spectra;
  ForwardCapacity capacity;

  OnDevice(Problem const& problem, HostAtmosphere const& a, HostObservation const& rays)
      : model(make_model<Space, Real>(space, problem, 0, problem.nchannel())),
        input{make_device_arrays<Atmosphere<Space>>(space, a), make_device_arrays<Observation<Space>>(space, rays)},
        spectra(make_spectra<Real>(space, rays.nray(), problem.nchannel())),
        capacity{.nray = rays.nray(),
                 .ngas = problem.ngas(),
                 .nchannel = problem.nchannel(),
                 .npoint = max_points(problem.options, a),
                 .nprofile = a.nprofile(),
                 .nlev = a.nlev()} {}

  HostSpectra solve(ForwardTuning const& tuning = {}) {
    ForwardModel<Space, Real> solver(space, model, capacity, tuning);
    solver.solve(space, input, spectra);
    space.fence();
    return host();
  }

  HostSpectra host() const {
    auto out = make_spectra<double>(Kokkos::DefaultHostExecutionSpace(), spectra.radiance.extent_int(0),
                                    spectra.radiance.extent_int(1));
    HostSpectra::for_each_array(
        [](ArrayDescription const&, auto const& to, auto const& from) {
          auto const copy = parhelion::host_copy(from);
          for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = copy.data()[i];
        },
        out, spectra);
    return out;
  }
};

TYPED_TEST(EgaForward, TuningDoesNotChangeResults) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  auto const problem = small_problem(4, 10);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  OnDevice<Space, Real> device(problem, a, rays);
  auto const plain = device.solve({.gas_threads = 1});
  for (int const batch : {1, 2, 4}) expect_same(device.solve({.gas_threads = 1, .batch = batch}), plain, "batch");
  expect_same(device.solve({.gas_threads = 1, .rays_per_team = 3}), plain, "rays of a team");
  expect_same(device.solve({.gas_threads = 1, .nray = 100000}), plain, "number of rays");
  for (int const threads : {2, 3, 4}) {
    // Gases come together in another order.
    expect_near(device.solve({.gas_threads = threads}), plain, 4 * 300 * this->ulp, "threads of gases");
    expect_same(device.solve({.gas_threads = threads, .rays_per_team = 2, .batch = 3}),
                device.solve({.gas_threads = threads}), "threads of gases, rays of a team");
  }
  expect_near(this->solve(problem, a, rays), plain, 4 * 300 * this->ulp);
}

TYPED_TEST(EgaForward, RaysWithoutRoomAreNotNumbers) {
  OnDevice<typename TestFixture::Space, typename TestFixture::Real> device(
      small_problem(2, 3), small_atmosphere({"CO2", "H2O"}), joined({limb_rays({20e3}), nadir_rays({0})}));
  device.capacity.npoint = 70;  // enough for 60 steps down, not for the limb
  auto const spectra = device.solve();
  ForwardModel<typename TestFixture::Space, typename TestFixture::Real> solver(device.space, device.model,
                                                                               device.capacity);
  solver.solve(device.space, device.input, device.spectra);
  EXPECT_EQ(solver.status(device.space).first_not_finite, 0);
  EXPECT_TRUE(solver.status(device.space).good());
  EXPECT_EQ(spectra.npoint(0), -1);
  EXPECT_GT(spectra.npoint(1), 60);
  for (int c = 0; c < 3; ++c) {
    EXPECT_TRUE(std::isnan(spectra.radiance(0, c)));
    EXPECT_TRUE(std::isnan(spectra.transmittance(0, c)));
    EXPECT_GT(spectra.radiance(1, c), 0);
  }
}

// Rays that have no direction, among others: an observer outside of the atmosphere would never get there, and one
// inside of it would take steps to nowhere.
TYPED_TEST(EgaForward, RaysWithoutGeometryAreNotNumbers) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  auto problem = small_problem(2, 3);
  problem.options.surface = SurfaceType::sunlight;
  auto const a = small_atmosphere(problem.gases);
  auto const good = joined({limb_rays({20e3}), nadir_rays({0, 1, 2})});
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<HostObservation> cases;
  for (double const observer : {700e3, 10e3})
    for (double const value : {std::nan(""), infinity, -infinity})
      for (int array = 0; array < 7; ++array) {
        auto const rays = joined({good});
        rays.observer.altitude(2) = observer;
        std::array const arrays{rays.time,
                                rays.observer.altitude,
                                rays.observer.longitude,
                                rays.observer.latitude,
                                rays.view_point.altitude,
                                rays.view_point.longitude,
                                rays.view_point.latitude};
        arrays[static_cast<std::size_t>(array)](2) = value;
        cases.push_back(rays);
      }
  auto const nowhere = joined({good});
  copy_ray(nowhere, 2, good, 1);
  nowhere.observer.altitude(2) = nowhere.view_point.altitude(2);
  cases.push_back(nowhere);

  OnDevice<Space, Real> device(problem, a, good);
  ForwardModel<Space, Real> solver(device.space, device.model, device.capacity);
  solver.solve(device.space, device.input, device.spectra);
  EXPECT_TRUE(solver.status(device.space).good());
  auto const expected = device.host();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    device.input.observation = make_device_arrays<Observation<Space>>(device.space, cases[i]);
    solver.solve(device.space, device.input, device.spectra);
    EXPECT_EQ(solver.status(device.space).first_not_finite, 2);
    auto const spectra = device.host();
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(spectra.npoint(r), r == 2 ? -1 : expected.npoint(r));
      for (int c = 0; c < 3; ++c) {
        if (r == 2) {
          EXPECT_TRUE(std::isnan(spectra.radiance(r, c)));
          EXPECT_TRUE(std::isnan(spectra.transmittance(r, c)));
        } else {
          EXPECT_EQ(spectra.radiance(r, c), expected.radiance(r, c));
          EXPECT_EQ(spectra.transmittance(r, c), expected.transmittance(r, c));
        }
      }
    }
  }
}

TYPED_TEST(EgaForward, SolveHasGoodManners) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  OnDevice<Space, Real> device(small_problem(3, 9), small_atmosphere({"CO2", "H2O", "O3"}), limb_and_nadir());
  Space const space = another_instance<Space>();
  ForwardModel<Space, Real> solver(space, device.model, device.capacity, {.batch = 4});
  auto const step = [&] { solver.solve(space, device.input, device.spectra); };
  step();
  space.fence();
  auto const report = watch(step);
  space.fence();
  expect_good_manners(report, space);
  EXPECT_GE(solver.workspace_bytes(), 4 * static_cast<std::size_t>(device.capacity.npoint) * 4 * sizeof(double));
  EXPECT_GT(device.model.bytes(), 0U);
}

TYPED_TEST(EgaForward, LabelsAreOurs) {
  auto const problem = small_problem(2, 3);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  this->solve(problem, a, rays);
  auto const report = watch([&] { this->solve(problem, a, rays); });
  // Kokkos's own kernels, fills of Views among them, have its names.
  for (auto const& label : report.labels)
    EXPECT_TRUE(label.find("parhelion::") != std::string::npos || label.starts_with("Kokkos::")) << label;
  for (auto const& label : report.allocations)
    EXPECT_TRUE(label.starts_with("parhelion::") || label.starts_with("Kokkos::")) << label;
}

TYPED_TEST(EgaForward, WhatDoesNotFitTheSolverIsNamed) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  OnDevice<Space, Real> device(small_problem(2, 3), small_atmosphere({"CO2", "H2O"}), limb_and_nadir());
  auto const refusal = [&](ForwardCapacity const& capacity) {
    return message_of([&] {
      ForwardModel<Space, Real> solver(device.space, device.model, capacity);
      solver.solve(device.space, device.input, device.spectra);
    });
  };
  auto capacity = device.capacity;
  capacity.npoint = 0;
  EXPECT_NE(refusal(capacity).find("expected positive numbers"), std::string::npos);
  capacity = device.capacity;
  capacity.nlev = 1;
  EXPECT_NE(refusal(capacity).find("and at least 2 levels"), std::string::npos);
  capacity = device.capacity;
  capacity.nray = 6;
  EXPECT_EQ(refusal(capacity), "ForwardModel: 7 rays and 1 profiles of 31 levels, expected no more than 6, 1 and 31");
  capacity = device.capacity;
  capacity.nchannel = 2;
  EXPECT_EQ(refusal(capacity),
            "ForwardModel: the model has 2 gases and 3 channels, expected 2 gases and no more than 2 channels");
  capacity = device.capacity;
  capacity.ngas = 3;
  EXPECT_EQ(refusal(capacity),
            "ForwardModel: the model has 2 gases and 3 channels, expected 3 gases and no more than 3 channels");
  device.input.atmosphere.cloud_height = Array<double*, Space>("parhelion::Testing::height", 1);
  EXPECT_EQ(refusal(device.capacity),
            "ForwardModel: cloud_height is given and cloud_extinction is not given, expected both or none");
  device.input.atmosphere.cloud_height = {};
  device.spectra.radiance = Array<Real**, Space>("parhelion::Testing::radiance", 7, 2);
  EXPECT_NE(refusal(device.capacity).find("radiance has shape (7, 2), expected (7, 3)"), std::string::npos);
}

// --- refusals ----------------------------------------------------------------------------------------------------

std::string refusal(Problem const& problem, HostAtmosphere const& a, HostObservation const& rays,
                    HostEgaOptions const& options = {}) {
  return message_of([&] { compute_spectra(problem, a, rays, options); });
}

TEST(EgaForwardOnHosts, WhatIsWrongIsNamed) {
  auto const good = small_problem(2, 2);
  auto const a = small_atmosphere(good.gases);
  auto const rays = limb_rays({10e3});
  auto const spoiled = [&](auto const& spoil) {
    auto problem = good;
    spoil(problem);
    return refusal(problem, a, rays);
  };
  std::string const where = "compute_spectra: ";
  EXPECT_EQ(refusal(good, small_atmosphere({"CO2"}), rays), where + "the atmosphere has 1 gases, expected 2");
  EXPECT_EQ(refusal(good, small_atmosphere({"CO2", "O3"}), rays),
            where + "gas 1 of the atmosphere is O3, expected H2O");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.window = {0}; }), where + "2 channels have 1 windows and 2 filters");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.window[1] = 1; }), where + "window(1) = 1, expected 0 to 0");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.wavenumber[1] = 0; }),
            where + "wavenumber(1) = 0 cm-1, expected a positive finite number");
  EXPECT_EQ(spoiled([](Problem& p) { p.options.step = 0; }), where + "step = 0 m, expected a positive finite number");
  EXPECT_EQ(spoiled([](Problem& p) { p.options.vertical_step = -1; }),
            where + "vertical_step = -1 m, expected a finite number, 0 for no limit");
  EXPECT_EQ(spoiled([](Problem& p) { p.options.solar_zenith_angle = -1; }),
            where + "solar_zenith_angle = -1 degree, expected a number from 0 to 180");
  EXPECT_EQ(spoiled([](Problem& p) { p.tables = {}; }),
            where + "problem.tables is empty, expected a provider of tables");
  EXPECT_EQ(spoiled([](Problem& p) { p.channels.filter[0].weight = {0}; }),
            "source_table: the weights of the filter add up to 0, expected another sum");
  EXPECT_EQ(spoiled([](Problem& p) {
              p.tables = [](int, int) -> EmissivityTable { throw Error("a table", "is not there"); };
            }),
            "a table: is not there");
  EXPECT_NE(spoiled([](Problem& p) { p.options.continua.h2o = true; }), "(no parhelion::Error)");

  auto cloudy = a;
  set_cloud(cloudy, 10e3, 1e3, {1e-6, 1e-6});
  EXPECT_EQ(refusal(good, cloudy, rays), where + "cloud_extinction has 2 nodes, expected 0");
  auto nodes = good;
  nodes.channels.cloud_wavenumber = {800, 800};
  EXPECT_EQ(refusal(nodes, cloudy, rays),
            where + "cloud_wavenumber(1) = 800 cm-1, expected a finite number above 800 cm-1");
  auto ground = a;
  set_surface(ground, 0, 0, {0.9, 0.9});
  EXPECT_EQ(refusal(good, ground, rays), where + "surface_emissivity has 2 nodes, expected 0");
  nodes.channels.surface_wavenumber = {NAN, 800};
  EXPECT_EQ(refusal(nodes, ground, rays), where + "surface_wavenumber(0) = nan cm-1, expected a finite number");

  auto buried = limb_rays({10e3, 10e3});
  buried.observer.altitude(1) = -5;
  EXPECT_EQ(refusal(good, a, buried), where + "observer(1) is at -0.005 km, expected no lower than the ground at 0 km");
  auto masked = rays;
  masked.masked = HostArray<bool**>("masked", 1, 3);
  EXPECT_EQ(refusal(good, a, masked), where + "masked has 3 channels, expected 2");
  HostEgaOptions options;
  options.memory_limit = 1000;
  EXPECT_NE(refusal(good, a, rays, options).find(where + "the tables of one channel take "), std::string::npos);
  options = {};
  options.chunk = -1;
  EXPECT_EQ(refusal(good, a, rays, options), where + "chunk = -1, expected at least 1, or 0 for an automatic choice");
  options = {};
  options.space = "Abacus";
  EXPECT_NE(refusal(good, a, rays, options).find("Abacus"), std::string::npos);
  EXPECT_EQ(message_of([&] { compute_lines_of_sight(good, a, rays, {1}); }),
            "compute_lines_of_sight: ray 1, expected 0 to 0");
}

// Lines through the radiances of rays, drawn on far enough, leave what can be.
TEST(EgaForwardOnHosts, SpectraThatCannotBeAreRefused) {
  auto problem = small_problem(2, 3);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_rays({8e3, 10e3, 12e3, 14e3, 16e3, 18e3});
  auto const with = [&](FieldOfView const& fov) {
    problem.field_of_view = fov;
    std::string const of_spectra = refusal(problem, a, rays);
    ElementChoice const elements{.pressure = {}, .temperature = {0, 60e3}, .mole_fraction = {}, .extinction = {}};
    for (auto const method : {JacobianMethod::analytic, JacobianMethod::differences})
      EXPECT_EQ(message_of([&] { compute_jacobian(problem, a, rays, elements, method); }), of_spectra);
    return of_spectra;
  };
  std::string const fine = "(no parhelion::Error)";
  EXPECT_EQ(with({}), fine);
  EXPECT_EQ(with({{-2000, 0, 2000}, {0.2, 1, 0.2}}), fine);
  auto const expect = [&](FieldOfView const& fov, std::string const& name, std::string const& range) {
    auto const message = with(fov);
    EXPECT_TRUE(message.starts_with("compute_spectra: " + name + "(")) << message;
    EXPECT_NE(message.find(range), std::string::npos) << message;
  };
  expect({{0, 2000}, {-3, 4}}, "radiance", " = -");
  expect({{-2000, 0}, {40, -39}}, "radiance", ", expected 0 to 0.");
  expect({{-6000}, {1}}, "transmittance", ", expected 0 to 1");
  // Sunlight may be brighter than any black body here, not darker than none.
  problem.options.surface = SurfaceType::sunlight;
  expect({{0, 2000}, {-3, 4}}, "radiance", ", expected a finite number of at least 0");
}

// Tables of a caller, which no reader has looked at.
TEST(EgaForwardOnHosts, TablesThatDoNotRiseAreRefused) {
  auto const space = Kokkos::DefaultHostExecutionSpace();
  auto const message = [&](auto const& spoil) {
    auto problem = small_problem(2, 3);
    problem.tables = [tables = problem.tables, spoil](int g, int c) {
      auto table = tables(g, c);
      if (g == 1 && c == 2) spoil(table);
      return table;
    };
    try {
      make_model<Kokkos::DefaultHostExecutionSpace, double>(space, problem, 0, 3);
    } catch (Error const& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_EQ(message([](EmissivityTable&) {}), "not refused");
  auto const falls = message([](EmissivityTable& table) { std::swap(table.emissivity[3], table.emissivity[4]); });
  EXPECT_NE(falls.find("in channel 2: pressure 0"), std::string::npos) << falls;
  EXPECT_NE(falls.find("point 4: emissivity = "), std::string::npos) << falls;
  auto const negative = message([](EmissivityTable& table) { table.emissivity[0] = -0.1F; });
  EXPECT_NE(negative.find("point 0: emissivity = -0.1, expected above 0, at most 1"), std::string::npos) << negative;
}

// A duct: above 30 km rays bend down by 5e-7 a metre, three times as much as the Earth is round, below not at all.
TEST(EgaForwardOnHosts, ARayThatIsHeldInTheAtmosphereIsRefused) {
  auto problem = small_problem(1, 1);
  problem.options.step = 1000;
  auto const a = small_atmosphere(problem.gases);
  for (int l = 0; l < a.nlev(); ++l) a.pressure(0, l) = 3e6 * std::exp(-0.1 * std::max(0, l - 15));
  parhelion::assign_array(a.temperature, 240.);
  auto const o = make_observation(1);
  o.observer.altitude(0) = 29.9e3;
  o.view_point.altitude(0) = 29.9e3;
  o.view_point.latitude(0) = 0.1;
  HostEgaOptions options;
  options.out_of_range = OutOfRange::extrapolate;
  EXPECT_NE(refusal(problem, a, o, options).find("compute_spectra: ray 0 has more than "), std::string::npos)
      << refusal(problem, a, o, options);
  EXPECT_NE(message_of([&] {
              compute_lines_of_sight(problem, a, o, {0}, options);
            }).find("trapped in the atmosphere by refraction"),
            std::string::npos);
}

TEST(EgaForwardOnHosts, NothingIsAskedFor) {
  auto const problem = small_problem(1, 1);
  auto const a = small_atmosphere(problem.gases);
  EXPECT_EQ(compute_spectra(problem, a, make_observation(0)).radiance.extent(0), 0U);
  EXPECT_EQ(compute_spectra(with_channels(problem, {}), a, limb_rays({1e3})).radiance.extent(1), 0U);
}

TEST(EgaForwardOnHosts, ProgressAndPlanAreReported) {
  auto const problem = small_problem(1, 9);
  auto const a = small_atmosphere(problem.gases);
  HostEgaOptions options;
  options.chunk = 3;
  std::vector<std::int64_t> done;
  bool first = true;
  options.on_plan = [&](HostEgaReport const& plan) {
    EXPECT_TRUE(done.empty());
    EXPECT_TRUE(first);
    first = false;
    EXPECT_GT(plan.plan.device_bytes, plan.table_bytes);
  };
  options.progress = [&](std::int64_t n, std::int64_t all) {
    done.push_back(n);
    EXPECT_EQ(all, 7 * 9);
    return true;
  };
  HostEgaReport report;
  compute_spectra(problem, a, limb_and_nadir(), options, &report);
  EXPECT_FALSE(first);
  EXPECT_EQ(done, (std::vector<std::int64_t>{0, 27, 54, 63}));
  // Without a chunk of the caller's there are as many parts as keep the machine busy, if there are that many rays.
  options.chunk = 0;
  first = true;
  done.clear();
  auto const many = small_atmosphere(problem.gases);
  ElementChoice const elements{.pressure = {0, 60e3}, .temperature = {0, 60e3}, .mole_fraction = {}, .extinction = {}};
  options.progress = [&](std::int64_t n, std::int64_t) {
    done.push_back(n);
    return true;
  };
  int const copies = 1 + 2 * many.nlev();
  compute_jacobian(problem, many, limb_and_nadir(), elements, JacobianMethod::differences, options, &report);
  EXPECT_EQ(report.channel_blocks, 1);
  EXPECT_EQ(done.back(), copies * 7 * 9);
  EXPECT_EQ(static_cast<int>(done.size()), 1 + (copies * 7 + report.plan.chunk - 1) / report.plan.chunk);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_GT(report.solve_seconds, 0);
  EXPECT_GE(report.total_seconds, report.solve_seconds + report.load_seconds);
}

TYPED_TEST(EgaForward, CallsCanBeStopped) {
  auto const problem = small_problem(2, 9);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto options = this->options();
  auto const whole = compute_spectra(problem, a, rays, options);
  options.chunk = 2;
  options.progress = [](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(all, 7 * 9);
    return done < 4 * 9;
  };
  HostEgaReport report;
  auto const spectra = compute_spectra(problem, a, rays, options, &report);
  EXPECT_EQ(report.done, 4 * 9);
  for (int r = 0; r < 7; ++r)
    for (int c = 0; c < 9; ++c) {
      if (r < 4) {
        EXPECT_EQ(spectra.radiance(r, c), whole.radiance(r, c)) << r;
        EXPECT_EQ(spectra.transmittance(r, c), whole.transmittance(r, c)) << r;
      } else {
        EXPECT_TRUE(std::isnan(spectra.radiance(r, c)) && std::isnan(spectra.transmittance(r, c))) << r;
      }
    }
  // At once: nothing is done. And the Jacobian, by either method.
  options.progress = [](std::int64_t, std::int64_t) { return false; };
  EXPECT_TRUE(std::isnan(compute_spectra(problem, a, rays, options, &report).radiance(0, 0)));
  EXPECT_EQ(report.done, 0);
  options.progress = [](std::int64_t done, std::int64_t) { return done == 0; };
  ElementChoice const elements{.pressure = {}, .temperature = {9e3, 11e3}, .mole_fraction = {}, .extinction = {}};
  for (auto const method : {JacobianMethod::analytic, JacobianMethod::differences}) {
    auto const jacobian = compute_jacobian(problem, a, rays, elements, method, options, &report);
    EXPECT_GT(report.done, 0);
    EXPECT_FALSE(std::isnan(jacobian.spectra.radiance(0, 0)));
    EXPECT_TRUE(std::isnan(jacobian.derivative(6, 8, 0)));
  }
}

// --- arrays and instances of a caller ------------------------------------------------------------------------------

/// \brief An array with the values of another one, in a precision and with strides of its own: the first dimension
///        fastest, and each extent one more than is used.
template <class Value>
struct OddArray {
  std::vector<Value> values;
  ArrayRef ref;

  template <class View>
  explicit OddArray(View const& from) {
    ref = array_ref(from);
    ref.type = value_type_of<Value>();
    std::int64_t n = 1;
    for (std::size_t d = 0; d < View::rank(); ++d) {
      ref.strides[d] = n;
      n *= ref.extents[d] + 1;
    }
    values.assign(static_cast<std::size_t>(n), Value(-1));
    if (ref.data == nullptr) return;
    ref.data = values.data();
    ArrayCopies copies;
    copies.add(array_ref(from), ref);
    copies.run(Kokkos::DefaultHostExecutionSpace());
  }
};

/// The arrays of a set, copied into OddArrays of a precision; integers stay such.
template <class Real>
struct OddArrays {
  std::vector<OddArray<Real>> reals;
  std::vector<OddArray<int>> integers;
  std::vector<ArrayRef> refs;

  template <class Described, class Set>
  static OddArrays of(Set const& set) {
    OddArrays odd;
    odd.reals.reserve(32);
    odd.integers.reserve(32);
    Described::for_each_array(
        [&]<class View>(ArrayDescription const&, View const& view) {
          if constexpr (std::is_same_v<typename View::non_const_value_type, int>)
            odd.refs.push_back(odd.integers.emplace_back(view).ref);
          else
            odd.refs.push_back(odd.reals.emplace_back(view).ref);
        },
        set);
    return odd;
  }
};

TYPED_TEST(EgaForward, ArraysOfACallerMayBeFloatAndOfAnyStrides) {
  using Space = typename TestFixture::Space;
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto problem = small_problem(2, 9);
  problem.channels.cloud_wavenumber = {700, 760};
  auto a = small_atmosphere(problem.gases);
  // Arrays that may be in single precision, too.
  auto const round = [](auto const& view) {
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = static_cast<float>(view.data()[i]);
  };
  set_cloud(a, 10e3, 1e3, {1e-6, 2e-6});
  auto rays = limb_and_nadir();
  rays.profile = HostArray<int*>("profile", rays.nray());
  HostAtmosphere::for_each_array([&](ArrayDescription const&, auto const& view) { round(view); }, a);
  HostObservation::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (description.name != "profile") round(view);
      },
      rays);
  auto const expected = this->solve(problem, a, rays);
  PreparedProblem const prepared(problem, this->options());
  auto const expect_the_same = [&]<class Real>(Real) {
    auto const atmosphere = OddArrays<Real>::template of<Atmosphere<Host>>(a);
    auto const observation = OddArrays<Real>::template of<Observation<Host>>(rays);
    auto const nothing = make_spectra<double>(Host(), rays.nray(), problem.nchannel());
    auto result = OddArrays<Real>::template of<HostSpectra>(nothing);
    HostEgaReport report;
    compute_spectra(Space(), prepared, {atmosphere.refs.begin(), atmosphere.refs.end()},
                    {observation.refs.begin(), observation.refs.end()}, result.refs, &report);
    EXPECT_EQ(report.done, rays.nray() * problem.nchannel());
    // Back into arrays of double.
    auto const found = make_spectra<double>(Host(), rays.nray(), problem.nchannel());
    ArrayCopies copies;
    auto const to = array_refs(found);
    for (std::size_t i = 0; i < to.size(); ++i) copies.add(result.refs[i], to[i]);
    copies.run(Host());
    for (int r = 0; r < rays.nray(); ++r) {
      EXPECT_EQ(found.npoint(r), expected.npoint(r));
      EXPECT_EQ(found.tangent.latitude(r), static_cast<Real>(expected.tangent.latitude(r)));
      for (int c = 0; c < problem.nchannel(); ++c) {
        EXPECT_EQ(found.radiance(r, c), static_cast<Real>(expected.radiance(r, c))) << r << ", " << c;
        EXPECT_EQ(found.transmittance(r, c), static_cast<Real>(expected.transmittance(r, c))) << r << ", " << c;
      }
    }
    // Values between the used entries do not change.
    EXPECT_EQ(result.reals[0].values[static_cast<std::size_t>(rays.nray())], Real(-1));
  };
  expect_the_same(float());
  expect_the_same(double());
  // Results that are not wanted, and what does not fit.
  auto const atmosphere = const_array_refs(a);
  std::vector<ConstArrayRef> const profiles(atmosphere.begin(), atmosphere.begin() + 12);
  auto const found = make_spectra<double>(Host(), rays.nray(), problem.nchannel());
  std::vector<ArrayRef> wanted(array_refs(found).size());
  wanted[1] = array_ref(found.transmittance);
  compute_spectra(Space(), prepared, profiles, const_array_refs(rays), wanted);
  EXPECT_EQ(found.transmittance(3, 4), expected.transmittance(3, 4));
  EXPECT_EQ(found.radiance(3, 4), 0);
  wanted[1] = wanted[1].part(1, 0, 3);
  EXPECT_EQ(message_of([&] { compute_spectra(Space(), prepared, profiles, const_array_refs(rays), wanted); }),
            "compute_spectra: transmittance has shape (7, 3), expected (7, 9)");
}

// Each thread of a caller has an instance and a problem.
TYPED_TEST(EgaForward, ThreadsOfACallerHaveAnInstanceEach) {
  using Space = typename TestFixture::Space;
  auto const problem = small_problem(2, 9);
  auto const a = small_atmosphere(problem.gases);
  auto const rays = limb_and_nadir();
  auto const expected = this->solve(problem, a, rays);
  std::vector<Space> const instances{another_instance<Space>(), another_instance<Space>()};
  std::vector<HostSpectra> found(2);
  std::vector<PreparedProblem> prepared;
  auto options = this->options();
  options.chunk = 3;
  for (int t = 0; t < 2; ++t) prepared.emplace_back(problem, options);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3; ++i) found[t] = compute_spectra(instances[t], prepared[t], a, rays);
    });
  for (auto& thread : threads) thread.join();
  for (auto const& spectra : found) expect_same(spectra, expected, "thread");
}

// --- lines of sight ----------------------------------------------------------------------------------------------

TYPED_TEST(EgaForward, LinesOfSightEndInTheSpectra) {
  auto problem = small_problem(2, 3);
  problem.channels.surface_wavenumber = {700, 720};
  problem.options.surface = SurfaceType::emission;
  auto a = small_atmosphere(problem.gases);
  parhelion::assign_array(a.extinction, 1e-8);
  set_surface(a, 1e3, 301, {0.8, 0.9});
  auto const rays = limb_and_nadir();
  auto options = this->options();
  options.precision = Precision::float64;
  auto const spectra = compute_spectra(problem, a, rays, options);
  auto const sights = compute_lines_of_sight(problem, a, rays, {6, 0, 4}, options);
  ASSERT_EQ(sights.size(), 3U);
  for (auto const& sight : sights) {
    int const r = sight.ray;
    int const last = sight.npoint() - 1;
    EXPECT_EQ(sight.npoint(), spectra.npoint(r));
    EXPECT_EQ(sight.tangent.altitude, spectra.tangent.altitude(r));
    bool const down = r > 3;
    EXPECT_EQ(sight.surface_temperature, down ? 301 : -999);
    EXPECT_EQ(sight.surface_emission.size(), down ? 3U : 0U);
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(sight.transmittance(last, c), spectra.transmittance(r, c));
      double const ground = down ? sight.surface_emission(c) : 0;
      EXPECT_NEAR(sight.radiance(last, c) + ground, spectra.radiance(r, c), 1e-15);
      if (down) {
        EXPECT_NEAR(sight.surface_emissivity(c), 0.8 + 0.035 * c, 1e-15);
        EXPECT_NEAR(sight.surface_planck(c) / planck(700 + 7 * c, 301), 1, 1e-5);
      }
      // Gases multiply, continua come on top.
      double gases = 1, tau = 1;
      for (int i = 0; i <= last; ++i) {
        double now = 1;
        for (int g = 0; g < 2; ++g) now *= sight.path_transmittance(i, g, c);
        EXPECT_NEAR(now, gases * sight.segment_transmittance(i, c), 1e-14);
        gases = now;
        EXPECT_NEAR(1 - sight.segment_emissivity(i, c),
                    sight.segment_transmittance(i, c) * std::exp(-sight.continuum(i, c) * sight.length[i]), 1e-15);
        tau *= 1 - sight.segment_emissivity(i, c);
        EXPECT_NEAR(sight.transmittance(i, c), tau, 1e-14);
        EXPECT_NEAR(sight.extinction(i, c), 1e-8, 1e-22);
      }
    }
  }
  problem.options.surface = SurfaceType::none;
  EXPECT_EQ(compute_lines_of_sight(problem, a, rays, {6}, options)[0].surface_emission.size(), 0U);
}

}  // namespace
