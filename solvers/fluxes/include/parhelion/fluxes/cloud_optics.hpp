// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_CLOUD_OPTICS_HPP
#define PARHELION_FLUXES_CLOUD_OPTICS_HPP

#include <string>

/// \file
/// Choices of the optics of clouds, which absorb longwave radiation as in RRTMG_LW 5.0 and do not scatter.
namespace parhelion::fluxes {

/// The absorption coefficients of ice, and what they depend on; values are those of `iceflglw`.
enum class IceOptics : int {
  all_bands = 0,    ///< effective radius, the same in all bands: Ebert & Curry (1992), doi:10.1029/91JD02472
  broad_bands = 1,  ///< effective radius, five groups of bands: Ebert & Curry (1992)
  streamer = 2,     ///< effective radius: Key (2001), Streamer 3.0
  fu = 3            ///< generalized effective size: Fu, Yang & Sun (1998)
};

/// The absorption coefficients of droplets, and what they depend on; values are those of `liqflglw`.
enum class LiquidOptics : int {
  all_bands = 0,  ///< nothing but the water path
  hu_stamnes = 1  ///< effective radius: Hu & Stamnes (1993)
};

/// Sizes of particles for which there are coefficients [m].
struct SizeRange {
  double smallest;
  double largest;
  /// The relative error that an end may have: sizes in float, or computed from um, are hardly ever an end exactly.
  static constexpr double tolerance = 2e-7;

  bool holds(double size) const { return size >= smallest * (1 - tolerance) && size * (1 - tolerance) <= largest; }
};

/// 10 um and more, 13 to 130 um, 5 to 131 um, or 5 to 140 um, in m.
SizeRange size_range(IceOptics optics);
/// Any, or 2.5 to 60 um, in m.
SizeRange size_range(LiquidOptics optics);

/// \brief The option that a number of RRTMG_LW stands for.
/// \param iceflglw 0 to 3
/// \param where    opens the message
/// \throws parhelion::Error where there is no such option
IceOptics ice_optics(int iceflglw, std::string const& where);
LiquidOptics liquid_optics(int liqflglw, std::string const& where);

}  // namespace parhelion::fluxes

#endif
