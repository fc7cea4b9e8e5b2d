// SPDX-License-Identifier: BSD-3-Clause
// Clouds and surfaces of ecCKD: what the averages to g-points hold, on made-up tables, and fluxes with them. No results
// of the original were at hand.
#include "ecckd_definitions.hpp"
#include "flux_comparisons.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/planck.hpp>
#include <parhelion/fluxes/ecckd/cloud_optics.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::HostClouds;
using fluxes::HostColumns;
using fluxes::HostLongwaveOptions;
using fluxes::HostShortwaveClouds;
using fluxes::HostShortwaveColumns;
using fluxes::HostShortwaveOptions;
using fluxes::ecckd::average_clouds;
using fluxes::ecckd::CloudAveraging;
using fluxes::ecckd::Definition;
using fluxes::ecckd::interval_weights;
using fluxes::ecckd::ScatteringTable;
using fluxes::ecckd::wavenumber_weights;
using fluxes::rrtmgp::CloudOptics;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr int ngpoint = 19;  // of made_up_definition()

std::size_t index_of(int i) { return static_cast<std::size_t>(i); }

struct Particle {
  double extinction, albedo, asymmetry;
};

/// A table from particle(radius [um], wavenumber [cm-1]).
template <class Function>
ScatteringTable make_table(std::vector<double> const& wavenumber, int nsize, Function const& particle) {
  ScatteringTable table;
  table.wavenumber = wavenumber;
  for (int i = 0; i < nsize; ++i) table.effective_radius.push_back(1e-6 * (3 + 2 * i));
  for (double const radius : table.effective_radius)
    for (double const nu : wavenumber) {
      Particle const here = particle(1e6 * radius, nu);
      table.mass_extinction.push_back(here.extinction);
      table.single_scattering.push_back(here.albedo);
      table.asymmetry.push_back(here.asymmetry);
    }
  return table;
}

std::vector<double> const wavenumbers{8000, 10500, 13000, 17000, 17900, 18100, 21000, 24000};

Particle varied(double radius, double nu) {
  return {1500 / radius * (1 + 1e-5 * nu), 1 - 0.4 * nu / 30000, 0.6 + 0.01 * radius + 5e-6 * nu};
}

ScatteringTable droplets() { return make_table(wavenumbers, 6, varied); }
ScatteringTable ice() {
  return make_table({9000, 16000, 25000}, 4, [](double radius, double nu) {
    auto particle = varied(radius + 3, nu);
    particle.extinction *= 0.4;
    particle.asymmetry -= 0.1;
    return particle;
  });
}

/// Both definitions, and the shortwave's with a solar spectrum of its own.
std::vector<Definition> definitions() {
  std::vector<Definition> all{made_up_definition(true), made_up_definition(false), made_up_definition(false)};
  all[2].solar_spectral_irradiance = {3, 0.5, 7, 11};
  return all;
}

// The spectrum that weights an interval of a definition [any unit].
double weight_of_interval(Definition const& d, std::size_t i) {
  if (!d.solar_spectral_irradiance.empty()) return d.solar_spectral_irradiance[i];
  double const middle = (d.wavenumber1[i] + d.wavenumber2[i]) / 2;
  return (d.wavenumber2[i] - d.wavenumber1[i]) * planck_radiance(middle, d.is_longwave ? 273.15 : 5777.);
}

/// The mean over a g-point of a function that is `of_interval(low, high)` in the mean over an interval.
template <class Mean>
double mean_over(Definition const& d, std::size_t g, Mean const& of_interval) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < d.wavenumber1.size(); ++i) {
    double const weight = d.gpoint_fraction[g * d.wavenumber1.size() + i] * weight_of_interval(d, i);
    sum += weight * of_interval(d.wavenumber1[i], d.wavenumber2[i]);
    all += weight;
  }
  return sum / all;
}

void expect_weights(std::vector<double> const& weights, std::size_t n) {
  ASSERT_EQ(weights.size(), ngpoint * n);
  for (std::size_t g = 0; g < ngpoint; ++g) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GE(weights[g * n + i], 0);
      sum += weights[g * n + i];
    }
    EXPECT_NEAR(sum, 1, 1e-14) << g;
  }
}

// --- weights -----------------------------------------------------------------------------------------------------

// Numbers between two of the table vary linearly, so that a property that does so everywhere has the mean of the
// middles of intervals; beyond the ends it stays as it is.
TEST(EcckdMapping, WeightsOfWavenumbersAreThoseOfLinearInterpolation) {
  for (auto const& d : definitions()) {
    std::vector<double> const beyond_both{5000, 12345, 26000}, within{12000, 12001, 15000, 19000, 20000};
    for (auto const& axis : {beyond_both, within, wavenumbers, std::vector<double>{17000}}) {
      auto const weights = wavenumber_weights(d, axis);
      expect_weights(weights, axis.size());
      for (std::size_t g = 0; g < ngpoint; ++g) {
        double mean = 0;
        for (std::size_t i = 0; i < axis.size(); ++i) mean += weights[g * axis.size() + i] * axis[i];
        // The mean of a straight line that ends at both ends of the axis.
        auto const plain = mean_over(d, g, [&](double low, double high) {
          auto const integral = [&](double x) {  // of the line from the first wavenumber on
            double const at = std::clamp(x, axis.front(), axis.back());
            return (at - axis.front()) * (at + axis.front()) / 2 + std::max(x - axis.back(), 0.) * axis.back() +
                   std::min(x - axis.front(), 0.) * axis.front();
          };
          return (integral(high) - integral(low)) / (high - low);
        });
        EXPECT_NEAR(mean, plain, 1e-10 * plain) << g << " of " << axis.size();
      }
    }
  }
}

TEST(EcckdMapping, WeightsOfIntervalsAreTheirShares) {
  for (auto const& d : definitions()) {
    std::vector<double> const between{11000, 11500, 18000, 40000};
    auto const weights = interval_weights(d, between);
    std::size_t const n = between.size() + 1;
    expect_weights(weights, n);
    for (std::size_t g = 0; g < ngpoint; ++g) {
      // A surface that is black in all intervals must not become more than that, in whatever order they are added.
      double forth = 0, back = 0;
      for (std::size_t i = 0; i < n; ++i) {
        forth += weights[g * n + i];
        back += weights[g * n + n - 1 - i];
      }
      EXPECT_LE(forth, 1) << g;
      EXPECT_LE(back, 1) << g;
      for (std::size_t i = 0; i < n; ++i) {
        double const from = i == 0 ? 0 : between[i - 1], to = i + 1 == n ? 1e9 : between[i];
        double const plain = mean_over(d, g, [&](double low, double high) {
          return std::max(std::min(to, high) - std::max(from, low), 0.) / (high - low);
        });
        EXPECT_NEAR(weights[g * n + i], plain, 1e-14);
      }
    }
    EXPECT_EQ(interval_weights(d, {}), std::vector<double>(ngpoint, 1.));
  }
}

// A g-point to which no interval contributes has the mean over its band.
TEST(EcckdMapping, GPointsWithoutIntervalsHaveTheirBand) {
  auto d = made_up_definition(false);
  std::fill_n(d.gpoint_fraction.begin() + 4 * (ngpoint - 1), 4, 0.);
  auto const weights = interval_weights(d, {20000});
  EXPECT_NEAR(weights[2 * (ngpoint - 1) + 1], (26000. - 20000) / (26000 - 18000), 1e-14);
  EXPECT_NEAR(weights[2 * (ngpoint - 1)], (20000. - 18000) / (26000 - 18000), 1e-14);
}

// --- averages of clouds ------------------------------------------------------------------------------------------

struct Scaled {
  double extinction, albedo, asymmetry;
  explicit Scaled(Particle const& of) {
    double const f = of.asymmetry * of.asymmetry;
    extinction = of.extinction * (1 - of.albedo * f);
    albedo = (of.albedo - of.albedo * f) / (1 - of.albedo * f);
    asymmetry = (of.asymmetry - f) / (1 - f);
  }
  double reflection() const {
    double const s = std::sqrt((1 - albedo) / (1 - albedo * asymmetry));
    return (1 - s) / (1 + s);
  }
};

Particle particle_of(fluxes::rrtmgp::ParticleTable const& table, std::size_t g, std::size_t size) {
  std::size_t const i = g * index_of(table.nsize) + size;
  return {table.extinction[i], table.single_scattering[i], table.asymmetry[i]};
}

TEST(EcckdClouds, AveragesConserveWhatTwoStreamsSee) {
  for (auto const& d : definitions())
    for (auto const averaging : {CloudAveraging::thick, CloudAveraging::thin}) {
      auto const table = droplets();
      auto const optics = average_clouds(d, table, ice(), averaging);
      auto const weights = wavenumber_weights(d, table.wavenumber);
      ASSERT_EQ(optics.npoint(), ngpoint);
      EXPECT_EQ(optics.liquid.nsize, 6);
      EXPECT_EQ(optics.ice.nsize, 4);
      EXPECT_DOUBLE_EQ(optics.liquid.smallest, 3e-6);
      EXPECT_DOUBLE_EQ(optics.liquid.largest, 13e-6);
      std::size_t const nwav = table.wavenumber.size();
      for (std::size_t g = 0; g < ngpoint; ++g)
        for (std::size_t size = 0; size < 6; ++size) {
          double extinction = 0, scattering = 0, asymmetric = 0, reflection = 0;
          for (std::size_t w = 0; w < nwav; ++w) {
            std::size_t const i = size * nwav + w;
            Scaled const here(Particle{table.mass_extinction[i], table.single_scattering[i], table.asymmetry[i]});
            double const weight = weights[g * nwav + w];
            extinction += weight * here.extinction;
            scattering += weight * here.extinction * here.albedo;
            asymmetric += weight * here.extinction * here.albedo * here.asymmetry;
            reflection += weight * here.reflection();
          }
          Scaled const mean(particle_of(optics.liquid, g, size));
          EXPECT_NEAR(mean.extinction, extinction, 1e-12 * extinction);
          EXPECT_NEAR(mean.asymmetry, asymmetric / scattering, 1e-12);
          if (averaging == CloudAveraging::thick)
            EXPECT_NEAR(mean.reflection(), reflection, 1e-12);
          else
            EXPECT_NEAR(mean.albedo, scattering / extinction, 1e-12);
        }
    }
}

TEST(EcckdClouds, WhatIsTheSameEverywhereStays) {
  for (auto const averaging : {CloudAveraging::thick, CloudAveraging::thin})
    for (Particle const same :
         {Particle{90, 0.8, 0.85}, Particle{90, 0, 0.2}, Particle{3, 1, -0.3}, Particle{0, 0, 0}}) {
      auto const table = make_table(wavenumbers, 2, [&](double, double) { return same; });
      auto const optics = average_clouds(made_up_definition(false), table, table, averaging);
      for (std::size_t g = 0; g < ngpoint; ++g) {
        auto const mean = particle_of(optics.ice, g, 1);
        EXPECT_NEAR(mean.extinction, same.extinction, 1e-12 * same.extinction);
        EXPECT_NEAR(mean.albedo, same.albedo, 1e-12);
        // What does not scatter has no direction.
        if (same.albedo > 0) {
          EXPECT_NEAR(mean.asymmetry, same.asymmetry, 1e-12);
        }
      }
    }
}

TEST(EcckdClouds, TablesThatCannotBeAreRefused) {
  auto const refusal = [](auto const& spoil) {
    auto table = droplets();
    spoil(table);
    return message_of([&] { check(table); });
  };
  EXPECT_EQ(refusal([](ScatteringTable&) {}), "(no parhelion::Error)");
  EXPECT_EQ(refusal([](ScatteringTable& t) { t.wavenumber[2] = 10500; }),
            "scattering table: wavenumber(2) = 10500 cm-1, expected more than the 10500 cm-1 before it");
  EXPECT_EQ(refusal([](ScatteringTable& t) { t.effective_radius[1] = 5.5e-6; }),
            "scattering table: effective_radius(1) = 5.5e-06 m, expected 5e-06 m, steps that are even");
  EXPECT_EQ(refusal([](ScatteringTable& t) { t.effective_radius[0] = 0; }),
            "scattering table: effective_radius(0) = 0 m, expected a finite number above 0");
  EXPECT_EQ(refusal([](ScatteringTable& t) { t.mass_extinction.pop_back(); }),
            "scattering table: mass_extinction_coefficient has 47 values, expected 48 = 6 x 8");
  EXPECT_EQ(refusal([](ScatteringTable& t) { t.mass_extinction[9] = -1; }),
            "scattering table: mass_extinction_coefficient(1, 1) = -1 m2 kg-1, expected a number of at least 0");
  EXPECT_EQ(refusal([](ScatteringTable& t) { t.single_scattering[0] = 1.5; }),
            "scattering table: single_scattering_albedo(0, 0) = 1.5, expected 0 to 1");
  EXPECT_EQ(refusal([](ScatteringTable& t) { t.asymmetry[8] = 1; }),
            "scattering table: asymmetry_factor(1, 0) = 1, expected a number between -1 and 1");
  EXPECT_EQ(message_of([] {
              interval_weights(made_up_definition(true), {3, 2});
            }),
            "interval_weights: between(1) = 2 cm-1, expected more than the 3 cm-1 before it");
}

// --- fluxes ------------------------------------------------------------------------------------------------------

constexpr int ncol = 5, nlay = 20;
constexpr fluxes::ModelSizes two_bands{.ngas = fluxes::ngas_all, .nband = 2, .ngpoint = ngpoint};

template <class Pair>
struct EcckdCloudFluxes : testing::Test {
  using Real = typename Pair::Real;
  static constexpr bool in_double = std::is_same_v<Real, double>;
};
TYPED_TEST_SUITE(EcckdCloudFluxes, SpacesAndReals, PairName);

/// Definitions with little absorption, so that clouds are seen.
Definition thin_definition(bool longwave) {
  auto definition = made_up_definition(longwave);
  for (auto& gas : definition.gases)
    for (double& coefficient : gas.molar_absorption) coefficient *= 0.01;
  return definition;
}

template <class AnyColumns>
void fill(AnyColumns const& columns) {
  for (int c = 0; c < ncol; ++c) {
    for (int k = 0; k <= nlay; ++k) {
      columns.pressure_lev(c, k) = 1e5 * std::pow(1e-3, static_cast<double>(k) / nlay);
      columns.temperature_lev(c, k) = 290 + c - 4. * k;
    }
    for (int k = 0; k < nlay; ++k) {
      columns.pressure_lay(c, k) = 0.5 * (columns.pressure_lev(c, k) + columns.pressure_lev(c, k + 1));
      columns.temperature_lay(c, k) = 200;
      columns.vmr(c, static_cast<int>(fluxes::Gas::h2o), k) = 1e-4;
      columns.vmr(c, static_cast<int>(fluxes::Gas::co2), k) = 4e-4;
      columns.vmr(c, static_cast<int>(fluxes::Gas::ch4), k) = 1.82e-6;
    }
  }
}

HostColumns longwave_columns(int nemis = 1) {
  auto const columns = fluxes::make_columns<Host, double>(ncol, nlay, nemis, false, two_bands);
  fill(columns);
  for (int c = 0; c < ncol; ++c) columns.temperature_sfc(c) = 292;
  parhelion::assign_array(columns.emissivity_sfc, 0.97);
  return columns;
}

HostShortwaveColumns shortwave_columns(int nalbedo = 1) {
  auto columns = fluxes::make_shortwave_columns<Host, double>(ncol, nlay, nalbedo, two_bands);
  columns.temperature_lev = HostArray<double**>("temperature_lev", ncol, nlay + 1);
  fill(columns);
  for (int c = 0; c < ncol; ++c) {
    columns.cos_zenith(c) = 0.2 + 0.15 * c;
    columns.solar_weights(c, 0) = 1361;
  }
  parhelion::assign_array(columns.albedo_direct, 0.2);
  parhelion::assign_array(columns.albedo_diffuse, 0.1);
  return columns;
}

/// Overcast layers of both kinds of water; sizes of column 3 are beyond the tables.
template <class Clouds>
void fill_clouds(Clouds const& clouds) {
  for (int c = 0; c < ncol; ++c)
    for (int k : {4, 5, 12}) {
      clouds.fraction(c, k) = 1;
      clouds.liquid_path(c, k) = k == 12 ? 0 : 0.02 * (c + 1);
      clouds.ice_path(c, k) = k == 4 ? 0 : 0.01 * (c + 1);
      clouds.liquid_size(c, k) = c == 3 ? 1 : 1e-6 * (4 + c);
      clouds.ice_size(c, k) = c == 3 ? 0 : 1e-6 * (3.5 + c);
    }
}

/// The optics of a table at a size, linear and limited to less than the last one.
Particle at_size(fluxes::rrtmgp::ParticleTable const& table, std::size_t g, double size) {
  double const step = (table.largest - table.smallest) / (table.nsize - 1);
  double const position = std::clamp((size - table.smallest) / step, 0., table.nsize - 1.0001);
  auto const i = static_cast<std::size_t>(position);
  double const w = position - static_cast<double>(i);
  auto const a = particle_of(table, g, i), b = particle_of(table, g, i + 1);
  return {(1 - w) * a.extinction + w * b.extinction, (1 - w) * a.albedo + w * b.albedo,
          (1 - w) * a.asymmetry + w * b.asymmetry};
}

/// Extinction, scattering and asymmetric scattering of a layer at a g-point.
template <class Clouds>
std::array<double, 3> optics_of(CloudOptics const& optics, Clouds const& clouds, int c, int k, int g) {
  std::array<double, 3> sum{};
  auto const add = [&](fluxes::rrtmgp::ParticleTable const& table, double size, double path) {
    auto const of = at_size(table, index_of(g), size);
    sum[0] += path * of.extinction;
    sum[1] += path * of.extinction * of.albedo;
    sum[2] += path * of.extinction * of.albedo * of.asymmetry;
  };
  add(optics.liquid, clouds.liquid_size(c, k), clouds.liquid_path(c, k));
  add(optics.ice, clouds.ice_size(c, k), clouds.ice_path(c, k));
  return sum;
}

// Clouds given by their water are those given by the optical properties that their tables make of it.
TYPED_TEST(EcckdCloudFluxes, LongwaveCloudsAbsorbWhatTheirTablesSay) {
  auto const definition = thin_definition(true);
  auto const optics = average_clouds(definition, droplets(), ice());
  auto const columns = longwave_columns();
  auto const clouds = fluxes::make_layer_clouds<Host, double>(ncol, nlay);
  fill_clouds(clouds);
  auto const given = fluxes::make_gpoint_clouds<Host, double>(ncol, nlay, true, ngpoint);
  parhelion::assign_array(given.input, static_cast<int>(fluxes::CloudInput::optical_depth));
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < ngpoint; ++g) {
        auto const of = optics_of(optics, clouds, c, k, g);
        given.fraction_gpt(c, k, g) = clouds.fraction(c, k);
        given.optical_depth_gpt(c, k, g) = of[0] - of[1];
      }
  auto const options = options_of<TypeParam>(
      HostLongwaveOptions{.outputs = {.clear = true, .derivative = true, .bands = true, .share = true}});
  fluxes::LongwaveData const data{definition, &optics};
  auto const a = fluxes::compute_longwave(columns, clouds, data, options);
  auto const b = fluxes::compute_longwave(columns, given, data, options);
  double const most = this->in_double ? 1e-11 : 1e-3;
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k <= nlay; ++k) {
      EXPECT_NEAR(a.flux_up(c, k), b.flux_up(c, k), most);
      EXPECT_NEAR(a.flux_dn(c, k), b.flux_dn(c, k), most);
      EXPECT_NEAR(a.surface_share(c, k), b.surface_share(c, k), most);
    }
  // Without water there are no clouds; with it they warm the surface and hide it from above.
  auto const clear = fluxes::compute_longwave(columns, fluxes::LongwaveData{definition, &optics}, options);
  for (int c = 0; c < ncol; ++c) {
    EXPECT_NEAR(a.flux_up_clear(c, nlay), clear.flux_up(c, nlay), most);
    EXPECT_GT(a.flux_dn(c, 0), clear.flux_dn(c, 0) + 1);
    EXPECT_LT(a.flux_up(c, nlay), clear.flux_up(c, nlay) - 1);
  }
}

TYPED_TEST(EcckdCloudFluxes, ShortwaveCloudsScatterWhatTheirTablesSay) {
  auto const definition = thin_definition(false);
  auto const optics = average_clouds(definition, droplets(), ice());
  auto const columns = shortwave_columns();
  auto const clouds = fluxes::make_shortwave_layer_clouds<Host, double>(ncol, nlay);
  fill_clouds(clouds);
  auto const given = fluxes::make_shortwave_gpoint_clouds<Host, double>(ncol, nlay, true, ngpoint);
  parhelion::assign_array(given.input, static_cast<int>(fluxes::CloudInput::optical_depth));
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k < nlay; ++k)
      for (int g = 0; g < ngpoint; ++g) {
        auto const of = optics_of(optics, clouds, c, k, g);
        given.fraction_gpt(c, k, g) = clouds.fraction(c, k);
        given.optical_depth_gpt(c, k, g) = of[0];
        if (!(of[1] > 0)) continue;
        double const asymmetry = of[2] / of[1];
        given.single_scattering_albedo_gpt(c, k, g) = of[1] / of[0];
        given.asymmetry_gpt(c, k, g) = asymmetry;
        given.forward_fraction_gpt(c, k, g) = asymmetry * asymmetry;
      }
  auto const options =
      options_of<TypeParam>(HostShortwaveOptions{.outputs = {.clear = true, .parts = true, .bands = true}});
  fluxes::ShortwaveData const data{definition, &optics};
  auto const a = fluxes::compute_shortwave(columns, clouds, data, options);
  auto const b = fluxes::compute_shortwave(columns, given, data, options);
  double const most = this->in_double ? 1e-9 : 5e-3;
  for (int c = 0; c < ncol; ++c) {
    for (int k = 0; k <= nlay; ++k) {
      EXPECT_NEAR(a.flux_up(c, k), b.flux_up(c, k), most);
      EXPECT_NEAR(a.flux_dn(c, k), b.flux_dn(c, k), most);
      EXPECT_NEAR(a.flux_dn_direct(c, k), b.flux_dn_direct(c, k), most);
    }
    // The made-up air scatters much and its clouds absorb.
    EXPECT_LT(a.flux_up(c, nlay), a.flux_up_clear(c, nlay) - 1);
    EXPECT_LT(a.flux_dn(c, 0), a.flux_dn_clear(c, 0) - 1);
  }
}

// Clouds that only scatter, in air that does not absorb, over a mirror, send all light back.
TYPED_TEST(EcckdCloudFluxes, ConservativeCloudsConserve) {
  auto definition = made_up_definition(false);
  for (auto& gas : definition.gases) std::fill(gas.molar_absorption.begin(), gas.molar_absorption.end(), 0.);
  auto const white = make_table(wavenumbers, 3, [](double radius, double) { return Particle{1500 / radius, 1, 0.85}; });
  for (auto const averaging : {CloudAveraging::thick, CloudAveraging::thin}) {
    auto const optics = average_clouds(definition, white, white, averaging);
    auto const columns = shortwave_columns();
    parhelion::assign_array(columns.albedo_direct, 1.);
    parhelion::assign_array(columns.albedo_diffuse, 1.);
    auto const clouds = fluxes::make_shortwave_layer_clouds<Host, double>(ncol, nlay);
    fill_clouds(clouds);
    auto const f = fluxes::compute_shortwave(columns, clouds, fluxes::ShortwaveData{definition, &optics},
                                             options_of<TypeParam>(HostShortwaveOptions{}));
    for (int c = 0; c < ncol; ++c)
      for (int k = 0; k <= nlay; ++k)
        EXPECT_NEAR(f.flux_up(c, k), f.flux_dn(c, k), (this->in_double ? 1e-6 : 0.2)) << c << " " << k;
  }
}

// As many g-points as the fraction says see a cloud, and the clear sky is that without clouds.
TYPED_TEST(EcckdCloudFluxes, PartlyCloudySkiesLieBetween) {
  auto const definition = thin_definition(true);
  auto const optics = average_clouds(definition, droplets(), ice());
  auto const overcast = fluxes::make_layer_clouds<Host, double>(ncol, nlay);
  fill_clouds(overcast);
  auto const half = fluxes::make_layer_clouds<Host, double>(ncol, nlay);
  fill_clouds(half);
  for (int c = 0; c < ncol; ++c)
    for (int k : {4, 5, 12}) half.fraction(c, k) = 0.5;
  auto const options = options_of<TypeParam>(HostLongwaveOptions{.outputs = {.clear = true}});
  fluxes::LongwaveData const data{definition, &optics};
  auto const a = fluxes::compute_longwave(longwave_columns(), overcast, data, options);
  auto const b = fluxes::compute_longwave(longwave_columns(), half, data, options);
  for (int c = 0; c < ncol; ++c) {
    EXPECT_GT(b.flux_up(c, nlay), a.flux_up(c, nlay));
    EXPECT_LT(b.flux_up(c, nlay), b.flux_up_clear(c, nlay));
    EXPECT_EQ(a.flux_up_clear(c, nlay), b.flux_up_clear(c, nlay));
  }
}

TYPED_TEST(EcckdCloudFluxes, CloudsWithoutTheirOpticsAreRefused) {
  auto const definition = thin_definition(true);
  auto const clouds = fluxes::make_layer_clouds<Host, double>(ncol, nlay);
  auto const refusal = [&](fluxes::LongwaveData const& data) {
    return message_of([&] {
      fluxes::compute_longwave(longwave_columns(), clouds, data, options_of<TypeParam>(HostLongwaveOptions{}));
    });
  };
  EXPECT_EQ(refusal(definition), "longwave: there are clouds, of which ecCKD was given no optics");
  auto const other = average_clouds(made_up_definition(true, 5), droplets(), ice());
  EXPECT_NE(
      refusal({definition, &other}).find("has optics of clouds for 5 g-points, expected 19 g-points, those of made up"),
      std::string::npos);
}

// Surfaces that are given for g-points have the same values as those of their bands.
TYPED_TEST(EcckdCloudFluxes, EmissivitiesMayBeGivenForGPoints) {
  auto const definition = thin_definition(true);
  auto const bands = longwave_columns(2), gpoints = longwave_columns(ngpoint);
  for (int c = 0; c < ncol; ++c) {
    for (int b = 0; b < 2; ++b) bands.emissivity_sfc(c, b) = 0.5 + 0.1 * c - 0.3 * b;
    for (int g = 0; g < ngpoint; ++g)
      gpoints.emissivity_sfc(c, g) = bands.emissivity_sfc(c, definition.band_number[index_of(g)]);
  }
  auto const fluxes_of = [&](HostColumns const& columns) {
    return fluxes::compute_longwave(columns, definition, options_of<TypeParam>(HostLongwaveOptions{}));
  };
  expect_same_columns(fluxes_of(bands), fluxes_of(gpoints), "emissivities");
}

// Two albedos are those of the bands, if there are two, and otherwise those from 16000 cm-1 up and below it.
TYPED_TEST(EcckdCloudFluxes, AlbedosMayBeGivenForGPoints) {
  auto const of_two_bands = thin_definition(false);
  ASSERT_EQ(of_two_bands.nband(), 2);
  auto of_one_band = of_two_bands;
  of_one_band.band_number.assign(of_one_band.band_number.size(), 0);
  of_one_band.wavenumber2_band[0] = of_one_band.wavenumber2_band[1];
  of_one_band.wavenumber1_band.resize(1);
  of_one_band.wavenumber2_band.resize(1);
  for (auto const& definition : {of_two_bands, of_one_band}) {
    auto const two = shortwave_columns(2), gpoints = shortwave_columns(ngpoint);
    auto const shares = fluxes::ecckd::share_above(definition, 16000);
    for (int c = 0; c < ncol; ++c) {
      two.albedo_direct(c, 0) = 0.3, two.albedo_direct(c, 1) = 0.6;
      two.albedo_diffuse(c, 0) = 0.1, two.albedo_diffuse(c, 1) = 0.7;
      for (int g = 0; g < ngpoint; ++g) {
        double const of_first =
            definition.nband() == 2 ? (definition.band_number[index_of(g)] == 0 ? 1 : 0) : shares[index_of(g)];
        gpoints.albedo_direct(c, g) = of_first * 0.3 + (1 - of_first) * 0.6;
        gpoints.albedo_diffuse(c, g) = of_first * 0.1 + (1 - of_first) * 0.7;
      }
    }
    auto const fluxes_of = [&](HostShortwaveColumns const& columns) {
      return fluxes::compute_shortwave(columns, definition, options_of<TypeParam>(HostShortwaveOptions{}));
    };
    auto const a = fluxes_of(two), b = fluxes_of(gpoints);
    for (int c = 0; c < ncol; ++c)
      for (int k = 0; k <= nlay; ++k) EXPECT_NEAR(a.flux_up(c, k), b.flux_up(c, k), this->in_double ? 1e-10 : 1e-3);
  }
  auto const weights = interval_weights(of_two_bands, {16000});
  EXPECT_NEAR(weights[1], fluxes::ecckd::share_above(of_two_bands, 16000)[0], 0.5);
}

// --- what enters at the top --------------------------------------------------------------------------------------

// In a black body all fluxes are those that enter.
TYPED_TEST(EcckdCloudFluxes, IncidentFluxOfABlackBodyStays) {
  auto const definition = thin_definition(true);
  auto columns = longwave_columns();
  constexpr double kelvin = 243;
  parhelion::assign_array(columns.temperature_lev, kelvin);
  parhelion::assign_array(columns.temperature_sfc, kelvin);
  columns.incident_flux = HostArray<double**>("incident", ncol, ngpoint);
  double sum = 0, first_band = 0;
  for (int g = 0; g < ngpoint; ++g) {
    double const flux = ecckd_planck(definition, kelvin, index_of(g));
    sum += flux;
    if (definition.band_number[index_of(g)] == 0) first_band += flux;
    for (int c = 0; c < ncol; ++c) columns.incident_flux(c, g) = flux;
  }
  auto const f = fluxes::compute_longwave(columns, definition,
                                          options_of<TypeParam>(HostLongwaveOptions{.outputs = {.bands = true}}));
  // Each of ecRad's thin layers emits a little more.
  double const most = nlay * 1.5e-6 * sum + (this->in_double ? 0 : 1e-5 * sum);
  for (int c = 0; c < ncol; ++c) {
    EXPECT_NEAR(f.flux_dn(c, nlay), sum, (this->in_double ? 1e-13 : 1e-6) * sum);
    EXPECT_NEAR(f.flux_dn_band(c, nlay, 0), first_band, (this->in_double ? 1e-13 : 1e-6) * sum);
    for (int k = 0; k <= nlay; ++k) {
      EXPECT_NEAR(f.flux_dn(c, k), sum, most);
      EXPECT_NEAR(f.flux_up(c, k), sum, most);
    }
  }
}

// --- layers that do not count, and one more ----------------------------------------------------------------------

TYPED_TEST(EcckdCloudFluxes, TemperaturesOfLayersAreNotLookedAt) {
  auto const definition = thin_definition(true);
  auto const columns = longwave_columns(), strange = longwave_columns();
  strange.temperature_lay(1, 2) = 20;
  strange.temperature_lay(2, 3) = 4000;
  auto const options = options_of<TypeParam>(HostLongwaveOptions{});
  fluxes::HostLongwaveReport report;
  expect_same_columns(fluxes::compute_longwave(columns, definition, options),
                      fluxes::compute_longwave(strange, definition, options, &report), "layers");
  EXPECT_EQ(total(report.out_of_range), 0U);
}

// The extra layer is one with the temperature of the highest level.
TYPED_TEST(EcckdCloudFluxes, TheExtraLayerHasTheHighestLevelsTemperature) {
  auto const definition = thin_definition(true);
  auto const columns = longwave_columns();
  auto const deep = fluxes::make_columns<Host, double>(ncol, nlay + 1, 1, false, two_bands);
  for (int c = 0; c < ncol; ++c) {
    for (int k = 0; k <= nlay + 1; ++k) {
      deep.pressure_lev(c, k) = k > nlay ? 0.01 : columns.pressure_lev(c, k);
      deep.temperature_lev(c, k) = columns.temperature_lev(c, std::min(k, nlay));
    }
    for (int k = 0; k <= nlay; ++k) {
      deep.pressure_lay(c, k) = 0.5 * (deep.pressure_lev(c, k) + deep.pressure_lev(c, k + 1));
      deep.temperature_lay(c, k) = 250;
      for (int gas = 0; gas < fluxes::ngas_all; ++gas) deep.vmr(c, gas, k) = columns.vmr(c, gas, std::min(k, nlay - 1));
    }
    deep.temperature_sfc(c) = columns.temperature_sfc(c);
    deep.emissivity_sfc(c, 0) = columns.emissivity_sfc(c, 0);
  }
  auto const a =
      fluxes::compute_longwave(columns, definition, options_of<TypeParam>(HostLongwaveOptions{.extra_layer = true}));
  auto const b = fluxes::compute_longwave(deep, definition, options_of<TypeParam>(HostLongwaveOptions{}));
  for (int c = 0; c < ncol; ++c)
    for (int k = 0; k <= nlay; ++k) {
      EXPECT_EQ(a.flux_dn(c, k), b.flux_dn(c, k));
      EXPECT_EQ(a.flux_up(c, k), b.flux_up(c, k));
    }
  EXPECT_GT(a.flux_dn(0, nlay), 0);
}

}  // namespace
