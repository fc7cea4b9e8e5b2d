// SPDX-License-Identifier: BSD-3-Clause
// Atmosphere files in the column and the RFMIP layout: what is read of them, in which units, places, labels and gases.
#include <parhelion/io/radiation_files.hpp>

#include "radiation_testing.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;

TEST(RadiationFiles, ColumnLayout) {
  auto source = column_file();
  auto const input = read(source);
  EXPECT_EQ(input.layout, io::RadiationLayout::column);
  EXPECT_FALSE(input.top_first);
  EXPECT_EQ(input.nsite, 3);
  EXPECT_TRUE(input.experiments.empty());
  ASSERT_EQ(input.columns.ncol(), 3);
  ASSERT_EQ(input.columns.nlay(), 4);
  ASSERT_EQ(input.columns.emissivity_sfc.extent(1), 16u);
  std::vector<std::pair<Gas, char const*>> const gases{
      {Gas::h2o, "h2ovmr"},     {Gas::co2, "co2vmr"},    {Gas::o3, "o3vmr"},     {Gas::n2o, "n2ovmr"},
      {Gas::ch4, "ch4vmr"},     {Gas::o2, "o2vmr"},      {Gas::ccl4, "ccl4vmr"}, {Gas::cfc11, "cfc11vmr"},
      {Gas::cfc12, "cfc12vmr"}, {Gas::cfc22, "cfc22vmr"}};
  for (std::size_t c = 0; c < ncol; ++c) {
    for (std::size_t k = 0; k < nlay; ++k) {
      EXPECT_EQ(input.columns.pressure_lay(c, k), 100. * source["play"](c, k));
      EXPECT_EQ(input.columns.temperature_lay(c, k), source["tlay"](c, k));
      for (auto const& [gas, name] : gases)
        EXPECT_EQ(input.columns.vmr(c, static_cast<int>(gas), k), source[name](c, k)) << name;
      EXPECT_EQ(input.columns.vmr(c, static_cast<int>(Gas::co), k), 0.);
    }
    for (std::size_t k = 0; k < nlev; ++k) {
      EXPECT_EQ(input.columns.pressure_lev(c, k), 100. * source["plev"](c, k));
      EXPECT_EQ(input.columns.temperature_lev(c, k), source["tlev"](c, k));
    }
    EXPECT_EQ(input.columns.temperature_sfc(c), source["tsfc"].values[c]);
    for (std::size_t b = 0; b < 16; ++b) EXPECT_EQ(input.columns.emissivity_sfc(c, b), source["emis"](c, b));
  }
}

TEST(RadiationFiles, EitherVerticalOrderGivesTheSameColumns) {
  auto column = column_file(), rfmip = rfmip_file();
  auto const column_as_is = read(column), rfmip_as_is = read(rfmip);
  column.turn_upside_down();
  rfmip.turn_upside_down();
  auto const column_turned = read(column), rfmip_turned = read(rfmip);
  EXPECT_TRUE(column_turned.top_first);
  EXPECT_TRUE(rfmip_as_is.top_first);
  EXPECT_FALSE(rfmip_turned.top_first);
  expect_equal(column_turned.columns, column_as_is.columns);
  expect_equal(rfmip_turned.columns, rfmip_as_is.columns);
  EXPECT_GT(rfmip_as_is.columns.pressure_lev(0, 0), rfmip_as_is.columns.pressure_lev(0, 1));
}

TEST(RadiationFiles, RfmipLayoutIsExperimentMajor) {
  auto source = rfmip_file();
  auto const input = read(source);
  EXPECT_EQ(input.layout, io::RadiationLayout::rfmip);
  EXPECT_TRUE(input.top_first);
  EXPECT_EQ(input.nsite, 3);
  EXPECT_EQ(input.experiments, (std::vector<int>{1, 2}));
  EXPECT_EQ(input.experiment_labels, (std::vector<std::string>{"present day", "past"}));
  EXPECT_EQ(input.profile_weight, (std::vector<double>{1., 2., 3.}));
  EXPECT_EQ(input.latitude, (std::vector<double>{-60., 0., 45.}));
  EXPECT_EQ(input.longitude, (std::vector<double>{10., 120., 300.}));
  ASSERT_EQ(input.columns.ncol(), 6);
  ASSERT_EQ(input.columns.nlay(), 4);
  ASSERT_EQ(input.columns.emissivity_sfc.extent(1), 1u);
  struct WellMixed {
    Gas gas;
    double first, second;
  };
  std::vector<WellMixed> const mixed{
      {Gas::co2, 400e-6, 280e-6},   {Gas::ch4, 1800e-9, 700e-9},  {Gas::n2o, 330e-9, 270e-9},
      {Gas::o2, 0.209, 0.208},      {Gas::co, 1.2e-7, 1.1e-7},    {Gas::cfc11, 230e-12, 1e-12},
      {Gas::cfc12, 520e-12, 2e-12}, {Gas::cfc22, 230e-12, 3e-12}, {Gas::ccl4, 83e-12, 4e-12}};
  for (std::size_t e = 0; e < nexpt; ++e)
    for (std::size_t s = 0; s < nsite; ++s) {
      std::size_t const c = e * nsite + s;
      for (std::size_t k = 0; k < nlay; ++k) {
        std::size_t const from = nlay - 1 - k;
        EXPECT_EQ(input.columns.pressure_lay(c, k), source["pres_layer"](s, from));
        EXPECT_EQ(input.columns.temperature_lay(c, k), source["temp_layer"](e, s, from));
        EXPECT_EQ(input.columns.vmr(c, static_cast<int>(Gas::h2o), k), source["water_vapor"](e, s, from));
        EXPECT_EQ(input.columns.vmr(c, static_cast<int>(Gas::o3), k), source["ozone"](e, s, from));
        for (auto const& each : mixed)
          EXPECT_DOUBLE_EQ(input.columns.vmr(c, static_cast<int>(each.gas), k), e == 0 ? each.first : each.second);
      }
      for (std::size_t k = 0; k < nlev; ++k) {
        EXPECT_EQ(input.columns.pressure_lev(c, k), source["pres_level"](s, nlay - k));
        EXPECT_EQ(input.columns.temperature_lev(c, k), source["temp_level"](e, s, nlay - k));
      }
      EXPECT_EQ(input.columns.temperature_sfc(c), source["surface_temperature"](e, s));
      EXPECT_EQ(input.columns.emissivity_sfc(c, 0), source["surface_emissivity"].values[s]);
    }
}

TEST(RadiationFiles, OneExperimentIsThePartOfAll) {
  auto const all = read(rfmip_file()), second = read(rfmip_file(), {.experiment = "2"});
  EXPECT_EQ(second.experiments, std::vector<int>{2});
  EXPECT_EQ(second.experiment_labels, std::vector<std::string>{"past"});
  ASSERT_EQ(second.columns.ncol(), 3);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(second.columns.temperature_sfc(c), all.columns.temperature_sfc(3 + c));
    EXPECT_EQ(second.columns.emissivity_sfc(c, 0), all.columns.emissivity_sfc(3 + c, 0));
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(second.columns.pressure_lay(c, k), all.columns.pressure_lay(3 + c, k));
      EXPECT_EQ(second.columns.temperature_lay(c, k), all.columns.temperature_lay(3 + c, k));
      for (int g = 0; g < fluxes::ngas; ++g) EXPECT_EQ(second.columns.vmr(c, g, k), all.columns.vmr(3 + c, g, k));
    }
    for (int k = 0; k < 5; ++k) EXPECT_EQ(second.columns.temperature_lev(c, k), all.columns.temperature_lev(3 + c, k));
  }
}

TEST(RadiationFiles, ExperimentsThatAreNotThere) {
  for (std::string const bad : {"0", "3", "-1", "1.5", "2x", "", "All"})
    EXPECT_EQ(refusal(rfmip_file(), {.experiment = bad}),
              "experiment " + bad + " was asked for, expected all or a number from 1 to 2");
  EXPECT_EQ(refusal(column_file(), {.experiment = "1"}), "experiment 1 was asked for, but a column file has none");
}

TEST(RadiationFiles, PressureUnits) {
  auto const reference = read(column_file());
  struct Unit {
    char const* name;
    double per_hPa;
  };
  for (auto const& [name, per_hPa] : {Unit{"Pa", 100.}, Unit{"hPa", 1.}, Unit{"mbar", 1.}, Unit{"mb", 1.},
                                      Unit{"millibar", 1.}, Unit{"millibars", 1.}, Unit{"kPa", 0.1}}) {
    auto file = column_file();
    for (char const* const variable : {"play", "plev"}) {
      for (double& value : file[variable].values) value *= per_hPa;
      file[variable].text_attributes["units"] = name;
    }
    auto const input = read(file);
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < 4; ++k)
        EXPECT_DOUBLE_EQ(input.columns.pressure_lay(c, k), reference.columns.pressure_lay(c, k)) << name;
      for (int k = 0; k < 5; ++k)
        EXPECT_DOUBLE_EQ(input.columns.pressure_lev(c, k), reference.columns.pressure_lev(c, k)) << name;
    }
  }
}

TEST(RadiationFiles, LayersAndInterfacesMayHaveDifferentUnits) {
  auto file = column_file();
  for (double& value : file["plev"].values) value *= 100.;
  file["plev"].text_attributes["units"] = "Pa";
  expect_equal(read(file).columns, read(column_file()).columns);
}

TEST(RadiationFiles, MoleRatioUnits) {
  struct Unit {
    char const* name;
    double factor;
  };
  for (auto const& [name, factor] : {Unit{"mol mol-1", 1.}, Unit{"mol/mol", 1.}, Unit{"1", 1.}, Unit{"", 1.},
                                     Unit{"ppmv", 1e-6}, Unit{"ppm", 1e-6}, Unit{"ppbv", 1e-9}, Unit{"ppb", 1e-9},
                                     Unit{"pptv", 1e-12}, Unit{"1.e-6", 1e-6}, Unit{"1e-9 mol mol-1", 1e-9}}) {
    auto file = column_file();
    for (double& value : file["co2vmr"].values) value = 0.25;
    file["co2vmr"].text_attributes["units"] = name;
    EXPECT_EQ(read(file).columns.vmr(1, static_cast<int>(Gas::co2), 2), 0.25 * factor) << name;
  }
}

TEST(RadiationFiles, UnknownUnits) {
  auto const with_units = [](char const* variable, char const* units) {
    return column_refusal([&](auto& file) { file[variable].text_attributes["units"] = units; });
  };
  std::string const ratios = "mol mol-1, 1, ppmv, ppbv, pptv or a number such as 1.e-6";
  EXPECT_EQ(with_units("play", "atm"), "play: units = \"atm\", expected Pa, hPa, mbar or kPa");
  EXPECT_EQ(with_units("plev", ""), "plev: units = \"\", expected Pa, hPa, mbar or kPa");
  EXPECT_EQ(with_units("tlay", "degC"), "tlay: units = \"degC\", expected K");
  EXPECT_EQ(with_units("tsfc", "Celsius"), "tsfc: units = \"Celsius\", expected K");
  EXPECT_EQ(with_units("emis", "%"), "emis: units = \"%\", expected 1");
  for (std::string const bad : {"kg kg-1", "g/kg", "1e-6 kg kg-1", "-1", "0", "nan", "inf", "1 2"})
    EXPECT_EQ(with_units("h2ovmr", bad.c_str()), "h2ovmr: units = \"" + bad + "\", expected " + ratios);
  auto const without_units = [](char const* variable) {
    return column_refusal([&](auto& file) { file[variable].text_attributes.clear(); });
  };
  EXPECT_EQ(without_units("play"), "play: has no attribute units, expected Pa, hPa, mbar or kPa");
  EXPECT_EQ(without_units("tlev"), "tlev: has no attribute units, expected K");
  EXPECT_EQ(without_units("o3vmr"), "o3vmr: has no attribute units, expected " + ratios);
  EXPECT_EQ(without_units("emis"), "(no file name) (no parhelion::Error)");  // dimensionless by nature
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["methane_GM"].text_attributes["units"] = "kg"; }),
            "methane_GM: units = \"kg\", expected " + ratios);
}

TEST(RadiationFiles, EmissivityOfEachColumnOnly) {
  for (std::vector<std::size_t> const& shape : {std::vector<std::size_t>{ncol}, std::vector<std::size_t>{ncol, 1}}) {
    auto file = column_file();
    file["emis"].shape = shape;
    file["emis"].values = {0., 0.5, 1.};
    auto const input = read(file);
    ASSERT_EQ(input.columns.emissivity_sfc.extent(1), 1u);
    EXPECT_EQ(values_of(input.columns.emissivity_sfc), (std::vector<double>{0., 0.5, 1.}));
  }
}

TEST(RadiationFiles, SinglePrecisionAndBigEndian) {
  auto file = column_file();
  for (auto& [name, variable] : file.variables) variable.stored = Stored::float32_big_endian;
  auto const input = read(file);
  EXPECT_EQ(input.columns.temperature_lay(2, 3), static_cast<double>(static_cast<float>(file["tlay"](2, 3))));
  EXPECT_EQ(input.columns.pressure_lev(1, 4), 100. * static_cast<double>(static_cast<float>(file["plev"](1, 4))));
}

TEST(RadiationFiles, TopInterfaceMayBeTheEndOfTheAtmosphere) {
  auto file = column_file();
  file["plev"](1, nlay) = 0.;
  EXPECT_EQ(read(file).columns.pressure_lev(1, 4), 0.);
  file.turn_upside_down();
  EXPECT_EQ(read(file).columns.pressure_lev(1, 4), 0.);
}

TEST(RadiationFiles, GasesAreRequiredOrNot) {
  auto file = column_file();
  for (char const* const name : {"n2ovmr", "o3vmr", "cfc22vmr"}) file.remove(name);
  EXPECT_EQ(refusal(file), "o3vmr, n2ovmr, cfc22vmr: missing: the gas optics need these gases");
  io::RadiationOptions const few{.longwave_needs = io::simple_needs()};
  auto const input = read(file, few);
  EXPECT_EQ(input.columns.vmr(0, static_cast<int>(Gas::o3), 0), 0.);
  EXPECT_EQ(input.columns.vmr(0, static_cast<int>(Gas::ch4), 0), file["ch4vmr"](0, 0));
  file.remove("co2vmr");
  EXPECT_EQ(refusal(file, few), "co2vmr: missing: the gas optics need this gas");
  EXPECT_EQ(refusal(file), "co2vmr, o3vmr, n2ovmr, cfc22vmr: missing: the gas optics need these gases");
  // What is there is checked, needed or not.
  EXPECT_EQ(column_refusal([](auto& damaged) { damaged["ch4vmr"](0, 1) = -1e-6; }, few),
            "ch4vmr(0, 1) = -1e-06 mol mol-1, expected a mixing ratio from 0 to 1 mol mol-1");
  EXPECT_EQ(rfmip_refusal([](auto& damaged) { damaged.remove("oxygen_GM"); }),
            "oxygen_GM: missing: the gas optics need this gas");
}

TEST(RadiationFiles, CarbonMonoxideIsOptionalAndHonoured) {
  auto file = column_file();
  file.variables["covmr"] = file["ch4vmr"];
  EXPECT_EQ(read(file).columns.vmr(2, static_cast<int>(Gas::co), 3), file["covmr"](2, 3));
}

TEST(RadiationFiles, PlacesAndLabelsOfColumns) {
  auto file = column_file();
  file.variables["lat"] = {{ncol}, {-10., 0., 10.}};
  file.variables["lon"] = {{1}, {0.}};  // of another shape: nothing to do with the columns
  file.variables["column_label"] = {
      .shape = {ncol}, .values = {}, .stored = Stored::variable_text, .strings = {"a", "b", "c"}};
  auto const input = read(file);
  EXPECT_EQ(input.latitude, (std::vector<double>{-10., 0., 10.}));
  EXPECT_TRUE(input.longitude.empty());
  EXPECT_EQ(input.column_labels, (std::vector<std::string>{"a", "b", "c"}));
  file["column_label"].shape = {2};
  file["column_label"].strings.pop_back();
  EXPECT_EQ(refusal(file), "column_label: has shape (2), expected (3)");
}

TEST(RadiationFiles, PlacesAreOnEarth) {
  struct Bad {
    char const* variable;
    double value;
    std::string text;
  };
  std::string const latitude = ", expected a latitude from -90 to 90",
                    longitude = ", expected a longitude from -180 to 360";
  auto columns = column_file();
  for (char const* const name : {"lat", "lon"}) columns.variables[name] = {{ncol}, {-90., 0., 90.}};
  for (auto const& source : {columns, rfmip_file()}) {
    EXPECT_EQ(refusal(source), "(no file name) (no parhelion::Error)");
    for (auto const& bad : {Bad{"lat", 95., "95" + latitude}, Bad{"lat", -90.1, "-90.1" + latitude},
                            Bad{"lat", not_a_number, "nan" + latitude}, Bad{"lat", infinity, "inf" + latitude},
                            Bad{"lat", 1e30, "1e+30" + latitude}, Bad{"lon", 360.5, "360.5" + longitude},
                            Bad{"lon", -181., "-181" + longitude}, Bad{"lon", not_a_number, "nan" + longitude},
                            Bad{"lon", -infinity, "-inf" + longitude}}) {
      auto file = source;
      file[bad.variable].values[1] = bad.value;
      EXPECT_EQ(refusal(file), std::string(bad.variable) + "(1) = " + bad.text);
    }
    auto file = source;
    file["lon"].values = {-180., 359.9, 360.};
    EXPECT_EQ(refusal(file), "(no file name) (no parhelion::Error)");
    file["lat"].number_attributes["_FillValue"] = 45.;
    file["lat"].values[2] = 45.;
    EXPECT_EQ(refusal(file), "lat(2) is a missing value (45)" + latitude);
    file["lat"].text_attributes["units"] = "radians";
    EXPECT_EQ(refusal(file), "lat: units = \"radians\", expected degrees_north");
  }
}

TEST(RadiationFiles, LabelsAreUtf8) {
  auto columns = column_file();
  auto const labels = [&](std::string const& second) {
    columns.variables["column_label"] = {
        .shape = {ncol}, .values = {}, .stored = Stored::variable_text, .strings = {"a", second, "c"}};
    return refusal(columns);
  };
  for (std::string const good : {"Zugspitze", "K\u00f6ln", "\u6771\u4eac", "\U0001F30D", "\ud7ff\ue000", ""})
    EXPECT_EQ(labels(good), "(no file name) (no parhelion::Error)") << good;
  // Latin 1, a byte that continues nothing, half a letter, longer than needed, a surrogate, beyond the last letter.
  for (auto const& [bad, shown] :
       {std::pair("K\xf6ln", "K\\xf6ln"), std::pair("\x80", "\\x80"), std::pair("ab\xe2\x82", "ab\\xe2\\x82"),
        std::pair("\xc0\xaf", "\\xc0\\xaf"), std::pair("\xe0\x80\xaf", "\\xe0\\x80\\xaf"),
        std::pair("\xed\xa0\x80", "\\xed\\xa0\\x80"), std::pair("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"),
        std::pair("\xff", "\\xff")})
    EXPECT_EQ(labels(bad), std::string("column_label(1) = \"") + shown + "\", expected text in UTF-8");
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["expt_label"].strings[0] = "pr\xe9sent"; }),
            "expt_label(0) = \"pr\\xe9sent\", expected text in UTF-8");
}
