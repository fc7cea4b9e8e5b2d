// SPDX-License-Identifier: BSD-3-Clause
// Input that is no ordinary file.
#ifndef PARHELION_IO_INPUT_FILE_HPP
#define PARHELION_IO_INPUT_FILE_HPP

#include <string>
#include <string_view>

namespace parhelion::io {

/// The first bytes of an HDF5 file.
inline constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

/// The kind of file at a path, where it can be read only once and from its beginning: "a FIFO", "a device", "a socket".
/// Empty for a regular file, a folder, and where there is none.
std::string special_kind(std::string const& path);

/// Refuses a FIFO or a device where a file has to be read twice, or from places within it, without opening it: that
/// alone may wait for ever.
/// \throws parhelion::Error about the file
void refuse_special(std::string const& path);

/// Whether a path leads to a regular file that opens with the signature of HDF5.
bool begins_as_hdf5(std::string const& path);

/// Whether bytes open a netCDF-3 file: classic, or with offsets or data of 64 bits.
bool is_netcdf3(std::string_view bytes);

/// Whether a path leads to a regular file that opens as netCDF-3.
bool begins_as_netcdf3(std::string const& path);

}  // namespace parhelion::io

#endif
