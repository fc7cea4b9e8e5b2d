// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_IMPL_DENORMALS_ARE_ZERO_HPP
#define PARHELION_CORE_IMPL_DENORMALS_ARE_ZERO_HPP

#include <parhelion/core/types.hpp>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace parhelion::Impl {

/// \brief While it lives, a thread of an x86 host takes denormal numbers (below 1e-38 in float) for 0.
///
/// What opaque layers transmit is soon so small. CPUs are slow with such numbers: with them RRTMG's shortwave in float
/// took a quarter longer. Devices are not, and other hosts are left as they are.
class DenormalsAreZero {
 public:
  KOKKOS_INLINE_FUNCTION DenormalsAreZero() {
#if defined(__SSE2__)
    KOKKOS_IF_ON_HOST((m_before = _mm_getcsr(); _mm_setcsr(m_before | results_are_zero | operands_are_zero);))
#endif
  }
  KOKKOS_INLINE_FUNCTION ~DenormalsAreZero() {
#if defined(__SSE2__)
    KOKKOS_IF_ON_HOST((_mm_setcsr(m_before);))
#endif
  }
  DenormalsAreZero(DenormalsAreZero const&) = delete;
  DenormalsAreZero& operator=(DenormalsAreZero const&) = delete;

  /// Whether it does so on hosts that this is compiled for.
  static constexpr bool works_on_host =
#if defined(__SSE2__)
      true;
#else
      false;
#endif

 private:
  static constexpr unsigned results_are_zero = 0x8000;
  static constexpr unsigned operands_are_zero = 0x0040;

  unsigned m_before = 0;  ///< the thread's state
};

}  // namespace parhelion::Impl

#endif
