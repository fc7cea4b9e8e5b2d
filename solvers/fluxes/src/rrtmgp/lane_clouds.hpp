// SPDX-License-Identifier: BSD-3-Clause
// Clouds with optics in tables, those of RRTMGP and of ecCKD, as the kernels see them: what a layer has for all lanes,
// a band for its lanes, and each lane. They have the interfaces of Impl::LaneClouds and Impl::ShortwaveLaneClouds.
#ifndef PARHELION_FLUXES_RRTMGP_LANE_CLOUDS_HPP
#define PARHELION_FLUXES_RRTMGP_LANE_CLOUDS_HPP

#include "clouds/lane_clouds.hpp"
#include "clouds/shortwave_lane_clouds.hpp"
#include "clouds/subcolumn_walk.hpp"
#include "lane_optics.hpp"
#include "rrtmgp/particle_tables.hpp"

#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/shortwave_clouds.hpp>

#include <cstddef>
#include <cstdint>

namespace parhelion::fluxes::rrtmgp {

using Impl::BandCloud;
using Impl::CloudAbsorption;
using Impl::LaneCloud;
using Impl::LayerCloud;
using Impl::LayerCloudiness;
using Impl::ParticleScattering;
using Impl::Subcolumns;
using Impl::SubcolumnWalk;

/// Optical depths of cloud in a band, not scaled: of the water of the layer, or of 1 kg m-2 of each kind.
template <class Real>
struct BandCloudOptics {
  LayerOptics<Real> ice;
  LayerOptics<Real> liquid;
};

/// \brief Clouds of a call and their optics. Water may be given for layers, with g-points drawn or with a mask of
///        g-points, or for each g-point.
/// \tparam CloudSet Clouds or ShortwaveClouds
template <class CloudSet, class ExecutionSpace, class Real>
struct CloudsWithOptics {
  static constexpr bool takes_masks = true;

  CloudSet clouds;
  CloudTables<ExecutionSpace, Real> optics;
  bool of_layers;        ///< whether g-points are drawn
  bool has_layer_paths;  ///< whether water is given for layers
  bool has_lengths;      ///< whether columns have decorrelation lengths

  static CloudsWithOptics of(CloudSet const& clouds, CloudTables<ExecutionSpace, Real> const& optics) {
    return {clouds, optics, clouds.of_layers(), clouds.of_layers() || clouds.has_mask(),
            clouds.decorrelation_length.size() > 0};
  }

  template <class AnyColumns>
  KOKKOS_INLINE_FUNCTION LayerCloudiness cloudiness(AnyColumns const& columns, int column, int layer) const {
    double length = default_decorrelation_length;
    if (has_lengths) length = double(clouds.decorrelation_length(column));
    return {double(clouds.fraction(column, layer)),
            is_exponential(clouds.overlap) ? Impl::layer_correlation(columns, column, layer, length) : 0};
  }

  KOKKOS_INLINE_FUNCTION bool is_given(int column) const {
    return clouds.input(column) == static_cast<int>(CloudInput::optical_depth);
  }

  KOKKOS_INLINE_FUNCTION bool is_in_mask(int column, int layer, int gpoint) const {
    return clouds.fraction_gpt(column, layer, gpoint) >= 1;
  }

  /// Whether a layer has water, where that is given for layers.
  KOKKOS_INLINE_FUNCTION bool may_have_water(int column, int layer) const {
    return !has_layer_paths || clouds.ice_path(column, layer) > 0 || clouds.liquid_path(column, layer) > 0;
  }

  /// The cloud of a layer with the water of the layer, or with 1 kg m-2 of ice and of droplets.
  KOKKOS_INLINE_FUNCTION CloudState<Real> state(int column, int layer) const {
    Real const liquid_path = has_layer_paths ? clouds.liquid_path(column, layer) : 1;
    Real const ice_path = has_layer_paths ? clouds.ice_path(column, layer) : 1;
    return optics.state(liquid_path, clouds.liquid_size(column, layer), ice_path, clouds.ice_size(column, layer));
  }

  /// \brief Optical depths of ice and of droplets in a band, or at a g-point.
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION void at_point(int column, int layer, int point, LayerOptics<Real>& ice,
                                       LayerOptics<Real>& liquid) const {
    auto const of = state(column, layer);
    ice = optics.template of_ice<scatters>(of, point);
    liquid = optics.template of_liquid<scatters>(of, point);
  }

  /// The same for a band; nothing where that is not looked at.
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION BandCloudOptics<Real> band_optics(int column, int layer, int band) const {
    BandCloudOptics<Real> result{{0, 0, 0}, {0, 0, 0}};
    if (!optics.by_gpoint && !is_given(column)) at_point<scatters>(column, layer, band, result.ice, result.liquid);
    return result;
  }

  /// \brief Optical depths of cloud of a g-point that is cloudy, with its water, not scaled.
  /// \param of_band from band_optics(), not used with tables by g-point
  template <bool scatters>
  KOKKOS_INLINE_FUNCTION LayerOptics<Real> gpoint_optics(BandCloudOptics<Real> const& of_band, int column, int layer,
                                                         int gpoint) const {
    BandCloudOptics<Real> of = of_band;
    if (optics.by_gpoint) at_point<scatters>(column, layer, gpoint, of.ice, of.liquid);
    LayerOptics<Real> result{0, 0, 0};
    auto const add = [&](LayerOptics<Real> const& kind, Real path) {
      // Where there is no ice or no water its optics may be NaN.
      if (path > 0) result += {path * kind.absorption, path * kind.scattering, path * kind.asymmetric};
    };
    add(of.ice, has_layer_paths ? Real(1) : clouds.ice_path_gpt(column, layer, gpoint));
    add(of.liquid, has_layer_paths ? Real(1) : clouds.liquid_path_gpt(column, layer, gpoint));
    return result;
  }
};

/// \brief Clouds of the longwave.
///
/// Without scattering the kernel asks for absorption() of a band and then for optical_depths() of lanes; with it, for
/// scattering() of a band and then for scattering_lanes(). Tables by g-point are looked at in the second step alone.
template <class ExecutionSpace, class Real>
struct LaneClouds : CloudsWithOptics<Clouds<ExecutionSpace, Real>, ExecutionSpace, Real> {
  using Base = CloudsWithOptics<Clouds<ExecutionSpace, Real>, ExecutionSpace, Real>;
  using Optics = CloudTables<ExecutionSpace, Real>;
  static constexpr std::size_t values = 0;  ///< that a solver holds; the tables are those of the model

  template <class Model>
  static Optics make_optics(ExecutionSpace const& /*space*/, Model const& model) {
    return model.cloud_tables();
  }

  static LaneClouds of(Clouds<ExecutionSpace, Real> const& clouds, Optics const& optics) {
    return {Base::of(clouds, optics)};
  }

  KOKKOS_INLINE_FUNCTION LayerCloud layer(Columns<ExecutionSpace, Real> const& columns, int column, int layer) const {
    bool const has_water = this->may_have_water(column, layer);
    if (!this->of_layers) return {{0, 0}, {0, 0}, has_water, has_water};
    LayerCloudiness const here = this->cloudiness(columns, column, layer);
    LayerCloudiness const above =
        layer + 1 < columns.nlay() ? this->cloudiness(columns, column, layer + 1) : LayerCloudiness(0, 0);
    return {here, above, here.has_cloud() || this->clouds.overlap == Overlap::exponential, here.has_cloud()};
  }

  KOKKOS_INLINE_FUNCTION CloudAbsorption<Real> absorption(int column, int layer, int band) const {
    auto const of = this->template band_optics<false>(column, layer, band);
    return {of.ice.absorption, of.liquid.absorption};
  }

  /// \brief Vertical optical depth of cloud for the lanes of a group.
  /// \param rank of the group's lanes, see SubcolumnWalk; goes on to this layer
  template <int width, class Group>
  KOKKOS_INLINE_FUNCTION void optical_depths(std::uint32_t* rank, LayerCloud const& cloud,
                                             CloudAbsorption<Real> const& absorption, int column, int layer,
                                             Group const& group, Real (&depth)[width]) const {
    BandCloudOptics<Real> const of_band{{absorption.ice, 0, 0}, {absorption.liquid, 0, 0}};
    bool const given = this->is_given(column);
    for (int l = 0; l < width; ++l) {
      int const gpoint = group.gpoint + l;
      bool const is_lane = width == 1 || l < group.n;
      if (!(is_lane && is_cloudy(rank[l], cloud, column, layer, gpoint)))
        depth[l] = 0;
      else if (given)
        depth[l] = this->clouds.optical_depth_gpt(column, layer, gpoint);
      else
        depth[l] = this->template gpoint_optics<false>(of_band, column, layer, gpoint).absorption;
    }
  }

  KOKKOS_INLINE_FUNCTION BandCloudOptics<Real> scattering(int column, int layer, int band) const {
    return this->template band_optics<true>(column, layer, band);
  }

  /// \brief Optical depths of cloud for the lanes of a group, not delta-scaled; arguments as for optical_depths().
  ///        Optical depths that are given are those of absorption.
  template <int width, class Group>
  KOKKOS_INLINE_FUNCTION void scattering_lanes(std::uint32_t* rank, LayerCloud const& cloud,
                                               BandCloudOptics<Real> const& of_band, int column, int layer,
                                               Group const& group, LayerOptics<Real> (&optics)[width]) const {
    bool const given = this->is_given(column);
    for (int l = 0; l < width; ++l) {
      int const gpoint = group.gpoint + l;
      bool const is_lane = width == 1 || l < group.n;
      if (!(is_lane && is_cloudy(rank[l], cloud, column, layer, gpoint)))
        optics[l] = {0, 0, 0};
      else if (given)
        optics[l] = {this->clouds.optical_depth_gpt(column, layer, gpoint), 0, 0};
      else
        optics[l] = this->template gpoint_optics<true>(of_band, column, layer, gpoint);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION bool is_cloudy(std::uint32_t& rank, LayerCloud const& cloud, int column, int layer,
                                        int gpoint) const {
    if (!this->of_layers) return this->is_in_mask(column, layer, gpoint);
    SubcolumnWalk walk{this->clouds.overlap, this->clouds.seed,
                       this->clouds.first_column + static_cast<std::uint32_t>(column),
                       static_cast<std::uint32_t>(gpoint), rank};
    bool const result = walk.is_cloudy(layer, cloud.cloudiness, cloud.above);
    rank = walk.rank;
    return result;
  }
};

/// \brief Clouds of the shortwave, delta-scaled: ice and droplets together.
template <class ExecutionSpace, class Real>
struct ShortwaveLaneClouds : CloudsWithOptics<ShortwaveClouds<ExecutionSpace, Real>, ExecutionSpace, Real> {
  using Base = CloudsWithOptics<ShortwaveClouds<ExecutionSpace, Real>, ExecutionSpace, Real>;
  using Optics = CloudTables<ExecutionSpace, Real>;
  static constexpr std::size_t values = 0;  ///< that a solver holds; the tables are those of the model

  template <class Model>
  static Optics make_optics(ExecutionSpace const& /*space*/, Model const& model) {
    return model.cloud_tables();
  }

  static ShortwaveLaneClouds of(ShortwaveClouds<ExecutionSpace, Real> const& clouds, Optics const& optics) {
    return {Base::of(clouds, optics)};
  }

  /// Draws the layers in which g-points are cloudy: see Impl::ShortwaveLaneClouds::draw().
  template <int n>
  KOKKOS_INLINE_FUNCTION void draw(LayerCloudiness const* cloudiness, int nlay, int column,
                                   std::uint32_t const (&gpoint)[n], std::uint32_t* mask, int stride) const {
    Subcolumns<n> const subcolumns{this->clouds.overlap, this->clouds.seed,
                                   this->clouds.first_column + static_cast<std::uint32_t>(column)};
    subcolumns.draw(cloudiness, nlay, gpoint, mask, stride);
  }

  KOKKOS_INLINE_FUNCTION bool may_be_cloudy(LayerCloudiness const* cloudiness, int layer) const {
    return !this->of_layers || cloudiness[layer].has_cloud() || this->clouds.overlap == Overlap::exponential;
  }

  /// Where water is given for layers its cloud is in `ice`, scaled, otherwise each kind is there for 1 kg m-2.
  KOKKOS_INLINE_FUNCTION BandCloud<Real> band(int column, int layer, int band) const {
    auto const of = this->template band_optics<true>(column, layer, band);
    if (!this->has_layer_paths || this->optics.by_gpoint) return {particles(of.ice), particles(of.liquid)};
    LayerOptics<Real> both = of.ice;
    both += of.liquid;
    auto const scaled = Impl::delta_scaled(both);
    return {{both.absorption + both.scattering, scaled.absorption, scaled.scattering, scaled.asymmetric}, {}};
  }

  KOKKOS_INLINE_FUNCTION bool has_band_clouds(int column) const {
    return this->of_layers && !this->optics.by_gpoint && !this->is_given(column);
  }

  KOKKOS_INLINE_FUNCTION LaneCloud<Real> band_cloud(BandCloud<Real> const& band) const {
    return {1, optics_of(band.ice), band.ice.extinction};
  }

  /// \param is_drawn whether the lane is cloudy, in clouds of layers
  KOKKOS_INLINE_FUNCTION LaneCloud<Real> lane(BandCloud<Real> const& band, int column, int layer, int gpoint,
                                              bool is_drawn) const {
    bool const cloudy = this->of_layers ? is_drawn : this->is_in_mask(column, layer, gpoint);
    if (!cloudy) return {0, {0, 0, 0}, 0};
    if (this->is_given(column)) return given(column, layer, gpoint);
    if (this->has_layer_paths && !this->optics.by_gpoint) return band_cloud(band);
    auto const both =
        this->template gpoint_optics<true>({optics_of(band.ice), optics_of(band.liquid)}, column, layer, gpoint);
    return {1, Impl::delta_scaled(both), both.absorption + both.scattering};
  }

 private:
  KOKKOS_INLINE_FUNCTION LaneCloud<Real> given(int column, int layer, int gpoint) const {
    Real const depth = this->clouds.optical_depth_gpt(column, layer, gpoint);
    Real const albedo = this->clouds.single_scattering_albedo_gpt(column, layer, gpoint);
    Real const asymmetry = this->clouds.asymmetry_gpt(column, layer, gpoint);
    Real const forward = this->clouds.forward_fraction_gpt(column, layer, gpoint);
    Real const scattering = depth * albedo;
    return {1, {depth * (1 - albedo), scattering * (1 - forward), scattering * (asymmetry - forward)}, depth};
  }
  KOKKOS_INLINE_FUNCTION static ParticleScattering<Real> particles(LayerOptics<Real> const& of) {
    return {of.absorption + of.scattering, of.absorption, of.scattering, of.asymmetric};
  }
  KOKKOS_INLINE_FUNCTION static LayerOptics<Real> optics_of(ParticleScattering<Real> const& of) {
    return {of.absorption, of.scattering, of.asymmetric_scattering};
  }
};

}  // namespace parhelion::fluxes::rrtmgp

#endif
