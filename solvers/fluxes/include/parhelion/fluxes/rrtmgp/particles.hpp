// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMGP_PARTICLES_HPP
#define PARHELION_FLUXES_RRTMGP_PARTICLES_HPP

namespace parhelion::fluxes::rrtmgp {

struct CloudOptics;
struct AerosolOptics;

/// Optics of the particles that a calculation may have. It refers to them.
struct Particles {
  CloudOptics const* clouds = nullptr;     ///< nullptr: there are no clouds
  AerosolOptics const* aerosol = nullptr;  ///< nullptr: there is no aerosol of types
  int ice_roughness = 2;                   ///< of the tables of ice, from 1
};

/// How scattering by particles counts in the longwave.
enum class Scattering {
  none,       ///< not at all: particles absorb
  rescaling,  ///< absorption, rescaled: Tang et al. (2018), doi:10.1175/JAS-D-18-0014.1
  two_stream  ///< two-stream layers, joined by adding
};

}  // namespace parhelion::fluxes::rrtmgp

#endif
