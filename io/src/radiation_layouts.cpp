// SPDX-License-Identifier: BSD-3-Clause
#include "radiation_layouts.hpp"

#include "radiation_clouds.hpp"
#include "rte_input.hpp"
#include "shortwave_input.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::io::Impl {

using fluxes::Gas;

namespace {

// Variables that tell the layouts apart, each file having all or most of its own. RTE+RRTMGP's layout shares these of
// the column layout but `emis`, and calls gases otherwise.
constexpr std::array column_variables{"plev", "play", "tlev", "tlay", "tsfc", "emis"};
constexpr std::array rfmip_variables{"pres_level", "pres_layer",          "temp_level",
                                     "temp_layer", "surface_temperature", "surface_emissivity"};
constexpr std::array ecrad_variables{"pressure_hl", "temperature_hl"};
constexpr std::array rte_variables{"emissivity", "mu0", "albedo_direct", "albedo_diffuse"};

// Further variables that are read.
constexpr char const* emissivity_bounds = "lw_emissivity_bound";
constexpr char const* albedo_bounds = "sw_albedo_bound";
constexpr std::array ecrad_others{"skin_temperature", "lw_emissivity",    "cos_solar_zenith_angle",
                                  "sw_albedo",        "sw_albedo_direct", "total_solar_irradiance",
                                  "solar_irradiance", emissivity_bounds,  albedo_bounds};
// Of RRTMGP's sun, in RTE+RRTMGP's layout.
constexpr std::array solar_indices{"mg_index", "sb_index"};
// Clouds and aerosol of ecRad's files, which this program does not compute from them.
constexpr std::array ecrad_clouds{"cloud_fraction", "q_liquid",      "q_ice",      "re_liquid",
                                  "re_ice",         "q_hydrometeor", "aerosol_mmr"};

// (expt), but water vapour and ozone: (expt, site, layer).
constexpr std::array<std::pair<Gas, char const*>, 18> rfmip_gases{{{Gas::h2o, "water_vapor"},
                                                                   {Gas::co2, "carbon_dioxide_GM"},
                                                                   {Gas::o3, "ozone"},
                                                                   {Gas::n2o, "nitrous_oxide_GM"},
                                                                   {Gas::co, "carbon_monoxide_GM"},
                                                                   {Gas::ch4, "methane_GM"},
                                                                   {Gas::o2, "oxygen_GM"},
                                                                   {Gas::ccl4, "carbon_tetrachloride_GM"},
                                                                   {Gas::cfc11, "cfc11_GM"},
                                                                   {Gas::cfc12, "cfc12_GM"},
                                                                   {Gas::cfc22, "hcfc22_GM"},
                                                                   {Gas::n2, "nitrogen_GM"},
                                                                   {Gas::hfc143a, "hfc143a_GM"},
                                                                   {Gas::hfc125, "hfc125_GM"},
                                                                   {Gas::hfc23, "hfc23_GM"},
                                                                   {Gas::hfc32, "hfc32_GM"},
                                                                   {Gas::hfc134a, "hfc134a_GM"},
                                                                   {Gas::cf4, "cf4_GM"}}};
// ecCKD's CFC11 stands for all gases that it does not have.
constexpr char const* cfc11_equivalent = "cfc11eq_GM";

template <class Names>
bool holds(Names const& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <std::size_t N>
std::size_t count_present(Hdf5File const& file, std::array<char const*, N> const& names) {
  return static_cast<std::size_t>(
      std::count_if(names.begin(), names.end(), [&](char const* name) { return file.exists(name); }));
}

// The name of RFMIP's variable of a gas for a model, or "" where it has none.
std::string rfmip_name(Gas gas, GasOpticsModel model) {
  if (gas == Gas::cfc11 && model == GasOpticsModel::ecckd) return cfc11_equivalent;
  auto const* const found =
      std::find_if(rfmip_gases.begin(), rfmip_gases.end(), [&](auto const& each) { return each.first == gas; });
  return found == rfmip_gases.end() ? "" : found->second;
}

// What a layout of columns calls a gas of a name, in its ways.
std::vector<std::string> names_of_gas(RadiationLayout layout, std::string_view gas) {
  switch (layout) {
    case RadiationLayout::ecrad: {
      auto const name = gas == fluxes::name_of(Gas::cfc22) ? "hcfc22" : gas;
      return {fmt::format("{}_mole_fraction", name), fmt::format("{}_mole_fraction_fl", name)};
    }
    case RadiationLayout::rte:
      return {fmt::format("vmr_{}", gas)};
    default:
      return {fmt::format("{}vmr", gas)};
  }
}

// The gas of a variable in a layout of columns.
std::optional<Gas> gas_of(std::string_view variable, RadiationLayout layout) {
  constexpr std::string_view letter = "?";
  for (auto const& pattern : names_of_gas(layout, letter)) {
    auto const place = pattern.find(letter);
    std::string_view const before = std::string_view(pattern).substr(0, place),
                           behind = std::string_view(pattern).substr(place + 1);
    if (variable.size() <= before.size() + behind.size() || !variable.starts_with(before) ||
        !variable.ends_with(behind))
      continue;
    auto const name = variable.substr(before.size(), variable.size() - before.size() - behind.size());
    if (auto const gas = fluxes::find_gas(name)) return gas;
  }
  return std::nullopt;
}

bool holds_gas(std::vector<Gas> const& gases, Gas gas) {
  return std::find(gases.begin(), gases.end(), gas) != gases.end();
}

// Whether a layout of columns has any variable of a gas.
bool has_gases(std::vector<std::string> const& variables, RadiationLayout layout) {
  return std::any_of(variables.begin(), variables.end(),
                     [&](std::string const& name) { return gas_of(name, layout).has_value(); });
}

bool is_known(std::string const& name, RadiationLayout layout) {
  switch (layout) {
    case RadiationLayout::rfmip:
      return holds(rfmip_variables, name) || holds(shortwave_rfmip_variables, name) || name == cfc11_equivalent ||
             std::any_of(rfmip_gases.begin(), rfmip_gases.end(), [&](auto const& each) { return name == each.second; });
    case RadiationLayout::ecrad:
      return holds(ecrad_variables, name) || holds(ecrad_others, name) || name == incident_flux_variable ||
             gas_of(name, layout).has_value();
    case RadiationLayout::rte:
      return (holds(column_variables, name) && name != "emis") || holds(rte_variables, name) || is_rte_variable(name) ||
             name == "total_solar_irradiance" || name == incident_flux_variable || holds(solar_indices, name) ||
             gas_of(name, layout).has_value();
    default:
      return holds(column_variables, name) || holds(gpoint_variables, name) || holds(gpoint_size_variables, name) ||
             holds(layer_variables, name) || holds(flag_variables, name) || name == "tauaer" ||
             is_shortwave_variable(name) || name == incident_flux_variable || gas_of(name, layout).has_value();
  }
}

// The variable that says where the intervals meet in which ecRad's layout has a property of the surface; "" where it is
// not given for intervals.
std::string name_of_bounds(Hdf5File const& file, std::string const& name, RadiationLayout layout) {
  if (layout != RadiationLayout::ecrad) return "";
  std::string const bounds = name == "lw_emissivity" ? emissivity_bounds : albedo_bounds;
  return (name == "lw_emissivity" || name.starts_with("sw_albedo")) && file.exists(bounds) ? bounds : "";
}

template <class Names>
void refuse_all(Hdf5File const& file, Names const& names, char const* why) {
  for (char const* const name : names)
    if (file.exists(name))
      throw Error(fmt::format("{}: {}", file.path(), name), fmt::format("cannot be honoured: {}", why));
}

void refuse_flags_of_rfmip(Hdf5File const& file) {
  for (char const* const name : {"icld", "idrv"}) {
    auto const values = file.number_attribute("", name);
    auto const text = file.text_attribute("", name);
    bool const zero =
        values ? std::all_of(values->begin(), values->end(), [](double v) { return v == 0.; }) : !text || *text == "0";
    if (!zero)
      throw Error(file.path(), fmt::format("attribute {} = {}, expected 0 in the RFMIP layout", name,
                                           text ? *text : fmt::format("{}", fmt::join(*values, ", "))));
  }
}

// Clouds and aerosol of the column layout in another one.
void refuse_column_clouds(Hdf5File const& file, bool shortwave, char const* clear) {
  refuse_all(file, gpoint_variables, clear);
  refuse_all(file, gpoint_size_variables, clear);
  refuse_all(file, layer_variables, clear);
  refuse_all(file, flag_variables, clear);
  refuse_all(file, aerosol_variables, clear);
  if (shortwave) refuse_all(file, std::array{"ecaer", "iaer", "inflgsw", "iceflgsw", "liqflgsw"}, clear);
}

}  // namespace

LayoutNames const& names_of(RadiationLayout layout) {
  static constexpr LayoutNames column{"plev", "play",   "tlev",         "tlay", "tsfc",
                                      "emis", "coszen", "column_label", "lat",  "lon"};
  static constexpr LayoutNames rte{"plev",       "play", "tlev",         "tlay", "tsfc",
                                   "emissivity", "mu0",  "column_label", "lat",  "lon"};
  static constexpr LayoutNames ecrad{"pressure_hl",      nullptr,         "temperature_hl",         nullptr,
                                     "skin_temperature", "lw_emissivity", "cos_solar_zenith_angle", "column_label",
                                     "latitude",         "longitude"};
  return layout == RadiationLayout::ecrad ? ecrad : layout == RadiationLayout::rte ? rte : column;
}

RadiationLayout recognise(Hdf5File const& file) {
  // The layouts with different variables first, and then the two that share many of them.
  double const columns = static_cast<double>(count_present(file, column_variables)) / column_variables.size();
  double const rfmip = static_cast<double>(count_present(file, rfmip_variables)) / rfmip_variables.size();
  double const ecrad = static_cast<double>(count_present(file, ecrad_variables)) / ecrad_variables.size();
  double const most = std::max({columns, rfmip, ecrad});
  bool const unique = (columns == most) + (rfmip == most) + (ecrad == most) == 1;
  auto const variables = file.variables();
  bool const with_vmr_before = has_gases(variables, RadiationLayout::rte),
             with_vmr_behind = has_gases(variables, RadiationLayout::column);
  if (!unique || (columns == most && with_vmr_before && with_vmr_behind))
    throw Error(file.path(),
                fmt::format("is {} atmosphere file, expected the column layout ({}, ...), the RFMIP layout ({}, ...), "
                            "ecRad's ({}, ...) or RTE+RRTMGP's (plev, play, tlay, vmr_h2o, ...)",
                            most == 0 ? "no" : "no unambiguous", fmt::join(column_variables, ", "),
                            fmt::join(rfmip_variables, ", "), fmt::join(ecrad_variables, ", ")));
  if (rfmip == most) return RadiationLayout::rfmip;
  if (ecrad == most) return RadiationLayout::ecrad;
  bool const rte =
      with_vmr_before || (!with_vmr_behind && !file.exists("emis") && count_present(file, rte_variables) > 0);
  return rte ? RadiationLayout::rte : RadiationLayout::column;
}

GasVariables find_gases(Hdf5File const& file, RadiationLayout layout, RadiationOptions const& options) {
  bool const rfmip = layout == RadiationLayout::rfmip;
  GasVariables there;
  if (rfmip) {
    for (auto const& [gas, name] : rfmip_gases)
      if (auto const own = rfmip_name(gas, options.model); file.exists(own)) there[gas] = own;
  } else {
    for (auto const& name : file.variables()) {
      auto const gas = gas_of(name, layout);
      if (!gas) continue;
      auto const [before, is_new] = there.emplace(*gas, name);
      if (!is_new)
        throw Error(fmt::format("{}: {}", file.path(), name),
                    fmt::format("is {}, and so is {}, expected one of them", fluxes::name_of(*gas), before->second));
    }
  }
  // In the order of the gases.
  GasVariables wanted;
  std::vector<std::string> missing;
  for (int g = 0; g < fluxes::ngas_all; ++g) {
    auto const gas = static_cast<Gas>(g);
    bool required = false, further = false;
    for (auto const& [asked, needs] : {std::pair(options.longwave, &options.longwave_needs),
                                       std::pair(options.shortwave, &options.shortwave_needs)}) {
      required = required || (asked && holds_gas(needs->required, gas));
      further = further || (asked && holds_gas(needs->further, gas));
    }
    if (!required && !further) continue;
    if (auto const found = there.find(gas); found != there.end()) {
      wanted.insert(*found);
    } else if (required && !(rfmip && gas == Gas::no2)) {  // of which RFMIP's atmospheres have none
      missing.push_back(rfmip ? rfmip_name(gas, options.model) : names_of_gas(layout, fluxes::name_of(gas)).front());
    }
  }
  if (!missing.empty())
    throw Error(fmt::format("{}: {}", file.path(), fmt::join(missing, ", ")),
                fmt::format("missing: the gas optics need {}", missing.size() == 1 ? "this gas" : "these gases"));
  return wanted;
}

void refuse_unsupported(Hdf5File const& file, RadiationLayout layout, RadiationOptions const& options) {
  switch (layout) {
    case RadiationLayout::rfmip:
      refuse_column_clouds(file, options.shortwave, "the RFMIP layout has neither clouds nor aerosol");
      if (options.shortwave) {
        refuse_all(file, shortwave_flag_variables, "the RFMIP layout has total_solar_irradiance in its place");
        refuse_all(file, shortwave_variables, "it belongs to the column layout");
      }
      refuse_flags_of_rfmip(file);
      break;
    case RadiationLayout::ecrad: {
      char const* const clear = "ecRad's layout is read without clouds and aerosol";
      refuse_column_clouds(file, options.shortwave, clear);
      refuse_all(file, ecrad_clouds, clear);
      break;
    }
    case RadiationLayout::rte: {
      if (options.shortwave && options.model != GasOpticsModel::rrtmgp)
        refuse_all(file, solar_indices, "it is of the sun of RRTMGP");
      char const* const other =
          "it belongs to the column layout; here clouds are lwp, iwp, rel, dei and cloud_mask, and "
          "aerosol is aerosol_type, aerosol_size and aerosol_mass";
      refuse_all(file, gpoint_variables, other);
      refuse_all(file, gpoint_size_variables, other);
      refuse_all(file, std::array{"cldfrac", "ciwp", "clwp", "rei"}, other);
      refuse_all(file, flag_variables, other);
      refuse_all(file, aerosol_variables, other);
      if (options.shortwave) refuse_all(file, shortwave_flag_variables, other);
      break;
    }
    default:
      break;
  }
  for (auto const& name : file.variables())
    if (!is_known(name, layout) && file.text_attribute(name, "role") == "input")
      throw Error(fmt::format("{}: {}", file.path(), name), "is input (attribute role) that is not supported");
}

std::size_t bands_of_surface(Hdf5File const& file, std::string const& name, RadiationLayout layout,
                             RadiationOptions const& options, std::size_t ncol, SpectralSizes const& sizes) {
  auto const shape = file.shape(name);
  auto const model = options.model;
  std::size_t const nband = sizes.nband;
  if (auto const bounds = name_of_bounds(file, name, layout); !bounds.empty()) {
    if (model != GasOpticsModel::ecckd)
      throw Error(
          fmt::format("{}: {}", file.path(), bounds),
          fmt::format("is of intervals of the surface, which ecckd takes, expected none with {}", name_of(model)));
    check_field(file, bounds, wavenumber, {"(bound)", {file.shape(bounds).empty() ? 1 : file.shape(bounds)[0]}});
    std::size_t const n = file.shape(bounds)[0] + 1;
    if (shape != Shape{ncol, n})
      refuse_shape(file, name, shape,
                   fmt::format("(column, interval) = ({}, {}): one interval more than {}", ncol, n, bounds));
    return sizes.ngpoint;
  }
  std::size_t const n = shape.size() == 2 ? shape[1] : 1;
  bool const of_columns = !shape.empty() && shape.size() <= 2 && shape[0] == ncol;
  // In ecRad's layout they are those of the model that the file was made for, and only their number can be compared.
  bool const of_rrtmg = layout == RadiationLayout::column, of_rrtmgp = layout == RadiationLayout::rte;
  bool const rrtmg = model == GasOpticsModel::rrtmg || model == GasOpticsModel::simple;
  if (of_columns && n > 1 && ((of_rrtmg && !rrtmg) || (of_rrtmgp && model != GasOpticsModel::rrtmgp)))
    refuse_shape(file, name, shape,
                 fmt::format("(column) = ({}) with {}: bands of this layout are those of {}", ncol, name_of(model),
                             of_rrtmg ? "RRTMG" : "RRTMGP"));
  if (!of_columns || (n != 1 && n != nband))
    refuse_shape(file, name, shape, fmt::format("(column) = ({}) or (column, band) = ({}, {})", ncol, ncol, nband));
  return n;
}

Field read_surface(Hdf5File const& file, std::string const& name, Quantity const& quantity, ItemRange const& columns,
                   RadiationOptions const& options) {
  auto field = read_field(file, name, quantity, {"(column, band)", file.shape(name)}, {columns});
  auto const bounds = name_of_bounds(file, name, RadiationLayout::ecrad);
  if (bounds.empty()) return field;
  auto const between = read_field(file, bounds, wavenumber, {"(bound)", file.shape(bounds)});
  for (std::size_t i = 1; i < between.values.size(); ++i)
    if (!(between.values[i] > between.values[i - 1]))
      throw Error(file.path(), fmt::format("{} = {}, expected more than the {} before it", between.at(i),
                                           between.value(i), between.value(i - 1)));
  bool const of_shortwave = bounds == albedo_bounds;
  auto const weights = (of_shortwave ? options.albedo_weights : options.emissivity_weights)(between.values);
  std::size_t const n = between.values.size() + 1, ngpoint = weights.size() / n;
  std::vector<double> mapped(columns.count * ngpoint);
  for (std::size_t i = 0; i < mapped.size(); ++i)
    for (std::size_t interval = 0; interval < n; ++interval)
      mapped[i] += weights[i % ngpoint * n + interval] * field.values[i / ngpoint * n + interval];
  field.values = std::move(mapped);
  field.shape = {columns.count, ngpoint};
  return field;
}

Grid grid_of(RadiationOptions const& options, std::size_t ncol, std::size_t nlay) {
  auto const sizes = [](RangeNeeds const& needs) {
    return SpectralSizes{static_cast<std::size_t>(needs.nband), static_cast<std::size_t>(needs.ngpoint)};
  };
  return {ncol, nlay, sizes(options.longwave_needs), sizes(options.shortwave_needs)};
}

Grid grid_of(RadiationOptions const& options, RadiationInput const& input) {
  return grid_of(options, static_cast<std::size_t>(input.nsite_of_file),
                 static_cast<std::size_t>(input.columns.nlay()));
}

void refuse_asked(Hdf5File const& file, std::string const& name, bool asked, char const* what) {
  if (asked && file.exists(name))
    throw Error(fmt::format("{}: {}", file.path(), name), fmt::format("is in the file, but {} was asked for", what));
}

}  // namespace parhelion::io::Impl

namespace parhelion::io {

using fluxes::Gas;

std::string name_of(GasOpticsModel model) {
  switch (model) {
    case GasOpticsModel::simple:
      return "simple";
    case GasOpticsModel::ecckd:
      return "ecckd";
    case GasOpticsModel::rrtmgp:
      return "rrtmgp";
    default:
      return "rrtmg";
  }
}

RangeNeeds rrtmg_lw_needs() {
  return {.required = {Gas::h2o, Gas::co2, Gas::o3, Gas::n2o, Gas::ch4, Gas::o2, Gas::ccl4, Gas::cfc11, Gas::cfc12,
                       Gas::cfc22},
          .further = {Gas::co},
          .nband = fluxes::rrtmg_sizes.nband,
          .ngpoint = fluxes::rrtmg_sizes.ngpoint};
}

RangeNeeds rrtmg_sw_needs() {
  return {.required = {Gas::h2o, Gas::co2, Gas::o3, Gas::ch4, Gas::o2},
          .further = {},
          .nband = fluxes::rrtmg_sw_sizes.nband,
          .ngpoint = fluxes::rrtmg_sw_sizes.ngpoint};
}

RangeNeeds simple_needs() {
  return {.required = {Gas::h2o, Gas::co2},
          .further = {Gas::o3, Gas::n2o, Gas::co, Gas::ch4, Gas::o2, Gas::ccl4, Gas::cfc11, Gas::cfc12, Gas::cfc22},
          .nband = fluxes::rrtmg_sizes.nband,
          .ngpoint = fluxes::rrtmg_sizes.ngpoint};
}

}  // namespace parhelion::io
