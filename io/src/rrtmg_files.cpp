// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/rrtmg_files.hpp>

#include <parhelion/core/error.hpp>
#include <parhelion/io/data_files.hpp>
#include <parhelion/io/output_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace parhelion::io {

namespace {

// Bytes in the first record of RRTMG_SW_DATA.DBL and RRTMG_SW_DATA, the shortwave files that come with the longwave
// ones: 13346 reals and an integer.
constexpr std::uint64_t shortwave_double = 13346 * 8 + 4, shortwave_single = 13346 * 4 + 4;

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

std::string load(std::string const& path, std::uint64_t most_bytes) {
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable)) throw Error(path, "no such file");
  if (std::filesystem::is_directory(path, unreadable)) throw Error(path, "is a folder, expected RRTMG_LW coefficients");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(path, std::strerror(errno));
  // One byte more than the file may hold tells that it is longer, whatever its size.
  std::string bytes(most_bytes + 1, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (stream.bad()) throw Error(path, "cannot be read");
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

// Bytes of a real number, 8 or 4, from the length of the first record. Refuses other files.
std::uint64_t bytes_of_real(std::string const& path, std::string_view bytes, std::uint64_t words) {
  auto const expected = fmt::format(
      "expected RRTMG_LW coefficients, a big-endian Fortran file that begins with a record of {} or {} bytes",
      words * 8, words * 4);
  auto const is_ours = [words](std::uint64_t length) { return length == words * 8 || length == words * 4; };
  auto const is_shortwave = [](std::uint64_t length) {
    return length == shortwave_double || length == shortwave_single;
  };
  if (bytes.empty()) throw Error(path, "is empty, " + expected);
  if (bytes.starts_with("\x89HDF")) throw Error(path, "is an HDF5 or netCDF-4 file, " + expected);
  if (bytes.starts_with("CDF")) throw Error(path, "is a netCDF-3 file, " + expected);
  if (bytes.size() < 4) throw Error(path, fmt::format("holds {} bytes, {}", bytes.size(), expected));
  auto const length = big_endian<std::uint32_t>(bytes.data());
  if (is_ours(length)) return length / words;
  if (is_shortwave(length)) throw Error(path, "holds the shortwave coefficients of RRTMG_SW, " + expected);
  auto const swapped = little_endian_marker(bytes.data());
  if (is_ours(swapped) || is_shortwave(swapped)) throw Error(path, "is little-endian, " + expected);
  throw Error(path, fmt::format("begins with the bytes of a record length of {}, {}", length, expected));
}

}  // namespace

std::string find_rrtmg_lw_data(std::string const& explicit_path) {
  return find_data_file("RRTMG_LW coefficients", explicit_path,
                        {"RRTMG_LW_DATA.DBL", "RRTMG_LW_DATA_DBL", "RRTMG_LW_DATA"},
                        "scripts/get-data.sh of parhelion's sources fetches it; it also comes with WRF "
                        "(run/RRTMG_LW_DATA, run/RRTMG_LW_DATA_DBL) and MPAS-Atmosphere (the MPAS-Data repository, "
                        "atmosphere/physics_wrf/files/); name it with --coefficients or put its folder into "
                        "PARHELION_DATA");
}

std::array<std::vector<double>, 16> read_rrtmg_lw_data(std::string const& path, std::array<int, 16> const& words) {
  std::uint64_t most_bytes = 0;
  for (int const count : words) most_bytes += 8 + 8 * static_cast<std::uint64_t>(count);
  std::string const bytes = load(path, most_bytes);
  auto const size = bytes_of_real(path, bytes, static_cast<std::uint64_t>(words.front()));

  std::array<std::vector<double>, 16> records;
  std::uint64_t at = 0;
  for (std::size_t band = 0; band < records.size(); ++band) {
    std::string const where = fmt::format("{}: record {}", path, band + 1);
    auto const count = static_cast<std::uint64_t>(words[band]);
    auto const length = count * size;
    // Leading marker, numbers, trailing marker. A wrong marker is told before a missing end: it is the better reason.
    if (bytes.size() >= at + 4 && big_endian<std::uint32_t>(bytes.data() + at) != length)
      throw Error(where,
                  fmt::format("has {} bytes, expected {}", big_endian<std::uint32_t>(bytes.data() + at), length));
    if (bytes.size() < at + length + 8)
      throw Error(where, fmt::format("truncated: the file ends at byte {}, expected the record to end at byte {}",
                                     bytes.size(), at + length + 8));
    if (auto const closing = big_endian<std::uint32_t>(bytes.data() + at + 4 + length); closing != length)
      throw Error(where, fmt::format("damaged: ends with the length {}, expected {}", closing, length));

    records[band].resize(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      char const* const word = bytes.data() + at + 4 + i * size;
      double const value = size == 8 ? std::bit_cast<double>(big_endian<std::uint64_t>(word))
                                     : std::bit_cast<float>(big_endian<std::uint32_t>(word));
      if (!std::isfinite(value))
        throw Error(where, fmt::format("number {} of {} is {}, expected a finite number", i + 1, count, value));
      records[band][i] = value;
    }
    at += length + 8;
  }
  if (bytes.size() > at)
    throw Error(path, fmt::format("continues after its 16 records, expected it to end at byte {}", at));
  return records;
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
