// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_HOST_ADDING_HPP
#define PARHELION_ADDING_HOST_ADDING_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/host_driver.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parhelion::adding {

/// The end of a profile with index 0.
enum class VerticalOrder { surface_first, top_first };

/// \brief Profiles in host memory. Meanings, units and ranges are those of Profiles.
///
/// Layers and levels may be in either order; results have the same order. Members that are not needed are empty.
///
/// \tparam Real   precision of the arrays; that of the calculation is an option
/// \tparam Layout of the arrays: LayoutRight, LayoutLeft as in Fortran, or LayoutStride
template <Floating Real = double, class Layout = Kokkos::LayoutRight>
struct BasicHostProfiles {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, Kokkos::HostSpace>;

  VerticalOrder order = VerticalOrder::surface_first;
  View<Real**> optical_depth;             ///< (profile, layer)
  View<Real***> transmittance;            ///< (profile, layer, angle); instead of optical_depth, without scattering
  View<Real**> planck;                    ///< (profile, layer)
  View<Real**> mu;                        ///< (profile or 1 for all, angle)
  View<Real**> weight;                    ///< (profile or 1 for all, angle); may be empty without scattering
  View<Real*> planck_sfc;                 ///< (profile)
  View<Real**> emissivity;                ///< (profile, angle)
  View<Real**> specular_reflectivity;     ///< (profile, angle); empty: none; not together with reflectivity
  View<Real***> reflectivity;             ///< (profile, angle out, angle in); empty: none
  View<Real*> cosmic;                     ///< (profile); empty: none
  View<Real*> cos_sun;                    ///< (profile); empty, like the next two: no sun
  View<Real*> solar_irradiance;           ///< (profile)
  View<Real**> direct_reflectivity;       ///< (profile, angle)
  View<Real**> single_scattering_albedo;  ///< (profile, layer); empty, like the next three: no scattering
  View<int**> phase;                      ///< (profile, layer), index of a matrix of the next two, or -1
  View<Real****> phase_forward;           ///< (profile or 1 for all, matrix, angle out, angle in with the sun's last)
  View<Real****> phase_backward;          ///< the same

  int nprofile() const { return static_cast<int>(planck.extent(0)); }
  int nlay() const { return static_cast<int>(planck.extent(1)); }
  int nlev() const { return nlay() + 1; }
  int nangle() const { return static_cast<int>(mu.extent(1)); }
  int nphase() const { return static_cast<int>(phase_forward.extent(1)); }
  bool scatters() const { return single_scattering_albedo.size() > 0; }
};

/// Row-major profiles in double precision, as readers return them.
using HostProfiles = BasicHostProfiles<>;

/// A perturbation of HostProfiles, with the shapes of their members.
using HostPerturbation = Perturbation<Kokkos::DefaultHostExecutionSpace, double, Kokkos::LayoutRight>;

/// The derivative of a scalar with respect to HostProfiles, with the shapes of their members.
using HostGradient = HostPerturbation;

/// Results in the vertical order of the profiles and in the unit of their Planck radiances.
using HostRadiances = AddingResult<Kokkos::DefaultHostExecutionSpace, double, Kokkos::LayoutRight>;

/// \brief The input of calls from host arrays: references to arrays of the caller, of any precision and strides. The
///        arrays must outlive the references.
struct HostAddingInput {
  VerticalOrder order = VerticalOrder::surface_first;  ///< of all arrays of the call, including results
  std::vector<ConstArrayRef> arrays = {};              ///< in the order of the descriptions of AddingInput

  HostAddingInput() = default;

  /// \brief Refers to the arrays of profiles.
  /// \param profiles     atmospheres; with scattering if they have a single-scattering albedo
  /// \param perturbation if it has any array, tangent-linear radiances are computed: the change of the upward radiance
  ///                     at the top due to it. Empty members count as 0.
  /// \param adjoint_toa  (profile, angle); if it is not empty, the derivatives of the sum over angles of adjoint_toa *
  ///                     upward radiance at the top with respect to all input are computed
  template <Floating Real, class Layout, Floating OfPerturbation = double, class ItsLayout = Kokkos::LayoutRight,
            class Seed = HostArray<double**>>
  HostAddingInput(BasicHostProfiles<Real, Layout> const& profiles,
                  Perturbation<Kokkos::DefaultHostExecutionSpace, OfPerturbation, ItsLayout> const& perturbation = {},
                  Seed const& adjoint_toa = {})
      : order(profiles.order) {
    using Host = Kokkos::DefaultHostExecutionSpace;
    auto const refer = [&](ArrayDescription const& /* description */, auto const& view) {
      arrays.push_back(array_ref(view));
    };
    Profiles<Host, Real>::for_each_array(refer, profiles);
    Perturbation<Host, Real>::for_each_array(refer, perturbation);
    arrays.push_back(array_ref(adjoint_toa));
  }
};

/// The names of the arrays in messages, such as those of the variables of a file.
struct ArrayNames {
  std::string where = {};                         ///< begins messages, such as the name of a file; empty: the function
  std::string perturbation{perturbation_prefix};  ///< prefix of the names of the arrays of the perturbation
  std::string derivative{derivative_prefix};      ///< prefix of the names of the arrays of the derivative
  /// Names of other arrays that differ from their described names, by these.
  std::map<std::string, std::string, std::less<>> others = {};

  /// The name of an array in messages.
  /// \param described its name in the descriptions of AddingInput or AddingResult
  std::string operator()(std::string_view described) const;
};

/// Where and how a call from host arrays computes.
struct HostAddingOptions {
  std::string space = {};  ///< execution space by name; empty: the default one
  Precision precision = Precision::float64;
  Strategy strategy = Strategy::automatic;  ///< how layers are combined
  bool levels = false;                      ///< whether to compute the radiances at all levels, too
  int chunk = 0;                            ///< profiles that a stream computes at a time; 0: automatic
  int devices = 1;                          ///< number of devices, 0: all, see HostOptions
  /// Where a call has a part of the profiles of a larger problem, the number of profiles of that. Strategies are chosen
  /// for it, so that the parts get the bits of the whole. 0: the profiles of the call.
  std::int64_t profiles_of_problem = 0;
  /// Called after each chunk with the numbers of profiles that are done and of all profiles; returns whether to
  /// continue, see HostOptions.
  std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
};

/// How a call divides its work; items are profiles.
struct HostAddingPlan : HostPlan {
  Strategy strategy = Strategy::automatic;  ///< `automatic` without scattering, where it is chosen for each kernel
  std::size_t result_bytes = 0;             ///< size of the arrays that compute_radiances() returns
};

/// The plan and times of a call.
struct HostAddingReport : HostReport {
  Strategy strategy = Strategy::automatic;  ///< the strategy that was used, as in HostAddingPlan
};

/// \brief Checks arrays in host memory.
///
/// It refuses
/// - extents that disagree, and values that are not finite;
/// - optical depths, radiances, irradiances and direct reflectivities below 0;
/// - mu, and cos_sun if there is a sun, outside (0, 1];
/// - weights outside [0, 1] or whose sum differs from 1 by more than 1e-10 (1e-6 if stored in single precision);
/// - albedos and emissivities outside [0, 1]; reflectivities below 0 or whose rows sum to more than 1 + 1e-6;
/// - phase indices out of range; phase matrices with elements below 0; phase matrices of a layer with an albedo above 0
///   that are not identically 0 (no scattering) and whose rows differ from 1 by more than 1e-6;
/// - perturbations of arrays that the profiles do not have.
///
/// \param input the arrays
/// \param names of the arrays in messages
/// \throws parhelion::Error naming the array, the index as in the array, the value and the accepted range
void validate(HostAddingInput const& input, ArrayNames const& names = {});

namespace Impl {
class AddingStreams;

/// The extents of an array of the full result of a call; empty if it is not computed.
std::vector<std::int64_t> result_extents(ArrayDescription const& description, HostAddingInput const& input,
                                         bool levels);
}  // namespace Impl

/// \brief Arrays for the results of a call, in host memory.
/// \tparam Real   precision of the arrays
/// \tparam Layout LayoutRight or LayoutLeft
/// \param  input  its extents are used, and which arrays are empty
/// \param  levels whether to have the radiances at all levels, too
template <Floating Real = double, class Layout = Kokkos::LayoutRight>
AddingResult<Kokkos::DefaultHostExecutionSpace, Real, Layout> make_host_radiances(HostAddingInput const& input,
                                                                                  bool levels = false) {
  using Result = AddingResult<Kokkos::DefaultHostExecutionSpace, Real, Layout>;
  Result result;
  Result::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& view) {
        auto const extents = Impl::result_extents(description, input, levels);
        if (extents.empty()) return;
        typename View::array_layout layout;
        for (std::size_t d = 0; d < extents.size(); ++d) layout.dimension[d] = static_cast<std::size_t>(extents[d]);
        view = View("parhelion::Adding::host", layout);
      },
      result);
  return result;
}

/// \brief Radiances and their derivatives from host arrays to host arrays, for repeated calls.
///
/// Streams chunks of profiles through the devices of this node: while one is solved, others are copied in and out; the
/// copies also convert precision, strides and vertical order. Results do not depend on chunks or the number of devices,
/// to the last bit. Memory is allocated once. Calls of one object must not overlap; several threads may use several
/// objects, each with its own instance.
class HostAdding {
 public:
  /// \brief Allocates on the execution space that the options name.
  /// \param like    an example of the input: calls may have the arrays that it has, with no larger extents. The work is
  ///                divided for its number of profiles; a call may have more or fewer.
  /// \param options of all calls
  /// \param names   of the arrays in messages
  /// \throws parhelion::Error on extents that disagree, or an option that cannot be honoured
  explicit HostAdding(HostAddingInput const& like, HostAddingOptions const& options = {}, ArrayNames const& names = {});

  /// \brief The same on an execution space instance. On a device, further instances are partitioned from it; on a host,
  ///        its threads compute and copy.
  /// \param space   execution space instance
  /// \param like    as above
  /// \param options as above; its `space` is ignored
  /// \param names   as above
  template <KokkosExecutionSpace ExecutionSpace>
  HostAdding(ExecutionSpace const& space, HostAddingInput const& like, HostAddingOptions const& options = {},
             ArrayNames const& names = {});
  ~HostAdding();
  HostAdding(HostAdding&&) noexcept;
  HostAdding& operator=(HostAdding&&) noexcept;

  /// \brief Validates and solves; returns when the results are in host memory.
  /// \param input  atmospheres, perturbation and weights
  /// \param result arrays in the order of the descriptions of AddingResult and in the vertical order of the input;
  ///               those that are not empty are overwritten
  /// \param report filled unless it is nullptr
  /// \throws parhelion::Error on bad input, before anything is written, and on a result that is not finite or a
  ///         radiance that is negative by more than rounding; profiles before the named one may then have been written
  void compute(HostAddingInput const& input, std::vector<ArrayRef> const& result, HostAddingReport* report = nullptr);

  /// \brief The same with a set of Views.
  /// \param input  as above
  /// \param result of any precision and layout, as from make_host_radiances(); arrays that are not empty are
  ///               overwritten
  /// \param report as above
  template <Floating Real, class Layout>
  void compute(HostAddingInput const& input,
               AddingResult<Kokkos::DefaultHostExecutionSpace, Real, Layout> const& result,
               HostAddingReport* report = nullptr) {
    compute(input, array_refs(result), report);
  }

  /// How the work is divided and how much memory is allocated.
  HostAddingPlan const& plan() const;

 private:
  std::unique_ptr<Impl::AddingStreams> m_streams;
};

/// \brief The plan of compute_radiances, without computing anything. Allocates nothing large.
/// \param input   as for compute_radiances()
/// \param options as for compute_radiances()
/// \param names   of the arrays in messages
/// \throws parhelion::Error on bad input or an option that cannot be honoured
HostAddingPlan plan_radiances(HostAddingInput const& input, HostAddingOptions const& options = {},
                              ArrayNames const& names = {});

/// \brief Radiances and their derivatives from host arrays to host arrays, once: see HostAdding.
/// \param input   atmospheres; tangent-linear radiances are computed if it has a perturbation, derivatives if it has
///                weights
/// \param options space, precision, strategy etc.
/// \param report  filled unless it is nullptr
/// \param names   of the arrays in messages
/// \return results of all profiles; 0 for profiles that were not computed because `progress` ended the call
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a result that is not finite
HostRadiances compute_radiances(HostAddingInput const& input, HostAddingOptions const& options = {},
                                HostAddingReport* report = nullptr, ArrayNames const& names = {});

}  // namespace parhelion::adding

#endif
