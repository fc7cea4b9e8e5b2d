// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of the optical depth of continua.
#ifndef PARHELION_EGA_CONTINUUM_SLOPES_HPP
#define PARHELION_EGA_CONTINUUM_SLOPES_HPP

#include "continuum_terms.hpp"

namespace parhelion::ega::Impl {

/// Quantities of a segment for the derivatives of its continua, common to all channels: factors without the mole
/// fraction.
template <Floating Real>
struct ContinuumFactors {
  Real co2;
  Real h2o;
  Real co2_mixing_ratio;
  Real n2_by_temperature;  ///< derivative of the logarithm of SegmentTerms::n2 [K-1]
  Real inverse_pressure;   ///< [Pa-1]
  Real inverse_length;     ///< [m-1]; 0 for a segment of length 0
  Real air_per_kelvin;     ///< [K-1]; 0 unless the temperature affects the amount of air only
};

template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION ContinuumFactors<Real> continuum_factors(Model<Space, Real> const& model,
                                                                AirProfiles<Space> const& atmosphere, int profile,
                                                                RayPoint const& point) {
  ContinuumFactors<Real> factors{};
  double const t = lookup_place(point).temperature;
  double const weighted = air_column(point) * point.pressure / jurassic_constants::standard_pressure;
  factors.co2 = static_cast<Real>(weighted / (jurassic_constants::avogadro * 1000));
  factors.h2o = static_cast<Real>(weighted * (296 / t) * 1e-20);
  if (model.co2 >= 0)
    factors.co2_mixing_ratio = static_cast<Real>(
        LevelPosition(point.position, atmosphere.nlev()).of(&atmosphere.mole_fraction(profile, model.co2, 0)));
  constexpr double n2 = 0.79;
  factors.n2_by_temperature =
      static_cast<Real>(-2 / t - (1 - n2) * 0.4545 / 296 / (n2 + (1 - n2) * (1.294 - 0.4545 * t / 296)));
  factors.inverse_pressure = static_cast<Real>(1 / point.pressure);
  factors.inverse_length = static_cast<Real>(point.length > 0 ? 1 / point.length : 0);
  factors.air_per_kelvin = static_cast<Real>(t == point.temperature ? 0 : 1 / point.temperature);
  return factors;
}

/// Derivatives of the optical depth.
template <Floating Real>
struct ContinuumSlopes {
  Real pressure, temperature, length;
  Real co2, h2o;  ///< with respect to their mole fractions
};

/// Derivatives of continuum_depth.
template <Floating Real, class Space>
KOKKOS_INLINE_FUNCTION ContinuumSlopes<Real> continuum_slopes(Model<Space, Real> const& model,
                                                              SegmentTerms<Real> const& terms,
                                                              ContinuumFactors<Real> const& factors, int channel) {
  auto const of = [&](ChannelCoefficient which) { return model.coefficient(which, channel); };
  ContinuumSlopes<Real> slopes{};
  Real depth = 0;
  Real const t = terms.temperature;
  Real const per_kelvin = terms.inverse_temperature;
  if (model.co2 >= 0) {
    Real const c296 = static_cast<Real>(4.208754e-4) * of(ChannelCoefficient::co2_296);
    Real const c260 = static_cast<Real>(9.259259e-4) * of(ChannelCoefficient::co2_260);
    Real const c230 = static_cast<Real>(5.050505e-4) * of(ChannelCoefficient::co2_230);
    Real const coefficient = (t - 230) * (t - 260) * c296 - (t - 230) * (t - 296) * c260 + (t - 260) * (t - 296) * c230;
    Real const by_temperature = (2 * t - 490) * c296 - (2 * t - 526) * c260 + (2 * t - 556) * c230;
    Real const q = factors.co2_mixing_ratio;
    depth += factors.co2 * q * coefficient;
    slopes.co2 = factors.co2 * coefficient;
    slopes.temperature += factors.co2 * q * (by_temperature - coefficient * per_kelvin);
  }
  if (model.h2o >= 0) {
    Real const nu = of(ChannelCoefficient::wavenumber);
    Real const q = terms.h2o_mixing_ratio;
    Real const x = static_cast<Real>(0.7193876) * nu * per_kelvin;
    auto const thermal = attenuate_exp2(static_cast<Real>(-2 * 1.4426950408889634074) * x);
    Real const tanh = thermal.absorptivity / (1 + thermal.transmittance);
    Real const self =
        of(ChannelCoefficient::h2o_self_296) * exp_minus(-of(ChannelCoefficient::h2o_self_log) * (296 - t));
    Real const foreign = of(ChannelCoefficient::h2o_foreign);
    Real const mixed = q * self + (1 - q) * foreign;
    Real const factor = nu * factors.h2o;
    depth += factor * q * tanh * mixed;
    slopes.h2o = factor * tanh * (mixed + q * (self - foreign));
    slopes.temperature += factor * q *
                          (-(2 * tanh + (1 - tanh * tanh) * x) * per_kelvin * mixed -
                           tanh * q * of(ChannelCoefficient::h2o_self_log) * self);
  }
  Real const of_air = depth;
  if (model.collisions) {
    Real const warm = static_cast<Real>(1. / 296) - per_kelvin;
    Real const n2 = terms.n2 * of(ChannelCoefficient::n2_strength) * exp_minus(-of(ChannelCoefficient::n2_beta) * warm);
    Real const o2 = terms.o2 * of(ChannelCoefficient::o2_strength) * exp_minus(-of(ChannelCoefficient::o2_beta) * warm);
    depth += n2 + o2;
    slopes.temperature += n2 * (factors.n2_by_temperature + of(ChannelCoefficient::n2_beta) * per_kelvin * per_kelvin) +
                          o2 * (of(ChannelCoefficient::o2_beta) * per_kelvin - 2) * per_kelvin;
  }
  if (factors.air_per_kelvin > 0) slopes.temperature = -of_air * factors.air_per_kelvin;
  slopes.pressure = 2 * depth * factors.inverse_pressure;
  slopes.length = depth * factors.inverse_length;
  return slopes;
}

}  // namespace parhelion::ega::Impl

#endif
