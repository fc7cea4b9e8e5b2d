// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/simple/simple_spectral.hpp>
#include <parhelion/io/radiation_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::Gas;

namespace {

double const not_a_number = std::nan("");
double const infinity = std::numeric_limits<double>::infinity();

io::RadiationInput read(SyntheticFile const& file, io::RadiationOptions const& options = {}) {
  return io::read_radiation_input(file.write(scratch_folder() + "/in.nc"), options);
}

// Message of the refusal of a file, which must begin with the file's name, without that name.
std::string refusal(SyntheticFile const& file, io::RadiationOptions const& options = {}) {
  auto const path = file.write(scratch_folder() + "/in.nc");
  auto const message = message_of([&] { io::read_radiation_input(path, options); });
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : "(no file name) " + message;
}

// The same for a column or an RFMIP file that `damage` has changed.
template <class Damage>
std::string column_refusal(Damage const& damage, io::RadiationOptions const& options = {}) {
  auto file = column_file();
  damage(file);
  return refusal(file, options);
}

template <class Damage>
std::string rfmip_refusal(Damage const& damage, io::RadiationOptions const& options = {}) {
  auto file = rfmip_file();
  damage(file);
  return refusal(file, options);
}

template <class View>
std::vector<double> values_of(View const& view) {
  return {view.data(), view.data() + view.size()};
}

void expect_equal(fluxes::HostColumns const& a, fluxes::HostColumns const& b) {
  EXPECT_EQ(values_of(a.pressure_lay), values_of(b.pressure_lay));
  EXPECT_EQ(values_of(a.pressure_lev), values_of(b.pressure_lev));
  EXPECT_EQ(values_of(a.temperature_lay), values_of(b.temperature_lay));
  EXPECT_EQ(values_of(a.temperature_lev), values_of(b.temperature_lev));
  EXPECT_EQ(values_of(a.temperature_sfc), values_of(b.temperature_sfc));
  EXPECT_EQ(values_of(a.emissivity_sfc), values_of(b.emissivity_sfc));
  EXPECT_EQ(values_of(a.vmr), values_of(b.vmr));
}

}  // namespace

// --- what is read ---

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

// --- ranges of the gas optics ---

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

// --- what is large ---

// Most of such a variable was never written: a small file that would take gigabytes to read.
TEST(RadiationFiles, ShapesAreComparedBeforeValuesAreRead) {
  auto const path = column_file().write(scratch_folder() + "/in.nc");
  auto const enlarge = [&](char const* name, hsize_t n) {
    hid_t const file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, name, H5P_DEFAULT);
    hsize_t const dims[2] = {ncol, n}, chunk[2] = {1, 1000000}, one[2] = {1, 1}, start[2] = {0, 0};
    hid_t const space = H5Screate_simple(2, dims, nullptr), little = H5Screate_simple(2, one, nullptr);
    hid_t const creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk);
    H5Pset_deflate(creation, 9);
    hid_t const set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    double const value = 1000.;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, one, nullptr);
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, little, space, H5P_DEFAULT, &value), 0);
    hid_t const text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    hid_t const scalar = H5Screate(H5S_SCALAR);
    hid_t const units = H5Acreate2(set, "units", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(units, text, "hPa");
    H5Aclose(units);
    H5Tclose(text);
    H5Pclose(creation);
    H5Dclose(set);
    for (hid_t const each : {scalar, space, little}) H5Sclose(each);
    H5Fclose(file);
  };
  enlarge("plev", 100000000);
  auto const message = message_of([&] { io::read_radiation_input(path); });
  EXPECT_EQ(message, path + ": play: has shape (3, 4), expected (column, layer) = (3, 99999999)");
}

// --- clouds, aerosol and flags ---

namespace {

SyntheticFile gpoint_file() {
  auto file = column_file();
  add_gpoint_clouds(file);
  return file;
}

SyntheticFile layer_file() {
  auto file = column_file();
  add_layer_clouds(file);
  return file;
}

template <class Damage>
std::string gpoint_refusal(Damage const& damage, io::CloudOptions const& options = {}) {
  auto file = gpoint_file();
  damage(file);
  return refusal(file, {.clouds = options});
}

template <class Damage>
std::string layer_refusal(Damage const& damage, io::CloudOptions const& options = {}) {
  auto file = layer_file();
  damage(file);
  return refusal(file, {.clouds = options});
}

io::RadiationInput read(SyntheticFile const& file, io::CloudOptions const& options) {
  return read(file, io::RadiationOptions{.clouds = options});
}

void expect_equal(fluxes::HostClouds const& a, fluxes::HostClouds const& b) {
  EXPECT_EQ(values_of(a.fraction), values_of(b.fraction));
  EXPECT_EQ(values_of(a.ice_path), values_of(b.ice_path));
  EXPECT_EQ(values_of(a.liquid_path), values_of(b.liquid_path));
  EXPECT_EQ(values_of(a.fraction_gpt), values_of(b.fraction_gpt));
  EXPECT_EQ(values_of(a.ice_path_gpt), values_of(b.ice_path_gpt));
  EXPECT_EQ(values_of(a.liquid_path_gpt), values_of(b.liquid_path_gpt));
  EXPECT_EQ(values_of(a.optical_depth_gpt), values_of(b.optical_depth_gpt));
  EXPECT_EQ(values_of(a.ice_size), values_of(b.ice_size));
  EXPECT_EQ(values_of(a.liquid_size), values_of(b.liquid_size));
}

// Values in g m-2 or um, as clouds have them.
std::vector<double> in_si(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

// Values of some columns, and 0 for the others.
std::vector<double> of_columns(std::vector<double> values, std::vector<bool> const& columns) {
  std::size_t const n = values.size() / columns.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!columns[i / n]) values[i] = 0.;
  return values;
}

std::vector<int> flags_of(HostArray<int*> const& flags) { return {flags.data(), flags.data() + flags.size()}; }

std::string const nothing_refused = "(no file name) (no parhelion::Error)";

}  // namespace

TEST(RadiationFiles, CloudsOfGpoints) {
  auto source = gpoint_file();
  auto const input = read(source);
  auto const& clouds = input.clouds;
  EXPECT_TRUE(input.has_clouds);
  ASSERT_TRUE(clouds.of_gpoints());
  ASSERT_FALSE(clouds.of_layers());
  EXPECT_EQ(values_of(clouds.fraction_gpt), source["cldfmcl"].values);
  // The second column is given by optical depths, the others by water paths; what a column does not use is not read.
  EXPECT_EQ(values_of(clouds.ice_path_gpt), of_columns(in_si(source["ciwpmcl"].values, 1e-3), {true, false, true}));
  EXPECT_EQ(values_of(clouds.liquid_path_gpt), of_columns(in_si(source["clwpmcl"].values, 1e-3), {true, false, true}));
  EXPECT_EQ(values_of(clouds.optical_depth_gpt), of_columns(source["taucmcl"].values, {false, true, false}));
  EXPECT_EQ(values_of(clouds.ice_size), of_columns(in_si(source["reicmcl"].values, 1e-6), {true, false, true}));
  EXPECT_EQ(values_of(clouds.liquid_size), of_columns(in_si(source["relqmcl"].values, 1e-6), {true, false, true}));
  EXPECT_EQ(flags_of(clouds.input), (std::vector<int>{2, 0, 2}));
  EXPECT_EQ(flags_of(clouds.ice_optics), (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(flags_of(clouds.liquid_optics), (std::vector<int>{1, 1, 0}));
  EXPECT_FALSE(read(column_file()).has_clouds);
  EXPECT_FALSE(read(column_file()).clouds.any());
}

TEST(RadiationFiles, CloudsOfLayers) {
  auto source = layer_file();
  auto const input = read(source);
  auto const& clouds = input.clouds;
  EXPECT_TRUE(input.has_clouds);
  ASSERT_TRUE(clouds.of_layers());
  ASSERT_FALSE(clouds.of_gpoints());
  EXPECT_EQ(values_of(clouds.fraction), source["cldfrac"].values);
  EXPECT_EQ(values_of(clouds.ice_path), in_si(source["ciwp"].values, 1e-3));
  EXPECT_EQ(values_of(clouds.liquid_path), in_si(source["clwp"].values, 1e-3));
  EXPECT_EQ(values_of(clouds.ice_size), in_si(source["rei"].values, 1e-6));
  EXPECT_EQ(values_of(clouds.liquid_size), in_si(source["rel"].values, 1e-6));
  EXPECT_EQ(clouds.overlap, fluxes::Overlap::maximum_random);
  EXPECT_EQ(clouds.seed, 0U);
  EXPECT_EQ(flags_of(clouds.input), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(flags_of(clouds.ice_optics), (std::vector<int>{3, 3, 3}));
  EXPECT_EQ(flags_of(clouds.liquid_optics), (std::vector<int>{1, 1, 1}));

  auto const asked = read(source, io::CloudOptions{.overlap = fluxes::Overlap::random,
                                                   .seed = ~std::uint64_t(0),
                                                   .ice_optics = fluxes::IceOptics::streamer,
                                                   .liquid_optics = fluxes::LiquidOptics::all_bands});
  EXPECT_EQ(asked.clouds.overlap, fluxes::Overlap::random);
  EXPECT_EQ(asked.clouds.seed, ~std::uint64_t(0));
  EXPECT_EQ(flags_of(asked.clouds.ice_optics), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(flags_of(asked.clouds.liquid_optics), (std::vector<int>{0, 0, 0}));
}

TEST(RadiationFiles, EitherVerticalOrderGivesTheSameCloudsAndAerosol) {
  for (auto const& source : {gpoint_file(), layer_file()}) {
    auto file = source;
    add_aerosol(file);
    auto const as_is = read(file);
    file.turn_upside_down();
    auto const turned = read(file);
    ASSERT_TRUE(turned.top_first);
    expect_equal(turned.clouds, as_is.clouds);
    ASSERT_GT(as_is.columns.aerosol.size(), 0U);
    EXPECT_EQ(values_of(turned.columns.aerosol), values_of(as_is.columns.aerosol));
  }
}

TEST(RadiationFiles, Aerosol) {
  auto file = column_file();
  add_aerosol(file);
  EXPECT_EQ(values_of(read(file).columns.aerosol), file["tauaer"].values);
  auto none = file;
  for (double& depth : none["tauaer"].values) depth = 0.;
  EXPECT_EQ(read(none).columns.aerosol.size(), 0U) << "zero is no aerosol";
  EXPECT_EQ(read(column_file()).columns.aerosol.size(), 0U);
  auto const spoiled = [&](double value) {
    auto damaged = file;
    damaged["tauaer"](1, 2, 3) = value;
    return refusal(damaged, {.clouds = {.clip = true}});  // which is for clouds only
  };
  EXPECT_EQ(spoiled(-0.1), "tauaer(1, 2, 3) = -0.1, expected a finite optical depth of at least 0");
  EXPECT_EQ(spoiled(not_a_number), "tauaer(1, 2, 3) = nan, expected a finite optical depth of at least 0");
  file["tauaer"].shape = {ncol, 16, nlay};
  EXPECT_EQ(refusal(file), "tauaer: has shape (3, 16, 4), expected (column, layer, band) = (3, 4, 16)");
}

TEST(RadiationFiles, UnitsOfClouds) {
  struct Unit {
    char const* name;
    double per_unit;
  };
  auto const reference = read(layer_file());
  for (auto const& [name, per_unit] :
       {Unit{"g m-2", 1.}, Unit{"g/m2", 1.}, Unit{"kg m-2", 1e-3}, Unit{"kg m^-2", 1e-3}}) {
    auto file = layer_file();
    for (double& path : file["ciwp"].values) path *= per_unit;
    file["ciwp"].text_attributes["units"] = name;
    auto const input = read(file);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 4; ++k)
        EXPECT_DOUBLE_EQ(input.clouds.ice_path(c, k), reference.clouds.ice_path(c, k)) << name;
  }
  for (auto const& [name, per_unit] : {Unit{"um", 1.}, Unit{"micron", 1.}, Unit{"microns", 1.}, Unit{"micrometer", 1.},
                                       Unit{"micrometre", 1.}, Unit{"m", 1e-6}}) {
    auto file = layer_file();
    for (double& size : file["rel"].values) size *= per_unit;
    file["rel"].text_attributes["units"] = name;
    auto const input = read(file);
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 4; ++k)
        EXPECT_DOUBLE_EQ(input.clouds.liquid_size(c, k), reference.clouds.liquid_size(c, k)) << name;
  }
  auto const with_units = [](char const* variable, char const* units) {
    return layer_refusal([&](auto& file) { file[variable].text_attributes["units"] = units; });
  };
  EXPECT_EQ(with_units("ciwp", "kg kg-1"), "ciwp: units = \"kg kg-1\", expected g m-2 or kg m-2");
  EXPECT_EQ(with_units("rei", "mm"), "rei: units = \"mm\", expected um, micron, micrometer or m");
  EXPECT_EQ(with_units("cldfrac", "%"), "cldfrac: units = \"%\", expected 1");
  EXPECT_EQ(layer_refusal([](auto& file) { file["clwp"].text_attributes.clear(); }),
            "clwp: has no attribute units, expected g m-2 or kg m-2");
  EXPECT_EQ(layer_refusal([](auto& file) { file["rel"].text_attributes.clear(); }),
            "rel: has no attribute units, expected um, micron, micrometer or m");
  auto bare = gpoint_file();
  for (char const* const name : {"cldfmcl", "taucmcl"}) bare[name].text_attributes.clear();
  expect_equal(read(bare).clouds, read(gpoint_file()).clouds);
}

// The ends of the ranges of sizes are in them, whatever the unit.
TEST(RadiationFiles, EndsOfTheRangesOfSizes) {
  struct Case {
    char const* variable;
    int iceflglw, liqflglw;
    std::vector<double> good, bad;
  };
  for (auto const& each : {Case{"rei", 0, 1, {10, 1000}, {9.99}}, Case{"rei", 1, 1, {13, 130}, {12.99, 130.1}},
                           Case{"rei", 2, 1, {5, 131}, {4.99, 131.1}}, Case{"rei", 3, 1, {5, 140}, {4.99, 140.1}},
                           Case{"rel", 3, 1, {2.5, 60}, {2.49, 60.1}}, Case{"rel", 3, 0, {0, 1000}, {}}}) {
    auto file = layer_file();
    file.number_attributes["iceflglw"] = each.iceflglw;
    file.number_attributes["liqflglw"] = each.liqflglw;
    for (double const scale : {1., 1e6}) {
      for (double const size : each.good) {
        file[each.variable](1, 2) = size;
        auto scaled = file;
        if (scale != 1.) {
          for (double& value : scaled[each.variable].values) value /= scale;
          scaled[each.variable].text_attributes["units"] = std::string("m");
        }
        EXPECT_EQ(refusal(scaled), nothing_refused) << each.variable << ' ' << each.iceflglw << ' ' << size;
      }
    }
    for (double const size : each.bad) {
      file[each.variable](1, 2) = size;
      EXPECT_TRUE(has(refusal(file), std::string(each.variable) + "(1, 2) = ")) << size;
    }
  }
}

TEST(RadiationFiles, SizesCountWhereThereIsSuchWaterInACloud) {
  std::string const message = "rei(0, 1) = 200 um, expected 5 to 140 um with iceflglw = 3";
  auto const spoil = [](auto& file) { file["rei"](0, 1) = 200.; };
  EXPECT_EQ(layer_refusal(spoil), message);
  auto upside_down = layer_file();
  spoil(upside_down);
  for (std::size_t const k : {0U, 2U, 3U}) upside_down["ciwp"](0, k) = 0.;
  upside_down.turn_upside_down();
  EXPECT_EQ(refusal(upside_down), "rei(0, 2) = 200 um, expected 5 to 140 um with iceflglw = 3");
  EXPECT_EQ(layer_refusal([&](auto& file) {
              spoil(file);
              for (double& size : file["rei"].values) size /= 1e6;
              file["rei"].text_attributes["units"] = std::string("m");
            }),
            "rei(0, 1) = 0.0002 m, expected 5e-06 to 0.00014 m with iceflglw = 3");
  EXPECT_EQ(layer_refusal([&](auto& file) {
              spoil(file);
              file["ciwp"](0, 1) = 0.;
            }),
            nothing_refused);
  EXPECT_EQ(layer_refusal([&](auto& file) {
              spoil(file);
              file["cldfrac"](0, 1) = 0.;
            }),
            nothing_refused);
  EXPECT_EQ(layer_refusal(spoil, {.clip = true}), nothing_refused);
  EXPECT_EQ(layer_refusal(spoil, {.ice_optics = fluxes::IceOptics::all_bands}), nothing_refused);

  EXPECT_EQ(gpoint_refusal([](auto& file) { file["relqmcl"](0, 2) = 1.; }),
            "relqmcl(0, 2) = 1 um, expected 2.5 to 60 um with liqflglw = 1");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file["relqmcl"](1, 2) = 1.; }), nothing_refused) << "inflglw is 0 there";
  EXPECT_EQ(gpoint_refusal([](auto& file) { file["relqmcl"](2, 2) = -1.; }), nothing_refused) << "liqflglw is 0 there";
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["relqmcl"](0, 2) = 1.;
              for (std::size_t g = 0; g < 140; ++g)
                if (file["cldfmcl"](0, 2, g) == 1.) file["clwpmcl"](0, 2, g) = 0.;
            }),
            nothing_refused);
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.remove("reicmcl"); }), "reicmcl: missing: iceflglw = 3 needs sizes");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.remove("reicmcl"); }, {.clip = true}),
            "reicmcl: missing: iceflglw = 3 needs sizes");
  EXPECT_EQ(layer_refusal([](auto& file) { file.remove("rel"); }, {.liquid_optics = fluxes::LiquidOptics::all_bands}),
            nothing_refused);
}

TEST(RadiationFiles, CloudInputOutOfRange) {
  struct Bad {
    char const* variable;
    double value;
    std::string text, expected;
  };
  std::string const fraction = "a cloud fraction from 0 to 1", path = "a finite water path of at least 0",
                    depth = "a finite optical depth of at least 0", size = "a finite size";
  for (auto const& bad :
       {Bad{"cldfmcl", 2., "2", fraction}, Bad{"cldfmcl", -1., "-1", fraction}, Bad{"ciwpmcl", -1., "-1 g m-2", path},
        Bad{"ciwpmcl", not_a_number, "nan g m-2", path}, Bad{"clwpmcl", infinity, "inf g m-2", path},
        Bad{"taucmcl", -0.5, "-0.5", depth}, Bad{"taucmcl", not_a_number, "nan", depth}}) {
    // Columns that say so are given by optical depths, others by water paths.
    std::size_t const used = std::string(bad.variable) == "taucmcl" ? 1 : 2;
    auto const spoil = [&](auto& file) { file[bad.variable](used, 2, 139) = bad.value; };
    auto const where =
        std::string(bad.variable) + "(" + std::to_string(used) + ", 2, 139) = " + bad.text + ", expected ";
    if (std::string(bad.variable) != "cldfmcl") {
      EXPECT_EQ(gpoint_refusal([&](auto& file) { file[bad.variable](3 - used, 2, 139) = bad.value; }), nothing_refused);
    }
    EXPECT_EQ(gpoint_refusal(spoil), where + bad.expected);
    EXPECT_EQ(gpoint_refusal(spoil, {.clip = true}),
              std::isfinite(bad.value) ? nothing_refused : where + "a finite number");
  }
  for (auto const& bad : {Bad{"cldfrac", 1.01, "1.01", fraction}, Bad{"cldfrac", not_a_number, "nan", fraction},
                          Bad{"ciwp", -1., "-1 g m-2", path}, Bad{"clwp", -1e-9, "-1e-09 g m-2", path},
                          Bad{"rei", not_a_number, "nan um", size}, Bad{"rel", -infinity, "-inf um", size}}) {
    auto const spoil = [&](auto& file) { file[bad.variable](2, 3) = bad.value; };
    auto const where = std::string(bad.variable) + "(2, 3) = " + bad.text + ", expected ";
    EXPECT_EQ(layer_refusal(spoil), where + bad.expected);
    EXPECT_EQ(layer_refusal(spoil, {.clip = true}),
              std::isfinite(bad.value) ? nothing_refused : where + "a finite number");
  }
  auto const missing = [](auto& file) {
    file["cldfrac"].number_attributes["_FillValue"] = -9.;
    file["cldfrac"](0, 3) = -9.;
  };
  EXPECT_EQ(layer_refusal(missing), "cldfrac(0, 3) is a missing value (-9), expected " + fraction);
  EXPECT_EQ(layer_refusal(missing, {.clip = true}), "cldfrac(0, 3) is a missing value (-9), expected a finite number");
  // What passes for clipping arrives as it is.
  auto file = layer_file();
  file["cldfrac"](2, 3) = 1.25;
  file["rei"](2, 3) = 1.;
  auto const input = read(file, io::CloudOptions{.clip = true});
  EXPECT_EQ(input.clouds.fraction(2, 3), 1.25);
  EXPECT_EQ(input.clouds.ice_size(2, 3), 1e-6);
}

TEST(RadiationFiles, ShapesOfClouds) {
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["ciwpmcl"].shape = {ncol, 140, nlay};
            }),
            "ciwpmcl: has shape (3, 140, 4), expected (column, layer, gpt) = (3, 4, 140)");
  EXPECT_EQ(layer_refusal([](auto& file) {
              file["cldfrac"].shape = {nlay, ncol};
            }),
            "cldfrac: has shape (4, 3), expected (column, layer) = (3, 4)");
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["inflglw"].shape = {2};
              file["inflglw"].values = {2., 2.};
            }),
            "inflglw: has shape (2), expected () or (column) = (3)");
}

TEST(RadiationFiles, AbsentCloudInputIsZero) {
  auto file = gpoint_file();
  for (char const* const name : {"ciwpmcl", "reicmcl", "inflglw", "taucmcl"}) file.remove(name);
  auto const input = read(file);
  for (double const path : values_of(input.clouds.ice_path_gpt)) EXPECT_EQ(path, 0.);
  EXPECT_EQ(values_of(input.clouds.liquid_path_gpt), in_si(file["clwpmcl"].values, 1e-3));
  EXPECT_EQ(input.clouds.optical_depth_gpt.size(), 0U);
  EXPECT_EQ(flags_of(input.clouds.input), (std::vector<int>{2, 2, 2}));
  auto layers = layer_file();
  layers.remove("clwp");
  layers.remove("rel");
  for (double const path : values_of(read(layers).clouds.liquid_path)) EXPECT_EQ(path, 0.);

  // But nothing that would make other input go unnoticed.
  EXPECT_EQ(gpoint_refusal([](auto& damaged) { damaged.remove("cldfmcl"); }),
            "cldfmcl: missing: other variables of clouds of g-points are there");
  EXPECT_EQ(layer_refusal([](auto& damaged) { damaged.remove("cldfrac"); }),
            "cldfrac: missing: other variables of clouds of layers are there");
  EXPECT_EQ(gpoint_refusal([](auto& damaged) { damaged.remove("taucmcl"); }), "taucmcl: missing: inflglw = 0 needs it");
  EXPECT_EQ(gpoint_refusal([](auto& damaged) { damaged.remove("inflglw"); }),
            "inflglw: missing: it says where taucmcl counts and where the water paths do");
}

TEST(RadiationFiles, FlagsMayBeAttributesScalarsOrOfColumns) {
  auto const all = std::vector<int>{2, 2, 2};
  auto const with = [](auto const& change) {
    auto file = gpoint_file();
    file.remove("iceflglw");
    change(file);
    return flags_of(read(file).clouds.ice_optics);
  };
  EXPECT_EQ(with([](auto& file) { file.number_attributes["iceflglw"] = 2.; }), all);
  EXPECT_EQ(with([](auto& file) { file.text_attributes["iceflglw"] = "2"; }), all);
  EXPECT_EQ(with([](auto& file) { file.variables["iceflglw"] = {{}, {2.}, {}, {}, Stored::int32}; }), all);
  EXPECT_EQ(with([](auto& file) { file.variables["iceflglw"] = {{1}, {2.}, {}, {}, Stored::int8}; }), all);
  EXPECT_EQ(with([](auto& file) { file.variables["iceflglw"] = {{3}, {2., 2., 3.}}; }), (std::vector<int>{2, 2, 3}));
  EXPECT_EQ(with([](auto&) {}), (std::vector<int>{3, 3, 3}));
}

TEST(RadiationFiles, BadFlags) {
  auto const set = [](char const* name, double value) {
    return [name, value](auto& file) { file[name].values[1] = value; };
  };
  std::string const inputs =
      ", expected 0 (optical depths) or 2 (water paths); 1 is not available with McICA in RRTMG_LW";
  EXPECT_EQ(gpoint_refusal(set("inflglw", 1.)), "inflglw(1) = 1" + inputs);
  EXPECT_EQ(gpoint_refusal(set("inflglw", 3.)), "inflglw(1) = 3" + inputs);
  EXPECT_EQ(gpoint_refusal(set("iceflglw", 4.)), "iceflglw(1): iceflglw = 4, expected 0, 1, 2 or 3");
  EXPECT_EQ(gpoint_refusal(set("liqflglw", -1.)), "liqflglw(1): liqflglw = -1, expected 0 or 1");
  EXPECT_EQ(gpoint_refusal([](auto& file) {
              file["iceflglw"].stored = Stored::float64;
              file["iceflglw"].values[2] = 1.5;
            }),
            "iceflglw(2) = 1.5, expected a whole number");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.number_attributes["inflglw"] = 2.; }),
            "inflglw: is a variable and an attribute, expected one of them");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.text_attributes["icld"] = "on"; }),
            "attribute icld = on, expected a whole number");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.number_attributes["icld"] = 6.; }),
            "attribute icld = 6, expected 0 (no clouds), 1 to 5 (an overlap), or -1 (left to the clouds themselves)");
  EXPECT_EQ(gpoint_refusal([](auto& file) { file.number_attributes["idrv"] = 2.; }),
            "attribute idrv = 2, expected 0 or 1");
  EXPECT_EQ(layer_refusal([](auto& file) { file.number_attributes["inflglw"] = 0.; }),
            "attribute inflglw = 0, expected 2: clouds of layers are given by their water paths");
  EXPECT_TRUE(has(column_refusal([](auto& file) { file.number_attributes["icld"] = 2.; }),
                  "attribute icld = 2, but no clouds are there, expected one of cldfmcl, "));
}

TEST(RadiationFiles, WithoutCloudsWhereIcldIsZero) {
  for (bool const of_layers : {false, true}) {
    auto file = of_layers ? layer_file() : gpoint_file();
    char const* const path = of_layers ? "ciwp" : "ciwpmcl";
    file.number_attributes["icld"] = 0.;
    file[path].values[0] = not_a_number;  // not looked at
    auto const input = read(file);
    EXPECT_TRUE(input.has_clouds);
    EXPECT_FALSE(input.clouds.any());

    // In the second column only.
    file.number_attributes.clear();
    file[path].values[0] = 1.;
    file[path].values[file[path].values.size() / 3] = not_a_number;
    file.variables["icld"] = {{ncol}, {2., 0., 2.}, {}, {}, Stored::int32};
    auto const one_clear = read(file);
    auto const fraction = of_layers ? values_of(one_clear.clouds.fraction) : values_of(one_clear.clouds.fraction_gpt);
    auto expected = file[of_layers ? "cldfrac" : "cldfmcl"].values;
    for (std::size_t i = expected.size() / 3; i < 2 * expected.size() / 3; ++i) expected[i] = 0.;
    EXPECT_EQ(fraction, expected);
    file["icld"].values = {2., 2., 0.};
    if (!of_layers) file["inflglw"].values = {2., 2., 2.};
    EXPECT_TRUE(has(refusal(file), std::string(path) + (of_layers ? "(1, 0) = nan" : "(1, 0, 0) = nan")));
  }
  // What the columns say for themselves.
  auto file = gpoint_file();
  file.number_attributes["icld"] = -1.;
  expect_equal(read(file).clouds, read(gpoint_file()).clouds);
}

TEST(RadiationFiles, OverlapOfTheFile) {
  auto file = layer_file();
  for (int icld = 1; icld <= 5; ++icld) {
    file.number_attributes["icld"] = icld;
    auto const input = read(file);
    EXPECT_EQ(static_cast<int>(input.clouds.overlap), icld);
    EXPECT_EQ(read(file, io::CloudOptions{.overlap = fluxes::Overlap::maximum}).clouds.overlap,
              fluxes::Overlap::maximum);
  }
  file.number_attributes.clear();
  file.variables["icld"] = {{ncol}, {4., 0., 4.}, {}, {}, Stored::int32};
  EXPECT_EQ(read(file).clouds.overlap, fluxes::Overlap::exponential);
  file["icld"].values = {4., 0., 2.};
  EXPECT_EQ(refusal(file), "icld(2) = 2 after 4 in another column, expected one overlap for all");
  auto missing = file;
  missing["icld"].values[1] = 4;
  missing["icld"].number_attributes["_FillValue"] = 2;
  EXPECT_EQ(refusal(missing),
            "icld(2) is a missing value (2), expected 0 (no clouds), 1 to 5 (an overlap), or -1 (left to the clouds "
            "themselves)");
  EXPECT_EQ(read(file, io::CloudOptions{.overlap = fluxes::Overlap::random}).clouds.overlap, fluxes::Overlap::random);
}

TEST(RadiationFiles, DecorrelationLengths) {
  auto file = layer_file();
  file.number_attributes["icld"] = 5.;
  auto const lengths = [&](io::CloudOptions const& options) {
    return values_of(read(file, options).clouds.decorrelation_length);
  };
  EXPECT_EQ(lengths({}), std::vector<double>(3, fluxes::default_decorrelation_length));
  EXPECT_EQ(lengths({.decorrelation_length = 1800.}), std::vector<double>(3, 1800.));
  EXPECT_EQ(refusal(file, {.clouds = {.day = 100}}), "lat: missing: decorrelation lengths of latitude were asked for");
  file.variables["lat"] = {{ncol}, {-60., 0., 45.}, {{"units", "degrees_north"}}};
  EXPECT_EQ(lengths({.day = 200}),
            (std::vector<double>{fluxes::decorrelation_length(-60., 200), fluxes::decorrelation_length(0., 200),
                                 fluxes::decorrelation_length(45., 200)}));
  EXPECT_EQ(refusal(file, {.clouds = {.day = 367}}), "day 367 was asked for, expected 1 to 366");
  EXPECT_EQ(refusal(file, {.clouds = {.decorrelation_length = 0.}}),
            "a decorrelation length of 0 m was asked for, expected a positive one");
  EXPECT_EQ(refusal(file, {.clouds = {.decorrelation_length = 1000., .day = 3}}),
            "a decorrelation length and a day for one were asked for, expected one of them");
  file["lat"].values[2] = 91.;
  EXPECT_EQ(refusal(file, {.clouds = {.day = 3}}), "lat(2) = 91 degrees_north, expected a latitude from -90 to 90");
  file.number_attributes["icld"] = 2.;
  for (auto const& options : {io::CloudOptions{.decorrelation_length = 1000.}, io::CloudOptions{.day = 3}})
    EXPECT_EQ(refusal(file, {.clouds = options}),
              "a decorrelation length was asked for, expected an exponential or exponential-random overlap with it");
}

TEST(RadiationFiles, OptionsThatTheFileCannotHonour) {
  auto both = gpoint_file();
  add_layer_clouds(both);
  EXPECT_EQ(refusal(both), "has clouds of g-points (cldfmcl) and of layers (cldfrac), expected one of them");

  struct Wish {
    io::CloudOptions options;
    char const* name;
    bool of_layers;
  };
  for (auto const& [options, name, of_layers] :
       {Wish{{.overlap = fluxes::Overlap::random}, "an overlap", true}, Wish{{.seed = 0}, "a seed", true},
        Wish{{.decorrelation_length = 1000.}, "a decorrelation length", true},
        Wish{{.day = 3}, "a decorrelation length", true},
        Wish{{.ice_optics = fluxes::IceOptics::fu}, "optics of ice", false},
        Wish{{.liquid_optics = fluxes::LiquidOptics::hu_stamnes}, "optics of droplets", false}}) {
    auto const asked = std::string(name) + " was asked for, but ";
    EXPECT_EQ(refusal(rfmip_file(), {.clouds = options}), asked + "an RFMIP file has no clouds");
    EXPECT_EQ(refusal(column_file(), {.clouds = options}),
              asked + (of_layers ? "the file has no clouds of layers" : "the file has no clouds"));
    if (of_layers) {
      EXPECT_EQ(refusal(gpoint_file(), {.clouds = options}), asked + "the file has no clouds of layers");
    }
  }
  EXPECT_EQ(refusal(rfmip_file(), {.clouds = {.clip = true}}),
            "clipping was asked for, but an RFMIP file has no clouds");
  EXPECT_EQ(refusal(column_file(), {.clouds = {.clip = true}}), nothing_refused);
  EXPECT_EQ(gpoint_refusal([](auto&) {}, {.ice_optics = fluxes::IceOptics::fu}),
            "iceflglw: is in the file, but other particle optics were asked for");
}

TEST(RadiationFiles, DerivativesThatTheFileAsksFor) {
  auto const asks = [](auto const& change) {
    auto file = column_file();
    change(file);
    return read(file).derivative;
  };
  EXPECT_FALSE(asks([](auto&) {}));
  EXPECT_FALSE(asks([](auto& file) { file.number_attributes["idrv"] = 0.; }));
  EXPECT_TRUE(asks([](auto& file) { file.number_attributes["idrv"] = 1.; }));
  EXPECT_TRUE(asks([](auto& file) { file.variables["idrv"] = {{ncol}, {0., 0., 1.}, {}, {}, Stored::int32}; }));
}

// --- what is refused ---

TEST(RadiationFiles, NeitherLayout) {
  SyntheticFile file;
  file.variables["temperature"] = {{1}, {1.}};
  EXPECT_EQ(refusal(file),
            "is no atmosphere file, expected the column layout (plev, play, tlev, tlay, tsfc, emis, ...), the RFMIP "
            "layout (pres_level, pres_layer, temp_level, temp_layer, surface_temperature, surface_emissivity, ...), "
            "ecRad's (pressure_hl, temperature_hl, ...) or RTE+RRTMGP's (plev, play, tlay, vmr_h2o, ...)");
  auto both = column_file();
  both.variables.merge(rfmip_file().variables);
  EXPECT_TRUE(has(refusal(both), "is no unambiguous atmosphere file"));
}

TEST(RadiationFiles, MissingVariables) {
  for (char const* const name : {"play", "plev", "tlay", "tlev", "tsfc", "emis"})
    EXPECT_EQ(column_refusal([&](auto& file) { file.remove(name); }), std::string(name) + ": missing");
  for (char const* const name :
       {"pres_layer", "pres_level", "temp_layer", "temp_level", "surface_temperature", "surface_emissivity"})
    EXPECT_EQ(rfmip_refusal([&](auto& file) { file.remove(name); }), std::string(name) + ": missing");
}

TEST(RadiationFiles, WrongShapes) {
  auto const reshaped = [](char const* name, std::vector<std::size_t> const& shape) {
    return column_refusal([&](auto& file) {
      file[name].shape = shape;
      file[name].values.assign(std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>()), 250.);
    });
  };
  EXPECT_EQ(reshaped("plev", {5}), "plev: has shape (5), expected (column, level) with at least 1 column and 2 levels");
  EXPECT_EQ(reshaped("plev", {3, 1}),
            "plev: has shape (3, 1), expected (column, level) with at least 1 column and 2 levels");
  EXPECT_EQ(reshaped("play", {3, 5}), "play: has shape (3, 5), expected (column, layer) = (3, 4)");
  EXPECT_EQ(reshaped("tlay", {4, 3}), "tlay: has shape (4, 3), expected (column, layer) = (3, 4)");
  EXPECT_EQ(reshaped("tlev", {3, 4}), "tlev: has shape (3, 4), expected (column, level) = (3, 5)");
  EXPECT_EQ(reshaped("h2ovmr", {12}), "h2ovmr: has shape (12), expected (column, layer) = (3, 4)");
  EXPECT_EQ(reshaped("tsfc", {4}), "tsfc: has shape (4), expected (column) = (3)");
  EXPECT_EQ(reshaped("tsfc", {}), "tsfc: has shape (), expected (column) = (3)");
  for (std::vector<std::size_t> const& shape : {std::vector<std::size_t>{3, 14}, std::vector<std::size_t>{2, 16},
                                                std::vector<std::size_t>{}, std::vector<std::size_t>{3, 16, 1}})
    EXPECT_TRUE(has(reshaped("emis", shape), "expected (column) = (3) or (column, band) = (3, 16)"));

  auto const rfmip_reshaped = [](char const* name, std::vector<std::size_t> const& shape) {
    return rfmip_refusal([&](auto& file) {
      file[name].shape = shape;
      file[name].values.assign(std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>()), 250.);
    });
  };
  EXPECT_EQ(rfmip_reshaped("pres_level", {2, 3, 5}),
            "pres_level: has shape (2, 3, 5), expected (site, level) with at least 1 site and 2 levels");
  EXPECT_EQ(rfmip_reshaped("pres_layer", {3, 5}), "pres_layer: has shape (3, 5), expected (site, layer) = (3, 4)");
  EXPECT_EQ(rfmip_reshaped("temp_level", {3, 5}),
            "temp_level: has shape (3, 5), expected (expt, site, level) with at least 1 experiment");
  EXPECT_EQ(rfmip_reshaped("temp_level", {2, 3, 4}),
            "temp_level: has shape (2, 3, 4), expected (expt, site, level) = (2, 3, 5)");
  EXPECT_EQ(rfmip_reshaped("temp_layer", {1, 3, 4}),
            "temp_layer: has shape (1, 3, 4), expected (expt, site, layer) = (2, 3, 4)");
  EXPECT_EQ(rfmip_reshaped("surface_temperature", {3, 2}),
            "surface_temperature: has shape (3, 2), expected (expt, site) = (2, 3)");
  EXPECT_EQ(rfmip_reshaped("surface_emissivity", {2}), "surface_emissivity: has shape (2), expected (site) = (3)");
  EXPECT_EQ(rfmip_reshaped("carbon_dioxide_GM", {3}), "carbon_dioxide_GM: has shape (3), expected (expt) = (2)");
  EXPECT_EQ(rfmip_reshaped("water_vapor", {2, 3}),
            "water_vapor: has shape (2, 3), expected (expt, site, layer) = (2, 3, 4)");
}

TEST(RadiationFiles, ValuesOutOfRange) {
  struct Bad {
    char const* variable;
    double value;
    std::string text, expected;
  };
  std::string const pressure = "a positive finite pressure", temperature = "a positive finite temperature",
                    ratio = "a mixing ratio from 0 to 1 mol mol-1", emissivity = "an emissivity from 0 to 1";
  for (auto const& bad :
       {Bad{"play", -4., "-4 hPa", pressure}, Bad{"play", 0., "0 hPa", pressure},
        Bad{"play", not_a_number, "nan hPa", pressure}, Bad{"play", infinity, "inf hPa", pressure},
        Bad{"plev", -4., "-4 hPa", "a finite pressure of at least 0"},
        Bad{"plev", not_a_number, "nan hPa", "a finite pressure of at least 0"}, Bad{"tlay", 0., "0 K", temperature},
        Bad{"tlay", -1., "-1 K", temperature}, Bad{"tlay", not_a_number, "nan K", temperature},
        Bad{"tlev", -300., "-300 K", temperature}, Bad{"tlev", -infinity, "-inf K", temperature},
        Bad{"h2ovmr", -1e-9, "-1e-09 mol mol-1", ratio}, Bad{"co2vmr", not_a_number, "nan mol mol-1", ratio},
        Bad{"co2vmr", 400., "400 mol mol-1", ratio}, Bad{"cfc22vmr", -1., "-1 mol mol-1", ratio},
        Bad{"emis", 1.01, "1.01", emissivity}, Bad{"emis", -0.01, "-0.01", emissivity},
        Bad{"emis", not_a_number, "nan", emissivity}})
    EXPECT_EQ(column_refusal([&](auto& file) { file[bad.variable](1, 2) = bad.value; }),
              std::string(bad.variable) + "(1, 2) = " + bad.text + ", expected " + bad.expected);
  for (double const bad : {0., -1., not_a_number})
    EXPECT_TRUE(
        has(column_refusal([&](auto& file) { file["tsfc"].values[2] = bad; }), "tsfc(2) = " +
                                                                                   std::string(std::isnan(bad) ? "nan"
                                                                                               : bad == 0.     ? "0"
                                                                                                               : "-1") +
                                                                                   " K, expected " + temperature));
}

TEST(RadiationFiles, ValuesOutOfRangeInRfmip) {
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["temp_layer"](1, 2, 3) = -4.; }),
            "temp_layer(1, 2, 3) = -4 K, expected a positive finite temperature");
  // The index is that of the file when only a part of it is read.
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["temp_layer"](1, 2, 3) = -4.; }, {.experiment = "2"}),
            "temp_layer(1, 2, 3) = -4 K, expected a positive finite temperature");
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["surface_temperature"](1, 0) = not_a_number; }),
            "surface_temperature(1, 0) = nan K, expected a positive finite temperature");
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["surface_emissivity"].values[1] = 1.5; }),
            "surface_emissivity(1) = 1.5, expected an emissivity from 0 to 1");
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["carbon_dioxide_GM"].values[1] = -400.; }),
            "carbon_dioxide_GM(1) = -400 1.e-6, expected a mixing ratio from 0 to 1 mol mol-1");
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["pres_layer"](0, 1) = -1.; }),
            "pres_layer(0, 1) = -1 Pa, expected a positive finite pressure");
  EXPECT_EQ(rfmip_refusal([](auto& file) { file["profile_weight"].values[1] = -1.; }),
            "profile_weight(1) = -1, expected a finite weight of at least 0");
  EXPECT_EQ(rfmip_refusal([](auto& file) {
              file["profile_weight"].values = {0., 0., 0.};
            }),
            "profile_weight: is 0 everywhere, expected a positive sum");
}

TEST(RadiationFiles, PressureThatDoesNotFallAllTheWay) {
  auto const swapped = column_refusal([](auto& file) { std::swap(file["plev"](1, 2), file["plev"](1, 3)); });
  EXPECT_TRUE(swapped.starts_with("plev(1, 3) = ")) << swapped;
  EXPECT_TRUE(has(swapped, " after plev(1, 2) = "));
  EXPECT_TRUE(has(swapped, "expected pressure to fall with the index"));
  EXPECT_TRUE(has(column_refusal([](auto& file) { file["plev"](2, 1) = file["plev"](2, 0); }),
                  "expected pressure to fall with the index"));
  // One column upside down in a file that has the surface first.
  EXPECT_TRUE(has(column_refusal([](auto& file) {
                    for (std::size_t k = 0; k < nlev; ++k) file["plev"](2, k) = 10. + static_cast<double>(k);
                  }),
                  "plev(2, 1) = 11 hPa after plev(2, 0) = 10 hPa, expected pressure to fall with the index"));
  EXPECT_TRUE(has(rfmip_refusal([](auto& file) { std::swap(file["pres_level"](0, 2), file["pres_level"](0, 1)); }),
                  "expected pressure to rise with the index"));
  EXPECT_TRUE(has(column_refusal([](auto& file) {
                    for (double& value : file["plev"].values) value = 500.;
                  }),
                  "plev(0, 1) = 500 hPa after plev(0, 0) = 500 hPa"));
  // No interface but the top one may be without pressure.
  EXPECT_TRUE(has(column_refusal([](auto& file) { file["plev"](0, 2) = 0.; }), "after plev(0, 2) = 0 hPa"));
}

TEST(RadiationFiles, LayersWhosePressureCannotBe) {
  auto const message = column_refusal([](auto& file) { file["play"](1, 2) = 2000.; });
  EXPECT_TRUE(message.starts_with("play(1, 2) = 2000 hPa, expected a pressure between plev(1, 0) = ")) << message;
  EXPECT_TRUE(has(message, " and plev(1, ")) << message;
  EXPECT_TRUE(has(column_refusal([](auto& file) { std::swap(file["play"](1, 1), file["play"](1, 2)); }),
                  ", expected pressure to fall with the index"));
  EXPECT_TRUE(has(rfmip_refusal([](auto& file) { std::swap(file["pres_layer"](1, 0), file["pres_layer"](1, 1)); }),
                  ", expected pressure to rise with the index"));
  // Layers in Pa that are declared as hPa.
  EXPECT_TRUE(has(column_refusal([](auto& file) {
                    for (double& value : file["play"].values) value *= 100.;
                  }),
                  "play(0, 0) = "));
}

TEST(RadiationFiles, MissingValues) {
  for (char const* const attribute : {"_FillValue", "missing_value"})
    EXPECT_EQ(column_refusal([&](auto& file) {
                file["tlay"].number_attributes[attribute] = 999.;
                file["tlay"](0, 3) = 999.;
              }),
              "tlay(0, 3) is a missing value (999), expected a positive finite temperature");
  // netCDF's own, which files need not declare.
  EXPECT_EQ(column_refusal([&](auto& file) { file["tsfc"].values[1] = 9.969209968386869e36; }),
            "tsfc(1) is a missing value (9.969209968e+36), expected a positive finite temperature");
  EXPECT_EQ(column_refusal([&](auto& file) { file["o3vmr"].written = false; }), "o3vmr: was never written");
}

TEST(RadiationFiles, PackedAndNonNumericVariables) {
  EXPECT_EQ(column_refusal([](auto& file) { file["tlay"].number_attributes["scale_factor"] = 0.01; }),
            "tlay: is packed (attribute scale_factor), expected plain values");
  EXPECT_EQ(column_refusal([](auto& file) { file["tlay"].number_attributes["add_offset"] = 0.01; }),
            "tlay: is packed (attribute add_offset), expected plain values");
  EXPECT_EQ(column_refusal([](auto& file) {
              file["tsfc"].stored = Stored::fixed_text;
              file["tsfc"].strings = {"a", "b", "c"};
            }),
            "tsfc: does not hold numbers");
}

TEST(RadiationFiles, InputThatWouldBeIgnored) {
  for (std::string const name : {"cldfmcl", "ciwpmcl", "clwpmcl", "taucmcl", "reicmcl", "relqmcl", "tauaer", "icld",
                                 "idrv", "inflglw", "iceflglw", "liqflglw", "cldfrac", "ciwp", "clwp", "rei", "rel"})
    EXPECT_EQ(rfmip_refusal([&](auto& file) {
                file.variables[name] = {{1}, {0.}};
              }),
              name + ": cannot be honoured: the RFMIP layout has neither clouds nor aerosol");
  for (std::string const name : {"icld", "idrv"}) {
    EXPECT_EQ(rfmip_refusal([&](auto& file) { file.number_attributes[name] = 2.; }),
              "attribute " + name + " = 2, expected 0 in the RFMIP layout");
    EXPECT_EQ(rfmip_refusal([&](auto& file) { file.text_attributes[name] = "on"; }),
              "attribute " + name + " = on, expected 0 in the RFMIP layout");
    auto harmless = rfmip_file();
    harmless.number_attributes[name] = 0.;
    EXPECT_NO_THROW(read(harmless));
  }
  for (auto const& damaged : {column_file(), rfmip_file()}) {
    auto file = damaged;
    file.variables["so2vmr"] = {{1}, {0.}, {{"role", "input"}}};
    EXPECT_EQ(refusal(file), "so2vmr: is input (attribute role) that is not supported");
  }
}

TEST(RadiationFiles, OtherVariablesAreIgnored) {
  auto file = column_file();
  for (auto& [name, variable] : file.variables) variable.text_attributes["role"] = "input";
  file.variables["uflx"] = {{1}, {not_a_number}, {{"role", "expected output"}}};
  file.variables["jp"] = {{1}, {not_a_number}, {{"role", "intermediate"}}};
  file.variables["time"] = {{1}, {not_a_number}};
  expect_equal(read(file).columns, read(column_file()).columns);
}

TEST(RadiationFiles, DamagedFiles) {
  auto const folder = scratch_folder();
  auto const path = folder + "/in.nc";
  EXPECT_EQ(message_of([&] { io::read_radiation_input(path); }), path + ": no such file");
  auto const whole = read_bytes(column_file().write(path));
  write_bytes(path, whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(has(message_of([&] { io::read_radiation_input(path); }), path + ": damaged or truncated HDF5: "));
  write_bytes(path, "CDF\1....");
  EXPECT_TRUE(has(message_of([&] { io::read_radiation_input(path); }), "is a netCDF-3 file"));
}

// --- files that people have ---

TEST(RadiationFiles, DistributedRfmipFile) {
  PARHELION_REQUIRE_DATA(path, "rfmip/rfmip_atmospheres.nc");
  auto const all = io::read_radiation_input(path);
  EXPECT_EQ(all.layout, io::RadiationLayout::rfmip);
  EXPECT_TRUE(all.top_first);
  EXPECT_EQ(all.nsite, 100);
  ASSERT_EQ(all.columns.ncol(), 1800);
  ASSERT_EQ(all.columns.nlay(), 60);
  ASSERT_EQ(all.experiments.size(), 18u);
  EXPECT_EQ(all.experiments.back(), 18);
  EXPECT_EQ(all.experiment_labels.at(0), "Present day (PD)");
  EXPECT_EQ(all.experiment_labels.at(2), "4xCO2");
  EXPECT_EQ(all.profile_weight.size(), 100u);
  EXPECT_EQ(all.latitude.size(), 100u);
  // Top pressure as documented, and figures read from the file with other software.
  EXPECT_EQ(all.columns.pressure_lev(0, 60), static_cast<double>(0.01f));
  EXPECT_EQ(all.columns.pressure_lay(0, 59), 10.);
  EXPECT_EQ(all.columns.emissivity_sfc(0, 0), static_cast<double>(0.98f));
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.vmr(0, static_cast<int>(Gas::co2), 5)), 397.54697e-6f);
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.vmr(299, static_cast<int>(Gas::co2), 5)), 1137.268e-6f);
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.vmr(1799, static_cast<int>(Gas::co2), 5)), 190e-6f);

  auto const third = io::read_radiation_input(path, {.experiment = "3"});
  ASSERT_EQ(third.columns.ncol(), 100);
  for (int c = 0; c < 100; ++c)
    ASSERT_EQ(third.columns.temperature_lay(c, 30), all.columns.temperature_lay(200 + c, 30));
  EXPECT_EQ(message_of([&] { io::read_radiation_input(path, {.experiment = "19"}); }),
            path + ": experiment 19 was asked for, expected all or a number from 1 to 18");
}

TEST(RadiationFiles, ReferenceCases) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/case_clear_a.nc");
  auto const input = io::read_radiation_input(path);
  EXPECT_EQ(input.layout, io::RadiationLayout::column);
  EXPECT_FALSE(input.top_first);
  ASSERT_EQ(input.columns.ncol(), 32);
  ASSERT_EQ(input.columns.nlay(), 51);
  io::Hdf5File const file(path);
  auto const play = file.read("play"), o2 = file.read("o2vmr"), emis = file.read("emis");
  for (int c = 0; c < 32; ++c) {
    for (int k = 0; k < 51; ++k) {
      auto const i = static_cast<std::size_t>(c * 51 + k);
      ASSERT_EQ(input.columns.pressure_lay(c, k), 100. * play[i]);
      ASSERT_EQ(input.columns.vmr(c, static_cast<int>(Gas::o2), k), o2[i]);
    }
    for (int b = 0; b < 16; ++b)
      ASSERT_EQ(input.columns.emissivity_sfc(c, b), emis[static_cast<std::size_t>(c * 16 + b)]);
  }
  EXPECT_FALSE(input.has_clouds);
  EXPECT_FALSE(input.derivative);
}

TEST(RadiationFiles, ReferenceCasesWithClouds) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/case_cloud_a.nc");
  auto const input = io::read_radiation_input(path);
  EXPECT_TRUE(input.has_clouds);
  EXPECT_FALSE(input.derivative);
  EXPECT_EQ(input.columns.aerosol.size(), 0U);
  ASSERT_TRUE(input.clouds.of_gpoints());
  ASSERT_FALSE(input.clouds.of_layers());
  io::Hdf5File const file(path);
  std::vector<bool> by_path, by_depth;
  for (double const flag : file.read("inflglw")) {
    by_path.push_back(flag == 2.);
    by_depth.push_back(flag == 0.);
  }
  EXPECT_EQ(values_of(input.clouds.fraction_gpt), file.read("cldfmcl"));
  EXPECT_EQ(values_of(input.clouds.ice_path_gpt), of_columns(in_si(file.read("ciwpmcl"), 1e-3), by_path));
  EXPECT_EQ(values_of(input.clouds.liquid_path_gpt), of_columns(in_si(file.read("clwpmcl"), 1e-3), by_path));
  EXPECT_EQ(values_of(input.clouds.optical_depth_gpt), of_columns(file.read("taucmcl"), by_depth));
  EXPECT_EQ(values_of(input.clouds.ice_size), of_columns(in_si(file.read("reicmcl"), 1e-6), by_path));
  EXPECT_EQ(values_of(input.clouds.liquid_size), of_columns(in_si(file.read("relqmcl"), 1e-6), by_path));
  for (int c = 0; c < 32; ++c) {
    auto const i = static_cast<std::size_t>(c);
    EXPECT_EQ(input.clouds.input(c), file.read("inflglw")[i]);
    EXPECT_EQ(input.clouds.ice_optics(c), file.read("iceflglw")[i]);
    EXPECT_EQ(input.clouds.liquid_optics(c), file.read("liqflglw")[i]);
  }
}

TEST(RadiationFiles, ReferenceCasesWithEverything) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/debug_a.nc");
  auto const input = io::read_radiation_input(path);  // icld = -1, idrv = 1
  EXPECT_TRUE(input.derivative);
  io::Hdf5File const file(path);
  EXPECT_EQ(values_of(input.clouds.fraction_gpt), file.read("cldfmcl"));
  auto const aerosol = file.read("tauaer");
  if (std::any_of(aerosol.begin(), aerosol.end(), [](double depth) { return depth > 0; })) {
    EXPECT_EQ(values_of(input.columns.aerosol), aerosol);
  } else {
    EXPECT_EQ(input.columns.aerosol.size(), 0U);
  }
}
