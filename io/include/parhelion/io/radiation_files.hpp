// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_RADIATION_FILES_HPP
#define PARHELION_IO_RADIATION_FILES_HPP

#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/model_description.hpp>
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>
#include <parhelion/fluxes/shortwave_clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/fluxes/sun.hpp>
#include <parhelion/fluxes/validity.hpp>
#include <parhelion/io/coefficient_kind.hpp>
#include <parhelion/io/file_sharing.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/provenance.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::io {

/// The layouts of atmosphere files.
enum class RadiationLayout {
  column,  ///< plev, tlev (column, level), play, tlay, h2ovmr, ... (column, layer), tsfc (column), emis (column[,
           ///< band])
  rfmip,   ///< pres_level (site, level), temp_level (expt, site, level), carbon_dioxide_GM (expt), ...
  ecrad,   ///< ecRad's and CKDMIP's: pressure_hl, temperature_hl (column, level), h2o_mole_fraction[_fl] (column,
           ///< layer), skin_temperature (column), ...
  rte  ///< RTE+RRTMGP's: plev, tlev (column, level), play, tlay, vmr_h2o, ... (column, layer), tsfc, emissivity, ...
};

/// In which order files have the 14 bands of the shortwave. G-points are always in the order of RRTMG_SW.
enum class BandOrder {
  original,   ///< RRTMG_SW's: from 2600 to 50000 cm-1, and 820-2600 cm-1 as the last
  wavenumber  ///< 820-2600 cm-1 as the first
};

/// The band of RRTMG_SW, from 0, that a file has at an index, from 0.
int band_of_file(BandOrder order, int index);

/// \brief Options for the clouds of a file in the column layout.
///
/// Overlap, seed and decorrelation length are of clouds of layers and refused with any other file; optics of particles
/// are refused with files that say them, or have no clouds. Where `icld` is 0 in all columns nothing of this counts.
/// The shortwave takes its flags for those of the longwave below, and has no optics for all bands.
struct CloudOptions {
  std::optional<fluxes::Overlap> overlap = {};  ///< otherwise that of the file's `icld`, otherwise maximum_random
  std::optional<std::uint64_t> seed = {};       ///< of the subcolumns, otherwise 0
  /// [m], > 0, with exponential overlaps only; otherwise fluxes::default_decorrelation_length.
  std::optional<double> decorrelation_length = {};
  /// Day of the year, 1 .. 366, for decorrelation lengths that depend on it and on the file's `lat`.
  std::optional<int> day = {};
  std::optional<fluxes::IceOptics> ice_optics = {};        ///< otherwise that of `iceflglw`, otherwise fu
  std::optional<fluxes::LiquidOptics> liquid_optics = {};  ///< otherwise that of `liqflglw`, otherwise hu_stamnes
  /// Whether to accept finite values that are out of range, because HostLongwaveOptions::clip_clouds will clip them.
  /// With OutOfRange::clip they are always accepted.
  bool clip = false;
};

/// \brief What the gas optics of one range of wavelengths ask of a file.
///
/// Gases that are in neither list are not read.
struct RangeNeeds {
  std::vector<fluxes::Gas> required;  ///< gases that the file must have
  std::vector<fluxes::Gas> further;   ///< gases that are read where the file has them, and zero where not
  int nband;                          ///< bands of the surface, of aerosol and of results, > 0
  int ngpoint;                        ///< g-points of clouds, > 0
  /// Whether temperatures of levels count, of which those of layers are means: ModelDescription::uses_levels.
  bool uses_levels = false;
};

RangeNeeds rrtmg_lw_needs();  ///< everything but CO is required
RangeNeeds rrtmg_sw_needs();  ///< H2O, CO2, O3, CH4, O2
RangeNeeds simple_needs();    ///< H2O and CO2

/// Where the temperatures at levels come from.
enum class LevelTemperatures {
  file,        ///< they must be there, where the gas optics need them
  interpolate  ///< from the layers: see fluxes::rrtmgp::interpolate_level_temperatures()
};

/// What to read from an atmosphere file.
struct RadiationOptions {
  // The ranges whose input is read, one of them or both. Input of the other one is read past.
  bool longwave = true;
  bool shortwave = false;

  /// The experiment of an RFMIP file, counted from 1, or "all". A column file has only "all".
  std::string experiment = "all";

  /// The model of both ranges. `vmr` has fluxes::ngas gases for `rrtmg` and `simple`, and fluxes::ngas_all for others.
  GasOpticsModel model = GasOpticsModel::rrtmg;
  /// What it needs for each range; only ranges that are asked for count.
  RangeNeeds longwave_needs = rrtmg_lw_needs();
  RangeNeeds shortwave_needs = rrtmg_sw_needs();

  CloudOptions clouds = {};

  /// The sun of files without `isolvar`, otherwise mean_cycle; refused with files that have it.
  std::optional<fluxes::SolarVariability> sun = {};
  /// Of the arrays over bands of the shortwave in the file, and of its results.
  BandOrder band_order = BandOrder::original;

  /// The range of validity of the gas optics, and what to do with values outside it: `clip` replaces finite values by
  /// the nearest end of the range, `extrapolate` accepts all values that are physically possible.
  fluxes::Validity validity = fluxes::rrtmg_validity;
  OutOfRange out_of_range = OutOfRange::refuse;

  /// RRTMGP: the top level of files in the RFMIP layout is raised to at least this pressure [Pa], as in the example of
  /// RTE+RRTMGP.
  std::optional<double> least_top_pressure = {};
  LevelTemperatures level_temperatures = LevelTemperatures::file;
  /// Of files without one, for direct and diffuse radiation, 0..1; refused with files that have an albedo.
  std::optional<double> albedo = {};
  /// Cosine of the solar zenith angle of files without it, -1..1; refused with files that have it.
  std::optional<double> cos_zenith = {};
  /// Solar irradiance of models other than RRTMG where the file has none [W m-2].
  double solar_irradiance = 1361.;
  /// ecCKD: how much values of intervals of wavenumber count in each g-point, see fluxes::ecckd::interval_weights(); by
  /// these emissivities and albedos of intervals become those of g-points. Without, they are refused.
  std::function<std::vector<double>(std::vector<double> const& between)> emissivity_weights = {};
  std::function<std::vector<double>(std::vector<double> const& between)> albedo_weights = {};
  /// Of shortwave models with two bands: the share of each band, or of each g-point, from 16000 cm-1 up, by which
  /// albedos of the two ranges become theirs. Empty for other models, whose solvers take both ranges as they are.
  std::vector<double> uvvis_shares = {};
  // RRTMGP and ecCKD: whether there are tables of clouds and, with RRTMGP, of aerosol, without which they are refused;
  // the sizes of particles are those of `validity`.
  bool cloud_optics = false;
  bool aerosol_optics = false;

  /// \brief Where several processes share a file: the columns, or sites of an RFMIP file, that this one reads.
  ///
  /// Nothing is read of a part without any. Flags are checked for the whole file, whichever part is read.
  Part part = {};
};

/// Atmospheric columns and what the result file repeats of their file.
struct RadiationInput {
  std::string path;  ///< the file
  RadiationLayout layout = RadiationLayout::column;
  bool top_first = false;          ///< whether index 0 of the file's levels is the top
  std::vector<fluxes::Gas> gases;  ///< those that have been read, which the file offers
  /// Whether columns.temperature_lev holds temperatures that the file gave, rather than interpolated ones or none.
  bool level_temperatures = false;
  /// Layer 0 at the surface; column = experiment * nsite + site. Where only the shortwave was asked for, what it does
  /// not need is empty.
  fluxes::HostColumns columns;
  ItemRange sites;                                 ///< the columns, or sites of each experiment, that have been read
  fluxes::HostClouds clouds;                       ///< none where the file has none, or `icld` is 0 in all columns
  bool has_clouds = false;                         ///< whether the file has variables of clouds, even if `icld` is 0
  fluxes::HostShortwaveColumns shortwave_columns;  ///< shares arrays with columns; empty where not asked for
  fluxes::HostShortwaveClouds shortwave_clouds;    ///< as clouds
  bool shortwave_has_clouds = false;               ///< as has_clouds
  /// Total solar irradiance of each column across the beam, with the distance of the sun [W m-2]; empty for RRTMG,
  /// whose sun is in shortwave_columns.
  HostArray<double*> solar_irradiance;
  /// RRTMGP: indices of faculae (Mg II) and of sunspots of each column, (column, 2), NaN where those of the
  /// coefficients count; empty where the file has none.
  HostArray<double**> solar_indices;
  /// Beside solar_indices: factor of the irradiance that the spectrum has with them, (column); where it is 0
  /// solar_irradiance counts.
  HostArray<double*> solar_spectrum_factor;
  BandOrder band_order = BandOrder::original;  ///< of the options
  bool derivative = false;                     ///< whether `idrv` of the file asks for derivatives of the upward flux
  int nsite = 0;                               ///< columns of one experiment that have been read
  int nsite_of_file = 0;                       ///< columns of one experiment in the file
  std::vector<int> experiments;                ///< RFMIP: those read, counted from 1; empty for a column file
  std::vector<std::string> experiment_labels;  ///< RFMIP: their names, empty where the file has none
  // Of all sites of the file, whichever part is read; only the first part has them.
  std::vector<std::string> column_labels;  ///< column file: `column_label`, empty where the file has none
  std::vector<double> profile_weight;      ///< RFMIP: weights of the global mean (site), empty if not there
  std::vector<double> latitude;            ///< degrees north (site), empty where the file has none
  std::vector<double> longitude;           ///< degrees east (site), empty where the file has none
  /// By variable of the file, values out of range that have been read. Those with none are left out where the whole
  /// file is read.
  OutOfRangeCounts out_of_range;
};

/// \brief Removes kinds of aerosol that no column has, whose optical depths are all 0.
/// \param columns changed
/// \param optical whether any optical depth of aerosol that is given by its properties is positive
/// \param types   the same of that of RRTMG_SW's types
void drop_aerosol_without_depth(fluxes::HostShortwaveColumns& columns, bool optical, bool types);

/// \brief Reads and checks the atmosphere of flux calculations from an HDF5 or netCDF-4 file.
///
/// The layout is recognized by the names of the variables, the vertical order by pressure, units by the attribute
/// `units`. Pressures may be in Pa, hPa, mbar or kPa, temperatures in K, gases as mixing ratios to dry air in "mol
/// mol-1", "1", ppmv, ppbv, pptv or a number such as "1.e-6", water paths in g m-2 or kg m-2, sizes of particles in um,
/// micron, micrometer or m.
///
/// Pressures and temperatures must be positive (but the pressure of the top interface, which may be 0) and, like mole
/// ratios, where the gas optics are valid; emissivities and cloud fractions from 0 to 1, optical depths and water paths
/// at least 0, and sizes within the range of their optics where there is such water in a cloud; latitudes from -90 to
/// 90, longitudes from -180 to 360, labels UTF-8. Shapes are compared before values are read.
///
/// The column layout may hold clouds, of g-points or of layers, and aerosol; docs/reference/files/columns.md lists
/// the variables. Where both ranges are asked for, both must have clouds, or none, and the same with aerosol.
///
/// The layout of RTE+RRTMGP may hold clouds and aerosol as well. In ecRad's, the pressure of a layer is the mean of
/// those of its levels, and its temperature theirs weighted by pressure; ecCKD takes the latter in all layouts. Layouts
/// and models are independent, except that arrays over bands must be of the model's own.
///
/// \throws parhelion::Error naming file, variable, index (as in the file, from 0), what was found and what was expected
///         where a variable is missing, of the wrong shape or in unknown units; where a value is not finite, missing,
///         or out of its range; where the columns would not fit into memory; where pressure is not monotone or a
///         layer's lies outside its column; where an option asks for what the file does not have; and where the file
///         holds input that would be ignored, such as clouds in the RFMIP layout
RadiationInput read_radiation_input(std::string const& path, RadiationOptions const& options = {});

/// The results of the ranges that were computed, one or both.
struct RadiationResult {
  std::optional<fluxes::HostFluxes> longwave = {};
  std::optional<fluxes::HostShortwaveFluxes> shortwave = {};
  // The bands of the model; RRTMG's where they are empty.
  std::vector<fluxes::BandLimits> longwave_bands = {};
  std::vector<fluxes::BandLimits> shortwave_bands = {};
};

/// \brief Writes fluxes and heating rates as a netCDF-4 file in the vertical order and layout of the input's file.
///
/// Of the longwave, a column file (of any layout but RFMIP's) gives flux_up, flux_dn, flux_net (column, level) and
/// heating_rate (column, layer); an RFMIP file rlu, rld (expt, site, level) and heating_rate (expt, site, layer), where
/// expt keeps length 1 for one experiment. Then come the further arrays that the fluxes have: flux_up_clear,
/// flux_dn_clear, flux_net_clear, heating_rate_clear; dflux_up_dt, dflux_up_clear_dt, lw_derivative (of surface_share);
/// flux_up_band, flux_dn_band (..., band) and the limits of the bands.
///
/// Of the shortwave, a column file gives its arrays under their names in ShortwaveFluxes with sw_ before them, and
/// sw_flux_net; an RFMIP file rsu, rsd, sw_flux_dn_direct and sw_heating_rate. Fluxes of bands (..., sw_band) are in
/// the order of `input.band_order`, with the limits of the bands. Where there are both, heating_rate_total is their
/// sum.
///
/// Pressures [Pa], places and labels are repeated from the input.
///
/// \param path       name of the file, replaced at the end if it exists
/// \param input      what read_radiation_input returned
/// \param result     for the columns of the input, in their order; arrays that are empty are not written
/// \param provenance global attributes
/// \param type       type of the fluxes and heating rates in the file
/// \param sharing    processes that have read a part of the file each and write this one together, collectively;
///                   nullptr: this process has all columns
/// \throws parhelion::Error when extents differ, a value is not finite, or the file cannot be written; the old file, if
///         any, is then still there
void write_fluxes(std::string const& path, RadiationInput const& input, RadiationResult const& result,
                  Provenance const& provenance, NetcdfType type = NetcdfType::float64,
                  FileSharing const* sharing = nullptr);

/// The same for the longwave alone.
void write_fluxes(std::string const& path, RadiationInput const& input, fluxes::HostFluxes const& fluxes,
                  Provenance const& provenance, NetcdfType type = NetcdfType::float64);

}  // namespace parhelion::io

#endif
