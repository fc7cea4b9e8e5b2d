// SPDX-License-Identifier: BSD-3-Clause
// Clouds of a file in the column layout as the longwave has them, and what RRTMG_LW's flags in it ask for.
#ifndef PARHELION_IO_RADIATION_CLOUDS_HPP
#define PARHELION_IO_RADIATION_CLOUDS_HPP

#include "spectral_arrays.hpp"

#include <parhelion/io/radiation_files.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace parhelion::io::Impl {

/// Attributes of the file, or variables: scalar, or (column).
inline constexpr std::array flag_variables{"icld", "idrv", "inflglw", "iceflglw", "liqflglw"};

/// \brief Refuses options that ask for something of clouds where a file cannot have any.
/// \param why ends the message: "an RFMIP file has no clouds"
/// \throws parhelion::Error that opens with `path`
void refuse_cloud_options(std::string const& path, CloudOptions const& options, std::string const& why);

/// \brief Checks the shapes of the variables of clouds that will be read, and reads nothing but flags.
/// \return how many values they have a layer
/// \throws parhelion::Error as read_radiation_input() does
std::size_t check_clouds(Hdf5File const& file, Grid const& grid);

/// \brief Reads clouds and flags into an input whose columns and vertical order are there.
/// \throws parhelion::Error as read_radiation_input() does
/// \param all     what is read
/// \param options those of clouds, which may differ from all.clouds
void read_clouds(Hdf5File const& file, RadiationOptions const& all, CloudOptions const& options, RadiationInput& input);

}  // namespace parhelion::io::Impl

#endif
