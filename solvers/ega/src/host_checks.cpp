// SPDX-License-Identifier: BSD-3-Clause
// Checks of the input of calls from host arrays, and the atmosphere that is computed.
#include "host_forward.hpp"
#include "names.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/ega/trial.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::ega {

namespace Impl {

void check_problem(Problem const& problem, AtmosphereSizes const& sizes, std::string const& function) {
  std::string const where = name_or(problem.name, function);
  auto const& channels = problem.channels;
  auto const refuse = [&](std::string const& problem_text) { throw Error(where, problem_text); };
  if (problem.gases.size() != static_cast<std::size_t>(sizes.ngas))
    refuse(fmt::format("the atmosphere has {} gases, expected {}", sizes.ngas, problem.gases.size()));
  if (problem.gases.empty()) refuse("there are no gases, expected at least one");
  auto const n = channels.wavenumber.size();
  if (channels.window.size() != n || channels.filter.size() != n)
    refuse(
        fmt::format("{} channels have {} windows and {} filters", n, channels.window.size(), channels.filter.size()));
  for (std::size_t c = 0; c < n; ++c) {
    if (!(channels.wavenumber[c] > 0) || !std::isfinite(channels.wavenumber[c]))
      refuse(fmt::format("wavenumber({}) = {} cm-1, expected a positive finite number", c, channels.wavenumber[c]));
    if (channels.window[c] < 0 || channels.window[c] >= sizes.nwindow)
      refuse(fmt::format("window({}) = {}, expected 0 to {}", c, channels.window[c], sizes.nwindow - 1));
  }
  // Nodes are checked only if there are values at them.
  auto const check_nodes = [&](char const* what, std::optional<std::size_t> const& values, char const* name,
                               std::vector<double> const& nodes) {
    if (!values) return;
    if (nodes.size() != *values) refuse(fmt::format("{} has {} nodes, expected {}", what, *values, nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!std::isfinite(nodes[i]) || (i > 0 && !(nodes[i] > nodes[i - 1])))
        refuse(fmt::format("{}({}) = {} cm-1, expected a finite number{}", name, i, nodes[i],
                           i > 0 ? fmt::format(" above {} cm-1", nodes[i - 1]) : ""));
  };
  check_nodes("cloud_extinction", sizes.cloud_nodes, "cloud_wavenumber", channels.cloud_wavenumber);
  check_nodes("surface_emissivity", sizes.surface_nodes, "surface_wavenumber", channels.surface_wavenumber);
  auto const& options = problem.options;
  if (!(options.step > 0) || !std::isfinite(options.step))
    refuse(fmt::format("step = {} m, expected a positive finite number", options.step));
  if (!(options.vertical_step >= 0) || !std::isfinite(options.vertical_step))
    refuse(fmt::format("vertical_step = {} m, expected a finite number, 0 for no limit", options.vertical_step));
  if (options.solar_zenith_angle && !(*options.solar_zenith_angle >= 0 && *options.solar_zenith_angle <= 180))
    refuse(fmt::format("solar_zenith_angle = {} degree, expected a number from 0 to 180", *options.solar_zenith_angle));
  if (!problem.tables) refuse("problem.tables is empty, expected a provider of tables");
}

void validate_problem(Problem const& problem, HostAtmosphere const& atmosphere, HostObservation const& observation,
                      std::string const& function) {
  std::string const where = name_or(problem.name, function);
  validate(atmosphere);
  validate(observation, atmosphere.nprofile());
  auto const refuse = [&](std::string const& problem_text) { throw Error(where, problem_text); };
  AtmosphereSizes sizes{atmosphere.ngas(), atmosphere.nwindow(), {}, {}};
  if (atmosphere.has_cloud()) sizes.cloud_nodes = atmosphere.cloud_extinction.extent(1);
  if (atmosphere.has_surface()) sizes.surface_nodes = atmosphere.surface_emissivity.extent(1);
  check_problem(problem, sizes, function);
  for (std::size_t g = 0; g < problem.gases.size(); ++g)
    if (find_gas({problem.gases[g]}, atmosphere.gases[g]) < 0)
      refuse(fmt::format("gas {} of the atmosphere is {}, expected {}", g, atmosphere.gases[g], problem.gases[g]));
  auto const n = problem.channels.wavenumber.size();
  if (observation.masked.size() > 0 && observation.masked.extent(1) != n)
    refuse(fmt::format("masked has {} channels, expected {}", observation.masked.extent(1), n));
  auto const hydrostatic = with_hydrostatic_pressure(problem, atmosphere);
  for (int r = 0; r < observation.nray(); ++r) {
    double const lowest = lowest_altitude(hydrostatic, observation.profile.size() > 0 ? observation.profile(r) : 0);
    double const altitude = observation.observer.altitude(r);
    if (altitude < lowest)
      throw Error(name_or(observation.name, function),
                  fmt::format("observer({}) is at {:g} km, expected no lower than the ground at {:g} km", r,
                              altitude / 1000, lowest / 1000));
  }
}

HostAtmosphere computed_atmosphere(Problem const& problem, HostAtmosphere const& atmosphere, OutOfRange what,
                                   OutOfRangeCounts& counts, std::string const& where) {
  counts.clear();
  auto const valid = in_valid_range(atmosphere, what, counts, name_or(atmosphere.name, where));
  if (!problem.options.hydrostatic_reference) return valid;
  // Hydrostatic pressures may be out of range, too.
  OutOfRangeCounts hydrostatic_counts;
  auto const hydrostatic = in_valid_range(with_hydrostatic_pressure(problem, valid), what, hydrostatic_counts,
                                          name_or(atmosphere.name, where) + " with hydrostatic pressures");
  for (auto const& [variable, n] : hydrostatic_counts)
    for (auto& [known, all] : counts)
      if (known == variable && known == "pressure") all = std::max(all, n);
  return hydrostatic;
}

}  // namespace Impl

HostAtmosphere with_hydrostatic_pressure(Problem const& problem, HostAtmosphere const& atmosphere) {
  if (!problem.options.hydrostatic_reference) return atmosphere;
  HostAtmosphere result = atmosphere;
  result.pressure = HostArray<double**>("parhelion::ega::pressure", atmosphere.nprofile(), atmosphere.nlev());
  std::copy_n(atmosphere.pressure.data(), atmosphere.pressure.size(), result.pressure.data());
  make_hydrostatic(result, *problem.options.hydrostatic_reference);
  return result;
}

}  // namespace parhelion::ega
