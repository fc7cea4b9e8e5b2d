// SPDX-License-Identifier: BSD-3-Clause
// Errors that are reported, of cells, faces, planes and the box: the scatter of results with other seeds and options.
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include "small_table.hpp"
#include "solver_testing.hpp"
#include "testing.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;
using namespace parhelion::Testing;

using Space = Kokkos::DefaultExecutionSpace;

constexpr Sampling samplings[] = {Sampling::random, Sampling::stratified, Sampling::sobol, Sampling::kronecker};
constexpr char const* sampling_names[] = {"random", "stratified", "sobol", "kronecker"};
constexpr char const* directions_names[] = {"independent", "shared", "tiles"};

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

}  // namespace
