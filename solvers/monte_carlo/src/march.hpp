// SPDX-License-Identifier: BSD-3-Clause
// Rays from neighbouring cells through the gas, back to where their radiation comes from.
#ifndef PARHELION_MONTE_CARLO_MARCH_HPP
#define PARHELION_MONTE_CARLO_MARCH_HPP

#include "device_spectrum.hpp"
#include "random_points.hpp"

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/monte_carlo/device_field.hpp>

namespace parhelion::monte_carlo::Impl {

/// Cells that a ray crosses in the coarsest grid at most: between periodic sides there may be no end.
inline constexpr int most_steps = 4096;

/// Optical depths of cells below count as this where they divide.
inline constexpr float smallest_depth = 1e-30F;

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

/// Uniform over all directions.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Direction<Real> any_direction(UnitPoint const& point) {
  return direction<Real>(2 * point.polar - 1, point.azimuth);
}

/// From a wall into the box: the cosine to its normal has the density 2 cosine.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Direction<Real> inward_direction(UnitPoint const& point, int side) {
  double const cosine = Kokkos::sqrt(point.polar);
  Direction<Real> const d = direction<Real>((side & 1) == 0 ? cosine : -cosine, point.azimuth);
  int const axis = side / 2;
  if (axis == 0) return {d.z, d.x, d.y};
  if (axis == 1) return {d.y, d.z, d.x};
  return d;
}

template <Floating Real>
KOKKOS_INLINE_FUNCTION SpectralNode<Real> const* node_at(SpectralNode<Real> const* nodes, Real first,
                                                         Real inverse_spacing, int nnode, Real temperature,
                                                         Real& weight) {
  Real const steps = (temperature - first) * inverse_spacing;
  Real const inside = steps > Real(0) ? (steps < Real(nnode - 1) ? steps : Real(nnode - 1)) : Real(0);
  int i = static_cast<int>(inside);
  i = i < nnode - 2 ? i : nnode - 2;
  weight = inside - Real(i);
  return nodes + i;
}

/// Source of a face of a wall at a spectral point [W m-2 sr-1]: by the gas's own table where that holds it, so that gas
/// and wall of one temperature have one source.
template <class Space, Floating Real>
KOKKOS_INLINE_FUNCTION Real wall_source(DeviceSpectrum<Space, Real> const& spectrum, int side, int face, int point) {
  DeviceWalls<Space, Real> const& walls = spectrum.walls;
  Real const temperature = walls.temperature(walls.first_face[side] + face);
  Real weight;
  if (walls.looked_up[side]) {
    SpectralNode<Real> const* const node = node_at(&spectrum.node(point, 0), spectrum.first, spectrum.inverse_spacing,
                                                   spectrum.nnode(), temperature, weight);
    return node->source + weight * node->source_step;
  }
  int const n = static_cast<int>(walls.source.extent(2));
  Real const* const nodes = &walls.source(side, point, 0);
  if (n == 1) return nodes[0];
  Real const steps = (temperature - walls.first[side]) * walls.inverse_spacing[side];
  int i = static_cast<int>(steps);
  i = i < 0 ? 0 : i > n - 2 ? n - 2 : i;
  return nodes[i] + (steps - Real(i)) * (nodes[i + 1] - nodes[i]);
}

/// \brief Rays from `pack` places, each with a spectral point and a direction of its own, that march in step.
///
/// What is summed is how much more a ray emits where it starts than what arrives there along it, so that nothing is
/// left of the difference where all temperatures are the same:
/// missing = (B_start - I), with I the radiance that arrives.
template <class Space, Floating Real, int pack>
struct Rays {
  int point[pack];        ///< spectral point
  Real along[3][pack];    ///< direction
  Real origin[3][pack];   ///< [m]
  int start[3][pack];     ///< cell of level 0
  Real source[pack];      ///< B_start [W m-2 sr-1]
  Real missing[pack];     ///< [W m-2 sr-1]
  int crossings[pack];    ///< of cells
  int reflections[pack];  ///< at walls

  // Where they are.
  int index[3][pack];   ///< cell of the level
  Real next[3][pack];   ///< distance to the next face of each axis [m]
  Real distance[pack];  ///< [m]
  Real left[pack];      ///< transmittance from the start; 0: the ray has ended
  Real last[pack];      ///< source at the end of the last segment

  /// One of three by a number that is not known at compile time: arrays that are indexed by it would leave registers.
  template <class T>
  KOKKOS_INLINE_FUNCTION static T pick(T const (&of)[3][pack], int axis, int l) {
    return axis == 0 ? of[0][l] : axis == 1 ? of[1][l] : of[2][l];
  }

  /// Finds the cells of a level and the distances to their faces.
  KOKKOS_INLINE_FUNCTION void enter(DeviceField<Space, Real> const& field, Level const& level, int const* shift) {
    PARHELION_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      PARHELION_LANES
      for (int l = 0; l < pack; ++l) {
        index[axis][l] = index[axis][l] >> shift[axis];
        int const up = along[axis][l] > 0;
        next[axis][l] = (field.face(level.first_face[axis] + index[axis][l] + up) - origin[axis][l]) / along[axis][l];
      }
    }
  }

  /// What happens at a wall that lane l meets at `axis`.
  KOKKOS_INLINE_FUNCTION void meet_wall(DeviceField<Space, Real> const& field,
                                        DeviceSpectrum<Space, Real> const& spectrum, Level const& level, int axis,
                                        int l, RandomKey const& key, std::uint32_t ray, Real tolerance) {
    DeviceWalls<Space, Real> const& walls = spectrum.walls;
    int const up = pick(along, axis, l) > 0 ? 1 : 0;
    int const side = 2 * axis + up;
    Real place[3];
    PARHELION_UNROLL
    for (int a = 0; a < 3; ++a) place[a] = origin[a][l] + distance[l] * along[a][l];
    int face = 0;
    if (walls.stride[side] > 0) {
      int const first = cell_at(field, axis == 0 ? 1 : 0, axis == 0 ? place[1] : place[0]);
      int const second = cell_at(field, axis == 2 ? 1 : 2, axis == 2 ? place[1] : place[2]);
      face = first * walls.stride[side] + second;
    }
    Real const of_wall = wall_source(spectrum, side, face, point[l]);
    Real const emissivity = walls.emissivity[side];
    missing[l] += left[l] * emissivity * (source[l] - of_wall);
    left[l] *= 1 - emissivity;
    if (left[l] < tolerance) {
      // What is not followed any more came from what the wall sees: gas and walls, taken as the gas next to it.
      missing[l] += left[l] * (source[l] - last[l]);
      left[l] = 0;
      return;
    }
    FourWords const words = random_words(key, reflection + static_cast<std::uint32_t>(reflections[l]++), ray);
    Direction<Real> const d = inward_direction<Real>({0, unit(words.word[0]), unit(words.word[1])}, side);
    along[0][l] = d.x;
    along[1][l] = d.y;
    along[2][l] = d.z;
    distance[l] = 0;
    PARHELION_UNROLL
    for (int a = 0; a < 3; ++a) {
      origin[a][l] = a == axis ? field.face(level.first_face[a] + (up != 0 ? level.ncell[a] : 0)) : place[a];
      int const ahead = along[a][l] > 0;
      next[a][l] = (field.face(level.first_face[a] + index[a][l] + ahead) - origin[a][l]) / along[a][l];
    }
  }

  /// The finest cell of an axis that holds a coordinate.
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
  /// \param key of each lane, for reflections
  /// \param ray number of the ray, for reflections
  KOKKOS_INLINE_FUNCTION void march(DeviceField<Space, Real> const& field, DeviceSpectrum<Space, Real> const& spectrum,
                                    RandomKey const* key, std::uint32_t ray, Real tolerance) {
    int const nnode = spectrum.nnode();
    SpectralNode<Real> const* const nodes = spectrum.node.data();
    bool const has_amount = field.amount.size() > 0;
    int level_number = 0;
    int steps_left = field.nlevel == 1 ? most_steps : field.level[0].steps;
    int shift[3] = {0, 0, 0};
    for (int l = 0; l < pack; ++l) {
      PARHELION_UNROLL
      for (int axis = 0; axis < 3; ++axis) index[axis][l] = start[axis][l];
      distance[l] = 0;
      left[l] = 1;
      missing[l] = 0;
      last[l] = source[l];
      crossings[l] = 0;
      reflections[l] = 0;
    }
    enter(field, field.level[0], shift);
    for (;;) {
      Level const& level = field.level[level_number];
      int ends = 0;
      int lives = 0;
      int side[pack];
      PARHELION_LANES
      for (int l = 0; l < pack; ++l) {
        Real const nx = next[0][l];
        Real const ny = next[1][l];
        Real const nz = next[2][l];
        Real const xy = nx < ny ? nx : ny;
        Real const to = xy < nz ? xy : nz;
        Real const from = distance[l];
        Real const length = to > from ? to - from : Real(0);
        int const number =
            level.first_cell + (index[0][l] * level.ncell[1] + index[1][l]) * level.ncell[2] + index[2][l];
        CellTemperature<Real> const cell = field.cell(number);
        Real const slope = cell.slope[0] * along[0][l] + cell.slope[1] * along[1][l] + cell.slope[2] * along[2][l];
        Real const at_start =
            cell.at_origin + cell.slope[0] * origin[0][l] + cell.slope[1] * origin[1][l] + cell.slope[2] * origin[2][l];
        Real const half_rise = Real(0.5) * length * slope;
        Real const middle = at_start + from * slope + half_rise;
        Real weight;
        SpectralNode<Real> const* const node =
            node_at(nodes + point[l] * nnode, spectrum.first, spectrum.inverse_spacing, nnode, middle, weight);
        Real const amount = has_amount ? field.amount(number) : field.uniform_amount;
        Real const absorption = node->absorption + weight * node->absorption_step;
        Real const depth = amount * absorption * length;
        Real const emitted = node->source + weight * node->source_step;
        auto const through = fast_attenuate_exp2(depth * Real(-1.4426950408889634074));
        // Source as a parabola over optical depth v from -1 to 1: that over the way, of which absorption makes another
        // one where it changes, u = v - (change of absorption / 2) (v^2 - 1).
        Real const steps = spectrum.inverse_spacing * half_rise;
        Real const rise = node->source_step * steps;
        Real const bend = Real(0.5) * (node[1].source_step - node->source_step) * (steps * steps);
        Real const change = node->absorption_step * steps / (absorption > 0 ? absorption : Real(1));
        Real const skew = Real(0.5) * rise * (change > 1 ? Real(1) : change < -1 ? Real(-1) : change);
        Real const per_depth = 1 / (depth > smallest_depth ? depth : smallest_depth);
        Real const thick = 2 * through.absorptivity * per_depth - 1 - through.transmittance;
        Real const thin = depth * depth * (Real(-1. / 6) + depth * Real(1. / 12));
        // Integrals of v and v^2 over exp(-depth to the start).
        Real const first = depth > Real(0.03) ? thick : thin;
        Real const second = through.absorptivity + 4 * first * per_depth;
        Real const share = left[l];
        crossings[l] += share > 0;
        missing[l] +=
            share * ((source[l] - emitted - skew) * through.absorptivity - rise * first - (bend - skew) * second);
        last[l] = emitted + rise + bend;
        left[l] = share * through.transmittance;
        distance[l] = to;
        int const axis = nx <= ny && nx <= nz ? 0 : ny <= nz ? 1 : 2;
        int const ended = left[l] < tolerance;
        // A ray that ended long ago has nothing left to lose.
        missing[l] += ended ? left[l] * (source[l] - last[l]) : Real(0);
        left[l] = ended ? Real(0) : left[l];
        side[l] = ended ? -1 : axis;
        lives |= 1 - ended;
      }
      if (lives == 0) return;
      PARHELION_LANES
      for (int l = 0; l < pack; ++l) {
        int const a = side[l] < 0 ? 0 : side[l];
        int const moves = side[l] >= 0;
        Real const d = pick(along, a, l);
        int const up = d > 0;
        int const n = level.ncell[a];
        int const now = pick(index, a, l);
        int const ahead = now + (2 * up - 1) * moves;
        int const out = (ahead < 0) | (ahead >= n);
        int const wraps = out & (field.periodic[a] ? 1 : 0);
        int const hits = out & (1 - wraps);
        int const to = wraps ? (up ? 0 : n - 1) : hits ? now : ahead;
        Real const jump = wraps ? (up ? -field.length[a] : field.length[a]) : Real(0);
        Real const before = pick(origin, a, l);
        Real const from = before + jump;
        Real const face = field.face(level.first_face[a] + to + up);
        Real const reached = (face - from) / d;
        index[0][l] = a == 0 ? to : index[0][l];
        index[1][l] = a == 1 ? to : index[1][l];
        index[2][l] = a == 2 ? to : index[2][l];
        origin[0][l] = a == 0 ? from : origin[0][l];
        origin[1][l] = a == 1 ? from : origin[1][l];
        origin[2][l] = a == 2 ? from : origin[2][l];
        next[0][l] = a == 0 ? reached : next[0][l];
        next[1][l] = a == 1 ? reached : next[1][l];
        next[2][l] = a == 2 ? reached : next[2][l];
        side[l] = hits ? a : -1;
        ends |= hits;
      }
      if (ends != 0) {
        lives = 0;
        for (int l = 0; l < pack; ++l) {
          if (side[l] >= 0) meet_wall(field, spectrum, level, side[l], l, key[l], ray, tolerance);
          lives |= left[l] > 0;
        }
        if (lives == 0) return;
      }
      if (--steps_left > 0) continue;
      if (level_number + 1 == field.nlevel) {
        for (int l = 0; l < pack; ++l) missing[l] += left[l] * (source[l] - last[l]);
        return;
      }
      ++level_number;
      Level const& coarser = field.level[level_number];
      PARHELION_UNROLL
      for (int axis = 0; axis < 3; ++axis) shift[axis] = coarser.shift[axis] - level.shift[axis];
      enter(field, coarser, shift);
      steps_left = level_number + 1 == field.nlevel ? most_steps : coarser.steps;
    }
  }
};

}  // namespace parhelion::monte_carlo::Impl

#endif
