// SPDX-License-Identifier: BSD-3-Clause
#include "jurassic_text.hpp"

#include <parhelion/core/error.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace parhelion::io {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string read_file(std::string const& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw Error(path, "cannot be read: is a folder");
  int const descriptor = ::open(path.c_str(), O_RDONLY);
  if (descriptor < 0) throw Error(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text;
  auto const size = std::filesystem::file_size(path, error);
  if (!error) text.reserve(static_cast<std::size_t>(size) + 1);
  constexpr std::size_t piece = std::size_t(1) << 20;
  ssize_t got = 1;
  while (got != 0) {
    auto const before = text.size();
    text.resize(before + piece);
    got = ::read(descriptor, text.data() + before, piece);
    int const problem = errno;
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && problem != EINTR) {
      ::close(descriptor);
      throw Error(path, fmt::format("cannot be read: {}", std::strerror(problem)));
    }
  }
  ::close(descriptor);
  return text;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (auto& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

std::optional<double> parse_number(std::string_view word) {
  // std::from_chars knows no plus sign.
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) return std::nullopt;
  // Too small for a double is 0 or nearly so; too large is not a number that anybody meant.
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(word).c_str(), nullptr);
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result(text.substr(0, longest));
  for (auto& c : result)
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 127) c = '?';
  return fmt::format("\"{}{}\"", result, text.size() > longest ? "..." : "");
}

// --- reading -----------------------------------------------------------------------------------------------------

TextReader::TextReader(std::string path) : m_path(std::move(path)), m_text(read_file(m_path)) {
  if (m_text.rfind("\xEF\xBB\xBF", 0) == 0) m_position = 3;  // some editors mark UTF-8 like this
}

bool TextReader::next() {
  while (m_position < m_text.size()) {
    auto const end = m_text.find('\n', m_position);
    m_ended = end != std::string::npos;
    auto const all = std::string_view(m_text).substr(m_position, (m_ended ? end : m_text.size()) - m_position);
    m_position = m_ended ? end + 1 : m_text.size();
    ++m_number;
    auto const hash = all.find('#');
    m_line = trimmed(all.substr(0, hash));
    if (!m_line.empty()) return true;
    if (hash != std::string_view::npos) m_comment = trimmed(all.substr(hash + 1));
  }
  return false;
}

std::string TextReader::where() const { return fmt::format("{}:{}", m_path, m_number); }

void TextReader::fail(std::string_view problem) const { throw Error(where(), problem); }

void TextReader::fail_file(std::string_view problem) const { throw Error(m_path, problem); }

std::span<double const> TextReader::numbers(std::size_t count, std::string_view columns) {
  m_numbers.clear();
  std::size_t words = 0;
  auto const is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (std::size_t at = 0; at < m_line.size();) {
    auto end = at;
    while (end < m_line.size() && !is_blank(m_line[end])) ++end;
    auto const word = m_line.substr(at, end - at);
    auto const value = parse_number(word);
    if (!value) fail(fmt::format("column {} holds {}, expected a number", words + 1, in_quotes(word)));
    ++words;
    m_numbers.push_back(*value);
    at = end;
    while (at < m_line.size() && is_blank(m_line[at])) ++at;
  }
  if (words != count)
    fail(fmt::format("has {} columns{}, expected {}", words,
                     words < count && !m_ended ? " and the file ends within the line" : "", columns));
  return m_numbers;
}

void TextReader::expect(bool good, std::string_view name, double value, std::string_view unit,
                        std::string_view expected) const {
  if (good && std::isfinite(value)) return;
  fail(fmt::format("{} = {}{}{}, expected {}", name, value, unit.empty() ? "" : " ", unit, expected));
}

// --- writing -----------------------------------------------------------------------------------------------------

void TextWriter::number(double value, int digits) {
  auto const to = std::back_inserter(m_buffer);
  if (std::isnan(value))
    fmt::format_to(to, " nan");  // whatever its sign
  else
    fmt::format_to(to, " {:.{}g}", value, digits);
}

void TextWriter::flush() {
  m_file.write({m_buffer.data(), m_buffer.size()});
  m_buffer.clear();
}

void TextWriter::commit() {
  flush();
  m_file.commit();
}

}  // namespace parhelion::io
