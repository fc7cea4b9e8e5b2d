// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/affine_map.hpp>
#include <parhelion/core/dual.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Pair>
struct AffineMaps : testing::Test {
  using ExecutionSpace = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
};
TYPED_TEST_SUITE(AffineMaps, SpacesAndReals, PairName);

/// The maps three by three, (a + b) + c or a + (b + c), on the device.
template <class ExecutionSpace, class Map>
std::vector<Map> compose_triples(std::vector<Map> const& maps, bool left_first) {
  auto const device = on_device<ExecutionSpace>(maps);
  return evaluate<ExecutionSpace>(
      static_cast<int>(maps.size()) / 3, KOKKOS_LAMBDA(int i)->Map {
        Map const a = device(3 * i);
        Map const b = device(3 * i + 1);
        Map const c = device(3 * i + 2);
        return left_first ? (a + b) + c : a + (b + c);
      });
}

TYPED_TEST(AffineMaps, ComposeFirstOnTheLeft) {
  using Map = AffineMap<typename TestFixture::Real>;
  // Powers of two: every step is exact.
  Map const a(0.5, 3);
  Map const b(0.25, 8);
  EXPECT_EQ((a + b)(16), b(a(16)));
  EXPECT_NE((a + b)(16), (b + a)(16));
  Map c = a;
  c += b;
  EXPECT_EQ(c(16), b(a(16)));
}

TYPED_TEST(AffineMaps, DefaultIsTheIdentity) {
  using Real = typename TestFixture::Real;
  Real const odd = Real(1) / 3;
  AffineMap<Real> const map(odd, 1 - odd);
  AffineMap<Real> const identity;
  EXPECT_EQ(identity(odd), odd);
  for (auto const& same : {identity + map, map + identity}) {
    EXPECT_EQ(same.gain, map.gain);
    EXPECT_EQ(same.offset, map.offset);
  }
}

TYPED_TEST(AffineMaps, CompositionIsAssociative) {
  using Real = typename TestFixture::Real;
  using ExecutionSpace = typename TestFixture::ExecutionSpace;
  std::mt19937 random(2);
  std::uniform_real_distribution<Real> fraction(0, 1);
  std::vector<AffineMap<Real>> maps;
  for (int i = 0; i < 3000; ++i) maps.emplace_back(fraction(random), fraction(random));
  auto const left = compose_triples<ExecutionSpace>(maps, true);
  auto const right = compose_triples<ExecutionSpace>(maps, false);
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_GT(left[i].gain, 0);  // that is, there are results
    // All terms are positive: two compositions of three roundings each, on both sides.
    EXPECT_NEAR(left[i].gain, right[i].gain, 6 * this->eps * right[i].gain);
    EXPECT_NEAR(left[i].offset, right[i].offset, 6 * this->eps * right[i].offset);
  }
}

TYPED_TEST(AffineMaps, OfDualsCarryTheirChange) {
  using Real = typename TestFixture::Real;
  using Number = Dual<Real>;
  // Powers of two: every step is exact. d(g I + o) = dg I + g dI + do.
  AffineMap<Number> const map(Number(0.5, 2), Number(3, 8));
  auto const out = map(Number(16, 4));
  EXPECT_EQ(out.value, 11);
  EXPECT_EQ(out.change, 2 * 16 + 0.5 * 4 + 8);
  AffineMap<Number> const next(Number(0.25, 1), Number(1, 0));
  EXPECT_EQ((map + next)(Number(16, 4)).change, next(out).change);
}

TYPED_TEST(AffineMaps, IsothermalStackOverABlackSurfaceEmitsAsABlackBody) {
  using Real = typename TestFixture::Real;
  Real const planck = Real(5.25);
  std::mt19937 random(6);
  std::uniform_real_distribution<Real> fraction(0, 1);
  AffineMap<Real> up;
  for (int n = 1; n <= 100; ++n) {
    Real const transmission = fraction(random);
    up += AffineMap<Real>(transmission, (1 - transmission) * planck);
    EXPECT_NEAR(up(planck), planck, 2 * n * this->eps * planck);  // four roundings a layer
  }
}

}  // namespace
