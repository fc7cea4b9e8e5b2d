// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_SW_REFERENCE_TABLES_HPP
#define PARHELION_FLUXES_RRTMG_SW_REFERENCE_TABLES_HPP

#include "clouds/cloud_absorption.hpp"
#include "rrtmg_lw/reference_tables.hpp"

#include <parhelion/fluxes/shortwave_columns.hpp>

#include <array>
#include <cstddef>

/// The numbers of RRTMG_SW that its coefficient file does not hold. Its reference atmosphere, the weights of its
/// original g-points and its table of transmittances (see TableTransfer) are those of RRTMG_LW, to the last bit.
namespace parhelion::fluxes::rrtmg_sw {

using rrtmg_lw::ln_pressure_ref;
using rrtmg_lw::ng_original;
using rrtmg_lw::npressure_lower;
using rrtmg_lw::npressure_ref;
using rrtmg_lw::quadrature_weight;
using rrtmg_lw::temperature_ref;

inline constexpr int nsolar_row = 186;    ///< rows of nrlssi2
inline constexpr int nsolar_cycle = 134;  ///< places in the mean solar cycle

/// Solar irradiance of the original g-points at 1 au [W m-2]. Rows run over the bands, in each over quiet_sun, faculae
/// and sunspots of SolarSpectrum, and (fastest) the species ratio of bands that have one.
extern std::array<std::array<double, ng_original>, nsolar_row> const nrlssi2;

/// The Mg index of faculae and the sunspot index over the mean solar cycle. The first and the last interval are half as
/// long as the others.
extern std::array<double, nsolar_cycle> const facular_index;
extern std::array<double, nsolar_cycle> const sunspot_index;

/// Ice of effective radius r [um]: extinction a + b / r [m2 g-1], co-albedo c + d r, asymmetry e + f r.
struct EbertCurry {
  double a, b, c, d, e, f;
};
/// Of five groups of bands, from the shortest waves to the longest.
extern std::array<EbertCurry, 5> const ebert_curry;

/// Optical properties of particles over their size.
template <std::size_t nsize>
struct ParticleTables {
  std::array<std::array<double, nsize>, nbnd_sw> extinction;  ///< [m2 g-1]
  std::array<std::array<double, nsize>, nbnd_sw> albedo;      ///< single scattering albedo [1]
  std::array<std::array<double, nsize>, nbnd_sw> asymmetry;   ///< [1]
};
extern ParticleTables<Impl::nice_streamer> const ice_streamer;
extern ParticleTables<Impl::nice_fu> const ice_fu;
extern ParticleTables<Impl::nliquid> const liquid_hu_stamnes;

/// Fraction of the forward peak of ice_fu, before that of diffraction [1].
extern std::array<std::array<double, Impl::nice_fu>, nbnd_sw> const fu_forward;

/// Optical properties of the types of aerosol.
struct AerosolTables {
  std::array<std::array<double, nbnd_sw>, naerosol> extinction;  ///< for an optical depth of 1 at 550 nm [1]
  std::array<std::array<double, nbnd_sw>, naerosol> albedo;      ///< single scattering albedo [1]
  std::array<std::array<double, nbnd_sw>, naerosol> asymmetry;   ///< [1]
};
extern AerosolTables const aerosol_types;

}  // namespace parhelion::fluxes::rrtmg_sw

#endif
