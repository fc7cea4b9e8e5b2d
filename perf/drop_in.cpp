// SPDX-License-Identifier: BSD-3-Clause
// What a call of the drop-in rrtmg_lw() costs beside one of C++ that gets and gives the same: fluxes with and without
// clouds, optical depths of aerosol, transmittances from tables, values clipped and counted. C++ has arrays without
// gaps in its own order; the drop-in is called from Fortran with the arrays of a model: the column fastest, pressures
// in hPa, clouds of g-points with the g-point fastest.
//
//   perf_drop_in [--tiny] [--benchmark_...]
//
// Both are called in turn, so that other work of the machine changes them alike. The coefficients of RRTMG_LW are
// looked for in $PARHELION_DATA.
#include "longwave_columns.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

extern "C" {
void perf_rrtmg_lw_ini(double heat_capacity);
void perf_rrtmg_lw(int ncol, int nlay, int cloudy, double const* play, double const* plev, double const* tlay,
                   double const* tlev, double const* tsfc, double const* gases, double const* emis,
                   double const* cldfmcl, double const* taucmcl, double const* ciwpmcl, double const* clwpmcl,
                   double const* reicmcl, double const* relqmcl, double const* tauaer, double* uflx, double* dflx,
                   double* hr, double* uflxc, double* dflxc, double* hrc);
}

namespace parhelion::Perf {

std::optional<Coefficients> coefficients;
bool tiny = false;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Space = Kokkos::DefaultExecutionSpace;  // where the drop-in computes, too, unless the environment says otherwise

constexpr double heat_capacity = 1004;  // [J kg-1 K-1]

/// The arrays of a model, without gaps. Those of clouds are there without clouds, too.
struct ModelArrays {
  using Array2 = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

  int ncol, nlay, cloudy;
  Array2 play, plev, tlay, tlev, emis, reic, relq;
  std::vector<double> tsfc, gases, cldf, tauc, ciwp, clwp, tauaer;
  Array2 uflx, dflx, hr, uflxc, dflxc, hrc;

  ModelArrays(Columns<Host, double> const& columns, Clouds<Host, double> const& clouds)
      : ncol(columns.ncol()),
        nlay(columns.nlay()),
        cloudy(clouds.any() ? 1 : 0),
        play(like(columns.pressure_lay, 0.01)),
        plev(like(columns.pressure_lev, 0.01)),
        tlay(like(columns.temperature_lay)),
        tlev(like(columns.temperature_lev)),
        emis(like(columns.emissivity_sfc)),
        reic(clouds.any() ? like(clouds.ice_size, 1e6) : layers("reic")),
        relq(clouds.any() ? like(clouds.liquid_size, 1e6) : layers("relq")),
        gases(static_cast<std::size_t>(ncol) * nlay * ngas),
        cldf(of_gpoints(clouds.fraction_gpt, 1)),
        tauc(of_gpoints({}, 1)),
        ciwp(of_gpoints(clouds.ice_path_gpt, 1e3)),
        clwp(of_gpoints(clouds.liquid_path_gpt, 1e3)),
        tauaer(static_cast<std::size_t>(ncol) * nlay * nbnd),
        uflx(levels("uflx")),
        dflx(levels("dflx")),
        hr(layers("hr")),
        uflxc(levels("uflxc")),
        dflxc(levels("dflxc")),
        hrc(layers("hrc")) {
    for (int c = 0; c < ncol; ++c) tsfc.push_back(columns.temperature_sfc(c));
    for (int gas = 0; gas < ngas; ++gas)
      for (int k = 0; k < nlay; ++k)
        for (int c = 0; c < ncol; ++c)
          gases[(static_cast<std::size_t>(gas) * nlay + k) * ncol + c] = columns.vmr(c, gas, k);
  }

  void operator()() const {
    perf_rrtmg_lw(ncol, nlay, cloudy, play.data(), plev.data(), tlay.data(), tlev.data(), tsfc.data(), gases.data(),
                  emis.data(), cldf.data(), tauc.data(), ciwp.data(), clwp.data(), reic.data(), relq.data(),
                  tauaer.data(), uflx.data(), dflx.data(), hr.data(), uflxc.data(), dflxc.data(), hrc.data());
  }

 private:
  Array2 levels(char const* name) const { return {name, static_cast<std::size_t>(ncol), nlay + std::size_t{1}}; }
  Array2 layers(char const* name) const { return {name, static_cast<std::size_t>(ncol), std::size_t(nlay)}; }

  template <class View>
  static Array2 like(View const& view, double factor = 1) {
    Array2 const array("array of the model", view.extent(0), view.extent(1));
    for (std::size_t i = 0; i < view.extent(0); ++i)
      for (std::size_t j = 0; j < view.extent(1); ++j) array(i, j) = factor * view(i, j);
    return array;
  }

  /// The g-point fastest, then the column; 0 where the View is empty.
  std::vector<double> of_gpoints(decltype(Clouds<Host, double>::fraction_gpt) const& view, double factor) const {
    std::vector<double> array(static_cast<std::size_t>(ngpt) * ncol * nlay);
    if (view.size() == 0) return array;
    for (int k = 0; k < nlay; ++k)
      for (int c = 0; c < ncol; ++c)
        for (int g = 0; g < ngpt; ++g)
          array[(static_cast<std::size_t>(k) * ncol + c) * ngpt + g] = factor * view(c, k, g);
    return array;
  }
};

/// The largest difference between fluxes of the two ways [W m-2].
double difference(Fluxes<Host, double> const& cpp, ModelArrays const& drop_in) {
  double largest = 0;
  auto const look = [&](auto const& a, auto const& b) {
    for (std::size_t c = 0; c < a.extent(0); ++c)
      for (std::size_t k = 0; k < a.extent(1); ++k) largest = std::fmax(largest, std::abs(a(c, k) - b(c, k)));
  };
  look(cpp.flux_up, drop_in.uflx);
  look(cpp.flux_dn, drop_in.dflx);
  look(cpp.flux_up_clear, drop_in.uflxc);
  look(cpp.flux_dn_clear, drop_in.dflxc);
  return largest;
}

/// The counters are medians of the times in microseconds and their ratio. The iteration's time is the drop-in's.
void in_turn(benchmark::State& state) {
  auto const ncol = static_cast<int>(state.range(0));
  auto const nlay = static_cast<int>(state.range(1));
  auto columns = random_columns<Host, double>(ncol, nlay);
  // rrtmg_lw() has no carbon monoxide.
  decltype(columns.vmr) const gases("vmr", columns.vmr.layout());
  parhelion::assign_array(gases, columns.vmr);
  Kokkos::deep_copy(Kokkos::subview(gases, Kokkos::ALL, static_cast<int>(Gas::co), Kokkos::ALL), 0);
  columns.vmr = gases;
  columns.aerosol = decltype(columns.aerosol)("aerosol", static_cast<std::size_t>(ncol), static_cast<std::size_t>(nlay),
                                              static_cast<std::size_t>(nbnd));
  auto const clouds = state.range(2) != 0 ? gpoint_clouds(columns, false) : Clouds<Host, double>{};
  FluxOutputs const outputs{.clear = true};
  auto const fluxes = make_fluxes<Host, double>(ncol, nlay, outputs);
  HostLongwave<double> solver(ncol, nlay, clouds, true, *coefficients,
                              {.space = Space::name(),
                               .transmittance = Transmittance::table,
                               .outputs = outputs,
                               .out_of_range = OutOfRange::extrapolate,
                               .checks = Checks::clip});
  ModelArrays const drop_in(columns, clouds);
  solver.compute(columns, clouds, fluxes);
  drop_in();
  double const off = difference(fluxes, drop_in);
  if (!(off < 1e-9)) {
    state.SkipWithError(("fluxes of the drop-in differ by " + std::to_string(off) + " W m-2").c_str());
    return;
  }

  std::vector<double> of_cpp, of_drop_in;
  double seconds = 0;
  for (auto _ : state) {
    Kokkos::Timer timer;
    solver.compute(columns, clouds, fluxes);
    of_cpp.push_back(1e6 * timer.seconds());
    timer.reset();
    drop_in();
    double const took = timer.seconds();
    of_drop_in.push_back(1e6 * took);
    state.SetIterationTime(took);
    seconds += took;
  }
  set_counters(state, Space(), GasOptics<Space, double>(Space(), *coefficients), ncol, nlay, seconds);
  state.counters["cpp_us"] = median(of_cpp);
  state.counters["drop_in_us"] = median(of_drop_in);
  state.counters["drop_in_over_cpp"] = median(of_drop_in) / median(of_cpp);
}

}  // namespace

}  // namespace parhelion::Perf

int main(int argc, char** argv) {
  using namespace parhelion;
  using namespace parhelion::Perf;
  return run_benchmarks(argc, argv, tiny, [] {
    read_coefficients("perf_drop_in: ");
    if (!coefficients) return;
    perf_rrtmg_lw_ini(heat_capacity);
    for (int const clouds : {0, 1})
      for (int const ncol : {1, 16, 1024})
        if (!tiny || ncol < 17)
          benchmark::RegisterBenchmark("in_turn", in_turn)
              ->ArgNames({"ncol", "nlay", "clouds"})
              ->Args({ncol, tiny ? 10 : 51, clouds})
              ->Iterations(tiny         ? 2
                           : ncol > 100 ? 30
                                        : 1000)
              ->UseManualTime()
              ->Unit(benchmark::kMicrosecond);
  });
}
