// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/radiation_files.hpp>
#include <parhelion/io/rrtmg_files.hpp>
#include <parhelion/rrtmg/host_longwave.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::Apps {

namespace {

struct Arguments {
  std::string atmosphere;
  std::string output;
  std::string gas_optics = "rrtmg";
  std::string coefficients;
  std::string transmittance = "exact";
  std::string experiment = "all";
  std::string real = "double";
  std::string space;
  int chunk = 0;
  bool extra_layer = false;
  bool quiet = false;
};

// Weighted mean over the columns of one experiment.
struct Means {
  double outgoing = 0;
  double surface_down = 0;
};

Means mean_fluxes(io::RadiationInput const& input, rrtmg::HostFluxes const& fluxes, int experiment) {
  int const top = input.columns.nlay();
  Means sum;
  double weights = 0;
  for (int site = 0; site < input.nsite; ++site) {
    double const weight = input.profile_weight.empty() ? 1 : input.profile_weight[site];
    int const column = experiment * input.nsite + site;
    sum.outgoing += weight * fluxes.flux_up(column, top);
    sum.surface_down += weight * fluxes.flux_dn(column, 0);
    weights += weight;
  }
  return {sum.outgoing / weights, sum.surface_down / weights};
}

void print_summary(io::RadiationInput const& input, rrtmg::HostFluxes const& fluxes,
                   rrtmg::HostLongwaveReport const& report, std::string const& model, std::string const& output) {
  int const ncol = input.columns.ncol();
  std::vector<std::string> labels;
  for (std::size_t e = 0; e < input.experiments.size(); ++e)
    labels.push_back(fmt::format("experiment {}{}", input.experiments[e],
                                 input.experiment_labels.empty() ? "" : " " + input.experiment_labels[e]));
  if (labels.empty()) labels.emplace_back("all columns");
  std::string const title = input.profile_weight.empty() ? "mean [W m-2]" : "weighted mean [W m-2]";
  std::size_t width = title.size();
  for (auto const& label : labels) width = std::max(width, label.size());

  fmt::print("{}: {} columns of {} layers, {} on {}\n\n", input.path, ncol, input.columns.nlay(), model, report.space);
  fmt::print("  {:<{}} {:>12} {:>14}\n", title, width, "outgoing", "surface down");
  for (std::size_t e = 0; e < labels.size(); ++e) {
    auto const means = mean_fluxes(input, fluxes, static_cast<int>(e));
    fmt::print("  {:<{}} {:>12.3f} {:>14.3f}\n", labels[e], width, means.outgoing, means.surface_down);
  }
  fmt::print("\n  {:.0f} columns/s in kernels, {:.0f} columns/s with copies; {:.1f} MB on the device at a time\n",
             ncol / report.solve_seconds, ncol / report.total_seconds, 1e-6 * static_cast<double>(report.device_bytes));
  if (!output.empty()) fmt::print("  written to {}\n", output);
}

void run(Arguments const& arguments, std::string const& command_line) {
  // All that can be refused is refused before any computing.
  bool const simple = arguments.gas_optics == "simple";
  if (simple && !arguments.coefficients.empty())
    throw CLI::ValidationError("--coefficients", "the simple gas optics have none");
  if (simple && arguments.transmittance == "table")
    throw CLI::ValidationError("--transmittance", "table goes with --gas-optics rrtmg only");
  std::string const space = resolve_execution_space(arguments.space);
  if (!arguments.output.empty()) io::check_writable(arguments.output, arguments.atmosphere);

  std::optional<rrtmg::Coefficients> coefficients;
  std::string coefficient_file;
  if (!simple) {
    coefficient_file = io::find_rrtmg_lw_data(arguments.coefficients);
    coefficients.emplace(io::read_rrtmg_lw_data(coefficient_file, rrtmg::record_values()));
  }

  io::RadiationOptions options{.experiment = arguments.experiment};
  if (simple) options.required_gases = {rrtmg::Gas::h2o, rrtmg::Gas::co2};
  auto const input = io::read_radiation_input(arguments.atmosphere, options);

  rrtmg::HostLongwaveReport report;
  auto const fluxes = rrtmg::compute_longwave(
      input.columns, coefficients ? &*coefficients : nullptr,
      {.space = space,
       .precision = arguments.real == "float" ? Precision::float32 : Precision::float64,
       .transmittance = arguments.transmittance == "table" ? rrtmg::Transmittance::table : rrtmg::Transmittance::exact,
       .chunk = arguments.chunk,
       .extra_layer = arguments.extra_layer,
       .progress = progress(arguments.quiet, "columns")},
      &report);

  std::string const model = simple ? "simple spectral model" : "RRTMG_LW gas optics";
  if (!arguments.output.empty()) {
    std::string const precision = arguments.real == "float" ? "single" : "double";
    io::Provenance provenance{
        .title = "Longwave fluxes and heating rates",
        .source = fmt::format("parhelion {}, {}, {} precision, {}", PARHELION_VERSION, model, precision, report.space),
        .history = history(command_line),
        .others = {{"atmosphere", arguments.atmosphere}}};
    if (!simple) {
      provenance.others.emplace_back("coefficients", coefficient_file);
      provenance.others.emplace_back("transmittance", arguments.transmittance);
    }
    if (arguments.extra_layer)
      provenance.others.emplace_back("extra_layer", "one layer up to 0.01 Pa, not in the output");
    io::write_fluxes(arguments.output, input, fluxes, provenance);
  }
  if (!arguments.quiet) print_summary(input, fluxes, report, model, arguments.output);
}

}  // namespace

Command add_fluxes(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("fluxes", "Longwave fluxes and heating rates of atmospheric columns");
  command.add_option("atmosphere", arguments->atmosphere, "netCDF-4 file in the RFMIP layout or in the column layout")
      ->required()
      ->type_name("ATMOSPHERE");
  command.add_option("-o,--output", arguments->output, "netCDF-4 file to write")->type_name("OUT.nc");
  command.add_option("--gas-optics", arguments->gas_optics, "rrtmg, or simple, which needs no coefficient file")
      ->check(CLI::IsMember({"rrtmg", "simple"}))
      ->capture_default_str();
  command
      .add_option("--coefficients", arguments->coefficients,
                  "RRTMG_LW_DATA or RRTMG_LW_DATA.DBL; otherwise looked for in the folders of $PARHELION_DATA")
      ->type_name("FILE");
  command.add_option("--transmittance", arguments->transmittance, "exact, or the table of the original RRTMG_LW")
      ->check(CLI::IsMember({"exact", "table"}))
      ->capture_default_str();
  command.add_option("--experiment", arguments->experiment, "experiment of an RFMIP file, counted from 1, or all")
      ->type_name("N|all")
      ->capture_default_str();
  command.add_flag("--extra-layer", arguments->extra_layer, "add a layer from the top of the columns to 0.01 Pa");
  command.add_option("--real", arguments->real, "precision of the calculation")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  command.add_option("--space", arguments->space, "execution space, such as OpenMP or Cuda")->type_name("NAME");
  command.add_option("--chunk", arguments->chunk, "columns on the device at a time")
      ->check(CLI::PositiveNumber)
      ->type_name("COLUMNS");
  command.add_flag("--quiet", arguments->quiet, "print neither progress nor summary");
  return [arguments](std::string const& command_line) { run(*arguments, command_line); };
}

}  // namespace parhelion::Apps
