// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/interpolate.hpp>

#include "evaluate.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Pair>
struct Interpolate : testing::Test {
  using ExecutionSpace = typename Pair::ExecutionSpace;
  using Real = typename Pair::Real;
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
};
TYPED_TEST_SUITE(Interpolate, SpacesAndReals, PairName);

enum class Access { view, pointer, function, descending };

/// bracket for each x, through each way of giving the grid; `descending` holds the grid's negative in reverse meaning.
template <class ExecutionSpace, class Real>
std::vector<int> brackets(std::vector<Real> const& grid, std::vector<Real> const& xs, Access access) {
  auto const device_grid = on_device<ExecutionSpace>(grid);
  auto const device_xs = on_device<ExecutionSpace>(xs);
  int const n = static_cast<int>(grid.size());
  return evaluate<ExecutionSpace>(
      static_cast<int>(xs.size()), KOKKOS_LAMBDA(int i)->int {
        Real const x = device_xs(i);
        Real const* const pointer = device_grid.data();
        if (access == Access::view) return bracket(device_grid, n, x);
        if (access == Access::pointer) return bracket(pointer, n, x);
        if (access == Access::descending) return bracket([pointer](int j) { return -pointer[j]; }, n, -x);
        return bracket([pointer](int j) { return pointer[j]; }, n, x);
      });
}

template <class Real>
int linear_search(std::vector<Real> const& grid, Real x) {
  int i = 0;
  while (i + 2 < static_cast<int>(grid.size()) && grid[static_cast<std::size_t>(i + 1)] <= x) ++i;
  return i;
}

TYPED_TEST(Interpolate, BracketFindsWhatASearchFinds) {
  using Real = typename TestFixture::Real;
  using Space = typename TestFixture::ExecutionSpace;
  std::mt19937 random(1);
  std::uniform_real_distribution<Real> step(Real(0.01), Real(1));
  for (int const n : {2, 3, 7, 64, 101}) {
    std::vector<Real> grid(1, -3);
    while (static_cast<int>(grid.size()) < n) grid.push_back(grid.back() + step(random));
    // Outside on both sides, on every value, an ulp on each side of it, and between.
    std::vector<Real> xs{-100, 1000, -std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::infinity()};
    for (Real const value : grid)
      for (Real const x :
           {std::nextafter(value, Real(-100)), value, std::nextafter(value, Real(100)), value + Real(0.005)})
        xs.push_back(x);
    for (Access const access : {Access::view, Access::pointer, Access::function}) {
      auto const found = brackets<Space>(grid, xs, access);
      for (std::size_t i = 0; i < xs.size(); ++i)
        EXPECT_EQ(found[i], linear_search(grid, xs[i])) << n << " x " << xs[i];
    }
    std::vector<Real> descending;
    for (Real const value : grid) descending.push_back(-value);
    std::vector<Real> minus_xs;
    for (Real const x : xs) minus_xs.push_back(-x);
    auto const found = brackets<Space>(descending, minus_xs, Access::descending);
    for (std::size_t i = 0; i < xs.size(); ++i) EXPECT_EQ(found[i], linear_search(grid, xs[i])) << n << " x " << xs[i];
    EXPECT_EQ(brackets<Space>(grid, {std::numeric_limits<Real>::quiet_NaN()}, Access::view)[0], 0);
  }
}

template <class ExecutionSpace, class Real>
std::vector<int> clamped_indices(std::vector<Real> const& xs, int low, int high) {
  auto const device_xs = on_device<ExecutionSpace>(xs);
  return evaluate<ExecutionSpace>(
      static_cast<int>(xs.size()), KOKKOS_LAMBDA(int i)->int { return clamped_index(device_xs(i), low, high); });
}

// A conversion to int comes after the clamp: 4e9 does not fit an int, nor do infinities and NaN.
TYPED_TEST(Interpolate, ClampedIndexIsValidWhateverTheNumber) {
  using Real = typename TestFixture::Real;
  using Space = typename TestFixture::ExecutionSpace;
  Real const infinity = std::numeric_limits<Real>::infinity();
  Real const huge = std::numeric_limits<Real>::max();
  std::vector<Real> const xs{
      -infinity, -huge, Real(-4e9), -1,   Real(-0.5), 0,        Real(2.99),
      3,         7,     8,          1000, Real(4e9),  infinity, std::numeric_limits<Real>::quiet_NaN()};
  EXPECT_EQ((clamped_indices<Space, Real>(xs, 0, 7)), (std::vector{0, 0, 0, 0, 0, 0, 2, 3, 7, 7, 7, 7, 7, 0}));
  EXPECT_EQ((clamped_indices<Space, Real>(xs, 2, 3)), (std::vector{2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 2}));
}

template <class ExecutionSpace, class Real>
std::vector<GridPosition<Real>> uniform_positions(Real first, Real spacing, int n, std::vector<Real> const& xs) {
  auto const device_xs = on_device<ExecutionSpace>(xs);
  return evaluate<ExecutionSpace>(
      static_cast<int>(xs.size()),
      KOKKOS_LAMBDA(int i)->GridPosition<Real> { return locate_uniform(first, spacing, n, device_xs(i)); });
}

TYPED_TEST(Interpolate, UniformGrid) {
  using Real = typename TestFixture::Real;
  using Space = typename TestFixture::ExecutionSpace;
  Real const huge = std::numeric_limits<Real>::max();
  // Powers of two: nothing rounds.
  std::vector<Real> const xs{-2, Real(-1.875), -1,   Real(1.75), 2,
                             10, -10,          huge, -huge,      std::numeric_limits<Real>::quiet_NaN()};
  auto const found = uniform_positions<Space, Real>(-2, Real(0.25), 17, xs);  // -2, -1.75, ... 2
  std::vector<int> const index{0, 0, 4, 15, 15, 15, 0, 15, 0, 0};
  std::vector<Real> const weight{0, Real(0.5), 0, 0, 1, 33, -32};
  for (std::size_t i = 0; i < xs.size(); ++i) {
    EXPECT_EQ(found[i].index, index[i]) << xs[i];
    EXPECT_EQ(bracket_uniform(Real(-2), Real(0.25), 17, xs[i]), index[i]) << xs[i];
    if (i < weight.size()) {
      EXPECT_EQ(found[i].weight, weight[i]) << xs[i];
    }
  }
  EXPECT_TRUE(std::isnan(found.back().weight));  // bad numbers stay visible
}

template <class ExecutionSpace, class Real>
std::vector<Real> interpolated(std::vector<Real> const& grid, std::vector<Real> const& values,
                               std::vector<Real> const& xs, bool clamp) {
  auto const device_grid = on_device<ExecutionSpace>(grid);
  auto const device_values = on_device<ExecutionSpace>(values);
  auto const device_xs = on_device<ExecutionSpace>(xs);
  int const n = static_cast<int>(grid.size());
  return evaluate<ExecutionSpace>(
      static_cast<int>(xs.size()), KOKKOS_LAMBDA(int i)->Real {
        auto const at = locate(device_grid, n, device_xs(i));
        return interpolate(device_values, clamp ? at.clamped() : at);
      });
}

TYPED_TEST(Interpolate, LinearIsExactOnTheGridAndStraightBetweenAndBeyond) {
  using Real = typename TestFixture::Real;
  using Space = typename TestFixture::ExecutionSpace;
  std::vector<Real> const grid{1, Real(2.3), 3, Real(7.1)};
  std::vector<Real> const values{Real(0.1), -5, Real(1e-3), 300};
  EXPECT_EQ((interpolated<Space, Real>(grid, values, grid, false)), values);
  EXPECT_EQ((interpolated<Space, Real>(grid, values, grid, true)), values);
  // A straight line is reproduced everywhere; beyond the ends only without clamping.
  auto const line = [](Real x) { return 3 * x - 4; };
  std::vector<Real> on_line;
  for (Real const x : grid) on_line.push_back(line(x));
  std::vector<Real> const xs{-2, Real(1.1), Real(2.9), 5, 11};
  auto const extrapolated = interpolated<Space, Real>(grid, on_line, xs, false);
  // The weight (below 3 in magnitude) carries three roundings, the values one, their sum two; the terms are below 70.
  for (std::size_t i = 0; i < xs.size(); ++i) EXPECT_NEAR(extrapolated[i], line(xs[i]), 4 * 70 * this->eps) << xs[i];
  auto const clamped = interpolated<Space, Real>(grid, on_line, xs, true);
  EXPECT_EQ(clamped.front(), on_line.front());
  EXPECT_EQ(clamped.back(), on_line.back());
  EXPECT_EQ(clamped[2], extrapolated[2]);
}

}  // namespace
