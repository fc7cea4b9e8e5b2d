// SPDX-License-Identifier: BSD-3-Clause
// The kernels of batch.hpp. One source file for each precision compiles them.
#ifndef PARHELION_MONTE_CARLO_BATCH_KERNELS_HPP
#define PARHELION_MONTE_CARLO_BATCH_KERNELS_HPP

#include "batch.hpp"
#include "march.hpp"

#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/machine.hpp>

#include <type_traits>

namespace parhelion::monte_carlo::Impl {

/// Draws the rays that the cells or faces of a tile share.
template <class Space, Floating Real>
struct DrawShared {
  Batch<Space, Real> batch;
  Tiles tiles;
  bool wall;

  KOKKOS_FUNCTION void operator()(int i) const {
    int const drawn = batch.ray_end - batch.ray_begin;
    int const repetition = i / drawn / tiles.n;
    int const tile = tiles.first + i / drawn % tiles.n;
    int const ray = batch.ray_begin + i % drawn;
    bool const of_tile = batch.options.directions == Directions::tiles;
    bool const continues = batch.options.sampling == Sampling::sobol || batch.options.sampling == Sampling::kronecker;
    bool const in_group = of_tile && continues;
    RandomKey key{batch.options.seed, static_cast<std::uint32_t>(batch.first_repetition + repetition), everybody};
    if (of_tile) key.owner = static_cast<std::uint32_t>(in_group ? tile / tiles_of_group : tile);
    UnitPoint const point =
        unit_point(batch.options.sampling, key, wall, static_cast<std::uint32_t>(ray),
                   static_cast<std::uint32_t>(batch.rays), in_group ? place_in_group(key, tile) : 0);
    Direction<Real> const d = wall ? inward_direction<Real>(point, 4) : any_direction<Real>(point);
    auto const& choice = wall ? batch.spectrum.of_walls : batch.spectrum.of_cells;
    (wall ? batch.face_rays : batch.cell_rays)(i) = {choice.at(point.spectral), d.x, d.y, d.z};
  }

  /// The place of a tile in the sequence of its group. With tiles in order, those at equal distances, such as those of
  /// a plane, could have points at a distance that is nearly a period of the sequence, and err alike.
  KOKKOS_INLINE_FUNCTION std::uint32_t place_in_group(RandomKey const& key, int tile) const {
    std::uint32_t const seed = random_block(key, wall ? wall_set_shift : set_shift, 1).word[0];
    return permute(static_cast<std::uint32_t>(tile % tiles_of_group), tiles_of_group, seed);
  }
};

/// The key of a cell or face.
/// \param first of the faces; 0 for cells
template <class Space, Floating Real>
KOKKOS_INLINE_FUNCTION RandomKey key_of(Batch<Space, Real> const& batch, Tiles const& tiles, int repetition, int first,
                                        int index) {
  auto owner = static_cast<std::uint32_t>(first + index);
  if (batch.options.directions == Directions::shared) owner = first > 0 ? everybody - 1 : everybody;
  if (batch.options.directions == Directions::tiles) owner = static_cast<std::uint32_t>(first + tiles.of(index));
  return {batch.options.seed, static_cast<std::uint32_t>(batch.first_repetition + repetition), owner};
}

/// Draws the rays of one cell or face, one after another.
struct IndependentRays {
  double above;  ///< one minus the spectral coordinate of the last ordered point; 1 before the first

  KOKKOS_INLINE_FUNCTION UnitPoint draw(Options const& options, RandomKey const& key, bool wall, int ray, int rays) {
    UnitPoint point =
        unit_point(options.sampling, key, wall, static_cast<std::uint32_t>(ray), static_cast<std::uint32_t>(rays));
    if (options.sampling == Sampling::random && options.ordered) {
      // The smallest of the remaining uniform numbers above the last one: the sequence is that of sorted independent
      // numbers.
      above *= Kokkos::pow(point.spectral, 1. / (rays - ray));
      point.spectral = 1 - above;
    }
    return point;
  }
};

/// The coordinate of a place in a cell, given as a fraction of its width from the lower face.
template <class Space, Floating Real>
KOKKOS_INLINE_FUNCTION Real place_along(DeviceField<Space, Real> const& field, int face, double fraction) {
  Real const low = field.face(face);
  return low + static_cast<Real>(fraction) * (field.face(face + 1) - low);
}

/// The sums over the rays before those of a batch. They are stored unrounded, so that the result does not depend on
/// where one batch ends and the next begins.
template <class Space, Floating Real>
struct PartialSums {
  Batch<Space, Real> const& batch;
  int repetition;

  KOKKOS_INLINE_FUNCTION double get(Quantity quantity, std::size_t item, double at_begin) const {
    return batch.ray_begin == 0 ? at_begin : batch.partial(repetition, quantity, item - batch.items_begin);
  }
  KOKKOS_INLINE_FUNCTION void put(Quantity quantity, std::size_t item, double value) const {
    batch.partial(repetition, quantity, item - batch.items_begin) = value;
  }
};

/// \brief Follows some rays from `pack` neighbouring cells in one repetition.
/// \tparam shared  whether rays are those of the tile, which have been drawn
/// \tparam uniform see Rays
template <class Space, Floating Real, int pack, bool shared, bool uniform>
struct CellRays {
  Batch<Space, Real> batch;
  Tiles tiles;
  int begin, end;  ///< cells
  int packs;

  KOKKOS_FUNCTION void operator()(int i) const {
    auto const& field = batch.field;
    auto const& spectrum = batch.spectrum;
    int const repetition = i / packs;
    int const first = begin + i % packs * pack;
    Level const& level = field.level[0];
    Rays<Space, Real, pack, uniform> rays;
    RandomKey key[pack];
    IndependentRays own[pack];
    int node[pack];
    Real weight[pack];
    Real amount[pack];
    double value[pack];
    double incident[pack];
    double crossings[pack];
    int set[pack] = {};  // the place of ray 0 among those of the batch
    int const drawn = batch.ray_end - batch.ray_begin;
    int const nnode = spectrum.nnode();
    bool const in_volume = batch.options.ray_origin == RayOrigin::volume;
    PartialSums<Space, Real> const partial{batch, repetition};
    for (int l = 0; l < pack; ++l) {
      int const cell = first + l < end ? first + l : end - 1;
      int const index[3] = {cell / level.ncell[2] / level.ncell[1], cell / level.ncell[2] % level.ncell[1],
                            cell % level.ncell[2]};
      PARHELION_UNROLL
      for (int a = 0; a < 3; ++a) rays.start[a][l] = index[a];
      node[l] = node_at(nnode, spectrum.steps(field.temperature(cell)), weight[l]);
      amount[l] = field.amount_of(cell);
      key[l] = key_of(batch, tiles, repetition, 0, cell);
      if (shared) set[l] = (repetition * tiles.n + tiles.of(cell) - tiles.first) * drawn - batch.ray_begin;
      auto const item = static_cast<std::size_t>(cell);
      value[l] = partial.get(of_value, item, 0);
      own[l].above = partial.get(of_ordered, item, 1);
      incident[l] = partial.get(of_incident, item, 0);
      crossings[l] = partial.get(of_crossings, item, 0);
    }
    for (int ray = batch.ray_begin; ray < batch.ray_end; ++ray) {
      Real absorption[pack];
      for (int l = 0; l < pack; ++l) {
        if (shared) {
          SharedRay<Real> const common = batch.cell_rays(set[l] + ray);
          rays.point[l] = common.point;
          rays.along[0][l] = common.x;
          rays.along[1][l] = common.y;
          rays.along[2][l] = common.z;
        } else {
          UnitPoint const point = own[l].draw(batch.options, key[l], false, ray, batch.rays);
          Direction<Real> const d = any_direction<Real>(point);
          rays.point[l] = spectrum.of_cells.at(point.spectral);
          rays.along[0][l] = d.x;
          rays.along[1][l] = d.y;
          rays.along[2][l] = d.z;
        }
        double fraction[3] = {0.5, 0.5, 0.5};
        if (in_volume) place_in_cell(batch.options.sampling, key[l], false, static_cast<std::uint32_t>(ray), fraction);
        PARHELION_UNROLL
        for (int a = 0; a < 3; ++a)
          rays.origin[a][l] = place_along(field, level.first_face[a] + rays.start[a][l], fraction[a]);
        if (in_volume) {
          CellTemperature<Real> const cell = field.cell(first + l < end ? first + l : end - 1);
          Real const steps = cell.at_origin + cell.slope[0] * rays.origin[0][l] + cell.slope[1] * rays.origin[1][l] +
                             cell.slope[2] * rays.origin[2][l];
          node[l] = node_at(nnode, steps, weight[l]);
        }
        SpectralNode<Real> const& at = spectrum.node(rays.point[l], node[l]);
        rays.source[l] = at.source + weight[l] * at.source_step;
        absorption[l] = amount[l] * (at.absorption + weight[l] * at.absorption_step);
      }
      rays.march(field, spectrum, key, static_cast<std::uint32_t>(ray), batch.tolerance);
      for (int l = 0; l < pack; ++l) {
        Real const share = spectrum.of_cells.weight(rays.point[l]);
        value[l] += double(share * absorption[l] * rays.missing[l]);
        incident[l] += double(share * (rays.source[l] - rays.missing[l]));
        crossings[l] += rays.crossings[l];
      }
    }
    for (int l = 0; l < pack && first + l < end; ++l) {
      auto const item = static_cast<std::size_t>(first + l);
      partial.put(of_value, item, value[l]);
      partial.put(of_ordered, item, own[l].above);
      partial.put(of_incident, item, incident[l]);
      partial.put(of_crossings, item, crossings[l]);
    }
  }
};

/// \brief Follows some rays from `pack` neighbouring faces of walls in one repetition; parameters as those of CellRays.
template <class Space, Floating Real, int pack, bool shared, bool uniform>
struct FaceRays {
  Batch<Space, Real> batch;
  Tiles tiles;
  int begin, end;  ///< faces
  int packs;

  KOKKOS_FUNCTION void operator()(int i) const {
    auto const& field = batch.field;
    auto const& spectrum = batch.spectrum;
    int const repetition = i / packs;
    int const first = begin + i % packs * pack;
    Level const& level = field.level[0];
    Rays<Space, Real, pack, uniform> rays;
    RandomKey key[pack];
    IndependentRays own[pack];
    int side[pack];
    int temperature[pack];
    double value[pack];
    double crossings[pack];
    int set[pack] = {};
    int const drawn = batch.ray_end - batch.ray_begin;
    bool const in_volume = batch.options.ray_origin == RayOrigin::volume;
    PartialSums<Space, Real> const partial{batch, repetition};
    for (int l = 0; l < pack; ++l) {
      int const face = first + l < end ? first + l : end - 1;
      int s = 0;
      while (face >= batch.faces.first[s + 1]) ++s;
      side[l] = s;
      int const axis = s / 2;
      int const other0 = axis == 0 ? 1 : 0;
      int const other1 = axis == 2 ? 1 : 2;
      int const face_of_side = face - batch.faces.first[s];
      temperature[l] = spectrum.walls.stride[s] > 0 ? face_of_side : 0;
      PARHELION_UNROLL
      for (int a = 0; a < 3; ++a)
        rays.start[a][l] = a == axis     ? (s % 2 == 0 ? 0 : level.ncell[a] - 1)
                           : a == other0 ? face_of_side / level.ncell[other1]
                                         : face_of_side % level.ncell[other1];
      key[l] = key_of(batch, tiles, repetition, batch.ncell, face);
      if (shared) set[l] = (repetition * tiles.n + tiles.of(face) - tiles.first) * drawn - batch.ray_begin;
      auto const item = static_cast<std::size_t>(batch.ncell + face);
      value[l] = partial.get(of_value, item, 0);
      own[l].above = partial.get(of_ordered, item, 1);
      crossings[l] = partial.get(of_crossings, item, 0);
    }
    for (int ray = batch.ray_begin; ray < batch.ray_end; ++ray) {
      for (int l = 0; l < pack; ++l) {
        Direction<Real> d;
        if (shared) {
          SharedRay<Real> const common = batch.face_rays(set[l] + ray);
          rays.point[l] = common.point;
          d = turned({common.x, common.y, common.z}, side[l]);
        } else {
          UnitPoint const point = own[l].draw(batch.options, key[l], true, ray, batch.rays);
          rays.point[l] = spectrum.of_walls.at(point.spectral);
          d = inward_direction<Real>(point, side[l]);
        }
        rays.along[0][l] = d.x;
        rays.along[1][l] = d.y;
        rays.along[2][l] = d.z;
        double fraction[3] = {0.5, 0.5, 0.5};
        if (in_volume) place_in_cell(batch.options.sampling, key[l], true, static_cast<std::uint32_t>(ray), fraction);
        PARHELION_UNROLL
        for (int a = 0; a < 3; ++a)
          rays.origin[a][l] = a == side[l] / 2
                                  ? field.face(level.first_face[a] + rays.start[a][l] + side[l] % 2)
                                  : place_along(field, level.first_face[a] + rays.start[a][l], fraction[a]);
        rays.source[l] = wall_source(spectrum, side[l], temperature[l], rays.point[l]);
      }
      rays.march(field, spectrum, key, static_cast<std::uint32_t>(ray), batch.tolerance);
      for (int l = 0; l < pack; ++l) {
        value[l] +=
            double(spectrum.of_walls.weight(rays.point[l]) * spectrum.walls.emissivity[side[l]] * rays.missing[l]);
        crossings[l] += rays.crossings[l];
      }
    }
    for (int l = 0; l < pack && first + l < end; ++l) {
      auto const item = static_cast<std::size_t>(batch.ncell + first + l);
      partial.put(of_value, item, value[l]);
      partial.put(of_ordered, item, own[l].above);
      partial.put(of_incident, item, 0);
      partial.put(of_crossings, item, crossings[l]);
    }
  }

  /// Turns a direction relative to the normal z to another side.
  KOKKOS_INLINE_FUNCTION static Direction<Real> turned(Direction<Real> const& d, int side) {
    Real const normal = side % 2 == 0 ? d.z : -d.z;
    if (side / 2 == 0) return {normal, d.x, d.y};
    if (side / 2 == 1) return {d.y, normal, d.x};
    return {d.x, d.y, normal};
  }
};

/// Adds the results of completed repetitions to the sums.
template <class Space, Floating Real>
struct AddRepetitions {
  Batch<Space, Real> batch;

  KOKKOS_FUNCTION void operator()(int item) const {
    for (int r = 0; r < batch.repetitions; ++r) {
      double const value = batch.partial(r, of_value, item) / batch.rays;
      batch.not_finite.check(value, static_cast<int>(batch.items_begin) + item);
      batch.sums(of_value, item) += value;
      batch.sums(of_square, item) += value * value;
      batch.sums(of_incident, item) += batch.partial(r, of_incident, item) / batch.rays;
      batch.sums(of_crossings, item) += batch.partial(r, of_crossings, item);
    }
  }
};

/// \brief Averages of the source over planes of a repetition, as integers.
///
/// Each cell is rounded by itself, so that sums are exact: they are the same in whatever order, on whatever number of
/// ranks. A unit is 2^-61 of the largest value of a ray, and the weights of the cells of a plane sum to 1: averages
/// neither overflow nor lose digits that errors would need.
template <class Space, Floating Real>
struct AveragePlanes {
  static constexpr double most = 0x1p61;

  Batch<Space, Real> batch;
  bool across_z;  ///< whether rows along y are added to planes across z; otherwise rows along z to those across x and y
  double inverse_length[3] = {};

  AveragePlanes(Batch<Space, Real> const& the_batch, bool z) : batch(the_batch), across_z(z) {
    for (int axis = 0; axis < 3; ++axis) inverse_length[axis] = 1 / double(batch.field.length[axis]);
  }

  int rows() const {
    auto const& n = batch.field.level[0].ncell;
    return batch.repetitions * n[0] * n[across_z ? 2 : 1];
  }

  /// Share of a cell in the box along an axis.
  KOKKOS_INLINE_FUNCTION double share(int axis, int i) const {
    int const face = batch.field.level[0].first_face[axis] + i;
    return (double(batch.field.face(face + 1)) - double(batch.field.face(face))) * inverse_length[axis];
  }

  /// The average over rays of a cell, in units.
  KOKKOS_INLINE_FUNCTION double value(int repetition, std::int64_t item) const {
    double const units = batch.partial(repetition, of_value, item) / batch.rays * (most / batch.spectrum.largest_value);
    // Also where it is not a number, which is reported elsewhere.
    return units < most ? (units > -most ? units : -most) : most;
  }

  KOKKOS_FUNCTION void operator()(int row) const {
    Level const& level = batch.field.level[0];
    int const n_other = level.ncell[across_z ? 2 : 1];
    int const n_along = level.ncell[across_z ? 1 : 2];
    int const other = row % n_other;
    int const x = row / n_other % level.ncell[0];
    int const repetition = row / n_other / level.ncell[0];
    double const share_x = share(0, x);
    double const share_other = share(across_z ? 2 : 1, other);
    std::int64_t of_x = 0;
    std::int64_t of_other = 0;
    for (int i = 0; i < n_along; ++i) {
      std::int64_t const cell =
          (std::int64_t(x) * level.ncell[1] + (across_z ? i : other)) * level.ncell[2] + (across_z ? other : i);
      std::int64_t const item = cell - static_cast<std::int64_t>(batch.items_begin);
      if (item < 0 || cell >= static_cast<std::int64_t>(batch.items_end)) continue;
      double const here = value(repetition, item);
      double const share_along = share(across_z ? 1 : 2, i);
      of_other += static_cast<std::int64_t>(here * (share_x * share_along));
      if (!across_z) of_x += static_cast<std::int64_t>(here * (share_other * share_along));
    }
    int const first = across_z ? level.ncell[0] + level.ncell[1] : level.ncell[0];
    Kokkos::atomic_add(&batch.averages(repetition, first + other), of_other);
    if (!across_z) Kokkos::atomic_add(&batch.averages(repetition, x), of_x);
  }
};

/// Adds averages over planes, and over the box, of completed repetitions to the sums.
template <class Space, Floating Real>
struct AddPlanes {
  Batch<Space, Real> batch;
  double unit;  ///< [W m-3]

  KOKKOS_FUNCTION void operator()(int plane) const {
    Level const& level = batch.field.level[0];
    int const box = level.ncell[0] + level.ncell[1] + level.ncell[2];
    // One after the other, so that it does not count how many repetitions end at a time.
    double sum = batch.planes(of_value, plane);
    double square = batch.planes(of_square, plane);
    for (int r = 0; r < batch.repetitions; ++r) {
      double average = 0;
      if (plane < box) {
        average = unit * static_cast<double>(batch.averages(r, plane));
      } else {
        for (int x = 0; x < level.ncell[0]; ++x) {
          int const face = level.first_face[0] + x;
          double const width = double(batch.field.face(face + 1)) - double(batch.field.face(face));
          average += unit * static_cast<double>(batch.averages(r, x)) * (width / double(batch.field.length[0]));
        }
      }
      sum += average;
      square += average * average;
    }
    batch.planes(of_value, plane) = sum;
    batch.planes(of_square, plane) = square;
  }
};

/// Threads of a block, and blocks that a multiprocessor should hold, from the registers that a thread may use.
inline constexpr int block_threads = 128;
template <class Space, Floating Real>
inline constexpr int blocks_at_a_time =
    teams_per_multiprocessor<MachineTraits<Space>>(block_threads, std::is_same_v<Real, float> ? 64 : 128);

template <template <class, class, int, bool, bool> class Kernel, bool shared, class Space, Floating Real>
void launch(Space const& space, Batch<Space, Real> const& batch, Tiles const& tiles, int begin, int end,
            char const* label) {
  if (begin >= end) return;
  constexpr int pack = 2 * lanes_per_thread < Space, Real >> 2 ? 2 * lanes_per_thread<Space, Real> : 1;
  int const packs = (end - begin + pack - 1) / pack;
  using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>,
                                     Kokkos::LaunchBounds<block_threads, blocks_at_a_time<Space, Real>>>;
  auto const enqueue = [&](auto is_uniform) {
    Kokkos::parallel_for(label, light_weight(Policy(space, 0, packs * batch.repetitions)),
                         Kernel<Space, Real, pack, shared, is_uniform()>{batch, tiles, begin, end, packs});
  };
  if (!runs_on_host<Space> && batch.field.amount_stride == 0)
    enqueue(std::bool_constant<!runs_on_host<Space>>());
  else
    enqueue(std::false_type());
}

template <KokkosExecutionSpace Space, Floating Real>
void enqueue_batch(Space const& space, Batch<Space, Real> const& batch) {
  auto const [first_cell, first_face] = place_of(static_cast<std::size_t>(batch.ncell), batch.begin);
  auto const [last_cell, last_face] = place_of(static_cast<std::size_t>(batch.ncell), batch.end);
  constexpr char const* cells = "parhelion::monte_carlo::cells";
  constexpr char const* faces = "parhelion::monte_carlo::faces";
  if (batch.options.directions == Directions::independent) {
    launch<CellRays, false>(space, batch, {1, 0, 0}, first_cell, last_cell, cells);
    launch<FaceRays, false>(space, batch, {1, 0, 0}, first_face, last_face, faces);
    return;
  }
  auto const of_cells = tiles_of(batch.options.directions, first_cell, last_cell);
  auto const of_faces = tiles_of(batch.options.directions, first_face, last_face);
  auto const draw = [&](Tiles const& tiles, bool wall) {
    int const drawn = (batch.ray_end - batch.ray_begin) * batch.repetitions * tiles.n;
    if (drawn > 0)
      Kokkos::parallel_for("parhelion::monte_carlo::draw", light_weight(Kokkos::RangePolicy<Space>(space, 0, drawn)),
                           DrawShared<Space, Real>{batch, tiles, wall});
  };
  draw(of_cells, false);
  draw(of_faces, true);
  launch<CellRays, true>(space, batch, of_cells, first_cell, last_cell, cells);
  launch<FaceRays, true>(space, batch, of_faces, first_face, last_face, faces);
}

template <KokkosExecutionSpace Space, Floating Real>
void enqueue_sums(Space const& space, Batch<Space, Real> const& batch) {
  int const items = static_cast<int>(batch.items_end - batch.items_begin);
  Kokkos::parallel_for("parhelion::monte_carlo::add_up", light_weight(Kokkos::RangePolicy<Space>(space, 0, items)),
                       AddRepetitions<Space, Real>{batch});
}

template <KokkosExecutionSpace Space, Floating Real>
void enqueue_averages(Space const& space, Batch<Space, Real> const& batch) {
  auto const averages = batch.averages;
  auto const nplane = static_cast<int>(averages.extent(1));
  Kokkos::parallel_for(
      "parhelion::monte_carlo::clear_planes",
      light_weight(Kokkos::RangePolicy<Space>(space, 0, batch.repetitions * nplane)),
      KOKKOS_LAMBDA(int i) { averages(i / nplane, i % nplane) = 0; });
  auto const enqueue = [&](bool across_z) {
    AveragePlanes<Space, Real> const average(batch, across_z);
    Kokkos::parallel_for("parhelion::monte_carlo::average_planes",
                         light_weight(Kokkos::RangePolicy<Space>(space, 0, average.rows())), average);
  };
  enqueue(false);
  enqueue(true);
}

template <KokkosExecutionSpace Space, Floating Real>
void enqueue_sums_of_planes(Space const& space, Batch<Space, Real> const& batch) {
  double const unit = batch.spectrum.largest_value / AveragePlanes<Space, Real>::most;
  Kokkos::parallel_for("parhelion::monte_carlo::add_up_planes",
                       light_weight(Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(batch.planes.extent(1)))),
                       AddPlanes<Space, Real>{batch, unit});
}

}  // namespace parhelion::monte_carlo::Impl

#endif
