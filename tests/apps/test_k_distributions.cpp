// SPDX-License-Identifier: BSD-3-Clause
// `parhelion fluxes` with ecCKD and RRTMGP: the cases of the reference data, any layout with any model, and what is
// refused.
#include "../io/scattering_file.hpp"
#include "column_file.hpp"
#include "program.hpp"
#include "testing.hpp"

#include <parhelion/fluxes/ecckd/definition.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/netcdf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

// Variables of a result and of a file of reference fluxes.
using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Runs {
  std::string folder = scratch_folder();

  std::string result() const { return folder + "/out.nc"; }

  io::Hdf5File solve(std::string const& input, std::string const& options) const {
    auto const outcome = run("fluxes " + quoted(input) + " " + options + " -o " + quoted(result()));
    if (outcome.code != 0) throw std::runtime_error(outcome.output);
    return io::Hdf5File(result());
  }

  void refuse(std::string const& input, std::string const& options, std::string const& message,
              std::string const& environment = "env -u PARHELION_DATA") const {
    expect_refused("fluxes", folder, quoted(input) + " -o " + quoted(folder + "/refused.nc") + " " + options, message,
                   environment);
  }
};

// The largest difference in the columns for which `counts(column)`.
template <class Counts>
double difference(io::Hdf5File const& result, std::string const& name, io::Hdf5File const& reference,
                  std::string const& of_reference, Counts const& counts) {
  auto const found = result.read(name), expected = reference.read(of_reference);
  if (result.shape(name) != reference.shape(of_reference)) throw std::runtime_error(name + ": other extents");
  std::size_t const row = found.size() / result.shape(name)[0];
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (counts(i / row)) largest = std::max(largest, std::abs(found[i] - expected[i]));
  return largest;
}

void expect_near(io::Hdf5File const& result, io::Hdf5File const& reference, Pairs const& names, double tolerance) {
  for (auto const& [name, of_reference] : names)
    EXPECT_LE(difference(result, name, reference, of_reference, [](std::size_t) { return true; }), tolerance)
        << of_reference;
}

std::string coefficients(std::string const& file) { return " --coefficients " + quoted(file); }

// Mean and root mean square of the differences of values that are `step` apart.
struct Statistics {
  double mean = 0, rms = 0;
};

Statistics statistics(std::vector<double> const& values, std::vector<double> const& expected, std::size_t first,
                      std::size_t step, std::size_t first_expected, std::size_t step_expected) {
  Statistics result;
  std::size_t const n = (values.size() - first + step - 1) / step;
  for (std::size_t i = 0; i < n; ++i) {
    double const d = values[first + i * step] - expected[first_expected + i * step_expected];
    result.mean += d / static_cast<double>(n);
    result.rms += d * d / static_cast<double>(n);
  }
  result.rms = std::sqrt(result.rms);
  return result;
}

std::string const lw_definition = "ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc";
std::string const sw_definition = "ecckd/ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc";

#define PARHELION_REQUIRE_ECCKD(lw, sw)             \
  PARHELION_REQUIRE_DATA(lw##_data, lw_definition); \
  PARHELION_REQUIRE_DATA(sw##_data, sw_definition); \
  std::string const lw = coefficients(lw##_data), sw = coefficients(sw##_data)

#define PARHELION_REQUIRE_RRTMGP(lw, sw)                                \
  PARHELION_REQUIRE_DATA(lw##_data, "rrtmgp/synthetic-gas-lw-g128.nc"); \
  PARHELION_REQUIRE_DATA(sw##_data, "rrtmgp/synthetic-gas-sw-g112.nc"); \
  std::string const lw = coefficients(lw##_data), sw = coefficients(sw##_data)

// A file in the column layout with what all models need.
ColumnFile column_file() {
  ColumnFile file;
  file.add_gases();
  file.extra["o2vmr"].values.assign(file.ncol * file.nlay, 0.21);
  file.extra["o3vmr"].values.assign(file.ncol * file.nlay, 1e-6);
  file.extra["ch4vmr"].values.assign(file.ncol * file.nlay, 1.8e-6);
  file.extra["n2ovmr"].values.assign(file.ncol * file.nlay, 3.2e-7);
  file.add_sun();
  return file;
}

}  // namespace

// --- ecCKD ---

TEST(Ecckd, ClearSkyOfTheReference) {
  PARHELION_REQUIRE_DATA(input, "ecckd/case_clear_a.nc");
  io::Hdf5File const reference(input);
  Runs const runs;
  constexpr std::size_t conservative = 37;  // without greenhouse gases, over an albedo of 1
  // As distributed, in netCDF-3, and converted to netCDF-4.
  for (std::string const folder : {"ecckd/", "ecckd/original/"}) {
    PARHELION_REQUIRE_DATA(longwave, folder + "ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc");
    if (folder != "ecckd/" && !io::can_read_netcdf()) {
      runs.refuse(input, "--gas-optics ecckd" + coefficients(longwave), "nccopy");
      continue;
    }
    auto const result = runs.solve(input, "--derivative" + coefficients(longwave));
    expect_near(result, reference, {{"flux_up", "lw_fsck32_flux_up"}, {"flux_dn", "lw_fsck32_flux_dn"}}, 1e-10);
    expect_near(result, reference, {{"lw_derivative", "lw_fsck32_derivative"}}, 1e-12);
    EXPECT_EQ(result.text_attribute("", "gas_optics"), "ecckd");
    EXPECT_EQ(
        result.text_attribute("", "beyond_tables"),
        "70 of temperatures of layers, 63 of temperatures of levels and the surface, 73 of mole fractions of h2o");
    for (auto const& [file, model] : {std::pair("ecckd-1.4_sw_climate_rgb-32b", "sw_rgb32"),
                                      std::pair("ecckd-1.2_sw_climate_window-64b", "sw_window64")}) {
      PARHELION_REQUIRE_DATA(shortwave, folder + file + "_ckd-definition.nc");
      auto const of_sun = runs.solve(input, "--shortwave" + coefficients(shortwave));
      for (auto const& [name, of_reference] :
           Pairs{{"sw_flux_up", "_flux_up"}, {"sw_flux_dn", "_flux_dn"}, {"sw_flux_dn_direct", "_flux_dn_direct"}}) {
        // Where there is OpenMP, clang 16 lets no lambda capture structured bindings themselves.
        auto const largest = [&, ours = name, theirs = model + of_reference](bool of_one) {
          return difference(of_sun, ours, reference, theirs,
                            [&](std::size_t column) { return (column == conservative) == of_one; });
        };
        EXPECT_LE(largest(false), 1e-9) << model << of_reference;
        EXPECT_LE(largest(true), 1e-6) << model << of_reference;
      }
    }
  }
}

TEST(Ecckd, FloatsAreAsGoodAsDoubles) {
  PARHELION_REQUIRE_DATA(input, "ecckd/case_clear_a.nc");
  PARHELION_REQUIRE_ECCKD(lw, sw);
  Runs const runs, of_floats;
  std::string const options = "--longwave --shortwave" + lw + sw;
  auto const doubles = runs.solve(input, options), floats = of_floats.solve(input, options + " --real float");
  expect_near(floats, doubles, {{"flux_up", "flux_up"}, {"flux_dn", "flux_dn"}}, 0.02);
  expect_near(floats, doubles, {{"sw_flux_up", "sw_flux_up"}, {"sw_flux_dn", "sw_flux_dn"}}, 0.05);
}

TEST(Ecckd, LineByLineFluxesOfCkdmip) {
  PARHELION_REQUIRE_DATA(input, "ecckd/ckdmip/ckdmip_evaluation1_concentrations_present_reduced.nc");
  PARHELION_REQUIRE_DATA(lw_fluxes, "ecckd/ckdmip/ckdmip_evaluation1_lw_fluxes_present_reduced.nc");
  PARHELION_REQUIRE_DATA(sw_fluxes, "ecckd/ckdmip/ckdmip_evaluation1_sw_fluxes_present_reduced.nc");
  PARHELION_REQUIRE_ECCKD(lw, sw);
  Runs const runs;
  io::Hdf5File const truth(lw_fluxes), truth_of_sun(sw_fluxes);
  auto const result = runs.solve(input, lw);
  std::size_t const nlev = result.shape("flux_up")[1];
  auto const up = statistics(result.read("flux_up"), truth.read("flux_up_lw"), 0, nlev, 0, nlev);
  EXPECT_NEAR(up.mean, -0.01, 0.005);
  EXPECT_NEAR(up.rms, 0.14, 0.005);
  auto const dn = statistics(result.read("flux_dn"), truth.read("flux_dn_lw"), nlev - 1, nlev, nlev - 1, nlev);
  EXPECT_NEAR(dn.mean, -0.03, 0.005);
  EXPECT_NEAR(dn.rms, 0.42, 0.005);

  std::size_t const nmu = truth_of_sun.shape("flux_up_sw")[1];
  auto const cosines = truth_of_sun.read("mu0");
  for (std::size_t i = 0; i < nmu; i += 2) {
    auto const of_sun = runs.solve(input, fmt::format("--shortwave --albedo 0.15 --mu0 {:.1f}{}", cosines[i], sw));
    auto const reflected =
        statistics(of_sun.read("sw_flux_up"), truth_of_sun.read("flux_up_sw"), 0, nlev, i * nlev, nmu * nlev);
    auto const arriving = statistics(of_sun.read("sw_flux_dn"), truth_of_sun.read("flux_dn_sw"), nlev - 1, nlev,
                                     i * nlev + nlev - 1, nmu * nlev);
    EXPECT_LE(reflected.rms, 0.55) << cosines[i];
    EXPECT_LE(arriving.rms, 0.45) << cosines[i];
  }
  runs.refuse(input, "--shortwave --mu0 0.5" + sw, "sw_albedo: missing");
}

TEST(Ecckd, GasesThatAFileLacks) {
  PARHELION_REQUIRE_ECCKD(lw, sw);
  Runs const runs;
  std::string const without = runs.folder + "/without.nc", completed = runs.folder + "/completed.nc";
  auto file = column_file();
  file.extra["ch4vmr"].values.assign(file.ncol * file.nlay, 1.921e-6);
  file.write(runs.folder + "/in.nc");
  file.extra.erase("ch4vmr");
  file.write(without);
  auto const given = runs.solve(runs.folder + "/in.nc", lw);
  auto const outcome = run("fluxes " + quoted(without) + lw + " -o " + quoted(completed));
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("gases that the file does not have, as in the coefficients: ch4 = 1.921e-06"),
            std::string::npos)
      << outcome.output;
  io::Hdf5File const result(completed);
  EXPECT_EQ(result.text_attribute("", "gases_of_coefficients"), "ch4 = 1.921e-06");
  expect_near(result, given, {{"flux_up", "flux_up"}}, 1e-4);  // the file has single precision
  file.extra.erase("o3vmr");
  file.write(runs.folder + "/in.nc");
  runs.refuse(runs.folder + "/in.nc", lw, "o3vmr: missing: the gas optics need this gas");
}

// A definition as a file.
void write_definition(fluxes::ecckd::Definition const& d, std::string const& path) {
  io::NetcdfWriter file(path);
  auto const size = [](int n) { return static_cast<std::size_t>(n); };
  file.dimension("np", size(d.npressure()));
  file.dimension("nt", size(d.ntemperature()));
  file.dimension("g_point", size(d.ngpoint()));
  file.dimension("interval", size(d.ninterval()));
  file.dimension("band", size(d.nband()));
  std::string names;
  for (auto const& gas : d.gases) {
    names += (names.empty() ? "" : " ") + gas.name;
    std::vector<std::string> dimensions{"nt", "np", "g_point"};
    if (!gas.mole_fraction.empty()) {
      file.dimension("n_" + gas.name, gas.mole_fraction.size());
      file.variable(gas.name + "_mole_fraction", {"n_" + gas.name}, gas.mole_fraction, {});
      dimensions.insert(dimensions.begin(), "n_" + gas.name);
    }
    file.variable(gas.name + "_conc_dependence_code", {}, std::vector<double>{static_cast<double>(gas.dependence)}, {});
    file.variable(gas.name + "_reference_mole_fraction", {}, std::vector<double>{gas.reference_mole_fraction}, {});
    file.variable(gas.name + "_molar_absorption_coeff", dimensions, gas.molar_absorption, {});
  }
  file.attributes({{"constituent_id", names}});
  file.variable("n_gases", {}, std::vector<double>{static_cast<double>(d.gases.size())}, {});
  file.variable("pressure", {"np"}, d.pressure, {});
  file.variable("temperature", {"nt", "np"}, d.temperature, {});
  file.variable("band_number", {"g_point"}, std::vector<double>(d.band_number.begin(), d.band_number.end()), {});
  file.variable("wavenumber1", {"interval"}, d.wavenumber1, {});
  file.variable("wavenumber2", {"interval"}, d.wavenumber2, {});
  file.variable("gpoint_fraction", {"g_point", "interval"}, d.gpoint_fraction, {});
  file.variable("wavenumber1_band", {"band"}, d.wavenumber1_band, {});
  file.variable("wavenumber2_band", {"band"}, d.wavenumber2_band, {});
  file.variable("solar_irradiance", {"g_point"}, d.solar_irradiance, {});
  file.variable("rayleigh_molar_scattering_coeff", {"g_point"}, d.rayleigh_molar_scattering, {});
  file.commit();
}

// A gas that the file does not have is in each range what the definition of that range says.
TEST(Ecckd, RangesHaveReferencesOfTheirOwn) {
  PARHELION_REQUIRE_ECCKD(lw, sw);
  Runs const runs, alone;
  auto file = column_file();
  file.extra.erase("ch4vmr");
  file.write(runs.folder + "/in.nc");
  auto definition = io::read_ecckd_definition(sw_data);
  for (auto& gas : definition.gases)
    if (gas.name == "ch4") gas.reference_mole_fraction = 5e-6;
  std::string const other = runs.folder + "/other_sw.nc";
  write_definition(definition, other);
  auto const both = runs.solve(runs.folder + "/in.nc", "--longwave --shortwave" + lw + coefficients(other));
  EXPECT_EQ(both.text_attribute("", "gases_of_coefficients"), "ch4 = 1.921e-06 (longwave), ch4 = 5e-06 (shortwave)");
  expect_near(alone.solve(runs.folder + "/in.nc", lw), both, {{"flux_up", "flux_up"}, {"flux_dn", "flux_dn"}}, 0);
  expect_near(alone.solve(runs.folder + "/in.nc", "--shortwave" + coefficients(other)), both,
              {{"sw_flux_up", "sw_flux_up"}, {"sw_flux_dn", "sw_flux_dn"}}, 0);
}

TEST(Ecckd, CloudsWithScatteringFiles) {
  PARHELION_REQUIRE_ECCKD(lw, sw);
  Runs const runs, of_rte;
  auto file = column_file();
  file.add_layer_clouds(1);
  for (std::string const flag : {"iceflglw", "iceflgsw"}) file.extra[flag] = {{}, "1", {2}};
  std::string const input = runs.folder + "/in.nc", both = "--longwave --shortwave" + lw + sw;
  file.write(input);
  runs.refuse(input, both, "has clouds, which ecckd needs scattering files for (--droplet-scattering");
  std::string const droplets = runs.folder + "/droplets.nc", ice = runs.folder + "/ice.nc";
  write_scattering(droplets, 150);
  write_scattering(ice, 60);
  std::string const optics = " --droplet-scattering " + quoted(droplets) + " --ice-scattering " + quoted(ice);
  auto const result = runs.solve(input, both + optics);
  auto const dn = result.read("flux_dn"), dn_clear = result.read("flux_dn_clear"), up = result.read("sw_flux_up"),
             up_clear = result.read("sw_flux_up_clear");
  EXPECT_GT(dn[0], dn_clear[0] + 5.);
  EXPECT_GT(up[file.nlay], up_clear[file.nlay] + 5.);
  EXPECT_EQ(result.text_attribute("", "cloud_optics"), droplets + ", " + ice);
  EXPECT_EQ(result.text_attribute("", "cloud_averaging"), "thick");
  EXPECT_FALSE(result.text_attribute("", "ice_roughness"));
  auto const thin = of_rte.solve(input, both + optics + " --cloud-averaging thin");
  EXPECT_GT(largest_difference(thin.read("sw_flux_up"), result.read("sw_flux_up")), 1e-4);
  // Sizes are limited to the files', never refused; generalised effective sizes are none of them.
  file.extra["rel"].values.assign(file.ncol * file.nlay, 62.);
  file.write(input);
  auto const largest = runs.solve(input, lw + optics).read("flux_dn");
  file.extra["rel"].values.assign(file.ncol * file.nlay, 900.);
  file.write(input);
  EXPECT_EQ(largest_difference(runs.solve(input, lw + optics).read("flux_dn"), largest), 0);
  file.extra["iceflglw"] = {{}, "1", {3}};
  file.write(input);
  runs.refuse(input, lw + optics, "rei is a generalised effective size, expected an effective radius (0, 1 or 2)");
}

// Emissivities and albedos of intervals of wavenumber.
TEST(Ecckd, SurfacesOfIntervals) {
  PARHELION_REQUIRE_ECCKD(lw, sw);
  PARHELION_REQUIRE_DATA(path, "ecckd/case_clear_a.nc");
  io::Hdf5File const source(path);
  auto const shape = source.shape("h2o_mole_fraction");
  std::size_t const ncol = shape[0], nlay = shape[1];
  Runs const runs, of_one;
  // The same emissivity in three intervals is one emissivity; an albedo differs.
  auto const write = [&](std::string const& to, bool intervals) {
    io::NetcdfWriter file(to);
    file.dimension("column", ncol);
    file.dimension("half_level", nlay + 1);
    file.dimension("level", nlay);
    file.dimension("interval", 3);
    file.dimension("bound", 2);
    file.variable("pressure_hl", {"column", "half_level"}, source.read("pressure_hl"), {{"units", "Pa"}});
    file.variable("temperature_hl", {"column", "half_level"}, source.read("temperature_hl"), {{"units", "K"}});
    for (std::string const gas : {"h2o", "o3", "co2", "ch4", "n2o", "cfc11", "cfc12"})
      file.variable(gas + "_mole_fraction", {"column", "level"}, source.read(gas + "_mole_fraction"), {{"units", "1"}});
    auto const surface = [&](std::string const& name, double first, double second, double third) {
      std::vector<double> values;
      for (std::size_t c = 0; c < ncol; ++c) {
        values.push_back(first);
        if (intervals) values.insert(values.end(), {second, third});
      }
      file.variable(name,
                    intervals ? std::vector<std::string>{"column", "interval"} : std::vector<std::string>{"column"},
                    values, {{"units", "1"}});
    };
    surface("lw_emissivity", 1, 1, 1);
    surface("sw_albedo", 0.3, 0.3, intervals ? 0.1 : 0.3);
    if (intervals) {
      file.variable("lw_emissivity_bound", {"bound"}, std::vector<double>{800, 1200}, {{"units", "cm-1"}});
      file.variable("sw_albedo_bound", {"bound"}, std::vector<double>{5000, 14000}, {{"units", "cm-1"}});
    }
    file.commit();
  };
  write(runs.folder + "/in.nc", true);
  write(of_one.folder + "/one.nc", false);
  std::string const options = "--longwave --shortwave --mu0 0.5" + lw + sw + " --out-of-range extrapolate";
  auto const a = runs.solve(runs.folder + "/in.nc", options), b = of_one.solve(of_one.folder + "/one.nc", options);
  expect_near(a, b, {{"flux_up", "flux_up"}, {"flux_dn", "flux_dn"}}, 1e-10);
  // Visible light sees a darker surface.
  auto const up = a.read("sw_flux_up"), up_of_one = b.read("sw_flux_up");
  EXPECT_LT(up[nlay], up_of_one[nlay] - 5.);
  PARHELION_REQUIRE_RRTMGP(of_rrtmgp, unused);
  runs.refuse(runs.folder + "/in.nc", of_rrtmgp + " --out-of-range extrapolate",
              "lw_emissivity_bound: is of intervals of the surface");
}

// Radiation that enters at the top, in any layout of columns.
TEST(KDistributions, IncidentFluxes) {
  PARHELION_REQUIRE_ECCKD(lw, sw);
  Runs const runs, without;
  auto file = column_file();
  file.write(without.folder + "/dark.nc");
  file.extra["incident_flux"] = {{"column", "lw_gpt"}, "W m-2", std::vector<double>(file.ncol * 32, 0.25)};
  file.write(runs.folder + "/in.nc");
  auto const with = runs.solve(runs.folder + "/in.nc", lw), dark = without.solve(without.folder + "/dark.nc", lw);
  auto const dn = with.read("flux_dn"), dn_dark = dark.read("flux_dn");
  EXPECT_NEAR(dn[file.nlay], 8., 1e-12);
  EXPECT_EQ(dn_dark[file.nlay], 0.);
  EXPECT_GT(dn[0], dn_dark[0]);
  runs.refuse(runs.folder + "/in.nc", "--gas-optics simple", "incident_flux");
}

// --- RRTMGP ---

TEST(Rrtmgp, ClearSkyOfTheReference) {
  PARHELION_REQUIRE_RRTMGP(lw, sw);
  Runs const runs;
  for (std::string const name : {"clear", "fewgases"}) {
    PARHELION_REQUIRE_DATA(of_longwave, "rrtmgp/case_" + name + "_a_lw.nc");
    PARHELION_REQUIRE_DATA(of_shortwave, "rrtmgp/case_" + name + "_a_sw.nc");
    io::Hdf5File const longwave(of_longwave), shortwave(of_shortwave);
    for (int n = 1; n <= 4; ++n) {
      auto const result = runs.solve(of_longwave, fmt::format("--angles {} --derivative --bands{}", n, lw));
      std::string const prefix = fmt::format("n{}_", n);
      expect_near(result, longwave, {{"flux_up", prefix + "flux_up"}, {"flux_dn", prefix + "flux_dn"}}, 1e-9);
      expect_near(result, longwave, {{"dflux_up_dt", prefix + "flux_up_jacobian"}}, 1e-11);
      if (n == 1)
        expect_near(result, longwave, {{"flux_up_band", "n1_band_flux_up"}, {"flux_dn_band", "n1_band_flux_dn"}}, 1e-9);
    }
    expect_near(runs.solve(of_longwave, "--angles optimal" + lw), longwave,
                {{"flux_up", "opt_flux_up"}, {"flux_dn", "opt_flux_dn"}}, 1e-9);
    expect_near(runs.solve(of_longwave, "--level-temperatures interpolate" + lw), longwave,
                {{"flux_up", "notlev_flux_up"}, {"flux_dn", "notlev_flux_dn"}}, 1e-9);
    expect_near(runs.solve(of_shortwave, "--shortwave --bands" + sw), shortwave,
                {{"sw_flux_up", "flux_up"},
                 {"sw_flux_dn", "flux_dn"},
                 {"sw_flux_dn_direct", "flux_dir"},
                 {"sw_flux_up_band", "band_flux_up"},
                 {"sw_flux_dn_band", "band_flux_dn"},
                 {"sw_flux_dn_direct_band", "band_flux_dir"}},
                1e-6);
  }
}

TEST(Rrtmgp, CloudsAndAerosolOfTheReference) {
  PARHELION_REQUIRE_RRTMGP(lw, sw);
  PARHELION_REQUIRE_DATA(lw_aerosol, "rrtmgp/rrtmgp-aerosols-merra-lw.nc");
  PARHELION_REQUIRE_DATA(sw_aerosol, "rrtmgp/rrtmgp-aerosols-merra-sw.nc");
  Runs const runs;
  struct Case {
    std::string name, lw_clouds, sw_clouds;
    int roughness;
  };
  for (auto const& each : {Case{"allsky", "lw-bnd", "sw-bnd", 2}, Case{"allsky_gpt", "lw-g128", "sw-g112", 3}}) {
    PARHELION_REQUIRE_DATA(of_longwave, "rrtmgp/case_" + each.name + "_a_lw.nc");
    PARHELION_REQUIRE_DATA(of_shortwave, "rrtmgp/case_" + each.name + "_a_sw.nc");
    PARHELION_REQUIRE_DATA(lw_clouds, "rrtmgp/rrtmgp-clouds-" + each.lw_clouds + ".nc");
    PARHELION_REQUIRE_DATA(sw_clouds, "rrtmgp/rrtmgp-clouds-" + each.sw_clouds + ".nc");
    io::Hdf5File const longwave(of_longwave), shortwave(of_shortwave);
    auto const optics = [&](std::string const& clouds, std::string const& aerosol) {
      return fmt::format(" --cloud-optics {} --aerosol-optics {} --ice-roughness {}", quoted(clouds), quoted(aerosol),
                         each.roughness);
    };
    struct Way {
      std::string prefix, options;
      double tolerance;
    };
    for (auto const& way :
         {Way{"abs_", "", 1e-9}, Way{"resc_", "--scattering rescaling", 1e-9},
          Way{"resc3_", "--scattering rescaling --angles 3", 1e-9}, Way{"twostr_", "--scattering two-stream", 1e-6}})
      expect_near(runs.solve(of_longwave, way.options + lw + optics(lw_clouds, lw_aerosol)), longwave,
                  {{"flux_up", way.prefix + "flux_up"}, {"flux_dn", way.prefix + "flux_dn"}}, way.tolerance);
    expect_near(runs.solve(of_shortwave, "--shortwave" + sw + optics(sw_clouds, sw_aerosol)), shortwave,
                {{"sw_flux_up", "flux_up"}, {"sw_flux_dn", "flux_dn"}, {"sw_flux_dn_direct", "flux_dir"}}, 1e-6);
    runs.refuse(of_longwave, lw, "has clouds, which rrtmgp needs cloud optics for (--cloud-optics)");
    runs.refuse(of_longwave, lw + " --cloud-optics " + quoted(lw_clouds),
                "has aerosol, which rrtmgp needs aerosol optics for (--aerosol-optics)");
    runs.refuse(of_longwave, lw + " --cloud-optics " + quoted(sw_clouds), "expected 16");
  }
}

TEST(Rrtmgp, FloatsAreAsGoodAsDoubles) {
  PARHELION_REQUIRE_RRTMGP(lw, sw);
  PARHELION_REQUIRE_DATA(of_longwave, "rrtmgp/case_clear_a_lw.nc");
  PARHELION_REQUIRE_DATA(of_shortwave, "rrtmgp/case_clear_a_sw.nc");
  Runs const runs, of_floats;
  for (auto const& [input, options, up, dn] :
       {std::tuple(of_longwave, lw, "flux_up", "flux_dn"),
        std::tuple(of_shortwave, "--shortwave" + sw, "sw_flux_up", "sw_flux_dn")})
    expect_near(of_floats.solve(input, options + " --real float"), runs.solve(input, options), {{up, up}, {dn, dn}},
                input == of_longwave ? 0.02 : 0.05);
}

// The sun of a file: indices of faculae and sunspots, and its irradiance.
TEST(Rrtmgp, SunsOfFiles) {
  PARHELION_REQUIRE_RRTMGP(lw, sw);
  Runs const runs;
  auto file = column_file();
  std::string const input = runs.folder + "/in.nc", options = "--shortwave" + sw;
  io::Hdf5File const k(sw_data);
  auto const quiet = k.read("solar_source_quiet"), facular = k.read("solar_source_facular"),
             sunspot = k.read("solar_source_sunspot");
  auto const irradiance = [&](double mg, double sb) {
    double sum = 0;
    for (std::size_t g = 0; g < quiet.size(); ++g)
      sum += quiet[g] + (mg - 0.1495954) * facular[g] + (sb - 0.00066696) * sunspot[g];
    return sum;
  };
  auto const incoming = [&] { return runs.solve(input, options).read("sw_flux_dn")[file.nlay]; };
  file.extra["isolvar"] = {{}, "1", {2}};
  file.write(input);
  runs.refuse(input, options, "indsolvar: missing: isolvar = 2 needs it");
  file.extra["indsolvar"] = {{"column", "two"}, "1", {}};
  for (std::size_t c = 0; c < file.ncol; ++c) {
    file.extra["indsolvar"].values.push_back(0.16);
    file.extra["indsolvar"].values.push_back(0.0008);
  }
  file.write(input);
  double const own = irradiance(0.16, 0.0008);
  EXPECT_NEAR(incoming(), own, 1e-9 * own);  // the sun of column 0 is in the zenith
  file.extra["indsolvar"].values[3] = 300;
  file.write(input);
  runs.refuse(input, options, "adds up to");
  file.extra["indsolvar"].values[3] = 0.0008;
  file.extra["scon"] = {{}, "W m-2", {1200}};
  file.extra["adjes"] = {{}, "1", {1.02}};
  file.write(input);
  EXPECT_NEAR(incoming(), 1.02 * 1200, 1e-9);
  file.extra["isolvar"] = {{}, "1", {1}};
  file.write(input);
  runs.refuse(input, options, "isolvar = 1, expected 0 or 2 with rrtmgp");
}

TEST(Rrtmgp, CloudsOfLayersInTheColumnLayout) {
  PARHELION_REQUIRE_RRTMGP(lw, sw);
  PARHELION_REQUIRE_DATA(lw_clouds, "rrtmgp/rrtmgp-clouds-lw-bnd.nc");
  PARHELION_REQUIRE_DATA(sw_clouds, "rrtmgp/rrtmgp-clouds-sw-bnd.nc");
  Runs const runs;
  auto file = column_file();
  file.add_layer_clouds(0.6);
  for (std::string const flag : {"iceflglw", "iceflgsw"}) file.extra[flag] = {{}, "1", {2}};
  file.write(runs.folder + "/in.nc");
  std::string const both = "--longwave --shortwave" + lw + sw;
  auto const result = runs.solve(
      runs.folder + "/in.nc", both + " --cloud-optics " + quoted(sw_clouds) + " --cloud-optics " + quoted(lw_clouds));
  // Clouds emit downwards and reflect the sun.
  auto const dn = result.read("flux_dn"), dn_clear = result.read("flux_dn_clear"), up = result.read("sw_flux_up"),
             up_clear = result.read("sw_flux_up_clear");
  EXPECT_GT(dn[0], dn_clear[0] + 5.);
  EXPECT_GT(up[file.nlay], up_clear[file.nlay] + 5.);
  EXPECT_EQ(result.text_attribute("", "cloud_optics"), sw_clouds + ", " + lw_clouds);
  runs.refuse(runs.folder + "/in.nc", both + " --cloud-optics " + quoted(lw_clouds),
              "is of the longwave, expected a file of the shortwave beside it");
}

// --- layouts and models ---

TEST(KDistributions, AnyLayoutWithEachModel) {
  PARHELION_REQUIRE_ECCKD(lw, sw);
  PARHELION_REQUIRE_RRTMGP(lw_p, sw_p);
  PARHELION_REQUIRE_DATA(rfmip, "rfmip/rfmip_atmospheres.nc");
  PARHELION_REQUIRE_DATA(published_up, "rrtmgp/published/rlu_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc");
  PARHELION_REQUIRE_DATA(published_sun, "rrtmgp/published/rsd_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc");
  Runs const runs;
  column_file().write(runs.folder + "/columns.nc");
  auto const lowest_up = [](io::Hdf5File const& result) { return result.read("flux_up")[0]; };
  double const with_ecckd = lowest_up(runs.solve(runs.folder + "/columns.nc", "--longwave --shortwave" + lw + sw));
  double const with_rrtmgp = lowest_up(runs.solve(runs.folder + "/columns.nc", "--longwave --shortwave" + lw_p + sw_p));
  EXPECT_NEAR(with_ecckd, with_rrtmgp, 3.) << "the same surface, whose emission differs by the reflected part alone";

  auto const result = runs.solve(rfmip, "--longwave --shortwave" + lw + sw);
  std::size_t const nlev = result.shape("rlu")[2];
  auto const up = statistics(result.read("rlu"), io::Hdf5File(published_up).read("rlu"), 0, nlev, 0, nlev);
  EXPECT_LE(up.rms, 0.55) << "RTE+RRTMGP's fluxes";
  auto const dn =
      statistics(result.read("rsd"), io::Hdf5File(published_sun).read("rsd"), nlev - 1, nlev, nlev - 1, nlev);
  EXPECT_LE(dn.rms, 0.6);
  // The top level, at 0.01 Pa, is raised to the tables.
  auto const of_rrtmgp = runs.solve(rfmip, "--experiment 1 --longwave --shortwave" + lw_p + sw_p);
  EXPECT_DOUBLE_EQ(of_rrtmgp.read("pres_level")[0], io::Hdf5File(lw_p_data).read("press_ref").back());

  // Optics of clouds and aerosol may be given to clear air, but not to a layout that never has any.
  PARHELION_REQUIRE_DATA(clouds, "rrtmgp/rrtmgp-clouds-lw-bnd.nc");
  PARHELION_REQUIRE_DATA(aerosol, "rrtmgp/rrtmgp-aerosols-merra-lw.nc");
  auto const optics = fmt::format(" --cloud-optics {} --ice-roughness 3", quoted(clouds));
  runs.solve(runs.folder + "/columns.nc", lw_p + optics + " --aerosol-optics " + quoted(aerosol));
  runs.refuse(rfmip, "--experiment 1" + lw_p + optics,
              "rfmip_atmospheres.nc: --cloud-optics was given, but an RFMIP file has no clouds");
  runs.refuse(rfmip, "--experiment 1 --aerosol-optics " + quoted(aerosol) + lw_p,
              "--aerosol-optics was given, but an RFMIP file has no aerosol");
  std::string const droplets = runs.folder + "/droplets.nc", ice = runs.folder + "/ice.nc";
  write_scattering(droplets, 150);
  write_scattering(ice, 60);
  runs.refuse(
      rfmip,
      fmt::format("--experiment 1 --droplet-scattering {} --ice-scattering {}{}", quoted(droplets), quoted(ice), lw),
      "--droplet-scattering was given, but an RFMIP file has no clouds");

  // The reference's columns for ecCKD go beyond RRTMGP's temperatures; bands of a layout belong to its model.
  PARHELION_REQUIRE_DATA(of_ecrad, "ecckd/case_clear_a.nc");
  runs.refuse(of_ecrad, lw_p, "temperature_hl(38, 0) = 110 K, expected 160 to 355 K");
  auto const of_ecrad_result = runs.solve(of_ecrad, "--out-of-range clip" + lw_p);
  EXPECT_EQ(of_ecrad_result.shape("flux_up"), (std::vector<std::size_t>{40, 61}));
  PARHELION_REQUIRE_DATA(of_rte, "rrtmgp/case_clear_a_lw.nc");
  runs.refuse(of_rte, lw, "bands of this layout are those of RRTMGP");
}

TEST(KDistributions, BothRangesAreEachAlone) {
  PARHELION_REQUIRE_DATA(input, "ecckd/case_clear_a.nc");
  PARHELION_REQUIRE_ECCKD(lw, sw);
  Runs const together, alone;
  auto const both = together.solve(input, "--bands --longwave --shortwave" + sw + lw);
  expect_near(both, alone.solve(input, "--bands" + lw), {{"flux_up", "flux_up"}, {"flux_dn_band", "flux_dn_band"}}, 0.);
  expect_near(both, alone.solve(input, "--bands --shortwave" + sw),
              {{"sw_flux_up", "sw_flux_up"}, {"sw_flux_dn_band", "sw_flux_dn_band"}}, 0.);
  EXPECT_EQ(both.shape("flux_up_band")[2], 1U);
  EXPECT_EQ(both.shape("sw_flux_up_band")[2], 5U);
  EXPECT_EQ(both.shape("sw_wavenumber_low"), std::vector<std::size_t>{5});
}

TEST(KDistributions, FilesOfAnotherKindAreRefused) {
  PARHELION_REQUIRE_DATA(input, "ecckd/case_clear_a.nc");
  PARHELION_REQUIRE_ECCKD(lw, sw);
  PARHELION_REQUIRE_RRTMGP(lw_p, sw_p);
  Runs const runs;
  runs.refuse(input, sw, "holds an ecCKD definition of the shortwave, expected one of the longwave");
  runs.refuse(input, lw + lw, "holds an ecCKD definition of the longwave, as " + lw_data + " does, expected one file");
  runs.refuse(input, "--shortwave" + lw_p,
              "holds gas optics of RRTMGP of the longwave, expected those of the shortwave");
  runs.refuse(input, lw + lw_p, lw_p_data);
  runs.refuse(input, "--gas-optics rrtmgp" + lw, lw_data);
  runs.refuse(input, "--gas-optics rrtmg" + lw, lw_data);
  runs.refuse(input, coefficients(input), "has neither the attribute constituent_id of ecCKD");
  runs.refuse(input, "--gas-optics ecckd", "ecCKD definition of the longwave: ecckd-1.0_lw_climate_fsck-32b",
              "env -u PARHELION_DATA HOME=/nonexistent XDG_DATA_HOME=");
}
