// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <fmt/format.h>

namespace parhelion::monte_carlo {

namespace {

auto const finite = [](double) { return true; };
auto const not_negative = [](double x) { return x >= 0; };

}  // namespace

Results make_results(Problem const& problem) {
  auto const& grid = problem.grid;
  int const nx = grid.ncell(0), ny = grid.ncell(1), nz = grid.ncell(2);
  Results results;
  results.q = HostArray<double***>("parhelion::MonteCarlo::q", nx, ny, nz);
  results.q_error = HostArray<double***>("parhelion::MonteCarlo::q_error", nx, ny, nz);
  results.incident = HostArray<double***>("parhelion::MonteCarlo::incident", nx, ny, nz);
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    if (!problem.boundaries[side].is_wall()) continue;
    auto const [n0, n1] = face_extents(grid, static_cast<int>(side));
    results.wall_flux[side] = HostArray<double**>("parhelion::MonteCarlo::wall_flux", n0, n1);
    results.wall_flux_error[side] = HostArray<double**>("parhelion::MonteCarlo::wall_flux_error", n0, n1);
  }
  return results;
}

void check(Results const& results, Problem const& problem, std::string const& where_or_empty) {
  std::string const where = where_or_empty.empty() ? "check" : where_or_empty;
  auto const extent = [&](int axis) { return static_cast<std::size_t>(problem.grid.ncell(axis)); };
  auto const check_cells = [&](HostArray<double***> const& array, char const* name) {
    expect_shape(where, array, name, {extent(0), extent(1), extent(2)});
  };
  check_cells(results.q, "q");
  expect_values(where, results.q, "q", "W m-3", "a finite number", finite);
  if (results.q_error.size() > 0) check_cells(results.q_error, "q_error");
  expect_values(where, results.q_error, "q_error", "W m-3", "a finite number >= 0", not_negative);
  if (results.incident.size() > 0) check_cells(results.incident, "incident");
  expect_values(where, results.incident, "incident", "W m-2", "a finite number >= 0", not_negative);

  for (std::size_t side = 0; side < side_names.size(); ++side) {
    auto const [n0, n1] = face_extents(problem.grid, static_cast<int>(side));
    auto const check_faces = [&, n0 = n0, n1 = n1](HostArray<double**> const& array, std::string const& name) {
      if (array.size() == 0) return;
      if (!problem.boundaries[side].is_wall())
        throw Error(where, fmt::format("{} has shape ({}, {}), expected none because the side is periodic", name,
                                       array.extent(0), array.extent(1)));
      expect_shape(where, array, name, {n0, n1});
    };
    auto const flux = fmt::format("wall_flux.{}", side_names[side]);
    auto const error = fmt::format("wall_flux_error.{}", side_names[side]);
    check_faces(results.wall_flux[side], flux);
    check_faces(results.wall_flux_error[side], error);
    expect_values(where, results.wall_flux[side], flux, "W m-2", "a finite number", finite);
    expect_values(where, results.wall_flux_error[side], error, "W m-2", "a finite number >= 0", not_negative);
  }
}

}  // namespace parhelion::monte_carlo
