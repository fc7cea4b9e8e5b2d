// SPDX-License-Identifier: BSD-3-Clause
// Calls with everything on the host: stopped and continued, their memory, and options and shares that are refused.
#include <parhelion/core/copies.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include "small_table.hpp"
#include "solver_testing.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using namespace parhelion::Testing;

using Space = Kokkos::DefaultExecutionSpace;

TEST(MonteCarloHost, StopsAndSavesWithinARepetition) {
  auto const problem = uneven(Spectrum::grey(1));
  Options options;
  options.rays = 2 * 64;
  options.repetitions = 2;
  auto const whole = compute_sources(problem, options);
  HostMonteCarloReport report;
  HostMonteCarloOptions host;
  host.part_seconds = 0;
  host.checkpoint_seconds = 0;
  int saved = 0;
  host.on_checkpoint = [&](Checkpoint const& checkpoint) { saved += checkpoint.accumulators.unfinished > 0 ? 1 : 0; };
  int prepared = 0;
  host.on_prepared = [&] { ++prepared; };
  for (double const stop_at : {0.01, 0.5, 0.99, 1.3, 1.999}) {
    double told = 0;
    host.progress = [&](double done, int all) {
      EXPECT_GT(done, told);
      EXPECT_EQ(all, 2);
      told = done;
      return done < stop_at;
    };
    saved = prepared = 0;
    compute_sources(problem, options, host, &report);
    EXPECT_EQ(prepared, 1);
    EXPECT_GT(saved, 0);
    EXPECT_EQ(report.repetitions, static_cast<int>(told));
    EXPECT_EQ(report.checkpoint.accumulators.unfinished, told < 2 && told != 1 ? 1 : 0);
    EXPECT_GT(report.crossings, 154. * 64 * told);
    HostMonteCarloOptions on;
    on.resume = report.checkpoint;
    expect_same_bits(whole, compute_sources(problem, options, on, &report), "stopped at " + std::to_string(told));
    EXPECT_EQ(report.repetitions, 2);
    EXPECT_LT(report.crossings_of_this_run, report.crossings);
  }
}

// However long a repetition is, those who are asked do not wait long.
TEST(MonteCarloHost, AsksOftenWithinALongRepetition) {
  auto const problem = uneven(Spectrum::grey(1));
  Options options;
  options.rays = 2 * (1 << 28);
  options.repetitions = 2;
  HostMonteCarloOptions host;
  host.part_seconds = 0.1;
  int asked = 0;
  Kokkos::Timer timer;
  double longest = 0;
  host.progress = [&](double done, int) {
    EXPECT_LT(done, 1);
    longest = std::max(longest, timer.seconds());
    timer.reset();
    return ++asked < 10;
  };
  HostMonteCarloReport report;
  host.on_prepared = [&] { timer.reset(); };
  compute_sources(problem, options, host, &report);
  EXPECT_EQ(report.repetitions, 0);
  EXPECT_EQ(report.checkpoint.accumulators.unfinished, 1);
  // Of hours; on a machine that has much else to do, too.
  EXPECT_LT(longest, 30);
}

TEST(MonteCarloHost, GoesOnFromSumsToTheSameBits) {
  auto problem = uneven(Spectrum::grey(1));
  Options options;
  options.rays = 4 * 32;
  options.repetitions = 4;
  HostMonteCarloReport report;
  auto const whole = compute_sources(problem, options, {}, &report);
  EXPECT_EQ(report.repetitions, 4);
  EXPECT_GT(report.crossings, 154. * 128);
  EXPECT_GT(report.device_bytes, 0U);
  // However fast the machine is: the first question of each run comes after one repetition, as long as that is shorter
  // than a part. How many there are between later ones goes by the time that they took.
  HostMonteCarloOptions one;
  one.part_seconds = 1e6;
  int asked = 0;
  one.progress = [&](double done, int all) {
    EXPECT_EQ(done, ++asked);
    EXPECT_EQ(all, 4);
    return false;
  };
  for (int repetitions = 1; repetitions < 4; ++repetitions) {
    compute_sources(problem, options, one, &report);
    EXPECT_EQ(report.repetitions, repetitions);
    EXPECT_EQ(report.checkpoint.accumulators.unfinished, 0);
    EXPECT_EQ(asked, repetitions);
    HostMonteCarloOptions on;
    on.resume = report.checkpoint;
    expect_same_bits(whole, compute_sources(problem, options, on, &report), "resumed");
    EXPECT_EQ(report.repetitions, 4);
    one.resume = on.resume;
  }

  // Repetitions until the error is small enough.
  HostMonteCarloOptions until;
  until.target_error = 1;
  auto const precise = compute_sources(problem, options, until, &report);
  double square = 0;
  for (std::size_t i = 0; i < precise.q.size(); ++i) square += std::pow(precise.q_error.data()[i], 2);
  EXPECT_LE(std::sqrt(square / 60), 0.01 * largest(precise.q));
  EXPECT_GE(report.repetitions, 4);
}

TEST(MonteCarloHost, KnowsItsMemoryBeforehand) {
  for (Precision const precision : {Precision::float32, Precision::float64})
    for (Directions const directions : all_directions)
      for (bool const mixed : {false, true}) {
        auto problem = uneven(Spectrum::narrow_band(small_table()));
        if (mixed) {
          problem.mole_fraction = HostArray<double***>("mole_fraction", 5, 4, 3);
          parhelion::assign_array(problem.mole_fraction, 0.5);
        }
        Options options;
        options.rays = 4 * 16;
        options.repetitions = 4;
        options.directions = directions;
        HostMonteCarloOptions host;
        host.precision = precision;
        auto const need = plan_sources(problem, options, host);
        HostMonteCarloReport report;
        auto const expected = compute_sources(problem, options, host, &report);
        // Kokkos counts what it rounds up.
        EXPECT_EQ(need.device_bytes, report.device_bytes);
        EXPECT_GT(need.host_bytes, 0U);
        EXPECT_EQ(count_items(problem, options), 154U);
        options.nodes = need.nodes;
        expect_same_bits(expected, compute_sources(problem, options, host), "with the nodes that were found");
      }
}

TEST(MonteCarloSolverChecks, RefuseShares) {
  auto const problem = uneven(Spectrum::grey(1));
  auto const refusal = [&](ItemRange const& items) {
    return message_of([&] { make_solver<Space, double>(Space(), problem, {}, items); });
  };
  EXPECT_EQ(refusal({.begin = 5, .end = 5}),
            "monte_carlo::ReciprocalMonteCarlo: items 5 to 5, expected a part of 0 to 154");
  EXPECT_EQ(refusal({.begin = 0, .end = 155}),
            "monte_carlo::ReciprocalMonteCarlo: items 0 to 155, expected a part of 0 to 154");
  auto solver = make_solver<Space, double>(Space(), problem, {});
  Accumulators sums;
  sums.sum = HostArray<double**>("sums", 4, 3);
  auto const refusal_of_sums = [&] { return message_of([&] { solver.resume(Space(), sums); }); };
  EXPECT_EQ(refusal_of_sums(), "monte_carlo::ReciprocalMonteCarlo: sums of shape (4, 3), expected (4, 154)");
  sums.sum = HostArray<double**>("sums", 4, 154);
  sums.planes = HostArray<double**>("planes", 2, 12);
  EXPECT_EQ(refusal_of_sums(), "monte_carlo::ReciprocalMonteCarlo: sums of planes of shape (2, 12), expected (2, 13)");
  sums.planes = {};
  sums.unfinished = 2;
  EXPECT_EQ(refusal_of_sums(),
            "monte_carlo::ReciprocalMonteCarlo: rays of 0 cells and faces in 2 unfinished repetitions, expected 154");
  sums.rays.assign(154, 1);
  EXPECT_EQ(refusal_of_sums(),
            "monte_carlo::ReciprocalMonteCarlo: sums of unfinished repetitions of shape (0, 0, 0), expected (2, "
            "4, 154)");
  sums.unfinished_sum = HostArray<double***>("unfinished_sum", 2, 4, 154);
  sums.rays[7] = 513;
  EXPECT_EQ(refusal_of_sums(), "monte_carlo::ReciprocalMonteCarlo: rays(7) = 513, expected 0 to 512");
  sums.rays[7] = 512;
  EXPECT_NO_THROW(solver.resume(Space(), sums));
  EXPECT_EQ(message_of([&] { solver.complete(Space()); }),
            "monte_carlo::ReciprocalMonteCarlo: repetitions are unfinished, expected all of their rays to have been "
            "followed");
}

TEST(MonteCarloOptions, AreChecked) {
  EXPECT_NO_THROW(validate(Options{}));
  auto const refusal = [](auto const& spoil) {
    Options options;
    spoil(options);
    return message_of([&] { validate(options); });
  };
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal([](Options& o) { o.repetitions = 1; }),
            "validate: repetitions = 1, expected two or more: their scatter is the error");
  EXPECT_EQ(refusal([](Options& o) { o.rays = 7; }), "validate: rays = 7, expected no fewer than repetitions");
  EXPECT_EQ(refusal([](Options& o) { o.rays = (1 << 30) + 1; }),
            "validate: rays = 1073741825, expected no more than 2^30");
  EXPECT_EQ(refusal([&](Options& o) { o.saturation = nan; }), "validate: saturation = nan, expected a finite length");
  EXPECT_EQ(refusal([](Options& o) { o.window_share = 1; }), "validate: window_share = 1, expected [0, 1)");
  EXPECT_EQ(refusal([](Options& o) { o.window_share = -0.1; }), "validate: window_share = -0.1, expected [0, 1)");
  EXPECT_EQ(refusal([](Options& o) { o.grids = -1; }), "validate: grids = -1, expected 0 to 12");
  EXPECT_EQ(refusal([](Options& o) { o.grids = 13; }), "validate: grids = 13, expected 0 to 12");
  EXPECT_EQ(refusal([](Options& o) { o.first_steps = 0; }), "validate: first_steps = 0, expected 1 to 1024");
  EXPECT_EQ(refusal([](Options& o) { o.tolerance = 0; }), "validate: tolerance = 0, expected (0, 1)");
  EXPECT_EQ(refusal([](Options& o) { o.tolerance = 1; }), "validate: tolerance = 1, expected (0, 1)");
  EXPECT_EQ(refusal([](Options& o) { o.nodes = 1; }), "validate: nodes = 1, expected 0 or 2 to 65536");
  EXPECT_EQ(refusal([](Options& o) { o.coldest = -1; }), "validate: coldest = -1, expected a temperature");
  EXPECT_EQ(refusal([&](Options& o) { o.warmest = nan; }), "validate: warmest = nan, expected a temperature");
}

TEST(MonteCarloOptions, ThatAreRefusedStopEverything) {
  Options options;
  options.tolerance = 2;
  auto const problem = uneven(Spectrum::grey(1));
  EXPECT_EQ(message_of([&] { compute_sources(problem, options); }), "validate: tolerance = 2, expected (0, 1)");
  EXPECT_EQ(message_of([&] { make_solver<Space, double>(Space(), problem, options); }),
            "validate: tolerance = 2, expected (0, 1)");
  HostMonteCarloOptions host;
  host.target_error = -1;
  EXPECT_EQ(message_of([&] { compute_sources(problem, {}, host); }),
            "compute_sources: target_error = -1 %, expected a finite number >= 0");
}

}  // namespace
