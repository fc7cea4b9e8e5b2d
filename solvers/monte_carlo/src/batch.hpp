// SPDX-License-Identifier: BSD-3-Clause
// A batch of rays, and the functions that enqueue its kernels; batch_kernels.hpp defines them.
#ifndef PARHELION_MONTE_CARLO_BATCH_HPP
#define PARHELION_MONTE_CARLO_BATCH_HPP

#include "device_arrays.hpp"

#include <parhelion/core/solver.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/core/workspace.hpp>
#include <parhelion/monte_carlo/options.hpp>

#include <cstddef>

namespace parhelion::monte_carlo::Impl {

/// The quantities that are summed over repetitions for each cell or face.
enum Quantity { of_value, of_square, of_incident, of_crossings, quantities };

/// Within an unfinished repetition, sums over its rays so far are kept; the entry of the square then holds the position
/// in the ordered sequence of random numbers.
inline constexpr Quantity of_ordered = of_square;

/// A ray that starts in every cell or at every face; at faces z is the direction into the box.
template <Floating Real>
struct alignas(4 * sizeof(Real)) SharedRay {
  int point;
  Real x, y, z;
};

/// The number of shared rays of each repetition that are drawn at a time.
inline int rays_drawn(int rays, int repetitions) {
  constexpr int max_total = 1 << 20;
  constexpr int min_drawn = 32;
  int const each = max_total / repetitions;
  int const drawn = each > min_drawn ? each : min_drawn;
  return rays < drawn ? rays : drawn;
}

/// Some rays of some cells and faces, in all unfinished repetitions.
template <KokkosExecutionSpace Space, Floating Real>
struct Batch {
  DeviceField<Space, Real> field;
  DeviceSpectrum<Space, Real> spectrum;
  Faces faces;
  Options options;
  int rays;  ///< rays of a cell in a repetition
  int first_repetition;
  int repetitions;
  int ncell;
  std::size_t items_begin, items_end;                  ///< items that the solver computes
  std::size_t begin, end;                              ///< items of this batch
  int ray_begin, ray_end;                              ///< rays of each of them
  WorkspaceArray<double***, Space> partial;            ///< (unfinished repetition, quantity, item of the solver)
  WorkspaceArray<SharedRay<Real>**, Space> cell_rays;  ///< (unfinished repetition, ray of the batch)
  WorkspaceArray<SharedRay<Real>**, Space> face_rays;
  WorkspaceArray<double**, Space> sums;  ///< (quantity, item of the solver)
  NotFinite<Space> not_finite;
};

/// Enqueues the kernels that draw and follow the rays of a batch.
template <KokkosExecutionSpace Space, Floating Real>
void enqueue_batch(Space const& space, Batch<Space, Real> const& batch);

/// Enqueues the kernel that adds completed repetitions to the sums.
template <KokkosExecutionSpace Space, Floating Real>
void enqueue_sums(Space const& space, Batch<Space, Real> const& batch);

}  // namespace parhelion::monte_carlo::Impl

#endif
