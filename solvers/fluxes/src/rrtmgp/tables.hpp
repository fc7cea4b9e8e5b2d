// SPDX-License-Identifier: BSD-3-Clause
// What kernels read of the gas optics of RRTMGP.
#ifndef PARHELION_FLUXES_RRTMGP_TABLES_HPP
#define PARHELION_FLUXES_RRTMGP_TABLES_HPP

#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/fluxes/rrtmgp/k_distribution.hpp>

namespace parhelion::fluxes::rrtmgp {

/// Columns are in this many molecules cm-2, and coefficients in its inverse, so that floats hold both.
inline constexpr double column_unit = 1e20;

namespace constants {
inline constexpr double avogadro = 6.02214076e23;     // [mol-1]
inline constexpr double gravity = 9.80665;            // [m s-2]
inline constexpr double molar_mass_dry = 0.028964;    // [kg mol-1]
inline constexpr double molar_mass_water = 0.018016;  // [kg mol-1]
inline constexpr double heat_capacity = 1004;         // of air at constant pressure [J kg-1 K-1]
}  // namespace constants

/// \brief A half of the atmosphere in a band.
///
/// Rows of g-points lie `stride` values apart. Of two different key species, rows go over (pressure, temperature,
/// mixing); of one, which always is in the middle between its two equal parts, over (pressure, temperature), and are
/// interpolated to there beforehand. Minor and Rayleigh rows have no pressures.
struct HalfRows {
  int key[2];      ///< State::column of the key species
  int two_keys;    ///< whether they differ
  int key_row;     ///< first value of the rows of key species; -1: they do not absorb
  int second_row;  ///< first value of the rows of Planck fractions or of Rayleigh scattering
  int first_minor;
  int nminor;
};

/// A minor absorption.
struct MinorRows {
  int gas;          ///< State::column
  int scaling_gas;  ///< State::column; -1: none
  int scales_with_density;
  int by_complement;
  int row;  ///< first value
};

/// A band.
template <class Real>
struct BandRows {
  HalfRows half[nhalf];
  int ng;
  int first_gpoint;
  int solar_row;         ///< first value of the rows of the solar spectra: quiet, facular, sunspot
  Real angle_slope;      ///< secant of the optimal angle by the transmittance of the column
  Real angle_intercept;  ///< secant of the optimal angle of columns that transmit nothing
};

/// The axes of the tables.
template <class Real>
struct Axes {
  int ntemperature;
  Real first_temperature, temperature_step, last_temperature;  ///< [K]
  int npressure;
  Real first_pressure;       ///< [Pa]
  Real ln_pressure_step;     ///< negative
  Real tropopause_pressure;  ///< [Pa]: layers with a higher one are of the lower half
  int last_below;            ///< number, from 0, of the highest reference pressure that lower layers lie above
  int first_above;           ///< and of the lowest one that upper layers lie above
  int nmixing;
  int nplanck;
  Real planck_step;  ///< [K]
};

/// \brief The tables of a model on a device.
template <class ExecutionSpace, class Real>
struct Tables {
  Axes<Real> axes;
  int nband;
  int nkept;
  int stride;                                          ///< values from a row to the next one, a multiple of 16
  Array<Real const*, ExecutionSpace> values;           ///< all rows
  Array<BandRows<Real> const*, ExecutionSpace> bands;  ///< (nband)
  Array<MinorRows const*, ExecutionSpace> minors;      ///< those of a half of a band are neighbours
  Array<int const*, ExecutionSpace> gases;             ///< (nkept): Gas of each
  Array<Real const*, ExecutionSpace> temperature;      ///< temp_ref [K]
  Array<Real const*, ExecutionSpace> ratio;   ///< of both key species' reference amounts: (band, half, temperature)
  Array<Real const*, ExecutionSpace> planck;  ///< Planck radiance of bands [W m-2 sr-1]: (nplanck, nband)

  /// Whether the tables of the upper atmosphere apply at a pressure [Pa].
  KOKKOS_INLINE_FUNCTION bool is_upper(Real pressure) const { return !(pressure > axes.tropopause_pressure); }

  /// A temperature in the table of Planck radiances, and one that is 1 K higher.
  struct AtTemperature {
    int entry;
    Real fraction;
    int warmer_entry;
    Real warmer_fraction;
  };

  /// At the last entry itself, the one before it counts; beyond the table the last interval is extrapolated.
  KOKKOS_INLINE_FUNCTION AtTemperature at_temperature(Real temperature) const {
    int const last = axes.nplanck - 2;
    Real const position = (temperature - axes.first_temperature) / axes.planck_step;
    int const whole = clamped_index(position, 0, last + 1);
    bool const beyond = temperature > axes.last_temperature;
    int const from = beyond && whole > last ? last : whole;
    // The temperature that is 1 K higher has the fraction of its interval in the last one, wherever it lies.
    Real const warmer = (temperature + 1 - axes.first_temperature) / axes.planck_step;
    constexpr int most = 1 << 20;
    int const warmer_whole = clamped_index(warmer, 0, most);
    return {whole < last ? whole : last, position - static_cast<Real>(from), warmer_whole < last ? warmer_whole : last,
            warmer - static_cast<Real>(warmer_whole)};
  }

  /// Planck radiance of a band [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck_radiance(int band, AtTemperature const& at) const {
    return planck_radiance(band, at.entry, at.fraction);
  }

  /// Its change for 1 K [W m-2 sr-1].
  KOKKOS_INLINE_FUNCTION Real planck_change(int band, AtTemperature const& at) const {
    return planck_radiance(band, at.warmer_entry, at.warmer_fraction) - planck_radiance(band, at);
  }

 private:
  KOKKOS_INLINE_FUNCTION Real planck_radiance(int band, int entry, Real fraction) const {
    Real const* const row = planck.data() + (entry * nband + band);
    return row[0] + fraction * (row[nband] - row[0]);
  }
};

}  // namespace parhelion::fluxes::rrtmgp

#endif
