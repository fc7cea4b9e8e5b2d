// SPDX-License-Identifier: BSD-3-Clause
// Follows rays from neighbouring cells backwards through the gas to where their radiation is emitted.
#ifndef PARHELION_MONTE_CARLO_MARCH_HPP
#define PARHELION_MONTE_CARLO_MARCH_HPP

#include "device_field.hpp"
#include "device_spectrum.hpp"
#include "random_points.hpp"

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/extremes.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>

namespace parhelion::monte_carlo::Impl {

/// The most cells that a ray crosses in the coarsest grid: between periodic sides it might never end.
inline constexpr int max_steps = 4096;

/// The smallest optical depth of a cell that is used as a divisor. Of thinner ones the terms that it divides vanish;
/// its inverse times the length of any box is finite.
inline constexpr float smallest_depth = 1e-20F;

template <Floating Real>
struct Direction {
  Real x, y, z;
};

/// \brief A direction whose component along an axis is `along`, in (-1, 1) and not 0.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Direction<Real> direction(double along, double azimuth) {
  double const across = Kokkos::sqrt(1 - along * along);
  double const angle = 2 * Kokkos::numbers::pi * azimuth;
  auto const guarded = [](double component) {
    constexpr double smallest = 1e-6;
    return static_cast<Real>(Kokkos::abs(component) < smallest ? Kokkos::copysign(smallest, component) : component);
  };
  return {guarded(across * Kokkos::cos(angle)), guarded(across * Kokkos::sin(angle)), guarded(along)};
}

/// A direction, uniformly distributed.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Direction<Real> any_direction(UnitPoint const& point) {
  return direction<Real>(2 * point.polar - 1, point.azimuth);
}

/// A direction from a wall into the box; the cosine to its normal has the density 2 cosine.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Direction<Real> inward_direction(UnitPoint const& point, int side) {
  double const cosine = Kokkos::sqrt(point.polar);
  Direction<Real> const d = direction<Real>((side & 1) == 0 ? cosine : -cosine, point.azimuth);
  int const axis = side / 2;
  if (axis == 0) return {d.z, d.x, d.y};
  if (axis == 1) return {d.y, d.z, d.x};
  return d;
}

/// \brief The node at or below a temperature and the fraction of the distance to the next one, clamped to the table.
/// \param steps the temperature, in TableSteps
template <Floating Real>
KOKKOS_INLINE_FUNCTION int node_at(int nnode, Real steps, Real& weight) {
  Real const inside = lesser(greater(steps, Real(0)), Real(nnode - 1));
  int const below = static_cast<int>(lesser(inside, Real(nnode - 2)));
  weight = inside - Real(below);
  return below;
}

/// The entries of an array of structures of four numbers; lanes of vectors gather them one by one.
template <template <class> class Structure, class Real>
KOKKOS_INLINE_FUNCTION Real const* numbers_of(Structure<Real> const* array) {
  static_assert(sizeof(Structure<Real>) == 4 * sizeof(Real));
  return reinterpret_cast<Real const*>(array);
}

template <class Real>
struct Four {
  Real a, b, c, d;
};

/// The numbers of entry i; a single lane loads the whole structure at once.
template <int pack, template <class> class Structure, class Real>
KOKKOS_INLINE_FUNCTION Four<Real> load_four(Structure<Real> const* array, int i) {
  if constexpr (pack == 1) {
    Structure<Real> const entry = array[i];
    Real const* const n = numbers_of(&entry);
    return {n[0], n[1], n[2], n[3]};
  } else {
    Real const* const n = numbers_of(array);
    return {n[4 * i], n[4 * i + 1], n[4 * i + 2], n[4 * i + 3]};
  }
}

/// One of three values, selected by an index that is not known at compile time. Indexing an array would move it out of
/// registers.
template <class T>
KOKKOS_INLINE_FUNCTION T pick(int is_first, int is_second, T first, T second, T third) {
  T const other = is_second ? second : third;
  return is_first ? first : other;
}

/// What happens to a ray at a face; lanes of vectors gather its numbers one by one.
template <int pack, class Real>
KOKKOS_INLINE_FUNCTION Crossing<Real> load_crossing(Crossing<Real> const* crossings, int i) {
  if constexpr (pack == 1) {
    return crossings[i];
  } else {
    constexpr int reals = sizeof(Crossing<Real>) / sizeof(Real);
    constexpr int ints = sizeof(Crossing<Real>) / sizeof(int);
    Real const* const of_reals = &crossings->next_face;
    int const* const of_ints = &crossings->step;
    return {of_reals[reals * i], of_reals[reals * i + 1], of_ints[ints * i], of_ints[ints * i + 1]};
  }
}

/// Source of a face of a wall at a spectral point [W m-2 sr-1]. It is taken from the table of the gas if that covers
/// the temperature, so that gas and wall of the same temperature have the same source.
template <class Space, Floating Real>
KOKKOS_INLINE_FUNCTION Real wall_source(DeviceSpectrum<Space, Real> const& spectrum, int side, int face, int point) {
  DeviceWalls<Space, Real> const& walls = spectrum.walls;
  Real const temperature = walls.temperature(walls.first_face[side] + face);
  Real weight;
  if (walls.looked_up[side]) {
    int const node = node_at(spectrum.nnode(), spectrum.steps(temperature), weight);
    SpectralNode<Real> const& at = spectrum.node(point, node);
    return at.source + weight * at.source_step;
  }
  int const n = static_cast<int>(walls.source.extent(2));
  Real const* const nodes = &walls.source(side, point, 0);
  if (n == 1) return nodes[0];
  Real const steps = (temperature - walls.first[side]) * walls.inverse_spacing[side];
  int const i = clamped_index(steps, 0, n - 2);
  return nodes[i] + (steps - Real(i)) * (nodes[i + 1] - nodes[i]);
}

/// \brief Rays from `pack` origins, each with its own spectral point and direction, that are followed in step.
///
/// The sum is over missing = B_start - I, the difference between the source at the origin and the radiance I that
/// arrives there along the ray. It is accumulated as a difference, so that it is exactly 0 where all temperatures are
/// equal.
/// \tparam uniform whether the composition of the gas is known to be the same everywhere
template <class Space, Floating Real, int pack, bool uniform>
struct Rays {
  int point[pack];        ///< spectral point
  Real along[3][pack];    ///< direction
  Real inverse[3][pack];  ///< 1 / along: a ray divides when it starts, not at each face that it crosses
  Real origin[3][pack];   ///< [m]
  int start[3][pack];     ///< cell of level 0
  Real source[pack];      ///< B_start [W m-2 sr-1]
  Real missing[pack];     ///< [W m-2 sr-1]
  Real everywhere;        ///< DeviceField::amount if it is uniform
  int crossings[pack];    ///< of cells
  int reflections[pack];  ///< at walls

  // The current position.
  int slot[3][pack];    ///< the next face of each axis among DeviceField::crossing
  int cell[pack];       ///< in arrays over cells
  Real next[3][pack];   ///< distance to the next face of each axis [m]
  Real distance[pack];  ///< [m]
  Real left[pack];      ///< transmittance from the origin; 0: the ray has ended
  Real last[pack];      ///< source at the end of the last segment

  /// The index along an axis of the cell of lane l.
  KOKKOS_INLINE_FUNCTION int index_of(Level const& level, int axis, int l) const {
    return slot[axis][l] - level.first_crossing[axis][along[axis][l] > 0];
  }

  /// Looks from a cell towards its face that lies ahead along an axis.
  KOKKOS_INLINE_FUNCTION void look_ahead(DeviceField<Space, Real> const& field, Level const& level, int axis, int index,
                                         int l) {
    int const up = along[axis][l] > 0;
    slot[axis][l] = level.first_crossing[axis][up] + index;
    next[axis][l] = (field.face(level.first_face[axis] + index + up) - origin[axis][l]) * inverse[axis][l];
  }

  /// Enters the cells of a level.
  /// \param index its cell along each axis, of each lane
  KOKKOS_INLINE_FUNCTION void enter(DeviceField<Space, Real> const& field, Level const& level,
                                    int const (&index)[3][pack]) {
    for (int l = 0; l < pack; ++l) {
      cell[l] = level.first_cell + (index[0][l] * level.ncell[1] + index[1][l]) * level.ncell[2] + index[2][l];
      PARHELION_UNROLL
      for (int axis = 0; axis < 3; ++axis) look_ahead(field, level, axis, index[axis][l], l);
    }
  }

  /// \brief Emission and absorption at a wall that lane l meets along `axis`.
  /// \return whether the ray goes on; otherwise it has ended
  KOKKOS_INLINE_FUNCTION bool meet_wall(DeviceField<Space, Real> const& field,
                                        DeviceSpectrum<Space, Real> const& spectrum, int axis, int l, Real tolerance) {
    DeviceWalls<Space, Real> const& walls = spectrum.walls;
    int const side = side_ahead(axis, l);
    int face = 0;
    if (walls.stride[side] > 0) {
      int const one = axis == 0 ? 1 : 0;
      int const other = axis == 2 ? 1 : 2;
      face = cell_at(field, one, place(one, l)) * walls.stride[side] + cell_at(field, other, place(other, l));
    }
    Real const of_wall = wall_source(spectrum, side, face, point[l]);
    Real const emissivity = walls.emissivity[side];
    missing[l] += left[l] * emissivity * (source[l] - of_wall);
    left[l] *= 1 - emissivity;
    if (!(left[l] < tolerance)) return true;
    // The radiation that is not followed any further is taken to be that of the gas next to the wall.
    missing[l] += left[l] * (source[l] - last[l]);
    left[l] = 0;
    return false;
  }

  /// Sends lane l in a new direction from a wall that it has met along `axis`.
  KOKKOS_INLINE_FUNCTION void reflect(DeviceField<Space, Real> const& field, Level const& level, int axis, int l,
                                      RandomKey const& key, std::uint32_t ray) {
    int const side = side_ahead(axis, l);
    PhiloxBlock const words = random_block(key, reflection + static_cast<std::uint32_t>(reflections[l]++), ray);
    Direction<Real> const d =
        inward_direction<Real>({0, to_unit_interval(words.word[0]), to_unit_interval(words.word[1])}, side);
    int const index[3] = {index_of(level, 0, l), index_of(level, 1, l), index_of(level, 2, l)};
    PARHELION_UNROLL
    for (int a = 0; a < 3; ++a)
      origin[a][l] = a == axis ? field.face(level.first_face[a] + (side % 2 != 0 ? level.ncell[a] : 0)) : place(a, l);
    along[0][l] = d.x;
    along[1][l] = d.y;
    along[2][l] = d.z;
    distance[l] = 0;
    PARHELION_UNROLL
    for (int a = 0; a < 3; ++a) {
      inverse[a][l] = fast_reciprocal(along[a][l]);
      look_ahead(field, level, a, index[a], l);
    }
  }

  /// The side of the box that lies ahead of lane l along an axis.
  KOKKOS_INLINE_FUNCTION int side_ahead(int axis, int l) const {
    return 2 * axis + (pick(axis == 0, axis == 1, along[0][l], along[1][l], along[2][l]) > 0 ? 1 : 0);
  }

  /// The current coordinate of lane l along an axis [m].
  KOKKOS_INLINE_FUNCTION Real place(int axis, int l) const {
    return pick(axis == 0, axis == 1, origin[0][l], origin[1][l], origin[2][l]) +
           distance[l] * pick(axis == 0, axis == 1, along[0][l], along[1][l], along[2][l]);
  }

  /// The cell of the finest grid along an axis that contains a coordinate.
  KOKKOS_INLINE_FUNCTION static int cell_at(DeviceField<Space, Real> const& field, int axis, Real x) {
    int below = 0;
    int above = field.level[0].ncell[axis] - 1;
    while (below < above) {
      int const middle = (below + above + 1) / 2;
      if (field.face(field.level[0].first_face[axis] + middle) <= x)
        below = middle;
      else
        above = middle - 1;
    }
    return below;
  }

  /// \brief Follows the rays to their ends.
  ///
  /// Loops over lanes should become vector instructions: they have no branches, and arrays are pointers. Rays that have
  /// ended continue with a transmittance of 0.
  /// \param key of each lane, for reflections
  /// \param ray index of the ray, for reflections
  KOKKOS_INLINE_FUNCTION void march(DeviceField<Space, Real> const& field, DeviceSpectrum<Space, Real> const& spectrum,
                                    RandomKey const* key, std::uint32_t ray, Real tolerance) {
    for (int l = 0; l < pack; ++l) {
      PARHELION_UNROLL
      for (int axis = 0; axis < 3; ++axis) inverse[axis][l] = fast_reciprocal(along[axis][l]);
      distance[l] = 0;
      left[l] = 1;
      missing[l] = 0;
      last[l] = source[l];
      crossings[l] = 0;
      reflections[l] = 0;
    }
    everywhere = field.amount(0);
    enter(field, field.level[0], start);
    int const steps = follow(field, spectrum, key, ray, tolerance);
    if (pack == 1) crossings[0] = steps;
    for (int l = 0; l < pack; ++l) missing[l] += left[l] * (source[l] - last[l]);
  }

  /// \brief Follows the rays from cell to cell, until none is left or they have crossed the most cells.
  /// \return the number of steps
  KOKKOS_INLINE_FUNCTION int follow(DeviceField<Space, Real> const& field, DeviceSpectrum<Space, Real> const& spectrum,
                                    RandomKey const* key, std::uint32_t ray, Real tolerance) {
    int steps = 0;
    for (int number = 0;;) {
      Level const& level = field.level[number];
      bool const is_last = number + 1 == field.nlevel;
      for (int const end = steps + (is_last ? max_steps : level.steps); steps < end;) {
        ++steps;
        if (!cross_cells(field, spectrum, tolerance)) return steps;
        int side[pack];
        if (!move(field, side)) continue;
        int lives = 0;
        for (int l = 0; l < pack; ++l) {
          if (side[l] >= 0) {
            bool const goes_on = meet_wall(field, spectrum, side[l], l, tolerance);
            if (pack == 1 && !goes_on) return steps;
            if (goes_on) reflect(field, level, side[l], l, key[l], ray);
          }
          lives |= left[l] > 0;
        }
        if (pack > 1 && lives == 0) return steps;
      }
      if (is_last) return steps;
      Level const& coarser = field.level[++number];
      int index[3][pack];
      for (int l = 0; l < pack; ++l) {
        PARHELION_UNROLL
        for (int axis = 0; axis < 3; ++axis)
          index[axis][l] = index_of(level, axis, l) >> (coarser.shift[axis] - level.shift[axis]);
      }
      enter(field, coarser, index);
    }
  }

  /// \brief Emission and absorption up to the nearest face of a cell.
  /// \return whether any ray goes on
  KOKKOS_INLINE_FUNCTION bool cross_cells(DeviceField<Space, Real> const& field,
                                          DeviceSpectrum<Space, Real> const& spectrum, Real tolerance) {
    int const nnode = spectrum.nnode();
    SpectralNode<Real> const* const nodes = spectrum.node.data();
    CellTemperature<Real> const* const cells = field.cell.data();
    Real const* const amounts = field.amount.data();
    Real amount[pack];
    if (!uniform && field.amount_stride > 0) {
      PARHELION_LANES
      for (int l = 0; l < pack; ++l) amount[l] = amounts[cell[l]];
    } else {
      PARHELION_LANES
      for (int l = 0; l < pack; ++l) amount[l] = everywhere;
    }
    int lives = 0;
    PARHELION_LANES
    for (int l = 0; l < pack; ++l) {
      // Halves of lengths and optical depths, and twice what is bent, spare factors of two. Temperatures are in steps.
      Real const to = lesser(lesser(next[0][l], next[1][l]), next[2][l]);
      Real const from = distance[l];
      Real const half_length = Real(0.5) * greater(to - from, Real(0));
      auto const [at_origin, slope_x, slope_y, slope_z] = load_four<pack>(cells, cell[l]);
      Real const slope = slope_x * along[0][l] + slope_y * along[1][l] + slope_z * along[2][l];
      Real const at_start = at_origin + slope_x * origin[0][l] + slope_y * origin[1][l] + slope_z * origin[2][l];
      Real const middle = at_start + (from + half_length) * slope;
      Real weight;
      int const at = point[l] * nnode + node_at(nnode, middle, weight);
      auto const [lower_absorption, absorption_step, lower_source, source_step] = load_four<pack>(nodes, at);
      // Compilers do not gather from a structure, and a device adds an offset to the address of the entry above.
      Real const next_source_step = pack == 1 ? nodes[at + 1].source_step : numbers_of(nodes)[4 * (at + 1) + 3];
      Real const absorption = lower_absorption + weight * absorption_step;
      Real const half_path = amount[l] * half_length;
      Real const half_depth = absorption * half_path;
      auto const through = fast_attenuate_exp2(half_depth * Real(-2 * 1.4426950408889634074));
      // The source is a parabola in the scaled optical depth v from -1 to 1: the parabola in the path coordinate u,
      // which varying absorption turns into u = v - (change of absorption / 2) (v^2 - 1).
      Real const steps = half_length * slope;
      Real const rise = source_step * steps;
      Real const twice_bend = (next_source_step * steps - rise) * steps;
      Real const per_half_depth = fast_reciprocal(greater(half_depth, Real(smallest_depth)));
      // Relative to the absorption coefficient, whose inverse is path / depth.
      Real const change = absorption_step * steps * (half_path * per_half_depth);
      Real const twice_skew = rise * greater(lesser(change, Real(1)), Real(-1));
      Real const twice_curvature = twice_bend - twice_skew;
      // The integrals of v and v^2 weighted by exp(-optical depth to the origin) are `first` and
      // absorptivity + 4 first / depth.
      Real const thick = through.absorptivity * per_half_depth - (1 + through.transmittance);
      Real const thin = half_depth * half_depth * (half_depth * Real(2. / 3) - Real(2. / 3));
      Real const first = half_depth > Real(0.015) ? thick : thin;
      Real const mean = lower_source + weight * source_step + Real(0.5) * twice_bend;
      Real const end = mean + rise;
      Real const share = left[l];
      Real const rest = share * through.transmittance;
      missing[l] +=
          share * ((source[l] - mean) * through.absorptivity - first * (rise + per_half_depth * twice_curvature));
      last[l] = end;
      distance[l] = to;
      bool const ended = rest < tolerance;
      if constexpr (pack == 1) {
        left[l] = rest;
        lives = 1;
        if (ended) {
          missing[l] += rest * (source[l] - end);
          left[l] = 0;
          lives = 0;
        }
      } else {
        // A ray that has ended has a transmittance of 0.
        crossings[l] += share > 0;
        missing[l] += (ended ? rest : Real(0)) * (source[l] - end);
        left[l] = ended ? Real(0) : rest;
        lives |= 1 - int(ended);
      }
    }
    return lives != 0;
  }

  /// \brief Moves the rays into the next cells.
  /// \param axis set, where the result is true, to that of a wall which the ray of a lane has met; -1: none
  /// \return whether rays have met walls; for a single ray, whether it has met a wall or a periodic side
  KOKKOS_INLINE_FUNCTION bool move(DeviceField<Space, Real> const& field, int (&axis)[pack]) {
    Crossing<Real> const* const crossings_of_axes = field.crossing.data();
    int walls = 0;
    PARHELION_LANES
    for (int l = 0; l < pack; ++l) {
      bool const is_x = next[0][l] <= distance[l];
      bool const is_y = !is_x & (next[1][l] <= distance[l]);
      bool const is_z = !is_x & !is_y;
      int const at = pick(is_x, is_y, slot[0][l], slot[1][l], slot[2][l]);
      auto const [next_face, shift, step, cells] = load_crossing<pack>(crossings_of_axes, at);
      Real const from = pick(is_x, is_y, origin[0][l], origin[1][l], origin[2][l]);
      Real const reached = (next_face - from) * pick(is_x, is_y, inverse[0][l], inverse[1][l], inverse[2][l]);
      int const to = at + step;
      cell[l] += cells;
      slot[0][l] = is_x ? to : slot[0][l];
      slot[1][l] = is_y ? to : slot[1][l];
      slot[2][l] = is_z ? to : slot[2][l];
      next[0][l] = is_x ? reached : next[0][l];
      next[1][l] = is_y ? reached : next[1][l];
      next[2][l] = is_z ? reached : next[2][l];
      // A single ray seldom leaves the box; vectors have no branches.
      if (pack == 1 && shift == 0) return false;
      origin[0][l] = is_x ? from + shift : origin[0][l];
      origin[1][l] = is_y ? from + shift : origin[1][l];
      origin[2][l] = is_z ? from + shift : origin[2][l];
      bool const hits = (shift == Crossing<Real>::of_wall) & (pack == 1 || left[l] > 0);
      axis[l] = !hits ? -1 : is_x ? 0 : is_y ? 1 : 2;
      walls |= hits ? 1 : 0;
    }
    return pack == 1 || walls != 0;
  }
};

}  // namespace parhelion::monte_carlo::Impl

#endif
