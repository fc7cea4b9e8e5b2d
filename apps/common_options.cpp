// SPDX-License-Identifier: BSD-3-Clause
#include "common_options.hpp"

#include "number_checks.hpp"
#include "runtime.hpp"

#include <parhelion/core/device.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <string>

namespace parhelion::Apps {

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_option("--real", options.real, "precision of the calculation")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--space",
          [&options](std::string const& name) {
            try {
              options.space = resolve_execution_space(name);
            } catch (std::exception const& error) {
              throw CLI::ValidationError("--space", error.what());
            }
          },
          "execution space, such as OpenMP or Cuda")
      ->type_name("NAME");
  command.add_option("--threads", options.threads, "threads of the host, all cores when left out")
      ->check(CLI::Range(1, most_threads))
      ->type_name("N");
  auto* const device = command.add_option("--device", options.device, "the one device to use, counted from 0")
                           ->check(not_negative_number())
                           ->type_name("N");
  if (auto* const devices = command.get_option_no_throw("--devices")) device->excludes(devices);
  command.add_flag("--dry-run", options.dry_run,
                   "check the input, print what would be computed and the memory it takes, write nothing");
  command.add_flag("--quiet", options.quiet, "print neither progress nor summary");
}

void add_out_of_range_option(CLI::App& command, OutOfRange& what) {
  command
      .add_option_function<std::string>(
          "--out-of-range", [&what](std::string const& name) { what = out_of_range_of(name); },
          "what to do with input outside the range of the model")
      ->check(CLI::IsMember(out_of_range_names()))
      ->default_str(name_of(what));
}

}  // namespace parhelion::Apps
