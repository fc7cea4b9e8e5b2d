// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parhelion::monte_carlo {

namespace {

// Root mean square of the errors, in percent of the largest source.
double relative_error(Results const& results) {
  double square = 0;
  double largest = 0;
  std::size_t const n = results.q.size();
  for (std::size_t i = 0; i < n; ++i) {
    square += results.q_error.data()[i] * results.q_error.data()[i];
    largest = std::max(largest, std::abs(results.q.data()[i]));
  }
  double const rms = std::sqrt(square / static_cast<double>(std::max<std::size_t>(n, 1)));
  return largest > 0 ? 100 * rms / largest : 0;
}

template <class Space, class Real>
void run(Space const& space, Problem const& problem, Options const& options, HostMonteCarloOptions const& host,
         Results const& results, HostMonteCarloReport& report) {
  Kokkos::Timer const setup;
  Solver<Space, Real> solver(space, problem, options);
  int all = options.repetitions;
  if (host.resume) {
    solver.resume(space, host.resume->sums);
    all = std::max(all, host.resume->planned);
  }
  report.setup_seconds = setup.seconds();
  report.space = space.name();

  // Looks only where all are done: a run that was stopped and goes on then looks where it would have looked anyway.
  auto const plan = [&] {
    if (host.target_error <= 0 || solver.repetitions() < all) return;
    solver.fetch(space, results);
    double const error = relative_error(results);
    // Errors fall as one over the root of the number of repetitions.
    if (error > host.target_error)
      all = std::max(all, static_cast<int>(std::min<double>(
                              host.most_repetitions,
                              std::ceil(solver.repetitions() * std::pow(error / host.target_error, 2)) + 1)));
  };
  auto const pause = [&] { return Pause{solver.sums(space), all}; };

  // Short repetitions go together, which keeps a device busy on small grids; those who are told or asked do not wait.
  constexpr double short_seconds = 0.1;
  bool const alone = !host.progress && !host.checkpoint;
  int at_a_time = 1;
  Kokkos::Timer const timer;
  Kokkos::Timer since_checkpoint;
  bool go_on = true;
  plan();
  while (go_on && solver.repetitions() < all) {
    Kokkos::Timer const some;
    int const left = all - solver.repetitions();
    solver.solve(space, alone ? left : std::min(left, at_a_time));
    space.fence("parhelion::monte_carlo::compute");
    if (some.seconds() < short_seconds) at_a_time *= 2;
    plan();
    if (host.progress) go_on = host.progress(solver.repetitions(), all);
    if (host.checkpoint && since_checkpoint.seconds() >= host.checkpoint_seconds) {
      host.checkpoint(pause());
      since_checkpoint.reset();
    }
  }
  solver.fetch(space, results);
  report.solve_seconds = timer.seconds();
  report.repetitions = solver.repetitions();
  report.crossings = solver.crossings(space);
  report.device_bytes = solver.bytes();
  report.pause = pause();
}

}  // namespace

Results compute(Problem const& problem, Options const& options, HostMonteCarloOptions const& host,
                HostMonteCarloReport* report) {
  if (!(host.target_error >= 0 && std::isfinite(host.target_error)))
    throw Error("compute", fmt::format("target_error = {} %, expected a finite number >= 0", host.target_error));
  check(problem);
  check(options);
  Results results = make_results(problem);
  if (!options.walls) results.wall_flux = results.wall_flux_error = {};
  HostMonteCarloReport own;
  with_execution_space(host.execution_space, [&]<class Space>(Space const& space) {
    if (host.precision == Precision::float32)
      run<Space, float>(space, problem, options, host, results, own);
    else
      run<Space, double>(space, problem, options, host, results, own);
  });
  if (report != nullptr) *report = own;
  return results;
}

}  // namespace parhelion::monte_carlo
