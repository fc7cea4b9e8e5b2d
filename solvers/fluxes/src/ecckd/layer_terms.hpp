// SPDX-License-Identifier: BSD-3-Clause
// The absorption of ecCKD as a sum over rows of its tables.
#ifndef PARHELION_FLUXES_ECCKD_LAYER_TERMS_HPP
#define PARHELION_FLUXES_ECCKD_LAYER_TERMS_HPP

#include "ecckd/tables.hpp"
#include "layer_values.hpp"

#include <parhelion/fluxes/ecckd/definition.hpp>

#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/logarithm.hpp>

namespace parhelion::fluxes::ecckd {

/// \brief Where layers lie between the pressures and temperatures of the tables, and what is in them.
///
/// For `width` neighbouring layers.
template <class Real, int width = 1>
struct LayerState {
  unsigned row[width];             ///< from the first of a gas, in rows
  Real weight[2][2][width];        ///< of the rows (temperature, pressure), times moles of air
  Real moles[width];               ///< of dry air per area [mol m-2]
  Real temperature_lev[2][width];  ///< of the lower and of the upper boundary [K]
  Real amount[max_gases][width];   ///< what the coefficients of each gas are multiplied with
};

/// Places between the entries of a table, of neighbouring layers.
template <class Real, int width>
struct TablePlaces {
  int index[width];      ///< the entry below
  Real fraction[width];  ///< of the way to the next entry
};

/// \brief Sets fractions, limited as ecRad does: to the table, whose end is never quite reached.
/// \param distance from the entry, in entries
/// \param n        entries of the table
template <class Real, int width>
KOKKOS_INLINE_FUNCTION void limit(TablePlaces<Real, width>& at, Real const (&distance)[width], int n) {
  Real most[width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l)
    most[l] = at.index[l] == n - 2 ? static_cast<Real>(1 - model_constants::short_of_end) : Real(1);
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const above = distance[l] > 0 ? distance[l] : Real(0);
    at.fraction[l] = above < most[l] ? above : most[l];
  }
}

/// \param position from the first entry, in entries
/// \param n        entries of the table
template <class Real, int width>
KOKKOS_INLINE_FUNCTION void find(TablePlaces<Real, width>& at, Real const (&position)[width], int n) {
  Real distance[width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    at.index[l] = clamped_index(position[l], 0, n - 2);
    distance[l] = position[l] - static_cast<Real>(at.index[l]);
  }
  limit(at, distance, n);
}

/// \brief Where layers lie in the tables. The layer's pressure and temperature are means of those of its levels.
/// \param s          overwritten
/// \param columns    the atmosphere
/// \param column     which column
/// \param first      the first layer; the others are those above it, and the highest one again where there are no more
template <class Tables, class AnyColumns, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_state(LayerState<Real, width>& s, Tables const& tables, AnyColumns const& columns,
                                      int column, int first) {
  // Each loop over lanes reads and writes arrays of its own: compilers can vectorize that.
  int const n = columns.nlay() - first;
  Real low[width], high[width];
  Impl::layer_values(&columns.pressure_lev(column, first), n, low);
  Impl::layer_values(&columns.pressure_lev(column, first + 1), n, high);
  Impl::layer_values(&columns.temperature_lev(column, first), n, s.temperature_lev[0]);
  Impl::layer_values(&columns.temperature_lev(column, first + 1), n, s.temperature_lev[1]);

  // The logarithm of the pressure over the first one of the table is large, and in float has few digits after the
  // entry. So it serves to find the entry only; the distance from that is the logarithm of the pressure over that of
  // the entry.
  Real const* const pressures = tables.pressure.data();
  Real const* const temperatures = tables.temperature.data();
  Real const first_pressure = pressures[0];
  Real const inverse_pressure_step = tables.inverse_pressure_step;
  Real const inverse_temperature_step = tables.inverse_temperature_step;
  int const npressure = tables.npressure;
  int const ntemperature = tables.ntemperature;
  TablePlaces<Real, width> p, t;
  Real of_entry[width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const rough = vector_log((low[l] + high[l]) / 2 / first_pressure) * inverse_pressure_step;
    p.index[l] = clamped_index(rough, 0, npressure - 2);
  }
  PARHELION_LANES
  for (int l = 0; l < width; ++l) of_entry[l] = pressures[p.index[l]];
  Real coldest[2][width];
  for (int next = 0; next < 2; ++next) {
    PARHELION_LANES
    for (int l = 0; l < width; ++l) coldest[next][l] = temperatures[p.index[l] + next];
  }
  Real distance[width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l)
    distance[l] = vector_log((low[l] + high[l]) / 2 / of_entry[l]) * inverse_pressure_step;
  limit(p, distance, npressure);
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const temperature =
        (s.temperature_lev[0][l] * low[l] + s.temperature_lev[1][l] * high[l]) / (low[l] + high[l]);
    Real const lowest = (1 - p.fraction[l]) * coldest[0][l] + p.fraction[l] * coldest[1][l];
    distance[l] = (temperature - lowest) * inverse_temperature_step;
  }
  find(t, distance, ntemperature);
  PARHELION_LANES
  for (int l = 0; l < width; ++l) s.row[l] = static_cast<unsigned>(t.index[l] * npressure + p.index[l]);
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const moles = (low[l] - high[l]) * static_cast<Real>(model_constants::moles_per_pascal);
    s.moles[l] = moles;
    s.weight[0][0][l] = moles * (1 - t.fraction[l]) * (1 - p.fraction[l]);
    s.weight[0][1][l] = moles * (1 - t.fraction[l]) * p.fraction[l];
    s.weight[1][0][l] = moles * t.fraction[l] * (1 - p.fraction[l]);
    s.weight[1][1][l] = moles * t.fraction[l] * p.fraction[l];
  }

  int const given = static_cast<int>(columns.vmr.extent(1));
  for (int g = 0; g < tables.ngas; ++g) {
    auto const& gas = tables.gases(g);
    bool const always = gas.dependence == static_cast<int>(Concentration::none);
    bool const is_given = gas.gas >= 0 && gas.gas < given;
    auto& amount = s.amount[g];
    if (always) {
      for (int l = 0; l < width; ++l) amount[l] = 1;
      continue;
    }
    for (int l = 0; l < width; ++l) amount[l] = 0;
    if (is_given) Impl::layer_values(&columns.vmr(column, gas.gas, first), n, amount);
    for (int l = 0; l < width; ++l) amount[l] -= gas.reference;
  }
}

/// \brief Pairs of rows that are read at a time, see AbsorptionTerms.
///
/// On an H100 four are a fifth faster than one in double, and 7 % slower in float, where a layer has ten.
template <class Real, int layers>
inline constexpr int pairs_together = layers == 1 && sizeof(Real) > 4 ? 4 : 1;

/// The absorption terms of layers, without the further sums.
template <class Terms, class Tables, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_absorption(Terms& terms, typename Terms::Packs packs, Tables const& tables,
                                           LayerState<Real, width> const& s) {
  auto const stride = static_cast<unsigned>(tables.stride);
  auto const of_temperature = static_cast<unsigned>(tables.npressure);
  unsigned const of_mole_fraction = of_temperature * static_cast<unsigned>(tables.ntemperature);
  Impl::PairList<Terms> pair(packs);
  for (int g = 0; g < tables.ngas; ++g) {
    auto const& gas = tables.gases(g);
    bool const is_table = gas.dependence == static_cast<int>(Concentration::table);
    unsigned row[width];
    Real amount[2][width];
    for (int l = 0; l < width; ++l) {
      row[l] = gas.row + s.row[l];
      amount[0][l] = s.amount[g][l];
    }
    if (is_table) {
      Real const first_mole_fraction = gas.first_mole_fraction;
      Real const inverse_step = gas.inverse_step;
      int const nmole_fraction = gas.nmole_fraction;
      Real position[width];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        Real const ratio = s.amount[g][l] / first_mole_fraction;
        position[l] = vector_log(ratio > 1 ? ratio : Real(1)) * inverse_step;
      }
      TablePlaces<Real, width> at;
      find(at, position, nmole_fraction);
      PARHELION_LANES
      for (int l = 0; l < width; ++l) row[l] += static_cast<unsigned>(at.index[l]) * of_mole_fraction;
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        amount[1][l] = s.amount[g][l] * at.fraction[l];
        amount[0][l] = s.amount[g][l] * (1 - at.fraction[l]);
      }
    }
    for (int c = 0; c < (is_table ? 2 : 1); ++c)
      for (int it = 0; it < 2; ++it) {
        pair.next();
        auto& weight0 = pair.weight(0);
        auto& weight1 = pair.weight(1);
        auto& first = pair.row();
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          weight0[l] = amount[c][l] * s.weight[it][0][l];
          weight1[l] = amount[c][l] * s.weight[it][1][l];
          first[l] =
              (row[l] + static_cast<unsigned>(c) * of_mole_fraction + static_cast<unsigned>(it) * of_temperature) *
              stride;
        }
      }
  }
  terms.count = pair.count();
  for (int l = 0; l < width; ++l) {
    terms.more[l] = 0;
    terms.depth[l] = 0;
  }
}

/// \brief All terms of the longwave; the further sums are the Planck radiance of a level over all angles, without the
///        factor pi: pair 0 that of the layer's lower boundary, pair 1 that of the upper one.
template <class Terms, class Tables, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_longwave_terms(Terms& terms, typename Terms::Packs packs, Tables const& tables,
                                               LayerState<Real, width> const& s) {
  set_absorption(terms, packs, tables, s);
  auto const stride = static_cast<unsigned>(tables.stride);
  constexpr Real inverse_pi = static_cast<Real>(1 / Kokkos::numbers::pi);
  for (int level = 0; level < 2; ++level) {
    auto& second = terms.second;
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      auto const at = tables.at_temperature(s.temperature_lev[level][l]);
      second.row[level][l] = at.row * stride;
      second.weight[level][0][l] = at.weight[0] * inverse_pi;
      second.weight[level][1][l] = at.weight[1] * inverse_pi;
    }
  }
}

/// All terms of the shortwave; the further sum is Rayleigh scattering.
template <class Terms, class Tables, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_shortwave_terms(Terms& terms, typename Terms::Packs packs, Tables const& tables,
                                                LayerState<Real, width> const& s) {
  set_absorption(terms, packs, tables, s);
  for (int l = 0; l < width; ++l) {
    terms.second.row[0][l] = tables.rayleigh_row * static_cast<unsigned>(tables.stride);
    terms.second.weight[0][0][l] = s.moles[l];
    terms.second.weight[0][1][l] = 0;
  }
}

}  // namespace parhelion::fluxes::ecckd

#endif
