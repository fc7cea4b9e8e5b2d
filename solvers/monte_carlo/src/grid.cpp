// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/grid.hpp>

#include <fmt/format.h>

#include <cmath>

namespace parhelion::monte_carlo {

namespace {

// Widths that differ by less than this are equal up to rounding.
constexpr double uniform_tolerance = 1e-9;

// Beyond it the first faces would round to the same number.
constexpr double max_stretch = 10;

void check_faces(char const* where, int n, double length) {
  if (n < 1) throw Error(where, fmt::format("n = {}, expected at least 1", n));
  if (!(length > 0) || !std::isfinite(length))
    throw Error(where, fmt::format("length = {} m, expected a positive finite number", length));
}

}  // namespace

int Grid::ncell(int axis) const { return of(axis).empty() ? 0 : static_cast<int>(of(axis).size()) - 1; }

Dimensions Grid::dimensions() const {
  Dimensions cells;
  for (std::size_t axis = 0; axis < 3; ++axis) cells.set(cell_dimensions[axis], ncell(static_cast<int>(axis)));
  return cells;
}

std::size_t Grid::size() const {
  std::size_t cells = 1;
  for (int axis = 0; axis < 3; ++axis) cells *= static_cast<std::size_t>(ncell(axis));
  return cells;
}

std::vector<double> Grid::centres(int axis) const {
  std::vector<double> centres(static_cast<std::size_t>(ncell(axis)));
  for (int i = 0; i < ncell(axis); ++i) centres[static_cast<std::size_t>(i)] = centre(axis, i);
  return centres;
}

bool Grid::uniform(int axis) const {
  int const n = ncell(axis);
  if (n == 0) return false;
  double const mean = length(axis) / n;
  for (int i = 1; i < n; ++i)
    if (!(std::abs(face(axis, i) - (face(axis, 0) + i * mean)) <= uniform_tolerance * mean)) return false;
  return true;
}

void validate(Grid const& grid, std::string const& where_or_empty) {
  std::string const where = where_or_empty.empty() ? "validate" : where_or_empty;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    auto const& faces = grid.faces[axis];
    char const* const name = axis_names[axis];
    if (faces.size() < 2) throw Error(where, fmt::format("{} has {} faces, expected at least 2", name, faces.size()));
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (!std::isfinite(faces[i]))
        throw Error(where, fmt::format("{}({}) = {} m, expected a finite number", name, i, faces[i]));
      if (i > 0 && !(faces[i] > faces[i - 1]))
        throw Error(where, fmt::format("{}({}) = {} m, expected more than the {} m of the face before", name, i,
                                       faces[i], faces[i - 1]));
    }
  }
}

std::vector<double> uniform_faces(int n, double length) {
  check_faces("uniform_faces", n, length);
  std::vector<double> faces(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i < n; ++i) faces[static_cast<std::size_t>(i)] = length * i / n;
  faces.back() = length;
  return faces;
}

std::vector<double> stretched_faces(int n, double length, double strength) {
  constexpr char const* where = "stretched_faces";
  check_faces(where, n, length);
  if (!(strength >= 0 && strength <= max_stretch))
    throw Error(where, fmt::format("strength = {}, expected a number from 0 to {}", strength, max_stretch));
  // Below it tanh(s) rounds to s.
  if (strength < 1e-8) return uniform_faces(n, length);
  std::vector<double> faces(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i <= n; ++i) {
    double const across = (2. * i - n) / n;
    faces[static_cast<std::size_t>(i)] = length / 2 * (1 + std::tanh(strength * across) / std::tanh(strength));
  }
  faces.front() = 0;
  faces.back() = length;
  return faces;
}

}  // namespace parhelion::monte_carlo
