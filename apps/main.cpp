// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"
#include "runtime.hpp"

#include <parhelion/io/hdf5.hpp>
#include <parhelion/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using namespace parhelion::Apps;

// Of a caller who closed them: otherwise a result might get the number of a standard stream, and messages into it.
// What is opened cannot be written to, so that a summary that gets lost shows.
void open_standard_streams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) [[maybe_unused]]
      int const opened =
          ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // the lowest number that is free
}

std::string quoted_command_line(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    std::string_view const word = i == 0 ? "parhelion" : argv[i];
    bool const plain = !word.empty() && word.find_first_of(" \t'\"\\$") == std::string_view::npos;
    line += fmt::format("{}{}{}{}", i == 0 ? "" : " ", plain ? "" : "'", word, plain ? "" : "'");
  }
  return line;
}

// How many letters have to be put in, taken away or changed (Levenshtein 1966).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (char const letter : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t const changed = diagonal + (letter == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Refuses a word that stands where a subcommand is expected and is none.
void check_subcommands(CLI::App const& program, std::vector<std::string> const& words) {
  auto const* command = &program;
  for (auto const& word : words) {
    // Groups of options are subcommands without a name.
    auto const known = command->get_subcommands([](CLI::App const* each) { return !each->get_name().empty(); });
    if (known.empty() || word.starts_with("-")) return;
    auto const found =
        std::find_if(known.begin(), known.end(), [&](CLI::App const* each) { return each->get_name() == word; });
    if (found == known.end()) {
      std::string names, nearest;
      for (auto const* each : known) {
        names += (names.empty() ? "" : ", ") + each->get_name();
        if (nearest.empty() || distance(each->get_name(), word) < distance(nearest, word)) nearest = each->get_name();
      }
      bool const near = distance(nearest, word) <= std::max<std::size_t>(2, word.size() / 3);
      throw CLI::ExtrasError(fmt::format("there is no subcommand '{}'; {}", word,
                                         near ? fmt::format("did you mean '{}'?", nearest) : "there are " + names),
                             CLI::ExitCodes::ExtrasError);
    }
    command = *found;
  }
}

// `parhelion help NAME` is `parhelion NAME --help`.
std::vector<std::string> without_help(std::vector<std::string> words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

// An option without a value is not an option that was left out; and CLI11 never comes to an end with an empty word that
// no option takes.
void refuse_empty_words(std::vector<std::string> const& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty()) throw CLI::ValidationError(i > 0 ? words[i - 1] : "parhelion", "the word behind it is empty");
    if (words[i].starts_with("--") && words[i].ends_with("="))
      throw CLI::ValidationError(words[i].substr(0, words[i].size() - 1), "its value is empty");
  }
}

std::string path_of(CLI::App const* command) {
  std::string path;
  for (auto inner = command->get_subcommands(); !inner.empty(); inner = inner.front()->get_subcommands())
    path += " " + inner.front()->get_name();
  return path;
}

void say_error(std::string_view text) { warn(fmt::format("parhelion: {}\n", one_line(text))); }

int run(CLI::App& program, CommonOptions const& common, std::vector<Command> const& commands,
        std::vector<std::string> const& arguments, std::string const& command_line) {
  try {
    // Kokkos gets its own options and nothing else: it would print its help for --help.
    std::vector<std::string> words, for_kokkos;
    for (auto const& word : arguments) (word.starts_with("--kokkos-") ? for_kokkos : words).push_back(word);
    check_kokkos_options(for_kokkos);
    words = without_help(words);
    check_subcommands(program, words);
    refuse_empty_words(words);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    program.parse(words);
    Runtime const runtime(common, for_kokkos);
    for (auto const& command : commands)
      if (program.got_subcommand(command.name)) return command.run(command_line);
    return exit_success;
  } catch (CLI::Success const& request) {  // --help, --version
    return program.exit(request);
  } catch (CLI::ParseError const& error) {
    // Words in quotes: one of blanks would not be seen.
    auto const extra = program.remaining(true);
    bool const named = dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr && !extra.empty();
    say_error(named ? fmt::format("not expected: '{}'", fmt::join(extra, "' '")) : std::string(error.what()));
    warn(fmt::format("Try 'parhelion{} --help'.\n", path_of(&program)));
    return exit_bad_usage;
  } catch (Interrupted const&) {
    return exit_interrupted;
  } catch (std::system_error const& error) {  // of printing
    say_error(fmt::format("standard output cannot be written: {}", error.code().message()));
  } catch (std::bad_alloc const&) {
    say_error("there is not enough memory");
  } catch (std::length_error const&) {
    say_error("there is not enough memory: an array would be larger than any memory");
  } catch (std::exception const& error) {
    say_error(error.what());
  }
  return exit_bad_input;
}

}  // namespace

int main(int argc, char** argv) try {
  open_standard_streams();
  // HDF5 loses count of its objects on damaged files and would say so, or crash, when the program ends. There is
  // nothing for it to complete: results are written from memory.
  H5dont_atexit();
  parhelion::io::read_hdf5_in_child(true);
  CLI::App program("Radiative transfer in participating media", "parhelion");
  program.set_version_flag("--version", std::string("parhelion ") + PARHELION_VERSION);
  program.require_subcommand(1);
  program.footer(footer({"parhelion fluxes atmosphere.nc -o fluxes.nc", "parhelion help fluxes"},
                        "Options that begin with --kokkos- are handed to Kokkos; --kokkos-help lists them."));
  CommonOptions common;
  std::vector<Command> const commands{add_fluxes(program, common),   add_adding(program, common),
                                      add_ega(program, common),      add_monte_carlo(program, common),
                                      add_retrieve(program, common), add_tables(program, common)};

  std::vector<std::string> const arguments(argv + std::min(argc, 1), argv + argc);
  int const status = run(program, common, commands, arguments, quoted_command_line(argc, argv));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    warn(fmt::format("parhelion: standard output cannot be written: {}\n", std::strerror(errno)));
    if (status == exit_success) return exit_bad_input;
  }
  return status;
} catch (std::exception const& error) {  // before there is a command that could say more
  std::fprintf(stderr, "parhelion: %s\n", error.what());
  return exit_bad_input;
}
