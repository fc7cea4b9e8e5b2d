// SPDX-License-Identifier: BSD-3-Clause
#include "choices.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "number_checks.hpp"
#include "plan.hpp"
#include "ranks.hpp"
#include "spectra_options.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/ega/field_of_view.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
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

// What the summary says of a channel; 0 where all of it is masked.
struct ChannelSummary {
  double lowest = 0, mean = 0, highest = 0;
};

// Of the rays of all ranks; collective.
std::vector<ChannelSummary> summarize(ega::HostSpectra const& spectra, std::size_t channels) {
  constexpr double none = std::numeric_limits<double>::lowest();
  // Highest values of all channels and, negative, lowest ones; sums, and numbers of values.
  std::vector<double> extremes(2 * channels, none), sums(2 * channels, 0);
  for (std::size_t r = 0; r < spectra.radiance.extent(0); ++r)
    for (std::size_t c = 0; c < channels; ++c) {
      double const value = spectra.radiance(r, c);
      if (!(value == value)) continue;
      extremes[c] = std::max(extremes[c], value);
      extremes[channels + c] = std::max(extremes[channels + c], -value);
      sums[c] += value;
      sums[channels + c] += 1;
    }
  extremes = ranks().largest(extremes);
  sums = ranks().sums(sums);
  std::vector<ChannelSummary> all(channels);
  for (std::size_t c = 0; c < channels; ++c)
    if (sums[channels + c] > 0) all[c] = {-extremes[channels + c], sums[c] / sums[channels + c], extremes[c]};
  return all;
}

void print_summary(Arguments const& arguments, io::JurassicControl const& control,
                   ega::HostObservation const& observation, std::vector<ChannelSummary> const& channels,
                   ega::HostEgaReport const& report) {
  fmt::print("{}: {} by the {} on {}, {} precision\n", arguments.spectra.observation,
             control.options.brightness_temperature ? "brightness temperatures" : "radiances",
             name_of(control.options.method), report.plan.space, name_of(report.precision));
  if (!arguments.kernel.empty())
    fmt::print("{}: derivatives {}\n", arguments.kernel, derivatives_of(arguments, report.precision));
  fmt::print("\n");
  fmt::print("  {:>8} {:>12} {:>14} {:>14} {:>14}\n", "channel", "cm-1", "lowest", "mean", "highest");
  for (int c = 0; c < control.channels.size(); ++c) {
    auto const& [lowest, mean, highest] = channels[static_cast<std::size_t>(c)];
    fmt::print("  {:>8} {:>12.4f} {:>14.6g} {:>14.6g} {:>14.6g}\n", c, control.channels.wavenumber[c], lowest, mean,
               highest);
    if (c == 19 && control.channels.size() > 24) {
      fmt::print("  {:>8}\n", "...");
      c = control.channels.size() - 2;
    }
  }
  fmt::print(
      "\n  {} rays, {} channels, {} gases; {:.0f} rays/s in kernels, {:.2f} s in all, {:.2f} s of it for tables\n",
      observation.nray(), control.channels.size(), control.gases.size(), observation.nray() / report.solve_seconds,
      report.total_seconds, report.load_seconds);
  if (ranks().several()) fmt::print("  shared by {} ranks\n", ranks().size());
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

// The rays of each rank. A field of view averages over neighbouring rays of the same time, which then stay together.
std::vector<io::ItemRange> ranges_of_rays(ega::HostObservation const& observation, bool averaged) {
  auto const nray = static_cast<std::size_t>(observation.nray());
  auto ranges = ranks().ranges(nray);
  if (!averaged || !ranks().several()) return ranges;
  constexpr auto reach = static_cast<std::size_t>(ega::field_of_view_reach);
  auto const may_cut_before = [&](std::size_t ray) {
    for (std::size_t a = ray - std::min(ray, reach); a < ray; ++a)
      for (std::size_t b = ray; b < nray && b - a <= reach; ++b)
        if (observation.time(a) == observation.time(b)) return false;
    return true;
  };
  std::size_t begin = 0;
  for (auto& range : ranges) {
    std::size_t end = std::max(begin, range.end());
    while (end < nray && end > 0 && !may_cut_before(end)) ++end;
    range = {begin, end - begin};
    begin = end;
  }
  return ranges;
}

// Some rays of an observation.
ega::HostObservation part_of(ega::HostObservation const& all, io::ItemRange const& range) {
  auto part = ega::make_observation(static_cast<int>(range.count));
  part.name = all.name;
  ega::HostObservation::for_each_array(
      [&]<class View>(ArrayDescription const&, View& to, auto const& from) {
        if (from.size() == 0) return;
        if (to.size() == 0) to = View("parhelion::profile", range.count);
        std::copy_n(from.data() + range.first, range.count, to.data());
      },
      part, all);
  if (all.masked.size() > 0) {
    part.masked = HostArray<bool**>("parhelion::masked", range.count, all.masked.extent(1));
    std::copy_n(all.masked.data() + range.first * all.masked.extent(1), part.masked.size(), part.masked.data());
  }
  return part;
}

// Completes results on the first rank.
void gather(std::vector<io::ItemRange> const& ranges, ega::HostSpectra& spectra, ega::HostJacobian& jacobian) {
  auto const& all_ranks = ranks();
  if (!all_ranks.several()) return;
  ega::HostSpectra::for_each_array([&](ArrayDescription const&, auto& array) { all_ranks.gather(array, ranges); },
                                   spectra);
  all_ranks.gather(jacobian.derivative, ranges);
}

// The longest times of all ranks; collective.
void gather(ega::HostEgaReport& report) {
  auto const& all_ranks = ranks();
  auto const seconds = all_ranks.largest({report.solve_seconds, report.total_seconds, report.load_seconds});
  report.solve_seconds = seconds[0];
  report.total_seconds = seconds[1];
  report.load_seconds = seconds[2];
}

int run(Arguments const& arguments, std::string const& command_line) {
  // All input is checked before anything is computed.
  CommonOptions const& common = arguments.common;
  std::string const space = resolve_execution_space(common.space);
  // Every rank reads the texts of the case; it computes its part of the rays. The first one writes.
  auto const& all_ranks = ranks();
  bool const first = all_ranks.first();
  auto const outputs = first ? arguments.outputs() : std::vector<std::string>();
  SpectraInput input;
  ega::Problem problem;
  std::vector<int> rays;
  all_ranks.collectively([&] {
    io::check_files({arguments.spectra.control, arguments.spectra.atmosphere, arguments.spectra.observation}, outputs);
    input = read_case(arguments.spectra, common.quiet);
    rays = chosen_rays(arguments, input.observation);
    problem = read_problem(arguments.spectra, input.control, outputs);
  });
  // By names of their own, which lambdas may use: clang 14 takes no structured bindings there.
  auto const& control = input.control;
  auto const& atmosphere = input.atmosphere;
  auto const& observation = input.observation;
  auto const ranges = ranges_of_rays(observation, problem.field_of_view.offset.size() > 0);
  auto const range = ranges[static_cast<std::size_t>(all_ranks.rank())];
  auto const own = all_ranks.several() ? part_of(observation, range) : observation;

  auto options = ega_options(arguments.spectra, common);
  auto const plan = [&](ega::HostEgaReport const& report) { return plan_of(arguments, problem, observation, report); };
  if (common.dry_run) {
    Plan whole;
    all_ranks.collectively([&] {
      if (range.empty()) return;
      whole = plan(arguments.kernel.empty()
                       ? ega::plan_spectra(problem, atmosphere, own, options)
                       : ega::plan_jacobian(problem, atmosphere, own, control.elements, arguments.jacobian, options));
      if (first && !arguments.los.empty())
        check_memory_of_rank(plan(ega::plan_lines_of_sight(problem, atmosphere, observation, rays, options)));
    });
    check_memory(whole);
    print_plan(whole);
    return exit_success;
  }

  auto const check = [&](ega::HostEgaReport const& report) { check_memory_of_rank(plan(report)); };
  options.on_plan = [&](ega::HostEgaReport const& report) {
    check(report);
    if (!common.quiet)
      warn(fmt::format("{} on the device: tables {} for {} of {} channels at a time ({} block{})\n",
                       bytes_text(report.plan.device_bytes), bytes_text(report.table_bytes), report.channels_per_block,
                       problem.nchannel(), report.channel_blocks, report.channel_blocks == 1 ? "" : "s"));
  };
  auto const channels = static_cast<std::size_t>(problem.nchannel());
  options.progress =
      progress_of_all(progress(common.quiet, "rays x channels"), static_cast<std::int64_t>(range.count * channels),
                      static_cast<std::size_t>(observation.nray()) * channels);
  ega::HostEgaReport report;
  ega::HostSpectra spectra;
  ega::HostJacobian jacobian;
  std::vector<ega::HostLineOfSight> sights;
  all_ranks.collectively([&] {
    if (!range.empty())
      counting_from("ray", range.first, [&] {
        if (arguments.kernel.empty()) {
          spectra = ega::compute_spectra(problem, atmosphere, own, options, &report);
        } else {
          jacobian =
              ega::compute_jacobian(problem, atmosphere, own, control.elements, arguments.jacobian, options, &report);
          spectra = jacobian.spectra;
        }
      });
    // They are for looking at few rays.
    if (first && !arguments.los.empty()) {
      options.on_plan = check;
      options.progress = {};
      sights = ega::compute_lines_of_sight(problem, atmosphere, observation, rays, options);
    }
  });
  gather(report);
  auto const summary = summarize(spectra, channels);

  // Files get their final names when all of them are complete.
  io::OutputGroup group;
  auto const write_netcdf = [&](ega::HostObservation const& rays_written, io::SharedItems const& shared) {
    io::write_spectra_netcdf(
        arguments.output, rays_written, spectra, problem.channels, control.options.brightness_temperature,
        {.title = fmt::format("Infrared spectra by the {}", name_of(control.options.method)),
         .source = fmt::format("parhelion {}, {} precision, {}", PARHELION_VERSION, name_of(report.precision), space),
         .history = history(command_line),
         .others = {{"control", arguments.spectra.control},
                    {"atmosphere", arguments.spectra.atmosphere},
                    {"observation", arguments.spectra.observation},
                    {"out_of_range", describe(report.out_of_range)}}},
        shared);
  };
  // Ranks can write netCDF together; texts are written by the first one.
  auto const* const sharing = is_netcdf(arguments.output) ? all_ranks.file_sharing() : nullptr;
  if (sharing != nullptr) write_netcdf(own, {sharing, range, static_cast<std::size_t>(observation.nray())});
  if (sharing == nullptr || !arguments.kernel.empty()) gather(ranges, spectra, jacobian);
  all_ranks.collectively([&] {
    if (!first) return;
    if (is_netcdf(arguments.output) && sharing == nullptr)
      write_netcdf(observation, {});
    else if (!is_netcdf(arguments.output) && !arguments.output.empty())
      io::write_jurassic_radiances(arguments.output, observation, spectra, control, arguments.digits);
    if (!arguments.kernel.empty())
      io::write_kernel(arguments.kernel, observation, atmosphere, jacobian, control, arguments.digits);
    if (!arguments.los.empty())
      io::write_lines_of_sight(arguments.los, sights, observation, control, arguments.spectra.observation,
                               arguments.digits);
    group.commit();
  });
  if (!common.quiet && first) print_summary(arguments, control, observation, summary, report);
  return exit_success;
}

}  // namespace

Command add_ega(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("ega", "Infrared limb, nadir, zenith and occultation spectra");
  add_case_options(command, arguments->spectra);
  command.add_option("-o,--output", arguments->output, "radiances: text, or netCDF-4 where the name ends in .nc")
      ->type_name("rad.tab|rad.nc");
  auto* const kernel =
      command.add_option("--kernel", arguments->kernel, "Jacobian for the elements that the control file selects")
          ->type_name("kernel.tab");
  add_choice(command, "--jacobian", arguments->jacobian,
             {{"differences", ega::JacobianMethod::differences}, {"analytic", ega::JacobianMethod::analytic}},
             "how the Jacobian is computed")
      ->needs(kernel);
  auto* const los =
      command.add_option("--los", arguments->los, "model quantities at each point of rays")->type_name("los.tab");
  command.add_option("--los-ray", arguments->los_rays, "indices of the rays for --los, from 0; all by default")
      ->transform(whole_number(0, std::numeric_limits<int>::max(), "NONNEGATIVE"))
      ->needs(los)
      ->type_name("RAY");
  add_model_options(command, arguments->spectra);
  command.add_option("--digits", arguments->digits, "number of digits in text files")
      ->transform(whole_number(1, io::all_digits))
      ->capture_default_str();
  add_common_options(command, arguments->common, {.item = "rays"});
  command.footer(footer({"parhelion ega --control case.ctl --atmosphere atm.tab --observation obs.tab -o rad.nc"}));
  return make_command("ega", arguments, run, true);
}

}  // namespace parhelion::Apps
