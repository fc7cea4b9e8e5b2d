// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/logarithm.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Real>
struct Logarithm {
  Real first, step;
  KOKKOS_FUNCTION Real operator()(int i) const { return vector_log(first + step * static_cast<Real>(i)); }
};

template <class Pair>
struct LogarithmTest : testing::Test {};
TYPED_TEST_SUITE(LogarithmTest, SpacesAndReals, PairName);

TYPED_TEST(LogarithmTest, IsWithinTwoUlps) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  constexpr int n = 200000;
  Real const least = std::numeric_limits<Real>::min();
  Real const most = std::numeric_limits<Real>::max();
  // Near 1, where the result is tiny; over several powers of 2; and at both ends of the numbers.
  std::vector<std::pair<Real, Real>> const ranges = {{Real(0.999), Real(1.001)}, {Real(0.3), Real(3)},
                                                     {Real(1e-6), Real(0.1)},    {Real(1), Real(110000)},
                                                     {least, 100 * least},       {most / 100, most / 2}};
  for (auto const& [from, to] : ranges) {
    Real const step = (to - from) / n;
    auto const values = evaluate<Space>(n, Logarithm<Real>{from, step});
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      // Rounded once, as a fused multiplication and addition on the device is, or twice: a difference in the argument
      // of half an ulp, which counts for more than the logarithm's own error near 1.
      Real const x = std::fma(step, static_cast<Real>(i), from);
      Real const twice = from + static_cast<Real>(step * static_cast<Real>(i));
      double off = std::numeric_limits<double>::infinity();
      for (Real const argument : {x, twice}) {
        long double const expected = std::log(static_cast<long double>(argument));
        Real const rounded = std::fabs(static_cast<Real>(expected));
        long double const ulp = std::nextafter(rounded, std::numeric_limits<Real>::infinity()) - rounded;
        off = std::fmin(off, static_cast<double>(std::fabs((values[i] - expected) / ulp)));
      }
      worst = std::fmax(worst, off);
    }
    EXPECT_LE(worst, 2) << from << " to " << to;
  }
}

TYPED_TEST(LogarithmTest, OfOneIsZero) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  EXPECT_EQ(evaluate<Space>(1, Logarithm<Real>{1, 0})[0], 0);
}

}  // namespace
