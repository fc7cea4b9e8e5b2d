// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_DEVICE_SPECTRA_HPP
#define PARHELION_EGA_DEVICE_SPECTRA_HPP

#include <parhelion/core/solver.hpp>
#include <parhelion/ega/host_ega.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace parhelion::ega {

namespace Impl {
template <KokkosExecutionSpace ExecutionSpace>
class SpectraOnDevice;
}

/// \brief Radiances and transmittances of rays from arrays on a device to arrays there, in the order of a stream.
///
/// Arrays have any strides and precision; the stream is the caller's. A call enqueues its kernels and returns. The
/// first call, and one with other extents, reads tables, allocates and waits; the others copy nothing to the host and
/// allocate nothing. The tables of all channels have to fit into the memory limit of the options.
///
/// Values are not looked at: they must be those that validate() accepts, and within the range of the model, as
/// `out_of_range` has no effect; the index of a profile that does not exist reads other memory. Radiances are not
/// compared with those of black bodies. Hydrostatic pressures, fields of view and brightness temperatures are computed
/// on the device, where they may differ from those of the host by rounding. A ray gets NaN, and -1 points, where the
/// atmosphere is so much deeper than that of the call for which memory was allocated that there is no room for its
/// points; and NaN where its field of view has no neighbours to interpolate between. Calls of one object must be in the
/// order of one stream.
template <KokkosExecutionSpace ExecutionSpace>
class DeviceSpectra {
 public:
  /// \brief Stores its argument; the first call does the work and reports errors.
  /// \param prepared problem, tables and options; calls with arrays on the host may use it, too
  explicit DeviceSpectra(PreparedProblem const& prepared);
  ~DeviceSpectra();
  DeviceSpectra(DeviceSpectra&&) noexcept;
  DeviceSpectra& operator=(DeviceSpectra&&) noexcept;

  /// \brief Enqueues the work of a call.
  /// \param space       instance of the stream, on the same device in all calls
  /// \param atmosphere  arrays in the order of the descriptions of Atmosphere; optional ones and extinction may be
  ///                    absent
  /// \param observation arrays in the order of the descriptions of Observation; `profile`, times, the observers' places
  ///                    and the longitudes of view points may be absent: 0
  /// \param spectra     arrays in the order of the descriptions of Spectra, overwritten; those that are absent are not
  ///                    kept
  /// \throws parhelion::Error on extents that disagree, before anything is enqueued
  void compute(ExecutionSpace const& space, std::vector<ConstArrayRef> const& atmosphere,
               std::vector<ConstArrayRef> const& observation, std::vector<ArrayRef> const& spectra);

  /// Waits for the instance; the first ray of a chunk whose result has not been finite since the last call of this
  /// function.
  SolveStatus status(ExecutionSpace const& space);

  /// Device memory [bytes], with the tables.
  std::size_t bytes() const;

 private:
  std::unique_ptr<Impl::SpectraOnDevice<ExecutionSpace>> m_parts;
};

}  // namespace parhelion::ega

#endif
