// SPDX-License-Identifier: BSD-3-Clause
#include "names.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/ega/geometry.hpp>
#include <parhelion/ega/jurassic_constants.hpp>
#include <parhelion/ega/observation.hpp>

#include <fmt/format.h>

#include <cstddef>

namespace parhelion::ega {

namespace {

// Shortest distance between observer and view point that defines a direction [m]; coordinates are rounded to some 1e-9
// m.
constexpr double shortest_view = 1e-3;
// The longest one [m], whose square is still a number.
constexpr double longest_view = 1e150;

using HostPlaces = Places<Kokkos::DefaultHostExecutionSpace, double>;

HostPlaces make_places(int nray) {
  HostPlaces places;
  for (auto* array : {&places.altitude, &places.longitude, &places.latitude})
    *array = HostArray<double*>("parhelion::ega::places", nray);
  return places;
}

}  // namespace

HostObservation make_observation(int nray) {
  if (nray < 0) throw Error("make_observation", fmt::format("nray = {}, expected at least 0", nray));
  HostObservation o;
  o.time = HostArray<double*>("parhelion::ega::time", nray);
  o.observer = make_places(nray);
  o.view_point = make_places(nray);
  return o;
}

void validate(HostObservation const& o, int nprofile, std::string const& where_or_empty) {
  std::string const where = Impl::name_or(where_or_empty, Impl::name_or(o.name, "validate"));
  int const nray = o.nray();
  check_extents(where, o, {{dimension::ray, nray}});
  if (o.masked.size() > 0 && o.masked.extent_int(0) != nray)
    throw Error(where, fmt::format("masked has shape ({}, {}), expected ({}, {})", o.masked.extent(0),
                                   o.masked.extent(1), nray, o.masked.extent(1)));
  HostObservation::for_each_array(
      [&](ArrayDescription description, auto const& view) {
        // Profiles are checked below.
        if (description.name == "profile") return;
        if (description.name.ends_with("altitude"))
          description.range = {.lowest = -jurassic_constants::earth_radius, .above_lowest = true};
        check_values(where, description, array_ref(view));
      },
      o);
  for (int r = 0; r < nray; ++r) {
    auto const at = [&](HostPlaces const& p) { return to_cartesian(p.altitude(r), p.longitude(r), p.latitude(r)); };
    auto const& aim = o.view_point;
    double const distance = norm(at(aim) - at(o.observer));
    if (!(distance <= longest_view))
      throw Error(where, fmt::format("view_point({}) is {:.3g} m from the observer, expected at most {:.3g} m", r,
                                     distance, longest_view));
    if (!(distance >= shortest_view))
      throw Error(where, fmt::format("view_point({}) = ({} m, {}, {} degree) is the observer, expected another place",
                                     r, aim.altitude(r), aim.longitude(r), aim.latitude(r)));
  }
  for (std::size_t r = 0; r < o.profile.extent(0); ++r)
    if (o.profile(r) < 0 || o.profile(r) >= nprofile)
      throw Error(where, fmt::format("profile({}) = {}, expected the index of one of {} profiles, 0 to {}", r,
                                     o.profile(r), nprofile, nprofile - 1));
}

}  // namespace parhelion::ega
