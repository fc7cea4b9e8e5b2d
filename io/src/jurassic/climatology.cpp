// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic/parts.hpp"
#include "jurassic/text.hpp"

#include <parhelion/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::io {

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

}  // namespace parhelion::io
