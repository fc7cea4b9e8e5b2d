// SPDX-License-Identifier: BSD-3-Clause
// The contract of all solvers of parhelion, on which callers and the host driver rely.
#ifndef PARHELION_CORE_SOLVER_HPP
#define PARHELION_CORE_SOLVER_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace parhelion {

/// \brief The status of the solves since the last call of status().
struct SolveStatus {
  /// Index of the first item (column, profile, ray or cell) of a call whose result is not finite; -1: none.
  std::int64_t first_not_finite = -1;

  bool good() const { return first_not_finite < 0; }
};

/// \brief A solver: an algorithm with its scratch memory, on one device.
///
/// - It is constructed from an execution space instance, a model (immutable coefficients on the device), a capacity
///   (the largest problem) and a tuning (how the work is divided), and allocates all memory that it will need; it may
///   fence. The static `workspace_bytes` gives the amount before there is a model.
/// - `solve(space, input, result)` enqueues its kernels on that instance only. It neither allocates nor fences, and
///   checks extents before it enqueues anything. It is not const, because it uses the scratch memory: calls of the same
///   object on different instances must not overlap.
/// - `status(space)` fences the instance and names the first item whose result has not been finite since its last call.
/// - A solver can be moved but not copied, so that no two objects share scratch memory.
/// - The labels of its kernels and allocations begin with `parhelion::`.
///
/// Inputs and results are structs of Views that may be copied freely.
template <class S>
concept Solver = KokkosExecutionSpace<typename S::execution_space> && Floating<typename S::value_type> &&
                 DescribedArrays<typename S::input_type> && DescribedArrays<typename S::result_type> &&
                 std::is_nothrow_move_constructible_v<S> && !std::is_copy_constructible_v<S> &&
                 !std::is_copy_assignable_v<S> &&
                 std::constructible_from<S, typename S::execution_space const&, typename S::model_type const&,
                                         typename S::capacity_type const&, typename S::tuning_type const&> &&
                 requires(S solver, S const& unchanged, typename S::execution_space const& space,
                          typename S::capacity_type const& capacity, typename S::tuning_type const& tuning,
                          typename S::input_type const& input, typename S::result_type const& result) {
  { S::workspace_bytes(space, capacity, tuning) } -> std::same_as<std::size_t>;
  { unchanged.workspace_bytes() } -> std::same_as<std::size_t>;
  { solver.solve(space, input, result) } -> std::same_as<void>;
  { solver.status(space) } -> std::same_as<SolveStatus>;
}
&&!requires(S const& unchanged, typename S::execution_space const& space, typename S::input_type const& input,
            typename S::result_type const& result) {
  unchanged.solve(space, input, result);
};

/// The model type of solvers without a model.
struct NoModel {};

/// The tuning type of solvers without tuning parameters.
struct NoTuning {};

/// \brief Records the first item whose result is not finite.
///
/// Kernels use an atomic minimum of integers, so that the result does not depend on their order.
template <KokkosExecutionSpace ExecutionSpace>
class NotFinite {
 public:
  /// Allocates; enqueues a fill.
  explicit NotFinite(ExecutionSpace const& space)
      : m_first(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::core::not_finite"), 1) {
    Kokkos::deep_copy(space, m_first, none);
  }

  /// \brief Records an item. For kernels.
  KOKKOS_INLINE_FUNCTION void note(int item) const { Kokkos::atomic_min(&m_first(0), item); }

  /// \brief Records an item unless the value is finite. For kernels.
  template <Floating Real>
  KOKKOS_INLINE_FUNCTION void check(Real value, int item) const {
    if (!Kokkos::isfinite(value)) note(item);
  }

  /// The items recorded since the last call; fences.
  SolveStatus status(ExecutionSpace const& space) {
    static std::string const label = "parhelion::core::status";
    int first = none;
    if constexpr (runs_on_host<ExecutionSpace>) {
      space.fence(label);
      first = m_first(0);
      m_first(0) = none;
    } else {
      Kokkos::deep_copy(space, Kokkos::View<int, Kokkos::HostSpace>(&first), Kokkos::subview(m_first, 0));
      space.fence(label);
      if (first != none) Kokkos::deep_copy(space, m_first, none);
    }
    return first == none ? SolveStatus() : SolveStatus{.first_not_finite = first};
  }

  static std::size_t bytes() { return sizeof(int); }

 private:
  static constexpr int none = Kokkos::Experimental::finite_max_v<int>;

  Kokkos::View<int*, typename ExecutionSpace::memory_space> m_first;
};

}  // namespace parhelion

#endif
