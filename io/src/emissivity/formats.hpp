// SPDX-License-Identifier: BSD-3-Clause
// The layouts of files of emissivity tables, and what they have in common.
#ifndef PARHELION_IO_EMISSIVITY_FORMATS_HPP
#define PARHELION_IO_EMISSIVITY_FORMATS_HPP

#include <parhelion/io/emissivity_files.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parhelion::io {

/// Points beyond these are left out [molecules cm-2].
inline constexpr double largest_column_density = 1e30;

/// Whether a point is kept. NaN is in range here, so that it is refused later and not left out.
inline bool in_range(double column_density, double emissivity) {
  return !(column_density < 0 || column_density > largest_column_density || emissivity < 0 || emissivity > 1);
}

/// The same for numbers as they are stored: the float of the largest column density is above it.
inline bool in_range(float column_density, float emissivity) {
  bool const largest = column_density == static_cast<float>(largest_column_density);
  return in_range(largest ? largest_column_density : column_density, double(emissivity));
}

/// A wavenumber as file names and messages have it, to four decimals.
std::string wavenumber_text(double wavenumber);

std::string text_of(TableLabel const& label);

// A table is made in steps: begin_table, points of a curve, end_curve, ..., end_pressure, ...

inline void begin_table(ega::EmissivityTable& table) {
  table.first_temperature.push_back(0);
  table.first_point.push_back(0);
}

inline void end_curve(ega::EmissivityTable& table) {
  table.first_point.push_back(static_cast<std::int64_t>(table.npoint()));
}

inline void end_pressure(ega::EmissivityTable& table) {
  table.first_temperature.push_back(static_cast<std::int64_t>(table.temperature.size()));
}

/// Reads a table in text.
/// \param left_out grows by the points that are out of range
ega::EmissivityTable read_text_table(std::string const& path, std::vector<char> const& bytes, std::size_t& left_out);

/// A table in text, with comments.
std::string text_of(ega::EmissivityTable const& table, TableLabel const& label, std::string const& note);

/// \brief The binary layout that bytes have.
/// \throws parhelion::Error about the byte at which the layout that fits best stops fitting
TableFormat recognise_binary_table(std::string const& path, std::vector<char> const& bytes);

/// Reads a table in a binary layout, as read_text_table does.
ega::EmissivityTable read_binary_table(std::string const& path, std::vector<char> const& bytes, TableFormat format,
                                       std::size_t& left_out);

/// A table in a binary layout.
std::string bytes_of(ega::EmissivityTable const& table, TableFormat format);

}  // namespace parhelion::io

#endif
