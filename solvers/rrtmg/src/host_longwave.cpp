// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/rrtmg/host_longwave.hpp>

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace parhelion::rrtmg {

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

constexpr double extra_layer_top = 0.01;  // [Pa]

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
    Columns<Space, Real> const part{.pressure_lay = rows(device_columns.pressure_lay, 0, n),
                                    .pressure_lev = rows(device_columns.pressure_lev, 0, n),
                                    .temperature_lay = rows(device_columns.temperature_lay, 0, n),
                                    .temperature_lev = rows(device_columns.temperature_lev, 0, n),
                                    .temperature_sfc = rows(device_columns.temperature_sfc, 0, n),
                                    .emissivity_sfc = rows(device_columns.emissivity_sfc, 0, n),
                                    .mole_ratio = rows(device_columns.mole_ratio, 0, n)};
    to_device(space, columns.pressure_lay, part.pressure_lay, first);
    to_device(space, columns.pressure_lev, part.pressure_lev, first);
    to_device(space, columns.temperature_lay, part.temperature_lay, first);
    to_device(space, columns.temperature_lev, part.temperature_lev, first);
    to_device(space, columns.temperature_sfc, part.temperature_sfc, first);
    to_device(space, columns.emissivity_sfc, part.emissivity_sfc, first);
    to_device(space, columns.mole_ratio, part.mole_ratio, first);
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
    to_host(space, result.flux_up, fluxes.flux_up, first);
    to_host(space, result.flux_dn, fluxes.flux_dn, first);
    to_host(space, result.heating_rate, fluxes.heating_rate, first);
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
  expect_shape("validate", columns.temperature_lay, "temperature_lay", {ncol, nlay});
  expect_shape("validate", columns.pressure_lev, "pressure_lev", {ncol, nlev});
  expect_shape("validate", columns.temperature_lev, "temperature_lev", {ncol, nlev});
  expect_shape("validate", columns.temperature_sfc, "temperature_sfc", {ncol});
  expect_shape("validate", columns.emissivity_sfc, "emissivity_sfc",
               {ncol, columns.emissivity_sfc.extent(1) == 1 ? 1 : std::size_t(nbnd)});
  expect_shape("validate", columns.mole_ratio, "mole_ratio", {ncol, std::size_t(ngas), nlay});

  auto const positive = [](double x) { return x > 0; };
  auto const not_negative = [](double x) { return x >= 0; };
  expect_values("validate", columns.pressure_lay, "pressure_lay", "Pa", "a positive number", positive);
  expect_values("validate", columns.pressure_lev, "pressure_lev", "Pa", "a number of at least 0", not_negative);
  expect_values("validate", columns.temperature_lay, "temperature_lay", "K", "a positive number", positive);
  expect_values("validate", columns.temperature_lev, "temperature_lev", "K", "a positive number", positive);
  expect_values("validate", columns.temperature_sfc, "temperature_sfc", "K", "a positive number", positive);
  expect_values("validate", columns.mole_ratio, "mole_ratio", "", "a number of at least 0", not_negative);
  expect_values("validate", columns.emissivity_sfc, "emissivity_sfc", "", "0 to 1",
                [](double x) { return x >= 0 && x <= 1; });
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
