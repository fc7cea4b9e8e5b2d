// SPDX-License-Identifier: BSD-3-Clause
#include "host_forward.hpp"
#include "names.hpp"

#include <parhelion/core/error.hpp>
#include <parhelion/core/host_arrays.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/model_constants.hpp>
#include <parhelion/ega/problem.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace parhelion::ega {

namespace {

void check_profile_shapes(HostAtmosphere const& a, std::string const& where) {
  std::size_t const nprofile = a.altitude.extent(0);
  std::size_t const nlev = a.altitude.extent(1);
  if (nprofile < 1 || nlev < 2)
    throw Error(where, fmt::format("altitude has shape ({}, {}), expected at least (1, 2)", nprofile, nlev));
  expect_shape(where, a.pressure, "pressure", {nprofile, nlev});
  expect_shape(where, a.temperature, "temperature", {nprofile, nlev});
  expect_shape(where, a.mixing_ratio, "mixing_ratio", {nprofile, a.gases.size(), nlev});
}

void check_ascending_altitudes(HostAtmosphere const& a, std::string const& where) {
  for (int p = 0; p < a.nprofile(); ++p)
    for (int l = 1; l < a.nlev(); ++l)
      if (!(a.altitude(p, l) > a.altitude(p, l - 1)))
        throw Error(where, fmt::format("altitude({}, {}) = {} m, expected more than the {} m of the level below", p, l,
                                       a.altitude(p, l), a.altitude(p, l - 1)));
}

// M g / (R T) [m-1]: the reciprocal of the scale height.
double inverse_scale_height(double temperature, double water) {
  double const molar_mass = water * model::molar_mass_water + (1 - water) * model::molar_mass_dry_air;
  return molar_mass * model::gravity / (model::molar_gas * temperature);
}

// Points over which the mean of a hydrostatic step goes.
constexpr int hydrostatic_points = 20;

int nearest_level(HostAtmosphere const& a, int profile, double altitude) {
  int nearest = 0;
  for (int l = 1; l < a.nlev(); ++l)
    if (std::abs(a.altitude(profile, l) - altitude) < std::abs(a.altitude(profile, nearest) - altitude)) nearest = l;
  return nearest;
}

// Copies all values of profile from % from.extent(0) to each profile of a new array; what is empty stays empty.
template <class DataType>
HostArray<DataType> repeated(HostArray<DataType> const& from, int copies) {
  auto layout = from.layout();
  layout.dimension[0] *= static_cast<std::size_t>(copies);
  HostArray<DataType> to(Kokkos::view_alloc(from.label(), Kokkos::WithoutInitializing), layout);
  // Row-major: copies follow each other.
  for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = from.data()[i % from.size()];
  return to;
}

}  // namespace

HostAtmosphere make_atmosphere(int nprofile, int nlev, std::vector<std::string> const& gases, int nwindow) {
  if (nprofile < 1 || nlev < 2 || nwindow < 0)
    throw Error("make_atmosphere", fmt::format("{} profiles of {} levels and {} windows, expected at least 1, 2 and 0",
                                               nprofile, nlev, nwindow));
  int const ngas = static_cast<int>(gases.size());
  HostAtmosphere a;
  a.gases = gases;
  a.altitude = HostArray<double**>("parhelion::Ega::altitude", nprofile, nlev);
  a.pressure = HostArray<double**>("parhelion::Ega::pressure", nprofile, nlev);
  a.temperature = HostArray<double**>("parhelion::Ega::temperature", nprofile, nlev);
  a.mixing_ratio = HostArray<double***>("parhelion::Ega::mixing_ratio", nprofile, ngas, nlev);
  a.extinction = HostArray<double***>("parhelion::Ega::extinction", nprofile, nwindow, nlev);
  a.time = HostArray<double**>("parhelion::Ega::time", nprofile, nlev);
  a.longitude = HostArray<double**>("parhelion::Ega::longitude", nprofile, nlev);
  a.latitude = HostArray<double**>("parhelion::Ega::latitude", nprofile, nlev);
  return a;
}

void validate(HostAtmosphere const& a, std::string const& where_or_empty) {
  std::string const where = Impl::name_or(where_or_empty, Impl::name_or(a.name, "validate"));
  check_profile_shapes(a, where);
  std::size_t const nprofile = a.altitude.extent(0);
  std::size_t const nlev = a.altitude.extent(1);
  expect_shape(where, a.extinction, "extinction", {nprofile, a.extinction.extent(1), nlev});
  expect_shape(where, a.time, "time", {nprofile, nlev});
  expect_shape(where, a.longitude, "longitude", {nprofile, nlev});
  expect_shape(where, a.latitude, "latitude", {nprofile, nlev});
  // The extinctions say whether there is a cloud and the emissivities whether there is a surface: what is given
  // without them would be ignored.
  std::size_t const nprofile_cloud = a.has_cloud() ? nprofile : 0;
  expect_shape(where, a.cloud_height, "cloud_height", {nprofile_cloud});
  expect_shape(where, a.cloud_depth, "cloud_depth", {nprofile_cloud});
  if (a.has_cloud())
    expect_shape(where, a.cloud_extinction, "cloud_extinction", {nprofile, a.cloud_extinction.extent(1)});
  std::size_t const nprofile_surface = a.has_surface() ? nprofile : 0;
  expect_shape(where, a.surface_altitude, "surface_altitude", {nprofile_surface});
  expect_shape(where, a.surface_pressure, "surface_pressure", {nprofile_surface});
  expect_shape(where, a.surface_temperature, "surface_temperature", {nprofile_surface});
  if (a.has_surface())
    expect_shape(where, a.surface_emissivity, "surface_emissivity", {nprofile, a.surface_emissivity.extent(1)});

  auto const positive = [](double x) { return x > 0; };
  auto const not_negative = [](double x) { return x >= 0; };
  auto const finite = [](double) { return true; };
  expect_values(where, a.altitude, "altitude", "m", "a finite number", finite);
  check_ascending_altitudes(a, where);
  expect_values(where, a.pressure, "pressure", "Pa", "a positive finite number", positive);
  expect_values(where, a.temperature, "temperature", "K", "a positive finite number", positive);
  // Retrievals may pass through negative amounts.
  expect_values(where, a.mixing_ratio, "mixing_ratio", "", "a finite number", finite);
  expect_values(where, a.extinction, "extinction", "m-1", "a finite number >= 0", not_negative);
  expect_values(where, a.time, "time", "s", "a finite number", finite);
  expect_values(where, a.longitude, "longitude", "degree", "a finite number", finite);
  expect_values(where, a.latitude, "latitude", "degree", "a finite number", finite);
  expect_values(where, a.cloud_height, "cloud_height", "m", "a finite number", finite);
  expect_values(where, a.cloud_depth, "cloud_depth", "m", "a positive finite number", positive);
  expect_values(where, a.cloud_extinction, "cloud_extinction", "m-1", "a finite number >= 0", not_negative);
  expect_values(where, a.surface_altitude, "surface_altitude", "m", "a finite number", finite);
  expect_values(where, a.surface_pressure, "surface_pressure", "Pa", "a finite number", finite);
  expect_values(where, a.surface_temperature, "surface_temperature", "K", "a finite number", finite);
  expect_values(where, a.surface_emissivity, "surface_emissivity", "", "a number in [0, 1]",
                [](double x) { return x >= 0 && x <= 1; });
}

void make_hydrostatic(HostAtmosphere const& a, double reference) {
  constexpr char const* where = "make_hydrostatic";
  if (!std::isfinite(reference))
    throw Error(where, fmt::format("reference = {} m, expected a finite number", reference));
  check_profile_shapes(a, where);
  expect_values(where, a.altitude, "altitude", "m", "a finite number", [](double) { return true; });
  expect_values(where, a.temperature, "temperature", "K", "a positive finite number", [](double x) { return x > 0; });
  int const water = find_gas(a.gases, "H2O");
  for (int p = 0; p < a.nprofile(); ++p) {
    int const kept = nearest_level(a, p, reference);
    // The pressure of level `to` from that of its neighbour `from`.
    auto const step = [&](int from, int to) {
      double mean = 0;
      for (int i = 0; i < hydrostatic_points; ++i) {
        double const weight = i / (hydrostatic_points - 1.0);
        double const vapour =
            water < 0 ? 0 : linear(a.mixing_ratio(p, water, from), a.mixing_ratio(p, water, to), weight);
        mean += inverse_scale_height(linear(a.temperature(p, from), a.temperature(p, to), weight), vapour) /
                hydrostatic_points;
      }
      a.pressure(p, to) = a.pressure(p, from) * std::exp(-(a.altitude(p, to) - a.altitude(p, from)) * mean);
    };
    for (int l = kept + 1; l < a.nlev(); ++l) step(l - 1, l);
    for (int l = kept - 1; l >= 0; --l) step(l + 1, l);
  }
}

namespace Impl {

HydrostaticSlopes hydrostatic_slopes(HostAtmosphere const& a, int profile, double reference) {
  HydrostaticSlopes slopes;
  slopes.kept = nearest_level(a, profile, reference);
  slopes.water = find_gas(a.gases, "H2O");
  constexpr double heavier = (model::molar_mass_water - model::molar_mass_dry_air) * model::gravity / model::molar_gas;
  for (int l = 0; l + 1 < a.nlev(); ++l) {
    double const share = (a.altitude(profile, l + 1) - a.altitude(profile, l)) / hydrostatic_points;
    std::array<double, 2> by_temperature{};
    std::array<double, 2> by_mixing_ratio{};
    for (int i = 0; i < hydrostatic_points; ++i) {
      double const weight = i / (hydrostatic_points - 1.0);
      double const temperature = linear(a.temperature(profile, l), a.temperature(profile, l + 1), weight);
      double const vapour = slopes.water < 0 ? 0
                                             : linear(a.mixing_ratio(profile, slopes.water, l),
                                                      a.mixing_ratio(profile, slopes.water, l + 1), weight);
      double const by_t = share * inverse_scale_height(temperature, vapour) / temperature;
      double const by_q = -share * heavier / temperature;
      by_temperature[0] += by_t * (1 - weight);
      by_temperature[1] += by_t * weight;
      by_mixing_ratio[0] += by_q * (1 - weight);
      by_mixing_ratio[1] += by_q * weight;
    }
    slopes.by_temperature.push_back(by_temperature);
    slopes.by_mixing_ratio.push_back(by_mixing_ratio);
  }
  return slopes;
}

}  // namespace Impl

HostAtmosphere repeat(HostAtmosphere const& a, int copies) {
  if (copies < 1) throw Error("repeat", fmt::format("copies = {}, expected at least 1", copies));
  HostAtmosphere b;
  b.name = a.name;
  b.gases = a.gases;
  b.altitude = repeated(a.altitude, copies);
  b.pressure = repeated(a.pressure, copies);
  b.temperature = repeated(a.temperature, copies);
  b.mixing_ratio = repeated(a.mixing_ratio, copies);
  b.extinction = repeated(a.extinction, copies);
  b.cloud_height = repeated(a.cloud_height, copies);
  b.cloud_depth = repeated(a.cloud_depth, copies);
  b.cloud_extinction = repeated(a.cloud_extinction, copies);
  b.surface_altitude = repeated(a.surface_altitude, copies);
  b.surface_pressure = repeated(a.surface_pressure, copies);
  b.surface_temperature = repeated(a.surface_temperature, copies);
  b.surface_emissivity = repeated(a.surface_emissivity, copies);
  b.time = repeated(a.time, copies);
  b.longitude = repeated(a.longitude, copies);
  b.latitude = repeated(a.latitude, copies);
  return b;
}

}  // namespace parhelion::ega
