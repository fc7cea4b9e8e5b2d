// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/process.hpp>

#include <charconv>
#include <cstring>
#include <exception>
#include <thread>
#include <type_traits>

namespace parhelion {

std::optional<int> rank_on_node(Environment const& environment) {
  // Those of MPI libraries come first: below Slurm's srun, an mpirun counts.
  for (char const* const name :
       {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
        "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID", "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID"}) {
    char const* const text = environment(name);
    if (text == nullptr) continue;
    int rank = -1;
    char const* const end = text + std::strlen(text);
    if (auto const [last, error] = std::from_chars(text, end, rank); error == std::errc() && last == end && rank >= 0)
      return rank;
  }
  return std::nullopt;
}

std::optional<int> device_of_process(int devices, std::optional<int> rank, Environment const& environment) {
  if (devices <= 0) return std::nullopt;
  for (char const* const name : {"KOKKOS_DEVICE_ID", "KOKKOS_VISIBLE_DEVICES", "KOKKOS_MAP_DEVICE_ID_BY"})
    if (environment(name) != nullptr) return std::nullopt;
  return rank.value_or(rank_on_node(environment).value_or(0)) % devices;
}

std::optional<int> current_device() {
  int device = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  if (cudaGetDevice(&device) == cudaSuccess) return device;
#elif defined(KOKKOS_ENABLE_HIP)
  if (hipGetDevice(&device) == hipSuccess) return device;
#endif
  static_cast<void>(device);
  return std::nullopt;
}

int openmp_threads() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

int parallel_regions() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_level();
#else
  return 0;
#endif
}

void outside_parallel_regions(std::function<void()> const& action) {
  if (parallel_regions() == 0) {
    action();
    return;
  }
  std::exception_ptr error;
  std::thread([&] {
    try {
      action();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

KernelsInRegion::KernelsInRegion() {
#if defined(KOKKOS_ENABLE_OPENMP)
  int const levels = omp_get_max_active_levels();
  if (omp_get_level() == 0 || levels > 1) return;
  m_levels = levels;
  omp_set_max_active_levels(2);
#endif
}

KernelsInRegion::~KernelsInRegion() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if (m_levels > 0) omp_set_max_active_levels(m_levels);
#endif
}

template <KokkosExecutionSpace ExecutionSpace>
ExecutionSpace own_instance([[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::OpenMP>)
    return Kokkos::OpenMP(threads > 0 ? threads : Kokkos::OpenMP().concurrency());
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Serial>) return Kokkos::Serial(Kokkos::NewInstance());
#endif
  if constexpr (runs_on_host<ExecutionSpace>)
    return ExecutionSpace();
  else
    return Kokkos::Experimental::partition_space(ExecutionSpace(), 1)[0];
}

#define PARHELION_INSTANTIATE(SPACE) template SPACE own_instance<SPACE>(int);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
