// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/continua.hpp>

#include "reference_columns.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using parhelion::Testing::columns_of;
using parhelion::Testing::message_of;

std::vector<double> grid(double first, double last, double step) {
  std::vector<double> values;
  for (int i = 0; first + step * i <= last; ++i) values.push_back(first + step * i);
  return values;
}

template <class Function>
std::vector<double> tabulated(std::vector<double> const& wavenumber, Function const& function) {
  std::vector<double> values;
  for (double const nu : wavenumber) values.push_back(function(nu));
  return values;
}

/// Tables of straight lines, which interpolation gives back.
ContinuumTables straight() {
  ContinuumTables t;
  t.co2.wavenumber = grid(0, 4000, 2);
  t.co2.at_296 = tabulated(t.co2.wavenumber, [](double nu) { return 1 + nu; });
  t.co2.at_260 = tabulated(t.co2.wavenumber, [](double nu) { return 2 + 3 * nu; });
  t.co2.at_230 = tabulated(t.co2.wavenumber, [](double nu) { return 5 - 2 * nu; });
  t.h2o.wavenumber = grid(0, 20000, 10);
  t.h2o.self_296 = tabulated(t.h2o.wavenumber, [](double nu) { return 1 + nu; });
  t.h2o.self_260 = tabulated(t.h2o.wavenumber, [](double nu) { return 3 + 2 * nu; });
  t.h2o.foreign = tabulated(t.h2o.wavenumber, [](double nu) { return 7 + nu; });
  t.h2o.correction_wavenumber = grid(820, 960, 10);
  t.h2o.correction = tabulated(t.h2o.correction_wavenumber, [](double nu) { return nu / 800; });
  t.n2.wavenumber = grid(2120, 2605, 5);
  t.n2.strength = tabulated(t.n2.wavenumber, [](double nu) { return nu - 2000; });
  t.n2.beta = tabulated(t.n2.wavenumber, [](double nu) { return 5000 - nu; });
  t.o2.wavenumber = grid(1360, 1805, 5);
  t.o2.strength = tabulated(t.o2.wavenumber, [](double nu) { return 2 * nu; });
  t.o2.beta = tabulated(t.o2.wavenumber, [](double nu) { return 1800 - nu; });
  return t;
}

constexpr ContinuumSwitches all;

// Interpolation: a few roundings of numbers that are at most some times the result.
constexpr double rounding = 4e-15;

TEST(EgaContinua, StraightLinesAreGivenBack) {
  auto const t = straight();
  for (double const nu : {0.0, 1.3, 792.0, 820.0, 821.7, 959.99, 960.0, 1360.0, 1366.6, 1805.0, 2120.0, 2399.1, 2605.0,
                          3999.9, 4000.0, 19999.0, 20000.0, 25000.0, -1.0}) {
    auto const c = continuum_coefficients(t, all, nu);
    auto const expect = [&](double found, double value, bool reached, char const* name) {
      EXPECT_NEAR(found, reached ? value : 0, std::abs(value) * rounding) << name << " at " << nu;
    };
    bool const co2 = nu >= 0 && nu < 4000;
    expect(c.co2_296, 1 + nu, co2, "co2_296");
    expect(c.co2_260, 2 + 3 * nu, co2, "co2_260");
    expect(c.co2_230, 5 - 2 * nu, co2, "co2_230");
    bool const h2o = nu >= 0 && nu < 20000;
    double const correction = nu > 820 && nu < 960 ? nu / 800 : 1;
    double const v = std::pow(nu - 370, 2);
    expect(c.h2o_self_296, (1 + nu) * correction, h2o, "h2o_self_296");
    expect(c.h2o_self_log, std::log((3 + 2 * nu) / (1 + nu)) / 36, h2o, "h2o_self_log");
    expect(c.h2o_foreign, (7 + nu) * (1 - 0.25 * (36100 / (v + 1e-8 * std::pow(v, 3) + 36100))), h2o, "h2o_foreign");
    bool const n2 = nu >= 2120 && nu <= 2605;
    expect(c.n2_strength, nu - 2000, n2, "n2_strength");
    expect(c.n2_beta, 5000 - nu, n2, "n2_beta");
    bool const o2 = nu >= 1360 && nu <= 1805;
    expect(c.o2_strength, 2 * nu, o2, "o2_strength");
    expect(c.o2_beta, 1800 - nu, o2, "o2_beta");
  }
}

TEST(EgaContinua, TheForeignFactorIsThreeQuartersInItsMiddle) {
  auto const c = continuum_coefficients(straight(), all, 370);
  EXPECT_NEAR(c.h2o_foreign, 0.75 * 377, 377 * rounding);
}

TEST(EgaContinua, WhatIsOffIsZeroAndNeedsNoTable) {
  auto const none = continuum_coefficients({}, {false, false, false, false}, 2300);
  EXPECT_EQ(none.co2_296, 0);
  EXPECT_EQ(none.h2o_self_296, 0);
  EXPECT_EQ(none.h2o_self_log, 0);
  EXPECT_EQ(none.h2o_foreign, 0);
  EXPECT_EQ(none.n2_strength, 0);
  auto const t = straight();
  auto const on = continuum_coefficients(t, all, 2300);
  for (int off = 0; off < 4; ++off) {
    auto const c = continuum_coefficients(t, {off != 0, off != 1, off != 2, off != 3}, 2300);
    EXPECT_EQ(c.co2_230, off == 0 ? 0 : on.co2_230);
    EXPECT_EQ(c.h2o_foreign, off == 1 ? 0 : on.h2o_foreign);
    EXPECT_EQ(c.n2_strength, off == 2 ? 0 : on.n2_strength);
    EXPECT_EQ(continuum_coefficients(t, {off != 0, off != 1, off != 2, off != 3}, 1500).o2_beta, off == 3 ? 0 : 300);
  }
  // Out of all ranges.
  EXPECT_EQ(continuum_coefficients({}, all, 20000).h2o_foreign, 0);
}

TEST(EgaContinua, WhatIsWrongIsNamed) {
  auto const refusal = [](auto const& spoil, double nu, ContinuumSwitches switches = all) {
    auto t = straight();
    spoil(t);
    return message_of([&] { continuum_coefficients(t, switches, nu); });
  };
  using T = ContinuumTables;
  EXPECT_EQ(refusal([](T& t) { t.co2 = {}; }, 792),
            "continuum_coefficients: the CO2 continuum table is empty, expected one that holds 792 cm-1 (or the "
            "continuum off)");
  EXPECT_EQ(refusal([](T& t) { t.h2o = {}; }, 792),
            "continuum_coefficients: the H2O continuum table is empty, expected one that holds 792 cm-1 (or the "
            "continuum off)");
  EXPECT_EQ(refusal([](T& t) { t.h2o.correction_wavenumber.clear(); }, 850),
            "continuum_coefficients: the H2O self correction table is empty, expected one that holds 850 cm-1 (or the "
            "continuum off)");
  EXPECT_EQ(refusal([](T& t) { t.h2o.correction_wavenumber.clear(); }, 800), "(no parhelion::Error)");
  EXPECT_EQ(refusal([](T& t) { t.n2 = {}; }, 2120),
            "continuum_coefficients: the N2 continuum table is empty, expected one that holds 2120 cm-1 (or the "
            "continuum off)");
  EXPECT_EQ(refusal([](T& t) { t.n2 = {}; }, 2119), "(no parhelion::Error)");
  EXPECT_EQ(refusal([](T& t) { t.o2 = {}; }, 1805),
            "continuum_coefficients: the O2 continuum table is empty, expected one that holds 1805 cm-1 (or the "
            "continuum off)");
  EXPECT_EQ(refusal([](T& t) { t.o2.beta.pop_back(); }, 1500),
            "continuum_coefficients: beta of the O2 continuum table has 89 values, expected those of its 90 "
            "wavenumbers");
  EXPECT_EQ(refusal([](T& t) { t.o2.wavenumber[2] = 1365; }, 1500),
            "continuum_coefficients: wavenumber(2) = 1365 cm-1 of the O2 continuum table, expected more than 1365 "
            "cm-1");
  EXPECT_EQ(refusal([](T& t) { t.co2.wavenumber.front() = 1; }, 0.5),
            "continuum_coefficients: the CO2 continuum table reaches from 1 to 4000 cm-1, expected one that holds 0.5 "
            "cm-1");
  EXPECT_EQ(refusal([](T& t) { t.h2o.self_260.assign(t.h2o.self_260.size(), 0); }, 500),
            "continuum_coefficients: the H2O self continuum is 501 at 296 K and 0 at 260 K at 500 cm-1, expected "
            "positive numbers");
  EXPECT_EQ(refusal([](T&) {}, std::numeric_limits<double>::quiet_NaN()),
            "continuum_coefficients: wavenumber = nan cm-1, expected a finite number");
}

/// The tables of the reference, each row by hand.
ContinuumTables from_reference(std::string const& folder) {
  ContinuumTables t;
  for (auto const& row : columns_of(folder + "/ctmco2.txt")) {
    t.co2.wavenumber.push_back(row.at(0));
    t.co2.at_296.push_back(row.at(1));
    t.co2.at_260.push_back(row.at(2));
    t.co2.at_230.push_back(row.at(3));
  }
  for (auto const& row : columns_of(folder + "/ctmh2o.txt")) {
    t.h2o.wavenumber.push_back(row.at(0));
    t.h2o.self_296.push_back(row.at(1));
    t.h2o.self_260.push_back(row.at(2));
    t.h2o.foreign.push_back(row.at(3));
  }
  for (auto const& row : columns_of(folder + "/ctmh2o_xfcrev.txt")) {
    t.h2o.correction_wavenumber.push_back(row.at(0));
    t.h2o.correction.push_back(row.at(1));
  }
  for (auto const& row : columns_of(folder + "/ctmn2.txt")) {
    t.n2.wavenumber.push_back(row.at(0));
    t.n2.strength.push_back(row.at(1));
    t.n2.beta.push_back(row.at(2));
  }
  for (auto const& row : columns_of(folder + "/ctmo2.txt")) {
    t.o2.wavenumber.push_back(row.at(0));
    t.o2.strength.push_back(row.at(1));
    t.o2.beta.push_back(row.at(2));
  }
  return t;
}

TEST(EgaContinua, ValuesFromTheRowsOfTheReferenceTables) {
  PARHELION_REQUIRE_DATA(file, "jurassic/continua/ctmco2.txt");
  std::string const folder = file.substr(0, file.rfind('/'));
  auto const t = from_reference(folder);
  // The row of a wavenumber by the number of its line, which the spacing gives.
  auto const row = [&](char const* name, int line) {
    return columns_of(folder + "/" + name).at(static_cast<std::size_t>(line));
  };

  // 667.8 cm-1: nine tenths of the way from row 333 (666) to row 334 (668).
  auto c = continuum_coefficients(t, all, 667.8);
  auto const co2_below = row("ctmco2.txt", 333);
  auto const co2_above = row("ctmco2.txt", 334);
  ASSERT_EQ(co2_below[0], 666);
  // 667.8 itself is rounded: 1e-13 of the distance of two rows, which may differ a good deal.
  EXPECT_NEAR(c.co2_296 / (0.1 * co2_below[1] + 0.9 * co2_above[1]), 1, 1e-12);
  EXPECT_NEAR(c.co2_260 / (0.1 * co2_below[2] + 0.9 * co2_above[2]), 1, 1e-12);
  EXPECT_NEAR(c.co2_230 / (0.1 * co2_below[3] + 0.9 * co2_above[3]), 1, 1e-12);

  // 792 cm-1: on row 396 of CO2, a fifth of the way from row 79 (790) to row 80 (800) of H2O.
  c = continuum_coefficients(t, all, 792);
  EXPECT_EQ(c.co2_296, row("ctmco2.txt", 396)[1]);
  auto const h2o_below = row("ctmh2o.txt", 79);
  auto const h2o_above = row("ctmh2o.txt", 80);
  ASSERT_EQ(h2o_below[0], 790);
  double const self_296 = 0.8 * h2o_below[1] + 0.2 * h2o_above[1];
  double const self_260 = 0.8 * h2o_below[2] + 0.2 * h2o_above[2];
  EXPECT_NEAR(c.h2o_self_296 / self_296, 1, 1e-14);
  EXPECT_NEAR(std::exp(36 * c.h2o_self_log) / (self_260 / self_296), 1, 1e-14);
  double const v = 178084;  // 422^2
  EXPECT_NEAR(c.h2o_foreign / ((0.8 * h2o_below[3] + 0.2 * h2o_above[3]) * (1 - 9025 / (v + v * v * v / 1e8 + 36100))),
              1, 1e-14);

  // 900 cm-1: on row 90 of H2O and row 8 of the correction.
  c = continuum_coefficients(t, all, 900);
  ASSERT_EQ(row("ctmh2o_xfcrev.txt", 8)[0], 900);
  EXPECT_NEAR(c.h2o_self_296 / (row("ctmh2o.txt", 90)[1] * row("ctmh2o_xfcrev.txt", 8)[1]), 1, 1e-15);

  // 1552 cm-1: two fifths of the way from row 38 (1550) to row 39 (1555) of O2.
  c = continuum_coefficients(t, all, 1552);
  ASSERT_EQ(row("ctmo2.txt", 38)[0], 1550);
  EXPECT_NEAR(c.o2_strength / (0.6 * row("ctmo2.txt", 38)[1] + 0.4 * row("ctmo2.txt", 39)[1]), 1, 1e-14);
  EXPECT_NEAR(c.o2_beta, 0.6 * row("ctmo2.txt", 38)[2] + 0.4 * row("ctmo2.txt", 39)[2], 1e-12);
  EXPECT_EQ(c.n2_strength, 0);

  // 2350 cm-1: on row 46 of N2.
  c = continuum_coefficients(t, all, 2350);
  ASSERT_EQ(row("ctmn2.txt", 46)[0], 2350);
  EXPECT_EQ(c.n2_strength, row("ctmn2.txt", 46)[1]);
  EXPECT_EQ(c.n2_beta, row("ctmn2.txt", 46)[2]);
  EXPECT_EQ(c.o2_strength, 0);
}

TEST(EgaContinua, WithTemperatureAndPressureTheyGiveTheReferencesAbsorption) {
  PARHELION_REQUIRE_DATA(file, "jurassic/continua/ctmco2.txt");
  PARHELION_REQUIRE_DATA(dump_file, "jurassic/cases/nadir_dbg/los_ray1.tab");
  constexpr double nu = 792;
  auto const c = continuum_coefficients(from_reference(file.substr(0, file.rfind('/'))), all, nu);
  for (auto const& point : columns_of(dump_file)) {
    double const p = point.at(4);  // [hPa]
    double const t = point.at(5);
    double const length = point.at(6);  // [km]
    double const q = point.at(8);
    double const co2 =
        point.at(10) / (6.02214199e23 * 1000) * p / 1013.25 *
        (5.050505e-4 * (t - 260) * (t - 296) * c.co2_230 - 9.259259e-4 * (t - 230) * (t - 296) * c.co2_260 +
         4.208754e-4 * (t - 230) * (t - 260) * c.co2_296);
    double const self = c.h2o_self_296 * std::exp(c.h2o_self_log * (296 - t));
    double const h2o = nu * point.at(11) * std::tanh(0.7193876 * nu / t) * (296 / t) * (p / 1013.25) *
                       (q * self + (1 - q) * c.h2o_foreign) * 1e-20;
    // The parabola of CO2 cancels a digit or two.
    EXPECT_NEAR((co2 + h2o) / length + point.at(13), point.at(14), 1e-13 * point.at(14)) << point.at(0);
  }
}

}  // namespace
