// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_C_COEFFICIENTS_HPP
#define PARHELION_C_COEFFICIENTS_HPP

#include <parhelion/fluxes/ecckd/definition.hpp>
#include <parhelion/fluxes/gas_set.hpp>
#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>
#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>
#include <parhelion/fluxes/rrtmgp/particles.hpp>
#include <parhelion/io/coefficient_kind.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace parhelion::C {

/// \brief The coefficients of RRTMG_LW; those of one file are kept while any object uses them.
/// \param path the file; empty: searched in PARHELION_DATA, then in the working folder, then where io::find_data_file
///             searches
/// \throws FileError
std::shared_ptr<fluxes::Coefficients const> rrtmg_lw_coefficients(std::string const& path);

/// The same of RRTMG_SW.
std::shared_ptr<fluxes::ShortwaveCoefficients const> rrtmg_sw_coefficients(std::string const& path);

/// What the options of both ranges say of gas optics; texts are empty where they are not given.
struct GasOpticsOptions {
  std::int32_t model;  ///< PARHELION_GAS_OPTICS_...
  std::string coefficients, cloud_optics, aerosol_optics, gases;
  std::int32_t ice_roughness;
  std::string droplet_scattering, ice_scattering;
  std::int32_t cloud_averaging;  ///< PARHELION_CLOUD_AVERAGING_...
};

/// \brief The gas optics of an object, and the data of those that are no RRTMG; data of one file are kept while any
///        object uses them.
struct GasOptics {
  io::GasOpticsModel model = io::GasOpticsModel::rrtmg;
  std::shared_ptr<fluxes::ecckd::Definition const> ecckd = {};
  std::shared_ptr<fluxes::rrtmgp::KDistribution const> rrtmgp = {};
  std::shared_ptr<fluxes::rrtmgp::CloudOptics const> clouds = {};  ///< of RRTMGP, or averaged for ecCKD
  std::shared_ptr<fluxes::rrtmgp::AerosolOptics const> aerosol = {};
  fluxes::GasSet offered = fluxes::GasSet::all();  ///< to RRTMGP others do not exist
  int ice_roughness = fluxes::rrtmgp::default_ice_roughness;

  fluxes::rrtmgp::Particles particles() const { return {clouds.get(), aerosol.get(), ice_roughness}; }
};

/// \brief Chooses the model and reads its files, but not those of RRTMG.
/// \param longwave the range
/// \throws FileError where a file is missing, bad, of another model or of the other range; ArgumentError on an option
///         that the model does not have
GasOptics gas_optics_of(char const* where, bool longwave, GasOpticsOptions const& options);

}  // namespace parhelion::C

#endif
