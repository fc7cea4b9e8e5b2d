// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/radiation_files.hpp>

#include "plain_values.hpp"
#include "radiation_clouds.hpp"
#include "radiation_fields.hpp"
#include "shortwave_input.hpp"
#include "spectral_arrays.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace parhelion::io {

namespace {

using fluxes::Gas;
using fluxes::nbnd;
using fluxes::ngas;

using namespace Impl;

struct GasNames {
  Gas gas;
  char const* column;  // (column, layer)
  char const* rfmip;   // (expt), but water vapour and ozone: (expt, site, layer)
};

constexpr std::array<GasNames, ngas> gas_names{{{Gas::h2o, "h2ovmr", "water_vapor"},
                                                {Gas::co2, "co2vmr", "carbon_dioxide_GM"},
                                                {Gas::o3, "o3vmr", "ozone"},
                                                {Gas::n2o, "n2ovmr", "nitrous_oxide_GM"},
                                                {Gas::co, "covmr", "carbon_monoxide_GM"},
                                                {Gas::ch4, "ch4vmr", "methane_GM"},
                                                {Gas::o2, "o2vmr", "oxygen_GM"},
                                                {Gas::ccl4, "ccl4vmr", "carbon_tetrachloride_GM"},
                                                {Gas::cfc11, "cfc11vmr", "cfc11_GM"},
                                                {Gas::cfc12, "cfc12vmr", "cfc12_GM"},
                                                {Gas::cfc22, "cfc22vmr", "hcfc22_GM"}}};

// Variables that tell the layouts apart, each file having all of its own.
constexpr std::array column_variables{"plev", "play", "tlev", "tlay", "tsfc", "emis"};
constexpr std::array rfmip_variables{"pres_level", "pres_layer",          "temp_level",
                                     "temp_layer", "surface_temperature", "surface_emissivity"};

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

template <std::size_t N>
std::size_t count_present(Hdf5File const& file, std::array<char const*, N> const& names) {
  return static_cast<std::size_t>(
      std::count_if(names.begin(), names.end(), [&](char const* name) { return file.exists(name); }));
}

RadiationLayout recognise(Hdf5File const& file) {
  auto const column = count_present(file, column_variables), rfmip = count_present(file, rfmip_variables);
  if (column == rfmip)
    throw Error(file.path(), fmt::format("is {} atmosphere file, expected the column layout ({}, ...) or the RFMIP "
                                         "layout ({}, ...)",
                                         column == 0 ? "no" : "no unambiguous", fmt::join(column_variables, ", "),
                                         fmt::join(rfmip_variables, ", ")));
  return column > rfmip ? RadiationLayout::column : RadiationLayout::rfmip;
}

bool is_known(std::string const& name, RadiationLayout layout) {
  bool const column = layout == RadiationLayout::column;
  auto const holds = [&](auto const& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (column && (holds(gpoint_variables) || holds(gpoint_size_variables) || holds(layer_variables) ||
                 holds(flag_variables) || name == "tauaer" || is_shortwave_variable(name)))
    return true;
  if (!column && holds(shortwave_rfmip_variables)) return true;
  return holds(column ? column_variables : rfmip_variables) ||
         std::any_of(gas_names.begin(), gas_names.end(),
                     [&](GasNames const& each) { return name == (column ? each.column : each.rfmip); });
}

// Input that would change the result and that is not read.
void refuse_unsupported(Hdf5File const& file, RadiationLayout layout, bool shortwave) {
  if (layout == RadiationLayout::rfmip) {
    auto const refuse = [&](auto const& names, char const* why) {
      for (char const* const name : names)
        if (file.exists(name))
          throw Error(fmt::format("{}: {}", file.path(), name), fmt::format("cannot be honoured: {}", why));
    };
    char const* const clear = "the RFMIP layout has neither clouds nor aerosol";
    refuse(gpoint_variables, clear);
    refuse(gpoint_size_variables, clear);
    refuse(layer_variables, clear);
    refuse(flag_variables, clear);
    refuse(aerosol_variables, clear);
    if (shortwave) {
      refuse(std::array{"ecaer", "iaer", "inflgsw", "iceflgsw", "liqflgsw"}, clear);
      refuse(shortwave_flag_variables, "the RFMIP layout has total_solar_irradiance in its place");
      refuse(shortwave_variables, "it belongs to the column layout");
    }
    for (char const* const name : {"icld", "idrv"}) {
      auto const values = file.number_attribute("", name);
      auto const text = file.text_attribute("", name);
      bool const zero = values ? std::all_of(values->begin(), values->end(), [](double v) { return v == 0.; })
                               : !text || *text == "0";
      if (!zero)
        throw Error(file.path(), fmt::format("attribute {} = {}, expected 0 in the RFMIP layout", name,
                                             text ? *text : fmt::format("{}", fmt::join(*values, ", "))));
    }
  }
  for (auto const& name : file.variables())
    if (!is_known(name, layout) && file.text_attribute(name, "role") == "input")
      throw Error(fmt::format("{}: {}", file.path(), name), "is input (attribute role) that is not supported");
}

bool is_required(RadiationOptions const& options, Gas gas) {
  auto const holds = [&](auto const& gases) { return std::find(gases.begin(), gases.end(), gas) != gases.end(); };
  return (options.longwave && holds(options.required_gases)) || (options.shortwave && holds(shortwave_gases));
}

// Whether a gas is read. Refuses a file without a gas that is required.
bool has_gas(Hdf5File const& file, RadiationOptions const& options, std::string const& name, Gas gas) {
  bool const required = is_required(options, gas);
  if (!options.longwave && !required) return false;
  if (file.exists(name)) return true;
  if (required) throw Error(fmt::format("{}: {}", file.path(), name), "missing: the gas optics need this gas");
  return false;
}

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

// Refuses columns that no index counts or that do not fit into memory, before any of them is read.
// `largest` is how many values the largest variable has.
void check_size(Hdf5File const& file, std::size_t ncol, std::size_t nlay, std::size_t values_per_column,
                std::size_t largest, char const* advice) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  if (ncol > most || nlay >= most)
    throw Error(file.path(), fmt::format("has {} columns of {} layers, expected at most {} of each", ncol, nlay, most));
  double const bytes = sizeof(double) * (static_cast<double>(ncol) * static_cast<double>(values_per_column) +
                                         static_cast<double>(largest));
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
    play = read_field(file, layers_name, check.before(layer_pressure), layers, ranges);
    top_first = check_pressure(file, plev, play);
    for (Field* const field : {&plev, &play}) check(file, *field, [&](std::size_t) { return validity.pressure; });
    if (total(check.counts) > 0) check_pressure(file, plev, play);  // clipping may have left nothing of a layer
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
std::size_t bands_of_emissivity(Hdf5File const& file, std::size_t ncol, std::string const& hint) {
  if (!file.exists("emis"))
    throw Error(file.path() + ": emis", std::string("missing") + (hint.empty() ? "" : ": ") + hint);
  auto const shape = file.shape("emis");
  std::size_t const nemis = shape.size() == 2 ? shape[1] : 1;
  if (shape.empty() || shape.size() > 2 || shape[0] != ncol || (nemis != 1 && nemis != nbnd))
    refuse_shape(file, "emis", shape, fmt::format("(column) = ({}) or (column, band) = ({}, {})", ncol, ncol, nbnd));
  return nemis;
}

// What the shortwave has in common with the longwave, zero; the rest is empty.
fluxes::HostColumns columns_without_surface(std::size_t ncol, std::size_t nlay) {
  fluxes::HostColumns columns;
  columns.pressure_lay = HostArray<double**>("parhelion::io::pressure_lay", ncol, nlay);
  columns.pressure_lev = HostArray<double**>("parhelion::io::pressure_lev", ncol, nlay + 1);
  columns.temperature_lay = HostArray<double**>("parhelion::io::temperature_lay", ncol, nlay);
  columns.vmr = HostArray<double***>("parhelion::io::vmr", ncol, ngas, nlay);
  return columns;
}

void share_profiles(fluxes::HostColumns const& columns, fluxes::HostShortwaveColumns& shortwave) {
  shortwave.pressure_lay = columns.pressure_lay;
  shortwave.pressure_lev = columns.pressure_lev;
  shortwave.temperature_lay = columns.temperature_lay;
  shortwave.vmr = columns.vmr;
}

// --- the two layouts ---------------------------------------------------------------------------------------------

void read_columns(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  if (options.experiment != "all")
    throw Error(file.path(),
                fmt::format("experiment {} was asked for, but a column file has none", options.experiment));
  if (!file.exists("plev")) throw Error(file.path() + ": plev", "missing");
  auto const shape = file.shape("plev");
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 2)
    refuse_shape(file, "plev", shape, "(column, level) with at least 1 column and 2 levels");
  std::size_t const of_file = shape[0], nlev = shape[1], nlay = nlev - 1;
  Dimensions const layers{"(column, layer)", {of_file, nlay}}, levels{"(column, level)", {of_file, nlev}};

  // All that the file says of its variables, and then their values.
  Grid const grid{of_file, nlay};
  std::size_t nemis = 1;
  if (options.longwave) {
    bool const of_shortwave = !options.shortwave && file.exists("coszen");
    nemis = bands_of_emissivity(file, of_file,
                                of_shortwave ? "the longwave needs it; --shortwave computes the shortwave alone" : "");
  }
  Dimensions const surface{"(column)", {of_file}},
      of_bands{"(column, layer, band)", {of_file, nlay, std::size_t(nbnd)}};
  std::vector<GasNames> gases;
  for (auto const& each : gas_names)
    if (has_gas(file, options, each.column, each.gas)) gases.push_back(each);
  auto const tauaer = options.longwave ? longwave_name(file, "tauaer", grid) : std::string();
  bool const has_aerosol = !tauaer.empty();
  check_field(file, "plev", level_pressure, levels);
  check_field(file, "play", layer_pressure, layers);
  check_field(file, "tlay", temperature, layers);
  for (auto const& each : gases) check_field(file, each.column, vmr, layers);
  std::size_t of_layer = 2 + ngas, largest = 1, of_clouds = 0;  // values of a layer
  if (options.longwave) {
    check_field(file, "tlev", temperature, levels);
    check_field(file, "tsfc", temperature, surface);
    check_field(file, "emis", emissivity, {"(column, band)", file.shape("emis")});
    if (has_aerosol) check_field(file, tauaer, optical_depth, of_bands);
    of_clouds = check_clouds(file, grid);
    of_layer += of_clouds + (has_aerosol ? nbnd : 0);
    largest = of_clouds > fluxes::ngpt ? fluxes::ngpt : has_aerosol ? nbnd : 1;
  }
  if (options.shortwave) {
    auto const sizes = check_shortwave(file, grid);
    of_layer += sizes.values;
    largest = std::max(largest, sizes.largest);
  }
  input.sites = options.part.of(of_file);
  input.nsite_of_file = static_cast<int>(std::min<std::size_t>(of_file, std::numeric_limits<int>::max()));
  std::size_t const ncol = input.sites.count;
  constexpr std::size_t of_column = 1 + 5 + fluxes::nsolar + fluxes::nbnd_sw;
  check_size(file, ncol, nlay, of_layer * nlay + 2 * nlev + nemis + of_column, ncol * std::max(nlev, nlay * largest),
             "");
  if (input.sites.empty()) return;

  Ranges const ranges{input.sites};
  RangedFields fields{file, options.validity, {options.out_of_range}, {}, {}};
  fields.read_pressures("plev", levels, "play", layers, ranges);
  input.top_first = fields.top_first;
  auto const& columns = input.columns;
  if (options.longwave) {
    std::optional<Field> aerosol;
    if (has_aerosol) aerosol = read_field(file, tauaer, optical_depth, of_bands, ranges);
    // Whether there is any in the other parts is not known here.
    bool const any_aerosol =
        aerosol && (options.part.parts > 1 || std::any_of(aerosol->values.begin(), aerosol->values.end(),
                                                          [](double depth) { return depth > 0.; }));
    input.columns = fluxes::make_columns<Kokkos::DefaultHostExecutionSpace, double>(
        static_cast<int>(ncol), static_cast<int>(nlay), static_cast<int>(nemis), any_aerosol);
    if (any_aerosol) copy_spectra(*aerosol, input.top_first, columns.aerosol);
  } else {
    input.columns = columns_without_surface(ncol, nlay);
  }
  copy_profiles(fields.plev, input.top_first, columns.pressure_lev, 0);
  copy_profiles(fields.play, input.top_first, columns.pressure_lay, 0);
  if (options.longwave)
    copy_profiles(fields.at_levels("tlev", levels, ranges), input.top_first, columns.temperature_lev, 0);
  copy_profiles(fields.at_layers("tlay", layers, ranges), input.top_first, columns.temperature_lay, 0);
  if (options.longwave) {
    auto const tsfc = fields.of_surface("tsfc", surface, ranges);
    for (std::size_t c = 0; c < ncol; ++c) columns.temperature_sfc(c) = tsfc.converted(c);
    auto const emis = read_field(file, "emis", emissivity, {"(column, band)", file.shape("emis")}, ranges);
    for (std::size_t i = 0; i < emis.values.size(); ++i)
      columns.emissivity_sfc(i / nemis, i % nemis) = emis.converted(i);
  }
  for (auto const& each : gases)
    copy_gas(fields.of_gas(each.column, layers, ranges), each.gas, input.top_first, columns);

  input.nsite = static_cast<int>(ncol);
  auto clouds = options.clouds;
  clouds.clip = clouds.clip || options.out_of_range == OutOfRange::clip;
  if (options.longwave) read_clouds(file, clouds, input);
  if (options.shortwave) {
    share_profiles(columns, input.shortwave_columns);
    read_shortwave(file, options, input);
    read_shortwave_clouds(file, clouds, input);
    auto const& of_shortwave = input.shortwave_clouds;
    if (of_shortwave.of_layers() && fluxes::is_exponential(of_shortwave.overlap)) {
      if (!options.longwave) {
        input.columns.temperature_lev = HostArray<double**>("parhelion::io::temperature_lev", ncol, nlev);
        copy_profiles(fields.at_levels("tlev", levels, ranges), input.top_first, columns.temperature_lev, 0);
      }
      input.shortwave_columns.temperature_lev = columns.temperature_lev;
    }
  }
  if (options.longwave && options.shortwave) refuse_one_sided(file, input);
  input.out_of_range = fields.check.counts;
  if (options.part.index > 0) return;
  input.column_labels = read_labels(file, "column_label", of_file);
  input.latitude = read_places(file, "lat", latitude, surface);
  input.longitude = read_places(file, "lon", longitude, surface);
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
  std::string const temperatures = options.longwave ? "temp_level" : "temp_layer";
  for (std::string const& name : {std::string("pres_level"), temperatures})
    if (!file.exists(name)) throw Error(fmt::format("{}: {}", file.path(), name), "missing");
  auto const shape = file.shape("pres_level"), expt_shape = file.shape(temperatures);
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 2)
    refuse_shape(file, "pres_level", shape, "(site, level) with at least 1 site and 2 levels");
  std::size_t const of_file = shape[0], nlev = shape[1], nlay = nlev - 1;
  if (expt_shape.size() != 3 || expt_shape[0] < 1)
    refuse_shape(file, temperatures, expt_shape,
                 fmt::format("(expt, site, {}) with at least 1 experiment", options.longwave ? "level" : "layer"));
  std::size_t const nexpt = expt_shape[0];
  Dimensions const layers{"(expt, site, layer)", {nexpt, of_file, nlay}};
  Dimensions const levels{"(expt, site, level)", {nexpt, of_file, nlev}};
  auto const expts = chosen_experiments(file, options.experiment, nexpt);

  Dimensions const site_levels{"(site, level)", {of_file, nlev}}, site_layers{"(site, layer)", {of_file, nlay}},
      surface{"(expt, site)", {nexpt, of_file}}, sites{"(site)", {of_file}}, experiments{"(expt)", {nexpt}};
  // All that the file says of its variables, and then their values.
  std::vector<GasNames> gases;
  for (auto const& each : gas_names)
    if (has_gas(file, options, each.rfmip, each.gas)) gases.push_back(each);
  auto const is_profile = [](Gas gas) { return gas == Gas::h2o || gas == Gas::o3; };
  check_field(file, "pres_level", level_pressure, site_levels);
  check_field(file, "pres_layer", layer_pressure, site_layers);
  if (options.longwave) check_field(file, "temp_level", temperature, levels);
  check_field(file, "temp_layer", temperature, layers);
  if (options.longwave) {
    check_field(file, "surface_temperature", temperature, surface);
    check_field(file, "surface_emissivity", emissivity, sites);
  }
  if (options.shortwave) check_shortwave_sites(file, of_file);
  for (auto const& each : gases) check_field(file, each.rfmip, vmr, is_profile(each.gas) ? layers : experiments);
  input.sites = options.part.of(of_file);
  input.nsite_of_file = static_cast<int>(std::min<std::size_t>(of_file, std::numeric_limits<int>::max()));
  std::size_t const nsite = input.sites.count, ncol = expts.count * nsite;
  constexpr std::size_t of_column = 2 + 3 + fluxes::nsolar;
  check_size(file, ncol, nlay, 2 * (nlay + nlev) + of_column + nlay * ngas, ncol * nlev,
             expts.count > 1 ? "--experiment N makes it fit" : "");
  if (input.sites.empty()) return;

  Ranges const of_sites{input.sites}, ranges{expts, input.sites};
  RangedFields fields{file, options.validity, {options.out_of_range}, {}, {}};
  fields.read_pressures("pres_level", site_levels, "pres_layer", site_layers, of_sites);
  input.top_first = fields.top_first;
  input.columns = options.longwave ? fluxes::make_columns<Kokkos::DefaultHostExecutionSpace, double>(
                                         static_cast<int>(ncol), static_cast<int>(nlay), 1)
                                   : columns_without_surface(ncol, nlay);
  auto const& columns = input.columns;
  for (std::size_t e = 0; e < expts.count; ++e) {  // pressure is the same in all experiments
    copy_profiles(fields.plev, input.top_first, columns.pressure_lev, e * nsite);
    copy_profiles(fields.play, input.top_first, columns.pressure_lay, e * nsite);
  }
  if (options.longwave)
    copy_profiles(fields.at_levels("temp_level", levels, ranges), input.top_first, columns.temperature_lev, 0);
  copy_profiles(fields.at_layers("temp_layer", layers, ranges), input.top_first, columns.temperature_lay, 0);
  if (options.longwave) {
    auto const tsfc = fields.of_surface("surface_temperature", surface, ranges);
    auto const emis = read_field(file, "surface_emissivity", emissivity, sites, of_sites);
    for (std::size_t c = 0; c < ncol; ++c) {
      columns.temperature_sfc(c) = tsfc.converted(c);
      columns.emissivity_sfc(c, 0) = emis.converted(c % nsite);
    }
  }
  for (auto const& each : gases) {
    if (is_profile(each.gas)) {
      copy_gas(fields.of_gas(each.rfmip, layers, ranges), each.gas, input.top_first, columns);
      continue;
    }
    auto const field = fields.of_gas(each.rfmip, experiments, {expts});
    if (options.part.index > 0) fields.check.counts.back().second = 0;  // the first part counts for all
    for (std::size_t c = 0; c < ncol; ++c)
      for (std::size_t k = 0; k < nlay; ++k) columns.vmr(c, static_cast<int>(each.gas), k) = field.converted(c / nsite);
  }
  if (options.shortwave) {
    share_profiles(columns, input.shortwave_columns);
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
  refuse_unsupported(file, input.layout, options.shortwave);
  if (input.layout == RadiationLayout::column)
    read_columns(file, options, input);
  else
    read_rfmip(file, options, input);
  if (options.part.parts == 1) std::erase_if(input.out_of_range, [](auto const& each) { return each.second == 0; });
  return input;
}

}  // namespace parhelion::io
