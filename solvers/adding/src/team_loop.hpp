// SPDX-License-Identifier: BSD-3-Clause
// Loops over iterations by teams with scratch memory.
#ifndef PARHELION_ADDING_TEAM_LOOP_HPP
#define PARHELION_ADDING_TEAM_LOOP_HPP

#include "small_matrices.hpp"

#include <parhelion/core/impl/next_item.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>

#include <algorithm>
#include <string>

namespace parhelion::adding::Impl {

/// \brief The memory of the teams: on a device in the scratch memory of the multiprocessor if it is small enough,
/// otherwise in slots of main memory that teams reuse for their iterations.
template <class Space>
struct TeamSlots {
  WorkspaceArray<double**, Space> slots;  ///< (slot, entries)
  WorkspaceArray<int*, Space> next;       ///< see NextItem

  int count() const { return static_cast<int>(slots.extent(0)); }

  using Alg = Algebra<Space, double>;

  /// The number of teams that run at a time.
  static int count(Space const& space) {
    return runs_on_host<Space> ? space.concurrency() : std::max(1, space.concurrency() / Alg::max_threads);
  }
  /// Limit of scratch memory [bytes], so that the teams of LaunchBounds fit on a multiprocessor.
  static constexpr int max_scratch = MachineTraits<Space>::scratch_bytes / Alg::teams;
  static constexpr bool fits_scratch(std::size_t bytes) { return !runs_on_host<Space> && bytes <= max_scratch; }
};

/// \brief Body has a type Alg, `int entries() const` (values of Alg::Value that a team needs), and
/// `operator()(member, iteration, Alg::Value* memory) const`. If it has a member needs_slot, there are never more teams
/// than slots, and the rank of a team in the league is that of a slot.
template <class Space, class Body>
struct TeamLoop {
  using Alg = typename Body::Alg;
  using Member = typename Alg::Member;
  using Value = typename Alg::Value;
  using Scratch = Kokkos::View<Value*, typename Space::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Body body;
  int count;
  bool in_scratch;
  WorkspaceArray<double**, Space> slots;
  parhelion::Impl::NextItem<Space> next;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    Value* memory = nullptr;
    if (in_scratch)
      memory = Scratch(member.team_scratch(0), body.entries()).data();
    else
      memory = reinterpret_cast<Value*>(&slots(member.league_rank(), 0));
    for (int i = next.first(member); i < count; i = next.after(member, i)) {
      body(member, i, memory);
      member.team_barrier();
    }
  }
};

/// Enqueues `count` iterations of `body` by teams of `team_size` threads.
template <class Space, class Body>
void team_loop(Space const& space, std::string const& label, int count, int team_size, TeamSlots<Space> const& slots,
               Body const& body) {
  using Loop = TeamLoop<Space, Body>;
  if (count == 0) return;
  std::size_t const bytes = static_cast<std::size_t>(body.entries()) * sizeof(typename Loop::Value);
  bool const in_scratch = TeamSlots<Space>::fits_scratch(bytes);
  bool const any_number = in_scratch && !(requires { Body::needs_slot; });
  int const league = any_number ? count : std::min(count, slots.count());
  typename Body::Alg::Policy policy(space, league, team_size);
  if (in_scratch)
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Loop::Scratch::shmem_size(body.entries()))));
  parhelion::Impl::NextItem<Space> const next{slots.next.data()};
  if constexpr (runs_on_host<Space>) next.rewind(space);
  Kokkos::parallel_for(label, policy, Loop{body, count, in_scratch, slots.slots, next});
}

}  // namespace parhelion::adding::Impl

#endif
