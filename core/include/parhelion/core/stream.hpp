// SPDX-License-Identifier: BSD-3-Clause
// Streams chunks of work through devices: while one is computed, others are copied in and out.
#ifndef PARHELION_CORE_STREAM_HPP
#define PARHELION_CORE_STREAM_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace parhelion {

#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
/// The memory space of buffers from which a device copies asynchronously (pinned host memory). If kernels run on the
/// host, that of the kernels.
template <KokkosExecutionSpace ExecutionSpace>
using StagingSpace = std::conditional_t<runs_on_host<ExecutionSpace>, typename ExecutionSpace::memory_space,
                                        Kokkos::SharedHostPinnedSpace>;
#else
template <KokkosExecutionSpace ExecutionSpace>
using StagingSpace =
    std::conditional_t<runs_on_host<ExecutionSpace>, typename ExecutionSpace::memory_space, Kokkos::HostSpace>;
#endif

/// \brief A block of device memory and a staging block of the same size in host memory.
///
/// Arrays have the same offsets in both, given by StreamLayout. If kernels run on the host, both are the same block.
template <KokkosExecutionSpace ExecutionSpace>
class TwinMemory {
  template <class Space>
  using Bytes = Kokkos::View<std::byte*, Space>;

 public:
  using DeviceBytes = Bytes<typename ExecutionSpace::memory_space>;

  /// \brief Allocates; may fence.
  /// \param space execution space instance, on whose device the block is allocated
  /// \param bytes size of each
  /// \param label of the allocations, `parhelion::...`
  TwinMemory(ExecutionSpace const& space, std::size_t bytes, std::string const& label)
      : m_device(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), bytes) {
    if constexpr (one)
      m_host = m_device;
    else
      m_host = Bytes<StagingSpace<ExecutionSpace>>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), bytes);
  }

  std::byte* host() const { return m_host.data(); }
  std::byte* device() const { return m_device.data(); }

  /// Host memory in addition to the device memory [bytes].
  std::size_t host_bytes() const { return one ? 0 : m_host.size(); }
  std::size_t device_bytes() const { return m_device.size(); }

  /// Enqueues the copy of the bytes [first, last) from host to device; does not fence.
  void to_device(ExecutionSpace const& space, std::size_t first, std::size_t last) const {
    to_device(space, m_device, first, last);
  }
  /// The same to another block on the device, of at least as many bytes.
  void to_device(ExecutionSpace const& space, DeviceBytes const& other, std::size_t first, std::size_t last) const {
    copy(space, other, m_host, first, last);
  }

  /// Enqueues the copy of the bytes [first, last) from device to host; does not fence.
  void to_host(ExecutionSpace const& space, std::size_t first, std::size_t last) const {
    to_host(space, m_device, first, last);
  }
  /// The same from another block on the device.
  void to_host(ExecutionSpace const& space, DeviceBytes const& other, std::size_t first, std::size_t last) const {
    copy(space, m_host, other, first, last);
  }

 private:
  static constexpr bool one = std::is_same_v<StagingSpace<ExecutionSpace>, typename ExecutionSpace::memory_space>;

  template <class To, class From>
  static void copy(ExecutionSpace const& space, To const& to, From const& from, std::size_t first, std::size_t last) {
    if constexpr (!one) {
      std::pair<std::size_t, std::size_t> const used(first, last);
      Kokkos::deep_copy(space, Kokkos::subview(to, used), Kokkos::subview(from, used));
    }
  }

  DeviceBytes m_device;
  Bytes<StagingSpace<ExecutionSpace>> m_host;
};

/// The offsets of the arrays of a chunk in a TwinMemory: one after another.
class StreamLayout {
 public:
  /// The offset of the next array, which has this size; aligned to workspace_alignment.
  std::size_t take(std::size_t bytes) {
    std::size_t const offset = m_bytes;
    m_bytes += (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
    return offset;
  }

  /// The size of all arrays so far.
  std::size_t bytes() const { return m_bytes; }

 private:
  std::size_t m_bytes = 0;
};

/// \brief Passes n items in chunks through a ring of stages.
///
/// Each stage has an execution space instance and memory of its own, so that chunks in different stages overlap.
///
/// \param n      items, >= 0
/// \param chunk  items in a chunk, >= 1
/// \param nstage stages, >= 1
/// \param start  callable (stage, first, count): copies the items [first, first + count) into the stage and enqueues
///               all work on them
/// \param finish callable with the same arguments: waits for the stage and copies the results out; called in the
///               order of the items. It returns whether to continue. An exception of it or of `start` also ends the
///               loop; the caller then waits for the other stages.
/// \return whether all items were processed
template <class Start, class Finish>
bool stream_chunks(int n, int chunk, int nstage, Start const& start, Finish const& finish) {
  int const nchunk = n / chunk + (n % chunk > 0 ? 1 : 0);
  for (int i = 0; i < nchunk + nstage; ++i) {
    auto const first = [&](int c) { return c * chunk; };
    auto const count = [&](int c) { return std::min(chunk, n - c * chunk); };
    int const done = i - nstage;
    if (done >= 0 && done < nchunk && !finish(done % nstage, first(done), count(done)) && done < nchunk - 1)
      return false;
    if (i < nchunk) start(i % nstage, first(i), count(i));
  }
  return true;
}

}  // namespace parhelion

#endif
