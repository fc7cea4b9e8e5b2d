// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_TRANSFER_HPP
#define PARHELION_FLUXES_TRANSFER_HPP

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion::fluxes::Impl {

/// \brief What a layer does to radiation, from its optical depth along the path.
///
/// The layer emits absorptivity * (B_layer + source_weight * (B_exit - B_layer)), where B_exit is the Planck radiance
/// at the interface through which the radiation leaves: the solution for a source that is linear in optical depth
/// (Clough et al. 1992, doi:10.1029/92JD01419).
template <class Real>
struct LayerTransfer {
  Real transmittance;
  Real absorptivity;
  Real source_weight;
};

/// Exact exponential transmittance.
struct ExactTransfer {
  /// Whether the transmittance of a layer is one minus its absorptivity, with clouds, too.
  static constexpr bool is_consistent = true;
  /// Below this optical depth a series stands for the source weight, whose closed form would cancel.
  static constexpr double series_limit = 0.06;

  /// \param tau optical depth along the path [1], >= 0
  template <class Real>
  KOKKOS_INLINE_FUNCTION LayerTransfer<Real> operator()(Real tau) const {
    // Both formulas of the weight are evaluated and one result is chosen, so that the loop over lanes has no branches.
    // The series is that of 1 - 2 (1/t - 1/(exp(t) - 1)); its truncation error is below 1e-12 of the result at the
    // limit.
    constexpr Real log2_e = static_cast<Real>(1.4426950408889634074);
    auto const layer = fast_attenuate_exp2(-log2_e * tau);
    bool const thin = tau < static_cast<Real>(series_limit);
    Real const t2 = tau * tau;
    Real const thin_weight = tau * (static_cast<Real>(1.0 / 6) -
                                    t2 * (static_cast<Real>(1.0 / 360) - t2 * (static_cast<Real>(1.0 / 15120))));
    // For a large tau the exponential is zero, and the square of tau may overflow.
    Real const thick = thin ? static_cast<Real>(series_limit) : tau;
    Real const absorptivity = thin ? static_cast<Real>(1) : layer.absorptivity;
    // 1 - 2 (1/tau - transmittance/absorptivity) with a single division.
    Real const weight = 1 - 2 * (absorptivity - layer.transmittance * thick) * fast_reciprocal(thick * absorptivity);
    return {layer.transmittance, layer.absorptivity, thin ? thin_weight : weight};
  }

  /// \brief A layer of gas and cloud.
  /// \param gas,cloud optical depths along the path [1], >= 0
  template <class Real>
  KOKKOS_INLINE_FUNCTION LayerTransfer<Real> operator()(Real gas, Real cloud) const {
    return (*this)(gas + cloud);
  }
};

/// \brief The original's table of transmittance over optical depth, without interpolation.
///
/// Entry i belongs to tau = pade x / (1 - x) with x = i / intervals, so that a table of moderate size covers all
/// optical depths.
template <class ExecutionSpace, class Real>
struct TableTransfer {
  static constexpr bool is_consistent = false;
  static constexpr int intervals = 10000;
  static constexpr double pade = 1 / 0.278;
  static constexpr double series_limit = 0.06;
  static constexpr double least_transmittance = 1e-20;
  static constexpr double greatest_depth = 1e10;  ///< of the last entry

  Array<Real const**, ExecutionSpace> table;  ///< (entry, {transmittance, source weight})

  KOKKOS_INLINE_FUNCTION LayerTransfer<Real> operator()(Real tau) const {
    if (tau <= static_cast<Real>(series_limit)) {
      Real const absorptivity = tau - tau * tau / 2;
      return {1 - absorptivity, absorptivity, static_cast<Real>(0.166667) * tau};
    }
    int const entry = nearest(tau);
    return {table(entry, 0), 1 - table(entry, 0), table(entry, 1)};
  }

  /// \brief A layer of gas and cloud, as in RRTMG_LW: its transmittance is the product of those of both, each from
  ///        its own optical depth. Its emission comes from their sum, with the table's optical depth for the gas.
  /// \param gas,cloud optical depths along the path [1], >= 0
  KOKKOS_INLINE_FUNCTION LayerTransfer<Real> operator()(Real gas, Real cloud) const {
    Real const transmittance = (*this)(gas).transmittance * Kokkos::exp(-cloud);
    bool const in_table = gas + cloud >= static_cast<Real>(series_limit) && gas > static_cast<Real>(series_limit);
    Real const tabulated = in_table ? depth(nearest(gas)) : gas;
    LayerTransfer<Real> const both = (*this)(tabulated + cloud);
    return {transmittance, both.absorptivity, both.source_weight};
  }

 private:
  KOKKOS_INLINE_FUNCTION static int nearest(Real tau) {
    if (!(tau < static_cast<Real>(greatest_depth))) return intervals;
    Real const x = tau / (static_cast<Real>(pade) + tau);
    return clamped_index(intervals * x + static_cast<Real>(0.5), 0, intervals);
  }

  /// Optical depth of an entry.
  KOKKOS_INLINE_FUNCTION static Real depth(int entry) {
    if (entry == intervals) return static_cast<Real>(greatest_depth);
    Real const x = static_cast<Real>(entry) / intervals;
    return static_cast<Real>(pade) * x / (1 - x);
  }
};

/// The table of TableTransfer, on the device of `space`. Fences.
template <class ExecutionSpace, class Real>
Array<Real const**, ExecutionSpace> make_transfer_table(ExecutionSpace const& space = ExecutionSpace());

}  // namespace parhelion::fluxes::Impl

#endif
