// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/array_files.hpp>
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic_text.hpp"
#include "observation_variables.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/io/hdf5.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>
#include <string_view>

namespace parhelion::io {

namespace {

constexpr double metres_per_km = 1e3;
constexpr double pascals_per_hPa = 1e2;

double from_per_km(double value) { return value / metres_per_km; }
double to_per_km(double value) { return value * metres_per_km; }

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

void check_digits(char const* function, int digits) {
  if (digits < 1 || digits > all_digits)
    throw Error(function, fmt::format("digits = {}, expected 1 to {}", digits, all_digits));
}

}  // namespace

// --- atmospheres -------------------------------------------------------------------------------------------------

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
    // Whether it is one of a gas is for the model to say, which may be asked to take others, too.
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

// --- observations and radiances ----------------------------------------------------------------------------------

namespace {

constexpr std::array observation_columns{"time (seconds since 2000-01-01T00:00Z)",
                                         "observer altitude [km]",
                                         "observer longitude [deg]",
                                         "observer latitude [deg]",
                                         "view point altitude [km]",
                                         "view point longitude [deg]",
                                         "view point latitude [deg]",
                                         "tangent point altitude [km]",
                                         "tangent point longitude [deg]",
                                         "tangent point latitude [deg]"};

// Time, observer and view point.
constexpr std::size_t position_columns = 7;

bool is_masked(ega::HostObservation const& observation, std::size_t ray, std::size_t channel) {
  return observation.masked.size() > 0 && observation.masked(ray, channel);
}

// Refuses rays whose arrays do not agree. `nchannel` is the number of channels of the masks.
void check_rays(char const* function, ega::HostObservation const& observation, std::size_t nchannel) {
  check_extents(function, observation, {{dimension::ray, observation.nray()}});
  if (observation.masked.size() > 0)
    expect_shape(function, observation.masked, "masked", {size_of(observation.nray()), nchannel});
}

void check_spectra(char const* function, ega::HostObservation const& observation, ega::HostSpectra const& spectra,
                   std::size_t nchannel) {
  check_rays(function, observation, nchannel);
  Dimensions dimensions{{dimension::ray, observation.nray()},
                        {dimension::channel, static_cast<std::int64_t>(nchannel)}};
  ega::HostSpectra::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        // Files do not have it.
        if (description.name != "npoint") check_extents(function, description, array_ref(view), dimensions);
      },
      spectra);
}

using HostPlaces = ega::Places<Kokkos::DefaultHostExecutionSpace, double>;

void print_place(TextWriter& file, HostPlaces const& places, std::size_t i, int digits) {
  file.number(places.altitude(i) / metres_per_km, digits);
  file.number(places.longitude(i), digits);
  file.number(places.latitude(i), digits);
}

}  // namespace

ega::HostObservation read_jurassic_observation(std::string const& path, JurassicControl const& control,
                                               double lowest_observer, HostArray<double**>* measured) {
  std::size_t const nchannel = control.channels.wavenumber.size();
  std::size_t const columns = observation_columns.size() + 2 * nchannel;
  auto const expected = fmt::format(
      "{} (time, 3 of each of observer, view point and tangent point, and {} radiances "
      "and transmittances of ND = {} channels)",
      columns, 2 * nchannel, nchannel);
  TextReader reader(path);
  std::vector<double> values;     // position_columns of each ray
  std::vector<double> radiances;  // of each ray, where they are wanted
  std::vector<char> masked;
  bool any_masked = false;
  while (reader.next()) {
    auto const row = reader.numbers(columns, expected);
    reader.expect(true, "time", row[0], "s", "a finite number");
    for (std::size_t i = 1; i < position_columns; ++i)
      if (!std::isfinite(row[i])) reader.expect(false, observation_columns[i], row[i], "", "a finite number");
    for (std::size_t const i : {std::size_t(3), std::size_t(6)})
      reader.expect(std::abs(row[i]) <= 90, observation_columns[i], row[i], "", "a latitude from -90 to 90");
    if (row[1] * metres_per_km < lowest_observer)
      reader.fail(fmt::format("observer altitude = {} km, expected no lower than the ground at {} km", row[1],
                              lowest_observer / metres_per_km));
    if (std::equal(row.begin() + 1, row.begin() + 4, row.begin() + 4))
      reader.fail(fmt::format("view point = observer = ({}), expected another place",
                              fmt::join(row.begin() + 1, row.begin() + 4, ", ")));
    for (std::size_t i = 0; i < nchannel; ++i) {
      double const radiance = row[observation_columns.size() + i];
      if (std::isinf(radiance))
        reader.fail(
            fmt::format("radiance of channel {} = {}, expected a number, or nan where it is masked", i, radiance));
      if (measured != nullptr) radiances.push_back(radiance);
      masked.push_back(std::isnan(radiance) ? 1 : 0);
      any_masked = any_masked || std::isnan(radiance);
    }
    values.insert(values.end(), row.begin(), row.begin() + position_columns);
  }
  std::size_t const nray = values.size() / position_columns;
  if (nray == 0) reader.fail_file("holds no rays, expected one a line");
  if (nray > size_of(std::numeric_limits<int>::max())) reader.fail_file("holds more rays than can be counted");

  auto observation = ega::make_observation(static_cast<int>(nray));
  observation.name = path;
  for (std::size_t r = 0; r < nray; ++r) {
    auto const* const row = values.data() + r * position_columns;
    observation.time(r) = row[0];
    auto const set_place = [&](HostPlaces const& places, double const* from) {
      places.altitude(r) = from[0] * metres_per_km;
      places.longitude(r) = from[1];
      places.latitude(r) = from[2];
    };
    set_place(observation.observer, row + 1);
    set_place(observation.view_point, row + 4);
  }
  if (any_masked) {
    observation.masked = HostArray<bool**>("parhelion::io::masked", nray, nchannel);
    for (std::size_t r = 0; r < nray; ++r)
      for (std::size_t i = 0; i < nchannel; ++i) observation.masked(r, i) = masked[r * nchannel + i] != 0;
  }
  ega::validate(observation, 1, path);
  if (measured != nullptr) {
    *measured = HostArray<double**>("parhelion::io::measured", nray, nchannel);
    std::copy(radiances.begin(), radiances.end(), measured->data());
  }
  return observation;
}

void write_jurassic_radiances(std::string const& path, ega::HostObservation const& observation,
                              ega::HostSpectra const& spectra, JurassicControl const& control, int digits) {
  check_digits("write_jurassic_radiances", digits);
  auto const& wavenumber = control.channels.wavenumber;
  check_spectra("write_jurassic_radiances", observation, spectra, wavenumber.size());

  TextWriter file(path);
  int n = 0;
  for (auto const* const what : observation_columns) file.print("# ${} = {}\n", ++n, what);
  for (double const nu : wavenumber) {
    if (control.options.brightness_temperature)
      file.print("# ${} = brightness temperature ({:.4f} cm^-1) [K]\n", ++n, nu);
    else
      file.print("# ${} = radiance ({:.4f} cm^-1) [W/(m^2 sr cm^-1)]\n", ++n, nu);
  }
  for (double const nu : wavenumber) file.print("# ${} = transmittance ({:.4f} cm^-1) [-]\n", ++n, nu);
  for (std::size_t r = 0; r < spectra.radiance.extent(0); ++r) {
    if (r == 0 || observation.time(r) != observation.time(r - 1)) file.print("\n");
    file.print("{:.2f}", observation.time(r));
    print_place(file, observation.observer, r, digits);
    print_place(file, observation.view_point, r, digits);
    print_place(file, spectra.tangent, r, digits);
    for (std::size_t i = 0; i < wavenumber.size(); ++i) file.number(spectra.radiance(r, i), digits);
    for (std::size_t i = 0; i < wavenumber.size(); ++i) file.number(spectra.transmittance(r, i), digits);
    file.print("\n");
  }
  file.commit();
}

// --- Jacobians ---------------------------------------------------------------------------------------------------

namespace {

std::string name_of(ega::Element const& element, JurassicControl const& control) {
  switch (element.quantity) {
    case ega::Quantity::pressure:
      return "PRESSURE";
    case ega::Quantity::temperature:
      return "TEMPERATURE";
    case ega::Quantity::mole_fraction:
      return control.gases.at(size_of(element.which));
    case ega::Quantity::extinction:
      return fmt::format("EXTINCT_WINDOW_{}", element.which);
  }
  return {};
}

// The unit of the element in SI over that in the file: what a derivative is multiplied with.
double derivative_factor(ega::Quantity quantity) {
  switch (quantity) {
    case ega::Quantity::pressure:
      return pascals_per_hPa;
    case ega::Quantity::extinction:
      return from_per_km(1);
    default:
      return 1;
  }
}

}  // namespace

void write_kernel(std::string const& path, ega::HostObservation const& observation,
                  ega::HostAtmosphere const& atmosphere, ega::HostJacobian const& jacobian,
                  JurassicControl const& control, int digits) {
  check_digits("write_kernel", digits);
  auto const& wavenumber = control.channels.wavenumber;
  auto const nray = size_of(observation.nray());
  auto const& elements = jacobian.elements;
  check_rays("write_kernel", observation, wavenumber.size());
  expect_shape("write_kernel", jacobian.derivative, "jacobian.derivative", {nray, wavenumber.size(), elements.size()});
  for (std::size_t j = 0; j < elements.size(); ++j) {
    auto const& [quantity, which, level] = elements[j];
    int const most = quantity == ega::Quantity::mole_fraction ? static_cast<int>(control.gases.size())
                     : quantity == ega::Quantity::extinction  ? control.nwindow
                                                              : 1;
    if (level < 0 || level >= atmosphere.nlev() || which < 0 || which >= most)
      throw Error("write_kernel", fmt::format("element {} is number {} at level {}, expected below {} and below {}", j,
                                              which, level, most, atmosphere.nlev()));
  }

  TextWriter file(path);
  int n = 0;
  for (auto const* const what :
       {"Row: index (measurement space)", "Row: channel wavenumber [cm^-1]",
        "Row: time (seconds since 2000-01-01T00:00Z)", "Row: view point altitude [km]",
        "Row: view point longitude [deg]", "Row: view point latitude [deg]", "Col: index (state space)",
        "Col: name of quantity", "Col: time (seconds since 2000-01-01T00:00Z)", "Col: altitude [km]",
        "Col: longitude [deg]", "Col: latitude [deg]", "Matrix element"})
    file.print("# ${} = {}\n", ++n, what);
  file.print("\n");
  std::size_t row = 0;
  for (std::size_t r = 0; r < nray; ++r)
    for (std::size_t i = 0; i < wavenumber.size(); ++i) {
      if (is_masked(observation, r, i)) continue;
      for (std::size_t j = 0; j < elements.size(); ++j) {
        auto const k = size_of(elements[j].level);
        file.print("{} {:.4f} {:.2f}", row, wavenumber[i], observation.time(r));
        print_place(file, observation.view_point, r, digits);
        file.print(" {} {} {:.2f}", j, name_of(elements[j], control), atmosphere.time(0, k));
        file.number(atmosphere.altitude(0, k) / metres_per_km, digits);
        file.number(atmosphere.longitude(0, k), digits);
        file.number(atmosphere.latitude(0, k), digits);
        file.number(jacobian.derivative(r, i, j) * derivative_factor(elements[j].quantity), digits);
        file.print("\n");
      }
      if (!elements.empty()) file.print("\n");
      ++row;
    }
  file.commit();
}

// --- lines of sight ----------------------------------------------------------------------------------------------

namespace {

void print_line_of_sight_header(TextWriter& file, ega::HostLineOfSight const& los, JurassicControl const& control,
                                std::string const& observation_path, int digits) {
  auto const& gases = control.gases;
  file.print("# ray {} of {}\n# tangent point (z lon lat):", los.ray, observation_path);
  file.number(los.tangent.altitude / metres_per_km, digits);
  file.number(los.tangent.longitude, digits);
  file.number(los.tangent.latitude, digits);
  file.print("\n# np = {}  surface temperature =", los.npoint());
  file.number(los.surface_temperature, digits);
  file.print("\n# columns:");
  int n = 0;
  auto const column = [&](std::string const& what) { file.print(" {}:{}", ++n, what); };
  for (auto const* const what : {"ip", "z_km", "lon_deg", "lat_deg", "p_hPa", "T_K", "ds_km"}) column(what);
  for (auto const& gas : gases) column("q_" + gas);
  for (auto const& gas : gases) column(fmt::format("u_{}_molec_cm-2", gas));
  for (double const nu : control.channels.wavenumber) {
    auto const of_channel = [&](std::string const& what) { column(fmt::format("{}[{:g}]", what, nu)); };
    of_channel("k_ext_km-1");
    of_channel("beta_ctm_total_km-1");
    for (auto const& gas : gases) of_channel(fmt::format("tau_path_{}_after", gas));
    for (auto const* const what : {"tau_gas_segment", "eps_segment", "planck", "tau_after", "rad_after"})
      of_channel(what);
  }
  file.print("\n");
}

void check_line_of_sight(ega::HostLineOfSight const& los, ega::HostObservation const& observation, std::size_t ngas,
                         std::size_t nchannel) {
  auto const* const function = "write_lines_of_sight";
  if (los.ray < 0 || los.ray >= observation.nray())
    throw Error(function, fmt::format("ray = {}, expected one of {}", los.ray, observation.nray()));
  auto const np = size_of(los.npoint());
  for (auto const size : {los.place.size(), los.temperature.size(), los.length.size()})
    if (size != np) throw Error(function, fmt::format("an array has {} points, expected {}", size, np));
  expect_shape(function, los.mole_fraction, "mole_fraction", {np, ngas});
  expect_shape(function, los.column_density, "column_density", {np, ngas});
  expect_shape(function, los.extinction, "extinction", {np, nchannel});
  expect_shape(function, los.continuum, "continuum", {np, nchannel});
  expect_shape(function, los.path_transmittance, "path_transmittance", {np, ngas, nchannel});
  expect_shape(function, los.segment_transmittance, "segment_transmittance", {np, nchannel});
  expect_shape(function, los.segment_emissivity, "segment_emissivity", {np, nchannel});
  expect_shape(function, los.planck, "planck", {np, nchannel});
  expect_shape(function, los.transmittance, "transmittance", {np, nchannel});
  expect_shape(function, los.radiance, "radiance", {np, nchannel});
  std::size_t const surface = los.surface_emission.size() > 0 && np > 0 ? nchannel : 0;
  expect_shape(function, los.surface_emissivity, "surface_emissivity", {surface});
  expect_shape(function, los.surface_planck, "surface_planck", {surface});
  expect_shape(function, los.surface_emission, "surface_emission", {surface});
}

void print_line_of_sight(TextWriter& file, ega::HostLineOfSight const& los, JurassicControl const& control,
                         std::string const& observation_path, int digits) {
  std::size_t const ngas = control.gases.size();
  std::size_t const nchannel = control.channels.wavenumber.size();
  print_line_of_sight_header(file, los, control, observation_path, digits);
  for (std::size_t k = 0; k < los.place.size(); ++k) {
    file.print("{}", k);
    file.number(los.place[k].altitude / metres_per_km, digits);
    file.number(los.place[k].longitude, digits);
    file.number(los.place[k].latitude, digits);
    file.number(los.pressure[k] / pascals_per_hPa, digits);
    file.number(los.temperature[k], digits);
    file.number(los.length[k] / metres_per_km, digits);
    for (std::size_t g = 0; g < ngas; ++g) file.number(los.mole_fraction(k, g), digits);
    for (std::size_t g = 0; g < ngas; ++g) file.number(los.column_density(k, g), digits);
    for (std::size_t i = 0; i < nchannel; ++i) {
      file.number(to_per_km(los.extinction(k, i)), digits);
      file.number(to_per_km(los.continuum(k, i)), digits);
      for (std::size_t g = 0; g < ngas; ++g) file.number(los.path_transmittance(k, g, i), digits);
      file.number(los.segment_transmittance(k, i), digits);
      file.number(los.segment_emissivity(k, i), digits);
      file.number(los.planck(k, i), digits);
      file.number(los.transmittance(k, i), digits);
      file.number(los.radiance(k, i), digits);
    }
    file.print("\n");
  }
  for (std::size_t i = 0; i < los.surface_emission.size(); ++i) {
    file.print("# surface[{:g}]: eps", control.channels.wavenumber[i]);
    file.number(los.surface_emissivity(i), digits);
    file.print(" planck");
    file.number(los.surface_planck(i), digits);
    file.print(" emission_term");
    file.number(los.surface_emission(i), digits);
    file.print(" rad_with_surface_emission");
    file.number(los.radiance(los.place.size() - 1, i) + los.surface_emission(i), digits);
    file.print("\n");
  }
}

}  // namespace

void write_lines_of_sight(std::string const& path, std::vector<ega::HostLineOfSight> const& lines_of_sight,
                          ega::HostObservation const& observation, JurassicControl const& control,
                          std::string const& observation_path, int digits) {
  check_digits("write_lines_of_sight", digits);
  for (auto const& los : lines_of_sight)
    check_line_of_sight(los, observation, control.gases.size(), control.channels.wavenumber.size());
  TextWriter file(path);
  for (auto const& los : lines_of_sight) print_line_of_sight(file, los, control, observation_path, digits);
  file.commit();
}

// --- tables of numbers -------------------------------------------------------------------------------------------

namespace {

enum class First { ascending, any };

// The columns of a file of finite numbers with at least two lines, the first of which may have to ascend.
std::vector<std::vector<double>> read_columns(std::string const& path, std::vector<std::string> const& names,
                                              First first) {
  TextReader reader(path);
  auto const expected = fmt::format("{} ({})", names.size(), fmt::join(names, ", "));
  std::vector<std::vector<double>> columns(names.size());
  while (reader.next()) {
    auto const row = reader.numbers(names.size(), expected);
    for (std::size_t i = 0; i < names.size(); ++i) reader.expect(true, names[i], row[i], "", "a finite number");
    if (first == First::ascending && !columns[0].empty() && !(row[0] > columns[0].back()))
      reader.fail(
          fmt::format("{} = {}, expected more than {} of the line before", names[0], row[0], columns[0].back()));
    for (std::size_t i = 0; i < names.size(); ++i) columns[i].push_back(row[i]);
  }
  if (columns[0].size() < 2)
    reader.fail_file(fmt::format("holds {} lines of numbers, expected at least 2", columns[0].size()));
  return columns;
}

void expect_weight(std::string const& path, std::vector<double> const& weights) {
  double sum = 0;
  for (double const weight : weights) sum += weight;
  if (sum == 0) throw Error(path, "has weights that sum to 0, expected another sum");
}

}  // namespace

ega::Filter read_filter(std::string const& path) {
  auto columns = read_columns(path, {"wavenumber [cm-1]", "weight"}, First::ascending);
  expect_weight(path, columns[1]);
  return {std::move(columns[0]), std::move(columns[1])};
}

ega::FieldOfView read_field_of_view(std::string const& path) {
  auto columns = read_columns(path, {"offset [km]", "weight"}, First::any);
  expect_weight(path, columns[1]);
  for (auto& offset : columns[0]) offset *= metres_per_km;
  return {std::move(columns[0]), std::move(columns[1])};
}

ega::ContinuumTables read_continua(std::string const& folder, ega::ContinuumSwitches const& switches) {
  auto const read = [&](char const* what, char const* name, std::vector<std::string> const& columns) {
    auto const path = (std::filesystem::path(folder) / name).string();
    std::error_code error;
    if (!std::filesystem::exists(path, error)) throw Error(path, fmt::format("missing, expected {}", what));
    return read_columns(path, columns, First::ascending);
  };
  ega::ContinuumTables tables;
  if (switches.co2) {
    auto c = read("the coefficients of the CO2 continuum", "ctmco2.txt",
                  {"wavenumber [cm-1]", "coefficient at 296 K", "coefficient at 260 K", "coefficient at 230 K"});
    tables.co2 = {std::move(c[0]), std::move(c[1]), std::move(c[2]), std::move(c[3])};
  }
  if (switches.h2o) {
    auto c =
        read("the coefficients of the H2O continuum", "ctmh2o.txt",
             {"wavenumber [cm-1]", "self coefficient at 296 K", "self coefficient at 260 K", "foreign coefficient"});
    auto x = read("the correction of the H2O self continuum", "ctmh2o_xfcrev.txt", {"wavenumber [cm-1]", "factor"});
    tables.h2o = {std::move(c[0]), std::move(c[1]), std::move(c[2]), std::move(c[3]), std::move(x[0]), std::move(x[1])};
  }
  auto const collision = [&](char const* what, char const* name) -> ega::ContinuumTables::Collision {
    auto c = read(what, name, {"wavenumber [cm-1]", "B", "beta [K]"});
    return {std::move(c[0]), std::move(c[1]), std::move(c[2])};
  };
  if (switches.n2) tables.n2 = collision("the coefficients of the N2 continuum", "ctmn2.txt");
  if (switches.o2) tables.o2 = collision("the coefficients of the O2 continuum", "ctmo2.txt");
  return tables;
}

// --- climatology -------------------------------------------------------------------------------------------------

Climatology read_climatology(std::string const& path) {
  TextReader reader(path);
  Climatology climatology;
  climatology.path = path;
  bool more = reader.next();
  if (!more) reader.fail_file("holds no levels, expected at least 2");
  std::string_view const comment = reader.comment();
  auto const colon = comment.rfind(':');
  if (colon == std::string_view::npos)
    reader.fail("is not preceded by a comment \"...: GAS GAS ...\", expected the names of the gases there");
  auto names = trimmed(comment.substr(colon + 1));
  while (!names.empty()) {
    auto const end = std::min(names.find_first_of(" \t"), names.size());
    climatology.gases.emplace_back(names.substr(0, end));
    names = trimmed(names.substr(end));
  }
  climatology.mole_fraction.resize(climatology.gases.size());

  auto const expected = fmt::format("{} (altitude, pressure, temperature and {} gases)", 3 + climatology.gases.size(),
                                    climatology.gases.size());
  for (; more; more = reader.next()) {
    auto const row = reader.numbers(3 + climatology.gases.size(), expected);
    reader.expect(true, "altitude", row[0], "km", "a finite altitude");
    double const altitude = row[0] * metres_per_km;
    if (!climatology.altitude.empty() && !(altitude > climatology.altitude.back()))
      reader.fail(fmt::format("altitude = {} km, expected more than {} km of the level before", row[0],
                              climatology.altitude.back() / metres_per_km));
    reader.expect(row[1] > 0, "pressure", row[1], "hPa", "a positive finite pressure");
    reader.expect(row[2] > 0, "temperature", row[2], "K", "a positive finite temperature");
    climatology.altitude.push_back(altitude);
    climatology.pressure.push_back(row[1] * pascals_per_hPa);
    climatology.temperature.push_back(row[2]);
    for (std::size_t i = 0; i < climatology.gases.size(); ++i) {
      reader.expect(row[3 + i] >= 0 && row[3 + i] <= 1, climatology.gases[i], row[3 + i], "",
                    "a mole fraction from 0 to 1");
      climatology.mole_fraction[i].push_back(row[3 + i]);
    }
  }
  if (climatology.altitude.size() < 2)
    reader.fail_file(fmt::format("holds {} levels, expected at least 2", climatology.altitude.size()));
  return climatology;
}

ega::HostAtmosphere climatological_atmosphere(Climatology const& climatology, std::vector<double> const& altitude,
                                              std::vector<std::string> const& gases, double time, int nwindow) {
  constexpr int is_co2 = -1;
  std::vector<int> of_gas;  // which profile
  for (auto const& gas : gases) {
    int const found = ega::find_gas(climatology.gases, gas);
    bool const co2 = upper_case(gas) == "CO2";
    if (found < 0 && !co2)
      throw Error(climatology.path,
                  fmt::format("has no {}, expected one of CO2, {}", gas, fmt::join(climatology.gases, ", ")));
    of_gas.push_back(found < 0 ? is_co2 : found);
  }
  // 371.789948 ppm on 2002-01-01, 2.026214 ppm more a year
  double const co2 = 371.789948e-6 + 2.026214e-6 * (time - 63158400) / 31557600;

  auto atmosphere = ega::make_atmosphere(1, static_cast<int>(altitude.size()), gases, nwindow);
  auto const& z = climatology.altitude;
  for (std::size_t k = 0; k < altitude.size(); ++k) {
    // The interval that holds the altitude, or the first or last one.
    auto const above = std::upper_bound(z.begin() + 1, z.end() - 1, altitude[k]) - z.begin();
    auto const i = static_cast<std::size_t>(above) - 1;
    auto const linear = [&](std::vector<double> const& y) {
      return y[i] + (y[i + 1] - y[i]) / (z[i + 1] - z[i]) * (altitude[k] - z[i]);
    };
    auto const& p = climatology.pressure;
    atmosphere.time(0, k) = time;
    atmosphere.altitude(0, k) = altitude[k];
    atmosphere.pressure(0, k) = p[i] * std::exp(std::log(p[i + 1] / p[i]) / (z[i + 1] - z[i]) * (altitude[k] - z[i]));
    atmosphere.temperature(0, k) = linear(climatology.temperature);
    for (std::size_t g = 0; g < gases.size(); ++g)
      atmosphere.mole_fraction(0, g, k) =
          of_gas[g] == is_co2 ? co2 : linear(climatology.mole_fraction[size_of(of_gas[g])]);
  }
  ega::validate(atmosphere, climatology.path);
  return atmosphere;
}

// --- netCDF ------------------------------------------------------------------------------------------------------

void write_channels_and_times(NetcdfWriter& file, std::vector<double> const& wavenumber,
                              ega::HostObservation const& observation) {
  file.variable("wavenumber", {"channel"}, wavenumber,
                {{"long_name", "central wavenumber of the channel"},
                 {"standard_name", "sensor_band_central_radiation_wavenumber"},
                 {"units", "cm-1"}});
  file.variable("time", {"ray"}, std::span(observation.time.data(), observation.time.size()),
                {{"long_name", "time of the observation"},
                 {"standard_name", "time"},
                 {"units", "seconds since 2000-01-01 00:00:00"},
                 {"calendar", "standard"}});
}

void write_spectra_netcdf(std::string const& path, ega::HostObservation const& observation,
                          ega::HostSpectra const& spectra, ega::Channels const& channels, bool brightness_temperature,
                          Provenance const& provenance) {
  check_spectra("write_spectra_netcdf", observation, spectra, channels.wavenumber.size());
  auto const nray = size_of(observation.nray());

  NetcdfWriter file(path);
  auto attributes = global_attributes(provenance, "");
  // Nothing in the file is over levels.
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                  [](auto const& attribute) { return attribute.first == "vertical_order"; }),
                   attributes.end());
  file.attributes(attributes);
  file.dimension("ray", nray);
  file.dimension("channel", channels.wavenumber.size());
  write_channels_and_times(file, channels.wavenumber, observation);
  auto const add_places = [&](ArrayDescription const& description, auto const& view) {
    if (description.unit == "m" || description.unit.starts_with("degrees"))
      add_array(file, description, array_ref(view));
  };
  ega::HostSpectra::for_each_array(add_places, spectra);
  ega::HostObservation::for_each_array(add_places, observation);

  std::string const coordinates = "time tangent_altitude tangent_longitude tangent_latitude wavenumber";
  auto const radiance = std::span(spectra.radiance.data(), spectra.radiance.size());
  if (brightness_temperature)
    file.variable("brightness_temperature", {"ray", "channel"}, radiance,
                  {{"long_name", "brightness temperature at the observer"},
                   {"standard_name", "brightness_temperature"},
                   {"units", "K"},
                   {"coordinates", coordinates},
                   {"comment", "NaN: masked"}});
  else
    file.variable("radiance", {"ray", "channel"}, radiance,
                  {{"long_name", "radiance at the observer by wavenumber"},
                   {"units", "W m-2 sr-1 (cm-1)-1"},
                   {"coordinates", coordinates},
                   {"comment", "NaN: masked"}});
  file.variable("transmittance", {"ray", "channel"},
                std::span(spectra.transmittance.data(), spectra.transmittance.size()),
                {{"long_name", "transmittance of the whole path"}, {"units", "1"}, {"coordinates", coordinates}});
  file.commit();
}

}  // namespace parhelion::io
