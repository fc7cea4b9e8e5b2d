// SPDX-License-Identifier: BSD-3-Clause
// The items of a kernel go to its teams as they become free.
#ifndef PARHELION_CORE_IMPL_NEXT_ITEM_HPP
#define PARHELION_CORE_IMPL_NEXT_ITEM_HPP

#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion::Impl {

/// \brief The next item (column, pack of profiles) of a kernel that none of its teams has taken yet.
///
/// A team takes an item when it has finished one: some cores are slower or have other work, and some items need less.
/// Which team takes which item differs from run to run, and results must not depend on it.
template <KokkosExecutionSpace ExecutionSpace>
struct NextItem {
  int* number = nullptr;  ///< one integer in the memory of the execution space

  /// Enqueues that item 0 is the next, before a kernel.
  void rewind(ExecutionSpace const& space) const {
    if constexpr (runs_on_host<ExecutionSpace>) {
      *number = 0;  // all earlier work has been done
    } else {
      int* const next = number;
      Kokkos::parallel_for(
          watched_label("parhelion::core::rewind"), light_weight(Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1)),
          KOKKOS_LAMBDA(int) { *next = 0; });
    }
  }

  /// Takes an item. The same for all threads of the team.
  template <class Member>
  KOKKOS_INLINE_FUNCTION int take(Member const& team) const {
    int item = 0;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& taken) { taken = Kokkos::atomic_fetch_add(number, 1); }, item);
    return item;
  }

  /// \brief The first item of a team where only hosts need a count: the teams of a device advance alike, by as many
  ///        items as there are teams.
  template <class Member>
  KOKKOS_INLINE_FUNCTION int first(Member const& team) const {
    if constexpr (runs_on_host<ExecutionSpace>)
      return take(team);
    else
      return team.league_rank();
  }

  /// The same after `item`.
  template <class Member>
  KOKKOS_INLINE_FUNCTION int after(Member const& team, int item) const {
    if constexpr (runs_on_host<ExecutionSpace>)
      return take(team);
    else
      return item + team.league_size();
  }
};

}  // namespace parhelion::Impl

#endif
