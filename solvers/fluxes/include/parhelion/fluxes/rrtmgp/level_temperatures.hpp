// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMGP_LEVEL_TEMPERATURES_HPP
#define PARHELION_FLUXES_RRTMGP_LEVEL_TEMPERATURES_HPP

#include <parhelion/fluxes/columns.hpp>

namespace parhelion::fluxes::rrtmgp {

/// \brief Level temperatures from those of layers, as RRTMGP makes them where they are not given.
///
/// Inside, the mean of both layers, weighted by p1 (q - p2) and p2 (p1 - q) with their pressures p1, p2 and that of the
/// level, q. At both ends, on the line in pressure through the two layers next to it; of a single layer, its own.
///
/// \param columns whose temperature_lev is overwritten, from pressure_lay, pressure_lev and temperature_lay. Pressures
///                must fall or rise all the way
/// \throws parhelion::Error on mismatched extents, or where two neighbouring layers have the same pressure
void interpolate_level_temperatures(HostColumns const& columns);

}  // namespace parhelion::fluxes::rrtmgp

#endif
