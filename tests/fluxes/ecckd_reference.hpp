// SPDX-License-Identifier: BSD-3-Clause
// The reference case of ecCKD.
#ifndef PARHELION_TESTS_ECCKD_REFERENCE_HPP
#define PARHELION_TESTS_ECCKD_REFERENCE_HPP

#include "flux_comparisons.hpp"

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/gases.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/io/hdf5.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace parhelion::Testing {

inline constexpr fluxes::ModelSizes one_ecckd_band{.ngas = fluxes::ngas_all, .nband = 1, .ngpoint = 1};

/// What both ranges have in common: pressure, temperature of levels and gases. Layers have numbers that no result may
/// depend on.
template <class AnyColumns>
void read_ecckd_atmosphere(AnyColumns const& columns, io::Hdf5File const& file,
                           std::string const& of_gases = "_mole_fraction") {
  fill_from_top(columns.pressure_lev, file, "pressure_hl");
  fill_from_top(columns.temperature_lev, file, "temperature_hl");
  for (std::string const gas : {"h2o", "o3", "co2", "ch4", "n2o", "cfc11", "cfc12"}) {
    int const number = static_cast<int>(fluxes::find_gas(gas).value());
    HostArray<double**> const of_gas("of_gas", columns.vmr.extent(0), columns.vmr.extent(2));
    fill_from_top(of_gas, file, gas + of_gases);
    for (std::size_t c = 0; c < of_gas.extent(0); ++c)
      for (std::size_t k = 0; k < of_gas.extent(1); ++k) columns.vmr(c, number, k) = of_gas(c, k);
  }
  for (std::size_t c = 0; c < columns.pressure_lay.extent(0); ++c)
    for (std::size_t k = 0; k < columns.pressure_lay.extent(1); ++k) {
      columns.pressure_lay(c, k) = 0.5 * (columns.pressure_lev(c, k) + columns.pressure_lev(c, k + 1));
      columns.temperature_lay(c, k) = 123;
    }
}

inline fluxes::HostColumns read_ecckd_longwave(io::Hdf5File const& file) {
  auto const shape = file.shape("h2o_mole_fraction");
  int const ncol = static_cast<int>(shape[0]), nlay = static_cast<int>(shape[1]);
  auto const columns =
      fluxes::make_columns<Kokkos::DefaultHostExecutionSpace, double>(ncol, nlay, 1, false, one_ecckd_band);
  read_ecckd_atmosphere(columns, file);
  auto const skin = file.read("skin_temperature"), emissivity = file.read("lw_emissivity");
  std::copy(skin.begin(), skin.end(), columns.temperature_sfc.data());
  std::copy(emissivity.begin(), emissivity.end(), columns.emissivity_sfc.data());
  return columns;
}

inline fluxes::HostShortwaveColumns read_ecckd_shortwave(io::Hdf5File const& file) {
  auto const shape = file.shape("h2o_mole_fraction");
  int const ncol = static_cast<int>(shape[0]), nlay = static_cast<int>(shape[1]);
  auto columns =
      fluxes::make_shortwave_columns<Kokkos::DefaultHostExecutionSpace, double>(ncol, nlay, 1, one_ecckd_band);
  columns.temperature_lev = HostArray<double**>("temperature_lev", shape[0], shape[1] + 1);
  read_ecckd_atmosphere(columns, file);
  auto const cosine = file.read("cos_solar_zenith_angle"), albedo = file.read("sw_albedo");
  std::copy(cosine.begin(), cosine.end(), columns.cos_zenith.data());
  std::copy(albedo.begin(), albedo.end(), columns.albedo_direct.data());
  std::copy(albedo.begin(), albedo.end(), columns.albedo_diffuse.data());
  double const total = file.read("total_solar_irradiance").at(0);
  for (int c = 0; c < ncol; ++c) columns.solar_weights(c, 0) = total;
  return columns;
}

}  // namespace parhelion::Testing

#endif
