// SPDX-License-Identifier: BSD-3-Clause
// Columns and clouds made up for tests.
#ifndef PARHELION_TESTS_RRTMG_SYNTHETIC_COLUMNS_HPP
#define PARHELION_TESTS_RRTMG_SYNTHETIC_COLUMNS_HPP

#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>

#include <algorithm>
#include <cmath>

namespace parhelion::Testing {

/// Columns that vary smoothly and differ from one another: a troposphere and a stratosphere, moist below.
inline fluxes::HostColumns synthetic_columns(int ncol, int nlay, int nemis) {
  using fluxes::Gas;
  auto const columns = fluxes::make_columns<Kokkos::DefaultHostExecutionSpace, double>(ncol, nlay, nemis);
  for (int c = 0; c < ncol; ++c) {
    double const shift = std::sin(1.7 * c);
    double const surface = 98000 + 4000 * std::cos(0.6 * c);
    auto const pressure = [&](double x) { return surface * std::pow(20.0 / surface, std::pow(x, 1.2)); };
    auto const temperature = [&](double p) {
      double const height = 7500 * std::log(surface / p);
      return height < 12000 ? 288 + 12 * shift - 0.0062 * height : 213.6 + 12 * shift + 0.0015 * (height - 12000);
    };
    for (int k = 0; k <= nlay; ++k) {
      columns.pressure_lev(c, k) = pressure(static_cast<double>(k) / nlay);
      columns.temperature_lev(c, k) = temperature(columns.pressure_lev(c, k));
    }
    for (int k = 0; k < nlay; ++k) {
      double const p = 0.5 * (columns.pressure_lev(c, k) + columns.pressure_lev(c, k + 1));
      columns.pressure_lay(c, k) = p;
      columns.temperature_lay(c, k) = temperature(p);
      auto const set = [&](Gas gas, double ratio) { columns.vmr(c, static_cast<int>(gas), k) = ratio; };
      set(Gas::h2o, std::max(4e-6, 0.015 * (1 + 0.5 * shift) * std::pow(p / surface, 3)));
      set(Gas::co2, 4e-4 * (1 + 0.3 * shift));
      set(Gas::o3, 8e-6 * std::exp(-std::pow(std::log(p / 1000) / 1.3, 2)) + 3e-8);
      set(Gas::n2o, 3.3e-7);
      set(Gas::co, 1.2e-7);
      set(Gas::ch4, 1.8e-6);
      set(Gas::o2, 0.209);
      set(Gas::ccl4, 1e-10);
      set(Gas::cfc11, 2.3e-10);
      set(Gas::cfc12, 5.2e-10);
      set(Gas::cfc22, 2.3e-10);
    }
    columns.temperature_sfc(c) = columns.temperature_lev(c, 0) + 2 * std::cos(2.1 * c);
    for (int e = 0; e < nemis; ++e) columns.emissivity_sfc(c, e) = 0.9 + 0.1 * std::cos(0.3 * (c + e));
  }
  return columns;
}

/// Clouds of ice above and of droplets below, which overlap and do not fill their layers.
inline fluxes::HostClouds synthetic_clouds(int ncol, int nlay) {
  auto clouds = fluxes::make_layer_clouds<Kokkos::DefaultHostExecutionSpace, double>(ncol, nlay);
  clouds.seed = 7;
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) {
      double const height = (k + 0.5) / nlay;
      clouds.fraction(c, k) = std::clamp(0.5 + 0.8 * std::sin(1.3 * c + 9 * height), 0.0, 1.0);
      clouds.liquid_path(c, k) = height < 0.5 ? 0.02 + 0.01 * std::cos(2.0 * k) : 0;
      clouds.ice_path(c, k) = height > 0.3 ? 0.008 + 0.004 * std::cos(1.0 * c) : 0;
      clouds.liquid_size(c, k) = 1e-6 * (10 + 4 * std::sin(0.4 * c + k));
      clouds.ice_size(c, k) = 1e-6 * (60 + 30 * std::sin(0.9 * c + k));
    }
  return clouds;
}

}  // namespace parhelion::Testing

#endif
