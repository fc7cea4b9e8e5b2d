// SPDX-License-Identifier: BSD-3-Clause
#include "spectra_options.hpp"

#include "commands.hpp"
#include "common_options.hpp"
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
  command.add_option("--tables", options.tables, "folder of the emissivity tables and filters, instead of TBLBASE's")
      ->type_name("DIR");
  command.add_option("--continua", options.continua, "folder of the continuum coefficients, else $PARHELION_DATA")
      ->type_name("DIR");
  command.add_option("--table-slopes", options.table_slopes, "precision of the slopes of table interpolation")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  command.add_flag("--allow-missing-tables", options.allow_missing_tables, "gases without a table are transparent");
  command
      .add_option("--memory", options.memory,
                  "limit for tables on the device; when left out 16 GB, on a host at most half of what is free")
      ->check(positive_number())
      ->type_name("GB");
  command.add_option("--chunk", options.chunk, "rays in a chunk; up to three are in flight on a device")
      ->check(positive_number())
      ->type_name("RAYS");
  command.add_option("--devices", options.devices, "devices of this node that take chunks, 0 for all that there are")
      ->check(not_negative_number())
      ->type_name("N")
      ->capture_default_str();
  add_out_of_range_option(command, options.out_of_range);
}

std::size_t SpectraOptions::memory_limit() const {
  constexpr double most_bytes = 1e18;
  return static_cast<std::size_t>(std::min(memory * 1e9, most_bytes));
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
  problem.options.table_slopes =
      options.table_slopes == "float" ? ega::TableSlopes::float32 : ega::TableSlopes::float64;
  return problem;
}

char const* name_of(Precision precision) { return precision == Precision::float32 ? "single" : "double"; }

char const* name_of(ega::Method method) {
  return method == ega::Method::growth ? "emissivity growth approximation" : "Curtis-Godson approximation";
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
