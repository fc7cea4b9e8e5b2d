// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_SW_BANDS_HPP
#define PARHELION_FLUXES_RRTMG_SW_BANDS_HPP

#include <parhelion/fluxes/rrtmg_lw/bands.hpp>
#include <parhelion/fluxes/shortwave_columns.hpp>

#include <array>

/// \file
/// The 14 bands of RRTMG_SW (Iacono et al. 2008, doi:10.1029/2008JD009944), in its order: 2600-3250 cm-1 (its band 16)
/// first, up to 38000-50000 cm-1, and 820-2600 cm-1 (its band 29) last.
namespace parhelion::fluxes {

/// The bands with their wavenumbers and numbers of g-points.
std::array<Band, nbnd_sw> const& shortwave_bands();

/// Whether a band counts as ultraviolet or visible: from 16000 cm-1 up.
bool is_uvvis(int band);

/// Real numbers (of 4 or 8 bytes) in the coefficient file's record of each band.
std::array<int, nbnd_sw> const& shortwave_record_values();

/// Of these, how many stand before the integer that each record but that of 22650-29000 cm-1 holds; -1: no integer.
std::array<int, nbnd_sw> const& shortwave_record_integers();

}  // namespace parhelion::fluxes

#endif
