// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SIMPLE_SPECTRAL_HPP
#define PARHELION_FLUXES_SIMPLE_SPECTRAL_HPP

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/validity.hpp>

namespace parhelion::fluxes {

/// \brief The simple spectral model of gas optics, which needs no file.
///
/// Absorption coefficients of H2O and CO2 are triangles in ln(kappa) over wavenumber and grow linearly with pressure;
/// 41 wavenumbers from 50 to 3000 cm-1 stand for the intervals around them. Williams (2026), arXiv:2508.09353; the
/// model is also in RTE+RRTMGP as SSM.
///
/// The optical depth of a layer is p/p_ref times the sum over gases of kappa(nu) q dp/g with
/// q = mixing ratio * molar mass of the gas / molar mass of dry air.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
class SimpleSpectral {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Tabulates the model on a device; fences.
  /// \param space execution space instance, on whose device it is then
  explicit SimpleSpectral(ExecutionSpace const& space);

  /// The same for the default instance.
  SimpleSpectral() : SimpleSpectral(ExecutionSpace()) {}

  static constexpr Validity validity = simple_validity;  ///< where the model is valid

  static constexpr int nwavenumber = 41;
  static constexpr int nlane = 48;  ///< wavenumbers padded to whole vectors; the padding neither absorbs nor emits
  static constexpr int ngas_absorbing = 2;  ///< H2O, CO2

  static constexpr double pressure_ref = 50000;      ///< [Pa]
  static constexpr double molar_mass_water = 0.018;  ///< [kg mol-1]
  static constexpr double molar_mass_co2 = 0.044;    ///< [kg mol-1]
  static constexpr double molar_mass_dry = 0.029;    ///< [kg mol-1]
  static constexpr double diffusivity = 1.66;        ///< secant of the angle that stands for the hemisphere
  static constexpr double heat_capacity = 1004;      ///< of air at constant pressure [J kg-1 K-1]

  // Device data, read by the kernels.
  Array<Real const*, ExecutionSpace> kappa;       ///< at pressure_ref [m2 kg-1], (gas, lane) in one row
  Array<Real const*, ExecutionSpace> wavenumber;  ///< [cm-1], (lane)
  Array<Real const*, ExecutionSpace> width;       ///< of the interval [cm-1], (lane); 0 in the padding
  Array<int const*, ExecutionSpace> band;         ///< band of RRTMG_LW that holds the wavenumber, (lane)
};

}  // namespace parhelion::fluxes

#endif
