// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmg_sw/gas_optics.hpp>

#include "device_tables.hpp"
#include "rrtmg_lw/reference_tables.hpp"
#include "rrtmg_sw/band_terms.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/device.hpp>

#include <memory>
#include <utility>

namespace parhelion::fluxes {

namespace {

using namespace rrtmg_sw;

template <class Real>
HalfRows<Real> convert(HalfRows<double> const& from) {
  HalfRows<Real> to{};
  to.nkey = from.nkey;
  to.key_ratio = static_cast<Real>(from.key_ratio);
  to.key_factor = static_cast<Real>(from.key_factor);
  to.species_ratios = from.species_ratios;
  to.key_row = from.key_row;
  to.self_row = from.self_row;
  to.foreign_row = from.foreign_row;
  to.nabsorber = from.nabsorber;
  to.grey_gas = from.grey_gas;
  to.grey = static_cast<Real>(from.grey);
  to.rayleigh_row = from.rayleigh_row;
  to.rayleigh_species_ratios = from.rayleigh_species_ratios;
  for (int k = 0; k < 2; ++k) to.key[k] = from.key[k];
  for (int a = 0; a < max_absorber; ++a) {
    to.absorber[a] = from.absorber[a];
    to.absorber_row[a] = from.absorber_row[a];
  }
  return to;
}

constexpr int band28 = 12;

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
ShortwaveGasOptics<ExecutionSpace, Real>::ShortwaveGasOptics(ExecutionSpace const& space,
                                                             ShortwaveCoefficients const& coefficients,
                                                             Band28Level level) {
  GasOpticsTables<ExecutionSpace, Real> tables;
  auto const& source = coefficients.table().values;
  tables.values = Impl::to_device<decltype(tables.values)>(
      space, "shortwave_coefficients",
      [&](auto const& view) {
        for (std::size_t i = 0; i < source.size(); ++i) view(i) = static_cast<Real>(source[i]);
      },
      static_cast<int>(source.size()));
  tables.bands = Impl::to_device<decltype(tables.bands)>(
      space, "shortwave_bands",
      [&](auto const& view) {
        for (int b = 0; b < nbnd_sw; ++b) {
          auto const& band = coefficients.table().bands[static_cast<std::size_t>(b)];
          view(b).ng = band.ng;
          view(b).solar_half = band.solar_half;
          view(b).solar_species_ratios = band.solar_species_ratios;
          view(b).solar_row = band.solar_row;
          view(b).solar_layer = b == band28 ? static_cast<int>(level) : band.solar_layer;
          for (int half = 0; half < 2; ++half) view(b).half[half] = convert<Real>(band.half[half]);
        }
      },
      nbnd_sw);
  tables.ln_pressure = Impl::to_device<decltype(tables.ln_pressure)>(
      space, "ln_pressure_ref",
      [](auto const& view) {
        for (int p = 0; p < rrtmg_lw::npressure_ref; ++p) view(p) = static_cast<Real>(rrtmg_lw::ln_pressure_ref[p]);
      },
      rrtmg_lw::npressure_ref);
  tables.temperature = Impl::to_device<decltype(tables.temperature)>(
      space, "temperature_ref",
      [](auto const& view) {
        for (int p = 0; p < rrtmg_lw::npressure_ref; ++p) view(p) = static_cast<Real>(rrtmg_lw::temperature_ref[p]);
      },
      rrtmg_lw::npressure_ref);
  m_tables = std::make_shared<GasOpticsTables<ExecutionSpace, Real> const>(std::move(tables));
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_shortwave_gas_optics(ExecutionSpace const& space, ShortwaveGasOptics<ExecutionSpace, Real> const& model,
                                  ShortwaveColumns<ExecutionSpace, Real> const& columns,
                                  Array<Real***, ExecutionSpace> const& absorption,
                                  Array<Real***, ExecutionSpace> const& rayleigh,
                                  Array<Real**, ExecutionSpace> const& solar_source) {
  constexpr char const* where = "compute_shortwave_gas_optics";
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  std::size_t const columns_here = columns.pressure_lay.extent(0), layers = columns.pressure_lay.extent(1);
  expect_shape(where, absorption, "absorption", {columns_here, layers, ngpt_sw});
  expect_shape(where, rayleigh, "rayleigh", {columns_here, layers, ngpt_sw});
  expect_shape(where, solar_source, "solar_source", {columns_here, ngpt_sw});

  auto const tables = model.tables();
  Kokkos::parallel_for(
      "parhelion::fluxes::shortwave_gas_optics", Kokkos::RangePolicy<ExecutionSpace>(space, 0, ncol * nlay),
      KOKKOS_LAMBDA(int index) {
        int const column = index / nlay;
        int const layer = index % nlay;
        InterpolationState<Real> state;
        rrtmg_lw::set_interpolation_state(state, tables, columns, column, layer, layer);
        using Terms = Impl::AbsorptionTerms<Real>;
        typename Terms::Pack packs[Terms::packs(max_absorption_pairs)];
        Terms terms;
        int first = 0;
        for (int band = 0; band < nbnd_sw; ++band) {
          set_terms(terms, packs, tables, band, state);
          int const ng = tables.bands(band).ng;
          for (int g = 0; g < ng; ++g) {
            Real sum[1];
            Impl::sum_terms(terms, packs, 0, tables.values.data() + g, row_stride, sum);
            absorption(column, layer, first + g) = sum[0];
            Impl::second_sum(terms, 0, tables.values.data() + g, row_stride, sum);
            rayleigh(column, layer, first + g) = sum[0];
          }
          first += ng;
        }
      });
  Kokkos::parallel_for(
      "parhelion::fluxes::solar_source", Kokkos::RangePolicy<ExecutionSpace>(space, 0, ncol),
      KOKKOS_LAMBDA(int column) {
        auto const upper = [&](int layer) { return rrtmg_lw::is_upper(columns.pressure_lay(column, layer)); };
        auto const jp = [&](int layer) {
          Real const ln_pressure = Kokkos::log(columns.pressure_lay(column, layer) / 100);
          return rrtmg_lw::reference_pressure(ln_pressure, upper(layer)) + 1;
        };
        int lower = 0;
        for (int layer = 0; layer < nlay; ++layer) lower += upper(layer) ? 0 : 1;
        int first = 0;
        for (int b = 0; b < nbnd_sw; ++b) {
          auto const& band = tables.bands(b);
          int const layer = solar_layer(jp, lower, nlay, band.solar_half == 1, band.solar_layer);
          auto const position = solar_position(tables, band, columns, column, layer);
          Real const factor = columns.solar_band_factors.size() > 0 ? columns.solar_band_factors(column, b) : Real(1);
          for (int g = 0; g < band.ng; ++g)
            solar_source(column, first + g) =
                factor * solar_irradiance(band, tables.values.data() + g, position,
                                          [&](int spectrum) { return columns.solar_weights(column, spectrum); });
          first += band.ng;
        }
      });
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                                  \
  template class ShortwaveGasOptics<SPACE, REAL>;                                                                \
  template void compute_shortwave_gas_optics(SPACE const&, ShortwaveGasOptics<SPACE, REAL> const&,               \
                                             ShortwaveColumns<SPACE, REAL> const&, Array<REAL***, SPACE> const&, \
                                             Array<REAL***, SPACE> const&, Array<REAL**, SPACE> const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
