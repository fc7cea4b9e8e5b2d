// SPDX-License-Identifier: BSD-3-Clause
// The downward and the upward sweep of the longwave kernel.
#ifndef PARHELION_FLUXES_LONGWAVE_SWEEPS_HPP
#define PARHELION_FLUXES_LONGWAVE_SWEEPS_HPP

#include "longwave_kernel.hpp"

#include <parhelion/core/affine_map.hpp>

namespace parhelion::fluxes::Impl {

// --- downward ---

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sweep_down(member_type const& team,
                                                                                Data const& data, int slot, int column,
                                                                                int bottom, int top,
                                                                                int lowest_state) const {
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(groups.extent(0))),
                       [&](int i) { sweep_down_lanes(data, slot, column, i, bottom, top, lowest_state); });
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sweep_down_lanes(Data const& data, int slot,
                                                                                      int column, int i, int bottom,
                                                                                      int top, int lowest_state) const {
  LaneGroup const group = groups(i);
  int const lane = i * width;
  int const k_top = top - 1 - bottom;
  int const map_stride = data.nlane;
  [[maybe_unused]] int const sky_stride = (data.nk + 1) * data.nlane;
  Real const secant = data.secant[group.band];
  Real const* const values = optics.values() + group.first;
  Terms const* const terms = &data.terms_of(group.band, 0);
  LanesAtLayer at{.planck_lay = data.planck_lay + k_top * nplanck + group.planck,
                  .planck_low = data.planck_lev + k_top * nplanck + group.planck,
                  .level = data.level_down(all_sky, k_top) + lane,
                  .map = maps(slot, top - 1, 0) + lane};
  Real radiance[width];
  [[maybe_unused]] Real clear[width];
  for (int l = 0; l < width; ++l) radiance[l] = data.radiances(all_sky)[lane + l];
  if constexpr (cloudy)
    for (int l = 0; l < width; ++l) clear[l] = data.radiances(clear_sky)[lane + l];

  // On a host the optical depths of many layers are summed first, and then the radiation crosses these layers: the
  // lists of pairs differ in length, and a processor mispredicts the end of each. So it can work on several lists at a
  // time.
  constexpr int ahead = runs_on_host<ExecutionSpace> ? 16 : 1;
  for (int next = k_top; next >= 0; next -= ahead) {
    int const n = next + 1 < ahead ? next + 1 : ahead;
    Real tau[ahead][width], fraction[ahead][width];
    for (int j = 0; j < n; ++j) {
      Terms const& of_layer = terms[(next - j) / side_by_side];
      int const side = (next - j) % side_by_side;
      sum_terms<Optics::stride>(of_layer, side, values, tau[j]);
      if constexpr (Optics::has_planck_fractions) second_sum<Optics::stride>(of_layer, side, values, fraction[j]);
      // Interpolation can leave a tiny negative absorption.
      PARHELION_LANES
      for (int l = 0; l < width; ++l) tau[j][l] = (tau[j][l] < 0 ? 0 : tau[j][l]) * secant;
    }
    for (int j = 0; j < n; ++j) {
      [[maybe_unused]] int const k = next - j;
      Real gain[width], up[width], down[width];
      Real transmittance[width], absorptivity[width], source_weight[width];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        LayerTransfer<Real> const layer = transfer(tau[j][l]);
        transmittance[l] = layer.transmittance;
        absorptivity[l] = layer.absorptivity;
        source_weight[l] = layer.source_weight;
      }
      layer_emission(at, fraction[j], absorptivity, source_weight, down, up);
      PARHELION_LANES
      for (int l = 0; l < width; ++l) gain[l] = transmittance[l];
      if constexpr (cloudy) {
        [[maybe_unused]] Real of_derivative[width];
        for (int l = 0; l < width; ++l) of_derivative[l] = gain[l];
        if (skies() > 1) cross_layer(clear, at.level + sky_stride, at.map + 2 * map_stride, map_stride, gain, down, up);
        LayerCloud const& cloud = data.cloud[bottom + k - lowest_state];
        if (cloud.any) {
          Real depth[width];
          clouds.optical_depths(data.rank + lane, cloud, data.absorption[group.band * data.nk + k], column, bottom + k,
                                group, depth);
          bool any = false;
          for (int l = 0; l < width; ++l) any = any || depth[l] > 0;
          if (any) {
            Real cloudy_down[width], cloudy_up[width];
            PARHELION_LANES
            for (int l = 0; l < width; ++l) {
              LayerTransfer<Real> const layer = transfer(tau[j][l], depth[l] * secant);
              transmittance[l] = layer.transmittance;
              absorptivity[l] = layer.absorptivity;
              source_weight[l] = layer.source_weight;
            }
            layer_emission(at, fraction[j], absorptivity, source_weight, cloudy_down, cloudy_up);
            PARHELION_LANES
            for (int l = 0; l < width; ++l) {
              bool const here = depth[l] > 0;
              gain[l] = here ? transmittance[l] : gain[l];
              down[l] = here ? cloudy_down[l] : down[l];
              up[l] = here ? cloudy_up[l] : up[l];
              of_derivative[l] = here ? 1 - absorptivity[l] : of_derivative[l];
            }
          }
        }
        if constexpr (gain_of_derivative > 0)
          for (int l = 0; l < width; ++l) at.map[gain_of_derivative * map_stride + l] = of_derivative[l];
      }
      cross_layer(radiance, at.level, at.map, map_stride, gain, down, up);
      at.planck_lay -= nplanck;
      at.planck_low -= nplanck;
      at.level -= data.nlane;
      at.map -= nmap * map_stride;
    }
  }
  for (int l = 0; l < width; ++l) data.radiances(all_sky)[lane + l] = radiance[l];
  if constexpr (cloudy)
    for (int l = 0; l < width; ++l) data.radiances(clear_sky)[lane + l] = clear[l];
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::layer_emission(
    LanesAtLayer const& at, Real const (&fraction)[width], Real const (&absorptivity)[width],
    Real const (&source_weight)[width], Real (&down)[width], Real (&up)[width]) {
  if constexpr (Optics::planck_interval_per_lane) {
    for (int l = 0; l < width; ++l) {
      Real const b = at.planck_lay[l];
      down[l] = absorptivity[l] * (b + source_weight[l] * (at.planck_low[l] - b));
      up[l] = absorptivity[l] * (b + source_weight[l] * (at.planck_low[nplanck + l] - b));
    }
  } else {
    Real const b = at.planck_lay[0];
    Real const to_low = at.planck_low[0] - b;
    Real const to_high = at.planck_low[nplanck] - b;
    PARHELION_LANES
    for (int l = 0; l < width; ++l) {
      Real const emitted = absorptivity[l] * fraction[l];
      down[l] = emitted * (b + source_weight[l] * to_low);
      up[l] = emitted * (b + source_weight[l] * to_high);
    }
  }
}

template <class Model, class Transfer, bool cloudy>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::cross_layer(Real (&radiance)[width], Real* level,
                                                                                 Real* map, int map_stride,
                                                                                 Real const (&gain)[width],
                                                                                 Real const (&emitted_down)[width],
                                                                                 Real const (&emitted_up)[width]) {
  PARHELION_LANES
  for (int l = 0; l < width; ++l) radiance[l] = AffineMap<Real>(gain[l], emitted_down[l])(radiance[l]);
  PARHELION_LANES
  for (int l = 0; l < width; ++l) map[l] = gain[l];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) map[map_stride + l] = emitted_up[l];
  PARHELION_LANES
  for (int l = 0; l < width; ++l) level[l] = radiance[l];
}

// --- upward ---

template <class Model, class Transfer, bool cloudy>
template <bool derivative>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sweep_up(
    member_type const& team, Data const& data, int slot, int column, Sky sky, Array<Real**, ExecutionSpace> const& flux,
    Array<Real***, ExecutionSpace> const* flux_band) const {
  // The surface is one more level.
  int more = 1;
  for (int bottom = 0; bottom < nlay;) {
    int const most = data.nup - more;
    int const n = nlay - bottom < most ? nlay - bottom : most;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(groups.extent(0))), [&](int i) {
      Real* const radiance = data.radiances(sky) + i * width;
      Real* level = data.up + i * width;
      if (bottom == 0) {
        surface_boundary<derivative>(data, column, groups(i), radiance);
        for (int l = 0; l < width; ++l) level[l] = radiance[l];
        level += data.nlane;
      }
      sweep_up_lanes<derivative>(
          maps(slot, bottom, derivative && sky == all_sky ? gain_of_derivative : 2 * sky) + i * width, data.nlane, n,
          level, radiance);
    });
    team.team_barrier();
    sum_to_fluxes(team, data, column, {data.up, 0, 1, n + more, bottom + 1 - more}, {flux, nullptr, flux_band});
    bottom += n;
    more = 0;
  }
}

template <class Model, class Transfer, bool cloudy>
template <bool derivative>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::sweep_up_lanes(Real const* gains, int nlane, int n,
                                                                                    Real* level, Real* radiance) {
  // On a device the maps of several layers are loaded at a time.
  constexpr int ahead = runs_on_host<ExecutionSpace> ? 1 : 4;
  int const layer_stride = nmap * nlane;
  Real const* offsets = gains + nlane;
  Real r[width];
  for (int l = 0; l < width; ++l) r[l] = radiance[l];
  for (int layer = 0; layer < n; layer += ahead) {
    Real gain[ahead][width], offset[ahead][width];
    int const n_ahead = n - layer < ahead ? n - layer : ahead;
    for (int j = 0; j < ahead; ++j) {
      int const at = (j < n_ahead ? j : 0) * layer_stride;
      PARHELION_LANES
      for (int l = 0; l < width; ++l) gain[j][l] = gains[at + l];
      PARHELION_LANES
      for (int l = 0; l < width; ++l) offset[j][l] = derivative ? 0 : offsets[at + l];
    }
    for (int j = 0; j < ahead; ++j) {
      if (j >= n_ahead) break;
      PARHELION_LANES
      for (int l = 0; l < width; ++l) r[l] = AffineMap<Real>(gain[j][l], offset[j][l])(r[l]);
      PARHELION_LANES
      for (int l = 0; l < width; ++l) level[l] = r[l];
      level += nlane;
    }
    gains += ahead * layer_stride;
    offsets += ahead * layer_stride;
  }
  for (int l = 0; l < width; ++l) radiance[l] = r[l];
}

template <class Model, class Transfer, bool cloudy>
template <bool derivative>
KOKKOS_INLINE_FUNCTION void LongwaveKernel<Model, Transfer, cloudy>::surface_boundary(Data const& data, int column,
                                                                                      LaneGroup const& group,
                                                                                      Real* radiance) const {
  Real fraction[width];
  if constexpr (Optics::has_planck_fractions)
    second_sum<Optics::stride>(data.terms_of(group.band, 0), 0, optics.values() + group.first, fraction);
  auto const temperature = optics.at_temperature(in.temperature_sfc(column));
  Real planck = 0;
  Real emissivity = 0;
  for (int l = 0; l < width; ++l) {
    if (l == 0 || Optics::planck_interval_per_lane) {
      int const interval = group.planck + l;
      planck = derivative ? optics.planck_derivative(interval, temperature) : optics.planck(interval, temperature);
      emissivity = in.emissivity_sfc(column, in.emissivity_sfc.extent(1) == 1 ? 0 : optics.emissivity_band(interval));
    }
    Real const emitted = emissivity * (Optics::has_planck_fractions ? planck * fraction[l] : planck);
    radiance[l] = derivative ? emitted : AffineMap<Real>(1 - emissivity, emitted)(radiance[l]);
  }
}

}  // namespace parhelion::fluxes::Impl

#endif
