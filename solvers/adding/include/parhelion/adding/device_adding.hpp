// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_ADDING_DEVICE_ADDING_HPP
#define PARHELION_ADDING_DEVICE_ADDING_HPP

#include <parhelion/adding/host_adding.hpp>

#include <parhelion/core/solver.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace parhelion::adding {

namespace Impl {
template <KokkosExecutionSpace ExecutionSpace>
class AddingOnDevice;
}

/// \brief Radiances and their derivatives from arrays on a device to arrays there, of any strides and precision, in the
///        order of a stream of the caller.
///
/// A call enqueues its kernels and returns. It copies nothing to the host and allocates nothing. Values are not looked
/// at: they must be those that validate() accepts; an index of a phase matrix that does not exist reads other memory.
/// A matrix of reflectivities is used as it is, also where it is diagonal: specular_reflectivity is faster then. Calls
/// of one object must be in the order of one stream.
template <KokkosExecutionSpace ExecutionSpace>
class DeviceAdding {
 public:
  /// \brief Allocates; may fence.
  /// \param space   instance on the device
  /// \param like    as for HostAdding; only extents matter, and which arrays are empty
  /// \param options of all calls; `space`, `devices` and `progress` have no effect
  /// \throws parhelion::Error on extents that disagree, or an option that cannot be honoured
  DeviceAdding(ExecutionSpace const& space, HostAddingInput const& like, HostAddingOptions const& options = {});
  ~DeviceAdding();
  DeviceAdding(DeviceAdding&&) noexcept;
  DeviceAdding& operator=(DeviceAdding&&) noexcept;

  /// \brief Enqueues the work of a call.
  /// \param space  instance of the stream, on the device of the object
  /// \param input  arrays on the device
  /// \param result arrays on the device, in the order of the descriptions of AddingResult and in the vertical order of
  ///               the input; those that are not empty are overwritten
  /// \throws parhelion::Error on extents that disagree, before anything is enqueued
  void compute(ExecutionSpace const& space, HostAddingInput const& input, std::vector<ArrayRef> const& result);

  /// Waits for the instance; the first profile of a chunk whose result has not been finite since the last call of this
  /// function.
  SolveStatus status(ExecutionSpace const& space);

  /// Device memory [bytes].
  std::size_t bytes() const;

 private:
  std::unique_ptr<Impl::AddingOnDevice<ExecutionSpace>> m_parts;
};

}  // namespace parhelion::adding

#endif
