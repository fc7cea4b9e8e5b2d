// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/subcolumns.hpp>

#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::fluxes;
using parhelion::Testing::message_of;

constexpr Overlap overlaps[] = {Overlap::random, Overlap::maximum_random, Overlap::maximum, Overlap::exponential,
                                Overlap::exponential_random};

// Layers from the surface up.
std::vector<double> const fractions{0.3, 0.5, 0, 0.4, 1, 0.2};
std::vector<double> const correlations{0.75, 0.25, 0.5, 0.625, 0.5, 0};

template <class Space, class Real>
HostArray<std::uint8_t***> draw(Overlap overlap, int ncol, std::uint64_t seed = 1, std::uint32_t first_column = 0) {
  Space const space;
  int const nlay = static_cast<int>(fractions.size());
  Array<Real**, Space> const fraction("fraction", ncol, nlay), correlation("correlation", ncol, nlay);
  auto const fill = [&](auto const& to, std::vector<double> const& values) {
    auto const host = Kokkos::create_mirror_view(to);
    for (int c = 0; c < ncol; ++c)
      for (int k = 0; k < nlay; ++k) host(c, k) = static_cast<Real>(values[static_cast<std::size_t>(k)]);
    parhelion::assign_array(to, host);
  };
  fill(fraction, fractions);
  fill(correlation, correlations);
  Array<std::uint8_t***, Space> const cloudy("cloudy", ncol, nlay, ngpt);
  draw_subcolumns(space, overlap, seed, first_column, fraction, correlation, cloudy);
  space.fence();
  HostArray<std::uint8_t***> const result("cloudy", ncol, nlay, ngpt);
  auto const mirror = parhelion::host_copy(cloudy);
  std::copy(mirror.data(), mirror.data() + mirror.size(), result.data());
  return result;
}

template <class Pair>
struct SubcolumnTest : testing::Test {};
TYPED_TEST_SUITE(SubcolumnTest, Testing::SpacesAndReals, Testing::PairName);

constexpr int many = 1000;  // columns, of 140 subcolumns each

// The share of subcolumns of which something is true.
double share(std::function<bool(int, int)> const& holds) {
  double count = 0;
  for (int c = 0; c < many; ++c)
    for (int g = 0; g < ngpt; ++g) count += holds(c, g);
  return count / (double(many) * ngpt);
}

// What is expected of independent subcolumns, within four standard deviations.
void expect_share(double measured, double expected, std::string const& what) {
  double const sigma = std::sqrt(expected * (1 - expected) / (double(many) * ngpt));
  EXPECT_NEAR(measured, expected, 4.5 * sigma + 1e-6) << what;
}

TYPED_TEST(SubcolumnTest, LayersHaveTheirFractions) {
  for (Overlap const overlap : overlaps) {
    auto const cloudy = draw<typename TypeParam::ExecutionSpace, typename TypeParam::Real>(overlap, many);
    for (int k = 0; k < 6; ++k)
      expect_share(share([&](int c, int g) { return cloudy(c, k, g) != 0; }), fractions[std::size_t(k)],
                   "overlap " + std::to_string(int(overlap)) + ", layer " + std::to_string(k));
  }
}

TYPED_TEST(SubcolumnTest, LayersOverlapAsTheyShould) {
  using Space = typename TypeParam::ExecutionSpace;
  for (Overlap const overlap : overlaps) {
    auto const cloudy = draw<Space, typename TypeParam::Real>(overlap, many);
    // How much of two layers' overlap is maximal: the rest is random.
    auto const maximal = [&](int lower, int upper) {
      double kept = 1;
      for (int k = lower; k < upper; ++k) {
        bool const apart = !(fractions[std::size_t(k)] > 0 && fractions[std::size_t(k) + 1] > 0);
        if (overlap == Overlap::random) kept = 0;
        if (overlap == Overlap::maximum_random && apart) kept = 0;
        if (overlap == Overlap::exponential) kept *= correlations[std::size_t(k)];
        if (overlap == Overlap::exponential_random) kept *= apart ? 0 : correlations[std::size_t(k)];
      }
      return kept;
    };
    for (auto const& [lower, upper] : {std::pair(0, 1), std::pair(1, 3), std::pair(3, 4), std::pair(0, 3)}) {
      double const a = fractions[std::size_t(lower)], b = fractions[std::size_t(upper)], kept = maximal(lower, upper);
      expect_share(share([&, l = lower, u = upper](int c, int g) { return cloudy(c, l, g) && cloudy(c, u, g); }),
                   kept * std::min(a, b) + (1 - kept) * a * b,
                   "overlap " + std::to_string(int(overlap)) + ", layers " + std::to_string(lower) + " and " +
                       std::to_string(upper));
    }
    // Below a layer that is clear, and with it: the cover of the three lowest but for the highest ones.
    double const cover = share([&](int c, int g) { return cloudy(c, 0, g) || cloudy(c, 1, g) || cloudy(c, 3, g); });
    if (overlap == Overlap::random) expect_share(cover, 1 - 0.7 * 0.5 * 0.6, "cover, random");
    if (overlap == Overlap::maximum) expect_share(cover, 0.5, "cover, maximum");
    if (overlap == Overlap::maximum_random) expect_share(cover, 1 - 0.5 * 0.6, "cover, maximum-random");
  }
}

TYPED_TEST(SubcolumnTest, ChunksAndSpacesGiveTheSame) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  for (Overlap const overlap : overlaps) {
    auto const whole = draw<Space, Real>(overlap, 7, 5, 100);
    auto const host = draw<Kokkos::DefaultHostExecutionSpace, double>(overlap, 7, 5, 100);
    auto const part = draw<Space, Real>(overlap, 3, 5, 104);
    auto const other = draw<Space, Real>(overlap, 7, 6, 100);
    std::size_t differ = 0;
    for (int c = 0; c < 7; ++c)
      for (int k = 0; k < 6; ++k)
        for (int g = 0; g < ngpt; ++g) {
          differ += whole(c, k, g) != other(c, k, g);
          ASSERT_EQ(whole(c, k, g), host(c, k, g)) << c << ' ' << k << ' ' << g;
          if (c >= 4) {
            ASSERT_EQ(whole(c, k, g), part(c - 4, k, g)) << c << ' ' << k << ' ' << g;
          }
        }
    EXPECT_GT(differ, 100U) << "another seed";
  }
}

TEST(Subcolumns, CorrelationFallsWithDistance) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const columns = make_columns<Host, double>(2, 3, 1);
  double const pressure[] = {90000, 60000, 40000};
  for (int c = 0; c < 2; ++c)
    for (int k = 0; k < 3; ++k) {
      columns.pressure_lay(c, k) = pressure[k];
      columns.temperature_lev(c, k) = 290 - 20 * k;
    }
  Array<double*, Host> const length("length", 2);
  length(0) = 2500;
  length(1) = 1000;
  Array<double**, Host> const alpha("alpha", 2, 3);
  overlap_correlation(Host(), columns, length, alpha);
  Host().fence();
  // The thickness of isothermal air of 270 K between 900 and 600 hPa is 3.2 km.
  double const distance = 287.05 / 9.8066 * 270 * std::log(1.5);
  EXPECT_NEAR(distance, 3204, 1);
  EXPECT_NEAR(alpha(0, 0), std::exp(-distance / 2500), 1e-12);
  EXPECT_NEAR(alpha(1, 0), std::exp(-distance / 1000), 1e-12);
  EXPECT_NEAR(alpha(0, 1), std::exp(-287.05 / 9.8066 * 250 * std::log(1.5) / 2500), 1e-12);
  EXPECT_EQ(alpha(0, 2), 0);
}

TEST(Subcolumns, DecorrelationLengthGoesWithTheSun) {
  EXPECT_NEAR(decorrelation_length(0, 91), 1000 * (1.4315 + 2.1219), 0.1);
  EXPECT_NEAR(decorrelation_length(0, 272), 1000 * (1.4315 + 2.1219), 0.1);
  EXPECT_NEAR(decorrelation_length(90, 91), 1431.5, 1);
  EXPECT_GT(decorrelation_length(20, 181), decorrelation_length(-20, 181));
  EXPECT_GT(decorrelation_length(-20, 1), decorrelation_length(20, 1));
}

TEST(Subcolumns, OverlapsHaveNames) {
  EXPECT_EQ(overlap_of("maximum-random"), Overlap::maximum_random);
  EXPECT_EQ(overlap_of("exponential"), Overlap::exponential);
  for (auto const& name : fluxes::overlap_names()) EXPECT_EQ(fluxes::name_of(overlap_of(name)), name);
  EXPECT_NE(message_of([] { overlap_of("minimum"); }).find("'minimum', expected random, maximum-random"),
            std::string::npos);
}

}  // namespace
