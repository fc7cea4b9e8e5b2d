// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of the `parhelion` program, one file each.
#ifndef PARHELION_APPS_COMMANDS_HPP
#define PARHELION_APPS_COMMANDS_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
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
inline constexpr int exit_bad_input = 1;  ///< also failures at run time
inline constexpr int exit_bad_usage = 2;
inline constexpr int exit_not_reached = 3;    ///< the result is written, but a target was not reached
inline constexpr int exit_no_checkpoint = 4;  ///< the result is written, but a checkpoint could not be written
inline constexpr int exit_interrupted = 130;  ///< as shells report SIGINT

/// A subcommand.
struct Command {
  std::string name;
  std::shared_ptr<CommonOptions const> options;  ///< set once the command line has been parsed
  /// Runs it once the command line has been parsed; returns the exit status. `command_line` goes into the history of
  /// results.
  std::function<int(std::string const& command_line)> run;
  bool shared = false;  ///< whether several ranks share its work
};

// Each of these adds a subcommand to the program.
Command add_fluxes(CLI::App& program);
Command add_adding(CLI::App& program);
Command add_coefficients(CLI::App& program);
Command add_ega(CLI::App& program);
Command add_monte_carlo(CLI::App& program);
Command add_retrieve(CLI::App& program);
Command add_tables(CLI::App& program);

/// \brief The command whose arguments are a struct with a member `common` of type CommonOptions.
/// \param run    called with the arguments and the command line
/// \param shared whether several ranks share its work
template <class Arguments>
Command make_command(std::string const& name, std::shared_ptr<Arguments> const& arguments,
                     int (*run)(Arguments const& arguments, std::string const& command_line), bool shared = false) {
  return {name, std::shared_ptr<CommonOptions const>(arguments, &arguments->common),
          [arguments, run](std::string const& command_line) { return run(*arguments, command_line); }, shared};
}

/// The end of a --help text: examples, further text (may be empty), environment and exit statuses.
std::string footer(std::vector<std::string> const& examples, std::string const& text = {});

/// A text for a message: on one line, without control characters, shortened if it is very long.
std::string one_line(std::string_view text);

/// The CF attribute `history` of a result that is made now.
std::string history(std::string const& command_line);

/// Prints on standard error, on the first rank only; a failure to write is ignored.
void warn(std::string_view text);

/// \brief A callback that shows the share of the work that is done, and the remaining time, on standard error if that
/// is
///        a terminal. It always returns true, to continue.
/// \param quiet show nothing
/// \param what  is counted, such as "columns"
/// \param begun number of them that were done by an earlier run
std::function<bool(std::int64_t done, std::int64_t all)> progress(bool quiet, std::string const& what,
                                                                  std::int64_t begun = 0);

/// \brief Shows the progress of all ranks as that of the first one, which has `own` of `all` items.
std::function<bool(std::int64_t done, std::int64_t all)> progress_of_all(
    std::function<bool(std::int64_t done, std::int64_t all)> const& show, std::int64_t own, std::size_t all);

/// \brief Runs a calculation of a part of the items, whose messages count items from the first of the part.
/// \throws parhelion::Error with the message of the calculation, and from where it counts if that is not 0
void counting_from(std::string const& item, std::size_t first, std::function<void()> const& calculation);

/// Thrown by a subcommand that stops at the user's request, after printing a message.
class Interrupted : public std::exception {
 public:
  char const* what() const noexcept override { return "interrupted"; }
};

}  // namespace parhelion::Apps

#endif
