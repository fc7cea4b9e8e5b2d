// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/quadrature.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace parhelion {

namespace {

struct Polynomial {
  long double value;
  long double derivative;
};

/// The Legendre polynomial P_n at x in (-1, 1), by the recurrence over n of Abramowitz & Stegun (1964), 22.7.1, and its
/// derivative by 22.8.1.
Polynomial legendre(int n, long double x) {
  long double previous = 1;  // P_0
  long double current = x;   // P_1
  for (int k = 1; k < n; ++k) {
    long double const s = 2 * k;
    long double const next =
        ((s + 1) * (s * (s + 2) * x) * current - 2 * k * k * (s + 2) * previous) / (2 * (k + 1) * (k + 1) * s);
    previous = current;
    current = next;
  }
  long double const s = 2 * n;
  return {current, (-n * s * x * current + 2 * n * n * previous) / (s * (1 - x) * (1 + x))};
}

}  // namespace

QuadratureRule gauss_legendre(int n, double lower, double upper) {
  if (n < 1 || n > max_quadrature_nodes)
    throw Error("gauss_legendre", fmt::format("n = {}, expected 1 to {} nodes", n, max_quadrature_nodes));
  if (!(std::isfinite(lower) && std::isfinite(upper) && lower < upper))
    throw Error("gauss_legendre",
                fmt::format("interval [{}, {}], expected finite limits, lower < upper", lower, upper));
  long double const half = (static_cast<long double>(upper) - lower) / 2;
  QuadratureRule rule;
  for (int i = 0; i < n; ++i) {
    // Szego's asymptotic estimate of the zeros is close enough for Newton's iteration to reach the right one for every
    // n up to 64 (tested); iterating in extended precision makes the rounding to double the only error.
    long double x = -std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L));
    for (int iteration = 0; iteration < 20; ++iteration) {
      auto const [value, derivative] = legendre(n, x);
      long double const step = value / derivative;
      x -= step;
      if (std::abs(step) < 1e-17L) break;
    }
    long double const slope = legendre(n, x).derivative;
    rule.nodes.push_back(static_cast<double>(lower + half * (1 + x)));
    rule.weights.push_back(static_cast<double>(half * (2 / ((1 - x) * (1 + x) * slope * slope))));  // ibid., 25.4.29
  }
  return rule;
}

}  // namespace parhelion
