// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_WIDEN_HPP
#define PARHELION_CORE_WIDEN_HPP

#include <parhelion/core/types.hpp>

#include <cstdint>
#include <type_traits>

namespace parhelion {

/// \brief Converts a float that is 0 or a positive normal number to Real.
///
/// Devices convert float to double at an eighth of the speed of other operations. There it is done by integer
/// arithmetic, which converts 0 to 2^-127.
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
