// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_IO_PROVENANCE_HPP
#define PARHELION_IO_PROVENANCE_HPP

#include <parhelion/io/hdf5.hpp>

#include <string>
#include <utility>
#include <vector>

namespace parhelion::io {

/// What the attributes of a result file say about where it comes from.
struct Provenance {
  std::string title;                                         ///< CF `title`
  std::string source;                                        ///< CF `source`: the program, its version, the model
  std::string history;                                       ///< CF `history`: date and command line
  Attributes others;                                         ///< any others, such as the coefficients that were used
  std::vector<std::pair<std::string, double>> numbers = {};  ///< any others that are numbers
};

/// The attributes of a file: CF's version, what `provenance` has, and `vertical_order`, where it is not empty, before
/// the others.
Attributes global_attributes(Provenance const& provenance, std::string const& vertical_order);

}  // namespace parhelion::io

#endif
