// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_JURASSIC_FILES_HPP
#define PARHELION_IO_JURASSIC_FILES_HPP

#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/channels.hpp>
#include <parhelion/ega/continua.hpp>
#include <parhelion/ega/field_of_view.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/io/file_sharing.hpp>
#include <parhelion/io/jurassic_control.hpp>
#include <parhelion/io/provenance.hpp>

#include <limits>
#include <string>
#include <vector>

// Text files of JURASSIC. They hold kilometres, hectopascals and extinctions per kilometre, memory holds SI units;
// readers and writers convert. In all of them blank lines, and comments from a `#` to the end of the line, are ignored.
// Readers throw parhelion::Error naming file, line, what was found and what was expected: for files that are missing or
// empty, for lines with more or fewer columns or with a word that is not a number, and for the further reasons given
// with each reader. Writers write under a temporary name and rename: where they throw, the old file, if any, is
// unchanged.
namespace parhelion::io {

/// Digits of numbers in text files as JURASSIC itself writes them, and enough of them to read back the same numbers.
inline constexpr int jurassic_digits = 6;
inline constexpr int all_digits = 17;

/// \brief Reads an atmosphere: a line a level with time, altitude, longitude, latitude, pressure, temperature, mixing
///        ratios, extinctions, then of a cloud its height, depth and extinctions, and of the surface its altitude,
///        pressure, temperature and emissivities, each where the control file has them.
///
/// Cloud and surface are those of the first line. A cloud whose depth is not above 0 is none, as in the model.
/// \throws parhelion::Error also for altitudes that do not ascend, pressures and temperatures that are not positive,
///         negative extinctions, emissivities outside [0, 1], values that are not finite, and where ega::validate
///         refuses
ega::HostAtmosphere read_jurassic_atmosphere(std::string const& path, JurassicControl const& control);

/// \brief Writes an atmosphere in the same form.
/// \param path       file to write
/// \param atmosphere of one profile
/// \param digits     of numbers, 1 to 17
void write_jurassic_atmosphere(std::string const& path, ega::HostAtmosphere const& atmosphere,
                               int digits = jurassic_digits);

/// \brief Reads rays: a line each with time, observer, view point and tangent point (altitude, longitude, latitude), a
///        radiance and a transmittance for each channel of the control file.
///
/// A radiance that is NaN is masked. Tangent points and transmittances are results, not input.
/// \param path            file to read
/// \param control         says how many channels there are
/// \param lowest_observer altitude of the ground [m], see ega::lowest_altitude
/// \param measured        where it is not null, the radiances [W m-2 sr-1 (cm-1)-1] or brightness temperatures [K] of
///                        the file, (ray, channel): what a retrieval has measured. NaN where they are masked
/// \throws parhelion::Error also for times and positions that are not finite, a view point that is the observer, and
///         an observer below the ground
ega::HostObservation read_jurassic_observation(std::string const& path, JurassicControl const& control,
                                               double lowest_observer = -std::numeric_limits<double>::infinity(),
                                               HostArray<double**>* measured = nullptr);

/// \brief Writes radiances (or brightness temperatures) and transmittances in the form of an observation, as JURASSIC
///        does.
void write_jurassic_radiances(std::string const& path, ega::HostObservation const& observation,
                              ega::HostSpectra const& spectra, JurassicControl const& control,
                              int digits = jurassic_digits);

/// \brief Writes a Jacobian as JURASSIC does: a line an element of the matrix. Rows are rays and their channels without
///        masked ones. Derivatives are by hPa and km-1.
void write_kernel(std::string const& path, ega::HostObservation const& observation,
                  ega::HostAtmosphere const& atmosphere, ega::HostJacobian const& jacobian,
                  JurassicControl const& control, int digits = jurassic_digits);

/// \brief Writes lines of sight point by point, one after the other, each with a header that names its ray and the
///        columns. Columns of a channel stand together. Comments at the end say what the surface emits.
/// \param path             file to write
/// \param lines_of_sight   of single rays
/// \param observation      all rays
/// \param control          names gases and channels
/// \param observation_path what the headers say the rays are from
/// \param digits           of numbers, 1 to 17
void write_lines_of_sight(std::string const& path, std::vector<ega::HostLineOfSight> const& lines_of_sight,
                          ega::HostObservation const& observation, JurassicControl const& control,
                          std::string const& observation_path, int digits = jurassic_digits);

/// \brief Reads a filter: lines of wavenumber [cm-1] and weight.
///
/// Apodized spectrometers have weights below 0.
/// \throws parhelion::Error also for fewer than two lines, wavenumbers that do not ascend, and weights whose sum is not
///         above 0
ega::Filter read_filter(std::string const& path);

/// \brief Reads continuum coefficients: ctmco2.txt, ctmh2o.txt and ctmh2o_xfcrev.txt, ctmn2.txt, ctmo2.txt.
/// \param folder   where the files are
/// \param switches those that are off are not read
/// \throws parhelion::Error also for fewer than two lines and wavenumbers that do not ascend
ega::ContinuumTables read_continua(std::string const& folder, ega::ContinuumSwitches const& switches);

/// \brief Reads a field of view: lines of an offset [km] and a weight.
/// \throws parhelion::Error also for fewer than two lines and weights whose sum is not above 0
ega::FieldOfView read_field_of_view(std::string const& path);

/// Mean profiles over altitude.
struct Climatology {
  std::string path;                                ///< the file
  std::vector<std::string> gases;                  ///< (gas)
  std::vector<double> altitude;                    ///< [m], ascending
  std::vector<double> pressure;                    ///< [Pa]
  std::vector<double> temperature;                 ///< [K]
  std::vector<std::vector<double>> mole_fraction;  ///< mole fraction [1], (gas)(level)
};

/// \brief Reads a climatology: lines of altitude [km], pressure [hPa], temperature [K] and mole fractions. The last
///        comment before them ends with a colon and the names of the gases.
Climatology read_climatology(std::string const& path);

/// \brief An atmosphere of one profile out of a climatology.
///
/// The logarithm of pressure and everything else are linear in altitude; the first and the last interval extrapolate.
/// Extinctions are zero. Where the climatology has no CO2 it is 371.789948 ppm at 2002-01-01 and grows by 2.026214 ppm
/// in 365.25 days, the same at all altitudes.
/// \param climatology mean profiles
/// \param altitude    of the levels [m], ascending
/// \param gases       names, whatever their case
/// \param time        [s] since 2000-01-01T00:00Z
/// \param nwindow     number of extinction profiles
/// \throws parhelion::Error for gases that are not there, and where ega::validate refuses
ega::HostAtmosphere climatological_atmosphere(Climatology const& climatology, std::vector<double> const& altitude,
                                              std::vector<std::string> const& gases, double time, int nwindow);

/// \brief Writes radiances and transmittances over (ray, channel) as a netCDF-4 file, with tangent points, observers,
///        view points and times of the rays and wavenumbers of the channels. NaN stands for masked radiances.
/// \param path                   file to write
/// \param observation            rays
/// \param spectra                results, (ray, channel)
/// \param channels               of the spectra
/// \param brightness_temperature whether it is these that `spectra` holds for radiances
/// \param provenance             attributes of the file
/// \param rays                   where processes write the file together, collectively: which of its rays
///                               `observation` and `spectra` are, perhaps none; otherwise they are all
void write_spectra_netcdf(std::string const& path, ega::HostObservation const& observation,
                          ega::HostSpectra const& spectra, ega::Channels const& channels, bool brightness_temperature,
                          Provenance const& provenance, SharedItems const& rays = {});

}  // namespace parhelion::io

#endif
