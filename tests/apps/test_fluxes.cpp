// SPDX-License-Identifier: BSD-3-Clause
// `parhelion fluxes` as its users meet it: files in, files out, messages and exit codes.
#include <parhelion/core/device.hpp>
#include <parhelion/io/hdf5.hpp>

#include "program.hpp"
#include "testing.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

// A small file in the column layout, which tests may spoil.
struct ColumnFile {
  std::size_t ncol = 4, nlay = 12;
  bool top_first = false;
  std::string pressure_unit = "hPa";
  std::vector<double> play, plev, tlay, tlev, tsfc, emis, water, co2;

  explicit ColumnFile(bool top_first_ = false) : top_first(top_first_) {
    auto const temperature = [](double p, double warm) {
      return std::max(200.0, 290 + warm + 20 * std::log(p / 1000));
    };
    for (std::size_t c = 0; c < ncol; ++c) {
      double const warm = 5.0 * static_cast<double>(c);
      auto const level = [&](std::size_t k) {
        std::size_t const from_surface = top_first ? nlay - k : k;
        return 1000 * std::pow(0.6, static_cast<double>(from_surface));
      };
      for (std::size_t k = 0; k <= nlay; ++k) {
        plev.push_back(level(k));
        tlev.push_back(temperature(level(k), warm));
      }
      for (std::size_t k = 0; k < nlay; ++k) {
        double const p = 0.5 * (level(k) + level(k + 1));
        play.push_back(p);
        tlay.push_back(temperature(p, warm));
        water.push_back(0.01 * std::pow(p / 1000, 3) + 3e-6);
        co2.push_back(4e-4);
      }
      tsfc.push_back(292 + warm);
      emis.push_back(0.97);
    }
  }

  void write(std::string const& path) const {
    io::NetcdfWriter writer(path);
    writer.dimension("column", ncol);
    writer.dimension("layer", nlay);
    writer.dimension("level", nlay + 1);
    auto const field = [&](char const* name, char const* vertical, std::vector<double> const& values,
                           std::string const& unit) {
      std::vector<std::string> dimensions{"column"};
      if (*vertical != '\0') dimensions.emplace_back(vertical);
      writer.variable(name, dimensions, values, {{"units", unit}});
    };
    field("play", "layer", play, pressure_unit);
    field("plev", "level", plev, pressure_unit);
    field("tlay", "layer", tlay, "K");
    field("tlev", "level", tlev, "K");
    field("tsfc", "", tsfc, "K");
    field("emis", "", emis, "1");
    field("h2ovmr", "layer", water, "mol mol-1");
    field("co2vmr", "layer", co2, "mol mol-1");
    writer.commit();
  }
};

double largest_difference(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() != b.size() || a.empty()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const difference = std::abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

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
       {std::string(), std::string("fluxes"), "fluxes --gas-optics grey " + input, "fluxes --real half " + input,
        "fluxes --chunk 0 " + input, "fluxes --chunk many " + input, "fluxes --bogus " + input,
        "fluxes --transmittance table --gas-optics simple " + input,
        "fluxes --coefficients some --gas-optics simple " + input, "flux " + input}) {
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
  expect_refused("fluxes", folder, arguments + " --space abacus", "abacus");
  expect_refused("fluxes", folder, arguments + " --experiment 2", "experiment");
  expect_refused("fluxes", folder, "--gas-optics simple " + quoted(input) + " -o /nonexistent/folder/out.nc",
                 "/nonexistent/folder");
  expect_refused("fluxes", folder, "--gas-optics simple " + quoted(input) + " -o " + quoted(input), "in.nc");
  std::filesystem::resize_file(input, std::filesystem::file_size(input) / 2);
  expect_refused("fluxes", folder, arguments, "in.nc");
}

TEST(Fluxes, CloudsAreRefusedNotIgnored) {
  PARHELION_REQUIRE_DATA(input, "rrtmg_lw/case_cloud_a.nc");
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  std::string const folder = scratch_folder();
  expect_refused("fluxes", folder,
                 quoted(input) + " --coefficients " + quoted(coefficients) + " -o " + quoted(folder + "/out.nc"),
                 "case_cloud_a.nc");
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
