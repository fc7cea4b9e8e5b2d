// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of all bands as rows of one table, and where the rows of each band and gas lie in it.
#ifndef PARHELION_FLUXES_RRTMG_LW_COEFFICIENT_TABLE_HPP
#define PARHELION_FLUXES_RRTMG_LW_COEFFICIENT_TABLE_HPP

#include "rrtmg_lw/band_descriptions.hpp"

#include <array>
#include <vector>

namespace parhelion::fluxes::rrtmg_lw {

/// Where a band's minor gas lies in the table of coefficients, and how its amount is formed (see MinorGas).
template <class Real>
struct MinorRows {
  MinorAmount amount;
  int gas;
  int species_ratios;  ///< 1, or the number of species ratios tabulated
  int row;             ///< position of the first row; rows run over temperature, then (fastest) species ratio
  Real species_ratio;  ///< reference ratio of the two keys
  Real limit, offset, power, reference;
};

/// Where one half (lower, upper) of a band lies in the table of coefficients. A row of -1 means that there is none.
template <class Real>
struct HalfRows {
  int nkey;
  int key[2];
  int species_ratios;  ///< rows of the key table from one temperature to the next: 1, or the number of species ratios
  int key_row;         ///< rows run over pressure, temperature, (fastest) species ratio
  int planck_row;
  int planck_species_ratios;
  Real planck_ratio;  ///< reference ratio of the two keys
  int self_row;
  int foreign_row;
  int nminor;
  MinorRows<Real> minor[max_minor];
  int nhalocarbon;
  int halocarbon[max_halocarbon];
  int halocarbon_row[max_halocarbon];
  Real correction_strength, correction_from, correction_over;
  bool correction_only_below;
};

/// The same for a band.
template <class Real>
struct BandRows {
  int ng;
  DiffusivityFit diffusivity;
  HalfRows<Real> half[2];  ///< lower, upper
};

/// Values from one row of the coefficient table to the next: all rows are as long as those of the widest band, so that
/// kernels know where the next row is, and a row starts on a boundary that vector loads like.
inline constexpr int row_stride = max_ng;

/// What Coefficients hold.
struct CoefficientTable {
  /// All rows: a value for each g-point of a band, padded with zeros, and a row of zeros at the end. Absorption
  /// coefficients are per 1e20 molecules cm-2, Planck fractions have no unit.
  std::vector<double> values;
  std::array<BandRows<double>, nbnd> bands;
};

}  // namespace parhelion::fluxes::rrtmg_lw

#endif
