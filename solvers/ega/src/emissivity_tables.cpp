// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/ega/emissivity_tables.hpp>

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace parhelion::ega {

namespace {

// Checks a list of first indices: one more than there are owners, from 0 to `size`, with at least one entry for each
// owner.
void validate_first(std::vector<std::int64_t> const& first, std::size_t owners, std::size_t size,
                    std::string const& where, char const* name) {
  if (first.size() != owners + 1)
    throw Error(where, fmt::format("{} has {} entries, expected {}", name, first.size(), owners + 1));
  if (first.front() != 0) throw Error(where, fmt::format("{}[0] = {}, expected 0", name, first.front()));
  for (std::size_t i = 0; i < owners; ++i)
    if (first[i + 1] <= first[i])
      throw Error(where, fmt::format("{}[{}] = {}, expected more than {}[{}] = {}", name, i + 1, first[i + 1], name, i,
                                     first[i]));
  if (first.back() != static_cast<std::int64_t>(size))
    throw Error(where,
                fmt::format("{}[{}] = {}, expected {}, the number of entries", name, owners, first.back(), size));
}

}  // namespace

void validate(EmissivityTable const& table, std::string const& where) {
  std::size_t const ncurve = table.temperature.size();
  std::size_t const npoint = table.column_density.size();
  if (table.emissivity.size() != npoint)
    throw Error(where, fmt::format("{} emissivities and {} column densities, expected as many of both",
                                   table.emissivity.size(), npoint));
  // An empty table represents a transparent gas; its lists of first indices may be empty, too.
  if (table.empty() && ncurve == 0 && npoint == 0) return;
  validate_first(table.first_temperature, table.pressure_hPa.size(), ncurve, where, "first_temperature");
  validate_first(table.first_point, ncurve, npoint, where, "first_point");

  double last_pressure = 0;
  for (std::size_t p = 0; p < table.pressure_hPa.size(); ++p) {
    double const pressure = table.pressure_hPa[p];
    if (!(pressure > last_pressure && std::isfinite(pressure)))
      throw Error(where,
                  fmt::format("pressure {} = {} hPa, expected a finite one above {} hPa", p, pressure, last_pressure));
    last_pressure = pressure;
    double last_temperature = 0;
    for (auto c = table.first_temperature[p]; c < table.first_temperature[p + 1]; ++c) {
      auto const curve = static_cast<std::size_t>(c);
      double const temperature = table.temperature[curve];
      if (!(temperature > last_temperature && std::isfinite(temperature)))
        throw Error(where, fmt::format("pressure {} ({} hPa), temperature {} = {} K, expected a finite one above {} K",
                                       p, pressure, c - table.first_temperature[p], temperature, last_temperature));
      last_temperature = temperature;
      auto const refuse = [&](std::size_t point, std::string const& problem) {
        throw Error(where, fmt::format("pressure {} ({} hPa), temperature {} ({} K), point {}: {}", p, pressure,
                                       c - table.first_temperature[p], temperature,
                                       point - static_cast<std::size_t>(table.first_point[curve]), problem));
      };
      float last_u = 0, last_emissivity = 0;
      auto const end = static_cast<std::size_t>(table.first_point[curve + 1]);
      for (auto i = static_cast<std::size_t>(table.first_point[curve]); i < end; ++i) {
        float const u = table.column_density[i], emissivity = table.emissivity[i];
        if (!(u > last_u && std::isfinite(u)))
          refuse(i, fmt::format("column density = {:.7g}, expected a finite one above {:.7g}", u, last_u));
        if (!(emissivity > last_emissivity && emissivity <= 1))
          refuse(i, fmt::format("emissivity = {}, expected above {}, at most 1", emissivity, last_emissivity));
        last_u = u;
        last_emissivity = emissivity;
      }
    }
  }
}

}  // namespace parhelion::ega
