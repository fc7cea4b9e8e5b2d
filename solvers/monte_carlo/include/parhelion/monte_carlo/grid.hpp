// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_GRID_HPP
#define PARHELION_MONTE_CARLO_GRID_HPP

#include <parhelion/core/arrays.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::monte_carlo {

/// Names of the axes 0, 1 and 2.
inline constexpr std::array<char const*, 3> axis_names{"x", "y", "z"};

/// The dimensions of arrays over cells.
inline constexpr std::array<std::string_view, max_array_rank> cell_dimensions{"x_centre", "y_centre", "z_centre"};

/// The dimensions of arrays over the faces of a side, 0 .. 5: those of the two other axes.
constexpr std::array<std::string_view, max_array_rank> face_dimensions(std::size_t side) {
  std::size_t const axis = side / 2;
  return {cell_dimensions[axis == 0 ? 1 : 0], cell_dimensions[axis == 2 ? 1 : 2]};
}

/// \brief A box of cells along the axes x, y and z (0, 1, 2). Cell i of an axis lies between its faces i and i + 1.
///
/// Functions of an axis and a cell take 0 <= axis < 3 and 0 <= i < ncell(axis), unchecked.
struct Grid {
  std::array<std::vector<double>, 3> faces;  ///< coordinates [m], at least two for each axis, strictly ascending

  /// Number of cells along an axis; 0 if it has fewer than two faces.
  int ncell(int axis) const;

  /// Number of cells of the box.
  std::size_t size() const;

  /// Numbers of cells along the axes, under the names of cell_dimensions.
  Dimensions dimensions() const;

  double length(int axis) const { return of(axis).back() - of(axis).front(); }       ///< of the box along an axis [m]
  double width(int axis, int i) const { return face(axis, i + 1) - face(axis, i); }  ///< of a cell [m]
  double centre(int axis, int i) const { return (face(axis, i) + face(axis, i + 1)) / 2; }  ///< of a cell [m]

  /// Centres of all cells along an axis [m].
  std::vector<double> centres(int axis) const;

  /// Whether the cells along an axis have the same width: every face is within 1e-9 cell widths of its place then.
  bool uniform(int axis) const;

 private:
  std::vector<double> const& of(int axis) const { return faces[static_cast<std::size_t>(axis)]; }
  double face(int axis, int i) const { return of(axis)[static_cast<std::size_t>(i)]; }
};

/// \brief Checks a grid: at least two faces for each axis, finite, strictly ascending.
/// \param grid  any
/// \param where begins the message, such as the name of a file; empty: the function
/// \throws parhelion::Error naming axis, index, what was found and what was expected
void validate(Grid const& grid, std::string const& where = {});

/// \brief Faces of n cells of one width from 0 to length.
/// \param n      cells, >= 1
/// \param length [m], > 0
/// \throws parhelion::Error where an argument is out of range
std::vector<double> uniform_faces(int n, double length);

/// \brief Faces of n cells from 0 to length, narrower towards both ends:
///        x_i = length/2 (1 + tanh(strength (2 i/n - 1)) / tanh(strength)).
/// \param n        cells, >= 1
/// \param length   [m], > 0
/// \param strength 0 (uniform) to 10; with 2 and many cells, the middle one is 14 times as wide as the first
/// \throws parhelion::Error where an argument is out of range
std::vector<double> stretched_faces(int n, double length, double strength);

}  // namespace parhelion::monte_carlo

#endif
