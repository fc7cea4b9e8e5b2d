// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_WORKSPACE_HPP
#define PARHELION_CORE_WORKSPACE_HPP

#include <parhelion/core/error.hpp>
#include <parhelion/core/lifetime.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion {

/// A piece of a Workspace: a row-major View that does not own its memory.
template <class DataType, KokkosExecutionSpace ExecutionSpace>
using WorkspaceArray = Kokkos::View<DataType, Kokkos::LayoutRight, typename ExecutionSpace::memory_space,
                                    Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Alignment of the blocks of a Workspace [bytes]: the largest cache line of known machines.
inline constexpr std::size_t workspace_alignment = 128;

namespace Impl {

/// \brief Bytes of a block with the given dynamic extents, rounded up to whole multiples of workspace_alignment.
/// \throws parhelion::Error naming the block when an extent is negative or the product does not fit
std::size_t workspace_block_bytes(std::string_view label, std::size_t bytes_per_entry,
                                  std::vector<std::int64_t> const& extents);

[[noreturn]] void workspace_exhausted(std::string_view workspace, std::string_view block, std::size_t needed,
                                      std::size_t used, std::size_t capacity);

template <class View, std::integral... Extents>
std::size_t workspace_view_bytes(std::string_view label, Extents... extents) {
  static_assert(sizeof...(Extents) == View::rank_dynamic, "take needs one extent for each dynamic extent of DataType");
  std::size_t entry = sizeof(typename View::value_type);
  for (std::size_t r = View::rank_dynamic; r < View::rank; ++r) entry *= View::static_extent(r);
  return workspace_block_bytes(label, entry, {static_cast<std::int64_t>(extents)...});
}

}  // namespace Impl

/// \brief Measures the size of a Workspace.
///
/// It has the same `take` as Workspace but returns Views without memory. A solver lists its blocks once, in a function
/// template of the workspace, and calls it with this class for the size and with Workspace for the memory, so that both
/// always agree.
template <KokkosExecutionSpace ExecutionSpace>
class WorkspaceSize {
 public:
  using execution_space = ExecutionSpace;

  /// \return a View without memory, not to be dereferenced
  template <class DataType, std::integral... Extents>
  WorkspaceArray<DataType, ExecutionSpace> take(std::string_view label, Extents... extents) {
    using View = WorkspaceArray<DataType, ExecutionSpace>;
    m_used += Impl::workspace_view_bytes<View>(label, extents...);
    m_peak = std::max(m_peak, m_used);
    return View();
  }

  /// Begins a phase that reuses the memory of the previous one.
  void reset() { m_used = 0; }

  /// The size that a Workspace needs [bytes]: that of the largest phase.
  std::size_t bytes() const { return m_peak; }

 private:
  std::size_t m_used = 0;
  std::size_t m_peak = 0;
};

/// \brief One allocation of a solver, which it divides into named blocks.
///
/// The blocks are not initialized. They are valid until `take` is called after `reset`, or the workspace is destroyed.
template <KokkosExecutionSpace ExecutionSpace>
class Workspace {
 public:
  using execution_space = ExecutionSpace;

  /// A block as `blocks` reports it.
  struct Block {
    std::string label;
    std::size_t bytes;  ///< including the padding to workspace_alignment
  };

  /// \brief Allocates; may fence.
  /// \param space execution space instance
  /// \param bytes as WorkspaceSize gives them
  /// \param label of the allocation, `parhelion::...`
  explicit Workspace(ExecutionSpace const& space, std::size_t bytes, std::string const& label = "parhelion::workspace")
      : m_label((require_kokkos(label), label)),
        m_memory(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), bytes + workspace_alignment),
        m_capacity(bytes) {
    auto const address = reinterpret_cast<std::uintptr_t>(m_memory.data());
    m_start = m_memory.data() + (workspace_alignment - address % workspace_alignment) % workspace_alignment;
  }

  Workspace(Workspace const&) = delete;  // two would hand out the same memory
  Workspace& operator=(Workspace const&) = delete;
  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(Workspace&&) noexcept = default;
  ~Workspace() { leave_if_kokkos_is_gone(m_memory); }

  /// \brief The next block.
  /// \tparam DataType as for a View: `Real**` with two extents, `Real*[8]` with one
  /// \param  label    names the block in errors and in `blocks`
  /// \param  extents  one for each `*` of DataType, >= 0
  /// \return a View of uninitialized memory, aligned to workspace_alignment
  /// \throws parhelion::Error with the needed and available size when the block does not fit; the workspace is then
  ///         unchanged
  template <class DataType, std::integral... Extents>
  WorkspaceArray<DataType, ExecutionSpace> take(std::string_view label, Extents... extents) {
    using View = WorkspaceArray<DataType, ExecutionSpace>;
    static_assert(std::is_trivially_destructible_v<typename View::value_type>,
                  "a workspace neither constructs nor destroys what lies in it");
    std::size_t const bytes = Impl::workspace_view_bytes<View>(label, extents...);
    if (bytes > m_capacity - m_used) Impl::workspace_exhausted(m_label, label, bytes, m_used, m_capacity);
    View const view(reinterpret_cast<typename View::pointer_type>(m_start + m_used),
                    static_cast<std::size_t>(extents)...);
    m_used += bytes;
    m_peak = std::max(m_peak, m_used);
    m_blocks.push_back({std::string(label), bytes});
    return view;
  }

  /// Takes back all blocks; keeps the memory.
  void reset() {
    m_used = 0;
    m_blocks.clear();
  }

  /// The size that it was constructed with [bytes].
  std::size_t capacity_bytes() const { return m_capacity; }

  /// The largest size that has been in use at a time [bytes].
  std::size_t peak_bytes() const { return m_peak; }

  /// The blocks in use, in the order in which they were taken.
  std::vector<Block> const& blocks() const { return m_blocks; }

 private:
  std::string m_label;
  Kokkos::View<std::byte*, typename ExecutionSpace::memory_space> m_memory;
  std::byte* m_start = nullptr;
  std::size_t m_capacity = 0;
  std::size_t m_used = 0;
  std::size_t m_peak = 0;
  std::vector<Block> m_blocks;
};

}  // namespace parhelion

#endif
