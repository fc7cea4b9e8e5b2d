// SPDX-License-Identifier: BSD-3-Clause
// `parhelion fluxes` as its users meet it: files in, files out, messages and exit codes.
#include <parhelion/core/device.hpp>
#include <parhelion/io/hdf5.hpp>

#include "column_file.hpp"
#include "program.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

TEST(Fluxes, ReferenceCasesThroughFiles) {
  PARHELION_REQUIRE_DATA(input, "rrtmg_lw/case_clear_a.nc");
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  std::string const output = folder + "/out.nc";
  io::Hdf5File const reference(input);
  for (std::string const mode : {"table", "exact"}) {
    auto const outcome = run("fluxes " + quoted(input) + " --coefficients " + quoted(coefficients) +
                             " --transmittance " + mode + " -o " + quoted(output));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("columns/s"), std::string::npos) << outcome.output;
    io::Hdf5File const result(output);
    double const tolerance = mode == "table" ? 1e-6 : 0.02;
    EXPECT_LE(largest_difference(result.read("flux_up"), reference.read("uflx")), tolerance);
    EXPECT_LE(largest_difference(result.read("flux_dn"), reference.read("dflx")), tolerance);
    EXPECT_EQ(result.text_attribute("flux_up", "units"), "W m-2");
    EXPECT_EQ(result.text_attribute("heating_rate", "units"), "K day-1");
    auto const up = result.read("flux_up"), dn = result.read("flux_dn"), net = result.read("flux_net");
    for (std::size_t i = 0; i < net.size(); ++i) ASSERT_EQ(net[i], up[i] - dn[i]);
  }
}

TEST(Fluxes, RfmipLayout) {
  PARHELION_REQUIRE_DATA(input, "rfmip/rfmip_atmospheres.nc");
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  // Found through $PARHELION_DATA, one folder down.
  std::string const data =
      "env PARHELION_DATA=/nowhere:" + std::filesystem::path(coefficients).parent_path().parent_path().string();
  ASSERT_EQ(run("fluxes " + quoted(input) + " --quiet -o " + quoted(folder + "/all.nc"), data).code, 0);
  ASSERT_EQ(run("fluxes " + quoted(input) + " --quiet --experiment 3 -o " + quoted(folder + "/third.nc"), data).code,
            0);
  io::Hdf5File const all(folder + "/all.nc"), third(folder + "/third.nc");
  EXPECT_EQ(all.shape("rlu"), (std::vector<std::size_t>{18, 100, 61}));
  EXPECT_EQ(all.shape("heating_rate"), (std::vector<std::size_t>{18, 100, 60}));
  EXPECT_EQ(third.shape("rld"), (std::vector<std::size_t>{1, 100, 61}));
  EXPECT_EQ(largest_difference(all.read("rlu", 2, 1), third.read("rlu")), 0) << "an experiment is a subset";
  // The top comes first in this file, and in the result.
  auto const down = third.read("rld");
  EXPECT_EQ(down[0], 0);
  EXPECT_GT(down[60], 100);
  // Four times the CO2 of the past keeps 5 W m-2 or more from leaving.
  auto const mean_outgoing = [&](std::size_t experiment) {
    auto const up = all.read("rlu", experiment, 1), weight = all.read("profile_weight");
    double sum = 0, weights = 0;
    for (std::size_t site = 0; site < 100; ++site) {
      sum += weight[site] * up[site * 61];
      weights += weight[site];
    }
    return sum / weights;
  };
  EXPECT_NEAR(mean_outgoing(1) - mean_outgoing(2), 7, 2);
  EXPECT_NEAR(mean_outgoing(0), 264, 4);
}

TEST(Fluxes, SimpleModelNeedsNoFileAndKeepsTheInputsOrder) {
  std::string const folder = scratch_folder();
  ColumnFile(false).write(folder + "/up.nc");
  ColumnFile down(true);
  for (auto* const values : {&down.play, &down.plev})
    for (double& p : *values) p *= 100;
  down.pressure_unit = "Pa";
  down.write(folder + "/down.nc");
  for (std::string const name : {"up", "down"})
    ASSERT_EQ(run("fluxes --gas-optics simple " + quoted(folder + "/" + name + ".nc") + " -o " +
                  quoted(folder + "/" + name + "_out.nc"))
                  .code,
              0);
  io::Hdf5File const up(folder + "/up_out.nc"), flipped(folder + "/down_out.nc");
  auto const a = up.read("flux_up"), b = flipped.read("flux_up");
  auto const p = up.read("heating_rate"), q = flipped.read("heating_rate");
  double const rounding = 1e-11;  // hPa and Pa differ by an ulp
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t k = 0; k <= 12; ++k) EXPECT_NEAR(a[c * 13 + k], b[c * 13 + 12 - k], rounding);
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(p[c * 12 + k], q[c * 12 + 11 - k], 1e-9);
    EXPECT_GT(a[c * 13], a[c * 13 + 12]) << "the surface, at index 0 here, sends up more than leaves at the top";
  }
}

TEST(Fluxes, OptionsThatMustNotChangeTheResult) {
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  auto const solve = [&](std::string const& options) {
    std::string const output = folder + "/out.nc";
    auto const outcome = run("fluxes --gas-optics simple --quiet " + quoted(folder + "/in.nc") + " -o " +
                             quoted(output) + " " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "") << "--quiet";
    return io::Hdf5File(output).read("flux_up");
  };
  auto const plain = solve("");
  EXPECT_EQ(largest_difference(plain, solve("--chunk 1")), 0);
  EXPECT_EQ(largest_difference(plain, solve("--chunk 3 --transmittance exact --real double --experiment all")), 0);
  for (auto const& space : execution_space_names())
    EXPECT_LE(largest_difference(plain, solve("--space " + space)), 1e-10) << space;
  double const in_float = largest_difference(plain, solve("--real float"));
  EXPECT_GT(in_float, 0);
  EXPECT_LE(in_float, 0.1);
  EXPECT_GT(largest_difference(plain, solve("--extra-layer")), 1e-9);
}

TEST(Fluxes, BadUsageExitsWithTwo) {
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  std::string const input = quoted(folder + "/in.nc");
  for (std::string const& arguments :
       {std::string(),
        std::string("fluxes"),
        "fluxes --gas-optics grey " + input,
        "fluxes --real half " + input,
        "fluxes --chunk 0 " + input,
        "fluxes --chunk many " + input,
        "fluxes --bogus " + input,
        "fluxes --transmittance table --gas-optics simple " + input,
        "fluxes --coefficients some --gas-optics simple " + input,
        "flux " + input,
        "fluxes --overlap some " + input,
        "fluxes --seed=-1 " + input,
        "fluxes --seed 1.5 " + input,
        "fluxes --seed 18446744073709551616 " + input,
        "fluxes --ice-optics 3 " + input,
        "fluxes --liquid-optics fu " + input,
        "fluxes --day 100 " + input,
        "fluxes --overlap exponential --day 100 --decorrelation-length 1000 " + input,
        "fluxes --overlap exponential --decorrelation-length latitude " + input,
        "fluxes --overlap exponential --decorrelation-length latitude --day 367 " + input,
        "fluxes --overlap exponential --decorrelation-length long " + input,
        "fluxes --overlap exponential --decorrelation-length=-5 " + input,
        "fluxes --overlap exponential --decorrelation-length inf " + input,
        "fluxes --overlap random --decorrelation-length 1000 " + input,
        "fluxes --gas-optics simple --bands " + input,
        "fluxes --gas-optics simple --derivative " + input,
        "fluxes --out-of-range ignore " + input,
        "fluxes --clip --out-of-range extrapolate " + input,
        "fluxes --gas-optics simple --overlap random " + input,
        "fluxes --gas-optics simple --seed 0 " + input,
        "fluxes --gas-optics simple --ice-optics fu " + input,
        "fluxes --gas-optics simple --liquid-optics hu-stamnes " + input,
        "fluxes --gas-optics simple --decorrelation-length 1000 " + input}) {
    auto const outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << '\n' << outcome.output;
    EXPECT_NE(outcome.output.find("--help"), std::string::npos) << outcome.output;
  }
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("fluxes --help").code, 0);
  EXPECT_EQ(run("--version").code, 0);
}

TEST(Fluxes, MissingCoefficientsAreAnErrorThatSaysWhereItLooked) {
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  std::string const arguments = quoted(folder + "/in.nc") + " -o " + quoted(folder + "/out.nc");
  expect_refused("fluxes", folder, arguments, "/somewhere", "env PARHELION_DATA=/somewhere:" + folder);
  expect_refused("fluxes", folder, arguments, "WRF", "env -u PARHELION_DATA");
  expect_refused("fluxes", folder, arguments + " --coefficients " + quoted(folder + "/none.DBL"), "none.DBL");
}

TEST(Fluxes, DamagedCoefficientsAreRefused) {
  PARHELION_REQUIRE_DATA(good, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  PARHELION_REQUIRE_DATA(shortwave, "rrtmg_lw/RRTMG_SW_DATA.DBL");
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  std::string const truncated = folder + "/truncated.DBL";
  std::filesystem::copy_file(good, truncated);
  std::filesystem::permissions(truncated, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  std::filesystem::resize_file(truncated, 1000000);
  std::string const arguments = quoted(folder + "/in.nc") + " -o " + quoted(folder + "/out.nc") + " --coefficients ";
  expect_refused("fluxes", folder, arguments + quoted(truncated), "truncated.DBL");
  expect_refused("fluxes", folder, arguments + quoted(shortwave), "RRTMG_SW_DATA.DBL");
  expect_refused("fluxes", folder, arguments + quoted(folder + "/in.nc"), "in.nc");
  // A number with another sign, as a flipped bit makes it: behind the marker of four bytes the highest bit comes first.
  std::string const negative = folder + "/negative.DBL";
  std::filesystem::copy_file(good, negative);
  std::filesystem::permissions(negative, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  std::fstream file(negative, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(4 + 8 * 1000);
  char const first = static_cast<char>(file.get());
  file.seekp(4 + 8 * 1000);
  file.put(static_cast<char>(first ^ '\x80'));
  file.close();
  expect_refused("fluxes", folder, arguments + quoted(negative), "negative.DBL: record 1: number 1001 of 5664 is -");
}

TEST(Fluxes, BadInputIsRefusedByNameAndIndex) {
  std::string const folder = scratch_folder();
  std::string const input = folder + "/in.nc";
  std::string const arguments = "--gas-optics simple " + quoted(input) + " -o " + quoted(folder + "/out.nc");
  auto const spoiled = [&](auto const& spoil, std::string const& message) {
    ColumnFile file;
    spoil(file);
    file.write(input);
    expect_refused("fluxes", folder, arguments, message);
  };
  spoiled([](ColumnFile& f) { f.tlay[13] = NAN; }, "tlay(1, 1)");
  spoiled([](ColumnFile& f) { f.tlev[1] = -3; }, "tlev(0, 1)");
  spoiled([](ColumnFile& f) { f.water[25] = -1e-5; }, "h2ovmr(2, 1)");
  spoiled([](ColumnFile& f) { f.play[0] = -10; }, "play(0, 0)");
  spoiled([](ColumnFile& f) { f.emis[3] = 1.01; }, "emis(3)");
  spoiled([](ColumnFile& f) { f.tsfc[0] = INFINITY; }, "tsfc(0)");
  spoiled([](ColumnFile& f) { std::swap(f.plev[4], f.plev[5]); }, "plev(0, ");
  spoiled([](ColumnFile& f) { f.pressure_unit = "furlong"; }, "furlong");

  ColumnFile().write(input);
  expect_refused("fluxes", folder, "--gas-optics simple " + quoted(folder + "/absent.nc"), "absent.nc");
  expect_bad_usage("fluxes " + arguments + " --space abacus", "abacus");
  expect_refused("fluxes", folder, arguments + " --experiment 2", "experiment");
  expect_refused("fluxes", folder, "--gas-optics simple " + quoted(input) + " -o /nonexistent/folder/out.nc",
                 "/nonexistent/folder");
  expect_refused("fluxes", folder, "--gas-optics simple " + quoted(input) + " -o " + quoted(input), "in.nc");
  std::filesystem::resize_file(input, std::filesystem::file_size(input) / 2);
  expect_refused("fluxes", folder, arguments, "in.nc");
}

// --- clouds, aerosol, derivatives, bands ------------------------------------------------------------------------

TEST(Fluxes, ReferenceCasesWithClouds) {
  PARHELION_REQUIRE_DATA(input, "rrtmg_lw/case_cloud_a.nc");
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  std::string const output = folder + "/out.nc";
  io::Hdf5File const reference(input);
  for (std::string const mode : {"table", "exact"}) {
    auto const outcome = run("fluxes " + quoted(input) + " --coefficients " + quoted(coefficients) +
                             " --transmittance " + mode + " -o " + quoted(output));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    for (std::string const part :
         {"clouds of g-points", " columns in flight on each: ", " MB of host buffers", " columns/s"})
      EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
    io::Hdf5File const result(output);
    // One g-point may fall on the neighbouring entry of the table; exact transmittances differ from it everywhere.
    double const tolerance = mode == "table" ? 0.005 : 0.05;
    for (auto const& [mine, theirs] : {std::pair("flux_up", "uflx"), std::pair("flux_dn", "dflx"),
                                       std::pair("flux_up_clear", "uflxc"), std::pair("flux_dn_clear", "dflxc")})
      EXPECT_LE(largest_difference(result.read(mine), reference.read(theirs)), tolerance) << mine << ' ' << mode;
    auto const up = result.read("flux_up_clear"), dn = result.read("flux_dn_clear"),
               net = result.read("flux_net_clear");
    for (std::size_t i = 0; i < net.size(); ++i) ASSERT_EQ(net[i], up[i] - dn[i]);
    EXPECT_EQ(result.shape("heating_rate_clear"), reference.shape("hrc"));
    EXPECT_EQ(result.text_attribute("", "clouds"), "of g-points");
    EXPECT_FALSE(result.exists("dflux_up_dt"));
  }
}

// Four columns with and without clouds, of which the file asks for derivatives.
TEST(Fluxes, DerivativesAndBandsOfTheReference) {
  PARHELION_REQUIRE_DATA(input, "rrtmg_lw/debug_a.nc");
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  std::string const output = folder + "/out.nc";
  auto const outcome = run("fluxes " + quoted(input) + " --coefficients " + quoted(coefficients) +
                           " --transmittance table --bands -o " + quoted(output));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  io::Hdf5File const reference(input), result(output);
  for (auto const& [mine, theirs] : {std::pair("flux_up", "uflx"), std::pair("flux_dn", "dflx"),
                                     std::pair("flux_up_clear", "uflxc"), std::pair("flux_dn_clear", "dflxc"),
                                     std::pair("flux_up_band", "uflx_band"), std::pair("flux_dn_band", "dflx_band")})
    EXPECT_LE(largest_difference(result.read(mine), reference.read(theirs)), 0.005) << mine;
  for (auto const& [mine, theirs] : {std::pair("dflux_up_dt", "duflx_dt"), std::pair("dflux_up_clear_dt", "duflxc_dt")})
    EXPECT_LE(largest_difference(result.read(mine), reference.read(theirs)), 1e-4) << mine;
  EXPECT_EQ(result.text_attribute("dflux_up_dt", "units"), "W m-2 K-1");
  EXPECT_EQ(result.shape("flux_up_band"), (std::vector<std::size_t>{4, 52, 16}));
}

// Common to the tests below: a file, the program with RRTMG_LW's gas optics, its result.
struct CloudyRuns {
  std::string coefficients;
  std::string folder = scratch_folder();

  Outcome run_file(ColumnFile const& file, std::string const& options = "") const {
    file.write(folder + "/in.nc");
    return run("fluxes " + quoted(folder + "/in.nc") + " --coefficients " + quoted(coefficients) + " -o " +
               quoted(folder + "/out.nc") + " " + options);
  }

  std::vector<double> solve(ColumnFile const& file, std::string const& options = "",
                            std::string const& name = "flux_up") const {
    auto const outcome = run_file(file, options);
    if (outcome.code != 0) throw std::runtime_error(outcome.output);
    return io::Hdf5File(folder + "/out.nc").read(name);
  }
};

TEST(Fluxes, CloudsOfLayers) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile clear;
  clear.add_gases();
  auto overcast = clear, broken = clear, of_gpoints = clear;
  overcast.add_layer_clouds(1);
  broken.add_layer_clouds(0.5);
  of_gpoints.add_gpoint_clouds();

  auto const without = runs.solve(clear), all = runs.solve(overcast), some = runs.solve(broken);
  ASSERT_EQ(all.size(), 4U * 13U);
  for (std::size_t c = 0; c < 4; ++c) {
    std::size_t const top = c * 13 + 12;
    EXPECT_GT(without[top] - all[top], 5) << "clouds are colder than what lies below";
    EXPECT_GT(without[top], some[top]);
    EXPECT_GT(some[top], all[top]);
  }
  EXPECT_LE(largest_difference(all, runs.solve(of_gpoints)), 1e-9) << "cloudy in all g-points, however given";
  EXPECT_LE(largest_difference(without, runs.solve(broken, "", "flux_up_clear")), 1e-9);
  for (std::string const overlap : {"random", "maximum", "exponential", "exponential-random"})
    EXPECT_LE(largest_difference(all, runs.solve(overcast, "--overlap " + overlap)), 1e-9) << overlap;

  // Subcolumns depend on the seed and the overlap, and on nothing else.
  EXPECT_EQ(largest_difference(some, runs.solve(broken, "--overlap maximum-random --seed 0")), 0);
  EXPECT_EQ(largest_difference(some, runs.solve(broken, "--chunk 1")), 0);
  EXPECT_GT(largest_difference(some, runs.solve(broken, "--seed 18446744073709551615")), 1e-3);
  EXPECT_GT(largest_difference(some, runs.solve(broken, "--overlap random")), 1e-3);
  auto of_file = broken;
  of_file.extra["icld"] = {{}, "1", {1}};
  EXPECT_EQ(largest_difference(runs.solve(broken, "--overlap random"), runs.solve(of_file)), 0);
  EXPECT_EQ(io::Hdf5File(runs.folder + "/out.nc").text_attribute("", "clouds"), "of layers, overlap random, seed 0");

  ColumnFile turned(true);
  turned.add_gases();
  turned.add_layer_clouds(0.5);
  auto const from_top = runs.solve(turned);
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t k = 0; k <= 12; ++k) EXPECT_NEAR(from_top[c * 13 + k], some[c * 13 + 12 - k], 1e-9);
}

TEST(Fluxes, DecorrelationLengths) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile file;
  file.add_gases();
  file.add_layer_clouds(0.5);
  std::string const exponential = "--overlap exponential ";
  auto const plain = runs.solve(file, exponential);
  EXPECT_EQ(io::Hdf5File(runs.folder + "/out.nc").text_attribute("", "clouds"),
            "of layers, overlap exponential, seed 0, decorrelation length 2500 m");
  EXPECT_EQ(largest_difference(plain, runs.solve(file, exponential + "--decorrelation-length 2500")), 0);
  EXPECT_GT(largest_difference(plain, runs.solve(file, exponential + "--decorrelation-length 100")), 1e-3);
  auto const latitude = exponential + "--decorrelation-length latitude --day 100";
  EXPECT_EQ(runs.run_file(file, latitude).code, 1);
  EXPECT_NE(runs.run_file(file, latitude).output.find("lat: missing"), std::string::npos);
  file.extra["lat"] = {{"column"}, "degrees_north", {-80, -10, 30, 60}};
  EXPECT_GT(largest_difference(plain, runs.solve(file, latitude)), 1e-3);
  auto const refused = runs.run_file(file, "--decorrelation-length 1000");
  EXPECT_EQ(refused.code, 1) << "maximum-random, when nothing else is said";
  EXPECT_NE(refused.output.find("expected an exponential"), std::string::npos) << refused.output;
}

TEST(Fluxes, BadCloudsAreRefusedOrClipped) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile good;
  good.add_gases();
  good.add_layer_clouds(1);
  auto const refused = [&](ColumnFile const& file, std::string const& message, std::string const& options = "") {
    file.write(runs.folder + "/in.nc");
    std::string const output = runs.folder + "/refused.nc";
    expect_refused("fluxes", runs.folder,
                   quoted(runs.folder + "/in.nc") + " --coefficients " + quoted(coefficients) + " -o " +
                       quoted(output) + " " + options,
                   message);
  };
  auto bad = good;
  bad.extra["cldfrac"].values[1] = 1.25;
  bad.extra["ciwp"].values[12 + 7] = -3;
  bad.extra["rel"].values[24 + 2] = 70;
  refused(bad, "cldfrac(0, 1) = 1.25, expected a cloud fraction from 0 to 1");
  auto brought_back = good;
  brought_back.extra["rel"].values[24 + 2] = 60;
  auto const expected = runs.solve(brought_back), clipped = runs.solve(bad, "--clip");
  EXPECT_LE(largest_difference(clipped, expected), 1e-12) << "60 um are the end of the range to rounding";
  EXPECT_EQ(io::Hdf5File(runs.folder + "/out.nc").text_attribute("", "clipped_in_clouds"),
            "1 fractions, 1 water paths, 1 sizes, 0 optical depths");
  auto const outcome = runs.run_file(bad, "--clip");
  EXPECT_NE(outcome.output.find("clipped in clouds: 1 fractions, 1 water paths, 1 sizes, 0 optical depths"),
            std::string::npos)
      << outcome.output;
  bad.extra["clwp"].values[2] = NAN;
  refused(bad, "clwp(0, 2) = nan", "--clip");

  auto flag = good;
  flag.extra["inflglw"] = {{}, "1", {1}};
  refused(flag, "inflglw = 1, expected 2");
  auto both = good;
  both.add_gpoint_clouds();
  refused(both, "has clouds of g-points (cldfmcl) and of layers (cldfrac)");
  auto of_gpoints = ColumnFile();
  of_gpoints.add_gases();
  of_gpoints.add_gpoint_clouds();
  refused(of_gpoints, "an overlap was asked for, but the file has no clouds of layers", "--overlap random");
  of_gpoints.extra["inflglw"] = {{"column"}, "1", {2, 2, 1, 2}};
  refused(of_gpoints, "inflglw(2) = 1, expected 0 (optical depths) or 2 (water paths); 1 is not available with McICA");
}

TEST(Fluxes, ParticleOpticsByName) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile file;
  file.add_gases();
  file.add_layer_clouds(1);
  auto const plain = runs.solve(file);
  std::vector<std::vector<double>> results;
  for (std::string const option : {"--ice-optics all-bands", "--ice-optics broad-bands", "--ice-optics streamer",
                                   "--ice-optics fu", "--liquid-optics all-bands", "--liquid-optics hu-stamnes"})
    results.push_back(runs.solve(file, option));
  EXPECT_EQ(largest_difference(results[3], plain), 0);
  EXPECT_EQ(largest_difference(results[5], plain), 0);
  for (std::size_t const i : {0U, 1U, 2U, 4U}) EXPECT_GT(largest_difference(results[i], plain), 1e-3) << i;
  for (double const iceflglw : {0., 1., 2., 3.}) {
    auto with_flag = file;
    with_flag.extra["iceflglw"] = {{}, "1", {iceflglw}};
    EXPECT_EQ(largest_difference(results[static_cast<std::size_t>(iceflglw)], runs.solve(with_flag)), 0);
  }
}

TEST(Fluxes, CloudsThatIcldTurnsOff) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile clear;
  clear.add_gases();
  auto file = clear;
  file.add_layer_clouds(1);
  file.extra["cldfrac"].values[0] = 7;  // not looked at
  file.extra["icld"] = {{}, "1", {0}};
  auto const without = runs.solve(clear);
  EXPECT_FALSE(io::Hdf5File(runs.folder + "/out.nc").exists("flux_up_clear"));
  EXPECT_EQ(largest_difference(without, runs.solve(file)), 0);
  EXPECT_EQ(largest_difference(without, runs.solve(file, "", "flux_up_clear")), 0);
  EXPECT_EQ(io::Hdf5File(runs.folder + "/out.nc").read("heating_rate_clear"),
            io::Hdf5File(runs.folder + "/out.nc").read("heating_rate"));
  file.extra["icld"] = {{"column"}, "1", {0, 2, 0, 2}};
  auto const up = runs.solve(file), up_clear = runs.solve(file, "", "flux_up_clear");
  for (std::size_t c = 0; c < 4; ++c) {
    double const difference = up_clear[c * 13 + 12] - up[c * 13 + 12];
    if (c % 2 == 0) {
      EXPECT_NEAR(difference, 0, 1e-9);
    } else {
      EXPECT_GT(difference, 5);
    }
  }
}

TEST(Fluxes, AerosolAbsorbs) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile clear;
  clear.add_gases();
  auto dusty = clear;
  // In the lowest layer of the first column, and in the window only.
  auto& depth = dusty.extra["tauaer"] = {{"column", "layer", "band"}, "1", std::vector<double>(4 * 12 * 16)};
  for (std::size_t band = 5; band < 8; ++band) depth.values[band] = 0.5;
  auto const dn = runs.solve(clear, "--bands", "flux_dn"), dn_band = runs.solve(clear, "--bands", "flux_dn_band");
  auto const more = runs.solve(dusty, "--bands", "flux_dn"), more_band = runs.solve(dusty, "--bands", "flux_dn_band");
  EXPECT_GT(more[0] - dn[0], 5);
  EXPECT_EQ(more[13], dn[13]) << "the second column has none";
  for (std::size_t band = 0; band < 16; ++band) {
    bool const window = band >= 5 && band < 8;
    EXPECT_EQ(more_band[band] > dn_band[band] + 0.1, window) << band;
  }
}

TEST(Fluxes, DerivativeIsThatOfTheFluxes) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile file;
  file.add_gases();
  for (double& emissivity : file.emis) emissivity = 0.9;
  auto const derivative = runs.solve(file, "--derivative", "dflux_up_dt");
  EXPECT_EQ(derivative, io::Hdf5File(runs.folder + "/out.nc").read("dflux_up_clear_dt")) << "there are no clouds";
  EXPECT_FALSE(io::Hdf5File(runs.folder + "/out.nc").exists("flux_up_clear"));
  auto warm = file, cold = file;
  for (double& t : warm.tsfc) t += 0.5;
  for (double& t : cold.tsfc) t -= 0.5;
  auto const up = runs.solve(warm), down = runs.solve(cold);
  ASSERT_EQ(derivative.size(), up.size());
  for (std::size_t i = 0; i < up.size(); ++i) {
    // The Planck radiances are a table by kelvin and so is their derivative, each interpolated by itself.
    EXPECT_NEAR(derivative[i], up[i] - down[i], 0.005 * derivative[i]) << i;
    EXPECT_GT(derivative[i], 0.1);
  }
}

TEST(Fluxes, BandsAddUp) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile file;
  file.add_gases();
  file.add_layer_clouds(0.5);
  for (std::string const name : {"flux_up", "flux_dn"}) {
    auto const bands = runs.solve(file, "--bands", name + "_band"), sum = runs.solve(file, "--bands", name);
    ASSERT_EQ(bands.size(), sum.size() * 16);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      double flux = 0;
      for (std::size_t band = 0; band < 16; ++band) flux += bands[i * 16 + band];
      EXPECT_NEAR(flux, sum[i], 1e-9);
    }
  }
}

TEST(Fluxes, TheSimpleModelRefusesWhatItDoesNotKnow) {
  std::string const folder = scratch_folder();
  std::string const arguments =
      "--gas-optics simple " + quoted(folder + "/in.nc") + " -o " + quoted(folder + "/out.nc");
  auto const refused = [&](auto const& change, std::string const& message) {
    ColumnFile file;
    change(file);
    file.write(folder + "/in.nc");
    expect_refused("fluxes", folder, arguments, message);
  };
  std::string const end = ", expected none with --gas-optics simple";
  refused([](auto& file) { file.add_layer_clouds(0.5); }, "in.nc: has clouds" + end);
  refused([](auto& file) { file.add_gpoint_clouds(); }, "in.nc: has clouds" + end);
  refused(
      [](auto& file) {
        file.extra["tauaer"] = {{"column", "layer", "band"}, "1", std::vector<double>(4 * 12 * 16, 0.1)};
      },
      "in.nc: has aerosol (tauaer)" + end);
  refused([](auto& file) { file.extra["idrv"] = {{}, "1", {1}}; }, "in.nc: has idrv = 1, derivatives" + end);

  // Clouds that are turned off and aerosol of no depth change nothing.
  ColumnFile plain;
  plain.write(folder + "/in.nc");
  ASSERT_EQ(run("fluxes " + arguments).code, 0);
  auto const up = io::Hdf5File(folder + "/out.nc").read("flux_up");
  plain.add_layer_clouds(0.5);
  plain.extra["icld"] = {{}, "1", {0}};
  plain.extra["tauaer"] = {{"column", "layer", "band"}, "1", std::vector<double>(4 * 12 * 16)};
  plain.write(folder + "/in.nc");
  auto const outcome = run("fluxes " + arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(io::Hdf5File(folder + "/out.nc").read("flux_up"), up);
  EXPECT_EQ(io::Hdf5File(folder + "/out.nc").read("flux_up_clear"), up);
}

TEST(Fluxes, RfmipFilesHaveNoClouds) {
  PARHELION_REQUIRE_DATA(input, "rfmip/rfmip_atmospheres.nc");
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  for (auto const& [option, wish] :
       {std::pair("--overlap random", "an overlap"), std::pair("--seed 3", "a seed"),
        std::pair("--overlap exponential --decorrelation-length 1000", "an overlap"),
        std::pair("--ice-optics fu", "optics of ice"), std::pair("--liquid-optics all-bands", "optics of droplets")})
    expect_refused(
        "fluxes", folder,
        quoted(input) + " --coefficients " + quoted(coefficients) + " -o " + quoted(folder + "/out.nc") + " " + option,
        std::string(wish) + " was asked for, but an RFMIP file has no clouds");
}

TEST(Fluxes, WholeNumbersOfOptionsAreDecimal) {
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  std::string const input = "fluxes " + quoted(folder + "/in.nc") + " ";
  for (std::string const seed : {"18446744073709551616", "-1", "+5", "0x10", "1.0", "5x"})
    expect_bad_usage(input + "--seed=" + seed,
                     "--seed: " + seed + ", expected a whole number from 0 to 18446744073709551615");
  expect_bad_usage(input + "--seed=' 5'", "--seed:  5, expected a whole number");
  for (std::string const chunk : {"0", "0x8", "08x", "2147483648"})
    expect_bad_usage(input + "--chunk " + chunk,
                     "--chunk: " + chunk + ", expected a whole number from 1 to 2147483647");
  EXPECT_EQ(run(input + "--gas-optics simple --chunk 08").code, 0);
}

// --- ranges of the gas optics, and sizes ------------------------------------------------------------------------

TEST(Fluxes, InputOutOfRangeIsRefusedByDefault) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  auto const refused = [&](auto const& spoil, std::string const& message, std::string const& options) {
    ColumnFile file;
    file.add_gases();
    spoil(file);
    file.write(folder + "/in.nc");
    expect_refused("fluxes", folder, quoted(folder + "/in.nc") + " -o " + quoted(folder + "/out.nc") + " " + options,
                   "in.nc: " + message);
  };
  auto const celsius = [](ColumnFile& file) { file.tsfc[1] = 15; };
  auto const hot = [](ColumnFile& file) { file.tsfc[3] = 1e30; };
  auto const pascal = [](ColumnFile& file) {
    for (auto* const values : {&file.play, &file.plev})
      for (double& p : *values) p *= 100;
  };
  std::string const rrtmg = "--coefficients " + quoted(coefficients), simple = "--gas-optics simple";
  refused(celsius, "tsfc(1) = 15 K, expected 160 to 400 K", rrtmg);
  refused(celsius, "tsfc(1) = 15 K, expected 110 to 570 K", simple);
  refused(hot, "tsfc(3) = 1e+30 K, expected 160 to 400 K", rrtmg);
  refused(hot, "tsfc(3) = 1e+30 K, expected 110 to 570 K", simple);
  refused(pascal, "plev(0, 0) = 100000 hPa, expected 0 to 1200 hPa", rrtmg);
  refused(pascal, "plev(0, 0) = 100000 hPa, expected 0 to 1200 hPa", simple);
  refused([](ColumnFile& file) { std::fill(file.tlay.begin(), file.tlay.end(), 140); },
          "tlay(0, 0) = 140 K, expected 160 to 400 K", rrtmg);
  refused([](ColumnFile& file) { std::fill(file.tlev.begin(), file.tlev.end(), 500); },
          "tlev(0, 0) = 500 K, expected 160 to 400 K", rrtmg);
}

TEST(Fluxes, InputOutOfRangeIsClippedOrExtrapolatedAndCounted) {
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  CloudyRuns const runs{coefficients};
  ColumnFile good;
  good.add_gases();
  auto bad = good;
  bad.tsfc[0] = bad.tsfc[2] = 15;
  bad.tlay[13] = 450;
  good.tsfc[0] = good.tsfc[2] = 160;
  good.tlay[13] = 400;
  auto const expected = runs.solve(good);
  auto const attribute = [&] { return io::Hdf5File(runs.folder + "/out.nc").text_attribute("", "out_of_range"); };
  EXPECT_FALSE(attribute().has_value());
  for (std::string const option : {"--out-of-range clip", "--clip"}) {
    EXPECT_EQ(runs.solve(bad, option), expected) << option;
    EXPECT_EQ(attribute(), "clip: 1 of tlay, 2 of tsfc");
    auto const outcome = runs.run_file(bad, option);
    EXPECT_NE(outcome.output.find("out of range (clip): 1 of tlay, 2 of tsfc"), std::string::npos) << outcome.output;
  }
  EXPECT_EQ(runs.solve(good, "--out-of-range extrapolate"), expected);
  EXPECT_EQ(attribute(), "extrapolate: none");
  for (std::string const mode : {"exact", "table"}) {
    auto const up = runs.solve(bad, "--out-of-range extrapolate --transmittance " + mode);
    EXPECT_EQ(attribute(), "extrapolate: 1 of tlay, 2 of tsfc");
    for (double const flux : up) EXPECT_GT(flux, 0);
    // The surface at level 0 sends 97 % of a black body's and reflects the rest of what comes down.
    auto const down = io::Hdf5File(runs.folder + "/out.nc").read("flux_dn");
    EXPECT_NEAR(up[0], 0.97 * 5.670374419e-8 * std::pow(15, 4) + 0.03 * down[0], 0.01 * up[0]) << mode;
  }
}

TEST(Fluxes, DryRunTellsThePlanAndWritesNothing) {
  std::string const folder = scratch_folder();
  ColumnFile().write(folder + "/in.nc");
  std::string const arguments =
      "fluxes --dry-run --gas-optics simple " + quoted(folder + "/in.nc") + " -o " + quoted(folder + "/out.nc");
  auto const outcome = run(arguments + " --chunk 3");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  for (std::string const part :
       {"4 columns of 12 layers, simple spectral model", "1 chunk of 3 columns", "host memory"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  EXPECT_EQ(files_in(folder).size(), 1U);
  ColumnFile bad;
  bad.tsfc[0] = 15;
  bad.write(folder + "/in.nc");
  EXPECT_EQ(run(arguments).code, 1) << "the input is checked";
}

TEST(Fluxes, WhatDoesNotFitIntoMemoryIsRefused) {
  std::string const folder = scratch_folder();
  ColumnFile large;
  for (auto* const values :
       {&large.play, &large.tlay, &large.water, &large.co2, &large.plev, &large.tlev, &large.tsfc, &large.emis}) {
    auto const few = *values;
    values->clear();
    for (int repetition = 0; repetition < 5000; ++repetition) values->insert(values->end(), few.begin(), few.end());
  }
  large.ncol *= 5000;
  large.write(folder + "/large.nc");
  // Whatever is left for the columns beside the program itself: what is too little is known before any is used.
  int refused = 0, solved = 0;
  for (int megabytes = 24; megabytes <= 72; megabytes += 6) {
    auto const outcome = run("fluxes --gas-optics simple --quiet --threads 1 " + quoted(folder + "/large.nc"),
                             "prlimit --data=" + std::to_string(megabytes) + "000000 env OMP_NUM_THREADS=1");
    if (outcome.code == 0) {
      ++solved;
      continue;
    }
    ++refused;
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("large.nc"), std::string::npos) << megabytes << " MB: " << outcome.output;
    EXPECT_NE(outcome.output.find(" of memory, but this process may use "), std::string::npos) << outcome.output;
  }
  EXPECT_GE(refused, 2);
  EXPECT_GE(solved, 2);
}

TEST(Fluxes, InputsAreNotWrittenOver) {
  PARHELION_REQUIRE_DATA(source, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  std::string const coefficients = folder + "/RRTMG_LW_DATA.DBL";
  std::filesystem::copy_file(source, coefficients);
  std::filesystem::create_symlink("RRTMG_LW_DATA.DBL", folder + "/link.nc");
  ColumnFile file;
  file.add_gases();
  file.write(folder + "/in.nc");
  for (std::string const output : {"in.nc", "RRTMG_LW_DATA.DBL", "./RRTMG_LW_DATA.DBL", "link.nc"})
    expect_refused(
        "fluxes", folder,
        quoted(folder + "/in.nc") + " --coefficients " + quoted(coefficients) + " -o " + quoted(folder + "/" + output),
        "");
  EXPECT_EQ(std::filesystem::file_size(coefficients), std::filesystem::file_size(source));
}

// The halves of a layer keep its pressure, which then lies between the interfaces of one half only.
TEST(Fluxes, ALayerMayBeSplitInTwo) {
  std::string const folder = scratch_folder();
  ColumnFile whole;
  for (std::size_t c = 0; c < whole.ncol; ++c) whole.tlev[c * 13 + 3] = whole.tlev[c * 13 + 4] = whole.tlay[c * 12 + 3];
  ColumnFile halves = whole;
  halves.nlay = 13;
  for (std::size_t c = whole.ncol; c-- > 0;) {
    for (auto* const values : {&halves.play, &halves.tlay, &halves.water, &halves.co2}) {
      auto const at = values->begin() + static_cast<std::ptrdiff_t>(c * 12 + 3);
      values->insert(at, *at);
    }
    auto const plev = halves.plev.begin() + static_cast<std::ptrdiff_t>(c * 13 + 4);
    halves.plev.insert(plev, 0.5 * (*plev + *(plev - 1)));
    auto const tlev = halves.tlev.begin() + static_cast<std::ptrdiff_t>(c * 13 + 4);
    halves.tlev.insert(tlev, *tlev);
  }
  whole.write(folder + "/whole.nc");
  halves.write(folder + "/halves.nc");
  for (std::string const name : {"whole", "halves"}) {
    auto const outcome = run("fluxes --gas-optics simple --quiet " + quoted(folder + "/" + name + ".nc") + " -o " +
                             quoted(folder + "/" + name + "_out.nc"));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
  }
  auto const one = io::Hdf5File(folder + "/whole_out.nc").read("flux_up");
  auto const two = io::Hdf5File(folder + "/halves_out.nc").read("flux_up");
  for (std::size_t c = 0; c < whole.ncol; ++c)
    for (std::size_t k = 0; k <= 12; ++k) EXPECT_NEAR(two[c * 14 + (k < 4 ? k : k + 1)], one[c * 13 + k], 1e-10);
}

}  // namespace
