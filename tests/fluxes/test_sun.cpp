// SPDX-License-Identifier: BSD-3-Clause
#include "shortwave_reference.hpp"

#include "rrtmg_sw/coefficient_table.hpp"
#include "rrtmg_sw/reference_tables.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/sun.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;
using parhelion::Testing::message_of;

using Weights = std::array<double, nsolar>;

Weights weights(SolarOptions const& options) { return solar_source(options).weights; }

void expect_weights(SolarOptions const& options, Weights const& expected) {
  auto const mine = weights(options);
  for (std::size_t i = 0; i < nsolar; ++i)
    EXPECT_NEAR(mine[i], expected[i], 1e-14 * std::abs(expected[i])) << "spectrum " << i;
}

std::array<double, nbnd_sw> factors_of_test() {
  std::array<double, nbnd_sw> factors;
  for (std::size_t b = 0; b < factors.size(); ++b) factors[b] = 0.9 + 0.01 * static_cast<double>(b);
  return factors;
}

std::array<double, nbnd_sw> ones() {
  std::array<double, nbnd_sw> factors;
  factors.fill(1);
  return factors;
}

constexpr double nrlssi2_total = 1360.37 + 0.996047 - 0.511590;

TEST(Sun, IsTheMeanCycleUnlessToldOtherwise) {
  auto const source = solar_source({});
  EXPECT_EQ(source.weights, (Weights{0, 1, 1, 1}));
  EXPECT_EQ(source.band_factors, ones());
}

TEST(Sun, Kurucz) {
  expect_weights({.variability = SolarVariability::kurucz}, {1, 0, 0, 0});
  SolarOptions const scaled{
      .variability = SolarVariability::kurucz, .total_irradiance = 1361, .band_factors = factors_of_test()};
  expect_weights(scaled, {1361 / 1368.22, 0, 0, 0});
  EXPECT_EQ(solar_source(scaled).band_factors, factors_of_test());
  // Nothing but the distance scales this one.
  SolarOptions const unscaled{.variability = SolarVariability::kurucz_unscaled,
                              .total_irradiance = 1361,
                              .band_factors = factors_of_test(),
                              .distance_factor = 1.02};
  expect_weights(unscaled, {1.02, 0, 0, 0});
  EXPECT_EQ(solar_source(unscaled).band_factors, ones());
}

TEST(Sun, MeanCycleAndBands) {
  double const scale = 1365 / nrlssi2_total;
  expect_weights({.variability = SolarVariability::mean_cycle, .total_irradiance = 1365}, {0, scale, scale, scale});
  SolarOptions options{
      .variability = SolarVariability::scaled_bands, .total_irradiance = 1365, .band_factors = factors_of_test()};
  expect_weights(options, {0, scale, scale, scale});
  EXPECT_EQ(solar_source(options).band_factors, factors_of_test());
  // Other suns have no factors of bands.
  for (auto const other : {SolarVariability::mean_cycle, SolarVariability::cycle, SolarVariability::indices}) {
    options.variability = other;
    EXPECT_EQ(solar_source(options).band_factors, ones());
  }
}

TEST(Sun, PlacesInTheCycle) {
  constexpr double h = 1. / 132;
  auto const& faculae = rrtmg_sw::facular_index;
  auto const& sunspots = rrtmg_sw::sunspot_index;
  auto const expect_at = [&](double fraction, std::size_t lower, double part) {
    SCOPED_TRACE(fraction);
    auto const between = [&](auto const& table) {
      return part == 0 ? table[lower] : (1 - part) * table[lower] + part * table[lower + 1];
    };
    auto const mine =
        weights({.variability = SolarVariability::cycle, .indices = std::array{1., 1.}, .cycle_fraction = fraction});
    EXPECT_EQ(mine[1], 1);
    EXPECT_NEAR(mine[2], (between(faculae) - 0.14959542) / (0.1567652 - 0.14959542), 1e-11);
    EXPECT_NEAR(mine[3], (between(sunspots) - 0.00066696) / (902.71260 - 0.00066696), 1e-11);
  };
  expect_at(0, 0, 0);
  expect_at(h / 8, 0, 0.25);
  expect_at(h / 2, 1, 0);
  expect_at(0.75 * h, 1, 0.25);
  expect_at(1.75 * h, 2, 0.25);
  expect_at(0.5, 66, 0.5);
  expect_at(131 * h, 131, 0.5);
  expect_at(131.25 * h, 131, 0.75);
  expect_at(1 - 0.375 * h, 132, 0.25);
  expect_at(1, 133, 0);
}

TEST(Sun, AmplitudesOfTheCycle) {
  // What an amplitude of 2 is at a place of the cycle: 1 at its minimum, 2 at its maximum.
  auto const amplitude = [](double fraction, int which) {
    std::array<double, 2> indices{1, 1};
    auto const at = [&] {
      return weights({.variability = SolarVariability::cycle, .indices = indices, .cycle_fraction = fraction});
    };
    auto const plain = at();
    indices[static_cast<std::size_t>(which)] = 2;
    auto const other = at();
    auto const i = static_cast<std::size_t>(2 + which);
    EXPECT_EQ(plain[5 - i], other[5 - i]);
    return other[i] / plain[i];
  };
  for (int const which : {0, 1}) {
    EXPECT_NEAR(amplitude(0.0189, which), 1, 1e-14);
    EXPECT_NEAR(amplitude(0.375, which), 2, 1e-14);
    EXPECT_NEAR(amplitude(0.1, which), 1 + (0.1 - 0.0189) / 0.3561, 1e-13);
    EXPECT_NEAR(amplitude(0.7, which), 2 - (0.7 - 0.375) / 0.6439, 1e-13);
    EXPECT_NEAR(amplitude(0.01, which), 2 - (1.01 - 0.375) / 0.6439, 1e-13);
  }
  EXPECT_NEAR(amplitude(1, 0), 2 - 0.625 / 0.6439, 1e-13);
  EXPECT_NEAR(amplitude(0, 0), 2 - 0.625 / 0.6439, 1e-13);

  // A total irradiance is met by the quiet sun, whatever the others do.
  SolarOptions options{.variability = SolarVariability::cycle,
                       .total_irradiance = 1361,
                       .indices = std::array{0.8, 1.2},
                       .cycle_fraction = 0.375};
  EXPECT_NEAR(weights(options)[1], (1361 - 0.996047 * 0.8 + 0.511590 * 1.2) / 1360.37, 1e-15);
  // One of place and amplitudes without the other counts as neither.
  SolarOptions const neither{.variability = SolarVariability::cycle, .total_irradiance = 1361};
  SolarOptions without_place = options, without_amplitudes = options;
  without_place.cycle_fraction.reset();
  without_amplitudes.indices.reset();
  EXPECT_EQ(weights(without_place), weights(neither));
  EXPECT_EQ(weights(without_amplitudes), weights(neither));
  EXPECT_NEAR(weights(neither)[1], (1361 - 0.996047 + 0.511590) / 1360.37, 1e-15);
  EXPECT_NEAR(weights(neither)[2], (rrtmg_sw::facular_index[0] - 0.14959542) / (0.1567652 - 0.14959542), 1e-12);
}

TEST(Sun, Indices) {
  SolarOptions options{.variability = SolarVariability::indices, .indices = std::array{0.16, 1000.}};
  expect_weights(
      options, {0, 1, (0.16 - 0.14959542) / (0.1567652 - 0.14959542), (1000 - 0.00066696) / (902.71260 - 0.00066696)});
  // With a total irradiance the original ignores it and them.
  options.total_irradiance = 1361;
  expect_weights(options, {0, 1, 1, 1});
  expect_weights({.variability = SolarVariability::indices}, {0, 1, 1, 1});
}

TEST(Sun, Distance) {
  EXPECT_NEAR(sun_distance_factor(1), 1.000110 + 0.034221 + 0.000719, 1e-15);
  EXPECT_NEAR(sun_distance_factor(366), sun_distance_factor(1), 1e-12);
  // Nearest at the beginning of January, farthest at that of July; 1 on the mean over a year.
  double sum = 0;
  for (int day = 1; day <= 365; ++day) {
    sum += sun_distance_factor(day);
    EXPECT_GE(sun_distance_factor(day), sun_distance_factor(184) - 1e-4);
    EXPECT_LE(sun_distance_factor(day), sun_distance_factor(3) + 1e-4);
  }
  EXPECT_NEAR(sum / 365, 1.000110, 1e-12);

  // The day takes the place of the factor, and multiplies all spectra.
  expect_weights({.distance_factor = 0.5}, {0, 0.5, 0.5, 0.5});
  double const day = sun_distance_factor(199);
  expect_weights({.distance_factor = 0.5, .day_of_year = 199}, {0, day, day, day});
  expect_weights({.variability = SolarVariability::kurucz, .total_irradiance = 1368.22, .day_of_year = 199},
                 {day, 0, 0, 0});
  expect_weights({.distance_factor = 0}, {0, 0, 0, 0});
}

TEST(Sun, OptionsOutOfRangeAreRefused) {
  auto const refusal = [](SolarOptions const& options) {
    return message_of([&] { solar_source(options, "column 3"); });
  };
  double const nan = std::nan("");
  double const infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({.variability = static_cast<SolarVariability>(4)}), "column 3: variability is 4, expected -2 to 3");
  EXPECT_EQ(refusal({.variability = static_cast<SolarVariability>(-3)}),
            "column 3: variability is -3, expected -2 to 3");
  EXPECT_EQ(refusal({.total_irradiance = -1}),
            "column 3: total_irradiance is -1, expected a finite number of at least 0");
  EXPECT_EQ(refusal({.total_irradiance = infinite}),
            "column 3: total_irradiance is inf, expected a finite number of at least 0");
  EXPECT_EQ(refusal({.indices = std::array{1., nan}}), "column 3: indices[1] is nan, expected a finite number");
  EXPECT_EQ(refusal({.cycle_fraction = 1.5}), "column 3: cycle_fraction is 1.5, expected 0 to 1");
  EXPECT_EQ(refusal({.cycle_fraction = nan}), "column 3: cycle_fraction is nan, expected 0 to 1");
  auto factors = ones();
  factors[13] = -0.25;
  EXPECT_EQ(refusal({.band_factors = factors}),
            "column 3: band_factors[13] is -0.25, expected a finite number of at least 0");
  EXPECT_EQ(refusal({.distance_factor = -2}),
            "column 3: distance_factor is -2, expected a finite number of at least 0");
  EXPECT_EQ(refusal({.day_of_year = 367}), "column 3: day_of_year is 367, expected 0 to 366");
  EXPECT_EQ(refusal({.day_of_year = -1}), "column 3: day_of_year is -1, expected 0 to 366");
  EXPECT_EQ(message_of([] { sun_distance_factor(0); }), "sun_distance_factor: day_of_year is 0, expected 1 to 366");
}

// In bands whose irradiance does not depend on the species ratio of a layer.
TEST(Sun, IrradianceOfGPointsIsThatOfTheReferenceModel) {
  PARHELION_REQUIRE_DATA(coefficients, Testing::shortwave_coefficient_file);
  auto const& table = Testing::reference_shortwave_coefficients().table();
  for (char const* const name : {"clear", "cloud", "aerosol"}) {
    SCOPED_TRACE(name);
    PARHELION_REQUIRE_DATA(path, fmt::format("rrtmg_sw/case_sw_{}_a.nc", name));
    io::Hdf5File const file(path);
    auto const variability = file.read("isolvar"), total = file.read("scon"), fraction = file.read("solcycfrac"),
               indices = file.read("indsolvar"), band_factors = file.read("bndsolvar"), day = file.read("dyofyr"),
               distance = file.read("adjes"), expected = file.read("solar_source"), factor = file.read("adjflux");
    double worst = 0;
    std::size_t compared = 0;
    for (std::size_t column = 0; column < variability.size(); ++column) {
      SolarOptions options{.variability = static_cast<SolarVariability>(static_cast<int>(variability[column])),
                           .total_irradiance = total[column],
                           .indices = std::array{indices[2 * column], indices[2 * column + 1]},
                           .cycle_fraction = fraction[column],
                           .band_factors = std::array<double, nbnd_sw>(),
                           .distance_factor = distance[column],
                           .day_of_year = static_cast<int>(day[column])};
      for (std::size_t b = 0; b < nbnd_sw; ++b) (*options.band_factors)[b] = band_factors[column * nbnd_sw + b];
      auto const source = solar_source(options);
      std::size_t first = 0;
      for (std::size_t b = 0; b < nbnd_sw; ++b) {
        auto const& band = table.bands[b];
        for (int g = 0; g < band.ng && band.solar_species_ratios == 1; ++g) {
          double mine = 0;
          for (int s = 0; s < nsolar; ++s)
            mine += source.weights[static_cast<std::size_t>(s)] *
                    table.values[static_cast<std::size_t>(band.solar_row + s * rrtmg_sw::row_stride + g)];
          mine *= source.band_factors[b];
          double const other =
              expected[column * ngpt_sw + first + static_cast<std::size_t>(g)] * factor[column * nbnd_sw + b];
          worst = std::max(worst, std::abs(mine / other - 1));
          ++compared;
        }
        first += static_cast<std::size_t>(band.ng);
      }
    }
    EXPECT_EQ(compared, variability.size() * 58);
    EXPECT_LT(worst, 1e-13);
  }
}

}  // namespace
