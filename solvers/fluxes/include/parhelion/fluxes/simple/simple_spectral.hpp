// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SIMPLE_SIMPLE_SPECTRAL_HPP
#define PARHELION_FLUXES_SIMPLE_SIMPLE_SPECTRAL_HPP

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/validity.hpp>

#include <memory>

namespace parhelion::fluxes {

namespace simple {
template <class ExecutionSpace, class Real>
struct SimpleTables;
}

/// \brief The simple spectral model.
///
/// Its 41 intervals emit what Stefan and Boltzmann say to 1 % from 110 to 570 K: below, too few of them lie where the
/// spectrum is, and above, too much of it lies beyond the last one. Absorption grows with pressure, as broader lines
/// do, in proportion to its value at 500 hPa, which is good enough down to Earth's surface.
inline constexpr Validity simple_validity{
    .temperature = {110, 570}, .pressure = {0, 120000}, .vmr = {0, 1}, .low_pressure = 0, .lowest_temperature = 110};

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
  static constexpr ModelSizes sizes = rrtmg_sizes;       ///< it takes the emissivities of RRTMG's bands

  static constexpr int nwavenumber = 41;

  /// What kernels read, for parhelion's own sources.
  simple::SimpleTables<ExecutionSpace, Real> const& tables() const { return *m_tables; }

 private:
  std::shared_ptr<simple::SimpleTables<ExecutionSpace, Real> const> m_tables;
};

}  // namespace parhelion::fluxes

#endif
