// SPDX-License-Identifier: BSD-3-Clause
// The checks of the solvers before they enqueue anything.
#ifndef PARHELION_ADDING_CHECKS_HPP
#define PARHELION_ADDING_CHECKS_HPP

#include <parhelion/adding/profiles.hpp>

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace parhelion::adding::Impl {

template <class View>
void expect_empty(char const* where, std::string_view name, View const& view, char const* reason) {
  if (view.size() > 0) throw Error(where, fmt::format("{} is given, {}", name, reason));
}

inline void expect_capacity(char const* where, char const* what, int asked, int capacity) {
  if (asked > capacity)
    throw Error(where,
                fmt::format("{} {}, expected at most the {} that the solver was made for", asked, what, capacity));
}

/// Whether a set has any array.
template <DescribedArrays Set>
bool any_array(Set const& set) {
  bool any = false;
  Set::for_each_array([&](ArrayDescription const&, auto const& view) { any = any || view.size() > 0; }, set);
  return any;
}

/// The sizes of profiles.
inline Dimensions dimensions(std::int64_t nprofile, std::int64_t nlay, std::int64_t nangle, std::int64_t nphase) {
  return {{dimension::profile, nprofile}, {dimension::layer, nlay},      {dimension::level, nlay + 1},
          {dimension::angle, nangle},     {dimension::angle_in, nangle}, {dimension::angle_in_and_sun, nangle + 1},
          {dimension::matrix, nphase}};
}

/// The optional arrays that are required in a call.
struct Needs {
  bool transmittance = false;  ///< instead of optical depths
  bool sun = false;
  bool scattering = false;
  bool derivative = false;

  bool operator()(std::string_view name) const {
    if (name == "optical_depth" || name == "mu") return !transmittance;
    if (name == "cos_sun" || name == "solar_irradiance" || name == "direct_reflectivity") return sun;
    if (name == "weight" || name == "single_scattering_albedo" || name == "phase" || name == "phase_forward" ||
        name == "phase_backward")
      return scattering;
    return name == "adjoint_toa" && derivative;
  }
};

/// The described name of the array of Profiles that belongs to an array of a Perturbation.
inline std::string_view base_name(std::string_view name) {
  for (auto const prefix : {perturbation_prefix, derivative_prefix})
    if (name.substr(0, prefix.size()) == prefix) return name.substr(prefix.size());
  return name;
}

/// \brief Refuses a perturbation or a derivative of an array that the profiles do not have.
/// \param name described name of the array
/// \param has  callable with the name of an array of Profiles
template <class Has>
void check_base(std::string_view where, std::string_view name, Has const& has) {
  auto const base = base_name(name);
  // Any surface may have a perturbation of its reflectivity.
  if (base == name || base == "reflectivity" || has(base)) return;
  throw Error(where, fmt::format("{} is given, but the profiles have no {}", name, base));
}

/// Numbers of profiles, layers and angles, and the extents of all arrays.
template <class Space, class Real>
void check_arrays(char const* where, AddingInput<Space, Real> const& input, AddingResult<Space, Real> const& result,
                  Capacity const& capacity) {
  auto const& in = input.profiles;
  bool const derivative = any_array(result.derivative);
  if (!capacity.derivatives && (derivative || result.tangent_toa.size() > 0))
    throw Error(where, "sensitivities are requested, but the solver was made with capacity.derivatives = false");
  if (in.specular_reflectivity.size() > 0)
    expect_empty(where, "reflectivity", in.reflectivity, "but specular_reflectivity is, too");
  expect_capacity(where, "profiles", in.nprofile(), capacity.nprofile);
  expect_capacity(where, "layers", in.nlay(), capacity.nlay);
  expect_capacity(where, "angles", in.nangle(), capacity.nangle);
  Needs const needs{.transmittance = in.transmittance.size() > 0,
                    .sun = in.solar_irradiance.size() > 0 || in.cos_sun.size() > 0 || in.direct_reflectivity.size() > 0,
                    .scattering = in.scatters(),
                    .derivative = derivative};
  std::vector<std::string_view> there;
  there.reserve(64);
  auto const has = [&](std::string_view name) { return std::find(there.begin(), there.end(), name) != there.end(); };
  auto known = dimensions(in.nprofile(), in.nlay(), in.nangle(), in.nphase());
  auto const check = [&](ArrayDescription description, auto const& view) {
    if (view.size() > 0) {
      there.push_back(description.name);
      check_base(where, description.name, has);
    } else if (description.optional && needs(description.name)) {
      description.optional = false;
    }
    if (view.size() > 0 || !description.optional) check_extents(where, description, array_ref(view), known);
  };
  AddingInput<Space, Real>::for_each_array(check, input);
  AddingResult<Space, Real>::for_each_array(check, result);
}

}  // namespace parhelion::adding::Impl

#endif
