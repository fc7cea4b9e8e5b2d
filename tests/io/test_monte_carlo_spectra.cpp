// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/narrow_band_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

// 3 bands, 2 temperatures, 2 points.
SyntheticFile table_file() {
  SyntheticFile file;
  auto& v = file.variables;
  v["band_left"] = {{3}, {10, 1000.01, 2000.01}, {{"units", "cm^-1"}}};
  v["band_right"] = {{3}, {1000, 2000, 3000}, {{"units", "cm^-1"}}};
  v["band_centre"] = {{3}, {505, 1500, 2500}, {{"units", "cm-1"}}};
  v["band_width"] = {{3}, {990, 999.99, 999.99}};
  v["temperature"] = {{2}, {500, 600}, {{"units", "K"}}};
  v["g"] = {{2}, {0.25, 0.75}};
  v["w"] = {{2}, {0.5, 0.5}, {{"units", "1"}}};
  v["k"] = {{3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {{"units", "m^-1"}}};
  v["k_avg"] = {{1}, {-1}};  // not read
  file.text_attributes["title"] = "a small table";
  return file;
}

template <class Spoil>
std::string refusal(Spoil const& spoil) {
  auto file = table_file();
  spoil(file);
  auto const path = file.write(scratch_folder() + "/in.h5");
  auto const message = message_of([&] { io::read_narrow_band(path); });
  EXPECT_EQ(message.substr(0, path.size() + 2), path + ": ");
  return message.substr(std::min(message.size(), path.size() + 2));
}

TEST(NarrowBandFiles, AreRead) {
  auto file = table_file();
  auto const path = file.write(scratch_folder() + "/in.h5");
  auto const table = io::read_narrow_band(path);
  EXPECT_EQ(table.name, "a small table");
  EXPECT_EQ(table.nband(), 3);
  EXPECT_EQ(table.ntemperature(), 2);
  EXPECT_EQ(table.ng(), 2);
  EXPECT_EQ(table.band_left, file["band_left"].values);
  EXPECT_EQ(table.band_right, file["band_right"].values);
  EXPECT_EQ(table.band_centre, file["band_centre"].values);
  EXPECT_EQ(table.temperature, file["temperature"].values);
  EXPECT_EQ(table.g, file["g"].values);
  EXPECT_EQ(table.weight, file["w"].values);
  EXPECT_EQ(table.absorption(1, 0, 1), 6);
  EXPECT_EQ(table.absorption(2, 1, 0), 11);
  file.text_attributes.clear();
  EXPECT_EQ(io::read_narrow_band(file.write(path)).name, "in.h5");
}

TEST(NarrowBandFiles, RefuseMissingAndMisshapen) {
  EXPECT_EQ(refusal([](auto& f) { f.text_attributes["title"] = "caf\xe9"; }), "attribute title is not valid UTF-8");
  for (std::string const name : {"band_left", "band_right", "band_centre", "band_width", "temperature", "g", "w", "k"})
    EXPECT_EQ(refusal([&](auto& f) { f.remove(name); }), name + ": missing");
  EXPECT_EQ(refusal([](auto& f) {
              f["k"].shape = {2, 3, 2};
            }),
            "k: has shape (2, 3, 2), expected (band, temperature, g) = (3, 2, 2)");
  EXPECT_EQ(refusal([](auto& f) {
              f["k"].shape = {6, 2};
            }),
            "k: has shape (6, 2), expected (band, temperature, g) = (3, 2, 2)");
  EXPECT_EQ(refusal([](auto& f) { f["g"].shape = {1, 2}; }), "g: has shape (1, 2), expected (g), at least 1");
  EXPECT_EQ(refusal([](auto& f) {
              f["band_left"] = {{2}, {10, 1000}};
            }),
            "band_left: has shape (2), expected (band) = (3)");
  EXPECT_EQ(refusal([](auto& f) { f["w"] = {{1}, {1}}; }), "w: has shape (1), expected (g) = (2)");
  EXPECT_EQ(refusal([](auto& f) { f["k"].written = false; }), "k: was never written");
  EXPECT_EQ(refusal([](auto& f) {
              f["g"] = {{2}, {}, {}, {}, Stored::fixed_text, {"a", "b"}};
            }),
            "g: does not hold numbers");
}

TEST(NarrowBandFiles, RefuseOtherUnits) {
  EXPECT_EQ(refusal([](auto& f) { f["k"].text_attributes["units"] = "cm-1"; }), "k: units are 'cm-1', expected m-1");
  EXPECT_EQ(refusal([](auto& f) { f["band_left"].text_attributes["units"] = "m-1"; }),
            "band_left: units are 'm-1', expected cm-1");
  EXPECT_EQ(refusal([](auto& f) { f["temperature"].text_attributes["units"] = "degC"; }),
            "temperature: units are 'degC', expected K");
  EXPECT_EQ(refusal([](auto& f) { f["k"].number_attributes["scale_factor"] = 2; }),
            "k: is packed (attribute scale_factor), expected plain values");
}

TEST(NarrowBandFiles, RefuseBadNumbers) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal([&](auto& f) { f["k"](1, 0, 1) = nan; }),
            "k(1, 0, 1) = nan m-1, expected a finite number that is not a missing value");
  EXPECT_EQ(refusal([](auto& f) {
              f["k"](1, 0, 1) = -999;
              f["k"].number_attributes["_FillValue"] = -999;
            }),
            "k(1, 0, 1) = -999 m-1, expected a finite number that is not a missing value");
  EXPECT_EQ(refusal([&](auto& f) { f["g"].values[1] = nan; }),
            "g(1) = nan, expected a finite number that is not a missing value");
  EXPECT_EQ(refusal([](auto& f) { f["k"](2, 1, 0) = -1; }), "k(2, 1, 0) = -1 m-1, expected a finite number >= 0");
  EXPECT_EQ(refusal([](auto& f) { f["k"](2, 1, 1) = 10; }),
            "k(2, 1, 1) = 10 m-1, expected at least k(2, 1, 0) = 11 m-1");
  EXPECT_EQ(refusal([](auto& f) { f["g"].values[1] = 0.25; }), "g(1) = 0.25, expected more than g(0) = 0.25");
  EXPECT_EQ(refusal([](auto& f) { f["w"].values[1] = 0.25; }),
            "the 2 weights w add up to 0.75, expected 1 within 1e-06");
  EXPECT_EQ(refusal([](auto& f) { f["temperature"].values[1] = 500; }),
            "temperature(1) = 500 K, expected more than temperature(0) = 500 K");
  EXPECT_EQ(refusal([](auto& f) { f["band_left"].values[1] = 1010; }),
            "band_left(1) = 1010 cm-1, expected band_right(0) = 1000 cm-1 within 0.99 cm-1");
  EXPECT_EQ(refusal([](auto& f) { f["band_width"].values[2] = 1000.5; }),
            "band_width(2) = 1000.5 cm-1, expected band_right(2) - band_left(2) = 999.99 cm-1");
}

TEST(NarrowBandFiles, RefuseOtherFiles) {
  auto const folder = scratch_folder();
  EXPECT_EQ(message_of([&] { io::read_narrow_band(folder + "/none.h5"); }), folder + "/none.h5: no such file");
  write_bytes(folder + "/text.h5", "band_left");
  EXPECT_EQ(message_of([&] { io::read_narrow_band(folder + "/text.h5"); }),
            folder + "/text.h5: is not an HDF5 or netCDF-4 file");
}

TEST(NarrowBandFiles, RefuseATruncatedTable) {
  PARHELION_REQUIRE_DATA(path, "mc/h2o_nbck.h5");
  auto const bytes = read_bytes(path);
  auto const cut = scratch_folder() + "/cut.h5";
  write_bytes(cut, bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(has(message_of([&] { io::read_narrow_band(cut); }), cut + ": damaged or truncated HDF5"));
}

}  // namespace
