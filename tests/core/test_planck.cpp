// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/constants.hpp>
#include <parhelion/core/planck.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Computed with 40 digits from the same constants. The arguments are exact in float too.
struct Spectral {
  double wavenumber, temperature, radiance, derivative;
};
constexpr Spectral spectral_values[] = {
    {0.0009765625, 3, 2.3678468947564868217e-14, 7.8946714359135964448e-15},
    {0.5, 6000, 1.2416500333374903149e-5, 2.0695407842469781025e-9},
    {10, 2.75, 6.3982616483064687138e-8, 1.2238179988246247937e-7},
    {10, 287.5, 2.3209164441049288391e-4, 8.2764356807182982483e-7},
    {500, 220, 5.8822847221252328117e-2, 9.0885136857043863125e-4},
    {667.375, 250.25, 7.8005299584863690626e-2, 1.2223751843487367889e-3},
    {667.375, 287.5, 1.3008748759937224471e-1, 1.5667336192125748233e-3},
    {1000, 300, 9.9240333300706946661e-2, 1.5997156725132193944e-3},
    {2143.25, 296, 3.5057497223730173266e-3, 1.2338908747318968579e-4},
    {3250, 180, 2.1355611498726550527e-9, 3.0820793239452924842e-10},
    {10000, 5772, 1.0736224706023871395e+3, 5.0544652969667088939e-1},
    {20000, 300, 2.0997141676733418862e-37, 6.7133782084796047535e-38},
    {40000, 1200, 1.131563122130831259e-15, 4.5224079321055552521e-17},
    {1, 100000, 8.278103594899023898e-4, 8.2781631467620362426e-9},
};

// Computed with 40 digits, by the series and by quadrature of the spectral radiance, which agreed to 20.
struct Band {
  double lower, upper, temperature, radiance;
};
constexpr Band band_values[] = {
    {0, 0.5, 5000, 1.7245242738246701034e-6},
    {0, 1, 100000, 2.7593728276263524533e-4},
    {0, 10, 250, 6.7507313025535777769e-4},
    {10, 350, 250, 1.2965697556556247661e+1},
    {350, 500, 287.5, 1.8373942844827505723e+1},
    {630, 700, 216.75, 3.0031471029883087788},
    {667, 667.0009765625, 288, 1.2783737189491421957e-4},
    {980, 1080, 320, 1.2807062653206808704e+1},
    {0, 3250, 300, 1.4618215921499820711e+2},
    {0, 416, 300, 2.6345420114219831544e+1},
    {0, 418, 300, 2.6615802525618152007e+1},
    {415, 900, 300, 6.9205411473417950297e+1},
    {416.5, 834, 300, 6.086686518668343706e+1},
    {417.5, 1500, 300, 1.0989580538042168615e+2},
    {820, 3500, 200, 4.285612970898467882},
    {2600, 3250, 160, 1.8515316004772606651e-6},
    {3250, 50000, 300, 1.7675900197776747411e-2},
    {50, 30000, 5772, 1.8923024139540941473e+7},
    {20000, 20001, 300, 2.09484415478059104e-37},
    {10, 100000, 50, 1.1268486274793755554e-1},
    {0, infinity, 300, 1.4619983511519598386e+2},
    {100, infinity, 300, 1.4551140487939174906e+2},
    {1000, infinity, 250, 1.1376485164480668541e+1},
};

template <class Pair>
struct Planck : testing::Test {
  using ExecutionSpace = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
};
TYPED_TEST_SUITE(Planck, SpacesAndReals, PairName);

/// What the exponent is at this place: its rounding, in ulps, is this many ulps of the radiance.
double exponent(double wavenumber, double temperature) {
  return constants::second_radiation_cm1 * wavenumber / temperature;
}

template <class Real>
struct SpectralResult {
  Real radiance, derivative, temperature;
};

template <class ExecutionSpace, class Real>
std::vector<SpectralResult<Real>> spectral_results(std::vector<Real> const& wavenumbers,
                                                   std::vector<Real> const& temperatures) {
  auto const nu = on_device<ExecutionSpace>(wavenumbers);
  auto const t = on_device<ExecutionSpace>(temperatures);
  return evaluate<ExecutionSpace>(
      static_cast<int>(wavenumbers.size()), KOKKOS_LAMBDA(int i)->SpectralResult<Real> {
        Real const radiance = planck_radiance(nu(i), t(i));
        return {radiance, planck_radiance_derivative(nu(i), t(i)), brightness_temperature(nu(i), radiance)};
      });
}

template <class ExecutionSpace, class Real>
std::vector<Real> band_results(std::vector<Real> const& lower, std::vector<Real> const& upper,
                               std::vector<Real> const& temperatures) {
  auto const a = on_device<ExecutionSpace>(lower);
  auto const b = on_device<ExecutionSpace>(upper);
  auto const t = on_device<ExecutionSpace>(temperatures);
  return evaluate<ExecutionSpace>(
      static_cast<int>(lower.size()), KOKKOS_LAMBDA(int i)->Real { return planck_band_radiance(a(i), b(i), t(i)); });
}

TEST(Constants, FollowFromTheExactOnes) {
  using namespace constants;
  double const pi = std::numbers::pi;
  double const eps = std::numeric_limits<double>::epsilon();
  double const kt = boltzmann / (planck * speed_of_light);
  // Ten roundings of half an ulp at most.
  EXPECT_NEAR(2 * std::pow(pi, 5) * boltzmann * std::pow(kt, 3) * speed_of_light / 15 / stefan_boltzmann, 1, 5 * eps);
  EXPECT_NEAR(avogadro * boltzmann / molar_gas, 1, 5 * eps);
  EXPECT_NEAR(2e8 * planck * speed_of_light * speed_of_light / first_radiation_cm1, 1, 5 * eps);
  EXPECT_NEAR(100 / kt / second_radiation_cm1, 1, 5 * eps);
}

TYPED_TEST(Planck, SpectralRadianceAndDerivative) {
  using Real = typename TestFixture::Real;
  std::vector<Real> nu;
  std::vector<Real> t;
  for (auto const& value : spectral_values) {
    nu.push_back(static_cast<Real>(value.wavenumber));
    t.push_back(static_cast<Real>(value.temperature));
  }
  auto const results = spectral_results<typename TestFixture::ExecutionSpace>(nu, t);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& value = spectral_values[i];
    if (value.derivative < std::numeric_limits<Real>::min()) continue;  // too small for this precision
    double const x = exponent(value.wavenumber, value.temperature);
    // Three roundings (constant, product, quotient) of half an ulp in x; exp and expm1 are good to two ulps on any
    // device; five more products.
    double const tolerance = (6 + 1.5 * x) * this->eps;
    EXPECT_NEAR(results[i].radiance / value.radiance, 1, tolerance) << nu[i] << " " << t[i];
    EXPECT_NEAR(results[i].derivative / value.derivative, 1, tolerance + 5 * this->eps) << nu[i] << " " << t[i];
    // An error of the radiance changes the temperature by at most as much, and by 1/x of it for large x.
    EXPECT_NEAR(results[i].temperature / value.temperature, 1, tolerance / std::max(1.0, x) + 4 * this->eps)
        << nu[i] << " " << t[i];
  }
}

TYPED_TEST(Planck, LimitsNeitherOverflowNorCancel) {
  using Real = typename TestFixture::Real;
  // wavenumber 0; temperature 0; both; far Wien; a temperature that makes x overflow; far Rayleigh-Jeans
  std::vector<Real> const nu{0, 1000, 0, Real(1e5), Real(1e5), Real(1e-3)};
  std::vector<Real> const t{300, 0, 0, 1, Real(1e-35), Real(1e6)};
  auto const results = spectral_results<typename TestFixture::ExecutionSpace>(nu, t);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(results[i].radiance, 0) << i;
  for (std::size_t i : {0U, 3U, 4U}) EXPECT_EQ(results[i].derivative, 0) << i;
  for (std::size_t i : {1U, 3U, 4U}) EXPECT_EQ(results[i].temperature, 0) << i;  // no radiance, no temperature
  // B = 2 c k T nu^2 (1 - x/2 + ...): x is 1.4e-9 here.
  double const jeans =
      2e6 * constants::speed_of_light * constants::boltzmann * double(nu[5]) * double(nu[5]) * double(t[5]);
  EXPECT_NEAR(results[5].radiance / jeans, 1, 8 * this->eps + 1e-9);
  EXPECT_NEAR(results[5].derivative * t[5] / jeans, 1, 12 * this->eps + 1e-9);
}

TYPED_TEST(Planck, BandIntegral) {
  using Real = typename TestFixture::Real;
  std::vector<Real> lower;
  std::vector<Real> upper;
  std::vector<Real> t;
  for (auto const& value : band_values) {
    lower.push_back(static_cast<Real>(value.lower));
    upper.push_back(static_cast<Real>(value.upper));
    t.push_back(static_cast<Real>(value.temperature));
  }
  auto const results = band_results<typename TestFixture::ExecutionSpace>(lower, upper, t);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& value = band_values[i];
    if (value.radiance < std::numeric_limits<Real>::min()) continue;
    double const x = exponent(value.lower, value.temperature);
    // Products and sums of positive terms: some twenty roundings; a difference of two tails multiplies those of the
    // series by ten at most; the exponent at the lower end as above.
    double const tolerance = (30 + 2 * x) * this->eps;
    EXPECT_NEAR(results[i] / value.radiance, 1, tolerance)
        << value.lower << " to " << value.upper << " cm-1, " << value.temperature << " K";
    if (x < 30) {
      EXPECT_LT(tolerance, 1e-13 * this->eps / std::numeric_limits<double>::epsilon());  // what the header promises
    }
  }
}

TYPED_TEST(Planck, AllWavenumbersGiveStefanBoltzmann) {
  using Real = typename TestFixture::Real;
  std::vector<Real> t{3, 50, 180, 250, Real(288.15), 320, 1500, 5772, 50000};
  std::vector<Real> const zero(t.size(), 0);
  std::vector<Real> const everything(t.size(), std::numeric_limits<Real>::infinity());
  auto const results = band_results<typename TestFixture::ExecutionSpace>(zero, everything, t);
  for (std::size_t i = 0; i < t.size(); ++i) {
    double const exact = constants::stefan_boltzmann * std::pow(double(t[i]), 4) / std::numbers::pi;
    EXPECT_NEAR(results[i] / exact, 1, 12 * this->eps) << t[i];  // eight terms of a sum, a few products
  }
  EXPECT_EQ((band_results<typename TestFixture::ExecutionSpace, Real>({0}, {100}, {0})[0]), 0);
  EXPECT_EQ((band_results<typename TestFixture::ExecutionSpace, Real>({500}, {500}, {300})[0]), 0);
}

TYPED_TEST(Planck, BandsAddUp) {
  using Real = typename TestFixture::Real;
  // Cuts every 7.25 cm-1 pass through all branches: short bands below and above x = 2, and one long band across.
  int const n = 400;
  std::vector<Real> lower;
  std::vector<Real> upper;
  for (int i = 0; i < n; ++i) {
    lower.push_back(Real(7.25) * static_cast<Real>(i));
    upper.push_back(Real(7.25) * static_cast<Real>(i + 1));
  }
  lower.push_back(0);
  upper.push_back(upper[n - 1]);
  auto const results = band_results<typename TestFixture::ExecutionSpace>(lower, upper, std::vector<Real>(n + 1, 300));
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += results[static_cast<std::size_t>(i)];
  EXPECT_NEAR(results[n] / sum, 1, 40 * this->eps);  // as in BandIntegral, where x is about 5 on the average
}

// nvcc takes no lambdas for devices in the body of a test, which is private.
template <class ExecutionSpace, class Values, class Real = typename Values::value_type>
std::vector<Real> band_derivatives(Values const& lower, Values const& upper, Values const& temperature) {
  return evaluate<ExecutionSpace>(
      static_cast<int>(lower.size()),
      KOKKOS_LAMBDA(int i)->Real { return planck_band_radiance_derivative(lower(i), upper(i), temperature(i)); });
}

// Against differences of the band's radiance in double, and the closed form over all wavenumbers.
TYPED_TEST(Planck, BandDerivative) {
  using Real = typename TestFixture::Real;
  using ExecutionSpace = typename TestFixture::ExecutionSpace;
  std::vector<Real> lower, upper, t;
  for (auto const& value : band_values) {
    lower.push_back(static_cast<Real>(value.lower));
    upper.push_back(static_cast<Real>(value.upper));
    t.push_back(static_cast<Real>(value.temperature));
  }
  auto const a = on_device<ExecutionSpace>(lower);
  auto const b = on_device<ExecutionSpace>(upper);
  auto const kelvin = on_device<ExecutionSpace>(t);
  auto const results = band_derivatives<ExecutionSpace>(a, b, kelvin);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& value = band_values[i];
    double const x = exponent(value.lower, value.temperature);
    double const h = value.temperature * 1e-3 / std::max(1.0, x / 4);
    auto const radiance = [&](int steps) {
      return planck_band_radiance(value.lower, value.upper, value.temperature + steps * h);
    };
    double const expected = (8 * (radiance(1) - radiance(-1)) - (radiance(2) - radiance(-2))) / (12 * h);
    if (expected < std::numeric_limits<Real>::min()) continue;
    double const of_differences = 1e-9;  // 1e-13 over a step of 4e-3 of the scale, and its fourth power
    EXPECT_NEAR(results[i] / expected, 1, of_differences + (50 + 2 * x) * this->eps) << lower[i] << " " << t[i];
    if (value.lower == 0 && value.upper == infinity) {
      double const black = 4 * constants::stefan_boltzmann * std::pow(value.temperature, 3) / std::numbers::pi;
      EXPECT_NEAR(results[i] / black, 1, 50 * this->eps);
    }
  }
}

}  // namespace
