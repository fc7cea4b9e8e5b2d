// SPDX-License-Identifier: BSD-3-Clause
// Calls a function of core on the device and brings the results to the host.
#ifndef PARHELION_TESTS_CORE_EVALUATE_HPP
#define PARHELION_TESTS_CORE_EVALUATE_HPP

#include <parhelion/core/copies.hpp>
#include <parhelion/core/types.hpp>

#include <type_traits>
#include <vector>

namespace parhelion::Testing {

/// The values in the memory of an execution space.
template <class ExecutionSpace, class Value>
Array<Value*, ExecutionSpace> on_device(std::vector<Value> const& values) {
  Array<Value*, ExecutionSpace> device("parhelion::Testing::values", values.size());
  parhelion::assign_array(
      device, Kokkos::View<Value const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()));
  return device;
}

template <class View>
auto on_host(View const& device) {
  return parhelion::host_copy(device);
}

/// function(0), ..., function(n - 1), each computed by a thread of the execution space.
template <class ExecutionSpace, class Function, class Result = std::invoke_result_t<Function const&, int>>
std::vector<Result> evaluate(int n, Function const& function) {
  Array<Result*, ExecutionSpace> const results("parhelion::Testing::results", n);
  Kokkos::parallel_for(
      "parhelion::Testing::evaluate", Kokkos::RangePolicy<ExecutionSpace>(0, n),
      KOKKOS_LAMBDA(int i) { results(i) = function(i); });
  auto const host = on_host(results);
  return std::vector<Result>(host.data(), host.data() + n);
}

}  // namespace parhelion::Testing

#endif
