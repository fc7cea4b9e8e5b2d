// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_MONTE_CARLO_FILES_HPP
#define PARHELION_IO_MONTE_CARLO_FILES_HPP

#include <parhelion/io/file_sharing.hpp>
#include <parhelion/io/hdf5.hpp>
#include <parhelion/io/provenance.hpp>
#include <parhelion/monte_carlo/problem.hpp>
#include <parhelion/monte_carlo/results.hpp>

#include <string>

// HDF5 or netCDF-4 files of radiation in a box of gas. A problem is
//
//   x, y, z         coordinates of the faces of cells [m], one more than cells, strictly ascending
//   temperature     of cells [K], (x, y, z)
//   mole_fraction   of the absorbing gas in cells [1], (x, y, z); 1 where it is missing
//   pressure        [Pa], a number or an attribute of the file; 101325 where it is missing
//   boundaries/     with the groups x_low, x_high, y_low, y_high, z_low, z_high, each with the attribute `type`,
//                   "periodic" or "wall", and of a wall
//     emissivity    an attribute; 1 where it is missing
//     temperature   [K], an attribute, or a dataset over the faces: (y, z), (x, z) or (x, y)
//
// Attributes `units` may be left out; where they are there they have to be those above.
namespace parhelion::io {

/// \brief Reads and checks a problem. What the file holds beside the above is not read, such as results.
/// \param path         file to read
/// \param spectrum     of its gas, which is not in the file
/// \param out_of_range what the check is to do, see monte_carlo::validate
/// \throws parhelion::Error naming file, dataset, group or attribute, index, what was found and what was expected where
///         something is missing, of the wrong shape or in another unit, a type or a group in `boundaries` is unknown,
///         something is given twice, a periodic side has an emissivity or a temperature, and where
///         monte_carlo::validate refuses
monte_carlo::Problem read_monte_carlo_problem(std::string const& path, monte_carlo::Spectrum const& spectrum = {},
                                              OutOfRange out_of_range = OutOfRange::refuse);

/// \brief Writes a problem as a netCDF-4 file that read_monte_carlo_problem reads back to the same numbers.
///
/// Cells have dimensions of their own, x_centre, y_centre and z_centre, whose coordinates are the centres. The name of
/// the spectrum becomes the attribute `spectrum` of the file, the type of the file is double.
/// \param path       name of the file, replaced at the end if it exists
/// \param problem    gas and walls
/// \param provenance attributes of the file
/// \throws parhelion::Error where monte_carlo::validate refuses or the file cannot be written; the old file, if any, is
///         then still there
void write_monte_carlo_problem(std::string const& path, monte_carlo::Problem const& problem,
                               Provenance const& provenance = {});

/// \brief Writes results and the problem that they are of as a netCDF-4 file, which can be read as a problem.
///
/// q_radiative, q_radiative_error [W m-3] and incident_radiation [W m-2] over cells, q_radiative_plane_error_x, _y and
/// _z over planes and q_radiative_box_error [W m-3], and in the groups wall_flux and wall_flux_error a variable for
/// each wall, such as x_low (y_centre, z_centre) [W m-2]: the net flux along the axis, positive towards its upper end.
/// Results that are empty are left out.
/// \param path       name of the file, replaced at the end if it exists
/// \param problem    that the results belong to
/// \param results    of the same grid
/// \param provenance attributes of the file; `others` may hold rays, seed and so on
/// \param type       type of the results in the file
/// \param sharing    processes that have the same problem and results and write this file together, collectively, each
///                   its part of the cells along x; nullptr: this process alone
/// \throws parhelion::Error where monte_carlo::validate refuses problem or results or the file cannot be written; the
///         old file, if any, is then still there
void write_monte_carlo_results(std::string const& path, monte_carlo::Problem const& problem,
                               monte_carlo::HostResults const& results, Provenance const& provenance = {},
                               NetcdfType type = NetcdfType::float64, FileSharing const* sharing = nullptr);

}  // namespace parhelion::io

#endif
