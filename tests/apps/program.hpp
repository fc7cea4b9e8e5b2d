// SPDX-License-Identifier: BSD-3-Clause
// The program as its users meet it: command lines, messages, exit codes, files.
#ifndef PARHELION_TESTS_APPS_PROGRAM_HPP
#define PARHELION_TESTS_APPS_PROGRAM_HPP

#include <string>
#include <vector>

namespace parhelion::Testing {

struct Outcome {
  int code;
  std::string output;  ///< of both streams
};

/// Where the program is.
std::string program();

/// Runs the program with arguments as a shell reads them. `environment` stands before it.
Outcome run(std::string const& arguments, std::string const& environment = "env -u PARHELION_DATA");

/// As one word of the shell.
std::string quoted(std::string const& path);

std::vector<std::string> files_in(std::string const& folder);

/// Expects a refusal in one line that contains `message`, exit code 1 and no new file in the folder.
void expect_refused(std::string const& subcommand, std::string const& folder, std::string const& arguments,
                    std::string const& message, std::string const& environment = "env -u PARHELION_DATA");

/// Expects bad usage: exit code 2, a line that contains `message` and one that says where help is.
void expect_bad_usage(std::string const& arguments, std::string const& message,
                      std::string const& environment = "env -u PARHELION_DATA");

}  // namespace parhelion::Testing

#endif
