// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/monte_carlo_checkpoint.hpp>
#include <parhelion/io/monte_carlo_files.hpp>
#include <parhelion/io/narrow_band_files.hpp>
#include <parhelion/monte_carlo/cases.hpp>
#include <parhelion/monte_carlo/host_monte_carlo.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
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
  CommonOptions common;
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

/// What --spectrum says.
Spectrum spectrum_of(std::string const& word) {
  if (word == "wsgg") return Spectrum::weighted_sum_of_grey_gases();
  std::string const grey = "grey:";
  if (!word.starts_with(grey))
    return narrow_band(io::find_data_file("a narrow-band table, or the words grey:KAPPA or wsgg", word, {}, ""));
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

Problem case_problem(Arguments const& arguments) {
  auto const& description = case_description(arguments.case_name);
  CaseOptions options;
  if (arguments.cells.size() == 1) options.cells.fill(arguments.cells[0]);
  if (arguments.cells.size() == 3) std::copy(arguments.cells.begin(), arguments.cells.end(), options.cells.begin());
  options.stretch = arguments.stretch;
  std::optional<Spectrum> spectrum;
  if (!arguments.spectrum.empty())
    spectrum = spectrum_of(arguments.spectrum);
  else if (description.gas == "H2O")
    spectrum = narrow_band(io::find_data_file("narrow-band table of H2O", "", {"h2o_nbck.h5", "mc/h2o_nbck.h5"},
                                              "say with --spectrum FILE where it is"));
  else if (description.gas != "grey")
    throw Error(description.name,
                fmt::format("needs the narrow-band table of its gas, {}; say with --spectrum FILE where it is",
                            description.gas));
  return built_in_case(description.name, options, spectrum);
}

Problem input_problem(Arguments const& arguments) {
  return io::read_monte_carlo_problem(
      arguments.input, arguments.spectrum.empty() ? named_spectrum(arguments.input) : spectrum_of(arguments.spectrum));
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

Figures figures_of(Problem const& problem, Results const& results) {
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
  return arguments.input.empty() ? case_description(arguments.case_name).name : arguments.input;
}

int rays_of(Arguments const& arguments, HostMonteCarloReport const& report) {
  return arguments.options.rays / arguments.options.repetitions * report.repetitions;
}

void print_summary(Arguments const& arguments, Problem const& problem, Results const& results,
                   HostMonteCarloReport const& report, int repetitions_before) {
  auto const figures = figures_of(problem, results);
  auto const& grid = problem.grid;
  fmt::print("{}: {} x {} x {} cells, {}, {} rays each in {} repetitions on {}\n\n", subject(arguments), grid.ncell(0),
             grid.ncell(1), grid.ncell(2), problem.spectrum.name(), rays_of(arguments, report), report.repetitions,
             report.space);
  fmt::print("  {:<36} {:>14.6g} W m-3\n", "largest |q|", figures.largest);
  fmt::print("  {:<36} {:>14.6g} W m-3, {:.3g} % of the largest |q|\n", "standard deviation of q (rms)",
             figures.rms_error, figures.percent());
  fmt::print("  {:<36} {:>14.6g} W\n", "emitted minus absorbed in the box", figures.emitted);
  if (figures.walls)
    fmt::print("  {:<36} {:>14.6g} W, which leaves {:.3g} W\n", "net flux out through walls", figures.out_of_box,
               figures.emitted - figures.out_of_box);
  fmt::print("\n  {:.2f} s for {} repetitions, {:.2f} s to prepare; {:.3g} cell crossings/s; {:.1f} MB on the device\n",
             report.solve_seconds, report.repetitions - repetitions_before, report.setup_seconds,
             report.crossings * (report.repetitions - repetitions_before) / report.repetitions / report.solve_seconds,
             1e-6 * static_cast<double>(report.device_bytes));
  fmt::print("  written to {}\n", arguments.output);
}

io::Provenance provenance_of(Arguments const& arguments, HostMonteCarloReport const& report,
                             std::string const& command_line) {
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
  add("rays", rays_of(arguments, report));
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
  if (arguments.target_error > 0) add("target_error", fmt::format("{} % of the largest |q|", arguments.target_error));
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

// Those who stop a program and all that it has started may send it the same signal twice within an instant.
void note_signal(int number) {
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
class SignalsNoted {
 public:
  SignalsNoted() {
    signal_number = 0;
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

  bool any() const { return signal_number != 0; }

 private:
  static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
  std::array<struct sigaction, 2> m_before{};
};

// --- the run -----------------------------------------------------------------------------------------------------

/// Where the checkpoint goes if the run is interrupted.
std::string checkpoint_path(Arguments const& arguments) {
  return arguments.checkpoint.empty() ? arguments.output + ".checkpoint.h5" : arguments.checkpoint;
}

void check_files(Arguments const& arguments) {
  io::check_writable(arguments.output, arguments.input);
  io::check_writable(checkpoint_path(arguments), arguments.input);
  if (!arguments.resume.empty()) io::check_writable(arguments.output, arguments.resume);
  if (std::filesystem::weakly_canonical(arguments.output) ==
      std::filesystem::weakly_canonical(checkpoint_path(arguments)))
    throw Error(arguments.output, "is asked for twice, expected a file of its own for the checkpoint");
}

[[noreturn]] void stop(Arguments const& arguments, HostMonteCarloReport const& report, io::Attributes const& print) {
  auto const path = checkpoint_path(arguments);
  io::write_monte_carlo_checkpoint(path, report.pause, print);
  warn(fmt::format("{}parhelion: interrupted after {} of {} repetitions; go on with --resume {}\n",
                   !arguments.common.quiet && isatty(fileno(stderr)) != 0 ? "\n" : "", report.repetitions,
                   report.pause.planned, path));
  throw Interrupted();
}

int run(Arguments arguments, std::string const& command_line) {
  // All that can be refused is refused before any computing.
  arguments.options.walls = !arguments.no_walls;
  std::copy(arguments.absorbed.begin(), arguments.absorbed.end(), arguments.options.absorbed);
  check(arguments.options);
  std::string const space = resolve_execution_space(arguments.common.space);
  check_files(arguments);
  auto const problem = arguments.input.empty() ? case_problem(arguments) : input_problem(arguments);
  auto const fingerprint = io::monte_carlo_fingerprint(problem, arguments.options, arguments.common.precision());
  HostMonteCarloOptions host;
  host.execution_space = space;
  host.precision = arguments.common.precision();
  host.target_error = arguments.target_error;
  if (!arguments.resume.empty()) host.resume = io::read_monte_carlo_checkpoint(arguments.resume, fingerprint);
  int const before = host.resume ? host.resume->sums.repetitions : 0;

  SignalsNoted const signals;
  host.progress = [&signals, show = progress(arguments.common.quiet, "repetitions", before)](int done, int all) {
    if (show) show(done, all);
    return done >= all || !signals.any();
  };
  if (!arguments.checkpoint.empty())
    host.checkpoint = [&](Pause const& pause) {
      io::write_monte_carlo_checkpoint(arguments.checkpoint, pause, fingerprint);
    };
  HostMonteCarloReport report;
  auto const results = compute(problem, arguments.options, host, &report);
  if (report.repetitions < report.pause.planned) stop(arguments, report, fingerprint);
  if (!arguments.checkpoint.empty()) io::write_monte_carlo_checkpoint(arguments.checkpoint, report.pause, fingerprint);
  io::write_monte_carlo_results(arguments.output, problem, results, provenance_of(arguments, report, command_line));
  if (!arguments.common.quiet) print_summary(arguments, problem, results, report, before);
  return exit_success;
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
  command.add_option("--stretch", arguments->stretch, "how the cells of the case crowd at walls, 0 (not) to 10")
      ->check(CLI::Range(0., 10.))
      ->excludes(input)
      ->capture_default_str();
  command.add_option("--rays", options.rays, "of each cell and each face of a wall")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--repetitions", options.repetitions, "independent parts of the rays, from which the error comes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--target-error", arguments->target_error,
                  "repetitions are added until the standard deviation of q is below this share of the largest |q|")
      ->check(CLI::PositiveNumber)
      ->type_name("PERCENT");
  command.add_option("--seed", options.seed, "of the random numbers")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_choice(command, "--sampling", options.sampling, samplings, "how points of the spectrum and directions spread");
  add_choice(command, "--directions", options.directions, directions, "whether cells have directions of their own");
  add_choice(command, "--order", options.order, orders, "of the points of the spectrum");
  add_choice(command, "--launch", options.launch, launches, "of rays: from where in cells and faces");
  add_choice(command, "--reconstruction", options.reconstruction, reconstructions, "of the temperature in cells");
  command.add_option("--grids", options.grids, "from fine to coarse, 1 (the finest alone) to 12; 0: all that fit")
      ->capture_default_str();
  add_choice(command, "--coarse", options.coarse, coarse_temperatures, "temperature of cells in coarser grids");
  auto* const steps = command.add_option("--steps", options.first_steps, "cells that a ray crosses in the finest grid")
                          ->capture_default_str();
  auto* const absorbed =
      command
          .add_option("--absorbed", arguments->absorbed,
                      "shares of a ray that the finest and the next grids absorb, instead of --steps")
          ->delimiter(',')
          ->expected(1, most_levels - 1)
          ->excludes(steps)
          ->type_name("P,P,...");
  add_choice(command, "--absorbed-by", options.absorbed_by, absorbed_by,
             "the absorption coefficient that --absorbed is about")
      ->needs(absorbed);
  command.add_option("--tolerance", options.tolerance, "what may be left of a ray where it ends")
      ->capture_default_str();
  command.add_flag("--no-walls", arguments->no_walls, "no fluxes at walls");
  command.add_option("--checkpoint", arguments->checkpoint, "written every 10 s and at the end, for --resume")
      ->type_name("FILE");
  command.add_option("--resume", arguments->resume, "goes on from a checkpoint of the same problem and options")
      ->type_name("FILE");
  add_common_options(command, common);
  command.footer([] {
    return footer({"parhelion monte-carlo --case case02 --cells 32,4,4 -o slab.nc"}, "Built-in cases:\n" + case_list());
  });
  return {"monte-carlo", [arguments, &common](std::string const& command_line) {
            if (arguments->cells.size() == 2) throw CLI::ValidationError("--cells", "expected one number or three");
            arguments->common = common;
            return run(*arguments, command_line);
          }};
}

}  // namespace parhelion::Apps
