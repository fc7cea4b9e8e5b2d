// SPDX-License-Identifier: BSD-3-Clause
// `parhelion fluxes --shortwave` as its users meet it.
#include <parhelion/io/hdf5.hpp>

#include "cf.hpp"
#include "column_file.hpp"
#include "program.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

// The program with coefficients and its result.
struct ShortwaveRuns {
  std::string longwave_data, shortwave_data;
  std::string folder = scratch_folder();

  std::string result() const { return folder + "/out.nc"; }

  Outcome run_path(std::string const& input, std::string const& options) const {
    return run("fluxes " + quoted(input) + " --coefficients " + quoted(shortwave_data) + " -o " + quoted(result()) +
               " --shortwave " + options);
  }

  Outcome run_file(ColumnFile const& file, std::string const& options = "") const {
    file.write(folder + "/in.nc");
    return run_path(folder + "/in.nc", options);
  }

  std::vector<double> solve(ColumnFile const& file, std::string const& options = "",
                            std::string const& name = "sw_flux_dn") const {
    auto const outcome = run_file(file, options);
    if (outcome.code != 0) throw std::runtime_error(outcome.output);
    return io::Hdf5File(result()).read(name);
  }

  std::string both() const { return "--longwave --coefficients " + quoted(longwave_data); }

  void expect_refusal(ColumnFile const& file, std::string const& message, std::string const& options = "") const {
    file.write(folder + "/in.nc");
    expect_refused("fluxes", folder,
                   quoted(folder + "/in.nc") + " --shortwave --coefficients " + quoted(shortwave_data) + " -o " +
                       quoted(folder + "/refused.nc") + " " + options,
                   message);
  }
};

#define PARHELION_SHORTWAVE_RUNS(runs)                                    \
  PARHELION_REQUIRE_DATA(runs##_longwave, "rrtmg_lw/RRTMG_LW_DATA.DBL");  \
  PARHELION_REQUIRE_DATA(runs##_shortwave, "rrtmg_lw/RRTMG_SW_DATA.DBL"); \
  ShortwaveRuns const runs { runs##_longwave, runs##_shortwave }

ColumnFile sunny() {
  ColumnFile file;
  file.add_gases();
  file.add_sun();
  return file;
}

std::vector<double> only_layer(std::vector<double> const& values, std::size_t nlay, std::size_t layer) {
  std::vector<double> of_layer;
  for (std::size_t i = layer; i < values.size(); i += nlay) of_layer.push_back(values[i]);
  return of_layer;
}

// A level of an array (column, level, band), and all its bands.
std::vector<double> only_level(std::vector<double> const& values, std::size_t nlev, std::size_t level) {
  std::vector<double> of_level;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i / 14 % nlev == level) of_level.push_back(values[i]);
  return of_level;
}

using Pairs = std::vector<std::pair<char const*, char const*>>;

}  // namespace

// --- reference cases ---

TEST(Shortwave, ReferenceCasesThroughFiles) {
  PARHELION_SHORTWAVE_RUNS(runs);
  for (std::string const name : {"clear", "cloud", "aerosol"}) {
    PARHELION_REQUIRE_DATA(input, "rrtmg_sw/case_sw_" + name + "_a.nc");
    io::Hdf5File const reference(input);
    auto const compare = [&](io::Hdf5File const& result, Pairs const& pairs, double tolerance) {
      for (auto const& [mine, theirs] : pairs)
        if (reference.exists(theirs)) {
          EXPECT_LE(largest_difference(result.read(mine), reference.read(theirs)), tolerance) << name << ' ' << mine;
        }
    };
    auto const outcome = runs.run_path(input, "--transmittance table --bands");
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    for (std::string const part : {"32 columns of 51 layers, RRTMG_SW gas optics", "incoming", " columns/s"})
      EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
    io::Hdf5File const table(runs.result());
    compare(table,
            {{"sw_flux_up", "swuflx"},
             {"sw_flux_dn", "swdflx"},
             {"sw_flux_dn_direct", "swdirflx"},
             {"sw_flux_dn_uvvis", "swdflx_uv"},
             {"sw_flux_dn_nir", "swdflx_nir"},
             {"sw_flux_dn_direct_uvvis", "swdirflx_uv"},
             {"sw_flux_dn_direct_nir", "swdirflx_nir"}},
            1e-8);
    compare(table, {{"sw_heating_rate", "swhr"}}, 1e-7);
    for (double const rate : only_layer(table.read("sw_heating_rate"), 51, 50)) EXPECT_EQ(rate, 0);
    for (auto const& [mine, theirs, level] :
         {std::tuple("sw_flux_dn_band", "swdflx_band_toa", 51U), std::tuple("sw_flux_up_band", "swuflx_band_toa", 51U),
          std::tuple("sw_flux_dn_band", "swdflx_band_sfc", 0U),
          std::tuple("sw_flux_dn_direct_band", "swdirflx_band_sfc", 0U)})
      EXPECT_LE(largest_difference(only_level(table.read(mine), 52, level), reference.read(theirs)), 1e-8)
          << name << ' ' << theirs;
    bool const cloudy = name != "clear";
    EXPECT_EQ(table.exists("sw_flux_up_clear"), cloudy);
    if (cloudy) {
      compare(table,
              {{"sw_flux_up_clear", "swuflxc"},
               {"sw_flux_dn_clear", "swdflxc"},
               {"sw_flux_dn_direct_clear", "swdirflxc"},
               {"sw_flux_dn_uvvis_clear", "swdflxc_uv"},
               {"sw_flux_dn_nir_clear", "swdflxc_nir"},
               {"sw_flux_dn_direct_uvvis_clear", "swdirflxc_uv"},
               {"sw_flux_dn_direct_nir_clear", "swdirflxc_nir"}},
              1e-8);
      compare(table, {{"sw_heating_rate_clear", "swhrc"}}, 1e-7);
    }
    auto const up = table.read("sw_flux_up"), dn = table.read("sw_flux_dn"), net = table.read("sw_flux_net");
    for (std::size_t i = 0; i < net.size(); ++i) ASSERT_EQ(net[i], up[i] - dn[i]);
    expect_cf(runs.result());

    ASSERT_EQ(runs.run_path(input, "--quiet --transmittance table --direct unscaled").code, 0);
    io::Hdf5File const unscaled(runs.result());
    compare(unscaled, {{"sw_flux_dn_direct", "swdirflx_unscaled"}, {"sw_flux_dn", "swdflx"}}, 1e-8);
    if (cloudy) compare(unscaled, {{"sw_flux_dn_direct_clear", "swdirflxc_unscaled"}}, 1e-8);

    if (name == "aerosol") continue;  // there the table misses the resonance
    ASSERT_EQ(runs.run_path(input, "--quiet").code, 0);
    io::Hdf5File const exact(runs.result());
    double const tolerance = cloudy ? 0.1 : 0.02;
    compare(exact, {{"sw_flux_up", "swuflx"}, {"sw_flux_dn", "swdflx"}, {"sw_flux_dn_direct", "swdirflx"}}, tolerance);
    auto const highest = only_layer(exact.read("sw_heating_rate"), 51, 50);
    EXPECT_GT(*std::max_element(highest.begin(), highest.end()), 0.1) << "it is computed";
    auto const mu0 = reference.read("coszen"), down = exact.read("sw_flux_dn");
    for (std::size_t c = 0; c < 32; ++c)
      if (mu0[c] <= 0) {
        for (std::size_t k = 0; k < 52; ++k) EXPECT_EQ(down[c * 52 + k], 0) << "night";
      }
  }
}

TEST(Shortwave, RfmipLayout) {
  PARHELION_SHORTWAVE_RUNS(runs);
  PARHELION_REQUIRE_DATA(input, "rfmip/rfmip_atmospheres.nc");
  auto const outcome = runs.run_path(input, "--experiment 1 " + runs.both());
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  for (std::string const part : {"RRTMG_LW and RRTMG_SW gas optics", "longwave weighted mean [W m-2]",
                                 "shortwave weighted mean [W m-2]", "incoming", "longwave: ", "shortwave: "})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  io::Hdf5File const file(input), result(runs.result());
  std::vector<std::size_t> const levels{1, 100, 61}, layers{1, 100, 60};
  for (char const* const name : {"rsu", "rsd", "sw_flux_dn_direct", "rlu", "rld"})
    EXPECT_EQ(result.shape(name), levels) << name;
  for (char const* const name : {"sw_heating_rate", "heating_rate", "heating_rate_total"})
    EXPECT_EQ(result.shape(name), layers) << name;
  EXPECT_FALSE(result.exists("sw_flux_dn_uvvis"));
  EXPECT_FALSE(result.exists("sw_flux_net"));
  auto const angle = file.read("solar_zenith_angle"), irradiance = file.read("total_solar_irradiance"),
             albedo = file.read("surface_albedo"), down = result.read("rsd"), up = result.read("rsu");
  std::size_t dark = 0;
  for (std::size_t site = 0; site < 100; ++site) {
    double const mu0 = std::cos(angle[site] * std::numbers::pi / 180), top = down[site * 61],
                 surface = down[site * 61 + 60];
    if (mu0 <= 0) {
      ++dark;
      for (std::size_t k = 0; k < 61; ++k) EXPECT_EQ(down[site * 61 + k], 0);
      continue;
    }
    EXPECT_NEAR(top, irradiance[site] * mu0, 0.01) << site;
    EXPECT_NEAR(up[site * 61 + 60], albedo[site] * surface, 1e-9) << site;
  }
  EXPECT_EQ(dark, 49U);
  auto const total = result.read("heating_rate_total"), lw = result.read("heating_rate"),
             sw = result.read("sw_heating_rate");
  for (std::size_t i = 0; i < total.size(); ++i) ASSERT_EQ(total[i], lw[i] + sw[i]);
  expect_cf(runs.result());

  // The published fluxes of another model.
  PARHELION_REQUIRE_DATA(published, "rrtmgp/published/rsd_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc");
  auto const theirs = io::Hdf5File(published).read("rsd", 0, 1);
  EXPECT_LE(largest_difference(down, theirs), 6);
}

// --- both ranges ---

TEST(Shortwave, BothRangesGiveWhatEachGivesAlone) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto file = sunny();
  file.add_layer_clouds(0.5);
  auto const outcome = runs.run_file(file, runs.both() + " --bands");
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  std::string const both = runs.folder + "/both.nc", shortwave = runs.folder + "/shortwave.nc";
  std::filesystem::rename(runs.result(), both);
  ASSERT_EQ(runs.run_file(file, "--bands").code, 0);
  std::filesystem::rename(runs.result(), shortwave);
  ASSERT_EQ(run("fluxes " + quoted(runs.folder + "/in.nc") + " --bands --coefficients " + quoted(runs.longwave_data) +
                " -o " + quoted(runs.result()))
                .code,
            0);
  io::Hdf5File const together(both), alone_sw(shortwave), alone_lw(runs.result());
  std::size_t compared = 0;
  for (auto const& name : together.variables()) {
    // Dimensions without coordinates are variables that hold nothing.
    if (name == "heating_rate_total" || name == "column" || name == "layer" || name == "level" || name == "bound")
      continue;
    bool const of_shortwave = name.starts_with("sw_");
    auto const& alone = of_shortwave ? alone_sw : alone_lw;
    ASSERT_TRUE(alone.exists(name)) << name;
    EXPECT_EQ(together.read(name), alone.read(name)) << name;
    EXPECT_EQ((of_shortwave ? alone_lw : alone_sw).exists(name), name == "plev" || name == "play") << name;
    ++compared;
  }
  EXPECT_GT(compared, 30U);
  auto const total = together.read("heating_rate_total"), lw = together.read("heating_rate"),
             sw = together.read("sw_heating_rate");
  for (std::size_t i = 0; i < total.size(); ++i) ASSERT_EQ(total[i], lw[i] + sw[i]);
  EXPECT_EQ(together.text_attribute("", "title"), "Longwave and shortwave fluxes and heating rates");
  EXPECT_EQ(together.text_attribute("", "coefficients"), runs.longwave_data);
  EXPECT_EQ(together.text_attribute("", "sw_coefficients"), runs.shortwave_data);
  EXPECT_EQ(alone_sw.text_attribute("", "title"), "Shortwave fluxes and heating rates");
  expect_cf(both);

  // Clouds and aerosol of one range alone.
  auto of_longwave = sunny();
  of_longwave.add_gpoint_clouds();
  runs.expect_refusal(of_longwave, "in.nc: cldfmcl: has clouds of the longwave alone", runs.both());
  EXPECT_EQ(runs.run_file(of_longwave).code, 0) << "read past";
  of_longwave.add_gpoint_clouds("sw_", "sw_gpt");
  EXPECT_EQ(runs.run_file(of_longwave, runs.both()).code, 0);
  auto dusty = sunny();
  dusty.extra["tauaer"] = {{"column", "layer", "band"}, "1", std::vector<double>(4 * 12 * 16, 0.1)};
  runs.expect_refusal(dusty, "in.nc: tauaer: has aerosol of the longwave alone", runs.both());
}

TEST(Shortwave, CoefficientsAreToldByTheirContent) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto const file = sunny();
  file.write(runs.folder + "/in.nc");
  std::string const lw = " --coefficients " + quoted(runs.longwave_data),
                    sw = " --coefficients " + quoted(runs.shortwave_data);
  std::string const input = quoted(runs.folder + "/in.nc"), output = " -o " + quoted(runs.folder + "/out.nc");
  for (auto const& arguments :
       {" --longwave --shortwave" + lw + sw, " --longwave --shortwave" + sw + lw, " --shortwave" + sw, lw})
    EXPECT_EQ(run("fluxes --quiet " + input + arguments).output, "") << arguments;
  // Before the name of the atmosphere, too.
  EXPECT_EQ(run("fluxes --quiet --shortwave" + sw + " " + input).code, 0);
  auto const refused = [&](std::string const& arguments, std::string const& message) {
    expect_refused("fluxes", runs.folder, input + output + arguments, message, "env PARHELION_DATA=/somewhere");
  };
  std::string const holds_lw = runs.longwave_data + ": holds the coefficients of RRTMG_LW",
                    holds_sw = runs.shortwave_data + ": holds the coefficients of RRTMG_SW";
  refused(" --shortwave" + lw, holds_lw + ", expected those of RRTMG_SW");
  refused(sw, holds_sw + ", expected those of RRTMG_LW");
  refused(" --shortwave" + sw + lw, holds_lw + ", expected those of RRTMG_SW");
  refused(" --longwave --shortwave" + sw + sw,
          holds_sw + ", as " + runs.shortwave_data + " does, expected one file of each kind");
  refused(lw + lw, holds_lw + ", as " + runs.longwave_data + " does, expected one file");
  refused(" --shortwave",
          "RRTMG_SW coefficients: RRTMG_SW_DATA.DBL or RRTMG_SW_DATA_DBL or RRTMG_SW_DATA not found in");
  refused(" --longwave --shortwave" + lw, "RRTMG_SW coefficients");
  refused(" --longwave --shortwave" + sw, "RRTMG_LW coefficients");
  refused(" --shortwave --coefficients " + quoted(runs.folder + "/none"),
          "none: no such file, expected RRTMG_SW coefficients");
  // Found one folder down.
  auto const data = std::filesystem::path(runs.shortwave_data).parent_path().parent_path().string();
  EXPECT_EQ(run("fluxes --quiet --longwave --shortwave " + input, "env PARHELION_DATA=" + data).code, 0);
}

// --- options ---

TEST(Shortwave, BadUsageExitsWithTwo) {
  std::string const folder = scratch_folder();
  sunny().write(folder + "/in.nc");
  std::string const input = quoted(folder + "/in.nc");
  for (auto const& [arguments, message] :
       {std::pair("--sun kurucz", "--sun: needs --shortwave"),
        std::pair("--direct scaled", "--direct: needs --shortwave"),
        std::pair("--band28-level 58", "--band28-level: needs --shortwave"),
        std::pair("--longwave --band-order wavenumber", "--band-order: needs --shortwave"),
        std::pair("--shortwave --albedo nan", "--albedo: nan, expected a number from 0 to 1"),
        std::pair("--shortwave --albedo 0x0.8", "--albedo: 0x0.8, expected a number from 0 to 1"),
        std::pair("--shortwave --mu0 nan", "--mu0: nan, expected a number from -1 to 1"),
        std::pair("--shortwave --mu0=-inf", "--mu0: -inf, expected a number from -1 to 1"),
        std::pair("--shortwave --sun bright", "bright"), std::pair("--shortwave --band28-level 50", "50"),
        std::pair("--shortwave --derivative", "--derivative: belongs to the longwave"),
        std::pair("--shortwave --extra-layer", "--extra-layer: belongs to the longwave"),
        std::pair("--shortwave --ice-optics all-bands", "--ice-optics: all-bands is not allowed with --shortwave"),
        std::pair("--longwave --shortwave --liquid-optics all-bands", "--liquid-optics: all-bands is not allowed"),
        std::pair("--shortwave --gas-optics simple",
                  "--shortwave: is only allowed with --gas-optics rrtmg, rrtmgp or ecckd")})
    expect_bad_usage("fluxes " + std::string(arguments) + " " + input, message);
}

TEST(Shortwave, Suns) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto const file = sunny();
  auto const top = [&](std::vector<double> const& down) { return down[12]; };  // the sun in the zenith
  auto const plain = runs.solve(file);
  EXPECT_EQ(plain, runs.solve(file, "--sun nrlssi2"));
  EXPECT_EQ(io::Hdf5File(runs.result()).text_attribute("", "sun"), "nrlssi2");
  auto const kurucz = runs.solve(file, "--sun kurucz");
  EXPECT_NEAR(top(plain), 1360.85, 0.1);
  EXPECT_NEAR(top(kurucz), 1368.22, 0.1);
  auto of_file = file;
  of_file.extra["isolvar"] = {{"column"}, "1", {-1, -1, -1, -1}};
  EXPECT_EQ(runs.solve(of_file), kurucz);
  runs.expect_refusal(of_file, "in.nc: isolvar: is in the file, but a sun was asked for", "--sun kurucz");
  auto bright = file;
  bright.extra["scon"] = {{}, "W m-2", {1400}};
  bright.extra["adjes"] = {{}, "1", {0.5}};
  EXPECT_NEAR(top(runs.solve(bright, "--sun kurucz")), 700, 0.01);
}

TEST(Shortwave, AlbedoOfEachBandIsThatOfItsRange) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto file = sunny();
  file.extra["aldir"].values = {0.6, 0.5, 0.4, 0.3};
  auto const of_ranges = runs.solve(file, "--bands", "sw_flux_up_band");
  // By wavenumber the bands from 16000 cm-1 up are the last four.
  for (auto const& [name, visible, infrared] :
       {std::tuple("albedo_direct", "asdir", "aldir"), std::tuple("albedo_diffuse", "asdif", "aldif")}) {
    auto& albedo = file.extra[name] = {{"column", "sw_band"}, "1", {}};
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t b = 0; b < 14; ++b) albedo.values.push_back(file.extra[b < 10 ? infrared : visible].values[c]);
  }
  for (char const* const name : {"asdir", "asdif", "aldir", "aldif"}) file.extra.erase(name);
  auto const of_bands = runs.solve(file, "--bands --band-order wavenumber", "sw_flux_up_band");
  ASSERT_EQ(of_ranges.size(), of_bands.size());
  for (std::size_t i = 0; i < of_ranges.size(); ++i)
    ASSERT_EQ(of_bands[i], of_ranges[i / 14 * 14 + (i % 14 == 0 ? 13 : i % 14 - 1)]) << i;
}

TEST(Shortwave, BandsInEitherOrder) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto file = sunny();
  // Aerosol in the first layer and in one band, 820-2600 cm-1.
  for (auto const& [name, value] : {std::pair("tauaer", 2.), std::pair("ssaaer", 0.), std::pair("asmaer", 0.)}) {
    auto& variable = file.extra[name] = {{"column", "layer", "sw_band"}, "1", std::vector<double>(4 * 12 * 14)};
    for (std::size_t c = 0; c < 4; ++c) variable.values[(c * 12) * 14 + 13] = value;
  }
  auto const original = runs.solve(file, "--bands", "sw_flux_dn_band");
  EXPECT_EQ(io::Hdf5File(runs.result()).read("sw_wavenumber_low")[13], 820);
  for (auto& [name, variable] : file.extra)
    if (variable.dimensions.back() == "sw_band")
      for (auto row = variable.values.begin(); row != variable.values.end(); row += 14)
        std::rotate(row, row + 13, row + 14);
  auto const by_wavenumber = runs.solve(file, "--bands --band-order wavenumber", "sw_flux_dn_band");
  EXPECT_EQ(io::Hdf5File(runs.result()).read("sw_wavenumber_low")[0], 820);
  ASSERT_EQ(original.size(), by_wavenumber.size());
  for (std::size_t i = 0; i < original.size(); ++i)
    ASSERT_EQ(by_wavenumber[i], original[i / 14 * 14 + (i % 14 == 0 ? 13 : i % 14 - 1)]) << i;
  auto const sum = io::Hdf5File(runs.result()).read("sw_flux_dn");
  for (std::size_t i = 0; i < sum.size(); ++i) {
    double flux = 0;
    for (std::size_t b = 0; b < 14; ++b) flux += by_wavenumber[i * 14 + b];
    EXPECT_NEAR(flux, sum[i], 1e-9);
  }
  // The aerosol darkens that band below it.
  for (auto& [name, variable] : file.extra)
    if (name == "tauaer") std::fill(variable.values.begin(), variable.values.end(), 0.);
  auto const without = runs.solve(file, "--bands --band-order wavenumber", "sw_flux_dn_band");
  EXPECT_LT(by_wavenumber[0], 0.3 * without[0]);
  EXPECT_NEAR(by_wavenumber[5], without[5], 1e-9);
}

TEST(Shortwave, OptionsThatChangeWhatTheySay) {
  PARHELION_SHORTWAVE_RUNS(runs);
  PARHELION_REQUIRE_DATA(input, "rrtmg_sw/case_sw_clear_a.nc");
  auto const fluxes = [&](std::string const& options, std::string const& name) {
    auto const outcome = runs.run_path(input, "--quiet " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    return io::Hdf5File(runs.result()).read(name);
  };
  auto const plain = fluxes("", "sw_flux_dn");
  EXPECT_EQ(plain, fluxes("--band28-level 42 --direct scaled --band-order original --chunk 5", "sw_flux_dn"));
  EXPECT_EQ(plain, fluxes("--direct unscaled", "sw_flux_dn"));
  double const level = largest_difference(plain, fluxes("--band28-level 58", "sw_flux_dn"));
  EXPECT_GT(level, 0.01);
  EXPECT_LT(level, 1);
  double const in_float = largest_difference(plain, fluxes("--real float", "sw_flux_dn"));
  EXPECT_GT(in_float, 0);
  EXPECT_LE(in_float, 0.05);
}

// --- input ---

TEST(Shortwave, BadInputIsRefusedByNameAndIndex) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto const spoiled = [&](auto const& spoil, std::string const& message, std::string const& options = "") {
    auto file = sunny();
    spoil(file);
    runs.expect_refusal(file, "in.nc: " + message, options);
  };
  spoiled([](auto& file) { file.extra.erase("coszen"); }, "coszen: missing");
  spoiled([](auto& file) { file.extra.erase("aldif"); }, "aldif: missing: the shortwave needs the albedo");
  spoiled([](auto& file) { file.extra.erase("o2vmr"); }, "o2vmr: missing");
  spoiled([](auto& file) { file.extra["coszen"].values[3] = -1.5; },
          "coszen(3) = -1.5, expected a cosine from -1 to 1");
  spoiled([](auto& file) { file.extra["asdir"].values[2] = 1.5; }, "asdir(2) = 1.5, expected an albedo from 0 to 1");
  spoiled([](auto& file) { file.tlay[13] = 150; }, "tlay(1, 1) = 150 K, expected 160 to 400 K");
  spoiled(
      [](auto& file) {
        file.add_layer_clouds(0.5);
        file.extra["rei"].values[5] = 200;
      },
      "rei(0, 5) = 200 um, expected 5 to 140 um with iceflgsw = 3");
  spoiled([](auto&) {}, "an overlap was asked for, but the file has no clouds of layers", "--overlap random");

  // What the shortwave does not look at may be missing or anything.
  auto file = sunny();
  auto const plain = runs.solve(file);
  std::fill(file.tsfc.begin(), file.tsfc.end(), NAN);
  std::fill(file.tlev.begin(), file.tlev.end(), NAN);
  EXPECT_EQ(runs.solve(file), plain);
  // Clipping is counted.
  file.tlay[13] = 150;
  EXPECT_EQ(runs.run_file(file, "--clip").code, 0);
  EXPECT_EQ(io::Hdf5File(runs.result()).text_attribute("", "out_of_range"), "clip: 1 of tlay");
}

TEST(Shortwave, CloudsOfLayersAndOfGpoints) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto const clear = sunny();
  auto overcast = clear, broken = clear, of_gpoints = clear;
  overcast.add_layer_clouds(1);
  broken.add_layer_clouds(0.5);
  of_gpoints.add_gpoint_clouds("", "sw_gpt");
  auto const without = runs.solve(clear), all = runs.solve(overcast), some = runs.solve(broken);
  EXPECT_LT(all[0], some[0]);
  EXPECT_LT(some[0], without[0]);
  EXPECT_LE(largest_difference(without, io::Hdf5File(runs.result()).read("sw_flux_dn_clear")), 1e-9);
  EXPECT_LE(largest_difference(all, runs.solve(of_gpoints)), 1e-9) << "cloudy in all g-points, however given";
  EXPECT_EQ(largest_difference(some, runs.solve(broken, "--seed 0 --overlap maximum-random")), 0);
  EXPECT_GT(largest_difference(some, runs.solve(broken, "--seed 5")), 1e-3);
  EXPECT_EQ(io::Hdf5File(runs.result()).text_attribute("", "clouds"), "of layers, overlap maximum-random, seed 5");
  EXPECT_GT(largest_difference(some, runs.solve(broken, "--overlap exponential")), 1e-3);
  for (std::string const optics : {"broad-bands", "streamer"})
    EXPECT_GT(largest_difference(all, runs.solve(overcast, "--ice-optics " + optics)), 1e-3) << optics;

  // Turned off: as without clouds, with clear-sky results beside.
  overcast.extra["icld"] = {{}, "1", {0}};
  EXPECT_EQ(runs.solve(overcast), without);
  for (std::string const name : {"flux_dn", "flux_dn_direct", "flux_dn_uvvis", "flux_dn_direct_nir", "heating_rate"})
    EXPECT_EQ(io::Hdf5File(runs.result()).read("sw_" + name + "_clear"),
              io::Hdf5File(runs.result()).read("sw_" + name));
}

TEST(Shortwave, DryRunTellsThePlanOfBothRanges) {
  PARHELION_SHORTWAVE_RUNS(runs);
  auto const outcome = runs.run_file(sunny(), runs.both() + " --dry-run --chunk 3");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  for (std::string const part :
       {"4 columns of 12 layers, RRTMG_LW and RRTMG_SW gas optics", "of 3 columns", "then, shortwave", "host memory"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  EXPECT_EQ(files_in(runs.folder).size(), 1U);
}
