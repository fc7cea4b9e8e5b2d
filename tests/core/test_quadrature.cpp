// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/quadrature.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace {

using namespace parhelion;

constexpr double eps = std::numeric_limits<double>::epsilon();

double sum_of_powers(QuadratureRule const& rule, int power) {
  double sum = 0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) sum += rule.weights[i] * std::pow(rule.nodes[i], power);
  return sum;
}

TEST(Quadrature, LegendreIsExactForPolynomials) {
  for (int n = 1; n <= max_quadrature_nodes; ++n) {
    auto const rule = gauss_legendre(n);
    for (int power = 0; power < 2 * n; ++power) {
      double const exact = power % 2 == 0 ? 2.0 / (power + 1) : 0.0;
      // Half an ulp in each weight and in each sum, and power half ulps from each node.
      EXPECT_NEAR(sum_of_powers(rule, power), exact, (n + power + 2) * eps * 2 / (power + 1)) << n << " " << power;
    }
    // The first power that n nodes cannot integrate: the error is known, Abramowitz & Stegun 25.4.29.
    double const error =
        std::exp((2 * n + 1) * std::log(2.0) + 4 * std::lgamma(n + 1) - 2 * std::lgamma(2 * n + 1)) / (2 * n + 1);
    if (n <= 12) {
      EXPECT_NEAR(2.0 / (2 * n + 1) - sum_of_powers(rule, 2 * n), error, 1e-9 * error + 4 * n * eps) << n;
    }
  }
}

TEST(Quadrature, LegendreMatchesTabulatedNodes) {
  // Abramowitz & Stegun (1964), table 25.4, 15 digits
  auto const three = gauss_legendre(3);
  EXPECT_NEAR(three.nodes[2], 0.774596669241483, 1e-15);
  EXPECT_NEAR(three.weights[1], 0.888888888888889, 1e-15);
  auto const eight = gauss_legendre(8);
  EXPECT_NEAR(eight.nodes[7], 0.960289856497536, 1e-15);
  EXPECT_NEAR(eight.weights[7], 0.101228536290376, 1e-15);
}

TEST(Quadrature, NodesAscendInsideTheIntervalWithPositiveWeights) {
  for (int n = 1; n <= max_quadrature_nodes; ++n) {
    auto const rule = gauss_legendre(n, 0, 1);
    ASSERT_EQ(rule.nodes.size(), static_cast<std::size_t>(n));
    ASSERT_EQ(rule.weights.size(), static_cast<std::size_t>(n));
    double last = 0;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      EXPECT_GT(rule.nodes[i], last) << n;
      EXPECT_GT(rule.weights[i], 0) << n;
      last = rule.nodes[i];
    }
    EXPECT_LT(last, 1) << n;
  }
}

TEST(Quadrature, LegendreOnAnInterval) {
  auto const rule = gauss_legendre(20, 2, 5);
  double integral = 0;
  for (int i = 0; i < 20; ++i)
    integral += rule.weights[static_cast<std::size_t>(i)] * std::exp(rule.nodes[static_cast<std::size_t>(i)]);
  double const exact = std::exp(5.0) - std::exp(2.0);
  EXPECT_NEAR(integral, exact, 20 * eps * exact);
  EXPECT_NEAR(std::accumulate(rule.weights.begin(), rule.weights.end(), 0.0), 3, 20 * eps);
}

TEST(Quadrature, BadArgumentsAreRefused) {
  auto const message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (Error const& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([] { gauss_legendre(0); }), "gauss_legendre: n = 0, expected 1 to 64 nodes");
  EXPECT_EQ(message([] { gauss_legendre(65); }), "gauss_legendre: n = 65, expected 1 to 64 nodes");
  EXPECT_EQ(message([] { gauss_legendre(3, 1, 1); }),
            "gauss_legendre: interval [1, 1], expected finite limits, lower < upper");
  EXPECT_NE(message([] { gauss_legendre(3, 0, std::numeric_limits<double>::quiet_NaN()); }), "no error");
}

}  // namespace
