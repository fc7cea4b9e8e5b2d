// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/synthetic_tables.hpp>

#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

constexpr ElementRange everywhere{-1e3, 1e6};

ElementChoice all_elements(HostAtmosphere const& a) {
  ElementChoice choice{everywhere, everywhere, {}, {}};
  choice.mole_fraction.assign(static_cast<std::size_t>(a.ngas()), everywhere);
  choice.extinction.assign(static_cast<std::size_t>(a.nwindow()), everywhere);
  return choice;
}

double& value_of(HostAtmosphere const& a, int profile, Element const& e) {
  switch (e.quantity) {
    case Quantity::pressure:
      return a.pressure(profile, e.level);
    case Quantity::temperature:
      return a.temperature(profile, e.level);
    case Quantity::mole_fraction:
      return a.mole_fraction(profile, e.which, e.level);
    default:
      return a.extinction(profile, e.which, e.level);
  }
}

/// Differences of radiances to either side, of all elements at once.
struct Differences {
  HostArray<double***> forward, backward;  ///< (ray, channel, element)
  HostSpectra spectra;
};

Differences differences(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                        std::vector<Element> const& elements, double relative_step, HostEgaOptions const& options) {
  int const n = static_cast<int>(elements.size());
  int const nray = observation.nray();
  auto const all = repeat(atmosphere, 2 * n + 1);
  std::vector<double> steps;
  for (int i = 0; i < n; ++i) {
    double const value = value_of(all, 0, elements[static_cast<std::size_t>(i)]);
    double& up = value_of(all, 2 * i + 1, elements[static_cast<std::size_t>(i)]);
    double& down = value_of(all, 2 * i + 2, elements[static_cast<std::size_t>(i)]);
    up = value * (1 + relative_step);
    down = value * (1 - relative_step);
    steps.push_back(up - value);
    steps.push_back(value - down);
  }
  auto rays = joined(std::vector<HostObservation>(static_cast<std::size_t>(2 * n + 1), observation));
  rays.profile = HostArray<int*>("profile", rays.nray());
  for (int r = 0; r < rays.nray(); ++r) rays.profile(r) = r / nray;
  auto const spectra = compute_spectra(problem, all, rays, options);
  Differences d;
  d.forward = HostArray<double***>("forward", nray, problem.nchannel(), n);
  d.backward = HostArray<double***>("backward", nray, problem.nchannel(), n);
  d.spectra = spectra;
  for (int r = 0; r < nray; ++r)
    for (int c = 0; c < problem.nchannel(); ++c)
      for (int i = 0; i < n; ++i) {
        double const here = spectra.radiance(r, c);
        auto const s = static_cast<std::size_t>(2 * i);
        d.forward(r, c, i) = (spectra.radiance((2 * i + 1) * nray + r, c) - here) / steps[s];
        d.backward(r, c, i) = (here - spectra.radiance((2 * i + 2) * nray + r, c)) / steps[s + 1];
      }
  return d;
}

/// \brief The elements (ray, channel, element) of a Jacobian that differences of a small step to either side, d+ and
/// d-,
///        contradict.
///
/// The model is smooth but for kinks where a point, or a path's emissivity, passes from one piece of a table to the
/// next, or a point from one interval of the atmosphere to the next. A derivative at or next to a kink lies between d+
/// and d-, so it may be off their mean by |d+ - d-| / 2. To this come 2e-6 of the largest element of the quantity for
/// curvature, and the rounding of the radiance I over the step: 1e-14 I for straight rays. Refraction takes differences
/// of refractivity over 20 m, where distances of 6400 km are rounded to 1e-9 m: the radiance then has errors of some
/// 1e-12.
/// \param kinks number of elements where |d+ - d-| / 2 is above the other two allowances
std::vector<std::string> contradictions(Problem const& problem, HostAtmosphere const& atmosphere,
                                        HostObservation const& observation, HostJacobian const& jacobian, double step,
                                        HostEgaOptions const& options, int& kinks) {
  double const radiance_error = problem.options.refraction ? 1e-12 : 1e-14;
  auto const d = differences(problem, atmosphere, observation, jacobian.elements, step, options);
  auto const& elements = jacobian.elements;
  std::vector<std::string> found;
  kinks = 0;
  for (int r = 0; r < observation.nray(); ++r)
    for (int c = 0; c < problem.nchannel(); ++c) {
      double const radiance = d.spectra.radiance(r, c);
      EXPECT_NEAR(jacobian.spectra.radiance(r, c), radiance, 1e-12 * std::abs(radiance));
      EXPECT_NEAR(jacobian.spectra.transmittance(r, c), d.spectra.transmittance(r, c), 1e-12);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        auto const& element = elements[i];
        double largest = 0;
        for (std::size_t j = 0; j < elements.size(); ++j)
          if (elements[j].quantity == element.quantity && elements[j].which == element.which)
            largest = std::max(largest, std::abs(jacobian.derivative(r, c, j)));
        double const value = value_of(atmosphere, 0, element);
        double const smooth = 2e-6 * largest + radiance_error * std::abs(radiance) / (step * value);
        double const between = std::abs(d.forward(r, c, i) - d.backward(r, c, i)) / 2;
        double const off = std::abs(jacobian.derivative(r, c, i) - (d.forward(r, c, i) + d.backward(r, c, i)) / 2);
        if (between > smooth) ++kinks;
        if (off > smooth + 1.001 * between)
          found.push_back(
              fmt::format("ray {}, channel {}, quantity {} {}, level {}: {} is not between {} and {}; "
                          "largest {}, allowed {}",
                          r, c, static_cast<int>(element.quantity), element.which, element.level,
                          jacobian.derivative(r, c, i), d.forward(r, c, i), d.backward(r, c, i), largest, smooth));
      }
    }
  return found;
}

/// \brief Compares with differences. Where two kinks are within a step, a derivative need not lie between them: these
///        few, one element in 100, must with a step of a tenth. That all this says something is required, too: there
///        are kinks in no more than this share of the elements.
void expect_derivatives(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                        std::string const& space, std::string const& label, double max_kinks = 0.02) {
  HostEgaOptions const options{.space = space};
  auto const jacobian =
      compute_jacobian(problem, atmosphere, observation, all_elements(atmosphere), JacobianMethod::analytic, options);
  double const step = problem.options.refraction ? 1e-5 : 1e-6;
  int const all = static_cast<int>(jacobian.derivative.size());
  int kinks = 0;
  auto found = contradictions(problem, atmosphere, observation, jacobian, step, options, kinks);
  EXPECT_LE(static_cast<int>(found.size()), all / 100) << label << ": of " << all << "; " << found[0];
  EXPECT_LE(kinks, max_kinks * all) << label << ": of " << all;
  if (found.empty()) return;
  found = contradictions(problem, atmosphere, observation, jacobian, step / 10, options, kinks);
  EXPECT_TRUE(found.empty()) << label << ": " << found.size() << " of " << all << "; " << found[0];
}

/// Extinctions of some 1e-6 m-1 that fall off with height.
HostAtmosphere hazy_atmosphere(std::vector<std::string> const& gases, int nwindow = 1) {
  auto const a = small_atmosphere(gases, nwindow);
  for (int w = 0; w < nwindow; ++w)
    for (int l = 0; l < a.nlev(); ++l) a.extinction(0, w, l) = 2e-6 * (1 + w) * std::exp(-a.altitude(0, l) / 6e3);
  return a;
}

void add_cloud(HostAtmosphere& a, Problem& problem) {
  problem.channels.cloud_wavenumber = {600, 3000};
  a.cloud_height = HostArray<double*>("cloud_height", 1);
  a.cloud_depth = HostArray<double*>("cloud_depth", 1);
  a.cloud_extinction = HostArray<double**>("cloud_extinction", 1, 2);
  a.cloud_height(0) = 10.3e3;
  a.cloud_depth(0) = 1.5e3;
  a.cloud_extinction(0, 0) = 3e-6;
  a.cloud_extinction(0, 1) = 2e-5;
}

void add_surface(HostAtmosphere& a, Problem& problem, double temperature, double emissivity0, double emissivity1) {
  problem.channels.surface_wavenumber = {600, 3000};
  a.surface_altitude = HostArray<double*>("surface_altitude", 1);
  a.surface_pressure = HostArray<double*>("surface_pressure", 1);
  a.surface_temperature = HostArray<double*>("surface_temperature", 1);
  a.surface_emissivity = HostArray<double**>("surface_emissivity", 1, 2);
  a.surface_altitude(0) = 730;
  a.surface_temperature(0) = temperature;
  a.surface_emissivity(0, 0) = emissivity0;
  a.surface_emissivity(0, 1) = emissivity1;
}

/// Continua of CO2 and H2O everywhere, of N2 and O2 where they are.
ContinuumTables some_continua() {
  ContinuumTables t;
  t.co2 = {{0, 4000}, {1e-3, 4e-3}, {1.5e-3, 5e-3}, {2e-3, 7e-3}};
  t.h2o = {{0, 20000}, {3e-4, 1e-4}, {5e-4, 2e-4}, {2e-6, 1e-6}, {820, 960}, {0.9, 1.1}};
  t.n2 = {{2120, 2605}, {0.5, 1}, {500, 800}};
  t.o2 = {{1360, 1805}, {0.7, 1}, {-200, 300}};
  return t;
}

HostObservation zenith_rays() {
  auto o = make_observation(2);
  for (int r = 0; r < 2; ++r) {
    o.observer.altitude(r) = 1234;
    o.view_point.altitude(r) = 55e3;
    o.view_point.latitude(r) = 0.4 * r;
  }
  return o;
}

HostObservation some_rays() { return joined({limb_rays({8.2e3, 15.1e3, 33e3}), nadir_rays({0.1, 5}), zenith_rays()}); }

template <class Space>
struct EgaJacobian : testing::Test {};
TYPED_TEST_SUITE(EgaJacobian, Spaces, SpaceName);

TYPED_TEST(EgaJacobian, IsTheDerivativeInLimbNadirAndZenith) {
  for (bool const refraction : {false, true}) {
    auto problem = small_problem(3, 2);
    problem.options.refraction = refraction;
    expect_derivatives(problem, hazy_atmosphere(problem.gases), some_rays(), TypeParam::name(),
                       refraction ? "refracted" : "straight");
  }
}

TYPED_TEST(EgaJacobian, HasContinuaAerosolAndCloud) {
  auto problem = small_problem(2, 5);
  problem.channels.wavenumber = {700, 900, 1500, 2350, 2500};
  problem.channels.window = {0, 1, 0, 1, 1};
  problem.continua = some_continua();
  problem.options.continua = {};
  auto atmosphere = hazy_atmosphere(problem.gases, 2);
  for (int l = 0; l < atmosphere.nlev(); ++l) {
    atmosphere.mole_fraction(0, 0, l) = 4e-4;
    atmosphere.mole_fraction(0, 1, l) = 5e-6 + 5e-3 * std::exp(-atmosphere.altitude(0, l) / 3e3);
  }
  add_cloud(atmosphere, problem);
  for (bool const refraction : {false, true}) {
    problem.options.refraction = refraction;
    expect_derivatives(problem, atmosphere, some_rays(), TypeParam::name(), refraction ? "refracted" : "straight");
  }
}

TYPED_TEST(EgaJacobian, HasTheSurface) {
  auto problem = small_problem(3, 2);
  problem.channels.wavenumber = {900, 2500};
  problem.options.vertical_step = 500;
  auto atmosphere = hazy_atmosphere(problem.gases);
  auto rays = nadir_rays({0.1, 3, 6});
  for (int r = 0; r < 3; ++r) rays.time(r) = 12 * 3600.;  // noon at Greenwich
  for (double const temperature : {-1., 280.}) {
    add_surface(atmosphere, problem, temperature, 0.5, 0.9);
    for (auto const type : {SurfaceType::none, SurfaceType::emission, SurfaceType::reflection, SurfaceType::sunlight})
      for (bool const refraction : {false, true}) {
        problem.options.surface = type;
        problem.options.refraction = refraction;
        problem.options.solar_zenith_angle.reset();
        if (temperature > 0) problem.options.solar_zenith_angle = 40;
        expect_derivatives(problem, atmosphere, rays, TypeParam::name(),
                           "surface " + std::to_string(static_cast<int>(type)) + (refraction ? " refracted" : ""));
      }
  }
}

// The sun shows how the place where the ray ends moves: with it alone, in a transparent atmosphere, derivatives by
// pressure come only from there.
TYPED_TEST(EgaJacobian, HasThePlaceWhereTheSunIsReflected) {
  auto problem = small_problem(1, 1);
  problem.channels.wavenumber = {2500};
  problem.channels.filter = {{{2500}, {1}}};
  problem.options.surface = SurfaceType::sunlight;
  auto atmosphere = small_atmosphere(problem.gases);
  parhelion::assign_array(atmosphere.mole_fraction, 0.);
  add_surface(atmosphere, problem, 1, 0.1, 0.1);  // too cold to be seen
  auto rays = nadir_rays({14});
  rays.time(0) = 9 * 3600.;
  auto const choice = all_elements(atmosphere);
  HostEgaOptions const options{.space = TypeParam::name(), .out_of_range = OutOfRange::extrapolate};
  auto const analytic = compute_jacobian(problem, atmosphere, rays, choice, JacobianMethod::analytic, options);
  auto const d = differences(problem, atmosphere, rays, analytic.elements, 1e-3, options);
  double largest = 0;
  for (int l = 0; l < atmosphere.nlev(); ++l) largest = std::max(largest, std::abs(analytic.derivative(0, 0, l)));
  EXPECT_GT(largest, 0);
  // A difference of 1e-3 moves the points whose refractivity is taken by some centimetres, some of them over the kink
  // at a level: refractivity changes its slope by some per cent there, in one point of a thousand.
  for (int l = 0; l < atmosphere.nlev(); ++l)
    EXPECT_NEAR(analytic.derivative(0, 0, l), (d.forward(0, 0, l) + d.backward(0, 0, l)) / 2, 3e-4 * largest) << l;
}

TYPED_TEST(EgaJacobian, HasCurtisGodsonMeans) {
  auto problem = small_problem(3, 2);
  problem.options.method = Method::curtis_godson;
  for (bool const refraction : {false, true}) {
    problem.options.refraction = refraction;
    expect_derivatives(problem, hazy_atmosphere(problem.gases), some_rays(), TypeParam::name(),
                       refraction ? "refracted" : "straight");
  }
}

TYPED_TEST(EgaJacobian, KeepsPressuresHydrostatic) {
  auto problem = small_problem(3, 2);
  problem.options.hydrostatic_reference = 11.4e3;
  auto atmosphere = hazy_atmosphere(problem.gases);
  for (int l = 0; l < atmosphere.nlev(); ++l)
    atmosphere.mole_fraction(0, 1, l) = 5e-6 + 2e-2 * std::exp(-atmosphere.altitude(0, l) / 3e3);
  expect_derivatives(problem, atmosphere, limb_rays({8.2e3, 15.1e3}), TypeParam::name(), "hydrostatic");
  auto const jacobian = compute_jacobian(problem, atmosphere, limb_rays({8.2e3}), all_elements(atmosphere),
                                         JacobianMethod::analytic, {.space = TypeParam::name()});
  for (std::size_t i = 0; jacobian.elements[i].quantity == Quantity::pressure; ++i)
    EXPECT_EQ(jacobian.derivative(0, 0, i) != 0, jacobian.elements[i].level == 6) << i;
}

TYPED_TEST(EgaJacobian, IsThatOfFieldOfViewAndBrightnessTemperature) {
  auto problem = small_problem(2, 2);
  problem.options.refraction = false;
  auto const atmosphere = hazy_atmosphere(problem.gases);
  auto const rays = limb_rays({9e3, 10.1e3, 11.3e3, 12e3});
  problem.field_of_view = {{-800, 0, 900}, {1, 2, 0.5}};
  expect_derivatives(problem, atmosphere, rays, TypeParam::name(), "field of view");
  problem.options.brightness_temperature = true;
  expect_derivatives(problem, atmosphere, rays, TypeParam::name(), "both");
  problem.field_of_view = {};
  expect_derivatives(problem, atmosphere, rays, TypeParam::name(), "brightness temperature");
}

TYPED_TEST(EgaJacobian, IsNotANumberWhereMasked) {
  auto const problem = small_problem(1, 2);
  auto const atmosphere = hazy_atmosphere(problem.gases);
  auto rays = limb_rays({9e3, 12e3});
  rays.masked = HostArray<bool**>("masked", 2, 2);
  rays.masked(1, 0) = true;
  auto const jacobian = compute_jacobian(problem, atmosphere, rays, all_elements(atmosphere), JacobianMethod::analytic,
                                         {.space = TypeParam::name()});
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      for (std::size_t i = 0; i < jacobian.elements.size(); ++i)
        EXPECT_EQ(std::isnan(jacobian.derivative(r, c, i)), rays.masked(r, c)) << r << c << i;
}

TYPED_TEST(EgaJacobian, IsThatOfTablesOnSeveralGridsAndMissingOnes) {
  for (int const nchannel : {3, 13}) {
    auto problem = small_problem(3, nchannel);
    TableSet tables;
    for (int g = 0; g < 3; ++g) {
      tables.emplace_back();
      for (int c = 0; c < nchannel; ++c) {
        SmallGrid grid;
        if (g == 0 && c % 2 == 1) grid.ntemperature = 4;
        double const wavenumber = problem.channels.wavenumber[static_cast<std::size_t>(c)];
        bool const missing = g == 2 || (g == 1 && c == 1);
        tables.back().push_back(missing ? EmissivityTable{} : small_table(io::synthetic_band(g, wavenumber), grid));
      }
    }
    problem.tables = provider_of(std::move(tables));
    problem.options.refraction = false;
    expect_derivatives(problem, hazy_atmosphere(problem.gases), limb_rays({9e3}), TypeParam::name(),
                       std::to_string(nchannel) + " channels");
  }
}

/// Largest differences of two Jacobians by ray, channel and quantity, relative to the largest element there.
std::vector<double> differences_of(HostJacobian const& a, HostJacobian const& b) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < a.derivative.extent(0); ++r)
    for (std::size_t c = 0; c < a.derivative.extent(1); ++c)
      for (std::size_t i = 0; i < a.elements.size();) {
        auto const first = a.elements[i];
        double largest = 0;
        double off = 0;
        for (; i < a.elements.size() && a.elements[i].quantity == first.quantity && a.elements[i].which == first.which;
             ++i) {
          largest = std::max(largest, std::abs(b.derivative(r, c, i)));
          off = std::max(off, std::abs(a.derivative(r, c, i) - b.derivative(r, c, i)));
        }
        differences.push_back(off > 0 ? off / largest : 0);
      }
  return differences;
}

double difference_of(HostJacobian const& a, HostJacobian const& b) {
  auto const differences = differences_of(a, b);
  return *std::max_element(differences.begin(), differences.end());
}

TYPED_TEST(EgaJacobian, DoesNotDependOnHowItIsCut) {
  auto const problem = small_problem(2, 20);
  auto const atmosphere = hazy_atmosphere(problem.gases);
  auto const rays = some_rays();
  auto const choice = all_elements(atmosphere);
  auto const compute = [&](HostEgaOptions const& options, HostEgaReport* report) {
    return compute_jacobian(problem, atmosphere, rays, choice, JacobianMethod::analytic, options, report);
  };
  HostEgaReport report;
  auto const whole = compute({.space = TypeParam::name()}, &report);
  EXPECT_EQ(report.channel_blocks, 1);
  // The same bits from run to run, and for other chunks of rays.
  EXPECT_EQ(difference_of(compute({.space = TypeParam::name()}, nullptr), whole), 0);
  EXPECT_EQ(difference_of(compute({.space = TypeParam::name(), .chunk = 2}, &report), whole), 0);
  EXPECT_EQ(report.plan.chunk, 2);
  // Other blocks of channels are other code, which rounds differently.
  auto const cut = compute({.space = TypeParam::name(), .memory_limit = report.table_bytes / 5}, &report);
  EXPECT_GE(report.channel_blocks, 5);
  EXPECT_LT(difference_of(cut, whole), 1e-10);
}

TYPED_TEST(EgaJacobian, IsTheSameInSinglePrecision) {
  auto problem = small_problem(3, 3);
  problem.options.table_slopes = TableSlopes::float32;
  auto atmosphere = hazy_atmosphere(problem.gases);
  add_cloud(atmosphere, problem);
  auto const rays = some_rays();
  auto const choice = all_elements(atmosphere);
  auto const in_double =
      compute_jacobian(problem, atmosphere, rays, choice, JacobianMethod::analytic, {.space = TypeParam::name()});
  auto const in_float = compute_jacobian(problem, atmosphere, rays, choice, JacobianMethod::analytic,
                                         {.space = TypeParam::name(), .precision = Precision::float32});
  // Where emissivity comes so close to a point of a table that its rounding decides about the side, derivatives jump
  // with the slope of the table, by up to its steps of 12 %.
  auto const differences = differences_of(in_float, in_double);
  auto const kinks = std::count_if(differences.begin(), differences.end(), [](double d) { return d > 1e-3; });
  EXPECT_LE(static_cast<double>(kinks), 0.05 * static_cast<double>(differences.size()));
  EXPECT_LT(*std::max_element(differences.begin(), differences.end()), 0.12);
}

// The reference surface below a transparent atmosphere: B(T) of the lowest level, and nothing else.
TYPED_TEST(EgaJacobian, IsThatOfTheSurfaceWhereAirIsTransparent) {
  auto const problem = small_problem(2, 1);
  auto const atmosphere = small_atmosphere(problem.gases);
  parhelion::assign_array(atmosphere.mole_fraction, 0.);
  auto const jacobian = compute_jacobian(problem, atmosphere, nadir_rays({0}), all_elements(atmosphere),
                                         JacobianMethod::analytic, {.space = TypeParam::name()});
  double const t = atmosphere.temperature(0, 0);
  Filter const& filter = problem.channels.filter[0];
  // The source table is linear between its temperatures, 0.25 K apart: its slope is the derivative half way between two
  // of them, within a step 0.25 K of a curve whose slope changes by 1 % per kelvin.
  double const expected = (filtered_planck(filter, t + 0.25) - filtered_planck(filter, t - 0.25)) / 0.5;
  for (std::size_t i = 0; i < jacobian.elements.size(); ++i) {
    auto const& e = jacobian.elements[i];
    double const is = e.quantity == Quantity::temperature && e.level == 0 ? expected : 0;
    double const kelvins = e.quantity == Quantity::temperature ? 1 : 300 / value_of(atmosphere, 0, e);
    // Amounts matter: the first molecules absorb.
    if (e.quantity == Quantity::temperature || e.quantity == Quantity::pressure) {
      EXPECT_NEAR(jacobian.derivative(0, 0, i), is, 2.5e-3 * is + 1e-14 * kelvins * expected) << e.level;
    }
  }
}

// In an isothermal atmosphere over a black surface the radiance is B(T) whatever absorbs. Sums of derivatives by
// temperature are dB/dT.
TYPED_TEST(EgaJacobian, ConservesEnergyInAnIsothermalAtmosphere) {
  auto problem = small_problem(2, 2);
  auto const atmosphere = hazy_atmosphere(problem.gases);
  parhelion::assign_array(atmosphere.temperature, 251.3);
  auto const rays = nadir_rays({0, 6});
  auto const jacobian = compute_jacobian(problem, atmosphere, rays, all_elements(atmosphere), JacobianMethod::analytic,
                                         {.space = TypeParam::name()});
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      double const radiance = jacobian.spectra.radiance(r, c);
      double sum = 0;
      for (std::size_t i = 0; i < jacobian.elements.size(); ++i) {
        auto const& e = jacobian.elements[i];
        if (e.quantity == Quantity::temperature)
          sum += jacobian.derivative(r, c, i);
        else  // a relative change of a quantity changes an emissivity, of order 1, by less than itself
          EXPECT_NEAR(jacobian.derivative(r, c, i) * value_of(atmosphere, 0, e), 0, 1e-14 * radiance);
      }
      Filter const& filter = problem.channels.filter[static_cast<std::size_t>(c)];
      double const slope = (filtered_planck(filter, 251.3 + 0.125) - filtered_planck(filter, 251.3 - 0.125)) / 0.25;
      EXPECT_NEAR(sum, slope, 1.5e-3 * slope);
    }
}

// The atmosphere behind an opaque gas has no influence.
TYPED_TEST(EgaJacobian, IsZeroBehindWhatIsOpaque) {
  auto problem = small_problem(2, 1);
  problem.options.refraction = false;
  auto const atmosphere = hazy_atmosphere(problem.gases);
  // More than there can be: all but 1e-9 is taken above 10 km.
  for (int l = 0; l < atmosphere.nlev(); ++l) atmosphere.mole_fraction(0, 0, l) = 1e7;
  auto const jacobian =
      compute_jacobian(problem, atmosphere, nadir_rays({0}), all_elements(atmosphere), JacobianMethod::analytic,
                       {.space = TypeParam::name(), .out_of_range = OutOfRange::extrapolate});
  EXPECT_LT(jacobian.spectra.transmittance(0, 0), 1e-5);
  double above = 0;
  for (std::size_t i = 0; i < jacobian.elements.size(); ++i) {
    auto const& element = jacobian.elements[i];
    ASSERT_TRUE(std::isfinite(jacobian.derivative(0, 0, i)));
    // The surface, which has the temperature of level 0, is skipped last of all: it keeps what transmittance was left.
    if (element.level > 0 && element.level < 5) {
      EXPECT_EQ(jacobian.derivative(0, 0, i), 0) << element.level;
    }
    if (element.quantity == Quantity::temperature) above = std::max(above, std::abs(jacobian.derivative(0, 0, i)));
  }
  EXPECT_GT(above, 0);
}

TYPED_TEST(EgaJacobian, IsZeroWhereARayMissesTheAtmosphere) {
  auto problem = small_problem(1, 1);
  problem.options.brightness_temperature = true;
  auto const atmosphere = hazy_atmosphere(problem.gases);
  auto const jacobian = compute_jacobian(problem, atmosphere, limb_rays({70e3}), all_elements(atmosphere),
                                         JacobianMethod::analytic, {.space = TypeParam::name()});
  for (std::size_t i = 0; i < jacobian.elements.size(); ++i) EXPECT_EQ(jacobian.derivative(0, 0, i), 0);
}

// The reference's derivatives are one-sided differences with steps of 1 % and 1 K, as far as the model has kinks all
// along: column densities of its tables have a ratio of 1.12, and slopes of neighbouring pieces differ by up to that.
// Most quantities are within 1 %; where a step crosses a kink in the segment that counts, it may be that 12 %.
TYPED_TEST(EgaJacobian, ComparesWithTheReferencesDifferences) {
  PARHELION_REQUIRE_DATA(list, "jurassic/cases.json");
  auto const folder = std::filesystem::path(list).parent_path().string();
  for (std::string const name : {"limb_dbg", "nadir_dbg"}) {
    auto const control = io::read_jurassic_control(folder + "/cases/" + name + "/case.ctl");
    auto const atmosphere = io::read_jurassic_atmosphere(folder + "/atm/midlat_aerosol.tab", control);
    auto const rays =
        io::read_jurassic_observation(folder + "/obs/" + (name == "limb_dbg" ? "limb6.tab" : "nadir3.tab"), control);
    Problem problem;
    problem.gases = control.gases;
    problem.channels = control.channels;
    problem.options = control.options;
    problem.channels.filter = {io::read_filter(folder + "/tables/boxcar_792.0000.filt")};
    problem.continua = io::read_continua(folder + "/continua", {});
    TableSet tables;
    for (auto const& gas : problem.gases)
      tables.push_back({io::read_table(folder + "/tables/boxcar_792.0000_" + gas + ".bin")});
    problem.tables = provider_of(std::move(tables));
    auto const jacobian = compute_jacobian(problem, atmosphere, rays, control.elements, JacobianMethod::analytic,
                                           {.space = TypeParam::name()});
    // The last column holds the element; names before it do not count.
    HostJacobian reference = jacobian;
    reference.derivative = HostArray<double***>("derivative", rays.nray(), 1, jacobian.elements.size());
    std::ifstream file(folder + "/cases/" + name + "/kernel.tab");
    std::size_t n = 0;
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      ASSERT_LT(n, reference.derivative.size());
      auto const& element = jacobian.elements[n % jacobian.elements.size()];
      double const unit = element.quantity == Quantity::pressure     ? 100
                          : element.quantity == Quantity::extinction ? 1e-3
                                                                     : 1;
      reference.derivative.data()[n++] = std::stod(line.substr(line.rfind(' ') + 1)) / unit;
    }
    ASSERT_EQ(n, reference.derivative.size());
    auto differences = differences_of(jacobian, reference);
    std::sort(differences.begin(), differences.end());
    EXPECT_LT(differences.back(), 0.15) << name;
    EXPECT_LT(differences[differences.size() / 2], 0.01) << name;
    // The tables are dense: 1e-5 of the pressure is often enough to meet a kink somewhere along the path.
    expect_derivatives(problem, atmosphere, rays, TypeParam::name(), name, 0.05);
  }
}

}  // namespace
