// SPDX-License-Identifier: BSD-3-Clause
// A layer of the shortwave: from optical depths to reflection and transmission.
#ifndef PARHELION_FLUXES_TWO_STREAM_HPP
#define PARHELION_FLUXES_TWO_STREAM_HPP

#include "transfer.hpp"

#include <parhelion/fluxes/shortwave.hpp>

#include <parhelion/core/exponential.hpp>

namespace parhelion::fluxes::Impl {

/// \brief Optical depths of a layer.
///
/// Absorption and scattering are kept apart, so that neither is lost where the other is much larger: 1 minus the single
/// scattering albedo is never formed. They add up over constituents.
template <class Real>
struct LayerOptics {
  Real absorption;
  Real scattering;
  Real asymmetric;  ///< scattering times the asymmetry parameter

  KOKKOS_INLINE_FUNCTION LayerOptics& operator+=(LayerOptics const& other) {
    absorption += other.absorption;
    scattering += other.scattering;
    asymmetric += other.asymmetric;
    return *this;
  }
};

/// \brief Delta scaling: the square of the asymmetry parameter is the fraction of the scattered light that counts as
///        unscattered (Joseph, Wiscombe & Weinman 1976).
template <class Real>
KOKKOS_INLINE_FUNCTION LayerOptics<Real> delta_scaled(LayerOptics<Real> const& of) {
  Real const asymmetry = of.scattering > 0 ? of.asymmetric / of.scattering : 0;
  Real const forward = of.asymmetric * asymmetry;
  return {of.absorption, of.scattering - forward, of.asymmetric - forward};
}

/// \brief The scattering that delta scaling has taken for unscattered light.
/// \param scaled optical depths after scaling; the asymmetry parameter before it is r / (1 - r) with r that after it
template <class Real>
KOKKOS_INLINE_FUNCTION Real scaled_away(LayerOptics<Real> const& scaled) {
  Real const rest = scaled.scattering - scaled.asymmetric;
  Real const asymmetry = rest > 0 ? scaled.asymmetric / rest : 0;
  Real const forward = asymmetry * asymmetry;
  return forward < 1 ? scaled.scattering * forward / (1 - forward) : Real(0);
}

/// \brief What a layer does to light. Numbers are shares of the flux that enters it.
template <class Real>
struct LayerOperator {
  Real reflected_beam;  ///< of the direct beam, upward
  Real scattered_beam;  ///< of the direct beam, downward as diffuse light
  Real reflected;       ///< of diffuse light
  Real transmitted;     ///< of diffuse light
  Real beam;            ///< of the direct beam, as direct beam
};

/// \brief The coefficients of a two-stream approximation, in terms of optical depths (Meador & Weaver 1980).
///
/// With a the absorption, s the scattering and h the asymmetric scattering of a layer, gamma1 - gamma2 times the
/// optical depth is `loss` a, gamma2 times it is `back` (s - h) + `back_of_absorption` a, and gamma3 is
/// 1/2 - `beam` h / s mu0.
template <class Real>
struct TwoStreamCoefficients {
  Real loss;
  Real back;
  Real back_of_absorption;
  Real beam;

  explicit TwoStreamCoefficients(TwoStream which) {
    double const root3 = 1.7320508075688772;
    bool const quadrature = which == TwoStream::quadrature;
    loss = static_cast<Real>(quadrature ? root3 : 2);
    back = static_cast<Real>(quadrature ? root3 / 2 : 0.75);
    back_of_absorption = static_cast<Real>(which == TwoStream::eddington ? -0.25 : 0);
    beam = static_cast<Real>(quadrature ? root3 / 2 : 0.75);
  }
};

/// The sun over a column.
template <class Real>
struct SunAngle {
  Real cosine;   ///< of the zenith angle, > 0
  Real inverse;  ///< 1 / cosine
};

/// \brief Whether a layer counts as one that absorbs nothing: its single scattering albedo before delta scaling is at
///        least 0.9999995, as in RRTMG_SW.
///
/// With the asymmetry parameter g after scaling by its square, 1 minus that albedo is a (1 - r^2) / (a + s - a r^2),
/// r = g / (1 - g). Negative absorption, which interpolation can leave, counts as none where scattering exceeds it.
template <class Real>
KOKKOS_INLINE_FUNCTION bool is_conservative(LayerOptics<Real> const& of, Real depth) {
  constexpr Real most = static_cast<Real>(5e-7);
  constexpr Real tiny = static_cast<Real>(1e-30);
  Real const inverse = 1 / (depth > tiny ? depth : tiny);
  Real const absorption = of.absorption * inverse;
  Real const asymmetric = of.asymmetric * inverse;
  Real const rest = (of.scattering - of.asymmetric) * inverse;
  Real const a2 = asymmetric * asymmetric;
  Real const r2 = rest * rest;
  Real const scaled = r2 - absorption * a2;  // positive unless the asymmetry is beyond what scaling by its square gives
  // Without branches: loops over lanes become vector instructions.
  int const is_one = static_cast<int>(absorption * (r2 - a2) <= most * scaled);
  return (static_cast<int>(depth > 0) & static_cast<int>(scaled > 0) & is_one) != 0;
}

/// \brief The solution of the two-stream equations (docs/explanation/shortwave.md).
///
/// The layer's exponents are k (of diffuse light) and d (of the beam). Everything is built from phi(x) =
/// (1 - exp(-x)) / x and from divided differences of exp(-x) over k, d, and sums of both, in which the points that are
/// furthest apart stand in the denominator. So nothing cancels where the beam and the diffuse light decay alike
/// (k = d, the resonance of the usual formula), nor without absorption (k = 0), nor in thin layers.
///
/// \tparam has_threshold   whether layers that is_conservative() names count as absorbing nothing, as in RRTMG_SW
/// \tparam may_be_negative whether interpolation can leave tiny negative optical depths, which a low sun makes longer
template <class Real, bool has_threshold = true, bool may_be_negative = true>
struct ExactTwoStream {
  TwoStreamCoefficients<Real> c;

  KOKKOS_FORCEINLINE_FUNCTION LayerOperator<Real> operator()(LayerOptics<Real> const& of,
                                                             SunAngle<Real> const& sun) const {
    constexpr Real log2_e = static_cast<Real>(1.4426950408889634074);
    constexpr Real tiny = static_cast<Real>(1e-30);
    // Exponents of diffuse light are not less than that, so that nothing is divided by zero. It changes no digit.
    constexpr Real least_squared = static_cast<Real>(1e-30);
    Real const all = of.absorption + of.scattering;
    Real const depth = !may_be_negative || all > -sun.cosine ? all : -sun.cosine;
    bool const conserves = has_threshold && is_conservative(of, depth);
    Real const loss = c.loss * of.absorption;
    Real const exchange = c.back * (of.scattering - of.asymmetric) + c.back_of_absorption * of.absorption;
    Real const gamma1 = loss + exchange;
    Real const gamma2 = conserves ? gamma1 : exchange;
    Real const k_squared = conserves ? 0 : loss * (loss + 2 * exchange);
    Real const k = Kokkos::sqrt(k_squared > least_squared ? k_squared : least_squared);
    Real const d = depth * sun.inverse;
    Real const scattering = conserves ? depth : of.scattering;
    Real const stretched = of.asymmetric * (depth / (of.scattering > tiny ? of.scattering : tiny));
    Real const of_scattering = of.scattering > tiny ? stretched : of.asymmetric;
    Real const asymmetric = conserves ? of_scattering : of.asymmetric;
    Real const half = scattering * (sun.inverse / 2);
    Real const uneven = c.beam * asymmetric;
    Real const to_up = half - uneven;    // what a unit of the beam loses to upward
    Real const to_down = half + uneven;  // and to downward diffuse light

    // Two exponentials make all: that of the smaller exponent, and that of the difference, which together are that of
    // the larger one.
    Real const sum = k + d;
    bool const beam_decays_faster = may_be_negative ? Kokkos::abs(sum) > 2 * k : d > k;  // d > k, unless d < 0
    Real const distance = Kokkos::abs(d - k);
    Real const difference = !may_be_negative ? distance : beam_decays_faster ? d - k : k - d;
    Real const apart = distance > tiny ? difference : tiny;
    bool const has_sum = !may_be_negative || Kokkos::abs(sum) > tiny;
    auto const inverse = inverses(has_sum ? sum : Real(1), 2 * k, apart);
    auto const of_slower = attenuate_exp2(-log2_e * (beam_decays_faster ? k : d));
    auto const of_apart = attenuate_exp2(-log2_e * apart);
    Real const e_slower = of_slower.transmittance;
    Real const e_faster = e_slower * of_apart.transmittance;
    Real const a_slower = of_slower.absorptivity;
    Real const a_faster = a_slower + e_slower * of_apart.absorptivity;
    Real const e_k = beam_decays_faster ? e_slower : e_faster;
    Real const e_d = beam_decays_faster ? e_faster : e_slower;
    Real const a_k = beam_decays_faster ? a_slower : a_faster;

    Real const phi_sum = has_sum ? (a_slower + e_slower * a_faster) * inverse.of_sum : Real(1);
    Real const phi_2k = a_k * (1 + e_k) * inverse.of_2k;
    Real const between = e_slower * (of_apart.absorptivity * inverse.of_apart);

    // Integrals over the layer of the beam times the homogeneous solutions, counted from below (i) and above (j).
    Real const near = beam_decays_faster ? phi_2k : phi_sum;
    Real const twice_inverse = 2 * (beam_decays_faster ? inverse.of_sum : inverse.of_2k);
    Real const i_sinh = (near - e_k * between) * twice_inverse;
    Real const j_sinh = (between - e_faster * near) * twice_inverse;
    Real const i_cosh = phi_sum + e_k * between;
    Real const j_cosh = between + e_k * phi_sum;

    Real const scale = 1 / (1 + e_k * e_k + 2 * gamma1 * phi_2k);
    return {.reflected_beam = (to_up * (i_cosh + gamma1 * i_sinh) + gamma2 * to_down * i_sinh) * scale,
            .scattered_beam = (to_down * (j_cosh + gamma1 * j_sinh) + gamma2 * to_up * j_sinh) * scale,
            .reflected = 2 * gamma2 * phi_2k * scale,
            .transmitted = 2 * e_k * scale,
            .beam = e_d};
  }

  /// The share of the beam that passes an optical depth along the vertical.
  KOKKOS_INLINE_FUNCTION Real beam(Real depth, SunAngle<Real> const& sun) const {
    constexpr Real log2_e = static_cast<Real>(1.4426950408889634074);
    Real const slant = depth * sun.inverse;
    return attenuate_exp2(-log2_e * (slant > -1 ? slant : Real(-1))).transmittance;
  }

 private:
  struct Inverses {
    Real of_sum, of_2k, of_apart;
  };

  /// \brief 1 / sum, 1 / two_k and 1 / apart, with few divisions.
  ///
  /// In float the product of all three can be beyond the range of numbers. Divisions that wait for no exponential take
  /// place while those are computed.
  KOKKOS_FORCEINLINE_FUNCTION static Inverses inverses(Real sum, Real two_k, Real apart) {
    Real const both = sum * two_k;
    if constexpr (sizeof(Real) > 4) {
      Real const of_all = 1 / (both * apart);
      Real const of_both = apart * of_all;
      return {two_k * of_both, sum * of_both, both * of_all};
    } else {
      Real const of_both = 1 / both;
      return {two_k * of_both, sum * of_both, 1 / apart};
    }
  }
};

/// \brief RRTMG_SW to the digit: its table of exponentials, thresholds and formulas.
template <class ExecutionSpace, class Real>
struct TableTwoStream {
  TwoStreamCoefficients<Real> c;
  TableTransfer<ExecutionSpace, Real> transfer;

  KOKKOS_INLINE_FUNCTION LayerOperator<Real> operator()(LayerOptics<Real> const& of, SunAngle<Real> const& sun) const {
    constexpr Real conservative = static_cast<Real>(0.9999995);
    constexpr Real most = 500;
    constexpr Real resonance = static_cast<Real>(1e-8);
    Real const mu0 = sun.cosine;
    Real const tau = of.absorption + of.scattering;
    Real const w = tau != 0 ? of.scattering / tau : 0;
    Real const g = of.scattering != 0 ? of.asymmetric / of.scattering : 0;
    Real const loss = c.loss * (1 - w);
    Real const gamma2 = c.back * w * (1 - g) + c.back_of_absorption * (1 - w);
    Real const gamma1 = loss + gamma2;
    Real const gamma3 = Real(0.5) - c.beam * g * mu0;
    Real const gamma4 = 1 - gamma3;
    Real const unscaled = albedo_before_scaling(w, g);
    Real const slant = tau / mu0;
    LayerOperator<Real> result;
    result.beam = transfer(slant).transmittance;
    Real const beam = transfer(slant < most ? slant : most).transmittance;
    if (unscaled >= conservative) {
      Real const x = gamma1 * tau;
      Real const b = gamma1 * mu0 - gamma3;
      bool const nothing = beam == 1;
      result.reflected_beam = nothing ? 0 : (x - b * (1 - beam)) / (1 + x);
      result.reflected = nothing ? 0 : x / (1 + x);
      result.scattered_beam = 1 - result.reflected_beam - result.beam;
      result.transmitted = 1 - result.reflected;
      return result;
    }
    Real const k = Kokkos::sqrt(gamma1 * gamma1 - gamma2 * gamma2);
    Real const a1 = gamma1 * gamma4 + gamma2 * gamma3;
    Real const a2 = gamma1 * gamma3 + gamma2 * gamma4;
    Real const e1 = transfer(k * tau < most ? k * tau : most).transmittance;
    Real const m = k * mu0;
    Real const over_e1 = 1 / e1;
    Real const d = (1 - m * m) * ((k + gamma1) * over_e1 + (k - gamma1) * e1);
    if (d <= resonance && d >= -resonance) {
      result.reflected_beam = resonance;
      result.scattered_beam = beam - result.beam;
    } else {
      result.reflected_beam = w *
                              ((1 - m) * (a2 + k * gamma3) * over_e1 - (1 + m) * (a2 - k * gamma3) * e1 -
                               2 * k * (gamma3 - a2 * mu0) * beam) /
                              d;
      Real const scattered = (1 + m) * (a1 + k * gamma4) * over_e1 - (1 - m) * (a1 - k * gamma4) * e1 -
                             2 * k * (gamma4 + a1 * mu0) * (1 / beam);
      result.scattered_beam = beam - beam * w * scattered / d - result.beam;
    }
    Real const ratio = (gamma1 - k) / (k + gamma1);
    Real const n = (k + gamma1) * (1 - e1 * e1 * ratio);
    result.reflected = gamma2 * (1 - e1 * e1) / n;
    result.transmitted = 2 * k * e1 / n;
    return result;
  }

  KOKKOS_INLINE_FUNCTION Real beam(Real depth, SunAngle<Real> const& sun) const {
    return transfer(depth / sun.cosine).transmittance;
  }

 private:
  KOKKOS_INLINE_FUNCTION static Real albedo_before_scaling(Real w, Real g) {
    Real const ratio = g / (1 - g);
    Real const d = g == 1 ? 1 : 1 - (1 - w) * ratio * ratio;
    return w <= 0 || d == 0 ? 0 : w / d;
  }
};

}  // namespace parhelion::fluxes::Impl

#endif
