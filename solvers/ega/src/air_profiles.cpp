// SPDX-License-Identifier: BSD-3-Clause
#include "air_profiles.hpp"

#include <parhelion/core/device.hpp>

#include <cstddef>

namespace parhelion::ega::Impl {

namespace {

template <class Space>
struct FillProfiles {
  Atmosphere<Space> atmosphere;
  AirProfiles<Space> profiles;

  KOKKOS_FUNCTION void operator()(int item) const {
    int const intervals = atmosphere.nlev() - 1;
    int const p = item / intervals;
    int const i = item % intervals;
    auto const& z = atmosphere.altitude;
    auto const& t = atmosphere.temperature;
    double const depth = z(p, i + 1) - z(p, i);
    profiles.air(p, i) = {
        .altitude = z(p, i),
        .inverse_depth = 1 / depth,
        .pressure = atmosphere.pressure(p, i),
        .pressure_slope = Kokkos::log(atmosphere.pressure(p, i + 1) / atmosphere.pressure(p, i)) / depth,
        .temperature = t(p, i),
        .temperature_slope = (t(p, i + 1) - t(p, i)) / depth};
    if (i > 0) return;
    profiles.range(p, 0) = lowest_altitude_of(atmosphere, p);
    profiles.range(p, 1) = z(p, intervals);
  }
};

}  // namespace

template <KokkosExecutionSpace Space>
AirProfiles<Space> fill_profiles(Space const& space, Atmosphere<Space> const& atmosphere,
                                 AirProfiles<Space> const& room) {
  AirProfiles<Space> profiles;
  profiles.mole_fraction = atmosphere.mole_fraction;
  profiles.extinction = atmosphere.extinction;
  profiles.cloud_height = atmosphere.cloud_height;
  profiles.cloud_depth = atmosphere.cloud_depth;
  profiles.cloud_extinction = atmosphere.cloud_extinction;
  profiles.surface_temperature = atmosphere.surface_temperature;
  profiles.surface_emissivity = atmosphere.surface_emissivity;
  auto const nprofile = static_cast<std::size_t>(atmosphere.nprofile());
  // Rows of intervals are contiguous, regardless of the capacity.
  profiles.air =
      WorkspaceArray<AirInterval**, Space>(room.air.data(), nprofile, static_cast<std::size_t>(atmosphere.nlev() - 1));
  profiles.range = WorkspaceArray<double* [2], Space>(room.range.data(), nprofile);
  Kokkos::parallel_for("parhelion::ega::fill_profiles",
                       Kokkos::RangePolicy<Space>(space, 0, atmosphere.nprofile() * (atmosphere.nlev() - 1)),
                       FillProfiles<Space>{atmosphere, profiles});
  return profiles;
}

#define PARHELION_IMPL_INSTANTIATE(SPACE) \
  template AirProfiles<SPACE> fill_profiles(SPACE const&, Atmosphere<SPACE> const&, AirProfiles<SPACE> const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_IMPL_INSTANTIATE)
#undef PARHELION_IMPL_INSTANTIATE

}  // namespace parhelion::ega::Impl
