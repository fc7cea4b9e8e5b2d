// SPDX-License-Identifier: BSD-3-Clause
// What core/ gives to a solver that keeps the contract: calls from host arrays of any kind.
#include <thread>
#include <vector>
#include "toy_host.hpp"

#include <parhelion/core/copies.hpp>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

template <class Pair>
struct ConformanceToyHostDriver : testing::Test {};
TYPED_TEST_SUITE(ConformanceToyHostDriver, SpacesAndReals, PairName);

TYPED_TEST(ConformanceToyHostDriver, GivesWhatTheSolverGives) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const host = host_arrays<Real>(7, 4);
  auto const report = solve<Space, Real>(host);
  EXPECT_EQ(report.done, 7);
  EXPECT_GT(report.solve_seconds, 0);
  EXPECT_GE(report.total_seconds, report.solve_seconds);

  Space const space;
  using S = ToySolver<Space, Real>;
  S solver(space, {}, {7, 4});
  GreyFluxes<Space, Real> const fluxes{Array<Real**, Space>("parhelion::Testing::up", 7, 5),
                                       Array<Real**, Space>("parhelion::Testing::dn", 7, 5)};
  solver.solve(space, grey_columns<Space, Real>(space, 7, 4), fluxes);
  ASSERT_TRUE(solver.status(space).good());
  auto const up = parhelion::host_copy(fluxes.flux_up);
  auto const dn = parhelion::host_copy(fluxes.flux_dn);
  EXPECT_EQ(largest_difference(host.flux_up, up), 0);
  EXPECT_EQ(largest_difference(host.flux_dn, dn), 0);
  EXPECT_EQ(dn(0, 4), 0);
}

TYPED_TEST(ConformanceToyHostDriver, IsothermalColumnsAreInEquilibrium) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const host = host_arrays<Real>(3, 5);
  parhelion::assign_array(host.temperature, Real(270));
  parhelion::assign_array(host.temperature_sfc, Real(270));
  parhelion::assign_array(host.optical_depth, Real(10));
  solve<Space, Real>(host);
  double const black = constants::stefan_boltzmann * std::pow(270., 4);
  double const tolerance = 16 * std::numeric_limits<Real>::epsilon() * black + black * std::exp(-16.6);
  for (int k = 0; k <= 5; ++k) {
    EXPECT_NEAR(host.flux_up(1, k), black, tolerance) << k;
    if (k < 5) {
      EXPECT_NEAR(host.flux_dn(1, k), black, tolerance) << k;
    }
  }
}

TYPED_TEST(ConformanceToyHostDriver, ChunksStreamsAndDevicesChangeNoBit) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const whole = host_arrays<Real>(103, 6);
  solve<Space, Real>(whole);
  for (int const chunk : {1, 10, 50, 102, 103, 1000})
    for (int devices = 1; devices <= number_of_devices<Space>(); ++devices) {
      auto const host = host_arrays<Real>(103, 6);
      auto const report = solve<Space, Real>(host, {.chunk = chunk, .devices = devices});
      EXPECT_EQ(report.plan.chunk, std::min(chunk, 103));
      EXPECT_GT(report.plan.device_bytes, 0U);
      EXPECT_EQ(largest_difference(host.flux_up, whole.flux_up), 0) << chunk;
      EXPECT_EQ(largest_difference(host.flux_dn, whole.flux_dn), 0) << chunk;
    }
}

TYPED_TEST(ConformanceToyHostDriver, StridesAndPrecisionOfArraysAreTheCallers) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const expected = host_arrays<Real>(41, 5);
  solve<Space, Real>(expected, {.chunk = 16});
  auto const expect_same = [&](auto const& host, double tolerance) {
    solve<Space, Real>(host, {.chunk = 16});
    EXPECT_LE(largest_difference(host.flux_up, expected.flux_up), tolerance);
    EXPECT_LE(largest_difference(host.flux_dn, expected.flux_dn), tolerance);
  };
  expect_same(host_arrays<Real, Kokkos::LayoutLeft>(41, 5), 0);
  expect_same(host_arrays<Real, Kokkos::LayoutStride>(41, 5), 0);
  // A flux of 500 W m-2 in single precision; where the arrays are float, temperatures are exact all the same.
  double const rounding = 500 * 8 * std::numeric_limits<float>::epsilon();
  expect_same(host_arrays<float>(41, 5), rounding);
  expect_same(host_arrays<double, Kokkos::LayoutLeft>(41, 5), rounding);
  expect_same(host_arrays<float, Kokkos::LayoutStride>(41, 5), rounding);
}

TYPED_TEST(ConformanceToyHostDriver, ArraysWithTheTopFirstAreReversedReferences) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const expected = host_arrays<Real>(9, 5);
  solve<Space, Real>(expected);
  auto const host = host_arrays<Real>(9, 5);
  for (int c = 0; c < 9; ++c)
    for (int k = 0; k < 5; ++k) {
      host.optical_depth(c, k) = expected.optical_depth(c, 4 - k);
      host.temperature(c, k) = expected.temperature(c, 4 - k);
    }
  std::vector<ConstArrayRef> const input{array_ref(host.optical_depth).reversed(1),
                                         array_ref(host.temperature).reversed(1), array_ref(host.temperature_sfc)};
  std::vector<ArrayRef> const result{array_ref(host.flux_up).reversed(1), array_ref(host.flux_dn).reversed(1)};
  auto driver = make_driver<Space, Real>(input, result, {});
  HostReport report;
  driver.solve(input, result, {}, {}, report);
  for (int c = 0; c < 9; ++c)
    for (int k = 0; k <= 5; ++k) {
      EXPECT_EQ(host.flux_up(c, k), expected.flux_up(c, 5 - k));
      EXPECT_EQ(host.flux_dn(c, k), expected.flux_dn(c, 5 - k));
    }
}

TYPED_TEST(ConformanceToyHostDriver, NamesWhatIsWrong) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto host = host_arrays<Real>(40, 5);
  host.temperature(33, 2) = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(message_of([&] { solve<Space, Real>(host, {.chunk = 8}); }),
            "grey fluxes: the result of column 33 is not finite");
  auto const description = descriptions_of<GreyColumns<Space, Real>>()[1];
  EXPECT_EQ(message_of([&] { check_values("grey fluxes", description, array_ref(host.temperature)); }),
            "grey fluxes: temperature(33, 2) = nan K, expected a positive number");
  host.temperature(33, 2) = 250;
  // The call after one that failed is as good as any.
  auto driver = make_driver<Space, Real>(host.input(), host.result(), {.chunk = 8});
  HostReport report;
  host.temperature(0, 0) = std::numeric_limits<Real>::infinity();
  EXPECT_THROW(driver.solve(host.input(), host.result(), {}, {}, report), Error);
  host.temperature(0, 0) = 250;
  EXPECT_NO_THROW(driver.solve(host.input(), host.result(), {}, {}, report));

  auto const deeper = host_arrays<Real>(40, 6);
  EXPECT_EQ(
      message_of([&] { driver.solve(deeper.input(), deeper.result(), {}, {}, report); }),
      "grey fluxes: optical_depth has 6 in the dimension of layers, expected at most the 5 that this was made for");
  auto bad = host.result();
  bad[1].extents[1] = 4;
  EXPECT_EQ(message_of([&] { driver.solve(host.input(), bad, {}, {}, report); }),
            "grey fluxes: flux_dn has shape (40, 4), expected (40, 6)");
  EXPECT_EQ(message_of([&] { make_driver<Space, Real>(host.input(), host.result(), {.chunk = -1}); }),
            "grey fluxes: chunk = -1, expected at least 1, or 0 for an automatic choice");
}

TYPED_TEST(ConformanceToyHostDriver, WhatIsNotFiniteMayBeTheCallersAffair) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const expected = host_arrays<Real>(40, 5);
  solve<Space, Real>(expected);
  auto const host = host_arrays<Real>(40, 5);
  host.temperature(33, 2) = std::numeric_limits<Real>::quiet_NaN();
  auto driver = make_driver<Space, Real>(host.input(), host.result(), {.chunk = 8}, Space(), false);
  HostReport report;
  driver.solve(host.input(), host.result(), {}, {}, report);
  EXPECT_EQ(report.done, 40);
  EXPECT_TRUE(std::isnan(host.flux_up(33, 5)));
  EXPECT_EQ(host.flux_up(39, 5), expected.flux_up(39, 5));
}

TYPED_TEST(ConformanceToyHostDriver, CanBeStopped) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const expected = host_arrays<Real>(40, 5);
  solve<Space, Real>(expected);
  auto const host = host_arrays<Real>(40, 5);
  HostOptions options{.chunk = 8};
  options.progress = [](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(all, 40);
    return done < 16;
  };
  auto const report = solve<Space, Real>(host, options);
  EXPECT_EQ(report.done, 16);
  for (int c = 0; c < 40; ++c) EXPECT_EQ(host.flux_up(c, 5), c < 16 ? expected.flux_up(c, 5) : 0) << c;
}

// Each thread of a caller has a solver, on an instance of its own.
TYPED_TEST(ConformanceToyHostDriver, ThreadsOfACallerHaveOneEach) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const expected = host_arrays<Real>(64, 8);
  solve<Space, Real>(expected);
  std::vector<Space> const instances{another_instance<Space>(), another_instance<Space>()};
  std::vector<HostArrays<Real, Kokkos::LayoutRight>> hosts{host_arrays<Real>(64, 8), host_arrays<Real>(64, 8)};
  std::vector<HostDriver<ToySolver<Space, Real>>> drivers;
  for (std::size_t t = 0; t < 2; ++t)
    drivers.push_back(make_driver<Space, Real>(hosts[t].input(), hosts[t].result(), {.chunk = 8}, instances[t]));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      HostReport report;
      for (int i = 0; i < 20; ++i) drivers[t].solve(hosts[t].input(), hosts[t].result(), {}, {}, report);
    });
  for (auto& thread : threads) thread.join();
  for (auto const& host : hosts) EXPECT_EQ(largest_difference(host.flux_up, expected.flux_up), 0);
}

}  // namespace
