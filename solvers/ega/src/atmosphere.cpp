// SPDX-License-Identifier: BSD-3-Clause
#include "air_profiles.hpp"
#include "host_forward.hpp"
#include "hydrostatic.hpp"
#include "names.hpp"
#include "solver_checks.hpp"

#include <parhelion/core/arrays.hpp>
#include <parhelion/core/error.hpp>
#include <parhelion/core/interpolate.hpp>
#include <parhelion/ega/atmosphere.hpp>
#include <parhelion/ega/jurassic_constants.hpp>
#include <parhelion/ega/problem.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace parhelion::ega {

namespace {

void check_profile_shapes(HostAtmosphere const& a, std::string const& where) {
  int const nprofile = a.nprofile();
  int const nlev = a.nlev();
  if (nprofile < 1 || nlev < 2)
    throw Error(where, fmt::format("altitude has shape ({}, {}), expected at least (1, 2)", nprofile, nlev));
  Dimensions const dimensions{{dimension::profile, nprofile},
                              {dimension::level, nlev},
                              {dimension::gas, static_cast<std::int64_t>(a.gases.size())}};
  Atmosphere<Kokkos::DefaultHostExecutionSpace>::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (description.name == "extinction" || description.optional) return;
        auto known = dimensions;
        check_extents(where, description, array_ref(view), known);
      },
      a);
}

void check_ascending_altitudes(HostAtmosphere const& a, std::string const& where) {
  for (int p = 0; p < a.nprofile(); ++p)
    for (int l = 1; l < a.nlev(); ++l)
      if (!(a.altitude(p, l) > a.altitude(p, l - 1)))
        throw Error(where, fmt::format("altitude({}, {}) = {} m, expected more than the {} m of the level below", p, l,
                                       a.altitude(p, l), a.altitude(p, l - 1)));
}

// Repeats the profiles of an array; an empty array stays empty.
template <KokkosView View>
View repeated(View const& from, int copies) {
  auto layout = from.layout();
  layout.dimension[0] *= static_cast<std::size_t>(copies);
  View to(Kokkos::view_alloc(from.label(), Kokkos::WithoutInitializing), layout);
  // Row-major, so that the copies are contiguous.
  for (std::size_t i = 0; i < to.size(); ++i) to.data()[i] = from.data()[i % from.size()];
  return to;
}

}  // namespace

double lowest_altitude(HostAtmosphere const& atmosphere, int profile) {
  return Impl::lowest_altitude_of(atmosphere, profile);
}

HostAtmosphere make_atmosphere(int nprofile, int nlev, std::vector<std::string> const& gases, int nwindow) {
  if (nprofile < 1 || nlev < 2 || nwindow < 0)
    throw Error("make_atmosphere", fmt::format("{} profiles of {} levels and {} windows, expected at least 1, 2 and 0",
                                               nprofile, nlev, nwindow));
  int const ngas = static_cast<int>(gases.size());
  HostAtmosphere a;
  a.gases = gases;
  a.altitude = HostArray<double**>("parhelion::ega::altitude", nprofile, nlev);
  a.pressure = HostArray<double**>("parhelion::ega::pressure", nprofile, nlev);
  a.temperature = HostArray<double**>("parhelion::ega::temperature", nprofile, nlev);
  a.mole_fraction = HostArray<double***>("parhelion::ega::mole_fraction", nprofile, ngas, nlev);
  a.extinction = HostArray<double***>("parhelion::ega::extinction", nprofile, nwindow, nlev);
  a.time = HostArray<double**>("parhelion::ega::time", nprofile, nlev);
  a.longitude = HostArray<double**>("parhelion::ega::longitude", nprofile, nlev);
  a.latitude = HostArray<double**>("parhelion::ega::latitude", nprofile, nlev);
  return a;
}

void validate(HostAtmosphere const& a, std::string const& where_or_empty) {
  std::string const where = Impl::name_or(where_or_empty, Impl::name_or(a.name, "validate"));
  check_profile_shapes(a, where);
  // There is a cloud if there are extinctions, and a surface if there are emissivities.
  Impl::check_parts(where, Impl::parts_of(a));
  check_extents(where, a,
                {{dimension::profile, a.nprofile()},
                 {dimension::level, a.nlev()},
                 {dimension::gas, static_cast<std::int64_t>(a.gases.size())},
                 {dimension::window, a.nwindow()}});
  HostAtmosphere::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        check_values(where, description, array_ref(view));
        if (description.name == "altitude") check_ascending_altitudes(a, where);
      },
      a);
}

void make_hydrostatic(HostAtmosphere const& a, double reference) {
  constexpr char const* where = "make_hydrostatic";
  if (!std::isfinite(reference))
    throw Error(where, fmt::format("reference = {} m, expected a finite number", reference));
  check_profile_shapes(a, where);
  Atmosphere<Kokkos::DefaultHostExecutionSpace>::for_each_array(
      [&](ArrayDescription const& description, auto const& view) {
        if (description.name == "altitude" || description.name == "temperature")
          check_values(where, description, array_ref(view));
      },
      a);
  int const water = find_gas(a.gases, "H2O");
  for (int p = 0; p < a.nprofile(); ++p) Impl::make_profile_hydrostatic(a, a.pressure, water, p, reference);
}

namespace Impl {

HydrostaticSlopes hydrostatic_slopes(HostAtmosphere const& a, int profile, double reference) {
  HydrostaticSlopes slopes;
  slopes.kept = nearest_level(a, profile, reference);
  slopes.water = find_gas(a.gases, "H2O");
  constexpr double heavier = (jurassic_constants::molar_mass_water - jurassic_constants::molar_mass_dry_air) *
                             jurassic_constants::gravity / jurassic_constants::molar_gas;
  for (int l = 0; l + 1 < a.nlev(); ++l) {
    double const share = (a.altitude(profile, l + 1) - a.altitude(profile, l)) / hydrostatic_points;
    std::array<double, 2> by_temperature{};
    std::array<double, 2> by_mole_fraction{};
    for (int i = 0; i < hydrostatic_points; ++i) {
      double const weight = i / (hydrostatic_points - 1.0);
      double const temperature = linear(a.temperature(profile, l), a.temperature(profile, l + 1), weight);
      double const vapour = slopes.water < 0 ? 0
                                             : linear(a.mole_fraction(profile, slopes.water, l),
                                                      a.mole_fraction(profile, slopes.water, l + 1), weight);
      double const by_t = share * inverse_scale_height(temperature, vapour) / temperature;
      double const by_q = -share * heavier / temperature;
      by_temperature[0] += by_t * (1 - weight);
      by_temperature[1] += by_t * weight;
      by_mole_fraction[0] += by_q * (1 - weight);
      by_mole_fraction[1] += by_q * weight;
    }
    slopes.by_temperature.push_back(by_temperature);
    slopes.by_mole_fraction.push_back(by_mole_fraction);
  }
  return slopes;
}

}  // namespace Impl

HostAtmosphere repeat(HostAtmosphere const& a, int copies) {
  if (copies < 1) throw Error("repeat", fmt::format("copies = {}, expected at least 1", copies));
  HostAtmosphere b;
  b.name = a.name;
  b.gases = a.gases;
  HostAtmosphere::for_each_array(
      [&]<class View>(ArrayDescription const&, View& to, View const& from) { to = repeated(from, copies); }, b, a);
  return b;
}

}  // namespace parhelion::ega
