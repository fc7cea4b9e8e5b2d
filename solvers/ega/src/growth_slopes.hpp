// SPDX-License-Identifier: BSD-3-Clause
// Growth of emissivity with its derivatives with respect to its start, column density, pressure and temperature.
#ifndef PARHELION_EGA_GROWTH_SLOPES_HPP
#define PARHELION_EGA_GROWTH_SLOPES_HPP

#include "growth.hpp"

namespace parhelion::ega::Impl {

/// Derivatives of the weights of Corners.
template <Floating Real>
struct CornerSlopes {
  Real by_pressure[4];     ///< [Pa-1]
  Real by_temperature[4];  ///< [K-1]
};

/// Derivatives of the weights of find_corners, with the same arguments.
template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION CornerSlopes<Real> corner_slopes(DeviceTables<Space> const& tables, int grid,
                                                        Corners<Real> const& corners, double pressure,
                                                        double temperature, bool logarithmic) {
  CornerSlopes<Real> slopes;
  double const* const p = &tables.pressure(grid, 0);
  int const below = corners.curve[0] / tables.max_temperatures;
  double const p0 = p[below];
  double const p1 = p[below + 1];
  double const depth = logarithmic ? Kokkos::log(p1 / p0) : p1 - p0;
  double const upper = (logarithmic ? Kokkos::log(pressure / p0) : pressure - p0) / depth;
  double const upper_slope = logarithmic ? 1 / (pressure * depth) : 1 / depth;
  for (int side = 0; side < 2; ++side) {
    double const* const t = &tables.temperature(grid, below + side, 0);
    int const i = corners.curve[2 * side] % tables.max_temperatures;
    double warm = 0;
    double warm_slope = 0;
    if (tables.ntemperature(grid, below + side) > 1) {
      warm_slope = 1 / (t[i + 1] - t[i]);
      warm = (temperature - t[i]) * warm_slope;
    }
    double const share = side == 0 ? 1 - upper : upper;
    double const share_slope = side == 0 ? -upper_slope : upper_slope;
    slopes.by_pressure[2 * side] = static_cast<Real>(share_slope * (1 - warm));
    slopes.by_pressure[2 * side + 1] = static_cast<Real>(share_slope * warm);
    slopes.by_temperature[2 * side] = static_cast<Real>(-share * warm_slope);
    slopes.by_temperature[2 * side + 1] = static_cast<Real>(share * warm_slope);
  }
  return slopes;
}

/// The growth of the emissivity of a path, and the derivatives of the resulting emissivity.
template <Floating Real>
struct Grown {
  Real growth;         ///< growth of emissivity
  Real by_emissivity;  ///< with respect to the emissivity at which it began [1]
  Real by_column;      ///< [cm2]
};

/// \brief As grow of growth.hpp, with derivatives.
template <Floating Real, bool float_slopes>
KOKKOS_INLINE_FUNCTION Grown<Real> grow_with_slopes(Curves const& curve, Real before, Real column, int& row) {
  using Step = CurveStep<Real, float_slopes>;
  Pieces<Real, float_slopes, 1> piece;
  piece.load(curve, &row);
  Real grown;
  grow<Real, float_slopes, 1>(curve, piece, &before, column, &row, &grown);
  // The piece used last is where it ended; it began on the piece that contains `before`.
  int first = row;
  while (first > 0 && before < Step{curve.piece(first)}.begin()) --first;
  Step const from{curve.piece(first)};
  Step const to{curve.piece(row)};
  Real const emissivity = before + grown;
  Real const by_column = to.is_last() ? -to.rate() * (1 - emissivity) : to.growth();
  // Derivative of the column that leads to `before` with respect to emissivity.
  Real const backwards = from.is_last() ? -1 / (from.rate() * (1 - before)) : from.column_for(1);
  return {grown, by_column * backwards, by_column};
}

/// \brief As look_up of growth.hpp, with derivatives.
template <Floating Real, bool float_slopes>
KOKKOS_INLINE_FUNCTION Grown<Real> look_up_with_slopes(Curves const& curve, Real column, int& row) {
  Real const emissivity = look_up<Real, float_slopes>(curve, column, row);
  CurveStep<Real, float_slopes> const at{curve.piece(row)};
  return {emissivity, 0, at.is_last() ? -at.rate() * (1 - emissivity) : at.growth()};
}

}  // namespace parhelion::ega::Impl

#endif
