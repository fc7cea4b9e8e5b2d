// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_HOST_ADDING_HPP
#define PARHELION_ADDING_HOST_ADDING_HPP

#include <parhelion/adding/profiles.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace parhelion::adding {

/// Which end of a profile has index 0.
enum class VerticalOrder { surface_first, top_first };

/// \brief Profiles in host memory, row-major. Meanings, units and ranges are those of Profiles.
///
/// Layers and levels may be in either order; results have the same order. Members that are not needed stay empty.
struct HostProfiles {
  VerticalOrder order = VerticalOrder::surface_first;
  HostArray<double**> optical_depth;             ///< (profile, layer)
  HostArray<double**> planck;                    ///< (profile, layer)
  HostArray<double**> mu;                        ///< (profile, angle)
  HostArray<double**> weight;                    ///< (profile, angle); may be empty without scattering
  HostArray<double*> planck_sfc;                 ///< (profile)
  HostArray<double**> emissivity;                ///< (profile, angle)
  HostArray<double***> reflectivity;             ///< (profile, angle out, angle in); empty: none
  HostArray<double*> cosmic;                     ///< (profile); empty: none
  HostArray<double*> cos_sun;                    ///< (profile); empty, as the next two: no sun
  HostArray<double*> solar_irradiance;           ///< (profile)
  HostArray<double**> direct_reflectivity;       ///< (profile, angle)
  HostArray<double**> single_scattering_albedo;  ///< (profile, layer); empty, as the next three: no scattering
  HostArray<int**> phase;                        ///< (profile, layer), -1 or a matrix of the next two
  HostArray<double****> phase_forward;           ///< (profile, matrix, angle out, angle in with the sun's last)
  HostArray<double****> phase_backward;          ///< the same

  int nprofile() const { return static_cast<int>(planck.extent(0)); }
  int nlay() const { return static_cast<int>(planck.extent(1)); }
  int nlev() const { return nlay() + 1; }
  int nangle() const { return static_cast<int>(mu.extent(1)); }
  int nphase() const { return static_cast<int>(phase_forward.extent(1)); }
  bool scatters() const { return single_scattering_albedo.size() > 0; }
};

/// A perturbation of HostProfiles, or the derivative of a scalar with respect to them, in the shapes of their members.
/// Empty members count as zero; derivatives are filled for all members that the profiles have.
struct HostPerturbation {
  HostArray<double**> optical_depth;
  HostArray<double**> planck;
  HostArray<double*> planck_sfc;
  HostArray<double**> emissivity;
  HostArray<double***> reflectivity;
  HostArray<double**> direct_reflectivity;
  HostArray<double**> single_scattering_albedo;
  HostArray<double****> phase_forward;
  HostArray<double****> phase_backward;
};

/// Names under which the caller's users know the arrays, for messages.
struct ArrayNames {
  std::string where;                 ///< opens the messages, such as the name of a file; empty: the function
  std::string tangent = "tangent.";  ///< opens the names of the arrays of HostAddingOptions::tangent
  std::string adjoint = "adjoint";   ///< HostAddingOptions::adjoint
  std::string optical_depth = "optical_depth";
  std::string planck = "planck";
  std::string mu = "mu";
  std::string weight = "weight";
  std::string planck_sfc = "planck_sfc";
  std::string emissivity = "emissivity";
  std::string reflectivity = "reflectivity";
  std::string cosmic = "cosmic";
  std::string cos_sun = "cos_sun";
  std::string solar_irradiance = "solar_irradiance";
  std::string direct_reflectivity = "direct_reflectivity";
  std::string single_scattering_albedo = "single_scattering_albedo";
  std::string phase = "phase";
  std::string phase_forward = "phase_forward";
  std::string phase_backward = "phase_backward";
};

struct HostAddingOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;
  Strategy strategy = Strategy::automatic;  ///< how layers are composed
  bool levels = false;                      ///< the true radiances at every level, too
  /// If given, also the change of the upward radiance at the top due to it.
  HostPerturbation const* tangent = nullptr;
  /// (profile, angle); if not empty, also the derivatives of the sum of adjoint * upward radiance at the top with
  /// respect to all input.
  HostArray<double**> adjoint = {};
  int chunk = 0;  ///< profiles on the device at a time, 0: chosen automatically
  /// Called before anything large is allocated with what the work will need; what it throws ends the call.
  std::function<void(struct HostAddingReport const&)> before = {};
  /// Called after each chunk with the profiles that are done, and all profiles.
  std::function<void(int done, int all)> progress = {};
};

/// What a call did and how long it took.
struct HostAddingReport {
  std::string space;                        ///< execution space that ran
  Strategy strategy = Strategy::automatic;  ///< what ran; without scattering automatic, chosen by measured thresholds
  int chunk = 0;                            ///< profiles in a chunk
  std::size_t device_bytes = 0;             ///< input, results and workspace of a chunk on the device
  std::size_t host_bytes = 0;               ///< in host memory in addition: results, and a chunk that is copied
  double solve_seconds = 0;                 ///< kernels only
  double total_seconds = 0;                 ///< including conversion and copies
};

/// Results in the vertical order of the profiles and in the unit of their Planck radiances.
struct HostRadiances {
  HostArray<double***> up_from_below;  ///< (profile, level, angle), see Radiances
  HostArray<double***> up;             ///< (profile, level, angle), with options.levels
  HostArray<double***> dn;             ///< the same; without the sun's direct beam
  HostArray<double**> tangent_toa;     ///< (profile, angle), with options.tangent
  HostPerturbation adjoint;            ///< with options.adjoint
};

/// \brief Checks profiles in host memory.
///
/// Refused are extents that disagree; what is not finite; optical depths, radiances, irradiances and direct
/// reflectivities below 0; mu, and cos_sun where there is a sun, outside (0, 1]; weights outside [0, 1] or that do not
/// sum to 1 within 1e-10; albedos and emissivities outside [0, 1]; reflectivities below 0 or whose rows sum to more
/// than 1 + 1e-6; phase indices out of range; phase matrices with elements below 0; and those that a layer with an
/// albedo above 0 uses, that are not identically zero and whose rows differ from 1 by more than 1e-6. A layer whose
/// phase matrices are identically zero does not scatter.
///
/// \throws parhelion::Error naming the array, the index as in the array, the value and the accepted range
void validate(HostProfiles const& profiles, ArrayNames const& names = {});

/// \brief Checks options of compute_radiances for profiles that have been checked.
///
/// Refused are a perturbation or a seed of the adjoint whose extents disagree with the profiles or that are not finite,
/// perturbations of what the profiles do not have, and a chunk below 0.
///
/// \throws parhelion::Error as above
void validate_options(HostProfiles const& profiles, HostAddingOptions const& options, ArrayNames const& names = {});

/// \brief What compute_radiances will need, without computing anything.
/// \throws parhelion::Error on bad input or an option that cannot be honoured
HostAddingReport plan_radiances(HostProfiles const& profiles, HostAddingOptions const& options = {},
                                ArrayNames const& names = {});

/// \brief Radiances and their derivatives from host arrays to host arrays.
///
/// Validates, copies to the device chunk by chunk, solves and copies back. The chunk changes nothing in the results.
///
/// \param profiles the atmospheres; scattering where they have a single-scattering albedo
/// \param options  see there
/// \param report   filled unless it is nullptr
/// \param names    of the arrays in messages
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a result that is not finite
HostRadiances compute_radiances(HostProfiles const& profiles, HostAddingOptions const& options = {},
                                HostAddingReport* report = nullptr, ArrayNames const& names = {});

}  // namespace parhelion::adding

#endif
