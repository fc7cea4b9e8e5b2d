// SPDX-License-Identifier: BSD-3-Clause
// Options that every subcommand has which computes.
#ifndef PARHELION_APPS_COMMON_OPTIONS_HPP
#define PARHELION_APPS_COMMON_OPTIONS_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace parhelion::Apps {

struct CommonOptions {
  std::string real = "double";
  std::string space;           ///< as this build spells it, once parsed
  std::optional<int> threads;  ///< of the host
  std::optional<int> device;   ///< the one to use, from 0
  bool dry_run = false;        ///< check the input and print the plan only
  bool quiet = false;

  Precision precision() const { return real == "float" ? Precision::float32 : Precision::float64; }

  /// For the attribute `source` of results.
  char const* precision_name() const { return real == "float" ? "single" : "double"; }
};

/// Adds --real, --space, --threads, --device, --dry-run and --quiet. `options` lives as long as the command.
void add_common_options(CLI::App& command, CommonOptions& options);

/// Adds --out-of-range. `what` lives as long as the command.
void add_out_of_range_option(CLI::App& command, OutOfRange& what);

}  // namespace parhelion::Apps

#endif
