// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmgp/gas_optics.hpp>

#include "device_tables.hpp"
#include "lane_optics.hpp"
#include "rrtmgp/host_tables.hpp"
#include "rrtmgp/layer_terms.hpp"
#include "rrtmgp/particle_tables.hpp"
#include "rrtmgp/tables.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace parhelion::fluxes::rrtmgp {

namespace {

struct Quadrature {
  double cosine, weight;
};
constexpr Quadrature quadratures[Angles::most][Angles::most] = {
    {{0.6096748751, 1}},
    {{0.2509907356, 0.2300253764}, {0.7908473988, 0.7699746236}},
    {{0.1024922169, 0.0437820218}, {0.4417960320, 0.3875796738}, {0.8633751621, 0.5686383044}},
    {{0.0454586727, 0.0092068785},
     {0.2322334416, 0.1285704278},
     {0.5740198775, 0.4323381850},
     {0.9030775973, 0.4298845087}}};

template <class Real>
BandRows<Real> convert(BandRows<double> const& from) {
  BandRows<Real> to{};
  for (int half = 0; half < nhalf; ++half) to.half[half] = from.half[half];
  to.ng = from.ng;
  to.first_gpoint = from.first_gpoint;
  to.solar_row = from.solar_row;
  to.angle_slope = static_cast<Real>(from.angle_slope);
  to.angle_intercept = static_cast<Real>(from.angle_intercept);
  return to;
}

template <class Real>
Axes<Real> convert(Axes<double> const& from) {
  return {.ntemperature = from.ntemperature,
          .first_temperature = static_cast<Real>(from.first_temperature),
          .temperature_step = static_cast<Real>(from.temperature_step),
          .last_temperature = static_cast<Real>(from.last_temperature),
          .npressure = from.npressure,
          .first_pressure = static_cast<Real>(from.first_pressure),
          .ln_pressure_step = static_cast<Real>(from.ln_pressure_step),
          .tropopause_pressure = static_cast<Real>(from.tropopause_pressure),
          .last_below = from.last_below,
          .first_above = from.first_above,
          .nmixing = from.nmixing,
          .nplanck = from.nplanck,
          .planck_step = static_cast<Real>(from.planck_step)};
}

Angles checked(Angles const& angles, KDistribution const& k) {
  if (angles.n < 1 || angles.n > Angles::most)
    throw Error("Longwave", fmt::format("number of angles is {}, expected 1 to {}", angles.n, int{Angles::most}));
  if (angles.optimal && angles.n != 1)
    throw Error("Longwave", fmt::format("number of optimal angles is {}, expected 1", angles.n));
  if (angles.optimal && k.angle_fit.empty())
    throw Error(k.file, "has no optimal_angle_fit, expected it for optimal angles");
  return angles;
}

}  // namespace

double Angles::cosine(int i) const { return quadratures[n - 1][i].cosine; }
double Angles::weight(int i) const { return quadratures[n - 1][i].weight; }

double uvvis_share(BandLimits const& band) {
  double const above = band.wavenumber_high - std::max(band.wavenumber_low, uvvis_from);
  return std::max(above, 0.) / (band.wavenumber_high - band.wavenumber_low);
}

namespace {

/// Layers must lie within the tables; levels may have any pressure.
Validity validity_of(KDistribution const& k, Particles const& particles) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Validity validity{.temperature = {k.temperature.front(), k.temperature.back()},
                    .pressure = {k.pressure.back(), k.pressure.front()},
                    .vmr = {0, infinity},
                    .low_pressure = 0,
                    .lowest_temperature = k.temperature.front(),
                    .level_pressure = ValidRange{0, infinity},
                    .particle_sizes = {}};
  if (particles.clouds == nullptr && particles.aerosol == nullptr) return validity;
  SizeRange const any{0, infinity};
  validity.particle_sizes = ParticleSizes{.liquid = any, .ice = any, .aerosol = any};
  if (particles.clouds != nullptr) {
    validity.particle_sizes->liquid = particles.clouds->liquid.sizes();
    validity.particle_sizes->ice = particles.clouds->ice.sizes();
  }
  if (particles.aerosol != nullptr) validity.particle_sizes->aerosol = particles.aerosol->sizes();
  return validity;
}

/// Refuses optics of particles that are not of the bands and g-points of the k-distribution.
void check_particles(KDistribution const& k, Particles const& particles) {
  SpectralBands bands;
  for (auto const& band : k.bands) {
    bands.wavenumbers.push_back(band.wavenumber_low);
    bands.wavenumbers.push_back(band.wavenumber_high);
    bands.gpoints.push_back(band.first_gpoint);
    bands.gpoints.push_back(band.last_gpoint);
  }
  if (particles.clouds != nullptr) expect_bands(particles.clouds->where, particles.clouds->bands, bands);
  if (particles.aerosol != nullptr) expect_bands(particles.aerosol->where, particles.aerosol->bands, bands);
}

}  // namespace

ModelDescription describe(KDistribution const& k, GasSet const& offered, Particles const& particles) {
  check(k);
  check_particles(k, particles);
  auto const selected = select_gases(k, offered);
  ModelDescription model{.name = "RRTMGP",
                         .sizes = {.ngas = ngas_all, .nband = k.nband(), .ngpoint = k.ngpoint},
                         .validity = validity_of(k, particles),
                         .bands = {},
                         .required = required_gases(k),
                         .defaults = {},
                         .known = {},
                         .gpoints = {}};
  for (auto const gas : selected.kept) model.known.insert(gas);
  for (auto const& band : k.bands) {
    model.bands.push_back({band.wavenumber_low, band.wavenumber_high});
    model.gpoints.push_back(band.last_gpoint - band.first_gpoint + 1);
  }
  return model;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Model<ExecutionSpace, Real>::Model(ExecutionSpace const& space, KDistribution const& k, GasSet const& offered,
                                   bool longwave, Particles const& particles) {
  check(k);
  if (k.is_longwave() != longwave)
    throw Error(k.file, fmt::format("is of the {}, expected a k-distribution of the {}",
                                    longwave ? "shortwave" : "longwave", longwave ? "longwave" : "shortwave"));
  auto const selected = select_gases(k, offered);
  auto const host = host_tables(k, selected, Impl::vector_lanes<ExecutionSpace, Real>);
  m_facts = std::make_shared<Facts const>(Facts{.description = describe(k, offered, particles),
                                                .gases = selected.kept,
                                                .pairs = host.pairs,
                                                .has_clouds = particles.clouds != nullptr,
                                                .has_aerosol = particles.aerosol != nullptr});
  Tables<ExecutionSpace, Real> tables;
  int const nband = k.nband();
  tables.axes = convert<Real>(host.axes);
  tables.nband = nband;
  tables.nkept = static_cast<int>(selected.kept.size());
  tables.stride = host.stride;
  auto const upload = [&]<class View, class Value>(View& to, char const* label, std::vector<Value> const& from) {
    to = Impl::to_device<View>(
        space, std::string("rrtmgp_") + label,
        [&](auto const& view) {
          for (std::size_t i = 0; i < from.size(); ++i)
            view(i) = static_cast<std::remove_cvref_t<decltype(view(0))>>(from[i]);
        },
        static_cast<int>(from.size()));
  };
  upload(tables.values, "values", host.values);
  std::vector<BandRows<Real>> bands;
  for (auto const& band : host.bands) bands.push_back(convert<Real>(band));
  upload(tables.bands, "bands", bands);
  upload(tables.minors, "minors", host.minors);
  upload(tables.gases, "gases", selected.kept);
  upload(tables.temperature, "temperature", k.temperature);
  upload(tables.ratio, "ratio", host.ratio);
  std::vector<double> planck(k.planck.size());
  for (int b = 0; b < nband; ++b)
    for (int t = 0; t < k.nplanck; ++t)
      planck[static_cast<std::size_t>(t * nband + b)] = k.planck[static_cast<std::size_t>(b * k.nplanck + t)];
  upload(tables.planck, "planck", planck);

  m_tables = std::make_shared<Tables<ExecutionSpace, Real> const>(std::move(tables));
  using Clouds = CloudTables<ExecutionSpace, Real>;
  m_clouds = std::make_shared<Clouds const>(
      particles.clouds != nullptr
          ? make_cloud_tables<ExecutionSpace, Real>(space, *particles.clouds, particles.ice_roughness)
          : Clouds());
  using Aerosol = AerosolTables<ExecutionSpace, Real>;
  m_aerosol = std::make_shared<Aerosol const>(
      particles.aerosol != nullptr ? make_aerosol_tables<ExecutionSpace, Real>(space, *particles.aerosol) : Aerosol());
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
Longwave<ExecutionSpace, Real>::Longwave(ExecutionSpace const& space, KDistribution const& k, GasSet const& offered,
                                         Angles angles, Particles const& particles, Scattering scattering)
    : Model<ExecutionSpace, Real>(space, k, offered, true, particles),
      m_angles(checked(angles, k)),
      m_scattering(scattering) {
  if (scattering == Scattering::two_stream && (angles.n > 1 || angles.optimal))
    throw Error("RRTMGP", fmt::format("has {} angles with two-stream scattering, expected 1 that is not optimal",
                                      angles.optimal ? "optimal" : fmt::format("{}", angles.n)));
}

namespace {

/// Sums of the terms of all layers and g-points: absorption, and the further sum.
template <int nsecond, class ExecutionSpace, class Real, class Model, class AnyColumns>
void sum_all_terms(ExecutionSpace const& space, Model const& model, AnyColumns const& columns,
                   Array<Real***, ExecutionSpace> const& absorption, char const* absorption_name,
                   Array<Real***, ExecutionSpace> const& second, char const* second_name) {
  constexpr char const* where = "compute_optical_depths";
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  std::size_t const columns_here = columns.pressure_lay.extent(0), layers = columns.pressure_lay.extent(1);
  auto const ngpoint = static_cast<std::size_t>(model.sizes().ngpoint);
  expect_shape(where, columns.vmr, "vmr", {columns_here, ngas_all, layers});
  expect_shape(where, absorption, absorption_name, {columns_here, layers, ngpoint});
  expect_shape(where, second, second_name, {columns_here, layers, ngpoint});

  using Terms = Impl::AbsorptionTerms<Real, 1, nsecond>;
  using Pack = typename Terms::Pack;
  auto const tables = model.tables();
  int const most = std::max(1, *std::max_element(model.pairs().begin(), model.pairs().end()));
  constexpr int layers_at_once = 4096;
  Array<Pack**, ExecutionSpace> const packs(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::fluxes::rrtmgp_packs")),
      std::min(layers_at_once, ncol * nlay), Terms::packs(most));
  for (int begin = 0; begin < ncol * nlay; begin += layers_at_once) {
    Kokkos::parallel_for(
        "parhelion::fluxes::rrtmgp_optical_depths",
        Kokkos::RangePolicy<ExecutionSpace>(space, begin, std::min(begin + layers_at_once, ncol * nlay)),
        KOKKOS_LAMBDA(int index) {
          int const column = index / nlay;
          int const layer = index % nlay;
          State<Real> state;
          set_state(state, tables, columns, column, layer, layer);
          Terms terms;
          Pack* const of_thread = &packs(index - begin, 0);
          for (int band = 0; band < tables.nband; ++band) {
            set_terms(terms, of_thread, tables, band, state);
            int const first = tables.bands(band).first_gpoint;
            for (int g = 0; g < tables.bands(band).ng; ++g) {
              Real const* const values = tables.values.data() + g;
              Real tau[1], further[1];
              Impl::sum_terms(terms, of_thread, 0, values, tables.stride, tau);
              Impl::second_sum<0, nsecond>(terms, 0, values, tables.stride, further);
              absorption(column, layer, first + g) = tau[0];
              second(column, layer, first + g) = further[0];
            }
          }
        });
  }
  space.fence("parhelion::fluxes::rrtmgp::compute_optical_depths");
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Longwave<ExecutionSpace, Real> const& model,
                            Columns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& optical_depth,
                            Array<Real***, ExecutionSpace> const& planck_fraction) {
  sum_all_terms<4>(space, model, columns, optical_depth, "optical_depth", planck_fraction, "planck_fraction");
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
void compute_optical_depths(ExecutionSpace const& space, Shortwave<ExecutionSpace, Real> const& model,
                            ShortwaveColumns<ExecutionSpace, Real> const& columns,
                            Array<Real***, ExecutionSpace> const& absorption,
                            Array<Real***, ExecutionSpace> const& rayleigh) {
  sum_all_terms<2>(space, model, columns, absorption, "absorption", rayleigh, "rayleigh");
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                                                 \
  template class Model<SPACE, REAL>;                                                                            \
  template class Longwave<SPACE, REAL>;                                                                         \
  template class Shortwave<SPACE, REAL>;                                                                        \
  template void compute_optical_depths(SPACE const&, Longwave<SPACE, REAL> const&, Columns<SPACE, REAL> const&, \
                                       Array<REAL***, SPACE> const&, Array<REAL***, SPACE> const&);             \
  template void compute_optical_depths(SPACE const&, Shortwave<SPACE, REAL> const&,                             \
                                       ShortwaveColumns<SPACE, REAL> const&, Array<REAL***, SPACE> const&,      \
                                       Array<REAL***, SPACE> const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes::rrtmgp
