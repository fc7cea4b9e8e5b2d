// SPDX-License-Identifier: BSD-3-Clause
#include "aer_netcdf.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/io/netcdf.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace parhelion::Apps {

namespace {

constexpr double default_fill_value = 9.9692099683868690e+36;  // of netCDF, where a variable names none

std::vector<std::size_t> index_of(AerBlock const& block, std::size_t i) {
  auto index = block.start;
  for (std::size_t d = index.size(); d-- > 0; i /= block.count[d]) index[d] += i % block.count[d];
  return index;
}

std::vector<double> read(io::NetcdfFile const& file, AerBlock const& block) {
  std::string const where = fmt::format("{}: {}", file.path(), block.variable);
  if (!file.exists(block.variable)) throw Error(where, "missing, expected AER's file of the coefficients of RRTMG_LW");
  auto const shape = file.shape(block.variable);
  bool fits = shape.size() == block.start.size();
  std::vector<std::size_t> least;
  for (std::size_t d = 0; d < block.start.size(); ++d) {
    least.push_back(block.start[d] + block.count[d]);
    fits = fits && shape[d] >= least.back();
  }
  if (!fits)
    throw Error(where,
                fmt::format("has shape ({}), expected at least ({})", fmt::join(shape, ", "), fmt::join(least, ", ")));
  if (!file.holds_reals(block.variable)) throw Error(where, "does not hold real numbers, expected floats or doubles");
  auto values = file.read(block.variable, block.start, block.count);
  auto const named = file.number_attribute(block.variable, "_FillValue");
  auto const fill = named && !named->empty() ? named->front() : default_fill_value;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || values[i] == default_fill_value || values[i] == fill)
      throw Error(where, fmt::format("{}({}) = {}, expected a finite number that is not a missing value",
                                     block.variable, fmt::join(index_of(block, i), ", "), values[i]));
  return values;
}

}  // namespace

std::array<std::vector<double>, 16> read_aer_netcdf(std::string const& path) {
  if (!io::can_read_netcdf())
    throw Error(path,
                "cannot be read, because this build has no netCDF library; expected one with netCDF-C, such as "
                "Debian's libnetcdf-dev, where CMake finds it");
  io::NetcdfFile const file(path);
  std::array<std::vector<double>, 16> records;
  auto const blocks = aer_blocks();
  for (std::size_t b = 0; b < records.size(); ++b)
    for (auto const& block : blocks[b]) {
      auto const values = read(file, block);
      records[b].insert(records[b].end(), values.begin(), values.end());
    }
  return records;
}

}  // namespace parhelion::Apps
