// SPDX-License-Identifier: BSD-3-Clause
// The scratch memory of a team at level 0, as the compiler of a device has to see it.
#ifndef PARHELION_CORE_IMPL_FAST_SCRATCH_HPP
#define PARHELION_CORE_IMPL_FAST_SCRATCH_HPP

#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/impl/denormals_are_zero.hpp>
#include <parhelion/core/machine.hpp>
#include <parhelion/core/types.hpp>

#include <cstddef>

/// A function that kernels call, of which there is one copy. Where a kernel would otherwise contain dozens, its
/// multiprocessors wait for instructions more than for anything else.
#define PARHELION_IMPL_CALLED_FUNCTION __attribute__((noinline)) KOKKOS_FUNCTION

namespace parhelion::Impl {

/// \brief The same address in scratch memory of level 0, of which NVIDIA's compiler then knows where it is.
///
/// The level is chosen when a kernel is launched. Without this the compiler addresses all of the scratch memory with 64
/// bits, and each instruction finds out which memory it is.
template <class Entry>
KOKKOS_INLINE_FUNCTION Entry* in_fast_scratch(Entry* at) {
#ifdef __CUDA_ARCH__
  std::size_t shared = __cvta_generic_to_shared(at);
  asm("" : "+l"(shared));  // or the compiler takes both conversions together for none
  return static_cast<Entry*>(__cvta_shared_to_generic(shared));
#else
  return at;
#endif
}

/// Whether in_fast_scratch() may be called, for functions that are compiled once for all kinds of memory.
KOKKOS_INLINE_FUNCTION bool may_be_in_fast_scratch([[maybe_unused]] void const* at) {
#ifdef __CUDA_ARCH__
  return __isShared(at) != 0;
#else
  return true;
#endif
}

/// A kernel of which the compiler knows that its scratch memory is at level 0, or does not know its level.
template <class Kernel, bool is_fast>
struct KernelInScratch {
  Kernel kernel;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(Member const& team) const {
    KOKKOS_IF_ON_HOST((DenormalsAreZero const here; kernel.template in_scratch<is_fast>(team);))
    KOKKOS_IF_ON_DEVICE((kernel.template in_scratch<is_fast>(team);))
  }
};

/// \brief Launches a kernel with scratch memory for each team: at level 0 if it fits there, otherwise at level 1.
///
/// On devices the teams that a multiprocessor holds share it. Hosts have a limit of their own, as other memory of the
/// same speed is at level 1.
/// \tparam Kernel has the member scratch_level, and in_scratch<is_fast>(team), where is_fast tells that the level is
///                known to be 0
/// \param  bytes  of a team
/// \param  teams  that a multiprocessor is to hold
template <class Policy, class Kernel>
void enqueue_in_scratch(char const* label, Policy policy, Kernel kernel, std::size_t bytes, int teams) {
  using ExecutionSpace = typename Policy::execution_space;
  constexpr bool on_host = runs_on_host<ExecutionSpace>;
  int const of_team = static_cast<int>(bytes);
  bool const fits = of_team <= policy.scratch_size_max(0) &&
                    (on_host || of_team <= MachineTraits<ExecutionSpace>::scratch_bytes / teams);
  kernel.scratch_level = fits ? 0 : 1;
  policy.set_scratch_size(kernel.scratch_level, Kokkos::PerTeam(of_team));
  if constexpr (!on_host) {
    if (fits) {
      Kokkos::parallel_for(watched_label(label), light_weight(policy), KernelInScratch<Kernel, true>{kernel});
      return;
    }
  }
  Kokkos::parallel_for(watched_label(label), light_weight(policy), KernelInScratch<Kernel, false>{kernel});
}

}  // namespace parhelion::Impl

#endif
