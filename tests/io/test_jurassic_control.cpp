// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_control.hpp>

#include "testing.hpp"

#include <filesystem>
#include <fstream>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

// The folder of the test that runs. scratch_folder empties it at each call.
std::string const& test_folder() {
  static std::string folder;
  static testing::TestInfo const* of = nullptr;
  auto const* const current = testing::UnitTest::GetInstance()->current_test_info();
  if (of != current) folder = scratch_folder();
  of = current;
  return folder;
}

std::string write_text(std::string const& name, std::string const& text) {
  auto const path = test_folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

io::JurassicControl read(std::string const& text) { return io::read_jurassic_control(write_text("case.ctl", text)); }

// Why a control file is refused, without the path up to its line.
std::string refusal(std::string const& text) {
  auto const path = write_text("bad.ctl", text);
  auto const message = message_of([&] { io::read_jurassic_control(path); });
  EXPECT_EQ(message.rfind(path + ":", 0), 0U) << message;
  return message.substr(std::min(message.size(), path.size() + 1));
}

std::string const two_channels = "NG = 2\nEMITTER[0] = CO2\nEMITTER[1] = H2O\nND = 2\nNU[0] = 792.0\nNU[1] = 667.8\n";

}  // namespace

TEST(JurassicControl, DefaultsAreThoseOfVersion112) {
  auto const control = read("NW = 1\n");
  EXPECT_TRUE(control.gases.empty());
  EXPECT_EQ(control.channels.size(), 0);
  EXPECT_TRUE(control.channels.cloud_wavenumber.empty());
  EXPECT_TRUE(control.channels.surface_wavenumber.empty());
  EXPECT_EQ(control.nwindow, 1);
  EXPECT_EQ(control.table_base, "-");
  EXPECT_EQ(control.table_format, 1);
  EXPECT_EQ(control.field_of_view, "");
  EXPECT_FALSE(control.write_matrix);
  EXPECT_TRUE(control.unused.empty());
  auto const& options = control.options;
  EXPECT_EQ(options.method, ega::Method::growth);
  EXPECT_TRUE(options.continua.co2 && options.continua.h2o && options.continua.n2 && options.continua.o2);
  EXPECT_TRUE(options.refraction);
  EXPECT_EQ(options.step, 10e3);
  EXPECT_EQ(options.vertical_step, 100);
  EXPECT_FALSE(options.hydrostatic_reference.has_value());
  EXPECT_EQ(options.surface, ega::SurfaceType::reflection);
  EXPECT_FALSE(options.solar_zenith_angle.has_value());
  EXPECT_FALSE(options.brightness_temperature);
  EXPECT_GT(control.elements.pressure.lowest, control.elements.pressure.highest);
  EXPECT_GT(control.elements.temperature.lowest, control.elements.temperature.highest);
  EXPECT_TRUE(control.elements.mole_fraction.empty());
  ASSERT_EQ(control.elements.extinction.size(), 1U);
  EXPECT_GT(control.elements.extinction[0].lowest, control.elements.extinction[0].highest);
}

TEST(JurassicControl, EveryKeyOfTheForwardModelCounts) {
  auto const control = read(two_channels +
                            "NW = 3\nWINDOW[0] = 2\nWINDOW[1] = 1\nNCL = 2\nCLNU[0] = 600\nCLNU[1] = 2600\n"
                            "NSF = 3\nSFNU[0] = 500\nSFNU[1] = 800\nSFNU[2] = 3000\nSFTYPE = 3\nSFSZA = 35.5\n"
                            "TBLBASE = ../tab/boxcar\nTBLFMT = 2\nHYDZ = 10.5\nCTM_CO2 = 0\nCTM_H2O = 1\nCTM_N2 = 0\n"
                            "CTM_O2 = 1\nREFRAC = 0\nRAYDS = 20\nRAYDZ = 0.25\nFOV = fov.tab\nRETP_ZMIN = 1\n"
                            "RETP_ZMAX = 2\nRETT_ZMIN = 3\nRETT_ZMAX = 4\nRETQ_ZMIN[1] = 5\nRETQ_ZMAX[1] = 6\n"
                            "RETK_ZMIN[2] = 7\nRETK_ZMAX[2] = 8\nRET_CLZ = 0\nRET_CLDZ = 0\nRET_CLK = 0\nRET_SFZ = 0\n"
                            "RET_SFP = 0\nRET_SFT = 0\nRET_SFEPS = 0\nWRITE_BBT = 1\nWRITE_MATRIX = 1\nFORMOD = 0\n");
  EXPECT_EQ(control.gases, (std::vector<std::string>{"CO2", "H2O"}));
  EXPECT_EQ(control.channels.wavenumber, (std::vector<double>{792, 667.8}));
  EXPECT_EQ(control.channels.window, (std::vector<int>{2, 1}));
  EXPECT_TRUE(control.channels.filter.empty());
  EXPECT_EQ(control.nwindow, 3);
  EXPECT_EQ(control.channels.cloud_wavenumber, (std::vector<double>{600, 2600}));
  EXPECT_EQ(control.channels.surface_wavenumber, (std::vector<double>{500, 800, 3000}));
  auto const& options = control.options;
  EXPECT_EQ(options.surface, ega::SurfaceType::sunlight);
  EXPECT_EQ(options.solar_zenith_angle.value(), 35.5);
  EXPECT_EQ(control.table_base, "../tab/boxcar");
  EXPECT_EQ(control.table_format, 2);
  EXPECT_EQ(options.hydrostatic_reference.value(), 10500);
  EXPECT_FALSE(options.continua.co2);
  EXPECT_TRUE(options.continua.h2o);
  EXPECT_FALSE(options.continua.n2);
  EXPECT_TRUE(options.continua.o2);
  EXPECT_FALSE(options.refraction);
  EXPECT_EQ(options.step, 20e3);
  EXPECT_EQ(options.vertical_step, 250);
  EXPECT_EQ(control.field_of_view, "fov.tab");
  auto const& elements = control.elements;
  EXPECT_EQ(elements.pressure.lowest, 1e3);
  EXPECT_EQ(elements.pressure.highest, 2e3);
  EXPECT_EQ(elements.temperature.lowest, 3e3);
  EXPECT_EQ(elements.temperature.highest, 4e3);
  ASSERT_EQ(elements.mole_fraction.size(), 2U);
  EXPECT_GT(elements.mole_fraction[0].lowest, elements.mole_fraction[0].highest);
  EXPECT_EQ(elements.mole_fraction[1].lowest, 5e3);
  EXPECT_EQ(elements.mole_fraction[1].highest, 6e3);
  ASSERT_EQ(elements.extinction.size(), 3U);
  EXPECT_EQ(elements.extinction[2].lowest, 7e3);
  EXPECT_EQ(elements.extinction[2].highest, 8e3);
  EXPECT_TRUE(options.brightness_temperature);
  EXPECT_TRUE(control.write_matrix);
  EXPECT_EQ(options.method, ega::Method::curtis_godson);
  EXPECT_TRUE(control.unused.empty());
}

TEST(JurassicControl, LinesMayLookAsTheyLike) {
  auto const control = read(
      "# comment\r\n\r\n  ng=1 # a comment, with = in it\r\nEmitter[0]\t=\tO3\r\nND = 2.0\r\nNU[ 1 ] = +667.8\r\n"
      "nu[0] = 7.92e2\r\nTBLBASE = a folder/boxcar # comment\r\nFOV = -\r\nND = 2.0\r\nRAYDZ = 0");
  EXPECT_EQ(control.gases, std::vector<std::string>{"O3"});
  EXPECT_EQ(control.channels.wavenumber, (std::vector<double>{792, 667.8}));
  EXPECT_EQ(control.table_base, "a folder/boxcar");
  EXPECT_EQ(control.field_of_view, "");
  // Without a vertical limit steps are those of RAYDS.
  EXPECT_EQ(control.options.vertical_step, 0) << "no limit";
}

TEST(JurassicControl, AStarStandsForAllIndices) {
  auto const control = read(two_channels +
                            "NW = 4\nWINDOW[1] = 3\nWINDOW[*] = 2\nRETQ_ZMIN[*] = 5\nRETQ_ZMIN[1] = 7\n"
                            "RETQ_ZMAX[*] = 60\n");
  // Of two lines that fit the first counts.
  EXPECT_EQ(control.channels.window, (std::vector<int>{2, 3}));
  EXPECT_EQ(control.elements.mole_fraction[0].lowest, 5e3);
  EXPECT_EQ(control.elements.mole_fraction[1].lowest, 5e3);
  EXPECT_EQ(control.elements.mole_fraction[1].highest, 60e3);
}

TEST(JurassicControl, OneEndOfARangeIsEnough) {
  auto const control = read("RETP_ZMAX = 60\n");
  EXPECT_EQ(control.elements.pressure.lowest, -999e3);
  EXPECT_EQ(control.elements.pressure.highest, 60e3);
}

TEST(JurassicControl, KeysOfOtherProgramsAreListedOnce) {
  auto const control = read(two_channels +
                            "USEGPU = 1\ndz = 1\nSCA_N = 1\nSCA_MULT = 0\nEMITTER[5] = N2O\nWINDOW[2] = 9\nDZ = 1\n"
                            "RFMXSC[0] = -\nERR_Q[*] = 50\nRETNN = 0\nRAND = 1\n");
  EXPECT_EQ(control.unused, (std::vector<std::string>{"USEGPU", "DZ", "SCA_N", "SCA_MULT", "EMITTER[5]", "WINDOW[2]",
                                                      "RFMXSC[0]", "ERR_Q[*]", "RETNN", "RAND"}));
}

TEST(JurassicControl, WhatIsNotAKeyIsRefused) {
  EXPECT_EQ(refusal("NG = 0\n\nRAYDY = 1\n"), "3: \"RAYDY\" is not a key of JURASSIC, expected one");
  EXPECT_EQ(refusal("NG 3\n"), "1: \"NG 3\" has no \"=\", expected KEY = VALUE");
  EXPECT_EQ(refusal("= 3\n"), "1: no key before \"=\", expected KEY = VALUE");
  EXPECT_EQ(refusal("NG =   # 3\n"), "1: NG has no value, expected NG = VALUE");
  EXPECT_EQ(refusal("NU = 792\n"), "1: NU has no index, expected NU[0], NU[1], ... or NU[*]");
  EXPECT_EQ(refusal("NG[0] = 1\n"), "1: \"NG[0]\" has an index, expected NG");
  for (auto const* const key : {"NU[-1]", "NU[x]", "NU[0", "NU[]", "NU[1]2", "NU[99999999999]", "NU["})
    EXPECT_EQ(refusal(std::string(key) + " = 792\n"),
              std::string("1: \"") + key + "\" has a bad index, expected NU[0], NU[1], ... or NU[*]");
  EXPECT_EQ(refusal(std::string("TBLBASE = a\0b\n", 14)), " byte 11: zero, expected text");
  EXPECT_EQ(refusal("# nothing\n"), " holds no keys, expected KEY = VALUE");
  auto const missing = test_folder() + "/missing.ctl";
  EXPECT_EQ(message_of([&] { io::read_jurassic_control(missing); }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(message_of([&] { io::read_jurassic_control(test_folder()); }),
            test_folder() + ": cannot be read: is a folder");
}

TEST(JurassicControl, TwoValuesOfAKeyAreRefused) {
  EXPECT_EQ(refusal("NU[0] = 792\n\nnu[0] = 793\n"), "3: NU[0] = 793, expected no second value: line 1 says 792");
  EXPECT_EQ(refusal("TBLBASE = a\nTBLBASE = b\n"), "2: TBLBASE = \"b\", expected no second value: line 1 says \"a\"");
}

TEST(JurassicControl, CountsAndListsMustAgree) {
  EXPECT_EQ(refusal("NG = -1\n"), "1: NG = -1, expected a whole number of at least 0");
  EXPECT_EQ(refusal("NG = 1.5\n"), "1: NG = 1.5, expected a whole number of at least 0");
  EXPECT_EQ(refusal("NG = three\n"), "1: NG = \"three\", expected a whole number of at least 0");
  EXPECT_EQ(refusal("ND = 1e99\n"), "1: ND = 1e99, expected a whole number of at least 0");
  EXPECT_EQ(refusal("NW = 0\n"), "1: NW = 0, expected a whole number of at least 1");
  EXPECT_EQ(refusal("NG = 3\nEMITTER[0] = CO2\nEMITTER[1] = O3\n"),
            "1: NG = 3, expected EMITTER[0] to EMITTER[2], but EMITTER[2] is missing");
  EXPECT_EQ(refusal("ND = 2\nNU[1] = 792\n"), "1: ND = 2, expected NU[0] to NU[1], but NU[0] is missing");
  EXPECT_EQ(refusal("NG = 2\nEMITTER[0] = CO2\nEMITTER[1] = co2\n"),
            "3: EMITTER[1] = \"co2\", expected a gas that no other emitter has");
  EXPECT_EQ(refusal("NG = 1\nEMITTER[0] = CO2 H2O\n"), "2: EMITTER[0] = \"CO2 H2O\", expected the name of a gas");
  EXPECT_EQ(refusal(two_channels + "WINDOW[1] = 1\n"),
            "7: WINDOW[1] = 1, expected a whole number from 0 to 0, because there are NW = 1 windows");
  EXPECT_EQ(refusal(two_channels + "NW = 2\nWINDOW[0] = -1\n"),
            "8: WINDOW[0] = -1, expected a whole number from 0 to 1, because there are NW = 2 windows");
  EXPECT_EQ(refusal("NCL = 1\nCLNU[0] = 1\n"),
            "1: NCL = 1, expected 0 or at least 2, for something to interpolate between");
  EXPECT_EQ(refusal("NSF = 2\nSFNU[0] = 1\n"), "1: NSF = 2, expected SFNU[0] to SFNU[1], but SFNU[1] is missing");
  EXPECT_EQ(refusal("NSF = 2\nSFNU[0] = 900\nSFNU[1] = 800\n"), "3: SFNU[1] = 800, expected more than SFNU[0] = 900");
}

TEST(JurassicControl, ValuesOutOfRangeAreRefused) {
  EXPECT_EQ(refusal("ND = 1\nNU[0] = 79a\n"), "2: NU[0] = \"79a\", expected a wavenumber above 0 [cm-1]");
  EXPECT_EQ(refusal("ND = 1\nNU[0] = 0\n"), "2: NU[0] = 0, expected a wavenumber above 0 [cm-1]");
  EXPECT_EQ(refusal("ND = 1\nNU[0] = 1e300\n"),
            "2: NU[0] = 1e300, expected a wavenumber of the infrared, at most 1e6 [cm-1]");
  EXPECT_EQ(refusal("ND = 1\nNU[0] = nan\n"), "2: NU[0] = nan, expected a wavenumber above 0 [cm-1]");
  EXPECT_EQ(refusal("RAYDS = 0\n"), "1: RAYDS = 0, expected a length above 0 [km]");
  EXPECT_EQ(refusal("RAYDS = -1\n"), "1: RAYDS = -1, expected a length above 0 [km]");
  EXPECT_EQ(refusal("RAYDZ = inf\n"), "1: RAYDZ = inf, expected a length [km], 0 or less for no limit");
  EXPECT_EQ(refusal("RAYDS = 10 km\n"), "1: RAYDS = \"10 km\", expected a length above 0 [km]");
  EXPECT_EQ(refusal("REFRAC = 2\n"), "1: REFRAC = 2, expected 0 or 1");
  EXPECT_EQ(refusal("CTM_N2 = yes\n"), "1: CTM_N2 = \"yes\", expected 0 or 1");
  EXPECT_EQ(refusal("TBLFMT = 3\n"), "1: TBLFMT = 3, expected 1 (text) or 2 (binary)");
  EXPECT_EQ(refusal("SFTYPE = 4\n"),
            "1: SFTYPE = 4, expected 0 (none), 1 (emission), 2 (and reflection) or 3 (and sunlight)");
  EXPECT_EQ(refusal("SFSZA = 181\n"),
            "1: SFSZA = 181, expected an angle up to 180 degree, below 0 for that of the place");
  EXPECT_EQ(refusal("RETP_ZMIN = low\n"), "1: RETP_ZMIN = \"low\", expected an altitude [km]");
  EXPECT_EQ(refusal("HYDZ = x\n"), "1: HYDZ = \"x\", expected an altitude [km], below 0 for none");
}

TEST(JurassicControl, WhatCannotBeHonouredIsRefused) {
  std::string const methods = "1 (emissivity growth approximation) or 0 (Curtis-Godson approximation)";
  EXPECT_EQ(refusal("FORMOD = 2\n"), "1: FORMOD = 2, expected " + methods + ": no line-by-line program is called");
  EXPECT_EQ(refusal("FORMOD = 3\n"), "1: FORMOD = 3, expected " + methods);
  EXPECT_EQ(refusal("SCA_MULT = 1\n"), "1: SCA_MULT = 1, expected 0: scattering is not supported");
  EXPECT_EQ(refusal("SCA_N = 6\n"), "1: SCA_N = 6, expected 0, or SCA_MULT = 0: scattering is not supported");
  for (auto const* const key : {"RET_CLZ", "RET_CLDZ", "RET_CLK", "RET_SFZ", "RET_SFP", "RET_SFT", "RET_SFEPS"})
    EXPECT_EQ(refusal(std::string(key) + " = 1\n"),
              std::string("1: ") + key + " = 1, expected 0: derivatives by clouds and the surface are not supported");
}

TEST(JurassicControl, PathsCountFromTheFileThenFromTheWorkingFolder) {
  namespace fs = std::filesystem;
  auto const folder = test_folder();
  fs::create_directories(folder + "/cases/tab");
  fs::create_directories(folder + "/tab");
  std::ofstream(folder + "/tab/boxcar_792.0000_CO2.tab") << "1\n";
  std::ofstream(folder + "/fov.tab") << "1\n";
  io::JurassicControl control;
  control.path = folder + "/cases/case.ctl";
  auto const before = fs::current_path();
  fs::current_path(folder);
  EXPECT_EQ(io::resolve_path(control, "fov.tab"), "fov.tab");
  EXPECT_EQ(io::resolve_path(control, "tab/boxcar"), "tab/boxcar");
  EXPECT_EQ(io::resolve_path(control, "nothing"), folder + "/cases/nothing");
  EXPECT_EQ(io::resolve_path(control, "/tab/boxcar"), "/tab/boxcar");
  std::ofstream(folder + "/cases/fov.tab") << "1\n";
  std::ofstream(folder + "/cases/tab/boxcar_792.0000_O3.tab") << "1\n";
  EXPECT_EQ(io::resolve_path(control, "fov.tab"), folder + "/cases/fov.tab");
  EXPECT_EQ(io::resolve_path(control, "tab/boxcar"), folder + "/cases/tab/boxcar");
  control.path = "case.ctl";
  EXPECT_EQ(io::resolve_path(control, "fov.tab"), "fov.tab");
  fs::current_path(before);
}

// --- files of JURASSIC -------------------------------------------------------------------------------------------

TEST(JurassicControl, ControlFilesOfTheReferenceCasesAreRead) {
  PARHELION_REQUIRE_DATA(limb, "jurassic/cases/limb_base/case.ctl");
  auto const folder = std::filesystem::path(limb).parent_path().parent_path();
  int read = 0;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    auto const path = (entry.path() / "case.ctl").string();
    SCOPED_TRACE(path);
    auto const control = io::read_jurassic_control(path);
    EXPECT_TRUE(control.unused.empty());
    EXPECT_GE(control.gases.size(), 1U);
    EXPECT_GE(control.channels.size(), 1);
    EXPECT_EQ(control.table_format, 2);
    EXPECT_TRUE(std::filesystem::exists(io::resolve_path(control, control.table_base) + "_792.0000_CO2.bin"));
    ++read;
  }
  EXPECT_GE(read, 20);

  auto const control = io::read_jurassic_control((folder / "limb_dbg/case.ctl").string());
  EXPECT_EQ(control.gases, (std::vector<std::string>{"CO2", "H2O", "O3"}));
  EXPECT_EQ(control.channels.wavenumber, std::vector<double>{792});
  EXPECT_EQ(control.options.vertical_step, 500);
  ASSERT_EQ(control.elements.mole_fraction.size(), 3U);
  for (auto const& range : {control.elements.pressure, control.elements.temperature, control.elements.mole_fraction[2],
                            control.elements.extinction[0]}) {
    EXPECT_EQ(range.lowest, -100e3);
    EXPECT_EQ(range.highest, 200e3);
  }
  EXPECT_EQ(io::read_jurassic_control((folder / "limb_cga/case.ctl").string()).options.method,
            ega::Method::curtis_godson);
  EXPECT_TRUE(io::read_jurassic_control((folder / "nadir_bbt/case.ctl").string()).options.brightness_temperature);
}

TEST(JurassicControl, PublishedControlFilesAreReadAndTheirOtherKeysListed) {
  PARHELION_REQUIRE_DATA(clear_air, "jurassic/published/clear_air/clear-air.ctl");
  PARHELION_REQUIRE_DATA(extinction, "jurassic/published/extinction1/extinction1.ctl");
  EXPECT_EQ(io::read_jurassic_control(clear_air).unused, (std::vector<std::string>{"DZ", "ZMAX", "CLIMPATH"}));
  auto const control = io::read_jurassic_control(extinction);
  EXPECT_EQ(control.unused, (std::vector<std::string>{"SCA_N", "SCA_MULT", "DZ", "ZMAX", "ZMIN", "CLIMPATH"}));
  EXPECT_EQ(control.channels.wavenumber, std::vector<double>{792});
  EXPECT_EQ(control.table_base, "tab/boxcar");
}
