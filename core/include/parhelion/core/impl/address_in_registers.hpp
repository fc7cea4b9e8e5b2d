// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_IMPL_ADDRESS_IN_REGISTERS_HPP
#define PARHELION_CORE_IMPL_ADDRESS_IN_REGISTERS_HPP

#include <parhelion/core/types.hpp>

namespace parhelion::Impl {

/// \brief The same address, which NVIDIA's compiler then keeps as it is.
///
/// In a loop that reads `at[index]` it otherwise takes the address apart, adds what the index and the address have in
/// common in 64 bits, and needs four instructions where one is enough.
template <class Entry>
KOKKOS_INLINE_FUNCTION Entry const* address_in_registers(Entry const* at) {
#ifdef __CUDA_ARCH__
  asm("" : "+l"(at));
#endif
  return at;
}

}  // namespace parhelion::Impl

#endif
