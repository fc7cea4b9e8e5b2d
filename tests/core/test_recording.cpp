// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/core/recording.hpp>

#include "testing.hpp"

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Space>
struct AddTo {
  Array<int*, Space> sum;
  int amount;
  KOKKOS_FUNCTION void operator()(int i) const { sum(i) = 2 * sum(i) + amount; }
};

template <class Space>
struct RecordingTest : testing::Test {};
TYPED_TEST_SUITE(RecordingTest, Spaces, SpaceName);

TYPED_TEST(RecordingTest, ReplaysCallsInTheirOrder) {
  TypeParam const space;
  Array<int*, TypeParam> const sum("parhelion::Testing::sum", 3);
  auto const calls = [=](TypeParam const& where) {
    for (int amount : {1, 10})
      Kokkos::parallel_for("parhelion::Testing::add", Kokkos::RangePolicy<TypeParam>(where, 0, 3),
                           AddTo<TypeParam>{sum, amount});
  };
  calls(space);
  space.fence();
  Recording<TypeParam> const recording(space, calls);
  parhelion::assign_array(sum, 0);
  recording.replay(space);
  recording.replay(space);
  space.fence();
  auto const host = parhelion::host_copy(sum);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(host(i), 2 * (2 * 12 + 1) + 10);
}

}  // namespace
