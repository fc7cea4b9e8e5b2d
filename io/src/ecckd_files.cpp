// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/ecckd_files.hpp>

#include "coefficient_values.hpp"
#include "netcdf/any_netcdf.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <vector>

namespace parhelion::io {

namespace {

constexpr char const* advice = "scripts/get-data.sh fetches it, or name it with --coefficients FILE";

using fluxes::ecckd::Concentration;
using fluxes::ecckd::Definition;
using fluxes::ecckd::GasTable;

std::string at(AnyNetcdf const& file, std::string const& variable) {
  return fmt::format("{}: {}", file.path(), variable);
}

// The values of a variable of one dimension.
std::vector<double> read_axis(AnyNetcdf const& file, std::string const& variable, std::string_view units) {
  auto const shape = file.shape(variable);
  if (shape.size() != 1)
    throw Error(at(file, variable), fmt::format("has shape ({}), expected one dimension", fmt::join(shape, ", ")));
  return read_coefficients(file, variable, units);
}

// All values of a variable of the given shape.
std::vector<double> read_table(AnyNetcdf const& file, std::string const& variable,
                               std::vector<std::size_t> const& expected, std::string_view units) {
  if (auto const found = file.shape(variable); found != expected)
    throw Error(at(file, variable),
                fmt::format("has shape ({}), expected ({})", fmt::join(found, ", "), fmt::join(expected, ", ")));
  return read_coefficients(file, variable, units);
}

// A single number; files have it as a scalar or as an array of one.
double number(AnyNetcdf const& file, std::string const& variable) {
  auto const values = read_coefficients(file, variable);
  if (values.size() != 1) throw Error(at(file, variable), fmt::format("has {} values, expected one", values.size()));
  return values.front();
}

int whole_number(std::string const& where, double value) {
  if (!(value == std::floor(value)) || std::abs(value) > 1e6)
    throw Error(where, fmt::format("is {}, expected a whole number", value));
  return static_cast<int>(value);
}

std::vector<std::string> gas_names(AnyNetcdf const& file) {
  auto const text = file.text_attribute("", "constituent_id");
  if (!text) throw Error(file.path(), "has no attribute constituent_id, expected a definition file of ecCKD");
  std::istringstream words(*text);
  std::vector<std::string> names;
  for (std::string name; words >> name;) names.push_back(name);
  int const expected = whole_number(at(file, "n_gases"), number(file, "n_gases"));
  if (static_cast<int>(names.size()) != expected)
    throw Error(at(file, "constituent_id"), fmt::format("names {} gases ({}), expected {} as n_gases has it",
                                                        names.size(), fmt::join(names, " "), expected));
  return names;
}

GasTable read_gas(AnyNetcdf const& file, std::string const& name, std::vector<std::size_t> shape) {
  GasTable gas;
  gas.name = name;
  std::string const code_name = name + "_conc_dependence_code";
  int const code = whole_number(at(file, code_name), number(file, code_name));
  if (code < 0 || code > 3) throw Error(fmt::format("{} = {}", at(file, code_name), code), "expected 0, 1, 2 or 3");
  gas.dependence = static_cast<Concentration>(code);
  if (gas.dependence == Concentration::table) {
    gas.mole_fraction = read_axis(file, name + "_mole_fraction", "1");
    shape.insert(shape.begin(), gas.mole_fraction.size());
  }
  if (gas.dependence == Concentration::relative_linear)
    gas.reference_mole_fraction = number(file, name + "_reference_mole_fraction");
  gas.molar_absorption = read_table(file, name + "_molar_absorption_coeff", shape, "m2 mol-1");
  return gas;
}

}  // namespace

Definition read_ecckd_definition(std::string const& path) {
  AnyNetcdf const file(path);
  auto const names = gas_names(file);
  Definition d;
  d.where = path;
  d.is_longwave = file.exists("planck_function");
  if (d.is_longwave == file.exists("solar_irradiance"))
    throw Error(path, fmt::format("has {} planck_function {} solar_irradiance, expected one of them: that of the "
                                  "longwave or that of the shortwave",
                                  d.is_longwave ? "both" : "neither", d.is_longwave ? "and" : "nor"));
  d.pressure = read_axis(file, "pressure", "Pa");
  std::size_t const np = d.pressure.size();
  auto const temperature_shape = file.shape("temperature");
  std::size_t const nt = temperature_shape.empty() ? 0 : temperature_shape.front();
  d.temperature = read_table(file, "temperature", {nt, np}, "K");

  for (double const band : read_axis(file, "band_number", {}))
    d.band_number.push_back(whole_number(at(file, "band_number"), band));
  std::size_t const ng = d.band_number.size();
  d.wavenumber1 = read_axis(file, "wavenumber1", "cm-1");
  std::size_t const nw = d.wavenumber1.size();
  d.wavenumber2 = read_table(file, "wavenumber2", {nw}, "cm-1");
  d.gpoint_fraction = read_table(file, "gpoint_fraction", {ng, nw}, "1");
  d.wavenumber1_band = read_axis(file, "wavenumber1_band", "cm-1");
  d.wavenumber2_band = read_table(file, "wavenumber2_band", {d.wavenumber1_band.size()}, "cm-1");
  if (file.exists("solar_spectral_irradiance"))
    d.solar_spectral_irradiance = read_table(file, "solar_spectral_irradiance", {nw}, "W m-2");

  if (d.is_longwave) {
    d.temperature_planck = read_axis(file, "temperature_planck", "K");
    d.planck_function = read_table(file, "planck_function", {d.temperature_planck.size(), ng}, "W m-2");
  } else {
    d.solar_irradiance = read_table(file, "solar_irradiance", {ng}, "W m-2");
    d.rayleigh_molar_scattering = read_table(file, "rayleigh_molar_scattering_coeff", {ng}, "m2 mol-1");
  }
  // An unknown name is a better reason than the lack of its variables.
  fluxes::ecckd::check_gas_names(path, names);
  for (auto const& name : names) d.gases.push_back(read_gas(file, name, {nt, np, ng}));
  fluxes::ecckd::check(d);
  return d;
}

fluxes::ecckd::ScatteringTable read_ecckd_scattering(std::string const& path) {
  AnyNetcdf const file(path);
  auto const axis = [&](std::string const& name, std::string_view units) {
    if (!file.exists(name)) throw Error(at(file, name), "missing, expected a scattering file of ecRad");
    return read_axis(file, name, units);
  };
  fluxes::ecckd::ScatteringTable table;
  table.where = path;
  table.wavenumber = axis("wavenumber", "cm-1");
  table.effective_radius = axis("effective_radius", "m");
  std::vector<std::size_t> const shape{table.effective_radius.size(), table.wavenumber.size()};
  table.mass_extinction = read_table(file, "mass_extinction_coefficient", shape, "m2 kg-1");
  table.single_scattering = read_table(file, "single_scattering_albedo", shape, "1");
  table.asymmetry = read_table(file, "asymmetry_factor", shape, "1");
  fluxes::ecckd::check(table);
  return table;
}

std::string find_ecckd_definition(bool longwave, std::string const& explicit_path) {
  if (!explicit_path.empty()) return find_data_file("ecCKD definition", explicit_path, {}, "");
  return longwave ? find_data_file("ecCKD definition of the longwave", "",
                                   {"ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc",
                                    "ecckd-1.2_lw_climate_narrow-64b_ckd-definition.nc"},
                                   advice)
                  : find_data_file("ecCKD definition of the shortwave", "",
                                   {"ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc",
                                    "ecckd-1.0_sw_climate_rgb-32b_ckd-definition.nc"},
                                   advice);
}

}  // namespace parhelion::io
