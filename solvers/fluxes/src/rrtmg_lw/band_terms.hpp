// SPDX-License-Identifier: BSD-3-Clause
// The absorption of a band of RRTMG_LW as a sum over rows of the table of coefficients.
#ifndef PARHELION_FLUXES_RRTMG_LW_BAND_TERMS_HPP
#define PARHELION_FLUXES_RRTMG_LW_BAND_TERMS_HPP

#include "absorption_terms.hpp"
#include "rrtmg_lw/interpolation_state.hpp"

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>

#include <algorithm>

namespace parhelion::fluxes::rrtmg_lw {

/// Most pairs that a band may have.
inline int max_pairs(BandDescription const& band) {
  int most = 0;
  for (Half const which : {Half::lower, Half::upper}) {
    BandHalf const& half = band.half(which);
    bool const two = half.keys.size() > 1;
    // Two keys are read at two pressures and temperatures, and so are the third points of the lower atmosphere.
    int const keys = half.keys.empty() ? 0 : two ? 4 : 2;
    int const third_points = two && which == Half::lower ? 4 : 0;
    int const minors = static_cast<int>(half.minors.size()) * (two ? 2 : 1);
    int const continua = (half.self_continuum ? 1 : 0) + (half.foreign_continuum ? 1 : 0);
    most = std::max(most, keys + minors + continua + static_cast<int>(half.halocarbons.size()) + third_points);
  }
  return most;
}

/// Most pairs that any band has: two keys (4), both continua (2), two minor gases of two keys (4), third points (4).
inline constexpr int max_absorption_pairs = 14;

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
  // Between its limits before it becomes an index, whatever the amounts are.
  Real const limited = share < 1 - least_second ? share : 1 - least_second;
  p.parameter = limited > 0 ? limited : 0;
  p.from_end = (rest > least_second ? rest : least_second) * intervals;
  Real const scaled = p.parameter * intervals;
  p.index = clamped_index(scaled, 0, species_ratios - 2);
  p.fraction = scaled - static_cast<Real>(p.index);
  return p;
}

/// Weights over the species parameter within an eighth of an end of the lower tables, where absorption is far from
/// linear in it: those of the entry at that end, of the next one and of the third.
template <class Real>
struct EndWeights {
  Real at_end, next, third;
};

/// \param y distance from the end in entries
template <class Real>
KOKKOS_INLINE_FUNCTION EndWeights<Real> end_weights(Real y) {
  // The weights are x^4, 1 - x - 2 x^4, x + x^4 with x the distance from the next entry; written with that from the
  // end, y = 1 + x, because they cancel there.
  Real const squared = (1 - y) * (1 - y);
  return {squared * squared, y * (7 - y * (12 - y * (8 - 2 * y))), y * (-3 + y * (6 - y * (4 - y)))};
}

/// Amounts of a minor gas that absorb [1e20 molecules cm-2, or in the unit that its table needs].
template <class ExecutionSpace, class Real, int width>
KOKKOS_INLINE_FUNCTION void minor_amounts(GasOpticsTables<ExecutionSpace, Real> const& tables,
                                          MinorRows<Real> const& minor, InterpolationState<Real, width> const& s,
                                          Real (&amount)[width]) {
  auto const& column = s.column[minor.gas];
  for (int l = 0; l < width; ++l) amount[l] = 0;
  switch (minor.amount) {
    case MinorAmount::column:
      PARHELION_LANES
      for (int l = 0; l < width; ++l) amount[l] = column[l];
      return;
    case MinorAmount::column_over_density:
      PARHELION_LANES
      for (int l = 0; l < width; ++l) amount[l] = column[l] * s.density[l];
      return;
    case MinorAmount::broadening_over_density:
      PARHELION_LANES
      for (int l = 0; l < width; ++l) amount[l] = s.broadening[l] * s.density[l];
      return;
    case MinorAmount::nitrogen: {
      auto const& water = s.column[static_cast<int>(Gas::h2o)];
      PARHELION_LANES
      for (int l = 0; l < width; ++l)
        amount[l] = s.broadening[l] * s.density[l] * (s.broadening[l] * fast_reciprocal(s.dry[l] + water[l]));
      return;
    }
    case MinorAmount::limited_column: {
      Real const* const of_gas = &tables.vmr(0, minor.gas);
      bool const is_given = minor.reference > 0;
      Real reference[width];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        Real const ratio = is_given ? minor.reference : of_gas[(s.jp[l] + 1) * nreference_gas];
        reference[l] = s.dry[l] * ratio;
        amount[l] = column[l];
      }
      for (int l = 0; l < width; ++l)
        if (column[l] > minor.limit * reference[l])
          amount[l] = (minor.offset + Kokkos::pow(column[l] / reference[l] - minor.offset, minor.power)) * reference[l];
      return;
    }
  }
}

/// \brief The terms of a band.
///
/// The layers are of one half of the atmosphere, so that their lists differ only in the pairs that three-point
/// interpolation adds at the end.
template <class ExecutionSpace, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_terms(Impl::AbsorptionTerms<Real, width>& terms,
                                      typename Impl::AbsorptionTerms<Real, width>::Packs packs,
                                      GasOpticsTables<ExecutionSpace, Real> const& tables, int band,
                                      InterpolationState<Real, width> const& s) {
  constexpr int ntemperature = 5;
  HalfRows<Real> const& half = tables.bands(band).half[s.upper ? 1 : 0];
  bool const upper = s.upper;
  Impl::PairList<Impl::AbsorptionTerms<Real, width>> pair(packs);

  // Each loop over lanes reads and writes arrays of its own: compilers can vectorize that.
  Real correction[width], first[width], second[width];
  for (int l = 0; l < width; ++l) {
    correction[l] = 1;
    first[l] = 0;
    second[l] = 0;
  }
  if (half.correction_strength != 0) {
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      bool const corrected = !(half.correction_only_below && s.pressure[l] >= half.correction_from);
      Real const over = (s.pressure[l] - half.correction_from) / half.correction_over;
      correction[l] = corrected ? 1 - half.correction_strength * over : 1;
    }
  }
  if (half.nkey > 0)
    for (int l = 0; l < width; ++l) first[l] = s.column[half.key[0]][l];
  if (half.nkey > 1)
    for (int l = 0; l < width; ++l) second[l] = s.column[half.key[1]][l];
  // Two neighbouring rows.
  auto const add = [&](Real const(&amount)[width], Real const(&fraction)[width], int row, int const(&index)[width]) {
    pair.next();
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      pair.weight(0)[l] = amount[l] * (1 - fraction[l]);
      pair.weight(1)[l] = amount[l] * fraction[l];
      pair.row()[l] = static_cast<unsigned>(row + index[l] * row_stride);
    }
  };

  // The pairs of third points come after all others.
  constexpr int npoint = 4;
  Real third[npoint][width];
  int third_row[npoint][width];
  bool const two_keys = half.nkey > 1 && half.key_row >= 0;
  if (half.key_row >= 0) {
    int const below = upper ? npressure_lower - 1 : 0;
    int const ns = half.species_ratios;
    int const warmer_row = ns * row_stride;
    for (int pressure = 0; pressure < 2; ++pressure) {
      auto const& jt = pressure == 0 ? s.jt0 : s.jt1;
      auto const& colder = pressure == 0 ? s.fac00 : s.fac01;
      auto const& warmer = pressure == 0 ? s.fac10 : s.fac11;
      if (!two_keys) {
        pair.next();
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          int const jp = s.jp[l] + pressure - below;
          Real const amount = correction[l] * first[l];
          pair.weight(0)[l] = amount * colder[l];
          pair.weight(1)[l] = amount * warmer[l];
          pair.row()[l] = static_cast<unsigned>(half.key_row + (jp * ntemperature + jt[l]) * warmer_row);
        }
        continue;
      }
      Real const* const of_first = &tables.vmr(pressure, half.key[0]);
      Real const* const of_second = &tables.vmr(pressure, half.key[1]);
      Real weight[2][width], of_third[width], amount[width], parameter[width], from_end[width];
      int row[width], row_of_third[width];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        int const at = s.jp[l] * nreference_gas;
        auto const p = species_position(first[l], second[l], of_first[at] * fast_reciprocal(of_second[at]), ns);
        int const table = half.key_row + ((s.jp[l] + pressure - below) * ntemperature + jt[l]) * warmer_row;
        amount[l] = p.amount;
        parameter[l] = p.parameter;
        from_end[l] = p.from_end;
        weight[0][l] = 1 - p.fraction;
        weight[1][l] = p.fraction;
        of_third[l] = 0;
        row[l] = table + p.index * row_stride;
        row_of_third[l] = 0;
      }
      if (!upper) {
        constexpr Real edge = static_cast<Real>(0.125);
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          bool const low = parameter[l] < edge;
          auto const w = end_weights(low ? weight[1][l] : from_end[l]);
          bool const at_end = low || parameter[l] > 1 - edge;
          Real const w0 = low ? w.at_end : w.next;
          Real const w1 = low ? w.next : w.at_end;
          weight[0][l] = at_end ? w0 : weight[0][l];
          weight[1][l] = at_end ? w1 : weight[1][l];
          of_third[l] = at_end ? w.third : 0;
          row_of_third[l] = row[l] + (low ? 2 * row_stride : -row_stride);
        }
      }
      for (int warm = 0; warm < 2; ++warm) {
        auto const& of_temperature = warm == 0 ? colder : warmer;
        int const point = 2 * pressure + warm;
        pair.next();
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          Real const factor = amount[l] * of_temperature[l];
          pair.weight(0)[l] = factor * weight[0][l];
          pair.weight(1)[l] = factor * weight[1][l];
          pair.row()[l] = static_cast<unsigned>(row[l] + warm * warmer_row);
          third[point][l] = factor * of_third[l];
          third_row[point][l] = row_of_third[l] + warm * warmer_row;
        }
      }
    }
  }
  if (half.self_row >= 0) {
    Real amount[width];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) amount[l] = correction[l] * s.self_scale[l];
    add(amount, s.self_fraction, half.self_row, s.self_index);
  }
  if (half.foreign_row >= 0) {
    Real amount[width];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) amount[l] = correction[l] * s.foreign_scale[l];
    add(amount, s.foreign_fraction, half.foreign_row, s.foreign_index);
  }
  for (int m = 0; m < half.nminor; ++m) {
    MinorRows<Real> const& minor = half.minor[m];
    Real amount[width];
    minor_amounts(tables, minor, s, amount);
    PARHELION_LANES
    for (int l = 0; l < width; ++l) amount[l] *= correction[l];
    int const ns = minor.species_ratios;
    if (ns == 1) {
      add(amount, s.minor_fraction, minor.row, s.minor_index);
      continue;
    }
    Real of_temperature[2][width], fraction[width];
    int index[width];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      auto const p = species_position(first[l], second[l], minor.species_ratio, ns);
      fraction[l] = p.fraction;
      index[l] = s.minor_index[l] * ns + p.index;
      of_temperature[0][l] = amount[l] * (1 - s.minor_fraction[l]);
      of_temperature[1][l] = amount[l] * s.minor_fraction[l];
    }
    for (int warm = 0; warm < 2; ++warm) add(of_temperature[warm], fraction, minor.row + warm * ns * row_stride, index);
  }
  for (int h = 0; h < half.nhalocarbon; ++h) {
    auto const& column = s.column[half.halocarbon[h]];
    pair.next();
    for (int l = 0; l < width; ++l) {
      pair.weight(0)[l] = column[l];
      pair.weight(1)[l] = 0;
      pair.row()[l] = static_cast<unsigned>(half.halocarbon_row[h]);
    }
  }
  terms.count = pair.count();
  for (int l = 0; l < width; ++l) {
    terms.depth[l] = 0;
    terms.more[l] = 0;
  }
  if (two_keys && !upper) {
    for (int l = 0; l < width; ++l) {
      if (third[0][l] == 0 && third[npoint / 2][l] == 0) continue;
      terms.more[l] = npoint;
      pair.reserve(npoint);
      for (int point = 0; point < npoint; ++point) {
        int const at = terms.count + point;
        pair.weight(0, at)[l] = third[point][l];
        pair.weight(1, at)[l] = 0;
        pair.row(at)[l] = static_cast<unsigned>(third_row[point][l]);
      }
    }
  }

  bool const planck = half.planck_row >= 0;
  int const ns = planck ? half.planck_species_ratios : 1;
  for (int l = 0; l < width; ++l) {
    terms.second.row[0][l] = planck ? static_cast<unsigned>(half.planck_row) : 0;
    terms.second.weight[0][0][l] = planck ? 1 : 0;
    terms.second.weight[0][1][l] = 0;
  }
  if (ns > 1) {
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      auto const p = species_position(first[l], second[l], half.planck_ratio, ns);
      terms.second.row[0][l] += static_cast<unsigned>(p.index * row_stride);
      terms.second.weight[0][0][l] = 1 - p.fraction;
      terms.second.weight[0][1][l] = p.fraction;
    }
  }
}

}  // namespace parhelion::fluxes::rrtmg_lw

#endif
