// SPDX-License-Identifier: BSD-3-Clause
// Air outside of the range that the model is made for.
#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/ega/forward_model.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/validity.hpp>

#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using namespace parhelion::Testing;

double planck(double wavenumber, double temperature) {
  return jurassic_constants::first_radiation * std::pow(wavenumber, 3) /
         std::expm1(jurassic_constants::second_radiation * wavenumber / temperature);
}

HostAtmosphere checked(HostAtmosphere const& a, OutOfRange what, OutOfRangeCounts& counts) {
  counts.clear();
  return in_valid_range(a, what, counts, "air");
}

TEST(EgaValidity, AirInRangeIsLeftAlone) {
  auto const a = small_atmosphere({"CO2", "H2O"});
  a.temperature(0, 3) = lowest_temperature;
  a.temperature(0, 4) = highest_temperature;
  a.pressure(0, 0) = highest_pressure;
  a.mole_fraction(0, 0, 0) = 0;
  a.mole_fraction(0, 1, 0) = 1;
  OutOfRangeCounts counts;
  for (auto const what : {OutOfRange::refuse, OutOfRange::clip, OutOfRange::extrapolate}) {
    auto const same = checked(a, what, counts);
    EXPECT_EQ(same.temperature.data(), a.temperature.data()) << "not even a copy";
    EXPECT_EQ(same.pressure.data(), a.pressure.data());
    EXPECT_EQ(same.mole_fraction.data(), a.mole_fraction.data());
    EXPECT_EQ(describe(counts), "none");
  }
}

TEST(EgaValidity, EachVariableIsRefusedClippedOrCounted) {
  auto const refusal = [](HostAtmosphere const& a) {
    OutOfRangeCounts counts;
    return message_of([&] { checked(a, OutOfRange::refuse, counts); });
  };
  auto a = repeat(small_atmosphere({"CO2", "H2O"}), 2);
  OutOfRangeCounts counts;
  a.temperature(1, 3) = 400.1;
  EXPECT_EQ(refusal(a), "air: temperature at level 3 (6 km) of profile 1 = 400.1 K, expected 100 to 400 K");
  a.temperature(0, 5) = 99;
  a.pressure(0, 0) = 2e5;
  a.mole_fraction(1, 1, 7) = -1e-6;
  a.mole_fraction(0, 0, 8) = 1.5;
  auto const clipped = checked(a, OutOfRange::clip, counts);
  EXPECT_EQ(describe(counts), "2 of temperature, 1 of pressure, 2 of mole_fraction");
  EXPECT_EQ(clipped.temperature(1, 3), 400);
  EXPECT_EQ(clipped.temperature(0, 5), 100);
  EXPECT_EQ(clipped.pressure(0, 0), 1.2e5);
  EXPECT_EQ(clipped.mole_fraction(1, 1, 7), 0);
  EXPECT_EQ(clipped.mole_fraction(0, 0, 8), 1);
  EXPECT_EQ(a.temperature(1, 3), 400.1) << "the caller's array was changed";
  auto const kept = checked(a, OutOfRange::extrapolate, counts);
  EXPECT_EQ(total(counts), 5U);
  EXPECT_EQ(kept.temperature(1, 3), 400.1);
  EXPECT_EQ(kept.pressure(0, 0), 2e5);
  EXPECT_EQ(kept.mole_fraction(1, 1, 7), 0);
  EXPECT_EQ(kept.mole_fraction(0, 0, 8), 1.5);

  a = small_atmosphere({"CO2"});
  a.surface_altitude = HostArray<double*>("altitude", 1);
  a.surface_pressure = HostArray<double*>("pressure", 1);
  a.surface_temperature = HostArray<double*>("temperature", 1);
  a.surface_emissivity = HostArray<double**>("emissivity", 1, 1);
  EXPECT_EQ(refusal(a), "(no parhelion::Error)") << "0 stands for that of the air";
  a.surface_temperature(0) = 15;
  EXPECT_EQ(refusal(a), "air: surface_temperature = 15 K, expected 100 to 400 K");
  a.surface_temperature(0) = 300;
  a.surface_pressure(0) = 9e6;
  EXPECT_EQ(refusal(a), "air: surface_pressure = 90000 hPa, expected 0 to 1200 hPa");
}

template <class P>
struct EgaRange : testing::Test {
  using Space = typename P::ExecutionSpace;
  using Real = typename P::Real;
  static constexpr double ulp = std::numeric_limits<Real>::epsilon();

  static HostEgaOptions options(OutOfRange what) {
    return {.space = Space::name(),
            .precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64,
            .out_of_range = what};
  }
};

TYPED_TEST_SUITE(EgaRange, SpacesAndReals, PairName);

TYPED_TEST(EgaRange, CallsRefuseUnlessAskedOtherwise) {
  auto const problem = small_problem(2, 9);
  auto a = small_atmosphere(problem.gases);
  a.name = "a.tab";
  a.temperature(0, 2) = 14;
  auto const rays = joined({limb_rays({5e3, 17e3}), nadir_rays({0})});
  ElementChoice const elements{.pressure = {}, .temperature = {10e3, 12e3}, .mole_fraction = {}, .extinction = {}};
  std::string const expected = "a.tab: temperature at level 2 (4 km) = 14 K, expected 100 to 400 K";
  auto const options = this->options(OutOfRange::refuse);
  EXPECT_EQ(message_of([&] { compute_spectra(problem, a, rays, options); }), expected);
  EXPECT_EQ(message_of([&] { plan_spectra(problem, a, rays, options); }), expected);
  EXPECT_EQ(message_of([&] { compute_lines_of_sight(problem, a, rays, {0}, options); }), expected);
  for (auto const method : {JacobianMethod::differences, JacobianMethod::analytic}) {
    EXPECT_EQ(message_of([&] { compute_jacobian(problem, a, rays, elements, method, options); }), expected);
    EXPECT_EQ(message_of([&] { plan_jacobian(problem, a, rays, elements, method, options); }), expected);
  }
  HostEgaReport report;
  auto const clipped = compute_spectra(problem, a, rays, this->options(OutOfRange::clip), &report);
  EXPECT_EQ(describe(report.out_of_range), "1 of temperature");
  auto const at_end = repeat(a, 1);
  at_end.temperature(0, 2) = 100;
  auto const same = compute_spectra(problem, at_end, rays, options, &report);
  EXPECT_EQ(describe(report.out_of_range), "none");
  for (int r = 0; r < rays.nray(); ++r)
    for (int c = 0; c < 9; ++c) EXPECT_EQ(clipped.radiance(r, c), same.radiance(r, c));
}

// With filters of one wavenumber the source goes on as Planck's function: an isothermal atmosphere over black ground is
// black at any temperature. Rounding as in EgaForward.AnIsothermalAtmosphereOverBlackGroundIsBlack; the exponent
// c2 nu / T, up to 100 here, carries a rounding of Real into the exponential.
TYPED_TEST(EgaRange, SourcesGoOnAsPlancksFunction) {
  auto const problem = small_problem(2, 9);
  auto const rays = nadir_rays({0, 3});
  for (double const temperature : {12., 60., 99.9, 400.1, 500., 900.}) {
    auto const a = small_atmosphere(problem.gases);
    parhelion::assign_array(a.temperature, temperature);
    auto const spectra = compute_spectra(problem, a, rays, this->options(OutOfRange::extrapolate));
    for (int c = 0; c < problem.nchannel(); ++c) {
      double const nu = problem.channels.wavenumber[static_cast<std::size_t>(c)];
      for (int r = 0; r < rays.nray(); ++r) {
        double const ratio = spectra.radiance(r, c) / planck(nu, temperature);
        double const rounding =
            (2 * spectra.npoint(r) + 2 * jurassic_constants::second_radiation * nu / temperature) * this->ulp;
        EXPECT_NEAR(ratio, 1, rounding + 1e-12) << temperature << " K, " << r << ", " << c;
      }
    }
  }
}

// Every number may come along: indices stay inside of their tables.
TYPED_TEST(EgaRange, NothingIsReadOutsideOfTables) {
  using Space = typename TestFixture::Space;
  using Real = typename TestFixture::Real;
  auto problem = small_problem(2, 9);
  problem.options.refraction = false;
  Space const space;
  auto const host_rays = joined({limb_rays({5e3, 17e3}), nadir_rays({0})});
  auto const model = make_model<Space, Real>(space, problem, 0, 9);
  ForwardModel<Space, Real> solver(space, model,
                                   {.nray = 3, .ngas = 2, .nchannel = 9, .npoint = 1000, .nprofile = 1, .nlev = 31});
  auto const observation = make_device_arrays<Observation<Space>>(space, host_rays);
  auto const spectra = make_spectra<Real>(space, 3, 9);
  double const infinity = std::numeric_limits<double>::infinity();
  for (double const value : {1e9, -1e9, 1e300, -1e300, infinity, -infinity, std::nan("")})
    for (int variable = 0; variable < 3; ++variable) {
      auto const a = small_atmosphere(problem.gases);
      for (int l = 4; l < 8; ++l) {
        if (variable == 0) a.temperature(0, l) = value;
        if (variable == 1) a.pressure(0, l) = value;
        if (variable == 2) a.mole_fraction(0, 0, l) = value;
      }
      solver.solve(space, {make_device_arrays<Atmosphere<Space>>(space, a), observation}, spectra);
      space.fence();
    }
}

// Derivatives are those of the extrapolated model: of its air and its source, but not of tables and continua.
TYPED_TEST(EgaRange, AnalyticDerivativesGoOn) {
  if constexpr (std::is_same_v<typename TestFixture::Real, float>) {
    GTEST_SKIP() << "differences are in double precision";
  } else {
    auto problem = small_problem(2, 3);
    problem.options.refraction = false;
    auto const rays = joined({limb_rays({9e3}), nadir_rays({0})});
    ElementChoice const elements{.pressure = {}, .temperature = {6e3, 14e3}, .mole_fraction = {}, .extinction = {}};
    for (auto const method : {Method::growth, Method::curtis_godson})
      for (double const factor : {0.3, 2.2}) {
        problem.options.method = method;
        auto const a = small_atmosphere(problem.gases);
        for (int l = 0; l < a.nlev(); ++l) a.temperature(0, l) *= factor;
        auto const options = this->options(OutOfRange::extrapolate);
        auto const analytic = compute_jacobian(problem, a, rays, elements, JacobianMethod::analytic, options);
        auto const by_differences = compute_jacobian(problem, a, rays, elements, JacobianMethod::differences, options);
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 2; ++r) {
            double largest = 0;
            for (std::size_t i = 0; i < analytic.elements.size(); ++i)
              largest = std::max(largest, std::abs(analytic.derivative(r, c, i)));
            // A difference over 1 K has the second derivative in it: at 80 K, c2 nu / T^2 = 0.16 K-1, half of which a
            // difference is off; at 500 K it is 0.004 K-1, and tables that are linear in pieces bend by some per cent
            // more. All levels are out of the range, so that no kink lies between.
            for (std::size_t i = 0; i < analytic.elements.size(); ++i)
              EXPECT_NEAR(analytic.derivative(r, c, i), by_differences.derivative(r, c, i),
                          (factor < 1 ? 0.2 : 0.05) * largest)
                  << factor << ", " << r << ", " << c << ", element " << i;
          }
      }
  }
}

}  // namespace
