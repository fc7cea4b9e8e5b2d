// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/extremes.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <limits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Pair>
struct Extremes : testing::Test {
  using ExecutionSpace = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
};
TYPED_TEST_SUITE(Extremes, SpacesAndReals, PairName);

template <class Space, class Real>
std::vector<Real> lesser_of(std::vector<Real> const& x, std::vector<Real> const& y) {
  auto const device_x = on_device<Space>(x);
  auto const device_y = on_device<Space>(y);
  return evaluate<Space>(
      static_cast<int>(x.size()), KOKKOS_LAMBDA(int i)->Real { return lesser(device_x(i), device_y(i)); });
}

template <class Space, class Real>
std::vector<Real> greater_of(std::vector<Real> const& x, std::vector<Real> const& y) {
  auto const device_x = on_device<Space>(x);
  auto const device_y = on_device<Space>(y);
  return evaluate<Space>(
      static_cast<int>(x.size()), KOKKOS_LAMBDA(int i)->Real { return greater(device_x(i), device_y(i)); });
}

// The first of two numbers may be NaN, and is then left out, by hosts and devices alike.
TYPED_TEST(Extremes, OfTwoNumbersLeaveOutThatWhichIsNaN) {
  using Space = typename TestFixture::ExecutionSpace;
  using Real = typename TestFixture::Real;
  Real const infinite = std::numeric_limits<Real>::infinity();
  Real const nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> const x{1, 2, -1, 3, infinite, -infinite, nan, nan};
  std::vector<Real> const y{2, 1, -3, 3, 0, 0, 5, -infinite};
  std::vector<Real> const least{1, 1, -3, 3, 0, -infinite, 5, -infinite};
  std::vector<Real> const most{2, 2, -1, 3, infinite, 0, 5, -infinite};
  EXPECT_EQ((lesser_of<Space>(x, y)), least);
  EXPECT_EQ((greater_of<Space>(x, y)), most);
}

}  // namespace
