// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_RADIATION_FILES_HPP
#define PARHELION_IO_RADIATION_FILES_HPP

#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/provenance.hpp>
#include <parhelion/rrtmg/columns.hpp>

#include <string>
#include <vector>

namespace parhelion::io {

/// The two layouts of atmosphere files.
enum class RadiationLayout {
  column,  ///< plev, tlev (column, level), play, tlay, h2ovmr, ... (column, layer), tsfc (column), emis (column[,
           ///< band])
  rfmip    ///< pres_level (site, level), temp_level (expt, site, level), carbon_dioxide_GM (expt), ...
};

/// What is read of an atmosphere file.
struct RadiationOptions {
  /// The experiment of an RFMIP file, counted from 1, or "all". A column file has only "all".
  std::string experiment = "all";

  /// Gases that the gas optics cannot do without; others are read where the file has them and zero where not.
  /// By default what RRTMG_LW needs: everything but CO.
  std::vector<rrtmg::Gas> required_gases = {rrtmg::Gas::h2o,   rrtmg::Gas::co2,  rrtmg::Gas::o3,   rrtmg::Gas::n2o,
                                            rrtmg::Gas::ch4,   rrtmg::Gas::o2,   rrtmg::Gas::ccl4, rrtmg::Gas::cfc11,
                                            rrtmg::Gas::cfc12, rrtmg::Gas::cfc22};
};

/// Atmospheric columns and what the result file repeats of their file.
struct RadiationInput {
  std::string path;  ///< the file
  RadiationLayout layout = RadiationLayout::column;
  bool top_first = false;                      ///< whether index 0 of the file's levels is the top
  rrtmg::HostColumns columns;                  ///< layer 0 at the surface; column = experiment * nsite + site
  int nsite = 0;                               ///< columns of one experiment
  std::vector<int> experiments;                ///< RFMIP: those read, counted from 1; empty for a column file
  std::vector<std::string> experiment_labels;  ///< RFMIP: their names, empty where the file has none
  std::vector<std::string> column_labels;      ///< column file: `column_label`, empty where the file has none
  std::vector<double> profile_weight;          ///< RFMIP: weights of the global mean (nsite), empty if not there
  std::vector<double> latitude;                ///< degrees north (nsite), empty where the file has none
  std::vector<double> longitude;               ///< degrees east (nsite), empty where the file has none
};

/// \brief Reads and checks the atmosphere of longwave flux calculations from an HDF5 or netCDF-4 file.
///
/// The layout is recognised by the names of the variables, the vertical order by pressure, units by the attribute
/// `units`. Pressures may be in Pa, hPa, mbar or kPa, temperatures in K, gases as mole ratios to dry air in "mol
/// mol-1", "1", ppmv, ppbv, pptv or a number such as "1.e-6".
///
/// Pressures and temperatures must be positive (but the pressure of the top interface, which may be 0), mole ratios and
/// emissivities from 0 to 1.
///
/// \throws parhelion::Error naming file, variable, index (as in the file, from 0), what was found and what was expected
///         where a variable is missing, of the wrong shape or in unknown units; where a value is not finite, missing,
///         or out of its range; where pressure is not monotone or a layer's lies outside its column; and where
///         the file holds input that clear-sky calculations would have to ignore, such as clouds
RadiationInput read_radiation_input(std::string const& path, RadiationOptions const& options = {});

/// \brief Writes fluxes and heating rates as a netCDF-4 file in the vertical order and layout of the input's file.
///
/// A column file gives flux_up, flux_dn, flux_net (column, level) and heating_rate (column, layer); an RFMIP file
/// rlu, rld (expt, site, level) and heating_rate (expt, site, layer), where expt keeps length 1 for one experiment.
/// Pressures [Pa], places and labels are repeated from the input.
///
/// \param path       name of the file, replaced at the end if it exists
/// \param input      what read_radiation_input returned
/// \param fluxes     result for input.columns, in its order
/// \param provenance global attributes
/// \param type       type of the fluxes and heating rates in the file
/// \throws parhelion::Error when extents differ, a value is not finite, or the file cannot be written; the old file, if
///         any, is then still there
void write_fluxes(std::string const& path, RadiationInput const& input, rrtmg::HostFluxes const& fluxes,
                  Provenance const& provenance, NetcdfType type = NetcdfType::float64);

}  // namespace parhelion::io

#endif
