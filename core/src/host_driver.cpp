// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/host_driver.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace parhelion {

ArrayShapes ArrayShapes::of(std::vector<ArrayDescription> const& descriptions, std::vector<ConstArrayRef> const& arrays,
                            std::string_view item) {
  ArrayShapes shapes;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    auto const shape = Impl::shape_of_items(descriptions[i], arrays.at(i), item);
    shapes.extents.emplace_back(shape.extents.begin(), shape.extents.begin() + shape.rank);
  }
  return shapes;
}

namespace Impl {

namespace {

/// Whether an array has extents, also where it has no data: a result that is computed and not kept.
bool has_extents(ConstArrayRef const& array) {
  bool all = array.rank > 0;
  for (int d = 0; d < array.rank; ++d) all = all && array.extents[static_cast<std::size_t>(d)] > 0;
  return all;
}

}  // namespace

Shape shape_of_items(ArrayDescription const& description, ConstArrayRef const& array, std::string_view item) {
  if (!has_extents(array)) return {};
  Shape shape{.rank = array.rank, .extents = array.extents};
  int const d = description.position_of(item);
  if (d < 0) return shape;
  auto& items = shape.extents.at(static_cast<std::size_t>(d));
  bool const for_all = items == 1 && description.may_be_one_in(d);
  if (!for_all) items = 0;
  return shape;
}

Shape device_shape(ArrayDescription const& description, Shape shape, std::string_view item, std::int64_t n,
                   Padding const& padding) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(shape.rank); ++d) {
    if (description.dimensions[d] == item && shape.extents[d] == 0) shape.extents[d] = n;
    for (auto const& [name, more] : padding)
      if (description.dimensions[d] == name) shape.extents[d] += more;
  }
  return shape;
}

ArrayRef placed(std::byte* memory, ValueType type, Shape const& shape, bool first_is_fastest) {
  ArrayRef array;
  array.data = memory;
  array.type = type;
  array.rank = shape.rank;
  array.extents = shape.extents;
  std::int64_t stride = 1;
  auto const rank = static_cast<std::size_t>(shape.rank);
  for (std::size_t i = 0; i < rank; ++i) {
    std::size_t const d = first_is_fastest ? i : rank - 1 - i;
    array.strides[d] = stride;
    stride *= shape.extents[d];
  }
  return array;
}

void check_array_of_call(std::string_view where, ArrayDescription const& description, Shape const& reserved,
                         ConstArrayRef const& array, Dimensions& dimensions) {
  check_extents(where, description, array, dimensions);
  if (!has_extents(array)) return;
  if (reserved.missing())
    throw ArgumentError(
        where, fmt::format("{} is given, expected none, because this was made for calls without it", description.name));
  for (std::size_t d = 0; d < static_cast<std::size_t>(reserved.rank); ++d) {
    bool const fits = reserved.extents[d] == 0 || array.extents[d] <= reserved.extents[d];
    if (!fits)
      throw ShapeError(where,
                       fmt::format("{} has {} in the dimension of {}s, expected at most the {} that this was made for",
                                   description.name, array.extents[d], description.dimensions[d], reserved.extents[d]));
  }
}

int items_of_call(std::string_view where, std::string_view item, Dimensions const& dimensions) {
  std::int64_t const n = dimensions[item];
  if (n < 1 || n > std::numeric_limits<int>::max())
    throw ShapeError(where, fmt::format("{} {}s, expected 1 to {}", n, item, std::numeric_limits<int>::max()));
  return static_cast<int>(n);
}

void refuse_number_of_arrays(std::string_view where, std::size_t input, std::size_t expected_input, std::size_t result,
                             std::size_t expected_result) {
  throw Error(where, fmt::format("{} arrays of input and {} of results, expected {} and {}", input, result,
                                 expected_input, expected_result));
}

HostPlan cut_work(std::string_view where, std::string const& space, HostOptions const& options, std::int64_t items,
                  std::size_t bytes_of_item, ChunkLimits const& limits, int devices_here, bool host) {
  if (options.chunk < 0)
    throw ArgumentError(where,
                        fmt::format("chunk = {}, expected at least 1, or 0 for an automatic choice", options.chunk));
  int const devices = devices_to_use(where, space, options.devices, devices_here);
  if (items < 1) throw Error(where, fmt::format("{} items, expected at least 1", items));
  auto const quotient = [](std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); };
  HostPlan plan;
  plan.space = space;
  std::int64_t chunk = options.chunk;
  if (chunk == 0)
    chunk = std::min<std::int64_t>(limits.items, static_cast<std::int64_t>(std::max<std::size_t>(
                                                     1, limits.bytes / std::max<std::size_t>(1, bytes_of_item))));
  chunk = std::min(chunk, items);
  std::int64_t const nchunk = quotient(items, chunk);
  plan.chunk = static_cast<int>(chunk);
  plan.devices = static_cast<int>(std::min<std::int64_t>(devices, nchunk));
  plan.streams = static_cast<int>(std::min<std::int64_t>(host ? 1 : limits.streams, quotient(nchunk, plan.devices)));
  return plan;
}

void refuse_not_finite(std::string_view where, std::string_view item, std::int64_t position) {
  throw NotFiniteError(where, fmt::format("the result of {} {} is not finite", item, position));
}

}  // namespace Impl

}  // namespace parhelion
