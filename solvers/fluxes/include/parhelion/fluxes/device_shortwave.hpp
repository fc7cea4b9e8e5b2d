// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_DEVICE_SHORTWAVE_HPP
#define PARHELION_FLUXES_DEVICE_SHORTWAVE_HPP

#include <parhelion/fluxes/host_shortwave.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace parhelion::fluxes {

namespace Impl {
template <KokkosExecutionSpace ExecutionSpace>
class ShortwaveOnDevice;
}

/// \brief Shortwave fluxes from arrays on a device to arrays there, of any strides and precision, in the order of a
///        stream of the caller.
///
/// A call enqueues its kernels and returns. It copies nothing to the host and allocates nothing. Values are not looked
/// at: `checks`, `out_of_range` and `clip_clouds` of the options have no effect, except that copies set amounts,
/// cosines and albedos to the nearest possible value with Checks::clip. Calls of one object must be in the order of one
/// stream.
template <KokkosExecutionSpace ExecutionSpace>
class DeviceShortwave {
 public:
  /// \brief Copies the model to the device and allocates; may fence.
  /// \param space        instance on the device
  /// \param ncol         columns that are solved at a time, >= 1; a call may have more or fewer
  /// \param nlay         most layers of a call, >= 1
  /// \param clouds       only which of its arrays are empty matters: calls may have these arrays, or none
  /// \param aerosol      the arrays that calls may have
  /// \param data         of the gas optics, not needed afterwards
  /// \param options      of all calls
  /// \throws parhelion::Error on an option that cannot be honoured
  DeviceShortwave(ExecutionSpace const& space, int ncol, int nlay, HostShortwaveClouds const& clouds,
                  AerosolArrays aerosol, ShortwaveData const& data, HostShortwaveOptions const& options = {});
  ~DeviceShortwave();
  DeviceShortwave(DeviceShortwave&&) noexcept;
  DeviceShortwave& operator=(DeviceShortwave&&) noexcept;

  /// \brief Enqueues the work of a call.
  /// \param space  instance of the stream, on the device of the object
  /// \param input  arrays on the device; `sun` is on the host. Where there are clouds, absent `input`, `ice_optics` and
  ///               `liquid_optics` mean water paths, Fu's ice and the droplets of Hu and Stamnes.
  /// \param fluxes in the order of the descriptions of ShortwaveFluxes, on the device; overwritten; optional ones may
  ///               be absent
  /// \throws parhelion::Error on wrong extents, before anything is enqueued
  void compute(ExecutionSpace const& space, ShortwaveArrays const& input, std::vector<ArrayRef> const& fluxes);

  /// Waits for the instance; the first column whose result has not been finite since the last call of this function.
  SolveStatus status(ExecutionSpace const& space);

  /// Device memory [bytes].
  std::size_t bytes() const;

 private:
  std::unique_ptr<Impl::ShortwaveOnDevice<ExecutionSpace>> m_parts;
};

}  // namespace parhelion::fluxes

#endif
