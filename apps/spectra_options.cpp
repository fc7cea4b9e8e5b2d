// SPDX-License-Identifier: BSD-3-Clause
#include "spectra_options.hpp"

#include "choices.hpp"
#include "commands.hpp"
#include "number_checks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/jurassic_problem.hpp>
#include <parhelion/io/output_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <type_traits>

namespace parhelion::Apps {

void add_case_options(CLI::App& command, SpectraOptions& options) {
  command.add_option("--control", options.control, "control file")->required()->type_name("CASE.ctl");
  command.add_option("--atmosphere", options.atmosphere, "vertical profiles")->required()->type_name("atm.tab");
  command.add_option("--observation", options.observation, "rays")->required()->type_name("obs.tab");
}

void add_model_options(CLI::App& command, SpectraOptions& options) {
  command
      .add_option("--tables", options.tables, "folder of the emissivity tables and filters, by default that of TBLBASE")
      ->type_name("DIR");
  command
      .add_option("--continua", options.continua,
                  "folder of the continuum coefficients, by default searched in $PARHELION_DATA")
      ->type_name("DIR");
  add_choice(command, "--table-slopes", options.table_slopes,
             {{"double", ega::TableSlopes::float64}, {"float", ega::TableSlopes::float32}},
             "precision of the slopes of table interpolation");
  command.add_flag("--allow-missing-tables", options.allow_missing_tables,
                   "treat gases without a table as transparent");
  command
      .add_option("--memory", options.memory,
                  "limit for tables on the device; by default 16 GB, on a host at most half of the free memory")
      ->check(positive_number())
      ->type_name("GB");
}

ega::HostEgaOptions ega_options(SpectraOptions const& options, CommonOptions const& common) {
  constexpr double max_bytes = 1e18;
  return {.space = resolve_execution_space(common.space),
          .precision = common.precision,
          .memory_limit = static_cast<std::size_t>(std::min(options.memory * 1e9, max_bytes)),
          .chunk = common.chunk,
          .devices = common.devices_of_rank(),
          .out_of_range = common.out_of_range};
}

SpectraInput read_case(SpectraOptions const& options, bool quiet, HostArray<double**>* measured) {
  SpectraInput input;
  input.control = io::read_jurassic_control(options.control);
  if (!input.control.unused.empty() && !quiet)
    warn(fmt::format("{}: not used: {}\n", options.control, fmt::join(input.control.unused, ", ")));
  input.atmosphere = io::read_jurassic_atmosphere(options.atmosphere, input.control);
  input.observation = io::read_jurassic_observation(options.observation, input.control,
                                                    ega::lowest_altitude(input.atmosphere, 0), measured);
  return input;
}

ega::Problem read_problem(SpectraOptions const& options, io::JurassicControl const& control,
                          std::vector<std::string> const& outputs) {
  std::vector<std::string> inputs;
  auto problem = io::read_jurassic_problem(
      control,
      {.tables = options.tables, .continua = options.continua, .missing_tables_allowed = options.allow_missing_tables},
      &inputs);
  io::check_files(inputs, outputs);
  problem.options.table_slopes = options.table_slopes;
  return problem;
}

char const* name_of(ega::Method method) {
  return method == ega::Method::growth ? "emissivity growth approximation" : "Curtis-Godson approximation";
}

std::string out_of_range_line(OutOfRange what, OutOfRangeCounts const& counts) {
  if (total(counts) == 0) return {};
  return fmt::format("  out of the model's range ({}): {}\n", what == OutOfRange::clip ? "clipped" : "extrapolated",
                     describe(counts));
}

Plan spectra_plan(std::string const& subject, ega::HostEgaReport const& report, std::string const& advice) {
  bool on_host = true;
  with_execution_space(report.plan.space,
                       [&](auto const& space) { on_host = runs_on_host<std::decay_t<decltype(space)>>; });
  Plan plan;
  plan.subject = subject;
  plan.space = report.plan.space;
  plan.devices = report.plan.devices;
  plan.chunks = fmt::format("{} block{} of up to {} channels with {} of tables, in each {} rays at a time",
                            report.channel_blocks, report.channel_blocks == 1 ? "" : "s", report.channels_per_block,
                            bytes_text(report.table_bytes), report.plan.chunk);
  plan.host_bytes = report.plan.host_bytes + (on_host ? report.plan.device_bytes : 0);
  plan.device_bytes = on_host ? 0 : report.plan.device_bytes;
  plan.advice = advice;
  plan.others.emplace_back("precision", name_of(report.precision));
  plan.others.emplace_back("out of range", describe(report.out_of_range));
  return plan;
}

}  // namespace parhelion::Apps
