// SPDX-License-Identifier: BSD-3-Clause
// The transfer of ecRad's and RTE's cloudless solvers in the plainest form, one g-point at a time. Numbers have more
// digits than double, as some of the formulas cancel. Layers and levels count from the surface.
#ifndef PARHELION_TESTS_PLAIN_TRANSFER_HPP
#define PARHELION_TESTS_PLAIN_TRANSFER_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace parhelion::Testing {

using Long = long double;

/// Fluxes of a g-point at the levels [W m-2].
struct PlainFluxes {
  std::vector<double> up, down, direct;
};

// --- longwave ---------------------------------------------------------------------------------------------------

/// What a layer does to radiation at one angle: its own is that which leaves it.
struct PlainEmission {
  Long transmittance, up, down;
};

/// ecRad's layer, from its vertical optical depth and what black bodies emit at its boundaries.
inline PlainEmission ecrad_emission(Long tau, Long top, Long bottom) {
  Long const diffusivity = 1.66L;
  Long const t = diffusivity * tau, e = std::exp(-t);
  if (tau <= 0.001L) return {e, t * (top + bottom) / 2, t * (top + bottom) / 2};
  Long const c = (bottom - top) / t;
  return {e, c + top - e * (c + bottom), bottom - c - e * (top - c)};
}

/// RTE's layer, from its optical depth along the path and the sources of the layer and at its boundaries.
inline PlainEmission rte_emission(Long t, Long layer, Long top, Long bottom) {
  Long const e = std::exp(-t);
  Long const f = t > 0x1p-13L ? (1 - e) / t - e : t * (0.5L + t * (-1 / 3.L + t / 8));
  return {e, (1 - e) * top + 2 * f * (layer - top), (1 - e) * bottom + 2 * f * (layer - bottom)};
}

/// \param emitted by the surface
inline PlainFluxes plain_longwave(std::vector<PlainEmission> const& layers, Long emitted, Long emissivity) {
  std::size_t const n = layers.size();
  PlainFluxes fluxes{std::vector<double>(n + 1), std::vector<double>(n + 1), {}};
  Long flux = 0;
  for (std::size_t k = n; k > 0; --k) {
    flux = layers[k - 1].transmittance * flux + layers[k - 1].down;
    fluxes.down[k - 1] = static_cast<double>(flux);
  }
  flux = emitted + (1 - emissivity) * flux;
  fluxes.up[0] = static_cast<double>(flux);
  for (std::size_t k = 0; k < n; ++k) {
    flux = layers[k].transmittance * flux + layers[k].up;
    fluxes.up[k + 1] = static_cast<double>(flux);
  }
  return fluxes;
}

// --- shortwave --------------------------------------------------------------------------------------------------

/// What a layer does to light: shares of diffuse flux, and of the flux of the beam into a horizontal plane.
struct PlainOperator {
  Long reflected, transmitted, reflected_beam, scattered_beam, beam;
};

/// What both have in common; the asymmetry parameter is 0.
struct PlainGammas {
  Long g1, g2, g3 = 0.5L, g4 = 0.5L, a1, a2;
  explicit PlainGammas(Long ssa) : g1((8 - 5 * ssa) / 4), g2(3 * ssa / 4), a1((g1 + g2) / 2), a2((g1 + g2) / 2) {}
};

/// ecRad's layer.
inline PlainOperator ecrad_operator(Long tau, Long ssa, Long mu0) {
  Long const eps = 0x1p-52L;
  PlainGammas const g(ssa);
  Long const k = std::sqrt(std::max((g.g1 - g.g2) * (g.g1 + g.g2), 1e-12L));
  Long const m = std::abs(1 - k * mu0) < 1000 * eps ? mu0 * (1 - 10 * eps) : mu0;
  Long const t0 = std::exp(-std::max(tau / m, 0.L)), e = std::exp(-k * tau), e2 = e * e;
  Long const q = 1 / (k + g.g1 + (k - g.g1) * e2), km = k * m;
  Long const of_beam = m * ssa * q / (1 - km * km);
  PlainOperator layer{g.g2 * (1 - e2) * q, 2 * k * e * q, 0, 0, t0};
  layer.reflected_beam =
      of_beam * ((1 - km) * (g.a2 + k * g.g3) - (1 + km) * (g.a2 - k * g.g3) * e2 - 2 * k * e * (g.g3 - g.a2 * m) * t0);
  layer.scattered_beam = of_beam * (2 * k * e * (g.g4 + g.a1 * m) -
                                    t0 * ((1 + km) * (g.a1 + k * g.g4) - (1 - km) * (g.a1 - k * g.g4) * e2));
  layer.reflected_beam = std::clamp(layer.reflected_beam, 0.L, 1.L);
  layer.scattered_beam = std::clamp(layer.scattered_beam, 0.L, 1 - layer.reflected_beam);
  // Both are shares of the flux across the beam.
  layer.reflected_beam /= mu0;
  layer.scattered_beam /= mu0;
  return layer;
}

/// RTE's layer.
inline PlainOperator rte_operator(Long tau, Long ssa, Long mu0) {
  Long const eps = 0x1p-52L;
  PlainGammas const g(ssa);
  Long const k = std::sqrt(std::max((g.g1 - g.g2) * (g.g1 + g.g2), 1e4L * eps));
  Long const m = std::max(mu0, std::sqrt(eps));
  Long const t0 = std::exp(-tau / m), e = std::exp(-k * tau), e2 = e * e, km = k * m;
  Long const q = 1 / (k * (1 + e2) + g.g1 * (1 - e2));
  Long const h = std::abs(1 - km * km) < eps ? eps : 1 - km * km;
  Long const of_beam = ssa * q / h;
  PlainOperator layer{q * g.g2 * (1 - e2), 2 * q * k * e, 0, 0, t0};
  layer.reflected_beam = of_beam * ((1 - km) * (g.a2 + k * g.g3) - (1 + km) * (g.a2 - k * g.g3) * e2 -
                                    2 * (k * g.g3 - g.a2 * km) * e * t0);
  layer.scattered_beam = -of_beam * ((1 + km) * (g.a1 + k * g.g4) * t0 - (1 - km) * (g.a1 - k * g.g4) * e2 * t0 -
                                     2 * (k * g.g4 + g.a1 * km) * e);
  layer.reflected_beam = std::clamp(layer.reflected_beam, 0.L, 1 - t0);
  layer.scattered_beam = std::clamp(layer.scattered_beam, 0.L, 1 - t0 - layer.reflected_beam);
  return layer;
}

/// \param incoming flux of the beam into a horizontal plane
inline PlainFluxes plain_shortwave(std::vector<PlainOperator> const& layers, Long incoming, Long albedo_direct,
                                   Long albedo_diffuse) {
  std::size_t const n = layers.size();
  std::vector<Long> beam(n + 1), albedo(n + 1), source(n + 1);
  beam[n] = incoming;
  for (std::size_t k = n; k > 0; --k) beam[k - 1] = beam[k] * layers[k - 1].beam;
  albedo[0] = albedo_diffuse;
  source[0] = albedo_direct * beam[0];
  auto const between = [&](std::size_t k) { return 1 / (1 - layers[k].reflected * albedo[k]); };
  for (std::size_t k = 0; k < n; ++k) {
    auto const& layer = layers[k];
    albedo[k + 1] = layer.reflected + layer.transmitted * layer.transmitted * albedo[k] * between(k);
    source[k + 1] = layer.reflected_beam * beam[k + 1] +
                    layer.transmitted * (source[k] + albedo[k] * layer.scattered_beam * beam[k + 1]) * between(k);
  }
  PlainFluxes fluxes{std::vector<double>(n + 1), std::vector<double>(n + 1), std::vector<double>(n + 1)};
  Long down = 0;
  for (std::size_t k = n + 1; k-- > 0;) {
    if (k < n)
      down = (layers[k].transmitted * down + layers[k].reflected * source[k] + layers[k].scattered_beam * beam[k + 1]) *
             between(k);
    fluxes.up[k] = static_cast<double>(albedo[k] * down + source[k]);
    fluxes.down[k] = static_cast<double>(down + beam[k]);
    fluxes.direct[k] = static_cast<double>(beam[k]);
  }
  return fluxes;
}

}  // namespace parhelion::Testing

#endif
