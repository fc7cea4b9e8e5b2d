// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_DEVICE_LONGWAVE_HPP
#define PARHELION_FLUXES_DEVICE_LONGWAVE_HPP

#include <parhelion/fluxes/host_longwave.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace parhelion::fluxes {

namespace Impl {
template <KokkosExecutionSpace ExecutionSpace>
class LongwaveOnDevice;
}

/// \brief Longwave fluxes from arrays on a device to arrays there, of any strides and precision, in the order of a
///        stream of the caller.
///
/// A call enqueues its kernels and returns. It copies nothing to the host and allocates nothing. Values are not looked
/// at: `checks`, `out_of_range` and `clip_clouds` of the options have no effect, except that copies set negative
/// amounts to 0 with Checks::clip. Calls of one object must be in the order of one stream.
template <KokkosExecutionSpace ExecutionSpace>
class DeviceLongwave {
 public:
  /// \brief Copies the model to the device and allocates; may fence.
  /// \param space        instance on the device
  /// \param ncol         columns that are solved at a time, >= 1; a call may have more or fewer
  /// \param nlay         most layers of a call, >= 1
  /// \param clouds       only which of its arrays are empty matters: calls may have these arrays, or none
  /// \param aerosol      whether calls may have any
  /// \param data         of the gas optics, not needed afterwards; SimpleSpectralData for the simple spectral model
  /// \param options      of all calls; there cannot be an extra layer
  /// \throws parhelion::Error on an option that cannot be honoured
  DeviceLongwave(ExecutionSpace const& space, int ncol, int nlay, HostClouds const& clouds, bool aerosol,
                 LongwaveData const& data, HostLongwaveOptions const& options = {});
  ~DeviceLongwave();
  DeviceLongwave(DeviceLongwave&&) noexcept;
  DeviceLongwave& operator=(DeviceLongwave&&) noexcept;

  /// \brief Enqueues the work of a call.
  /// \param space  instance of the stream, on the device of the object
  /// \param input  arrays on the device. Where there are clouds, absent `input`, `ice_optics` and `liquid_optics` mean
  ///               water paths, Fu's ice and the droplets of Hu and Stamnes.
  /// \param fluxes in the order of the descriptions of Fluxes, on the device; overwritten; optional ones may be absent
  /// \throws parhelion::Error on wrong extents, before anything is enqueued
  void compute(ExecutionSpace const& space, LongwaveArrays const& input, std::vector<ArrayRef> const& fluxes);

  /// Waits for the instance; the first column whose result has not been finite since the last call of this function.
  SolveStatus status(ExecutionSpace const& space);

  /// Device memory [bytes].
  std::size_t bytes() const;

 private:
  std::unique_ptr<Impl::LongwaveOnDevice<ExecutionSpace>> m_parts;
};

}  // namespace parhelion::fluxes

#endif
