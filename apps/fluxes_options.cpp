// SPDX-License-Identifier: BSD-3-Clause
#include "fluxes_options.hpp"
#include "number_checks.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace parhelion::Apps {

Choices<GasOpticsModel> const& gas_optics_models() {
  static auto const choices = [] {
    Choices<GasOpticsModel> all;
    for (auto const model :
         {GasOpticsModel::rrtmg, GasOpticsModel::rrtmgp, GasOpticsModel::ecckd, GasOpticsModel::simple})
      all.emplace_back(name_of(model), model);
    return all;
  }();
  return choices;
}

Choices<int> const& angle_choices() {
  static Choices<int> const choices{{"1", 1}, {"2", 2}, {"3", 3}, {"4", 4}, {"optimal", optimal_angle}};
  return choices;
}

Choices<LongwaveScattering> const& scatterings() {
  static Choices<LongwaveScattering> const choices{{"none", LongwaveScattering::none},
                                                   {"rescaling", LongwaveScattering::rescaling},
                                                   {"two-stream", LongwaveScattering::two_stream}};
  return choices;
}

Choices<fluxes::ecckd::CloudAveraging> const& cloud_averagings() {
  static Choices<fluxes::ecckd::CloudAveraging> const choices{{"thick", fluxes::ecckd::CloudAveraging::thick},
                                                              {"thin", fluxes::ecckd::CloudAveraging::thin}};
  return choices;
}

Choices<fluxes::Transmittance> const& transmittances() {
  static Choices<fluxes::Transmittance> const choices{{"exact", fluxes::Transmittance::exact},
                                                      {"table", fluxes::Transmittance::table}};
  return choices;
}

Choices<fluxes::SolarVariability> const& suns() {
  static Choices<fluxes::SolarVariability> const choices{{"kurucz", fluxes::SolarVariability::kurucz},
                                                         {"nrlssi2", fluxes::SolarVariability::mean_cycle}};
  return choices;
}

Choices<fluxes::DirectBeam> const& direct_beams() {
  static Choices<fluxes::DirectBeam> const choices{{"scaled", fluxes::DirectBeam::scaled},
                                                   {"unscaled", fluxes::DirectBeam::unscaled}};
  return choices;
}

Choices<fluxes::Band28Level> const& band28_levels() {
  static Choices<fluxes::Band28Level> const choices{{"42", fluxes::Band28Level::from_42},
                                                    {"58", fluxes::Band28Level::from_58}};
  return choices;
}

Choices<io::BandOrder> const& band_orders() {
  static Choices<io::BandOrder> const choices{{"original", io::BandOrder::original},
                                              {"wavenumber", io::BandOrder::wavenumber}};
  return choices;
}

namespace {

// In the order of RRTMG_LW's numbers for them.
Choices<fluxes::IceOptics> const ice_optics{{"all-bands", fluxes::IceOptics::all_bands},
                                            {"broad-bands", fluxes::IceOptics::broad_bands},
                                            {"streamer", fluxes::IceOptics::streamer},
                                            {"fu", fluxes::IceOptics::fu}};
Choices<fluxes::LiquidOptics> const liquid_optics{{"all-bands", fluxes::LiquidOptics::all_bands},
                                                  {"hu-stamnes", fluxes::LiquidOptics::hu_stamnes}};

// The cloud options of the command line.
// Throws CLI::ValidationError where options exclude each other.
io::CloudOptions cloud_options(FluxesArguments const& arguments) {
  io::CloudOptions options{.overlap = arguments.overlap,
                           .seed = arguments.seed,
                           .day = arguments.day,
                           .ice_optics = arguments.ice_optics,
                           .liquid_optics = arguments.liquid_optics};
  std::string const& length = arguments.decorrelation_length;
  bool const of_latitude = length == "latitude";
  if (of_latitude != arguments.day.has_value())
    throw CLI::ValidationError(of_latitude ? "--decorrelation-length" : "--day",
                               of_latitude ? "latitude needs --day" : "needs --decorrelation-length latitude");
  if (!length.empty() && !of_latitude) {
    double meters = 0;
    if (!is_number(length, meters) || !(meters > 0) || !std::isfinite(meters))
      throw CLI::ValidationError("--decorrelation-length", length + " is neither a positive number nor latitude");
    options.decorrelation_length = meters;
  }
  if (!length.empty() && options.overlap && !fluxes::is_exponential(*options.overlap))
    throw CLI::ValidationError("--decorrelation-length", "needs --overlap exponential or exponential-random");
  return options;
}

// Options, whether they were given, and their names.
using Given = std::vector<std::pair<bool, char const*>>;

void refuse_given(Given const& options, std::string const& why) {
  for (auto const& [given, name] : options)
    if (given) throw CLI::ValidationError(name, why);
}

// Refuses options that only some models have.
void refuse_unless(FluxesArguments const& arguments, std::vector<GasOpticsModel> const& models, Given const& options) {
  if (std::find(models.begin(), models.end(), arguments.model) != models.end()) return;
  std::string names;
  for (auto const model : models)
    names += (names.empty() ? "" : model == models.back() ? " or " : ", ") + word_of(gas_optics_models(), model);
  std::string why = "is only allowed with --gas-optics " + names;
  if (!arguments.gas_optics) why += ", not with " + word_of(gas_optics_models(), arguments.model);
  refuse_given(options, why);
}

void check_model(FluxesArguments const& arguments) {
  constexpr auto rrtmg = GasOpticsModel::rrtmg, rrtmgp = GasOpticsModel::rrtmgp, ecckd = GasOpticsModel::ecckd;
  if (arguments.simple() && !arguments.coefficients.empty())
    throw CLI::ValidationError("--coefficients", "not allowed with --gas-optics simple, which needs no coefficients");
  if (!arguments.rrtmg() && arguments.transmittance == fluxes::Transmittance::table)
    throw CLI::ValidationError("--transmittance", "table is only allowed with --gas-optics rrtmg");
  refuse_unless(
      arguments, {rrtmg, rrtmgp, ecckd},
      {{arguments.shortwave, "--shortwave"}, {arguments.derivative, "--derivative"}, {arguments.bands, "--bands"}});
  refuse_unless(arguments, {rrtmg, rrtmgp, ecckd},
                {{arguments.overlap.has_value(), "--overlap"},
                 {arguments.seed.has_value(), "--seed"},
                 {!arguments.decorrelation_length.empty(), "--decorrelation-length"}});
  refuse_unless(arguments, {rrtmg},
                {{arguments.ice_optics.has_value(), "--ice-optics"},
                 {arguments.liquid_optics.has_value(), "--liquid-optics"},
                 {arguments.sun.has_value(), "--sun"},
                 {arguments.direct.has_value(), "--direct"},
                 {arguments.band28_level.has_value(), "--band28-level"},
                 {arguments.band_order.has_value(), "--band-order"}});
  refuse_unless(arguments, {rrtmgp},
                {{!arguments.cloud_optics.empty(), "--cloud-optics"},
                 {!arguments.aerosol_optics.empty(), "--aerosol-optics"},
                 {arguments.angles.has_value(), "--angles"},
                 {arguments.scattering.has_value(), "--scattering"},
                 {arguments.ice_roughness.has_value(), "--ice-roughness"}});
  refuse_unless(arguments, {ecckd},
                {{!arguments.droplet_scattering.empty(), "--droplet-scattering"},
                 {!arguments.ice_scattering.empty(), "--ice-scattering"},
                 {arguments.cloud_averaging.has_value(), "--cloud-averaging"}});
  if (arguments.droplet_scattering.empty() != arguments.ice_scattering.empty())
    throw CLI::ValidationError(
        arguments.ice_scattering.empty() ? "--droplet-scattering" : "--ice-scattering",
        arguments.ice_scattering.empty() ? "needs --ice-scattering" : "needs --droplet-scattering");
  if (arguments.cloud_averaging && arguments.droplet_scattering.empty())
    throw CLI::ValidationError("--cloud-averaging", "needs --droplet-scattering and --ice-scattering");
  if (arguments.ice_roughness && arguments.cloud_optics.empty())
    throw CLI::ValidationError("--ice-roughness", "needs --cloud-optics");
  if (arguments.scattering == LongwaveScattering::two_stream)
    refuse_given({{arguments.angles.has_value(), "--angles"}, {arguments.derivative, "--derivative"}},
                 "not allowed with --scattering two-stream, which has neither angles nor a derivative");
}

void check_ranges(FluxesArguments const& arguments) {
  if (!arguments.has_shortwave())
    refuse_given({{arguments.sun.has_value(), "--sun"},
                  {arguments.direct.has_value(), "--direct"},
                  {arguments.albedo.has_value(), "--albedo"},
                  {arguments.mu0.has_value(), "--mu0"},
                  {arguments.band28_level.has_value(), "--band28-level"},
                  {arguments.band_order.has_value(), "--band-order"}},
                 "needs --shortwave");
  if (!arguments.has_longwave())
    refuse_given({{arguments.derivative, "--derivative"},
                  {arguments.angles.has_value(), "--angles"},
                  {arguments.scattering.has_value(), "--scattering"},
                  {arguments.extra_layer, "--extra-layer"}},
                 "belongs to the longwave: not allowed with --shortwave alone");
  if (arguments.has_shortwave())
    refuse_given({{arguments.ice_optics == fluxes::IceOptics::all_bands, "--ice-optics"},
                  {arguments.liquid_optics == fluxes::LiquidOptics::all_bands, "--liquid-optics"}},
                 "all-bands is not allowed with --shortwave, which has no such optics");
}

}  // namespace

void check_options(FluxesArguments const& arguments) {
  check_model(arguments);
  check_ranges(arguments);
}

io::RadiationOptions reading_options(FluxesArguments const& arguments) {
  io::RadiationOptions options{.longwave = arguments.has_longwave(),
                               .shortwave = arguments.has_shortwave(),
                               .experiment = arguments.experiment,
                               .model = arguments.model,
                               .clouds = cloud_options(arguments),
                               .sun = arguments.sun,
                               .band_order = arguments.band_order.value_or(io::BandOrder::original),
                               .out_of_range = arguments.common.out_of_range,
                               .level_temperatures = arguments.level_temperatures,
                               .albedo = arguments.albedo,
                               .cos_zenith = arguments.mu0};
  if (arguments.simple()) {
    options.longwave_needs = io::simple_needs();
    options.validity = fluxes::simple_validity;
  }
  if (!arguments.has_longwave()) options.validity = fluxes::rrtmg_sw_validity;
  return options;
}

void add_fluxes_options(CLI::App& command, FluxesArguments& arguments) {
  command
      .add_option("atmosphere", arguments.atmosphere,
                  "netCDF-4 file in the column layout, or in that of RFMIP, ecRad, CKDMIP or RTE+RRTMGP")
      ->required()
      ->type_name("ATMOSPHERE");
  command.add_option("-o,--output", arguments.output, "netCDF-4 file to write")->type_name("OUT.nc");
  command.add_flag("--longwave", arguments.longwave, "longwave radiation; the default without --shortwave");
  command.add_flag("--shortwave", arguments.shortwave, "shortwave radiation, with --longwave beside it");
  add_choice(command, "--gas-optics", arguments.gas_optics, gas_optics_models(),
             "model of gas optics; by default that of the coefficient file, or rrtmg; simple needs no file");
  command
      .add_option(
          "--coefficients", arguments.coefficients,
          "coefficients of gases (RRTMG_LW_DATA, an ecCKD definition, rrtmgp-gas-lw-g128.nc ...), once for each "
          "of longwave and shortwave; by default searched in $PARHELION_DATA")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command
      .add_option("--cloud-optics", arguments.cloud_optics,
                  "cloud optics of RRTMGP, once for each of longwave and shortwave")
      ->allow_extra_args(false)
      ->type_name("FILE");
  command
      .add_option("--aerosol-optics", arguments.aerosol_optics,
                  "aerosol optics of RRTMGP, once for each of longwave and shortwave")
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_choice(command, "--angles", arguments.angles, angle_choices(),
             "angles of the longwave of RRTMGP, or one that depends on the optical depth; 1 by default");
  add_choice(command, "--scattering", arguments.scattering, scatterings(),
             "scattering in the longwave of RRTMGP; none by default");
  command.add_option("--ice-roughness", arguments.ice_roughness, "of ice in cloud optics of RRTMGP; 2 by default")
      ->transform(whole_number(1, 3))
      ->type_name("1..3");
  command
      .add_option("--droplet-scattering", arguments.droplet_scattering,
                  "ecRad's scattering file of droplets, with which ecCKD takes clouds")
      ->type_name("FILE");
  command.add_option("--ice-scattering", arguments.ice_scattering, "the same of ice particles")->type_name("FILE");
  add_choice(command, "--cloud-averaging", arguments.cloud_averaging, cloud_averagings(),
             "how single scattering albedos of clouds are averaged to g-points of ecCKD; thick by default");
  add_choice(command, "--level-temperatures", arguments.level_temperatures,
             {{"file", io::LevelTemperatures::file}, {"interpolate", io::LevelTemperatures::interpolate}},
             "temperatures at levels of the file, or interpolated between layers");
  add_choice(command, "--transmittance", arguments.transmittance, transmittances(),
             "exact, or the tables of the original RRTMG");
  command.add_option("--experiment", arguments.experiment, "experiment of an RFMIP file, counted from 1, or all")
      ->type_name("N|all")
      ->capture_default_str();
  command.add_flag(
      "--derivative", arguments.derivative,
      "derivative of the upward flux with respect to the temperature of the surface, as idrv = 1 in the file");
  command.add_flag("--bands", arguments.bands, "fluxes of each band of the model: of RRTMG and RRTMGP 16 and 14");
  add_choice(command, "--overlap", arguments.overlap,
             choices_of(fluxes::overlap_names(), fluxes::overlap_of(fluxes::overlap_names().front())),
             "overlap of cloud layers; by default icld of the file, or maximum-random")
      ->type_name("NAME");
  command.add_option("--seed", arguments.seed, "seed of the cloudy subcolumns; 0 by default")
      ->transform(whole_number(std::uint64_t(0), std::numeric_limits<std::uint64_t>::max(), "NONNEGATIVE"))
      ->type_name("NUMBER");
  command
      .add_option("--decorrelation-length", arguments.decorrelation_length,
                  "of exponential overlaps [m], or latitude; 2500 by default")
      ->type_name("M|latitude");
  command.add_option("--day", arguments.day, "day of the year, with --decorrelation-length latitude")
      ->transform(whole_number(1, 366))
      ->type_name("1..366");
  add_choice(command, "--ice-optics", arguments.ice_optics, ice_optics,
             "iceflglw and iceflgsw (0 to 3 in this order) by name, for files without them; fu by default")
      ->type_name("NAME");
  add_choice(command, "--liquid-optics", arguments.liquid_optics, liquid_optics,
             "liqflglw and liqflgsw (0 or 1 in this order) by name, for files without them; hu-stamnes by default")
      ->type_name("NAME");
  command.add_option("--albedo", arguments.albedo, "albedo of the surface, for files without any")
      ->check(number_check("FLOAT in [0 - 1]", "a number from 0 to 1", [](double x) { return x >= 0 && x <= 1; }))
      ->type_name("0..1");
  command.add_option("--mu0", arguments.mu0, "cosine of the solar zenith angle, for files without any")
      ->check(number_check("FLOAT in [-1 - 1]", "a number from -1 to 1", [](double x) { return x >= -1 && x <= 1; }))
      ->type_name("-1..1");
  add_choice(command, "--sun", arguments.sun, suns(),
             "solar spectrum of the shortwave, for files without isolvar; nrlssi2 by default")
      ->type_name("NAME");
  add_choice(command, "--direct", arguments.direct, direct_beams(),
             "direct beam of the shortwave with the forward peak of scattering, or without; scaled by default")
      ->type_name("NAME");
  add_choice(command, "--band28-level", arguments.band28_level, band28_levels(),
             "reference level of the sun in 38000-50000 cm-1; 42 by default, 58 as in WRF and MPAS")
      ->type_name("N");
  add_choice(command, "--band-order", arguments.band_order, band_orders(),
             "of the bands of the shortwave in both files; original by default: 820-2600 cm-1 is the last")
      ->type_name("NAME");
  command.add_flag("--extra-layer", arguments.extra_layer,
                   "longwave: add a layer from the top of the columns to 0.01 Pa");
}

}  // namespace parhelion::Apps
