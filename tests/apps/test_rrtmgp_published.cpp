// SPDX-License-Identifier: BSD-3-Clause
// `parhelion fluxes` with RRTMGP's own k-distributions, against the fluxes that are distributed with them. Skips where
// these files are not: `scripts/get-data.sh rrtmgp` fetches them.
#include "program.hpp"
#include "testing.hpp"

#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

// RTE+RRTMGP's own tests ask for this in double precision [W m-2].
constexpr double tolerance = 7e-4;
// What the sets with half of the g-points differ by from the full ones, by which the fluxes were computed.
constexpr double tolerance_of_reduced = 2.;

io::Hdf5File solve(std::string const& input, std::string const& options) {
  std::string const result = scratch_folder() + "/out.nc";
  auto const outcome = run("fluxes " + quoted(input) + " " + options + " -o " + quoted(result));
  if (outcome.code != 0) throw std::runtime_error(outcome.output);
  return io::Hdf5File(result);
}

double largest_of(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() != b.size()) throw std::runtime_error("other extents");
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

std::string published(std::string const& variable) {
  return "rrtmgp/published/" + variable + "_Efx_RTE-RRTMGP-181204_rad-irf_r1i1p1f1_gn.nc";
}

// The all-sky example: its file in the layout that the program reads.
struct Example {
  io::Hdf5File file;
  std::size_t nlay, ncol;

  explicit Example(std::string const& path) : file(path), nlay(file.shape("p_lay")[0]), ncol(file.shape("p_lay")[1]) {}

  // (layer or level, column) to (column, layer or level).
  std::vector<double> turned(std::string const& name) const {
    auto const values = file.read(name);
    std::size_t const n = values.size() / ncol;
    std::vector<double> turned(values.size());
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < ncol; ++c) turned[c * n + k] = values[k * ncol + c];
    return turned;
  }

  // As the example computes it.
  std::vector<double> relative_humidity() const {
    auto humidity = turned("h2o");
    auto const p = turned("p_lay"), t = turned("t_lay");
    for (std::size_t i = 0; i < humidity.size(); ++i) {
      double const mass = humidity[i] * 0.018016 / 0.028964, q = std::max(1e-7, mass / (1 + mass));
      humidity[i] = 0.01 * 0.263 * p[i] * q / std::exp(17.67 * (t[i] - 273.16) / (t[i] - 29.65));
    }
    return humidity;
  }

  std::string write() const {
    std::string const path = scratch_folder() + "/in.nc";
    io::NetcdfWriter writer(path);
    writer.dimension("column", ncol);
    writer.dimension("layer", nlay);
    writer.dimension("level", nlay + 1);
    auto const put = [&](std::string const& name, char const* vertical, std::vector<double> const& values,
                         char const* unit) {
      std::vector<std::string> dimensions{"column"};
      if (*vertical != '\0') dimensions.emplace_back(vertical);
      writer.variable(name, dimensions, values, {{"units", unit}});
    };
    auto const levels = turned("t_lev");
    std::vector<double> surface(ncol);
    for (std::size_t c = 0; c < ncol; ++c) surface[c] = levels[c * (nlay + 1)];
    put("plev", "level", turned("p_lev"), "Pa");
    put("play", "layer", turned("p_lay"), "Pa");
    put("tlev", "level", levels, "K");
    put("tlay", "layer", turned("t_lay"), "K");
    put("tsfc", "", surface, "K");
    put("vmr_h2o", "layer", turned("h2o"), "1");
    put("vmr_o3", "layer", turned("o3"), "1");
    for (auto const& [gas, ratio] : {std::pair("co2", 348e-6), std::pair("ch4", 1650e-9), std::pair("n2o", 306e-9),
                                     std::pair("n2", 0.7808), std::pair("o2", 0.2095), std::pair("co", 0.)})
      put(std::string("vmr_") + gas, "layer", std::vector<double>(ncol * nlay, ratio), "1");
    for (auto const& [name, value] : {std::pair("emissivity", 0.98), std::pair("albedo_direct", 0.06),
                                      std::pair("albedo_diffuse", 0.06), std::pair("mu0", 0.86)})
      put(name, "", std::vector<double>(ncol, value), "1");
    put("lwp", "layer", turned("lwp"), "g m-2");
    put("iwp", "layer", turned("iwp"), "g m-2");
    put("rel", "layer", turned("rel"), "um");
    put("dei", "layer", turned("rei"), "um");
    if (file.exists("aero_type")) {
      put("aerosol_type", "layer", turned("aero_type"), "1");
      put("aerosol_size", "layer", turned("aero_size"), "um");
      put("aerosol_mass", "layer", turned("aero_mass"), "kg m-2");
      put("relative_humidity", "layer", relative_humidity(), "1");
    }
    writer.commit();
    return path;
  }
};

}  // namespace

TEST(published, FullSetsOnRfmip) {
  PARHELION_REQUIRE_DATA(lw, "rrtmgp/rrtmgp-gas-lw-g256.nc");
  PARHELION_REQUIRE_DATA(sw, "rrtmgp/rrtmgp-gas-sw-g224.nc");
  PARHELION_REQUIRE_DATA(rfmip, "rfmip/rfmip_atmospheres.nc");
  auto const result =
      solve(rfmip, "--longwave --shortwave --coefficients " + quoted(lw) + " --coefficients " + quoted(sw));
  for (std::string const name : {"rlu", "rld", "rsu", "rsd"}) {
    PARHELION_REQUIRE_DATA(expected, published(name));
    EXPECT_LE(largest_of(result.read(name), io::Hdf5File(expected).read(name)), tolerance) << name;
  }
}

TEST(published, ReducedSetsOnRfmip) {
  PARHELION_REQUIRE_DATA(lw, "rrtmgp/rrtmgp-gas-lw-g128.nc");
  PARHELION_REQUIRE_DATA(sw, "rrtmgp/rrtmgp-gas-sw-g112.nc");
  PARHELION_REQUIRE_DATA(rfmip, "rfmip/rfmip_atmospheres.nc");
  auto const result = solve(
      rfmip, "--experiment 1 --longwave --shortwave --coefficients " + quoted(lw) + " --coefficients " + quoted(sw));
  for (std::string const name : {"rlu", "rld", "rsu", "rsd"}) {
    PARHELION_REQUIRE_DATA(expected, published(name));
    auto first = io::Hdf5File(expected).read(name);
    auto const found = result.read(name);
    first.resize(found.size());
    EXPECT_LE(largest_of(found, first), tolerance_of_reduced) << name;
  }
}

TEST(published, AllSkyExample) {
  PARHELION_REQUIRE_DATA(lw, "rrtmgp/rrtmgp-gas-lw-g256.nc");
  PARHELION_REQUIRE_DATA(sw, "rrtmgp/rrtmgp-gas-sw-g224.nc");
  struct Case {
    std::string suffix, lw_clouds, sw_clouds;
    bool aerosol;
  };
  for (auto const& each : {Case{"", "lw-bnd", "sw-bnd", true}, Case{"-no-aerosols", "lw-bnd", "sw-bnd", false},
                           Case{"-no-aerosols-gpt-clouds", "lw-g256", "sw-g224", false}})
    for (bool const shortwave : {false, true}) {
      std::string const range = shortwave ? "sw" : "lw";
      PARHELION_REQUIRE_DATA(file, "rrtmgp/published/rrtmgp-allsky-" + range + each.suffix + ".nc");
      PARHELION_REQUIRE_DATA(clouds, "rrtmgp/rrtmgp-clouds-" + (shortwave ? each.sw_clouds : each.lw_clouds) + ".nc");
      PARHELION_REQUIRE_DATA(aerosol, "rrtmgp/rrtmgp-aerosols-merra-" + range + ".nc");
      Example const example(file);
      std::string options = "--coefficients " + quoted(shortwave ? sw : lw) + " --cloud-optics " + quoted(clouds);
      if (each.aerosol) options += " --aerosol-optics " + quoted(aerosol);
      if (shortwave) options += " --shortwave";
      auto const input = example.write();
      std::string const kept = input.substr(0, input.rfind('/'));
      auto const outcome = run("fluxes " + quoted(input) + " " + options + " -o " + quoted(kept + "/out.nc"));
      ASSERT_EQ(outcome.code, 0) << outcome.output;
      io::Hdf5File const result(kept + "/out.nc");
      std::string const prefix = shortwave ? "sw_" : "";
      for (std::string const name : {"flux_up", "flux_dn"})
        EXPECT_LE(largest_of(result.read(prefix + name), example.turned(range + "_" + name)), tolerance)
            << file << " " << name;
      if (shortwave) {
        EXPECT_LE(largest_of(result.read("sw_flux_dn_direct"), example.turned("sw_flux_dir")), tolerance) << file;
      }
    }
}
