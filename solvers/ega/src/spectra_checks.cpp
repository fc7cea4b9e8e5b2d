// SPDX-License-Identifier: BSD-3-Clause
// Processing of spectra in host memory: checks for unphysical values, field of view, brightness temperatures, masks.
#include "brightness.hpp"
#include "host_forward.hpp"
#include "names.hpp"
#include "source.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/host_threads.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/ega/jurassic_constants.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::ega::Impl {

namespace {

// An upper bound for the radiance of a black body at a temperature [K] seen through a filter: its radiance at the
// brightest wavenumber of the filter. There is no such bound for filters with weights of both signs.
double brightest(Filter const& filter, double temperature) {
  if (filter.wavenumber.empty() ||
      std::any_of(filter.weight.begin(), filter.weight.end(), [](double w) { return w < 0; }))
    return std::numeric_limits<double>::infinity();
  constexpr double at_maximum = 2.8214393721220787;  // of x^3 / (exp(x) - 1)
  double const nu = std::clamp(at_maximum * temperature / jurassic_constants::second_radiation,
                               filter.wavenumber.front(), filter.wavenumber.back());
  return jurassic_constants::first_radiation * nu * nu * nu /
         std::expm1(jurassic_constants::second_radiation * nu / temperature);
}

// The highest temperature of air and surface [K].
double warmest_of(HostAtmosphere const& atmosphere) {
  double warmest = 0;
  for (auto const& [values, n] : {std::pair(atmosphere.temperature.data(), atmosphere.temperature.size()),
                                  std::pair(atmosphere.surface_temperature.data(),
                                            atmosphere.has_surface() ? atmosphere.surface_temperature.size() : 0)})
    for (std::size_t i = 0; i < n; ++i) warmest = std::max(warmest, values[i]);
  return warmest;
}

// The factor by which the surface may exceed a black body: 1, unless emissivities that are extrapolated linearly beyond
// the outermost wavenumbers are outside [0, 1]. Below 0, the surface reflects more.
double brightened_by_surface(Problem const& problem, HostAtmosphere const& atmosphere, int channel) {
  auto const& nodes = problem.channels.surface_wavenumber;
  double most = 1;
  if (!atmosphere.has_surface() || nodes.size() < 2) return most;
  auto const at = locate(nodes.data(), static_cast<int>(nodes.size()), problem.channels.wavenumber[channel]);
  for (int profile = 0; profile < atmosphere.nprofile(); ++profile) {
    double const emissivity = interpolate(&atmosphere.surface_emissivity(profile, 0), at);
    most = std::max({most, emissivity, 1 - emissivity});
  }
  return most;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rays whose spectra a thread checks at a time.
constexpr int rays_of_block = 1024;

/// \brief The blocks of rays in which a value is not between 0 and its limit, or not a number.
/// \param most     largest radiance of each channel
/// \param rounding by which part of it values of a ray may exceed the limit
std::vector<int> doubtful_blocks(HostThreads const& threads, HostSpectra const& spectra,
                                 std::vector<double> const& most, std::vector<double> const& rounding) {
  auto const nray = static_cast<std::size_t>(spectra.radiance.extent(0));
  auto const nchannel = most.size();
  std::vector<int> doubtful((nray + rays_of_block - 1) / rays_of_block);
  threads.for_each(
      "parhelion::ega::check_spectra", doubtful.size(),
      [&](std::size_t block) {
        int bad = 0;
        for (std::size_t r = block * rays_of_block; r < std::min(nray, (block + 1) * rays_of_block); ++r) {
          double const* const radiance = &spectra.radiance(r, 0);
          double const* const transmittance = &spectra.transmittance(r, 0);
          double const factor = 1 + rounding[r];
          for (std::size_t c = 0; c < nchannel; ++c)
            bad += !(radiance[c] >= 0 && radiance[c] <= most[c] * factor && radiance[c] < infinity &&
                     transmittance[c] >= 0 && transmittance[c] <= factor);
        }
        doubtful[block] = bad;
      },
      static_cast<std::int64_t>(nray * nchannel));
  return doubtful;
}

}  // namespace

void check_plausible(HostThreads const& threads, Problem const& problem, HostAtmosphere const& atmosphere,
                     HostObservation const& observation, HostSpectra const& spectra, Air air) {
  int const nray = static_cast<int>(spectra.radiance.extent(0));
  int const nchannel = static_cast<int>(spectra.radiance.extent(1));
  if (nray == 0 || nchannel == 0) return;
  double const warmest = warmest_of(atmosphere);
  bool const bounded = problem.options.surface != SurfaceType::sunlight && warmest >= source_first_temperature &&
                       warmest <= source_last_temperature;
  std::vector<double> most, rounding;
  // The source is interpolated linearly and is not above that of the warmer node.
  for (int c = 0; c < nchannel; ++c)
    most.push_back(bounded ? brightest(problem.channels.filter[c], warmest + source_spacing) *
                                 brightened_by_surface(problem, atmosphere, c)
                           : infinity);
  // Each gas and the continua round a few times at each point, in the worst case in float and in the same direction.
  for (int r = 0; r < nray; ++r)
    rounding.push_back(4. * spectra.npoint(r) * (problem.ngas() + 1) * std::numeric_limits<float>::epsilon());
  auto const doubtful = doubtful_blocks(threads, spectra, most, rounding);
  if (std::none_of(doubtful.begin(), doubtful.end(), [](int values) { return values > 0; })) return;

  auto const& ratios = atmosphere.mole_fraction;
  bool const goes_on = air == Air::trial && std::any_of(ratios.data(), ratios.data() + ratios.size(),
                                                        [](double ratio) { return ratio < 0; });
  // Radiances that cancel within a field of view leave the rounding of some hundred weighted terms.
  constexpr double left_of_zero = 1e-9;
  std::vector<double> largest(static_cast<std::size_t>(nchannel));
  for (int r = 0; r < nray; ++r)
    for (int c = 0; c < nchannel; ++c)
      if (std::isfinite(spectra.radiance(r, c))) largest[c] = std::max(largest[c], std::abs(spectra.radiance(r, c)));
  for (int r = 0; r < nray; ++r) {
    if (doubtful[r / rays_of_block] == 0) continue;
    for (int c = 0; c < nchannel; ++c) {
      auto const check = [&](double& value, char const* name, char const* unit, double least, double limit) {
        if (std::isfinite(value) && (goes_on || (value >= -least && value <= limit * (1 + rounding[r])))) return;
        if (air == Air::given)
          throw Error(name_or(observation.name, "compute_spectra"),
                      fmt::format("{}({}, {}) = {:.6g}{}, expected {}", name, r, c, value, unit,
                                  std::isfinite(limit) ? fmt::format("0 to {:.6g}{}", limit, unit)
                                                       : std::string("a finite number of at least 0")));
        value = std::numeric_limits<double>::quiet_NaN();
      };
      check(spectra.radiance(r, c), "radiance", " W m-2 sr-1 (cm-1)-1", left_of_zero * largest[c], most[c]);
      check(spectra.transmittance(r, c), "transmittance", "", left_of_zero, 1);
    }
  }
}

namespace {

void expect_finite(HostSpectra const& spectra, HostObservation const& observation) {
  std::string const where = name_or(observation.name, "compute_spectra");
  HostSpectra::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (description.name == "radiance") check_values(where, description, array_ref(view));
      },
      spectra);
}

void apply_options(Problem const& problem, HostObservation const& observation, HostSpectra const& spectra) {
  if (!problem.options.brightness_temperature && observation.masked.size() == 0) return;
  for (int r = 0; r < static_cast<int>(spectra.radiance.extent(0)); ++r)
    for (int c = 0; c < problem.nchannel(); ++c) {
      double& radiance = spectra.radiance(r, c);
      if (problem.options.brightness_temperature)
        radiance = brightness_temperature(problem.channels.wavenumber[c], radiance);
      if (observation.masked.size() > 0 && observation.masked(r, c))
        radiance = std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace

void finish_spectra(HostThreads const& threads, Problem const& problem, HostAtmosphere const& atmosphere,
                    HostObservation const& observation, HostSpectra const& spectra, Air air) {
  check_plausible(threads, problem, atmosphere, observation, spectra, air);
  if (!(problem.field_of_view.empty() && problem.field_of_view.weight.empty())) {
    apply_field_of_view(problem.field_of_view, observation, spectra, observation.name);
    check_plausible(threads, problem, atmosphere, observation, spectra, air);
  }
  apply_options(problem, observation, spectra);
}

void finish_moved_spectra(Problem const& problem, HostObservation const& observation, HostSpectra const& spectra,
                          Air air) {
  if (air == Air::given) expect_finite(spectra, observation);
  apply_field_of_view(problem.field_of_view, observation, spectra, observation.name);
  apply_options(problem, observation, spectra);
}

}  // namespace parhelion::ega::Impl
