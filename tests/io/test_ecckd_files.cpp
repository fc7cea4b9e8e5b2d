// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/coefficient_kind.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/netcdf.hpp>

#include "testing.hpp"

#include <cstddef>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;
using fluxes::ecckd::Concentration;
using fluxes::ecckd::Definition;

namespace {

struct Entry {
  std::vector<std::string> dimensions;
  std::vector<double> values;
  io::Attributes attributes = {};
};

// A definition file with other extents than any that is distributed, made to be damaged.
struct DefinitionFile {
  std::map<std::string, std::size_t> dimensions{{"nt", 2},   {"np", 3},   {"g_point", 5}, {"wavenumber", 2},
                                                {"band", 2}, {"nh2o", 2}, {"planck", 4},  {"another", 7}};
  std::map<std::string, std::string> attributes{{"constituent_id", "composite h2o  n2o o3"}};
  std::map<std::string, Entry> variables;

  explicit DefinitionFile(bool longwave) {
    variables["n_gases"] = {{}, {4}};
    variables["pressure"] = {{"np"}, {100, 1000, 10000}};
    variables["temperature"] = {{"nt", "np"}, {200, 210, 220, 220, 230, 240}};
    add("composite", {}, 0);
    add("h2o", {"nh2o"}, 2);
    variables["h2o_mole_fraction"] = {{"nh2o"}, {1e-6, 1e-3}};
    add("n2o", {}, 3);
    variables["n2o_reference_mole_fraction"] = {{}, {3.2e-7}};
    add("o3", {}, 1);
    variables["band_number"] = {{"g_point"}, {0, 0, 1, 1, 1}};
    variables["wavenumber1"] = {{"wavenumber"}, {100, 200}};
    variables["wavenumber2"] = {{"wavenumber"}, {200, 300}};
    variables["gpoint_fraction"] = {{"g_point", "wavenumber"}, numbers(10)};
    variables["wavenumber1_band"] = {{"band"}, {100, 200}};
    variables["wavenumber2_band"] = {{"band"}, {200, 300}};
    if (longwave) {
      variables["temperature_planck"] = {{"planck"}, {150, 200, 250, 300}};
      variables["planck_function"] = {{"planck", "g_point"}, numbers(20)};
    } else {
      variables["solar_irradiance"] = {{"g_point"}, numbers(5)};
      variables["rayleigh_molar_scattering_coeff"] = {{"g_point"}, numbers(5)};
      variables["solar_spectral_irradiance"] = {{"wavenumber"}, {7, 8}};
    }
  }

  static std::vector<double> numbers(std::size_t n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(0.25 * static_cast<double>(i + 1));
    return values;
  }

  void add(std::string const& gas, std::vector<std::string> dims, int code) {
    std::size_t n = 1;
    for (auto const* const dim : {"nt", "np", "g_point"}) dims.emplace_back(dim);
    for (auto const& dim : dims) n *= dimensions.at(dim);
    variables[gas + "_conc_dependence_code"] = {{}, {static_cast<double>(code)}};
    variables[gas + "_molar_absorption_coeff"] = {dims, numbers(n)};
  }

  std::string write() const {
    std::string const path = scratch_folder() + "/definition.nc";
    io::NetcdfWriter file(path);
    for (auto const& [name, size] : dimensions) file.dimension(name, size);
    for (auto const& [name, text] : attributes) file.attributes({{name, text}});
    for (auto const& [name, variable] : variables)
      file.variable(name, variable.dimensions, variable.values, variable.attributes, io::NetcdfType::float32);
    file.commit();
    return path;
  }
};

std::string refusal(bool longwave, std::function<void(DefinitionFile&)> const& spoil) {
  DefinitionFile file(longwave);
  spoil(file);
  std::string const path = file.write();
  auto message = message_of([&] { io::read_ecckd_definition(path); });
  if (message.rfind(path, 0) == 0) message.replace(0, path.size(), "FILE");
  return message;
}

TEST(EcckdFiles, ExtentsAndGasesAreThoseOfTheFile) {
  auto const path = DefinitionFile(true).write();
  auto const d = io::read_ecckd_definition(path);
  EXPECT_EQ(d.where, path);
  EXPECT_TRUE(d.is_longwave);
  EXPECT_EQ(d.npressure(), 3);
  EXPECT_EQ(d.ntemperature(), 2);
  EXPECT_EQ(d.ngpoint(), 5);
  EXPECT_EQ(d.nband(), 2);
  EXPECT_EQ(d.ninterval(), 2);
  EXPECT_EQ(d.temperature[4], 230);
  ASSERT_EQ(d.gases.size(), 4U);
  EXPECT_EQ(d.gases[0].name, "composite");
  EXPECT_EQ(d.gases[1].dependence, Concentration::table);
  EXPECT_EQ(d.gases[1].molar_absorption.size(), 60U);
  EXPECT_EQ(d.gases[1].molar_absorption[7], 2);
  EXPECT_EQ(d.gases[2].dependence, Concentration::relative_linear);
  EXPECT_FLOAT_EQ(static_cast<float>(d.gases[2].reference_mole_fraction), 3.2e-7F);
  EXPECT_EQ(d.gases[3].name, "o3");
  EXPECT_EQ(d.band_number[2], 1);
  EXPECT_EQ(d.planck_function[19], 5);
  auto const shortwave = io::read_ecckd_definition(DefinitionFile(false).write());
  EXPECT_FALSE(shortwave.is_longwave);
  EXPECT_EQ(shortwave.solar_irradiance[4], 1.25);
  EXPECT_EQ(shortwave.rayleigh_molar_scattering[0], 0.25);
  EXPECT_EQ(shortwave.solar_spectral_irradiance[1], 8);
}

TEST(EcckdFiles, RefusalsNameFileVariableAndReason) {
  auto const nothing = [](DefinitionFile&) {};
  EXPECT_EQ(refusal(true, nothing), "(no parhelion::Error)");
  EXPECT_EQ(refusal(true, [](auto& f) { f.attributes.clear(); }),
            "FILE: has no attribute constituent_id, expected a definition file of ecCKD");
  EXPECT_EQ(refusal(true, [](auto& f) { f.variables["n_gases"].values = {5}; }),
            "FILE: constituent_id: names 4 gases (composite h2o n2o o3), expected 5 as n_gases has it");
  EXPECT_EQ(refusal(true, [](auto& f) { f.attributes["constituent_id"] = "composite h2o n2o unobtainium"; }),
            "FILE: constituent_id: names the gas unobtainium, which is not known, expected composite or names of gases "
            "such as h2o");
  EXPECT_EQ(refusal(true, [](auto& f) { f.variables.erase("planck_function"); }),
            "FILE: has neither planck_function nor solar_irradiance, expected one of them: that of the longwave or "
            "that of the shortwave");
  EXPECT_EQ(refusal(true,
                    [](auto& f) {
                      f.variables["solar_irradiance"] = {{"g_point"}, {1, 1, 1, 1, 1}};
                    }),
            "FILE: has both planck_function and solar_irradiance, expected one of them: that of the longwave or that "
            "of the shortwave");
  for (std::string const name :
       {"n_gases", "pressure", "temperature", "band_number", "wavenumber1", "wavenumber2", "gpoint_fraction",
        "wavenumber1_band", "wavenumber2_band", "temperature_planck", "composite_conc_dependence_code",
        "h2o_molar_absorption_coeff", "h2o_mole_fraction", "n2o_reference_mole_fraction", "o3_molar_absorption_coeff"})
    EXPECT_EQ(refusal(true, [&](auto& f) { f.variables.erase(name); }), "FILE: " + name + ": missing");
  EXPECT_EQ(refusal(false, [&](auto& f) { f.variables.erase("rayleigh_molar_scattering_coeff"); }),
            "FILE: rayleigh_molar_scattering_coeff: missing");
  EXPECT_EQ(refusal(true,
                    [](auto& f) {
                      f.variables["temperature"] = {{"np", "nt"}, {200, 220, 210, 230, 220, 240}};
                    }),
            "FILE: temperature: has shape (3, 2), expected (3, 3)");
  EXPECT_EQ(refusal(true,
                    [](auto& f) {
                      f.variables["o3_molar_absorption_coeff"] = {{"another"}, f.numbers(7)};
                    }),
            "FILE: o3_molar_absorption_coeff: has shape (7), expected (2, 3, 5)");
  EXPECT_EQ(refusal(true,
                    [](auto& f) {
                      f.variables["pressure"] = {{}, {5}};
                    }),
            "FILE: pressure: has shape (), expected one dimension");
  EXPECT_EQ(refusal(true, [](auto& f) { f.variables["o3_conc_dependence_code"].values = {4}; }),
            "FILE: o3_conc_dependence_code = 4: expected 0, 1, 2 or 3");
  EXPECT_EQ(refusal(true, [](auto& f) { f.variables["o3_conc_dependence_code"].values = {1.5}; }),
            "FILE: o3_conc_dependence_code: is 1.5, expected a whole number");
  EXPECT_EQ(refusal(true,
                    [](auto& f) {
                      f.variables["o3_conc_dependence_code"] = {{"band"}, {1, 1}};
                    }),
            "FILE: o3_conc_dependence_code: has 2 values, expected one");
  EXPECT_EQ(refusal(true,
                    [](auto& f) {
                      f.variables["pressure"].values = {10000, 1000, 100};
                    }),
            "FILE: pressure: values 0 and 1 are 10000 and 1000, expected increasing values");
  EXPECT_EQ(refusal(true, [](auto& f) { f.variables["band_number"].values[3] = -1; }),
            "FILE: band_number(3) = -1: expected 0 to 1");

  std::string const other = scratch_folder() + "/text";
  EXPECT_EQ(message_of([&] { io::read_ecckd_definition(other); }), other + ": no such file");
  std::ofstream(other) << "no definition";
  EXPECT_EQ(message_of([&] { io::read_ecckd_definition(other); }), other + ": is not an HDF5 or netCDF-4 file");
  std::string const classic = scratch_folder() + "/classic.nc";
  std::ofstream(classic, std::ios::binary) << "CDF\1 no header";
  auto const message = message_of([&] { io::read_ecckd_definition(classic); });
  EXPECT_EQ(message.rfind(classic + ": ", 0), 0U) << message;
  if (!io::can_read_netcdf()) {
    EXPECT_NE(message.find("nccopy -k nc4"), std::string::npos) << message;
  }
}

// Values are used as they stand, so that all must be there, in the expected unit, and not packed.
TEST(EcckdFiles, OtherUnitsPackedAndMissingValuesAreRefused) {
  auto const with = [](std::string const& variable, std::string const& attribute, io::AttributeValue const& value) {
    return refusal(true, [&](auto& f) { f.variables[variable].attributes = {{attribute, value}}; });
  };
  EXPECT_EQ(with("pressure", "units", "hPa"), "FILE: pressure: has the units 'hPa', expected 'Pa'");
  EXPECT_EQ(with("temperature", "units", "degC"), "FILE: temperature: has the units 'degC', expected 'K'");
  EXPECT_EQ(with("o3_molar_absorption_coeff", "units", "cm2 mol-1"),
            "FILE: o3_molar_absorption_coeff: has the units 'cm2 mol-1', expected 'm2 mol-1'");
  EXPECT_EQ(with("planck_function", "units", "W m-2 sr-1"),
            "FILE: planck_function: has the units 'W m-2 sr-1', expected 'W m-2'");
  EXPECT_EQ(with("planck_function", "units", "W/m^2"), "(no parhelion::Error)");
  EXPECT_EQ(with("planck_function", "scale_factor", 0.01),
            "FILE: planck_function: is packed (attribute scale_factor), expected plain values");
  EXPECT_EQ(with("planck_function", "_FillValue", 0.5),
            "FILE: planck_function(0, 1) = 0.5, expected a number that does not stand for a missing one");
  EXPECT_EQ(refusal(true, [](auto& f) { f.variables["h2o_molar_absorption_coeff"].values[31] = 0x1.ep+122; }),
            "FILE: h2o_molar_absorption_coeff(1, 0, 0, 1) = 9.969209968386869e+36, expected a number that does not "
            "stand for a missing one");
}

// The netCDF library reads zeros where a file has been cut off.
TEST(EcckdFiles, TruncatedClassicFilesAreRefused) {
  PARHELION_REQUIRE_DATA(path, "ecckd/original/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc");
  if (!io::can_read_netcdf()) return;
  std::ifstream stream(path, std::ios::binary);
  std::string const bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::string const cut = scratch_folder() + "/cut.nc";
  for (std::size_t const missing : {std::size_t(16), std::size_t(100000), bytes.size() - 400}) {
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() - missing);
    auto const message = message_of([&] { io::read_ecckd_definition(cut); });
    EXPECT_EQ(message.rfind(cut + (missing < 200000 ? ": truncated: has " : ": "), 0), 0U) << message;
    EXPECT_NE(message, "(no parhelion::Error)");
  }
}

// The five definitions as distributed, and the same in netCDF-4.
TEST(EcckdFiles, BothFormatsHoldTheSame) {
  for (std::string const name :
       {"ecckd-1.0_lw_climate_fsck-32b", "ecckd-1.0_sw_climate_rgb-32b", "ecckd-1.2_sw_climate_window-64b",
        "ecckd-1.4_sw_climate_rgb-32b", "ecckd-1.4_sw_climate_vfine-96b"}) {
    PARHELION_REQUIRE_DATA(converted, "ecckd/" + name + "_ckd-definition.nc");
    PARHELION_REQUIRE_DATA(original, "ecckd/original/" + name + "_ckd-definition.nc");
    auto const a = io::read_ecckd_definition(converted);
    EXPECT_EQ(a.is_longwave, name.find("_lw_") != std::string::npos);
    EXPECT_EQ(a.ngpoint(), std::stoi(name.substr(name.size() - 3)));
    EXPECT_EQ(io::coefficient_kind(converted), io::CoefficientKind::ecckd);
    if (!io::can_read_netcdf()) {
      EXPECT_NE(message_of([&] { io::read_ecckd_definition(original); }).find("nccopy -k nc4"), std::string::npos);
      continue;
    }
    EXPECT_EQ(io::coefficient_kind(original), io::CoefficientKind::ecckd);
    auto const b = io::read_ecckd_definition(original);
    EXPECT_EQ(a.is_longwave, b.is_longwave);
    EXPECT_EQ(a.pressure, b.pressure);
    EXPECT_EQ(a.temperature, b.temperature);
    EXPECT_EQ(a.temperature_planck, b.temperature_planck);
    EXPECT_EQ(a.planck_function, b.planck_function);
    EXPECT_EQ(a.solar_irradiance, b.solar_irradiance);
    EXPECT_EQ(a.rayleigh_molar_scattering, b.rayleigh_molar_scattering);
    EXPECT_EQ(a.wavenumber1, b.wavenumber1);
    EXPECT_EQ(a.wavenumber2, b.wavenumber2);
    EXPECT_EQ(a.gpoint_fraction, b.gpoint_fraction);
    EXPECT_EQ(a.band_number, b.band_number);
    EXPECT_EQ(a.wavenumber1_band, b.wavenumber1_band);
    EXPECT_EQ(a.wavenumber2_band, b.wavenumber2_band);
    EXPECT_EQ(a.solar_spectral_irradiance, b.solar_spectral_irradiance);
    EXPECT_EQ(a.solar_spectral_irradiance.empty(), name.find("1.4") == std::string::npos);
    ASSERT_EQ(a.gases.size(), b.gases.size());
    for (std::size_t i = 0; i < a.gases.size(); ++i) {
      EXPECT_EQ(a.gases[i].name, b.gases[i].name);
      EXPECT_EQ(a.gases[i].dependence, b.gases[i].dependence);
      EXPECT_EQ(a.gases[i].mole_fraction, b.gases[i].mole_fraction);
      EXPECT_EQ(a.gases[i].reference_mole_fraction, b.gases[i].reference_mole_fraction);
      EXPECT_EQ(a.gases[i].molar_absorption, b.gases[i].molar_absorption);
    }
  }
}

TEST(CoefficientKind, IsToldFromTheContent) {
  EXPECT_EQ(io::coefficient_kind(DefinitionFile(true).write()), io::CoefficientKind::ecckd);
  DefinitionFile file(true);
  file.attributes.clear();
  auto const netcdf = file.write();
  EXPECT_NE(message_of([&] { io::coefficient_kind(netcdf); }).find("has neither the attribute constituent_id"),
            std::string::npos);
  file.variables["gas_names"] = {{}, {1}};
  file.variables["kmajor"] = {{}, {1}};
  EXPECT_EQ(io::coefficient_kind(file.write()), io::CoefficientKind::rrtmgp);

  std::string const path = scratch_folder() + "/records";
  auto const kind_of = [&](std::string const& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return io::coefficient_kind(path);
  };
  EXPECT_EQ(kind_of(std::string("\0\0\xb1\0....", 8)), io::CoefficientKind::rrtmg_lw);
  EXPECT_EQ(kind_of(std::string("\0\0\x58\x80....", 8)), io::CoefficientKind::rrtmg_lw);
  EXPECT_EQ(kind_of(std::string("\0\1\xa1\x14....", 8)), io::CoefficientKind::rrtmg_sw);
  EXPECT_EQ(kind_of(std::string("\0\0\xd0\x8c....", 8)), io::CoefficientKind::rrtmg_sw);
  for (std::string const bytes : {"", "abc", "some text", "CDF\7more"})
    EXPECT_NE(message_of([&] { kind_of(bytes); }).find("is neither netCDF nor begins with a record of RRTMG"),
              std::string::npos)
        << bytes;
  EXPECT_EQ(message_of([&] { io::coefficient_kind(path + "none"); }), path + "none: no such file");
  EXPECT_NE(message_of([&] { io::coefficient_kind(scratch_folder()); }).find("is a folder"), std::string::npos);
}

TEST(CoefficientKind, OfDistributedFiles) {
  PARHELION_REQUIRE_DATA(longwave, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  PARHELION_REQUIRE_DATA(shortwave, "rrtmg_lw/RRTMG_SW_DATA.DBL");
  PARHELION_REQUIRE_DATA(rrtmgp, "rrtmgp/synthetic-gas-sw-g112.nc");
  EXPECT_EQ(io::coefficient_kind(longwave), io::CoefficientKind::rrtmg_lw);
  EXPECT_EQ(io::coefficient_kind(shortwave), io::CoefficientKind::rrtmg_sw);
  EXPECT_EQ(io::coefficient_kind(rrtmgp), io::CoefficientKind::rrtmgp);
}

}  // namespace
