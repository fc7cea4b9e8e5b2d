// SPDX-License-Identifier: BSD-3-Clause
// The absorption of a band of RRTMGP, and its Planck fractions or Rayleigh scattering, as sums over rows of a table.
#ifndef PARHELION_FLUXES_RRTMGP_LAYER_TERMS_HPP
#define PARHELION_FLUXES_RRTMGP_LAYER_TERMS_HPP

#include "absorption_terms.hpp"
#include "layer_values.hpp"
#include "rrtmgp/tables.hpp"

#include <parhelion/core/exponential.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/logarithm.hpp>
#include <parhelion/fluxes/gases.hpp>

#include <Kokkos_NumericTraits.hpp>
#include <type_traits>

namespace parhelion::fluxes::rrtmgp {

/// \brief Where layers lie between the entries of the tables, and their columns of gas.
///
/// For `width` neighbouring layers of one half of the atmosphere. Indices count from 0. Kernels make it once for all
/// bands.
template <class Real, int width = 1>
struct State {
  bool upper;
  int jt[width];                     ///< temperature below that of the layer
  Real ft[width];                    ///< weight of the next one
  int jp[width];                     ///< pressure below the layer, among those of its half
  Real fp[width];                    ///< weight of the next one
  Real density[width];               ///< p/T [hPa K-1]
  Real air[width];                   ///< column of moist air [column_unit cm-2]
  Real mole_fraction[width];         ///< in moist air, of a column of 1 column_unit cm-2
  Real column[ngas_all + 1][width];  ///< dry air and the kept gases [column_unit cm-2]
};

/// Dry-air column of a layer [column_unit cm-2].
/// \param thickness pressure difference over the layer [Pa]
/// \param water     mole ratio of water vapour to dry air
template <class Real>
KOKKOS_INLINE_FUNCTION Real dry_column(Real thickness, Real water) {
  constexpr double square_centimetres = 1e4;  // in a square metre
  constexpr Real unit = static_cast<Real>(constants::avogadro / column_unit / square_centimetres / constants::gravity);
  return thickness * unit /
         (static_cast<Real>(constants::molar_mass_dry) + static_cast<Real>(constants::molar_mass_water) * water);
}

/// \brief Where layers lie in the tables, and their columns of gas.
///
/// At exactly the highest temperature the entry below it counts, with weight 1, as in the model. Beyond the tables the
/// last intervals are extrapolated.
/// \param s          overwritten
/// \param columns    the atmosphere
/// \param column     which column
/// \param first,last which layers, of one half; the last one is repeated to fill the width
template <class ExecutionSpace, class AnyColumns, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_state(State<Real, width>& s, Tables<ExecutionSpace, Real> const& tables,
                                      AnyColumns const& columns, int column, int first, int last) {
  auto const& axes = tables.axes;
  s.upper = tables.is_upper(columns.pressure_lay(column, first));
  int const least = s.upper ? axes.first_above : 0;
  int const most = s.upper ? axes.npressure - 2 : axes.last_below;
  // Each loop over lanes reads and writes arrays of its own: compilers can vectorize that.
  int const n = last - first + 1;
  Real pressure[width], temperature[width], low[width], high[width], water[width];
  Impl::layer_values(&columns.pressure_lay(column, first), n, pressure);
  Impl::layer_values(&columns.temperature_lay(column, first), n, temperature);
  Impl::layer_values(&columns.pressure_lev(column, first), n, low);
  Impl::layer_values(&columns.pressure_lev(column, first + 1), n, high);
  Impl::layer_values(&columns.vmr(column, static_cast<int>(Gas::h2o), first), n, water);

  Real const step = axes.temperature_step;
  Real const last_temperature = axes.last_temperature;
  Real const from = axes.first_temperature - step;
  int const ntemperature = axes.ntemperature;
  Real const* const temperatures = tables.temperature.data();
  int base[width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    int const entry = clamped_index((temperature[l] - from) / step, 1, ntemperature) - 1;
    int const limited = entry < ntemperature - 2 ? entry : ntemperature - 2;
    s.jt[l] = limited;
    base[l] = temperature[l] > last_temperature ? limited : entry;
  }
  PARHELION_LANES
  for (int l = 0; l < width; ++l) s.ft[l] = (temperature[l] - temperatures[base[l]]) / step;

  Real const first_pressure = axes.first_pressure;
  Real const ln_step = axes.ln_pressure_step;
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const position = vector_log(pressure[l] / first_pressure) / ln_step;
    int const below = clamped_index(position, least, most);
    s.jp[l] = below - least;
    s.fp[l] = position - static_cast<Real>(below);
  }

  auto& dry = s.column[0];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    dry[l] = dry_column(low[l] - high[l], water[l]);
    s.density[l] = static_cast<Real>(0.01) * pressure[l] / temperature[l];
    Real const air = dry[l] * (1 + water[l]);
    s.air[l] = air;
    s.mole_fraction[l] = air > 0 ? 1 / air : Real(0);
  }
  for (int gas = 0; gas < tables.nkept; ++gas) {
    auto& amount = s.column[gas + 1];
    Impl::layer_values(&columns.vmr(column, tables.gases(gas), first), n, amount);
    PARHELION_LANES
    for (int l = 0; l < width; ++l) amount[l] *= dry[l];
  }
}

/// Where two key species of neighbouring layers lie between those that the tables hold.
template <class Real, int width>
struct Mixing {
  Real amount[width];  ///< their columns together, that of the second one by the ratio of the reference atmosphere
  int entry[width];
  Real weight[2][width];  ///< of the entry and of the next one
};

/// \brief The places of two key species in the tables.
///
/// The table's axis is the share of the first one. Without any of the second, the entry before the last one counts, as
/// in the model: there, too, where the share is so near to 1 that a number of eight bytes cannot tell.
/// \param m      overwritten
/// \param first  column of the first one
/// \param second column of the second one
/// \param ratio  by which the second one counts
template <class Real, int width>
KOKKOS_INLINE_FUNCTION void set_mixing(Mixing<Real, width>& m, Real const (&first)[width], Real const (&second)[width],
                                       Real const (&ratio)[width], int nmixing) {
  // In double a share of 1 has to be found exactly.
  auto const quotient = [](Real x, Real y) { return std::is_same_v<Real, double> ? x / y : fast_quotient(x, y); };
  constexpr Real least = 2 * Kokkos::Experimental::norm_min_v<Real>;
  constexpr Real half_ulp = static_cast<Real>(0x1p-53);
  Real const intervals = static_cast<Real>(nmixing - 1);
  int const last = nmixing - 2;
  Real share[width], rest[width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const counted = ratio[l] * second[l];
    Real const amount = first[l] + counted;
    m.amount[l] = amount;
    Real const of_first = quotient(first[l], amount > least ? amount : Real(1));
    Real const of_second = quotient(counted, amount > least ? amount : Real(1));
    share[l] = amount > least ? of_first : static_cast<Real>(0.5);
    rest[l] = amount > least ? of_second : static_cast<Real>(0.5);
  }
  Real entry[width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    m.entry[l] = clamped_index(share[l] * intervals, 0, last);
    entry[l] = static_cast<Real>(m.entry[l]);
  }
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    // In the last interval the distance from its end, of which the position has few digits.
    bool const at_end = entry[l] >= static_cast<Real>(last);
    Real const next = share[l] * intervals - entry[l];
    Real const here = at_end ? rest[l] * intervals : 1 - next;
    Real const after = at_end ? 1 - here : next;
    bool const pure = std::is_same_v<Real, double> ? share[l] >= 1 : rest[l] <= half_ulp;
    m.weight[0][l] = pure ? Real(1) : here;
    m.weight[1][l] = pure ? Real(0) : after;
  }
}

/// The same of one layer.
/// \param second column of the second one, times the ratio
template <class Real>
Mixing<Real, 1> mixing_of(Real first, Real second, int nmixing) {
  Mixing<Real, 1> m;
  set_mixing<Real, 1>(m, {first}, {second}, {1}, nmixing);
  return m;
}

/// Amounts of a minor gas that absorb [column_unit cm-2, or column_unit cm-2 hPa K-1].
template <class Real, int width>
KOKKOS_INLINE_FUNCTION void minor_amounts(MinorRows const& minor, State<Real, width> const& s, Real (&amount)[width]) {
  auto const& column = s.column[minor.gas];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) amount[l] = column[l];
  if (!minor.scales_with_density) return;
  PARHELION_LANES
  for (int l = 0; l < width; ++l) amount[l] *= s.density[l];
  if (minor.scaling_gas < 0) return;
  auto const& scaling = s.column[minor.scaling_gas];
  bool const by_complement = minor.by_complement != 0;
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const share = scaling[l] * s.mole_fraction[l];
    amount[l] *= by_complement ? 1 - share : share;
  }
}

/// \brief The terms of a band; the layers are of one half of the atmosphere.
///
/// The first pairs of absorption are those of key species. Further sums: of the longwave (`nsecond` 4) the Planck
/// fractions, of the shortwave (2) Rayleigh scattering.
template <int nsecond, class ExecutionSpace, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_terms(Impl::AbsorptionTerms<Real, width, nsecond>& terms,
                                      typename Impl::AbsorptionTerms<Real, width, nsecond>::Packs packs,
                                      Tables<ExecutionSpace, Real> const& tables, int band,
                                      State<Real, width> const& s) {
  static_assert(nsecond == 4 || nsecond == 2);
  int const upper = s.upper ? 1 : 0;
  HalfRows const& half = tables.bands(band).half[upper];
  int const stride = tables.stride;
  int const nt = tables.axes.ntemperature;
  Impl::PairList<Impl::AbsorptionTerms<Real, width, nsecond>> pair(packs);

  auto const& first = s.column[half.key[0]];
  auto const& second = s.column[half.key[1]];
  auto const put = [&](Real(&weight0)[width], Real(&weight1)[width], unsigned(&row)[width], int start,
                       int const(&at)[width], Real const(&amount)[width], Real const(&here)[width],
                       Real const(&next)[width]) {
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      weight0[l] = amount[l] * here[l];
      weight1[l] = amount[l] * next[l];
      row[l] = static_cast<unsigned>(start + at[l] * stride);
    }
  };
  auto const add = [&](int start, int const(&at)[width], Real const(&amount)[width], Real const(&here)[width],
                       Real const(&next)[width]) {
    pair.next();
    put(pair.weight(0), pair.weight(1), pair.row(), start, at, amount, here, next);
  };
  auto const put_second = [&](int which, int start, int const(&at)[width], Real const(&amount)[width],
                              Real const(&here)[width], Real const(&next)[width]) {
    put(terms.second.weight[which][0], terms.second.weight[which][1], terms.second.row[which], start, at, amount, here,
        next);
  };
  Real of_pressure[2][width], of_temperature[2][width];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    of_pressure[0][l] = 1 - s.fp[l];
    of_pressure[1][l] = s.fp[l];
    of_temperature[0][l] = 1 - s.ft[l];
    of_temperature[1][l] = s.ft[l];
  }
  int at[width];
  Real amount[width];
  if (!half.two_keys) {
    // Neighbouring rows are of neighbouring temperatures.
    for (int p = 0; p < 2; ++p) {
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        at[l] = (s.jp[l] + p) * nt + s.jt[l];
        amount[l] = 2 * first[l] * of_pressure[p][l];
      }
      if (half.key_row >= 0) add(half.key_row, at, amount, of_temperature[0], of_temperature[1]);
      if constexpr (nsecond == 4)
        put_second(p, half.second_row, at, of_pressure[p], of_temperature[0], of_temperature[1]);
    }
    if constexpr (nsecond == 2) put_second(0, half.second_row, s.jt, s.air, of_temperature[0], of_temperature[1]);
    for (int unused = nsecond / 2; unused < nsecond; ++unused) {
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        terms.second.weight[unused][0][l] = 0;
        terms.second.weight[unused][1][l] = 0;
        terms.second.row[unused][l] = static_cast<unsigned>(half.second_row);
      }
    }
    for (int m = half.first_minor; m < half.first_minor + half.nminor; ++m) {
      MinorRows const& minor = tables.minors(m);
      minor_amounts(minor, s, amount);
      add(minor.row, s.jt, amount, of_temperature[0], of_temperature[1]);
    }
  } else {
    // Neighbouring rows are of neighbouring mixtures. Those of both temperatures lie at places of their own.
    int const nmixing = tables.axes.nmixing;
    Real const* const ratio = tables.ratio.data() + (band * nhalf + upper) * nt;
    Mixing<Real, width> of[2];
    for (int t = 0; t < 2; ++t) {
      Real counts[width];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) counts[l] = ratio[s.jt[l] + t];
      set_mixing(of[t], first, second, counts, nmixing);
    }
    for (int t = 0; t < 2; ++t)
      for (int p = 0; p < 2; ++p) {
        Real weight[width];
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          at[l] = ((s.jp[l] + p) * nt + s.jt[l] + t) * nmixing + of[t].entry[l];
          weight[l] = of_temperature[t][l] * of_pressure[p][l];
          amount[l] = of[t].amount[l] * weight[l];
        }
        if (half.key_row >= 0) add(half.key_row, at, amount, of[t].weight[0], of[t].weight[1]);
        if constexpr (nsecond == 4)
          put_second(2 * t + p, half.second_row, at, weight, of[t].weight[0], of[t].weight[1]);
      }
    int of_mixing[2][width];
    for (int t = 0; t < 2; ++t) {
      PARHELION_LANES
      for (int l = 0; l < width; ++l) of_mixing[t][l] = (s.jt[l] + t) * nmixing + of[t].entry[l];
    }
    if constexpr (nsecond == 2)
      for (int t = 0; t < 2; ++t) {
        PARHELION_LANES
        for (int l = 0; l < width; ++l) amount[l] = s.air[l] * of_temperature[t][l];
        put_second(t, half.second_row, of_mixing[t], amount, of[t].weight[0], of[t].weight[1]);
      }
    for (int m = half.first_minor; m < half.first_minor + half.nminor; ++m) {
      MinorRows const& minor = tables.minors(m);
      Real all[width];
      minor_amounts(minor, s, all);
      for (int t = 0; t < 2; ++t) {
        PARHELION_LANES
        for (int l = 0; l < width; ++l) amount[l] = all[l] * of_temperature[t][l];
        add(minor.row, of_mixing[t], amount, of[t].weight[0], of[t].weight[1]);
      }
    }
  }
  terms.count = pair.count();
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    terms.more[l] = 0;
    terms.depth[l] = 0;
  }
}

}  // namespace parhelion::fluxes::rrtmgp

#endif
