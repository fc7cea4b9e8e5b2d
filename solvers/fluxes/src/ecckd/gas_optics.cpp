// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/ecckd/gas_optics.hpp>

#include "absorption_terms.hpp"
#include "device_tables.hpp"
#include "ecckd/layer_terms.hpp"
#include "rrtmgp/particle_tables.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace parhelion::fluxes::ecckd {

namespace {

/// What a model is made of on the host, in double.
struct HostTables {
  std::vector<double> values;
  std::vector<GasRows<double>> gases;
  int npair = 0;
  unsigned planck_row = 0, rayleigh_row = 0;
  int stride = 0;

  /// Adds rows, padded with zeros, and gives the number of the first.
  unsigned add(std::vector<double> const& from, int ngpoint) {
    auto const first = static_cast<unsigned>(values.size() / static_cast<std::size_t>(stride));
    for (auto row = from.begin(); row != from.end(); row += ngpoint) {
      values.insert(values.end(), row, row + ngpoint);
      values.resize(values.size() + static_cast<std::size_t>(stride - ngpoint), 0.);
    }
    return first;
  }
};

HostTables host_tables(Definition const& definition) {
  constexpr int multiple = Tables<Kokkos::DefaultHostExecutionSpace, double>::lane_multiple;
  int const ng = definition.ngpoint();
  HostTables host;
  host.stride = (ng + multiple - 1) / multiple * multiple;
  for (auto const& gas : definition.gases) {
    GasRows<double> rows{};
    rows.gas = gas.name == composite_gas ? -1 : static_cast<int>(find_gas(gas.name).value());
    rows.dependence = static_cast<int>(gas.dependence);
    rows.row = host.add(gas.molar_absorption, ng);
    rows.reference = gas.dependence == Concentration::relative_linear ? gas.reference_mole_fraction : 0;
    if (gas.dependence == Concentration::table) {
      auto const& axis = gas.mole_fraction;
      rows.nmole_fraction = static_cast<int>(axis.size());
      rows.first_mole_fraction = axis.front();
      rows.inverse_step = (rows.nmole_fraction - 1) / (std::log(axis.back()) - std::log(axis.front()));
    }
    host.npair += gas.dependence == Concentration::table ? 4 : 2;
    host.gases.push_back(rows);
  }
  if (definition.is_longwave) {
    host.planck_row = host.add(definition.planck_function, ng);
  } else {
    host.rayleigh_row = host.add(definition.rayleigh_molar_scattering, ng);
    host.add(std::vector<double>(static_cast<std::size_t>(ng)), ng);
  }
  return host;
}

template <class Real>
GasRows<Real> convert(GasRows<double> const& from) {
  return {.gas = from.gas,
          .dependence = from.dependence,
          .row = from.row,
          .nmole_fraction = from.nmole_fraction,
          .first_mole_fraction = static_cast<Real>(from.first_mole_fraction),
          .inverse_step = static_cast<Real>(from.inverse_step),
          .reference = static_cast<Real>(from.reference)};
}

ValidRange range_of(std::vector<double> const& values) {
  auto const [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

/// Refuses optics of clouds that are not by the g-points of a definition.
void check_clouds(Definition const& definition, rrtmgp::CloudOptics const& clouds) {
  check(clouds);
  if (!clouds.by_gpoint() || clouds.npoint() != definition.ngpoint())
    throw Error(clouds.where,
                fmt::format("has optics of clouds for {} {}, expected {} g-points, those of {}", clouds.npoint(),
                            clouds.by_gpoint() ? "g-points" : "bands", definition.ngpoint(), definition.where));
}

}  // namespace

ModelDescription describe(Definition const& definition, rrtmgp::CloudOptics const* clouds) {
  check(definition);
  if (clouds != nullptr) check_clouds(definition, *clouds);
  ModelDescription model{.name = "ecCKD",
                         .sizes = {.ngas = ngas_all,
                                   .nband = definition.nband(),
                                   .ngpoint = definition.ngpoint(),
                                   .has_gpoint_surface = true},
                         .validity = model_validity(),
                         .bands = {},
                         .required = {},
                         .defaults = {},
                         .known = {},
                         .uses_levels = true,
                         .gpoints = {definition.ngpoint()}};
  for (std::size_t b = 0; b < definition.wavenumber1_band.size(); ++b)
    model.bands.push_back({definition.wavenumber1_band[b], definition.wavenumber2_band[b]});
  for (auto const& gas : definition.gases) {
    if (gas.name == composite_gas) continue;
    Gas const which = find_gas(gas.name).value();
    model.known.insert(which);
    if (gas.dependence == Concentration::relative_linear)
      model.defaults.emplace_back(which, gas.reference_mole_fraction);
    else
      model.required.insert(which);
  }
  return model;
}

TableRanges table_ranges(Definition const& definition) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  TableRanges ranges{
      .temperature = range_of(definition.temperature),
      .pressure = range_of(definition.pressure),
      .planck = definition.is_longwave ? range_of(definition.temperature_planck) : ValidRange{0, infinity},
      .gases = {}};
  for (auto const& gas : definition.gases)
    if (gas.dependence == Concentration::table)
      ranges.gases.push_back({find_gas(gas.name).value(), range_of(gas.mole_fraction)});
  return ranges;
}

Validity model_validity() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Sizes of particles are limited to the tables.
  SizeRange const any{0, std::numeric_limits<double>::max()};
  return {.temperature = {100, 400},
          .pressure = {0, infinity},
          .vmr = {0, infinity},
          .low_pressure = 0,
          .lowest_temperature = 100,
          .particle_sizes = ParticleSizes{.liquid = any, .ice = any, .aerosol = any},
          .uses_layers = false};
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Model<ExecutionSpace, Real>::Model(ExecutionSpace const& space, Definition const& definition, bool longwave,
                                   rrtmgp::CloudOptics const* clouds) {
  auto const range = [](bool is_longwave) { return is_longwave ? "longwave" : "shortwave"; };
  if (definition.is_longwave != longwave)
    throw Error(definition.where, fmt::format("is an ecCKD definition of the {}, expected one of the {}",
                                              range(definition.is_longwave), range(longwave)));
  Facts facts{.description = describe(definition, clouds),
              .ranges = ecckd::table_ranges(definition),
              .gases = {},
              .band_of_gpoints = definition.band_number,
              .solar_share = {},
              .uvvis_share = share_above(definition, uvvis_from),
              .has_clouds = clouds != nullptr};
  if (!longwave) {
    facts.solar_share = definition.solar_irradiance;
    double const sum = std::accumulate(facts.solar_share.begin(), facts.solar_share.end(), 0.);
    for (double& share : facts.solar_share) share /= sum;
  }
  HostTables const host = host_tables(definition);
  for (auto const& gas : host.gases)
    if (gas.gas >= 0) facts.gases.push_back(static_cast<Gas>(gas.gas));

  Tables<ExecutionSpace, Real> tables;
  auto const upload = [&](char const* label, std::vector<double> const& from, std::size_t n) {
    return Impl::to_device<Array<Real const*, ExecutionSpace>>(
        space, label,
        [&](auto const& view) {
          for (std::size_t i = 0; i < n; ++i) view(i) = i < from.size() ? static_cast<Real>(from[i]) : Real(0);
        },
        static_cast<int>(n));
  };
  tables.stride = host.stride;
  tables.npair = host.npair;
  tables.planck_row = host.planck_row;
  tables.rayleigh_row = host.rayleigh_row;
  tables.ngas = static_cast<int>(host.gases.size());
  tables.npressure = definition.npressure();
  tables.ntemperature = definition.ntemperature();
  tables.nplanck = static_cast<int>(definition.temperature_planck.size());
  tables.ngpoint = definition.ngpoint();
  tables.nband = definition.nband();
  auto const padded = static_cast<std::size_t>(host.stride);
  tables.values = upload("ecckd_values", host.values, host.values.size());
  tables.solar_share = upload("ecckd_solar_share", facts.solar_share, padded);

  // The first step is that of all pressures.
  double const ln_first = std::log(definition.pressure[0]);
  double const step = std::log(definition.pressure[1]) - ln_first;
  tables.inverse_pressure_step = static_cast<Real>(1 / step);
  std::vector<double> pressure, temperature;
  for (int p = 0; p < tables.npressure; ++p) {
    pressure.push_back(std::exp(ln_first + p * step));
    temperature.push_back(definition.temperature[static_cast<std::size_t>(p)]);
  }
  tables.pressure = upload("ecckd_pressure", pressure, pressure.size());
  tables.temperature = upload("ecckd_temperature", temperature, temperature.size());
  tables.inverse_temperature_step =
      static_cast<Real>(1 / (definition.temperature[pressure.size()] - definition.temperature[0]));
  if (longwave) {
    auto const& axis = definition.temperature_planck;
    tables.planck_from = static_cast<Real>(axis[0]);
    tables.inverse_planck_step = static_cast<Real>(1 / (axis[1] - axis[0]));
  }
  tables.gases = Impl::to_device<decltype(tables.gases)>(
      space, "ecckd_gases",
      [&](auto const& view) {
        for (std::size_t g = 0; g < host.gases.size(); ++g) view(g) = convert<Real>(host.gases[g]);
      },
      tables.ngas);
  tables.band = Impl::to_device<decltype(tables.band)>(
      space, "ecckd_band",
      [&](auto const& view) {
        auto const& band = definition.band_number;
        for (std::size_t g = 0; g < padded; ++g) view(g) = band[std::min(g, band.size() - 1)];
      },
      host.stride);
  rrtmgp::CloudTables<ExecutionSpace, Real> cloud_tables;
  if (clouds != nullptr) {
    cloud_tables = rrtmgp::make_cloud_tables<ExecutionSpace, Real>(space, *clouds, 1);
    cloud_tables.stay_within(model_constants::short_of_end);
  }
  m_facts = std::make_shared<Facts const>(std::move(facts));
  m_tables = std::make_shared<Tables<ExecutionSpace, Real> const>(std::move(tables));
  m_clouds = std::make_shared<rrtmgp::CloudTables<ExecutionSpace, Real> const>(std::move(cloud_tables));
}

namespace {

constexpr char const* where = "compute_optical_depths";

/// The absorption of a layer at a g-point, not below zero.
template <class Terms, class Real>
KOKKOS_INLINE_FUNCTION Real absorption_of(Terms const& terms, typename Terms::Pack const* packs, Real const* values,
                                          int stride) {
  Real sum[1];
  Impl::sum_terms(terms, packs, 0, values, stride, sum);
  return sum[0] > 0 ? sum[0] : Real(0);
}

inline constexpr int max_pairs = 4 * max_gases;

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Longwave<ExecutionSpace, Real> const& model,
                            Columns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& optical_depth,
                            Array<Real***, ExecutionSpace> const& planck_lev,
                            Array<Real**, ExecutionSpace> const& planck_sfc) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  auto const tables = model.tables();
  std::size_t const columns_here = columns.pressure_lay.extent(0), layers = columns.pressure_lay.extent(1);
  auto const ngpoint = static_cast<std::size_t>(tables.ngpoint);
  expect_shape(where, optical_depth, "optical_depth", {columns_here, layers, ngpoint});
  expect_shape(where, planck_lev, "planck_lev", {columns_here, layers + 1, ngpoint});
  expect_shape(where, planck_sfc, "planck_sfc", {columns_here, ngpoint});
  Kokkos::parallel_for(
      "parhelion::fluxes::ecckd_longwave", Kokkos::RangePolicy<ExecutionSpace>(space, 0, ncol * nlay),
      KOKKOS_LAMBDA(int index) {
        int const column = index / nlay;
        int const layer = index % nlay;
        LayerState<Real> state;
        set_state(state, tables, columns, column, layer);
        using Terms = Impl::AbsorptionTerms<Real, 1, 2>;
        typename Terms::Pack packs[Terms::packs(max_pairs)];
        Terms terms;
        set_longwave_terms(terms, packs, tables, state);
        constexpr Real pi = static_cast<Real>(Kokkos::numbers::pi);
        for (int g = 0; g < tables.ngpoint; ++g) {
          optical_depth(column, layer, g) = absorption_of(terms, packs, tables.values.data() + g, tables.stride);
          // The levels' values come from the terms, too, so that those are tested.
          for (int level = layer == nlay - 1 ? 1 : 0; level >= 0; --level) {
            Real const* const row = tables.values.data() + terms.second.row[level][0] + g;
            planck_lev(column, layer + level, g) = pi * (terms.second.weight[level][0][0] * row[0] +
                                                         terms.second.weight[level][1][0] * row[tables.stride]);
          }
          if (layer == 0) {
            auto const at = tables.at_temperature(columns.temperature_sfc(column));
            planck_sfc(column, g) = tables.of_rows(at.row, at.weight, g);
          }
        }
      });
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Shortwave<ExecutionSpace, Real> const& model,
                            ShortwaveColumns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& absorption,
                            Array<Real***, ExecutionSpace> const& rayleigh) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  auto const tables = model.tables();
  std::size_t const columns_here = columns.pressure_lay.extent(0), layers = columns.pressure_lay.extent(1);
  auto const ngpoint = static_cast<std::size_t>(tables.ngpoint);
  expect_shape(where, absorption, "absorption", {columns_here, layers, ngpoint});
  expect_shape(where, rayleigh, "rayleigh", {columns_here, layers, ngpoint});
  expect_shape(where, columns.temperature_lev, "temperature_lev", {columns_here, layers + 1});
  Kokkos::parallel_for(
      "parhelion::fluxes::ecckd_shortwave", Kokkos::RangePolicy<ExecutionSpace>(space, 0, ncol * nlay),
      KOKKOS_LAMBDA(int index) {
        int const column = index / nlay;
        int const layer = index % nlay;
        LayerState<Real> state;
        set_state(state, tables, columns, column, layer);
        using Terms = Impl::AbsorptionTerms<Real>;
        typename Terms::Pack packs[Terms::packs(max_pairs)];
        Terms terms;
        set_shortwave_terms(terms, packs, tables, state);
        for (int g = 0; g < tables.ngpoint; ++g) {
          absorption(column, layer, g) = absorption_of(terms, packs, tables.values.data() + g, tables.stride);
          Real const* const row = tables.values.data() + terms.second.row[0][0] + g;
          rayleigh(column, layer, g) =
              terms.second.weight[0][0][0] * row[0] + terms.second.weight[0][1][0] * row[tables.stride];
        }
      });
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                                 \
  template class Model<SPACE, REAL>;                                                                            \
  template class Longwave<SPACE, REAL>;                                                                         \
  template class Shortwave<SPACE, REAL>;                                                                        \
  template void compute_optical_depths(SPACE const&, Longwave<SPACE, REAL> const&, Columns<SPACE, REAL> const&, \
                                       Array<REAL***, SPACE> const&, Array<REAL***, SPACE> const&,              \
                                       Array<REAL**, SPACE> const&);                                            \
  template void compute_optical_depths(SPACE const&, Shortwave<SPACE, REAL> const&,                             \
                                       ShortwaveColumns<SPACE, REAL> const&, Array<REAL***, SPACE> const&,      \
                                       Array<REAL***, SPACE> const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes::ecckd
