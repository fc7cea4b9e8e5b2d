// SPDX-License-Identifier: BSD-3-Clause
// Numbers of files of coefficients, which are used as they stand.
#ifndef PARHELION_IO_COEFFICIENT_VALUES_HPP
#define PARHELION_IO_COEFFICIENT_VALUES_HPP

#include "plain_values.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::io {

/// \brief Whether two texts mean the same units: "m2/g", "m^2 g^-1" and "m2 g-1" do, and so do "microns" and "um".
///
/// Texts are products of powers. Prefixes and multiples are not converted: "hPa" is another unit than "Pa".
bool same_units(std::string_view a, std::string_view b);

/// \brief Refuses a variable whose attribute `units` says that it has others. One without the attribute is taken.
/// \param expected units; empty: any
template <class File>
void expect_units(File const& file, std::string const& variable, std::string_view expected) {
  if (expected.empty()) return;
  if (auto const found = file.text_attribute(variable, "units"); found && !same_units(*found, expected))
    throw Error(fmt::format("{}: {}", file.path(), variable),
                fmt::format("has the units '{}', expected '{}'", *found, expected));
}

/// \brief The values of a numeric variable in row-major order, of which none is packed or missing.
/// \param file     Hdf5File or AnyNetcdf
/// \param variable its name
/// \param units    see expect_units()
/// \throws parhelion::Error that names file, variable and index
template <class File>
std::vector<double> read_coefficients(File const& file, std::string const& variable, std::string_view units = {}) {
  std::string const where = fmt::format("{}: {}", file.path(), variable);
  if (!file.exists(variable)) throw Error(where, "missing");
  refuse_packed(file, variable, where);
  expect_units(file, variable, units);
  auto values = file.read(variable);
  for (double const fill : fill_values(file, variable))
    if (auto const found = std::find(values.begin(), values.end(), fill); found != values.end())
      parhelion::Impl::refuse_value(file.path(), variable, file.shape(variable),
                                    static_cast<std::size_t>(found - values.begin()), fill, "",
                                    "a number that does not stand for a missing one");
  return values;
}

}  // namespace parhelion::io

#endif
