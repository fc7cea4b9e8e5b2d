// SPDX-License-Identifier: BSD-3-Clause
// What kernels read of the gas optics of RRTMG_SW.
#ifndef PARHELION_FLUXES_RRTMG_SW_GAS_OPTICS_TABLES_HPP
#define PARHELION_FLUXES_RRTMG_SW_GAS_OPTICS_TABLES_HPP

#include "rrtmg_sw/coefficient_table.hpp"

#include <parhelion/core/types.hpp>

namespace parhelion::fluxes::rrtmg_sw {

/// The tables of ShortwaveGasOptics on a device. The reference atmosphere is RRTMG_LW's.
template <class ExecutionSpace, class Real>
struct GasOpticsTables {
  Array<Real const*, ExecutionSpace> values;           ///< CoefficientTable::values
  Array<BandRows<Real> const*, ExecutionSpace> bands;  ///< (nbnd_sw)
  Array<Real const*, ExecutionSpace> ln_pressure;      ///< ln(hPa) of the reference pressures
  Array<Real const*, ExecutionSpace> temperature;      ///< [K] at the reference pressures

  /// Whether a column of zero counts as a tiny one, for ratios between two gases: CO2, N2O, CH4 and O2, but neither H2O
  /// nor O3.
  KOKKOS_INLINE_FUNCTION static bool is_never_zero(int gas) {
    return gas == static_cast<int>(Gas::co2) || gas == static_cast<int>(Gas::n2o) ||
           gas == static_cast<int>(Gas::ch4) || gas == static_cast<int>(Gas::o2);
  }
};

}  // namespace parhelion::fluxes::rrtmg_sw

#endif
