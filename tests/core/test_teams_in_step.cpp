// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/core/impl/teams_in_step.hpp>

#include "testing.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using parhelion::Impl::TeamsInStep;

template <class Space>
using Integers = Kokkos::View<int*, typename Space::memory_space>;

/// Each team begins its items, of which those of odd teams need far more work.
template <class Space>
struct Items {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  TeamsInStep<Space> in_step;
  Integers<Space> begun;    ///< (item): how often
  Integers<Space> members;  ///< (item): teams of the multiprocessor when it began, or 0
  int n;
  int work;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    typename TeamsInStep<Space>::Team mine;
    for (int item = team.league_rank(); item < n; item += team.league_size()) {
      in_step.begin_item(team, mine);
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        Kokkos::atomic_inc(&begun(item));
        if constexpr (TeamsInStep<Space>::places > 0)
          if (mine.items_and_place >= 0)
            members(item) =
                Kokkos::atomic_load(in_step.count + 2 * (mine.items_and_place % TeamsInStep<Space>::places));
        long long sum = 0;
        for (int i = 0; i < (team.league_rank() % 2 == 0 ? 1 : work); ++i)
          sum += Kokkos::atomic_fetch_add(&begun(n), i);
        if (sum == -1) members(item) = -1;
      });
      team.team_barrier();
    }
    in_step.leave(team, mine);
  }
};

template <class Space>
struct InStep : testing::Test {
  static constexpr int n = 1000;
  Space space{};
  Integers<Space> count{"parhelion::tests::count", static_cast<std::size_t>(TeamsInStep<Space>::counts)};
  Integers<Space> begun{"parhelion::tests::begun", n + 1};
  Integers<Space> members{"parhelion::tests::members", n};

  void run(int teams, bool together) {
    Kokkos::parallel_for("parhelion::tests::items", Kokkos::TeamPolicy<Space>(space, teams, 1),
                         Items<Space>{{together ? count.data() : nullptr}, begun, members, n, 200});
    space.fence();
  }
};
TYPED_TEST_SUITE(InStep, Spaces, SpaceName);

TYPED_TEST(InStep, EachItemIsBegunOnceAndTeamsLeaveNothingBehind) {
  int round = 0;
  for (bool const together : {false, true})
    for (int const teams : {1, 2, 7, 300, 1000}) {
      this->run(teams, together);
      ++round;
      auto const begun = parhelion::host_copy(this->begun);
      for (int i = 0; i < this->n; ++i) ASSERT_EQ(begun(i), round) << i << ", " << teams << " teams";
      auto const count = parhelion::host_copy(this->count);
      for (int i = 0; i < count.extent_int(0); ++i) ASSERT_EQ(count(i), 0) << i << ", " << teams << " teams";
    }
}

TYPED_TEST(InStep, TeamsCountThoseOfTheirMultiprocessor) {
  this->run(this->n, true);
  auto const members = parhelion::host_copy(this->members);
  int most = 0;
  for (int i = 0; i < this->n; ++i) most = std::max(most, members(i));
  bool const knows_multiprocessors = std::string(TypeParam::name()) == "Cuda";
  if (!knows_multiprocessors)
    EXPECT_EQ(most, 0);
  else
    EXPECT_GT(most, 1);
}

}  // namespace
