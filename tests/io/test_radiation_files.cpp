// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/radiation_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

using namespace parhelion;
using namespace parhelion::Testing;
using rrtmg::Gas;

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

void expect_equal(rrtmg::HostColumns const& a, rrtmg::HostColumns const& b) {
  EXPECT_EQ(values_of(a.pressure_lay), values_of(b.pressure_lay));
  EXPECT_EQ(values_of(a.pressure_lev), values_of(b.pressure_lev));
  EXPECT_EQ(values_of(a.temperature_lay), values_of(b.temperature_lay));
  EXPECT_EQ(values_of(a.temperature_lev), values_of(b.temperature_lev));
  EXPECT_EQ(values_of(a.temperature_sfc), values_of(b.temperature_sfc));
  EXPECT_EQ(values_of(a.emissivity_sfc), values_of(b.emissivity_sfc));
  EXPECT_EQ(values_of(a.mole_ratio), values_of(b.mole_ratio));
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
        EXPECT_EQ(input.columns.mole_ratio(c, static_cast<int>(gas), k), source[name](c, k)) << name;
      EXPECT_EQ(input.columns.mole_ratio(c, static_cast<int>(Gas::co), k), 0.);
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
        EXPECT_EQ(input.columns.mole_ratio(c, static_cast<int>(Gas::h2o), k), source["water_vapor"](e, s, from));
        EXPECT_EQ(input.columns.mole_ratio(c, static_cast<int>(Gas::o3), k), source["ozone"](e, s, from));
        for (auto const& each : mixed)
          EXPECT_DOUBLE_EQ(input.columns.mole_ratio(c, static_cast<int>(each.gas), k),
                           e == 0 ? each.first : each.second);
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
      for (int g = 0; g < rrtmg::ngas; ++g)
        EXPECT_EQ(second.columns.mole_ratio(c, g, k), all.columns.mole_ratio(3 + c, g, k));
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
    EXPECT_EQ(read(file).columns.mole_ratio(1, static_cast<int>(Gas::co2), 2), 0.25 * factor) << name;
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
  EXPECT_EQ(refusal(file), "o3vmr: missing: the gas optics need this gas");
  io::RadiationOptions const few{.required_gases = {Gas::h2o, Gas::co2}};
  auto const input = read(file, few);
  EXPECT_EQ(input.columns.mole_ratio(0, static_cast<int>(Gas::o3), 0), 0.);
  EXPECT_EQ(input.columns.mole_ratio(0, static_cast<int>(Gas::ch4), 0), file["ch4vmr"](0, 0));
  file.remove("co2vmr");
  EXPECT_EQ(refusal(file, few), "co2vmr: missing: the gas optics need this gas");
  // What is there is checked, needed or not.
  EXPECT_EQ(column_refusal([](auto& damaged) { damaged["ch4vmr"](0, 1) = -1e-6; }, few),
            "ch4vmr(0, 1) = -1e-06 mol mol-1, expected a mole ratio from 0 to 1 mol mol-1");
  EXPECT_EQ(rfmip_refusal([](auto& damaged) { damaged.remove("oxygen_GM"); }),
            "oxygen_GM: missing: the gas optics need this gas");
}

TEST(RadiationFiles, CarbonMonoxideIsOptionalAndHonoured) {
  auto file = column_file();
  file.variables["covmr"] = file["ch4vmr"];
  EXPECT_EQ(read(file).columns.mole_ratio(2, static_cast<int>(Gas::co), 3), file["covmr"](2, 3));
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

// --- what is refused ---

TEST(RadiationFiles, NeitherLayout) {
  SyntheticFile file;
  file.variables["temperature"] = {{1}, {1.}};
  EXPECT_EQ(refusal(file),
            "is no atmosphere file, expected the column layout (plev, play, tlev, tlay, tsfc, emis, ...) or the RFMIP "
            "layout (pres_level, pres_layer, temp_level, temp_layer, surface_temperature, surface_emissivity, ...)");
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
                    ratio = "a mole ratio from 0 to 1 mol mol-1", emissivity = "an emissivity from 0 to 1";
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
            "carbon_dioxide_GM(1) = -400 1.e-6, expected a mole ratio from 0 to 1 mol mol-1");
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
  for (std::string const name : {"cldfmcl", "ciwpmcl", "clwpmcl", "taucmcl", "reicmcl", "relqmcl", "tauaer", "inflglw",
                                 "iceflglw", "liqflglw", "cldfrac", "ciwp", "clwp", "rei", "rel"}) {
    auto const add = [&](auto& file) { file.variables[name] = {{1}, {0.}}; };
    EXPECT_EQ(column_refusal(add), name + ": cannot be honoured: clouds and aerosols are not supported");
    EXPECT_EQ(rfmip_refusal(add), name + ": cannot be honoured: clouds and aerosols are not supported");
  }
  for (std::string const name : {"icld", "idrv"}) {
    EXPECT_EQ(column_refusal([&](auto& file) { file.number_attributes[name] = 2.; }),
              "attribute " + name + " = 2, expected 0: clouds and flux derivatives are not supported");
    EXPECT_EQ(column_refusal([&](auto& file) { file.text_attributes[name] = "on"; }),
              "attribute " + name + " = on, expected 0: clouds and flux derivatives are not supported");
    auto harmless = column_file();
    harmless.number_attributes[name] = 0.;
    EXPECT_NO_THROW(read(harmless));
  }
  EXPECT_EQ(column_refusal([](auto& file) {
              file.variables["so2vmr"] = {{1}, {0.}, {{"role", "input"}}};
            }),
            "so2vmr: is input (attribute role) that is not supported");
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
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.mole_ratio(0, static_cast<int>(Gas::co2), 5)), 397.54697e-6f);
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.mole_ratio(299, static_cast<int>(Gas::co2), 5)), 1137.268e-6f);
  EXPECT_FLOAT_EQ(static_cast<float>(all.columns.mole_ratio(1799, static_cast<int>(Gas::co2), 5)), 190e-6f);

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
      ASSERT_EQ(input.columns.mole_ratio(c, static_cast<int>(Gas::o2), k), o2[i]);
    }
    for (int b = 0; b < 16; ++b)
      ASSERT_EQ(input.columns.emissivity_sfc(c, b), emis[static_cast<std::size_t>(c * 16 + b)]);
  }
  PARHELION_REQUIRE_DATA(cloudy, "rrtmg_lw/case_cloud_a.nc");
  EXPECT_EQ(message_of([&] { io::read_radiation_input(cloudy); }),
            cloudy + ": cldfmcl: cannot be honoured: clouds and aerosols are not supported");
}
