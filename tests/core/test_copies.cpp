// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>

#include "testing.hpp"

#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Space>
struct Copies : testing::Test {
  using Device = Kokkos::View<double**, Kokkos::LayoutRight, typename Space::memory_space>;
  using OnHost = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

  static OnHost numbered(int n0, int n1) {
    OnHost const array("parhelion::Testing::numbered", n0, n1);
    for (int i = 0; i < n0; ++i)
      for (int j = 0; j < n1; ++j) array(i, j) = 10 * i + j;
    return array;
  }
};
TYPED_TEST_SUITE(Copies, Spaces, SpaceName);

TYPED_TEST(Copies, GoToTheDeviceAndBack) {
  TypeParam const space;
  auto const from = this->numbered(3, 4);
  typename Copies<TypeParam>::Device const there("parhelion::Testing::there", 3, 4),
      twin("parhelion::Testing::twin", 3, 4);
  typename Copies<TypeParam>::OnHost const back("parhelion::Testing::back", 3, 4);
  copy_array(space, there, from);
  copy_array(space, twin, there);
  copy_array(space, back, twin);
  space.fence();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(back(i, j), 10 * i + j);
}

TYPED_TEST(Copies, OnTheHostAreOfWhatIsThere) {
  typename Copies<TypeParam>::Device const there("parhelion::Testing::there", 2, 5);
  assign_array(there, 7);
  auto const seen = host_copy(there);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_EQ(seen(i, j), 7);
  assign_array(there, this->numbered(2, 5));
  EXPECT_EQ(host_copy(TypeParam(), there)(1, 4), 14);
  // Of constant entries, too.
  Kokkos::View<double const**, Kokkos::LayoutRight, typename TypeParam::memory_space> const constant = there;
  EXPECT_EQ(host_copy(constant)(1, 3), 13);
}

TYPED_TEST(Copies, RefuseOtherExtents) {
  TypeParam const space;
  typename Copies<TypeParam>::Device const to("parhelion::Testing::to", 3, 4);
  auto const message = message_of([&] { copy_array(space, to, this->numbered(4, 3)); });
  EXPECT_NE(message.find("parhelion::Testing::to and parhelion::Testing::numbered differ in their extents"),
            std::string::npos)
      << message;
}

// What lies in the gaps belongs to others.
TYPED_TEST(Copies, RefuseArraysWithGaps) {
  auto const array = this->numbered(3, 4);
  auto const gaps = Kokkos::subview(array, Kokkos::ALL, Kokkos::pair<int, int>(1, 3));
  auto const fill = message_of([&] { fill_array(gaps, 1.); });
  EXPECT_NE(fill.find("are not contiguous"), std::string::npos) << fill;
  EXPECT_EQ(array(0, 1), 1);
  auto const column = Kokkos::subview(array, Kokkos::ALL, 1);
  Kokkos::View<double*, Kokkos::HostSpace> const to("parhelion::Testing::to", 3);
  auto const copy = message_of([&] { copy_array(TypeParam(), to, column); });
  EXPECT_NE(copy.find("are not contiguous"), std::string::npos) << copy;
  EXPECT_EQ(to(1), 0);
}

}  // namespace
