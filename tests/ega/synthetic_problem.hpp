// SPDX-License-Identifier: BSD-3-Clause
// Small problems that need no data: coarse tables of statistical bands, a smooth atmosphere, rays in limb and nadir.
#ifndef PARHELION_TESTS_EGA_SYNTHETIC_PROBLEM_HPP
#define PARHELION_TESTS_EGA_SYNTHETIC_PROBLEM_HPP

#include <parhelion/core/copies.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/jurassic_constants.hpp>
#include <parhelion/ega/observation.hpp>
#include <parhelion/ega/problem.hpp>
#include <parhelion/io/synthetic_tables.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::Testing {

/// Pressures, equidistant in the logarithm, and temperatures of a small table.
struct SmallGrid {
  int npressure = 8;
  double lowest_pressure_hPa = 0.01;
  double highest_pressure_hPa = 1100;
  int ntemperature = 5;
  double lowest_temperature = 160;
  double temperature_step = 35;
};

/// A coarse table of a band: points six to a decade of column density, emissivities from 1e-6 to 0.9995.
inline ega::EmissivityTable small_table(io::BandParameters const& band, SmallGrid const& grid = {}) {
  ega::EmissivityTable table;
  table.first_temperature = {0};
  table.first_point = {0};
  for (int p = 0; p < grid.npressure; ++p) {
    double const share = p / std::max(1., grid.npressure - 1.);
    table.pressure_hPa.push_back(grid.lowest_pressure_hPa *
                                 std::pow(grid.highest_pressure_hPa / grid.lowest_pressure_hPa, share));
    for (int t = 0; t < grid.ntemperature; ++t) {
      table.temperature.push_back(grid.lowest_temperature + grid.temperature_step * t);
      for (int i = 72; i < 200; ++i) {
        double const u = std::pow(10., i / 6.);
        double const emissivity =
            1 - io::band_transmittance(band, table.pressure_hPa.back(), table.temperature.back(), u);
        if (emissivity < 1e-6 || emissivity > 0.9995) continue;
        table.column_density.push_back(static_cast<float>(u));
        table.emissivity.push_back(static_cast<float>(emissivity));
      }
      table.first_point.push_back(static_cast<std::int64_t>(table.npoint()));
    }
    table.first_temperature.push_back(static_cast<std::int64_t>(table.temperature.size()));
  }
  return table;
}

/// Tables over (gas, channel).
using TableSet = std::vector<std::vector<ega::EmissivityTable>>;

inline ega::TableProvider provider_of(TableSet tables) {
  auto const shared = std::make_shared<TableSet const>(std::move(tables));
  return [shared](int gas, int channel) {
    return (*shared)[static_cast<std::size_t>(gas)][static_cast<std::size_t>(channel)];
  };
}

/// \brief Gases in channels at 700, 707, ... cm-1 with filters of one wavenumber, no continua, steps of 1 km.
inline ega::Problem small_problem(int ngas, int nchannel) {
  std::vector<std::string> const names{"CO2", "H2O", "O3", "N2O", "CH4"};
  ega::Problem problem;
  TableSet tables;
  for (int g = 0; g < ngas; ++g) {
    problem.gases.push_back(names[static_cast<std::size_t>(g)]);
    tables.emplace_back();
    for (int c = 0; c < nchannel; ++c) tables.back().push_back(small_table(io::synthetic_band(g, 700. + 7 * c)));
  }
  for (int c = 0; c < nchannel; ++c) {
    problem.channels.wavenumber.push_back(700. + 7 * c);
    problem.channels.window.push_back(0);
    problem.channels.filter.push_back({{700. + 7 * c}, {1}});
  }
  problem.options.continua = {false, false, false, false};
  problem.options.vertical_step = 1000;
  problem.tables = provider_of(std::move(tables));
  return problem;
}

/// The problem of some of the channels.
inline ega::Problem with_channels(ega::Problem const& all, std::vector<int> const& which) {
  ega::Problem part = all;
  part.channels.wavenumber.clear();
  part.channels.window.clear();
  part.channels.filter.clear();
  for (int const c : which) {
    auto const i = static_cast<std::size_t>(c);
    part.channels.wavenumber.push_back(all.channels.wavenumber[i]);
    part.channels.window.push_back(all.channels.window[i]);
    part.channels.filter.push_back(all.channels.filter[i]);
  }
  part.tables = [tables = all.tables, which](int gas, int channel) {
    return tables(gas, which[static_cast<std::size_t>(channel)]);
  };
  return part;
}

/// Some of the gases, in another order if need be.
inline ega::Problem with_gases(ega::Problem const& all, std::vector<int> const& which) {
  ega::Problem part = all;
  part.gases.clear();
  for (int const g : which) part.gases.push_back(all.gases[static_cast<std::size_t>(g)]);
  part.tables = [tables = all.tables, which](int gas, int channel) {
    return tables(which[static_cast<std::size_t>(gas)], channel);
  };
  return part;
}

/// 31 levels up to 60 km with a tropopause at 12 km and a stratopause at 48 km, some ppm of each gas.
inline ega::HostAtmosphere small_atmosphere(std::vector<std::string> const& gases, int nwindow = 1) {
  int const nlev = 31;
  auto a = ega::make_atmosphere(1, nlev, gases, nwindow);
  for (int l = 0; l < nlev; ++l) {
    double const z = 2. * l;
    a.altitude(0, l) = 1000 * z;
    a.pressure(0, l) = 101325 * std::exp(-z / (7.5 - 0.02 * z));
    a.temperature(0, l) = z < 12 ? 288 - 6 * z : z < 48 ? 216 + 1.5 * (z - 12) : 270 - 2.5 * (z - 48);
    for (int g = 0; g < a.ngas(); ++g) a.mole_fraction(0, g, l) = 3e-6 * (1 + g) * (1 + 0.5 * std::sin(0.2 * z + g));
  }
  return a;
}

/// The same pressure, temperature and amount everywhere, up to 60 km.
inline ega::HostAtmosphere homogeneous_atmosphere(std::vector<std::string> const& gases, double pressure,
                                                  double temperature, double mole_fraction, int nwindow = 1) {
  auto a = small_atmosphere(gases, nwindow);
  parhelion::assign_array(a.pressure, pressure);
  parhelion::assign_array(a.temperature, temperature);
  parhelion::assign_array(a.mole_fraction, mole_fraction);
  return a;
}

/// Rays from 800 km over the equator northwards whose straight lines are nearest to the Earth at these altitudes [m].
inline ega::HostObservation limb_rays(std::vector<double> const& altitudes) {
  auto o = ega::make_observation(static_cast<int>(altitudes.size()));
  for (std::size_t r = 0; r < altitudes.size(); ++r) {
    o.observer.altitude(r) = 800e3;
    o.view_point.altitude(r) = altitudes[r];
    o.view_point.latitude(r) = std::acos((ega::jurassic_constants::earth_radius + altitudes[r]) /
                                         (ega::jurassic_constants::earth_radius + 800e3)) *
                               180 / std::acos(-1.);
  }
  return o;
}

/// Rays from 700 km over the equator down to these latitudes [degree] on the ground.
inline ega::HostObservation nadir_rays(std::vector<double> const& latitudes) {
  auto o = ega::make_observation(static_cast<int>(latitudes.size()));
  for (std::size_t r = 0; r < latitudes.size(); ++r) {
    o.observer.altitude(r) = 700e3;
    o.view_point.latitude(r) = latitudes[r];
  }
  return o;
}

/// Makes ray i of an observation ray j of another one, but for its profile.
inline void copy_ray(ega::HostObservation const& to, int i, ega::HostObservation const& from, int j) {
  ega::HostObservation::for_each_array(
      [&](ArrayDescription const& description, auto const& into, auto const& array) {
        if (description.name != "profile") into(i) = array(j);
      },
      to, from);
}

/// Joins observations.
inline ega::HostObservation joined(std::vector<ega::HostObservation> const& parts) {
  int n = 0;
  for (auto const& part : parts) n += part.nray();
  auto all = ega::make_observation(n);
  n = 0;
  for (auto const& part : parts)
    for (int r = 0; r < part.nray(); ++r) copy_ray(all, n++, part, r);
  return all;
}

/// Some of the rays.
inline ega::HostObservation with_rays(ega::HostObservation const& all, std::vector<int> const& which) {
  auto part = ega::make_observation(static_cast<int>(which.size()));
  for (int r = 0; r < part.nray(); ++r) copy_ray(part, r, all, which[static_cast<std::size_t>(r)]);
  return part;
}

}  // namespace parhelion::Testing

#endif
