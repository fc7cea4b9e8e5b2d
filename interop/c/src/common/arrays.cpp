// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace parhelion::C {

namespace {

constexpr int max_rank = 4;

/// The strides in the order of their size are each at least as long as all that the smaller ones reach.
bool entries_are_apart(ArrayRef const& array) {
  struct Loop {
    std::int64_t stride, steps;
  };
  std::array<Loop, max_rank> loops = {};  // by ascending stride
  std::size_t n = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank); ++d) {
    if (array.extents[d] <= 1) continue;
    Loop const loop{std::abs(array.strides[d]), array.extents[d] - 1};
    std::size_t at = n++;
    for (; at > 0 && loops[at - 1].stride > loop.stride; --at) loops[at] = loops[at - 1];
    loops[at] = loop;
  }
  std::int64_t reach = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (loops[i].stride <= reach) return false;
    reach += loops[i].stride * loops[i].steps;
  }
  return true;
}

}  // namespace

ArrayRef CallArrays::convert(std::string_view name, parhelion_array const& array, Entries entries) {
  ArrayRef ref;
  auto const rank = static_cast<std::size_t>(array.rank);
  if (array.data == nullptr) {
    bool some = array.rank >= 1 && array.rank <= max_rank;
    for (std::size_t d = 0; some && d < rank; ++d) some = array.extent[d] > 0;
    if (some)
      throw ArgumentError(m_where, fmt::format("{}.data is NULL, but its shape is ({})", name,
                                               fmt::join(array.extent, array.extent + rank, ", ")));
    return ref;
  }
  if (array.rank < 1 || array.rank > max_rank)
    throw ShapeError(m_where, fmt::format("{}.rank = {}, expected 1 to {}", name, array.rank, max_rank));
  switch (array.type) {
    case PARHELION_FLOAT64:
      ref.type = ValueType::float64;
      break;
    case PARHELION_FLOAT32:
      ref.type = ValueType::float32;
      break;
    case PARHELION_INT32:
      ref.type = ValueType::int32;
      break;
    default:
      throw ShapeError(m_where, fmt::format("{}.type = {}, expected PARHELION_FLOAT64 (0), PARHELION_FLOAT32 (1) or "
                                            "PARHELION_INT32 (2)",
                                            name, array.type));
  }
  if ((ref.type == ValueType::int32) != (entries == Entries::integer))
    throw ShapeError(m_where,
                     fmt::format("{}.type = {}, expected {}", name, array.type,
                                 entries == Entries::integer ? "PARHELION_INT32 (2)"
                                                             : "PARHELION_FLOAT64 (0) or PARHELION_FLOAT32 (1)"));
  if (array.where != PARHELION_HOST && array.where != PARHELION_DEVICE)
    throw ArgumentError(
        m_where, fmt::format("{}.where = {}, expected PARHELION_HOST (0) or PARHELION_DEVICE (1)", name, array.where));
  ref.rank = array.rank;
  auto const size = static_cast<std::int64_t>(bytes_of(ref.type));
  std::int64_t reach = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    std::int64_t const extent = array.extent[d];
    if (extent < 1 || extent > std::numeric_limits<int>::max())
      throw ShapeError(m_where, fmt::format("{}.extent[{}] = {}, expected 1 to {}; an absent array has data = NULL",
                                            name, d, extent, std::numeric_limits<int>::max()));
    ref.extents[d] = extent;
    ref.strides[d] = array.stride[d];
    std::int64_t span = 0;
    bool const fits = array.stride[d] != std::numeric_limits<std::int64_t>::min() &&
                      !__builtin_mul_overflow(std::max<std::int64_t>(extent - 1, 0),
                                              array.stride[d] < 0 ? -array.stride[d] : array.stride[d], &span) &&
                      !__builtin_mul_overflow(span, size, &span) && !__builtin_add_overflow(reach, span, &reach);
    if (!fits || reach > std::numeric_limits<std::int64_t>::max() / 4)
      throw ShapeError(m_where, fmt::format("{}.stride[{}] = {} is larger than any memory", name, d, array.stride[d]));
  }
  if (reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::uintptr_t>(size) != 0)
    throw ArgumentError(m_where, fmt::format("{}.data is not aligned to the {} bytes of its entries", name, size));
  ref.data = array.data;

  // The place.
  auto const place = array.where == PARHELION_DEVICE ? std::optional<int>(array.device) : std::nullopt;
  auto const in_words = [](std::optional<int> which) {
    return which ? fmt::format("device {}", *which) : std::string("the host");
  };
  if (place && !m_device_allowed)
    throw DeviceError(m_where, fmt::format("{} is on device {}, expected arrays on the host", name, *place));
  if (m_first.empty()) {
    m_first = name;
    m_device = place;
  } else if (place != m_device) {
    throw DeviceError(m_where, fmt::format("{} is on {}, expected {}, where {} is", name, in_words(place),
                                           in_words(m_device), m_first));
  }
  return ref;
}

void CallArrays::refuse_absent(std::string_view name) const {
  throw ArgumentError(m_where, fmt::format("{} is absent, expected an array", name));
}

void CallArrays::refuse_overlap(std::string_view name, ArrayRef const& array, bool written) {
  if (array.data == nullptr) return;
  auto const size = static_cast<std::int64_t>(bytes_of(array.type));
  Memory here{.written = written};
  std::copy_n(name.begin(), std::min(name.size(), here.name.size() - 1), here.name.begin());
  here.origin = here.begin = here.end = reinterpret_cast<std::uintptr_t>(array.data);
  std::int64_t entries = 1;
  std::int64_t reach = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank); ++d) {
    std::int64_t const step = (array.extents[d] - 1) * array.strides[d];
    (step < 0 ? here.begin : here.end) += static_cast<std::uintptr_t>(step * size);
    reach += std::abs(step);
    entries *= array.extents[d];
  }
  here.end += static_cast<std::uintptr_t>(size);
  here.without_gaps = reach <= entries;
  for (std::size_t i = 0; i < m_n; ++i) {
    Memory const& other = m_memory[i];
    if (!written && !other.written) continue;
    bool const meet = here.begin < other.end && other.begin < here.end;
    if (here.origin == other.origin || (meet && here.without_gaps && other.without_gaps))
      throw ArgumentError(m_where, fmt::format("{} and {} share memory, expected results in memory of their own",
                                               other.name.data(), name));
  }
  m_memory.at(m_n++) = here;
}

ConstArrayRef CallArrays::input(std::string_view name, parhelion_array const& array, Entries entries) {
  ArrayRef const ref = convert(name, array, entries);
  refuse_overlap(name, ref, false);
  return ref;
}

ConstArrayRef CallArrays::required_input(std::string_view name, parhelion_array const& array, Entries entries) {
  ConstArrayRef const ref = input(name, array, entries);
  if (ref.data == nullptr) refuse_absent(name);
  return ref;
}

ArrayRef CallArrays::output(std::string_view name, parhelion_array const& array, Entries entries) {
  ArrayRef const ref = convert(name, array, entries);
  if (ref.data != nullptr && !entries_are_apart(ref))
    throw ShapeError(m_where,
                     fmt::format("{} has the strides ({}) for the shape {}, so that entries lie on each other", name,
                                 fmt::join(array.stride, array.stride + array.rank, ", "), shape_text(ref)));
  refuse_overlap(name, ref, true);
  return ref;
}

ArrayRef CallArrays::required_output(std::string_view name, parhelion_array const& array, Entries entries) {
  ArrayRef const ref = output(name, array, entries);
  if (ref.data == nullptr) refuse_absent(name);
  return ref;
}

ConstArrayRef spread(ConstArrayRef array, std::int64_t n) {
  if (array.rank > 0 && array.extents[0] == 1) {
    array.extents[0] = n;
    array.strides[0] = 0;
  }
  return array;
}

std::string shape_text(ConstArrayRef const& array) {
  return fmt::format("({})", fmt::join(array.extents.begin(), array.extents.begin() + array.rank, ", "));
}

}  // namespace parhelion::C
