// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_OBSERVATION_HPP
#define PARHELION_EGA_OBSERVATION_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/types.hpp>

#include <array>
#include <string>
#include <string_view>

namespace parhelion::ega {

/// \brief Places above a sphere with the mean radius of the Earth, one for each ray.
template <KokkosExecutionSpace ExecutionSpace, class Value>
struct Places {
  Array<Value*, ExecutionSpace> altitude;   ///< [m], (ray)
  Array<Value*, ExecutionSpace> longitude;  ///< [degree east], (ray)
  Array<Value*, ExecutionSpace> latitude;   ///< [degree north], (ray)

  /// Describes the arrays, with the given names and meanings of altitude, longitude and latitude.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, std::array<std::string_view, 3> const& names,
                             std::array<std::string_view, 3> const& meanings, Sets&... sets) {
    using namespace parhelion::dimension;
    action(
        ArrayDescription{
            .name = names[0], .unit = "m", .meaning = meanings[0], .standard_name = "altitude", .dimensions = {ray}},
        sets.altitude...);
    action(ArrayDescription{.name = names[1],
                            .unit = "degrees_east",
                            .meaning = meanings[1],
                            .standard_name = "longitude",
                            .dimensions = {ray}},
           sets.longitude...);
    action(ArrayDescription{.name = names[2],
                            .unit = "degrees_north",
                            .meaning = meanings[2],
                            .standard_name = "latitude",
                            .dimensions = {ray},
                            .range = {.lowest = -90, .highest = 90}},
           sets.latitude...);
  }
};

/// \brief Begin and direction of rays, in the memory of a solver.
///
/// A ray starts at the observer, in the direction of the view point, and ends where it leaves the atmosphere or reaches
/// the surface.
template <KokkosExecutionSpace ExecutionSpace>
struct Observation {
  Array<double const*, ExecutionSpace> time;      ///< [s] since 2000-01-01T00:00Z, (ray)
  Places<ExecutionSpace, double const> observer;  ///< where rays begin
  Places<ExecutionSpace, double const> view_point;
  Array<int const*, ExecutionSpace> profile = {};  ///< index of the profile of the atmosphere, (ray); empty: 0 for all

  KOKKOS_INLINE_FUNCTION int nray() const { return static_cast<int>(observer.altitude.extent(0)); }

  /// Describes the arrays, see DescribedArrays.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    using namespace parhelion::dimension;
    using ThesePlaces = Places<ExecutionSpace, double const>;
    action(ArrayDescription{.name = "time",
                            .unit = "seconds since 2000-01-01 00:00:00",
                            .meaning = "time of the observation",
                            .standard_name = "time",
                            .dimensions = {ray}},
           sets.time...);
    ThesePlaces::for_each_array(action, {"observer_altitude", "observer_longitude", "observer_latitude"},
                                {"altitude of the observer", "longitude of the observer", "latitude of the observer"},
                                sets.observer...);
    ThesePlaces::for_each_array(
        action, {"view_point_altitude", "view_point_longitude", "view_point_latitude"},
        {"altitude of the view point", "longitude of the view point", "latitude of the view point"},
        sets.view_point...);
    action(ArrayDescription{.name = "profile",
                            .unit = "1",
                            .meaning = "index of the profile of the atmosphere, from 0",
                            .dimensions = {ray},
                            .range = ranges::not_negative,
                            .optional = true},
           sets.profile...);
  }
};

/// \brief The same in host memory, with a mask of radiances that are not computed.
struct HostObservation {
  HostArray<double*> time;  ///< [s] since 2000-01-01T00:00Z, (ray)
  Places<Kokkos::DefaultHostExecutionSpace, double> observer;
  Places<Kokkos::DefaultHostExecutionSpace, double> view_point;
  HostArray<int*> profile;   ///< index of the profile of the atmosphere, (ray); empty: 0 for all
  HostArray<bool**> masked;  ///< radiances to leave out, (ray, channel); empty: none
  std::string name = {};     ///< begins messages, such as the name of the file; empty: the function

  int nray() const { return static_cast<int>(observer.altitude.extent(0)); }

  /// Describes the arrays, see DescribedArrays: those of Observation.
  template <class Action, class... Sets>
  static void for_each_array(Action const& action, Sets&... sets) {
    Observation<Kokkos::DefaultHostExecutionSpace>::for_each_array(action, sets...);
  }
};

/// An observation with time, observer and view_point allocated and zero.
HostObservation make_observation(int nray);

/// \brief Checks an observation.
///
/// It refuses extents that disagree, positions that are not finite, view points that are the observers, and profiles
/// that do not exist.
///
/// \param observation rays
/// \param nprofile    profiles of the atmosphere, >= 1
/// \param where       begins the messages; empty: the name of the observation
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void validate(HostObservation const& observation, int nprofile, std::string const& where = {});

}  // namespace parhelion::ega

#endif
