// SPDX-License-Identifier: BSD-3-Clause
// Plain text files of numbers: what JURASSIC's formats have in common.
#ifndef PARHELION_IO_JURASSIC_TEXT_HPP
#define PARHELION_IO_JURASSIC_TEXT_HPP

#include <parhelion/io/output_file.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::io {

/// Without blanks at both ends; a carriage return is one.
std::string_view trimmed(std::string_view text);

/// In capital letters.
std::string upper_case(std::string_view text);

/// The number that `word` is, all of it: as C's strtod, but for hexadecimal ones. "nan" and "inf" are numbers.
std::optional<double> parse_number(std::string_view word);

/// A piece of a file as it can stand in a message: in quotes, not too long, printable.
std::string in_quotes(std::string_view text);

/// \brief Reads a text file line by line. Blank lines and comments, from `#` to the end of a line, are passed over.
///
/// Lines may end as on Windows. The last one need not end. The file is read once from its beginning, no more of it than
/// is asked for: it may be a FIFO or a device.
class TextReader {
 public:
  /// \throws parhelion::Error when the file cannot be read
  explicit TextReader(std::string path);
  ~TextReader();
  TextReader(TextReader const&) = delete;
  TextReader& operator=(TextReader const&) = delete;

  std::string const& path() const { return m_path; }

  /// Goes to the next line that holds something. False at the end of the file.
  /// \throws parhelion::Error when the file holds a zero byte, as no text does, or a line longer than 64 MiB
  bool next();

  /// The line without comment and blanks at its ends.
  std::string_view line() const { return m_line; }

  /// Its number, the first is 1.
  int number() const { return m_number; }

  /// "path:number", for messages about the line.
  std::string where() const;

  /// The last line passed over that was all comment, without `#`; empty where there was none.
  std::string const& comment() const { return m_comment; }

  /// \brief The numbers of the line, until the next call.
  /// \param count   how many there have to be
  /// \param columns what they are, for messages: "2: wavenumber, weight"
  /// \throws parhelion::Error when there are more or fewer, a word is not a number, or memory cannot hold all those of
  ///         the lines so far
  std::span<double const> numbers(std::size_t count, std::string_view columns);

  /// \throws parhelion::Error about the line
  [[noreturn]] void fail(std::string_view problem) const;

  /// Refuses a number of the line that is not finite or that is not `good`: "path:7: wavenumber = nan, expected ..."
  void expect(bool good, std::string_view name, double value, std::string_view unit, std::string_view expected) const;

  /// Refuses a file of which too little was read, after the last line.
  /// \throws parhelion::Error about the file
  [[noreturn]] void fail_file(std::string_view problem) const;

 private:
  void read_more();
  std::size_t find_line_end();

  std::string m_path;
  int m_descriptor;
  std::string m_text;          // text that was read and is still needed
  std::size_t m_position = 0;  // of the next line in it
  std::size_t m_bytes = 0;     // read so far
  bool m_whole = false;        // whether the end of the file has been read
  bool m_ended = true;         // whether the line is followed by another
  int m_number = 0;
  std::string_view m_line;
  std::string m_comment;
  std::vector<double> m_numbers;
  std::size_t m_count = 0;  // of all numbers so far
  std::size_t m_checked;    // how many of them fit into memory for certain
};

/// Writes a text file as an OutputFile: an old file is unchanged until commit().
class TextWriter {
 public:
  /// \throws parhelion::Error when the folder is missing or not writable or `path` is not a regular file
  explicit TextWriter(std::string path) : m_file(std::move(path)) {}

  template <class... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(m_buffer), format, std::forward<Values>(values)...);
    if (m_buffer.size() >= buffered) flush();
  }

  /// A blank and a number with up to `digits` digits, as C's %g.
  void number(double value, int digits);

  /// Completes the file and gives it its name. Nothing may be added afterwards.
  /// \throws parhelion::Error when the disk is full, for example; the old file is then still there, the new one is not
  void commit();

 private:
  static constexpr std::size_t buffered = std::size_t(1) << 20;

  void flush();

  OutputFile m_file;
  fmt::memory_buffer m_buffer;
};

}  // namespace parhelion::io

#endif
