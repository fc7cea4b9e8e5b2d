// SPDX-License-Identifier: BSD-3-Clause
// The same bits however the work is divided: among ranks, threads and parts of repetitions, left and continued.
#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include "small_table.hpp"
#include "solver_testing.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using namespace parhelion::Testing;

TYPED_TEST_SUITE(MonteCarloSolver, SpacesAndReals, PairName);

TYPED_TEST(MonteCarloSolver, ComesOutTheSameHoweverItIsDivided) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto problem = uneven(Spectrum::narrow_band(small_table()));
  for (auto& side : problem.boundaries) side.emissivity = 1;
  for (Directions const directions : all_directions) {
    Options options;
    options.directions = directions;
    options.rays = 3 * 40;
    options.repetitions = 3;
    auto const whole = solved<ExecutionSpace, Real>(problem, options);
    ASSERT_NO_THROW(validate(whole, problem));
    auto const again = solved<ExecutionSpace, Real>(problem, options);
    expect_same_bits(whole, again, "again");
    auto const chunks = solved<ExecutionSpace, Real>(problem, options, {}, 1);
    expect_same_bits(whole, chunks, "one repetition, then two");

    // 60 cells and 94 faces in parts that cut through packs of neighbours.
    ExecutionSpace const space;
    std::size_t const end = 60 + 2 * (12 + 15 + 20);
    for (auto const& cuts : {std::vector<std::size_t>{0, 1, 60, end}, {0, 7, 33, 59, 61, 64, 100, end}, {0, 67, end}}) {
      auto const pieces = make_results(problem);
      for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
        auto solver =
            make_solver<ExecutionSpace, Real>(space, problem, options, {.begin = cuts[c], .end = cuts[c + 1]});
        solver.accumulate(space, 3);
        solver.fetch(space, pieces);
      }
      expect_same_bits(whole, pieces, "in " + std::to_string(cuts.size() - 1) + " parts", true);
      if (cuts[1] < 60) {
        EXPECT_EQ(largest(pieces.q_box_error), 0) << "an error of a part of the cells";
      }
    }

    auto first = make_solver<ExecutionSpace, Real>(space, problem, options);
    auto second = make_solver<ExecutionSpace, Real>(space, problem, options);
    first.accumulate(space, 2);
    auto const sums = first.accumulators(space);
    EXPECT_EQ(sums.repetitions, 2);
    second.resume(space, sums);
    second.accumulate(space, 1);
    EXPECT_EQ(second.repetitions(), 3);
    auto const resumed = make_results(problem);
    second.fetch(space, resumed);
    expect_same_bits(whole, resumed, "resumed");
    first.restart(space);
    first.accumulate(space, 3);
    first.fetch(space, resumed);
    expect_same_bits(whole, resumed, "restarted");

    options.seed = 2;
    auto const other = solved<ExecutionSpace, Real>(problem, options);
    int same = 0;
    for (std::size_t i = 0; i < whole.q.size(); ++i) same += whole.q.data()[i] == other.q.data()[i];
    EXPECT_LE(same, 1) << "with another seed";
  }
}

// Reflections are drawn, too: by whom they are computed must not count.
TYPED_TEST(MonteCarloSolver, ReflectionsComeOutTheSameHoweverTheyAreDivided) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const problem = uneven(Spectrum::grey(0.5));
  Options options;
  options.rays = 2 * 20;
  options.repetitions = 2;
  ExecutionSpace const space;
  auto const whole = solved<ExecutionSpace, Real>(problem, options);
  auto const pieces = make_results(problem);
  for (auto const& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 5}, {5, 42}, {42, 71}, {71, 154}}) {
    auto solver = make_solver<ExecutionSpace, Real>(space, problem, options, {.begin = begin, .end = end});
    solver.accumulate(space, 2);
    solver.fetch(space, pieces);
  }
  expect_same_bits(whole, pieces, "in parts", true);
}

// Parts of the cells, on whatever ranks, make the averages of the whole: their sums are exact.
TYPED_TEST(MonteCarloSolver, PlanesOfPartsAddUpToTheBit) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const problem = uneven(Spectrum::grey(0.5));
  Options options;
  options.rays = 3 * 20;
  options.repetitions = 3;
  ExecutionSpace const space;
  auto const whole = solved<ExecutionSpace, Real>(problem, options);
  std::size_t const cuts[] = {0, 5, 42, 71, 154};
  std::vector<std::int64_t> sum;
  std::vector<ReciprocalMonteCarlo<ExecutionSpace, Real>> solvers;
  for (std::size_t part = 0; part < 4; ++part) {
    solvers.push_back(
        make_solver<ExecutionSpace, Real>(space, problem, options, {.begin = cuts[part], .end = cuts[part + 1]}));
    while (!solvers.back().advance(space, 3, 1)) {
    }
    auto const averages = solvers.back().plane_averages(space);
    sum.resize(averages.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += averages[i];
  }
  EXPECT_EQ(sum.size(), 3U * 12);
  auto const pieces = make_results(problem);
  for (auto& solver : solvers) {
    solver.complete(space, sum);
    solver.fetch(space, pieces);
  }
  expect_same_bits(whole, pieces, "in parts");
  EXPECT_GT(whole.q_box_error(0), 0);
  EXPECT_EQ(message_of([&] { solvers[0].complete(space, sum); }),
            "monte_carlo::ReciprocalMonteCarlo: 36 averages over planes, expected 12 of each of 0 repetitions");
}

TYPED_TEST(MonteCarloSolver, ThreadsDoNotChangeABit) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  if constexpr (std::is_constructible_v<ExecutionSpace, int>) {  // from a number of threads
    auto const problem = uneven(Spectrum::weighted_sum_of_grey_gases());
    Options options;
    options.rays = 2 * 32;
    options.repetitions = 2;
    auto const all = solved<ExecutionSpace, typename TypeParam::Real>(problem, options);
    for (int threads = 1; threads <= std::min(4, ExecutionSpace().concurrency()); ++threads) {
      ExecutionSpace const space(threads);
      auto solver = make_solver<ExecutionSpace, typename TypeParam::Real>(space, problem, options);
      auto const results = make_results(problem);
      solver.accumulate(space, 2);
      solver.fetch(space, results);
      expect_same_bits(all, results, std::to_string(threads) + " threads");
    }
  } else {
    GTEST_SKIP() << "no threads to choose";
  }
}

// A repetition can be left between any two of its rays: after any number of the smallest parts, and by any shares.
TYPED_TEST(MonteCarloSolver, GoesOnFromWithinARepetitionToTheSameBits) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Problem problem;
  problem.grid.faces = {uniform_faces(13, 1), uniform_faces(12, 1), uniform_faces(11, 1)};
  problem.temperature = HostArray<double***>("temperature", 13, 12, 11);
  for (std::size_t i = 0; i < problem.temperature.size(); ++i)
    problem.temperature.data()[i] = 700 + 50 * std::sin(static_cast<double>(i));
  problem.spectrum = Spectrum::grey(1);
  for (auto& side : problem.boundaries) side.temperature = 600;
  problem.boundaries[1].emissivity = 0.5;
  ExecutionSpace const space;
  for (Directions const directions : all_directions) {
    Options options;
    options.directions = directions;
    // Ordered points depend on the ray before.
    options.sampling = directions == Directions::independent ? Sampling::random : Sampling::kronecker;
    options.ray_origin = directions == Directions::shared ? RayOrigin::centre : RayOrigin::volume;
    options.rays = 3 * 5;
    options.repetitions = 3;
    auto const whole = solved<ExecutionSpace, Real>(problem, options);
    auto parts = make_solver<ExecutionSpace, Real>(space, problem, options);
    bool stopped_inside = false;
    int part = 0;
    double before = 0;
    parts.accumulate(space, 1);
    for (bool ended = false; !ended; ++part) {
      ended = parts.advance(space, 2, 0);
      ASSERT_LT(part, 100000);
      ASSERT_GT(parts.unfinished_fraction(), before) << "a part that does nothing";
      before = parts.unfinished_fraction();
      EXPECT_EQ(ended, before == 1);
      if (part % 16 != 3 && !ended) continue;
      auto const sums = parts.accumulators(space);
      EXPECT_EQ(sums.repetitions, 1);
      EXPECT_EQ(sums.unfinished, 2);
      stopped_inside = stopped_inside || (!ended && std::adjacent_find(sums.rays.begin(), sums.rays.end(),
                                                                       std::not_equal_to<>()) != sums.rays.end());
      auto const on = [&](auto const& rest) {
        auto other = make_solver<ExecutionSpace, Real>(space, problem, options);
        other.resume(space, sums);
        rest(other);
        EXPECT_EQ(other.repetitions(), 3);
        auto const results = make_results(problem);
        other.fetch(space, results);
        expect_same_bits(whole, results, "after part " + std::to_string(part));
      };
      on([&](auto& other) { other.accumulate(space, 2); });
      // One of the two that have begun ends alone, the other one begins anew.
      on([&](auto& other) {
        other.accumulate(space, 1);
        EXPECT_EQ(other.repetitions(), 2);
        other.accumulate(space, 1);
      });
      on([&](auto& other) {
        while (!other.advance(space, 2, 0.01)) {
        }
        other.complete(space);
      });
    }
    // A device takes all of so few cells at a time.
    EXPECT_TRUE(stopped_inside || !runs_on_host<ExecutionSpace>);
    parts.complete(space);
    auto const results = make_results(problem);
    parts.fetch(space, results);
    expect_same_bits(whole, results, "in parts");
  }
}

}  // namespace
