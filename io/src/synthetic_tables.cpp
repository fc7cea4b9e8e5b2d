// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/synthetic_tables.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace parhelion::io {

namespace {

constexpr double standard_pressure_hPa = 1013.25;
constexpr double reference_temperature = 296;  // [K]

constexpr int npressure = 40;
constexpr double lowest_pressure_hPa = 0.0103181;
constexpr double highest_pressure_hPa = 796.45;
constexpr int ntemperature = 29;
constexpr int middle_temperature = ntemperature / 2;
constexpr double temperature_step = 5;  // [K]
constexpr double first_emissivity = 1e-6;
constexpr double last_emissivity = 0.9999;
constexpr double column_density_ratio = 1.122;
constexpr int max_points = 300;
// Readers of tables drop larger ones [molecules cm-2].
constexpr double largest_column_density = 1e30;

// Round numbers of a mid-latitude atmosphere.
struct Node {
  double pressure_hPa;
  double temperature;  // [K]
};
constexpr Node mean_profile[] = {{0.01, 204}, {0.1, 230}, {0.4, 254}, {1, 265},   {2, 262},
                                 {10, 228},   {50, 217},  {180, 218}, {350, 236}, {1000, 285}};

// Linear in the logarithm of pressure.
double mean_temperature(double pressure_hPa) {
  auto const* upper = std::find_if(std::next(std::begin(mean_profile)), std::prev(std::end(mean_profile)),
                                   [=](Node const& node) { return node.pressure_hPa >= pressure_hPa; });
  auto const& [p0, t0] = *std::prev(upper);
  auto const& [p1, t1] = *upper;
  return t0 + (t1 - t0) * std::log(pressure_hPa / p0) / std::log(p1 / p0);
}

// Emissivity as a function of column density, at one pressure and temperature.
struct Path {
  double half_width;  // pi y / 2
  double strength;    // k [cm2 molecule-1]

  Path(BandParameters const& band, double pressure_hPa, double temperature) {
    double const ratio = reference_temperature / temperature;
    half_width = 0.5 * std::numbers::pi * band.width * (pressure_hPa / standard_pressure_hPa) * std::sqrt(ratio);
    strength = band.strength * ratio * std::sqrt(ratio) *
               std::exp(-band.lower_state * (1 / temperature - 1 / reference_temperature));
  }

  // -ln(tau); written without the difference that cancels where the path is thin.
  double depth(double u) const {
    double const x = 2 * strength * u / half_width;
    return half_width * x / (std::sqrt(1 + x) + 1);
  }

  // The inverse: depth solved for u.
  double column_density(double depth) const { return (depth + depth * depth / (2 * half_width)) / strength; }
};

void check(BandParameters const& band, char const* where) {
  auto const refuse = [&](char const* what, double value, char const* expected) {
    throw Error(where, fmt::format("{} = {}, expected {}", what, value, expected));
  };
  if (!(band.strength > 0 && std::isfinite(band.strength)))
    refuse("strength", band.strength, "a positive finite number [cm2 molecule-1]");
  if (!(band.width > 0 && std::isfinite(band.width))) refuse("width", band.width, "a positive finite number");
  if (!(band.lower_state >= 0 && std::isfinite(band.lower_state)))
    refuse("lower_state", band.lower_state, "a finite number of K, not negative");
}

// Between -1 and 1, smooth in wavenumber, another function for every gas and quantity. The periods [cm-1] are those of
// bands, branches and groups of lines; phases are multiples of the golden section and so never repeat.
double wave(int gas, int quantity, double wavenumber) {
  constexpr double period[] = {97, 31, 7.3};
  constexpr double weight[] = {1, 0.7, 0.4};
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    double const turns =
        wavenumber / period[i] + (gas + 0.37) * std::numbers::phi * (i + 1) + 0.29 * quantity * (i + 2);
    sum += weight[i] * std::sin(2 * std::numbers::pi * (turns - std::floor(turns)));
  }
  return sum / 2.1;
}

}  // namespace

BandParameters synthetic_band(int gas, double wavenumber) {
  if (gas < 0) throw Error("synthetic_band", fmt::format("gas = {}, expected 0 or more", gas));
  if (!(wavenumber > 0 && std::isfinite(wavenumber)))
    throw Error("synthetic_band", fmt::format("wavenumber = {} cm-1, expected a positive finite number", wavenumber));
  // A limb path of the lower stratosphere holds some 1e26 molecules cm-2 of air: six decades of strength around 3e-22
  // make a part per million anything from transparent to opaque. Lines are 0.03 to 0.3 of their spacing wide.
  return {.strength = std::pow(10., -21.5 + 3 * wave(gas, 0, wavenumber)),
          .width = std::pow(10., -1 + 0.5 * wave(gas, 1, wavenumber)),
          .lower_state = 800 + 600 * wave(gas, 2, wavenumber)};
}

double band_transmittance(BandParameters const& band, double pressure_hPa, double temperature, double column_density) {
  check(band, "band_transmittance");
  if (!(pressure_hPa > 0 && temperature > 0 && column_density >= 0))
    throw Error("band_transmittance",
                fmt::format("pressure, temperature, column density = {} hPa, {} K, {} cm-2, expected two positive "
                            "numbers and one that is not negative",
                            pressure_hPa, temperature, column_density));
  return std::exp(-Path(band, pressure_hPa, temperature).depth(column_density));
}

ega::EmissivityTable synthetic_table(BandParameters const& band) {
  check(band, "synthetic_table");
  double const first_depth = -std::log1p(-first_emissivity);
  double const last_depth = -std::log1p(-last_emissivity);

  ega::EmissivityTable table;
  table.first_temperature.push_back(0);
  table.first_point.push_back(0);
  table.column_density.reserve(npressure * ntemperature * 240);
  table.emissivity.reserve(npressure * ntemperature * 240);
  double const pressure_step = std::log(highest_pressure_hPa / lowest_pressure_hPa) / (npressure - 1);
  for (int p = 0; p < npressure; ++p) {
    double const pressure =
        p == npressure - 1 ? highest_pressure_hPa : lowest_pressure_hPa * std::exp(pressure_step * p);
    table.pressure_hPa.push_back(pressure);
    double const mean = mean_temperature(pressure);
    for (int t = 0; t < ntemperature; ++t) {
      double const temperature = mean + temperature_step * (t - middle_temperature);
      table.temperature.push_back(temperature);
      Path const path(band, pressure, temperature);
      double const end = std::min(path.column_density(last_depth), largest_column_density);
      double u = path.column_density(first_depth);
      float last_u = 0, last = 0;
      for (int i = 0; i < max_points && u <= end; ++i, u *= column_density_ratio) {
        // Of the column density that is stored, so that the curve is the formula's to the last digit.
        auto const stored = static_cast<float>(u);
        auto const emissivity = static_cast<float>(-std::expm1(-path.depth(stored)));
        if (!(stored > last_u && stored <= end && emissivity > last)) continue;
        table.column_density.push_back(last_u = stored);
        table.emissivity.push_back(last = emissivity);
      }
      if (static_cast<std::int64_t>(table.npoint()) == table.first_point.back())
        throw Error(
            "synthetic_table",
            fmt::format("strength = {} cm2 molecule-1, width = {}: no column density at {} hPa, {} K between {} "
                        "and {} molecules cm-2 has an emissivity from {} to {}",
                        band.strength, band.width, pressure, temperature, path.column_density(first_depth), end,
                        first_emissivity, last_emissivity));
      table.first_point.push_back(static_cast<std::int64_t>(table.npoint()));
    }
    table.first_temperature.push_back(static_cast<std::int64_t>(table.temperature.size()));
  }
  return table;
}

}  // namespace parhelion::io
