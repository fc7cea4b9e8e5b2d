// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/core/error.hpp>
#include <parhelion/io/array_files.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::io {

namespace {

/// A contiguous row-major array of double precision over memory that has been made for it.
ArrayRef row_major(ConstArrayRef const& like, double* memory) {
  ArrayRef array;
  array.data = memory;
  array.rank = like.rank;
  std::int64_t stride = 1;
  for (int d = like.rank; d-- > 0;) {
    auto const i = static_cast<std::size_t>(d);
    array.extents[i] = like.extents[i];
    array.strides[i] = stride;
    stride *= like.extents[i];
  }
  return array;
}

/// Values in the order of the indices; integers, too.
std::vector<double> values_of(ConstArrayRef const& array) {
  std::vector<double> values(static_cast<std::size_t>(array.size()));
  if (array.type == ValueType::int32) {
    std::vector<int> whole(values.size());
    ArrayRef to = row_major(array, values.data());
    to.data = whole.data();
    to.type = ValueType::int32;
    ArrayCopies copies;
    copies.add(array, to);
    copies.run(Kokkos::DefaultHostExecutionSpace());
    values.assign(whole.begin(), whole.end());
  } else {
    ArrayCopies copies;
    copies.add(array, row_major(array, values.data()));
    copies.run(Kokkos::DefaultHostExecutionSpace());
  }
  return values;
}

}  // namespace

Attributes attributes_of(ArrayDescription const& description) {
  Attributes attributes{{"long_name", std::string(description.meaning)}, {"units", std::string(description.unit)}};
  if (!description.standard_name.empty())
    attributes.emplace_back("standard_name", std::string(description.standard_name));
  return attributes;
}

void add_array(NetcdfWriter& file, ArrayDescription const& description, ConstArrayRef const& array, NetcdfType type,
               Attributes const& more) {
  if (array.empty()) return;
  check_values(
      "add_array",
      {.name = description.name, .unit = description.unit, .meaning = {}, .dimensions = description.dimensions}, array);
  std::vector<std::string> dimensions;
  for (int d = 0; d < array.rank; ++d) {
    auto const i = static_cast<std::size_t>(d);
    // One value for all has no dimension of its own.
    if (array.extents[i] == 1 && description.may_be_one_in(d)) continue;
    dimensions.emplace_back(description.dimensions[i]);
    if (!file.has_dimension(dimensions.back()))
      file.dimension(dimensions.back(), static_cast<std::size_t>(array.extents[i]));
  }
  auto attributes = attributes_of(description);
  attributes.insert(attributes.end(), more.begin(), more.end());
  file.variable(std::string(description.name), dimensions, values_of(array), attributes,
                array.type == ValueType::int32 ? NetcdfType::int32 : type);
}

void read_array(Hdf5File const& file, ArrayDescription const& description, ArrayRef const& array) {
  std::string const name(description.name);
  if (!file.exists(name)) throw Error(file.path(), fmt::format("there is no variable {}", name));
  auto const shape = file.shape(name);
  std::vector<std::size_t> const expected(array.extents.begin(), array.extents.begin() + array.rank);
  if (shape != expected)
    throw Error(file.path(), fmt::format("{} has shape ({}), expected ({})", name, fmt::join(shape, ", "),
                                         fmt::join(expected, ", ")));
  auto const unit = file.text_attribute(name, "units");
  if (unit && *unit != description.unit)
    throw Error(file.path(), fmt::format("{} has the units '{}', expected '{}'", name, *unit, description.unit));
  auto values = file.read(name);
  ConstArrayRef const from = row_major(array, values.data());
  check_values(file.path(), description, from);
  if (array.type == ValueType::int32) throw Error(file.path(), fmt::format("{} is an array of integers", name));
  ArrayCopies copies;
  copies.add(from, array);
  copies.run(Kokkos::DefaultHostExecutionSpace());
}

}  // namespace parhelion::io
