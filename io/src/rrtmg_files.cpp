// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/rrtmg_files.hpp>

#include "rrtmg_record_lengths.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/output_file.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace parhelion::io {

namespace {

constexpr char const* longwave_kind = "RRTMG_LW coefficients";
constexpr char const* shortwave_kind = "RRTMG_SW coefficients";

constexpr std::uint64_t integer_bytes = 4;
constexpr int reference_pressures = 59;

// What a record of a file holds.
struct RecordShape {
  std::uint64_t reals = 0;
  int integer = -1;  // reals before an integer of 4 bytes; -1: there is none

  std::uint64_t bytes(std::uint64_t bytes_of_real) const {
    return reals * bytes_of_real + (integer < 0 ? 0 : integer_bytes);
  }
};
using Shapes = std::vector<RecordShape>;

// A kind of file that is expected.
struct FileKind {
  char const* name;
  Shapes shapes;
};

FileKind longwave_file(std::array<int, 16> const& words) {
  FileKind kind{longwave_kind, {}};
  for (int const count : words) kind.shapes.push_back({static_cast<std::uint64_t>(count), -1});
  return kind;
}

FileKind shortwave_file(std::array<int, 14> const& values, std::array<int, 14> const& integers) {
  FileKind kind{shortwave_kind, {}};
  for (std::size_t b = 0; b < values.size(); ++b)
    kind.shapes.push_back({static_cast<std::uint64_t>(values[b]), integers[b]});
  return kind;
}

template <class Integer>
Integer big_endian(char const* bytes) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    value = static_cast<Integer>((value << 8) | static_cast<unsigned char>(bytes[i]));
  return value;
}

std::uint32_t little_endian_marker(char const* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string names_of(std::vector<FileKind> const& kinds) {
  std::vector<char const*> names;
  for (auto const& kind : kinds) names.push_back(kind.name);
  return fmt::format("{}", fmt::join(names, " or "));
}

std::string load(std::string const& path, std::vector<FileKind> const& kinds) {
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable)) throw Error(path, "no such file");
  if (std::filesystem::is_directory(path, unreadable)) throw Error(path, "is a folder, expected " + names_of(kinds));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(path, std::strerror(errno));
  std::uint64_t max_bytes = 0;
  for (auto const& kind : kinds) {
    std::uint64_t of_kind = 0;
    for (auto const& shape : kind.shapes) of_kind += 8 + shape.bytes(8);
    max_bytes = std::max(max_bytes, of_kind);
  }
  // One byte more than the file may hold tells that it is longer, whatever its size.
  std::string bytes(max_bytes + 1, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (stream.bad()) throw Error(path, "cannot be read");
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

// Which of some kinds a file is of, and the bytes of its real numbers.
struct Format {
  std::size_t kind;
  std::uint64_t bytes_of_real;
};

// Tells them by the length of the first record, and refuses other files.
Format format_of(std::string const& path, std::string_view bytes, std::vector<FileKind> const& kinds) {
  std::vector<std::uint64_t> lengths;
  for (auto const& kind : kinds)
    for (std::uint64_t const size : {8, 4}) lengths.push_back(kind.shapes.front().bytes(size));
  auto const expected =
      fmt::format("expected {}, a big-endian Fortran file that begins with a record of {} or {} bytes", names_of(kinds),
                  fmt::join(lengths.begin(), lengths.end() - 1, ", "), lengths.back());
  auto const has = [](auto const& of, std::uint64_t length) {
    return std::find(std::begin(of), std::end(of), length) != std::end(of);
  };
  if (bytes.empty()) throw Error(path, "is empty, " + expected);
  if (bytes.starts_with("\x89HDF")) throw Error(path, "is an HDF5 or netCDF-4 file, " + expected);
  if (bytes.starts_with("CDF")) throw Error(path, "is a netCDF-3 file, " + expected);
  if (bytes.size() < 4) throw Error(path, fmt::format("holds {} bytes, {}", bytes.size(), expected));
  auto const length = big_endian<std::uint32_t>(bytes.data());
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (length == lengths[i]) return {i / 2, i % 2 == 0 ? std::uint64_t(8) : std::uint64_t(4)};
  if (has(rrtmg_sw_first_record, length))
    throw Error(path, "holds the shortwave coefficients of RRTMG_SW, " + expected);
  if (has(rrtmg_lw_first_record, length)) throw Error(path, "holds the longwave coefficients of RRTMG_LW, " + expected);
  auto const swapped = little_endian_marker(bytes.data());
  if (has(lengths, swapped) || has(rrtmg_sw_first_record, swapped) || has(rrtmg_lw_first_record, swapped))
    throw Error(path, "is little-endian, " + expected);
  throw Error(path, fmt::format("begins with the bytes of a record length of {}, {}", length, expected));
}

// The real numbers of each record.
std::vector<std::vector<double>> read_records(std::string const& path, std::string_view bytes, Shapes const& shapes,
                                              std::uint64_t size) {
  std::vector<std::vector<double>> records(shapes.size());
  std::uint64_t at = 0;
  for (std::size_t band = 0; band < records.size(); ++band) {
    std::string const where = fmt::format("{}: record {}", path, band + 1);
    auto const& shape = shapes[band];
    auto const length = shape.bytes(size);
    // Leading marker, numbers, trailing marker. A wrong marker is told before a missing end: it is the better reason.
    if (bytes.size() >= at + 4 && big_endian<std::uint32_t>(bytes.data() + at) != length)
      throw Error(where,
                  fmt::format("has {} bytes, expected {}", big_endian<std::uint32_t>(bytes.data() + at), length));
    if (bytes.size() < at + length + 8)
      throw Error(where, fmt::format("truncated: the file ends at byte {}, expected the record to end at byte {}",
                                     bytes.size(), at + length + 8));
    if (auto const closing = big_endian<std::uint32_t>(bytes.data() + at + 4 + length); closing != length)
      throw Error(where, fmt::format("damaged: ends with the length {}, expected {}", closing, length));

    records[band].resize(shape.reals);
    char const* word = bytes.data() + at + 4;
    for (std::uint64_t i = 0; i < shape.reals; ++i) {
      if (shape.integer >= 0 && i == static_cast<std::uint64_t>(shape.integer)) {
        // Its value is not used: those of band 28 differ between versions, and all others are the same in all.
        if (auto const level = big_endian<std::uint32_t>(word); level < 1 || level > reference_pressures)
          throw Error(where, fmt::format("the integer after number {} is {}, expected 1 to {}", i,
                                         static_cast<std::int32_t>(level), reference_pressures));
        word += integer_bytes;
      }
      double const value = size == 8 ? std::bit_cast<double>(big_endian<std::uint64_t>(word))
                                     : std::bit_cast<float>(big_endian<std::uint32_t>(word));
      if (!std::isfinite(value))
        throw Error(where, fmt::format("number {} of {} is {}, expected a finite number", i + 1, shape.reals, value));
      records[band][i] = value;
      word += size;
    }
    at += length + 8;
  }
  if (bytes.size() > at)
    throw Error(path, fmt::format("continues after its {} records, expected it to end at byte {}", shapes.size(), at));
  return records;
}

template <std::size_t n>
std::array<std::vector<double>, n> to_array(std::vector<std::vector<double>>&& records) {
  std::array<std::vector<double>, n> result;
  std::move(records.begin(), records.end(), result.begin());
  return result;
}

// Where users get the files.
std::string advice(std::string const& name) {
  return fmt::format(
      "scripts/get-data.sh of parhelion's sources fetches it; it also comes with WRF (run/{0}, run/{0}_DBL) and "
      "MPAS-Atmosphere (the MPAS-Data repository, atmosphere/physics_wrf/files/); name it with --coefficients or put "
      "its folder into PARHELION_DATA",
      name);
}

std::string find_kind(char const* kind, std::string const& name, std::string const& explicit_path) {
  return find_data_file(kind, explicit_path, {name + ".DBL", name + "_DBL", name}, advice(name));
}

}  // namespace

std::string find_rrtmg_lw_data(std::string const& explicit_path) {
  return find_kind(longwave_kind, "RRTMG_LW_DATA", explicit_path);
}

std::string find_rrtmg_sw_data(std::string const& explicit_path) {
  return find_kind(shortwave_kind, "RRTMG_SW_DATA", explicit_path);
}

std::array<std::vector<double>, 16> read_rrtmg_lw_data(std::string const& path, std::array<int, 16> const& words) {
  std::vector<FileKind> const kinds{longwave_file(words)};
  std::string const bytes = load(path, kinds);
  auto const format = format_of(path, bytes, kinds);
  return to_array<16>(read_records(path, bytes, kinds.front().shapes, format.bytes_of_real));
}

std::array<std::vector<double>, 14> read_rrtmg_sw_data(std::string const& path, std::array<int, 14> const& values,
                                                       std::array<int, 14> const& integers) {
  std::vector<FileKind> const kinds{shortwave_file(values, integers)};
  std::string const bytes = load(path, kinds);
  auto const format = format_of(path, bytes, kinds);
  return to_array<14>(read_records(path, bytes, kinds.front().shapes, format.bytes_of_real));
}

RrtmgRecords read_rrtmg_data(std::string const& path, std::array<int, 16> const& longwave_words,
                             std::array<int, 14> const& shortwave_values,
                             std::array<int, 14> const& shortwave_integers) {
  std::vector<FileKind> const kinds{longwave_file(longwave_words),
                                    shortwave_file(shortwave_values, shortwave_integers)};
  std::string const bytes = load(path, kinds);
  auto const format = format_of(path, bytes, kinds);
  auto records = read_records(path, bytes, kinds[format.kind].shapes, format.bytes_of_real);
  if (format.kind == 0) return to_array<16>(std::move(records));
  return to_array<14>(std::move(records));
}

namespace {

template <class Integer>
void put_big_endian(std::string& bytes, Integer value) {
  for (std::size_t i = sizeof(Integer); i-- > 0;) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

}  // namespace

void write_rrtmg_lw_data(std::string const& path, std::array<std::vector<double>, 16> const& records) {
  std::string bytes;
  for (auto const& record : records) {
    auto const length = static_cast<std::uint32_t>(record.size() * sizeof(double));
    put_big_endian(bytes, length);
    for (double const value : record) put_big_endian(bytes, std::bit_cast<std::uint64_t>(value));
    put_big_endian(bytes, length);
  }
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace parhelion::io
