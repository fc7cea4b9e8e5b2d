// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_EXTREMES_HPP
#define PARHELION_CORE_EXTREMES_HPP

#include <parhelion/core/types.hpp>

namespace parhelion {

/// \brief The lesser of two numbers, by the instruction of the machine: a condition on devices, as it treats NaN
///        otherwise, would take two, and fmin() on hosts would not become a vector instruction.
/// \param x, y any values; if x is NaN, the result is y
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real lesser(Real x, Real y) {
  KOKKOS_IF_ON_DEVICE(return Kokkos::fmin(x, y);)
  KOKKOS_IF_ON_HOST(return x < y ? x : y;)
}

/// \brief The greater of two numbers; as lesser().
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real greater(Real x, Real y) {
  KOKKOS_IF_ON_DEVICE(return Kokkos::fmax(x, y);)
  KOKKOS_IF_ON_HOST(return x > y ? x : y;)
}

}  // namespace parhelion

#endif
