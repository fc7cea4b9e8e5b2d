// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_TRANSFER_HPP
#define PARHELION_RRTMG_TRANSFER_HPP

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion::rrtmg {

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

namespace Impl {

template <class Real, int divisor>
inline constexpr Real inverse = static_cast<Real>(1.0 / divisor);

}  // namespace Impl

/// Exact exponential transmittance.
struct ExactTransfer {
  /// Below this optical depth series stand in for the closed forms, which would cancel.
  static constexpr double series_limit = 0.06;

  /// \param tau optical depth along the path [1], >= 0
  template <class Real>
  KOKKOS_INLINE_FUNCTION LayerTransfer<Real> operator()(Real tau) const {
    // Both branches are evaluated and one is chosen, so that the lanes of a vector stay together. The series are
    // 1 - exp(-t) and 1 - 2 (1/t - 1/(exp(t) - 1)); what they leave out is below 1e-16 of the result at the limit.
    bool const thin = tau < static_cast<Real>(series_limit);
    Real const t = thin ? tau : static_cast<Real>(series_limit);
    Real const t2 = t * t;
    using Impl::inverse;
    Real const thin_absorptivity =
        t *
        (1 - t * (inverse<Real, 2> -
                  t * (inverse<Real, 6> -
                       t * (inverse<Real, 24> -
                            t * (inverse<Real, 120> -
                                 t * (inverse<Real, 720> - t * (inverse<Real, 5040> - t * inverse<Real, 40320>)))))));
    Real const thin_weight = t * (inverse<Real, 6> - t2 * (inverse<Real, 360> - t2 * inverse<Real, 15120>));
    Real const thick = thin ? static_cast<Real>(series_limit) : tau;
    Real const transmittance = exp_minus(thick);
    Real const absorptivity = 1 - transmittance;
    // 1 - 2 (1/tau - transmittance/absorptivity) with a single division.
    Real const weight = 1 - 2 * (absorptivity - transmittance * thick) / (thick * absorptivity);
    return {thin ? 1 - thin_absorptivity : transmittance, thin ? thin_absorptivity : absorptivity,
            thin ? thin_weight : weight};
  }
};

/// \brief The original's table of transmittance over optical depth, without interpolation.
///
/// Entry i belongs to tau = pade x / (1 - x) with x = i / intervals, so that a table of moderate size covers all
/// optical depths.
template <class ExecutionSpace, class Real>
struct TableTransfer {
  static constexpr int intervals = 10000;
  static constexpr double pade = 1 / 0.278;
  static constexpr double series_limit = 0.06;
  static constexpr double least_transmittance = 1e-20;

  Array<Real const**, ExecutionSpace> table;  ///< (entry, {transmittance, source weight})

  KOKKOS_INLINE_FUNCTION LayerTransfer<Real> operator()(Real tau) const {
    if (tau <= static_cast<Real>(series_limit)) {
      Real const absorptivity = tau - tau * tau / 2;
      return {1 - absorptivity, absorptivity, static_cast<Real>(0.166667) * tau};
    }
    Real const x = tau / (static_cast<Real>(pade) + tau);
    int const entry = static_cast<int>(intervals * x + static_cast<Real>(0.5));
    return {table(entry, 0), 1 - table(entry, 0), table(entry, 1)};
  }
};

/// The table of TableTransfer.
template <class ExecutionSpace, class Real>
Array<Real const**, ExecutionSpace> make_transfer_table();

}  // namespace parhelion::rrtmg

#endif
