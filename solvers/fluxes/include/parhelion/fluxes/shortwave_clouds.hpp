// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_SHORTWAVE_CLOUDS_HPP
#define PARHELION_FLUXES_SHORTWAVE_CLOUDS_HPP

#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>

#include <cstdint>
#include <type_traits>

namespace parhelion::fluxes {

/// \brief Clouds of atmospheric columns: the input of the shortwave solver beside ShortwaveColumns.
///
/// They are given for layers, and the solver draws the g-points in which a layer is cloudy; or for each g-point, like
/// RRTMG_SW's arrays of McICA; or, with the optics of RRTMGP or ecCKD, the water of layers comes with a mask of
/// g-points. The optics of RRTMGP take the effective diameter of ice as its size, those of ecCKD its effective radius;
/// ice_optics and liquid_optics do not count there.
/// The subcolumns of layers are those of the longwave: with the same seed, overlap and numbers of columns, g-point i is
/// cloudy where g-point i of the longwave is. Layer 0 is next to the surface.
///
/// \tparam Real   float, double, or one of them const
/// \tparam Layout of the arrays, as in ShortwaveColumns
template <KokkosExecutionSpace ExecutionSpace, FloatingEntry Real = double, class Layout = Kokkos::LayoutRight>
struct ShortwaveClouds {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, typename ExecutionSpace::memory_space>;
  using Index = std::conditional_t<std::is_const_v<Real>, int const, int>;

  // Clouds of layers; empty where clouds are given for g-points, except both paths beside a mask.
  View<Real**> fraction = {};     ///< cloud fraction [1], (ncol, nlay), 0..1
  View<Real**> ice_path = {};     ///< of the cloudy part of the layer [kg m-2], (ncol, nlay), >= 0
  View<Real**> liquid_path = {};  ///< of the cloudy part of the layer [kg m-2], (ncol, nlay), >= 0
  /// Distance over which overlap is lost [m], (ncol), > 0; only exponential overlaps use it. If it is empty it is
  /// default_decorrelation_length.
  View<Real*> decorrelation_length = {};
  Overlap overlap = Overlap::maximum_random;
  std::uint64_t seed = 0;          ///< of the subcolumns
  std::uint32_t first_column = 0;  ///< number of the first column among all, on which the subcolumns depend

  // Clouds of g-points; empty where clouds are given for layers. A mask is fraction_gpt alone: 1 where the g-point sees
  // the cloud of the layer, else 0.
  View<Real***> fraction_gpt = {};     ///< cloud fraction of a g-point [1], (ncol, nlay, ngpt_sw), 0..1
  View<Real***> ice_path_gpt = {};     ///< [kg m-2], (ncol, nlay, ngpt_sw), >= 0
  View<Real***> liquid_path_gpt = {};  ///< [kg m-2], (ncol, nlay, ngpt_sw), >= 0

  // Optical properties of g-points before delta scaling, where a column's input is that; all four or none.
  View<Real***> optical_depth_gpt = {};             ///< vertical [1], (ncol, nlay, ngpt_sw), >= 0
  View<Real***> single_scattering_albedo_gpt = {};  ///< [1], (ncol, nlay, ngpt_sw), 0..1
  View<Real***> asymmetry_gpt = {};                 ///< [1], (ncol, nlay, ngpt_sw), -1..1
  View<Real***> forward_fraction_gpt = {};          ///< of scattered light that counts as unscattered [1], 0..1

  // Of both.
  View<Real**> ice_size = {};       ///< as the column's IceOptics has it [m], (ncol, nlay)
  View<Real**> liquid_size = {};    ///< effective radius of droplets [m], (ncol, nlay)
  View<Index*> input = {};          ///< CloudInput, (ncol); water_path for clouds of layers
  View<Index*> ice_optics = {};     ///< IceOptics, (ncol); the shortwave has no all_bands
  View<Index*> liquid_optics = {};  ///< LiquidOptics, (ncol); the shortwave has no all_bands

  bool of_layers() const { return fraction.size() > 0; }
  bool of_gpoints() const { return fraction_gpt.size() > 0; }
  /// Whether water is given for layers, and fraction_gpt says which g-points see it.
  bool has_mask() const { return of_gpoints() && ice_path.size() > 0 && ice_path_gpt.size() == 0; }
  bool any() const { return of_layers() || of_gpoints(); }

  /// Describes the arrays, see DescribedArrays. Which of them belong together is not in the descriptions.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    for_each_array_of_cloud_water(action, sets...);
    action(ArrayDescription{.name = "optical_depth_gpt",
                            .unit = "1",
                            .meaning = "vertical optical depth of cloud of the g-point",
                            .dimensions = {column, layer, gpoint},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.optical_depth_gpt...);
    action(ArrayDescription{.name = "single_scattering_albedo_gpt",
                            .unit = "1",
                            .meaning = "single scattering albedo of cloud of the g-point",
                            .dimensions = {column, layer, gpoint},
                            .range = ranges::zero_to_one,
                            .optional = true},
           sets.single_scattering_albedo_gpt...);
    action(ArrayDescription{.name = "asymmetry_gpt",
                            .unit = "1",
                            .meaning = "asymmetry parameter of cloud of the g-point",
                            .dimensions = {column, layer, gpoint},
                            .range = minus_one_to_one,
                            .optional = true},
           sets.asymmetry_gpt...);
    action(ArrayDescription{.name = "forward_fraction_gpt",
                            .unit = "1",
                            .meaning = "fraction of the light scattered by cloud that goes straight on",
                            .dimensions = {column, layer, gpoint},
                            .range = ranges::zero_to_one,
                            .optional = true},
           sets.forward_fraction_gpt...);
    for_each_array_of_cloud_optics(action, sets...);
  }
};

/// Clouds in host memory, in double: what readers fill.
using HostShortwaveClouds = ShortwaveClouds<Kokkos::DefaultHostExecutionSpace, double>;

/// Clouds of layers whose Views are allocated and zero, except decorrelation_length, which is empty; options are
/// water_path, fu and hu_stamnes.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveClouds<ExecutionSpace, Real> make_shortwave_layer_clouds(int ncol, int nlay);

/// Clouds of g-points whose Views are allocated and zero; options as above.
/// \param ncol    columns, >= 0
/// \param nlay    layers, >= 0
/// \param optical whether optical properties of g-points are allocated, too
/// \param ngpoint g-points of the model
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveClouds<ExecutionSpace, Real> make_shortwave_gpoint_clouds(int ncol, int nlay, bool optical,
                                                                   int ngpoint = rrtmg_sw_sizes.ngpoint);

}  // namespace parhelion::fluxes

#endif
