// SPDX-License-Identifier: BSD-3-Clause
#include "plain_values.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cstddef>

namespace parhelion::io {

namespace {

// What netCDF stores where nothing was written, when a file names no other value.
constexpr double netcdf_default_fill = 0x1.ep+122;

}  // namespace

void refuse_packed(Hdf5File const& file, std::string const& variable, std::string const& where) {
  for (char const* const packing : {"scale_factor", "add_offset"})
    if (file.number_attribute(variable, packing))
      throw Error(where, fmt::format("is packed (attribute {}), expected plain values", packing));
}

std::vector<double> fill_values(Hdf5File const& file, std::string const& variable) {
  std::vector<double> fills{netcdf_default_fill};
  for (char const* const attribute : {"_FillValue", "missing_value"})
    if (auto const values = file.number_attribute(variable, attribute))
      fills.insert(fills.end(), values->begin(), values->end());
  return fills;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto const byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    unsigned const first = byte(i);
    if (first == 0) return false;
    std::size_t const more = first < 0x80 ? 0 : first < 0xC2 ? 4 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (more == 4 || first > 0xF4 || text.size() - i <= more) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      // The second byte of some first ones has less freedom: see table 3-7 of the Unicode standard.
      unsigned const lowest = k > 1 ? 0x80 : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      unsigned const highest = k > 1 ? 0xBF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      if (byte(i + k) < lowest || byte(i + k) > highest) return false;
    }
    i += more + 1;
  }
  return true;
}

void refuse_not_utf8(std::string const& where, std::string const& name, std::string_view text) {
  if (is_utf8(text)) return;
  std::string shown;
  for (char const c : text)
    shown += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  throw Error(where, fmt::format("{} = \"{}\", expected text in UTF-8", name, shown));
}

}  // namespace parhelion::io
