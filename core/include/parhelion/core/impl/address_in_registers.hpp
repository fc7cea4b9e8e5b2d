// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_IMPL_ADDRESS_IN_REGISTERS_HPP
#define PARHELION_CORE_IMPL_ADDRESS_IN_REGISTERS_HPP

#include <parhelion/core/types.hpp>

#include <cstddef>

namespace parhelion::Impl {

/// \brief The same address, which NVIDIA's compiler then keeps as it is.
///
/// In a loop that reads `at[index]` it otherwise takes the address apart, adds what the index and the address have in
/// common in 64 bits, and needs four instructions where one is enough.
/// \param at in the memory of the device that kernels share, not in scratch memory
template <class Entry>
KOKKOS_INLINE_FUNCTION Entry const* address_in_registers(Entry const* at) {
#ifdef __CUDA_ARCH__
  // The conversions tell it which memory it is.
  std::size_t global = __cvta_generic_to_global(at);
  asm("" : "+l"(global));
  return static_cast<Entry const*>(__cvta_global_to_generic(global));
#else
  return at;
#endif
}

}  // namespace parhelion::Impl

#endif
