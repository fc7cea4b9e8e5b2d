// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_LOGARITHM_HPP
#define PARHELION_CORE_LOGARITHM_HPP

#include <parhelion/core/types.hpp>

#include <cstdint>

namespace parhelion {

namespace Impl {

// Constants of the logarithm in each precision.
template <class Real>
struct LogarithmTraits;

template <>
struct LogarithmTraits<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr Bits bias = 1023;
  static constexpr Bits sqrt_half = 0x3fe6a09e667f3bcdU;
  static constexpr double no_fraction = 0x1p52;          // from here on a number has no fraction bits
  static constexpr double ln2_high = 0x1.62e42fefa2p-1;  // its product with an exponent is exact
  static constexpr double ln2_low = 0x1.9ef35793c7673p-41;
  // 2 (artanh(s) / s - 1) / z with z = s^2, up to s = (sqrt(2) - 1) / (sqrt(2) + 1), interpolated at Chebyshev nodes;
  // error times z 9e-18.
  static constexpr int terms = 7;
  KOKKOS_INLINE_FUNCTION static constexpr double coefficient(int k) {
    constexpr double coefficients[terms] = {0x1.5555555555558p-1, 0x1.99999999952e2p-2, 0x1.2492492df148dp-2,
                                            0x1.c71c62e5800a1p-3, 0x1.7462b4ab2ef6bp-3, 0x1.39fe606542ddep-3,
                                            0x1.2b584aae78a57p-3};
    return coefficients[k];
  }
};

template <>
struct LogarithmTraits<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr Bits bias = 127;
  static constexpr Bits sqrt_half = 0x3f3504f3U;
  static constexpr float no_fraction = 0x1p23F;
  static constexpr float ln2_high = 0x1.62e4p-1F;
  static constexpr float ln2_low = 0x1.7f7d1cp-20F;
  // Error times z 6e-9.
  static constexpr int terms = 3;
  KOKKOS_INLINE_FUNCTION static constexpr float coefficient(int k) {
    constexpr float coefficients[terms] = {0x1.55555cp-1F, 0x1.997c3p-2F, 0x1.2ee61p-2F};
    return coefficients[k];
  }
};

}  // namespace Impl

/// \brief The natural logarithm; on a host without branches, tables or calls, so that loops over it become vector
///        instructions.
///
/// x = 2^n (1 + f) with 1 + f between the roots of 1/2 and of 2, and ln(1 + f) = f - s (f - 2 (artanh(s) / s - 1)) with
/// s = f / (2 + f). The result is within 2 ulps (tested). Devices have a logarithm of their own.
///
/// \param x positive, finite and not denormal; the result for other numbers is some number, or NaN
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real vector_log(Real x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
  return Kokkos::log(x);
#else
  using Traits = Impl::LogarithmTraits<Real>;
  using Bits = typename Traits::Bits;
  constexpr Bits one = Traits::bias << Traits::mantissa_bits;
  constexpr Bits mantissa = (Bits(1) << Traits::mantissa_bits) - 1;
  Bits const shifted = Kokkos::bit_cast<Bits>(x) + (one - Traits::sqrt_half);
  // The exponent as the low bits of a number that has no fraction bits: instruction sets convert few kinds of integers.
  constexpr Real no_fraction = Traits::no_fraction;
  Bits const exponent = (shifted >> Traits::mantissa_bits) | Kokkos::bit_cast<Bits>(no_fraction);
  Real const n = Kokkos::bit_cast<Real>(exponent) - (no_fraction + static_cast<Real>(Traits::bias));
  Real const f = Kokkos::bit_cast<Real>((shifted & mantissa) + Traits::sqrt_half) - 1;
  Real const s = f / (2 + f);
  Real const z = s * s;
  Real sum = Traits::coefficient(Traits::terms - 1);
  for (int k = Traits::terms - 2; k >= 0; --k) sum = sum * z + Traits::coefficient(k);
  return n * Traits::ln2_high + (f - (s * (f - z * sum) - n * Traits::ln2_low));
#endif
}

}  // namespace parhelion

#endif
