// SPDX-License-Identifier: BSD-3-Clause
// Chunks of work that pass through devices one after another: while one is computed, others are copied in and out.
#ifndef PARHELION_CORE_STREAM_HPP
#define PARHELION_CORE_STREAM_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion {

#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
/// Host memory from which a device copies by itself. Where kernels run on the host, the memory that they run on.
template <KokkosExecutionSpace ExecutionSpace>
using StagingSpace = std::conditional_t<runs_on_host<ExecutionSpace>, typename ExecutionSpace::memory_space,
                                        Kokkos::SharedHostPinnedSpace>;
#else
template <KokkosExecutionSpace ExecutionSpace>
using StagingSpace =
    std::conditional_t<runs_on_host<ExecutionSpace>, typename ExecutionSpace::memory_space, Kokkos::HostSpace>;
#endif

/// \brief A block of device memory and its twin in host memory, which are copied to each other as a whole.
///
/// Arrays lie in both at the same offsets, as StreamLayout gives them. Where kernels run on the host both are one.
template <KokkosExecutionSpace ExecutionSpace>
class TwinMemory {
 public:
  /// \brief Allocates; may fence.
  /// \param space execution space instance, on whose device the block is
  /// \param bytes of either
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

  /// Bytes of host memory beside the device's.
  std::size_t host_bytes() const { return one ? 0 : m_host.size(); }
  std::size_t device_bytes() const { return m_device.size(); }

  /// Enqueues the copy of the first bytes from host to device; does not fence.
  void to_device(ExecutionSpace const& space, std::size_t bytes) const { copy(space, m_device, m_host, bytes); }

  /// Enqueues the copy of the first bytes from device to host; does not fence.
  void to_host(ExecutionSpace const& space, std::size_t bytes) const { copy(space, m_host, m_device, bytes); }

 private:
  template <class Space>
  using Bytes = Kokkos::View<std::byte*, Space>;

  static constexpr bool one = std::is_same_v<StagingSpace<ExecutionSpace>, typename ExecutionSpace::memory_space>;

  template <class To, class From>
  static void copy(ExecutionSpace const& space, To const& to, From const& from, std::size_t bytes) {
    if constexpr (!one) {
      std::pair<std::size_t, std::size_t> const used(0, bytes);
      Kokkos::deep_copy(space, Kokkos::subview(to, used), Kokkos::subview(from, used));
    }
  }

  Bytes<typename ExecutionSpace::memory_space> m_device;
  Bytes<StagingSpace<ExecutionSpace>> m_host;
};

/// Where the arrays of a chunk lie in a TwinMemory: one after another.
class StreamLayout {
 public:
  /// The offset of a further array of so many bytes, aligned to workspace_alignment.
  std::size_t take(std::size_t bytes) {
    std::size_t const offset = m_bytes;
    m_bytes += (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
    return offset;
  }

  /// What all arrays so far take.
  std::size_t bytes() const { return m_bytes; }

 private:
  std::size_t m_bytes = 0;
};

/// \brief A row-major View of memory that others own.
/// \param memory  aligned for the values, with room for all of them
/// \param extents of each dimension; all are dynamic
template <KokkosView View>
View view_of(std::byte* memory, std::array<std::size_t, View::rank()> const& extents) {
  static_assert(View::rank() == View::rank_dynamic, "extents are given at run time");
  auto* const data = reinterpret_cast<typename View::pointer_type>(memory);
  return std::apply([&](auto... each) { return View(data, each...); }, extents);
}

/// \brief Copies between arrays in host memory, with a change of precision, all in one pass of the host's threads.
template <class From, class To>
class HostCopies {
 public:
  /// \brief Notes a copy of all that both arrays have.
  /// \param from contiguous and row-major; lives until run()
  /// \param to   as `from`; its extents may differ in one dimension. Where it is larger, the rest becomes zero.
  template <KokkosView FromView, KokkosView ToView>
  void add(FromView const& from, ToView const& to) {
    static_assert(FromView::rank() == ToView::rank(), "arrays of the same rank");
    if (to.size() == 0) return;
    std::size_t nrow = 1;
    std::size_t from_row = 1;
    std::size_t to_row = 1;
    bool rows_begun = false;
    for (std::size_t r = 0; r < ToView::rank(); ++r) {
      rows_begun = rows_begun || from.extent(r) != to.extent(r);
      if (rows_begun) {
        from_row *= from.extent(r);
        to_row *= to.extent(r);
      } else {
        nrow *= to.extent(r);
      }
    }
    // Arrays of the same extents are one long row of rows of one value.
    std::size_t const at_a_time = std::max<std::size_t>(1, block_values / to_row);
    for (std::size_t row = 0; row < nrow; row += at_a_time)
      m_blocks.push_back({.from = from.data() + row * from_row,
                          .to = to.data() + row * to_row,
                          .nrow = std::min(at_a_time, nrow - row),
                          .from_row = from_row,
                          .to_row = to_row});
  }

  /// Makes the copies that were noted, and forgets them. Returns when they are done.
  void run() {
    auto const* const blocks = m_blocks.data();
    Kokkos::DefaultHostExecutionSpace const host;
    Kokkos::parallel_for("parhelion::core::host_copies",
                         Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(host, 0, m_blocks.size()),
                         [=](std::size_t i) { copy(blocks[i]); });
    host.fence("parhelion::core::host_copies");
    m_blocks.clear();
  }

 private:
  struct Block {
    From const* from;
    To* to;
    std::size_t nrow, from_row, to_row;
  };

  // Enough to outweigh the start of a block, and little enough to share the work evenly.
  static constexpr std::size_t block_values = 8192;

  static void convert(From const* from, To* to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
  }

  static void copy(Block const& block) {
    if (block.from_row == block.to_row) {
      convert(block.from, block.to, block.nrow * block.to_row);
      return;
    }
    std::size_t const both = std::min(block.from_row, block.to_row);
    for (std::size_t row = 0; row < block.nrow; ++row) {
      To* const to = block.to + row * block.to_row;
      convert(block.from + row * block.from_row, to, both);
      std::fill(to + both, to + block.to_row, To(0));
    }
  }

  std::vector<Block> m_blocks;
};

/// \brief Passes n items in chunks through a ring of stages.
///
/// Each stage has an execution space instance and memory of its own, so that chunks in different stages overlap.
///
/// \param n      items, >= 0
/// \param chunk  items in a chunk, >= 1
/// \param nstage stages, >= 1
/// \param start  callable (stage, first, count): takes the items [first, first + count) into the stage and enqueues all
///               that is to be done with them
/// \param finish callable, the same arguments: waits for the stage and takes the results out; called in the order of
///               the items. It returns whether to go on. What it or `start` throws ends the passage, too; the caller
///               then waits for the other stages.
/// \return whether all items have passed
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
