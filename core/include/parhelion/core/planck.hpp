// SPDX-License-Identifier: BSD-3-Clause
#ifndef PARHELION_CORE_PLANCK_HPP
#define PARHELION_CORE_PLANCK_HPP

#include <parhelion/core/constants.hpp>
#include <parhelion/core/types.hpp>

namespace parhelion {

/// \brief Planck's spectral radiance of a black body.
///
/// B = 2 h c^2 nu^3 / (exp(x) - 1) with x = h c nu / (k T), written with exp(-x) so that nothing overflows and with
/// expm1 so that nothing cancels. The relative error is a few ulps plus x ulps, as x is rounded before the exponential,
/// down to the smallest normal number.
///
/// \param wavenumber  [cm-1], >= 0
/// \param temperature [K], >= 0 but not both zero unless the wavenumber is
/// \return radiance [W m-2 sr-1 (cm-1)-1]; 0 at wavenumber 0 and at temperature 0
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_radiance(Real wavenumber, Real temperature) {
  if (wavenumber == Real(0)) return 0;
  Real const x = Real(constants::second_radiation_cm1) * wavenumber / temperature;
  // exp(-x) in two halves: in float it would leave the range of normal numbers long before the radiance does.
  Real const half = wavenumber * Kokkos::exp(-x / 2);
  return Real(constants::first_radiation_cm1) * half * (half * (wavenumber / -Kokkos::expm1(-x)));
}

/// \brief Derivative of planck_radiance with respect to temperature.
/// \param wavenumber  [cm-1], >= 0
/// \param temperature [K], > 0
/// \return dB/dT [W m-2 sr-1 (cm-1)-1 K-1]
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_radiance_derivative(Real wavenumber, Real temperature) {
  if (wavenumber == Real(0)) return 0;
  Real const x = Real(constants::second_radiation_cm1) * wavenumber / temperature;
  Real const radiance = planck_radiance(wavenumber, temperature);
  return radiance == Real(0) ? Real(0) : radiance * (x / temperature) / -Kokkos::expm1(-x);
}

/// \brief The temperature of the black body that has the given radiance: the inverse of planck_radiance.
/// \param wavenumber [cm-1], > 0
/// \param radiance   [W m-2 sr-1 (cm-1)-1], >= 0
/// \return brightness temperature [K]; 0 where the radiance is 0, without meaning (or NaN) where it is negative
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real brightness_temperature(Real wavenumber, Real radiance) {
  Real const zero_point = Real(constants::first_radiation_cm1) * wavenumber * wavenumber * wavenumber;
  Real const ratio = zero_point / radiance;
  // Where the ratio overflows or nearly so, 1 is nothing beside it.
  Real const x = ratio < Real(1e30) ? Kokkos::log1p(ratio) : Kokkos::log(zero_point) - Kokkos::log(radiance);
  return Real(constants::second_radiation_cm1) * wavenumber / x;
}

namespace Impl {

/// t^3 / (exp(t) - 1) for t > 0, with the exponential in two halves (see planck_radiance).
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_integrand(Real t) {
  Real const half = t * Kokkos::exp(-t / 2);
  return half * (half * (t / -Kokkos::expm1(-t)));
}

/// Integral of t^3 / (exp(t) - 1) from x to x + width, for 0 <= x and 0 <= width <= 2.
///
/// Eight Gauss-Legendre points: the nearest poles, +-2 pi i, are so far from an interval of length 2 that the error is
/// below 1e-16 of the result. Being a sum of positive terms it also serves narrow bands and small x, where a difference
/// of two series would cancel.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_integral_short(Real x, Real width) {
  constexpr Real node[4] = {Real(0.1834346424956498049395), Real(0.5255324099163289858177),
                            Real(0.7966664774136267395916), Real(0.9602898564975362316836)};
  constexpr Real weight[4] = {Real(0.3626837833783619829652), Real(0.3137066458778872873380),
                              Real(0.2223810344533744705444), Real(0.1012285362903762591525)};
  Real const half = width / 2;
  Real const middle = x + half;
  Real sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += weight[i] * (planck_integrand(middle - half * node[i]) + planck_integrand(middle + half * node[i]));
  return half * sum;
}

/// Integral of t^3 / (exp(t) - 1) from x >= 2 to infinity: the series of Widger & Woodall (1976),
/// doi:10.1175/1520-0477(1976)057<1217:IOTPBR>2.0.CO;2. Terms fall by exp(-x) each, so twenty reach 1e-17.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_integral_tail(Real x) {
  Real const half = Kokkos::exp(-x / 2);
  if (half == Real(0)) return 0;
  Real const ratio = half * half;
  Real const smallest = Kokkos::Experimental::epsilon_v<Real> / 16;
  Real power = 1;  // ratio^(n - 1)
  Real sum = 0;
  for (int n = 1; n <= 20; ++n) {
    Real const inverse = Real(1) / Real(n);
    Real const term = power * inverse * (x * x * x + inverse * (3 * x * x + inverse * (6 * x + inverse * 6)));
    sum += term;
    if (term <= smallest * sum) break;
    power *= ratio;
  }
  return half * (half * sum);
}

}  // namespace Impl

/// \brief Planck's radiance integrated over a band of wavenumbers.
///
/// The relative error is below 1e-13 in double (a few ulps in float) plus x ulps for a band in the far tail, where
/// x = h c nu / (k T) is large: there the result itself is as sensitive to its arguments. Over all wavenumbers the
/// result is sigma T^4 / pi.
///
/// \param lower, upper limits of the band [cm-1], 0 <= lower <= upper; upper may be infinity
/// \param temperature  [K], >= 0
/// \return radiance of the band [W m-2 sr-1]
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_band_radiance(Real lower, Real upper, Real temperature) {
  if (temperature == Real(0)) return 0;
  Real const per_wavenumber = Real(constants::second_radiation_cm1) / temperature;
  Real const x = per_wavenumber * lower;
  Real const width = per_wavenumber * (upper - lower);  // not a difference of products: narrow bands keep their digits
  constexpr Real split = 2;                             // where the series starts to be the shorter way
  constexpr Real tail_of_split = Real(5.317596805659831332744);
  Real integral;
  if (width <= split) {
    integral = Impl::planck_integral_short(x, width);
  } else if (x < split) {
    integral = Impl::planck_integral_short(x, split - x) + (tail_of_split - Impl::planck_integral_tail(x + width));
  } else {
    integral = Impl::planck_integral_tail(x) - Impl::planck_integral_tail(x + width);
  }
  // sigma T^4 / pi belongs to the integral from 0 to infinity, pi^4 / 15
  constexpr Real scale = Real(constants::stefan_boltzmann * 0.3183098861837906715378 * 0.1539897338202650278373);
  Real const square = temperature * temperature;
  return scale * square * (square * integral);
}

}  // namespace parhelion

#endif
