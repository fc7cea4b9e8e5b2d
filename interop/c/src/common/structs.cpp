// SPDX-License-Identifier: BSD-3-Clause
#include "structs.hpp"

#include <fmt/format.h>

#include <limits>

namespace parhelion::C {

void copy_struct(char const* where, char const* what, void const* given, void* copy, std::size_t known) {
  if (given == nullptr) throw ArgumentError(where, fmt::format("{} is NULL, expected a struct", what));
  constexpr std::size_t largest_growth = 4096;
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  // Structs end at a multiple of their alignment, so that a pointer is there as a whole or not at all.
  if (size < sizeof(size) || size > known + largest_growth || size % alignof(std::size_t) != 0)
    throw ArgumentError(where, fmt::format("{}.size = {}, expected its size, such as {}", what, size, known));
  std::memcpy(copy, given, std::min(size, known));
  std::memcpy(copy, &known, sizeof(known));
  auto const* const bytes = static_cast<unsigned char const*>(given);
  for (std::size_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      throw ArgumentError(where, fmt::format("{}.size = {}, but this version of parhelion knows {} bytes, and byte {} "
                                             "is not 0: the header is newer than the library",
                                             what, size, known, i));
}

int choice(char const* where, char const* name, std::int64_t value, std::int64_t lowest, std::int64_t highest) {
  if (value < lowest || value > highest)
    throw ArgumentError(where, fmt::format("{} = {}, expected {} to {}", name, value, lowest, highest));
  return static_cast<int>(value);
}

Precision precision_of(char const* where, std::int32_t value) {
  return choice(where, "precision", value, PARHELION_FLOAT64, PARHELION_FLOAT32) == PARHELION_FLOAT64
             ? Precision::float64
             : Precision::float32;
}

OutOfRange out_of_range_of(char const* where, std::int32_t value) {
  switch (choice(where, "out_of_range", value, PARHELION_OUT_OF_RANGE_REFUSE, PARHELION_OUT_OF_RANGE_EXTRAPOLATE)) {
    case PARHELION_OUT_OF_RANGE_CLIP:
      return OutOfRange::clip;
    case PARHELION_OUT_OF_RANGE_EXTRAPOLATE:
      return OutOfRange::extrapolate;
    default:
      return OutOfRange::refuse;
  }
}

int chunk_of(char const* where, std::int64_t value) {
  return choice(where, "chunk", value, 0, std::numeric_limits<int>::max());
}

int devices_of(char const* where, std::int32_t value) {
  int const n = choice(where, "devices", value, -1, std::numeric_limits<int>::max());
  return n == 0 ? 1 : std::max(n, 0);
}

}  // namespace parhelion::C
