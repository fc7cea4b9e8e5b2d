// SPDX-License-Identifier: BSD-3-Clause
#include "rrtmg_sw/cloud_scattering.hpp"

#include "rrtmg_sw/reference_tables.hpp"

#include <parhelion/core/copies.hpp>
#include <parhelion/core/device.hpp>

#include <cstddef>
#include <string>

namespace parhelion::fluxes::rrtmg_sw {

namespace {

constexpr double grams = 1000;  // in a kilogram

// The group of bands of Ebert & Curry that each band belongs to.
constexpr std::array<std::size_t, nbnd_sw> broad_band = {4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0, 0, 0, 4};

// A table on the device of `space`, whose entries are value(i, j, ..).
template <class ViewType, class ExecutionSpace, class Value, class... Extents>
ViewType to_device(ExecutionSpace const& space, char const* name, Value const& value, Extents... extents) {
  using Real = typename ViewType::non_const_value_type;
  typename ViewType::non_const_type const device(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("parhelion::fluxes::") + name), extents...);
  auto const host = Kokkos::create_mirror_view(device);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j)
      if constexpr (ViewType::rank() == 2)
        host(i, j) = static_cast<Real>(value(i, j));
      else
        for (std::size_t k = 0; k < host.extent(2); ++k) host(i, j, k) = static_cast<Real>(value(i, j, k));
  copy_array(space, device, host);
  space.fence("parhelion::fluxes::rrtmg_sw::to_device");
  return device;
}

}  // namespace

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
CloudScattering<ExecutionSpace, Real> make_cloud_scattering(ExecutionSpace const& space) {
  using Table = Array<Real const***, ExecutionSpace>;
  CloudScattering<ExecutionSpace, Real> result;
  result.ice_broad_bands = to_device<Array<Real const**, ExecutionSpace>>(
      space, "ice_broad_bands_sw",
      [](std::size_t band, std::size_t i) {
        EbertCurry const& of = ebert_curry[broad_band[band]];
        double const coefficients[] = {grams * of.a, grams * of.b, of.c, of.d, of.e, of.f};
        return coefficients[i];
      },
      nbnd_sw, 6);
  auto const of_particles = [](auto const& tables) {
    return [&tables](std::size_t band, std::size_t size, std::size_t which) {
      if (which == 0) return grams * tables.extinction[band][size];
      return which == 1 ? 1 - tables.albedo[band][size] : tables.asymmetry[band][size];
    };
  };
  result.ice_streamer =
      to_device<Table>(space, "ice_streamer_sw", of_particles(ice_streamer), nbnd_sw, Impl::nice_streamer, 3);
  result.ice_fu = to_device<Table>(
      space, "ice_fu_sw",
      [&](std::size_t band, std::size_t size, std::size_t which) {
        return which == 3 ? fu_forward[band][size] : of_particles(ice_fu)(band, size, which);
      },
      nbnd_sw, Impl::nice_fu, 4);
  result.liquid = to_device<Table>(space, "liquid_sw", of_particles(liquid_hu_stamnes), nbnd_sw, Impl::nliquid, 3);
  return result;
}

template <KokkosExecutionSpace ExecutionSpace, Floating Real>
AerosolScattering<ExecutionSpace, Real> make_aerosol_scattering(ExecutionSpace const& space) {
  return {to_device<Array<Real const***, ExecutionSpace>>(
      space, "aerosol_types",
      [](std::size_t band, std::size_t type, std::size_t which) {
        double const extinction = aerosol_types.extinction[type][band];
        double const albedo = aerosol_types.albedo[type][band];
        if (which == 0) return extinction * (1 - albedo);
        return which == 1 ? extinction * albedo : extinction * albedo * aerosol_types.asymmetry[type][band];
      },
      nbnd_sw, naerosol, 3)};
}

#define PARHELION_INSTANTIATE_REAL(SPACE, REAL)                                           \
  template CloudScattering<SPACE, REAL> make_cloud_scattering<SPACE, REAL>(SPACE const&); \
  template AerosolScattering<SPACE, REAL> make_aerosol_scattering<SPACE, REAL>(SPACE const&);
#define PARHELION_INSTANTIATE(SPACE)       \
  PARHELION_INSTANTIATE_REAL(SPACE, float) \
  PARHELION_INSTANTIATE_REAL(SPACE, double)
PARHELION_FOR_EACH_EXECUTION_SPACE(PARHELION_INSTANTIATE)

}  // namespace parhelion::fluxes::rrtmg_sw
