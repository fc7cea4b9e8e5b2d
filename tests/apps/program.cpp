// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace parhelion::Testing {

std::string program() {
  char const* const path = std::getenv("PARHELION_PROGRAM");
  return path != nullptr ? path : PARHELION_PROGRAM;
}

Outcome run(std::string const& arguments, std::string const& environment) {
  std::string const command = environment + " '" + program() + "' " + arguments + " 2>&1 < /dev/null";
  FILE* const pipe = popen(command.c_str(), "r");
  Outcome outcome{-1, {}};
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (std::size_t const n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.output.append(buffer.data(), n);
  int const status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string quoted(std::string const& path) { return "'" + path + "'"; }

std::vector<std::string> files_in(std::string const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

void expect_refused(std::string const& subcommand, std::string const& folder, std::string const& arguments,
                    std::string const& message, std::string const& environment) {
  auto const before = files_in(folder);
  auto const outcome = run(subcommand + " " + arguments, environment);
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_NE(outcome.output.find(message), std::string::npos) << outcome.output << "\nexpected: " << message;
  EXPECT_EQ(outcome.output.rfind("parhelion: ", 0), 0U) << outcome.output;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  EXPECT_EQ(files_in(folder).size(), before.size()) << "something was written";
}

void expect_bad_usage(std::string const& arguments, std::string const& message, std::string const& environment) {
  auto const outcome = run(arguments, environment);
  EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.output;
  EXPECT_TRUE(outcome.output.starts_with("parhelion: ")) << outcome.output;
  EXPECT_NE(outcome.output.find(message), std::string::npos) << outcome.output << "\nexpected: " << message;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 2) << outcome.output;
  EXPECT_NE(outcome.output.find("\nTry 'parhelion"), std::string::npos) << outcome.output;
}

}  // namespace parhelion::Testing
