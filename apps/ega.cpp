// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"
#include "number_checks.hpp"
#include "plan.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/ega/device_atmosphere.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/output_file.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::Apps {

namespace {

struct Arguments {
  std::string control;
  std::string atmosphere;
  std::string observation;
  std::string output;
  std::string kernel;
  std::string jacobian = "differences";
  std::string los;
  std::vector<int> los_rays;
  std::string tables;
  std::string continua;
  std::string table_slopes = "double";
  double memory = 0;
  int chunk = 0;
  int digits = io::jurassic_digits;
  bool allow_missing_tables = false;
  OutOfRange out_of_range = OutOfRange::refuse;

  bool analytic() const { return jacobian == "analytic"; }
  ega::JacobianMethod method() const {
    return analytic() ? ega::JacobianMethod::analytic : ega::JacobianMethod::differences;
  }
  std::vector<std::string> outputs() const { return {output, kernel, los}; }
};

bool is_netcdf(std::string const& path) { return path.size() > 3 && path.substr(path.size() - 3) == ".nc"; }

// The folder of continuum coefficients: --continua, or where $PARHELION_DATA has them.
std::string continua_folder(Arguments const& arguments) {
  if (!arguments.continua.empty()) return arguments.continua;
  auto const file = io::find_data_file(
      "continuum coefficients", "", {"ctmh2o.txt", "continua/ctmh2o.txt"},
      "say with --continua DIR where they are, or switch them off with CTM_CO2, CTM_H2O, CTM_N2 and CTM_O2");
  return std::filesystem::path(file).parent_path().string();
}

// Only continua that reach a channel need their coefficients.
ega::ContinuumSwitches needed_continua(io::JurassicControl const& control) {
  ega::ContinuumSwitches needed;
  auto const reached = [&](double lowest, double highest) {
    for (double const nu : control.channels.wavenumber)
      if (nu >= lowest && nu <= highest) return true;
    return false;
  };
  auto const& on = control.options.continua;
  needed.co2 = on.co2 && ega::find_gas(control.gases, "CO2") >= 0 && reached(0, 4000);
  needed.h2o = on.h2o && ega::find_gas(control.gases, "H2O") >= 0 && reached(0, 20000);
  needed.n2 = on.n2 && reached(2120, 2605);
  needed.o2 = on.o2 && reached(1360, 1805);
  return needed;
}

// \param inputs the files that are read here or later are added
ega::Problem read_problem(Arguments const& arguments, io::JurassicControl const& control,
                          std::vector<std::string>& inputs) {
  ega::Problem problem;
  problem.name = arguments.control;
  problem.gases = control.gases;
  problem.channels = control.channels;
  problem.options = control.options;
  problem.options.table_slopes =
      arguments.table_slopes == "float" ? ega::TableSlopes::float32 : ega::TableSlopes::float64;
  io::TableFiles const tables(
      {.base = io::resolve_path(control, control.table_base),
       .folder = arguments.tables,
       .first = control.table_format == 1 ? io::TableFormat::text : io::TableFormat::scatter_binary,
       .missing_allowed = arguments.allow_missing_tables},
      control.gases, control.channels.wavenumber);
  for (int c = 0; c < control.channels.size(); ++c) {
    inputs.push_back(tables.filter_path(c));
    problem.channels.filter.push_back(io::read_filter(inputs.back()));
    for (std::size_t g = 0; g < control.gases.size(); ++g) inputs.push_back(tables.find(static_cast<int>(g), c));
  }
  auto const needed = needed_continua(control);
  if (needed.co2 || needed.h2o || needed.n2 || needed.o2) {
    auto const folder = continua_folder(arguments);
    problem.continua = io::read_continua(folder, needed);
    for (auto const& entry : std::filesystem::directory_iterator(folder)) inputs.push_back(entry.path().string());
  }
  if (!control.field_of_view.empty()) {
    inputs.push_back(io::resolve_path(control, control.field_of_view));
    problem.field_of_view = io::read_field_of_view(inputs.back());
  }
  problem.tables = tables;
  return problem;
}

char const* name_of(ega::Method method) {
  return method == ega::Method::growth ? "emissivity growth approximation" : "Curtis-Godson approximation";
}

char const* name_of(Precision precision) { return precision == Precision::float32 ? "single" : "double"; }

std::string derivatives_of(Arguments const& arguments, Precision precision) {
  return arguments.analytic() ? fmt::format("analytic, in {} precision", name_of(precision))
                              : "by differences, which are always taken in double precision";
}

// What is going to be done, from what the library says it needs.
Plan plan_of(Arguments const& arguments, ega::Problem const& problem, ega::HostObservation const& observation,
             ega::HostEgaReport const& report) {
  bool on_host = true;
  with_execution_space(report.space, [&](auto const& space) { on_host = runs_on_host<std::decay_t<decltype(space)>>; });
  Plan plan;
  plan.subject = fmt::format("{}: {} rays in {} channels with {} gases by the {}", arguments.observation,
                             observation.nray(), problem.nchannel(), problem.ngas(), name_of(problem.options.method));
  plan.space = report.space;
  plan.chunks = fmt::format("{} block{} of up to {} channels with {} of tables, in each {} rays at a time",
                            report.channel_blocks, report.channel_blocks == 1 ? "" : "s", report.channels_per_block,
                            bytes_text(report.table_bytes), report.chunk);
  plan.host_bytes = report.host_bytes + (on_host ? report.device_bytes : 0);
  plan.device_bytes = on_host ? 0 : report.device_bytes;
  plan.advice = arguments.kernel.empty() || arguments.analytic()
                    ? "a smaller --memory or --chunk, or fewer rays at a time,"
                    : "a smaller --memory or --chunk, or --jacobian analytic,";
  plan.others.emplace_back("precision", name_of(report.precision));
  if (!arguments.kernel.empty()) plan.others.emplace_back("derivatives", derivatives_of(arguments, report.precision));
  plan.others.emplace_back("out of range", describe(report.out_of_range));
  return plan;
}

void print_summary(Arguments const& arguments, io::JurassicControl const& control,
                   ega::HostObservation const& observation, ega::HostSpectra const& spectra,
                   ega::HostEgaReport const& report) {
  fmt::print("{}: {} by the {} on {}, {} precision\n", arguments.observation,
             control.options.brightness_temperature ? "brightness temperatures" : "radiances",
             name_of(control.options.method), report.space, name_of(report.precision));
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
  if (total(report.out_of_range) > 0)
    fmt::print("  out of the model's range ({}): {}\n",
               arguments.out_of_range == OutOfRange::clip ? "clipped" : "extrapolated", describe(report.out_of_range));
  if (!arguments.output.empty()) fmt::print("  written to {}\n", arguments.output);
}

// The rays whose lines of sight are wanted.
std::vector<int> chosen_rays(Arguments const& arguments, ega::HostObservation const& observation) {
  std::vector<int> rays = arguments.los_rays;
  for (int const ray : rays)
    if (ray >= observation.nray())
      throw Error(arguments.observation,
                  fmt::format("has no ray {} for --los-ray, expected 0 to {}", ray, observation.nray() - 1));
  if (rays.empty()) {
    rays.resize(static_cast<std::size_t>(observation.nray()));
    std::iota(rays.begin(), rays.end(), 0);
  }
  return rays;
}

int run(Arguments const& arguments, CommonOptions const& common, std::string const& command_line) {
  // All that can be refused is refused before any computing.
  std::string const space = resolve_execution_space(common.space);
  std::vector<std::string> inputs{arguments.control, arguments.atmosphere, arguments.observation};
  io::check_files(inputs, arguments.outputs());
  auto const control = io::read_jurassic_control(arguments.control);
  if (!control.unused.empty() && !common.quiet) {
    std::string list;
    for (auto const& key : control.unused) list += (list.empty() ? "" : ", ") + key;
    warn(fmt::format("{}: not used: {}\n", arguments.control, list));
  }
  auto const atmosphere = io::read_jurassic_atmosphere(arguments.atmosphere, control);
  auto const observation =
      io::read_jurassic_observation(arguments.observation, control, ega::lowest_altitude(atmosphere, 0));
  auto const rays = chosen_rays(arguments, observation);
  auto const problem = read_problem(arguments, control, inputs);
  io::check_files(inputs, arguments.outputs());

  constexpr double most_bytes = 1e18;
  ega::HostEgaOptions options{.space = space,
                              .precision = common.precision(),
                              .memory_limit = static_cast<std::size_t>(std::min(arguments.memory * 1e9, most_bytes)),
                              .chunk = arguments.chunk,
                              .out_of_range = arguments.out_of_range};
  auto const plan = [&](ega::HostEgaReport const& report) { return plan_of(arguments, problem, observation, report); };
  if (common.dry_run) {
    auto const report = arguments.kernel.empty() ? ega::plan_spectra(problem, atmosphere, observation, options)
                                                 : ega::plan_jacobian(problem, atmosphere, observation,
                                                                      control.elements, arguments.method(), options);
    check_memory(plan(report));
    if (!arguments.los.empty())
      check_memory(plan(ega::plan_lines_of_sight(problem, atmosphere, observation, rays, options)));
    print_plan(plan(report));
    return exit_success;
  }

  auto const check = [&](ega::HostEgaReport const& report) { check_memory(plan(report)); };
  options.before = [&](ega::HostEgaReport const& report) {
    check(report);
    if (!common.quiet)
      warn(fmt::format("{} on the device: tables {} for {} of {} channels at a time ({} block{})\n",
                       bytes_text(report.device_bytes), bytes_text(report.table_bytes), report.channels_per_block,
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
        ega::compute_jacobian(problem, atmosphere, observation, control.elements, arguments.method(), options, &report);
    spectra = jacobian.spectra;
  }
  std::vector<ega::HostLineOfSight> sights;
  if (!arguments.los.empty()) {
    options.before = check;
    sights = ega::compute_lines_of_sight(problem, atmosphere, observation, rays, options);
  }

  // All files get their names when all are complete.
  io::OutputGroup group;
  if (is_netcdf(arguments.output))
    io::write_spectra_netcdf(
        arguments.output, observation, spectra, problem.channels, control.options.brightness_temperature,
        {.title = fmt::format("Infrared spectra by the {}", name_of(control.options.method)),
         .source = fmt::format("parhelion {}, {} precision, {}", PARHELION_VERSION, name_of(report.precision), space),
         .history = history(command_line),
         .others = {{"control", arguments.control},
                    {"atmosphere", arguments.atmosphere},
                    {"observation", arguments.observation},
                    {"out_of_range", describe(report.out_of_range)}}});
  else if (!arguments.output.empty())
    io::write_jurassic_radiances(arguments.output, observation, spectra, control, arguments.digits);
  if (!arguments.kernel.empty())
    io::write_kernel(arguments.kernel, observation, atmosphere, jacobian, control, arguments.digits);
  if (!arguments.los.empty())
    io::write_lines_of_sight(arguments.los, sights, observation, control, arguments.observation, arguments.digits);
  group.commit();
  if (!common.quiet) print_summary(arguments, control, observation, spectra, report);
  return exit_success;
}

}  // namespace

Command add_ega(CLI::App& program, CommonOptions& common) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("ega", "Infrared limb, nadir, zenith and occultation spectra");
  command.add_option("--control", arguments->control, "control file")->required()->type_name("CASE.ctl");
  command.add_option("--atmosphere", arguments->atmosphere, "vertical profiles")->required()->type_name("atm.tab");
  command.add_option("--observation", arguments->observation, "rays")->required()->type_name("obs.tab");
  command.add_option("-o,--output", arguments->output, "radiances: text, or netCDF-4 where the name ends in .nc")
      ->type_name("rad.tab|rad.nc");
  command.add_option("--kernel", arguments->kernel, "Jacobian of the elements that the control file chooses")
      ->type_name("kernel.tab");
  command.add_option("--jacobian", arguments->jacobian, "how it is computed")
      ->check(CLI::IsMember({"differences", "analytic"}))
      ->capture_default_str();
  command.add_option("--los", arguments->los, "what the model does along rays, point by point")->type_name("los.tab");
  command.add_option("--los-ray", arguments->los_rays, "rays that --los shows, counted from 0; all when left out")
      ->check(not_negative_number())
      ->type_name("RAY");
  command
      .add_option("--tables", arguments->tables, "folder of the emissivity tables and filters, in place of TBLBASE's")
      ->type_name("DIR");
  command.add_option("--continua", arguments->continua, "folder of the continuum coefficients, else $PARHELION_DATA")
      ->type_name("DIR");
  command.add_option("--table-slopes", arguments->table_slopes, "precision of the slopes of table interpolation")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  command.add_flag("--allow-missing-tables", arguments->allow_missing_tables, "gases without a table are transparent");
  command.add_option("--digits", arguments->digits, "digits of numbers in text")
      ->check(CLI::Range(1, io::all_digits))
      ->capture_default_str();
  command
      .add_option("--memory", arguments->memory,
                  "limit for tables on the device; when left out 16 GB, on a host at most half of what is free")
      ->check(positive_number())
      ->type_name("GB");
  command.add_option("--chunk", arguments->chunk, "rays on the device at a time")
      ->check(positive_number())
      ->type_name("RAYS");
  add_out_of_range_option(command, arguments->out_of_range);
  add_common_options(command, common);
  command.footer(footer({"parhelion ega --control case.ctl --atmosphere atm.tab --observation obs.tab -o rad.nc"}));
  return {"ega",
          [arguments, &common](std::string const& command_line) { return run(*arguments, common, command_line); }};
}

}  // namespace parhelion::Apps
