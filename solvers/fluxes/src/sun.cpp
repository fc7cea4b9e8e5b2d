// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/sun.hpp>

#include "rrtmg_sw/reference_tables.hpp"
#include "sun_totals.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <numbers>

namespace parhelion::fluxes {

namespace {

using rrtmg_sw::facular_index;
using rrtmg_sw::nsolar_cycle;
using rrtmg_sw::sunspot_index;

// Integrals over the spectra [W m-2], as RRTMG_SW has them: not quite the sums of its tables.
constexpr double kurucz_total = 1368.22;
constexpr double quiet_total = 1360.37;
constexpr double facular_total = 0.996047;
constexpr double sunspot_total = -0.511590;

// An index of the solar cycle where the spectrum of faculae or sunspots has the weight 0, and its mean, with weight 1.
struct IndexScale {
  double zero;
  double mean;

  double weight(double index) const { return (index - zero) / (mean - zero); }
};
constexpr IndexScale facular_scale{0.14959542, 0.1567652};
constexpr IndexScale sunspot_scale{0.00066696, 902.71260};

// Where the mean solar cycle has its minimum and its maximum, and what is between the maximum and the next minimum, as
// parts of the cycle.
constexpr double cycle_minimum = 0.0189;
constexpr double cycle_maximum = 0.375;
constexpr double cycle_rise = 0.3561;
constexpr double cycle_fall = 0.6439;

void require(bool holds, std::string const& where, char const* what, auto value, char const* expected) {
  if (!holds) throw Error(where, fmt::format("{} is {}, expected {}", what, value, expected));
}

bool not_negative(double value) { return std::isfinite(value) && value >= 0; }

void check(SolarOptions const& options, std::string const& where) {
  int const variability = static_cast<int>(options.variability);
  require(variability >= -2 && variability <= 3, where, "variability", variability, "-2 to 3");
  char const* const at_least_0 = "a finite number of at least 0";
  require(not_negative(options.total_irradiance), where, "total_irradiance", options.total_irradiance, at_least_0);
  for (std::size_t i = 0; options.indices && i < 2; ++i)
    require(std::isfinite((*options.indices)[i]), where, i == 0 ? "indices[0]" : "indices[1]", (*options.indices)[i],
            "a finite number");
  if (options.cycle_fraction)
    require(*options.cycle_fraction >= 0 && *options.cycle_fraction <= 1, where, "cycle_fraction",
            *options.cycle_fraction, "0 to 1");
  for (std::size_t b = 0; options.band_factors && b < options.band_factors->size(); ++b)
    require(not_negative((*options.band_factors)[b]), where, fmt::format("band_factors[{}]", b).c_str(),
            (*options.band_factors)[b], at_least_0);
  require(not_negative(options.distance_factor), where, "distance_factor", options.distance_factor, at_least_0);
  require(options.day_of_year >= 0 && options.day_of_year <= 366, where, "day_of_year", options.day_of_year,
          "0 to 366");
}

// A table over the solar cycle, whose first and last interval are half as long as the others.
double in_cycle(std::array<double, nsolar_cycle> const& table, double fraction) {
  constexpr double intervals = nsolar_cycle - 2;
  constexpr double step = 1 / intervals;
  auto const between = [&](std::size_t lower, double weight) {
    return table[lower] + weight * (table[lower + 1] - table[lower]);
  };
  if (fraction <= 0) return table.front();
  if (fraction >= 1) return table.back();
  if (fraction <= step / 2) return between(0, fraction / (step / 2));
  if (fraction >= 1 - step / 2) return between(nsolar_cycle - 2, (fraction - (1 - step / 2)) / (step / 2));
  double const lower = std::floor((fraction - step / 2) * intervals);
  return between(static_cast<std::size_t>(lower) + 1, (fraction - (lower * step + step / 2)) / step);
}

// The amplitude that is asked for belongs to the maximum of the cycle; at its minimum it is 1.
double amplitude_in_cycle(double amplitude, double fraction) {
  if (fraction > cycle_maximum) return amplitude + (fraction - cycle_maximum) / cycle_fall * (1 - amplitude);
  if (fraction >= cycle_minimum) return 1 + (fraction - cycle_minimum) / cycle_rise * (amplitude - 1);
  return amplitude + (fraction + 1 - cycle_maximum) / cycle_fall * (1 - amplitude);
}

// Weights of NRLSSI2's three spectra.
struct SpectrumWeights {
  double quiet_sun = 1;
  double faculae = 1;
  double sunspots = 1;
};

SpectrumWeights mean_cycle(SolarOptions const& options) {
  if (options.total_irradiance == 0) return {};
  double const scale = options.total_irradiance / (quiet_total + facular_total + sunspot_total);
  return {scale, scale, scale};
}

SpectrumWeights cycle(SolarOptions const& options) {
  // One without the other counts as neither.
  bool const given = options.indices && options.cycle_fraction;
  double const fraction = given ? *options.cycle_fraction : 0;
  double const faculae = given ? amplitude_in_cycle((*options.indices)[0], fraction) : 1;
  double const sunspots = given ? amplitude_in_cycle((*options.indices)[1], fraction) : 1;
  double const quiet =
      options.total_irradiance > 0
          ? (options.total_irradiance - facular_total * faculae - sunspot_total * sunspots) / quiet_total
          : 1;
  return {quiet, faculae * facular_scale.weight(in_cycle(facular_index, fraction)),
          sunspots * sunspot_scale.weight(in_cycle(sunspot_index, fraction))};
}

SpectrumWeights of_indices(SolarOptions const& options) {
  // With a total irradiance RRTMG_SW ignores it and the indices.
  if (!options.indices || options.total_irradiance > 0) return {};
  return {1, facular_scale.weight((*options.indices)[0]), sunspot_scale.weight((*options.indices)[1])};
}

}  // namespace

double mean_cycle_irradiance() { return quiet_total + facular_total + sunspot_total; }

double sun_distance_factor(int day_of_year) {
  if (day_of_year < 1 || day_of_year > 366)
    throw Error("sun_distance_factor", fmt::format("day_of_year is {}, expected 1 to 366", day_of_year));
  double const angle = 2 * std::numbers::pi * (day_of_year - 1) / 365;
  return 1.000110 + 0.034221 * std::cos(angle) + 0.001289 * std::sin(angle) + 0.000719 * std::cos(2 * angle) +
         0.000077 * std::sin(2 * angle);
}

SolarSource solar_source(SolarOptions const& options, std::string const& where) {
  check(options, where);
  double const distance = options.day_of_year > 0 ? sun_distance_factor(options.day_of_year) : options.distance_factor;
  SolarSource source;
  source.band_factors.fill(1);
  bool const has_band_factors =
      options.variability == SolarVariability::kurucz || options.variability == SolarVariability::scaled_bands;
  if (has_band_factors && options.band_factors) source.band_factors = *options.band_factors;

  auto const kurucz = [&](double factor) { source.weights = {factor * distance, 0, 0, 0}; };
  auto const nrlssi2 = [&](SpectrumWeights const& weights) {
    source.weights = {0, weights.quiet_sun * distance, weights.faculae * distance, weights.sunspots * distance};
  };
  switch (options.variability) {
    case SolarVariability::kurucz_unscaled:
      kurucz(1);
      break;
    case SolarVariability::kurucz:
      kurucz(options.total_irradiance > 0 ? options.total_irradiance / kurucz_total : 1);
      break;
    case SolarVariability::mean_cycle:
    case SolarVariability::scaled_bands:
      nrlssi2(mean_cycle(options));
      break;
    case SolarVariability::cycle:
      nrlssi2(cycle(options));
      break;
    case SolarVariability::indices:
      nrlssi2(of_indices(options));
      break;
  }
  return source;
}

}  // namespace parhelion::fluxes
