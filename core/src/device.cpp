// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace parhelion {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

std::vector<std::string> execution_space_names() {
  std::vector<std::string> names{Kokkos::DefaultExecutionSpace::name()};
#define PARHELION_IMPL_APPEND(SPACE) \
  if (SPACE::name() != names.front()) names.emplace_back(SPACE::name());
  PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_APPEND)
#undef PARHELION_IMPL_APPEND
  return names;
}

std::string resolve_execution_space(std::string_view name) {
  auto const names = execution_space_names();
  if (name.empty()) return names.front();
  for (auto const& candidate : names)
    if (lower(candidate) == lower(name)) return candidate;
  throw Error("execution space", fmt::format("'{}' is not in this build, which has {}", name, fmt::join(names, ", ")));
}

}  // namespace parhelion
