// SPDX-License-Identifier: BSD-3-Clause
#include "spectral_arrays.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::io::Impl {

namespace {

// Whether a variable has a shape that only one of the ranges has.
bool has_last(Hdf5File const& file, std::string const& name, Grid const& grid, SpectralSizes const& sizes) {
  auto const shape = file.shape(name);
  return shape.size() == 3 && shape[0] == grid.ncol && shape[1] == grid.nlay &&
         (shape[2] == sizes.nband || shape[2] == sizes.ngpoint);
}

// Whether an array is that of one range and not of the other one.
bool is_longwave(Hdf5File const& file, std::string const& name, Grid const& grid) {
  return has_last(file, name, grid, grid.longwave) && !has_last(file, name, grid, grid.shortwave);
}

bool is_shortwave(Hdf5File const& file, std::string const& name, Grid const& grid) {
  return has_last(file, name, grid, grid.shortwave) && !has_last(file, name, grid, grid.longwave);
}

// The arrays that the longwave has, too, come first.
constexpr std::size_t of_both = 4;

}  // namespace

std::string longwave_name(Hdf5File const& file, std::string const& name, Grid const& grid) {
  return file.exists(name) && !is_shortwave(file, name, grid) ? name : "";
}

std::string shortwave_name(Hdf5File const& file, std::string const& name, Grid const& grid) {
  std::string const prefixed = shortwave_prefix + name;
  bool const plain = file.exists(name);
  if (file.exists(prefixed)) {
    if (plain && is_shortwave(file, name, grid))
      throw Error(fmt::format("{}: {}", file.path(), name),
                  fmt::format("is the shortwave's, and so is {}, expected one of them", prefixed));
    return prefixed;
  }
  return plain && !is_longwave(file, name, grid) ? name : "";
}

std::string first_of_gpoints(Hdf5File const& file, Grid const& grid, bool shortwave) {
  auto const first_array = [&](bool of_shortwave) -> std::string {
    for (std::size_t i = 0; i < (of_shortwave ? gpoint_variables.size() : of_both); ++i) {
      auto const name = of_shortwave ? shortwave_name(file, gpoint_variables[i], grid)
                                     : longwave_name(file, gpoint_variables[i], grid);
      if (!name.empty()) return name;
    }
    return "";
  };
  if (auto const own = first_array(shortwave); !own.empty()) return own;
  if (shortwave)
    for (std::string const size : gpoint_size_variables)
      if (file.exists(shortwave_prefix + size)) return shortwave_prefix + size;
  if (!first_array(!shortwave).empty()) return "";
  for (std::string const size : gpoint_size_variables)
    if (file.exists(size)) return size;
  return "";
}

std::string first_of_layers(Hdf5File const& file) {
  auto const* const found =
      std::find_if(layer_variables.begin(), layer_variables.end(), [&](char const* name) { return file.exists(name); });
  return found == layer_variables.end() ? "" : *found;
}

}  // namespace parhelion::io::Impl
