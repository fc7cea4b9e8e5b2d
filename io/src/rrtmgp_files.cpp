// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/rrtmgp_files.hpp>

#include "coefficient_values.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::io {

namespace {

constexpr char const* advice = "scripts/get-data.sh fetches it, or name it with --coefficients FILE";

using fluxes::rrtmgp::KDistribution;

// A dimension by its name in the file, and its size.
struct Dimension {
  char const* name;
  std::size_t size;
};

// A gas optics file, whose variables must have the shapes that are expected.
class GasFile {
 public:
  explicit GasFile(std::string const& path) : m_file(path) {}

  bool has(std::string const& variable) const { return m_file.exists(variable); }

  [[noreturn]] void refuse(std::string const& variable, std::string const& problem) const {
    throw Error(fmt::format("{}: {}", m_file.path(), variable), problem);
  }

  // Shape of a variable that must be there with a number of dimensions.
  std::vector<std::size_t> shape(std::string const& variable, std::size_t rank) const {
    if (!has(variable)) refuse(variable, "is missing, expected a gas optics file of RRTMGP");
    auto const found = m_file.shape(variable);
    if (found.size() != rank) refuse(variable, fmt::format("has {} dimensions, expected {}", found.size(), rank));
    return found;
  }

  std::vector<double> values(std::string const& variable, std::vector<Dimension> const& dimensions,
                             std::string_view units = {}) const {
    auto const found = shape(variable, dimensions.size());
    std::vector<std::size_t> sizes;
    std::vector<char const*> names;
    for (auto const& dimension : dimensions) {
      sizes.push_back(dimension.size);
      names.push_back(dimension.name);
    }
    if (found != sizes)
      refuse(variable, fmt::format("has shape ({}), expected ({}): {}", fmt::join(found, ", "), fmt::join(sizes, ", "),
                                   fmt::join(names, ", ")));
    return read_coefficients(m_file, variable, units);
  }

  double number(std::string const& variable, std::string_view units = {}) const {
    return values(variable, {}, units).front();
  }

  std::vector<int> integers(std::string const& variable, std::vector<Dimension> const& dimensions) const {
    std::vector<int> result;
    for (double const value : values(variable, dimensions)) {
      if (std::trunc(value) != value || std::abs(value) > std::numeric_limits<int>::max())
        refuse(variable, fmt::format("holds {}, expected whole numbers", value));
      result.push_back(static_cast<int>(value));
    }
    return result;
  }

  // Names in lower case.
  std::vector<std::string> names(std::string const& variable) const {
    if (!has(variable)) refuse(variable, "is missing, expected a gas optics file of RRTMGP");
    auto result = m_file.read_strings(variable);
    for (auto& name : result) {
      name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    }
    return result;
  }

  std::vector<std::string> names(std::string const& variable, Dimension const& dimension) const {
    auto result = names(variable);
    if (result.size() != dimension.size)
      refuse(variable, fmt::format("has {} strings, expected {}: {}", result.size(), dimension.size, dimension.name));
    return result;
  }

 private:
  Hdf5File m_file;
};

KDistribution::Minor read_minor(GasFile const& file, char const* half, Dimension const& temperature,
                                Dimension const& mixing) {
  auto const name = [&](char const* variable) { return fmt::format("{}_{}", variable, half); };
  auto const gases = file.names(name("minor_gases"));
  Dimension const intervals{"minor_absorber_intervals", gases.size()};
  Dimension const pair{"pair", 2};
  auto const scaling = file.names(name("scaling_gas"), intervals);
  auto const limits = file.integers(name("minor_limits_gpt"), {intervals, pair});
  auto const with_density = file.integers(name("minor_scales_with_density"), {intervals});
  auto const by_complement = file.integers(name("scale_by_complement"), {intervals});
  auto const start = file.integers(name("kminor_start"), {intervals});
  KDistribution::Minor minor;
  for (std::size_t i = 0; i < gases.size(); ++i)
    minor.intervals.push_back({.identifier = gases[i],
                               .scaling_gas = scaling[i],
                               .first_gpoint = limits[2 * i],
                               .last_gpoint = limits[2 * i + 1],
                               .scales_with_density = with_density[i],
                               .by_complement = by_complement[i],
                               .start = start[i]});
  Dimension const contributors{"contributors", file.shape(name("kminor"), 3)[2]};
  minor.ncontributor = static_cast<int>(contributors.size);
  minor.coefficients = file.values(name("kminor"), {temperature, mixing, contributors});
  return minor;
}

}  // namespace

KDistribution read_rrtmgp_gas_optics(std::string const& path) {
  GasFile const file(path);
  KDistribution k;
  k.file = path;
  k.gases = file.names("gas_names");
  auto const of_major = file.shape("kmajor", 4);
  Dimension const bands{"bnd", file.shape("bnd_limits_gpt", 2)[0]};
  Dimension const temperature{"temperature", file.shape("temp_ref", 1)[0]};
  Dimension const pressure{"pressure", file.shape("press_ref", 1)[0]};
  Dimension const pressure_interp{"pressure_interp", pressure.size + 1};
  Dimension const mixing{"mixing_fraction", of_major[2]};
  Dimension const gpoints{"gpt", of_major[3]};
  Dimension const halves{"atmos_layer", 2};
  Dimension const pair{"pair", 2};
  k.nmixing = static_cast<int>(mixing.size);
  k.ngpoint = static_cast<int>(gpoints.size);

  auto const identifiers = file.names("identifier_minor");
  auto const of_identifiers = file.names("gas_minor", {"minor_absorber", identifiers.size()});
  for (std::size_t i = 0; i < identifiers.size(); ++i) k.identifiers.push_back({identifiers[i], of_identifiers[i]});

  auto const key = file.integers("key_species", {bands, halves, pair});
  auto const limits = file.integers("bnd_limits_gpt", {bands, pair});
  auto const wavenumbers = file.values("bnd_limits_wavenumber", {bands, pair}, "cm-1");
  for (std::size_t b = 0; b < bands.size; ++b)
    k.bands.push_back({.key = {{{key[4 * b], key[4 * b + 1]}, {key[4 * b + 2], key[4 * b + 3]}}},
                       .first_gpoint = limits[2 * b],
                       .last_gpoint = limits[2 * b + 1],
                       .wavenumber_low = wavenumbers[2 * b],
                       .wavenumber_high = wavenumbers[2 * b + 1]});

  k.temperature = file.values("temp_ref", {temperature}, "K");
  k.pressure = file.values("press_ref", {pressure}, "Pa");
  k.tropopause_pressure = file.number("press_ref_trop", "Pa");
  k.vmr = file.values("vmr_ref", {temperature, {"absorber_ext", k.gases.size() + 1}, halves});
  std::vector<Dimension> const as_major{temperature, pressure_interp, mixing, gpoints};
  k.major = file.values("kmajor", as_major);
  k.minor = {read_minor(file, "lower", temperature, mixing), read_minor(file, "upper", temperature, mixing)};

  bool const longwave = file.has("totplnk");
  if (longwave == file.has("solar_source_quiet"))
    throw Error(path, longwave ? "has totplnk and solar_source_quiet, expected one of them: longwave or shortwave"
                               : "has neither totplnk nor solar_source_quiet, expected a gas optics file of RRTMGP");
  if (longwave) {
    Dimension const planck{"temperature_Planck", file.shape("totplnk", 2)[1]};
    k.nplanck = static_cast<int>(planck.size);
    k.planck = file.values("totplnk", {bands, planck});
    k.planck_fraction = file.values("plank_fraction", as_major);
    if (file.has("optimal_angle_fit")) k.angle_fit = file.values("optimal_angle_fit", {bands, {"fit_coeffs", 2}});
  } else {
    k.rayleigh = {file.values("rayl_lower", {temperature, mixing, gpoints}),
                  file.values("rayl_upper", {temperature, mixing, gpoints})};
    k.solar_quiet = file.values("solar_source_quiet", {gpoints});
    k.solar_facular = file.values("solar_source_facular", {gpoints});
    k.solar_sunspot = file.values("solar_source_sunspot", {gpoints});
    k.mg_default = file.number("mg_default");
    k.sb_default = file.number("sb_default");
  }
  fluxes::rrtmgp::check(k);
  return k;
}

std::string find_rrtmgp_gas_optics(bool longwave, std::string const& explicit_path) {
  if (!explicit_path.empty()) return find_data_file("gas optics of RRTMGP", explicit_path, {}, "");
  return longwave ? find_data_file("gas optics of RRTMGP of the longwave", "",
                                   {"rrtmgp-gas-lw-g128.nc", "rrtmgp-gas-lw-g256.nc"}, advice)
                  : find_data_file("gas optics of RRTMGP of the shortwave", "",
                                   {"rrtmgp-gas-sw-g112.nc", "rrtmgp-gas-sw-g224.nc"}, advice);
}

}  // namespace parhelion::io
