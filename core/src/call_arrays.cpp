// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/call_arrays.hpp>
#include <parhelion/core/error_kinds.hpp>
#include <parhelion/core/stream.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

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

bool is_shared(Shape const& shape) {
  auto const end = shape.extents.begin() + shape.rank;
  return std::find(shape.extents.begin(), end, 0) == end;
}

namespace {

/// The extents of an array of n items on the device.
Shape device_shape(ArrayDescription const& description, Shape shape, std::string_view item, std::int64_t n,
                   Padding const& padding) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(shape.rank); ++d) {
    if (description.dimensions[d] == item && shape.extents[d] == 0) shape.extents[d] = n;
    for (auto const& [name, more] : padding)
      if (description.dimensions[d] == name) shape.extents[d] += more;
  }
  return shape;
}

/// The order of the dimensions of a View.
MemoryOrder order_of(ViewKind const& kind, int rank) {
  MemoryOrder order = {};
  for (int i = 0; i < rank; ++i) order[static_cast<std::size_t>(i)] = kind.first_is_fastest ? rank - 1 - i : i;
  return order;
}

/// The fastest dimension that has more than one entry, -1: none.
int fastest_of(MemoryOrder const& order, Shape const& shape) {
  for (int i = shape.rank; i-- > 0;) {
    int const d = order[static_cast<std::size_t>(i)];
    if (shape.extents[static_cast<std::size_t>(d)] > 1) return d;
  }
  return -1;
}

/// An order of dimensions, rearranged so that the strides of an array do not grow.
MemoryOrder by_strides(MemoryOrder order, ConstArrayRef const& array) {
  auto const slower = [&](int a, int b) {
    return std::abs(array.strides[static_cast<std::size_t>(a)]) > std::abs(array.strides[static_cast<std::size_t>(b)]);
  };
  // Insertion keeps the order of equal strides and, unlike std::stable_sort, does not allocate.
  auto* const begin = order.data();
  for (auto* one = begin; one != begin + array.rank; ++one)
    std::rotate(std::upper_bound(begin, one, *one, slower), one, one + 1);
  return order;
}

/// The array at an address with its dimensions in an order.
ArrayRef placed(std::byte* memory, ValueType type, Shape const& shape, MemoryOrder const& order) {
  ArrayRef array;
  array.data = memory;
  array.type = type;
  array.rank = shape.rank;
  array.extents = shape.extents;
  std::int64_t stride = 1;
  for (auto i = static_cast<std::size_t>(shape.rank); i-- > 0;) {
    auto const d = static_cast<std::size_t>(order[i]);
    array.strides[d] = stride;
    stride *= shape.extents[d];
  }
  return array;
}

/// \brief Checks an array of a call.
/// \param reserved   shape for which memory was allocated
/// \param dimensions known dimensions; those of the array are added
/// \throws parhelion::Error if no memory was allocated for the array, or its extents disagree
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

/// The number of items of a call.
/// \throws parhelion::Error if there are none, or too many for an int
int items_of_call(std::string_view where, std::string_view item, Dimensions const& dimensions) {
  std::int64_t const n = dimensions[item];
  if (n < 1 || n > std::numeric_limits<int>::max())
    throw ShapeError(where, fmt::format("{} {}s, expected 1 to {}", n, item, std::numeric_limits<int>::max()));
  return static_cast<int>(n);
}

/// The places of arrays of these shapes; those that are shared by all items come first.
void place_arrays(CallArrays const& arrays, std::vector<Shape> const& shapes, std::string_view item, std::int64_t n,
                  Padding const& padding, Places& places) {
  std::size_t const narray = shapes.size();
  places.shapes.resize(narray);
  places.offsets.assign(narray, 0);
  StreamLayout layout;
  for (bool const shared : {true, false}) {
    for (std::size_t i = 0; i < narray; ++i) {
      if (is_shared(shapes[i]) != shared) continue;
      places.shapes[i] = device_shape(arrays.descriptions[i], shapes[i], item, n, padding);
      if (!shapes[i].missing())
        places.offsets[i] = layout.take(places.shapes[i].size() * bytes_of(arrays.kinds[i].type));
    }
    if (shared) places.bytes.shared = layout.bytes();
  }
  places.bytes.all = layout.bytes();
}

}  // namespace

void refuse_number_of_arrays(std::string_view where, std::size_t input, std::size_t expected_input, std::size_t result,
                             std::size_t expected_result) {
  throw Error(where, fmt::format("{} arrays of input and {} of results, expected {} and {}", input, result,
                                 expected_input, expected_result));
}

CallArrays::CallArrays(std::vector<ArrayDescription> descriptions_of_set, std::vector<ViewKind> kinds_of_set,
                       ArrayShapes const& shapes)
    : descriptions(std::move(descriptions_of_set)), kinds(std::move(kinds_of_set)) {
  for (auto const& extents : shapes.extents) {
    Shape shape{.rank = static_cast<int>(extents.size())};
    std::copy(extents.begin(), extents.end(), shape.extents.begin());
    reserved.push_back(shape);
  }
}

std::size_t CallArrays::bytes(std::string_view item, std::int64_t n, Padding const& padding) const {
  Places places;
  place_arrays(*this, reserved, item, n, padding, places);
  return places.bytes.all;
}

void CallArrays::place(std::string_view item, std::int64_t n, Padding const& padding, Places& places) const {
  place_arrays(*this, present, item, n, padding, places);
}

void CallArrays::refer(Places const& places, std::byte* block, std::vector<ArrayRef>& arrays) const {
  arrays.assign(places.shapes.size(), {});
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (!places.shapes[i].missing())
      arrays[i] =
          placed(block + places.offsets[i], kinds[i].type, places.shapes[i], order_of(kinds[i], places.shapes[i].rank));
}

void CallArrays::refer(Places const& places, std::vector<MemoryOrder> const& orders, std::byte* block,
                       std::vector<ArrayRef>& arrays) const {
  arrays.assign(places.shapes.size(), {});
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (!places.shapes[i].missing())
      arrays[i] = placed(block + places.offsets[i], kinds[i].type, places.shapes[i], orders[i]);
}

bool CallArrays::set_order(std::size_t i, ConstArrayRef const& given, Places const& places, MemoryOrder& order) const {
  Shape const& shape = places.shapes[i];
  order = order_of(kinds[i], shape.rank);
  if (given.empty()) return false;
  MemoryOrder const callers = by_strides(order, given);
  if (fastest_of(callers, shape) == fastest_of(order, shape)) return false;
  order = callers;
  return true;
}

ConstArrayRef with_strides(InputArray const& input) {
  ConstArrayRef array = input.array;
  if (input.parts == nullptr) return array;
  auto const parts = static_cast<std::size_t>(input.dimension);
  auto const* const end = input.parts + array.extents[parts];
  auto const* const part = std::find_if(input.parts, end, [](auto const& one) { return !one.empty(); });
  if (part == end) return {};
  std::int64_t largest = 1;
  for (std::size_t d = 0, of_part = 0; d < static_cast<std::size_t>(array.rank); ++d) {
    if (d == parts) continue;
    array.strides[d] = part->strides[of_part++];
    largest = std::max(largest, std::abs(array.strides[d]) * array.extents[d]);
  }
  array.strides[parts] = largest;
  return array;
}

int CallShapes::check(std::vector<InputArray> const& of_input, std::vector<ArrayRef> const& of_result) {
  if (of_input.size() != input.descriptions.size() || of_result.size() != result.descriptions.size())
    refuse_number_of_arrays(where, of_input.size(), input.descriptions.size(), of_result.size(),
                            result.descriptions.size());
  Dimensions known = dimensions;
  auto const set = [&](CallArrays& arrays, std::size_t i, ConstArrayRef const& array) {
    check_array_of_call(where, arrays.descriptions[i], arrays.reserved[i], array, known);
    arrays.present[i] = shape_of_items(arrays.descriptions[i], array, item);
  };
  input.present.resize(of_input.size());
  result.present.resize(of_result.size());
  for (std::size_t i = 0; i < of_input.size(); ++i) set(input, i, of_input[i].array);
  for (std::size_t i = 0; i < of_result.size(); ++i) set(result, i, of_result[i]);
  return items_of_call(where, item, known);
}

}  // namespace Impl

}  // namespace parhelion
