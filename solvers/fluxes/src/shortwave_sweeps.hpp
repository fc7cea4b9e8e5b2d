// SPDX-License-Identifier: BSD-3-Clause
// The upward and the downward sweep of the shortwave kernel.
#ifndef PARHELION_FLUXES_SHORTWAVE_SWEEPS_HPP
#define PARHELION_FLUXES_SHORTWAVE_SWEEPS_HPP

#include "shortwave_kernel.hpp"

namespace parhelion::fluxes::Impl {

// --- upward ---

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sweep_up(member_type const& team,
                                                                                     Data const& data, int slot,
                                                                                     int column,
                                                                                     SunAngle<Real> const& angle,
                                                                                     int bottom, int top) const {
  int const nk = top - bottom;
  if constexpr (on_host) {
    sum_gases(data, nk);
    int first = 0;
    for (; data.nlane - first >= at_once; first += at_once)
      add_block<at_once>(data, slot, column, angle, bottom, nk, first);
    if constexpr (at_once > width)
      for (; first < data.nlane; first += width) add_block<width>(data, slot, column, angle, bottom, nk, first);
  } else {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, data.nlane / width),
                         [&](int i) { add_block<width>(data, slot, column, angle, bottom, nk, i * width); });
  }
}

template <class Model, class TwoStreamLayer, bool cloudy>
template <int n>
KOKKOS_FORCEINLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::add_block(
    Data const& data, int slot, int column, SunAngle<Real> const& angle, int bottom, int nk, int first) const {
  Lanes<n> lanes;
  lanes.first = first;
  for (int sky = 0; sky < nsky; ++sky)
    for (int which = 0; which < 2; ++which)
      for (int l = 0; l < n; ++l) lanes.below[sky][which][l] = data.below_of(sky)[which * data.nlane + first + l];
  [[maybe_unused]] Terms const* terms = nullptr;
  [[maybe_unused]] Real const* values = nullptr;
  if constexpr (!on_host) {
    ShortwaveLane const& lane = bands.lanes(first);
    terms = &data.terms_of(lane.list, 0);
    values = optics.values() + lane.position;
  }
  for (int k = 0; k < nk; ++k) {
    Real absorption[n], rayleigh[n];
    if constexpr (on_host) {
      Real const* const gas = data.gas_of(k) + first;
      for (int l = 0; l < n; ++l) absorption[l] = gas[l];
      for (int l = 0; l < n; ++l) rayleigh[l] = gas[data.nlane + l];
    } else {
      sum_terms(terms[k / side_by_side], data.packs_of(terms[k / side_by_side]), k % side_by_side, values,
                optics.stride(), absorption);
      if constexpr (Optics::limits_sum)
        for (int l = 0; l < n; ++l) absorption[l] = absorption[l] < 0 ? 0 : absorption[l];
      second_sum<0, Terms::seconds>(terms[k / side_by_side], k % side_by_side, values, optics.stride(), rayleigh);
    }
    add_layer(data, slot, column, angle, bottom + k, k, absorption, rayleigh, lanes);
  }
  for (int sky = 0; sky < nsky; ++sky)
    for (int which = 0; which < 2; ++which)
      for (int l = 0; l < n; ++l) data.below_of(sky)[which * data.nlane + first + l] = lanes.below[sky][which][l];
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sum_gases(Data const& data, int nk) const {
  auto const store = []<int n>(Real const(&depths)[n], Real* to) {
    PARHELION_LANES
    for (int l = 0; l < n; ++l) to[l] = Optics::limits_sum && depths[l] < 0 ? 0 : depths[l];
  };
  constexpr int half = width / 2;
  for (int k = 0; k < nk; ++k) {
    // A vector may reach beyond the g-points of its list: into those of the next one, which come later.
    for (int i = 0; i < optics.nlist(); ++i) {
      int const list = bands.by_lanes(i);
      Terms const& terms = data.terms_of(list, k / side_by_side);
      auto const packs = data.packs_of(terms);
      int const first = bands.list_lane(list);
      int const ng = bands.list_ng(list);
      Real const* const values = optics.values() + bands.lanes(first).position;
      Real* const gas = data.gas_of(k) + first;
      int g = 0;
      for (; ng - g > width; g += 2 * width) {
        Real sums[2][width];
        sum_terms(terms, packs, k % side_by_side, values + g, optics.stride(), sums);
        store(sums[0], gas + g);
        store(sums[1], gas + g + width);
      }
      if (ng - g > half) {
        Real sums[width];
        sum_terms(terms, packs, k % side_by_side, values + g, optics.stride(), sums);
        store(sums, gas + g);
      } else if (g < ng) {
        Real sums[half];
        sum_terms(terms, packs, k % side_by_side, values + g, optics.stride(), sums);
        store(sums, gas + g);
      }
    }
    for (int i = 0; i < optics.nlist(); ++i) {
      int const list = bands.by_lanes(i);
      Terms const& terms = data.terms_of(list, k / side_by_side);
      int const first = bands.list_lane(list);
      Real const* const values = optics.values() + bands.lanes(first).position;
      Real* const rayleigh = data.gas_of(k) + data.nlane + first;
      for (int g = 0; g < bands.list_ng(list); g += width) {
        Real sums[width];
        second_sum<0, Terms::seconds>(terms, k % side_by_side, values + g, optics.stride(), sums);
        for (int l = 0; l < width; ++l) rayleigh[g + l] = sums[l];
      }
    }
  }
}

template <class Model, class TwoStreamLayer, bool cloudy>
template <int n>
KOKKOS_FORCEINLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::operate(
    SunAngle<Real> const& angle, Real const (&absorbed)[n], Real const (&scattered)[n], Real const (&asymmetric)[n],
    Real const (&depth)[n], Operators<n>& __restrict__ layer) const {
  SunAngle<Real> const sun = angle;  // a copy, which the results of lanes do not change
  PARHELION_LANES
  for (int l = 0; l < n; ++l)
    layer.set(l, layer_operator(LayerOptics<Real>{absorbed[l], scattered[l], asymmetric[l]}, sun));
  for (int l = 0; l < n; ++l) layer.unscaled_beam[l] = 0;
  if (wants_unscaled) {
    PARHELION_LANES
    for (int l = 0; l < n; ++l) layer.unscaled_beam[l] = layer_operator.beam(depth[l], sun);
  }
}

template <class Model, class TwoStreamLayer, bool cloudy>
template <int n>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::operate_apart(
    SunAngle<Real> const& angle, Real const (&absorbed)[n], Real const (&scattered)[n], Real const (&asymmetric)[n],
    Real const (&depth)[n], Operators<n>& layer) const {
  operate(angle, absorbed, scattered, asymmetric, depth, layer);
}

template <class Model, class TwoStreamLayer, bool cloudy>
template <int n>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::add_layer(
    Data const& data, int slot, int column, SunAngle<Real> const& angle, int layer, int k, Real const (&absorption)[n],
    Real const (&rayleigh)[n], Lanes<n>& lanes) const {
  Real depth[n];  // before scaling
  Real absorbed[n], scattered[n], asymmetric[n];
  if (has_aerosol) {
    for (int l = 0; l < n; ++l) {
      LayerOptics<Real> of{absorption[l], rayleigh[l], 0};
      LayerOptics<Real> const aerosol = data.aerosol[bands.lanes(lanes.first + l).band * data.nk + k];
      of += aerosol;
      depth[l] = of.absorption + of.scattering;
      if constexpr (Optics::scales_aerosol_alone)
        depth[l] += scaled_away(aerosol);
      else
        of = delta_scaled(of);
      absorbed[l] = of.absorption;
      scattered[l] = of.scattering;
      asymmetric[l] = of.asymmetric;
    }
  } else {
    PARHELION_LANES
    for (int l = 0; l < n; ++l) {
      absorbed[l] = absorption[l];
      scattered[l] = rayleigh[l];
      asymmetric[l] = 0;
      depth[l] = absorption[l] + rayleigh[l];
    }
  }
  auto const operators = [&](Operators<n>& to) {
    if constexpr (on_host)
      operate_apart(angle, absorbed, scattered, asymmetric, depth, to);
    else
      operate(angle, absorbed, scattered, asymmetric, depth, to);
  };
  Operators<n> of_layer;
  operators(of_layer);
  if constexpr (cloudy) {
    if (skies() > 1) join(of_layer, map(slot, layer, clear_sky) + lanes.first, data.nlane, lanes.below[clear_sky]);
    if (clouds.may_be_cloudy(data.cloudiness, layer)) {
      Real fraction[n];
      if (add_cloud(data, column, layer, k, lanes.first, absorbed, scattered, asymmetric, depth, fraction)) {
        Operators<n> of_cloud;
        operators(of_cloud);
        if (wants_unscaled) mix(of_layer.unscaled_beam, of_cloud.unscaled_beam, fraction);
        mix(of_layer.reflected_beam, of_cloud.reflected_beam, fraction);
        mix(of_layer.scattered_beam, of_cloud.scattered_beam, fraction);
        mix(of_layer.reflected, of_cloud.reflected, fraction);
        mix(of_layer.transmitted, of_cloud.transmitted, fraction);
        mix(of_layer.beam, of_cloud.beam, fraction);
      }
    }
  }
  join(of_layer, map(slot, layer, all_sky) + lanes.first, data.nlane, lanes.below[all_sky]);
}

template <class Model, class TwoStreamLayer, bool cloudy>
template <int n>
KOKKOS_INLINE_FUNCTION bool ShortwaveKernel<Model, TwoStreamLayer, cloudy>::add_cloud(
    Data const& data, int column, int layer, int k, int first_lane, Real (&absorbed)[n], Real (&scattered)[n],
    Real (&asymmetric)[n], Real (&depth)[n], Real (&fraction)[n]) const {
  std::uint32_t drawn[n] = {};
  std::uint32_t any = 0;
  if (clouds.of_layers) {
    // Where no lane is drawn, nothing else is read.
    std::uint32_t const* const mask = data.mask + layer / 32 * data.nlane + first_lane;
    for (int l = 0; l < n; ++l) drawn[l] = mask[l] >> (layer % 32) & 1U;
    for (int l = 0; l < n; ++l) any |= drawn[l];
    if (any == 0) return false;
  }
  Real more_absorbed[n] = {}, more_scattered[n] = {}, more_asymmetric[n] = {}, more_depth[n] = {};
  if (clouds.has_band_clouds(column)) {
    for (int l = 0; l < n; ++l) fraction[l] = drawn[l] != 0 ? Real(1) : Real(0);
    // Each band fills the rest of the vector.
    for (int from = 0; from < n;) {
      int const band = bands.lanes(first_lane + from).band;
      LaneCloud<Real> const cloud = clouds.band_cloud(data.cloud[band * data.nk + k]);
      PARHELION_LANES
      for (int l = 0; l < n; ++l) {
        bool const rest = l >= from;
        more_absorbed[l] = rest ? cloud.optics.absorption : more_absorbed[l];
        more_scattered[l] = rest ? cloud.optics.scattering : more_scattered[l];
        more_asymmetric[l] = rest ? cloud.optics.asymmetric : more_asymmetric[l];
        more_depth[l] = rest ? cloud.depth : more_depth[l];
      }
      do {
        ++from;
      } while (from < n && bands.lanes(first_lane + from).band == band);
    }
  } else {
    any = 0;
    for (int l = 0; l < n; ++l) {
      ShortwaveLane const& lane = bands.lanes(first_lane + l);
      LaneCloud<Real> const cloud = clouds.lane(data.cloud[lane.band * data.nk + k], column, layer,
                                                lane.gpoint < 0 ? 0 : lane.gpoint, drawn[l] != 0);
      fraction[l] = cloud.fraction;
      more_absorbed[l] = cloud.optics.absorption;
      more_scattered[l] = cloud.optics.scattering;
      more_asymmetric[l] = cloud.optics.asymmetric;
      more_depth[l] = cloud.depth;
      any |= cloud.fraction > 0 ? 1U : 0U;
    }
    if (any == 0) return false;
  }
  PARHELION_LANES
  for (int l = 0; l < n; ++l) {
    absorbed[l] += more_absorbed[l];
    scattered[l] += more_scattered[l];
    asymmetric[l] += more_asymmetric[l];
    depth[l] += more_depth[l];
  }
  return true;
}

template <class Model, class TwoStreamLayer, bool cloudy>
template <int n>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::join(Operators<n> const& layer, Real* to,
                                                                                 int nlane, Real (&below)[2][n]) const {
  Real map_gain[n], map_from_beam[n], of_beam[n], of_diffuse[n];
  PARHELION_LANES
  for (int l = 0; l < n; ++l) {
    Real const beam_below = below[0][l];
    Real const diffuse_below = below[1][l];
    // Light that goes to and fro between the layer and what is below it.
    Real const between = 1 / (1 - layer.reflected[l] * diffuse_below);
    Real const passed = layer.transmitted[l] * between;
    Real const reflected_beam_below = layer.beam[l] * beam_below;
    map_gain[l] = passed;
    map_from_beam[l] = (layer.reflected[l] * reflected_beam_below + layer.scattered_beam[l]) * between;
    of_beam[l] = layer.reflected_beam[l] + passed * (layer.scattered_beam[l] * diffuse_below + reflected_beam_below);
    of_diffuse[l] = layer.reflected[l] + layer.transmitted[l] * passed * diffuse_below;
  }
  PARHELION_LANES
  for (int l = 0; l < n; ++l) to[gain * nlane + l] = map_gain[l];
  PARHELION_LANES
  for (int l = 0; l < n; ++l) to[from_beam * nlane + l] = map_from_beam[l];
  PARHELION_LANES
  for (int l = 0; l < n; ++l) to[through * nlane + l] = layer.beam[l];
  PARHELION_LANES
  for (int l = 0; l < n; ++l) to[reflected_diffuse * nlane + l] = below[1][l];
  PARHELION_LANES
  for (int l = 0; l < n; ++l) to[reflected_beam * nlane + l] = below[0][l];
  if (wants_unscaled)
    for (int l = 0; l < n; ++l) to[unscaled * nlane + l] = layer.unscaled_beam[l];
  for (int l = 0; l < n; ++l) {
    below[0][l] = of_beam[l];
    below[1][l] = of_diffuse[l];
  }
}

// --- downward ---

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sweep_down(member_type const& team,
                                                                                       Data const& data, int slot,
                                                                                       int column, int sky) const {
  if constexpr (on_host)
    if (sums_alone(sky)) {
      sweep_down_to_sums(data, slot, column, sky);
      return;
    }
  int const nlane = data.nlane;
  for (int top = nlay; top >= 0; top -= data.nlevel) {
    int const n = top + 1 < data.nlevel ? top + 1 : data.nlevel;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlane / width), [&](int i) {
      int const first = i * width;
      Real* const light = data.light + first;
      Real diffuse[width], beam[width], unscaled_beam[width];
      for (int l = 0; l < width; ++l) {
        bool const enters = top == nlay;
        diffuse[l] = enters ? 0 : light[l];
        beam[l] = enters ? data.incident[first + l] : light[nlane + l];
        unscaled_beam[l] = enters ? data.incident[first + l] : light[2 * nlane + l];
      }
      for (int j = 0; j < n; ++j) {
        int const at = top - j;
        Real* const level = data.level + j * nquantity * nlane + first;
        Real const* of_beam = data.below_of(sky) + first;
        Real const* of_diffuse = of_beam + nlane;
        if (at < nlay) {
          Real const* const from = map(slot, at, sky) + first;
          of_beam = from + reflected_beam * nlane;
          of_diffuse = from + reflected_diffuse * nlane;
          PARHELION_LANES
          for (int l = 0; l < width; ++l) {
            diffuse[l] = from[gain * nlane + l] * diffuse[l] + from[from_beam * nlane + l] * beam[l];
            beam[l] *= from[through * nlane + l];
          }
          if (wants_unscaled)
            for (int l = 0; l < width; ++l) unscaled_beam[l] *= from[unscaled * nlane + l];
        }
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          level[up * nlane + l] = of_diffuse[l] * diffuse[l] + of_beam[l] * beam[l];
          level[down * nlane + l] = diffuse[l] + beam[l];
          level[direct * nlane + l] = wants_unscaled ? unscaled_beam[l] : beam[l];
        }
      }
      for (int l = 0; l < width; ++l) {
        light[l] = diffuse[l];
        light[nlane + l] = beam[l];
        light[2 * nlane + l] = unscaled_beam[l];
      }
    });
    team.team_barrier();
    sum_to_fluxes(team, data, column, sky, top, n);
  }
}

template <class Model, class TwoStreamLayer, bool cloudy>
KOKKOS_INLINE_FUNCTION void ShortwaveKernel<Model, TwoStreamLayer, cloudy>::sweep_down_to_sums(Data const& data,
                                                                                               int slot, int column,
                                                                                               int sky) const {
  int const nlane = data.nlane;
  Real* const diffuse_light = data.light;
  Real* const beam_light = diffuse_light + nlane;
  Real* const unscaled_light = beam_light + nlane;
  for (int lane = 0; lane < nlane; ++lane) {
    diffuse_light[lane] = 0;
    beam_light[lane] = unscaled_light[lane] = data.incident[lane];
  }
  for (int level = nlay; level >= 0; --level) {
    Real const* const maps_below = level < nlay ? map(slot, level, sky) : nullptr;
    Real const* const of_beam = level < nlay ? maps_below + reflected_beam * nlane : data.below_of(sky);
    Real const* const of_diffuse = level < nlay ? maps_below + reflected_diffuse * nlane : of_beam + nlane;
    Real totals[2][nquantity] = {};
    for (int part = 0; part < (Optics::has_shares ? 1 : 2); ++part) {
      int const from = part == 0 ? 0 : bands.nlane_uvvis;
      int const to = Optics::has_shares || part == 1 ? nlane : bands.nlane_uvvis;
      Real sums[nquantity][lane_multiple];
      for (int q = 0; q < nquantity; ++q)
        for (int l = 0; l < lane_multiple; ++l) sums[q][l] = 0;
      for (int group = from; group < to; group += lane_multiple)
        for (int piece = 0; piece < lane_multiple; piece += width) {
          int const first = group + piece;
          Real diffuse[width], beam[width], unscaled_beam[width];
          PARHELION_LANES
          for (int l = 0; l < width; ++l) diffuse[l] = diffuse_light[first + l];
          PARHELION_LANES
          for (int l = 0; l < width; ++l) beam[l] = beam_light[first + l];
          if (maps_below != nullptr) {
            Real const* const map_of_lanes = maps_below + first;
            PARHELION_LANES
            for (int l = 0; l < width; ++l) {
              diffuse[l] = map_of_lanes[gain * nlane + l] * diffuse[l] + map_of_lanes[from_beam * nlane + l] * beam[l];
              beam[l] *= map_of_lanes[through * nlane + l];
            }
            PARHELION_LANES
            for (int l = 0; l < width; ++l) diffuse_light[first + l] = diffuse[l];
            PARHELION_LANES
            for (int l = 0; l < width; ++l) beam_light[first + l] = beam[l];
          }
          for (int l = 0; l < width; ++l) unscaled_beam[l] = beam[l];
          if (wants_unscaled) {
            for (int l = 0; l < width; ++l) unscaled_beam[l] = unscaled_light[first + l];
            if (maps_below != nullptr)
              for (int l = 0; l < width; ++l) unscaled_beam[l] *= maps_below[unscaled * nlane + first + l];
            for (int l = 0; l < width; ++l) unscaled_light[first + l] = unscaled_beam[l];
          }
          PARHELION_LANES
          for (int l = 0; l < width; ++l) {
            sums[up][piece + l] += of_diffuse[first + l] * diffuse[l] + of_beam[first + l] * beam[l];
            sums[down][piece + l] += diffuse[l] + beam[l];
            sums[direct][piece + l] += unscaled_beam[l];
          }
        }
      for (int q = 0; q < nquantity; ++q) totals[part][q] = sum_of_lanes<lane_multiple>(sums[q]);
    }
    for (int q = 0; q < nquantity; ++q)
      store_flux(column, level, sky, q, Optics::has_shares ? totals[0][q] : totals[0][q] + totals[1][q], totals[0][q],
                 totals[1][q]);
  }
}

}  // namespace parhelion::fluxes::Impl

#endif
