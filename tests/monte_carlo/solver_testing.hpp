// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the solver share: its suite, boxes between walls, solutions of them, and comparisons.
#ifndef PARHELION_TESTS_MONTE_CARLO_SOLVER_TESTING_HPP
#define PARHELION_TESTS_MONTE_CARLO_SOLVER_TESTING_HPP

#include <parhelion/core/copies.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include "comparisons.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::Testing {

inline constexpr monte_carlo::Directions all_directions[] = {
    monte_carlo::Directions::independent, monte_carlo::Directions::shared, monte_carlo::Directions::tiles};

/// A box between walls all around, of cells of different widths.
inline monte_carlo::Problem enclosure(monte_carlo::Spectrum const& spectrum, double temperature) {
  monte_carlo::Problem problem;
  problem.grid.faces = {monte_carlo::stretched_faces(5, 1, 1), monte_carlo::uniform_faces(4, 0.5),
                        monte_carlo::stretched_faces(3, 2, 0.5)};
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

/// The same with gas and walls of all temperatures from 550 to 690 K, and a different composition in each cell.
inline monte_carlo::Problem uneven(monte_carlo::Spectrum const& spectrum) {
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

/// The suite of the solver in all spaces and precisions; each file of it has its TYPED_TEST_SUITE.
template <class P>
struct MonteCarloSolver : testing::Test {};

template <class ExecutionSpace, class Real>
monte_carlo::ReciprocalMonteCarlo<ExecutionSpace, Real> make_solver(ExecutionSpace const& space,
                                                                    monte_carlo::Problem const& problem,
                                                                    monte_carlo::Options const& options,
                                                                    monte_carlo::ItemRange const& items = {}) {
  using Solver = monte_carlo::ReciprocalMonteCarlo<ExecutionSpace, Real>;
  return Solver(space, monte_carlo::DeviceProblem<ExecutionSpace, Real>(space, problem, options),
                Solver::capacity_for(problem, options, items));
}

template <class ExecutionSpace, class Real>
monte_carlo::HostResults solved(monte_carlo::Problem const& problem, monte_carlo::Options const& options,
                                monte_carlo::ItemRange const& items = {}, int chunk = 0) {
  ExecutionSpace const space;
  auto solver = make_solver<ExecutionSpace, Real>(space, problem, options, items);
  auto const results = monte_carlo::make_results(problem);
  if (chunk > 0) solver.accumulate(space, chunk);
  solver.accumulate(space, options.repetitions - chunk);
  solver.fetch(space, results);
  return results;
}

/// Errors of averages over planes are not known in parts.
inline void expect_same_bits(monte_carlo::HostResults const& a, monte_carlo::HostResults const& b,
                             std::string const& what, bool in_parts = false) {
  for (std::size_t axis = 0; !in_parts && axis < 3; ++axis)
    EXPECT_TRUE(same_bits(a.q_plane_error[axis], b.q_plane_error[axis])) << what << ": planes across " << axis;
  EXPECT_TRUE(in_parts || same_bits(a.q_box_error, b.q_box_error)) << what << ": box";
  EXPECT_TRUE(same_bits(a.q, b.q)) << what << ": q";
  EXPECT_TRUE(same_bits(a.q_error, b.q_error)) << what << ": q_error";
  EXPECT_TRUE(same_bits(a.incident, b.incident)) << what << ": incident";
  for (std::size_t side = 0; side < 6; ++side) {
    EXPECT_TRUE(same_bits(a.wall_flux[side], b.wall_flux[side]))
        << what << ": wall_flux." << monte_carlo::side_names[side];
    EXPECT_TRUE(same_bits(a.wall_flux_error[side], b.wall_flux_error[side]))
        << what << ": wall_flux_error." << monte_carlo::side_names[side];
  }
}

template <class View>
double largest(View const& array) {
  double result = 0;
  for (std::size_t i = 0; i < array.size(); ++i) result = std::max(result, std::abs(array.data()[i]));
  return result;
}

/// Profiles along an axis: means over planes of cells, and their standard errors from repetitions.
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

/// Each repetition is drawn anew and averaged over planes before errors are taken.
inline Measured measure(monte_carlo::Problem const& problem, monte_carlo::Options const& options,
                        std::size_t axis = 0) {
  Kokkos::DefaultExecutionSpace const space;
  auto solver = make_solver<Kokkos::DefaultExecutionSpace, double>(space, problem, options);
  auto const results = monte_carlo::make_results(problem);
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

}  // namespace parhelion::Testing

#endif
