// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/synthetic_tables.hpp>

#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using parhelion::Testing::message_of;

constexpr double p0 = 1013.25, t0 = 296;

// pi y / 2 = 1 at standard pressure and reference temperature.
constexpr io::BandParameters round_band{.strength = 1e-20, .width = 2 / std::numbers::pi, .lower_state = 0};

TEST(BandTransmittance, IsTheClosedForm) {
  // sqrt(1 + 2 k u) - 1 with k u = 1.5 and 4; a few roundings.
  EXPECT_NEAR(io::band_transmittance(round_band, p0, t0, 1.5e20), std::exp(-1.), 4e-16);
  EXPECT_NEAR(io::band_transmittance(round_band, p0, t0, 4e20), std::exp(-2.), 4e-16);
  EXPECT_EQ(io::band_transmittance(round_band, p0, t0, 0), 1);
}

TEST(BandTransmittance, ThinPathsAbsorbInProportion) {
  // The next term of the series is (k u)^2 (1/2 + 1/2); the difference from 1 is rounded at 1e-16.
  for (double const ku : {1e-3, 1e-4, 1e-5})
    EXPECT_NEAR(1 - io::band_transmittance(round_band, p0, t0, ku * 1e20), ku, 1.01 * ku * ku + 1e-16) << ku;
}

TEST(BandTransmittance, StrongLinesAbsorbAsTheSquareRoot) {
  io::BandParameters const narrow{.strength = 1e-20, .width = 1e-5, .lower_state = 0};
  for (double const ku : {1e3, 1e4, 1e5}) {
    double const depth = -std::log(io::band_transmittance(narrow, p0, t0, ku * 1e20));
    double const root = std::sqrt(std::numbers::pi * narrow.width * ku);
    // The next term is pi y / 2, then half of its square over the root.
    EXPECT_NEAR(depth, root - std::numbers::pi * narrow.width / 2, 1e-8 * root) << ku;
  }
}

TEST(BandTransmittance, StrengthAndWidthFollowPressureAndTemperature) {
  io::BandParameters const band{.strength = 1e-20, .width = 0.1, .lower_state = 900};
  double const p = 200, t = 220, u = 3e20;
  io::BandParameters const there{
      .strength = band.strength * std::pow(t0 / t, 1.5) * std::exp(-band.lower_state * (1 / t - 1 / t0)),
      .width = band.width * p / p0 * std::sqrt(t0 / t),
      .lower_state = 0};
  EXPECT_NEAR(io::band_transmittance(band, p, t, u), io::band_transmittance(there, p0, t0, u), 1e-14);
}

TEST(BandTransmittance, FallsWithColumnAndPressure) {
  io::BandParameters const band{.strength = 1e-21, .width = 0.1, .lower_state = 500};
  for (double const p : {0.1, 10., 1000.})
    for (double u = 1e16; u < 1e25; u *= 3) {
      EXPECT_LT(io::band_transmittance(band, p, 250, 3 * u), io::band_transmittance(band, p, 250, u));
      EXPECT_LE(io::band_transmittance(band, 2 * p, 250, u), io::band_transmittance(band, p, 250, u));
    }
}

TEST(BandTransmittance, RefusesWhatIsNoPath) {
  for (auto const& [p, t, u] : {std::tuple{0., 250., 1.}, {1., -1., 1.}, {1., 250., -1.}, {NAN, 250., 1.}})
    EXPECT_NE(message_of([p = p, t = t, u = u] {
                io::band_transmittance(round_band, p, t, u);
              }).find("expected two positive"),
              std::string::npos);
  EXPECT_EQ(message_of([] { io::band_transmittance({.strength = 0, .width = 1, .lower_state = 0}, 1, 250, 1); }),
            "band_transmittance: strength = 0, expected a positive finite number [cm2 molecule-1]");
  EXPECT_EQ(message_of([] { io::band_transmittance({.strength = 1, .width = -1, .lower_state = 0}, 1, 250, 1); }),
            "band_transmittance: width = -1, expected a positive finite number");
  EXPECT_EQ(message_of([] { io::band_transmittance({.strength = 1, .width = 1, .lower_state = -2}, 1, 250, 1); }),
            "band_transmittance: lower_state = -2, expected a finite number of K, not negative");
}

TEST(SyntheticBand, SpansSixDecadesSmoothly) {
  double weakest = 1, strongest = 0;
  for (int gas = 0; gas < 13; ++gas)
    for (double nu = 600; nu < 2400; nu += 1.7) {
      auto const band = io::synthetic_band(gas, nu);
      weakest = std::min(weakest, band.strength);
      strongest = std::max(strongest, band.strength);
      EXPECT_GE(band.strength, std::pow(10., -24.5));
      EXPECT_LE(band.strength, std::pow(10., -18.5));
      EXPECT_GE(band.width, std::pow(10., -1.5));
      EXPECT_LE(band.width, std::pow(10., -0.5));
      EXPECT_GE(band.lower_state, 200);
      EXPECT_LE(band.lower_state, 1400);
      // 3 decades times the largest slope of the sum of sines: 0.79 a wavenumber.
      auto const near = io::synthetic_band(gas, nu + 0.01);
      EXPECT_LE(std::abs(std::log10(near.strength / band.strength)), 0.0079);
    }
  EXPECT_LT(weakest, 1e-24);
  EXPECT_GT(strongest, 1e-19);
}

TEST(SyntheticBand, GasesDiffer) {
  for (int gas = 1; gas < 40; ++gas) {
    double difference = 0;
    for (double nu = 700; nu < 800; nu += 3)
      difference = std::max(difference, std::abs(std::log10(io::synthetic_band(gas, nu).strength /
                                                            io::synthetic_band(gas - 1, nu).strength)));
    EXPECT_GT(difference, 1) << gas;
  }
}

TEST(SyntheticBand, RefusesWhatIsNoChannel) {
  EXPECT_EQ(message_of([] { io::synthetic_band(-1, 700); }), "synthetic_band: gas = -1, expected 0 or more");
  EXPECT_EQ(message_of([] { io::synthetic_band(0, 0); }),
            "synthetic_band: wavenumber = 0 cm-1, expected a positive finite number");
}

TEST(SyntheticTable, HasTheGridsOfTablesMadeLineByLine) {
  for (double const nu : {667.8, 792., 1550.}) {
    auto const table = io::synthetic_table(io::synthetic_band(0, nu));
    validate(table, "table");
    ASSERT_EQ(table.npressure(), 40);
    ASSERT_EQ(table.ncurve(), 40 * 29);
    EXPECT_EQ(table.pressure_hPa.front(), 0.0103181);
    EXPECT_EQ(table.pressure_hPa.back(), 796.45);
    for (int p = 1; p < 40; ++p)
      EXPECT_NEAR(std::log(table.pressure_hPa[p] / table.pressure_hPa[p - 1]), std::log(796.45 / 0.0103181) / 39,
                  1e-12);
    for (int p = 0; p < 40; ++p) {
      EXPECT_EQ(table.first_temperature[p], 29 * p);
      EXPECT_GT(table.temperature[29 * p + 14], 200);
      EXPECT_LT(table.temperature[29 * p + 14], 290);
      for (int t = 1; t < 29; ++t)
        EXPECT_NEAR(table.temperature[29 * p + t] - table.temperature[29 * p + t - 1], 5, 1e-12);
    }
    for (int c = 0; c < table.ncurve(); ++c) {
      auto const first = table.first_point[c], end = table.first_point[c + 1];
      EXPECT_LE(end - first, 300);
      // Rounding of the column density to float.
      EXPECT_NEAR(table.emissivity[first] / 1e-6, 1, 2e-7);
      EXPECT_LE(table.emissivity[end - 1], 0.9999f);
      // One step further is beyond 0.9999: the depth grows by no more than the column.
      if (table.column_density[end - 1] < 1e30 / 1.1221) {
        EXPECT_GE(table.emissivity[end - 1], 1 - std::exp(std::log1p(-0.9999) / 1.1221));
      }
      for (auto i = first + 1; i < end; ++i)
        ASSERT_NEAR(table.column_density[i] / table.column_density[i - 1], 1.122, 3e-7);
    }
  }
}

TEST(SyntheticTable, IsTheFormulaAtItsPoints) {
  std::mt19937 random(20240229);
  for (int gas = 0; gas < 5; ++gas) {
    auto const band = io::synthetic_band(gas, 700 + 77.7 * gas);
    auto const table = io::synthetic_table(band);
    for (int check = 0; check < 2000; ++check) {
      auto const p = random() % 40, t = random() % 29;
      auto const curve = table.first_temperature[p] + t;
      auto const first = table.first_point[curve];
      auto const i = first + static_cast<std::int64_t>(
                                 random() % static_cast<std::uint64_t>(table.first_point[curve + 1] - first));
      double const expected =
          1 - io::band_transmittance(band, table.pressure_hPa[p], table.temperature[curve], table.column_density[i]);
      // Half a step of float, and the difference from 1 in double.
      ASSERT_NEAR(table.emissivity[i], expected, 0x1p-24 * expected + 2e-16) << p << ' ' << t << ' ' << i - first;
    }
  }
}

TEST(SyntheticTable, HoldsNoColumnThatReadersDrop) {
  io::BandParameters const weak{.strength = 1e-32, .width = 0.1, .lower_state = 1000};
  auto const table = io::synthetic_table(weak);
  validate(table, "table");
  EXPECT_LE(*std::max_element(table.column_density.begin(), table.column_density.end()), 1e30);
  auto const message = message_of([] { io::synthetic_table({.strength = 1e-37, .width = 0.1, .lower_state = 0}); });
  EXPECT_NE(message.find("synthetic_table: strength = 1e-37 cm2 molecule-1, width = 0.1: no column density at"),
            std::string::npos)
      << message;
}

TEST(SyntheticTable, IsTheSameEveryTime) {
  auto const a = io::synthetic_table(io::synthetic_band(3, 900)), b = io::synthetic_table(io::synthetic_band(3, 900));
  EXPECT_EQ(a.column_density, b.column_density);
  EXPECT_EQ(a.emissivity, b.emissivity);
  EXPECT_EQ(a.temperature, b.temperature);
}

// A table of two pressures with two and one temperatures.
EmissivityTable small_table() {
  return {{1, 10},
          {0, 2, 3},
          {200, 210, 220},
          {0, 2, 4, 5},
          {1e15f, 2e15f, 1e15f, 3e15f, 5e15f},
          {0.1f, 0.2f, 0.1f, 0.4f, 1}};
}

template <class Spoil>
std::string refusal(Spoil const& spoil) {
  auto table = small_table();
  spoil(table);
  return message_of([&] { validate(table, "x.bin"); });
}

TEST(ValidateTable, AcceptsGoodAndEmptyTables) {
  validate(small_table(), "x");
  validate({}, "x");
}

TEST(ValidateTable, NamesWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal([](auto& t) { t.emissivity.pop_back(); }),
            "x.bin: 4 emissivities and 5 column densities, expected as many of both");
  EXPECT_EQ(refusal([](auto& t) { t.first_temperature.pop_back(); }),
            "x.bin: first_temperature has 2 entries, expected 3");
  EXPECT_EQ(refusal([](auto& t) { t.first_temperature[0] = 1; }), "x.bin: first_temperature[0] = 1, expected 0");
  EXPECT_EQ(refusal([](auto& t) { t.first_temperature[1] = 0; }),
            "x.bin: first_temperature[1] = 0, expected more than first_temperature[0] = 0");
  EXPECT_EQ(refusal([](auto& t) { t.first_point[3] = 6; }),
            "x.bin: first_point[3] = 6, expected 5, the number of entries");
  EXPECT_EQ(refusal([](auto& t) { t.pressure_hPa.clear(); }), "x.bin: first_temperature has 3 entries, expected 1");
  EXPECT_EQ(refusal([](auto& t) { t.pressure_hPa[1] = 1; }),
            "x.bin: pressure 1 = 1 hPa, expected a finite one above 1 hPa");
  EXPECT_EQ(refusal([](auto& t) { t.pressure_hPa[0] = -1; }),
            "x.bin: pressure 0 = -1 hPa, expected a finite one above 0 hPa");
  EXPECT_EQ(refusal([](auto& t) { t.pressure_hPa[1] = INFINITY; }),
            "x.bin: pressure 1 = inf hPa, expected a finite one above 1 hPa");
  EXPECT_EQ(refusal([](auto& t) { t.temperature[1] = 200; }),
            "x.bin: pressure 0 (1 hPa), temperature 1 = 200 K, expected a finite one above 200 K");
  EXPECT_EQ(refusal([](auto& t) { t.temperature[2] = NAN; }),
            "x.bin: pressure 1 (10 hPa), temperature 0 = nan K, expected a finite one above 0 K");
  EXPECT_EQ(refusal([](auto& t) { t.column_density[3] = 1e15f; }),
            "x.bin: pressure 0 (1 hPa), temperature 1 (210 K), point 1: column density = 1e+15, expected a finite one "
            "above 1e+15");
  EXPECT_EQ(
      refusal([](auto& t) { t.column_density[0] = 0; }),
      "x.bin: pressure 0 (1 hPa), temperature 0 (200 K), point 0: column density = 0, expected a finite one above 0");
  EXPECT_EQ(
      refusal([](auto& t) { t.emissivity[1] = 0.1f; }),
      "x.bin: pressure 0 (1 hPa), temperature 0 (200 K), point 1: emissivity = 0.1, expected above 0.1, at most 1");
  EXPECT_EQ(
      refusal([](auto& t) { t.emissivity[4] = 1.5f; }),
      "x.bin: pressure 1 (10 hPa), temperature 0 (220 K), point 0: emissivity = 1.5, expected above 0, at most 1");
  EXPECT_EQ(
      refusal([](auto& t) { t.emissivity[4] = NAN; }),
      "x.bin: pressure 1 (10 hPa), temperature 0 (220 K), point 0: emissivity = nan, expected above 0, at most 1");
}

}  // namespace
