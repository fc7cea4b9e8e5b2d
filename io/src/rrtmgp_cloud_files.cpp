// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/rrtmgp_cloud_files.hpp>

#include "coefficient_values.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::io {

namespace {

using fluxes::rrtmgp::AerosolOptics;
using fluxes::rrtmgp::CloudOptics;
using fluxes::rrtmgp::ParticleTable;
using fluxes::rrtmgp::SpectralBands;
using Extents = std::vector<std::size_t>;

constexpr double metres_per_um = 1e-6;
constexpr double grams_per_kg = 1e3;

/// The variables of a file, with messages that name it.
class Variables {
 public:
  Variables(std::string const& path, char const* kind) : m_file(path), m_kind(kind) {}

  [[noreturn]] void refuse(std::string const& problem) const { throw Error(m_file.path(), problem); }

  bool exists(char const* name) const { return m_file.exists(name); }

  /// The extents of a variable that has so many dimensions.
  Extents shape(char const* name, std::size_t rank) const {
    if (!m_file.exists(name)) refuse(fmt::format("there is no variable {}, expected {}", name, m_kind));
    auto shape = m_file.shape(name);
    if (shape.size() != rank)
      refuse(fmt::format("{} has shape ({}), expected {} dimensions", name, fmt::join(shape, ", "), rank));
    return shape;
  }

  /// The values of a variable of an expected shape, times a factor.
  /// \param units that it has in the file; empty: any
  std::vector<double> values(char const* name, Extents const& expected, std::string_view units = {},
                             double factor = 1) const {
    auto const found = shape(name, expected.size());
    if (found != expected)
      refuse(fmt::format("{} has shape ({}), expected ({})", name, fmt::join(found, ", "), fmt::join(expected, ", ")));
    auto values = read_coefficients(m_file, name, units);
    for (double& value : values) value *= factor;
    return values;
  }

  double scalar(char const* name, std::string_view units, double factor) const {
    // One value, with or without a dimension.
    if (exists(name) && m_file.shape(name) == Extents{1}) return values(name, {1}, units, factor).front();
    return values(name, {}, units, factor).front();
  }

  SpectralBands bands(bool with_gpoints) const {
    SpectralBands bands;
    auto const nband = shape("bnd_limits_wavenumber", 2)[0];
    bands.wavenumbers = values("bnd_limits_wavenumber", {nband, 2}, "cm-1");
    if (!with_gpoints) return bands;
    if (!exists("bnd_limits_gpt"))
      refuse("there is no variable bnd_limits_gpt, expected it where tables have other entries than the bands");
    auto const gpoints = values("bnd_limits_gpt", {nband, 2});
    for (std::size_t i = 0; i < gpoints.size(); ++i) {
      if (!(std::abs(gpoints[i]) < 1e9) || gpoints[i] != std::floor(gpoints[i]))
        refuse(fmt::format("bnd_limits_gpt({}, {}) = {}, expected a whole number", i / 2, i % 2, gpoints[i]));
      bands.gpoints.push_back(static_cast<int>(gpoints[i]));
    }
    return bands;
  }

 private:
  Hdf5File m_file;
  char const* m_kind;
};

}  // namespace

CloudOptics read_rrtmgp_cloud_optics(std::string const& path) {
  Variables const file(path, "a file of cloud optics of RRTMGP");
  CloudOptics optics;
  optics.where = path;
  auto const liquid = file.shape("extliq", 2);
  auto const ice = file.shape("extice", 3);
  bool const by_gpoint = liquid[0] != file.shape("bnd_limits_wavenumber", 2)[0];
  optics.bands = file.bands(by_gpoint);
  auto const last = by_gpoint && !optics.bands.gpoints.empty() ? optics.bands.gpoints.back() : optics.bands.nband();
  if (last < 1 || static_cast<std::size_t>(last) != liquid[0])
    file.refuse(fmt::format("bnd_limits_gpt({}, 1) = {}, expected {}, the last g-point of extliq",
                            optics.bands.nband() - 1, last, liquid[0]));
  optics.nroughness = static_cast<int>(ice[0]);
  auto const particles = [&](ParticleTable& table, Extents const& shape, std::string const& suffix,
                             char const* smallest, char const* largest) {
    table.smallest = file.scalar(smallest, "um", metres_per_um);
    table.largest = file.scalar(largest, "um", metres_per_um);
    table.nsize = static_cast<int>(shape.back());
    table.extinction = file.values(("ext" + suffix).c_str(), shape, "m2 g-1", grams_per_kg);
    table.single_scattering = file.values(("ssa" + suffix).c_str(), shape, "1");
    table.asymmetry = file.values(("asy" + suffix).c_str(), shape, "1");
  };
  particles(optics.liquid, {liquid[0], liquid[1]}, "liq", "radliq_lwr", "radliq_upr");
  particles(optics.ice, {ice[0], liquid[0], ice[2]}, "ice", "diamice_lwr", "diamice_upr");
  check(optics);
  return optics;
}

AerosolOptics read_rrtmgp_aerosol_optics(std::string const& path) {
  Variables const file(path, "a file of aerosol optics of RRTMGP");
  AerosolOptics optics;
  optics.where = path;
  auto const salt = file.shape("aero_salt_tbl", 4);
  auto const nbin = salt[1], nrh = salt[2];
  optics.bands = file.bands(false);
  auto const nband = static_cast<std::size_t>(optics.nband());
  optics.bin_limits = file.values("merra_aero_bin_lims", {nbin, 2}, "um", metres_per_um);
  optics.humidity = file.values("aero_rh", {nrh}, "1");
  auto const table = [&](char const* name, Extents shape) {
    shape.insert(shape.begin(), nband);
    shape.push_back(fluxes::rrtmgp::naerosol_value);
    return file.values(name, shape);
  };
  optics.dust = table("aero_dust_tbl", {nbin});
  optics.sea_salt = table("aero_salt_tbl", {nbin, nrh});
  optics.sulfate = table("aero_sulf_tbl", {nrh});
  optics.black_carbon_hydrophilic = table("aero_bcar_rh_tbl", {nrh});
  optics.black_carbon_hydrophobic = table("aero_bcar_tbl", {});
  optics.organic_carbon_hydrophilic = table("aero_ocar_rh_tbl", {nrh});
  optics.organic_carbon_hydrophobic = table("aero_ocar_tbl", {});
  check(optics);
  return optics;
}

}  // namespace parhelion::io
