// SPDX-License-Identifier: BSD-3-Clause
// What the subcommand for radiation in a box of gas prints, and the attributes of its results.
#ifndef PARHELION_APPS_MONTE_CARLO_SUMMARY_HPP
#define PARHELION_APPS_MONTE_CARLO_SUMMARY_HPP

#include "monte_carlo_options.hpp"
#include "plan.hpp"

#include <parhelion/core/validity.hpp>
#include <parhelion/io/provenance.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>
#include <parhelion/monte_carlo/problem.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <string>

namespace parhelion::Apps {

/// \brief The plan of a calculation.
/// \param space        execution space
/// \param out_of_range values of the problem that are out of range
Plan monte_carlo_plan(MonteCarloArguments const& arguments, monte_carlo::Problem const& problem,
                      monte_carlo::HostMonteCarloPlan const& need, std::string const& space,
                      OutOfRangeCounts const& out_of_range);

/// Whether a target error was given and not reached.
bool missed_target(MonteCarloArguments const& arguments, monte_carlo::HostMonteCarloReport const& report);

/// \brief Prints the summary of a calculation.
/// \param repetitions_before repetitions of the run that it continues
/// \param out_of_range       values of the problem that are out of range
void print_monte_carlo_summary(MonteCarloArguments const& arguments, monte_carlo::Problem const& problem,
                               monte_carlo::HostResults const& results, monte_carlo::HostMonteCarloReport const& report,
                               double repetitions_before, OutOfRangeCounts const& out_of_range);

/// The attributes of the output file.
io::Provenance monte_carlo_provenance(MonteCarloArguments const& arguments, monte_carlo::Options const& options,
                                      monte_carlo::HostMonteCarloReport const& report,
                                      OutOfRangeCounts const& out_of_range, std::string const& command_line);

}  // namespace parhelion::Apps

#endif
