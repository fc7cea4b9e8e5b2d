// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/planck.hpp>
#include <parhelion/ega/channels.hpp>

#include "reference_columns.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;
using parhelion::Testing::columns_of;
using parhelion::Testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double planck(double wavenumber, double temperature) {
  return 1.19104259e-8 * std::pow(wavenumber, 3) / (std::exp(1.43877506 * wavenumber / temperature) - 1);
}

// A few roundings, one of them in the exponent of at most 30.
constexpr double rounding = 2e-14;

TEST(EgaChannels, OneNodeIsPlancksFormula) {
  for (double const nu : {600.0, 792.0, 2500.0})
    for (double const t : {100.0, 250.0, 400.0}) {
      EXPECT_NEAR(filtered_planck({{nu}, {3}}, t) / planck(nu, t), 1, rounding) << nu << ", " << t;
      // Only the middle of a triangle of three nodes has a weight.
      EXPECT_NEAR(filtered_planck({{nu - 1, nu, nu + 1}, {0, 2, 0}}, t) / planck(nu, t), 1, rounding);
    }
  // With CODATA's constants: the first radiation constant differs by 3.3e-7, the second by 1.3e-6.
  double const exponent = 1.4388 * 800 / 288;
  EXPECT_NEAR(filtered_planck({{800}, {1}}, 288) / planck_radiance(800.0, 288.0), 1, 3.3e-7 + 1.3e-6 * exponent);
}

TEST(EgaChannels, TheGridHasTheSmallestSpacingOfTheNodes) {
  // Spacing 0.25, weights between nodes linear: 1, 1.5, 2, 1.5, 1, 0.5, 0. All numbers are exact.
  Filter const filter{{700, 700.5, 700.75, 701.5}, {1, 2, 1.5, 0}};
  std::vector<double> const weights{1, 1.5, 2, 1.5, 1, 0.5, 0};
  double sum = 0;
  double sum_of_weights = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] * planck(700 + 0.25 * static_cast<double>(i), 230);
    sum_of_weights += weights[i];
  }
  EXPECT_NEAR(filtered_planck(filter, 230) / (sum / sum_of_weights), 1, rounding);
}

TEST(EgaChannels, WeightsBelowZeroCountAsTheyAre) {
  // An apodised line shape: the middle counts more than once, and its neighbours are taken off.
  double const sum = 1.5 * planck(800, 250) - 0.25 * (planck(799, 250) + planck(801, 250));
  // Of terms that are up to twice their sum.
  EXPECT_NEAR(filtered_planck({{799, 800, 801}, {-0.25, 1.5, -0.25}}, 250) / sum, 1, 2 * rounding);
}

TEST(EgaChannels, AFineFilterGivesTheIntegral) {
  // A triangle of half width 2 cm-1 in steps of 2^-6 cm-1.
  constexpr double step = 1.0 / 64;
  Filter triangle;
  for (int i = -128; i <= 128; ++i) {
    triangle.wavenumber.push_back(900 + step * i);
    triangle.weight.push_back(1 - std::abs(i) / 128.0);
  }
  for (double const t : {150.0, 280.0}) {
    // Simpson's rule on either side of the middle.
    double integral = 0;
    constexpr int n = 2000;
    for (int i = 0; i <= n; ++i) {
      double const x = 2.0 * i / n;
      double const w = (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * (2.0 / n) / 3 * (1 - x / 2);
      integral += w * (planck(900 - x, t) + planck(900 + x, t));
    }
    // Trapezoids on a function with kinks at nodes: h^2 / 12 times the slopes' differences over the pieces, which leave
    // B(900) - (B(898) + B(902)) / 2, the curvature times 2: below 2e-4 of B. The integral of the weights is 2.
    EXPECT_NEAR(filtered_planck(triangle, t) / (integral / 2), 1, step * step / 12 * 2e-4 + rounding) << t;
  }
  // A boxcar: where a rounding leaves out the last of 201 points, the middle moves by 0.0025 cm-1 and the radiance by
  // d ln B / d nu = 3 / nu - c2 / T at most 7e-3 per cm-1.
  for (double const t : {200.0, 300.0}) {
    double integral = 0;
    constexpr int n = 200;
    for (int i = 0; i <= n; ++i)
      integral += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) / (3.0 * n) * planck(791.5 + double(i) / n, t);
    EXPECT_NEAR(filtered_planck(boxcar(792, 1), t) / integral, 1, 0.0025 * 7e-3) << t;
  }
}

TEST(EgaChannels, OnlyTheShapeOfAFilterMatters) {
  Filter const filter{{700, 700.5, 701}, {0.25, 1, 0.5}};
  Filter const twice{{700, 700.5, 701}, {0.5, 2, 1}};
  EXPECT_EQ(filtered_planck(filter, 250), filtered_planck(twice, 250));
}

TEST(EgaChannels, TheSourceTableHoldsTheMeanRadiances) {
  auto const filter = boxcar(1550, 1);
  auto const table = source_table(filter);
  ASSERT_EQ(table.size(), 1200U);
  for (int const i : {0, 1, 599, 1198, 1199})
    EXPECT_NEAR(table[static_cast<std::size_t>(i)] / filtered_planck(filter, 100 + 300.0 * i / 1199), 1, rounding) << i;
  for (std::size_t i = 1; i < table.size(); ++i) ASSERT_GT(table[i], table[i - 1]);
}

TEST(EgaChannels, TheSourceIsThatOfTheReference) {
  PARHELION_REQUIRE_DATA(filter_file, "jurassic/tables/boxcar_792.0000.filt");
  PARHELION_REQUIRE_DATA(dump_file, "jurassic/cases/nadir_dbg/los_ray1.tab");
  Filter filter;
  for (auto const& row : columns_of(filter_file)) {
    filter.wavenumber.push_back(row.at(0));
    filter.weight.push_back(row.at(1));
  }
  auto const table = source_table(filter);
  for (auto const& point : columns_of(dump_file)) {
    double const steps = (point.at(5) - 100) / (300.0 / 1199);
    auto const i = static_cast<std::size_t>(steps);
    double const w = steps - static_cast<double>(i);
    // Printed with 17 digits; 2000 terms in the order of the reference, and an exponent of 6.
    EXPECT_NEAR(((1 - w) * table[i] + w * table[i + 1]) / point.at(20), 1, 1e-13) << point.at(0);
  }
}

TEST(EgaChannels, ABoxcarHas201EqualNodes) {
  auto const filter = boxcar(792, 1);
  ASSERT_EQ(filter.wavenumber.size(), 201U);
  EXPECT_EQ(filter.wavenumber.front(), 791.5);
  EXPECT_EQ(filter.wavenumber[100], 792);
  EXPECT_EQ(filter.wavenumber.back(), 792.5);
  for (double const weight : filter.weight) EXPECT_EQ(weight, 1);
  for (std::size_t i = 1; i < 201; ++i)
    EXPECT_NEAR(filter.wavenumber[i] - filter.wavenumber[i - 1], 0.005, 2e-13);  // two ulps of 792
}

TEST(EgaChannels, WhatIsWrongIsNamed) {
  auto const refusal = [](Filter const& filter) { return message_of([&] { source_table(filter); }); };
  EXPECT_EQ(refusal({}), "source_table: the filter has 0 wavenumbers and 0 weights, expected as many, at least one");
  EXPECT_EQ(refusal({{1, 2}, {1}}),
            "source_table: the filter has 2 wavenumbers and 1 weights, expected as many, at least one");
  EXPECT_EQ(refusal({{700, 700}, {1, 1}}),
            "source_table: filter.wavenumber(1) = 700 cm-1, expected a finite number above 700 cm-1");
  EXPECT_EQ(refusal({{0, 700}, {1, 1}}),
            "source_table: filter.wavenumber(0) = 0 cm-1, expected a finite number above 0 cm-1");
  EXPECT_EQ(refusal({{700, nan}, {1, 1}}),
            "source_table: filter.wavenumber(1) = nan cm-1, expected a finite number above 700 cm-1");
  EXPECT_EQ(refusal({{700, 701}, {1, INFINITY}}), "source_table: filter.weight(1) = inf, expected a finite number");
  for (Filter const& filter : {Filter{{700, 701}, {0, 0}}, Filter{{700, 701}, {1, -1}}, Filter{{700}, {0}}})
    EXPECT_EQ(refusal(filter), "source_table: the weights of the filter add up to 0, expected another sum");
  EXPECT_EQ(refusal({{700, 700 + 1e-6, 800}, {1, 1, 1}}).substr(0, 61),
            "source_table: the filter from 700 to 800 cm-1 has nodes only ");
  EXPECT_EQ(message_of([] {
              filtered_planck({{700}, {1}}, 0);
            }),
            "filtered_planck: temperature = 0 K, expected a positive finite number");
  EXPECT_EQ(message_of([] {
              filtered_planck({{700}, {1}}, nan);
            }),
            "filtered_planck: temperature = nan K, expected a positive finite number");
  EXPECT_EQ(message_of([] { boxcar(0.4, 1); }),
            "boxcar: 1 cm-1 around 0.4 cm-1, expected a positive width and positive wavenumbers");
  EXPECT_EQ(message_of([] { boxcar(700, -1); }),
            "boxcar: -1 cm-1 around 700 cm-1, expected a positive width and positive wavenumbers");
}

}  // namespace
