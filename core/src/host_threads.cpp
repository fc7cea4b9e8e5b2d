// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/enqueue.hpp>
#include <parhelion/core/host_threads.hpp>

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

HostThreads::HostThreads() : HostThreads(Kokkos::DefaultHostExecutionSpace()) {}

#define PARHELION_INSTANTIATE(SPACE) template HostThreads::HostThreads(SPACE const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion
