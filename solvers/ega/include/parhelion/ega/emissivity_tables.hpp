// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_EGA_EMISSIVITY_TABLES_HPP
#define PARHELION_EGA_EMISSIVITY_TABLES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace parhelion::ega {

/// \brief Emissivities of one gas in one channel: at each pressure, for each of several temperatures, a curve of
///        emissivity over column density.
///
/// The temperatures at pressure p have the indices first_temperature[p] .. first_temperature[p + 1] - 1; each has the
/// curve with the same index. The points of curve c have the indices first_point[c] .. first_point[c + 1] - 1.
struct EmissivityTable {
  std::vector<double> pressure_hPa;             ///< ascending (np)
  std::vector<std::int64_t> first_temperature;  ///< (np + 1)
  std::vector<double> temperature;              ///< [K], ascending at each pressure (curve)
  std::vector<std::int64_t> first_point;        ///< (curve + 1)
  std::vector<float> column_density;            ///< [molecules cm-2], strictly ascending along a curve, > 0
  std::vector<float> emissivity;                ///< [1], strictly ascending along a curve, in (0, 1]

  int npressure() const { return static_cast<int>(pressure_hPa.size()); }
  int ncurve() const { return static_cast<int>(temperature.size()); }
  std::size_t npoint() const { return column_density.size(); }
  bool empty() const { return pressure_hPa.empty(); }
};

/// A table with fewer pressures counts as missing, as in JURASSIC.
inline constexpr int min_pressures = 30;

/// \brief Checks a table: extents, at least one temperature for each pressure and one point for each curve, ascending,
///        finite and positive pressures, temperatures and column densities, ascending emissivities in (0, 1].
/// \param table not empty
/// \param where begins the message, such as the name of a file
/// \throws parhelion::Error naming pressure, temperature and point, what was found and what was expected
void validate(EmissivityTable const& table, std::string const& where);

}  // namespace parhelion::ega

#endif
