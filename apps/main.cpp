// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

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
  constexpr int interrupted = 130;  // as shells say it of SIGINT
  std::string const command_line = quoted_command_line(argc, argv);

  CLI::App program("Radiative transfer in participating media", "parhelion");
  program.set_version_flag("--version", std::string("parhelion ") + PARHELION_VERSION);
  program.require_subcommand(1);
  program.footer("Options that begin with --kokkos- are handed to Kokkos, such as --kokkos-num-threads=8.");
  auto const fluxes = parhelion::Apps::add_fluxes(program);
  auto const adding = parhelion::Apps::add_adding(program);
  auto const tables = parhelion::Apps::add_tables(program);
  auto const ega = parhelion::Apps::add_ega(program);
  auto const monte_carlo = parhelion::Apps::add_monte_carlo(program);

  // Kokkos gets its own options and nothing else: it would print its help for --help.
  std::vector<char*> own{argv[0]};
  std::vector<char*> for_kokkos{argv[0]};
  for (int i = 1; i < argc; ++i)
    (std::string_view(argv[i]).starts_with("--kokkos-") ? for_kokkos : own).push_back(argv[i]);
  // Its advice on thread binding is for benchmarks, not for every run; a setting of the user's stays.
  setenv("KOKKOS_DISABLE_WARNINGS", "true", 0);
  try {
    int count = static_cast<int>(for_kokkos.size());
    Kokkos::initialize(count, for_kokkos.data());
  } catch (std::exception const& error) {
    fmt::print(stderr, "parhelion: {}\n", error.what());
    return bad_input;
  }
  int status = 0;
  try {
    program.parse(static_cast<int>(own.size()), own.data());
    if (program.got_subcommand("fluxes")) fluxes(command_line);
    if (program.got_subcommand("adding")) adding(command_line);
    if (program.got_subcommand("tables")) tables(command_line);
    if (program.got_subcommand("ega")) ega(command_line);
    if (program.got_subcommand("monte-carlo")) monte_carlo(command_line);
  } catch (CLI::Success const& request) {  // --help, --version
    status = program.exit(request);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "parhelion: {}\nTry 'parhelion --help'.\n", error.what());
    status = bad_usage;
  } catch (parhelion::Apps::Interrupted const&) {
    status = interrupted;
  } catch (std::exception const& error) {
    fmt::print(stderr, "parhelion: {}\n", error.what());
    status = bad_input;
  }
  Kokkos::finalize();
  return status;
}
