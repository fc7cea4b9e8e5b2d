// SPDX-License-Identifier: BSD-3-Clause
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

namespace parhelion::io {

namespace {

// What netCDF stores where nothing was written, when a file names no other value.
constexpr double netcdf_default_fill = 0x1.ep+122;

}  // namespace

void refuse_packed(Hdf5File const& file, std::string const& variable, std::string const& where) {
  for (char const* const packing : {"scale_factor", "add_offset"})
    if (file.number_attribute(variable, packing))
      throw Error(where, fmt::format("is packed (attribute {}), expected plain values", packing));
}

std::vector<double> fill_values(Hdf5File const& file, std::string const& variable) {
  std::vector<double> fills{netcdf_default_fill};
  for (char const* const attribute : {"_FillValue", "missing_value"})
    if (auto const values = file.number_attribute(variable, attribute))
      fills.insert(fills.end(), values->begin(), values->end());
  return fills;
}

}  // namespace parhelion::io
