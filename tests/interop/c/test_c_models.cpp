// SPDX-License-Identifier: BSD-3-Clause
// ecCKD and RRTMGP through the C interface: reference fluxes, the bits of C++, what objects tell, and refusals.
#include "../../fluxes/ecckd_reference.hpp"
#include "../../fluxes/flux_comparisons.hpp"
#include "../../fluxes/rrtmgp_reference.hpp"
#include "../../io/scattering_file.hpp"
#include "c_expectations.hpp"
#include "testing.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/fluxes/ecckd/cloud_optics.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/fluxes/host_shortwave.hpp>
#include <parhelion/fluxes/rrtmgp/level_temperatures.hpp>
#include <parhelion/io/ecckd_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/rrtmgp_files.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace parhelion;
using namespace parhelion::Testing;

/// How often operator new has been called, see tests/fluxes/count_allocations.c.
extern "C" long number_of_allocations();

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

std::vector<std::int64_t> extents_of(io::Hdf5File const& file, std::string const& name) {
  std::vector<std::int64_t> extents;
  for (std::size_t const n : file.shape(name)) extents.push_back(static_cast<std::int64_t>(n));
  return extents;
}

/// A variable of a file as it lies there, which begins at the top.
CallerArray array_of(io::Hdf5File const& file, std::string const& name, double factor = 1, Style const& style = plain,
                     bool integer = false) {
  auto const values = file.read(name);
  CallerArray array(extents_of(file, name), style, integer);
  std::size_t i = 0;
  array.for_each([&](Index const& index) { array.set(index, factor * values.at(i++)); });
  return array;
}

/// The largest difference of an array from a variable.
double difference(
    CallerArray const& found, io::Hdf5File const& file, std::string const& name,
    std::function<bool(std::int64_t)> const& counts = [](std::int64_t) { return true; }) {
  auto const values = file.read(name);
  double largest = 0;
  std::size_t i = 0;
  found.for_each([&](Index const& index) {
    double const here = std::abs(found.value(index) - values.at(i++));
    if (counts(index[0]) && !(here <= largest)) largest = here;
  });
  EXPECT_EQ(i, values.size());
  return largest;
}

void expect_near(CallerArray const& found, io::Hdf5File const& file, std::string const& name, double most) {
  double const largest = difference(found, file, name);
  EXPECT_LE(largest, most) << name;
  testing::Test::RecordProperty(name, fmt::format("{:.2e}", largest));
}

struct File {
  std::string coefficients, path;
  io::Hdf5File file;
  File(std::string its_coefficients, std::string const& its_path)
      : coefficients(std::move(its_coefficients)), path(its_path), file(its_path) {}
  std::string beside(std::string const& attribute) const {
    return path.substr(0, path.rfind('/') + 1) + *file.text_attribute("", attribute);
  }
};

/// Sets what all calls with a file have in common; the top is first, as in the file.
template <class AnyCase>
AnyCase begin(File const& f, std::string const& of_layers) {
  AnyCase c;
  c.options.coefficients = f.coefficients.c_str();
  c.options.vertical_order = PARHELION_TOP_FIRST;
  auto const shape = f.file.shape(of_layers);
  c.options.ncol = static_cast<std::int64_t>(shape[0]);
  c.options.nlay = static_cast<std::int64_t>(shape[1]);
  return c;
}

template <class AnyCase>
void add_results(AnyCase& c, std::initializer_list<char const*> of_levels, std::int64_t nband = 0,
                 Style const& style = plain) {
  for (std::string const name : of_levels)
    c.out[name] = name.ends_with("_band") ? CallerArray({c.options.ncol, c.options.nlay + 1, nband}, style)
                                          : CallerArray({c.options.ncol, c.options.nlay + 1}, style);
  c.out["heating_rate"] = CallerArray({c.options.ncol, c.options.nlay}, style);
}

std::array<char const*, 7> const ecckd_gases{"h2o", "o3", "co2", "ch4", "n2o", "cfc11", "cfc12"};

template <class AnyCase>
void add_ecckd_atmosphere(AnyCase& c, File const& f, Style const& style) {
  c.in["pressure_lev"] = array_of(f.file, "pressure_hl", 1, style);
  c.in["temperature_lev"] = array_of(f.file, "temperature_hl", 1, style);
  for (std::string const gas : ecckd_gases) c.in[gas] = array_of(f.file, gas + "_mole_fraction", 1, style);
}

LongwaveCase ecckd_longwave(File const& f, Style const& style = plain) {
  auto c = begin<LongwaveCase>(f, "h2o_mole_fraction");
  add_ecckd_atmosphere(c, f, style);
  c.in["temperature_sfc"] = array_of(f.file, "skin_temperature", 1, style);
  c.in["emissivity_sfc"] = array_of(f.file, "lw_emissivity", 1, style);
  c.options.derivative = 1;
  add_results(c, {"flux_up", "flux_dn", "surface_share", "dflux_up_dt"}, 0, style);
  return c;
}

ShortwaveCase ecckd_shortwave(File const& f, Style const& style = plain) {
  auto c = begin<ShortwaveCase>(f, "h2o_mole_fraction");
  add_ecckd_atmosphere(c, f, style);
  c.in["cos_zenith"] = array_of(f.file, "cos_solar_zenith_angle", 1, style);
  c.in["albedo_direct"] = c.in["albedo_diffuse"] = array_of(f.file, "sw_albedo", 1, style);
  c.input.total_irradiance = f.file.read("total_solar_irradiance").at(0);
  add_results(c, {"flux_up", "flux_dn", "flux_dn_direct"}, 0, style);
  return c;
}

template <class AnyCase>
void add_rrtmgp_atmosphere(AnyCase& c, File const& f, Style const& style) {
  c.in["pressure_lay"] = array_of(f.file, "play", 1, style);
  c.in["pressure_lev"] = array_of(f.file, "plev", 1, style);
  c.in["temperature_lay"] = array_of(f.file, "tlay", 1, style);
  for (int gas = 0; gas < PARHELION_NGAS_ALL; ++gas) {
    std::string const name = parhelion_gas_name(gas);
    if (f.file.exists("vmr_" + name)) c.in[name] = array_of(f.file, "vmr_" + name, 1, style);
  }
}

LongwaveCase rrtmgp_longwave(File const& f, std::string const& gases, Style const& style = plain) {
  auto c = begin<LongwaveCase>(f, "play");
  add_rrtmgp_atmosphere(c, f, style);
  c.in["temperature_lev"] = array_of(f.file, "tlev", 1, style);
  c.in["temperature_sfc"] = array_of(f.file, "tsfc", 1, style);
  c.in["emissivity_sfc"] = array_of(f.file, "emissivity", 1, style);
  c.options.gases = gases.c_str();
  add_results(c, {"flux_up", "flux_dn"}, 0, style);
  return c;
}

ShortwaveCase rrtmgp_shortwave(File const& f, std::string const& gases, Style const& style = plain) {
  auto c = begin<ShortwaveCase>(f, "play");
  add_rrtmgp_atmosphere(c, f, style);
  c.in["cos_zenith"] = array_of(f.file, "mu0", 1, style);
  c.in["albedo_direct"] = array_of(f.file, "albedo_direct", 1, style);
  c.in["albedo_diffuse"] = array_of(f.file, "albedo_diffuse", 1, style);
  c.options.gases = gases.c_str();
  add_results(c, {"flux_up", "flux_dn", "flux_dn_direct"}, 0, style);
  return c;
}

/// Clouds with a mask of g-points and aerosol of types, in g m-2 and um.
template <class AnyCase>
void add_particles(AnyCase& c, File const& f) {
  for (auto const& [name, variable] : {std::pair{"liquid_path", "lwp"}, {"ice_path", "iwp"}})
    c.in[name] = array_of(f.file, variable);
  for (auto const& [name, variable] : {std::pair{"liquid_size", "rel"}, {"ice_size", "dei"}})
    c.in[name] = array_of(f.file, variable);
  c.in["fraction_gpt"] = array_of(f.file, "cloud_mask");
  c.in["aerosol_type"] = array_of(f.file, "aerosol_type", 1, plain, true);
  c.in["aerosol_size"] = array_of(f.file, "aerosol_size", 1e-6);
  for (std::string const name : {"aerosol_mass", "relative_humidity"}) c.in[name] = array_of(f.file, name);
  c.input.path_factor = 1e-3;
  c.input.particle_size_factor = 1e-6;
  c.options.clouds = PARHELION_CLOUDS_MASKED;
  c.options.ice_roughness = static_cast<int>(f.file.number_attribute("", "ice_roughness")->front());
}

/// Weights of the sun of each column, by its irradiance.
void add_suns(ShortwaveCase& c, File const& f, parhelion_shortwave const* object) {
  auto const total = f.file.read("total_solar_irradiance");
  CallerArray weights({c.options.ncol, PARHELION_SW_NSPECTRUM}, plain);
  for (std::int64_t column = 0; column < c.options.ncol; ++column) {
    parhelion_shortwave_input sun{};
    sun.size = sizeof(sun);
    sun.total_irradiance = total.at(static_cast<std::size_t>(column));
    std::array<double, PARHELION_SW_NSPECTRUM> found{};
    std::array<double, PARHELION_SW_NBAND> factors{};
    ASSERT_GOOD(parhelion_shortwave_sun_of(object, &sun, found.data(), factors.data()));
    for (std::int64_t i = 0; i < PARHELION_SW_NSPECTRUM; ++i)
      weights.set({column, i}, found.at(static_cast<std::size_t>(i)));
    for (double const factor : factors) EXPECT_EQ(factor, 1);
  }
  c.in["solar_weights"] = weights;
}

std::string gases_of(File const& f) { return *f.file.text_attribute("", "gases"); }

#define PARHELION_REQUIRE_CASE(NAME, COEFFICIENTS, PATH)        \
  PARHELION_REQUIRE_DATA(coefficients_of_##NAME, COEFFICIENTS); \
  PARHELION_REQUIRE_DATA(path_of_##NAME, PATH);                 \
  File const NAME(coefficients_of_##NAME, path_of_##NAME)

constexpr char const* ecckd_lw = "ecckd/ecckd-1.0_lw_climate_fsck-32b_ckd-definition.nc";
constexpr char const* ecckd_sw = "ecckd/ecckd-1.4_sw_climate_rgb-32b_ckd-definition.nc";
constexpr char const* ecckd_case = "ecckd/case_clear_a.nc";
constexpr char const* rrtmgp_lw = "rrtmgp/synthetic-gas-lw-g128.nc";
constexpr char const* rrtmgp_sw = "rrtmgp/synthetic-gas-sw-g112.nc";

}  // namespace

// --- against the original ------------------------------------------------------------------------------------------

TEST(CModels, EcckdLongwaveMatchesTheReference) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  for (auto const& style : styles) {
    auto c = ecckd_longwave(f, style);
    ASSERT_GOOD(compute(c));
    expect_near(c.out["flux_up"], f.file, "lw_fsck32_flux_up", 1e-10);
    expect_near(c.out["flux_dn"], f.file, "lw_fsck32_flux_dn", 1e-10);
    expect_near(c.out["surface_share"], f.file, "lw_fsck32_derivative", 3e-13);
  }
}

TEST(CModels, EcckdShortwaveMatchesTheReference) {
  PARHELION_REQUIRE_CASE(f, ecckd_sw, ecckd_case);
  auto c = ecckd_shortwave(f);
  ASSERT_GOOD(compute(c));
  auto const albedo = f.file.read("sw_albedo");
  auto const co2 = f.file.read("co2_mole_fraction");
  auto const conservative = [&](std::int64_t column) {
    return albedo.at(static_cast<std::size_t>(column)) == 1 &&
           co2.at(static_cast<std::size_t>((column + 1) * c.options.nlay - 1)) == 0;
  };
  for (auto const& [name, variable] : {std::pair{"flux_up", "sw_rgb32_flux_up"},
                                       {"flux_dn", "sw_rgb32_flux_dn"},
                                       {"flux_dn_direct", "sw_rgb32_flux_dn_direct"}}) {
    EXPECT_LE(difference(c.out[name], f.file, variable, [&](std::int64_t i) { return !conservative(i); }), 1e-9);
    EXPECT_LE(difference(c.out[name], f.file, variable), 1e-6);
  }
}

TEST(CModels, RrtmgpLongwaveMatchesTheReference) {
  for (std::string const name : {"case_clear_a_lw", "case_fewgases_a_lw"}) {
    PARHELION_REQUIRE_CASE(f, rrtmgp_lw, "rrtmgp/" + name + ".nc");
    auto const gases = gases_of(f);
    using Run = std::pair<char const*, int>;
    std::array const runs{
        Run("n1", 0), Run("n2", 2), Run("n3", 3), Run("n4", 4), Run("opt", PARHELION_ANGLES_OPTIMAL), Run("notlev", 1)};
    for (auto const& [run, angles] : runs) {
      std::string const prefix = run + std::string("_");
      auto c = rrtmgp_longwave(f, gases);
      c.options.angles = angles;
      c.options.derivative = 1;
      add_results(c, {"dflux_up_dt"});
      bool const has_bands = f.file.exists(prefix + "band_flux_up");
      if (has_bands) {
        c.options.bands = 1;
        add_results(c, {"flux_up_band", "flux_dn_band"}, 16);
      }
      if (prefix == "notlev_") {
        c.options.level_temperatures = PARHELION_LEVEL_TEMPERATURES_INTERPOLATED;
        c.in.erase("temperature_lev");
      }
      ASSERT_GOOD(compute(c)) << name << prefix;
      expect_near(c.out["flux_up"], f.file, prefix + "flux_up", 1e-9);
      expect_near(c.out["flux_dn"], f.file, prefix + "flux_dn", 1e-9);
      if (f.file.exists(prefix + "flux_up_jacobian"))
        expect_near(c.out["dflux_up_dt"], f.file, prefix + "flux_up_jacobian", 1e-12);
      if (!has_bands) continue;
      expect_near(c.out["flux_up_band"], f.file, prefix + "band_flux_up", 1e-9);
      expect_near(c.out["flux_dn_band"], f.file, prefix + "band_flux_dn", 1e-9);
    }
  }
}

TEST(CModels, RrtmgpShortwaveMatchesTheReference) {
  for (std::string const name : {"case_clear_a_sw", "case_fewgases_a_sw"}) {
    PARHELION_REQUIRE_CASE(f, rrtmgp_sw, "rrtmgp/" + name + ".nc");
    auto const gases = gases_of(f);
    auto c = rrtmgp_shortwave(f, gases);
    c.options.bands = 1;
    add_results(c, {"flux_up_band", "flux_dn_band", "flux_dn_direct_band"}, 14);
    Made<ShortwaveCase> const made(c);
    ASSERT_GOOD(made.status());
    add_suns(c, f, made);
    ASSERT_GOOD(made.solve(c));
    for (auto const& [mine, variable] : {std::pair{"flux_up", "flux_up"},
                                         {"flux_dn", "flux_dn"},
                                         {"flux_dn_direct", "flux_dir"},
                                         {"flux_up_band", "band_flux_up"},
                                         {"flux_dn_band", "band_flux_dn"},
                                         {"flux_dn_direct_band", "band_flux_dir"}})
      expect_near(c.out[mine], f.file, variable, 1e-6);
  }
}

TEST(CModels, RrtmgpWithParticlesMatchesTheReference) {
  for (std::string const name : {"case_allsky_a_lw", "case_allsky_gpt_a_lw"}) {
    PARHELION_REQUIRE_CASE(f, rrtmgp_lw, "rrtmgp/" + name + ".nc");
    auto const gases = gases_of(f), clouds = f.beside("cloud_optics"), aerosol = f.beside("aerosol_optics");
    struct Run {
      std::string name;
      int angles, scattering;
      double most;
    };
    for (auto const& run :
         {Run{"abs", 0, PARHELION_SCATTERING_NONE, 1e-9}, Run{"resc", 1, PARHELION_SCATTERING_RESCALING, 1e-9},
          Run{"resc3", 3, PARHELION_SCATTERING_RESCALING, 1e-9},
          Run{"twostr", 0, PARHELION_SCATTERING_TWO_STREAM, 1e-6}}) {
      if (!f.file.exists(run.name + "_flux_up")) continue;
      auto c = rrtmgp_longwave(f, gases);
      c.options.cloud_optics = clouds.c_str();
      c.options.aerosol_optics = aerosol.c_str();
      c.options.angles = run.angles;
      c.options.scattering = run.scattering;
      add_particles(c, f);
      ASSERT_GOOD(compute(c)) << name << run.name;
      expect_near(c.out["flux_up"], f.file, run.name + "_flux_up", run.most);
      expect_near(c.out["flux_dn"], f.file, run.name + "_flux_dn", run.most);
    }
  }
  for (std::string const name : {"case_allsky_a_sw", "case_allsky_gpt_a_sw"}) {
    PARHELION_REQUIRE_CASE(f, rrtmgp_sw, "rrtmgp/" + name + ".nc");
    auto const gases = gases_of(f), clouds = f.beside("cloud_optics"), aerosol = f.beside("aerosol_optics");
    auto c = rrtmgp_shortwave(f, gases);
    c.options.cloud_optics = clouds.c_str();
    c.options.aerosol_optics = aerosol.c_str();
    add_particles(c, f);
    Made<ShortwaveCase> const made(c);
    ASSERT_GOOD(made.status());
    add_suns(c, f, made);
    ASSERT_GOOD(made.solve(c));
    expect_near(c.out["flux_up"], f.file, "flux_up", 1e-6);
    expect_near(c.out["flux_dn"], f.file, "flux_dn", 1e-6);
    expect_near(c.out["flux_dn_direct"], f.file, "flux_dir", 1e-6);
  }
}

// --- beside C++ ----------------------------------------------------------------------------------------------------

TEST(CModels, GiveTheBitsOfCxx) {
  PARHELION_REQUIRE_CASE(f, rrtmgp_lw, "rrtmgp/case_clear_a_lw.nc");
  auto const gases = gases_of(f);
  auto const k = io::read_rrtmgp_gas_optics(f.coefficients);
  auto columns = read_rrtmgp_columns(f.file);
  for (bool const interpolated : {false, true}) {
    if (interpolated) fluxes::rrtmgp::interpolate_level_temperatures(columns);
    for (auto const precision : {PARHELION_FLOAT64, PARHELION_FLOAT32}) {
      fluxes::HostLongwaveOptions options;
      options.precision = precision == PARHELION_FLOAT32 ? Precision::float32 : Precision::float64;
      options.outputs.bands = true;
      auto const expected = fluxes::compute_longwave(
          columns, fluxes::rrtmgp::LongwaveSetup{.k = &k, .gases = gases_of_case(f.file), .angles = {2}}, options);
      for (auto const& style : styles) {
        auto c = rrtmgp_longwave(f, gases, style);
        c.options.precision = precision;
        c.options.angles = 2;
        c.options.bands = 1;
        if (interpolated) {
          c.options.level_temperatures = PARHELION_LEVEL_TEMPERATURES_INTERPOLATED;
          c.in.erase("temperature_lev");
        }
        add_results(c, {"flux_up_band", "flux_dn_band"}, 16, style);
        ASSERT_GOOD(compute(c));
        expect_same(c.out, expected, {}, true);
      }
    }
  }
}

/// Scattering files, made up, and the options of an object that takes clouds by them.
struct ScatteringFiles {
  std::string droplets, ice;
  explicit ScatteringFiles(std::string const& folder) : droplets(folder + "/droplets.nc"), ice(folder + "/ice.nc") {
    write_scattering(droplets, 150);
    write_scattering(ice, 60);
  }

  template <class Options>
  void give(Options& options, int averaging = PARHELION_CLOUD_AVERAGING_THICK) const {
    options.droplet_scattering = droplets.c_str();
    options.ice_scattering = ice.c_str();
    options.cloud_averaging = averaging;
  }

  fluxes::rrtmgp::CloudOptics optics(fluxes::ecckd::Definition const& definition, int averaging) const {
    return average_clouds(definition, io::read_ecckd_scattering(droplets), io::read_ecckd_scattering(ice),
                          averaging == PARHELION_CLOUD_AVERAGING_THIN ? fluxes::ecckd::CloudAveraging::thin
                                                                      : fluxes::ecckd::CloudAveraging::thick);
  }
};

/// Gives a case, whose top is first, clouds of layers.
template <class AnyCase, class Clouds>
void add_layer_clouds(AnyCase& c, Clouds const& clouds, Style const& style) {
  auto const add = [&](char const* name, auto const& view) { c.in[name] = turned(CallerArray::of(view, style)); };
  add("fraction", clouds.fraction);
  add("ice_path", clouds.ice_path);
  add("liquid_path", clouds.liquid_path);
  add("ice_size", clouds.ice_size);
  add("liquid_size", clouds.liquid_size);
  c.options.clouds = PARHELION_CLOUDS_OF_LAYERS;
  c.options.clear = 1;
  c.input.seed = clouds.seed;
}

TEST(CModels, CloudsOfEcckdGiveTheBitsOfCxx) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  PARHELION_REQUIRE_CASE(g, ecckd_sw, ecckd_case);
  ScatteringFiles const files(scratch_folder());
  auto const of_longwave = io::read_ecckd_definition(f.coefficients);
  auto const of_shortwave = io::read_ecckd_definition(g.coefficients);
  auto const columns = read_ecckd_longwave(f.file);
  auto const sunlit = read_ecckd_shortwave(g.file);
  auto const clouds = synthetic_clouds(columns.ncol(), columns.nlay());
  auto const sunlit_clouds = synthetic_shortwave_clouds(columns.ncol(), columns.nlay());
  for (int const averaging : {PARHELION_CLOUD_AVERAGING_THICK, PARHELION_CLOUD_AVERAGING_THIN}) {
    auto const optics = files.optics(of_longwave, averaging), sunlit_optics = files.optics(of_shortwave, averaging);
    fluxes::HostLongwaveOptions options;
    options.outputs.clear = true;
    auto const expected = fluxes::compute_longwave(columns, clouds, {of_longwave, &optics}, options);
    auto c = ecckd_longwave(f, fortran);
    c.options.derivative = 0;
    c.out.clear();
    files.give(c.options, averaging);
    add_layer_clouds(c, clouds, fortran);
    add_results(c, {"flux_up", "flux_dn", "flux_up_clear", "flux_dn_clear"}, 0, fortran);
    c.out["heating_rate_clear"] = c.out["heating_rate"];
    ASSERT_GOOD(compute(c));
    expect_same(c.out, expected, {}, true);
    // They are there: the surface gets more from them.
    EXPECT_GT(c.out["flux_dn"].value({0, columns.nlay()}), c.out["flux_dn_clear"].value({0, columns.nlay()}) + 1);

    fluxes::HostShortwaveOptions sunlit_options;
    sunlit_options.outputs.clear = true;
    auto const lit = fluxes::compute_shortwave(sunlit, sunlit_clouds, {of_shortwave, &sunlit_optics}, sunlit_options);
    auto d = ecckd_shortwave(g, strange);
    files.give(d.options, averaging);
    add_layer_clouds(d, sunlit_clouds, strange);
    add_results(d, {"flux_up_clear", "flux_dn_clear", "flux_dn_direct_clear"}, 0, strange);
    d.out["heating_rate_clear"] = d.out["heating_rate"];
    ASSERT_GOOD(compute(d));
    expect_same(d.out, lit, {}, true);
  }
}

// A mask of g-points sees the same clouds as arrays of g-points.
TEST(CModels, CloudsOfEcckdMayBeMasked) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  ScatteringFiles const files(scratch_folder());
  auto const definition = io::read_ecckd_definition(f.coefficients);
  auto const optics = files.optics(definition, PARHELION_CLOUD_AVERAGING_THICK);
  auto const columns = read_ecckd_longwave(f.file);
  int const ncol = columns.ncol(), nlay = columns.nlay(), ngpoint = definition.ngpoint();
  auto clouds = synthetic_clouds(ncol, nlay);
  auto masked = ecckd_longwave(f);
  masked.options.derivative = 0;
  masked.out.clear();
  add_results(masked, {"flux_up", "flux_dn"});
  files.give(masked.options);
  add_layer_clouds(masked, clouds, plain);
  masked.options.clear = 0;
  masked.options.clouds = PARHELION_CLOUDS_MASKED;
  clouds.fraction = {};
  clouds.fraction_gpt = HostArray<double***>("fraction_gpt", ncol, nlay, ngpoint);
  for (std::size_t i = 0; i < clouds.fraction_gpt.size(); ++i) clouds.fraction_gpt.data()[i] = i % 7 < 3 ? 1 : 0;
  masked.in.erase("fraction");
  masked.in["fraction_gpt"] = turned(CallerArray::of(clouds.fraction_gpt, plain));
  ASSERT_GOOD(compute(masked));
  expect_same(masked.out, fluxes::compute_longwave(columns, clouds, {definition, &optics}), {}, true);

  auto of_gpoints = masked;
  of_gpoints.options.clouds = PARHELION_CLOUDS_OF_GPOINTS;
  for (std::string const name : {"ice_path", "liquid_path"}) {
    auto& paths = of_gpoints.in[name + "_gpt"] = CallerArray({ncol, nlay, ngpoint}, plain);
    paths.for_each([&](Index const& i) { paths.set(i, masked.in[name].value({i[0], i[1]})); });
    of_gpoints.in.erase(name);
  }
  ASSERT_GOOD(compute(of_gpoints));
  for (std::string const name : {"flux_up", "flux_dn"}) {
    double largest = 0;
    masked.out[name].for_each([&](Index const& i) {
      largest = std::max(largest, std::abs(of_gpoints.out[name].value(i) - masked.out[name].value(i)));
    });
    // Optical depths are summed in another order; a flux is at most 600 W m-2.
    EXPECT_LE(largest, 40 * std::numeric_limits<double>::epsilon() * 600) << name;
  }
}

TEST(CModels, EcckdTakesSurfacesOfGPointsAndIntervals) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  PARHELION_REQUIRE_CASE(g, ecckd_sw, ecckd_case);
  std::array const between{800., 1200.};
  std::array const emissivities{0.9, 0.8, 0.95}, albedos{0.3, 0.1, 0.5};
  // Of the three intervals, values of g-points by the weights that an object tells.
  auto const of_gpoints = [&](std::vector<double> const& weights, auto const& values) {
    std::vector<double> result(weights.size() / values.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      result[i / values.size()] += weights[i] * values[i % values.size()];
    return result;
  };
  auto const as_array = [](std::int64_t ncol, std::vector<double> const& values) {
    CallerArray array({ncol, static_cast<std::int64_t>(values.size())}, plain);
    array.for_each([&](Index const& i) { array.set(i, values.at(static_cast<std::size_t>(i[1]))); });
    return array;
  };
  auto const as_view = [](std::size_t ncol, std::vector<double> const& values) {
    HostArray<double**> view("surface", ncol, values.size());
    for (std::size_t c = 0; c < ncol; ++c)
      for (std::size_t i = 0; i < values.size(); ++i) view(c, i) = values[i];
    return view;
  };
  auto const definition = io::read_ecckd_definition(f.coefficients);
  auto columns = read_ecckd_longwave(f.file);
  auto c = ecckd_longwave(f);
  c.options.derivative = 0;
  c.out.clear();
  add_results(c, {"flux_up", "flux_dn"});
  {
    Made<LongwaveCase> const made(c);
    ASSERT_GOOD(made.status());
    std::vector<double> weights(static_cast<std::size_t>(definition.ngpoint()) * 3);
    ASSERT_GOOD(parhelion_longwave_interval_weights(made, between.data(), 2, weights.data()));
    EXPECT_EQ(weights, fluxes::ecckd::interval_weights(definition, {between.begin(), between.end()}));
    auto const values = of_gpoints(weights, emissivities);
    c.in["emissivity_sfc"] = as_array(c.options.ncol, values);
    ASSERT_GOOD(made.solve(c));
    columns.emissivity_sfc = as_view(columns.emissivity_sfc.extent(0), values);
    expect_same(c.out, fluxes::compute_longwave(columns, definition), {}, true);
    c.in["emissivity_sfc"] = as_array(c.options.ncol, std::vector<double>(7, 0.9));
    EXPECT_STATUS(PARHELION_ERROR_SHAPE, made.solve(c), "emissivity_sfc");

    std::array const falling{1200., 800.};
    EXPECT_STATUS(PARHELION_ERROR_VALUE, parhelion_longwave_interval_weights(made, falling.data(), 2, weights.data()),
                  "between(1) = 800");
    EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_interval_weights(made, nullptr, 2, weights.data()),
                  "between is NULL");
    EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_interval_weights(made, between.data(), 2, nullptr),
                  "weights is NULL");
    EXPECT_STATUS(PARHELION_ERROR_ARGUMENT,
                  parhelion_longwave_interval_weights(made, between.data(), -1, weights.data()), "nbetween = -1");
    // A single interval counts alone.
    std::vector<double> ones(static_cast<std::size_t>(definition.ngpoint()));
    ASSERT_GOOD(parhelion_longwave_interval_weights(made, nullptr, 0, ones.data()));
    for (double const one : ones) EXPECT_EQ(one, 1);
  }
  auto const of_shortwave = io::read_ecckd_definition(g.coefficients);
  auto sunlit = read_ecckd_shortwave(g.file);
  auto d = ecckd_shortwave(g);
  Made<ShortwaveCase> const made(d);
  ASSERT_GOOD(made.status());
  std::array const of_visible{5000., 14000.};
  std::vector<double> weights(static_cast<std::size_t>(of_shortwave.ngpoint()) * 3);
  ASSERT_GOOD(parhelion_shortwave_interval_weights(made, of_visible.data(), 2, weights.data()));
  auto const values = of_gpoints(weights, albedos);
  d.in["albedo_direct"] = d.in["albedo_diffuse"] = as_array(d.options.ncol, values);
  ASSERT_GOOD(made.solve(d));
  sunlit.albedo_direct = sunlit.albedo_diffuse = as_view(sunlit.albedo_direct.extent(0), values);
  expect_same(d.out, fluxes::compute_shortwave(sunlit, {}, of_shortwave), {}, true);
  PARHELION_REQUIRE_DATA(of_rrtmgp, rrtmgp_sw);
  d.options.coefficients = of_rrtmgp.c_str();
  Made<ShortwaveCase> const other(d);
  ASSERT_GOOD(other.status());
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT,
                parhelion_shortwave_interval_weights(other, of_visible.data(), 2, weights.data()),
                "the model is RRTMGP, expected ecCKD");
}

TEST(CModels, IncidentFluxesGiveTheBitsOfCxx) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  PARHELION_REQUIRE_CASE(g, rrtmgp_lw, "rrtmgp/case_clear_a_lw.nc");
  auto const definition = io::read_ecckd_definition(f.coefficients);
  auto const enter = [](fluxes::HostColumns& columns, int ngpoint) {
    columns.incident_flux = HostArray<double**>("incident_flux", columns.pressure_lay.extent(0), ngpoint);
    for (std::size_t i = 0; i < columns.incident_flux.size(); ++i) columns.incident_flux.data()[i] = scattered(i);
  };
  auto columns = read_ecckd_longwave(f.file);
  enter(columns, definition.ngpoint());
  auto c = ecckd_longwave(f, strange);
  c.options.derivative = 0;
  c.out.clear();
  add_results(c, {"flux_up", "flux_dn"}, 0, strange);
  c.options.incident_flux = 1;
  c.in["incident_flux"] = CallerArray::of(columns.incident_flux, strange);
  ASSERT_GOOD(compute(c));
  expect_same(c.out, fluxes::compute_longwave(columns, definition), {}, true);
  // A call of the same object may have none.
  auto dark = c;
  dark.in.erase("incident_flux");
  ASSERT_GOOD(compute(dark));
  EXPECT_EQ(dark.out["flux_dn"].value({0, 0}), 0);
  EXPECT_GT(c.out["flux_dn"].value({0, 0}), 1);

  auto const k = io::read_rrtmgp_gas_optics(g.coefficients);
  auto of_rrtmgp = read_rrtmgp_columns(g.file);
  enter(of_rrtmgp, k.ngpoint);
  auto const gases = gases_of(g);
  auto d = rrtmgp_longwave(g, gases);
  d.options.angles = 3;
  d.options.incident_flux = 1;
  d.in["incident_flux"] = CallerArray::of(of_rrtmgp.incident_flux, plain);
  ASSERT_GOOD(compute(d));
  expect_same(d.out,
              fluxes::compute_longwave(
                  of_rrtmgp, fluxes::rrtmgp::LongwaveSetup{.k = &k, .gases = gases_of_case(g.file), .angles = {3}}),
              {}, true);

  auto bad = d;
  bad.in["incident_flux"] = CallerArray({d.options.ncol, k.ngpoint - 1}, plain);
  EXPECT_STATUS(PARHELION_ERROR_SHAPE, compute(bad), "incident_flux");
  bad = d;
  bad.in["incident_flux"].set({1, 2}, -1);
  EXPECT_STATUS(PARHELION_ERROR_VALUE, compute(bad), "incident_flux(1, 2) = -1");
  bad = d;
  bad.options.incident_flux = 0;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(bad), "made without incident_flux");
  parhelion_longwave_options simple{};
  simple.size = sizeof(simple);
  simple.nlay = 3;
  simple.model = PARHELION_GAS_OPTICS_SIMPLE;
  simple.incident_flux = 1;
  parhelion_longwave* object = nullptr;
  EXPECT_STATUS(PARHELION_ERROR_VALUE, parhelion_longwave_create(&simple, &object), "no incident flux");
}

// The file tells the model, and so does a name; the layers of ecCKD's atmosphere do not matter.
TEST(CModels, TheFileTellsTheModel) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  auto told = ecckd_longwave(f);
  ASSERT_GOOD(compute(told));
  auto named = ecckd_longwave(f);
  named.options.model = PARHELION_GAS_OPTICS_ECCKD;
  for (std::string const name : {"pressure_lay", "temperature_lay"}) {
    named.in[name] = CallerArray({named.options.ncol, named.options.nlay}, plain);
    auto const levels = f.file.read("pressure_hl");
    named.in[name].for_each([&](Index const& i) {
      auto const at = static_cast<std::size_t>(i[0] * (named.options.nlay + 1) + i[1]);
      named.in[name].set(i, name == "temperature_lay" ? 123. : 0.5 * (levels.at(at) + levels.at(at + 1)));
    });
  }
  ASSERT_GOOD(compute(named));
  expect_same_results(named, told);
  named.options.model = PARHELION_GAS_OPTICS_RRTMGP;
  EXPECT_STATUS(PARHELION_ERROR_FILE, compute(named), "fsck-32b");
  named.options.model = PARHELION_GAS_OPTICS_RRTMG;
  EXPECT_STATUS(PARHELION_ERROR_FILE, compute(named), "fsck-32b");
}

TEST(CModels, InterpolatedLevelsOfFloatsAreThoseOfTheirValues) {
  PARHELION_REQUIRE_CASE(f, rrtmgp_lw, "rrtmgp/case_clear_a_lw.nc");
  auto const gases = gases_of(f);
  Style floats = fortran;
  floats.type = PARHELION_FLOAT32;
  auto c = rrtmgp_longwave(f, gases, floats);
  c.in.erase("temperature_lev");
  c.options.level_temperatures = PARHELION_LEVEL_TEMPERATURES_INTERPOLATED;
  ASSERT_GOOD(compute(c));
  // Temperatures have a relative error of 6e-8, and fluxes four times as much: some 1e-4 W m-2.
  expect_near(c.out["flux_up"], f.file, "notlev_flux_up", 1e-2);
  auto given = rrtmgp_longwave(f, gases);
  given.options.level_temperatures = PARHELION_LEVEL_TEMPERATURES_INTERPOLATED;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(given), "temperature_lev is given");
}

template <class AnyCase>
void expect_no_allocation(AnyCase c) {
  Made<AnyCase> const made(c);
  ASSERT_GOOD(made.status());
  c.describe();
  ASSERT_GOOD(c_solve(made, &c.input, &c.output));
  long const before = number_of_allocations();
  int const again = c_solve(made, &c.input, &c.output);
  long const after = number_of_allocations();
  EXPECT_GOOD(again);
  if (runs_on_host<Kokkos::DefaultExecutionSpace>) {
    EXPECT_EQ(after, before);
  }
}

TEST(CModels, RepeatedCallsDoNotAllocate) {
  PARHELION_REQUIRE_CASE(f, ecckd_sw, ecckd_case);
  PARHELION_REQUIRE_CASE(g, rrtmgp_lw, "rrtmgp/case_clear_a_lw.nc");
  PARHELION_REQUIRE_CASE(h, rrtmgp_sw, "rrtmgp/case_clear_a_sw.nc");
  auto defaults = ecckd_shortwave(f);
  defaults.in.erase("ch4");
  expect_no_allocation(defaults);
  auto const gases = gases_of(g);
  auto interpolated = rrtmgp_longwave(g, gases);
  interpolated.options.level_temperatures = PARHELION_LEVEL_TEMPERATURES_INTERPOLATED;
  interpolated.in.erase("temperature_lev");
  expect_no_allocation(interpolated);
  auto sunlit = rrtmgp_shortwave(h, gases);
  sunlit.input.total_irradiance = 1361;
  expect_no_allocation(sunlit);
}

// --- what objects tell ---------------------------------------------------------------------------------------------

TEST(CModels, ObjectsTellTheirModel) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  auto c = ecckd_longwave(f);
  Made<LongwaveCase> const made(c);
  ASSERT_GOOD(made.status());
  parhelion_model model{};
  model.size = sizeof(model);
  ASSERT_GOOD(parhelion_longwave_model(made, &model));
  auto const definition = io::read_ecckd_definition(f.coefficients);
  EXPECT_STREQ(model.name, "ecCKD");
  EXPECT_EQ(model.gas_optics, PARHELION_GAS_OPTICS_ECCKD);
  EXPECT_EQ(model.uses_levels, 1);
  EXPECT_EQ(model.nband, definition.nband());
  EXPECT_EQ(model.ngpoint, definition.ngpoint());
  EXPECT_EQ(model.temperature[0], 100);
  EXPECT_EQ(model.temperature[1], 400);
  EXPECT_EQ(model.pressure[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(model.total_irradiance, 0);
  std::vector<double> low(static_cast<std::size_t>(model.nband)), high = low;
  ASSERT_GOOD(parhelion_longwave_bands(made, low.data(), high.data()));
  EXPECT_EQ(low, definition.wavenumber1_band);
  EXPECT_EQ(high, definition.wavenumber2_band);

  std::int32_t role = -1;
  double ratio = -1;
  ASSERT_GOOD(parhelion_longwave_gas(made, PARHELION_H2O, &role, &ratio));
  EXPECT_EQ(role, PARHELION_ROLE_REQUIRED);
  EXPECT_EQ(ratio, 0);
  ASSERT_GOOD(parhelion_longwave_gas(made, PARHELION_HFC23, &role, &ratio));
  EXPECT_EQ(role, PARHELION_ROLE_NONE);
  ASSERT_GOOD(parhelion_longwave_gas(made, PARHELION_CH4, &role, &ratio));
  EXPECT_EQ(role, PARHELION_ROLE_DEFAULT);
  EXPECT_GT(ratio, 1e-6);

  std::int64_t count = 0;
  char text[64];
  c.describe();
  ASSERT_GOOD(parhelion_longwave_missing(made, &c.input, text, sizeof(text), &count));
  EXPECT_EQ(count, 0);
  EXPECT_STREQ(text, "");
  c.input.gases[PARHELION_O3] = c.input.gases[PARHELION_H2O] = c.input.gases[PARHELION_CH4] = {};
  ASSERT_GOOD(parhelion_longwave_missing(made, &c.input, text, sizeof(text), &count));
  EXPECT_EQ(count, 2);
  EXPECT_STREQ(text, "h2o, o3");

  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_gas(made, 19, &role, nullptr), "gas = 19");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_gas(made, 0, nullptr, nullptr), "role is NULL");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_bands(made, nullptr, high.data()), "wavenumber_low");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_model(made, nullptr), "model is NULL");
  model.size = 3;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_longwave_model(made, &model), "model.size = 3");
  // A caller with an older header gets as much as it knows.
  parhelion_model old{};
  old.size = offsetof(parhelion_model, temperature);
  old.temperature[0] = 1;
  ASSERT_GOOD(parhelion_longwave_model(made, &old));
  EXPECT_EQ(old.ngpoint, definition.ngpoint());
  EXPECT_EQ(old.temperature[0], 1);
}

TEST(CModels, GasesHaveNames) {
  for (std::int32_t gas = 0; gas < PARHELION_NGAS_ALL; ++gas) {
    std::int32_t found = -1;
    ASSERT_NE(parhelion_gas_name(gas), nullptr);
    ASSERT_GOOD(parhelion_find_gas(parhelion_gas_name(gas), &found));
    EXPECT_EQ(found, gas);
  }
  std::int32_t found = -1;
  EXPECT_GOOD(parhelion_find_gas("Nitrogen_Dioxide", &found));
  EXPECT_EQ(found, PARHELION_NO2);
  EXPECT_STREQ(parhelion_gas_name(PARHELION_CF4), "cf4");
  EXPECT_EQ(parhelion_gas_name(-1), nullptr);
  EXPECT_EQ(parhelion_gas_name(PARHELION_NGAS_ALL), nullptr);
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_find_gas("phlogiston", &found), "no gas \"phlogiston\"");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_find_gas(nullptr, &found), "name is NULL");
}

// --- gases ---------------------------------------------------------------------------------------------------------

TEST(CModels, AbsentGasesHaveTheirDefaultOrAreRefused) {
  PARHELION_REQUIRE_CASE(f, ecckd_lw, ecckd_case);
  auto with = ecckd_longwave(f);
  Made<LongwaveCase> const made(with);
  ASSERT_GOOD(made.status());
  double ratio = 0;
  std::int32_t role = 0;
  ASSERT_GOOD(parhelion_longwave_gas(made, PARHELION_CH4, &role, &ratio));
  with.in["ch4"].for_each([&](Index const& i) { with.in["ch4"].set(i, ratio); });
  ASSERT_GOOD(made.solve(with));
  auto without = ecckd_longwave(f);
  without.in.erase("ch4");
  ASSERT_GOOD(made.solve(without));
  expect_same_results(without, with);
  without.in.erase("o3");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, made.solve(without), "o3 is absent, expected it, as ecCKD needs it");

  // What is not offered neither has to be there nor may it.
  auto few = ecckd_longwave(f);
  few.options.gases = "water_vapor, o3 CO2,n2o,cfc11,cfc12";
  Made<LongwaveCase> const of_few(few);
  ASSERT_GOOD(of_few.status());
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_few.solve(few), "ch4 is given");
  few.in.erase("ch4");
  ASSERT_GOOD(of_few.solve(few));
  expect_same_results(few, with);
  few.options.gases = "h2o, neon";
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(few), "\"neon\"");
  few.options.gases = "h2o";
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(few), "gases lacks co2, o3");
}

// To RRTMGP a gas that a call does not give does not exist, whatever calls the object had before.
TEST(CModels, TheGasesOfACallAreThoseOfRrtmgp) {
  PARHELION_REQUIRE_CASE(all, rrtmgp_lw, "rrtmgp/case_clear_a_lw.nc");
  PARHELION_REQUIRE_CASE(few, rrtmgp_lw, "rrtmgp/case_fewgases_a_lw.nc");
  auto const all_gases = gases_of(all), few_gases = gases_of(few);
  ASSERT_NE(all_gases, few_gases);
  auto const keep_gases_of_case = [](LongwaveCase& c, File const& f) {
    auto const offered = gases_of_case(f.file);
    for (int gas = 0; gas < PARHELION_NGAS_ALL; ++gas)
      if (!offered.contains(static_cast<fluxes::Gas>(gas))) c.in.erase(parhelion_gas_name(gas));
  };
  auto of_all = rrtmgp_longwave(all, all_gases), of_few = rrtmgp_longwave(few, few_gases);
  keep_gases_of_case(of_all, all);
  keep_gases_of_case(of_few, few);
  ASSERT_GOOD(compute(of_all));
  ASSERT_GOOD(compute(of_few));
  auto open = of_few;
  open.options.gases = nullptr;
  open.options.ncol = std::max(of_all.options.ncol, of_few.options.ncol);
  Made<LongwaveCase> const made(open);
  ASSERT_GOOD(made.status());
  for (int call = 0; call < 2; ++call) {
    auto again = of_few;
    ASSERT_GOOD(made.solve(again));
    expect_same_results(again, of_few);
    expect_near(again.out["flux_up"], few.file, "n1_flux_up", 1e-9);
    auto of_others = of_all;
    ASSERT_GOOD(made.solve(of_others));
    expect_same_results(of_others, of_all);
  }
  auto without = of_few;
  without.in.erase("co2");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, made.solve(without), "co2 is absent");
  // The object remains as it was.
  auto again = of_few;
  ASSERT_GOOD(made.solve(again));
  expect_same_results(again, of_few);
}

// --- the sun -------------------------------------------------------------------------------------------------------

TEST(CModels, TheSunIsTheModelsOwnUnlessOptionsSayOtherwise) {
  PARHELION_REQUIRE_DATA(coefficients, rrtmgp_sw);
  parhelion_shortwave_options options{};
  options.size = sizeof(options);
  options.nlay = 3;
  options.coefficients = coefficients.c_str();
  parhelion_shortwave* object = nullptr;
  ASSERT_GOOD(parhelion_shortwave_create(&options, &object));
  parhelion_model model{};
  model.size = sizeof(model);
  ASSERT_GOOD(parhelion_shortwave_model(object, &model));
  auto const k = io::read_rrtmgp_gas_optics(coefficients);
  auto const total = [&](std::array<double, 4> const& weights) {
    double sum = 0;
    for (std::size_t g = 0; g < k.solar_quiet.size(); ++g)
      sum += weights[1] * k.solar_quiet[g] + weights[2] * k.solar_facular[g] + weights[3] * k.solar_sunspot[g];
    return sum;
  };
  parhelion_shortwave_input sun{};
  sun.size = sizeof(sun);
  std::array<double, 4> weights{};
  auto const ask = [&] { return parhelion_shortwave_sun_of(object, &sun, weights.data(), nullptr); };
  ASSERT_GOOD(ask());
  EXPECT_EQ(weights[0], 0);
  EXPECT_NEAR(weights[1], 1, 1e-12);
  EXPECT_NEAR(total(weights), model.total_irradiance, 1e-9);
  sun.total_irradiance = 1361;
  sun.distance_factor = 1.03;
  ASSERT_GOOD(ask());
  EXPECT_NEAR(total(weights), 1.03 * 1361, 1e-9);

  // The indices count one by one.
  sun = {};
  sun.size = sizeof(sun);
  sun.sun = PARHELION_SUN_INDICES;
  std::array<double, 2> indices{0.16, std::numeric_limits<double>::quiet_NaN()};
  sun.solar_indices = indices.data();
  ASSERT_GOOD(ask());
  auto const expected = fluxes::rrtmgp::solar_source(k, {.mg = 0.16});
  EXPECT_NEAR(weights[2] / weights[1], expected.facular, 1e-12 * std::abs(expected.facular));
  EXPECT_NEAR(weights[3] / weights[1], expected.sunspot, 1e-12 * std::abs(expected.sunspot));
  sun.sun = 0;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, ask(), "solar_indices is given");
  sun.solar_indices = nullptr;
  sun.sun = PARHELION_SUN_KURUCZ;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, ask(), "sun = -1");
  sun.sun = 0;
  sun.total_irradiance = -1;
  EXPECT_STATUS(PARHELION_ERROR_VALUE, ask(), "total_irradiance");
  ASSERT_GOOD(parhelion_shortwave_destroy(object));
}

// Of the irradiances in a definition only the ratios count.
TEST(CModels, TheSunOfEcckdHas1361WattsPerSquareMetre) {
  PARHELION_REQUIRE_CASE(f, ecckd_sw, ecckd_case);
  auto given = ecckd_shortwave(f), not_given = given;
  given.input.total_irradiance = 1361;
  not_given.input.total_irradiance = 0;
  Made<ShortwaveCase> const made(given);
  ASSERT_GOOD(made.status());
  parhelion_model model{};
  model.size = sizeof(model);
  ASSERT_GOOD(parhelion_shortwave_model(made, &model));
  EXPECT_EQ(model.total_irradiance, 1361);
  parhelion_shortwave_input sun{};
  sun.size = sizeof(sun);
  std::array<double, 4> weights{};
  ASSERT_GOOD(parhelion_shortwave_sun_of(made, &sun, weights.data(), nullptr));
  EXPECT_EQ(weights, (std::array{1361., 0., 0., 0.}));
  ASSERT_GOOD(made.solve(given));
  ASSERT_GOOD(made.solve(not_given));
  expect_same_results(not_given, given);
}

// --- refusals ------------------------------------------------------------------------------------------------------

TEST(CModels, OptionsOfOtherModelsAreRefused) {
  PARHELION_REQUIRE_DATA(coefficients, ecckd_lw);
  PARHELION_REQUIRE_DATA(of_rrtmgp, rrtmgp_lw);
  PARHELION_REQUIRE_DATA(of_shortwave, ecckd_sw);
  PARHELION_REQUIRE_DATA(clouds, "rrtmgp/rrtmgp-clouds-lw-bnd.nc");
  PARHELION_REQUIRE_DATA(sw_clouds, "rrtmgp/rrtmgp-clouds-sw-bnd.nc");
  auto const create = [](auto const& change) {
    parhelion_longwave_options options{};
    options.size = sizeof(options);
    options.nlay = 3;
    change(options);
    parhelion_longwave* object = nullptr;
    int const status = parhelion_longwave_create(&options, &object);
    EXPECT_EQ(object != nullptr, status == PARHELION_SUCCESS);
    EXPECT_EQ(parhelion_longwave_destroy(object), PARHELION_SUCCESS);
    return status;
  };
  auto const of_ecckd = [&](auto const& change) {
    return create([&](parhelion_longwave_options& o) {
      o.coefficients = coefficients.c_str();
      change(o);
    });
  };
  auto const of_gp = [&](auto const& change) {
    return create([&](parhelion_longwave_options& o) {
      o.coefficients = of_rrtmgp.c_str();
      change(o);
    });
  };
  using Options = parhelion_longwave_options;
  EXPECT_GOOD(of_ecckd([](Options&) {}));
  EXPECT_GOOD(of_gp([](Options&) {}));
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([](Options& o) { o.model = 5; }), "model = 5");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([](Options& o) { o.angles = 2; }), "angles = 2");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([](Options& o) { o.scattering = 1; }), "scattering = 1");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([](Options& o) { o.ice_roughness = 1; }), "ice_roughness");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([&](Options& o) { o.cloud_optics = clouds.c_str(); }),
                "cloud_optics is given");
  EXPECT_STATUS(PARHELION_ERROR_FILE,
                of_ecckd([](Options& o) { o.droplet_scattering = o.ice_scattering = "/nowhere"; }), "/nowhere");
  EXPECT_STATUS(PARHELION_ERROR_FILE,
                of_ecckd([&](Options& o) { o.droplet_scattering = o.ice_scattering = clouds.c_str(); }), "clouds-lw");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([](Options& o) { o.droplet_scattering = "/nowhere"; }),
                "droplet_scattering is given, expected ice_scattering with it");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([](Options& o) { o.ice_scattering = "/nowhere"; }),
                "ice_scattering is given, expected droplet_scattering with it");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT,
                of_ecckd([](Options& o) { o.cloud_averaging = PARHELION_CLOUD_AVERAGING_THIN; }),
                "cloud_averaging = 1, expected 0 without droplet_scattering");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_ecckd([](Options& o) { o.cloud_averaging = 2; }), "cloud_averaging = 2");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([](Options& o) { o.droplet_scattering = "/nowhere"; }),
                "droplet_scattering is given, expected that only with ecCKD, not with rrtmgp");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([](Options& o) { o.cloud_averaging = 1; }), "cloud_averaging is given");
  EXPECT_STATUS(PARHELION_ERROR_VALUE, of_ecckd([](Options& o) { o.clouds = PARHELION_CLOUDS_OF_LAYERS; }),
                "of which ecCKD was given no optics");
  EXPECT_STATUS(PARHELION_ERROR_VALUE, of_ecckd([](Options& o) { o.transmittance = PARHELION_TRANSMITTANCE_TABLE; }),
                "table");
  EXPECT_STATUS(PARHELION_ERROR_VALUE, of_gp([](Options& o) { o.clouds = PARHELION_CLOUDS_OF_LAYERS; }), "no optics");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([](Options& o) { o.angles = 5; }), "angles = 5");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([](Options& o) { o.scattering = 3; }), "scattering = 3");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([](Options& o) {
                  o.scattering = PARHELION_SCATTERING_TWO_STREAM;
                  o.angles = 1;
                }),
                "angles = 1");
  EXPECT_STATUS(PARHELION_ERROR_VALUE, of_gp([](Options& o) {
                  o.scattering = PARHELION_SCATTERING_TWO_STREAM;
                  o.derivative = 1;
                }),
                "derivatives");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([](Options& o) { o.ice_roughness = 1; }), "ice_roughness = 1");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([&](Options& o) {
                  o.cloud_optics = clouds.c_str();
                  o.ice_roughness = 4;
                }),
                "ice_roughness = 4");
  EXPECT_STATUS(PARHELION_ERROR_FILE, of_gp([&](Options& o) { o.cloud_optics = sw_clouds.c_str(); }), "clouds-sw");
  EXPECT_STATUS(PARHELION_ERROR_FILE, of_gp([&](Options& o) { o.cloud_optics = "/nowhere"; }), "/nowhere");
  EXPECT_STATUS(PARHELION_ERROR_FILE, of_gp([&](Options& o) { o.aerosol_optics = clouds.c_str(); }), "clouds-lw");
  EXPECT_STATUS(PARHELION_ERROR_FILE, of_gp([&](Options& o) { o.coefficients = of_shortwave.c_str(); }), "shortwave");
  EXPECT_STATUS(PARHELION_ERROR_FILE, of_gp([&](Options& o) { o.coefficients = clouds.c_str(); }), "clouds-lw");
  EXPECT_STATUS(PARHELION_ERROR_FILE, of_gp([&](Options& o) { o.coefficients = "/nowhere/file"; }), "/nowhere/file");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, of_gp([](Options& o) { o.level_temperatures = 2; }),
                "level_temperatures = 2");

  parhelion_shortwave_options options{};
  options.size = sizeof(options);
  options.nlay = 3;
  options.model = PARHELION_GAS_OPTICS_SIMPLE;
  parhelion_shortwave* object = nullptr;
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, parhelion_shortwave_create(&options, &object), "simple");
  options.model = PARHELION_GAS_OPTICS_ECCKD;
  options.coefficients = of_shortwave.c_str();
  options.aerosol_types = 1;
  EXPECT_STATUS(PARHELION_ERROR_VALUE, parhelion_shortwave_create(&options, &object), "550 nm");
}

TEST(CModels, ArraysOfOtherModelsAreRefused) {
  PARHELION_REQUIRE_CASE(f, rrtmgp_lw, "rrtmgp/case_allsky_a_lw.nc");
  auto const gases = gases_of(f), clouds = f.beside("cloud_optics"), aerosol = f.beside("aerosol_optics");
  auto good = rrtmgp_longwave(f, gases);
  good.options.cloud_optics = clouds.c_str();
  good.options.aerosol_optics = aerosol.c_str();
  add_particles(good, f);
  Made<LongwaveCase> const made(good);
  ASSERT_GOOD(made.status());
  ASSERT_GOOD(made.solve(good));
  auto bad = good;
  bad.in.erase("aerosol_mass");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, made.solve(bad), "expected all of aerosol_type");
  bad = good;
  bad.in["aerosol_type"].set({3, 4}, 8);
  EXPECT_STATUS(PARHELION_ERROR_VALUE, made.solve(bad), "aerosol_type");
  bad = good;
  bad.in.erase("fraction_gpt");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, made.solve(bad), "fraction_gpt, ice_path, liquid_path");
  bad = good;
  bad.in["fraction_gpt"] = CallerArray({bad.options.ncol, bad.options.nlay, 140}, plain);
  EXPECT_STATUS(PARHELION_ERROR_SHAPE, made.solve(bad), "fraction_gpt");
  bad = good;
  bad.in["emissivity_sfc"] = CallerArray({bad.options.ncol, 14}, plain);
  EXPECT_STATUS(PARHELION_ERROR_SHAPE, made.solve(bad), "emissivity_sfc");
  bad = good;
  add_results(bad, {"surface_share"});
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, made.solve(bad), "surface_share is given");
  auto plain_case = rrtmgp_longwave(f, gases);
  plain_case.in["aerosol_mass"] = good.in["aerosol_mass"];
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(plain_case), "made without aerosol_optics");
  plain_case.in.erase("aerosol_mass");
  plain_case.in.erase("temperature_lay");
  EXPECT_STATUS(PARHELION_ERROR_ARGUMENT, compute(plain_case), "temperature_lay is absent");
}
