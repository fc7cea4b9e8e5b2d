// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_ENQUEUE_HPP
#define PARHELION_CORE_ENQUEUE_HPP

#include <parhelion/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace parhelion {

/// \brief The label of a kernel where a tool watches the program; otherwise an empty one.
///
/// Kokkos makes a copy of every label, for which calls that must not allocate have no use.
inline char const* watched_label(char const* label) { return Kokkos::Tools::profileLibraryLoaded() ? label : ""; }

/// \brief A policy with Kokkos's hint that its kernel is light-weight.
///
/// Kokkos copies a kernel functor of more than a few hundred bytes to a CUDA device through one buffer in constant
/// memory, so that the host has to wait for the previous such kernel. With this hint functors of up to some 4 KB are
/// passed as kernel arguments.
template <class Policy>
auto light_weight(Policy const& policy) {
  // No host needs the hint, and with it Serial's team policies lose their instance (Kokkos 4.6).
  if constexpr (runs_on_host<typename Policy::execution_space>)
    return policy;
  else
    return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace parhelion

#endif
