// SPDX-License-Identifier: BSD-3-Clause
// Clouds as the longwave kernel sees them: what a layer has for all lanes, a band for its lanes, and each lane.
#ifndef PARHELION_FLUXES_CLOUDS_LANE_CLOUDS_HPP
#define PARHELION_FLUXES_CLOUDS_LANE_CLOUDS_HPP

#include "clouds/cloud_absorption.hpp"
#include "clouds/subcolumn_walk.hpp"
#include "lane_optics.hpp"

#include <parhelion/fluxes/clouds.hpp>

#include <cstdint>

namespace parhelion::fluxes::Impl {

/// Cloud of a layer. Its two cloudinesses are used only for clouds of layers, whose subcolumns the kernel draws.
struct LayerCloud {
  LayerCloudiness cloudiness;
  LayerCloudiness above;
  bool any;        ///< whether subcolumns are drawn or looked at here
  bool has_cloud;  ///< whether a g-point may be cloudy
};

/// Absorption by cloud in a band: in clouds of layers `ice` is the optical depth of the layer's cloud, and `liquid` is
/// 0; in clouds of g-points both are optical depths for each g m-2, the unit of the tables.
template <class Real>
struct CloudAbsorption {
  Real ice;
  Real liquid;
};

template <class ExecutionSpace, class Real>
struct LaneClouds {
  // Water paths and sizes of Clouds, in kg m-2 and m, become those of the tables where they are read.
  static constexpr Real g_per_kg = static_cast<Real>(1e3);
  static constexpr Real um_per_m = static_cast<Real>(1e6);

  using Optics = CloudOptics<ExecutionSpace, Real>;
  static constexpr std::size_t values = cloud_optics_values;  ///< in its arrays
  static constexpr bool takes_masks = false;                  ///< whether clouds of layers may have a mask of g-points

  Clouds<ExecutionSpace, Real> clouds;
  Optics optics;
  bool of_layers;    ///< whether clouds are given for layers, else for g-points
  bool has_lengths;  ///< whether columns have decorrelation lengths

  template <class Model>
  static Optics make_optics(ExecutionSpace const& space, Model const&) {
    return make_cloud_optics<ExecutionSpace, Real>(space);
  }

  static LaneClouds of(Clouds<ExecutionSpace, Real> const& clouds, Optics const& optics) {
    return {clouds, optics, clouds.of_layers(), clouds.decorrelation_length.size() > 0};
  }

  KOKKOS_INLINE_FUNCTION LayerCloud layer(Columns<ExecutionSpace, Real> const& columns, int column, int layer) const {
    if (!of_layers) return {{0, 0}, {0, 0}, true, true};
    LayerCloudiness const here = cloudiness(columns, column, layer);
    LayerCloudiness const above =
        layer + 1 < columns.nlay() ? cloudiness(columns, column, layer + 1) : LayerCloudiness(0, 0);
    return {here, above, here.has_cloud() || clouds.overlap == Overlap::exponential, here.has_cloud()};
  }

  KOKKOS_INLINE_FUNCTION CloudAbsorption<Real> absorption(int column, int layer, int band) const {
    if (clouds.input(column) == static_cast<int>(CloudInput::optical_depth)) return {0, 0};
    Real const ice_path = of_layers ? g_per_kg * clouds.ice_path(column, layer) : 1;
    Real const liquid_path = of_layers ? g_per_kg * clouds.liquid_path(column, layer) : 1;
    // Where there is no ice or no water its size may be anything.
    Real const ice = ice_path > 0 ? ice_path * optics.of_ice(static_cast<IceOptics>(clouds.ice_optics(column)),
                                                             um_per_m * clouds.ice_size(column, layer), band)
                                  : 0;
    Real const liquid = liquid_path > 0
                            ? liquid_path * optics.of_liquid(static_cast<LiquidOptics>(clouds.liquid_optics(column)),
                                                             um_per_m * clouds.liquid_size(column, layer), band)
                            : 0;
    return of_layers ? CloudAbsorption<Real>{ice + liquid, 0} : CloudAbsorption<Real>{ice, liquid};
  }

  /// \brief Vertical optical depth of cloud for the lanes of a group.
  /// \param rank of the group's lanes, see SubcolumnWalk; goes on to this layer
  template <int width>
  KOKKOS_INLINE_FUNCTION void optical_depths(std::uint32_t* rank, LayerCloud const& cloud,
                                             CloudAbsorption<Real> const& absorption, int column, int layer,
                                             LaneGroup const& group, Real (&depth)[width]) const {
    if (of_layers) {
      for (int l = 0; l < width; ++l) depth[l] = 0;
      for (int l = 0; l < (width > 1 ? group.n : 1); ++l) {
        SubcolumnWalk walk{clouds.overlap, clouds.seed, clouds.first_column + static_cast<std::uint32_t>(column),
                           static_cast<std::uint32_t>(group.gpoint + l), rank[l]};
        depth[l] = walk.is_cloudy(layer, cloud.cloudiness, cloud.above) ? absorption.ice : 0;
        rank[l] = walk.rank;
      }
      return;
    }
    bool const given = clouds.input(column) == static_cast<int>(CloudInput::optical_depth);
    for (int l = 0; l < width; ++l) {
      int const g = group.gpoint + (l < group.n ? l : 0);
      bool const is_cloudy = clouds.fraction_gpt(column, layer, g) == 1;
      Real const ice = given ? 0 : g_per_kg * clouds.ice_path_gpt(column, layer, g);
      Real const liquid = given ? 0 : g_per_kg * clouds.liquid_path_gpt(column, layer, g);
      // Where there is no ice or no water its absorption may be NaN.
      Real const of_paths = (ice > 0 ? ice * absorption.ice : 0) + (liquid > 0 ? liquid * absorption.liquid : 0);
      depth[l] = !is_cloudy ? 0 : given ? clouds.optical_depth_gpt(column, layer, g) : of_paths;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION LayerCloudiness cloudiness(Columns<ExecutionSpace, Real> const& columns, int column,
                                                    int layer) const {
    double length = default_decorrelation_length;
    if (has_lengths) length = double(clouds.decorrelation_length(column));
    return {double(clouds.fraction(column, layer)),
            is_exponential(clouds.overlap) ? layer_correlation(columns, column, layer, length) : 0};
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
