// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LANE_SUM_HPP
#define PARHELION_FLUXES_LANE_SUM_HPP

#include <parhelion/core/lanes.hpp>

namespace parhelion::fluxes::Impl {

/// \brief The sum of n neighbours, n a power of 2.
///
/// The upper half is added to the lower one, and so on, on a host in vectors as long as there are enough of them.
template <int n, class Real>
KOKKOS_INLINE_FUNCTION Real sum_of_lanes(Real const* values) {
  static_assert(n > 0 && (n & (n - 1)) == 0);
  if constexpr (n == 1) {
    return values[0];
  } else {
    Real sums[n / 2];
    if constexpr (n >= 8) {
      PARHELION_UNROLL
      PARHELION_LANES
      for (int l = 0; l < n / 2; ++l) sums[l] = values[l] + values[n / 2 + l];
    } else {
      PARHELION_UNROLL
      for (int l = 0; l < n / 2; ++l) sums[l] = values[l] + values[n / 2 + l];
    }
    return sum_of_lanes<n / 2>(sums);
  }
}

}  // namespace parhelion::fluxes::Impl

#endif
