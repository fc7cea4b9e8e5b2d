// SPDX-License-Identifier: BSD-3-Clause
// What a call through the C interface costs beside one of the C++ solver: longwave fluxes in double precision.
//
//   perf_c_interface [--tiny] [--benchmark_...]
//
// The ways are: the solver alone on its own arrays; HostLongwave with row-major arrays; the C interface with row-major
// arrays; and the C interface as a climate model calls it, with the column fastest, gases one by one, pressures in hPa
// and, with clouds, those of g-points with the g-point fastest (RRTMG_LW's McICA arrays). Beside them stand the loops
// by which a model would pack these arrays into those of the solver, and its results into the model's: what a call
// takes beyond solver and packing is the cost of the interface, which `in_turn` finds. Threads that call as a model at
// the same time, with a solver each, are also compared with one call for the columns of all of them, on hosts and on
// devices. The coefficients of RRTMG_LW are looked for in $PARHELION_DATA.
#include "longwave_columns.hpp"

#include <parhelion.h>

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/longwave.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace parhelion::Perf {

std::optional<Coefficients> coefficients;
bool tiny = false;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Row = Columns<Host, double>;

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

  /// \param times as many columns as the benchmark says
  explicit Problem(benchmark::State const& state, int times = 1)
      : ncol(times * static_cast<int>(state.range(0))),
        nlay(static_cast<int>(state.range(1))),
        columns(random_columns<Host, double>(ncol, nlay)),
        fluxes(make_fluxes<Host, double>(ncol, nlay)) {
    if (state.range(2) != 0) clouds = gpoint_clouds(columns, true);
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

template <class Model>
LongwaveData data_of() {
  if constexpr (is_rrtmg<Model>)
    return *coefficients;
  else
    return SimpleSpectralData();
}

template <class Model, class Call>
void measure(benchmark::State& state, Problem const& p, Call&& call) {
  call();
  double const seconds = time_iterations(state, call);
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
  HostLongwave<double> solver(p.ncol, p.nlay, p.clouds, false, data_of<Model>(), {.space = Host::name()});
  auto const results = array_refs(p.fluxes);
  auto const input = arrays_of(p.columns, p.clouds);
  HostLongwaveReport report;
  measure<Model>(state, p, [&] { solver.compute(input, results, &report); });
}

/// The loops of a model that packs its arrays, in which the column is the fastest index, into those of the solver.
class PackingByHand {
 public:
  /// \param to_solver whether the model's array is copied into that of the solver, or the other way round
  template <class View>
  void add(View const& of_solver, bool to_solver, double factor = 1) {
    parhelion_array const of_model = m_store.copy(of_solver, true, 1 / factor);
    auto* const model = static_cast<double*>(of_model.data);
    auto const solver = Kokkos::subview(of_solver, Kokkos::ALL, Kokkos::ALL);
    m_copies.emplace_back([=] {
      std::size_t const ncol = solver.extent(0), n = solver.extent(1);
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t c = 0; c < ncol; ++c)
          if (to_solver)
            solver(c, k) = factor * model[k * ncol + c];
          else
            model[k * ncol + c] = solver(c, k);
    });
  }

  /// The arrays of g-points are in the same order on both sides; their units differ.
  template <class View>
  void add_gpoints(View const& of_solver, double factor) {
    auto* const model = static_cast<double const*>(m_store.copy(of_solver, false, 1 / factor).data);
    m_copies.emplace_back([=] {
      for (std::size_t i = 0; i < of_solver.size(); ++i) of_solver.data()[i] = factor * model[i];
    });
  }

  void operator()() const {
    for (auto const& copy : m_copies) copy();
  }

 private:
  Store m_store;
  std::vector<std::function<void()>> m_copies;
};

PackingByHand packing_of(Problem const& p) {
  PackingByHand by_hand;
  auto const two = [](auto const& one) {
    using Value = typename std::decay_t<decltype(one)>::value_type;
    return Kokkos::View<Value**, Kokkos::LayoutRight, Kokkos::HostSpace>(one.data(), one.extent(0), 1);
  };
  by_hand.add(p.columns.pressure_lay, true, 100);
  by_hand.add(p.columns.pressure_lev, true, 100);
  by_hand.add(p.columns.temperature_lay, true);
  by_hand.add(p.columns.temperature_lev, true);
  by_hand.add(two(p.columns.temperature_sfc), true);
  by_hand.add(p.columns.emissivity_sfc, true);
  for (int gas = 0; gas < ngas; ++gas) by_hand.add(Kokkos::subview(p.columns.vmr, Kokkos::ALL, gas, Kokkos::ALL), true);
  if (p.clouds.any()) {
    by_hand.add_gpoints(p.clouds.fraction_gpt, 1);
    by_hand.add_gpoints(p.clouds.ice_path_gpt, 1e-3);
    by_hand.add_gpoints(p.clouds.liquid_path_gpt, 1e-3);
    by_hand.add_gpoints(p.clouds.optical_depth_gpt, 1);
    by_hand.add(p.clouds.ice_size, true, 1e-6);
    by_hand.add(p.clouds.liquid_size, true, 1e-6);
  }
  by_hand.add(p.fluxes.flux_up, false);
  by_hand.add(p.fluxes.flux_dn, false);
  by_hand.add(p.fluxes.heating_rate, false);
  return by_hand;
}

/// A solver behind the C interface with the arrays of its calls, which are on the host.
template <class Model>
class CallThroughC {
 public:
  CallThroughC(Problem const& p, char const* space, bool as_a_model) {
    bool const f = as_a_model;
    parhelion_longwave_options options{};
    options.size = sizeof options;
    options.space = space;
    options.model = is_rrtmg<Model> ? PARHELION_RRTMG_LW : PARHELION_SIMPLE;
    options.ncol = p.ncol;
    options.nlay = p.nlay;
    options.clouds = p.clouds.any() ? PARHELION_CLOUDS_OF_GPOINTS : PARHELION_CLOUDS_NONE;
    options.cloud_optical_depth = p.clouds.any() ? 1 : 0;
    options.checks = as_a_model ? PARHELION_CHECK_CLIP : PARHELION_CHECK_REFUSE;
    m_status = parhelion_longwave_create(&options, &m_solver);
    m_in.size = sizeof m_in;
    double const hectopascals = as_a_model ? 0.01 : 1;
    m_in.pressure_factor = as_a_model ? 100 : 1;
    double const grams = as_a_model ? 1e3 : 1;
    double const micrometres = as_a_model ? 1e6 : 1;
    m_in.path_factor = as_a_model ? 1e-3 : 1;
    m_in.particle_size_factor = as_a_model ? 1e-6 : 1;
    m_in.pressure_lay = m_store.copy(p.columns.pressure_lay, f, hectopascals);
    m_in.pressure_lev = m_store.copy(p.columns.pressure_lev, f, hectopascals);
    m_in.temperature_lay = m_store.copy(p.columns.temperature_lay, f);
    m_in.temperature_lev = m_store.copy(p.columns.temperature_lev, f);
    m_in.temperature_sfc = m_store.copy(p.columns.temperature_sfc, f);
    m_in.emissivity_sfc = m_store.copy(p.columns.emissivity_sfc, f);
    for (int gas = 0; gas < ngas; ++gas)
      m_in.gases[gas] = m_store.copy(Kokkos::subview(p.columns.vmr, Kokkos::ALL, gas, Kokkos::ALL), f);
    if (p.clouds.any()) {
      // The g-point is the fastest for models, too.
      m_in.fraction_gpt = m_store.copy(p.clouds.fraction_gpt, false);
      m_in.ice_path_gpt = m_store.copy(p.clouds.ice_path_gpt, false, grams);
      m_in.liquid_path_gpt = m_store.copy(p.clouds.liquid_path_gpt, false, grams);
      m_in.optical_depth_gpt = m_store.copy(p.clouds.optical_depth_gpt, false);
      m_in.ice_size = m_store.copy(p.clouds.ice_size, f, micrometres);
      m_in.liquid_size = m_store.copy(p.clouds.liquid_size, f, micrometres);
    }
    m_out.size = sizeof m_out;
    m_out.flux_up = m_store.copy(p.fluxes.flux_up, f);
    m_out.flux_dn = m_store.copy(p.fluxes.flux_dn, f);
    m_out.heating_rate = m_store.copy(p.fluxes.heating_rate, f);
  }
  CallThroughC(CallThroughC const&) = delete;
  CallThroughC& operator=(CallThroughC const&) = delete;
  ~CallThroughC() { (void)parhelion_longwave_destroy(m_solver); }

  void operator()() { m_status = parhelion_longwave_solve(m_solver, &m_in, &m_out, nullptr); }

  /// Whether the solver was made and the last call succeeded; otherwise the benchmark ends with the message.
  bool good(benchmark::State& state) const {
    if (m_status == PARHELION_SUCCESS) return true;
    char message[500] = "a call failed in another thread";
    if (parhelion_last_error(nullptr, 0) > 1) parhelion_last_error(message, sizeof message);
    state.SkipWithError(message);
    return false;
  }

 private:
  Store m_store;
  parhelion_longwave* m_solver = nullptr;
  parhelion_longwave_input m_in{};
  parhelion_longwave_output m_out{};
  int m_status = PARHELION_SUCCESS;
};

template <class Model>
void c(benchmark::State& state, bool as_a_model) {
  Problem const p(state);
  CallThroughC<Model> call(p, Host::name(), as_a_model);
  if (!call.good(state)) return;
  call();
  if (call.good(state)) measure<Model>(state, p, call);
}

/// The ways in turn, so that other work of the machine and its clock change all of them alike. The counters are medians
/// of the times in microseconds, and of what a call as a model takes longer than the solver alone and packing by hand.
template <class Model>
void in_turn(benchmark::State& state) {
  Problem const p(state);
  Host const space;
  Longwave<Model> solver(space, make_model<Model>(), {p.nlay});
  PackingByHand const packing = packing_of(p);
  HostLongwave<double> host(p.ncol, p.nlay, p.clouds, false, data_of<Model>(), {.space = Host::name()});
  auto const results = array_refs(p.fluxes);
  auto const input = arrays_of(p.columns, p.clouds);
  CallThroughC<Model> c(p, Host::name(), false);
  CallThroughC<Model> as_a_model(p, Host::name(), true);
  if (!c.good(state) || !as_a_model.good(state)) return;
  double seconds = 0;
  std::map<std::string, std::vector<double>> microseconds;
  auto const time = [&](char const* way, auto&& call) {
    Kokkos::Timer const timer;
    call();
    double const took = timer.seconds();
    microseconds[way].push_back(1e6 * took);
    return took;
  };
  for (auto _ : state) {
    double const rest = time("solver_alone",
                             [&] {
                               solver.solve(space, {p.columns, p.clouds}, p.fluxes);
                               space.fence();
                             }) +
                        time("packing", packing);
    time("cpp", [&] { host.compute(input, results); });
    time("c", c);
    double const took = time("c_as_a_model", as_a_model);
    microseconds["beyond_solver_and_packing"].push_back(1e6 * (took - rest));
    state.SetIterationTime(took);
    seconds += took;
  }
  if (!c.good(state) || !as_a_model.good(state)) return;
  set_counters(state, space, make_model<Model>(), p.ncol, p.nlay, seconds);
  for (auto& [way, times] : microseconds) state.counters[way + "_us"] = median(times);
}

/// Calls work(0) to work(n - 1) by threads of a region of OpenMP, as models do, or, without OpenMP, by others.
template <class Work>
void in_threads(int n, Work const& work) {
#define PARHELION_REGION(SPACE)                                                              \
  _Pragma("omp parallel for schedule(static, 1) num_threads(n)") for (int t = 0; t < n; ++t) \
      work(static_cast<std::size_t>(t));                                                     \
  return;
  PARHELION_IMPL_WITH_OPENMP(PARHELION_REGION)
#undef PARHELION_REGION
  std::vector<std::thread> threads;
  for (int t = 0; t < n; ++t) threads.emplace_back([&work, t] { work(static_cast<std::size_t>(t)); });
  for (auto& thread : threads) thread.join();
}

/// Threads that call at the same time, each for its own columns, or one that calls for those of all.
/// \param gathered whether it is one
template <class Model>
void threads(benchmark::State& state, char const* space, bool gathered) {
  auto const nthread = static_cast<std::size_t>(gathered ? 1 : state.range(3));
  Problem const p(state, gathered ? static_cast<int>(state.range(3)) : 1);
  std::vector<std::unique_ptr<CallThroughC<Model>>> calls;
  for (std::size_t t = 0; t < nthread; ++t) {
    calls.push_back(std::make_unique<CallThroughC<Model>>(p, space, true));
    if (!calls.back()->good(state)) return;
    (*calls.back())();
    if (!calls.back()->good(state)) return;
  }
  int const ncall = tiny ? 1 : 32;
  double const seconds = time_iterations(state, [&] {
    in_threads(static_cast<int>(nthread), [&](std::size_t t) {
      for (int i = 0; i < ncall; ++i) (*calls[t])();
    });
  });
  for (auto const& call : calls)
    if (!call->good(state)) return;
  double const columns = static_cast<double>(p.ncol) * static_cast<double>(nthread) * ncall;
  state.counters["columns/s"] = columns * static_cast<double>(state.iterations()) / seconds;
}

template <class Model, class Space>
void add_threads(std::string const& model_name, std::vector<int> const& numbers) {
  for (bool const gathered : {false, true}) {
    auto const name = (gathered ? "callers_gathered/" : "callers/") + model_name + "/" + Space::name();
    auto* const way = benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { threads<Model>(state, Space::name(), gathered); });
    way->ArgNames({"ncol", "nlay", "clouds", "threads"})->UseManualTime()->Unit(benchmark::kMicrosecond);
    for (int const clouds : {0, 1})
      for (int const ncol : {16, 64})
        for (int const number : numbers)
          if ((!tiny || (ncol < 17 && number < 3)) && (is_rrtmg<Model> || clouds == 0) && (!gathered || number > 1))
            way->Args({ncol, tiny ? 10 : 51, clouds, number});
  }
}

template <class Model>
void add_benchmarks(std::string const& model_name) {
  auto const add = [&](char const* name, auto const& function, int iterations = 0) {
    auto* const way = benchmark::RegisterBenchmark((model_name + "/" + name).c_str(), function);
    if (iterations > 0) way->Iterations(iterations);
    way->ArgNames({"ncol", "nlay", "clouds"})->UseManualTime()->Unit(benchmark::kMicrosecond);
    for (int const clouds : {0, 1})
      for (int const ncol : {1, 16, 1024})
        if ((ncol < 17 || (!tiny && iterations == 0)) && (is_rrtmg<Model> || clouds == 0))
          way->Args({ncol, tiny ? 10 : 51, clouds});
  };
  add("solver_alone", solver_alone<Model>);
  add("cpp", cpp<Model>);
  add("c", [](benchmark::State& state) { c<Model>(state, false); });
  add("c_as_a_model", [](benchmark::State& state) { c<Model>(state, true); });
  add("in_turn", in_turn<Model>, tiny ? 2 : 1000);
  add_threads<Model, Host>(model_name, {1, 2});
  using Space = Kokkos::DefaultExecutionSpace;
  if constexpr (!runs_on_host<Space>) add_threads<Model, Space>(model_name, {1, 4, 16});
}

}  // namespace

}  // namespace parhelion::Perf

int main(int argc, char** argv) {
  using namespace parhelion;
  using namespace parhelion::Perf;
  return run_benchmarks(argc, argv, tiny, [] {
    read_coefficients("perf_c_interface: without RRTMG's gas optics: ");
    add_benchmarks<SimpleSpectral<Host, double>>("simple");
    if (coefficients) add_benchmarks<GasOptics<Host, double>>("rrtmg");
  });
}
