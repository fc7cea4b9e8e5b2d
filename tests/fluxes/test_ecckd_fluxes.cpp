// SPDX-License-Identifier: BSD-3-Clause
// Fluxes of ecCKD by the longwave and the shortwave solver.
#include "ecckd_definitions.hpp"
#include "ecckd_reference.hpp"
#include "flux_comparisons.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/device_longwave.hpp>
#include <parhelion/fluxes/device_shortwave.hpp>
#include <parhelion/fluxes/ecckd/gas_optics.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/hdf5.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;
using fluxes::HostColumns;
using fluxes::HostFluxes;
using fluxes::HostLongwaveOptions;
using fluxes::HostShortwaveColumns;
using fluxes::HostShortwaveFluxes;
using fluxes::HostShortwaveOptions;
using fluxes::ecckd::Definition;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Pair>
HostFluxes solve(HostColumns const& columns, Definition const& definition, HostLongwaveOptions options = {}) {
  return fluxes::compute_longwave(columns, definition, options_of<Pair>(std::move(options)));
}

template <class Pair>
HostShortwaveFluxes solve(HostShortwaveColumns const& columns, Definition const& definition,
                          HostShortwaveOptions options = {}) {
  return fluxes::compute_shortwave(columns, definition, options_of<Pair>(std::move(options)));
}

// --- the sun -----------------------------------------------------------------------------------------------------

// Of the irradiances of g-points only the ratios count, whatever they add up to.
TEST(EcckdSun, HasTheIrradianceOfTheCalculationsThatDefinitionsWereMadeFrom) {
  auto definition = made_up_definition(false);
  for (double const factor : {1., 1e-3}) {
    for (double& irradiance : definition.solar_irradiance) irradiance *= factor;
    fluxes::ShortwaveData const data(definition);
    EXPECT_EQ(fluxes::solar_irradiance(data), 1361);
    EXPECT_EQ(fluxes::solar_source(data, {}).weights, (std::array{1361., 0., 0., 0.}));
    EXPECT_EQ(fluxes::solar_source(data, {.distance_factor = 0.5}).weights[0], 680.5);
    EXPECT_EQ(fluxes::solar_source(data, {.total_irradiance = 1000}).weights[0], 1000);
  }
}

// --- against the original ---------------------------------------------------------------------------------------

template <class Pair>
struct EcckdFluxes : testing::Test {
  using Real = typename Pair::Real;
  static constexpr bool in_double = std::is_same_v<Real, double>;
  /// What rounding may do to a flux of F [W m-2] that is a sum over g-points after sweeps over layers.
  static double rounding(double flux) { return 40 * std::numeric_limits<Real>::epsilon() * flux; }
};
TYPED_TEST_SUITE(EcckdFluxes, SpacesAndReals, PairName);

char const* const longwave_file = "ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc";

TYPED_TEST(EcckdFluxes, LongwaveMatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, longwave_file);
  auto const definition = io::read_ecckd_definition(coefficients);
  for (std::string const name : {"case_clear_a", "debug_a"}) {
    PARHELION_REQUIRE_DATA(path, "ecckd/" + name + ".nc");
    io::Hdf5File const file(path);
    auto const mine = solve<TypeParam>(read_ecckd_longwave(file), definition, {.outputs = {.share = true}});
    double const most = this->in_double ? 1e-10 : 1e-3;  // 2e-4 measured in float
    expect_largest(largest_difference(mine.flux_up, file, "lw_fsck32_flux_up"), most, name + "_flux_up");
    expect_largest(largest_difference(mine.flux_dn, file, "lw_fsck32_flux_dn"), most, name + "_flux_dn");
    expect_largest(largest_difference(mine.surface_share, file, "lw_fsck32_derivative"), this->in_double ? 3e-13 : 1e-5,
                   name + "_share");
  }
}

TYPED_TEST(EcckdFluxes, ShortwaveMatchesTheReference) {
  for (auto const& [model, version] :
       {std::pair("sw_rgb32", "1.4_sw_climate_rgb-32b"), std::pair("sw_window64", "1.2_sw_climate_window-64b")}) {
    PARHELION_REQUIRE_DATA(coefficients, fmt::format("ecckd/ecckd-{}_ckd-definition.nc", version));
    auto const definition = io::read_ecckd_definition(coefficients);
    for (std::string const name : {"case_clear_a", "debug_a"}) {
      PARHELION_REQUIRE_DATA(path, "ecckd/" + name + ".nc");
      io::Hdf5File const file(path);
      std::string const prefix = model + std::string("_flux_");
      if (!file.exists(prefix + "up")) continue;
      auto const columns = read_ecckd_shortwave(file);
      auto const mine = solve<TypeParam>(columns, definition);
      auto const is_conservative = [&](int c) {
        return columns.albedo_direct(c, 0) == 1 && columns.vmr(c, static_cast<int>(Gas::co2), 0) == 0;
      };
      for (bool const conservative : {false, true}) {
        auto const counts = [&](int c) { return is_conservative(c) == conservative; };
        // 1e-3 measured in float, and 3e-4 where gases absorb.
        double const most = !this->in_double ? 4e-3 : conservative ? 1e-6 : 1e-9;
        std::array const results{std::pair(mine.flux_up, "up"), std::pair(mine.flux_dn, "dn"),
                                 std::pair(mine.flux_dn_direct, "dn_direct")};
        for (auto const& [view, what] : results)
          expect_largest(largest_difference(view, file, prefix + what, counts), most,
                         name + "_" + prefix + what + (conservative ? "_conservative" : ""));
      }
    }
  }
}

// Where it has no reference fluxes, the dumped fluxes of g-points tell those of bands.
TYPED_TEST(EcckdFluxes, BandsMatchTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "ecckd/ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc");
  PARHELION_REQUIRE_DATA(path, "ecckd/debug_a.nc");
  auto const definition = io::read_ecckd_definition(coefficients);
  io::Hdf5File const file(path);
  auto const columns = read_ecckd_shortwave(file);
  auto const mine = solve<TypeParam>(columns, definition, {.outputs = {.parts = true, .bands = true}});
  auto const shares = fluxes::ecckd::share_above(definition, 16000);
  std::size_t const ng = shares.size(), nlev = mine.flux_up.extent(1);
  ASSERT_GT(definition.nband(), 1);
  Largest largest;
  auto const compare = [&](auto const& of_bands, std::string const& name) {
    auto const gpoints = file.read("sw_rgb32_gpt_flux_" + name);
    for (std::size_t c = 0; c < of_bands.extent(0); ++c)
      for (std::size_t k = 0; k < nlev; ++k)
        for (std::size_t b = 0; b < of_bands.extent(2); ++b) {
          double expected = 0;
          for (std::size_t g = 0; g < ng; ++g)
            if (definition.band_number[g] == static_cast<int>(b))
              expected += gpoints[(c * nlev + nlev - 1 - k) * ng + g];
          largest.add(of_bands(c, k, b), expected, fmt::format("{} of column {}, level {}, band {}", name, c, k, b));
        }
  };
  compare(mine.flux_up_band, "up");
  compare(mine.flux_dn_band, "dn");
  compare(mine.flux_dn_direct_band, "dn_direct");
  auto const gpoints = file.read("sw_rgb32_gpt_flux_dn");
  for (std::size_t c = 0; c < mine.flux_dn.extent(0); ++c)
    for (std::size_t k = 0; k < nlev; ++k) {
      double expected = 0;
      for (std::size_t g = 0; g < ng; ++g) expected += shares[g] * gpoints[(c * nlev + nlev - 1 - k) * ng + g];
      largest.add(mine.flux_dn_uvvis(c, k), expected, fmt::format("uvvis of column {}, level {}", c, k));
    }
  expect_largest(largest, this->in_double ? 1e-6 : 0.004, "bands");
}

// --- beside the formulas ----------------------------------------------------------------------------------------

/// made_up_definition() with so much less absorption that the surface is seen from above.
Definition thin_definition(bool longwave, int ngpoint = 19) {
  auto definition = made_up_definition(longwave, ngpoint);
  for (auto& gas : definition.gases)
    for (double& coefficient : gas.molar_absorption) coefficient *= 0.01;
  return definition;
}

/// A layer of columns as the formulas take it.
template <class AnyColumns>
EcckdLayer layer_of(AnyColumns const& columns, int c, int k) {
  EcckdLayer layer{columns.pressure_lev(c, k + 1),
                   columns.pressure_lev(c, k),
                   columns.temperature_lev(c, k + 1),
                   columns.temperature_lev(c, k),
                   {}};
  for (int gas = 0; gas < fluxes::ngas_all; ++gas)
    layer.mole_fraction[std::string(fluxes::name_of(static_cast<Gas>(gas)))] = columns.vmr(c, gas, k);
  return layer;
}

/// Absorption optical depths of a layer at all g-points.
std::vector<double> absorption_of(Definition const& definition, EcckdLayer const& layer) {
  std::vector<double> sum(definition.band_number.size());
  for (auto const& gas : definition.gases) {
    auto const tau = ecckd_optical_depth(definition, gas, layer);
    for (std::size_t g = 0; g < sum.size(); ++g) sum[g] += tau[g];
  }
  for (double& tau : sum) tau = std::max(tau, 0.);
  return sum;
}

struct PlainLongwave {
  std::vector<PlainFluxes> gpoints;
  std::vector<double> share, derivative;  ///< at the levels
};

PlainLongwave plain_fluxes(Definition const& definition, HostColumns const& columns, int c) {
  int const nlay = columns.nlay();
  std::size_t const ng = definition.band_number.size();
  auto const nlev = static_cast<std::size_t>(nlay + 1);
  std::vector<std::vector<PlainEmission>> layers(ng);
  for (int k = 0; k < nlay; ++k) {
    auto const layer = layer_of(columns, c, k);
    auto const tau = absorption_of(definition, layer);
    for (std::size_t g = 0; g < ng; ++g)
      layers[g].push_back(ecrad_emission(tau[g], ecckd_planck(definition, layer.temperature_top, g),
                                         ecckd_planck(definition, layer.temperature_bottom, g)));
  }
  PlainLongwave result{{}, std::vector<double>(nlev), std::vector<double>(nlev)};
  double whole = 0;
  for (std::size_t g = 0; g < ng; ++g) {
    int const band = columns.emissivity_sfc.extent(1) == 1 ? 0 : definition.band_number[g];
    double const emissivity = columns.emissivity_sfc(c, band);
    double const skin = columns.temperature_sfc(c);
    result.gpoints.push_back(plain_longwave(layers[g], emissivity * ecckd_planck(definition, skin, g), emissivity));
    double const step = 0.01;
    double const change =
        (ecckd_planck(definition, skin + step, g) - ecckd_planck(definition, skin - step, g)) / (2 * step);
    double share = result.gpoints[g].up[0], derivative = emissivity * change;
    whole += share;
    for (std::size_t k = 0; k < nlev; ++k) {
      result.share[k] += share;
      result.derivative[k] += derivative;
      if (k + 1 == nlev) break;
      share *= static_cast<double>(layers[g][k].transmittance);
      derivative *= static_cast<double>(layers[g][k].transmittance);
    }
  }
  for (double& share : result.share) share /= whole;
  return result;
}

std::vector<PlainFluxes> plain_fluxes(Definition const& definition, HostShortwaveColumns const& columns, int c) {
  int const nlay = columns.nlay();
  std::size_t const ng = definition.band_number.size();
  double const mu0 = columns.cos_zenith(c);
  std::vector<std::vector<PlainOperator>> layers(ng);
  for (int k = 0; k < nlay; ++k) {
    auto const layer = layer_of(columns, c, k);
    auto const tau = absorption_of(definition, layer);
    for (std::size_t g = 0; g < ng; ++g) {
      Long const rayleigh = ecckd_moles(layer) * definition.rayleigh_molar_scattering[g];
      Long const all = tau[g] + rayleigh;
      layers[g].push_back(ecrad_operator(all, all > 0 ? rayleigh / all : 0, mu0));
    }
  }
  double total = 0;
  for (double const irradiance : definition.solar_irradiance) total += irradiance;
  auto const shares = fluxes::ecckd::share_above(definition, 16000);
  std::vector<PlainFluxes> result;
  for (std::size_t g = 0; g < ng; ++g) {
    int const band = definition.band_number[g];
    auto const albedo = [&](auto const& of) {
      std::size_t const n = of.extent(1);
      return n == 1 ? of(c, 0) : n == 2 ? shares[g] * of(c, 0) + (1 - shares[g]) * of(c, 1) : of(c, band);
    };
    double const factor = columns.solar_band_factors.size() > 0 ? columns.solar_band_factors(c, band) : 1;
    result.push_back(
        plain_shortwave(layers[g], factor * columns.solar_weights(c, 0) * definition.solar_irradiance[g] / total * mu0,
                        albedo(columns.albedo_direct), albedo(columns.albedo_diffuse)));
  }
  return result;
}

/// An atmosphere from 1000 hPa to above the tables, with gases from less than their tables and references to more.
template <class AnyColumns>
void make_up_atmosphere(AnyColumns const& columns) {
  int const nlay = columns.nlay();
  for (int c = 0; c < columns.ncol(); ++c) {
    for (int k = 0; k <= nlay; ++k) {
      double const height = static_cast<double>(k) / nlay;
      columns.pressure_lev(c, k) = (9e4 + 4e3 * c) * std::pow(3e-5, height) * (k == nlay ? 0.01 : 1);
      columns.temperature_lev(c, k) = 295 - 20 * c - 110 * height + 9 * std::sin(2.3 * c + 11 * height);
    }
    for (int k = 0; k < nlay; ++k) {
      double const height = static_cast<double>(k) / nlay;
      columns.pressure_lay(c, k) = 0.5 * (columns.pressure_lev(c, k) + columns.pressure_lev(c, k + 1));
      columns.temperature_lay(c, k) = 200 + c;  // without effect
      auto const set = [&](Gas gas, double ratio) { columns.vmr(c, static_cast<int>(gas), k) = ratio; };
      set(Gas::h2o, c == 3 ? 0 : 0.02 * std::exp(-12 * height - 0.7 * c));
      set(Gas::co2, 2e-4 * c);
      set(Gas::ch4, 1.4e-6 + 3e-7 * c);
      set(Gas::o3, 3e-6);  // not in the definition
    }
  }
}

HostColumns made_up_longwave(int ncol, int nlay, int nemis) {
  auto const columns = fluxes::make_columns<Host, double>(ncol, nlay, nemis, false, one_ecckd_band);
  make_up_atmosphere(columns);
  for (int c = 0; c < ncol; ++c) {
    columns.temperature_sfc(c) = columns.temperature_lev(c, 0) + 3.3 * c - 4;
    for (int b = 0; b < nemis; ++b) columns.emissivity_sfc(c, b) = c == 1 ? b : 1 - 0.15 * c / (1 + b);
  }
  return columns;
}

HostShortwaveColumns made_up_shortwave(int ncol, int nlay, int nalbedo) {
  auto columns = fluxes::make_shortwave_columns<Host, double>(ncol, nlay, nalbedo, one_ecckd_band);
  columns.temperature_lev =
      HostArray<double**>("temperature_lev", static_cast<std::size_t>(ncol), static_cast<std::size_t>(nlay + 1));
  make_up_atmosphere(columns);
  for (int c = 0; c < ncol; ++c) {
    columns.cos_zenith(c) = c == 1 ? 1 : 0.01 + 0.22 * c;
    columns.solar_weights(c, 0) = 1361 - 10 * c;
    for (int b = 0; b < nalbedo; ++b) {
      columns.albedo_direct(c, b) = c == 1 ? b % 2 : 0.1 * c + 0.2 * b;
      columns.albedo_diffuse(c, b) = c == 1 ? 1 : 0.5 - 0.1 * b;
    }
  }
  return columns;
}

constexpr int many_depths[] = {1, 2, 15, 16, 17, 33, 100};
constexpr fluxes::FluxOutputs all_of_longwave{.clear = true, .derivative = true, .bands = true, .share = true};
constexpr fluxes::ShortwaveOutputs all_of_shortwave{.clear = true, .parts = true, .bands = true};

TYPED_TEST(EcckdFluxes, LongwaveMeetsTheFormulas) {
  Largest of_fluxes, of_share, of_derivative;
  double least_share = 1;
  for (int const ng : {1, 16, 19, 33})
    for (int const nlay : many_depths)
      for (int const nemis : {1, 2}) {
        if (ng != 19 && (nlay != 17 || nemis == 1)) continue;
        auto definition = thin_definition(true, ng);
        if (ng == 1) definition.band_number = {1};
        auto const columns = made_up_longwave(4, nlay, nemis);
        auto const mine = solve<TypeParam>(columns, definition, {.outputs = all_of_longwave});
        for (int c = 0; c < columns.ncol(); ++c) {
          auto const plain = plain_fluxes(definition, columns, c);
          least_share = std::min(least_share, plain.share.back());
          compare_longwave(of_fluxes, mine, c, plain.gpoints, definition.band_number);
          for (int k = 0; k <= nlay; ++k) {
            auto const place = fmt::format("column {}, level {} of {}", c, k, nlay);
            of_share.add(mine.surface_share(c, k), plain.share[static_cast<std::size_t>(k)], place);
            of_derivative.add(mine.dflux_up_dt(c, k), plain.derivative[static_cast<std::size_t>(k)], place);
          }
        }
      }
  EXPECT_GT(least_share, 1e-3) << "the surface is to be seen";
  EXPECT_LT(least_share, 0.5) << "and the air";
  expect_largest(of_fluxes, this->in_double ? 1e-10 : 1e-3, "fluxes");
  expect_largest(of_share, this->in_double ? 3e-13 : 1e-5, "share");
  expect_largest(of_derivative, this->in_double ? 1e-9 : 1e-5, "derivative");
}

TYPED_TEST(EcckdFluxes, ShortwaveMeetsTheFormulas) {
  Largest largest;
  for (int const ng : {1, 16, 19, 33})
    for (int const nlay : many_depths)
      for (int const nalbedo : {1, 2, 3}) {
        if (ng != 19 && (nlay != 17 || nalbedo == 1)) continue;
        auto definition = thin_definition(false, ng);
        // Three bands, so that two albedos are not those of bands.
        definition.wavenumber1_band = {10000, 14000, 18000};
        definition.wavenumber2_band = {14000, 18000, 26000};
        for (int g = 0; g < ng; ++g) definition.band_number[static_cast<std::size_t>(g)] = ng == 1 ? 1 : 3 * g / ng;
        auto columns = made_up_shortwave(4, nlay, nalbedo);
        if (nalbedo == 3) {
          columns.solar_band_factors = HostArray<double**>("factors", 4, 3);
          for (int i = 0; i < 12; ++i) columns.solar_band_factors.data()[i] = 0.9 + 0.02 * i;
        }
        auto const mine = solve<TypeParam>(columns, definition, {.outputs = all_of_shortwave});
        for (int c = 0; c < columns.ncol(); ++c)
          compare_shortwave(largest, mine, c, plain_fluxes(definition, columns, c), definition.band_number,
                            fluxes::ecckd::share_above(definition, 16000));
      }
  expect_largest(largest, this->in_double ? 1e-9 : 4e-3, "fluxes");
}

// The definitions of which there are no reference fluxes.
TYPED_TEST(EcckdFluxes, OtherDefinitionsMeetTheFormulas) {
  PARHELION_REQUIRE_DATA(path, "ecckd/case_clear_a.nc");
  io::Hdf5File const file(path);
  // Two of usual air, and the special ones, the last of which is at night.
  int const special = static_cast<int>(file.shape("skin_temperature")[0]) - 4;
  auto const columns =
      columns_of(read_ecckd_shortwave(file), 5, [=](int c) { return c < 2 ? 17 * c : special + c - 2; });
  for (std::string const version : {"1.0_sw_climate_rgb-32b", "1.4_sw_climate_vfine-96b"}) {
    PARHELION_REQUIRE_DATA(coefficients, "ecckd/ecckd-" + version + "_ckd-definition.nc");
    auto const definition = io::read_ecckd_definition(coefficients);
    auto const mine = solve<TypeParam>(columns, definition, {.outputs = all_of_shortwave});
    Largest largest;
    for (int c = 0; c < columns.ncol(); ++c)
      if (columns.cos_zenith(c) > 0)
        compare_shortwave(largest, mine, c, plain_fluxes(definition, columns, c), definition.band_number,
                          fluxes::ecckd::share_above(definition, 16000));
      else
        expect_zero(mine, c);
    // The floor of the formulas' exponent shows in the column without greenhouse gases over a surface of albedo 1.
    expect_largest(largest, this->in_double ? 1e-6 : 4e-3, version);
  }
}

// --- properties -------------------------------------------------------------------------------------------------

TYPED_TEST(EcckdFluxes, AreTheSameHoweverTheWorkIsDivided) {
  for (int const nlay : {1, 37}) {
    auto const longwave = thin_definition(true);
    expect_same_however_divided<HostLongwaveOptions>(made_up_longwave(5, nlay, 2),
                                                     [&](HostColumns const& columns, HostLongwaveOptions options) {
                                                       options.outputs = all_of_longwave;
                                                       return solve<TypeParam>(columns, longwave, options);
                                                     });
    auto const shortwave = thin_definition(false);
    expect_same_however_divided<HostShortwaveOptions>(
        made_up_shortwave(5, nlay, 2), [&](HostShortwaveColumns const& columns, HostShortwaveOptions options) {
          options.outputs = all_of_shortwave;
          return solve<TypeParam>(columns, shortwave, options);
        });
  }
}

TYPED_TEST(EcckdFluxes, WhatIsAskedForDoesNotChangeTheRest) {
  auto const definition = thin_definition(false);
  auto const columns = made_up_shortwave(4, 17, 2);
  auto const all = solve<TypeParam>(columns, definition, {.outputs = all_of_shortwave});
  for (auto const& [what, outputs] : selections_of_shortwave())
    expect_part_of(all, solve<TypeParam>(columns, definition, {.outputs = outputs}), what);
}

TYPED_TEST(EcckdFluxes, OneThreadGivesTheSame) {
  using Space = typename TypeParam::ExecutionSpace;
  if constexpr (runs_on_host<Space> && std::is_constructible_v<Space, int>) {
    Space const one(1);
    auto const longwave = thin_definition(true);
    auto const columns = made_up_longwave(5, 20, 1);
    HostLongwaveOptions options{.outputs = all_of_longwave};
    auto const alone = fluxes::make_fluxes<Host, double>(5, 20, all_of_longwave, {.nband = 2});
    fluxes::HostLongwave<double>(one, 5, 20, {}, false, longwave, options_of<TypeParam>(options))
        .compute(columns, fluxes::HostClouds(), alone);
    expect_same_columns(solve<TypeParam>(columns, longwave, options), alone, "one thread");

    auto const shortwave = thin_definition(false);
    auto const sunlit = made_up_shortwave(5, 20, 1);
    HostShortwaveOptions of_sun{.outputs = all_of_shortwave};
    auto const lit = fluxes::make_shortwave_fluxes<Host, double>(5, 20, all_of_shortwave, {.nband = 2});
    fluxes::HostShortwave<double>(one, 5, 20, {}, {}, shortwave, options_of<TypeParam>(of_sun))
        .compute(sunlit, fluxes::HostShortwaveClouds(), lit);
    expect_same_columns(solve<TypeParam>(sunlit, shortwave, of_sun), lit, "one thread");
  }
}

TYPED_TEST(EcckdFluxes, AddUpAndHeat) {
  auto const columns = made_up_longwave(4, 30, 2);
  auto const longwave = solve<TypeParam>(columns, thin_definition(true), {.outputs = all_of_longwave});
  expect_sums(longwave, this->rounding(500));
  expect_heating_of_divergence(columns, longwave, this->rounding(500));
  auto const sunlit = made_up_shortwave(4, 30, 2);
  auto const shortwave = solve<TypeParam>(sunlit, thin_definition(false), {.outputs = all_of_shortwave});
  expect_sums(shortwave, this->rounding(1400));
  expect_heating_of_divergence(sunlit, shortwave, this->rounding(1400));
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(longwave.flux_dn(c, 30), 0);
    EXPECT_EQ(longwave.surface_share(c, 0), 1);
    double const sun = sunlit.solar_weights(c, 0) * sunlit.cos_zenith(c);
    EXPECT_NEAR(shortwave.flux_dn(c, 30), sun, this->rounding(sun));
    EXPECT_EQ(shortwave.flux_dn(c, 30), shortwave.flux_dn_direct(c, 30));
    for (int k = 0; k <= 30; ++k) {
      EXPECT_EQ(longwave.flux_up_clear(c, k), longwave.flux_up(c, k));
      EXPECT_EQ(shortwave.flux_up_clear(c, k), shortwave.flux_up(c, k));
    }
  }
}

TYPED_TEST(EcckdFluxes, DerivativeIsThatOfTheUpwardFlux) {
  auto const definition = thin_definition(true);
  auto const columns = made_up_longwave(3, 20, 2);
  // Between entries of the table of the Planck function, on a line of which derivatives are.
  double const step = 5;
  for (int c = 0; c < 3; ++c) columns.temperature_sfc(c) = 150 + 20 * (c + 5) + 10;
  auto const derivative = solve<TypeParam>(columns, definition, {.outputs = {.derivative = true}}).dflux_up_dt;
  auto const at = [&](double change) {
    auto changed = columns;
    changed.temperature_sfc = HostArray<double*>("sfc", 3);
    for (int c = 0; c < 3; ++c) changed.temperature_sfc(c) = columns.temperature_sfc(c) + change;
    return solve<TypeParam>(changed, definition);
  };
  auto const warmer = at(step), colder = at(-step);
  EXPECT_EQ(largest_difference(warmer.flux_dn, colder.flux_dn), 0);
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k <= 20; ++k)
      EXPECT_NEAR(derivative(c, k), (warmer.flux_up(c, k) - colder.flux_up(c, k)) / (2 * step),
                  this->rounding(500) / step)
          << "column " << c << ", level " << k;
}

TYPED_TEST(EcckdFluxes, NightIsDark) {
  auto const columns = made_up_shortwave(4, 18, 2);
  columns.cos_zenith(1) = 0;
  columns.cos_zenith(2) = -0.7;
  auto const f = solve<TypeParam>(columns, thin_definition(false), {.outputs = all_of_shortwave});
  expect_zero(f, 1);
  expect_zero(f, 2);
  EXPECT_GT(f.flux_dn(3, 18), 0);
}

TYPED_TEST(EcckdFluxes, AirThatDoesNothingDoesNothing) {
  for (bool const longwave : {true, false})
    for (bool const scatters : {false, true}) {
      auto definition = thin_definition(longwave);
      for (auto& gas : definition.gases) std::fill(gas.molar_absorption.begin(), gas.molar_absorption.end(), 0.);
      int const nlay = 33;
      if (longwave) {
        if (scatters) continue;
        auto const columns = made_up_longwave(4, nlay, 1);
        auto const f = solve<TypeParam>(columns, definition);
        for (int c = 0; c < 4; ++c)
          for (int k = 0; k <= nlay; ++k) {
            EXPECT_EQ(f.flux_dn(c, k), 0);
            EXPECT_EQ(f.flux_up(c, k), f.flux_up(c, 0));
            if (k < nlay) {
              EXPECT_EQ(f.heating_rate(c, k), 0);
            }
          }
        continue;
      }
      if (!scatters)
        std::fill(definition.rayleigh_molar_scattering.begin(), definition.rayleigh_molar_scattering.end(), 0.);
      auto const columns = made_up_shortwave(4, nlay, 1);
      auto const f = solve<TypeParam>(columns, definition);
      for (int c = 0; c < 4; ++c) {
        double const sun = columns.solar_weights(c, 0) * columns.cos_zenith(c);
        for (int k = 0; k <= nlay; ++k) {
          double const net = f.flux_dn(c, k) - f.flux_up(c, k);
          EXPECT_NEAR(net, f.flux_dn(c, 0) - f.flux_up(c, 0), nlay * this->rounding(sun) / 10) << "nothing absorbs";
          if (scatters) continue;
          EXPECT_NEAR(f.flux_dn(c, k), sun, this->rounding(sun));
          EXPECT_NEAR(f.flux_up(c, k), columns.albedo_direct(c, 0) * sun, this->rounding(sun));
        }
      }
    }
}

// Air as warm as the surface sends up what the surface emits. Each of ecRad's thin layers emits half the square of its
// optical depth along the path more, at most 1.4e-6.
TYPED_TEST(EcckdFluxes, IsothermalAirIsABlackBody) {
  auto const columns = made_up_longwave(4, 50, 1);
  parhelion::assign_array(columns.temperature_lev, 243.);
  parhelion::assign_array(columns.temperature_sfc, 243.);
  parhelion::assign_array(columns.emissivity_sfc, 1.);
  auto const f = solve<TypeParam>(columns, thin_definition(true));
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k <= 50; ++k)
      EXPECT_NEAR(f.flux_up(c, k), f.flux_up(c, 0), this->rounding(500) + 50 * 1.4e-6 * f.flux_up(c, 0));
}

TYPED_TEST(EcckdFluxes, DeepColumnsAreSolved) {
  auto const deep = solve<TypeParam>(made_up_longwave(2, 700, 1), thin_definition(true));
  auto const lit = solve<TypeParam>(made_up_shortwave(2, 700, 1), thin_definition(false));
  for (int c = 0; c < 2; ++c) {
    EXPECT_EQ(deep.flux_dn(c, 700), 0);
    EXPECT_GT(deep.flux_up(c, 700), 0);
    EXPECT_LT(deep.flux_up(c, 700), deep.flux_up(c, 0) + deep.flux_dn(c, 0));
    EXPECT_GT(lit.flux_dn(c, 700), lit.flux_up(c, 700));
  }
}

// --- what calls take ---------------------------------------------------------------------------------------------

TYPED_TEST(EcckdFluxes, RefusesWhatItCannotCompute) {
  auto const of_longwave = thin_definition(true), of_shortwave = thin_definition(false);
  auto const refusal = [&](auto const& columns, Definition const& definition, auto options) {
    return message_of([&] { solve<TypeParam>(columns, definition, options); });
  };
  HostLongwaveOptions const plain;
  EXPECT_EQ(refusal(made_up_longwave(2, 3, 1), of_longwave, plain), "(no parhelion::Error)");
  EXPECT_NE(refusal(made_up_longwave(2, 3, 1), of_shortwave, plain).find("of the shortwave"), std::string::npos);
  EXPECT_NE(refusal(made_up_longwave(2, 3, 16), of_longwave, plain).find("emissivity_sfc has shape (2, 16)"),
            std::string::npos);
  auto few = made_up_longwave(2, 3, 1);
  few.vmr = HostArray<double***>("few", 2, fluxes::ngas, 3);
  EXPECT_NE(refusal(few, of_longwave, plain).find("vmr has shape (2, 11, 3)"), std::string::npos);

  HostShortwaveOptions const sunlit;
  EXPECT_EQ(refusal(made_up_shortwave(2, 3, 2), of_shortwave, sunlit), "(no parhelion::Error)");
  EXPECT_NE(refusal(made_up_shortwave(2, 3, 14), of_shortwave, sunlit).find("albedo_direct has 14 albedos"),
            std::string::npos);
  auto without_levels = made_up_shortwave(2, 3, 1);
  without_levels.temperature_lev = {};
  EXPECT_NE(refusal(without_levels, of_shortwave, sunlit).find("temperature_lev is absent"), std::string::npos);
  using Model = fluxes::ecckd::Shortwave<Host, double>;
  Model const model(of_shortwave);
  fluxes::Shortwave<Model> solver(Host(), model, {.nlay = 3, .gpoints = {19}, .nband = 2});
  auto const f = fluxes::make_shortwave_fluxes<Host, double>(2, 3, {}, {.nband = 2});
  EXPECT_EQ(message_of([&] { solver.solve(Host(), {without_levels}, f); }),
            "Shortwave::solve: temperature_lev is missing");
}

// Temperatures of levels are the ones that count.
TYPED_TEST(EcckdFluxes, RangesAreThoseOfLevels) {
  auto const definition = thin_definition(true);
  auto const columns = made_up_longwave(3, 9, 1), within = made_up_longwave(3, 9, 1);
  parhelion::assign_array(columns.temperature_lay, 333.);
  within.temperature_lev(1, 4) = 100;
  auto const expected = solve<TypeParam>(within, definition);
  columns.temperature_lev(1, 4) = 90;
  auto const message = message_of([&] { solve<TypeParam>(columns, definition); });
  EXPECT_NE(message.find("temperature_lev(1, 4) = 90 K"), std::string::npos) << message;
  expect_same_columns(expected, solve<TypeParam>(columns, definition, {.out_of_range = OutOfRange::clip}), "clipped");
  auto const beyond = solve<TypeParam>(columns, definition, {.out_of_range = OutOfRange::extrapolate});
  EXPECT_NE(beyond.flux_dn(1, 4), expected.flux_dn(1, 4));
  EXPECT_EQ(beyond.flux_dn(0, 0), expected.flux_dn(0, 0));
}

// Copies to a device leave the bits as they are.
TYPED_TEST(EcckdFluxes, ArraysOnADeviceGiveTheSame) {
  using Space = typename TypeParam::ExecutionSpace;
  Space const space;
  int const ncol = 4, nlay = 12;
  auto const of_longwave = thin_definition(true), of_shortwave = thin_definition(false);
  auto const columns = made_up_longwave(ncol, nlay, 2);
  auto const options = options_of<TypeParam>(HostLongwaveOptions{.outputs = all_of_longwave});
  fluxes::DeviceLongwave<Space> longwave(space, 3, nlay, {}, false, of_longwave, options);
  expect_same_columns(
      solve<TypeParam>(columns, of_longwave, options),
      solve_on_device<fluxes::LongwaveArrays>(
          space, longwave, columns, fluxes::make_fluxes<Host, double>(ncol, nlay, all_of_longwave, {.nband = 2})),
      "longwave");
  auto const sunlit = made_up_shortwave(ncol, nlay, 2);
  auto const of_sun = options_of<TypeParam>(HostShortwaveOptions{.outputs = all_of_shortwave});
  fluxes::DeviceShortwave<Space> shortwave(space, 3, nlay, {}, {}, of_shortwave, of_sun);
  expect_same_columns(solve<TypeParam>(sunlit, of_shortwave, of_sun),
                      solve_on_device<fluxes::ShortwaveArrays>(
                          space, shortwave, sunlit,
                          fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay, all_of_shortwave, {.nband = 2})),
                      "shortwave");
}

// --- beside line-by-line calculations -----------------------------------------------------------------------------

// The model's own accuracy, as its authors have it: differences over 50 atmospheres are those of the original.
TYPED_TEST(EcckdFluxes, ErrorsAreThoseOfTheModel) {
  PARHELION_REQUIRE_DATA(coefficients, longwave_file);
  PARHELION_REQUIRE_DATA(air, "ecckd/ckdmip/ckdmip_evaluation1_concentrations_present_reduced.nc");
  PARHELION_REQUIRE_DATA(truth, "ecckd/ckdmip/ckdmip_evaluation1_lw_fluxes_present_reduced.nc");
  io::Hdf5File const file(air), line_by_line(truth);
  auto const shape = file.shape("pressure_hl");
  int const ncol = static_cast<int>(shape[0]), nlay = static_cast<int>(shape[1]) - 1;
  auto const columns = fluxes::make_columns<Host, double>(ncol, nlay, 1, false, one_ecckd_band);
  read_ecckd_atmosphere(columns, file, "_mole_fraction_fl");
  for (int c = 0; c < ncol; ++c) {
    columns.temperature_sfc(c) = columns.temperature_lev(c, 0);
    columns.emissivity_sfc(c, 0) = 1;
  }
  auto const mine = solve<TypeParam>(columns, io::read_ecckd_definition(coefficients));
  HostArray<double**> const up("up", shape[0], shape[1]), down("down", shape[0], shape[1]);
  fill_from_top(up, line_by_line, "flux_up_lw");
  fill_from_top(down, line_by_line, "flux_dn_lw");
  auto const root_mean_square = [&](auto const& a, auto const& b, int level) {
    double sum = 0;
    for (int c = 0; c < ncol; ++c) sum += std::pow(a(c, level) - b(c, level), 2);
    return std::sqrt(sum / ncol);
  };
  EXPECT_EQ(ncol, 50);
  EXPECT_NEAR(root_mean_square(mine.flux_up, up, nlay), 0.14, 0.005);
  EXPECT_NEAR(root_mean_square(mine.flux_dn, down, 0), 0.42, 0.005);
}

}  // namespace
