// SPDX-License-Identifier: BSD-3-Clause
#include "aer_netcdf.hpp"
#include "commands.hpp"
#include "common_options.hpp"

#include <parhelion/fluxes/rrtmg_lw/coefficients.hpp>
#include <parhelion/io/netcdf.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/io/rrtmg_files.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <numeric>
#include <string>

namespace parhelion::Apps {

namespace {

struct Arguments {
  std::string input;
  std::string output;
  CommonOptions common;
};

int run(Arguments const& arguments, std::string const& /* command_line */) {
  io::check_files({arguments.input}, {arguments.output});
  auto const records = read_aer_netcdf(arguments.input);
  // What the solver would refuse is not written.
  fluxes::Coefficients const checked(records, arguments.input);
  io::write_rrtmg_lw_data(arguments.output, records);
  if (!arguments.common.quiet)
    fmt::print("{}: {} coefficients of {} bands\n  written to {}\n", arguments.input,
               std::accumulate(records.begin(), records.end(), std::size_t(0),
                               [](std::size_t sum, auto const& record) { return sum + record.size(); }),
               records.size(), arguments.output);
  return exit_success;
}

}  // namespace

Command add_coefficients(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("coefficients", "Converts AER's netCDF coefficients of RRTMG_LW");
  command.add_option("input", arguments->input, "AER's rrtmg_lw.nc, netCDF-3 or netCDF-4")
      ->required()
      ->type_name("rrtmg_lw.nc");
  command.add_option("-o,--output", arguments->output, "Fortran file to write, which parhelion and WRF read")
      ->required()
      ->type_name("RRTMG_LW_DATA.DBL");
  add_quiet_option(command, arguments->common);
  command.footer(footer({"parhelion coefficients rrtmg_lw.nc -o RRTMG_LW_DATA.DBL"},
                        io::can_read_netcdf() ? "" : "This build cannot do it: it has no netCDF library."));
  return make_command("coefficients", arguments, run);
}

}  // namespace parhelion::Apps
