// SPDX-License-Identifier: BSD-3-Clause
// What kernels read of the simple spectral model.
#ifndef PARHELION_FLUXES_SIMPLE_SIMPLE_TABLES_HPP
#define PARHELION_FLUXES_SIMPLE_SIMPLE_TABLES_HPP

#include <parhelion/fluxes/simple/simple_spectral.hpp>

namespace parhelion::fluxes::simple {

/// The numbers of SimpleSpectral, and its tables on a device.
template <class ExecutionSpace, class Real>
struct SimpleTables {
  static constexpr int nwavenumber = SimpleSpectral<ExecutionSpace, Real>::nwavenumber;
  static constexpr int nlane = 48;  ///< wavenumbers padded to whole vectors; the padding neither absorbs nor emits
  static constexpr int ngas_absorbing = 2;  ///< H2O, CO2

  static constexpr double pressure_ref = 50000;      ///< [Pa]
  static constexpr double molar_mass_water = 0.018;  ///< [kg mol-1]
  static constexpr double molar_mass_co2 = 0.044;    ///< [kg mol-1]
  static constexpr double molar_mass_dry = 0.029;    ///< [kg mol-1]
  static constexpr double diffusivity = 1.66;        ///< secant of the angle that stands for the hemisphere
  static constexpr double heat_capacity = 1004;      ///< of air at constant pressure [J kg-1 K-1]

  Array<Real const*, ExecutionSpace> kappa;       ///< at pressure_ref [m2 kg-1], (gas, lane) in one row
  Array<Real const*, ExecutionSpace> wavenumber;  ///< [cm-1], (lane)
  Array<Real const*, ExecutionSpace> width;       ///< of the interval [cm-1], (lane); 0 in the padding
  Array<int const*, ExecutionSpace> band;         ///< band of RRTMG_LW that holds the wavenumber, (lane)
};

}  // namespace parhelion::fluxes::simple

#endif
