// SPDX-License-Identifier: BSD-3-Clause
// From radiances of lanes to fluxes and heating rates. The order of the sums depends on nothing but the model.
#ifndef PARHELION_FLUXES_LONGWAVE_SUMS_HPP
#define PARHELION_FLUXES_LONGWAVE_SUMS_HPP

#include "longwave_kernel.hpp"

namespace parhelion::fluxes::Impl {

/// Lanes that a task of sum_lanes() sums side by side.
template <class Kernel>
inline constexpr int lanes_of_sum = Kernel::width < Kernel::npartial ? Kernel::width : Kernel::npartial;

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION int LongwaveKernel<Model, Transfer, cloudy>::sum_tasks(LevelRadiances const& levels) const {
  constexpr int parts = npartial / lanes_of_sum<LongwaveKernel>;
  return levels.nlev * (levels.nsky * parts + (wants_bands ? optics.nband() : 0));
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sum_lanes(
    Data const& data, int column, LevelRadiances const& levels, Array<Real***, ExecutionSpace> const* flux_band,
    int task) const {
  constexpr int summed = lanes_of_sum<LongwaveKernel>;
  constexpr int parts = npartial / summed;
  int const of_skies = parts * levels.nlev * levels.nsky;
  if (task >= of_skies) {
    if (flux_band == nullptr) return;
    int const band = (task - of_skies) % optics.nband();
    int const level = (task - of_skies) / optics.nband();
    Real const* const lanes = levels.radiance + level * data.nlane + bands.first_lane(band);
    Real sum = 0;
    for (int l = 0; l < bands.lanes(band); ++l) sum += lanes[l];
    (*flux_band)(column, levels.first + level, band) = pi * sum;
    return;
  }
  int const part = task % parts;
  int const level = task / parts % levels.nlev;
  int const sky = task / (parts * levels.nlev);
  Real const* const lanes = levels.radiance + sky * levels.sky_stride + level * data.nlane;
  Real sum[summed];
  for (int l = 0; l < summed; ++l) sum[l] = 0;
  for (int from = part * summed; from < data.nlane; from += npartial) PARHELION_LANES
  for (int l = 0; l < summed; ++l) sum[l] += lanes[from + l];
  Real* const sums = data.partial + (sky * levels.nlev + level) * npartial + part * summed;
  for (int l = 0; l < summed; ++l) sums[l] = sum[l];
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::store_fluxes(member_type const& team,
                                                                                  Data const& data, int column,
                                                                                  LevelRadiances const& levels,
                                                                                  LevelFluxes const& to) const {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, levels.nsky * levels.nlev), [&](int task) {
    int const level = task % levels.nlev;
    Real const* const sums = data.partial + task * npartial;
    Real sum = 0;
    for (int p = 0; p < npartial; ++p) sum += sums[p];
    (task < levels.nlev ? to.sky : *to.clear)(column, levels.first + level) = pi * sum;
    not_finite.check(sum, column);
  });
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sum_to_fluxes(member_type const& team,
                                                                                   Data const& data, int column,
                                                                                   LevelRadiances const& levels,
                                                                                   LevelFluxes const& to) const {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sum_tasks(levels)),
                       [&](int task) { sum_lanes(data, column, levels, to.band, task); });
  team.team_barrier();
  store_fluxes(team, data, column, levels, to);
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::store_heating_rates(member_type const& team,
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
    if (level < nlay) out.heating_rate_clear(column, level) = out.heating_rate(column, level);
    if (wants_derivative) out.dflux_up_clear_dt(column, level) = out.dflux_up_dt(column, level);
  });
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION auto LongwaveKernel<Model, Transfer, cloudy>::heating_rate(
    Array<Real**, ExecutionSpace> const& up, Array<Real**, ExecutionSpace> const& dn, int column, int layer) const
    -> Real {
  Real const gain = (up(column, layer) - dn(column, layer)) - (up(column, layer + 1) - dn(column, layer + 1));
  Real const thickness = in.pressure_lev(column, layer) - in.pressure_lev(column, layer + 1);
  return heating_factor * gain / thickness;
}

}  // namespace parhelion::fluxes::Impl

#endif
