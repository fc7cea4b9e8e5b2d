// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_ENQUEUE_HPP
#define PARHELION_CORE_ENQUEUE_HPP

#include <Kokkos_Core.hpp>

namespace parhelion {

/// \brief A policy whose kernel the host need not wait for.
///
/// Kokkos brings a kernel of more than a few hundred bytes to a CUDA device through one buffer in constant memory, and
/// before it is used again the host waits for the kernel before to end. With this hint kernels up to some 4 KB are
/// handed over as arguments.
template <class Policy>
auto without_waiting(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace parhelion

#endif
