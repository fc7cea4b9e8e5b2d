// SPDX-License-Identifier: BSD-3-Clause
// Properties of sources and fluxes without reference data, and calls of the solver.
#include <parhelion/core/constants.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include "comparisons.hpp"
#include "small_table.hpp"
#include "solver_testing.hpp"
#include "step_counts.hpp"
#include "testing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using namespace parhelion::Testing;

using Space = Kokkos::DefaultExecutionSpace;

TYPED_TEST_SUITE(MonteCarloSolver, SpacesAndReals, PairName);

double power(double temperature) { return constants::stefan_boltzmann * std::pow(temperature, 4); }

// Nothing is emitted but what is absorbed. Each segment of a ray adds a difference of two sources that are the same but
// for an interpolation whose weight may be rounded in another way: a few ulps of the emission.
TYPED_TEST(MonteCarloSolver, NothingHappensAtOneTemperature) {
  using Real = typename TypeParam::Real;
  for (auto const& spectrum :
       {Spectrum::grey(2), Spectrum::weighted_sum_of_grey_gases(), Spectrum::narrow_band(small_table())})
    for (double const temperature : {550., 623.}) {
      auto const problem = enclosure(spectrum, temperature);
      Options options;
      options.rays = 128;
      options.repetitions = 2;
      auto const r = solved<typename TypeParam::ExecutionSpace, Real>(problem, options);
      double const rounding = 16 * std::numeric_limits<Real>::epsilon();
      double const emission = 4 * spectrum.planck_mean(temperature) * power(temperature);
      EXPECT_LE(largest(r.q), rounding * emission) << spectrum.name() << ", " << temperature << " K";
      for (auto const& flux : r.wall_flux)
        EXPECT_LE(largest(flux), rounding * power(temperature)) << spectrum.name() << ", " << temperature << " K";
      // 4 sigma T^4, less what is outside the bands: from few rays.
      double incident = 0;
      for (int s = 0; s < spectrum.npoint(); ++s) incident += 4 * std::acos(-1.) * spectrum.source(s, temperature);
      for (std::size_t i = 0; i < r.incident.size(); ++i)
        ASSERT_NEAR(r.incident.data()[i], incident, 0.15 * incident) << spectrum.name();
    }
}

TYPED_TEST(MonteCarloSolver, NothingHappensAtOneTemperatureFromAnywhere) {
  using Real = typename TypeParam::Real;
  auto const problem = enclosure(Spectrum::narrow_band(small_table()), 623);
  Options options;
  options.rays = 128;
  options.repetitions = 2;
  options.ray_origin = RayOrigin::volume;
  double const rounding = 16 * std::numeric_limits<Real>::epsilon();
  for (auto const which : {Directions::shared, Directions::independent}) {
    options.directions = which;
    auto const r = solved<typename TypeParam::ExecutionSpace, Real>(problem, options);
    EXPECT_LE(largest(r.q), rounding * 4 * problem.spectrum.planck_mean(623) * power(623));
    for (auto const& flux : r.wall_flux) EXPECT_LE(largest(flux), rounding * power(623));
  }
}

TEST(MonteCarloSteps, FollowSharesThatAreAbsorbed) {
  Problem problem;
  problem.grid.faces = {uniform_faces(8, 1), uniform_faces(8, 1), uniform_faces(8, 1)};
  problem.temperature = HostArray<double***>("temperature", 8, 8, 8);
  parhelion::assign_array(problem.temperature, 550.);
  problem.temperature(3, 4, 5) = 700;
  problem.spectrum = Spectrum::grey(2);
  problem.pressure = 2 * reference_pressure;
  Options options;
  std::vector<double> const width{0.01, 0.02, 0.04, 0.08};
  options.first_steps = 3;
  EXPECT_EQ(monte_carlo::Impl::step_counts(problem, monte_carlo::Impl::numbers_of(problem), options, width),
            (std::vector<int>{3, 6, 12, 12}));
  // ln(1 / 0.7) / (4 * 0.01) = 8.9, ln(0.7 / 0.2) / (4 * 0.02) = 15.7, and no fewer than one.
  options.absorbed[0] = 0.3;
  options.absorbed[1] = 0.5;
  options.absorbed[2] = 1e-4;
  EXPECT_EQ(monte_carlo::Impl::step_counts(problem, monte_carlo::Impl::numbers_of(problem), options, width),
            (std::vector<int>{8, 15, 1}));
  problem.spectrum = Spectrum::grey(0);
  for (int const steps :
       monte_carlo::Impl::step_counts(problem, monte_carlo::Impl::numbers_of(problem), options, width))
    EXPECT_GE(steps, 4096);

  // At 700 K absorption coefficients are 21, 22; 121, 122; 221, 222, with weights 0.625 and 0.375.
  problem.spectrum = Spectrum::narrow_band(small_table());
  problem.mole_fraction = HostArray<double***>("mole_fraction", 8, 8, 8);
  parhelion::assign_array(problem.mole_fraction, 0.25);
  EXPECT_DOUBLE_EQ(
      monte_carlo::Impl::absorption_for_steps(problem, monte_carlo::Impl::numbers_of(problem), AbsorbedBy::largest),
      0.5 * 221.375);
  EXPECT_DOUBLE_EQ(
      monte_carlo::Impl::absorption_for_steps(problem, monte_carlo::Impl::numbers_of(problem), AbsorbedBy::planck),
      0.5 * problem.spectrum.planck_mean(700));
  // Bands at 500, 1500 and 2500 cm-1 emit such that the mean wavenumber is nearest to the second or third one.
  double emission = 0;
  double moment = 0;
  for (int band = 0; band < 3; ++band)
    for (int g = 0; g < 2; ++g) {
      double const here = problem.spectrum.absorption(2 * band + g, 700) * problem.spectrum.source(2 * band + g, 700);
      emission += here;
      moment += here * (500 + 1000 * band);
    }
  int const nearest = static_cast<int>(std::lround((moment / emission - 500) / 1000));
  EXPECT_DOUBLE_EQ(
      monte_carlo::Impl::absorption_for_steps(problem, monte_carlo::Impl::numbers_of(problem), AbsorbedBy::band),
      0.5 * (21.375 + 100 * nearest));
}

// Few steps or many, results are the same but for what coarse cells leave out.
TEST(MonteCarloSteps, DoNotChangeResults) {
  auto const problem = io::built_in_case("case02", {.cells = {64, 4, 4}, .stretch = 0});
  Options options;
  options.rays = 4096;
  options.grids = 1;
  auto const fine = solved<Space, double>(problem, options);
  double const scale = largest(fine.q);
  auto const differ = [&] {
    auto const other = solved<Space, double>(problem, options);
    double most = 0;
    for (std::size_t i = 0; i < fine.q.size(); ++i)
      most = std::max(most, std::abs(other.q.data()[i] - fine.q.data()[i]));
    return most / scale;
  };
  options.grids = 0;
  EXPECT_LT(differ(), 5e-4);
  options.absorbed[0] = 0.05;
  EXPECT_LT(differ(), 5e-4);
  EXPECT_GT(differ(), 0) << "rays crossed the finest cells only";
  options.absorbed[1] = 0.05;
  options.absorbed_by = AbsorbedBy::largest;
  EXPECT_LT(differ(), 5e-4);
}

// The net emission of all cells leaves the box through its walls.
TEST(MonteCarloEnergy, LeavesThroughTheWalls) {
  constexpr int n = 12;
  Problem problem;
  problem.grid.faces = {uniform_faces(n, 1), stretched_faces(n, 1, 0.5), uniform_faces(n, 1)};
  problem.temperature = HostArray<double***>("temperature", n, n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        problem.temperature(i, j, k) = 800 + 200 * std::cos(3 * problem.grid.centre(0, i)) +
                                       100 * problem.grid.centre(1, j) - 50 * problem.grid.centre(2, k);
  problem.spectrum = Spectrum::weighted_sum_of_grey_gases();
  for (std::size_t side = 0; side < 6; ++side) {
    problem.boundaries[side].temperature = 400 + 100 * static_cast<double>(side);
    problem.boundaries[side].emissivity = 1 - 0.1 * static_cast<double>(side);
  }
  Options options;
  options.directions = Directions::independent;
  options.sampling = Sampling::sobol;
  options.repetitions = 4;
  options.rays = 4 * 64;
  auto const r = solved<Space, double>(problem, options);
  double gas = 0, walls = 0, variance = 0, emission = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        double const volume = problem.grid.width(0, i) * problem.grid.width(1, j) * problem.grid.width(2, k);
        gas += r.q(i, j, k) * volume;
        emission += 4 * problem.spectrum.planck_mean(problem.temperature(i, j, k)) *
                    power(problem.temperature(i, j, k)) * volume;
        variance += std::pow(r.q_error(i, j, k) * volume, 2);
      }
  for (int side = 0; side < 6; ++side)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        int const first = side / 2 == 0 ? 1 : 0;
        int const second = side / 2 == 2 ? 1 : 2;
        double const area = problem.grid.width(first, i) * problem.grid.width(second, j);
        auto const s = static_cast<std::size_t>(side);
        walls += (side % 2 == 1 ? 1 : -1) * r.wall_flux[s](i, j) * area;
        variance += std::pow(r.wall_flux_error[s](i, j) * area, 2);
      }
  // Cells of 1/12 m: what a cell emits or absorbs is that of its centre.
  EXPECT_NEAR(gas, walls, 3 * std::sqrt(variance) + 0.005 * emission) << "of " << emission << " W emitted";
  EXPECT_LT(std::sqrt(variance), 0.005 * emission);
}

// Absorption is proportional to mole fraction and pressure: the same rays through the same optical depths, which are
// rounded in another way. 60 cells at most, of rays of 100 segments: 1e-12 is plenty.
TEST(MonteCarloAmount, ScalesAbsorption) {
  Options options;
  options.rays = 2 * 64;
  options.repetitions = 2;
  auto problem = enclosure(Spectrum::grey(1), 600);
  for (int i = 0; i < 5; ++i) problem.temperature(i, i % 4, i % 3) = 500 + 100 * i;
  auto thin = problem;
  thin.spectrum = Spectrum::grey(0.5);
  auto const expected = compute_sources(thin, options);
  auto const near = [&](Problem const& other, char const* what) {
    auto const r = compute_sources(other, options);
    for (std::size_t i = 0; i < r.q.size(); ++i)
      ASSERT_NEAR(r.q.data()[i], expected.q.data()[i], 1e-12 * largest(expected.q)) << what;
    for (std::size_t i = 0; i < r.wall_flux[0].size(); ++i)
      ASSERT_NEAR(r.wall_flux[0].data()[i], expected.wall_flux[0].data()[i], 1e-12 * power(900)) << what;
  };
  auto half = problem;
  half.mole_fraction = HostArray<double***>("mole_fraction", 5, 4, 3);
  parhelion::assign_array(half.mole_fraction, 0.5);
  near(half, "mole fraction");
  auto rare = problem;
  rare.pressure = reference_pressure / 2;
  near(rare, "pressure");
  auto both = half;
  parhelion::assign_array(both.mole_fraction, 0.25);
  both.pressure = 2 * reference_pressure;
  near(both, "mole fraction and pressure");
  // Without absorbing gas there is neither emission nor absorption.
  parhelion::assign_array(half.mole_fraction, 0);
  EXPECT_EQ(largest(compute_sources(half, options).q), 0);
}

// Devices have kernels of their own for a composition that is one number.
TYPED_TEST(MonteCarloSolver, AnArrayOfOneCompositionGivesTheBitsOfTheNumber) {
  using Space = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  Options options;
  options.rays = 64;
  options.repetitions = 2;
  auto problem = enclosure(Spectrum::weighted_sum_of_grey_gases(), 600);
  for (int i = 0; i < 5; ++i) problem.temperature(i, i % 4, i % 3) = 500 + 100 * i;
  for (auto const directions : {Directions::tiles, Directions::independent}) {
    options.directions = directions;
    problem.mole_fraction = {};
    auto const number = solved<Space, Real>(problem, options);
    problem.mole_fraction = HostArray<double***>("mole_fraction", 5, 4, 3);
    parhelion::assign_array(problem.mole_fraction, 1.0);
    expect_same_bits(solved<Space, Real>(problem, options), number, "an array");
    // It is used at all: most cells have less gas.
    for (std::size_t i = 0; i < 40; ++i) problem.mole_fraction.data()[i] = 0.5;
    EXPECT_GT(largest(number.q), 0);
    EXPECT_FALSE(same_bits(solved<Space, Real>(problem, options).q, number.q));
  }
}

// A slab with `axis` between its walls; nonuniform cells.
Problem turned_slab(std::size_t axis, double stretch) {
  constexpr int n = 24;
  auto const of_x = io::built_in_case("wall_grey_lin1_e0.5_1", {.cells = {n, 2, 2}, .stretch = stretch});
  Problem problem;
  problem.spectrum = of_x.spectrum;
  for (std::size_t a = 0; a < 3; ++a) {
    std::size_t const from = a == axis ? 0 : a == 0 ? axis : a;
    problem.grid.faces[a] = of_x.grid.faces[from];
    for (std::size_t end = 0; end < 2; ++end) problem.boundaries[2 * a + end] = of_x.boundaries[2 * from + end];
  }
  problem.temperature =
      HostArray<double***>("temperature", problem.grid.ncell(0), problem.grid.ncell(1), problem.grid.ncell(2));
  for (int i = 0; i < problem.grid.ncell(0); ++i)
    for (int j = 0; j < problem.grid.ncell(1); ++j)
      for (int k = 0; k < problem.grid.ncell(2); ++k)
        problem.temperature(i, j, k) = of_x.temperature(axis == 0 ? i : axis == 1 ? j : k, 0, 0);
  return problem;
}

TEST(MonteCarloOrientation, DoesNotMatter) {
  Options options;
  options.directions = Directions::independent;
  options.sampling = Sampling::sobol;
  options.repetitions = 16;
  options.rays = 16 * 64;
  for (double const stretch : {0., 1.5}) {
    auto const x = measure(turned_slab(0, stretch), options, 0);
    double scale = 0;
    for (double each : x.value) scale = std::max(scale, std::abs(each));
    for (std::size_t axis = 1; axis < 3; ++axis) {
      auto const other = measure(turned_slab(axis, stretch), options, axis);
      double chi_square = 0;
      for (std::size_t i = 0; i < x.value.size(); ++i) {
        double const error = std::hypot(x.error[i], other.error[i]);
        // Student's t of 16 repetitions: beyond 4.5 once in 10 000.
        EXPECT_NEAR(other.value[i], x.value[i], 4.5 * error) << axis_names[axis] << " " << i;
        EXPECT_LT(error, 0.01 * scale);
        chi_square += std::pow((other.value[i] - x.value[i]) / error, 2);
      }
      EXPECT_LT(chi_square / static_cast<double>(x.value.size()), 2.2) << axis_names[axis] << ", stretch " << stretch;
      for (int end = 0; end < 2; ++end)
        EXPECT_NEAR(other.flux[end], x.flux[end], 4.5 * std::hypot(x.flux_error[end], other.flux_error[end]));
    }
  }
}

// Two black plates with nothing between, of which one is a chessboard: each face gets what the other plate's faces
// send.
TEST(MonteCarloWalls, FacesHaveTheirOwnTemperatures) {
  Problem problem;
  problem.grid.faces = {uniform_faces(2, 1), uniform_faces(4, 1), uniform_faces(4, 1)};
  problem.temperature = HostArray<double***>("temperature", 2, 4, 4);
  parhelion::assign_array(problem.temperature, 700);
  problem.spectrum = Spectrum::grey(1e-9);
  for (std::size_t side = 2; side < 6; ++side) problem.boundaries[side].type = BoundaryType::periodic;
  problem.boundaries[0].temperature = 500;
  problem.boundaries[1].face_temperature = HostArray<double**>("faces", 4, 4);
  double mean = 0;
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < 4; ++k) {
      double const t = 600 + 100 * ((j + k) % 2);
      problem.boundaries[1].face_temperature(j, k) = t;
      mean += power(t) / 16;
    }
  Options options;
  options.directions = Directions::independent;
  options.sampling = Sampling::sobol;
  options.repetitions = 16;
  options.rays = 16 * 128;
  auto const r = compute_sources(problem, options);
  Mean low;
  for (int j = 0; j < 4; ++j)
    for (int k = 0; k < 4; ++k) {
      // Towards the lower wall: what the plate sends less what comes from the other one, which is the same everywhere.
      double const t = problem.boundaries[1].face_temperature(j, k);
      EXPECT_NEAR(r.wall_flux[1](j, k), power(500) - power(t), 5 * r.wall_flux_error[1](j, k) + 1e-4 * power(t));
      low.add(r.wall_flux[0](j, k));
    }
  EXPECT_NEAR(low.value(), power(500) - mean, 4 * low.error());
}

TEST(MonteCarloWalls, MirrorsTakeNothing) {
  auto problem = uneven(Spectrum::grey(1));
  problem.boundaries[4].emissivity = 0;
  problem.boundaries[4].temperature = 3000;  // is not seen
  Options options;
  options.rays = 2 * 64;
  options.repetitions = 2;
  auto const r = compute_sources(problem, options);
  EXPECT_EQ(largest(r.wall_flux[4]), 0);
  EXPECT_GT(largest(r.wall_flux[5]), 0);
  problem.boundaries[4].temperature = 0;
  auto const cold = compute_sources(problem, options);
  for (std::size_t i = 0; i < r.q.size(); ++i)
    ASSERT_NEAR(cold.q.data()[i], r.q.data()[i], 1e-5 * largest(r.q)) << "of the temperature of a mirror";
  // In a box of mirrors gas of one temperature keeps it.
  auto mirrors = enclosure(Spectrum::grey(1), 800);
  for (auto& side : mirrors.boundaries) side.emissivity = 0;
  EXPECT_LE(largest(compute_sources(mirrors, options).q), 1e-12 * 4 * power(800));
}

TEST(MonteCarloTemperature, ChangesFromCallToCall) {
  auto const problem = uneven(Spectrum::narrow_band(small_table()));
  auto other = problem;
  other.temperature = HostArray<double***>("temperature", 5, 4, 3);
  for (std::size_t i = 0; i < 60; ++i) other.temperature.data()[i] = 1220 - problem.temperature.data()[i];
  Options options;
  options.rays = 2 * 64;
  options.repetitions = 2;
  // Tables and the distribution of spectral points are those of all temperatures.
  options.coldest = 500;
  options.warmest = 700;
  Space const space;
  auto solver = make_solver<Space, double>(space, problem, options);
  auto const results = make_results(problem), anew = make_results(problem);
  solver.set_temperature(space, other.temperature);
  solver.accumulate(space, 2);
  solver.fetch(space, results);
  auto fresh = make_solver<Space, double>(space, other, options);
  fresh.accumulate(space, 2);
  fresh.fetch(space, anew);
  expect_same_bits(anew, results, "set");
  EXPECT_EQ(message_of([&] { solver.set_temperature(space, HostArray<double***>("t", 2, 2, 2)); }),
            "monte_carlo::ReciprocalMonteCarlo: temperature has shape (2, 2, 2), expected (5, 4, 3)");
}

// One call with everything on the device is the steps one by one.
TYPED_TEST(MonteCarloSolver, SolveIsTheStepsAtOnce) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const problem = uneven(Spectrum::narrow_band(small_table()));
  Options options;
  options.rays = 2 * 64;
  options.repetitions = 2;
  ExecutionSpace const space;
  auto solver = make_solver<ExecutionSpace, Real>(space, problem, options);
  MonteCarloInput<Kokkos::DefaultHostExecutionSpace> host;
  host.temperature = problem.temperature;
  auto input = make_device_arrays<MonteCarloInput<ExecutionSpace, Real>>(space, host);
  auto const result = make_device_arrays<Results<ExecutionSpace, Real>>(space, make_results(problem));
  auto const steps = make_results(problem);
  // Previous contents do not matter.
  for (int const first : {5, 0}) {
    input.first_repetition = first;
    solver.solve(space, input, result);
    EXPECT_TRUE(solver.status(space).good());
    auto other = make_solver<ExecutionSpace, Real>(space, problem, options);
    other.restart(space, first);
    other.accumulate(space, 2);
    other.fetch(space, steps);
    HostResults::for_each_array(
        [&](ArrayDescription const& description, auto const& expected, auto const& on_device) {
          auto const found = parhelion::host_copy(on_device);
          ASSERT_EQ(found.size(), expected.size());
          for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_EQ(found.data()[i], static_cast<Real>(expected.data()[i])) << description.name << ", " << i;
        },
        steps, result);
  }
  input.repetitions = -1;
  EXPECT_EQ(message_of([&] { solver.solve(space, input, result); }),
            "monte_carlo::ReciprocalMonteCarlo: repetitions = -1, expected 0 or more");
}

// Host arrays of another precision, with the first index fastest and gaps in between.
TYPED_TEST(MonteCarloSolver, TakesHostArraysOfAnyKind) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  using Real = typename TypeParam::Real;
  auto const problem = uneven(Spectrum::grey(1));
  Options options;
  options.rays = 2 * 32;
  options.repetitions = 2;
  ExecutionSpace const space;
  Kokkos::View<float***, Kokkos::LayoutLeft, Kokkos::HostSpace> const block("block", 7, 4, 3);
  auto const temperature = Kokkos::subview(block, std::make_pair(1, 6), Kokkos::ALL, Kokkos::ALL);
  auto rounded = problem;
  rounded.temperature = HostArray<double***>("rounded", 5, 4, 3);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 3; ++k)
        rounded.temperature(i, j, k) = temperature(i, j, k) = static_cast<float>(600.3 + 0.7 * i - 0.3 * j + 1.1 * k);
  options.coldest = 500;
  options.warmest = 700;
  // Tables and the choice of spectral points are those of the problem that the solver is made from.
  auto solver = make_solver<ExecutionSpace, Real>(space, problem, options);
  auto const expected = make_results(problem);
  solver.set_temperature(space, rounded.temperature);
  solver.accumulate(space, 2);
  solver.fetch(space, expected);

  solver.restart(space);
  solver.set_temperature(space, temperature);
  solver.accumulate(space, 2);
  std::vector<ArrayRef> wanted(19);
  Kokkos::View<float***, Kokkos::LayoutLeft, Kokkos::HostSpace> const q_block("q_block", 6, 5, 3);
  auto const q = Kokkos::subview(q_block, std::make_pair(0, 5), std::make_pair(1, 5), Kokkos::ALL);
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const flux("flux", 5, 3);
  wanted[0] = array_ref(q);
  wanted[7 + 3] = array_ref(flux);
  solver.fetch(space, wanted);
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 4; ++j) ASSERT_EQ(q(i, j, k), static_cast<float>(expected.q(i, j, k)));
      ASSERT_EQ(flux(i, k), expected.wall_flux[3](i, k));
    }
  for (int j = 0; j < 5; ++j)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(q_block(5, j, k), 0) << "written beside the array";
  wanted[0] = {};
  EXPECT_NE(message_of([&] { solver.fetch(space, wanted); }).find("q_radiative has"), std::string::npos);
}

// A temperature that is not a number is named, whatever results make of it.
TYPED_TEST(MonteCarloSolver, NamesTemperaturesThatAreNotFinite) {
  using ExecutionSpace = typename TypeParam::ExecutionSpace;
  auto const problem = uneven(Spectrum::grey(1));
  ExecutionSpace const space;
  auto solver = make_solver<ExecutionSpace, typename TypeParam::Real>(space, problem, {});
  HostArray<double***> const temperature("temperature", 5, 4, 3);
  parhelion::assign_array(temperature, problem.temperature);
  temperature(4, 0, 2) = std::numeric_limits<double>::quiet_NaN();
  temperature(3, 1, 0) = std::numeric_limits<double>::infinity();
  solver.set_temperature(space, temperature);
  EXPECT_EQ(solver.status(space).first_not_finite, (3 * 4 + 1) * 3 + 0);
  solver.set_temperature(space, problem.temperature);
  EXPECT_TRUE(solver.status(space).good());
}

// Cells of different widths: sums over them and over faces are weighted by volumes and areas.
TEST(MonteCarloResults, Summary) {
  Problem problem;
  problem.grid.faces = {std::vector<double>{0, 1, 3}, uniform_faces(1, 2), uniform_faces(1, 5)};
  problem.temperature = HostArray<double***>("temperature", 2, 1, 1);
  problem.boundaries[2].type = problem.boundaries[3].type = BoundaryType::periodic;
  problem.boundaries[4].type = problem.boundaries[5].type = BoundaryType::periodic;
  auto results = make_results(problem);
  results.q(0, 0, 0) = 3;
  results.q(1, 0, 0) = -4;
  results.q_error(0, 0, 0) = 0.3;
  results.q_error(1, 0, 0) = 0.4;
  results.wall_flux[0](0, 0) = 2;  // into the box
  results.wall_flux[1](0, 0) = -3;
  results.q_plane_error[0](0) = 3;
  results.q_plane_error[0](1) = 4;
  results.q_plane_error[2](0) = 7;
  results.q_box_error(0) = 2;
  auto const summary = summarize(results, problem);
  EXPECT_EQ(summary.largest_q, 4);
  ASSERT_TRUE(summary.plane_error);
  EXPECT_EQ(*summary.plane_error, (std::array<double, 3>{std::sqrt(12.5), 0, 7}));
  EXPECT_EQ(summary.box_error, 2);
  EXPECT_DOUBLE_EQ(summary.rms_error, std::sqrt(0.125));
  EXPECT_DOUBLE_EQ(summary.relative_error(), 25 * std::sqrt(0.125));
  EXPECT_DOUBLE_EQ(summary.net_emission, 3 * 10 - 4 * 20);
  ASSERT_TRUE(summary.outflow);
  EXPECT_DOUBLE_EQ(*summary.outflow, -3 * 10 - 2 * 10);
  results.wall_flux = {};
  results.q_box_error = {};
  EXPECT_FALSE(summarize(results, problem).outflow);
  EXPECT_FALSE(summarize(results, problem).plane_error);
  parhelion::assign_array(results.q, 0.);
  EXPECT_EQ(summarize(results, problem).relative_error(), 0);
}

}  // namespace
