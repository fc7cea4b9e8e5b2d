// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/io/jurassic_files.hpp>

#include "jurassic/parts.hpp"
#include "jurassic/text.hpp"

#include <parhelion/core/array_checks.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace parhelion::io {

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

}  // namespace parhelion::io
