// SPDX-License-Identifier: BSD-3-Clause
// Fluxes of RRTMGP by the longwave and the shortwave solver.
#include "flux_comparisons.hpp"
#include "rrtmgp_reference.hpp"
#include "synthetic_k_distribution.hpp"
#include "testing.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/fluxes/device_longwave.hpp>
#include <parhelion/fluxes/device_shortwave.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/fluxes/rrtmgp/aerosol_optics.hpp>
#include <parhelion/fluxes/rrtmgp/cloud_optics.hpp>
#include <parhelion/fluxes/rrtmgp/level_temperatures.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/rrtmgp_cloud_files.hpp>
#include <parhelion/io/rrtmgp_files.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::GasSet;
using fluxes::HostColumns;
using fluxes::HostFluxes;
using fluxes::HostLongwaveOptions;
using fluxes::HostShortwaveColumns;
using fluxes::HostShortwaveFluxes;
using fluxes::HostShortwaveOptions;
using fluxes::rrtmgp::Angles;
using fluxes::rrtmgp::LongwaveSetup;
using fluxes::rrtmgp::Scattering;
using fluxes::rrtmgp::ShortwaveSetup;
using Host = Kokkos::DefaultHostExecutionSpace;

KDistribution const& reference(bool longwave) {
  auto const read = [](char const* name) { return io::read_rrtmgp_gas_optics(reference_data(name)); };
  static KDistribution const of_longwave = read("rrtmgp/synthetic-gas-lw-g128.nc");
  static KDistribution const of_shortwave = read("rrtmgp/synthetic-gas-sw-g112.nc");
  return longwave ? of_longwave : of_shortwave;
}

template <class Pair>
HostFluxes solve(HostColumns const& columns, LongwaveSetup const& setup, HostLongwaveOptions options = {}) {
  return fluxes::compute_longwave(columns, setup, options_of<Pair>(std::move(options)));
}

template <class Pair>
HostShortwaveFluxes solve(HostShortwaveColumns const& columns, ShortwaveSetup const& setup,
                          HostShortwaveOptions options = {}) {
  return fluxes::compute_shortwave(columns, setup, options_of<Pair>(std::move(options)));
}

// --- against the original ---------------------------------------------------------------------------------------

HostShortwaveColumns read_shortwave(io::Hdf5File const& file, KDistribution const& k) {
  auto const air = read_rrtmgp_columns(file);
  int const nband = k.nband();
  fluxes::ModelSizes const sizes{.ngas = fluxes::ngas_all, .nband = nband, .ngpoint = k.ngpoint};
  auto columns = fluxes::make_shortwave_columns<Host, double>(air.ncol(), air.nlay(), nband, sizes);
  columns.pressure_lay = air.pressure_lay;
  columns.pressure_lev = air.pressure_lev;
  columns.temperature_lay = air.temperature_lay;
  columns.vmr = air.vmr;
  auto const copy = [&](auto const& view, char const* name) {
    auto const values = file.read(name);
    ASSERT_EQ(values.size(), view.size()) << name;
    std::copy(values.begin(), values.end(), view.data());
  };
  copy(columns.cos_zenith, "mu0");
  copy(columns.albedo_direct, "albedo_direct");
  copy(columns.albedo_diffuse, "albedo_diffuse");
  auto const total = file.read("total_solar_irradiance");
  for (int c = 0; c < air.ncol(); ++c) {
    auto const weights = fluxes::rrtmgp::solar_source(k, {.total_irradiance = total.at(static_cast<std::size_t>(c))});
    columns.solar_weights(c, 1) = weights.quiet;
    columns.solar_weights(c, 2) = weights.facular;
    columns.solar_weights(c, 3) = weights.sunspot;
  }
  return columns;
}

template <class Pair>
struct RrtmgpFluxes : testing::Test {
  using Real = typename Pair::Real;
  static constexpr bool in_double = std::is_same_v<Real, double>;
  /// What rounding may do to a flux of F [W m-2] that is a sum over g-points after sweeps over layers.
  static double rounding(double flux) { return 40 * std::numeric_limits<Real>::epsilon() * flux; }
};
TYPED_TEST_SUITE(RrtmgpFluxes, SpacesAndReals, PairName);

TYPED_TEST(RrtmgpFluxes, LongwaveMatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  auto const& k = reference(true);
  for (std::string const name : {"case_clear_a_lw", "case_fewgases_a_lw"}) {
    PARHELION_REQUIRE_DATA(path, "rrtmgp/" + name + ".nc");
    io::Hdf5File const file(path);
    auto const columns = read_rrtmgp_columns(file);
    auto without_levels = columns;
    without_levels.temperature_lev = decltype(columns.temperature_lev)("lev", columns.temperature_lev.layout());
    fluxes::rrtmgp::interpolate_level_temperatures(without_levels);
    double const most = this->in_double ? 1e-9 : 1e-3;  // 2.5e-4 measured in float
    for (auto const& [run, angles] :
         {std::pair("n1", Angles{1}), std::pair("n2", Angles{2}), std::pair("n3", Angles{3}),
          std::pair("n4", Angles{4}), std::pair("opt", Angles{1, true}), std::pair("notlev", Angles{1})}) {
      std::string const prefix = run + std::string("_");
      bool const has_bands = file.exists(prefix + "band_flux_up");
      auto const mine = solve<TypeParam>(prefix == "notlev_" ? without_levels : columns,
                                         {.k = &k, .gases = gases_of_case(file), .angles = angles},
                                         {.outputs = {.derivative = true, .bands = has_bands}});
      auto const compare = [&](auto const& view, std::string const& what, double tolerance) {
        expect_largest(largest_difference(view, file, prefix + what), tolerance, name + "_" + prefix + what);
      };
      compare(mine.flux_up, "flux_up", most);
      compare(mine.flux_dn, "flux_dn", most);
      if (file.exists(prefix + "flux_up_jacobian"))
        compare(mine.dflux_up_dt, "flux_up_jacobian", this->in_double ? 1e-12 : 1e-4);
      if (!has_bands) continue;
      compare(mine.flux_up_band, "band_flux_up", most);
      compare(mine.flux_dn_band, "band_flux_dn", most);
    }
  }
}

TYPED_TEST(RrtmgpFluxes, ShortwaveMatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-sw-g112.nc");
  auto const& k = reference(false);
  for (std::string const name : {"case_clear_a_sw", "case_fewgases_a_sw"}) {
    PARHELION_REQUIRE_DATA(path, "rrtmgp/" + name + ".nc");
    io::Hdf5File const file(path);
    auto const mine = solve<TypeParam>(read_shortwave(file, k), {.k = &k, .gases = gases_of_case(file)},
                                       {.outputs = {.bands = true}});
    double const most = this->in_double ? 1e-6 : 4e-3;  // 8e-4 measured in float
    auto const compare = [&](auto const& view, std::string const& what) {
      expect_largest(largest_difference(view, file, what), most, name + "_" + what);
    };
    compare(mine.flux_up, "flux_up");
    compare(mine.flux_dn, "flux_dn");
    compare(mine.flux_dn_direct, "flux_dir");
    compare(mine.flux_up_band, "band_flux_up");
    compare(mine.flux_dn_band, "band_flux_dn");
    compare(mine.flux_dn_direct_band, "band_flux_dir");
  }
}

/// Adds the aerosol of a case: types, and um.
template <class AnyColumns>
void read_aerosol(AnyColumns& columns, io::Hdf5File const& file) {
  auto const make = [&](auto& view, char const* name, double factor) {
    using View = std::decay_t<decltype(view)>;
    HostArray<double**> const values(std::string(name), columns.pressure_lay.extent(0), columns.pressure_lay.extent(1));
    fill_from_top(values, file, name);
    view = View(std::string(name), values.extent(0), values.extent(1));
    for (std::size_t i = 0; i < values.size(); ++i)
      view.data()[i] = static_cast<typename View::value_type>(factor * values.data()[i]);
  };
  make(columns.aerosol_type, "aerosol_type", 1);
  make(columns.aerosol_size, "aerosol_size", 1e-6);
  make(columns.aerosol_mass, "aerosol_mass", 1);
  make(columns.relative_humidity, "relative_humidity", 1);
}

/// \brief The clouds of a case, with the mask of its g-points: g m-2 and um.
/// \param clouds of layers
template <class Clouds>
Clouds read_clouds(Clouds clouds, io::Hdf5File const& file) {
  clouds.fraction = {};
  auto const make = [&](auto& view, char const* name, double factor) {
    auto const shape = file.shape(name);
    using View = std::decay_t<decltype(view)>;
    if constexpr (View::rank() == 2)
      view = View(std::string(name), shape[0], shape[1]);
    else
      view = View(std::string(name), shape[0], shape[1], shape[2]);
    fill_from_top(view, file, name);
    for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] *= factor;
  };
  make(clouds.liquid_path, "lwp", 1e-3);
  make(clouds.ice_path, "iwp", 1e-3);
  make(clouds.liquid_size, "rel", 1e-6);
  make(clouds.ice_size, "dei", 1e-6);
  make(clouds.fraction_gpt, "cloud_mask", 1);
  return clouds;
}

/// The tables of particles that a case names.
struct CaseParticles {
  fluxes::rrtmgp::CloudOptics clouds;
  fluxes::rrtmgp::AerosolOptics aerosol;
  int roughness;

  CaseParticles(io::Hdf5File const& file, std::string const& folder)
      : clouds(io::read_rrtmgp_cloud_optics(folder + *file.text_attribute("", "cloud_optics"))),
        aerosol(io::read_rrtmgp_aerosol_optics(folder + *file.text_attribute("", "aerosol_optics"))),
        roughness(static_cast<int>(file.number_attribute("", "ice_roughness")->front())) {}
  fluxes::rrtmgp::Particles particles() const { return {&clouds, &aerosol, roughness}; }
};

TYPED_TEST(RrtmgpFluxes, CloudyLongwaveMatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  auto const& k = reference(true);
  for (std::string const name : {"case_allsky_a_lw", "case_allsky_gpt_a_lw"}) {
    PARHELION_REQUIRE_DATA(path, "rrtmgp/" + name + ".nc");
    io::Hdf5File const file(path);
    CaseParticles const of(file, path.substr(0, path.rfind('/') + 1));
    auto columns = read_rrtmgp_columns(file);
    read_aerosol(columns, file);
    auto const clouds = read_clouds(fluxes::make_layer_clouds<Host, double>(columns.ncol(), columns.nlay()), file);
    struct Run {
      std::string name;
      Angles angles;
      Scattering scattering;
      double most;
    };
    std::vector<Run> const runs{{"abs", {1}, Scattering::none, 1e-9},
                                {"resc", {1}, Scattering::rescaling, 1e-9},
                                {"resc3", {3}, Scattering::rescaling, 1e-9},
                                {"twostr", {1}, Scattering::two_stream, 1e-6}};
    for (auto const& run : runs) {
      LongwaveSetup const setup{.k = &k,
                                .gases = gases_of_case(file),
                                .angles = run.angles,
                                .particles = of.particles(),
                                .scattering = run.scattering};
      auto const mine = fluxes::compute_longwave(columns, clouds, setup, options_of<TypeParam>(HostLongwaveOptions{}));
      double const most = this->in_double ? run.most : 1e-3;
      auto const compare = [&](auto const& view, std::string const& what) {
        expect_largest(largest_difference(view, file, run.name + what), most, name + "_" + run.name + what);
      };
      compare(mine.flux_up, "_flux_up");
      compare(mine.flux_dn, "_flux_dn");
    }
  }
}

TYPED_TEST(RrtmgpFluxes, CloudyShortwaveMatchesTheReference) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-sw-g112.nc");
  auto const& k = reference(false);
  for (std::string const name : {"case_allsky_a_sw", "case_allsky_gpt_a_sw"}) {
    PARHELION_REQUIRE_DATA(path, "rrtmgp/" + name + ".nc");
    io::Hdf5File const file(path);
    CaseParticles const of(file, path.substr(0, path.rfind('/') + 1));
    auto columns = read_shortwave(file, k);
    read_aerosol(columns, file);
    auto const mine = fluxes::compute_shortwave(
        columns, read_clouds(fluxes::make_shortwave_layer_clouds<Host, double>(columns.ncol(), columns.nlay()), file),
        ShortwaveSetup{.k = &k, .gases = gases_of_case(file), .particles = of.particles()},
        options_of<TypeParam>(HostShortwaveOptions{}));
    double const most = this->in_double ? 1e-6 : 4e-3;
    auto const compare = [&](auto const& view, std::string const& what) {
      expect_largest(largest_difference(view, file, what), most, name + "_" + what);
    };
    compare(mine.flux_up, "flux_up");
    compare(mine.flux_dn, "flux_dn");
    compare(mine.flux_dn_direct, "flux_dir");
  }
}

// --- beside the formulas ----------------------------------------------------------------------------------------

/// Optical depths of absorption and the further sums of a column, (layer, g-point).
template <class AnyColumns>
std::vector<std::vector<PlainRrtmgp::Result>> plain_optics(KDistribution const& k, GasSet const& offered,
                                                           AnyColumns const& columns, int c) {
  PlainRrtmgp const plain(k, offered);
  std::vector<std::vector<PlainRrtmgp::Result>> layers;
  for (int l = 0; l < columns.nlay(); ++l) {
    PlainRrtmgp::Layer layer{columns.pressure_lay(c, l),
                             columns.temperature_lay(c, l),
                             columns.pressure_lev(c, l) - columns.pressure_lev(c, l + 1),
                             {}};
    for (auto const& name : k.gases) {
      auto const gas = fluxes::find_gas(name);
      layer.vmr.push_back(gas && offered.contains(*gas) ? columns.vmr(c, static_cast<int>(*gas), l) : 0);
    }
    layers.emplace_back();
    for (int g = 1; g <= k.ngpoint; ++g) layers.back().push_back(plain.at(layer, g));
  }
  return layers;
}

std::vector<int> band_of_gpoints(KDistribution const& k) {
  std::vector<int> band_of;
  for (int b = 0; b < k.nband(); ++b) {
    auto const& band = k.bands[static_cast<std::size_t>(b)];
    band_of.insert(band_of.end(), static_cast<std::size_t>(band.last_gpoint - band.first_gpoint + 1), b);
  }
  return band_of;
}

struct PlainLongwave {
  std::vector<PlainFluxes> gpoints;
  std::vector<double> share, jacobian;  ///< at the levels
};

PlainLongwave plain_fluxes(LongwaveSetup const& setup, HostColumns const& columns, int c) {
  auto const& k = *setup.k;
  auto const optics = plain_optics(k, setup.gases, columns, c);
  PlainRrtmgp const planck(k, setup.gases);
  auto const band_of = band_of_gpoints(k);
  std::size_t const nlay = optics.size();
  PlainLongwave result{{}, std::vector<double>(nlay + 1), std::vector<double>(nlay + 1)};
  double whole = 0;
  for (std::size_t g = 0; g < band_of.size(); ++g) {
    int const b = band_of[g];
    Long const emissivity = columns.emissivity_sfc(c, columns.emissivity_sfc.extent(1) == 1 ? 0 : b);
    auto const fraction = [&](std::size_t l) { return optics[l][g].fraction; };
    auto const level_source = [&](std::size_t l) -> Long {
      return std::sqrt(fraction(l == 0 ? 0 : l - 1) * fraction(std::min(l, nlay - 1))) *
             planck.planck(b + 1, columns.temperature_lev(c, static_cast<int>(l)));
    };
    Long const skin = planck.planck(b + 1, columns.temperature_sfc(c));
    Long const change = planck.planck(b + 1, columns.temperature_sfc(c) + 1) - skin;
    Long depth = 0;
    for (auto const& layer : optics) depth += layer[g].absorption;
    PlainFluxes fluxes{std::vector<double>(nlay + 1), std::vector<double>(nlay + 1), {}};
    for (int a = 0; a < setup.angles.n; ++a) {
      auto const of_fit = static_cast<std::size_t>(2 * b);
      Long const secant = setup.angles.optimal ? k.angle_fit[of_fit] * std::exp(-depth) + k.angle_fit[of_fit + 1]
                                               : 1 / setup.angles.cosine(a);
      std::vector<PlainEmission> layers;
      for (std::size_t l = 0; l < nlay; ++l)
        layers.push_back(
            rte_emission(secant * optics[l][g].absorption,
                         fraction(l) * planck.planck(b + 1, columns.temperature_lay(c, static_cast<int>(l))),
                         level_source(l + 1), level_source(l)));
      double const weight = std::numbers::pi * setup.angles.weight(a);
      auto const of_angle = plain_longwave(layers, emissivity * fraction(0) * skin, emissivity);
      double share = weight * of_angle.up[0];
      double jacobian = weight * static_cast<double>(emissivity * fraction(0) * change);
      whole += share;
      for (std::size_t l = 0; l <= nlay; ++l) {
        fluxes.up[l] += weight * of_angle.up[l];
        fluxes.down[l] += weight * of_angle.down[l];
        result.share[l] += share;
        result.jacobian[l] += jacobian;
        if (l == nlay) break;
        share *= static_cast<double>(layers[l].transmittance);
        jacobian *= static_cast<double>(layers[l].transmittance);
      }
    }
    result.gpoints.push_back(fluxes);
  }
  for (double& share : result.share) share /= whole;
  return result;
}

std::vector<double> uvvis_shares(KDistribution const& k) {
  std::vector<double> shares;
  for (int const b : band_of_gpoints(k)) {
    auto const& band = k.bands[static_cast<std::size_t>(b)];
    double const width = band.wavenumber_high - band.wavenumber_low;
    shares.push_back(std::clamp((band.wavenumber_high - 16000) / width, 0., 1.));
  }
  return shares;
}

std::vector<PlainFluxes> plain_fluxes(ShortwaveSetup const& setup, HostShortwaveColumns const& columns, int c) {
  auto const& k = *setup.k;
  auto const optics = plain_optics(k, setup.gases, columns, c);
  auto const band_of = band_of_gpoints(k);
  auto const shares = uvvis_shares(k);
  double const mu0 = columns.cos_zenith(c);
  std::vector<PlainFluxes> result;
  for (std::size_t g = 0; g < band_of.size(); ++g) {
    int const b = band_of[g];
    std::vector<PlainOperator> layers;
    for (auto const& layer : optics) {
      Long const tau = layer[g].absorption + layer[g].rayleigh;
      layers.push_back(rte_operator(tau, tau > 0 ? layer[g].rayleigh / tau : 0, mu0));
    }
    auto const albedo = [&](auto const& of) {
      std::size_t const n = of.extent(1);
      return n == 1                     ? of(c, 0)
             : n == 2 && k.nband() != 2 ? shares[g] * of(c, 0) + (1 - shares[g]) * of(c, 1)
                                        : of(c, b);
    };
    double const factor = columns.solar_band_factors.size() > 0 ? columns.solar_band_factors(c, b) : 1;
    double const source = columns.solar_weights(c, 1) * k.solar_quiet[g] +
                          columns.solar_weights(c, 2) * k.solar_facular[g] +
                          columns.solar_weights(c, 3) * k.solar_sunspot[g];
    result.push_back(
        plain_shortwave(layers, factor * source * mu0, albedo(columns.albedo_direct), albedo(columns.albedo_diffuse)));
  }
  return result;
}

/// \brief An atmosphere over all of the pressures of a k-distribution, whose temperatures vary and meet both ends.
template <class AnyColumns>
void make_up_atmosphere(AnyColumns const& columns, KDistribution const& k) {
  int const nlay = columns.nlay();
  double const cold = k.temperature.front(), warm = k.temperature.back();
  for (int c = 0; c < columns.ncol(); ++c) {
    Numbers numbers(static_cast<std::uint64_t>(10 + c));
    for (int l = 0; l <= nlay; ++l)
      columns.pressure_lev(c, l) = k.pressure.front() * std::exp(-(7.6 * l + (c == 0 ? 0 : 0.7 * numbers())) / nlay);
    for (int l = 0; l < nlay; ++l) {
      columns.pressure_lay(c, l) =
          std::max(k.pressure.back(), 0.5 * (columns.pressure_lev(c, l) + columns.pressure_lev(c, l + 1)));
      columns.temperature_lay(c, l) = c == 2 && l % 3 == 0   ? cold
                                      : c == 2 && l % 3 == 1 ? warm
                                                             : cold + (0.1 + 0.8 * numbers()) * (warm - cold);
      for (int gas = 0; gas < fluxes::ngas_all; ++gas) columns.vmr(c, gas, l) = numbers.between(1e-9, 1e-4);
      if (c == 1) columns.vmr(c, static_cast<int>(fluxes::Gas::co2), l) = 0;
    }
  }
}

HostColumns made_up_longwave(KDistribution const& k, int ncol, int nlay, int nemis) {
  auto const columns = fluxes::make_columns<Host, double>(ncol, nlay, nemis, false,
                                                          {.ngas = fluxes::ngas_all, .nband = k.nband(), .ngpoint = 0});
  make_up_atmosphere(columns, k);
  for (int c = 0; c < ncol; ++c) {
    for (int l = 0; l <= nlay; ++l)
      columns.temperature_lev(c, l) =
          0.5 * (columns.temperature_lay(c, std::max(l - 1, 0)) + columns.temperature_lay(c, std::min(l, nlay - 1)));
    columns.temperature_sfc(c) = 0.3 * k.temperature.front() + 0.7 * k.temperature.back() + 5.3 * c;
    for (int b = 0; b < nemis; ++b) columns.emissivity_sfc(c, b) = c == 1 ? b % 2 : 1 - 0.15 * c / (1 + b);
  }
  return columns;
}

HostShortwaveColumns made_up_shortwave(KDistribution const& k, int ncol, int nlay, int nalbedo) {
  auto const columns = fluxes::make_shortwave_columns<Host, double>(
      ncol, nlay, nalbedo, {.ngas = fluxes::ngas_all, .nband = k.nband(), .ngpoint = 0});
  make_up_atmosphere(columns, k);
  auto const weights = fluxes::rrtmgp::solar_source(k, {.total_irradiance = 1361, .mg = 0.16, .sb = 0.1});
  for (int c = 0; c < ncol; ++c) {
    columns.cos_zenith(c) = c == 1 ? 1 : 0.01 + 0.22 * c;
    columns.solar_weights(c, 1) = weights.quiet;
    columns.solar_weights(c, 2) = weights.facular;
    columns.solar_weights(c, 3) = weights.sunspot * (1 + c);
    for (int b = 0; b < nalbedo; ++b) {
      columns.albedo_direct(c, b) = c == 1 ? b % 2 : 0.1 * c + 0.1 * b;
      columns.albedo_diffuse(c, b) = c == 1 ? 1 : 0.5 - 0.1 * b;
    }
  }
  return columns;
}

constexpr int many_depths[] = {1, 2, 15, 16, 17, 33, 100};
constexpr fluxes::FluxOutputs all_of_longwave{.clear = true, .derivative = true, .bands = true, .share = true};
constexpr fluxes::ShortwaveOutputs all_of_shortwave{.clear = true, .parts = true, .bands = true};
GasSet const few_gases{fluxes::Gas::h2o, fluxes::Gas::co2, fluxes::Gas::o3, fluxes::Gas::ch4};

TYPED_TEST(RrtmgpFluxes, LongwaveMeetsTheFormulas) {
  auto const k = synthetic_k_distribution(true);
  Largest of_fluxes, of_share, of_jacobian;
  double least_share = 1;
  for (auto const& angles : {Angles{1}, Angles{2}, Angles{3}, Angles{4}, Angles{1, true}})
    for (int const nlay : many_depths)
      for (int const nemis : {1, 5}) {
        // All of the depths with one angle and with that of the fit; of the others some.
        bool const is_first = angles.n == 1 && nemis == 5;
        if (!is_first && nlay != 2 && nlay != 33) continue;
        LongwaveSetup const setup{.k = &k, .gases = nlay == 15 ? few_gases : GasSet::all(), .angles = angles};
        auto const columns = made_up_longwave(k, 3, nlay, nemis);
        auto const mine = solve<TypeParam>(columns, setup, {.outputs = all_of_longwave});
        for (int c = 0; c < columns.ncol(); ++c) {
          auto const plain = plain_fluxes(setup, columns, c);
          least_share = std::min(least_share, plain.share.back());
          compare_longwave(of_fluxes, mine, c, plain.gpoints, band_of_gpoints(k));
          for (int l = 0; l <= nlay; ++l) {
            auto const place = fmt::format("column {}, level {} of {}, {} angles", c, l, nlay, angles.n);
            of_share.add(mine.surface_share(c, l), plain.share[static_cast<std::size_t>(l)], place);
            of_jacobian.add(mine.dflux_up_dt(c, l), plain.jacobian[static_cast<std::size_t>(l)], place);
          }
        }
      }
  EXPECT_GT(least_share, 1e-3) << "the surface is to be seen";
  EXPECT_LT(least_share, 0.5) << "and the air";
  expect_largest(of_fluxes, this->in_double ? 1e-9 : 1e-3, "fluxes");
  expect_largest(of_share, this->in_double ? 1e-12 : 1e-4, "share");
  expect_largest(of_jacobian, this->in_double ? 1e-10 : 1e-3, "jacobian");
}

// What enters at the top is there once, whatever the angles, and is left below as the layers transmit it.
TYPED_TEST(RrtmgpFluxes, IncidentFluxIsTransmitted) {
  auto const k = synthetic_k_distribution(true);
  struct Run {
    Angles angles;
    Scattering scattering;
  };
  std::vector<Run> const runs{{{1}, Scattering::none},      {{3}, Scattering::none},
                              {{4}, Scattering::none},      {{1, true}, Scattering::none},
                              {{2}, Scattering::rescaling}, {{1}, Scattering::two_stream}};
  int const nlay = 33;
  auto columns = made_up_longwave(k, 3, nlay, 1), lit = columns;
  auto const ngpoint = static_cast<std::size_t>(k.ngpoint);
  lit.incident_flux = HostArray<double**>("incident", 3, ngpoint);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t g = 0; g < ngpoint; ++g) lit.incident_flux(c, g) = 1 + static_cast<double>(c * g % 5);
  for (auto const& run : runs) {
    LongwaveSetup const setup{.k = &k, .gases = GasSet::all(), .angles = run.angles, .scattering = run.scattering};
    auto const without = solve<TypeParam>(columns, setup), with = solve<TypeParam>(lit, setup);
    Largest largest;
    for (int c = 0; c < 3; ++c) {
      auto const optics = plain_optics(k, setup.gases, columns, c);
      auto const band_of = band_of_gpoints(k);
      for (int level = 0; level <= nlay; ++level) {
        double expected = 0;
        for (std::size_t g = 0; g < ngpoint; ++g) {
          Long above = 0, all = 0;
          for (int l = 0; l < nlay; ++l) {
            Long const depth = optics[static_cast<std::size_t>(l)][g].absorption;
            all += depth;
            if (l >= level) above += depth;
          }
          auto const of_fit = static_cast<std::size_t>(2 * band_of[g]);
          for (int a = 0; a < setup.angles.n; ++a) {
            constexpr double of_two_streams = 1.65999996662139892578125;
            Long const secant = run.scattering == Scattering::two_stream ? Long(of_two_streams)
                                : setup.angles.optimal ? k.angle_fit[of_fit] * std::exp(-all) + k.angle_fit[of_fit + 1]
                                                       : 1 / setup.angles.cosine(a);
            expected += static_cast<double>(lit.incident_flux(static_cast<std::size_t>(c), g) * setup.angles.weight(a) *
                                            std::exp(-secant * above));
          }
        }
        largest.add(with.flux_dn(c, level) - without.flux_dn(c, level), expected,
                    fmt::format("column {}, level {}, {} angles", c, level, setup.angles.n));
      }
      double top = 0;
      for (std::size_t g = 0; g < ngpoint; ++g) top += lit.incident_flux(static_cast<std::size_t>(c), g);
      largest.add(with.flux_dn(c, nlay), top, "top");
    }
    expect_largest(largest, this->in_double ? 1e-10 : 2e-3, "incident flux");
  }
  lit.incident_flux(2, 3) = -1;
  EXPECT_NE(message_of([&] {
              solve<TypeParam>(lit, LongwaveSetup{.k = &k});
            }).find("incident_flux(2, 3) = -1 W m-2, expected a number of at least 0"),
            std::string::npos);
}

// Above the highest cloud both skies are solved as one, and everywhere in columns without clouds.
TYPED_TEST(RrtmgpFluxes, ClearSkyIsThatWithoutCloudsWhereverTheHighestIs) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/case_allsky_a_lw.nc");
  io::Hdf5File const file(path);
  CaseParticles const of(file, path.substr(0, path.rfind('/') + 1));
  auto const columns = read_rrtmgp_columns(file);
  int const ncol = columns.ncol(), nlay = columns.nlay();
  LongwaveSetup const setup{.k = &reference(true), .gases = gases_of_case(file), .particles = of.particles()};
  auto const options = options_of<TypeParam>(HostLongwaveOptions{.outputs = {.clear = true, .derivative = true}});
  auto const clear = fluxes::compute_longwave(columns, setup, options);
  double const most = this->in_double ? 1e-10 : 1e-3;
  for (int highest = 0; highest < nlay; ++highest) {
    // Of each two columns the second has no cloud.
    auto const clouds = fluxes::make_layer_clouds<Host, double>(ncol, nlay);
    parhelion::assign_array(clouds.liquid_size, of.clouds.liquid.largest);
    parhelion::assign_array(clouds.ice_size, of.clouds.ice.largest);
    for (int c = 0; c < ncol; c += 2) {
      clouds.fraction(c, highest) = 0.7;
      clouds.liquid_path(c, highest) = 0.05;
    }
    auto const cloudy = fluxes::compute_longwave(columns, clouds, setup, options);
    for (int c = 0; c < ncol; ++c) {
      for (int l = 0; l <= nlay; ++l) {
        auto const place = fmt::format("cloud in layer {}, column {}, level {}", highest, c, l);
        EXPECT_NEAR(cloudy.flux_up_clear(c, l), clear.flux_up(c, l), most) << place;
        EXPECT_NEAR(cloudy.flux_dn_clear(c, l), clear.flux_dn(c, l), most) << place;
        EXPECT_NEAR(cloudy.dflux_up_clear_dt(c, l), clear.dflux_up_dt(c, l), most) << place;
        if (c % 2 == 1) {
          EXPECT_EQ(cloudy.flux_up(c, l), cloudy.flux_up_clear(c, l)) << place;
        }
        if (c % 2 == 1 || l > highest) {
          EXPECT_EQ(cloudy.flux_dn(c, l), cloudy.flux_dn_clear(c, l)) << place;
        }
      }
      if (c % 2 == 0) {
        EXPECT_GT(cloudy.flux_dn(c, highest), cloudy.flux_dn_clear(c, highest) + 1e-3) << highest;
      }
    }
  }
}

// Sizes of particles beyond the tables follow the option: refused, or those at the end of the tables.
TYPED_TEST(RrtmgpFluxes, SizesBeyondTheTablesAreClippedOnDemand) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmgp/synthetic-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(path, "rrtmgp/case_allsky_a_lw.nc");
  auto const& k = reference(true);
  io::Hdf5File const file(path);
  CaseParticles const of(file, path.substr(0, path.rfind('/') + 1));
  auto columns = read_rrtmgp_columns(file);
  read_aerosol(columns, file);
  auto const clouds = read_clouds(fluxes::make_layer_clouds<Host, double>(columns.ncol(), columns.nlay()), file);
  LongwaveSetup const setup{.k = &k, .gases = gases_of_case(file), .particles = of.particles()};
  auto const compute = [&](OutOfRange what, fluxes::HostLongwaveReport* report = nullptr) {
    return fluxes::compute_longwave(columns, clouds, setup,
                                    options_of<TypeParam>(HostLongwaveOptions{.out_of_range = what}), report);
  };
  // Of everything that has a size the same: the largest of the tables, and far beyond.
  auto const set = [&](double factor) {
    parhelion::assign_array(clouds.liquid_size, factor * of.clouds.liquid.largest);
    parhelion::assign_array(clouds.ice_size, factor * of.clouds.ice.largest);
    parhelion::assign_array(columns.aerosol_size, factor * of.aerosol.sizes().largest);
  };
  set(1);
  auto const expected = compute(OutOfRange::refuse);
  set(3);
  EXPECT_NE(message_of([&] { compute(OutOfRange::refuse); }).find("aerosol_size("), std::string::npos);
  fluxes::HostLongwaveReport report;
  expect_same_columns(expected, compute(OutOfRange::clip, &report), "clipped");
  EXPECT_GT(report.clipped.sizes, 0);
  ASSERT_EQ(report.out_of_range.size(), 1U);
  EXPECT_EQ(report.out_of_range[0].first, "aerosol_size");
}

TYPED_TEST(RrtmgpFluxes, TheExtraLayerIsOneOfTheTables) {
  auto const k = synthetic_k_distribution(true);
  auto const columns = made_up_longwave(k, 2, 12, 1);
  LongwaveSetup const setup{.k = &k};
  for (int c = 0; c < 2; ++c)
    for (int l = 0; l <= 12; ++l) {
      columns.pressure_lev(c, l) = k.pressure.front() * std::pow(4 * k.pressure.back() / k.pressure.front(), l / 12.);
      if (l > 0) columns.pressure_lay(c, l - 1) = 0.5 * (columns.pressure_lev(c, l) + columns.pressure_lev(c, l - 1));
    }
  auto const f = solve<TypeParam>(columns, setup, {.extra_layer = true});
  EXPECT_GT(f.flux_dn(0, 12), 0);
  columns.pressure_lev(1, 12) = 1.5 * k.pressure.back();
  EXPECT_NE(message_of([&] {
              solve<TypeParam>(columns, setup, {.extra_layer = true});
            }).find("extra layer: column 1 ends at"),
            std::string::npos);
}

TYPED_TEST(RrtmgpFluxes, ShortwaveMeetsTheFormulas) {
  auto const k = synthetic_k_distribution(false);
  Largest largest;
  for (int const nlay : many_depths)
    for (int const nalbedo : {1, 2, 5}) {
      if (nalbedo != 2 && nlay != 17) continue;
      ShortwaveSetup const setup{.k = &k, .gases = nlay == 15 ? few_gases : GasSet::all()};
      auto columns = made_up_shortwave(k, 3, nlay, nalbedo);
      if (nalbedo == 5) {
        columns.solar_band_factors = HostArray<double**>("factors", 3, 5);
        for (int i = 0; i < 15; ++i) columns.solar_band_factors.data()[i] = 0.9 + 0.02 * i;
      }
      auto const mine = solve<TypeParam>(columns, setup, {.outputs = all_of_shortwave});
      for (int c = 0; c < columns.ncol(); ++c)
        compare_shortwave(largest, mine, c, plain_fluxes(setup, columns, c), band_of_gpoints(k), uvvis_shares(k));
    }
  expect_largest(largest, this->in_double ? 1e-9 : 4e-3, "fluxes");
}

// Two albedos are then those of the bands, and not of two ranges of wavenumbers.
TYPED_TEST(RrtmgpFluxes, ShortwaveOfTwoBandsHasTheirAlbedos) {
  auto const k = k_distribution_of_two_bands(false);
  ASSERT_EQ(k.nband(), 2);
  ShortwaveSetup const setup{.k = &k};
  auto const columns = made_up_shortwave(k, 3, 17, 2);
  auto const mine = solve<TypeParam>(columns, setup, {.outputs = all_of_shortwave});
  Largest largest;
  for (int c = 0; c < columns.ncol(); ++c)
    compare_shortwave(largest, mine, c, plain_fluxes(setup, columns, c), band_of_gpoints(k), uvvis_shares(k));
  expect_largest(largest, this->in_double ? 1e-9 : 4e-3, "fluxes");
}

// Layers see the sun at least 2^-26 above the horizon, and the light that enters is that of the true angle.
TYPED_TEST(RrtmgpFluxes, TheLowestSunIsThatOfTheModel) {
  auto const k = synthetic_k_distribution(false);
  ShortwaveSetup const setup{.k = &k};
  auto const columns = made_up_shortwave(k, 1, 1, 1);
  columns.cos_zenith(0) = 2e-9;
  columns.pressure_lay(0, 0) = columns.pressure_lev(0, 0) = 1e4;
  columns.pressure_lev(0, 1) = 1e4 - 0x1p-10;  // of an optical depth similar to that cosine
  auto const mine = solve<TypeParam>(columns, setup);
  auto const optics = plain_optics(k, setup.gases, columns, 0);
  double top = 0, bottom = 0;
  for (std::size_t g = 0; g < optics[0].size(); ++g) {
    double const light =
        2e-9 * (columns.solar_weights(0, 1) * k.solar_quiet[g] + columns.solar_weights(0, 2) * k.solar_facular[g] +
                columns.solar_weights(0, 3) * k.solar_sunspot[g]);
    top += light;
    bottom += light * static_cast<double>(std::exp(-(optics[0][g].absorption + optics[0][g].rayleigh) / 0x1p-26L));
  }
  ASSERT_GT(bottom, 1e-3 * top);
  ASSERT_LT(bottom, 0.999 * top);
  double const rounding = this->in_double ? 1e-8 : 1e-4;
  EXPECT_NEAR(mine.flux_dn_direct(0, 1) / top, 1, rounding);
  EXPECT_NEAR(mine.flux_dn_direct(0, 0) / bottom, 1, rounding);
}

// --- properties -------------------------------------------------------------------------------------------------

/// Optics of aerosol of which all types absorb alike and do not scatter.
fluxes::rrtmgp::AerosolOptics absorbing_aerosol(KDistribution const& k, double extinction) {
  fluxes::rrtmgp::AerosolOptics optics;
  for (auto const& band : k.bands) {
    optics.bands.wavenumbers.push_back(band.wavenumber_low);
    optics.bands.wavenumbers.push_back(band.wavenumber_high);
  }
  optics.bin_limits = {1e-7, 1e-5};
  optics.humidity = {0, 1};
  auto const table = [&](std::size_t entries) {
    std::vector<double> values(3 * entries * k.bands.size());
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = extinction;
    return values;
  };
  optics.dust = optics.black_carbon_hydrophobic = optics.organic_carbon_hydrophobic = table(1);
  optics.sea_salt = optics.sulfate = optics.black_carbon_hydrophilic = optics.organic_carbon_hydrophilic = table(2);
  return optics;
}

// The secant is a fit by the optical depths of gases, which aerosol does not change.
TYPED_TEST(RrtmgpFluxes, OptimalAnglesAreThoseOfGasesAlone) {
  auto const k = synthetic_k_distribution(true);
  constexpr double extinction = 400, mass = 1e-4;  // [m2 kg-1], [kg m-2]
  auto const aerosol = absorbing_aerosol(k, extinction);
  LongwaveSetup const setup{.k = &k, .angles = {1, true}, .particles = {.aerosol = &aerosol}};
  auto columns = made_up_longwave(k, 3, 20, 1);
  columns.aerosol_type = HostArray<int**>("type", 3, 20);
  columns.aerosol_size = HostArray<double**>("size", 3, 20);
  columns.aerosol_mass = HostArray<double**>("mass", 3, 20);
  columns.relative_humidity = HostArray<double**>("humidity", 3, 20);
  parhelion::assign_array(columns.aerosol_type,
                          static_cast<int>(fluxes::rrtmgp::AerosolType::black_carbon_hydrophobic));
  parhelion::assign_array(columns.aerosol_mass, mass);
  auto lit = columns;
  auto const ngpoint = static_cast<std::size_t>(k.ngpoint);
  lit.incident_flux = HostArray<double**>("incident", 3, ngpoint);
  parhelion::assign_array(lit.incident_flux, 1);
  for (auto const scattering : {Scattering::none, Scattering::rescaling}) {
    auto with = setup;
    with.scattering = scattering;
    auto const dark_fluxes = solve<TypeParam>(columns, with), lit_fluxes = solve<TypeParam>(lit, with);
    Largest largest;
    for (int c = 0; c < 3; ++c) {
      auto const optics = plain_optics(k, setup.gases, columns, c);
      auto const band_of = band_of_gpoints(k);
      double expected = 0;
      for (std::size_t g = 0; g < ngpoint; ++g) {
        Long gases = 0;
        for (auto const& layer : optics) gases += layer[g].absorption;
        auto const of_fit = static_cast<std::size_t>(2 * band_of[g]);
        Long const secant = k.angle_fit[of_fit] * std::exp(-gases) + k.angle_fit[of_fit + 1];
        expected += static_cast<double>(std::exp(-secant * (gases + 20 * mass * extinction)));
      }
      largest.add(lit_fluxes.flux_dn(c, 0) - dark_fluxes.flux_dn(c, 0), expected, fmt::format("column {}", c));
    }
    expect_largest(largest, this->in_double ? 1e-10 : 2e-3, "what passes the atmosphere");
  }
}

TYPED_TEST(RrtmgpFluxes, AreTheSameHoweverTheWorkIsDivided) {
  auto const of_longwave = synthetic_k_distribution(true), of_shortwave = synthetic_k_distribution(false);
  for (int const nlay : {1, 37}) {
    for (auto const& angles : {Angles{3}, Angles{1, true}})
      expect_same_however_divided<HostLongwaveOptions>(
          made_up_longwave(of_longwave, 5, nlay, 5), [&](HostColumns const& columns, HostLongwaveOptions options) {
            options.outputs = all_of_longwave;
            return solve<TypeParam>(columns, {.k = &of_longwave, .angles = angles}, options);
          });
    expect_same_however_divided<HostShortwaveOptions>(
        made_up_shortwave(of_shortwave, 5, nlay, 5),
        [&](HostShortwaveColumns const& columns, HostShortwaveOptions options) {
          options.outputs = all_of_shortwave;
          return solve<TypeParam>(columns, {.k = &of_shortwave}, options);
        });
  }
}

TYPED_TEST(RrtmgpFluxes, WhatIsAskedForDoesNotChangeTheRest) {
  auto const k = synthetic_k_distribution(false);
  auto const columns = made_up_shortwave(k, 4, 17, 2);
  auto const all = solve<TypeParam>(columns, ShortwaveSetup{.k = &k}, {.outputs = all_of_shortwave});
  for (auto const& [what, outputs] : selections_of_shortwave())
    expect_part_of(all, solve<TypeParam>(columns, ShortwaveSetup{.k = &k}, {.outputs = outputs}), what);
}

TYPED_TEST(RrtmgpFluxes, OneThreadGivesTheSame) {
  using Space = typename TypeParam::ExecutionSpace;
  if constexpr (runs_on_host<Space> && std::is_constructible_v<Space, int>) {
    Space const one(1);
    auto const of_longwave = synthetic_k_distribution(true), of_shortwave = synthetic_k_distribution(false);
    fluxes::ModelSizes const sizes{.nband = 5};
    auto const columns = made_up_longwave(of_longwave, 5, 20, 1);
    LongwaveSetup const setup{.k = &of_longwave, .angles = {2}};
    HostLongwaveOptions const options{.outputs = all_of_longwave};
    auto const alone = fluxes::make_fluxes<Host, double>(5, 20, all_of_longwave, sizes);
    fluxes::HostLongwave<double>(one, 5, 20, {}, false, setup, options_of<TypeParam>(options))
        .compute(columns, fluxes::HostClouds(), alone);
    expect_same_columns(solve<TypeParam>(columns, setup, options), alone, "one thread");

    auto const sunlit = made_up_shortwave(of_shortwave, 5, 20, 1);
    ShortwaveSetup const of_sun{.k = &of_shortwave};
    HostShortwaveOptions const sun_options{.outputs = all_of_shortwave};
    auto const lit = fluxes::make_shortwave_fluxes<Host, double>(5, 20, all_of_shortwave, sizes);
    fluxes::HostShortwave<double>(one, 5, 20, {}, {}, of_sun, options_of<TypeParam>(sun_options))
        .compute(sunlit, fluxes::HostShortwaveClouds(), lit);
    expect_same_columns(solve<TypeParam>(sunlit, of_sun, sun_options), lit, "one thread");
  }
}

TYPED_TEST(RrtmgpFluxes, AddUpAndHeat) {
  auto const of_longwave = synthetic_k_distribution(true), of_shortwave = synthetic_k_distribution(false);
  auto const columns = made_up_longwave(of_longwave, 4, 30, 5);
  auto const longwave = solve<TypeParam>(columns, {.k = &of_longwave, .angles = {2}}, {.outputs = all_of_longwave});
  expect_sums(longwave, this->rounding(2000));
  expect_heating_of_divergence(columns, longwave, this->rounding(2000));
  auto const sunlit = made_up_shortwave(of_shortwave, 4, 30, 5);
  auto const shortwave = solve<TypeParam>(sunlit, {.k = &of_shortwave}, {.outputs = all_of_shortwave});
  expect_sums(shortwave, this->rounding(1400));
  expect_heating_of_divergence(sunlit, shortwave, this->rounding(1400));
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(longwave.flux_dn(c, 30), 0);
    EXPECT_EQ(longwave.surface_share(c, 0), 1);
    EXPECT_EQ(shortwave.flux_dn(c, 30), shortwave.flux_dn_direct(c, 30));
    for (int l = 0; l <= 30; ++l) {
      EXPECT_EQ(longwave.flux_up_clear(c, l), longwave.flux_up(c, l));
      EXPECT_EQ(shortwave.flux_up_clear(c, l), shortwave.flux_up(c, l));
    }
  }
}

// RRTMGP's derivative is the change for a skin that is 1 K warmer.
TYPED_TEST(RrtmgpFluxes, DerivativeIsTheChangeOfTheUpwardFlux) {
  auto const k = synthetic_k_distribution(true);
  auto const columns = made_up_longwave(k, 3, 20, 5);
  for (auto const& angles : {Angles{1}, Angles{4}, Angles{1, true}}) {
    LongwaveSetup const setup{.k = &k, .angles = angles};
    auto const here = solve<TypeParam>(columns, setup, {.outputs = {.derivative = true}});
    auto warmer = columns;
    warmer.temperature_sfc = HostArray<double*>("sfc", 3);
    for (int c = 0; c < 3; ++c) warmer.temperature_sfc(c) = columns.temperature_sfc(c) + 1;
    auto const there = solve<TypeParam>(warmer, setup);
    for (int c = 0; c < 3; ++c)
      for (int l = 0; l <= 20; ++l)
        EXPECT_NEAR(here.dflux_up_dt(c, l), there.flux_up(c, l) - here.flux_up(c, l), this->rounding(2000))
            << "column " << c << ", level " << l;
  }
}

TYPED_TEST(RrtmgpFluxes, NightIsDark) {
  auto const k = synthetic_k_distribution(false);
  auto const columns = made_up_shortwave(k, 4, 18, 5);
  columns.cos_zenith(1) = 0;
  columns.cos_zenith(2) = -0.7;
  auto const f = solve<TypeParam>(columns, {.k = &k}, {.outputs = all_of_shortwave});
  expect_zero(f, 1);
  expect_zero(f, 2);
  EXPECT_GT(f.flux_dn(3, 18), 0);
}

TYPED_TEST(RrtmgpFluxes, AirThatDoesNothingDoesNothing) {
  int const nlay = 33;
  for (bool const longwave : {true, false})
    for (bool const scatters : {false, true}) {
      auto k = synthetic_k_distribution(longwave);
      std::fill(k.major.begin(), k.major.end(), 0.);
      for (auto& minor : k.minor) std::fill(minor.coefficients.begin(), minor.coefficients.end(), 0.);
      if (longwave) {
        if (scatters) continue;
        auto const f = solve<TypeParam>(made_up_longwave(k, 3, nlay, 1), {.k = &k, .angles = {3}});
        for (int c = 0; c < 3; ++c)
          for (int l = 0; l <= nlay; ++l) {
            EXPECT_EQ(f.flux_dn(c, l), 0);
            EXPECT_EQ(f.flux_up(c, l), f.flux_up(c, 0));
            if (l < nlay) {
              EXPECT_EQ(f.heating_rate(c, l), 0);
            }
          }
        continue;
      }
      if (!scatters)
        for (auto& half : k.rayleigh) std::fill(half.begin(), half.end(), 0.);
      auto const columns = made_up_shortwave(k, 3, nlay, 1);
      auto const f = solve<TypeParam>(columns, {.k = &k});
      for (int c = 0; c < 3; ++c) {
        double const sun = f.flux_dn(c, nlay);
        EXPECT_GT(sun, 0);
        for (int l = 0; l <= nlay; ++l) {
          double const net = f.flux_dn(c, l) - f.flux_up(c, l);
          EXPECT_NEAR(net, f.flux_dn(c, 0) - f.flux_up(c, 0), nlay * this->rounding(sun) / 10) << "nothing absorbs";
          if (scatters) continue;
          EXPECT_NEAR(f.flux_dn(c, l), sun, this->rounding(sun));
          EXPECT_NEAR(f.flux_up(c, l), columns.albedo_direct(c, 0) * sun, this->rounding(sun));
        }
      }
    }
}

// With the same Planck fractions everywhere, air as warm as the surface sends up what the surface emits.
TYPED_TEST(RrtmgpFluxes, IsothermalAirIsABlackBody) {
  auto k = synthetic_k_distribution(true);
  for (std::size_t i = 0; i < k.planck_fraction.size(); ++i)
    k.planck_fraction[i] = 0.02 * static_cast<double>(1 + i % static_cast<std::size_t>(k.ngpoint));
  auto const columns = made_up_longwave(k, 3, 50, 1);
  parhelion::assign_array(columns.temperature_lay, 243.);
  parhelion::assign_array(columns.temperature_lev, 243.);
  parhelion::assign_array(columns.temperature_sfc, 243.);
  parhelion::assign_array(columns.emissivity_sfc, 1.);
  for (auto const& angles : {Angles{1}, Angles{4}, Angles{1, true}}) {
    auto const f = solve<TypeParam>(columns, {.k = &k, .angles = angles});
    for (int c = 0; c < 3; ++c)
      for (int l = 0; l <= 50; ++l) EXPECT_NEAR(f.flux_up(c, l), f.flux_up(c, 0), this->rounding(f.flux_up(c, 0)));
  }
}

TYPED_TEST(RrtmgpFluxes, DeepColumnsAreSolved) {
  auto const of_longwave = synthetic_k_distribution(true), of_shortwave = synthetic_k_distribution(false);
  auto const deep = solve<TypeParam>(made_up_longwave(of_longwave, 2, 700, 1), {.k = &of_longwave, .angles = {4}});
  auto const lit = solve<TypeParam>(made_up_shortwave(of_shortwave, 2, 700, 1), {.k = &of_shortwave});
  for (int c = 0; c < 2; ++c) {
    EXPECT_EQ(deep.flux_dn(c, 700), 0);
    EXPECT_GT(deep.flux_up(c, 700), 0);
    EXPECT_GT(lit.flux_dn(c, 700), lit.flux_up(c, 700));
  }
}

// --- what calls take ---------------------------------------------------------------------------------------------

TYPED_TEST(RrtmgpFluxes, RefusesWhatItCannotCompute) {
  auto const of_longwave = synthetic_k_distribution(true), of_shortwave = synthetic_k_distribution(false);
  auto const refusal = [&](auto const& columns, auto const& setup) {
    return message_of([&] { solve<TypeParam>(columns, setup); });
  };
  LongwaveSetup const longwave{.k = &of_longwave};
  auto const columns = made_up_longwave(of_longwave, 2, 3, 1);
  EXPECT_EQ(refusal(columns, longwave), "(no parhelion::Error)");
  EXPECT_NE(refusal(columns, LongwaveSetup{.k = &of_shortwave}).find("of the shortwave"), std::string::npos);
  EXPECT_NE(refusal(made_up_longwave(of_longwave, 2, 3, 16), longwave).find("emissivity_sfc has shape (2, 16)"),
            std::string::npos);
  auto few = columns;
  few.vmr = HostArray<double***>("few", 2, fluxes::ngas, 3);
  EXPECT_NE(refusal(few, longwave).find("vmr has shape (2, 11, 3)"), std::string::npos);

  ShortwaveSetup const shortwave{.k = &of_shortwave};
  EXPECT_EQ(refusal(made_up_shortwave(of_shortwave, 2, 3, 2), shortwave), "(no parhelion::Error)");
  EXPECT_NE(refusal(made_up_shortwave(of_shortwave, 2, 3, 14), shortwave).find("albedo_direct has 14 albedos"),
            std::string::npos);
}

TYPED_TEST(RrtmgpFluxes, RangesAreThoseOfTheTables) {
  auto const k = synthetic_k_distribution(true);
  LongwaveSetup const setup{.k = &k};
  auto const within = made_up_longwave(k, 3, 9, 1), columns = made_up_longwave(k, 3, 9, 1);
  within.temperature_lay(1, 4) = k.temperature.back();
  auto const expected = solve<TypeParam>(within, setup);
  columns.temperature_lay(1, 4) = k.temperature.back() + 5;
  auto const message = message_of([&] { solve<TypeParam>(columns, setup); });
  EXPECT_NE(message.find("temperature_lay(1, 4) = 325 K"), std::string::npos) << message;
  expect_same_columns(expected, solve<TypeParam>(columns, setup, {.out_of_range = OutOfRange::clip}), "clipped");
  auto const beyond = solve<TypeParam>(columns, setup, {.out_of_range = OutOfRange::extrapolate});
  EXPECT_NE(beyond.flux_dn(1, 4), expected.flux_dn(1, 4));
  EXPECT_EQ(beyond.flux_dn(0, 0), expected.flux_dn(0, 0));
}

TYPED_TEST(RrtmgpFluxes, ArraysOnADeviceGiveTheSame) {
  using Space = typename TypeParam::ExecutionSpace;
  Space const space;
  int const ncol = 4, nlay = 12;
  fluxes::ModelSizes const sizes{.nband = 5};
  auto const of_longwave = synthetic_k_distribution(true), of_shortwave = synthetic_k_distribution(false);
  LongwaveSetup const longwave_setup{.k = &of_longwave, .angles = {3}};
  auto const columns = made_up_longwave(of_longwave, ncol, nlay, 5);
  auto const options = options_of<TypeParam>(HostLongwaveOptions{.outputs = all_of_longwave});
  fluxes::DeviceLongwave<Space> longwave(space, 3, nlay, {}, false, longwave_setup, options);
  expect_same_columns(
      solve<TypeParam>(columns, longwave_setup, options),
      solve_on_device<fluxes::LongwaveArrays>(space, longwave, columns,
                                              fluxes::make_fluxes<Host, double>(ncol, nlay, all_of_longwave, sizes)),
      "longwave");
  ShortwaveSetup const shortwave_setup{.k = &of_shortwave};
  auto const sunlit = made_up_shortwave(of_shortwave, ncol, nlay, 5);
  auto const of_sun = options_of<TypeParam>(HostShortwaveOptions{.outputs = all_of_shortwave});
  fluxes::DeviceShortwave<Space> shortwave(space, 3, nlay, {}, {}, shortwave_setup, of_sun);
  expect_same_columns(
      solve<TypeParam>(sunlit, shortwave_setup, of_sun),
      solve_on_device<fluxes::ShortwaveArrays>(
          space, shortwave, sunlit, fluxes::make_shortwave_fluxes<Host, double>(ncol, nlay, all_of_shortwave, sizes)),
      "shortwave");
}

}  // namespace
