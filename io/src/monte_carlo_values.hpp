// SPDX-License-Identifier: BSD-3-Clause
// How readers of Monte Carlo's files read a dataset: its shape, its unit, and the conventions of netCDF.
#ifndef PARHELION_IO_MONTE_CARLO_VALUES_HPP
#define PARHELION_IO_MONTE_CARLO_VALUES_HPP

#include <parhelion/io/hdf5.hpp>

#include <string>
#include <vector>

namespace parhelion::io {

/// The units of a quantity, in any of the spellings that files have; the first one is for messages.
using Units = std::vector<std::string>;

inline Units const units_m{"m", "metre", "metres", "meter", "meters"};
inline Units const units_kelvin{"K", "kelvin", "Kelvin"};
inline Units const units_pascal{"Pa", "pascal", "Pascal"};
inline Units const units_one{"1", "", "mol mol-1", "mol/mol", "mol mol^-1"};
inline Units const units_per_cm{"cm-1", "cm^-1", "1/cm"};
inline Units const units_per_m{"m-1", "m^-1", "1/m"};

/// The shape that a dataset must have, and the names of its dimensions for messages.
struct ExpectedShape {
  char const* names;
  std::vector<std::size_t> extents;
};

/// \throws parhelion::Error where a dataset is missing or of another shape
void expect_shape(Hdf5File const& file, std::string const& name, ExpectedShape const& shape);

/// \brief All values of a dataset of a known shape.
/// \throws parhelion::Error where it is missing, of another shape, in another unit, packed, not of numbers, or where a
///         value is not finite or stands for a missing one
std::vector<double> read_values(Hdf5File const& file, std::string const& name, ExpectedShape const& shape,
                                Units const& units);

/// \brief All values of a dataset of one dimension and any length but 0.
/// \param dimension its name for messages
std::vector<double> read_list(Hdf5File const& file, std::string const& name, char const* dimension, Units const& units);

}  // namespace parhelion::io

#endif
