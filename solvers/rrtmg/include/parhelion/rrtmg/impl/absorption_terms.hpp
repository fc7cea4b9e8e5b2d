// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_IMPL_ABSORPTION_TERMS_HPP
#define PARHELION_RRTMG_IMPL_ABSORPTION_TERMS_HPP

#include <parhelion/rrtmg/interpolation_state.hpp>

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/lanes.hpp>

#include <algorithm>

namespace parhelion::rrtmg::Impl {

/// \brief The optical depth of layers as a sum over rows of a coefficient table.
///
/// Interpolation in pressure, temperature and species ratio, and the amounts of all gases, end up in the weights. They
/// are the same for all g-points of a band, so what is left for each g-point is tau_g = sum of weight * row[g]. Rows
/// come in pairs of neighbours. `width` layers have terms side by side; as they are of one half of the atmosphere, what
/// they have differs in nothing but the pairs that three-point interpolation adds at the end.
template <class Real, int width = 1>
struct AbsorptionTerms {
  /// Pairs that are summed together: on a device, what they need of memory is on its way at the same time.
  static constexpr int together = 2;
  struct alignas(8) Pairs {
    Real weight[2 * together][width];
    unsigned row[together][width];  ///< the first of each pair
  };
  Pairs* pairs;       ///< memory of the caller's, for as many as its band may have: see most_pairs()
  int count;          ///< pairs that all layers have, a multiple of `together`
  int more[width];    ///< pairs after them that a layer has, likewise
  Real depth[width];  ///< optical depth beside that of the pairs
  Real planck_weight[2][width];
  unsigned planck_row[width];

  /// Two pairs of one layer, in few loads.
  struct alignas(8) OfLayer {
    Real weight[2 * together];
    unsigned row[together];
  };
  KOKKOS_INLINE_FUNCTION OfLayer of_layer(int k, int layer) const {
    if constexpr (width == 1) {
      return *reinterpret_cast<OfLayer const*>(pairs + k);
    } else {
      OfLayer result;
      for (int j = 0; j < 2 * together; ++j) result.weight[j] = pairs[k].weight[j][layer];
      for (int j = 0; j < together; ++j) result.row[j] = pairs[k].row[j][layer];
      return result;
    }
  }
};

/// Pairs of so many that are summed together.
KOKKOS_INLINE_FUNCTION constexpr int filled_pairs(int pairs) {
  constexpr int together = AbsorptionTerms<float>::together;
  return (pairs + together - 1) / together * together;
}

/// Most pairs that a band may have.
inline int most_pairs(Band const& band) {
  int most = 0;
  for (Half const which : {Half::lower, Half::upper}) {
    BandHalf const& half = band.half(which);
    bool const two = half.keys.size() > 1;
    // Two keys are read at two pressures and temperatures, and so are the third points of the lower atmosphere.
    int const keys = half.keys.empty() ? 0 : two ? 4 : 2;
    int const third_points = two && which == Half::lower ? 4 : 0;
    int const minors = static_cast<int>(half.minors.size()) * (two ? 2 : 1);
    int const continua = (half.self_continuum ? 1 : 0) + (half.foreign_continuum ? 1 : 0);
    most = std::max(most,
                    filled_pairs(keys + minors + continua + static_cast<int>(half.halocarbons.size())) + third_points);
  }
  return most;
}

/// Most pairs that any band has: two keys (4), both continua (2), two minor gases of two keys (4), two to fill up,
/// third points (4).
inline constexpr int max_absorption_pairs = 16;

/// Species parameter eta: the share of the first key species, and where that lies in a table over it.
template <class Real>
struct SpeciesPosition {
  Real amount;  ///< effective column of both keys
  Real parameter;
  int index;
  Real fraction;
  Real from_end;  ///< distance from the last entry in entries, which `fraction` would hold to few digits near the end
};

template <class Real>
KOKKOS_INLINE_FUNCTION SpeciesPosition<Real> species_position(Real first, Real second, Real ratio, int species_ratios) {
  SpeciesPosition<Real> p;
  p.amount = first + ratio * second;
  Real const inverse = fast_reciprocal(p.amount);
  constexpr Real least_second = static_cast<Real>(1e-6);
  Real const intervals = static_cast<Real>(species_ratios - 1);
  Real const share = first * inverse;
  Real const rest = ratio * second * inverse;
  p.parameter = share < 1 - least_second ? share : 1 - least_second;
  p.from_end = (rest > least_second ? rest : least_second) * intervals;
  Real const scaled = p.parameter * intervals;
  p.index = static_cast<int>(scaled);
  p.fraction = scaled - static_cast<Real>(p.index);
  return p;
}

/// Weights over the species ratio: of the entries `index` and `index + 1`, and of a third one.
template <class Real>
struct SpeciesWeights {
  Real weight[2];
  Real third;       ///< 0 where interpolation is linear
  int third_index;  ///< the entry beyond `index + 1`, or before `index`
};

template <class Real>
KOKKOS_INLINE_FUNCTION SpeciesWeights<Real> species_weights(SpeciesPosition<Real> const& p, bool upper) {
  // Near the ends of the lower tables, where absorption is far from linear in eta, three points count.
  constexpr Real edge = static_cast<Real>(0.125);
  bool const low = !upper && p.parameter < edge;
  bool const high = !upper && p.parameter > 1 - edge;
  // The weights are x^4, 1 - x - 2 x^4, x + x^4 with x the distance from the inner entry; written with the distance
  // from the end, y = 1 + x, as they cancel to nothing there.
  Real const y = high ? p.from_end : p.fraction;
  Real const squared = (1 - y) * (1 - y);
  Real const at_end = squared * squared;
  Real const inner = y * (7 - y * (12 - y * (8 - 2 * y)));
  Real const third = y * (-3 + y * (6 - y * (4 - y)));
  SpeciesWeights<Real> w;
  w.weight[0] = low ? at_end : high ? inner : 1 - p.fraction;
  w.weight[1] = low ? inner : high ? at_end : p.fraction;
  w.third = low || high ? third : 0;
  w.third_index = low ? p.index + 2 : high ? p.index - 1 : p.index;
  return w;
}

/// Amount of a minor gas that absorbs [1e20 molecules cm-2, or as the table wants it].
template <class Real, int width, class MoleRatio>
KOKKOS_INLINE_FUNCTION Real minor_amount(MinorTable<Real> const& minor, InterpolationState<Real, width> const& s, int l,
                                         MoleRatio const& mole_ratio_ref) {
  switch (minor.amount) {
    case MinorAmount::column:
      return s.column[minor.gas][l];
    case MinorAmount::column_over_density:
      return s.column[minor.gas][l] * s.density[l];
    case MinorAmount::broadening_over_density:
      return s.broadening[l] * s.density[l];
    case MinorAmount::nitrogen:
      return s.broadening[l] * s.density[l] *
             (s.broadening[l] * fast_reciprocal(s.dry[l] + s.column[static_cast<int>(Gas::h2o)][l]));
    case MinorAmount::limited_column: {
      Real const column = s.column[minor.gas][l];
      Real const reference =
          s.dry[l] * (minor.reference > 0 ? minor.reference : mole_ratio_ref(s.jp[l] + 1, minor.gas));
      if (column <= minor.limit * reference) return column;
      return (minor.offset + Kokkos::pow(column / reference - minor.offset, minor.power)) * reference;
    }
  }
  return 0;
}

KOKKOS_INLINE_FUNCTION unsigned unsigned_row(int row) { return static_cast<unsigned>(row); }

/// The terms of a band.
template <class ExecutionSpace, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_terms(AbsorptionTerms<Real, width>& terms, GasOptics<ExecutionSpace, Real> const& model,
                                      int band, InterpolationState<Real, width> const& s) {
  constexpr int ntemperature = 5;
  constexpr int together = AbsorptionTerms<Real, width>::together;
  HalfTable<Real> const& half = model.bands(band).half[s.upper ? 1 : 0];
  auto const weight = [&](int pair, int which, int l) -> Real& {
    return terms.pairs[pair / together].weight[2 * (pair % together) + which][l];
  };
  auto const row_of = [&](int pair, int l) -> unsigned& {
    return terms.pairs[pair / together].row[pair % together][l];
  };
  int n = 0;

  Real correction[width], first[width], second[width];
  for (int l = 0; l < width; ++l) {
    bool const corrected =
        half.correction_strength != 0 && !(half.correction_only_below && s.pressure[l] >= half.correction_from);
    correction[l] =
        corrected ? 1 - half.correction_strength * (s.pressure[l] - half.correction_from) / half.correction_over : 1;
    first[l] = half.nkey > 0 ? s.column[half.key[0]][l] : 0;
    second[l] = half.nkey > 1 ? s.column[half.key[1]][l] : 0;
  }
  // Two neighbouring rows.
  auto const add = [&](int l, Real amount, Real fraction, int row) {
    weight(n, 0, l) = amount * (1 - fraction);
    weight(n, 1, l) = amount * fraction;
    row_of(n, l) = unsigned_row(row);
  };

  // What the third points need is put down when all else is.
  constexpr int npoint = 4;
  Real third[npoint][width];
  int third_row[npoint][width];
  if (half.key_row >= 0) {
    int const below = s.upper ? npressure_lower - 1 : 0;
    int const ns = half.species_ratios;
    if (half.nkey == 1) {
      for (int l = 0; l < width; ++l) {
        int const jp = s.jp[l] - below;
        Real const amount = correction[l] * first[l];
        weight(n, 0, l) = amount * s.fac00[l];
        weight(n, 1, l) = amount * s.fac10[l];
        row_of(n, l) = unsigned_row(half.key_row + (jp * ntemperature + s.jt0[l]) * ns * row_stride);
        weight(n + 1, 0, l) = amount * s.fac01[l];
        weight(n + 1, 1, l) = amount * s.fac11[l];
        row_of(n + 1, l) = unsigned_row(half.key_row + ((jp + 1) * ntemperature + s.jt1[l]) * ns * row_stride);
      }
      n += 2;
    } else {
      for (int pressure = 0; pressure < 2; ++pressure) {
        for (int l = 0; l < width; ++l) {
          int const jp = s.jp[l] + pressure;
          int const jt = pressure == 0 ? s.jt0[l] : s.jt1[l];
          Real const ratio = model.mole_ratio(jp, half.key[0]) * fast_reciprocal(model.mole_ratio(jp, half.key[1]));
          auto const p = species_position(first[l], second[l], ratio, ns);
          auto const w = species_weights(p, s.upper);
          int const row = half.key_row + ((jp - below) * ntemperature + jt) * ns * row_stride;
          for (int warmer = 0; warmer < 2; ++warmer) {
            Real const factor = p.amount * (pressure == 0 ? (warmer == 0 ? s.fac00[l] : s.fac10[l])
                                                          : (warmer == 0 ? s.fac01[l] : s.fac11[l]));
            int const table = row + warmer * ns * row_stride;
            weight(n + warmer, 0, l) = factor * w.weight[0];
            weight(n + warmer, 1, l) = factor * w.weight[1];
            row_of(n + warmer, l) = unsigned_row(table + p.index * row_stride);
            third[2 * pressure + warmer][l] = factor * w.third;
            third_row[2 * pressure + warmer][l] = table + w.third_index * row_stride;
          }
        }
        n += 2;
      }
    }
  }
  if (half.self_row >= 0) {
    for (int l = 0; l < width; ++l)
      add(l, correction[l] * s.self_scale[l], s.self_fraction[l], half.self_row + s.self_index[l] * row_stride);
    ++n;
  }
  if (half.foreign_row >= 0) {
    for (int l = 0; l < width; ++l)
      add(l, correction[l] * s.foreign_scale[l], s.foreign_fraction[l],
          half.foreign_row + s.foreign_index[l] * row_stride);
    ++n;
  }
  for (int m = 0; m < half.nminor; ++m) {
    MinorTable<Real> const& minor = half.minor[m];
    Real amount[width];
    for (int l = 0; l < width; ++l) amount[l] = correction[l] * minor_amount(minor, s, l, model.mole_ratio);
    int const ns = minor.species_ratios;
    if (ns == 1) {
      for (int l = 0; l < width; ++l) add(l, amount[l], s.minor_fraction[l], minor.row + s.minor_index[l] * row_stride);
      ++n;
    } else {
      for (int l = 0; l < width; ++l) {
        auto const p = species_position(first[l], second[l], minor.species_ratio, ns);
        int const row = minor.row + (s.minor_index[l] * ns + p.index) * row_stride;
        add(l, amount[l] * (1 - s.minor_fraction[l]), p.fraction, row);
        weight(n + 1, 0, l) = amount[l] * s.minor_fraction[l] * (1 - p.fraction);
        weight(n + 1, 1, l) = amount[l] * s.minor_fraction[l] * p.fraction;
        row_of(n + 1, l) = unsigned_row(row + ns * row_stride);
      }
      n += 2;
    }
  }
  for (int h = 0; h < half.nhalocarbon; ++h) {
    for (int l = 0; l < width; ++l) add(l, s.column[half.halocarbon[h]][l], 0, half.halocarbon_row[h]);
    ++n;
  }
  for (; n % together != 0; ++n)
    for (int l = 0; l < width; ++l) add(l, 0, 0, 0);
  terms.count = n;
  for (int l = 0; l < width; ++l) terms.depth[l] = 0;
  bool const two_keys = half.nkey > 1 && half.key_row >= 0;
  for (int l = 0; l < width; ++l) {
    terms.more[l] = two_keys && (third[0][l] != 0 || third[npoint / 2][l] != 0) ? npoint : 0;
    if (terms.more[l] == 0) continue;
    for (int point = 0; point < npoint; ++point) {
      weight(n + point, 0, l) = third[point][l];
      weight(n + point, 1, l) = 0;
      row_of(n + point, l) = unsigned_row(third_row[point][l]);
    }
  }

  bool const planck = half.planck_row >= 0;
  int const ns = planck ? half.planck_species_ratios : 1;
  for (int l = 0; l < width; ++l) {
    terms.planck_row[l] = planck ? unsigned_row(half.planck_row) : 0;
    terms.planck_weight[0][l] = planck ? 1 : 0;
    terms.planck_weight[1][l] = 0;
  }
  if (ns > 1) {
    for (int l = 0; l < width; ++l) {
      auto const p = species_position(first[l], second[l], half.planck_ratio, ns);
      terms.planck_row[l] += unsigned_row(p.index * row_stride);
      terms.planck_weight[0][l] = 1 - p.fraction;
      terms.planck_weight[1][l] = p.fraction;
    }
  }
}

/// What a kernel reads of a row and of the next one: on a device the two stand beside each other for each g-point, so
/// that one load brings both, and on a host one after the other.
template <class Real, bool interleaved, int stride>
struct RowPair {
  struct alignas(2 * sizeof(Real)) Two {
    Real value[2];
  };
  Real const* row;

  /// \param first position of a g-point in its row
  KOKKOS_INLINE_FUNCTION RowPair(Real const* values, unsigned row_, unsigned first)
      : row(values + (interleaved ? 2 * (row_ + first) : row_ + first)) {}

  KOKKOS_INLINE_FUNCTION Real sum(Real weight0, Real weight1, int l) const {
    if constexpr (interleaved) {
      Two const two = reinterpret_cast<Two const*>(row)[l];
      return weight0 * two.value[0] + weight1 * two.value[1];
    } else {
      return weight0 * row[l] + weight1 * row[stride + l];
    }
  }
};

/// Optical depths of `width` neighbouring g-points in layer `layer` of those that the terms are of.
/// \tparam interleaved,stride how rows lie
/// \param values the rows
/// \param first  position of the first of the g-points in its row
template <bool interleaved, int stride, int width, class Real, class Terms>
KOKKOS_INLINE_FUNCTION void sum_terms(Terms const& terms, int layer, Real const* values, unsigned first,
                                      Real (&tau)[width]) {
  using Rows = RowPair<Real, interleaved, stride>;
  Real const depth = terms.depth[layer];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) tau[l] = depth;
  static_assert(Terms::together == 2, "two pairs are summed below");
  int const n = (terms.count + terms.more[layer]) / 2;
  for (int k = 0; k < n; ++k) {
    auto const pairs = terms.of_layer(k, layer);
    Rows const rows0(values, pairs.row[0], first);
    Rows const rows1(values, pairs.row[1], first);
    PARHELION_LANES
    for (int l = 0; l < width; ++l)
      tau[l] += rows0.sum(pairs.weight[0], pairs.weight[1], l) + rows1.sum(pairs.weight[2], pairs.weight[3], l);
  }
}

/// Planck fractions of `width` neighbouring g-points, as above.
template <bool interleaved, int width, class Real, class Terms>
KOKKOS_INLINE_FUNCTION void planck_fractions(Terms const& terms, int layer, Real const* values, unsigned first,
                                             Real (&fraction)[width]) {
  Real const weight0 = terms.planck_weight[0][layer];
  Real const weight1 = terms.planck_weight[1][layer];
  RowPair<Real, interleaved, row_stride> const rows(values, terms.planck_row[layer], first);
  PARHELION_LANES
  for (int l = 0; l < width; ++l) fraction[l] = rows.sum(weight0, weight1, l);
}

}  // namespace parhelion::rrtmg::Impl

#endif
