// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/ecckd/cloud_optics.hpp>

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/planck.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace parhelion::fluxes::ecckd {

namespace {

// Whose Planck function weights spectra of which a definition has none [K].
constexpr double temperature_of_sun = 5777;
constexpr double temperature_of_earth = 273.15;

// Steps by which a radius may be away from its even place: files hold single precision.
constexpr double uneven = 0.01;

// --- what g-points are made of -----------------------------------------------------------------------------------

/// A spectral interval that counts in a g-point.
struct Part {
  double low, high;  // [cm-1]
  double weight;     // of all of it
};

/// The irradiance by which what lies in each interval of a definition counts.
std::vector<double> weighting_spectrum(Definition const& definition) {
  if (!definition.solar_spectral_irradiance.empty()) return definition.solar_spectral_irradiance;
  double const temperature = definition.is_longwave ? temperature_of_earth : temperature_of_sun;
  std::vector<double> spectrum;
  for (std::size_t i = 0; i < definition.wavenumber1.size(); ++i) {
    double const low = definition.wavenumber1[i], high = definition.wavenumber2[i];
    spectrum.push_back(planck_radiance((low + high) / 2, temperature) * (high - low));
  }
  return spectrum;
}

/// The parts of each g-point; of one to which nothing contributes its band.
std::vector<std::vector<Part>> parts_of_gpoints(Definition const& definition) {
  auto const spectrum = weighting_spectrum(definition);
  std::size_t const n = spectrum.size();
  std::vector<std::vector<Part>> all;
  for (std::size_t g = 0; g < definition.band_number.size(); ++g) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < n; ++i)
      if (double const weight = definition.gpoint_fraction[g * n + i] * spectrum[i]; weight > 0)
        parts.push_back({definition.wavenumber1[i], definition.wavenumber2[i], weight});
    if (parts.empty()) {
      auto const band = static_cast<std::size_t>(definition.band_number[g]);
      parts.push_back({definition.wavenumber1_band[band], definition.wavenumber2_band[band], 1});
    }
    all.push_back(std::move(parts));
  }
  return all;
}

void expect_increasing(std::string const& where, char const* name, std::vector<double> const& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] < 0)
      throw Error(where, fmt::format("{}({}) = {} cm-1, expected a finite number of at least 0", name, i, values[i]));
    if (i > 0 && !(values[i] > values[i - 1]))
      throw Error(where, fmt::format("{}({}) = {} cm-1, expected more than the {} cm-1 before it", name, i, values[i],
                                     values[i - 1]));
  }
}

/// Makes (g-point, value) from add(part, row), which adds what the part has of each value, and makes each row add up to
/// 1.
template <class Add>
std::vector<double> weights_of(Definition const& definition, std::size_t nvalue, Add const& add) {
  auto const gpoints = parts_of_gpoints(definition);
  std::vector<double> weights(gpoints.size() * nvalue);
  for (std::size_t g = 0; g < gpoints.size(); ++g) {
    double* const row = weights.data() + g * nvalue;
    for (auto const& part : gpoints[g]) add(part, row);
    double sum = 0;
    for (std::size_t i = 0; i < nvalue; ++i) sum += row[i];
    for (std::size_t i = 0; i < nvalue; ++i) row[i] /= sum;
  }
  return weights;
}

// --- averages ----------------------------------------------------------------------------------------------------

/// What a particle does with light: extinction [m2 kg-1], single scattering albedo and asymmetry parameter.
struct Properties {
  double extinction, albedo, asymmetry;

  /// The same without the forward peak of scattering.
  Properties scaled() const {
    double const forward = asymmetry * asymmetry;
    double const left = 1 - albedo * forward;
    return {extinction * left, left > 0 ? albedo * (1 - forward) / left : 0, asymmetry / (1 + asymmetry)};
  }

  /// The inverse of scaled().
  Properties unscaled() const {
    double const g = asymmetry / (1 - asymmetry);
    double const forward = g * g;
    double const original = albedo / (1 - forward + albedo * forward);
    return {extinction / (1 - original * forward), original, g};
  }
};

/// What an infinitely thick cloud reflects, scaled as `of`: Edwards & Slingo (1996), doi:10.1002/qj.49712253107, eqs.
/// 17 and 18.
double reflection_of_thick(Properties const& of) {
  double const s = std::sqrt((1 - of.albedo) / (1 - of.albedo * of.asymmetry));
  return (1 - s) / (1 + s);
}

/// The albedo of particles of which an infinitely thick cloud reflects so much (eq. 19).
double albedo_of_thick(double reflection, double asymmetry) {
  double const more = (1 + reflection) * (1 + reflection), less = (1 - reflection) * (1 - reflection);
  return 4 * reflection / (more - asymmetry * less);
}

rrtmgp::ParticleTable average(ScatteringTable const& table, std::vector<double> const& weights, std::size_t ngpoint,
                              CloudAveraging averaging) {
  std::size_t const nwav = table.wavenumber.size(), nsize = table.effective_radius.size();
  rrtmgp::ParticleTable result{.smallest = table.effective_radius.front(),
                               .largest = table.effective_radius.back(),
                               .nsize = static_cast<int>(nsize),
                               .extinction = std::vector<double>(ngpoint * nsize),
                               .single_scattering = std::vector<double>(ngpoint * nsize),
                               .asymmetry = std::vector<double>(ngpoint * nsize)};
  for (std::size_t size = 0; size < nsize; ++size)
    for (std::size_t g = 0; g < ngpoint; ++g) {
      double extinction = 0, scattering = 0, asymmetric = 0, reflection = 0;
      for (std::size_t w = 0; w < nwav; ++w) {
        double const weight = weights[g * nwav + w];
        if (weight == 0) continue;
        std::size_t const i = size * nwav + w;
        auto const here = Properties{table.mass_extinction[i], table.single_scattering[i], table.asymmetry[i]}.scaled();
        extinction += weight * here.extinction;
        scattering += weight * here.extinction * here.albedo;
        asymmetric += weight * here.extinction * here.albedo * here.asymmetry;
        reflection += weight * reflection_of_thick(here);
      }
      Properties mean{extinction, extinction > 0 ? scattering / extinction : 0,
                      scattering > 0 ? asymmetric / scattering : 0};
      if (averaging == CloudAveraging::thick) mean.albedo = albedo_of_thick(reflection, mean.asymmetry);
      mean = mean.unscaled();
      std::size_t const to = g * nsize + size;
      result.extinction[to] = mean.extinction;
      // Rounding leaves a hair beyond.
      result.single_scattering[to] = std::clamp(mean.albedo, 0., 1.);
      result.asymmetry[to] = std::clamp(mean.asymmetry, -1., 1.);
    }
  return result;
}

}  // namespace

void check(ScatteringTable const& table) {
  auto const refuse = [&](std::string const& problem) { throw Error(table.where, problem); };
  auto const& wavenumber = table.wavenumber;
  auto const& radius = table.effective_radius;
  std::size_t const nwav = wavenumber.size(), nsize = radius.size();
  if (nwav == 0) refuse("wavenumber has 0 values, expected at least one");
  expect_increasing(table.where, "wavenumber", wavenumber);
  if (nsize < 2) refuse(fmt::format("effective_radius has {} values, expected at least 2", nsize));
  for (std::size_t i = 0; i < nsize; ++i)
    if (!std::isfinite(radius[i]) || !(radius[i] > 0) || (i > 0 && !(radius[i] > radius[i - 1])))
      refuse(fmt::format("effective_radius({}) = {:g} m, expected a finite number above {:g}", i, radius[i],
                         i > 0 ? radius[i - 1] : 0.));
  double const step = (radius.back() - radius.front()) / static_cast<double>(nsize - 1);
  for (std::size_t i = 1; i < nsize; ++i)
    if (std::abs((radius[i] - radius.front()) / step - static_cast<double>(i)) > uneven)
      refuse(fmt::format("effective_radius({}) = {:g} m, expected {:g} m, steps that are even", i, radius[i],
                         radius.front() + static_cast<double>(i) * step));
  auto const values = [&](char const* name, std::vector<double> const& of, ValueRange const& range, char const* unit) {
    if (of.size() != nsize * nwav)
      refuse(fmt::format("{} has {} values, expected {} = {} x {}", name, of.size(), nsize * nwav, nsize, nwav));
    for (std::size_t i = 0; i < of.size(); ++i)
      if (!std::isfinite(of[i]) || !range.contains(of[i]))
        refuse(fmt::format("{}({}, {}) = {:g}{}, expected {}", name, i / nwav, i % nwav, of[i], unit,
                           parhelion::describe(range)));
  };
  values("mass_extinction_coefficient", table.mass_extinction, ranges::not_negative, " m2 kg-1");
  values("single_scattering_albedo", table.single_scattering, ranges::zero_to_one, "");
  // Where all light goes straight on or back there is nothing to average.
  for (std::size_t i = 0; i < table.asymmetry.size(); ++i)
    if (std::abs(table.asymmetry[i]) == 1)
      refuse(fmt::format("asymmetry_factor({}, {}) = {:g}, expected a number between -1 and 1", i / nwav, i % nwav,
                         table.asymmetry[i]));
  values("asymmetry_factor", table.asymmetry, {.lowest = -1, .highest = 1}, "");
}

std::vector<double> wavenumber_weights(Definition const& definition, std::vector<double> const& wavenumber) {
  constexpr char const* where = "wavenumber_weights";
  if (wavenumber.empty()) throw Error(where, "there are no wavenumbers, expected at least one");
  expect_increasing(where, "wavenumber", wavenumber);
  std::size_t const n = wavenumber.size();
  return weights_of(definition, n, [&](Part const& part, double* row) {
    double const density = part.weight / (part.high - part.low);
    auto const width = [&](double low, double high) {
      return density * std::max(std::min(high, part.high) - std::max(low, part.low), 0.);
    };
    row[0] += width(part.low, wavenumber.front());
    row[n - 1] += width(wavenumber.back(), part.high);
    auto const first = std::upper_bound(wavenumber.begin(), wavenumber.end(), part.low) - wavenumber.begin();
    for (auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(first, 1)); i < n; ++i) {
      double const low = wavenumber[i - 1], high = wavenumber[i];
      if (low >= part.high) break;
      double const middle = (std::max(low, part.low) + std::min(high, part.high)) / 2;
      double const of_high = (middle - low) / (high - low);
      row[i - 1] += (1 - of_high) * width(low, high);
      row[i] += of_high * width(low, high);
    }
  });
}

std::vector<double> interval_weights(Definition const& definition, std::vector<double> const& between) {
  expect_increasing("interval_weights", "between", between);
  std::size_t const n = between.size() + 1;
  auto weights = weights_of(definition, n, [&](Part const& part, double* row) {
    for (std::size_t i = 0; i < n; ++i) {
      double const low = i == 0 ? part.low : std::max(part.low, between[i - 1]);
      double const high = i == n - 1 ? part.high : std::min(part.high, between[i]);
      if (high > low) row[i] += part.weight * (high - low) / (part.high - part.low);
    }
  });
  if (n == 1) return weights;
  // Rounding, of at most n epsilon in these numbers and in their sum with values, must not give an emissivity above 1.
  double const most = 1 + static_cast<double>(n + 1) * std::numeric_limits<double>::epsilon();
  for (double& weight : weights) weight /= most;
  return weights;
}

rrtmgp::CloudOptics average_clouds(Definition const& definition, ScatteringTable const& liquid,
                                   ScatteringTable const& ice, CloudAveraging averaging) {
  check(definition);
  check(liquid);
  check(ice);
  auto const of = [&](ScatteringTable const& table) {
    return average(table, wavenumber_weights(definition, table.wavenumber), definition.band_number.size(), averaging);
  };
  rrtmgp::CloudOptics optics;
  optics.where = fmt::format("{}, {}", liquid.where, ice.where);
  // The g-points as those of a single band, because bands of definitions may have none.
  optics.bands.wavenumbers = {
      *std::min_element(definition.wavenumber1_band.begin(), definition.wavenumber1_band.end()),
      *std::max_element(definition.wavenumber2_band.begin(), definition.wavenumber2_band.end())};
  optics.bands.gpoints = {1, definition.ngpoint()};
  optics.liquid = of(liquid);
  optics.ice = of(ice);
  optics.nroughness = 1;
  return optics;
}

}  // namespace parhelion::fluxes::ecckd
