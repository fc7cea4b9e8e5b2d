// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/call_arrays.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

using namespace parhelion;
using parhelion::Impl::CallArrays;
using parhelion::Impl::MemoryOrder;

constexpr ArrayDescription of_layers{.name = "temperature",
                                     .unit = "K",
                                     .meaning = "temperature",
                                     .dimensions = {dimension::column, dimension::layer, dimension::band}};

/// A set of one array, whose Views have this layout.
CallArrays one_array(bool first_is_fastest) {
  return {{of_layers}, {{ValueType::float64, first_is_fastest}}, {.extents = {{0, 5, 2}}}};
}

/// A reference to an array with these strides, of 7 columns, 5 layers and 2 bands.
ConstArrayRef array_of(std::vector<double> const& values, std::array<std::int64_t, 3> strides) {
  return {.data = values.data(),
          .type = ValueType::float64,
          .rank = 3,
          .extents = {7, 5, 2},
          .strides = {strides[0], strides[1], strides[2]}};
}

MemoryOrder order(int a, int b, int c) { return {a, b, c, 0, 0}; }

TEST(CallArrays, OrderOfDimensionsIsThatOfTheCallerWhereAnotherOneIsFastest) {
  std::vector<double> const values(1000);
  auto arrays = one_array(false);
  arrays.present = arrays.reserved;
  parhelion::Impl::Places places;
  arrays.place(dimension::column, 7, {}, places);
  MemoryOrder found;
  // The last index fastest, as in the View: padded and reversed, too.
  EXPECT_FALSE(arrays.set_order(0, array_of(values, {10, 2, 1}), places, found));
  EXPECT_EQ(found, order(0, 1, 2));
  EXPECT_FALSE(arrays.set_order(0, array_of(values, {16, -3, 1}), places, found));
  EXPECT_FALSE(arrays.set_order(0, array_of(values, {2, 14, 1}), places, found)) << "bands stay the fastest";
  EXPECT_EQ(found, order(0, 1, 2));
  // Columns are the fastest, then layers, or then bands.
  EXPECT_TRUE(arrays.set_order(0, array_of(values, {1, 7, 35}), places, found));
  EXPECT_EQ(found, order(2, 1, 0));
  EXPECT_TRUE(arrays.set_order(0, array_of(values, {-1, -20, 9}), places, found));
  EXPECT_EQ(found, order(1, 2, 0));
  // A missing array.
  EXPECT_FALSE(arrays.set_order(0, {}, places, found));
  EXPECT_EQ(found, order(0, 1, 2));

  auto left = one_array(true);
  left.present = left.reserved;
  EXPECT_FALSE(left.set_order(0, array_of(values, {1, 7, 35}), places, found));
  EXPECT_EQ(found, order(2, 1, 0));
  EXPECT_TRUE(left.set_order(0, array_of(values, {10, 2, 1}), places, found));
  EXPECT_EQ(found, order(0, 1, 2));
}

TEST(CallArrays, ADimensionOfOneEntryIsNotTheFastest) {
  std::vector<double> const values(1000);
  CallArrays arrays({of_layers}, {{ValueType::float64, false}}, {.extents = {{0, 5, 1}}});
  arrays.present = arrays.reserved;
  parhelion::Impl::Places places;
  arrays.place(dimension::column, 7, {}, places);
  MemoryOrder found;
  auto array = array_of(values, {5, 1, 1000});
  array.extents[2] = 1;
  EXPECT_FALSE(arrays.set_order(0, array, places, found));
  array.strides = {1, 7, 1};
  EXPECT_TRUE(arrays.set_order(0, array, places, found));
  EXPECT_EQ(found[2] + found[1], 2) << "columns and the dimension of one entry come last";
}

TEST(CallArrays, ReferencesHaveTheOrderThatIsAskedFor) {
  auto arrays = one_array(false);
  arrays.present = arrays.reserved;
  parhelion::Impl::Places places;
  arrays.place(dimension::column, 7, {}, places);
  std::vector<double> values(70);
  std::iota(values.begin(), values.end(), 0.);
  auto* const block = reinterpret_cast<std::byte*>(values.data());
  std::vector<ArrayRef> refs;
  arrays.refer(places, block, refs);
  ASSERT_EQ(refs.size(), 1U);
  EXPECT_EQ(refs[0].strides, (std::array<std::int64_t, 5>{10, 2, 1, 0, 0}));
  arrays.refer(places, {order(1, 2, 0)}, block, refs);
  EXPECT_EQ(refs[0].strides, (std::array<std::int64_t, 5>{1, 14, 7, 0, 0}));
  EXPECT_EQ(refs[0].extents, (std::array<std::int64_t, 5>{7, 5, 2, 0, 0}));
}

TEST(CallArrays, AnArrayOfPartsHasTheStridesOfThePartThatIsGiven) {
  std::vector<double> const values(100);
  ConstArrayRef const missing;
  ConstArrayRef const part{
      .data = values.data(), .type = ValueType::float64, .rank = 2, .extents = {7, 2}, .strides = {1, 7}};
  std::vector<ConstArrayRef> const parts{missing, part, missing, part, missing};
  InputArray input;
  input.array = array_of(values, {0, 0, 0});
  input.dimension = 1;
  input.parts = parts.data();
  auto const whole = parhelion::Impl::with_strides(input);
  EXPECT_EQ(whole.strides[0], 1);
  EXPECT_EQ(whole.strides[2], 7);
  EXPECT_GE(whole.strides[1], 14) << "parts follow one another";
  std::vector<ConstArrayRef> const none(5);
  input.parts = none.data();
  EXPECT_TRUE(parhelion::Impl::with_strides(input).empty());
}

}  // namespace
