// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/exponential.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Real>
struct ExpMinus {
  Real step;
  KOKKOS_FUNCTION Real operator()(int i) const { return exp_minus(step * static_cast<Real>(i)); }
};

template <class Pair>
struct ExponentialTest : testing::Test {};
TYPED_TEST_SUITE(ExponentialTest, SpacesAndReals, PairName);

TYPED_TEST(ExponentialTest, IsWithinTwoUlps) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  double const largest = std::is_same_v<Real, double> ? 600 : 70;
  constexpr int n = 200000;
  // From where a table of steps would be too coarse to where the result is tiny; none is a multiple of ln 2.
  for (double const end : {1e-3, 1.0, 20.0, 0.999 * largest}) {
    Real const step = static_cast<Real>(end / n);
    auto const values = evaluate<Space>(n, ExpMinus<Real>{step});
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      long double const expected = std::exp(-static_cast<long double>(step * static_cast<Real>(i)));
      Real const rounded = static_cast<Real>(expected);
      long double const ulp = rounded - std::nextafter(rounded, Real(0));
      worst = std::fmax(worst, static_cast<double>(std::fabs((values[i] - expected) / ulp)));
    }
    EXPECT_LE(worst, 2) << "up to " << end;
  }
}

TYPED_TEST(ExponentialTest, StaysTinyFarOut) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  EXPECT_EQ(evaluate<Space>(1, ExpMinus<Real>{0})[0], 1);
  for (Real const x : {Real(1000), Real(1e20), std::numeric_limits<Real>::infinity()}) {
    Real const value = evaluate<Space>(2, ExpMinus<Real>{x})[1];
    EXPECT_GT(value, 0);
    EXPECT_LT(value, (std::is_same_v<Real, double> ? 1e-260 : 1e-30));
  }
}

}  // namespace
