// SPDX-License-Identifier: BSD-3-Clause
// Described arrays as netCDF variables: names, dimensions, units and range come from their descriptions.
#ifndef PARHELION_IO_ARRAY_FILES_HPP
#define PARHELION_IO_ARRAY_FILES_HPP

#include <parhelion/core/arrays.hpp>
#include <parhelion/io/hdf5.hpp>

#include <vector>

namespace parhelion::io {

/// \brief The attributes of a variable that holds an array: long_name, units and, where CF has one, standard_name.
Attributes attributes_of(ArrayDescription const& description);

/// \brief Adds an array to a file, and those of its dimensions that the file does not have.
/// \param file        to be added to
/// \param description name, dimensions, unit and meaning of the variable
/// \param array       in host memory, of any strides; where it is empty nothing is added
/// \param type        of the values in the file; integers are stored as such
/// \param more        attributes behind those of the description
/// \throws parhelion::Error where a dimension has another size in the file, or a value is not finite
void add_array(NetcdfWriter& file, ArrayDescription const& description, ConstArrayRef const& array,
               NetcdfType type = NetcdfType::float64, Attributes const& more = {});

/// The same for all arrays of a set in host memory.
template <DescribedArrays Set>
void add_arrays(NetcdfWriter& file, Set const& set, NetcdfType type = NetcdfType::float64) {
  Set::for_each_array([&](ArrayDescription const& description,
                          auto const& view) { add_array(file, description, array_ref(view), type); },
                      set);
}

/// \brief Reads an array from a file.
/// \param file        to be read from
/// \param description name, unit and range of the variable
/// \param array       in host memory, of any strides and precision; overwritten
/// \throws parhelion::Error naming file, variable, index and value where it is missing, its shape or unit is another
///         one, or a value is out of the range of the description
void read_array(Hdf5File const& file, ArrayDescription const& description, ArrayRef const& array);

}  // namespace parhelion::io

#endif
