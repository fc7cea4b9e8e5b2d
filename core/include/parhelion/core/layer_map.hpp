// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_LAYER_MAP_HPP
#define PARHELION_CORE_LAYER_MAP_HPP

#include <parhelion/core/types.hpp>

#include <concepts>

namespace parhelion {

/// \brief What a layer that does not scatter does to the radiation that crosses it: I_out = gain * I_in + offset.
///
/// Gain is the transmittance [1], in [0, 1]; offset is what the layer emits in the direction of travel, in the unit of
/// the radiance or flux. Maps compose with `+`, the layer that is crossed first on the left:
/// `(a + b)(I) == b(a(I))`. Composition is associative (up to rounding); it does not commute.
template <Floating Real>
struct AffineMap {
  using value_type = Real;

  Real gain = 1;
  Real offset = 0;

  /// The identity: a transparent layer that does not emit.
  constexpr AffineMap() = default;

  KOKKOS_INLINE_FUNCTION constexpr AffineMap(Real gain_, Real offset_) : gain(gain_), offset(offset_) {}

  /// \brief The identity, which is the zero of `+`.
  ///
  /// Kokkos' scans start from `value_type v = 0`; without this constructor a type that converts from a number would
  /// start them from an opaque layer.
  KOKKOS_INLINE_FUNCTION constexpr AffineMap(int /* zero */) {}

  /// A gain without an offset would be taken for the zero above.
  template <std::floating_point Number>
  AffineMap(Number) = delete;

  /// \param incoming radiance or flux that enters the layer
  /// \return what leaves it on the other side
  KOKKOS_INLINE_FUNCTION constexpr Real operator()(Real incoming) const { return gain * incoming + offset; }

  /// The map of crossing `first` and then `second`.
  KOKKOS_INLINE_FUNCTION friend constexpr AffineMap operator+(AffineMap const& first, AffineMap const& second) {
    return AffineMap(first.gain * second.gain, second.gain * first.offset + second.offset);
  }

  /// Appends a layer that is crossed next.
  KOKKOS_INLINE_FUNCTION constexpr AffineMap& operator+=(AffineMap const& next) { return *this = *this + next; }
};

/// \brief What a layer that scatters does to the radiation that reaches it from both sides.
///
///     leaves upward   = transmission_up * from_below + reflection_above * from_above + source_up
///     leaves downward = transmission_dn * from_above + reflection_below * from_below + source_dn
///
/// Reflections and transmissions [1] are in [0, 1] with transmission_up + reflection_below <= 1 and transmission_dn +
/// reflection_above <= 1; sources have the unit of the radiation. Layers compose with `+`, the lower one on the left,
/// as layer 0 is next to the surface: `lower + upper` is the star product of Redheffer (1960),
/// doi:10.1002/sapm1960391269, which for radiation is Grant & Hunt (1969), doi:10.1098/rspa.1969.0187. It is
/// associative and does not commute. The radiation that bounces between the two layers is a geometric series whose sum
/// has the denominator 1 - reflection_above(lower) * reflection_below(upper): two perfect mirrors that face each other
/// have no composition (the result is Inf or NaN, nothing is clipped). A surface is a layer that does not transmit.
template <Floating Real>
struct ScatteringLayer {
  using value_type = Real;

  Real reflection_below = 0;  ///< reflects what comes from below back down
  Real reflection_above = 0;  ///< reflects what comes from above back up
  Real transmission_up = 1;   ///< lets through what comes from below
  Real transmission_dn = 1;   ///< lets through what comes from above
  Real source_up = 0;         ///< emits or scatters (out of a beam) upward, at the top of the layer
  Real source_dn = 0;         ///< the same downward, at the bottom of the layer

  /// Radiation that travels up and down at one interface.
  struct Streams {
    Real up;
    Real dn;
  };

  /// The identity: transparent, neither reflecting nor emitting.
  constexpr ScatteringLayer() = default;

  /// The identity, which is the zero of `+` (see AffineMap).
  KOKKOS_INLINE_FUNCTION constexpr ScatteringLayer(int /* zero */) {}

  /// \brief A layer that looks the same from both sides.
  /// \param reflection   [1], in [0, 1]
  /// \param transmission [1], in [0, 1 - reflection]
  /// \param source       leaves on either side, in the unit of the radiation
  KOKKOS_INLINE_FUNCTION static constexpr ScatteringLayer symmetric(Real reflection, Real transmission, Real source) {
    ScatteringLayer layer;
    layer.reflection_below = layer.reflection_above = reflection;
    layer.transmission_up = layer.transmission_dn = transmission;
    layer.source_up = layer.source_dn = source;
    return layer;
  }

  /// \brief What leaves the layer.
  /// \param from_below radiation that enters through the bottom
  /// \param from_above radiation that enters through the top
  /// \return `up` leaves through the top, `dn` through the bottom
  KOKKOS_INLINE_FUNCTION constexpr Streams operator()(Real from_below, Real from_above) const {
    return {transmission_up * from_below + reflection_above * from_above + source_up,
            transmission_dn * from_above + reflection_below * from_below + source_dn};
  }

  /// The two layers as one, `lower` below `upper`.
  KOKKOS_INLINE_FUNCTION friend constexpr ScatteringLayer operator+(ScatteringLayer const& lower,
                                                                    ScatteringLayer const& upper) {
    Real const bounces = 1 / (1 - lower.reflection_above * upper.reflection_below);
    Real const escape_up = upper.transmission_up * bounces;
    Real const escape_dn = lower.transmission_dn * bounces;
    ScatteringLayer both;
    both.transmission_up = escape_up * lower.transmission_up;
    both.transmission_dn = escape_dn * upper.transmission_dn;
    both.reflection_below = lower.reflection_below + escape_dn * upper.reflection_below * lower.transmission_up;
    both.reflection_above = upper.reflection_above + escape_up * lower.reflection_above * upper.transmission_dn;
    both.source_up = upper.source_up + escape_up * (lower.source_up + lower.reflection_above * upper.source_dn);
    both.source_dn = lower.source_dn + escape_dn * (upper.source_dn + upper.reflection_below * lower.source_up);
    return both;
  }

  /// Puts a layer on top.
  KOKKOS_INLINE_FUNCTION constexpr ScatteringLayer& operator+=(ScatteringLayer const& upper) {
    return *this = *this + upper;
  }
};

/// \brief The radiation at the interface between two layers.
/// \param lower, upper what lies below and above the interface
/// \param from_below radiation that enters `lower` through its bottom
/// \param from_above radiation that enters `upper` through its top
template <Floating Real>
KOKKOS_INLINE_FUNCTION constexpr typename ScatteringLayer<Real>::Streams streams_between(
    ScatteringLayer<Real> const& lower, ScatteringLayer<Real> const& upper, Real from_below, Real from_above) {
  Real const bounces = 1 / (1 - lower.reflection_above * upper.reflection_below);
  Real const first_up = lower.transmission_up * from_below + lower.source_up;
  Real const first_dn = upper.transmission_dn * from_above + upper.source_dn;
  return {bounces * (first_up + lower.reflection_above * first_dn),
          bounces * (first_dn + upper.reflection_below * first_up)};
}

}  // namespace parhelion

#endif
