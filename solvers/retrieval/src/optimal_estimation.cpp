// SPDX-License-Identifier: BSD-3-Clause
// Its threads would make results depend on their number.
#define EIGEN_DONT_PARALLELIZE  // NOLINT(readability-identifier-naming)

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/retrieval/optimal_estimation.hpp>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace parhelion::retrieval {

namespace {

constexpr char const* where = "estimate";

using Vector = std::vector<double>;

using Matrix = Eigen::MatrixXd;
using Eigen::Lower;

Eigen::Map<Eigen::VectorXd> as_vector(Vector& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
Eigen::Map<Eigen::VectorXd const> as_vector(Vector const& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

// A host array is row-major.
template <class Array>
auto as_matrix(Array const& a) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<RowMajor>(a.data(), static_cast<Eigen::Index>(a.extent(0)), static_cast<Eigen::Index>(a.extent(1)));
}

double squared(Vector const& x) { return as_vector(x).squaredNorm(); }

bool finite(Vector const& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

using Cholesky = Eigen::LLT<Matrix, Lower>;

// Eigen does not detect NaN.
bool is_factorised(Cholesky const& a) {
  return a.info() == Eigen::Success && a.matrixLLT().diagonal().array().isFinite().all();
}

// The size of the first leading minor that is not positive, of a matrix that cannot be factorized.
Eigen::Index first_bad_minor(Matrix const& a) {
  Eigen::Index good = 0;
  Eigen::Index bad = a.rows();
  while (bad - good > 1) {
    Eigen::Index const n = (good + bad) / 2;
    (is_factorised(Cholesky(a.topLeftCorner(n, n))) ? good : bad) = n;
  }
  return bad;
}

// a a^T
Matrix times_own_transpose(Matrix const& a) {
  Matrix product = Matrix::Zero(a.rows(), a.rows());
  product.selfadjointView<Lower>().rankUpdate(a);
  return product.selfadjointView<Lower>();
}

HostArray<double**> array_of(Matrix const& a, std::string const& label) {
  HostArray<double**> result(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), a.rows(), a.cols());
  as_matrix(result) = a;
  return result;
}

void check_vector(char const* who, Vector const& x, char const* name) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) throw Error(who, fmt::format("{}({}) = {}, expected a finite number", name, i, x[i]));
}

void check_options(EstimationOptions const& o) {
  auto const refuse = [](char const* name, auto value, char const* expected) {
    throw Error(where, fmt::format("options.{} = {}, expected {}", name, value, expected));
  };
  if (o.iterations < 0) refuse("iterations", o.iterations, "at least 0");
  if (o.trials < 1) refuse("trials", o.trials, "at least 1");
  if (!std::isfinite(o.damping) || o.damping < 0) refuse("damping", o.damping, "a finite number >= 0");
  if (!(o.damping_decrease > 0 && o.damping_decrease <= 1))
    refuse("damping_decrease", o.damping_decrease, "a number in (0, 1]");
  if (!std::isfinite(o.damping_increase) || !(o.damping_increase > 1))
    refuse("damping_increase", o.damping_increase, "a finite number above 1");
  if (!(o.convergence > 0)) refuse("convergence", o.convergence, "a positive number");
}

void check_retrieval(OptimalEstimation const& r) {
  check_options(r.options);
  std::size_t const n = r.prior.size();
  std::size_t const m = r.measurement.size();
  if (n < 1 || m < 1)
    throw Error(where, fmt::format("the state has {} elements and the measurement {}, expected at least 1", n, m));
  if (r.measurement_variance.size() != m)
    throw Error(where, fmt::format("measurement_variance has {} elements, expected the {} of the measurement",
                                   r.measurement_variance.size(), m));
  if (!r.first_guess.empty() && r.first_guess.size() != n)
    throw Error(where, fmt::format("first_guess has {} elements, expected none or the {} of the prior",
                                   r.first_guess.size(), n));
  expect_shape(where, r.prior_covariance, "prior_covariance", {n, n});
  if (!r.forward) throw Error(where, "forward is empty, expected a function");
  check_vector(where, r.prior, "prior");
  check_vector(where, r.measurement, "measurement");
  check_vector(where, r.first_guess, "first_guess");
  for (std::size_t i = 0; i < m; ++i)
    if (!std::isfinite(r.measurement_variance[i]) || !(r.measurement_variance[i] > 0))
      throw Error(where, fmt::format("measurement_variance({}) = {}, expected a positive finite number", i,
                                     r.measurement_variance[i]));
  auto const& s = r.prior_covariance;
  expect_values(where, s, "prior_covariance", "", "a finite number", [](double) { return true; });
  // Entries that were computed separately differ by rounding; larger differences are an error.
  constexpr double tolerance = 1e-10;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(s(i, i) > 0))
      throw Error(where, fmt::format("prior_covariance({}, {}) = {}, expected a positive variance", i, i, s(i, i)));
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(s(i, j) - s(j, i)) > tolerance * std::sqrt(s(i, i)) * std::sqrt(s(j, j)))
        throw Error(where, fmt::format("prior_covariance({}, {}) = {}, expected the {} of ({}, {})", i, j, s(i, j),
                                       s(j, i), j, i));
  }
}

// The retrieval in whitened coordinates: x = x_a + L z and r = S_e^-1/2 (y - F(x)); B = L^T K^T S_e^-1/2 is the
// transposed Jacobian of F in these coordinates, (state, measurement).
class Search {
 public:
  explicit Search(OptimalEstimation const& retrieval)
      : m_retrieval(retrieval),
        m_n(static_cast<int>(retrieval.prior.size())),
        m_m(static_cast<int>(retrieval.measurement.size())),
        m_jacobian(Kokkos::view_alloc("parhelion::Retrieval::jacobian", Kokkos::WithoutInitializing), m_m, m_n),
        m_deviation(as_vector(retrieval.measurement_variance).cwiseSqrt()),
        m_z(retrieval.prior.size()) {
    Matrix const covariance = as_matrix(retrieval.prior_covariance);
    Cholesky const factor(covariance);
    if (!is_factorised(factor))
      throw Error(where, fmt::format("prior_covariance is not positive definite: the determinant of its first {} rows "
                                     "and columns is not positive",
                                     first_bad_minor(covariance)));
    m_l = factor.matrixL();
  }

  Estimate run() {
    auto const& options = m_retrieval.options;
    begin();
    double damping = options.damping;
    while (true) {
      linearise();
      m_estimate.normalised_step = newton_decrement() / m_n;
      m_estimate.converged = m_estimate.normalised_step < options.convergence;
      if (m_estimate.converged || m_estimate.iterations >= options.iterations) break;
      if (!step(damping)) break;
      ++m_estimate.iterations;
    }
    characterise();
    return std::move(m_estimate);
  }

 private:
  // x of a z
  Vector state_of(Vector const& z) const {
    Vector x = m_retrieval.prior;
    as_vector(x) += m_l.triangularView<Lower>() * as_vector(z);
    return x;
  }

  Vector evaluate(Vector const& x, HostArray<double**> const* jacobian) {
    Vector y(m_retrieval.measurement.size(), std::numeric_limits<double>::quiet_NaN());
    m_retrieval.forward(x, y, jacobian);
    ++m_estimate.evaluations;
    if (y.size() != m_retrieval.measurement.size())
      throw Error(where,
                  fmt::format("the forward model gives {} values, expected the {} of the measurement", y.size(), m_m));
    return y;
  }

  Vector residual_of(Vector const& y) const {
    Vector r(y.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      r[i] = (m_retrieval.measurement[i] - y[i]) / m_deviation[static_cast<Eigen::Index>(i)];
    return r;
  }

  void take(Vector const& z, Vector const& x, Vector const& y) {
    m_z = z;
    m_estimate.state = x;
    m_estimate.measurement = y;
    m_residual = residual_of(y);
    m_estimate.cost.push_back({squared(m_residual), squared(z)});
  }

  void begin() {
    Vector x = m_retrieval.prior;
    if (!m_retrieval.first_guess.empty()) {
      x = m_retrieval.first_guess;
      as_vector(m_z) = m_l.triangularView<Lower>().solve(as_vector(x) - as_vector(m_retrieval.prior));
    }
    Vector const y = evaluate(x, nullptr);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (!std::isfinite(y[i]))
        throw Error(where, fmt::format("the forward model gives {} as value {} of the first guess, expected a finite "
                                       "number",
                                       y[i], i));
    take(m_z, x, y);
  }

  // B, B B^T and the gradient at the present state.
  void linearise() {
    std::fill_n(m_jacobian.data(), m_jacobian.size(), std::numeric_limits<double>::quiet_NaN());
    evaluate(m_estimate.state, &m_jacobian);
    expect_values(where, m_jacobian, "jacobian", "", "a finite number", [](double) { return true; });
    m_b = as_matrix(m_jacobian).transpose() * m_deviation.cwiseInverse().asDiagonal();
    m_b = m_l.transpose().triangularView<Eigen::Upper>() * m_b;
    m_bbt = times_own_transpose(m_b);
    m_gradient.noalias() = m_b * as_vector(m_residual);
    m_gradient -= as_vector(m_z);
  }

  // Cholesky factor of (1 + damping) I + B B^T.
  Cholesky factor(double damping) const {
    Matrix a = m_bbt;
    a.diagonal().array() += 1 + damping;
    Cholesky result(a);
    if (!is_factorised(result)) throw Error(where, "the squares of derivatives of the forward model overflow");
    return result;
  }

  // d^2 of the step without damping: g^T (I + B B^T)^-1 g.
  double newton_decrement() const { return m_gradient.dot(factor(0).solve(m_gradient)); }

  // Takes a step that reduces the cost. False if no damping did.
  bool step(double& damping) {
    auto const& options = m_retrieval.options;
    for (int trial = 0; trial < options.trials; ++trial) {
      Vector z = m_z;
      as_vector(z) += factor(damping).solve(m_gradient);
      Vector const x = state_of(z);
      Vector const y = finite(x) ? evaluate(x, nullptr) : Vector();
      if (!y.empty() && finite(y) && squared(residual_of(y)) + squared(z) < m_estimate.cost.back().total()) {
        take(z, x, y);
        damping *= options.damping_decrease;
        return true;
      }
      // From no damping to as much as the prior.
      damping = damping > 0 ? damping * options.damping_increase : 1;
    }
    return false;
  }

  // Errors and kernels, with M = I + B B^T: S = L M^-1 L^T, G = L M^-1 B S_e^-1/2, A - I = -L M^-1 L^-1.
  void characterise() {
    auto const m = factor(0);
    m_estimate.information = m.matrixLLT().diagonal().array().log().sum();                          // ln |M| / 2
    Matrix const left = m_l.triangularView<Lower>() * Matrix(m.solve(Matrix::Identity(m_n, m_n)));  // L M^-1
    m_estimate.smoothing_covariance = array_of(times_own_transpose(left), "parhelion::Retrieval::smoothing_covariance");
    Matrix covariance = left * m_l.transpose().triangularView<Eigen::Upper>();  // L M^-1 L^T
    covariance = Matrix(covariance.selfadjointView<Lower>());
    m_estimate.covariance = array_of(covariance, "parhelion::Retrieval::covariance");

    Matrix gain = left * m_b;  // L M^-1 B, of the whitened measurement
    m_estimate.noise_covariance = array_of(times_own_transpose(gain), "parhelion::Retrieval::noise_covariance");
    gain *= m_deviation.cwiseInverse().asDiagonal();
    m_estimate.gain = array_of(gain, "parhelion::Retrieval::gain");
    Matrix const kernel = gain * as_matrix(m_jacobian);
    m_estimate.averaging_kernel = array_of(kernel, "parhelion::Retrieval::averaging_kernel");
    // trace A = trace(M^-1 B B^T) = n - trace(M^-1), but the latter loses digits if A is small.
    m_estimate.degrees_of_freedom = kernel.trace();
    m_estimate.jacobian = m_jacobian;
  }

  OptimalEstimation const& m_retrieval;
  int m_n;
  int m_m;
  Matrix m_l;                      // Cholesky factor of S_a
  Matrix m_b;                      // B
  Matrix m_bbt;                    // B B^T
  HostArray<double**> m_jacobian;  // K, (measurement, state)
  Eigen::VectorXd m_deviation;     // standard deviations of the measurement
  Vector m_z;
  Vector m_residual;
  Eigen::VectorXd m_gradient;  // half the negative gradient of the cost: B r - z
  Estimate m_estimate;
};

}  // namespace

Estimate estimate(OptimalEstimation const& retrieval) {
  check_retrieval(retrieval);
  return Search(retrieval).run();
}

std::size_t estimation_bytes(std::size_t measurements, std::size_t elements) {
  // Jacobian, B, and the gain twice; the prior's covariance twice and its factor, B B^T, a factor and an inverse, L
  // M^-1, four results, each twice.
  return sizeof(double) * (4 * measurements + 15 * elements) * elements;
}

HostArray<double**> exponential_covariance(Vector const& altitude, Vector const& standard_deviation,
                                           double correlation_length) {
  constexpr char const* who = "exponential_covariance";
  std::size_t const n = altitude.size();
  if (n < 1 || standard_deviation.size() != n)
    throw Error(who, fmt::format("{} altitudes and {} standard deviations, expected as many, at least one", n,
                                 standard_deviation.size()));
  if (!std::isfinite(correlation_length) || !(correlation_length >= 0))
    throw Error(who, fmt::format("correlation_length = {} m, expected a finite number >= 0", correlation_length));
  check_vector(who, altitude, "altitude");
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(standard_deviation[i]) || !(standard_deviation[i] > 0))
      throw Error(
          who, fmt::format("standard_deviation({}) = {}, expected a positive finite number", i, standard_deviation[i]));
  HostArray<double**> s("parhelion::Retrieval::covariance", n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double const distance = std::abs(altitude[i] - altitude[j]);
      if (i != j && distance == 0)
        throw Error(who, fmt::format("altitude({}) = {} m is that of level {}, expected another", i, altitude[i], j));
      double const correlation = i == j ? 1 : correlation_length > 0 ? std::exp(-distance / correlation_length) : 0;
      s(i, j) = s(j, i) = standard_deviation[i] * standard_deviation[j] * correlation;
    }
  return s;
}

HostArray<double**> block_covariance(std::vector<HostArray<double**>> const& parts) {
  std::size_t n = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    expect_shape("block_covariance", parts[k], fmt::format("parts({})", k), {parts[k].extent(0), parts[k].extent(0)});
    n += parts[k].extent(0);
  }
  HostArray<double**> s("parhelion::Retrieval::covariance", n, n);
  std::size_t first = 0;
  for (auto const& part : parts) {
    for (std::size_t i = 0; i < part.extent(0); ++i)
      for (std::size_t j = 0; j < part.extent(1); ++j) s(first + i, first + j) = part(i, j);
    first += part.extent(0);
  }
  return s;
}

}  // namespace parhelion::retrieval
