// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_RRTMG_FILES_HPP
#define PARHELION_IO_RRTMG_FILES_HPP

#include <array>
#include <string>
#include <variant>
#include <vector>

namespace parhelion::io {

/// \brief Finds the coefficient file of RRTMG_LW: RRTMG_LW_DATA.DBL, RRTMG_LW_DATA_DBL or RRTMG_LW_DATA.
/// \param explicit_path the path that the user gave; empty for a search in the places of find_data_file
/// \throws parhelion::Error that lists where it was looked for and says where users get it
std::string find_rrtmg_lw_data(std::string const& explicit_path = {});

/// The same of RRTMG_SW: RRTMG_SW_DATA.DBL, RRTMG_SW_DATA_DBL or RRTMG_SW_DATA.
std::string find_rrtmg_sw_data(std::string const& explicit_path = {});

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

/// \brief Reads the coefficient file of RRTMG_SW as distributed with WRF and MPAS-Atmosphere.
///
/// Like that of RRTMG_LW; a record may also hold an integer of 4 bytes in the midst of the reals, which is read past.
///
/// \param path     name of the file
/// \param values   real numbers that the record of each band must hold
/// \param integers how many of these stand before the record's integer; -1: it has none
/// \return the real numbers of each record in file order
/// \throws parhelion::Error as read_rrtmg_lw_data, and when an integer is not the number of a reference pressure, 1 to
///         59
std::array<std::vector<double>, 14> read_rrtmg_sw_data(std::string const& path, std::array<int, 14> const& values,
                                                       std::array<int, 14> const& integers);

/// The records of a coefficient file of RRTMG_LW or of RRTMG_SW.
using RrtmgRecords = std::variant<std::array<std::vector<double>, 16>, std::array<std::vector<double>, 14>>;

/// \brief Reads a coefficient file of RRTMG_LW or of RRTMG_SW; the length of its first record tells which.
///
/// The file is opened once, so that it may be a FIFO.
///
/// \param path               name of the file
/// \param longwave_words     as for read_rrtmg_lw_data
/// \param shortwave_values   as for read_rrtmg_sw_data
/// \param shortwave_integers as for read_rrtmg_sw_data
/// \throws parhelion::Error as these two
RrtmgRecords read_rrtmg_data(std::string const& path, std::array<int, 16> const& longwave_words,
                             std::array<int, 14> const& shortwave_values,
                             std::array<int, 14> const& shortwave_integers);

/// \brief Writes a coefficient file of RRTMG_LW, with reals of 8 bytes (RRTMG_LW_DATA.DBL).
/// \param path    name of the file, replaced at the end if it exists
/// \param records numbers of each record in file order
/// \throws parhelion::Error when the file cannot be written; the old file, if any, is then still there
void write_rrtmg_lw_data(std::string const& path, std::array<std::vector<double>, 16> const& records);

}  // namespace parhelion::io

#endif
