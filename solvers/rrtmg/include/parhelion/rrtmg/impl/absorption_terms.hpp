// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_IMPL_ABSORPTION_TERMS_HPP
#define PARHELION_RRTMG_IMPL_ABSORPTION_TERMS_HPP

#include <parhelion/rrtmg/interpolation_state.hpp>

namespace parhelion::rrtmg::Impl {

/// \brief The optical depth of a layer as a sum over rows of a coefficient table.
///
/// Interpolation in pressure, temperature and species ratio, and the amounts of all gases, end up in the weights. They
/// are the same for all g-points of a band, so what is left for each g-point is tau_g = sum of weight * row[g].
template <class Real, int max_terms>
struct AbsorptionTerms {
  Real weight[max_terms];
  int row[max_terms];
  int count;
  Real planck_weight[2];
  int planck_row[2];

  KOKKOS_INLINE_FUNCTION void add(Real w, int r) {
    weight[count] = w;
    row[count++] = r;
  }

  /// Two neighbouring rows, linearly.
  KOKKOS_INLINE_FUNCTION void add_between(Real w, Real fraction, int r, int stride) {
    add(w * (1 - fraction), r);
    add(w * fraction, r + stride);
  }
};

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
  constexpr Real least_second = static_cast<Real>(1e-6);
  Real const intervals = static_cast<Real>(species_ratios - 1);
  p.parameter = Kokkos::fmin(first / p.amount, 1 - least_second);
  p.from_end = Kokkos::fmax(ratio * second / p.amount, least_second) * intervals;
  Real const scaled = p.parameter * intervals;
  p.index = static_cast<int>(scaled);
  p.fraction = scaled - static_cast<Real>(p.index);
  return p;
}

/// Key species of one reference pressure in a band with two keys.
/// \param row0 row of the species ratio 0 at the lower of the two temperatures
template <class Real, class Terms>
KOKKOS_INLINE_FUNCTION void add_two_keys(Terms& terms, SpeciesPosition<Real> const& p, bool upper, int row0,
                                         int species_ratios, int stride, Real factor, Real factor_warmer) {
  // Near the ends of the lower tables, where absorption is far from linear in eta, three points count.
  constexpr Real edge = static_cast<Real>(0.125);
  bool const low_edge = !upper && p.parameter < edge;
  bool const high_edge = !upper && p.parameter > 1 - edge;
  int const row = row0 + p.index * stride;
  int const warmer = species_ratios * stride;
  if (low_edge || high_edge) {
    // The weights are x^4, 1 - x - 2 x^4, x + x^4 with x the distance from the inner entry; written with the distance
    // from the end, y = 1 + x, as they cancel to nothing there.
    Real const y = low_edge ? p.fraction : p.from_end;
    Real const weight[3] = {(1 - y) * (1 - y) * (1 - y) * (1 - y), y * (7 - y * (12 - y * (8 - 2 * y))),
                            y * (-3 + y * (6 - y * (4 - y)))};
    int const start = low_edge ? row : row + stride;
    int const step = low_edge ? stride : -stride;
    for (int k = 0; k < 3; ++k) {
      terms.add(p.amount * weight[k] * factor, start + k * step);
      terms.add(p.amount * weight[k] * factor_warmer, start + k * step + warmer);
    }
  } else {
    terms.add_between(p.amount * factor, p.fraction, row, stride);
    terms.add_between(p.amount * factor_warmer, p.fraction, row + warmer, stride);
  }
}

/// Amount of a minor gas that absorbs [1e20 molecules cm-2, or as the table wants it].
template <class Real, class MoleRatio>
KOKKOS_INLINE_FUNCTION Real minor_amount(MinorTable<Real> const& minor, InterpolationState<Real> const& s,
                                         MoleRatio const& mole_ratio_ref) {
  Real const column = s.column[minor.gas];
  switch (minor.amount) {
    case MinorAmount::column:
      return column;
    case MinorAmount::column_over_density:
      return column * s.density;
    case MinorAmount::broadening_over_density:
      return s.broadening * s.density;
    case MinorAmount::nitrogen:
      return s.broadening * s.density * (s.broadening / (s.dry + s.column[static_cast<int>(Gas::h2o)]));
    case MinorAmount::limited_column: {
      Real const reference = s.dry * (minor.reference > 0 ? minor.reference : mole_ratio_ref(s.jp + 1, minor.gas));
      Real const multiple = column / reference;
      if (multiple <= minor.limit) return column;
      return (minor.offset + Kokkos::pow(multiple - minor.offset, minor.power)) * reference;
    }
  }
  return 0;
}

/// The terms of one layer and band.
template <class ExecutionSpace, class Real, class Terms>
KOKKOS_INLINE_FUNCTION void set_terms(Terms& terms, GasOptics<ExecutionSpace, Real> const& model, int band,
                                      InterpolationState<Real> const& s) {
  constexpr int ntemperature = 5;
  BandTable<Real> const& table = model.bands(band);
  HalfTable<Real> const& half = table.half[s.upper ? 1 : 0];
  int const stride = (table.ng + row_padding - 1) / row_padding * row_padding;
  terms.count = 0;

  Real correction = 1;
  if (half.correction_strength != 0 && !(half.correction_only_below && s.pressure >= half.correction_from))
    correction -= half.correction_strength * (s.pressure - half.correction_from) / half.correction_over;

  Real const first = half.nkey > 0 ? s.column[half.key[0]] : 0;
  Real const second = half.nkey > 1 ? s.column[half.key[1]] : 0;

  if (half.key_row >= 0) {
    int const base = s.upper ? s.jp - (npressure_lower - 1) : s.jp;
    int const n = half.species_ratios;
    int const row0 = half.key_row + (base * ntemperature + s.jt0) * n * stride;
    int const row1 = half.key_row + ((base + 1) * ntemperature + s.jt1) * n * stride;
    if (half.nkey == 1) {
      Real const amount = correction * first;
      terms.add(amount * s.fac00, row0);
      terms.add(amount * s.fac10, row0 + stride);
      terms.add(amount * s.fac01, row1);
      terms.add(amount * s.fac11, row1 + stride);
    } else {
      auto const ratio = [&](int jp) { return model.mole_ratio(jp, half.key[0]) / model.mole_ratio(jp, half.key[1]); };
      add_two_keys(terms, species_position(first, second, ratio(s.jp), n), s.upper, row0, n, stride, s.fac00, s.fac10);
      add_two_keys(terms, species_position(first, second, ratio(s.jp + 1), n), s.upper, row1, n, stride, s.fac01,
                   s.fac11);
    }
  }
  if (half.self_row >= 0)
    terms.add_between(correction * s.self_scale, s.self_fraction, half.self_row + s.self_index * stride, stride);
  if (half.foreign_row >= 0)
    terms.add_between(correction * s.foreign_scale, s.foreign_fraction, half.foreign_row + s.foreign_index * stride,
                      stride);
  for (int m = 0; m < half.nminor; ++m) {
    MinorTable<Real> const& minor = half.minor[m];
    Real const amount = correction * minor_amount(minor, s, model.mole_ratio);
    int const n = minor.species_ratios;
    int row = minor.row + s.minor_index * n * stride;
    if (n == 1) {
      terms.add_between(amount, s.minor_fraction, row, stride);
    } else {
      auto const p = species_position(first, second, minor.species_ratio, n);
      row += p.index * stride;
      terms.add_between(amount * (1 - s.minor_fraction), p.fraction, row, stride);
      terms.add_between(amount * s.minor_fraction, p.fraction, row + n * stride, stride);
    }
  }
  for (int h = 0; h < half.nhalocarbon; ++h) terms.add(s.column[half.halocarbon[h]], half.halocarbon_row[h]);

  terms.planck_row[0] = terms.planck_row[1] = half.planck_row >= 0 ? half.planck_row : 0;
  terms.planck_weight[0] = half.planck_row >= 0 ? 1 : 0;
  terms.planck_weight[1] = 0;
  if (half.planck_row >= 0 && half.planck_species_ratios > 1) {
    auto const p = species_position(first, second, half.planck_ratio, half.planck_species_ratios);
    terms.planck_row[0] += p.index * stride;
    terms.planck_row[1] = terms.planck_row[0] + stride;
    terms.planck_weight[0] = 1 - p.fraction;
    terms.planck_weight[1] = p.fraction;
  }
}

/// Most terms that any band needs: two keys (12), both continua (4), two minor gases of two keys (8).
inline constexpr int max_absorption_terms = 24;

/// Optical depths of `width` neighbouring g-points.
/// \param g position of the first within the rows
template <int width, class Real, class Terms>
KOKKOS_INLINE_FUNCTION void sum_terms(Terms const& terms, Real const* values, int g, Real (&tau)[width]) {
  for (int l = 0; l < width; ++l) tau[l] = 0;
  for (int k = 0; k < terms.count; ++k) {
    Real const weight = terms.weight[k];
    Real const* const row = values + terms.row[k] + g;
    for (int l = 0; l < width; ++l) tau[l] += weight * row[l];
  }
}

/// Planck fractions of `width` neighbouring g-points.
template <int width, class Real, class Terms>
KOKKOS_INLINE_FUNCTION void planck_fractions(Terms const& terms, Real const* values, int g, Real (&fraction)[width]) {
  Real const* const row0 = values + terms.planck_row[0] + g;
  Real const* const row1 = values + terms.planck_row[1] + g;
  for (int l = 0; l < width; ++l) fraction[l] = terms.planck_weight[0] * row0[l] + terms.planck_weight[1] * row1[l];
}

}  // namespace parhelion::rrtmg::Impl

#endif
