// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/host_arrays.hpp>

#include "testing.hpp"

#include <cmath>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

template <class DataType, class... Extents>
HostArray<DataType> counted(Extents... extents) {
  HostArray<DataType> const view("counted", static_cast<std::size_t>(extents)...);
  for (std::size_t i = 0; i < view.size(); ++i)
    view.data()[i] = static_cast<typename HostArray<DataType>::value_type>(i + 1);
  return view;
}

}  // namespace

TEST(HostArrays, RefusesShapes) {
  auto const view = counted<double**>(2, 3);
  EXPECT_NO_THROW(expect_shape("here", view, "x", {2, 3}));
  EXPECT_EQ(message_of([&] { expect_shape("here", view, "x", {2, 4}); }), "here: x has shape (2, 3), expected (2, 4)");
  EXPECT_EQ(message_of([&] { expect_shape("here", view, "x", {6}); }), "here: x has shape (2, 3), expected (6)");
}

TEST(HostArrays, RefusesTheFirstBadValue) {
  auto const view = counted<double***>(2, 3, 4);
  auto const check = [&](char const* unit) {
    return message_of([&] { expect_values("here", view, "x", unit, "less than 20", [](double x) { return x < 20; }); });
  };
  EXPECT_EQ(check("K"), "here: x(1, 1, 3) = 20 K, expected less than 20");
  view(0, 2, 1) = std::nan("");
  EXPECT_EQ(check(""), "here: x(0, 2, 1) = nan, expected less than 20");
  EXPECT_NO_THROW(expect_values("here", HostArray<double**>(), "x", "", "nothing", [](double) { return false; }));
  EXPECT_EQ(message_of([&] {
              expect_values("here", counted<int**>(2, 2), "n", "", "1 to 3", [](double x) { return x <= 3; });
            }),
            "here: n(1, 1) = 4, expected 1 to 3");
}

TEST(HostArrays, TakesRows) {
  auto const view = counted<double****>(4, 2, 1, 3);
  auto const some = rows(view, 1, 3);
  EXPECT_EQ(some.extent(0), 2U);
  EXPECT_EQ(some(1, 1, 0, 2), view(2, 1, 0, 2));
  EXPECT_EQ(rows(counted<double*>(5), 4, 5)(0), 5);
}

template <class Pair>
struct HostArraysTest : testing::Test {};
TYPED_TEST_SUITE(HostArraysTest, SpacesAndReals, PairName);

// There and back, through another layout and precision, some rows at a time and turned or not.
TYPED_TEST(HostArraysTest, GoToTheDeviceAndBack) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const from = counted<double***>(5, 3, 2);
  Kokkos::View<Real***, Kokkos::LayoutLeft, typename Space::memory_space> const device("device", 2, 3, 2);
  for (bool const reversed : {false, true}) {
    HostArray<double***> const same("same", 5, 3, 2), turned("turned", 5, 3, 2), cut("cut", 5, 2, 2);
    to_device(Space(), from, device, 3, reversed);
    to_host(Space(), device, same, 1, reversed);
    to_host(Space(), device, turned, 1);
    to_host(Space(), device, cut, 3);
    for (int p = 0; p < 2; ++p)
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 2; ++i) {
          EXPECT_EQ(same(1 + p, k, i), from(3 + p, k, i));
          EXPECT_EQ(turned(1 + p, k, i), from(3 + p, reversed ? 2 - k : k, i));
          if (k < 2) {
            EXPECT_EQ(cut(3 + p, k, i), turned(1 + p, k, i));
          }
        }
    EXPECT_EQ(same(0, 0, 0), 0);
    EXPECT_EQ(same(3, 0, 0), 0);
  }
}
