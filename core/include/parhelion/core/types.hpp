// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_TYPES_HPP
#define PARHELION_CORE_TYPES_HPP

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

namespace parhelion {

/// An execution space of Kokkos: where kernels run.
template <class T>
concept KokkosExecutionSpace = Kokkos::is_execution_space_v<T>;

/// A View of any rank, layout and memory space.
template <class T>
concept KokkosView = Kokkos::is_view_v<T>;

/// The two supported precisions.
template <class T>
concept Floating = std::same_as<T, float> || std::same_as<T, double>;

/// The same, possibly const: entries of arrays.
template <class T>
concept FloatingEntry = Floating<std::remove_const_t<T>>;

/// A precision chosen at run time.
enum class Precision { float32, float64 };

/// A row-major View in the memory of an execution space. The last index is contiguous on every device; the lanes of
/// innermost loops run over it.
template <class DataType, KokkosExecutionSpace ExecutionSpace>
using Array = Kokkos::View<DataType, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>;

/// The same in host memory.
template <class DataType>
using HostArray = Kokkos::View<DataType, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// True if kernels run on the cores of the host.
template <KokkosExecutionSpace ExecutionSpace>
inline constexpr bool runs_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible;

}  // namespace parhelion

#endif
