// SPDX-License-Identifier: BSD-3-Clause
// The options of `parhelion fluxes`.
#ifndef PARHELION_APPS_FLUXES_OPTIONS_HPP
#define PARHELION_APPS_FLUXES_OPTIONS_HPP

#include "choices.hpp"
#include "common_options.hpp"

#include <parhelion/fluxes/ecckd/cloud_optics.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>
#include <parhelion/fluxes/shortwave.hpp>
#include <parhelion/io/radiation_files.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::Apps {

using io::GasOpticsModel;

/// What the longwave of RRTMGP makes of scattering.
enum class LongwaveScattering { none, rescaling, two_stream };

/// The value of --angles that stands for one angle which depends on the optical depth.
inline constexpr int optimal_angle = 0;

struct FluxesArguments {
  std::string atmosphere;
  std::string output;
  bool longwave = false;                         ///< asked for by name
  bool shortwave = false;                        ///< the same
  std::optional<GasOpticsModel> gas_optics;      ///< as asked for
  GasOpticsModel model = GasOpticsModel::rrtmg;  ///< of the run: asked for, or that of the coefficient files
  std::vector<std::string> coefficients;
  fluxes::Transmittance transmittance = fluxes::Transmittance::exact;
  std::string experiment = "all";
  bool extra_layer = false;
  bool derivative = false;
  bool bands = false;
  std::optional<fluxes::Overlap> overlap;
  std::optional<std::uint64_t> seed;
  std::string decorrelation_length;
  std::optional<int> day;
  std::optional<fluxes::IceOptics> ice_optics;
  std::optional<fluxes::LiquidOptics> liquid_optics;
  io::LevelTemperatures level_temperatures = io::LevelTemperatures::file;
  // Of RRTMGP alone.
  std::vector<std::string> cloud_optics, aerosol_optics;
  std::optional<int> angles;  ///< 1 to 4, or optimal_angle
  std::optional<LongwaveScattering> scattering;
  std::optional<int> ice_roughness;
  // Of ecCKD alone.
  std::string droplet_scattering, ice_scattering;
  std::optional<fluxes::ecckd::CloudAveraging> cloud_averaging;
  // Of the shortwave alone.
  std::optional<double> albedo, mu0;
  std::optional<fluxes::SolarVariability> sun;
  std::optional<fluxes::DirectBeam> direct;
  std::optional<fluxes::Band28Level> band28_level;
  std::optional<io::BandOrder> band_order;
  CommonOptions common;

  bool simple() const { return model == GasOpticsModel::simple; }
  bool rrtmg() const { return model == GasOpticsModel::rrtmg; }
  /// Whether a range is computed: the longwave, unless only the shortwave was asked for.
  bool has_longwave() const { return longwave || !shortwave; }
  bool has_shortwave() const { return shortwave; }
  bool has_both() const { return has_longwave() && has_shortwave(); }
};

Choices<GasOpticsModel> const& gas_optics_models();
Choices<int> const& angle_choices();
Choices<LongwaveScattering> const& scatterings();
Choices<fluxes::ecckd::CloudAveraging> const& cloud_averagings();
Choices<fluxes::Transmittance> const& transmittances();
Choices<fluxes::SolarVariability> const& suns();
Choices<fluxes::DirectBeam> const& direct_beams();
Choices<fluxes::Band28Level> const& band28_levels();
Choices<io::BandOrder> const& band_orders();

/// Adds all options but those that subcommands have in common.
void add_fluxes_options(CLI::App& command, FluxesArguments& arguments);

/// \brief Refuses options that exclude each other, or that the model or the ranges of the run do not have.
/// \throws CLI::ValidationError naming the option
void check_options(FluxesArguments const& arguments);

/// \brief What to read from the atmosphere, but for what the model asks for, and the part of a rank.
/// \throws CLI::ValidationError where options exclude each other
io::RadiationOptions reading_options(FluxesArguments const& arguments);

}  // namespace parhelion::Apps

#endif
