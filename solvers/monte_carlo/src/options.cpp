// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/monte_carlo/options.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace parhelion::monte_carlo {

void validate(Options const& options) {
  auto const refuse = [](std::string const& name, auto value, char const* expected) {
    throw Error("validate", fmt::format("{} = {}, expected {}", name, value, expected));
  };
  if (options.repetitions < 2) refuse("repetitions", options.repetitions, "two or more: their scatter is the error");
  if (options.rays < options.repetitions) refuse("rays", options.rays, "no fewer than repetitions");
  if (options.rays > (1 << 30)) refuse("rays", options.rays, "no more than 2^30");
  if (!(std::isfinite(options.saturation))) refuse("saturation", options.saturation, "a finite length");
  if (!(options.window_share >= 0 && options.window_share < 1)) refuse("window_share", options.window_share, "[0, 1)");
  if (options.grids < 0 || options.grids > max_grids) refuse("grids", options.grids, "0 to 12");
  if (options.first_steps < 1 || options.first_steps > 1024) refuse("first_steps", options.first_steps, "1 to 1024");
  double absorbed = 0;
  bool ended = false;
  for (int i = 0; i < max_grids - 1; ++i) {
    double const share = options.absorbed[i];
    absorbed += share;
    if (!(share >= 0 && absorbed < 1) || (ended && share > 0))
      refuse(fmt::format("absorbed[{}]", i), share, "shares above 0, up to the last one, that sum to less than 1");
    ended = share == 0;
  }
  if (!(options.tolerance > 0 && options.tolerance < 1)) refuse("tolerance", options.tolerance, "(0, 1)");
  if (options.nodes != 0 && (options.nodes < 2 || options.nodes > 1 << 16))
    refuse("nodes", options.nodes, "0 or 2 to 65536");
  if (!(options.coldest >= 0 && std::isfinite(options.coldest))) refuse("coldest", options.coldest, "a temperature");
  if (!(options.warmest >= 0 && std::isfinite(options.warmest))) refuse("warmest", options.warmest, "a temperature");
}

}  // namespace parhelion::monte_carlo
