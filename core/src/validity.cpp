// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/validity.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace parhelion {

std::vector<std::string> const& out_of_range_names() {
  static std::vector<std::string> const names{"refuse", "clip", "extrapolate"};
  return names;
}

OutOfRange out_of_range_of(std::string_view name) {
  auto const& names = out_of_range_names();
  auto const found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error("out of range", fmt::format("'{}', expected one of {}", name, fmt::join(names, ", ")));
  return static_cast<OutOfRange>(found - names.begin());
}

std::string const& name_of(OutOfRange what) { return out_of_range_names().at(static_cast<std::size_t>(what)); }

std::string describe(OutOfRangeCounts const& counts) {
  std::string text;
  for (auto const& [variable, count] : counts)
    if (count > 0) text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count, variable);
  return text.empty() ? "none" : text;
}

std::size_t total(OutOfRangeCounts const& counts) {
  std::size_t sum = 0;
  for (auto const& [variable, count] : counts) sum += count;
  return sum;
}

}  // namespace parhelion
