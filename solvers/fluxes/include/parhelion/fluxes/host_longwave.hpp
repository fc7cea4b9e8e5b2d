// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_HOST_LONGWAVE_HPP
#define PARHELION_FLUXES_HOST_LONGWAVE_HPP

#include <parhelion/fluxes/clouds.hpp>
#include <parhelion/fluxes/columns.hpp>
#include <parhelion/fluxes/gas_optics_data.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/longwave_arrays.hpp>
#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>

#include <parhelion/core/host_driver.hpp>
#include <parhelion/core/validity.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::fluxes {

struct HostLongwaveOptions {
  std::string space = {};  ///< execution space by name, empty for the default one
  Precision precision = Precision::float64;
  Transmittance transmittance = Transmittance::exact;
  int chunk = 0;  ///< columns in a stream at a time, 0: chosen automatically
  /// \brief Devices that may take chunks: 1 for the one that Kokkos was started with, as usual with MPI, 0 for all
  ///        that the process sees.
  int devices = 1;
  /// \brief Puts a layer between the top of the columns and 0.01 Pa, as RRTMG_LW can.
  ///
  /// It has the mixing ratios of the highest layer, half the pressure of the interface between both, and neither clouds
  /// nor aerosol. Its temperature and that of both its interfaces is that of the highest layer; with ecCKD and RRTMGP
  /// that of the caller's highest level. With RRTMGP its pressure must be one of the tables. Results are given for the
  /// caller's levels only.
  bool extra_layer = false;
  bool incident_flux = false;  ///< whether calls may have any at the top of the columns; compute_longwave() sets it
  FluxOutputs outputs = {};    ///< what to compute in addition to fluxes and heating rates
  /// \brief What to do with temperatures, pressures and mixing ratios outside the model's range of validity
  ///        (GasOptics::validity, SimpleSpectral::validity).
  ///
  /// - refuse: an error that names the first of them;
  /// - clip: finite values are replaced by the nearest end of their range, in clouds and sizes of aerosol, too;
  /// - extrapolate: positive temperatures and pressures of layers and mixing ratios of at least 0 are passed to
  ///   the model unchanged. RRTMG_LW's absorption is then extrapolated linearly from its tables, negative optical
  ///   depths are set to 0, and Planck functions are integrals over the bands; the simple model is a formula. Clouds
  ///   must be in range.
  ///
  /// The caller's arrays stay as they are.
  OutOfRange out_of_range = OutOfRange::refuse;
  /// \brief What to do with impossible values.
  ///
  /// - refuse: an error that names the first of them;
  /// - clip: mole ratios, optical depths of aerosol and clouds, and water paths below 0 count as 0; emissivities and
  ///   cloud fractions become the nearest of 0 and 1, and sizes of particles where there is water the nearest end of
  ///   their range. They are counted. Other impossible values, and those that are not finite, are refused;
  /// - trust: values are not looked at, and `out_of_range` and `clip_clouds` have no effect.
  Checks checks = Checks::refuse;
  /// \brief Whether finite cloud input that is out of range is replaced by the nearest end of the range, as with
  ///        OutOfRange::clip; otherwise it is refused. The caller's arrays stay as they are.
  bool clip_clouds = false;
  /// Whether calls give temperatures at levels.
  LevelTemperatures level_temperatures = LevelTemperatures::given;
  LongwaveTuning tuning = {};
  /// Called after each chunk with the columns that are done, and all columns; says whether to go on, see HostOptions.
  std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
};

/// How a call divides its work; its items are columns.
using HostLongwavePlan = HostPlan;

/// Times and counts of a call.
struct HostLongwaveReport : HostReport {
  ClippedClouds clipped = {};  ///< values of clouds that were clipped
  /// By array of Columns, how many values were out of range: clipped or extrapolated.
  OutOfRangeCounts out_of_range = {};
};

/// \brief Checks columns in host memory for impossible values; the range of validity of a model is not checked.
/// \throws parhelion::Error naming the argument, its index, the value and the accepted range: where extents disagree, a
///         value is not finite or impossible, or pressure does not fall with the index
template <Floating Real>
void validate(Columns<Kokkos::DefaultHostExecutionSpace, Real> const& columns, ModelSizes const& sizes = rrtmg_sizes);

/// \brief How compute_longwave() will divide its work and how much memory it will use. Allocates nothing.
/// \param ncol,nlay    columns, and layers without an extra one
/// \param clouds       as for compute_longwave(); only which of its arrays are empty matters
/// \param aerosol      whether the columns have any
/// \param data         of the gas optics; SimpleSpectralData for the simple spectral model
/// \param options      as for compute_longwave()
/// \throws parhelion::Error on an option that cannot be honoured
HostLongwavePlan plan_longwave(int ncol, int nlay, HostClouds const& clouds, bool aerosol, LongwaveData const& data,
                               HostLongwaveOptions const& options = {});

namespace Impl {
class LongwaveStreams;
}

/// \brief Longwave fluxes from host arrays to host arrays, for repeated calls.
///
/// Streams chunks of columns through the devices of this node: while one is solved, others are copied in and out.
/// Neither the chunk nor the number of devices changes a bit of the results. Buffers, mainly pinned host
/// memory, are allocated once. On a host, calls after the first of a kind do not allocate at all, unless values are
/// clipped. Calls of one object must not overlap.
/// Several threads may each have an object of their own that was made with an instance of its own, and call it inside a
/// parallel region of OpenMP, too: an instance of one thread, Kokkos::OpenMP(1), made outside of any region, where
/// OMP_MAX_ACTIVE_LEVELS is 2 or more, or Kokkos::Serial.
///
/// \tparam HostReal precision of the host's arrays; that of the computation is an option
template <Floating HostReal = double>
class HostLongwave {
 public:
  using host_space = Kokkos::DefaultHostExecutionSpace;

  /// \brief Copies the model to the devices and allocates buffers.
  /// \param ncol         expected columns of a call, for which the work is divided; a call may have more or fewer
  /// \param nlay         most layers of a call, without an extra one
  /// \param clouds       only which of its arrays are empty matters: calls may have these arrays, or none
  /// \param aerosol      whether calls may have any
  /// \param data         of the gas optics, not needed afterwards; SimpleSpectralData for the simple spectral model,
  /// which has no
  ///                     clouds, aerosol, derivatives or bands
  /// \param options      of all calls
  /// \throws parhelion::Error on an option that cannot be honoured
  HostLongwave(int ncol, int nlay, Clouds<host_space, HostReal> const& clouds, bool aerosol, LongwaveData const& data,
               HostLongwaveOptions const& options = {});

  /// \brief The same on an execution space instance, whose threads, on a host, do all that the calls do.
  /// \param space        execution space instance; options.space is not used
  /// \param ncol,nlay    as above
  /// \param clouds       as above
  /// \param aerosol      as above
  /// \param data         as above
  /// \param options      as above
  /// \throws parhelion::Error on an option that cannot be honoured
  template <KokkosExecutionSpace ExecutionSpace>
  HostLongwave(ExecutionSpace const& space, int ncol, int nlay, Clouds<host_space, HostReal> const& clouds,
               bool aerosol, LongwaveData const& data, HostLongwaveOptions const& options = {});
  ~HostLongwave();
  HostLongwave(HostLongwave&&) noexcept;
  HostLongwave& operator=(HostLongwave&&) noexcept;

  /// \brief Validates and solves; returns when the fluxes are in host memory.
  /// \param columns the atmosphere, layer 0 next to the surface; arrays of any layout
  /// \param clouds  none if all its arrays are empty; first_column counts from the first of these columns
  /// \param fluxes  with the extents that make_fluxes() gives them for the option `outputs`, in any layout; level 0 is
  ///                the surface; overwritten
  /// \param report  filled unless it is nullptr
  /// \throws parhelion::Error on bad input, before anything is written, or a result that is not finite; columns before
  ///         those that it names have then been written
  template <FloatingEntry Entry, class Layout, FloatingEntry CloudEntry = HostReal,
            class CloudLayout = Kokkos::LayoutRight, class FluxLayout>
  void compute(Columns<host_space, Entry, Layout> const& columns,
               Clouds<host_space, CloudEntry, CloudLayout> const& clouds,
               Fluxes<host_space, HostReal, FluxLayout> const& fluxes, HostLongwaveReport* report = nullptr) {
    static_assert(std::is_same_v<std::remove_const_t<Entry>, HostReal>, "columns have the precision of the object");
    compute(arrays_of(columns, clouds), array_refs(fluxes), report);
  }

  /// \brief The same with arrays whose types and strides are known at run time.
  /// \param input  see LongwaveArrays
  /// \param fluxes in the order of the descriptions of Fluxes, of float or double; overwritten; those of optional
  ///               outputs may be absent
  /// \param report as above
  void compute(LongwaveArrays const& input, std::vector<ArrayRef> const& fluxes, HostLongwaveReport* report = nullptr);

  /// How the work is divided and how much memory is held.
  HostLongwavePlan const& plan() const;

 private:
  std::unique_ptr<Impl::LongwaveStreams> m_streams;
};

/// \brief Longwave fluxes from host arrays to host arrays, once: see HostLongwave.
///
/// \param columns      the atmosphere, layer 0 next to the surface
/// \param clouds       none if all its arrays are empty; first_column counts from the first of these columns
/// \param data         of the gas optics; SimpleSpectralData for the simple spectral model, which has no clouds,
/// aerosol, derivatives
///                     or bands
/// \param options      see HostLongwaveOptions
/// \param report       filled unless it is nullptr
/// \return fluxes and heating rates for the caller's levels and layers, level 0 at the surface
/// \throws parhelion::Error on bad input, an option that cannot be honoured, or a result that is not finite
HostFluxes compute_longwave(HostColumns const& columns, HostClouds const& clouds, LongwaveData const& data,
                            HostLongwaveOptions const& options = {}, HostLongwaveReport* report = nullptr);

/// The same without clouds.
HostFluxes compute_longwave(HostColumns const& columns, LongwaveData const& data,
                            HostLongwaveOptions const& options = {}, HostLongwaveReport* report = nullptr);

}  // namespace parhelion::fluxes

#endif
