// SPDX-License-Identifier: BSD-3-Clause
#include "common_options.hpp"

#include "choices.hpp"
#include "number_checks.hpp"
#include "ranks.hpp"
#include "runtime.hpp"

#include <parhelion/core/device.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <string>

namespace parhelion::Apps {

char const* name_of(Precision precision) { return precision == Precision::float32 ? "single" : "double"; }

int CommonOptions::devices_of_rank() const { return ranks().several() || device ? 1 : devices; }

void add_common_options(CLI::App& command, CommonOptions& options, CommonOptionsUse const& use) {
  constexpr int most = std::numeric_limits<int>::max();
  add_choice(command, "--real", options.precision, {{"float", Precision::float32}, {"double", Precision::float64}},
             "precision of the calculation");
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
  command.add_option("--threads", options.threads, "number of host threads, all cores by default")
      ->transform(whole_number(1, max_threads))
      ->type_name("N");
  auto* const device = command.add_option("--device", options.device, "index of the only device to use, from 0")
                           ->transform(whole_number(0, most, "NONNEGATIVE"))
                           ->type_name("N");
  if (!use.item.empty()) {
    std::string type = use.item;
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
    command
        .add_option("--chunk", options.chunk,
                    fmt::format("{} in a chunk; up to four chunks are in flight on each device", use.item))
        ->transform(whole_number(1, most, "POSITIVE"))
        ->type_name(type);
  }
  command
      .add_option("--devices", options.devices,
                  "number of devices of this node to use, 0 for all; several ranks use one each")
      ->transform(whole_number(0, most, "NONNEGATIVE"))
      ->type_name("N")
      ->excludes(device)
      ->capture_default_str();
  if (use.out_of_range)
    add_choice(command, "--out-of-range", options.out_of_range, choices_of<OutOfRange>(out_of_range_names()),
               "what to do with input outside the range of the model");
  command.add_flag("--dry-run", options.dry_run,
                   "check the input, print what would be computed and how much memory it needs, write nothing");
  add_quiet_option(command, options);
}

CLI::Option* add_quiet_option(CLI::App& command, CommonOptions& options) {
  return command.add_flag("--quiet", options.quiet, "print neither progress nor summary");
}

}  // namespace parhelion::Apps
