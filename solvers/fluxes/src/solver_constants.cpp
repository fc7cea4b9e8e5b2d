// SPDX-License-Identifier: BSD-3-Clause
#include "solver_constants.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace parhelion::fluxes::Impl {

void check_solver_constants(char const* solver, int nlay, double heat_capacity, double gravity) {
  if (nlay < 1) throw Error(solver, fmt::format("capacity.nlay = {}, expected at least 1", nlay));
  auto const check = [solver](char const* name, double value) {
    if (!(value >= 0) || !std::isfinite(value))
      throw Error(solver,
                  fmt::format("tuning.{} = {}, expected a positive number, or 0 for that of the model", name, value));
  };
  check("heat_capacity", heat_capacity);
  check("gravity", gravity);
}

}  // namespace parhelion::fluxes::Impl
