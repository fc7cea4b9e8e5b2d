// SPDX-License-Identifier: BSD-3-Clause
// What kernels read of the gas optics of ecCKD.
#ifndef PARHELION_FLUXES_ECCKD_TABLES_HPP
#define PARHELION_FLUXES_ECCKD_TABLES_HPP

#include <parhelion/fluxes/gases.hpp>

#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion::fluxes::ecckd {

/// Constants that ecRad fixes.
namespace model_constants {
inline constexpr double gravity = 9.80665;        ///< [m s-2]
inline constexpr double molar_mass_dry = 28.970;  ///< [g mol-1]
inline constexpr double heat_capacity = 1004;     ///< of air at constant pressure [J kg-1 K-1]
inline constexpr double diffusivity = 1.66;       ///< secant of the angle that stands for the hemisphere
/// Moles of dry air per area for a pressure difference of 1 Pa [mol m-2 Pa-1].
inline constexpr double moles_per_pascal = 1 / (gravity * 0.001 * molar_mass_dry);
/// By which an interpolation stays away from the last entry of a table, in entries.
inline constexpr double short_of_end = 0.0001;
}  // namespace model_constants

/// Gases that a definition may have: all that are known, and composite.
inline constexpr int max_gases = ngas_all + 1;

/// A gas among the rows of the table.
template <class Real>
struct GasRows {
  int gas;                   ///< number of Gas; -1: composite
  int dependence;            ///< Concentration
  unsigned row;              ///< its first row
  int nmole_fraction;        ///< entries of a table over its mole fraction
  Real first_mole_fraction;  ///< of that table [mol mol-1]
  Real inverse_step;         ///< entries of it for a factor of e
  Real reference;            ///< mole fraction [mol mol-1]
};

/// \brief The tables of ecCKD on a device.
///
/// Rows have a value for each g-point, and zeros up to `stride`, a multiple of 16. Those of a gas are in the order
/// ([mole fraction,] temperature, pressure), so that neighbours in pressure are neighbours in memory. After the gases
/// come those of the Planck function over temperature, or that of Rayleigh scattering and one of zeros.
template <class ExecutionSpace, class Real>
struct Tables {
  static constexpr int lane_multiple = 16;

  Array<Real const*, ExecutionSpace> values;          ///< the rows
  Array<Real const*, ExecutionSpace> pressure;        ///< [Pa], in steps that are the same but for rounding
  Array<Real const*, ExecutionSpace> temperature;     ///< lowest of the table at each pressure [K]
  Array<GasRows<Real> const*, ExecutionSpace> gases;  ///< in the order of the file
  Array<int const*, ExecutionSpace> band;             ///< of each g-point; of padding that of the last one
  Array<Real const*, ExecutionSpace> solar_share;     ///< of each g-point; of padding 0; the longwave has zeros
  int ngas = 0;                                       ///< of the file, with composite
  int npair = 0;                                      ///< pairs of rows of a layer
  int npressure = 0;
  int ntemperature = 0;
  int nplanck = 0;  ///< temperatures of the Planck function
  int ngpoint = 0;
  int nband = 0;
  int stride = 0;           ///< values from a row to the next one
  unsigned planck_row = 0;  ///< the first of the Planck function
  unsigned rayleigh_row = 0;
  Real inverse_pressure_step = 0;     ///< entries for a factor of e
  Real inverse_temperature_step = 0;  ///< entries for a kelvin
  Real planck_from = 0;               ///< lowest temperature of the Planck function [K]
  Real inverse_planck_step = 0;       ///< entries for a kelvin

  /// A temperature in the table of the Planck function: in proportion to temperature below it, and on the line through
  /// its last two entries above it.
  struct AtTemperature {
    unsigned row;
    Real weight[2];
    Real slope[2];  ///< derivative of the weights with respect to temperature [K-1]
  };

  KOKKOS_INLINE_FUNCTION AtTemperature at_temperature(Real kelvin) const {
    Real const position = (kelvin - planck_from) * inverse_planck_step;
    int const entry = clamped_index(position, 0, nplanck - 2);
    Real const fraction = position - static_cast<Real>(entry);
    // Without branches: loops over layers become vector instructions.
    bool const is_below = position < 0;
    return {planck_row + static_cast<unsigned>(entry),
            {is_below ? kelvin / planck_from : 1 - fraction, is_below ? Real(0) : fraction},
            {is_below ? 1 / planck_from : -inverse_planck_step, is_below ? Real(0) : inverse_planck_step}};
  }

  /// The sum of two rows of the Planck function at a g-point [W m-2, or W m-2 K-1].
  KOKKOS_INLINE_FUNCTION Real of_rows(unsigned row, Real const (&weight)[2], int lane) const {
    Real const* const value = values.data() + row * static_cast<unsigned>(stride) + lane;
    return weight[0] * value[0] + weight[1] * value[stride];
  }
};

}  // namespace parhelion::fluxes::ecckd

#endif
