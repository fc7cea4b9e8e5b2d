// SPDX-License-Identifier: BSD-3-Clause
// Where the models are valid, what becomes of columns that are not there, and Planck functions beyond RRTMG_LW's table.
#include "reference.hpp"
#include "synthetic_coefficients.hpp"
#include "synthetic_columns.hpp"

#include <parhelion/core/constants.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::HostColumns;
using fluxes::HostFluxes;
using fluxes::HostLongwaveOptions;
using fluxes::HostLongwaveReport;
using fluxes::nbnd;
using fluxes::Transmittance;

template <class Pair>
HostLongwaveOptions options_of(HostLongwaveOptions options) {
  options.space = Pair::ExecutionSpace::name();
  options.precision = std::is_same_v<typename Pair::Real, float> ? Precision::float32 : Precision::float64;
  return options;
}

/// Black surfaces of these temperatures under the same air.
HostColumns black_surfaces(std::vector<double> const& temperatures) {
  int const ncol = static_cast<int>(temperatures.size());
  auto const columns = synthetic_columns(ncol, 3, 1);
  auto const spread = [](auto const& view) {
    std::size_t const n = view.size() / view.extent(0);
    for (std::size_t i = n; i < view.size(); ++i) view.data()[i] = view.data()[i % n];
  };
  spread(columns.pressure_lay);
  spread(columns.pressure_lev);
  spread(columns.temperature_lay);
  spread(columns.temperature_lev);
  spread(columns.vmr);
  parhelion::assign_array(columns.emissivity_sfc, 1.0);
  for (int c = 0; c < ncol; ++c) columns.temperature_sfc(c) = temperatures[static_cast<std::size_t>(c)];
  return columns;
}

void make_isothermal(HostColumns const& columns, double temperature) {
  parhelion::assign_array(columns.temperature_lay, temperature);
  parhelion::assign_array(columns.temperature_lev, temperature);
  parhelion::assign_array(columns.temperature_sfc, temperature);
  parhelion::assign_array(columns.emissivity_sfc, 1.0);
}

/// Integral of Planck's function over a band [W m-2 sr-1] by Simpson's rule; the last band holds all above its limit.
double planck_of_band(int band, double temperature) {
  auto const& limits = fluxes::bands()[static_cast<std::size_t>(band)];
  double const low = limits.wavenumber_low;
  double const high = band == nbnd - 1 ? low + 60 * temperature / 1.438776877503934 : limits.wavenumber_high;
  auto const planck = [&](double nu) {
    return 1.1910429723971884e-8 * nu * nu * nu / std::expm1(1.438776877503934 * nu / temperature);
  };
  constexpr int n = 4000;
  double const step = (high - low) / n;
  double sum = planck(low) + planck(high);
  for (int i = 1; i < n; ++i) sum += (i % 2 == 1 ? 4 : 2) * planck(low + i * step);
  return sum * step / 3;
}

template <class Pair>
struct ValidityTest : testing::Test {
  using Real = typename Pair::Real;
  static constexpr bool in_double = std::is_same_v<Real, double>;
  HostFluxes solve(HostColumns const& columns, HostLongwaveOptions const& options = {},
                   HostLongwaveReport* report = nullptr) {
    return fluxes::compute_longwave(columns, synthetic_coefficients(), options_of<Pair>(options), report);
  }
};
TYPED_TEST_SUITE(ValidityTest, SpacesAndReals, PairName);

// --- Planck functions -------------------------------------------------------------------------------------------

TYPED_TEST(ValidityTest, BandsEmitTheirPlanckIntegralFrom100To400Kelvin) {
  std::vector<double> temperatures;
  for (double t = 100; t <= 400; t += t < 160 || t >= 340 ? 0.25 : 1) temperatures.push_back(t);
  auto const fluxes =
      this->solve(black_surfaces(temperatures), {.outputs = {.bands = true}, .out_of_range = OutOfRange::extrapolate});
  for (std::size_t c = 0; c < temperatures.size(); ++c) {
    double all = 0;
    for (int band = 0; band < nbnd; ++band) {
      double const expected = std::numbers::pi * planck_of_band(band, temperatures[c]);
      EXPECT_NEAR(fluxes.flux_up_band(c, 0, band) / expected, 1, 1e-3) << "band " << band << ", " << temperatures[c];
      all += expected;
    }
    EXPECT_NEAR(fluxes.flux_up(c, 0) / all, 1, 1e-4) << temperatures[c];
  }
}

// Between the whole kelvins of RRTMG_LW's table, which is linear there, bands emit as its chords say, whose ends are
// right to 1.6e-4. A chord lies above the integral by an eighth of its second derivative, 1 / 8 (c2 nu / T^2)^2 of it,
// which is 2.5e-3 at 2600 cm-1 and 160.5 K, and below 1e-3 from 200 K on.
TYPED_TEST(ValidityTest, BandsEmitTheChordsOfTheTableBetweenWholeKelvins) {
  std::vector<double> temperatures;
  for (double t = 160.5; t < 340; ++t) temperatures.push_back(t);
  auto const fluxes = this->solve(black_surfaces(temperatures), {.outputs = {.bands = true}});
  double worst = 0;
  for (std::size_t c = 0; c < temperatures.size(); ++c) {
    double const t = temperatures[c];
    double all = 0;
    for (int band = 0; band < nbnd; ++band) {
      double const expected = std::numbers::pi * planck_of_band(band, t);
      double const chord = std::numbers::pi * (planck_of_band(band, t - 0.5) + planck_of_band(band, t + 0.5)) / 2;
      EXPECT_NEAR(fluxes.flux_up_band(c, 0, band) / chord, 1, 1.7e-4) << "band " << band << ", " << t;
      double const departure = std::abs(fluxes.flux_up_band(c, 0, band) / expected - 1);
      EXPECT_LT(departure, t > 200 ? 1e-3 : 2.6e-3) << "band " << band << ", " << t;
      worst = std::max(worst, departure);
      all += expected;
    }
    EXPECT_NEAR(fluxes.flux_up(c, 0) / all, 1, 1e-4) << t;
  }
  EXPECT_GT(worst, 2.3e-3);
}

TYPED_TEST(ValidityTest, PlanckFunctionsAreContinuousWhereTheTableEnds) {
  using Real = typename TypeParam::Real;
  std::vector<double> const temperatures{std::nextafter(Real(160), Real(0)), 160, 340,
                                         std::nextafter(Real(340), Real(400))};
  auto const fluxes = this->solve(black_surfaces(temperatures), {.outputs = {.derivative = true, .bands = true},
                                                                 .out_of_range = OutOfRange::extrapolate});
  for (int end = 0; end < 2; ++end) {
    int const beyond = end == 0 ? 0 : 3, inside = end == 0 ? 1 : 2;
    for (int band = 0; band < nbnd; ++band)
      EXPECT_NEAR(fluxes.flux_up_band(beyond, 0, band) / fluxes.flux_up_band(inside, 0, band), 1,
                  300 * std::numeric_limits<Real>::epsilon())
          << band;
    // The table of derivatives has errors of its own.
    EXPECT_NEAR(fluxes.dflux_up_dt(beyond, 0) / fluxes.dflux_up_dt(inside, 0), 1, 1e-3);
  }
}

TYPED_TEST(ValidityTest, DerivativesBeyondTheTableAreThoseOfTheFlux) {
  double const step = 0.25;
  for (double const t : {105.0, 130.0, 155.0, 345.0, 399.0}) {
    auto const fluxes = this->solve(black_surfaces({t - step, t, t + step}),
                                    {.outputs = {.derivative = true}, .out_of_range = OutOfRange::extrapolate});
    double const slope = (fluxes.flux_up(2, 0) - fluxes.flux_up(0, 0)) / (2 * step);
    EXPECT_NEAR(fluxes.dflux_up_dt(1, 0) / slope, 1, this->in_double ? 2e-4 : 2e-3) << t;
  }
}

TYPED_TEST(ValidityTest, TableModeKeepsTheOriginalsTable) {
  auto const fluxes = this->solve(
      black_surfaces({150, 160, 161, 339, 340, 350}),
      {.transmittance = Transmittance::table, .outputs = {.bands = true}, .out_of_range = OutOfRange::extrapolate});
  double const tolerance = 200 * std::numeric_limits<typename TypeParam::Real>::epsilon();
  for (int band = 0; band < nbnd; ++band) {
    auto const flux = [&](int c) { return fluxes.flux_up_band(c, 0, band); };
    EXPECT_NEAR(flux(0), flux(1) - 10 * (flux(2) - flux(1)), tolerance * 10 * flux(1)) << band;
    EXPECT_NEAR(flux(5), flux(4) + 10 * (flux(4) - flux(3)), tolerance * 10 * flux(4)) << band;
  }
  EXPECT_LT(fluxes.flux_up_band(0, 0, nbnd - 1), 0) << "what linear extrapolation makes of an exponential";
}

// A property of the Planck fractions remains: see IsothermalAtmosphereRadiatesAsABlackBody.
TYPED_TEST(ValidityTest, IsothermalAirIsBlackAtTemperaturesFarFromTheTable) {
  for (double const t : {120.0, 140.0, 160.0, 250.0, 340.0, 400.0, 500.0}) {
    auto const columns = synthetic_columns(4, 30, 1);
    make_isothermal(columns, t);
    HostLongwaveReport report;
    auto const fluxes = this->solve(columns, {.out_of_range = OutOfRange::extrapolate}, &report);
    double const black = constants::stefan_boltzmann * std::pow(t, 4);
    double worst = 0;
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(fluxes.flux_up(c, 0) / black, 1, 2e-3) << t;
      for (int level = 0; level <= 30; ++level)
        worst = std::fmax(worst, std::abs(fluxes.flux_up(c, level) / black - 1));
      EXPECT_GT(fluxes.flux_dn(c, 0), 0);
    }
    this->RecordProperty("worst_at_" + std::to_string(static_cast<int>(t)), std::to_string(worst));
    EXPECT_LE(worst, 0.005) << t;
  }
}

TYPED_TEST(ValidityTest, ExtrapolationIsFiniteAndPositive) {
  std::vector<double> const temperatures{1, 15, 60, 1000, 1e5, 1e30};
  HostLongwaveReport report;
  for (auto const mode : {Transmittance::exact, Transmittance::table}) {
    auto const fluxes = this->solve(
        black_surfaces(temperatures),
        {.transmittance = mode, .outputs = {.derivative = true}, .out_of_range = OutOfRange::extrapolate}, &report);
    EXPECT_EQ(report.out_of_range, (OutOfRangeCounts{{"temperature_sfc", temperatures.size()}}));
    for (std::size_t c = 0; c < temperatures.size(); ++c) {
      // The first band begins at 10 cm-1, and beyond 1000 K all goes on as a line.
      if (temperatures[c] >= 15 && temperatures[c] <= 1000) {
        double const black = constants::stefan_boltzmann * std::pow(temperatures[c], 4);
        EXPECT_NEAR(fluxes.flux_up(c, 0) / black, 1, 0.05) << temperatures[c];
      }
      for (int level = 0; level < 4; ++level) {
        EXPECT_GT(fluxes.flux_up(c, level), 0);
        EXPECT_TRUE(std::isfinite(fluxes.flux_up(c, level)));
        EXPECT_GE(fluxes.dflux_up_dt(c, level), 0);
      }
    }
  }
}

// --- ranges -----------------------------------------------------------------------------------------------------

TEST(Validity, MesospheresMayBeCold) {
  EXPECT_EQ(fluxes::rrtmg_validity.temperature_at(100).lowest, 160);
  EXPECT_EQ(fluxes::rrtmg_validity.temperature_at(99.9).lowest, 110);
  EXPECT_EQ(fluxes::rrtmg_validity.temperature_at(99.9).highest, 400);
  EXPECT_EQ(fluxes::simple_validity.temperature_at(1).lowest, 110);
}

// What the range of the simple model says of it.
TEST(Validity, TheSimpleModelEmitsAsABlackBodyWithinItsRange) {
  auto const columns = black_surfaces({110, 150, 200, 300, 400, 500, 570});
  parhelion::assign_array(columns.vmr, 0.0);
  auto const fluxes = fluxes::compute_longwave(columns, fluxes::SimpleSpectralData());
  for (int c = 0; c < columns.ncol(); ++c)
    EXPECT_NEAR(fluxes.flux_up(c, 0) / (constants::stefan_boltzmann * std::pow(columns.temperature_sfc(c), 4)), 1, 0.01)
        << columns.temperature_sfc(c);
}

template <class Spoil>
std::string refusal(Spoil const& spoil, fluxes::LongwaveData const& data, HostLongwaveOptions const& options = {}) {
  auto const columns = synthetic_columns(3, 5, 1);
  spoil(columns);
  return message_of([&] { (void)fluxes::compute_longwave(columns, data, options); });
}

TEST(Validity, TheSimpleModelRefusesByNameIndexValueAndRange) {
  auto const refused = [](auto const& spoil) { return refusal(spoil, fluxes::SimpleSpectralData()); };
  std::string const kelvin = ", expected 110 to 570 K";
  EXPECT_EQ(refused([](auto const& c) { c.temperature_sfc(1) = 15; }), "validate: temperature_sfc(1) = 15 K" + kelvin);
  EXPECT_EQ(refused([](auto const& c) { c.temperature_sfc(1) = 1e30; }),
            "validate: temperature_sfc(1) = 1e+30 K" + kelvin);
  EXPECT_EQ(refused([](auto const& c) { c.temperature_lay(2, 4) = 600; }),
            "validate: temperature_lay(2, 4) = 600 K" + kelvin);
  EXPECT_EQ(refused([](auto const& c) { c.temperature_lev(0, 5) = 100; }),
            "validate: temperature_lev(0, 5) = 100 K" + kelvin);
  EXPECT_EQ(refused([](auto const& c) { c.pressure_lev(1, 0) = 130000; }),
            "validate: pressure_lev(1, 0) = 130000 Pa, expected 0 to 120000 Pa");
  EXPECT_EQ(refused([](auto const& c) { c.vmr(1, 1, 2) = 1.5; }), "validate: vmr(1, 1, 2) = 1.5, expected 0 to 1");
  EXPECT_EQ(refused([](auto const&) {}), "(no parhelion::Error)");
}

TEST(Validity, RrtmgRefusesByNameIndexValueAndRange) {
  auto const refused = [](auto const& spoil) { return refusal(spoil, synthetic_coefficients()); };
  EXPECT_EQ(refused([](auto const& c) { c.temperature_sfc(1) = 159.9; }),
            "validate: temperature_sfc(1) = 159.9 K, expected 160 to 400 K");
  EXPECT_EQ(refused([](auto const& c) { c.temperature_lay(2, 0) = 401; }),
            "validate: temperature_lay(2, 0) = 401 K, expected 160 to 400 K");
  // The top level of these columns lies at 0.2 hPa.
  EXPECT_EQ(refused([](auto const& c) { c.temperature_lev(1, 5) = 120; }), "(no parhelion::Error)");
  EXPECT_EQ(refused([](auto const& c) { c.temperature_lev(1, 5) = 109; }),
            "validate: temperature_lev(1, 5) = 109 K, expected 110 to 400 K");
  EXPECT_EQ(refused([](auto const& c) { c.temperature_lay(1, 3) = 120; }),
            "validate: temperature_lay(1, 3) = 120 K, expected 160 to 400 K");
  EXPECT_EQ(refused([](auto const& c) {
              for (std::size_t i = 0; i < c.pressure_lev.size(); ++i) c.pressure_lev.data()[i] *= 100;
              for (std::size_t i = 0; i < c.pressure_lay.size(); ++i) c.pressure_lay.data()[i] *= 100;
            }).substr(0, 31),
            "validate: pressure_lay(0, 0) = ")
      << "Pa taken for hPa";
  // What is impossible is said so.
  EXPECT_EQ(refused([](auto const& c) { c.temperature_lay(2, 0) = -1; }),
            "validate: temperature_lay(2, 0) = -1 K, expected a positive number");
}

TEST(Validity, ClippingTakesTheNearestEndAndCounts) {
  auto const columns = synthetic_columns(3, 5, 1);
  columns.temperature_sfc(0) = 15;
  columns.temperature_sfc(2) = -40;
  columns.temperature_lay(1, 2) = 1e30;
  columns.vmr(2, 0, 1) = -1e-9;
  columns.pressure_lev(1, 0) = 125000;
  HostLongwaveReport report;
  auto const clipped =
      fluxes::compute_longwave(columns, fluxes::SimpleSpectralData(), {.out_of_range = OutOfRange::clip}, &report);
  EXPECT_EQ(report.out_of_range,
            (OutOfRangeCounts{{"temperature_lay", 1}, {"temperature_sfc", 2}, {"pressure_lev", 1}, {"vmr", 1}}));
  EXPECT_EQ(columns.temperature_sfc(0), 15) << "the caller's arrays stay as they are";
  columns.temperature_sfc(0) = columns.temperature_sfc(2) = 110;
  columns.temperature_lay(1, 2) = 570;
  columns.vmr(2, 0, 1) = 0;
  columns.pressure_lev(1, 0) = 120000;
  auto const expected = fluxes::compute_longwave(columns, fluxes::SimpleSpectralData(), {}, &report);
  EXPECT_TRUE(report.out_of_range.empty());
  for (std::size_t i = 0; i < expected.flux_up.size(); ++i)
    EXPECT_EQ(clipped.flux_up.data()[i], expected.flux_up.data()[i]);

  HostLongwaveOptions const clip{.out_of_range = OutOfRange::clip};
  EXPECT_EQ(refusal([](auto const& c) { c.temperature_lay(1, 1) = NAN; }, fluxes::SimpleSpectralData(), clip),
            "validate: temperature_lay(1, 1) = nan K, expected a finite number");
  EXPECT_EQ(refusal([](auto const& c) { c.pressure_lay(0, 4) = -5; }, fluxes::SimpleSpectralData(), clip),
            "validate: pressure_lay(0, 4) = 0 Pa, expected a positive number");
  EXPECT_EQ(refusal([](auto const& c) { c.pressure_lev(0, 0) = 2 * (c.pressure_lev(0, 1) = 1e6); },
                    fluxes::SimpleSpectralData(), clip),
            "validate: pressure_lev(0, 1) = 120000 Pa, expected less than the 120000 Pa below");
}

TEST(Validity, ExtrapolationCountsAndRefusesWhatIsImpossible) {
  HostLongwaveOptions const extrapolate{.out_of_range = OutOfRange::extrapolate};
  auto const columns = synthetic_columns(3, 5, 1);
  columns.temperature_sfc(0) = 15;
  columns.temperature_lay(1, 2) = 1000;
  HostLongwaveReport report;
  auto const fluxes = fluxes::compute_longwave(columns, fluxes::SimpleSpectralData(), extrapolate, &report);
  EXPECT_EQ(report.out_of_range, (OutOfRangeCounts{{"temperature_lay", 1}, {"temperature_sfc", 1}}));
  for (std::size_t i = 0; i < fluxes.flux_up.size(); ++i) EXPECT_GT(fluxes.flux_up.data()[i], 0);
  EXPECT_EQ(refusal([](auto const& c) { c.temperature_sfc(2) = 0; }, fluxes::SimpleSpectralData(), extrapolate),
            "validate: temperature_sfc(2) = 0 K, expected a positive number");
  EXPECT_EQ(refusal([](auto const& c) { c.vmr(2, 0, 1) = -1e-9; }, fluxes::SimpleSpectralData(), extrapolate),
            "validate: vmr(2, 0, 1) = -1e-09, expected a number of at least 0");
}

}  // namespace
