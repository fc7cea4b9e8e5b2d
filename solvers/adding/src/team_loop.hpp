// SPDX-License-Identifier: BSD-3-Clause
// Loops over the iterations of a kernel, each of which is a problem with memory of its own.
#ifndef PARHELION_ADDING_TEAM_LOOP_HPP
#define PARHELION_ADDING_TEAM_LOOP_HPP

#include "small_matrices.hpp"

#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/impl/fast_scratch.hpp>
#include <parhelion/core/impl/next_item.hpp>
#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace parhelion::adding::Impl {

/// \brief The memory of problems.
///
/// On a device it is in the scratch memory of the multiprocessor if it is small enough, otherwise in slots of main
/// memory that teams reuse for their iterations.
///
/// On a host a team is a thread with one problem at a time (packed), on a device a warp with as many as it has room
/// for.
template <class Space>
struct TeamSlots {
  WorkspaceArray<double**, Space> slots;  ///< (slot, entries)
  WorkspaceArray<int*, Space> next;       ///< see NextItem

  using Machine = MachineTraits<Space>;

  int count() const { return static_cast<int>(slots.extent(0)); }

  /// Problems that a team has threads for, with matrices of this order.
  static int problems([[maybe_unused]] int order) {
    if constexpr (runs_on_host<Space>)
      return 1;
    else
      return Machine::lanes / Algebra<Space, double>::lanes(order);
  }

  /// The number of problems that can be computed at a time.
  static int count(Space const& space, int order) {
    return std::max(1, space.concurrency() / Machine::lanes) * problems(order);
  }

  /// \brief Bytes of scratch memory that each problem takes.
  ///
  /// The threads of a warp read entries of the same place in their matrices at a time: the memories of their problems
  /// begin in banks that are apart by as much as lets those entries, and rows of them, lie in different ones.
  static std::size_t padded(std::size_t bytes, int order) {
    constexpr std::size_t banks = 128;
    std::size_t const apart = std::max<std::size_t>(banks / static_cast<std::size_t>(problems(order)), 8);
    return (bytes + banks - 1 - apart) / banks * banks + apart;
  }

  /// Problems of a team that have room in its scratch memory, 0 if not even one has.
  /// \param bytes of a problem
  static int problems_in_scratch(std::size_t bytes, int order, int team_scratch) {
    constexpr std::size_t of_kokkos = 512;
    if (runs_on_host<Space>) return 0;
    return static_cast<int>(
        std::min<std::size_t>(static_cast<std::size_t>(problems(order)),
                              (static_cast<std::size_t>(team_scratch) - of_kokkos) / padded(bytes, order)));
  }
};

/// Scratch memory of a team of the kernels for radiances [bytes]: four problems with 8 angles have room, and 12 teams
/// on a multiprocessor of NVIDIA's, with up to 168 registers a thread.
inline constexpr int scratch_for_radiances = 17700;
/// The same for sensitivities, whose layers need three times as much.
inline constexpr int scratch_for_sensitivities = 47 * 1024;

/// \brief Runs the iterations of a body with the memory of their problems.
///
/// Body has a type Alg, a number team_scratch, `int entries() const` (values of Alg::Value that a problem needs), and
/// `operator()(member, iteration, slot, Alg::Value* memory) const`. If it has a member needs_slot, there are never more
/// problems at a time than slots.
template <class Space, class Body>
struct TeamLoop {
  using Alg = typename Body::Alg;
  using TeamMember = typename Alg::TeamMember;
  using Value = typename Alg::Value;
  using Scratch = Kokkos::View<std::byte*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Body body;
  int count;            ///< packs of profiles or layers
  int parts;            ///< iterations of each pack
  int problems, lanes;  ///< of a team, and threads of a problem; on devices
  int bytes;            ///< of the scratch memory of a problem
  WorkspaceArray<double**, Space> slots;
  parhelion::Impl::NextItem<Space> next;

  template <bool is_fast>
  KOKKOS_INLINE_FUNCTION void in_scratch(TeamMember const& team) const {
    if constexpr (runs_on_host<Space>) {
      int const slot = team.league_rank();
      auto* const memory = reinterpret_cast<Value*>(&slots(slot, 0));
      for (int i = next.take(team); i < count * parts; i = next.take(team)) body(team, i, slot, memory);
    } else {
      typename Alg::Member member{team, lanes, true};
      int const number = member.number();
      int const slot = team.league_rank() * problems + number;
      Value* memory = nullptr;
      if constexpr (is_fast) {
        Scratch const all(team.team_scratch(0), problems * bytes);
        memory = reinterpret_cast<Value*>(parhelion::Impl::in_fast_scratch(all.data()) + number * bytes);
      } else {
        memory = reinterpret_cast<Value*>(&slots(slot, 0));
      }
      // The problems of a team are the same part of packs that follow each other, so that their loops are as long.
      int const groups = (count + problems - 1) / problems;
      for (int i = team.league_rank(); i < groups * parts; i += team.league_size()) {
        int const pack = i / parts * problems + number;
        member.is_busy = pack < count;
        body(member, Kokkos::min(pack, count - 1) * parts + i % parts, slot, memory);
      }
    }
  }
};

/// \brief Enqueues the iterations of `body`: `parts` for each of `count` packs, numbered pack by pack.
/// \param order of most matrices; decides how many threads of a device have one
template <class Space, class Body>
void team_loop(Space const& space, std::string const& label, int count, int parts, int order,
               TeamSlots<Space> const& slots, Body const& body) {
  using Slots = TeamSlots<Space>;
  using Loop = TeamLoop<Space, Body>;
  if (count * parts == 0) return;
  std::size_t const bytes = static_cast<std::size_t>(body.entries()) * sizeof(typename Loop::Value);
  int const in_scratch = Slots::problems_in_scratch(bytes, order, Body::team_scratch);
  int const problems = in_scratch > 0 ? in_scratch : Slots::problems(order);
  int const of_problem = static_cast<int>(Slots::padded(bytes, order));
  bool const any_number = in_scratch > 0 && !(requires { Body::needs_slot; });
  int league = (count + problems - 1) / problems * parts;
  if (!any_number) league = std::min(league, slots.count() / problems);
  Loop loop{body, count, parts, problems, 1, of_problem, slots.slots, {slots.next.data()}};
  if constexpr (runs_on_host<Space>) {
    loop.next.rewind(space);
    Kokkos::parallel_for(label, Body::Alg::template policy<Body::team_scratch>(space, league, 1),
                         parhelion::Impl::KernelInScratch<Loop, false>{loop});
  } else {
    loop.lanes = Body::Alg::lanes(order);
    auto policy = Body::Alg::template policy<Body::team_scratch>(space, league, problems * loop.lanes);
    if (in_scratch == 0) {
      Kokkos::parallel_for(label, policy, parhelion::Impl::KernelInScratch<Loop, false>{loop});
      return;
    }
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Loop::Scratch::shmem_size(problems * of_problem))));
    Kokkos::parallel_for(label, policy, parhelion::Impl::KernelInScratch<Loop, true>{loop});
  }
}

}  // namespace parhelion::adding::Impl

#endif
