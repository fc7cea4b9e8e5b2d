// SPDX-License-Identifier: BSD-3-Clause
#include "rays_around.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/interpolate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace parhelion::ega {

namespace Impl {

double check_field_of_view(FieldOfView const& fov, std::string const& where) {
  if (fov.weight.size() != fov.offset.size())
    throw Error(where, fmt::format("the field of view has {} offsets and {} weights, expected as many",
                                   fov.offset.size(), fov.weight.size()));
  double sum = 0;
  for (std::size_t i = 0; i < fov.offset.size(); ++i) {
    if (!std::isfinite(fov.offset[i]))
      throw Error(where, fmt::format("offset({}) = {} m, expected a finite number", i, fov.offset[i]));
    if (!std::isfinite(fov.weight[i]))
      throw Error(where, fmt::format("weight({}) = {}, expected a finite number", i, fov.weight[i]));
    sum += fov.weight[i];
  }
  if (sum == 0) throw Error(where, "the weights of the field of view add up to 0, expected another sum");
  return sum;
}

}  // namespace Impl

namespace {

// The rays around a ray, at least two.
Impl::RaysAround neighbours(HostObservation const& observation, int ray, std::string const& where) {
  auto const& altitude = observation.view_point.altitude;
  auto const found = Impl::rays_around(observation.time, altitude, observation.nray(), ray);
  if (found.n < 2)
    throw Error(where, fmt::format("ray {} at {} m has no neighbour of the same time and another view point altitude "
                                   "within {} rays, expected at least one",
                                   ray, altitude(ray), field_of_view_reach));
  return found;
}

// Linear extrapolation is not meaningful far from all rays.
void check_reach(FieldOfView const& fov, HostObservation const& observation, int ray, double lowest, double highest,
                 std::string const& where) {
  double const span = highest - lowest;
  double const here = observation.view_point.altitude(ray);
  for (std::size_t k = 0; k < fov.offset.size(); ++k) {
    double const at = here + fov.offset[k];
    if (at < lowest - span || at > highest + span)
      throw Error(where,
                  fmt::format("offset({}) = {:g} m of the field of view looks at {:g} m from ray {}, expected {:g} to "
                              "{:g} m: the view points of the rays around it, and as far again on either side",
                              k, fov.offset[k], at, ray, lowest - span, highest + span));
  }
}

}  // namespace

void apply_field_of_view(FieldOfView const& fov, HostObservation const& observation, HostSpectra const& spectra,
                         std::string const& where_or_empty) {
  std::string const where = where_or_empty.empty() ? "apply_field_of_view" : where_or_empty;
  if (fov.empty() && fov.weight.empty()) return;
  double const sum_of_weights = Impl::check_field_of_view(fov, where);
  int const nray = observation.nray();
  int const nchannel = static_cast<int>(spectra.radiance.extent(1));
  Dimensions dimensions{{dimension::ray, nray}, {dimension::channel, nchannel}};
  check_extents(where, observation, dimensions);
  // Only the averaged arrays of the spectra need to exist.
  HostSpectra::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (description.rank() == 2) check_extents(where, description, array_ref(view), dimensions);
      },
      spectra);

  HostArray<double**> const radiance("parhelion::ega::radiance", nray, nchannel);
  HostArray<double**> const transmittance("parhelion::ega::transmittance", nray, nchannel);
  for (int ray = 0; ray < nray; ++ray) {
    auto const profile = neighbours(observation, ray, where);
    auto const& altitude = observation.view_point.altitude;
    check_reach(fov, observation, ray, altitude(profile.ray[0]), altitude(profile.ray[profile.n - 1]), where);
    for (std::size_t k = 0; k < fov.offset.size(); ++k) {
      double const weight = fov.weight[k] / sum_of_weights;
      auto const at = Impl::locate_among(profile, altitude, altitude(ray) + fov.offset[k]);
      int const below = profile.ray[at.index];
      int const above = profile.ray[at.index + 1];
      for (int c = 0; c < nchannel; ++c) {
        radiance(ray, c) += weight * linear(spectra.radiance(below, c), spectra.radiance(above, c), at.weight);
        transmittance(ray, c) +=
            weight * linear(spectra.transmittance(below, c), spectra.transmittance(above, c), at.weight);
      }
    }
  }
  std::copy_n(radiance.data(), radiance.size(), spectra.radiance.data());
  std::copy_n(transmittance.data(), transmittance.size(), spectra.transmittance.data());
}

}  // namespace parhelion::ega
