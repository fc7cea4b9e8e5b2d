// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_DEVICE_FIELD_HPP
#define PARHELION_MONTE_CARLO_DEVICE_FIELD_HPP

#include "problem_arrays.hpp"
#include "table_steps.hpp"

#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace parhelion::monte_carlo {

/// Temperature in a cell, in TableSteps, as a function of the position:
/// at_origin + slope[0] x + slope[1] y + slope[2] z.
template <Floating Real>
struct alignas(4 * sizeof(Real)) CellTemperature {
  Real at_origin;
  Real slope[3];  ///< [m-1]
};

/// One of the grids: 2^shift[a] cells of the finest grid make up a cell along axis a.
struct Level {
  int shift[3];
  int ncell[3];
  int first_cell;            ///< index of its first cell in arrays over cells
  int first_face[3];         ///< index of its first face of each axis in DeviceField::face
  int first_crossing[3][2];  ///< of each axis, down and up, in DeviceField::crossing
  int steps;                 ///< number of cells that a ray crosses here; in the last level it ends
};

/// What happens to a ray that leaves a cell through its face ahead along an axis. Tables of it spare rays the choice
/// between inner faces, periodic sides and walls.
template <Floating Real>
struct alignas(4 * sizeof(Real)) Crossing {
  /// The shift at a wall: no inner face has it, no periodic side is as near, and no origin is moved by it.
  static constexpr Real of_wall = std::numeric_limits<Real>::min();

  Real next_face;  ///< the coordinate of the face that it comes to next, less the shift [m]
  Real shift;      ///< to be added to the coordinates of its origin, at a periodic side [m]; 0 at inner faces
  int step;        ///< to the entry of the next cell; 0 at a wall
  int cells;       ///< to the next cell in arrays over cells
};

/// \brief The grids of a problem from fine to coarse, see Options::grids, first_steps and absorbed.
/// \param problem one that validate() accepts; its arrays are not used
/// \param numbers of its arrays
/// \param options those of grids and steps are used
/// \param faces   set to the faces of all of them [m], by level and axis
/// \throws parhelion::Error where they have too many cells
std::vector<Level> levels_of(Problem const& problem, Impl::ProblemNumbers const& numbers, Options const& options,
                             std::vector<double>& faces);

/// The number of cells of all grids.
std::size_t cells_of_all(std::vector<Level> const& levels);

/// \brief A grid and the gas in it on a device, with coarser versions of both.
///
/// Cells of a level are in the order (x, y, z), z fastest; level 0 is the grid of the problem. Arrays that depend on
/// the temperature are in the workspace of a solver.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct DeviceField {
  int nlevel = 0;
  Level level[max_grids];
  TableSteps<Real> steps;
  bool periodic[3] = {};
  Real length[3] = {};                              ///< of the box [m]
  Array<Real*, ExecutionSpace> face;                ///< [m], by level and axis
  Array<Crossing<Real>*, ExecutionSpace> crossing;  ///< by level, axis, direction (down, up) and cell along the axis
  Array<Real*, ExecutionSpace> amount;  ///< Problem::amount by level; one number where it is the same everywhere
  int amount_stride = 0;                ///< from a cell to the next in `amount`: 0 or 1
  WorkspaceArray<Real*, ExecutionSpace> temperature;            ///< at the centres of the cells of level 0 [K]
  WorkspaceArray<CellTemperature<Real>*, ExecutionSpace> cell;  ///< by level
  WorkspaceArray<Real*, ExecutionSpace> mean;                   ///< mean temperature of cells [K], by level
  WorkspaceArray<Real*, ExecutionSpace> variance;               ///< of temperature in them [K^2], by level

  KOKKOS_INLINE_FUNCTION Real amount_of(int cell) const { return amount(cell * amount_stride); }
  KOKKOS_INLINE_FUNCTION int ncell() const { return level[0].ncell[0] * level[0].ncell[1] * level[0].ncell[2]; }
};

/// \brief Brings the grid of a problem to the device and allocates; fences. `amount` has no values yet.
/// \param space   execution space instance, whose device is used
/// \param problem one that validate() accepts; its arrays are not used
/// \param numbers of its arrays
/// \param options grids, first_steps, absorbed and absorbed_by are used
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
DeviceField<ExecutionSpace, Real> make_device_field(ExecutionSpace const& space, Problem const& problem,
                                                    Impl::ProblemNumbers const& numbers, Options const& options);

/// \brief Brings the composition of the gas, if cells have their own.
/// \param space    execution space instance; fences if the array is in host memory
/// \param field    its `amount` is set
/// \param arrays   mole_fraction is used
/// \param pressure of the gas [Pa]
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void bring_amount(ExecutionSpace const& space, DeviceField<ExecutionSpace, Real> const& field,
                  Impl::ProblemArrays const& arrays, double pressure);

/// \brief Recomputes everything that depends on DeviceField::temperature. Neither allocates nor fences.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void update_temperature(ExecutionSpace const& space, DeviceField<ExecutionSpace, Real> const& field,
                        Options const& options);

}  // namespace parhelion::monte_carlo

#endif
