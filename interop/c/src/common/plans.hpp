// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_C_PLANS_HPP
#define PARHELION_C_PLANS_HPP

#include <parhelion/core/device.hpp>
#include <parhelion/core/host_driver.hpp>

#include <cstddef>

namespace parhelion::C {

/// Memory that an object holds [bytes].
struct Bytes {
  std::size_t host = 0;
  std::size_t device = 0;  ///< of all devices

  /// Adds the memory of a plan. What a host computes with is memory of the host.
  void add(HostPlan const& plan) {
    bool on_host = false;
    with_execution_space(plan.space, [&]<class Space>(Space const&) { on_host = runs_on_host<Space>; });
    host += plan.host_bytes + (on_host ? plan.device_bytes : 0);
    device += on_host ? 0 : plan.device_bytes * static_cast<std::size_t>(plan.devices);
  }

  /// Writes them where the caller wants them.
  void tell(std::size_t* of_host, std::size_t* of_device) const {
    if (of_host != nullptr) *of_host = host;
    if (of_device != nullptr) *of_device = device;
  }
};

}  // namespace parhelion::C

#endif
