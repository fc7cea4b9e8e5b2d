// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic/parts.hpp"
#include "jurassic/text.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

namespace parhelion::io {

namespace {

// The columns of an atmosphere file.
struct AtmosphereColumns {
  std::size_t gases, windows, cloud_nodes, surface_nodes;

  static constexpr std::size_t first_gas = 6;
  std::size_t first_window() const { return first_gas + gases; }
  std::size_t cloud() const { return first_window() + windows; }
  std::size_t surface() const { return cloud() + (cloud_nodes > 0 ? 2 + cloud_nodes : 0); }
  std::size_t count() const { return surface() + (surface_nodes > 0 ? 3 + surface_nodes : 0); }

  std::string text() const {
    auto columns =
        fmt::format("{} (6 of time, place, pressure and temperature, {} gases, {} windows", count(), gases, windows);
    if (cloud_nodes > 0) columns += fmt::format(", {} of the cloud", 2 + cloud_nodes);
    if (surface_nodes > 0) columns += fmt::format(", {} of the surface", 3 + surface_nodes);
    return columns + ")";
  }
};

// Refuses what cannot be in an atmosphere, on a line.
void check_level(TextReader const& reader, std::span<double const> row, AtmosphereColumns const& columns,
                 JurassicControl const& control) {
  reader.expect(true, "time", row[0], "s", "a finite number");
  reader.expect(true, "altitude", row[1], "km", "a finite altitude");
  reader.expect(true, "longitude", row[2], "degree", "a finite longitude");
  reader.expect(true, "latitude", row[3], "degree", "a finite latitude");
  reader.expect(row[4] > 0, "pressure", row[4], "hPa", "a positive finite pressure");
  reader.expect(row[5] > 0, "temperature", row[5], "K", "a positive finite temperature");
  for (std::size_t i = 0; i < columns.gases; ++i) {
    double const q = row[columns.first_gas + i];
    // Its range is for the model to check, which has an option to accept values outside 0 to 1.
    reader.expect(true, control.gases[i], q, "", "a finite mole fraction");
  }
  for (std::size_t i = 0; i < columns.windows; ++i) {
    double const k = row[columns.first_window() + i];
    reader.expect(k >= 0, fmt::format("extinction of window {}", i), k, "km-1", "a finite extinction of at least 0");
  }
}

void read_cloud(TextReader const& reader, std::span<double const> row, AtmosphereColumns const& columns,
                ega::HostAtmosphere& atmosphere) {
  auto const* const values = row.data() + columns.cloud();
  reader.expect(true, "height of the cloud", values[0], "km", "a finite altitude");
  reader.expect(true, "depth of the cloud", values[1], "km", "a finite length");
  for (std::size_t i = 0; i < columns.cloud_nodes; ++i)
    reader.expect(values[2 + i] >= 0, fmt::format("extinction {} of the cloud", i), values[2 + i], "km-1",
                  "a finite extinction of at least 0");
  if (!(values[1] > 0)) return;
  atmosphere.cloud_height = HostArray<double*>("parhelion::io::cloud", 1);
  atmosphere.cloud_depth = HostArray<double*>("parhelion::io::cloud", 1);
  atmosphere.cloud_extinction = HostArray<double**>("parhelion::io::cloud", 1, columns.cloud_nodes);
  atmosphere.cloud_height(0) = values[0] * metres_per_km;
  atmosphere.cloud_depth(0) = values[1] * metres_per_km;
  for (std::size_t i = 0; i < columns.cloud_nodes; ++i) atmosphere.cloud_extinction(0, i) = from_per_km(values[2 + i]);
}

void read_surface(TextReader const& reader, std::span<double const> row, AtmosphereColumns const& columns,
                  ega::HostAtmosphere& atmosphere) {
  auto const* const values = row.data() + columns.surface();
  reader.expect(true, "altitude of the surface", values[0], "km", "a finite altitude");
  reader.expect(true, "pressure of the surface", values[1], "hPa", "a finite pressure, 0 for none");
  reader.expect(true, "temperature of the surface", values[2], "K", "a finite temperature, 0 for that of the air");
  for (std::size_t i = 0; i < columns.surface_nodes; ++i)
    reader.expect(values[3 + i] >= 0 && values[3 + i] <= 1, fmt::format("emissivity {} of the surface", i),
                  values[3 + i], "", "an emissivity from 0 to 1");
  for (auto* array : {&atmosphere.surface_altitude, &atmosphere.surface_pressure, &atmosphere.surface_temperature})
    *array = HostArray<double*>("parhelion::io::surface", 1);
  atmosphere.surface_emissivity = HostArray<double**>("parhelion::io::surface", 1, columns.surface_nodes);
  atmosphere.surface_altitude(0) = values[0] * metres_per_km;
  atmosphere.surface_pressure(0) = values[1] * pascals_per_hPa;
  atmosphere.surface_temperature(0) = values[2];
  for (std::size_t i = 0; i < columns.surface_nodes; ++i) atmosphere.surface_emissivity(0, i) = values[3 + i];
}

}  // namespace

ega::HostAtmosphere read_jurassic_atmosphere(std::string const& path, JurassicControl const& control) {
  AtmosphereColumns const columns{control.gases.size(), size_of(control.nwindow),
                                  control.channels.cloud_wavenumber.size(), control.channels.surface_wavenumber.size()};
  auto const expected = columns.text();
  TextReader reader(path);
  std::vector<double> values;  // the columns of all levels but those of cloud and surface
  ega::HostAtmosphere parts;
  std::size_t const kept = columns.cloud();
  while (reader.next()) {
    auto const row = reader.numbers(columns.count(), expected);
    check_level(reader, row, columns, control);
    if (values.empty()) {
      if (columns.cloud_nodes > 0) read_cloud(reader, row, columns, parts);
      if (columns.surface_nodes > 0) read_surface(reader, row, columns, parts);
    } else if (double const below = values[values.size() - kept + 1]; !(row[1] > below)) {
      reader.fail(fmt::format("altitude = {} km, expected more than {} km of the level before: one profile, upwards",
                              row[1], below));
    }
    values.insert(values.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(kept));
  }
  std::size_t const nlev = values.size() / kept;
  if (nlev < 2) reader.fail_file(fmt::format("holds {} levels, expected at least 2", nlev));

  auto atmosphere = ega::make_atmosphere(1, static_cast<int>(nlev), control.gases, control.nwindow);
  atmosphere.name = path;
  atmosphere.cloud_height = parts.cloud_height;
  atmosphere.cloud_depth = parts.cloud_depth;
  atmosphere.cloud_extinction = parts.cloud_extinction;
  atmosphere.surface_altitude = parts.surface_altitude;
  atmosphere.surface_pressure = parts.surface_pressure;
  atmosphere.surface_temperature = parts.surface_temperature;
  atmosphere.surface_emissivity = parts.surface_emissivity;
  for (std::size_t k = 0; k < nlev; ++k) {
    auto const* const row = values.data() + k * kept;
    atmosphere.time(0, k) = row[0];
    atmosphere.altitude(0, k) = row[1] * metres_per_km;
    atmosphere.longitude(0, k) = row[2];
    atmosphere.latitude(0, k) = row[3];
    atmosphere.pressure(0, k) = row[4] * pascals_per_hPa;
    atmosphere.temperature(0, k) = row[5];
    for (std::size_t i = 0; i < columns.gases; ++i) atmosphere.mole_fraction(0, i, k) = row[columns.first_gas + i];
    for (std::size_t i = 0; i < columns.windows; ++i)
      atmosphere.extinction(0, i, k) = from_per_km(row[columns.first_window() + i]);
  }
  ega::validate(atmosphere, path);
  return atmosphere;
}

void write_jurassic_atmosphere(std::string const& path, ega::HostAtmosphere const& atmosphere, int digits) {
  check_digits("write_jurassic_atmosphere", digits);
  if (atmosphere.nprofile() != 1)
    throw Error("write_jurassic_atmosphere",
                fmt::format("atmosphere has {} profiles, expected 1", atmosphere.nprofile()));
  ega::validate(atmosphere, "write_jurassic_atmosphere: atmosphere");
  std::size_t const ngas = atmosphere.mole_fraction.extent(1);
  std::size_t const nwindow = atmosphere.extinction.extent(1);
  std::size_t const ncloud = atmosphere.cloud_extinction.extent(1);
  std::size_t const nsurface = atmosphere.surface_emissivity.extent(1);

  TextWriter file(path);
  int n = 0;
  auto const column = [&](std::string const& what) { file.print("# ${} = {}\n", ++n, what); };
  for (auto const* const what : {"time (seconds since 2000-01-01T00:00Z)", "altitude [km]", "longitude [deg]",
                                 "latitude [deg]", "pressure [hPa]", "temperature [K]"})
    column(what);
  for (std::size_t i = 0; i < ngas; ++i) column(atmosphere.gases[i] + " volume mixing ratio [ppv]");
  for (std::size_t i = 0; i < nwindow; ++i) column(fmt::format("extinction (window {}) [km^-1]", i));
  if (atmosphere.has_cloud()) {
    column("cloud layer height [km]");
    column("cloud layer depth [km]");
    for (std::size_t i = 0; i < ncloud; ++i) column(fmt::format("cloud layer extinction (node {}) [km^-1]", i));
  }
  if (atmosphere.has_surface()) {
    column("surface layer height [km]");
    column("surface layer pressure [hPa]");
    column("surface layer temperature [K]");
    for (std::size_t i = 0; i < nsurface; ++i) column(fmt::format("surface layer emissivity (node {})", i));
  }
  for (std::size_t k = 0; k < atmosphere.altitude.extent(1); ++k) {
    if (k == 0 || atmosphere.time(0, k) != atmosphere.time(0, k - 1)) file.print("\n");
    file.print("{:.2f}", atmosphere.time(0, k));
    file.number(atmosphere.altitude(0, k) / metres_per_km, digits);
    file.number(atmosphere.longitude(0, k), digits);
    file.number(atmosphere.latitude(0, k), digits);
    file.number(atmosphere.pressure(0, k) / pascals_per_hPa, digits);
    file.number(atmosphere.temperature(0, k), digits);
    for (std::size_t i = 0; i < ngas; ++i) file.number(atmosphere.mole_fraction(0, i, k), digits);
    for (std::size_t i = 0; i < nwindow; ++i) file.number(to_per_km(atmosphere.extinction(0, i, k)), digits);
    if (atmosphere.has_cloud()) {
      file.number(atmosphere.cloud_height(0) / metres_per_km, digits);
      file.number(atmosphere.cloud_depth(0) / metres_per_km, digits);
      for (std::size_t i = 0; i < ncloud; ++i) file.number(to_per_km(atmosphere.cloud_extinction(0, i)), digits);
    }
    if (atmosphere.has_surface()) {
      file.number(atmosphere.surface_altitude(0) / metres_per_km, digits);
      file.number(atmosphere.surface_pressure(0) / pascals_per_hPa, digits);
      file.number(atmosphere.surface_temperature(0), digits);
      for (std::size_t i = 0; i < nsurface; ++i) file.number(atmosphere.surface_emissivity(0, i), digits);
    }
    file.print("\n");
  }
  file.commit();
}

}  // namespace parhelion::io
