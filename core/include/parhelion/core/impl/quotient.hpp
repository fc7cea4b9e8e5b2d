// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_IMPL_QUOTIENT_HPP
#define PARHELION_CORE_IMPL_QUOTIENT_HPP

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion::Impl {

/// \brief Quotient of small whole numbers, rounded down, and what remains.
///
/// Devices take some twenty instructions to divide integers, and a few to divide numbers of floating point.
struct Quotient {
  int value, rest;

  /// \param dividend from 0 to a million
  /// \param divisor  from 1 to a million
  KOKKOS_INLINE_FUNCTION Quotient(int dividend, int divisor) {
    KOKKOS_IF_ON_HOST((value = dividend / divisor;))
    // The dividend and a half is far enough from all multiples of the divisor for the error of the reciprocal.
    KOKKOS_IF_ON_DEVICE((value = static_cast<int>((static_cast<float>(dividend) + 0.5F) *
                                                  fast_reciprocal(static_cast<float>(divisor)));))
    rest = dividend - value * divisor;
  }
};

}  // namespace parhelion::Impl

#endif
