// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/checked_extents.hpp>

#include "testing.hpp"

#include <parhelion/core/error.hpp>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

struct Pair {
  HostArray<double**> a;
  HostArray<double*> b;

  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    action(ArrayDescription{.name = "a", .unit = "1", .meaning = "", .dimensions = {"row", "column"}}, sets.a...);
    action(ArrayDescription{.name = "b", .unit = "1", .meaning = "", .dimensions = {"row"}}, sets.b...);
  }
};

TEST(CheckedExtents, CallsLikeTheLastAreNotCheckedAgain) {
  CheckedExtents checked;
  int checks = 0;
  auto const call = [&](Pair const& pair) {
    return message_of([&] {
      checked(
          [&] {
            ++checks;
            (void)check_extents("call", pair, {});
          },
          pair, pair);
    });
  };
  std::string const good = "(no parhelion::Error)";
  Pair const pair{HostArray<double**>("a", 3, 4), HostArray<double*>("b", 3)};
  EXPECT_EQ(call(pair), good);
  EXPECT_EQ(call(pair), good);
  EXPECT_EQ(call({HostArray<double**>("a", 3, 4), pair.b}), good) << "other memory";
  EXPECT_EQ(checks, 1);
  EXPECT_EQ(call({HostArray<double**>("a", 3, 5), pair.b}), good);
  EXPECT_EQ(checks, 2);
  // What is refused is refused again.
  Pair const bad{pair.a, HostArray<double*>("b", 4)};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(call(bad), "call: b has shape (4), expected (3)");
  EXPECT_EQ(checks, 4);
  EXPECT_EQ(call(pair), good);
  EXPECT_EQ(checks, 5);
}

}  // namespace
