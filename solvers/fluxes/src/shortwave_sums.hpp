// SPDX-License-Identifier: BSD-3-Clause
// From fluxes of lanes to fluxes and heating rates. The order of the sums depends on nothing but the model.
#ifndef PARHELION_FLUXES_SHORTWAVE_SUMS_HPP
#define PARHELION_FLUXES_SHORTWAVE_SUMS_HPP

#include "lane_sum.hpp"
#include "shortwave_kernel.hpp"

namespace parhelion::fluxes::Impl {

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sum_to_fluxes(member_type const& team,
                                                                                          Data const& data, int column,
                                                                                          int sky, int top,
                                                                                          int n) const {
  constexpr int summed = width < lane_multiple ? width : lane_multiple;
  // A thread of a host sums all parts at a time, so that it has longer loops and fewer of them.
  int const of_parts = n * nquantity * (on_host ? 1 : npart() * (lane_multiple / summed));
  int const of_bands = wants_bands && sky == all_sky ? n * optics.nband() * nquantity : 0;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, of_parts + of_bands), [&](int task) {
    if (task >= of_parts)
      sum_band(data, column, top, task - of_parts);
    else if constexpr (on_host)
      sum_all_parts(data, task);
    else
      sum_lanes(data, task);
  });
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * nquantity),
                       [&](int i) { store_level(data, column, sky, top, i); });
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sum_lanes(Data const& data,
                                                                                      int task) const {
  constexpr int summed = width < lane_multiple ? width : lane_multiple;
  constexpr int pieces = lane_multiple / summed;
  int const piece = task % pieces;
  int const part = task / pieces % npart();
  int const which = task / (pieces * npart());  // level and quantity
  Real const* const lanes = data.level + which * data.nlane + piece * summed;
  Real sum[summed];
  for (int l = 0; l < summed; ++l) sum[l] = 0;
  if constexpr (Optics::has_shares) {
    Real const* const shares = bands.uvvis_share.data() + piece * summed;
    auto const share = [&](int lane) {
      return part == 0 ? Real(1) : part == first_of_parts ? shares[lane] : 1 - shares[lane];
    };
    for (int lane = 0; lane < data.nlane; lane += lane_multiple) PARHELION_LANES
    for (int l = 0; l < summed; ++l) sum[l] += share(lane + l) * lanes[lane + l];
  } else {
    int const from = part == 0 ? 0 : bands.nlane_uvvis;
    int const to = part == 0 ? bands.nlane_uvvis : data.nlane;
    for (int lane = from; lane < to; lane += lane_multiple) PARHELION_LANES
    for (int l = 0; l < summed; ++l) sum[l] += lanes[lane + l];
  }
  Real* const sums = data.partial + (which * npart() + part) * lane_multiple + piece * summed;
  for (int l = 0; l < summed; ++l) sums[l] = sum[l];
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sum_all_parts(Data const& data,
                                                                                          int which) const {
  constexpr int summed = width < lane_multiple ? width : lane_multiple;
  for (int first = 0; first < lane_multiple; first += summed) {
    Real const* const lanes = data.level + which * data.nlane + first;
    Real* const sums = data.partial + which * npart() * lane_multiple + first;
    auto const sum_to = [&](int part, int from, int to, auto const& term) {
      Real sum[summed];
      for (int l = 0; l < summed; ++l) sum[l] = 0;
      for (int lane = from; lane < to; lane += lane_multiple) PARHELION_LANES
      for (int l = 0; l < summed; ++l) sum[l] += term(lane + l);
      for (int l = 0; l < summed; ++l) sums[part * lane_multiple + l] = sum[l];
    };
    auto const all = [&](int lane) { return lanes[lane]; };
    if constexpr (Optics::has_shares) {
      Real const* const shares = bands.uvvis_share.data() + first;
      sum_to(0, 0, data.nlane, all);
      if (!wants_parts) continue;
      sum_to(1, 0, data.nlane, [&](int lane) { return shares[lane] * lanes[lane]; });
      sum_to(2, 0, data.nlane, [&](int lane) { return (1 - shares[lane]) * lanes[lane]; });
    } else {
      sum_to(0, 0, bands.nlane_uvvis, all);
      sum_to(1, bands.nlane_uvvis, data.nlane, all);
    }
  }
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sum_band(Data const& data, int column,
                                                                                     int top, int task) const {
  int const band = task % optics.nband();
  int const which = task / optics.nband();
  Real const* const lanes = data.level + which * data.nlane + bands.first_lane(band);
  Real sum = 0;
  for (int l = 0; l < bands.ng(band); ++l) sum += lanes[l];
  int const quantity = which % nquantity;
  auto const& to = quantity == up ? out.flux_up_band : quantity == down ? out.flux_dn_band : out.flux_dn_direct_band;
  to(column, top - which / nquantity, band) = sum;
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::store_level(Data const& data, int column,
                                                                                        int sky, int top, int i) const {
  auto const sum_of = [&](int part) {
    return sum_of_lanes<lane_multiple>(data.partial + (i * npart() + part) * lane_multiple);
  };
  Real total, uvvis = 0, nir = 0;
  if (!Optics::has_shares || wants_parts) {
    uvvis = sum_of(first_of_parts);
    nir = sum_of(first_of_parts + 1);
  }
  if constexpr (Optics::has_shares)
    total = sum_of(0);
  else
    total = uvvis + nir;
  store_flux(column, top - i / nquantity, sky, i % nquantity, total, uvvis, nir);
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_FORCEINLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::store_flux(int column, int level,
                                                                                            int sky, int quantity,
                                                                                            Real total, Real uvvis,
                                                                                            Real nir) const {
  bool const clear = sky == clear_sky;
  not_finite.check(total, column);
  if (quantity == up) {
    (clear ? out.flux_up_clear : out.flux_up)(column, level) = total;
    return;
  }
  bool const of_all = quantity == down;
  (clear ? (of_all ? out.flux_dn_clear : out.flux_dn_direct_clear) : (of_all ? out.flux_dn : out.flux_dn_direct))(
      column, level) = total;
  if (!wants_parts) return;
  (clear ? (of_all ? out.flux_dn_uvvis_clear : out.flux_dn_direct_uvvis_clear)
         : (of_all ? out.flux_dn_uvvis : out.flux_dn_direct_uvvis))(column, level) = uvvis;
  (clear ? (of_all ? out.flux_dn_nir_clear : out.flux_dn_direct_nir_clear)
         : (of_all ? out.flux_dn_nir : out.flux_dn_direct_nir))(column, level) = nir;
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::store_night(member_type const& team,
                                                                                        int column) const {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay + 1), [&](int level) {
    out.flux_up(column, level) = out.flux_dn(column, level) = out.flux_dn_direct(column, level) = 0;
    if (level < nlay) out.heating_rate(column, level) = 0;
    if (wants_parts) {
      out.flux_dn_uvvis(column, level) = out.flux_dn_nir(column, level) = 0;
      out.flux_dn_direct_uvvis(column, level) = out.flux_dn_direct_nir(column, level) = 0;
    }
    if (wants_clear) {
      out.flux_up_clear(column, level) = out.flux_dn_clear(column, level) = out.flux_dn_direct_clear(column, level) = 0;
      if (level < nlay) out.heating_rate_clear(column, level) = 0;
    }
    if (wants_clear && wants_parts) {
      out.flux_dn_uvvis_clear(column, level) = out.flux_dn_nir_clear(column, level) = 0;
      out.flux_dn_direct_uvvis_clear(column, level) = out.flux_dn_direct_nir_clear(column, level) = 0;
    }
    if (wants_bands)
      for (int band = 0; band < optics.nband(); ++band)
        out.flux_up_band(column, level, band) = out.flux_dn_band(column, level, band) =
            out.flux_dn_direct_band(column, level, band) = 0;
  });
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::store_heating_rates(member_type const& team,
                                                                                                int column) const {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay), [&](int layer) {
    out.heating_rate(column, layer) = heating_rate(out.flux_up, out.flux_dn, column, layer);
    if (cloudy && wants_clear)
      out.heating_rate_clear(column, layer) = heating_rate(out.flux_up_clear, out.flux_dn_clear, column, layer);
  });
  if (cloudy || !wants_clear) return;
  // All sky is clear.
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay + 1), [&](int level) {
    out.flux_up_clear(column, level) = out.flux_up(column, level);
    out.flux_dn_clear(column, level) = out.flux_dn(column, level);
    out.flux_dn_direct_clear(column, level) = out.flux_dn_direct(column, level);
    if (level < nlay) out.heating_rate_clear(column, level) = out.heating_rate(column, level);
    if (!wants_parts) return;
    out.flux_dn_uvvis_clear(column, level) = out.flux_dn_uvvis(column, level);
    out.flux_dn_nir_clear(column, level) = out.flux_dn_nir(column, level);
    out.flux_dn_direct_uvvis_clear(column, level) = out.flux_dn_direct_uvvis(column, level);
    out.flux_dn_direct_nir_clear(column, level) = out.flux_dn_direct_nir(column, level);
  });
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION auto ShortwaveKernel<Model, TwoStreamLayer, cloudy>::heating_rate(
    Array<Real**, ExecutionSpace> const& up_flux, Array<Real**, ExecutionSpace> const& dn_flux, int column,
    int layer) const -> Real {
  if (is_original && layer + 1 == nlay) return 0;
  Real const gained =
      (dn_flux(column, layer + 1) - up_flux(column, layer + 1)) - (dn_flux(column, layer) - up_flux(column, layer));
  Real const thickness = in.pressure_lev(column, layer) - in.pressure_lev(column, layer + 1);
  return heating_factor * gained / thickness;
}

}  // namespace parhelion::fluxes::Impl

#endif
