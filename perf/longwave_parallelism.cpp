// SPDX-License-Identifier: BSD-3-Clause
// Clear-sky fluxes with the work cut in the ways of Wang et al. (2019, doi:10.3390/app9194039), who keep the optical
// depths of all g-points in memory: by columns alone; by columns and layers for the optical depths and by columns for
// the transfer; and with the transfer by columns and g-points. They use the library's formulas, so that what differs is
// the cut.
#include "rrtmg_lw/gas_optics_lanes.hpp"

#include "transfer.hpp"

#include "longwave_columns.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/fluxes/longwave.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <type_traits>

namespace parhelion::Perf {

namespace {

enum class Cut { columns, layers, gpoints };

/// A solve whose steps are kernels of their own. Columns are neighbours in memory where threads take columns, g-points
/// where threads take g-points.
template <class Space, class Real, class Layout>
struct Steps {
  using Optics = fluxes::Impl::LaneOptics<GasOptics<Space, Real>>;
  using PerGpoint = Kokkos::View<Real***, Layout, Space>;  ///< (column, layer or level, g-point)

  Optics optics;
  Columns<Space, Real> in;
  Fluxes<Space, Real> out;
  PerGpoint tau, fraction, up, down;
  Kokkos::View<Real**, Layout, Space> secant;                               ///< (column, band)
  Kokkos::View<Real***, Layout, Space> planck_lay, planck_lev, planck_sfc;  ///< (column, layer or level, band)
  Array<int*, Space> band_of;                                               ///< (g-point)
  int ncol, nlay;

  Steps(Space const& space, GasOptics<Space, Real> const& model, Columns<Space, Real> const& columns,
        Fluxes<Space, Real> const& fluxes)
      : optics(model), in(columns), out(fluxes), ncol(columns.ncol()), nlay(columns.nlay()) {
    auto const named = [&](char const* name) {
      return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::perf::") + name);
    };
    tau = PerGpoint(named("tau"), ncol, nlay, ngpt);
    fraction = PerGpoint(named("fraction"), ncol, nlay, ngpt);
    up = PerGpoint(named("up"), ncol, nlay + 1, ngpt);
    down = PerGpoint(named("down"), ncol, nlay + 1, ngpt);
    secant = decltype(secant)(named("secant"), ncol, nbnd);
    planck_lay = PerGpoint(named("planck_lay"), ncol, nlay, nbnd);
    planck_lev = PerGpoint(named("planck_lev"), ncol, nlay + 1, nbnd);
    planck_sfc = PerGpoint(named("planck_sfc"), ncol, 1, nbnd);
    band_of = Array<int*, Space>(named("band_of"), ngpt);
    auto const host = Kokkos::create_mirror_view(band_of);
    for (int band = 0, g = 0; band < nbnd; ++band)
      for (int i = 0; i < bands()[static_cast<std::size_t>(band)].ng; ++i, ++g) host(g) = band;
    parhelion::assign_array(band_of, host);
  }

  KOKKOS_INLINE_FUNCTION void prepare(int c) const {
    typename Optics::WaterPath path;
    for (int k = 0; k < nlay; ++k) path += optics.water_path(in, c, k);
    auto const at_surface = optics.at_temperature(in.temperature_sfc(c));
    for (int band = 0; band < nbnd; ++band) {
      secant(c, band) = optics.secant(band, path, in.pressure_lev(c, 0));
      planck_sfc(c, 0, band) = optics.planck(band, at_surface);
    }
  }

  KOKKOS_INLINE_FUNCTION void planck_of_layer(int c, int k) const {
    auto const layer = optics.at_temperature(in.temperature_lay(c, k));
    for (int band = 0; band < nbnd; ++band) planck_lay(c, k, band) = optics.planck(band, layer);
    for (int level = k; level <= (k == nlay - 1 ? nlay : k); ++level) {
      auto const at = optics.at_temperature(in.temperature_lev(c, level));
      for (int band = 0; band < nbnd; ++band) planck_lev(c, level, band) = optics.planck(band, at);
    }
  }

  KOKKOS_INLINE_FUNCTION void optics_of_layer(int c, int k) const {
    planck_of_layer(c, k);
    rrtmg_lw::InterpolationState<Real> state;
    rrtmg_lw::set_interpolation_state(state, optics.tables, in, c, k, k);
    using Terms = fluxes::Impl::AbsorptionTerms<Real>;
    typename Terms::Pack packs[Terms::packs(rrtmg_lw::max_absorption_pairs)];
    Terms terms;
    int first = 0;
    for (int band = 0; band < nbnd; ++band) {
      rrtmg_lw::set_terms(terms, packs, optics.tables, band, state);
      int const ng = optics.tables.bands(band).ng;
      for (int g = 0; g < ng; ++g) {
        Real depth[1], share[1];
        fluxes::Impl::sum_terms(terms, packs, 0, optics.values() + g, rrtmg_lw::row_stride, depth);
        fluxes::Impl::second_sum(terms, 0, optics.values() + g, rrtmg_lw::row_stride, share);
        tau(c, k, first + g) = (depth[0] < 0 ? 0 : depth[0]) * secant(c, band);
        fraction(c, k, first + g) = share[0];
      }
      first += ng;
    }
  }

  /// Both sweeps of a g-point.
  template <class Put>
  KOKKOS_INLINE_FUNCTION void transfer(int c, int g, Put const& put) const {
    int const band = band_of(g);
    fluxes::Impl::ExactTransfer const pass;
    Real radiance = 0;
    put(c, nlay, g, radiance, false);
    for (int k = nlay - 1; k >= 0; --k) {
      fluxes::Impl::LayerTransfer<Real> const layer = pass(tau(c, k, g));
      Real const b = planck_lay(c, k, band);
      Real const source = b + layer.source_weight * (planck_lev(c, k, band) - b);
      radiance = layer.transmittance * radiance + layer.absorptivity * fraction(c, k, g) * source;
      put(c, k, g, radiance, false);
    }
    Real const emissivity = in.emissivity_sfc(c, band);
    radiance = (1 - emissivity) * radiance + emissivity * fraction(c, 0, g) * planck_sfc(c, 0, band);
    put(c, 0, g, radiance, true);
    for (int k = 0; k < nlay; ++k) {
      fluxes::Impl::LayerTransfer<Real> const layer = pass(tau(c, k, g));
      Real const b = planck_lay(c, k, band);
      Real const source = b + layer.source_weight * (planck_lev(c, k + 1, band) - b);
      radiance = layer.transmittance * radiance + layer.absorptivity * fraction(c, k, g) * source;
      put(c, k + 1, g, radiance, true);
    }
  }

  KOKKOS_INLINE_FUNCTION void transfer_of_column(int c) const {
    constexpr Real pi = static_cast<Real>(Kokkos::numbers::pi);
    for (int k = 0; k <= nlay; ++k) {
      out.flux_up(c, k) = 0;
      out.flux_dn(c, k) = 0;
    }
    for (int g = 0; g < ngpt; ++g)
      transfer(c, g, [&](int column, int level, int, Real radiance, bool upwards) {
        (upwards ? out.flux_up : out.flux_dn)(column, level) += pi * radiance;
      });
  }

  KOKKOS_INLINE_FUNCTION void store_radiances(int c, int g) const {
    transfer(c, g, [&](int column, int level, int gpoint, Real radiance, bool upwards) {
      (upwards ? up : down)(column, level, gpoint) = radiance;
    });
  }

  KOKKOS_INLINE_FUNCTION void sum_gpoints(int c, int k) const {
    constexpr Real pi = static_cast<Real>(Kokkos::numbers::pi);
    Real sum_up = 0, sum_down = 0;
    for (int g = 0; g < ngpt; ++g) {
      sum_up += up(c, k, g);
      sum_down += down(c, k, g);
    }
    out.flux_up(c, k) = pi * sum_up;
    out.flux_dn(c, k) = pi * sum_down;
  }
};

/// Calls action(i, j) for all i < ni and j < nj; the one that `Layout` has next to each other in memory runs fastest.
template <class Layout, class Space, class Action>
void for_each_pair(Space const& space, char const* name, int ni, int nj, Action const& action) {
  constexpr bool left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
  Kokkos::parallel_for(
      name, Kokkos::RangePolicy<Space>(space, 0, ni * nj),
      KOKKOS_LAMBDA(int n) { left ? action(n % ni, n / ni) : action(n / nj, n % nj); });
}

template <Cut cut, class Space, class Real>
void cut_so(benchmark::State& state, std::shared_ptr<GasOptics<Space, Real> const> const& model) {
  using Layout = std::conditional_t<cut == Cut::gpoints, Kokkos::LayoutRight, Kokkos::LayoutLeft>;
  int const ncol = static_cast<int>(state.range(0));
  int const nlay = static_cast<int>(state.range(1));
  Space const space;
  auto const columns = random_columns<Space, Real>(ncol, nlay);
  auto const fluxes = make_fluxes<Space, Real>(ncol, nlay);
  Steps<Space, Real, Layout> const steps(space, *model, columns, fluxes);
  auto const solve = [&] {
    Kokkos::parallel_for(
        "perf_longwave::prepare", Kokkos::RangePolicy<Space>(space, 0, ncol), KOKKOS_LAMBDA(int c) {
          steps.prepare(c);
          for (int k = 0; k < (cut == Cut::columns ? nlay : 0); ++k) steps.optics_of_layer(c, k);
        });
    if (cut != Cut::columns)
      for_each_pair<Layout>(
          space, "perf_longwave::optics", ncol, nlay, KOKKOS_LAMBDA(int c, int k) { steps.optics_of_layer(c, k); });
    if (cut == Cut::gpoints) {
      for_each_pair<Layout>(
          space, "perf_longwave::gpoints", ncol, ngpt, KOKKOS_LAMBDA(int c, int g) { steps.store_radiances(c, g); });
      for_each_pair<Layout>(
          space, "perf_longwave::sums", ncol, nlay + 1, KOKKOS_LAMBDA(int c, int k) { steps.sum_gpoints(c, k); });
    } else {
      Kokkos::parallel_for(
          "perf_longwave::transfer", Kokkos::RangePolicy<Space>(space, 0, ncol),
          KOKKOS_LAMBDA(int c) { steps.transfer_of_column(c); });
    }
    space.fence();
  };
  solve();
  double const seconds = time_iterations(state, solve);
  set_counters(state, space, *model, ncol, nlay, seconds);
  // The same fluxes as the library's, or what was measured is something else.
  auto const expected = make_fluxes<Space, Real>(ncol, nlay);
  Longwave<GasOptics<Space, Real>>(space, *model, {nlay}).solve(space, columns, expected);
  space.fence();
  auto const differ = [&](auto const& a, auto const& b) {
    auto const one = parhelion::host_copy(a);
    auto const other = parhelion::host_copy(b);
    for (int c = 0; c < ncol; ++c)
      for (int k = 0; k <= nlay; ++k)
        if (!(std::abs(one(c, k) - other(c, k)) < Real(1e-3))) return true;
    return false;
  };
  if (differ(fluxes.flux_up, expected.flux_up) || differ(fluxes.flux_dn, expected.flux_dn))
    state.SkipWithError("fluxes are not those of the library");
}

template <class Space, class Real>
void add_cuts() {
  auto const model = std::make_shared<GasOptics<Space, Real> const>(*coefficients);
  auto const add = [&](char const* cut, auto run) {
    std::string const name =
        std::string(cut) + "/" + Space::name() + (std::is_same_v<Real, float> ? "/float" : "/double");
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, model); })
        ->ArgNames({"ncol", "nlay"})
        ->UseManualTime()
        ->Args({tiny ? 16 : 16384, tiny ? 10 : 51});
  };
  add("cut_columns", &cut_so<Cut::columns, Space, Real>);
  add("cut_layers", &cut_so<Cut::layers, Space, Real>);
  add("cut_gpoints", &cut_so<Cut::gpoints, Space, Real>);
}

}  // namespace

void add_parallelism() {
#define PARHELION_ADD(SPACE) \
  add_cuts<SPACE, float>();  \
  add_cuts<SPACE, double>();
  PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_ADD)
}

}  // namespace parhelion::Perf
