// SPDX-License-Identifier: BSD-3-Clause
#include "names.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/ega/geometry.hpp>
#include <parhelion/ega/model_constants.hpp>
#include <parhelion/ega/observation.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace parhelion::ega {

namespace {

// Shortest distance between observer and view point that gives a direction [m]; altitudes are known to some 1e-9 m.
constexpr double shortest_view = 1e-3;

void check_positions(HostArray<double* [3]> const& at, std::string const& name, std::string const& where) {
  expect_values(where, at, name, "", "a finite number", [](double) { return true; });
  for (std::size_t r = 0; r < at.extent(0); ++r) {
    if (!(at(r, 0) > -model::earth_radius))
      throw Error(where, fmt::format("{}({}, 0) = {} m, expected an altitude above the Earth's centre, {} m", name, r,
                                     at(r, 0), -model::earth_radius));
    if (!(std::abs(at(r, 2)) <= 90))
      throw Error(where, fmt::format("{}({}, 2) = {} degree, expected a latitude in [-90, 90]", name, r, at(r, 2)));
  }
}

}  // namespace

HostObservation make_observation(int nray) {
  if (nray < 0) throw Error("make_observation", fmt::format("nray = {}, expected at least 0", nray));
  HostObservation o;
  o.time = HostArray<double*>("parhelion::Ega::time", nray);
  o.observer = HostArray<double* [3]>("parhelion::Ega::observer", nray);
  o.view_point = HostArray<double* [3]>("parhelion::Ega::view_point", nray);
  return o;
}

void validate(HostObservation const& o, int nprofile, std::string const& where_or_empty) {
  std::string const where = Impl::name_or(where_or_empty, Impl::name_or(o.name, "validate"));
  std::size_t const nray = o.observer.extent(0);
  expect_shape(where, o.time, "time", {nray});
  expect_shape(where, o.view_point, "view_point", {nray, 3});
  if (o.profile.size() > 0) expect_shape(where, o.profile, "profile", {nray});
  if (o.masked.size() > 0) expect_shape(where, o.masked, "masked", {nray, o.masked.extent(1)});
  expect_values(where, o.time, "time", "s", "a finite number", [](double) { return true; });
  check_positions(o.observer, "observer", where);
  check_positions(o.view_point, "view_point", where);
  for (std::size_t r = 0; r < nray; ++r) {
    auto const at = [&](HostArray<double* [3]> const& p) { return to_cartesian(p(r, 0), p(r, 1), p(r, 2)); };
    if (!(norm(at(o.view_point) - at(o.observer)) >= shortest_view))
      throw Error(where, fmt::format("view_point({}) = ({} m, {}, {} degree) is the observer, expected another place",
                                     r, o.view_point(r, 0), o.view_point(r, 1), o.view_point(r, 2)));
  }
  for (std::size_t r = 0; r < o.profile.extent(0); ++r)
    if (o.profile(r) < 0 || o.profile(r) >= nprofile)
      throw Error(where, fmt::format("profile({}) = {}, expected the number of one of {} profiles, 0 to {}", r,
                                     o.profile(r), nprofile, nprofile - 1));
}

}  // namespace parhelion::ega
