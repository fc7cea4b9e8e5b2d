// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"
#include "common_options.hpp"
#include "ranks.hpp"
#include "runtime.hpp"

#include <parhelion/core/error.hpp>
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
#include <csignal>
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

// Opens standard streams that the caller has closed: otherwise a result file could get the descriptor of a standard
// stream, and messages would be written into it. The replacements cannot be written to, so that a lost summary is
// noticed.
void open_standard_streams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) [[maybe_unused]]
      int const opened =
          ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest free descriptor
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

// The number of letters to insert, delete or replace (Levenshtein 1966).
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

// Refuses an unknown word in the place of a subcommand.
void check_subcommands(CLI::App const& program, std::vector<std::string> const& words) {
  auto const* command = &program;
  for (auto const& word : words) {
    // To CLI11, groups of options are subcommands without a name.
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

// An empty value is not the same as no value, and CLI11 loops for ever on an empty word that no option takes.
void refuse_empty_words(std::vector<std::string> const& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty()) throw CLI::ValidationError(i > 0 ? words[i - 1] : "parhelion", "the word behind it is empty");
    if (words[i].starts_with("--") && words[i].ends_with("="))
      throw CLI::ValidationError(words[i].substr(0, words[i].size() - 1), "its value is empty");
  }
}

// CLI11 drops empty entries of lists.
void refuse_empty_entries(CLI::App const& program, std::vector<std::string> const& words) {
  auto const* command = &program;
  CLI::Option const* option = nullptr;  // to which a word belongs
  for (auto const& word : words) {
    auto entries = word;
    if (word.starts_with("-")) {
      auto const equals = std::min(word.find('='), word.size());
      option = command->get_option_no_throw(word.substr(0, equals));
      entries = word.substr(std::min(equals + 1, word.size()));
    } else if (option == nullptr) {
      auto const named = command->get_subcommands([&](CLI::App const* each) { return each->get_name() == word; });
      if (!named.empty()) command = named.front();
    }
    char const comma = option == nullptr ? '\0' : option->get_delimiter();
    if (comma == '\0' || entries.empty()) continue;
    if (entries.front() == comma || entries.back() == comma || entries.find({comma, comma}) != std::string::npos)
      throw CLI::ValidationError(
          option->get_name(),
          fmt::format("'{}' has an empty entry, expected entries between and around its commas", entries));
  }
}

std::string path_of(CLI::App const* command) {
  std::string path;
  for (auto inner = command->get_subcommands(); !inner.empty(); inner = inner.front()->get_subcommands())
    path += " " + inner.front()->get_name();
  return path;
}

void say_error(std::string_view text) { warn(fmt::format("parhelion: {}\n", one_line(text))); }

// The status of a failure, which must not leave other ranks waiting for this one.
int failed(int status) {
  if (ranks().several() && !ranks().all_failed()) ranks().abort(status);
  return status;
}

int run(CLI::App& program, std::vector<Command> const& commands, std::vector<std::string> const& arguments,
        std::string const& command_line) {
  try {
    // Kokkos gets only its own options: it would react to --help, too.
    std::vector<std::string> words, for_kokkos;
    for (auto const& word : arguments) (word.starts_with("--kokkos-") ? for_kokkos : words).push_back(word);
    ranks().collectively([&] {
      ranks().file_sharing();  // refuses what the environment says of it, if need be
      check_kokkos_options(for_kokkos);
      words = without_help(words);
      check_subcommands(program, words);
      refuse_empty_words(words);
      refuse_empty_entries(program, words);
      std::reverse(words.begin(), words.end());  // the order that CLI11 expects
      program.parse(words);
    });
    for (auto const& command : commands) {
      if (!program.got_subcommand(command.name)) continue;
      std::optional<Runtime> runtime;
      ranks().collectively([&] {
        if (!command.shared && ranks().several())
          throw parhelion::Error(command.name, fmt::format("started as {} ranks, which do not share its work; "
                                                           "expected one",
                                                           ranks().size()));
        runtime.emplace(*command.options, for_kokkos);
      });
      if (command.shared) warn_of_too_many_threads(*command.options);
      return command.run(command_line);
    }
    return exit_success;
  } catch (CLI::Success const& request) {  // --help, --version
    return ranks().first() ? program.exit(request) : exit_success;
  } catch (CLI::ParseError const& error) {
    // In quotes, because a word of blanks would be invisible.
    auto const extra = program.remaining(true);
    bool const named = dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr && !extra.empty();
    say_error(named ? fmt::format("not expected: '{}'", fmt::join(extra, "' '")) : std::string(error.what()));
    warn(fmt::format("Try 'parhelion{} --help'.\n", path_of(&program)));
    return failed(exit_bad_usage);
  } catch (Interrupted const&) {
    return exit_interrupted;
  } catch (std::exception const& error) {
    say_error(message_of(error));
  }
  return failed(exit_bad_input);
}

}  // namespace

int main(int argc, char** argv) try {
  open_standard_streams();
  // After reading damaged files, HDF5's clean-up at exit may print errors or crash. It is not needed: results are
  // written from memory.
  H5dont_atexit();
  // A file beyond the limit of its size is an error of writing, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  // Fast networks of MPI do not bear a process that forks.
  parhelion::io::read_hdf5_in_child(!ranks().several());
  // Only the first rank prints.
  if (!ranks().first() && std::freopen("/dev/null", "w", stdout) == nullptr) return exit_bad_input;
  CLI::App program("Radiative transfer in participating media", "parhelion");
  program.set_version_flag("--version", std::string("parhelion ") + PARHELION_VERSION);
  program.require_subcommand(1);
  program.footer(footer({"parhelion fluxes atmosphere.nc -o fluxes.nc", "parhelion help fluxes"},
                        "Options that begin with --kokkos- are passed to Kokkos; --kokkos-help lists them."));
  std::vector<Command> const commands{add_fluxes(program),      add_adding(program),   add_ega(program),
                                      add_monte_carlo(program), add_retrieve(program), add_tables(program),
                                      add_coefficients(program)};

  std::vector<std::string> const arguments(argv + std::min(argc, 1), argv + argc);
  int const status = run(program, commands, arguments, quoted_command_line(argc, argv));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    warn(fmt::format("parhelion: standard output cannot be written: {}\n", std::strerror(errno)));
    if (status == exit_success) return exit_bad_input;
  }
  return status;
} catch (std::exception const& error) {  // before there is a command that could say more
  std::fprintf(stderr, "parhelion: %s\n", error.what());
  return exit_bad_input;
}
