// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the longwave solver: the course of a team through a column, and the preparation of its layers. The
// sweeps are in longwave_sweeps.hpp, the sums to fluxes in longwave_sums.hpp.
#ifndef PARHELION_FLUXES_LONGWAVE_KERNEL_HPP
#define PARHELION_FLUXES_LONGWAVE_KERNEL_HPP

#include "absorption_terms.hpp"
#include "clouds/lane_clouds.hpp"
#include "lane_table.hpp"
#include "longwave_layout.hpp"
#include "team_data.hpp"
#include "transfer.hpp"

#include <parhelion/fluxes/columns.hpp>

#include <parhelion/core/impl/next_item.hpp>
#include <parhelion/core/impl/quotient.hpp>
#include <parhelion/core/impl/teams_in_step.hpp>
#include <parhelion/core/lanes.hpp>
#include <parhelion/core/solver.hpp>
#include <parhelion/core/workspace.hpp>

namespace parhelion::fluxes::Impl {

using parhelion::Impl::TeamsInStep;

/// \brief The whole solve of a column by one team.
///
/// Each thread of the team (on a device, a warp) has lists of its own, with all of their lanes, and goes through the
/// column by itself. Layers are taken from the top in blocks, each within one region of the atmosphere. For each block
/// a thread first makes the absorption terms of its lists in every layer. Then each lane takes its radiance down
/// through the layers of the block, and keeps each layer's map for the way up. The upward sweep applies the maps from
/// the surface on. The radiances at each level are summed over the lanes of a thread, and in the end over the threads.
/// The team shares what layers need for all lists, which it prepares for many layers at a time: only there and for the
/// sums its threads wait for each other. Where there are more columns than teams, a team goes on with further columns,
/// so that the maps take memory for the teams only.
///
/// \tparam Transfer ExactTransfer or TableTransfer
/// \tparam cloudy   whether there are clouds; the sky without them is then solved beside it, if that is wanted
template <class Model, class Transfer, bool cloudy>
struct LongwaveKernel {
  using ExecutionSpace = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Optics = LaneOptics<Model>;
  using Data = TeamData<ExecutionSpace, Optics, Real, cloudy>;
  using Terms = typename Optics::Terms;
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;

  static constexpr int width = Optics::width;
  static constexpr int side_by_side = Optics::layers;
  static constexpr PlanckSource source = Optics::source;
  /// Whether lanes have an interval each, and whether g-points have shares of their interval's radiance.
  static constexpr bool interval_per_lane = source == PlanckSource::lane || source == PlanckSource::rows;
  static constexpr bool has_fractions = source == PlanckSource::interval || source == PlanckSource::level_fractions;
  /// Whether a layer waits until the Planck fraction of the layer below is known.
  static constexpr bool waits = Data::waits;
  static constexpr int nsky = Data::nsky;
  static constexpr int npartial = Data::npartial;
  static constexpr Real pi = static_cast<Real>(Kokkos::numbers::pi);
  /// Numbers of a layer's maps: gain and offset, with clouds and without, and the gain of derivatives where it differs.
  static constexpr int nmap = cloudy ? (Transfer::is_consistent ? 4 : 5) : 2;
  static constexpr int gain_of_derivative = nmap == 5 ? 4 : 0;
  enum Sky : int { all_sky, clear_sky };
  /// Most layers of a block, as their number is kept in two bytes.
  static constexpr int most_layers_of_block = 65535;

  Optics optics;
  Transfer transfer;
  Columns<ExecutionSpace, Real> in;
  typename Optics::Clouds clouds;
  Fluxes<ExecutionSpace, Real> out;
  WorkspaceArray<Real****, ExecutionSpace> upward;  ///< (team, layer, map, lane)
  /// (column, layer, sky, lane): what layers emit downward, where the blocks of a column are of several teams.
  WorkspaceArray<Real****, ExecutionSpace> downward;
  NotFinite<ExecutionSpace> not_finite;
  parhelion::Impl::NextItem<ExecutionSpace> next_column;  ///< on a host
  TeamsInStep<ExecutionSpace> in_step;
  LaneTable<ExecutionSpace> table;
  Real heating_factor;  ///< kelvins a day for a flux divergence of 1 W m-2 over 1 Pa
  int ncol, nlay;
  int layers_per_block;
  int layers_of_states;  ///< layers whose states are prepared at a time, if a block has no more
  bool has_aerosol, has_incident_flux, wants_clear, wants_derivative, wants_bands, wants_surface_share;
  int scratch_level = 0;

  /// Levels at which each lane has a radiance.
  struct LevelRadiances {
    Real const* radiance;  ///< (sky, level, lane)
    int sky_stride;        ///< from a sky to the next
    int nsky;
    int nlev;
    int first;  ///< level of the column

    /// The sky of one of the levels of all skies. (An integer division takes devices long.)
    KOKKOS_INLINE_FUNCTION int sky_of(int level) const { return cloudy && level >= nlev ? 1 : 0; }
  };

  KOKKOS_INLINE_FUNCTION int nlane() const { return static_cast<int>(table.groups.extent(0)) * width; }
  KOKKOS_INLINE_FUNCTION TeamExtents extents() const {
    bool fits_secants = false;
    if constexpr (Optics::may_fit_secants) fits_secants = optics.fits_secants;
    return {.nlay = nlay,
            .layers_per_block = layers_per_block,
            .layers_of_states = layers_of_states,
            .nlane = nlane(),
            .level_stride = table.level_stride,
            .npack = table.npack,
            .nterms = table.nterms,
            .nthread = table.nthread,
            .nplanck = nplanck(),
            .nsecant = optics.nsecant(),
            .fits_secants = fits_secants,
            .keeps_surface = wants_surface_share};
  }
  std::size_t team_bytes() const { return Data::bytes(extents()); }

  /// Skies that differ and are wanted.
  KOKKOS_INLINE_FUNCTION int skies() const { return cloudy && wants_clear ? 2 : 1; }
  KOKKOS_INLINE_FUNCTION Real* maps(int slot, int layer, int which) const { return &upward(slot, layer, which, 0); }

  /// Planck radiances of a layer or level: where groups have one each, those of the same terms share it.
  KOKKOS_INLINE_FUNCTION int nplanck() const { return has_fractions ? table.nterms : optics.nplanck(); }
  KOKKOS_INLINE_FUNCTION static int planck_of(LaneGroup const& group) {
    return has_fractions ? group.terms : group.planck;
  }

  /// \tparam is_fast whether the compiler knows that the scratch memory is at level 0
  template <bool is_fast>
  KOKKOS_INLINE_FUNCTION void in_scratch(member_type const& team) const {
    TeamScratch<is_fast> scratch(team.team_scratch(scratch_level));
    Data const data(scratch, extents());
    ThreadLanes const mine = table.threads(team.team_rank());
    int const slot = team.league_rank();
    typename TeamsInStep<ExecutionSpace>::Team step;
    for (int column = next_column.first(team); column < ncol; column = next_column.after(team, column)) {
      if constexpr (cloudy) in_step.begin_item(team, step);
      prepare_column(team, data, column);
      if constexpr (Optics::may_fit_secants)
        if (optics.fits_secants) fit_secants(team, data, mine, column);
      int common_from = 0;  // see finish_column()
      each_block(team, data, column, nlay, 0, [&](LayerBlock const& block) {
        prepare_block(team, data, mine, column, block);
        if constexpr (cloudy)
          if (wants_clear && common_from == 0 && has_cloud(data, block)) common_from = lowest_crossed(block.top);
        int const nskies = cloudy && common_from > 0 ? 2 : 1;
        sweep_down<false>(team, data, mine, slot, column, block, nskies);
        int const first = lowest_crossed(block.bottom);
        sum_levels_down(team, data, mine, column, first, lowest_crossed(block.top) - first, nskies);
      });
      finish_column(team, data, mine, slot, column, common_from);
      team.team_barrier();
    }
    if constexpr (cloudy) in_step.leave(team, step);
  }

  /// Whether a block has a layer with cloud.
  KOKKOS_INLINE_FUNCTION static bool has_cloud(Data const& data, LayerBlock const& block) {
    LayerCloud const* const of_layers = data.clouds(block);
    for (int k = 0; k < block.top - block.bottom; ++k)
      if (of_layers[k].has_cloud) return true;
    return false;
  }

  /// Sums of n levels of the downward sweep, from the level `first` of the column on.
  KOKKOS_INLINE_FUNCTION void sum_levels_down(member_type const& team, Data const& data, ThreadLanes const& mine,
                                              int column, int first, int n, int nskies) const {
    sum_lanes(team, data, mine, column, {data.down, (data.nk + 1) * data.level_stride, nskies, n, first},
              data.sums_down, wants_bands ? &out.flux_dn_band : nullptr);
  }

  /// \brief What comes after the downward sweep: its fluxes, the upward sweeps, and heating rates.
  /// \param common_from the level from which on up both skies have the same downward fluxes and maps, as there is no
  ///                    cloud above it; 0: the column has no cloud, and one sky
  KOKKOS_INLINE_FUNCTION void finish_column(member_type const& team, Data const& data, ThreadLanes const& mine,
                                            int slot, int column, int common_from) const {
    store_fluxes(team, data, column, data.sums_down, 0, nlay, out.flux_dn);
    sweep_up<Upward::flux>(team, data, mine, slot, column, all_sky, nlay, out.flux_up,
                           wants_bands ? &out.flux_up_band : nullptr);
    if (wants_derivative)
      sweep_up<Upward::derivative>(team, data, mine, slot, column, all_sky, nlay, out.dflux_up_dt, nullptr);
    if (wants_surface_share) share_of_surface(team, data, mine, slot, column);
    if constexpr (cloudy) {
      if (common_from > 0) {
        store_fluxes(team, data, column, data.sums_down + data.nlev * data.nthread, 0, common_from, out.flux_dn_clear);
        store_fluxes(team, data, column, data.sums_down, common_from, nlay, out.flux_dn_clear);
        sweep_up<Upward::flux>(team, data, mine, slot, column, clear_sky, common_from, out.flux_up_clear, nullptr);
        if (wants_derivative)
          sweep_up<Upward::derivative>(team, data, mine, slot, column, clear_sky, common_from, out.dflux_up_clear_dt,
                                       nullptr);
      }
    }
    team.team_barrier();
    store_heating_rates(team, column, common_from > 0);
  }

  // --- preparation ---

  /// \brief Radiance that enters a lane at the top, with the weight of its angle [W m-2 sr-1].
  ///
  /// It is the same from all directions, so that the flux of a g-point counts once, whatever the angles.
  KOKKOS_INLINE_FUNCTION Real incident(int column, int lane) const {
    if (!has_incident_flux) return 0;
    LaneGroup const& group = table.groups(lane / width);
    if (lane % width >= group.n) return 0;
    Real const radiance = in.incident_flux(column, group.gpoint + lane % width) / pi;
    if constexpr (Optics::has_angles)
      return optics.weight(group) * radiance;
    else
      return radiance;
  }

  /// What enters n lanes, as a flux [W m-2].
  /// \param lane of each from 0 to n - 1
  template <class Lane>
  KOKKOS_INLINE_FUNCTION Real incident_flux(int column, int n, Lane const& lane) const {
    Real sum = 0;
    if (has_incident_flux)
      for (int i = 0; i < n; ++i) sum += incident(column, lane(i));
    return pi * sum;
  }

  /// Secants of all bands, blocks of layers, and the upper boundary with what enters there.
  KOKKOS_INLINE_FUNCTION void prepare_column(member_type const& team, Data const& data, int column) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay), [&](int layer) {
      data.region[layer] = static_cast<unsigned char>(optics.region(in, column, layer));
      if constexpr (Data::has_water_path) data.water_path[layer] = optics.water_path(in, column, layer);
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nsky * data.nlane), [&](int i) {
      data.radiance[i] = has_incident_flux ? incident(column, i < data.nlane ? i : i - data.nlane) : Real(0);
    });
    if constexpr (cloudy)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, data.nlane), [&](int i) { data.rank[i] = 0; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, optics.nband()), [&](int band) {
      if (wants_bands)
        out.flux_dn_band(column, nlay, band) =
            incident_flux(column, table.first_lane(band + 1) - table.first_lane(band),
                          [&](int i) { return table.lanes(table.first_lane(band) + i); });
      if (band > 0) return;
      Real const all = incident_flux(column, data.nlane, [](int lane) { return lane; });
      out.flux_dn(column, nlay) = all;
      if (wants_clear) out.flux_dn_clear(column, nlay) = all;
    });
    team.team_barrier();
    int const nsecant = optics.nsecant();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nsecant + 1), [&](int i) {
      if (i == nsecant) {
        for (int top = nlay; top > 0; top = bottom_of_block(data, top))
          data.layers_of_block[top - 1] = static_cast<unsigned short>(top - lowest_alike(data, top));
        return;
      }
      typename Optics::WaterPath path;
      if constexpr (Data::has_water_path)
        for (int layer = 0; layer < nlay; ++layer) path += data.water_path[layer];
      data.secant[i] = optics.secant(i, path, in.pressure_lev(column, 0));
    });
    team.team_barrier();
  }

  /// The lowest layer of the block whose upper boundary is level `top`.
  KOKKOS_INLINE_FUNCTION int bottom_of_block(Data const& data, int top) const {
    return top - data.layers_of_block[top - 1];
  }

  /// The same as it has to be: all layers of a block are of one region.
  KOKKOS_INLINE_FUNCTION int lowest_alike(Data const& data, int top) const {
    int const end = top > layers_per_block ? top - layers_per_block : 0;
    int bottom = top - 1;
    while (bottom > end && data.region[bottom - 1] == data.region[top - 1]) --bottom;
    return bottom;
  }

  /// \brief Calls action(block) with the blocks of layers below the level `highest`, from the top on to the level
  ///        `lowest`. Both are boundaries of blocks.
  ///
  /// The states of some blocks are prepared while the blocks before are crossed, by the first threads alone, whose
  /// lists are the shortest. A single thread has one buffer for states, and prepares those of the blocks that it
  /// crosses next.
  template <class Action>
  KOKKOS_INLINE_FUNCTION void each_block(member_type const& team, Data const& data, int column, int highest, int lowest,
                                         Action const& action) const {
    LayerBlock now{highest, highest, {highest, 0}};  // before the first blocks there are none
    while (now.top > lowest) {
      int bottom = now.bottom;
      for (int i = 0; i < data.nblock && bottom > lowest; ++i) bottom = bottom_of_block(data, bottom);
      LayerBlock const next{bottom, now.bottom, {bottom, data.nbuffer - 1 - now.states.buffer}};
      // Clouds are so much code that a device waits for the second copy of it.
      bool const beside = data.nbuffer > 1;
      LayerBlock prepared = next;
      if (!beside) prepared = now;
      if (cloudy || beside) prepare_states(team, data, column, prepared);
      if (cloudy && !beside) team.team_barrier();
      for (int top = now.top; top > now.bottom;) {
        LayerBlock const block{bottom_of_block(data, top), top, now.states};
        action(block);
        top = block.bottom;
      }
      if (!cloudy && !beside) prepare_states(team, data, column, next);
      team.team_barrier();
      now = next;
    }
  }

  /// What all lists need of the layers of blocks, which takes little work.
  KOKKOS_INLINE_FUNCTION void prepare_states(member_type const& team, Data const& data, int column,
                                             LayerBlock const& blocks) const {
    int const bottom = blocks.bottom;
    int const last = blocks.top - 1;
    auto* const states = data.states(blocks);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Data::by_side(blocks.top - bottom)),
                         [&](int kk) { optics.set_state(states[kk], in, column, bottom + kk * side_by_side, last); });
    if constexpr (cloudy) {
      auto* const of_layers = data.clouds(blocks);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, blocks.top - bottom),
                           [&](int k) { of_layers[k] = clouds.layer(in, column, bottom + k); });
    }
  }

  /// \brief Terms and Planck radiances of a block, for the lanes of a thread.
  /// \param with_aerosol whether the terms hold the absorption by aerosol
  PARHELION_IMPL_LOOP_FUNCTION void prepare_block(member_type const& team, Data const& data, ThreadLanes const& mine,
                                                  int column, LayerBlock const& block, bool with_aerosol = true) const {
    int const bottom = block.bottom;
    int const top = block.top;
    int const nk = top - bottom;
    int const nkk = Data::by_side(nk);
    auto const* const states = data.states(block);
    // Neighbouring lanes take layers of the same list: they have the same work.
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.nterms * nkk), [&](int i) {
      parhelion::Impl::Quotient const terms_and_layer(i, nkk);
      int const kk = terms_and_layer.rest;
      int const which = mine.first_terms + terms_and_layer.value;
      int const list = table.list(which);
      Terms& terms = data.terms_of(which, kk);
      terms.first_pack = Terms::first_pack_of(table.first_pack(which), table.packs(which), kk, data.nkk);
      optics.set_terms(terms, {data.packs + terms.first_pack, data.nkk}, list, states[kk]);
      if (with_aerosol && has_aerosol)
        for (int l = 0; l < side_by_side && kk * side_by_side + l < nk; ++l)
          terms.depth[l] = in.aerosol(column, bottom + kk * side_by_side + l, list);
      if constexpr (Optics::has_aerosol_types)
        if (with_aerosol && in.aerosol_type.size() > 0)
          for (int l = 0; l < side_by_side && kk * side_by_side + l < nk; ++l)
            terms.depth[l] +=
                optics.template aerosol<false>(in, column, bottom + kk * side_by_side + l, list).absorption;
    });
    if constexpr (source != PlanckSource::rows) {
      // A thread of a host takes all intervals of a layer, in vectors.
      constexpr bool in_vectors = runs_on_host<ExecutionSpace>;
      int const first = has_fractions ? mine.first_terms : planck_of(table.groups(mine.first_group));
      int const intervals = has_fractions ? mine.nterms : mine.ngroup * width;
      int const parts = in_vectors ? 1 : intervals;
      int const of_layers = waits && top < nlay ? nk + 1 : nk;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, (of_layers + nk + 1) * parts), [&](int i) {
        parhelion::Impl::Quotient const level_and_part(i, parts);
        int const j = level_and_part.value;
        bool const of_layer = j < of_layers;
        int const k = of_layer ? j : j - of_layers;
        set_planck(first + level_and_part.rest, in_vectors ? intervals : 1,
                   of_layer ? in.temperature_lay(column, bottom + k) : in.temperature_lev(column, bottom + k),
                   (of_layer ? data.planck_lay : data.planck_lev) + k * nplanck());
      });
    }
    if constexpr (cloudy) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, mine.nterms * nk), [&](int i) {
        parhelion::Impl::Quotient const terms_and_layer(i, nk);
        int const k = terms_and_layer.rest;
        int const which = mine.first_terms + terms_and_layer.value;
        if (data.clouds(block)[k].any)
          data.absorption[which * data.nk + k] = clouds.absorption(column, bottom + k, table.list(which));
      });
    }
  }

  /// Planck radiances of n entries from one on. Where groups have an interval each, it has the number of their list.
  KOKKOS_INLINE_FUNCTION void set_planck(int first, int n, Real temperature, Real* planck) const {
    auto const at = optics.at_temperature(temperature);
    if constexpr (runs_on_host<ExecutionSpace> || !has_fractions) {
      PARHELION_LANES
      for (int i = first; i < first + n; ++i) planck[i] = optics.planck(i, at);  // the terms of a list have its number
    } else {
      planck[first] = optics.planck(table.list(first), at);
    }
  }

  // --- sweeps: longwave_sweeps.hpp ---

  /// Where the lanes of a group are in the arrays of a layer; it moves on from one layer to the next below.
  struct LanesAtLayer {
    Real const* planck_lay;  ///< Planck radiances of the layer
    Real const* planck_low;  ///< and at its lower boundary
    int nplanck;             ///< from a level to the next
    Real* level;             ///< radiances at the lower boundary, or what is kept of the layer in their place
    int level_stride;        ///< from a level to the next
    int sky_stride;          ///< from a sky to the next
    Real* map;
  };

  /// Layers from this one up have been crossed when the block whose lowest layer is `bottom` has been.
  KOKKOS_INLINE_FUNCTION int lowest_crossed(int bottom) const {
    return waits && bottom > 0 && bottom < nlay ? bottom + 1 : bottom;
  }

  /// \tparam apart whether the blocks of a column are of several teams: then layers are not crossed, and what they emit
  ///               downward is kept
  /// \param nskies 1: down to the end of this block both skies are the same, or only one is wanted
  template <bool apart>
  KOKKOS_INLINE_FUNCTION void sweep_down(member_type const& team, Data const& data, ThreadLanes const& mine, int slot,
                                         int column, LayerBlock const& block, int nskies) const;

  /// The diffusivity secant of a lane.
  /// \param secant that of its group
  KOKKOS_INLINE_FUNCTION Real secant_of_lane(Data const& data, Real secant, int lane) const;

  /// Takes the radiances of group i down through the layers of the block.
  template <bool apart>
  PARHELION_IMPL_LOOP_FUNCTION void sweep_down_lanes(Data const& data, int slot, int column, int i,
                                                     LayerBlock const& block, int nskies) const;

  /// Sources of a layer and at its boundaries, of each lane.
  struct LaneSources {
    Real layer[width], lower[width], upper[width];
  };

  /// What a layer emits through its lower and through its upper boundary.
  KOKKOS_INLINE_FUNCTION static void layer_emission(LaneSources const& of, Real const (&absorptivity)[width],
                                                    Real const (&source_weight)[width], Real (&down)[width],
                                                    Real (&up)[width]);
  KOKKOS_INLINE_FUNCTION static void layer_emission(LanesAtLayer const& at, Real const (&fraction)[width],
                                                    Real const (&absorptivity)[width],
                                                    Real const (&source_weight)[width], Real (&down)[width],
                                                    Real (&up)[width]);

  /// Takes radiances down to the layer's lower boundary, or keeps what the layer emits in place of them, and keeps the
  /// layer's map for the upward sweep.
  template <bool apart>
  KOKKOS_INLINE_FUNCTION static void cross_layer(Real (&radiance)[width], Real* level, Real* map, int map_stride,
                                                 Real const (&gain)[width], Real const (&emitted_down)[width],
                                                 Real const (&emitted_up)[width]);

  /// What goes upward.
  enum class Upward {
    flux,
    derivative,  ///< of the flux with respect to the skin temperature
    share        ///< what is left of the flux at the surface
  };

  /// \brief Upward fluxes of one sky, their derivative with respect to the skin temperature, or what is left of the
  ///        flux that leaves the surface.
  ///
  /// The radiation that the surface reflects does not depend on its temperature, and layers transmit the derivative as
  /// they do radiance.
  /// \param own_maps_to the level from which on up the sky has the maps of all sky
  template <Upward what>
  KOKKOS_INLINE_FUNCTION void sweep_up(member_type const& team, Data const& data, ThreadLanes const& mine, int slot,
                                       int column, Sky sky, int own_maps_to, Array<Real**, ExecutionSpace> const& flux,
                                       Array<Real***, ExecutionSpace> const* flux_band) const;

  /// What is left at each level of the flux that leaves the surface, as a share of that (Hogan & Bozzo 2015,
  /// doi:10.1002/2015MS000455).
  KOKKOS_INLINE_FUNCTION void share_of_surface(member_type const& team, Data const& data, ThreadLanes const& mine,
                                               int slot, int column) const;

  /// Diffusivity secants of lanes, from their optical depths of the whole column.
  KOKKOS_INLINE_FUNCTION void fit_secants(member_type const& team, Data const& data, ThreadLanes const& mine,
                                          int column) const;

  /// Maps of layers that have been kept.
  struct KeptMaps {
    Real const* gain;    ///< (layer, lane), of the layer that is crossed first
    Real const* offset;  ///< the same
    int gain_stride;     ///< to the layer that is crossed next
    int offset_stride;
  };
  /// Takes the radiances of one group through n layers.
  /// \tparam has_offset  whether there are offsets other than 0
  /// \param level        (level, lane): where radiances are stored, from the far boundary of the first layer on
  /// \param level_stride to the level that is reached next
  template <bool has_offset>
  static KOKKOS_INLINE_FUNCTION void cross_kept_layers(KeptMaps const& maps, int n, Real* level, int level_stride,
                                                       Real* radiance);

  /// Emission and reflectivity of the surface. Its Planck fractions are those of the lowest layer, whose terms (without
  /// their pairs) are still there at the end of the downward sweep.
  template <Upward what>
  KOKKOS_INLINE_FUNCTION void surface(Data const& data, int column, LaneGroup const& group, Real (&emitted)[width],
                                      Real (&reflected)[width]) const;

  /// Radiances that leave the surface, from those that reach it.
  template <Upward what>
  KOKKOS_INLINE_FUNCTION void surface_boundary(Data const& data, int column, LaneGroup const& group,
                                               Real* radiance) const;

  // --- sums: longwave_sums.hpp ---

  /// \brief Sums radiances at levels over the lanes of a thread.
  ///
  /// Fluxes of bands, which may have lanes of several threads, are made and stored here, too, where there are any.
  /// \param sums overwritten at these levels (sky, level of the column, thread)
  PARHELION_IMPL_LOOP_FUNCTION void sum_lanes(member_type const& team, Data const& data, ThreadLanes const& mine,
                                              int column, LevelRadiances const& levels, Real* sums,
                                              Array<Real***, ExecutionSpace> const* flux_band) const;

  /// Adds up the sums of all threads of one sky, from a level to before another, and stores them as fluxes.
  KOKKOS_INLINE_FUNCTION void store_fluxes(member_type const& team, Data const& data, int column, Real const* sums,
                                           int first, int after, Array<Real**, ExecutionSpace> const& flux) const;

  /// Heating rates from the fluxes; where both skies are the same, also the results for the clear sky.
  KOKKOS_INLINE_FUNCTION void store_heating_rates(member_type const& team, int column, bool skies_differ) const;

  KOKKOS_INLINE_FUNCTION Real heating_rate(Array<Real**, ExecutionSpace> const& up,
                                           Array<Real**, ExecutionSpace> const& dn, int column, int layer) const;
};

}  // namespace parhelion::fluxes::Impl

#include "longwave_sums.hpp"
#include "longwave_sweeps.hpp"

#endif
