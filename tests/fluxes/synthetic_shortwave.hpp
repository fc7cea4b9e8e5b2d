// SPDX-License-Identifier: BSD-3-Clause
// Sunlit columns and their clouds, made up for tests.
#ifndef PARHELION_TESTS_RRTMG_SYNTHETIC_SHORTWAVE_HPP
#define PARHELION_TESTS_RRTMG_SYNTHETIC_SHORTWAVE_HPP

#include "synthetic_columns.hpp"

#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/shortwave_clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/fluxes/sun.hpp>

#include <cmath>
#include <string>

namespace parhelion::Testing {

/// The atmospheres of synthetic_columns() under a sun that is higher in every column, but for each seventh, which is at
/// night.
inline fluxes::HostShortwaveColumns synthetic_shortwave_columns(int ncol, int nlay, int nalbedo) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const air = synthetic_columns(ncol, nlay, 1);
  auto columns = fluxes::make_shortwave_columns<Host, double>(ncol, nlay, nalbedo);
  columns.pressure_lay = air.pressure_lay;
  columns.pressure_lev = air.pressure_lev;
  columns.temperature_lay = air.temperature_lay;
  columns.vmr = air.vmr;
  auto const sun = fluxes::solar_source({.total_irradiance = 1361});
  for (int c = 0; c < ncol; ++c) {
    columns.cos_zenith(c) = c % 7 == 6 ? -0.3 : (c + 1.) / (ncol + 1);
    for (int a = 0; a < nalbedo; ++a) {
      columns.albedo_direct(c, a) = 0.3 + 0.25 * std::cos(0.7 * (c + a));
      columns.albedo_diffuse(c, a) = 0.3 + 0.2 * std::sin(0.9 * (c + a));
    }
    for (int s = 0; s < fluxes::nsolar; ++s)
      columns.solar_weights(c, s) = sun.weights[static_cast<std::size_t>(s)] * (1 + 0.01 * (c % 3));
  }
  return columns;
}

/// Gives columns aerosol of both kinds: none, types and optical properties in turn.
inline void add_synthetic_aerosol(fluxes::HostShortwaveColumns& columns) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  using Field = decltype(columns.aerosol_optical_depth);
  columns.aerosol_optical_depth = Field("parhelion::test::aerosol_optical_depth", ncol, nlay, fluxes::nbnd_sw);
  columns.aerosol_single_scattering_albedo = Field("parhelion::test::aerosol_albedo", ncol, nlay, fluxes::nbnd_sw);
  columns.aerosol_asymmetry = Field("parhelion::test::aerosol_asymmetry", ncol, nlay, fluxes::nbnd_sw);
  columns.aerosol_550nm = Field("parhelion::test::aerosol_550nm", ncol, nlay, fluxes::naerosol);
  columns.aerosol_input = decltype(columns.aerosol_input)("parhelion::test::aerosol_input", ncol);
  for (std::size_t i = 0; i < columns.aerosol_optical_depth.size(); ++i) {
    columns.aerosol_optical_depth.data()[i] = 1e-3 * static_cast<double>(i % 7);
    columns.aerosol_single_scattering_albedo.data()[i] = 0.8 + 0.02 * static_cast<double>(i % 9);
    columns.aerosol_asymmetry.data()[i] = 0.6 + 0.01 * static_cast<double>(i % 11);
  }
  for (std::size_t i = 0; i < columns.aerosol_550nm.size(); ++i)
    columns.aerosol_550nm.data()[i] = 2e-3 * static_cast<double>(i % 5);
  constexpr fluxes::AerosolInput kinds[] = {fluxes::AerosolInput::none, fluxes::AerosolInput::types,
                                            fluxes::AerosolInput::optical};
  for (int c = 0; c < ncol; ++c) columns.aerosol_input(c) = static_cast<int>(kinds[c % 3]);
}

/// The clouds of synthetic_clouds().
inline fluxes::HostShortwaveClouds synthetic_shortwave_clouds(int ncol, int nlay) {
  auto const of_longwave = synthetic_clouds(ncol, nlay);
  fluxes::HostShortwaveClouds clouds;
  clouds.fraction = of_longwave.fraction;
  clouds.ice_path = of_longwave.ice_path;
  clouds.liquid_path = of_longwave.liquid_path;
  clouds.ice_size = of_longwave.ice_size;
  clouds.liquid_size = of_longwave.liquid_size;
  clouds.input = of_longwave.input;
  clouds.ice_optics = of_longwave.ice_optics;
  clouds.liquid_optics = of_longwave.liquid_optics;
  clouds.seed = of_longwave.seed;
  return clouds;
}

/// Clouds of g-points, partly cloudy ones among them: every third column by optical properties, if they are wanted.
inline fluxes::HostShortwaveClouds synthetic_shortwave_gpoint_clouds(int ncol, int nlay, bool optical = true) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const layers = synthetic_clouds(ncol, nlay);
  auto clouds = fluxes::make_shortwave_gpoint_clouds<Host, double>(ncol, nlay, optical);
  clouds.ice_size = layers.ice_size;
  clouds.liquid_size = layers.liquid_size;
  for (int c = 0; c < ncol; ++c) {
    if (optical && c % 3 == 0) clouds.input(c) = static_cast<int>(fluxes::CloudInput::optical_depth);
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < fluxes::ngpt_sw; ++g) {
        int const number = (c + k + g) % 4;
        clouds.fraction_gpt(c, k, g) = number == 0 ? 1 : number == 1 ? 0.5 : 0;
        clouds.ice_path_gpt(c, k, g) = layers.ice_path(c, k);
        clouds.liquid_path_gpt(c, k, g) = layers.liquid_path(c, k);
        if (!optical) continue;
        clouds.optical_depth_gpt(c, k, g) = 0.3 * ((c + k) % 5);
        clouds.single_scattering_albedo_gpt(c, k, g) = 0.9 + 0.02 * ((k + g) % 5);
        clouds.asymmetry_gpt(c, k, g) = 0.8 + 0.01 * (g % 7);
        clouds.forward_fraction_gpt(c, k, g) = 0.6 + 0.01 * (g % 5);
      }
  }
  return clouds;
}

}  // namespace parhelion::Testing

#endif
