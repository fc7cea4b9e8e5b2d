// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"
#include "number_checks.hpp"
#include "plan.hpp"
#include "spectra_options.hpp"

#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/output_file.hpp>
#include <parhelion/io/retrieval_files.hpp>
#include <parhelion/retrieval/optimal_estimation.hpp>
#include <parhelion/retrieval/retrieve.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parhelion::Apps {

namespace {

struct Arguments {
  SpectraOptions spectra;
  std::string noise;
  std::vector<std::string> prior_errors;
  std::string output;
  int iterations = retrieval::EstimationOptions().iterations;
  CommonOptions common{.devices = 1};
};

// The error of reading an option's value; empty if there is none.
template <class Read>
std::string objection(Read const& read) {
  try {
    read();
    return {};
  } catch (Error const& error) {
    return error.what();
  }
}

// Prior errors of all quantities of the state.
std::vector<io::PriorError> prior_errors(Arguments const& arguments, io::JurassicControl const& control,
                                         std::vector<ega::Element> const& elements) {
  std::vector<io::PriorError> given;
  for (auto const& text : arguments.prior_errors) given.push_back(io::prior_error_of(text));
  std::vector<io::PriorError> all;
  auto const text = objection([&] { all = io::prior_errors_of_state(control, elements, given); });
  if (!text.empty()) throw CLI::ValidationError("--prior-error", text);
  return all;
}

std::size_t used_radiances(HostArray<double**> const& measured) {
  return static_cast<std::size_t>(std::count_if(measured.data(), measured.data() + measured.size(),
                                                [](double value) { return !std::isnan(value); }));
}

std::vector<double> noise_of_channels(Arguments const& arguments, io::JurassicControl const& control,
                                      HostArray<double**> const& measured) {
  if (used_radiances(measured) == 0)
    throw Error(arguments.spectra.observation, "holds no radiance to retrieve from, expected one that is not nan");
  auto const percent = io::noise_percentage(arguments.noise);
  return percent ? io::noise_of_strongest(arguments.spectra.observation, measured, *percent)
                 : io::read_noise(arguments.noise, control);
}

Plan plan_of(Arguments const& arguments, ega::Problem const& problem, HostArray<double**> const& measured,
             std::vector<ega::Element> const& elements, ega::HostEgaReport const& report) {
  auto const used = used_radiances(measured);
  auto plan =
      spectra_plan(fmt::format("{}: {} elements from {} radiances of {} rays in {} channels with {} gases by the {}",
                               arguments.spectra.observation, elements.size(), used, measured.extent(0),
                               problem.nchannel(), problem.ngas(), name_of(problem.options.method)),
                   report, "a smaller --memory or --chunk, or fewer elements by the RET keys of the control file,");
  plan.host_bytes += retrieval::estimation_bytes(used, elements.size());
  return plan;
}

// Shows the progress of the current forward calculation on a terminal; their number is not known in advance.
class Progress {
 public:
  explicit Progress(bool quiet) : m_shown(!quiet && isatty(STDERR_FILENO) != 0) {}

  /// Begins a calculation and returns its number, from 1.
  int begin() { return ++m_number; }

  std::function<bool(std::int64_t, std::int64_t)> callback() {
    if (!m_shown) return {};
    return [this](std::int64_t done, std::int64_t all) {
      warn(fmt::format("\r{:3.0f} % of forward calculation {}\033[K",
                       100. * static_cast<double>(done) / static_cast<double>(all), m_number));
      return true;
    };
  }

  void end() const {
    if (m_shown) warn("\n");
  }

 private:
  bool m_shown;
  int m_number = 0;
};

void print_summary(Arguments const& arguments, io::JurassicControl const& control,
                   retrieval::HostRetrieval const& found, std::string const& space) {
  fmt::print("{}: {} elements from {} {} on {}\n\n", arguments.spectra.observation, found.elements.size(),
             found.measurements, control.options.brightness_temperature ? "brightness temperatures" : "radiances",
             space);
  fmt::print("  {:<20} {:>8} {:>19} {:>19} {:>12} {:>12}\n", "quantity", "levels", "altitude [km]",
             "degrees of freedom", "prior error", "total error");
  auto const& kernel = found.estimate.averaging_kernel;
  for (std::size_t first = 0; first < found.elements.size();) {
    auto const name = io::quantity_name(found.elements[first], control.gases);
    double freedom = 0, prior = 0, total = 0;
    std::size_t last = first;
    for (; last < found.elements.size() && io::quantity_name(found.elements[last], control.gases) == name; ++last) {
      freedom += kernel(last, last);
      prior += found.prior_error[last];
      total += found.total_error[last];
    }
    auto const altitude = [&](std::size_t i) { return 1e-3 * found.atmosphere.altitude(0, found.elements[i].level); };
    auto const n = static_cast<double>(last - first);
    fmt::print("  {:<20} {:>8} {:>19} {:>19.2f} {:>12.4g} {:>12.4g}\n", name, last - first,
               fmt::format("{:.6g} to {:.6g}", altitude(first), altitude(last - 1)), freedom, prior / n, total / n);
    first = last;
  }
  fmt::print(
      "\n  errors are means over levels, in K, Pa, mole fractions or m-1\n"
      "{}  {} after {} steps; chi-square {:.4g}, of the residual {:.4g}; {:.2f} s in all, {:.2f} s of it in kernels\n"
      "  written to {}\n",
      out_of_range_line(arguments.common.out_of_range, found.out_of_range),
      found.estimate.converged ? "converged" : "NOT CONVERGED", found.estimate.iterations, found.chi_square,
      found.residual_chi_square, found.seconds, found.solve_seconds, arguments.output);
}

int run(Arguments const& arguments, std::string const& command_line) {
  // All input is checked before anything is computed.
  CommonOptions const& common = arguments.common;
  std::string const space = resolve_execution_space(common.space);
  auto const& files = arguments.spectra;
  io::check_files({files.control, files.atmosphere, files.observation,
                   io::noise_percentage(arguments.noise) ? "" : arguments.noise},
                  {arguments.output});
  HostArray<double**> measured;
  auto const [control, atmosphere, observation] = read_case(files, common.quiet, &measured);
  auto const elements = io::chosen_elements(control, atmosphere);
  auto const errors = prior_errors(arguments, control, elements);
  auto const choice = io::retrieval_choice(control, atmosphere, files.atmosphere, elements, errors);
  auto const noise = noise_of_channels(arguments, control, measured);
  auto const problem = read_problem(files, control, {arguments.output});

  auto model_options = ega_options(files, common);
  auto const checked = [&](ega::HostEgaReport const& report) {
    auto const plan = plan_of(arguments, problem, measured, elements, report);
    check_memory(plan);
    return plan;
  };
  if (common.dry_run) {
    print_plan(checked(ega::plan_jacobian(problem, atmosphere, observation, choice.elements,
                                          ega::JacobianMethod::analytic, model_options)));
    return exit_success;
  }
  Progress shown(common.quiet);
  model_options.on_plan = [&](ega::HostEgaReport const& report) {
    if (shown.begin() == 1) checked(report);
  };
  model_options.progress = shown.callback();
  retrieval::RetrievalOptions options;
  options.estimation.iterations = arguments.iterations;
  auto const found = retrieval::retrieve(problem, atmosphere, observation, measured,
                                         io::noise_of_rays(noise, observation.nray()), choice, options, model_options);
  shown.end();
  std::vector<std::string> prior_texts;
  for (auto const& error : errors) prior_texts.push_back(error.text());
  io::write_retrieval_netcdf(
      arguments.output, found, choice, observation, measured, noise, control,
      {.title = "Atmospheric profiles retrieved from infrared spectra by optimal estimation",
       .source = fmt::format("parhelion {}, {} precision, {}", PARHELION_VERSION, name_of(common.precision), space),
       .history = history(command_line),
       .others = {{"control", files.control},
                  {"atmosphere", files.atmosphere},
                  {"observation", files.observation},
                  {"noise", arguments.noise},
                  {"prior_errors", fmt::format("{}", fmt::join(prior_texts, " "))},
                  {"out_of_range", describe(found.out_of_range)}}});
  if (!common.quiet) print_summary(arguments, control, found, space);
  if (found.estimate.converged) return exit_success;
  warn(fmt::format("parhelion: {}: did not converge in {} steps: {}; the result is in {} all the same\n",
                   files.observation, found.estimate.iterations,
                   found.estimate.iterations < arguments.iterations ? "no further step makes the fit better"
                                                                    : "a larger --iterations may help",
                   arguments.output));
  return exit_not_reached;
}

}  // namespace

Command add_retrieve(CLI::App& program) {
  auto const arguments = std::make_shared<Arguments>();
  auto& command = *program.add_subcommand("retrieve", "Profiles from measured infrared spectra by optimal estimation");
  add_case_options(command, arguments->spectra);
  command
      .add_option("--noise", arguments->noise,
                  "noise of the radiances: percent of the strongest radiance of each channel, or a file of "
                  "wavenumbers [cm-1] and standard deviations")
      ->required()
      ->check([](std::string const& text) { return objection([&] { io::noise_percentage(text); }); })
      ->type_name("PERCENT|FILE");
  command.add_option("-o,--output", arguments->output, "retrieved profiles, errors and averaging kernels, netCDF-4")
      ->required()
      ->type_name("OUT.nc");
  command
      .add_option("--prior-error", arguments->prior_errors,
                  "a priori error of p [hPa], t [K], a gas [1] or k [km-1]: standard deviation and vertical "
                  "correlation length; by default p=1%,10 t=10,4 GAS=50%,4 k=0.001,4")
      ->check([](std::string const& text) { return objection([&] { io::prior_error_of(text); }); })
      ->type_name("QUANTITY=VALUE[%],LENGTH_KM");
  command.add_option("--iterations", arguments->iterations, "maximum number of steps")
      ->transform(whole_number(0, 10000))
      ->capture_default_str();
  add_model_options(command, arguments->spectra);
  add_common_options(command, arguments->common, {.item = "rays"});
  command.footer(
      footer({"parhelion retrieve --control case.ctl --atmosphere prior.tab --observation measured.tab --noise 0.5 "
              "--prior-error t=8,4 O3=40%,4 -o profiles.nc"}));
  return make_command("retrieve", arguments, run);
}

}  // namespace parhelion::Apps
