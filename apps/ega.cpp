// SPDX-License-Identifier: BSD-3-Clause
#include "choices.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "number_checks.hpp"
#include "plan.hpp"
#include "spectra_options.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace parhelion::Apps {

namespace {

struct Arguments {
  SpectraOptions spectra;
  std::string output;
  std::string kernel;
  ega::JacobianMethod jacobian = ega::JacobianMethod::differences;
  std::string los;
  std::vector<int> los_rays;
  int digits = io::jurassic_digits;
  CommonOptions common{.devices = 1};

  bool analytic() const { return jacobian == ega::JacobianMethod::analytic; }
  std::vector<std::string> outputs() const { return {output, kernel, los}; }
};

bool is_netcdf(std::string const& path) { return path.size() > 3 && path.substr(path.size() - 3) == ".nc"; }

std::string derivatives_of(Arguments const& arguments, Precision precision) {
  return arguments.analytic() ? fmt::format("analytic, in {} precision", name_of(precision))
                              : "by differences, which are always taken in double precision";
}

// The plan of the command, from the requirements that the library reports.
Plan plan_of(Arguments const& arguments, ega::Problem const& problem, ega::HostObservation const& observation,
             ega::HostEgaReport const& report) {
  auto plan = spectra_plan(
      fmt::format("{}: {} rays in {} channels with {} gases by the {}", arguments.spectra.observation,
                  observation.nray(), problem.nchannel(), problem.ngas(), name_of(problem.options.method)),
      report,
      arguments.kernel.empty() || arguments.analytic() ? "a smaller --memory or --chunk, or fewer rays at a time,"
                                                       : "a smaller --memory or --chunk, or --jacobian analytic,");
  if (!arguments.kernel.empty()) plan.others.emplace_back("derivatives", derivatives_of(arguments, report.precision));
  return plan;
}

void print_summary(Arguments const& arguments, io::JurassicControl const& control,
                   ega::HostObservation const& observation, ega::HostSpectra const& spectra,
                   ega::HostEgaReport const& report) {
  fmt::print("{}: {} by the {} on {}, {} precision\n", arguments.spectra.observation,
             control.options.brightness_temperature ? "brightness temperatures" : "radiances",
             name_of(control.options.method), report.plan.space, name_of(report.precision));
  if (!arguments.kernel.empty())
    fmt::print("{}: derivatives {}\n", arguments.kernel, derivatives_of(arguments, report.precision));
  fmt::print("\n");
  fmt::print("  {:>8} {:>12} {:>14} {:>14} {:>14}\n", "channel", "cm-1", "lowest", "mean", "highest");
  for (int c = 0; c < control.channels.size(); ++c) {
    double lowest = 0;
    double highest = 0;
    double sum = 0;
    int n = 0;
    for (int r = 0; r < observation.nray(); ++r) {
      double const value = spectra.radiance(r, c);
      if (!(value == value)) continue;
      lowest = n == 0 ? value : std::min(lowest, value);
      highest = n == 0 ? value : std::max(highest, value);
      sum += value;
      ++n;
    }
    fmt::print("  {:>8} {:>12.4f} {:>14.6g} {:>14.6g} {:>14.6g}\n", c, control.channels.wavenumber[c], lowest,
               n > 0 ? sum / n : 0., highest);
    if (c == 19 && control.channels.size() > 24) {
      fmt::print("  {:>8}\n", "...");
      c = control.channels.size() - 2;
    }
  }
  fmt::print(
      "\n  {} rays, {} channels, {} gases; {:.0f} rays/s in kernels, {:.2f} s in all, {:.2f} s of it for tables\n",
      observation.nray(), control.channels.size(), control.gases.size(), observation.nray() / report.solve_seconds,
      report.total_seconds, report.load_seconds);
  fmt::print("{}", out_of_range_line(arguments.common.out_of_range, report.out_of_range));
  if (!arguments.output.empty()) fmt::print("  written to {}\n", arguments.output);
}

// The rays whose lines of sight are written.
std::vector<int> chosen_rays(Arguments const& arguments, ega::HostObservation const& observation) {
  std::vector<int> rays = arguments.los_rays;
  for (int const ray : rays)
    if (ray >= observation.nray())
      throw Error(arguments.spectra.observation,
                  fmt::format("has no ray {} for --los-ray, expected 0 to {}", ray, observation.nray() - 1));
  if (rays.empty()) {
    rays.resize(static_cast<std::size_t>(observation.nray()));
    std::iota(rays.begin(), rays.end(), 0);
  }
  return rays;
}

int run(Arguments const& arguments, std::string const& command_line) {
  // All input is checked before anything is computed.
  CommonOptions const& common = arguments.common;
  std::string const space = resolve_execution_space(common.space);
  io::check_files({arguments.spectra.control, arguments.spectra.atmosphere, arguments.spectra.observation},
                  arguments.outputs());
  auto const [control, atmosphere, observation] = read_case(arguments.spectra, common.quiet);
  auto const rays = chosen_rays(arguments, observation);
  auto const problem = read_problem(arguments.spectra, control, arguments.outputs());

  auto options = ega_options(arguments.spectra, common);
  auto const plan = [&, &rays_of = observation](ega::HostEgaReport const& report) {
    return plan_of(arguments, problem, rays_of, report);
  };
  if (common.dry_run) {
    auto const report = arguments.kernel.empty() ? ega::plan_spectra(problem, atmosphere, observation, options)
                                                 : ega::plan_jacobian(problem, atmosphere, observation,
                                                                      control.elements, arguments.jacobian, options);
    check_memory(plan(report));
    if (!arguments.los.empty())
      check_memory(plan(ega::plan_lines_of_sight(problem, atmosphere, observation, rays, options)));
    print_plan(plan(report));
    return exit_success;
  }

  auto const check = [&](ega::HostEgaReport const& report) { check_memory(plan(report)); };
  options.on_plan = [&](ega::HostEgaReport const& report) {
    check(report);
    if (!common.quiet)
      warn(fmt::format("{} on the device: tables {} for {} of {} channels at a time ({} block{})\n",
                       bytes_text(report.plan.device_bytes), bytes_text(report.table_bytes), report.channels_per_block,
                       problem.nchannel(), report.channel_blocks, report.channel_blocks == 1 ? "" : "s"));
  };
  options.progress = progress(common.quiet, "rays x channels");
  ega::HostEgaReport report;
  ega::HostSpectra spectra;
  ega::HostJacobian jacobian;
  if (arguments.kernel.empty()) {
    spectra = ega::compute_spectra(problem, atmosphere, observation, options, &report);
  } else {
    jacobian =
        ega::compute_jacobian(problem, atmosphere, observation, control.elements, arguments.jacobian, options, &report);
    spectra = jacobian.spectra;
  }
  std::vector<ega::HostLineOfSight> sights;
  if (!arguments.los.empty()) {
    options.on_plan = check;
    sights = ega::compute_lines_of_sight(problem, atmosphere, observation, rays, options);
  }

  // Files get their final names when all of them are complete.
  io::OutputGroup group;
  if (is_netcdf(arguments.output))
    io::write_spectra_netcdf(
        arguments.output, observation, spectra, problem.channels, control.options.brightness_temperature,
        {.title = fmt::format("Infrared spectra by the {}", name_of(control.options.method)),
         .source = fmt::format("parhelion {}, {} precision, {}", PARHELION_VERSION, name_of(report.precision), space),
         .history = history(command_line),
         .others = {{"control", arguments.spectra.control},
                    {"atmosphere", arguments.spectra.atmosphere},
                    {"observation", arguments.spectra.observation},
                    {"out_of_range", describe(report.out_of_range)}}});
  else if (!arguments.output.empty())
    io::write_jurassic_radiances(arguments.output, observation, spectra, control, arguments.digits);
  if (!arguments.kernel.empty())
    io::write_kernel(arguments.kernel, observation, atmosphere, jacobian, control, arguments.digits);
  if (!arguments.los.empty())
    io::write_lines_of_sight(arguments.los, sights, observation, control, arguments.spectra.observation,
                             arguments.digits);
  group.commit();
  if (!common.quiet) print_summary(arguments, control, observation, spectra, report);
  return exit_success;
}

}  // namespace

Command add_ega(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("ega", "Infrared limb, nadir, zenith and occultation spectra");
  add_case_options(command, arguments->spectra);
  command.add_option("-o,--output", arguments->output, "radiances: text, or netCDF-4 where the name ends in .nc")
      ->type_name("rad.tab|rad.nc");
  command.add_option("--kernel", arguments->kernel, "Jacobian for the elements that the control file selects")
      ->type_name("kernel.tab");
  add_choice(command, "--jacobian", arguments->jacobian,
             {{"differences", ega::JacobianMethod::differences}, {"analytic", ega::JacobianMethod::analytic}},
             "how the Jacobian is computed");
  command.add_option("--los", arguments->los, "model quantities at each point of rays")->type_name("los.tab");
  command.add_option("--los-ray", arguments->los_rays, "indices of the rays for --los, from 0; all by default")
      ->check(not_negative_number())
      ->type_name("RAY");
  add_model_options(command, arguments->spectra);
  command.add_option("--digits", arguments->digits, "number of digits in text files")
      ->check(CLI::Range(1, io::all_digits))
      ->capture_default_str();
  add_common_options(command, arguments->common, {.item = "rays"});
  command.footer(footer({"parhelion ega --control case.ctl --atmosphere atm.tab --observation obs.tab -o rad.nc"}));
  return make_command("ega", arguments, run);
}

}  // namespace parhelion::Apps
