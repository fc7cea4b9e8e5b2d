// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/host_threads.hpp>

#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace parhelion {

template <KokkosExecutionSpace ExecutionSpace>
HostThreads::HostThreads(ExecutionSpace const& space) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    m_for_each = [space](std::string const& label, std::size_t n, void const* body, Call call) {
      using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, std::size_t>;
      Kokkos::parallel_for(watched_label(label.c_str()), Policy(space, 0, n, Kokkos::ChunkSize(1)),
                           [=](std::size_t i) { call(body, i); });
      space.fence(label);
    };
  } else {
    *this = HostThreads();
  }
}

namespace {

/// Whether the calling thread is one of a region of OpenMP.
bool in_region() {
#ifdef _OPENMP
  return omp_get_level() > 0;
#else
  return false;
#endif
}

}  // namespace

HostThreads::HostThreads() : HostThreads(Kokkos::DefaultHostExecutionSpace()) {
  // Within a region the other threads of the caller have work of their own, or OpenMP starts new ones for each call,
  // which takes milliseconds.
  m_for_each = [all = std::move(m_for_each)](std::string const& label, std::size_t n, void const* body, Call call) {
    if (!in_region()) {
      all(label, n, body, call);
      return;
    }
    for (std::size_t i = 0; i < n; ++i) call(body, i);
  };
}

#define PARHELION_INSTANTIATE(SPACE) template HostThreads::HostThreads(SPACE const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
