// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/rrtmgp/level_temperatures.hpp>

#include "level_interpolation.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

namespace parhelion::fluxes::rrtmgp {

void interpolate_level_temperatures(HostColumns const& columns) {
  constexpr char const* where = "interpolate_level_temperatures";
  auto const& p = columns.pressure_lay;
  auto const& q = columns.pressure_lev;
  auto const& t = columns.temperature_lay;
  auto const& result = columns.temperature_lev;
  int const ncol = columns.ncol();
  int const nlay = columns.nlay();
  expect_shape(where, q, "pressure_lev", {p.extent(0), p.extent(1) + 1});
  expect_shape(where, t, "temperature_lay", {p.extent(0), p.extent(1)});
  expect_shape(where, result, "temperature_lev", {p.extent(0), p.extent(1) + 1});
  if (nlay == 0) return;
  for (int c = 0; c < ncol; ++c) {
    for (int k = 1; k < nlay; ++k)
      if (p(c, k - 1) == p(c, k))
        throw Error(where,
                    fmt::format("pressure_lay({}, {}) = {} Pa, expected another one than that of the layer below", c, k,
                                p(c, k)));
    for (int k = 0; k <= nlay; ++k)
      result(c, k) = level_temperature(column_values(p, c), column_values(q, c), column_values(t, c), nlay, k);
  }
}

}  // namespace parhelion::fluxes::rrtmgp
