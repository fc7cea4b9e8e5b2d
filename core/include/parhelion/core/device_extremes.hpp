// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_DEVICE_EXTREMES_HPP
#define PARHELION_CORE_DEVICE_EXTREMES_HPP

#include <parhelion/core/types.hpp>

namespace parhelion {

/// The least and the largest of some values.
struct Extremes {
  double lowest = 0;
  double highest = 0;

  bool operator==(Extremes const&) const = default;
};

/// \brief The extremes of an array in the memory of an execution space; fences. NaN are left out.
/// \param space  execution space instance
/// \param values at least one
template <KokkosExecutionSpace ExecutionSpace>
Extremes extremes_of(ExecutionSpace const& space,
                     Kokkos::View<double const*, typename ExecutionSpace::memory_space> const& values);

/// \brief The sum of an array in the memory of an execution space, added in the order of the entries. Fences.
///
/// The bits are those of a loop on a host.
///
/// \param space  execution space instance
/// \param values of any number
template <KokkosExecutionSpace ExecutionSpace>
double sum_in_order(ExecutionSpace const& space,
                    Kokkos::View<double const*, typename ExecutionSpace::memory_space> const& values);

}  // namespace parhelion

#endif
