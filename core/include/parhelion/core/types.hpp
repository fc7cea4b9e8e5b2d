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

/// The two precisions that parhelion is built, tested and measured in.
template <class T>
concept Floating = std::same_as<T, float> || std::same_as<T, double>;

/// The same, or const: what arrays hold that may be read only.
template <class T>
concept FloatingEntry = Floating<std::remove_const_t<T>>;

/// The choice between them at run time.
enum class Precision { float32, float64 };

/// A row-major View in the memory of an execution space. The last index is contiguous on every device:
/// it is the one that the lanes of the innermost loop run over.
template <class DataType, KokkosExecutionSpace ExecutionSpace>
using Array = Kokkos::View<DataType, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>;

/// The same in host memory.
template <class DataType>
using HostArray = Kokkos::View<DataType, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// True where kernels run on the host's own cores.
template <KokkosExecutionSpace ExecutionSpace>
inline constexpr bool runs_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible;

}  // namespace parhelion

#endif
