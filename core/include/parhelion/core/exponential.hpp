// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_EXPONENTIAL_HPP
#define PARHELION_CORE_EXPONENTIAL_HPP

#include <parhelion/core/types.hpp>

#include <cstdint>

namespace parhelion {

namespace Impl {

// What the exponential needs in each precision. `shift` is 1.5 times the number from which on a Real has no fraction
// bits: adding it rounds to an integer, which the sum then holds in its low bits.
template <class Real>
struct ExponentialTraits;

template <>
struct ExponentialTraits<double> {
  using Bits = std::uint64_t;
  static constexpr int degree = 13;
  static constexpr int mantissa_bits = 52;
  static constexpr Bits bias = 1023;
  static constexpr double shift = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42fefa38p-1;  // its product with an exponent is exact
  static constexpr double ln2_low = 0x1.ef35793c7673p-45;
  static constexpr double largest = 600;
};

template <>
struct ExponentialTraits<float> {
  using Bits = std::uint32_t;
  static constexpr int degree = 7;
  static constexpr int mantissa_bits = 23;
  static constexpr Bits bias = 127;
  static constexpr float shift = 0x1.8p23F;
  static constexpr float ln2_high = 0x1.62e4p-1F;
  static constexpr float ln2_low = 0x1.7f7d1cp-20F;
  static constexpr float largest = 70;
};

}  // namespace Impl

/// \brief exp(-x) without branches, tables or calls, so that loops over it become vector instructions.
///
/// exp(-x) = 2^n exp(r) with n the integer next to -x / ln 2 and |r| <= ln(2) / 2, where Taylor's polynomial is exact
/// to rounding. The result is within 2 ulps (tested).
///
/// \param x >= 0, not NaN; from 600 on (70 in float) the result stays at exp(-600) (exp(-70)), which is as good as 0
/// but
///          far enough from it that products with it are no denormal numbers, with which CPUs are a hundred times
///          slower
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real exp_minus(Real x) {
  using Traits = Impl::ExponentialTraits<Real>;
  using Bits = typename Traits::Bits;
  constexpr Real shift = Traits::shift;
  constexpr Real log2_e = static_cast<Real>(1.4426950408889634074);
  constexpr Real largest = Traits::largest;
  Real const y = x < largest ? -x : -largest;
  Real const shifted = y * log2_e + shift;
  Real const n = shifted - shift;
  Real const r = (y - n * Traits::ln2_high) - n * Traits::ln2_low;
  // Coefficients 1 / k!, from the highest.
  Real sum = 1;
  for (int k = Traits::degree; k > 0; --k) sum = 1 + sum * r * (static_cast<Real>(1) / static_cast<Real>(k));
  // The low bits of `shifted` are n: moved into the exponent, they are 2^n.
  Bits const power = (Kokkos::bit_cast<Bits>(shifted) + Traits::bias) << Traits::mantissa_bits;
  return sum * Kokkos::bit_cast<Real>(power);
}

}  // namespace parhelion

#endif
