// SPDX-License-Identifier: BSD-3-Clause
// What a solver consists of, for the sources that follow its rays and give its results.
#ifndef PARHELION_MONTE_CARLO_RECIPROCAL_PARTS_HPP
#define PARHELION_MONTE_CARLO_RECIPROCAL_PARTS_HPP

#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include "batch.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parhelion::monte_carlo {

namespace Impl {

/// Begins messages.
inline constexpr char const* name_of_solver = "monte_carlo::ReciprocalMonteCarlo";

/// A contiguous block of cells and faces of which the same number of rays has been followed.
struct PendingRays {
  std::size_t begin, end;
  int rays;
};

/// The workspace of a solver.
template <KokkosExecutionSpace Space, Floating Real>
struct Blocks {
  WorkspaceArray<Real*, Space> temperature, mean, variance;  ///< see DeviceField
  WorkspaceArray<CellTemperature<Real>*, Space> cell;
  WorkspaceArray<double**, Space> sums;  ///< see Batch
  WorkspaceArray<double***, Space> partial;
  WorkspaceArray<Impl::SharedRay<Real>*, Space> cell_rays, face_rays;
  WorkspaceArray<std::int64_t**, Space> averages;
  WorkspaceArray<double**, Space> planes;
};

}  // namespace Impl

template <KokkosExecutionSpace Space, Floating Real>
struct ReciprocalMonteCarlo<Space, Real>::Parts {
  Parts(Space const& space, model_type const& the_model, MonteCarloCapacity const& the_capacity);

  using Staging = Kokkos::View<Real*, StagingSpace<Space>>;

  model_type model;
  MonteCarloCapacity capacity;
  Workspace<Space> workspace;
  Impl::Blocks<Space, Real> blocks;
  NotFinite<Space> not_finite;
  DeviceField<Space, Real> field;
  Staging staging;  ///< temperatures on their way to a device
  int first = 0;
  int done = 0;
  int unfinished = 0;                      ///< repetitions in progress
  std::vector<Impl::PendingRays> pending;  ///< the rest of their rays, in the order in which they are followed
  double rate = 0;                         ///< rays a second, as measured; 0: not yet
  double largest = 0;                      ///< batch so far [rays]
  bool knows_planes = true;                ///< whether all cells are in the sums over planes

  Impl::DeviceArrays<Space, Real> const& arrays() const { return model.arrays(); }
  std::size_t nitem() const { return capacity.items.end - capacity.items.begin; }
  int rays() const { return arrays().rays(); }
  bool has_all_cells() const { return capacity.items.begin == 0 && capacity.items.end >= capacity.ncell; }
  Dimensions dimensions() const;
  std::array<bool, 6> has_flux() const;

  template <class Temperature>
  void take_temperature(Space const& space, Temperature const& temperature);
  template <Floating Out>
  void check_call(input_type const& input, Results<Space, Out> const& result) const;
  template <Floating Out>
  void store(Space const& space, Results<Space, Out> const& result) const;
  void begin(int repetitions);
  double items_of_room(int rays_left) const;
  int rays_of_room(Impl::PendingRays const& block) const;
  std::size_t end_of_tile(std::size_t end) const;
  double enqueue(Space const& space, double budget);
  Impl::Batch<Space, Real> batch(Impl::PendingRays const& block, int ray_end) const;
  Impl::Batch<Space, Real> completed() const;
  void complete(Space const& space);
};

template <KokkosExecutionSpace Space, Floating Real>
Dimensions ReciprocalMonteCarlo<Space, Real>::Parts::dimensions() const {
  Dimensions cells;
  for (std::size_t axis = 0; axis < 3; ++axis) cells.set(cell_dimensions[axis], field.level[0].ncell[axis]);
  return cells;
}

template <KokkosExecutionSpace Space, Floating Real>
std::array<bool, 6> ReciprocalMonteCarlo<Space, Real>::Parts::has_flux() const {
  std::array<bool, 6> has{};
  auto const& first_face = arrays().faces.first;
  for (std::size_t side = 0; side < 6; ++side) has[side] = first_face[side + 1] > first_face[side];
  return has;
}

}  // namespace parhelion::monte_carlo

#endif
