// SPDX-License-Identifier: BSD-3-Clause
#include "solver_constants.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/error_kinds.hpp>

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

void expect_emissivities(char const* where, std::int64_t ncol, std::int64_t found, ModelSizes const& sizes) {
  if (found == 1 || found == sizes.nband || (sizes.has_gpoint_surface && found == sizes.ngpoint)) return;
  throw ShapeError(where, fmt::format("emissivity_sfc has shape ({}, {}), expected ({}, {})", ncol, found, ncol,
                                      sizes.has_gpoint_surface ? fmt::format("{} or {}", sizes.nband, sizes.ngpoint)
                                                               : fmt::format("{}", sizes.nband)));
}

void expect_albedos(char const* where, std::int64_t found, ModelSizes const& sizes) {
  if (found == 1 || found == 2 || found == sizes.nband || (sizes.has_gpoint_surface && found == sizes.ngpoint)) return;
  throw ShapeError(where, fmt::format("albedo_direct has {} albedos of a column, expected 1, 2{}", found,
                                      sizes.has_gpoint_surface ? fmt::format(", {} or {}", sizes.nband, sizes.ngpoint)
                                                               : fmt::format(" or {}", sizes.nband)));
}

}  // namespace parhelion::fluxes::Impl
