// SPDX-License-Identifier: BSD-3-Clause
// Comparisons of arrays.
#ifndef PARHELION_TESTING_COMPARISONS_HPP
#define PARHELION_TESTING_COMPARISONS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace parhelion::Testing {

/// Whether two contiguous Views in host memory have the same extents and bits.
template <class A, class B>
bool same_bits(A const& a, B const& b) {
  static_assert(
      std::is_same_v<typename A::non_const_value_type, typename B::non_const_value_type> && A::rank() == B::rank(),
      "arrays of different types do not have the same bits");
  for (std::size_t d = 0; d < A::rank(); ++d)
    if (a.extent(d) != b.extent(d)) return false;
  return a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(typename A::value_type)) == 0;
}

}  // namespace parhelion::Testing

#endif
