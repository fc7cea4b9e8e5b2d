// SPDX-License-Identifier: BSD-3-Clause
// Absorption of longwave radiation by the ice and the droplets of clouds.
#ifndef PARHELION_FLUXES_CLOUDS_CLOUD_ABSORPTION_HPP
#define PARHELION_FLUXES_CLOUDS_CLOUD_ABSORPTION_HPP

#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/columns.hpp>

#include <parhelion/core/interpolate.hpp>

#include <cstddef>

namespace parhelion::fluxes::Impl {

inline constexpr int nice_streamer = 43;  ///< sizes 5, 8, .. 131 um
inline constexpr int nice_fu = 46;        ///< sizes 5, 8, .. 140 um
inline constexpr int nliquid = 58;        ///< sizes 2.5, 3.5, .. 59.5 um

/// Values that CloudOptics holds in its arrays.
inline constexpr std::size_t cloud_optics_values = 2 * nbnd * 2 + nbnd * (nice_streamer + nice_fu + nliquid);

/// \brief Absorption coefficients of ice and droplets, on a device, in the units of the tables, which are not those of
///        Clouds.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct CloudOptics {
  Array<Real***, ExecutionSpace> ice_by_radius;  ///< a and b of a + b / radius, (all_bands or broad_bands, band, 2)
  Array<Real**, ExecutionSpace> ice_streamer;    ///< [m2 g-1], (band, size)
  Array<Real**, ExecutionSpace> ice_fu;          ///< [m2 g-1], (band, size)
  Array<Real**, ExecutionSpace> liquid;          ///< [m2 g-1], (band, size)
  Real liquid_of_all_bands = 0;                  ///< [m2 g-1]

  /// \brief Absorption by ice per water path [m2 g-1].
  /// \param optics whose coefficients
  /// \param size   [um], within size_range(optics), which is in m
  /// \param band   0 .. nbnd - 1
  KOKKOS_INLINE_FUNCTION Real of_ice(IceOptics optics, Real size, int band) const {
    if (optics == IceOptics::streamer) return between(ice_streamer, nice_streamer, band, (size - 5) / 3);
    if (optics == IceOptics::fu) return between(ice_fu, nice_fu, band, (size - 5) / 3);
    int const which = static_cast<int>(optics);
    return ice_by_radius(which, band, 0) + ice_by_radius(which, band, 1) / size;
  }

  /// \brief Absorption by droplets per water path [m2 g-1].
  /// \param optics whose coefficients
  /// \param size   [um], within size_range(optics), which is in m
  /// \param band   0 .. nbnd - 1
  KOKKOS_INLINE_FUNCTION Real of_liquid(LiquidOptics optics, Real size, int band) const {
    if (optics == LiquidOptics::all_bands) return liquid_of_all_bands;
    return between(liquid, nliquid, band, size - static_cast<Real>(2.5));
  }

 private:
  // Linear; beyond the last size, by half a step at most, with the slope before it.
  KOKKOS_INLINE_FUNCTION static Real between(Array<Real**, ExecutionSpace> const& table, int n, int band, Real place) {
    int const i = clamped_index(place, 0, n - 2);
    return table(band, i) + (place - Real(i)) * (table(band, i + 1) - table(band, i));
  }
};

/// Copies the coefficients of all options to the device of `space`. Fences.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
CloudOptics<ExecutionSpace, Real> make_cloud_optics(ExecutionSpace const& space);

}  // namespace parhelion::fluxes::Impl

#endif
