// SPDX-License-Identifier: BSD-3-Clause
// Layers that scatter longwave radiation, for one g-point each: the two-stream method and the rescaling method of RTE.
#ifndef PARHELION_FLUXES_LONGWAVE_SCATTERING_HPP
#define PARHELION_FLUXES_LONGWAVE_SCATTERING_HPP

#include "transfer.hpp"
#include "two_stream.hpp"

#include <parhelion/core/exponential.hpp>

namespace parhelion::fluxes::Impl {

/// Planck radiances at the boundaries of a layer, or in it, in the unit of all radiances of a computation.
template <class Real>
struct LayerSources {
  Real bottom;
  Real top;
  Real layer;  ///< of the layer; the two-stream method does not use it
};

/// \brief What lies below a level does to diffuse radiation.
template <class Real>
struct BelowLevel {
  Real albedo;  ///< of everything below
  Real source;  ///< what goes up from there without radiation from above
};

/// \brief A layer of the longwave two-stream method: what it does to diffuse fluxes, and what it emits.
///
/// With absorption a, scattering s and asymmetric scattering h of the layer and the diffusivity D, the equations have
/// the coefficients G1 - G2 = D a and G1 + G2 = D (a + s - h), and the exponent K, the root of the product of both
/// (Toon et al. 1989, doi:10.1029/JD094iD13p16287, with the hemispheric mean; D is that of Fu et al. 1997). With
/// psi = (1 - exp(-K)) / K and E = exp(-K), and up to the common divisor 1 + E^2 + psi (1 + E) G1,
///
///     reflected = psi (1 + E) G2,  transmitted = 2 E,  absorbed = D a psi (1 + E + (G1 + G2) psi)
///
/// so that nothing cancels in thin layers, nor without absorption. The source varies linearly with optical depth:
/// up = absorbed * top + uneven * (bottom - top), down = absorbed * bottom - uneven * (bottom - top).
template <class Real>
struct LongwaveTwoStreamLayer {
  Real reflected;
  Real transmitted;
  Real source_up;    ///< flux that leaves at the top, over pi if the sources are radiances
  Real source_down;  ///< flux that leaves at the bottom

  /// The layer under what lies above its top: what everything below its top does.
  KOKKOS_INLINE_FUNCTION BelowLevel<Real> over(BelowLevel<Real> const& below) const {
    Real const many = 1 / (1 - reflected * below.albedo);
    return {reflected + transmitted * transmitted * below.albedo * many,
            source_up + transmitted * (below.source + below.albedo * source_down) * many};
  }

  /// \brief The downward flux at the bottom of the layer; the upward flux there is albedo * this + source.
  /// \param down  flux at the top
  /// \param below what everything below the layer does
  KOKKOS_INLINE_FUNCTION Real down_at_bottom(Real down, BelowLevel<Real> const& below) const {
    return (transmitted * down + reflected * below.source + source_down) / (1 - reflected * below.albedo);
  }
};

/// The diffusivity of the longwave two-stream method: the number of single precision next to 1.66, as in RTE.
inline constexpr double two_stream_diffusivity = 1.65999996662139892578125;

/// \brief A layer of the longwave two-stream method.
///
/// As in RTE, layers with an optical depth up to 1e-8 emit nothing. RTE limits the square of the exponent per optical
/// depth to at least 1e-12; here the formulas hold without that.
/// \param of      absorption >= 0, scattering >= 0, |asymmetric| <= scattering; not delta-scaled
/// \param sources at the boundaries of the layer
template <class Real>
KOKKOS_INLINE_FUNCTION LongwaveTwoStreamLayer<Real> two_stream_layer(LayerOptics<Real> const& of,
                                                                     LayerSources<Real> const& sources) {
  constexpr Real log2_e = static_cast<Real>(1.4426950408889634074);
  constexpr Real diffusivity = static_cast<Real>(two_stream_diffusivity);
  constexpr Real tiny = static_cast<Real>(1e-30);
  constexpr Real emits_nothing = static_cast<Real>(1e-8);
  Real const loss = diffusivity * (of.absorption > 0 ? of.absorption : 0);
  Real const exchange = diffusivity / 2 * (of.scattering - of.asymmetric);
  Real const sum = loss + 2 * exchange;
  Real const k = Kokkos::sqrt(loss * sum);
  auto const passed = attenuate_exp2(-log2_e * k);
  Real const e = passed.transmittance;
  Real const psi = k > tiny ? passed.absorptivity / (k > tiny ? k : Real(1)) : Real(1);
  Real const both = psi * (1 + e);
  Real const scale = 1 / (1 + e * e + both * (loss + exchange));
  bool const emits = of.absorption + of.scattering > emits_nothing;
  Real const absorbed = emits ? loss * (both + sum * psi * psi) * scale : Real(0);
  Real const uneven = emits ? (both - 2 * e + loss * psi * psi) * scale : Real(0);
  Real const gradient = uneven * (sources.bottom - sources.top);
  return {both * exchange * scale, 2 * e * scale, absorbed * sources.top + gradient,
          absorbed * sources.bottom - gradient};
}

/// \brief A layer along one direction of the longwave without scattering, and its correction for scattering by the
///        rescaling method (Tang et al. 2018, doi:10.1175/JAS-D-18-0014.1).
///
/// What goes down is computed first without the correction, then what goes up, then again what goes down.
template <class Real>
struct RescaledLayer {
  Real transmittance;
  Real emitted_up;
  Real emitted_down;
  Real correction;  ///< factor of the correction
  Real lost_twice;  ///< 1 - transmittance^2: of what passes the layer twice

  /// Radiance at the bottom without correction.
  KOKKOS_INLINE_FUNCTION Real down_uncorrected(Real down_at_top) const {
    return transmittance * down_at_top + emitted_down;
  }
  /// \brief Radiance that goes up at the top.
  /// \param up_at_bottom with correction
  /// \param down_at_top  without correction
  KOKKOS_INLINE_FUNCTION Real up(Real up_at_bottom, Real down_at_top) const {
    return transmittance * up_at_bottom + emitted_up +
           correction * (lost_twice * down_at_top - transmittance * emitted_down - emitted_up);
  }
  /// \brief Radiance that goes down at the bottom.
  /// \param down_at_top with correction
  /// \param up_at_top   with correction
  KOKKOS_INLINE_FUNCTION Real down(Real down_at_top, Real up_at_top) const {
    return transmittance * down_at_top + emitted_down +
           correction * (lost_twice * up_at_top - transmittance * emitted_up - emitted_down);
  }
};

/// \brief A layer of the rescaling method along a direction.
/// \param of      as for two_stream_layer
/// \param sources of the layer and at its boundaries
/// \param secant  1 over the cosine of the direction with the vertical
template <class Real>
KOKKOS_INLINE_FUNCTION RescaledLayer<Real> rescaled_layer(LayerOptics<Real> const& of,
                                                          LayerSources<Real> const& sources, Real secant) {
  constexpr Real tiny = static_cast<Real>(1e-30);
  Real const backward = (of.scattering - of.asymmetric) / 2;
  Real const all = of.absorption + backward;
  Real const depth = all > 0 ? all : 0;
  LayerTransfer<Real> const transfer = ExactTransfer{}(depth * secant);
  auto const emitted = [&](Real exit) {
    return transfer.absorptivity * (sources.layer + transfer.source_weight * (exit - sources.layer));
  };
  bool const attenuates = depth > tiny;
  Real const correction = attenuates ? Real(0.4) * backward / (attenuates ? depth : Real(1)) : Real(0);
  return {transfer.transmittance, emitted(sources.top), emitted(sources.bottom), correction,
          transfer.absorptivity * (1 + transfer.transmittance)};
}

}  // namespace parhelion::fluxes::Impl

#endif
