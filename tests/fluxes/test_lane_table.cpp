// SPDX-License-Identifier: BSD-3-Clause
#include "lane_table.hpp"
#include "rrtmg_lw/gas_optics_lanes.hpp"

#include <parhelion/fluxes/rrtmg_lw/bands.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace parhelion::fluxes::Impl {
namespace {

/// Groups of one lane each, of lists that have so many.
std::vector<LaneGroup> groups_of(std::vector<int> const& lanes) {
  return make_groups(1, lanes, std::vector<int>(lanes.size()), 1);
}

/// What holds for every way to share lanes: each is there once, threads have room, and use none but their own terms.
void expect_shared(SharedLanes const& shared, std::vector<LaneGroup> const& groups, int nthread, int lanes) {
  ASSERT_EQ(static_cast<int>(shared.threads.size()), nthread);
  std::set<int> gpoints;
  for (LaneGroup const& group : shared.groups) EXPECT_TRUE(gpoints.insert(group.gpoint).second) << group.gpoint;
  EXPECT_EQ(gpoints.size(), groups.size());
  int const ngroup = static_cast<int>(groups.size());
  int const room = (ngroup + nthread * lanes - 1) / (nthread * lanes) * lanes;
  int next_group = 0;
  int next_terms = 0;
  for (ThreadLanes const& thread : shared.threads) {
    EXPECT_EQ(thread.first_group, next_group);
    EXPECT_EQ(thread.first_terms, next_terms);
    EXPECT_LE(thread.ngroup, room);
    next_group += thread.ngroup;
    next_terms += thread.nterms;
    for (int i = thread.first_group; i < next_group; ++i) {
      LaneGroup const& group = shared.groups[static_cast<std::size_t>(i)];
      EXPECT_GE(group.terms, thread.first_terms);
      EXPECT_LT(group.terms, next_terms);
      EXPECT_EQ(shared.lists[static_cast<std::size_t>(group.terms)], group.list);
    }
  }
  EXPECT_EQ(next_group, ngroup);
  EXPECT_EQ(next_terms, static_cast<int>(shared.lists.size()));
}

TEST(LaneTable, OneThreadKeepsListsAndGroupsInTheirOrder) {
  auto const groups = groups_of({3, 1, 5});
  auto const shared = share_lanes(groups, 3, 1, 1);
  expect_shared(shared, groups, 1, 1);
  EXPECT_EQ(shared.lists, (std::vector<int>{0, 1, 2}));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(shared.groups[i].gpoint, groups[i].gpoint);
    EXPECT_EQ(shared.groups[i].terms, groups[i].list);
  }
}

TEST(LaneTable, ThreadsHaveWholeListsWhereTheyFit) {
  // The bands of RRTMG_LW, as warps of a device share them.
  using Optics = LaneOptics<GasOptics<Kokkos::DefaultHostExecutionSpace, double>>;
  std::vector<int> lanes;
  for (auto const& band : bands()) lanes.push_back(band.ng);
  auto groups = groups_of(lanes);
  std::stable_sort(groups.begin(), groups.end(), [](LaneGroup const& a, LaneGroup const& b) {
    return Optics::pairs(a.list) < Optics::pairs(b.list);
  });
  auto const shared = share_lanes(groups, nbnd, 5, 32);
  expect_shared(shared, groups, 5, 32);
  EXPECT_EQ(shared.lists.size(), lanes.size());
}

TEST(LaneTable, ListsAreDividedWhereNoThreadHasRoomForThem) {
  auto const one_list = groups_of({64});
  auto const halves = share_lanes(one_list, 1, 2, 32);
  expect_shared(halves, one_list, 2, 32);
  EXPECT_EQ(halves.lists, (std::vector<int>{0, 0}));
  EXPECT_EQ(halves.threads[1].ngroup, 32);

  auto const groups = groups_of({20, 20, 20});
  auto const shared = share_lanes(groups, 3, 2, 32);
  expect_shared(shared, groups, 2, 32);
  EXPECT_EQ(shared.lists.size(), 4U);  // the third list is in both threads
}

TEST(LaneTable, ManyLanesMakeThreadsGoThroughThemInRounds) {
  std::vector<int> const lists(16, 64);
  auto const groups = groups_of(lists);
  auto const shared = share_lanes(groups, 16, 10, 32);
  expect_shared(shared, groups, 10, 32);
  EXPECT_LE(shared.lists.size(), lists.size() + 9);
}

}  // namespace
}  // namespace parhelion::fluxes::Impl
