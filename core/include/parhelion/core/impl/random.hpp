// SPDX-License-Identifier: BSD-3-Clause
// Counter-based random numbers: the same on every thread and device. Needs the headers of Random123.
#ifndef PARHELION_CORE_IMPL_RANDOM_HPP
#define PARHELION_CORE_IMPL_RANDOM_HPP

#include <Kokkos_Macros.hpp>

// Random123 marks its functions for a device where it knows the compiler, and it does not know AMD's. What it has for
// SSE, which Philox does not use, can then not be had beside.
#if defined(KOKKOS_ENABLE_HIP) && !defined(R123_CUDA_DEVICE)
#define R123_CUDA_DEVICE KOKKOS_FUNCTION
#define R123_USE_SSE 0
#endif
#include <Random123/philox.h>

#include <cstdint>

namespace parhelion::Impl {

/// The result of Philox4x32: four independent uniform words.
struct PhiloxBlock {
  std::uint32_t word[4];
};

/// \brief Philox4x32 (Salmon et al. 2011, doi:10.1145/2063384.2063405) with a seed as key and four numbers as counter.
KOKKOS_INLINE_FUNCTION PhiloxBlock philox(std::uint64_t seed, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                          std::uint32_t d) {
  r123::Philox4x32 const generator;
  r123::Philox4x32::ctr_type counter = {{a, b, c, d}};
  r123::Philox4x32::key_type user = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}};
  auto const words = generator(counter, user);
  return {{words[0], words[1], words[2], words[3]}};
}

/// Converts a word to a number in (0, 1).
KOKKOS_INLINE_FUNCTION double to_unit_interval(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }

}  // namespace parhelion::Impl

#endif
