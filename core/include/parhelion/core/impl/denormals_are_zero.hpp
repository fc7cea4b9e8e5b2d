// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_IMPL_DENORMALS_ARE_ZERO_HPP
#define PARHELION_CORE_IMPL_DENORMALS_ARE_ZERO_HPP

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
#if defined(__SSE2__)
  DenormalsAreZero() : m_before(_mm_getcsr()) { _mm_setcsr(m_before | results_are_zero | operands_are_zero); }
  ~DenormalsAreZero() { _mm_setcsr(m_before); }
#else
  DenormalsAreZero() {}
  ~DenormalsAreZero() {}
#endif
  DenormalsAreZero(DenormalsAreZero const&) = delete;
  DenormalsAreZero& operator=(DenormalsAreZero const&) = delete;

#if defined(__SSE2__)
  static constexpr bool works = true;

 private:
  static constexpr unsigned results_are_zero = 0x8000;
  static constexpr unsigned operands_are_zero = 0x0040;

  unsigned m_before;  ///< the thread's state
#else
  static constexpr bool works = false;
#endif
};

}  // namespace parhelion::Impl

#endif
