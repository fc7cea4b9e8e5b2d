// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_PROBLEM_HPP
#define PARHELION_MONTE_CARLO_PROBLEM_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>
#include <parhelion/monte_carlo/grid.hpp>
#include <parhelion/monte_carlo/spectrum.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace parhelion::monte_carlo {

/// The sides of the box, in the order of every list of six: 2 * axis + (1 at the upper end).
inline constexpr std::array<char const*, 6> side_names{"x_low", "x_high", "y_low", "y_high", "z_low", "z_high"};

/// The boundary condition at a side of the box.
enum class BoundaryType {
  periodic,  ///< the box is repeated; the opposite side must be periodic, too
  wall       ///< grey and diffuse: emits, and reflects what it does not absorb
};

/// A side of the box.
struct Boundary {
  BoundaryType type = BoundaryType::wall;

  // For walls only.
  double emissivity = 1;   ///< [1], in [0, 1]; 0: a diffuse mirror
  double temperature = 0;  ///< [K], >= 0; 0: does not emit
  /// If not empty, the temperature of each face [K], >= 0, instead; over the cells of the two other axes in their
  /// order: (y, z), (x, z) or (x, y).
  HostArray<double**> face_temperature;

  bool is_wall() const { return type == BoundaryType::wall; }

  /// Temperature of a face [K].
  double temperature_of(int i, int j) const {
    return face_temperature.size() > 0 ? face_temperature(i, j) : temperature;
  }
};

ArrayDescription describe_temperature();                       ///< of the gas in each cell
ArrayDescription describe_mole_fraction();                     ///< of the absorbing gas in each cell
ArrayDescription describe_face_temperature(std::size_t side);  ///< \param side 0 .. 5

/// \brief Radiation in a box of gas: everything that determines the result, apart from the numerical options.
struct Problem {
  Grid grid;
  HostArray<double***> temperature;      ///< of the gas in each cell [K], (x, y, z)
  HostArray<double***> mole_fraction;    ///< of the absorbing gas [1], (x, y, z), in [0, 1]; empty: 1 everywhere
  double pressure = reference_pressure;  ///< total pressure [Pa], > 0
  std::array<Boundary, 6> boundaries;    ///< in the order of side_names
  Spectrum spectrum;

  /// The factor of Spectrum::absorption in a cell: mole fraction * pressure / reference_pressure [1].
  double amount(int i, int j, int k) const {
    return (mole_fraction.size() > 0 ? mole_fraction(i, j, k) : 1) * (pressure / reference_pressure);
  }
  /// The mean of amount() over the cells.
  double mean_amount() const;

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    action(describe_temperature(), sets.temperature...);
    action(describe_mole_fraction(), sets.mole_fraction...);
    for (std::size_t side = 0; side < side_names.size(); ++side)
      action(describe_face_temperature(side), sets.boundaries[side].face_temperature...);
  }
};

/// \brief Extents of the faces of a side: cells along the two other axes in their order.
/// \param grid of the problem
/// \param side 0 .. 5
std::array<std::size_t, 2> face_extents(Grid const& grid, int side);

/// \brief Checks a problem.
///
/// It refuses a grid that validate(grid) refuses, arrays whose extents are not those of the grid, values that are not
/// finite, temperatures below 0, mole fractions and emissivities outside [0, 1], a pressure that is not positive,
/// values outside Spectrum::validity(), a periodic side opposite a wall, and an emissivity or temperature of a periodic
/// side.
///
/// \param problem      any
/// \param where        opens the message, such as the name of a file; empty: the function
/// \param out_of_range unless it is refuse, finite values outside Spectrum::validity() are accepted, see in_range()
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void validate(Problem const& problem, std::string const& where = {}, OutOfRange out_of_range = OutOfRange::refuse);

/// \brief A copy of a problem that is within the validity of its spectrum.
/// \param problem      one that validate(problem, where, out_of_range) accepts; it is not changed
/// \param out_of_range clip: temperatures, pressure and mole fractions outside become the nearest end of their range;
///                     extrapolate: they stay, and the spectrum becomes Spectrum::extrapolated()
/// \param counts       set to the number of values outside, by variable
/// \param where        opens the message
/// \throws parhelion::Error where validate() refuses the result, such as more than 1e5 K with extrapolate
Problem in_range(Problem const& problem, OutOfRange out_of_range, OutOfRangeCounts& counts,
                 std::string const& where = {});

}  // namespace parhelion::monte_carlo

#endif
