// SPDX-License-Identifier: BSD-3-Clause
// Longwave fluxes: columns per second over columns x layers x precision, for both gas optics and all execution spaces.
//
//   perf_longwave [--tiny] [--benchmark_...]
//
// The coefficients of RRTMG_LW are looked for in $PARHELION_DATA; without them its benchmarks are left out.
#include "longwave_columns.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/longwave.hpp>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace parhelion::Perf {

std::optional<Coefficients> coefficients;
bool tiny = false;

namespace {

template <class Model>
void longwave(benchmark::State& state, std::shared_ptr<Model const> const& model, Transmittance transmittance,
              bool cloudy) {
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  Space const space;
  Longwave<Model> solver(space, *model, {nlay}, {transmittance, static_cast<int>(state.range(2))});
  auto const columns = random_columns<Space, Real>(ncol, nlay);
  Clouds<Space, Real> clouds;
  if (cloudy) clouds = random_clouds(columns);
  auto const fluxes = make_fluxes<Space, Real>(ncol, nlay, {.clear = cloudy});
  solver.solve(space, {columns, clouds}, fluxes);
  space.fence();
  double const seconds = time_iterations(state, [&] {
    solver.solve(space, {columns, clouds}, fluxes);
    space.fence();
  });
  if (!solver.status(space).good()) state.SkipWithError("a flux is not finite");
  set_counters(state, space, *model, ncol, nlay, seconds);
  state.counters["workspace_bytes"] = static_cast<double>(solver.workspace_bytes());
}

// A day of a climate model with longwave radiation every hour, from host arrays to host arrays: the case of Wang et al.
// (2019), doi:10.3390/app9194039, which has 32,768 columns and 51 layers. The first call, which allocates, is not
// timed.
template <class Space, class Real>
void model_day(benchmark::State& state, bool cloudy) {
  constexpr int calls = 24;
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const columns = random_columns<Host, Real>(ncol, nlay);
  Clouds<Host, Real> clouds;
  if (cloudy) clouds = random_clouds(columns);
  HostLongwaveOptions const options{.space = Space::name(),
                                    .precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64,
                                    .chunk = static_cast<int>(state.range(2)),
                                    .devices = static_cast<int>(state.range(3)),
                                    .outputs = {.clear = cloudy}};
  auto const fluxes = make_fluxes<Host, Real>(ncol, nlay, options.outputs);
  HostLongwave<Real> solver(ncol, nlay, clouds, false, *coefficients, options);
  solver.compute(columns, clouds, fluxes);
  double const seconds = time_iterations(state, [&] {
    for (int call = 0; call < calls; ++call) solver.compute(columns, clouds, fluxes);
  });
  state.counters["columns/s"] = ncol * static_cast<double>(calls * state.iterations()) / seconds;
  state.counters["chunk"] = solver.plan().chunk;
  state.counters["devices"] = solver.plan().devices;
  state.counters["device_bytes"] = static_cast<double>(solver.plan().device_bytes);
}

/// The layouts of host_arrays, by number.
constexpr std::array layouts{"row-major", "column fastest", "column fastest and padded"};

/// The arrays of a row-major set in another layout, and their values.
template <template <KokkosExecutionSpace, FloatingEntry, class> class Set, class Real>
Set<Kokkos::DefaultHostExecutionSpace, Real, Kokkos::LayoutStride> in_layout(
    Set<Kokkos::DefaultHostExecutionSpace, Real, Kokkos::LayoutRight> const& arrays, int layout_number) {
  using Other = Set<Kokkos::DefaultHostExecutionSpace, Real, Kokkos::LayoutStride>;
  Other other;
  Other::for_each_array(
      [&]<class View>(ArrayDescription const& description, View& to, auto const& from) {
        if (from.size() == 0) return;
        constexpr std::size_t rank = View::rank();
        Kokkos::LayoutStride layout;
        std::size_t stride = 1;
        for (std::size_t i = 0; i < rank; ++i) {
          std::size_t const d = layout_number == 0 ? rank - 1 - i : i;
          layout.dimension[d] = from.extent(d);
          layout.stride[d] = stride;
          stride *= from.extent(d) + (i == 0 && layout_number == 2 ? 16 : 0);
        }
        to = View(std::string(description.name), layout);
        ArrayCopies copies;
        copies.add(array_ref(from), array_ref(to));
        copies.run(Kokkos::DefaultHostExecutionSpace());
      },
      other, arrays);
  return other;
}

// One call from host arrays to host arrays of a layout.
template <class Space, class Real>
void host_arrays(benchmark::State& state) {
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  int const layout = static_cast<int>(state.range(2));
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const columns = in_layout(random_columns<Host, Real>(ncol, nlay), layout);
  auto const fluxes = in_layout(make_fluxes<Host, Real>(ncol, nlay), layout);
  HostLongwaveOptions const options{.space = Space::name(),
                                    .precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64};
  HostLongwave<Real> solver(ncol, nlay, {}, false, *coefficients, options);
  solver.compute(columns, Clouds<Host, Real>(), fluxes);
  double const seconds = time_iterations(state, [&] { solver.compute(columns, Clouds<Host, Real>(), fluxes); });
  state.counters["columns/s"] = ncol * static_cast<double>(state.iterations()) / seconds;
  state.SetLabel(layouts[static_cast<std::size_t>(layout)]);
}

// Threads of a caller, each with a solver on an instance of one thread.
template <class Space, class Real>
void callers(benchmark::State& state) {
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  auto const nthread = static_cast<std::size_t>(state.range(2));
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const columns = random_columns<Host, Real>(ncol, nlay);
  HostLongwaveOptions const options{.precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64};
  std::vector<HostLongwave<Real>> solvers;
  std::vector<Fluxes<Host, Real>> fluxes;
  for (std::size_t t = 0; t < nthread; ++t) {
    solvers.emplace_back(Space(1), ncol, nlay, Clouds<Host, Real>(), false, *coefficients, options);
    fluxes.push_back(make_fluxes<Host, Real>(ncol, nlay));
  }
  double const seconds = time_iterations(state, [&] {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < nthread; ++t)
      threads.emplace_back([&, t] { solvers[t].compute(columns, Clouds<Host, Real>(), fluxes[t]); });
    for (auto& thread : threads) thread.join();
  });
  state.counters["columns/s"] = ncol * static_cast<double>(state.iterations()) * static_cast<double>(nthread) / seconds;
}

template <class Space, class Real>
void add_host_calls() {
  std::string const kind = std::string(Space::name()) + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const arrays = benchmark::RegisterBenchmark(("host_arrays/" + kind).c_str(), host_arrays<Space, Real>);
  arrays->ArgNames({"ncol", "nlay", "layout"})->UseManualTime()->Unit(benchmark::kMillisecond);
  for (int layout = 0; layout < static_cast<int>(layouts.size()); ++layout)
    arrays->Args({tiny ? 16 : runs_on_host<Space> ? 4096 : 32768, tiny ? 10 : 51, layout});
  if constexpr (runs_on_host<Space> && std::is_constructible_v<Space, int>) {
    auto* const calls = benchmark::RegisterBenchmark(("callers/" + kind).c_str(), callers<Space, Real>);
    calls->ArgNames({"ncol", "nlay", "threads"})->UseManualTime()->Unit(benchmark::kMillisecond);
    for (int threads : {1, 2}) calls->Args({tiny ? 16 : 4096, tiny ? 10 : 51, threads});
  }
}

// Sizes are columns, layers, and layers a block (0: the default).
template <class Model>
benchmark::internal::Benchmark* add(std::string const& name, std::shared_ptr<Model const> const& model,
                                    Transmittance transmittance, bool cloudy = false) {
  using Space = typename Model::execution_space;
  std::string const full =
      name + "/" + Space::name() + (std::is_same_v<typename Model::value_type, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(
      full.c_str(), [=](benchmark::State& state) { longwave<Model>(state, model, transmittance, cloudy); });
  benchmark->ArgNames({"ncol", "nlay", "block"})->UseManualTime();
  return benchmark->Args({tiny ? 16 : 16384, tiny ? 10 : 51, 0});
}

// Growth with columns and layers, and the ways to cut the work.
void add_sizes(benchmark::internal::Benchmark* benchmark) {
  if (tiny) return;
  for (int const ncol : {4, 16, 64, 256, 1024, 4096, 32768, 65536, 262144, 1048576}) benchmark->Args({ncol, 51, 0});
  for (int const nlay : {20, 35, 75, 100, 140, 200}) benchmark->Args({16384, nlay, 0});
  for (int const block : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16}) benchmark->Args({16384, 51, block});
}

template <class Space, class Real>
void add_model_days() {
  for (bool const cloudy : {false, true}) {
    std::string const name = std::string("model_day_") + (cloudy ? "all_sky/" : "clear/") + Space::name() +
                             (std::is_same_v<Real, float> ? "/float" : "/double");
    auto* const benchmark = benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { model_day<Space, Real>(state, cloudy); });
    benchmark->ArgNames({"ncol", "nlay", "chunk", "devices"})->UseManualTime()->Unit(benchmark::kMillisecond);
    if (tiny)
      benchmark->Args({16, 10, 0, 1});
    else if (!runs_on_host<Space>)
      for (int devices : {1, 0})
        for (int chunk : {0, 1024, 2048, 4096, 8192, 16384}) benchmark->Args({32768, 51, chunk, devices});
  }
}

template <class Space, class Real>
void add_all() {
  add<SimpleSpectral<Space, Real>>("simple", std::make_shared<SimpleSpectral<Space, Real> const>(),
                                   Transmittance::exact);
  if (!coefficients) return;
  auto const model = std::make_shared<GasOptics<Space, Real> const>(*coefficients);
  add_model_days<Space, Real>();
  add_host_calls<Space, Real>();
  add_sizes(add<GasOptics<Space, Real>>("rrtmg_exact", model, Transmittance::exact));
  add_sizes(add<GasOptics<Space, Real>>("rrtmg_all_sky", model, Transmittance::exact, true));
  add<GasOptics<Space, Real>>("rrtmg_table", model, Transmittance::table);
}

}  // namespace

}  // namespace parhelion::Perf

int main(int argc, char** argv) {
  using namespace parhelion;
  using namespace parhelion::Perf;
  return run_benchmarks(argc, argv, tiny, [] {
    read_coefficients("perf_longwave: without RRTMG's gas optics: ");
#define PARHELION_ADD(SPACE) \
  add_all<SPACE, float>();   \
  add_all<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
    if (coefficients) add_parallelism();
  });
}
