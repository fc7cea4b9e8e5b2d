// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_HOST_SHORTWAVE_HPP
#define PARHELION_FLUXES_HOST_SHORTWAVE_HPP

#include <parhelion/fluxes/gas_optics_data.hpp>
#include <parhelion/fluxes/rrtmg_sw/coefficients.hpp>
#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>
#include <parhelion/fluxes/shortwave.hpp>
#include <parhelion/fluxes/shortwave_arrays.hpp>
#include <parhelion/fluxes/shortwave_clouds.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>

#include <parhelion/core/host_driver.hpp>
#include <parhelion/core/validity.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::fluxes {

/// Which arrays of aerosol calls may have.
struct AerosolArrays {
  bool optical = false;  ///< aerosol_optical_depth, aerosol_single_scattering_albedo and aerosol_asymmetry
  bool types = false;    ///< aerosol_550nm

  AerosolArrays() = default;
  AerosolArrays(bool has_optical, bool has_types) : optical(has_optical), types(has_types) {}

  /// Those that columns have.
  template <KokkosExecutionSpace Space, FloatingEntry Real, class Layout>
  explicit AerosolArrays(ShortwaveColumns<Space, Real, Layout> const& columns)
      : optical(columns.aerosol_optical_depth.size() > 0), types(columns.aerosol_550nm.size() > 0) {}
};

struct HostShortwaveOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;
  int chunk = 0;  ///< columns in a stream at a time, 0: chosen automatically
  /// \brief Devices that may take chunks: 1 for the one that Kokkos was started with, as usual with MPI, 0 for all
  ///        that the process sees.
  int devices = 1;
  ShortwaveOutputs outputs = {};  ///< what to compute in addition to fluxes and heating rates
  /// \brief What to do with temperatures, pressures and mixing ratios outside the model's range of validity
  ///        (ShortwaveGasOptics::validity).
  ///
  /// - refuse: an error that names the first of them;
  /// - clip: finite values are replaced by the nearest end of their range, in clouds, too;
  /// - extrapolate: positive temperatures and pressures of layers and mixing ratios of at least 0 are passed to
  ///   the model unchanged, which extrapolates linearly from its tables. Clouds must be in range.
  ///
  /// The caller's arrays stay as they are.
  OutOfRange out_of_range = OutOfRange::refuse;
  /// \brief What to do with impossible values.
  ///
  /// - refuse: an error that names the first of them;
  /// - clip: cosines of the zenith angle, albedos, mole ratios, solar band factors, properties of aerosol and of clouds
  ///   and water paths become the nearest possible value, and sizes of particles where there is water the nearest end
  ///   of their range. They are counted. Other impossible values, and those that are not finite, are refused;
  /// - trust: values are not looked at, and `out_of_range` and `clip_clouds` have no effect.
  Checks checks = Checks::refuse;
  /// \brief Whether finite cloud input that is out of range is replaced by the nearest end of the range, as with
  ///        OutOfRange::clip; otherwise it is refused. The caller's arrays stay as they are.
  bool clip_clouds = false;
  /// Whether calls give temperatures at levels.
  LevelTemperatures level_temperatures = LevelTemperatures::given;
  ShortwaveTuning tuning = {};
  Band28Level band28 = Band28Level::from_42;  ///< see there
  /// Called after each chunk with the columns that are done, and all columns; says whether to go on, see HostOptions.
  std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
};

/// How a call divides its work; its items are columns.
using HostShortwavePlan = HostPlan;

/// Times and counts of a call.
struct HostShortwaveReport : HostReport {
  ClippedClouds clipped = {};  ///< values of clouds that were clipped
  /// By array of ShortwaveColumns, how many values were out of range: clipped or extrapolated.
  OutOfRangeCounts out_of_range = {};
};

/// \brief Checks columns in host memory for impossible values; the range of validity of a model is not checked.
/// \throws parhelion::Error naming the argument, its index, the value and the accepted range: where extents disagree, a
///         value is not finite or impossible, pressure does not fall with the index, aerosol_input is unknown, or the
///         arrays of a column's aerosol are not there
template <Floating Real>
void validate(ShortwaveColumns<Kokkos::DefaultHostExecutionSpace, Real> const& columns,
              ModelSizes const& sizes = rrtmg_sw_sizes);

/// \brief Checks clouds in host memory.
///
/// Sizes are checked where a cloud contains water. Arrays that the input of a column does not use are not checked.
/// \param clouds    clouds of layers or of g-points
/// \param ncol,nlay shape of the columns that the clouds belong to
/// \throws parhelion::Error naming the array, its index, the value and the accepted range: where extents disagree, a
///         value is not finite or not in the range of its description, a size is out of the range of its optics (ice
///         13 to 130, 5 to 131 or 5 to 140 um for broad_bands, streamer and fu; droplets 2.5 to 60 um), an option is
///         unknown or one of the longwave only (all_bands), or there are clouds of layers and of g-points
template <Floating Real>
void validate(ShortwaveClouds<Kokkos::DefaultHostExecutionSpace, Real> const& clouds, int ncol, int nlay);

/// \brief The same, but finite values that are out of range are set to its nearest end and counted. If it throws,
///        nothing has been changed.
/// \return how many were
template <Floating Real>
ClippedClouds clip(ShortwaveClouds<Kokkos::DefaultHostExecutionSpace, Real> const& clouds, int ncol, int nlay);

/// What clip() would change, which this does not. Throws as clip() does.
template <Floating Real>
ClippedClouds count_to_clip(ShortwaveClouds<Kokkos::DefaultHostExecutionSpace, Real> const& clouds, int ncol, int nlay);

/// \brief How compute_shortwave() will divide its work and how much memory it will use. Allocates nothing.
/// \param ncol,nlay    columns and layers
/// \param clouds       as for compute_shortwave(); only which of its arrays are empty matters
/// \param aerosol      which of its arrays the columns have
/// \param data         of the gas optics
/// \param options      as for compute_shortwave()
/// \throws parhelion::Error on an option that cannot be honoured
HostShortwavePlan plan_shortwave(int ncol, int nlay, HostShortwaveClouds const& clouds, AerosolArrays aerosol,
                                 ShortwaveData const& data, HostShortwaveOptions const& options = {});

namespace Impl {
class ShortwaveStreams;
}

/// \brief Shortwave fluxes from host arrays to host arrays, for repeated calls.
///
/// Streams chunks of columns through the devices of this node: while one is solved, others are copied in and out.
/// Neither the chunk nor the number of devices changes a bit of the results. Buffers, mainly pinned host
/// memory, are allocated once. On a host, calls after the first of a kind do not allocate at all, unless values are
/// clipped. Calls of one object must not overlap.
/// Several threads may each have an object of their own that was made with an instance of its own, and call it inside a
/// parallel region of OpenMP, too, see HostLongwave.
///
/// \tparam HostReal precision of the host's arrays; that of the computation is an option
template <Floating HostReal = double>
class HostShortwave {
 public:
  using host_space = Kokkos::DefaultHostExecutionSpace;

  /// \brief Copies the model to the devices and allocates buffers.
  /// \param ncol         expected columns of a call, for which the work is divided; a call may have more or fewer
  /// \param nlay         most layers of a call
  /// \param clouds       only which of its arrays are empty matters: calls may have these arrays, or none
  /// \param aerosol      the arrays that calls may have
  /// \param data         of the gas optics, not needed afterwards
  /// \param options      of all calls
  /// \throws parhelion::Error on an option that cannot be honoured
  HostShortwave(int ncol, int nlay, ShortwaveClouds<host_space, HostReal> const& clouds, AerosolArrays aerosol,
                ShortwaveData const& data, HostShortwaveOptions const& options = {});

  /// \brief The same on an execution space instance, whose threads, on a host, do all that the calls do.
  /// \param space        execution space instance; options.space is not used
  /// \param ncol,nlay    as above
  /// \param clouds       as above
  /// \param aerosol      as above
  /// \param data         as above
  /// \param options      as above
  /// \throws parhelion::Error on an option that cannot be honoured
  template <KokkosExecutionSpace ExecutionSpace>
  HostShortwave(ExecutionSpace const& space, int ncol, int nlay, ShortwaveClouds<host_space, HostReal> const& clouds,
                AerosolArrays aerosol, ShortwaveData const& data, HostShortwaveOptions const& options = {});
  ~HostShortwave();
  HostShortwave(HostShortwave&&) noexcept;
  HostShortwave& operator=(HostShortwave&&) noexcept;

  /// \brief Validates and solves; returns when the fluxes are in host memory.
  /// \param columns the atmosphere, layer 0 next to the surface; arrays of any layout
  /// \param clouds  none if all its arrays are empty; first_column counts from the first of these columns
  /// \param fluxes  with the extents that make_shortwave_fluxes() gives them for the option `outputs`, in any layout;
  ///                level 0 is the surface; overwritten
  /// \param report  filled unless it is nullptr
  /// \throws parhelion::Error on bad input, before anything is written, or a result that is not finite; columns before
  ///         those that it names have then been written
  template <FloatingEntry Entry, class Layout, FloatingEntry CloudEntry = HostReal,
            class CloudLayout = Kokkos::LayoutRight, class FluxLayout>
  void compute(ShortwaveColumns<host_space, Entry, Layout> const& columns,
               ShortwaveClouds<host_space, CloudEntry, CloudLayout> const& clouds,
               ShortwaveFluxes<host_space, HostReal, FluxLayout> const& fluxes, HostShortwaveReport* report = nullptr) {
    static_assert(std::is_same_v<std::remove_const_t<Entry>, HostReal>, "columns have the precision of the object");
    compute(arrays_of(columns, clouds), array_refs(fluxes), report);
  }

  /// \brief The same with arrays whose types and strides are known at run time.
  /// \param input  see ShortwaveArrays
  /// \param fluxes in the order of the descriptions of ShortwaveFluxes, of float or double; overwritten; those of
  ///               optional outputs may be absent
  /// \param report as above
  void compute(ShortwaveArrays const& input, std::vector<ArrayRef> const& fluxes,
               HostShortwaveReport* report = nullptr);

  /// How the work is divided and how much memory is held.
  HostShortwavePlan const& plan() const;

 private:
  std::unique_ptr<Impl::ShortwaveStreams> m_streams;
};

/// \brief Shortwave fluxes from host arrays to host arrays, once: see HostShortwave.
///
/// \param columns      the atmosphere, layer 0 next to the surface
/// \param clouds       none if all its arrays are empty; first_column counts from the first of these columns
/// \param data         of the gas optics
/// \param options      see HostShortwaveOptions
/// \param report       filled unless it is nullptr
/// \return fluxes and heating rates, level 0 at the surface
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a result that is not finite
HostShortwaveFluxes compute_shortwave(HostShortwaveColumns const& columns, HostShortwaveClouds const& clouds,
                                      ShortwaveData const& data, HostShortwaveOptions const& options = {},
                                      HostShortwaveReport* report = nullptr);

/// The same without clouds.
HostShortwaveFluxes compute_shortwave(HostShortwaveColumns const& columns, ShortwaveData const& data,
                                      HostShortwaveOptions const& options = {}, HostShortwaveReport* report = nullptr);

}  // namespace parhelion::fluxes

#endif
