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

/// What an element of the state is of a value v of a profile whose a priori value is v_a.
enum class StateScale {
  absolute,    ///< v; standard deviations are in the unit of the profile
  relative,    ///< v / v_a; standard deviations are fractions. Linear: v may become negative where noise makes it so
  logarithmic  ///< ln v; standard deviations are about fractions. v stays positive
};

/// \brief What is known of a profile before. Correlations fall off exponentially with distance.
struct ProfilePrior {
  StateScale scale = StateScale::absolute;
  /// > 0, (1), for all levels, or (level of the atmosphere)
  std::vector<double> standard_deviation;
  double correlation_length = 0;  ///< [m], >= 0; 0: levels are not correlated
};

/// \brief What is retrieved. Of profiles without elements nothing need be said; they stay as they are a priori.
///
/// Mixing ratios are relative by default. Radiances of thin paths are linear in the amount, so that noise and retrieved
/// amounts are normally distributed together and their mean is right; a logarithm would be biased where the noise is
/// not small. Take it where the prior spans more than a factor of about two, where a normal distribution would hold
/// negative amounts.
struct RetrievalChoice {
  ega::ElementChoice elements;
  ProfilePrior pressure{.scale = StateScale::logarithmic, .standard_deviation = {}};
  ProfilePrior temperature;
  std::vector<ProfilePrior> mixing_ratio;  ///< (gas)
  std::vector<ProfilePrior> extinction;    ///< (window)
};

/// A prior of a mixing ratio: a fraction of the a priori profile, and a length [m].
inline ProfilePrior relative_prior(double standard_deviation, double correlation_length) {
  return {StateScale::relative, {standard_deviation}, correlation_length};
}

struct RetrievalOptions {
  /// With differences all is computed in double precision, whatever the options of the model say.
  ega::JacobianMethod jacobian = ega::JacobianMethod::analytic;
  EstimationOptions estimation;
  /// Where to begin: one profile on the levels of the prior, of which the elements of the state are used; none: the
  /// prior.
  std::optional<ega::HostAtmosphere> first_guess;
};

/// \brief A retrieved atmosphere and what is known of it.
///
/// Errors are standard deviations, in the units of profiles. Where the pressures are hydrostatic, those of the result
/// follow from its temperatures.
struct HostRetrieval {
  ega::HostAtmosphere atmosphere;
  OutOfRangeCounts out_of_range;        ///< of the prior: variables and how many values were out of range
  std::vector<ega::Element> elements;   ///< of the state, (state)
  std::vector<double> value;            ///< retrieved [unit of the profile], (state)
  std::vector<double> prior;            ///< a priori, (state)
  std::vector<double> prior_error;      ///< root of the diagonal of S_a, (state)
  std::vector<double> total_error;      ///< of S: noise and smoothing, (state)
  std::vector<double> noise_error;      ///< what the noise of the measurement makes, (state)
  std::vector<double> smoothing_error;  ///< what the prior and the width of the averaging kernel make, (state)
  /// Sums of the rows of the averaging kernel over the levels of the same profile, (state): about the part that comes
  /// from the measurement and not from the prior. Of the scale of the state: where that is relative, of fractions.
  std::vector<double> response;
  /// In units of the state: StateScale says which. Measurements are those that are used, ray by ray.
  Estimate estimate;
  HostArray<double**> radiance;  ///< of the retrieved atmosphere, (ray, channel); NaN: not used
  int measurements = 0;          ///< m, the number of those that are used
  /// Least cost (eq. 5.3) over m: 1 on average if the truth is one of those that the prior describes and all errors are
  /// normal and as given; its standard deviation is then sqrt(2 / m) (section 12.3).
  double chi_square = 0;
  /// The part of the measurement over m less the degrees of freedom for signal: also 1 on average then, and almost 1
  /// for any truth that the measurement fixes.
  double residual_chi_square = 0;
  double seconds = 0;        ///< of the call
  double load_seconds = 0;   ///< of these, bringing tables to the device
  double solve_seconds = 0;  ///< of these, kernels of the forward model
};

/// \brief Retrieves profiles from radiances by the method of estimate().
///
/// Tables are brought to the device as a PreparedProblem does it. A trial state with a temperature or pressure that is
/// not positive, a negative extinction or what is not finite is not computed: a shorter step is tried instead. So is
/// one with a temperature, a pressure or a mixing ratio above the model's range, or a temperature below it, where the
/// options refuse that of the prior.
///
/// \param problem     as for compute_spectra; with brightness temperatures, these are the measurement
/// \param prior       the a priori atmosphere, one profile
/// \param observation rays
/// \param measured    radiances [W m-2 sr-1 (cm-1)-1] or brightness temperatures [K], (ray, channel); NaN, and what the
///                    observation masks, is not used
/// \param noise       their standard deviations, (ray, channel), > 0 where used; errors are not correlated
/// \param choice      the state and its prior errors
/// \param options     of the iteration
/// \param ega_options of the forward model
/// \throws parhelion::Error on bad input, nothing to retrieve, nothing measured, and where the progress of a forward
///         calculation is told to stop
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
