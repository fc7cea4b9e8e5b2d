// SPDX-License-Identifier: BSD-3-Clause
// The sun of the columns of a file.
#ifndef PARHELION_IO_SHORTWAVE_SUN_HPP
#define PARHELION_IO_SHORTWAVE_SUN_HPP

#include "radiation_fields.hpp"
#include "spectral_arrays.hpp"

#include <parhelion/io/radiation_files.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace parhelion::io::Impl {

/// Checks what a file in the column layout says of the spectrum of the sun.
/// \throws parhelion::Error as read_radiation_input() does
void check_suns(Hdf5File const& file, RadiationOptions const& options, Grid const& grid);

/// Reads the sun of each column of a file in a layout of columns.
/// \throws parhelion::Error as read_radiation_input() does
void read_suns(Hdf5File const& file, RadiationOptions const& options, RadiationInput& input);

/// \brief Sets the sun of each column to total irradiances that a file gives, or to that of the options.
/// \param given         whether a file gives them
/// \param irradiance_of gives that of a column [W m-2]
/// \param where         opens messages
void set_suns_of(RadiationOptions const& options, RadiationInput& input, bool given,
                 std::function<double(std::size_t)> const& irradiance_of, std::string const& where);

}  // namespace parhelion::io::Impl

#endif
