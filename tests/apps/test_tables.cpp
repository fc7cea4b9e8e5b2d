// SPDX-License-Identifier: BSD-3-Clause
// `parhelion tables` as its users meet it: files in, files out, messages and exit codes.
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/synthetic_tables.hpp>

#include "program.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
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

/// The lines that are no comments.
std::string numbers_in(std::string const& path) {
  std::istringstream text(text_of(path));
  std::string numbers;
  for (std::string line; std::getline(text, line);)
    if (line.rfind('#', 0) != 0) numbers += line + '\n';
  return numbers;
}

void expect_same(ega::EmissivityTable const& a, ega::EmissivityTable const& b, std::string const& what) {
  EXPECT_EQ(a.pressure_hPa, b.pressure_hPa) << what;
  EXPECT_EQ(a.first_temperature, b.first_temperature) << what;
  EXPECT_EQ(a.temperature, b.temperature) << what;
  EXPECT_EQ(a.first_point, b.first_point) << what;
  EXPECT_EQ(a.column_density, b.column_density) << what;
  EXPECT_EQ(a.emissivity, b.emissivity) << what;
}

/// A table of CO2 as text, and a folder for what is made of it.
struct Files {
  std::string folder = scratch_folder();
  ega::EmissivityTable table = small_table(io::synthetic_band(0, 792), {.npressure = ega::min_pressures});

  Files() {
    fs::create_directory(folder + "/in");
    fs::create_directory(folder + "/out");
    // The tables have no columns above 1e30 cm-2.
    io::write_table(text(), table, io::TableFormat::text);
    table = io::read_table(text());
    io::write_table(text(), table, io::TableFormat::text);
  }

  std::string in(std::string const& name) const { return folder + "/in/" + name; }
  std::string out(std::string const& name) const { return folder + "/out/" + name; }
  std::string text() const { return in("boxcar_792.0000_CO2.tab"); }

  void convert(std::string const& from, std::string const& format, std::string const& to) const {
    auto const outcome = run("tables convert " + quoted(from) + " --to " + format + " -o " + quoted(to) + " --quiet");
    ASSERT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "") << "--quiet";
  }

  /// Expects that a file is converted into no format, and that this leaves nothing.
  void expect_refusal(std::string const& from, std::string const& message) const {
    for (std::string const format : {"text", "scatter", "reference", "hdf5"})
      expect_refused("tables", folder + "/out",
                     "convert " + quoted(from) + " --to " + format + " --gas CO2 --wavenumber 792 -o " +
                         quoted(out("table")) + " --quiet",
                     message);
    expect_refused("tables", folder + "/out", "info " + quoted(from), message);
  }
};

TEST(Tables, ComeBackFromHdf5AndBinary) {
  Files const f;
  f.convert(f.text(), "hdf5", f.out("a.h5"));
  expect_same(io::read_table(f.out("a.h5"), {"CO2", 792}), f.table, "hdf5");
  std::string from = f.out("a.h5");
  for (auto const& [format, name] : {std::pair("scatter", "b.bin"), std::pair("reference", "c.bin")}) {
    f.convert(from, format, f.out(name));
    EXPECT_EQ(io::name_of(io::recognise_table(f.out(name))), format);
    expect_same(io::read_table(f.out(name)), f.table, format);
    from = f.out(name);
  }
  // And back to the text that it was.
  f.convert(from, "text", f.out("d.tab"));
  EXPECT_EQ(numbers_in(f.out("d.tab")), numbers_in(f.text()));
  auto files = files_in(f.folder + "/out");
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (std::vector<std::string>{"a.h5", "b.bin", "c.bin", "d.tab"}));
}

TEST(Tables, ShowWhatTheyHold) {
  Files const f;
  auto const outcome = run("tables convert " + quoted(f.text()) + " --to hdf5 -o " + quoted(f.out("a.h5")));
  EXPECT_EQ(outcome.code, 0);
  for (std::string const& part :
       {f.text() + ": text, 30 pressures 0.01 to 1100 hPa, 150 curves 160 to 300 K", "written to " + f.out("a.h5")})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << '\n' << outcome.output;
  // Gas and channel are in the name of the text file.
  auto const info = run("tables info " + quoted(f.out("a.h5")));
  EXPECT_EQ(info.code, 0);
  for (std::string const& part :
       {f.out("a.h5") + ": hdf5, 1 gases in 1 channels", std::string("792.0000 CO2"), std::string("30 pressures")})
    EXPECT_NE(info.output.find(part), std::string::npos) << part << '\n' << info.output;
}

TEST(Tables, HaveALabelWhereTheFormatNeedsOne) {
  Files const f;
  fs::copy(f.text(), f.in("table"));
  auto const arguments = "convert " + quoted(f.in("table")) + " --to hdf5 --quiet -o " + quoted(f.out("a.h5"));
  expect_refused("tables", f.folder + "/out", arguments, f.out("a.h5"));
  EXPECT_EQ(run("tables " + arguments + " --gas CO2").code, 2);
  EXPECT_EQ(run("tables " + arguments + " --gas CO2 --wavenumber 792").code, 0);
  expect_same(io::read_table(f.out("a.h5"), {"CO2", 792}), f.table, "hdf5");
  // The file has no table of another gas.
  expect_refused("tables", f.folder + "/out",
                 "convert " + quoted(f.out("a.h5")) + " --to text --gas O3 --wavenumber 792 -o " + quoted(f.out("b")),
                 f.out("a.h5") + ": holds the table of CO2 at 792.0000 cm-1, expected O3 at 792.0000 cm-1");
}

TEST(Tables, ThatAreBrokenAreRefusedByName) {
  Files const f;
  auto const broken = f.in("broken");
  f.expect_refusal(broken, broken + ": no such file");
  write_text(broken, "");
  f.expect_refusal(broken, broken + ": is empty, expected a file of emissivities");
  write_text(broken, "no numbers\n");
  f.expect_refusal(broken, broken + ": none of 1 lines opens with pressure, temperature");
  write_text(broken, "2 200 1e15 0.1\n1 200 1e15 0.1\n");
  f.expect_refusal(broken, broken + ": line 2: pressure 1 hPa after 2 hPa, expected ascending ones");
  write_text(broken, "1 200 1e15 0.1\n1 200 2e15 0.2\n1 200 1.5e15 0.05\n");
  f.expect_refusal(broken, broken + ": pressure 0 (1 hPa), temperature 0 (200 K), point 1: emissivity = 0.05");
  for (std::string const format : {"scatter", "reference", "hdf5"}) {
    f.convert(f.text(), format, f.in("whole"));
    auto const bytes = text_of(f.in("whole"));
    write_text(broken, bytes.substr(0, bytes.size() / 2));
    f.expect_refusal(broken, broken + ": ");
  }
}

TEST(Tables, StayWhereTheNewOneCannotBeMade) {
  Files const f;
  f.convert(f.text(), "scatter", f.out("table"));
  auto const before = text_of(f.out("table"));
  write_text(f.in("broken"), before.substr(0, before.size() - 1));
  f.expect_refusal(f.in("broken"), f.in("broken") + ": byte ");
  EXPECT_TRUE(text_of(f.out("table")) == before);
  expect_refused("tables", f.folder + "/out",
                 "convert " + quoted(f.out("table")) + " --to text -o " + quoted(f.out("table")), "is the input file");
  EXPECT_TRUE(text_of(f.out("table")) == before);
}

TEST(Tables, ArePackedBesideWhatTheyAreMadeOfAndNotOverIt) {
  Files const f;
  std::string const pack = "tables pack --gases CO2 --channels 792 --base " + quoted(f.in("boxcar")) + " --quiet -o ";
  auto const before = text_of(f.text());
  auto const over = run(pack + quoted(f.text()));
  EXPECT_EQ(over.code, 1);
  EXPECT_NE(over.output.find("is the input file"), std::string::npos) << over.output;
  EXPECT_TRUE(text_of(f.text()) == before);
  auto const made = run(pack + quoted(f.in("boxcar.h5")));
  EXPECT_EQ(made.code, 0) << made.output;
  auto const again = run(pack + quoted(f.in("boxcar.h5")));  // from now on it is what is read
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.output.find("is the input file"), std::string::npos) << again.output;
}

TEST(Tables, BadUsageExitsWithTwo) {
  Files const f;
  for (std::string const& arguments :
       {std::string("tables"), std::string("tables convert"), "tables convert " + quoted(f.text()),
        "tables convert " + quoted(f.text()) + " --to tape -o " + quoted(f.out("a")),
        "tables pack --base " + quoted(f.in("boxcar")) + " -o " + quoted(f.out("a")), std::string("tables info")}) {
    auto const outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << '\n' << outcome.output;
  }
  std::string const output = " -o " + quoted(f.out("a.h5")), of_co2 = "tables synthetic --gases CO2" + output;
  for (std::string const list : {"670,,", "670,,680", ",670", ","})
    expect_bad_usage(of_co2 + " --channels " + list, "--channels: '" + list + "' has an empty entry");
  for (std::string const list : {",CO2", "CO2,", "CO2,,O3"})
    expect_bad_usage("tables synthetic --channels 670" + output + " --gases=" + list,
                     "--gases: '" + list + "' has an empty entry");
  for (std::string const wavenumber : {"1e30", "1e-30", "0", "-670", "nan", "0x29e"})
    expect_bad_usage(of_co2 + " --channels=" + wavenumber,
                     "--channels: " + wavenumber + ", expected a wavenumber from 0.0001 to 100000 cm-1");
  expect_bad_usage("tables convert " + quoted(f.text()) + " --to text --gas CO2 --wavenumber 1e30" + output,
                   "--wavenumber: 1e30, expected a wavenumber from 0.0001 to 100000 cm-1");
  EXPECT_TRUE(files_in(f.folder + "/out").empty());
}

}  // namespace
