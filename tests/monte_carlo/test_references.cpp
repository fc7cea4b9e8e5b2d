// SPDX-License-Identifier: BSD-3-Clause
// Slabs and a cube whose solutions are known: means and fluxes at walls meet the reference within their errors.
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/narrow_band_files.hpp>

#include "solver_testing.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using namespace parhelion::Testing;

using Space = Kokkos::DefaultExecutionSpace;

Spectrum const& steam(std::string const& path) {
  static std::optional<Spectrum> spectrum;
  if (!spectrum) {
    spectrum = Spectrum::narrow_band(io::read_narrow_band(path));
    Kokkos::push_finalize_hook([] { spectrum.reset(); });  // it holds arrays of Kokkos
  }
  return *spectrum;
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

}  // namespace
