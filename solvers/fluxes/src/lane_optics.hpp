// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LANE_OPTICS_HPP
#define PARHELION_FLUXES_LANE_OPTICS_HPP

#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

/// \file
/// What a model of gas optics is to the longwave kernel. Each model has a folder of its own, in which it specialises
/// LaneOptics<Model>, and there alone the kernel is compiled for it.
///
/// A lane is a g-point. Neighbouring lanes of one band form a group, which one thread handles at a time. All lanes of a
/// band share their absorption terms, see AbsorptionTerms. These are made for several layers at a time, side by side.
/// LaneOptics<Model> has
///
/// - width, layers: lanes of a group, and layers side by side; the groups of a band are neighbours;
/// - nband: bands; each has its own absorption terms and diffusivity secant;
/// - nplanck: intervals for which the Planck radiance is computed;
/// - State, set_state(): what layers need for all bands, such as interpolation weights;
/// - Terms, set_terms(), pairs(band): absorption terms of a band, and the most pairs of rows that they may have;
/// - values(), stride: the rows that the terms refer to, and their distance;
/// - region(): layers whose terms can be made together have the same one, a number from 0 to 255;
/// - at_temperature(), planck(), planck_derivative(), emissivity_band(): sources of an interval;
/// - WaterPath, water_path(), secant(): the diffusivity secant of a band, which may depend on precipitable water;
/// - planck_interval_per_lane: whether each lane has an interval of its own; if not, a group shares one;
/// - has_planck_fractions, has_table, has_clouds: whether g-points have shares of their interval's radiance, whether
///   there may be tables of transmittances, and whether there may be clouds, aerosol, derivatives and fluxes of bands;
/// - heat_capacity of air at constant pressure [J kg-1 K-1], and gravity [m s-2], for heating rates.
namespace parhelion::fluxes::Impl {

template <class Model>
struct LaneOptics;

/// A thread of a host fills the widest vectors with lanes of a group, or with layers.
template <class ExecutionSpace, class Real>
inline constexpr int vector_lanes = MachineTraits<ExecutionSpace>::vector_bytes > 0
                                        ? MachineTraits<ExecutionSpace>::vector_bytes / static_cast<int>(sizeof(Real))
                                        : 1;

/// Neighbouring g-points of a band that one thread handles at a time.
struct LaneGroup {
  int band;    ///< whose terms they share
  int first;   ///< position of the first in the rows of the band
  int planck;  ///< Planck interval of all of them, or of the first where each lane has its own
  int gpoint;  ///< number of the first among all g-points
  int n;       ///< lanes that are g-points; the others of the group are padding
};

/// Where the lanes and the pairs of rows of each band lie.
template <class ExecutionSpace>
struct BandTable {
  Array<int const*, ExecutionSpace> first_lane;  ///< (band)
  Array<int const*, ExecutionSpace> lanes;       ///< (band): number of lanes, with padding
  Array<int const*, ExecutionSpace> first_pair;  ///< (band): most pairs of all bands before
  Array<int const*, ExecutionSpace> pairs;       ///< (band): most pairs of the band
  Array<int const*, ExecutionSpace> order;       ///< bands by their number of pairs
  int npair = 0;                                 ///< most pairs of all bands

  static constexpr std::size_t bytes_of_band = 5 * sizeof(int);
};

/// Makes the table of bands on the device of `space`. Fences.
template <class Optics, class ExecutionSpace>
BandTable<ExecutionSpace> make_band_table(ExecutionSpace const& space, std::vector<LaneGroup> const& groups) {
  constexpr int nband = Optics::nband;
  std::vector<int> first_lane(nband), lanes(nband), first_pair(nband), pairs(nband), order(nband);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    auto const band = static_cast<std::size_t>(groups[i].band);
    if (lanes[band] == 0) first_lane[band] = static_cast<int>(i) * Optics::width;
    lanes[band] += Optics::width;
  }
  BandTable<ExecutionSpace> table;
  for (int band = 0; band < nband; ++band) {
    auto const at = static_cast<std::size_t>(band);
    order[at] = band;
    pairs[at] = Optics::pairs(band);
    first_pair[at] = table.npair;
    table.npair += pairs[at];
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return pairs[static_cast<std::size_t>(a)] < pairs[static_cast<std::size_t>(b)];
  });
  auto const upload = [&](char const* label, std::vector<int> const& from) {
    Array<int*, ExecutionSpace> const to(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)),
                                         from.size());
    Kokkos::deep_copy(space, to, HostArray<int const*>(from.data(), from.size()));
    space.fence("parhelion::fluxes::make_band_table");
    return to;
  };
  table.first_lane = upload("parhelion::fluxes::first_lane", first_lane);
  table.lanes = upload("parhelion::fluxes::lanes", lanes);
  table.first_pair = upload("parhelion::fluxes::first_pair", first_pair);
  table.pairs = upload("parhelion::fluxes::pairs", pairs);
  table.order = upload("parhelion::fluxes::order", order);
  return table;
}

}  // namespace parhelion::fluxes::Impl

#endif
