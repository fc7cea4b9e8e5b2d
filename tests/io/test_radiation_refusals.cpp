// SPDX-License-Identifier: BSD-3-Clause
// Atmosphere files that are refused: their layout, shapes, values and what would be ignored.
#include <parhelion/io/radiation_files.hpp>

#include "radiation_testing.hpp"
#include "synthetic_files.hpp"
#include "testing.hpp"

#include <hdf5.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;

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
