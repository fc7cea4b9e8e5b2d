// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/workspace.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace parhelion::Impl {

std::size_t workspace_block_bytes(std::string_view label, std::size_t bytes_per_entry,
                                  std::vector<std::int64_t> const& extents) {
  // Half of the range of the type leaves room for the padding and for sums of blocks.
  std::size_t const limit = std::numeric_limits<std::size_t>::max() / 2;
  std::size_t bytes = bytes_per_entry;
  for (std::int64_t const extent : extents) {
    if (extent < 0)
      throw Error("Workspace::take", fmt::format("block '{}' has the extents ({}), expected none below 0", label,
                                                 fmt::join(extents, ", ")));
    auto const factor = static_cast<std::size_t>(extent);
    if (factor != 0 && bytes > limit / factor)
      throw Error("Workspace::take", fmt::format("block '{}' with the extents ({}) is larger than any memory", label,
                                                 fmt::join(extents, ", ")));
    bytes *= factor;
  }
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

void workspace_exhausted(std::string_view workspace, std::string_view block, std::size_t needed, std::size_t used,
                         std::size_t capacity) {
  throw Error("Workspace::take", fmt::format("block '{}' needs {} bytes, '{}' has {} left of {}", block, needed,
                                             workspace, capacity - used, capacity));
}

}  // namespace parhelion::Impl
