// SPDX-License-Identifier: BSD-3-Clause
#include "monte_carlo_values.hpp"
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/narrow_band_files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace parhelion::io {

namespace {

// Widths are printed with fewer digits than limits.
constexpr double width_tolerance = 1e-4;

void check_widths(Hdf5File const& file, monte_carlo::NarrowBandTable const& table, std::vector<double> const& width) {
  for (int b = 0; b < table.nband(); ++b) {
    double const between = table.width(b), found = width[static_cast<std::size_t>(b)];
    if (!(std::abs(found - between) <= width_tolerance * std::abs(between)))
      throw Error(file.path(),
                  fmt::format("band_width({0}) = {1} cm-1, expected band_right({0}) - band_left({0}) = {2} "
                              "cm-1",
                              b, found, between));
  }
}

}  // namespace

namespace {

// The lists are compared with the largest variable before any is read.
void check_shapes(Hdf5File const& file) {
  std::vector<std::size_t> expected;
  for (char const* const list : {"band_centre", "temperature", "g"}) {
    if (!file.exists(list)) return;  // which is said where it is read
    auto const shape = file.shape(list);
    expected.push_back(shape.size() == 1 ? shape.front() : 0);
  }
  if (std::find(expected.begin(), expected.end(), 0U) == expected.end() && file.exists("k"))
    expect_shape(file, "k", {"(band, temperature, g)", expected});
}

}  // namespace

monte_carlo::NarrowBandTable read_narrow_band(std::string const& path) {
  Hdf5File const file(path);
  monte_carlo::NarrowBandTable table;
  // The name goes into results.
  table.name = file.text_attribute("", "title").value_or("");
  if (!is_utf8(table.name)) throw Error(path, "attribute title is not valid UTF-8");
  if (table.name.empty()) table.name = valid_utf8(std::filesystem::path(path).filename().string());
  check_shapes(file);
  table.band_centre = read_list(file, "band_centre", "band", units_per_cm);
  table.temperature = read_list(file, "temperature", "temperature", units_kelvin);
  table.g = read_list(file, "g", "g", units_one);
  auto const nband = table.band_centre.size(), ntemperature = table.temperature.size(), ng = table.g.size();
  ExpectedShape const bands{"(band)", {nband}};
  table.band_left = read_values(file, "band_left", bands, units_per_cm);
  table.band_right = read_values(file, "band_right", bands, units_per_cm);
  auto const width = read_values(file, "band_width", bands, units_per_cm);
  table.weight = read_values(file, "w", {"(g)", {ng}}, units_one);
  auto const k = read_values(file, "k", {"(band, temperature, g)", {nband, ntemperature, ng}}, units_per_m);
  table.absorption = HostArray<double***>(Kokkos::view_alloc("parhelion::io::narrow_band", Kokkos::WithoutInitializing),
                                          nband, ntemperature, ng);
  std::copy(k.begin(), k.end(), table.absorption.data());
  validate(table, path);
  check_widths(file, table, width);
  return table;
}

}  // namespace parhelion::io
