// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/rrtmg_files.hpp>

#include "synthetic_files.hpp"
#include "testing.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace parhelion;
using namespace parhelion::Testing;

namespace {

// A file of the same kind with shorter records, and the real one's.
constexpr std::array<int, 16> small{5, 3, 7, 2, 4, 1, 6, 3, 2, 9, 1, 1, 8, 2, 3, 4};
constexpr std::array<int, 16> real{5664,  5056, 32864, 28608, 31360, 1616, 16544, 6608,
                                   16544, 5056, 5664,  9728,  15520, 5056, 12464, 13504};

// The same of the shortwave, with the numbers of reals before the integer of each record.
constexpr std::array<int, 14> small_shortwave{5, 3, 7, 2, 4, 1, 6, 3, 2, 9, 1, 1, 8, 2};
constexpr std::array<int, 14> small_integers{2, 1, 2, 1, 0, 0, 2, 2, 1, 8, -1, 0, 2, 1};
constexpr std::array<int, 14> real_shortwave{13346, 28466, 13474, 13474, 5057, 28530, 13474,
                                             1281,  13665, 1104,  32,    4833, 28242, 5073};
constexpr std::array<int, 14> real_integers{2, 2, 2, 2, 1, 2, 2, 17, 161, 16, -1, 17, 2, 1};

template <class Integer>
void append_big_endian(std::string& bytes, Integer value) {
  for (int shift = 8 * (static_cast<int>(sizeof value) - 1); shift >= 0; shift -= 8)
    bytes += static_cast<char>((value >> shift) & 0xff);
}

// A number for each place: 1.25, 2.25 and so on, which both precisions hold, some of them negative.
double number(int band, int i) { return (i % 3 == 2 ? -1. : 1.) * (band * 100 + i + 1.25); }

// Records with an integer, 1 to 14, after some of the reals; none where this is -1.
template <class Real, std::size_t n>
std::string with_integers(std::vector<std::vector<double>> const& records, std::array<int, n> const& before) {
  using Integer = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  std::string bytes;
  for (std::size_t band = 0; band < records.size(); ++band) {
    auto const& record = records[band];
    auto const length = static_cast<std::uint32_t>(record.size() * sizeof(Real) + (before[band] < 0 ? 0 : 4));
    append_big_endian(bytes, length);
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (static_cast<int>(i) == before[band]) append_big_endian(bytes, static_cast<std::uint32_t>(band + 1));
      append_big_endian(bytes, std::bit_cast<Integer>(static_cast<Real>(record[i])));
    }
    append_big_endian(bytes, length);
  }
  return bytes;
}

template <class Real>
std::string bytes_of(std::vector<std::vector<double>> const& records) {
  std::array<int, 16> none;
  none.fill(-1);
  return with_integers<Real>(records, none);
}

template <class Real>
std::string shortwave_bytes(std::vector<std::vector<double>> const& records) {
  return with_integers<Real>(records, small_integers);
}

std::vector<std::vector<double>> records_of(auto const& sizes) {
  std::vector<std::vector<double>> result;
  for (int band = 0; band < static_cast<int>(sizes.size()); ++band) {
    result.emplace_back();
    for (int i = 0; i < sizes[static_cast<std::size_t>(band)]; ++i) result.back().push_back(number(band, i));
  }
  return result;
}
std::vector<std::vector<double>> records() { return records_of(small); }
std::vector<std::vector<double>> shortwave_records() { return records_of(small_shortwave); }

// Message of the refusal of a file that holds `bytes`, without the file's name.
std::string refusal_of(std::string const& bytes, auto const& read) {
  auto const path = scratch_folder() + "/coefficients";
  write_bytes(path, bytes);
  auto const message = message_of([&] { read(path); });
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : "(no file name) " + message;
}
std::string refusal(std::string const& bytes) {
  return refusal_of(bytes, [](std::string const& path) { io::read_rrtmg_lw_data(path, small); });
}
std::string shortwave_refusal(std::string const& bytes) {
  return refusal_of(bytes,
                    [](std::string const& path) { io::read_rrtmg_sw_data(path, small_shortwave, small_integers); });
}

void expect_records(std::string const& bytes) {
  auto const path = scratch_folder() + "/coefficients";
  write_bytes(path, bytes);
  auto const read = io::read_rrtmg_lw_data(path, small);
  auto const expected = records();
  for (std::size_t band = 0; band < 16; ++band) EXPECT_EQ(read[band], expected[band]) << "band " << band + 1;
}

std::string const kind =
    ", expected RRTMG_LW coefficients, a big-endian Fortran file that begins with a record of 40 or 20 bytes";
std::string const shortwave_kind =
    ", expected RRTMG_SW coefficients, a big-endian Fortran file that begins with a record of 44 or 24 bytes";

}  // namespace

TEST(RrtmgFiles, DoublePrecision) { expect_records(bytes_of<double>(records())); }
TEST(RrtmgFiles, SinglePrecision) { expect_records(bytes_of<float>(records())); }

TEST(RrtmgFiles, MissingFile) {
  auto const folder = scratch_folder();
  EXPECT_EQ(message_of([&] { io::read_rrtmg_lw_data(folder + "/none", small); }), folder + "/none: no such file");
  EXPECT_EQ(message_of([&] { io::read_rrtmg_lw_data(folder, small); }),
            folder + ": is a folder, expected RRTMG_LW coefficients");
}

TEST(RrtmgFiles, TruncatedAtAnyByte) {
  auto const whole = bytes_of<double>(records());
  for (std::size_t size = 4; size < whole.size(); size += 3) {
    auto const message = refusal(whole.substr(0, size));
    EXPECT_TRUE(has(message, "truncated: the file ends at byte " + std::to_string(size))) << size;
  }
  // The first record is 48 bytes long with its markers, the second 32.
  EXPECT_EQ(refusal(whole.substr(0, 79)),
            "record 2: truncated: the file ends at byte 79, expected the record to end at byte 80");
  EXPECT_EQ(refusal(whole.substr(0, 3)), "holds 3 bytes" + kind);
  EXPECT_EQ(refusal(""), "is empty" + kind);
}

TEST(RrtmgFiles, LongerThanItsRecords) {
  auto const whole = bytes_of<double>(records());
  EXPECT_EQ(refusal(whole + "x"),
            "continues after its 16 records, expected it to end at byte " + std::to_string(whole.size()));
  auto const single_precision = bytes_of<float>(records());
  EXPECT_TRUE(has(refusal(single_precision + "more"), "continues after its 16 records"));
}

TEST(RrtmgFiles, RecordOfAnotherLength) {
  auto changed = records();
  changed[6].push_back(1.);
  EXPECT_EQ(refusal(bytes_of<double>(changed)), "record 7: has 56 bytes, expected 48");
}

TEST(RrtmgFiles, ClosingLengthDiffers) {
  auto bytes = bytes_of<double>(records());
  bytes[47] = 41;  // end of the first record's closing length
  EXPECT_EQ(refusal(bytes), "record 1: damaged: ends with the length 41, expected 40");
}

TEST(RrtmgFiles, NumbersThatAreNotFinite) {
  for (double const bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto changed = records();
    changed[2][4] = bad;
    auto const expected =
        "record 3: number 5 of 7 is " + std::string(std::isnan(bad) ? "nan" : "inf") + ", expected a finite number";
    EXPECT_EQ(refusal(bytes_of<double>(changed)), expected);
    EXPECT_EQ(refusal(bytes_of<float>(changed)), expected);
  }
}

TEST(RrtmgFiles, OtherKinds) {
  std::string shortwave, shortwave_single, little_endian;
  append_big_endian(shortwave, std::uint32_t(106772));
  append_big_endian(shortwave_single, std::uint32_t(53388));
  EXPECT_EQ(refusal(shortwave + "..."), "holds the shortwave coefficients of RRTMG_SW" + kind);
  EXPECT_EQ(refusal(shortwave_single + "..."), "holds the shortwave coefficients of RRTMG_SW" + kind);
  EXPECT_EQ(refusal(std::string("\x28\0\0\0", 4)), "is little-endian" + kind);
  EXPECT_EQ(refusal("CDF\1....."), "is a netCDF-3 file" + kind);
  EXPECT_EQ(refusal("\x89HDF\r\n\x1a\n"), "is an HDF5 or netCDF-4 file" + kind);
  EXPECT_EQ(refusal("This is text."), "begins with the bytes of a record length of 1416128883" + kind);
}

TEST(RrtmgFiles, DistributedFile) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  auto const read = io::read_rrtmg_lw_data(path, real);
  for (std::size_t band = 0; band < 16; ++band) ASSERT_EQ(read[band].size(), static_cast<std::size_t>(real[band]));
  // Planck fractions of the 16 points of each band with one key species add up to 1 in the lower atmosphere, up to the
  // six digits or so with which they were written down.
  for (std::size_t const band : {0, 1, 5, 7, 9, 10, 13}) {
    double sum = 0.;
    for (std::size_t g = 0; g < 16; ++g) sum += read[band][g];
    EXPECT_NEAR(sum, 1., 1e-4) << "band " << band + 1;
  }

  // The same numbers from the single-precision kind of file.
  std::vector<std::vector<double>> const numbers(read.begin(), read.end());
  auto const copy = scratch_folder() + "/RRTMG_LW_DATA";
  write_bytes(copy, bytes_of<float>(numbers));
  EXPECT_EQ(read_bytes(copy).size(), 847552u);
  auto const single_precision = io::read_rrtmg_lw_data(copy, real);
  for (std::size_t band = 0; band < 16; ++band)
    for (std::size_t i = 0; i < read[band].size(); ++i)
      ASSERT_EQ(single_precision[band][i], static_cast<double>(static_cast<float>(read[band][i])));

  auto const cut = scratch_folder() + "/cut";
  write_bytes(cut, read_bytes(path).substr(0, 1000000));
  EXPECT_TRUE(has(message_of([&] { io::read_rrtmg_lw_data(cut, real); }), "truncated"));
}

TEST(RrtmgFiles, DistributedFilesOfTheOtherRange) {
  PARHELION_REQUIRE_DATA(longwave, "rrtmg_lw/RRTMG_LW_DATA.DBL");
  PARHELION_REQUIRE_DATA(shortwave, "rrtmg_lw/RRTMG_SW_DATA.DBL");
  EXPECT_TRUE(has(message_of([&] { io::read_rrtmg_lw_data(shortwave, real); }), "shortwave coefficients of RRTMG_SW"));
  EXPECT_TRUE(has(message_of([&] { io::read_rrtmg_sw_data(longwave, real_shortwave, real_integers); }),
                  "longwave coefficients of RRTMG_LW"));
}

TEST(RrtmgFiles, Shortwave) {
  auto const path = scratch_folder() + "/coefficients";
  for (auto const& bytes :
       {shortwave_bytes<double>(shortwave_records()), shortwave_bytes<float>(shortwave_records())}) {
    write_bytes(path, bytes);
    auto const read = io::read_rrtmg_sw_data(path, small_shortwave, small_integers);
    auto const expected = shortwave_records();
    for (std::size_t band = 0; band < 14; ++band) EXPECT_EQ(read[band], expected[band]) << "record " << band + 1;
  }
}

TEST(RrtmgFiles, DamagedShortwaveFiles) {
  auto const whole = shortwave_bytes<double>(shortwave_records());
  for (std::size_t size = 4; size < whole.size(); size += 3)
    EXPECT_TRUE(
        has(shortwave_refusal(whole.substr(0, size)), "truncated: the file ends at byte " + std::to_string(size)));
  EXPECT_EQ(shortwave_refusal(whole + "x"),
            "continues after its 14 records, expected it to end at byte " + std::to_string(whole.size()));
  EXPECT_EQ(shortwave_refusal(""), "is empty" + shortwave_kind);
  EXPECT_EQ(shortwave_refusal("CDF\1....."), "is a netCDF-3 file" + shortwave_kind);
  EXPECT_EQ(shortwave_refusal(std::string("\x2c\0\0\0", 4)), "is little-endian" + shortwave_kind);
  auto changed = shortwave_records();
  changed[6].push_back(1.);
  EXPECT_EQ(shortwave_refusal(shortwave_bytes<double>(changed)), "record 7: has 60 bytes, expected 52");
  changed = shortwave_records();
  changed[2][4] = std::nan("");
  EXPECT_EQ(shortwave_refusal(shortwave_bytes<float>(changed)),
            "record 3: number 5 of 7 is nan, expected a finite number");
  // The first integer stands after a marker and two reals.
  auto bytes = whole;
  bytes[4 + 16 + 3] = 60;
  EXPECT_EQ(shortwave_refusal(bytes), "record 1: the integer after number 2 is 60, expected 1 to 59");
  bytes[4 + 16 + 3] = 0;
  EXPECT_EQ(shortwave_refusal(bytes), "record 1: the integer after number 2 is 0, expected 1 to 59");
  bytes = whole;
  bytes[4 + 44 + 3] = 45;
  EXPECT_EQ(shortwave_refusal(bytes), "record 1: damaged: ends with the length 45, expected 44");
}

TEST(RrtmgFiles, ShortwaveFilesOfOtherKinds) {
  std::string longwave, longwave_single;
  append_big_endian(longwave, std::uint32_t(5664 * 8));
  append_big_endian(longwave_single, std::uint32_t(5664 * 4));
  EXPECT_EQ(shortwave_refusal(longwave + "..."), "holds the longwave coefficients of RRTMG_LW" + shortwave_kind);
  EXPECT_EQ(shortwave_refusal(longwave_single + "..."), "holds the longwave coefficients of RRTMG_LW" + shortwave_kind);
  auto const folder = scratch_folder();
  EXPECT_EQ(message_of([&] { io::read_rrtmg_sw_data(folder, small_shortwave, small_integers); }),
            folder + ": is a folder, expected RRTMG_SW coefficients");
}

TEST(RrtmgFiles, DistributedShortwaveFile) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/RRTMG_SW_DATA.DBL");
  auto const read = io::read_rrtmg_sw_data(path, real_shortwave, real_integers);
  // Numbers before and after the integer, and the last of all.
  EXPECT_EQ(read[0][0], 2.91e-10);
  EXPECT_EQ(read[0][1], 252.131);
  EXPECT_GT(read[0][2], 1e-6);
  EXPECT_LT(read[0][2], 6);
  EXPECT_EQ(read[7][16], 1.029);
  EXPECT_EQ(read[13].back(), 0.00165573);

  // The same numbers from the single-precision kind of file.
  auto const copy = scratch_folder() + "/RRTMG_SW_DATA";
  write_bytes(copy, with_integers<float>({read.begin(), read.end()}, real_integers));
  EXPECT_EQ(read_bytes(copy).size(), 680368u);
  auto const single_precision = io::read_rrtmg_sw_data(copy, real_shortwave, real_integers);
  for (std::size_t band = 0; band < 14; ++band)
    for (std::size_t i = 0; i < read[band].size(); ++i)
      ASSERT_EQ(single_precision[band][i], static_cast<double>(static_cast<float>(read[band][i])));
}

TEST(RrtmgFiles, ContentTellsTheRange) {
  auto const path = scratch_folder() + "/coefficients";
  auto const read = [&] { return io::read_rrtmg_data(path, small, small_shortwave, small_integers); };
  for (auto const& bytes : {bytes_of<double>(records()), bytes_of<float>(records())}) {
    write_bytes(path, bytes);
    auto const found = read();
    ASSERT_EQ(found.index(), 0u);
    for (std::size_t band = 0; band < 16; ++band) EXPECT_EQ(std::get<0>(found)[band], records()[band]);
  }
  for (auto const& bytes :
       {shortwave_bytes<double>(shortwave_records()), shortwave_bytes<float>(shortwave_records())}) {
    write_bytes(path, bytes);
    auto const found = read();
    ASSERT_EQ(found.index(), 1u);
    for (std::size_t band = 0; band < 14; ++band) EXPECT_EQ(std::get<1>(found)[band], shortwave_records()[band]);
  }
  write_bytes(path, "");
  EXPECT_EQ(message_of(read),
            path +
                ": is empty, expected RRTMG_LW coefficients or RRTMG_SW coefficients, a big-endian Fortran file that "
                "begins with a record of 40, 20, 44 or 24 bytes");
  write_bytes(path, shortwave_bytes<double>(shortwave_records()).substr(0, 50));
  EXPECT_TRUE(has(message_of(read), "record 1: truncated"));
}
