// SPDX-License-Identifier: BSD-3-Clause
// Shortwave fluxes: columns per second over columns x layers x precision, for all execution spaces.
//
//   perf_shortwave [--tiny] [--benchmark_...]
//
// The coefficients of RRTMG_SW and RRTMG_LW are looked for in $PARHELION_DATA; without them there is nothing to
// measure.
#include "sunlit_columns.hpp"

#include "rrtmg_sw/band_terms.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/fluxes/shortwave.hpp>
#include <parhelion/io/rrtmg_files.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <type_traits>

namespace parhelion::Perf {

std::optional<Coefficients> coefficients;
bool tiny = false;

namespace {

std::optional<ShortwaveCoefficients> shortwave_coefficients;

template <class Space, class Real>
ShortwaveClouds<Space, Real> shortwave_clouds(Clouds<Space, Real> const& from) {
  ShortwaveClouds<Space, Real> clouds;
  clouds.fraction = from.fraction;
  clouds.ice_path = from.ice_path;
  clouds.liquid_path = from.liquid_path;
  clouds.ice_size = from.ice_size;
  clouds.liquid_size = from.liquid_size;
  clouds.input = from.input;
  clouds.ice_optics = from.ice_optics;
  clouds.liquid_optics = from.liquid_optics;
  return clouds;
}

// Bytes that must move between the kernel and main memory: each input read once, each result written once.
template <class Real>
double shortwave_bytes_per_column(int nlay) {
  int const nlev = nlay + 1;
  return static_cast<double>(sizeof(Real)) * (2 * nlay + nlev + 1 + 4 + nsolar + ngas * nlay + 3 * nlev + nlay);
}

// Multiplications and additions of an average column of those that are solved.
template <class Space, class Real>
double count_shortwave_operations(int nlay) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr int ncol = 16;
  ShortwaveGasOptics<Host, Real> const model(*shortwave_coefficients);
  auto const columns = sunlit_columns(make_random_columns<Host, Real>(ncol, nlay, rrtmg_sizes));
  double operations = 0;
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k) {
      rrtmg_lw::InterpolationState<Real> state;
      rrtmg_lw::set_interpolation_state(state, model.tables(), columns, c, k, k);
      for (int b = 0; b < nbnd_sw; ++b) {
        using Terms = fluxes::Impl::AbsorptionTerms<Real>;
        typename Terms::Pack packs[Terms::packs(rrtmg_sw::max_absorption_pairs)];
        Terms terms;
        rrtmg_sw::set_terms(terms, packs, model.tables(), b, state);
        operations += model.tables().bands(b).ng * (4.0 * terms.count + 3 + two_stream_operations);
      }
    }
  return operations / ncol;
}

template <class Space, class Real>
double shortwave_operations_per_column(int nlay) {
  return kept(nlay, [&] { return count_shortwave_operations<Space, Real>(nlay); });
}

template <class Space, class Real>
void shortwave(benchmark::State& state, Transmittance transmittance, bool cloudy) {
  using Model = ShortwaveGasOptics<Space, Real>;
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  Space const space;
  auto const model = kept(0, [&] { return std::make_shared<Model const>(space, *shortwave_coefficients); });
  ShortwaveTuning tuning;
  tuning.transmittance = transmittance;
  tuning.layers_per_block = static_cast<int>(state.range(2));
  Shortwave<Model> solver(space, *model, {nlay}, tuning);
  auto const air = random_columns<Space, Real>(ncol, nlay);
  ShortwaveInput<Space, Real> input(sunlit_columns(air));
  if (cloudy) input.clouds = shortwave_clouds(random_clouds(air));
  auto const fluxes = make_shortwave_fluxes<Space, Real>(ncol, nlay, {.clear = cloudy});
  solver.solve(space, input, fluxes);
  space.fence();
  double const seconds = time_iterations(state, [&] {
    solver.solve(space, input, fluxes);
    space.fence();
  });
  if (!solver.status(space).good()) state.SkipWithError("a flux is not finite");
  double const rate = ncol * static_cast<double>(state.iterations()) / seconds;
  state.counters["columns/s"] = rate;
  set_work_counters(state, limits<Space, Real>(space, tiny), rate * shortwave_bytes_per_column<Real>(nlay),
                    rate * shortwave_operations_per_column<Space, Real>(nlay));
  state.counters["workspace_bytes"] = static_cast<double>(solver.workspace_bytes());
}

// One time step of a global model, from host arrays to host arrays: longwave and shortwave of all columns, all sky and
// the clear sky beside, half of the columns sunlit: those of one half of the globe. The first call, which allocates, is
// not timed.
template <class Space, class Real>
void model_step(benchmark::State& state) {
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr auto precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
  auto const air = random_columns<Host, Real>(ncol, nlay);
  auto const clouds = random_clouds(air);
  auto const sunlit = sunlit_columns(air);
  for (int c = ncol / 2; c < ncol; ++c) sunlit.cos_zenith(c) = -sunlit.cos_zenith(c);
  auto const sunlit_clouds = shortwave_clouds(clouds);
  HostLongwaveOptions const longwave_options{
      .space = Space::name(), .precision = precision, .outputs = {.clear = true}};
  HostShortwaveOptions const shortwave_options{
      .space = Space::name(), .precision = precision, .outputs = {.clear = true}};
  auto const longwave_fluxes = make_fluxes<Host, Real>(ncol, nlay, longwave_options.outputs);
  auto const shortwave_fluxes = make_shortwave_fluxes<Host, Real>(ncol, nlay, shortwave_options.outputs);
  HostLongwave<Real> longwave(ncol, nlay, clouds, false, *coefficients, longwave_options);
  HostShortwave<Real> shortwave(ncol, nlay, sunlit_clouds, {}, *shortwave_coefficients, shortwave_options);
  longwave.compute(air, clouds, longwave_fluxes);
  shortwave.compute(sunlit, sunlit_clouds, shortwave_fluxes);
  double of_longwave = 0;
  double const seconds = time_iterations(state, [&] {
    Kokkos::Timer const timer;
    longwave.compute(air, clouds, longwave_fluxes);
    of_longwave += timer.seconds();
    shortwave.compute(sunlit, sunlit_clouds, shortwave_fluxes);
  });
  state.counters["columns/s"] = ncol * static_cast<double>(state.iterations()) / seconds;
  state.counters["longwave_s"] = of_longwave / static_cast<double>(state.iterations());
  state.counters["chunk"] = shortwave.plan().chunk;
}

// Sizes are columns, layers, and layers a block (0: the default).
template <class Space, class Real>
void add(std::string const& name, Transmittance transmittance, bool cloudy, bool sizes) {
  std::string const full = name + "/" + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(
      full.c_str(), [=](benchmark::State& state) { shortwave<Space, Real>(state, transmittance, cloudy); });
  benchmark->ArgNames({"ncol", "nlay", "block"})->UseManualTime();
  benchmark->Args({tiny ? 16 : 16384, tiny ? 10 : 51, 0});
  if (tiny || !sizes) return;
  for (int const ncol : {4, 16, 64, 256, 1024, 4096, 32768, 65536, 262144, 1048576}) benchmark->Args({ncol, 51, 0});
  for (int const nlay : {20, 35, 75, 100, 140, 200}) benchmark->Args({16384, nlay, 0});
  for (int const block : {2, 3, 4, 5, 6, 8, 10, 12, 16}) benchmark->Args({16384, 51, block});
}

template <class Space, class Real>
void add_all() {
  if (!shortwave_coefficients) return;
  add<Space, Real>("rrtmg_sw_exact", Transmittance::exact, false, true);
  add<Space, Real>("rrtmg_sw_all_sky", Transmittance::exact, true, true);
  add<Space, Real>("rrtmg_sw_table", Transmittance::table, false, false);
  if (!coefficients) return;
  std::string const step =
      std::string("model_step/") + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
  auto* const benchmark = benchmark::RegisterBenchmark(step.c_str(), model_step<Space, Real>);
  benchmark->ArgNames({"ncol", "nlay"})->UseManualTime()->Unit(benchmark::kMillisecond);
  if (tiny)
    benchmark->Args({16, 10});
  else
    benchmark->Args({runs_on_host<Space> ? 4096 : 1038240, 51});
}

}  // namespace

}  // namespace parhelion::Perf

int main(int argc, char** argv) {
  using namespace parhelion;
  using namespace parhelion::Perf;
  return run_benchmarks(argc, argv, tiny, [] {
    try {
      coefficients.emplace(io::read_rrtmg_lw_data(io::find_rrtmg_lw_data(), record_values()));
      shortwave_coefficients.emplace(
          io::read_rrtmg_sw_data(io::find_rrtmg_sw_data(), shortwave_record_values(), shortwave_record_integers()));
    } catch (Error const& error) {
      std::cerr << "perf_shortwave: " << error.what() << '\n';
    }
#define PARHELION_ADD(SPACE) \
  add_all<SPACE, float>();   \
  add_all<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
  });
}
