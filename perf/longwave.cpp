// SPDX-License-Identifier: BSD-3-Clause
// Longwave fluxes: columns per second over columns x layers x precision, for both gas optics and all execution spaces.
//
//   perf_longwave [--tiny] [--benchmark_...]
//
// The coefficients of RRTMG_LW are looked for in $PARHELION_DATA; without them its benchmarks are left out.
#include "machine.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/rrtmg_files.hpp>
#include <parhelion/rrtmg/gas_optics.hpp>
#include <parhelion/rrtmg/host_longwave.hpp>
#include <parhelion/rrtmg/impl/absorption_terms.hpp>
#include <parhelion/rrtmg/longwave.hpp>
#include <parhelion/rrtmg/simple_spectral.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::rrtmg;

std::optional<Coefficients> coefficients;
bool tiny = false;

// A number in [0, 1) for each column and layer: humidity is random, so that no two columns take the same path.
double random_number(std::uint64_t key) {
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebULL;
  return static_cast<double>((key ^ (key >> 31U)) >> 11U) * 0x1p-53;
}

template <class Space, class Real>
Columns<Space, Real> random_columns(int ncol, int nlay) {
  auto const device = make_columns<Space, Real>(ncol, nlay, nbnd);
  auto const p_lay = Kokkos::create_mirror_view(device.pressure_lay);
  auto const p_lev = Kokkos::create_mirror_view(device.pressure_lev);
  auto const t_lay = Kokkos::create_mirror_view(device.temperature_lay);
  auto const t_lev = Kokkos::create_mirror_view(device.temperature_lev);
  auto const t_sfc = Kokkos::create_mirror_view(device.temperature_sfc);
  auto const emis = Kokkos::create_mirror_view(device.emissivity_sfc);
  auto const ratio = Kokkos::create_mirror_view(device.mole_ratio);
  for (int c = 0; c < ncol; ++c) {
    double const warm = 30 * random_number(3 * c + 1) - 20;
    double const surface = 96000 + 8000 * random_number(3 * c + 2);
    auto const temperature = [&](double p) {
      double const height = 7500 * std::log(surface / p);
      return height < 12000 ? 288 + warm - 0.0062 * height : std::fmin(213.6 + warm + 0.0015 * (height - 12000), 275);
    };
    for (int k = 0; k <= nlay; ++k) {
      double const p = surface * std::pow(10.0 / surface, std::pow(static_cast<double>(k) / nlay, 1.3));
      p_lev(c, k) = static_cast<Real>(p);
      t_lev(c, k) = static_cast<Real>(temperature(p));
    }
    for (int k = 0; k < nlay; ++k) {
      double const p = 0.5 * (static_cast<double>(p_lev(c, k)) + static_cast<double>(p_lev(c, k + 1)));
      p_lay(c, k) = static_cast<Real>(p);
      t_lay(c, k) = static_cast<Real>(temperature(p));
      double const humidity = random_number(1000003ULL * c + k);
      double const saturation = 611 * std::exp(17.3 * (temperature(p) - 273.16) / (temperature(p) - 35.9)) / p;
      for (int gas = 0; gas < ngas; ++gas) {
        double value = 0;
        switch (static_cast<Gas>(gas)) {
          case Gas::h2o:
            value = std::fmax(3e-6, std::fmin(0.04, humidity * saturation));
            break;
          case Gas::co2:
            value = 4.1e-4;
            break;
          case Gas::o3:
            value = 8e-6 * std::exp(-std::pow(std::log(p / 1000) / 1.3, 2)) + 3e-8;
            break;
          case Gas::n2o:
            value = 3.3e-7;
            break;
          case Gas::co:
            value = 1.2e-7;
            break;
          case Gas::ch4:
            value = 1.9e-6;
            break;
          case Gas::o2:
            value = 0.209;
            break;
          case Gas::ccl4:
            value = 8e-11;
            break;
          case Gas::cfc11:
            value = 2.3e-10;
            break;
          case Gas::cfc12:
            value = 5e-10;
            break;
          case Gas::cfc22:
            value = 2.4e-10;
            break;
        }
        ratio(c, gas, k) = static_cast<Real>(value);
      }
    }
    t_sfc(c) = static_cast<Real>(temperature(surface) + 1);
    for (int b = 0; b < nbnd; ++b) emis(c, b) = static_cast<Real>(0.95);
  }
  Kokkos::deep_copy(device.pressure_lay, p_lay);
  Kokkos::deep_copy(device.pressure_lev, p_lev);
  Kokkos::deep_copy(device.temperature_lay, t_lay);
  Kokkos::deep_copy(device.temperature_lev, t_lev);
  Kokkos::deep_copy(device.temperature_sfc, t_sfc);
  Kokkos::deep_copy(device.emissivity_sfc, emis);
  Kokkos::deep_copy(device.mole_ratio, ratio);
  return device;
}

// Clouds of layers as a model of the atmosphere has them: in a column one run of layers of water below 500 hPa and one
// of ice above, each of random place, depth and fraction; every fifth column is clear.
template <class Space, class Real>
Clouds<Space, Real> random_clouds(Columns<Space, Real> const& columns) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  auto const clouds = make_layer_clouds<Space, Real>(ncol, nlay);
  auto const p_lay = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), columns.pressure_lay);
  auto const fraction = Kokkos::create_mirror_view(clouds.fraction);
  auto const ice_path = Kokkos::create_mirror_view(clouds.ice_path);
  auto const liquid_path = Kokkos::create_mirror_view(clouds.liquid_path);
  auto const ice_size = Kokkos::create_mirror_view(clouds.ice_size);
  auto const liquid_size = Kokkos::create_mirror_view(clouds.liquid_size);
  for (int c = 0; c < ncol; ++c) {
    auto const random = [&](int which) { return random_number(7000003ULL * c + which); };
    for (int k = 0; k < nlay; ++k) {
      double const p = static_cast<double>(p_lay(c, k));
      double const bottom = 95000 - 25000 * random(1), top = bottom - 25000 * random(2);
      double const ice_bottom = 45000 - 15000 * random(3), ice_top = ice_bottom - 15000 * random(4);
      bool const water = c % 5 != 0 && p < bottom && p > top;
      bool const ice = c % 5 != 0 && p < ice_bottom && p > ice_top;
      fraction(c, k) = static_cast<Real>(water ? random(5) : ice ? random(6) : 0);
      liquid_path(c, k) = static_cast<Real>(water ? 5 + 60 * random(7) : 0);
      ice_path(c, k) = static_cast<Real>(ice ? 1 + 20 * random(8) : 0);
      liquid_size(c, k) = static_cast<Real>(5 + 15 * random(9));
      ice_size(c, k) = static_cast<Real>(20 + 80 * random(10));
    }
  }
  Kokkos::deep_copy(clouds.fraction, fraction);
  Kokkos::deep_copy(clouds.ice_path, ice_path);
  Kokkos::deep_copy(clouds.liquid_path, liquid_path);
  Kokkos::deep_copy(clouds.ice_size, ice_size);
  Kokkos::deep_copy(clouds.liquid_size, liquid_size);
  return clouds;
}

// Bytes that must move between the kernel and main memory: each input read once, each result written once. The
// coefficients, read by all columns, stay in the caches.
template <class Real>
double compulsory_bytes_per_column(int nlay) {
  int const nlev = nlay + 1;
  return static_cast<double>(sizeof(Real)) * (2 * nlay + 2 * nlev + 1 + nbnd + ngas * nlay + 2 * nlev + nlay);
}

// Operations for one g-point and layer beside its absorption terms: transmittance and source weight 30 (an exponential
// or a division counts as one), sources and layer maps 14, both sweeps 4 and their sums 2.
constexpr double transfer_operations = 50;

// Multiplications and additions of an average column of those that are solved.
template <class Real>
double operations_per_column(GasOptics<Kokkos::DefaultHostExecutionSpace, Real> const& model, int nlay) {
  constexpr int ncol = 16;
  auto const columns = random_columns<Kokkos::DefaultHostExecutionSpace, Real>(ncol, nlay);
  double operations = 0;
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) {
      InterpolationState<Real> state;
      set_interpolation_state(state, model, columns, c, k, k);
      for (int b = 0; b < nbnd; ++b) {
        typename rrtmg::Impl::AbsorptionTerms<Real>::Pair pairs[rrtmg::Impl::max_absorption_pairs];
        rrtmg::Impl::AbsorptionTerms<Real> terms;
        terms.pairs = pairs;
        rrtmg::Impl::set_terms(terms, model, b, state);
        // Some have a row of no weight.
        int rows = 0;
        for (int pair = 0; pair < terms.count + terms.more[0]; ++pair)
          for (auto const& weight : pairs[pair].weight) rows += weight[0] != 0;
        operations += model.bands(b).ng * (2.0 * rows + 3 + transfer_operations);
      }
    }
  return operations / ncol;
}

template <class Space, class Real>
double operations_per_column(GasOptics<Space, Real> const&, int nlay) {
  return operations_per_column(GasOptics<Kokkos::DefaultHostExecutionSpace, Real>(*coefficients), nlay);
}

template <class Space, class Real>
double operations_per_column(SimpleSpectral<Space, Real> const&, int nlay) {
  return SimpleSpectral<Space, Real>::nwavenumber * nlay * (4 + transfer_operations);
}

template <class Model>
void longwave(benchmark::State& state, std::shared_ptr<Model const> const& model, Transmittance transmittance,
              bool cloudy) {
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  Space const space;
  Longwave<Model> const solver(space, *model, nlay, transmittance, {static_cast<int>(state.range(2))});
  auto const columns = random_columns<Space, Real>(ncol, nlay);
  Clouds<Space, Real> clouds;
  if (cloudy) clouds = random_clouds(columns);
  auto const fluxes = make_fluxes<Space, Real>(ncol, nlay, {.clear = cloudy});
  solver.solve(space, columns, clouds, fluxes);
  space.fence();
  double seconds = 0;
  for (auto _ : state) {
    Kokkos::Timer const timer;
    solver.solve(space, columns, clouds, fluxes);
    space.fence();
    double const took = timer.seconds();
    state.SetIterationTime(took);
    seconds += took;
  }
  if (solver.found_bad_numbers(space)) state.SkipWithError("a flux is not finite");
  double const rate = ncol * static_cast<double>(state.iterations()) / seconds;
  auto const& limit = Perf::limits<Space, Real>(space, tiny);
  double const bytes = compulsory_bytes_per_column<Real>(nlay);
  double const operations = operations_per_column(*model, nlay);
  state.counters["columns/s"] = rate;
  state.counters["bytes/s"] = rate * bytes;
  state.counters["fraction_of_copy"] = rate * bytes / limit.copy_bytes_per_second;
  state.counters["flops/s"] = rate * operations;
  state.counters["fraction_of_peak"] = rate * operations / limit.flops_per_second;
  state.counters["copy_bytes/s"] = limit.copy_bytes_per_second;
  state.counters["peak_flops/s"] = limit.flops_per_second;
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
  HostLongwave<Real> solver(ncol, nlay, clouds, false, &*coefficients, options);
  solver.compute(columns, clouds, fluxes);
  double seconds = 0;
  for (auto _ : state) {
    Kokkos::Timer const timer;
    for (int call = 0; call < calls; ++call) solver.compute(columns, clouds, fluxes);
    double const took = timer.seconds();
    state.SetIterationTime(took);
    seconds += took;
  }
  state.counters["columns/s"] = ncol * static_cast<double>(calls * state.iterations()) / seconds;
  state.counters["chunk"] = solver.plan().chunk;
  state.counters["devices"] = solver.plan().devices;
  state.counters["device_bytes"] = static_cast<double>(solver.plan().device_bytes);
}

// Sizes are columns, layers, and layers a block (0: the default).
void set_sizes(benchmark::internal::Benchmark* benchmark, bool on_host) {
  benchmark->ArgNames({"ncol", "nlay", "block"})->UseManualTime();
  if (tiny) {
    benchmark->Args({16, 10, 0});
    return;
  }
  std::vector<int> const sizes = on_host ? std::vector<int>{64, 512, 4096} : std::vector<int>{64, 1024, 16384, 131072};
  for (int ncol : sizes) benchmark->Args({ncol, 51, 0});
  for (int nlay : {26, 100, 200}) benchmark->Args({on_host ? 512 : 16384, nlay, 0});
}

template <class Model>
void add(std::string const& name, std::shared_ptr<Model const> const& model, Transmittance transmittance,
         bool cloudy = false) {
  using Space = typename Model::execution_space;
  std::string const full =
      name + "/" + Space::name() + (std::is_same_v<typename Model::value_type, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(
      full.c_str(), [=](benchmark::State& state) { longwave<Model>(state, model, transmittance, cloudy); });
  set_sizes(benchmark, runs_on_host<Space>);
  // How the work is cut matters most on devices; one size is enough to see it.
  if (!tiny && !runs_on_host<Space>)
    for (int block : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16}) benchmark->Args({16384, 51, block});
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
  add<GasOptics<Space, Real>>("rrtmg_exact", model, Transmittance::exact);
  add<GasOptics<Space, Real>>("rrtmg_all_sky", model, Transmittance::exact, true);
  add<GasOptics<Space, Real>>("rrtmg_table", model, Transmittance::table);
}

}  // namespace

int main(int argc, char** argv) {
  return Perf::run_benchmarks(argc, argv, tiny, [] {
    try {
      coefficients.emplace(io::read_rrtmg_lw_data(io::find_rrtmg_lw_data(), record_values()));
    } catch (Error const& error) {
      std::cerr << "perf_longwave: without RRTMG's gas optics: " << error.what() << '\n';
    }
#define PARHELION_ADD(SPACE) \
  add_all<SPACE, float>();   \
  add_all<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
  });
}
