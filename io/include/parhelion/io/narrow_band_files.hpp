// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_NARROW_BAND_FILES_HPP
#define PARHELION_IO_NARROW_BAND_FILES_HPP

#include <parhelion/monte_carlo/narrow_band.hpp>

#include <string>

namespace parhelion::io {

/// \brief Reads and checks a table of narrow bands with correlated k from an HDF5 or netCDF-4 file.
///
/// The file holds band_left, band_right, band_centre, band_width [cm-1] (band), temperature [K] (T), g and w (g), and k
/// [m-1] (band, T, g) of the pure gas, or of the mixture, at 101325 Pa. Its title, or else its name, becomes the name
/// of the table. What else is there is not read.
///
/// \throws parhelion::Error naming file, dataset, index, what was found and what was expected where a dataset is
///         missing, of the wrong shape or in another unit, where a width is not that between the limits, and where
///         monte_carlo::validate refuses
monte_carlo::NarrowBandTable read_narrow_band(std::string const& path);

}  // namespace parhelion::io

#endif
