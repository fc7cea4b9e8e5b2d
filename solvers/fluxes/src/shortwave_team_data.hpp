// SPDX-License-Identifier: BSD-3-Clause
// What a team of the shortwave kernel keeps in its scratch memory.
#ifndef PARHELION_FLUXES_SHORTWAVE_TEAM_DATA_HPP
#define PARHELION_FLUXES_SHORTWAVE_TEAM_DATA_HPP

#include "clouds/shortwave_lane_clouds.hpp"
#include "shortwave_optics.hpp"
#include "team_data.hpp"
#include "two_stream.hpp"

#include <cstddef>
#include <cstdint>

namespace parhelion::fluxes::Impl {

/// The extents of ShortwaveTeamData.
struct ShortwaveTeamExtents {
  int nlay;              ///< layers of the column
  int layers_per_block;  ///< layers whose absorption terms are kept at a time
  int states_at_once;    ///< layers whose interpolation is kept at a time
  int levels_at_once;    ///< levels whose fluxes are kept at a time
  int nlane;             ///< lanes, with padding
  int npack;             ///< packs of pairs of rows of a layer or of layers side by side, for all lists
  int nlist;             ///< lists of absorption terms
  int nband;             ///< bands
  int npart;             ///< parts of the spectrum whose fluxes are summed apart
  bool has_aerosol;
};

/// \brief The arrays of a team. k counts the layers of the block from its lowest, j those whose states are kept.
template <class Optics, class Real, bool cloudy>
struct ShortwaveTeamData {
  using State = typename Optics::State;
  using Terms = typename Optics::Terms;
  using Pack = typename Terms::Pack;
  using Sun = typename Optics::Sun;
  static constexpr int side_by_side = Optics::layers;
  static constexpr int nsky = cloudy ? 2 : 1;
  static constexpr int nquantity = 3;  ///< upward, downward and direct flux

  int nk, nkk, nlane;
  int nlevel;

  unsigned char* region;              ///< (layer of the column)
  unsigned char* reference_pressure;  ///< (layer of the column)
  State* state;                       ///< (j / side_by_side)
  Terms* terms;                       ///< (list, k / side_by_side)
  Pack* packs;                        ///< pairs of the terms
  Sun* sun;                           ///< (list)
  Real* below;                        ///< reflection of all below the level (sky, {beam, diffuse}, lane)
  Real* incident;                     ///< (lane): flux that enters at the top
  Real* light;                        ///< in the downward sweep ({diffuse, direct, unscaled direct}, lane)
  Real* level;                        ///< fluxes at levels (level, quantity, lane)
  Real* partial;                      ///< their sums over some lanes (level, quantity, part, lane_multiple)
  LayerOptics<Real>* aerosol;         ///< (band, k)
  Real* gas;                          ///< on a host: optical depths (k, {absorption, Rayleigh}, lane)
  LayerCloudiness* cloudiness;        ///< (layer of the column)
  BandCloud<Real>* cloud;             ///< (band, k)
  std::uint32_t* mask;                ///< bit of each layer in which the lane is cloudy (word, lane)

  /// Takes the arrays from a TeamScratch, or counts them with a TeamScratchSize.
  template <class Scratch>
  KOKKOS_INLINE_FUNCTION ShortwaveTeamData(Scratch& scratch, ShortwaveTeamExtents const& n, bool on_host)
      : nk(n.layers_per_block), nkk(by_side(nk)), nlane(n.nlane), nlevel(n.levels_at_once) {
    region = scratch.template take<unsigned char>(n.nlay);
    reference_pressure = scratch.template take<unsigned char>(n.nlay);
    state = scratch.template take<State>(by_side(n.states_at_once));
    terms = scratch.template take<Terms>(n.nlist * nkk);
    packs = scratch.template take<Pack>(n.npack * nkk);
    sun = scratch.template take<Sun>(n.nlist);
    below = scratch.template take<Real>(nsky * 2 * nlane);
    incident = scratch.template take<Real>(nlane);
    light = scratch.template take<Real>(3 * nlane);
    level = scratch.template take<Real>(nlevel * nquantity * nlane);
    partial = scratch.template take<Real>(nlevel * nquantity * n.npart * lane_multiple);
    aerosol = n.has_aerosol ? scratch.template take<LayerOptics<Real>>(n.nband * nk) : nullptr;
    // The widest vector may begin at the last lane.
    gas = on_host ? scratch.template take<Real>(nk * 2 * nlane + Optics::width) : nullptr;
    if constexpr (cloudy) {
      cloudiness = scratch.template take<LayerCloudiness>(n.nlay);
      cloud = scratch.template take<BandCloud<Real>>(n.nband * nk);
      mask = scratch.template take<std::uint32_t>(words(n.nlay) * nlane);
    }
  }

  static std::size_t bytes(ShortwaveTeamExtents const& n, bool on_host) {
    TeamScratchSize size;
    ShortwaveTeamData const data(size, n, on_host);
    return size.bytes;
  }

  static KOKKOS_INLINE_FUNCTION int words(int nlay) { return (nlay + 31) / 32; }

  /// Groups of layers side by side.
  static KOKKOS_INLINE_FUNCTION int by_side(int layers) { return (layers + side_by_side - 1) / side_by_side; }

  KOKKOS_INLINE_FUNCTION Terms& terms_of(int list, int kk) const { return terms[list * nkk + kk]; }
  KOKKOS_INLINE_FUNCTION typename Terms::ConstPacks packs_of(Terms const& of) const {
    return {packs + of.first_pack, nkk};
  }
  KOKKOS_INLINE_FUNCTION Real* below_of(int sky) const { return below + sky * 2 * nlane; }
  KOKKOS_INLINE_FUNCTION Real* gas_of(int k) const { return gas + k * 2 * nlane; }
};

}  // namespace parhelion::fluxes::Impl

#endif
