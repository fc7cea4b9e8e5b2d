// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_LW_BANDS_HPP
#define PARHELION_FLUXES_RRTMG_LW_BANDS_HPP

#include <parhelion/fluxes/columns.hpp>

#include <array>

/// \file
/// The 16 bands of RRTMG_LW (Mlawer et al. 1997, doi:10.1029/97JD00237; Iacono et al. 2008,
/// doi:10.1029/2008JD009944).
namespace parhelion::fluxes {

inline constexpr int ngpt = 140;  ///< g-points of all bands

/// A spectral band.
struct Band {
  double wavenumber_low;   ///< [cm-1]
  double wavenumber_high;  ///< [cm-1]
  int ng;                  ///< g-points
};

/// The 16 bands, from low to high wavenumber.
std::array<Band, nbnd> const& bands();

/// Values (of 4 or 8 bytes) in the coefficient file's record of each band.
std::array<int, nbnd> record_values();

}  // namespace parhelion::fluxes

#endif
