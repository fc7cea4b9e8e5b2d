// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_GAS_OPTICS_HPP
#define PARHELION_FLUXES_GAS_OPTICS_HPP

#include <parhelion/fluxes/coefficients.hpp>
#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/reference_tables.hpp>
#include <parhelion/fluxes/validity.hpp>

namespace parhelion::fluxes {

/// \brief Rows of a table of Planck functions over temperature that is longer than RRTMG_LW's.
///
/// From 0 K in steps of an eighth of a kelvin up to where RRTMG_LW's table begins, whose rows follow, and then in its
/// steps of 1 K up to 1000 K. The rows before and after RRTMG_LW's hold integrals of the Planck function over the band
/// (of the last band, over all above its lower limit), times what makes them meet its table at its ends, 1 to 1.6e-4.
/// Linear interpolation between them is right to 2e-4 from 100 K on.
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

  // Device data, read by the kernels.
  Array<Real const*, ExecutionSpace> values;            ///< Coefficients::values
  Array<BandTable<Real> const*, ExecutionSpace> bands;  ///< (nbnd)
  Array<Real const*, ExecutionSpace> ln_pressure;       ///< ln(hPa) of the reference pressures
  Array<Real const*, ExecutionSpace> temperature;       ///< [K] at the reference pressures
  Array<Real const**, ExecutionSpace> vmr;              ///< (reference pressure, gas)
  Array<Real const**, ExecutionSpace> planck;  ///< Planck radiance of the band [W m-2 sr-1], (PlanckRows::all, nbnd)
  Array<Real const**, ExecutionSpace> planck_derivative;  ///< by temperature [W m-2 sr-1 K-1], (PlanckRows::all, nbnd)
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
