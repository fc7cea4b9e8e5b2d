// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error_kinds.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace parhelion::Impl {

void expect_extents(std::string_view where, std::string_view name, std::vector<std::size_t> const& extents,
                    std::initializer_list<std::size_t> expected) {
  if (!std::equal(extents.begin(), extents.end(), expected.begin(), expected.end()))
    throw ShapeError(where, fmt::format("{} has shape ({}), expected ({})", name, fmt::join(extents, ", "),
                                        fmt::join(expected, ", ")));
}

void refuse_value(std::string_view where, std::string_view name, std::vector<std::size_t> const& extents,
                  std::size_t position, double value, std::string_view unit, std::string_view expected) {
  std::vector<std::size_t> index(extents.size());
  for (std::size_t r = extents.size(); r-- > 0; position /= extents[r]) index[r] = position % extents[r];
  throw Error(where, fmt::format("{}({}) = {}{}{}, expected {}", name, fmt::join(index, ", "), value,
                                 unit.empty() ? "" : " ", unit, expected));
}

}  // namespace parhelion::Impl
