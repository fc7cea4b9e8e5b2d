// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "interruption.hpp"
#include "monte_carlo_options.hpp"
#include "monte_carlo_summary.hpp"
#include "plan.hpp"
#include "ranks.hpp"
#include "ranks_monte_carlo.hpp"

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

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace parhelion::Apps {

namespace {

using namespace monte_carlo;
using Arguments = MonteCarloArguments;

// --- input ---------------------------------------------------------------------------------------------------------

Spectrum narrow_band(std::string const& path) { return Spectrum::narrow_band(io::read_narrow_band(path)); }

constexpr char const* grey_word = "grey:";

/// The file of the spectrum; empty if it is in none.
std::string spectrum_file(Arguments const& arguments) {
  auto const& word = arguments.spectrum;
  if (word == "wsgg" || word.starts_with(grey_word)) return {};
  if (!word.empty()) return io::find_data_file("a narrow-band table, or the words grey:KAPPA or wsgg", word, {}, "");
  if (arguments.built_in() && io::case_description(arguments.case_name).gas == "H2O")
    return io::find_data_file("narrow-band table of H2O", "", {"h2o_nbck.h5", "mc/h2o_nbck.h5"},
                              "say with --spectrum FILE where it is");
  return {};
}

/// The spectrum that --spectrum gives by a word.
Spectrum spectrum_of_word(std::string const& word) {
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

/// The spectrum that a file of a problem names, if its name defines it.
Spectrum spectrum_of_file(std::string const& path) {
  auto const name = io::Hdf5File(path).text_attribute("", "spectrum");
  if (name)
    if (auto spectrum = Spectrum::from_name(*name)) return *spectrum;
  throw Error(path, fmt::format("{}; say with --spectrum FILE, grey:KAPPA or wsgg what the gas is",
                                name ? "its spectrum, '" + *name + "', is not in the file" : "names no spectrum"));
}

Problem case_problem(Arguments const& arguments, std::string const& file) {
  auto const& description = io::case_description(arguments.case_name);
  io::CaseOptions options;
  if (arguments.cells.size() == 1) options.cells.fill(arguments.cells[0]);
  if (arguments.cells.size() == 3) std::copy(arguments.cells.begin(), arguments.cells.end(), options.cells.begin());
  options.stretch = arguments.stretch;
  options.out_of_range = arguments.common.out_of_range;
  std::optional<Spectrum> spectrum;
  if (!file.empty())
    spectrum = narrow_band(file);
  else if (!arguments.spectrum.empty())
    spectrum = spectrum_of_word(arguments.spectrum);
  else if (description.gas != "grey")
    throw Error(description.name,
                fmt::format("needs the narrow-band table of its gas, {}; say with --spectrum FILE where it is",
                            description.gas));
  double cells = 1;
  for (int const n : options.cells) cells *= n;
  // The temperature only; the rest of the memory is checked once the problem is there.
  constexpr double max_cells = 1e15;
  require_host_memory(
      fmt::format("{} of {} x {} x {} cells", description.name, options.cells[0], options.cells[1], options.cells[2]),
      static_cast<std::size_t>(std::min(cells, max_cells)) * sizeof(double), "fewer --cells make it fit");
  return io::built_in_case(description.name, options, spectrum);
}

Problem input_problem(Arguments const& arguments, std::string const& file) {
  auto const spectrum = !file.empty()                ? narrow_band(file)
                        : arguments.spectrum.empty() ? spectrum_of_file(arguments.input)
                                                     : spectrum_of_word(arguments.spectrum);
  return io::read_monte_carlo_problem(arguments.input, spectrum, arguments.common.out_of_range);
}

// --- checkpoints ---------------------------------------------------------------------------------------------------

/// The checkpoint of an interrupted run if it cannot be written where --checkpoint says.
std::string fallback_checkpoint(Arguments const& arguments) { return arguments.output + ".checkpoint.h5"; }

/// Writes checkpoints. A failure is reported and does not end the run.
class CheckpointWriter {
 public:
  CheckpointWriter(Arguments const& arguments, io::Attributes fingerprint)
      : m_fingerprint(std::move(fingerprint)),
        m_progress_line(!arguments.common.quiet && isatty(fileno(stderr)) != 0) {}

  bool write(std::string const& path, Checkpoint const& checkpoint) {
    try {
      io::write_monte_carlo_checkpoint(path, checkpoint, m_fingerprint);
      m_failed = false;
    } catch (std::exception const& error) {
      // Reported once, not every ten seconds.
      if (!m_failed || path != m_path)
        print(fmt::format("warning: the checkpoint cannot be written, the run continues: {}", error.what()));
      m_failed = true;
    }
    m_path = path;
    return !m_failed;
  }

  /// \brief Saves an interrupted run where --checkpoint says, or else beside the output.
  /// \param done repetitions
  /// \return whether it could be saved
  bool save(Arguments const& arguments, Checkpoint const& checkpoint, double done) {
    for (auto const& path : {arguments.checkpoint, fallback_checkpoint(arguments)}) {
      if (path.empty() || !write(path, checkpoint)) continue;
      print(fmt::format("interrupted after {:.4g} of {} repetitions; continue with --resume {}", done,
                        checkpoint.planned, path));
      return true;
    }
    return false;
  }

  /// Whether the last checkpoint could not be written.
  bool failed() const { return m_failed; }

 private:
  /// Prints on a new line, after that of the progress.
  void print(std::string const& text) const {
    warn(fmt::format("{}parhelion: {}\n", m_progress_line ? "\n" : "", text));
  }

  io::Attributes m_fingerprint;
  bool m_progress_line;
  bool m_failed = false;
  std::string m_path;
};

// --- the calculation -----------------------------------------------------------------------------------------------

int run(Arguments const& arguments, std::string const& command_line) {
  // All input is checked before anything is computed.
  CommonOptions const& common = arguments.common;
  auto options = checked_options(arguments);
  InterruptionGuard guard;
  std::string const space = resolve_execution_space(common.space);
  // Every rank has the whole problem; it computes its part of the cells and faces. The first one writes.
  auto const& all_ranks = ranks();
  bool const first = all_ranks.first();
  Problem problem;
  OutOfRangeCounts out_of_range;
  io::Attributes fingerprint;
  HostMonteCarloOptions host;
  HostMonteCarloPlan need;
  Plan plan;
  all_ranks.collectively([&] {
    std::string const table = spectrum_file(arguments);
    if (first) {
      io::check_files({arguments.input, table, arguments.resume}, {arguments.output});
      // A run may write the checkpoint that it continues from.
      io::check_files({arguments.input, table}, {arguments.output, arguments.checkpoint});
      io::check_files({arguments.input, table}, {arguments.output, fallback_checkpoint(arguments)});
    }
    auto const given = arguments.built_in() ? case_problem(arguments, table) : input_problem(arguments, table);
    problem = in_range(given, common.out_of_range, out_of_range, arguments.subject());
    fingerprint = io::monte_carlo_fingerprint(problem, options, common.precision);
    host.space = space;
    host.precision = common.precision;
    host.devices = common.devices_of_rank();
    host.target_error = arguments.target_error;
    if (!arguments.resume.empty())
      host.resume = io::read_monte_carlo_checkpoint(arguments.resume, fingerprint, count_items(problem, options));
    need = plan_sources(problem, options, host);
    plan = monte_carlo_plan(arguments, problem, need, space, out_of_range);
  });
  check_memory(plan);
  if (common.dry_run) {
    print_plan(plan);
    return exit_success;
  }

  int const rays = arguments.rays_per_repetition();
  double const before = host.resume ? repetitions_in(host.resume->accumulators, rays) : 0;
  double done = before;
  auto const in_rays = [&](double repetitions) { return static_cast<std::int64_t>(std::llround(repetitions * rays)); };
  CheckpointWriter checkpoints(arguments, fingerprint);
  bool may_stop = true;
  host.on_prepared = [&] { guard.work_begins(); };
  host.progress = [&, show = progress(common.quiet, "rays of each cell", in_rays(before))](double now, int all) {
    done = now;
    if (show) show(in_rays(now), std::int64_t(rays) * all);
    return done >= all || !(may_stop && guard.interrupted());
  };
  if (!arguments.checkpoint.empty() && first)
    host.on_checkpoint = [&](Checkpoint const& checkpoint) { checkpoints.write(arguments.checkpoint, checkpoint); };
  HostMonteCarloReport report;
  options.nodes = need.nodes;
  HostResults results;
  auto const compute = [&] {
    all_ranks.collectively([&] { results = compute_sources_by_ranks(problem, options, host, &report); });
  };
  compute();
  if (report.repetitions < report.checkpoint.planned) {
    if (all_ranks.any(first && checkpoints.save(arguments, report.checkpoint, done))) throw Interrupted();
    // A run that cannot be saved is not thrown away: it continues, and another signal ends the program.
    may_stop = false;
    host.resume = std::move(report.checkpoint);
    compute();
  }
  io::Provenance provenance;
  all_ranks.collectively([&] {
    if (!first) return;
    if (!arguments.checkpoint.empty()) checkpoints.write(arguments.checkpoint, report.checkpoint);
    validate(results, problem, arguments.output);
    provenance = monte_carlo_provenance(arguments, options, report, out_of_range, command_line);
  });
  auto const* const sharing = all_ranks.file_sharing();
  all_ranks.write(sharing, [&] {
    io::write_monte_carlo_results(arguments.output, problem, results, provenance, io::NetcdfType::float64, sharing);
  });
  if (!common.quiet && first) print_monte_carlo_summary(arguments, problem, results, report, before, out_of_range);
  if (missed_target(arguments, report)) {
    warn(fmt::format("parhelion: the target error of {:g} % was not reached: {:.4g} % after {} repetitions\n",
                     arguments.target_error, report.reached_error, report.repetitions));
    return exit_not_reached;
  }
  return all_ranks.any(checkpoints.failed()) ? exit_no_checkpoint : exit_success;
}

}  // namespace

Command add_monte_carlo(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("monte-carlo", "Radiative source and wall fluxes in a box of gas");
  add_monte_carlo_options(command, *arguments);
  command.footer(std::string());  // a function does not replace the footer of the program
  command.footer([] {
    return footer({"parhelion monte-carlo --case case02 --cells 32,4,4 -o slab.nc"},
                  "Built-in cases:\n" + io::case_list());
  });
  return make_command("monte-carlo", arguments, run, true);
}

}  // namespace parhelion::Apps
