// SPDX-License-Identifier: BSD-3-Clause
// AER's netCDF file of RRTMG_LW's coefficients, in the layout that its public reader expects.
#ifndef PARHELION_APPS_AER_NETCDF_HPP
#define PARHELION_APPS_AER_NETCDF_HPP

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::Apps {

/// Where an array of a record of RRTMG_LW_DATA lies in the netCDF file: a block of a variable. Both have the values in
/// the same order.
struct AerBlock {
  std::string variable;
  std::vector<std::size_t> start;  ///< the slowest dimension first, as netCDF's C interface has it
  std::vector<std::size_t> count;
};

/// The blocks of each band, in the order of the arrays in its record.
std::array<std::vector<AerBlock>, 16> aer_blocks();

/// \brief Reads the same numbers from AER's netCDF file, rrtmg_lw.nc, in netCDF-3 or netCDF-4.
/// \param path name of the file
/// \return the numbers of each record of RRTMG_LW_DATA in file order
/// \throws parhelion::Error without the netCDF library, when the file is missing or no netCDF file, and naming the
///         variable when one is missing, has other dimensions, or holds a number that is not finite
std::array<std::vector<double>, 16> read_aer_netcdf(std::string const& path);

}  // namespace parhelion::Apps

#endif
