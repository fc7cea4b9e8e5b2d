// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmg_lw/gas_optics.hpp>

#include "device_tables.hpp"
#include "rrtmg_lw/band_terms.hpp"
#include "rrtmg_lw/reference_tables.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/planck.hpp>

#include <limits>
#include <memory>
#include <utility>

namespace parhelion::fluxes {

namespace {

using namespace rrtmg_lw;

template <class Real>
HalfRows<Real> convert(HalfRows<double> const& from) {
  HalfRows<Real> to{};
  to.nkey = from.nkey;
  to.species_ratios = from.species_ratios;
  to.key_row = from.key_row;
  to.planck_row = from.planck_row;
  to.planck_species_ratios = from.planck_species_ratios;
  to.planck_ratio = static_cast<Real>(from.planck_ratio);
  to.self_row = from.self_row;
  to.foreign_row = from.foreign_row;
  to.nminor = from.nminor;
  to.nhalocarbon = from.nhalocarbon;
  to.correction_strength = static_cast<Real>(from.correction_strength);
  to.correction_from = static_cast<Real>(from.correction_from);
  to.correction_over = static_cast<Real>(from.correction_over);
  to.correction_only_below = from.correction_only_below;
  for (int k = 0; k < 2; ++k) to.key[k] = from.key[k];
  for (int h = 0; h < max_halocarbon; ++h) {
    to.halocarbon[h] = from.halocarbon[h];
    to.halocarbon_row[h] = from.halocarbon_row[h];
  }
  for (int m = 0; m < max_minor; ++m) {
    auto const& minor = from.minor[m];
    to.minor[m] = {.amount = minor.amount,
                   .gas = minor.gas,
                   .species_ratios = minor.species_ratios,
                   .row = minor.row,
                   .species_ratio = static_cast<Real>(minor.species_ratio),
                   .limit = static_cast<Real>(minor.limit),
                   .offset = static_cast<Real>(minor.offset),
                   .power = static_cast<Real>(minor.power),
                   .reference = static_cast<Real>(minor.reference)};
  }
  return to;
}

/// Planck radiance of a whole band [W m-2 sr-1], from a table of means over bands [W cm-2 sr-1 (cm-1)-1].
template <class Table>
double of_table(Table const& band_mean, int b, int t) {
  constexpr double square_centimetres = 1e4;  // in a square metre
  auto const& band = fluxes::bands()[b];
  return band_mean[b][t] * square_centimetres * (band.wavenumber_high - band.wavenumber_low);
}

/// Lower limit of the Planck integral of a band, and upper limit of that of the band before: infinite after the last.
double lower_limit(int b) {
  return b < nbnd ? fluxes::bands()[b].wavenumber_low : std::numeric_limits<double>::infinity();
}

/// Ratio of the table to the Planck integral at one of its temperatures.
double seam_of(int b, int t) {
  return of_table(planck_band_mean, b, t) /
         planck_band_radiance(lower_limit(b), lower_limit(b + 1), planck_table_lowest + t);
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
GasOptics<ExecutionSpace, Real>::GasOptics(ExecutionSpace const& space, Coefficients const& coefficients) {
  GasOpticsTables<ExecutionSpace, Real> tables;
  auto const& source = coefficients.table().values;
  tables.values = Impl::to_device<decltype(tables.values)>(
      space, "coefficients",
      [&](auto const& view) {
        for (std::size_t i = 0; i < source.size(); ++i) view(i) = static_cast<Real>(source[i]);
      },
      static_cast<int>(source.size()));
  tables.bands = Impl::to_device<decltype(tables.bands)>(
      space, "bands",
      [&](auto const& view) {
        for (int b = 0; b < nbnd; ++b) {
          auto const& band = coefficients.table().bands[b];
          view(b).ng = band.ng;
          view(b).diffusivity = band.diffusivity;
          for (int half = 0; half < 2; ++half) view(b).half[half] = convert<Real>(band.half[half]);
        }
      },
      nbnd);
  tables.ln_pressure = Impl::to_device<decltype(tables.ln_pressure)>(
      space, "ln_pressure_ref",
      [](auto const& view) {
        for (int p = 0; p < npressure_ref; ++p) view(p) = static_cast<Real>(ln_pressure_ref[p]);
      },
      npressure_ref);
  tables.temperature = Impl::to_device<decltype(tables.temperature)>(
      space, "temperature_ref",
      [](auto const& view) {
        for (int p = 0; p < npressure_ref; ++p) view(p) = static_cast<Real>(temperature_ref[p]);
      },
      npressure_ref);
  tables.vmr = Impl::to_device<decltype(tables.vmr)>(
      space, "vmr_ref",
      [](auto const& view) {
        for (int p = 0; p < npressure_ref; ++p)
          for (int gas = 0; gas < nreference_gas; ++gas) view(p, gas) = static_cast<Real>(vmr_ref[p][gas]);
      },
      npressure_ref, nreference_gas);
  auto const of_bands = [&](char const* label, auto const& band_mean, auto const& integral) {
    return Impl::to_device<Array<Real const**, ExecutionSpace>>(
        space, label,
        [&](auto const& view) {
          for (int b = 0; b < nbnd; ++b) {
            double const seam[2] = {seam_of(b, 0), seam_of(b, ntemperature_planck - 1)};
            for (int row = 0; row < PlanckRows::all; ++row) {
              int const t = row - PlanckRows::cold;
              view(row, b) = static_cast<Real>(t >= 0 && t < ntemperature_planck
                                                   ? of_table(band_mean, b, t)
                                                   : seam[t < 0 ? 0 : 1] * integral(lower_limit(b), lower_limit(b + 1),
                                                                                    PlanckRows::temperature(row)));
            }
          }
        },
        PlanckRows::all, nbnd);
  };
  tables.planck = of_bands("planck", planck_band_mean, planck_band_radiance<double>);
  tables.planck_derivative =
      of_bands("planck_derivative", planck_derivative_band_mean, [](double lower, double upper, double kelvin) {
        return kelvin > 0 ? planck_band_radiance_derivative(lower, upper, kelvin) : 0.;
      });
  m_tables = std::make_shared<GasOpticsTables<ExecutionSpace, Real> const>(std::move(tables));
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_gas_optics(ExecutionSpace const& space, GasOptics<ExecutionSpace, Real> const& model,
                        Columns<ExecutionSpace, Real> const& columns,
                        Array<Real***, ExecutionSpace> const& optical_depth,
                        Array<Real***, ExecutionSpace> const& planck_fraction) {
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  constexpr char const* where = "compute_gas_optics";
  std::size_t const columns_here = columns.pressure_lay.extent(0), layers = columns.pressure_lay.extent(1);
  expect_shape(where, optical_depth, "optical_depth", {columns_here, layers, ngpt});
  expect_shape(where, planck_fraction, "planck_fraction", {columns_here, layers, ngpt});

  auto const tables = model.tables();
  Kokkos::parallel_for(
      "parhelion::fluxes::gas_optics", Kokkos::RangePolicy<ExecutionSpace>(space, 0, ncol * nlay),
      KOKKOS_LAMBDA(int index) {
        int const column = index / nlay;
        int const layer = index % nlay;
        InterpolationState<Real> state;
        set_interpolation_state(state, tables, columns, column, layer, layer);
        using Terms = Impl::AbsorptionTerms<Real>;
        typename Terms::Pack packs[Terms::packs(max_absorption_pairs)];
        Terms terms;
        int first = 0;
        for (int band = 0; band < nbnd; ++band) {
          set_terms(terms, packs, tables, band, state);
          int const ng = tables.bands(band).ng;
          for (int g = 0; g < ng; ++g) {
            Real tau[1];
            Real fraction[1];
            Impl::sum_terms(terms, packs, 0, tables.values.data() + g, row_stride, tau);
            Impl::second_sum(terms, 0, tables.values.data() + g, row_stride, fraction);
            optical_depth(column, layer, first + g) = tau[0];
            planck_fraction(column, layer, first + g) = fraction[0];
          }
          first += ng;
        }
      });
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                              \
  template class GasOptics<SPACE, REAL>;                                                                     \
  template void compute_gas_optics(SPACE const&, GasOptics<SPACE, REAL> const&, Columns<SPACE, REAL> const&, \
                                   Array<REAL***, SPACE> const&, Array<REAL***, SPACE> const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes
