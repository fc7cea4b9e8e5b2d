// SPDX-License-Identifier: BSD-3-Clause
// The rays that the field of view of a ray is interpolated between, on hosts and devices.
#ifndef PARHELION_EGA_RAYS_AROUND_HPP
#define PARHELION_EGA_RAYS_AROUND_HPP

#include <parhelion/core/interpolate.hpp>
#include <parhelion/core/types.hpp>
#include <parhelion/ega/field_of_view.hpp>

#include <string>

namespace parhelion::ega::Impl {

/// Rays by ascending altitude of their view points.
struct RaysAround {
  int ray[2 * field_of_view_reach + 1];
  int n;
};

/// \brief The rays of the profile around a ray. Of several at the same altitude the nearest in the order of the rays is
///        used, above all the ray itself: an offset of 0 then gives its own radiance.
/// \param time     of rays
/// \param altitude of view points
/// \param nray     number of all rays
/// \param ray      index of the ray
template <class Times, class Altitudes>
KOKKOS_INLINE_FUNCTION RaysAround rays_around(Times const& time, Altitudes const& altitude, int nray, int ray) {
  RaysAround around{};
  auto const distance = [&](int r) { return r > ray ? r - ray : ray - r; };
  auto const comes_before = [&](int a, int b) {
    if (altitude(a) != altitude(b)) return altitude(a) < altitude(b);
    return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
  };
  int const first = ray > field_of_view_reach ? ray - field_of_view_reach : 0;
  for (int r = first; r < nray && r <= ray + field_of_view_reach; ++r) {
    if (!(time(r) == time(ray))) continue;
    int at = around.n++;
    for (; at > 0 && comes_before(r, around.ray[at - 1]); --at) around.ray[at] = around.ray[at - 1];
    around.ray[at] = r;
  }
  int kept = 0;
  for (int i = 0; i < around.n; ++i)
    if (kept == 0 || altitude(around.ray[kept - 1]) != altitude(around.ray[i])) around.ray[kept++] = around.ray[i];
  around.n = kept;
  return around;
}

/// The position of an altitude among at least two rays around a ray.
template <class Altitudes>
KOKKOS_INLINE_FUNCTION GridPosition<double> locate_among(RaysAround const& around, Altitudes const& altitude,
                                                         double at) {
  return locate([&](int i) -> double { return altitude(around.ray[i]); }, around.n, at);
}

/// \brief Checks offsets and weights.
/// \return the sum of the weights
/// \throws parhelion::Error
double check_field_of_view(FieldOfView const& fov, std::string const& where);

}  // namespace parhelion::ega::Impl

#endif
