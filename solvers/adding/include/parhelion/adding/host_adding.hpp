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

/// Which end of a profile has index 0.
enum class VerticalOrder { surface_first, top_first };

/// \brief Profiles in host memory. Meanings, units and ranges are those of Profiles.
///
/// Layers and levels may be in either order; results have the same order. Members that are not needed stay empty.
///
/// \tparam Real   precision of the arrays; that of the computation is an option
/// \tparam Layout of the arrays: LayoutRight, LayoutLeft as in Fortran, or LayoutStride
template <Floating Real = double, class Layout = Kokkos::LayoutRight>
struct BasicHostProfiles {
  template <class DataType>
  using View = Kokkos::View<DataType, Layout, Kokkos::HostSpace>;

  VerticalOrder order = VerticalOrder::surface_first;
  View<Real**> optical_depth;             ///< (profile, layer)
  View<Real***> transmittance;            ///< (profile, layer, angle); in place of optical_depth, without scattering
  View<Real**> planck;                    ///< (profile, layer)
  View<Real**> mu;                        ///< (profile or 1 for all, angle)
  View<Real**> weight;                    ///< (profile or 1 for all, angle); may be empty without scattering
  View<Real*> planck_sfc;                 ///< (profile)
  View<Real**> emissivity;                ///< (profile, angle)
  View<Real**> specular_reflectivity;     ///< (profile, angle); empty: none; not together with the next
  View<Real***> reflectivity;             ///< (profile, angle out, angle in); empty: none
  View<Real*> cosmic;                     ///< (profile); empty: none
  View<Real*> cos_sun;                    ///< (profile); empty, as the next two: no sun
  View<Real*> solar_irradiance;           ///< (profile)
  View<Real**> direct_reflectivity;       ///< (profile, angle)
  View<Real**> single_scattering_albedo;  ///< (profile, layer); empty, as the next three: no scattering
  View<int**> phase;                      ///< (profile, layer), -1 or a matrix of the next two
  View<Real****> phase_forward;           ///< (profile or 1 for all, matrix, angle out, angle in with the sun's last)
  View<Real****> phase_backward;          ///< the same

  int nprofile() const { return static_cast<int>(planck.extent(0)); }
  int nlay() const { return static_cast<int>(planck.extent(1)); }
  int nlev() const { return nlay() + 1; }
  int nangle() const { return static_cast<int>(mu.extent(1)); }
  int nphase() const { return static_cast<int>(phase_forward.extent(1)); }
  bool scatters() const { return single_scattering_albedo.size() > 0; }
};

/// Profiles in double, row-major: what readers fill.
using HostProfiles = BasicHostProfiles<>;

/// A perturbation of HostProfiles, or the derivative of a scalar with respect to them, in the shapes of their members.
using HostPerturbation = Perturbation<Kokkos::DefaultHostExecutionSpace, double, Kokkos::LayoutRight>;

/// Results in the vertical order of the profiles and in the unit of their Planck radiances.
using HostRadiances = AddingResult<Kokkos::DefaultHostExecutionSpace, double, Kokkos::LayoutRight>;

/// \brief The input of calls from host arrays: references to the caller's arrays, whatever their precisions and strides
///        are. The arrays must live as long as the references.
struct HostAddingInput {
  VerticalOrder order = VerticalOrder::surface_first;  ///< of all arrays of the call, results included
  std::vector<ConstArrayRef> arrays = {};              ///< in the order of the descriptions of AddingInput

  HostAddingInput() = default;

  /// \brief Refers to the arrays of profiles.
  /// \param profiles     the atmospheres; scattering where they have a single-scattering albedo
  /// \param perturbation if it has any array, tangent-linear radiances are wanted: the change of the upward radiance at
  ///                     the top due to it. Empty members count as zero.
  /// \param adjoint_toa  (profile, angle); if it is not empty, derivatives of the sum over angles of adjoint_toa *
  ///                     upward radiance at the top with respect to all input are wanted
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

/// Names under which the caller's users know the arrays, for messages.
struct ArrayNames {
  std::string where = {};  ///< opens the messages, such as the name of a file; empty: the function
  std::string perturbation{perturbation_prefix};  ///< opens the names of the arrays of the perturbation
  std::string derivative{derivative_prefix};      ///< opens the names of the arrays of the derivative
  /// The caller's names of other described arrays, where they differ.
  std::map<std::string, std::string, std::less<>> others = {};

  /// The caller's name of an array.
  /// \param described its name in the descriptions of AddingInput or AddingResult
  std::string operator()(std::string_view described) const;
};

struct HostAddingOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;
  Strategy strategy = Strategy::automatic;  ///< how layers are composed
  bool levels = false;                      ///< the true radiances at every level, too
  int chunk = 0;                            ///< profiles that a stream works on at a time, 0: chosen automatically
  int devices = 1;                          ///< that may take chunks, 0: all, see HostOptions
  /// Called after each chunk with the profiles that are done, and all profiles; says whether to go on, see HostOptions.
  std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
};

/// How a call will cut its work; its items are profiles.
struct HostAddingPlan : HostPlan {
  Strategy strategy = Strategy::automatic;  ///< without scattering automatic, chosen by measured thresholds
  std::size_t result_bytes = 0;             ///< of the arrays that compute_radiances() returns
};

/// What a call took.
struct HostAddingReport : HostReport {
  Strategy strategy = Strategy::automatic;  ///< what ran, as in HostAddingPlan
};

/// \brief Checks arrays in host memory.
///
/// Refused are extents that disagree; what is not finite; optical depths, radiances, irradiances and direct
/// reflectivities below 0; mu, and cos_sun where there is a sun, outside (0, 1]; weights outside [0, 1] or that do not
/// sum to 1 within 1e-10; albedos and emissivities outside [0, 1]; reflectivities below 0 or whose rows sum to more
/// than 1 + 1e-6; phase indices out of range; phase matrices with elements below 0; and those that a layer with an
/// albedo above 0 uses, that are not identically zero and whose rows differ from 1 by more than 1e-6. A layer whose
/// phase matrices are identically zero does not scatter. Also perturbations of what the profiles do not have. Sums of
/// weights that are stored in single precision may differ from 1 by 1e-6, too.
///
/// \param input the arrays
/// \param names of the arrays in messages
/// \throws parhelion::Error naming the array, the index as in the array, the value and the accepted range
void validate(HostAddingInput const& input, ArrayNames const& names = {});

namespace Impl {
class AddingStreams;

/// The extents of an array of the result of a call that gets all it can; empty where it is not wanted.
std::vector<std::int64_t> result_extents(ArrayDescription const& description, HostAddingInput const& input,
                                         bool levels);
}  // namespace Impl

/// \brief Arrays for the results of a call, in host memory.
/// \tparam Real   precision of the arrays
/// \tparam Layout LayoutRight or LayoutLeft
/// \param  input  arrays of which only the extents matter, and which are empty
/// \param  levels whether to have the true radiances at every level, too
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
/// Streams chunks of profiles through the devices of this node: while one is solved, others are copied in and out,
/// where precision, strides and vertical order are converted in the same pass. Neither the chunk nor the number of
/// devices changes a bit of the results. Memory is allocated once. Calls of one object must not overlap; several
/// objects, each with an instance of its own, may be used by several threads.
class HostAdding {
 public:
  /// \brief Allocates on the execution space that the options name.
  /// \param like    calls may have the arrays that it has. The number of its profiles is that for which the work is
  ///                divided; a call may have more or fewer. Its other extents are the largest of calls.
  /// \param options of all calls
  /// \param names   of the arrays in messages
  /// \throws parhelion::Error on extents that disagree, or an option that cannot be honoured
  explicit HostAdding(HostAddingInput const& like, HostAddingOptions const& options = {}, ArrayNames const& names = {});

  /// \brief The same on an instance of an execution space, on whose device further ones are partitioned; on a host,
  ///        the instance whose threads compute and copy.
  /// \param space   execution space instance
  /// \param like    as above
  /// \param options as above; `space` in it is not looked at
  /// \param names   as above
  template <KokkosExecutionSpace ExecutionSpace>
  HostAdding(ExecutionSpace const& space, HostAddingInput const& like, HostAddingOptions const& options = {},
             ArrayNames const& names = {});
  ~HostAdding();
  HostAdding(HostAdding&&) noexcept;
  HostAdding& operator=(HostAdding&&) noexcept;

  /// \brief Validates and solves; returns when the results are in host memory.
  /// \param input  the atmospheres, and what is wanted of them
  /// \param result in the order of the descriptions of AddingResult and in the vertical order of the input; what is not
  ///               empty is overwritten
  /// \param report filled unless it is nullptr
  /// \throws parhelion::Error on bad input, before anything is written, or a result that is not finite or a radiance
  ///         that is negative beyond rounding; profiles before those that it names may then have been written
  void compute(HostAddingInput const& input, std::vector<ArrayRef> const& result, HostAddingReport* report = nullptr);

  /// \brief The same with a set of Views.
  /// \param input  as above
  /// \param result of any precision and layout, as make_host_radiances() gives it; what is not empty is overwritten
  /// \param report as above
  template <Floating Real, class Layout>
  void compute(HostAddingInput const& input,
               AddingResult<Kokkos::DefaultHostExecutionSpace, Real, Layout> const& result,
               HostAddingReport* report = nullptr) {
    compute(input, array_refs(result), report);
  }

  /// How the work is divided and how much memory is held.
  HostAddingPlan const& plan() const;

 private:
  std::unique_ptr<Impl::AddingStreams> m_streams;
};

/// \brief What compute_radiances will need, without computing anything. Allocates nothing of size.
/// \param input   as for compute_radiances()
/// \param options as for compute_radiances()
/// \param names   of the arrays in messages
/// \throws parhelion::Error on bad input or an option that cannot be honoured
HostAddingPlan plan_radiances(HostAddingInput const& input, HostAddingOptions const& options = {},
                              ArrayNames const& names = {});

/// \brief Radiances and their derivatives from host arrays to host arrays, once: see HostAdding.
/// \param input   the atmospheres; tangent-linear radiances and derivatives where it has a perturbation and a seed
/// \param options see there
/// \param report  filled unless it is nullptr
/// \param names   of the arrays in messages
/// \return results for all profiles; zero for those that were not done where `progress` has ended the call
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a result that is not finite
HostRadiances compute_radiances(HostAddingInput const& input, HostAddingOptions const& options = {},
                                HostAddingReport* report = nullptr, ArrayNames const& names = {});

}  // namespace parhelion::adding

#endif
