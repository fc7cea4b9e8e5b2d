// SPDX-License-Identifier: BSD-3-Clause
// The 14 bands of RRTMG_SW as data: which gases absorb in each, and what the record of each holds.
#ifndef PARHELION_FLUXES_RRTMG_SW_BAND_DESCRIPTIONS_HPP
#define PARHELION_FLUXES_RRTMG_SW_BAND_DESCRIPTIONS_HPP

#include <parhelion/fluxes/rrtmg_sw/bands.hpp>

#include <array>
#include <optional>
#include <vector>

namespace parhelion::fluxes::rrtmg_sw {

inline constexpr int first_band = 16;  ///< number of the first band in RRTMG_SW

/// A gas that absorbs alike in all g-points of a band.
struct GreyGas {
  Gas gas;
  double coefficient;  ///< for each 1e20 molecules cm-2
};

/// Up to two gases whose absorption depends on temperature and pressure.
struct Keys {
  int n = 0;
  std::array<Gas, 2> gas = {};

  constexpr Keys() = default;
  constexpr Keys(Gas one) : n(1), gas{one} {}
  constexpr Keys(Gas first, Gas second) : n(2), gas{first, second} {}
};

/// One band in the lower or in the upper atmosphere.
struct BandHalf {
  Keys keys = {};
  double ratio_factor = 1;      ///< of two keys: on the ratio that the record holds
  double amount_factor = 1;     ///< on the amount of keys
  bool self_continuum = false;  ///< of water vapour
  bool foreign_continuum = false;
  std::optional<GreyGas> grey = std::nullopt;
};

enum class Half { lower, upper };
enum class Halves { lower, upper, both };

/// An item of a band's record in the coefficient file: one number, or an array of all original g-points.
struct RecordItem {
  enum class Kind {
    solar_layer,        ///< `layreffr`, an integer of 4 bytes, which is no part of ShortwaveCoefficients' records
    rayleigh_number,    ///< the same Rayleigh coefficient for all g-points
    key_ratio,          ///< number that makes the columns of two keys commensurate
    amount_factor,      ///< number on the amount of the lower key
    solar_factor,       ///< number on Kurucz's irradiance
    rayleigh,           ///< Rayleigh coefficients of the g-points
    absorber,           ///< a gas that absorbs alike at all temperatures and pressures
    key,                ///< keys of one half
    self_continuum,     ///< of water vapour, over temperature
    foreign_continuum,  ///< over temperature
    solar               ///< Kurucz's irradiance
  };
  Kind kind;
  Halves halves = Halves::both;  ///< where it serves
  int rows = 1;                  ///< values for each original g-point
  bool gpoint_first = false;     ///< whether the g-point is the fastest index, else the slowest
  Gas gas = Gas::h2o;            ///< of an absorber
  double expected = 0;           ///< of a number: the value in the file that these sources are for; 0: any above 0
};

/// Which layer gives the species ratio of the solar irradiance, in bands where it depends on one.
struct SolarRatio {
  Half half;
  int layer;  ///< reference pressure (counted from 1) that marks the layer
};

/// One band.
struct BandDescription {
  double wavenumber_low;    ///< [cm-1]
  double wavenumber_high;   ///< [cm-1]
  std::vector<int> merged;  ///< original g-points that merge into each reduced one
  BandHalf lower = {};
  BandHalf upper = {};
  std::optional<SolarRatio> solar = std::nullopt;
  std::vector<RecordItem> record = {};  ///< in file order

  int ng() const { return static_cast<int>(merged.size()); }
  BandHalf const& half(Half which) const { return which == Half::lower ? lower : upper; }
};

/// The bands in the order of RRTMG_SW.
std::array<BandDescription, nbnd_sw> const& band_descriptions();

/// Species ratios tabulated for a half with two keys (9 below, 5 above); 1 with fewer keys.
int species_ratios(BandDescription const& band, Half half);

/// Whether an item is one number rather than an array.
bool is_number(RecordItem const& item);

/// Real numbers of an item in the record.
int real_values(RecordItem const& item);

}  // namespace parhelion::fluxes::rrtmg_sw

#endif
