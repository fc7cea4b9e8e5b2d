// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/array_checks.hpp>

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

TEST(ArrayChecks, RefusesShapes) {
  auto const view = counted<double**>(2, 3);
  EXPECT_NO_THROW(expect_shape("here", view, "x", {2, 3}));
  EXPECT_EQ(message_of([&] { expect_shape("here", view, "x", {2, 4}); }), "here: x has shape (2, 3), expected (2, 4)");
  EXPECT_EQ(message_of([&] { expect_shape("here", view, "x", {6}); }), "here: x has shape (2, 3), expected (6)");
}

TEST(ArrayChecks, RefusesTheFirstBadValue) {
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
