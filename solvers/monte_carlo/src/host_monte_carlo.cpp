// SPDX-License-Identifier: BSD-3-Clause
#include "device_field.hpp"
#include "run_repetitions.hpp"

#include <parhelion/core/device.hpp>

#include <cstddef>
#include <vector>

namespace parhelion::monte_carlo {

HostResults compute_sources(Problem const& problem, Options const& options, HostMonteCarloOptions const& host,
                            HostMonteCarloReport* report) {
  return Impl::compute_sources_by(Impl::SingleProcess{}, problem, options, host, report);
}

template <KokkosExecutionSpace Space>
HostResults compute_sources(Space const& space, Problem const& problem, Options const& options,
                            HostMonteCarloOptions const& host, HostMonteCarloReport* report) {
  return Impl::compute_sources_on([&](auto const& run) { run(space); }, Impl::SingleProcess{}, problem, options, host,
                                  report);
}

std::size_t count_items(Problem const& problem, Options const& options) {
  return problem.grid.size() + static_cast<std::size_t>(Impl::faces_of(problem, options).n());
}

namespace {

template <class Space, class Real>
HostMonteCarloPlan plan_on(Space const& space, Problem const& problem, Options const& options,
                           HostMonteCarloOptions const& host) {
  using Solver = ReciprocalMonteCarlo<Space, Real>;
  std::size_t const items = count_items(problem, options);
  HostMonteCarloPlan plan;
  plan.devices = Impl::devices_for<Space>(items, options, host);
  auto capacity = Solver::capacity_for(problem, options, Impl::part_of_range({0, items}, 0, plan.devices));
  capacity.repetitions = Impl::max_concurrent_repetitions(
      Solver::concurrent_repetitions(items / static_cast<std::size_t>(plan.devices)), options, host);
  std::vector<double> faces;
  auto const numbers = Impl::numbers_of(problem);
  plan.grids = static_cast<int>(levels_of(problem, numbers, options, faces).size());
  plan.cells = capacity.ncells;
  plan.nodes = Impl::nodes_of_table(problem, numbers, options);
  plan.device_bytes =
      DeviceProblem<Space, Real>::bytes(problem, options) + Solver::workspace_bytes(space, capacity, {});
  // Results with their errors, the table while it is made, and a checkpoint with the sums of unfinished repetitions.
  std::size_t const sums = Impl::quantities * items * sizeof(double);
  plan.host_bytes = 3 * items * sizeof(double) +
                    2 * static_cast<std::size_t>(problem.spectrum.npoint() * plan.nodes) * sizeof(double) +
                    sums * (2 + 2 * static_cast<std::size_t>(capacity.repetitions)) +
                    (runs_on_host<Space> ? 0 : (plan.cells + capacity.ncell) * sizeof(Real));
  return plan;
}

}  // namespace

HostMonteCarloPlan plan_sources(Problem const& problem, Options const& options, HostMonteCarloOptions const& host) {
  HostMonteCarloPlan plan;
  with_execution_space(host.space, [&]<class Space>(Space const& space) {
    plan = host.precision == Precision::float32 ? plan_on<Space, float>(space, problem, options, host)
                                                : plan_on<Space, double>(space, problem, options, host);
  });
  return plan;
}

#define PARHELION_INSTANTIATE(SPACE)                                                                               \
  template HostResults compute_sources(SPACE const&, Problem const&, Options const&, HostMonteCarloOptions const&, \
                                       HostMonteCarloReport*);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace parhelion::monte_carlo
