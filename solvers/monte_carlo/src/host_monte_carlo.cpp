// SPDX-License-Identifier: BSD-3-Clause
#include "device_field.hpp"
#include "repeat.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace parhelion::monte_carlo {

Results compute(Problem const& problem, Options const& options, HostMonteCarloOptions const& host,
                HostMonteCarloReport* report) {
  return Impl::compute_by(Impl::Alone{}, problem, options, host, report);
}

std::size_t count_items(Problem const& problem, Options const& options) {
  std::size_t items = problem.grid.size();
  for (int side = 0; options.walls && side < 6; ++side) {
    if (!problem.boundaries[static_cast<std::size_t>(side)].is_wall()) continue;
    auto const [n0, n1] = face_extents(problem.grid, side);
    items += n0 * n1;
  }
  return items;
}

MemoryNeed memory_needed(Problem const& problem, Options const& options, HostMonteCarloOptions const& host) {
  check(problem);
  check(options);
  MemoryNeed need;
  std::vector<double> faces;
  auto const levels = levels_of(problem, options, faces);
  need.levels = static_cast<int>(levels.size());
  for (Level const& level : levels)
    need.cells += static_cast<std::size_t>(level.ncell[0]) * static_cast<std::size_t>(level.ncell[1]) *
                  static_cast<std::size_t>(level.ncell[2]);
  need.nodes = Impl::nodes_of_table(problem, options);
  std::size_t const real = host.precision == Precision::float32 ? sizeof(float) : sizeof(double);
  std::size_t const ncell = problem.grid.size();
  std::size_t const items = count_items(problem, options);
  auto const npoint = static_cast<std::size_t>(problem.spectrum.npoint());
  std::size_t together = 1;
  bool on_host = true;
  with_execution_space(host.execution_space, [&]<class Space>(Space const&) {
    together = static_cast<std::size_t>(Solver<Space, double>::together(items));
    on_host = runs_on_host<Space>;
  });
  int const most = host.target_error > 0 ? host.most_repetitions : options.repetitions;
  together = std::min(together, static_cast<std::size_t>(most));
  if (host.resume) together = std::max(together, static_cast<std::size_t>(host.resume->sums.begun));

  std::size_t const table = npoint * static_cast<std::size_t>(need.nodes);
  std::size_t const of_cell = (problem.mole_fraction.size() > 0 ? 7 : 6) * real;
  std::size_t const sums = Impl::quantities * items * sizeof(double);
  need.device = faces.size() * real + need.cells * of_cell + ncell * real + 4 * table * real +
                Impl::wall_sources(problem) * real + sums * (1 + together);
  if (host.precision == Precision::float32) need.device += ncell * sizeof(double);
  if (options.directions == Directions::shared)
    need.device +=
        2 * together * 4 * real *
        static_cast<std::size_t>(Impl::rays_drawn(options.rays / options.repetitions, static_cast<int>(together)));
  // Results with their errors, the table as it is made, and a checkpoint with the sums of repetitions that have begun.
  need.host = 3 * items * sizeof(double) + 2 * table * sizeof(double) + sums * (2 + 2 * together) +
              (on_host ? 0 : need.cells * real);
  return need;
}

}  // namespace parhelion::monte_carlo
