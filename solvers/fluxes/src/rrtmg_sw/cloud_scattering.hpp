// SPDX-License-Identifier: BSD-3-Clause
// Absorption and scattering of sunlight by the ice and the droplets of clouds, and by types of aerosol.
#ifndef PARHELION_FLUXES_RRTMG_SW_CLOUD_SCATTERING_HPP
#define PARHELION_FLUXES_RRTMG_SW_CLOUD_SCATTERING_HPP

#include "clouds/cloud_absorption.hpp"

#include <parhelion/fluxes/cloud_optics.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>

#include <parhelion/core/interpolate.hpp>

#include <cstddef>

namespace parhelion::fluxes::rrtmg_sw {

/// \brief What particles do to light. Sums over kinds of particles are those of each member.
///
/// After delta scaling optical depth = absorption + scattering, single scattering albedo = scattering / optical depth,
/// asymmetry parameter = asymmetric_scattering / scattering.
template <class Real>
struct ParticleScattering {
  Real extinction;             ///< before delta scaling
  Real absorption;             ///< the same before and after delta scaling
  Real scattering;             ///< without what goes straight on, where it is delta-scaled
  Real asymmetric_scattering;  ///< scattering times asymmetry parameter
};

/// \brief Delta-scaled optical properties of ice and droplets, on a device.
///
/// Tables hold the co-albedo instead of the single scattering albedo, so that float keeps the digits of weak
/// absorption.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct CloudScattering {
  Array<Real const**, ExecutionSpace> ice_broad_bands;  ///< a to f of EbertCurry, (band, 6)
  /// Extinction [m2 kg-1], co-albedo, asymmetry parameter [1] and, of ice_fu, forward fraction, (band, size, 3 or 4).
  Array<Real const***, ExecutionSpace> ice_streamer;
  Array<Real const***, ExecutionSpace> ice_fu;
  Array<Real const***, ExecutionSpace> liquid;

  /// \brief Scattering by ice per water path [m2 kg-1].
  /// \param optics whose tables; not all_bands, which the shortwave does not have
  /// \param size   [m], within size_range(optics)
  /// \param band   0 .. nbnd_sw - 1
  KOKKOS_INLINE_FUNCTION ParticleScattering<Real> of_ice(IceOptics optics, Real size, int band) const {
    Real const micrometres = size * static_cast<Real>(1e6);
    if (optics == IceOptics::streamer)
      return squared(between(ice_streamer, Impl::nice_streamer, band, ice_place(micrometres)));
    if (optics == IceOptics::fu) {
      Place const place(Impl::nice_fu, ice_place(micrometres));
      Bulk const bulk = between(ice_fu, place, band);
      // Light that passes parallel faces, and diffraction, which is half of the extinction; at most the asymmetry.
      Real const forward = value(ice_fu, place, band, 3) + static_cast<Real>(0.5) / (1 - bulk.co_albedo);
      return scaled(bulk, forward < bulk.asymmetry ? forward : bulk.asymmetry);
    }
    auto const of = [&](int i) { return ice_broad_bands(band, i); };
    Real const asymmetry = of(4) + of(5) * micrometres;
    return squared({of(0) + of(1) / micrometres, of(2) + of(3) * micrometres,
                    asymmetry < 1 ? asymmetry : static_cast<Real>(1 - 1e-6)});
  }

  /// \brief Scattering by droplets per water path [m2 kg-1].
  /// \param optics whose tables; not all_bands, which the shortwave does not have
  /// \param size   [m], within size_range(optics)
  /// \param band   0 .. nbnd_sw - 1
  KOKKOS_INLINE_FUNCTION ParticleScattering<Real> of_liquid(LiquidOptics /* optics */, Real size, int band) const {
    return squared(between(liquid, Impl::nliquid, band, size * static_cast<Real>(1e6) - static_cast<Real>(2.5)));
  }

 private:
  // Before delta scaling.
  struct Bulk {
    Real extinction;
    Real co_albedo;
    Real asymmetry;
  };

  // Between two sizes of a table; beyond the last, by half a step at most, on the line through the two before it.
  struct Place {
    int lower;
    Real weight;
    KOKKOS_INLINE_FUNCTION Place(int n, Real steps)
        : lower(clamped_index(steps, 0, n - 2)), weight(steps - Real(lower)) {}
  };

  KOKKOS_INLINE_FUNCTION static Real ice_place(Real micrometres) { return (micrometres - 5) / 3; }

  KOKKOS_INLINE_FUNCTION static Real value(Array<Real const***, ExecutionSpace> const& table, Place const& place,
                                           int band, int which) {
    Real const lower = table(band, place.lower, which);
    return lower + place.weight * (table(band, place.lower + 1, which) - lower);
  }

  KOKKOS_INLINE_FUNCTION static Bulk between(Array<Real const***, ExecutionSpace> const& table, Place const& place,
                                             int band) {
    return {value(table, place, band, 0), value(table, place, band, 1), value(table, place, band, 2)};
  }
  KOKKOS_INLINE_FUNCTION static Bulk between(Array<Real const***, ExecutionSpace> const& table, int n, int band,
                                             Real steps) {
    return between(table, Place(n, steps), band);
  }

  // Delta scaling (Joseph, Wiscombe & Weinman 1976) with a forward fraction.
  KOKKOS_INLINE_FUNCTION static ParticleScattering<Real> scaled(Bulk const& bulk, Real forward) {
    Real const scattering = bulk.extinction * (1 - bulk.co_albedo);
    return {bulk.extinction, bulk.extinction * bulk.co_albedo, scattering * (1 - forward),
            scattering * (bulk.asymmetry - forward)};
  }
  // The same with the square of the asymmetry parameter.
  KOKKOS_INLINE_FUNCTION static ParticleScattering<Real> squared(Bulk const& bulk) {
    return scaled(bulk, bulk.asymmetry * bulk.asymmetry);
  }
};

/// Values that CloudScattering holds in its arrays.
inline constexpr std::size_t cloud_scattering_values =
    nbnd_sw * (6 + 3 * Impl::nice_streamer + 4 * Impl::nice_fu + 3 * Impl::nliquid);

/// Copies the tables to the device of `space`. Fences.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
CloudScattering<ExecutionSpace, Real> make_cloud_scattering(ExecutionSpace const& space);

/// Optical properties of ECMWF's types of aerosol, on a device.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
struct AerosolScattering {
  /// Absorption, scattering and asymmetric scattering for an optical depth of 1 at 550 nm, (band, type, 3).
  Array<Real const***, ExecutionSpace> types;

  /// \brief Optical depths of a layer [1], not delta-scaled.
  /// \param depth_550nm of each type, vertical [1]: depth_550nm(type)
  /// \param band        0 .. nbnd_sw - 1
  template <class Depths>
  KOKKOS_INLINE_FUNCTION ParticleScattering<Real> of_types(Depths const& depth_550nm, int band) const {
    ParticleScattering<Real> sum{0, 0, 0, 0};
    for (int type = 0; type < naerosol; ++type) {
      Real const depth = depth_550nm(type);
      sum.absorption += depth * types(band, type, 0);
      sum.scattering += depth * types(band, type, 1);
      sum.asymmetric_scattering += depth * types(band, type, 2);
    }
    sum.extinction = sum.absorption + sum.scattering;
    return sum;
  }
};

/// Values that AerosolScattering holds in its arrays.
inline constexpr std::size_t aerosol_scattering_values = nbnd_sw * naerosol * 3;

/// Copies the tables to the device of `space`. Fences.
template <KokkosExecutionSpace ExecutionSpace, Floating Real>
AerosolScattering<ExecutionSpace, Real> make_aerosol_scattering(ExecutionSpace const& space);

}  // namespace parhelion::fluxes::rrtmg_sw

#endif
