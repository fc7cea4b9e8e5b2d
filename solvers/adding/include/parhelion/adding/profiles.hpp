// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_PROFILES_HPP
#define PARHELION_ADDING_PROFILES_HPP

#include <parhelion/core/types.hpp>

namespace parhelion::adding {

/// \brief Values of many profiles: the profile is the first index and the contiguous one.
///
/// Neighbouring lanes of a kernel work on neighbouring profiles, so that what they load lies side by side on every
/// device. In Fortran it is an array with the same indices in the same order.
template <class DataType, KokkosExecutionSpace ExecutionSpace>
using ProfileArray = Kokkos::View<DataType, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>;

/// \brief What emits, absorbs and scatters in each profile.
///
/// Layer 0 is next to the surface; levels k and k + 1 bound layer k. Angles are directions of one hemisphere, given by
/// mu, the cosine of the zenith angle, with quadrature weights that sum to 1; an angle of weight 0 is one in which the
/// radiance is wanted but which carries no radiation to others. In matrices the first angle is the outgoing one.
/// Planck radiances and all radiances share a unit of the caller's choice. Members that are not needed stay empty.
///
/// \tparam Real of the values; ExecutionSpace's kernels read them
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Profiles {
  /// Extinction optical depth of the layer on the vertical [1], (profile, layer), >= 0.
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
  /// Radiance that enters at the top from all directions, (profile), >= 0. Empty: none.
  ProfileArray<Real const*, ExecutionSpace> cosmic = {};

  /// Cosine of the sun's zenith angle [1], (profile), in (0, 1]. Empty, as the next two: no sun.
  ProfileArray<Real const*, ExecutionSpace> cos_sun = {};
  /// Irradiance of the sun on a plane across its beam, at the top, pi times the unit of the radiances, (profile), >= 0.
  ProfileArray<Real const*, ExecutionSpace> solar_irradiance = {};
  /// Reflects the sun's beam into the angles [1], (profile, angle): pi times the radiance out over the irradiance in.
  ProfileArray<Real const**, ExecutionSpace> direct_reflectivity = {};

  // With scattering.
  /// Quadrature weight of the angle [1], (profile or 1 for all, angle), sums to 1.
  ProfileArray<Real const**, ExecutionSpace> weight = {};
  /// Single-scattering albedo of the layer [1], (profile, layer), in [0, 1].
  ProfileArray<Real const**, ExecutionSpace> single_scattering_albedo = {};
  /// Which phase matrix the layer has, (profile, layer): an index into the second dimension of the next two, or -1 for
  /// a layer that does not scatter.
  ProfileArray<int const**, ExecutionSpace> phase = {};
  /// Phase matrices for scattering into the same hemisphere and into the other one [1], row-major in memory:
  /// (profile, matrix, angle out, angle in). The last angle in, one more than there are angles, is the sun's.
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
};

/// \brief Results, in the unit of the Planck radiances. Members that are empty are not computed.
///
/// Up and down are positive. Level 0 is the surface. Downward radiances do not hold the sun's direct beam.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Radiances {
  /// Upward radiance at the top, (profile, angle).
  ProfileArray<Real**, ExecutionSpace> toa = {};
  /// Upward and downward radiance at every level, (profile, level, angle).
  ProfileArray<Real***, ExecutionSpace> up = {};
  ProfileArray<Real***, ExecutionSpace> dn = {};
  /// Upward radiance at every level if there were neither atmosphere nor sky above it (but the sun's beam, attenuated
  /// by the atmosphere above), (profile, level, angle): what CRTM keeps as its upward radiance. At the top it is `toa`,
  /// with the sky's radiation.
  ProfileArray<Real***, ExecutionSpace> up_from_below = {};
};

/// \brief A small change of the profiles, or the derivative of a scalar by them.
///
/// Shapes as in Profiles, but for the phase matrices: (profile, matrix, angle out, angle in) with their own profile
/// even where Profiles share theirs. Members that stay empty count as zero, or are not computed.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct Perturbation {
  ProfileArray<Real**, ExecutionSpace> optical_depth = {};
  ProfileArray<Real***, ExecutionSpace> transmittance = {};
  ProfileArray<Real**, ExecutionSpace> planck = {};
  ProfileArray<Real*, ExecutionSpace> planck_sfc = {};
  ProfileArray<Real**, ExecutionSpace> emissivity = {};
  ProfileArray<Real***, ExecutionSpace> reflectivity = {};  ///< also where Profiles have the specular one
  ProfileArray<Real**, ExecutionSpace> direct_reflectivity = {};
  ProfileArray<Real**, ExecutionSpace> single_scattering_albedo = {};
  Array<Real****, ExecutionSpace> phase_forward = {};
  Array<Real****, ExecutionSpace> phase_backward = {};
};

/// How the layers of a profile are composed. Results differ by rounding.
enum class Strategy {
  automatic,  ///< what measured crossovers say: runs of layers where that keeps a device busier
  sweep,      ///< layer after layer: the least work, right when profiles abound
  team_scan   ///< runs of layers at the same time, which are then put together: right when profiles are few and deep
};

/// The largest problem that a solver object is made for.
struct Capacity {
  int nprofile = 0;
  int nlay = 0;
  int nangle = 0;
  // With scattering only:
  int nphase = 0;                           ///< phase matrices of a profile
  bool levels = true;                       ///< whether radiances at all levels will be computed
  bool derivatives = true;                  ///< whether tangent_linear or adjoint will be called
  Strategy strategy = Strategy::automatic;  ///< the one that will be used, or automatic for any
};

}  // namespace parhelion::adding

#endif
