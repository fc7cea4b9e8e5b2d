// SPDX-License-Identifier: BSD-3-Clause
// Properties of spectra without reference data: closed forms, what is made of spectra at the end, and lines of sight.
#include <parhelion/core/copies.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

#include "forward_testing.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

constexpr double pi = 3.14159265358979323846;

TYPED_TEST_SUITE(EgaForward, SpacesAndReals, PairName);

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
