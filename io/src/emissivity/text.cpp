// SPDX-License-Identifier: BSD-3-Clause
#include "emissivity/formats.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

namespace parhelion::io {

using ega::EmissivityTable;

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// Reads a number at `begin` as scanf does; returns where it ends, nullptr where there is none.
char const* read_number(char const* begin, char const* end, double& value) {
  while (begin != end && is_blank(*begin)) ++begin;
  if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
  auto const [after, error] = std::from_chars(begin, end, value);
  if (error == std::errc::invalid_argument) return nullptr;
  // Too large or too small for the type: infinite or zero.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(begin, after).c_str(), nullptr);
  // An exponent without digits, which from_chars leaves.
  if (after != end && (*after == 'e' || *after == 'E')) return nullptr;
  return after;
}

std::string comment(std::string const& note) { return note.empty() ? "" : fmt::format("# {}\n", note); }

}  // namespace

EmissivityTable read_text_table(std::string const& path, std::vector<char> const& bytes, std::size_t& left_out) {
  EmissivityTable table;
  begin_table(table);
  auto const refuse = [&](std::size_t line, std::string const& problem) {
    throw Error(path, fmt::format("line {}: {}", line, problem));
  };
  // Real tables have some forty bytes a line.
  table.column_density.reserve(bytes.size() / 40);
  table.emissivity.reserve(bytes.size() / 40);

  std::string_view opening;  // pressure and temperature of the last line as they stand there, and the blank after them
  double pressure = 0, temperature = 0;
  float last_u = 0, last_emissivity = 0;
  std::size_t line = 0;
  char const* const file_end = bytes.data() + bytes.size();
  for (char const* at = bytes.data(); at != file_end;) {
    auto const* const found = static_cast<char const*>(std::memchr(at, '\n', static_cast<std::size_t>(file_end - at)));
    char const* const line_end = found == nullptr ? file_end : found;
    char const* const start = std::exchange(at, found == nullptr ? file_end : found + 1);
    ++line;

    double next_pressure = pressure, next_temperature = temperature, u = 0, emissivity = 0;
    char const* read = start;
    // Most lines open as the one before.
    if (!opening.empty() && std::string_view(start, line_end).starts_with(opening)) {
      read += opening.size();
    } else {
      read = read_number(read, line_end, next_pressure);
      if (read != nullptr) read = read_number(read, line_end, next_temperature);
      if (read == nullptr) continue;
      opening = read != line_end && is_blank(*read) ? std::string_view(start, read + 1) : std::string_view();
    }
    read = read_number(read, line_end, u);
    if (read != nullptr) read = read_number(read, line_end, emissivity);
    if (read == nullptr || !in_range(u, emissivity)) {
      if (read != nullptr) ++left_out;
      // The pressure and temperature of this line do not begin a curve.
      if (next_pressure != pressure || next_temperature != temperature) opening = {};
      continue;
    }

    bool const first = table.pressure_hPa.empty();
    bool const new_pressure = first || next_pressure != pressure;
    bool const new_curve = new_pressure || next_temperature != temperature;
    if (new_curve && !first) end_curve(table);
    if (new_pressure) {
      if (!first) end_pressure(table);
      if (!first && !(next_pressure > pressure))
        refuse(line, fmt::format("pressure {} hPa after {} hPa, expected ascending ones", next_pressure, pressure));
      table.pressure_hPa.push_back(next_pressure);
    } else if (new_curve && !(next_temperature > temperature)) {
      refuse(line, fmt::format("temperature {} K after {} K at pressure {} hPa, expected ascending ones",
                               next_temperature, temperature, pressure));
    }
    pressure = next_pressure;
    temperature = next_temperature;

    auto const stored_u = static_cast<float>(u), stored_emissivity = static_cast<float>(emissivity);
    bool const beyond = new_curve || (stored_u > last_u && stored_emissivity > last_emissivity);
    // Curves begin at the origin. A first point without emissivity is not beyond it: the next one takes its place.
    bool const replaces_first = !new_curve && table.emissivity.back() == 0 &&
                                table.npoint() == static_cast<std::size_t>(table.first_point.back()) + 1;
    if (new_curve) table.temperature.push_back(temperature);
    if (beyond && !replaces_first) {
      table.column_density.push_back(stored_u);
      table.emissivity.push_back(stored_emissivity);
    } else {
      table.column_density.back() = stored_u;
      table.emissivity.back() = stored_emissivity;
    }
    if (beyond) {
      last_u = stored_u;
      last_emissivity = stored_emissivity;
    }
  }
  if (table.pressure_hPa.empty())
    throw Error(path, fmt::format("none of {} lines opens with pressure, temperature, column density up to {} "
                                  "molecules cm-2 and emissivity from 0 to 1",
                                  line, largest_column_density));
  end_curve(table);
  end_pressure(table);
  return table;
}

std::string text_of(EmissivityTable const& table, TableLabel const& label, std::string const& note) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{}{}", comment(note), comment(label.empty() ? "" : text_of(label)));
  fmt::format_to(out, "# $1 = pressure [hPa]\n# $2 = temperature [K]\n# $3 = column density [molecules cm-2]\n");
  fmt::format_to(out, "# $4 = emissivity [1]\n");
  for (std::size_t p = 0; p < table.pressure_hPa.size(); ++p)
    for (auto t = table.first_temperature[p]; t < table.first_temperature[p + 1]; ++t) {
      auto const curve = static_cast<std::size_t>(t);
      // The fewest digits that give the number again.
      auto const opening = fmt::format("{} {} ", table.pressure_hPa[p], table.temperature[curve]);
      fmt::format_to(out, "\n");
      auto const end = static_cast<std::size_t>(table.first_point[curve + 1]);
      for (auto i = static_cast<std::size_t>(table.first_point[curve]); i < end; ++i)
        fmt::format_to(out, "{}{} {}\n", opening, table.column_density[i], table.emissivity[i]);
    }
  return fmt::to_string(text);
}

}  // namespace parhelion::io
