// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/constants.hpp>
#include <parhelion/core/copies.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/narrow_band_files.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include "comparisons.hpp"
#include "small_table.hpp"
#include "step_counts.hpp"
#include "testing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using parhelion::Testing::message_of;
using parhelion::Testing::PairName;
using parhelion::Testing::same_bits;
using parhelion::Testing::small_table;
using parhelion::Testing::SpacesAndReals;

using Space = Kokkos::DefaultExecutionSpace;

constexpr Sampling samplings[] = {Sampling::random, Sampling::stratified, Sampling::sobol, Sampling::kronecker};
constexpr char const* sampling_names[] = {"random", "stratified", "sobol", "kronecker"};
constexpr Directions all_directions[] = {Directions::independent, Directions::shared, Directions::tiles};
constexpr char const* directions_names[] = {"independent", "shared", "tiles"};

Spectrum const& steam(std::string const& path) {
  static std::optional<Spectrum> spectrum;
  if (!spectrum) {
    spectrum = Spectrum::narrow_band(io::read_narrow_band(path));
    Kokkos::push_finalize_hook([] { spectrum.reset(); });  // it holds arrays of Kokkos
  }
  return *spectrum;
}

double power(double temperature) { return constants::stefan_boltzmann * std::pow(temperature, 4); }

// A box between walls all around, of cells of different widths.
Problem enclosure(Spectrum const& spectrum, double temperature) {
  Problem problem;
  problem.grid.faces = {stretched_faces(5, 1, 1), uniform_faces(4, 0.5), stretched_faces(3, 2, 0.5)};
  problem.temperature = HostArray<double***>("temperature", 5, 4, 3);
  parhelion::assign_array(problem.temperature, temperature);
  problem.spectrum = spectrum;
  for (std::size_t side = 0; side < 6; ++side) {
    problem.boundaries[side].temperature = temperature;
    problem.boundaries[side].emissivity = 1 - 0.15 * static_cast<double>(side);
  }
  // A wall of faces with a temperature each.
  problem.boundaries[3].face_temperature = HostArray<double**>("faces", 5, 3);
  parhelion::assign_array(problem.boundaries[3].face_temperature, temperature);
  return problem;
}

// The same with gas and walls of all temperatures from 550 to 690 K, and a different composition in each cell.
Problem uneven(Spectrum const& spectrum) {
  auto problem = enclosure(spectrum, 600);
  problem.mole_fraction = HostArray<double***>("mole_fraction", 5, 4, 3);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 3; ++k) {
        problem.temperature(i, j, k) = 550 + 25 * i + 10 * j - 5 * k;
        problem.mole_fraction(i, j, k) = 0.2 + 0.1 * ((i + 2 * j + 3 * k) % 7);
      }
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 3; ++k) problem.boundaries[3].face_temperature(i, k) = 550 + 20 * i + 30 * k;
  return problem;
}

template <class P>
struct MonteCarloSolver : testing::Test {};
TYPED_TEST_SUITE(MonteCarloSolver, SpacesAndReals, PairName);

template <class ExecutionSpace, class Real>
ReciprocalMonteCarlo<ExecutionSpace, Real> make_solver(ExecutionSpace const& space, Problem const& problem,
                                                       Options const& options, ItemRange const& items = {}) {
  using Solver = ReciprocalMonteCarlo<ExecutionSpace, Real>;
  return Solver(space, DeviceProblem<ExecutionSpace, Real>(space, problem, options),
                Solver::capacity_for(problem, options, items));
}

template <class ExecutionSpace, class Real>
HostResults solved(Problem const& problem, Options const& options, ItemRange const& items = {}, int chunk = 0) {
  ExecutionSpace const space;
  auto solver = make_solver<ExecutionSpace, Real>(space, problem, options, items);
  auto const results = make_results(problem);
  if (chunk > 0) solver.accumulate(space, chunk);
  solver.accumulate(space, options.repetitions - chunk);
  solver.fetch(space, results);
  return results;
}

// Errors of averages over planes are not known in parts.
void expect_same_bits(HostResults const& a, HostResults const& b, std::string const& what, bool in_parts = false) {
  for (std::size_t axis = 0; !in_parts && axis < 3; ++axis)
    EXPECT_TRUE(same_bits(a.q_plane_error[axis], b.q_plane_error[axis])) << what << ": planes across " << axis;
  EXPECT_TRUE(in_parts || same_bits(a.q_box_error, b.q_box_error)) << what << ": box";
  EXPECT_TRUE(same_bits(a.q, b.q)) << what << ": q";
  EXPECT_TRUE(same_bits(a.q_error, b.q_error)) << what << ": q_error";
  EXPECT_TRUE(same_bits(a.incident, b.incident)) << what << ": incident";
  for (std::size_t side = 0; side < 6; ++side) {
    EXPECT_TRUE(same_bits(a.wall_flux[side], b.wall_flux[side])) << what << ": wall_flux." << side_names[side];
    EXPECT_TRUE(same_bits(a.wall_flux_error[side], b.wall_flux_error[side]))
        << what << ": wall_flux_error." << side_names[side];
  }
}

template <class View>
double largest(View const& array) {
  double result = 0;
  for (std::size_t i = 0; i < array.size(); ++i) result = std::max(result, std::abs(array.data()[i]));
  return result;
}

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

// Profiles along an axis: means over planes of cells, and their standard errors from repetitions.
struct Measured {
  std::vector<double> value, error;
  double flux[2], flux_error[2];  // at the two walls
};

struct Mean {
  double sum = 0, square = 0;
  int n = 0;

  void add(double x) {
    sum += x;
    square += x * x;
    ++n;
  }
  double value() const { return sum / n; }
  double error() const { return std::sqrt(std::max(0., square / n - value() * value()) / (n - 1)); }
};

// Each repetition is drawn anew and averaged over planes before errors are taken.
Measured measure(Problem const& problem, Options const& options, std::size_t axis = 0) {
  Space const space;
  auto solver = make_solver<Space, double>(space, problem, options);
  auto const results = make_results(problem);
  int const n[3] = {problem.grid.ncell(0), problem.grid.ncell(1), problem.grid.ncell(2)};
  std::vector<Mean> profile(static_cast<std::size_t>(n[axis]));
  Mean flux[2];
  for (int r = 0; r < options.repetitions; ++r) {
    solver.restart(space, r);
    solver.accumulate(space, 1);
    solver.fetch(space, results);
    std::vector<double> plane(profile.size());
    for (int i = 0; i < n[0]; ++i)
      for (int j = 0; j < n[1]; ++j)
        for (int k = 0; k < n[2]; ++k)
          plane[static_cast<std::size_t>(axis == 0 ? i : axis == 1 ? j : k)] += results.q(i, j, k);
    double const size = static_cast<double>(problem.grid.size()) / n[axis];
    for (std::size_t i = 0; i < profile.size(); ++i) profile[i].add(plane[i] / size);
    for (std::size_t end = 0; end < 2; ++end) {
      auto const& faces = results.wall_flux[2 * axis + end];
      double sum = 0;
      for (std::size_t i = 0; i < faces.size(); ++i) sum += faces.data()[i];
      flux[end].add(sum / static_cast<double>(faces.size()));
    }
  }
  Measured measured;
  for (auto const& each : profile) {
    measured.value.push_back(each.value());
    measured.error.push_back(each.error());
  }
  for (int end = 0; end < 2; ++end) {
    measured.flux[end] = flux[end].value();
    measured.flux_error[end] = flux[end].error();
  }
  return measured;
}

// A column of references.h5 between its points, by cubics through four neighbours.
struct Reference {
  std::vector<double> x, q, wall;
  double scale = 0;

  Reference(std::string const& path, std::string const& name) {
    io::Hdf5File const file(path);
    x = file.read(name + "/x");
    q = file.read(name + "/Q");
    wall = file.number_attribute(name, "q_wall").value_or(std::vector<double>{});
    for (double each : q) scale = std::max(scale, std::abs(each));
  }

  double at(double place) const {
    auto const above = std::upper_bound(x.begin(), x.end(), place) - x.begin();
    auto const first = std::clamp<std::ptrdiff_t>(above - 2, 0, static_cast<std::ptrdiff_t>(x.size()) - 4);
    double sum = 0;
    for (auto i = first; i < first + 4; ++i) {
      double weight = 1;
      for (auto j = first; j < first + 4; ++j)
        if (j != i) weight *= (place - x[j]) / (x[i] - x[j]);
      sum += weight * q[i];
    }
    return sum;
  }
};

struct SlabCase {
  char const* name;
  bool grey;
  int rays;  // of a cell and repetition
  // Errors of cells of 1/64 of the slab without scatter: of max|Q|, and of the largest flux at a wall.
  double discretisation, flux_discretisation;
};

void PrintTo(SlabCase const& which, std::ostream* out) { *out << which.name; }

class MonteCarloReference : public testing::TestWithParam<SlabCase> {};

TEST_P(MonteCarloReference, SlabIsMet) {
  PARHELION_REQUIRE_DATA(references, "mc/references.h5");
  PARHELION_REQUIRE_DATA(table, "mc/h2o_nbck.h5");
  auto const& which = GetParam();
  std::optional<Spectrum> spectrum;
  if (!which.grey) spectrum = steam(table);
  auto const problem = io::built_in_case(which.name, {.cells = {64, 2, 2}, .stretch = 0}, spectrum);
  Options options;
  options.sampling = Sampling::sobol;
  options.directions = Directions::independent;
  options.repetitions = 16;
  options.rays = 16 * which.rays;
  auto const measured = measure(problem, options);
  Reference const reference(references, which.name);
  double scatter = 0;
  int beyond = 0;
  for (std::size_t i = 0; i < measured.value.size(); ++i) {
    double const off = measured.value[i] - reference.at(problem.grid.centre(0, static_cast<int>(i)));
    // Student's t of 16 repetitions is beyond 3 once in 110 cells, beyond 4.5 once in 2400.
    double const rest = std::abs(off) - which.discretisation * reference.scale;
    beyond += rest > 3 * measured.error[i];
    EXPECT_LE(rest, 4.5 * measured.error[i])
        << "cell " << i << ": off by " << 100 * off / reference.scale << " % of max|Q|, standard error "
        << 100 * measured.error[i] / reference.scale << " %";
    scatter = std::max(scatter, measured.error[i] / reference.scale);
  }
  EXPECT_LE(beyond, 1) << "cells beyond 3 standard errors";
  ASSERT_EQ(reference.wall.size(), 2U);
  double const flux = std::max(std::abs(reference.wall[0]), std::abs(reference.wall[1]));
  for (std::size_t end = 0; end < 2; ++end)
    EXPECT_NEAR(measured.flux[end], reference.wall[end],
                3 * measured.flux_error[end] + which.flux_discretisation * flux)
        << "wall " << end << ", standard error " << measured.flux_error[end];
  EXPECT_LT(scatter, 0.002);
}

INSTANTIATE_TEST_SUITE_P(Cases, MonteCarloReference,
                         testing::Values(SlabCase{"case01_grey_lin1_black", true, 128, 0.001, 0.001},
                                         SlabCase{"case02_grey_parab1_black", true, 128, 0.001, 0.001},
                                         SlabCase{"case05_h2o_iso1000_L0.1", false, 512, 0.001, 0.001},
                                         SlabCase{"case10_h2o_parab1_black", false, 512, 0.001, 0.001},
                                         SlabCase{"wall_grey_lin1_e0.1_0.1", true, 128, 0.001, 0.001},
                                         SlabCase{"wall_grey_parab1_e0_1", true, 128, 0.001, 0.001},
                                         SlabCase{"wall_grey_lin1_e0.5_1", true, 256, 0.001, 0.001},
                                         SlabCase{"wall_h2o_lin500_1000_e0_1", false, 1024, 0.001, 0.001},
                                         SlabCase{"wall_h2o_parab1_e0.5_1", false, 512, 0.001, 0.001},
                                         SlabCase{"wall_h2o_parab1_e0.1_0.1", false, 512, 0.001, 0.001}),
                         [](auto const& which) {
                           std::string name = which.param.name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// In cells as wide as these, the mean of a cell is not what the source is in its centre; nor do centres add up to what
// leaves at the walls.
TEST(MonteCarloLaunch, VolumeGivesMeansOfCells) {
  PARHELION_REQUIRE_DATA(references, "mc/references.h5");
  constexpr int n = 8;
  auto const problem = io::built_in_case("case02", {.cells = {n, 2, 2}, .stretch = 0});
  Reference const reference(references, "case02_grey_parab1_black");
  Options options;
  options.sampling = Sampling::sobol;
  options.directions = Directions::independent;
  options.repetitions = 16;
  options.rays = 16 * 512;
  options.ray_origin = RayOrigin::volume;
  auto const inside = measure(problem, options);
  options.ray_origin = RayOrigin::centre;
  auto const middle = measure(problem, options);
  double const width = 1. / n;
  double furthest = 0;
  double sum = 0;
  double variance = std::pow(inside.flux_error[0], 2) + std::pow(inside.flux_error[1], 2);
  double sum_of_centres = 0;
  for (int i = 0; i < n; ++i) {
    auto const cell = static_cast<std::size_t>(i);
    double mean = 0;  // by the rule of midpoints
    constexpr int parts = 64;
    for (int k = 0; k < parts; ++k) mean += reference.at((i + (k + 0.5) / parts) * width) / parts;
    double const centre = reference.at((i + 0.5) * width);
    EXPECT_NEAR(inside.value[cell], mean, 4 * inside.error[cell] + 0.001 * reference.scale) << "cell " << i;
    EXPECT_NEAR(middle.value[cell], centre, 4 * middle.error[cell] + 0.001 * reference.scale) << "cell " << i;
    furthest = std::max(furthest, std::abs(mean - centre) - 4 * inside.error[cell]);
    sum += inside.value[cell] * width;
    variance += std::pow(inside.error[cell] * width, 2);
    sum_of_centres += middle.value[cell] * width;
  }
  EXPECT_GT(furthest, 0.003 * reference.scale) << "means and centres are the same: this shows nothing";
  double const out = inside.flux[1] - inside.flux[0];
  // The remaining error is that of a linear temperature in a cell.
  EXPECT_NEAR(sum, out, 4 * std::sqrt(variance) + 1e-3 * out);
  EXPECT_GT(std::abs(sum_of_centres - out), 4 * std::sqrt(variance) + 2e-3 * out);
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

TEST(MonteCarloReferenceCube, CentreLineIsMet) {
  PARHELION_REQUIRE_DATA(references, "mc/references.h5");
  constexpr int n = 33;
  auto const problem = io::built_in_case("case03", {.cells = {n, n, n}, .stretch = 0});
  Reference const reference(references, "case03_grey_cube_k0.5");
  Options options;
  options.sampling = Sampling::sobol;
  options.directions = Directions::independent;
  options.repetitions = 16;
  options.rays = 16 * 1024;
  // Cells of one line along z lie next to each other: a range of n cells.
  std::size_t const first = (n / 2 * n + n / 2) * std::size_t(n);
  auto const results = solved<Space, double>(problem, options, {.begin = first, .end = first + n});
  for (int k = 0; k < n; ++k) {
    double const off = results.q(n / 2, n / 2, k) - reference.at(problem.grid.centre(2, k));
    EXPECT_LE(std::abs(off), 3 * results.q_error(n / 2, n / 2, k) + 0.0025 * reference.scale)
        << "cell " << k << ": off by " << 100 * off / reference.scale << " % of max|Q|, standard error "
        << 100 * results.q_error(n / 2, n / 2, k) / reference.scale << " %";
  }
  EXPECT_EQ(results.q(0, 0, 0), 0) << "is outside the range of items";
}

class MonteCarloErrors : public testing::TestWithParam<std::tuple<int, Directions>> {};

// The variance that is reported is an unbiased estimate of that of results with different seeds: from `runs` of them
// the ratio of the two has the standard deviation sqrt(2 / (runs - 1) + 2 / (repetitions - 1) / runs) in one cell,
// where values are normally distributed, and no more in the sum over cells.
TEST_P(MonteCarloErrors, AreTheScatterOfSeeds) {
  auto const [number, directions] = GetParam();
  Problem problem = enclosure(Spectrum::grey(2), 900);
  problem.grid.faces = {uniform_faces(4, 1), uniform_faces(2, 1), uniform_faces(2, 1)};
  problem.temperature = HostArray<double***>("temperature", 4, 2, 2);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 2; ++k) problem.temperature(i, j, k) = 600 + 150 * i + 30 * j;
  problem.boundaries[3].face_temperature = {};
  for (std::size_t side = 1; side < 6; ++side) problem.boundaries[side].emissivity = 1;
  Options options;
  options.sampling = samplings[number];
  options.directions = directions;
  options.repetitions = 8;
  options.rays = 8 * 16;
  options.nodes = 64;  // making a table takes longer than the few rays
  constexpr int runs = 128;
  Space const space;
  std::vector<Mean> cell(16), face(8);
  double reported = 0, reported_flux = 0;
  for (int run = 0; run < runs; ++run) {
    options.seed = 1000U + static_cast<std::uint64_t>(run);
    auto const r = solved<Space, double>(problem, options);
    for (std::size_t i = 0; i < 16; ++i) {
      cell[i].add(r.q.data()[i]);
      reported += r.q_error.data()[i] * r.q_error.data()[i] / runs;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      face[i].add(r.wall_flux[0].data()[i]);
      face[4 + i].add(r.wall_flux[2].data()[i]);
      reported_flux += std::pow(r.wall_flux_error[0].data()[i], 2) / runs;
      reported_flux += std::pow(r.wall_flux_error[2].data()[i], 2) / runs;
    }
  }
  double const allowed = 4 * std::sqrt(2. / (runs - 1) + 2. / (options.repetitions - 1) / runs);
  double found = 0, found_flux = 0;
  for (auto const& each : cell) found += runs * std::pow(each.error(), 2);
  for (auto const& each : face) found_flux += runs * std::pow(each.error(), 2);
  EXPECT_NEAR(found / reported, 1, allowed);
  EXPECT_NEAR(found_flux / reported_flux, 1, allowed);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MonteCarloErrors,
                         testing::Combine(testing::Range(0, 4), testing::ValuesIn(all_directions)),
                         [](auto const& which) {
                           return std::string(sampling_names[std::get<0>(which.param)]) + "_" +
                                  directions_names[static_cast<int>(std::get<1>(which.param))];
                         });

class MonteCarloPlanes : public testing::TestWithParam<Directions> {};

// The same of averages over planes and the box, whose cells have different widths. A row along z is two tiles.
TEST_P(MonteCarloPlanes, ErrorsAreTheScatterOfSeeds) {
  constexpr int n[3] = {4, 4, 2 * tile_size};
  Problem problem;
  problem.grid.faces = {stretched_faces(n[0], 1, 0.5), uniform_faces(n[1], 1), stretched_faces(n[2], 2, 0.5)};
  problem.temperature = HostArray<double***>("temperature", n[0], n[1], n[2]);
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) problem.temperature(i, j, k) = 700 + 100 * i + 20 * j + 2 * k;
  problem.spectrum = Spectrum::grey(1);
  for (auto& side : problem.boundaries) side.temperature = 600;
  Options options;
  options.directions = GetParam();
  options.repetitions = 8;
  options.rays = 8 * 4;
  options.nodes = 64;
  constexpr int runs = 128;
  std::vector<Mean> cell(std::size_t(n[0] * n[1] * n[2])), plane[4];
  double reported_of_cells = 0;
  double reported[4] = {};
  for (std::size_t axis = 0; axis < 4; ++axis) plane[axis].resize(axis < 3 ? std::size_t(n[axis]) : 1);
  for (int run = 0; run < runs; ++run) {
    options.seed = 2000U + static_cast<std::uint64_t>(run);
    auto const r = solved<Space, double>(problem, options);
    for (std::size_t i = 0; i < cell.size(); ++i) {
      cell[i].add(r.q.data()[i]);
      reported_of_cells += std::pow(r.q_error.data()[i], 2) / runs;
    }
    std::vector<double> average[4];
    for (std::size_t axis = 0; axis < 4; ++axis) average[axis].resize(plane[axis].size());
    for (int i = 0; i < n[0]; ++i)
      for (int j = 0; j < n[1]; ++j)
        for (int k = 0; k < n[2]; ++k) {
          double const share[3] = {problem.grid.width(0, i), problem.grid.width(1, j), problem.grid.width(2, k) / 2};
          double const q = r.q(i, j, k);
          average[0][std::size_t(i)] += share[1] * share[2] * q;
          average[1][std::size_t(j)] += share[0] * share[2] * q;
          average[2][std::size_t(k)] += share[0] * share[1] * q;
          average[3][0] += share[0] * share[1] * share[2] * q;
        }
    for (std::size_t axis = 0; axis < 4; ++axis)
      for (std::size_t i = 0; i < plane[axis].size(); ++i) {
        plane[axis][i].add(average[axis][i]);
        reported[axis] += std::pow(axis < 3 ? r.q_plane_error[axis](i) : r.q_box_error(0), 2) / runs;
      }
  }
  auto const variance = [&](std::vector<Mean> const& of) {
    double sum = 0;
    for (auto const& each : of) sum += runs * std::pow(each.error(), 2);
    return sum;
  };
  // As if all planes went together: that of one number.
  double const allowed = 4 * std::sqrt(2. / (runs - 1) + 2. / (options.repetitions - 1) / runs);
  for (std::size_t axis = 0; axis < 4; ++axis)
    EXPECT_NEAR(variance(plane[axis]) / reported[axis], 1, allowed) << (axis < 3 ? axis_names[axis] : "box");
  EXPECT_NEAR(variance(cell) / reported_of_cells, 1, allowed);
  // Noise that averages out, at least as that of independent tiles, of which a plane across x or y has 8 and across z
  // 16, and the box
  // 32. Cells of different temperature and width have different weights; within a tile they go together.
  double const of_cell = variance(cell) / static_cast<double>(cell.size());
  double const tiles[4] = {8, 8, 16, 32};
  double const cells[4] = {4. * n[2], 4. * n[2], 16, 16. * n[2]};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    double const found = variance(plane[axis]) / static_cast<double>(plane[axis].size()) / of_cell;
    switch (GetParam()) {
      case Directions::tiles:
        EXPECT_LT(found, (1 + allowed) * 1.2 / tiles[axis]) << axis;
        break;
      case Directions::independent:
        EXPECT_LT(found, (1 + allowed) * 1.2 / cells[axis]) << axis;
        break;
      case Directions::shared:
        // On opposite sides of the box errors cancel in part.
        EXPECT_GT(found, 0.02) << axis;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MonteCarloPlanes, testing::ValuesIn(all_directions), [](auto const& which) {
  return std::string(directions_names[static_cast<int>(which.param)]);
});

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

TEST(MonteCarloGrid, StretchedCellsMeetTheReference) {
  PARHELION_REQUIRE_DATA(references, "mc/references.h5");
  auto const problem = io::built_in_case("case02", {.cells = {48, 2, 2}, .stretch = 1.5});
  Reference const reference(references, "case02_grey_parab1_black");
  Options options;
  options.directions = Directions::independent;
  options.sampling = Sampling::sobol;
  options.repetitions = 16;
  options.rays = 16 * 64;
  auto const measured = measure(problem, options);
  for (std::size_t i = 0; i < measured.value.size(); ++i)
    EXPECT_NEAR(measured.value[i], reference.at(problem.grid.centre(0, static_cast<int>(i))),
                3 * measured.error[i] + 0.0025 * reference.scale)
        << "cell " << i;
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

// All choices estimate the same: a scatter plot of options around the mean of all.
TEST(MonteCarloOptions, ChangeErrorsButNotResults) {
  auto const problem = uneven(Spectrum::narrow_band(small_table()));
  std::vector<std::pair<std::string, Options>> all;
  Options plain;
  plain.rays = 16 * 32;
  plain.repetitions = 16;
  plain.directions = Directions::independent;
  all.emplace_back("plain", plain);
  for (SpectralOrder const order : {SpectralOrder::table, SpectralOrder::absorption}) {
    all.emplace_back("order", plain);
    all.back().second.order = order;
  }
  for (Sampling const sampling : samplings) {
    all.emplace_back(sampling_names[static_cast<int>(sampling)], plain);
    all.back().second.sampling = sampling;
  }
  all.emplace_back("unordered", all[3].second);
  all.back().second.ordered = false;
  for (Directions const directions : {Directions::shared, Directions::tiles}) {
    all.emplace_back("shared", plain);
    all.back().second.directions = directions;
  }
  for (double const saturation : {0., 0.01}) {
    all.emplace_back("saturation", plain);
    all.back().second.saturation = saturation;
  }
  all.emplace_back("no window", plain);
  all.back().second.window_share = 0;
  std::optional<HostResults> first;
  for (auto& [name, options] : all) {
    options.seed = first ? 99 : 1;
    auto const r = compute_sources(problem, options);
    if (!first) {
      first = r;
      continue;
    }
    double chi_square = 0;
    for (std::size_t i = 0; i < 60; ++i)
      chi_square += std::pow(r.q.data()[i] - first->q.data()[i], 2) /
                    (std::pow(r.q_error.data()[i], 2) + std::pow(first->q_error.data()[i], 2)) / 60;
    // 60 squares of Student's t, of 30 degrees of freedom: 1.07 +- 0.22; of shared directions they go together.
    EXPECT_LT(chi_square, options.directions == Directions::independent ? 2 : 3.5) << name;
  }
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
