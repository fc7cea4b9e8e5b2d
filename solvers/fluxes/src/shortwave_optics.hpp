// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SHORTWAVE_OPTICS_HPP
#define PARHELION_FLUXES_SHORTWAVE_OPTICS_HPP

#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

/// \file
/// What a model of gas optics is to the shortwave kernel. Each model has a folder of its own, in which it specialises
/// ShortwaveOptics<Model>, and there alone the kernel is compiled for it.
///
/// A lane is a g-point. All lanes of a band share their absorption terms, see AbsorptionTerms, whose second sum is
/// Rayleigh scattering. These are made for several layers at a time, side by side. ShortwaveOptics<Model> has
///
/// - width, layers: lanes that a thread handles at a time, and layers side by side;
/// - nband: bands; lanes(): their g-points and places, see ShortwaveLane;
/// - State, set_state(): what layers need for all bands, such as interpolation weights;
/// - Terms, set_terms(), pairs(band): absorption terms of a band, and the most pairs of rows that they may have;
/// - values(), stride: the rows that the terms refer to, and their distance;
/// - region(): layers whose terms can be made together have the same one, 0 or 1; reference_pressure();
/// - Sun, sun(): where the solar irradiance of a band is to be read; irradiance(): that of a lane;
/// - heat_capacity of air at constant pressure [J kg-1 K-1], and gravity [m s-2], for heating rates.
namespace parhelion::fluxes::Impl {

template <class Model>
struct ShortwaveOptics;

/// \brief A g-point in its place among the lanes: first those of the ultraviolet and visible, then those of the near
///        infrared, each followed by padding up to a multiple of `lane_multiple`; the lanes of a band are neighbours.
struct ShortwaveLane {
  int band;
  int position;  ///< in the rows of the band
  int gpoint;    ///< number among all g-points; -1: padding, with the band and the position of another lane
};

/// Lanes are summed in two steps: first those that are this far apart, and then these sums.
inline constexpr int lane_multiple = 16;

/// Where the lanes and the pairs of rows of each band lie.
template <class ExecutionSpace>
struct ShortwaveBands {
  Array<ShortwaveLane const*, ExecutionSpace> lanes;
  Array<int const*, ExecutionSpace> first_lane;  ///< (band)
  Array<int const*, ExecutionSpace> ng;          ///< (band): lanes
  Array<int const*, ExecutionSpace> first_pair;  ///< (band): most pairs of all bands before
  Array<int const*, ExecutionSpace> pairs;       ///< (band): most pairs of the band
  Array<int const*, ExecutionSpace> by_lanes;    ///< bands by their first lane
  Array<int const*, ExecutionSpace> by_pairs;    ///< bands by their number of pairs
  int npair = 0;                                 ///< most pairs of all bands
  int nlane = 0;                                 ///< with padding
  int nlane_uvvis = 0;                           ///< of the ultraviolet and visible, with padding

  static constexpr std::size_t bytes_of_band = 6 * sizeof(int);
};

/// Makes the table on the device of `space`. Fences.
template <class Optics, class ExecutionSpace>
ShortwaveBands<ExecutionSpace> make_shortwave_bands(ExecutionSpace const& space) {
  constexpr int nband = Optics::nband;
  auto const upload = [&]<class T>(char const* label, std::vector<T> const& from) {
    Array<T*, ExecutionSpace> const to(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)),
                                       from.size());
    Kokkos::deep_copy(space, to, HostArray<T const*>(from.data(), from.size()));
    space.fence("parhelion::fluxes::make_shortwave_bands");
    return to;
  };
  std::vector<int> first_lane(nband), ng(nband), first_pair(nband), pairs(nband), by_lanes(nband), by_pairs(nband);
  ShortwaveBands<ExecutionSpace> table;
  auto const lanes = Optics::lanes();
  table.nlane = static_cast<int>(lanes.size());
  for (int lane = table.nlane - 1; lane >= 0; --lane) {
    auto const& here = lanes[static_cast<std::size_t>(lane)];
    if (here.gpoint < 0) continue;
    first_lane[static_cast<std::size_t>(here.band)] = lane;
    ++ng[static_cast<std::size_t>(here.band)];
  }
  table.nlane_uvvis = Optics::nlane_uvvis();
  for (int band = 0; band < nband; ++band) {
    auto const at = static_cast<std::size_t>(band);
    by_lanes[at] = by_pairs[at] = band;
    pairs[at] = Optics::pairs(band);
    first_pair[at] = table.npair;
    table.npair += pairs[at];
  }
  auto const by = [](std::vector<int> const& key) {
    return [&key](int a, int b) { return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)]; };
  };
  std::stable_sort(by_lanes.begin(), by_lanes.end(), by(first_lane));
  std::stable_sort(by_pairs.begin(), by_pairs.end(), by(pairs));
  table.lanes = upload("parhelion::fluxes::shortwave_lanes", lanes);
  table.first_lane = upload("parhelion::fluxes::shortwave_first_lane", first_lane);
  table.ng = upload("parhelion::fluxes::shortwave_ng", ng);
  table.first_pair = upload("parhelion::fluxes::shortwave_first_pair", first_pair);
  table.pairs = upload("parhelion::fluxes::shortwave_pairs", pairs);
  table.by_lanes = upload("parhelion::fluxes::shortwave_by_lanes", by_lanes);
  table.by_pairs = upload("parhelion::fluxes::shortwave_by_pairs", by_pairs);
  return table;
}

}  // namespace parhelion::fluxes::Impl

#endif
