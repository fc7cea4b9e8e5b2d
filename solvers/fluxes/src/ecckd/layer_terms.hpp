// SPDX-License-Identifier: BSD-3-Clause
// The absorption of ecCKD as a sum over rows of its tables.
#ifndef PARHELION_FLUXES_ECCKD_LAYER_TERMS_HPP
#define PARHELION_FLUXES_ECCKD_LAYER_TERMS_HPP

#include "ecckd/tables.hpp"

#include <parhelion/fluxes/ecckd/definition.hpp>

#include <parhelion/core/interpolate.hpp>

#include <Kokkos_MathematicalFunctions.hpp>

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
  Real amount[most_gases][width];  ///< what the coefficients of each gas are multiplied with
};

/// A position in a table of n entries.
template <class Real>
struct TablePosition {
  int index;
  Real fraction;
};

/// \brief The distance from an entry, limited as ecRad does: to the table, whose end is never quite reached.
template <class Real>
KOKKOS_INLINE_FUNCTION TablePosition<Real> limited(int index, Real distance, int n) {
  Real const most = index == n - 2 ? static_cast<Real>(1 - model_constants::short_of_end) : Real(1);
  Real const above = distance > 0 ? distance : Real(0);
  return {index, above < most ? above : most};
}

template <class Real>
KOKKOS_INLINE_FUNCTION TablePosition<Real> table_position(Real position, int n) {
  int const index = clamped_index(position, 0, n - 2);
  return limited(index, position - static_cast<Real>(index), n);
}

/// \brief The position of a pressure.
///
/// The logarithm of the pressure over the first one of the table is large, and in float has few digits after the entry.
/// So it serves to find the entry only; the distance from that is the logarithm of the pressure over that of the entry.
template <class Tables, class Real>
KOKKOS_INLINE_FUNCTION TablePosition<Real> pressure_position(Tables const& tables, Real pressure) {
  Real const rough = Kokkos::log(pressure / tables.pressure(0)) * tables.inverse_pressure_step;
  int const index = clamped_index(rough, 0, tables.npressure - 2);
  return limited(index, Kokkos::log(pressure / tables.pressure(index)) * tables.inverse_pressure_step,
                 tables.npressure);
}

/// \brief Where layers lie in the tables. The layer's pressure and temperature are means of those of its levels.
/// \param s          overwritten
/// \param columns    the atmosphere
/// \param column     which column
/// \param first,last which layers; the last one is repeated to fill the width
template <class Tables, class AnyColumns, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_state(LayerState<Real, width>& s, Tables const& tables, AnyColumns const& columns,
                                      int column, int first, int last) {
  int const given = static_cast<int>(columns.vmr.extent(1));
  for (int l = 0; l < width; ++l) {
    int const layer = first + l < last ? first + l : last;
    Real const low = columns.pressure_lev(column, layer);
    Real const high = columns.pressure_lev(column, layer + 1);
    Real const warm = columns.temperature_lev(column, layer);
    Real const cold = columns.temperature_lev(column, layer + 1);
    Real const pressure = (low + high) / 2;
    Real const temperature = (warm * low + cold * high) / (low + high);
    s.temperature_lev[0][l] = warm;
    s.temperature_lev[1][l] = cold;
    s.moles[l] = (low - high) * static_cast<Real>(model_constants::moles_per_pascal);

    auto const p = pressure_position(tables, pressure);
    Real const lowest = (1 - p.fraction) * tables.temperature(p.index) + p.fraction * tables.temperature(p.index + 1);
    auto const t = table_position((temperature - lowest) * tables.inverse_temperature_step, tables.ntemperature);
    s.row[l] = static_cast<unsigned>(t.index * tables.npressure + p.index);
    for (int it = 0; it < 2; ++it) {
      Real const of_temperature = s.moles[l] * (it == 0 ? 1 - t.fraction : t.fraction);
      s.weight[it][0][l] = of_temperature * (1 - p.fraction);
      s.weight[it][1][l] = of_temperature * p.fraction;
    }
    for (int g = 0; g < tables.ngas; ++g) {
      auto const& gas = tables.gases(g);
      Real const ratio = gas.gas >= 0 && gas.gas < given ? columns.vmr(column, gas.gas, layer) : Real(0);
      bool const always = gas.dependence == static_cast<int>(Concentration::none);
      s.amount[g][l] = always ? Real(1) : ratio - gas.reference;
    }
  }
}

/// The absorption terms of layers, without the further sums.
template <class Terms, class Tables, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_absorption(Terms& terms, Tables const& tables, LayerState<Real, width> const& s) {
  auto const stride = static_cast<unsigned>(tables.stride);
  auto const of_temperature = static_cast<unsigned>(tables.npressure);
  unsigned const of_mole_fraction = of_temperature * static_cast<unsigned>(tables.ntemperature);
  auto* pair = terms.pairs;
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
      for (int l = 0; l < width; ++l) {
        Real const ratio = s.amount[g][l] / gas.first_mole_fraction;
        auto const at = table_position(ratio > 1 ? Kokkos::log(ratio) * gas.inverse_step : Real(0), gas.nmole_fraction);
        row[l] += static_cast<unsigned>(at.index) * of_mole_fraction;
        amount[1][l] = s.amount[g][l] * at.fraction;
        amount[0][l] = s.amount[g][l] * (1 - at.fraction);
      }
    }
    for (int c = 0; c < (is_table ? 2 : 1); ++c)
      for (int it = 0; it < 2; ++it, ++pair)
        for (int l = 0; l < width; ++l) {
          pair->weight[0][l] = amount[c][l] * s.weight[it][0][l];
          pair->weight[1][l] = amount[c][l] * s.weight[it][1][l];
          pair->row[l] =
              (row[l] + static_cast<unsigned>(c) * of_mole_fraction + static_cast<unsigned>(it) * of_temperature) *
              stride;
        }
  }
  terms.count = static_cast<int>(pair - terms.pairs);
  for (int l = 0; l < width; ++l) {
    terms.more[l] = 0;
    terms.depth[l] = 0;
  }
}

/// \brief All terms of the longwave; the further sums are the Planck radiance of a level over all angles, without the
///        factor pi: pair 0 that of the layer's lower boundary, pair 1 that of the upper one.
template <class Terms, class Tables, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_longwave_terms(Terms& terms, Tables const& tables, LayerState<Real, width> const& s) {
  set_absorption(terms, tables, s);
  constexpr Real inverse_pi = static_cast<Real>(1 / Kokkos::numbers::pi);
  for (int level = 0; level < 2; ++level)
    for (int l = 0; l < width; ++l) {
      auto const at = tables.at_temperature(s.temperature_lev[level][l]);
      terms.second_row[level][l] = at.row * static_cast<unsigned>(tables.stride);
      terms.second_weight[level][0][l] = at.weight[0] * inverse_pi;
      terms.second_weight[level][1][l] = at.weight[1] * inverse_pi;
    }
}

/// All terms of the shortwave; the further sum is Rayleigh scattering.
template <class Terms, class Tables, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_shortwave_terms(Terms& terms, Tables const& tables, LayerState<Real, width> const& s) {
  set_absorption(terms, tables, s);
  for (int l = 0; l < width; ++l) {
    terms.second_row[0][l] = tables.rayleigh_row * static_cast<unsigned>(tables.stride);
    terms.second_weight[0][0][l] = s.moles[l];
    terms.second_weight[0][1][l] = 0;
  }
}

}  // namespace parhelion::fluxes::ecckd

#endif
