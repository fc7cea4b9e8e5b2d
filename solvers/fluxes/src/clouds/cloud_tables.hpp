// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_CLOUDS_CLOUD_TABLES_HPP
#define PARHELION_FLUXES_CLOUDS_CLOUD_TABLES_HPP

#include "clouds/cloud_absorption.hpp"

#include <array>

namespace parhelion::fluxes::Impl {

/// a + b / radius [m2 g-1], radius in um.
extern std::array<double, 2> const ice_of_all_bands;
extern std::array<std::array<double, 2>, 5> const ice_of_broad_bands;
extern double const liquid_of_all_bands;  ///< [m2 g-1]

/// Absorption coefficients over effective radius or size [m2 g-1].
extern std::array<std::array<double, nice_streamer>, nbnd> const ice_streamer;
extern std::array<std::array<double, nice_fu>, nbnd> const ice_fu;
extern std::array<std::array<double, nliquid>, nbnd> const liquid_hu_stamnes;

}  // namespace parhelion::fluxes::Impl

#endif
