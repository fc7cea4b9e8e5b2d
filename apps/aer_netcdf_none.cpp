// SPDX-License-Identifier: BSD-3-Clause
// A build without the netCDF library.
#include "aer_netcdf.hpp"

#include <parhelion/core/error.hpp>

namespace parhelion::Apps {

bool can_read_aer_netcdf() { return false; }

std::array<std::vector<double>, 16> read_aer_netcdf(std::string const& path) {
  throw Error(path,
              "cannot be read, because this build has no netCDF library; expected one with netCDF-C, such as "
              "Debian's libnetcdf-dev, where CMake finds it");
}

}  // namespace parhelion::Apps
