// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/exponential.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

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

/// Expects values within two units of what is expected, and 0 first.
/// \param expected called with a number of type long double
template <class Values, class Expected>
void expect_two_units(Values const& values, int n, Expected const& expected) {
  using Real = std::decay_t<decltype(values[0])>;
  double worst = 0;
  for (int i = 1; i < n; ++i) {
    long double const off = values[i] / expected(static_cast<long double>(i)) - 1;
    worst = std::fmax(worst, static_cast<double>(std::fabs(off)));
  }
  EXPECT_EQ(values[0], 0);
  EXPECT_LE(worst, 2 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
}

template <class Real>
struct FastQuotient {
  KOKKOS_FUNCTION Real operator()(int i) const { return fast_quotient(static_cast<Real>(i), static_cast<Real>(i + 3)); }
};

TYPED_TEST(ExponentialTest, FastQuotientsAreWithinTwoUnits) {
  constexpr int n = 100000;
  auto const values = evaluate<typename TypeParam::ExecutionSpace>(n, FastQuotient<typename TypeParam::Real>{});
  expect_two_units(values, n, [](long double i) { return i / (i + 3); });
}

template <class Real>
struct FastRoot {
  KOKKOS_FUNCTION Real operator()(int i) const { return fast_sqrt(static_cast<Real>(i) / 1024); }
};

TYPED_TEST(ExponentialTest, FastRootsAreWithinTwoUnits) {
  constexpr int n = 100000;
  auto const values = evaluate<typename TypeParam::ExecutionSpace>(n, FastRoot<typename TypeParam::Real>{});
  expect_two_units(values, n, [](long double i) { return std::sqrt(i / 1024); });
}

/// Powers of 2, as fast as the space can or with integers.
template <class Real, bool with_integers>
struct FastPower {
  Real step;
  KOKKOS_FUNCTION Real operator()(int i) const {
    Real const y = -step * static_cast<Real>(i);
    if constexpr (with_integers)
      return parhelion::Impl::exp2_with_integers(y);
    else
      return fast_exp2(y);
  }
};

template <class Space, class Real, bool with_integers>
void expect_powers() {
  using Limits = std::numeric_limits<Real>;
  constexpr int n = 200000;
  for (double const end : {1e-9, 1e-3, 1.0, 30.0, std::is_same_v<Real, double> ? 850. : 100.}) {
    Real const step = static_cast<Real>(end / n);
    auto const values = evaluate<Space>(n, FastPower<Real, with_integers>{step});
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      long double const expected = std::exp2(-static_cast<long double>(step * static_cast<Real>(i)));
      worst = std::fmax(worst, static_cast<double>(std::fabs(values[i] / expected - 1)));
    }
    EXPECT_LE(worst, 2 * static_cast<double>(Limits::epsilon())) << "up to " << end;
    EXPECT_EQ(values[0], 1);
  }
  for (Real const y : {Real(1000), Real(1e20), Limits::max(), Limits::infinity()}) {
    Real const value = evaluate<Space>(2, FastPower<Real, with_integers>{y})[1];
    EXPECT_GE(value, 0);
    EXPECT_LT(value, 1e-30);
  }
  for (Real const y : {Limits::quiet_NaN(), -Limits::quiet_NaN()})
    EXPECT_TRUE(std::isnan(evaluate<Space>(2, FastPower<Real, with_integers>{y})[1]));
}

TYPED_TEST(ExponentialTest, FastPowersOfTwoAreWithinTwoUnits) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  expect_powers<Space, Real, false>();
  if constexpr (std::is_same_v<Real, double>) expect_powers<Space, Real, true>();
}

template <class Real, bool fast>
struct Attenuate {
  Real step;
  KOKKOS_FUNCTION Attenuation<Real> operator()(int i) const {
    Real const y = -step * static_cast<Real>(i);
    return fast ? fast_attenuate_exp2(y) : attenuate_exp2(y);
  }
};

template <class Space, class Real, bool fast>
void expect_attenuation(double transmittance_off, double absorptivity_off) {
  constexpr int n = 200000;
  for (double const end : {1e-9, 1e-3, 0.2, 1.0, 30.0, 100.0}) {
    Real const step = static_cast<Real>(end / n);
    auto const values = evaluate<Space>(n, Attenuate<Real, fast>{step});
    double worst_transmittance = 0, worst_absorptivity = 0;
    for (int i = 1; i < n; ++i) {
      long double const x = std::log(2.0L) * (step * static_cast<Real>(i));
      auto const off = [](long double found, long double expected) {
        return static_cast<double>(std::fabs(found / expected - 1));
      };
      worst_transmittance = std::fmax(worst_transmittance, off(values[i].transmittance, std::exp(-x)));
      worst_absorptivity = std::fmax(worst_absorptivity, off(values[i].absorptivity, -std::expm1(-x)));
    }
    EXPECT_LE(worst_transmittance, transmittance_off) << "up to " << end;
    EXPECT_LE(worst_absorptivity, absorptivity_off) << "up to " << end;
  }
}

TYPED_TEST(ExponentialTest, AttenuationKeepsTheDigitsOfBothParts) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  double const few_roundings = 2 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  expect_attenuation<Space, Real, false>(few_roundings, few_roundings);
  // An instruction of the machine has an error of 2^-22, which is 2e-6 of the smallest absorptivity that is made of it.
  bool const is_float = std::is_same_v<Real, float>;
  expect_attenuation<Space, Real, true>(is_float ? 3e-7 : few_roundings, is_float ? 2e-6 : few_roundings);
}

TYPED_TEST(ExponentialTest, AttenuationFarOut) {
  using Real = typename TypeParam::Real;
  using Space = typename TypeParam::ExecutionSpace;
  for (Real const y : {Real(0), Real(1000), Real(1e20), std::numeric_limits<Real>::infinity()}) {
    auto const accurate = evaluate<Space>(2, Attenuate<Real, false>{y})[1];
    auto const fast = evaluate<Space>(2, Attenuate<Real, true>{y})[1];
    for (auto const& pass : {accurate, fast}) {
      EXPECT_EQ(pass.absorptivity, y > 0 ? 1 : 0);
      EXPECT_NEAR(pass.transmittance, y > 0 ? 0 : 1, 1e-30);
    }
  }
}

}  // namespace
