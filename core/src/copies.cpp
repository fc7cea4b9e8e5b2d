// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cstring>

namespace parhelion::Impl {

namespace {

/// The bytes at an address.
template <class MemorySpace, class Byte>
auto bytes_at(Byte* address, std::size_t n) {
  return Kokkos::View<Byte*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(address, n);
}

template <class ToMemory, class FromMemory, class ExecutionSpace>
void copy(ExecutionSpace const& space, void* to, void const* from, std::size_t n) {
  Kokkos::deep_copy(space, bytes_at<ToMemory>(static_cast<std::byte*>(to), n),
                    bytes_at<FromMemory>(static_cast<std::byte const*>(from), n));
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace>
void ByteCopies<ExecutionSpace>::from_host(ExecutionSpace const& space, void* to, void const* from, std::size_t n) {
  copy<typename ExecutionSpace::memory_space, Kokkos::HostSpace>(space, to, from, n);
}

template <KokkosExecutionSpace ExecutionSpace>
void ByteCopies<ExecutionSpace>::to_host(ExecutionSpace const& space, void* to, void const* from, std::size_t n) {
  copy<Kokkos::HostSpace, typename ExecutionSpace::memory_space>(space, to, from, n);
}

template <KokkosExecutionSpace ExecutionSpace>
void ByteCopies<ExecutionSpace>::within(ExecutionSpace const& space, void* to, void const* from, std::size_t n) {
  using Memory = typename ExecutionSpace::memory_space;
  copy<Memory, Memory>(space, to, from, n);
}

template <KokkosExecutionSpace ExecutionSpace>
void copy_on_host(ExecutionSpace const& space, void* to, void const* from, std::size_t n) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    copy<Kokkos::HostSpace, Kokkos::HostSpace>(space, to, from, n);
  } else {
    space.fence("parhelion::core::copy_array");
    std::memcpy(to, from, n);
  }
}

void refuse_copy(std::string const& to, std::string const& from) {
  throw Error("copy_array", fmt::format("{} and {} differ in their extents or are not contiguous, expected two "
                                        "contiguous arrays of the same extents",
                                        to, from));
}

#define PARHELION_INSTANTIATE(SPACE) \
  template struct ByteCopies<SPACE>; \
  template void copy_on_host(SPACE const&, void*, void const*, std::size_t);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::Impl
