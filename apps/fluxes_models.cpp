// SPDX-License-Identifier: BSD-3-Clause
#include "fluxes_models.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/rrtmg_sw/bands.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>
#include <parhelion/io/coefficient_kind.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/rrtmg_files.hpp>
#include <parhelion/io/rrtmgp_cloud_files.hpp>
#include <parhelion/io/rrtmgp_files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace parhelion::Apps {

namespace {

using fluxes::Gas;
using fluxes::GasSet;
using fluxes::ecckd::Definition;
using fluxes::rrtmgp::KDistribution;
using fluxes::rrtmgp::SpectralBands;

// What a file of gas optics holds.
std::string words_of(fluxes::Coefficients const& /*gases*/) { return "the coefficients of RRTMG_LW"; }
std::string words_of(fluxes::ShortwaveCoefficients const& /*gases*/) { return "the coefficients of RRTMG_SW"; }
std::string words_of(Definition const& definition) {
  return fmt::format("an ecCKD definition of the {}", definition.is_longwave ? "longwave" : "shortwave");
}
std::string words_of(KDistribution const& k) {
  return fmt::format("gas optics of RRTMGP of the {}", k.is_longwave() ? "longwave" : "shortwave");
}

GasSet set_of(std::vector<Gas> const& gases) {
  GasSet set;
  for (Gas const gas : gases) set.insert(gas);
  return set;
}

std::vector<Gas> list_of(GasSet const& set) {
  std::vector<Gas> gases;
  for (int gas = 0; gas < fluxes::ngas_all; ++gas)
    if (set.contains(static_cast<Gas>(gas))) gases.push_back(static_cast<Gas>(gas));
  return gases;
}

io::RangeNeeds needs_of(fluxes::ModelDescription const& model, GasSet const& known) {
  return {.required = list_of(model.required),
          .further = list_of(known.without(model.required)),
          .nband = model.sizes.nband,
          .ngpoint = model.sizes.ngpoint,
          .uses_levels = model.uses_levels};
}

// Where both models are valid.
ValidRange both(ValidRange const& a, ValidRange const& b) {
  return {std::max(a.lowest, b.lowest), std::min(a.highest, b.highest)};
}
fluxes::SizeRange both(fluxes::SizeRange const& a, fluxes::SizeRange const& b) {
  return {std::max(a.smallest, b.smallest), std::min(a.largest, b.largest)};
}
fluxes::Validity both(fluxes::Validity const& a, fluxes::Validity const& b) {
  fluxes::Validity validity{.temperature = both(a.temperature, b.temperature),
                            .pressure = both(a.pressure, b.pressure),
                            .vmr = both(a.vmr, b.vmr),
                            .low_pressure = std::min(a.low_pressure, b.low_pressure),
                            .lowest_temperature = std::max(a.lowest_temperature, b.lowest_temperature),
                            .level_pressure = both(a.pressure_of_levels(), b.pressure_of_levels())};
  if (a.particle_sizes && b.particle_sizes)
    validity.particle_sizes = {.liquid = both(a.particle_sizes->liquid, b.particle_sizes->liquid),
                               .ice = both(a.particle_sizes->ice, b.particle_sizes->ice),
                               .aerosol = both(a.particle_sizes->aerosol, b.particle_sizes->aerosol)};
  return validity;
}

SpectralBands bands_of(KDistribution const& k) {
  SpectralBands bands;
  for (auto const& band : k.bands) {
    bands.wavenumbers.insert(bands.wavenumbers.end(), {band.wavenumber_low, band.wavenumber_high});
    bands.gpoints.insert(bands.gpoints.end(), {band.first_gpoint, band.last_gpoint});
  }
  return bands;
}

// Gives optics of particles to the range whose bands they have.
template <class Optics>
void take_optics(Optics const& optics, KDistribution const* longwave, std::optional<Optics>& of_longwave,
                 KDistribution const* shortwave, std::optional<Optics>& of_shortwave) {
  auto const fits = [&](KDistribution const* k) {
    if (k == nullptr) return false;
    SpectralBands const wavenumbers{bands_of(*k).wavenumbers, {}};
    return same_bands(SpectralBands{optics.bands.wavenumbers, {}}, wavenumbers);
  };
  bool const is_longwave = fits(longwave), is_shortwave = !is_longwave && fits(shortwave);
  if (!is_longwave && !is_shortwave)
    expect_bands(optics.where, optics.bands, bands_of(longwave != nullptr ? *longwave : *shortwave));
  auto& place = is_shortwave ? of_shortwave : of_longwave;
  if (place)
    throw Error(optics.where, fmt::format("is of the {}, as {} is, expected one file of a range",
                                          is_shortwave ? "shortwave" : "longwave", place->where));
  place = optics;
}

// Refuses optics of one range alone where both are computed.
template <class Optics>
void expect_pair(std::optional<Optics> const& longwave, std::optional<Optics> const& shortwave) {
  if (longwave && !shortwave)
    throw Error(longwave->where, "is of the longwave, expected a file of the shortwave beside it");
  if (shortwave && !longwave)
    throw Error(shortwave->where, "is of the shortwave, expected a file of the longwave beside it");
}

template <class Files>
fluxes::rrtmgp::CloudOptics const* clouds_of(Files const& files) {
  return files.clouds ? &*files.clouds : nullptr;
}

template <class Files>
fluxes::rrtmgp::Particles particles_of(Files const& files, int ice_roughness) {
  return {
      .clouds = clouds_of(files), .aerosol = files.aerosol ? &*files.aerosol : nullptr, .ice_roughness = ice_roughness};
}

fluxes::rrtmgp::Scattering scattering_of(LongwaveScattering scattering) {
  switch (scattering) {
    case LongwaveScattering::rescaling:
      return fluxes::rrtmgp::Scattering::rescaling;
    case LongwaveScattering::two_stream:
      return fluxes::rrtmgp::Scattering::two_stream;
    default:
      return fluxes::rrtmgp::Scattering::none;
  }
}

constexpr char const* longwave_alone = "longwave";
constexpr char const* shortwave_alone = "shortwave";

// The gases that a file does not have and that definitions say something of, each for its own range.
std::vector<DefaultGas> defaults_of(std::vector<Gas> const& given, Definition const* longwave,
                                    Definition const* shortwave) {
  std::vector<DefaultGas> defaults;
  for (auto const* const definition : {longwave, shortwave}) {
    if (definition == nullptr) continue;
    for (auto const& [gas, fraction] : fluxes::ecckd::describe(*definition).defaults) {
      if (std::find(given.begin(), given.end(), gas) != given.end()) continue;
      // Clang takes names of such a loop into functions from its version 16 on.
      auto const before = std::find_if(defaults.begin(), defaults.end(),
                                       [wanted = gas](auto const& each) { return each.gas == wanted; });
      bool const is_new = before == defaults.end();
      if (!is_new && before->fraction == fraction) continue;
      if (!is_new) before->range = longwave_alone;
      defaults.push_back({gas, fraction, is_new ? "" : shortwave_alone});
    }
  }
  return defaults;
}

void set_gas(HostArray<double***> const& vmr, Gas gas, double fraction) {
  for (std::size_t c = 0; c < vmr.extent(0); ++c)
    for (std::size_t k = 0; k < vmr.extent(2); ++k) vmr(c, static_cast<int>(gas), k) = fraction;
}

}  // namespace

GasOpticsModel gas_optics_of(FluxesArguments const& arguments) {
  return arguments.gas_optics ? *arguments.gas_optics : io::gas_optics_of_files(arguments.coefficients);
}

FluxesModels::FluxesModels(FluxesArguments const& arguments)
    : m_ice_roughness(arguments.ice_roughness.value_or(fluxes::rrtmgp::default_ice_roughness)) {
  int const angles = arguments.angles.value_or(1);
  m_angles = {.n = angles == optimal_angle ? 1 : angles, .optimal = angles == optimal_angle};
  m_scattering = scattering_of(arguments.scattering.value_or(LongwaveScattering::none));
  if (arguments.rrtmg()) read_rrtmg(arguments);
  if (arguments.model == GasOpticsModel::ecckd) {
    read_ecckd(arguments);
    read_ecckd_clouds(arguments);
  }
  if (arguments.model == GasOpticsModel::rrtmgp) read_rrtmgp(arguments);
}

// Files that were given by name may be those of either range, in any order.
template <class Files, class Gases>
void FluxesModels::take(FluxesArguments const& arguments, Files& files, Gases gases, std::string const& file,
                        std::string const& other) {
  bool const of_shortwave = std::is_same_v<Files, RangeFiles<fluxes::ShortwaveCoefficients>>;
  std::string const holds = "holds " + words_of(gases);
  if (of_shortwave ? !arguments.has_shortwave() : !arguments.has_longwave())
    throw Error(file, fmt::format("{}, expected {}", holds, other));
  if (files.there())
    throw Error(file, fmt::format("{}, as {} does, expected {}", holds, files.file,
                                  arguments.has_both() ? "one file of each kind" : "one file"));
  files.file = file;
  files.gases = std::move(gases);
}

void FluxesModels::read_rrtmg(FluxesArguments const& arguments) {
  std::string const expected = arguments.has_both()       ? "RRTMG_LW or RRTMG_SW coefficients"
                               : arguments.has_longwave() ? "RRTMG_LW coefficients"
                                                          : "RRTMG_SW coefficients";
  for (auto const& given : arguments.coefficients) {
    auto const file = io::find_data_file(expected, given, {}, "");
    auto const records = io::read_rrtmg_data(file, fluxes::record_values(), fluxes::shortwave_record_values(),
                                             fluxes::shortwave_record_integers());
    if (records.index() == 0)
      take(arguments, *m_longwave, fluxes::Coefficients(std::get<0>(records), file), file, "those of RRTMG_SW");
    else
      take(arguments, *m_shortwave, fluxes::ShortwaveCoefficients(std::get<1>(records), file), file,
           "those of RRTMG_LW");
  }
  if (arguments.has_longwave() && !m_longwave->there()) {
    m_longwave->file = io::find_rrtmg_lw_data();
    m_longwave->gases.emplace<fluxes::Coefficients>(io::read_rrtmg_lw_data(m_longwave->file, fluxes::record_values()),
                                                    m_longwave->file);
  }
  if (arguments.has_shortwave() && !m_shortwave->there()) {
    m_shortwave->file = io::find_rrtmg_sw_data();
    m_shortwave->gases.emplace<fluxes::ShortwaveCoefficients>(
        io::read_rrtmg_sw_data(m_shortwave->file, fluxes::shortwave_record_values(),
                               fluxes::shortwave_record_integers()),
        m_shortwave->file);
  }
}

void FluxesModels::read_ecckd(FluxesArguments const& arguments) {
  auto const read = [&](std::string const& file) {
    auto definition = io::read_ecckd_definition(file);
    if (definition.is_longwave)
      take(arguments, *m_longwave, std::move(definition), file, "one of the shortwave");
    else
      take(arguments, *m_shortwave, std::move(definition), file, "one of the longwave");
  };
  for (auto const& given : arguments.coefficients) read(io::find_ecckd_definition(true, given));
  for (bool const is_longwave : {true, false})
    if (is_longwave ? arguments.has_longwave() && !m_longwave->there()
                    : arguments.has_shortwave() && !m_shortwave->there())
      read(io::find_ecckd_definition(is_longwave));
}

void FluxesModels::read_ecckd_clouds(FluxesArguments const& arguments) {
  if (arguments.droplet_scattering.empty()) return;
  m_cloud_files = {io::find_data_file("scattering of droplets", arguments.droplet_scattering, {}, ""),
                   io::find_data_file("scattering of ice", arguments.ice_scattering, {}, "")};
  auto const droplets = io::read_ecckd_scattering(m_cloud_files[0]), ice = io::read_ecckd_scattering(m_cloud_files[1]);
  auto const averaging = arguments.cloud_averaging.value_or(fluxes::ecckd::CloudAveraging::thick);
  m_cloud_averaging = word_of(cloud_averagings(), averaging);
  auto const average = [&](auto& files) {
    if (auto const* const definition = std::get_if<Definition>(&files.gases))
      files.clouds = average_clouds(*definition, droplets, ice, averaging);
  };
  average(*m_longwave);
  average(*m_shortwave);
}

void FluxesModels::read_rrtmgp(FluxesArguments const& arguments) {
  auto const read = [&](std::string const& file) {
    auto k = io::read_rrtmgp_gas_optics(file);
    if (k.is_longwave())
      take(arguments, *m_longwave, std::move(k), file, "those of the shortwave");
    else
      take(arguments, *m_shortwave, std::move(k), file, "those of the longwave");
  };
  for (auto const& given : arguments.coefficients) read(io::find_rrtmgp_gas_optics(true, given));
  for (bool const is_longwave : {true, false})
    if (is_longwave ? arguments.has_longwave() && !m_longwave->there()
                    : arguments.has_shortwave() && !m_shortwave->there())
      read(io::find_rrtmgp_gas_optics(is_longwave));

  auto const* const longwave = std::get_if<KDistribution>(&m_longwave->gases);
  auto const* const shortwave = std::get_if<KDistribution>(&m_shortwave->gases);
  for (auto const& given : arguments.cloud_optics) {
    m_cloud_files.push_back(io::find_data_file("cloud optics of RRTMGP", given, {}, ""));
    take_optics(io::read_rrtmgp_cloud_optics(m_cloud_files.back()), longwave, m_longwave->clouds, shortwave,
                m_shortwave->clouds);
  }
  for (auto const& given : arguments.aerosol_optics) {
    m_aerosol_files.push_back(io::find_data_file("aerosol optics of RRTMGP", given, {}, ""));
    take_optics(io::read_rrtmgp_aerosol_optics(m_aerosol_files.back()), longwave, m_longwave->aerosol, shortwave,
                m_shortwave->aerosol);
  }
  if (!arguments.has_both()) return;
  expect_pair(m_longwave->clouds, m_shortwave->clouds);
  expect_pair(m_longwave->aerosol, m_shortwave->aerosol);
}

std::vector<std::string> FluxesModels::files() const {
  std::vector<std::string> files{m_longwave->file, m_shortwave->file};
  files.insert(files.end(), m_cloud_files.begin(), m_cloud_files.end());
  files.insert(files.end(), m_aerosol_files.begin(), m_aerosol_files.end());
  return files;
}

fluxes::LongwaveData FluxesModels::longwave(std::vector<Gas> const& offered) const {
  if (auto const* const coefficients = std::get_if<fluxes::Coefficients>(&m_longwave->gases)) return *coefficients;
  if (auto const* const definition = std::get_if<Definition>(&m_longwave->gases))
    return {*definition, clouds_of(*m_longwave)};
  if (auto const* const k = std::get_if<KDistribution>(&m_longwave->gases))
    return fluxes::rrtmgp::LongwaveSetup{.k = k,
                                         .gases = set_of(offered),
                                         .angles = m_angles,
                                         .particles = particles_of(*m_longwave, m_ice_roughness),
                                         .scattering = m_scattering};
  return fluxes::SimpleSpectralData();
}

fluxes::ShortwaveData FluxesModels::shortwave(std::vector<Gas> const& offered) const {
  if (auto const* const definition = std::get_if<Definition>(&m_shortwave->gases))
    return {*definition, clouds_of(*m_shortwave)};
  if (auto const* const k = std::get_if<KDistribution>(&m_shortwave->gases))
    return fluxes::rrtmgp::ShortwaveSetup{
        .k = k, .gases = set_of(offered), .particles = particles_of(*m_shortwave, m_ice_roughness)};
  return std::get<fluxes::ShortwaveCoefficients>(m_shortwave->gases);
}

namespace {

// See RadiationOptions.
template <class Gases>
std::vector<double> uvvis_shares(Gases const& gases) {
  if (auto const* const definition = std::get_if<Definition>(&gases))
    return fluxes::ecckd::share_above(*definition, fluxes::uvvis_from);
  std::vector<double> shares;
  if (auto const* const k = std::get_if<KDistribution>(&gases))
    for (auto const& band : k->bands)
      shares.push_back(fluxes::rrtmgp::uvvis_share({band.wavenumber_low, band.wavenumber_high}));
  return shares;
}

}  // namespace

void FluxesModels::ask(io::RadiationOptions& options) const {
  if (options.model != GasOpticsModel::ecckd && options.model != GasOpticsModel::rrtmgp) return;
  std::optional<fluxes::Validity> validity;
  auto const ask_for = [&](auto const& files, auto const& data_of, io::RangeNeeds& needs) {
    auto const* const k = std::get_if<KDistribution>(&files.gases);
    // Which gases there are is not known yet.
    auto const model = data_of(k != nullptr ? list_of(known_gases(*k)) : std::vector<Gas>()).description();
    needs = needs_of(model, model.known);
    validity = validity ? both(*validity, model.validity) : model.validity;
    options.cloud_optics = files.clouds.has_value();
    if (k == nullptr) return;
    double const least = k->pressure.back() + std::numeric_limits<double>::epsilon();
    options.least_top_pressure = std::max(least, options.least_top_pressure.value_or(least));
    options.aerosol_optics = files.aerosol.has_value();
  };
  if (options.longwave)
    ask_for(
        *m_longwave, [&](auto const& offered) { return longwave(offered); }, options.longwave_needs);
  if (options.shortwave)
    ask_for(
        *m_shortwave, [&](auto const& offered) { return shortwave(offered); }, options.shortwave_needs);
  options.validity = *validity;
  // They refer to what this object holds, which outlives the reading.
  auto const weights = [](auto const& files) -> decltype(options.emissivity_weights) {
    auto const* const definition = std::get_if<Definition>(&files.gases);
    if (definition == nullptr) return {};
    return [definition](std::vector<double> const& between) {
      return fluxes::ecckd::interval_weights(*definition, between);
    };
  };
  options.emissivity_weights = weights(*m_longwave);
  options.albedo_weights = weights(*m_shortwave);
  if (options.shortwave && options.shortwave_needs.nband == 2) options.uvvis_shares = uvvis_shares(m_shortwave->gases);
  if (options.shortwave) options.solar_irradiance = solar_irradiance(shortwave(options.shortwave_needs.required));
}

std::vector<DefaultGas> FluxesModels::complete(io::RadiationInput& input) const {
  auto const defaults = defaults_of(input.gases, std::get_if<Definition>(&m_longwave->gases),
                                    std::get_if<Definition>(&m_shortwave->gases));
  auto& of_shortwave = input.shortwave_columns.vmr;
  bool const differ =
      std::any_of(defaults.begin(), defaults.end(), [](auto const& each) { return !each.range.empty(); });
  if (differ) {  // until here both ranges have the same array
    of_shortwave = HostArray<double***>("parhelion::Apps::vmr", of_shortwave.extent(0), of_shortwave.extent(1),
                                        of_shortwave.extent(2));
    Kokkos::deep_copy(of_shortwave, input.columns.vmr);
  }
  for (auto const& [gas, fraction, range] : defaults) {
    if (std::find(input.gases.begin(), input.gases.end(), gas) == input.gases.end()) input.gases.push_back(gas);
    if (range != shortwave_alone) set_gas(input.columns.vmr, gas, fraction);
    if (differ && range != longwave_alone) set_gas(of_shortwave, gas, fraction);
  }
  auto& weights = input.shortwave_columns.solar_weights;
  auto const& irradiance = input.solar_irradiance;
  if (irradiance.size() == 0) return defaults;
  weights = HostArray<double**>("parhelion::Apps::solar_weights", irradiance.extent(0), fluxes::nsolar);
  auto const of_unit = fluxes::solar_source(shortwave(input.gases), {.total_irradiance = 1}).weights;
  for (std::size_t c = 0; c < irradiance.extent(0); ++c)
    for (std::size_t i = 0; i < of_unit.size(); ++i) weights(c, i) = irradiance(c) * of_unit[i];
  // Columns that have a sun of their own.
  auto const& indices = input.solar_indices;
  for (std::size_t c = 0; c < indices.extent(0); ++c) {
    double const own = input.solar_spectrum_factor(c);
    bool const of_spectrum = own > 0., dark = !of_spectrum && irradiance(c) == 0.;
    auto const sun = fluxes::solar_source(shortwave(input.gases),
                                          {.variability = fluxes::SolarVariability::indices,
                                           .total_irradiance = of_spectrum ? 0. : irradiance(c),
                                           .indices = {{indices(c, 0), indices(c, 1)}},
                                           .distance_factor = of_spectrum ? own
                                                              : dark      ? 0.
                                                                          : 1.},
                                          fmt::format("{}: sun of column {}", input.path, input.sites.first + c));
    for (std::size_t i = 0; i < sun.weights.size(); ++i) weights(c, i) = sun.weights[i];
  }
  return defaults;
}

OutOfRangeCounts FluxesModels::beyond_tables(io::RadiationInput const& input) const {
  auto const* const longwave = std::get_if<Definition>(&m_longwave->gases);
  auto const* const definition = longwave != nullptr ? longwave : std::get_if<Definition>(&m_shortwave->gases);
  if (definition == nullptr) return {};
  auto const ranges = fluxes::ecckd::table_ranges(*definition);
  auto const& columns = input.columns;
  auto const count = [](auto const& array, ValidRange const& range) {
    return static_cast<std::size_t>(
        std::count_if(array.data(), array.data() + array.size(), [&](double value) { return !range.contains(value); }));
  };
  // Those of layers are means of levels, see set_layers_from_levels() of the reader.
  HostArray<double**> const pressures("parhelion::Apps::pressures", columns.pressure_lay.extent(0),
                                      columns.pressure_lay.extent(1));
  for (std::size_t c = 0; c < pressures.extent(0); ++c)
    for (std::size_t k = 0; k < pressures.extent(1); ++k)
      pressures(c, k) = 0.5 * (columns.pressure_lev(c, k) + columns.pressure_lev(c, k + 1));
  OutOfRangeCounts counts{{"pressures of layers", count(pressures, ranges.pressure)},
                          {"temperatures of layers", count(columns.temperature_lay, ranges.temperature)}};
  if (longwave != nullptr)
    counts.emplace_back("temperatures of levels and the surface",
                        count(columns.temperature_lev, ranges.planck) + count(columns.temperature_sfc, ranges.planck));
  for (auto const& [gas, range] : ranges.gases) {
    std::size_t n = 0;
    for (std::size_t c = 0; c < columns.vmr.extent(0); ++c)
      for (std::size_t k = 0; k < columns.vmr.extent(2); ++k)
        n += range.contains(columns.vmr(c, static_cast<int>(gas), k)) ? 0 : 1;
    counts.emplace_back(fmt::format("mole fractions of {}", fluxes::name_of(gas)), n);
  }
  return counts;
}

void FluxesModels::describe(io::Attributes& attributes) const {
  if (!m_cloud_files.empty()) {
    attributes.emplace_back("cloud_optics", fmt::format("{}", fmt::join(m_cloud_files, ", ")));
    if (m_cloud_averaging.empty())
      attributes.emplace_back("ice_roughness", m_ice_roughness);
    else
      attributes.emplace_back("cloud_averaging", m_cloud_averaging);
  }
  if (!m_aerosol_files.empty())
    attributes.emplace_back("aerosol_optics", fmt::format("{}", fmt::join(m_aerosol_files, ", ")));
}

}  // namespace parhelion::Apps
