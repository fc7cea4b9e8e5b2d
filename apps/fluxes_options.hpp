// SPDX-License-Identifier: BSD-3-Clause
// The options of `parhelion fluxes`.
#ifndef PARHELION_APPS_FLUXES_OPTIONS_HPP
#define PARHELION_APPS_FLUXES_OPTIONS_HPP

#include "choices.hpp"
#include "common_options.hpp"

#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>
#include <parhelion/fluxes/shortwave.hpp>
#include <parhelion/io/radiation_files.hpp>

#include <optional>
#include <string>
#include <vector>

namespace parhelion::Apps {

enum class GasOpticsModel { rrtmg, simple };

struct FluxesArguments {
  std::string atmosphere;
  std::string output;
  bool longwave = false;   ///< asked for by name
  bool shortwave = false;  ///< the same
  GasOpticsModel gas_optics = GasOpticsModel::rrtmg;
  std::vector<std::string> coefficients;
  fluxes::Transmittance transmittance = fluxes::Transmittance::exact;
  std::string experiment = "all";
  bool extra_layer = false;
  bool derivative = false;
  bool bands = false;
  std::optional<fluxes::Overlap> overlap;
  std::string seed;
  std::string decorrelation_length;
  std::optional<int> day;
  std::optional<fluxes::IceOptics> ice_optics;
  std::optional<fluxes::LiquidOptics> liquid_optics;
  // Of the shortwave alone.
  std::optional<fluxes::SolarVariability> sun;
  std::optional<fluxes::DirectBeam> direct;
  std::optional<fluxes::Band28Level> band28_level;
  std::optional<io::BandOrder> band_order;
  CommonOptions common;

  bool simple() const { return gas_optics == GasOpticsModel::simple; }
  /// Whether a range is computed: the longwave, unless only the shortwave was asked for.
  bool has_longwave() const { return longwave || !shortwave; }
  bool has_shortwave() const { return shortwave; }
  bool has_both() const { return has_longwave() && has_shortwave(); }
};

Choices<fluxes::Transmittance> const& transmittances();
Choices<fluxes::SolarVariability> const& suns();
Choices<fluxes::DirectBeam> const& direct_beams();
Choices<fluxes::Band28Level> const& band28_levels();
Choices<io::BandOrder> const& band_orders();

/// Adds all options but those that subcommands have in common.
void add_fluxes_options(CLI::App& command, FluxesArguments& arguments);

/// \brief What to read from the atmosphere, but for the part of a rank.
/// \throws CLI::ValidationError where options exclude each other
io::RadiationOptions reading_options(FluxesArguments const& arguments);

}  // namespace parhelion::Apps

#endif
