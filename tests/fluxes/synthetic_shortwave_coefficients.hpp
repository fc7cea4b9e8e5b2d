// SPDX-License-Identifier: BSD-3-Clause
// Coefficients for the gas optics of RRTMG_SW that are no spectroscopy: of the right shape and order of magnitude.
#ifndef PARHELION_TESTS_SYNTHETIC_SHORTWAVE_COEFFICIENTS_HPP
#define PARHELION_TESTS_SYNTHETIC_SHORTWAVE_COEFFICIENTS_HPP

#include "rrtmg_sw/band_descriptions.hpp"

#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace parhelion::Testing {

/// \brief Records of the right shape and order of magnitude.
///
/// Absorption grows with the g-point over five decades and with the row by a third: smoothly, because weights of
/// interpolation may be negative. Irradiances fall with the g-point and add up to 100 W m-2 in each band.
/// \param absorption factor on absorption
inline std::array<std::vector<double>, fluxes::nbnd_sw> synthetic_shortwave_records(double absorption = 1) {
  using Kind = fluxes::rrtmg_sw::RecordItem::Kind;
  constexpr int ng = 16;  // of the published records
  std::array<std::vector<double>, fluxes::nbnd_sw> records;
  for (std::size_t b = 0; b < records.size(); ++b)
    for (auto const& item : fluxes::rrtmg_sw::band_descriptions()[b].record) {
      if (item.kind == Kind::solar_layer) continue;
      if (fluxes::rrtmg_sw::is_number(item)) {
        records[b].push_back(item.kind == Kind::rayleigh_number ? 1e-9 * std::pow(2., double(b)) : item.expected);
        continue;
      }
      double const size = absorption * (item.kind == Kind::key ? 2e-7 : 2e-9);
      auto const value = [&](int row, int g) {
        if (item.kind == Kind::solar) return 100. * (2 * (ng - g) - 1) / double(ng * ng);
        if (item.kind == Kind::rayleigh) return 1e-9 * std::pow(2., double(b)) * (1 + 0.01 * g + 0.001 * row);
        return size * std::pow(10., 0.3 * g) * (1 + 0.3 * row / item.rows + 0.02 * double(b));
      };
      int const outer = item.gpoint_first ? item.rows : ng;
      int const inner = item.gpoint_first ? ng : item.rows;
      for (int i = 0; i < outer; ++i)
        for (int j = 0; j < inner; ++j) records[b].push_back(item.gpoint_first ? value(i, j) : value(j, i));
    }
  return records;
}

/// Coefficients of these records, made once.
inline fluxes::ShortwaveCoefficients const& synthetic_shortwave_coefficients() {
  static fluxes::ShortwaveCoefficients const coefficients(synthetic_shortwave_records());
  return coefficients;
}

/// The same of gases that scatter and do not absorb; the continuum of oxygen is no coefficient and stays.
inline fluxes::ShortwaveCoefficients const& scattering_shortwave_coefficients() {
  static fluxes::ShortwaveCoefficients const coefficients(synthetic_shortwave_records(0));
  return coefficients;
}

}  // namespace parhelion::Testing

#endif
