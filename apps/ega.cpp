// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/ega/device_atmosphere.hpp>
#include <parhelion/ega/host_ega.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/emissivity_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/jurassic_files.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
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

ega::Problem read_problem(Arguments const& arguments, io::JurassicControl const& control) {
  ega::Problem problem;
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
  for (int c = 0; c < control.channels.size(); ++c)
    problem.channels.filter.push_back(io::read_filter(tables.filter_path(c)));
  auto const needed = needed_continua(control);
  if (needed.co2 || needed.h2o || needed.n2 || needed.o2)
    problem.continua = io::read_continua(continua_folder(arguments), needed);
  if (!control.field_of_view.empty())
    problem.field_of_view = io::read_field_of_view(io::resolve_path(control, control.field_of_view));
  problem.tables = tables;
  return problem;
}

std::string bytes(std::size_t n) { return fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(n)); }

char const* name_of(ega::Method method) {
  return method == ega::Method::growth ? "emissivity growth approximation" : "Curtis-Godson approximation";
}

void print_summary(Arguments const& arguments, io::JurassicControl const& control,
                   ega::HostObservation const& observation, ega::HostSpectra const& spectra,
                   ega::HostEgaReport const& report) {
  fmt::print("{}: {} by the {} on {}\n\n", arguments.observation,
             control.options.brightness_temperature ? "brightness temperatures" : "radiances",
             name_of(control.options.method), report.space);
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
  if (!arguments.output.empty()) fmt::print("  written to {}\n", arguments.output);
}

void check_outputs(Arguments const& arguments) {
  std::vector<std::filesystem::path> known;
  for (auto const& output : {arguments.output, arguments.kernel, arguments.los}) {
    if (output.empty()) continue;
    for (auto const& input : {arguments.control, arguments.atmosphere, arguments.observation})
      io::check_writable(output, input);
    auto const path = std::filesystem::weakly_canonical(output);
    if (std::find(known.begin(), known.end(), path) != known.end())
      throw Error(output, "is asked for twice, expected a file of its own for each result");
    known.push_back(path);
  }
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
  check_outputs(arguments);
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
  auto const problem = read_problem(arguments, control);

  ega::HostEgaOptions const options{
      .space = space,
      .precision = common.precision(),
      .memory_limit = static_cast<std::size_t>(arguments.memory * 1e9),
      .chunk = arguments.chunk,
      .before =
          [&](ega::HostEgaReport const& plan) {
            if (!common.quiet)
              warn(fmt::format("{} on the device: tables {} for {} of {} channels at a time ({} block{})\n",
                               bytes(plan.device_bytes), bytes(plan.table_bytes), plan.channels_per_block,
                               problem.nchannel(), plan.channel_blocks, plan.channel_blocks == 1 ? "" : "s"));
          },
      .progress = progress(common.quiet, "chunks of rays and channels")};
  ega::HostEgaReport report;
  ega::HostSpectra spectra;
  ega::HostJacobian jacobian;
  if (arguments.kernel.empty()) {
    spectra = ega::compute_spectra(problem, atmosphere, observation, options, &report);
  } else {
    jacobian = ega::compute_jacobian(
        problem, atmosphere, observation, control.elements,
        arguments.jacobian == "analytic" ? ega::JacobianMethod::analytic : ega::JacobianMethod::differences, options,
        &report);
    spectra = jacobian.spectra;
  }
  if (!arguments.output.empty()) {
    if (is_netcdf(arguments.output))
      io::write_spectra_netcdf(
          arguments.output, observation, spectra, problem.channels, control.options.brightness_temperature,
          {.title = fmt::format("Infrared spectra by the {}", name_of(control.options.method)),
           .source = fmt::format("parhelion {}, {} precision, {}", PARHELION_VERSION, common.precision_name(), space),
           .history = history(command_line),
           .others = {{"control", arguments.control},
                      {"atmosphere", arguments.atmosphere},
                      {"observation", arguments.observation}}});
    else
      io::write_jurassic_radiances(arguments.output, observation, spectra, control, arguments.digits);
  }
  if (!arguments.kernel.empty())
    io::write_kernel(arguments.kernel, observation, atmosphere, jacobian, control, arguments.digits);
  if (!arguments.los.empty())
    io::write_lines_of_sight(arguments.los,
                             ega::compute_lines_of_sight(problem, atmosphere, observation, rays, options), observation,
                             control, arguments.observation, arguments.digits);
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
      ->check(CLI::NonNegativeNumber)
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
  command.add_option("--memory", arguments->memory, "limit for tables on the device, 16 GB when left out")
      ->check(CLI::PositiveNumber)
      ->type_name("GB");
  command.add_option("--chunk", arguments->chunk, "rays on the device at a time")
      ->check(CLI::PositiveNumber)
      ->type_name("RAYS");
  add_common_options(command, common);
  command.footer(footer({"parhelion ega --control case.ctl --atmosphere atm.tab --observation obs.tab -o rad.nc"}));
  return {"ega",
          [arguments, &common](std::string const& command_line) { return run(*arguments, common, command_line); }};
}

}  // namespace parhelion::Apps
