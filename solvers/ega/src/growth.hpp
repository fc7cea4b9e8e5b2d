// SPDX-License-Identifier: BSD-3-Clause
// Growth of emissivity along a path, from tables.
#ifndef PARHELION_EGA_GROWTH_HPP
#define PARHELION_EGA_GROWTH_HPP

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/impl/address_in_registers.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/core/widen.hpp>
#include <parhelion/ega/model.hpp>

#include <cstdint>
#include <type_traits>

namespace parhelion::ega::Impl {

/// The transmittance by one gas below which a path counts as opaque. In float, where 1 - emissivity has steps of 6e-8,
/// it is a few of these.
template <Floating Real>
inline constexpr Real opaque_transmittance = std::is_same_v<Real, float> ? static_cast<Real>(2.4e-7)
                                                                         : static_cast<Real>(1e-9);

/// Marks the emissivity of an opaque segment. All others are at most 1.
inline constexpr int opaque = 2;

/// The four curves of a table around a pressure and temperature, and their weights.
template <Floating Real>
struct Corners {
  int curve[4];    ///< (lower p, lower T), (lower p, upper T), (upper p, lower T), (upper p, upper T) of the gas
  Real weight[4];  ///< sum to 1; beyond the grid they extrapolate
};

/// \brief Locates a pressure and temperature on a grid.
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
    int const curve = (below + side) * tables.max_temperatures + i;
    corners.curve[2 * side] = curve;
    corners.curve[2 * side + 1] = n > 1 ? curve + 1 : curve;
    corners.weight[2 * side] = static_cast<Real>(share * (1 - warm));
    corners.weight[2 * side + 1] = static_cast<Real>(share * warm);
  }
  return corners;
}

/// \brief The curves of the channels from one on at a pressure and temperature: a piece of the channel `lane` after it
///        is `lane` further.
///
/// Most steps along a path stay on a piece and need no column densities, so these are apart.
struct Curves {
  CurvePiece const* first;  ///< of the first channel
  float const* columns;     ///< column densities where the pieces begin [molecules cm-2], in the same order
  int stride;               ///< from a piece to the next one of its curve

  KOKKOS_INLINE_FUNCTION CurvePiece const& piece(int row, int lane = 0) const { return first[row * stride + lane]; }
  /// Column density where a piece begins [molecules cm-2].
  KOKKOS_INLINE_FUNCTION float column(int row, int lane = 0) const { return columns[row * stride + lane]; }
  KOKKOS_INLINE_FUNCTION Curves from(int lane) const { return {first + lane, columns + lane, stride}; }
};

/// The curves of one channel at the four corners; a corner takes the place of a lane.
struct CornerCurves {
  CurvePiece const* first;  ///< of the first curve of the gas
  float const* columns;
  std::uint32_t const (&at)[4];  ///< where the curves of the corners begin
  int stride;

  KOKKOS_INLINE_FUNCTION std::uint32_t place(int row, int corner) const {
    return at[corner] + static_cast<std::uint32_t>(row * stride);
  }
  KOKKOS_INLINE_FUNCTION CurvePiece const& piece(int row, int corner) const { return first[place(row, corner)]; }
  KOKKOS_INLINE_FUNCTION float column(int row, int corner) const { return columns[place(row, corner)]; }
};

/// The curves of a table with the index `curve`, from a channel of the block on.
template <class Space>
KOKKOS_INLINE_FUNCTION Curves curves_from(DeviceTables<Space> const& tables, std::int64_t curve, int lane) {
  std::int64_t const first = tables.first_piece(curve) + lane;
  return {tables.piece.data() + first, tables.column_density.data() + first, tables.lanes};
}

/// \brief A piece of a curve in the precision of the calculation.
template <Floating Real, bool float_slopes>
struct CurveStep {
  CurvePiece piece;

  KOKKOS_INLINE_FUNCTION Real begin() const {
    // widen() does not convert 0 to 0.
    return std::is_same_v<Real, float> || piece.begin > 0 ? widen<Real>(piece.begin) : Real(0);
  }
  KOKKOS_INLINE_FUNCTION Real end() const { return widen<Real>(piece.end); }
  KOKKOS_INLINE_FUNCTION bool is_last() const { return piece.end > 1.5F; }
  /// d emissivity / d column density.
  KOKKOS_INLINE_FUNCTION Real growth() const {
    if constexpr (float_slopes)
      return widen<Real>(piece.slope[0]);
    else
      return static_cast<Real>(piece.joint_slope());
  }
  /// The inverse: the additional column for an emissivity that is higher by `more`.
  KOKKOS_INLINE_FUNCTION Real column_for(Real more) const {
    if constexpr (float_slopes)
      return widen<Real>(piece.slope[1]) * more;
    else
      return more / growth();
  }
  /// The slope of ln(1 - emissivity) over column density in the last piece.
  KOKKOS_INLINE_FUNCTION Real rate() const { return static_cast<Real>(piece.joint_slope()); }
};

/// \brief The current pieces of the curves of `pack` neighbouring channels. Fields are arrays over the channels: loops
///        over channels then become vector instructions.
template <Floating Real, bool float_slopes, int pack>
struct Pieces {
  Real begin[pack];  ///< emissivity where a piece begins
  Real end[pack];    ///< emissivity where it ends; `opaque` after the last point
  Real slope[pack];  ///< d emissivity / d column density
  Real back[pack];   ///< its inverse, if slopes are float

  KOKKOS_INLINE_FUNCTION void load(Curves const& curves, int const* row) {
    // Field by field, because vectors gather single fields.
    float const* const field = curves.first->slope;
    PARHELION_LANES
    for (int l = 0; l < pack; ++l) {
      int const at = 4 * (row[l] * curves.stride + l);
      begin[l] = static_cast<Real>(field[at + 2]);
      end[l] = static_cast<Real>(field[at + 3]);
      if constexpr (float_slopes) {
        slope[l] = static_cast<Real>(field[at]);
        back[l] = static_cast<Real>(field[at + 1]);
      }
    }
    if constexpr (!float_slopes)
      for (int l = 0; l < pack; ++l)
        slope[l] = static_cast<Real>(CurveStep<Real, float_slopes>{curves.piece(row[l], l)}.growth());
  }
  KOKKOS_INLINE_FUNCTION void move(Curves const& curves, int* row, int const* by) {
    PARHELION_LANES
    for (int l = 0; l < pack; ++l) row[l] += by[l];
    load(curves, row);
  }
  KOKKOS_INLINE_FUNCTION Real from(int l) const { return begin[l]; }
  KOKKOS_INLINE_FUNCTION Real to(int l) const { return end[l]; }
  KOKKOS_INLINE_FUNCTION bool is_last(int l) const { return end[l] > Real(1.5); }
  KOKKOS_INLINE_FUNCTION Real growth(int l) const { return slope[l]; }
  KOKKOS_INLINE_FUNCTION Real column_for(int l, Real more) const {
    return float_slopes ? back[l] * more : more / slope[l];
  }
};

/// For one channel the piece itself, in registers.
template <Floating Real, bool float_slopes>
struct Pieces<Real, float_slopes, 1> {
  CurveStep<Real, float_slopes> step;

  KOKKOS_INLINE_FUNCTION void load(Curves const& curves, int const* row) { step.piece = curves.piece(row[0]); }
  KOKKOS_INLINE_FUNCTION void move(Curves const& curves, int* row, int const* by) {
    row[0] += by[0];
    load(curves, row);
  }
  KOKKOS_INLINE_FUNCTION Real from(int) const { return step.begin(); }
  KOKKOS_INLINE_FUNCTION Real to(int) const { return step.end(); }
  KOKKOS_INLINE_FUNCTION bool is_last(int) const { return step.is_last(); }
  KOKKOS_INLINE_FUNCTION Real growth(int) const { return step.growth(); }
  KOKKOS_INLINE_FUNCTION Real column_for(int, Real more) const { return step.column_for(more); }
};

/// \brief The pieces of one channel at the four corners. A device walks along their curves in step, so that what it
///        loads for them is on its way at the same time.
template <Floating Real, bool float_slopes>
struct CornerPieces {
  CurveStep<Real, float_slopes> step[4];

  KOKKOS_INLINE_FUNCTION void load(CornerCurves const& curves, int const* row) {
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c) step[c].piece = curves.piece(row[c], c);
  }
  KOKKOS_INLINE_FUNCTION void move(CornerCurves const& curves, int* row, int const* by) {
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c)
      if (by[c] != 0) {
        row[c] += by[c];
        step[c].piece = curves.piece(row[c], c);
      }
  }
  KOKKOS_INLINE_FUNCTION Real from(int c) const { return step[c].begin(); }
  KOKKOS_INLINE_FUNCTION Real to(int c) const { return step[c].end(); }
  KOKKOS_INLINE_FUNCTION bool is_last(int c) const { return step[c].is_last(); }
  KOKKOS_INLINE_FUNCTION Real growth(int c) const { return step[c].growth(); }
  KOKKOS_INLINE_FUNCTION Real column_for(int c, Real more) const { return step[c].column_for(more); }
};

/// \brief The growth of the emissivities of paths with an additional `column`, along one curve in each of `n` lanes:
///        neighbouring channels, or the corners of one channel.
///
/// All proceed in step; those that have finished wait.
///
/// \param curves of the lanes
/// \param pieces at `row`
/// \param before emissivities of the paths
/// \param column of the segment [molecules cm-2]
/// \param row    the pieces used last, updated with `pieces`
/// \param grown  set to the additional emissivities
template <Floating Real, bool float_slopes, int n, class LaneCurves, class LanePieces>
KOKKOS_INLINE_FUNCTION void grow(LaneCurves const& curves, LanePieces& pieces, Real const* before, Real column,
                                 int* row, Real* grown) {
  int by[n];
  for (;;) {
    // No path has an emissivity below 0, where the first piece begins, or above that where the last one ends.
    int off = 0;
    PARHELION_UNROLL
    PARHELION_LANES
    for (int l = 0; l < n; ++l) off |= int(before[l] >= pieces.to(l)) | int(before[l] < pieces.from(l));
    if (off == 0) break;
    PARHELION_UNROLL
    PARHELION_LANES
    for (int l = 0; l < n; ++l) by[l] = int(before[l] >= pieces.to(l)) - int(before[l] < pieces.from(l));
    pieces.move(curves, row, by);
  }
  // In one precision the two slopes of a piece are inverse to each other. Rounded to float they are not, and the
  // emissivity then has to be converted to a column and back.
  constexpr bool rounded = float_slopes && !std::is_same_v<Real, float>;
  int crossing = 0;
  int ending = 0;
  int beyond[n];  // after the last point: 1 from the beginning, 2 at the end
  PARHELION_UNROLL
  PARHELION_LANES
  for (int l = 0; l < n; ++l) {
    Real const e = pieces.from(l);
    grown[l] = rounded ? (e - before[l]) + pieces.growth(l) * (pieces.column_for(l, before[l] - e) + column)
                       : pieces.growth(l) * column;
    int const last = pieces.is_last(l);
    int const stays = before[l] + grown[l] < pieces.to(l);
    beyond[l] = last;
    by[l] = (1 - stays) & (1 - last);
    crossing |= by[l];
    ending |= last;
  }
  if ((crossing | ending) == 0) return;
  // Past the next point, or several.
  auto const length = [&](int l) {
    if constexpr (std::is_same_v<Real, float>) return pieces.column_for(l, pieces.to(l) - pieces.from(l));
    return widen<Real>(curves.column(row[l] + 1, l)) - widen<Real>(curves.column(row[l], l));
  };
  // Vectors compute all lanes; a device loads column densities only where they are needed.
  constexpr bool selects = std::is_same_v<LaneCurves, CornerCurves>;
  Real left[n];
  PARHELION_UNROLL
  PARHELION_LANES
  for (int l = 0; l < n; ++l) {
    if (selects && by[l] == 0) continue;
    left[l] = rounded ? (pieces.column_for(l, before[l] - pieces.from(l)) + column) - length(l)
                      : column - pieces.column_for(l, pieces.to(l) - before[l]);
  }
  while (crossing != 0) {
    pieces.move(curves, row, by);
    crossing = 0;
    PARHELION_UNROLL
    PARHELION_LANES
    for (int l = 0; l < n; ++l) {
      if (selects && by[l] == 0) continue;
      Real const e = pieces.from(l) + pieces.growth(l) * left[l];
      int const last = pieces.is_last(l);
      int const stays = e < pieces.to(l);
      int const further = by[l] & (1 - last) & (1 - stays);
      beyond[l] += 2 * (by[l] & last);
      grown[l] = by[l] != 0 ? e - before[l] : grown[l];
      by[l] = further;
      crossing |= further;
      ending |= last;
    }
    if (crossing == 0) break;
    PARHELION_UNROLL
    PARHELION_LANES
    for (int l = 0; l < n; ++l) {
      if (selects && by[l] == 0) continue;
      left[l] -= by[l] != 0 ? length(l) : Real(0);
    }
  }
  if (ending == 0) return;
  PARHELION_UNROLL
  for (int l = 0; l < n; ++l) {
    if (beyond[l] == 0) continue;
    Real const rate = CurveStep<Real, float_slopes>{curves.piece(row[l], l)}.rate();
    grown[l] = beyond[l] == 1 ? (before[l] - 1) * Kokkos::expm1(rate * column)
                              : -Kokkos::expm1(rate * (widen<Real>(curves.column(row[l], l)) + left[l])) - before[l];
  }
}

/// \brief The emissivity of a column along one curve.
template <Floating Real, bool float_slopes>
KOKKOS_INLINE_FUNCTION Real look_up(Curves const& curve, Real column, int& row) {
  using Step = CurveStep<Real, float_slopes>;
  auto const begin = [&](int i) { return widen<Real>(curve.column(i)); };
  while (row > 0 && column < begin(row)) --row;
  while (column >= begin(row + 1) && !Step{curve.piece(row)}.is_last()) ++row;
  Step const at{curve.piece(row)};
  if (at.is_last()) return -Kokkos::expm1(at.rate() * column);
  return at.begin() + at.growth() * (column - begin(row));
}

/// \brief The emissivities of a gas along a path, up to the current segment, in `pack` neighbouring channels whose
///        tables have the same grid.
template <class Space, Floating Real, bool float_slopes, int pack>
struct GasPath {
  /// A device walks along the four curves of a channel in step, a host along those of its channels.
  static constexpr bool corners_in_step = pack == 1 && !runs_on_host<Space>;

  Real emissivity[pack];        ///< so far
  int row[4][pack];             ///< the pieces used last
  int curve[4];                 ///< the curves of these pieces
  std::uint32_t first[4];       ///< the first pieces of these curves after those of the gas
  CurvePiece const* of_gas;     ///< the first piece of the gas in the first channel
  float const* columns_of_gas;  ///< its column density [molecules cm-2]
  /// At `row`, from one step to the next: most steps stay on a piece.
  std::conditional_t<corners_in_step, CornerPieces<Real, float_slopes>, Pieces<Real, float_slopes, pack>[4]> pieces;

  /// \brief Continues paths.
  /// \param first_curve of the gas and block
  /// \param lane        index of the first channel in the block
  KOKKOS_INLINE_FUNCTION void begin(DeviceTables<Space> const& tables, std::int64_t first_curve, int lane,
                                    Real const* emissivity_before, std::uint64_t const* rows_before) {
    std::int64_t const first_piece = tables.first_piece(first_curve) + lane;
    of_gas = parhelion::Impl::address_in_registers(tables.piece.data() + first_piece);
    columns_of_gas = tables.column_density.data() + first_piece;
    for (int l = 0; l < pack; ++l) emissivity[l] = emissivity_before[l];
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c) {
      for (int l = 0; l < pack; ++l)
        row[c][l] = static_cast<int>(rows_before[l] >> (16U * static_cast<unsigned>(c)) & 0xffffU);
      curve[c] = -1;
    }
  }

  KOKKOS_INLINE_FUNCTION void end(Real* emissivity_after, std::uint64_t* rows_after) const {
    for (int l = 0; l < pack; ++l) {
      emissivity_after[l] = emissivity[l];
      rows_after[l] = 0;
      PARHELION_UNROLL
      for (int c = 0; c < 4; ++c)
        rows_after[l] |= static_cast<std::uint64_t>(row[c][l]) << (16U * static_cast<unsigned>(c));
    }
  }

  /// Changes to other curves. If one of them was used before, in another corner, its piece is known.
  KOKKOS_INLINE_FUNCTION void turn(DeviceTables<Space> const& tables, std::int64_t first_curve, int lane,
                                   int const* to) {
    int found[4][pack];
    Pieces<Real, float_slopes, pack> known[4];
    bool is_known[4] = {};
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c) {
      PARHELION_LANES
      for (int l = 0; l < pack; ++l) found[c][l] = row[c][l];
      PARHELION_UNROLL
      for (int old = 0; old < 4; ++old)
        if (curve[old] == to[c]) {
          PARHELION_LANES
          for (int l = 0; l < pack; ++l) found[c][l] = row[old][l];
          if constexpr (!corners_in_step) {
            known[c] = pieces[old];
            is_known[c] = true;
          }
        }
    }
    PARHELION_UNROLL
    for (int c = 0; c < 4; ++c) {
      curve[c] = to[c];
      std::int64_t const index = first_curve + to[c];
      int const* const most = &tables.npoint(index, lane);
      PARHELION_LANES
      for (int l = 0; l < pack; ++l) row[c][l] = found[c][l] < most[l] ? found[c][l] : most[l];
      first[c] = static_cast<std::uint32_t>(tables.first_piece(index) - tables.first_piece(first_curve));
      if constexpr (!corners_in_step) {
        if (is_known[c])
          pieces[c] = known[c];
        else
          pieces[c].load(curves(tables, c), row[c]);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION Curves curves(DeviceTables<Space> const& tables, int c) const {
    return {of_gas + first[c], columns_of_gas + first[c], tables.lanes};
  }

  /// \brief Continues along the path.
  /// \param first_curve of the gas and block
  /// \param lane        index of the first channel in the block
  /// \param column      of the segment; with `whole` that of the path so far, at which the curves are evaluated
  /// \param segment     set to the emissivity of the segment, or `opaque`
  KOKKOS_INLINE_FUNCTION void walk(DeviceTables<Space> const& tables, std::int64_t first_curve, int lane,
                                   Corners<Real> const& corners, Real column, bool whole, Real* segment) {
    int through = 0;
    PARHELION_LANES
    for (int l = 0; l < pack; ++l) {
      int const blocked = 1 - emissivity[l] < opaque_transmittance<Real>;
      segment[l] = opaque;
      through |= 1 - blocked;
    }
    if (through == 0) return;
    // The other two are next to these.
    bool const turns = corners.curve[0] != curve[0] || corners.curve[2] != curve[2];
    if (turns) turn(tables, first_curve, lane, corners.curve);
    Real sum[pack];
    for (int l = 0; l < pack; ++l) sum[l] = 0;
    if (whole) {
      for (int l = 0; l < pack; ++l) {
        for (int c = 0; c < 4; ++c)
          sum[l] += corners.weight[c] * look_up<Real, float_slopes>(curves(tables, c).from(l), column, row[c][l]);
        sum[l] -= emissivity[l];
      }
    } else {
      if constexpr (corners_in_step) {
        CornerCurves const corner_curves{of_gas, columns_of_gas, first, tables.lanes};
        if (turns) pieces.load(corner_curves, &row[0][0]);
        Real const before[4] = {emissivity[0], emissivity[0], emissivity[0], emissivity[0]};
        Real grown[4];
        grow<Real, float_slopes, 4>(corner_curves, pieces, before, column, &row[0][0], grown);
        PARHELION_UNROLL
        for (int c = 0; c < 4; ++c) sum[0] += corners.weight[c] * grown[c];
      } else {
        for (int c = 0; c < 4; ++c) {
          Real grown[pack];
          grow<Real, float_slopes, pack>(curves(tables, c), pieces[c], emissivity, column, row[c], grown);
          PARHELION_LANES
          for (int l = 0; l < pack; ++l) sum[l] += corners.weight[c] * grown[l];
        }
      }
    }
    PARHELION_LANES
    for (int l = 0; l < pack; ++l) {
      Real const before = emissivity[l];
      bool const passes = !(1 - before < opaque_transmittance<Real>);
      Real const after = before + sum[l];
      bool const full = after >= Real(1);
      Real const grown = after < Real(0) ? -before : sum[l];
      Real const now = full ? Real(1) : after < Real(0) ? Real(0) : after;
      segment[l] = passes && !full ? fast_quotient(grown, 1 - before) : Real(opaque);
      emissivity[l] = passes ? now : before;
    }
  }
};

/// Emissivity of two absorbers in the same layer.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real overlap(Real a, Real b) {
  return a > Real(1) || b > Real(1) ? Real(opaque) : a + b - a * b;
}

}  // namespace parhelion::ega::Impl

#endif
