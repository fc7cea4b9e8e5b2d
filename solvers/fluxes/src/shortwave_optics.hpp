// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SHORTWAVE_OPTICS_HPP
#define PARHELION_FLUXES_SHORTWAVE_OPTICS_HPP

#include <parhelion/core/copies.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

/// \file
/// What a model of gas optics is to the shortwave kernel. Each model has a folder of its own, in which it specialises
/// ShortwaveOptics<Model>, and there alone the kernel is compiled for it.
///
/// A lane is a g-point. Lanes that share their absorption terms, see AbsorptionTerms, are a list: in RRTMG those of a
/// band. The further sum of the terms is Rayleigh scattering. Terms are made for several layers at a time, side by
/// side. What RRTMG knows at compile time is a static constexpr member function there, and a member function of models
/// that are read from files. ShortwaveOptics<Model> has
///
/// - width, layers: lanes that a thread handles at a time, and layers side by side;
/// - lanes(): the g-points and their places, see ShortwaveLane; nlane_uvvis(): how many of them come first;
/// - has_shares: whether lanes may belong to both parts of the spectrum; then uvvis_share(gpoint), otherwise the first
///   nlane_uvvis() lanes are of the ultraviolet and visible, and the others of the near infrared;
/// - nlist(), nband(): lists of terms, and bands of fluxes, of the surface and of aerosol;
/// - State, set_state(): what layers need for all lists, such as interpolation weights;
/// - Terms, set_terms(), pairs(list): absorption terms of a list, and the most pairs of rows that they may have;
/// - limits_sum: whether the absorption of a g-point is limited to at least 0;
/// - values(), stride(): the rows that the terms refer to, and their distance;
/// - region(): layers whose terms can be made together have the same one, 0 or 1; reference_pressure();
/// - Sun, sun(): where the solar irradiance of a list is to be read; irradiance(): that of a lane;
/// - has_gpoint_surface: whether there may be albedos of each g-point;
/// - has_aerosol_types, aerosol(): whether there may be aerosol of types with particle sizes, and its optics in a band;
/// - least_cosine: that of the zenith angle in the operators of layers;
/// - uses_levels: whether set_state() needs temperatures of levels;
/// - scales_aerosol_alone: whether aerosol is delta-scaled by itself, otherwise together with the gases;
/// - Exact: the operator of a layer, as ExactTwoStream; has_table, has_clouds: whether there may be RRTMG_SW's table
///   of transmittances, and clouds;
/// - heat_capacity of air at constant pressure [J kg-1 K-1], and gravity [m s-2], for heating rates.
namespace parhelion::fluxes::Impl {

template <class Model>
struct ShortwaveOptics;

/// \brief A g-point in its place among the lanes: first those of the ultraviolet and visible, then those of the near
///        infrared, each followed by padding up to a multiple of `lane_multiple`; the lanes of a list are neighbours,
///        and so are those of a band.
struct ShortwaveLane {
  int list;
  int position;  ///< in the rows of the list
  int gpoint;    ///< number among all g-points; -1: padding, with the list and the position of another lane
  int band;
};

/// Lanes are summed in two steps: first those that are this far apart, and then these sums.
inline constexpr int lane_multiple = 16;

/// Values on a device that others hold. A View has several times its size, and kernels may have 4 KiB at most.
template <class T>
struct DeviceValues {
  T const* values = nullptr;
  KOKKOS_INLINE_FUNCTION T const& operator()(int i) const { return values[i]; }
  KOKKOS_INLINE_FUNCTION T const* data() const { return values; }
};

/// Where the lanes of each band and list and the pairs of rows of each list lie.
template <class ExecutionSpace, class Real>
struct ShortwaveBands {
  Array<unsigned char const*, ExecutionSpace> memory;  ///< of all that follows
  DeviceValues<ShortwaveLane> lanes;
  DeviceValues<int> first_lane;    ///< (band)
  DeviceValues<int> ng;            ///< (band): lanes
  DeviceValues<int> list_lane;     ///< (list): its first lane
  DeviceValues<int> list_ng;       ///< (list): lanes
  DeviceValues<int> first_pack;    ///< (list): most packs of pairs of all lists before
  DeviceValues<int> packs;         ///< (list): most packs of the list
  DeviceValues<int> by_lanes;      ///< lists by their first lane
  DeviceValues<int> by_pairs;      ///< lists by their number of pairs
  DeviceValues<Real> uvvis_share;  ///< (lane), where lanes have shares
  int npack = 0;                   ///< most packs of all lists
  int nlane = 0;                   ///< with padding
  int nlane_uvvis = 0;             ///< of the ultraviolet and visible, with padding

  static constexpr std::size_t bytes(int nlane, int nband, int nlist, bool has_shares) {
    return static_cast<std::size_t>(nlane) * (sizeof(ShortwaveLane) + (has_shares ? sizeof(Real) : 0)) +
           static_cast<std::size_t>(2 * nband + 6 * nlist) * sizeof(int);
  }
};

/// Makes the table on the device of `space`. Fences.
template <class Real, class Optics, class ExecutionSpace>
ShortwaveBands<ExecutionSpace, Real> make_shortwave_bands(ExecutionSpace const& space, Optics const& optics) {
  auto const nband = static_cast<std::size_t>(optics.nband());
  auto const nlist = static_cast<std::size_t>(optics.nlist());
  std::vector<int> first_lane(nband), ng(nband), list_lane(nlist), list_ng(nlist);
  std::vector<int> first_pack(nlist), packs(nlist), pairs(nlist), by_lanes(nlist), by_pairs(nlist);
  ShortwaveBands<ExecutionSpace, Real> table;
  auto const lanes = optics.lanes();
  table.nlane = static_cast<int>(lanes.size());
  for (int lane = table.nlane - 1; lane >= 0; --lane) {
    auto const& here = lanes[static_cast<std::size_t>(lane)];
    if (here.gpoint < 0) continue;
    first_lane[static_cast<std::size_t>(here.band)] = lane;
    ++ng[static_cast<std::size_t>(here.band)];
    list_lane[static_cast<std::size_t>(here.list)] = lane;
    ++list_ng[static_cast<std::size_t>(here.list)];
  }
  table.nlane_uvvis = optics.nlane_uvvis();
  for (int list = 0; list < static_cast<int>(nlist); ++list) {
    auto const at = static_cast<std::size_t>(list);
    by_lanes[at] = by_pairs[at] = list;
    pairs[at] = optics.pairs(list);
    packs[at] = Optics::Terms::packs(pairs[at]);
    first_pack[at] = table.npack;
    table.npack += packs[at];
  }
  auto const by = [](std::vector<int> const& key) {
    return [&key](int a, int b) { return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)]; };
  };
  std::stable_sort(by_lanes.begin(), by_lanes.end(), by(list_lane));
  std::stable_sort(by_pairs.begin(), by_pairs.end(), by(pairs));
  Array<unsigned char*, ExecutionSpace> const memory(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::fluxes::shortwave_bands")),
      table.bytes(table.nlane, static_cast<int>(nband), static_cast<int>(nlist), Optics::has_shares));
  std::vector<unsigned char> all;
  auto const put = [&]<class T>(DeviceValues<T>& to, std::vector<T> const& from) {
    to.values = reinterpret_cast<T const*>(memory.data() + all.size());
    auto const* const first = reinterpret_cast<unsigned char const*>(from.data());
    all.insert(all.end(), first, first + from.size() * sizeof(T));
  };
  // Those of the widest alignment come first; the number of lanes is a multiple of 16.
  if constexpr (Optics::has_shares) {
    std::vector<Real> shares;
    for (auto const& lane : lanes)
      shares.push_back(lane.gpoint < 0 ? 1 : static_cast<Real>(optics.uvvis_share(lane.gpoint)));
    put(table.uvvis_share, shares);
  }
  put(table.lanes, lanes);
  put(table.first_lane, first_lane);
  put(table.ng, ng);
  put(table.list_lane, list_lane);
  put(table.list_ng, list_ng);
  put(table.first_pack, first_pack);
  put(table.packs, packs);
  put(table.by_lanes, by_lanes);
  put(table.by_pairs, by_pairs);
  copy_array(space, memory, HostArray<unsigned char const*>(all.data(), all.size()));
  space.fence("parhelion::fluxes::make_shortwave_bands");
  table.memory = memory;
  return table;
}

/// \brief Lanes of a model that is read from a file.
/// \param gpoints g-points of each list
/// \param first   position of the first g-point of each list in its rows
/// \param band_of callable (gpoint): its band
template <class BandOf>
std::vector<ShortwaveLane> make_lanes(std::vector<int> const& gpoints, std::vector<int> const& first,
                                      BandOf const& band_of) {
  std::vector<ShortwaveLane> lanes;
  int gpoint = 0;
  for (std::size_t list = 0; list < gpoints.size(); ++list)
    for (int g = 0; g < gpoints[list]; ++g, ++gpoint)
      lanes.push_back({static_cast<int>(list), first[list] + g, gpoint, band_of(gpoint)});
  ShortwaveLane padding = lanes.back();
  padding.gpoint = -1;
  while (lanes.size() % lane_multiple != 0) lanes.push_back(padding);
  return lanes;
}

}  // namespace parhelion::fluxes::Impl

#endif
