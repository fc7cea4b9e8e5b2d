// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <ctime>

namespace parhelion::Apps {

std::string history(std::string const& command_line) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {}", fmt::gmtime(std::time(nullptr)), command_line);
}

std::function<void(int done, int all)> progress(bool quiet, std::string const& what) {
  if (quiet || isatty(fileno(stderr)) == 0) return {};
  return [what](int done, int all) {
    fmt::print(stderr, "\r{:3.0f} % of {} {}{}", 100.0 * done / all, all, what, done == all ? "\n" : "");
  };
}

}  // namespace parhelion::Apps
