// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_CLOUDS_HPP
#define PARHELION_FLUXES_CLOUDS_HPP

#include <parhelion/fluxes/subcolumns.hpp>

#include <cstdint>
#include <type_traits>

namespace parhelion::fluxes {

/// What clouds are given by; values are those of `inflglw`.
enum class CloudInput : int {
  optical_depth = 0,  ///< optical_depth of each g-point
  water_path = 2      ///< ice_path, liquid_path and the sizes of particles
};

/// \brief Describes the arrays of cloud fractions and water paths, of either range.
/// \param action see DescribedArrays
/// \param sets   with the arrays
template <class Action, class... Sets>
void for_each_array_of_cloud_water(Action const& action, Sets&... sets) {
  using namespace dimension;
  action(ArrayDescription{.name = "fraction",
                          .unit = "1",
                          .meaning = "cloud fraction",
                          .standard_name = "cloud_area_fraction_in_atmosphere_layer",
                          .dimensions = {column, layer},
                          .range = ranges::zero_to_one,
                          .optional = true},
         sets.fraction...);
  action(ArrayDescription{.name = "ice_path",
                          .unit = "kg m-2",
                          .meaning = "ice water path of the cloudy part of the layer",
                          .dimensions = {column, layer},
                          .range = ranges::not_negative,
                          .optional = true},
         sets.ice_path...);
  action(ArrayDescription{.name = "liquid_path",
                          .unit = "kg m-2",
                          .meaning = "liquid water path of the cloudy part of the layer",
                          .dimensions = {column, layer},
                          .range = ranges::not_negative,
                          .optional = true},
         sets.liquid_path...);
  action(ArrayDescription{.name = "decorrelation_length",
                          .unit = "m",
                          .meaning = "distance over which the overlap of clouds is lost",
                          .dimensions = {column},
                          .range = ranges::positive,
                          .optional = true},
         sets.decorrelation_length...);
  action(ArrayDescription{.name = "fraction_gpt",
                          .unit = "1",
                          .meaning = "cloud fraction of the g-point",
                          .dimensions = {column, layer, gpoint},
                          .range = ranges::zero_to_one,
                          .optional = true},
         sets.fraction_gpt...);
  action(ArrayDescription{.name = "ice_path_gpt",
                          .unit = "kg m-2",
                          .meaning = "ice water path of the g-point",
                          .dimensions = {column, layer, gpoint},
                          .range = ranges::not_negative,
                          .optional = true},
         sets.ice_path_gpt...);
  action(ArrayDescription{.name = "liquid_path_gpt",
                          .unit = "kg m-2",
                          .meaning = "liquid water path of the g-point",
                          .dimensions = {column, layer, gpoint},
                          .range = ranges::not_negative,
                          .optional = true},
         sets.liquid_path_gpt...);
}

/// \brief The same for sizes of particles and the choice of optics.
/// \param action see DescribedArrays
/// \param sets   with the arrays
template <class Action, class... Sets>
void for_each_array_of_cloud_optics(Action const& action, Sets&... sets) {
  using namespace dimension;
  action(ArrayDescription{.name = "ice_size",
                          .unit = "m",
                          .meaning = "size of ice particles, as the column's ice optics has it",
                          .dimensions = {column, layer},
                          .optional = true},
         sets.ice_size...);
  action(ArrayDescription{.name = "liquid_size",
                          .unit = "m",
                          .meaning = "effective radius of droplets",
                          .dimensions = {column, layer},
                          .optional = true},
         sets.liquid_size...);
  action(ArrayDescription{.name = "input",
                          .unit = "1",
                          .meaning = "what clouds are given by, as CloudInput",
                          .dimensions = {column},
                          .optional = true},
         sets.input...);
  action(ArrayDescription{.name = "ice_optics",
                          .unit = "1",
                          .meaning = "optics of ice, as IceOptics",
                          .dimensions = {column},
                          .optional = true},
         sets.ice_optics...);
  action(ArrayDescription{.name = "liquid_optics",
                          .unit = "1",
                          .meaning = "optics of droplets, as LiquidOptics",
                          .dimensions = {column},
                          .optional = true},
         sets.liquid_optics...);
}

/// \brief Clouds of atmospheric columns: the input of the longwave solver beside Columns.
///
/// They are given for layers, and the solver draws the g-points in which a layer is cloudy; or for each g-point, like
/// RRTMG_LW's arrays of McICA; or, with the optics of RRTMGP or ecCKD, the water of layers comes with a mask of
/// g-points. Layer 0 is next to the surface. Water paths and sizes have the units of the field.
///
/// The optics of RRTMGP take the effective diameter of ice as its size, those of ecCKD its effective radius; ice_optics
/// and liquid_optics do not count there.
///
/// \tparam Real   float, double, or one of them const
/// \tparam Layout of the arrays, as in Columns
template <KokkosExecutionSpace ExecutionSpace, FloatingEntry Real = double, class Layout = Kokkos::LayoutRight>
struct Clouds {
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
  /// Cloud fraction of a g-point [1], (ncol, nlay, ngpt): cloudy where it is 1, clear where less, as in RRTMG_LW.
  View<Real***> fraction_gpt = {};
  View<Real***> ice_path_gpt = {};       ///< [kg m-2], (ncol, nlay, ngpt), >= 0
  View<Real***> liquid_path_gpt = {};    ///< [kg m-2], (ncol, nlay, ngpt), >= 0
  View<Real***> optical_depth_gpt = {};  ///< absorption, vertical [1], (ncol, nlay, ngpt), >= 0; may
                                         ///< be empty where no column's input is that

  // Of both.
  View<Real**> ice_size = {};       ///< as the column's IceOptics has it [m], (ncol, nlay)
  View<Real**> liquid_size = {};    ///< effective radius of droplets [m], (ncol, nlay)
  View<Index*> input = {};          ///< CloudInput, (ncol); water_path for clouds of layers
  View<Index*> ice_optics = {};     ///< IceOptics, (ncol)
  View<Index*> liquid_optics = {};  ///< LiquidOptics, (ncol)

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
                            .meaning = "vertical absorption optical depth of cloud of the g-point",
                            .dimensions = {column, layer, gpoint},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.optical_depth_gpt...);
    for_each_array_of_cloud_optics(action, sets...);
  }
};

/// Clouds in host memory, in double: what readers fill.
using HostClouds = Clouds<Kokkos::DefaultHostExecutionSpace, double>;

/// Clouds of layers whose Views are allocated and zero, except decorrelation_length, which is empty; options are
/// water_path, fu and hu_stamnes.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Clouds<ExecutionSpace, Real> make_layer_clouds(int ncol, int nlay);

/// Clouds of g-points whose Views are allocated and zero; options as above.
/// \param ncol          columns, >= 0
/// \param nlay          layers, >= 0
/// \param optical_depth whether optical_depth_gpt is allocated, too
/// \param ngpoint       g-points of the model
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Clouds<ExecutionSpace, Real> make_gpoint_clouds(int ncol, int nlay, bool optical_depth,
                                                int ngpoint = rrtmg_sizes.ngpoint);

/// What clipping changed.
struct ClippedClouds {
  int fractions = 0;       ///< set to 0 or 1
  int water_paths = 0;     ///< negative, set to 0
  int sizes = 0;           ///< set to the nearest end of the range
  int optical_depths = 0;  ///< negative, set to 0
  /// Of the shortwave: single scattering albedos, asymmetry parameters and forward fractions, set to the nearest end.
  int optical_properties = 0;

  int all() const { return fractions + water_paths + sizes + optical_depths + optical_properties; }
};

/// \brief Checks clouds in host memory.
///
/// Sizes are checked where a cloud contains water whose optics need them. Arrays that the input of a column does not
/// use are not checked.
/// \param clouds    clouds of layers or of g-points
/// \param ncol,nlay shape of the columns that the clouds belong to
/// \throws parhelion::Error naming the array, its index, the value and the accepted range: where extents disagree, a
///         value is not finite, a fraction is not in [0, 1], a water path or optical depth is negative, a size is out
///         of the range of its optics, an option is unknown, or there are clouds of layers and of g-points
template <Floating Real>
void validate(Clouds<Kokkos::DefaultHostExecutionSpace, Real> const& clouds, int ncol, int nlay);

/// \brief The same, but finite fractions, water paths, sizes and optical depths that are out of range are set to its
///        nearest end and counted. If it throws, nothing has been changed.
/// \return how many were
template <Floating Real>
ClippedClouds clip(Clouds<Kokkos::DefaultHostExecutionSpace, Real> const& clouds, int ncol, int nlay);

/// What clip() would change, which this does not. Throws as clip() does.
template <Floating Real>
ClippedClouds count_to_clip(Clouds<Kokkos::DefaultHostExecutionSpace, Real> const& clouds, int ncol, int nlay);

}  // namespace parhelion::fluxes

#endif
