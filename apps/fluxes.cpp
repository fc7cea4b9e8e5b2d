// SPDX-License-Identifier: BSD-3-Clause
#include "choices.hpp"
#include "commands.hpp"
#include "common_options.hpp"
#include "plan.hpp"
#include "ranks.hpp"

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

enum class GasOpticsModel { rrtmg, simple };

struct Arguments {
  std::string atmosphere;
  std::string output;
  GasOpticsModel gas_optics = GasOpticsModel::rrtmg;
  std::string coefficients;
  fluxes::Transmittance transmittance = fluxes::Transmittance::exact;
  std::string experiment = "all";
  bool extra_layer = false;
  bool derivative = false;
  bool bands = false;
  std::optional<fluxes::Overlap> overlap;
  std::string seed;
  std::string decorrelation_length;
  std::optional<int> day;
  std::optional<fluxes::IceOptics> ice_optics;
  std::optional<fluxes::LiquidOptics> liquid_optics;
  CommonOptions common;
};

Choices<fluxes::Transmittance> const transmittances{{"exact", fluxes::Transmittance::exact},
                                                    {"table", fluxes::Transmittance::table}};
// In the order of RRTMG_LW's numbers for them.
Choices<fluxes::IceOptics> const ice_optics{{"all-bands", fluxes::IceOptics::all_bands},
                                            {"broad-bands", fluxes::IceOptics::broad_bands},
                                            {"streamer", fluxes::IceOptics::streamer},
                                            {"fu", fluxes::IceOptics::fu}};
Choices<fluxes::LiquidOptics> const liquid_optics{{"all-bands", fluxes::LiquidOptics::all_bands},
                                                  {"hu-stamnes", fluxes::LiquidOptics::hu_stamnes}};

template <class Number>
bool is_number(std::string const& text, Number& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The cloud options of the command line.
// Throws CLI::ValidationError where options exclude each other.
io::CloudOptions cloud_options(Arguments const& arguments) {
  io::CloudOptions options{.overlap = arguments.overlap,
                           .day = arguments.day,
                           .ice_optics = arguments.ice_optics,
                           .liquid_optics = arguments.liquid_optics};
  if (!arguments.seed.empty()) {
    // CLI11 would read -1 as the largest number.
    std::uint64_t seed = 0;
    if (!is_number(arguments.seed, seed))
      throw CLI::ValidationError("--seed", arguments.seed + " is not a whole number from 0 to 18446744073709551615");
    options.seed = seed;
  }
  std::string const& length = arguments.decorrelation_length;
  bool const of_latitude = length == "latitude";
  if (of_latitude != arguments.day.has_value())
    throw CLI::ValidationError(of_latitude ? "--decorrelation-length" : "--day",
                               of_latitude ? "latitude needs --day" : "needs --decorrelation-length latitude");
  if (!length.empty() && !of_latitude) {
    double meters = 0;
    if (!is_number(length, meters) || !(meters > 0) || !std::isfinite(meters))
      throw CLI::ValidationError("--decorrelation-length", length + " is neither a positive number nor latitude");
    options.decorrelation_length = meters;
  }
  if (!length.empty() && options.overlap && !fluxes::is_exponential(*options.overlap))
    throw CLI::ValidationError("--decorrelation-length", "needs --overlap exponential or exponential-random");
  return options;
}

// Refuses files with content that the simple model does not support.
void refuse_for_simple(io::RadiationInput const& input) {
  std::string const unsupported = input.clouds.any()                 ? "clouds"
                                  : input.columns.aerosol.size() > 0 ? "aerosol (tauaer)"
                                  : input.derivative                 ? "idrv = 1, derivatives"
                                                                     : "";
  if (!unsupported.empty()) throw Error(input.path, "has " + unsupported + ", expected none with --gas-optics simple");
}

// For the attributes of the result.
std::string describe(fluxes::HostClouds const& clouds) {
  if (clouds.of_gpoints()) return "of g-points";
  std::string text = fmt::format("of layers, overlap {}, seed {}", fluxes::name_of(clouds.overlap), clouds.seed);
  if (fluxes::is_exponential(clouds.overlap)) {
    auto const* const first = clouds.decorrelation_length.data();
    auto const [shortest, longest] = std::minmax_element(first, first + clouds.decorrelation_length.size());
    text += *shortest == *longest ? fmt::format(", decorrelation length {:g} m", *shortest)
                                  : fmt::format(", decorrelation lengths {:.1f} to {:.1f} m", *shortest, *longest);
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

// The columns that all ranks compute.
std::size_t columns_of_file(io::RadiationInput const& input) {
  return static_cast<std::size_t>(input.nsite_of_file) * std::max<std::size_t>(input.experiments.size(), 1);
}

// "a.nc: 100 columns of 60 layers, RRTMG_LW gas optics"
std::string subject(io::RadiationInput const& input, std::string const& model) {
  return fmt::format("{}: {} columns of {} layers, {}", input.path, columns_of_file(input), input.columns.nlay(),
                     model);
}

// The chunks that are in flight at a time.
std::string describe_chunks(fluxes::HostLongwavePlan const& plan) {
  return fmt::format("{} chunk{} of {} columns in flight on each", plan.streams, plan.streams == 1 ? "" : "s",
                     plan.chunk);
}

// The memory of the calculation in addition to its input; includes results and the output file.
Plan plan_of(io::RadiationInput const& input, fluxes::HostLongwavePlan const& plan, fluxes::FluxOutputs const& outputs,
             std::string const& model, Arguments const& arguments) {
  auto const ncol = static_cast<std::size_t>(input.columns.ncol());
  auto const nlev = static_cast<std::size_t>(input.columns.nlay()) + 1;
  std::size_t const of_level =
      3 + (outputs.clear ? 3 : 0) + (outputs.derivative ? 2 : 0) + (outputs.bands ? 2 * fluxes::nbnd : 0);
  std::size_t const results = ncol * nlev * of_level * sizeof(double);
  // The first rank gets those of all. Files are built in memory, which grows by doubling.
  std::size_t const all = results / ncol * columns_of_file(input);
  std::size_t const gathered = !ranks().several() || !ranks().first() ? 0 : all;
  std::size_t const files = arguments.output.empty() || !ranks().first() ? 0 : 3 * all;
  bool on_host = false;
  with_execution_space(plan.space, [&]<class Space>(Space const&) { on_host = runs_on_host<Space>; });
  Plan needed{.subject = subject(input, model),
              .space = plan.space,
              .devices = plan.devices,
              .chunks = describe_chunks(plan) + " device",
              .host_bytes = results + gathered + files + plan.host_bytes + (on_host ? plan.device_bytes : 0),
              .device_bytes = on_host ? 0 : plan.device_bytes,
              .advice = plan.chunk > 1 ? "a smaller --chunk" : ""};
  if (input.clouds.any()) needed.others.emplace_back("clouds", describe(input.clouds));
  if (arguments.common.out_of_range != OutOfRange::refuse)
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
  if (ranks().several()) fmt::print("  {} ranks, of which the first had:\n", ranks().size());
  fmt::print("  {} device{}, {}: {:.1f} MB there, {:.1f} MB of host buffers\n", plan.devices,
             plan.devices == 1 ? "" : "s", describe_chunks(plan), megabytes(plan.device_bytes),
             megabytes(plan.host_bytes));
  if (input.clouds.any()) fmt::print("  clouds {}\n", describe(input.clouds));
  if (arguments.common.out_of_range != OutOfRange::refuse)
    fmt::print("  out of range ({}): {}\n", name_of(arguments.common.out_of_range),
               parhelion::describe(input.out_of_range));
  if (arguments.common.out_of_range == OutOfRange::clip)
    fmt::print("  clipped in clouds: {}\n", describe(report.clipped));
  if (!arguments.output.empty()) fmt::print("  written to {}\n", arguments.output);
}

// What the columns of all ranks have in common although each has read its own alone.
void agree(io::RadiationInput& input) {
  auto const& all_ranks = ranks();
  if (!all_ranks.several()) return;
  auto& aerosol = input.columns.aerosol;
  bool const any_aerosol =
      std::any_of(aerosol.data(), aerosol.data() + aerosol.size(), [](double depth) { return depth > 0.; });
  if (!all_ranks.any(any_aerosol)) aerosol = {};
  // The first rank has columns, and with them all variables.
  std::vector<double> counts(32);
  for (std::size_t i = 0; i < input.out_of_range.size(); ++i)
    counts.at(i) = static_cast<double>(input.out_of_range[i].second);
  counts = all_ranks.sums(counts);
  for (std::size_t i = 0; i < input.out_of_range.size(); ++i)
    input.out_of_range[i].second = static_cast<std::size_t>(counts[i]);
}

// Completes on the first rank what it writes and prints.
void gather(io::RadiationInput& input, fluxes::HostFluxes& fluxes, fluxes::HostLongwaveReport& report) {
  auto const& all_ranks = ranks();
  if (!all_ranks.several()) return;
  auto const ranges = all_ranks.ranges(static_cast<std::size_t>(input.nsite_of_file));
  std::size_t const blocks = std::max<std::size_t>(input.experiments.size(), 1);
  fluxes::HostFluxes::for_each_array(
      [&](ArrayDescription const&, auto& array) { all_ranks.gather(array, ranges, blocks); }, fluxes);
  all_ranks.gather(input.columns.pressure_lay, ranges, blocks);
  all_ranks.gather(input.columns.pressure_lev, ranges, blocks);
  all_ranks.gather(input.clouds.decorrelation_length, ranges, blocks);
  input.nsite = input.nsite_of_file;
  auto& clipped = report.clipped;
  auto const counts = all_ranks.sums(
      {double(clipped.fractions), double(clipped.water_paths), double(clipped.sizes), double(clipped.optical_depths)});
  clipped = {int(counts[0]), int(counts[1]), int(counts[2]), int(counts[3])};
  auto const seconds = all_ranks.largest({report.solve_seconds, report.total_seconds});
  report.solve_seconds = seconds[0];
  report.total_seconds = seconds[1];
}

void write(Arguments const& arguments, io::RadiationInput const& input, fluxes::HostFluxes const& fluxes,
           fluxes::HostLongwaveReport const& report, std::string const& model, std::string const& coefficient_file,
           std::string const& command_line) {
  CommonOptions const& common = arguments.common;
  bool const cloudy = input.clouds.any();
  io::Provenance provenance{.title = "Longwave fluxes and heating rates",
                            .source = fmt::format("parhelion {}, {}, {} precision, {}", PARHELION_VERSION, model,
                                                  name_of(common.precision), report.plan.space),
                            .history = history(command_line),
                            .others = {{"atmosphere", arguments.atmosphere}}};
  if (!coefficient_file.empty()) {
    provenance.others.emplace_back("coefficients", coefficient_file);
    provenance.others.emplace_back("transmittance", word_of(transmittances, arguments.transmittance));
  }
  if (cloudy) provenance.others.emplace_back("clouds", describe(input.clouds));
  if (common.out_of_range != OutOfRange::refuse)
    provenance.others.emplace_back(
        "out_of_range", fmt::format("{}: {}", name_of(common.out_of_range), parhelion::describe(input.out_of_range)));
  if (cloudy && !input.clouds.of_gpoints()) provenance.others.emplace_back("seed", input.clouds.seed);
  if (report.clipped.all() > 0) provenance.others.emplace_back("clipped_in_clouds", describe(report.clipped));
  if (arguments.extra_layer)
    provenance.others.emplace_back("extra_layer", "one layer up to 0.01 Pa, not in the output");
  io::carry_on(provenance, arguments.atmosphere);
  io::write_fluxes(arguments.output, input, fluxes, provenance);
}

int run(Arguments const& arguments, std::string const& command_line) {
  // All input is checked before anything is computed.
  CommonOptions const& common = arguments.common;
  bool const simple = arguments.gas_optics == GasOpticsModel::simple;
  if (simple && !arguments.coefficients.empty())
    throw CLI::ValidationError("--coefficients", "not allowed with --gas-optics simple, which needs no coefficients");
  if (simple && arguments.transmittance == fluxes::Transmittance::table)
    throw CLI::ValidationError("--transmittance", "table is only allowed with --gas-optics rrtmg");
  io::RadiationOptions options{.experiment = arguments.experiment, .clouds = cloud_options(arguments)};
  if (simple) {
    auto const& clouds = options.clouds;
    for (auto const& [given, name] :
         {std::pair(arguments.derivative, "--derivative"), std::pair(arguments.bands, "--bands"),
          std::pair(clouds.overlap.has_value(), "--overlap"), std::pair(clouds.seed.has_value(), "--seed"),
          std::pair(!arguments.decorrelation_length.empty(), "--decorrelation-length"),
          std::pair(clouds.ice_optics.has_value(), "--ice-optics"),
          std::pair(clouds.liquid_optics.has_value(), "--liquid-optics")})
      if (given) throw CLI::ValidationError(name, "is only allowed with --gas-optics rrtmg");
    options.required_gases = {fluxes::Gas::h2o, fluxes::Gas::co2};
    options.validity = fluxes::simple_validity;
  }
  options.out_of_range = arguments.common.out_of_range;
  std::string const space = resolve_execution_space(common.space);

  auto const& all_ranks = ranks();
  options.part = all_ranks.part();

  std::optional<fluxes::Coefficients> coefficients;
  std::string coefficient_file;
  io::RadiationInput input;
  all_ranks.collectively([&] {
    if (!simple) coefficient_file = io::find_rrtmg_lw_data(arguments.coefficients);
    if (all_ranks.first()) io::check_files({arguments.atmosphere, coefficient_file}, {arguments.output});
    if (!simple)
      coefficients.emplace(io::read_rrtmg_lw_data(coefficient_file, fluxes::record_values()), coefficient_file);
    input = io::read_radiation_input(arguments.atmosphere, options);
    if (simple) refuse_for_simple(input);
  });
  agree(input);
  bool const busy = !input.sites.empty();

  std::string const model = simple ? "simple spectral model" : "RRTMG_LW gas optics";
  bool const cloudy = input.clouds.any();
  fluxes::HostLongwaveOptions const longwave_options{
      .space = space,
      .precision = common.precision,
      .transmittance = arguments.transmittance,
      .chunk = common.chunk,
      .devices = common.devices_of_rank(),
      .extra_layer = arguments.extra_layer,
      .outputs = {.clear = cloudy, .derivative = arguments.derivative || input.derivative, .bands = arguments.bands},
      .out_of_range = arguments.common.out_of_range,
      .progress = progress_of_all(progress(common.quiet, "columns"), input.columns.ncol(), columns_of_file(input))};
  auto const* const tables = coefficients ? &*coefficients : nullptr;
  Plan plan;
  all_ranks.collectively([&] {
    if (!busy) return;
    plan = plan_of(input,
                   fluxes::plan_longwave(input.columns.ncol(), input.columns.nlay(), input.clouds,
                                         input.columns.aerosol.size() > 0, tables, longwave_options),
                   longwave_options.outputs, model, arguments);
  });
  check_memory(plan);
  if (common.dry_run) {
    print_plan(plan);
    return exit_success;
  }

  fluxes::HostLongwaveReport report;
  fluxes::HostFluxes fluxes;
  all_ranks.collectively([&] {
    if (busy)
      counting_from("column", input.sites.first, [&] {
        fluxes = fluxes::compute_longwave(input.columns, input.clouds, tables, longwave_options, &report);
      });
  });
  gather(input, fluxes, report);
  if (!all_ranks.first()) {
    all_ranks.collectively([] {});  // the first one writes
    return exit_success;
  }
  // Files with cloud variables, and derivatives, always get clear-sky results, even if they equal those of all sky.
  if (!cloudy) {
    if (input.has_clouds) {
      fluxes.flux_up_clear = fluxes.flux_up;
      fluxes.flux_dn_clear = fluxes.flux_dn;
      fluxes.heating_rate_clear = fluxes.heating_rate;
    }
    fluxes.dflux_up_clear_dt = fluxes.dflux_up_dt;
  }

  all_ranks.collectively([&] {
    if (!arguments.output.empty()) write(arguments, input, fluxes, report, model, coefficient_file, command_line);
  });
  if (!common.quiet) print_summary(input, fluxes, report, model, arguments);
  return exit_success;
}

}  // namespace

Command add_fluxes(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("fluxes", "Longwave fluxes and heating rates of atmospheric columns");
  command.add_option("atmosphere", arguments->atmosphere, "netCDF-4 file in the RFMIP layout or in the column layout")
      ->required()
      ->type_name("ATMOSPHERE");
  command.add_option("-o,--output", arguments->output, "netCDF-4 file to write")->type_name("OUT.nc");
  add_choice(command, "--gas-optics", arguments->gas_optics,
             {{"rrtmg", GasOpticsModel::rrtmg}, {"simple", GasOpticsModel::simple}},
             "rrtmg, or simple, which needs no coefficient file");
  command
      .add_option("--coefficients", arguments->coefficients,
                  "RRTMG_LW_DATA or RRTMG_LW_DATA.DBL; by default searched in $PARHELION_DATA")
      ->type_name("FILE");
  add_choice(command, "--transmittance", arguments->transmittance, transmittances,
             "exact, or the table of the original RRTMG_LW");
  command.add_option("--experiment", arguments->experiment, "experiment of an RFMIP file, counted from 1, or all")
      ->type_name("N|all")
      ->capture_default_str();
  command.add_flag(
      "--derivative", arguments->derivative,
      "derivative of the upward flux with respect to the temperature of the surface, as idrv = 1 in the file");
  command.add_flag("--bands", arguments->bands, "fluxes of each of the 16 bands");
  add_choice(command, "--overlap", arguments->overlap,
             choices_of(fluxes::overlap_names(), fluxes::overlap_of(fluxes::overlap_names().front())),
             "overlap of cloud layers; by default icld of the file, or maximum-random")
      ->type_name("NAME");
  command.add_option("--seed", arguments->seed, "seed of the cloudy subcolumns; 0 by default")->type_name("NUMBER");
  command
      .add_option("--decorrelation-length", arguments->decorrelation_length,
                  "of exponential overlaps [m], or latitude; 2500 by default")
      ->type_name("M|latitude");
  command.add_option("--day", arguments->day, "day of the year, with --decorrelation-length latitude")
      ->check(CLI::Range(1, 366))
      ->type_name("1..366");
  add_choice(command, "--ice-optics", arguments->ice_optics, ice_optics,
             "iceflglw (0 to 3 in this order) by name, for files without it; fu by default")
      ->type_name("NAME");
  add_choice(command, "--liquid-optics", arguments->liquid_optics, liquid_optics,
             "liqflglw (0 or 1 in this order) by name, for files without it; hu-stamnes by default")
      ->type_name("NAME");
  command.add_flag("--extra-layer", arguments->extra_layer, "add a layer from the top of the columns to 0.01 Pa");
  add_common_options(command, arguments->common, {.item = "columns"});
  command
      .add_flag_callback(
          "--clip", [arguments] { arguments->common.out_of_range = OutOfRange::clip; },
          "the same as --out-of-range clip")
      ->excludes(command.get_option("--out-of-range"));
  command.footer(footer({"parhelion fluxes atmosphere.nc --coefficients RRTMG_LW_DATA -o fluxes.nc",
                         "parhelion fluxes atmosphere.nc --gas-optics simple -o fluxes.nc"}));
  return make_command("fluxes", arguments, run, true);
}

}  // namespace parhelion::Apps
