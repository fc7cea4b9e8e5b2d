// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_MONTE_CARLO_RESULTS_HPP
#define PARHELION_MONTE_CARLO_RESULTS_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/monte_carlo/problem.hpp>

#include <array>
#include <string>

namespace parhelion::monte_carlo {

/// \brief Results, in host memory. Errors are standard deviations of the estimate.
///
/// All but `q` may be empty: then it has not been computed.
struct Results {
  HostArray<double***> q;         ///< power emitted minus absorbed [W m-3], (x, y, z): positive where the gas cools
  HostArray<double***> q_error;   ///< [W m-3], (x, y, z), >= 0
  HostArray<double***> incident;  ///< radiance integrated over all directions [W m-2], (x, y, z), >= 0

  /// Net flux along the axis of the wall, in the direction in which it ascends [W m-2], over the faces of each side as
  /// Boundary::face_temperature, in the order of side_names; empty for periodic sides.
  std::array<HostArray<double**>, 6> wall_flux;
  std::array<HostArray<double**>, 6> wall_flux_error;  ///< [W m-2], >= 0
};

/// \brief Results of a problem with all arrays allocated and zero.
/// \param problem one that check() accepts
Results make_results(Problem const& problem);

/// \brief Checks results: extents, which sides have fluxes, finite numbers, errors and incident radiation not negative.
/// \param results any
/// \param problem that they belong to
/// \param where   opens the message, such as the name of a file; empty: the function
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void check(Results const& results, Problem const& problem, std::string const& where = {});

}  // namespace parhelion::monte_carlo

#endif
