// SPDX-License-Identifier: BSD-3-Clause
// The temperature of a level by those of layers, for hosts and devices.
#ifndef PARHELION_FLUXES_RRTMGP_LEVEL_INTERPOLATION_HPP
#define PARHELION_FLUXES_RRTMGP_LEVEL_INTERPOLATION_HPP

#include <Kokkos_Core.hpp>

namespace parhelion::fluxes::rrtmgp {

/// \brief The temperature of a level of a column, see interpolate_level_temperatures().
/// \param p,t  pressures and temperatures of layers, by index
/// \param q    pressures of levels, by index
/// \param nlay layers, >= 1; two neighbouring ones have different pressures
/// \param k    the level
template <class LayerPressure, class LevelPressure, class Temperature>
KOKKOS_INLINE_FUNCTION double level_temperature(LayerPressure const& p, LevelPressure const& q, Temperature const& t,
                                                int nlay, int k) {
  if (k > 0 && k < nlay) {
    double const below = p(k - 1);
    double const above = p(k);
    double const level = q(k);
    return (below * t(k - 1) * (level - above) + above * t(k) * (below - level)) / (level * (below - above));
  }
  int const layer = k == 0 ? 0 : nlay - 1;
  int const next = k == 0 ? 1 : nlay - 2;
  return nlay == 1 ? t(layer) : t(layer) + (q(k) - p(layer)) * (t(next) - t(layer)) / (p(next) - p(layer));
}

}  // namespace parhelion::fluxes::rrtmgp

#endif
