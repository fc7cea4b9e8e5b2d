// SPDX-License-Identifier: BSD-3-Clause
// Values of atmosphere files beyond the ranges of the gas optics: refused, clipped or kept.
#include <parhelion/fluxes/simple/simple_spectral.hpp>
#include <parhelion/io/radiation_files.hpp>

#include "radiation_testing.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cstddef>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;

namespace {

io::RadiationOptions with(OutOfRange what) { return {.out_of_range = what}; }

}  // namespace

TEST(RadiationFiles, RangesOfTheGasOptics) {
  auto const set = [](char const* name, std::size_t at, double value) {
    return [=](auto& file) { file[name].values[at] = value; };
  };
  EXPECT_EQ(column_refusal(set("tsfc", 1, 15.)), "tsfc(1) = 15 K, expected 160 to 400 K");
  EXPECT_EQ(column_refusal(set("tsfc", 1, 1e30)), "tsfc(1) = 1e+30 K, expected 160 to 400 K");
  EXPECT_EQ(column_refusal(set("tlay", 6, 500.)), "tlay(1, 2) = 500 K, expected 160 to 400 K");
  EXPECT_EQ(column_refusal(set("tlev", 14, 159.)), "tlev(2, 4) = 159 K, expected 160 to 400 K");
  EXPECT_EQ(column_refusal(set("h2ovmr", 0, 1.5)),
            "h2ovmr(0, 0) = 1.5 mol mol-1, expected a mixing ratio from 0 to 1 mol mol-1");
  EXPECT_EQ(rfmip_refusal(set("carbon_dioxide_GM", 1, 2e6)),
            "carbon_dioxide_GM(1) = 2000000 1.e-6, expected a mixing ratio from 0 to 1 mol mol-1");
  EXPECT_EQ(rfmip_refusal(set("surface_temperature", 4, 15.)),
            "surface_temperature(1, 1) = 15 K, expected 160 to 400 K");
  EXPECT_EQ(rfmip_refusal(set("temp_layer", 13, 15.)), "temp_layer(1, 0, 1) = 15 K, expected 160 to 400 K");
  // Pa that are called hPa.
  auto const pascals = column_refusal([](auto& file) {
    for (char const* const name : {"plev", "play"})
      for (double& p : file[name].values) p *= 100.;
  });
  EXPECT_EQ(pascals, "plev(0, 0) = 100000 hPa, expected 0 to 1200 hPa");

  // Cold where the pressure is below 1 hPa, in either layout and order.
  for (auto source : {column_file(), rfmip_file()}) {
    bool const column = source.variables.count("play") > 0;
    double const hectopascal = column ? 1. : 100.;
    std::size_t const top = column ? nlay - 1 : 0;
    source[column ? "play" : "pres_layer"](1, top) = 0.9 * hectopascal;
    source[column ? "plev" : "pres_level"](1, column ? nlay : 0) = 0.5 * hectopascal;
    for (int turned = 0; turned < 2; ++turned) {
      auto file = source;
      auto& layers = file[column ? "tlay" : "temp_layer"].values;
      auto& levels = file[column ? "tlev" : "temp_level"].values;
      layers[nlay + top] = levels[nlev + (column ? nlay : 0)] = 120.;
      if (turned == 1) file.turn_upside_down();
      EXPECT_EQ(refusal(file), "(no file name) (no parhelion::Error)");
      layers[nlay + (turned == 1 ? nlay - 1 - top : top)] = 105.;
      EXPECT_TRUE(has(refusal(file), " = 105 K, expected 110 to 400 K"));
    }
    // Not in the column beside it.
    source[column ? "tlay" : "temp_layer"].values[top] = 120.;
    EXPECT_TRUE(has(refusal(source), " = 120 K, expected 160 to 400 K"));
  }

  // A model has ranges of its own.
  auto file = column_file();
  file["tsfc"].values[2] = 500.;
  EXPECT_EQ(refusal(file, {.validity = fluxes::simple_validity}), "(no file name) (no parhelion::Error)");
}

TEST(RadiationFiles, ValuesOutOfRangeAreClippedOrKeptAndCounted) {
  auto file = column_file();
  file["tsfc"].values = {15., 290., 1e30};
  file["tlay"].values[5] = 500.;
  file["plev"].values[0] = 1300.;
  file["co2vmr"].values[3] = 1.5;
  OutOfRangeCounts const counts{{"plev", 1}, {"tlay", 1}, {"tsfc", 2}, {"co2vmr", 1}};
  auto const clipped = read(file, with(OutOfRange::clip));
  EXPECT_EQ(clipped.out_of_range, counts);
  EXPECT_EQ(values_of(clipped.columns.temperature_sfc), (std::vector<double>{160., 290., 400.}));
  EXPECT_EQ(clipped.columns.temperature_lay(1, 1), 400.);
  EXPECT_EQ(clipped.columns.pressure_lev(0, 0), 120000.);
  EXPECT_EQ(clipped.columns.vmr(0, static_cast<int>(Gas::co2), 3), 1.);
  auto const kept = read(file, with(OutOfRange::extrapolate));
  EXPECT_EQ(kept.out_of_range, counts);
  EXPECT_EQ(values_of(kept.columns.temperature_sfc), (std::vector<double>{15., 290., 1e30}));
  EXPECT_EQ(kept.columns.vmr(0, static_cast<int>(Gas::co2), 3), 1.5);
  EXPECT_TRUE(read(column_file(), with(OutOfRange::clip)).out_of_range.empty());

  // What is finite is clipped, what is possible is kept, and what is neither is refused.
  file = column_file();
  file["tsfc"].values[1] = -5.;
  EXPECT_EQ(read(file, with(OutOfRange::clip)).columns.temperature_sfc(1), 160.);
  EXPECT_EQ(refusal(file, with(OutOfRange::extrapolate)), "tsfc(1) = -5 K, expected a positive finite temperature");
  file["tsfc"].values[1] = not_a_number;
  EXPECT_EQ(refusal(file, with(OutOfRange::clip)), "tsfc(1) = nan K, expected a finite number");
  file = column_file();
  file["h2ovmr"].values[1] = -1e-9;
  EXPECT_EQ(read(file, with(OutOfRange::clip)).columns.vmr(0, 0, 1), 0.);
  EXPECT_TRUE(has(refusal(file, with(OutOfRange::extrapolate)), "expected a mixing ratio from 0 to 1"));
  // Pressures that are all clipped to one are no column any more.
  for (char const* const name : {"plev", "play"})
    for (double& p : file[name].values) p *= 100.;
  EXPECT_EQ(refusal(file, with(OutOfRange::clip)),
            "plev(0, 1) = 1200 hPa after plev(0, 0) = 1200 hPa, expected pressure to fall with the index");
}
