// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_EXPONENTIAL_HPP
#define PARHELION_CORE_EXPONENTIAL_HPP

#include <parhelion/core/types.hpp>

#include <cstdint>
#include <type_traits>

namespace parhelion {

namespace Impl {

// Constants of the exponential in each precision. `shift` is 1.5 times the number above which a Real has no fraction
// bits: adding it rounds to an integer, which is then in the low bits of the sum.
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
  // (2^f - 1) / f for |f| <= 1/2, interpolated at Chebyshev nodes; error 2e-17.
  static constexpr int exp2_terms = 11;
  KOKKOS_INLINE_FUNCTION static constexpr double exp2_coefficient(int k) {
    constexpr double coefficients[exp2_terms] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c598p-3,  0x1.c6b08d704a0c2p-5,
                                                 0x1.3b2ab6fba1ddap-7,  0x1.5d87fe78a5276p-10, 0x1.430913096fd9fp-13,
                                                 0x1.ffcbfc670dcd4p-17, 0x1.62bfd47773353p-20, 0x1.b524fae627834p-24,
                                                 0x1.e6063f7217bc6p-28, 0x1.e9d3fe3952179p-32};
    return coefficients[k];
  }
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
  // Error 1.2e-8.
  static constexpr int exp2_terms = 6;
  KOKKOS_INLINE_FUNCTION static constexpr float exp2_coefficient(int k) {
    constexpr float coefficients[exp2_terms] = {0x1.62e430p-1F, 0x1.ebfbe0p-3F,  0x1.c6af6cp-5F,
                                                0x1.3b2a54p-7F, 0x1.5f0890p-10F, 0x1.44138ap-13F};
    return coefficients[k];
  }
};

}  // namespace Impl

/// \brief exp(-x) without branches, tables or calls, so that loops over it become vector instructions.
///
/// exp(-x) = 2^n exp(r) with n the integer next to -x / ln 2 and |r| <= ln(2) / 2, where Taylor's polynomial is exact
/// to rounding. The result is within 2 ulps (tested).
///
/// \param x >= 0, not NaN; from 600 on (70 in float) the result stays at exp(-600) (exp(-70)), which is practically 0,
///          but products with it are not denormal numbers, with which CPUs are a hundred times slower
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

/// The shares of radiation that a path transmits and absorbs.
template <class Number>
struct Attenuation {
  Number transmittance;
  Number absorptivity;  ///< 1 - transmittance, accurate also for thin paths
};

/// \brief 2^y and 1 - 2^y, both to a few ulps, without branches, tables or calls.
///
/// With y = -log2(e) / mu * optical depth, where the first factor is computed once for many layers, this is the
/// attenuation of a layer. 2^y = p (1 + q) with p = 2^n, n the integer next to y; then 1 - 2^y = (1 - p) - p q without
/// cancellation.
///
/// \param y <= 0; very negative values give a tiny constant transmittance, as exp_minus. NaN gives NaN.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Attenuation<Real> attenuate_exp2(Real y) {
  using Traits = Impl::ExponentialTraits<Real>;
  using Bits = typename Traits::Bits;
  constexpr Real shift = Traits::shift;
  constexpr Real largest = Traits::largest * static_cast<Real>(1.4426950408889634074);
  y = y < -largest ? -largest : y;
  Real const shifted = y + shift;
  Real const f = y - (shifted - shift);
  Real sum = Traits::exp2_coefficient(Traits::exp2_terms - 1);
  for (int k = Traits::exp2_terms - 2; k >= 0; --k) sum = sum * f + Traits::exp2_coefficient(k);
  Real const q = f * sum;
  Bits const power = (Kokkos::bit_cast<Bits>(shifted) + Traits::bias) << Traits::mantissa_bits;
  Real const p = Kokkos::bit_cast<Real>(power);
  return {p + p * q, (1 - p) - p * q};
}

namespace Impl {

/// \brief 2^y as attenuate_exp2() computes it, with as much as possible done in integers.
///
/// Devices have units of their own for integers, which are free while they compute in double.
/// \param y <= 0
KOKKOS_INLINE_FUNCTION double exp2_with_integers(double y) {
  using Traits = ExponentialTraits<double>;
  // The upper halves of numbers, whose order is that of their magnitudes; NaN is above infinity.
  constexpr auto upper = [](double x) { return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x) >> 32); };
  constexpr double least = -866;  // 2^least is close to exp(-600)
  constexpr std::uint32_t upper_of_least = 0xC08B1000U;
  constexpr std::uint32_t upper_of_infinity = 0xFFF00000U;
  std::uint32_t const upper_of_y = upper(y);
  if (upper_of_y - upper_of_least <= upper_of_infinity - upper_of_least) y = least;
  double const shifted = y + Traits::shift;
  double const f = y - (shifted - Traits::shift);
  double sum = Traits::exp2_coefficient(Traits::exp2_terms - 1);
  for (int k = Traits::exp2_terms - 2; k >= 0; --k) sum = sum * f + Traits::exp2_coefficient(k);
  double const power_of_f = 1 + f * sum;
  // The low bits of `shifted` are the exponent, which is added to that of the power; NaN stays what it is.
  std::uint64_t const exponent = Kokkos::bit_cast<std::uint64_t>(shifted) << Traits::mantissa_bits;
  bool const is_number = (upper_of_y & 0x7FFFFFFFU) <= (upper_of_infinity & 0x7FFFFFFFU);
  return Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(power_of_f) + (is_number ? exponent : 0));
}

}  // namespace Impl

/// \brief 2^y in the way that is the fastest on the machine, for float its instruction if it has one: within 2 ulps.
/// \param y <= 0; very negative ones give 0 or a tiny constant, NaN gives NaN
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real fast_exp2(Real y) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, float>) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(y));
    return power;
  }
#endif
  KOKKOS_IF_ON_DEVICE(if constexpr (std::is_same_v<Real, double>) return Impl::exp2_with_integers(y);)
  return attenuate_exp2(y).transmittance;
}

/// \brief 1/x by the instruction of the machine if it has one: within 1 ulp.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real fast_reciprocal(Real x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, float>) {
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    return inverse;
  }
#endif
  return 1 / x;
}

/// \brief The square root by the instruction of the machine if it has one: within 2 ulps; there 0 for denormal x.
/// \param x >= 0
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real fast_sqrt(Real x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, float>) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
  }
#endif
  return Kokkos::sqrt(x);
}

/// \brief x/y, on devices within 2 ulps by fast_reciprocal().
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real fast_quotient(Real x, Real y) {
  KOKKOS_IF_ON_DEVICE(return x * fast_reciprocal(y);)
  KOKKOS_IF_ON_HOST(return x / y;)
}

/// \brief The results of attenuate_exp2 by the exponential instruction of the machine if it has one.
///
/// The absorptivity is then within 2e-6: a polynomial for thin paths, 1 - transmittance otherwise.
///
/// \param y <= 0
template <Floating Real>
KOKKOS_INLINE_FUNCTION Attenuation<Real> fast_attenuate_exp2(Real y) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, float>) {
    float const transmittance = fast_exp2(y);
    // (1 - 2^y) / y, interpolated at Chebyshev nodes of the thin range.
    float const thin = -y * (0.693147168F + y * (0.240224401F + y * (0.055447744F + y * 0.00913269172F)));
    return {transmittance, y > -0.1875F ? thin : 1 - transmittance};
  }
#endif
  return attenuate_exp2(y);
}

/// The same interface for Dual, by the accurate function.
template <class Number>
requires(!Floating<Number>) KOKKOS_INLINE_FUNCTION Attenuation<Number> fast_attenuate_exp2(Number y) {
  return attenuate_exp2(y);
}

}  // namespace parhelion

#endif
