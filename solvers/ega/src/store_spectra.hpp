// SPDX-License-Identifier: BSD-3-Clause
// The way of results from a device to host arrays.
#ifndef PARHELION_EGA_STORE_SPECTRA_HPP
#define PARHELION_EGA_STORE_SPECTRA_HPP

#include "host_forward.hpp"

#include <parhelion/ega/forward_model.hpp>

namespace parhelion::ega::Impl {

/// \brief Brings what came out for some rays and channels to its place among all.
/// \param room points that a ray may have
/// \throws parhelion::Error where a ray had no room for its points
template <class Space, class Real>
void store_spectra(Spectra<Space, Real> const& from, int room, int first_ray, int first_channel,
                   HostSpectra const& to) {
  auto const radiance = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.radiance);
  auto const transmittance = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.transmittance);
  auto const end = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from.end);
  for (int r = 0; r < static_cast<int>(end.extent(0)); ++r) {
    int const ray = first_ray + r;
    check_end(end(r), ray, room);
    to.points(ray) = end(r).npoint;
    to.tangent(ray, 0) = end(r).tangent.altitude;
    to.tangent(ray, 1) = end(r).tangent.longitude;
    to.tangent(ray, 2) = end(r).tangent.latitude;
    for (int c = 0; c < static_cast<int>(radiance.extent(1)); ++c) {
      to.radiance(ray, first_channel + c) = static_cast<double>(radiance(r, c));
      to.transmittance(ray, first_channel + c) = static_cast<double>(transmittance(r, c));
    }
  }
}

}  // namespace parhelion::ega::Impl

#endif
