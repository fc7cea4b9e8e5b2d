// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_LW_REFERENCE_TABLES_HPP
#define PARHELION_FLUXES_RRTMG_LW_REFERENCE_TABLES_HPP

#include <parhelion/fluxes/columns.hpp>

#include <array>

/// The numbers of RRTMG_LW (Mlawer et al. 1997, doi:10.1029/97JD00237) that its coefficient file does not hold.
namespace parhelion::fluxes::rrtmg_lw {

inline constexpr int npressure_ref = 59;         ///< reference pressures, from 1053.63 hPa upwards
inline constexpr int npressure_lower = 13;       ///< of which the first 13 belong to the lower atmosphere
inline constexpr int nreference_gas = 7;         ///< H2O, CO2, O3, N2O, CO, CH4, O2: the first gases of `Gas`
inline constexpr int ng_original = 16;           ///< g-points of each band before reduction
inline constexpr int ntemperature_planck = 181;  ///< Planck table: 160 K to 340 K by 1 K
inline constexpr double planck_table_lowest = 160;
inline constexpr double planck_table_highest = planck_table_lowest + ntemperature_planck - 1;

/// Natural logarithm of the reference pressures in hPa.
extern std::array<double, npressure_ref> const ln_pressure_ref;

/// Reference temperatures [K].
extern std::array<double, npressure_ref> const temperature_ref;

/// Reference mixing ratios [mol per mol of dry air] at the reference pressures.
extern std::array<std::array<double, nreference_gas>, npressure_ref> const vmr_ref;

/// Weights of the original g-points; they sum to 1.
extern std::array<double, ng_original> const quadrature_weight;

/// Planck radiance averaged over each band [W cm-2 sr-1 (cm-1)-1]; the last band holds all above 2600 cm-1.
extern std::array<std::array<double, ntemperature_planck>, nbnd> const planck_band_mean;

/// Its derivative with respect to temperature [W cm-2 sr-1 (cm-1)-1 K-1], as RRTMG_LW tabulates it: by up to
/// 0.6 % different from the derivative of planck_band_mean.
extern std::array<std::array<double, ntemperature_planck>, nbnd> const planck_derivative_band_mean;

}  // namespace parhelion::fluxes::rrtmg_lw

#endif
