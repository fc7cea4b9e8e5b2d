// SPDX-License-Identifier: BSD-3-Clause
#include "fluxes_ranges.hpp"

#include "commands.hpp"

#include <fmt/format.h>

namespace parhelion::Apps {

std::size_t columns_of_file(io::RadiationInput const& input) {
  return static_cast<std::size_t>(input.nsite_of_file) * std::max<std::size_t>(input.experiments.size(), 1);
}

HostArray<double*> at_level(HostArray<double**> const& flux, int level) {
  HostArray<double*> const values("parhelion::flux_at_level", flux.extent(0));
  for (std::size_t column = 0; column < values.size(); ++column) values(column) = flux(column, level);
  return values;
}

std::function<bool(std::int64_t done, std::int64_t all)> progress_of_range(FluxesInput const& input,
                                                                           std::string const& range) {
  auto const& arguments = input.arguments;
  return progress_of_all(
      progress(arguments.common.quiet, arguments.has_both() ? fmt::format("columns ({})", range) : "columns"),
      input.atmosphere.columns.ncol(), columns_of_file(input.atmosphere));
}

}  // namespace parhelion::Apps
