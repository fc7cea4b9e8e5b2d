// SPDX-License-Identifier: BSD-3-Clause
#include "solver_checks.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace parhelion::ega::Impl {

void check_capacity(std::string_view where, ForwardCapacity const& c) {
  for (int const number : {c.nray, c.ngas, c.nchannel, c.npoint, c.nprofile, c.nlev - 1})
    if (number <= 0)
      throw Error(where, fmt::format("capacity for {} rays, {} gases, {} channels, {} points and {} profiles of {} "
                                     "levels, expected positive numbers and at least 2 levels",
                                     c.nray, c.ngas, c.nchannel, c.npoint, c.nprofile, c.nlev));
}

void check_model(std::string_view where, ModelExtents const& model, ForwardCapacity const& capacity) {
  if (model.ngas != capacity.ngas || model.nchannel > capacity.nchannel)
    throw Error(where,
                fmt::format("the model has {} gases and {} channels, expected {} gases and no more than {} channels",
                            model.ngas, model.nchannel, capacity.ngas, capacity.nchannel));
}

namespace {

template <std::size_t n>
void check_together(std::string_view where, bool const (&there)[n], std::array<char const*, n> const& names) {
  for (std::size_t i = 0; i + 1 < n; ++i)
    if (there[i] != there[n - 1])
      throw Error(
          where, fmt::format("{} is {} and {} is {}, expected both or none", names[i], there[i] ? "given" : "not given",
                             names[n - 1], there[n - 1] ? "given" : "not given"));
}

}  // namespace

void check_parts(std::string_view where, AtmosphereParts const& parts) {
  check_together<3>(where, parts.cloud, {"cloud_height", "cloud_depth", "cloud_extinction"});
  check_together<4>(where, parts.surface,
                    {"surface_altitude", "surface_pressure", "surface_temperature", "surface_emissivity"});
}

void check_numbers(std::string_view where, Dimensions const& found, ModelExtents const& model,
                   ForwardCapacity const& capacity) {
  auto const rays = found[dimension::ray];
  auto const profiles = found[dimension::profile];
  auto const levels = found[dimension::level];
  if (rays > capacity.nray || profiles > capacity.nprofile || levels > capacity.nlev)
    throw Error(where, fmt::format("{} rays and {} profiles of {} levels, expected no more than {}, {} and {}", rays,
                                   profiles, levels, capacity.nray, capacity.nprofile, capacity.nlev));
  if (profiles < 1 || levels < 2)
    throw Error(where, fmt::format("altitude has shape ({}, {}), expected at least (1, 2)", profiles, levels));
  if (found[dimension::window] < model.nwindow)
    throw Error(where,
                fmt::format("extinction of {} windows, expected at least {}", found[dimension::window], model.nwindow));
}

}  // namespace parhelion::ega::Impl
