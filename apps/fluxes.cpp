// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"
#include "number_checks.hpp"
#include "plan.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/fluxes/host_longwave.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/io/radiation_files.hpp>
#include <parhelion/io/rrtmg_files.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  int chunk = 0;
  int devices = 0;
  bool extra_layer = false;
  bool derivative = false;
  bool bands = false;
  std::string overlap;
  std::string seed;
  std::string decorrelation_length;
  std::optional<int> day;
  std::string ice_optics;
  std::string liquid_optics;
  OutOfRange out_of_range = OutOfRange::refuse;
};

// In the order of the numbers that RRTMG_LW has for them.
std::vector<std::string> const ice_names{"all-bands", "broad-bands", "streamer", "fu"};
std::vector<std::string> const liquid_names{"all-bands", "hu-stamnes"};

int place_of(std::string const& name, std::vector<std::string> const& names) {
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <class Number>
bool is_number(std::string const& text, Number& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// What the command line says about clouds.
// Throws CLI::ValidationError where options exclude each other.
io::CloudOptions cloud_options(Arguments const& arguments) {
  io::CloudOptions options{.day = arguments.day};
  if (!arguments.overlap.empty()) options.overlap = fluxes::overlap_of(arguments.overlap);
  if (!arguments.ice_optics.empty())
    options.ice_optics = static_cast<fluxes::IceOptics>(place_of(arguments.ice_optics, ice_names));
  if (!arguments.liquid_optics.empty())
    options.liquid_optics = static_cast<fluxes::LiquidOptics>(place_of(arguments.liquid_optics, liquid_names));

  if (!arguments.seed.empty()) {
    // CLI11 takes -1 for the largest number.
    std::uint64_t seed = 0;
    if (!is_number(arguments.seed, seed))
      throw CLI::ValidationError("--seed", arguments.seed + " is not a whole number from 0 to 18446744073709551615");
    options.seed = seed;
  }
  std::string const& length = arguments.decorrelation_length;
  bool const of_latitude = length == "latitude";
  if (of_latitude != arguments.day.has_value())
    throw CLI::ValidationError(of_latitude ? "--decorrelation-length" : "--day",
                               of_latitude ? "latitude goes with --day" : "goes with --decorrelation-length latitude");
  if (!length.empty() && !of_latitude) {
    double meters = 0;
    if (!is_number(length, meters) || !(meters > 0) || !std::isfinite(meters))
      throw CLI::ValidationError("--decorrelation-length", length + " is neither a positive number nor latitude");
    options.decorrelation_length = meters;
  }
  if (!length.empty() && options.overlap && !fluxes::is_exponential(*options.overlap))
    throw CLI::ValidationError("--decorrelation-length", "goes with --overlap exponential or exponential-random");
  return options;
}

// The simple model takes in what the file holds, or the file is refused.
void refuse_for_simple(io::RadiationInput const& input) {
  std::string const wish = input.clouds.any()                 ? "clouds"
                           : input.columns.aerosol.size() > 0 ? "aerosol (tauaer)"
                           : input.derivative                 ? "idrv = 1, derivatives"
                                                              : "";
  if (!wish.empty()) throw Error(input.path, "has " + wish + ", expected none with --gas-optics simple");
}

// For the attributes of the result.
std::string describe(fluxes::HostClouds const& clouds) {
  if (clouds.of_gpoints()) return "of g-points";
  std::string text = fmt::format("of layers, overlap {}, seed {}", fluxes::name_of(clouds.overlap), clouds.seed);
  if (fluxes::is_exponential(clouds.overlap)) {
    auto const* const first = clouds.decorrelation_length.data();
    auto const [least, most] = std::minmax_element(first, first + clouds.decorrelation_length.size());
    text += *least == *most ? fmt::format(", decorrelation length {:g} m", *least)
                            : fmt::format(", decorrelation lengths {:.1f} to {:.1f} m", *least, *most);
  }
  return text;
}

std::string describe(fluxes::ClippedClouds const& clipped) {
  return fmt::format("{} fractions, {} water paths, {} sizes, {} optical depths", clipped.fractions,
                     clipped.water_paths, clipped.sizes, clipped.optical_depths);
}

// Weighted mean over the columns of one experiment.
struct Means {
  double outgoing = 0;
  double surface_down = 0;
};

Means mean_fluxes(io::RadiationInput const& input, fluxes::HostFluxes const& fluxes, int experiment) {
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

// "a.nc: 100 columns of 60 layers, RRTMG_LW gas optics"
std::string subject(io::RadiationInput const& input, std::string const& model) {
  return fmt::format("{}: {} columns of {} layers, {}", input.path, input.columns.ncol(), input.columns.nlay(), model);
}

// How many chunks there are at a time.
std::string describe_chunks(fluxes::HostLongwavePlan const& plan) {
  return fmt::format("{} chunk{} of {} columns in flight on each", plan.streams, plan.streams == 1 ? "" : "s",
                     plan.chunk);
}

// What the calculation takes beside its input, results and the file that holds them included.
Plan plan_of(io::RadiationInput const& input, fluxes::HostLongwavePlan const& plan, fluxes::FluxOutputs const& outputs,
             std::string const& model, Arguments const& arguments) {
  auto const ncol = static_cast<std::size_t>(input.columns.ncol());
  auto const nlev = static_cast<std::size_t>(input.columns.nlay()) + 1;
  std::size_t const of_level =
      3 + (outputs.clear ? 3 : 0) + (outputs.derivative ? 2 : 0) + (outputs.bands ? 2 * fluxes::nbnd : 0);
  std::size_t const results = ncol * nlev * of_level * sizeof(double);
  // Files are built in memory, which grows by doubling.
  std::size_t const files = arguments.output.empty() ? 0 : 3 * results;
  bool on_host = false;
  with_execution_space(plan.space, [&]<class Space>(Space const&) { on_host = runs_on_host<Space>; });
  Plan needed{.subject = subject(input, model),
              .space = plan.space,
              .devices = plan.devices,
              .chunks = describe_chunks(plan) + " device",
              .host_bytes = results + files + plan.host_bytes + (on_host ? plan.device_bytes : 0),
              .device_bytes = on_host ? 0 : plan.device_bytes,
              .advice = plan.chunk > 1 ? "a smaller --chunk" : ""};
  if (input.clouds.any()) needed.others.emplace_back("clouds", describe(input.clouds));
  if (arguments.out_of_range != OutOfRange::refuse)
    needed.others.emplace_back("out of range", parhelion::describe(input.out_of_range));
  return needed;
}

void print_summary(io::RadiationInput const& input, fluxes::HostFluxes const& fluxes,
                   fluxes::HostLongwaveReport const& report, std::string const& model, Arguments const& arguments) {
  int const ncol = input.columns.ncol();
  std::vector<std::string> labels;
  for (std::size_t e = 0; e < input.experiments.size(); ++e)
    labels.push_back(fmt::format("experiment {}{}", input.experiments[e],
                                 input.experiment_labels.empty() ? "" : " " + input.experiment_labels[e]));
  if (labels.empty()) labels.emplace_back("all columns");
  std::string const title = input.profile_weight.empty() ? "mean [W m-2]" : "weighted mean [W m-2]";
  std::size_t width = title.size();
  for (auto const& label : labels) width = std::max(width, label.size());

  fmt::print("{} on {}\n\n", subject(input, model), report.plan.space);
  fmt::print("  {:<{}} {:>12} {:>14}\n", title, width, "outgoing", "surface down");
  for (std::size_t e = 0; e < labels.size(); ++e) {
    auto const means = mean_fluxes(input, fluxes, static_cast<int>(e));
    fmt::print("  {:<{}} {:>12.3f} {:>14.3f}\n", labels[e], width, means.outgoing, means.surface_down);
  }
  auto const& plan = report.plan;
  auto const megabytes = [](std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); };
  fmt::print("\n  {:.0f} columns/s from the first kernel to the last result, {:.0f} columns/s with set-up and checks\n",
             ncol / report.solve_seconds, ncol / report.total_seconds);
  fmt::print("  {} device{}, {}: {:.1f} MB there, {:.1f} MB of host buffers\n", plan.devices,
             plan.devices == 1 ? "" : "s", describe_chunks(plan), megabytes(plan.device_bytes),
             megabytes(plan.host_bytes));
  if (input.clouds.any()) fmt::print("  clouds {}\n", describe(input.clouds));
  if (arguments.out_of_range != OutOfRange::refuse)
    fmt::print("  out of range ({}): {}\n", name_of(arguments.out_of_range), parhelion::describe(input.out_of_range));
  if (arguments.out_of_range == OutOfRange::clip) fmt::print("  clipped in clouds: {}\n", describe(report.clipped));
  if (!arguments.output.empty()) fmt::print("  written to {}\n", arguments.output);
}

int run(Arguments const& arguments, CommonOptions const& common, std::string const& command_line) {
  // All that can be refused is refused before any computing.
  bool const simple = arguments.gas_optics == "simple";
  if (simple && !arguments.coefficients.empty())
    throw CLI::ValidationError("--coefficients", "the simple gas optics have none");
  if (simple && arguments.transmittance == "table")
    throw CLI::ValidationError("--transmittance", "table goes with --gas-optics rrtmg only");
  io::RadiationOptions options{.experiment = arguments.experiment, .clouds = cloud_options(arguments)};
  if (simple) {
    auto const& clouds = options.clouds;
    for (auto const& [given, name] :
         {std::pair(arguments.derivative, "--derivative"), std::pair(arguments.bands, "--bands"),
          std::pair(clouds.overlap.has_value(), "--overlap"), std::pair(clouds.seed.has_value(), "--seed"),
          std::pair(!arguments.decorrelation_length.empty(), "--decorrelation-length"),
          std::pair(clouds.ice_optics.has_value(), "--ice-optics"),
          std::pair(clouds.liquid_optics.has_value(), "--liquid-optics")})
      if (given) throw CLI::ValidationError(name, "goes with --gas-optics rrtmg only");
    options.required_gases = {fluxes::Gas::h2o, fluxes::Gas::co2};
    options.validity = fluxes::simple_validity;
  }
  options.out_of_range = arguments.out_of_range;
  std::string const space = resolve_execution_space(common.space);

  std::optional<fluxes::Coefficients> coefficients;
  std::string coefficient_file;
  if (!simple) coefficient_file = io::find_rrtmg_lw_data(arguments.coefficients);
  io::check_files({arguments.atmosphere, coefficient_file}, {arguments.output});
  if (!simple)
    coefficients.emplace(io::read_rrtmg_lw_data(coefficient_file, fluxes::record_values()), coefficient_file);

  auto const input = io::read_radiation_input(arguments.atmosphere, options);
  if (simple) refuse_for_simple(input);

  std::string const model = simple ? "simple spectral model" : "RRTMG_LW gas optics";
  bool const cloudy = input.clouds.any();
  fluxes::HostLongwaveOptions const how{
      .space = space,
      .precision = common.precision(),
      .transmittance = arguments.transmittance == "table" ? fluxes::Transmittance::table : fluxes::Transmittance::exact,
      .chunk = arguments.chunk,
      .devices = arguments.devices,
      .extra_layer = arguments.extra_layer,
      .outputs = {.clear = cloudy, .derivative = arguments.derivative || input.derivative, .bands = arguments.bands},
      .out_of_range = arguments.out_of_range,
      .progress = progress(common.quiet, "columns")};
  auto const* const tables = coefficients ? &*coefficients : nullptr;
  auto const plan = plan_of(input,
                            fluxes::plan_longwave(input.columns.ncol(), input.columns.nlay(), input.clouds,
                                                  input.columns.aerosol.size() > 0, tables, how),
                            how.outputs, model, arguments);
  check_memory(plan);
  if (common.dry_run) {
    print_plan(plan);
    return exit_success;
  }

  fluxes::HostLongwaveReport report;
  auto fluxes = fluxes::compute_longwave(input.columns, input.clouds, tables, how, &report);
  // Whoever has variables of clouds, or asks for derivatives, finds both kinds of results even where they are equal.
  if (!cloudy) {
    if (input.has_clouds) {
      fluxes.flux_up_clear = fluxes.flux_up;
      fluxes.flux_dn_clear = fluxes.flux_dn;
      fluxes.heating_rate_clear = fluxes.heating_rate;
    }
    fluxes.dflux_up_clear_dt = fluxes.dflux_up_dt;
  }

  if (!arguments.output.empty()) {
    io::Provenance provenance{.title = "Longwave fluxes and heating rates",
                              .source = fmt::format("parhelion {}, {}, {} precision, {}", PARHELION_VERSION, model,
                                                    common.precision_name(), report.plan.space),
                              .history = history(command_line),
                              .others = {{"atmosphere", arguments.atmosphere}}};
    if (!simple) {
      provenance.others.emplace_back("coefficients", coefficient_file);
      provenance.others.emplace_back("transmittance", arguments.transmittance);
    }
    if (cloudy) provenance.others.emplace_back("clouds", describe(input.clouds));
    if (arguments.out_of_range != OutOfRange::refuse)
      provenance.others.emplace_back("out_of_range", fmt::format("{}: {}", name_of(arguments.out_of_range),
                                                                 parhelion::describe(input.out_of_range)));
    if (cloudy && !input.clouds.of_gpoints()) provenance.others.emplace_back("seed", input.clouds.seed);
    if (report.clipped.all() > 0) provenance.others.emplace_back("clipped_in_clouds", describe(report.clipped));
    if (arguments.extra_layer)
      provenance.others.emplace_back("extra_layer", "one layer up to 0.01 Pa, not in the output");
    io::carry_on(provenance, arguments.atmosphere);
    io::write_fluxes(arguments.output, input, fluxes, provenance);
  }
  if (!common.quiet) print_summary(input, fluxes, report, model, arguments);
  return exit_success;
}

}  // namespace

Command add_fluxes(CLI::App& program, CommonOptions& common) {
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
  command.add_flag(
      "--derivative", arguments->derivative,
      "derivative of the upward flux with respect to the temperature of the surface, as idrv = 1 in the file");
  command.add_flag("--bands", arguments->bands, "fluxes of each of the 16 bands");
  command
      .add_option("--overlap", arguments->overlap,
                  "overlap of clouds of layers; otherwise icld of the file, or maximum-random")
      ->check(CLI::IsMember(fluxes::overlap_names()))
      ->type_name("NAME");
  command.add_option("--seed", arguments->seed, "seed of the subcolumns of clouds of layers; 0 when left out")
      ->type_name("NUMBER");
  command
      .add_option("--decorrelation-length", arguments->decorrelation_length,
                  "of exponential overlaps [m], or latitude; 2500 when left out")
      ->type_name("M|latitude");
  command.add_option("--day", arguments->day, "day of the year, with --decorrelation-length latitude")
      ->check(CLI::Range(1, 366))
      ->type_name("1..366");
  command
      .add_option("--ice-optics", arguments->ice_optics,
                  "iceflglw by name, 0 to 3 in this order, for files that do not have it; fu when left out")
      ->check(CLI::IsMember(ice_names))
      ->type_name("NAME");
  command
      .add_option("--liquid-optics", arguments->liquid_optics,
                  "liqflglw by name, 0 or 1 in this order, for files that do not have it; hu-stamnes when left out")
      ->check(CLI::IsMember(liquid_names))
      ->type_name("NAME");
  add_out_of_range_option(command, arguments->out_of_range);
  command
      .add_flag_callback(
          "--clip", [arguments] { arguments->out_of_range = OutOfRange::clip; }, "the same as --out-of-range clip")
      ->excludes(command.get_option("--out-of-range"));
  command.add_flag("--extra-layer", arguments->extra_layer, "add a layer from the top of the columns to 0.01 Pa");
  command.add_option("--chunk", arguments->chunk, "columns in a chunk; up to three are in flight on a device")
      ->check(positive_number())
      ->type_name("COLUMNS");
  command
      .add_option("--devices", arguments->devices, "devices of this node that take chunks, 0 for all that there are")
      ->check(not_negative_number())
      ->type_name("N")
      ->capture_default_str();
  add_common_options(command, common);
  command.footer(footer({"parhelion fluxes atmosphere.nc --coefficients RRTMG_LW_DATA -o fluxes.nc",
                         "parhelion fluxes atmosphere.nc --gas-optics simple -o fluxes.nc"}));
  return {"fluxes",
          [arguments, &common](std::string const& command_line) { return run(*arguments, common, command_line); }};
}

}  // namespace parhelion::Apps
