// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

std::string quoted_command_line(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    std::string_view const word = i == 0 ? "parhelion" : argv[i];
    bool const plain = !word.empty() && word.find_first_of(" \t'\"\\$") == std::string_view::npos;
    line += fmt::format("{}{}{}{}", i == 0 ? "" : " ", plain ? "" : "'", word, plain ? "" : "'");
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int bad_usage = 2;
  constexpr int bad_input = 1;
  std::string const command_line = quoted_command_line(argc, argv);

  CLI::App program("Radiative transfer in participating media", "parhelion");
  program.set_version_flag("--version", std::string("parhelion ") + PARHELION_VERSION);
  program.require_subcommand(1);
  program.footer("Options that begin with --kokkos- are handed to Kokkos, such as --kokkos-num-threads=8.");
  auto const fluxes = parhelion::Apps::add_fluxes(program);

  // Advice on thread binding is for benchmarks, not for every run; the user's own setting stays.
  setenv("KOKKOS_DISABLE_WARNINGS", "true", 0);

  // Kokkos takes its own options out of the command line, so the rest can be strict.
  try {
    Kokkos::initialize(argc, argv);
  } catch (std::exception const& error) {
    fmt::print(stderr, "parhelion: {}\n", error.what());
    return bad_input;
  }
  int status = 0;
  try {
    program.parse(argc, argv);
    if (program.got_subcommand("fluxes")) fluxes(command_line);
  } catch (CLI::Success const& request) {  // --help, --version
    status = program.exit(request);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "parhelion: {}\nTry 'parhelion --help'.\n", error.what());
    status = bad_usage;
  } catch (std::exception const& error) {
    fmt::print(stderr, "parhelion: {}\n", error.what());
    status = bad_input;
  }
  Kokkos::finalize();
  return status;
}
