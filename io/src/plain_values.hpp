// SPDX-License-Identifier: BSD-3-Clause
// The conventions of netCDF by which a number in a file is not what it seems.
#ifndef PARHELION_IO_PLAIN_VALUES_HPP
#define PARHELION_IO_PLAIN_VALUES_HPP

#include <parhelion/io/hdf5.hpp>

#include <string>
#include <vector>

namespace parhelion::io {

/// Refuses a variable whose values are packed.
/// \throws parhelion::Error that opens with `where`
void refuse_packed(Hdf5File const& file, std::string const& variable, std::string const& where);

/// The values that stand for a missing one: those that the variable names, and netCDF's default.
std::vector<double> fill_values(Hdf5File const& file, std::string const& variable);

}  // namespace parhelion::io

#endif
