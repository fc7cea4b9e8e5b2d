// SPDX-License-Identifier: BSD-3-Clause
// What drivers for arrays on hosts and on devices have in common: solvers, strategies and the shapes of arrays.
#ifndef PARHELION_ADDING_SRC_ADDING_SETUP_HPP
#define PARHELION_ADDING_SRC_ADDING_SETUP_HPP

#include <parhelion/adding/clear_sky.hpp>
#include <parhelion/adding/host_adding.hpp>
#include <parhelion/adding/scattering.hpp>

#include "checks.hpp"
#include "host_arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace parhelion::adding::Impl {

/// The arrays that calls with input like this may have.
struct Shapes {
  ArrayShapes input, result;

  Shapes(HostAddingInput const& like, bool levels) {
    auto const& of_input = input_descriptions();
    input = ArrayShapes::of(of_input, like.arrays, dimension::profile);
    // A single profile does not share arrays. Matrices of reflectivities may turn out to be diagonal.
    for (std::size_t i = 0; i < of_input.size(); ++i)
      if (!input.extents[i].empty() && InputArrays(like).nprofile() == 1) input.extents[i].front() = 0;
    auto const& full = input.extents.at(position(of_input, "reflectivity"));
    if (!full.empty()) input.extents.at(position(of_input, "specular_reflectivity")) = {full[0], full[1]};
    for (auto const& description : result_descriptions()) {
      auto extents = result_extents(description, like, levels);
      if (description.name == "toa") extents = {0, InputArrays(like).nangle()};
      if (!extents.empty()) extents.front() = 0;
      result.extents.push_back(std::move(extents));
    }
  }
};

/// Calls action.operator()<Solver>() with the solver for the input and the precision.
template <class Space, class Action>
void with_solver(bool scatters, Precision precision, Action const& action) {
  auto const with_precision = [&]<class Real>(Real) {
    if (scatters)
      action.template operator()<Scattering<Space, Real>>();
    else
      action.template operator()<ClearSky<Space, Real>>();
  };
  if (precision == Precision::float32)
    with_precision(float());
  else
    with_precision(double());
}

/// The profiles that strategies are chosen for.
inline int profiles_of_problem(InputArrays const& in, HostAddingOptions const& options) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(std::max(in.nprofile(), options.profiles_of_problem), most));
}

/// Chosen for all profiles of a call, so that rounding does not depend on the chunk.
template <class Space>
Strategy strategy_for(Space const& space, HostAddingInput const& like, HostAddingOptions const& options) {
  InputArrays const in(like);
  if (options.strategy != Strategy::automatic || !in.scatters()) return options.strategy;
  return choose_scattering_strategy(space, profiles_of_problem(in, options), static_cast<int>(in.nlay()),
                                    static_cast<int>(in.nangle()));
}

/// Enough profiles to keep a machine busy, within a limit of memory.
template <class Solver>
int max_profiles(typename Solver::execution_space const& space, typename HostDriver<Solver>::Setup setup) {
  constexpr bool host = runs_on_host<typename Solver::execution_space>;
  constexpr double max_bytes = host ? 0x1p30 : 0x1p31;
  constexpr int most = host ? 4096 : 16384;
  // From the memory for two numbers of profiles follow that of one profile and the shared part.
  constexpr int some = 16;
  setup.items = most;
  auto const bytes = [&](int chunk) {
    return static_cast<double>(HostDriver<Solver>::plan(space, setup, {.chunk = chunk}).device_bytes);
  };
  double const least = bytes(some);
  double const each = (bytes(2 * some) - least) / some;
  return static_cast<int>(std::clamp(some + (max_bytes - least) / each, 1., double(most)));
}

/// The setup of the drivers.
template <class Solver>
typename HostDriver<Solver>::Setup make_setup(typename Solver::execution_space const& space, std::string_view where,
                                              HostAddingInput const& like, HostAddingOptions const& options,
                                              Strategy strategy) {
  InputArrays const in(like);
  Shapes const shapes(like, options.levels);
  Capacity capacity{.nlay = static_cast<int>(in.nlay()),
                    .nangle = static_cast<int>(in.nangle()),
                    .nphase = static_cast<int>(in.nphase()),
                    .levels = options.levels,
                    .derivatives = in.wants_tangent() || in.wants_derivative()};
  typename HostDriver<Solver>::Setup setup{
      .where = where,
      .item = dimension::profile,
      .input = shapes.input,
      .result = shapes.result,
      .items = in.nprofile(),
      .dimensions = dimensions(-1, in.nlay(), in.nangle(), in.nphase()),
      .make_model = [](typename Solver::execution_space const&) { return NoModel(); },
      .capacity =
          [capacity](int nprofile) {
            auto of_chunk = capacity;
            of_chunk.nprofile = nprofile;
            return of_chunk;
          },
      .tuning = {.strategy = strategy, .nprofile = profiles_of_problem(in, options)}};
  setup.limits.bytes = std::numeric_limits<std::size_t>::max();
  setup.limits.items = max_profiles<Solver>(space, setup);
  return setup;
}

}  // namespace parhelion::adding::Impl

#endif
