// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_RECORDING_HPP
#define PARHELION_CORE_RECORDING_HPP

#include <parhelion/core/types.hpp>

#include <Kokkos_Graph.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace parhelion {

namespace Impl {

template <class ExecutionSpace>
using Graph = Kokkos::Experimental::Graph<ExecutionSpace>;

// Graphs of Kokkos 5 use device handles; the following has not been tested with them.
#if defined(KOKKOS_ENABLE_CUDA)
template <class ExecutionSpace>
inline constexpr bool records = std::is_same_v<ExecutionSpace, Kokkos::Cuda>&&
    std::is_constructible_v<Graph<ExecutionSpace>, ExecutionSpace const&>;
#else
template <class>
inline constexpr bool records = false;
#endif

struct NoGraph {
  template <class ExecutionSpace>
  explicit NoGraph(ExecutionSpace const&) {}
};

}  // namespace Impl

/// \brief A sequence of asynchronous calls that is recorded once and then enqueued as a whole.
///
/// Launching a kernel that takes microseconds takes longer than running it. The asynchronous calls of solvers neither
/// allocate nor fence, so that a GPU can record them (as a Kokkos graph) and replay them without work of the host for
/// each kernel. If the back end cannot record, `replay` repeats the calls.
template <KokkosExecutionSpace ExecutionSpace>
class Recording {
 public:
  /// Whether the back end records: CUDA with Kokkos 4.
  static constexpr bool records = Impl::records<ExecutionSpace>;

  /// \param space execution space instance that is recorded
  /// \param calls function that enqueues on the instance that it is passed; must neither allocate nor fence, and must
  ///              have been called before, because first calls initialize. It is called once here if the back end
  ///              records. Everything that it uses must outlive this object.
  Recording(ExecutionSpace const& space, std::function<void(ExecutionSpace const&)> calls)
      : m_calls(std::move(calls)), m_graph(space) {
    if constexpr (records) {
      m_graph.root_node().cuda_capture(space, m_calls);
      m_graph.instantiate();
    }
  }

  /// Enqueues on `space` what was recorded; does not fence.
  void replay(ExecutionSpace const& space) const {
    if constexpr (records)
      m_graph.submit(space);
    else
      m_calls(space);
  }

 private:
  std::function<void(ExecutionSpace const&)> m_calls;
  std::conditional_t<records, Impl::Graph<ExecutionSpace>, Impl::NoGraph> m_graph;
};

}  // namespace parhelion

#endif
