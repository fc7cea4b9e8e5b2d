// SPDX-License-Identifier: BSD-3-Clause
// Points of the unit cube for rays. All are functions of (seed, repetition, cell, ray), whichever thread computes them.
#ifndef PARHELION_MONTE_CARLO_RANDOM_POINTS_HPP
#define PARHELION_MONTE_CARLO_RANDOM_POINTS_HPP

#include <parhelion/core/impl/random.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/options.hpp>

#include <cstdint>

namespace parhelion::monte_carlo::Impl {

using parhelion::Impl::PhiloxBlock;
using parhelion::Impl::to_unit_interval;

/// The uses of random numbers; each has its own stream. Reflections are numbered from `reflection` on.
enum Purpose : std::uint32_t {
  ray_point,
  set_shift,
  set_scramble,
  wall_ray_point,
  wall_set_shift,
  wall_set_scramble,
  place,
  wall_place,
  reflection
};

/// The key of a sequence of random numbers.
struct RandomKey {
  std::uint64_t seed;
  std::uint32_t repetition;
  std::uint32_t owner;  ///< cell or face, or `everybody`
};
inline constexpr std::uint32_t everybody = 0xffffffffU;

KOKKOS_INLINE_FUNCTION PhiloxBlock random_block(RandomKey const& key, std::uint32_t purpose, std::uint32_t index) {
  return parhelion::Impl::philox(key.seed, index, key.owner, key.repetition, purpose);
}

/// Three coordinates in (0, 1).
struct UnitPoint {
  double spectral;
  double polar;
  double azimuth;
};

KOKKOS_INLINE_FUNCTION std::uint32_t reverse_bits(std::uint32_t x) {
  x = (x >> 1U & 0x55555555U) | (x & 0x55555555U) << 1U;
  x = (x >> 2U & 0x33333333U) | (x & 0x33333333U) << 2U;
  x = (x >> 4U & 0x0f0f0f0fU) | (x & 0x0f0f0f0fU) << 4U;
  x = (x >> 8U & 0x00ff00ffU) | (x & 0x00ff00ffU) << 8U;
  return x >> 16U | x << 16U;
}

/// \brief Owen's scrambling of the binary digits of a number, each by a function of the digits before it.
///
/// Laine & Karras (2011), doi:10.1111/j.1467-8659.2011.02012.x, with the multipliers of Burley (2020), JCGT 9(4).
KOKKOS_INLINE_FUNCTION std::uint32_t scramble(std::uint32_t x, std::uint32_t seed) {
  x = reverse_bits(x);
  x += seed;
  x ^= x * 0x6c50b47cU;
  x ^= x * 0xb82f1e52U;
  x ^= x * 0xc7afe638U;
  x ^= x * 0x8d22f6e6U;
  return reverse_bits(x);
}

/// Sobol's sequence in the first three dimensions: primitive polynomials 1, x + 1 and x^2 + x + 1.
KOKKOS_INLINE_FUNCTION std::uint32_t sobol(std::uint32_t i, int dimension) {
  if (dimension == 0) return reverse_bits(i);
  std::uint32_t result = 0;
  std::uint32_t v = 0x80000000U;
  std::uint32_t before = 0;
  for (; i != 0; i >>= 1U) {
    if (i & 1U) result ^= v;
    std::uint32_t next;
    if (dimension == 1) {
      next = v ^ v >> 1U;
    } else {
      // v_k = v_(k-1) ^ v_(k-2) ^ v_(k-2) / 4, with the second one given.
      next = before == 0 ? 0xc0000000U : (v ^ before ^ before >> 2U);
      before = v;
    }
    v = next;
  }
  return result;
}

/// Mixes all bits of a word (the finalizer of MurmurHash3).
KOKKOS_INLINE_FUNCTION std::uint32_t mix(std::uint32_t x) {
  x = (x ^ x >> 16U) * 0x85ebca6bU;
  x = (x ^ x >> 13U) * 0xc2b2ae35U;
  return x ^ x >> 16U;
}

/// \brief A permutation of 0 .. n - 1 that depends on a seed.
///
/// Permutes the numbers below the next power of two, repeatedly until the result is below n.
KOKKOS_INLINE_FUNCTION std::uint32_t permute(std::uint32_t i, std::uint32_t n, std::uint32_t seed) {
  std::uint32_t mask = n - 1;
  mask |= mask >> 1U;
  mask |= mask >> 2U;
  mask |= mask >> 4U;
  mask |= mask >> 8U;
  mask |= mask >> 16U;
  int bits = 0;
  for (std::uint32_t m = mask; m != 0; m >>= 1U) ++bits;
  auto const half = static_cast<std::uint32_t>(bits > 1 ? bits / 2 : 1);
  do {
    // Each step is invertible: exclusive or with a constant or with higher bits, multiplication by odd numbers.
    for (std::uint32_t round = 0; round < 6; ++round) {
      std::uint32_t const key = mix(seed + round * 0x9e3779b9U);
      i ^= key & mask;
      i = (i * (key >> 7U | 1U)) & mask;
      i ^= i >> half;
      i = (i * (mix(key) | 1U)) & mask;
      i ^= i >> 1U;
    }
  } while (i >= n);
  return i;
}

/// \brief Point i of n.
/// \param wall  whether the ray starts at a wall; walls have their own points
/// \param place of the set of n points among sets that continue each other, with sobol and kronecker: together they
///              cover the cube as evenly as one set of so many points. Sets of other samplings do not depend on it.
KOKKOS_INLINE_FUNCTION UnitPoint unit_point(Sampling sampling, RandomKey const& key, bool wall, std::uint32_t i,
                                            std::uint32_t n, std::uint32_t place = 0) {
  PhiloxBlock const own = sampling == Sampling::random || sampling == Sampling::stratified
                              ? random_block(key, wall ? wall_ray_point : ray_point, i)
                              : PhiloxBlock{};
  if (sampling == Sampling::random)
    return {to_unit_interval(own.word[0]), to_unit_interval(own.word[1]), to_unit_interval(own.word[2])};
  bool const scrambles = sampling != Sampling::kronecker;
  PhiloxBlock const set = random_block(
      key, wall ? (scrambles ? wall_set_scramble : wall_set_shift) : (scrambles ? set_scramble : set_shift), 0);
  if (sampling == Sampling::stratified)
    return {(i + to_unit_interval(own.word[0])) / n, (permute(i, n, set.word[1]) + to_unit_interval(own.word[1])) / n,
            (permute(i, n, set.word[2]) + to_unit_interval(own.word[2])) / n};
  std::uint32_t const j = place * n + i;
  if (sampling == Sampling::sobol)
    return {to_unit_interval(scramble(sobol(j, 0), set.word[0])), to_unit_interval(scramble(sobol(j, 1), set.word[1])),
            to_unit_interval(scramble(sobol(j, 2), set.word[2]))};
  // Powers of the number g with g^3 = g + 1, in fractions of 2^32: Roberts (2018), The unreasonable effectiveness of
  // quasirandom sequences.
  constexpr std::uint32_t first = 3242174889U;
  constexpr std::uint32_t second = 2447445414U;
  // The golden ratio, between the first coordinates of sets.
  constexpr std::uint32_t of_sets = 2654435769U;
  return {(i + to_unit_interval(set.word[0] + place * of_sets)) / n, to_unit_interval(set.word[1] + j * first),
          to_unit_interval(set.word[2] + j * second)};
}

/// \brief The origin of ray i in its cell or face: fractions of the widths along the axes.
KOKKOS_INLINE_FUNCTION void place_in_cell(Sampling sampling, RandomKey const& key, bool wall, std::uint32_t i,
                                          double* fraction) {
  std::uint32_t const purpose = wall ? wall_place : place;
  bool const spreads = sampling == Sampling::sobol || sampling == Sampling::kronecker;
  PhiloxBlock const words = random_block(key, purpose, spreads ? 0 : i);
  // Powers of the number g with g^4 = g + 1, as in unit_point().
  constexpr std::uint32_t step[3] = {3518319155U, 2882110345U, 2360945575U};
  for (int a = 0; a < 3; ++a) fraction[a] = to_unit_interval(words.word[a] + (spreads ? i * step[a] : 0U));
}

}  // namespace parhelion::monte_carlo::Impl

#endif
