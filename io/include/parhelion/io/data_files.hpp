// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_DATA_FILES_HPP
#define PARHELION_IO_DATA_FILES_HPP

#include <string>
#include <vector>

namespace parhelion::io {

/// \brief Finds a data file that is not part of parhelion.
///
/// `explicit_path` is taken when it is not empty, and nothing else. Otherwise the folders of $PARHELION_DATA (separated
/// by colons) are searched in their order, then the data folder of the installation; in each folder the names are
/// looked for directly, then one folder down in alphabetical order.
///
/// \param what          what the file is, for the message: "RRTMG_LW coefficients"
/// \param explicit_path what the user asked for; empty for a search
/// \param names         file names, the preferred one first
/// \param advice        where users get the file, for the message; one line
/// \return path of an existing regular file
/// \throws parhelion::Error that lists where the file was looked for
std::string find_data_file(std::string const& what, std::string const& explicit_path,
                           std::vector<std::string> const& names, std::string const& advice);

}  // namespace parhelion::io

#endif
