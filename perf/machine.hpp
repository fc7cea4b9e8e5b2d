// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark's figures are measured against: the machine's own limits, measured in the same run.
#ifndef PARHELION_PERF_MACHINE_HPP
#define PARHELION_PERF_MACHINE_HPP

#include <parhelion/core/types.hpp>

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::Perf {

/// Limits of an execution space in one precision.
struct Limits {
  double copy_bytes_per_second;   ///< bytes read plus bytes written when a large array is copied
  double flops_per_second;        ///< multiplications plus additions in independent chains of fused multiply-adds
  double cache_bytes_per_second;  ///< loads of 16 bytes, neighbours by neighbouring lanes, from the nearest cache
};

/// Measures the limits once, and returns what was measured at later calls.
/// \param tiny little work, for a run that is to show that everything works
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Limits const& limits(ExecutionSpace const& space, bool tiny);

/// Sets the counters of compulsory traffic and of operations, both per second, and their fractions of the limits.
void set_work_counters(benchmark::State& state, Limits const& limits, double bytes_per_second, double flops_per_second);

/// \brief Makes a call in each iteration of a benchmark, whose time is that of the call.
/// \return of all iterations [s]
template <class Call>
double time_iterations(benchmark::State& state, Call&& call) {
  double seconds = 0;
  for (auto _ : state) {
    Kokkos::Timer const timer;
    call();
    double const took = timer.seconds();
    state.SetIterationTime(took);
    seconds += took;
  }
  return seconds;
}

/// The median of at least one value, which are put into another order.
double median(std::vector<double>& values);

/// \brief The main function of a benchmark program: `PROGRAM [--tiny] [--benchmark_...]`.
/// \param tiny         set where the smallest sizes are asked for
/// \param add_all      registers the benchmarks
/// \return exit status
int run_benchmarks(int argc, char** argv, bool& tiny, std::function<void()> const& add_all);

/// Machine, Kokkos configuration, revision, compiler and build, each under its key in a JSON report.
std::vector<std::pair<std::string, std::string>> description_of_run();

/// Puts description_of_run() into the context of Google Benchmark's report.
void describe_run();

}  // namespace parhelion::Perf

#endif
