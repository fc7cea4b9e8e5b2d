// SPDX-License-Identifier: BSD-3-Clause
// Retrieval of a state from a measurement by optimal estimation, with any forward model.
//
// Rodgers (2000), Inverse Methods for Atmospheric Sounding, World Scientific, doi:10.1142/3171; symbols and numbers of
// equations are from there.
#ifndef PARHELION_RETRIEVAL_OPTIMAL_ESTIMATION_HPP
#define PARHELION_RETRIEVAL_OPTIMAL_ESTIMATION_HPP

#include <parhelion/core/types.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace parhelion::retrieval {

/// \brief A forward model: F(x) and, if requested, K = dF/dx.
///
/// \param state       x, (state)
/// \param measurement F(x), (measurement), to be overwritten. NaN if the state cannot be computed: a step to it is then
///                    rejected. An exception ends the retrieval.
/// \param jacobian    if not nullptr, dF_i/dx_j at (i, j), (measurement, state), to be overwritten
using EstimationModel = std::function<void(std::vector<double> const& state, std::vector<double>& measurement,
                                           HostArray<double**> const* jacobian)>;

/// Options of the iteration.
struct EstimationOptions {
  int iterations = 20;            ///< largest number of steps, >= 0; 0: only the first guess is evaluated
  int trials = 10;                ///< largest number of dampings that are tried for a step, >= 1
  double damping = 1;             ///< initial gamma of eq. 5.36, >= 0; 0: begins with the Gauss-Newton method
  double damping_decrease = 0.1;  ///< factor after an accepted step, in (0, 1]
  double damping_increase = 10;   ///< factor after a rejected step, > 1
  /// Convergence criterion, > 0: d^2 = dx^T S^-1 dx (eq. 5.29) of the next undamped step is below this times the number
  /// of elements of the state. The root of d^2 is the distance to the minimum in standard deviations.
  double convergence = 1e-2;
};

/// \brief A retrieval problem: prior, measurement and forward model.
///
/// Each element of state and measurement may have its own unit; covariances and derivatives have products and quotients
/// of these.
struct OptimalEstimation {
  std::vector<double> prior;                 ///< x_a, (state)
  HostArray<double**> prior_covariance;      ///< S_a, (state, state), symmetric and positive definite
  std::vector<double> measurement;           ///< y, (measurement)
  std::vector<double> measurement_variance;  ///< diagonal of S_e, (measurement), > 0; errors are uncorrelated
  EstimationModel forward;                   ///< F
  std::vector<double> first_guess;           ///< initial state, (state); empty: the prior
  EstimationOptions options;
};

/// The two parts of the cost function, eq. 5.3.
struct EstimationCost {
  double measurement = 0;  ///< (y - F(x))^T S_e^-1 (y - F(x)) [1]
  double prior = 0;        ///< (x - x_a)^T S_a^-1 (x - x_a) [1]

  double total() const { return measurement + prior; }
};

/// \brief The result of a retrieval. Errors and kernels are those of the model linearized at the state.
struct Estimate {
  std::vector<double> state;                 ///< (state)
  std::vector<double> measurement;           ///< F of the state, (measurement)
  HostArray<double**> jacobian;              ///< K at the state, (measurement, state)
  HostArray<double**> covariance;            ///< S = (K^T S_e^-1 K + S_a^-1)^-1, (state, state)
  HostArray<double**> gain;                  ///< G = S K^T S_e^-1: d state_i / d y_j at (i, j), (state, measurement)
  HostArray<double**> averaging_kernel;      ///< A = G K: d state_i / d truth_j at (i, j), (state, state)
  HostArray<double**> noise_covariance;      ///< G S_e G^T, due to measurement errors, (state, state)
  HostArray<double**> smoothing_covariance;  ///< (A - I) S_a (A - I)^T, due to the prior, (state, state)
  double degrees_of_freedom = 0;             ///< degrees of freedom for signal: trace of A, 0 to the number of elements
  double information = 0;                    ///< ln(|S_a| / |S|) / 2 [nat], >= 0
  std::vector<EstimationCost> cost;          ///< cost of the first guess and after each step; the total decreases
  int iterations = 0;                        ///< accepted steps
  int evaluations = 0;                       ///< calls of the forward model
  double normalised_step = 0;                ///< d^2 of the next step over the number of elements
  bool converged = false;  ///< otherwise the number of steps was exhausted, or no damping reduced the cost
};

/// \brief Finds the state of minimum cost by the Levenberg-Marquardt method, eq. 5.36:
///        dx = ((1 + gamma) S_a^-1 + K^T S_e^-1 K)^-1 (K^T S_e^-1 (y - F(x)) - S_a^-1 (x - x_a)).
///
/// Steps are accepted only if the cost decreases. Internally the state is z with x = x_a + L z, L L^T = S_a, and the
/// measurement is in units of its standard deviation: no covariance is inverted, and the matrix of the linear system
/// has no eigenvalue below 1. Runs on the host with n^3 + m n^2 operations for each step; see estimation_bytes.
///
/// \param retrieval prior, measurement, forward model and options
/// \return the state of minimum cost with its errors
/// \throws parhelion::Error on shapes that disagree, values that are not finite, variances that are not positive, a
///         covariance that is not symmetric and positive definite, options out of range, a forward model that returns a
///         wrong number of values or values that are not finite for the first guess, or a Jacobian that is not finite
Estimate estimate(OptimalEstimation const& retrieval);

/// Host memory of estimate() including input and result: 4 m n + 15 n^2 numbers [bytes].
std::size_t estimation_bytes(std::size_t measurements, std::size_t elements);

/// \brief Covariance of a profile with exponentially decreasing correlation: S_ij = s_i s_j exp(-|z_i - z_j| / h).
/// \param altitude           z [m], (level), all different
/// \param standard_deviation s, in the unit of the profile, (level), > 0
/// \param correlation_length h [m], >= 0; 0: levels are not correlated
/// \return (level, level), symmetric and positive definite
/// \throws parhelion::Error on arguments out of range
HostArray<double**> exponential_covariance(std::vector<double> const& altitude,
                                           std::vector<double> const& standard_deviation, double correlation_length);

/// \brief Block-diagonal covariance of the uncorrelated parts of a state.
/// \param parts square matrices
/// \throws parhelion::Error where one is not square
HostArray<double**> block_covariance(std::vector<HostArray<double**>> const& parts);

}  // namespace parhelion::retrieval

#endif
