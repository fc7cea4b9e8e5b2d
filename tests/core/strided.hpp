// SPDX-License-Identifier: BSD-3-Clause
// Arrays of any strides for tests of copies.
#ifndef PARHELION_TESTS_CORE_STRIDED_HPP
#define PARHELION_TESTS_CORE_STRIDED_HPP

#include <parhelion/core/arrays.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parhelion::Testing {

/// A block of memory in which an array lies with strides, and the entries around it that nobody may touch.
template <class Value>
struct Block {
  std::vector<Value> values;
  ArrayRef array;

  /// \param order the dimensions from the slowest to the fastest; each row gets `gap` entries that are not used
  Block(std::vector<std::int64_t> const& extents, std::vector<int> const& order, std::int64_t gap, bool reversed) {
    array.type = value_type_of<Value>();
    array.rank = static_cast<int>(extents.size());
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      auto const d = static_cast<std::size_t>(order[i]);
      array.extents[d] = extents[d];
      array.strides[d] = stride;
      stride = stride * extents[d] + gap;
    }
    values.assign(static_cast<std::size_t>(stride), Value(-77));
    array.data = values.data();
    if (reversed) array = array.reversed(array.rank - 1);
  }

  Value& at(std::vector<std::int64_t> const& index) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * array.strides[d];
    return static_cast<Value*>(array.data)[offset];
  }
};

/// Calls action(index) for all indices of the extents.
template <class Action>
void for_each_index(std::vector<std::int64_t> const& extents, Action const& action) {
  std::vector<std::int64_t> index(extents.size(), 0);
  for (std::int64_t extent : extents)
    if (extent == 0) return;
  while (true) {
    action(index);
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace parhelion::Testing

#endif
