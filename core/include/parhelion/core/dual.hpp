// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_DUAL_HPP
#define PARHELION_CORE_DUAL_HPP

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion {

/// \brief A value and its first-order change due to a change of the input (a dual number).
///
/// An algorithm that is a template of its number type computes its tangent-linear with this type.
template <Floating Real>
struct Dual {
  Real value = 0;
  Real change = 0;

  constexpr Dual() = default;
  KOKKOS_INLINE_FUNCTION constexpr Dual(Real value_) : value(value_) {}
  KOKKOS_INLINE_FUNCTION constexpr Dual(Real value_, Real change_) : value(value_), change(change_) {}

  KOKKOS_INLINE_FUNCTION friend constexpr Dual operator+(Dual a, Dual b) {
    return {a.value + b.value, a.change + b.change};
  }
  KOKKOS_INLINE_FUNCTION friend constexpr Dual operator-(Dual a, Dual b) {
    return {a.value - b.value, a.change - b.change};
  }
  KOKKOS_INLINE_FUNCTION friend constexpr Dual operator*(Dual a, Dual b) {
    return {a.value * b.value, a.change * b.value + a.value * b.change};
  }
  KOKKOS_INLINE_FUNCTION constexpr Dual& operator+=(Dual b) { return *this = *this + b; }
  KOKKOS_INLINE_FUNCTION constexpr Dual& operator*=(Dual b) { return *this = *this * b; }
};

/// 2^y and 1 - 2^y, see the one for Real.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Attenuation<Dual<Real>> attenuate_exp2(Dual<Real> y) {
  Attenuation<Real> const value = attenuate_exp2(y.value);
  Real const change = value.transmittance * static_cast<Real>(0.69314718055994530942) * y.change;
  return {{value.transmittance, change}, {value.absorptivity, -change}};
}

namespace Impl {

template <class Number>
struct ValueOf {
  using type = Number;
};
template <class Real>
struct ValueOf<Dual<Real>> {
  using type = Real;
};

}  // namespace Impl

/// The type of a number's value: Real for Real and for Dual<Real>.
template <class Number>
using ValueOf = typename Impl::ValueOf<Number>::type;

}  // namespace parhelion

#endif
