// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_LANES_HPP
#define PARHELION_CORE_LANES_HPP

#include <parhelion/core/types.hpp>

/// PARHELION_UNROLL: before a short loop whose length is known at compile time and whose arrays should become registers
/// of a device. (Compilers for hosts unroll by themselves.) PARHELION_DO_NOT_UNROLL: before a long loop that would need
/// the registers of several iterations at a time.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define PARHELION_UNROLL _Pragma("unroll")
#define PARHELION_DO_NOT_UNROLL _Pragma("unroll 1")
#else
#define PARHELION_UNROLL
#define PARHELION_DO_NOT_UNROLL
#endif

/// \brief Declares a member function of a kernel that has the innermost loops.
///
/// Devices compile it into its caller. Hosts do not: their compilers would find too few registers for its loops there.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define PARHELION_IMPL_LOOP_FUNCTION KOKKOS_INLINE_FUNCTION
#else
#define PARHELION_IMPL_LOOP_FUNCTION __attribute__((noinline)) KOKKOS_FUNCTION
#endif

/// Before a loop over lanes: tells the compiler that its arrays do not overlap.
#if defined(__CUDACC__) || defined(__HIPCC__) || defined(SYCL_LANGUAGE_VERSION)
#define PARHELION_LANES
#elif defined(__clang__)
#define PARHELION_LANES _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PARHELION_LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define PARHELION_LANES
#endif

namespace parhelion {

/// \brief The number of neighbouring lanes (g-points, channels, angles) of one thread.
///
/// Kernels loop over this constant. On a host the compiler turns the loop into vector instructions: eight doubles fill
/// the widest registers; eight floats fill half of them and leave enough work for more threads per column. On a device
/// each thread is one lane, and the loop disappears.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
inline constexpr int lanes_per_thread = runs_on_host<ExecutionSpace> ? 8 : 1;

}  // namespace parhelion

#endif
