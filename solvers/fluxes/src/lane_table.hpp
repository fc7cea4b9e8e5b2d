// SPDX-License-Identifier: BSD-3-Clause
// How the threads of a team share the lanes of the longwave, and where the lanes of bands and the pairs of rows lie.
#ifndef PARHELION_FLUXES_LANE_TABLE_HPP
#define PARHELION_FLUXES_LANE_TABLE_HPP

#include "lane_optics.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::fluxes::Impl {

/// What one thread of a team (on a device, a warp) does by itself: the terms that it makes, and the neighbouring groups
/// of lanes, which use no others.
struct ThreadLanes {
  int first_group, ngroup;
  int first_terms, nterms;
};

/// \brief The lanes of a model, shared among the threads of a team.
///
/// A thread that has whole lists need not wait for the others before it uses their terms.
struct SharedLanes {
  std::vector<LaneGroup> groups;  ///< those of a thread are neighbours, and among them those of a list
  std::vector<int> lists;         ///< of which list the terms are; a list whose lanes two threads have is there twice
  std::vector<ThreadLanes> threads;
};

/// \brief Shares lists among threads.
///
/// They go to thread after thread in the order in which they come, so that those of a thread have similar work. In the
/// end lists fill what room is left, and a list for which no thread has room is divided.
///
/// \param groups  of all lanes; those of a list are neighbours, and so are lists of similar work
/// \param nlist   lists
/// \param nthread threads; with one, terms are those of the list with the same number
/// \param lanes   groups that a thread handles at a time
inline SharedLanes share_lanes(std::vector<LaneGroup> const& groups, int nlist, int nthread, int lanes) {
  auto const n = static_cast<std::size_t>(nthread);
  SharedLanes shared;
  if (nthread == 1) {
    shared.groups = groups;
    for (LaneGroup& group : shared.groups) group.terms = group.list;
    for (int list = 0; list < nlist; ++list) shared.lists.push_back(list);
    shared.threads = {{0, static_cast<int>(groups.size()), 0, nlist}};
    return shared;
  }
  int const ngroup = static_cast<int>(groups.size());
  int const rounds = (ngroup + nthread * lanes - 1) / (nthread * lanes);
  auto const room = static_cast<std::size_t>(rounds * lanes);
  std::vector<std::vector<LaneGroup>> of_thread(n);
  auto next = of_thread.begin();
  for (auto from = groups.begin(); from != groups.end();) {
    auto const after =
        std::find_if(from, groups.end(), [&](LaneGroup const& group) { return group.list != from->list; });
    auto const size = static_cast<std::size_t>(after - from);
    auto const has_room = [&](auto const& taken) { return taken.size() + size <= room; };
    if (!has_room(*next) && next + 1 != of_thread.end()) ++next;
    auto const whole = has_room(*next) ? next : std::find_if(of_thread.begin(), of_thread.end(), has_room);
    if (whole != of_thread.end()) {
      whole->insert(whole->end(), from, after);
      from = after;
      continue;
    }
    for (auto& taken : of_thread) {
      auto const fits =
          static_cast<std::ptrdiff_t>(std::min(room - taken.size(), static_cast<std::size_t>(after - from)));
      taken.insert(taken.end(), from, from + fits);
      from += fits;
    }
  }
  for (auto const& taken : of_thread) {
    ThreadLanes thread{static_cast<int>(shared.groups.size()), static_cast<int>(taken.size()),
                       static_cast<int>(shared.lists.size()), 0};
    for (LaneGroup group : taken) {
      if (thread.nterms == 0 || shared.lists.back() != group.list) {
        shared.lists.push_back(group.list);
        ++thread.nterms;
      }
      group.terms = static_cast<int>(shared.lists.size()) - 1;
      shared.groups.push_back(group);
    }
    shared.threads.push_back(thread);
  }
  return shared;
}

/// Where the lanes of each band and the pairs of rows of each list lie, and what each thread of a team has of them.
template <class ExecutionSpace>
struct LaneTable {
  Array<LaneGroup const*, ExecutionSpace> groups;     ///< (group)
  Array<ThreadLanes const*, ExecutionSpace> threads;  ///< (thread of a team)
  Array<int const*, ExecutionSpace> first_lane;       ///< (band): where in `lanes`; and the number of all lanes
  Array<int const*, ExecutionSpace> lanes;            ///< lanes of band after band, with padding
  Array<int const*, ExecutionSpace> list;             ///< (terms): the list of which they are
  Array<int const*, ExecutionSpace> first_pack;       ///< (terms): most packs of pairs of all terms before
  Array<int const*, ExecutionSpace> packs;            ///< (terms): most packs
  int npack = 0;                                      ///< most packs of all terms
  int nterms = 0;
  int nthread = 0;
  int level_stride = 0;  ///< from the lanes of a level to those of the next one

  /// Terms for which the table has room: each thread but one may begin with the rest of a list.
  static constexpr int most_terms(int nlist, int nthread) { return nlist + nthread - 1; }
  static constexpr std::size_t bytes(int ngroup, int nlane, int nband, int nlist, int nthread) {
    return static_cast<std::size_t>(ngroup) * sizeof(LaneGroup) +
           static_cast<std::size_t>(nthread) * sizeof(ThreadLanes) +
           static_cast<std::size_t>(nlane + nband + 1 + 3 * most_terms(nlist, nthread)) * sizeof(int);
  }
};

/// Sums over the lanes of a thread are made in two steps: first of those that are this far apart, then of these sums.
template <class ExecutionSpace>
inline constexpr int partial_sums = runs_on_host<ExecutionSpace> ? 16 : 4;

/// \brief Distance of the lanes of a level from those of the next one, for so many lanes.
///
/// On a device lanes sum up neighbouring levels. With an odd multiple of the partial sums they read from different
/// banks of scratch memory.
template <class ExecutionSpace>
int level_stride(int nlane) {
  if (runs_on_host<ExecutionSpace>) return nlane;
  constexpr int apart = partial_sums<ExecutionSpace>;
  int const sums = (nlane + apart - 1) / apart;
  return (sums % 2 == 0 ? sums + 1 : sums) * apart;
}

/// Makes the table on the device of `space`. Fences.
template <class Optics, class ExecutionSpace>
LaneTable<ExecutionSpace> make_lane_table(ExecutionSpace const& space, Optics const& optics,
                                          SharedLanes const& shared) {
  // Padding belongs to the band of the last g-point before it, and holds nothing.
  std::vector<std::vector<int>> of_band(static_cast<std::size_t>(optics.nband()));
  for (std::size_t i = 0; i < shared.groups.size(); ++i)
    for (int l = 0; l < Optics::width; ++l) {
      LaneGroup const& group = shared.groups[i];
      of_band[static_cast<std::size_t>(optics.band(group.gpoint + std::min(l, group.n - 1)))].push_back(
          static_cast<int>(i) * Optics::width + l);
    }
  std::vector<int> first_lane{0}, lanes, first_pack, packs;
  for (auto const& of_this : of_band) {
    lanes.insert(lanes.end(), of_this.begin(), of_this.end());
    first_lane.push_back(static_cast<int>(lanes.size()));
  }
  LaneTable<ExecutionSpace> table;
  for (int const list : shared.lists) {
    first_pack.push_back(table.npack);
    packs.push_back(Optics::Terms::packs(optics.pairs(list)));
    table.npack += packs.back();
  }
  table.nterms = static_cast<int>(shared.lists.size());
  table.nthread = static_cast<int>(shared.threads.size());
  table.level_stride = level_stride<ExecutionSpace>(static_cast<int>(shared.groups.size()) * Optics::width);
  auto lists = shared.lists;
  auto const most = static_cast<std::size_t>(
      LaneTable<ExecutionSpace>::most_terms(optics.nlist(), static_cast<int>(shared.threads.size())));
  for (auto* of_terms : {&lists, &first_pack, &packs}) of_terms->resize(most);
  auto const upload = [&]<class Entry>(char const* label, std::vector<Entry> const& from) {
    Array<Entry*, ExecutionSpace> const to(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)),
                                           from.size());
    copy_array(space, to, HostArray<Entry const*>(from.data(), from.size()));
    space.fence("parhelion::fluxes::make_lane_table");
    return to;
  };
  table.groups = upload("parhelion::fluxes::lane_groups", shared.groups);
  table.threads = upload("parhelion::fluxes::thread_lanes", shared.threads);
  table.first_lane = upload("parhelion::fluxes::first_lane", first_lane);
  table.lanes = upload("parhelion::fluxes::lanes", lanes);
  table.list = upload("parhelion::fluxes::list", lists);
  table.first_pack = upload("parhelion::fluxes::first_pack", first_pack);
  table.packs = upload("parhelion::fluxes::packs", packs);
  return table;
}

}  // namespace parhelion::fluxes::Impl

#endif
