// SPDX-License-Identifier: BSD-3-Clause
// Fluxes with the k-distributions of ecCKD and RRTMGP: columns per second over columns x layers x layers per block x
// precision, for all execution spaces.
//
//   perf_k_distributions [--tiny] [--benchmark_...]
//
// Their files are looked for in $PARHELION_DATA, or named by $PARHELION_ECCKD_LONGWAVE, $PARHELION_ECCKD_SHORTWAVE,
// $PARHELION_RRTMGP_LONGWAVE and $PARHELION_RRTMGP_SHORTWAVE; benchmarks without their file are left out.
#include "sunlit_columns.hpp"

#include "ecckd/tables.hpp"
#include "rrtmgp/layer_terms.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/fluxes/longwave.hpp>
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>
#include <parhelion/fluxes/shortwave.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/rrtmgp_files.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion::Perf {

bool tiny = false;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

template <class Data>
struct File {
  std::string name;
  Data data;
};

std::optional<File<ecckd::Definition>> ecckd_longwave, ecckd_shortwave;
std::optional<File<rrtmgp::KDistribution>> rrtmgp_longwave, rrtmgp_shortwave;

ModelDescription description_of(ecckd::Definition const& data) { return ecckd::describe(data); }
ModelDescription description_of(rrtmgp::KDistribution const& data) { return rrtmgp::describe(data, GasSet::all()); }

template <class Model, class Space>
Model make_model(Space const& space, ecckd::Definition const& data) {
  return Model(space, data);
}
template <class Model, class Space>
Model make_model(Space const& space, rrtmgp::KDistribution const& data) {
  return Model(space, data, GasSet::all());
}

// What each model takes as the weights of solar spectra: ecCKD the irradiance [W m-2], RRTMGP weights of its spectra.
std::array<double, nsolar> solar_weights(ecckd::Definition const&) { return {1361}; }
std::array<double, nsolar> solar_weights(rrtmgp::KDistribution const& data) {
  auto const sun = rrtmgp::solar_source(data);
  return {0, sun.quiet, sun.facular, sun.sunspot};
}

template <class Space, class Real, class Data>
ShortwaveColumns<Space, Real> sunlit_columns_for(Data const& data, Columns<Space, Real> const& air) {
  auto const description = description_of(data);
  auto columns = sunlit_columns(air, solar_weights(data), description.sizes);
  if (description.uses_levels) columns.temperature_lev = air.temperature_lev;
  return columns;
}

// Bytes that must move between the kernel and main memory: what the model reads of a column once, each result once.
// \param others values of the surface and of the sun
template <class Space, class Real>
double bytes_per_column(ecckd::Model<Space, Real> const& model, int nlay, int others, int nflux) {
  int const nlev = nlay + 1;
  int const ngas = static_cast<int>(model.gases().size());
  return static_cast<double>(sizeof(Real)) * (2 * nlev + ngas * nlay + others + nflux * nlev + nlay);
}
template <class Space, class Real>
double bytes_per_column(rrtmgp::Model<Space, Real> const& model, int nlay, int others, int nflux) {
  int const nlev = nlay + 1;
  int const ngas = static_cast<int>(model.gases().size());
  // Levels of pressure, and in the longwave of temperature.
  int const levels = model.tables().planck.size() > 0 ? 2 : 1;
  return static_cast<double>(sizeof(Real)) * (2 * nlay + levels * nlev + ngas * nlay + others + nflux * nlev + nlay);
}

// Multiplications and additions of an average column: two for each row of absorption and of further sums.
// \tparam  nsecond  pairs of rows of the further sums
// \param   transfer operations for one g-point and layer beside these rows
template <int nsecond, class Real, class AnyColumns>
double operations_of(ecckd::Model<Host, Real> const& model, AnyColumns const& columns, double transfer) {
  auto const& tables = model.tables();
  return static_cast<double>(columns.nlay()) * tables.ngpoint * (4.0 * (tables.npair + nsecond) - 1 + transfer);
}
template <int nsecond, class Real, class AnyColumns>
double operations_of(rrtmgp::Model<Host, Real> const& model, AnyColumns const& columns, double transfer) {
  using Terms = fluxes::Impl::AbsorptionTerms<Real, 1, nsecond>;
  auto const& tables = model.tables();
  std::vector<typename Terms::Pack> packs(
      static_cast<std::size_t>(Terms::packs(*std::max_element(model.pairs().begin(), model.pairs().end()))));
  double operations = 0;
  for (int c = 0; c < columns.ncol(); ++c)
    for (int k = 0; k < columns.nlay(); ++k) {
      rrtmgp::State<Real> state;
      rrtmgp::set_state(state, tables, columns, c, k, k);
      for (int b = 0; b < tables.nband; ++b) {
        Terms terms;
        rrtmgp::set_terms(terms, packs.data(), tables, b, state);
        // Some have a row of no weight.
        int rows = 0;
        fluxes::Impl::PairList<Terms> const pairs(packs.data());
        for (int pair = 0; pair < terms.count; ++pair)
          for (int which : {0, 1}) rows += pairs.weight(which, pair)[0] != 0;
        for (auto const& pair : terms.second.weight)
          for (auto const& weight : pair) rows += weight[0] != 0;
        operations += tables.bands(b).ng * (2.0 * rows - 1 + transfer);
      }
    }
  return operations / columns.ncol();
}

// Columns of which operations are counted.
inline constexpr int counted = 16;

struct LongwaveCase {
  template <class Model>
  using Solver = Longwave<Model>;

  template <class Space, class Real>
  static LongwaveInput<Space, Real> input(auto const&, Columns<Space, Real> const& air) {
    return {air};
  }
  template <class Space, class Real>
  static Fluxes<Space, Real> results(int ncol, int nlay, ModelSizes const& sizes) {
    return make_fluxes<Space, Real>(ncol, nlay, {}, sizes);
  }
  static LongwaveCapacity capacity(int nlay, ModelDescription const& model) {
    return {nlay, model.gpoints, model.sizes.nband, model.angles};
  }
  static LongwaveTuning tuning(int block) {
    LongwaveTuning tuning;
    tuning.layers_per_block = block;
    return tuning;
  }
  static constexpr double transfer = transfer_operations;
  static constexpr int nflux = 2;
  static int others(ModelSizes const& sizes) { return 1 + sizes.nband; }
  /// Pairs of rows of Planck radiances or fractions.
  static constexpr int second(ecckd::Definition const*) { return 2; }
  static constexpr int second(rrtmgp::KDistribution const*) { return 4; }
};

struct ShortwaveCase {
  template <class Model>
  using Solver = Shortwave<Model>;

  template <class Space, class Real>
  static ShortwaveInput<Space, Real> input(auto const& data, Columns<Space, Real> const& air) {
    return {sunlit_columns_for(data, air)};
  }
  template <class Space, class Real>
  static ShortwaveFluxes<Space, Real> results(int ncol, int nlay, ModelSizes const& sizes) {
    return make_shortwave_fluxes<Space, Real>(ncol, nlay, {}, sizes);
  }
  static ShortwaveCapacity capacity(int nlay, ModelDescription const& model) {
    return {nlay, model.gpoints, model.sizes.nband};
  }
  static ShortwaveTuning tuning(int block) {
    ShortwaveTuning tuning;
    tuning.layers_per_block = block;
    return tuning;
  }
  static constexpr double transfer = two_stream_operations;
  static constexpr int nflux = 3;
  static int others(ModelSizes const&) { return 1 + 4 + nsolar; }
  /// Pairs of rows of Rayleigh scattering.
  static constexpr int second(ecckd::Definition const*) { return 1; }
  static constexpr int second(rrtmgp::KDistribution const*) { return 2; }
};

// Columns that are on the device.
template <class Case, class Model, class HostModel, class Data>
void resident(benchmark::State& state, File<Data> const& file) {
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  auto const description = description_of(file.data);
  auto const& sizes = description.sizes;
  Space const space;
  auto const made = kept(&file, [&] { return std::make_shared<Model const>(make_model<Model>(space, file.data)); });
  Model const& model = *made;
  typename Case::template Solver<Model> solver(space, model, Case::capacity(nlay, description),
                                               Case::tuning(static_cast<int>(state.range(2))));
  auto const input = Case::input(file.data, random_columns<Space, Real>(ncol, nlay, sizes));
  auto const fluxes = Case::template results<Space, Real>(ncol, nlay, sizes);
  solver.solve(space, input, fluxes);
  space.fence();
  double const seconds = time_iterations(state, [&] {
    solver.solve(space, input, fluxes);
    space.fence();
  });
  if (!solver.status(space).good()) state.SkipWithError("a flux is not finite");
  double const rate = ncol * static_cast<double>(state.iterations()) / seconds;
  state.counters["columns/s"] = rate;
  constexpr int nsecond = Case::second(static_cast<Data const*>(nullptr));
  double const operations = kept(std::pair(&file, nlay), [&] {
    return operations_of<nsecond>(make_model<HostModel>(Host(), file.data),
                                  make_random_columns<Host, Real>(counted, nlay, sizes), Case::transfer);
  });
  set_work_counters(state, limits<Space, Real>(space, tiny),
                    rate * bytes_per_column(model, nlay, Case::others(sizes), Case::nflux), rate * operations);
  state.counters["workspace_bytes"] = static_cast<double>(solver.workspace_bytes());
  state.counters["gpoints"] = sizes.ngpoint;
  state.SetLabel(file.name);
}

// One call of the longwave or of the shortwave, from host arrays to host arrays, values checked. The first call, which
// allocates, is not timed.
template <class Space, class Real, bool is_longwave>
void host_arrays(benchmark::State& state, File<ecckd::Definition> const& file) {
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  constexpr auto precision = std::is_same_v<Real, float> ? Precision::float32 : Precision::float64;
  auto const sizes = description_of(file.data).sizes;
  auto const air = random_columns<Host, Real>(ncol, nlay, sizes);
  auto const measure = [&](auto& solver, auto const& columns, auto const& clouds, auto const& fluxes) {
    solver.compute(columns, clouds, fluxes);
    double const seconds = time_iterations(state, [&] { solver.compute(columns, clouds, fluxes); });
    state.counters["columns/s"] = ncol * static_cast<double>(state.iterations()) / seconds;
    state.counters["chunk"] = solver.plan().chunk;
    state.SetLabel(file.name);
  };
  if constexpr (is_longwave) {
    Clouds<Host, Real> const clouds;
    HostLongwave<Real> solver(ncol, nlay, clouds, false, file.data, {.space = Space::name(), .precision = precision});
    measure(solver, air, clouds, make_fluxes<Host, Real>(ncol, nlay, {}, sizes));
  } else {
    ShortwaveClouds<Host, Real> const clouds;
    HostShortwave<Real> solver(ncol, nlay, clouds, {}, file.data, {.space = Space::name(), .precision = precision});
    measure(solver, sunlit_columns_for(file.data, air), clouds,
            make_shortwave_fluxes<Host, Real>(ncol, nlay, {}, sizes));
  }
}

template <class Space, class Real>
std::string kind() {
  return std::string("/") + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
}

// Sizes are columns, layers, and layers a block (0: the default).
template <class Case, class Model, class HostModel, class Data>
void add(char const* name, std::optional<File<Data>> const& file) {
  if (!file) return;
  using Space = typename Model::execution_space;
  auto* const benchmark = benchmark::RegisterBenchmark(
      (name + kind<Space, typename Model::value_type>()).c_str(),
      [&file](benchmark::State& state) { resident<Case, Model, HostModel>(state, *file); });
  benchmark->ArgNames({"ncol", "nlay", "block"})->UseManualTime();
  int const ncol = tiny ? 16 : runs_on_host<Space> ? 4096 : 16384;
  int const nlay = tiny ? 10 : 60;
  benchmark->Args({ncol, nlay, 0});
  if (tiny) return;
  for (int const block : {2, 3, 4, 5, 6, 8, 12, 16}) benchmark->Args({ncol, nlay, block});
  // Growth with columns and layers.
  for (int const columns : {4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144})
    if (columns != ncol) benchmark->Args({columns, nlay, 0});
  for (int const layers : {20, 35, 100, 140, 200}) benchmark->Args({16384, layers, 0});
}

template <class Space, class Real, bool is_longwave>
void add_host_arrays(char const* name, std::optional<File<ecckd::Definition>> const& file) {
  if (!file) return;
  auto* const benchmark = benchmark::RegisterBenchmark(
      (name + kind<Space, Real>()).c_str(),
      [&file](benchmark::State& state) { host_arrays<Space, Real, is_longwave>(state, *file); });
  benchmark->ArgNames({"ncol", "nlay"})->UseManualTime()->Unit(benchmark::kMillisecond);
  benchmark->Args({tiny ? 16 : runs_on_host<Space> ? 4096 : 131072, tiny ? 10 : 60});
}

template <class Space, class Real>
void add_all() {
  add<LongwaveCase, ecckd::Longwave<Space, Real>, ecckd::Longwave<Host, Real>>("ecckd_longwave", ecckd_longwave);
  add<ShortwaveCase, ecckd::Shortwave<Space, Real>, ecckd::Shortwave<Host, Real>>("ecckd_shortwave", ecckd_shortwave);
  add<LongwaveCase, rrtmgp::Longwave<Space, Real>, rrtmgp::Longwave<Host, Real>>("rrtmgp_longwave", rrtmgp_longwave);
  add<ShortwaveCase, rrtmgp::Shortwave<Space, Real>, rrtmgp::Shortwave<Host, Real>>("rrtmgp_shortwave",
                                                                                    rrtmgp_shortwave);
  add_host_arrays<Space, Real, true>("host_arrays_ecckd_longwave", ecckd_longwave);
  add_host_arrays<Space, Real, false>("host_arrays_ecckd_shortwave", ecckd_shortwave);
}

// Reads a file; says so where there is none.
template <class Data>
void read(std::optional<File<Data>>& file, Data (*reader)(std::string const&), char const* what, char const* variable,
          std::vector<std::string> const& names) {
  try {
    char const* const named = std::getenv(variable);
    std::string const path =
        io::find_data_file(what, named != nullptr ? named : "", names, std::string("or name a file by ") + variable);
    file.emplace(File<Data>{std::filesystem::path(path).filename().string(), reader(path)});
  } catch (Error const& error) {
    std::cerr << "perf_k_distributions: left out: " << error.what() << '\n';
  }
}

}  // namespace

}  // namespace parhelion::Perf

int main(int argc, char** argv) {
  using namespace parhelion;
  using namespace parhelion::Perf;
  return run_benchmarks(argc, argv, tiny, [] {
    read(ecckd_longwave, io::read_ecckd_definition, "ecCKD, longwave", "PARHELION_ECCKD_LONGWAVE",
         {"ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc"});
    read(ecckd_shortwave, io::read_ecckd_definition, "ecCKD, shortwave", "PARHELION_ECCKD_SHORTWAVE",
         {"ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc"});
    read(rrtmgp_longwave, io::read_rrtmgp_gas_optics, "RRTMGP, longwave", "PARHELION_RRTMGP_LONGWAVE",
         {"rrtmgp-gas-lw-g128.nc", "synthetic-gas-lw-g128.nc"});
    read(rrtmgp_shortwave, io::read_rrtmgp_gas_optics, "RRTMGP, shortwave", "PARHELION_RRTMGP_SHORTWAVE",
         {"rrtmgp-gas-sw-g112.nc", "synthetic-gas-sw-g112.nc"});
#define PARHELION_ADD(SPACE) \
  add_all<SPACE, float>();   \
  add_all<SPACE, double>();
    PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
  });
}
