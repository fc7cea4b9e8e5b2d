// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include "parhelion_revision.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/lanes.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parhelion::Perf {

namespace {

constexpr int repetitions = 7;

template <class ExecutionSpace, class Run>
double median_seconds(ExecutionSpace const& space, Run const& run) {
  run();
  space.fence();
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    Kokkos::Timer const timer;
    run();
    space.fence();
    seconds.push_back(timer.seconds());
  }
  return median(seconds);
}

template <class ExecutionSpace, class Real>
double copy_rate(ExecutionSpace const& space, bool tiny) {
  // Several times larger than any cache.
  std::size_t const n = (tiny ? 1U << 16U : 1U << 29U) / sizeof(Real);
  Array<Real*, ExecutionSpace> const from(Kokkos::view_alloc("parhelion::perf::from", Kokkos::WithoutInitializing), n);
  Array<Real*, ExecutionSpace> const to(Kokkos::view_alloc("parhelion::perf::to", Kokkos::WithoutInitializing), n);
  Kokkos::deep_copy(space, from, Real(1));
  double const seconds = median_seconds(space, [&] { Kokkos::deep_copy(space, to, from); });
  return 2.0 * static_cast<double>(n * sizeof(Real)) / seconds;
}

template <class ExecutionSpace, class Real>
double arithmetic_rate(ExecutionSpace const& space, bool tiny) {
  constexpr int width = lanes_per_thread<ExecutionSpace, Real>;
  constexpr int chains = 8;  // enough to hide the latency of an operation
  constexpr int steps = 512;
  int const n = tiny ? space.concurrency() : space.concurrency() * (runs_on_host<ExecutionSpace> ? 4096 : 16);
  Array<Real*, ExecutionSpace> const result("parhelion::perf::result", n);
  double const seconds = median_seconds(space, [&] {
    Kokkos::parallel_for(
        "parhelion::perf::arithmetic", Kokkos::RangePolicy<ExecutionSpace>(space, 0, n), KOKKOS_LAMBDA(int i) {
          Real value[chains * width];
          for (int c = 0; c < chains * width; ++c) value[c] = static_cast<Real>(i + c);
          Real const factor = static_cast<Real>(0.999) + static_cast<Real>(1e-9) * static_cast<Real>(i);
          for (int s = 0; s < steps; ++s)
            for (int c = 0; c < chains * width; ++c) value[c] = value[c] * factor + static_cast<Real>(0.001);
          Real sum = 0;
          for (int c = 0; c < chains * width; ++c) sum += value[c];
          result(i) = sum;
        });
  });
  return 2.0 * n * steps * chains * width / seconds;
}

constexpr std::size_t cache_bytes = 8192;  // less than half of any nearest cache

/// As large as the largest value that a lane of a device loads at once.
struct alignas(16) Sixteen {
  unsigned part[4];
};

/// Lanes of a device load a few values that all of them share over and over.
template <class ExecutionSpace>
struct LoadByLanes {
  using Value = Sixteen;
  static constexpr int values = cache_bytes / sizeof(Sixteen);
  static constexpr int streams = 8;   // loads that do not wait for each other
  static constexpr int spacing = 64;  // lanes of the widest warp
  static constexpr int steps = 512;
  static constexpr double loads = double(steps) * streams;

  Array<Value const*, ExecutionSpace> value;
  Array<unsigned*, ExecutionSpace> result;
  int shift;  // from step to step; known when it runs only, or a compiler would load once

  KOKKOS_FUNCTION void operator()(int i) const {
    Sixteen const* const from = value.data();
    unsigned sum[4] = {0, 0, 0, 0};
    int at = i;
    PARHELION_DO_NOT_UNROLL
    for (int step = 0; step < steps; ++step) {
      PARHELION_UNROLL
      for (int stream = 0; stream < streams; ++stream) {
        Sixteen const one = from[(at + stream * spacing) & (values - 1)];
        PARHELION_UNROLL
        for (int j = 0; j < 4; ++j) sum[j] ^= one.part[j];
      }
      at += shift;
    }
    result(i) = sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
  }
};

/// Threads of a host do so in vectors, which compilers make of the inner loop.
template <class ExecutionSpace>
struct LoadByVectors {
  using Value = unsigned;
  static constexpr int values = cache_bytes / sizeof(unsigned);
  static constexpr int spacing = 64;
  static constexpr int steps = 8192;
  static constexpr int half = values / 2;
  static constexpr double loads = double(steps) * half * sizeof(unsigned) / sizeof(Sixteen);

  Array<Value const*, ExecutionSpace> value;
  Array<unsigned*, ExecutionSpace> result;
  int shift;

  KOKKOS_FUNCTION void operator()(int i) const {
    constexpr int run = values / 8;  // four of them are half of the values
    unsigned sum = 0;
    int at = 0;
    for (int step = 0; step < steps; ++step) {
      unsigned const* const from = value.data() + at;
      unsigned a = 0, b = 0, c = 0, d = 0;
      for (int j = 0; j < run; ++j) {
        a ^= from[j];
        b ^= from[j + run];
        c ^= from[j + 2 * run];
        d ^= from[j + 3 * run];
      }
      sum = 3 * sum + (a ^ b ^ c ^ d);
      at = (at + shift) & (values / 2 - 1);
    }
    result(i) = sum;
  }
};

template <class ExecutionSpace>
double cache_rate(ExecutionSpace const& space, bool tiny) {
  using Load =
      std::conditional_t<runs_on_host<ExecutionSpace>, LoadByVectors<ExecutionSpace>, LoadByLanes<ExecutionSpace>>;
  int const n = tiny ? space.concurrency() : space.concurrency() * 4;
  Array<typename Load::Value*, ExecutionSpace> const value("parhelion::perf::value", Load::values);
  Array<unsigned*, ExecutionSpace> const result("parhelion::perf::result", n);
  Load const load{value, result, Load::spacing};
  double const seconds = median_seconds(space, [&] {
    Kokkos::parallel_for("parhelion::perf::cache", Kokkos::RangePolicy<ExecutionSpace>(space, 0, n), load);
  });
  return n * Load::loads * sizeof(Sixteen) / seconds;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Limits const& limits(ExecutionSpace const& space, bool tiny) {
  static Limits const measured{copy_rate<ExecutionSpace, Real>(space, tiny),
                               arithmetic_rate<ExecutionSpace, Real>(space, tiny),
                               cache_rate<ExecutionSpace>(space, tiny)};
  return measured;
}

#define PARHELION_INSTANTIATE(SPACE)                               \
  template Limits const& limits<SPACE, float>(SPACE const&, bool); \
  template Limits const& limits<SPACE, double>(SPACE const&, bool);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

std::vector<std::pair<std::string, std::string>> description_of_run() {
  std::ostringstream configuration;
  Kokkos::print_configuration(configuration);
  std::string text = configuration.str();
  // One value of the JSON context: its lines become entries.
  std::replace(text.begin(), text.end(), '\n', ';');
  return {
      {"parhelion_revision", PARHELION_REVISION}, {"processor", processor()},         {"compiler", __VERSION__},
      {"build_type", PARHELION_BUILD_TYPE},       {"cxx_flags", PARHELION_CXX_FLAGS}, {"kokkos_configuration", text}};
}

void describe_run() {
  for (auto const& [key, value] : description_of_run()) benchmark::AddCustomContext(key, value);
}

void set_work_counters(benchmark::State& state, Limits const& limits, double bytes_per_second,
                       double flops_per_second) {
  state.counters["bytes/s"] = bytes_per_second;
  state.counters["fraction_of_copy"] = bytes_per_second / limits.copy_bytes_per_second;
  state.counters["flops/s"] = flops_per_second;
  state.counters["fraction_of_peak"] = flops_per_second / limits.flops_per_second;
  state.counters["copy_bytes/s"] = limits.copy_bytes_per_second;
  state.counters["peak_flops/s"] = limits.flops_per_second;
}

double median(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int run_benchmarks(int argc, char** argv, bool& tiny, std::function<void()> const& add_all) {
  Kokkos::ScopeGuard const guard(argc, argv);
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--tiny")
      tiny = true;
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  describe_run();
  add_all();
  benchmark::RunSpecifiedBenchmarks();
  // What benchmarks keep may be device memory, and Kokkos ends with the guard.
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace parhelion::Perf
