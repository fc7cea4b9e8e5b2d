// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_FLUXES_RRTMG_LW_INTERPOLATION_STATE_HPP
#define PARHELION_FLUXES_RRTMG_LW_INTERPOLATION_STATE_HPP

#include "rrtmg_lw/gas_optics_tables.hpp"
#include "rrtmg_lw/reference_tables.hpp"

#include <parhelion/core/interpolate.hpp>

namespace parhelion::fluxes::rrtmg_lw {

/// Constants that RRTMG_LW fixes; they differ from today's values in the last digits.
namespace model_constants {
inline constexpr double gravity = 9.8066;           ///< [m s-2]
inline constexpr double avogadro = 6.02214199e23;   ///< [mol-1]
inline constexpr double molar_mass_dry = 28.966;    ///< [g mol-1]
inline constexpr double molar_mass_water = 18.016;  ///< [g mol-1]
inline constexpr double heat_capacity = 1004;       ///< of air at constant pressure [J kg-1 K-1]
/// Upper boundary of the lower tables, exp(4.56) [hPa]: the upper tables serve there and at lower pressures.
inline constexpr double pressure_tropopause = 95.58347983006624;
}  // namespace model_constants

/// \brief Where layers lie between the reference pressures and temperatures, and their gas columns.
///
/// For `width` neighbouring layers of one half of the atmosphere. Indices count from 0. Columns are in 1e20 molecules
/// cm-2. Kernels make it once for all bands.
template <class Real, int width = 1>
struct InterpolationState {
  bool upper;                       ///< the upper atmosphere's tables serve
  int jp[width];                    ///< reference pressure below the layer
  int jt0[width], jt1[width];       ///< temperature index at jp and at jp + 1, 0..3
  Real fac00[width], fac10[width];  ///< weights at jp of jt0 and jt0 + 1
  Real fac01[width], fac11[width];  ///< weights at jp + 1 of jt1 and jt1 + 1
  int self_index[width];
  Real self_fraction[width], self_scale[width];  ///< scale holds the water column
  int foreign_index[width];
  Real foreign_fraction[width], foreign_scale[width];
  int minor_index[width];
  Real minor_fraction[width];
  Real density[width];       ///< p/T [hPa K-1]
  Real pressure[width];      ///< [hPa]
  Real dry[width];           ///< column of dry air
  Real broadening[width];    ///< column of the gases that only broaden
  Real column[ngas][width];  ///< columns of the gases; zero columns of some are tiny instead
};

/// Mole ratio that stands for 0 of a gas that is never zero.
inline constexpr double tiny_ratio = 1e-12;

/// Dry-air column of a layer [1e20 molecules cm-2].
/// \param pressure_thickness [Pa]
/// \param water mixing ratio of water vapour to dry air
template <class Real>
KOKKOS_INLINE_FUNCTION Real dry_column(Real pressure_thickness, Real water) {
  constexpr Real unit = static_cast<Real>(model_constants::avogadro * 1e-20 * 0.1 / model_constants::gravity);
  Real const molar_mass = (1 - water) * static_cast<Real>(model_constants::molar_mass_dry) +
                          water * static_cast<Real>(model_constants::molar_mass_water);
  return pressure_thickness * unit / (molar_mass * (1 + water));
}

/// Whether the tables of the upper atmosphere apply at a pressure [Pa].
template <class Real>
KOKKOS_INLINE_FUNCTION bool is_upper(Real pressure) {
  return !(pressure > static_cast<Real>(100 * model_constants::pressure_tropopause));
}

/// \brief Number, from 0, of the reference pressure below a layer.
///
/// Reference levels lie 0.2 apart in ln p. The limits keep a rounding error at the boundary between the halves from
/// reaching into the other half's table.
/// \param ln_pressure of the layer, ln(hPa)
/// \param upper       whether the upper atmosphere's tables serve
template <class Real>
KOKKOS_INLINE_FUNCTION int reference_pressure(Real ln_pressure, bool upper) {
  Real const position = static_cast<Real>(36) - 5 * (ln_pressure + static_cast<Real>(0.04));
  return clamped_index(position, upper ? npressure_lower : 1, upper ? npressure_ref - 1 : npressure_lower - 1) - 1;
}

/// \brief Where layers lie between the reference levels of the tables, and their columns of gas.
///
/// Fractions are not limited: outside the tables they extrapolate.
/// \param s          overwritten
/// \param tables     with the reference atmosphere, and is_never_zero(gas), which says whether a column of zero counts
///                   as a tiny one
/// \param columns    the atmosphere
/// \param column     which column
/// \param first,last which layers, of one half; the last one is repeated to fill the width
template <class Tables, class AnyColumns, class Real, int width>
KOKKOS_INLINE_FUNCTION void set_interpolation_state(InterpolationState<Real, width>& s, Tables const& tables,
                                                    AnyColumns const& columns, int column, int first, int last) {
  s.upper = is_upper(columns.pressure_lay(column, first));
  for (int l = 0; l < width; ++l) {
    int const layer = first + l < last ? first + l : last;
    Real const pressure = columns.pressure_lay(column, layer) / 100;
    Real const temperature = columns.temperature_lay(column, layer);
    Real const ln_pressure = Kokkos::log(pressure);
    s.pressure[l] = pressure;
    s.jp[l] = reference_pressure(ln_pressure, s.upper);
    Real const fp = 5 * (tables.ln_pressure(s.jp[l]) - ln_pressure);

    Real const offset0 = (temperature - tables.temperature(s.jp[l])) / 15;
    Real const offset1 = (temperature - tables.temperature(s.jp[l] + 1)) / 15;
    s.jt0[l] = clamped_index(3 + offset0, 1, 4) - 1;
    s.jt1[l] = clamped_index(3 + offset1, 1, 4) - 1;
    Real const ft0 = offset0 - static_cast<Real>(s.jt0[l] - 2);
    Real const ft1 = offset1 - static_cast<Real>(s.jt1[l] - 2);
    s.fac00[l] = (1 - fp) * (1 - ft0);
    s.fac10[l] = (1 - fp) * ft0;
    s.fac01[l] = fp * (1 - ft1);
    s.fac11[l] = fp * ft1;

    auto const ratio = [&](Gas gas) { return columns.vmr(column, static_cast<int>(gas), layer); };
    Real const water = ratio(Gas::h2o);
    Real const dry = dry_column(columns.pressure_lev(column, layer) - columns.pressure_lev(column, layer + 1), water);
    s.dry[l] = dry;
    Real others = 0;
    for (int gas = 0; gas < ngas; ++gas) {
      Real const vmr = columns.vmr(column, gas, layer);
      s.column[gas][l] = dry * (vmr == 0 && Tables::is_never_zero(gas) ? static_cast<Real>(tiny_ratio) : vmr);
      if (gas >= static_cast<int>(Gas::co2) && gas <= static_cast<int>(Gas::o2)) others += vmr;
    }
    s.broadening[l] = dry * (1 - others);

    // Continua of water vapour and minor gases (Mlawer et al. 1997, section 2; Clough et al. 1992 for the continuum).
    s.density[l] = pressure / temperature;
    constexpr Real standard = static_cast<Real>(296.0 / 1013.0);
    Real const scale = s.density[l] * standard / (1 + water);
    s.foreign_scale[l] = scale * s.column[static_cast<int>(Gas::h2o)][l];
    s.self_scale[l] = water * s.foreign_scale[l];
    Real const warm = (332 - temperature) / 36;
    Real const cold = (temperature - 188) / 36;
    s.foreign_index[l] = s.upper ? 2 : clamped_index(warm, 1, 2) - 1;
    s.foreign_fraction[l] = s.upper ? cold - 1 : warm - static_cast<Real>(s.foreign_index[l] + 1);
    Real const self = (temperature - 188) / static_cast<Real>(7.2);
    s.self_index[l] = clamped_index(self - 7, 1, 9) - 1;
    s.self_fraction[l] = self - static_cast<Real>(s.self_index[l] + 8);
    Real const minor = (temperature - static_cast<Real>(180.8)) / static_cast<Real>(7.2);
    s.minor_index[l] = clamped_index(minor, 1, 18) - 1;
    s.minor_fraction[l] = minor - static_cast<Real>(s.minor_index[l] + 1);
  }
}

}  // namespace parhelion::fluxes::rrtmg_lw

#endif
