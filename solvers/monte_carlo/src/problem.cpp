// SPDX-License-Identifier: BSD-3-Clause
#include "problem_arrays.hpp"

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
  if (refuses)
    check_values(where, within(describe_temperature(), valid.temperature), array_ref(problem.temperature),
                 expected(valid.temperature, " K", spectrum));
}

void check_pressure(Problem const& problem, std::string const& where, bool refuses) {
  if (!(problem.pressure > 0) || !std::isfinite(problem.pressure))
    throw Error(where, fmt::format("pressure = {} Pa, expected a positive finite number", problem.pressure));
  auto const& valid = problem.spectrum.validity().pressure;
  if (refuses && !valid.contains(problem.pressure))
    throw Error(where, fmt::format("pressure = {} Pa, expected {}", problem.pressure,
                                   expected(valid, " Pa", problem.spectrum)));
}

void check_wall(Problem const& problem, std::size_t side, bool has_faces, std::string const& where, bool refuses) {
  Boundary const& wall = problem.boundaries[side];
  std::string const name = fmt::format("boundaries/{}", side_names[side]);
  if (!(wall.emissivity >= 0 && wall.emissivity <= 1))
    throw Error(where, fmt::format("{}/emissivity = {}, expected a number in [0, 1]", name, wall.emissivity));
  if (has_faces) return;
  auto const& valid = problem.spectrum.validity().wall_temperature;
  if (!(wall.temperature >= 0) || !std::isfinite(wall.temperature))
    throw Error(where, fmt::format("{}/temperature = {} K, expected a number of at least 0", name, wall.temperature));
  if (refuses && !valid.contains(wall.temperature))
    throw Error(where, fmt::format("{}/temperature = {} K, expected {}", name, wall.temperature,
                                   expected(valid, " K", problem.spectrum)));
}

void check_faces(Problem const& problem, std::size_t side, std::string const& where, bool refuses) {
  auto const& faces = problem.boundaries[side].face_temperature;
  if (faces.size() == 0) return;
  auto const& valid = problem.spectrum.validity().wall_temperature;
  auto const description = describe_face_temperature(side);
  check_values(where, description, array_ref(faces));
  if (refuses)
    check_values(where, within(description, valid), array_ref(faces), expected(valid, " K", problem.spectrum));
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

namespace Impl {

void check_without_arrays(Problem const& problem, std::array<bool, 6> const& faces, std::string const& where,
                          bool refuses) {
  validate(problem.grid, where);
  check_pressure(problem, where, refuses);
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    auto const& here = problem.boundaries[side];
    std::size_t const opposite = side ^ 1U;
    if (!here.is_wall() && problem.boundaries[opposite].is_wall())
      throw Error(where, fmt::format("{} is periodic and {} a wall, expected both to be periodic or walls",
                                     side_names[side], side_names[opposite]));
    if (here.is_wall())
      check_wall(problem, side, faces[side], where, refuses);
    else
      check_periodic(here, fmt::format("boundaries/{}", side_names[side]), where);
  }
}

namespace {

void check_extremes(std::string const& where, ArrayDescription const& description, Extremes const& found,
                    ValidRange const& valid, char const* unit, Spectrum const& spectrum, bool refuses) {
  for (double const value : {found.lowest, found.highest}) {
    if (!description.range.contains(value))
      throw Error(where, fmt::format("{} from {} to {}{}, expected {}", description.name, found.lowest, found.highest,
                                     unit, describe(description.range)));
    if (refuses && !valid.contains(value))
      throw Error(where, fmt::format("{} from {} to {}{}, expected {}", description.name, found.lowest, found.highest,
                                     unit, expected(valid, unit, spectrum)));
  }
}

}  // namespace

void check_numbers(Problem const& problem, ProblemNumbers const& numbers, std::string const& where, bool refuses) {
  auto const& valid = problem.spectrum.validity();
  check_extremes(where, describe_temperature(), numbers.temperature, valid.temperature, " K", problem.spectrum,
                 refuses);
  if (numbers.mole_fraction)
    check_extremes(where, describe_mole_fraction(), *numbers.mole_fraction, valid.mole_fraction, "", problem.spectrum,
                   refuses);
  for (std::size_t side = 0; side < side_names.size(); ++side)
    if (numbers.faces[side])
      check_extremes(where, describe_face_temperature(side), *numbers.faces[side], valid.wall_temperature, " K",
                     problem.spectrum, refuses);
}

ProblemArrays ProblemArrays::of(Problem const& problem) {
  ProblemArrays arrays;
  arrays.temperature = array_ref(problem.temperature);
  arrays.mole_fraction = array_ref(problem.mole_fraction);
  for (std::size_t side = 0; side < side_names.size(); ++side)
    arrays.face_temperature[side] = array_ref(problem.boundaries[side].face_temperature);
  return arrays;
}

namespace {

// To multiples of a power of two between an eighth and a quarter of the range, or about a hundredth of its upper end
// where it is narrow.
Extremes rounded(Extremes const& range) {
  double const size = std::max((range.highest - range.lowest) / 8, range.highest / 128);
  if (!(size > 0) || !std::isfinite(size)) return range;
  double const step = std::exp2(std::ceil(std::log2(size)));
  return {std::floor(range.lowest / step) * step, std::ceil(range.highest / step) * step};
}

}  // namespace

ProblemNumbers rounded(ProblemNumbers const& numbers) {
  ProblemNumbers result = numbers;
  result.temperature = rounded(numbers.temperature);
  for (auto& faces : result.faces)
    if (faces) faces = rounded(*faces);
  if (!numbers.mole_fraction) return result;
  double const highest = numbers.mole_fraction->highest;
  result.mole_fraction = Extremes{0, highest > 0 ? std::exp2(std::ceil(std::log2(highest))) : 0};
  int exponent = 0;
  double const mantissa = std::frexp(numbers.mean_amount, &exponent);
  result.mean_amount = std::ldexp(std::round(16 * mantissa) / 16, exponent);
  return result;
}

ProblemNumbers numbers_of(Problem const& problem) {
  auto const extremes = [](auto const& array) {
    auto const [lowest, highest] = std::minmax_element(array.data(), array.data() + array.size());
    return Extremes{*lowest, *highest};
  };
  ProblemNumbers numbers;
  numbers.temperature = extremes(problem.temperature);
  if (problem.mole_fraction.size() > 0) numbers.mole_fraction = extremes(problem.mole_fraction);
  numbers.mean_amount = problem.mean_amount();
  for (std::size_t side = 0; side < side_names.size(); ++side)
    if (auto const& faces = problem.boundaries[side].face_temperature; faces.size() > 0)
      numbers.faces[side] = extremes(faces);
  return numbers;
}

}  // namespace Impl

void validate(Problem const& problem, std::string const& where_or_empty, OutOfRange out_of_range) {
  std::string const where = where_or_empty.empty() ? "validate" : where_or_empty;
  bool const refuses = out_of_range == OutOfRange::refuse;
  validate(problem.grid, where);
  check_extents(where, problem, problem.grid.dimensions());
  check_gas(problem, where, refuses);
  std::array<bool, 6> faces{};
  for (std::size_t side = 0; side < side_names.size(); ++side)
    faces[side] = problem.boundaries[side].face_temperature.size() > 0;
  Impl::check_without_arrays(problem, faces, where, refuses);
  for (std::size_t side = 0; side < side_names.size(); ++side) check_faces(problem, side, where, refuses);
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
