// SPDX-License-Identifier: BSD-3-Clause
#include "batch_kernels.hpp"

#include <parhelion/core/device.hpp>

namespace parhelion::monte_carlo::Impl {

#define PARHELION_IMPL_INSTANTIATE(SPACE)                                    \
  template void enqueue_batch(SPACE const&, Batch<SPACE, double> const&);    \
  template void enqueue_sums(SPACE const&, Batch<SPACE, double> const&);     \
  template void enqueue_averages(SPACE const&, Batch<SPACE, double> const&); \
  template void enqueue_sums_of_planes(SPACE const&, Batch<SPACE, double> const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::monte_carlo::Impl
