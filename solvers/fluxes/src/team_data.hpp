// SPDX-License-Identifier: BSD-3-Clause
// What a team of the longwave kernel keeps in its scratch memory.
#ifndef PARHELION_FLUXES_TEAM_DATA_HPP
#define PARHELION_FLUXES_TEAM_DATA_HPP

#include "clouds/lane_clouds.hpp"
#include "lane_optics.hpp"
#include "lane_table.hpp"

#include <parhelion/core/impl/fast_scratch.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parhelion::fluxes::Impl {

/// Arrays in scratch memory are aligned to so many bytes.
inline constexpr int scratch_alignment = 64;

/// The bytes that an array in scratch memory takes.
template <class Entry>
KOKKOS_INLINE_FUNCTION int scratch_bytes(int n) {
  return (n * static_cast<int>(sizeof(Entry)) + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

/// \brief Array after array of a team's scratch memory. A View over it is slower to index than a pointer.
/// \tparam is_fast whether the compiler is to know that the memory is at level 0
template <bool is_fast>
struct TeamScratch {
  char* next;

  template <class Memory>
  explicit KOKKOS_INLINE_FUNCTION TeamScratch(Memory const& memory)
      : next(static_cast<char*>(memory.get_shmem_aligned(1, scratch_alignment))) {}

  template <class Entry>
  KOKKOS_INLINE_FUNCTION Entry* take(int n) {
    auto* const entries = reinterpret_cast<Entry*>(next);
    next += scratch_bytes<Entry>(n);
    return is_fast ? parhelion::Impl::in_fast_scratch(entries) : entries;
  }
};

/// Counts what TeamScratch needs for the same arrays.
struct TeamScratchSize {
  std::size_t bytes = scratch_alignment;  // the first array is aligned, too

  template <class Entry>
  KOKKOS_INLINE_FUNCTION Entry* take(int n) {
    bytes += static_cast<std::size_t>(scratch_bytes<Entry>(n));
    return nullptr;
  }
};

/// The extents of TeamData.
struct TeamExtents {
  int nlay;              ///< layers of the column
  int layers_per_block;  ///< layers whose absorption terms are kept at a time
  int layers_of_states;  ///< layers whose states are prepared at a time, if a block has no more
  int nlane;             ///< lanes, with padding
  int level_stride;      ///< from the lanes of a level to those of the next one
  int npack;             ///< packs of pairs of rows of a layer or of layers side by side, for all terms
  int nterms;            ///< absorption terms of a layer
  int nthread;           ///< threads of the team
  int nplanck;           ///< intervals with a Planck radiance
  int nsecant;           ///< diffusivity secants of a column
  bool fits_secants;     ///< whether there are secants of lanes
  bool keeps_surface;    ///< whether the upward radiances at the surface are kept
};

/// Layers from `bottom` to before `top`, whose absorption terms are made together.
struct LayerBlock {
  int bottom, top;
  struct States {
    int bottom;  ///< lowest layer of all those whose states are prepared together
    int buffer;
  } states;
};

/// \brief The arrays of a team. k counts the layers of the block from its lowest.
template <class ExecutionSpace, class Optics, class Real, bool cloudy>
struct TeamData {
  using State = typename Optics::State;
  using Terms = typename Optics::Terms;
  using Pack = typename Terms::Pack;
  using WaterPath = typename Optics::WaterPath;
  static constexpr int side_by_side = Optics::layers;
  static constexpr bool has_water_path = !std::is_empty_v<WaterPath>;
  static constexpr bool waits = Optics::source == PlanckSource::level_fractions;
  static constexpr bool carries = waits || Optics::source == PlanckSource::rows;
  static constexpr int nsky = cloudy ? 2 : 1;
  static constexpr int npartial = partial_sums<ExecutionSpace>;

  /// What lanes carry from a block to the next one: the source at its upper level; and, where its lowest layer waits
  /// for the Planck fraction of the layer below, that layer's optical depths of gas and of cloud and its fraction.
  enum Carried : int { source_above, gas_waiting, cloud_waiting, fraction_waiting };
  static constexpr int ncarried = waits ? 4 : 1;

  int nk, nkk, nlane;  ///< layers of a block, groups of layers side by side in it, lanes
  int nlev, nthread;   ///< levels of the column, threads of the team
  int nblock;          ///< blocks whose states are prepared together
  int nbuffer;         ///< several threads prepare states of some blocks while others use those of the blocks before
  int nup;             ///< levels that `up` has room for
  int level_stride;    ///< from the lanes of a level to those of the next one in `down` and `up`

  unsigned char* region;              ///< (layer of the column): see LaneOptics; while a column is prepared
  WaterPath* water_path;              ///< (layer of the column), while a column is prepared
  unsigned short* layers_of_block;    ///< (layer of the column): of the block whose highest layer it is
  State* state;                       ///< (buffer, k / side_by_side)
  Terms* terms;                       ///< (terms, k / side_by_side)
  Pack* packs;                        ///< pairs of the terms
  Real* planck_lay;                   ///< (k, interval); also of the layer above the block, where that one waits
  Real* planck_lev;                   ///< (k, interval), one level more than layers
  Real* secant;                       ///< (secant)
  Real* fitted_secant;                ///< (lane), where there are any
  Real* radiance;                     ///< (sky, lane)
  Real* at_surface;                   ///< (lane): upward radiances there, where they are kept
  Real* carried;                      ///< (see Carried, lane)
  Real* down;                         ///< downward radiances at levels of the block (sky, level, lane)
  Real* up;                           ///< upward radiances at levels (level, lane)
  Real* partial;                      ///< sums over some lanes of a thread (thread, sky, level, npartial)
  Real* sums_down;                    ///< sums over the lanes of each thread (sky, level of the column, thread)
  Real* sums_up;                      ///< the same in the upward sweep, of one sky (level of the column, thread)
  LayerCloud* cloud;                  ///< (buffer, k)
  CloudAbsorption<Real>* absorption;  ///< of clouds (terms, k)
  std::uint32_t* rank;                ///< (lane): see SubcolumnWalk

  /// Takes the arrays from a TeamScratch, or counts them with a TeamScratchSize.
  template <class Scratch>
  KOKKOS_INLINE_FUNCTION TeamData(Scratch& scratch, TeamExtents const& n)
      : nk(n.layers_per_block),
        nkk(by_side(nk)),
        nlane(n.nlane),
        nlev(n.nlay + 1),
        nthread(n.nthread),
        nblock(n.layers_of_states > nk ? n.layers_of_states / nk : 1),
        nbuffer(n.nthread > 1 ? 2 : 1),
        nup(levels_up(n)),
        level_stride(n.level_stride) {
    layers_of_block = scratch.template take<unsigned short>(n.nlay);
    // What prepares a column, states and sums of the upward sweep are needed one after the other, and share memory.
    int const path_bytes = has_water_path ? scratch_bytes<WaterPath>(n.nlay) : 0;
    int const first_bytes = path_bytes + scratch_bytes<unsigned char>(n.nlay);
    int const sums_bytes = scratch_bytes<Real>(nlev * nthread);
    int const state_bytes = scratch_bytes<State>(nbuffer * nstate());
    int const most_bytes = first_bytes > sums_bytes ? first_bytes : sums_bytes;
    char* const shared = scratch.template take<char>(most_bytes > state_bytes ? most_bytes : state_bytes);
    water_path = reinterpret_cast<WaterPath*>(shared);
    region = shared != nullptr ? reinterpret_cast<unsigned char*>(shared + path_bytes) : nullptr;  // when counting
    state = reinterpret_cast<State*>(shared);
    sums_up = reinterpret_cast<Real*>(shared);
    terms = scratch.template take<Terms>(n.nterms * nkk);
    packs = scratch.template take<Pack>(packs_of_block(n));
    planck_lay = scratch.template take<Real>((waits ? nk + 1 : nk) * n.nplanck);
    planck_lev = scratch.template take<Real>((nk + 1) * n.nplanck);
    secant = scratch.template take<Real>(n.nsecant);
    fitted_secant = n.fits_secants ? scratch.template take<Real>(nlane) : nullptr;
    radiance = scratch.template take<Real>(nsky * nlane);
    at_surface = n.keeps_surface ? scratch.template take<Real>(nlane) : nullptr;
    carried = carries ? scratch.template take<Real>(ncarried * nlane) : nullptr;
    down = scratch.template take<Real>(nsky * (nk + 1) * level_stride);
    up = nup > nk + 1 ? reinterpret_cast<Real*>(packs) : down;
    partial = scratch.template take<Real>(nthread * levels_of_sums() * npartial);
    sums_down = scratch.template take<Real>(nsky * nlev * nthread);
    if constexpr (cloudy) {
      cloud = scratch.template take<LayerCloud>(nbuffer * nstate() * side_by_side);
      absorption = scratch.template take<CloudAbsorption<Real>>(n.nterms * nk);
      rank = scratch.template take<std::uint32_t>(nlane);
    }
  }

  static std::size_t bytes(TeamExtents const& n) {
    TeamScratchSize size;
    TeamData const data(size, n);
    return size.bytes;
  }

  /// Groups of layers side by side.
  static KOKKOS_INLINE_FUNCTION int by_side(int layers) { return (layers + side_by_side - 1) / side_by_side; }

  /// From the lowest layer of a block on.
  KOKKOS_INLINE_FUNCTION State* states(LayerBlock const& of) const {
    return state + of.states.buffer * nstate() + (of.bottom - of.states.bottom) / side_by_side;
  }
  KOKKOS_INLINE_FUNCTION LayerCloud* clouds(LayerBlock const& of) const {
    return cloud + of.states.buffer * nstate() * side_by_side + of.bottom - of.states.bottom;
  }
  KOKKOS_INLINE_FUNCTION Terms& terms_of(int which, int kk) const { return terms[which * nkk + kk]; }
  KOKKOS_INLINE_FUNCTION typename Terms::ConstPacks packs_of(Terms const& of) const {
    return {packs + of.first_pack, nkk};
  }
  KOKKOS_INLINE_FUNCTION Real* level_down(int sky, int k) const { return down + (sky * (nk + 1) + k) * level_stride; }
  KOKKOS_INLINE_FUNCTION Real* radiances(int sky) const { return radiance + sky * nlane; }
  KOKKOS_INLINE_FUNCTION Real* partial_of(int thread) const { return partial + thread * levels_of_sums() * npartial; }

 private:
  /// States of a buffer.
  KOKKOS_INLINE_FUNCTION int nstate() const { return nkk * nblock; }
  /// Levels that a thread sums at a time, of all skies.
  KOKKOS_INLINE_FUNCTION int levels_of_sums() const {
    int const down_levels = nsky * (nk + 1);
    return down_levels > nup ? down_levels : nup;
  }
  static KOKKOS_INLINE_FUNCTION int packs_of_block(TeamExtents const& n) {
    return n.npack * by_side(n.layers_per_block);
  }
  /// The upward sweep does not need the pairs: radiances at levels use their memory. On a device their sums should not
  /// need much.
  static KOKKOS_INLINE_FUNCTION int levels_up(TeamExtents const& n) {
    int const room =
        packs_of_block(n) * static_cast<int>(sizeof(Pack)) / (n.level_stride * static_cast<int>(sizeof(Real)));
    int const in_place = runs_on_host<ExecutionSpace> || room < 8 ? room : 8;
    int const least = n.layers_per_block + 1;
    return in_place > least ? in_place : least;
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
