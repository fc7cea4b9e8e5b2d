// SPDX-License-Identifier: BSD-3-Clause
// The downward and the upward sweep of the longwave kernel.
#ifndef PARHELION_FLUXES_LONGWAVE_SWEEPS_HPP
#define PARHELION_FLUXES_LONGWAVE_SWEEPS_HPP

#include "longwave_kernel.hpp"

#include <parhelion/core/affine_map.hpp>

namespace parhelion::fluxes::Impl {

// --- downward ---

template <class Model, class Transfer, bool cloudy>
template <bool apart>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sweep_down(member_type const& team,
                                                                                Data const& data,
                                                                                ThreadLanes const& mine, int slot,
                                                                                int column, LayerBlock const& block,
                                                                                int nskies) const {
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int i) {
    sweep_down_lanes<apart>(data, slot, column, mine.first_group + i, block, nskies);
  });
}

template <class Model, class Transfer, bool cloudy>
template <bool apart>
PARHELION_IMPL_LOOP_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sweep_down_lanes(Data const& data, int slot,
                                                                                            int column, int i,
                                                                                            LayerBlock const& block,
                                                                                            int nskies) const {
  int const bottom = block.bottom;
  int const top = block.top;
  LaneGroup const group = table.groups(i);
  int const lane = i * width;
  int const k_top = top - 1 - bottom;
  int const map_stride = data.nlane;
  auto const stride = optics.stride();
  Real const secant = data.secant[optics.secant_of(group)];
  Real const* const values = optics.values() + group.first;
  Terms const* const terms = &data.terms_of(group.terms, 0);
  // Where layers wait, that above the block is crossed first, and the lowest one later.
  bool const has_waiting = waits && top < nlay;
  int const k_first = has_waiting ? k_top + 1 : k_top;
  LanesAtLayer at{.planck_lay = data.planck_lay + k_first * nplanck() + planck_of(group),
                  .planck_low = data.planck_lev + k_first * nplanck() + planck_of(group),
                  .nplanck = nplanck(),
                  .level = data.level_down(all_sky, bottom + k_first - lowest_crossed(bottom)) + lane,
                  .level_stride = data.level_stride,
                  .sky_stride = (data.nk + 1) * data.level_stride,
                  .map = maps(slot, bottom + k_first, 0) + lane};
  if constexpr (apart) {
    at.level = &downward(slot, bottom + k_first, all_sky, lane);
    at.level_stride = static_cast<int>(downward.extent(2)) * data.nlane;
    at.sky_stride = data.nlane;
  }
  Real radiance[width];
  [[maybe_unused]] Real clear[width];
  for (int l = 0; l < width; ++l) radiance[l] = data.radiances(all_sky)[lane + l];
  if constexpr (cloudy)
    for (int l = 0; l < width; ++l) clear[l] = data.radiances(clear_sky)[lane + l];
  [[maybe_unused]] LaneSources sources;
  // The weight of the angle. Lanes beyond the g-points of a list find values of the next list, which count as 0. (With
  // a condition in place of a weight, GCC makes scalars of the loops over lanes.)
  [[maybe_unused]] Real weight[width];
  for (int l = 0; l < width; ++l) {
    bool const has_gpoint = width == 1 || l < group.n;
    if constexpr (Optics::has_angles)
      weight[l] = has_gpoint ? optics.weight(group) : Real(0);
    else
      weight[l] = has_gpoint ? Real(1) : Real(0);
  }

  // On a host the optical depths of many layers are summed first, and then the radiation crosses these layers: the
  // lists of pairs differ in length, and a processor mispredicts the end of each. So it can work on several lists at a
  // time. Where layers wait, entry 0 is the one that waits. On a device entries have constant numbers, so that they can
  // be in registers.
  constexpr bool on_host = runs_on_host<ExecutionSpace>;
  constexpr int ahead = on_host ? 16 : 1;
  constexpr int shift = waits ? 1 : 0;
  Real tau[ahead + shift][width], second[ahead + shift][width];
  [[maybe_unused]] Real cloud_depth[ahead + shift][width];
  [[maybe_unused]] bool is_cloudy[ahead + shift];
  if constexpr (waits) {
    if (has_waiting) {
      for (int l = 0; l < width; ++l) {
        tau[0][l] = data.carried[Data::gas_waiting * data.nlane + lane + l];
        second[0][l] = data.carried[Data::fraction_waiting * data.nlane + lane + l];
      }
      if constexpr (cloudy) {
        is_cloudy[0] = false;
        for (int l = 0; l < width; ++l) {
          cloud_depth[0][l] = data.carried[Data::cloud_waiting * data.nlane + lane + l];
          is_cloudy[0] = is_cloudy[0] || cloud_depth[0][l] > 0;
        }
      }
      for (int l = 0; l < width; ++l) sources.upper[l] = data.carried[Data::source_above * data.nlane + lane + l];
    }
  } else if constexpr (source == PlanckSource::rows) {
    second_sum<1, 1>(terms[k_top / side_by_side], k_top % side_by_side, values, stride, sources.upper);
  }
  for (int next = k_top; next >= 0; next -= ahead) {
    int const n = on_host && next + 1 < ahead ? next + 1 : ahead;
    for (int j = 0; j < n; ++j) {
      int const k = next - j;
      Terms const& of_layer = terms[k / side_by_side];
      int const side = k % side_by_side;
      int const entry = j + shift;
      sum_terms(of_layer, data.packs_of(of_layer), side, values, stride, tau[entry]);
      // Interpolation can leave a tiny negative absorption.
      PARHELION_LANES
      for (int l = 0; l < width; ++l)
        tau[entry][l] = (tau[entry][l] < 0 ? 0 : tau[entry][l]) * secant_of_lane(data, secant, lane + l);
      if constexpr (source == PlanckSource::rows || source == PlanckSource::level_fractions) {
        // Extrapolation leaves values below zero.
        Real sum[width];  // can stay in registers, unlike the entry
        second_sum<0, source == PlanckSource::rows ? 1 : Terms::seconds>(of_layer, side, values, stride, sum);
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          Real const weighted = sum[l] * weight[l];
          second[entry][l] = weighted < 0 ? 0 : weighted;
        }
      } else if constexpr (has_fractions) {
        second_sum<0, Terms::seconds>(of_layer, side, values, stride, second[entry]);
      }
      if constexpr (cloudy) {
        LayerCloud const& cloud = data.clouds(block)[k];
        is_cloudy[entry] = false;
        if (cloud.any) {
          clouds.optical_depths(data.rank + lane, cloud, data.absorption[group.terms * data.nk + k], column, bottom + k,
                                group, cloud_depth[entry]);
          for (int l = 0; l < width; ++l) is_cloudy[entry] = is_cloudy[entry] || cloud_depth[entry][l] > 0;
        } else if constexpr (waits) {
          for (int l = 0; l < width; ++l) cloud_depth[entry][l] = 0;
        }
      }
    }
    bool const is_first = waits && top == nlay && next == k_top;
    bool const is_last = waits && bottom == 0 && next < ahead;
    if constexpr (waits)
      if (is_first)
        for (int l = 0; l < width; ++l) sources.upper[l] = second[1][l] * at.planck_low[at.nplanck];
    int const after = n + (is_last ? 1 : 0);
    for (int j = on_host && is_first ? 1 : 0; j < (on_host ? after : ahead + shift); ++j) {
      if (!on_host && ((is_first && j == 0) || j >= after)) continue;
      Real gain[width], up[width], down[width];
      Real transmittance[width], absorptivity[width], source_weight[width];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        LayerTransfer<Real> const layer = transfer(tau[j][l]);
        transmittance[l] = layer.transmittance;
        absorptivity[l] = layer.absorptivity;
        source_weight[l] = layer.source_weight;
      }
      if constexpr (source == PlanckSource::rows) {
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          sources.lower[l] = second[j][l];
          sources.layer[l] = (sources.lower[l] + sources.upper[l]) / 2;
        }
      } else if constexpr (waits) {
        // The last layer has none below it.
        int const below = j < n ? j + 1 : j;
        Real const planck_low = at.planck_low[0];
        Real const planck_lay = at.planck_lay[0];
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          sources.lower[l] = fast_sqrt(second[j][l] * second[below][l]) * planck_low;
          sources.layer[l] = second[j][l] * planck_lay;
        }
      }
      auto const emission = [&](Real(&to_down)[width], Real(&to_up)[width]) {
        if constexpr (Data::carries)
          layer_emission(sources, absorptivity, source_weight, to_down, to_up);
        else
          layer_emission(at, second[j], absorptivity, source_weight, to_down, to_up);
      };
      emission(down, up);
      PARHELION_LANES
      for (int l = 0; l < width; ++l) gain[l] = transmittance[l];
      if constexpr (cloudy) {
        [[maybe_unused]] Real of_derivative[width];
        for (int l = 0; l < width; ++l) of_derivative[l] = gain[l];
        if (nskies > 1)
          cross_layer<apart>(clear, at.level + at.sky_stride, at.map + 2 * map_stride, map_stride, gain, down, up);
        if (is_cloudy[j]) {
          Real cloudy_down[width], cloudy_up[width];
          PARHELION_LANES
          for (int l = 0; l < width; ++l) {
            LayerTransfer<Real> const layer =
                transfer(tau[j][l], cloud_depth[j][l] * secant_of_lane(data, secant, lane + l));
            transmittance[l] = layer.transmittance;
            absorptivity[l] = layer.absorptivity;
            source_weight[l] = layer.source_weight;
          }
          emission(cloudy_down, cloudy_up);
          PARHELION_LANES
          for (int l = 0; l < width; ++l) {
            bool const here = cloud_depth[j][l] > 0;
            gain[l] = here ? transmittance[l] : gain[l];
            down[l] = here ? cloudy_down[l] : down[l];
            up[l] = here ? cloudy_up[l] : up[l];
            of_derivative[l] = here ? 1 - absorptivity[l] : of_derivative[l];
          }
        }
        if constexpr (gain_of_derivative > 0)
          for (int l = 0; l < width; ++l) at.map[gain_of_derivative * map_stride + l] = of_derivative[l];
      }
      cross_layer<apart>(radiance, at.level, at.map, map_stride, gain, down, up);
      if constexpr (Data::carries)
        for (int l = 0; l < width; ++l) sources.upper[l] = sources.lower[l];
      at.planck_lay -= at.nplanck;
      at.planck_low -= at.nplanck;
      at.level -= at.level_stride;
      at.map -= nmap * map_stride;
    }
    if constexpr (waits) {
      for (int l = 0; l < width; ++l) {
        tau[0][l] = tau[n][l];
        second[0][l] = second[n][l];
      }
      if constexpr (cloudy) {
        is_cloudy[0] = is_cloudy[n];
        for (int l = 0; l < width; ++l) cloud_depth[0][l] = cloud_depth[n][l];
      }
    }
  }
  if constexpr (waits) {
    for (int l = 0; l < width; ++l) {
      data.carried[Data::gas_waiting * data.nlane + lane + l] = tau[0][l];
      data.carried[Data::fraction_waiting * data.nlane + lane + l] = second[0][l];
      data.carried[Data::source_above * data.nlane + lane + l] = sources.upper[l];
      if constexpr (cloudy) data.carried[Data::cloud_waiting * data.nlane + lane + l] = cloud_depth[0][l];
    }
  }
  if constexpr (!apart) {
    for (int l = 0; l < width; ++l) data.radiances(all_sky)[lane + l] = radiance[l];
    if constexpr (cloudy)
      for (int l = 0; l < width; ++l) data.radiances(clear_sky)[lane + l] = nskies > 1 ? clear[l] : radiance[l];
  }
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION auto LongwaveKernel<Model, Transfer, cloudy>::secant_of_lane(Data const& data, Real secant,
                                                                                    int lane) const -> Real {
  if constexpr (Optics::may_fit_secants)
    return optics.fits_secants ? data.fitted_secant[lane] : secant;
  else
    return secant;
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::layer_emission(LaneSources const& of,
                                                                                    Real const (&absorptivity)[width],
                                                                                    Real const (&source_weight)[width],
                                                                                    Real (&down)[width],
                                                                                    Real (&up)[width]) {
  PARHELION_LANES
  for (int l = 0; l < width; ++l) {
    Real const b = of.layer[l];
    down[l] = absorptivity[l] * (b + source_weight[l] * (of.lower[l] - b));
    up[l] = absorptivity[l] * (b + source_weight[l] * (of.upper[l] - b));
  }
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::layer_emission(
    LanesAtLayer const& at, Real const (&fraction)[width], Real const (&absorptivity)[width],
    Real const (&source_weight)[width], Real (&down)[width], Real (&up)[width]) {
  if constexpr (interval_per_lane) {
    for (int l = 0; l < width; ++l) {
      Real const b = at.planck_lay[l];
      down[l] = absorptivity[l] * (b + source_weight[l] * (at.planck_low[l] - b));
      up[l] = absorptivity[l] * (b + source_weight[l] * (at.planck_low[at.nplanck + l] - b));
    }
  } else {
    Real const b = at.planck_lay[0];
    Real const to_low = at.planck_low[0] - b;
    Real const to_high = at.planck_low[at.nplanck] - b;
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      Real const emitted = absorptivity[l] * fraction[l];
      down[l] = emitted * (b + source_weight[l] * to_low);
      up[l] = emitted * (b + source_weight[l] * to_high);
    }
  }
}

template <class Model, class Transfer, bool cloudy>
template <bool apart>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::cross_layer(Real (&radiance)[width], Real* level,
                                                                                 Real* map, int map_stride,
                                                                                 Real const (&gain)[width],
                                                                                 Real const (&emitted_down)[width],
                                                                                 Real const (&emitted_up)[width]) {
  if constexpr (!apart) {
    PARHELION_LANES
    for (int l = 0; l < width; ++l) radiance[l] = AffineMap<Real>(gain[l], emitted_down[l])(radiance[l]);
  }
  PARHELION_LANES
  for (int l = 0; l < width; ++l) map[l] = gain[l];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) map[map_stride + l] = emitted_up[l];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) level[l] = apart ? emitted_down[l] : radiance[l];
}

// --- upward ---

template <class Model, class Transfer, bool cloudy>
template <typename LongwaveKernel<Model, Transfer, cloudy>::Upward what>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sweep_up(
    member_type const& team, Data const& data, ThreadLanes const& mine, int slot, int column, Sky sky, int own_maps_to,
    Array<Real**, ExecutionSpace> const& flux, Array<Real***, ExecutionSpace> const* flux_band) const {
  if (what != Upward::flux || sky != all_sky)
    team.team_barrier();  // a thread may still store the sums of a sweep before
  // The surface is one more level.
  int more = 1;
  for (int bottom = 0; bottom < nlay;) {
    int const most = data.nup - more;
    bool const is_clear = sky == clear_sky && bottom < own_maps_to;
    int const end = is_clear ? own_maps_to : nlay;
    int const map = is_clear ? 2 * clear_sky : what == Upward::flux ? 0 : gain_of_derivative;
    int const n = end - bottom < most ? end - bottom : most;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int of_thread) {
      int const i = mine.first_group + of_thread;
      Real* const radiance = data.radiances(sky) + i * width;
      Real* level = data.up + i * width;
      if (bottom == 0) {
        if constexpr (what == Upward::share)
          for (int l = 0; l < width; ++l) radiance[l] = data.at_surface[i * width + l];
        else
          surface_boundary<what>(data, column, table.groups(i), radiance);
        if (what == Upward::flux && sky == all_sky && wants_surface_share)
          for (int l = 0; l < width; ++l) data.at_surface[i * width + l] = radiance[l];
        for (int l = 0; l < width; ++l) level[l] = radiance[l];
        level += data.level_stride;
      }
      Real const* const gain = maps(slot, bottom, map) + i * width;
      int const stride = nmap * data.nlane;
      cross_kept_layers<what == Upward::flux>({gain, gain + data.nlane, stride, stride}, n, level, data.level_stride,
                                              radiance);
    });
    sum_lanes(team, data, mine, column, {data.up, 0, 1, n + more, bottom + 1 - more}, data.sums_up, flux_band);
    bottom += n;
    more = 0;
  }
  team.team_barrier();
  store_fluxes(team, data, column, data.sums_up, 0, nlay + 1, flux);
}

template <class Model, class Transfer, bool cloudy>
template <bool has_offset>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::cross_kept_layers(KeptMaps const& maps, int n,
                                                                                       Real* level, int level_stride,
                                                                                       Real* radiance) {
  // A device waits once for the maps of several layers. Those beyond the last layer are not used, but without a branch,
  // before which the compiler would wait for each map.
  constexpr int ahead = runs_on_host<ExecutionSpace> ? 1 : 32 / static_cast<int>(sizeof(Real));
  Real const* gains = maps.gain;
  Real const* offsets = maps.offset;
  Real r[width];
  for (int l = 0; l < width; ++l) r[l] = radiance[l];
  for (int layer = 0; layer < n; layer += ahead) {
    Real gain[ahead][width], offset[ahead][width];
    int const left = n - layer;
    PARHELION_UNROLL
    for (int j = 0; j < ahead; ++j) {
      int const of_layer = j < left ? j : 0;
      PARHELION_LANES
      for (int l = 0; l < width; ++l) gain[j][l] = gains[of_layer * maps.gain_stride + l];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) offset[j][l] = has_offset ? offsets[of_layer * maps.offset_stride + l] : Real(0);
    }
    PARHELION_UNROLL
    for (int j = 0; j < ahead; ++j) {
      bool const is_layer = j == 0 || j < left;
      PARHELION_LANES
      for (int l = 0; l < width; ++l) r[l] = is_layer ? AffineMap<Real>(gain[j][l], offset[j][l])(r[l]) : r[l];
      PARHELION_LANES
      for (int l = 0; l < width; ++l)
        if (is_layer) level[l] = r[l];
      level += level_stride;
    }
    gains += ahead * maps.gain_stride;
    offsets += ahead * maps.offset_stride;
  }
  for (int l = 0; l < width; ++l) radiance[l] = r[l];
}

template <class Model, class Transfer, bool cloudy>
template <typename LongwaveKernel<Model, Transfer, cloudy>::Upward what>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::surface(Data const& data, int column,
                                                                             LaneGroup const& group,
                                                                             Real (&emitted)[width],
                                                                             Real (&reflected)[width]) const {
  constexpr bool derivative = what == Upward::derivative;
  Real fraction[width];
  if constexpr (has_fractions) {
    second_sum<0, Terms::seconds>(data.terms_of(group.terms, 0), 0, optics.values() + group.first, optics.stride(),
                                  fraction);
    if constexpr (source == PlanckSource::level_fractions)
      for (int l = 0; l < width; ++l) fraction[l] = fraction[l] < 0 ? 0 : fraction[l];
    if constexpr (Optics::has_angles)
      for (int l = 0; l < width; ++l) fraction[l] *= optics.weight(group);
  }
  auto const temperature = optics.at_temperature(in.temperature_sfc(column));
  Real planck = 0;
  Real emissivity = 0;
  for (int l = 0; l < width; ++l) {
    if (l >= group.n && source != PlanckSource::interval) {
      emitted[l] = reflected[l] = 0;
      continue;
    }
    if (l == 0 || interval_per_lane) {
      int const interval = group.planck + l;
      planck = derivative ? optics.planck_derivative(interval, temperature) : optics.planck(interval, temperature);
      int const nemis = static_cast<int>(in.emissivity_sfc.extent(1));
      int entry = nemis == 1 ? 0 : optics.emissivity_band(interval);
      if constexpr (Optics::has_gpoint_surface)
        if (nemis != 1 && nemis != optics.nband()) entry = interval;
      emissivity = in.emissivity_sfc(column, entry);
    }
    emitted[l] = emissivity * (has_fractions ? planck * fraction[l] : planck);
    reflected[l] = 1 - emissivity;
  }
}

template <class Model, class Transfer, bool cloudy>
template <typename LongwaveKernel<Model, Transfer, cloudy>::Upward what>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::surface_boundary(Data const& data, int column,
                                                                                      LaneGroup const& group,
                                                                                      Real* radiance) const {
  Real emitted[width], reflected[width];
  surface<what>(data, column, group, emitted, reflected);
  for (int l = 0; l < width; ++l)
    radiance[l] = what == Upward::derivative ? emitted[l] : AffineMap<Real>(reflected[l], emitted[l])(radiance[l]);
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::share_of_surface(member_type const& team,
                                                                                      Data const& data,
                                                                                      ThreadLanes const& mine, int slot,
                                                                                      int column) const {
  sweep_up<Upward::share>(team, data, mine, slot, column, all_sky, nlay, out.surface_share, nullptr);
  team.team_barrier();
  Real const of_surface = out.surface_share(column, 0);
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay + 1), [&](int level) {
    // Without any upward flux nothing of it is lost.
    out.surface_share(column, level) = of_surface > 0 ? out.surface_share(column, level) / of_surface : Real(1);
  });
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::fit_secants(member_type const& team,
                                                                                 Data const& data,
                                                                                 ThreadLanes const& mine,
                                                                                 int column) const {
  each_block(team, data, column, nlay, 0, [&](LayerBlock const& block) {
    constexpr bool with_aerosol = false;  // the fit is by the optical depths of gases
    prepare_block(team, data, mine, column, block, with_aerosol);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int of_thread) {
      int const i = mine.first_group + of_thread;
      LaneGroup const group = table.groups(i);
      Real* const depth = data.fitted_secant + i * width;
      if (block.top == nlay)
        for (int l = 0; l < width; ++l) depth[l] = 0;
      for (int k = block.top - 1 - block.bottom; k >= 0; --k) {
        Real tau[width];
        Terms const& terms = data.terms_of(group.terms, k / side_by_side);
        sum_terms(terms, data.packs_of(terms), k % side_by_side, optics.values() + group.first, optics.stride(), tau);
        for (int l = 0; l < width; ++l) depth[l] += tau[l];
      }
      if (block.bottom == 0)
        for (int l = 0; l < width; ++l) depth[l] = optics.fitted_secant(group.list, depth[l]);
    });
  });
}

}  // namespace parhelion::fluxes::Impl

#endif
