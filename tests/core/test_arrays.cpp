// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/arrays.hpp>

#include "kokkos_manners.hpp"
#include "strided.hpp"
#include "testing.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

using Host = Kokkos::DefaultHostExecutionSpace;

/// Copies `from_extents` to `to_extents` in all orders of the dimensions, and compares entry by entry.
template <class From, class To>
void check_copies(std::vector<std::int64_t> const& from_extents, std::vector<std::int64_t> const& to_extents) {
  std::vector<int> from_order(from_extents.size());
  for (std::size_t d = 0; d < from_order.size(); ++d) from_order[d] = static_cast<int>(d);
  auto to_order = from_order;
  do {
    do {
      for (bool const reversed : {false, true}) {
        Block<From> from(from_extents, from_order, 3, reversed);
        Block<To> to(to_extents, to_order, 2, !reversed);
        From next = 0;
        for_each_index(from_extents, [&](auto const& index) { from.at(index) = ++next; });
        auto const untouched = static_cast<std::size_t>(std::count(to.values.begin(), to.values.end(), To(-77))) -
                               static_cast<std::size_t>(to.array.size());
        ArrayCopies copies;
        copies.add(from.array, to.array);
        copies.run(Host());
        for_each_index(to_extents, [&](auto const& index) {
          bool inside = true;
          for (std::size_t d = 0; d < index.size(); ++d) inside = inside && index[d] < from_extents[d];
          ASSERT_EQ(to.at(index), inside ? static_cast<To>(from.at(index)) : To(0));
        });
        ASSERT_EQ(static_cast<std::size_t>(std::count(to.values.begin(), to.values.end(), To(-77))), untouched);
      }
    } while (std::next_permutation(to_order.begin(), to_order.end()));
  } while (std::next_permutation(from_order.begin(), from_order.end()));
}

TEST(ArrayCopies, GoFromAnyStridesToAnyOthers) {
  check_copies<double, double>({7}, {7});
  check_copies<double, float>({5, 3}, {5, 3});
  check_copies<float, double>({70, 45}, {70, 45});
  check_copies<int, int>({4, 9}, {4, 9});
  check_copies<double, double>({3, 40, 35}, {3, 40, 35});
  check_copies<float, float>({2, 3, 4, 5}, {2, 3, 4, 5});
  check_copies<double, float>({1, 3, 1}, {1, 3, 1});
  check_copies<double, double>({0, 4}, {0, 4});
}

TEST(ArrayCopies, WhatIsLongerBecomesZero) {
  check_copies<double, double>({4, 5}, {4, 6});
  check_copies<double, float>({4, 11, 6}, {4, 11, 7});
  check_copies<float, double>({4, 3, 6}, {5, 4, 8});
  check_copies<double, double>({2, 0}, {2, 3});
}

TEST(ArrayCopies, LongRowsAreCutIntoPieces) {
  check_copies<double, float>({30000}, {30000});
  check_copies<float, double>({3, 20000}, {3, 20001});
}

TEST(ArrayCopies, RefuseWhatCannotBeCopied) {
  Block<double> const one({3}, {0}, 0, false), other({3, 1}, {0, 1}, 0, false);
  Block<int> const whole({3}, {0}, 0, false);
  ArrayCopies copies;
  EXPECT_EQ(message_of([&] { copies.add(one.array, other.array); }),
            "ArrayCopies: an array of 1 dimensions cannot be copied to one of 2");
  EXPECT_EQ(message_of([&] { copies.add(one.array, whole.array); }),
            "ArrayCopies: integers can only be copied to integers");
}

constexpr ArrayDescription temperature{.name = "temperature",
                                       .unit = "K",
                                       .meaning = "temperature of the layer",
                                       .dimensions = {dimension::column, dimension::layer},
                                       .range = ranges::positive};
constexpr ArrayDescription emissivity{.name = "emissivity",
                                      .unit = "1",
                                      .meaning = "emissivity of the band",
                                      .dimensions = {dimension::column, dimension::band},
                                      .range = ranges::zero_to_one,
                                      .optional = true,
                                      .may_be_one = 0b10};

TEST(ArrayDescription, KnowsItsDimensions) {
  EXPECT_EQ(temperature.rank(), 2);
  EXPECT_EQ(temperature.vertical(), 1);
  EXPECT_EQ(emissivity.vertical(), -1);
  EXPECT_EQ(emissivity.position_of(dimension::band), 1);
  EXPECT_FALSE(emissivity.may_be_one_in(0));
  EXPECT_TRUE(emissivity.may_be_one_in(1));
}

TEST(ArrayDescription, ExtentsAreChecked) {
  Block<double> const good({4, 3}, {0, 1}, 0, false), bad({4, 5}, {0, 1}, 0, false), one({4, 1}, {0, 1}, 0, false),
      line({4}, {0}, 0, false);
  Dimensions dimensions{{dimension::layer, 3}};
  check_extents("test", temperature, good.array, dimensions);
  EXPECT_EQ(dimensions[dimension::column], 4) << "learnt from the array";
  EXPECT_EQ(dimensions[dimension::band], -1);
  EXPECT_EQ(message_of([&] { check_extents("test", temperature, bad.array, dimensions); }),
            "test: temperature has shape (4, 5), expected (4, 3)");
  EXPECT_EQ(message_of([&] { check_extents("test", temperature, line.array, dimensions); }),
            "test: temperature has 1 dimensions, expected 2: (column, layer)");
  EXPECT_NO_THROW(check_extents("test", emissivity, one.array, dimensions));
  EXPECT_EQ(dimensions[dimension::band], -1) << "one value for all bands says nothing of their number";
  EXPECT_NO_THROW(check_extents("test", emissivity, ConstArrayRef{}, dimensions)) << "it may be missing";
  ConstArrayRef nothing;
  nothing.rank = 2;
  EXPECT_EQ(message_of([&] { check_extents("test", temperature, nothing, dimensions); }),
            "test: temperature has shape (0, 0), expected (4, 3)");
}

TEST(ArrayDescription, ValuesAreCheckedInTheOrderOfTheIndices) {
  for (auto const& order : {std::vector<int>{0, 1}, std::vector<int>{1, 0}}) {
    Block<float> block({4, 3}, order, 1, true);
    for_each_index({4, 3}, [&](auto const& index) { block.at(index) = 250; });
    EXPECT_NO_THROW(check_values("test", temperature, block.array));
    block.at({3, 0}) = std::numeric_limits<float>::infinity();
    EXPECT_EQ(message_of([&] { check_values("test", temperature, block.array); }),
              "test: temperature(3, 0) = inf K, expected a positive number");
    block.at({1, 2}) = -4;
    EXPECT_EQ(message_of([&] { check_values("test", temperature, block.array); }),
              "test: temperature(1, 2) = -4 K, expected a positive number");
    block.at({1, 1}) = 0;
    EXPECT_EQ(message_of([&] { check_values("test", temperature, block.array); }),
              "test: temperature(1, 1) = 0 K, expected a positive number");
  }
  Block<double> shares({1, 2}, {0, 1}, 0, false);
  shares.at({0, 0}) = 1;
  shares.at({0, 1}) = 1.5;
  EXPECT_EQ(message_of([&] { check_values("test", emissivity, shares.array); }),
            "test: emissivity(0, 1) = 1.5, expected 0 to 1");
}

TEST(ValueRange, IsDescribedInWords) {
  EXPECT_EQ(describe(ranges::finite), "a finite number");
  EXPECT_EQ(describe(ranges::not_negative), "a number of at least 0");
  EXPECT_EQ(describe(ranges::positive), "a positive number");
  EXPECT_EQ(describe(ranges::zero_to_one), "0 to 1");
  EXPECT_EQ(describe(ranges::above_zero_to_one), "more than 0 and at most 1");
  EXPECT_EQ(describe(ValueRange{.highest = 3}), "a number of at most 3");
  EXPECT_EQ(describe(ValueRange{.lowest = 3, .above_lowest = true}), "a number above 3");
}

TEST(ArrayRef, TakesRows) {
  HostArray<double****> const view("parhelion::Testing::view", 4, 2, 1, 3);
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = static_cast<double>(i);
  ArrayRef const some = array_ref(view).part(0, 1, 2);
  EXPECT_EQ(some.extents[0], 2);
  EXPECT_EQ(static_cast<double const*>(some.data)[some.strides[0] + some.strides[1] + 2 * some.strides[3]],
            view(2, 1, 0, 2));
  HostArray<double*> const line("parhelion::Testing::line", 5);
  line(4) = 5;
  EXPECT_EQ(*static_cast<double const*>(array_ref(line).part(0, 4, 1).data), 5);
}

TEST(ArrayRef, KnowsTheViewThatItIsOf) {
  Kokkos::View<float const** [3], Kokkos::LayoutLeft, Kokkos::HostSpace> const view =
      Kokkos::View<float** [3], Kokkos::LayoutLeft, Kokkos::HostSpace>("parhelion::Testing::view", 4, 5);
  ConstArrayRef const ref = array_ref(view);
  EXPECT_EQ(ref.rank, 3);
  EXPECT_EQ(ref.size(), 60);
  EXPECT_EQ(ref.strides[0], 1);
  EXPECT_EQ(ref.strides[2], 20);
  EXPECT_TRUE(array_ref(Array<double*, Host>()).empty());
}

TEST(HostThreads, LittleWorkIsDoneByTheCallingThread) {
  HostThreads const threads{Host()};
  for (std::int64_t const entries : {std::int64_t{1}, HostThreads::worth_several_threads}) {
    constexpr std::size_t n = 1000;
    std::vector<int> calls(n, 0);
    std::vector<std::thread::id> by(n);
    threads.for_each(
        "parhelion::core::test", n,
        [&](std::size_t i) {
          ++calls[i];
          by[i] = std::this_thread::get_id();
        },
        entries);
    EXPECT_EQ(calls, std::vector<int>(n, 1)) << entries;
    if (entries == 1) {
      EXPECT_EQ(by, std::vector<std::thread::id>(n, std::this_thread::get_id()));
    }
  }
}

/// The threads of a caller's region of OpenMP have calls of their own to make.
TEST(HostThreads, ThoseOfTheDefaultSpaceAreLeftAloneInARegion) {
  constexpr std::size_t n = 1000;
  std::array<std::thread::id, 2> caller;
  std::array<std::vector<std::thread::id>, 2> by;
  bool const called = call_from_a_region<Host>([&](std::size_t thread) {
    caller[thread] = std::this_thread::get_id();
    by[thread].resize(n);
    HostThreads().for_each("parhelion::core::test", n,
                           [&](std::size_t i) { by[thread][i] = std::this_thread::get_id(); });
  });
  for (std::size_t thread = 0; called && thread < 2; ++thread)
    EXPECT_EQ(by[thread], std::vector<std::thread::id>(n, caller[thread])) << thread;
}

/// Copies of a few and of many entries: by the calling thread and by those of the instance.
TEST(ArrayCopies, FewAndManyEntriesAreCopiedAlike) {
  for (std::size_t const n : {std::size_t{100}, std::size_t{300000}}) {
    std::vector<double> from(n), to(n), with_threads(n);
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<double>(i % 977);
    auto const array = [n](std::vector<double>& values) {
      ArrayRef result{.data = values.data(), .type = ValueType::float64, .rank = 1};
      result.extents[0] = static_cast<std::int64_t>(n);
      result.strides[0] = 1;
      return result;
    };
    ArrayCopies copies;
    copies.add(array(from), array(to));
    copies.run(Host());
    copies.add(array(from), array(with_threads));
    copies.run(HostThreads(Host()));
    EXPECT_EQ(to, from) << n;
    EXPECT_EQ(with_threads, from) << n;
  }
}

}  // namespace
