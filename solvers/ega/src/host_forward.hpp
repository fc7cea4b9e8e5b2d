// SPDX-License-Identifier: BSD-3-Clause
// What calls from host arrays to host arrays share.
#ifndef PARHELION_EGA_HOST_FORWARD_HPP
#define PARHELION_EGA_HOST_FORWARD_HPP

#include <parhelion/ega/host_ega.hpp>

#include <any>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::ega::Impl {

/// Channels whose tables are on a device at a time.
struct ChannelCut {
  int block;                  ///< number of them
  std::size_t table_bytes;    ///< their tables on the device
  std::size_t loading_bytes;  ///< what bringing these there takes beside, in the same memory
  std::size_t staging_bytes;  ///< what it takes in the memory of the host where that is another one
};

/// \brief Cuts the channels of a problem, of which there is at least one, so that tables fit the memory limit.
/// \param lanes   of a block for a number of channels in all, as lanes_of
/// \param on_host whether tables are read into the memory that the limit is for
/// \throws parhelion::Error where not even one fits
ChannelCut cut_channels(Problem const& problem, HostEgaOptions const& options, int (*lanes)(int), bool on_host);

/// \brief What a call leaves to the next one of the same problem with the same options. Empty before the first.
struct KeptModel {
  std::optional<ChannelCut> cut;
  std::any models;  ///< Model of all channels, one for each device; empty where they are more than one block
};

/// A call whose input has been checked.
struct Call {
  Problem const& problem;
  HostAtmosphere const& atmosphere;  ///< that is computed: in the model's range and in balance
  HostObservation const& observation;
  HostEgaOptions const& options;
};

/// What the atmosphere of a calculation is.
enum class Air {
  given,  ///< the user's, of which spectra that cannot be are refused
  trial   ///< one of a retrieval, which can do without it: what cannot be becomes NaN
};

/// Spectra of zeros whose radiances and transmittances are NaN: of rays that have not been computed yet.
HostSpectra unknown_spectra(int nray, int nchannel);

/// \brief What stands in the place of spectra on the host [bytes].
std::size_t spectra_bytes(int nray, int nchannel);

/// \param where opens the messages where the problem has no name
/// \throws parhelion::Error where problem, atmosphere and observation are bad or do not fit together
void validate_problem(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                      std::string const& where = "compute_spectra");

/// \brief The atmosphere that is computed: in the model's range as far as the options ask for it, and in balance.
/// \param counts overwritten
/// \throws parhelion::Error as in_valid_range
HostAtmosphere computed_atmosphere(Problem const& problem, HostAtmosphere const& atmosphere, OutOfRange what,
                                   OutOfRangeCounts& counts, std::string const& where);

/// \brief What forward() needs.
/// \param copies profiles and rays for each of those of the call
/// \param report its members that say how the work is cut and what memory it takes are overwritten
template <KokkosExecutionSpace Space>
void plan_forward(Space const& space, Call const& call, int copies, KeptModel& kept, HostEgaReport& report);

/// Radiances and transmittances of pencil beams. NaN where the caller has stopped it.
template <KokkosExecutionSpace Space>
HostSpectra forward(Space const& space, Call const& call, KeptModel& kept, HostEgaReport& report);

/// Whether a call ended before all was done, because the caller wanted it.
bool was_stopped(Call const& call, HostEgaReport const& report);

/// \brief Minds what no spectrum can be: radiances below zero or above those of a black body as warm as the warmest
///        place, transmittances below zero or above one, what is not finite.
///
/// Rounding is allowed for, and emissivities above one, as they are extrapolated to. Sunlight may be brighter, and so
/// may air out of the range of temperatures. Trials with amounts below zero, whose radiances go on linearly, are let
/// pass where they are finite.
///
/// \param spectra of pencil beams or of a field of view, before they become brightness temperatures
/// \throws parhelion::Error where the air is given
void mind_the_impossible(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                         HostSpectra const& spectra, Air air);

/// compute_spectra of a call.
template <KokkosExecutionSpace Space>
HostSpectra spectra_of(Space const& space, Call const& call, KeptModel& kept, HostEgaReport& report, Air air);

/// \brief compute_jacobian of a call.
/// \param kept_in_double for differences where the options ask for single precision
template <KokkosExecutionSpace Space>
HostJacobian jacobian_of(Space const& space, Call const& call, ElementChoice const& choice, JacobianMethod method,
                         KeptModel& kept, KeptModel& kept_in_double, HostEgaReport& report, Air air);

/// \brief Field of view, brightness temperature and mask, in place.
/// \throws parhelion::Error as mind_the_impossible, before and behind the field of view
void finish_spectra(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                    HostSpectra const& spectra, Air air);

/// The same of an atmosphere of which one value is another by a little: spectra are only to be finite.
void finish_moved_spectra(Problem const& problem, HostObservation const& observation, HostSpectra const& spectra,
                          Air air);

/// The atmosphere with the pressures that the options ask for.
HostAtmosphere in_balance(Problem const& problem, HostAtmosphere const& atmosphere);

/// \brief How hydrostatic pressures depend on temperature and water vapour: derivatives of ln(p(i + 1) / p(i)) by those
///        of levels i and i + 1, and which level keeps its pressure.
struct HydrostaticSlopes {
  int kept = 0;
  int water = -1;                                      ///< number of the gas, -1: none
  std::vector<std::array<double, 2>> by_temperature;   ///< [K-1], (interval)
  std::vector<std::array<double, 2>> by_mixing_ratio;  ///< (interval)
};

/// The slopes of make_hydrostatic in one profile.
HydrostaticSlopes hydrostatic_slopes(HostAtmosphere const& atmosphere, int profile, double reference);

/// [K], at a wavenumber [cm-1]; with the constants of the model.
double brightness_temperature(double wavenumber, double radiance);

}  // namespace parhelion::ega::Impl

#endif
