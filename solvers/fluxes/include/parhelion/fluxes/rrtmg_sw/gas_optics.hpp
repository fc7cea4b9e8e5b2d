// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_SW_GAS_OPTICS_HPP
#define PARHELION_FLUXES_RRTMG_SW_GAS_OPTICS_HPP

#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>
#include <parhelion/fluxes/validity.hpp>

#include <memory>

namespace parhelion::fluxes {

namespace rrtmg_sw {
template <class ExecutionSpace, class Real>
struct GasOpticsTables;
}

/// \brief RRTMG_SW: what its tables span, with room for the mesosphere and for hot ground, as rrtmg_validity.
inline constexpr Validity rrtmg_sw_validity{
    .temperature = {160, 400}, .pressure = {0, 120000}, .vmr = {0, 1}, .low_pressure = 100, .lowest_temperature = 110};

/// The layer whose species ratio gives the solar irradiance of band 28 (38000-50000 cm-1) is the first above this
/// reference pressure.
enum class Band28Level : int {
  from_42 = 42,  ///< RRTMG_SW since its version 4.1
  from_58 = 58   ///< the coefficient file, WRF and MPAS
};

/// \brief Gas optics of RRTMG_SW on a device: a k-distribution of 112 g-points in 14 bands (820-50000 cm-1).
///
/// Immutable; copies share their data. Iacono et al. (2008), doi:10.1029/2008JD009944.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
class ShortwaveGasOptics {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Copies the coefficients to a device; fences.
  /// \param space        execution space instance, whose device they are copied to
  /// \param coefficients of RRTMG_SW; not needed afterwards
  /// \param band28       see Band28Level
  ShortwaveGasOptics(ExecutionSpace const& space, ShortwaveCoefficients const& coefficients,
                     Band28Level band28 = Band28Level::from_42);

  /// The same for the default instance.
  explicit ShortwaveGasOptics(ShortwaveCoefficients const& coefficients, Band28Level band28 = Band28Level::from_42)
      : ShortwaveGasOptics(ExecutionSpace(), coefficients, band28) {}

  static constexpr Validity validity = rrtmg_sw_validity;  ///< where the model is valid
  static constexpr ModelSizes sizes = rrtmg_sw_sizes;

  /// What kernels read, for parhelion's own sources.
  rrtmg_sw::GasOpticsTables<ExecutionSpace, Real> const& tables() const { return *m_tables; }

 private:
  std::shared_ptr<rrtmg_sw::GasOpticsTables<ExecutionSpace, Real> const> m_tables;
};

/// \brief Optical depths of gases of every layer and g-point, and the irradiance of the sun in each g-point.
///
/// The solver never stores the former; this function is for callers who need them.
///
/// \param space         execution space instance; work is enqueued there and not fenced
/// \param model         gas optics
/// \param columns       the atmosphere; layer 0 is next to the surface
/// \param absorption    vertical optical depth of absorption [1], (ncol, nlay, ngpt_sw), overwritten; interpolation can
///                      leave values below zero by about 1e-7
/// \param rayleigh      vertical optical depth of Rayleigh scattering [1], (ncol, nlay, ngpt_sw), overwritten
/// \param solar_source  irradiance normal to the beam at the top [W m-2], (ncol, ngpt_sw), overwritten
/// \throws parhelion::Error on mismatched extents, before anything is enqueued
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_shortwave_gas_optics(ExecutionSpace const& space, ShortwaveGasOptics<ExecutionSpace, Real> const& model,
                                  ShortwaveColumns<ExecutionSpace, Real> const& columns,
                                  Array<Real***, ExecutionSpace> const& absorption,
                                  Array<Real***, ExecutionSpace> const& rayleigh,
                                  Array<Real**, ExecutionSpace> const& solar_source);

}  // namespace parhelion::fluxes

#endif
