// SPDX-License-Identifier: BSD-3-Clause
// Results of every subcommand as other programs see them: the CF conventions, and what is carried on from the input.
#include <parhelion/io/hdf5.hpp>

#include "cf.hpp"
#include "program.hpp"
#include "testing.hpp"

#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

struct Values {
  std::vector<std::string> dimensions;
  std::string unit;
  std::vector<double> values;
};

/// Writes variables under a history and a licence.
void write(std::string const& path, std::vector<std::pair<std::string, std::size_t>> const& dimensions,
           std::map<std::string, Values> const& variables, std::string const& group = "") {
  io::NetcdfWriter file(path);
  file.attributes({{"history", "yesterday: made by hand\nthe day before: thought of"}, {"license", "CC BY 4.0"}});
  if (!group.empty()) file.group(group);
  if (!group.empty()) file.group(group + "/tl_in");
  std::string const prefix = group.empty() ? "" : group + "/";
  for (auto const& [name, size] : dimensions) file.dimension(prefix + name, size);
  for (auto const& [name, variable] : variables) {
    io::Attributes attributes;
    if (!variable.unit.empty()) attributes.emplace_back("units", variable.unit);
    file.variable(prefix + name, variable.dimensions, variable.values, attributes);
  }
  file.commit();
}

/// Runs the program, which has to succeed, and checks its result.
io::Hdf5File result_of(std::string const& arguments, std::string const& path) {
  auto const outcome = run(arguments + " --quiet -o " + quoted(path));
  EXPECT_EQ(outcome.code, 0) << arguments << '\n' << outcome.output;
  expect_cf(path);
  return io::Hdf5File(path);
}

void expect_carried_on(io::Hdf5File const& result) {
  auto const history = result.text_attribute("", "history").value_or("");
  EXPECT_LT(history.find(" parhelion "), history.find('\n')) << history;
  EXPECT_TRUE(history.ends_with("\nyesterday: made by hand\nthe day before: thought of")) << history;
  EXPECT_EQ(result.text_attribute("", "license"), "CC BY 4.0");
}

constexpr std::size_t ncol = 2, nlay = 8;

// Two columns of eight layers with all that RRTMG_LW asks for, and an ice cloud and a water cloud.
void write_columns(std::string const& path) {
  std::vector<double> plev, play, tlev, tlay, water, cloud, liquid, ice, rel, rei;
  for (std::size_t c = 0; c < ncol; ++c)
    for (std::size_t k = 0; k <= nlay; ++k) {
      double const p = 1000 * std::pow(0.55, static_cast<double>(k)), half = 0.775 * p;
      plev.push_back(p);
      tlev.push_back(std::max(210., 290 + 20 * std::log(p / 1000)));
      if (k == nlay) continue;
      play.push_back(half);
      tlay.push_back(std::max(210., 290 + 20 * std::log(half / 1000)));
      water.push_back(0.01 * std::pow(half / 1000, 3) + 3e-6);
      cloud.push_back(k == 1 || k == 4 ? 0.5 : 0);
      liquid.push_back(k == 1 ? 30 : 0);
      ice.push_back(k == 4 ? 15 : 0);
      rel.push_back(10);
      rei.push_back(40);
    }
  std::vector<std::string> const column{"column"}, layer{"column", "layer"}, level{"column", "level"};
  std::map<std::string, Values> variables{{"plev", {level, "hPa", plev}},
                                          {"play", {layer, "hPa", play}},
                                          {"tlev", {level, "K", tlev}},
                                          {"tlay", {layer, "K", tlay}},
                                          {"tsfc", {column, "K", std::vector<double>(ncol, 291)}},
                                          {"emis", {column, "1", std::vector<double>(ncol, 0.98)}},
                                          {"coszen", {column, "1", {0.7, -0.1}}},
                                          {"asdir", {column, "1", {0.1, 0.2}}},
                                          {"asdif", {column, "1", {0.1, 0.2}}},
                                          {"aldir", {column, "1", {0.3, 0.4}}},
                                          {"aldif", {column, "1", {0.3, 0.4}}},
                                          {"lat", {column, "degrees_north", {-10, 40}}},
                                          {"lon", {column, "degrees_east", {0, 90}}},
                                          {"h2ovmr", {layer, "mol mol-1", water}},
                                          {"cldfrac", {layer, "1", cloud}},
                                          {"clwp", {layer, "g m-2", liquid}},
                                          {"ciwp", {layer, "g m-2", ice}},
                                          {"rel", {layer, "um", rel}},
                                          {"rei", {layer, "um", rei}}};
  for (std::string const gas : {"co2", "o3", "n2o", "co", "ch4", "o2", "ccl4", "cfc11", "cfc12", "cfc22"})
    variables[gas + "vmr"] = {layer, "mol mol-1", std::vector<double>(ncol * nlay, gas == "co2" ? 4e-4 : 1e-9)};
  write(path, {{"column", ncol}, {"layer", nlay}, {"level", nlay + 1}}, variables);
}

void write_rfmip(std::string const& path) {
  constexpr std::size_t nexpt = 2, nsite = 1, nlev = nlay + 1;
  std::vector<double> plev, play, tlev, tlay, water;
  for (std::size_t k = 0; k <= nlay; ++k) {
    double const p = 1e5 * std::pow(0.55, static_cast<double>(nlay - k));
    plev.push_back(p);
    if (k < nlay) play.push_back(1.3 * p);
  }
  for (std::size_t e = 0; e < nexpt; ++e) {
    for (double const p : plev) tlev.push_back(std::max(210., 290 + 20 * std::log(p / 1e5)));
    for (double const p : play) tlay.push_back(std::max(210., 290 + 20 * std::log(p / 1e5)));
    for (double const p : play) water.push_back(0.01 * std::pow(p / 1e5, 3) + 3e-6);
  }
  std::vector<std::string> const expt{"expt"}, site{"site"}, sites{"expt", "site"};
  write(path, {{"expt", nexpt}, {"site", nsite}, {"layer", nlay}, {"level", nlev}},
        {{"pres_level", {{"site", "level"}, "Pa", plev}},
         {"pres_layer", {{"site", "layer"}, "Pa", play}},
         {"temp_level", {{"expt", "site", "level"}, "K", tlev}},
         {"temp_layer", {{"expt", "site", "layer"}, "K", tlay}},
         {"surface_temperature", {sites, "K", {290, 294}}},
         {"surface_emissivity", {site, "1", {0.98}}},
         {"profile_weight", {site, "1", {1}}},
         {"lat", {site, "degrees_north", {10}}},
         {"lon", {site, "degrees_east", {20}}},
         {"water_vapor", {{"expt", "site", "layer"}, "1", water}},
         {"carbon_dioxide_GM", {expt, "1.e-6", {400, 800}}}});
}

}  // namespace

TEST(CfConventions, Fluxes) {
  if (!have_cf_tools()) GTEST_SKIP() << "no python3 with netCDF4 and xarray, or no UDUNITS";
  auto const folder = scratch_folder();
  write_columns(folder + "/columns.nc");
  write_rfmip(folder + "/rfmip.nc");
  std::string const columns = quoted(folder + "/columns.nc"), rfmip = quoted(folder + "/rfmip.nc");
  expect_carried_on(result_of("fluxes " + rfmip + " --gas-optics simple", folder + "/a.nc"));
  PARHELION_REQUIRE_DATA(coefficients, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  auto const result =
      result_of("fluxes " + columns + " --bands --derivative --coefficients " + quoted(coefficients), folder + "/b.nc");
  expect_carried_on(result);
  EXPECT_EQ(result.text_attribute("flux_net_clear", "standard_name"),
            "net_upward_longwave_flux_in_air_assuming_clear_sky");
  EXPECT_EQ(result.text_attribute("flux_up_band", "coordinates"),
            "lon lat plev wavenumber wavenumber_low wavenumber_high");
}

TEST(CfConventions, ShortwaveFluxes) {
  if (!have_cf_tools()) GTEST_SKIP() << "no python3 with netCDF4 and xarray, or no UDUNITS";
  PARHELION_REQUIRE_DATA(longwave, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  PARHELION_REQUIRE_DATA(shortwave, "rrtmg_lw/RRTMG_SW_DATA.DBL");
  auto const folder = scratch_folder();
  write_columns(folder + "/columns.nc");
  for (std::string const order : {"original", "wavenumber"}) {
    auto const result = result_of(
        "fluxes " + quoted(folder + "/columns.nc") + " --longwave --shortwave --bands --derivative --coefficients " +
            quoted(longwave) + " --coefficients " + quoted(shortwave) + " --band-order " + order,
        folder + "/" + order + ".nc");
    expect_carried_on(result);
    EXPECT_EQ(result.text_attribute("sw_flux_net_clear", "standard_name"),
              "net_upward_shortwave_flux_in_air_assuming_clear_sky");
    EXPECT_EQ(result.text_attribute("sw_flux_up_band", "coordinates"),
              "lon lat plev sw_wavenumber sw_wavenumber_low sw_wavenumber_high");
    EXPECT_EQ(result.text_attribute("", "sw_band_order"), order);
  }
}

TEST(CfConventions, Adding) {
  if (!have_cf_tools()) GTEST_SKIP() << "no python3 with netCDF4 and xarray, or no UDUNITS";
  auto const folder = scratch_folder();
  std::vector<std::string> const profile{"profile"}, layer{"profile", "layer"}, angle{"profile", "angle"},
      phase{"profile", "matrix", "angle", "angle_in"};
  for (std::string const unit : {"W m-2 sr-1 (cm-1)-1", ""}) {
    write(folder + "/in.nc",
          {{"profile", 1}, {"layer", 2}, {"angle", 2}, {"angle_out", 2}, {"matrix", 1}, {"angle_in", 3}},
          {{"od", {layer, "1", {0.1, 0.5}}},
           {"planck_atm", {layer, unit, {50, 70}}},
           {"planck_sfc", {profile, unit, {100}}},
           {"mu", {angle, "1", {0.25, 0.75}}},
           {"weight", {angle, "1", {0.5, 0.5}}},
           {"emissivity", {angle, "1", {0.9, 0.95}}},
           {"reflectivity", {{"profile", "angle", "angle_out"}, "1", {0.05, 0.05, 0.02, 0.03}}},
           {"ssa", {layer, "1", {0, 0.5}}},
           {"type", {layer, "", {0, 1}}},
           {"pff_types", {phase, "1", std::vector<double>(6, 0.5)}},
           {"pbb_types", {phase, "1", std::vector<double>(6, 0.5)}},
           {"tl_in/od", {layer, "1", {0.01, 0}}}},
          "thermal");
    auto const result =
        result_of("adding " + quoted(folder + "/in.nc") + " --levels --tangent --adjoint", folder + "/out.nc");
    expect_carried_on(result);
    EXPECT_EQ(result.text_attribute("thermal/tl_out/rad_toa", "units").value_or(""), unit);
    EXPECT_EQ(result.text_attribute("thermal/rad_up", "coordinates"), "mu");
  }
}

TEST(CfConventions, EmissivityTablesAndSpectra) {
  if (!have_cf_tools()) GTEST_SKIP() << "no python3 with netCDF4 and xarray, or no UDUNITS";
  auto const folder = scratch_folder();
  auto const text = [&](std::string const& name, std::string const& content) {
    std::ofstream(folder + "/" + name) << content;
    return quoted(folder + "/" + name);
  };
  result_of("tables synthetic --gases CO2 --channels 792", folder + "/tables.h5");
  auto const packed = result_of("tables pack --base " + quoted(folder + "/tables") + " --gases CO2 --channels 792",
                                folder + "/packed.h5");
  EXPECT_NE(packed.text_attribute("", "history").value_or("").find("tables synthetic"), std::string::npos);
  // The lines of the newest run come first.
  auto const converted =
      result_of("tables convert " + quoted(folder + "/packed.h5") + " --to hdf5", folder + "/converted.h5");
  auto const lines = converted.text_attribute("", "history").value_or("");
  EXPECT_LT(lines.find("tables convert"), lines.find("tables pack")) << lines;
  EXPECT_LT(lines.find("tables pack"), lines.find("tables synthetic")) << lines;
  std::string levels;
  for (int z = 0; z <= 60; z += 5)
    levels += "0 " + std::to_string(z) + " 0 0 " + std::to_string(1013 * std::exp(-z / 7.)) + " 250 4e-4 0\n";
  for (std::string const bbt : {"0", "1"}) {
    auto const control = text("case.ctl",
                              "TBLBASE = tables\nNG = 1\nEMITTER[0] = CO2\nND = 1\nNU[0] = 792.0000\n"
                              "CTM_CO2 = 0\nCTM_H2O = 0\nCTM_N2 = 0\nCTM_O2 = 0\nWRITE_BBT = " +
                                  bbt + "\n");
    text("tables_792.0000.filt", "791.5 1\n792.5 1\n");
    auto const result =
        result_of("ega --control " + control + " --atmosphere " + text("atm.tab", levels) + " --observation " +
                      text("obs.tab", "0 800 0 0 20 0 26.8 0 0 0 0 0\n0 800 0 0 0 0 2 0 0 0 0 0\n"),
                  folder + "/out.nc");
    EXPECT_TRUE(result.exists(bbt == "0" ? "radiance" : "brightness_temperature"));
  }
}

TEST(CfConventions, MonteCarlo) {
  if (!have_cf_tools()) GTEST_SKIP() << "no python3 with netCDF4 and xarray, or no UDUNITS";
  auto const folder = scratch_folder();
  std::string const few = " --rays 64 --repetitions 4";
  auto const grey = result_of("monte-carlo --case case01 --cells 4,2,2" + few, folder + "/grey.nc");
  EXPECT_EQ(grey.number_attribute("", "rays"), std::vector<double>{64});
  EXPECT_EQ(grey.number_attribute("", "tolerance"), std::vector<double>{1e-3});
  EXPECT_EQ(grey.number_attribute("boundaries/x_low", "emissivity"), std::vector<double>{1});

  constexpr std::size_t nband = 2, ntemperature = 2, ng = 2;
  std::vector<std::string> const band{"band"};
  write(folder + "/table.nc", {{"band", nband}, {"temperature_", ntemperature}, {"g_", ng}},
        {{"band_centre", {band, "cm-1", {1000, 2000}}},
         {"band_left", {band, "cm-1", {500, 1500}}},
         {"band_right", {band, "cm-1", {1500, 2500}}},
         {"band_width", {band, "cm-1", {1000, 1000}}},
         {"temperature", {{"temperature_"}, "K", {300, 2500}}},
         {"g", {{"g_"}, "1", {0.25, 0.75}}},
         {"w", {{"g_"}, "1", {0.5, 0.5}}},
         {"k", {{"band", "temperature_", "g_"}, "m-1", {1, 2, 1, 2, 3, 4, 3, 4}}}});
  // The lines of the table's history come after those of the run that made the input.
  auto const banded =
      result_of("monte-carlo " + quoted(folder + "/grey.nc") + few + " --spectrum " + quoted(folder + "/table.nc"),
                folder + "/bands.nc");
  expect_carried_on(banded);
  auto const history = banded.text_attribute("", "history").value_or("");
  EXPECT_NE(history.find("--case case01"), std::string::npos) << history;
  EXPECT_LT(history.find("--spectrum"), history.find("--case case01"));
}

// A command line is bytes, a history is text.
TEST(CfConventions, HistoryOfACommandLineThatIsNotUtf8) {
  auto const folder = scratch_folder();
  write_rfmip(folder + "/caf\xe9.nc");
  auto const result =
      result_of("fluxes " + quoted(folder + "/caf\xe9.nc") + " --gas-optics simple", folder + "/out.nc");
  for (char const* const name : {"history", "atmosphere"})
    EXPECT_NE(result.text_attribute("", name).value_or("").find("caf\xef\xbf\xbd.nc"), std::string::npos) << name;
}

// --- input that is no ordinary file ------------------------------------------------------------------------------

TEST(SpecialFiles, AreReadFromBeginningToEndOrRefusedAtOnce) {
  auto const folder = scratch_folder();
  auto const fifo = folder + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  auto const refused = [&](std::string const& arguments, std::string const& message) {
    expect_refused("", folder, arguments, message, "timeout 120 env -u PARHELION_DATA");
  };
  std::string const ordinary = ", expected a regular file";
  for (auto const& [path, kind] : {std::pair(fifo, "is a FIFO"), std::pair(std::string("/dev/zero"), "is a device")})
    for (std::string const command :
         {"fluxes --gas-optics simple ", "adding ", "monte-carlo -o x.nc --spectrum grey:1 ",
          "monte-carlo -o x.nc --case case01 --spectrum ", "monte-carlo -o x.nc --case case01 --resume ",
          "tables info "})
      refused(command + quoted(path), kind + ordinary);
  // Text is read line by line: what is wrong in it, or that it is none, shows early.
  std::ofstream(folder + "/atm.tab") << "0 0 0 0 1000 280 4e-4 0\n";
  std::ofstream(folder + "/case.ctl") << "TBLBASE = t\nNG = 1\nEMITTER[0] = CO2\nND = 1\nNU[0] = 792.0000\n";
  std::string const others = " --atmosphere " + quoted(folder + "/atm.tab") + " --observation nowhere.tab --continua .";
  refused("ega --control /dev/zero" + others, "/dev/zero: byte 0: zero, expected text");
  refused("ega --control " + quoted(folder + "/case.ctl") + " --observation nowhere.tab --atmosphere /dev/zero",
          "/dev/zero: byte 0: zero, expected text");
  // A control file that arrives through a FIFO is as good as any other.
  auto const outcome = run("ega --control " + quoted(fifo) + others,
                           "cat " + quoted(folder + "/case.ctl") + " > " + quoted(fifo) + " & timeout 120 env");
  EXPECT_NE(outcome.output.find("atm.tab: holds 1 levels, expected at least 2"), std::string::npos) << outcome.output;
  // Nor is more read than is asked for: this one has no end.
  auto const endless =
      run("ega --control " + quoted(folder + "/case.ctl") + " --observation nowhere.tab --atmosphere " + quoted(fifo),
          "yes > " + quoted(fifo) + " 2> /dev/null & timeout 120 env");
  EXPECT_NE(endless.output.find("fifo:1: column 1 holds \"y\", expected a number"), std::string::npos)
      << endless.output;
}
