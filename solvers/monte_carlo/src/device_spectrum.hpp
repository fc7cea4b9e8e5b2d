// SPDX-License-Identifier: BSD-3-Clause
// A spectrum on a device: absorption and source over temperature, and the probabilities of its points.
#ifndef PARHELION_MONTE_CARLO_DEVICE_SPECTRUM_HPP
#define PARHELION_MONTE_CARLO_DEVICE_SPECTRUM_HPP

#include "problem_arrays.hpp"
#include "table_steps.hpp"

#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <cstddef>

namespace parhelion::monte_carlo::Impl {

/// Absorption and source at a temperature of the table, and their differences to the next one.
template <Floating Real>
struct alignas(4 * sizeof(Real)) SpectralNode {
  Real absorption;       ///< [m-1]
  Real absorption_step;  ///< to the next node
  Real source;           ///< [W m-2 sr-1]
  Real source_step;
};

/// The distribution of the spectral points of rays.
template <KokkosExecutionSpace Space, Floating Real>
struct Choice {
  Array<double*, Space> cumulative;  ///< cumulative probability, in the order of the points
  Array<int*, Space> order;          ///< index of the point at each position of the order
  Array<Real*, Space> weight;        ///< solid angle of the directions of rays over the probability [sr]

  /// The point at a coordinate in (0, 1).
  KOKKOS_INLINE_FUNCTION int at(double coordinate) const {
    int below = 0;
    int above = static_cast<int>(order.extent(0)) - 1;
    while (below < above) {
      int const middle = (below + above) / 2;
      if (cumulative(middle) > coordinate)
        above = middle;
      else
        below = middle + 1;
    }
    return order(below);
  }
};

/// The temperature of the walls, and their sources where the table of the gas does not cover them.
template <KokkosExecutionSpace Space, Floating Real>
struct DeviceWalls {
  bool is_wall[6] = {};
  Real emissivity[6] = {};
  bool looked_up[6] = {};           ///< whether the temperature is within the table of the gas
  int first_face[6] = {};           ///< in `temperature`
  int stride[6] = {};               ///< faces along the second axis of a side; 0: one temperature
  Array<Real*, Space> temperature;  ///< of faces [K], one or all of a side
  Real first[6] = {};               ///< of the nodes of `source` [K]
  Real inverse_spacing[6] = {};     ///< [K-1]
  Array<Real***, Space> source;     ///< (side, point, node)
};

template <KokkosExecutionSpace Space, Floating Real>
struct DeviceSpectrum {
  TableSteps<Real> steps;                   ///< of `node`
  Array<SpectralNode<Real>**, Space> node;  ///< (point, temperature)
  Choice<Space, Real> of_cells;
  Choice<Space, Real> of_walls;
  DeviceWalls<Space, Real> walls;
  double largest_value = 0;  ///< above what a ray can add to the source of a cell [W m-3]

  KOKKOS_INLINE_FUNCTION int nnode() const { return static_cast<int>(node.extent(1)); }
};

/// \brief The temperatures of the gas that the table covers [K]: those of the rounded numbers, from Options::coldest to
///        Options::warmest, and those between the centres of cells and towards walls.
TemperatureRange table_range(Problem const& problem, ProblemNumbers const& numbers, Options const& options);

/// The number of nodes that the table needs for the tolerated error, or Options::nodes.
int nodes_of_table(Problem const& problem, ProblemNumbers const& numbers, Options const& options);

/// The number of values in the tables of the sources of walls.
std::size_t wall_sources(Problem const& problem, ProblemNumbers const& numbers);

/// \brief Brings a problem's spectrum and walls to the device, without the temperatures of faces.
/// \param problem its arrays are not used
/// \param numbers of its arrays
template <KokkosExecutionSpace Space, Floating Real>
DeviceSpectrum<Space, Real> make_device_spectrum(Space const& space, Problem const& problem,
                                                 ProblemNumbers const& numbers, Options const& options);

/// \brief Brings the temperatures of faces of walls.
/// \param space  execution space instance; fences if the arrays are in host memory
/// \param walls  their `temperature` is set where there are arrays
/// \param arrays face_temperature is used
template <KokkosExecutionSpace Space, Floating Real>
void bring_face_temperatures(Space const& space, DeviceWalls<Space, Real> const& walls, ProblemArrays const& arrays);

}  // namespace parhelion::monte_carlo::Impl

#endif
