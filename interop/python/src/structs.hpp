// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_INTEROP_PYTHON_STRUCTS_HPP
#define PARHELION_INTEROP_PYTHON_STRUCTS_HPP

#include <parhelion.h>

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace parhelion::python {

/// A member of a struct of parhelion.h, which a dictionary of Python fills by its name.
struct Member {
  enum class Kind { array, int32, int64, uint32, uint64, real, reals, text, side };

  char const* name;
  Kind kind;
  std::size_t offset;
  std::size_t count;   ///< 0, or how many there are in a C array, for which Python has a sequence
  std::size_t stride;  ///< from one to the next [bytes]
};

template <class T>
constexpr Member::Kind kind_of() {
  if constexpr (std::is_same_v<T, parhelion_array>) return Member::Kind::array;
  if constexpr (std::is_same_v<T, std::int32_t>) return Member::Kind::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Member::Kind::int64;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Member::Kind::uint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Member::Kind::uint64;
  if constexpr (std::is_same_v<T, double>) return Member::Kind::real;
  if constexpr (std::is_same_v<T, double const*>) return Member::Kind::reals;
  if constexpr (std::is_same_v<T, char const*>) return Member::Kind::text;
  if constexpr (std::is_same_v<T, parhelion_side>) return Member::Kind::side;
}

template <class T>
constexpr Member member_of(char const* name, std::size_t offset) {
  using Each = std::remove_extent_t<T>;
  return {name, kind_of<Each>(), offset, std::extent_v<T>, sizeof(Each)};
}

/// The members of a struct of which Python knows; `structs.cpp` has them, in the order of the header.
template <class Struct>
std::span<Member const> members();

/// What a struct points to while it is used.
struct Kept {
  std::deque<std::string> texts;
  std::deque<std::vector<double>> reals;
};

/// \brief Fills members of a struct; the others stay what they are.
/// \param object the struct
/// \param all    its members
/// \param values by name: an Array, a number, a sequence of numbers for a pointer to them, bytes, or a sequence of
///               these for a C array; None: not set
/// \param kept   what pointers point to
/// \throws ValueError for a number that does not fit, TypeError for what is no number
void fill(void* object, std::span<Member const> all, pybind11::dict const& values, Kept& kept);

template <class Struct>
Struct make(pybind11::dict const& values, Kept& kept) {
  Struct made{};
  made.size = sizeof(Struct);
  fill(&made, members<Struct>(), values, kept);
  return made;
}

}  // namespace parhelion::python

#endif
