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
    std::vector<std::int64_t> extents;
    if (!arrays.at(i).empty()) {
      extents.assign(arrays[i].extents.begin(), arrays[i].extents.begin() + arrays[i].rank);
      int const d = descriptions[i].position_of(item);
      bool const for_all =
          d >= 0 && arrays[i].extents.at(static_cast<std::size_t>(d)) == 1 && descriptions[i].may_be_one_in(d);
      if (d >= 0 && !for_all) extents.at(static_cast<std::size_t>(d)) = 0;
    }
    shapes.extents.push_back(std::move(extents));
  }
  return shapes;
}

namespace Impl {

std::vector<std::int64_t> device_extents(ArrayDescription const& description, std::vector<std::int64_t> const& shape,
                                         std::string_view item, std::int64_t n, Padding const& padding) {
  auto extents = shape;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (description.dimensions[d] == item && extents[d] == 0) extents[d] = n;
    for (auto const& [name, more] : padding)
      if (description.dimensions[d] == name) extents[d] += more;
  }
  return extents;
}

ArrayRef placed(std::byte* memory, ValueType type, std::vector<std::int64_t> const& extents, bool first_is_fastest) {
  ArrayRef array;
  array.data = memory;
  array.type = type;
  array.rank = static_cast<int>(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::size_t const d = first_is_fastest ? i : extents.size() - 1 - i;
    array.extents[d] = extents[d];
    array.strides[d] = stride;
    stride *= extents[d];
  }
  return array;
}

ArrayShapes shapes_of_call(std::string_view where, std::vector<ArrayDescription> const& descriptions,
                           ArrayShapes const& reserved, std::vector<ConstArrayRef> const& arrays, std::string_view item,
                           Dimensions& dimensions) {
  if (arrays.size() != descriptions.size())
    throw Error(where, fmt::format("{} arrays, expected {}", arrays.size(), descriptions.size()));
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    auto const& description = descriptions[i];
    check_extents(where, description, arrays[i], dimensions);
    if (arrays[i].empty()) continue;
    auto const& room = reserved.extents[i];
    if (room.empty())
      throw ArgumentError(where, fmt::format("{} is given, expected none, because this was made for calls without it",
                                             description.name));
    for (std::size_t d = 0; d < room.size(); ++d) {
      bool const fits = room[d] == 0 || arrays[i].extents[d] <= room[d];
      if (!fits)
        throw ShapeError(
            where, fmt::format("{} has {} in the dimension of {}s, expected at most the {} that this was made for",
                               description.name, arrays[i].extents[d], description.dimensions[d], room[d]));
    }
  }
  std::int64_t const n = dimensions[item];
  if (n < 1 || n > std::numeric_limits<int>::max())
    throw ShapeError(where, fmt::format("{} {}s, expected 1 to {}", n, item, std::numeric_limits<int>::max()));
  return ArrayShapes::of(descriptions, arrays, item);
}

HostPlan cut_work(std::string_view where, std::string const& space, HostOptions const& options, std::int64_t items,
                  std::size_t bytes_of_item, ChunkLimits const& limits, int devices_here, bool host) {
  if (options.chunk < 0)
    throw ArgumentError(where,
                        fmt::format("chunk = {}, expected at least 1, or 0 for an automatic choice", options.chunk));
  if (options.devices < 0)
    throw ArgumentError(where, fmt::format("devices = {}, expected at least 1, or 0 for all", options.devices));
  if (options.devices > devices_here)
    throw DeviceError(where, fmt::format("devices = {}, expected at most the {} that {} has here", options.devices,
                                         devices_here, space));
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
  plan.devices = static_cast<int>(std::min<std::int64_t>(options.devices > 0 ? options.devices : devices_here, nchunk));
  plan.streams = static_cast<int>(std::min<std::int64_t>(host ? 1 : limits.streams, quotient(nchunk, plan.devices)));
  return plan;
}

void refuse_not_finite(std::string_view where, std::string_view item, std::int64_t position) {
  throw NotFiniteError(where, fmt::format("the result of {} {} is not finite", item, position));
}

}  // namespace Impl

}  // namespace parhelion
