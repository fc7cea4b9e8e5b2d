// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/device_atmosphere.hpp>

#include <parhelion/core/device.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace parhelion::ega {

namespace {

// A copy of a host array on the device.
template <class DataType, class Space, class From>
Array<DataType, Space> copy(Space const& space, std::string const& label, From const& from) {
  Array<DataType, Space> const to(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::ega::" + label),
                                  from.layout());
  Kokkos::deep_copy(space, to, from);
  return to;
}

// The altitude at which a profile has a pressure: linear in its logarithm.
double altitude_of(HostAtmosphere const& atmosphere, int profile, double pressure) {
  auto const& p = atmosphere.pressure;
  auto const& z = atmosphere.altitude;
  int i = 0;
  while (i < atmosphere.nlev() - 2 && pressure <= p(profile, i + 1)) ++i;
  return z(profile, i) + (z(profile, i + 1) - z(profile, i)) * std::log(pressure / p(profile, i)) /
                             std::log(p(profile, i + 1) / p(profile, i));
}

}  // namespace

double lowest_altitude(HostAtmosphere const& atmosphere, int profile) {
  double lowest = atmosphere.altitude(profile, 0);
  if (atmosphere.has_surface()) {
    lowest = std::max(lowest, atmosphere.surface_altitude(profile));
    if (atmosphere.surface_pressure(profile) > 0)
      lowest = std::max(lowest, altitude_of(atmosphere, profile, atmosphere.surface_pressure(profile)));
  }
  return lowest;
}

template <KokkosExecutionSpace Space>
Atmosphere<Space> make_device_atmosphere(Space const& space, HostAtmosphere const& host) {
  int const nprofile = host.nprofile();
  int const nlev = host.nlev();
  HostArray<AirInterval**> const air("parhelion::ega::air", nprofile, nlev - 1);
  HostArray<double* [2]> const range("parhelion::ega::range", nprofile);
  HostArray<double* [2]> const cloud("parhelion::ega::cloud", host.has_cloud() ? nprofile : 0);
  Atmosphere<Space> device;
  for (int p = 0; p < nprofile; ++p) {
    for (int i = 0; i + 1 < nlev; ++i) {
      double const depth = host.altitude(p, i + 1) - host.altitude(p, i);
      air(p, i) = {.altitude = host.altitude(p, i),
                   .inverse_depth = 1 / depth,
                   .pressure = host.pressure(p, i),
                   .pressure_slope = std::log(host.pressure(p, i + 1) / host.pressure(p, i)) / depth,
                   .temperature = host.temperature(p, i),
                   .temperature_slope = (host.temperature(p, i + 1) - host.temperature(p, i)) / depth};
    }
    range(p, 0) = lowest_altitude(host, p);
    range(p, 1) = host.altitude(p, nlev - 1);
    device.longest_range = std::max(device.longest_range, range(p, 1) - range(p, 0));
    device.highest = std::max(device.highest, range(p, 1));
    if (host.has_cloud()) {
      cloud(p, 0) = host.cloud_height(p);
      cloud(p, 1) = host.cloud_depth(p);
    }
  }
  device.air = copy<AirInterval**>(space, "air", air);
  device.range = copy<double* [2]>(space, "range", range);
  device.mixing_ratio = copy<double***>(space, "mixing_ratio", host.mixing_ratio);
  device.extinction = copy<double***>(space, "extinction", host.extinction);
  if (host.has_cloud()) {
    device.cloud = copy<double* [2]>(space, "cloud", cloud);
    device.cloud_extinction = copy<double**>(space, "cloud_extinction", host.cloud_extinction);
  }
  if (host.has_surface()) {
    device.surface_temperature = copy<double*>(space, "surface_temperature", host.surface_temperature);
    device.surface_emissivity = copy<double**>(space, "surface_emissivity", host.surface_emissivity);
  }
  space.fence("parhelion::ega::make_device_atmosphere");
  return device;
}

#define PARHELION_IMPL_INSTANTIATE(SPACE) \
  template Atmosphere<SPACE> make_device_atmosphere(SPACE const&, HostAtmosphere const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega
