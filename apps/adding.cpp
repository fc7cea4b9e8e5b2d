// SPDX-License-Identifier: BSD-3-Clause
#include "choices.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "plan.hpp"
#include "ranks.hpp"

#include <parhelion/adding/host_adding.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/io/ada_files.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::Apps {

namespace {

struct Arguments {
  std::string profiles;
  std::string output;
  std::string group = "all";
  adding::Strategy strategy = adding::Strategy::automatic;
  bool levels = false;
  bool tangent = false;
  bool adjoint = false;
  CommonOptions common;
};

using adding::Strategy;

Choices<Strategy> const strategies{
    {"auto", Strategy::automatic}, {"sweep", Strategy::sweep}, {"team-scan", Strategy::team_scan}};

// The mean over the profiles of all ranks and over angles; collective.
double mean_at_top(adding::HostRadiances const& radiances) {
  auto const& up = radiances.radiances.up_emergent;
  double sum = 0;
  for (std::size_t p = 0; p < up.extent(0); ++p)
    for (std::size_t i = 0; i < up.extent(2); ++i) sum += up(p, 0, i);
  auto const sums = ranks().sums({sum, static_cast<double>(up.extent(0) * up.extent(2))});
  return sums[0] / sums[1];
}

void print_summary(io::AdaInput const& input, std::vector<double> const& means,
                   std::vector<adding::HostAddingReport> const& reports, std::string const& output) {
  std::size_t width = 5;
  for (auto const& group : input.groups) width = std::max(width, group.name.size());
  fmt::print("{}: radiances by the adding method on {}\n\n", input.path, reports.front().plan.space);
  fmt::print("  {:<{}} {:>8} {:>6} {:>6} {:>10} {:>9} {:>13} {:>12} {:>14}\n", "group", width, "profiles", "layers",
             "angles", "scattering", "strategy", "mean upward", "profiles/s", "MB on device");
  for (std::size_t g = 0; g < means.size(); ++g) {
    auto const& group = input.groups[g];
    auto const& profiles = group.profiles;
    auto const& report = reports[g];
    fmt::print("  {:<{}} {:>8} {:>6} {:>6} {:>10} {:>9} {:>13.6g} {:>12.0f} {:>14.1f}\n", group.name, width,
               group.nprofile, profiles.nlay(), profiles.nangle(), profiles.scatters() ? "yes" : "no",
               word_of(strategies, report.strategy), means[g],
               static_cast<double>(group.nprofile) / report.solve_seconds,
               1e-6 * static_cast<double>(report.plan.device_bytes));
  }
  fmt::print(
      "\n  mean upward: over profiles and angles at the top, in the unit of planck_atm; profiles/s: in kernels\n");
  if (ranks().several()) fmt::print("  shared by {} ranks, of which the first has this memory\n", ranks().size());
  if (!output.empty()) fmt::print("  written to {}\n", output);
}

Plan plan_of(Arguments const& arguments, std::string const& space, io::AdaInput const& input,
             std::vector<adding::HostAddingPlan> const& plans) {
  bool on_host = true;
  with_execution_space(space, [&](auto const& space) { on_host = runs_on_host<std::decay_t<decltype(space)>>; });
  Plan plan;
  std::size_t on_device = 0;
  std::size_t buffers = 0;
  for (std::size_t g = 0; g < plans.size(); ++g) {
    auto const& group = input.groups[g];
    auto const& profiles = group.profiles;
    plan.host_bytes += plans[g].result_bytes;
    // Ranks that write together keep what they write until then; otherwise the first one gets the results of all.
    if (ranks().file_sharing() != nullptr)
      plan.host_bytes += arguments.output.empty() ? 0 : plans[g].result_bytes;
    else if (ranks().several() && ranks().first())
      plan.host_bytes += plans[g].result_bytes * group.nprofile / group.range.count;
    plan.devices = std::max(plan.devices, plans[g].devices);
    buffers = std::max(buffers, plans[g].host_bytes);
    on_device = std::max(on_device, plans[g].device_bytes);
    plan.others.emplace_back(group.name, fmt::format("{} profiles of {} layers, {} angles, {}; {} at a time",
                                                     group.nprofile, profiles.nlay(), profiles.nangle(),
                                                     profiles.scatters() ? "scattering" : "clear", plans[g].chunk));
  }
  plan.subject = fmt::format("{}: {} group{} of profiles by the adding method", arguments.profiles, plans.size(),
                             plans.size() == 1 ? "" : "s");
  plan.space = space;
  plan.host_bytes += buffers + (on_host ? on_device : 0);
  plan.device_bytes = on_host ? 0 : on_device;
  plan.advice =
      input.groups.size() > 1 ? "a smaller --chunk, or --group with one group at a time," : "a smaller --chunk";
  return plan;
}

// Completes results on the first rank.
void gather(io::AdaInput& input, std::vector<adding::HostRadiances>& results) {
  auto const& all_ranks = ranks();
  if (!all_ranks.several()) return;
  for (std::size_t g = 0; g < results.size(); ++g) {
    auto& profiles = input.groups[g].profiles;
    auto const ranges = all_ranks.ranges(input.groups[g].nprofile);
    adding::HostRadiances::for_each_array(
        [&](ArrayDescription const&, auto& array) { all_ranks.gather(array, ranges); }, results[g]);
    // Those that the result repeats, and that say how many profiles there are.
    all_ranks.gather(profiles.mu, ranges);
    all_ranks.gather(profiles.planck, ranges);
  }
}

int run(Arguments const& arguments, std::string const& command_line) {
  // All input is checked before anything is computed.
  CommonOptions const& common = arguments.common;
  std::string const space = resolve_execution_space(common.space);
  auto const& all_ranks = ranks();
  io::AdaInput input;
  all_ranks.collectively([&] {
    if (all_ranks.first()) io::check_files({arguments.profiles}, {arguments.output});
    input = io::read_ada_input(arguments.profiles, {.group = arguments.group,
                                                    .tangent = arguments.tangent,
                                                    .adjoint = arguments.adjoint,
                                                    .part = all_ranks.part()});
  });

  adding::HostAddingOptions options{.space = space,
                                    .precision = common.precision,
                                    .strategy = arguments.strategy,
                                    .levels = arguments.levels,
                                    .chunk = common.chunk,
                                    .devices = common.devices_of_rank()};
  // The results of all groups are in memory until they are written.
  Plan plan;
  all_ranks.collectively([&] {
    std::vector<adding::HostAddingPlan> plans;
    for (auto const& group : input.groups) {
      options.profiles_of_problem = static_cast<std::int64_t>(group.nprofile);
      plans.push_back(group.range.empty() ? adding::HostAddingPlan()
                                          : adding::plan_radiances(group.input(), options, group.names));
    }
    plan = plan_of(arguments, space, input, plans);
  });
  check_memory(plan);
  if (common.dry_run) {
    print_plan(plan);
    return exit_success;
  }

  std::vector<adding::HostRadiances> results(input.groups.size());
  std::vector<adding::HostAddingReport> reports(input.groups.size());
  all_ranks.collectively([&] {
    for (std::size_t g = 0; g < results.size(); ++g) {
      auto const& group = input.groups[g];
      if (group.range.empty()) continue;
      options.profiles_of_problem = static_cast<std::int64_t>(group.nprofile);
      options.progress = progress_of_all(progress(common.quiet, fmt::format("profiles of {}", group.name)),
                                         static_cast<std::int64_t>(group.range.count), group.nprofile);
      counting_from("profile", group.range.first,
                    [&] { results[g] = adding::compute_radiances(group.input(), options, &reports[g], group.names); });
    }
  });
  std::vector<double> means;
  for (auto const& result : results) means.push_back(mean_at_top(result));
  for (auto& report : reports) report.solve_seconds = all_ranks.largest({report.solve_seconds}).front();

  if (!arguments.output.empty()) {
    auto const* const sharing = all_ranks.file_sharing();
    if (sharing == nullptr) gather(input, results);
    io::Provenance provenance{.title = "Radiances by the adding method",
                              .source = fmt::format("parhelion {}, adding method, {} precision, {}", PARHELION_VERSION,
                                                    name_of(common.precision), plan.space),
                              .history = history(command_line),
                              .others = {{"profiles", arguments.profiles}}};
    all_ranks.collectively([&] {
      if (all_ranks.first()) io::carry_on(provenance, arguments.profiles);
    });
    all_ranks.write(sharing, [&] { io::write_ada_radiances(arguments.output, input, results, provenance, sharing); });
  }
  if (!common.quiet && all_ranks.first()) print_summary(input, means, reports, arguments.output);
  return exit_success;
}

}  // namespace

Command add_adding(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("adding", "Radiances of emitting, absorbing and scattering profiles");
  command.add_option("profiles", arguments->profiles, "HDF5 or netCDF-4 file with groups of profiles")
      ->required()
      ->type_name("PROFILES");
  command.add_option("-o,--output", arguments->output, "netCDF-4 file to write")->type_name("OUT.nc");
  command.add_option("--group", arguments->group, "group of the file to compute, or all")
      ->type_name("NAME|all")
      ->capture_default_str();
  add_choice(command, "--strategy", arguments->strategy, strategies, "how the layers of a profile are combined");
  command.add_flag("--levels", arguments->levels, "also compute the upward and downward radiances at all levels");
  command.add_flag("--tangent", arguments->tangent,
                   "also compute the change of the radiance at the top due to the perturbation in tl_in");
  command.add_flag("--adjoint", arguments->adjoint,
                   "also compute the derivatives of the radiance at the top with respect to all input");
  add_common_options(command, arguments->common, {.item = "profiles", .out_of_range = false});
  command.footer(footer({"parhelion adding profiles.h5 --adjoint -o radiances.nc"}));
  return make_command("adding", arguments, run, true);
}

}  // namespace parhelion::Apps
