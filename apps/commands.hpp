// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of the `parhelion` program, one file each.
#ifndef PARHELION_APPS_COMMANDS_HPP
#define PARHELION_APPS_COMMANDS_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace parhelion::Apps {

struct CommonOptions;

/// Exit statuses, as --help lists them.
inline constexpr int exit_success = 0;
inline constexpr int exit_bad_input = 1;  ///< and what goes wrong while the program runs
inline constexpr int exit_bad_usage = 2;
inline constexpr int exit_not_reached = 3;    ///< the result is written, but a target was not reached
inline constexpr int exit_no_checkpoint = 4;  ///< the result is there, a checkpoint could not be written
inline constexpr int exit_interrupted = 130;  ///< as shells say it of SIGINT

/// A subcommand: what it does once the command line has been read, and returns as exit status.
struct Command {
  std::string name;
  std::function<int(std::string const& command_line)> run;  ///< `command_line` goes into the history of results
};

/// Each adds a subcommand and returns what runs it. `common` is what the options hold that several of them have.
Command add_fluxes(CLI::App& program, CommonOptions& common);
Command add_adding(CLI::App& program, CommonOptions& common);
Command add_ega(CLI::App& program, CommonOptions& common);
Command add_monte_carlo(CLI::App& program, CommonOptions& common);
Command add_retrieve(CLI::App& program, CommonOptions& common);
Command add_tables(CLI::App& program, CommonOptions& common);

/// What --help ends with: examples, further text (may be empty), environment and exit statuses.
std::string footer(std::vector<std::string> const& examples, std::string const& text = {});

/// A text on one line, as it is put into a message: without control characters, shortened if it is very long.
std::string one_line(std::string_view text);

/// CF `history` of a result that is made now.
std::string history(std::string const& command_line);

/// Prints on standard error, and does not mind where that cannot be written.
void warn(std::string_view text);

/// Shows the share of the work that is done, and the time that is left, on standard error, where that is a terminal;
/// `what` is counted, `begun` of which were done before. Does nothing where `quiet`. What it returns is always true: to
/// go on.
std::function<bool(std::int64_t done, std::int64_t all)> progress(bool quiet, std::string const& what,
                                                                  std::int64_t begun = 0);

/// Thrown where a subcommand stops because the user asked for it; has said so.
class Interrupted : public std::exception {
 public:
  char const* what() const noexcept override { return "interrupted"; }
};

}  // namespace parhelion::Apps

#endif
