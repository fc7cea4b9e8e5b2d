// SPDX-License-Identifier: BSD-3-Clause
#include <parhelion/fluxes/cloud_optics.hpp>

#include "clouds/cloud_tables.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>
#include <parhelion/core/error.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <limits>

namespace parhelion::fluxes {

namespace {

// The group of bands of Ebert & Curry that each band belongs to.
constexpr int broad_band[nbnd] = {0, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4};

}  // namespace

SizeRange size_range(IceOptics optics) {
  switch (optics) {
    case IceOptics::all_bands:
      return {10e-6, std::numeric_limits<double>::max()};
    case IceOptics::broad_bands:
      return {13e-6, 130e-6};
    case IceOptics::streamer:
      return {5e-6, 131e-6};
    case IceOptics::fu:
      return {5e-6, 140e-6};
  }
  return {0, 0};
}

SizeRange size_range(LiquidOptics optics) {
  if (optics == LiquidOptics::hu_stamnes) return {2.5e-6, 60e-6};
  return {0, std::numeric_limits<double>::max()};
}

IceOptics ice_optics(int iceflglw, std::string const& where) {
  if (iceflglw < 0 || iceflglw > 3) throw Error(where, fmt::format("iceflglw = {}, expected 0, 1, 2 or 3", iceflglw));
  return static_cast<IceOptics>(iceflglw);
}

LiquidOptics liquid_optics(int liqflglw, std::string const& where) {
  if (liqflglw < 0 || liqflglw > 1) throw Error(where, fmt::format("liqflglw = {}, expected 0 or 1", liqflglw));
  return static_cast<LiquidOptics>(liqflglw);
}

namespace Impl {

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
CloudOptics<ExecutionSpace, Real> make_cloud_optics(ExecutionSpace const& space) {
  CloudOptics<ExecutionSpace, Real> optics;
  auto const named = [&](std::string const& name) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parhelion::fluxes::" + name);
  };
  optics.ice_by_radius = Array<Real***, ExecutionSpace>(named("ice_by_radius"), 2, nbnd, 2);
  auto const by_radius = Kokkos::create_mirror_view(optics.ice_by_radius);
  for (std::size_t band = 0; band < nbnd; ++band)
    for (std::size_t i = 0; i < 2; ++i) {
      by_radius(0, band, i) = static_cast<Real>(ice_of_all_bands[i]);
      by_radius(1, band, i) = static_cast<Real>(ice_of_broad_bands[static_cast<std::size_t>(broad_band[band])][i]);
    }
  copy_array(space, optics.ice_by_radius, by_radius);
  space.fence("parhelion::fluxes::make_cloud_optics");
  auto const upload = [&](char const* name, auto const& table) {
    Array<Real**, ExecutionSpace> const to(named(name), nbnd, table[0].size());
    auto const host = Kokkos::create_mirror_view(to);
    for (std::size_t band = 0; band < nbnd; ++band)
      for (std::size_t i = 0; i < table[0].size(); ++i) host(band, i) = static_cast<Real>(table[band][i]);
    copy_array(space, to, host);
    space.fence("parhelion::fluxes::make_cloud_optics");
    return to;
  };
  optics.ice_streamer = upload("ice_streamer", ice_streamer);
  optics.ice_fu = upload("ice_fu", ice_fu);
  optics.liquid = upload("liquid", liquid_hu_stamnes);
  optics.liquid_of_all_bands = static_cast<Real>(liquid_of_all_bands);
  return optics;
}

#define PARHELION_INSTANTIATE(SPACE)                                                \
  template CloudOptics<SPACE, float> make_cloud_optics<SPACE, float>(SPACE const&); \
  template CloudOptics<SPACE, double> make_cloud_optics<SPACE, double>(SPACE const&);
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)
#undef PARHELION_INSTANTIATE

}  // namespace Impl

}  // namespace parhelion::fluxes
