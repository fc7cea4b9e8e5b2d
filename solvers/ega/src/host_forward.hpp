// SPDX-License-Identifier: BSD-3-Clause
// Common parts of calls from host arrays to host arrays.
#ifndef PARHELION_EGA_HOST_FORWARD_HPP
#define PARHELION_EGA_HOST_FORWARD_HPP

#include <parhelion/ega/host_ega.hpp>

#include <parhelion/core/host_threads.hpp>

#include <any>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::ega::Impl {

/// The division of channels into blocks whose tables are on a device at a time.
struct ChannelCut {
  int block;                  ///< channels of a block
  std::size_t table_bytes;    ///< their tables on the device
  std::size_t loading_bytes;  ///< additional device memory while they are loaded
  std::size_t staging_bytes;  ///< host memory while they are loaded, if the device has its own memory
};

/// \brief Divides the channels of a problem (at least one) so that tables fit into the memory limit.
/// \param lanes   function that gives the lanes of a block for a number of channels, as lanes_of
/// \param on_host whether the memory limit includes the memory for reading tables
/// \throws parhelion::Error if not even one channel fits
ChannelCut cut_channels(Problem const& problem, HostEgaOptions const& options, int (*lanes)(int), bool on_host);

/// \brief What a call keeps for the next one with the same problem and options. Empty before the first call.
struct KeptModel {
  std::optional<ChannelCut> cut;
  std::any models;  ///< Model of all channels, one for each device; empty if there is more than one block
  /// A shared KeptDriver, which has the memory of the last call; empty if there is more than one block.
  std::any driver = {};
};

/// A call whose input has been checked.
struct Call {
  Problem const& problem;
  HostAtmosphere const& atmosphere;  ///< the computed one: within range, and hydrostatic if requested
  HostObservation const& observation;
  HostEgaOptions const& options;
};

/// The origin of the atmosphere of a calculation.
enum class Air {
  given,  ///< from the user: unphysical spectra are an error
  trial   ///< from a retrieval, which can try another one: unphysical values become NaN
};

/// Spectra of rays that have not been computed yet: radiances and transmittances are NaN, everything else is 0.
HostSpectra unknown_spectra(HostThreads const& threads, int nray, int nchannel);

/// \brief Host memory of spectra [bytes].
std::size_t spectra_bytes(int nray, int nchannel);

/// What an atmosphere has, apart from its values.
struct AtmosphereSizes {
  int ngas, nwindow;
  std::optional<std::size_t> cloud_nodes, surface_nodes;  ///< none without cloud or surface
};

/// \brief Checks a problem for atmospheres of some sizes.
/// \param where opens the messages where the problem has no name
/// \throws parhelion::Error where it is bad, or does not fit the sizes
void check_problem(Problem const& problem, AtmosphereSizes const& sizes, std::string const& where);

/// \param where opens the messages where the problem has no name
/// \throws parhelion::Error where problem, atmosphere and observation are bad or do not fit together
void validate_problem(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                      std::string const& where = "compute_spectra");

/// \brief The atmosphere that is computed: within range unless it is to be extrapolated, and hydrostatic if requested.
/// \param counts overwritten
/// \throws parhelion::Error as in_valid_range
HostAtmosphere computed_atmosphere(Problem const& problem, HostAtmosphere const& atmosphere, OutOfRange what,
                                   OutOfRangeCounts& counts, std::string const& where);

/// \brief The plan of forward().
/// \param copies number of copies of the profiles and rays of the call
/// \param report its plan is overwritten
template <KokkosExecutionSpace Space>
void plan_forward(Space const& space, Call const& call, int copies, KeptModel& kept, HostEgaReport& report);

/// Radiances and transmittances of pencil beams. NaN for rays after the caller has stopped the call.
template <KokkosExecutionSpace Space>
HostSpectra forward(Space const& space, Call const& call, KeptModel& kept, HostEgaReport& report);

/// Whether the caller has stopped the call before it was complete.
bool was_stopped(Call const& call, HostEgaReport const& report);

/// \brief Detects unphysical spectra: radiances below 0 or above those of a black body at the highest temperature,
///        transmittances outside [0, 1], and values that are not finite.
///
/// Tolerates rounding, and emissivities above 1 due to extrapolation. Radiances may be higher with sunlight and with
/// temperatures out of range. Trial atmospheres with negative amounts, for which radiances continue linearly, are only
/// checked for finite values.
///
/// \param spectra of pencil beams or of a field of view, before the conversion to brightness temperatures
/// \throws parhelion::Error for a given atmosphere
void check_plausible(HostThreads const& threads, Problem const& problem, HostAtmosphere const& atmosphere,
                     HostObservation const& observation, HostSpectra const& spectra, Air air);

/// compute_spectra of a call.
template <KokkosExecutionSpace Space>
HostSpectra spectra_of(Space const& space, Call const& call, KeptModel& kept, HostEgaReport& report, Air air);

/// \brief compute_jacobian of a call.
/// \param kept_in_double for differences if the options ask for single precision
template <KokkosExecutionSpace Space>
HostJacobian jacobian_of(Space const& space, Call const& call, ElementChoice const& choice, JacobianMethod method,
                         KeptModel& kept, KeptModel& kept_in_double, HostEgaReport& report, Air air);

/// \brief Field of view, brightness temperature and mask, in place.
/// \throws parhelion::Error as check_plausible, before and after the field of view
void finish_spectra(HostThreads const& threads, Problem const& problem, HostAtmosphere const& atmosphere,
                    HostObservation const& observation, HostSpectra const& spectra, Air air);

/// The same for an atmosphere with one perturbed value: spectra only have to be finite.
void finish_moved_spectra(Problem const& problem, HostObservation const& observation, HostSpectra const& spectra,
                          Air air);

/// \brief How hydrostatic pressures depend on temperature and water vapour: derivatives of ln(p(i + 1) / p(i)) by those
///        of levels i and i + 1, and which level keeps its pressure.
struct HydrostaticSlopes {
  int kept = 0;
  int water = -1;                                       ///< index of the gas; -1: none
  std::vector<std::array<double, 2>> by_temperature;    ///< [K-1], (interval)
  std::vector<std::array<double, 2>> by_mole_fraction;  ///< (interval)
};

/// The slopes of make_hydrostatic in one profile.
HydrostaticSlopes hydrostatic_slopes(HostAtmosphere const& atmosphere, int profile, double reference);

}  // namespace parhelion::ega::Impl

#endif
