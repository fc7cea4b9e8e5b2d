// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/constants.hpp>
#include <parhelion/core/planck.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/narrow_band_files.hpp>
#include <parhelion/monte_carlo/spectrum.hpp>

#include "small_table.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using parhelion::Testing::message_of;
using parhelion::Testing::small_table;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

double black(double temperature) { return constants::stefan_boltzmann / std::numbers::pi * std::pow(temperature, 4); }

double sum_of_sources(Spectrum const& spectrum, double temperature) {
  double sum = 0;
  for (int s = 0; s < spectrum.npoint(); ++s) sum += spectrum.source(s, temperature);
  return sum;
}

// ---- Grey

TEST(MonteCarloSpectrum, Grey) {
  auto const spectrum = Spectrum::grey(0.5);
  EXPECT_EQ(spectrum.name(), "grey, 0.5 m-1");
  EXPECT_EQ(spectrum.npoint(), 1);
  EXPECT_EQ(spectrum.temperature_range().lowest, 0);
  EXPECT_EQ(spectrum.temperature_range().highest, inf);
  for (double const t : {0., 3., 300., 5000.}) {
    EXPECT_EQ(spectrum.absorption(0, t), 0.5);
    EXPECT_NEAR(spectrum.source(0, t), black(t), 1e-15 * black(t));  // five roundings
  }
  EXPECT_EQ(spectrum.source(0, 0), 0);
  EXPECT_NEAR(spectrum.planck_mean(1234), 0.5, 1e-15);
  EXPECT_EQ(Spectrum::grey(0).planck_mean(300), 0);
}

TEST(MonteCarloSpectrum, RefusesArguments) {
  auto const spectrum = Spectrum::grey(1);
  for (double const bad : {-1., nan, inf})
    EXPECT_EQ(message_of([&] { Spectrum::grey(bad); }).rfind("Spectrum::grey: absorption = ", 0), 0U) << bad;
  EXPECT_EQ(message_of([&] { spectrum.absorption(1, 300); }),
            "Spectrum::absorption: s = 1, expected 0 to 0, the points of grey, 1 m-1");
  EXPECT_EQ(message_of([&] { spectrum.source(-1, 300); }),
            "Spectrum::source: s = -1, expected 0 to 0, the points of grey, 1 m-1");
  EXPECT_EQ(message_of([&] { spectrum.absorption(0, -1); }),
            "Spectrum::absorption: temperature = -1 K, expected a finite number >= 0 K");
  EXPECT_EQ(message_of([&] { spectrum.absorption(0, inf); }),
            "Spectrum::absorption: temperature = inf K, expected a finite number >= 0 K");
  EXPECT_EQ(message_of([&] { spectrum.source(0, nan); }),
            "Spectrum::source: temperature = nan K, expected a finite number >= 0");
  EXPECT_EQ(message_of([&] { spectrum.source(0, inf); }),
            "Spectrum::source: temperature = inf K, expected a finite number >= 0");
  EXPECT_EQ(message_of([&] { spectrum.planck_mean(0); }),
            "Spectrum::planck_mean: temperature = 0 K, expected a positive number");
  EXPECT_EQ(message_of([&] { spectrum.tabulate(300, 300, 5); }),
            "Spectrum::tabulate: t_high = 300 K, expected more than t_low = 300 K");
  EXPECT_EQ(message_of([&] { spectrum.tabulate(300, 400, 1); }), "Spectrum::tabulate: nnode = 1, expected at least 2");
  EXPECT_EQ(message_of([&] { spectrum.tabulate(300, inf, 5); }),
            "Spectrum::tabulate: t_high = inf K, expected a finite number >= 0 K");
  auto const table = Spectrum::narrow_band(small_table());
  EXPECT_EQ(message_of([&] { table.tabulate(490, 700, 5); }),
            "Spectrum::tabulate: t_low = 490 K, expected 500 to 700 K, the range of small table");
}

// ---- Narrow bands

TEST(MonteCarloSpectrum, NarrowBandPoints) {
  auto const table = small_table();
  auto const spectrum = Spectrum::narrow_band(table);
  EXPECT_EQ(spectrum.name(), "small table");
  EXPECT_EQ(spectrum.npoint(), 6);
  EXPECT_EQ(spectrum.temperature_range().lowest, 500);
  EXPECT_EQ(spectrum.temperature_range().highest, 700);
  for (int s = 0; s < 6; ++s) {
    int const b = s / 2, g = s % 2;
    // 1 + 100 band + 10 T + g at 500, 550 and 700 K, linear between.
    EXPECT_NEAR(spectrum.absorption(s, 500), 1 + 100 * b + g, 1e-13);
    EXPECT_NEAR(spectrum.absorption(s, 540), 9 + 100 * b + g, 1e-12);
    EXPECT_NEAR(spectrum.absorption(s, 550), 11 + 100 * b + g, 1e-12);
    EXPECT_NEAR(spectrum.absorption(s, 625), 16 + 100 * b + g, 1e-12);
    EXPECT_NEAR(spectrum.absorption(s, 700), 21 + 100 * b + g, 1e-12);
    for (double const t : {2.7, 300., 625., 3000.}) {
      auto const i = static_cast<std::size_t>(b);
      double const expected = (table.band_right[i] - table.band_left[i]) * table.weight[static_cast<std::size_t>(g)] *
                              planck_radiance(table.band_centre[i], t);
      EXPECT_NEAR(spectrum.source(s, t), expected, 1e-15 * expected);
    }
    EXPECT_EQ(spectrum.source(s, 0), 0);
    EXPECT_EQ(message_of([&] { spectrum.absorption(s, 701); }),
              "Spectrum::absorption: temperature = 701 K, expected 500 to 700 K, the range of small table");
    EXPECT_EQ(message_of([&] { spectrum.absorption(s, 499); }),
              "Spectrum::absorption: temperature = 499 K, expected 500 to 700 K, the range of small table");
  }
}

TEST(MonteCarloSpectrum, KeepsItsTable) {
  auto const table = small_table();
  auto const spectrum = Spectrum::narrow_band(table);
  auto const copy = spectrum;
  table.absorption(0, 0, 0) = 1e6;
  EXPECT_EQ(spectrum.absorption(0, 500), 1);
  EXPECT_EQ(copy.absorption(0, 500), 1);
}

template <class Spoil>
std::string table_refusal(Spoil const& spoil) {
  auto table = small_table();
  spoil(table);
  auto const message = message_of([&] { validate(table, "h2o.h5"); });
  // A spectrum refuses the same.
  EXPECT_EQ(message_of([&] { Spectrum::narrow_band(table); }), "Spectrum::narrow_band" + message.substr(6));
  return message;
}

TEST(NarrowBandTable, RefusesShapes) {
  using Table = NarrowBandTable;
  EXPECT_NO_THROW(validate(small_table()));
  EXPECT_EQ(table_refusal([](Table& t) { t = {}; }), "h2o.h5: band_centre has 0 entries, expected at least 1");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_left.pop_back(); }),
            "h2o.h5: band_left has 2 entries, expected 3 as band_centre");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_right.push_back(4000); }),
            "h2o.h5: band_right has 4 entries, expected 3 as band_centre");
  EXPECT_EQ(table_refusal([](Table& t) { t.temperature = {500}; }),
            "h2o.h5: temperature has 1 entries, expected at least 2");
  EXPECT_EQ(table_refusal([](Table& t) { t.weight = {1}; }), "h2o.h5: w has 1 entries, expected 2 as g");
  EXPECT_EQ(table_refusal([](Table& t) { t.g = t.weight = {}; }), "h2o.h5: g has 0 entries, expected at least 1");
  EXPECT_EQ(table_refusal([](Table& t) { t.absorption = HostArray<double***>("k", 3, 2, 2); }),
            "h2o.h5: k has shape (3, 2, 2), expected (3, 3, 2)");
}

TEST(NarrowBandTable, RefusesBands) {
  using Table = NarrowBandTable;
  EXPECT_EQ(table_refusal([](Table& t) { t.band_left[0] = -1; }),
            "h2o.h5: band_left(0) = -1 cm-1, expected a finite number >= 0");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_right[2] = inf; }),
            "h2o.h5: band_right(2) = inf cm-1, expected a finite number >= 0");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_centre[1] = nan; }),
            "h2o.h5: band_centre(1) = nan cm-1, expected a finite number >= 0");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_right[1] = 1000.05; }),
            "h2o.h5: band_right(1) = 1000.05 cm-1, expected more than band_left(1) = 1000.05 cm-1");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_centre[1] = 2000; }),
            "h2o.h5: band_centre(1) = 2000 cm-1, expected a number between 1000.05 and 2000 cm-1, the limits of the "
            "band");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_left[2] = 2002; }),
            "h2o.h5: band_left(2) = 2002 cm-1, expected band_right(1) = 2000 cm-1 within 0.998 cm-1");
  EXPECT_EQ(table_refusal([](Table& t) { t.band_left[2] = 1990; }),
            "h2o.h5: band_left(2) = 1990 cm-1, expected band_right(1) = 2000 cm-1 within 1 cm-1");
}

TEST(NarrowBandTable, RefusesTemperaturesAndQuadrature) {
  using Table = NarrowBandTable;
  EXPECT_EQ(table_refusal([](Table& t) { t.temperature[0] = 0; }),
            "h2o.h5: temperature(0) = 0 K, expected a positive finite number");
  EXPECT_EQ(table_refusal([](Table& t) { t.temperature[1] = nan; }),
            "h2o.h5: temperature(1) = nan K, expected a positive finite number");
  EXPECT_EQ(table_refusal([](Table& t) { t.temperature[2] = 550; }),
            "h2o.h5: temperature(2) = 550 K, expected more than temperature(1) = 550 K");
  EXPECT_EQ(table_refusal([](Table& t) { t.g[1] = 0.25; }), "h2o.h5: g(1) = 0.25, expected more than g(0) = 0.25");
  EXPECT_EQ(table_refusal([](Table& t) { t.g[1] = 1.5; }), "h2o.h5: g(1) = 1.5, expected a number in [0, 1]");
  EXPECT_EQ(table_refusal([](Table& t) { t.weight[0] = 0; }), "h2o.h5: w(0) = 0, expected a positive finite number");
  EXPECT_EQ(table_refusal([](Table& t) { t.weight[0] = nan; }),
            "h2o.h5: w(0) = nan, expected a positive finite number");
  EXPECT_EQ(table_refusal([](Table& t) { t.weight[0] += 0x1p-18; }),
            "h2o.h5: the 2 weights w add up to 1.0000038146972656, expected 1 within 1e-06");
  auto table = small_table();
  table.weight[0] += 0.9e-6;
  EXPECT_NO_THROW(validate(table));
}

TEST(NarrowBandTable, RefusesAbsorption) {
  using Table = NarrowBandTable;
  EXPECT_EQ(table_refusal([](Table& t) { t.absorption(0, 1, 0) = -1; }),
            "h2o.h5: k(0, 1, 0) = -1 m-1, expected a finite number >= 0");
  EXPECT_EQ(table_refusal([](Table& t) { t.absorption(2, 1, 1) = nan; }),
            "h2o.h5: k(2, 1, 1) = nan m-1, expected a finite number >= 0");
  EXPECT_EQ(table_refusal([](Table& t) { t.absorption(1, 2, 1) = 120; }),
            "h2o.h5: k(1, 2, 1) = 120 m-1, expected at least k(1, 2, 0) = 121 m-1");
  auto const table = small_table();
  table.absorption(1, 2, 1) = 121;
  EXPECT_NO_THROW(validate(table));
}

// ---- The table of water vapour

// Sum over points of f(band, point) times the source, over black radiation.
template <class F>
double mean_over_source(NarrowBandTable const& table, Spectrum const& spectrum, double temperature, F const& f) {
  double sum = 0;
  for (int b = 0; b < table.nband(); ++b)
    for (int g = 0; g < table.ng(); ++g)
      sum += f(static_cast<std::size_t>(b)) * spectrum.source(b * table.ng() + g, temperature);
  return sum / black(temperature);
}

TEST(WaterVapour, PlanckMeansOfBands) {
  PARHELION_REQUIRE_DATA(path, "mc/h2o_nbck.h5");
  auto const table = io::read_narrow_band(path);
  EXPECT_EQ(table.nband(), 119);
  EXPECT_EQ(table.ntemperature(), 52);
  EXPECT_EQ(table.ng(), 16);
  auto const spectrum = Spectrum::narrow_band(table);
  EXPECT_EQ(spectrum.npoint(), 119 * 16);
  EXPECT_EQ(spectrum.temperature_range().lowest, 500);
  EXPECT_EQ(spectrum.temperature_range().highest, 1010);
  io::Hdf5File const file(path);
  auto const k_avg = file.read("k_avg");
  auto const planck_mean_band = file.read("planck_mean_band");
  std::vector<double> ratio;
  for (std::size_t t = 0; t < 52; ++t) {
    double const mean =
        mean_over_source(table, spectrum, table.temperature[t], [&](std::size_t b) { return k_avg[b * 52 + t]; });
    ratio.push_back(mean / planck_mean_band[t]);
    // k_avg comes from a finer distribution than the quadrature's: at most 0.3 % apart.
    EXPECT_NEAR(spectrum.planck_mean(table.temperature[t]) / planck_mean_band[t], 1, 3e-3);
  }
  // The file's means have 7 digits and one factor of 1 + 5e-6 from the constants that its makers took.
  auto const [least, most] = std::minmax_element(ratio.begin(), ratio.end());
  EXPECT_GT(*least, 1 - 6e-6);
  EXPECT_LT(*most, 1);
  EXPECT_LT(*most - *least, 1e-6);
  // The same quotients from the file's numbers by another program (numpy).
  auto const apart = [&](std::size_t t) {
    return spectrum.planck_mean(table.temperature[t]) / planck_mean_band[t] - 1;
  };
  EXPECT_NEAR(apart(0), -0.0005527, 1e-7);
  EXPECT_NEAR(apart(10), -0.0028334, 1e-7);
  EXPECT_NEAR(apart(50), -0.0013125, 1e-7);
}

TEST(WaterVapour, EmissionOfReferences) {
  PARHELION_REQUIRE_DATA(path, "mc/h2o_nbck.h5");
  PARHELION_REQUIRE_DATA(references, "mc/references.h5");
  auto const spectrum = Spectrum::narrow_band(io::read_narrow_band(path));
  io::Hdf5File const file(references);
  for (std::string const name : {"case05_h2o_iso1000_L0.1", "case10_h2o_parab1_black", "wall_h2o_lin500_1000_e0_1"}) {
    auto const temperature = file.read(name + "/T"), emission = file.read(name + "/emission");
    ASSERT_GT(temperature.size(), 100U);
    for (std::size_t i = 0; i < temperature.size(); ++i) {
      double const t = temperature[i];
      // Radiation constants of the references have 10 digits.
      EXPECT_NEAR(4 * spectrum.planck_mean(t) * constants::stefan_boltzmann * std::pow(t, 4) / emission[i], 1, 2e-9)
          << name << " at " << t << " K";
    }
  }
}

TEST(WaterVapour, BandsHoldNearlyAllRadiation) {
  PARHELION_REQUIRE_DATA(path, "mc/h2o_nbck.h5");
  auto const spectrum = Spectrum::narrow_band(io::read_narrow_band(path));
  // Above 12000 cm-1 lie 5e-6 of the radiation of 1000 K and 0.06 % of that of 1500 K; the rule of midpoints in bands
  // of 100 cm-1 adds 1e-4.
  for (double const t : {500., 1000., 1500.}) {
    double const above = planck_band_radiance(12000., inf, t) / black(t);
    EXPECT_NEAR(sum_of_sources(spectrum, t) / black(t), 1 - above, 5e-4) << t << " K";
  }
}

// ---- Weighted sum of grey gases

TEST(MonteCarloSpectrum, WeightedSumOfGreyGases) {
  Spectrum const spectrum;
  EXPECT_EQ(spectrum.name(), Spectrum::weighted_sum_of_grey_gases().name());
  ASSERT_EQ(spectrum.npoint(), 4);
  double const absorption[] = {0, 0.4201, 6.516, 131.9};
  for (int s = 0; s < 4; ++s) EXPECT_EQ(spectrum.absorption(s, 1000), absorption[s]);
  for (double t = 0; t < 4000; t += 25) {
    for (int s = 0; s < 4; ++s) EXPECT_GE(spectrum.source(s, t), 0) << t << " K, point " << s;
    EXPECT_NEAR(sum_of_sources(spectrum, t), black(t), 1e-14 * black(t));
  }
  // By hand, at 1000 K: the powers of 1000 cancel those of ten.
  double const share[] = {0, 0.6508 - 0.5551 + 0.3029 - 0.05353, -0.02504 + 0.6112 - 0.3882 + 0.06528,
                          0.2718 - 0.3118 + 0.1221 - 0.01612};
  for (int s = 1; s < 4; ++s) EXPECT_NEAR(spectrum.source(s, 1000) / black(1000), share[s], 1e-15);
  EXPECT_NEAR(spectrum.planck_mean(1000), 0.4201 * share[1] + 6.516 * share[2] + 131.9 * share[3], 1e-13);
  // Total emissivity of 1 atm m at 1000 K.
  double emissivity = 0;
  for (int s = 0; s < 4; ++s)
    emissivity += spectrum.source(s, 1000) / black(1000) * -std::expm1(-spectrum.absorption(s, 1000));
  EXPECT_NEAR(emissivity, 0.447, 0.0005);
  // Outside of the fit the shares are those of its ends; inside they are not.
  for (int s = 0; s < 4; ++s) {
    auto const share_at = [&](double t) { return spectrum.source(s, t) / black(t); };
    EXPECT_NEAR(share_at(300), share_at(600), 1e-15);
    EXPECT_NEAR(share_at(3000), share_at(2400), 1e-15);
    EXPECT_GT(std::abs(share_at(650) - share_at(600)), 1e-4);
    EXPECT_GT(std::abs(share_at(2350) - share_at(2400)), 1e-6);
    EXPECT_EQ(spectrum.source(s, 0), 0);
  }
}

// ---- Tables on uniform temperatures

TEST(MonteCarloSpectrum, NamesThatDefineASpectrumGiveIt) {
  for (auto const& spectrum : {Spectrum::grey(0), Spectrum::grey(0.1), Spectrum::weighted_sum_of_grey_gases()}) {
    auto const found = Spectrum::from_name(spectrum.name());
    ASSERT_TRUE(found) << spectrum.name();
    EXPECT_EQ(found->name(), spectrum.name());
    EXPECT_EQ(found->absorption(0, 700), spectrum.absorption(0, 700));
  }
  for (char const* const name :
       {"", "grey", "grey, m-1", "grey, -1 m-1", "grey, inf m-1", "grey, 1 m-1 and more", "H2O"})
    EXPECT_FALSE(Spectrum::from_name(name)) << name;
}

TEST(TabulatedSpectrum, HoldsTheSpectrumAtItsNodes) {
  auto const spectrum = Spectrum::narrow_band(small_table());
  auto const table = spectrum.tabulate(500, 700, 7);
  EXPECT_EQ(table.npoint(), 6);
  EXPECT_EQ(table.nnode(), 7);
  EXPECT_EQ(table.first, 500);
  EXPECT_NEAR(table.spacing, 200. / 6, 1e-13);
  for (int s = 0; s < 6; ++s)
    for (int i = 0; i < 7; ++i) {
      double const t = i == 6 ? 700 : 500 + i * table.spacing;
      EXPECT_EQ(table.absorption(s, i), spectrum.absorption(s, t));
      EXPECT_EQ(table.source(s, i), spectrum.source(s, t));
    }
}

TEST(TabulatedSpectrum, KnowsItsErrors) {
  // T^4 from 1 to 2 in one interval: (1 + 16)/2 - 1.5^4 over 16.
  auto const grey = Spectrum::grey(3).tabulate(1, 2, 2);
  EXPECT_EQ(grey.absorption_error, 0);
  EXPECT_NEAR(grey.source_error, (8.5 - 5.0625) / 16, 1e-14);
  EXPECT_NEAR(grey.emission_error, (8.5 - 5.0625) / 16, 1e-14);
  // Of second order.
  auto const spectrum = Spectrum::grey(3);
  double const coarse = spectrum.tabulate(300, 1500, 101).source_error;
  double const fine = spectrum.tabulate(300, 1500, 201).source_error;
  EXPECT_NEAR(coarse / fine, 4, 0.1);
  // The corner at 550 K: one interval from 500 to 700 K is 10 - 20/4 off there, in its middle only 3.3.
  auto const bent = Spectrum::narrow_band(small_table()).tabulate(500, 700, 2);
  EXPECT_NEAR(bent.absorption_error, 5. / 222, 1e-12);
  // Where corners are nodes nothing is off.
  EXPECT_NEAR(Spectrum::narrow_band(small_table()).tabulate(500, 700, 5).absorption_error, 0, 1e-15);
  EXPECT_EQ(Spectrum::grey(0).tabulate(0, 100, 3).emission_error, 0);
}

TEST(TabulatedSpectrum, HasAsFewNodesAsErrorsAllowAndIsKept) {
  for (auto const& spectrum :
       {Spectrum::narrow_band(small_table()), Spectrum::grey(2), Spectrum::narrow_band(small_table()).extrapolated()}) {
    auto const sources = spectrum.sources(612.5);
    for (int s = 0; s < spectrum.npoint(); ++s)
      EXPECT_EQ(sources[static_cast<std::size_t>(s)], spectrum.source(s, 612.5));
    auto const expect_same = [&](auto const& a, auto const& b) {
      EXPECT_EQ(a.first, b.first);
      EXPECT_EQ(a.spacing, b.spacing);
      EXPECT_EQ(a.source_error, b.source_error);
      EXPECT_EQ(a.emission_error, b.emission_error);
      EXPECT_EQ(a.absorption_error, b.absorption_error);
      ASSERT_EQ(a.nnode(), b.nnode());
      for (int s = 0; s < a.npoint(); ++s)
        for (int i = 0; i < a.nnode(); ++i) {
          ASSERT_EQ(a.absorption(s, i), b.absorption(s, i));
          ASSERT_EQ(a.source(s, i), b.source(s, i));
        }
    };
    auto const of_257 = spectrum.tabulate(510, 690, 257);
    double const tolerance = 1.001 * std::max(of_257.source_error, of_257.emission_error);
    auto const table = spectrum.tabulate_within(510, 690, tolerance, 4096);
    EXPECT_EQ(table.nnode(), 257);
    EXPECT_EQ(spectrum.tabulate_within(510, 690, 1e-300, 300).nnode(), 513);
    auto const again = spectrum.tabulate_within(510, 690, tolerance, 4096);
    expect_same(table, again);
    // Kept, but not shared with callers.
    again.source(0, 0) = -1;
    expect_same(table, spectrum.tabulate(510, 690, 257));
    expect_same(table, spectrum.tabulate_within(510, 690, tolerance, 4096));
    EXPECT_NE(spectrum.tabulate_within(510, 680, tolerance, 4096).spacing, table.spacing);
  }
  EXPECT_EQ(message_of([&] { Spectrum::grey(2).tabulate_within(1, 2, 0, 10); }),
            "Spectrum::tabulate_within: tolerance = 0, expected a positive number");
  EXPECT_EQ(message_of([&] { Spectrum::grey(2).sources(-1); }),
            "Spectrum::sources: temperature = -1 K, expected a finite number >= 0");
}

TEST(TabulatedSpectrum, IsCloseForWaterVapour) {
  PARHELION_REQUIRE_DATA(path, "mc/h2o_nbck.h5");
  auto const spectrum = Spectrum::narrow_band(io::read_narrow_band(path));
  // The nodes of the table itself: only Planck's function is off, by (dT)^2/8 B''/B with B''/B at most a few x^2/T^2.
  auto const own = spectrum.tabulate(500, 1010, 52);
  EXPECT_NEAR(own.absorption_error, 0, 1e-14);
  EXPECT_GT(own.source_error, 1e-6);
  EXPECT_LT(own.source_error, 1e-3);
  EXPECT_LT(own.emission_error, 1e-3);
  auto const fine = spectrum.tabulate(500, 1010, 511);
  EXPECT_NEAR(own.source_error / fine.source_error, 100, 5);
}

}  // namespace
