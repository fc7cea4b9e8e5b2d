// SPDX-License-Identifier: BSD-3-Clause
// Devices that share the cells of a box compute the same bits as one. Where there are not as many, instances stand for
// them: several on a device, or of single threads of a host.
#include <parhelion/core/device.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include "comparisons.hpp"
#include "run_repetitions.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using parhelion::Testing::message_of;
using parhelion::Testing::PairName;
using parhelion::Testing::same_bits;
using parhelion::Testing::SpacesAndReals;

// 60 cells and 54 faces of walls, of gas and walls of many temperatures.
Problem small_box() {
  Problem problem;
  problem.grid.faces = {uniform_faces(5, 1), stretched_faces(4, 1, 1), uniform_faces(3, 1)};
  problem.temperature = HostArray<double***>("temperature", 5, 4, 3);
  for (std::size_t i = 0; i < problem.temperature.size(); ++i)
    problem.temperature.data()[i] = 700 + 100 * std::sin(static_cast<double>(i));
  problem.boundaries[0].temperature = 900;
  problem.boundaries[3].face_temperature = HostArray<double**>("faces", 5, 3);
  for (std::size_t i = 0; i < 15; ++i) problem.boundaries[3].face_temperature.data()[i] = 500 + 25. * i;
  problem.boundaries[4].type = problem.boundaries[5].type = BoundaryType::periodic;
  return problem;
}
constexpr std::size_t items_of_box = 5 * 4 * 3 + 2 * 4 * 3 + 2 * 5 * 3;

Options few_rays() {
  Options options;
  options.rays = 3 * 32;
  options.repetitions = 3;
  return options;
}

template <class Space>
std::vector<Space> instances(int n) {
  std::vector<Space> result;
  if constexpr (!runs_on_host<Space>) {
    int const devices = number_of_devices<Space>();
    auto const all = instances_on_devices(Space(), devices, n);
    for (int i = 0; i < n; ++i)
      result.push_back(all[static_cast<std::size_t>(i % devices)][static_cast<std::size_t>(i)]);
  } else if constexpr (std::is_constructible_v<Space, int>) {  // from a number of threads
    for (int i = 0; i < n; ++i) result.push_back(Space(1));
  } else {
    result.resize(static_cast<std::size_t>(n));
  }
  return result;
}

template <class P>
struct MonteCarloDevices : testing::Test {
  using Space = typename P::ExecutionSpace;
  using Real = typename P::Real;

  static HostMonteCarloOptions host() {
    HostMonteCarloOptions result;
    result.space = Space::name();
    result.precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
    return result;
  }

  /// compute_sources() on so many instances.
  static HostResults computed(int n, Problem const& problem, Options const& options, HostMonteCarloOptions const& host,
                              HostMonteCarloReport* report = nullptr) {
    auto results = make_results(problem);
    if (!options.walls) results.wall_flux = results.wall_flux_error = {};
    HostMonteCarloReport own;
    monte_carlo::Impl::run_repetitions<Space, Real>(instances<Space>(n), problem, options, host,
                                                    monte_carlo::Impl::SingleProcess{}, results, own);
    if (report != nullptr) *report = own;
    return results;
  }
};
TYPED_TEST_SUITE(MonteCarloDevices, SpacesAndReals, PairName);

void expect_same(HostResults const& a, HostResults const& b, std::string const& what) {
  HostResults::for_each_array([&](ArrayDescription const& description, auto const& x,
                                  auto const& y) { EXPECT_TRUE(same_bits(x, y)) << what << ": " << description.name; },
                              a, b);
}

TYPED_TEST(MonteCarloDevices, GiveTheBitsOfOne) {
  auto const problem = small_box();
  for (Directions const directions : {Directions::independent, Directions::shared, Directions::tiles})
    for (bool const walls : {true, false}) {
      auto options = few_rays();
      options.directions = directions;
      options.walls = walls;
      HostMonteCarloReport alone, together;
      auto const expected = compute_sources(problem, options, this->host(), &alone);
      EXPECT_EQ(alone.devices, 1);
      for (int const n : {1, 2, 3, 7}) {
        auto const what = std::to_string(n) + " devices";
        expect_same(expected, this->computed(n, problem, options, this->host(), &together), what);
        EXPECT_EQ(together.devices, n);
        EXPECT_EQ(together.repetitions, 3);
        EXPECT_EQ(together.crossings, alone.crossings) << what;
        EXPECT_EQ(together.reached_error, alone.reached_error) << what;
        EXPECT_TRUE(same_bits(together.checkpoint.accumulators.sum, alone.checkpoint.accumulators.sum)) << what;
        EXPECT_TRUE(same_bits(together.checkpoint.accumulators.planes, alone.checkpoint.accumulators.planes)) << what;
        // Each has all grids and tables, and a part of the sums.
        EXPECT_TRUE(n == 1 ? together.device_bytes == alone.device_bytes : together.device_bytes < alone.device_bytes);
      }
    }
}

TYPED_TEST(MonteCarloDevices, AreLeftOutWhereThereAreFewerCells) {
  Problem problem;
  problem.grid.faces = {uniform_faces(2, 1), uniform_faces(1, 1), uniform_faces(1, 1)};
  problem.temperature = HostArray<double***>("temperature", 2, 1, 1);
  problem.temperature(0, 0, 0) = 500;
  problem.temperature(1, 0, 0) = 700;
  for (auto& side : problem.boundaries) side.type = BoundaryType::periodic;
  auto const options = few_rays();
  HostMonteCarloReport report;
  expect_same(compute_sources(problem, options, this->host()),
              this->computed(3, problem, options, this->host(), &report), "two cells");
  EXPECT_EQ(report.devices, 2);
}

// Whoever is asked and told is so by the calling thread; a run that is stopped goes on with any number of devices.
TYPED_TEST(MonteCarloDevices, StopAndGoOnWithAnotherNumber) {
  auto const problem = small_box();
  auto const options = few_rays();
  auto const whole = compute_sources(problem, options, this->host());
  auto host = this->host();
  host.part_seconds = 0;
  host.checkpoint_seconds = 0;
  int asked = 0;
  double told = 0;
  host.progress = [&](double done, int all) {
    EXPECT_GT(done, told);
    EXPECT_EQ(all, 3);
    told = done;
    return ++asked < 5;
  };
  std::optional<Checkpoint> saved;
  host.on_checkpoint = [&](Checkpoint const& checkpoint) { saved = checkpoint; };
  HostMonteCarloReport report;
  this->computed(2, problem, options, host, &report);
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(report.repetitions, 0);  // it has far more parts than five
  EXPECT_EQ(report.checkpoint.accumulators.unfinished, 1);
  EXPECT_NEAR(told, repetitions_in(report.checkpoint.accumulators, 32), 1e-12);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->accumulators.unfinished, 1);
  for (auto const& from : {*saved, report.checkpoint}) {
    auto on = this->host();
    on.resume = from;
    expect_same(whole, compute_sources(problem, options, on), "gone on by one");
    expect_same(whole, this->computed(2, problem, options, on), "gone on by two");
    expect_same(whole, this->computed(3, problem, options, on), "gone on by three");
  }

  // Begun by one, and stopped after a whole repetition.
  host.part_seconds = 1e6;
  host.progress = [](double, int) { return false; };
  compute_sources(problem, options, host, &report);
  EXPECT_EQ(report.repetitions, 1);
  auto on = this->host();
  on.resume = report.checkpoint;
  expect_same(whole, this->computed(2, problem, options, on, &report), "begun by one");
  EXPECT_EQ(report.repetitions, 3);
}

TYPED_TEST(MonteCarloDevices, ReachATargetWithTheSameRepetitions) {
  auto const problem = small_box();
  auto host = this->host();
  host.target_error = 0.5;
  HostMonteCarloReport alone, together;
  auto const expected = compute_sources(problem, few_rays(), host, &alone);
  expect_same(expected, this->computed(2, problem, few_rays(), host, &together), "with a target");
  EXPECT_GT(alone.repetitions, 3);
  EXPECT_EQ(together.repetitions, alone.repetitions);
}

// What one device or a callback throws ends the call, and the next one works.
TYPED_TEST(MonteCarloDevices, EndTogetherWhereOneFails) {
  auto const problem = small_box();
  auto const options = few_rays();
  auto host = this->host();
  host.progress = [](double, int) -> bool { throw std::runtime_error("stopped by progress"); };
  EXPECT_THROW(this->computed(2, problem, options, host), std::runtime_error);

  // The second device gets rays that cannot be.
  host = this->host();
  host.resume.emplace();
  auto& sums = host.resume->accumulators;
  sums.sum = HostArray<double**>("sums", 4, items_of_box);
  sums.unfinished = 1;
  sums.rays.assign(items_of_box, 0);
  sums.unfinished_sum = HostArray<double***>("unfinished", 1, 4, items_of_box);
  sums.rays[items_of_box / 2 + 3] = 33;
  EXPECT_EQ(message_of([&] { this->computed(2, problem, options, host); }),
            "monte_carlo::ReciprocalMonteCarlo: rays(3) = 33, expected 0 to 32");

  expect_same(compute_sources(problem, options, this->host()), this->computed(2, problem, options, this->host()),
              "after failures");
}

// Those that are there.
TYPED_TEST(MonteCarloDevices, AreAnOption) {
  using Space = typename TypeParam::ExecutionSpace;
  auto const problem = small_box();
  auto const options = few_rays();
  auto host = this->host();
  auto const expected = compute_sources(problem, options, host);
  int const there = number_of_devices<Space>();
  HostMonteCarloReport report;
  for (host.devices = 1; host.devices <= there; ++host.devices) {
    auto const need = plan_sources(problem, options, host);
    expect_same(expected, compute_sources(problem, options, host, &report), std::to_string(host.devices) + " devices");
    EXPECT_EQ(report.devices, host.devices);
    EXPECT_EQ(need.devices, host.devices);
    EXPECT_EQ(need.device_bytes, report.device_bytes);
    expect_same(expected, compute_sources(Space(), problem, options, host), "an instance of the caller");
  }
  auto const too_many = "monte_carlo: devices = " + std::to_string(there + 1) + ", expected at most the " +
                        std::to_string(there) + " that " + Space::name() + " has here";
  EXPECT_EQ(message_of([&] { compute_sources(problem, options, host); }), too_many);
  EXPECT_EQ(message_of([&] { compute_sources(Space(), problem, options, host); }), too_many);
  EXPECT_EQ(message_of([&] { plan_sources(problem, options, host); }), too_many);
  EXPECT_THROW(compute_sources(problem, options, host), DeviceError);
  host.devices = -1;
  EXPECT_EQ(message_of([&] { compute_sources(problem, options, host); }),
            "monte_carlo: devices = -1, expected at least 1, or 0 for all");

  // Of all devices one is enough for so few rays.
  host.devices = 0;
  EXPECT_EQ(plan_sources(problem, options, host).devices, 1);
  expect_same(expected, compute_sources(problem, options, host, &report), "all devices");
  EXPECT_EQ(report.devices, 1);
}

}  // namespace
