// SPDX-License-Identifier: BSD-3-Clause
#include "commands.hpp"

#include "ranks.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace parhelion::Apps {

std::string history(std::string const& command_line) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ} {}", fmt::gmtime(std::time(nullptr)), command_line);
}

void warn(std::string_view text) {
  if (ranks().first()) std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string one_line(std::string_view text) {
  constexpr std::size_t most = 1500, kept_at_end = 300;
  std::string line;
  for (char const c : text) {
    if (c == '\n')
      line += ' ';
    else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  if (line.size() > most) {
    // Does not cut multi-byte characters.
    auto const begins = [&](std::size_t at) {
      while ((static_cast<unsigned char>(line[at]) & 0xc0U) == 0x80) --at;
      return at;
    };
    auto const end = begins(line.size() - kept_at_end);
    auto const first = begins(most - kept_at_end);
    line.replace(first, end - first, " ... ");
  }
  return line;
}

std::string footer(std::vector<std::string> const& examples, std::string const& text) {
  std::string result = examples.size() == 1 ? "Example:\n" : "Examples:\n";
  for (auto const& each : examples) result += "  " + each + "\n";
  if (!text.empty()) result += "\n" + text + "\n";
  return result +
         "\nEnvironment:\n"
         "  PARHELION_DATA  folders of data files, separated by colons; searched before\n"
         "                  ~/.local/share/parhelion, where scripts/get-data.sh puts them\n"
         "  PARHELION_MPI   yes or no: whether to start MPI, whatever launcher there seems to be\n"
         "  PARHELION_PARALLEL_HDF5\n"
         "                  yes or no: whether ranks write a file together, as they do if HDF5 is parallel\n"
         "\nExit status:\n"
         "  0    success\n"
         "  1    bad input or a failure at run time; nothing is written\n"
         "  2    usage error\n"
         "  3    the result is written, but a target (error, convergence) was not reached\n"
         "  4    the result is written, but a checkpoint could not be written\n"
         "  130  interrupted";
}

namespace {

// A rounded duration, such as "3 min 20 s".
std::string duration(double seconds) {
  auto const n = std::lround(seconds);
  if (n < 60) return fmt::format("{} s", n);
  if (n < 3600) return fmt::format("{} min {} s", n / 60, n % 60);
  return fmt::format("{} h {} min", n / 3600, n % 3600 / 60);
}

}  // namespace

std::function<bool(std::int64_t done, std::int64_t all)> progress(bool quiet, std::string const& what,
                                                                  std::int64_t begun) {
  if (quiet || !ranks().first() || isatty(fileno(stderr)) == 0) return {};
  using Clock = std::chrono::steady_clock;
  return [what, begun, start = Clock::now()](std::int64_t done, std::int64_t all) {
    double const seconds = std::chrono::duration<double>(Clock::now() - start).count();
    bool const known = done > begun && done < all;
    // The rest of the line is cleared, because the text may become shorter.
    warn(fmt::format(
        "\r{:3.0f} % of {} {}{}\033[K{}", 100.0 * static_cast<double>(done) / static_cast<double>(all), all, what,
        known ? fmt::format(", {} left",
                            duration(seconds * static_cast<double>(all - done) / static_cast<double>(done - begun)))
              : "",
        done == all ? "\n" : ""));
    return true;
  };
}

std::function<bool(std::int64_t done, std::int64_t all)> progress_of_all(
    std::function<bool(std::int64_t done, std::int64_t all)> const& show, std::int64_t own, std::size_t all) {
  if (!show || !ranks().several() || own == 0) return show;
  return [show, share = static_cast<double>(all) / static_cast<double>(own)](std::int64_t done, std::int64_t of) {
    auto const of_all = [&](std::int64_t n) { return static_cast<std::int64_t>(std::llround(share * double(n))); };
    return show(of_all(done), of_all(of));
  };
}

void counting_from(std::string const& item, std::size_t first, std::function<void()> const& calculation) {
  try {
    calculation();
  } catch (Error const& error) {
    if (first == 0) throw;
    throw Error(error.what(), fmt::format("counted from {} {}, the first of rank {}", item, first, ranks().rank()));
  }
}

}  // namespace parhelion::Apps
