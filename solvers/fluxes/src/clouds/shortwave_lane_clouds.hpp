// SPDX-License-Identifier: BSD-3-Clause
// Clouds as the shortwave kernel sees them: what a layer has for all lanes, a band for its lanes, and each lane.
#ifndef PARHELION_FLUXES_CLOUDS_SHORTWAVE_LANE_CLOUDS_HPP
#define PARHELION_FLUXES_CLOUDS_SHORTWAVE_LANE_CLOUDS_HPP

#include "clouds/subcolumn_walk.hpp"
#include "rrtmg_sw/cloud_scattering.hpp"
#include "two_stream.hpp"

#include <parhelion/fluxes/shortwave_clouds.hpp>

namespace parhelion::fluxes::Impl {

using rrtmg_sw::AerosolScattering;
using rrtmg_sw::CloudScattering;
using rrtmg_sw::ParticleScattering;

/// Scattering by the cloud of a layer in a band, scaled: of the layer's cloud for clouds of layers (all in `ice`), for
/// each kg m-2 for clouds of g-points.
template <class Real>
struct BandCloud {
  ParticleScattering<Real> ice;
  ParticleScattering<Real> liquid;
};

/// Cloud of a lane in a layer: its fraction there, its scaled optical depths, and its optical depth before scaling.
template <class Real>
struct LaneCloud {
  Real fraction;
  LayerOptics<Real> optics;
  Real depth;
};

template <class ExecutionSpace, class Real>
struct ShortwaveLaneClouds {
  using Optics = CloudScattering<ExecutionSpace, Real>;
  static constexpr std::size_t values = rrtmg_sw::cloud_scattering_values;  ///< in its arrays
  static constexpr bool takes_masks = false;  ///< whether clouds of layers may have a mask of g-points

  ShortwaveClouds<ExecutionSpace, Real> clouds;
  Optics optics;
  bool of_layers;    ///< whether clouds are given for layers, else for g-points
  bool has_lengths;  ///< whether columns have decorrelation lengths

  template <class Model>
  static Optics make_optics(ExecutionSpace const& space, Model const&) {
    return rrtmg_sw::make_cloud_scattering<ExecutionSpace, Real>(space);
  }

  static ShortwaveLaneClouds of(ShortwaveClouds<ExecutionSpace, Real> const& clouds, Optics const& optics) {
    return {clouds, optics, clouds.of_layers(), clouds.decorrelation_length.size() > 0};
  }

  KOKKOS_INLINE_FUNCTION LayerCloudiness cloudiness(ShortwaveColumns<ExecutionSpace, Real> const& columns, int column,
                                                    int layer) const {
    double length = default_decorrelation_length;
    if (has_lengths) length = double(clouds.decorrelation_length(column));
    return {double(clouds.fraction(column, layer)),
            is_exponential(clouds.overlap) ? layer_correlation(columns, column, layer, length) : 0};
  }

  /// \brief Draws the layers in which each of `n` g-points is cloudy.
  /// \param cloudiness of each layer of the column
  /// \param mask       bit of layer % 32 in word layer / 32 of each g-point; words are `stride` apart
  template <int n>
  KOKKOS_INLINE_FUNCTION void draw(LayerCloudiness const* cloudiness, int nlay, int column,
                                   std::uint32_t const (&gpoint)[n], std::uint32_t* mask, int stride) const {
    Subcolumns<n> const subcolumns{clouds.overlap, clouds.seed,
                                   clouds.first_column + static_cast<std::uint32_t>(column)};
    subcolumns.draw(cloudiness, nlay, gpoint, mask, stride);
  }

  KOKKOS_INLINE_FUNCTION BandCloud<Real> band(int column, int layer, int band) const {
    BandCloud<Real> result{};
    if (clouds.input(column) == static_cast<int>(CloudInput::optical_depth)) return result;
    Real const ice_path = of_layers ? clouds.ice_path(column, layer) : 1;
    Real const liquid_path = of_layers ? clouds.liquid_path(column, layer) : 1;
    // Where there is no ice or no water its size may be anything.
    if (ice_path > 0)
      result.ice =
          scaled(optics.of_ice(static_cast<IceOptics>(clouds.ice_optics(column)), clouds.ice_size(column, layer), band),
                 ice_path);
    if (liquid_path > 0)
      result.liquid = scaled(optics.of_liquid(static_cast<LiquidOptics>(clouds.liquid_optics(column)),
                                              clouds.liquid_size(column, layer), band),
                             liquid_path);
    if (of_layers) {
      add(result.ice, result.liquid);
      result.liquid = {};
    }
    return result;
  }

  KOKKOS_INLINE_FUNCTION bool may_be_cloudy(LayerCloudiness const* cloudiness, int layer) const {
    return !of_layers || cloudiness[layer].has_cloud() || clouds.overlap == Overlap::exponential;
  }

  /// Whether lanes that are drawn have the cloud of their band.
  KOKKOS_INLINE_FUNCTION bool has_band_clouds(int /*column*/) const { return of_layers; }

  /// The cloud of a lane that is drawn, where that is the cloud of its band.
  KOKKOS_INLINE_FUNCTION LaneCloud<Real> band_cloud(BandCloud<Real> const& band) const {
    return {1, optics_of(band.ice), band.ice.extinction};
  }

  /// The cloud of a lane that has its own.
  KOKKOS_INLINE_FUNCTION LaneCloud<Real> lane(BandCloud<Real> const& band, int column, int layer, int gpoint,
                                              bool /*is_drawn*/) const {
    Real const fraction = clouds.fraction_gpt(column, layer, gpoint);
    // Where there is no cloud its properties may be anything.
    if (!(fraction > 0)) return {0, {0, 0, 0}, 0};
    if (clouds.input(column) == static_cast<int>(CloudInput::optical_depth)) {
      Real const depth = clouds.optical_depth_gpt(column, layer, gpoint);
      Real const albedo = clouds.single_scattering_albedo_gpt(column, layer, gpoint);
      Real const asymmetry = clouds.asymmetry_gpt(column, layer, gpoint);
      Real const forward = clouds.forward_fraction_gpt(column, layer, gpoint);
      Real const scattering = depth * albedo;
      return {fraction, {depth * (1 - albedo), scattering * (1 - forward), scattering * (asymmetry - forward)}, depth};
    }
    Real const ice = clouds.ice_path_gpt(column, layer, gpoint);
    Real const liquid = clouds.liquid_path_gpt(column, layer, gpoint);
    ParticleScattering<Real> both{};
    if (ice > 0) add(both, scaled(band.ice, ice));
    if (liquid > 0) add(both, scaled(band.liquid, liquid));
    return {fraction, optics_of(both), both.extinction};
  }

 private:
  KOKKOS_INLINE_FUNCTION static ParticleScattering<Real> scaled(ParticleScattering<Real> const& of, Real path) {
    return {of.extinction * path, of.absorption * path, of.scattering * path, of.asymmetric_scattering * path};
  }
  KOKKOS_INLINE_FUNCTION static void add(ParticleScattering<Real>& to, ParticleScattering<Real> const& more) {
    to.extinction += more.extinction;
    to.absorption += more.absorption;
    to.scattering += more.scattering;
    to.asymmetric_scattering += more.asymmetric_scattering;
  }
  KOKKOS_INLINE_FUNCTION static LayerOptics<Real> optics_of(ParticleScattering<Real> const& of) {
    return {of.absorption, of.scattering, of.asymmetric_scattering};
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
