// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_COEFFICIENTS_HPP
#define PARHELION_FLUXES_COEFFICIENTS_HPP

#include <parhelion/fluxes/bands.hpp>

#include <array>
#include <string>
#include <vector>

namespace parhelion::fluxes {

/// Where a band's minor gas lies in the table of coefficients, and how its amount is formed (see MinorGas).
template <class Real>
struct MinorTable {
  MinorAmount amount;
  int gas;
  int species_ratios;  ///< 1, or the number of species ratios tabulated
  int row;             ///< position of the first row; rows run over temperature, then (fastest) species ratio
  Real species_ratio;  ///< reference ratio of the two keys
  Real limit, offset, power, reference;
};

/// Where one half (lower, upper) of a band lies in the table of coefficients. A row of -1 means that there is none.
template <class Real>
struct HalfTable {
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
  MinorTable<Real> minor[max_minor];
  int nhalocarbon;
  int halocarbon[max_halocarbon];
  int halocarbon_row[max_halocarbon];
  Real correction_strength, correction_from, correction_over;
  bool correction_only_below;
};

template <class Real>
struct BandTable {
  int ng;
  DiffusivityFit diffusivity;
  HalfTable<Real> half[2];  ///< lower, upper
};

/// Values from one row of the coefficient table to the next: all rows are as long as those of the widest band, so that
/// kernels know where the next row is, and a row starts on a boundary that vector loads like.
inline constexpr int row_stride = max_ng;

/// \brief Absorption coefficients and Planck fractions of RRTMG_LW, reduced from 256 to 140 g-points.
///
/// Built once on the host. Coefficients merge as means with the weights of the original g-points, Planck fractions
/// as sums (Iacono et al. 2008, doi:10.1029/2008JD009944). Empirical factors of g-points are multiplied in.
class Coefficients {
 public:
  /// \param records the 16 records of RRTMG_LW_DATA in file order (see record_values for their sizes)
  /// \param where   opens the messages, such as the name of a file
  /// \throws parhelion::Error when a record has another size, or holds what makes fluxes that cannot be: numbers that
  ///         are negative or not finite, or Planck fractions of a band that do not add up to 1 within 1e-4
  explicit Coefficients(std::array<std::vector<double>, nbnd> const& records,
                        std::string const& where = "RRTMG_LW coefficients");

  /// All rows: a value for each g-point of a band, padded with zeros, and a row of zeros at the end. Absorption
  /// coefficients are per 1e20 molecules cm-2, Planck fractions have no unit.
  std::vector<double> const& values() const { return m_values; }

  std::array<BandTable<double>, nbnd> const& bands() const { return m_bands; }

 private:
  std::vector<double> m_values;
  std::array<BandTable<double>, nbnd> m_bands;
};

}  // namespace parhelion::fluxes

#endif
