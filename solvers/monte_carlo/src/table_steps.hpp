// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_TABLE_STEPS_HPP
#define PARHELION_MONTE_CARLO_TABLE_STEPS_HPP

#include <parhelion/core/types.hpp>

namespace parhelion::monte_carlo {

/// Temperatures as places in the table of a spectrum, in steps from its first node: rays then need no conversion.
template <Floating Real>
struct TableSteps {
  Real first = 0;       ///< temperature of the first node [K]
  Real per_kelvin = 0;  ///< [K-1]

  KOKKOS_INLINE_FUNCTION Real operator()(Real temperature) const { return (temperature - first) * per_kelvin; }
};

}  // namespace parhelion::monte_carlo

#endif
