// SPDX-License-Identifier: BSD-3-Clause
// Checks of model, capacity and input that both solvers make.
#ifndef PARHELION_EGA_SOLVER_CHECKS_HPP
#define PARHELION_EGA_SOLVER_CHECKS_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/ega/forward_model.hpp>

#include <cstdint>
#include <string_view>

namespace parhelion::ega::Impl {

/// \throws parhelion::Error where a number is not positive, or there are fewer than two levels
void check_capacity(std::string_view where, ForwardCapacity const& capacity);

/// The sizes of a model that a capacity must match, and those that a model needs of an atmosphere.
struct ModelExtents {
  int ngas, nchannel, nwindow, ncloud, nsurface;
};

template <KokkosExecutionSpace Space, Floating Real>
ModelExtents extents_of(Model<Space, Real> const& model) {
  return {model.ngas(), model.nchannel, model.nwindow, model.ncloud, model.nsurface};
}

/// \throws parhelion::Error where a model does not fit a capacity
void check_model(std::string_view where, ModelExtents const& model, ForwardCapacity const& capacity);

/// Which arrays of cloud and surface an atmosphere has.
struct AtmosphereParts {
  bool cloud[3];    ///< height, depth, extinction
  bool surface[4];  ///< altitude, pressure, temperature, emissivity
};

template <class Profiles>
AtmosphereParts parts_of(Profiles const& a) {
  return {{a.cloud_height.size() > 0, a.cloud_depth.size() > 0, a.cloud_extinction.size() > 0},
          {a.surface_altitude.size() > 0, a.surface_pressure.size() > 0, a.surface_temperature.size() > 0,
           a.surface_emissivity.size() > 0}};
}

/// \throws parhelion::Error if cloud or surface are incomplete
void check_parts(std::string_view where, AtmosphereParts const& parts);

/// \throws parhelion::Error where numbers of rays, profiles, levels or windows exceed the capacity or are too small
void check_numbers(std::string_view where, Dimensions const& found, ModelExtents const& model,
                   ForwardCapacity const& capacity);

/// \brief Checks the extents of the input of a solver.
/// \return dimensions of input and results
/// \throws parhelion::Error on extents that disagree with each other, the model or the capacity
template <KokkosExecutionSpace Space>
Dimensions check_input(std::string_view where, ForwardInput<Space> const& in, ModelExtents const& model,
                       ForwardCapacity const& capacity) {
  auto const& a = in.atmosphere;
  Dimensions const dimensions = check_extents(where, in,
                                              {{dimension::profile, a.nprofile()},
                                               {dimension::level, a.nlev()},
                                               {dimension::gas, model.ngas},
                                               {dimension::window, a.nwindow()},
                                               {dimension::cloud_node, model.ncloud},
                                               {dimension::surface_node, model.nsurface},
                                               {dimension::ray, in.observation.nray()},
                                               {dimension::channel, model.nchannel},
                                               {dimension::point, capacity.npoint},
                                               {dimension::axis, 3}});
  check_parts(where, parts_of(a));
  check_numbers(where, dimensions, model, capacity);
  return dimensions;
}

}  // namespace parhelion::ega::Impl

#endif
