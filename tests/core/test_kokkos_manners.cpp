// SPDX-License-Identifier: BSD-3-Clause
// What tests of good manners lean on: watch sees each thing that expect_good_manners forbids.
#include "kokkos_manners.hpp"

#include "testing.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Space>
struct KokkosManners : testing::Test {};
TYPED_TEST_SUITE(KokkosManners, Spaces, SpaceName);

template <class ExecutionSpace>
void misbehave(ExecutionSpace const& space) {
  Kokkos::View<int*, ExecutionSpace> const view("unlabelled", 3);
  Kokkos::parallel_for(
      "rude", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 3), KOKKOS_LAMBDA(int i) { view(i) = i; });
  Kokkos::deep_copy(space, view, Kokkos::View<int*, ExecutionSpace>("other", 3));
  space.fence("my fence");
}

TYPED_TEST(KokkosManners, AreSeen) {
  auto const contains = [](std::vector<std::string> const& list, std::string const& what) {
    return std::find(list.begin(), list.end(), what) != list.end();
  };
  TypeParam const space;
  auto const before = Kokkos::Tools::Experimental::get_callbacks();
  auto const report = watch([&] { misbehave(space); });
  EXPECT_TRUE(contains(report.labels, "rude"));
  EXPECT_TRUE(contains(report.allocations, "unlabelled"));
  EXPECT_TRUE(contains(report.deallocations, "other"));
  EXPECT_TRUE(contains(report.copies, "unlabelled"));
  EXPECT_TRUE(contains(report.fences, "my fence"));
  ASSERT_EQ(report.device_ids.size(), report.labels.size());
  auto const rude = std::find(report.labels.begin(), report.labels.end(), "rude") - report.labels.begin();
  EXPECT_EQ(report.device_ids[static_cast<std::size_t>(rude)], device_id(space));
  auto const after = Kokkos::Tools::Experimental::get_callbacks();
  EXPECT_EQ(std::memcmp(&before, &after, sizeof(before)), 0) << "the callbacks are not restored";
}

}  // namespace
