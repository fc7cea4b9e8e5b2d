// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parhelion::monte_carlo {

namespace {

// The expected range of a variable, in words.
std::string expected(ValidRange const& range, char const* unit, Spectrum const& spectrum) {
  return fmt::format("{} to {}{}, the range of the spectrum: {}", range.lowest, range.highest, unit, spectrum.name());
}

ArrayDescription within(ArrayDescription description, ValidRange const& range) {
  description.range = {.lowest = range.lowest, .highest = std::min(range.highest, ranges::finite.highest)};
  return description;
}

void check_gas(Problem const& problem, std::string const& where, bool refuses) {
  auto const& spectrum = problem.spectrum;
  auto const& valid = spectrum.validity();
  check_values(where, describe_temperature(), array_ref(problem.temperature));
  check_values(where, refuses ? within(describe_mole_fraction(), valid.mole_fraction) : describe_mole_fraction(),
               array_ref(problem.mole_fraction));
  if (!(problem.pressure > 0) || !std::isfinite(problem.pressure))
    throw Error(where, fmt::format("pressure = {} Pa, expected a positive finite number", problem.pressure));
  if (!refuses) return;
  check_values(where, within(describe_temperature(), valid.temperature), array_ref(problem.temperature),
               expected(valid.temperature, " K", spectrum));
  if (!valid.pressure.contains(problem.pressure))
    throw Error(where, fmt::format("pressure = {} Pa, expected {}", problem.pressure,
                                   expected(valid.pressure, " Pa", spectrum)));
}

void check_wall(Problem const& problem, std::size_t side, std::string const& where, bool refuses) {
  Boundary const& wall = problem.boundaries[side];
  std::string const name = fmt::format("boundaries/{}", side_names[side]);
  if (!(wall.emissivity >= 0 && wall.emissivity <= 1))
    throw Error(where, fmt::format("{}/emissivity = {}, expected a number in [0, 1]", name, wall.emissivity));
  auto const& valid = problem.spectrum.validity().wall_temperature;
  auto const too_warm = [&] { return expected(valid, " K", problem.spectrum); };
  if (wall.face_temperature.size() == 0) {
    if (!(wall.temperature >= 0) || !std::isfinite(wall.temperature))
      throw Error(where, fmt::format("{}/temperature = {} K, expected a number of at least 0", name, wall.temperature));
    if (refuses && !valid.contains(wall.temperature))
      throw Error(where, fmt::format("{}/temperature = {} K, expected {}", name, wall.temperature, too_warm()));
    return;
  }
  auto const description = describe_face_temperature(side);
  check_values(where, description, array_ref(wall.face_temperature));
  if (refuses) check_values(where, within(description, valid), array_ref(wall.face_temperature), too_warm());
}

// Values that would be ignored are refused.
void check_periodic(Boundary const& side, std::string const& name, std::string const& where) {
  constexpr char const* expected = "none because the side is periodic";
  if (side.emissivity != 1)
    throw Error(where, fmt::format("{}/emissivity = {}, expected {}", name, side.emissivity, expected));
  if (side.temperature != 0)
    throw Error(where, fmt::format("{}/temperature = {} K, expected {}", name, side.temperature, expected));
  if (side.face_temperature.size() > 0)
    throw Error(where, fmt::format("{}/temperature has shape ({}, {}), expected {}", name,
                                   side.face_temperature.extent(0), side.face_temperature.extent(1), expected));
}

}  // namespace

ArrayDescription describe_temperature() {
  return {.name = "temperature",
          .unit = "K",
          .meaning = "temperature of the gas",
          .dimensions = cell_dimensions,
          .range = ranges::not_negative};
}

ArrayDescription describe_mole_fraction() {
  return {.name = "mole_fraction",
          .unit = "1",
          .meaning = "mole fraction of the absorbing gas",
          .dimensions = cell_dimensions,
          .optional = true};
}

ArrayDescription describe_face_temperature(std::size_t side) {
  constexpr std::array<std::string_view, 6> names{"boundaries/x_low/temperature", "boundaries/x_high/temperature",
                                                  "boundaries/y_low/temperature", "boundaries/y_high/temperature",
                                                  "boundaries/z_low/temperature", "boundaries/z_high/temperature"};
  return {.name = names[side],
          .unit = "K",
          .meaning = "temperature of the wall",
          .dimensions = face_dimensions(side),
          .range = ranges::not_negative,
          .optional = true};
}

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

void validate(Problem const& problem, std::string const& where_or_empty, OutOfRange out_of_range) {
  std::string const where = where_or_empty.empty() ? "validate" : where_or_empty;
  bool const refuses = out_of_range == OutOfRange::refuse;
  validate(problem.grid, where);
  check_extents(where, problem, problem.grid.dimensions());
  check_gas(problem, where, refuses);
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    auto const& here = problem.boundaries[side];
    std::size_t const opposite = side ^ 1U;
    if (!here.is_wall() && problem.boundaries[opposite].is_wall())
      throw Error(where, fmt::format("{} is periodic and {} a wall, expected both to be periodic or walls",
                                     side_names[side], side_names[opposite]));
    if (here.is_wall())
      check_wall(problem, side, where, refuses);
    else
      check_periodic(here, fmt::format("boundaries/{}", side_names[side]), where);
  }
}

namespace {

// Counts the values outside a range; to clip them, replaces an array by a clipped copy.
template <class View>
std::size_t count_and_clip(View& values, ValidRange const& range, bool clips) {
  auto const* const begin = values.data();
  auto const* const end = begin + values.size();
  auto const outside = std::count_if(begin, end, [&](double x) { return !range.contains(x); });
  if (outside > 0 && clips) {
    auto const copy = Kokkos::create_mirror(Kokkos::HostSpace(), values);
    std::transform(begin, end, copy.data(), [&](double x) { return range.nearest(x); });
    values = copy;
  }
  return static_cast<std::size_t>(outside);
}

}  // namespace

Problem in_range(Problem const& problem, OutOfRange out_of_range, OutOfRangeCounts& counts, std::string const& where) {
  Problem result = problem;
  auto const& valid = problem.spectrum.validity();
  bool const clips = out_of_range == OutOfRange::clip;
  auto const number = [&](double& value, ValidRange const& range) -> std::size_t {
    if (range.contains(value)) return 0;
    if (clips) value = range.nearest(value);
    return 1;
  };
  counts.emplace_back("temperature", count_and_clip(result.temperature, valid.temperature, clips));
  counts.emplace_back("mole_fraction", count_and_clip(result.mole_fraction, valid.mole_fraction, clips));
  counts.emplace_back("pressure", number(result.pressure, valid.pressure));
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    auto& wall = result.boundaries[side];
    if (!wall.is_wall()) continue;
    counts.emplace_back(fmt::format("boundaries/{}/temperature", side_names[side]),
                        wall.face_temperature.size() > 0
                            ? count_and_clip(wall.face_temperature, valid.wall_temperature, clips)
                            : number(wall.temperature, valid.wall_temperature));
  }
  if (out_of_range == OutOfRange::extrapolate && total(counts) > 0) result.spectrum = problem.spectrum.extrapolated();
  validate(result, where);
  return result;
}

}  // namespace parhelion::monte_carlo
