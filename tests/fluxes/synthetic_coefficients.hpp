// SPDX-License-Identifier: BSD-3-Clause
// Coefficients for RRTMG's gas optics that are no spectroscopy: of the right shape and order of magnitude, so that what
// holds for any coefficients can be tested where the published file is not at hand.
#ifndef PARHELION_TESTING_SYNTHETIC_COEFFICIENTS_HPP
#define PARHELION_TESTING_SYNTHETIC_COEFFICIENTS_HPP

#include "rrtmg_lw/band_descriptions.hpp"

#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace parhelion::Testing {

/// Absorption grows with the g-point over five decades and with the row by a third: smoothly, because weights of
/// interpolation may be negative and absorption may not. Planck fractions fall with the g-point and add up to 1.
inline std::array<std::vector<double>, fluxes::nbnd> synthetic_records() {
  using Kind = fluxes::rrtmg_lw::RecordArray::Kind;
  constexpr int ng = 16;  // of the published records
  std::array<std::vector<double>, fluxes::nbnd> records;
  for (std::size_t b = 0; b < records.size(); ++b) {
    auto const& band = fluxes::rrtmg_lw::band_descriptions()[b];
    for (auto const& array : band.record) {
      int const rows = fluxes::rrtmg_lw::values_per_g(band, array);
      double const size = array.kind == Kind::key ? 2e-7 : 2e-9;
      for (int row = 0; row < rows; ++row)
        for (int g = 0; g < ng; ++g)
          records[b].push_back(array.kind == Kind::planck_fraction
                                   ? (2 * (ng - g) - 1) / double(ng * ng)
                                   : size * std::pow(10., 0.3 * g) * (1 + 0.3 * row / rows + 0.02 * double(b)));
    }
  }
  return records;
}

/// Coefficients of these records, made once.
inline fluxes::Coefficients const& synthetic_coefficients() {
  static fluxes::Coefficients const coefficients(synthetic_records());
  return coefficients;
}

}  // namespace parhelion::Testing

#endif
