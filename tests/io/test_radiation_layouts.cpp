// SPDX-License-Identifier: BSD-3-Clause
// Atmosphere files in the layouts of ecRad, CKDMIP and RTE+RRTMGP, and what the models of gas optics ask of any layout.
#include <parhelion/io/radiation_files.hpp>

#include "radiation_testing.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;
using io::GasOpticsModel;

namespace {

constexpr std::size_t ncolumn = 3, nlayer = 4, nlevel = 5;

std::vector<double> ramp(std::size_t size, double first, double step) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = first + step * static_cast<double>(i);
  return values;
}

// Pressure [Pa] of half levels that are counted from the top, of which layer centres are odd.
double pressure(std::size_t c, std::size_t half_levels) {
  return 500. * (1. + 0.01 * static_cast<double>(c)) * std::exp(0.6 * static_cast<double>(half_levels));
}

// ecRad's layout: 3 columns, 4 layers, top first; gases of ecCKD.
SyntheticFile ecrad_file(std::string const& suffix = "") {
  SyntheticFile file;
  Variable levels{{ncolumn, nlevel}, std::vector<double>(ncolumn * nlevel), {{"units", "Pa"}}};
  for (std::size_t c = 0; c < ncolumn; ++c)
    for (std::size_t k = 0; k < nlevel; ++k) levels(c, k) = pressure(c, 2 * k);
  file.variables["pressure_hl"] = levels;
  file.variables["temperature_hl"] = {{ncolumn, nlevel}, ramp(ncolumn * nlevel, 220., 3.), {{"units", "K"}}};
  double scale = 1e-6;
  for (char const* const name : {"h2o", "o3", "co2", "ch4", "n2o", "cfc11", "cfc12"}) {
    file.variables[name + std::string("_mole_fraction") + suffix] = {
        {ncolumn, nlayer}, ramp(ncolumn * nlayer, scale, 0.01 * scale), {{"units", "1"}}};
    scale *= 1.5;
  }
  if (!suffix.empty()) return file;
  file.variables["skin_temperature"] = {{ncolumn}, {290., 291., 292.}, {{"units", "K"}}};
  file.variables["lw_emissivity"] = {{ncolumn}, {0.9, 0.95, 1.}, {{"units", "1"}}};
  file.variables["sw_albedo"] = {{ncolumn}, {0.1, 0.2, 0.3}, {{"units", "1"}}};
  file.variables["cos_solar_zenith_angle"] = {{ncolumn}, {0.5, -0.1, 1.}, {{"units", "1"}}};
  file.variables["total_solar_irradiance"] = {{}, {1361.}, {{"units", "W m-2"}}};
  return file;
}

// RTE+RRTMGP's layout, with all gases of RRTMG and some others.
SyntheticFile rte_file() {
  SyntheticFile file;
  Variable levels{{ncolumn, nlevel}, std::vector<double>(ncolumn * nlevel), {{"units", "Pa"}}};
  Variable layers{{ncolumn, nlayer}, std::vector<double>(ncolumn * nlayer), {{"units", "Pa"}}};
  for (std::size_t c = 0; c < ncolumn; ++c) {
    for (std::size_t k = 0; k < nlevel; ++k) levels(c, k) = pressure(c, 2 * k);
    for (std::size_t k = 0; k < nlayer; ++k) layers(c, k) = pressure(c, 2 * k + 1);
  }
  file.variables["plev"] = levels;
  file.variables["play"] = layers;
  file.variables["tlev"] = {{ncolumn, nlevel}, ramp(ncolumn * nlevel, 220., 3.), {{"units", "K"}}};
  file.variables["tlay"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 221., 3.), {{"units", "K"}}};
  file.variables["tsfc"] = {{ncolumn}, {290., 291., 292.}, {{"units", "K"}}};
  file.variables["emissivity"] = {{ncolumn, 16}, ramp(ncolumn * 16, 0.5, 0.01), {{"units", "1"}}};
  file.variables["albedo_direct"] = {{ncolumn, 14}, ramp(ncolumn * 14, 0.1, 0.01), {{"units", "1"}}};
  file.variables["albedo_diffuse"] = {{ncolumn, 14}, ramp(ncolumn * 14, 0.2, 0.01), {{"units", "1"}}};
  file.variables["mu0"] = {{ncolumn}, {0.5, -0.1, 1.}, {{"units", "1"}}};
  file.variables["total_solar_irradiance"] = {{ncolumn}, {1361., 0., 1400.}, {{"units", "W m-2"}}};
  double scale = 1e-6;
  for (char const* const name : {"h2o", "co2", "o3", "n2o", "co", "ch4", "o2", "n2", "ccl4", "cfc11", "cfc12", "cfc22",
                                 "hfc125", "cf4", "no2"}) {
    file.variables[std::string("vmr_") + name] = {
        {ncolumn, nlayer}, ramp(ncolumn * nlayer, scale, 0.01 * scale), {{"units", "mol mol-1"}}};
    scale *= 1.5;
  }
  return file;
}

void add_rte_clouds(SyntheticFile& file, std::size_t ngpt) {
  file.variables["lwp"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 0., 10.), {{"units", "g m-2"}}};
  file.variables["iwp"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 110., -10.), {{"units", "g m-2"}}};
  file.variables["rel"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 5., 1.), {{"units", "um"}}};
  file.variables["dei"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 40., 2.), {{"units", "um"}}};
  if (ngpt == 0) return;
  Variable mask{
      {ncolumn, nlayer, ngpt}, std::vector<double>(ncolumn * nlayer * ngpt), {{"units", "1"}}, {}, Stored::int8};
  for (std::size_t i = 0; i < mask.values.size(); ++i) mask.values[i] = i % 3 == 0 ? 1. : 0.;
  file.variables["cloud_mask"] = mask;
}

void add_rte_aerosol(SyntheticFile& file) {
  file.variables["aerosol_type"] = {
      {ncolumn, nlayer}, {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3}, {{"units", "1"}}, {}, Stored::int8};
  file.variables["aerosol_size"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 0.5, 0.5), {{"units", "um"}}};
  file.variables["aerosol_mass"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 0., 1e-6), {{"units", "kg m-2"}}};
  file.variables["relative_humidity"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 0., 0.05), {{"units", "1"}}};
}

std::vector<Gas> gases_of(std::vector<std::string> const& names) {
  std::vector<Gas> gases;
  for (auto const& name : names) gases.push_back(*fluxes::find_gas(name));
  return gases;
}

// What models ask for, with sizes of their own.
io::RadiationOptions for_ecckd(bool longwave, bool shortwave) {
  io::RadiationOptions options{.longwave = longwave, .shortwave = shortwave, .model = GasOpticsModel::ecckd};
  options.longwave_needs = {gases_of({"h2o", "o3", "co2", "ch4", "n2o", "cfc11", "cfc12"}), {}, 1, 32, true};
  options.shortwave_needs = {gases_of({"h2o", "o3", "co2", "ch4", "n2o"}), {}, 5, 32, true};
  options.validity = {
      .temperature = {100, 400}, .pressure = {0, 1e6}, .vmr = {0, 1}, .low_pressure = 0, .lowest_temperature = 100};
  return options;
}

io::RadiationOptions for_rrtmgp(bool longwave, bool shortwave) {
  io::RadiationOptions options{.longwave = longwave, .shortwave = shortwave, .model = GasOpticsModel::rrtmgp};
  auto const further = gases_of(
      {"co", "n2", "ccl4", "cfc11", "cfc12", "cfc22", "hfc143a", "hfc125", "hfc23", "hfc32", "hfc134a", "cf4", "no2"});
  options.longwave_needs = {gases_of({"h2o", "co2", "o3", "n2o", "ch4", "o2"}), further, 16, 128};
  options.shortwave_needs = {gases_of({"h2o", "co2", "o3", "ch4", "o2"}), further, 14, 112};
  options.validity = {
      .temperature = {160, 355}, .pressure = {1, 110000}, .vmr = {0, 1}, .low_pressure = 0, .lowest_temperature = 160};
  options.validity.level_pressure = ValidRange{0, 1e9};
  options.validity.particle_sizes = fluxes::ParticleSizes{{2.5e-6, 21.5e-6}, {10e-6, 180e-6}, {0, 1e-5}};
  options.cloud_optics = options.aerosol_optics = true;
  return options;
}

int index(Gas gas) { return static_cast<int>(gas); }

}  // namespace

// --- ecRad and CKDMIP ---

TEST(RadiationLayouts, EcradForEcckd) {
  auto source = ecrad_file();
  auto const input = read(source, for_ecckd(true, true));
  EXPECT_EQ(input.layout, io::RadiationLayout::ecrad);
  EXPECT_TRUE(input.top_first);
  EXPECT_TRUE(input.level_temperatures);
  EXPECT_EQ(input.gases, gases_of({"h2o", "co2", "o3", "n2o", "ch4", "cfc11", "cfc12"}));
  auto const& columns = input.columns;
  ASSERT_EQ(columns.ncol(), 3);
  ASSERT_EQ(columns.nlay(), 4);
  ASSERT_EQ(columns.vmr.extent(1), std::size_t(fluxes::ngas_all));
  for (std::size_t c = 0; c < ncolumn; ++c) {
    for (std::size_t k = 0; k < nlayer; ++k) {
      std::size_t const from = nlayer - 1 - k;
      double const p0 = source["pressure_hl"](c, from), p1 = source["pressure_hl"](c, from + 1);
      double const t0 = source["temperature_hl"](c, from), t1 = source["temperature_hl"](c, from + 1);
      EXPECT_EQ(columns.pressure_lay(c, k), 0.5 * (p0 + p1));
      EXPECT_NEAR(columns.temperature_lay(c, k), (t0 * p0 + t1 * p1) / (p0 + p1), 1e-12);
      EXPECT_EQ(columns.vmr(c, index(Gas::h2o), k), source["h2o_mole_fraction"](c, from));
      EXPECT_EQ(columns.vmr(c, index(Gas::cfc12), k), source["cfc12_mole_fraction"](c, from));
      EXPECT_EQ(columns.vmr(c, index(Gas::no2), k), 0.);
    }
    for (std::size_t k = 0; k < nlevel; ++k) {
      EXPECT_EQ(columns.pressure_lev(c, k), source["pressure_hl"](c, nlayer - k));
      EXPECT_EQ(columns.temperature_lev(c, k), source["temperature_hl"](c, nlayer - k));
    }
    EXPECT_EQ(columns.temperature_sfc(c), source["skin_temperature"].values[c]);
    EXPECT_EQ(columns.emissivity_sfc(c, 0), source["lw_emissivity"].values[c]);
    auto const& shortwave = input.shortwave_columns;
    EXPECT_EQ(shortwave.cos_zenith(c), source["cos_solar_zenith_angle"].values[c]);
    EXPECT_EQ(shortwave.albedo_direct(c, 0), source["sw_albedo"].values[c]);
    EXPECT_EQ(shortwave.albedo_diffuse(c, 0), source["sw_albedo"].values[c]);
    EXPECT_EQ(shortwave.temperature_lev(c, 1), columns.temperature_lev(c, 1));
    EXPECT_EQ(input.solar_irradiance(c), 1361.);
  }
}

TEST(RadiationLayouts, EcradSurfaceAndSun) {
  auto source = ecrad_file();
  source.variables["sw_albedo_direct"] = {{ncolumn, 5}, ramp(ncolumn * 5, 0.3, 0.01), {{"units", "1"}}};
  source.variables["total_solar_irradiance"] = {{ncolumn}, {1300., 0., 1400.}, {{"units", "W m-2"}}};
  auto const input = read(source, for_ecckd(false, true));
  EXPECT_EQ(input.columns.temperature_sfc.size(), 0u);
  ASSERT_EQ(input.shortwave_columns.albedo_direct.extent(1), 5u);
  ASSERT_EQ(input.shortwave_columns.albedo_diffuse.extent(1), 5u);
  for (std::size_t b = 0; b < 5; ++b) {
    EXPECT_EQ(input.shortwave_columns.albedo_direct(1, b), source["sw_albedo_direct"](1, b));
    EXPECT_EQ(input.shortwave_columns.albedo_diffuse(1, b), 0.2);
  }
  EXPECT_EQ(input.solar_irradiance(1), 0.) << "darkness";
  EXPECT_EQ(input.solar_irradiance(2), 1400.);
  source.variables["sw_albedo"] = {{ncolumn, 4}, ramp(ncolumn * 4, 0.3, 0.01), {{"units", "1"}}};
  EXPECT_EQ(refusal(source, for_ecckd(false, true)),
            "sw_albedo: has shape (3, 4), expected (column) = (3) or (column, band) = (3, 5)");
}

TEST(RadiationLayouts, EcradsOwnNameOfTheIrradiance) {
  auto source = ecrad_file();
  source.variables["solar_irradiance"] = {{}, {1366.}, {{"units", "W m-2"}}};
  EXPECT_EQ(refusal(source, for_ecckd(false, true)),
            "solar_irradiance: is there beside total_solar_irradiance, expected one");
  source.remove("total_solar_irradiance");
  EXPECT_EQ(read(source, for_ecckd(false, true)).solar_irradiance(2), 1366.);
  source["solar_irradiance"].text_attributes["units"] = "kW m-2";
  EXPECT_TRUE(has(refusal(source, for_ecckd(false, true)), "solar_irradiance: units = \"kW m-2\", expected W m-2"));
}

TEST(RadiationLayouts, CkdmipHasNeitherSkinNorEmissivityNorSun) {
  auto const source = ecrad_file("_fl");
  auto const input = read(source, for_ecckd(true, false));
  EXPECT_EQ(input.layout, io::RadiationLayout::ecrad);
  for (std::size_t c = 0; c < ncolumn; ++c) {
    EXPECT_EQ(input.columns.temperature_sfc(c), input.columns.temperature_lev(c, 0));
    EXPECT_EQ(input.columns.emissivity_sfc(c, 0), 1.);
  }
  auto options = for_ecckd(false, true);
  EXPECT_EQ(refusal(source, options),
            "cos_solar_zenith_angle: missing: the shortwave needs the cosine of the solar zenith angle");
  options.cos_zenith = 0.3;
  EXPECT_EQ(refusal(source, options),
            "sw_albedo: missing: the shortwave needs the albedo for direct and for diffuse radiation");
  options.albedo = 0.15;
  auto const shortwave = read(source, options);
  EXPECT_EQ(shortwave.shortwave_columns.cos_zenith(2), 0.3);
  EXPECT_EQ(shortwave.shortwave_columns.albedo_diffuse(2, 0), 0.15);
  EXPECT_EQ(shortwave.solar_irradiance(2), 1361.);
  EXPECT_EQ(refusal(ecrad_file(), options),
            "cos_solar_zenith_angle: is in the file, but a cosine of the solar zenith angle was asked for");
  options.cos_zenith.reset();
  EXPECT_EQ(refusal(ecrad_file(), options), "sw_albedo: is in the file, but an albedo was asked for");
}

TEST(RadiationLayouts, EcradForOtherModels) {
  auto source = ecrad_file();
  EXPECT_EQ(refusal(source, {}),
            "o2_mole_fraction, ccl4_mole_fraction, hcfc22_mole_fraction: missing: the gas optics need these gases");
  for (char const* const name : {"o2", "ccl4", "hcfc22"})
    source.variables[name + std::string("_mole_fraction")] = {
        {ncolumn, nlayer}, ramp(ncolumn * nlayer, 1e-9, 1e-10), {{"units", "1"}}};
  auto const of_rrtmg = read(source, {});
  EXPECT_EQ(of_rrtmg.columns.vmr.extent(1), std::size_t(fluxes::ngas));
  EXPECT_EQ(of_rrtmg.columns.vmr(1, index(Gas::cfc22), 0), source["hcfc22_mole_fraction"](1, 3));
  auto const of_rrtmgp = read(source, for_rrtmgp(true, false));
  for (std::size_t c = 0; c < ncolumn; ++c)
    for (std::size_t k = 0; k < nlayer; ++k) {
      double const p0 = source["pressure_hl"](c, 3 - k), p1 = source["pressure_hl"](c, 4 - k);
      double const t0 = source["temperature_hl"](c, 3 - k), t1 = source["temperature_hl"](c, 4 - k);
      for (auto const* const input : {&of_rrtmg, &of_rrtmgp}) {
        EXPECT_EQ(input->columns.pressure_lay(c, k), 0.5 * (p0 + p1));
        EXPECT_NEAR(input->columns.temperature_lay(c, k), (t0 * p0 + t1 * p1) / (p0 + p1), 1e-12);
      }
    }
  auto interpolate = for_rrtmgp(true, false);
  interpolate.level_temperatures = io::LevelTemperatures::interpolate;
  EXPECT_EQ(refusal(source, interpolate),
            "has no temperatures of layers, from which those of levels were to be interpolated");
  // A layer's pressure that is out of range is named by what it is made of.
  auto options = for_rrtmgp(true, false);
  options.validity.pressure = {1100, 110000};
  EXPECT_EQ(refusal(source, options).substr(0, 31), "the layer's pressure_hl(0, 0) =");
}

TEST(RadiationLayouts, EcradRefusals) {
  auto const with = [](std::string const& name, Variable const& variable) {
    auto file = ecrad_file();
    file.variables[name] = variable;
    return refusal(file, for_ecckd(true, false));
  };
  Variable const profile{{ncolumn, nlayer}, ramp(ncolumn * nlayer, 0.1, 0.01), {{"units", "1"}}};
  EXPECT_EQ(with("h2o_mole_fraction_fl", profile).substr(0, 20), "h2o_mole_fraction_fl");
  EXPECT_EQ(with("cloud_fraction", profile),
            "cloud_fraction: cannot be honoured: ecRad's layout is read without clouds and aerosol");
  auto unknown = profile;
  unknown.text_attributes["role"] = "input";
  EXPECT_EQ(with("sf6_mole_fraction", unknown), "sf6_mole_fraction: is input (attribute role) that is not supported");
  auto wrong = ecrad_file();
  wrong["o3_mole_fraction"].text_attributes["units"] = "kg kg-1";
  EXPECT_TRUE(has(refusal(wrong, for_ecckd(true, false)), "o3_mole_fraction: units = \"kg kg-1\", expected mol mol-1"));
  auto missing = ecrad_file();
  missing.remove("n2o_mole_fraction");
  EXPECT_EQ(refusal(missing, for_ecckd(true, false)), "n2o_mole_fraction: missing: the gas optics need this gas");
  auto cold = ecrad_file();
  cold["temperature_hl"](1, 2) = 99.;
  EXPECT_EQ(refusal(cold, for_ecckd(true, false)), "temperature_hl(1, 2) = 99 K, expected 100 to 400 K");
  EXPECT_EQ(refusal(ecrad_file(),
                    {.model = GasOpticsModel::simple, .longwave_needs = io::simple_needs(), .clouds = {.seed = 3}}),
            "a seed was asked for, but ecRad's layout is read without clouds");
}

// --- RTE+RRTMGP ---

TEST(RadiationLayouts, RteForRrtmgp) {
  auto source = rte_file();
  auto const input = read(source, for_rrtmgp(true, true));
  EXPECT_EQ(input.layout, io::RadiationLayout::rte);
  EXPECT_TRUE(input.top_first);
  EXPECT_EQ(input.gases, gases_of({"h2o", "co2", "o3", "n2o", "co", "ch4", "o2", "ccl4", "cfc11", "cfc12", "cfc22",
                                   "n2", "hfc125", "cf4", "no2"}));
  auto const& columns = input.columns;
  for (std::size_t c = 0; c < ncolumn; ++c) {
    for (std::size_t k = 0; k < nlayer; ++k) {
      EXPECT_EQ(columns.pressure_lay(c, k), source["play"](c, 3 - k));
      EXPECT_EQ(columns.temperature_lay(c, k), source["tlay"](c, 3 - k));
      EXPECT_EQ(columns.vmr(c, index(Gas::hfc125), k), source["vmr_hfc125"](c, 3 - k));
      EXPECT_EQ(columns.vmr(c, index(Gas::hfc23), k), 0.);
    }
    for (std::size_t k = 0; k < nlevel; ++k) EXPECT_EQ(columns.temperature_lev(c, k), source["tlev"](c, 4 - k));
    for (std::size_t b = 0; b < 16; ++b) EXPECT_EQ(columns.emissivity_sfc(c, b), source["emissivity"](c, b));
    auto const& shortwave = input.shortwave_columns;
    for (std::size_t b = 0; b < 14; ++b) {
      EXPECT_EQ(shortwave.albedo_direct(c, b), source["albedo_direct"](c, b));
      EXPECT_EQ(shortwave.albedo_diffuse(c, b), source["albedo_diffuse"](c, b));
    }
    EXPECT_EQ(shortwave.cos_zenith(c), source["mu0"].values[c]);
    EXPECT_EQ(input.solar_irradiance(c), source["total_solar_irradiance"].values[c]);
  }
  EXPECT_FALSE(input.clouds.any());
  EXPECT_FALSE(input.has_clouds);
  EXPECT_FALSE(input.columns.has_aerosol_types());
  source.turn_upside_down();
  auto const turned = read(source, for_rrtmgp(true, true));
  EXPECT_FALSE(turned.top_first);
  EXPECT_EQ(turned.columns.temperature_lay(2, 1), columns.temperature_lay(2, 1));
  EXPECT_EQ(turned.columns.vmr(2, index(Gas::cf4), 0), columns.vmr(2, index(Gas::cf4), 0));
}

TEST(RadiationLayouts, BandsAreThoseOfTheModel) {
  auto file = rte_file();
  EXPECT_EQ(refusal(file, {}),
            "emissivity: has shape (3, 16), expected (column) = (3) with rrtmg: bands of this layout are those of "
            "RRTMGP");
  EXPECT_TRUE(has(refusal(file, for_ecckd(false, true)),
                  "albedo_direct: has shape (3, 14), expected (column) = (3) with ecckd"));
  file["emissivity"] = {{ncolumn, 15}, ramp(ncolumn * 15, 0.5, 0.01), {{"units", "1"}}};
  EXPECT_EQ(refusal(file, for_rrtmgp(true, false)),
            "emissivity: has shape (3, 15), expected (column) = (3) or (column, band) = (3, 16)");
  file["emissivity"] = {{ncolumn, 1}, {0.9, 0.8, 0.7}, {{"units", "1"}}};
  for (char const* const name : {"albedo_direct", "albedo_diffuse"})
    file[name] = {{ncolumn}, {0.1, 0.2, 0.3}, {{"units", "1"}}};
  for (auto const& options :
       {for_rrtmgp(true, true), for_ecckd(true, true), io::RadiationOptions{.longwave = true, .shortwave = true}}) {
    auto const input = read(file, options);
    EXPECT_EQ(input.columns.emissivity_sfc(1, 0), 0.8);
    EXPECT_EQ(input.columns.emissivity_sfc.extent(1), 1u);
    EXPECT_EQ(input.shortwave_columns.albedo_direct(1, 0), 0.2);
  }
  auto column = column_file();
  EXPECT_EQ(refusal(column, for_rrtmgp(true, false)),
            "emis: has shape (3, 16), expected (column) = (3) with rrtmgp: bands of this layout are those of RRTMG");
}

TEST(RadiationLayouts, RteSunForRrtmg) {
  auto file = rte_file();
  for (char const* const name : {"albedo_direct", "albedo_diffuse"})
    file[name] = {{ncolumn}, {0.1, 0.2, 0.3}, {{"units", "1"}}};
  auto const input = read(file, {.longwave = false, .shortwave = true});
  auto const expected = fluxes::solar_source({.total_irradiance = 1400.});
  for (std::size_t i = 0; i < fluxes::nsolar; ++i) {
    EXPECT_EQ(input.shortwave_columns.solar_weights(2, i), expected.weights[i]);
    EXPECT_EQ(input.shortwave_columns.solar_weights(1, i), 0.) << "no irradiance is darkness";
  }
  EXPECT_EQ(input.solar_irradiance.size(), 0u);
}

TEST(RadiationLayouts, LevelTemperaturesFromLayers) {
  auto file = rte_file();
  file.remove("tlev");
  EXPECT_TRUE(has(refusal(file, for_rrtmgp(true, false)), "tlev: missing: rrtmgp needs the temperatures of levels"));
  EXPECT_EQ(refusal(file, for_rrtmgp(false, true)), "(no file name) (no parhelion::Error)") << "the shortwave does not";
  EXPECT_TRUE(has(refusal(file, for_ecckd(false, true)), "tlev: missing"));
  auto options = for_rrtmgp(true, false);
  options.level_temperatures = io::LevelTemperatures::interpolate;
  auto const input = read(file, options);
  EXPECT_FALSE(input.level_temperatures);
  auto const& p = input.columns.pressure_lay;
  auto const& t = input.columns.temperature_lay;
  auto const& levels = input.columns.temperature_lev;
  for (std::size_t c = 0; c < ncolumn; ++c) {
    auto const at = [&](std::size_t k) { return input.columns.pressure_lev(c, k); };
    // p T is linear in p inside, T at the ends.
    for (std::size_t k = 1; k < nlayer; ++k) {
      double const share = (at(k) - p(c, k)) / (p(c, k - 1) - p(c, k));
      EXPECT_NEAR(levels(c, k) * at(k), share * p(c, k - 1) * t(c, k - 1) + (1 - share) * p(c, k) * t(c, k),
                  1e-12 * at(k) * 300);
    }
    EXPECT_NEAR((levels(c, 0) - t(c, 0)) / (at(0) - p(c, 0)), (t(c, 1) - t(c, 0)) / (p(c, 1) - p(c, 0)), 1e-12);
    EXPECT_NEAR((levels(c, 4) - t(c, 3)) / (at(4) - p(c, 3)), (t(c, 2) - t(c, 3)) / (p(c, 2) - p(c, 3)), 1e-12);
  }
  // ecCKD computes the temperatures of its layers from those of levels, also from interpolated ones.
  auto of_ecckd = for_ecckd(false, true);
  of_ecckd.level_temperatures = io::LevelTemperatures::interpolate;
  of_ecckd.albedo = 0.1;
  for (char const* const name : {"albedo_direct", "albedo_diffuse"}) file.remove(name);
  auto const ecckd = read(file, of_ecckd);
  EXPECT_EQ(ecckd.columns.temperature_lev(1, 2), levels(1, 2));
  double const p0 = ecckd.columns.pressure_lev(1, 2), p1 = ecckd.columns.pressure_lev(1, 1);
  EXPECT_NEAR(ecckd.columns.temperature_lay(1, 1), (levels(1, 2) * p0 + levels(1, 1) * p1) / (p0 + p1), 1e-12);
}

TEST(RadiationLayouts, RteCloudsOfGpoints) {
  auto file = rte_file();
  add_rte_clouds(file, 128);
  auto const input = read(file, for_rrtmgp(true, false));
  EXPECT_TRUE(input.has_clouds);
  ASSERT_TRUE(input.clouds.has_mask());
  ASSERT_EQ(input.clouds.fraction_gpt.extent(2), 128u);
  for (std::size_t c = 0; c < ncolumn; ++c)
    for (std::size_t k = 0; k < nlayer; ++k) {
      for (std::size_t g = 0; g < 128; ++g)
        EXPECT_EQ(input.clouds.fraction_gpt(c, k, g), file["cloud_mask"](c, 3 - k, g));
      EXPECT_DOUBLE_EQ(input.clouds.liquid_path(c, k), 1e-3 * file["lwp"](c, 3 - k));
      EXPECT_DOUBLE_EQ(input.clouds.ice_path(c, k), 1e-3 * file["iwp"](c, 3 - k));
      if (file["lwp"](c, 3 - k) > 0) {
        EXPECT_DOUBLE_EQ(input.clouds.liquid_size(c, k), 1e-6 * file["rel"](c, 3 - k));
      }
      if (file["iwp"](c, 3 - k) > 0) {
        EXPECT_DOUBLE_EQ(input.clouds.ice_size(c, k), 1e-6 * file["dei"](c, 3 - k));
      }
    }
  EXPECT_EQ(refusal(file, for_rrtmgp(false, true)),
            "sw_cloud_mask: missing: cloud_mask is that of the longwave, expected one of 112 g-points for the "
            "shortwave");
  add_rte_clouds(file, 100);
  EXPECT_EQ(refusal(file, for_rrtmgp(true, false)),
            "cloud_mask: has shape (3, 4, 100), expected (column, layer, gpt) = (3, 4, 128)");
}

TEST(RadiationLayouts, RteCloudsOfOvercastLayers) {
  auto file = rte_file();
  add_rte_clouds(file, 0);
  auto const input = read(file, for_rrtmgp(true, true));
  ASSERT_TRUE(input.clouds.of_layers());
  ASSERT_TRUE(input.shortwave_clouds.of_layers());
  EXPECT_EQ(input.clouds.fraction(0, 0), 1.);
  EXPECT_DOUBLE_EQ(input.shortwave_clouds.ice_size(1, 2), 1e-6 * file["dei"](1, 1));

  auto without = for_rrtmgp(true, false);
  without.cloud_optics = false;
  EXPECT_EQ(refusal(file, without), "lwp: has clouds, which rrtmgp needs cloud optics for (--cloud-optics)");
  file["emissivity"] = {{ncolumn}, {0.9, 0.8, 0.7}, {{"units", "1"}}};
  EXPECT_EQ(refusal(file, for_ecckd(true, false)),
            "lwp: has clouds, which ecckd needs scattering files for (--droplet-scattering and --ice-scattering)");
  // RRTMG has radii of ice, or generalised effective sizes.
  EXPECT_TRUE(has(refusal(file, {}), "the sizes of ice (dei) are diameters"));
  auto const of_rrtmg = read(file, {.clouds = {.ice_optics = fluxes::IceOptics::streamer}});
  EXPECT_DOUBLE_EQ(of_rrtmg.clouds.ice_size(1, 2), 0.5e-6 * file["dei"](1, 1));
  auto large = file;
  large["dei"](0, 0) = 181.;
  EXPECT_EQ(refusal(large, for_rrtmgp(true, false)), "dei(0, 0) = 181 um, expected 10 to 180 um");
  large = file;
  large["rel"](2, 3) = 22.;
  EXPECT_EQ(refusal(large, for_rrtmgp(true, false)), "rel(2, 3) = 22 um, expected 2.5 to 21.5 um");
  auto no_size = file;
  no_size.remove("rel");
  EXPECT_EQ(refusal(no_size, for_rrtmgp(true, false)), "rel: missing: there is such water in clouds");
  auto seed = for_rrtmgp(true, false);
  seed.clouds.seed = 1;
  EXPECT_TRUE(has(refusal(file, seed), "a seed was asked for, but clouds of RTE+RRTMGP's layout"));
}

TEST(RadiationLayouts, RteAerosol) {
  auto file = rte_file();
  add_rte_aerosol(file);
  auto const input = read(file, for_rrtmgp(true, false));
  ASSERT_TRUE(input.columns.has_aerosol_types());
  for (std::size_t c = 0; c < ncolumn; ++c)
    for (std::size_t k = 0; k < nlayer; ++k) {
      EXPECT_EQ(input.columns.aerosol_type(c, k), file["aerosol_type"](c, 3 - k));
      EXPECT_DOUBLE_EQ(input.columns.aerosol_size(c, k), 1e-6 * file["aerosol_size"](c, 3 - k));
      EXPECT_EQ(input.columns.aerosol_mass(c, k), file["aerosol_mass"](c, 3 - k));
      EXPECT_EQ(input.columns.relative_humidity(c, k), file["relative_humidity"](c, 3 - k));
    }
  auto without = for_rrtmgp(true, false);
  without.aerosol_optics = false;
  EXPECT_TRUE(has(refusal(file, without),
                  "aerosol_type(0, 1) = 1, aerosol_mass(0, 1) = 1e-06 kg m-2: has aerosol, which "
                  "rrtmgp needs aerosol optics for"));
  auto bad = file;
  bad["aerosol_type"](2, 2) = 8;
  EXPECT_EQ(refusal(bad, for_rrtmgp(true, false)), "aerosol_type(2, 2) = 8, expected a type from 0 to 7");
  bad = file;
  bad.remove("relative_humidity");
  EXPECT_EQ(refusal(bad, for_rrtmgp(true, false)), "relative_humidity: missing: other variables of aerosol are there");
  for (auto& mass : file["aerosol_mass"].values) mass = 0.;
  EXPECT_FALSE(read(file, without).columns.has_aerosol_types());
}

TEST(RadiationLayouts, RteRefusesVariablesOfTheColumnLayout) {
  auto file = rte_file();
  file.variables["cldfrac"] = {{ncolumn, nlayer}, ramp(ncolumn * nlayer, 0.1, 0.01), {{"units", "1"}}};
  EXPECT_TRUE(has(refusal(file, for_rrtmgp(true, false)), "cldfrac: cannot be honoured: it belongs to the column"));
  file = rte_file();
  file.variables["co2vmr"] = file["vmr_co2"];
  EXPECT_TRUE(has(refusal(file, for_rrtmgp(true, false)), "is no unambiguous atmosphere file"));
}

// --- the column layout and RFMIP's with other models ---

TEST(RadiationLayouts, ColumnLayoutForOtherModels) {
  auto file = column_file();
  file["emis"] = {{ncol}, {0.9, 0.8, 0.7}, {{"units", "1"}}};
  add_sun(file);
  file.number_attributes["scon"] = 1400.;
  file.number_attributes["adjes"] = 1.02;
  file.variables["n2vmr"] = {{ncol, nlay}, std::vector<double>(ncol * nlay, 0.78), {{"units", "1"}}};
  auto const rrtmgp = read(file, for_rrtmgp(true, true));
  EXPECT_EQ(rrtmgp.columns.vmr(2, index(Gas::n2), 1), 0.78);
  EXPECT_EQ(rrtmgp.columns.vmr(2, index(Gas::cfc22), 1), file["cfc22vmr"](2, 1));
  EXPECT_DOUBLE_EQ(rrtmgp.solar_irradiance(1), 1400. * 1.02);
  ASSERT_EQ(rrtmgp.shortwave_columns.albedo_direct.extent(1), 2u) << "from 16000 cm-1, and below";
  EXPECT_EQ(rrtmgp.shortwave_columns.albedo_direct(0, 0), file["asdir"].values[0]);
  EXPECT_EQ(rrtmgp.shortwave_columns.albedo_diffuse(0, 1), file["aldif"].values[0]);
  auto const ecckd = read(file, for_ecckd(true, true));
  double const p0 = 100 * file["plev"](1, 3), p1 = 100 * file["plev"](1, 2);
  EXPECT_NEAR(ecckd.columns.temperature_lay(1, 2), (file["tlev"](1, 3) * p0 + file["tlev"](1, 2) * p1) / (p0 + p1),
              1e-12)
      << "the layer temperature of the file is not used";
  EXPECT_EQ(ecckd.columns.pressure_lay(1, 2), 100 * file["play"](1, 2));

  file.number_attributes["isolvar"] = 1.;
  EXPECT_EQ(refusal(file, for_rrtmgp(false, true)),
            "attribute isolvar = 1, expected 0 or 2 with rrtmgp, which has its own solar spectrum");
  file.number_attributes["isolvar"] = 0.;
  EXPECT_DOUBLE_EQ(read(file, for_rrtmgp(false, true)).solar_irradiance(1), 1400. * 1.02);
  add_aerosol(file);
  EXPECT_EQ(refusal(file, for_rrtmgp(true, false)), "tauaer: is aerosol as RRTMG has it, expected none with rrtmgp");
}

TEST(RadiationLayouts, RadiiOfIceBecomeDiameters) {
  auto file = column_file();
  file["emis"] = {{ncol}, {0.9, 0.8, 0.7}, {{"units", "1"}}};
  add_layer_clouds(file);
  for (auto& rel : file["rel"].values) rel = 10.;
  auto const plain = read(file, for_rrtmgp(true, false));
  EXPECT_DOUBLE_EQ(plain.clouds.ice_size(1, 2), 2e-6 * file["rei"](1, 2));
  EXPECT_DOUBLE_EQ(plain.clouds.liquid_size(1, 2), 10e-6);
  for (double const flag : {0., 1., 2.}) {
    file.number_attributes["iceflglw"] = flag;
    EXPECT_DOUBLE_EQ(read(file, for_rrtmgp(true, false)).clouds.ice_size(1, 2), 2e-6 * file["rei"](1, 2));
  }
  file.number_attributes["iceflglw"] = 3.;
  EXPECT_TRUE(has(refusal(file, for_rrtmgp(true, false)),
                  "attribute iceflglw = 3: rei is a generalised effective size, expected an effective radius"));
  file.number_attributes.erase("iceflglw");
  file["rei"](0, 1) = 91.;
  EXPECT_EQ(refusal(file, for_rrtmgp(true, false)),
            "rei(0, 1) = 91 um, expected 5 to 90 um with RRTMGP's cloud optics");
  EXPECT_EQ(refusal(file, for_ecckd(true, false)),
            "cldfrac: has clouds, which ecckd needs scattering files for (--droplet-scattering and --ice-scattering)");
  file.number_attributes["icld"] = 0.;
  EXPECT_FALSE(read(file, for_ecckd(true, false)).clouds.any());
}

TEST(RadiationLayouts, RfmipGasesOfEachModel) {
  auto file = rfmip_file();
  file.variables["nitrogen_GM"] = {{nexpt}, {0.78, 0.79}, {{"units", "1"}}};
  file.variables["hfc32_GM"] = {{nexpt}, {8., 9.}, {{"units", "1.e-12"}}};
  file["cfc11eq_GM"] = {{nexpt}, {800., 1.}, {{"units", "1.e-12"}}};
  auto const ecckd = read(file, for_ecckd(true, true));
  auto const rrtmgp = read(file, for_rrtmgp(true, true));
  for (std::size_t c = 0; c < nexpt * nsite; ++c) {
    bool const first = c < nsite;
    EXPECT_DOUBLE_EQ(ecckd.columns.vmr(c, index(Gas::cfc11), 0), first ? 800e-12 : 1e-12);
    EXPECT_DOUBLE_EQ(ecckd.columns.vmr(c, index(Gas::cfc12), 0), first ? 520e-12 : 2e-12);
    EXPECT_DOUBLE_EQ(rrtmgp.columns.vmr(c, index(Gas::cfc11), 0), first ? 230e-12 : 1e-12);
    EXPECT_DOUBLE_EQ(rrtmgp.columns.vmr(c, index(Gas::n2), 0), first ? 0.78 : 0.79);
    EXPECT_DOUBLE_EQ(rrtmgp.columns.vmr(c, index(Gas::hfc32), 3), first ? 8e-12 : 9e-12);
    EXPECT_EQ(rrtmgp.columns.vmr(c, index(Gas::no2), 3), 0.);
  }
  EXPECT_EQ(rrtmgp.gases, gases_of({"h2o", "co2", "o3", "n2o", "co", "ch4", "o2", "ccl4", "cfc11", "cfc12", "cfc22",
                                    "n2", "hfc32", "no2"}));
  EXPECT_EQ(rrtmgp.solar_irradiance(nsite + 1), 1330.);
  EXPECT_EQ(ecckd.shortwave_columns.temperature_lev(1, 0), ecckd.columns.temperature_lev(1, 0));
  file.remove("cfc11eq_GM");
  EXPECT_EQ(refusal(file, for_ecckd(true, false)), "cfc11eq_GM: missing: the gas optics need this gas");
}

TEST(RadiationLayouts, RfmipTopIsRaisedForRrtmgp) {
  auto file = rfmip_file();
  auto options = for_rrtmgp(true, false);
  for (std::size_t s = 0; s < nsite; ++s) file["pres_level"](s, 0) = 0.01;
  options.least_top_pressure = 1.005;
  auto const input = read(file, options);
  for (std::size_t c = 0; c < nexpt * nsite; ++c) {
    EXPECT_EQ(input.columns.pressure_lev(c, nlay), 1.005);
    EXPECT_EQ(input.columns.pressure_lev(c, nlay - 1), file["pres_level"](c % nsite, 1));
  }
}

TEST(RadiationLayouts, PressuresOfLevelsMayHaveARangeOfTheirOwn) {
  auto file = rte_file();
  auto options = for_rrtmgp(true, false);
  options.validity.pressure = {600., 40000.};
  EXPECT_EQ(refusal(file, options), "(no file name) (no parhelion::Error)") << "levels end beyond layers";
  options.validity.level_pressure.reset();
  EXPECT_EQ(refusal(file, options).substr(0, 17), "plev(0, 0) = 500 ");
}

// --- the files of the packs ---

TEST(RadiationLayouts, CasesOfThePacks) {
  auto const all_inputs = [](std::string const& path, io::RadiationOptions const& options) {
    return message_of([&] { io::read_radiation_input(path, options); });
  };
  std::string const none = "(no parhelion::Error)";
  for (std::string const name : {"case_clear_a.nc", "debug_a.nc"}) {
    PARHELION_REQUIRE_DATA(file, "ecckd/" + name);
    EXPECT_EQ(all_inputs(file, for_ecckd(true, true)), none);
  }
  for (std::string const name : {"debug_a", "case_clear_a", "case_fewgases_a", "case_allsky_a", "case_allsky_gpt_a"}) {
    PARHELION_REQUIRE_DATA(longwave, "rrtmgp/" + name + "_lw.nc");
    PARHELION_REQUIRE_DATA(shortwave, "rrtmgp/" + name + "_sw.nc");
    EXPECT_EQ(all_inputs(longwave, for_rrtmgp(true, false)), none);
    EXPECT_EQ(all_inputs(shortwave, for_rrtmgp(false, true)), none);
  }
  PARHELION_REQUIRE_DATA(ckdmip, "ecckd/ckdmip/ckdmip_evaluation1_concentrations_present_reduced.nc");
  EXPECT_EQ(all_inputs(ckdmip, for_ecckd(true, false)), none);
}
