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

template <class Integer>
void append_big_endian(std::string& bytes, Integer value) {
  for (int shift = 8 * (static_cast<int>(sizeof value) - 1); shift >= 0; shift -= 8)
    bytes += static_cast<char>((value >> shift) & 0xff);
}

// A number for each place: 1.25, 2.25 and so on, which both precisions hold, some of them negative.
double number(int band, int i) { return (i % 3 == 2 ? -1. : 1.) * (band * 100 + i + 1.25); }

template <class Real>
std::string bytes_of(std::vector<std::vector<double>> const& records) {
  using Integer = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  std::string bytes;
  for (auto const& record : records) {
    append_big_endian(bytes, static_cast<std::uint32_t>(record.size() * sizeof(Real)));
    for (double const value : record) append_big_endian(bytes, std::bit_cast<Integer>(static_cast<Real>(value)));
    append_big_endian(bytes, static_cast<std::uint32_t>(record.size() * sizeof(Real)));
  }
  return bytes;
}

std::vector<std::vector<double>> records() {
  std::vector<std::vector<double>> result;
  for (int band = 0; band < 16; ++band) {
    result.emplace_back();
    for (int i = 0; i < small[static_cast<std::size_t>(band)]; ++i) result.back().push_back(number(band, i));
  }
  return result;
}

// Message of the refusal of a file that holds `bytes`, without the file's name.
std::string refusal(std::string const& bytes) {
  auto const path = scratch_folder() + "/coefficients";
  write_bytes(path, bytes);
  auto const message = message_of([&] { io::read_rrtmg_lw_data(path, small); });
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : "(no file name) " + message;
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

TEST(RrtmgFiles, DistributedShortwaveFile) {
  PARHELION_REQUIRE_DATA(path, "rrtmg_lw/RRTMG_SW_DATA.DBL");
  EXPECT_TRUE(has(message_of([&] { io::read_rrtmg_lw_data(path, real); }), "shortwave coefficients of RRTMG_SW"));
}
