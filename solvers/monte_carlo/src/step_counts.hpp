// SPDX-License-Identifier: BSD-3-Clause
// The number of cells that a ray crosses in each grid.
#ifndef PARHELION_MONTE_CARLO_STEP_COUNTS_HPP
#define PARHELION_MONTE_CARLO_STEP_COUNTS_HPP

#include "problem_arrays.hpp"

#include <parhelion/monte_carlo/options.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <vector>

namespace parhelion::monte_carlo::Impl {

/// \brief The absorption coefficient that Options::absorbed_by selects [m-1].
///
/// It is that at the highest temperature of the gas and for its mean amount.
double absorption_for_steps(Problem const& problem, ProblemNumbers const& numbers, AbsorbedBy by);

/// \brief The number of cells that a ray crosses in the grids from fine to coarse.
///
/// If there are fewer numbers than grids, the grid after the last number is the last one.
///
/// \param width of the cells of these grids along the axis on which they are narrowest on average [m]
std::vector<int> step_counts(Problem const& problem, ProblemNumbers const& numbers, Options const& options,
                             std::vector<double> const& width);

}  // namespace parhelion::monte_carlo::Impl

#endif
