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
#include <cstdint>
#include <limits>

namespace parhelion::monte_carlo::Impl {

/// The quantities that are summed over repetitions for each cell or face.
enum Quantity { of_value, of_square, of_incident, of_crossings, quantities };

/// Within an unfinished repetition, sums over its rays so far are kept; the entry of the square then holds the position
/// in the ordered sequence of random numbers.
inline constexpr Quantity of_ordered = of_square;

/// A ray that starts in every cell or at every face of a tile; at faces z is the direction into the box.
template <Floating Real>
struct alignas(4 * sizeof(Real)) SharedRay {
  int point;
  Real x, y, z;
};

/// The number of tiles whose points continue each other, see unit_point(). Groups of them are independent.
inline constexpr int tiles_of_group = 64;

/// The tiles of a range of cells or faces. All cells are one tile where all share their rays.
struct Tiles {
  int size;   ///< cells of a tile
  int first;  ///< index of the first one
  int n;

  KOKKOS_INLINE_FUNCTION int of(int cell) const { return cell / size; }
};

/// A place among the items, which are cells followed by faces.
struct Place {
  int cell, face;
};
inline Place place_of(std::size_t ncell, std::size_t item) {
  return {static_cast<int>(item < ncell ? item : ncell), static_cast<int>(item > ncell ? item - ncell : 0)};
}

/// \brief The tiles that a range of cells or faces touches.
/// \param directions shared or tiles
inline Tiles tiles_of(Directions directions, int begin, int end) {
  int const size = directions == Directions::tiles ? tile_size : std::numeric_limits<int>::max();
  int const first = begin / size;
  return {size, first, end > begin ? (end - 1) / size - first + 1 : 0};
}

/// Some rays of some cells and faces, in all unfinished repetitions.
template <KokkosExecutionSpace Space, Floating Real>
struct Batch {
  DeviceField<Space, Real> field;
  DeviceSpectrum<Space, Real> spectrum;
  Faces faces;
  Options options;
  Real tolerance;  ///< Options::tolerance, which threads would convert again and again
  int rays;        ///< rays of a cell in a repetition
  int first_repetition;
  int repetitions;
  int ncell;
  std::size_t items_begin, items_end;        ///< items that the solver computes
  std::size_t begin, end;                    ///< items of this batch
  int ray_begin, ray_end;                    ///< rays of each of them
  WorkspaceArray<double***, Space> partial;  ///< (unfinished repetition, quantity, item of the solver)
  /// (unfinished repetition, tile of the batch, ray of the batch) in the order of these indices
  WorkspaceArray<SharedRay<Real>*, Space> cell_rays, face_rays;
  WorkspaceArray<double**, Space> sums;  ///< (quantity, item of the solver)
  /// (unfinished repetition, plane): averages over planes, in units of plane_unit(). Integers, whose sum does not
  /// depend on the order.
  WorkspaceArray<std::int64_t**, Space> averages;
  WorkspaceArray<double**, Space> planes;  ///< (of_value and of_square, plane and last the box)
  NotFinite<Space> not_finite;
};

/// Enqueues the kernels that draw and follow the rays of a batch.
template <KokkosExecutionSpace Space, Floating Real>
void enqueue_batch(Space const& space, Batch<Space, Real> const& batch);

/// Enqueues the kernel that adds completed repetitions to the sums.
template <KokkosExecutionSpace Space, Floating Real>
void enqueue_sums(Space const& space, Batch<Space, Real> const& batch);

/// Enqueues the kernels that average completed repetitions over planes, as far as the solver has their cells.
template <KokkosExecutionSpace Space, Floating Real>
void enqueue_averages(Space const& space, Batch<Space, Real> const& batch);

/// Enqueues the kernel that adds these averages to the sums.
template <KokkosExecutionSpace Space, Floating Real>
void enqueue_sums_of_planes(Space const& space, Batch<Space, Real> const& batch);

}  // namespace parhelion::monte_carlo::Impl

#endif
