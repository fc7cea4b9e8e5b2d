// SPDX-License-Identifier: BSD-3-Clause
// The points that rays are drawn from, one by one.
#include "random_points.hpp"

#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace parhelion::monte_carlo;
using namespace parhelion::monte_carlo::Impl;

double fraction(std::uint32_t word) { return word * 0x1p-32; }

TEST(RandomPoints, SobolStartsAsPublished) {
  // The sequence of Joe & Kuo (2008), doi:10.1137/070709359, in its plain order, not that of Gray's code.
  double const expected[8][3] = {{0, 0, 0},
                                 {0.5, 0.5, 0.5},
                                 {0.25, 0.75, 0.75},
                                 {0.75, 0.25, 0.25},
                                 {0.125, 0.625, 0.375},
                                 {0.625, 0.125, 0.875},
                                 {0.375, 0.375, 0.625},
                                 {0.875, 0.875, 0.125}};
  for (std::uint32_t i = 0; i < 8; ++i)
    for (int d = 0; d < 3; ++d) EXPECT_EQ(fraction(sobol(i, d)), expected[i][d]) << i << ", " << d;
}

// Whether the first 2^bits points have one in each of the 2^bits slices of every coordinate.
template <class Value>
void expect_one_in_each_slice(int bits, Value const& value) {
  std::uint32_t const n = 1U << bits;
  for (int d = 0; d < 3; ++d) {
    std::vector<int> count(n);
    for (std::uint32_t i = 0; i < n; ++i) ++count[value(i, d) >> (32 - bits)];
    EXPECT_EQ(std::count(count.begin(), count.end(), 1), n) << "coordinate " << d << " of " << n << " points";
  }
}

TEST(RandomPoints, SobolIsStratifiedBeforeAndAfterScrambling) {
  for (int bits : {1, 4, 9, 12}) {
    expect_one_in_each_slice(bits, [](std::uint32_t i, int d) { return sobol(i, d); });
    for (std::uint32_t seed : {0U, 1U, 0x12345678U, 0xffffffffU})
      expect_one_in_each_slice(bits, [&](std::uint32_t i, int d) { return scramble(sobol(i, d), seed + 77U * d); });
  }
  // Pairs of coordinates: one point in each of the boxes 2^-a by 2^-(8 - a) of the first 256, a (0, 8, 2)-net.
  for (int a = 0; a <= 8; ++a) {
    std::set<std::uint32_t> boxes;
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t const x = scramble(sobol(i, 0), 5), y = scramble(sobol(i, 1), 9);
      boxes.insert((a > 0 ? x >> (32 - a) << (8 - a) : 0) | (a < 8 ? y >> (24 + a) : 0));
    }
    EXPECT_EQ(boxes.size(), 256U) << a;
  }
}

TEST(RandomPoints, PermuteIsAPermutation) {
  for (std::uint32_t n = 1; n <= 130; ++n)
    for (std::uint32_t seed : {0U, 1U, 7U, 0xdeadbeefU}) {
      std::vector<int> count(n);
      for (std::uint32_t i = 0; i < n; ++i) {
        auto const to = permute(i, n, seed);
        ASSERT_LT(to, n);
        ++count[to];
      }
      ASSERT_EQ(std::count(count.begin(), count.end(), 1), n) << n << ", seed " << seed;
    }
  for (std::uint32_t n : {1000U, 4096U, 4097U, 65535U}) {
    std::vector<bool> seen(n);
    for (std::uint32_t i = 0; i < n; ++i) seen[permute(i, n, 3)] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), n) << n;
  }
}

TEST(RandomPoints, PermuteSpreadsEveryPlaceEvenly) {
  // Over 4000 seeds a place goes to each of 10 others 400 times, with a standard deviation of 19.
  for (std::uint32_t i = 0; i < 10; ++i) {
    double chi_square = 0;
    std::vector<int> count(10);
    for (std::uint32_t s = 0; s < 4000; ++s) ++count[permute(i, 10, random_block({1, s, 0}, set_scramble, 0).word[0])];
    for (int c : count) chi_square += (c - 400.) * (c - 400.) / 400;
    EXPECT_LT(chi_square, 27.9) << i;  // 99.9 % of 9 degrees of freedom
  }
}

class RandomPointsOfAll : public testing::TestWithParam<Sampling> {};

TEST_P(RandomPointsOfAll, AreUniformInTheMean) {
  // Means of x, x^2 and products of two coordinates over 64 sets of 128 points, and their standard errors over sets.
  constexpr int sets = 64;
  constexpr std::uint32_t n = 128;
  for (bool const wall : {false, true}) {
    double sum[9] = {}, square[9] = {};
    for (std::uint32_t r = 0; r < sets; ++r) {
      double mean[9] = {};
      for (std::uint32_t i = 0; i < n; ++i) {
        auto const p = unit_point(GetParam(), {7, r, 3}, wall, i, n);
        double const x[3] = {p.spectral, p.polar, p.azimuth};
        for (int d = 0; d < 3; ++d) {
          ASSERT_GT(x[d], 0);
          ASSERT_LT(x[d], 1);
          mean[d] += x[d] / n;
          mean[3 + d] += x[d] * x[d] / n;
          mean[6 + d] += x[d] * x[(d + 1) % 3] / n;
        }
      }
      for (int q = 0; q < 9; ++q) {
        sum[q] += mean[q] / sets;
        square[q] += mean[q] * mean[q] / sets;
      }
    }
    for (int q = 0; q < 9; ++q) {
      double const expected = q < 3 ? 1. / 2 : q < 6 ? 1. / 3 : 1. / 4;
      double const error = std::sqrt(std::max(0., square[q] - sum[q] * sum[q]) / (sets - 1));
      EXPECT_NEAR(sum[q], expected, 4 * error + 1e-9) << q << (wall ? ", walls" : ", cells");
    }
  }
}

TEST_P(RandomPointsOfAll, DifferByAllThatTheyAreKeyedBy) {
  auto const point = [](RandomKey const& key, bool wall) { return unit_point(GetParam(), key, wall, 5, 64).azimuth; };
  std::set<double> const all{point({1, 0, 0}, false),        point({2, 0, 0}, false), point({1ULL << 32U, 0, 0}, false),
                             point({1, 1, 0}, false),        point({1, 0, 1}, false), point({1, 0, 0}, true),
                             point({1, 0, everybody}, false)};
  EXPECT_EQ(all.size(), 7U);
  EXPECT_EQ(point({1, 2, 3}, false), point({1, 2, 3}, false));
}

std::string name_of(testing::TestParamInfo<Sampling> const& which) {
  char const* const names[] = {"random", "stratified", "sobol", "kronecker"};
  return names[static_cast<int>(which.param)];
}

INSTANTIATE_TEST_SUITE_P(Samplings, RandomPointsOfAll,
                         testing::Values(Sampling::random, Sampling::stratified, Sampling::sobol, Sampling::kronecker),
                         name_of);

TEST(RandomPoints, StratifiedAndKroneckerHaveOneSpectralPointInEachSlice) {
  for (Sampling const sampling : {Sampling::stratified, Sampling::kronecker})
    for (std::uint32_t n : {1U, 7U, 100U, 512U})
      for (std::uint32_t i = 0; i < n; ++i) {
        double const slice = std::floor(unit_point(sampling, {1, 2, 3}, false, i, n).spectral * n);
        ASSERT_EQ(slice, i) << n;
      }
}

// Sets of n points that continue each other are those of one long set, apart from the first coordinate of Kronecker's
// points, which has one in each slice in every set and is shifted by another amount in each.
TEST(RandomPoints, SetsContinueEachOther) {
  constexpr std::uint32_t n = 24, sets = 5;
  RandomKey const key{3, 1, 4};
  for (bool const wall : {false, true})
    for (std::uint32_t place = 0; place < sets; ++place)
      for (std::uint32_t i = 0; i < n; ++i) {
        for (Sampling const sampling : {Sampling::sobol, Sampling::kronecker}) {
          auto const here = unit_point(sampling, key, wall, i, n, place);
          auto const there = unit_point(sampling, key, wall, place * n + i, sets * n);
          EXPECT_EQ(here.polar, there.polar);
          EXPECT_EQ(here.azimuth, there.azimuth);
          if (sampling == Sampling::sobol) {
            EXPECT_EQ(here.spectral, there.spectral);
          }
          if (sampling == Sampling::kronecker) {
            EXPECT_EQ(std::floor(here.spectral * n), i);
          }
        }
        for (Sampling const sampling : {Sampling::random, Sampling::stratified})
          EXPECT_EQ(unit_point(sampling, key, wall, i, n, place).polar, unit_point(sampling, key, wall, i, n).polar);
      }
  std::vector<double> shifts;
  for (std::uint32_t place = 0; place < 64; ++place)
    shifts.push_back(unit_point(Sampling::kronecker, key, false, 0, n, place).spectral * n);
  std::sort(shifts.begin(), shifts.end());
  for (std::size_t i = 1; i < shifts.size(); ++i) {
    EXPECT_GT(shifts[i] - shifts[i - 1], 0.5 / 64);
    EXPECT_LT(shifts[i] - shifts[i - 1], 2. / 64);
  }
}

TEST(RandomPoints, KroneckerFillsTheUnitInterval) {
  // The largest gap of an additive recurrence is of the order of 1/n: not so for random points, where it is log(n)/n.
  for (std::uint32_t n : {10U, 100U, 1000U, 10000U})
    for (int d = 0; d < 2; ++d) {
      std::vector<double> x;
      for (std::uint32_t i = 0; i < n; ++i) {
        auto const p = unit_point(Sampling::kronecker, {1, 2, 3}, false, i, n);
        x.push_back(d == 0 ? p.polar : p.azimuth);
      }
      std::sort(x.begin(), x.end());
      double gap = x.front() + 1 - x.back();
      for (std::size_t i = 1; i < x.size(); ++i) gap = std::max(gap, x[i] - x[i - 1]);
      EXPECT_LT(gap * n, 6) << n << ", " << d;
    }
}

}  // namespace
