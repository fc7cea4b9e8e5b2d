// SPDX-License-Identifier: BSD-3-Clause
// How a call behaves towards the program around it, as Kokkos Tools sees it: the labels of its kernels, the instance
// that they go to, and whether it allocates, copies or fences.
#ifndef PARHELION_TESTING_KOKKOS_MANNERS_HPP
#define PARHELION_TESTING_KOKKOS_MANNERS_HPP

#include <parhelion/core/device.hpp>

#include <gtest/gtest.h>

#if __has_include(<omp.h>)
#include <omp.h>
#endif

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parhelion::Testing {

/// What a call did, each in order.
struct MannersReport {
  std::vector<std::string> labels;        ///< of the kernels: parallel_for, parallel_reduce and parallel_scan
  std::vector<std::uint32_t> device_ids;  ///< where each kernel ran; compare with device_id(space)
  std::vector<std::string> allocations;   ///< labels of the allocations in any memory space of Kokkos
  std::map<std::string, std::uint64_t> allocated_bytes;  ///< by these, by the name of the memory space
  std::vector<std::string> deallocations;                ///< the same, of what was freed
  std::vector<std::string> copies;                       ///< labels of the destinations of deep copies
  std::vector<std::string> fences;                       ///< names of the fences, of an instance or global
};

namespace Impl {

inline MannersReport* manners_report = nullptr;

inline void manners_kernel(char const* name, std::uint32_t const device, std::uint64_t*) {
  manners_report->labels.emplace_back(name);
  manners_report->device_ids.push_back(device);
}

// Kokkos announces the scratch of a team on CUDA at every launch, also when it is 0 bytes; nothing is allocated then.
inline void manners_allocation(Kokkos_Profiling_SpaceHandle space, char const* name, void const*, std::uint64_t bytes) {
  if (bytes == 0) return;
  manners_report->allocations.emplace_back(name);
  manners_report->allocated_bytes[space.name] += bytes;
}

inline void manners_deallocation(Kokkos_Profiling_SpaceHandle, char const* name, void const*, std::uint64_t bytes) {
  if (bytes > 0) manners_report->deallocations.emplace_back(name);
}

inline void manners_copy(Kokkos_Profiling_SpaceHandle, char const* destination, void const*,
                         Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t) {
  manners_report->copies.emplace_back(destination);
}

inline void manners_fence(char const* name, std::uint32_t, std::uint64_t*) {
  // A fence that Kokkos adds because a tool is watching is not the fault of what is watched.
  if (std::string_view(name).find("Kokkos Profile Tool Fence") == std::string_view::npos)
    manners_report->fences.emplace_back(name);
}

}  // namespace Impl

/// \brief Runs `action` and reports what Kokkos did meanwhile.
///
/// Call the action once before: a back end may set up memory of its own at the first launch of a kind. A tool that
/// watches the program is cut off until watch returns or throws. Not reentrant, and for one thread at a time.
inline MannersReport watch(std::function<void()> const& action) {
  namespace Tools = Kokkos::Tools::Experimental;
  MannersReport report;
  struct Restore {
    Kokkos::Tools::Experimental::EventSet callbacks = Kokkos::Tools::Experimental::get_callbacks();
    ~Restore() {
      Kokkos::Tools::Experimental::set_callbacks(callbacks);
      Impl::manners_report = nullptr;
    }
  } const restore;
  Impl::manners_report = &report;
  Tools::set_callbacks(Tools::EventSet{});
  Tools::set_begin_parallel_for_callback(Impl::manners_kernel);
  Tools::set_begin_parallel_reduce_callback(Impl::manners_kernel);
  Tools::set_begin_parallel_scan_callback(Impl::manners_kernel);
  Tools::set_allocate_data_callback(Impl::manners_allocation);
  Tools::set_deallocate_data_callback(Impl::manners_deallocation);
  Tools::set_begin_deep_copy_callback(Impl::manners_copy);
  Tools::set_begin_fence_callback(Impl::manners_fence);
  action();
  return report;
}

/// The identity of an execution-space instance (on a host: of the back end), as in MannersReport::device_ids.
template <class ExecutionSpace>
std::uint32_t device_id(ExecutionSpace const& space) {
  return Kokkos::Tools::Experimental::device_id(space);
}

/// \brief An instance of ExecutionSpace other than the default one. Kokkos gives all instances of a host back end the
///        same device_id: only on devices does the report tell them apart.
template <class ExecutionSpace>
ExecutionSpace another_instance() {
  // Partitions of OpenMP may be the default instance itself.
  if constexpr (std::is_constructible_v<ExecutionSpace, int>)
    return ExecutionSpace(ExecutionSpace().concurrency());
  else
    return Kokkos::Experimental::partition_space(ExecutionSpace(), 1)[0];
}

/// \brief Calls work(thread) by the two threads of a parallel region of OpenMP, from which instances can be used that
///        were made outside of it. False where ExecutionSpace is another back end: then nothing is called.
template <class ExecutionSpace, class Work>
bool call_from_a_region([[maybe_unused]] Work const& work) {
#define PARHELION_CALL_FROM_A_REGION(SPACE)                                                      \
  if constexpr (std::is_same_v<ExecutionSpace, SPACE>) {                                         \
    int const levels = omp_get_max_active_levels();                                              \
    omp_set_max_active_levels(2);                                                                \
    _Pragma("omp parallel num_threads(2)") work(static_cast<std::size_t>(omp_get_thread_num())); \
    omp_set_max_active_levels(levels);                                                           \
    return true;                                                                                 \
  }
  PARHELION_IMPL_WITH_OPENMP(PARHELION_CALL_FROM_A_REGION)
#undef PARHELION_CALL_FROM_A_REGION
  return false;
}

/// Expects what every asynchronous call of parhelion promises: kernels with parhelion's labels, at least one of them,
/// all on the instance that was passed, and no allocation, copy or fence.
template <class ExecutionSpace>
void expect_good_manners(MannersReport const& report, ExecutionSpace const& space) {
  EXPECT_FALSE(report.labels.empty()) << "no kernel was launched";
  for (auto const& label : report.labels) EXPECT_EQ(label.rfind("parhelion::", 0), 0U) << "label: " << label;
  for (std::size_t i = 0; i < report.device_ids.size(); ++i)
    EXPECT_EQ(report.device_ids[i], device_id(space)) << report.labels[i] << " went to another instance";
  for (auto const& label : report.allocations) ADD_FAILURE() << "allocates " << label;
  for (auto const& label : report.deallocations) ADD_FAILURE() << "frees " << label;
  for (auto const& label : report.copies) ADD_FAILURE() << "copies to " << label;
  for (auto const& name : report.fences) ADD_FAILURE() << "fences: " << name;
}

}  // namespace parhelion::Testing

#endif
