// SPDX-License-Identifier: BSD-3-Clause
// Radiation in a box of gas: cells that rays cross per second and the error that they leave, over cells x rays x
// sampling x directions x grids x precision, with grid, gas and results on the device; and the parts of a call from
// host arrays to host arrays.
//
//   perf_monte_carlo [--tiny] [--benchmark_...]
//
// The table of narrow bands of H2O, h2o_nbck.h5, is looked for in $PARHELION_DATA, see monte_carlo_problem.hpp.
#include "machine.hpp"
#include "monte_carlo_problem.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>
#include <parhelion/monte_carlo/reciprocal_monte_carlo.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::monte_carlo;

bool tiny = false;

// Of a ray in a cell: distances to three faces and which is nearest 9, temperature 14, place in the table 5, absorption
// and source 6, transmittance and source along the segment 22, sums 4. An exponential counts as the 10 multiplications
// and additions that it is made of.
constexpr double operations_of_crossing = 60;

// Of a ray in a cell: slopes of temperature, a node of the table with its steps, a face. Caches serve most of it.
template <class Real>
constexpr double bytes_of_crossing = (4 + 4 + 1) * sizeof(Real);

// Fractions of the machine's limits.
template <class Space, class Real>
void set_counters(benchmark::State& state, double crossings, double seconds) {
  state.counters["crossings/s"] = crossings / seconds;
  Perf::set_work_counters(state, Perf::limits<Space, Real>(Space(), tiny),
                          crossings * bytes_of_crossing<Real> / seconds, crossings * operations_of_crossing / seconds);
}

template <class Space, class Real>
void sources(benchmark::State& state) {
  int const n = static_cast<int>(state.range(0));
  Options options;
  options.repetitions = static_cast<int>(state.range(2));
  options.rays = static_cast<int>(state.range(1));
  options.sampling = static_cast<Sampling>(state.range(3));
  options.directions = static_cast<Directions>(state.range(4));
  options.grids = static_cast<int>(state.range(5));
  auto const problem = Perf::monte_carlo_problem({n, n, n});
  Space const space;
  Kokkos::Timer const setup;
  using Solver = ReciprocalMonteCarlo<Space, Real>;
  DeviceProblem<Space, Real> const model(space, problem, options);
  Solver solver(space, model, Solver::capacity_for(problem, options));
  space.fence();
  double const setup_seconds = setup.seconds();
  // The same box with another temperature, as a flow has it step by step.
  Kokkos::Timer const renewal;
  solver.set_temperature(space, problem.temperature);
  double const renewal_seconds = renewal.seconds();
  auto const run = [&] {
    solver.restart(space);
    solver.accumulate(space, options.repetitions);
    space.fence();
  };
  run();
  double const seconds = Perf::time_iterations(state, run);
  double const per_call = seconds / static_cast<double>(state.iterations());

  auto const results = make_results(problem);
  solver.fetch(space, results);
  double largest = 0;
  for (std::size_t i = 0; i < results.q.size(); ++i) largest = std::max(largest, std::abs(results.q.data()[i]));
  auto const relative = [&](auto const& errors) {
    double sum = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) sum += errors.data()[i] * errors.data()[i];
    return std::sqrt(sum / static_cast<double>(errors.size())) / largest;
  };
  double const error = relative(results.q_error);
  if (!(error > 0 && std::isfinite(error))) state.SkipWithError("the error is not a positive number");
  double const crossings = solver.crossings(space);
  int const rays_of_repetition = options.rays / options.repetitions;
  double const rays = static_cast<double>(rays_of_repetition * options.repetitions) *
                      static_cast<double>(model.ncell() + model.nface());
  set_counters<Space, Real>(state, crossings, per_call);
  state.counters["rays/s"] = rays / per_call;
  state.counters["crossings_per_ray"] = crossings / rays;
  state.counters["error_percent"] = 100 * error;
  // Of averages over planes between the walls, which are what a profile is made of, and of that over the box.
  state.counters["plane_error_percent"] = 100 * relative(results.q_plane_error[0]);
  state.counters["box_error_percent"] = 100 * relative(results.q_box_error);
  state.counters["merit"] = 1 / (error * error * per_call);
  state.counters["setup_s"] = setup_seconds;
  state.counters["set_temperature_s"] = renewal_seconds;
  state.counters["device_bytes"] = static_cast<double>(model.bytes() + solver.workspace_bytes());
}

// The call of a program: tables and grids are made anew, and copied; results are copied back. What is neither
// preparation nor kernels are checks and copies of results.
template <class Space, class Real>
void host_sources(benchmark::State& state) {
  int const n = static_cast<int>(state.range(0));
  Options options;
  options.rays = static_cast<int>(state.range(1));
  options.repetitions = static_cast<int>(state.range(2));
  auto const problem = Perf::monte_carlo_problem({n, n, n});
  HostMonteCarloOptions host;
  host.precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
  Space const space;
  HostMonteCarloReport report;
  auto const run = [&] {
    auto const results = compute_sources(space, problem, options, host, &report);
    if (!std::isfinite(results.q(0, 0, 0))) state.SkipWithError("a source is not finite");
  };
  run();
  double preparation = 0;
  double solve = 0;
  double const seconds = Perf::time_iterations(state, [&] {
    run();
    preparation += report.setup_seconds;
    solve += report.solve_seconds;
  });
  auto const calls = static_cast<double>(state.iterations());
  set_counters<Space, Real>(state, report.crossings, seconds / calls);
  double const rays = static_cast<double>(options.rays) * static_cast<double>(count_items(problem, options));
  state.counters["rays/s"] = rays * calls / seconds;
  state.counters["setup_s"] = preparation / calls;
  state.counters["solve_s"] = solve / calls;
  state.counters["rest_s"] = (seconds - preparation - solve) / calls;
}

template <class Space, class Real>
void add_host() {
  std::string const name =
      std::string("host_arrays/") + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(name.c_str(), host_sources<Space, Real>);
  benchmark->ArgNames({"n", "rays", "repetitions"})->UseManualTime()->Unit(benchmark::kMillisecond);
  if (tiny)
    benchmark->Args({4, 16, 2});
  else if (runs_on_host<Space>)
    benchmark->Args({16, 256, 8});
  else
    benchmark->Args({64, 6000, 4});
}

template <class Space, class Real>
void add() {
  std::string const name =
      std::string("monte_carlo/") + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(name.c_str(), sources<Space, Real>);
  benchmark->ArgNames({"n", "rays", "repetitions", "sampling", "directions", "grids"})->UseManualTime();
  benchmark->Unit(benchmark::kMillisecond);
  constexpr int random = static_cast<int>(Sampling::random);
  constexpr int stratified = static_cast<int>(Sampling::stratified);
  constexpr int sobol = static_cast<int>(Sampling::sobol);
  constexpr int kronecker = static_cast<int>(Sampling::kronecker);
  constexpr int independent = static_cast<int>(Directions::independent);
  constexpr int shared = static_cast<int>(Directions::shared);
  constexpr int tiles = static_cast<int>(Directions::tiles);
  if (tiny) {
    benchmark->Args({4, 16, 2, kronecker, tiles, 0});
    benchmark->Args({4, 16, 2, sobol, independent, 0});
    return;
  }
  bool const host = runs_on_host<Space>;
  int const cells = host ? 16 : 64;
  int const rays = host ? 256 : 4096;
  // How rays are drawn.
  for (int const sampling : {random, stratified, sobol, kronecker})
    for (int const directions : {independent, shared, tiles})
      benchmark->Args({cells, rays, 8, sampling, directions, 0});
  // The size that Silvestri & Pecnik (2019) give.
  if (!host)
    for (int const directions : {independent, shared, tiles})
      benchmark->Args({cells, 6000, 4, kronecker, directions, 0});
  // Over rays: error against time.
  for (int factor : {4, 16}) benchmark->Args({cells, rays / factor, 8, kronecker, tiles, 0});
  if (!host) benchmark->Args({cells, 4 * rays, 8, kronecker, tiles, 0});
  // Over repetitions of the same rays.
  for (int const repetitions : {2, 32}) benchmark->Args({cells, rays, repetitions, kronecker, tiles, 0});
  // Over grids that lie over each other: one, two, three.
  for (int const grids : {1, 2, 3}) benchmark->Args({cells, rays, 8, kronecker, tiles, grids});
  // Over cells.
  if (host) {
    for (int const n : {8, 32}) benchmark->Args({n, rays / 4, 8, kronecker, tiles, 0});
  } else {
    for (int const n : {16, 32, 128, 192}) benchmark->Args({n, rays / 4, 8, kronecker, tiles, 0});
  }
}

}  // namespace

int main(int argc, char** argv) {
  return Perf::run_benchmarks(argc, argv, tiny, [] {
#define PARHELION_ADD(SPACE) \
  add<SPACE, float>();       \
  add<SPACE, double>();      \
  add_host<SPACE, float>();  \
  add_host<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
  });
}
