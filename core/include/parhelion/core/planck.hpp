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
  // If the ratio overflows or nearly so, 1 is negligible.
  Real const x = ratio < Real(1e30) ? Kokkos::log1p(ratio) : Kokkos::log(zero_point) - Kokkos::log(radiance);
  return Real(constants::second_radiation_cm1) * wavenumber / x;
}

namespace Impl {

/// f(t) = t^3 / (exp(t) - 1) for t > 0, with the exponential as a product of two (see planck_radiance).
/// \tparam derivative f(t) t / (1 - exp(-t)) = 3 f(t) - t f'(t) instead
template <bool derivative = false, Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_integrand(Real t) {
  Real const half = t * Kokkos::exp(-t / 2);
  Real const ratio = t / -Kokkos::expm1(-t);
  return half * (half * (derivative ? ratio * ratio : ratio));
}

/// Integral of planck_integrand from x to x + width, for 0 <= x and 0 <= width <= 2.
///
/// Eight Gauss-Legendre points: the nearest poles, +-2 pi i, are so far from an interval of length 2 that the error is
/// below 1e-16 of the result (1e-14 with `derivative`). Being a sum of positive terms it also serves narrow bands and
/// small x, where a difference of two series would cancel.
template <bool derivative = false, Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_integral_short(Real x, Real width) {
  constexpr Real node[4] = {Real(0.1834346424956498049395), Real(0.5255324099163289858177),
                            Real(0.7966664774136267395916), Real(0.9602898564975362316836)};
  constexpr Real weight[4] = {Real(0.3626837833783619829652), Real(0.3137066458778872873380),
                              Real(0.2223810344533744705444), Real(0.1012285362903762591525)};
  Real const half = width / 2;
  Real const middle = x + half;
  Real sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += weight[i] * (planck_integrand<derivative>(middle - half * node[i]) +
                        planck_integrand<derivative>(middle + half * node[i]));
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

/// Integral of t^3 / (exp(t) - 1) from x to x + width, for 0 <= x and 0 <= width, which may be infinity.
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_integral(Real x, Real width) {
  constexpr Real split = 2;  // where the series starts to be the shorter way
  constexpr Real tail_of_split = Real(5.317596805659831332744);
  if (width <= split) return planck_integral_short(x, width);
  if (x < split) return planck_integral_short(x, split - x) + (tail_of_split - planck_integral_tail(x + width));
  return planck_integral_tail(x) - planck_integral_tail(x + width);
}

/// The factor of T^4 and an integral of t^3 / (exp(t) - 1) that gives a radiance: the integral from 0 to infinity,
/// pi^4 / 15, corresponds to sigma T^4 / pi.
inline constexpr double planck_integral_scale =
    constants::stefan_boltzmann * 0.3183098861837906715378 * 0.1539897338202650278373;

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
  Real const width = per_wavenumber * (upper - lower);  // not a difference of products: narrow bands keep their digits
  Real const square = temperature * temperature;
  constexpr Real scale = Real(Impl::planck_integral_scale);
  return scale * square * (square * Impl::planck_integral(per_wavenumber * lower, width));
}

/// \brief Derivative of planck_band_radiance with respect to temperature.
///
/// The relative error is below 1e-12 in double (1e-5 in float) plus x ulps, as there.
///
/// \param lower, upper limits of the band [cm-1], 0 <= lower <= upper; upper may be infinity
/// \param temperature  [K], > 0
/// \return radiance of the band [W m-2 sr-1 K-1]
template <Floating Real>
KOKKOS_INLINE_FUNCTION Real planck_band_radiance_derivative(Real lower, Real upper, Real temperature) {
  // The limits x and y of the integral of f over t are proportional to 1/T, so that the derivative of T^4 times it is
  // T^3 (4 integral + x f(x) - y f(y)), which is T^3 times the integral of 3 f - t f'.
  Real const per_wavenumber = Real(constants::second_radiation_cm1) / temperature;
  Real const x = per_wavenumber * lower;
  Real const width = per_wavenumber * (upper - lower);
  constexpr Real wide = 2;  // what is wider loses nothing by differences
  constexpr Real nothing_left = 500;
  Real integral;
  if (width <= wide) {
    integral = Impl::planck_integral_short<true>(x, width);
  } else {
    Real const y = x + width;
    integral = 4 * Impl::planck_integral(x, width);
    if (x > 0) integral += x * Impl::planck_integrand(x);
    if (y < nothing_left) integral -= y * Impl::planck_integrand(y);
  }
  constexpr Real scale = Real(Impl::planck_integral_scale);
  return scale * temperature * (temperature * (temperature * integral));
}

}  // namespace parhelion

#endif
