// SPDX-License-Identifier: BSD-3-Clause
#include "aer_netcdf.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netcdf.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

namespace parhelion::Apps {

namespace {

// A netCDF file that is open for reading.
class NetcdfFile {
 public:
  explicit NetcdfFile(std::string const& path) : m_path(path) {
    std::error_code unreadable;
    if (!std::filesystem::exists(path, unreadable)) throw Error(path, "no such file");
    if (std::filesystem::is_directory(path, unreadable)) throw Error(path, "is a folder, expected a netCDF file");
    if (!std::filesystem::is_regular_file(path, unreadable))
      throw Error(path, "is a FIFO or a device, expected a regular file");
    if (int const status = nc_open(path.c_str(), NC_NOWRITE, &m_id); status != NC_NOERR)
      throw Error(path, fmt::format("cannot be opened as a netCDF file: {}", nc_strerror(status)));
  }
  ~NetcdfFile() { nc_close(m_id); }
  NetcdfFile(NetcdfFile const&) = delete;
  NetcdfFile& operator=(NetcdfFile const&) = delete;

  std::vector<double> read(AerBlock const& block) const {
    std::string const where = fmt::format("{}: {}", m_path, block.variable);
    int variable = 0, rank = 0;
    if (nc_inq_varid(m_id, block.variable.c_str(), &variable) != NC_NOERR)
      throw Error(where, "missing, expected AER's file of the coefficients of RRTMG_LW");
    succeeded(where, nc_inq_varndims(m_id, variable, &rank));
    std::vector<int> dimensions(static_cast<std::size_t>(rank));
    succeeded(where, nc_inq_vardimid(m_id, variable, dimensions.data()));
    std::vector<std::size_t> shape;
    for (int const dimension : dimensions) {
      shape.emplace_back();
      succeeded(where, nc_inq_dimlen(m_id, dimension, &shape.back()));
    }
    bool fits = shape.size() == block.start.size();
    std::vector<std::size_t> least;
    for (std::size_t d = 0; d < block.start.size(); ++d) {
      least.push_back(block.start[d] + block.count[d]);
      fits = fits && shape[d] >= least.back();
    }
    if (!fits)
      throw Error(
          where, fmt::format("has shape ({}), expected at least ({})", fmt::join(shape, ", "), fmt::join(least, ", ")));
    nc_type type = NC_NAT;
    succeeded(where, nc_inq_vartype(m_id, variable, &type));
    if (type != NC_FLOAT && type != NC_DOUBLE)
      throw Error(where, "does not hold real numbers, expected floats or doubles");
    std::vector<double> values(
        std::accumulate(block.count.begin(), block.count.end(), std::size_t(1), std::multiplies<>()));
    succeeded(where, nc_get_vara_double(m_id, variable, block.start.data(), block.count.data(), values.data()));
    double fill = 0;
    bool const has_fill = nc_get_att_double(m_id, variable, "_FillValue", &fill) == NC_NOERR;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]) || values[i] == NC_FILL_DOUBLE || (has_fill && values[i] == fill))
        throw Error(where, fmt::format("{}({}) = {}, expected a finite number that is not a missing value",
                                       block.variable, fmt::join(index_of(block, i), ", "), values[i]));
    return values;
  }

 private:
  static std::vector<std::size_t> index_of(AerBlock const& block, std::size_t i) {
    auto index = block.start;
    for (std::size_t d = index.size(); d-- > 0; i /= block.count[d]) index[d] += i % block.count[d];
    return index;
  }

  static void succeeded(std::string const& where, int status) {
    if (status != NC_NOERR) throw Error(where, fmt::format("cannot be read: {}", nc_strerror(status)));
  }

  std::string m_path;
  int m_id = -1;
};

}  // namespace

bool can_read_aer_netcdf() { return true; }

std::array<std::vector<double>, 16> read_aer_netcdf(std::string const& path) {
  NetcdfFile const file(path);
  std::array<std::vector<double>, 16> records;
  auto const blocks = aer_blocks();
  for (std::size_t b = 0; b < records.size(); ++b)
    for (auto const& block : blocks[b]) {
      auto const values = file.read(block);
      records[b].insert(records[b].end(), values.begin(), values.end());
    }
  return records;
}

}  // namespace parhelion::Apps
