// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/core/impl/next_item.hpp>

#include "testing.hpp"

#include <chrono>
#include <string>
#include <thread>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using parhelion::Impl::NextItem;

template <class Space>
struct NextItems : testing::Test {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Counts = Kokkos::View<int*, typename Space::memory_space>;

  Space space{};
  Counts next{"parhelion::tests::next", 1};
  Counts taken{"parhelion::tests::taken", 1000};

  int times_taken(int item) const { return parhelion::host_copy(taken)(item); }
};
TYPED_TEST_SUITE(NextItems, Spaces, SpaceName);

template <class Space, bool counts_on_devices>
struct TakeAll {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  NextItem<Space> next;
  Kokkos::View<int*, typename Space::memory_space> taken;
  int n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    for (int i = counts_on_devices ? next.take(team) : next.first(team); i < n;
         i = counts_on_devices ? next.take(team) : next.after(team, i))
      Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_inc(&taken(i)); });
  }
};

TYPED_TEST(NextItems, AreTakenOnceEach) {
  int const n = this->taken.extent_int(0);
  NextItem<TypeParam> const next{this->next.data()};
  auto const run = [&](auto const& kernel, int teams) {
    next.rewind(this->space);
    Kokkos::parallel_for("parhelion::tests::take", Kokkos::TeamPolicy<TypeParam>(this->space, teams, 1), kernel);
    this->space.fence();
  };
  int round = 0;
  for (int const teams : {1, 2, 3, 64}) {
    run(TakeAll<TypeParam, false>{next, this->taken, n}, teams);
    run(TakeAll<TypeParam, true>{next, this->taken, n}, teams);
    round += 2;
    for (int i = 0; i < n; ++i) ASSERT_EQ(this->times_taken(i), round) << i << ", " << teams << " teams";
  }
}

/// Where there are other threads, whoever takes item 0 waits until they have done all others, as a core that has other
/// work would.
template <class Space>
struct WaitForOthers {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  NextItem<Space> next;
  Kokkos::View<int*, typename Space::memory_space> taken;
  int n;
  bool waits;

  void operator()(Member const& team) const {
    for (int i = next.first(team); i < n; i = next.after(team, i)) {
      auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (waits && i == 0 && Kokkos::atomic_load(&taken(0)) < n - 1 && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      if (i > 0) Kokkos::atomic_inc(&taken(0));
    }
  }
};

TYPED_TEST(NextItems, GoToThreadsOfAHostThatAreFree) {
  if constexpr (runs_on_host<TypeParam>) {
    int const threads = this->space.concurrency();
    int const n = 200;
    NextItem<TypeParam> const next{this->next.data()};
    next.rewind(this->space);
    Kokkos::parallel_for("parhelion::tests::wait", Kokkos::TeamPolicy<TypeParam>(this->space, threads, 1),
                         WaitForOthers<TypeParam>{next, this->taken, n, threads > 1});
    EXPECT_EQ(this->times_taken(0), n - 1);
  }
}

}  // namespace
