// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_ITEM_RANGE_HPP
#define PARHELION_IO_ITEM_RANGE_HPP

#include <algorithm>
#include <cstddef>

// Several processes that share the items of a file: its columns, sites, profiles or rays.
namespace parhelion::io {

/// Consecutive items of a file.
struct ItemRange {
  std::size_t first = 0;  ///< index of the first one in the file
  std::size_t count = 0;  ///< how many there are; may be 0

  std::size_t end() const { return first + count; }
  bool empty() const { return count == 0; }
  friend bool operator==(ItemRange const&, ItemRange const&) = default;
};

/// The part of the items that a process works on, of `parts` parts of nearly the same size.
struct Part {
  int index = 0;  ///< 0 .. parts - 1
  int parts = 1;  ///< >= 1

  /// \brief The items of this part. Numbers of items differ by at most one, the first parts have more.
  /// \param n items of the file
  /// \return a range that is empty if there are more parts than items and this is one of the last
  ItemRange of(std::size_t n) const {
    auto const all = static_cast<std::size_t>(parts);
    auto const cut = [&](std::size_t i) { return n / all * i + std::min(i, n % all); };
    auto const i = static_cast<std::size_t>(index);
    return {cut(i), cut(i + 1) - cut(i)};
  }
};

}  // namespace parhelion::io

#endif
