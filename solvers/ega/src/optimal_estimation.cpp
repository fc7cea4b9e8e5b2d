// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/ega/optimal_estimation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

// Fortran's BLAS and LAPACK. The numbers at the end are the lengths of the strings, which compilers of Fortran expect
// there.
extern "C" {
void dpotrf_(char const* uplo, int const* n, double* a, int const* lda, int* info, std::size_t);
void dpotri_(char const* uplo, int const* n, double* a, int const* lda, int* info, std::size_t);
void dpotrs_(char const* uplo, int const* n, int const* nrhs, double const* a, int const* lda, double* b,
             int const* ldb, int* info, std::size_t);
void dtrmm_(char const* side, char const* uplo, char const* transa, char const* diag, int const* m, int const* n,
            double const* alpha, double const* a, int const* lda, double* b, int const* ldb, std::size_t, std::size_t,
            std::size_t, std::size_t);
void dtrmv_(char const* uplo, char const* trans, char const* diag, int const* n, double const* a, int const* lda,
            double* x, int const* incx, std::size_t, std::size_t, std::size_t);
void dtrsv_(char const* uplo, char const* trans, char const* diag, int const* n, double const* a, int const* lda,
            double* x, int const* incx, std::size_t, std::size_t, std::size_t);
void dsyrk_(char const* uplo, char const* trans, int const* n, int const* k, double const* alpha, double const* a,
            int const* lda, double const* beta, double* c, int const* ldc, std::size_t, std::size_t);
void dgemm_(char const* transa, char const* transb, int const* m, int const* n, int const* k, double const* alpha,
            double const* a, int const* lda, double const* b, int const* ldb, double const* beta, double* c,
            int const* ldc, std::size_t, std::size_t);
void dgemv_(char const* trans, int const* m, int const* n, double const* alpha, double const* a, int const* lda,
            double const* x, int const* incx, double const* beta, double* y, int const* incy, std::size_t);
}

namespace parhelion::ega {

namespace {

constexpr char const* where = "estimate";

using Vector = std::vector<double>;

// Column-major, as LAPACK has it. Of symmetric and triangular matrices the lower half is used.
struct Matrix {
  int nrow;
  int ncol;
  Vector values;

  Matrix(int rows, int columns)
      : nrow(rows), ncol(columns), values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}
  double& operator()(int i, int j) { return values[position(i, j)]; }
  double operator()(int i, int j) const { return values[position(i, j)]; }
  double* data() { return values.data(); }
  double const* data() const { return values.data(); }

 private:
  std::size_t position(int i, int j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(nrow);
  }
};

int size_of(Vector const& x) { return static_cast<int>(x.size()); }

double squared(Vector const& x) {
  double sum = 0;
  for (double const value : x) sum += value * value;
  return sum;
}

bool finite(Vector const& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

// The number of the first leading minor that is not positive; 0: none, and a holds its Cholesky factor.
int factorise(Matrix& a) {
  int info = 0;
  dpotrf_("L", &a.nrow, a.data(), &a.nrow, &info, 1);
  return info;
}

// x = a^-1 x, of the Cholesky factor of a.
void solve_factorised(Matrix const& factor, Vector& x) {
  int const one = 1;
  int info = 0;
  dpotrs_("L", &factor.nrow, &one, factor.data(), &factor.nrow, x.data(), &factor.nrow, &info, 1);
}

// b = L b, or L^T b, of a lower triangle L.
void multiply_triangle(char const* transposed, Matrix const& l, Matrix& b) {
  double const one = 1;
  dtrmm_("L", "L", transposed, "N", &b.nrow, &b.ncol, &one, l.data(), &l.nrow, b.data(), &b.nrow, 1, 1, 1, 1);
}

// Lower half of a a^T.
Matrix times_own_transpose(Matrix const& a) {
  double const one = 1;
  double const zero = 0;
  Matrix product(a.nrow, a.nrow);
  dsyrk_("L", "N", &a.nrow, &a.ncol, &one, a.data(), &a.nrow, &zero, product.data(), &a.nrow, 1, 1);
  return product;
}

void fill_upper_half(Matrix& a) {
  for (int j = 0; j < a.ncol; ++j)
    for (int i = 0; i < j; ++i) a(i, j) = a(j, i);
}

HostArray<double**> array_of(Matrix const& a, std::string const& label) {
  HostArray<double**> result(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), a.nrow, a.ncol);
  for (int j = 0; j < a.ncol; ++j)
    for (int i = 0; i < a.nrow; ++i) result(i, j) = a(i, j);
  return result;
}

HostArray<double**> symmetric_array_of(Matrix& a, std::string const& label) {
  fill_upper_half(a);
  return array_of(a, label);
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
  // What is computed one way and the other differs by roundings; what is not symmetric by more.
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
// transposed Jacobian of F in these, (state, measurement).
class Search {
 public:
  explicit Search(OptimalEstimation const& retrieval)
      : m_retrieval(retrieval),
        m_n(size_of(retrieval.prior)),
        m_m(size_of(retrieval.measurement)),
        m_l(m_n, m_n),
        m_b(m_n, m_m),
        m_bbt(m_n, m_n),
        m_jacobian(Kokkos::view_alloc("parhelion::Ega::jacobian", Kokkos::WithoutInitializing), m_m, m_n),
        m_deviation(retrieval.measurement_variance),
        m_z(retrieval.prior.size()) {
    for (double& value : m_deviation) value = std::sqrt(value);
    for (int j = 0; j < m_n; ++j)
      for (int i = j; i < m_n; ++i) m_l(i, j) = retrieval.prior_covariance(i, j);
    if (int const minor = factorise(m_l); minor != 0)
      throw Error(where, fmt::format("prior_covariance is not positive definite: the determinant of its first {} rows "
                                     "and columns is not positive",
                                     minor));
    // What lies above the diagonal is not used, but it would be in a product of full matrices.
    for (int j = 0; j < m_n; ++j)
      for (int i = 0; i < j; ++i) m_l(i, j) = 0;
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
  Vector state_of(Vector z) const {
    int const one = 1;
    dtrmv_("L", "N", "N", &m_n, m_l.data(), &m_n, z.data(), &one, 1, 1, 1);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += m_retrieval.prior[i];
    return z;
  }

  Vector evaluate(Vector const& x, HostArray<double**> const* jacobian) {
    Vector y(m_retrieval.measurement.size(), std::numeric_limits<double>::quiet_NaN());
    m_retrieval.forward(x, y, jacobian);
    ++m_estimate.evaluations;
    if (size_of(y) != m_m)
      throw Error(where,
                  fmt::format("the forward model gives {} values, expected the {} of the measurement", y.size(), m_m));
    return y;
  }

  Vector residual_of(Vector const& y) const {
    Vector r(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) r[i] = (m_retrieval.measurement[i] - y[i]) / m_deviation[i];
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
      int const one = 1;
      for (std::size_t i = 0; i < x.size(); ++i) m_z[i] = x[i] - m_retrieval.prior[i];
      dtrsv_("L", "N", "N", &m_n, m_l.data(), &m_n, m_z.data(), &one, 1, 1, 1);
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
    for (int i = 0; i < m_m; ++i)
      for (int j = 0; j < m_n; ++j) m_b(j, i) = m_jacobian(i, j) / m_deviation[static_cast<std::size_t>(i)];
    multiply_triangle("T", m_l, m_b);
    m_bbt = times_own_transpose(m_b);
    m_gradient = m_z;
    double const one = 1;
    double const minus_one = -1;
    int const stride = 1;
    dgemv_("N", &m_n, &m_m, &one, m_b.data(), &m_n, m_residual.data(), &stride, &minus_one, m_gradient.data(), &stride,
           1);
  }

  // Cholesky factor of (1 + damping) I + B B^T.
  Matrix factor(double damping) const {
    Matrix a = m_bbt;
    for (int i = 0; i < m_n; ++i) a(i, i) += 1 + damping;
    if (factorise(a) != 0)
      throw Error(where, "derivatives of the forward model are too large for their squares to be computed");
    return a;
  }

  // d^2 of the step without damping: g^T (I + B B^T)^-1 g.
  double newton_decrement() const {
    Vector step = m_gradient;
    solve_factorised(factor(0), step);
    double sum = 0;
    for (std::size_t i = 0; i < step.size(); ++i) sum += step[i] * m_gradient[i];
    return sum;
  }

  // Takes a step that makes the cost fall. False: none of the dampings did.
  bool step(double& damping) {
    auto const& options = m_retrieval.options;
    for (int trial = 0; trial < options.trials; ++trial) {
      Vector z = m_gradient;
      solve_factorised(factor(damping), z);
      for (std::size_t i = 0; i < z.size(); ++i) z[i] += m_z[i];
      Vector const x = state_of(z);
      Vector const y = finite(x) ? evaluate(x, nullptr) : Vector();
      if (!y.empty() && finite(y) && squared(residual_of(y)) + squared(z) < m_estimate.cost.back().total()) {
        take(z, x, y);
        damping *= options.damping_decrease;
        return true;
      }
      // From none to as much as the prior.
      damping = damping > 0 ? damping * options.damping_increase : 1;
    }
    return false;
  }

  // Errors and kernels, with M = I + B B^T: S = L M^-1 L^T, G = L M^-1 B S_e^-1/2, A - I = -L M^-1 L^-1.
  void characterise() {
    int info = 0;
    Matrix inverse = factor(0);
    double log_determinant = 0;
    for (int i = 0; i < m_n; ++i) log_determinant += 2 * std::log(inverse(i, i));
    m_estimate.information = log_determinant / 2;
    dpotri_("L", &m_n, inverse.data(), &m_n, &info, 1);
    fill_upper_half(inverse);

    Matrix left = inverse;  // L M^-1
    multiply_triangle("N", m_l, left);
    Matrix smoothing = times_own_transpose(left);
    m_estimate.smoothing_covariance = symmetric_array_of(smoothing, "parhelion::Ega::smoothing_covariance");

    double const one = 1;
    double const zero = 0;
    Matrix covariance(m_n, m_n);  // L M^-1 L^T
    dgemm_("N", "T", &m_n, &m_n, &m_n, &one, left.data(), &m_n, m_l.data(), &m_n, &zero, covariance.data(), &m_n, 1, 1);
    m_estimate.covariance = symmetric_array_of(covariance, "parhelion::Ega::covariance");

    Matrix gain(m_n, m_m);  // L M^-1 B, of the whitened measurement
    dgemm_("N", "N", &m_n, &m_m, &m_n, &one, left.data(), &m_n, m_b.data(), &m_n, &zero, gain.data(), &m_n, 1, 1);
    Matrix noise = times_own_transpose(gain);
    m_estimate.noise_covariance = symmetric_array_of(noise, "parhelion::Ega::noise_covariance");
    for (int j = 0; j < m_m; ++j)
      for (int i = 0; i < m_n; ++i) gain(i, j) /= m_deviation[static_cast<std::size_t>(j)];
    m_estimate.gain = array_of(gain, "parhelion::Ega::gain");

    // K is row-major: its transpose as Fortran sees it.
    Matrix kernel(m_n, m_n);
    dgemm_("N", "T", &m_n, &m_n, &m_m, &one, gain.data(), &m_n, m_jacobian.data(), &m_n, &zero, kernel.data(), &m_n, 1,
           1);
    m_estimate.averaging_kernel = array_of(kernel, "parhelion::Ega::averaging_kernel");
    // trace A = trace(M^-1 B B^T) = n - trace(M^-1), which loses digits where A is small.
    for (int i = 0; i < m_n; ++i) m_estimate.degrees_of_freedom += kernel(i, i);
    m_estimate.jacobian = m_jacobian;
  }

  OptimalEstimation const& m_retrieval;
  int m_n;
  int m_m;
  Matrix m_l;                      // Cholesky factor of S_a
  Matrix m_b;                      // B
  Matrix m_bbt;                    // B B^T
  HostArray<double**> m_jacobian;  // K, (measurement, state)
  Vector m_deviation;              // standard deviations of the measurement
  Vector m_z;
  Vector m_residual;
  Vector m_gradient;  // half the cost's, downhill: B r - z
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
  HostArray<double**> s("parhelion::Ega::covariance", n, n);
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
  HostArray<double**> s("parhelion::Ega::covariance", n, n);
  std::size_t first = 0;
  for (auto const& part : parts) {
    for (std::size_t i = 0; i < part.extent(0); ++i)
      for (std::size_t j = 0; j < part.extent(1); ++j) s(first + i, first + j) = part(i, j);
    first += part.extent(0);
  }
  return s;
}

}  // namespace parhelion::ega
