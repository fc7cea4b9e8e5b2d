// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/radiation_files.hpp>

#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

namespace parhelion::io {

namespace {

using rrtmg::Gas;
using rrtmg::nbnd;
using rrtmg::ngas;

using Shape = std::vector<std::size_t>;

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

// Input of clouds and aerosols, which a clear-sky calculation must not pass over in silence.
constexpr std::array unsupported_variables{"cldfmcl", "ciwpmcl", "clwpmcl", "taucmcl",  "reicmcl",
                                           "relqmcl", "tauaer",  "inflglw", "iceflglw", "liqflglw",
                                           "cldfrac", "ciwp",    "clwp",    "rei",      "rel"};
constexpr std::array unsupported_attributes{"icld", "idrv"};

// --- units -------------------------------------------------------------------------------------------------------

// A kind of quantity: which units and values a file may have for it.
struct Quantity {
  std::optional<double> (*factor)(std::string const& unit);  // to SI, nothing for a unit that is not known
  char const* units;                                         // those that are, for messages
  bool (*valid)(double value);                               // in SI
  char const* expected;                                      // what is valid, for messages
};

template <std::size_t N>
bool is_one_of(std::string_view word, std::array<std::string_view, N> const& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<double> pressure_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 3>{"Pa", "pascal", "pascals"})) return 1.;
  if (is_one_of(unit, std::array<std::string_view, 6>{"hPa", "mbar", "mb", "millibar", "millibars", "hectopascal"}))
    return 100.;
  if (unit == "kPa") return 1000.;
  return std::nullopt;
}

std::optional<double> temperature_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 4>{"K", "kelvin", "Kelvin", "degK"})) return 1.;
  return std::nullopt;
}

std::optional<double> mole_ratio_factor(std::string const& unit) {
  if (is_one_of(unit, std::array<std::string_view, 5>{"", "mol mol-1", "mol/mol", "mol mol^-1", "mole mole-1"}))
    return 1.;
  if (unit == "ppmv" || unit == "ppm") return 1e-6;
  if (unit == "ppbv" || unit == "ppb") return 1e-9;
  if (unit == "pptv" || unit == "ppt") return 1e-12;
  double factor = 0.;  // "1", "1.e-6", "1e-9 mol mol-1"
  auto const [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), factor);
  std::string_view const rest(end, static_cast<std::size_t>(unit.data() + unit.size() - end));
  if (error == std::errc() && (rest.empty() || rest == " mol mol-1") && std::isfinite(factor) && factor > 0.)
    return factor;
  return std::nullopt;
}

std::optional<double> plain_factor(std::string const& unit) {
  if (unit.empty() || unit == "1") return 1.;
  return std::nullopt;
}

constexpr Quantity layer_pressure{pressure_factor, "Pa, hPa, mbar or kPa", [](double p) { return p > 0.; },
                                  "a positive finite pressure"};
// The highest interface may be the end of the atmosphere.
constexpr Quantity level_pressure{pressure_factor, "Pa, hPa, mbar or kPa", [](double p) { return p >= 0.; },
                                  "a finite pressure of at least 0"};
constexpr Quantity temperature{temperature_factor, "K", [](double t) { return t > 0.; },
                               "a positive finite temperature"};
constexpr Quantity mole_ratio{mole_ratio_factor, "mol mol-1, 1, ppmv, ppbv, pptv or a number such as 1.e-6",
                              [](double x) { return x >= 0. && x <= 1.; }, "a mole ratio from 0 to 1 mol mol-1"};
constexpr Quantity emissivity{plain_factor, "1", [](double e) { return e >= 0. && e <= 1.; },
                              "an emissivity from 0 to 1"};
constexpr Quantity weight{plain_factor, "1", [](double w) { return w >= 0.; }, "a finite weight of at least 0"};

// --- reading and checking one variable ---------------------------------------------------------------------------

// A variable as it stands in the file. Checked values, in the unit of the file.
struct Field {
  std::string name;
  std::string unit;
  double factor = 1.;     // to SI
  Shape shape;            // of what was read
  std::size_t first = 0;  // index in the file of what was read first
  std::vector<double> values;

  double si(std::size_t i) const { return values[i] * factor; }

  // "tlay(3, 17)", as in the file.
  std::string at(std::size_t i) const {
    Shape index(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; i /= shape[d]) index[d] = i % shape[d];
    if (!index.empty()) index.front() += first;
    return fmt::format("{}({})", name, fmt::join(index, ", "));
  }

  std::string value(std::size_t i) const {
    bool const bare = unit.empty() || unit == "1";
    return fmt::format("{:.10g}{}{}", values[i], bare ? "" : " ", bare ? "" : unit);
  }
};

// The part of the first dimension that is read.
struct Rows {
  std::size_t first, count;
};

// Names and lengths of the dimensions that a variable must have: "(column, layer)" and {32, 51}.
struct Dimensions {
  char const* names;
  Shape shape;
};

std::string describe(Shape const& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

void refuse_shape(Hdf5File const& file, std::string const& name, Shape const& found, std::string const& expected) {
  throw Error(fmt::format("{}: {}", file.path(), name),
              fmt::format("has shape {}, expected {}", describe(found), expected));
}

Field read_field(Hdf5File const& file, std::string const& name, Quantity const& quantity, Dimensions const& dimensions,
                 std::optional<Rows> rows = std::nullopt) {
  std::string const where = fmt::format("{}: {}", file.path(), name);
  if (!file.exists(name)) throw Error(where, "missing");
  if (auto const found = file.shape(name); found != dimensions.shape)
    refuse_shape(file, name, found, fmt::format("{} = {}", dimensions.names, describe(dimensions.shape)));

  Field field;
  field.name = name;
  auto const unit = file.text_attribute(name, "units");
  // CF lets dimensionless variables go without units, but a mixing ratio might then be one of masses.
  if (!unit && quantity.factor != plain_factor)
    throw Error(where, fmt::format("has no attribute units, expected {}", quantity.units));
  field.unit = unit.value_or("");
  auto const factor = quantity.factor(field.unit);
  if (!factor) throw Error(where, fmt::format("units = \"{}\", expected {}", field.unit, quantity.units));
  field.factor = *factor;
  refuse_packed(file, name, where);

  field.shape = dimensions.shape;
  if (rows) {
    field.first = rows->first;
    field.shape.front() = rows->count;
    field.values = file.read(name, rows->first, rows->count);
  } else {
    field.values = file.read(name);
  }

  auto const fills = fill_values(file, name);
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    double const value = field.values[i];
    if (std::find(fills.begin(), fills.end(), value) != fills.end())
      throw Error(file.path(),
                  fmt::format("{} is a missing value ({:.10g}), expected {}", field.at(i), value, quantity.expected));
    if (!std::isfinite(value) || !quantity.valid(value * field.factor))
      throw Error(file.path(), fmt::format("{} = {}, expected {}", field.at(i), field.value(i), quantity.expected));
  }
  return field;
}

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
    double const low = std::min(lev.si(c * nlev), lev.si(c * nlev + nlay));
    double const high = std::max(lev.si(c * nlev), lev.si(c * nlev + nlay));
    for (std::size_t k = 0; k < nlay; ++k) {
      std::size_t const i = c * nlay + k;
      if (lay.si(i) < low || lay.si(i) > high)
        throw Error(file.path(), fmt::format("{} = {}, expected a pressure between {} = {} and {} = {}", lay.at(i),
                                             lay.value(i), lev.at(c * nlev), lev.value(c * nlev),
                                             lev.at(c * nlev + nlay), lev.value(c * nlev + nlay)));
      if (k > 0 && (top_first ? lay.si(i) < lay.si(i - 1) : lay.si(i) > lay.si(i - 1)))
        throw Error(file.path(),
                    fmt::format("{} = {} after {} = {}, expected pressure to {} with the index", lay.at(i),
                                lay.value(i), lay.at(i - 1), lay.value(i - 1), top_first ? "rise" : "fall"));
    }
  }
  return top_first;
}

// Copies (rows, levels) of a field to consecutive columns from `column` on, the surface first.
void copy_profiles(Field const& field, bool top_first, HostArray<double**> const& to, std::size_t column) {
  std::size_t const n = field.shape.back();
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    std::size_t const k = i % n;
    to(column + i / n, top_first ? n - 1 - k : k) = field.si(i);
  }
}

void copy_gas(Field const& field, Gas gas, bool top_first, rrtmg::HostColumns const& columns) {
  std::size_t const n = field.shape.back();
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    std::size_t const k = i % n;
    columns.mole_ratio(i / n, static_cast<int>(gas), top_first ? n - 1 - k : k) = field.si(i);
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
  auto const& fields = column ? column_variables : rfmip_variables;
  return std::find(fields.begin(), fields.end(), name) != fields.end() ||
         std::any_of(gas_names.begin(), gas_names.end(),
                     [&](GasNames const& each) { return name == (column ? each.column : each.rfmip); });
}

// Input that would change the result and that nothing here can take in.
void refuse_unsupported(Hdf5File const& file, RadiationLayout layout) {
  for (char const* const name : unsupported_variables)
    if (file.exists(name))
      throw Error(fmt::format("{}: {}", file.path(), name),
                  "cannot be honoured: clouds and aerosols are not supported");
  for (char const* const name : unsupported_attributes) {
    auto const values = file.number_attribute("", name);
    auto const text = file.text_attribute("", name);
    bool const zero =
        values ? std::all_of(values->begin(), values->end(), [](double v) { return v == 0.; }) : !text || *text == "0";
    if (!zero)
      throw Error(file.path(),
                  fmt::format("attribute {} = {}, expected 0: clouds and flux derivatives are not supported", name,
                              text ? *text : fmt::format("{}", fmt::join(*values, ", "))));
  }
  for (auto const& name : file.variables())
    if (!is_known(name, layout) && file.text_attribute(name, "role") == "input")
      throw Error(fmt::format("{}: {}", file.path(), name), "is input (attribute role) that is not supported");
}

bool is_required(RadiationOptions const& options, Gas gas) {
  return std::find(options.required_gases.begin(), options.required_gases.end(), gas) != options.required_gases.end();
}

// Whether a gas is to be read: refuses a file without one that is needed.
bool has_gas(Hdf5File const& file, std::string const& name, bool required) {
  if (file.exists(name)) return true;
  if (required) throw Error(fmt::format("{}: {}", file.path(), name), "missing: the gas optics need this gas");
  return false;
}

// A variable (n) that the result repeats; empty where the file has none of that shape.
std::vector<double> read_companion(Hdf5File const& file, std::string const& name, std::size_t n) {
  if (!file.exists(name) || file.shape(name) != Shape{n}) return {};
  return file.read(name);
}

std::vector<std::string> read_labels(Hdf5File const& file, std::string const& name, std::size_t n) {
  if (!file.exists(name)) return {};
  auto labels = file.read_strings(name);
  if (labels.size() != n) refuse_shape(file, name, {labels.size()}, describe({n}));
  return labels;
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
  std::size_t const ncol = shape[0], nlev = shape[1], nlay = nlev - 1;
  Dimensions const layers{"(column, layer)", {ncol, nlay}}, levels{"(column, level)", {ncol, nlev}};

  auto const plev = read_field(file, "plev", level_pressure, levels);
  auto const play = read_field(file, "play", layer_pressure, layers);
  input.top_first = check_pressure(file, plev, play);

  if (!file.exists("emis")) throw Error(file.path() + ": emis", "missing");
  auto const emis_shape = file.shape("emis");
  std::size_t const nemis = emis_shape.size() == 2 ? emis_shape[1] : 1;
  if (emis_shape.empty() || emis_shape.size() > 2 || emis_shape[0] != ncol || (nemis != 1 && nemis != nbnd))
    refuse_shape(file, "emis", emis_shape,
                 fmt::format("(column) = ({}) or (column, band) = ({}, {})", ncol, ncol, nbnd));

  input.columns = rrtmg::make_columns<Kokkos::DefaultHostExecutionSpace, double>(
      static_cast<int>(ncol), static_cast<int>(nlay), static_cast<int>(nemis));
  auto const& columns = input.columns;
  copy_profiles(plev, input.top_first, columns.pressure_lev, 0);
  copy_profiles(play, input.top_first, columns.pressure_lay, 0);
  copy_profiles(read_field(file, "tlev", temperature, levels), input.top_first, columns.temperature_lev, 0);
  copy_profiles(read_field(file, "tlay", temperature, layers), input.top_first, columns.temperature_lay, 0);
  auto const tsfc = read_field(file, "tsfc", temperature, {"(column)", {ncol}});
  for (std::size_t c = 0; c < ncol; ++c) columns.temperature_sfc(c) = tsfc.si(c);
  auto const emis = read_field(file, "emis", emissivity, {"(column, band)", emis_shape});
  for (std::size_t i = 0; i < emis.values.size(); ++i) columns.emissivity_sfc(i / nemis, i % nemis) = emis.si(i);
  for (auto const& each : gas_names)
    if (has_gas(file, each.column, is_required(options, each.gas)))
      copy_gas(read_field(file, each.column, mole_ratio, layers), each.gas, input.top_first, columns);

  input.nsite = static_cast<int>(ncol);
  input.column_labels = read_labels(file, "column_label", ncol);
  input.latitude = read_companion(file, "lat", ncol);
  input.longitude = read_companion(file, "lon", ncol);
}

Rows chosen_experiments(Hdf5File const& file, std::string const& text, std::size_t nexpt) {
  if (text == "all") return {0, nexpt};
  std::size_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > nexpt)
    throw Error(file.path(),
                fmt::format("experiment {} was asked for, expected all or a number from 1 to {}", text, nexpt));
  return {number - 1, 1};
}

void read_rfmip(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input) {
  for (char const* const name : {"pres_level", "temp_level"})
    if (!file.exists(name)) throw Error(fmt::format("{}: {}", file.path(), name), "missing");
  auto const shape = file.shape("pres_level"), expt_shape = file.shape("temp_level");
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 2)
    refuse_shape(file, "pres_level", shape, "(site, level) with at least 1 site and 2 levels");
  std::size_t const nsite = shape[0], nlev = shape[1], nlay = nlev - 1;
  if (expt_shape.size() != 3 || expt_shape[0] < 1)
    refuse_shape(file, "temp_level", expt_shape, "(expt, site, level) with at least 1 experiment");
  std::size_t const nexpt = expt_shape[0];
  Dimensions const layers{"(expt, site, layer)", {nexpt, nsite, nlay}};
  Dimensions const levels{"(expt, site, level)", {nexpt, nsite, nlev}};
  auto const rows = chosen_experiments(file, options.experiment, nexpt);

  auto const plev = read_field(file, "pres_level", level_pressure, {"(site, level)", {nsite, nlev}});
  auto const play = read_field(file, "pres_layer", layer_pressure, {"(site, layer)", {nsite, nlay}});
  input.top_first = check_pressure(file, plev, play);

  std::size_t const ncol = rows.count * nsite;
  input.columns =
      rrtmg::make_columns<Kokkos::DefaultHostExecutionSpace, double>(static_cast<int>(ncol), static_cast<int>(nlay), 1);
  auto const& columns = input.columns;
  for (std::size_t e = 0; e < rows.count; ++e) {  // pressure is the same in all experiments
    copy_profiles(plev, input.top_first, columns.pressure_lev, e * nsite);
    copy_profiles(play, input.top_first, columns.pressure_lay, e * nsite);
  }
  copy_profiles(read_field(file, "temp_level", temperature, levels, rows), input.top_first, columns.temperature_lev, 0);
  copy_profiles(read_field(file, "temp_layer", temperature, layers, rows), input.top_first, columns.temperature_lay, 0);
  auto const tsfc = read_field(file, "surface_temperature", temperature, {"(expt, site)", {nexpt, nsite}}, rows);
  auto const emis = read_field(file, "surface_emissivity", emissivity, {"(site)", {nsite}});
  for (std::size_t c = 0; c < ncol; ++c) {
    columns.temperature_sfc(c) = tsfc.si(c);
    columns.emissivity_sfc(c, 0) = emis.si(c % nsite);
  }
  for (auto const& each : gas_names) {
    if (!has_gas(file, each.rfmip, is_required(options, each.gas))) continue;
    if (each.gas == Gas::h2o || each.gas == Gas::o3) {
      copy_gas(read_field(file, each.rfmip, mole_ratio, layers, rows), each.gas, input.top_first, columns);
      continue;
    }
    auto const field = read_field(file, each.rfmip, mole_ratio, {"(expt)", {nexpt}}, rows);
    for (std::size_t c = 0; c < ncol; ++c)
      for (std::size_t k = 0; k < nlay; ++k) columns.mole_ratio(c, static_cast<int>(each.gas), k) = field.si(c / nsite);
  }

  input.nsite = static_cast<int>(nsite);
  input.experiments.resize(rows.count);
  std::iota(input.experiments.begin(), input.experiments.end(), static_cast<int>(rows.first) + 1);
  auto const labels = read_labels(file, "expt_label", nexpt);
  if (!labels.empty()) {
    auto const first = labels.begin() + static_cast<std::ptrdiff_t>(rows.first);
    input.experiment_labels.assign(first, first + static_cast<std::ptrdiff_t>(rows.count));
  }
  if (file.exists("profile_weight")) {
    input.profile_weight = read_field(file, "profile_weight", weight, {"(site)", {nsite}}).values;
    if (std::accumulate(input.profile_weight.begin(), input.profile_weight.end(), 0.) == 0.)
      throw Error(file.path() + ": profile_weight", "is 0 everywhere, expected a positive sum");
  }
  input.latitude = read_companion(file, "lat", nsite);
  input.longitude = read_companion(file, "lon", nsite);
}

}  // namespace

RadiationInput read_radiation_input(std::string const& path, RadiationOptions const& options) {
  Hdf5File const file(path);
  RadiationInput input;
  input.path = path;
  input.layout = recognise(file);
  refuse_unsupported(file, input.layout);
  if (input.layout == RadiationLayout::column)
    read_columns(file, options, input);
  else
    read_rfmip(file, options, input);
  return input;
}

// --- writing -----------------------------------------------------------------------------------------------------

namespace {

// `rows` rows of a View in the file's vertical order.
std::vector<double> in_file_order(HostArray<double**> const& from, std::size_t rows, bool top_first) {
  std::size_t const n = from.extent(1);
  std::vector<double> values(rows * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = from(i / n, top_first ? n - 1 - i % n : i % n);
  return values;
}

void check_result(RadiationInput const& input, char const* name, HostArray<double**> const& values, int n) {
  auto const ncol = static_cast<std::size_t>(input.columns.ncol());
  if (values.extent(0) != ncol || values.extent(1) != static_cast<std::size_t>(n))
    throw Error("write_fluxes", fmt::format("{} has shape ({}, {}), expected ({}, {})", name, values.extent(0),
                                            values.extent(1), ncol, n));
  for (std::size_t c = 0; c < values.extent(0); ++c)
    for (std::size_t k = 0; k < values.extent(1); ++k)
      if (!std::isfinite(values(c, k)))
        throw Error("write_fluxes", fmt::format("{}({}, {}) = {}, expected a finite value", name, c, k, values(c, k)));
}

}  // namespace

void write_fluxes(std::string const& path, RadiationInput const& input, rrtmg::HostFluxes const& fluxes,
                  Provenance const& provenance, NetcdfType type) {
  auto const& columns = input.columns;
  check_result(input, "flux_up", fluxes.flux_up, columns.nlay() + 1);
  check_result(input, "flux_dn", fluxes.flux_dn, columns.nlay() + 1);
  check_result(input, "heating_rate", fluxes.heating_rate, columns.nlay());

  bool const rfmip = input.layout == RadiationLayout::rfmip;
  auto const nsite = static_cast<std::size_t>(input.nsite), ncol = static_cast<std::size_t>(columns.ncol());
  std::string const site = rfmip ? "site" : "column";
  std::string const order = input.top_first ? "index 0 is the highest layer and the top interface"
                                            : "index 0 is the lowest layer and the surface interface";

  NetcdfWriter file(path);
  file.attributes(global_attributes(provenance, order));

  // Places and labels first, so that the fluxes can name as `coordinates` those that there are.
  std::vector<std::string> coordinates;
  if (rfmip) {
    std::vector<double> const numbers(input.experiments.begin(), input.experiments.end());
    file.coordinate("expt", numbers, {{"long_name", "experiment, counted from 1 in the input file"}, {"units", "1"}},
                    NetcdfType::int32);
  }
  file.dimension(site, nsite);
  file.dimension("layer", static_cast<std::size_t>(columns.nlay()));
  file.dimension("level", static_cast<std::size_t>(columns.nlay()) + 1);
  if (!input.longitude.empty()) {
    file.variable("lon", {site}, input.longitude,
                  {{"long_name", "longitude"}, {"standard_name", "longitude"}, {"units", "degrees_east"}});
    coordinates.emplace_back("lon");
  }
  if (!input.latitude.empty()) {
    file.variable("lat", {site}, input.latitude,
                  {{"long_name", "latitude"}, {"standard_name", "latitude"}, {"units", "degrees_north"}});
    coordinates.emplace_back("lat");
  }
  if (!input.column_labels.empty()) {
    file.strings("column_label", site, input.column_labels, {{"long_name", "name of the column"}});
    coordinates.emplace_back("column_label");
  }
  if (!input.experiment_labels.empty()) {
    file.strings("expt_label", "expt", input.experiment_labels, {{"long_name", "name of the experiment"}});
    coordinates.emplace_back("expt_label");
  }
  if (!input.profile_weight.empty())
    file.variable("profile_weight", {site}, input.profile_weight,
                  {{"long_name", "weight of the profile in the global mean"}, {"units", "1"}});

  // Pressure is the same in all experiments, so the first nsite columns hold it.
  Attributes const pressure{
      {"standard_name", "air_pressure"}, {"units", "Pa"}, {"positive", "down"}, {"comment", order}};
  auto const with_name = [](char const* long_name, Attributes attributes) {
    attributes.insert(attributes.begin(), {"long_name", long_name});
    return attributes;
  };
  std::string const play = rfmip ? "pres_layer" : "play", plev = rfmip ? "pres_level" : "plev";
  file.variable(plev, {site, "level"}, in_file_order(columns.pressure_lev, nsite, input.top_first),
                with_name("air pressure at the interfaces of layers", pressure));
  file.variable(play, {site, "layer"}, in_file_order(columns.pressure_lay, nsite, input.top_first),
                with_name("air pressure of layers", pressure));

  auto const write = [&](char const* name, char const* vertical, std::vector<double> const& values, char const* units,
                         char const* standard_name, char const* long_name) {
    std::vector<std::string> dimensions{site, vertical};
    if (rfmip) dimensions.insert(dimensions.begin(), "expt");
    Attributes attributes{{"long_name", long_name}};
    if (standard_name != nullptr) attributes.emplace_back("standard_name", standard_name);
    attributes.emplace_back("units", units);
    if (!coordinates.empty()) attributes.emplace_back("coordinates", fmt::format("{}", fmt::join(coordinates, " ")));
    file.variable(name, dimensions, values, attributes, type);
  };
  auto const up = in_file_order(fluxes.flux_up, ncol, input.top_first);
  auto const dn = in_file_order(fluxes.flux_dn, ncol, input.top_first);
  write(rfmip ? "rlu" : "flux_up", "level", up, "W m-2", "upwelling_longwave_flux_in_air",
        "upward longwave flux, positive upward");
  write(rfmip ? "rld" : "flux_dn", "level", dn, "W m-2", "downwelling_longwave_flux_in_air",
        "downward longwave flux, positive downward");
  if (!rfmip) {
    std::vector<double> net(up.size());
    std::transform(up.begin(), up.end(), dn.begin(), net.begin(), std::minus<>());
    // CF has a standard name for the net downward flux only.
    write("flux_net", "level", net, "W m-2", nullptr, "net longwave flux, upward minus downward, positive upward");
  }
  write("heating_rate", "layer", in_file_order(fluxes.heating_rate, ncol, input.top_first), "K day-1",
        "tendency_of_air_temperature_due_to_longwave_heating",
        "heating rate by longwave radiation, negative where the layer cools");
  file.commit();
}

}  // namespace parhelion::io
