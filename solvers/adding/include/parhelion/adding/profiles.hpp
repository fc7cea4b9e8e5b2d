// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_PROFILES_HPP
#define PARHELION_ADDING_PROFILES_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

/// Names of dimensions of these solvers only.
namespace parhelion::dimension {
inline constexpr std::string_view angle_in = "angle_in";  ///< incoming angles
inline constexpr std::string_view angle_in_and_sun =
    "angle_in_and_sun";                               ///< incoming angles and, last, that of the sun
inline constexpr std::string_view matrix = "matrix";  ///< phase matrices
}  // namespace parhelion::dimension

namespace parhelion::adding {

/// \brief Values of many profiles: the profile is the first index and contiguous.
///
/// Neighbouring lanes of a kernel process neighbouring profiles, so that their loads are contiguous on every device.
/// The equivalent Fortran array has the same indices in the same order.
template <class DataType, KokkosExecutionSpace ExecutionSpace>
using ProfileArray = Kokkos::View<DataType, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>;

/// \brief The optical properties of profiles.
///
/// Layer 0 is next to the surface; levels k and k + 1 bound layer k. Angles are directions of one hemisphere, given by
/// mu, the cosine of the zenith angle, with quadrature weights that sum to 1; at an angle of weight 0
/// the radiance is computed, but it does not contribute to other angles. In matrices the first angle is the outgoing
/// one. Planck radiances and all radiances have the same unit, which the caller chooses. Members that are not needed
/// are empty.
///
/// \tparam Real precision of the values
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Profiles {
  /// Vertical extinction optical depth of the layer [1], (profile, layer), >= 0.
  ProfileArray<Real const**, ExecutionSpace> optical_depth = {};
  /// Instead of optical_depth, without scattering only: transmittance along the angle [1], (profile, layer, angle),
  /// in [0, 1].
  ProfileArray<Real const***, ExecutionSpace> transmittance = {};
  /// Planck radiance of the layer, (profile, layer), >= 0.
  ProfileArray<Real const**, ExecutionSpace> planck = {};
  /// Cosine of the zenith angle [1], (profile or 1 for all, angle), in (0, 1].
  ProfileArray<Real const**, ExecutionSpace> mu = {};

  /// Planck radiance of the surface, (profile), >= 0.
  ProfileArray<Real const*, ExecutionSpace> planck_sfc = {};
  /// Emissivity of the surface [1], (profile, angle), in [0, 1].
  ProfileArray<Real const**, ExecutionSpace> emissivity = {};
  /// Specular reflectivity of the surface [1], (profile, angle), in [0, 1]. Empty: none.
  ProfileArray<Real const**, ExecutionSpace> specular_reflectivity = {};
  /// Any other reflectivity of the surface [1], (profile, angle out, angle in): radiance out = sum over angles in of
  /// reflectivity * radiance in, the quadrature weights included. Empty: none. Not together with the specular one.
  ProfileArray<Real const***, ExecutionSpace> reflectivity = {};
  /// Radiance from all directions at the top (cosmic background), (profile), >= 0. Empty: none.
  ProfileArray<Real const*, ExecutionSpace> cosmic = {};

  /// Cosine of the sun's zenith angle [1], (profile), in (0, 1]. Empty, as the next two: no sun.
  ProfileArray<Real const*, ExecutionSpace> cos_sun = {};
  /// Irradiance of the sun on a plane across its beam, at the top, pi times the unit of the radiances, (profile), >= 0.
  ProfileArray<Real const*, ExecutionSpace> solar_irradiance = {};
  /// Reflectivity for the sun's beam [1], (profile, angle): pi times the reflected radiance over the irradiance.
  ProfileArray<Real const**, ExecutionSpace> direct_reflectivity = {};

  // With scattering.
  /// Quadrature weight of the angle [1], (profile or 1 for all, angle), sums to 1.
  ProfileArray<Real const**, ExecutionSpace> weight = {};
  /// Single-scattering albedo of the layer [1], (profile, layer), in [0, 1].
  ProfileArray<Real const**, ExecutionSpace> single_scattering_albedo = {};
  /// The phase matrix of the layer, (profile, layer): an index into the second dimension of the next two arrays, or -1
  /// for a layer without scattering.
  ProfileArray<int const**, ExecutionSpace> phase = {};
  /// Phase matrices for scattering into the same hemisphere and into the other one [1], row-major in memory:
  /// (profile, matrix, angle out, angle in). The last incoming angle, in addition to the others, is the sun's.
  /// sum over angles in of (forward + backward) * weight = 1.
  Array<Real const****, ExecutionSpace> phase_forward = {};
  Array<Real const****, ExecutionSpace> phase_backward = {};

  KOKKOS_INLINE_FUNCTION int nprofile() const { return static_cast<int>(planck.extent(0)); }
  KOKKOS_INLINE_FUNCTION int nlay() const { return static_cast<int>(planck.extent(1)); }
  KOKKOS_INLINE_FUNCTION int nlev() const { return nlay() + 1; }
  KOKKOS_INLINE_FUNCTION int nangle() const { return static_cast<int>(emissivity.extent(1)); }
  /// Phase matrices of a profile.
  KOKKOS_INLINE_FUNCTION int nphase() const { return static_cast<int>(phase_forward.extent(1)); }
  KOKKOS_INLINE_FUNCTION bool scatters() const { return single_scattering_albedo.size() > 0; }

  /// Describes the arrays, see DescribedArrays. They do not say which optional arrays belong together.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    action(ArrayDescription{.name = "optical_depth",
                            .unit = "1",
                            .meaning = "vertical extinction optical depth of the layer",
                            .dimensions = {profile, layer},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.optical_depth...);
    action(ArrayDescription{.name = "transmittance",
                            .unit = "1",
                            .meaning = "transmittance of the layer along the angle",
                            .dimensions = {profile, layer, angle},
                            .range = ranges::zero_to_one,
                            .optional = true},
           sets.transmittance...);
    action(ArrayDescription{.name = "planck",
                            .unit = "radiance",
                            .meaning = "Planck radiance of the layer",
                            .dimensions = {profile, layer},
                            .range = ranges::not_negative},
           sets.planck...);
    action(ArrayDescription{.name = "mu",
                            .unit = "1",
                            .meaning = "cosine of the zenith angle",
                            .dimensions = {profile, angle},
                            .range = ranges::above_zero_to_one,
                            .optional = true,
                            .may_be_one = 0b1},
           sets.mu...);
    action(ArrayDescription{.name = "weight",
                            .unit = "1",
                            .meaning = "quadrature weight of the angle",
                            .dimensions = {profile, angle},
                            .range = ranges::zero_to_one,
                            .optional = true,
                            .may_be_one = 0b1},
           sets.weight...);
    action(ArrayDescription{.name = "planck_sfc",
                            .unit = "radiance",
                            .meaning = "Planck radiance of the surface",
                            .dimensions = {profile},
                            .range = ranges::not_negative},
           sets.planck_sfc...);
    action(ArrayDescription{.name = "emissivity",
                            .unit = "1",
                            .meaning = "emissivity of the surface",
                            .dimensions = {profile, angle},
                            .range = ranges::zero_to_one},
           sets.emissivity...);
    action(ArrayDescription{.name = "specular_reflectivity",
                            .unit = "1",
                            .meaning = "specular reflectivity of the surface",
                            .dimensions = {profile, angle},
                            .range = ranges::zero_to_one,
                            .optional = true},
           sets.specular_reflectivity...);
    action(ArrayDescription{.name = "reflectivity",
                            .unit = "1",
                            .meaning = "reflectivity of the surface, with the quadrature weights",
                            .dimensions = {profile, angle, angle_in},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.reflectivity...);
    action(ArrayDescription{.name = "cosmic",
                            .unit = "radiance",
                            .meaning = "radiance that enters at the top from all directions",
                            .dimensions = {profile},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.cosmic...);
    action(ArrayDescription{.name = "solar_irradiance",
                            .unit = "radiance sr",
                            .meaning = "irradiance of the sun on a plane across its beam at the top",
                            .dimensions = {profile},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.solar_irradiance...);
    // No range: without the sun its angle is arbitrary.
    action(ArrayDescription{.name = "cos_sun",
                            .unit = "1",
                            .meaning = "cosine of the zenith angle of the sun",
                            .dimensions = {profile},
                            .optional = true},
           sets.cos_sun...);
    action(ArrayDescription{.name = "direct_reflectivity",
                            .unit = "1",
                            .meaning = "pi times the reflected radiance of the sun's beam over its irradiance",
                            .dimensions = {profile, angle},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.direct_reflectivity...);
    action(ArrayDescription{.name = "single_scattering_albedo",
                            .unit = "1",
                            .meaning = "single-scattering albedo of the layer",
                            .dimensions = {profile, layer},
                            .range = ranges::zero_to_one,
                            .optional = true},
           sets.single_scattering_albedo...);
    action(ArrayDescription{.name = "phase",
                            .unit = "1",
                            .meaning = "phase matrix of the layer, -1: none",
                            .dimensions = {profile, layer},
                            .range = {.lowest = -1},
                            .optional = true},
           sets.phase...);
    action(ArrayDescription{.name = "phase_forward",
                            .unit = "1",
                            .meaning = "phase matrix of scattering into the same hemisphere",
                            .dimensions = {profile, matrix, angle, angle_in_and_sun},
                            .range = ranges::not_negative,
                            .optional = true,
                            .may_be_one = 0b1},
           sets.phase_forward...);
    action(ArrayDescription{.name = "phase_backward",
                            .unit = "1",
                            .meaning = "phase matrix of scattering into the other hemisphere",
                            .dimensions = {profile, matrix, angle, angle_in_and_sun},
                            .range = ranges::not_negative,
                            .optional = true,
                            .may_be_one = 0b1},
           sets.phase_backward...);
  }
};

/// \brief Radiances, in the unit of the Planck radiances. Empty members are not computed.
///
/// Upward and downward radiances are positive. Level 0 is the surface. Downward radiances do not include the direct
/// beam of the sun.
///
/// \tparam Layout of the arrays, by default that of the solvers
template <KokkosExecutionSpace ExecutionSpace, Floating Real, class Layout = Kokkos::LayoutLeft>
struct Radiances {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, typename ExecutionSpace::memory_space>;

  /// Upward radiance at the top, (profile, angle).
  View<Real**> toa = {};
  /// Upward and downward radiance at every level, (profile, level, angle).
  View<Real***> up = {};
  View<Real***> dn = {};
  /// Emergent upward radiance of everything below each level, without radiation from above except the attenuated beam
  /// of the sun, (profile, level, angle): CRTM's upward radiance. At the top it is `toa`, which includes the radiance
  /// from space.
  View<Real***> up_emergent = {};

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    action(ArrayDescription{.name = "toa",
                            .unit = "radiance",
                            .meaning = "upward radiance at the top",
                            .dimensions = {profile, angle},
                            .optional = true},
           sets.toa...);
    action(ArrayDescription{.name = "up",
                            .unit = "radiance",
                            .meaning = "upward radiance, positive upward",
                            .dimensions = {profile, level, angle},
                            .optional = true},
           sets.up...);
    action(ArrayDescription{.name = "dn",
                            .unit = "radiance",
                            .meaning = "downward radiance without the sun's direct beam, positive downward",
                            .dimensions = {profile, level, angle},
                            .optional = true},
           sets.dn...);
    action(ArrayDescription{.name = "up_emergent",
                            .unit = "radiance",
                            .meaning = "emergent upward radiance of everything below the level, without radiation from "
                                       "above except the sun's beam; at the top the upward radiance",
                            .dimensions = {profile, level, angle},
                            .optional = true},
           sets.up_emergent...);
  }
};

/// \brief A small change of the profiles. With the name Gradient, the derivative of a scalar with respect to them.
///
/// Shapes are those of Profiles, except that each profile has its own phase matrices: (profile, matrix, angle out,
/// angle in). Empty members of a perturbation count as 0; empty members of a gradient are not computed.
///
/// \tparam Layout of the arrays, by default that of the solvers, with row-major phase matrices
template <KokkosExecutionSpace ExecutionSpace, Floating Real, class Layout = Kokkos::LayoutLeft>
struct Perturbation {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, typename ExecutionSpace::memory_space>;
  using Matrices =
      Kokkos::View<Real****,
                   std::conditional_t<std::is_same_v<Layout, Kokkos::LayoutLeft>, Kokkos::LayoutRight, Layout>,
                   typename ExecutionSpace::memory_space>;

  View<Real**> optical_depth = {};
  View<Real***> transmittance = {};
  View<Real**> planck = {};
  View<Real*> planck_sfc = {};
  View<Real**> emissivity = {};
  View<Real***> reflectivity = {};  ///< also if the profiles have the specular one
  View<Real**> direct_reflectivity = {};
  View<Real**> single_scattering_albedo = {};
  Matrices phase_forward = {};
  Matrices phase_backward = {};

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    for_each_array_as<false>(action, sets...);
  }

  /// \brief The same with the names that they have as a perturbation or as a derivative.
  ///
  /// These are the names of the arrays of Profiles with perturbation_prefix or derivative_prefix. Derivatives have the
  /// unit of the radiance over that of the array.
  template <bool derivative, class Action, class... Sets>
  static void for_each_array_as(Action const& action, Sets&... sets) {
    using namespace dimension;
    constexpr std::string_view by_number = derivative ? "radiance" : "1";
    constexpr std::string_view by_radiance = derivative ? "1" : "radiance";
    auto const describe = [](std::string_view as_perturbation, std::string_view as_derivative, std::string_view unit,
                             std::array<std::string_view, max_array_rank> const& dimensions) {
      return ArrayDescription{
          .name = derivative ? as_derivative : as_perturbation,
          .unit = unit,
          .meaning = derivative ? "derivative of the weighted sum of upward radiances at the top" : "perturbation",
          .dimensions = dimensions,
          .optional = true};
    };
    action(describe("perturbation_of_optical_depth", "derivative_by_optical_depth", by_number, {profile, layer}),
           sets.optical_depth...);
    action(describe("perturbation_of_transmittance", "derivative_by_transmittance", by_number, {profile, layer, angle}),
           sets.transmittance...);
    action(describe("perturbation_of_planck", "derivative_by_planck", by_radiance, {profile, layer}), sets.planck...);
    action(describe("perturbation_of_planck_sfc", "derivative_by_planck_sfc", by_radiance, {profile}),
           sets.planck_sfc...);
    action(describe("perturbation_of_emissivity", "derivative_by_emissivity", by_number, {profile, angle}),
           sets.emissivity...);
    action(
        describe("perturbation_of_reflectivity", "derivative_by_reflectivity", by_number, {profile, angle, angle_in}),
        sets.reflectivity...);
    action(describe("perturbation_of_direct_reflectivity", "derivative_by_direct_reflectivity", by_number,
                    {profile, angle}),
           sets.direct_reflectivity...);
    action(describe("perturbation_of_single_scattering_albedo", "derivative_by_single_scattering_albedo", by_number,
                    {profile, layer}),
           sets.single_scattering_albedo...);
    action(describe("perturbation_of_phase_forward", "derivative_by_phase_forward", by_number,
                    {profile, matrix, angle, angle_in_and_sun}),
           sets.phase_forward...);
    action(describe("perturbation_of_phase_backward", "derivative_by_phase_backward", by_number,
                    {profile, matrix, angle, angle_in_and_sun}),
           sets.phase_backward...);
  }
};

/// The derivative of a scalar with respect to profiles, with the shapes of a Perturbation.
template <KokkosExecutionSpace ExecutionSpace, Floating Real, class Layout = Kokkos::LayoutLeft>
using Gradient = Perturbation<ExecutionSpace, Real, Layout>;

/// The prefixes of the described names of the arrays of a Perturbation and of a Gradient.
inline constexpr std::string_view perturbation_prefix = "perturbation_of_";
inline constexpr std::string_view derivative_prefix = "derivative_by_";

/// The input of the solvers of radiances.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct AddingInput {
  Profiles<ExecutionSpace, Real> profiles = {};
  /// The direction of the tangent-linear radiances, if these are computed; empty members count as 0.
  Perturbation<ExecutionSpace, Real> perturbation = {};
  /// Weights of the sum of upward radiances at the top whose derivatives are computed, (profile, angle).
  ProfileArray<Real const**, ExecutionSpace> adjoint_toa = {};

  AddingInput() = default;
  AddingInput(Profiles<ExecutionSpace, Real> the_profiles, Perturbation<ExecutionSpace, Real> the_perturbation = {},
              ProfileArray<Real const**, ExecutionSpace> the_adjoint_toa = {})
      : profiles(std::move(the_profiles)),
        perturbation(std::move(the_perturbation)),
        adjoint_toa(std::move(the_adjoint_toa)) {}

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    Profiles<ExecutionSpace, Real>::for_each_array(action, sets.profiles...);
    Perturbation<ExecutionSpace, Real>::for_each_array(action, sets.perturbation...);
    action(ArrayDescription{.name = "adjoint_toa",
                            .unit = "1",
                            .meaning =
                                "weight of the upward radiance at the top in the sum whose derivatives are computed",
                            .dimensions = {profile, angle},
                            .optional = true},
           sets.adjoint_toa...);
  }
};

/// The result of the solvers of radiances. Arrays that are not empty are computed and overwritten.
/// \tparam Layout of the arrays, by default that of the solvers
template <KokkosExecutionSpace ExecutionSpace, Floating Real, class Layout = Kokkos::LayoutLeft>
struct AddingResult {
  Radiances<ExecutionSpace, Real, Layout> radiances = {};
  /// The change of the upward radiance at the top due to the perturbation, to first order, (profile, angle).
  Kokkos::View<Real**, Layout, typename ExecutionSpace::memory_space> tangent_toa = {};
  /// Derivatives of the sum over angles of adjoint_toa * (upward radiance at the top), for each profile.
  Gradient<ExecutionSpace, Real, Layout> derivative = {};

  AddingResult() = default;
  AddingResult(Radiances<ExecutionSpace, Real, Layout> the_radiances,
               Kokkos::View<Real**, Layout, typename ExecutionSpace::memory_space> the_tangent_toa = {},
               Gradient<ExecutionSpace, Real, Layout> the_derivative = {})
      : radiances(std::move(the_radiances)),
        tangent_toa(std::move(the_tangent_toa)),
        derivative(std::move(the_derivative)) {}

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace dimension;
    Radiances<ExecutionSpace, Real>::for_each_array(action, sets.radiances...);
    action(ArrayDescription{.name = "tangent_toa",
                            .unit = "radiance",
                            .meaning = "first-order change of the upward radiance at the top due to the perturbation",
                            .dimensions = {profile, angle},
                            .optional = true},
           sets.tangent_toa...);
    Perturbation<ExecutionSpace, Real>::template for_each_array_as<true>(action, sets.derivative...);
  }
};

/// How the layers of a profile are combined. Results differ by rounding.
enum class Strategy {
  automatic,  ///< the faster one according to measured thresholds
  sweep,      ///< layer by layer: least work, best for many profiles
  team_scan   ///< runs of layers concurrently, which are then combined: best for few, deep profiles
};

/// The largest problem of a solver.
struct Capacity {
  int nprofile = 0;
  int nlay = 0;
  int nangle = 0;
  // With scattering only:
  int nphase = 0;           ///< phase matrices of a profile
  bool levels = true;       ///< whether radiances at all levels will be computed
  bool derivatives = true;  ///< whether tangent-linear radiances or derivatives will be computed
};

}  // namespace parhelion::adding

#endif
