// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_LANES_HPP
#define PARHELION_CORE_LANES_HPP

#include <parhelion/core/types.hpp>

/// Before a loop of few steps, known at compile time, whose arrays are to become registers of a device. Compilers for
/// hosts unroll what is worth it. And before a long one that would take the registers of several steps at a time.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define PARHELION_UNROLL _Pragma("unroll")
#define PARHELION_DO_NOT_UNROLL _Pragma("unroll 1")
#else
#define PARHELION_UNROLL
#define PARHELION_DO_NOT_UNROLL
#endif

/// Before a loop over lanes whose arrays do not overlap, of which a compiler may not be sure.
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

/// \brief How many neighbouring lanes (g-points, channels, angles) one thread handles.
///
/// A kernel is written as a loop over this constant. On a host the loop is what the compiler turns into vector
/// instructions: eight doubles fill the widest registers, eight floats half of them and leave more threads' worth of
/// work per column. On a device a thread is a lane already and the loop disappears.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
inline constexpr int lanes_per_thread = runs_on_host<ExecutionSpace> ? 8 : 1;

}  // namespace parhelion

#endif
