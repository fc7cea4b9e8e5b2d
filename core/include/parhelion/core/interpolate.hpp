// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_INTERPOLATE_HPP
#define PARHELION_CORE_INTERPOLATE_HPP

#include <parhelion/core/types.hpp>

namespace parhelion {

namespace Impl {

/// Entry i of a pointer, a View of rank 1 or a function of the index.
template <class Table>
KOKKOS_INLINE_FUNCTION auto entry(Table const& table, int i) {
  if constexpr (requires { table(i); }) {
    return table(i);
  } else {
    return table[i];
  }
}

}  // namespace Impl

/// \brief The integer part of x as an index, clamped to low .. high, for lookups without a search.
///
/// Clamps before the conversion, which is undefined for values that an int cannot represent. NaN gives low.
/// \param x    any value; infinities and NaN included
/// \param low  >= 0
/// \param high >= low, below 2^24: a float holds it exactly
template <Floating Real>
KOKKOS_INLINE_FUNCTION int clamped_index(Real x, int low, int high) {
  Real const least = static_cast<Real>(low);
  Real const most = static_cast<Real>(high);
  Real const above = x > least ? x : least;
  return static_cast<int>(above < most ? above : most);
}

/// \brief The interval of an ascending grid that contains x.
///
/// A descending grid, such as pressure over height, is searched by its negative:
/// `bracket([&](int i) { return -pressure(i); }, n, -x)`.
///
/// \param grid ascending values: a pointer, a View of rank 1, or a function of the index
/// \param n    number of values, >= 2
/// \param x    any value; outside the grid the first or the last interval is returned, for NaN the first
/// \return i with grid[i] <= x < grid[i+1], clamped to 0 .. n-2
template <class Grid, class Real>
KOKKOS_INLINE_FUNCTION int bracket(Grid const& grid, int n, Real x) {
  int below = 0;
  int above = n - 1;
  while (above - below > 1) {
    int const middle = below + (above - below) / 2;
    if (Impl::entry(grid, middle) <= x) {
      below = middle;
    } else {
      above = middle;
    }
  }
  return below;
}

/// A position on a grid: between the values index and index + 1, at the fraction weight.
template <Floating Real>
struct GridPosition {
  int index;    ///< 0 .. n-2
  Real weight;  ///< in [0, 1] inside the grid; below 0 or above 1 outside of it

  /// The nearest position inside the grid.
  KOKKOS_INLINE_FUNCTION GridPosition clamped() const {
    return {index, weight < Real(0) ? Real(0) : weight > Real(1) ? Real(1) : weight};
  }
};

/// \brief The position of x on an ascending grid.
/// \param grid, n, x see bracket
/// \return the weight is outside [0, 1] if x is outside the grid, so that interpolation extrapolates;
///         clamped() prevents that
template <Floating Real, class Grid>
KOKKOS_INLINE_FUNCTION GridPosition<Real> locate(Grid const& grid, int n, Real x) {
  int const i = bracket(grid, n, x);
  Real const lower = Impl::entry(grid, i);
  Real const upper = Impl::entry(grid, i + 1);
  return {i, (x - lower) / (upper - lower)};
}

/// \brief The position of x on the grid first + i * spacing, i = 0 .. n-1, without a search.
/// \param first   first value of the grid, in the unit of x
/// \param spacing > 0, in the unit of x
/// \param n       number of values, >= 2
/// \param x       any value; the index is also valid for infinities and NaN, for which the weight is NaN
/// \return as locate; due to rounding, an x within an ulp of a grid value may be in the interval on either side of it,
///         with a weight within some ulps of 1 or 0
template <Floating Real>
KOKKOS_INLINE_FUNCTION GridPosition<Real> locate_uniform(Real first, Real spacing, int n, Real x) {
  Real const steps = (x - first) / spacing;
  int const i = clamped_index(steps, 0, n - 2);
  return {i, steps - Real(i)};
}

/// \brief The interval of a uniform grid that contains x, clamped to 0 .. n-2; arguments as for locate_uniform.
template <Floating Real>
KOKKOS_INLINE_FUNCTION int bracket_uniform(Real first, Real spacing, int n, Real x) {
  return locate_uniform(first, spacing, n, x).index;
}

/// \brief Linear interpolation between `lower` (weight 0) and `upper` (weight 1); extrapolates outside [0, 1].
///
/// Weights 0 and 1 give the two values exactly.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real linear(Real lower, Real upper, Real weight) {
  return (1 - weight) * lower + weight * upper;
}

/// \brief The value of a table at a position on its grid; extrapolates outside the grid (see GridPosition).
/// \param table values on the grid: a pointer, a View of rank 1 or a function of the index
/// \param at    position on the grid
template <class Table, Floating Real>
KOKKOS_INLINE_FUNCTION Real interpolate(Table const& table, GridPosition<Real> const& at) {
  return linear<Real>(Impl::entry(table, at.index), Impl::entry(table, at.index + 1), at.weight);
}

}  // namespace parhelion

#endif
