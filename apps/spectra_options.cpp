// SPDX-License-Identifier: BSD-3-Clause
#include "spectra_options.hpp"

#include "commands.hpp"

#include <parhelion/ega/device_atmosphere.hpp>
#include <parhelion/io/jurassic_files.hpp>
#include <parhelion/io/jurassic_problem.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

namespace parhelion::Apps {

void add_case_options(CLI::App& command, SpectraOptions& options) {
  command.add_option("--control", options.control, "control file")->required()->type_name("CASE.ctl");
  command.add_option("--atmosphere", options.atmosphere, "vertical profiles")->required()->type_name("atm.tab");
  command.add_option("--observation", options.observation, "rays")->required()->type_name("obs.tab");
}

void add_table_options(CLI::App& command, SpectraOptions& options) {
  command.add_option("--tables", options.tables, "folder of the emissivity tables and filters, in place of TBLBASE's")
      ->type_name("DIR");
  command.add_option("--continua", options.continua, "folder of the continuum coefficients, else $PARHELION_DATA")
      ->type_name("DIR");
  command.add_option("--table-slopes", options.table_slopes, "precision of the slopes of table interpolation")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  command.add_flag("--allow-missing-tables", options.allow_missing_tables, "gases without a table are transparent");
  command.add_option("--memory", options.memory, "limit for tables on the device, 16 GB when left out")
      ->check(CLI::PositiveNumber)
      ->type_name("GB");
  command.add_option("--chunk", options.chunk, "rays on the device at a time")
      ->check(CLI::PositiveNumber)
      ->type_name("RAYS");
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

ega::Problem read_problem(SpectraOptions const& options, io::JurassicControl const& control) {
  auto problem = io::read_jurassic_problem(
      control,
      {.tables = options.tables, .continua = options.continua, .missing_tables_allowed = options.allow_missing_tables});
  problem.options.table_slopes =
      options.table_slopes == "float" ? ega::TableSlopes::float32 : ega::TableSlopes::float64;
  return problem;
}

}  // namespace parhelion::Apps
