// SPDX-License-Identifier: BSD-3-Clause
#include "jurassic/text.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/memory.hpp>

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

constexpr std::size_t piece = std::size_t(1) << 20;
constexpr std::size_t longest_line = std::size_t(1) << 26;
constexpr std::size_t few_numbers = std::size_t(1) << 22;

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

TextReader::TextReader(std::string path) : m_path(std::move(path)), m_checked(few_numbers) {
  std::error_code error;
  if (std::filesystem::is_directory(m_path, error)) throw Error(m_path, "cannot be read: is a folder");
  m_descriptor = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (m_descriptor < 0) throw Error(m_path, fmt::format("cannot be read: {}", std::strerror(errno)));
}

TextReader::~TextReader() { ::close(m_descriptor); }

void TextReader::read_more() {
  m_text.erase(0, m_position);
  m_position = 0;
  auto const before = m_text.size();
  m_text.resize(before + piece);
  ssize_t got = -1;
  do got = ::read(m_descriptor, m_text.data() + before, piece);
  while (got < 0 && errno == EINTR);
  if (got < 0) throw Error(m_path, fmt::format("cannot be read: {}", std::strerror(errno)));
  m_text.resize(before + static_cast<std::size_t>(got));
  m_whole = got == 0;
  if (auto const zero = m_text.find('\0', before); zero != std::string::npos)
    throw Error(m_path, fmt::format("byte {}: zero, expected text", m_bytes + zero - before));
  // The byte order mark of UTF-8, which some editors write. Only a FIFO may deliver fewer than its three bytes at
  // first.
  if (m_bytes == 0 && m_text.starts_with("\xEF\xBB\xBF")) m_position = 3;
  m_bytes += static_cast<std::size_t>(got);
}

// The end of the next line, or of the file.
std::size_t TextReader::find_line_end() {
  std::size_t searched = 0;  // bytes behind m_position
  while (true) {
    auto const end = m_text.find('\n', m_position + searched);
    if (end != std::string::npos) return end;
    searched = m_text.size() - m_position;
    if (m_whole) return m_text.size();
    if (searched > longest_line)
      throw Error(fmt::format("{}:{}", m_path, m_number + 1),
                  fmt::format("is longer than {} MiB, expected lines of text", longest_line >> 20));
    read_more();
  }
}

bool TextReader::next() {
  while (true) {
    auto const end = find_line_end();
    m_ended = end < m_text.size();
    if (!m_ended && m_position == m_text.size()) return false;
    auto const all = std::string_view(m_text).substr(m_position, end - m_position);
    m_position = m_ended ? end + 1 : end;
    ++m_number;
    auto const hash = all.find('#');
    m_line = trimmed(all.substr(0, hash));
    if (!m_line.empty()) return true;
    if (hash != std::string_view::npos) m_comment = trimmed(all.substr(hash + 1));
  }
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
  m_count += words;
  if (m_count > m_checked) {
    // Lists of numbers grow to twice their size, and hold both for a moment.
    require_host_memory(where(), 3 * sizeof(double) * m_count, "");
    m_checked = 2 * m_count;
  }
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
