// SPDX-License-Identifier: BSD-3-Clause
// What a search for an atmosphere needs of the forward model: spectra and derivatives of atmospheres that it tries.
#ifndef PARHELION_EGA_TRIAL_HPP
#define PARHELION_EGA_TRIAL_HPP

#include <parhelion/ega/host_ega.hpp>

#include <string>

namespace parhelion::ega {

/// \brief The atmosphere that calls with a problem compute: in the model's range as far as it is asked for, and with
///        the pressures that the problem asks for.
/// \param problem     says which variables and pressures count
/// \param atmosphere  what a call is given; not changed
/// \param observation what a call is given
/// \param what   is done with values that are out of the model's range
/// \param counts overwritten with the variables that were looked at and how many values were out of range
/// \param where  opens messages where neither the problem nor the input has a name
/// \throws parhelion::Error where problem, atmosphere and observation are bad or do not fit together
HostAtmosphere computed_atmosphere(Problem const& problem, HostAtmosphere const& atmosphere,
                                   HostObservation const& observation, OutOfRange what, OutOfRangeCounts& counts,
                                   std::string const& where);

/// An atmosphere with the pressures that the problem asks for: hydrostatic ones or its own.
HostAtmosphere with_hydrostatic_pressure(Problem const& problem, HostAtmosphere const& atmosphere);

/// \brief compute_spectra of an atmosphere whose values may be out of the model's range. Radiances need not be finite.
/// \param prepared    problem, tables and options
/// \param atmosphere  to be tried
/// \param observation rays
/// \param report the seconds that the call took are overwritten
HostSpectra compute_trial_spectra(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                                  HostObservation const& observation, HostEgaReport& report);

/// The same of compute_jacobian.
HostJacobian compute_trial_jacobian(PreparedProblem const& prepared, HostAtmosphere const& atmosphere,
                                    HostObservation const& observation, ElementChoice const& choice,
                                    JacobianMethod method, HostEgaReport& report);

}  // namespace parhelion::ega

#endif
