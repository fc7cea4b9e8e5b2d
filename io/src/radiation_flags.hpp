// SPDX-License-Identifier: BSD-3-Clause
// Numbers that a file has for each column, or once for all: RRTMG's flags and scalar arguments.
#ifndef PARHELION_IO_RADIATION_FLAGS_HPP
#define PARHELION_IO_RADIATION_FLAGS_HPP

#include "radiation_fields.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace parhelion::io::Impl {

/// A number for each column: of an attribute of the file, of a scalar variable, or of one (column).
template <class Number>
struct OfColumns {
  std::string name;                 ///< "inflglw" or "attribute inflglw"
  bool of_columns = false;          ///< whether each column has its own
  std::vector<Number> values = {};  ///< of all columns of the file; empty where it has none

  bool there() const { return !values.empty(); }
  std::string at(std::size_t column) const { return of_columns ? fmt::format("{}({})", name, column) : name; }
};

using Flag = OfColumns<int>;        ///< whole numbers
using Setting = OfColumns<double>;  ///< real ones, in the unit of the solver

/// \brief Reads a flag.
/// \param ncol     columns of the file
/// \param valid    tells which numbers there may be; only whole ones may pass
/// \param expected the same in words
/// \throws parhelion::Error naming file, variable or attribute, index and value
Flag read_flag(Hdf5File const& file, std::string const& name, std::size_t ncol, bool (*valid)(double value),
               char const* expected);

/// The same for a real number.
Setting read_setting(Hdf5File const& file, std::string const& name, std::size_t ncol, Quantity const& quantity);

bool is_whole(double value);

/// The flag that turns clouds on and off, and chooses the overlap of clouds of layers.
Flag read_icld(Hdf5File const& file, std::size_t ncol);

/// Whether clouds of all columns are turned off.
bool all_clear(Flag const& icld);

}  // namespace parhelion::io::Impl

#endif
