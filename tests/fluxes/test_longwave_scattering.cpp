// SPDX-License-Identifier: BSD-3-Clause
// Layers that scatter longwave radiation: against RTE's formulas in extended precision, and by their properties.
#include "longwave_scattering.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Impl::BelowLevel;
using fluxes::Impl::LayerOptics;
using fluxes::Impl::LayerSources;
using fluxes::Impl::LongwaveTwoStreamLayer;
using fluxes::Impl::rescaled_layer;
using fluxes::Impl::RescaledLayer;
using fluxes::Impl::two_stream_layer;
using Extended = long double;

template <class Pair>
struct LongwaveScattering : testing::Test {};
TYPED_TEST_SUITE(LongwaveScattering, SpacesAndReals, PairName);

template <class Real>
struct Layer {
  LayerOptics<Real> optics;
  LayerSources<Real> sources;
};

template <class Real>
constexpr double epsilon_of = std::is_same_v<Real, float> ? 6e-8 : 1.1e-16;

/// Random numbers that are the same on all machines.
class Random {
 public:
  double uniform(double low, double high) { return low + (high - low) * (double(m_bits() >> 11) * 0x1p-53); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform(0, 1)); }

 private:
  std::mt19937_64 m_bits{20261123};
};

/// Layers one over the other, thin and thick, absorbing and scattering; every sixth is without scattering, every sixth
/// without absorption, every sixth scatters forward alone.
template <class Real>
std::vector<Layer<Real>> layers_of_all_kinds(int n, double thickest) {
  Random random;
  std::vector<Layer<Real>> layers;
  double below = 10;
  for (int i = 0; i < n; ++i) {
    double const above = below * random.uniform(0.9, 1.08);
    double const absorption = i % 6 == 1 ? 0 : random.log_uniform(1e-10, thickest);
    double const scattering = i % 6 == 0 ? 0 : random.log_uniform(1e-10, thickest);
    double const asymmetry = i % 6 == 2 ? 1 : random.uniform(-0.2, 0.99);
    Real const s = static_cast<Real>(scattering);
    layers.push_back({{static_cast<Real>(absorption), s, s * static_cast<Real>(asymmetry)},
                      {static_cast<Real>(below), static_cast<Real>(above), static_cast<Real>((below + above) / 2)}});
    below = above;
  }
  return layers;
}

template <class Space, class Result, class Real, class Function>
std::vector<Result> in_kernel(std::vector<Layer<Real>> const& layers, Function const& function) {
  Array<Layer<Real>*, Space> const in("layers", layers.size());
  Array<Result*, Space> const out("results", layers.size());
  parhelion::assign_array(
      in, Kokkos::View<Layer<Real> const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(layers.data(), layers.size()));
  Kokkos::parallel_for(
      "layers", Kokkos::RangePolicy<Space>(0, static_cast<int>(layers.size())),
      KOKKOS_LAMBDA(int i) { out(i) = function(in(i)); });
  auto const host = parhelion::host_copy(out);
  return {host.data(), host.data() + layers.size()};
}

template <class Space, class Real>
std::vector<LongwaveTwoStreamLayer<Real>> two_stream(std::vector<Layer<Real>> const& layers) {
  return in_kernel<Space, LongwaveTwoStreamLayer<Real>>(
      layers, KOKKOS_LAMBDA(Layer<Real> const& of) { return two_stream_layer(of.optics, of.sources); });
}

template <class Space, class Real>
std::vector<RescaledLayer<Real>> rescaled(std::vector<Layer<Real>> const& layers, Real secant) {
  return in_kernel<Space, RescaledLayer<Real>>(
      layers, KOKKOS_LAMBDA(Layer<Real> const& of) { return rescaled_layer(of.optics, of.sources, secant); });
}

/// Whether RTE limits the exponent of a layer from below, which its other formulas do not know of.
template <class Real>
bool is_limited(Layer<Real> const& of) {
  double const a = double(of.optics.absorption), s = double(of.optics.scattering), h = double(of.optics.asymmetric);
  return 1.66 * 1.66 * a * (a + s - h) < 1.1e-12 * (a + s) * (a + s);
}

/// RTE's formulas in terms of optical depth, albedo and asymmetry parameter.
template <class Real>
LongwaveTwoStreamLayer<Extended> formulas(Layer<Real> const& of) {
  Extended const tau = Extended(of.optics.absorption) + Extended(of.optics.scattering);
  Extended const ssa = Extended(of.optics.scattering) / tau;
  Extended const g = of.optics.scattering > 0 ? Extended(of.optics.asymmetric) / Extended(of.optics.scattering) : 0;
  Extended const d = 1.65999996662139892578125L;
  Extended const gamma1 = d * (1 - ssa * (1 + g) / 2);
  Extended const gamma2 = d * ssa * (1 - g) / 2;
  Extended const k = std::sqrt(std::max((gamma1 - gamma2) * (gamma1 + gamma2), 1e-12L));
  Extended const e = std::exp(-tau * k);
  Extended const q = 1 / (k * (1 + e * e) + gamma1 * (1 - e * e));
  Extended const r = q * gamma2 * (1 - e * e);
  Extended const t = 2 * q * k * e;
  Extended const bt = of.sources.top, bb = of.sources.bottom;
  if (tau <= 1e-8L) return {r, t, 0, 0};
  Extended const z = (bb - bt) / (tau * (gamma1 + gamma2));
  return {r, t, z + bt - r * (bt - z) - t * (z + bb), bb - z - r * (z + bb) - t * (bt - z)};
}

TYPED_TEST(LongwaveScattering, TwoStreamLayersAreThoseOfRte) {
  using Real = typename TypeParam::Real;
  auto const layers = layers_of_all_kinds<Real>(6000, 1e3);
  auto const found = two_stream<typename TypeParam::ExecutionSpace>(layers);
  // The rounding of exponents of up to 40, beyond which nothing is transmitted.
  double const tolerance = 40 * epsilon_of<Real>;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (is_limited(layers[i])) continue;
    ++compared;
    SCOPED_TRACE(i);
    auto const expected = formulas(layers[i]);
    double const depth = double(layers[i].optics.absorption) + double(layers[i].optics.scattering);
    EXPECT_NEAR(double(found[i].reflected), double(expected.reflected), tolerance);
    EXPECT_NEAR(double(found[i].transmitted), double(expected.transmitted), tolerance);
    // Sources relative to Planck radiances of about 10 that differ by up to 10 %.
    if (std::abs(depth / 1e-8 - 1) < 1e-6) continue;
    // The formulas subtract numbers of the size of the slope of the source, in extended precision.
    double const slope = std::abs(double(layers[i].sources.bottom) - double(layers[i].sources.top)) /
                         (depth - double(layers[i].optics.asymmetric));
    double const limit = 20 * tolerance + 1e-18 * slope;
    EXPECT_NEAR(double(found[i].source_up), double(expected.source_up), limit);
    EXPECT_NEAR(double(found[i].source_down), double(expected.source_down), limit);
  }
  EXPECT_GT(compared, layers.size() * 3 / 5);
}

TYPED_TEST(LongwaveScattering, ThinLayersEmitWithoutCancellation) {
  using Real = typename TypeParam::Real;
  std::vector<Layer<Real>> layers;
  for (double const absorption : {1e-7, 1e-6, 1e-5, 1e-4, 1e-3})
    for (double const scattering : {0., 1e-7, 1e-3, 1.})
      layers.push_back({{Real(absorption), Real(scattering), Real(0.8 * scattering)}, {10, 10, 10}});
  auto const found = two_stream<typename TypeParam::ExecutionSpace>(layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto const expected = formulas(layers[i]);
    EXPECT_NEAR(double(found[i].source_up / expected.source_up), 1, 1e-9 + 20 * epsilon_of<Real>) << i;
    EXPECT_EQ(found[i].source_up, found[i].source_down);
  }
}

TYPED_TEST(LongwaveScattering, WithoutAbsorptionNothingIsEmittedOrLost) {
  using Real = typename TypeParam::Real;
  std::vector<Layer<Real>> layers;
  for (double const scattering : {1e-9, 1e-4, 1., 50., 1e4})
    for (double const asymmetry : {0., 0.85, 1.})
      layers.push_back({{0, Real(scattering), Real(scattering * asymmetry)}, {10, 10, 10}});
  for (auto const& layer : two_stream<typename TypeParam::ExecutionSpace>(layers)) {
    EXPECT_NEAR(double(layer.reflected) + double(layer.transmitted), 1, 4 * epsilon_of<Real>);
    EXPECT_EQ(layer.source_up, 0);
    EXPECT_EQ(layer.source_down, 0);
  }
}

TYPED_TEST(LongwaveScattering, WithoutScatteringOnlyTheDiffusivityCounts) {
  using Real = typename TypeParam::Real;
  std::vector<Layer<Real>> layers;
  for (double const absorption : {1e-5, 1e-2, 1., 30.}) layers.push_back({{Real(absorption), 0, 0}, {10, 9, 9.5}});
  auto const found = two_stream<typename TypeParam::ExecutionSpace>(layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    double const t = 1.65999996662139892578125 * double(layers[i].optics.absorption);
    EXPECT_EQ(found[i].reflected, 0);
    EXPECT_NEAR(double(found[i].transmitted), std::exp(-t), 40 * epsilon_of<Real>);
    // A source that is linear in optical depth between its ends.
    double const a = -std::expm1(-t);
    EXPECT_NEAR(double(found[i].source_up), 9 * a + (a / t - std::exp(-t)), 200 * epsilon_of<Real>);
    EXPECT_NEAR(double(found[i].source_down), 10 * a - (a / t - std::exp(-t)), 200 * epsilon_of<Real>);
  }
}

/// Fluxes at all levels, level 0 at the surface.
struct Fluxes {
  std::vector<double> up, down;
};

/// By adding.
template <class Real>
Fluxes add(std::vector<LongwaveTwoStreamLayer<Real>> const& layers, BelowLevel<Real> surface) {
  std::size_t const n = layers.size();
  std::vector<BelowLevel<Real>> below{surface};
  for (auto const& layer : layers) below.push_back(layer.over(below.back()));
  Fluxes fluxes{std::vector<double>(n + 1), std::vector<double>(n + 1)};
  Real down = 0;
  for (std::size_t k = n + 1; k-- > 0;) {
    if (k < n) down = layers[k].down_at_bottom(down, below[k]);
    fluxes.down[k] = double(down);
    fluxes.up[k] = double(below[k].albedo * down + below[k].source);
  }
  return fluxes;
}

/// By following what the layers reflect and transmit until nothing is left.
template <class Real>
Fluxes follow(std::vector<LongwaveTwoStreamLayer<Real>> const& layers, BelowLevel<Real> surface) {
  std::size_t const n = layers.size();
  Fluxes fluxes{std::vector<double>(n + 1), std::vector<double>(n + 1)};
  for (int pass = 0; pass < 3000; ++pass) {
    for (std::size_t k = n; k-- > 0;)
      fluxes.down[k] = double(layers[k].transmitted) * fluxes.down[k + 1] + double(layers[k].reflected) * fluxes.up[k] +
                       double(layers[k].source_down);
    fluxes.up[0] = double(surface.albedo) * fluxes.down[0] + double(surface.source);
    for (std::size_t k = 0; k < n; ++k)
      fluxes.up[k + 1] = double(layers[k].transmitted) * fluxes.up[k] +
                         double(layers[k].reflected) * fluxes.down[k + 1] + double(layers[k].source_up);
  }
  return fluxes;
}

TYPED_TEST(LongwaveScattering, AddingIsTheSumOfAllReflections) {
  using Real = typename TypeParam::Real;
  auto const found = two_stream<typename TypeParam::ExecutionSpace>(layers_of_all_kinds<Real>(40, 3));
  for (double const emissivity : {1., 0.6, 0.}) {
    BelowLevel<Real> const surface{Real(1 - emissivity), Real(10 * emissivity)};
    auto const added = add(found, surface);
    auto const followed = follow(found, surface);
    for (std::size_t k = 0; k <= found.size(); ++k) {
      EXPECT_NEAR(added.up[k], followed.up[k], 1e-11 + 4000 * epsilon_of<Real>) << k;
      EXPECT_NEAR(added.down[k], followed.down[k], 1e-11 + 4000 * epsilon_of<Real>) << k;
    }
  }
}

TYPED_TEST(LongwaveScattering, BetweenBlackBodiesOfOneTemperatureIsThatBlackBody) {
  using Real = typename TypeParam::Real;
  auto layers = layers_of_all_kinds<Real>(40, 3);
  for (auto& layer : layers) layer.sources = {10, 10, 10};
  // A thick layer at the top closes the column.
  layers.push_back({{1000, 0, 0}, {10, 10, 10}});
  auto const fluxes = add(two_stream<typename TypeParam::ExecutionSpace>(layers), BelowLevel<Real>{0, 10});
  for (std::size_t k = 0; k + 1 < fluxes.up.size(); ++k) {
    EXPECT_NEAR(fluxes.up[k], 10, 1e-6 + 2000 * epsilon_of<Real>) << k;
    EXPECT_NEAR(fluxes.down[k], 10, 1e-6 + 2000 * epsilon_of<Real>) << k;
  }
  for (auto const& layer : rescaled<typename TypeParam::ExecutionSpace>(layers, Real(1.64))) {
    EXPECT_NEAR(double(layer.up(10, 10)), 10, 100 * epsilon_of<Real>);
    EXPECT_NEAR(double(layer.down(10, 10)), 10, 100 * epsilon_of<Real>);
  }
}

/// The three sweeps of the rescaling method: by our layers.
template <class Real>
Fluxes three_sweeps(std::vector<RescaledLayer<Real>> const& layers, Real emissivity, Real source) {
  std::size_t const n = layers.size();
  std::vector<Real> down(n + 1), up(n + 1);
  for (std::size_t k = n; k-- > 0;) down[k] = layers[k].down_uncorrected(down[k + 1]);
  up[0] = emissivity * source + (1 - emissivity) * down[0];
  for (std::size_t k = 0; k < n; ++k) up[k + 1] = layers[k].up(up[k], down[k + 1]);
  for (std::size_t k = n; k-- > 0;) down[k] = layers[k].down(down[k + 1], up[k + 1]);
  return {{up.begin(), up.end()}, {down.begin(), down.end()}};
}

/// And by the formulas.
template <class Real>
Fluxes three_sweeps(std::vector<Layer<Real>> const& layers, Extended emissivity, Extended source, Extended secant) {
  std::size_t const n = layers.size();
  std::vector<Extended> down(n + 1), up(n + 1), e(n), e_up(n), e_down(n), c(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const& of = layers[k];
    Extended const tau = Extended(of.optics.absorption) + Extended(of.optics.scattering);
    Extended const ssa = Extended(of.optics.scattering) / tau;
    Extended const g = of.optics.scattering > 0 ? Extended(of.optics.asymmetric) / Extended(of.optics.scattering) : 0;
    Extended const b = ssa * (1 - g) / 2;
    Extended const s = 1 - ssa + b;
    Extended const t = tau * s * secant;
    c[k] = 0.4L * b / s;
    e[k] = std::exp(-t);
    Extended const f = t > 1e-4L ? -std::expm1(-t) / t - e[k] : t * (0.5L + t * (-1 / 3.L + t * (0.125L - t / 30)));
    auto const emitted = [&](Extended exit) { return -std::expm1(-t) * exit + 2 * f * (of.sources.layer - exit); };
    e_up[k] = emitted(of.sources.top);
    e_down[k] = emitted(of.sources.bottom);
  }
  for (std::size_t k = n; k-- > 0;) down[k] = e[k] * down[k + 1] + e_down[k];
  up[0] = emissivity * source + (1 - emissivity) * down[0];
  for (std::size_t k = 0; k < n; ++k)
    up[k + 1] = e[k] * up[k] + e_up[k] + c[k] * ((1 - e[k] * e[k]) * down[k + 1] - e[k] * e_down[k] - e_up[k]);
  for (std::size_t k = n; k-- > 0;)
    down[k] = e[k] * down[k + 1] + e_down[k] + c[k] * ((1 - e[k] * e[k]) * up[k + 1] - e[k] * e_up[k] - e_down[k]);
  return {{up.begin(), up.end()}, {down.begin(), down.end()}};
}

TYPED_TEST(LongwaveScattering, RescaledLayersAreThoseOfRte) {
  using Real = typename TypeParam::Real;
  auto const layers = layers_of_all_kinds<Real>(60, 3);
  for (double const secant : {1., 1.6402, 22.}) {
    auto const found =
        three_sweeps(rescaled<typename TypeParam::ExecutionSpace>(layers, Real(secant)), Real(0.9), Real(11));
    auto const expected = three_sweeps(layers, Extended(Real(0.9)), 11, Extended(Real(secant)));
    for (std::size_t k = 0; k < found.up.size(); ++k) {
      EXPECT_NEAR(found.up[k], expected.up[k], 3000 * epsilon_of<Real>) << k;
      EXPECT_NEAR(found.down[k], expected.down[k], 3000 * epsilon_of<Real>) << k;
    }
  }
}

TYPED_TEST(LongwaveScattering, RescaledLayersWithoutExtinctionLetAllPass) {
  using Real = typename TypeParam::Real;
  // Nothing there, and scattering straight on alone.
  std::vector<Layer<Real>> const layers{{{0, 0, 0}, {10, 9, 8}}, {{0, 3, 3}, {10, 9, 8}}};
  for (auto const& layer : rescaled<typename TypeParam::ExecutionSpace>(layers, Real(1.5))) {
    EXPECT_EQ(layer.down_uncorrected(7), 7);
    EXPECT_EQ(layer.up(7, 3), 7);
    EXPECT_EQ(layer.down(7, 3), 7);
  }
}

}  // namespace
