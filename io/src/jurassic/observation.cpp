// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic/parts.hpp"
#include "jurassic/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace parhelion::io {

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

}  // namespace parhelion::io
