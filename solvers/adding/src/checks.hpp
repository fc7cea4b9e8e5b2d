// SPDX-License-Identifier: BSD-3-Clause
// What the solvers refuse before they enqueue anything.
#ifndef PARHELION_ADDING_CHECKS_HPP
#define PARHELION_ADDING_CHECKS_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>

namespace parhelion::adding::Impl {

/// Refuses a View that has other extents than expected.
/// \param shared whether the first extent may also be 1, for all profiles
template <class View, std::size_t rank>
void expect_extents(char const* where, char const* name, View const& view, std::array<int, rank> const& expected,
                    bool shared = false) {
  static_assert(View::rank == rank);
  std::array<int, rank> found;
  for (std::size_t r = 0; r < rank; ++r) found[r] = static_cast<int>(view.extent(r));
  std::array<int, rank> other = expected;
  if (shared) other[0] = 1;
  if (found == expected || found == other) return;
  throw Error(where, fmt::format("{} has the extents ({}), expected ({}){}", name, fmt::join(found, ", "),
                                 fmt::join(expected, ", "), shared ? ", or 1 in the place of the first" : ""));
}

/// The same where it may be empty.
template <class View, std::size_t rank>
void expect_extents_if_any(char const* where, char const* name, View const& view,
                           std::array<int, rank> const& expected) {
  if (view.size() > 0) expect_extents(where, name, view, expected);
}

template <class View>
void expect_empty(char const* where, char const* name, View const& view, char const* reason) {
  if (view.size() > 0) throw Error(where, fmt::format("{} is given, {}", name, reason));
}

inline void expect_capacity(char const* where, char const* what, int asked, int capacity) {
  if (asked > capacity) throw Error(where, fmt::format("{} {}, the solver was made for {}", asked, what, capacity));
}

/// Numbers of profiles, layers and angles, surface and sky: what both paths have.
template <class Space, class Real>
void check_column(char const* where, Profiles<Space, Real> const& in, Capacity const& capacity) {
  int const np = in.nprofile();
  int const n = in.nangle();
  expect_capacity(where, "profiles", np, capacity.nprofile);
  expect_capacity(where, "layers", in.nlay(), capacity.nlay);
  expect_capacity(where, "angles", n, capacity.nangle);
  expect_extents(where, "planck_sfc", in.planck_sfc, std::array{np});
  expect_extents(where, "emissivity", in.emissivity, std::array{np, n});
  expect_extents_if_any(where, "specular_reflectivity", in.specular_reflectivity, std::array{np, n});
  expect_extents_if_any(where, "reflectivity", in.reflectivity, std::array{np, n, n});
  if (in.specular_reflectivity.size() > 0)
    expect_empty(where, "reflectivity", in.reflectivity, "but specular_reflectivity is, too");
  expect_extents_if_any(where, "cosmic", in.cosmic, std::array{np});
  if (in.solar_irradiance.size() > 0 || in.cos_sun.size() > 0 || in.direct_reflectivity.size() > 0) {
    expect_extents(where, "cos_sun", in.cos_sun, std::array{np});
    expect_extents(where, "solar_irradiance", in.solar_irradiance, std::array{np});
    expect_extents(where, "direct_reflectivity", in.direct_reflectivity, std::array{np, n});
  }
}

/// What is to be computed.
template <class Space, class Real>
void check_radiances(char const* where, Radiances<Space, Real> const& out, Profiles<Space, Real> const& in) {
  std::array const levels{in.nprofile(), in.nlev(), in.nangle()};
  expect_extents_if_any(where, "toa", out.toa, std::array{in.nprofile(), in.nangle()});
  expect_extents_if_any(where, "up", out.up, levels);
  expect_extents_if_any(where, "dn", out.dn, levels);
  expect_extents_if_any(where, "up_from_below", out.up_from_below, levels);
}

/// The members of a perturbation that both paths have.
template <class Space, class Real>
void check_column(char const* where, Perturbation<Space, Real> const& change, Profiles<Space, Real> const& in) {
  int const np = in.nprofile();
  int const n = in.nangle();
  std::array const layers{np, in.nlay()};
  expect_extents_if_any(where, "the perturbation's optical_depth", change.optical_depth, layers);
  expect_extents_if_any(where, "the perturbation's planck", change.planck, layers);
  expect_extents_if_any(where, "the perturbation's planck_sfc", change.planck_sfc, std::array{np});
  expect_extents_if_any(where, "the perturbation's emissivity", change.emissivity, std::array{np, n});
  expect_extents_if_any(where, "the perturbation's reflectivity", change.reflectivity, std::array{np, n, n});
  expect_extents_if_any(where, "the perturbation's direct_reflectivity", change.direct_reflectivity, std::array{np, n});
}

}  // namespace parhelion::adding::Impl

#endif
