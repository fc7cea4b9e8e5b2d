// SPDX-License-Identifier: BSD-3-Clause
// Arrays in the memory of an execution space, as callers of drivers for devices have them.
#ifndef PARHELION_TESTING_ARRAYS_ON_DEVICE_HPP
#define PARHELION_TESTING_ARRAYS_ON_DEVICE_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace parhelion::Testing {

/// \brief The memory of arrays of a device: the first index is fastest, as a Fortran model has it, with padding.
template <KokkosExecutionSpace Space>
class DeviceArrays {
 public:
  static constexpr std::int64_t padding = 3;

  /// A copy of an array in host memory, whatever its strides; empty for an empty one.
  ConstArrayRef bring(ConstArrayRef const& array) {
    if (array.empty()) return {};
    ArrayRef to = layout_of(array);
    std::size_t const bytes = bytes_with_padding(to);
    m_memory.emplace_back("parhelion::test", bytes);
    auto const host = Kokkos::create_mirror_view(m_memory.back());
    to.data = host.data();
    ArrayCopies copies;
    copies.add(array, to);
    copies.run(Kokkos::DefaultHostExecutionSpace());
    parhelion::assign_array(m_memory.back(), host);
    to.data = m_memory.back().data();
    return to;
  }

  /// An array like another one, full of NaN. Empty for an empty one.
  ArrayRef room(ConstArrayRef const& like) {
    if (like.empty()) return {};
    ArrayRef to = layout_of(like);
    m_memory.emplace_back("parhelion::test", bytes_with_padding(to));
    parhelion::assign_array(m_memory.back(), std::byte{0xff});
    to.data = m_memory.back().data();
    return to;
  }

  /// The entries of an array of this memory in the order of the indices.
  std::vector<double> values(ArrayRef const& array) const {
    std::vector<double> result;
    for (auto const& memory : m_memory) {
      if (static_cast<void*>(memory.data()) != array.data) continue;
      auto const host = parhelion::host_copy(memory);
      ConstArrayRef from = array;
      from.data = host.data();
      result.resize(static_cast<std::size_t>(array.size()));
      ArrayRef to = array;
      to.data = result.data();
      to.type = ValueType::float64;
      std::int64_t stride = 1;
      for (auto d = static_cast<std::size_t>(array.rank); d-- > 0; stride *= array.extents[d]) to.strides[d] = stride;
      std::vector<int> integers(result.size());
      bool const is_integer = array.type == ValueType::int32;
      if (is_integer) {
        to.data = integers.data();
        to.type = ValueType::int32;
      }
      ArrayCopies copies;
      copies.add(from, to);
      copies.run(Kokkos::DefaultHostExecutionSpace());
      if (is_integer) result.assign(integers.begin(), integers.end());
    }
    return result;
  }

  /// Whether the bytes between the columns of an array are as they were made.
  bool padding_is_untouched(ArrayRef const& array) const {
    for (auto const& memory : m_memory) {
      if (static_cast<void*>(memory.data()) != array.data) continue;
      auto const host = parhelion::host_copy(memory);
      std::size_t const size = bytes_of(array.type);
      auto const n = static_cast<std::size_t>(array.extents[0]);
      for (std::size_t begin = n * size; begin < host.size(); begin += (n + padding) * size)
        for (std::size_t i = begin; i < begin + padding * size && i < host.size(); ++i)
          if (host(i) != std::byte{0xff}) return false;
    }
    return true;
  }

 private:
  static ArrayRef layout_of(ConstArrayRef const& array) {
    ArrayRef to;
    to.type = array.type;
    to.rank = array.rank;
    to.extents = array.extents;
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank); ++d) {
      to.strides[d] = stride;
      stride *= array.extents[d] + (d == 0 ? padding : 0);
    }
    return to;
  }

  static std::size_t bytes_with_padding(ArrayRef const& array) {
    auto const last = static_cast<std::size_t>(array.rank - 1);
    auto const n = array.strides[last] * (array.extents[last] + (last == 0 ? padding : 0));
    return static_cast<std::size_t>(n) * bytes_of(array.type);
  }

  std::vector<Kokkos::View<std::byte*, typename Space::memory_space>> m_memory;
};

/// The entries of an array in host memory, in the order of the indices.
template <KokkosView View>
std::vector<double> entries_of(View const& view) {
  static_assert(std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>);
  return {view.data(), view.data() + view.size()};
}

}  // namespace parhelion::Testing

#endif
