// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_FIELD_OF_VIEW_HPP
#define PARHELION_EGA_FIELD_OF_VIEW_HPP

#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/spectra.hpp>

#include <string>
#include <vector>

namespace parhelion::ega {

/// \brief Vertical response of an instrument: weights over offsets of the view point altitude from that of the ray.
struct FieldOfView {
  std::vector<double> offset;  ///< [m], (node)
  std::vector<double> weight;  ///< relative, (node); the sum must not be 0

  bool empty() const { return offset.empty(); }
};

/// The number of rays on either side of a ray that its field of view considers.
inline constexpr int field_of_view_reach = 5;

/// \brief Averages radiances and transmittances over the field of view, ray by ray.
///
/// The neighbours of a ray within field_of_view_reach rays that have the same time form a profile over view point
/// altitude. It is interpolated linearly (extrapolated at the ends) to the altitude plus each offset, and averaged with
/// the weights.
///
/// \param fov         if empty, nothing is done
/// \param observation times and view points
/// \param spectra     radiance and transmittance are replaced
/// \param where       begins the messages, such as the name of a file; empty: the function
/// \throws parhelion::Error when a ray has no neighbour with another view point altitude, or an offset leads beyond the
///         altitudes of the neighbours by more than their range
void apply_field_of_view(FieldOfView const& fov, HostObservation const& observation, HostSpectra const& spectra,
                         std::string const& where = {});

}  // namespace parhelion::ega

#endif
