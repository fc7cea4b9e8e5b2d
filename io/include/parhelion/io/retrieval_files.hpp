// SPDX-License-Identifier: BSD-3-Clause
// The further input of a retrieval from JURASSIC's files (noise and prior errors), and the file of its result.
#ifndef PARHELION_IO_RETRIEVAL_FILES_HPP
#define PARHELION_IO_RETRIEVAL_FILES_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/io/jurassic_control.hpp>
#include <parhelion/io/provenance.hpp>
#include <parhelion/retrieval/retrieve.hpp>

#include <optional>
#include <string>
#include <vector>

namespace parhelion::io {

// --- noise -------------------------------------------------------------------------------------------------------

/// \brief The number of a text such as `0.5` or `0.5%`, blanks before the sign allowed; nothing where it is no number,
///        and then may be the name of a file.
/// \throws parhelion::Error for a number that is not from 1e-9 to 1e9
std::optional<double> noise_percentage(std::string const& text);

/// \brief Noise of each channel as a share of its strongest radiance: the largest absolute value of all rays.
/// \param path    where the radiances are from, for messages
/// \param measured (ray, channel); NaN does not count
/// \param percent  > 0
/// \return standard deviation in the unit of the radiances, (channel); NaN where a channel has only NaN
/// \throws parhelion::Error where a channel has no other radiance than 0
std::vector<double> noise_of_strongest(std::string const& path, HostArray<double**> const& measured, double percent);

/// \brief Reads the noise of channels: a line each of wavenumber [cm-1] and standard deviation, in the unit of the
///        radiances: W m-2 sr-1 (cm-1)-1, or K where the control file has WRITE_BBT = 1.
///
/// Wavenumbers are those of the control file to four decimals, in any order; others are passed over.
/// \return (channel of the control file)
/// \throws parhelion::Error naming file and line, what was found and what was expected: also for a noise that is not
///         from 1e-30 to 1e30, a wavenumber that is there twice and a channel that is not there
std::vector<double> read_noise(std::string const& path, JurassicControl const& control);

/// The same noise for all rays: (ray, channel).
HostArray<double**> noise_of_rays(std::vector<double> const& noise, int nray);

// --- prior knowledge ---------------------------------------------------------------------------------------------

/// The a priori error of a quantity: `QUANTITY=VALUE,LENGTH_KM` or `QUANTITY=VALUE%,LENGTH_KM`.
struct PriorError {
  std::string quantity;           ///< as written, see retrieval_choice
  double value = 0;               ///< standard deviation [hPa, K, 1 or km-1], or [%] of the a priori value; > 0
  bool percent = false;           ///< which of the two
  double correlation_length = 0;  ///< vertical, [m], >= 0

  std::string text() const;  ///< as it is written
};

/// \brief Reads a text of this form.
/// \throws parhelion::Error where it has another form, VALUE is not from 1e-30 to 1e30 or LENGTH_KM not from 0 to 1e6
PriorError prior_error_of(std::string const& text);

/// \brief Name of the quantity of an element: pressure, temperature, the gas, extinction_window_0, ...
std::string quantity_name(ega::Element const& element, std::vector<std::string> const& gases);

/// \brief The elements that the RET* keys of a control file choose.
/// \throws parhelion::Error naming the control file where there are none
std::vector<ega::Element> chosen_elements(JurassicControl const& control, ega::HostAtmosphere const& atmosphere);

/// \brief The a priori error of every quantity of the state, in its order: the one that the user gave, else a default.
///
/// Quantities are `p` or `pressure`, `t` or `temperature`, the name of a gas, `k` for the extinctions of all windows,
/// `k0` or `extinction_window_0` or `EXTINCT_WINDOW_0` for that of a window, in small letters or capitals. Defaults are
/// p=1%,10, t=10,4, 50%,4 of a gas, and k=0.001,4.
/// \param control  names the gases
/// \param elements of the state
/// \param said     prior errors that the user gave
/// \return one for each quantity of the state, named by quantity_name
/// \throws parhelion::Error for a quantity that is unknown, not in the state or said twice
std::vector<PriorError> prior_errors_of_state(JurassicControl const& control, std::vector<ega::Element> const& elements,
                                              std::vector<PriorError> const& said);

/// \brief State and prior of a retrieval.
///
/// In percent, pressures are retrieved as logarithms, all else as ratios to the a priori value; otherwise elements are
/// values.
/// \param control    names the gases
/// \param atmosphere the a priori
/// \param path       of the file of the atmosphere, for messages
/// \param elements   of the state
/// \param errors     as prior_errors_of_state returns them
/// \throws parhelion::Error for an error in percent of an a priori value that is not positive
retrieval::RetrievalChoice retrieval_choice(JurassicControl const& control, ega::HostAtmosphere const& atmosphere,
                                            std::string const& path, std::vector<ega::Element> const& elements,
                                            std::vector<PriorError> const& errors);

// --- results -----------------------------------------------------------------------------------------------------

/// \brief Writes a retrieval as a netCDF-4 file.
///
/// Over (element): value, prior, prior_error, noise_error, smoothing_error, total_error in the SI unit that `unit`
/// says, response, altitude, pressure (of the result), quantity, unit, and state_scale, the change of the value by that
/// of the element of the state. Over (element, other_element): averaging_kernel, of elements of the state, so that its
/// trace is degrees_of_freedom and its rows sum to the response; covariance, of values, so that the roots of its
/// diagonal are the total errors. Over (ray, channel): radiance_fit, radiance_measured, and radiance_noise (channel).
/// Numbers of the file: degrees_of_freedom, chi_square, residual_chi_square, converged (1 or 0), iterations,
/// measurements, information_content. Elements are in the order of quantities, from the lowest level upwards.
/// \param path        file to write
/// \param retrieval   the result
/// \param choice      state and prior that it was made with
/// \param observation rays
/// \param measured    (ray, channel); NaN: not used
/// \param noise       (channel)
/// \param control     names gases and channels
/// \param provenance  attributes of the file
/// \throws parhelion::Error when shapes do not agree or the file cannot be written; what was there before stays then
void write_retrieval_netcdf(std::string const& path, retrieval::HostRetrieval const& retrieval,
                            retrieval::RetrievalChoice const& choice, ega::HostObservation const& observation,
                            HostArray<double**> const& measured, std::vector<double> const& noise,
                            JurassicControl const& control, Provenance const& provenance);

}  // namespace parhelion::io

#endif
