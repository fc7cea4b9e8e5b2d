// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/quadrature.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace parhelion {

namespace {

void check_count(char const* where, int n) {
  if (n < 1 || n > max_quadrature_nodes)
    throw Error(where, fmt::format("n = {}, expected 1 to {} nodes", n, max_quadrature_nodes));
}

struct Polynomial {
  long double value;
  long double derivative;
};

/// The Jacobi polynomial P_n^(0,beta) at x in (-1, 1), for beta 0 (Legendre) or 1, by the recurrence over n of
/// Abramowitz & Stegun (1964), 22.7.1, and its derivative by 22.8.1.
Polynomial jacobi(int n, int beta, long double x) {
  long double const b = beta;
  long double previous = 1;                     // P_0
  long double current = ((b + 2) * x - b) / 2;  // P_1
  for (int k = 1; k < n; ++k) {
    long double const s = 2 * k + b;
    long double const next = ((s + 1) * (s * (s + 2) * x - b * b) * current - 2 * k * (k + b) * (s + 2) * previous) /
                             (2 * (k + 1) * (k + 1 + b) * s);
    previous = current;
    current = next;
  }
  long double const s = 2 * n + b;
  long double const derivative = (n * (-b - s * x) * current + 2 * n * (n + b) * previous) / (s * (1 - x) * (1 + x));
  return {current, derivative};
}

/// A node and its weight before they are rounded: a small node is the sum of two larger numbers.
struct Point {
  long double node;
  long double weight;
};

/// Zeros of P_n^(0,beta), ascending, and the weights for the weight function (1 + x)^beta on [-1, 1].
std::vector<Point> gauss_jacobi(int n, int beta) {
  std::vector<Point> rule;
  for (int i = 0; i < n; ++i) {
    // Szego's asymptotic estimate of the zeros is close enough for Newton's iteration to reach the right one for every
    // n up to 64 (tested); iterating in extended precision makes the rounding to double the only error.
    long double x = -std::cos(std::numbers::pi_v<long double> * (i + 0.75L + 0.5L * beta) / (n + 0.5L + 0.5L * beta));
    long double slope = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
      auto const [value, derivative] = jacobi(n, beta, x);
      slope = derivative;
      long double const step = value / derivative;
      x -= step;
      if (std::abs(step) < 1e-17L) break;
    }
    slope = jacobi(n, beta, x).derivative;
    // Abramowitz & Stegun, 25.4.33 for alpha = 0: the gamma functions cancel.
    rule.push_back({x, std::pow(2.0L, beta + 1) / ((1 - x) * (1 + x) * slope * slope)});
  }
  return rule;
}

}  // namespace

QuadratureRule gauss_legendre(int n, double lower, double upper) {
  check_count("gauss_legendre", n);
  if (!(std::isfinite(lower) && std::isfinite(upper) && lower < upper))
    throw Error("gauss_legendre",
                fmt::format("interval [{}, {}], expected finite limits, lower < upper", lower, upper));
  long double const half = (static_cast<long double>(upper) - lower) / 2;
  QuadratureRule rule;
  for (auto const& [node, weight] : gauss_jacobi(n, 0)) {
    rule.nodes.push_back(static_cast<double>(lower + half * (1 + node)));
    rule.weights.push_back(static_cast<double>(half * weight));
  }
  return rule;
}

QuadratureRule gauss_flux(int n) {
  check_count("gauss_flux", n);
  QuadratureRule rule;
  // mu = (1 + x) / 2: mu dmu = (1 + x) dx / 4
  for (auto const& [node, weight] : gauss_jacobi(n, 1)) {
    rule.nodes.push_back(static_cast<double>((1 + node) / 2));
    rule.weights.push_back(static_cast<double>(weight / 4));
  }
  return rule;
}

}  // namespace parhelion
