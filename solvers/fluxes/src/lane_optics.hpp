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
/// A lane is a g-point, or, with several angles, a g-point at an angle. Lanes that share their absorption terms, see
/// AbsorptionTerms, are a list: in RRTMG those of a band. Neighbouring lanes of a list form a group, which one thread
/// handles at a time. Terms are made for several layers at a time, side by side. What RRTMG knows at compile time is a
/// static constexpr member function there, and a member function of models that are read from files.
/// LaneOptics<Model> has
///
/// - width, layers: lanes of a group, and layers side by side;
/// - groups(): the groups of all lanes; those of a band are neighbours;
/// - nlist(), nband(): lists of terms; bands of fluxes and of the surface;
/// - band(gpoint): the band of a g-point; pairs(list): the most pairs of rows that the terms of a list may have;
/// - has_one_list: whether there is always just one list;
/// - State, set_state(): what layers need for all lists, such as interpolation weights;
/// - Terms, set_terms(): absorption terms of a list;
/// - values(), stride(): the rows that the terms refer to, and their distance;
/// - region(): layers whose terms can be made together have the same one, a number from 0 to 255;
/// - source, see PlanckSource, and nplanck(): intervals for which the Planck radiance is computed;
/// - at_temperature(), planck(), planck_derivative(), emissivity_band(): sources of an interval;
/// - weight(group): of the angle of a group in the fluxes, where has_angles;
/// - WaterPath, water_path(), nsecant(), secant(), secant_of(group): diffusivity secants, which may depend on
///   precipitable water; where may_fit_secants, also fits_secants and fitted_secant() of the column's optical depth;
/// - has_gpoint_surface: whether there may be emissivities of each g-point;
/// - has_aerosol_types, aerosol(): whether there may be aerosol of types, and its optics in a band;
/// - may_scatter, scattering: whether particles may scatter, and how;
/// - Exact: the transfer through a layer, as ExactTransfer;
/// - has_table, has_clouds, has_band_aerosol, has_derivative, has_bands: whether there may be tables of transmittances,
///   clouds, aerosol that is given for bands, derivatives, and fluxes of bands;
/// - heat_capacity of air at constant pressure [J kg-1 K-1], and gravity [m s-2], for heating rates.
namespace parhelion::fluxes::Impl {

template <class Model>
struct LaneOptics;

/// Where the radiance that layers and levels emit comes from.
enum class PlanckSource {
  interval,         ///< a Planck radiance of each group, times the lane's share of it, the second sum of its terms
  lane,             ///< a Planck radiance of each lane
  level_fractions,  ///< as interval; at a level the geometric mean of the shares of both layers counts
  rows  ///< second sums of its terms: of the layer's lower and of its upper level; their mean is the layer's own
};

/// A thread of a host fills the widest vectors with lanes of a group, or with layers.
template <class ExecutionSpace, class Real>
inline constexpr int vector_lanes = MachineTraits<ExecutionSpace>::vector_bytes > 0
                                        ? MachineTraits<ExecutionSpace>::vector_bytes / static_cast<int>(sizeof(Real))
                                        : 1;

/// Neighbouring g-points of a list that one thread handles at a time.
struct LaneGroup {
  int list;    ///< whose terms they share
  int first;   ///< position of the first in the rows of the list
  int planck;  ///< Planck interval of all of them, or of the first where each lane has its own
  int gpoint;  ///< number of the first among all g-points
  int n;       ///< lanes that are g-points; the others of the group are padding
  int angle = 0;
};

/// Where the lanes of each band and the pairs of rows of each list lie.
template <class ExecutionSpace>
struct BandTable {
  Array<int const*, ExecutionSpace> first_lane;  ///< (band)
  Array<int const*, ExecutionSpace> lanes;       ///< (band): number of lanes, with padding
  Array<int const*, ExecutionSpace> first_pair;  ///< (list): most pairs of all lists before
  Array<int const*, ExecutionSpace> pairs;       ///< (list): most pairs of the list
  Array<int const*, ExecutionSpace> order;       ///< lists by their number of pairs
  int npair = 0;                                 ///< most pairs of all lists

  static constexpr std::size_t bytes(int nband, int nlist) {
    return static_cast<std::size_t>(2 * nband + 3 * nlist) * sizeof(int);
  }
};

/// Makes the table of bands on the device of `space`. Fences.
template <class Optics, class ExecutionSpace>
BandTable<ExecutionSpace> make_band_table(ExecutionSpace const& space, Optics const& optics,
                                          std::vector<LaneGroup> const& groups) {
  auto const nband = static_cast<std::size_t>(optics.nband());
  auto const nlist = static_cast<std::size_t>(optics.nlist());
  std::vector<int> first_lane(nband), lanes(nband), first_pair(nlist), pairs(nlist), order(nlist);
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (int l = 0; l < Optics::width; ++l) {
      // Padding belongs to the band of the last g-point before it, and holds nothing.
      int const lane = static_cast<int>(i) * Optics::width + l;
      auto const band = static_cast<std::size_t>(optics.band(groups[i].gpoint + std::min(l, groups[i].n - 1)));
      if (lanes[band] == 0) first_lane[band] = lane;
      lanes[band] = lane - first_lane[band] + 1;
    }
  BandTable<ExecutionSpace> table;
  for (int list = 0; list < static_cast<int>(nlist); ++list) {
    auto const at = static_cast<std::size_t>(list);
    order[at] = list;
    pairs[at] = optics.pairs(list);
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

/// \brief Groups of a model that is read from a file: lists whose lanes are neighbours, at one or several angles.
/// \param gpoints g-points of each list
/// \param first   position of the first g-point of each list in its rows
inline std::vector<LaneGroup> make_groups(int width, std::vector<int> const& gpoints, std::vector<int> const& first,
                                          int angles) {
  std::vector<LaneGroup> groups;
  int gpoint = 0;
  for (std::size_t list = 0; list < gpoints.size(); ++list) {
    for (int angle = 0; angle < angles; ++angle)
      for (int g = 0; g < gpoints[list]; g += width)
        groups.push_back({static_cast<int>(list), first[list] + g, static_cast<int>(list), gpoint + g,
                          std::min(width, gpoints[list] - g), angle});
    gpoint += gpoints[list];
  }
  return groups;
}

}  // namespace parhelion::fluxes::Impl

#endif
