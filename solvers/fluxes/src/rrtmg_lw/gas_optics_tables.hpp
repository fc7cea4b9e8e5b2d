// SPDX-License-Identifier: BSD-3-Clause
// What kernels read of the gas optics of RRTMG_LW.
#ifndef PARHELION_FLUXES_RRTMG_LW_GAS_OPTICS_TABLES_HPP
#define PARHELION_FLUXES_RRTMG_LW_GAS_OPTICS_TABLES_HPP

#include "rrtmg_lw/coefficient_table.hpp"
#include "rrtmg_lw/reference_tables.hpp"

#include <parhelion/core/types.hpp>

namespace parhelion::fluxes::rrtmg_lw {

/// \brief Rows of a table of Planck functions over temperature that is longer than RRTMG_LW's.
///
/// From 0 K in steps of an eighth of a kelvin up to where RRTMG_LW's table begins, whose rows follow, and then in its
/// steps of 1 K up to 1000 K. The rows before and after RRTMG_LW's hold integrals of the Planck function over the band
/// (of the last band, over all above its lower limit). They are scaled to meet the table at its ends, by factors that
/// differ from 1 by at most 1.6e-4. Linear interpolation between them has a relative error of at most 2e-4 from 100 K
/// on.
struct PlanckRows {
  static constexpr int cold_per_kelvin = 8;
  static constexpr int cold = static_cast<int>(planck_table_lowest) * cold_per_kelvin;
  static constexpr double highest = 1000;                                           ///< [K]
  static constexpr int warm = static_cast<int>(highest - planck_table_lowest) + 1;  ///< from RRTMG_LW's first on
  static constexpr int all = cold + warm;

  /// Temperature of a row [K].
  static constexpr double temperature(int row) {
    return row < cold ? static_cast<double>(row) / cold_per_kelvin : planck_table_lowest + (row - cold);
  }
};

/// The tables of GasOptics on a device.
template <class ExecutionSpace, class Real>
struct GasOpticsTables {
  Array<Real const*, ExecutionSpace> values;           ///< CoefficientTable::values
  Array<BandRows<Real> const*, ExecutionSpace> bands;  ///< (nbnd)
  Array<Real const*, ExecutionSpace> ln_pressure;      ///< ln(hPa) of the reference pressures
  Array<Real const*, ExecutionSpace> temperature;      ///< [K] at the reference pressures
  Array<Real const**, ExecutionSpace> vmr;             ///< (reference pressure, gas)
  Array<Real const**, ExecutionSpace> planck;  ///< Planck radiance of the band [W m-2 sr-1], (PlanckRows::all, nbnd)
  Array<Real const**, ExecutionSpace> planck_derivative;  ///< by temperature [W m-2 sr-1 K-1], (PlanckRows::all, nbnd)

  /// Whether a column of zero counts as a tiny one: CO2, O3, N2O, CO and CH4, for ratios between two gases.
  KOKKOS_INLINE_FUNCTION static bool is_never_zero(int gas) {
    return gas >= static_cast<int>(Gas::co2) && gas <= static_cast<int>(Gas::ch4);
  }
};

}  // namespace parhelion::fluxes::rrtmg_lw

#endif
