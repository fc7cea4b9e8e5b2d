// SPDX-License-Identifier: BSD-3-Clause
#include "monte_carlo_summary.hpp"

#include "commands.hpp"
#include "ranks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <type_traits>

namespace parhelion::Apps {

using namespace monte_carlo;

namespace {

std::string grid_text(Problem const& problem) {
  auto const& grid = problem.grid;
  return fmt::format("{} x {} x {} cells, {}", grid.ncell(0), grid.ncell(1), grid.ncell(2), problem.spectrum.name());
}

}  // namespace

Plan monte_carlo_plan(MonteCarloArguments const& arguments, Problem const& problem, HostMonteCarloPlan const& need,
                      std::string const& space, OutOfRangeCounts const& out_of_range) {
  CommonOptions const& common = arguments.common;
  bool on_host = true;
  with_execution_space(space, [&]<class Space>(Space const&) { on_host = runs_on_host<Space>; });
  // A file is built in memory, which grows by doubling.
  std::size_t const files = 3 * 5 * sizeof(double) * problem.grid.size();
  std::string advice = arguments.built_in() ? "fewer --cells" : "a coarser grid";
  if (need.grids > 1) advice += ", --grids 1";
  if (common.precision == Precision::float64) advice += ", --real float";
  Plan plan{.subject = fmt::format("{}: {}", arguments.subject(), grid_text(problem)),
            .space = space,
            .devices = need.devices,
            .chunks = "",
            .host_bytes = need.host_bytes + files + (on_host ? need.device_bytes : 0),
            .device_bytes = on_host ? 0 : need.device_bytes,
            .advice = advice};
  auto const add = [&](char const* what, std::string const& value) { plan.others.emplace_back(what, value); };
  add("precision", common.real());
  add("rays", fmt::format("{} of each cell{} in {} repetitions", arguments.rays_of(arguments.options.repetitions),
                          arguments.no_walls ? "" : " and face of a wall", arguments.options.repetitions));
  add("grids", fmt::format("{}, {} cells in all", need.grids, need.cells));
  add("spectrum", fmt::format("{} points at {} temperatures", problem.spectrum.npoint(), need.nodes));
  if (arguments.target_error > 0) add("target error", fmt::format("{} % of the largest |q|", arguments.target_error));
  if (common.out_of_range != OutOfRange::refuse)
    add("out of range", fmt::format("{}: {}", name_of(common.out_of_range), describe(out_of_range)));
  return plan;
}

bool missed_target(MonteCarloArguments const& arguments, HostMonteCarloReport const& report) {
  return arguments.target_error > 0 && !(report.reached_error <= arguments.target_error);
}

void print_monte_carlo_summary(MonteCarloArguments const& arguments, Problem const& problem, HostResults const& results,
                               HostMonteCarloReport const& report, double repetitions_before,
                               OutOfRangeCounts const& out_of_range) {
  auto const summary = summarize(results, problem);
  fmt::print("{}: {}, {} rays each in {} repetitions on {}\n\n", arguments.subject(), grid_text(problem),
             arguments.rays_of(report.repetitions), report.repetitions, report.space);
  fmt::print("  {:<36} {:>14.6g} W m-3\n", "largest |q|", summary.largest_q);
  fmt::print("  {:<36} {:>14.6g} W m-3, {:.3g} % of the largest |q|\n", "standard deviation of q (rms)",
             summary.rms_error, summary.relative_error());
  if (summary.plane_error) {
    auto const& [x, y, z] = *summary.plane_error;
    fmt::print("  {:<36} {:>14.6g} W m-3 across x, {:.6g} across y, {:.6g} across z\n",
               "the same of averages over planes", x, y, z);
  }
  if (summary.box_error)
    fmt::print("  {:<36} {:>14.6g} W m-3\n", "the same of the average over the box", *summary.box_error);
  if (arguments.target_error > 0)
    fmt::print("  {:<36} {:>14.6g} % of the largest |q|, {}\n", "target error", arguments.target_error,
               missed_target(arguments, report) ? "NOT reached" : "reached");
  fmt::print("  {:<36} {:>14.6g} W\n", "emitted minus absorbed in the box", summary.net_emission);
  if (summary.outflow)
    fmt::print("  {:<36} {:>14.6g} W, which leaves {:.3g} W\n", "net flux out through walls", *summary.outflow,
               summary.net_emission - *summary.outflow);
  double const repetitions = report.repetitions - repetitions_before;
  fmt::print("\n  {:.2f} s for {:.6g} repetition{}, {:.2f} s to prepare; {:.3g} cell crossings/s; {:.1f} MB on {}\n",
             report.solve_seconds, repetitions, repetitions == 1 ? "" : "s", report.setup_seconds,
             report.crossings_of_this_run / report.solve_seconds, 1e-6 * static_cast<double>(report.device_bytes),
             report.devices == 1 ? "the device" : fmt::format("each of {} devices", report.devices));
  if (ranks().several()) fmt::print("  shared by {} ranks, of which the first has this memory\n", ranks().size());
  if (arguments.common.out_of_range != OutOfRange::refuse)
    fmt::print("  out of range ({}): {}\n", name_of(arguments.common.out_of_range), describe(out_of_range));
  fmt::print("  written to {}\n", arguments.output);
}

io::Provenance monte_carlo_provenance(MonteCarloArguments const& arguments, Options const& options,
                                      HostMonteCarloReport const& report, OutOfRangeCounts const& out_of_range,
                                      std::string const& command_line) {
  CommonOptions const& common = arguments.common;
  io::Provenance provenance{.title = "Radiative source by reciprocal Monte Carlo: " + arguments.subject(),
                            .source = fmt::format("parhelion {}, reciprocal Monte Carlo, {} precision, {}",
                                                  PARHELION_VERSION, name_of(common.precision), report.space),
                            .history = history(command_line),
                            .others = {}};
  auto const add = [&](std::string const& name, auto const& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
      provenance.others.emplace_back(name, value ? "true" : "false");
    else
      provenance.others.emplace_back(name, value);
  };
  add(arguments.built_in() ? "case" : "input", arguments.subject());
  add("rays", arguments.rays_of(report.repetitions));
  add("repetitions", report.repetitions);
  add("seed", options.seed);
  add("sampling", word_of(samplings, options.sampling));
  add("directions", word_of(directions, options.directions));
  add("order", word_of(orders, options.order));
  add("reconstruction", word_of(reconstructions, options.reconstruction));
  add("grids", options.grids);
  add("coarse", word_of(coarse_temperatures, options.coarse));
  add("launch", word_of(ray_origins, options.ray_origin));
  if (arguments.absorbed.empty())
    add("steps", options.first_steps);
  else
    add("absorbed",
        fmt::format("{} by {}", fmt::join(arguments.absorbed, ","), word_of(absorbed_by, options.absorbed_by)));
  add("tolerance", options.tolerance);
  add("walls", options.walls);
  if (arguments.target_error > 0) add("target_error", arguments.target_error);
  add("reached_error", report.reached_error);
  if (common.out_of_range != OutOfRange::refuse)
    add("out_of_range", fmt::format("{}: {}", name_of(common.out_of_range), describe(out_of_range)));
  if (!arguments.resume.empty()) add("resumed_from", arguments.resume);
  add("precision", common.real());
  add("space", report.space);
  for (auto const& path : {arguments.input, arguments.spectrum})
    if (!path.empty()) io::carry_on(provenance, path);
  return provenance;
}

}  // namespace parhelion::Apps
