// SPDX-License-Identifier: BSD-3-Clause
// One rank, in a build without MPI.
#include "launcher.hpp"
#include "ranks.hpp"
#include "ranks_monte_carlo.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cstdlib>

namespace parhelion::Apps {

void Ranks::start() {
  if (int const processes = find_launcher().processes; processes > 1)
    throw Error("launcher",
                fmt::format("started as one of {} processes, each of which would do all of the work, as this build has "
                            "no MPI; expected one process, a build with PARHELION_ENABLE_MPI, or PARHELION_MPI=no in "
                            "the environment where each has work of its own",
                            processes));
}

void Ranks::finish() {}

void Ranks::abort(int status) const { std::_Exit(status); }

io::FileSharing const* Ranks::file_sharing() const {
  use_parallel_hdf5(false);
  return nullptr;
}

std::vector<double> Ranks::sums(std::vector<double> const& numbers) const { return numbers; }

std::vector<double> Ranks::largest(std::vector<double> const& numbers) const { return numbers; }

double Ranks::sum_on_machine(double number) const { return number; }

int Ranks::cores_of_machine() const { return 0; }  // asked for several ranks only

int Ranks::smallest(int number) const { return number; }

void Ranks::broadcast(std::string& /*text*/, int /*from*/) const {}

void Ranks::send(void const* /*bytes*/, std::size_t /*size*/, int /*to*/) const {}

void Ranks::receive(void* /*bytes*/, std::size_t /*size*/, int /*from*/) const {}

monte_carlo::HostResults compute_sources_by_ranks(monte_carlo::Problem const& problem,
                                                  monte_carlo::Options const& options,
                                                  monte_carlo::HostMonteCarloOptions const& host,
                                                  monte_carlo::HostMonteCarloReport* report) {
  return monte_carlo::compute_sources(problem, options, host, report);
}

}  // namespace parhelion::Apps
