// SPDX-License-Identifier: BSD-3-Clause
// Structs of callers, whose headers may be older or newer than this library, and the options in them.
#ifndef PARHELION_C_STRUCTS_HPP
#define PARHELION_C_STRUCTS_HPP

#include "errors.hpp"

#include <parhelion/core/types.hpp>
#include <parhelion/core/validity.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace parhelion::C {

/// \brief Copies bytes of a struct that begins with its size, as many as both sides know; the others become 0.
/// \throws ArgumentError where it is null, its size is impossible, or what is beyond `known` is not 0
void copy_struct(char const* where, char const* what, void const* given, void* copy, std::size_t known);

/// A struct of the caller. Members that its header does not have are 0.
template <class Struct>
Struct read_struct(char const* where, char const* what, Struct const* given) {
  static_assert(std::is_trivially_copyable_v<Struct>);
  Struct copy{};
  copy_struct(where, what, given, &copy, sizeof(Struct));
  return copy;
}

/// An option whose values are numbered.
/// \throws ArgumentError unless lowest <= value <= highest
int choice(char const* where, char const* name, std::int64_t value, std::int64_t lowest, std::int64_t highest);

/// PARHELION_FLOAT64 or _FLOAT32.
Precision precision_of(char const* where, std::int32_t value);

/// PARHELION_OUT_OF_RANGE_...
OutOfRange out_of_range_of(char const* where, std::int32_t value);

/// Items of a chunk, 0: automatic.
int chunk_of(char const* where, std::int64_t value);

/// Number of devices as HostOptions has it: 0 for all.
int devices_of(char const* where, std::int32_t value);

/// A text of the caller, empty where it is null.
inline char const* text_of(char const* given) { return given != nullptr ? given : ""; }

}  // namespace parhelion::C

#endif
