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

// Kokkos 5 makes graphs of device handles, and has not been tried with what follows.
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

/// \brief What a run of asynchronous calls enqueues, recorded once and enqueued again as a whole.
///
/// A kernel that takes microseconds takes longer to launch than to run. The solvers' asynchronous calls neither
/// allocate nor fence, so that a GPU can record them (as a Kokkos graph) and replay them without the host's work for
/// each kernel. Where the back end cannot record, `replay` makes the calls again.
template <KokkosExecutionSpace ExecutionSpace>
class Recording {
 public:
  /// Whether the back end records: CUDA with Kokkos 4.
  static constexpr bool records = Impl::records<ExecutionSpace>;

  /// \param space execution space instance that is recorded
  /// \param calls enqueues on the instance that it is passed; must neither allocate nor fence, and has been called
  ///              before, as first calls set things up. Called once here where the back end records. What it uses must
  ///              outlive this object.
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
