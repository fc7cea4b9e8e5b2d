// SPDX-License-Identifier: BSD-3-Clause
// The conventions of netCDF for packed and missing values, and for text.
#ifndef PARHELION_IO_PLAIN_VALUES_HPP
#define PARHELION_IO_PLAIN_VALUES_HPP

#include <parhelion/core/error.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace parhelion::io {

/// The value that netCDF stores where nothing was written, unless the file names another one.
inline constexpr double netcdf_default_fill = 0x1.ep+122;

/// Refuses a variable whose values are packed.
/// \param file Hdf5File or AnyNetcdf
/// \throws parhelion::Error that opens with `where`
template <class File>
void refuse_packed(File const& file, std::string const& variable, std::string const& where) {
  for (char const* const packing : {"scale_factor", "add_offset"})
    if (file.number_attribute(variable, packing))
      throw Error(where, fmt::format("is packed (attribute {}), expected plain values", packing));
}

/// The values that stand for a missing one: those that the variable names, and netCDF's default.
/// \param file Hdf5File or AnyNetcdf
template <class File>
std::vector<double> fill_values(File const& file, std::string const& variable) {
  std::vector<double> fills{netcdf_default_fill};
  for (char const* const attribute : {"_FillValue", "missing_value"})
    if (auto const values = file.number_attribute(variable, attribute))
      fills.insert(fills.end(), values->begin(), values->end());
  return fills;
}

/// \brief Whether text is UTF-8: no byte out of place, no longer form than needed, no surrogate, nothing beyond
///        U+10FFFF, no zero byte.
bool is_utf8(std::string_view text);

/// \brief Refuses text that is not UTF-8, which files that hold it could not be opened with by many programs.
/// \param where     opens the message: file and variable
/// \param name      of the variable or attribute, with the index of an entry: "column_label(3)"
/// \throws parhelion::Error
void refuse_not_utf8(std::string const& where, std::string const& name, std::string_view text);

/// The text with U+FFFD, the replacement character, for every byte that is not part of valid UTF-8.
std::string valid_utf8(std::string_view text);

/// Whether netCDF takes text as the name of a group or a variable: valid UTF-8 that begins with a letter, a digit, an
/// underscore or a character beyond ASCII, and holds neither slashes nor control characters nor blanks at its end.
bool is_netcdf_name(std::string_view text);

}  // namespace parhelion::io

#endif
