// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_LW_GAS_OPTICS_HPP
#define PARHELION_FLUXES_RRTMG_LW_GAS_OPTICS_HPP

#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>
#include <parhelion/fluxes/validity.hpp>

#include <memory>

namespace parhelion::fluxes {

namespace rrtmg_lw {
template <class ExecutionSpace, class Real>
struct GasOpticsTables;
}

/// \brief RRTMG_LW: what its tables span, with room for the mesosphere and for hot ground.
///
/// Absorption was tabulated within 30 K of reference temperatures from 172 to 294 K and for pressures from 1050 to
/// 0.01 hPa (Mlawer et al. 1997, doi:10.1029/97JD00237), Planck functions from 160 to 340 K.
inline constexpr Validity rrtmg_validity{
    .temperature = {160, 400}, .pressure = {0, 120000}, .vmr = {0, 1}, .low_pressure = 100, .lowest_temperature = 110};

/// \brief Gas optics of RRTMG_LW on a device: a k-distribution of 140 g-points in 16 bands (10-3250 cm-1).
///
/// Immutable; copies share their data. Mlawer et al. (1997), doi:10.1029/97JD00237.
template <KokkosExecutionSpace ExecutionSpace, Floating Real = double>
class GasOptics {
 public:
  using execution_space = ExecutionSpace;
  using value_type = Real;

  /// \brief Copies the coefficients to a device; fences.
  /// \param space        execution space instance, whose device they are copied to
  /// \param coefficients of RRTMG_LW; not needed afterwards
  GasOptics(ExecutionSpace const& space, Coefficients const& coefficients);

  /// The same for the default instance.
  explicit GasOptics(Coefficients const& coefficients) : GasOptics(ExecutionSpace(), coefficients) {}

  static constexpr Validity validity = rrtmg_validity;  ///< where the model is valid
  static constexpr ModelSizes sizes = rrtmg_sizes;

  /// What kernels read, for parhelion's own sources.
  rrtmg_lw::GasOpticsTables<ExecutionSpace, Real> const& tables() const { return *m_tables; }

 private:
  std::shared_ptr<rrtmg_lw::GasOpticsTables<ExecutionSpace, Real> const> m_tables;
};

/// \brief Optical depth and Planck fraction of every layer and g-point.
///
/// The solver never stores these; this function is for callers who need them.
///
/// \param space           execution space instance; work is enqueued there and not fenced
/// \param model           gas optics
/// \param columns         the atmosphere; layer 0 is next to the surface
/// \param optical_depth   vertical absorption optical depth [1], (ncol, nlay, ngpt), overwritten; interpolation can
///                        leave values below zero by about 1e-7, which the transfer takes as zero
/// \param planck_fraction share of the g-point in the Planck radiance of its band [1], (ncol, nlay, ngpt), overwritten
/// \throws parhelion::Error on mismatched extents, before anything is enqueued
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_gas_optics(ExecutionSpace const& space, GasOptics<ExecutionSpace, Real> const& model,
                        Columns<ExecutionSpace, Real> const& columns,
                        Array<Real***, ExecutionSpace> const& optical_depth,
                        Array<Real***, ExecutionSpace> const& planck_fraction);

}  // namespace parhelion::fluxes

#endif
