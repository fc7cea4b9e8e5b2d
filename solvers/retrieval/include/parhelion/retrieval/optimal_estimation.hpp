// SPDX-License-Identifier: BSD-3-Clause
// Retrieval of a state from a measurement by optimal estimation. Knows nothing of the forward model.
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

/// \brief F(x), and where it is asked for K = dF/dx.
///
/// \param state       x, (state)
/// \param measurement F(x), (measurement), to be overwritten. NaN says that this state cannot be computed: a step that
///                    leads there is not taken. What the function throws ends the retrieval.
/// \param jacobian    null: not wanted. Otherwise dF_i/dx_j at (i, j), (measurement, state), to be overwritten.
using EstimationModel = std::function<void(std::vector<double> const& state, std::vector<double>& measurement,
                                           HostArray<double**> const* jacobian)>;

/// How the minimum is looked for.
struct EstimationOptions {
  int iterations = 20;            ///< most steps that are taken, >= 0; 0: only the first guess is looked at
  int trials = 10;                ///< most dampings that are tried for a step, >= 1
  double damping = 1;             ///< gamma of eq. 5.36 at the start, >= 0; 0: Gauss and Newton's method at first
  double damping_decrease = 0.1;  ///< factor after a step that was taken, in (0, 1]
  double damping_increase = 10;   ///< factor after a step that was not, > 1
  /// Ends when the next step without damping is so short that its d^2 = dx^T S^-1 dx (eq. 5.29) is below this times the
  /// number of elements of the state, > 0. The root of it is the distance to the minimum in standard deviations.
  double convergence = 1e-2;
};

/// \brief A retrieval: what is known before, what was measured, and how the two are related.
///
/// Elements of state and measurement have units of their own; covariances and derivatives have the products and
/// quotients of these.
struct OptimalEstimation {
  std::vector<double> prior;                 ///< x_a, (state)
  HostArray<double**> prior_covariance;      ///< S_a, (state, state), symmetric and positive definite
  std::vector<double> measurement;           ///< y, (measurement)
  std::vector<double> measurement_variance;  ///< diagonal of S_e, (measurement), > 0; errors are not correlated
  EstimationModel forward;                   ///< F
  std::vector<double> first_guess;           ///< where to begin, (state); empty: the prior
  EstimationOptions options;
};

/// The two parts of what is minimised, eq. 5.3.
struct EstimationCost {
  double measurement = 0;  ///< (y - F(x))^T S_e^-1 (y - F(x)) [1]
  double prior = 0;        ///< (x - x_a)^T S_a^-1 (x - x_a) [1]

  double total() const { return measurement + prior; }
};

/// \brief What a retrieval gives. Errors and kernels are those of a model that is linear around the state.
struct Estimate {
  std::vector<double> state;                 ///< (state)
  std::vector<double> measurement;           ///< F of the state, (measurement)
  HostArray<double**> jacobian;              ///< K at the state, (measurement, state)
  HostArray<double**> covariance;            ///< S = (K^T S_e^-1 K + S_a^-1)^-1, (state, state)
  HostArray<double**> gain;                  ///< G = S K^T S_e^-1: d state_i / d y_j at (i, j), (state, measurement)
  HostArray<double**> averaging_kernel;      ///< A = G K: d state_i / d truth_j at (i, j), (state, state)
  HostArray<double**> noise_covariance;      ///< G S_e G^T, of what comes from the measurement, (state, state)
  HostArray<double**> smoothing_covariance;  ///< (A - I) S_a (A - I)^T, of what the prior brings in, (state, state)
  double degrees_of_freedom = 0;             ///< for signal: trace of A, 0 to the number of elements
  double information = 0;                    ///< ln(|S_a| / |S|) / 2 [nat], >= 0
  std::vector<EstimationCost> cost;          ///< of the first guess and after each step; the total falls
  int iterations = 0;                        ///< steps that were taken
  int evaluations = 0;                       ///< calls of the forward model
  double normalised_step = 0;                ///< d^2 over the number of elements, of the step that would come next
  bool converged = false;  ///< otherwise iterations have run out, or none of the dampings made the cost fall
};

/// \brief Finds the state of least cost by the method of Levenberg and Marquardt, eq. 5.36:
///        dx = ((1 + gamma) S_a^-1 + K^T S_e^-1 K)^-1 (K^T S_e^-1 (y - F(x)) - S_a^-1 (x - x_a)).
///
/// Steps are taken only if the cost falls. Internally the state is z with x = x_a + L z, L L^T = S_a, and the
/// measurement is in units of its standard deviation: no covariance is inverted, and what is solved has no eigenvalue
/// below 1. Runs on the host; needs n^3 + m n^2 operations a step; see estimation_bytes.
/// \throws parhelion::Error on shapes that disagree, what is not finite, variances that are not positive, a covariance
///         that is not symmetric and positive definite, options out of range, a forward model that returns another
///         number of values, or none that are finite for the first guess, or a Jacobian that is not finite
Estimate estimate(OptimalEstimation const& retrieval);

/// Host memory that estimate() takes with its input and result: 4 m n + 15 n^2 numbers [bytes].
std::size_t estimation_bytes(std::size_t measurements, std::size_t elements);

/// \brief Covariance of a profile whose correlation falls off exponentially: S_ij = s_i s_j exp(-|z_i - z_j| / h).
/// \param altitude           z [m], (level), all different
/// \param standard_deviation s, in the unit of the profile, (level), > 0
/// \param correlation_length h [m], >= 0; 0: levels are not correlated
/// \return (level, level), symmetric and positive definite
/// \throws parhelion::Error on arguments out of range
HostArray<double**> exponential_covariance(std::vector<double> const& altitude,
                                           std::vector<double> const& standard_deviation, double correlation_length);

/// \brief Covariance of several parts of a state that are not correlated with one another, one after the other.
/// \param parts square matrices
/// \throws parhelion::Error where one is not square
HostArray<double**> block_covariance(std::vector<HostArray<double**>> const& parts);

}  // namespace parhelion::retrieval

#endif
