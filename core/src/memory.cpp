// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/memory.hpp>

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>

namespace parhelion {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number in a line "KEY NUMBER [kB]" or "KEY: NUMBER" of a file of the kernel.
std::optional<std::size_t> value_in(std::filesystem::path const& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, unit;
    std::size_t value = 0;
    if (!(words >> name >> value)) continue;
    if (!name.empty() && name.back() == ':') name.pop_back();
    if (name != key) continue;
    return words >> unit && unit == "kB" ? value * 1024 : value;
  }
  return std::nullopt;
}

// The number that a file consists of; none for "max".
std::optional<std::size_t> number_in(std::filesystem::path const& path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

// The memory that a control group leaves; memory that only caches files can be reclaimed.
std::size_t left_in(std::filesystem::path const& group, char const* limit_file, char const* usage_file,
                    char const* cache_key) {
  auto const limit = number_in(group / limit_file);
  auto const used = number_in(group / usage_file);
  if (!limit || !used) return unlimited;
  auto const cache = value_in(group / "memory.stat", cache_key).value_or(0);
  auto const held = *used - std::min(*used, cache);
  return *limit - std::min(*limit, held);
}

// The least of the control groups of the process and their parents. A group that is not mounted has no limit.
std::size_t left_in_groups() {
  namespace fs = std::filesystem;
  std::size_t left = unlimited;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    bool const unified = controllers.empty();
    if (!unified && ("," + controllers + ",").find(",memory,") == std::string::npos) continue;
    fs::path const root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    // In a container the path may be that of the host and the mount that of the container: then the root is used.
    for (fs::path inner = fs::path(line.substr(second + 1)).relative_path();; inner = inner.parent_path()) {
      auto const group = root / inner;
      left = std::min(left, unified ? left_in(group, "memory.max", "memory.current", "file")
                                    : left_in(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache"));
      if (inner.empty()) break;
    }
  }
  return left;
}

std::size_t left_of_limit(int resource, char const* usage_key) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return unlimited;
  auto const most = static_cast<std::size_t>(limit.rlim_cur);
  auto const used = value_in("/proc/self/status", usage_key).value_or(0);
  return most - std::min(most, used);
}

}  // namespace

std::size_t available_host_memory() {
  return std::min({value_in("/proc/meminfo", "MemAvailable").value_or(unlimited), left_in_groups(),
                   left_of_limit(RLIMIT_AS, "VmSize"), left_of_limit(RLIMIT_DATA, "VmData")});
}

template <KokkosExecutionSpace ExecutionSpace>
std::size_t available_device_memory([[maybe_unused]] ExecutionSpace const& space) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    return available_host_memory();
  } else {
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
      int current = 0;
      std::size_t left = 0, all = 0;
      if (cudaGetDevice(&current) != cudaSuccess || cudaSetDevice(space.cuda_device()) != cudaSuccess) return unlimited;
      bool const known = cudaMemGetInfo(&left, &all) == cudaSuccess;
      cudaSetDevice(current);
      return known ? left : unlimited;
    }
#endif
    return unlimited;  // other back ends refuse when they allocate
  }
}

std::string bytes_text(std::size_t bytes) {
  auto const value = static_cast<double>(bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", 1e-3 * value);
  if (value < 1e9) return fmt::format("{:.1f} MB", 1e-6 * value);
  return fmt::format("{:.1f} GB", 1e-9 * value);
}

void require_host_memory(std::string_view where, std::size_t needed, std::string_view advice) {
  auto const left = available_host_memory();
  if (needed <= left) return;
  throw MemoryError(where, fmt::format("needs {} of memory, but this process may use {} more{}{}", bytes_text(needed),
                                       bytes_text(left), advice.empty() ? "" : "; ", advice));
}

#define PARHELION_INSTANTIATE(SPACE) template std::size_t available_device_memory<SPACE>(SPACE const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
