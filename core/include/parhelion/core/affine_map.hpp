// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_AFFINE_MAP_HPP
#define PARHELION_CORE_AFFINE_MAP_HPP

#include <parhelion/core/types.hpp>

namespace parhelion {

/// \brief The effect of a layer without scattering on the radiation that crosses it: I_out = gain * I_in + offset.
///
/// Gain is the transmittance [1], in [0, 1]; offset is what the layer emits in the direction of travel, in the unit of
/// the radiance or flux. Maps compose with `+`, the layer that is crossed first on the left:
/// `(a + b)(I) == b(a(I))`. Composition is associative (up to rounding); it does not commute.
///
/// \tparam Number float, double, or a Dual of them
template <class Number>
struct AffineMap {
  using value_type = Number;

  Number gain = 1;
  Number offset = 0;

  /// The identity: a transparent layer that does not emit.
  constexpr AffineMap() = default;

  KOKKOS_INLINE_FUNCTION constexpr AffineMap(Number gain_, Number offset_) : gain(gain_), offset(offset_) {}

  /// \param incoming radiance or flux that enters the layer
  /// \return what leaves it on the other side
  KOKKOS_INLINE_FUNCTION constexpr Number operator()(Number incoming) const { return gain * incoming + offset; }

  /// The map of crossing `first` and then `second`.
  KOKKOS_INLINE_FUNCTION friend constexpr AffineMap operator+(AffineMap const& first, AffineMap const& second) {
    return AffineMap(first.gain * second.gain, second(first.offset));
  }

  /// Appends a layer that is crossed next.
  KOKKOS_INLINE_FUNCTION constexpr AffineMap& operator+=(AffineMap const& next) { return *this = *this + next; }
};

}  // namespace parhelion

#endif
