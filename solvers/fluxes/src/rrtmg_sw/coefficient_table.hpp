// SPDX-License-Identifier: BSD-3-Clause
// The shortwave coefficients of all bands as rows of one table, and where the rows of each band and gas lie in it.
#ifndef PARHELION_FLUXES_RRTMG_SW_COEFFICIENT_TABLE_HPP
#define PARHELION_FLUXES_RRTMG_SW_COEFFICIENT_TABLE_HPP

#include <parhelion/fluxes/shortwave_columns.hpp>

#include <array>
#include <vector>

namespace parhelion::fluxes::rrtmg_sw {

inline constexpr int max_absorber = 2;  ///< gases of one half of a band that absorb alike at all temperatures

/// Where one half (lower, upper) of a band lies in the table of coefficients. A row is the place of its first value in
/// CoefficientTable::values; -1: there is none.
template <class Real>
struct HalfRows {
  int nkey;            ///< 0, 1 or 2 gases whose absorption depends on temperature and pressure
  int key[2];          ///< as Gas; 0 where there are fewer
  Real key_ratio;      ///< of two keys: amount = factor * (first + ratio * second); 0 where there are fewer
  Real key_factor;     ///< 1 but for band 22 (above) and 23 (below); the continua of water vapour are not part of it
  int species_ratios;  ///< rows of the key table from one temperature to the next: 1, 9 or 5
  int key_row;         ///< rows run over pressure, temperature, (fastest) species ratio
  int self_row;        ///< 10 rows over temperature
  int foreign_row;     ///< the first of 3 or 4 rows; the upper atmosphere uses the last two of 4
  int nabsorber;
  int absorber[max_absorber];  ///< as Gas
  int absorber_row[max_absorber];
  int grey_gas;                 ///< gas that absorbs alike in all g-points (the oxygen continuum of band 22), or -1
  Real grey;                    ///< its absorption for each 1e20 molecules cm-2
  int rayleigh_row;             ///< rows over species ratio; for each 1e20 molecules cm-2 of moist air
  int rayleigh_species_ratios;  ///< 1, or those of the keys (band 24 below)
};

/// The same for a band, and its sun.
template <class Real>
struct BandRows {
  int ng;
  HalfRows<Real> half[2];    ///< lower, upper
  int solar_half;            ///< whose layers give the species ratio of the solar irradiance: 0 lower, 1 upper; 0
                             ///< for ratios of 1
  int solar_species_ratios;  ///< 1, or those of the keys of that half
  int solar_row;             ///< rows over SolarSpectrum, then (fastest) species ratio [W m-2]
  int solar_layer;  ///< `layreffr`: reference pressure (counted from 1) that marks the layer; 0 for ratios of 1.
                    ///< That of band 28 is 42 here; the coefficient file has 58.
};

/// Values from one row to the next, as long as a vector register likes; see rrtmg_lw::row_stride.
inline constexpr int row_stride = 16;

/// What ShortwaveCoefficients hold.
struct CoefficientTable {
  /// All rows: a value for each g-point of a band, padded with zeros, and a row of zeros at the end. Absorption and
  /// Rayleigh coefficients are for each 1e20 molecules cm-2, irradiances in W m-2.
  std::vector<double> values;
  std::array<BandRows<double>, nbnd_sw> bands;
};

}  // namespace parhelion::fluxes::rrtmg_sw

#endif
