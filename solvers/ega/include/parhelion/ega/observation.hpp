// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_OBSERVATION_HPP
#define PARHELION_EGA_OBSERVATION_HPP

#include <parhelion/core/types.hpp>

#include <string>

namespace parhelion::ega {

/// \brief Where rays begin and where they aim, in host memory.
///
/// Positions are altitude [m], longitude [degree east], latitude [degree north], in this order, above a sphere of the
/// mean radius of the Earth. A ray starts at the observer towards the view point and ends where it leaves the
/// atmosphere or reaches the surface.
struct HostObservation {
  HostArray<double*> time;            ///< [s] since 2000-01-01T00:00Z, (ray)
  HostArray<double* [3]> observer;    ///< (ray, altitude/longitude/latitude)
  HostArray<double* [3]> view_point;  ///< (ray, altitude/longitude/latitude)
  HostArray<int*> profile;            ///< which profile of the atmosphere, (ray); empty: the first for all
  HostArray<bool**> masked;           ///< radiances to leave out, (ray, channel); empty: none
  std::string name = {};              ///< opens messages, such as that of the file; empty: the function

  int nray() const { return static_cast<int>(observer.extent(0)); }
};

/// An observation with time, observer and view_point allocated and zero.
HostObservation make_observation(int nray);

/// \brief Checks an observation: shapes, finite positions, view point other than the observer, profiles that exist.
/// \param observation rays
/// \param nprofile    profiles of the atmosphere, >= 1
/// \param where       opens the messages; empty: the name of the observation
/// \throws parhelion::Error naming the array, the index, the value and what was expected
void validate(HostObservation const& observation, int nprofile, std::string const& where = {});

/// Results of a forward calculation, in host memory.
struct HostSpectra {
  HostArray<double**> radiance;  ///< [W m-2 sr-1 (cm-1)-1], (ray, channel), or brightness temperature [K]; NaN: masked
  HostArray<double**> transmittance;  ///< of the whole path [1], (ray, channel)
  HostArray<double* [3]> tangent;     ///< tangent point: altitude [m], longitude, latitude [degree], (ray)
  HostArray<int*> points;             ///< points of the line of sight, (ray); 0: the ray does not meet the atmosphere
};

}  // namespace parhelion::ega

#endif
