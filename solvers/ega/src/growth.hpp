// SPDX-License-Identifier: BSD-3-Clause
// Growth of emissivity along a path, looked up in tables.
#ifndef PARHELION_EGA_GROWTH_HPP
#define PARHELION_EGA_GROWTH_HPP

#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/widen.hpp>
#include <parhelion/ega/model.hpp>

#include <cstdint>
#include <type_traits>

namespace parhelion::ega::Impl {

/// A path whose transmittance by one gas is below counts as opaque. In float, where 1 - emissivity has steps of 6e-8,
/// it is a few of these.
template <Floating Real>
inline constexpr Real opaque_transmittance = std::is_same_v<Real, float> ? static_cast<Real>(2.4e-7)
                                                                         : static_cast<Real>(1e-9);

/// What stands for the emissivity of a segment of which nothing comes through. All others are at most 1.
inline constexpr int opaque = 2;

/// The four curves of a table around a pressure and temperature, and their weights.
template <Floating Real>
struct Corners {
  int curve[4];    ///< (lower p, lower T), (lower p, upper T), (upper p, lower T), (upper p, upper T), among the gas's
  Real weight[4];  ///< sum to 1; beyond the grid they extrapolate
};

/// \brief Where a pressure and temperature lie on a grid.
/// \param logarithmic whether weights are linear in the logarithm of pressure
template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION Corners<Real> find_corners(DeviceTables<Space> const& tables, int grid, double pressure,
                                                  double temperature, bool logarithmic) {
  Corners<Real> corners;
  double const* const p = &tables.pressure(grid, 0);
  int const below = bracket(p, tables.npressure(grid), pressure);
  double const p0 = p[below];
  double const p1 = p[below + 1];
  double const upper = logarithmic ? Kokkos::log(pressure / p0) / Kokkos::log(p1 / p0) : (pressure - p0) / (p1 - p0);
  for (int side = 0; side < 2; ++side) {
    double const* const t = &tables.temperature(grid, below + side, 0);
    int const n = tables.ntemperature(grid, below + side);
    double warm = 0;
    int i = 0;
    if (n > 1) {
      i = bracket_uniform(t[0], t[1] - t[0], n, temperature);
      warm = (temperature - t[i]) / (t[i + 1] - t[i]);
    }
    double const share = side == 0 ? 1 - upper : upper;
    int const curve = (below + side) * tables.most_temperatures + i;
    corners.curve[2 * side] = curve;
    corners.curve[2 * side + 1] = n > 1 ? curve + 1 : curve;
    corners.weight[2 * side] = static_cast<Real>(share * (1 - warm));
    corners.weight[2 * side + 1] = static_cast<Real>(share * warm);
  }
  return corners;
}

/// \brief A point of a curve, and how emissivity goes on from there.
template <Floating Real, bool float_slopes>
struct CurveStep {
  CurvePoint point;

  KOKKOS_INLINE_FUNCTION Real emissivity() const {
    return point.emissivity > 0 ? widen<Real>(point.emissivity) : Real(0);
  }
  KOKKOS_INLINE_FUNCTION Real column() const { return widen<Real>(point.column_density); }
  /// d emissivity / d column density up to the next point.
  KOKKOS_INLINE_FUNCTION Real growth() const {
    if constexpr (float_slopes)
      return widen<Real>(Kokkos::bit_cast<float>(static_cast<std::uint32_t>(point.slopes)));
    else
      return static_cast<Real>(Kokkos::bit_cast<double>(point.slopes));
  }
  /// The way back from an emissivity that is higher by `more`: how much more column it takes.
  KOKKOS_INLINE_FUNCTION Real column_for(Real more) const {
    if constexpr (float_slopes)
      return widen<Real>(Kokkos::bit_cast<float>(static_cast<std::uint32_t>(point.slopes >> 32U))) * more;
    else
      return more / growth();
  }
  /// Of ln(1 - emissivity) over column density, from the last point on.
  KOKKOS_INLINE_FUNCTION Real rate() const { return static_cast<Real>(Kokkos::bit_cast<double>(point.slopes)); }
};

/// Whether a point stands for the end of all curves: nothing follows the point before it.
KOKKOS_INLINE_FUNCTION bool is_end(CurvePoint const& point) { return point.emissivity > 1.5F; }

/// \brief How much the emissivity of a path grows with `column` more, along one curve.
/// \param points of the curve, `stride` apart
/// \param row    the point used last, updated
template <Floating Real, bool float_slopes>
KOKKOS_INLINE_FUNCTION Real grow(CurvePoint const* points, int stride, CurvePoint from, CurvePoint to, Real before,
                                 Real column, int& row) {
  using Step = CurveStep<Real, float_slopes>;
  if ((before < Step{from}.emissivity() && row > 0) || before >= Step{to}.emissivity()) {
    while (row > 0 && before < Step{from}.emissivity()) {
      to = from;
      from = points[--row * stride];
    }
    while (before >= Step{to}.emissivity()) {
      from = to;
      to = points[(++row + 1) * stride];
    }
  }
  if (is_end(to)) return (before - 1) * Kokkos::expm1(Step{from}.rate() * column);
  // In one precision the two slopes of a piece are inverse to each other; where they are rounded to float they are not,
  // and then emissivity is to be that which goes there and back.
  Real grown;
  if constexpr (float_slopes && !std::is_same_v<Real, float>) {
    Real const e = Step{from}.emissivity();
    grown = (e - before) + Step{from}.growth() * (Step{from}.column_for(before - e) + column);
  } else {
    grown = Step{from}.growth() * column;
  }
  if (before + grown < Step{to}.emissivity()) return grown;
  // Over the next point, or several.
  Real left;
  if constexpr (float_slopes)
    left =
        (Step{from}.column_for(before - Step{from}.emissivity()) + column) - (Step{to}.column() - Step{from}.column());
  else
    left = column - Step{from}.column_for(Step{to}.emissivity() - before);
  for (;;) {
    from = to;
    to = points[(++row + 1) * stride];
    if (is_end(to)) return -Kokkos::expm1(Step{from}.rate() * (Step{from}.column() + left)) - before;
    Real const e = Step{from}.emissivity() + Step{from}.growth() * left;
    if (e < Step{to}.emissivity()) return e - before;
    left -= Step{to}.column() - Step{from}.column();
  }
}

/// \brief The emissivity of a column along one curve.
template <Floating Real, bool float_slopes>
KOKKOS_INLINE_FUNCTION Real look_up(CurvePoint const* points, int stride, Real column, int& row) {
  using Step = CurveStep<Real, float_slopes>;
  CurvePoint from = points[row * stride];
  CurvePoint to = points[(row + 1) * stride];
  while (row > 0 && column < Step{from}.column()) {
    to = from;
    from = points[--row * stride];
  }
  while (!is_end(to) && column >= Step{to}.column()) {
    from = to;
    to = points[(++row + 1) * stride];
  }
  if (is_end(to)) return -Kokkos::expm1(Step{from}.rate() * column);
  return Step{from}.emissivity() + Step{from}.growth() * (column - Step{from}.column());
}

/// \brief Keeps the points that were used last on the four curves in one number.
KOKKOS_INLINE_FUNCTION std::uint64_t join(int const* rows) {
  return static_cast<std::uint64_t>(rows[0]) | static_cast<std::uint64_t>(rows[1]) << 16U |
         static_cast<std::uint64_t>(rows[2]) << 32U | static_cast<std::uint64_t>(rows[3]) << 48U;
}

/// \brief The emissivity of a gas in a channel along a path of which only a part has been walked yet.
template <class Space, Floating Real, bool float_slopes>
struct GasPath {
  Real emissivity;              ///< so far
  int row[4];                   ///< the points used last
  int curve[4];                 ///< of these curves
  CurvePoint const* points[4];  ///< their first ones
  int stride;

  KOKKOS_INLINE_FUNCTION void begin(int lanes, Real emissivity_before, std::uint64_t rows_before) {
    emissivity = emissivity_before;
    stride = lanes;
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c) {
      row[c] = static_cast<int>(rows_before >> (16U * static_cast<unsigned>(c)) & 0xffffU);
      curve[c] = -1;
    }
  }

  /// Goes to other curves. Where one of them was used before, in another corner, its point is known.
  KOKKOS_INLINE_FUNCTION void turn(DeviceTables<Space> const& tables, std::int64_t first_curve, int lane,
                                   int const* to) {
    int found[4];
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c) {
      found[c] = row[c];
      PARHELION_UNROLL
      for (int old = 0; old < 4; ++old)
        if (curve[old] == to[c]) found[c] = row[old];
    }
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c) {
      curve[c] = to[c];
      std::int64_t const number = first_curve + to[c];
      int const most = tables.points(number, lane);
      row[c] = found[c] < most ? found[c] : most;
      points[c] = tables.point.data() + tables.first_point(number) + lane;
    }
  }

  /// \brief Walks on.
  /// \param first_curve of the gas and block
  /// \param lane        number of the channel in the block
  /// \param column      of the segment; with `whole` that of the path so far, which the curves then give at once
  /// \return emissivity of what was walked, or opaque
  KOKKOS_INLINE_FUNCTION Real walk(DeviceTables<Space> const& tables, std::int64_t first_curve, int lane,
                                   Corners<Real> const& corners, Real column, bool whole) {
    if (1 - emissivity < opaque_transmittance<Real>) return opaque;
    if (corners.curve[0] != curve[0] || corners.curve[1] != curve[1] || corners.curve[2] != curve[2] ||
        corners.curve[3] != curve[3])
      turn(tables, first_curve, lane, corners.curve);
    Real grown = 0;
    if (whole) {
      for (int c = 0; c < 4; ++c)
        grown += corners.weight[c] * look_up<Real, float_slopes>(points[c], stride, column, row[c]);
      grown -= emissivity;
    } else {
      CurvePoint from[4];
      CurvePoint to[4];
      PARHELION_UNROLL
      for (int c = 0; c < 4; ++c) {
        from[c] = points[c][row[c] * stride];
        to[c] = points[c][(row[c] + 1) * stride];
      }
      PARHELION_UNROLL
      for (int c = 0; c < 4; ++c)
        grown +=
            corners.weight[c] * grow<Real, float_slopes>(points[c], stride, from[c], to[c], emissivity, column, row[c]);
    }
    Real const before = emissivity;
    Real const after = before + grown;
    if (after >= Real(1)) {
      emissivity = 1;
      return opaque;
    }
    if (after < Real(0)) {
      emissivity = 0;
      grown = -before;
    } else {
      emissivity = after;
    }
    return grown / (1 - before);
  }
};

/// Emissivity of two layers in the same place.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real overlap(Real a, Real b) {
  return a > Real(1) || b > Real(1) ? Real(opaque) : a + b - a * b;
}

}  // namespace parhelion::ega::Impl

#endif
