// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of the `parhelion` program, one file each.
#ifndef PARHELION_APPS_COMMANDS_HPP
#define PARHELION_APPS_COMMANDS_HPP

#include <exception>
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace parhelion::Apps {

/// What a subcommand does once the command line has been read. `command_line` goes into the history of results.
using Command = std::function<void(std::string const& command_line)>;

/// Adds `parhelion fluxes` and returns what runs it.
Command add_fluxes(CLI::App& program);

/// Adds `parhelion adding` and returns what runs it.
Command add_adding(CLI::App& program);

/// Adds `parhelion ega` and returns what runs it.
Command add_ega(CLI::App& program);

/// Adds `parhelion monte-carlo` and returns what runs it.
Command add_monte_carlo(CLI::App& program);

/// Adds `parhelion tables` and returns what runs it.
Command add_tables(CLI::App& program);

/// CF `history` of a result that is made now.
std::string history(std::string const& command_line);

/// Shows the share of the work that is done, and the time that is left, on standard error, where that is a terminal;
/// `what` is counted, `begun` of which were done before. Does nothing where `quiet`.
std::function<void(int done, int all)> progress(bool quiet, std::string const& what, int begun = 0);

/// Thrown where a subcommand stops because the user asked for it; has said so.
class Interrupted : public std::exception {
 public:
  char const* what() const noexcept override { return "interrupted"; }
};

}  // namespace parhelion::Apps

#endif
