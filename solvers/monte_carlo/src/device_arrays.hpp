// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a DeviceProblem.
#ifndef PARHELION_MONTE_CARLO_DEVICE_ARRAYS_HPP
#define PARHELION_MONTE_CARLO_DEVICE_ARRAYS_HPP

#include "device_field.hpp"
#include "device_spectrum.hpp"

#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include <cstddef>
#include <memory>

namespace parhelion::monte_carlo::Impl {

/// The index of the first face of each side among all faces of walls.
struct Faces {
  int first[7] = {};

  int n() const { return first[6]; }
};

/// \brief The faces of walls whose fluxes are computed.
/// \param problem one that validate() accepts
/// \param options whether fluxes are computed
Faces faces_of(Problem const& problem, Options const& options);

template <KokkosExecutionSpace Space, Floating Real>
struct DeviceArrays {
  Options options;
  Faces faces;
  DeviceField<Space, Real> field;  ///< without the arrays that depend on the temperature
  DeviceSpectrum<Space, Real> spectrum;
  Array<Real*, Space> temperature;  ///< temperature of the problem at the centres of cells [K]

  int rays() const { return options.rays / options.repetitions; }  ///< rays of a repetition
};

/// The number of planes of cells across all axes.
inline std::size_t planes_of(Grid const& grid) {
  return static_cast<std::size_t>(grid.ncell(0)) + static_cast<std::size_t>(grid.ncell(1)) +
         static_cast<std::size_t>(grid.ncell(2));
}

/// Sets the members of a capacity that are about rays which cells share.
inline void set_rays(MonteCarloCapacity& capacity, Options const& options) {
  bool const shared = options.directions != Directions::independent;
  capacity.rays = shared ? options.rays / options.repetitions : 0;
  capacity.tile = options.directions == Directions::tiles ? tile_size : 0;
}

/// \brief Makes tables and grids and allocates; fences. The arrays have no values yet.
/// \param problem one that validate() accepts; its arrays are not used
/// \param numbers of its arrays
template <KokkosExecutionSpace Space, Floating Real>
std::shared_ptr<DeviceArrays<Space, Real>> make_device_arrays(Space const& space, Problem const& problem,
                                                              ProblemNumbers const& numbers, Options const& options);

/// \brief Brings the arrays of a problem; fences if they are in host memory.
/// \param pressure of the gas [Pa]
template <KokkosExecutionSpace Space, Floating Real>
void bring_arrays(Space const& space, DeviceArrays<Space, Real> const& to, ProblemArrays const& from, double pressure);

}  // namespace parhelion::monte_carlo::Impl

#endif
