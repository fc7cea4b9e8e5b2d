// SPDX-License-Identifier: BSD-3-Clause
// Sunlit columns with clouds and aerosol, made up for tests of what holds for all of them.
#ifndef PARHELION_TESTS_SUNLIT_COLUMNS_HPP
#define PARHELION_TESTS_SUNLIT_COLUMNS_HPP

#include "shortwave_cases.hpp"
#include "synthetic_shortwave.hpp"

#include <parhelion/core/copies.hpp>

#include <cmath>

namespace parhelion::Testing {

/// The atmospheres of synthetic_shortwave_columns(), all sunlit, over surfaces that are brighter for diffuse light. The
/// sun is Kurucz's.
inline HostShortwaveInput sunlit_columns(int ncol, int nlay, int nalbedo = fluxes::nbnd_sw) {
  HostShortwaveInput input(synthetic_shortwave_columns(ncol, nlay, nalbedo));
  auto& columns = input.columns;
  columns.temperature_lev = synthetic_columns(ncol, nlay, 1).temperature_lev;
  parhelion::assign_array(columns.solar_weights, 0.0);
  for (int c = 0; c < ncol; ++c) {
    columns.cos_zenith(c) = 0.52 + 0.47 * std::cos(1.9 * c);
    columns.solar_weights(c, static_cast<int>(fluxes::SolarSpectrum::kurucz)) = 1 + 0.03 * std::sin(0.8 * c);
    for (int b = 0; b < nalbedo; ++b) columns.albedo_diffuse(c, b) = columns.albedo_direct(c, b) + 0.05;
  }
  return input;
}

/// Adds the clouds of layers of synthetic_shortwave_clouds().
inline void add_layer_clouds(HostShortwaveInput& input, fluxes::Overlap overlap = fluxes::Overlap::maximum_random) {
  input.clouds = synthetic_shortwave_clouds(input.columns.ncol(), input.columns.nlay());
  input.clouds.overlap = overlap;
}

/// Adds clouds of g-points that are given by their optical properties; some fill their g-point by half.
/// \param albedo single scattering albedo
inline void add_optical_clouds(HostShortwaveInput& input, double albedo) {
  int const ncol = input.columns.ncol();
  int const nlay = input.columns.nlay();
  auto& clouds = input.clouds;
  clouds = fluxes::make_shortwave_gpoint_clouds<ShortwaveHost, double>(ncol, nlay, true);
  parhelion::assign_array(clouds.input, static_cast<int>(fluxes::CloudInput::optical_depth));
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < fluxes::ngpt_sw; ++g) {
        clouds.fraction_gpt(c, k, g) = (c + 3 * k + g) % 5 == 0 ? 0.5 : (2 * k + g + c) % 3 == 0 ? 1 : 0;
        clouds.optical_depth_gpt(c, k, g) = 4 + 3 * std::sin(0.3 * k + 0.1 * g + c);
        clouds.single_scattering_albedo_gpt(c, k, g) = albedo;
        clouds.asymmetry_gpt(c, k, g) = 0.85;
        clouds.forward_fraction_gpt(c, k, g) = 0.72;
      }
}

/// Adds aerosol.
/// \param albedo single scattering albedo
inline void add_aerosol(HostShortwaveInput& input, double albedo) {
  int const ncol = input.columns.ncol();
  int const nlay = input.columns.nlay();
  auto& columns = input.columns;
  columns.aerosol_optical_depth = decltype(columns.aerosol_optical_depth)("aerosol", ncol, nlay, fluxes::nbnd_sw);
  columns.aerosol_single_scattering_albedo = decltype(columns.aerosol_optical_depth)("w", ncol, nlay, fluxes::nbnd_sw);
  columns.aerosol_asymmetry = decltype(columns.aerosol_optical_depth)("g", ncol, nlay, fluxes::nbnd_sw);
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k)
      for (int b = 0; b < fluxes::nbnd_sw; ++b) {
        columns.aerosol_optical_depth(c, k, b) = 0.3 / nlay * (1 + std::sin(0.5 * b + 0.2 * k + c));
        columns.aerosol_single_scattering_albedo(c, k, b) = albedo;
        columns.aerosol_asymmetry(c, k, b) = 0.6 + 0.2 * std::cos(b + 0.1 * k);
      }
}

}  // namespace parhelion::Testing

#endif
