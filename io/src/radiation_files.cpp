// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/io/radiation_files.hpp>

#include "cloud_reader.hpp"
#include "hdf5/remote.hpp"
#include "plain_values.hpp"
#include "radiation_clouds.hpp"
#include "radiation_fields.hpp"
#include "radiation_layouts.hpp"
#include "rte_input.hpp"
#include "shortwave_input.hpp"
#include "spectral_arrays.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/fluxes/rrtmgp/level_temperatures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace parhelion::io {

namespace {

using fluxes::Gas;
using namespace Impl;

// --- vertical order ----------------------------------------------------------------------------------------------

// Whether index 0 is the top. Refuses pressure that does not fall or rise all the way in every column.
bool check_pressure(Hdf5File const& file, Field const& lev, Field const& lay) {
  std::size_t const nlev = lev.shape.back(), nlay = nlev - 1;
  bool const top_first = lev.values[0] < lev.values[nlay];
  for (std::size_t c = 0; c < lev.shape.front(); ++c) {
    for (std::size_t k = 1; k < nlev; ++k) {
      std::size_t const here = c * nlev + k, before = here - 1;
      if (top_first ? lev.values[here] > lev.values[before] : lev.values[here] < lev.values[before]) continue;
      throw Error(file.path(),
                  fmt::format("{} = {} after {} = {}, expected pressure to {} with the index", lev.at(here),
                              lev.value(here), lev.at(before), lev.value(before), top_first ? "rise" : "fall"));
    }
    // A layer's pressure need not lie between its own interfaces, as that of the halves of a layer that was split does
    // not; but it must run the same way, within those of the column.
    double const low = std::min(lev.converted(c * nlev), lev.converted(c * nlev + nlay));
    double const high = std::max(lev.converted(c * nlev), lev.converted(c * nlev + nlay));
    for (std::size_t k = 0; k < nlay; ++k) {
      std::size_t const i = c * nlay + k;
      if (lay.converted(i) < low || lay.converted(i) > high)
        throw Error(file.path(), fmt::format("{} = {}, expected a pressure between {} = {} and {} = {}", lay.at(i),
                                             lay.value(i), lev.at(c * nlev), lev.value(c * nlev),
                                             lev.at(c * nlev + nlay), lev.value(c * nlev + nlay)));
      if (k > 0 && (top_first ? lay.converted(i) < lay.converted(i - 1) : lay.converted(i) > lay.converted(i - 1)))
        throw Error(file.path(),
                    fmt::format("{} = {} after {} = {}, expected pressure to {} with the index", lay.at(i),
                                lay.value(i), lay.at(i - 1), lay.value(i - 1), top_first ? "rise" : "fall"));
    }
  }
  return top_first;
}

void copy_gas(Field const& field, Gas gas, bool top_first, fluxes::HostColumns const& columns) {
  std::size_t const n = field.shape.back();
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    std::size_t const k = i % n;
    columns.vmr(i / n, static_cast<int>(gas), top_first ? n - 1 - k : k) = field.converted(i);
  }
}

// --- what concerns the whole file --------------------------------------------------------------------------------

// A place (n) that the result repeats; empty where the file has none of that shape.
std::vector<double> read_places(Hdf5File const& file, std::string const& name, Quantity const& quantity,
                                Dimensions const& dimensions) {
  if (!file.exists(name) || file.shape(name) != dimensions.shape) return {};
  return read_field(file, name, quantity, dimensions).values;
}

std::vector<std::string> read_labels(Hdf5File const& file, std::string const& name, std::size_t n) {
  if (!file.exists(name)) return {};
  auto labels = file.read_strings(name);
  if (labels.size() != n) refuse_shape(file, name, {labels.size()}, describe({n}));
  for (std::size_t i = 0; i < n; ++i) refuse_not_utf8(file.path(), fmt::format("{}({})", name, i), labels[i]);
  return labels;
}

// Refuses columns that no index counts or that do not fit into memory, before any of them is read. Beside the columns,
// the variable that is being read is in memory, with a piece of it on its way, and the pressures that the file has.
// `largest` is how many values the largest variable has, `places` how many columns of pressures there are.
void check_size(Hdf5File const& file, std::size_t ncol, std::size_t nlay, std::size_t values_per_column,
                std::size_t largest, std::size_t places, char const* advice) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (ncol > most || nlay >= most)
    throw Error(file.path(), fmt::format("has {} columns of {} layers, expected at most {} of each", ncol, nlay, most));
  auto const bytes_of = [](std::size_t count, std::size_t values) {
    return sizeof(double) * static_cast<double>(count) * static_cast<double>(values);
  };
  double const variable = bytes_of(largest, 1);
  double const bytes = bytes_of(ncol, values_per_column) + variable +
                       2 * std::min(variable, static_cast<double>(piece_bytes)) + bytes_of(places, 2 * nlay + 1);
  constexpr double countable = 1e18;
  require_host_memory(file.path(), static_cast<std::size_t>(std::min(bytes, countable)), advice);
}

// The quantities for which models have ranges, in either layout. Pressures belong to one experiment, temperatures and
// gases may belong to several.
struct RangedFields {
  Hdf5File const& file;
  fluxes::Validity const& validity;
  RangeCheck check;
  Field plev, play;
  bool top_first = false;

  void read_pressures(std::string const& levels_name, Dimensions const& levels, std::string const& layers_name,
                      Dimensions const& layers, Ranges const& ranges) {
    plev = read_field(file, levels_name, check.before(level_pressure), levels, ranges);
    if (layers_name.empty())
      play = mean_pressures(layers);
    else
      play = read_field(file, layers_name, check.before(layer_pressure), layers, ranges);
    top_first = check_pressure(file, plev, play);
    check(file, plev, [&](std::size_t) { return validity.pressure_of_levels(); });
    check(file, play, [&](std::size_t) { return validity.pressure; });
    if (total(check.counts) > 0) check_pressure(file, plev, play);  // clipping may have left nothing of a layer
  }

  // Raises the top level to a pressure [Pa].
  void raise_top(double least) {
    std::size_t const nlev = plev.shape.back();
    for (std::size_t c = 0; c < plev.shape.front(); ++c) {
      std::size_t const top = c * nlev + (top_first ? 0 : nlev - 1);
      if (plev.converted(top) < least) plev.values[top] = least / plev.factor;
    }
    check_pressure(file, plev, play);
  }

  // Pressures of layers where the file has only those of levels.
  Field mean_pressures(Dimensions const& layers) const {
    std::size_t const nlay = layers.shape.back(), ncol = plev.shape.front();
    Field field{.name = fmt::format("the layer's {}", plev.name),
                .unit = plev.unit,
                .factor = plev.factor,
                .shape = {ncol, nlay},
                .first = plev.first,
                .values = std::vector<double>(ncol * nlay)};
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      std::size_t const level = i / nlay * (nlay + 1) + i % nlay;
      field.values[i] = 0.5 * (plev.values[level] + plev.values[level + 1]);
    }
    return field;
  }

  // `pressure(i)` at value i
  template <class Pressure>
  Field temperatures(std::string const& name, Dimensions const& dimensions, Ranges const& ranges,
                     Pressure const& pressure) {
    auto field = read_field(file, name, check.before(temperature), dimensions, ranges);
    check(file, field, [&](std::size_t i) { return validity.temperature_at(pressure(i)); });
    return field;
  }

  Field at_levels(std::string const& name, Dimensions const& dimensions, Ranges const& ranges) {
    return temperatures(name, dimensions, ranges,
                        [&](std::size_t i) { return plev.converted(i % plev.values.size()); });
  }

  Field at_layers(std::string const& name, Dimensions const& dimensions, Ranges const& ranges) {
    return temperatures(name, dimensions, ranges,
                        [&](std::size_t i) { return play.converted(i % play.values.size()); });
  }

  Field of_surface(std::string const& name, Dimensions const& dimensions, Ranges const& ranges) {
    std::size_t const ncol = plev.shape.front(), nlev = plev.shape.back();
    return temperatures(name, dimensions, ranges,
                        [&](std::size_t i) { return plev.converted(i % ncol * nlev + (top_first ? nlev - 1 : 0)); });
  }

  Field of_gas(std::string const& name, Dimensions const& dimensions, Ranges const& ranges) {
    auto field = read_field(file, name, check.before(vmr), dimensions, ranges);
    check(file, field, [&](std::size_t) { return validity.vmr; });
    return field;
  }
};

// How many emissivities the file has for each column: one, or one a band. `hint` is said where there are none.
std::size_t bands_of_emissivity(Hdf5File const& file, RadiationOptions const& options, RadiationLayout layout,
                                Grid const& grid, std::string const& hint) {
  std::string const name = names_of(layout).emissivity;
  if (!file.exists(name))
    throw Error(fmt::format("{}: {}", file.path(), name), std::string("missing") + (hint.empty() ? "" : ": ") + hint);
  return bands_of_surface(file, name, layout, options, grid.ncol, grid.longwave);
}

int gases_of(GasOpticsModel model) {
  return model == GasOpticsModel::rrtmg || model == GasOpticsModel::simple ? fluxes::ngas : fluxes::ngas_all;
}

// Columns of a model. Where only the shortwave is asked for there is no surface.
fluxes::HostColumns make_model_columns(RadiationOptions const& options, std::size_t ncol, std::size_t nlay,
                                       std::size_t nemis, bool aerosol, bool levels) {
  auto const ngas = static_cast<std::size_t>(gases_of(options.model));
  fluxes::HostColumns columns;
  if (options.longwave) {
    columns = fluxes::make_columns<Kokkos::DefaultHostExecutionSpace, double>(
        static_cast<int>(ncol), static_cast<int>(nlay), static_cast<int>(nemis), aerosol);
    if (columns.vmr.extent(1) != ngas) columns.vmr = HostArray<double***>("parhelion::io::vmr", ncol, ngas, nlay);
    return columns;
  }
  columns.pressure_lay = HostArray<double**>("parhelion::io::pressure_lay", ncol, nlay);
  columns.pressure_lev = HostArray<double**>("parhelion::io::pressure_lev", ncol, nlay + 1);
  columns.temperature_lay = HostArray<double**>("parhelion::io::temperature_lay", ncol, nlay);
  if (levels) columns.temperature_lev = HostArray<double**>("parhelion::io::temperature_lev", ncol, nlay + 1);
  columns.vmr = HostArray<double***>("parhelion::io::vmr", ncol, ngas, nlay);
  return columns;
}

void share_profiles(fluxes::HostColumns const& columns, fluxes::HostShortwaveColumns& shortwave) {
  shortwave.pressure_lay = columns.pressure_lay;
  shortwave.pressure_lev = columns.pressure_lev;
  shortwave.temperature_lay = columns.temperature_lay;
  shortwave.vmr = columns.vmr;
}

// Which temperatures are read, and what becomes of the others.
struct TemperatureRules {
  bool read_levels, read_layers;
  bool layers_of_levels;  ///< layers get the mean of their levels' temperatures, weighted by pressure
  bool levels_of_layers;  ///< levels are interpolated
};

// Whether the gas optics take the temperatures of levels and none of layers.
bool uses_levels(RadiationOptions const& options) {
  return (options.longwave && options.longwave_needs.uses_levels) ||
         (options.shortwave && options.shortwave_needs.uses_levels);
}

// `has_layers` is whether the layout has temperatures of layers at all.
TemperatureRules temperature_rules(RadiationOptions const& options, std::string const& path, bool has_layers) {
  bool const interpolate = options.level_temperatures == LevelTemperatures::interpolate;
  bool const without_layers = uses_levels(options);
  if (interpolate && !has_layers)
    throw Error(path, "has no temperatures of layers, from which those of levels were to be interpolated");
  bool const levels = options.longwave || without_layers || !has_layers;
  bool const means = without_layers || !has_layers;
  return {.read_levels = levels && !interpolate,
          .read_layers = has_layers && (!without_layers || interpolate),
          .layers_of_levels = means,
          .levels_of_layers = levels && interpolate};
}

// The temperature of a layer to such gas optics, whatever a file says of it.
void set_layers_from_levels(fluxes::HostColumns const& columns) {
  auto const& p = columns.pressure_lev;
  auto const& t = columns.temperature_lev;
  for (std::size_t c = 0; c < p.extent(0); ++c)
    for (std::size_t k = 0; k + 1 < p.extent(1); ++k)
      columns.temperature_lay(c, k) = (t(c, k + 1) * p(c, k + 1) + t(c, k) * p(c, k)) / (p(c, k + 1) + p(c, k));
}

// Completes temperatures that were not read.
void complete_temperatures(TemperatureRules const& rules, fluxes::HostColumns const& columns) {
  if (rules.levels_of_layers) fluxes::rrtmgp::interpolate_level_temperatures(columns);
  if (rules.layers_of_levels) set_layers_from_levels(columns);
}

// Says how to do without the temperatures of levels.
void need_levels(Hdf5File const& file, std::string const& name, RadiationOptions const& options) {
  if (options.model == GasOpticsModel::rrtmg || options.model == GasOpticsModel::simple || file.exists(name)) return;
  throw Error(
      fmt::format("{}: {}", file.path(), name),
      fmt::format("missing: {} needs the temperatures of levels (--level-temperatures interpolate makes them of "
                  "those of layers)",
                  name_of(options.model)));
}

// Refuses clouds of a model that has no optics for them before arrays are compared with its g-points.
void refuse_clouds_of_columns(Hdf5File const& file, RadiationOptions const& options, std::size_t ncol) {
  auto const refuse = [&](auto const& names) {
    for (char const* const name : names)
      if (file.exists(name)) refuse_clouds_without_optics(file, options, name);
  };
  if (options.model == GasOpticsModel::rrtmg || all_clear(read_icld(file, ncol))) return;
  refuse(gpoint_variables);
  refuse(layer_variables);
}

// --- the layouts ---------------------------------------------------------------------------------------------

// Emissivities, and the temperature of the surface. ecRad's layout may do without both.
void read_surface_of_columns(Hdf5File const& file, LayoutNames const& names, RangedFields& fields,
                             Dimensions const& surface, ItemRange const& sites, RadiationOptions const& options,
                             fluxes::HostColumns const& columns) {
  std::size_t const ncol = sites.count, nemis = columns.emissivity_sfc.extent(1);
  if (file.exists(names.tsfc) || names.play != nullptr) {
    auto const tsfc = fields.of_surface(names.tsfc, surface, {sites});
    for (std::size_t c = 0; c < ncol; ++c) columns.temperature_sfc(c) = tsfc.converted(c);
  } else {
    for (std::size_t c = 0; c < ncol; ++c) columns.temperature_sfc(c) = columns.temperature_lev(c, 0);
  }
  if (!file.exists(names.emissivity)) return fill_array(columns.emissivity_sfc, 1.);
  auto const emis = read_surface(file, names.emissivity, emissivity, sites, options);
  for (std::size_t i = 0; i < emis.values.size(); ++i) columns.emissivity_sfc(i / nemis, i % nemis) = emis.converted(i);
}

void read_columns(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  auto const& names = names_of(input.layout);
  bool const column_layout = input.layout == RadiationLayout::column, has_layers = names.play != nullptr;
  if (options.experiment != "all")
    throw Error(file.path(),
                fmt::format("experiment {} was asked for, but a column file has none", options.experiment));
  if (!file.exists(names.plev)) throw Error(fmt::format("{}: {}", file.path(), names.plev), "missing");
  auto const shape = file.shape(names.plev);
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 2)
    refuse_shape(file, names.plev, shape, "(column, level) with at least 1 column and 2 levels");
  std::size_t const of_file = shape[0], nlev = shape[1], nlay = nlev - 1;
  Dimensions const layers{"(column, layer)", {of_file, nlay}}, levels{"(column, level)", {of_file, nlev}};
  auto const rules = temperature_rules(options, file.path(), has_layers);
  bool const rrtmg = options.model == GasOpticsModel::rrtmg;

  // All that the file says of its variables, and then their values.
  auto const grid = grid_of(options, of_file, nlay);
  std::size_t nemis = 1;
  if (options.longwave && (has_layers || file.exists(names.emissivity))) {
    bool const of_shortwave = !options.shortwave && file.exists(names.cos_zenith);
    nemis = bands_of_emissivity(file, options, input.layout, grid,
                                of_shortwave ? "the longwave needs it; --shortwave computes the shortwave alone" : "");
  }
  Dimensions const surface{"(column)", {of_file}},
      of_bands{"(column, layer, band)", {of_file, nlay, grid.longwave.nband}},
      of_gpoints{"(column, gpt)", {of_file, grid.longwave.ngpoint}};
  bool const has_incident_flux = options.longwave && file.exists(incident_flux_variable);
  auto const gases = find_gases(file, input.layout, options);
  for (auto const& each : gases) input.gases.push_back(each.first);
  bool const may_have_aerosol = column_layout && (rrtmg || options.model == GasOpticsModel::simple);
  auto const tauaer = options.longwave && may_have_aerosol ? longwave_name(file, "tauaer", grid) : std::string();
  bool const has_aerosol = !tauaer.empty();
  if (column_layout && !may_have_aerosol) refuse_aerosol_of_rrtmg(file, options);
  if (column_layout) refuse_clouds_of_columns(file, options, of_file);
  check_field(file, names.plev, level_pressure, levels);
  if (has_layers) check_field(file, names.play, layer_pressure, layers);
  if (rules.read_layers) check_field(file, names.tlay, temperature, layers);
  for (auto const& [gas, name] : gases) check_field(file, name, vmr, layers);
  auto const ngas = static_cast<std::size_t>(gases_of(options.model));
  std::size_t of_layer = 2 + ngas, largest = 1, of_clouds = 0;  // values of a layer
  if (rules.read_levels) {
    need_levels(file, names.tlev, options);
    check_field(file, names.tlev, temperature, levels);
  }
  if (options.longwave) {
    if (has_layers || file.exists(names.tsfc)) check_field(file, names.tsfc, temperature, surface);
    if (has_layers || file.exists(names.emissivity))
      check_field(file, names.emissivity, emissivity, {"(column, band)", file.shape(names.emissivity)});
    if (has_aerosol) check_field(file, tauaer, optical_depth, of_bands);
    if (has_incident_flux) check_field(file, incident_flux_variable, solar_irradiance, of_gpoints);
    if (column_layout) of_clouds = check_clouds(file, grid);
    of_layer += of_clouds + (has_aerosol ? grid.longwave.nband : 0);
    largest = of_clouds > grid.longwave.ngpoint ? grid.longwave.ngpoint : has_aerosol ? grid.longwave.nband : 1;
  }
  if (options.shortwave) {
    auto const sizes = check_shortwave(file, options, input.layout, grid);
    of_layer += sizes.values;
    largest = std::max(largest, sizes.largest);
  }
  if (input.layout == RadiationLayout::rte) {
    std::size_t const values = check_rte_input(file, options, grid);
    of_layer += values;
    if (values > grid.longwave.ngpoint) largest = std::max(grid.longwave.ngpoint, grid.shortwave.ngpoint);
  }
  input.sites = options.part.of(of_file);
  input.nsite_of_file = static_cast<int>(std::min<std::size_t>(of_file, std::numeric_limits<int>::max()));
  std::size_t const ncol = input.sites.count;
  std::size_t const of_column = 1 + 5 + fluxes::nsolar + grid.shortwave.nband;
  std::size_t const incident = has_incident_flux ? grid.longwave.ngpoint : 0;
  check_size(file, ncol, nlay, of_layer * nlay + 2 * nlev + nemis + incident + of_column,
             ncol * std::max(nlev, nlay * largest), ncol, "");
  if (input.sites.empty()) return;

  Ranges const ranges{input.sites};
  RangedFields fields{file, options.validity, {options.out_of_range}, {}, {}};
  fields.read_pressures(names.plev, levels, has_layers ? names.play : "", layers, ranges);
  input.top_first = fields.top_first;
  auto const& columns = input.columns;
  std::optional<Field> aerosol;
  if (has_aerosol) aerosol = read_field(file, tauaer, optical_depth, of_bands, ranges);
  // Whether there is any in the other parts is not known here.
  bool const any_aerosol =
      aerosol && (options.part.parts > 1 ||
                  std::any_of(aerosol->values.begin(), aerosol->values.end(), [](double depth) { return depth > 0.; }));
  input.columns =
      make_model_columns(options, ncol, nlay, nemis, any_aerosol, rules.read_levels || rules.levels_of_layers);
  if (any_aerosol) copy_spectra(*aerosol, input.top_first, columns.aerosol);
  copy_profiles(fields.plev, input.top_first, columns.pressure_lev, 0);
  copy_profiles(fields.play, input.top_first, columns.pressure_lay, 0);
  if (rules.read_levels)
    copy_profiles(fields.at_levels(names.tlev, levels, ranges), input.top_first, columns.temperature_lev, 0);
  if (rules.read_layers)
    copy_profiles(fields.at_layers(names.tlay, layers, ranges), input.top_first, columns.temperature_lay, 0);
  complete_temperatures(rules, columns);
  input.level_temperatures = rules.read_levels;
  if (has_incident_flux) {
    auto const flux = read_field(file, incident_flux_variable, solar_irradiance, of_gpoints, ranges);
    input.columns.incident_flux = HostArray<double**>("parhelion::io::incident_flux", ncol, grid.longwave.ngpoint);
    std::copy(flux.values.begin(), flux.values.end(), columns.incident_flux.data());
  }
  if (options.longwave) read_surface_of_columns(file, names, fields, surface, input.sites, options, columns);
  for (auto const& [gas, name] : gases) copy_gas(fields.of_gas(name, layers, ranges), gas, input.top_first, columns);

  input.nsite = static_cast<int>(ncol);
  auto clouds = options.clouds;
  clouds.clip = clouds.clip || options.out_of_range == OutOfRange::clip;
  if (options.shortwave) share_profiles(columns, input.shortwave_columns);
  if (input.layout == RadiationLayout::ecrad)
    refuse_cloud_options(file.path(), options.clouds, "ecRad's layout is read without clouds");
  if (input.layout == RadiationLayout::rte) read_rte_input(file, options, clouds, fields.check, input);
  if (options.longwave && column_layout) read_clouds(file, options, clouds, input);
  if (options.shortwave) {
    read_shortwave(file, options, input);
    if (column_layout) read_shortwave_clouds(file, options, clouds, input);
    auto const& of_shortwave = input.shortwave_clouds;
    bool const with_levels = of_shortwave.of_layers() && fluxes::is_exponential(of_shortwave.overlap);
    if (with_levels && columns.temperature_lev.size() == 0) {
      input.columns.temperature_lev = HostArray<double**>("parhelion::io::temperature_lev", ncol, nlev);
      if (options.level_temperatures == LevelTemperatures::interpolate)
        fluxes::rrtmgp::interpolate_level_temperatures(columns);
      else
        copy_profiles(fields.at_levels(names.tlev, levels, ranges), input.top_first, columns.temperature_lev, 0);
    }
    if (with_levels || options.shortwave_needs.uses_levels)
      input.shortwave_columns.temperature_lev = columns.temperature_lev;
  }
  if (options.longwave && options.shortwave && column_layout) refuse_one_sided(file, options, input);
  input.out_of_range = fields.check.counts;
  if (options.part.index > 0) return;
  input.column_labels = read_labels(file, names.label, of_file);
  input.latitude = read_places(file, names.lat, latitude, surface);
  input.longitude = read_places(file, names.lon, longitude, surface);
}

ItemRange chosen_experiments(Hdf5File const& file, std::string const& text, std::size_t nexpt) {
  if (text == "all") return {0, nexpt};
  std::size_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > nexpt)
    throw Error(file.path(),
                fmt::format("experiment {} was asked for, expected all or a number from 1 to {}", text, nexpt));
  return {number - 1, 1};
}

void read_rfmip(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  refuse_cloud_options(file.path(), options.clouds, "an RFMIP file has no clouds");
  // Where only the shortwave is asked for the temperatures of layers tell how many experiments there are.
  auto const rules = temperature_rules(options, file.path(), true);
  std::string const temperatures = rules.read_levels ? "temp_level" : "temp_layer";
  for (std::string const& name : {std::string("pres_level"), temperatures})
    if (!file.exists(name)) throw Error(fmt::format("{}: {}", file.path(), name), "missing");
  auto const shape = file.shape("pres_level"), expt_shape = file.shape(temperatures);
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 2)
    refuse_shape(file, "pres_level", shape, "(site, level) with at least 1 site and 2 levels");
  std::size_t const of_file = shape[0], nlev = shape[1], nlay = nlev - 1;
  if (expt_shape.size() != 3 || expt_shape[0] < 1)
    refuse_shape(file, temperatures, expt_shape,
                 fmt::format("(expt, site, {}) with at least 1 experiment", rules.read_levels ? "level" : "layer"));
  std::size_t const nexpt = expt_shape[0];
  Dimensions const layers{"(expt, site, layer)", {nexpt, of_file, nlay}};
  Dimensions const levels{"(expt, site, level)", {nexpt, of_file, nlev}};
  auto const expts = chosen_experiments(file, options.experiment, nexpt);

  Dimensions const site_levels{"(site, level)", {of_file, nlev}}, site_layers{"(site, layer)", {of_file, nlay}},
      surface{"(expt, site)", {nexpt, of_file}}, sites{"(site)", {of_file}}, experiments{"(expt)", {nexpt}};
  // All that the file says of its variables, and then their values.
  auto const gases = find_gases(file, input.layout, options);
  for (auto const& each : gases) input.gases.push_back(each.first);
  if (options.model == GasOpticsModel::rrtmgp) input.gases.push_back(Gas::no2);  // of which there is none
  auto const is_profile = [](Gas gas) { return gas == Gas::h2o || gas == Gas::o3; };
  check_field(file, "pres_level", level_pressure, site_levels);
  check_field(file, "pres_layer", layer_pressure, site_layers);
  if (rules.read_levels) check_field(file, "temp_level", temperature, levels);
  if (rules.read_layers) check_field(file, "temp_layer", temperature, layers);
  if (options.longwave) {
    check_field(file, "surface_temperature", temperature, surface);
    check_field(file, "surface_emissivity", emissivity, sites);
  }
  if (options.shortwave) check_shortwave_sites(file, options, of_file);
  for (auto const& [gas, name] : gases) check_field(file, name, vmr, is_profile(gas) ? layers : experiments);
  input.sites = options.part.of(of_file);
  input.nsite_of_file = static_cast<int>(std::min<std::size_t>(of_file, std::numeric_limits<int>::max()));
  std::size_t const nsite = input.sites.count, ncol = expts.count * nsite;
  constexpr std::size_t of_column = 2 + 3 + fluxes::nsolar;
  check_size(file, ncol, nlay, 2 * (nlay + nlev) + of_column + nlay * static_cast<std::size_t>(gases_of(options.model)),
             ncol * nlev, nsite, expts.count > 1 ? "--experiment N makes it fit" : "");
  if (input.sites.empty()) return;

  Ranges const of_sites{input.sites}, ranges{expts, input.sites};
  RangedFields fields{file, options.validity, {options.out_of_range}, {}, {}};
  fields.read_pressures("pres_level", site_levels, "pres_layer", site_layers, of_sites);
  if (options.least_top_pressure) fields.raise_top(*options.least_top_pressure);
  input.top_first = fields.top_first;
  input.columns = make_model_columns(options, ncol, nlay, 1, false, rules.read_levels || rules.levels_of_layers);
  auto const& columns = input.columns;
  for (std::size_t e = 0; e < expts.count; ++e) {  // pressure is the same in all experiments
    copy_profiles(fields.plev, input.top_first, columns.pressure_lev, e * nsite);
    copy_profiles(fields.play, input.top_first, columns.pressure_lay, e * nsite);
  }
  if (rules.read_levels)
    copy_profiles(fields.at_levels("temp_level", levels, ranges), input.top_first, columns.temperature_lev, 0);
  if (rules.read_layers)
    copy_profiles(fields.at_layers("temp_layer", layers, ranges), input.top_first, columns.temperature_lay, 0);
  complete_temperatures(rules, columns);
  input.level_temperatures = rules.read_levels;
  if (options.longwave) {
    auto const tsfc = fields.of_surface("surface_temperature", surface, ranges);
    auto const emis = read_field(file, "surface_emissivity", emissivity, sites, of_sites);
    for (std::size_t c = 0; c < ncol; ++c) {
      columns.temperature_sfc(c) = tsfc.converted(c);
      columns.emissivity_sfc(c, 0) = emis.converted(c % nsite);
    }
  }
  for (auto const& [gas, name] : gases) {
    if (is_profile(gas)) {
      copy_gas(fields.of_gas(name, layers, ranges), gas, input.top_first, columns);
      continue;
    }
    auto const field = fields.of_gas(name, experiments, {expts});
    if (options.part.index > 0) fields.check.counts.back().second = 0;  // the first part counts for all
    for (std::size_t c = 0; c < ncol; ++c)
      for (std::size_t k = 0; k < nlay; ++k) columns.vmr(c, static_cast<int>(gas), k) = field.converted(c / nsite);
  }
  if (options.shortwave) {
    share_profiles(columns, input.shortwave_columns);
    if (options.shortwave_needs.uses_levels) input.shortwave_columns.temperature_lev = columns.temperature_lev;
    read_shortwave_sites(file, options, expts.count, input);
  }
  input.out_of_range = fields.check.counts;

  input.nsite = static_cast<int>(nsite);
  input.experiments.resize(expts.count);
  std::iota(input.experiments.begin(), input.experiments.end(), static_cast<int>(expts.first) + 1);
  if (options.part.index > 0) return;
  auto const labels = read_labels(file, "expt_label", nexpt);
  if (!labels.empty()) {
    auto const first = labels.begin() + static_cast<std::ptrdiff_t>(expts.first);
    input.experiment_labels.assign(first, first + static_cast<std::ptrdiff_t>(expts.count));
  }
  if (file.exists("profile_weight")) {
    input.profile_weight = read_field(file, "profile_weight", weight, sites).values;
    if (std::accumulate(input.profile_weight.begin(), input.profile_weight.end(), 0.) == 0.)
      throw Error(file.path() + ": profile_weight", "is 0 everywhere, expected a positive sum");
  }
  input.latitude = read_places(file, "lat", latitude, sites);
  input.longitude = read_places(file, "lon", longitude, sites);
}

}  // namespace

RadiationInput read_radiation_input(std::string const& path, RadiationOptions const& options) {
  Hdf5File const file(path);
  RadiationInput input;
  input.path = path;
  input.layout = recognise(file);
  input.band_order = options.band_order;
  refuse_unsupported(file, input.layout, options);
  if (input.layout == RadiationLayout::rfmip)
    read_rfmip(file, options, input);
  else
    read_columns(file, options, input);
  if (options.part.parts == 1) std::erase_if(input.out_of_range, [](auto const& each) { return each.second == 0; });
  return input;
}

}  // namespace parhelion::io
