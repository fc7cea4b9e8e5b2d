// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the longwave solver where particles scatter. The layers are in longwave_scattering.hpp.
#ifndef PARHELION_FLUXES_LONGWAVE_SCATTERING_KERNEL_HPP
#define PARHELION_FLUXES_LONGWAVE_SCATTERING_KERNEL_HPP

#include "longwave_kernel.hpp"
#include "longwave_scattering.hpp"

namespace parhelion::fluxes::Impl {

/// \brief The whole solve of a column by one team, with scattering.
///
/// Optical depths are made in blocks of layers, as without scattering, and stored for each layer and lane. Then each
/// lane sweeps through all layers several times, and what it finds at each level is summed at the end. That takes more
/// memory traffic than the kernel without scattering, but light goes to and fro here.
///
/// \tparam cloudy   whether there are clouds
/// \tparam rescaled the rescaling method, otherwise two-stream layers
template <class Model, bool cloudy, bool rescaled>
struct LongwaveScatteringKernel : LongwaveKernel<Model, ExactTransfer, cloudy> {
  using Base = LongwaveKernel<Model, ExactTransfer, cloudy>;
  using Base::side_by_side;
  using Base::width;
  using typename Base::Data;
  using typename Base::ExecutionSpace;
  using typename Base::member_type;
  using typename Base::Optics;
  using typename Base::Real;
  using typename Base::Sky;
  using typename Base::Terms;

  /// Numbers of each layer and lane: what the layer is made of, what the sweeps need of it, and what they find, which
  /// goes down at its lower boundary and up at its upper one.
  enum Map : int {
    absorption,  ///< of gases and aerosol
    scattering,  ///< of aerosol
    asymmetric,  ///< the same
    fraction,    ///< share in the Planck radiance, with the weight of the angle
    work,        ///< five numbers
    down = work + 5,
    up,
    cloud_absorption,
    cloud_scattering,
    cloud_asymmetric,
    nmap
  };

  /// \tparam is_fast whether the compiler knows that the scratch memory is at level 0
  template <bool is_fast>
  KOKKOS_INLINE_FUNCTION void in_scratch(member_type const& team) const {
    TeamScratch<is_fast> scratch(team.team_scratch(this->scratch_level));
    Data const data(scratch, this->extents());
    ThreadLanes const mine = this->table.threads(team.team_rank());
    int const slot = team.league_rank();
    for (int column = this->next_column.first(team); column < this->ncol;
         column = this->next_column.after(team, column)) {
      this->prepare_column(team, data, column);
      if constexpr (rescaled && Optics::may_fit_secants)
        if (this->optics.fits_secants) this->fit_secants(team, data, mine, column);
      store_column(team, data, mine, slot, column);
      sweep(team, data, mine, slot, column, Base::all_sky);
      sum_levels(team, data, mine, slot, column, down, 0, this->out.flux_dn,
                 this->wants_bands ? &this->out.flux_dn_band : nullptr);
      sum_levels(team, data, mine, slot, column, up, 1, this->out.flux_up,
                 this->wants_bands ? &this->out.flux_up_band : nullptr);
      if (rescaled && this->wants_derivative) sum_derivative(team, data, mine, slot, column, this->out.dflux_up_dt);
      if constexpr (cloudy) {
        if (this->wants_clear) {
          sweep(team, data, mine, slot, column, Base::clear_sky);
          sum_levels(team, data, mine, slot, column, down, 0, this->out.flux_dn_clear, nullptr);
          sum_levels(team, data, mine, slot, column, up, 1, this->out.flux_up_clear, nullptr);
          if (rescaled && this->wants_derivative)
            sum_derivative(team, data, mine, slot, column, this->out.dflux_up_clear_dt);
        }
      }
      team.team_barrier();
      this->store_heating_rates(team, column, cloudy && this->wants_clear);
      team.team_barrier();
    }
  }

  // --- what layers are made of ---

  KOKKOS_INLINE_FUNCTION void store_column(member_type const& team, Data const& data, ThreadLanes const& mine, int slot,
                                           int column) const {
    this->each_block(team, data, column, this->nlay, 0, [&](LayerBlock const& block) {
      this->prepare_block(team, data, mine, column, block);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int i) {
        for (int k = block.top - 1 - block.bottom; k >= 0; --k)
          store_layer(data, slot, column, mine.first_group + i, block, k);
      });
    });
  }

  KOKKOS_INLINE_FUNCTION void store_layer(Data const& data, int slot, int column, int i, LayerBlock const& block,
                                          int k) const {
    LaneGroup const group = this->table.groups(i);
    int const layer = block.bottom + k;
    Terms const& terms = data.terms_of(group.terms, k / side_by_side);
    Real const* const values = this->optics.values() + group.first;
    Real tau[width], share[width];
    sum_terms(terms, data.packs_of(terms), k % side_by_side, values, this->optics.stride(), tau);
    second_sum<0, Terms::seconds>(terms, k % side_by_side, values, this->optics.stride(), share);
    LayerOptics<Real> aerosol{0, 0, 0};
    if (this->in.aerosol_type.size() > 0)
      aerosol = this->optics.template aerosol<true>(this->in, column, layer, group.list);
    Real* const to = this->maps(slot, layer, 0) + i * width;
    int const nlane = data.nlane;
    for (int l = 0; l < width; ++l) {
      bool const is_lane = l < group.n;
      to[absorption * nlane + l] = tau[l] < 0 ? 0 : tau[l];
      to[scattering * nlane + l] = aerosol.scattering;
      to[asymmetric * nlane + l] = aerosol.asymmetric;
      to[fraction * nlane + l] = is_lane ? share[l] * this->optics.weight(group) : 0;
    }
    if constexpr (cloudy) {
      LayerCloud const& cloud = data.clouds(block)[k];
      LayerOptics<Real> of[width];
      for (int l = 0; l < width; ++l) of[l] = {0, 0, 0};
      if (cloud.any)
        this->clouds.scattering_lanes(data.rank + i * width, cloud, this->clouds.scattering(column, layer, group.list),
                                      column, layer, group, of);
      for (int l = 0; l < width; ++l) {
        to[cloud_absorption * nlane + l] = of[l].absorption;
        to[cloud_scattering * nlane + l] = of[l].scattering;
        to[cloud_asymmetric * nlane + l] = of[l].asymmetric;
      }
    }
  }

  // --- sweeps ---

  KOKKOS_INLINE_FUNCTION LayerOptics<Real> layer_optics(Real const* map, int nlane, Sky sky) const {
    LayerOptics<Real> of{map[absorption * nlane], map[scattering * nlane], map[asymmetric * nlane]};
    if constexpr (cloudy)
      if (sky == Base::all_sky)
        of += {map[cloud_absorption * nlane], map[cloud_scattering * nlane], map[cloud_asymmetric * nlane]};
    return of;
  }

  KOKKOS_INLINE_FUNCTION Real planck(Real temperature, int interval) const {
    return this->optics.planck(interval, this->optics.at_temperature(temperature));
  }

  /// The sources at the boundaries of a layer of a lane, and in it.
  KOKKOS_INLINE_FUNCTION LayerSources<Real> sources(int slot, int column, int layer, int lane, int interval) const {
    auto const share = [&](int of_layer) { return this->maps(slot, of_layer, fraction)[lane]; };
    Real const here = share(layer);
    Real const below = layer > 0 ? Kokkos::sqrt(here * share(layer - 1)) : here;
    Real const above = layer + 1 < this->nlay ? Kokkos::sqrt(here * share(layer + 1)) : here;
    return {below * planck(this->in.temperature_lev(column, layer), interval),
            above * planck(this->in.temperature_lev(column, layer + 1), interval),
            here * planck(this->in.temperature_lay(column, layer), interval)};
  }

  /// All sweeps of one sky: fills `down` and `up` of all layers, and the radiances that leave the surface.
  KOKKOS_INLINE_FUNCTION void sweep(member_type const& team, Data const& data, ThreadLanes const& mine, int slot,
                                    int column, Sky sky) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int of_thread) {
      int const i = mine.first_group + of_thread;
      LaneGroup const group = this->table.groups(i);
      Real emitted[width], reflected[width];
      this->template surface<Base::Upward::flux>(data, column, group, emitted, reflected);
      for (int l = 0; l < width; ++l) {
        int const lane = i * width + l;
        if constexpr (rescaled)
          sweep_rescaled(data, slot, column, sky, lane, group, emitted[l], reflected[l], this->incident(column, lane));
        else
          sweep_two_stream(data, slot, column, sky, lane, group, emitted[l], reflected[l],
                           this->incident(column, lane));
      }
    });
  }

  /// \param incident radiance that enters at the top, over pi if it is a flux
  KOKKOS_INLINE_FUNCTION void sweep_two_stream(Data const& data, int slot, int column, Sky sky, int lane,
                                               LaneGroup const& group, Real emitted, Real reflected,
                                               Real incident) const {
    // No enumeration: nvcc loses where a local one of a template begins.
    constexpr int gain = work;
    constexpr int offset = work + 1;
    constexpr int albedo = work + 2;
    constexpr int source = work + 3;
    int const nlane = data.nlane;
    BelowLevel<Real> below{reflected, emitted};
    for (int layer = 0; layer < this->nlay; ++layer) {
      Real* const map = this->maps(slot, layer, 0) + lane;
      auto const of = two_stream_layer(layer_optics(map, nlane, sky), sources(slot, column, layer, lane, group.planck));
      map[offset * nlane] = of.down_at_bottom(Real(0), below);
      map[gain * nlane] = of.transmitted / (1 - of.reflected * below.albedo);
      map[albedo * nlane] = below.albedo;
      map[source * nlane] = below.source;
      below = of.over(below);
    }
    Real up_at_top = below.albedo * incident + below.source;
    Real radiance = incident;
    for (int layer = this->nlay - 1; layer >= 0; --layer) {
      Real* const map = this->maps(slot, layer, 0) + lane;
      radiance = map[gain * nlane] * radiance + map[offset * nlane];
      map[up * nlane] = up_at_top;
      map[down * nlane] = radiance;
      up_at_top = map[albedo * nlane] * radiance + map[source * nlane];
    }
    data.radiances(Base::all_sky)[lane] = up_at_top;
  }

  KOKKOS_INLINE_FUNCTION void sweep_rescaled(Data const& data, int slot, int column, Sky sky, int lane,
                                             LaneGroup const& group, Real emitted, Real reflected,
                                             Real incident) const {
    int const nlane = data.nlane;
    Real const secant = this->secant_of_lane(data, data.secant[this->optics.secant_of(group)], lane);
    Real radiance = incident;
    for (int layer = this->nlay - 1; layer >= 0; --layer) {
      Real* const map = this->maps(slot, layer, 0) + lane;
      auto const of =
          rescaled_layer(layer_optics(map, nlane, sky), sources(slot, column, layer, lane, group.planck), secant);
      Real const numbers[5] = {of.transmittance, of.emitted_up, of.emitted_down, of.correction, of.lost_twice};
      for (int n = 0; n < 5; ++n) map[(work + n) * nlane] = numbers[n];
      map[down * nlane] = radiance;  // at the top of the layer, until the last sweep
      radiance = of.down_uncorrected(radiance);
    }
    auto const layer_of = [&](Real const* map) {
      return RescaledLayer<Real>{map[work * nlane], map[(work + 1) * nlane], map[(work + 2) * nlane],
                                 map[(work + 3) * nlane], map[(work + 4) * nlane]};
    };
    radiance = emitted + reflected * radiance;
    data.radiances(Base::all_sky)[lane] = radiance;
    for (int layer = 0; layer < this->nlay; ++layer) {
      Real* const map = this->maps(slot, layer, 0) + lane;
      radiance = layer_of(map).up(radiance, map[down * nlane]);
      map[up * nlane] = radiance;
    }
    radiance = incident;
    for (int layer = this->nlay - 1; layer >= 0; --layer) {
      Real* const map = this->maps(slot, layer, 0) + lane;
      radiance = layer_of(map).down(radiance, map[up * nlane]);
      map[down * nlane] = radiance;
    }
  }

  // --- sums ---

  /// \brief Sums over lanes of one number of all layers, and of the radiances that leave the surface.
  /// \param first the level of layer 0; if it is not the lowest one, that is the surface
  KOKKOS_INLINE_FUNCTION void sum_levels(member_type const& team, Data const& data, ThreadLanes const& mine, int slot,
                                         int column, int which, int first, Array<Real**, ExecutionSpace> const& flux,
                                         Array<Real***, ExecutionSpace> const* flux_band) const {
    int const first_lane = mine.first_group * width;
    int const nlane = mine.ngroup * width;
    team.team_barrier();  // a thread may still store the sums before
    if (first > 0)
      this->sum_lanes(team, data, mine, column, {data.radiances(Base::all_sky), 0, 1, 1, 0}, data.sums_up, flux_band);
    for (int bottom = 0; bottom < this->nlay;) {
      int const n = this->nlay - bottom < data.nk ? this->nlay - bottom : data.nk;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n * nlane), [&](int i) {
        int const k = i / nlane;
        int const lane = first_lane + i % nlane;
        data.level_down(Base::all_sky, k)[lane] = this->maps(slot, bottom + k, which)[lane];
      });
      this->sum_lanes(team, data, mine, column, {data.down, 0, 1, n, bottom + first}, data.sums_up, flux_band);
      bottom += n;
    }
    team.team_barrier();
    this->store_fluxes(team, data, column, data.sums_up, 0, this->nlay + first, flux);
  }

  /// The derivative with respect to the skin temperature, which layers transmit without any correction.
  KOKKOS_INLINE_FUNCTION void sum_derivative(member_type const& team, Data const& data, ThreadLanes const& mine,
                                             int slot, int column, Array<Real**, ExecutionSpace> const& flux) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.ngroup), [&](int of_thread) {
      int const i = mine.first_group + of_thread;
      Real emitted[width], reflected[width];
      this->template surface<Base::Upward::derivative>(data, column, this->table.groups(i), emitted, reflected);
      for (int l = 0; l < width; ++l) {
        int const lane = i * width + l;
        Real radiance = emitted[l];
        data.radiances(Base::all_sky)[lane] = radiance;
        for (int layer = 0; layer < this->nlay; ++layer) {
          Real* const map = this->maps(slot, layer, 0) + lane;
          radiance *= map[work * data.nlane];
          map[up * data.nlane] = radiance;
        }
      }
    });
    sum_levels(team, data, mine, slot, column, up, 1, flux, nullptr);
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
