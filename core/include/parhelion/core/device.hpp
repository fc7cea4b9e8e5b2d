// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_DEVICE_HPP
#define PARHELION_CORE_DEVICE_HPP

#include <parhelion/core/lifetime.hpp>
#include <parhelion/core/types.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Calls MACRO(ExecutionSpace) for each execution space of this Kokkos. Back-end conditionals are allowed in core/ only;
// solvers use this header for their instantiations and for choosing a device.
#if defined(KOKKOS_ENABLE_CUDA)
#define PARHELION_IMPL_WITH_CUDA(MACRO) MACRO(Kokkos::Cuda)
#else
#define PARHELION_IMPL_WITH_CUDA(MACRO)
#endif
#if defined(KOKKOS_ENABLE_HIP)
#define PARHELION_IMPL_WITH_HIP(MACRO) MACRO(Kokkos::HIP)
#else
#define PARHELION_IMPL_WITH_HIP(MACRO)
#endif
#if defined(KOKKOS_ENABLE_SYCL)
#define PARHELION_IMPL_WITH_SYCL(MACRO) MACRO(Kokkos::SYCL)
#else
#define PARHELION_IMPL_WITH_SYCL(MACRO)
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
#define PARHELION_IMPL_WITH_OPENMP(MACRO) MACRO(Kokkos::OpenMP)
#else
#define PARHELION_IMPL_WITH_OPENMP(MACRO)
#endif
#if defined(KOKKOS_ENABLE_THREADS)
#define PARHELION_IMPL_WITH_THREADS(MACRO) MACRO(Kokkos::Threads)
#else
#define PARHELION_IMPL_WITH_THREADS(MACRO)
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
#define PARHELION_IMPL_WITH_SERIAL(MACRO) MACRO(Kokkos::Serial)
#else
#define PARHELION_IMPL_WITH_SERIAL(MACRO)
#endif

#define PARHELION_FOR_EACH_HOST_SPACE(MACRO) \
  PARHELION_IMPL_WITH_OPENMP(MACRO)          \
  PARHELION_IMPL_WITH_THREADS(MACRO)         \
  PARHELION_IMPL_WITH_SERIAL(MACRO)

#define PARHELION_FOR_EACH_EXECUTION_SPACE(MACRO) \
  PARHELION_IMPL_WITH_CUDA(MACRO)                 \
  PARHELION_IMPL_WITH_HIP(MACRO)                  \
  PARHELION_IMPL_WITH_SYCL(MACRO)                 \
  PARHELION_FOR_EACH_HOST_SPACE(MACRO)

namespace parhelion {

/// Names of the execution spaces of this build, the default one first.
std::vector<std::string> execution_space_names();

/// \brief The name of an execution space as this build spells it.
/// \param name in upper or lower case; empty for the default execution space
/// \throws parhelion::Error naming the spaces that this build has
std::string resolve_execution_space(std::string_view name);

/// \brief The same as with_execution_space with a name that resolve_execution_space() has returned, while Kokkos runs.
///        Does not allocate.
template <class Action>
void with_resolved_execution_space(std::string_view chosen, Action&& action) {
#define PARHELION_IMPL_TRY(SPACE)          \
  if (chosen == SPACE::name()) {           \
    std::forward<Action>(action)(SPACE()); \
    return;                                \
  }
  PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_TRY)
#undef PARHELION_IMPL_TRY
}

/// \brief Calls `action` with an instance of the execution space that is chosen at run time.
/// \param name   see resolve_execution_space
/// \param action callable with an instance of every enabled execution space, as a generic lambda is
/// \throws parhelion::Error when this build does not have that space, or Kokkos does not run
template <class Action>
void with_execution_space(std::string_view name, Action&& action) {
  std::string const chosen = resolve_execution_space(name);
  require_kokkos("execution space " + chosen);
  with_resolved_execution_space(chosen, [&](auto const& space) { std::forward<Action>(action)(space); });
}

/// \brief An instance for the work of a stream that others own; on a host, the default instance.
/// \param stream cudaStream_t or hipStream_t, with which Kokkos works on the stream's device; null: the default stream
template <KokkosExecutionSpace ExecutionSpace>
ExecutionSpace instance_of_stream(void* stream);

/// The number of the device of an instance, as its own runtime library counts; -1 for a host.
template <KokkosExecutionSpace ExecutionSpace>
int device_of(ExecutionSpace const& space);

/// \brief The number of devices of an execution space that `instances_on_devices` can use.
///
/// These are the devices visible to this process on which Kokkos supports instances. The host counts as one.
template <KokkosExecutionSpace ExecutionSpace>
int number_of_devices();

/// \brief The number of devices that a call from host arrays uses.
/// \param where     begins messages
/// \param space     name of the execution space
/// \param asked     at least 1, or 0 for all
/// \param available number_of_devices() of the space
/// \throws parhelion::Error on a negative number, and on more devices than there are
int devices_to_use(std::string_view where, std::string_view space, int asked, int available);

/// \brief Instances of an execution space on several devices of this node, which may run concurrently.
///
/// A View for one of these devices must be allocated with an instance on it, `Kokkos::view_alloc(space, ...)`, and
/// filled with `deep_copy(space, ...)`: without an instance Kokkos uses the device that it was initialized with.
///
/// \param space       an instance on the device that Kokkos was initialized with
/// \param devices     1 to number_of_devices(); the device of `space` comes first
/// \param per_device  number of instances on each; a host has only `space`
/// \return            (device, instance)
/// \throws parhelion::Error when devices or per_device is out of range
template <KokkosExecutionSpace ExecutionSpace>
std::vector<std::vector<ExecutionSpace>> instances_on_devices(ExecutionSpace const& space, int devices, int per_device);

}  // namespace parhelion

#endif
