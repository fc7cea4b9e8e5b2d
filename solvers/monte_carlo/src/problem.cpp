// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <fmt/format.h>

#include <cmath>

namespace parhelion::monte_carlo {

namespace {

void check_gas(Problem const& problem, std::string const& where) {
  auto const extent = [&](int axis) { return static_cast<std::size_t>(problem.grid.ncell(axis)); };
  expect_shape(where, problem.temperature, "temperature", {extent(0), extent(1), extent(2)});
  if (problem.mole_fraction.size() > 0)
    expect_shape(where, problem.mole_fraction, "mole_fraction", {extent(0), extent(1), extent(2)});
  expect_values(where, problem.temperature, "temperature", "K", "a finite number >= 0",
                [](double t) { return t >= 0; });
  auto const range = problem.spectrum.temperature_range();
  expect_values(
      where, problem.temperature, "temperature", "K",
      fmt::format("{} to {} K, the range of the spectrum: {}", range.lowest, range.highest, problem.spectrum.name()),
      [&](double t) { return range.holds(t); });
  expect_values(where, problem.mole_fraction, "mole_fraction", "", "a number in [0, 1]",
                [](double x) { return x >= 0 && x <= 1; });
  if (!(problem.pressure > 0) || !std::isfinite(problem.pressure))
    throw Error(where, fmt::format("pressure = {} Pa, expected a positive finite number", problem.pressure));
}

void check_wall(Boundary const& wall, std::array<std::size_t, 2> const& extents, std::string const& name,
                std::string const& where) {
  if (!(wall.emissivity >= 0 && wall.emissivity <= 1))
    throw Error(where, fmt::format("{}.emissivity = {}, expected a number in [0, 1]", name, wall.emissivity));
  if (wall.face_temperature.size() == 0) {
    if (!(wall.temperature >= 0) || !std::isfinite(wall.temperature))
      throw Error(where, fmt::format("{}.temperature = {} K, expected a finite number >= 0", name, wall.temperature));
    return;
  }
  expect_shape(where, wall.face_temperature, name + ".temperature", {extents[0], extents[1]});
  expect_values(where, wall.face_temperature, name + ".temperature", "K", "a finite number >= 0",
                [](double t) { return t >= 0; });
}

// What would be ignored is refused.
void check_periodic(Boundary const& side, std::string const& name, std::string const& where) {
  constexpr char const* expected = "none because the side is periodic";
  if (side.emissivity != 1)
    throw Error(where, fmt::format("{}.emissivity = {}, expected {}", name, side.emissivity, expected));
  if (side.temperature != 0)
    throw Error(where, fmt::format("{}.temperature = {} K, expected {}", name, side.temperature, expected));
  if (side.face_temperature.size() > 0)
    throw Error(where, fmt::format("{}.temperature has shape ({}, {}), expected {}", name,
                                   side.face_temperature.extent(0), side.face_temperature.extent(1), expected));
}

}  // namespace

double Problem::mean_amount() const {
  double sum = 0;
  for (std::size_t i = 0; i < mole_fraction.size(); ++i) sum += mole_fraction.data()[i];
  double const mean = mole_fraction.size() > 0 ? sum / static_cast<double>(mole_fraction.size()) : 1;
  return mean * (pressure / reference_pressure);
}

std::array<std::size_t, 2> face_extents(Grid const& grid, int side) {
  int const axis = side / 2;
  return {static_cast<std::size_t>(grid.ncell(axis == 0 ? 1 : 0)),
          static_cast<std::size_t>(grid.ncell(axis == 2 ? 1 : 2))};
}

void check(Problem const& problem, std::string const& where_or_empty) {
  std::string const where = where_or_empty.empty() ? "check" : where_or_empty;
  check(problem.grid, where);
  check_gas(problem, where);
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    auto const& here = problem.boundaries[side];
    std::size_t const opposite = side ^ 1U;
    if (!here.is_wall() && problem.boundaries[opposite].is_wall())
      throw Error(where, fmt::format("{} is periodic and {} a wall, expected both to be periodic or walls",
                                     side_names[side], side_names[opposite]));
    if (here.is_wall())
      check_wall(here, face_extents(problem.grid, static_cast<int>(side)), side_names[side], where);
    else
      check_periodic(here, side_names[side], where);
  }
}

}  // namespace parhelion::monte_carlo
