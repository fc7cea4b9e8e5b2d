// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_RRTMG_FILES_HPP
#define PARHELION_IO_RRTMG_FILES_HPP

#include <array>
#include <string>
#include <vector>

namespace parhelion::io {

/// \brief Finds the coefficient file of RRTMG_LW: RRTMG_LW_DATA.DBL, RRTMG_LW_DATA_DBL or RRTMG_LW_DATA.
/// \param explicit_path the path that the user gave; empty for a search in the places of find_data_file
/// \throws parhelion::Error that lists where it was looked for and says where users get it
std::string find_rrtmg_lw_data(std::string const& explicit_path = {});

/// \brief Reads the coefficient file of RRTMG_LW as distributed with WRF and MPAS-Atmosphere.
///
/// The file holds one Fortran sequential record a band, big-endian, of 8-byte reals (RRTMG_LW_DATA.DBL) or 4-byte reals
/// (RRTMG_LW_DATA); the record lengths tell which.
///
/// \param path  name of the file
/// \param words numbers that the record of each band must hold
/// \return the numbers of each record in file order
/// \throws parhelion::Error when the file is missing, truncated, of another kind, longer than its records, or holds a
///         number that is not finite
std::array<std::vector<double>, 16> read_rrtmg_lw_data(std::string const& path, std::array<int, 16> const& words);

/// \brief Writes such a file, with reals of 8 bytes (RRTMG_LW_DATA.DBL).
/// \param path    name of the file, replaced at the end if it exists
/// \param records numbers of each record in file order
/// \throws parhelion::Error when the file cannot be written; the old file, if any, is then still there
void write_rrtmg_lw_data(std::string const& path, std::array<std::vector<double>, 16> const& records);

}  // namespace parhelion::io

#endif
