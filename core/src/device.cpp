// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/error_kinds.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <type_traits>

namespace parhelion {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

template <KokkosExecutionSpace ExecutionSpace>
std::vector<ExecutionSpace> partition(ExecutionSpace const& space, int n) {
  return Kokkos::Experimental::partition_space(space, std::vector<int>(static_cast<std::size_t>(n), 1));
}

#if defined(KOKKOS_ENABLE_CUDA)
void check(cudaError_t status, char const* call) {
  if (status != cudaSuccess) throw DeviceError(call, cudaGetErrorString(status));
}

// A stream belongs to the device that is current at its creation, an instance to the device of its stream, and
// partitions of an instance to its device.
std::vector<Kokkos::Cuda> instances_on(int device, int n) {
  int current = 0;
  cudaStream_t stream = nullptr;
  check(cudaGetDevice(&current), "cudaGetDevice");
  check(cudaSetDevice(device), "cudaSetDevice");
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  auto const instances = partition(Kokkos::Cuda(stream), n);
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  check(cudaSetDevice(current), "cudaSetDevice");
  return instances;
}
#endif

}  // namespace

template <KokkosExecutionSpace ExecutionSpace>
ExecutionSpace instance_of_stream(void* stream) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) return Kokkos::Cuda(static_cast<cudaStream_t>(stream));
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::HIP>) return Kokkos::HIP(static_cast<hipStream_t>(stream));
#endif
  (void)stream;
  return ExecutionSpace();
}

template <KokkosExecutionSpace ExecutionSpace>
int device_of(ExecutionSpace const& space) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) return space.cuda_device();
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::HIP>) return space.hip_device();
#endif
  (void)space;
  return -1;
}

#define PARHELION_INSTANTIATE(SPACE)        \
  template SPACE instance_of_stream(void*); \
  template int device_of(SPACE const& space);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

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
  throw DeviceError("execution space",
                    fmt::format("'{}' is not in this build, which has {}", name, fmt::join(names, ", ")));
}

template <KokkosExecutionSpace ExecutionSpace>
int number_of_devices() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    // If KOKKOS_VISIBLE_DEVICES hides some, Kokkos does not tell which.
    return count == Kokkos::num_devices() ? count : 1;
  }
#endif
  return 1;
}

int devices_to_use(std::string_view where, std::string_view space, int asked, int available) {
  if (asked < 0) throw ArgumentError(where, fmt::format("devices = {}, expected at least 1, or 0 for all", asked));
  if (asked > available)
    throw DeviceError(where,
                      fmt::format("devices = {}, expected at most the {} that {} has here", asked, available, space));
  return asked > 0 ? asked : available;
}

template <KokkosExecutionSpace ExecutionSpace>
std::vector<std::vector<ExecutionSpace>> instances_on_devices(ExecutionSpace const& space, int devices,
                                                              int per_device) {
  constexpr char const* where = "instances_on_devices";
  int const count = number_of_devices<ExecutionSpace>();
  if (devices < 1 || devices > count)
    throw DeviceError(where,
                      fmt::format("devices = {}, expected 1 to the {} that {} has here", devices, count, space.name()));
  if (per_device < 1) throw Error(where, fmt::format("per_device = {}, expected at least 1", per_device));
  if constexpr (runs_on_host<ExecutionSpace>) {
    return {{space}};
  } else {
    std::vector<std::vector<ExecutionSpace>> instances{partition(space, per_device)};
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>)
      for (int device = 0; static_cast<int>(instances.size()) < devices; ++device)
        if (device != space.cuda_device()) instances.push_back(instances_on(device, per_device));
#endif
    return instances;
  }
}

#define PARHELION_INSTANTIATE(SPACE)       \
  template int number_of_devices<SPACE>(); \
  template std::vector<std::vector<SPACE>> instances_on_devices(SPACE const&, int, int);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
