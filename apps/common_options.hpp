// SPDX-License-Identifier: BSD-3-Clause
// The options that all subcommands that compute have in common.
#ifndef PARHELION_APPS_COMMON_OPTIONS_HPP
#define PARHELION_APPS_COMMON_OPTIONS_HPP

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>

#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace parhelion::Apps {

struct CommonOptions {
  Precision precision = Precision::float64;
  std::string space = {};           ///< spelled as in this build, once parsed
  int chunk = 0;                    ///< items of a chunk; 0: automatic
  int devices = 0;                  ///< number of devices that share the work; 0: all
  std::optional<int> threads = {};  ///< of the host
  std::optional<int> device = {};   ///< index of the only device to use
  OutOfRange out_of_range = OutOfRange::refuse;
  bool dry_run = false;  ///< check the input and print the plan only
  bool quiet = false;

  /// Number of devices that this process uses, as solvers count: one where there are several ranks, or where --device
  /// chooses it.
  int devices_of_rank() const;

  /// The word of --real.
  char const* real() const { return precision == Precision::float32 ? "float" : "double"; }
};

/// "single" or "double", for messages and the attribute `source` of results.
char const* name_of(Precision precision);

/// What differs between subcommands.
struct CommonOptionsUse {
  std::string item;          ///< what chunks consist of, such as "columns"; empty: no --chunk
  bool out_of_range = true;  ///< whether there is --out-of-range
};

/// \brief Adds --real, --space, --chunk, --devices, --device, --threads, --out-of-range, --dry-run and --quiet.
/// \param options live as long as the command; their values are the defaults
void add_common_options(CLI::App& command, CommonOptions& options, CommonOptionsUse const& use);

/// Adds --quiet.
CLI::Option* add_quiet_option(CLI::App& command, CommonOptions& options);

}  // namespace parhelion::Apps

#endif
