// SPDX-License-Identifier: BSD-3-Clause
// A small atmosphere file in the column layout, for tests of `parhelion fluxes`.
#ifndef PARHELION_TESTS_APPS_COLUMN_FILE_HPP
#define PARHELION_TESTS_APPS_COLUMN_FILE_HPP

#include <parhelion/io/hdf5.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace parhelion::Testing {

// A variable beside those that every file has; a flag where it has no dimensions.
struct Extra {
  std::vector<std::string> dimensions;
  std::string unit;
  std::vector<double> values;
};

// A small file in the column layout, which tests may spoil.
struct ColumnFile {
  std::size_t ncol = 4, nlay = 12;
  bool top_first = false;
  std::string pressure_unit = "hPa";
  std::vector<double> play, plev, tlay, tlev, tsfc, emis, water, co2;
  std::map<std::string, Extra> extra = {};

  explicit ColumnFile(bool top_first_ = false) : top_first(top_first_) {
    auto const temperature = [](double p, double warm) {
      return std::max(200.0, 290 + warm + 20 * std::log(p / 1000));
    };
    for (std::size_t c = 0; c < ncol; ++c) {
      double const warm = 5.0 * static_cast<double>(c);
      auto const level = [&](std::size_t k) {
        std::size_t const from_surface = top_first ? nlay - k : k;
        return 1000 * std::pow(0.6, static_cast<double>(from_surface));
      };
      for (std::size_t k = 0; k <= nlay; ++k) {
        plev.push_back(level(k));
        tlev.push_back(temperature(level(k), warm));
      }
      for (std::size_t k = 0; k < nlay; ++k) {
        double const p = 0.5 * (level(k) + level(k + 1));
        play.push_back(p);
        tlay.push_back(temperature(p, warm));
        water.push_back(0.01 * std::pow(p / 1000, 3) + 3e-6);
        co2.push_back(4e-4);
      }
      tsfc.push_back(292 + warm);
      emis.push_back(0.97);
    }
  }

  void write(std::string const& path) const {
    io::NetcdfWriter writer(path);
    writer.dimension("column", ncol);
    writer.dimension("layer", nlay);
    writer.dimension("level", nlay + 1);
    auto const field = [&](char const* name, char const* vertical, std::vector<double> const& values,
                           std::string const& unit) {
      std::vector<std::string> dimensions{"column"};
      if (*vertical != '\0') dimensions.emplace_back(vertical);
      writer.variable(name, dimensions, values, {{"units", unit}});
    };
    field("play", "layer", play, pressure_unit);
    field("plev", "level", plev, pressure_unit);
    field("tlay", "layer", tlay, "K");
    field("tlev", "level", tlev, "K");
    field("tsfc", "", tsfc, "K");
    field("emis", "", emis, "1");
    field("h2ovmr", "layer", water, "mol mol-1");
    field("co2vmr", "layer", co2, "mol mol-1");
    writer.dimension("band", 16);
    writer.dimension("gpt", 140);
    writer.dimension("sw_band", 14);
    writer.dimension("sw_gpt", 112);
    writer.dimension("aerosol_type", 6);
    writer.dimension("lw_gpt", 32);
    writer.dimension("two", 2);
    for (auto const& [name, variable] : extra)
      writer.variable(name, variable.dimensions, variable.values, {{"units", variable.unit}});
    writer.commit();
  }

  // The other gases that RRTMG_LW asks for, none of them there.
  void add_gases() {
    for (char const* const name : {"o3vmr", "n2ovmr", "ch4vmr", "o2vmr", "ccl4vmr", "cfc11vmr", "cfc12vmr", "cfc22vmr"})
      extra[name] = {{"column", "layer"}, "mol mol-1", std::vector<double>(ncol * nlay)};
  }

  // Sun and albedo, which the shortwave asks for.
  void add_sun() {
    extra["coszen"] = {{"column"}, "1", {1, 0.5, 0.1, -0.2}};
    for (char const* const name : {"asdir", "asdif", "aldir", "aldif"})
      extra[name] = {{"column"}, "1", {0.1, 0.2, 0.3, 0.4}};
  }

  // Place of layer k, counted from the surface, of a column.
  std::size_t at(std::size_t column, std::size_t k) const { return column * nlay + (top_first ? nlay - 1 - k : k); }

  // Liquid clouds of the second and third layers and ice clouds of the sixth, the same in all columns.
  void add_layer_clouds(double fraction) {
    auto const add = [&](char const* name, char const* unit, double low, double high) {
      auto& variable = extra[name] = {{"column", "layer"}, unit, std::vector<double>(ncol * nlay)};
      for (std::size_t c = 0; c < ncol; ++c) {
        variable.values[at(c, 1)] = variable.values[at(c, 2)] = low;
        variable.values[at(c, 5)] = high;
      }
    };
    add("cldfrac", "1", fraction, fraction);
    add("clwp", "g m-2", 30, 0);
    add("ciwp", "g m-2", 0, 15);
    add("rel", "um", 10, 0);
    add("rei", "um", 0, 40);
  }

  // The same clouds in all g-points, of the longwave or of the shortwave.
  void add_gpoint_clouds(std::string const& prefix = "", std::string const& gpt = "gpt") {
    ColumnFile layers = *this;
    layers.add_layer_clouds(1);
    for (auto const& [name, from] :
         std::map<std::string, std::string>{{"cldfmcl", "cldfrac"}, {"clwpmcl", "clwp"}, {"ciwpmcl", "ciwp"}}) {
      auto const& source = layers.extra[from];
      auto& variable = extra[prefix + name] = {{"column", "layer", gpt}, source.unit, {}};
      for (double const value : source.values)
        variable.values.insert(variable.values.end(), gpt == "gpt" ? 140 : 112, value);
    }
    extra["reicmcl"] = layers.extra["rei"];
    extra["relqmcl"] = layers.extra["rel"];
  }
};

inline double largest_difference(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() != b.size() || a.empty()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const difference = std::abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

}  // namespace parhelion::Testing

#endif
