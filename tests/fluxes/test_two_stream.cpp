// SPDX-License-Identifier: BSD-3-Clause
// The exact operator of a shortwave layer against the usual formulas in quadruple precision, and by its properties.
#include "quad_two_stream.h"
#include "testing.hpp"
#include "two_stream.hpp"

#include <parhelion/core/copies.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::TwoStream;
using fluxes::Impl::ExactTwoStream;
using fluxes::Impl::LayerOperator;
using fluxes::Impl::LayerOptics;
using fluxes::Impl::SunAngle;
using fluxes::Impl::TwoStreamCoefficients;

constexpr TwoStream kinds[] = {TwoStream::pifm, TwoStream::eddington, TwoStream::quadrature};

/// A layer under the sun. Its numbers are those of the precision in which it is solved, so that this alone is compared.
struct Layer {
  LayerOptics<double> optics;
  double mu0;
  double depth() const { return optics.absorption + optics.scattering; }
};

struct Solved {
  LayerOperator<double> layer;
  bool conserves;
};

/// Random numbers that are the same on all machines.
class Random {
 public:
  double uniform(double low, double high) { return low + (high - low) * (double(m_bits() >> 11) * 0x1p-53); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform(0, 1)); }
  bool coin() { return m_bits() % 2 == 0; }

 private:
  std::mt19937_64 m_bits{20240607};
};

/// The exponent of diffuse light over that of the vertical optical depth.
double exponent_per_depth(TwoStream which, double albedo, double asymmetry) {
  TwoStreamCoefficients<double> const c(which);
  double const loss = c.loss * (1 - albedo);
  return std::sqrt(loss * (loss + 2 * (c.back * albedo * (1 - asymmetry) + c.back_of_absorption * (1 - albedo))));
}

/// Layers of all kinds, one after the other: any; at the resonance of beam and diffuse light and by 1e-16 to 1e-2
/// beside it; without absorption; without scattering; thin; empty; with negative absorption.
/// \param least,most asymmetry parameter after scaling
template <class Real>
std::vector<Layer> layers_of_all_kinds(int n, TwoStream which, double least, double most) {
  Random random;
  std::vector<Layer> layers;
  while (static_cast<int>(layers.size()) < n) {
    double absorption = random.log_uniform(1e-12, 1e3);
    double scattering = random.log_uniform(1e-12, 1e3);
    double const asymmetry = random.uniform(least, most);
    double mu0 = random.coin() ? random.log_uniform(1e-3, 1) : random.uniform(1e-3, 1);
    int const kind = static_cast<int>(layers.size() % 8);
    if (kind == 3 || kind == 4) {
      double const depth = random.log_uniform(1e-6, 1e2);
      double const albedo = random.uniform(0, 0.85);
      double const exponent = exponent_per_depth(which, albedo, asymmetry);
      double const beside = random.log_uniform(1e-16, 1e-2);
      mu0 = (kind == 3 ? 1 : random.coin() ? 1 + beside : 1 - beside) / exponent;
      if (!(mu0 <= 1)) continue;
      absorption = depth * (1 - albedo);
      scattering = depth * albedo;
    }
    if (kind == 5) absorption = 0;
    if (kind == 6) scattering = 0;
    if (layers.size() % 48 == 6) {
      // What interpolation of absorption leaves.
      absorption = -random.log_uniform(1e-12, 1e-7);
      scattering = random.log_uniform(1e-12, 0.1) * -absorption;
      mu0 = std::max(mu0, -2 * absorption);
    }
    if (kind == 7) {
      absorption = random.log_uniform(1e-16, 1e-6);
      scattering = random.log_uniform(1e-16, 1e-6);
      if (layers.size() % 64 == 7) absorption = scattering = 0;
    }
    auto const rounded = [](double x) { return static_cast<double>(static_cast<Real>(x)); };
    layers.push_back({{rounded(absorption), rounded(scattering), rounded(scattering * asymmetry)}, rounded(mu0)});
  }
  return layers;
}

/// The operator of models whose optical depths are not negative and that have no threshold of absorption.
template <class Real>
using NotNegative = ExactTwoStream<Real, false, false>;

template <class Space, class Real, class Operator>
void solve_layers(Operator const& layer_operator, Array<LayerOptics<Real>*, Space> const& optics,
                  Array<Real*, Space> const& mu0, Array<LayerOperator<Real>*, Space> const& result,
                  Array<int*, Space> const& conserves) {
  constexpr bool has_threshold = std::is_same_v<Operator, ExactTwoStream<Real>>;
  Kokkos::parallel_for(
      "solve_layers", Kokkos::RangePolicy<Space>(0, static_cast<int>(mu0.extent(0))), KOKKOS_LAMBDA(int i) {
        result(i) = layer_operator(optics(i), SunAngle<Real>{mu0(i), 1 / mu0(i)});
        bool const conserves_here = has_threshold
                                        ? is_conservative(optics(i), optics(i).absorption + optics(i).scattering)
                                        : optics(i).absorption == 0;
        conserves(i) = conserves_here ? 1 : 0;
      });
  Kokkos::fence();
}

/// The layers in the memory and precision of a kernel, and back.
template <class Space, class Real, class Operator = ExactTwoStream<Real>>
std::vector<Solved> solved(std::vector<Layer> const& layers, TwoStream which) {
  auto const n = layers.size();
  Array<LayerOptics<Real>*, Space> const optics("optics", n);
  Array<Real*, Space> const mu0("mu0", n);
  Array<LayerOperator<Real>*, Space> const result("result", n);
  Array<int*, Space> const conserves("conserves", n);
  auto const optics_here = Kokkos::create_mirror_view(optics);
  auto const mu0_here = Kokkos::create_mirror_view(mu0);
  for (std::size_t i = 0; i < n; ++i) {
    auto const& from = layers[i].optics;
    optics_here(i) = {static_cast<Real>(from.absorption), static_cast<Real>(from.scattering),
                      static_cast<Real>(from.asymmetric)};
    mu0_here(i) = static_cast<Real>(layers[i].mu0);
  }
  parhelion::assign_array(optics, optics_here);
  parhelion::assign_array(mu0, mu0_here);
  solve_layers<Space, Real>(Operator{TwoStreamCoefficients<Real>(which)}, optics, mu0, result, conserves);
  auto const result_here = parhelion::host_copy(result);
  auto const conserves_here = parhelion::host_copy(conserves);
  std::vector<Solved> found;
  for (std::size_t i = 0; i < n; ++i) {
    auto const& from = result_here(i);
    found.push_back({{from.reflected_beam, from.scattered_beam, from.reflected, from.transmitted, from.beam},
                     conserves_here(i) != 0});
  }
  return found;
}

std::array<double, 5> numbers(auto const& of) {
  return {of.reflected_beam, of.scattered_beam, of.reflected, of.transmitted, of.beam};
}

std::string text(Layer const& layer) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, "absorption %.17g, scattering %.17g, asymmetric %.17g, mu0 %.17g",
                layer.optics.absorption, layer.optics.scattering, layer.optics.asymmetric, layer.mu0);
  return buffer;
}

/// The largest of many numbers, and which of them it is. NaN is larger than all.
struct Largest {
  double value = -1;
  std::size_t at = 0;
  void consider(double candidate, std::size_t i) {
    if (candidate <= value || std::isnan(value)) return;
    value = candidate;
    at = i;
  }
};

/// Notes it among the test's properties (--gtest_output=json).
void record(std::string const& name, TwoStream which, Largest const& largest) {
  testing::Test::RecordProperty(name + ", two-stream " + std::to_string(int(which)), std::to_string(largest.value));
}

/// Errors of operators against quadruple precision, in units of the precision's epsilon.
struct Errors {
  Largest absolute;
  Largest relative;  ///< to the result times 1 + the exponents of the layer, to which a rounding of the exponents leads
};

Errors errors_of(std::vector<Layer> const& layers, std::vector<Solved> const& found, TwoStream which, double epsilon,
                 double least) {
  std::vector<quad_operator> expected(layers.size());
  Kokkos::parallel_for("quad", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, int(layers.size())),
                       [&](int at) {
                         auto const i = static_cast<std::size_t>(at);
                         auto const& of = layers[i].optics;
                         quad_optics const optics{of.absorption, of.scattering, of.asymmetric};
                         expected[i] = quad_layer(int(which), &optics, layers[i].mu0, found[i].conserves ? 1 : 0);
                       });
  Kokkos::DefaultHostExecutionSpace().fence();
  Errors errors;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto const mine = numbers(found[i].layer);
    auto const right = numbers(expected[i]);
    double const depth = layers[i].depth();
    double const exponents = depth / layers[i].mu0 + 2 * depth;
    for (std::size_t n = 0; n < mine.size(); ++n) {
      double const error = std::abs(mine[n] - right[n]) / epsilon;
      errors.absolute.consider(error, i);
      // Negative absorption may cancel.
      if (std::abs(right[n]) > least && layers[i].optics.absorption >= 0)
        errors.relative.consider(error / (std::abs(right[n]) * (1 + exponents)), i);
    }
  }
  return errors;
}

template <class Pair>
struct TwoStreamTest : testing::Test {
  using Space = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();
  /// Results below this are lost in the limits of the exponents.
  static constexpr double least = std::is_same_v<Real, double> ? 1e-200 : 1e-28;
};
TYPED_TEST_SUITE(TwoStreamTest, SpacesAndReals, PairName);

TYPED_TEST(TwoStreamTest, MeetsTheFormulasInQuadPrecision) {
  if (quad_is_available() == 0) GTEST_SKIP() << "this compiler or C library has no quadruple precision";
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (TwoStream const which : kinds) {
    SCOPED_TRACE("two-stream " + std::to_string(int(which)));
    auto const layers = layers_of_all_kinds<Real>(which == TwoStream::pifm ? 1000000 : 100000, which, -0.5, 0.5);
    auto const found = solved<Space, Real>(layers, which);
    auto const errors = errors_of(layers, found, which, this->epsilon, this->least);
    record("absolute", which, errors.absolute);
    if (which != TwoStream::eddington) record("relative", which, errors.relative);
    EXPECT_LE(errors.absolute.value, 8) << text(layers[errors.absolute.at]);
    // Eddington's exchange between both directions may cancel.
    if (which != TwoStream::eddington) {
      EXPECT_LE(errors.relative.value, 64) << text(layers[errors.relative.at]);
    }
  }
}

TYPED_TEST(TwoStreamTest, MeetsTheFormulasInQuadPrecisionWhereNothingIsNegative) {
  if (quad_is_available() == 0) GTEST_SKIP() << "this compiler or C library has no quadruple precision";
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (TwoStream const which : {TwoStream::pifm, TwoStream::quadrature}) {
    SCOPED_TRACE("two-stream " + std::to_string(int(which)));
    auto layers = layers_of_all_kinds<Real>(which == TwoStream::pifm ? 1000000 : 100000, which, -0.5, 0.5);
    std::erase_if(layers, [](Layer const& layer) { return layer.optics.absorption < 0; });
    auto const found = solved<Space, Real, NotNegative<Real>>(layers, which);
    auto const errors = errors_of(layers, found, which, this->epsilon, this->least);
    record("absolute", which, errors.absolute);
    record("relative", which, errors.relative);
    EXPECT_LE(errors.absolute.value, 8) << text(layers[errors.absolute.at]);
    EXPECT_LE(errors.relative.value, 64) << text(layers[errors.relative.at]);
  }
}

// Where the asymmetry parameter was scaled by its square.
TYPED_TEST(TwoStreamTest, SharesAreBetween0And1) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (TwoStream const which : {TwoStream::pifm, TwoStream::quadrature}) {
    SCOPED_TRACE("two-stream " + std::to_string(int(which)));
    auto layers = layers_of_all_kinds<Real>(1000000, which, 0, 0.5);
    std::erase_if(layers, [](Layer const& layer) { return layer.optics.absorption < 0; });
    auto const found = solved<Space, Real>(layers, which);
    Largest below, above, more_than_enters;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      auto const& of = found[i].layer;
      for (double const share : numbers(of)) {
        below.consider(-share, i);
        above.consider((share - 1) / this->epsilon, i);
      }
      more_than_enters.consider((of.reflected_beam + of.scattered_beam + of.beam - 1) / this->epsilon, i);
      more_than_enters.consider((of.reflected + of.transmitted - 1) / this->epsilon, i);
    }
    record("more than enters", which, more_than_enters);
    EXPECT_LE(below.value, this->least) << text(layers[below.at]);
    EXPECT_LE(above.value, 4) << text(layers[above.at]);
    EXPECT_LE(more_than_enters.value, 8) << text(layers[more_than_enters.at]);
  }
}

TYPED_TEST(TwoStreamTest, LayersThatDoNotAbsorbConserveEnergy) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (TwoStream const which : kinds) {
    SCOPED_TRACE("two-stream " + std::to_string(int(which)));
    auto layers = layers_of_all_kinds<Real>(100000, which, -0.5, 0.5);
    for (auto& layer : layers) layer.optics.absorption = 0;
    auto const found = solved<Space, Real>(layers, which);
    Largest lost;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      auto const& of = found[i].layer;
      EXPECT_TRUE(found[i].conserves || layers[i].optics.scattering == 0) << text(layers[i]);
      lost.consider(std::abs(1 - of.reflected_beam - of.scattered_beam - of.beam) / this->epsilon, i);
      lost.consider(std::abs(1 - of.reflected - of.transmitted) / this->epsilon, i);
    }
    record("lost", which, lost);
    EXPECT_LE(lost.value, 8) << text(layers[lost.at]);
  }
}

// Of pure absorption at mu0 = 1/2 the exponents of the beam and of diffuse light are the same but for their sign, if
// absorption is negative: their sum, by which formulas divide, is exactly 0.
TYPED_TEST(TwoStreamTest, NegativeAbsorptionWithoutScatteringChangesLightByNoMoreThanItsDepth) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const rounded = [](double value) { return static_cast<double>(static_cast<Real>(value)); };
  std::vector<Layer> layers;
  for (double depth = 1e-2; depth > 1e-36; depth /= 8)
    for (double const mu0 : {0.5, 0.5 * (1 - this->epsilon), 0.5 * (1 + 2 * this->epsilon)})
      layers.push_back({{rounded(-depth), 0, 0}, rounded(mu0)});
  auto const found = solved<Space, Real>(layers, TwoStream::pifm);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto const& of = found[i].layer;
    double const most = -3 * layers[i].optics.absorption + 8 * this->epsilon;
    EXPECT_NEAR(of.beam, 1, most) << text(layers[i]);
    EXPECT_NEAR(of.transmitted, 1, most) << text(layers[i]);
    EXPECT_NEAR(of.reflected_beam, 0, most) << text(layers[i]);
    EXPECT_NEAR(of.scattered_beam, 0, most) << text(layers[i]);
    EXPECT_NEAR(of.reflected, 0, most) << text(layers[i]);
  }
}

// The formulas leave 0 to 1 with an asymmetry parameter beyond 2/3, or with Eddington's and much absorption; they stay
// finite.
TYPED_TEST(TwoStreamTest, AllLayersAreFinite) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (TwoStream const which : kinds) {
    auto layers = layers_of_all_kinds<Real>(100000, which, -1, 1);
    for (std::size_t i = 0; i < layers.size(); i += 5) {
      layers[i].mu0 = static_cast<double>(static_cast<Real>(i % 2 == 0 ? 1e-10 : 1e-6));
      // What interpolation of absorption leaves.
      if (i % 3 == 0) layers[i].optics.absorption = static_cast<double>(static_cast<Real>(-4e-8));
    }
    auto const check = [&](std::vector<Layer> const& of, std::vector<Solved> const& found) {
      for (std::size_t i = 0; i < of.size(); ++i)
        for (double const share : numbers(found[i].layer))
          if (!(std::abs(share) < 1e3)) {
            ADD_FAILURE() << share << ", two-stream " << int(which) << ", " << text(of[i]);
            return;
          }
    };
    check(layers, solved<Space, Real>(layers, which));
    std::erase_if(layers, [](Layer const& layer) { return layer.optics.absorption < 0; });
    check(layers, solved<Space, Real, NotNegative<Real>>(layers, which));
  }
}

// RRTMG_SW recovers the single scattering albedo before scaling, and takes those from 0.9999995 as 1.
TYPED_TEST(TwoStreamTest, RuleOfConservativeLayersIsTheOriginals) {
  if (quad_is_available() == 0) GTEST_SKIP() << "this compiler or C library has no quadruple precision";
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Random random;
  std::vector<Layer> layers;
  for (int i = 0; i < 200000; ++i) {
    double const depth = random.log_uniform(1e-9, 1e3);
    double const absorbed = i % 100 == 0 ? -1e-9 : random.log_uniform(1e-9, 1);
    double const asymmetry = i % 4 == 0 ? 0 : random.uniform(-1, 0.99);
    auto const rounded = [](double x) { return static_cast<double>(static_cast<Real>(x)); };
    layers.push_back(
        {{rounded(depth * absorbed), rounded(depth * (1 - absorbed)), rounded(depth * (1 - absorbed) * asymmetry)},
         0.5});
  }
  auto const found = solved<Space, Real>(layers, TwoStream::pifm);
  int conservative = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto const& of = layers[i].optics;
    quad_optics const optics{of.absorption, of.scattering, of.asymmetric};
    double const coalbedo = quad_unscaled_coalbedo(&optics);
    conservative += found[i].conserves;
    // At the limit a rounding decides, the more the nearer the asymmetry parameter is to 1/2.
    double const g = of.asymmetric / of.scattering;
    double const uncertain = 30 * this->epsilon / std::min(1.0, std::abs(1 - 2 * g));
    if (std::abs(coalbedo - 5e-7) <= uncertain * 5e-7 || uncertain > 0.1) continue;
    ASSERT_EQ(found[i].conserves, coalbedo <= 5e-7) << coalbedo << ", " << text(layers[i]);
  }
  EXPECT_GT(conservative, 40000);
  EXPECT_LT(conservative, 160000);
}

}  // namespace
