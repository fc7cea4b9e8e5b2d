// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/rrtmg/host_longwave.hpp>

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace parhelion::rrtmg {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

constexpr double extra_layer_top = 0.01;  // [Pa]

template <class View>
void expect_extent(View const& view, char const* name, int dimension, std::size_t expected) {
  if (view.extent(dimension) != expected)
    throw Error("validate",
                fmt::format("{}.extent({}) = {}, expected {}", name, dimension, view.extent(dimension), expected));
}

// Refuses the first value that `good` does not accept. NaN is not accepted by any comparison.
template <class View, class Good>
void expect_values(View const& view, char const* name, char const* unit, char const* expected, Good const& good) {
  auto const* const data = view.data();
  auto const* const bad =
      std::find_if_not(data, data + view.size(), [&](double x) { return std::isfinite(x) && good(x); });
  if (bad == data + view.size()) return;
  std::size_t rest = static_cast<std::size_t>(bad - data);
  std::string index;
  for (int r = static_cast<int>(View::rank()) - 1; r >= 0; --r) {
    index = fmt::format("{}{}{}", rest % view.extent(r), index.empty() ? "" : ", ", index);
    rest /= view.extent(r);
  }
  throw Error("validate",
              fmt::format("{}({}) = {}{}{}, expected {}", name, index, *bad, *unit ? " " : "", unit, expected));
}

HostColumns with_extra_layer(HostColumns const& columns) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  int const nemis = static_cast<int>(columns.emissivity_sfc.extent(1));
  auto result = make_columns<Host, double>(ncol, nlay + 1, nemis);
  for (int c = 0; c < ncol; ++c) {
    double const top = columns.pressure_lev(c, nlay);
    if (top <= extra_layer_top * (1 + 1e-6))
      throw Error("extra layer", fmt::format("column {} ends at {:g} Pa; there is no room for a layer below {:g} Pa", c,
                                             top, extra_layer_top));
    for (int k = 0; k < nlay; ++k) {
      result.pressure_lay(c, k) = columns.pressure_lay(c, k);
      result.temperature_lay(c, k) = columns.temperature_lay(c, k);
      result.pressure_lev(c, k) = columns.pressure_lev(c, k);
      result.temperature_lev(c, k) = columns.temperature_lev(c, k);
      for (int gas = 0; gas < ngas; ++gas) result.mole_ratio(c, gas, k) = columns.mole_ratio(c, gas, k);
    }
    double const temperature = columns.temperature_lay(c, nlay - 1);
    result.pressure_lev(c, nlay) = top;
    result.pressure_lev(c, nlay + 1) = extra_layer_top;
    result.temperature_lev(c, nlay) = result.temperature_lev(c, nlay + 1) = temperature;
    result.pressure_lay(c, nlay) = 0.5 * top;
    result.temperature_lay(c, nlay) = temperature;
    for (int gas = 0; gas < ngas; ++gas) result.mole_ratio(c, gas, nlay) = columns.mole_ratio(c, gas, nlay - 1);
    result.temperature_sfc(c) = columns.temperature_sfc(c);
    for (int e = 0; e < nemis; ++e) result.emissivity_sfc(c, e) = columns.emissivity_sfc(c, e);
  }
  return result;
}

// The columns [first, last) of a View whose first index is the column.
template <class View>
auto rows(View const& view, int first, int last) {
  std::pair<int, int> const range(first, last);
  if constexpr (View::rank() == 1)
    return Kokkos::subview(view, range);
  else if constexpr (View::rank() == 2)
    return Kokkos::subview(view, range, Kokkos::ALL);
  else
    return Kokkos::subview(view, range, Kokkos::ALL, Kokkos::ALL);
}

// Copies columns between host arrays in double and device arrays of the solve's precision. `stage` is the host memory
// in that precision through which they go.
template <class Space, class From, class To>
void to_device(Space const& space, From const& from, To const& to, int first, int n) {
  auto const target = rows(to, 0, n);
  auto const stage =
      Kokkos::create_mirror_view(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing), target);
  auto const source = rows(from, first, first + n);
  std::transform(source.data(), source.data() + source.size(), stage.data(),
                 [](double x) { return static_cast<typename To::non_const_value_type>(x); });
  Kokkos::deep_copy(space, target, stage);
  space.fence("parhelion::rrtmg::to_device");
}

// The caller may want fewer levels than were solved: those of an extra layer are dropped.
template <class Space, class From, class To>
void to_host(Space const& space, From const& from, To const& to, int first, int n) {
  auto const stage = Kokkos::create_mirror_view(Kokkos::view_alloc(Kokkos::HostSpace(), Kokkos::WithoutInitializing),
                                                rows(from, 0, n));
  Kokkos::deep_copy(space, stage, rows(from, 0, n));
  space.fence("parhelion::rrtmg::to_host");
  for (int c = 0; c < n; ++c)
    for (std::size_t k = 0; k < to.extent(1); ++k) to(first + c, k) = static_cast<double>(stage(c, k));
}

template <class Model>
void run(typename Model::execution_space const& space, Model const& model, HostColumns const& columns,
         HostFluxes const& fluxes, HostLongwaveOptions const& options, HostLongwaveReport& report) {
  using Space = typename Model::execution_space;
  using Real = typename Model::value_type;
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  int const chunk = std::min(ncol, options.chunk > 0 ? options.chunk : (runs_on_host<Space> ? 1024 : 16384));
  Longwave<Model> const solver(space, model, nlay, options.transmittance, options.tuning);
  auto const device_columns =
      make_columns<Space, Real>(chunk, nlay, static_cast<int>(columns.emissivity_sfc.extent(1)));
  auto const device_fluxes = make_fluxes<Space, Real>(chunk, nlay);
  std::size_t const values = device_columns.pressure_lay.size() * 2 + device_columns.pressure_lev.size() * 2 +
                             device_columns.temperature_sfc.size() + device_columns.emissivity_sfc.size() +
                             device_columns.mole_ratio.size() + device_fluxes.flux_up.size() * 2 +
                             device_fluxes.heating_rate.size();
  report.chunk = chunk;
  report.device_bytes = values * sizeof(Real) + solver.workspace_bytes();

  for (int first = 0; first < ncol; first += chunk) {
    int const n = std::min(chunk, ncol - first);
    to_device(space, columns.pressure_lay, device_columns.pressure_lay, first, n);
    to_device(space, columns.pressure_lev, device_columns.pressure_lev, first, n);
    to_device(space, columns.temperature_lay, device_columns.temperature_lay, first, n);
    to_device(space, columns.temperature_lev, device_columns.temperature_lev, first, n);
    to_device(space, columns.temperature_sfc, device_columns.temperature_sfc, first, n);
    to_device(space, columns.emissivity_sfc, device_columns.emissivity_sfc, first, n);
    to_device(space, columns.mole_ratio, device_columns.mole_ratio, first, n);
    Columns<Space, Real> const part{.pressure_lay = rows(device_columns.pressure_lay, 0, n),
                                    .pressure_lev = rows(device_columns.pressure_lev, 0, n),
                                    .temperature_lay = rows(device_columns.temperature_lay, 0, n),
                                    .temperature_lev = rows(device_columns.temperature_lev, 0, n),
                                    .temperature_sfc = rows(device_columns.temperature_sfc, 0, n),
                                    .emissivity_sfc = rows(device_columns.emissivity_sfc, 0, n),
                                    .mole_ratio = rows(device_columns.mole_ratio, 0, n)};
    Fluxes<Space, Real> const result{.flux_up = rows(device_fluxes.flux_up, 0, n),
                                     .flux_dn = rows(device_fluxes.flux_dn, 0, n),
                                     .heating_rate = rows(device_fluxes.heating_rate, 0, n)};
    space.fence("parhelion::rrtmg::before_solve");
    Kokkos::Timer const timer;
    solver.solve(space, part, result);
    space.fence("parhelion::rrtmg::after_solve");
    report.solve_seconds += timer.seconds();
    if (solver.found_bad_numbers(space))
      throw Error("compute_longwave", fmt::format("a flux of columns {} to {} is not finite", first, first + n - 1));
    to_host(space, device_fluxes.flux_up, fluxes.flux_up, first, n);
    to_host(space, device_fluxes.flux_dn, fluxes.flux_dn, first, n);
    to_host(space, device_fluxes.heating_rate, fluxes.heating_rate, first, n);
    if (options.progress) options.progress(first + n, ncol);
  }
}

}  // namespace

void validate(HostColumns const& columns) {
  std::size_t const ncol = columns.pressure_lay.extent(0);
  std::size_t const nlay = columns.pressure_lay.extent(1);
  if (ncol < 1 || nlay < 1)
    throw Error("validate", fmt::format("pressure_lay has shape ({}, {}), expected at least (1, 1)", ncol, nlay));
  std::size_t const nlev = nlay + 1;
  for (auto const& [view, name, n] : {std::tuple(columns.temperature_lay, "temperature_lay", nlay),
                                      std::tuple(columns.pressure_lev, "pressure_lev", nlev),
                                      std::tuple(columns.temperature_lev, "temperature_lev", nlev)}) {
    expect_extent(view, name, 0, ncol);
    expect_extent(view, name, 1, n);
  }
  expect_extent(columns.temperature_sfc, "temperature_sfc", 0, ncol);
  expect_extent(columns.emissivity_sfc, "emissivity_sfc", 0, ncol);
  if (columns.emissivity_sfc.extent(1) != 1) expect_extent(columns.emissivity_sfc, "emissivity_sfc", 1, nbnd);
  expect_extent(columns.mole_ratio, "mole_ratio", 0, ncol);
  expect_extent(columns.mole_ratio, "mole_ratio", 1, ngas);
  expect_extent(columns.mole_ratio, "mole_ratio", 2, nlay);

  auto const positive = [](double x) { return x > 0; };
  auto const not_negative = [](double x) { return x >= 0; };
  expect_values(columns.pressure_lay, "pressure_lay", "Pa", "a positive number", positive);
  expect_values(columns.pressure_lev, "pressure_lev", "Pa", "a number of at least 0", not_negative);
  expect_values(columns.temperature_lay, "temperature_lay", "K", "a positive number", positive);
  expect_values(columns.temperature_lev, "temperature_lev", "K", "a positive number", positive);
  expect_values(columns.temperature_sfc, "temperature_sfc", "K", "a positive number", positive);
  expect_values(columns.mole_ratio, "mole_ratio", "", "a number of at least 0", not_negative);
  expect_values(columns.emissivity_sfc, "emissivity_sfc", "", "0 to 1", [](double x) { return x >= 0 && x <= 1; });
  for (std::size_t c = 0; c < ncol; ++c)
    for (std::size_t k = 0; k < nlay; ++k) {
      double const low = columns.pressure_lev(c, k);
      double const high = columns.pressure_lev(c, k + 1);
      if (!(high < low))
        throw Error("validate", fmt::format("pressure_lev({}, {}) = {} Pa, expected less than the {} Pa below", c,
                                            k + 1, high, low));
      // A layer may stand for more than its own interfaces enclose, as the halves of a layer that was split do.
      double const p = columns.pressure_lay(c, k);
      double const below = k == 0 ? columns.pressure_lev(c, 0) : columns.pressure_lay(c, k - 1);
      if (p > below || p < columns.pressure_lev(c, nlay))
        throw Error("validate",
                    fmt::format("pressure_lay({}, {}) = {} Pa, expected no more than the {} Pa below and no "
                                "less than the {} Pa at the top",
                                c, k, p, below, columns.pressure_lev(c, nlay)));
    }
}

HostFluxes compute_longwave(HostColumns const& columns, Coefficients const* coefficients,
                            HostLongwaveOptions const& options, HostLongwaveReport* report) {
  if (options.chunk < 0)
    throw Error("compute_longwave", fmt::format("chunk = {}, expected at least 1, or 0 for a choice", options.chunk));
  validate(columns);
  auto fluxes = make_fluxes<Host, double>(columns.ncol(), columns.nlay());
  HostLongwaveReport own;
  auto& told = report != nullptr ? *report : own;
  told = {};
  told.space = resolve_execution_space(options.space);
  Kokkos::Timer const timer;
  HostColumns const input = options.extra_layer ? with_extra_layer(columns) : columns;
  with_execution_space(options.space, [&]<class Space>(Space const& space) {
    auto const with_precision = [&]<class Real>(Real) {
      if (coefficients != nullptr)
        run(space, GasOptics<Space, Real>(*coefficients), input, fluxes, options, told);
      else
        run(space, SimpleSpectral<Space, Real>(), input, fluxes, options, told);
    };
    if (options.precision == Precision::float32)
      with_precision(float());
    else
      with_precision(double());
  });
  told.total_seconds = timer.seconds();
  return fluxes;
}

}  // namespace parhelion::rrtmg
