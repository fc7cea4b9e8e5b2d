// SPDX-License-Identifier: BSD-3-Clause
#include "result_extents.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parhelion::monte_carlo {

namespace {

// The strings that the descriptions refer to.
struct NamesOfSide {
  std::string_view flux, flux_error, flux_meaning, error_meaning;
};

#define PARHELION_IMPL_SIDE(SIDE, AXIS)                                         \
  NamesOfSide {                                                                 \
    "wall_flux/" SIDE, "wall_flux_error/" SIDE,                                 \
        "net radiative flux, positive towards larger coordinates, along " AXIS, \
        "standard deviation of the net radiative flux along " AXIS              \
  }
constexpr std::array<NamesOfSide, 6> names_of_sides{
    PARHELION_IMPL_SIDE("x_low", "x"),  PARHELION_IMPL_SIDE("x_high", "x"), PARHELION_IMPL_SIDE("y_low", "y"),
    PARHELION_IMPL_SIDE("y_high", "y"), PARHELION_IMPL_SIDE("z_low", "z"),  PARHELION_IMPL_SIDE("z_high", "z")};
#undef PARHELION_IMPL_SIDE

}  // namespace

ArrayDescription describe_plane_error(std::size_t axis) {
  constexpr std::string_view names[] = {"q_radiative_plane_error_x", "q_radiative_plane_error_y",
                                        "q_radiative_plane_error_z"};
  constexpr std::string_view meanings[] = {"standard deviation of the average of q_radiative over planes across x",
                                           "standard deviation of the average of q_radiative over planes across y",
                                           "standard deviation of the average of q_radiative over planes across z"};
  return {.name = names[axis],
          .unit = "W m-3",
          .meaning = meanings[axis],
          .dimensions = {cell_dimensions[axis]},
          .range = ranges::not_negative,
          .optional = true};
}

ArrayDescription describe_wall_flux(std::size_t side) {
  return {.name = names_of_sides[side].flux,
          .unit = "W m-2",
          .meaning = names_of_sides[side].flux_meaning,
          .dimensions = face_dimensions(side),
          .optional = true};
}

ArrayDescription describe_wall_flux_error(std::size_t side) {
  return {.name = names_of_sides[side].flux_error,
          .unit = "W m-2",
          .meaning = names_of_sides[side].error_meaning,
          .dimensions = face_dimensions(side),
          .range = ranges::not_negative,
          .optional = true};
}

namespace Impl {

void check_extents_of_results(std::string_view where, Dimensions cells, std::array<bool, 6> const& has_flux,
                              std::vector<ConstArrayRef> const& arrays) {
  static auto const descriptions = descriptions_of<HostResults>();
  cells.set("box", 1);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (i >= of_walls && !arrays[i].empty() && !has_flux[(i - of_walls) % 6])
      throw Error(where, fmt::format("{} has shape ({}, {}), expected none because the side has no fluxes",
                                     descriptions[i].name, arrays[i].extents[0], arrays[i].extents[1]));
    check_extents(where, descriptions[i], arrays[i], cells);
  }
}

}  // namespace Impl

HostResults make_results(Problem const& problem) {
  auto const& grid = problem.grid;
  int const nx = grid.ncell(0), ny = grid.ncell(1), nz = grid.ncell(2);
  HostResults results;
  results.q = HostArray<double***>("parhelion::monte_carlo::q", nx, ny, nz);
  results.q_error = HostArray<double***>("parhelion::monte_carlo::q_error", nx, ny, nz);
  results.incident = HostArray<double***>("parhelion::monte_carlo::incident", nx, ny, nz);
  for (std::size_t axis = 0; axis < 3; ++axis)
    results.q_plane_error[axis] =
        HostArray<double*>("parhelion::monte_carlo::q_plane_error", grid.ncell(static_cast<int>(axis)));
  results.q_box_error = HostArray<double*>("parhelion::monte_carlo::q_box_error", 1);
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    if (!problem.boundaries[side].is_wall()) continue;
    auto const [n0, n1] = face_extents(grid, static_cast<int>(side));
    results.wall_flux[side] = HostArray<double**>("parhelion::monte_carlo::wall_flux", n0, n1);
    results.wall_flux_error[side] = HostArray<double**>("parhelion::monte_carlo::wall_flux_error", n0, n1);
  }
  return results;
}

void validate(HostResults const& results, Problem const& problem, std::string const& where_or_empty) {
  std::string const where = where_or_empty.empty() ? "validate" : where_or_empty;
  std::array<bool, 6> has_flux{};
  for (std::size_t side = 0; side < 6; ++side) has_flux[side] = problem.boundaries[side].is_wall();
  Impl::check_extents_of_results(where, problem.grid.dimensions(), has_flux, const_array_refs(results));
  HostResults::for_each_array([&](ArrayDescription const& description,
                                  auto const& array) { check_values(where, description, array_ref(array)); },
                              results);
}

ResultSummary summarize(HostResults const& results, Problem const& problem) {
  ResultSummary summary;
  auto const& grid = problem.grid;
  double square = 0;
  for (int i = 0; i < grid.ncell(0); ++i)
    for (int j = 0; j < grid.ncell(1); ++j)
      for (int k = 0; k < grid.ncell(2); ++k) {
        double const q = results.q(i, j, k);
        summary.largest_q = std::max(summary.largest_q, std::abs(q));
        square += results.q_error(i, j, k) * results.q_error(i, j, k);
        summary.net_emission += q * grid.width(0, i) * grid.width(1, j) * grid.width(2, k);
      }
  summary.rms_error = std::sqrt(square / static_cast<double>(grid.size()));
  if (results.q_box_error.size() > 0) {
    summary.box_error = results.q_box_error(0);
    summary.plane_error.emplace();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const& errors = results.q_plane_error[axis];
      double of_planes = 0;
      for (std::size_t i = 0; i < errors.size(); ++i) of_planes += errors(i) * errors(i);
      (*summary.plane_error)[axis] =
          std::sqrt(of_planes / static_cast<double>(std::max<std::size_t>(1, errors.size())));
    }
  }
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    auto const& flux = results.wall_flux[side];
    if (flux.size() == 0) continue;
    int const axis = static_cast<int>(side / 2);
    int const first = axis == 0 ? 1 : 0;
    int const second = axis == 2 ? 1 : 2;
    double sum = 0;
    for (int i = 0; i < grid.ncell(first); ++i)
      for (int j = 0; j < grid.ncell(second); ++j) sum += flux(i, j) * grid.width(first, i) * grid.width(second, j);
    summary.outflow = summary.outflow.value_or(0) + (side % 2 == 1 ? sum : -sum);
  }
  return summary;
}

}  // namespace parhelion::monte_carlo
