// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/stream.hpp>

#include "testing.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class View>
void fill(View const& view) {
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = static_cast<typename View::value_type>(i % 1000 + 1);
}

template <class Space>
void change(Space const& space, Array<float*, Space> const& a, Array<double**, Space> const& b) {
  Kokkos::parallel_for(
      "parhelion::core::test", Kokkos::RangePolicy<Space>(space, 0, 35), KOKKOS_LAMBDA(int i) {
        b(i / 7, i % 7) *= 2;
        if (i < 3) a(i) += 1;
      });
}

template <class Space>
int count_up(Space const& space, Array<int*, Space> const& numbers) {
  Kokkos::RangePolicy<Space> const all(space, 0, 100);
  Kokkos::parallel_for(
      "parhelion::core::test", all, KOKKOS_LAMBDA(int i) { numbers(i) += i; });
  int sum = 0;
  Kokkos::parallel_reduce(
      "parhelion::core::test", all, KOKKOS_LAMBDA(int i, int& part) { part += numbers(i); }, sum);
  return sum;
}

template <class Space>
struct StreamTest : testing::Test {};
TYPED_TEST_SUITE(StreamTest, Spaces, SpaceName);

TYPED_TEST(StreamTest, TwinMemoryGoesThereAndBack) {
  using Space = TypeParam;
  for (auto const& device : instances_on_devices(Space(), number_of_devices<Space>(), 2))
    for (auto const& space : device) {
      TwinMemory<Space> const memory(space, 4096, "parhelion::core::test");
      StreamLayout layout;
      (void)layout.take(3 * sizeof(float));
      std::size_t const second = layout.take(35 * sizeof(double));
      EXPECT_EQ(second % workspace_alignment, 0U);
      EXPECT_GE(second, 3 * sizeof(float));
      ASSERT_LE(layout.bytes(), 4096U);
      auto const a = Array<float*, Space>(reinterpret_cast<float*>(memory.device()), 3);
      auto const b = Array<double**, Space>(reinterpret_cast<double*>(memory.device() + second), 5, 7);
      auto const a_host = HostArray<float*>(reinterpret_cast<float*>(memory.host()), 3);
      auto const b_host = HostArray<double**>(reinterpret_cast<double*>(memory.host() + second), 5, 7);
      fill(a_host);
      fill(b_host);
      memory.to_device(space, 0, layout.bytes());
      change(space, a, b);
      memory.to_host(space, 0, layout.bytes());
      space.fence();
      for (int i = 0; i < 3; ++i) EXPECT_EQ(a_host(i), i + 2);
      for (int i = 0; i < 35; ++i) EXPECT_EQ(b_host(i / 7, i % 7), 2 * (i + 1));
      EXPECT_EQ(memory.host_bytes(), runs_on_host<Space> ? 0U : 4096U);
      EXPECT_EQ(memory.device_bytes(), 4096U);
    }
}

TYPED_TEST(StreamTest, InstancesAreOnTheDevicesThatAreThere) {
  using Space = TypeParam;
  int const count = number_of_devices<Space>();
  ASSERT_GE(count, 1);
  if (runs_on_host<Space>) {
    EXPECT_EQ(count, 1);
  }
  auto const all = instances_on_devices(Space(), count, 3);
  ASSERT_EQ(static_cast<int>(all.size()), count);
  for (auto const& device : all) {
    EXPECT_EQ(device.size(), runs_on_host<Space> ? 1U : 3U);
    for (auto const& space : device) {
      Array<int*, Space> const numbers(Kokkos::view_alloc(space, std::string("parhelion::core::test")), 100);
      EXPECT_EQ(count_up(space, numbers), 4950);
    }
  }
  auto const too_many = std::to_string(count + 1);
  EXPECT_EQ(message_of([&] { (void)instances_on_devices(Space(), count + 1, 1); }),
            "instances_on_devices: devices = " + too_many + ", expected 1 to the " + std::to_string(count) + " that " +
                Space::name() + " has here");
  EXPECT_EQ(message_of([&] { (void)instances_on_devices(Space(), 1, 0); }),
            "instances_on_devices: per_device = 0, expected at least 1");
}

struct Call {
  bool starts;
  int stage, first, count;

  bool operator==(Call const&) const = default;
};

std::vector<Call> calls_of(int n, int chunk, int nstage) {
  std::vector<Call> calls;
  EXPECT_TRUE(stream_chunks(
      n, chunk, nstage,
      [&](int stage, int first, int count) {
        calls.push_back({true, stage, first, count});
      },
      [&](int stage, int first, int count) {
        calls.push_back({false, stage, first, count});
        return true;
      }));
  return calls;
}

TEST(StreamChunks, EachStageIsFinishedBeforeItStartsAnew) {
  std::vector<Call> const expected{{true, 0, 0, 4}, {true, 1, 4, 4},  {false, 0, 0, 4},
                                   {true, 0, 8, 3}, {false, 1, 4, 4}, {false, 0, 8, 3}};
  EXPECT_TRUE(calls_of(11, 4, 2) == expected);
  std::vector<Call> const alone{{true, 0, 0, 4}, {false, 0, 0, 4}, {true, 0, 4, 4}, {false, 0, 4, 4}};
  EXPECT_TRUE(calls_of(8, 4, 1) == alone);
  std::vector<Call> const one{{true, 0, 0, 3}, {false, 0, 0, 3}};
  EXPECT_TRUE(calls_of(3, 100, 4) == one) << "stages without a chunk are left alone";
  EXPECT_TRUE(calls_of(0, 4, 2).empty());
}

TEST(StreamChunks, AnExceptionEndsThePassage) {
  int started = 0;
  EXPECT_THROW(stream_chunks(
                   100, 1, 3, [&](int, int, int) { ++started; },
                   [](int, int first, int) -> bool {
                     if (first == 2) throw std::runtime_error("bad");
                     return true;
                   }),
               std::runtime_error);
  EXPECT_EQ(started, 5);
}

TEST(StreamChunks, MayBeStopped) {
  int started = 0;
  auto const start = [&](int, int, int) { ++started; };
  EXPECT_FALSE(stream_chunks(100, 1, 3, start, [](int, int first, int) { return first < 2; }));
  EXPECT_EQ(started, 5);
  EXPECT_TRUE(stream_chunks(100, 1, 3, start, [](int, int first, int) { return first < 99; }))
      << "nothing is left to be stopped";
}

}  // namespace
