// SPDX-License-Identifier: BSD-3-Clause
// The 16 bands of RRTMG_LW as data: which gases absorb in each, and how each gas is scaled. One kernel reads them.
#ifndef PARHELION_FLUXES_RRTMG_LW_BAND_DESCRIPTIONS_HPP
#define PARHELION_FLUXES_RRTMG_LW_BAND_DESCRIPTIONS_HPP

#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <array>
#include <optional>
#include <vector>

namespace parhelion::fluxes::rrtmg_lw {

inline constexpr int max_ng = 16;    ///< g-points of the widest band
inline constexpr int max_minor = 3;  ///< minor gases of one band
inline constexpr int max_halocarbon = 2;

/// How the amount that absorbs is formed from the column of a minor gas.
enum class MinorAmount {
  column,                   ///< the column of the gas
  limited_column,           ///< the same, its growth with the mixing ratio damped above a limit (`Excess`)
  column_over_density,      ///< column times p/T (O2)
  broadening_over_density,  ///< broadening column times p/T (N2)
  nitrogen                  ///< broadening column times p/T times the broadening gases' share of the air (N2)
};

/// \brief Damped growth of a minor gas: where its mixing ratio is more than `limit` times the reference,
/// the multiple m of the reference column counts as offset + (m - offset)^power.
struct Excess {
  double limit;
  double offset;
  double power;
  /// Reference mixing ratio; 0 takes that of the reference atmosphere at the next lower pressure.
  double reference = 0;
};

struct MinorGas {
  Gas gas;  ///< not used where the amount is the broadening column
  MinorAmount amount = MinorAmount::column;
  int species_level = 0;  ///< reference level (from 1) whose ratio of the two keys mixes them; bands with two keys
  std::optional<Excess> excess = std::nullopt;
};

/// Optical depths of a half of the atmosphere count 1 - strength (p - from) / over times; p, from, over in hPa.
struct PressureCorrection {
  double strength;
  double from;
  double over;
  bool only_below_from;  ///< at pressures of `from` and more nothing is corrected
};

/// One band in the lower or in the upper atmosphere.
struct BandHalf {
  std::vector<Gas> keys = {};   ///< none, one or two key species
  int planck_level = 0;         ///< reference level (from 1) of the species ratio of the Planck fractions
  bool self_continuum = false;  ///< of water vapour
  bool foreign_continuum = false;
  std::vector<MinorGas> minors = {};
  std::vector<Gas> halocarbons = {};
  std::optional<PressureCorrection> correction = std::nullopt;
  std::vector<double> g_scaling = {};  ///< empirical factor of each (reduced) g-point; empty for none
  bool planck_of_lower = false;        ///< Planck fractions of the lower half serve here
  /// The key table is read at its first pressure and its first two temperatures whatever the layer's, as RRTMG_LW does
  /// in its last band.
  bool first_key_rows_only = false;
};

enum class Half { lower, upper };

/// What one array of a band's record in the coefficient file holds. Every array ends with the 16 original g-points.
struct RecordArray {
  enum class Kind { planck_fraction, key, minor, halocarbon, self_continuum, foreign_continuum };
  Kind kind;
  Half half = Half::lower;
  int index = 0;  ///< which minor gas of the half, or which halocarbon
};

/// Diffusivity secant a + b exp(c w) with precipitable water w [cm], kept within 1.5 and 1.8.
struct DiffusivityFit {
  double a = 1.66;
  double b = 0;
  double c = 0;
};

/// One band.
struct BandDescription {
  double wavenumber_low;    ///< [cm-1]
  double wavenumber_high;   ///< [cm-1]
  std::vector<int> merged;  ///< original g-points that merge into each reduced one
  DiffusivityFit diffusivity = {};
  BandHalf lower = {};
  BandHalf upper = {};
  std::vector<RecordArray> record = {};  ///< arrays of the coefficient file's record, in file order

  int ng() const { return static_cast<int>(merged.size()); }
  BandHalf const& half(Half which) const { return which == Half::lower ? lower : upper; }
};

/// The 16 bands, from low to high wavenumber.
std::array<BandDescription, nbnd> const& band_descriptions();

/// Species ratios tabulated for a half with two keys (9 below, 5 above); 1 with fewer keys.
int species_ratios(BandDescription const& band, Half half);

/// Values of an array of the coefficient file that belong to one original g-point.
int values_per_g(BandDescription const& band, RecordArray const& array);

}  // namespace parhelion::fluxes::rrtmg_lw

#endif
