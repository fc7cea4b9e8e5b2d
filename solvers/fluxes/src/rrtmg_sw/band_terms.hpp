// SPDX-License-Identifier: BSD-3-Clause
// The absorption and the Rayleigh scattering of a band of RRTMG_SW as sums over rows of the table of coefficients, and
// its sun.
#ifndef PARHELION_FLUXES_RRTMG_SW_BAND_TERMS_HPP
#define PARHELION_FLUXES_RRTMG_SW_BAND_TERMS_HPP

#include "absorption_terms.hpp"
#include "rrtmg_lw/band_terms.hpp"
#include "rrtmg_lw/interpolation_state.hpp"
#include "rrtmg_sw/band_descriptions.hpp"
#include "rrtmg_sw/gas_optics_tables.hpp"

#include <parhelion/core/lanes.hpp>

#include <algorithm>

namespace parhelion::fluxes::rrtmg_sw {

using rrtmg_lw::InterpolationState;

/// Most pairs that a band may have.
inline int max_pairs(BandDescription const& band) {
  int most = 0;
  for (Half const which : {Half::lower, Half::upper}) {
    BandHalf const& half = band.half(which);
    int pairs = half.keys.n == 0 ? 0 : half.keys.n > 1 ? 4 : 2;
    pairs += (half.self_continuum ? 1 : 0) + (half.foreign_continuum ? 1 : 0);
    for (RecordItem const& item : band.record)
      if (item.kind == RecordItem::Kind::absorber &&
          item.halves != (which == Half::lower ? Halves::upper : Halves::lower))
        ++pairs;
    most = std::max(most, pairs);
  }
  return most;
}

/// Most pairs that any band has: two keys (4), both continua (2), two other gases.
inline constexpr int max_absorption_pairs = 6 + max_absorber;

/// \brief The terms of a band; the layers are of one half of the atmosphere.
template <class ExecutionSpace, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_terms(Impl::AbsorptionTerms<Real, width>& terms,
                                      typename Impl::AbsorptionTerms<Real, width>::Packs packs,
                                      GasOpticsTables<ExecutionSpace, Real> const& tables, int band,
                                      InterpolationState<Real, width> const& s) {
  constexpr int ntemperature = 5;
  HalfRows<Real> const& half = tables.bands(band).half[s.upper ? 1 : 0];
  Impl::PairList<Impl::AbsorptionTerms<Real, width>> pair(packs);
  // Each loop over lanes reads and writes arrays of its own: compilers can vectorize that.
  bool const two_keys = half.nkey > 1;
  int const ns = half.species_ratios;
  Real amount[width], fraction[width];
  int index[width];
  for (int l = 0; l < width; ++l) {
    amount[l] = 0;
    fraction[l] = 0;
    index[l] = 0;
  }
  if (half.nkey == 1) {
    auto const& column = s.column[half.key[0]];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) amount[l] = half.key_factor * column[l];
  }
  if (two_keys) {
    auto const& first = s.column[half.key[0]];
    auto const& second = s.column[half.key[1]];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      auto const p = rrtmg_lw::species_position(first[l], second[l], half.key_ratio, ns);
      amount[l] = half.key_factor * p.amount;
      index[l] = p.index;
      fraction[l] = p.fraction;
    }
  }
  if (half.key_row >= 0) {
    int const below = s.upper ? rrtmg_lw::npressure_lower - 1 : 0;
    int const warmer_row = ns * row_stride;
    for (int pressure = 0; pressure < 2; ++pressure) {
      auto const& jt = pressure == 0 ? s.jt0 : s.jt1;
      auto const& colder = pressure == 0 ? s.fac00 : s.fac01;
      auto const& warmer = pressure == 0 ? s.fac10 : s.fac11;
      int row[width];
      PARHELION_LANES
      for (int l = 0; l < width; ++l)
        row[l] = half.key_row + ((s.jp[l] + pressure - below) * ntemperature + jt[l]) * warmer_row;
      if (!two_keys) {
        pair.next();
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          pair.weight(0)[l] = amount[l] * colder[l];
          pair.weight(1)[l] = amount[l] * warmer[l];
          pair.row()[l] = static_cast<unsigned>(row[l]);
        }
        continue;
      }
      for (int warm = 0; warm < 2; ++warm) {
        auto const& of_temperature = warm == 0 ? colder : warmer;
        pair.next();
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          Real const factor = amount[l] * of_temperature[l];
          pair.weight(0)[l] = factor * (1 - fraction[l]);
          pair.weight(1)[l] = factor * fraction[l];
          pair.row()[l] = static_cast<unsigned>(row[l] + warm * warmer_row + index[l] * row_stride);
        }
      }
    }
  }
  auto const add = [&](Real const(&of)[width], Real const(&between)[width], int row, int const(&at)[width]) {
    pair.next();
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      pair.weight(0)[l] = of[l] * (1 - between[l]);
      pair.weight(1)[l] = of[l] * between[l];
      pair.row()[l] = static_cast<unsigned>(row + at[l] * row_stride);
    }
  };
  if (half.self_row >= 0) add(s.self_scale, s.self_fraction, half.self_row, s.self_index);
  if (half.foreign_row >= 0) add(s.foreign_scale, s.foreign_fraction, half.foreign_row, s.foreign_index);
  for (int a = 0; a < half.nabsorber; ++a) {
    auto const& column = s.column[half.absorber[a]];
    pair.next();
    for (int l = 0; l < width; ++l) {
      pair.weight(0)[l] = column[l];
      pair.weight(1)[l] = 0;
      pair.row()[l] = static_cast<unsigned>(half.absorber_row[a]);
    }
  }
  terms.count = pair.count();
  bool const mixed = half.rayleigh_species_ratios > 1;
  bool const grey = half.grey_gas >= 0;
  auto const& grey_column = s.column[grey ? half.grey_gas : 0];
  auto const& water = s.column[static_cast<int>(Gas::h2o)];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    terms.more[l] = 0;
    terms.depth[l] = grey ? half.grey * grey_column[l] : 0;
    Real const air = s.dry[l] + water[l];
    Real const share = mixed ? fraction[l] : 0;
    terms.second.weight[0][0][l] = air * (1 - share);
    terms.second.weight[0][1][l] = air * share;
    terms.second.row[0][l] = static_cast<unsigned>(half.rayleigh_row + (mixed ? index[l] * row_stride : 0));
  }
}

/// Where the solar irradiance of a band lies between species ratios.
template <class Real>
struct SolarPosition {
  int index = 0;
  Real fraction = 0;
};

/// \brief The layer whose species ratio gives the solar irradiance of a band.
///
/// Upper bands: the first upper layer at or above the marked reference pressure, the topmost if there is none. Lower
/// bands: the layer above the one that the mark lies over, at most the highest lower layer, and this if there is none.
/// \param jp    of a layer, counted from 1; layer 0 is next to the surface
/// \param lower number of lower layers
template <class ReferencePressure>
KOKKOS_INLINE_FUNCTION int solar_layer(ReferencePressure const& jp, int lower, int nlay, bool of_upper, int mark) {
  if (of_upper) {
    if (lower == nlay) return nlay - 1;
    for (int layer = lower; layer < nlay; ++layer)
      if (jp(layer) >= mark && (layer == 0 || jp(layer - 1) < mark)) return layer;
    return nlay - 1;
  }
  if (lower == 0) return 0;
  for (int layer = 0; layer < lower; ++layer)
    if (layer + 1 < nlay && jp(layer) < mark && jp(layer + 1) >= mark) return layer + 1 < lower ? layer + 1 : lower - 1;
  return lower - 1;
}

/// Position of a band's irradiance from the gases of its layer.
template <class ExecutionSpace, class Real, class AnyColumns>
KOKKOS_INLINE_FUNCTION SolarPosition<Real> solar_position(GasOpticsTables<ExecutionSpace, Real> const& tables,
                                                          BandRows<Real> const& band, AnyColumns const& columns,
                                                          int column, int layer) {
  if (band.solar_species_ratios == 1) return {};
  HalfRows<Real> const& half = band.half[band.solar_half];
  auto const ratio = [&](int gas) {
    Real const vmr = columns.vmr(column, gas, layer);
    return vmr == 0 && tables.is_never_zero(gas) ? static_cast<Real>(rrtmg_lw::tiny_ratio) : vmr;
  };
  auto const p =
      rrtmg_lw::species_position(ratio(half.key[0]), ratio(half.key[1]), half.key_ratio, band.solar_species_ratios);
  return {p.index, p.fraction};
}

/// Irradiance of a g-point normal to the beam [W m-2].
/// \param values  of the tables, from the g-point on
/// \param weights of the solar spectra
template <class Real, class Weights>
KOKKOS_INLINE_FUNCTION Real solar_irradiance(BandRows<Real> const& band, Real const* values,
                                             SolarPosition<Real> const& position, Weights const& weights) {
  Real sum = 0;
  for (int spectrum = 0; spectrum < nsolar; ++spectrum) {
    Real const* const row =
        values + band.solar_row + (spectrum * band.solar_species_ratios + position.index) * row_stride;
    Real const mixed =
        position.fraction == 0 ? row[0] : (1 - position.fraction) * row[0] + position.fraction * row[row_stride];
    sum += weights(spectrum) * mixed;
  }
  return sum;
}

}  // namespace parhelion::fluxes::rrtmg_sw

#endif
