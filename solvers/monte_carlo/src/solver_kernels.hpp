// SPDX-License-Identifier: BSD-3-Clause
// What a solver enqueues for a number of repetitions. Compiled in files of their own.
#ifndef PARHELION_MONTE_CARLO_SOLVER_KERNELS_HPP
#define PARHELION_MONTE_CARLO_SOLVER_KERNELS_HPP

#include "device_arrays.hpp"

#include <parhelion/core/solver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>
#include <parhelion/monte_carlo/options.hpp>

#include <cstddef>

namespace parhelion::monte_carlo::Impl {

/// What is summed over repetitions, of each cell or face.
enum Quantity { of_value, of_square, of_incident, of_crossings, quantities };

/// What is kept of a repetition that is worked on: sums over its rays so far, and here, instead of a square, where the
/// ordered points of random numbers are.
inline constexpr Quantity of_ordered = of_square;

/// A ray that starts in every cell, or at every face: there z is the direction into the box.
template <Floating Real>
struct alignas(4 * sizeof(Real)) SharedRay {
  int point;
  Real x, y, z;
};

/// Rays that are drawn for all cells at a time, of each repetition.
inline int rays_drawn(int rays, int repetitions) {
  constexpr int most = 1 << 20;
  constexpr int fewest = 32;
  int const share = most / repetitions;
  int const drawn = share > fewest ? share : fewest;
  return rays < drawn ? rays : drawn;
}

/// Some rays of some cells and faces, in the repetitions that are worked on.
template <KokkosExecutionSpace Space, Floating Real>
struct Batch {
  DeviceField<Space, Real> field;
  DeviceSpectrum<Space, Real> spectrum;
  Faces faces;
  Options options;
  int rays;  ///< of a cell and repetition
  int first_repetition;
  int repetitions;
  int ncell;
  std::size_t share_begin, share_end;                  ///< cells, and faces behind them, that are computed in all
  std::size_t begin, end;                              ///< those of this batch
  int ray_begin, ray_end;                              ///< rays of each of them
  WorkspaceArray<double***, Space> partial;            ///< (repetition that has begun, quantity, item of the share)
  WorkspaceArray<SharedRay<Real>**, Space> cell_rays;  ///< (repetition that has begun, ray of a batch)
  WorkspaceArray<SharedRay<Real>**, Space> face_rays;
  WorkspaceArray<double**, Space> sums;  ///< (quantity, item of the share)
  NotFinite<Space> not_finite;
};

/// Draws and marches the rays of a batch.
template <KokkosExecutionSpace Space, Floating Real>
void run(Space const& space, Batch<Space, Real> const& batch);

/// Adds repetitions, all rays of which have been followed, to the sums.
template <KokkosExecutionSpace Space, Floating Real>
void add_up(Space const& space, Batch<Space, Real> const& batch);

}  // namespace parhelion::monte_carlo::Impl

#endif
