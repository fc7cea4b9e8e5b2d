// SPDX-License-Identifier: BSD-3-Clause
// Retrieval of profiles of the atmosphere from spectra by optimal estimation, with the forward model of ega.
//
// Rodgers (2000), Inverse Methods for Atmospheric Sounding, World Scientific, doi:10.1142/3171; symbols and numbers of
// equations are from there.
#ifndef PARHELION_RETRIEVAL_RETRIEVE_HPP
#define PARHELION_RETRIEVAL_RETRIEVE_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>
#include <parhelion/retrieval/optimal_estimation.hpp>

#include <optional>
#include <vector>

namespace parhelion::retrieval {

/// How an element of the state is defined by the value v of a profile and its a priori value v_a.
enum class StateScale {
  absolute,    ///< v; standard deviations are in the unit of the profile
  relative,    ///< v / v_a; standard deviations are fractions. Linear: noise may make v negative
  logarithmic  ///< ln v; standard deviations are approximately fractions. v remains positive
};

/// \brief The prior errors of a profile. Correlations decrease exponentially with distance.
struct ProfilePrior {
  StateScale scale = StateScale::absolute;
  /// > 0, (1) for all levels, or (level of the atmosphere)
  std::vector<double> standard_deviation;
  double correlation_length = 0;  ///< [m], >= 0; 0: levels are uncorrelated
};

/// \brief The quantities that are retrieved. Profiles without elements need no prior errors; they keep their a priori
///        values.
///
/// Mole fractions are relative by default. Radiances of thin paths are linear in the amount, so that retrieved amounts
/// are normally distributed like the noise and unbiased; a logarithm would be biased unless the noise is small. A
/// logarithm is preferable if the prior spans more than a factor of about two, for which a normal distribution would
/// include negative amounts.
struct RetrievalChoice {
  ega::ElementChoice elements;
  ProfilePrior pressure{.scale = StateScale::logarithmic, .standard_deviation = {}};
  ProfilePrior temperature;
  std::vector<ProfilePrior> mole_fraction;  ///< (gas)
  std::vector<ProfilePrior> extinction;     ///< (window)
};

/// The prior errors of a mole fraction: a fraction of the a priori profile, and a correlation length [m].
inline ProfilePrior relative_prior(double standard_deviation, double correlation_length) {
  return {StateScale::relative, {standard_deviation}, correlation_length};
}

/// How a retrieval finds the state.
struct RetrievalOptions {
  /// With differences everything is computed in double precision, regardless of the options of the model.
  ega::JacobianMethod jacobian = ega::JacobianMethod::analytic;
  EstimationOptions estimation;
  /// Initial atmosphere: one profile on the levels of the prior, of which the elements of the state are used; none: the
  /// prior.
  std::optional<ega::HostAtmosphere> first_guess;
};

/// \brief A retrieved atmosphere with its errors.
///
/// Errors are standard deviations in the units of profiles. If pressures are hydrostatic, those of the result follow
/// from its temperatures.
struct HostRetrieval {
  ega::HostAtmosphere atmosphere;
  OutOfRangeCounts out_of_range;        ///< number of values of the prior out of range, by variable
  std::vector<ega::Element> elements;   ///< of the state, (state)
  std::vector<double> value;            ///< retrieved [unit of the profile], (state)
  std::vector<double> prior;            ///< a priori, (state)
  std::vector<double> prior_error;      ///< root of the diagonal of S_a, (state)
  std::vector<double> total_error;      ///< root of the diagonal of S: noise and smoothing, (state)
  std::vector<double> noise_error;      ///< error due to the noise of the measurement, (state)
  std::vector<double> smoothing_error;  ///< error due to the prior and the width of the averaging kernel, (state)
  /// Sums of the rows of the averaging kernel over the levels of the same profile, (state): approximately the part that
  /// comes from the measurement and not from the prior. In the scale of the state.
  std::vector<double> response;
  /// The estimate in the scale of the state, see StateScale. Its measurements are those that are used, ray by ray.
  Estimate estimate;
  HostArray<double**> radiance;  ///< of the retrieved atmosphere, (ray, channel); NaN if not used
  int measurements = 0;          ///< m, the number of measurements that are used
  /// Minimum cost (eq. 5.3) over m: 1 on average if the truth is drawn from the prior and all errors are normal and as
  /// given; its standard deviation is then sqrt(2 / m) (section 12.3).
  double chi_square = 0;
  /// The measurement part of the cost over m minus the degrees of freedom for signal: also 1 on average then, and close
  /// to 1 for any truth that the measurement determines.
  double residual_chi_square = 0;
  double seconds = 0;        ///< the whole call
  double load_seconds = 0;   ///< of these, loading tables to the device
  double solve_seconds = 0;  ///< of these, kernels of the forward model
};

/// \brief Retrieves profiles from radiances by the method of estimate().
///
/// Tables are loaded as for a PreparedProblem. A trial state with a temperature or pressure that is not positive, a
/// negative extinction or a value that is not finite is rejected, and a shorter step is tried. The same holds for
/// temperatures out of range and pressures or mole fractions above their range, if the options refuse values out of
/// range.
///
/// \param problem     as for compute_spectra; if it has brightness temperatures, these are the measurement
/// \param prior       the a priori atmosphere, one profile
/// \param observation rays
/// \param measured    radiances [W m-2 sr-1 (cm-1)-1] or brightness temperatures [K], (ray, channel); NaN and masked
///                    values are not used
/// \param noise       their standard deviations, (ray, channel), > 0 where used; errors are uncorrelated
/// \param choice      the state and its prior errors
/// \param options     of the iteration
/// \param ega_options of the forward model
/// \throws parhelion::Error on bad input, if there is nothing to retrieve or no measurement, and if the progress
///         callback stops a forward calculation
HostRetrieval retrieve(ega::Problem const& problem, ega::HostAtmosphere const& prior,
                       ega::HostObservation const& observation, HostArray<double**> const& measured,
                       HostArray<double**> const& noise, RetrievalChoice const& choice,
                       RetrievalOptions const& options = {}, ega::HostEgaOptions const& ega_options = {});

/// The same with tables that stay on the device for the next retrieval.
HostRetrieval retrieve(ega::PreparedProblem const& prepared, ega::HostAtmosphere const& prior,
                       ega::HostObservation const& observation, HostArray<double**> const& measured,
                       HostArray<double**> const& noise, RetrievalChoice const& choice,
                       RetrievalOptions const& options = {});

}  // namespace parhelion::retrieval

#endif
