// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"
#include "number_checks.hpp"
#include "plan.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/monte_carlo_cases.hpp>
#include <parhelion/io/monte_carlo_checkpoint.hpp>
#include <parhelion/io/monte_carlo_files.hpp>
#include <parhelion/io/narrow_band_files.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace parhelion::Apps {

namespace {

using namespace monte_carlo;

struct Arguments {
  std::string input;
  std::string case_name;
  std::string output;
  std::string spectrum;
  std::vector<int> cells{64};
  double stretch = 0;
  Options options;
  std::vector<double> absorbed;
  bool no_walls = false;
  double target_error = 0;
  std::string checkpoint;
  std::string resume;
  OutOfRange out_of_range = OutOfRange::refuse;
  CommonOptions common;

  bool built_in() const { return input.empty(); }
  int rays_of_repetition() const { return options.rays / options.repetitions; }
};

std::map<std::string, Sampling> const samplings{{"random", Sampling::random},
                                                {"stratified", Sampling::stratified},
                                                {"sobol", Sampling::sobol},
                                                {"kronecker", Sampling::kronecker}};
std::map<std::string, Directions> const directions{{"independent", Directions::independent},
                                                   {"shared", Directions::shared}};
std::map<std::string, Reconstruction> const reconstructions{{"constant", Reconstruction::constant},
                                                            {"linear", Reconstruction::linear}};
std::map<std::string, CoarseTemperature> const coarse_temperatures{{"mean", CoarseTemperature::mean},
                                                                   {"emission", CoarseTemperature::emission}};
std::map<std::string, Launch> const launches{{"centre", Launch::centre}, {"volume", Launch::volume}};
std::map<std::string, AbsorbedBy> const absorbed_by{
    {"planck", AbsorbedBy::planck}, {"band", AbsorbedBy::band}, {"largest", AbsorbedBy::largest}};
std::map<std::string, SpectralOrder> const orders{
    {"table", SpectralOrder::table}, {"absorption", SpectralOrder::absorption}, {"hilbert", SpectralOrder::hilbert}};

template <class Value>
std::string word_of(std::map<std::string, Value> const& words, Value value) {
  for (auto const& [word, each] : words)
    if (each == value) return word;
  return {};
}

/// An option whose value is one of some words.
template <class Value>
CLI::Option* add_choice(CLI::App& command, std::string const& name, Value& value,
                        std::map<std::string, Value> const& words, std::string const& description) {
  std::vector<std::string> names;
  for (auto const& [word, each] : words) names.push_back(word);
  return command
      .add_option_function<std::string>(
          name, [&value, &words](std::string const& word) { value = words.at(word); }, description)
      ->check(CLI::IsMember(names))
      ->default_str(word_of(words, value));
}

// --- what is computed --------------------------------------------------------------------------------------------

Spectrum narrow_band(std::string const& path) { return Spectrum::narrow_band(io::read_narrow_band(path)); }

constexpr char const* grey_word = "grey:";

/// The file of the spectrum; empty where it is in none.
std::string spectrum_file(Arguments const& arguments) {
  auto const& word = arguments.spectrum;
  if (word == "wsgg" || word.starts_with(grey_word)) return {};
  if (!word.empty()) return io::find_data_file("a narrow-band table, or the words grey:KAPPA or wsgg", word, {}, "");
  if (arguments.built_in() && io::case_description(arguments.case_name).gas == "H2O")
    return io::find_data_file("narrow-band table of H2O", "", {"h2o_nbck.h5", "mc/h2o_nbck.h5"},
                              "say with --spectrum FILE where it is");
  return {};
}

/// What --spectrum says where it does not name a file.
Spectrum named_by_word(std::string const& word) {
  if (word == "wsgg") return Spectrum::weighted_sum_of_grey_gases();
  std::string const grey = grey_word;
  double absorption = 0;
  char const* const end = word.data() + word.size();
  auto const [last, error] = std::from_chars(word.data() + grey.size(), end, absorption);
  if (error != std::errc() || last != end || !(absorption >= 0 && std::isfinite(absorption)))
    throw CLI::ValidationError("--spectrum",
                               fmt::format("{}, expected grey:KAPPA with an absorption coefficient [m-1] >= 0", word));
  return Spectrum::grey(absorption);
}

/// The spectrum that a file of a problem names, where its name says all of it.
Spectrum named_spectrum(std::string const& path) {
  auto const name = io::Hdf5File(path).text_attribute("", "spectrum");
  if (name == Spectrum::weighted_sum_of_grey_gases().name()) return Spectrum::weighted_sum_of_grey_gases();
  double absorption = -1;
  if (name && name->starts_with("grey, ")) std::from_chars(name->data() + 6, name->data() + name->size(), absorption);
  if (absorption >= 0 && std::isfinite(absorption) && name == Spectrum::grey(absorption).name())
    return Spectrum::grey(absorption);
  throw Error(path, fmt::format("{}; say with --spectrum FILE, grey:KAPPA or wsgg what the gas is",
                                name ? "its spectrum, '" + *name + "', is not in the file" : "names no spectrum"));
}

Problem case_problem(Arguments const& arguments, std::string const& file) {
  auto const& description = io::case_description(arguments.case_name);
  io::CaseOptions options;
  if (arguments.cells.size() == 1) options.cells.fill(arguments.cells[0]);
  if (arguments.cells.size() == 3) std::copy(arguments.cells.begin(), arguments.cells.end(), options.cells.begin());
  options.stretch = arguments.stretch;
  options.out_of_range = arguments.out_of_range;
  std::optional<Spectrum> spectrum;
  if (!file.empty())
    spectrum = narrow_band(file);
  else if (!arguments.spectrum.empty())
    spectrum = named_by_word(arguments.spectrum);
  else if (description.gas != "grey")
    throw Error(description.name,
                fmt::format("needs the narrow-band table of its gas, {}; say with --spectrum FILE where it is",
                            description.gas));
  double cells = 1;
  for (int const n : options.cells) cells *= n;
  // The temperature alone; the rest is planned when the problem is there.
  constexpr double too_many = 1e15;
  require_host_memory(
      fmt::format("{} of {} x {} x {} cells", description.name, options.cells[0], options.cells[1], options.cells[2]),
      static_cast<std::size_t>(std::min(cells, too_many)) * sizeof(double), "fewer --cells make it fit");
  return io::built_in_case(description.name, options, spectrum);
}

Problem input_problem(Arguments const& arguments, std::string const& file) {
  auto const spectrum = !file.empty()                ? narrow_band(file)
                        : arguments.spectrum.empty() ? named_spectrum(arguments.input)
                                                     : named_by_word(arguments.spectrum);
  return io::read_monte_carlo_problem(arguments.input, spectrum, arguments.out_of_range);
}

// --- what came out -----------------------------------------------------------------------------------------------

struct Figures {
  double largest = 0;     ///< |q| [W m-3]
  double rms_error = 0;   ///< [W m-3]
  double emitted = 0;     ///< sum of q times volume [W]
  double out_of_box = 0;  ///< net flux through all walls [W]
  bool walls = false;

  double percent() const { return largest > 0 ? 100 * rms_error / largest : 0; }
};

Figures figures_of(Problem const& problem, HostResults const& results) {
  Figures figures;
  auto const& grid = problem.grid;
  double square = 0;
  for (int i = 0; i < grid.ncell(0); ++i)
    for (int j = 0; j < grid.ncell(1); ++j)
      for (int k = 0; k < grid.ncell(2); ++k) {
        double const q = results.q(i, j, k);
        figures.largest = std::max(figures.largest, std::abs(q));
        square += results.q_error(i, j, k) * results.q_error(i, j, k);
        figures.emitted += q * grid.width(0, i) * grid.width(1, j) * grid.width(2, k);
      }
  figures.rms_error = std::sqrt(square / static_cast<double>(grid.size()));
  for (std::size_t side = 0; side < side_names.size(); ++side) {
    auto const& flux = results.wall_flux[side];
    if (flux.size() == 0) continue;
    figures.walls = true;
    int const axis = static_cast<int>(side / 2);
    int const first = axis == 0 ? 1 : 0;
    int const second = axis == 2 ? 1 : 2;
    double sum = 0;
    for (int i = 0; i < grid.ncell(first); ++i)
      for (int j = 0; j < grid.ncell(second); ++j) sum += flux(i, j) * grid.width(first, i) * grid.width(second, j);
    figures.out_of_box += side % 2 == 1 ? sum : -sum;
  }
  return figures;
}

std::string subject(Arguments const& arguments) {
  return arguments.input.empty() ? io::case_description(arguments.case_name).name : arguments.input;
}

std::int64_t rays_of(Arguments const& arguments, int repetitions) {
  return std::int64_t(arguments.rays_of_repetition()) * repetitions;
}

bool missed_target(Arguments const& arguments, HostMonteCarloReport const& report) {
  return arguments.target_error > 0 && !(report.reached_error <= arguments.target_error);
}

std::string grid_text(Problem const& problem) {
  auto const& grid = problem.grid;
  return fmt::format("{} x {} x {} cells, {}", grid.ncell(0), grid.ncell(1), grid.ncell(2), problem.spectrum.name());
}

void print_summary(Arguments const& arguments, Problem const& problem, HostResults const& results,
                   HostMonteCarloReport const& report, double repetitions_before, OutOfRangeCounts const& counts) {
  auto const figures = figures_of(problem, results);
  fmt::print("{}: {}, {} rays each in {} repetitions on {}\n\n", subject(arguments), grid_text(problem),
             rays_of(arguments, report.repetitions), report.repetitions, report.space);
  fmt::print("  {:<36} {:>14.6g} W m-3\n", "largest |q|", figures.largest);
  fmt::print("  {:<36} {:>14.6g} W m-3, {:.3g} % of the largest |q|\n", "standard deviation of q (rms)",
             figures.rms_error, figures.percent());
  if (arguments.target_error > 0)
    fmt::print("  {:<36} {:>14.6g} % of the largest |q|, {}\n", "target error", arguments.target_error,
               missed_target(arguments, report) ? "NOT reached" : "reached");
  fmt::print("  {:<36} {:>14.6g} W\n", "emitted minus absorbed in the box", figures.emitted);
  if (figures.walls)
    fmt::print("  {:<36} {:>14.6g} W, which leaves {:.3g} W\n", "net flux out through walls", figures.out_of_box,
               figures.emitted - figures.out_of_box);
  double const repetitions = report.repetitions - repetitions_before;
  fmt::print(
      "\n  {:.2f} s for {:.6g} repetition{}, {:.2f} s to prepare; {:.3g} cell crossings/s; {:.1f} MB on the "
      "device\n",
      report.solve_seconds, repetitions, repetitions == 1 ? "" : "s", report.setup_seconds,
      report.crossings_of_this_run / report.solve_seconds, 1e-6 * static_cast<double>(report.device_bytes));
  if (arguments.out_of_range != OutOfRange::refuse)
    fmt::print("  out of range ({}): {}\n", name_of(arguments.out_of_range), describe(counts));
  fmt::print("  written to {}\n", arguments.output);
}

io::Provenance provenance_of(Arguments const& arguments, HostMonteCarloReport const& report,
                             OutOfRangeCounts const& counts, std::string const& command_line) {
  auto const& options = arguments.options;
  io::Provenance provenance{.title = "Radiative source by reciprocal Monte Carlo: " + subject(arguments),
                            .source = fmt::format("parhelion {}, reciprocal Monte Carlo, {} precision, {}",
                                                  PARHELION_VERSION, arguments.common.precision_name(), report.space),
                            .history = history(command_line),
                            .others = {}};
  auto const add = [&](std::string const& name, auto const& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
      provenance.others.emplace_back(name, value ? "true" : "false");
    else
      provenance.others.emplace_back(name, value);
  };
  add(arguments.input.empty() ? "case" : "input", subject(arguments));
  add("rays", rays_of(arguments, report.repetitions));
  add("repetitions", report.repetitions);
  add("seed", options.seed);
  add("sampling", word_of(samplings, options.sampling));
  add("directions", word_of(directions, options.directions));
  add("order", word_of(orders, options.order));
  add("reconstruction", word_of(reconstructions, options.reconstruction));
  add("grids", options.grids);
  add("coarse", word_of(coarse_temperatures, options.coarse));
  add("launch", word_of(launches, options.launch));
  if (arguments.absorbed.empty())
    add("steps", options.first_steps);
  else
    add("absorbed",
        fmt::format("{} by {}", fmt::join(arguments.absorbed, ","), word_of(absorbed_by, options.absorbed_by)));
  add("tolerance", options.tolerance);
  add("walls", options.walls);
  if (arguments.target_error > 0) add("target_error", arguments.target_error);
  add("reached_error", report.reached_error);
  if (arguments.out_of_range != OutOfRange::refuse)
    add("out_of_range", fmt::format("{}: {}", name_of(arguments.out_of_range), describe(counts)));
  if (!arguments.resume.empty()) add("resumed_from", arguments.resume);
  add("precision", arguments.common.real);
  add("space", report.space);
  for (auto const& path : {arguments.input, arguments.spectrum})
    if (!path.empty()) io::carry_on(provenance, path);
  return provenance;
}

// --- interruption ------------------------------------------------------------------------------------------------

volatile std::sig_atomic_t signal_number = 0;
volatile std::sig_atomic_t signal_second = 0;  // of a clock, when it came
volatile std::sig_atomic_t preparing = 0;      // no ray has been followed

// Those who stop a program and all that it has started may send it the same signal twice within an instant.
void note_signal(int number) {
  if (preparing != 0) {
    constexpr char text[] = "parhelion: interrupted before the first ray\n";
    [[maybe_unused]] auto const written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(exit_interrupted);
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  auto const second = static_cast<std::sig_atomic_t>(now.tv_sec);
  if (signal_number == 0) {
    signal_number = number;
    signal_second = second;
  } else if (second - signal_second > 1) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

/// While it lives the first SIGINT or SIGTERM is noted; another one, two seconds later, ends the program as ever.
/// Before begin() there is nothing to be lost, and the first one ends the program.
class SignalsNoted {
 public:
  SignalsNoted() {
    signal_number = 0;
    preparing = 1;
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &m_before[i]);
  }
  ~SignalsNoted() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &m_before[i], nullptr);
  }
  SignalsNoted(SignalsNoted const&) = delete;
  SignalsNoted& operator=(SignalsNoted const&) = delete;

  void begin() { preparing = 0; }
  bool any() const { return signal_number != 0; }

 private:
  static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
  std::array<struct sigaction, 2> m_before{};
};

// --- checkpoints -------------------------------------------------------------------------------------------------

/// Where the checkpoint of an interrupted run goes if it cannot go where it was asked for.
std::string spare_checkpoint(Arguments const& arguments) { return arguments.output + ".checkpoint.h5"; }

/// Writes checkpoints. What cannot be written is said and does not end the run.
class Checkpoints {
 public:
  Checkpoints(Arguments const& arguments, io::Attributes fingerprint)
      : m_fingerprint(std::move(fingerprint)), m_line(!arguments.common.quiet && isatty(fileno(stderr)) != 0) {}

  bool write(std::string const& path, Pause const& pause) {
    try {
      io::write_monte_carlo_checkpoint(path, pause, m_fingerprint);
      m_failed = false;
    } catch (std::exception const& error) {
      // Once, not every ten seconds.
      if (!m_failed || path != m_path)
        say(fmt::format("warning: the checkpoint cannot be written, the run continues: {}", error.what()));
      m_failed = true;
    }
    m_path = path;
    return !m_failed;
  }

  /// Whether the last one could not be written.
  bool failed() const { return m_failed; }

  /// On a line of its own, behind that of progress.
  void say(std::string const& text) const { warn(fmt::format("{}parhelion: {}\n", m_line ? "\n" : "", text)); }

 private:
  io::Attributes m_fingerprint;
  bool m_line;
  bool m_failed = false;
  std::string m_path;
};

/// Saves an interrupted run where it was asked for or else beside the output; whether it could.
bool save(Arguments const& arguments, Checkpoints& checkpoints, Pause const& pause, double done) {
  auto const spare = spare_checkpoint(arguments);
  for (auto const& path : {arguments.checkpoint, spare}) {
    if (path.empty() || !checkpoints.write(path, pause)) continue;
    checkpoints.say(
        fmt::format("interrupted after {:.4g} of {} repetitions; go on with --resume {}", done, pause.planned, path));
    return true;
  }
  return false;
}

// --- the run -----------------------------------------------------------------------------------------------------

Plan plan_of(Arguments const& arguments, Problem const& problem, HostMonteCarloPlan const& need,
             std::string const& space, OutOfRangeCounts const& counts) {
  bool on_host = true;
  with_execution_space(space, [&]<class Space>(Space const&) { on_host = runs_on_host<Space>; });
  // A file is built in memory, which grows by doubling.
  std::size_t const files = 3 * 5 * sizeof(double) * problem.grid.size();
  std::string advice = arguments.built_in() ? "fewer --cells" : "a coarser grid";
  if (need.grids > 1) advice += ", --grids 1";
  if (arguments.common.precision() == Precision::float64) advice += ", --real float";
  Plan plan{.subject = fmt::format("{}: {}", subject(arguments), grid_text(problem)),
            .space = space,
            .chunks = "",
            .host_bytes = need.host_bytes + files + (on_host ? need.device_bytes : 0),
            .device_bytes = on_host ? 0 : need.device_bytes,
            .advice = advice};
  auto const add = [&](char const* what, std::string const& value) { plan.others.emplace_back(what, value); };
  add("precision", arguments.common.real);
  add("rays", fmt::format("{} of each cell{} in {} repetitions", rays_of(arguments, arguments.options.repetitions),
                          arguments.options.walls ? " and face of a wall" : "", arguments.options.repetitions));
  add("grids", fmt::format("{}, {} cells in all", need.grids, need.cells));
  add("spectrum", fmt::format("{} points at {} temperatures", problem.spectrum.npoint(), need.nodes));
  if (arguments.target_error > 0) add("target error", fmt::format("{} % of the largest |q|", arguments.target_error));
  if (arguments.out_of_range != OutOfRange::refuse)
    add("out of range", fmt::format("{}: {}", name_of(arguments.out_of_range), describe(counts)));
  return plan;
}

int run(Arguments arguments, std::string const& command_line) {
  // All that can be refused is refused before any computing.
  SignalsNoted signals;
  std::string const space = resolve_execution_space(arguments.common.space);
  std::string const table = spectrum_file(arguments);
  io::check_files({arguments.input, table, arguments.resume}, {arguments.output});
  // A run may go on into the checkpoint that it comes from.
  io::check_files({arguments.input, table}, {arguments.output, arguments.checkpoint});
  io::check_files({arguments.input, table}, {arguments.output, spare_checkpoint(arguments)});
  auto const given = arguments.built_in() ? case_problem(arguments, table) : input_problem(arguments, table);
  OutOfRangeCounts counts;
  auto const problem = in_range(given, arguments.out_of_range, counts, subject(arguments));
  auto const fingerprint = io::monte_carlo_fingerprint(problem, arguments.options, arguments.common.precision());
  HostMonteCarloOptions host;
  host.space = space;
  host.precision = arguments.common.precision();
  host.target_error = arguments.target_error;
  if (!arguments.resume.empty())
    host.resume =
        io::read_monte_carlo_checkpoint(arguments.resume, fingerprint, count_items(problem, arguments.options));
  auto const need = plan_sources(problem, arguments.options, host);
  auto const plan = plan_of(arguments, problem, need, space, counts);
  check_memory(plan);
  if (arguments.common.dry_run) {
    print_plan(plan);
    return exit_success;
  }

  int const rays = arguments.rays_of_repetition();
  double const before = host.resume ? repetitions_in(host.resume->sums, rays) : 0;
  double done = before;
  auto const in_rays = [&](double repetitions) { return static_cast<std::int64_t>(repetitions * rays + 0.5); };
  Checkpoints checkpoints(arguments, fingerprint);
  bool stops = true;
  host.prepared = [&] { signals.begin(); };
  host.progress = [&, show = progress(arguments.common.quiet, "rays of each cell", in_rays(before))](double now,
                                                                                                     int all) {
    done = now;
    if (show) show(in_rays(now), std::int64_t(rays) * all);
    return done >= all || !(stops && signals.any());
  };
  if (!arguments.checkpoint.empty())
    host.checkpoint = [&](Pause const& pause) { checkpoints.write(arguments.checkpoint, pause); };
  HostMonteCarloReport report;
  auto options = arguments.options;
  options.nodes = need.nodes;
  auto results = compute_sources(problem, options, host, &report);
  if (report.repetitions < report.pause.planned) {
    if (save(arguments, checkpoints, report.pause, done)) throw Interrupted();
    // What cannot be saved is not thrown away: another signal ends the program.
    stops = false;
    host.resume = std::move(report.pause);
    results = compute_sources(problem, options, host, &report);
  }
  if (!arguments.checkpoint.empty()) checkpoints.write(arguments.checkpoint, report.pause);
  validate(results, problem, arguments.output);
  io::write_monte_carlo_results(arguments.output, problem, results,
                                provenance_of(arguments, report, counts, command_line));
  if (!arguments.common.quiet) print_summary(arguments, problem, results, report, before, counts);
  if (missed_target(arguments, report)) {
    warn(fmt::format("parhelion: the target error of {:g} % was not reached: {:.4g} % after {} repetitions\n",
                     arguments.target_error, report.reached_error, report.repetitions));
    return exit_not_reached;
  }
  return checkpoints.failed() ? exit_no_checkpoint : exit_success;
}

/// Options that CLI11 cannot check one by one.
void check_usage(Arguments& arguments) {
  if (arguments.cells.size() == 2) throw CLI::ValidationError("--cells", "expected one number or three");
  auto& options = arguments.options;
  options.walls = !arguments.no_walls;
  std::copy(arguments.absorbed.begin(), arguments.absorbed.end(), options.absorbed);
  if (options.rays < options.repetitions)
    throw CLI::ValidationError(
        "--rays", fmt::format("{}, expected no fewer than the {} of --repetitions", options.rays, options.repetitions));
  double const absorbed = std::accumulate(arguments.absorbed.begin(), arguments.absorbed.end(), 0.);
  if (!(absorbed < 1))
    throw CLI::ValidationError("--absorbed", fmt::format("{}, expected shares above 0 that sum to less than 1",
                                                         fmt::join(arguments.absorbed, ",")));
}

}  // namespace

Command add_monte_carlo(CLI::App& program, CommonOptions& common) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("monte-carlo", "Radiative source and wall fluxes in a box of gas");
  auto& options = arguments->options;
  auto* const problem = command.add_option_group("problem");
  auto* const input =
      problem->add_option("INPUT", arguments->input, "grid, temperature, composition and boundaries, HDF5 or netCDF-4")
          ->type_name("INPUT.h5");
  problem->add_option("--case", arguments->case_name, "instead, a problem that is built in, listed below")
      ->type_name("NAME");
  problem->require_option(1);
  command.add_option("-o,--output", arguments->output, "netCDF-4 file to write")->required()->type_name("OUT.nc");
  command
      .add_option("--spectrum", arguments->spectrum,
                  "narrow-band table, grey:KAPPA [m-1] or wsgg, the weighted sum of grey gases; where it is left out "
                  "that of the case, or the grey one or the sum that INPUT.h5 names")
      ->type_name("FILE|grey:KAPPA|wsgg");
  command.add_option("--cells", arguments->cells, "cells of the case along all axes or each, 64 when left out")
      ->delimiter(',')
      ->expected(1, 3)
      ->check(CLI::Range(1, 1 << 20))
      ->excludes(input)
      ->type_name("N|NX,NY,NZ");
  command.add_option("--stretch", arguments->stretch, "concentration of cells near walls, 0 (none) to 10")
      ->check(number_check("STRETCH", "a number from 0 to 10", [](double x) { return x >= 0 && x <= 10; }))
      ->excludes(input)
      ->capture_default_str();
  command.add_option("--rays", options.rays, "of each cell and each face of a wall")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  command
      .add_option("--repetitions", options.repetitions,
                  "independent parts of the rays, two or more, from which the error comes")
      ->check(CLI::Range(2, 1 << 30))
      ->capture_default_str();
  command
      .add_option("--target-error", arguments->target_error,
                  "repetitions are added until the standard deviation of q is below this share of the largest |q|; "
                  "where 4096 of "
                  "them do not reach it, the exit status is 3")
      ->check(positive_number())
      ->type_name("PERCENT");
  command.add_option("--seed", options.seed, "of the random numbers")
      ->check(not_negative_number())
      ->capture_default_str();
  add_choice(command, "--sampling", options.sampling, samplings, "how spectral points and directions are sampled");
  add_choice(command, "--directions", options.directions, directions, "whether cells have directions of their own");
  add_choice(command, "--order", options.order, orders, "order of the spectral points");
  add_choice(command, "--launch", options.launch, launches, "where rays start in cells and faces");
  add_choice(command, "--reconstruction", options.reconstruction, reconstructions, "of the temperature in cells");
  command.add_option("--grids", options.grids, "from fine to coarse, 1 (the finest alone) to 12; 0: all that fit")
      ->check(CLI::Range(0, most_levels))
      ->capture_default_str();
  add_choice(command, "--coarse", options.coarse, coarse_temperatures, "temperature of cells in coarser grids");
  auto* const steps = command.add_option("--steps", options.first_steps, "cells that a ray crosses in the finest grid")
                          ->check(CLI::Range(1, 1024))
                          ->capture_default_str();
  auto* const absorbed =
      command
          .add_option("--absorbed", arguments->absorbed,
                      "shares of a ray that the finest and the next grids absorb, instead of --steps")
          ->delimiter(',')
          ->expected(1, most_levels - 1)
          ->check(
              number_check("SHARE", "shares above 0 that sum to less than 1", [](double x) { return x > 0 && x < 1; }))
          ->excludes(steps)
          ->type_name("P,P,...");
  add_choice(command, "--absorbed-by", options.absorbed_by, absorbed_by,
             "absorption coefficient that --absorbed refers to")
      ->needs(absorbed);
  command.add_option("--tolerance", options.tolerance, "transmittance at which a ray ends")
      ->check(number_check("SHARE", "a number between 0 and 1", [](double x) { return x > 0 && x < 1; }))
      ->capture_default_str();
  command.add_flag("--no-walls", arguments->no_walls, "no fluxes at walls");
  command
      .add_option("--checkpoint", arguments->checkpoint, "written every 10 s, at a signal and at the end, for --resume")
      ->type_name("FILE");
  command.add_option("--resume", arguments->resume, "continue from a checkpoint of the same problem and options")
      ->type_name("FILE");
  add_out_of_range_option(command, arguments->out_of_range);
  add_common_options(command, common);
  command.footer([] {
    return footer({"parhelion monte-carlo --case case02 --cells 32,4,4 -o slab.nc"},
                  "Built-in cases:\n" + io::case_list());
  });
  return {"monte-carlo", [arguments, &common](std::string const& command_line) {
            arguments->common = common;
            check_usage(*arguments);
            return run(*arguments, command_line);
          }};
}

}  // namespace parhelion::Apps
