// SPDX-License-Identifier: BSD-3-Clause
// What a library that is called by any program has to know of its process: who launched it, which device its caller
// uses, whether the caller is in a parallel region of OpenMP, where Kokkos works with some care only.
#ifndef PARHELION_CORE_PROCESS_HPP
#define PARHELION_CORE_PROCESS_HPP

#include <parhelion/core/types.hpp>

#include <cstdlib>
#include <functional>
#include <optional>

namespace parhelion {

/// Gives the value of a variable of the environment, nullptr where it is not set, as std::getenv does.
using Environment = std::function<char const*(char const* name)>;

/// \brief The number of this process among those of its launcher on this node, from 0; none without a launcher.
///
/// From the environment that Open MPI, MPICH and its relatives, MVAPICH, Slurm, Flux and PALS set.
/// \param environment of this process
std::optional<int> rank_on_node(Environment const& environment = std::getenv);

/// \brief The device that this process takes, so that those of a node share its devices evenly; none where there is no
///        device, or where the user has told Kokkos which one to take (KOKKOS_DEVICE_ID, KOKKOS_VISIBLE_DEVICES,
///        KOKKOS_MAP_DEVICE_ID_BY).
/// \param devices     number of those that this process sees, from 0 on; not positive without any
/// \param rank        number of this process among those of the node; by default what rank_on_node() says, or 0
/// \param environment of this process
std::optional<int> device_of_process(int devices, std::optional<int> rank = std::nullopt,
                                     Environment const& environment = std::getenv);

/// The device that the calling thread has selected, such as by cudaSetDevice(); none where this build has no devices.
std::optional<int> current_device();

/// The largest number of threads of a host that Kokkos can use.
inline constexpr int max_host_threads = 512;

/// The number of threads that OpenMP would start for the calling thread; 1 in a build without it.
int openmp_threads();

/// The number of parallel regions of OpenMP that the calling thread is in, 0 in a build without it.
int parallel_regions();

/// \brief Calls an action outside of any parallel region: in the calling thread, or in a thread of its own if that is
///        in a region. Returns when it is done.
/// \param action what it throws is thrown here
void outside_parallel_regions(std::function<void()> const& action);

/// \brief Lets kernels be launched, while it lives, by a thread that is in one parallel region of OpenMP.
///
/// Kokkos ends the process if OpenMP may have one active level only, which is its default.
class KernelsInRegion {
 public:
  KernelsInRegion();
  ~KernelsInRegion();
  KernelsInRegion(KernelsInRegion const&) = delete;
  KernelsInRegion& operator=(KernelsInRegion const&) = delete;

 private:
  int m_levels = 0;  ///< to be restored; 0: nothing was changed
};

/// \brief An instance of an execution space that nobody else uses.
///
/// To be called outside of parallel regions; OpenMP makes no instances inside. Where a space has one instance only, it
/// is the default one.
/// \param threads of a host space; 0: as many as the default instance has. Others ignore it.
template <KokkosExecutionSpace ExecutionSpace>
ExecutionSpace own_instance(int threads);

}  // namespace parhelion

#endif
