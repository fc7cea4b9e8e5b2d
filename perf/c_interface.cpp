// SPDX-License-Identifier: BSD-3-Clause
// What a call through the C interface costs beside one of the C++ solver: longwave fluxes in double precision.
//
//   perf_c_interface [--tiny] [--benchmark_...]
//
// The ways are: the solver alone on its own arrays; HostLongwave with row-major arrays; the C interface with row-major
// arrays; and the C interface as a climate model calls it, with the column fastest, gases one by one, pressures in hPa
// and, with clouds, those of g-points with the g-point fastest (RRTMG_LW's McICA arrays). The coefficients of RRTMG_LW
// are looked for in $PARHELION_DATA.
#include "longwave_columns.hpp"

#include <parhelion.h>

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/io/rrtmg_files.hpp>

#include <array>
#include <cstddef>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::Perf {

std::optional<Coefficients> coefficients;
bool tiny = false;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Row = Columns<Host, double>;

/// Clouds of g-points from clouds of layers: cloudy where the fraction is above a fixed number of the g-point.
Clouds<Host, double> gpoint_clouds(Row const& columns) {
  auto const of_layers = random_clouds<Host, double>(columns);
  auto clouds = make_gpoint_clouds<Host, double>(columns.ncol(), columns.nlay(), true);
  clouds.ice_size = of_layers.ice_size;
  clouds.liquid_size = of_layers.liquid_size;
  for (int c = 0; c < columns.ncol(); ++c)
    for (int k = 0; k < columns.nlay(); ++k)
      for (int g = 0; g < ngpt; ++g) {
        clouds.fraction_gpt(c, k, g) = of_layers.fraction(c, k) > random_number(31ULL * g + 7) ? 1 : 0;
        clouds.ice_path_gpt(c, k, g) = of_layers.ice_path(c, k);
        clouds.liquid_path_gpt(c, k, g) = of_layers.liquid_path(c, k);
      }
  return clouds;
}

/// Arrays of double in the layout of a way.
class Store {
 public:
  /// A copy of a View, its values times a factor, with the first index fastest or the last.
  template <class View>
  parhelion_array copy(View const& view, bool first_fastest, double factor = 1) {
    constexpr auto rank = View::rank();
    m_memory.emplace_back(view.size());
    parhelion_array array{};
    array.data = m_memory.back().data();
    array.rank = static_cast<std::int32_t>(rank);
    std::int64_t stride = 1;
    ArrayRef to{.data = array.data, .type = ValueType::float64, .rank = array.rank};
    for (std::size_t i = 0; i < rank; ++i) {
      std::size_t const d = first_fastest ? i : rank - 1 - i;
      array.extent[d] = static_cast<std::int64_t>(view.extent(d));
      array.stride[d] = stride;
      stride *= array.extent[d];
      to.extents[d] = array.extent[d];
      to.strides[d] = array.stride[d];
    }
    ArrayCopies copies;
    copies.add(array_ref(view), to, {.factor = factor});
    copies.run(Host());
    return array;
  }

 private:
  std::vector<std::vector<double>> m_memory;
};

struct Problem {
  int ncol, nlay;
  Row columns;
  Clouds<Host, double> clouds = {};
  Fluxes<Host, double> fluxes;

  explicit Problem(benchmark::State const& state)
      : ncol(static_cast<int>(state.range(0))),
        nlay(static_cast<int>(state.range(1))),
        columns(random_columns<Host, double>(ncol, nlay)),
        fluxes(make_fluxes<Host, double>(ncol, nlay)) {
    if (state.range(2) != 0) clouds = gpoint_clouds(columns);
  }
};

template <class Model>
constexpr bool is_rrtmg = std::is_same_v<Model, GasOptics<Host, double>>;

template <class Model>
Model make_model() {
  if constexpr (is_rrtmg<Model>)
    return Model(Host(), *coefficients);
  else
    return Model(Host());
}

template <class Model, class Call>
void measure(benchmark::State& state, Problem const& p, Call const& call) {
  call();
  double seconds = 0;
  for (auto _ : state) {
    Kokkos::Timer const timer;
    call();
    double const took = timer.seconds();
    state.SetIterationTime(took);
    seconds += took;
  }
  set_counters(state, Host(), make_model<Model>(), p.ncol, p.nlay, seconds);
}

template <class Model>
void solver_alone(benchmark::State& state) {
  Problem const p(state);
  Host const space;
  Longwave<Model> solver(space, make_model<Model>(), {p.nlay});
  measure<Model>(state, p, [&] {
    solver.solve(space, {p.columns, p.clouds}, p.fluxes);
    space.fence();
  });
}

template <class Model>
void cpp(benchmark::State& state) {
  Problem const p(state);
  HostLongwave<double> solver(p.ncol, p.nlay, p.clouds, false, is_rrtmg<Model> ? &*coefficients : nullptr,
                              {.space = Host::name()});
  auto const results = array_refs(p.fluxes);
  auto const input = arrays_of(p.columns, p.clouds);
  HostLongwaveReport report;
  measure<Model>(state, p, [&] { solver.compute(input, results, &report); });
}

template <class Model>
void c(benchmark::State& state, bool as_a_model) {
  Problem const p(state);
  Store store;
  bool const f = as_a_model;
  parhelion_longwave_options options{};
  options.size = sizeof options;
  options.space = Host::name();
  options.model = is_rrtmg<Model> ? PARHELION_RRTMG_LW : PARHELION_SIMPLE;
  options.ncol = p.ncol;
  options.nlay = p.nlay;
  options.clouds = p.clouds.any() ? PARHELION_CLOUDS_OF_GPOINTS : PARHELION_CLOUDS_NONE;
  options.cloud_optical_depth = 1;
  if (!p.clouds.any()) options.cloud_optical_depth = 0;
  options.checks = as_a_model ? PARHELION_CHECK_CLIP : PARHELION_CHECK_REFUSE;
  parhelion_longwave* solver = nullptr;
  auto const check = [&](int status) {
    if (status == PARHELION_SUCCESS) return true;
    char message[500];
    parhelion_last_error(message, sizeof message);
    state.SkipWithError(message);
    return false;
  };
  if (!check(parhelion_longwave_create(&options, &solver))) return;
  parhelion_longwave_input in{};
  in.size = sizeof in;
  double const hectopascals = as_a_model ? 0.01 : 1;
  in.pressure_factor = as_a_model ? 100 : 1;
  double const grams = as_a_model ? 1e3 : 1;
  double const micrometres = as_a_model ? 1e6 : 1;
  in.path_factor = as_a_model ? 1e-3 : 1;
  in.particle_size_factor = as_a_model ? 1e-6 : 1;
  in.pressure_lay = store.copy(p.columns.pressure_lay, f, hectopascals);
  in.pressure_lev = store.copy(p.columns.pressure_lev, f, hectopascals);
  in.temperature_lay = store.copy(p.columns.temperature_lay, f);
  in.temperature_lev = store.copy(p.columns.temperature_lev, f);
  in.temperature_sfc = store.copy(p.columns.temperature_sfc, f);
  in.emissivity_sfc = store.copy(p.columns.emissivity_sfc, f);
  for (int gas = 0; gas < ngas; ++gas)
    in.gases[gas] = store.copy(Kokkos::subview(p.columns.vmr, Kokkos::ALL, gas, Kokkos::ALL), f);
  if (p.clouds.any()) {
    // The g-point is the fastest for models, too.
    in.fraction_gpt = store.copy(p.clouds.fraction_gpt, false);
    in.ice_path_gpt = store.copy(p.clouds.ice_path_gpt, false, grams);
    in.liquid_path_gpt = store.copy(p.clouds.liquid_path_gpt, false, grams);
    in.optical_depth_gpt = store.copy(p.clouds.optical_depth_gpt, false);
    in.ice_size = store.copy(p.clouds.ice_size, f, micrometres);
    in.liquid_size = store.copy(p.clouds.liquid_size, f, micrometres);
  }
  parhelion_longwave_output out{};
  out.size = sizeof out;
  out.flux_up = store.copy(p.fluxes.flux_up, f);
  out.flux_dn = store.copy(p.fluxes.flux_dn, f);
  out.heating_rate = store.copy(p.fluxes.heating_rate, f);
  if (check(parhelion_longwave_solve(solver, &in, &out, nullptr)))
    measure<Model>(state, p, [&] { (void)parhelion_longwave_solve(solver, &in, &out, nullptr); });
  (void)parhelion_longwave_destroy(solver);
}

template <class Model>
void add_benchmarks(std::string const& model_name) {
  auto const add = [&](char const* name, auto const& function) {
    auto* const way = benchmark::RegisterBenchmark((model_name + "/" + name).c_str(), function);
    way->ArgNames({"ncol", "nlay", "clouds"})->UseManualTime()->Unit(benchmark::kMicrosecond);
    for (int const clouds : {0, 1})
      for (int const ncol : {1, 16, 1024})
        if ((!tiny || ncol < 17) && (is_rrtmg<Model> || clouds == 0)) way->Args({ncol, tiny ? 10 : 51, clouds});
  };
  add("solver_alone", solver_alone<Model>);
  add("cpp", cpp<Model>);
  add("c", [](benchmark::State& state) { c<Model>(state, false); });
  add("c_as_a_model", [](benchmark::State& state) { c<Model>(state, true); });
}

}  // namespace

}  // namespace parhelion::Perf

int main(int argc, char** argv) {
  using namespace parhelion;
  using namespace parhelion::Perf;
  return run_benchmarks(argc, argv, tiny, [] {
    try {
      coefficients.emplace(io::read_rrtmg_lw_data(io::find_rrtmg_lw_data(), record_values()));
    } catch (Error const& error) {
      std::cerr << "perf_c_interface: without RRTMG's gas optics: " << error.what() << '\n';
    }
    add_benchmarks<SimpleSpectral<Host, double>>("simple");
    if (coefficients) add_benchmarks<GasOptics<Host, double>>("rrtmg");
  });
}
