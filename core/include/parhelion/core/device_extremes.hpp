// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_DEVICE_EXTREMES_HPP
#define PARHELION_CORE_DEVICE_EXTREMES_HPP

#include <parhelion/core/types.hpp>

namespace parhelion {

/// The least and the largest of some values.
struct Extremes {
  double lowest;
  double highest;
};

/// \brief The extremes of an array in the memory of an execution space; fences. NaN are left out.
/// \param space  execution space instance
/// \param values at least one
template <KokkosExecutionSpace ExecutionSpace>
Extremes extremes_of(ExecutionSpace const& space,
                     Kokkos::View<double const*, typename ExecutionSpace::memory_space> const& values);

}  // namespace parhelion

#endif
