// SPDX-License-Identifier: BSD-3-Clause
// Files of cloud and aerosol optics of RRTMGP, made up and damaged.
#include <parhelion/io/rrtmgp_cloud_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

std::vector<double> ramp(std::size_t n, double first, double last) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = first + (last - first) * double(i) / double(n);
  return values;
}

Variable variable(std::vector<std::size_t> const& shape, double first, double last, std::string const& units) {
  std::size_t n = 1;
  for (auto const extent : shape) n *= extent;
  return {shape, ramp(n, first, last), {{"units", units}}};
}

Variable scalar(double value) { return {{}, {value}, {{"units", "microns"}}}; }

/// Two bands, 3 sizes of droplets, 4 of ice, one roughness.
SyntheticFile clouds_by_band(std::size_t npoint = 2) {
  SyntheticFile file;
  file.variables = {{"bnd_limits_wavenumber", {{2, 2}, {100, 300, 300, 500}, {{"units", "cm-1"}}}},
                    {"radliq_lwr", scalar(2.5)},
                    {"radliq_upr", scalar(22.5)},
                    {"diamice_lwr", scalar(10)},
                    {"diamice_upr", scalar(130)},
                    {"extliq", variable({npoint, 3}, 0.1, 0.7, "m2/g")},
                    {"ssaliq", variable({npoint, 3}, 0.2, 0.9, "unitless")},
                    {"asyliq", variable({npoint, 3}, -0.1, 0.9, "unitless")},
                    {"extice", variable({1, npoint, 4}, 0.2, 0.8, "m2/g")},
                    {"ssaice", variable({1, npoint, 4}, 0.1, 0.9, "unitless")},
                    {"asyice", variable({1, npoint, 4}, 0.1, 0.95, "unitless")}};
  return file;
}

/// The same with 1 and 4 g-points.
SyntheticFile clouds_by_gpoint() {
  auto file = clouds_by_band(5);
  file.variables["bnd_limits_gpt"] = {.shape = {2, 2}, .values = {1, 1, 2, 5}, .stored = Stored::int32};
  return file;
}

/// Two bands, 3 bins, 4 humidities.
SyntheticFile aerosol_file_of_merra() {
  std::string const units = "extinction: m2/kg; ssa, g: unitless";
  SyntheticFile file;
  file.variables = {
      {"bnd_limits_wavenumber", {{2, 2}, {100, 300, 300, 500}, {{"units", "cm-1"}}}},
      {"merra_aero_bin_lims", {{3, 2}, {0.1, 1, 1, 3, 3, 10}, {{"units", "microns"}}}},
      {"aero_rh", {{4}, {0, 0.4, 0.8, 0.9}, {{"units", "fraction"}}}},
      {"aero_dust_tbl", variable({2, 3, 3}, 0.1, 0.9, units)},
      {"aero_salt_tbl", variable({2, 3, 4, 3}, 0.11, 0.9, units)},
      {"aero_sulf_tbl", variable({2, 4, 3}, 0.12, 0.9, units)},
      {"aero_bcar_rh_tbl", variable({2, 4, 3}, 0.13, 0.9, units)},
      {"aero_bcar_tbl", variable({2, 3}, 0.14, 0.9, units)},
      {"aero_ocar_rh_tbl", variable({2, 4, 3}, 0.15, 0.9, units)},
      {"aero_ocar_tbl", variable({2, 3}, 0.16, 0.9, units)},
  };
  return file;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

std::string const path_of_file = "/optics.nc";

TEST(RrtmgpCloudFiles, CloudsByBandAreRead) {
  auto file = clouds_by_band();
  auto const path = file.write(scratch_folder() + path_of_file);
  auto const optics = io::read_rrtmgp_cloud_optics(path);
  EXPECT_EQ(optics.where, path);
  EXPECT_FALSE(optics.by_gpoint());
  EXPECT_EQ(optics.npoint(), 2);
  EXPECT_EQ(optics.nroughness, 1);
  EXPECT_EQ(optics.bands.wavenumbers, file["bnd_limits_wavenumber"].values);
  EXPECT_EQ(optics.liquid.nsize, 3);
  EXPECT_EQ(optics.ice.nsize, 4);
  EXPECT_DOUBLE_EQ(optics.liquid.smallest, 2.5e-6);
  EXPECT_DOUBLE_EQ(optics.liquid.largest, 22.5e-6);
  EXPECT_DOUBLE_EQ(optics.ice.smallest, 10e-6);
  EXPECT_DOUBLE_EQ(optics.ice.largest, 130e-6);
  EXPECT_EQ(optics.liquid.extinction, scaled(file["extliq"].values, 1e3));
  EXPECT_EQ(optics.liquid.single_scattering, file["ssaliq"].values);
  EXPECT_EQ(optics.liquid.asymmetry, file["asyliq"].values);
  EXPECT_EQ(optics.ice.extinction, scaled(file["extice"].values, 1e3));
  EXPECT_EQ(optics.ice.single_scattering, file["ssaice"].values);
  EXPECT_EQ(optics.ice.asymmetry, file["asyice"].values);
}

TEST(RrtmgpCloudFiles, CloudsByGPointAreRead) {
  auto file = clouds_by_gpoint();
  file["radliq_lwr"].shape = {1};  // as scalars are written by some
  auto const optics = io::read_rrtmgp_cloud_optics(file.write(scratch_folder() + path_of_file));
  EXPECT_TRUE(optics.by_gpoint());
  EXPECT_EQ(optics.npoint(), 5);
  EXPECT_EQ(optics.bands.gpoints, (std::vector<int>{1, 1, 2, 5}));
  EXPECT_DOUBLE_EQ(optics.liquid.smallest, 2.5e-6);
  EXPECT_EQ(optics.ice.extinction, scaled(file["extice"].values, 1e3));
}

TEST(RrtmgpCloudFiles, AerosolIsRead) {
  auto file = aerosol_file_of_merra();
  auto const path = file.write(scratch_folder() + path_of_file);
  auto const optics = io::read_rrtmgp_aerosol_optics(path);
  EXPECT_EQ(optics.where, path);
  EXPECT_EQ(optics.nband(), 2);
  EXPECT_EQ(optics.nbin(), 3);
  EXPECT_EQ(optics.nhumidity(), 4);
  EXPECT_EQ(optics.bin_limits, scaled(file["merra_aero_bin_lims"].values, 1e-6));
  EXPECT_EQ(optics.humidity, file["aero_rh"].values);
  EXPECT_EQ(optics.dust, file["aero_dust_tbl"].values);
  EXPECT_EQ(optics.sea_salt, file["aero_salt_tbl"].values);
  EXPECT_EQ(optics.sulfate, file["aero_sulf_tbl"].values);
  EXPECT_EQ(optics.black_carbon_hydrophilic, file["aero_bcar_rh_tbl"].values);
  EXPECT_EQ(optics.black_carbon_hydrophobic, file["aero_bcar_tbl"].values);
  EXPECT_EQ(optics.organic_carbon_hydrophilic, file["aero_ocar_rh_tbl"].values);
  EXPECT_EQ(optics.organic_carbon_hydrophobic, file["aero_ocar_tbl"].values);
}

struct Damage {
  std::function<void(SyntheticFile&)> how;
  std::string message;
};

template <class Read>
void expect_refused(SyntheticFile const& good, Read const& read, std::vector<Damage> const& cases) {
  for (auto const& [how, message] : cases) {
    SyntheticFile file = good;
    how(file);
    auto const path = file.write(scratch_folder() + path_of_file);
    EXPECT_EQ(message_of([&] { read(path); }), path + ": " + message);
  }
}

TEST(RrtmgpCloudFiles, DamagedCloudOpticsAreRefused) {
  std::vector<Damage> cases{
      {[](auto& f) { f.remove("bnd_limits_wavenumber"); },
       "there is no variable bnd_limits_wavenumber, expected a file of cloud optics of RRTMGP"},
      {[](auto& f) { f["bnd_limits_wavenumber"] = variable({4}, 1, 2, "cm-1"); },
       "bnd_limits_wavenumber has shape (4), expected 2 dimensions"},
      {[](auto& f) {
         f["bnd_limits_wavenumber"] = variable({2, 3}, 1, 2, "cm-1");
       },
       "bnd_limits_wavenumber has shape (2, 3), expected (2, 2)"},
      {[](auto& f) { f["bnd_limits_wavenumber"].text_attributes["units"] = "m-1"; },
       "bnd_limits_wavenumber: has the units 'm-1', expected 'cm-1'"},
      {[](auto& f) { f.remove("bnd_limits_gpt"); },
       "there is no variable bnd_limits_gpt, expected it where tables have other entries than the bands"},
      {[](auto& f) { f["bnd_limits_gpt"].values[3] = 4; },
       "bnd_limits_gpt(1, 1) = 4, expected 5, the last g-point of extliq"},
      {[](auto& f) { f["bnd_limits_gpt"].values[1] = 2; }, "bnd_limits_gpt(1, 0) = 2, expected 3, the next g-point"},
      {[](auto& f) {
         f["bnd_limits_gpt"].stored = Stored::float64;
         f["bnd_limits_gpt"].values[2] = 1.5;
       },
       "bnd_limits_gpt(1, 0) = 1.5, expected a whole number"},
      {[](auto& f) { f["radliq_lwr"] = variable({2}, 1, 2, "microns"); },
       "radliq_lwr has shape (2), expected 0 dimensions"},
      {[](auto& f) { f["diamice_upr"].text_attributes["units"] = "m"; },
       "diamice_upr: has the units 'm', expected 'um'"},
      {[](auto& f) { f["diamice_upr"].values = {5}; },
       "diamice_upr = 5e-06 m, expected more than the 1e-05 m of diamice_lwr"},
      {[](auto& f) { f["extliq"].text_attributes["units"] = "m2/kg"; },
       "extliq: has the units 'm2/kg', expected 'm2 g-1'"},
      {[](auto& f) { f["extice"].values[3] = -0.5; },
       "extice(0, 0, 3) = -500 m2 kg-1, expected a number of at least 0"},
      {[](auto& f) { f["ssaliq"].values[4] = 1.01; }, "ssaliq(1, 1) = 1.01, expected 0 to 1"},
      {[](auto& f) { f["asyice"].values[0] = std::nan(""); }, "asyice(0, 0, 0) = nan, expected -1 to 1"}};
  for (auto const* name : {"extliq", "ssaliq", "asyliq"})
    cases.push_back({[=](auto& f) { f.remove(name); },
                     std::string("there is no variable ") + name + ", expected a file of cloud optics of RRTMGP"});
  for (auto const* name : {"ssaliq", "asyliq"})
    cases.push_back({[=](auto& f) {
                       f[name] = variable({5, 4}, 0, 0.5, "");
                     },
                     std::string(name) + " has shape (5, 4), expected (5, 3)"});
  for (auto const* name : {"extice", "ssaice", "asyice"})
    cases.push_back({[=](auto& f) {
                       f[name] = variable({5, 4}, 0, 0.5, "");
                     },
                     std::string(name) + " has shape (5, 4), expected 3 dimensions"});
  for (auto const* name : {"ssaice", "asyice"})
    cases.push_back({[=](auto& f) {
                       f[name] = variable({2, 5, 4}, 0, 0.5, "");
                     },
                     std::string(name) + " has shape (2, 5, 4), expected (1, 5, 4)"});
  for (auto const* name : {"radliq_lwr", "radliq_upr", "diamice_lwr", "diamice_upr"})
    cases.push_back({[=](auto& f) { f.remove(name); },
                     std::string("there is no variable ") + name + ", expected a file of cloud optics of RRTMGP"});
  expect_refused(clouds_by_gpoint(), io::read_rrtmgp_cloud_optics, cases);
}

TEST(RrtmgpCloudFiles, DamagedAerosolOpticsAreRefused) {
  std::vector<Damage> cases{
      {[](auto& f) {
         f["aero_salt_tbl"] = variable({2, 3, 3}, 0, 0.5, "");
       },
       "aero_salt_tbl has shape (2, 3, 3), expected 4 dimensions"},
      {[](auto& f) {
         f["aero_salt_tbl"] = variable({2, 3, 4, 2}, 0, 0.5, "");
       },
       "aero_salt_tbl has shape (2, 3, 4, 2), expected (2, 3, 4, 3)"},
      {[](auto& f) { f["aero_rh"] = variable({3}, 0, 0.5, ""); }, "aero_rh has shape (3), expected (4)"},
      {[](auto& f) { f["aero_rh"].values[2] = 0.4; }, "aero_rh(2) = 0.4, expected more than the 0.4 before it"},
      {[](auto& f) {
         f["merra_aero_bin_lims"] = variable({2, 2}, 0, 0.5, "");
       },
       "merra_aero_bin_lims has shape (2, 2), expected (3, 2)"},
      {[](auto& f) { f["merra_aero_bin_lims"].text_attributes["units"] = "m"; },
       "merra_aero_bin_lims: has the units 'm', expected 'um'"},
      {[](auto& f) { f["merra_aero_bin_lims"].values[2] = 1.1; },
       "merra_aero_bin_lims(1, 0) = 1.1e-06 m, expected 1e-06 m, where the bin before it ends"},
      {[](auto& f) {
         f["aero_dust_tbl"] = variable({2, 4, 3}, 0, 0.5, "");
       },
       "aero_dust_tbl has shape (2, 4, 3), expected (2, 3, 3)"},
      {[](auto& f) { f["aero_sulf_tbl"].values[1] = 2; }, "aero_sulf_tbl(0, 0, 1) = 2, expected 0 to 1"},
      {[](auto& f) {
         f["aero_bcar_tbl"] = variable({3, 3}, 0, 0.5, "");
       },
       "aero_bcar_tbl has shape (3, 3), expected (2, 3)"}};
  for (auto const& [name, unused] : aerosol_file_of_merra().variables)
    cases.push_back({[=, which = name](auto& f) { f.remove(which); },
                     "there is no variable " + name + ", expected a file of aerosol optics of RRTMGP"});
  expect_refused(aerosol_file_of_merra(), io::read_rrtmgp_aerosol_optics, cases);
}

TEST(RrtmgpCloudFiles, OtherFilesAreRefused) {
  auto const missing = scratch_folder() + "/none.nc";
  EXPECT_EQ(message_of([&] { io::read_rrtmgp_cloud_optics(missing); }), missing + ": no such file");
  EXPECT_EQ(message_of([&] { io::read_rrtmgp_aerosol_optics(missing); }), missing + ": no such file");
  auto const aerosol = aerosol_file_of_merra().write(scratch_folder() + path_of_file);
  EXPECT_EQ(message_of([&] { io::read_rrtmgp_cloud_optics(aerosol); }),
            aerosol + ": there is no variable extliq, expected a file of cloud optics of RRTMGP");
}

}  // namespace
