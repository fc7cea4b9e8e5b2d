// SPDX-License-Identifier: BSD-3-Clause
// Spectra and derivatives of trial atmospheres, for retrievals.
#ifndef PARHELION_EGA_TRIAL_HPP
#define PARHELION_EGA_TRIAL_HPP

#include <parhelion/ega/host_ega.hpp>

#include <string>

namespace parhelion::ega {

/// \brief The atmosphere that is computed for the input of a call: within the range of the model unless it is to be
///        extrapolated, and with hydrostatic pressures if the problem says so.
/// \param problem     its options are used
/// \param atmosphere  input of the call; not changed
/// \param observation input of the call
/// \param what        what to do with values that are out of range
/// \param counts      overwritten with the number of values out of range, by variable
/// \param where       begins messages if neither the problem nor the input has a name
/// \throws parhelion::Error where problem, atmosphere and observation are bad or do not fit together
HostAtmosphere computed_atmosphere(Problem const& problem, HostAtmosphere const& atmosphere,
                                   HostObservation const& observation, OutOfRange what, OutOfRangeCounts& counts,
                                   std::string const& where);

/// The atmosphere with hydrostatic pressures if the options of the problem say so; otherwise unchanged.
HostAtmosphere with_hydrostatic_pressure(Problem const& problem, HostAtmosphere const& atmosphere);

/// \brief compute_spectra for a trial atmosphere, whose values may be out of range. Radiances need not be finite.
/// \param prepared    problem, tables and options
/// \param atmosphere  trial atmosphere
/// \param observation rays
/// \param report      the times of the call are overwritten
HostSpectra compute_trial_spectra(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                                  HostObservation const& observation, HostEgaReport& report);

/// compute_jacobian for a trial atmosphere.
HostJacobian compute_trial_jacobian(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                                    HostObservation const& observation, ElementChoice const& choice,
                                    JacobianMethod method, HostEgaReport& report);

}  // namespace parhelion::ega

#endif
