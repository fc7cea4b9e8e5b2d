// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LONGWAVE_KERNEL_HPP
#define PARHELION_FLUXES_LONGWAVE_KERNEL_HPP

#include "lane_optics.hpp"
#include "subcolumn_walk.hpp"

#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/transfer.hpp>

#include <parhelion/core/affine_map.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/lifetime.hpp>
#include <parhelion/core/workspace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>

namespace parhelion::fluxes::Impl {

/// How a kernel of one model lies on an execution space.
template <class Model>
struct LaneLayout {
  using ExecutionSpace = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Optics = LaneOptics<Model>;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  static constexpr int vector_length = on_host ? 1 : 32;
  /// Layers whose terms a team keeps at a time: the more the better until scratch memory keeps other teams away
  /// (docs/performance.md).
  template <bool cloudy>
  static constexpr int default_layers_per_block = on_host             ? 16
                                                  : Optics::nset == 1 ? (sizeof(Real) <= 4 ? 8 : 4)
                                                  : sizeof(Real) <= 4 ? 6
                                                  : cloudy            ? 3
                                                                      : 5;
  /// How many threads of a multiprocessor registers are to be left for, of those that it can have: without clouds less
  /// of them do, and more teams hide more latency.
  template <bool cloudy>
  static constexpr int resident_threads = sizeof(Real) > 4 ? 640
                                          : cloudy         ? 800
                                                           : 960;
  static constexpr int most_resident_threads = 2048;
  /// Two or three of the largest teams.
  template <bool cloudy>
  static constexpr int teams = resident_threads<cloudy> > 800 ? 3 : 2;
  template <bool cloudy>
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<resident_threads<cloudy> / teams<cloudy>, teams<cloudy>>>;

  /// Vectors of threads that a team has for so many lane groups.
  static int team_size(int groups) {
    constexpr int most = 320;
    return on_host ? 1 : std::min((groups + vector_length - 1) / vector_length, most / vector_length);
  }

  /// Teams that are sure to run at a time, as registers go.
  /// \param concurrency of the execution space
  template <bool cloudy>
  static int resident_teams(int concurrency, int groups) {
    if (on_host) return concurrency;
    double const share = static_cast<double>(resident_threads<cloudy>) / most_resident_threads;
    return std::max(1, static_cast<int>(concurrency * share) / (team_size(groups) * vector_length));
  }
};

/// A View over scratch memory is slower to index than what it points to.
template <class Real, class MemorySpace>
KOKKOS_INLINE_FUNCTION Real* scratch(MemorySpace const& memory, int n) {
  constexpr int alignment = 64;
  return static_cast<Real*>(memory.get_shmem_aligned(n * static_cast<int>(sizeof(Real)), alignment));
}

/// \brief The whole solve of a column by one team.
///
/// Layers are taken from the top in blocks, each of one half of the atmosphere. For each block the team first makes the
/// absorption terms of all (set, layer), then every lane runs down the layers of the block with its radiance, and keeps
/// each layer's map for the way up; what it leaves at each level is summed over lanes while the next block's terms are
/// made. The upward sweep applies the maps from the surface. A team goes on with further columns when there are more
/// columns than teams, so the maps need memory for the teams only.
///
/// \tparam cloudy whether there are clouds; the sky without them is then solved beside, where wanted
template <class Model, class Transfer, bool cloudy>
struct LongwaveKernel {
  using ExecutionSpace = typename Model::execution_space;
  using Real = typename Model::value_type;
  using Optics = LaneOptics<Model>;
  using State = typename Optics::State;
  using Terms = typename Optics::Terms;
  using Pair = typename Terms::Pair;
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using scratch_space = typename ExecutionSpace::scratch_memory_space;

  static constexpr int width = Optics::width;
  static constexpr int side_by_side = Optics::layers;
  static constexpr int nset = Optics::nset;
  static constexpr int nplanck = Optics::nplanck;
  /// Lanes are summed in two steps: those this far apart, and then what they make.
  static constexpr int npartial = 16;
  static constexpr Real pi = static_cast<Real>(Kokkos::numbers::pi);
  /// Gain and offset of a layer, with clouds and without; and the gain of derivatives, where that is another one.
  static constexpr int nmap = cloudy ? (Transfer::is_consistent ? 4 : 5) : 2;
  static constexpr int gain_of_derivative = nmap == 5 ? 4 : 0;
  static constexpr int nsky = cloudy ? 2 : 1;
  enum Sky : int { all_sky, clear_sky };

  Optics optics;
  Transfer transfer;
  Columns<ExecutionSpace, Real> in;
  Clouds<ExecutionSpace, Real> clouds;
  CloudOptics<ExecutionSpace, Real> cloud_optics;
  Fluxes<ExecutionSpace, Real> out;
  Array<LaneGroup const*, ExecutionSpace> groups;
  WorkspaceArray<Real****, ExecutionSpace> upward;  ///< (team, layer, map, lane)
  NotFinite<ExecutionSpace> not_finite;
  int* next_column;  ///< on a host
  SetTable<ExecutionSpace> sets;
  int ncol, nlay;
  int layers_per_block, states_at_once;
  bool has_aerosol, has_lengths, of_layers, wants_clear, wants_derivative, wants_bands;
  int scratch_level = 0;

  /// Cloud of a layer; subcolumns are drawn where it is given for the layer.
  struct LayerCloud {
    LayerCloudiness cloudiness;
    LayerCloudiness above;
    bool any;  ///< whether a g-point may have cloud
  };
  /// Absorption by cloud in a band: of the layer's cloud, or per water path.
  struct CloudAbsorption {
    Real ice;
    Real liquid;
  };

  /// What a team keeps beside it; k is a layer of the block, counted from its lowest, and j a layer of those whose
  /// states are there, counted likewise.
  struct TeamData {
    unsigned char* kind;        ///< (layer of the column)
    State* state;               ///< (j / side_by_side)
    Terms* terms;               ///< (set, k / side_by_side)
    Pair* pairs;                ///< of the terms
    Real* planck_lay;           ///< (k, interval)
    Real* planck_lev;           ///< (k, interval), one level more than layers
    Real* secant;               ///< (set)
    Real* radiance;             ///< (sky, lane)
    Real* down;                 ///< at levels of the block (sky, level, lane)
    Real* up;                   ///< at levels, on the way up (level, lane)
    Real* partial;              ///< sums over some lanes (sky, level, npartial)
    LayerCloud* cloud;          ///< (j)
    CloudAbsorption* absorbed;  ///< (set, k)
    std::uint32_t* rank;        ///< (lane): see SubcolumnWalk
    int nk, nkk, nlane;         ///< layers a block, the same by side_by_side, lanes
    int nup;                    ///< levels that `up` has room for

    static KOKKOS_INLINE_FUNCTION int by_side(int layers) { return (layers + side_by_side - 1) / side_by_side; }
    static KOKKOS_INLINE_FUNCTION int npair(LongwaveKernel const& kernel) {
      return kernel.sets.npair * by_side(kernel.layers_per_block);
    }
    /// The upward sweep does not need the pairs: levels use their memory.
    static KOKKOS_INLINE_FUNCTION int levels_up(LongwaveKernel const& kernel) {
      int const in_place =
          npair(kernel) * static_cast<int>(sizeof(Pair)) / (kernel.nlane() * static_cast<int>(sizeof(Real)));
      int const least = kernel.layers_per_block + 1;
      return in_place > least ? in_place : least;
    }

    KOKKOS_INLINE_FUNCTION TeamData(scratch_space const& memory, LongwaveKernel const& kernel)
        : nk(kernel.layers_per_block), nkk(by_side(nk)), nlane(kernel.nlane()), nup(levels_up(kernel)) {
      int const nj = kernel.states_at_once;
      kind = scratch<unsigned char>(memory, kernel.nlay);
      state = scratch<State>(memory, by_side(nj));
      terms = scratch<Terms>(memory, nset * nkk);
      pairs = scratch<Pair>(memory, npair(kernel));
      planck_lay = scratch<Real>(memory, nk * nplanck);
      planck_lev = scratch<Real>(memory, (nk + 1) * nplanck);
      secant = scratch<Real>(memory, nset);
      radiance = scratch<Real>(memory, nsky * nlane);
      down = scratch<Real>(memory, nsky * (nk + 1) * nlane);
      up = nup > nk + 1 ? reinterpret_cast<Real*>(pairs) : down;
      partial = scratch<Real>(memory, nsky * nup * npartial);
      if constexpr (cloudy) {
        cloud = scratch<LayerCloud>(memory, nj);
        absorbed = scratch<CloudAbsorption>(memory, nset * nk);
        rank = scratch<std::uint32_t>(memory, nlane);
      }
    }

    static std::size_t bytes(LongwaveKernel const& kernel) {
      std::size_t const nk = kernel.layers_per_block, nj = kernel.states_at_once, nlane = kernel.nlane();
      constexpr std::size_t alignment = 64;  // what each array may lose by it
      std::size_t const reals =
          nplanck * (2 * nk + 1) + nset + nsky * nlane + nsky * (nk + 1) * nlane + nsky * levels_up(kernel) * npartial;
      std::size_t const of_terms =
          nset * by_side(kernel.layers_per_block) * sizeof(Terms) + npair(kernel) * sizeof(Pair);
      std::size_t const of_clouds =
          cloudy ? nj * sizeof(LayerCloud) + nk * nset * sizeof(CloudAbsorption) + nlane * sizeof(std::uint32_t) : 0;
      return kernel.nlay + by_side(kernel.states_at_once) * sizeof(State) + of_terms + reals * sizeof(Real) +
             of_clouds + 13 * alignment;
    }

    KOKKOS_INLINE_FUNCTION Terms& terms_of(int set, int kk) const { return terms[set * nkk + kk]; }
    KOKKOS_INLINE_FUNCTION Real* level_down(int sky, int k) const { return down + (sky * (nk + 1) + k) * nlane; }
    KOKKOS_INLINE_FUNCTION Real* radiances(int sky) const { return radiance + sky * nlane; }
  };

  /// Levels whose radiances are there for each lane, and are to become fluxes.
  struct Levels {
    Real const* radiance;  ///< (sky, level, lane)
    int of_sky;            ///< from a sky to the next
    int skies;
    int n;
    int first;  ///< level of the column
  };
  /// Where their fluxes go.
  struct LevelFluxes {
    Array<Real**, ExecutionSpace> const& sky;
    Array<Real**, ExecutionSpace> const* clear;
    Array<Real***, ExecutionSpace> const* band;
  };

  KOKKOS_INLINE_FUNCTION int nlane() const { return static_cast<int>(groups.extent(0)) * width; }
  std::size_t team_bytes() const { return TeamData::bytes(*this); }

  /// Skies whose radiances differ and are wanted.
  KOKKOS_INLINE_FUNCTION int skies() const { return cloudy && wants_clear ? 2 : 1; }
  KOKKOS_INLINE_FUNCTION Real* maps(int slot, int layer, int which) const { return &upward(slot, layer, which, 0); }

  KOKKOS_INLINE_FUNCTION void operator()(member_type const& team) const {
    TeamData const data(team.team_scratch(scratch_level), *this);
    int const slot = team.league_rank();
    LevelFluxes const to{out.flux_dn, &out.flux_dn_clear, wants_bands ? &out.flux_dn_band : nullptr};
    for (int column = first_column(slot); column < ncol; column = column_after(column, team.league_size())) {
      start_column(team, data, column);
      Levels done{data.down, (data.nk + 1) * data.nlane, skies(), 0, 0};
      int lowest_state = nlay;
      for (int top = nlay; top > 0;) {
        int const bottom = bottom_of_block(data, top);
        if (bottom < lowest_state) {
          int const below = top - states_at_once;
          lowest_state = side_by_side > 1 ? bottom : below > 0 ? below : 0;
          prepare_states(team, data, column, lowest_state, top);
          team.team_barrier();
        }
        prepare_block(team, data, column, bottom, top, lowest_state, done, to.band);
        team.team_barrier();
        store_fluxes(team, data, column, done, to);
        sweep_down(team, data, slot, column, bottom, top, lowest_state);
        team.team_barrier();
        done.n = top - bottom;
        done.first = bottom;
        top = bottom;
      }
      sum_levels(team, data, column, done, to);
      rise<false>(team, data, slot, column, all_sky, out.flux_up, wants_bands ? &out.flux_up_band : nullptr);
      if (wants_derivative) rise<true>(team, data, slot, column, all_sky, out.dflux_up_dt, nullptr);
      if constexpr (cloudy) {
        if (wants_clear) {
          rise<false>(team, data, slot, column, clear_sky, out.flux_up_clear, nullptr);
          if (wants_derivative) rise<true>(team, data, slot, column, clear_sky, out.dflux_up_clear_dt, nullptr);
        }
      }
      team.team_barrier();
      finish(team, column);
      team.team_barrier();
    }
  }

  /// On a host a team is a thread, which takes the next column when it has done one: cores are not equally fast, or
  /// have other work. On a device the teams go on in step.
  KOKKOS_INLINE_FUNCTION int first_column(int slot) const {
    if constexpr (runs_on_host<ExecutionSpace>)
      return Kokkos::atomic_fetch_add(next_column, 1);
    else
      return slot;
  }
  KOKKOS_INLINE_FUNCTION int column_after(int column, int nteam) const {
    if constexpr (runs_on_host<ExecutionSpace>)
      return Kokkos::atomic_fetch_add(next_column, 1);
    else
      return column + nteam;
  }

  KOKKOS_INLINE_FUNCTION void start_column(member_type const& team, TeamData const& data, int column) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 1), [&](int) {
      typename Optics::WaterPath path;
      for (int layer = 0; layer < nlay; ++layer) path += optics.water_path(in, column, layer);
      for (int set = 0; set < nset; ++set) data.secant[set] = optics.secant(set, path, in.pressure_lev(column, 0));
    });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nsky * data.nlane), [&](int i) { data.radiance[i] = 0; });
    if constexpr (cloudy)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, data.nlane), [&](int i) { data.rank[i] = 0; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nlay), [&](int layer) {
      data.kind[layer] = static_cast<unsigned char>(optics.kind(in, column, layer));
    });
    // Nothing comes from above.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{nbnd}), [&](int band) {
      if (wants_bands) out.flux_dn_band(column, nlay, band) = 0;
      if (band > 0) return;
      out.flux_dn(column, nlay) = 0;
      if (wants_clear) out.flux_dn_clear(column, nlay) = 0;
    });
    team.team_barrier();
  }

  /// The block that ends at level `top` has layers of one kind.
  KOKKOS_INLINE_FUNCTION int bottom_of_block(TeamData const& data, int top) const {
    int const end = top > layers_per_block ? top - layers_per_block : 0;
    int bottom = top - 1;
    while (bottom > end && data.kind[bottom - 1] == data.kind[top - 1]) --bottom;
    return bottom;
  }

  /// What has little to do for a layer is done for many at a time.
  KOKKOS_INLINE_FUNCTION void prepare_states(member_type const& team, TeamData const& data, int column, int lowest,
                                             int top) const {
    int const nj = top - lowest;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, TeamData::by_side(nj)), [&](int jj) {
      optics.set_state(data.state[jj], in, column, lowest + jj * side_by_side, top - 1);
    });
    if constexpr (cloudy) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nj),
                           [&](int j) { data.cloud[j] = layer_cloud(column, lowest + j); });
    }
  }

  /// \brief Shares out tasks that take long and tasks that take a moment: where the long ones leave threads idle, these
  ///        do the short ones meanwhile.
  template <class Long, class Short>
  static KOKKOS_INLINE_FUNCTION void share_out(member_type const& team, int nlong, Long const& do_long, int nshort,
                                               Short const& do_short) {
    constexpr int lanes = LaneLayout<Model>::vector_length;
    int const vectors = team.team_size();
    int const vector = team.team_rank();
    int const needed = (nlong + lanes - 1) / lanes;
    // With a single set the lists are short and the Planck functions are not.
    int const spare = nset > 1 && needed < vectors ? vectors - needed : 0;
    int const of_short = spare > 0 ? spare : vectors;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
      if (vector >= spare)
        for (int i = (vector - spare) * lanes + lane; i < nlong; i += (vectors - spare) * lanes) do_long(i);
      if (vector < of_short)
        for (int i = vector * lanes + lane; i < nshort; i += of_short * lanes) do_short(i);
    });
  }

  /// Terms and Planck radiances of a block, and the sums over lanes of the block that was `done` before.
  KOKKOS_INLINE_FUNCTION void prepare_block(member_type const& team, TeamData const& data, int column, int bottom,
                                            int top, int lowest_state, Levels const& done,
                                            Array<Real***, ExecutionSpace> const* flux_band) const {
    int const nk = top - bottom;
    int const nkk = TeamData::by_side(nk);
    int const above_lowest = (bottom - lowest_state) / side_by_side;
    // A thread of a host takes all intervals of a layer, in vectors.
    constexpr int intervals = runs_on_host<ExecutionSpace> ? nplanck : 1;
    constexpr int parts = nplanck / intervals;
    int const of_layers = nk * parts;
    int const planck_tasks = of_layers + (nk + 1) * parts;
    // Neighbouring threads take layers of the same set, and then of a similar one: they have the same to do.
    share_out(
        team, nset * nkk,
        [&](int i) {
          int const kk = i % nkk;
          int const set = sets.order(i / nkk);
          Terms& terms = data.terms_of(set, kk);
          terms.pairs = data.pairs + sets.first_pair(set) * data.nkk + kk * sets.pairs(set);
          optics.set_terms(terms, set, data.state[above_lowest + kk]);
          if (has_aerosol)
            for (int l = 0; l < side_by_side && kk * side_by_side + l < nk; ++l)
              terms.depth[l] = in.aerosol(column, bottom + kk * side_by_side + l, set);
        },
        planck_tasks + sum_tasks(done),
        [&](int i) {
          if (i >= planck_tasks) {
            sum_lanes(data, column, done, flux_band, i - planck_tasks);
            return;
          }
          bool const of_layer = i < of_layers;
          int const j = of_layer ? i : i - of_layers;
          int const k = j / parts;
          set_planck<intervals>(
              j % parts, of_layer ? in.temperature_lay(column, bottom + k) : in.temperature_lev(column, bottom + k),
              (of_layer ? data.planck_lay : data.planck_lev) + k * nplanck);
        });
    if constexpr (cloudy) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nset * nk), [&](int i) {
        int const k = i % nk;
        int const set = i / nk;
        if (data.cloud[bottom + k - lowest_state].any)
          data.absorbed[set * data.nk + k] = cloud_absorption(column, bottom + k, set);
      });
    }
  }

  template <int intervals>
  KOKKOS_INLINE_FUNCTION void set_planck(int part, Real temperature, Real* planck) const {
    auto const at = optics.at_temperature(temperature);
    PARHELION_LANES
    for (int l = 0; l < intervals; ++l) planck[part * intervals + l] = optics.planck(part * intervals + l, at);
  }

  // --- clouds ---

  KOKKOS_INLINE_FUNCTION LayerCloudiness cloudiness(int column, int layer) const {
    double length = default_decorrelation_length;
    if (has_lengths) length = double(clouds.decorrelation_length(column));
    return {double(clouds.fraction(column, layer)),
            is_exponential(clouds.overlap) ? layer_correlation(in, column, layer, length) : 0};
  }

  KOKKOS_INLINE_FUNCTION LayerCloud layer_cloud(int column, int layer) const {
    if (!of_layers) return {{0, 0}, {0, 0}, true};
    LayerCloudiness const here = cloudiness(column, layer);
    LayerCloudiness const above = layer + 1 < nlay ? cloudiness(column, layer + 1) : LayerCloudiness(0, 0);
    return {here, above, here.has_cloud() || clouds.overlap == Overlap::exponential};
  }

  KOKKOS_INLINE_FUNCTION CloudAbsorption cloud_absorption(int column, int layer, int band) const {
    if (clouds.input(column) == static_cast<int>(CloudInput::optical_depth)) return {0, 0};
    Real const ice_path = of_layers ? clouds.ice_path(column, layer) : 1;
    Real const liquid_path = of_layers ? clouds.liquid_path(column, layer) : 1;
    // Sizes of what is not there may be anything.
    Real const ice = ice_path > 0 ? ice_path * cloud_optics.of_ice(static_cast<IceOptics>(clouds.ice_optics(column)),
                                                                   clouds.ice_size(column, layer), band)
                                  : 0;
    Real const liquid =
        liquid_path > 0 ? liquid_path * cloud_optics.of_liquid(static_cast<LiquidOptics>(clouds.liquid_optics(column)),
                                                               clouds.liquid_size(column, layer), band)
                        : 0;
    return of_layers ? CloudAbsorption{ice + liquid, 0} : CloudAbsorption{ice, liquid};
  }

  /// Vertical optical depth of cloud for the lanes of a group.
  KOKKOS_INLINE_FUNCTION void cloud_depths(TeamData const& data, LayerCloud const& cloud,
                                           CloudAbsorption const& absorbed, int column, int layer, int lane,
                                           LaneGroup const& group, Real (&depth)[width]) const {
    if (of_layers) {
      for (int l = 0; l < width; ++l) depth[l] = 0;
      for (int l = 0; l < (width > 1 ? group.n : 1); ++l) {
        std::uint32_t& rank = data.rank[lane + l];
        SubcolumnWalk walk{clouds.overlap, clouds.seed, clouds.first_column + static_cast<std::uint32_t>(column),
                           static_cast<std::uint32_t>(group.gpoint + l), rank};
        depth[l] = walk.is_cloudy(layer, cloud.cloudiness, cloud.above) ? absorbed.ice : 0;
        rank = walk.rank;
      }
      return;
    }
    bool const given = clouds.input(column) == static_cast<int>(CloudInput::optical_depth);
    for (int l = 0; l < width; ++l) {
      int const g = group.gpoint + (l < group.n ? l : 0);
      bool const is_cloudy = clouds.fraction_gpt(column, layer, g) == 1;
      Real const ice = given ? 0 : clouds.ice_path_gpt(column, layer, g);
      Real const liquid = given ? 0 : clouds.liquid_path_gpt(column, layer, g);
      // Absorption of what is not there may be not a number.
      Real const of_paths = (ice > 0 ? ice * absorbed.ice : 0) + (liquid > 0 ? liquid * absorbed.liquid : 0);
      depth[l] = !is_cloudy ? 0 : given ? clouds.optical_depth_gpt(column, layer, g) : of_paths;
    }
  }

  // --- downward ---

  KOKKOS_INLINE_FUNCTION void sweep_down(member_type const& team, TeamData const& data, int slot, int column,
                                         int bottom, int top, int lowest_state) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(groups.extent(0))),
                         [&](int i) { descend(data, slot, column, i, bottom, top, lowest_state); });
  }

  /// Where the lanes of a group are in the arrays of a layer, from one layer to the next below.
  struct LanesAtLayer {
    Real const* b_lay;  ///< Planck radiances of the layer, and at its lower boundary
    Real const* b_low;
    Real* level;  ///< lower boundary
    Real* map;
  };

  /// The lanes of one group pass the layers of the block downwards.
  KOKKOS_INLINE_FUNCTION void descend(TeamData const& data, int slot, int column, int i, int bottom, int top,
                                      int lowest_state) const {
    LaneGroup const group = groups(i);
    int const lane = i * width;
    int const k_top = top - 1 - bottom;
    int const of_map = data.nlane;
    [[maybe_unused]] int const of_sky = (data.nk + 1) * data.nlane;
    Real const secant = data.secant[group.set];
    Real const* const values = optics.values() + group.first;
    Terms const* const terms = &data.terms_of(group.set, 0);
    LanesAtLayer at{.b_lay = data.planck_lay + k_top * nplanck + group.planck,
                    .b_low = data.planck_lev + k_top * nplanck + group.planck,
                    .level = data.level_down(all_sky, k_top) + lane,
                    .map = maps(slot, top - 1, 0) + lane};
    Real radiance[width];
    [[maybe_unused]] Real clear[width];
    for (int l = 0; l < width; ++l) radiance[l] = data.radiances(all_sky)[lane + l];
    if constexpr (cloudy)
      for (int l = 0; l < width; ++l) clear[l] = data.radiances(clear_sky)[lane + l];

    // A host has many layers' sums on their way at a time, and then many layers' transfer: the lists end where they
    // end, and what a processor has guessed beyond the end of one is lost.
    constexpr int ahead = runs_on_host<ExecutionSpace> ? 16 : 1;
    for (int next = k_top; next >= 0; next -= ahead) {
      int const n = next + 1 < ahead ? next + 1 : ahead;
      Real tau[ahead][width], fraction[ahead][width];
      for (int j = 0; j < n; ++j) {
        Terms const& of_layer = terms[(next - j) / side_by_side];
        int const side = (next - j) % side_by_side;
        sum_terms<Optics::stride>(of_layer, side, values, tau[j]);
        if constexpr (Optics::has_planck_fractions) planck_fractions(of_layer, side, values, fraction[j]);
        // Interpolation can leave a tiny negative absorption.
        PARHELION_LANES
        for (int l = 0; l < width; ++l) tau[j][l] = (tau[j][l] < 0 ? 0 : tau[j][l]) * secant;
      }
      for (int j = 0; j < n; ++j) {
        [[maybe_unused]] int const k = next - j;
        Real gain[width], up[width], down[width];
        Real passes[width], absorbs[width], slope[width];
        PARHELION_LANES
        for (int l = 0; l < width; ++l) {
          LayerTransfer<Real> const pass = transfer(tau[j][l]);
          passes[l] = pass.transmittance;
          absorbs[l] = pass.absorptivity;
          slope[l] = pass.source_weight;
        }
        emit(at, fraction[j], absorbs, slope, down, up);
        PARHELION_LANES
        for (int l = 0; l < width; ++l) gain[l] = passes[l];
        if constexpr (cloudy) {
          [[maybe_unused]] Real of_derivative[width];
          for (int l = 0; l < width; ++l) of_derivative[l] = gain[l];
          if (skies() > 1) leave_layer(clear, at.level + of_sky, at.map + 2 * of_map, of_map, gain, down, up);
          LayerCloud const& cloud = data.cloud[bottom + k - lowest_state];
          if (cloud.any) {
            Real depth[width];
            cloud_depths(data, cloud, data.absorbed[group.set * data.nk + k], column, bottom + k, lane, group, depth);
            bool any = false;
            for (int l = 0; l < width; ++l) any = any || depth[l] > 0;
            if (any) {
              Real cloudy_down[width], cloudy_up[width];
              PARHELION_LANES
              for (int l = 0; l < width; ++l) {
                LayerTransfer<Real> const pass = transfer(tau[j][l], depth[l] * secant);
                passes[l] = pass.transmittance;
                absorbs[l] = pass.absorptivity;
                slope[l] = pass.source_weight;
              }
              emit(at, fraction[j], absorbs, slope, cloudy_down, cloudy_up);
              PARHELION_LANES
              for (int l = 0; l < width; ++l) {
                bool const here = depth[l] > 0;
                gain[l] = here ? passes[l] : gain[l];
                down[l] = here ? cloudy_down[l] : down[l];
                up[l] = here ? cloudy_up[l] : up[l];
                of_derivative[l] = here ? 1 - absorbs[l] : of_derivative[l];
              }
            }
          }
          if constexpr (gain_of_derivative > 0)
            for (int l = 0; l < width; ++l) at.map[gain_of_derivative * of_map + l] = of_derivative[l];
        }
        leave_layer(radiance, at.level, at.map, of_map, gain, down, up);
        at.b_lay -= nplanck;
        at.b_low -= nplanck;
        at.level -= data.nlane;
        at.map -= nmap * of_map;
      }
    }
    for (int l = 0; l < width; ++l) data.radiances(all_sky)[lane + l] = radiance[l];
    if constexpr (cloudy)
      for (int l = 0; l < width; ++l) data.radiances(clear_sky)[lane + l] = clear[l];
  }

  /// What a layer emits through its lower and through its upper boundary.
  KOKKOS_INLINE_FUNCTION static void emit(LanesAtLayer const& at, Real const (&fraction)[width],
                                          Real const (&absorptivity)[width], Real const (&source_weight)[width],
                                          Real (&down)[width], Real (&up)[width]) {
    if constexpr (Optics::planck_interval_per_lane) {
      for (int l = 0; l < width; ++l) {
        Real const b = at.b_lay[l];
        down[l] = absorptivity[l] * (b + source_weight[l] * (at.b_low[l] - b));
        up[l] = absorptivity[l] * (b + source_weight[l] * (at.b_low[nplanck + l] - b));
      }
    } else {
      Real const b = at.b_lay[0];
      Real const to_low = at.b_low[0] - b;
      Real const to_high = at.b_low[nplanck] - b;
      PARHELION_LANES
      for (int l = 0; l < width; ++l) {
        Real const emitted = absorptivity[l] * fraction[l];
        down[l] = emitted * (b + source_weight[l] * to_low);
        up[l] = emitted * (b + source_weight[l] * to_high);
      }
    }
  }

  /// Brings radiances to the layer's lower boundary and keeps the layer's map for the way up.
  KOKKOS_INLINE_FUNCTION static void leave_layer(Real (&radiance)[width], Real* level, Real* map, int of_map,
                                                 Real const (&gain)[width], Real const (&down)[width],
                                                 Real const (&up)[width]) {
    PARHELION_LANES
    for (int l = 0; l < width; ++l) radiance[l] = AffineMap<Real>(gain[l], down[l])(radiance[l]);
    PARHELION_LANES
    for (int l = 0; l < width; ++l) map[l] = gain[l];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) map[of_map + l] = up[l];
    PARHELION_LANES
    for (int l = 0; l < width; ++l) level[l] = radiance[l];
  }

  // --- upward ---

  /// \brief Upward fluxes of one sky, or their derivative with respect to the skin temperature.
  ///
  /// The surface's reflection does not depend on that, and layers let the derivative through as they do radiance.
  template <bool derivative>
  KOKKOS_INLINE_FUNCTION void rise(member_type const& team, TeamData const& data, int slot, int column, Sky sky,
                                   Array<Real**, ExecutionSpace> const& flux,
                                   Array<Real***, ExecutionSpace> const* flux_band) const {
    // The surface is a level more.
    int more = 1;
    for (int bottom = 0; bottom < nlay;) {
      int const most = data.nup - more;
      int const n = nlay - bottom < most ? nlay - bottom : most;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(groups.extent(0))), [&](int i) {
        Real* const radiance = data.radiances(sky) + i * width;
        Real* level = data.up + i * width;
        if (bottom == 0) {
          leave_surface<derivative>(data, column, groups(i), radiance);
          for (int l = 0; l < width; ++l) level[l] = radiance[l];
          level += data.nlane;
        }
        pass_upwards<derivative>(
            maps(slot, bottom, derivative && sky == all_sky ? gain_of_derivative : 2 * sky) + i * width, data.nlane, n,
            level, radiance);
      });
      team.team_barrier();
      sum_levels(team, data, column, {data.up, 0, 1, n + more, bottom + 1 - more}, {flux, nullptr, flux_band});
      bottom += n;
      more = 0;
    }
  }

  /// The lanes of one group pass n layers upwards.
  template <bool derivative>
  static KOKKOS_INLINE_FUNCTION void pass_upwards(Real const* gains, int nlane, int n, Real* level, Real* radiance) {
    // Several layers' maps are on their way from memory at a time.
    constexpr int ahead = runs_on_host<ExecutionSpace> ? 1 : 4;
    int const of_layer = nmap * nlane;
    Real const* offsets = gains + nlane;
    Real r[width];
    for (int l = 0; l < width; ++l) r[l] = radiance[l];
    for (int layer = 0; layer < n; layer += ahead) {
      Real gain[ahead][width], offset[ahead][width];
      int const n_ahead = n - layer < ahead ? n - layer : ahead;
      for (int j = 0; j < ahead; ++j) {
        int const at = (j < n_ahead ? j : 0) * of_layer;
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
      gains += ahead * of_layer;
      offsets += ahead * of_layer;
    }
    for (int l = 0; l < width; ++l) radiance[l] = r[l];
  }

  /// Emission and reflection of the surface; its Planck fractions are those of the lowest layer, whose terms (without
  /// their pairs) are still there when the downward sweep has ended.
  template <bool derivative>
  KOKKOS_INLINE_FUNCTION void leave_surface(TeamData const& data, int column, LaneGroup const& group,
                                            Real* radiance) const {
    Real fraction[width];
    if constexpr (Optics::has_planck_fractions)
      planck_fractions(data.terms_of(group.set, 0), 0, optics.values() + group.first, fraction);
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

  // --- sums: in an order that depends on nothing but the model ---

  /// Lanes that a task of sum_lanes sums side by side.
  static constexpr int summed = width < npartial ? width : npartial;

  KOKKOS_INLINE_FUNCTION int sum_tasks(Levels const& levels) const {
    return levels.n * (levels.skies * (npartial / summed) + (wants_bands ? nset : 0));
  }

  /// Some of the lanes at a level, or all of a band.
  KOKKOS_INLINE_FUNCTION void sum_lanes(TeamData const& data, int column, Levels const& levels,
                                        Array<Real***, ExecutionSpace> const* flux_band, int task) const {
    constexpr int parts = npartial / summed;
    int const of_skies = parts * levels.n * levels.skies;
    if (task >= of_skies) {
      if (flux_band == nullptr) return;
      int const set = (task - of_skies) % nset;
      int const level = (task - of_skies) / nset;
      Real const* const lanes = levels.radiance + level * data.nlane + sets.first_lane(set);
      Real sum = 0;
      for (int l = 0; l < sets.lanes(set); ++l) sum += lanes[l];
      (*flux_band)(column, levels.first + level, set) = pi * sum;
      return;
    }
    int const part = task % parts;
    int const level = task / parts % levels.n;
    int const sky = task / (parts * levels.n);
    Real const* const lanes = levels.radiance + sky * levels.of_sky + level * data.nlane;
    Real sum[summed];
    for (int l = 0; l < summed; ++l) sum[l] = 0;
    for (int from = part * summed; from < data.nlane; from += npartial) PARHELION_LANES
    for (int l = 0; l < summed; ++l) sum[l] += lanes[from + l];
    Real* const sums = data.partial + (sky * levels.n + level) * npartial + part * summed;
    for (int l = 0; l < summed; ++l) sums[l] = sum[l];
  }

  /// What sum_lanes has left, to fluxes.
  KOKKOS_INLINE_FUNCTION void store_fluxes(member_type const& team, TeamData const& data, int column,
                                           Levels const& levels, LevelFluxes const& to) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, levels.skies * levels.n), [&](int task) {
      int const level = task % levels.n;
      Real const* const sums = data.partial + task * npartial;
      Real sum = 0;
      for (int p = 0; p < npartial; ++p) sum += sums[p];
      (task < levels.n ? to.sky : *to.clear)(column, levels.first + level) = pi * sum;
      not_finite.check(sum, column);
    });
  }

  KOKKOS_INLINE_FUNCTION void sum_levels(member_type const& team, TeamData const& data, int column,
                                         Levels const& levels, LevelFluxes const& to) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sum_tasks(levels)),
                         [&](int task) { sum_lanes(data, column, levels, to.band, task); });
    team.team_barrier();
    store_fluxes(team, data, column, levels, to);
  }

  KOKKOS_INLINE_FUNCTION void finish(member_type const& team, int column) const {
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

  KOKKOS_INLINE_FUNCTION Real heating_rate(Array<Real**, ExecutionSpace> const& up,
                                           Array<Real**, ExecutionSpace> const& dn, int column, int layer) const {
    Real const gain = (up(column, layer) - dn(column, layer)) - (up(column, layer + 1) - dn(column, layer + 1));
    Real const thickness = in.pressure_lev(column, layer) - in.pressure_lev(column, layer + 1);
    return static_cast<Real>(Optics::heating_factor) * gain / thickness;
  }
};

/// Refuses arrays of other extents, and arrays that are missing where others are there that go with them.
template <class ExecutionSpace, class Real>
void check_arrays(LongwaveInput<ExecutionSpace, Real> const& input, Fluxes<ExecutionSpace, Real> const& fluxes) {
  constexpr char const* where = "Longwave::solve";
  auto const& columns = input.columns;
  auto const& clouds = input.clouds;
  Dimensions dimensions{{dimension::column, columns.ncol()},
                        {dimension::layer, columns.nlay()},
                        {dimension::level, columns.nlay() + 1},
                        {dimension::gas, ngas},
                        {dimension::band, nbnd},
                        {dimension::gpoint, ngpt}};
  if (clouds.of_layers() && clouds.of_gpoints())
    throw Error(where, "clouds are given both for layers and for g-points");
  dimensions = check_extents(where, input, dimensions);
  check_extents(where, fluxes, dimensions);
  auto const require = [&](bool needed, char const* name, auto const& view) {
    if (needed && view.size() == 0) throw Error(where, fmt::format("{} is missing", name));
  };
  bool const of_layers = clouds.of_layers();
  require(of_layers, "ice_path", clouds.ice_path);
  require(of_layers, "liquid_path", clouds.liquid_path);
  require(clouds.of_gpoints(), "ice_path_gpt", clouds.ice_path_gpt);
  require(clouds.of_gpoints(), "liquid_path_gpt", clouds.liquid_path_gpt);
  require(clouds.any(), "ice_size", clouds.ice_size);
  require(clouds.any(), "liquid_size", clouds.liquid_size);
  require(clouds.any(), "input", clouds.input);
  require(clouds.any(), "ice_optics", clouds.ice_optics);
  require(clouds.any(), "liquid_optics", clouds.liquid_optics);
  bool const clear =
      fluxes.flux_up_clear.size() > 0 || fluxes.flux_dn_clear.size() > 0 || fluxes.heating_rate_clear.size() > 0;
  require(clear, "flux_up_clear", fluxes.flux_up_clear);
  require(clear, "flux_dn_clear", fluxes.flux_dn_clear);
  require(clear, "heating_rate_clear", fluxes.heating_rate_clear);
  bool const derivative = fluxes.dflux_up_dt.size() > 0 || fluxes.dflux_up_clear_dt.size() > 0;
  require(derivative, "dflux_up_dt", fluxes.dflux_up_dt);
  require(derivative && clear, "dflux_up_clear_dt", fluxes.dflux_up_clear_dt);
  bool const bands = fluxes.flux_up_band.size() > 0 || fluxes.flux_dn_band.size() > 0;
  require(bands, "flux_up_band", fluxes.flux_up_band);
  require(bands, "flux_dn_band", fluxes.flux_dn_band);
}

/// As many teams as are sure to run at a time, without clouds or with; each goes through several columns.
template <class Model>
int teams_of_solver(typename Model::execution_space const& space) {
  using Layout = LaneLayout<Model>;
  int const ngroup = static_cast<int>(LaneOptics<Model>::groups().size());
  return std::max(Layout::template resident_teams<false>(space.concurrency(), ngroup),
                  Layout::template resident_teams<true>(space.concurrency(), ngroup));
}

/// Layer maps of the upward sweep, from a workspace or from what counts its size.
template <class Model, class Memory>
auto take_upward(Memory& memory, int nteam, LongwaveCapacity const& capacity, LongwaveTuning const& tuning) {
  using Optics = LaneOptics<Model>;
  int const nmap = Optics::has_clouds ? (tuning.transmittance == Transmittance::table ? 5 : 4) : 2;
  return memory.template take<typename Model::value_type****>(
      "upward", nteam, capacity.nlay, nmap, static_cast<int>(Optics::groups().size()) * Optics::width);
}

template <class Model>
std::size_t upward_bytes(int nteam, LongwaveCapacity const& capacity, LongwaveTuning const& tuning) {
  WorkspaceSize<typename Model::execution_space> size;
  take_upward<Model>(size, nteam, capacity, tuning);
  return size.bytes();
}

}  // namespace parhelion::fluxes::Impl

namespace parhelion::fluxes {

template <class Model>
struct Longwave<Model>::Parts {
  Model model;
  LongwaveCapacity capacity;
  LongwaveTuning tuning;
  int nteam;
  std::size_t workspace_bytes;
  Workspace<execution_space> workspace;
  NotFinite<execution_space> not_finite;
  Kokkos::View<int*, typename execution_space::memory_space> next_column = {};  ///< on a host, see LongwaveKernel
  WorkspaceArray<value_type****, execution_space> upward = {};                  ///< layer maps of the upward sweep
  Array<value_type const**, execution_space> table = {};                        ///< transmittance and source weight
  Array<Impl::LaneGroup const*, execution_space> groups = {};
  Impl::SetTable<execution_space> sets = {};
  CloudOptics<execution_space, value_type> cloud_optics = {};
};

template <class Model>
Longwave<Model>::Longwave(execution_space const& space, Model const& model, LongwaveCapacity const& capacity,
                          LongwaveTuning const& tuning) {
  std::size_t const bytes = workspace_bytes(space, capacity, tuning);
  int const nteam = Impl::teams_of_solver<Model>(space);
  m_parts = std::make_unique<Parts>(
      Parts{.model = model,
            .capacity = capacity,
            .tuning = tuning,
            .nteam = nteam,
            .workspace_bytes = bytes,
            .workspace = Workspace<execution_space>(space, Impl::upward_bytes<Model>(nteam, capacity, tuning),
                                                    "parhelion::fluxes::longwave_workspace"),
            .not_finite = NotFinite<execution_space>(space)});
  Parts& p = *m_parts;
  using Optics = Impl::LaneOptics<Model>;
  if constexpr (Optics::has_table)
    if (tuning.transmittance == Transmittance::table) p.table = make_transfer_table<execution_space, value_type>(space);

  auto const groups = Optics::groups();
  int const ngroup = static_cast<int>(groups.size());
  auto const named = [&](char const* name) { return Kokkos::view_alloc(space, std::string(name)); };
  Array<Impl::LaneGroup*, execution_space> const device_groups(named("parhelion::fluxes::lane_groups"), ngroup);
  auto const host_groups = Kokkos::create_mirror_view(device_groups);
  for (int i = 0; i < ngroup; ++i) host_groups(i) = groups[static_cast<std::size_t>(i)];
  Kokkos::deep_copy(space, device_groups, host_groups);
  space.fence("parhelion::fluxes::Longwave");
  p.groups = device_groups;
  p.sets = Impl::make_set_table<Optics>(space, groups);
  p.upward = Impl::take_upward<Model>(p.workspace, nteam, capacity, tuning);
  if constexpr (runs_on_host<execution_space>)
    p.next_column = decltype(p.next_column)(named("parhelion::fluxes::next_column"), 1);
  if constexpr (Optics::has_clouds) p.cloud_optics = make_cloud_optics<execution_space, value_type>(space);
}

template <class Model>
Longwave<Model>::Longwave(Longwave&&) noexcept = default;
template <class Model>
Longwave<Model>& Longwave<Model>::operator=(Longwave&&) noexcept = default;
template <class Model>
Longwave<Model>::~Longwave() {
  leave_if_kokkos_is_gone(m_parts);
}

template <class Model>
SolveStatus Longwave<Model>::status(execution_space const& space) {
  return m_parts->not_finite.status(space);
}

template <class Model>
std::size_t Longwave<Model>::workspace_bytes() const {
  return m_parts->workspace_bytes;
}

template <class Model>
std::size_t Longwave<Model>::workspace_bytes(execution_space const& space, LongwaveCapacity const& capacity,
                                             LongwaveTuning const& tuning) {
  using Optics = Impl::LaneOptics<Model>;
  if (capacity.nlay < 1) throw Error("Longwave", fmt::format("capacity.nlay = {}, expected at least 1", capacity.nlay));
  if (!Optics::has_table && tuning.transmittance == Transmittance::table)
    throw Error("Longwave", "the simple spectral model has no table of transmittances; use exact ones");
  std::size_t values = 0;
  if constexpr (Optics::has_clouds) values += cloud_optics_values;
  if constexpr (Optics::has_table)
    if (tuning.transmittance == Transmittance::table)
      values += 2 * (TableTransfer<execution_space, value_type>::intervals + 1);
  return Impl::upward_bytes<Model>(Impl::teams_of_solver<Model>(space), capacity, tuning) +
         values * sizeof(value_type) + Optics::groups().size() * sizeof(Impl::LaneGroup) +
         Optics::nset * Impl::SetTable<execution_space>::bytes_of_set + NotFinite<execution_space>::bytes() +
         (runs_on_host<execution_space> ? sizeof(int) : 0);
}

template <class Model>
void Longwave<Model>::solve(execution_space const& space, input_type const& input, result_type const& fluxes) {
  using Optics = Impl::LaneOptics<Model>;
  Parts const& p = *m_parts;
  auto const& columns = input.columns;
  auto const& clouds = input.clouds;
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  Impl::check_arrays(input, fluxes);
  if (nlay < 1 || nlay > p.capacity.nlay)
    throw Error("Longwave::solve",
                fmt::format("pressure_lay has {} layers, expected 1 to the {} of the capacity", nlay, p.capacity.nlay));
  if (!Optics::has_clouds &&
      (clouds.any() || columns.aerosol.size() > 0 || fluxes.dflux_up_dt.size() > 0 || fluxes.flux_up_band.size() > 0))
    throw Error("Longwave::solve", "the simple spectral model has no clouds, aerosol, derivatives or bands");
  if (ncol == 0) return;

  auto const launch = [&](auto const& transfer, auto cloudy) {
    using Kernel = Impl::LongwaveKernel<Model, std::decay_t<decltype(transfer)>, decltype(cloudy)::value>;
    using Layout = Impl::LaneLayout<Model>;
    int const ngroup = static_cast<int>(p.groups.extent(0));
    constexpr bool has_clouds = decltype(cloudy)::value;
    int const layers_per_block = p.tuning.layers_per_block > 0 ? p.tuning.layers_per_block
                                                               : Layout::template default_layers_per_block<has_clouds>;
    // A warp of a device makes 32 at a time; with clouds scratch memory is dearer.
    constexpr int states = has_clouds ? 16 : 32;
    Optics optics{p.model};
    if constexpr (Optics::has_table)
      if (p.tuning.transmittance == Transmittance::table) {
        // As the original, which extrapolates its table, wherever it is valid.
        optics.table_from = static_cast<value_type>(Model::validity.lowest_temperature);
        optics.table_to = static_cast<value_type>(Model::validity.temperature.highest);
      }
    Kernel kernel{.optics = optics,
                  .transfer = transfer,
                  .in = columns,
                  .clouds = clouds,
                  .cloud_optics = p.cloud_optics,
                  .out = fluxes,
                  .groups = p.groups,
                  .upward = WorkspaceArray<value_type****, execution_space>(p.upward.data(), p.nteam, nlay,
                                                                            Kernel::nmap, ngroup * Optics::width),
                  .not_finite = p.not_finite,
                  .next_column = p.next_column.data(),
                  .sets = p.sets,
                  .ncol = ncol,
                  .nlay = nlay,
                  .layers_per_block = layers_per_block,
                  .states_at_once = Optics::layers > 1 ? layers_per_block : std::max(layers_per_block, states),
                  .has_aerosol = columns.aerosol.size() > 0,
                  .has_lengths = clouds.decorrelation_length.size() > 0,
                  .of_layers = clouds.of_layers(),
                  .wants_clear = fluxes.flux_up_clear.size() > 0,
                  .wants_derivative = fluxes.dflux_up_dt.size() > 0,
                  .wants_bands = fluxes.flux_up_band.size() > 0};
    int const resident = Layout::template resident_teams<has_clouds>(space.concurrency(), ngroup);
    int const nteam = std::min(resident, ncol);
    auto policy =
        typename Layout::template Policy<has_clouds>(space, nteam, Layout::team_size(ngroup), Layout::vector_length);
    // Very deep blocks outgrow the fast scratch memory.
    int const bytes = static_cast<int>(kernel.team_bytes());
    kernel.scratch_level = bytes <= policy.scratch_size_max(0) ? 0 : 1;
    policy.set_scratch_size(kernel.scratch_level, Kokkos::PerTeam(bytes));
    // Nothing that a host has been given before is still under way.
    if constexpr (runs_on_host<execution_space>) p.next_column(0) = 0;
    Kokkos::parallel_for("parhelion::fluxes::longwave", light_weight(policy), kernel);
  };
  auto const with_sky = [&](auto const& transfer) {
    if constexpr (Optics::has_clouds) {
      if (clouds.any()) {
        launch(transfer, std::true_type());
        return;
      }
    }
    launch(transfer, std::false_type());
  };
  if constexpr (Optics::has_table) {
    if (p.tuning.transmittance == Transmittance::table) {
      with_sky(TableTransfer<execution_space, value_type>{p.table});
      return;
    }
  }
  with_sky(ExactTransfer{});
}

}  // namespace parhelion::fluxes

#endif
