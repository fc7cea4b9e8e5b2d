// SPDX-License-Identifier: BSD-3-Clause
// Calls with arrays on a device, in the order of streams of the caller.
#ifndef PARHELION_C_DEVICES_HPP
#define PARHELION_C_DEVICES_HPP

#include "arrays.hpp"
#include "objects.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/solver.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace parhelion::C {

/// \brief A driver for arrays on devices, of any execution space.
/// \tparam Arguments of its calls
template <class... Arguments>
class AnyDriver {
 public:
  AnyDriver() = default;
  virtual ~AnyDriver() = default;
  AnyDriver(AnyDriver const&) = delete;
  AnyDriver& operator=(AnyDriver const&) = delete;

  virtual void compute(void* stream, Arguments const&... arguments) = 0;
  /// Waits for the calls; what was not finite since the last call of this function.
  virtual SolveStatus status() = 0;
  virtual std::size_t bytes() const = 0;
};

/// The driver of a solver, with the instances of the streams of its calls.
template <class Space, class Driver, class... Arguments>
class DriverOfStreams final : public AnyDriver<Arguments...> {
 public:
  explicit DriverOfStreams(Driver driver) : m_driver(std::move(driver)) {}

  void compute(void* stream, Arguments const&... arguments) override {
    // The memory of the driver is used in the order of one stream at a time.
    if (m_last != nullptr && stream != m_stream) m_last->fence("parhelion::c::change_of_stream");
    m_stream = stream;
    m_last = &instance(stream);
    m_driver.compute(*m_last, arguments...);
  }

  SolveStatus status() override { return m_last != nullptr ? m_driver.status(*m_last) : SolveStatus(); }
  std::size_t bytes() const override { return m_driver.bytes(); }

 private:
  Space& instance(void* stream) {
    auto found = m_instances.find(stream);
    if (found == m_instances.end()) found = m_instances.emplace(stream, instance_of_stream<Space>(stream)).first;
    return found->second;
  }

  Driver m_driver;
  std::map<void*, Space> m_instances;
  void* m_stream = nullptr;
  Space* m_last = nullptr;
};

/// Whether the arrays of an object may be on a device.
inline bool computes_on_device(Instances const& instances) {
  bool on_device = false;
  with_resolved_execution_space(instances.space(),
                                [&]<class Space>(Space const&) { on_device = !runs_on_host<Space>; });
  return on_device;
}

/// \brief Calls action(space) with the default instance of the device of an object.
/// \param device number of the device of the arrays
/// \throws DeviceError where the object is on another one
template <class Action>
void on_device(char const* where, Instances const& instances, int device, Action const& action) {
  with_resolved_execution_space(instances.space(), [&]<class Space>(Space const& space) {
    if constexpr (!runs_on_host<Space>) {
      if (int const own = device_of(space); device != own)
        throw DeviceError(where,
                          fmt::format("arrays are on device {}, expected {}, where this object is", device, own));
      action(space);
    }
  });
}

/// Refuses a stream where arrays are on the host.
inline void refuse_stream(char const* where, void* stream) {
  if (stream != nullptr) throw ArgumentError(where, "stream is given, expected NULL with arrays on the host");
}

/// \param item what results are of
/// \throws NotFiniteError
inline void refuse_not_finite(char const* where, std::string_view item, SolveStatus const& status) {
  if (!status.good())
    throw NotFiniteError(where, fmt::format("the result of {} {} is not finite", item, status.first_not_finite));
}

}  // namespace parhelion::C

#endif
