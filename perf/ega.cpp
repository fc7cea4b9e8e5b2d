// SPDX-License-Identifier: BSD-3-Clause
// Limb and nadir spectra: rays per second over rays x gases x channels x geometry x tables x precision, ray tracing
// included, with atmosphere, tables and results on the device; and from host arrays to host arrays, in chunks that
// overlap each other's copies, and in one.
//
//   perf_ega [--tiny] [--benchmark_...]
//
// Continuum coefficients, emissivity tables of CO2, H2O and O3 at 792 cm-1 and the atmosphere of 13 gases are looked
// for in $PARHELION_DATA. Without them tables are synthetic and there are no continua.
#include "machine.hpp"
#include "rays.hpp"  // of the solver: tracing alone is timed, too

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_driver.hpp>
#include <parhelion/ega/forward_model.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/synthetic_tables.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::ega;

bool tiny = false;

enum Geometry { limb, nadir };
/// What the tables of a gas are: the same in all channels, with column densities that differ between channels, or
/// synthetic.
enum Tables { same, shifted, synthetic };

struct Data {
  std::vector<EmissivityTable> real;  ///< CO2, H2O, O3; empty: none
  ContinuumTables continua;
  std::string atmosphere;
};

Data read_data() {
  Data data;
  auto const find = [](std::string const& name) {
    return io::find_data_file("data of the benchmark", "",
                              {name, "tables/" + name, "bench/" + name, "continua/" + name},
                              "the benchmark then runs on synthetic tables");
  };
  try {
    auto const continua = std::filesystem::path(find("ctmh2o.txt")).parent_path().string();
    data.continua = io::read_continua(continua, {.n2 = false, .o2 = false});
    data.atmosphere = find("atm13.tab");
    for (auto const* const gas : {"CO2", "H2O", "O3"})
      data.real.push_back(io::read_table(find(std::string("boxcar_792.0000_") + gas + ".bin")));
  } catch (Error const& error) {
    std::cerr << "perf_ega: " << error.what() << '\n';
    data = {};
  }
  return data;
}

Data const& data() {
  static Data const read = read_data();
  return read;
}

std::vector<std::string> gas_names(int ngas) {
  static std::array const names{"CO2",  "H2O", "O3",  "F11", "CCl4", "CH4", "N2O",
                                "HNO3", "NO2", "F12", "SO2", "OCS",  "CO"};
  std::vector<std::string> result;
  for (int g = 0; g < ngas; ++g) result.push_back(g < 13 ? names[g] : std::string("X").append(std::to_string(g)));
  return result;
}

// Profiles of the kind of middle latitudes, for where the file is not there.
HostAtmosphere plain_atmosphere(int ngas) {
  auto const atmosphere = make_atmosphere(1, 91, gas_names(ngas), 1);
  double pressure = 101700;
  for (int k = 0; k < 91; ++k) {
    double const z = 1000. * k;
    double const t = k < 12   ? 285 - 6. * k
                     : k < 20 ? 216.
                     : k < 48 ? 216 + 2. * (k - 20)
                              : std::max(180., 270 - 2.5 * (k - 48));
    atmosphere.altitude(0, k) = z;
    atmosphere.temperature(0, k) = t;
    atmosphere.pressure(0, k) = pressure;
    pressure *= std::exp(-1000 * 9.80665 * 0.02896 / (8.314 * t));
    for (int g = 0; g < ngas; ++g) {
      double const ratio = g % 3 == 0   ? 3.7e-4
                           : g % 3 == 1 ? std::max(5e-6, 0.0117 * std::exp(-z / 2000))
                                        : 5e-6 * std::exp(-std::pow((z - 30000) / 12000, 2));
      atmosphere.mole_fraction(0, g, k) = g < 3 ? ratio : 0.1 * ratio;
    }
  }
  return atmosphere;
}

HostAtmosphere atmosphere_of(int ngas) {
  if (data().atmosphere.empty()) return plain_atmosphere(ngas);
  io::JurassicControl control;
  control.gases = gas_names(13);
  auto const all = io::read_jurassic_atmosphere(data().atmosphere, control);
  auto const some = make_atmosphere(1, all.nlev(), gas_names(ngas), 1);
  for (int k = 0; k < all.nlev(); ++k) {
    some.altitude(0, k) = all.altitude(0, k);
    some.pressure(0, k) = all.pressure(0, k);
    some.temperature(0, k) = all.temperature(0, k);
    for (int g = 0; g < ngas; ++g) some.mole_fraction(0, g, k) = all.mole_fraction(0, g % 13, k);
  }
  return some;
}

Problem problem_of(int ngas, int nchannel, Tables tables) {
  Problem problem;
  problem.gases = gas_names(ngas);
  for (int c = 0; c < nchannel; ++c) {
    int const times_around = c / 32;
    problem.channels.wavenumber.push_back(777 + c % 32 + 0.01 * times_around);
    problem.channels.window.push_back(0);
    problem.channels.filter.push_back(boxcar(problem.channels.wavenumber.back(), 1));
  }
  problem.options.vertical_step = 500;
  problem.options.continua = {.n2 = false, .o2 = false};
  problem.continua = data().continua;
  if (data().real.empty()) problem.options.continua = {.co2 = false, .h2o = false, .n2 = false, .o2 = false};
  problem.tables = [tables, wavenumber = problem.channels.wavenumber](int gas, int channel) {
    if (tables == synthetic || data().real.empty())
      return io::synthetic_table(io::synthetic_band(gas, wavenumber[channel]));
    EmissivityTable table = data().real[gas % 3];
    if (tables == shifted) {
      auto const factor = std::pow(10., ((7 * channel + 3 * gas) % 32) / 31. - 0.5);
      for (float& u : table.column_density) u = static_cast<float>(u * factor);
    }
    return table;
  };
  return problem;
}

HostObservation rays_of(int nray, Geometry geometry) {
  auto const observation = make_observation(nray);
  double const degree = 180 / std::acos(-1.);
  for (int r = 0; r < nray; ++r) {
    double const share = nray > 1 ? r / (nray - 1.) : 0.5;
    if (geometry == limb) {
      double const tangent = 3000 + 65000 * share;
      observation.observer.altitude(r) = 780e3;
      observation.view_point.altitude(r) = tangent;
      observation.view_point.latitude(r) =
          degree * std::acos((jurassic_constants::earth_radius + tangent) / (jurassic_constants::earth_radius + 780e3));
    } else {
      observation.observer.altitude(r) = 700e3;
      observation.view_point.latitude(r) = -8 + 16 * share;
    }
  }
  return observation;
}

// Models are kept: making one takes longer than using it.
template <class Space, class Real>
Model<Space, Real> const& model_of(Space const& space, int ngas, int nchannel, Tables tables, bool float_slopes) {
  using Key = std::tuple<int, int, int, bool>;
  static std::map<Key, Model<Space, Real>> models;
  Key const key(ngas, nchannel, tables, float_slopes);
  if (models.find(key) == models.end()) {
    models.clear();  // one at a time: they are large
    auto problem = problem_of(ngas, nchannel, tables);
    problem.options.table_slopes = float_slopes ? TableSlopes::float32 : TableSlopes::float64;
    models.emplace(key, make_model<Space, Real>(space, problem, 0, nchannel));
    Kokkos::push_finalize_hook([] { models.clear(); });
  }
  return models.at(key);
}

template <class Space>
std::size_t profile_bytes(HostAtmosphere const& atmosphere) {
  WorkspaceSize<Space> size;
  ega::Impl::take_profiles<Space>(size, atmosphere.nprofile(), atmosphere.nlev());
  return size.bytes();
}

// Fractions of the machine's limits. For each gas, channel and segment, a piece of each of four curves is read, of 16
// bytes; arithmetic is two interpolations in each.
// steps: gases times channels times segments of all rays
template <class Space, class Real>
void set_counters(benchmark::State& state, double steps, double seconds) {
  double const bytes = steps * 4 * 16;
  double const operations = steps * (4 * 2 * 6 + 12);
  auto const& limit = Perf::limits<Space, Real>(Space(), tiny);
  Perf::set_work_counters(state, limit, bytes / seconds, operations / seconds);
  state.counters["fraction_of_cache"] = bytes / seconds / limit.cache_bytes_per_second;
  state.counters["cache_bytes/s"] = limit.cache_bytes_per_second;
}

template <class Space, class Real>
void spectra(benchmark::State& state, bool float_slopes) {
  int const nray = static_cast<int>(state.range(0));
  int const ngas = static_cast<int>(state.range(1));
  int const nchannel = static_cast<int>(state.range(2));
  auto const geometry = static_cast<Geometry>(state.range(3));
  auto const tables = static_cast<Tables>(state.range(4));
  Space const space;
  auto const& model = model_of<Space, Real>(space, ngas, nchannel, tables, float_slopes);
  auto const host_atmosphere = atmosphere_of(ngas);
  ForwardInput<Space> const input{make_device_arrays<Atmosphere<Space>>(space, host_atmosphere),
                                  make_device_arrays<Observation<Space>>(space, rays_of(nray, geometry))};
  int const npoint = max_points(model.options, host_atmosphere);
  ForwardModel<Space, Real> solver(
      space, model,
      {.nray = nray, .ngas = ngas, .nchannel = nchannel, .npoint = npoint, .nlev = host_atmosphere.nlev()},
      {.gas_threads = static_cast<int>(state.range(5)), .rays_per_team = static_cast<int>(state.range(6))});
  ForwardResult<Space, Real> const result(make_spectra<Real>(space, nray, nchannel));
  Kokkos::Timer const first_timer;
  solver.solve(space, input, result);
  space.fence();
  double const first_seconds = first_timer.seconds();
  double const seconds = Perf::time_iterations(state, [&] {
    solver.solve(space, input, result);
    space.fence();
  });
  double const per_call = seconds / static_cast<double>(state.iterations());

  // Ray tracing alone.
  int const piece = std::min(nray, 16384);
  Kokkos::View<std::byte*, typename Space::memory_space> const memory(
      "parhelion::rays",
      static_cast<std::size_t>(piece) * (npoint * sizeof(ega::Impl::RayPoint) + sizeof(ega::Impl::RaySummary)));
  ega::Impl::Rays<Space> rays;
  rays.point = WorkspaceArray<ega::Impl::RayPoint**, Space>(reinterpret_cast<ega::Impl::RayPoint*>(memory.data()),
                                                            piece, npoint);
  rays.summary = WorkspaceArray<ega::Impl::RaySummary*, Space>(
      reinterpret_cast<ega::Impl::RaySummary*>(memory.data() +
                                               static_cast<std::size_t>(piece) * npoint * sizeof(ega::Impl::RayPoint)),
      piece);
  Workspace<Space> work(space, profile_bytes<Space>(host_atmosphere), "parhelion::profiles");
  auto const profiles = ega::Impl::fill_profiles(
      space, input.atmosphere,
      ega::Impl::take_profiles<Space>(work, host_atmosphere.nprofile(), host_atmosphere.nlev()));
  auto const options = ega::Impl::ray_options(model.options);
  ega::Impl::trace_rays(space, profiles, input.observation, options, 0, rays);
  space.fence();
  Kokkos::Timer const trace_timer;
  ega::Impl::trace_rays(space, profiles, input.observation, options, 0, rays);
  space.fence();
  double const trace_seconds = trace_timer.seconds() * nray / rays.nray();

  auto const points_of_ray = parhelion::host_copy(result.spectra.npoint);
  auto const radiance = parhelion::host_copy(result.spectra.radiance);
  double points = 0;
  for (int r = 0; r < nray; ++r) {
    points += points_of_ray(r);
    if (points_of_ray(r) <= 0 || !(radiance(r, nchannel - 1) > 0)) state.SkipWithError("a ray has no radiance");
  }
  state.counters["rays/s"] = nray / per_call;
  set_counters<Space, Real>(state, points * ngas * nchannel, per_call);
  state.counters["points"] = points / nray;
  state.counters["first_call_s"] = first_seconds;
  state.counters["trace_s"] = trace_seconds;
  state.counters["model_bytes"] = static_cast<double>(model.bytes());
  state.counters["workspace_bytes"] = static_cast<double>(solver.workspace_bytes());
}

// From host arrays to host arrays, with tables that stay on the device.
template <class Space, class Real>
void host_spectra(benchmark::State& state) {
  int const nray = static_cast<int>(state.range(0));
  int const ngas = static_cast<int>(state.range(1));
  int const nchannel = static_cast<int>(state.range(2));
  auto const tables = static_cast<Tables>(state.range(3));
  bool const is_float = std::is_same_v<Real, float>;
  auto problem = problem_of(ngas, nchannel, tables);
  problem.options.table_slopes = is_float ? TableSlopes::float32 : TableSlopes::float64;
  PreparedProblem const prepared(problem, {.precision = is_float ? Precision::float32 : Precision::float64,
                                           .chunk = static_cast<int>(state.range(4))});
  auto const atmosphere = atmosphere_of(ngas);
  auto const profiles = refer_to<Atmosphere<Kokkos::DefaultHostExecutionSpace>>(atmosphere);
  auto const observation = rays_of(nray, limb);
  auto const spectra = make_spectra<double>(Kokkos::DefaultHostExecutionSpace(), nray, nchannel);
  Space const space;
  HostEgaReport report;
  double solve_seconds = 0;
  auto const run = [&] {
    compute_spectra(space, prepared, const_array_refs(profiles), const_array_refs(observation), array_refs(spectra),
                    &report);
  };
  run();
  double const seconds = Perf::time_iterations(state, [&] {
    run();
    solve_seconds += report.solve_seconds;
  });
  auto const calls = static_cast<double>(state.iterations());
  double points = 0;
  for (int r = 0; r < nray; ++r) {
    points += spectra.npoint(r);
    if (!(spectra.radiance(r, nchannel - 1) > 0)) state.SkipWithError("a ray has no radiance");
  }
  state.counters["rays/s"] = nray * calls / seconds;
  set_counters<Space, Real>(state, points * ngas * nchannel, seconds / calls);
  state.counters["solve_s"] = solve_seconds / calls;
  state.counters["chunk"] = report.plan.chunk;
  state.counters["streams"] = report.plan.streams;
}

template <class Space, class Real>
void add_host() {
  std::string const name =
      std::string("host_arrays/") + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(name.c_str(), host_spectra<Space, Real>);
  benchmark->ArgNames({"nray", "ngas", "nchannel", "tables", "chunk"})->UseManualTime();
  benchmark->Unit(benchmark::kMillisecond);
  if (tiny) {
    benchmark->Args({4, 2, 3, synthetic, 0});
    return;
  }
  int const nray = runs_on_host<Space> ? 66 : 65536;
  for (int const ngas : {13, 1})
    for (int const chunk : {0, nray}) benchmark->Args({nray, ngas, 32, data().real.empty() ? synthetic : same, chunk});
}

template <class Space, class Real>
void add(bool float_slopes) {
  bool const is_float = std::is_same_v<Real, float>;
  std::string const name = std::string("ega/") + Space::name() +
                           (is_float       ? "/float"
                            : float_slopes ? "/double_float_slopes"
                                           : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { spectra<Space, Real>(state, float_slopes); });
  benchmark->ArgNames({"nray", "ngas", "nchannel", "nadir", "tables", "gas_threads", "rays_per_team"})->UseManualTime();
  benchmark->Unit(benchmark::kMillisecond);
  if (tiny) {
    benchmark->Args({4, 2, 3, limb, synthetic, 0, 0});
    return;
  }
  bool const real = !data().real.empty();
  Tables const tables = real ? same : synthetic;
  int const many = runs_on_host<Space> ? 66 : 65536;
  // The four cases that others have measured, with many rays and with few. Both follow each other, as models are kept.
  struct Case {
    int ngas;
    Geometry geometry;
    Tables tables;
  };
  for (auto const& [ngas, geometry, which] :
       {Case{13, limb, tables}, Case{13, limb, shifted}, Case{3, limb, tables}, Case{1, nadir, tables}}) {
    if (which == shifted && !real) continue;
    benchmark->Args({many, ngas, 32, geometry, which, 0, 0});
    if (!runs_on_host<Space>) benchmark->Args({many / 64, ngas, 32, geometry, which, 0, 0});
  }
  if (float_slopes && !is_float) return;
  // Time over tables, channels and rays.
  for (int ngas : {1, 2, 5, 8, 27}) benchmark->Args({many / 8, ngas, 32, limb, synthetic, 0, 0});
  for (int nchannel : {1, 2, 4, 8, 16, 32, 64}) benchmark->Args({many / 2, 3, nchannel, limb, synthetic, 0, 0});
  for (int nray = 64; nray < many; nray *= 4) benchmark->Args({nray, 3, 32, limb, tables, 0, 0});
  // Over the threads that share the gases of a ray.
  if (!runs_on_host<Space>)
    for (int const nray : {256, 1024, 4096})
      for (int const threads : {1, 2, 4}) benchmark->Args({nray, 13, 32, limb, real ? shifted : synthetic, threads, 0});
}

}  // namespace

int main(int argc, char** argv) {
  return Perf::run_benchmarks(argc, argv, tiny, [] {
#define PARHELION_ADD(SPACE) \
  add<SPACE, float>(true);   \
  add<SPACE, double>(false); \
  add<SPACE, double>(true);  \
  add_host<SPACE, float>();  \
  add_host<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
  });
}
