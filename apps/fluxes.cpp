// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "fluxes_models.hpp"
#include "fluxes_options.hpp"
#include "fluxes_ranges.hpp"
#include "plan.hpp"
#include "ranks.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/io/radiation_files.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace parhelion::Apps {

namespace {

using Ranges = std::vector<std::unique_ptr<SpectralRange>>;

// A table of mean fluxes of the summary.
struct MeansTable {
  std::vector<std::string> heads;
  std::vector<std::vector<double>> rows;  // one for each experiment [W m-2]
};

// --- what is said of a run ---------------------------------------------------------------------------------------

std::string model_of(FluxesArguments const& arguments, Ranges const& ranges) {
  if (arguments.simple()) return "simple spectral model";
  std::vector<std::string> names;
  for (auto const& range : ranges)
    if (names.empty() || names.back() != range->model()) names.push_back(range->model());
  return fmt::format("{} gas optics", fmt::join(names, " and "));
}

template <class Clouds>
std::string describe_clouds(Clouds const& clouds) {
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

// Those of either range: both have the same kind of clouds. Empty without any.
std::string describe_clouds(io::RadiationInput const& input) {
  if (input.clouds.any()) return describe_clouds(input.clouds);
  return input.shortwave_clouds.any() ? describe_clouds(input.shortwave_clouds) : "";
}

// "ch4 = 1.921e-06, n2o = 3.32e-07"
std::string describe_defaults(FluxesInput const& input) {
  std::vector<std::string> texts;
  for (auto const& [gas, fraction, range] : input.defaults)
    texts.push_back(
        fmt::format("{} = {:g}{}", fluxes::name_of(gas), fraction, range.empty() ? "" : " (" + range + ")"));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// "a.nc: 100 columns of 60 layers, RRTMG_LW gas optics"
std::string subject(io::RadiationInput const& input, std::string const& model) {
  return fmt::format("{}: {} columns of {} layers, {}", input.path, columns_of_file(input), input.columns.nlay(),
                     model);
}

// The chunks that are in flight at a time.
std::string describe_chunks(HostPlan const& plan) {
  return fmt::format("{} chunk{} of {} columns in flight on each", plan.streams, plan.streams == 1 ? "" : "s",
                     plan.chunk);
}

// The memory of the calculation in addition to its input; includes results and the output file. The ranges are computed
// one after the other.
Plan plan_of(FluxesInput const& input, Ranges const& ranges, std::string const& model) {
  auto const& arguments = input.arguments;
  auto const& atmosphere = input.atmosphere;
  auto const ncol = static_cast<std::size_t>(atmosphere.columns.ncol());
  auto const nlev = static_cast<std::size_t>(atmosphere.columns.nlay()) + 1;
  Plan needed{.subject = subject(atmosphere, model), .space = {}, .devices = 1, .chunks = {}, .advice = {}};
  std::size_t of_level = 0, solver_on_host = 0;
  for (auto const& range : ranges) {
    auto const plan = range->plan();
    bool on_host = false;
    with_execution_space(plan.space, [&]<class Space>(Space const&) { on_host = runs_on_host<Space>; });
    of_level += range->values_of_level();
    solver_on_host = std::max(solver_on_host, plan.host_bytes + (on_host ? plan.device_bytes : 0));
    needed.device_bytes = std::max(needed.device_bytes, on_host ? 0 : plan.device_bytes);
    auto const chunks = describe_chunks(plan) + " device";
    if (range == ranges.front()) {
      needed.space = plan.space;
      needed.devices = plan.devices;
      needed.chunks = chunks;
    } else {
      needed.others.emplace_back("then, shortwave", chunks);
    }
    if (plan.chunk > 1) needed.advice = "a smaller --chunk";
  }
  std::size_t const results = ncol * nlev * of_level * sizeof(double);
  // Ranks that write together keep what they write until then. Otherwise the first one gets the results of all, and
  // builds the file in memory, which grows by doubling.
  bool const together = ranks().file_sharing() != nullptr;
  std::size_t const all = results / ncol * columns_of_file(atmosphere);
  std::size_t const gathered = together || !ranks().several() || !ranks().first() ? 0 : all;
  std::size_t const files = arguments.output.empty() ? 0 : together ? results : ranks().first() ? 3 * all : 0;
  needed.host_bytes = results + gathered + files + solver_on_host;
  if (auto const clouds = describe_clouds(atmosphere); !clouds.empty()) needed.others.emplace_back("clouds", clouds);
  if (arguments.common.out_of_range != OutOfRange::refuse)
    needed.others.emplace_back("out of range", parhelion::describe(atmosphere.out_of_range));
  return needed;
}

// The weighted mean of a value of each column over the columns of an experiment, counted from 0.
double mean_over_sites(io::RadiationInput const& input, std::size_t experiment, HostArray<double*> const& values) {
  auto const nsite = static_cast<std::size_t>(input.nsite_of_file);
  double sum = 0, weights = 0;
  for (std::size_t site = 0; site < nsite; ++site) {
    double const weight = input.profile_weight.empty() ? 1 : input.profile_weight[site];
    sum += weight * values(experiment * nsite + site);
    weights += weight;
  }
  return sum / weights;
}

// Means over all columns of each experiment, on the first rank; collective, before results are gathered.
MeansTable means_of(io::RadiationInput const& input, SpectralRange const& range) {
  MeansTable table;
  for (auto& [head, flux] : range.printed()) {
    gather_columns(input, flux);
    if (!ranks().first()) continue;
    table.heads.push_back(head);
    table.rows.resize(std::max<std::size_t>(input.experiments.size(), 1));
    for (std::size_t e = 0; e < table.rows.size(); ++e) table.rows[e].push_back(mean_over_sites(input, e, flux));
  }
  return table;
}

void print_means(FluxesInput const& input, SpectralRange const& range, MeansTable const& table) {
  auto const& atmosphere = input.atmosphere;
  std::vector<std::string> labels;
  for (std::size_t e = 0; e < atmosphere.experiments.size(); ++e)
    labels.push_back(fmt::format("experiment {}{}", atmosphere.experiments[e],
                                 atmosphere.experiment_labels.empty() ? "" : " " + atmosphere.experiment_labels[e]));
  if (labels.empty()) labels.emplace_back("all columns");
  std::string const title = fmt::format("{}{}mean [W m-2]", input.arguments.has_both() ? range.name() + " " : "",
                                        atmosphere.profile_weight.empty() ? "" : "weighted ");
  std::size_t width = title.size();
  for (auto const& label : labels) width = std::max(width, label.size());

  auto const width_of = [&](std::size_t column) { return column + 1 == table.heads.size() ? 14 : 12; };
  fmt::print("  {:<{}}", title, width);
  for (std::size_t i = 0; i < table.heads.size(); ++i) fmt::print(" {:>{}}", table.heads[i], width_of(i));
  fmt::print("\n");
  for (std::size_t e = 0; e < labels.size(); ++e) {
    fmt::print("  {:<{}}", labels[e], width);
    for (std::size_t i = 0; i < table.heads.size(); ++i) fmt::print(" {:>{}.3f}", table.rows[e][i], width_of(i));
    fmt::print("\n");
  }
  fmt::print("\n");
}

void print_speed(FluxesInput const& input, SpectralRange const& range, bool first) {
  auto const ncol = static_cast<double>(columns_of_file(input.atmosphere));
  auto const& report = range.report();
  auto const& plan = report.plan;
  auto const megabytes = [](std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); };
  fmt::print("  {}{:.0f} columns/s from the first kernel to the last result, {:.0f} columns/s with set-up and checks\n",
             input.arguments.has_both() ? range.name() + ": " : "", ncol / report.solve_seconds,
             ncol / report.total_seconds);
  if (first && ranks().several()) fmt::print("  {} ranks, of which the first had:\n", ranks().size());
  fmt::print("  {} device{}, {}: {:.1f} MB there, {:.1f} MB of host buffers\n", plan.devices,
             plan.devices == 1 ? "" : "s", describe_chunks(plan), megabytes(plan.device_bytes),
             megabytes(plan.host_bytes));
}

void print_summary(FluxesInput const& input, Ranges const& ranges, std::vector<MeansTable> const& means,
                   std::string const& model) {
  auto const& arguments = input.arguments;
  auto const& atmosphere = input.atmosphere;
  fmt::print("{} on {}\n\n", subject(atmosphere, model), ranges.front()->report().plan.space);
  for (std::size_t i = 0; i < ranges.size(); ++i) print_means(input, *ranges[i], means[i]);
  for (auto const& range : ranges) print_speed(input, *range, range == ranges.front());
  if (auto const clouds = describe_clouds(atmosphere); !clouds.empty()) fmt::print("  clouds {}\n", clouds);
  if (!input.defaults.empty())
    fmt::print("  gases that the file does not have, as in the coefficients: {}\n", describe_defaults(input));
  if (total(input.beyond_tables) > 0)
    fmt::print("  beyond the tables, whose ends hold: {}\n", parhelion::describe(input.beyond_tables));
  if (arguments.common.out_of_range != OutOfRange::refuse)
    fmt::print("  out of range ({}): {}\n", name_of(arguments.common.out_of_range),
               parhelion::describe(atmosphere.out_of_range));
  if (arguments.common.out_of_range == OutOfRange::clip)
    for (auto const& range : ranges)
      fmt::print("  clipped in clouds{}: {}\n", arguments.has_both() ? fmt::format(" ({})", range->name()) : "",
                 range->describe_clipped());
  if (!arguments.output.empty()) fmt::print("  written to {}\n", arguments.output);
}

io::Provenance provenance_of(FluxesInput const& input, FluxesModels const& models, Ranges const& ranges,
                             std::string const& model, std::string const& command_line) {
  auto const& arguments = input.arguments;
  auto const& common = arguments.common;
  std::vector<std::string> names;
  for (auto const& range : ranges) names.push_back(range->name());
  auto title = fmt::format("{} fluxes and heating rates", fmt::join(names, " and "));
  title.front() = title.front() == 'l' ? 'L' : 'S';
  io::Provenance provenance{.title = title,
                            .source = fmt::format("parhelion {}, {}, {} precision, {}", PARHELION_VERSION, model,
                                                  name_of(common.precision), ranges.front()->report().plan.space),
                            .history = history(command_line),
                            .others = {{"atmosphere", arguments.atmosphere}}};
  auto& others = provenance.others;
  for (auto const& range : ranges) range->describe(others);
  others.emplace_back("gas_optics", word_of(gas_optics_models(), arguments.model));
  models.describe(others);
  if (total(input.beyond_tables) > 0) others.emplace_back("beyond_tables", parhelion::describe(input.beyond_tables));
  if (!input.defaults.empty()) others.emplace_back("gases_of_coefficients", describe_defaults(input));
  if (arguments.rrtmg()) others.emplace_back("transmittance", word_of(transmittances(), arguments.transmittance));
  auto const clouds = describe_clouds(input.atmosphere);
  if (!clouds.empty()) others.emplace_back("clouds", clouds);
  if (common.out_of_range != OutOfRange::refuse)
    others.emplace_back("out_of_range", fmt::format("{}: {}", name_of(common.out_of_range),
                                                    parhelion::describe(input.atmosphere.out_of_range)));
  auto const of_layers = [&](auto const& those) { return those.any() && !those.of_gpoints(); };
  if (of_layers(input.atmosphere.clouds))
    others.emplace_back("seed", input.atmosphere.clouds.seed);
  else if (of_layers(input.atmosphere.shortwave_clouds))
    others.emplace_back("seed", input.atmosphere.shortwave_clouds.seed);
  io::carry_on(provenance, arguments.atmosphere);
  return provenance;
}

// --- the run -----------------------------------------------------------------------------------------------------

// The optics of what a file of this layout never has would have no effect.
void refuse_optics_of_clear_layout(FluxesArguments const& arguments, io::RadiationInput const& input) {
  if (input.layout != io::RadiationLayout::rfmip) return;
  for (auto const& [given, option, what] :
       {std::tuple(!arguments.cloud_optics.empty(), "--cloud-optics", "clouds"),
        std::tuple(!arguments.aerosol_optics.empty(), "--aerosol-optics", "aerosol"),
        std::tuple(!arguments.droplet_scattering.empty(), "--droplet-scattering", "clouds")})
    if (given)
      throw Error(arguments.atmosphere, fmt::format("{} was given, but an RFMIP file has no {}", option, what));
}

template <KokkosView View>
bool any_positive(View const& array) {
  return ranks().any(std::any_of(array.data(), array.data() + array.size(), [](double value) { return value > 0.; }));
}

// What the columns of all ranks have in common although each has read its own alone.
void agree(FluxesInput& of_run) {
  auto& input = of_run.atmosphere;
  auto const& all_ranks = ranks();
  if (!all_ranks.several()) return;
  if (!any_positive(input.columns.aerosol)) input.columns.aerosol = {};
  bool const optical = any_positive(input.shortwave_columns.aerosol_optical_depth);
  io::drop_aerosol_without_depth(input.shortwave_columns, optical, any_positive(input.shortwave_columns.aerosol_550nm));
  // The first rank has columns, and with them all variables.
  for (auto* const counted : {&input.out_of_range, &of_run.beyond_tables}) {
    std::vector<double> counts(32);
    for (std::size_t i = 0; i < counted->size(); ++i) counts.at(i) = static_cast<double>((*counted)[i].second);
    counts = all_ranks.sums(counts);
    for (std::size_t i = 0; i < counted->size(); ++i) (*counted)[i].second = static_cast<std::size_t>(counts[i]);
  }
}

// Completes on the first rank what it says of all columns and, where it writes them, their arrays.
void gather(io::RadiationInput& input, Ranges const& of_run, bool results) {
  if (!ranks().several()) return;
  for (auto const& range : of_run) range->gather(results);
  gather_columns(input, input.clouds.decorrelation_length);
  gather_columns(input, input.shortwave_clouds.decorrelation_length);
  if (!results) return;
  gather_columns(input, input.columns.pressure_lay);
  gather_columns(input, input.columns.pressure_lev);
  input.nsite = input.nsite_of_file;
}

int run(FluxesArguments const& given, std::string const& command_line) {
  // All input is checked before anything is computed.
  FluxesArguments arguments = given;
  CommonOptions const& common = arguments.common;
  auto const& all_ranks = ranks();
  all_ranks.collectively([&] { arguments.model = gas_optics_of(given); });
  check_options(arguments);
  auto options = reading_options(arguments);
  options.part = all_ranks.part();
  FluxesInput input{.arguments = arguments, .space = resolve_execution_space(common.space)};

  FluxesModels models;
  all_ranks.collectively([&] {
    models = FluxesModels(arguments);
    models.ask(options);
    if (all_ranks.first()) {
      auto files = models.files();
      files.insert(files.begin(), arguments.atmosphere);
      io::check_files(files, {arguments.output});
    }
    input.atmosphere = io::read_radiation_input(arguments.atmosphere, options);
    refuse_optics_of_clear_layout(arguments, input.atmosphere);
    input.defaults = models.complete(input.atmosphere);
    input.beyond_tables = models.beyond_tables(input.atmosphere);
  });
  agree(input);
  Ranges ranges;
  auto const& gases = input.atmosphere.gases;
  all_ranks.collectively([&] {
    if (arguments.has_longwave())
      ranges.push_back(make_longwave(input, models.longwave(gases), models.longwave_file()));
    if (arguments.has_shortwave())
      ranges.push_back(make_shortwave(input, models.shortwave(gases), models.shortwave_file()));
  });
  std::string const model = model_of(arguments, ranges);

  Plan plan;
  all_ranks.collectively([&] {
    if (input.busy()) plan = plan_of(input, ranges, model);
  });
  check_memory(plan);
  if (common.dry_run) {
    print_plan(plan);
    return exit_success;
  }

  for (auto const& range : ranges) all_ranks.collectively([&] { range->compute(); });
  std::vector<MeansTable> means;
  for (auto const& range : ranges) means.push_back(means_of(input.atmosphere, *range));
  auto const* const sharing = all_ranks.file_sharing();
  gather(input.atmosphere, ranges, sharing == nullptr);
  if (!arguments.output.empty()) {
    io::RadiationResult result;
    io::Provenance provenance;
    all_ranks.collectively([&] {
      for (auto const& range : ranges) range->add_to(result);
      if (all_ranks.first()) provenance = provenance_of(input, models, ranges, model, command_line);
    });
    all_ranks.write(sharing, [&] {
      io::write_fluxes(arguments.output, input.atmosphere, result, provenance, io::NetcdfType::float64, sharing);
    });
  }
  if (!common.quiet && all_ranks.first()) print_summary(input, ranges, means, model);
  return exit_success;
}

}  // namespace

Command add_fluxes(CLI::App& program) {
  auto const arguments = std::make_shared<FluxesArguments>();
  auto& command =
      *program.add_subcommand("fluxes", "Longwave and shortwave fluxes and heating rates of atmospheric columns");
  add_fluxes_options(command, *arguments);
  add_common_options(command, arguments->common, {.item = "columns"});
  command
      .add_flag_callback(
          "--clip", [arguments] { arguments->common.out_of_range = OutOfRange::clip; },
          "the same as --out-of-range clip")
      ->excludes(command.get_option("--out-of-range"));
  command.footer(footer({"parhelion fluxes atmosphere.nc --coefficients RRTMG_LW_DATA -o fluxes.nc",
                         "parhelion fluxes atmosphere.nc --longwave --shortwave -o fluxes.nc",
                         "parhelion fluxes atmosphere.nc --gas-optics ecckd -o fluxes.nc",
                         "parhelion fluxes atmosphere.nc --gas-optics simple -o fluxes.nc"}));
  return make_command("fluxes", arguments, run, true);
}

}  // namespace parhelion::Apps
