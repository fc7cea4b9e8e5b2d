// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_PROVENANCE_HPP
#define PARHELION_IO_PROVENANCE_HPP

#include <parhelion/io/hdf5.hpp>

#include <string>
#include <utility>
#include <vector>

namespace parhelion::io {

/// The attributes of a result file that tell its origin.
struct Provenance {
  std::string title;         ///< CF `title`
  std::string source;        ///< CF `source`: the program, its version, the model
  std::string history;       ///< CF `history`: date and command line
  Attributes others;         ///< any others, such as the coefficients that were used
  std::string license = {};  ///< `license`: that of the input, by which the result may be bound
};

/// \brief Adds what an input says of itself: the lines of its history, after those that are there, and its licence.
/// \param provenance is completed
/// \param path       an HDF5 or netCDF-4 file; any other file says nothing
/// \throws parhelion::Error when the file cannot be read
void carry_on(Provenance& provenance, std::string const& path);

/// The attributes of a file: CF's version, what `provenance` has, and `vertical_order`, where it is not empty, before
/// the others.
Attributes global_attributes(Provenance const& provenance, std::string const& vertical_order);

}  // namespace parhelion::io

#endif
