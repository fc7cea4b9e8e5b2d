// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/layer_map.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Pair>
struct LayerMap : testing::Test {
  using ExecutionSpace = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
};
TYPED_TEST_SUITE(LayerMap, SpacesAndReals, PairName);

/// A layer that does not look the same from both sides, reflects up to 0.4 and loses some energy.
template <class Real, class Generator>
ScatteringLayer<Real> random_layer(Generator& random) {
  std::uniform_real_distribution<Real> fraction(0, 1);
  ScatteringLayer<Real> layer;
  layer.reflection_below = Real(0.4) * fraction(random);
  layer.reflection_above = Real(0.4) * fraction(random);
  layer.transmission_up = Real(0.3) + Real(0.3) * fraction(random);
  layer.transmission_dn = Real(0.3) + Real(0.3) * fraction(random);
  layer.source_up = fraction(random);
  layer.source_dn = fraction(random);
  return layer;
}

template <class Real>
void expect_near(ScatteringLayer<Real> const& a, ScatteringLayer<Real> const& b, Real relative) {
  auto const near = [relative](Real x, Real y, char const* what) { EXPECT_NEAR(x, y, relative * std::abs(y)) << what; };
  near(a.reflection_below, b.reflection_below, "reflection_below");
  near(a.reflection_above, b.reflection_above, "reflection_above");
  near(a.transmission_up, b.transmission_up, "transmission_up");
  near(a.transmission_dn, b.transmission_dn, "transmission_dn");
  near(a.source_up, b.source_up, "source_up");
  near(a.source_dn, b.source_dn, "source_dn");
}

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

TYPED_TEST(LayerMap, AffineComposesFirstOnTheLeft) {
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

TYPED_TEST(LayerMap, DefaultAndZeroAreTheIdentity) {
  using Real = typename TestFixture::Real;
  Real const odd = Real(1) / 3;
  AffineMap<Real> const map(odd, 1 - odd);
  AffineMap<Real> const zero = 0;  // as Kokkos' scans write it
  for (AffineMap<Real> const& identity : {AffineMap<Real>(), zero}) {
    EXPECT_EQ(identity(odd), odd);
    for (auto const& same : {identity + map, map + identity}) {
      EXPECT_EQ(same.gain, map.gain);
      EXPECT_EQ(same.offset, map.offset);
    }
  }
  static_assert(!std::is_constructible_v<AffineMap<Real>, Real>, "a gain alone must not be taken for the identity");
  std::mt19937 random(1);
  auto const layer = random_layer<Real>(random);
  ScatteringLayer<Real> const nothing = 0;
  expect_near(nothing + layer, layer, Real(0));
  expect_near(layer + nothing, layer, Real(0));
}

TYPED_TEST(LayerMap, CompositionIsAssociative) {
  using Real = typename TestFixture::Real;
  using ExecutionSpace = typename TestFixture::ExecutionSpace;
  std::mt19937 random(2);
  std::uniform_real_distribution<Real> fraction(0, 1);
  std::vector<AffineMap<Real>> affine;
  std::vector<ScatteringLayer<Real>> scattering;
  for (int i = 0; i < 3000; ++i) {
    affine.emplace_back(fraction(random), fraction(random));
    scattering.push_back(random_layer<Real>(random));
  }
  auto const left = compose_triples<ExecutionSpace>(affine, true);
  auto const right = compose_triples<ExecutionSpace>(affine, false);
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_GT(left[i].gain, 0);  // that is, there are results
    // All terms are positive: two compositions of three roundings each, on both sides.
    EXPECT_NEAR(left[i].gain, right[i].gain, 6 * this->eps * right[i].gain);
    EXPECT_NEAR(left[i].offset, right[i].offset, 6 * this->eps * right[i].offset);
  }
  auto const lower_first = compose_triples<ExecutionSpace>(scattering, true);
  auto const upper_first = compose_triples<ExecutionSpace>(scattering, false);
  // Ten roundings a composition at most, two compositions on both sides; the denominator is above 0.8 and raises the
  // errors of what goes into it by less than a half.
  for (std::size_t i = 0; i < lower_first.size(); ++i) {
    ASSERT_GT(lower_first[i].transmission_up, 0);
    expect_near(lower_first[i], upper_first[i], 30 * this->eps);
  }
}

TYPED_TEST(LayerMap, StarProductIsWhatTheTwoLayersDo) {
  using Real = typename TestFixture::Real;
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    auto const lower = random_layer<Real>(random);
    auto const upper = random_layer<Real>(random);
    Real const from_below = Real(0.7);
    Real const from_above = Real(1.9);
    auto const inside = streams_between(lower, upper, from_below, from_above);
    // The streams between the layers are what each sends to the other, and the pair sends out what its layers send.
    auto const from_lower = lower(from_below, inside.dn);
    auto const from_upper = upper(inside.up, from_above);
    auto const from_pair = (lower + upper)(from_below, from_above);
    Real const tolerance = 30 * this->eps;  // as for associativity
    EXPECT_NEAR(inside.up, from_lower.up, tolerance * inside.up);
    EXPECT_NEAR(inside.dn, from_upper.dn, tolerance * inside.dn);
    EXPECT_NEAR(from_pair.up, from_upper.up, tolerance * from_pair.up);
    EXPECT_NEAR(from_pair.dn, from_lower.dn, tolerance * from_pair.dn);
  }
}

TYPED_TEST(LayerMap, StarProductSumsTheBounces) {
  using Real = typename TestFixture::Real;
  std::mt19937 random(4);
  auto const lower = random_layer<Real>(random);
  auto const upper = random_layer<Real>(random);
  // Follow a unit of radiation from below: each round trip between the layers adds a term.
  Real through = 0;
  Real back = lower.reflection_below;
  Real up = lower.transmission_up;
  for (int bounce = 0; bounce < 60; ++bounce) {  // 0.16^60 is below any rounding
    through += upper.transmission_up * up;
    Real const down = upper.reflection_below * up;
    back += lower.transmission_dn * down;
    up = lower.reflection_above * down;
  }
  auto const both = lower + upper;
  EXPECT_NEAR(both.transmission_up, through, 20 * this->eps * through);
  EXPECT_NEAR(both.reflection_below, back, 20 * this->eps * back);
}

TYPED_TEST(LayerMap, ConservativeLayersConserve) {
  using Real = typename TestFixture::Real;
  std::mt19937 random(5);
  std::uniform_real_distribution<Real> fraction(0, 1);
  ScatteringLayer<Real> stack;
  for (int n = 1; n <= 50; ++n) {
    Real const reflection = Real(0.3) * fraction(random);
    stack += ScatteringLayer<Real>::symmetric(reflection, 1 - reflection, 0);
    // Composed reflections R give R/(1-R) in sum; with 50 layers of 0.43 at most, 1/(1 - R R') stays below 25, which
    // multiplies the ten roundings of each composition once.
    Real const tolerance = 250 * static_cast<Real>(n) * this->eps;
    EXPECT_NEAR(stack.reflection_below + stack.transmission_up, 1, tolerance) << n;
    EXPECT_NEAR(stack.reflection_above + stack.transmission_dn, 1, tolerance) << n;
  }
  EXPECT_GT(stack.reflection_above, Real(0.8));  // that is, the stack does reflect
}

TYPED_TEST(LayerMap, ThickConservativeStackMatchesTheClosedForm) {
  using Real = typename TestFixture::Real;
  // n equal conservative layers: R_n = n r / (1 + (n - 1) r), as R/(1-R) adds up.
  Real const r = Real(0.125);
  ScatteringLayer<Real> stack;
  for (int n = 1; n <= 40; ++n) {
    stack += ScatteringLayer<Real>::symmetric(r, 1 - r, 0);
    Real const exact = n * r / (1 + (n - 1) * r);
    EXPECT_NEAR(stack.reflection_below, exact, 10 * n * this->eps);  // ten roundings a composition
    EXPECT_NEAR(stack.transmission_dn, 1 - exact, 10 * n * this->eps);
  }
}

TYPED_TEST(LayerMap, IsothermalStackOverABlackSurfaceEmitsAsABlackBody) {
  using Real = typename TestFixture::Real;
  Real const planck = Real(5.25);
  std::mt19937 random(6);
  std::uniform_real_distribution<Real> fraction(0, 1);
  AffineMap<Real> up;
  ScatteringLayer<Real> stack = ScatteringLayer<Real>::symmetric(0, 0, planck);  // the surface
  for (int n = 1; n <= 100; ++n) {
    Real const transmission = fraction(random);
    up += AffineMap<Real>(transmission, (1 - transmission) * planck);
    EXPECT_NEAR(up(planck), planck, 2 * n * this->eps * planck);  // four roundings a layer
    // Kirchhoff: a layer that scatters emits what it neither reflects nor transmits.
    Real const reflection = (1 - transmission) * fraction(random) / 2;
    stack += ScatteringLayer<Real>::symmetric(reflection, transmission, (1 - reflection - transmission) * planck);
    // Radiation of the same temperature from above: nothing changes anywhere.
    EXPECT_NEAR(stack(0, planck).up, planck, 10 * n * this->eps * planck);
  }
}

TYPED_TEST(LayerMap, WithoutReflectionTheStarProductIsTwoAffineMaps) {
  using Real = typename TestFixture::Real;
  std::mt19937 random(7);
  AffineMap<Real> up;
  AffineMap<Real> down;
  ScatteringLayer<Real> stack;
  for (int n = 0; n < 20; ++n) {
    auto layer = random_layer<Real>(random);
    layer.reflection_above = layer.reflection_below = 0;
    stack += layer;
    up += AffineMap<Real>(layer.transmission_up, layer.source_up);
    down = AffineMap<Real>(layer.transmission_dn, layer.source_dn) + down;  // a downward beam meets the new layer first
  }
  // Multiplications by the denominator 1 add no error; what is left are products and sums in another order.
  Real const tolerance = 2 * 20 * this->eps;
  EXPECT_NEAR(stack.transmission_up, up.gain, tolerance * up.gain);
  EXPECT_NEAR(stack.transmission_dn, down.gain, tolerance * down.gain);
  EXPECT_NEAR(stack.source_up, up.offset, tolerance * up.offset);
  EXPECT_NEAR(stack.source_dn, down.offset, tolerance * down.offset);
}

TYPED_TEST(LayerMap, OrientationInvariant) {
  using Real = typename TestFixture::Real;
  std::mt19937 random(8);
  auto const flipped = [](ScatteringLayer<Real> layer) {
    std::swap(layer.reflection_below, layer.reflection_above);
    std::swap(layer.transmission_up, layer.transmission_dn);
    std::swap(layer.source_up, layer.source_dn);
    return layer;
  };
  for (int i = 0; i < 100; ++i) {
    auto const a = random_layer<Real>(random);
    auto const b = random_layer<Real>(random);
    expect_near(flipped(flipped(b) + flipped(a)), a + b, 20 * this->eps);  // ten roundings on both sides
  }
}

}  // namespace
