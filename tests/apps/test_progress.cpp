// SPDX-License-Identifier: BSD-3-Clause
// The progress that the program shows on a terminal.
#include <parhelion/io/emissivity_files.hpp>

#include "program.hpp"
#include "synthetic_problem.hpp"
#include "testing.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <regex>
#include <string>

namespace {

using namespace parhelion;
using namespace parhelion::Testing;

/// \brief Runs the program with its standard error on a terminal, and returns what appears there.
/// \param enough says, of what has appeared, whether the program is to be stopped
std::string seen_on_terminal(
    std::string const& arguments,
    std::function<bool(std::string const&)> const& enough = [](auto const&) { return false; }) {
  int const terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return "no terminal";
  int const line = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  if (line < 0) return "no terminal";
  std::string const command = "exec " + quoted(program()) + " " + arguments;
  pid_t const child = fork();
  if (child == 0) {
    int const nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(line, STDERR_FILENO);
    close(line);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(line);
  std::string seen;
  bool stopped = false, ended = false;
  // However slow the machine is, something happens within two minutes. In the end nobody writes to the terminal any
  // more, and there is nothing to be read.
  for (pollfd event{terminal, POLLIN, 0}; poll(&event, 1, 120000) > 0;) {
    std::array<char, 4096> buffer{};
    auto const n = read(terminal, buffer.data(), buffer.size());
    ended = n <= 0;
    if (ended) break;
    seen.append(buffer.data(), static_cast<std::size_t>(n));
    if (stopped || !enough(seen)) continue;
    kill(child, SIGTERM);
    stopped = true;
  }
  if (!ended) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  return seen;
}

bool has(std::string const& text, std::string const& pattern) { return std::regex_search(text, std::regex(pattern)); }

}  // namespace

// Two repetitions of hours: what is done and the time that is left show in the first one.
TEST(Progress, IsShownBeforeTheFirstRepetitionOfRaysEnds) {
  auto const folder = scratch_folder();
  std::string const work = "monte-carlo --case case01 --cells 6,4,2 --repetitions 2 --rays 1000000000 -o ";
  auto const left = [](std::string const& seen) { return has(seen, "rays of each cell, [0-9][^%]* left"); };
  auto const seen = seen_on_terminal(work + quoted(folder + "/out.nc"), left);
  EXPECT_TRUE(has(seen, "\r +[0-9]+ % of 1000000000 rays of each cell, [0-9]+ [a-z0-9 ]+ left")) << seen;
  EXPECT_TRUE(has(seen, "interrupted after (0|0[.][0-9]+|[0-9.]+e-[0-9]+) of 2 repetitions")) << seen;
}

TEST(Progress, OfShortRunsEndsWithTheLine) {
  auto const folder = scratch_folder();
  std::string const work = "monte-carlo --case case01 --cells 6,4,2 --rays 64 -o " + quoted(folder + "/out.nc");
  auto const seen = seen_on_terminal(work);
  EXPECT_TRUE(has(seen, "\r100 % of 64 rays of each cell[^\r\n]*\r?\n$")) << seen;
  EXPECT_EQ(seen_on_terminal(work + " --quiet"), "");
}

// Derivatives are computed in blocks; the line is there before the first one has ended.
TEST(Progress, IsShownBeforeTheFirstBlockOfAKernelEnds) {
  auto const folder = scratch_folder();
  auto const text = [&](std::string const& name, std::string const& content) {
    std::ofstream(folder + "/" + name) << content;
    return quoted(folder + "/" + name);
  };
  io::write_table(io::table_path(folder + "/t", 792, "CO2", "bin"),
                  small_table(io::synthetic_band(0, 792), {.npressure = ega::min_pressures}),
                  io::TableFormat::scatter_binary);
  text("t_792.0000.filt", "791.5 1\n792.5 1\n");
  std::string levels;
  for (int z = 0; z <= 60; z += 5)
    levels += "0 " + std::to_string(z) + " 0 0 " + std::to_string(1013 * std::exp(-z / 7.)) + " 250 4e-4 0\n";
  auto const seen = seen_on_terminal(
      "ega --control " +
      text("case.ctl",
           "TBLBASE = t\nNG = 1\nEMITTER[0] = CO2\nND = 1\nNU[0] = 792.0000\nCTM_CO2 = 0\nCTM_H2O = 0\nCTM_N2 = 0\n"
           "CTM_O2 = 0\nRETT_ZMIN = 0\nRETT_ZMAX = 60\n") +
      " --atmosphere " + text("atm.tab", levels) + " --observation " +
      text("obs.tab", "0 800 0 0 20 0 26.8 0 0 0 0 0\n0 800 0 0 0 0 2 0 0 0 0 0\n") + " -o " +
      quoted(folder + "/out.nc") + " --kernel " + quoted(folder + "/kernel.nc"));
  EXPECT_TRUE(has(seen, "\r +0 % of [0-9]+ [a-z ]+")) << seen;
  EXPECT_TRUE(has(seen, "\r100 % of [0-9]+ [a-z ]+")) << seen;
}
