// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/emissivity_files.hpp>

#include <parhelion/io/synthetic_tables.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;
using ega::EmissivityTable;
using io::TableFormat;

constexpr TableFormat formats[] = {TableFormat::text, TableFormat::scatter_binary, TableFormat::reference_binary,
                                   TableFormat::hdf5};
io::TableLabel const co2{"CO2", 792};

testing::AssertionResult same(EmissivityTable const& a, EmissivityTable const& b) {
  if (a.pressure_hPa != b.pressure_hPa) return testing::AssertionFailure() << "pressures differ";
  if (a.first_temperature != b.first_temperature) return testing::AssertionFailure() << "first_temperature differs";
  if (a.temperature != b.temperature) return testing::AssertionFailure() << "temperatures differ";
  if (a.first_point != b.first_point) return testing::AssertionFailure() << "first_point differs";
  if (a.column_density != b.column_density) return testing::AssertionFailure() << "column densities differ";
  if (a.emissivity != b.emissivity) return testing::AssertionFailure() << "emissivities differ";
  return testing::AssertionSuccess();
}

// Three pressures with one, three and two temperatures, and values that need all digits.
EmissivityTable small_table() {
  EmissivityTable table{{0.1, 1. / 3, 1013.25}, {0, 1, 4, 6}, {}, {0}, {}, {}};
  for (int c = 0; c < 6; ++c) {
    table.temperature.push_back(200 + 10. / 7 * c);
    for (int i = 0; i <= c % 3; ++i) {
      table.column_density.push_back(1e13f * std::pow(1.1f, static_cast<float>(c + 31 * i)));
      table.emissivity.push_back(std::nextafter(0.1f * static_cast<float>(1 + c % 4 + i), 1.f));
    }
    table.first_point.push_back(static_cast<std::int64_t>(table.column_density.size()));
  }
  return table;
}

// `count` pressures with one point each.
EmissivityTable column_of_pressures(int count) {
  EmissivityTable table;
  table.first_temperature = table.first_point = {0};
  for (int p = 0; p < count; ++p) {
    table.pressure_hPa.push_back(1 + p);
    table.temperature.push_back(250);
    table.column_density.push_back(1e18f);
    table.emissivity.push_back(0.25f);
    table.first_temperature.push_back(p + 1);
    table.first_point.push_back(p + 1);
  }
  return table;
}

EmissivityTable read_of(std::string const& text) {
  auto const path = scratch_folder() + "/table";
  write_bytes(path, text);
  return io::read_table(path);
}

// The message about a file of these bytes, without its name.
std::string refusal(std::string const& bytes) {
  auto const path = scratch_folder() + "/table";
  write_bytes(path, bytes);
  auto const message = message_of([&] { io::read_table(path); });
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
}

std::string bytes_of(EmissivityTable const& table, TableFormat format) {
  auto const path = scratch_folder() + "/table";
  io::write_table(path, table, format, co2);
  return read_bytes(path);
}

template <class T>
std::string with(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

TEST(TableFormats, EachGivesTheSameTableAgain) {
  for (auto const& table : {small_table(), io::synthetic_table(io::synthetic_band(1, 900))})
    for (auto const format : formats) {
      // A name that says nothing.
      auto const path = scratch_folder() + "/table.xyz";
      io::write_table(path, table, format, co2, "a note");
      EXPECT_EQ(io::recognise_table(path), format);
      std::size_t left_out = 1;
      EXPECT_TRUE(same(io::read_table(path, {}, &left_out), table)) << io::name_of(format);
      EXPECT_EQ(left_out, 0u);
      EXPECT_EQ(list(std::filesystem::path(path).parent_path()), std::vector<std::string>{"table.xyz"});
    }
}

TEST(TableFormats, RealTablesAreTheSameInEach) {
  for (std::string const gas : {"CO2", "H2O", "O3"}) {
    PARHELION_REQUIRE_DATA(path, "jurassic/tables/boxcar_792.0000_" + gas + ".bin");
    EXPECT_EQ(io::recognise_table(path), TableFormat::scatter_binary);
    std::size_t left_out = 0;
    auto const table = io::read_table(path, {}, &left_out);
    EXPECT_EQ(table.npressure(), 40);
    EXPECT_EQ(table.ncurve(), 40 * 29);
    EXPECT_EQ(table.pressure_hPa.front(), 0.0103181);
    EXPECT_EQ(table.pressure_hPa.back(), 796.45);
    EXPECT_EQ(left_out, gas == "CO2" ? 27u : gas == "H2O" ? 239u : 0u);
    EXPECT_LE(*std::max_element(table.column_density.begin(), table.column_density.end()), 1e30f);
    auto const folder = scratch_folder();
    for (auto const format : formats) {
      io::write_table(folder + "/a", table, format, {gas, 792});
      EXPECT_TRUE(same(io::read_table(folder + "/a", {gas, 792}), table)) << io::name_of(format);
    }
    // Nothing was dropped of ozone: it comes back byte for byte after a way through all layouts.
    if (left_out > 0) continue;
    auto last = table;
    for (auto const format : formats) {
      io::write_table(folder + "/b", last, format, {gas, 792});
      last = io::read_table(folder + "/b");
    }
    io::write_table(folder + "/b", last, TableFormat::scatter_binary);
    EXPECT_TRUE(read_bytes(folder + "/b") == read_bytes(path));
  }
}

TEST(TableFormats, HaveNames) {
  std::vector<std::string> names;
  for (auto const format : formats) names.push_back(io::name_of(format));
  EXPECT_EQ(names, (std::vector<std::string>{"text", "scatter", "reference", "hdf5"}));
  EXPECT_EQ(io::table_path("d/boxcar", 792, "CO2", "bin"), "d/boxcar_792.0000_CO2.bin");
  EXPECT_EQ(io::table_path("d/boxcar", 667.78201, "CO2", "tab"), "d/boxcar_667.7820_CO2.tab");
  EXPECT_EQ(io::filter_path("d/boxcar", 2350), "d/boxcar_2350.0000.filt");
}

TEST(TextTable, FollowsTheRulesOfTheFormat) {
  auto const table = read_of(
      "# pressure temperature u eps\n"
      "1 200 1e15 0.1\n"
      "1 200 2e15 0.2\n"
      "\n"
      "1 200 3e15\n"                // three numbers
      "1 200 5e15 0.25 and more\n"  // four are enough
      "1 200 4e15 0.3\n"            // a smaller column: in place of the point before
      "1 200 6e15 0.24\n"           // a smaller emissivity than the last that was added (0.25), likewise
      "\t+1\t200\t7e15\t0.5\r\n"    // beyond the last that was added
      "1 210 1e14 0.01\n"           // a new temperature begins anew although u and eps are small
      "1 210 1.5e14 0.02\n"
      "2 210 1e14 0.3\n");  // so does a new pressure, whatever its temperature
  EXPECT_EQ(table.pressure_hPa, (std::vector<double>{1, 2}));
  EXPECT_EQ(table.temperature, (std::vector<double>{200, 210, 210}));
  EXPECT_EQ(table.first_temperature, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(table.first_point, (std::vector<std::int64_t>{0, 4, 6, 7}));
  EXPECT_EQ(table.column_density, (std::vector<float>{1e15f, 2e15f, 6e15f, 7e15f, 1e14f, 1.5e14f, 1e14f}));
  EXPECT_EQ(table.emissivity, (std::vector<float>{0.1f, 0.2f, 0.24f, 0.5f, 0.01f, 0.02f, 0.3f}));
}

TEST(TextTable, ForgetsNoPointBetweenCurves) {
  // The second point of the second curve is below the last of the first: the memory is that of the curve's first point.
  auto const table = read_of("1 200 1e20 0.9\n1 210 1e15 0.1\n1 210 2e15 0.2\n");
  EXPECT_EQ(table.first_point, (std::vector<std::int64_t>{0, 1, 3}));
}

TEST(TextTable, BeginsAtTheOrigin) {
  auto const path = scratch_folder() + "/table";
  write_bytes(path,
              "1 200 1e15 0\n1 200 2e15 0.1\n1 200 3e15 0.2\n"      // not beyond the origin: the next is first
              "1 210 0 0\n1 210 2e15 0.3\n"                         // the origin itself
              "1 220 1e15 0\n1 220 2e15 0\n1 220 3e15 0.4\n"        // each replaces the one before
              "2 200 1e15 1e-60\n2 200 2e15 0.5\n2 200 3e15 0.6\n"  // zero as it is stored
              "2 210 2e15 0\n2 210 1e15 0.1\n2 210 3e15 0.7\n"      // not ascending: a replacement as any other
              "3 200 1e15 0.1\n3 200 2e15 0.2\n3 200 3e15 0.3\n");
  std::size_t left_out = 1;
  auto const table = io::read_table(path, {}, &left_out);
  EXPECT_EQ(left_out, 0u);
  EXPECT_EQ(table.pressure_hPa, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(table.first_temperature, (std::vector<std::int64_t>{0, 3, 5, 6}));
  EXPECT_EQ(table.first_point, (std::vector<std::int64_t>{0, 2, 3, 4, 6, 8, 11}));
  EXPECT_EQ(table.column_density,
            (std::vector<float>{2e15f, 3e15f, 2e15f, 3e15f, 2e15f, 3e15f, 1e15f, 3e15f, 1e15f, 2e15f, 3e15f}));
  EXPECT_EQ(table.emissivity, (std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.1f, 0.7f, 0.1f, 0.2f, 0.3f}));
  // Once a curve has begun, an emissivity of 0 is out of order, and so is one that nothing follows.
  EXPECT_EQ(refusal("1 200 1e15 0.1\n1 200 2e15 0.2\n1 200 3e15 0\n"),
            "pressure 0 (1 hPa), temperature 0 (200 K), point 1: emissivity = 0, expected above 0.1, at most 1");
  EXPECT_EQ(refusal("1 200 1e15 0\n1 210 1e15 0.1\n"),
            "pressure 0 (1 hPa), temperature 0 (200 K), point 0: emissivity = 0, expected above 0, at most 1");
}

TEST(TextTable, LeavesOutWhatIsOutOfRange) {
  auto const path = scratch_folder() + "/table";
  write_bytes(path,
              "1 190 2e30 0.5\n"  // nothing else of this curve: no curve
              "1 200 1e15 -0.1\n1 200 1e15 0.1\n1 200 -1 0.2\n1 200 1e30 0.5\n1 200 1.1e30 0.6\n1 200 2e29 1.1\n"
              "2 200 1e300 0.5\n2 200 1e400 0.5\n2 200 1e20 0.5\n");
  std::size_t left_out = 0;
  auto const table = io::read_table(path, {}, &left_out);
  EXPECT_EQ(left_out, 7u);
  EXPECT_EQ(table.pressure_hPa, (std::vector<double>{1, 2}));
  EXPECT_EQ(table.temperature, (std::vector<double>{200, 200}));
  EXPECT_EQ(table.column_density, (std::vector<float>{1e15f, 1e30f, 1e20f}));
}

TEST(TextTable, ReadsWithoutNewlineAtTheEndAndIncompleteLines) {
  EXPECT_EQ(read_of("1 200 1e15 0.1\n1 200 2e15 0.2").npoint(), 2u);
  EXPECT_EQ(read_of("1 200 1e15 0.1\n1 200 2e15 0.2e-").npoint(), 1u);
  EXPECT_EQ(read_of("1 200 1e15 0.1\n1 200 2e15").npoint(), 1u);
}

TEST(TextTable, RefusesWithLineNumbers) {
  EXPECT_EQ(refusal("1 200 1e15 0.1\n# x\n0.5 200 1e15 0.1\n"),
            "line 3: pressure 0.5 hPa after 1 hPa, expected ascending ones");
  EXPECT_EQ(refusal("1 200 1e15 0.1\n1 190 1e15 0.1\n"),
            "line 2: temperature 190 K after 200 K at pressure 1 hPa, expected ascending ones");
  EXPECT_EQ(
      refusal("# only\n1 2 3\nwords\n"),
      "none of 3 lines opens with pressure, temperature, column density up to 1e+30 molecules cm-2 and emissivity "
      "from 0 to 1");
  EXPECT_EQ(refusal("1 200 1e15 0\n"),
            "pressure 0 (1 hPa), temperature 0 (200 K), point 0: emissivity = 0, expected above 0, at most 1");
  EXPECT_EQ(refusal("1 200 nan 0.1\n"),
            "pressure 0 (1 hPa), temperature 0 (200 K), point 0: column density = nan, expected a finite one above 0");
  EXPECT_EQ(refusal("-1 200 1e15 0.1\n"), "pressure 0 = -1 hPa, expected a finite one above 0 hPa");
  // A point that replaces another may spoil the order.
  EXPECT_EQ(refusal("1 200 1e15 0.1\n1 200 2e15 0.2\n1 200 1.5e15 0.05\n"),
            "pressure 0 (1 hPa), temperature 0 (200 K), point 1: emissivity = 0.05, expected above 0.1, at most 1");
}

TEST(TableFiles, RefuseWhatIsNoFile) {
  EXPECT_EQ(refusal(""), "is empty, expected a file of emissivities");
  auto const folder = scratch_folder();
  EXPECT_EQ(message_of([&] { io::read_table(folder + "/none"); }), folder + "/none: no such file");
  EXPECT_EQ(message_of([&] { io::recognise_table(folder); }),
            folder + ": is a folder, expected a file of emissivities");
  EXPECT_EQ(refusal(std::string("1 200 1e15 0.1\n\0\0", 17)),
            "byte 15: zero, expected text, or a binary table that opens with the number of its pressures, or HDF5");
  EXPECT_EQ(refusal("JURASSIC 0  Binary Emissivity Tables\nversion 20200211\n"),
            "is a table cache of jurassic-gpu, which belongs to one build of that program, expected text, binary or "
            "HDF5 tables");
}

// Where the first curve of small_table lies: np, p[3], then nt[3], T[1], nu[1] or nt, T[1], nu.
constexpr std::size_t scatter_counts = 4 + 3 * 8, scatter_points = scatter_counts + 3 * 4 + 8;
constexpr std::size_t reference_counts = 4 + 3 * 8, reference_points = reference_counts + 4 + 8;

TEST(BinaryTable, RefusesEveryTruncation) {
  for (auto const format : {TableFormat::scatter_binary, TableFormat::reference_binary}) {
    auto const bytes = bytes_of(small_table(), format);
    for (std::size_t size = 4; size < bytes.size(); ++size) {
      auto const message = refusal(bytes.substr(0, size));
      EXPECT_TRUE(message.starts_with("byte ") && has(message, "expected") && has(message, "neither text nor HDF5"))
          << size << ": " << message;
    }
    EXPECT_TRUE(has(refusal(bytes + '\0'), "byte " + std::to_string(bytes.size()) +
                                               ": 1 more bytes follow the table, expected the end of the file"));
  }
}

TEST(BinaryTable, RefusesImpossibleCounts) {
  auto const scatter = bytes_of(small_table(), TableFormat::scatter_binary);
  auto const reference = bytes_of(small_table(), TableFormat::reference_binary);
  for (std::int32_t const count : {0, 1 << 20})
    EXPECT_TRUE(has(refusal(with(scatter, 0, count)),
                    "byte 0: number of pressures is " + std::to_string(count) + ", expected 1 to "));
  for (std::int32_t const count : {0, -1, 1 << 30, std::numeric_limits<std::int32_t>::max()}) {
    auto const number = std::to_string(count);
    EXPECT_TRUE(has(refusal(with(scatter, scatter_counts, count)),
                    "byte 28: number of temperatures of pressure 0 is " + number + ", expected 1 to "));
    EXPECT_TRUE(has(refusal(with(scatter, scatter_points, count)),
                    "byte 48: number of points of pressure 0, temperature 0 is " + number + ", expected 1 to "));
    EXPECT_TRUE(has(refusal(with(reference, reference_counts, count)),
                    "byte 28: number of temperatures of pressure 0 is " + number + ", expected 1 to "));
    EXPECT_TRUE(has(refusal(with(reference, reference_points, count)),
                    "byte 40: number of points of pressure 0, temperature 0 is " + number + ", expected 1 to "));
  }
}

TEST(BinaryTable, RefusesTheOtherByteOrder) {
  EXPECT_EQ(refusal(with(bytes_of(small_table(), TableFormat::scatter_binary), 0, std::int32_t(40 << 24))),
            "byte 0: number of pressures is 40 in big-endian order, expected little-endian numbers");
}

TEST(BinaryTable, LeavesOutTheEndsOfCurvesThatAreOutOfRange) {
  // The last curve of the small table has three points; its column densities, then its emissivities end the file.
  auto const table = small_table();
  for (auto const format : {TableFormat::scatter_binary, TableFormat::reference_binary}) {
    auto bytes = bytes_of(table, format);
    bytes = with(bytes, bytes.size() - 4 * sizeof(float), 1.1e30f);
    auto const path = scratch_folder() + "/table";
    write_bytes(path, bytes);
    std::size_t left_out = 0;
    auto const read = io::read_table(path, {}, &left_out);
    EXPECT_EQ(left_out, 1u);
    EXPECT_EQ(read.npoint(), table.npoint() - 1);
    EXPECT_EQ(read.first_point.back(), table.first_point.back() - 1);

    // The largest column density is in range, though its float is a little above it.
    write_bytes(path, with(bytes, bytes.size() - 4 * sizeof(float), 1e30f));
    EXPECT_EQ(io::read_table(path, {}, &left_out).column_density.back(), 1e30f);
    EXPECT_EQ(left_out, 0u);

    // Within a curve, what is out of range is a mistake.
    EXPECT_TRUE(has(refusal(with(bytes_of(table, format), bytes.size() - 2 * sizeof(float), -0.5f)),
                    "point 1: emissivity = -0.5, expected above"));
    for (std::size_t i = 4; i <= 6; ++i) bytes = with(bytes, bytes.size() - i * sizeof(float), 2e30f);
    EXPECT_TRUE(has(refusal(bytes),
                    "all 3 points of pressure 2, temperature 1 have column densities above 1e+30 molecules cm-2 or "
                    "emissivities outside 0 to 1"));
  }
}

TEST(BinaryTable, BeginsAtTheOriginAsTextDoes) {
  // The last curve of the small table has three points; its column densities, then its emissivities end the file.
  auto const table = small_table();
  for (auto const format : {TableFormat::scatter_binary, TableFormat::reference_binary}) {
    auto bytes = bytes_of(table, format);
    bytes = with(bytes, bytes.size() - 3 * sizeof(float), 0.f);
    auto const path = scratch_folder() + "/table";
    write_bytes(path, bytes);
    std::size_t left_out = 1;
    auto const read = io::read_table(path, {}, &left_out);
    EXPECT_EQ(left_out, 0u);
    auto expected = table;
    expected.column_density.erase(expected.column_density.end() - 3);
    expected.emissivity.erase(expected.emissivity.end() - 3);
    --expected.first_point.back();
    EXPECT_TRUE(same(read, expected)) << io::name_of(format);
    // A curve has to have an emissivity.
    for (std::size_t i = 1; i <= 2; ++i) bytes = with(bytes, bytes.size() - i * sizeof(float), 0.f);
    EXPECT_TRUE(has(refusal(bytes), "point 0: emissivity = 0, expected above 0, at most 1"));
  }
}

TEST(BinaryTable, IsValidated) {
  auto const bytes = bytes_of(small_table(), TableFormat::scatter_binary);
  EXPECT_EQ(refusal(with(bytes, 4, NAN + 0.)), "pressure 0 = nan hPa, expected a finite one above 0 hPa");
  EXPECT_TRUE(
      has(refusal(with(bytes, bytes.size() - sizeof(float), 1e-6f)), "point 2: emissivity = 1e-06, expected above"));
}

TEST(WriteTable, RefusesBeforeAnythingIsWritten) {
  auto const folder = scratch_folder();
  auto const path = folder + "/table";
  EXPECT_EQ(message_of([&] { io::write_table(path, {}, TableFormat::text); }),
            path + " cannot be written: the table is empty");
  auto bad = small_table();
  bad.emissivity[0] = 2;
  EXPECT_TRUE(has(message_of([&] { io::write_table(path, bad, TableFormat::text); }),
                  path + " cannot be written: pressure 0 (0.1 hPa), temperature 0 (200 K), point 0: emissivity = 2"));
  EXPECT_EQ(message_of([&] { io::write_table(path, small_table(), TableFormat::hdf5); }),
            path + " cannot be written: HDF5 needs the gas and the wavenumber of the table, which are not known");
  EXPECT_EQ(message_of([&] { io::write_table(path, small_table(), TableFormat::text, co2, "1 2 3 4\n1 2 3 4"); }),
            path + " cannot be written: the note has several lines, expected one");
  EXPECT_TRUE(list(folder).empty());
  EXPECT_TRUE(has(message_of([&] { io::write_table(folder + "/no/x", small_table(), TableFormat::text); }),
                  "cannot be written: no folder"));
  EXPECT_TRUE(has(message_of([&] { io::write_table(folder, small_table(), TableFormat::text); }),
                  "cannot be written: is a folder"));
}

TEST(WriteTable, ReplacesWhatALinkPointsTo) {
  auto const folder = scratch_folder();
  write_bytes(folder + "/real", "old");
  std::filesystem::create_symlink("real", folder + "/link");
  io::write_table(folder + "/link", small_table(), TableFormat::text);
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
  EXPECT_TRUE(same(io::read_table(folder + "/real"), small_table()));
}

// ---- Many tables in one file

std::vector<std::string> const gases{"CO2", "H2O", "O3"};
std::vector<double> const wavenumbers{792, 900.5, 667.8};

// Gas 1 has no table in channel 0, no gas has one in channel 2; grids differ between channels.
EmissivityTable packed_table(int gas, int channel) {
  if ((gas == 1 && channel == 0) || channel == 2) return {};
  auto table = channel == 0 ? small_table() : column_of_pressures(31 + gas);
  table.emissivity.back() = 0.9f + 0.01f * static_cast<float>(gas);
  return table;
}

TEST(PackedTables, GiveTheTablesAgain) {
  auto const path = scratch_folder() + "/packed.h5";
  io::pack_tables(path, gases, wavenumbers, packed_table, {{"title", "test"}});
  EXPECT_EQ(io::recognise_table(path), TableFormat::hdf5);
  io::PackedTables const packed(path);
  EXPECT_EQ(packed.path(), path);
  EXPECT_EQ(packed.gases(), gases);
  EXPECT_EQ(packed.wavenumbers(), wavenumbers);
  EXPECT_EQ(packed.find_gas("h2o"), 1);
  EXPECT_EQ(packed.find_gas("N2"), -1);
  EXPECT_EQ(packed.find_channel(900.50001), 1);
  EXPECT_EQ(packed.find_channel(900.501), -1);
  for (int g = 0; g < 3; ++g)
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(packed.holds(g, c), !packed_table(g, c).empty());
      EXPECT_TRUE(same(packed.read(g, c), packed_table(g, c))) << g << ' ' << c;
    }
  io::Hdf5File const file(path);
  EXPECT_EQ(file.text_attribute("", "title"), "test");
  // Three grids for the four that tables have: CO2 and O3 share that of channel 0.
  EXPECT_EQ(file.shape("first_pressure"), (std::vector<std::size_t>{5}));
}

TEST(PackedTables, SayWhichTableIsMeant) {
  auto const path = scratch_folder() + "/packed.h5";
  io::pack_tables(path, gases, wavenumbers, packed_table);
  EXPECT_EQ(message_of([&] { io::read_table(path); }),
            path + ": holds tables of 3 gases in 3 channels, expected one table");
  EXPECT_TRUE(same(io::read_table(path, {"co2", 900.5}), packed_table(0, 1)));
  EXPECT_EQ(message_of([&] { io::read_table(path, {"H2O", 792}); }), path + ": holds no table of H2O at 792.0000 cm-1");
  io::write_table(path, small_table(), TableFormat::hdf5, co2);
  EXPECT_EQ(message_of([&] {
              io::read_table(path, {"H2O", 792});
            }),
            path + ": holds the table of CO2 at 792.0000 cm-1, expected H2O at 792.0000 cm-1");
  EXPECT_EQ(message_of([&] {
              io::read_table(path, {"CO2", 900});
            }),
            path + ": holds the table of CO2 at 792.0000 cm-1, expected CO2 at 900.0000 cm-1");
}

TEST(PackedTables, RefuseToBeMadeOfNonsense) {
  auto const folder = scratch_folder();
  auto const path = folder + "/packed.h5";
  auto const refusal = [&](std::vector<std::string> const& names, std::vector<double> const& nus) {
    auto const message = message_of([&] { io::pack_tables(path, names, nus, packed_table); });
    return message.substr(std::min(message.size(), path.size() + 2));
  };
  EXPECT_EQ(refusal({}, {792}), "cannot be written: 0 gases in 1 channels, expected one or more of both");
  EXPECT_EQ(refusal({"CO2", "co2"}, {792}), "cannot be written: gas 'co2', expected names that differ");
  EXPECT_EQ(refusal({""}, {792}), "cannot be written: gas '', expected names that differ");
  EXPECT_EQ(refusal({"CO2"}, {792, 792.00001}), "cannot be written: wavenumber 792.0000 cm-1 twice");
  EXPECT_EQ(refusal({"CO2"}, {-1}), "cannot be written: wavenumber -1 cm-1, expected a positive one");
  auto const none = [](int, int) { return EmissivityTable(); };
  EXPECT_EQ(message_of([&] { io::pack_tables(path, gases, wavenumbers, none); }),
            path + ": cannot be written: no gas has a table");
  auto const bad = [](int, int) {
    auto table = small_table();
    table.pressure_hPa[2] = 0;
    return table;
  };
  EXPECT_EQ(message_of([&] { io::pack_tables(path, gases, wavenumbers, bad); }),
            path + ": CO2 at 792.0000 cm-1: pressure 2 = 0 hPa, expected a finite one above 0.3333333333333333 hPa");
  EXPECT_TRUE(list(folder).empty());
}

// The variables of a packed file of one table, to be damaged.
SyntheticFile packed_file() {
  SyntheticFile file;
  file.text_attributes["layout"] = "parhelion emissivity tables 1";
  auto& v = file.variables;
  v["gas_name"] = {{1}, {}, {}, {}, Stored::variable_text, {"CO2"}};
  v["wavenumber"] = {{1}, {792}};
  v["first_pressure"] = {{2}, {0, 2}};
  v["pressure"] = {{2}, {1, 10}};
  v["first_temperature"] = {{3}, {0, 1, 3}};
  v["temperature"] = {{3}, {200, 210, 220}};
  v["table_grid"] = {{1, 1}, {0}};
  v["channel_0/points"] = {{3}, {1, 2, 1}};
  v["channel_0/column_density"] = {{4}, {1e15, 1e15, 2e15, 1e15}};
  v["channel_0/emissivity"] = {{4}, {0.1, 0.1, 0.2, 0.3}};
  return file;
}

template <class Spoil>
std::string packed_refusal(Spoil const& spoil) {
  auto file = packed_file();
  spoil(file);
  auto const path = file.write(scratch_folder() + "/packed.h5");
  auto const message = message_of([&] { io::read_table(path); });
  return message.substr(std::min(message.size(), path.size() + 2));
}

TEST(PackedTables, NameWhatIsDamaged) {
  EXPECT_EQ(io::read_table(packed_file().write(scratch_folder() + "/good.h5")).npoint(), 4u);
  EXPECT_EQ(packed_refusal([](auto& f) { f.text_attributes.clear(); }),
            "attribute layout is missing, expected 'parhelion emissivity tables 1'");
  EXPECT_EQ(packed_refusal([](auto& f) { f.text_attributes["layout"] = "x"; }),
            "attribute layout is 'x', expected 'parhelion emissivity tables 1'");
  for (std::string const name :
       {"gas_name", "wavenumber", "first_pressure", "pressure", "first_temperature", "temperature", "table_grid",
        "channel_0/points", "channel_0/column_density", "channel_0/emissivity"})
    EXPECT_EQ(packed_refusal([&](auto& f) { f.remove(name); }), name + ": missing");
  EXPECT_EQ(packed_refusal([](auto& f) { f["first_pressure"].values[1] = 1; }), "first_pressure(1): 1, expected 2");
  EXPECT_EQ(packed_refusal([](auto& f) {
              f["first_pressure"] = {{0}, {}};
            }),
            "first_pressure: has 0 entries, expected one or more");
  EXPECT_EQ(packed_refusal([](auto& f) { f["first_temperature"].values[1] = 1.5; }),
            "first_temperature(1): 1.5, expected a whole number above 0");
  EXPECT_EQ(packed_refusal([](auto& f) { f["first_temperature"].values[1] = 7; }),
            "first_temperature(1): 7, expected at most 3");
  EXPECT_EQ(packed_refusal([](auto& f) { f["first_temperature"].values[0] = 1; }),
            "first_temperature(0): 1, expected 0");
  EXPECT_EQ(packed_refusal([](auto& f) { f["table_grid"].values[0] = 1; }), "table_grid(0, 0): 1, expected -1 to 0");
  EXPECT_EQ(packed_refusal([](auto& f) { f["table_grid"].shape = {1}; }), "table_grid: has shape (1), expected (1, 1)");
  EXPECT_EQ(packed_refusal([](auto& f) {
              f["wavenumber"].shape = {1, 1};
            }),
            "wavenumber: has shape (1, 1), expected one dimension");
  EXPECT_EQ(packed_refusal([](auto& f) { f["wavenumber"].values[0] = -792; }),
            "wavenumber -792 cm-1, expected a positive one");
  EXPECT_EQ(packed_refusal([](auto& f) { f["wavenumber"] = {{2}, {792, 792}}; }), "wavenumber 792.0000 cm-1 twice");
  EXPECT_EQ(packed_refusal([](auto& f) {
              f["gas_name"] = {{2}, {}, {}, {}, Stored::variable_text, {"CO2", "co2"}};
            }),
            "gas 'co2', expected names that differ");
  EXPECT_EQ(packed_refusal([](auto& f) { f["channel_0/points"].values[1] = 0; }),
            "channel_0/points(1): 0, expected a positive whole number");
  EXPECT_EQ(packed_refusal([](auto& f) {
              f["channel_0/points"] = {{2}, {1, 2}};
            }),
            "channel_0/points: has 2 entries, expected 3");
  EXPECT_EQ(packed_refusal([](auto& f) { f["channel_0/points"].values[2] = 2; }),
            "channel_0/column_density: has shape (4), expected at least 5 entries in the first dimension");
  EXPECT_EQ(
      packed_refusal([](auto& f) { f["channel_0/emissivity"].values[2] = 0.1; }),
      "CO2 at 792.0000 cm-1: pressure 1 (10 hPa), temperature 0 (210 K), point 1: emissivity = 0.1, expected above "
      "0.1, at most 1");
}

TEST(PackedTables, GiveRealTables) {
  PARHELION_REQUIRE_DATA(example, "jurassic/tables/boxcar_792.0000_CO2.bin");
  auto const base = (std::filesystem::path(example).parent_path() / "boxcar").string();
  io::TableFiles const files({.base = base}, gases, {792, 667.8});
  auto const folder = scratch_folder();
  io::pack_tables(folder + "/boxcar.h5", gases, {792, 667.8}, files);
  io::TableFiles const packed({.base = base, .folder = folder}, gases, {792, 667.8});
  for (int g = 0; g < 3; ++g)
    for (int c = 0; c < 2; ++c) {
      EXPECT_EQ(packed.find(g, c), folder + "/boxcar.h5");
      EXPECT_TRUE(same(packed.read(g, c), files.read(g, c)));
    }
}

// ---- Finding tables

TEST(TableFiles, AreFoundByName) {
  auto const folder = scratch_folder();
  auto const base = folder + "/boxcar";
  auto const bin = column_of_pressures(30), tab = column_of_pressures(31), h5 = column_of_pressures(32),
             all = column_of_pressures(33);
  auto const npressure = [&](TableFormat first) {
    return io::TableFiles({.base = base, .first = first}, gases, wavenumbers).read(0, 0).npressure();
  };
  io::write_table(base + "_792.0000_CO2.h5", h5, TableFormat::hdf5, co2);
  EXPECT_EQ(npressure(TableFormat::text), 32);
  // The content counts, not the suffix.
  io::write_table(base + "_792.0000_CO2.bin", bin, TableFormat::text);
  EXPECT_EQ(npressure(TableFormat::text), 30);
  io::write_table(base + "_792.0000_CO2.tab", tab, TableFormat::reference_binary);
  EXPECT_EQ(npressure(TableFormat::text), 31);
  EXPECT_EQ(npressure(TableFormat::reference_binary), 30);
  io::pack_tables(base + ".h5", {"H2O", "CO2"}, {900.5, 792},
                  [&](int g, int c) { return g == 1 && c == 0 ? EmissivityTable() : all; });
  EXPECT_EQ(npressure(TableFormat::text), 33);
  io::TableFiles const files({.base = base}, gases, wavenumbers);
  EXPECT_EQ(files.find(0, 0), base + ".h5");
  EXPECT_EQ(files.find(1, 1), base + ".h5");
  EXPECT_EQ(files.find(0, 1), "") << "left out of the packed file";
  EXPECT_EQ(files.find(2, 0), "");
  EXPECT_EQ(files.filter_path(1), base + "_900.5000.filt");

  // Another folder, the same beginning of names.
  io::TableFiles const moved({.base = "/nowhere/boxcar", .folder = folder}, gases, wavenumbers);
  EXPECT_EQ(moved.find(0, 0), base + ".h5");
  ega::TableProvider const provider = moved;
  EXPECT_TRUE(same(provider(0, 0), all));
}

TEST(TableFiles, NameEveryPathWhereATableIsMissing) {
  auto const base = scratch_folder() + "/boxcar";
  EXPECT_EQ(message_of([&] { io::TableFiles({.base = base}, gases, wavenumbers).read(1, 1); }),
            "emissivity table of H2O at 900.5000 cm-1: missing, looked for " + base + ".h5, " + base +
                "_900.5000_H2O.tab, " + base + "_900.5000_H2O.bin, " + base + "_900.5000_H2O.h5");
  EXPECT_TRUE(io::TableFiles({.base = base, .missing_allowed = true}, gases, wavenumbers).read(1, 1).empty());
}

TEST(TableFiles, TakeSmallTablesForMissing) {
  auto const base = scratch_folder() + "/boxcar";
  auto const path = base + "_792.0000_CO2.tab";
  io::write_table(path, column_of_pressures(29), TableFormat::text);
  EXPECT_EQ(message_of([&] { io::TableFiles({.base = base}, gases, wavenumbers).read(0, 0); }),
            path + ": 29 pressures in the table of CO2 at 792.0000 cm-1, expected 30 or more");
  io::TableFiles const files({.base = base, .missing_allowed = true}, gases, wavenumbers);
  EXPECT_TRUE(files.read(0, 0).empty());
  io::write_table(path, column_of_pressures(30), TableFormat::text);
  EXPECT_EQ(files.read(0, 0).npressure(), 30);
  // A bad table is not a missing one.
  write_bytes(path, "nothing");
  EXPECT_TRUE(has(message_of([&] { files.read(0, 0); }), path + ": none of 1 lines opens with"));
}

TEST(TableFiles, RefuseBadQuestions) {
  EXPECT_EQ(message_of([] { io::TableFiles({.base = ""}, gases, wavenumbers); }),
            "emissivity tables: base of their names is '', expected a folder and the beginning of a name, such as "
            "tables/boxcar");
  auto const base = scratch_folder() + "/boxcar";
  io::TableFiles const files({.base = base, .missing_allowed = true}, gases, wavenumbers);
  EXPECT_EQ(message_of([&] { files.read(3, 0); }), "TableFiles: gas 3 in channel 0, expected one of 3 in one of 3");
  EXPECT_EQ(message_of([&] { files.read(0, -1); }), "TableFiles: gas 0 in channel -1, expected one of 3 in one of 3");
  write_bytes(base + ".h5", "no HDF5");
  EXPECT_EQ(message_of([&] { io::TableFiles({.base = base}, gases, wavenumbers); }),
            base + ".h5: is not an HDF5 or netCDF-4 file");
  // A single table under the name of another.
  std::filesystem::remove(base + ".h5");
  io::write_table(base + "_792.0000_H2O.h5", column_of_pressures(30), TableFormat::hdf5, co2);
  EXPECT_TRUE(has(message_of([&] { files.read(1, 0); }),
                  "holds the table of CO2 at 792.0000 cm-1, expected H2O at 792.0000 cm-1"));
}

}  // namespace
