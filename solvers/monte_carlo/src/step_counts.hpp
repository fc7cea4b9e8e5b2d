// SPDX-License-Identifier: BSD-3-Clause
// How many cells a ray crosses in each of the grids that lie over each other.
#ifndef PARHELION_MONTE_CARLO_STEP_COUNTS_HPP
#define PARHELION_MONTE_CARLO_STEP_COUNTS_HPP

#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <vector>

namespace parhelion::monte_carlo::Impl {

/// \brief The absorption coefficient that Options::absorbed_by names, at the highest temperature of the gas and for the
///        mean of its amount [m-1].
double absorption_for_steps(Problem const& problem, AbsorbedBy by);

/// \brief Cells that a ray crosses in the grids from fine to coarse; where there are fewer numbers than grids, the one
///        behind the last number is the last grid.
/// \param width of cells of these grids, in the direction in which they are narrowest on average [m]
std::vector<int> step_counts(Problem const& problem, Options const& options, std::vector<double> const& width);

}  // namespace parhelion::monte_carlo::Impl

#endif
