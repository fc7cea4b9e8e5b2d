// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_APPS_RANKS_MONTE_CARLO_HPP
#define PARHELION_APPS_RANKS_MONTE_CARLO_HPP

#include <parhelion/monte_carlo/host_monte_carlo.hpp>

namespace parhelion::Apps {

/// monte_carlo::compute_sources() by all ranks, see monte_carlo::compute_distributed(); collective. All ranks throw if
/// one does.
monte_carlo::HostResults compute_sources_by_ranks(monte_carlo::Problem const& problem,
                                                  monte_carlo::Options const& options,
                                                  monte_carlo::HostMonteCarloOptions const& host,
                                                  monte_carlo::HostMonteCarloReport* report);

}  // namespace parhelion::Apps

#endif
