// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_DATA_FILES_HPP
#define PARHELION_IO_DATA_FILES_HPP

#include <string>
#include <vector>

namespace parhelion::io {

/// \brief Finds a data file that is not part of parhelion.
///
/// `explicit_path` is taken when it is not empty, and nothing else. Otherwise these folders are searched in their
/// order, in each the names directly, then one folder down in alphabetical order:
///
/// 1. those of $PARHELION_DATA, separated by colons;
/// 2. $XDG_DATA_HOME/parhelion, or ~/.local/share/parhelion where that variable is not set: there scripts/get-data.sh
///    puts what it fetches;
/// 3. share/parhelion of the installation: first of that in which the running program lies, as PREFIX/bin/NAME, then of
///    that of the shared library, if this code is part of one, then of the one that this library was built for.
///
/// \param what          what the file is, for the message: "RRTMG_LW coefficients"
/// \param explicit_path the path that the user gave; empty for a search
/// \param names         file names, the preferred one first
/// \param advice        where users get the file, for the message; one line
/// \return path of an existing regular file
/// \throws parhelion::Error that lists where the file was looked for
std::string find_data_file(std::string const& what, std::string const& explicit_path,
                           std::vector<std::string> const& names, std::string const& advice);

}  // namespace parhelion::io

#endif
