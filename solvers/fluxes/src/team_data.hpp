// SPDX-License-Identifier: BSD-3-Clause
// What a team of the longwave kernel keeps in its scratch memory.
#ifndef PARHELION_FLUXES_TEAM_DATA_HPP
#define PARHELION_FLUXES_TEAM_DATA_HPP

#include "clouds/lane_clouds.hpp"
#include "lane_optics.hpp"

#include <parhelion/core/impl/fast_scratch.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>
#include <cstdint>

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
  int states_at_once;    ///< layers whose interpolation is kept at a time
  int nlane;             ///< lanes, with padding
  int npair;             ///< pairs of rows of a layer or of layers side by side, for all terms
  int nterms;            ///< absorption terms of a layer
  int nthread;           ///< threads of the team
  int nplanck;           ///< intervals with a Planck radiance
  int nsecant;           ///< diffusivity secants of a column
  bool fits_secants;     ///< whether there are secants of lanes
  bool keeps_surface;    ///< whether the upward radiances at the surface are kept
};

/// \brief The arrays of a team. k counts the layers of the block from its lowest, j those whose states are kept.
template <class ExecutionSpace, class Optics, class Real, bool cloudy>
struct TeamData {
  using State = typename Optics::State;
  using Terms = typename Optics::Terms;
  using Pair = typename Terms::Pair;
  static constexpr int side_by_side = Optics::layers;
  static constexpr bool waits = Optics::source == PlanckSource::level_fractions;
  static constexpr bool carries = waits || Optics::source == PlanckSource::rows;
  static constexpr int nsky = cloudy ? 2 : 1;
  /// Each thread sums its lanes in two steps: first those that are this far apart, and then these sums.
  static constexpr int npartial = runs_on_host<ExecutionSpace> ? 16 : 4;

  /// What lanes carry from a block to the next one: the source at its upper level; and, where its lowest layer waits
  /// for the Planck fraction of the layer below, that layer's optical depths of gas and of cloud and its fraction.
  enum Carried : int { source_above, gas_waiting, cloud_waiting, fraction_waiting };
  static constexpr int ncarried = waits ? 4 : 1;

  int nk, nkk, nlane;  ///< layers of a block, groups of layers side by side in it, lanes
  int nlev, nthread;   ///< levels of the column, threads of the team
  int nup;             ///< levels that `up` has room for

  unsigned char* region;              ///< (layer of the column): see LaneOptics
  State* state;                       ///< (j / side_by_side)
  Terms* terms;                       ///< (terms, k / side_by_side)
  Pair* pairs;                        ///< of the terms
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
  LayerCloud* cloud;                  ///< (j)
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
        nup(levels_up(n)) {
    int const nj = n.states_at_once;
    region = scratch.template take<unsigned char>(n.nlay);
    // The sums of the upward sweep are in the memory of the states, which it does not need.
    constexpr int state_bytes = static_cast<int>(sizeof(State));
    int const sums_bytes = nlev * nthread * static_cast<int>(sizeof(Real));
    int const nstate =
        by_side(nj) * state_bytes > sums_bytes ? by_side(nj) : (sums_bytes + state_bytes - 1) / state_bytes;
    state = scratch.template take<State>(nstate);
    sums_up = reinterpret_cast<Real*>(state);
    terms = scratch.template take<Terms>(n.nterms * nkk);
    pairs = scratch.template take<Pair>(pairs_of_block(n));
    planck_lay = scratch.template take<Real>((waits ? nk + 1 : nk) * n.nplanck);
    planck_lev = scratch.template take<Real>((nk + 1) * n.nplanck);
    secant = scratch.template take<Real>(n.nsecant);
    fitted_secant = n.fits_secants ? scratch.template take<Real>(nlane) : nullptr;
    radiance = scratch.template take<Real>(nsky * nlane);
    at_surface = n.keeps_surface ? scratch.template take<Real>(nlane) : nullptr;
    carried = carries ? scratch.template take<Real>(ncarried * nlane) : nullptr;
    down = scratch.template take<Real>(nsky * (nk + 1) * nlane);
    up = nup > nk + 1 ? reinterpret_cast<Real*>(pairs) : down;
    partial = scratch.template take<Real>(nthread * levels_of_sums() * npartial);
    sums_down = scratch.template take<Real>(nsky * nlev * nthread);
    if constexpr (cloudy) {
      cloud = scratch.template take<LayerCloud>(nj);
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

  KOKKOS_INLINE_FUNCTION Terms& terms_of(int which, int kk) const { return terms[which * nkk + kk]; }
  KOKKOS_INLINE_FUNCTION Pair const* pairs_of(Terms const& of) const { return pairs + of.first_pair; }
  KOKKOS_INLINE_FUNCTION Real* level_down(int sky, int k) const { return down + (sky * (nk + 1) + k) * nlane; }
  KOKKOS_INLINE_FUNCTION Real* radiances(int sky) const { return radiance + sky * nlane; }
  KOKKOS_INLINE_FUNCTION Real* partial_of(int thread) const { return partial + thread * levels_of_sums() * npartial; }

 private:
  /// Levels that a thread sums at a time, of all skies.
  KOKKOS_INLINE_FUNCTION int levels_of_sums() const {
    int const down_levels = nsky * (nk + 1);
    return down_levels > nup ? down_levels : nup;
  }
  static KOKKOS_INLINE_FUNCTION int pairs_of_block(TeamExtents const& n) {
    return n.npair * by_side(n.layers_per_block);
  }
  /// The upward sweep does not need the pairs: radiances at levels use their memory. On a device their sums should not
  /// need much.
  static KOKKOS_INLINE_FUNCTION int levels_up(TeamExtents const& n) {
    int const room = pairs_of_block(n) * static_cast<int>(sizeof(Pair)) / (n.nlane * static_cast<int>(sizeof(Real)));
    int const in_place = runs_on_host<ExecutionSpace> || room < 8 ? room : 8;
    int const least = n.layers_per_block + 1;
    return in_place > least ? in_place : least;
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
