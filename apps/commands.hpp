// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of the `parhelion` program, one file each.
#ifndef PARHELION_APPS_COMMANDS_HPP
#define PARHELION_APPS_COMMANDS_HPP

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

}  // namespace parhelion::Apps

#endif
