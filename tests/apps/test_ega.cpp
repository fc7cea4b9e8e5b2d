// SPDX-License-Identifier: BSD-3-Clause
// `parhelion ega` as its users meet it: files in, files out, messages and exit codes.
#include <parhelion/core/device.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/jurassic_files.hpp>

#include "program.hpp"
#include "reference_columns.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
namespace fs = std::filesystem;

void write_text(std::string const& path, std::string const& text) { std::ofstream(path, std::ios::binary) << text; }

std::string text_of(std::string const& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The text with the first `from` as `to`.
std::string replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

ega::EmissivityTable table_of(int gas, double wavenumber, int npressure = ega::min_pressures) {
  return small_table(io::synthetic_band(gas, wavenumber), {.npressure = npressure});
}

/// Two gases in two channels seen by three limb rays and one nadir ray, in its own folder.
struct Case {
  std::string folder = scratch_folder();
  std::string control =
      "TBLBASE = tables/boxcar\nTBLFMT = 2\nNG = 2\nEMITTER[0] = CO2\nEMITTER[1] = H2O\nND = 2\nNU[0] = 792.0000\n"
      "NU[1] = 900.0000\nRAYDZ = 1\nRETT_ZMIN = 10\nRETT_ZMAX = 20\nRETQ_ZMIN[1] = 10\nRETQ_ZMAX[1] = 15\n";
  std::vector<std::string> atmosphere, observation;

  Case() {
    fs::create_directory(folder + "/in");
    fs::create_directory(folder + "/in/tables");
    fs::create_directory(folder + "/out");
    fs::create_directories(folder + "/in/data/continua");
    for (int z = 0; z <= 60; z += 5) {
      std::ostringstream line;
      line << "0 " << z << " 0 0 " << 1013 * std::exp(-z / 7.) << ' ' << (z < 15 ? 288 - 5 * z : 213 + z - 15)
           << " 4e-4 " << 1e-3 * std::exp(-z / 4.) << " 0\n";
      atmosphere.push_back(line.str());
    }
    observation = {"0 800 0 0 8 0 27 0 0 0 0 0 0 0\n", "0 800 0 0 15 0 26.8 0 0 0 0 0 0 0\n",
                   "0 800 0 0 30 0 26.5 0 0 0 0 0 0 0\n", "0 800 0 0 0 0 2 0 0 0 0 0 0 0\n"};
    for (double const nu : {792., 900.}) {
      for (int g = 0; g < 2; ++g)
        io::write_table(io::table_path(base(), nu, g == 0 ? "CO2" : "H2O", "bin"), table_of(g, nu),
                        io::TableFormat::scatter_binary);
      write_text(io::filter_path(base(), nu), std::to_string(nu) + " 1\n" + std::to_string(nu + 0.5) + " 1\n");
    }
    write_text(continua() + "/ctmco2.txt", "0 1e-4 1e-4 1e-4\n4000 1e-4 2e-4 3e-4\n");
    write_text(continua() + "/ctmh2o.txt", "0 1 2 0.01\n20000 1 2 0.01\n");
    write_text(continua() + "/ctmh2o_xfcrev.txt", "820 1\n960 1.1\n");
    write();
  }

  void write() const {
    write_text(folder + "/in/case.ctl", control);
    for (auto const& [name, lines] : {std::pair("atm", &atmosphere), std::pair("obs", &observation)}) {
      std::string text = "# columns\n";
      for (auto const& line : *lines) text += line;
      write_text(folder + "/in/" + name + ".tab", text);
    }
  }

  std::string base() const { return folder + "/in/tables/boxcar"; }
  std::string continua() const { return folder + "/in/data/continua"; }
  std::string in(std::string const& name) const { return folder + "/in/" + name; }
  std::string out(std::string const& name) const { return folder + "/out/" + name; }
  std::string inputs() const {
    return "--control " + quoted(in("case.ctl")) + " --atmosphere " + quoted(in("atm.tab")) + " --observation " +
           quoted(in("obs.tab"));
  }
  std::string arguments() const { return inputs() + " --continua " + quoted(continua()); }

  void solve(std::string const& options) const {
    auto const outcome = run("ega " + arguments() + " --quiet " + options);
    ASSERT_EQ(outcome.code, 0) << options << '\n' << outcome.output;
    ASSERT_EQ(outcome.output, "") << "--quiet";
  }
  std::vector<std::vector<double>> radiances(std::string const& options = "") const {
    solve("-o " + quoted(out("rad.tab")) + " --digits 17 " + options);
    return columns_of(out("rad.tab"));
  }

  /// Expects a refusal, and that nothing was written.
  void expect_refusal(std::string const& message, std::string const& options = "") const {
    expect_refused("ega", folder + "/out",
                   arguments() + " --quiet -o " + quoted(out("rad.tab")) + " --kernel " + quoted(out("kernel.tab")) +
                       " --los " + quoted(out("los.tab")) + " " + options,
                   message);
  }
};

double worst(std::vector<std::vector<double>> const& a, std::vector<std::vector<double>> const& b, std::size_t first,
             std::size_t last) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = first; j < last; ++j)
      if (a[i].at(j) != b[i].at(j)) most = std::max(most, std::abs(a[i][j] - b[i][j]) / std::abs(b[i][j]));
  return most;
}

/// The same, of radiances relative to the largest one of the channel and of transmittances absolutely.
double worst_spectrum(std::vector<std::vector<double>> const& a, std::vector<std::vector<double>> const& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t j = 10; j < 14; ++j) {
    double largest = j < 12 ? 0 : 1;
    for (auto const& row : b) largest = std::max(largest, j < 12 ? row.at(j) : 0);
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i].at(j) - b[i].at(j)) / largest);
  }
  return most;
}

// --- results -----------------------------------------------------------------------------------------------------

// Tolerances are those of tests/ega/test_reference_cases.cpp.
TEST(Ega, ReferenceCasesThroughTheProgram) {
  PARHELION_REQUIRE_DATA(list, "jurassic/cases.json");
  auto const data = fs::path(list).parent_path().string(), folder = scratch_folder();
  struct Reference {
    std::string name, observation;
    int ray, points;
  };
  for (auto const& [name, observation, ray, points] :
       {Reference{"limb_dbg", "limb6.tab", 2, 349}, Reference{"nadir_dbg", "nadir3.tab", 1, 182}}) {
    auto const from = data + "/cases/" + name;
    // Continua are found where PARHELION_DATA says.
    auto const outcome = run(
        "ega --control " + quoted(from + "/case.ctl") + " --atmosphere " + quoted(data + "/atm/midlat_aerosol.tab") +
            " --observation " + quoted(data + "/obs/" + observation) + " -o " + quoted(folder + "/rad.tab") +
            " --kernel " + quoted(folder + "/kernel.tab") + " --los " + quoted(folder + "/los.tab") + " --los-ray " +
            std::to_string(ray) + " --table-slopes float --digits 17 --quiet",
        "env PARHELION_DATA=" + quoted(data));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    auto const rows = columns_of(folder + "/rad.tab"), expected = columns_of(from + "/rad.tab");
    EXPECT_EQ(worst(rows, expected, 0, 7), 0) << "rays";
    EXPECT_LE(worst(rows, expected, 10, 11), 1e-11) << "radiance";
    for (std::size_t r = 0; r < rows.size(); ++r) EXPECT_NEAR(rows[r].at(11), expected[r].at(11), 1e-12);
    auto const sight = columns_of(folder + "/los.tab");
    auto const expected_sight = columns_of(from + "/los_ray" + std::to_string(ray) + ".tab");
    EXPECT_EQ(static_cast<int>(sight.size()), points);
    EXPECT_LE(worst(sight, expected_sight, 21, 22), 1e-11) << "transmittance along the ray";
    EXPECT_EQ(text_of(folder + "/los.tab").find("# surface[792]: eps 1 planck 0.11081") != std::string::npos,
              name == "nadir_dbg");
    // A line an element of the matrix.
    auto const lines = [](std::string const& text) { return std::count(text.begin(), text.end(), '\n'); };
    EXPECT_EQ(lines(text_of(folder + "/kernel.tab")), lines(text_of(from + "/kernel.tab")));
  }
}

TEST(Ega, TextAndNetcdfHoldTheSame) {
  Case const c;
  auto const rows = c.radiances();
  ASSERT_EQ(rows.size(), 4U);
  ASSERT_EQ(rows[0].size(), 14U);
  c.solve("-o " + quoted(c.out("rad.nc")));
  io::Hdf5File const file(c.out("rad.nc"));
  auto const radiance = file.read("radiance"), transmittance = file.read("transmittance"),
             tangent = file.read("tangent_altitude");
  ASSERT_EQ(file.shape("radiance"), (std::vector<std::size_t>{4, 2}));
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_DOUBLE_EQ(tangent[r] / 1000, rows[r][7]);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(radiance[2 * r + i], rows[r][10 + i]);
      EXPECT_EQ(transmittance[2 * r + i], rows[r][12 + i]);
      EXPECT_GT(radiance[2 * r + i], 0);
      EXPECT_LT(transmittance[2 * r + i], 1);
    }
  }
  EXPECT_EQ(file.read("wavenumber"), (std::vector<double>{792, 900}));
  EXPECT_EQ(file.text_attribute("", "title"), "Infrared spectra by the emissivity growth approximation");
  EXPECT_NE(file.text_attribute("", "history")->find("parhelion ega --control"), std::string::npos);
  EXPECT_NE(file.text_attribute("", "source")->find("double precision"), std::string::npos);
  EXPECT_EQ(file.text_attribute("", "atmosphere"), c.in("atm.tab"));
  EXPECT_EQ(files_in(c.folder + "/out").size(), 2U);
}

TEST(Ega, DigitsAreThoseAskedFor) {
  Case const c;
  auto const full = c.radiances();
  c.solve("-o " + quoted(c.out("rad.tab")));
  auto const six = columns_of(c.out("rad.tab"));
  EXPECT_LE(worst(six, full, 10, 14), 5e-6);
  EXPECT_GT(worst(six, full, 10, 14), 0);
  c.solve("--digits 3 -o " + quoted(c.out("rad.tab")));
  auto const three = columns_of(c.out("rad.tab"));
  EXPECT_LE(worst(three, full, 10, 14), 5e-3);
  EXPECT_GT(worst(three, full, 10, 14), 5e-6);
}

// Ten to a hundred segments, each rounded to 6e-8, and tables whose slopes are rounded alike.
TEST(Ega, SinglePrecisionIsClose) {
  Case const c;
  auto const in_double = c.radiances(), in_float = c.radiances("--real float");
  EXPECT_LE(worst(in_float, in_double, 10, 14), 1e-4);
  EXPECT_GT(worst(in_float, in_double, 10, 14), 0);
  EXPECT_EQ(worst(in_float, in_double, 0, 10), 0) << "rays are in double precision";
  c.solve("--real float -o " + quoted(c.out("rad.nc")));
  EXPECT_NE(io::Hdf5File(c.out("rad.nc")).text_attribute("", "source")->find("single precision"), std::string::npos);
  EXPECT_LE(worst(c.radiances("--table-slopes float"), in_double, 10, 14), 1e-5);
}

TEST(Ega, OptionsThatMustNotChangeTheResult) {
  Case const c;
  c.solve("-o " + quoted(c.out("plain.tab")) + " --digits 17");
  auto const plain = text_of(c.out("plain.tab"));
  auto const again = [&](std::string const& options, std::string const& environment) {
    auto const outcome =
        run("ega " + c.arguments() + " --quiet --digits 17 -o " + quoted(c.out("rad.tab")) + " " + options,
            "env -u PARHELION_DATA " + environment);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_EQ(text_of(c.out("rad.tab")), plain) << options << environment;
  };
  again("", "");
  again("--chunk 1", "");
  again("--chunk 3 --memory 0.1 --jacobian differences --real double --table-slopes double --kernel " +
            quoted(c.out("kernel.tab")) + " --los " + quoted(c.out("los.tab")),
        "");
  again("", "OMP_NUM_THREADS=1");
  again("", "OMP_NUM_THREADS=2 OMP_PROC_BIND=false");
  again("--allow-missing-tables", "");
  // Devices round elsewhere. Places along a ray are rounded to 1e-9 m some hundred times, which is 1e-11 of a scale
  // height; of a transmittance of 1e-20 nothing relative is left.
  for (auto const& space : execution_space_names())
    EXPECT_LE(worst_spectrum(c.radiances("--space " + space), columns_of(c.out("plain.tab"))), 1e-11) << space;
}

TEST(Ega, JacobiansHaveTheElementsOfTheControlFile) {
  Case const c;
  c.solve("--kernel " + quoted(c.out("kernel.tab")) + " --digits 17");
  EXPECT_EQ(files_in(c.folder + "/out"), std::vector<std::string>{"kernel.tab"});
  std::istringstream text(text_of(c.out("kernel.tab")));
  int temperatures = 0, amounts = 0;
  for (std::string line; std::getline(text, line);) {
    temperatures += line.find(" TEMPERATURE ") != std::string::npos && line[0] != '#' ? 1 : 0;
    amounts += line.find(" H2O ") != std::string::npos && line[0] != '#' ? 1 : 0;
  }
  // Four rays, two channels; levels at 10, 15 and 20 km, at 10 and 15 km.
  EXPECT_EQ(temperatures, 4 * 2 * 3);
  EXPECT_EQ(amounts, 4 * 2 * 2);
}

TEST(Ega, LinesOfSightOfTheRaysThatAreAskedFor) {
  Case const c;
  c.solve("--los " + quoted(c.out("los.tab")));
  auto const headers = [&] {
    auto const text = text_of(c.out("los.tab"));
    std::string rays;
    for (std::size_t at = text.find("# ray "); at != std::string::npos; at = text.find("# ray ", at + 1))
      rays += text.substr(at + 6, 2);
    return rays;
  };
  EXPECT_EQ(headers(), "0 1 2 3 ");
  c.solve("--los " + quoted(c.out("los.tab")) + " --los-ray 3 --los-ray 1");
  EXPECT_EQ(headers(), "3 1 ");
  c.solve("--los " + quoted(c.out("los.tab")) + " --los-ray 0 2 --digits 17");
  EXPECT_EQ(headers(), "0 2 ");
  EXPECT_EQ(files_in(c.folder + "/out"), std::vector<std::string>{"los.tab"});
}

TEST(Ega, TablesMayBeInAnotherFolder) {
  Case c;
  auto const expected = c.radiances();
  fs::rename(c.in("tables"), c.folder + "/elsewhere");
  EXPECT_EQ(c.radiances("--tables " + quoted(c.folder + "/elsewhere")), expected);
  c.expect_refusal("elsewhere/nowhere", "--tables " + quoted(c.folder + "/elsewhere/nowhere"));
  // In one file.
  auto const base = c.folder + "/elsewhere/boxcar";
  EXPECT_EQ(run("tables pack --base " + quoted(base) + " --gases CO2,H2O --channels 792,900 --quiet -o " +
                quoted(base + ".h5"))
                .code,
            0);
  for (std::string const name : {"_792.0000_CO2", "_792.0000_H2O", "_900.0000_CO2", "_900.0000_H2O"})
    fs::remove(base + name + ".bin");
  EXPECT_EQ(c.radiances("--tables " + quoted(c.folder + "/elsewhere")), expected);
}

TEST(Ega, TablesOfEveryFormatGiveTheSame) {
  Case const c;
  auto const expected = c.radiances();
  auto const from = io::table_path(c.base(), 792, "CO2", "bin");
  auto const table = io::read_table(from);
  fs::remove(from);
  for (auto const& [format, suffix] :
       {std::pair(io::TableFormat::text, "tab"), std::pair(io::TableFormat::reference_binary, "bin"),
        std::pair(io::TableFormat::hdf5, "h5")}) {
    auto const path = io::table_path(c.base(), 792, "CO2", suffix);
    io::write_table(path, table, format, {"CO2", 792});
    EXPECT_EQ(c.radiances(), expected) << suffix;
    fs::remove(path);
  }
}

TEST(Ega, ContinuaAreFoundByOptionOrEnvironment) {
  Case const c;
  auto const expected = c.radiances();
  for (auto const& folder : {c.continua(), c.in("data"), "/nonexistent:" + c.in("data")}) {
    auto const outcome = run("ega " + c.inputs() + " --quiet --digits 17 -o " + quoted(c.out("rad.tab")),
                             "env PARHELION_DATA=" + quoted(folder));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_EQ(columns_of(c.out("rad.tab")), expected) << folder;
  }
  // Without continua their files are not needed, and radiances are smaller.
  auto off = c;
  off.control += "CTM_CO2 = 0\nCTM_H2O = 0\n";
  off.write();
  auto const outcome = run("ega " + off.inputs() + " --quiet --digits 17 -o " + quoted(c.out("rad.tab")));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_GT(worst(columns_of(c.out("rad.tab")), expected, 12, 14), 1e-6);
}

TEST(Ega, MissingTablesMayBeAllowed) {
  Case const c;
  auto const expected = c.radiances();
  auto const path = io::table_path(c.base(), 900, "CO2", "bin");
  fs::remove(path);
  fs::remove(c.out("rad.tab"));
  c.expect_refusal("missing, looked for " + c.base() + ".h5, " + path);
  auto const without = c.radiances("--allow-missing-tables");
  EXPECT_EQ(worst(without, expected, 10, 11), 0) << "the other channel";
  EXPECT_GT(worst(without, expected, 11, 12), 1e-6);
  // A table with too few pressures counts as missing.
  io::write_table(path, table_of(0, 900, ega::min_pressures - 1), io::TableFormat::scatter_binary);
  fs::remove(c.out("rad.tab"));
  c.expect_refusal(path + ": 29 pressures");
  EXPECT_EQ(c.radiances("--allow-missing-tables"), without);
}

TEST(Ega, PrintsASummary) {
  Case c;
  auto const outcome = run("ega " + c.arguments());
  EXPECT_EQ(outcome.code, 0);
  for (std::string const part : {"obs.tab: radiances by the emissivity growth approximation", "792.0000", "900.0000",
                                 "4 rays, 2 channels, 2 gases", "rays/s", "on the device", "not used: "})
    EXPECT_EQ(outcome.output.find(part) != std::string::npos, part != "not used: ") << part << "\n" << outcome.output;
  EXPECT_TRUE(files_in(c.folder + "/out").empty());
  c.control += "FORMOD = 0\nWRITE_BBT = 1\nCONV_ITMAX = 3\n";
  c.write();
  auto const other = run("ega " + c.arguments() + " -o " + quoted(c.out("rad.nc")));
  EXPECT_EQ(other.code, 0);
  for (std::string const part :
       {"brightness temperatures by the Curtis-Godson approximation", "case.ctl: not used: CONV_ITMAX", "written to "})
    EXPECT_NE(other.output.find(part), std::string::npos) << part << "\n" << other.output;
  EXPECT_EQ(io::Hdf5File(c.out("rad.nc")).text_attribute("", "title"),
            "Infrared spectra by the Curtis-Godson approximation");
}

TEST(Ega, MaskedRadiancesAreNotNumbers) {
  Case c;
  c.observation[1] = "0 800 0 0 15 0 26.8 0 0 0 0 nan 0 0\n";
  c.write();
  auto const rows = columns_of([&] {
    c.solve("-o " + quoted(c.out("rad.tab")));
    return c.out("rad.tab");
  }());
  ASSERT_EQ(rows.size(), 4U);
  // The stream that reads the columns stops at nan.
  EXPECT_EQ(rows[1].size(), 11U);
  EXPECT_NE(text_of(c.out("rad.tab")).find(" nan "), std::string::npos);
}

// --- the model's range -------------------------------------------------------------------------------------------

/// The case with other numbers in a column of its levels: a function of what was there.
Case with_column(Case c, std::size_t column, std::function<double(double)> const& change) {
  for (auto& level : c.atmosphere) {
    std::istringstream from(level);
    std::ostringstream to;
    to.precision(17);
    double value = 0;
    for (std::size_t i = 0; from >> value; ++i) to << (i == column ? change(value) : value) << ' ';
    level = to.str() + "\n";
  }
  c.write();
  return c;
}

constexpr std::size_t pressure_column = 4, temperature_column = 5, water_column = 7;

void expect_positive(std::vector<std::vector<double>> const& rows) {
  ASSERT_EQ(rows.size(), 4U);
  for (auto const& row : rows) {
    ASSERT_EQ(row.size(), 14U);
    for (std::size_t i = 10; i < 12; ++i) {
      EXPECT_TRUE(std::isfinite(row[i])) << row[i];
      EXPECT_GT(row[i], 0);
    }
  }
}

TEST(Ega, AirOutOfTheModelsRangeIsRefused) {
  Case const good;
  auto const refused = [&](std::size_t column, std::function<double(double)> const& change,
                           std::string const& message) {
    auto const c = with_column(good, column, change);
    c.expect_refusal(c.in("atm.tab") + ": " + message);
    good.write();
  };
  refused(
      temperature_column, [](double t) { return t / 20; },
      "temperature at level 0 (0 km) = 14.4 K, expected 100 to 400 K");
  refused(
      temperature_column, [](double t) { return t == 238 ? 1e9 : t; },
      "temperature at level 2 (10 km) = 1e+09 K, expected 100 to 400 K");
  refused(
      pressure_column, [](double p) { return 100 * p; },
      "pressure at level 0 (0 km) = 101300 hPa, expected 0 to 1200 hPa");
  refused(
      water_column, [](double) { return 1.1; }, "mole_fraction of H2O at level 0 (0 km) = 1.1, expected 0 to 1");
  refused(
      water_column, [](double) { return -1e-9; }, "mole_fraction of H2O at level 0 (0 km) = -1e-09, expected 0 to 1");
  auto c = good;
  c.control += "NSF = 2\nSFNU[0] = 600\nSFNU[1] = 2000\n";
  for (auto& level : c.atmosphere) level.back() = ' ', level += "0 0 15 0.9 0.9\n";
  c.write();
  c.expect_refusal(c.in("atm.tab") + ": surface_temperature = 15 K, expected 100 to 400 K");
}

TEST(Ega, AirOutOfTheModelsRangeMayBeClipped) {
  Case const good;
  auto const cold = with_column(good, temperature_column, [](double t) { return t / 20; });
  cold.solve("--out-of-range clip --digits 17 -o " + quoted(cold.out("clipped.tab")));
  cold.solve("--out-of-range clip -o " + quoted(cold.out("clipped.nc")));
  EXPECT_EQ(io::Hdf5File(cold.out("clipped.nc")).text_attribute("", "out_of_range"), "13 of temperature");
  auto const outcome = run("ega " + cold.arguments() + " --out-of-range clip");
  EXPECT_NE(outcome.output.find("out of the model's range (clipped): 13 of temperature"), std::string::npos)
      << outcome.output;
  auto const at_the_end = with_column(good, temperature_column, [](double) { return 100.; });
  EXPECT_EQ(columns_of(cold.out("clipped.tab")), at_the_end.radiances());
  at_the_end.solve("-o " + quoted(cold.out("clipped.nc")));
  EXPECT_EQ(io::Hdf5File(cold.out("clipped.nc")).text_attribute("", "out_of_range"), "none");
}

TEST(Ega, AirOutOfTheModelsRangeMayBeExtrapolated) {
  Case const good;
  auto const extrapolated = [&](std::size_t column, std::function<double(double)> const& change,
                                std::string const& counts, std::string const& options) {
    auto const c = with_column(good, column, change);
    SCOPED_TRACE(counts + options);
    expect_positive(c.radiances("--out-of-range extrapolate" + options));
    c.solve("--out-of-range extrapolate -o " + quoted(c.out("rad.nc")) + options);
    EXPECT_EQ(io::Hdf5File(c.out("rad.nc")).text_attribute("", "out_of_range"), counts);
  };
  for (std::string const options :
       {"", " --real float", " --kernel kernel.tab", " --kernel kernel.tab --jacobian analytic"}) {
    auto const in_folder = replaced(options + "kernel.tab", "kernel.tab", quoted(good.out("kernel.tab")));
    auto const own = options.find("kernel") == std::string::npos ? options : in_folder.substr(0, in_folder.size() - 10);
    // Single precision holds no number as small as the radiance at 15 K.
    double const colder = options == " --real float" ? 3 : 20;
    extrapolated(
        temperature_column, [=](double t) { return t / colder; }, "13 of temperature", own);
    // So far out that its place in a table is none that an int holds.
    extrapolated(
        temperature_column, [](double t) { return t == 238 ? 1e9 : t; }, "2 of temperature", own);
    extrapolated(
        pressure_column, [](double p) { return 100 * p; }, "7 of pressure", own);
    extrapolated(
        water_column, [](double q) { return q > 1e-4 ? 1.1 : -q; }, "13 of mole_fraction", own);
  }
}

// --- precision, threads, memory ----------------------------------------------------------------------------------

// Rounding to float changes a radiance by as much as a difference.
TEST(Ega, DifferencesAreInDoublePrecision) {
  Case const c;
  c.solve("--digits 17 --kernel " + quoted(c.out("double.tab")));
  c.solve("--digits 17 --real float --kernel " + quoted(c.out("float.tab")) + " -o " + quoted(c.out("rad.nc")));
  EXPECT_EQ(text_of(c.out("float.tab")), text_of(c.out("double.tab")));
  EXPECT_NE(io::Hdf5File(c.out("rad.nc")).text_attribute("", "source")->find("double precision"), std::string::npos);
  auto const outcome = run("ega " + c.arguments() + " --real float --kernel " + quoted(c.out("float.tab")));
  EXPECT_NE(outcome.output.find("derivatives by differences, which are always taken in double precision"),
            std::string::npos)
      << outcome.output;
  c.solve("--digits 17 --real float --jacobian analytic --kernel " + quoted(c.out("float.tab")));
  EXPECT_NE(text_of(c.out("float.tab")), text_of(c.out("double.tab")));
}

TEST(Ega, SameBitsForAnyNumberOfThreads) {
  Case const c;
  for (std::string const options :
       {"", "--real float", "--jacobian differences", "--jacobian analytic", "--jacobian analytic --real float"}) {
    std::vector<std::string> first;
    for (int const threads : {1, 2, 3, 7}) {
      std::string const kernel =
          options.find("jacobian") == std::string::npos ? "" : " --kernel " + quoted(c.out("kernel.tab"));
      c.solve(options + kernel + " --digits 17 --threads " + std::to_string(threads) + " -o " +
              quoted(c.out("rad.tab")));
      std::vector<std::string> texts{text_of(c.out("rad.tab"))};
      if (!kernel.empty()) texts.push_back(text_of(c.out("kernel.tab")));
      if (threads == 1)
        first = texts;
      else
        EXPECT_TRUE(texts == first) << options << ", " << threads << " threads";
    }
  }
}

TEST(Ega, DryRunPrintsThePlanAndWritesNothing) {
  Case const c;
  auto const outcome = run("ega " + c.arguments() + " --dry-run --kernel " + quoted(c.out("k.tab")) + " --los " +
                           quoted(c.out("l.tab")));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  for (std::string const part : {"obs.tab: 4 rays in 2 channels with 2 gases", "1 block of up to 2 channels",
                                 "by differences", "host memory", "nothing computed"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  EXPECT_TRUE(files_in(c.folder + "/out").empty());
  // The input is checked.
  auto const cold = with_column(c, temperature_column, [](double t) { return t / 20; });
  cold.expect_refusal("expected 100 to 400 K", "--dry-run");
}

TEST(Ega, WorkThatDoesNotFitTheMemoryIsRefusedBeforeItBegins) {
  Case c;
  // A hundred million points along a ray.
  c.control = replaced(c.control, "RAYDZ = 1", "RAYDZ = 1e-6");
  c.write();
  for (std::string const options : {"", " --dry-run"})
    expect_refused("ega", c.folder + "/out",
                   c.arguments() + " --quiet --threads 1 -o " + quoted(c.out("rad.tab")) + options, "--chunk",
                   "ulimit -v 2000000; env -u PARHELION_DATA");
}

TEST(Ega, OutputsComeTogetherOrNotAtAll) {
  Case const c;
  c.solve("-o " + quoted(c.out("rad.tab")));
  auto const old = text_of(c.out("rad.tab"));
  // The disk is full when the second file is written: the kernel has 40 lines, the radiances 4.
  auto const warm = with_column(c, temperature_column, [](double t) { return t + 1; });
  auto const outcome = run("ega " + warm.arguments() + " --quiet -o " + quoted(c.out("rad.tab")) + " --kernel " +
                               quoted(c.out("kernel.tab")),
                           "ulimit -f 5; env");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("kernel.tab"), std::string::npos) << outcome.output;
  EXPECT_EQ(text_of(c.out("rad.tab")), old);
  EXPECT_EQ(files_in(c.folder + "/out"), std::vector<std::string>{"rad.tab"});
}

TEST(Ega, OutputsAreNoInputs) {
  Case const c;
  for (auto const& input :
       {io::table_path(c.base(), 900, "H2O", "bin"), io::filter_path(c.base(), 792), c.continua() + "/ctmco2.txt"}) {
    auto const before = text_of(input);
    expect_refused("ega", c.folder + "/out", c.arguments() + " --quiet -o " + quoted(input), "is the input file");
    EXPECT_EQ(text_of(input), before);
  }
}

// --- refusals ----------------------------------------------------------------------------------------------------

TEST(Ega, BadUsageExitsWithTwo) {
  Case const c;
  for (std::string const& arguments :
       {std::string("ega"), "ega " + c.arguments() + " --real half", "ega " + c.arguments() + " --chunk 0",
        "ega " + c.arguments() + " --memory 0", "ega " + c.arguments() + " --digits 18",
        "ega " + c.arguments() + " --jacobian guess", "ega " + c.arguments() + " --table-slopes half",
        "ega " + c.arguments() + " --out-of-range guess", "ega " + c.arguments() + " --space abacus",
        "ega " + c.arguments() + " --los-ray -1", "ega " + c.arguments() + " --bogus", "ega " + c.arguments() + " more",
        "ega --control " + quoted(c.in("case.ctl"))}) {
    auto const outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << '\n' << outcome.output;
    EXPECT_NE(outcome.output.find("--help"), std::string::npos) << outcome.output;
  }
  // Options that would have no effect.
  expect_bad_usage("ega " + c.arguments() + " --los-ray 1", "--los-ray requires --los");
  expect_bad_usage("ega " + c.arguments() + " --jacobian analytic", "--jacobian requires --kernel");
  EXPECT_EQ(run("ega --help").code, 0);
  // Messages are for people.
  auto const outcome = run("ega " + c.arguments() + " --memory -1");
  EXPECT_NE(outcome.output.find("--memory: -1, expected a number above 0"), std::string::npos) << outcome.output;
}

TEST(Ega, BadControlFilesAreRefusedByLine) {
  Case const good;
  auto const refused = [&](std::string const& from, std::string const& to, std::string const& message) {
    auto c = good;
    c.control = replaced(good.control, from, to);
    c.write();
    c.expect_refusal(c.in("case.ctl") + message);
    good.write();
  };
  refused("NG = 2", "NG 2", ":3: \"NG 2\" has no \"=\", expected KEY = VALUE");
  refused("NG = 2", "NGAS = 2", ":3: \"NGAS\" is not a key of JURASSIC, expected one");
  refused("NG = 2", "NG = two", ":3: NG = \"two\", expected ");
  refused("NG = 2", "NG = 3", ":3: NG = 3, expected EMITTER[0] to EMITTER[2], but EMITTER[2] is missing");
  refused("NU[1] = 900.0000", "NU[1] = -9", ":8: NU[1] = -9, expected a wavenumber above 0 [cm-1]");
  refused("RAYDZ = 1", "RAYDS = 0", ":9: RAYDS = 0, expected a length above 0 [km]");
  refused("RAYDZ = 1", "SCA_MULT = 1", ":9: SCA_MULT = 1, expected 0: scattering is not supported");
  refused("RAYDZ = 1", "FORMOD = 2", ":9: FORMOD = 2, expected ");
  refused("RAYDZ = 1", "WINDOW[1] = 1", ":9: WINDOW[1] = 1, expected a whole number from 0 to 0");
  fs::remove(good.in("case.ctl"));
  good.expect_refusal(good.in("case.ctl") + ": cannot be read");
}

TEST(Ega, BadAtmospheresAreRefusedByLine) {
  Case const good;
  auto const refused = [&](std::size_t level, std::string const& line, std::string const& message) {
    auto c = good;
    c.atmosphere.at(level) = line;
    c.write();
    c.expect_refusal(c.in("atm.tab") + message);
    good.write();
  };
  refused(3, "0 10 0 0 100 220 4e-4 1e-6 0\n", ":5: altitude = 10 km, expected more than 10 km of the level before");
  refused(3, "0 15 0 0 nan 220 4e-4 1e-6 0\n", ":5: pressure = nan hPa, expected a positive finite pressure");
  refused(3, "0 15 0 0 100 0 4e-4 1e-6 0\n", ":5: temperature = 0 K, expected a positive finite temperature");
  refused(3, "0 15 0 0 100 220 4e-4 inf 0\n", ":5: H2O = inf, expected a finite mole fraction");
  refused(3, "0 15 0 0 100 220 4e-4 1e-6 -1\n", ":5: extinction of window 0 = -1 km-1");
  refused(3, "0 15 0 0 100 220 4e-4 1e-6\n", ":5: has 8 columns, expected 9");
  refused(3, "0 15 0 0 100 22o 4e-4 1e-6 0\n", ":5: column 6 holds \"22o\", expected a number");
  fs::remove(good.in("atm.tab"));
  good.expect_refusal(good.in("atm.tab") + ": cannot be read");
}

TEST(Ega, BadObservationsAreRefusedByLine) {
  Case const good;
  auto const refused = [&](std::string const& line, std::string const& message) {
    auto c = good;
    c.observation.at(1) = line;
    c.write();
    c.expect_refusal(c.in("obs.tab") + message);
    good.write();
  };
  refused("0 -0.1 0 0 15 0 26.8 0 0 0 0 0 0 0\n",
          ":3: observer altitude = -0.1 km, expected no lower than the ground at 0 km");
  refused("0 800 0 0 800 0 0 0 0 0 0 0 0 0\n", ":3: view point = observer = (800, 0, 0), expected another place");
  refused("0 800 0 0 15 0 nan 0 0 0 0 0 0 0\n", ":3: view point latitude [deg] = nan");
  refused("0 800 0 0 15 0 26.8 0 0 0\n", ":3: has 10 columns, expected 14");
  // The ground is where the surface is.
  auto c = good;
  c.control += "NSF = 2\nSFNU[0] = 600\nSFNU[1] = 2000\n";
  for (auto& level : c.atmosphere) level.back() = ' ', level += "2.5 0 0 0.9 0.9\n";
  c.observation[1] = "0 2.4 0 0 15 0 26.8 0 0 0 0 0 0 0\n";
  c.write();
  c.expect_refusal(c.in("obs.tab") + ":3: observer altitude = 2.4 km, expected no lower than the ground at 2.5 km");
  good.write();
  good.expect_refusal("obs.tab: has no ray 4 for --los-ray, expected 0 to 3", "--los-ray 1 4");
}

TEST(Ega, BadTablesAreRefused) {
  Case const c;
  auto const path = io::table_path(c.base(), 900, "H2O", "bin");
  auto const table = table_of(1, 900);
  auto const bytes = text_of(path);
  // np, p[np], nt[np]; T[nt], nu[nt]; u[nu], emissivity[nu]
  std::size_t const first_point = 4 + 12 * 30 + 12 * 5;

  fs::resize_file(path, bytes.size() / 2);
  c.expect_refusal(path + ": byte ");
  write_text(path, bytes);
  auto spoiled = bytes;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(first_point), 4,
              spoiled.begin() + static_cast<std::ptrdiff_t>(first_point) + 12);
  write_text(path, spoiled);
  c.expect_refusal("pressure 0 (0.01 hPa), temperature 0 (160 K), point 3: column density = ");
  auto const reversed = [&] {
    auto other = bytes;
    std::swap_ranges(other.begin() + 4, other.begin() + 12, other.begin() + 12);
    return other;
  }();
  write_text(path, reversed);
  c.expect_refusal("pressure 1");
  write_text(path, "");
  c.expect_refusal(path + ": is empty, expected a file of emissivities");
  fs::remove(path);
  c.expect_refusal("emissivity table of H2O at 900.0000 cm-1");

  // HDF5 files contain gas and channel.
  auto const own = io::table_path(c.base(), 900, "H2O", "h5");
  io::write_table(own, table, io::TableFormat::hdf5, {"H2O", 792});
  c.expect_refusal(own + ": holds the table of H2O at 792.0000 cm-1, expected H2O at 900.0000 cm-1");
  io::write_table(own, table, io::TableFormat::hdf5, {"O3", 900});
  c.expect_refusal(own + ": holds the table of O3 at 900.0000 cm-1, expected H2O at 900.0000 cm-1");
  io::write_table(own, table, io::TableFormat::hdf5, {"H2O", 900});
  c.solve("-o " + quoted(c.out("rad.tab")));
}

TEST(Ega, OtherBadInputIsRefused) {
  Case const c;
  auto const filter = io::filter_path(c.base(), 900);
  auto const text = text_of(filter);
  write_text(filter, "899 1\n901 -1\n");
  c.expect_refusal(filter + ": has weights that sum to 0");
  write_text(filter, "899 1\n901 -2\n");
  c.expect_refusal(filter + ": has weights that sum to -1, expected a sum above 0");
  for (std::string const other : {"1 1\n2 1\n", "900.01 1\n901 1\n"}) {
    write_text(filter, other);
    c.expect_refusal("cm-1, expected a range with 900 cm-1, the centre of its channel");
  }
  write_text(filter, "899 -0.25\n900 1\n901 -0.25\n");  // without apodization
  c.solve("-o " + quoted(c.out("rad.tab")));
  fs::remove(c.out("rad.tab"));
  write_text(filter, "901 1\n900 1\n");
  c.expect_refusal(filter + ":2: wavenumber");
  fs::remove(filter);
  c.expect_refusal(filter + ": cannot be read");
  write_text(filter, text);

  fs::remove(c.continua() + "/ctmh2o_xfcrev.txt");
  c.expect_refusal("ctmh2o_xfcrev.txt: missing, expected the correction of the H2O self continuum");
  fs::remove(c.continua() + "/ctmco2.txt");
  c.expect_refusal("ctmco2.txt: missing, expected the coefficients of the CO2 continuum");
  expect_refused("ega", c.folder + "/out", c.inputs() + " -o " + quoted(c.out("rad.tab")) + " --quiet",
                 "continuum coefficients");

  auto no_elements = c;
  no_elements.control = replaced(replaced(c.control, "RETT_ZMAX = 20", "RETT_ZMAX = 9"), "[1] = 15", "[1] = 9");
  no_elements.control += "CTM_CO2 = 0\nCTM_H2O = 0\n";
  no_elements.write();
  no_elements.expect_refusal("no elements are chosen");
}

TEST(Ega, FieldsOfViewThatReachTooFarAreRefused) {
  Case c;
  c.control += "FOV = fov.tab\n";
  c.write();
  write_text(c.in("fov.tab"), "-1 0.2\n0 1\n1 0.2\n");
  EXPECT_EQ(c.radiances().size(), 4U);
  fs::remove(c.out("rad.tab"));
  write_text(c.in("fov.tab"), "-274.15 0.2\n0 1\n1 0.2\n");
  c.expect_refusal(
      "offset(0) = -274150 m of the field of view looks at -266150 m from ray 0, expected -30000 to 60000 m");
  // Within reach, but beyond what lines through so few rays tell.
  write_text(c.in("fov.tab"), "0 40\n5 -39\n");
  c.expect_refusal(", expected 0 to ");
}

TEST(Ega, OutputsThatCannotBeAreRefused) {
  Case const c;
  auto const refused = [&](std::string const& outputs, std::string const& message) {
    expect_refused("ega", c.folder + "/out", c.arguments() + " --quiet " + outputs, message);
  };
  for (std::string const option : {"-o ", "--kernel ", "--los "}) {
    refused(option + "/nonexistent/folder/x.tab", "/nonexistent/folder");
    refused(option + quoted(c.folder + "/out"), "is a folder");
    for (std::string const input : {"case.ctl", "atm.tab", "obs.tab"})
      refused(option + quoted(c.in(input)), "is the input file");
  }
  refused("-o " + quoted(c.out("a.tab")) + " --kernel " + quoted(c.out("a.tab")),
          "a.tab: is asked for twice, expected a file of its own for each result");
  refused("-o " + quoted(c.out("a.tab")) + " --los " + quoted(c.folder + "/out/../out/a.tab"), "is asked for twice");
  // The input is as it was.
  c.solve("-o " + quoted(c.out("a.tab")));
}

TEST(Ega, OldResultStaysWhereTheNewOneFails) {
  Case c;
  c.solve("-o " + quoted(c.out("rad.tab")) + " --kernel " + quoted(c.out("kernel.tab")) + " --los " +
          quoted(c.out("los.tab")));
  std::vector<std::string> before;
  for (std::string const name : {"rad.tab", "kernel.tab", "los.tab"}) before.push_back(text_of(c.out(name)));
  fs::remove(io::table_path(c.base(), 900, "H2O", "bin"));
  c.expect_refusal("missing");
  std::vector<std::string> after;
  for (std::string const name : {"rad.tab", "kernel.tab", "los.tab"}) after.push_back(text_of(c.out(name)));
  EXPECT_EQ(before, after);
}

}  // namespace
