// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_RRTMG_INTERPOLATION_STATE_HPP
#define PARHELION_RRTMG_INTERPOLATION_STATE_HPP

#include <parhelion/rrtmg/gas_optics.hpp>
#include <parhelion/rrtmg/reference_tables.hpp>

namespace parhelion::rrtmg {

/// Constants that RRTMG_LW fixes; they differ from today's values in the last digits.
namespace constants {
inline constexpr double gravity = 9.8066;               ///< [m s-2]
inline constexpr double avogadro = 6.02214199e23;       ///< [mol-1]
inline constexpr double molar_mass_dry = 28.966;        ///< [g mol-1]
inline constexpr double molar_mass_water = 18.016;      ///< [g mol-1]
inline constexpr double heat_capacity = 1004;           ///< of air at constant pressure [J kg-1 K-1]
inline constexpr double ln_pressure_tropopause = 4.56;  ///< ln(hPa): the upper tables serve at and above this height
}  // namespace constants

/// \brief Where a layer lies between the reference pressures and temperatures, and its gas columns.
///
/// Indices count from 0. Columns are in 1e20 molecules cm-2. Kernels make it once for all bands of a layer.
template <class Real>
struct InterpolationState {
  bool upper;         ///< the upper atmosphere's tables serve
  int jp;             ///< reference pressure below the layer
  int jt0, jt1;       ///< temperature index at jp and at jp + 1, 0..3
  Real fac00, fac10;  ///< weights at jp of jt0 and jt0 + 1
  Real fac01, fac11;  ///< weights at jp + 1 of jt1 and jt1 + 1
  int self_index;
  Real self_fraction, self_scale;  ///< scale holds the water column
  int foreign_index;
  Real foreign_fraction, foreign_scale;
  int minor_index;
  Real minor_fraction;
  Real density;       ///< p/T [hPa K-1]
  Real pressure;      ///< [hPa]
  Real dry;           ///< column of dry air
  Real broadening;    ///< column of the gases that only broaden
  Real column[ngas];  ///< columns of the gases; zero columns of CO2, O3, N2O, CO and CH4 are tiny instead
};

/// Dry-air column of a layer [1e20 molecules cm-2].
/// \param pressure_thickness [Pa]
/// \param water mole ratio of water vapour to dry air
template <class Real>
KOKKOS_INLINE_FUNCTION Real dry_column(Real pressure_thickness, Real water) {
  constexpr Real unit = static_cast<Real>(constants::avogadro * 1e-20 * 0.1 / constants::gravity);
  Real const molar_mass = (1 - water) * static_cast<Real>(constants::molar_mass_dry) +
                          water * static_cast<Real>(constants::molar_mass_water);
  return pressure_thickness * unit / (molar_mass * (1 + water));
}

namespace Impl {

template <class Real>
KOKKOS_INLINE_FUNCTION int clamp_index(Real x, int low, int high) {
  // Clamped before the conversion: what lies far outside the tables need not fit an int.
  return static_cast<int>(Kokkos::fmin(Kokkos::fmax(x, static_cast<Real>(low)), static_cast<Real>(high)));
}

}  // namespace Impl

/// \param model   gas optics, for its reference atmosphere
/// \param columns the atmosphere
/// \param column,layer which layer
template <class ExecutionSpace, class Real>
KOKKOS_INLINE_FUNCTION void set_interpolation_state(InterpolationState<Real>& s,
                                                    GasOptics<ExecutionSpace, Real> const& model,
                                                    Columns<ExecutionSpace, Real> const& columns, int column,
                                                    int layer) {
  using Impl::clamp_index;
  Real const pressure = columns.pressure_lay(column, layer) / 100;
  Real const temperature = columns.temperature_lay(column, layer);
  Real const ln_pressure = Kokkos::log(pressure);
  s.pressure = pressure;
  s.upper = !(ln_pressure > static_cast<Real>(constants::ln_pressure_tropopause));

  // Pressure: reference levels lie 0.2 apart in ln p. The limits keep a rounding error at the boundary between the
  // halves from reaching into the other half's table. Fractions are not limited: outside the tables they extrapolate.
  Real const position = static_cast<Real>(36) - 5 * (ln_pressure + static_cast<Real>(0.04));
  s.jp = clamp_index(position, s.upper ? npressure_lower : 1, s.upper ? npressure_ref - 1 : npressure_lower - 1) - 1;
  Real const fp = 5 * (model.ln_pressure(s.jp) - ln_pressure);

  Real const offset0 = (temperature - model.temperature(s.jp)) / 15;
  Real const offset1 = (temperature - model.temperature(s.jp + 1)) / 15;
  s.jt0 = clamp_index(3 + offset0, 1, 4) - 1;
  s.jt1 = clamp_index(3 + offset1, 1, 4) - 1;
  Real const ft0 = offset0 - static_cast<Real>(s.jt0 - 2);
  Real const ft1 = offset1 - static_cast<Real>(s.jt1 - 2);
  s.fac00 = (1 - fp) * (1 - ft0);
  s.fac10 = (1 - fp) * ft0;
  s.fac01 = fp * (1 - ft1);
  s.fac11 = fp * ft1;

  auto const ratio = [&](Gas gas) { return columns.mole_ratio(column, static_cast<int>(gas), layer); };
  Real const water = ratio(Gas::h2o);
  s.dry = dry_column(columns.pressure_lev(column, layer) - columns.pressure_lev(column, layer + 1), water);
  for (int gas = 0; gas < ngas; ++gas) s.column[gas] = s.dry * columns.mole_ratio(column, gas, layer);
  Real const others =
      ratio(Gas::co2) + ratio(Gas::o3) + ratio(Gas::n2o) + ratio(Gas::co) + ratio(Gas::ch4) + ratio(Gas::o2);
  s.broadening = s.dry * (1 - others);
  for (int gas = static_cast<int>(Gas::co2); gas <= static_cast<int>(Gas::ch4); ++gas)
    if (s.column[gas] == 0) s.column[gas] = static_cast<Real>(1e-12) * s.dry;

  // Continua of water vapour and minor gases (Mlawer et al. 1997, section 2; Clough et al. 1992 for the continuum).
  s.density = pressure / temperature;
  constexpr Real standard = static_cast<Real>(296.0 / 1013.0);
  Real const scale = s.density * standard / (1 + water);
  Real const column_water = s.column[static_cast<int>(Gas::h2o)];
  s.foreign_scale = scale * column_water;
  s.self_scale = water * s.foreign_scale;
  if (s.upper) {
    s.foreign_index = 2;
    s.foreign_fraction = (temperature - 188) / 36 - 1;
  } else {
    Real const factor = (332 - temperature) / 36;
    s.foreign_index = clamp_index(factor, 1, 2) - 1;
    s.foreign_fraction = factor - static_cast<Real>(s.foreign_index + 1);
  }
  Real const self = (temperature - 188) / static_cast<Real>(7.2);
  s.self_index = clamp_index(self - 7, 1, 9) - 1;
  s.self_fraction = self - static_cast<Real>(s.self_index + 8);
  Real const minor = (temperature - static_cast<Real>(180.8)) / static_cast<Real>(7.2);
  s.minor_index = clamp_index(minor, 1, 18) - 1;
  s.minor_fraction = minor - static_cast<Real>(s.minor_index + 1);
}

}  // namespace parhelion::rrtmg

#endif
