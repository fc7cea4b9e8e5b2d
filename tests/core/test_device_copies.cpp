// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device_copies.hpp>

#include "evaluate.hpp"
#include "strided.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Space>
struct CopiesOfDevices : testing::Test {};
TYPED_TEST_SUITE(CopiesOfDevices, Spaces, SpaceName);

/// Arrays of the memory of an execution space with the values and strides of others in host memory.
template <class Space, class Value>
struct Twin {
  Array<Value*, Space> values;
  ArrayRef array;

  explicit Twin(Block<Value> const& block) : values(on_device<Space>(block.values)), array(block.array) {
    array.data = values.data() + (static_cast<Value const*>(block.array.data) - block.values.data());
  }
};

/// Copies in all orders of the dimensions, all in one call, and compares entry by entry.
template <class Space, class From, class To>
void check_device_copies(std::vector<std::int64_t> const& extents, ValueMap const& map = {}) {
  std::vector<int> from_order(extents.size());
  std::iota(from_order.begin(), from_order.end(), 0);
  auto to_order = from_order;
  DeviceCopies<Space> copies;
  std::vector<Block<From>> blocks_from;
  std::vector<Block<To>> blocks_to;
  std::vector<Twin<Space, From>> twins_from;
  std::vector<Twin<Space, To>> twins_to;
  auto const check = [&] {
    copies.run(Space());
    for (std::size_t c = 0; c < twins_to.size(); ++c) {
      auto const after = on_host(twins_to[c].values);
      auto& to = blocks_to[c];
      auto const untouched = std::count(to.values.begin(), to.values.end(), To(-77)) - to.array.size();
      std::copy_n(after.data(), after.size(), to.values.begin());
      for_each_index(extents, [&](auto const& index) {
        double const value = static_cast<double>(blocks_from[c].at(index)) * map.factor;
        ASSERT_EQ(to.at(index), static_cast<To>(std::min(std::max(value, map.lowest), map.highest)));
      });
      ASSERT_EQ(std::count(to.values.begin(), to.values.end(), To(-77)), untouched);
    }
    blocks_from.clear(), blocks_to.clear(), twins_from.clear(), twins_to.clear();
  };
  do {
    do {
      for (bool const reversed : {false, true}) {
        blocks_from.emplace_back(extents, from_order, 3, reversed);
        blocks_to.emplace_back(extents, to_order, 2, !reversed);
        From next = 0;
        for_each_index(extents, [&](auto const& index) { blocks_from.back().at(index) = ++next; });
        twins_from.emplace_back(blocks_from.back());
        twins_to.emplace_back(blocks_to.back());
        copies.add(twins_from.back().array, twins_to.back().array, map);
        if (twins_to.size() == 20) check();
      }
    } while (std::next_permutation(to_order.begin(), to_order.end()));
  } while (std::next_permutation(from_order.begin(), from_order.end()));
  check();
}

TYPED_TEST(CopiesOfDevices, GoFromAnyStridesToAnyOthers) {
  check_device_copies<TypeParam, double, double>({17});
  check_device_copies<TypeParam, double, float>({5, 13});
  check_device_copies<TypeParam, float, double>({70, 45});
  check_device_copies<TypeParam, float, float>({16, 8});
  check_device_copies<TypeParam, int, int>({4, 19});
  check_device_copies<TypeParam, double, double>({3, 20, 11});
  check_device_copies<TypeParam, float, float>({2, 9, 4, 5});
  check_device_copies<TypeParam, double, float>({1, 3, 1});
  check_device_copies<TypeParam, double, double>({0, 4});
}

TYPED_TEST(CopiesOfDevices, MapValuesButNotIntegers) {
  check_device_copies<TypeParam, double, float>({9, 10}, {.factor = 0.5, .lowest = 3, .highest = 40});
  Block<int> from({11, 2}, {0, 1}, 0, false), to({11, 2}, {1, 0}, 0, false);
  for_each_index({11, 2}, [&](auto const& index) { from.at(index) = static_cast<int>(index[0]); });
  Twin<TypeParam, int> const device_from(from), device_to(to);
  DeviceCopies<TypeParam> copies;
  copies.add(device_from.array, device_to.array, {.factor = 2});
  copies.run(TypeParam());
  auto const after = on_host(device_to.values);
  for (int i = 0; i < 22; ++i) EXPECT_EQ(after(static_cast<std::size_t>(i)), i % 11);
}

TYPED_TEST(CopiesOfDevices, KeepNaNAndSetZeros) {
  Block<double> from({10}, {0}, 0, false), to({10}, {0}, 0, false), other({3, 12}, {0, 1}, 0, false);
  for (double& value : from.values) value = std::numeric_limits<double>::quiet_NaN();
  Twin<TypeParam, double> const device_from(from), device_to(to), zeros(other);
  DeviceCopies<TypeParam> copies;
  copies.add(device_from.array, device_to.array, {.lowest = 0, .highest = 1});
  copies.add({}, zeros.array);
  copies.run(TypeParam());
  auto const after = on_host(device_to.values);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(std::isnan(after(i)));
  auto const all = on_host(zeros.values);
  for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(all(i), 0);
}

TYPED_TEST(CopiesOfDevices, RefuseWhatCannotBeCopied) {
  Block<double> const one({3}, {0}, 0, false), other({3, 1}, {0, 1}, 0, false), longer({4}, {0}, 0, false);
  Block<int> const whole({3}, {0}, 0, false);
  DeviceCopies<TypeParam> copies;
  EXPECT_EQ(message_of([&] { copies.add(one.array, other.array); }),
            "DeviceCopies: an array of 1 dimensions cannot be copied to one of 2");
  EXPECT_EQ(message_of([&] { copies.add(one.array, whole.array); }),
            "DeviceCopies: integers can only be copied to integers");
  EXPECT_EQ(message_of([&] { copies.add(one.array, longer.array); }),
            "DeviceCopies: dimension 0 has 3 entries, expected 4");
  // Nothing is read or written.
  double value = 0;
  ArrayRef huge{.data = &value, .type = ValueType::float64, .rank = 3};
  huge.extents = {1 << 17, 1 << 17, 1 << 4};
  EXPECT_EQ(message_of([&] { copies.add(huge, huge); }),
            "DeviceCopies: 274877906944 entries, expected fewer than 2^32 groups of 8");
}

}  // namespace
