// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_WIDEN_HPP
#define PARHELION_CORE_WIDEN_HPP

#include <parhelion/core/types.hpp>

#include <cstdint>
#include <type_traits>

namespace parhelion {

/// \brief A float that is 0 or a positive normal number, as a Real.
///
/// Devices convert float to double at an eighth of the speed of other operations; there it is done by arithmetic of
/// integers, which makes 2^-127 of 0.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real widen(float x) {
  KOKKOS_IF_ON_DEVICE((
      if constexpr (std::is_same_v<Real, double>) {
        auto const bits = static_cast<std::uint64_t>(Kokkos::bit_cast<std::uint32_t>(x));
        return Kokkos::bit_cast<double>((bits << 29U) + (static_cast<std::uint64_t>(1023 - 127) << 52U));
      } else { return x; }))
  KOKKOS_IF_ON_HOST((return static_cast<Real>(x);))
}

}  // namespace parhelion

#endif
