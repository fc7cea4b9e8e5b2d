// SPDX-License-Identifier: BSD-3-Clause
// What a team of the longwave kernel keeps in its scratch memory.
#ifndef PARHELION_FLUXES_TEAM_DATA_HPP
#define PARHELION_FLUXES_TEAM_DATA_HPP

#include "clouds/lane_clouds.hpp"
#include "lane_optics.hpp"

#include <parhelion/core/types.hpp>

#include <cstddef>
#include <cstdint>

namespace parhelion::fluxes::Impl {

/// Array after array of a team's scratch memory. A View over it is slower to index than a pointer.
template <class Memory>
struct TeamScratch {
  Memory const& memory;

  template <class Entry>
  KOKKOS_INLINE_FUNCTION Entry* take(int n) {
    constexpr int alignment = 64;
    return static_cast<Entry*>(memory.get_shmem_aligned(n * static_cast<int>(sizeof(Entry)), alignment));
  }
};

/// Counts what TeamScratch needs for the same arrays.
struct TeamScratchSize {
  std::size_t bytes = 0;

  template <class Entry>
  KOKKOS_INLINE_FUNCTION Entry* take(int n) {
    constexpr std::size_t alignment = 64;  // lost to alignment, at most
    bytes += static_cast<std::size_t>(n) * sizeof(Entry) + alignment;
    return nullptr;
  }
};

/// The extents of TeamData.
struct TeamExtents {
  int nlay;              ///< layers of the column
  int layers_per_block;  ///< layers whose absorption terms are kept at a time
  int states_at_once;    ///< layers whose interpolation is kept at a time
  int nlane;             ///< lanes, with padding
  int npair;             ///< pairs of rows of a layer or of layers side by side, for all lists
  int nlist;             ///< lists of absorption terms
  int nplanck;           ///< intervals with a Planck radiance
  int nsecant;           ///< diffusivity secants of a column
  bool fits_secants;     ///< whether there are secants of lanes
  bool keeps_surface;    ///< whether the upward radiances at the surface are kept
};

/// \brief The arrays of a team. k counts the layers of the block from its lowest, j those whose states are kept.
template <class Optics, class Real, bool cloudy>
struct TeamData {
  using State = typename Optics::State;
  using Terms = typename Optics::Terms;
  using Pair = typename Terms::Pair;
  static constexpr int side_by_side = Optics::layers;
  static constexpr bool waits = Optics::source == PlanckSource::level_fractions;
  static constexpr bool carries = waits || Optics::source == PlanckSource::rows;
  static constexpr int nsky = cloudy ? 2 : 1;
  /// Lanes are summed in two steps: first those that are this far apart, and then these sums.
  static constexpr int npartial = 16;

  /// What lanes carry from a block to the next one: the source at its upper level; and, where its lowest layer waits
  /// for the Planck fraction of the layer below, that layer's optical depths of gas and of cloud and its fraction.
  enum Carried : int { source_above, gas_waiting, cloud_waiting, fraction_waiting };
  static constexpr int ncarried = waits ? 4 : 1;

  int nk, nkk, nlane;  ///< layers of a block, groups of layers side by side in it, lanes
  int nup;             ///< levels that `up` has room for

  unsigned char* region;              ///< (layer of the column): see LaneOptics
  State* state;                       ///< (j / side_by_side)
  Terms* terms;                       ///< (list, k / side_by_side)
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
  Real* partial;                      ///< sums over some lanes (sky, level, npartial)
  LayerCloud* cloud;                  ///< (j)
  CloudAbsorption<Real>* absorption;  ///< of clouds (list, k)
  std::uint32_t* rank;                ///< (lane): see SubcolumnWalk

  /// Takes the arrays from a TeamScratch, or counts them with a TeamScratchSize.
  template <class Scratch>
  KOKKOS_INLINE_FUNCTION TeamData(Scratch& scratch, TeamExtents const& n)
      : nk(n.layers_per_block), nkk(by_side(nk)), nlane(n.nlane), nup(levels_up(n)) {
    int const nj = n.states_at_once;
    region = scratch.template take<unsigned char>(n.nlay);
    state = scratch.template take<State>(by_side(nj));
    terms = scratch.template take<Terms>(n.nlist * nkk);
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
    partial = scratch.template take<Real>(nsky * nup * npartial);
    if constexpr (cloudy) {
      cloud = scratch.template take<LayerCloud>(nj);
      absorption = scratch.template take<CloudAbsorption<Real>>(n.nlist * nk);
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

  KOKKOS_INLINE_FUNCTION Terms& terms_of(int list, int kk) const { return terms[list * nkk + kk]; }
  KOKKOS_INLINE_FUNCTION Real* level_down(int sky, int k) const { return down + (sky * (nk + 1) + k) * nlane; }
  KOKKOS_INLINE_FUNCTION Real* radiances(int sky) const { return radiance + sky * nlane; }

 private:
  static KOKKOS_INLINE_FUNCTION int pairs_of_block(TeamExtents const& n) {
    return n.npair * by_side(n.layers_per_block);
  }
  /// The upward sweep does not need the pairs: radiances at levels use their memory.
  static KOKKOS_INLINE_FUNCTION int levels_up(TeamExtents const& n) {
    int const in_place =
        pairs_of_block(n) * static_cast<int>(sizeof(Pair)) / (n.nlane * static_cast<int>(sizeof(Real)));
    int const least = n.layers_per_block + 1;
    return in_place > least ? in_place : least;
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
