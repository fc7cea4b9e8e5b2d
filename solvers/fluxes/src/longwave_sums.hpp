// SPDX-License-Identifier: BSD-3-Clause
// From radiances of lanes to fluxes and heating rates. The order of the sums depends on nothing but the model.
#ifndef PARHELION_FLUXES_LONGWAVE_SUMS_HPP
#define PARHELION_FLUXES_LONGWAVE_SUMS_HPP

#include "lane_sum.hpp"
#include "longwave_kernel.hpp"

namespace parhelion::fluxes::Impl {

template <class Model, class Transfer, bool cloudy>
PARHELION_IMPL_LOOP_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sum_lanes(
    member_type const& team, Data const& data, ThreadLanes const& mine, int column, LevelRadiances const& levels,
    Real* sums, Array<Real***, ExecutionSpace> const* flux_band) const {
  constexpr int npartial = Data::npartial;
  constexpr int summed = width < npartial ? width : npartial;  // lanes that a task sums side by side
  constexpr int parts = npartial / summed;
  int const first_lane = mine.first_group * width;
  int const nlane = mine.ngroup * width;
  Real* const partial = data.partial_of(team.team_rank());
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, levels.nsky * levels.nlev * parts), [&](int task) {
    int const part = task % parts;
    int const sky = levels.sky_of(task / parts);
    int const level = task / parts - sky * levels.nlev;
    Real const* const lanes = levels.radiance + sky * levels.sky_stride + level * data.level_stride + first_lane;
    Real sum[summed];
    for (int l = 0; l < summed; ++l) sum[l] = 0;
    for (int from = part * summed; from < nlane; from += npartial) PARHELION_LANES
    for (int l = 0; l < summed; ++l) sum[l] += lanes[from + l];
    for (int l = 0; l < summed; ++l) partial[task * summed + l] = sum[l];
  });
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, levels.nsky * levels.nlev), [&](int task) {
    int const sky = levels.sky_of(task);
    int const level = levels.first + task - sky * levels.nlev;
    sums[(sky * data.nlev + level) * data.nthread + team.team_rank()] =
        sum_of_lanes<npartial>(partial + task * npartial);
  });
  if (flux_band == nullptr) return;
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, levels.nlev * optics.nband()), [&](int task) {
    int const band = task % optics.nband();
    int const level = task / optics.nband();
    Real const* const lanes = levels.radiance + level * data.level_stride;
    Real sum = 0;
    for (int i = table.first_lane(band); i < table.first_lane(band + 1); ++i) sum += lanes[table.lanes(i)];
    (*flux_band)(column, levels.first + level, band) = pi * sum;
  });
  team.team_barrier();
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::store_fluxes(
    member_type const& team, Data const& data, int column, Real const* sums, int first, int after,
    Array<Real**, ExecutionSpace> const& flux) const {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, after - first), [&](int i) {
    int const level = first + i;
    Real sum = 0;
    for (int thread = 0; thread < data.nthread; ++thread) sum += sums[level * data.nthread + thread];
    flux(column, level) = pi * sum;
    not_finite.check(sum, column);
  });
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::store_heating_rates(member_type const& team,
                                                                                         int column,
                                                                                         bool skies_differ) const {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay), [&](int layer) {
    out.heating_rate(column, layer) = heating_rate(out.flux_up, out.flux_dn, column, layer);
    if (cloudy && skies_differ)
      out.heating_rate_clear(column, layer) = heating_rate(out.flux_up_clear, out.flux_dn_clear, column, layer);
  });
  if (skies_differ || !wants_clear) return;
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
