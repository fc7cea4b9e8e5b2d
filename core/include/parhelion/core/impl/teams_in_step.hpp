// SPDX-License-Identifier: BSD-3-Clause
// Teams of a kernel that begin their items together where they share a multiprocessor.
#ifndef PARHELION_CORE_IMPL_TEAMS_IN_STEP_HPP
#define PARHELION_CORE_IMPL_TEAMS_IN_STEP_HPP

#include <parhelion/core/types.hpp>

namespace parhelion::Impl {

/// \brief Keeps the teams of a multiprocessor in step from item to item (a column).
///
/// A kernel whose code is larger than the cache for instructions waits for these, unless the teams of a multiprocessor
/// execute the same ones at about the same time. Items that take some teams longer bring them out of step, for good. So
/// a team that has finished an item waits for the others of its multiprocessor; but only for a while, as this is a
/// matter of speed alone, and teams need not run at the same time.
///
/// It works on NVIDIA's devices. Elsewhere a team does not know which others share its multiprocessor, and nothing
/// waits.
template <KokkosExecutionSpace ExecutionSpace>
struct TeamsInStep {
  static constexpr int places = runs_on_host<ExecutionSpace> ? 0 : 512;  ///< of multiprocessors, which may share one
  /// Integers in the memory of the execution space that a solver keeps for its kernels: 0 between two of them.
  ///
  /// A place has the number of its teams that take part, and that of the items that they have finished, including those
  /// before they came.
  static constexpr int counts = 2 * places;

  int* count = nullptr;  ///< of `counts` integers, or null: teams do not wait

  /// What a team keeps between its items, in one register.
  struct Team {
    int items_and_place = -1;  ///< items that it has finished, times `places`, plus its place; below 0: it has not come
  };

  /// To be called by all threads of a team when it begins an item.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void begin_item(Member const& member, Team& team) const {
    if constexpr (counts > 0) {
      if (count == nullptr) return;
      Kokkos::single(Kokkos::PerTeam(member), [&]() {
        if (team.items_and_place < 0)
          come(team);
        else
          wait(team);
      });
    }
  }

  /// To be called by all threads of a team after its last item.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void leave(Member const& member, Team const& team) const {
    if constexpr (counts > 0) {
      if (count == nullptr) return;
      Kokkos::single(Kokkos::PerTeam(member), [&]() {
        if (team.items_and_place < 0) return;
        int* const here = count + 2 * (team.items_and_place % places);
        Kokkos::atomic_add(here, -1);
        Kokkos::atomic_add(here + 1, -(team.items_and_place / places));
      });
    }
  }

 private:
  /// The number of the multiprocessor that executes this thread, or -1.
  KOKKOS_INLINE_FUNCTION static int multiprocessor() {
#ifdef __CUDA_ARCH__
    int number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
#else
    return -1;
#endif
  }

  KOKKOS_INLINE_FUNCTION static void pause() {
#ifdef __CUDA_ARCH__
    __nanosleep(200);
#endif
  }

  /// Kokkos::atomic_load compares and exchanges, which is slower.
  KOKKOS_INLINE_FUNCTION static int read(int const* at) { return *static_cast<int const volatile*>(at); }

  KOKKOS_INLINE_FUNCTION void come(Team& team) const {
    int const number = multiprocessor();
    if (number < 0) return;
    int const place = number % places;
    int* const here = count + 2 * place;
    // A team that comes late has as many items behind it as the others have on average.
    int const others = Kokkos::atomic_fetch_add(here, 1);
    int const items = others > 0 ? read(here + 1) / others : 0;
    Kokkos::atomic_add(here + 1, items);
    team.items_and_place = items * places + place;
  }

  KOKKOS_INLINE_FUNCTION void wait(Team& team) const {
    team.items_and_place += places;
    int const items = team.items_and_place / places;
    int* const here = count + 2 * (team.items_and_place % places);
    Kokkos::atomic_add(here + 1, 1);
    constexpr int longest = 500;  // pauses, each less than a microsecond
    for (int n = 0; n < longest; ++n) {
      if (read(here + 1) >= read(here) * items) return;
      pause();
    }
  }
};

}  // namespace parhelion::Impl

#endif
