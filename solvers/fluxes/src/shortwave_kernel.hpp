// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the shortwave solver: the course of a team through a column, and the preparation of its layers. The
// sweeps are in shortwave_sweeps.hpp, the sums to fluxes in shortwave_sums.hpp.
#ifndef PARHELION_FLUXES_SHORTWAVE_KERNEL_HPP
#define PARHELION_FLUXES_SHORTWAVE_KERNEL_HPP

#include "absorption_terms.hpp"
#include "clouds/shortwave_lane_clouds.hpp"
#include "shortwave_layout.hpp"
#include "shortwave_team_data.hpp"

#include <parhelion/fluxes/shortwave.hpp>

#include <parhelion/core/impl/next_item.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/workspace.hpp>

namespace parhelion::fluxes::Impl {

/// \brief The whole solve of a column by one team.
///
/// Layers are taken from the surface up in blocks, each within one region of the atmosphere. For each block the team
/// first makes the absorption terms of every (list, layer). Then each lane, a g-point, makes the operator of each layer
/// of the block and adds it to what is below: R(beam) and R(diffuse), what all below a level reflects of the beam and
/// of diffuse light. Of each layer it keeps the map that gives the light at the layer's lower boundary from that at its
/// upper one. The downward sweep applies these maps from the top on. Teams take columns as they become free.
///
/// \tparam TwoStreamLayer ExactTwoStream or TableTwoStream
/// \tparam cloudy         whether there are clouds; the sky without them is then solved beside it
template <class Model, class TwoStreamLayer, bool cloudy>
struct ShortwaveKernel {
  using ExecutionSpace = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Optics = ShortwaveOptics<Model>;
  using Data = ShortwaveTeamData<Optics, Real, cloudy>;
  using Terms = typename Optics::Terms;
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  static constexpr int width = Optics::width;
  /// Lanes whose layers a thread of a host joins at a time: the instructions of two vectors alternate, as those of one
  /// wait for one another.
  static constexpr int at_once = on_host ? 2 * width : width;
  static constexpr int side_by_side = Optics::layers;
  static constexpr int nsky = Data::nsky;
  static constexpr int nquantity = Data::nquantity;
  enum Sky : int { all_sky, clear_sky };
  enum Quantity : int { up, down, direct };
  /// Numbers of a layer's map in one sky: at its lower boundary diffuse = gain * diffuse + from_beam * beam, and
  /// beam = through * beam, there reflected_diffuse and reflected_beam are the reflection by all below; and the share
  /// of the unscaled beam, if that is wanted.
  enum Map : int { gain, from_beam, through, reflected_diffuse, reflected_beam, unscaled };

  Optics optics;
  TwoStreamLayer layer_operator;
  ShortwaveColumns<ExecutionSpace, Real> in;
  typename Optics::Clouds clouds;
  AerosolScattering<ExecutionSpace, Real> aerosol_types;
  ShortwaveFluxes<ExecutionSpace, Real> out;
  ShortwaveBands<ExecutionSpace, Real> bands;
  WorkspaceArray<Real****, ExecutionSpace> maps;  ///< (team, layer, sky and map, lane)
  NotFinite<ExecutionSpace> not_finite;
  parhelion::Impl::NextItem<ExecutionSpace> next_column;  ///< columns at night take no time, wherever they lie
  Real heating_factor;                                    ///< kelvins a day for a flux divergence of 1 W m-2 over 1 Pa
  int ncol, nlay;
  int layers_per_block, states_at_once, levels_at_once;
  int nmap;  ///< of one sky
  bool has_aerosol, wants_clear, wants_parts, wants_bands, wants_unscaled;
  bool is_original;  ///< light of the floor of the cosine at night, and no heating of the highest layer
  int scratch_level = 0;

  KOKKOS_INLINE_FUNCTION ShortwaveTeamExtents extents() const {
    return {nlay,        layers_per_block, states_at_once, levels_at_once, bands.nlane,
            bands.npack, optics.nlist(),   optics.nband(), npart(),        has_aerosol};
  }

  /// \brief Parts of the spectrum whose fluxes are summed apart.
  ///
  /// These are the ultraviolet and visible and the near infrared, which make the whole. Where g-points have shares of
  /// both, the whole comes first, and its parts only where they are wanted.
  KOKKOS_INLINE_FUNCTION int npart() const { return Optics::has_shares ? (wants_parts ? 3 : 1) : 2; }
  static constexpr int first_of_parts = Optics::has_shares ? 1 : 0;
  std::size_t team_bytes() const { return Data::bytes(extents(), on_host); }

  /// Skies that differ and are wanted.
  KOKKOS_INLINE_FUNCTION int skies() const { return cloudy && wants_clear ? 2 : 1; }
  KOKKOS_INLINE_FUNCTION Real* map(int slot, int layer, int sky) const { return &maps(slot, layer, sky * nmap, 0); }

  /// \tparam is_fast whether the compiler knows that the scratch memory is at level 0
  template <bool is_fast>
  KOKKOS_INLINE_FUNCTION void in_scratch(member_type const& team) const {
    TeamScratch<is_fast> scratch(team.team_scratch(scratch_level));
    Data const data(scratch, extents(), on_host);
    int const slot = team.league_rank();
    // Padding holds numbers that no band writes.
    if constexpr (on_host)
      for (int i = 0; i < data.nk * 2 * data.nlane + width; ++i) data.gas[i] = 0;
    for (int column = next_column.take(team); column < ncol; column = next_column.take(team)) {
      Real const cosine = in.cos_zenith(column);
      if (!is_original && cosine <= 0) {
        store_night(team, column);
        continue;
      }
      constexpr Real least = static_cast<Real>(1e-10);
      constexpr Real least_of_layers = static_cast<Real>(Optics::least_cosine);
      Real const limited = cosine < least_of_layers ? least_of_layers : cosine;
      SunAngle<Real> const angle{limited, 1 / limited};
      prepare_column(team, data, column, cosine < least ? least : cosine);
      int first_state = 0;
      int after_states = 0;
      for (int bottom = 0; bottom < nlay;) {
        int const top = top_of_block(data, bottom);
        if (top > after_states) {
          int const above = bottom + states_at_once;
          first_state = bottom;
          after_states = side_by_side > 1 ? top : above < nlay ? above : nlay;
          prepare_states(team, data, column, first_state, after_states);
          team.team_barrier();
        }
        prepare_block(team, data, column, bottom, top, first_state);
        team.team_barrier();
        sweep_up(team, data, slot, column, angle, bottom, top);
        team.team_barrier();
        bottom = top;
      }
      for (int sky = 0; sky < skies(); ++sky) sweep_down(team, data, slot, column, sky);
      team.team_barrier();
      store_heating_rates(team, column);
      team.team_barrier();
    }
  }

  // --- preparation ---

  KOKKOS_INLINE_FUNCTION Real albedo(Array<Real**, ExecutionSpace> const& of, int column, int lane, int band) const {
    int const n = static_cast<int>(of.extent(1));
    if constexpr (Optics::has_gpoint_surface)
      if (n > 2 && n != optics.nband()) {
        int const gpoint = bands.lanes(lane).gpoint;
        return gpoint < 0 ? Real(0) : of(column, gpoint);
      }
    if constexpr (Optics::has_shares) {
      if (n != 2 || optics.nband() == 2) return of(column, n == 1 ? 0 : band);
      Real const share = bands.uvvis_share(lane);
      return share * of(column, 0) + (1 - share) * of(column, 1);
    }
    return of(column, n == 1 ? 0 : n == 2 ? (lane < bands.nlane_uvvis ? 0 : 1) : band);
  }

  /// Regions of all layers, the flux that enters at the top, the surface, and the cloudy layers of each g-point.
  KOKKOS_INLINE_FUNCTION void prepare_column(member_type const& team, Data const& data, int column, Real cosine) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay), [&](int layer) {
      data.region[layer] = static_cast<unsigned char>(optics.region(in, column, layer));
      data.reference_pressure[layer] = static_cast<unsigned char>(optics.reference_pressure(in, column, layer));
      if constexpr (cloudy)
        if (clouds.of_layers) data.cloudiness[layer] = clouds.cloudiness(in, column, layer);
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, optics.nlist()), [&](int list) {
      int lower = 0;
      while (lower < nlay && data.region[lower] == 0) ++lower;
      data.sun[list] = optics.sun(list, in, column, data.reference_pressure, lower);
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, data.nlane), [&](int lane) {
      ShortwaveLane const& of = bands.lanes(lane);
      for (int sky = 0; sky < nsky; ++sky) {
        data.below_of(sky)[lane] = albedo(in.albedo_direct, column, lane, of.band);
        data.below_of(sky)[data.nlane + lane] = albedo(in.albedo_diffuse, column, lane, of.band);
      }
    });
    if constexpr (cloudy) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, clouds.of_layers ? data.nlane / width : 0), [&](int i) {
        std::uint32_t gpoint[width];
        for (int l = 0; l < width; ++l) {
          int const of_lane = bands.lanes(i * width + l).gpoint;
          gpoint[l] = of_lane < 0 ? 0 : static_cast<std::uint32_t>(of_lane);
        }
        clouds.draw(data.cloudiness, nlay, column, gpoint, data.mask + i * width, data.nlane);
      });
    }
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, data.nlane), [&](int lane) {
      ShortwaveLane const& of = bands.lanes(lane);
      Real const irradiance =
          optics.irradiance(of, data.sun[of.list], Kokkos::subview(in.solar_weights, column, Kokkos::ALL));
      Real const factor = in.solar_band_factors.size() > 0 ? in.solar_band_factors(column, of.band) : Real(1);
      data.incident[lane] = of.gpoint < 0 ? 0 : irradiance * factor * cosine;
    });
  }

  /// The layer above the block that begins with layer `bottom`: all layers of a block are of one region.
  KOKKOS_INLINE_FUNCTION int top_of_block(Data const& data, int bottom) const {
    int const end = bottom + layers_per_block < nlay ? bottom + layers_per_block : nlay;
    int top = bottom + 1;
    while (top < end && data.region[top] == data.region[bottom]) ++top;
    return top;
  }

  /// The part that takes little work for a layer, done for many layers at a time.
  KOKKOS_INLINE_FUNCTION void prepare_states(member_type const& team, Data const& data, int column, int first,
                                             int after) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Data::by_side(after - first)), [&](int jj) {
      optics.set_state(data.state[jj], in, column, first + jj * side_by_side, after - 1);
    });
  }

  KOKKOS_INLINE_FUNCTION int aerosol_input(int column) const {
    if (in.aerosol_input.size() > 0) return in.aerosol_input(column);
    return static_cast<int>(in.aerosol_550nm.size() > 0 ? AerosolInput::types : AerosolInput::optical);
  }

  /// Terms, aerosol and clouds of a block.
  KOKKOS_INLINE_FUNCTION void prepare_block(member_type const& team, Data const& data, int column, int bottom, int top,
                                            int first_state) const {
    int const nk = top - bottom;
    int const nkk = Data::by_side(nk);
    int const above_first = (bottom - first_state) / side_by_side;
    // Neighbouring threads take layers of the same band, and then of a similar one: they have the same work.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, optics.nlist() * nkk), [&](int i) {
      int const kk = i % nkk;
      int const list = bands.by_pairs(optics.nlist() - 1 - i / nkk);
      Terms& terms = data.terms_of(list, kk);
      terms.first_pack = Terms::first_pack_of(bands.first_pack(list), bands.packs(list), kk, data.nkk);
      optics.set_terms(terms, {data.packs + terms.first_pack, data.nkk}, list, data.state[above_first + kk]);
    });
    if (has_aerosol) {
      int const input = aerosol_input(column);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, optics.nband() * nk), [&](int i) {
        int const k = i % nk;
        int const band = i / nk;
        LayerOptics<Real> of = aerosol(input, column, bottom + k, band);
        if constexpr (Optics::has_aerosol_types)
          if (in.aerosol_type.size() > 0) of += optics.aerosol(in, column, bottom + k, band);
        data.aerosol[band * data.nk + k] = Optics::scales_aerosol_alone ? delta_scaled(of) : of;
      });
    }
    if constexpr (cloudy) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, optics.nband() * nk), [&](int i) {
        int const k = i % nk;
        int const band = i / nk;
        if (clouds.may_be_cloudy(data.cloudiness, bottom + k))
          data.cloud[band * data.nk + k] = clouds.band(column, bottom + k, band);
      });
    }
  }

  KOKKOS_INLINE_FUNCTION LayerOptics<Real> aerosol(int input, int column, int layer, int band) const {
    if (input == static_cast<int>(AerosolInput::types)) {
      auto const of = aerosol_types.of_types([&](int type) { return in.aerosol_550nm(column, layer, type); }, band);
      return {of.absorption, of.scattering, of.asymmetric_scattering};
    }
    if (input != static_cast<int>(AerosolInput::optical) || in.aerosol_optical_depth.size() == 0) return {0, 0, 0};
    Real const depth = in.aerosol_optical_depth(column, layer, band);
    Real const albedo = in.aerosol_single_scattering_albedo(column, layer, band);
    Real const scattering = depth * albedo;
    return {depth * (1 - albedo), scattering, scattering * in.aerosol_asymmetry(column, layer, band)};
  }

  // --- sweeps: shortwave_sweeps.hpp ---

  /// `n` neighbouring lanes, and what they carry upward.
  template <int n>
  struct Lanes {
    int first;
    Real below[nsky][2][n];  ///< reflection of all below, of the beam and of diffuse light
  };

  /// Adds the layers of a block to what is below them, and keeps their maps.
  KOKKOS_INLINE_FUNCTION void sweep_up(member_type const& team, Data const& data, int slot, int column,
                                       SunAngle<Real> const& angle, int bottom, int top) const;

  /// The same for `n` neighbouring lanes.
  /// \param nk    layers of the block
  /// \param first the first lane
  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION void add_block(Data const& data, int slot, int column, SunAngle<Real> const& angle,
                                             int bottom, int nk, int first) const;

  /// Optical depths of gases in all lanes, for the layers of a block. On a host.
  KOKKOS_INLINE_FUNCTION void sum_gases(Data const& data, int nk) const;

  /// \brief Adds one layer.
  /// \param absorption,rayleigh optical depths of gases
  template <int n>
  KOKKOS_INLINE_FUNCTION void add_layer(Data const& data, int slot, int column, SunAngle<Real> const& angle, int layer,
                                        int k, Real const (&absorption)[n], Real const (&rayleigh)[n],
                                        Lanes<n>& lanes) const;

  /// \brief Adds the cloud of a layer to optical depths of lanes, of all lanes of a vector or of none.
  /// \param depth before scaling
  /// \param fraction of cloud in each lane: elsewhere results do not count
  /// \return whether any lane is cloudy, otherwise the results are not set
  template <int n>
  KOKKOS_INLINE_FUNCTION bool add_cloud(Data const& data, int column, int layer, int k, int first_lane,
                                        Real (&absorbed)[n], Real (&scattered)[n], Real (&asymmetric)[n],
                                        Real (&depth)[n], Real (&fraction)[n]) const;

  /// The operators of a layer for `n` lanes, see LayerOperator, in arrays, as vector instructions like them.
  template <int n>
  struct Operators {
    Real reflected_beam[n], scattered_beam[n], reflected[n], transmitted[n], beam[n];
    Real unscaled_beam[n];  ///< where it is wanted

    KOKKOS_INLINE_FUNCTION void set(int l, LayerOperator<Real> const& of) {
      reflected_beam[l] = of.reflected_beam;
      scattered_beam[l] = of.scattered_beam;
      reflected[l] = of.reflected;
      transmitted[l] = of.transmitted;
      beam[l] = of.beam;
    }
  };

  /// The operators of a layer.
  /// \param depth before scaling, where the unscaled beam is wanted
  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION void operate(SunAngle<Real> const& angle, Real const (&absorbed)[n],
                                           Real const (&scattered)[n], Real const (&asymmetric)[n],
                                           Real const (&depth)[n], Operators<n>& __restrict__ layer) const;

  /// The same in a function of its own: within the kernel, compilers for hosts run out of what they inline, and then
  /// make no vectors of the lanes.
  template <int n>
  KOKKOS_INLINE_FUNCTION void operate_apart(SunAngle<Real> const& angle, Real const (&absorbed)[n],
                                            Real const (&scattered)[n], Real const (&asymmetric)[n],
                                            Real const (&depth)[n], Operators<n>& layer) const;

  /// The mean of clear and cloudy parts.
  template <int n>
  KOKKOS_INLINE_FUNCTION static void mix(Real (&clear)[n], Real const (&cloud)[n], Real const (&fraction)[n]) {
    PARHELION_LANES
    for (int l = 0; l < n; ++l)
      clear[l] = fraction[l] > 0 ? clear[l] * (1 - fraction[l]) + cloud[l] * fraction[l] : clear[l];
  }

  /// Adds the operators of a layer in one sky.
  template <int n>
  KOKKOS_INLINE_FUNCTION void join(Operators<n> const& layer, Real* to, int nlane, Real (&below)[2][n]) const;

  /// Fluxes of one sky, from the top down.
  KOKKOS_INLINE_FUNCTION void sweep_down(member_type const& team, Data const& data, int slot, int column,
                                         int sky) const;

  /// \brief Whether no fluxes of bands or, where these are sums of their own, of parts of the spectrum are wanted.
  KOKKOS_INLINE_FUNCTION bool sums_alone(int sky) const {
    return !(Optics::has_shares && wants_parts) && !(wants_bands && sky == all_sky);
  }

  /// \brief The same where sums_alone(), on a host: sums over lanes are made at once, in the same order.
  KOKKOS_INLINE_FUNCTION void sweep_down_to_sums(Data const& data, int slot, int column, int sky) const;

  // --- sums: shortwave_sums.hpp ---

  /// Sums over lanes of `n` levels, of which the highest is level `top` of the column.
  KOKKOS_INLINE_FUNCTION void sum_to_fluxes(member_type const& team, Data const& data, int column, int sky, int top,
                                            int n) const;

  /// Sums some of the lanes of one part of the spectrum.
  KOKKOS_INLINE_FUNCTION void sum_lanes(Data const& data, int task) const;

  /// The same for all lanes of a quantity at a level, and all parts.
  /// \param which level and quantity
  KOKKOS_INLINE_FUNCTION void sum_all_parts(Data const& data, int which) const;

  KOKKOS_INLINE_FUNCTION void sum_band(Data const& data, int column, int top, int task) const;

  KOKKOS_INLINE_FUNCTION void store_level(Data const& data, int column, int sky, int top, int i) const;

  /// Stores one of the fluxes of a level, and, where they are wanted, its ultraviolet and visible and its near infrared
  /// part.
  KOKKOS_FORCEINLINE_FUNCTION void store_flux(int column, int level, int sky, int quantity, Real total, Real uvvis,
                                              Real nir) const;

  KOKKOS_INLINE_FUNCTION void store_night(member_type const& team, int column) const;

  KOKKOS_INLINE_FUNCTION void store_heating_rates(member_type const& team, int column) const;

  KOKKOS_INLINE_FUNCTION Real heating_rate(Array<Real**, ExecutionSpace> const& up,
                                           Array<Real**, ExecutionSpace> const& dn, int column, int layer) const;
};

}  // namespace parhelion::fluxes::Impl

#include "shortwave_sums.hpp"
#include "shortwave_sweeps.hpp"

#endif
