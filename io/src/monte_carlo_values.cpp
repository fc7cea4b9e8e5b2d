// SPDX-License-Identifier: BSD-3-Clause
#include "monte_carlo_values.hpp"

#include "plain_values.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace parhelion::io {

namespace {

std::string where(Hdf5File const& file, std::string const& name) { return fmt::format("{}: {}", file.path(), name); }

void expect_unit(Hdf5File const& file, std::string const& name, Units const& units) {
  auto const found = file.text_attribute(name, "units");
  if (found && std::find(units.begin(), units.end(), *found) == units.end())
    throw Error(where(file, name), fmt::format("units are '{}', expected {}", *found, units.front()));
}

// Numbers of a dataset that is there and has this shape.
std::vector<double> plain_values(Hdf5File const& file, std::string const& name, std::vector<std::size_t> const& extents,
                                 Units const& units) {
  expect_unit(file, name, units);
  refuse_packed(file, name, where(file, name));
  auto const fills = fill_values(file, name);
  auto values = file.read(name);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || std::find(fills.begin(), fills.end(), values[i]) != fills.end())
      Impl::refuse_value(file.path(), name, extents, i, values[i], units.front() == "1" ? "" : units.front(),
                         "a finite number that is not a missing value");
  return values;
}

}  // namespace

void expect_shape(Hdf5File const& file, std::string const& name, ExpectedShape const& shape) {
  if (!file.exists(name)) throw Error(where(file, name), "missing");
  if (auto const found = file.shape(name); found != shape.extents)
    throw Error(where(file, name), fmt::format("has shape ({}), expected {} = ({})", fmt::join(found, ", "),
                                               shape.names, fmt::join(shape.extents, ", ")));
}

std::vector<double> read_values(Hdf5File const& file, std::string const& name, ExpectedShape const& shape,
                                Units const& units) {
  expect_shape(file, name, shape);
  return plain_values(file, name, shape.extents, units);
}

std::vector<double> read_list(Hdf5File const& file, std::string const& name, char const* dimension,
                              Units const& units) {
  if (!file.exists(name)) throw Error(where(file, name), "missing");
  auto const found = file.shape(name);
  if (found.size() != 1 || found.front() == 0)
    throw Error(where(file, name),
                fmt::format("has shape ({}), expected ({}), at least 1", fmt::join(found, ", "), dimension));
  return plain_values(file, name, found, units);
}

}  // namespace parhelion::io
