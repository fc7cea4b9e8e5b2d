// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_LANE_OPTICS_HPP
#define PARHELION_FLUXES_LANE_OPTICS_HPP

#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>

#include <algorithm>
#include <cstddef>
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
/// - values(), stride(): the rows that the terms refer to, and their distance, an int or a ConstantStride;
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
  int terms = 0;  ///< which terms of the team they use, see ThreadLanes
};

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
