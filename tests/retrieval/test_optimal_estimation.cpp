// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/retrieval/optimal_estimation.hpp>

#include "testing.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::retrieval;
using parhelion::Testing::message_of;

using Vector = std::vector<double>;
using Square = std::vector<Vector>;  // rows

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Dense algebra by the book, for small matrices.
Square product(Square const& a, Square const& b) {
  Square c(a.size(), Vector(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Square transposed(Square const& a) {
  Square t(a[0].size(), Vector(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) t[j][i] = a[i][j];
  return t;
}

Square sum(Square a, Square const& b, double factor = 1) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] += factor * b[i][j];
  return a;
}

Square diagonal(Vector const& d) {
  Square a(d.size(), Vector(d.size()));
  for (std::size_t i = 0; i < d.size(); ++i) a[i][i] = d[i];
  return a;
}

// Gauss and Jordan, with pivots.
Square inverse(Square a) {
  std::size_t const n = a.size();
  Square b = diagonal(Vector(n, 1));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    double const scale = 1 / a[k][k];
    for (std::size_t j = 0; j < n; ++j) {
      a[k][j] *= scale;
      b[k][j] *= scale;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      double const factor = a[i][k];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        b[i][j] -= factor * b[k][j];
      }
    }
  }
  return b;
}

Square rows_of(HostArray<double**> const& a) {
  Square rows(a.extent(0), Vector(a.extent(1)));
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j) rows[i][j] = a(i, j);
  return rows;
}

Vector times(Square const& a, Vector const& x) {
  Vector y(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i][j] * x[j];
  return y;
}

double dot(Vector const& a, Vector const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Vector difference(Vector a, Vector const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

void expect_close(HostArray<double**> const& found, Square const& expected, double tolerance, char const* name) {
  ASSERT_EQ(found.extent(0), expected.size()) << name;
  ASSERT_EQ(found.extent(1), expected[0].size()) << name;
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t j = 0; j < expected[i].size(); ++j)
      EXPECT_NEAR(found(i, j), expected[i][j], tolerance) << name << "(" << i << ", " << j << ")";
}

constexpr std::size_t n = 5;
constexpr std::size_t m = 8;

/// Weighting functions that overlap, and an offset.
Square linear_jacobian() {
  Square k(m, Vector(n));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      k[i][j] = std::exp(-std::pow(static_cast<double>(j) - 0.6 * static_cast<double>(i), 2)) + 0.1;
  return k;
}

/// Writes K x + 1 and K.
EstimationModel linear_model(Square const& k) {
  return [k](Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
    y = times(k, x);
    for (double& value : y) value += 1;
    if (jacobian == nullptr) return;
    for (std::size_t i = 0; i < k.size(); ++i)
      for (std::size_t j = 0; j < k[i].size(); ++j) (*jacobian)(i, j) = k[i][j];
  };
}

OptimalEstimation linear_retrieval() {
  OptimalEstimation r;
  r.prior = {1, 2, 3, 2, 1};
  r.prior_covariance = exponential_covariance({0, 1e3, 2e3, 3e3, 4e3}, {1, 0.8, 0.6, 0.8, 1}, 1500);
  r.measurement_variance = {0.01, 0.02, 0.01, 0.03, 0.01, 0.02, 0.01, 0.04};
  r.forward = linear_model(linear_jacobian());
  r.forward({1.5, 1.2, 3.3, 2.9, 0.4}, r.measurement, nullptr);
  r.measurement[2] += 0.1;
  r.measurement[5] -= 0.1;
  r.options.damping = 0;
  return r;
}

// The amplification of rounding errors by the matrices of the problem and 1 / variance = 100.
constexpr double tolerance = 1e-12;

TEST(OptimalEstimationTest, ALinearProblemHasTheClosedForm) {
  auto const r = linear_retrieval();
  auto const e = estimate(r);

  Square const k = linear_jacobian();
  Square const kt = transposed(k);
  Square const se = diagonal(r.measurement_variance);
  Square const sa = rows_of(r.prior_covariance);
  Square const s = inverse(sum(product(kt, product(inverse(se), k)), inverse(sa)));
  Square const g = product(s, product(kt, inverse(se)));
  Square const a = product(g, k);
  Vector at_prior;
  r.forward(r.prior, at_prior, nullptr);
  Vector const step = times(g, difference(r.measurement, at_prior));
  for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(e.state[j], r.prior[j] + step[j], tolerance);
  expect_close(e.jacobian, k, 0, "jacobian");
  expect_close(e.covariance, s, tolerance, "covariance");
  expect_close(e.gain, g, tolerance, "gain");
  expect_close(e.averaging_kernel, a, tolerance, "averaging_kernel");
  expect_close(e.noise_covariance, product(g, product(se, transposed(g))), tolerance, "noise_covariance");
  Square const lost = sum(a, diagonal(Vector(n, 1)), -1);
  expect_close(e.smoothing_covariance, product(lost, product(sa, transposed(lost))), tolerance, "smoothing_covariance");
  // Eq. 3.31: together they are all.
  expect_close(e.covariance, sum(rows_of(e.noise_covariance), rows_of(e.smoothing_covariance)), tolerance,
               "covariance");
  double trace = 0;
  for (std::size_t j = 0; j < n; ++j) trace += a[j][j];
  EXPECT_NEAR(e.degrees_of_freedom, trace, tolerance);
  EXPECT_GT(e.degrees_of_freedom, 1);
  EXPECT_LT(e.degrees_of_freedom, n);

  // One step without damping is enough; the next one is only rounding.
  EXPECT_TRUE(e.converged);
  EXPECT_EQ(e.iterations, 1);
  EXPECT_EQ(e.evaluations, 4);
  EXPECT_LT(e.normalised_step, 1e-20);
  ASSERT_EQ(e.cost.size(), 2U);
  Vector fitted;
  r.forward(e.state, fitted, nullptr);
  for (std::size_t i = 0; i < m; ++i) EXPECT_NEAR(e.measurement[i], fitted[i], tolerance);
  Vector const residual = difference(r.measurement, fitted);
  Vector const from_prior = difference(e.state, r.prior);
  EXPECT_NEAR(e.cost[1].measurement, dot(residual, times(inverse(se), residual)), 1e2 * tolerance);
  EXPECT_NEAR(e.cost[1].prior, dot(from_prior, times(inverse(sa), from_prior)), 1e2 * tolerance);
  EXPECT_EQ(e.cost[0].prior, 0);
  EXPECT_LT(e.cost[1].total(), e.cost[0].total());
}

TEST(OptimalEstimationTest, OneElementByHand) {
  // x_a = 1, S_a = 4, y = 3 x measured as 9 with variance 36: S = 1 / (1/4 + 9/36) = 2, x = 1 + 2 * 3 / 36 * 6 = 2.
  OptimalEstimation r;
  r.prior = {1};
  r.prior_covariance = HostArray<double**>("S_a", 1, 1);
  r.prior_covariance(0, 0) = 4;
  r.measurement = {9};
  r.measurement_variance = {36};
  r.forward = [](Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
    y[0] = 3 * x[0];
    if (jacobian != nullptr) (*jacobian)(0, 0) = 3;
  };
  r.options.damping = 0;
  auto const e = estimate(r);
  EXPECT_NEAR(e.state[0], 2, 1e-15);
  EXPECT_NEAR(e.covariance(0, 0), 2, 1e-15);
  EXPECT_NEAR(e.gain(0, 0), 1. / 6, 1e-15);
  EXPECT_NEAR(e.averaging_kernel(0, 0), 0.5, 1e-15);
  EXPECT_NEAR(e.noise_covariance(0, 0), 1, 1e-15);
  EXPECT_NEAR(e.smoothing_covariance(0, 0), 1, 1e-15);
  EXPECT_NEAR(e.degrees_of_freedom, 0.5, 1e-15);
  EXPECT_NEAR(e.information, std::log(2.) / 2, 1e-15);
  EXPECT_NEAR(e.cost[1].measurement, 9. / 36, 1e-15);
  EXPECT_NEAR(e.cost[1].prior, 1. / 4, 1e-15);
}

TEST(OptimalEstimationTest, DampingAndFirstGuessDoNotChangeTheSolution) {
  auto r = linear_retrieval();
  auto const exact = estimate(r);
  // Shorter steps could not be seen to make the cost fall, in double precision.
  r.options.convergence = 1e-14;
  for (double const damping : {0.0, 1e-3, 1.0, 1e3})
    for (bool const elsewhere : {false, true}) {
      r.options.damping = damping;
      r.first_guess = elsewhere ? Vector{5, -3, 0, 8, 2} : Vector{};
      auto const e = estimate(r);
      EXPECT_TRUE(e.converged);
      EXPECT_EQ(e.cost.size(), static_cast<std::size_t>(e.iterations) + 1);
      // The next step would be sqrt(n 1e-14) of a standard deviation, which is below 1.
      for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(e.state[j], exact.state[j], 2.3e-7) << damping;
      for (std::size_t i = 1; i < e.cost.size(); ++i) EXPECT_LT(e.cost[i].total(), e.cost[i - 1].total());
      EXPECT_EQ(e.cost[0].prior > 0, elsewhere);
    }
}

TEST(OptimalEstimationTest, OneStepIsThatOfRodgers) {
  auto r = linear_retrieval();
  r.options.damping = 2.5;
  r.options.iterations = 1;
  r.first_guess = {1.1, 2.1, 2.5, 2.2, 0.7};
  auto const e = estimate(r);
  // Eq. 5.36
  Square const k = linear_jacobian();
  Square const weighted = product(transposed(k), inverse(diagonal(r.measurement_variance)));
  Square const inverse_sa = inverse(rows_of(r.prior_covariance));
  Vector y;
  r.forward(r.first_guess, y, nullptr);
  Vector const downhill =
      difference(times(weighted, difference(r.measurement, y)), times(inverse_sa, difference(r.first_guess, r.prior)));
  Vector const step = times(inverse(sum(product(weighted, k), inverse_sa, 1 + 2.5)), downhill);
  for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(e.state[j], r.first_guess[j] + step[j], tolerance);
  EXPECT_FALSE(e.converged);
  // d^2 of what would come next: that of the rest of the way to the solution.
  r.options.damping = 0;
  auto const solution = estimate(r);
  Vector const rest = difference(solution.state, e.state);
  EXPECT_NEAR(e.normalised_step, dot(rest, times(inverse(rows_of(solution.covariance)), rest)) / n,
              1e-10 * e.normalised_step);
}

TEST(OptimalEstimationTest, NoStepsCharacteriseTheFirstGuess) {
  auto r = linear_retrieval();
  r.options.iterations = 0;
  auto const e = estimate(r);
  EXPECT_EQ(e.state, r.prior);
  EXPECT_FALSE(e.converged);
  EXPECT_EQ(e.cost.size(), 1U);
  r.options.iterations = 20;
  expect_close(e.covariance, rows_of(estimate(r).covariance), tolerance, "covariance");
}

TEST(OptimalEstimationTest, TheAveragingKernelIsTheResponseToTheTruth) {
  auto r = linear_retrieval();
  auto const e = estimate(r);
  Vector const truth{1.5, 1.2, 3.3, 2.9, 0.4};
  for (std::size_t j = 0; j < n; ++j) {
    Vector states[2];
    for (int side = 0; side < 2; ++side) {
      Vector moved = truth;
      moved[j] += side == 0 ? -0.5 : 0.5;
      r.forward(moved, r.measurement, nullptr);
      states[side] = estimate(r).state;
    }
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(states[1][i] - states[0][i], e.averaging_kernel(i, j), 4 * tolerance) << i << ", " << j;
  }
}

TEST(OptimalEstimationTest, TheGainIsTheResponseToTheMeasurement) {
  auto r = linear_retrieval();
  auto const e = estimate(r);
  for (std::size_t j = 0; j < m; ++j) {
    auto moved = r;
    moved.measurement[j] += 1;
    auto const other = estimate(moved);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(other.state[i] - e.state[i], e.gain(i, j), 4 * tolerance);
  }
}

TEST(OptimalEstimationTest, NoisyTwinsScatterAsTheNoiseCovarianceSays) {
  auto r = linear_retrieval();
  auto const clean = estimate(r);
  Vector const measured = r.measurement;
  constexpr int twins = 2000;
  std::mt19937_64 random(20240229);
  std::normal_distribution<double> normal;
  Square scatter(n, Vector(n));
  for (int t = 0; t < twins; ++t) {
    for (std::size_t i = 0; i < m; ++i)
      r.measurement[i] = measured[i] + std::sqrt(r.measurement_variance[i]) * normal(random);
    Vector const away = difference(estimate(r).state, clean.state);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) scatter[i][j] += away[i] * away[j] / twins;
  }
  auto const& s = clean.noise_covariance;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      // Standard deviation of an element of a sample covariance of a normal distribution; the seed is fixed, five of
      // them leave 15 elements a chance of 1e-5 were it another.
      double const deviation = std::sqrt((s(i, i) * s(j, j) + s(i, j) * s(i, j)) / twins);
      EXPECT_NEAR(scatter[i][j], s(i, j), 5 * deviation) << i << ", " << j;
    }
}

TEST(OptimalEstimationTest, TotalErrorAndCostAreThoseOfTheStatistics) {
  // Truths from the prior, measurements with noise: errors scatter as S, and the least cost is a chi^2 of m degrees of
  // freedom (Rodgers 2000, section 12.3).
  auto r = linear_retrieval();
  auto const expected = estimate(r);
  // Cholesky's factor by the book.
  Square l(n, Vector(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = r.prior_covariance(i, j);
      for (std::size_t k = 0; k < j; ++k) rest -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(rest) : rest / l[j][j];
    }
  constexpr int twins = 2000;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  Square scatter(n, Vector(n));
  double mean = 0;
  double mean_square = 0;
  for (int t = 0; t < twins; ++t) {
    Vector z(n);
    for (double& value : z) value = normal(random);
    Vector truth = times(l, z);
    for (std::size_t j = 0; j < n; ++j) truth[j] += r.prior[j];
    r.forward(truth, r.measurement, nullptr);
    for (std::size_t i = 0; i < m; ++i) r.measurement[i] += std::sqrt(r.measurement_variance[i]) * normal(random);
    auto const e = estimate(r);
    Vector const error = difference(e.state, truth);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) scatter[i][j] += error[i] * error[j] / twins;
    double const cost = e.cost.back().total();
    mean += cost / twins;
    mean_square += cost * cost / twins;
  }
  auto const& s = expected.covariance;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_NEAR(scatter[i][j], s(i, j), 5 * std::sqrt((s(i, i) * s(j, j) + s(i, j) * s(i, j)) / twins));
  // Mean m and variance 2 m; the variance of a sample variance of chi^2 is (8 m^2 + 48 m) / twins.
  EXPECT_NEAR(mean, m, 5 * std::sqrt(2. * m / twins));
  EXPECT_NEAR(mean_square - mean * mean, 2. * m, 5 * std::sqrt((8. * m * m + 48. * m) / twins));
}

/// Amplitude and rate of a decay: y_i = x_0 exp(-x_1 t_i).
OptimalEstimation decay(Vector const& truth) {
  OptimalEstimation r;
  r.prior = {1, 1};
  r.prior_covariance = HostArray<double**>("S_a", 2, 2);
  r.prior_covariance(0, 0) = 4;
  r.prior_covariance(1, 1) = 4;
  r.measurement_variance.assign(20, 1e-6);
  r.measurement.resize(20);
  r.forward = [](Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      double const t = 0.25 * static_cast<double>(i);
      y[i] = x[0] * std::exp(-x[1] * t);
      if (jacobian == nullptr) continue;
      (*jacobian)(i, 0) = std::exp(-x[1] * t);
      (*jacobian)(i, 1) = -t * y[i];
    }
  };
  r.forward(truth, r.measurement, nullptr);
  return r;
}

TEST(OptimalEstimationTest, ADecayIsFound) {
  auto r = decay({3.5, 0.3});
  r.options.convergence = 1e-12;
  auto const e = estimate(r);
  EXPECT_TRUE(e.converged);
  EXPECT_GT(e.iterations, 2);
  EXPECT_LE(e.iterations, 10);
  // The prior pulls: by S S_a^-1 (truth - prior), below 1e-6 here; the nonlinear rest is smaller.
  auto const pull = [&](std::size_t j) {
    return e.covariance(j, 0) / 4 * (3.5 - 1) + e.covariance(j, 1) / 4 * (0.3 - 1);
  };
  EXPECT_NEAR(e.state[0], 3.5 - pull(0), 1e-9);
  EXPECT_NEAR(e.state[1], 0.3 - pull(1), 1e-9);
  EXPECT_LT(std::abs(pull(0)), 1e-6);
  for (std::size_t i = 1; i < e.cost.size(); ++i) EXPECT_LT(e.cost[i].total(), e.cost[i - 1].total());
  EXPECT_NEAR(e.degrees_of_freedom, 2, 1e-5);

  // The response to the truth, by differences of the whole retrieval.
  constexpr double h = 1e-3;
  for (std::size_t j = 0; j < 2; ++j) {
    Vector states[2];
    for (int side = 0; side < 2; ++side) {
      Vector truth{3.5, 0.3};
      truth[j] += side == 0 ? -h : h;
      auto moved = decay(truth);
      moved.options.convergence = 1e-16;
      states[side] = estimate(moved).state;
    }
    // The step of the last iteration, 1e-8 of errors of 1e-3, over 2 h; curvature times the pull of 1e-6.
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR((states[1][i] - states[0][i]) / (2 * h), e.averaging_kernel(i, j), 1e-5) << i << ", " << j;
  }
}

TEST(OptimalEstimationTest, AStepThatMakesTheCostRiseIsDamped) {
  // Gauss and Newton's first step from here is far too long: the rate would become negative.
  auto r = decay({1.0, 0.2});
  r.first_guess = {1.0, 6};
  r.options.damping = 0;
  r.options.iterations = 100;
  auto const e = estimate(r);
  EXPECT_TRUE(e.converged);
  EXPECT_GT(e.evaluations, 2 * e.iterations + 2);  // some dampings were not taken
  EXPECT_NEAR(e.state[0], 1, 1e-3);
  EXPECT_NEAR(e.state[1], 0.2, 1e-3);
  for (std::size_t i = 1; i < e.cost.size(); ++i) EXPECT_LT(e.cost[i].total(), e.cost[i - 1].total());
}

TEST(OptimalEstimationTest, AStateThatCannotBeComputedIsNotTaken) {
  auto r = decay({1.0, 0.2});
  r.first_guess = {1.0, 6};
  r.options.damping = 0;
  r.options.iterations = 100;
  auto const model = r.forward;
  int refused = 0;
  r.forward = [&refused, model](Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
    if (x[1] < 0) {
      ++refused;
      return;  // leaves NaN
    }
    model(x, y, jacobian);
  };
  auto const e = estimate(r);
  EXPECT_GT(refused, 0);
  EXPECT_TRUE(e.converged);
  EXPECT_NEAR(e.state[1], 0.2, 1e-3);
}

TEST(OptimalEstimationTest, WhereNoStepHelpsItEnds) {
  auto r = linear_retrieval();
  auto const model = r.forward;
  // A Jacobian of the wrong sign leads uphill.
  r.forward = [model](Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
    model(x, y, jacobian);
    if (jacobian == nullptr) return;
    for (std::size_t i = 0; i < jacobian->size(); ++i) jacobian->data()[i] *= -1;
  };
  r.options.trials = 4;
  auto const e = estimate(r);
  EXPECT_FALSE(e.converged);
  EXPECT_EQ(e.iterations, 0);
  EXPECT_EQ(e.evaluations, 2 + 4);
  EXPECT_EQ(e.state, r.prior);
}

TEST(OptimalEstimationTest, UnitsDoNotMatter) {
  // An element in units a million times smaller, and one a million times larger.
  auto const r = linear_retrieval();
  auto const e = estimate(r);
  Vector const scale{1, 1e6, 1, 1e-6, 1};
  auto scaled = r;
  scaled.prior_covariance = HostArray<double**>("S_a", n, n);
  Square k = linear_jacobian();
  for (std::size_t i = 0; i < n; ++i) {
    scaled.prior[i] *= scale[i];
    for (std::size_t j = 0; j < n; ++j) scaled.prior_covariance(i, j) = r.prior_covariance(i, j) * scale[i] * scale[j];
    for (std::size_t j = 0; j < m; ++j) k[j][i] /= scale[i];
  }
  scaled.forward = linear_model(k);
  auto const f = estimate(scaled);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(f.state[i] / scale[i], e.state[i], tolerance);
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_NEAR(f.covariance(i, j) / (scale[i] * scale[j]), e.covariance(i, j), tolerance);
      EXPECT_NEAR(f.averaging_kernel(i, j) / scale[i] * scale[j], e.averaging_kernel(i, j), tolerance);
    }
  }
  EXPECT_NEAR(f.information, e.information, tolerance);
}

TEST(OptimalEstimationTest, WhatIsWrongIsNamed) {
  auto const refusal = [](auto const& spoil) {
    auto r = linear_retrieval();
    spoil(r);
    return message_of([&] { estimate(r); });
  };
  using R = OptimalEstimation;
  EXPECT_EQ(message_of([] { estimate({}); }),
            "estimate: the state has 0 elements and the measurement 0, expected at least 1");
  EXPECT_EQ(refusal([](R& r) { r.measurement_variance.pop_back(); }),
            "estimate: measurement_variance has 7 elements, expected the 8 of the measurement");
  EXPECT_EQ(refusal([](R& r) { r.first_guess = {1}; }),
            "estimate: first_guess has 1 elements, expected none or the 5 of the prior");
  EXPECT_EQ(refusal([](R& r) { r.prior_covariance = HostArray<double**>("S", 5, 4); }),
            "estimate: prior_covariance has shape (5, 4), expected (5, 5)");
  EXPECT_EQ(refusal([](R& r) { r.forward = {}; }), "estimate: forward is empty, expected a function");
  EXPECT_EQ(refusal([](R& r) { r.prior[3] = nan; }), "estimate: prior(3) = nan, expected a finite number");
  EXPECT_EQ(refusal([](R& r) { r.measurement[6] = nan; }), "estimate: measurement(6) = nan, expected a finite number");
  EXPECT_EQ(refusal([](R& r) {
              r.first_guess = {1, 2, nan, 4, 5};
            }),
            "estimate: first_guess(2) = nan, expected a finite number");
  EXPECT_EQ(refusal([](R& r) { r.measurement_variance[1] = 0; }),
            "estimate: measurement_variance(1) = 0, expected a positive finite number");
  EXPECT_EQ(refusal([](R& r) { r.measurement_variance[1] = nan; }),
            "estimate: measurement_variance(1) = nan, expected a positive finite number");
  EXPECT_EQ(refusal([](R& r) { r.prior_covariance(1, 2) = nan; }),
            "estimate: prior_covariance(1, 2) = nan, expected a finite number");
  EXPECT_EQ(refusal([](R& r) { r.prior_covariance(2, 2) = -1; }),
            "estimate: prior_covariance(2, 2) = -1, expected a positive variance");
  EXPECT_EQ(refusal([](R& r) {
              r.prior_covariance(2, 1) = 0.25;
              r.prior_covariance(1, 2) = 0.125;
            }),
            "estimate: prior_covariance(2, 1) = 0.25, expected the 0.125 of (1, 2)");
  EXPECT_EQ(refusal([](R& r) { r.prior_covariance(2, 1) = r.prior_covariance(1, 2) = 0.8 * 0.6 * 1.01; }),
            "estimate: prior_covariance is not positive definite: the determinant of its first 3 rows and columns is "
            "not positive");

  EXPECT_EQ(refusal([](R& r) { r.options.iterations = -1; }), "estimate: options.iterations = -1, expected at least 0");
  EXPECT_EQ(refusal([](R& r) { r.options.trials = 0; }), "estimate: options.trials = 0, expected at least 1");
  EXPECT_EQ(refusal([](R& r) { r.options.damping = -1; }),
            "estimate: options.damping = -1, expected a finite number >= 0");
  EXPECT_EQ(refusal([](R& r) { r.options.damping_decrease = 2; }),
            "estimate: options.damping_decrease = 2, expected a number in (0, 1]");
  EXPECT_EQ(refusal([](R& r) { r.options.damping_increase = 1; }),
            "estimate: options.damping_increase = 1, expected a finite number above 1");
  EXPECT_EQ(refusal([](R& r) { r.options.convergence = nan; }),
            "estimate: options.convergence = nan, expected a positive number");

  EXPECT_EQ(refusal([](R& r) { r.forward = [](Vector const&, Vector& y, HostArray<double**> const*) {
                                 y = {1, 2};
                               }; }),
            "estimate: the forward model gives 2 values, expected the 8 of the measurement");
  EXPECT_EQ(refusal([](R& r) { r.forward = [](Vector const&, Vector&, HostArray<double**> const*) {}; }),
            "estimate: the forward model gives nan as value 0 of the first guess, expected a finite number");
  // An element of the Jacobian that was forgotten.
  EXPECT_EQ(refusal([](R& r) {
              r.forward = [model = r.forward](Vector const& x, Vector& y, HostArray<double**> const* jacobian) {
                model(x, y, jacobian);
                if (jacobian != nullptr) (*jacobian)(3, 4) = nan;
              };
            }),
            "estimate: jacobian(3, 4) = nan, expected a finite number");
  EXPECT_THROW(
      {
        auto r = linear_retrieval();
        r.forward = [](Vector const&, Vector&, HostArray<double**> const*) { throw std::domain_error("no"); };
        estimate(r);
      },
      std::domain_error);
}

TEST(OptimalEstimationTest, ExponentialCovariances) {
  auto const s = exponential_covariance({0, 1e3, 4e3}, {1, 2, 3}, 2e3);
  expect_close(s,
               {{1, 2 * std::exp(-0.5), 3 * std::exp(-2.)},
                {2 * std::exp(-0.5), 4, 6 * std::exp(-1.5)},
                {3 * std::exp(-2.), 6 * std::exp(-1.5), 9}},
               1e-15, "covariance");
  expect_close(exponential_covariance({4e3, 0}, {1, 2}, 0), {{1, 0}, {0, 4}}, 0, "covariance");
  EXPECT_EQ(message_of([] {
              exponential_covariance({0, 1}, {1}, 1);
            }),
            "exponential_covariance: 2 altitudes and 1 standard deviations, expected as many, at least one");
  EXPECT_EQ(message_of([] { exponential_covariance({0}, {1}, -1); }),
            "exponential_covariance: correlation_length = -1 m, expected a finite number >= 0");
  EXPECT_EQ(message_of([] {
              exponential_covariance({0, nan}, {1, 1}, 1);
            }),
            "exponential_covariance: altitude(1) = nan, expected a finite number");
  EXPECT_EQ(message_of([] {
              exponential_covariance({0, 1}, {1, 0}, 1);
            }),
            "exponential_covariance: standard_deviation(1) = 0, expected a positive finite number");
  EXPECT_EQ(message_of([] {
              exponential_covariance({0, 5, 0}, {1, 1, 1}, 1);
            }),
            "exponential_covariance: altitude(2) = 0 m is that of level 0, expected another");
}

TEST(OptimalEstimationTest, BlocksAreSetOneAfterTheOther) {
  auto const a = exponential_covariance({0, 1}, {1, 2}, 1);
  auto const b = exponential_covariance({0}, {3}, 1);
  auto const s = block_covariance({a, b});
  expect_close(s, {{1, a(0, 1), 0}, {a(1, 0), 4, 0}, {0, 0, 9}}, 0, "covariance");
  EXPECT_EQ(block_covariance({}).size(), 0U);
  EXPECT_EQ(message_of([] { block_covariance({HostArray<double**>("no square", 2, 3)}); }),
            "block_covariance: parts(0) has shape (2, 3), expected (2, 2)");
}

}  // namespace
