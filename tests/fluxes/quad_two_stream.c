/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#define __STDC_WANT_IEC_60559_TYPES_EXT__
#include "quad_two_stream.h"

#include <math.h>
#include <stdlib.h>

/* glibc has mathematical functions of this precision; its headers say for which compilers. */
#if defined(__GLIBC__) && defined(__HAVE_FLOAT128) && __HAVE_FLOAT128
typedef _Float128 Quad;
#define QUAD(function) function##f128

int quad_is_available(void) { return 1; }

struct operator_of_layer {
  Quad reflected_beam, total_beam, reflected, transmitted, beam; /* total_beam: scattered downward and not scattered */
};

/* A layer of optical depth t, single scattering albedo 1 - absorbed, and asymmetry parameter g. */
struct layer {
  Quad t, absorbed, g;
};

static struct operator_of_layer of_formulas(int two_stream, struct layer of, Quad mu0, int conserves) {
  Quad const w = 1 - of.absorbed, g = of.g, t = of.t;
  Quad g1, g2, g3;
  if (two_stream == 0) {
    g1 = (8 - w * (5 + 3 * g)) / 4;
    g2 = 3 * w * (1 - g) / 4;
    g3 = (2 - 3 * g * mu0) / 4;
  } else if (two_stream == 1) {
    g1 = (7 - w * (4 + 3 * g)) / 4;
    g2 = -(1 - w * (4 - 3 * g)) / 4;
    g3 = (2 - 3 * g * mu0) / 4;
  } else {
    Quad const root3 = QUAD(sqrt)((Quad)3);
    g1 = root3 * (2 - w * (1 + g)) / 2;
    g2 = root3 * w * (1 - g) / 2;
    g3 = (1 - root3 * g * mu0) / 2;
  }
  Quad const g4 = 1 - g3;
  Quad const e2 = QUAD(exp)(-t / mu0);
  struct operator_of_layer result = {0, 1, 0, 1, 1};
  if (t == 0) return result;
  if (conserves) {
    Quad const x = g1 * t, b = g1 * mu0 - g3;
    result.reflected_beam = (x - b * (1 - e2)) / (1 + x);
    result.total_beam = 1 - result.reflected_beam;
    result.reflected = x / (1 + x);
    result.transmitted = 1 - result.reflected;
    result.beam = e2;
    return result;
  }
  Quad const root_of_rest = two_stream == 2 ? QUAD(sqrt)((Quad)3) : 2;
  Quad const k = QUAD(sqrt)(root_of_rest * of.absorbed * (g1 + g2)); /* g1 - g2, without its rounding errors */
  Quad const m = k * mu0;
  Quad const a1 = g1 * g4 + g2 * g3, a2 = g1 * g3 + g2 * g4;
  Quad const e1 = QUAD(exp)(-k * t);
  Quad const n = (k + g1) + (k - g1) * e1 * e1;
  Quad const d = (1 - m * m) * n;
  result.reflected_beam =
      w * ((1 - m) * (a2 + k * g3) - (1 + m) * (a2 - k * g3) * e1 * e1 - 2 * k * (g3 - a2 * mu0) * e1 * e2) / d;
  result.total_beam = e2 - w *
                               ((1 + m) * (a1 + k * g4) * e2 - (1 - m) * (a1 - k * g4) * e1 * e1 * e2 -
                                2 * k * (g4 + a1 * mu0) * e1) /
                               d;
  result.reflected = g2 * (1 - e1 * e1) / n;
  result.transmitted = 2 * k * e1 / n;
  result.beam = e2;
  return result;
}

/* The formulas, and next to k mu0 = 1, where they are 0/0, the mean of both sides. */
static struct operator_of_layer of_layer(int two_stream, struct layer of, Quad mu0, int conserves) {
  Quad const near = 1e-9, aside = 1e-9;
  Quad const w = 1 - of.absorbed;
  Quad const loss = (two_stream == 2 ? QUAD(sqrt)((Quad)3) : 2) * of.absorbed;
  Quad const g2 = two_stream == 0   ? 3 * w * (1 - of.g) / 4
                  : two_stream == 1 ? -(1 - w * (4 - 3 * of.g)) / 4
                                    : QUAD(sqrt)((Quad)3) * w * (1 - of.g) / 2;
  Quad const m_squared = loss * (loss + 2 * g2) * mu0 * mu0;
  if (conserves || QUAD(fabs)(1 - m_squared) > near) return of_formulas(two_stream, of, mu0, conserves);
  struct operator_of_layer const below = of_formulas(two_stream, of, mu0 * (1 - aside), 0);
  struct operator_of_layer const above = of_formulas(two_stream, of, mu0 * (1 + aside), 0);
  struct operator_of_layer result = below;
  result.beam = QUAD(exp)(-of.t / mu0);
  result.reflected_beam = (below.reflected_beam + above.reflected_beam) / 2;
  result.total_beam = (below.total_beam - below.beam + above.total_beam - above.beam) / 2 + result.beam;
  return result;
}

static struct layer layer_of(Quad absorption, Quad scattering, Quad asymmetric) {
  struct layer result;
  result.t = absorption + scattering;
  result.absorbed = result.t != 0 ? absorption / result.t : 0;
  result.g = scattering != 0 ? asymmetric / scattering : 0;
  return result;
}

static Quad unscaled_coalbedo(struct layer of) {
  Quad const w = 1 - of.absorbed;
  Quad const ratio = of.g / (1 - of.g);
  Quad const d = of.g == 1 ? 1 : 1 - of.absorbed * ratio * ratio;
  return w <= 0 || d == 0 ? 1 : (d - w) / d;
}

static int counts_as_conservative(struct layer of) {
  Quad const most = (Quad)5 / 10000000;
  return unscaled_coalbedo(of) <= most;
}

double quad_unscaled_coalbedo(struct quad_optics const* of) {
  return (double)unscaled_coalbedo(layer_of(of->absorption, of->scattering, of->asymmetric));
}

struct quad_operator quad_layer(int two_stream, struct quad_optics const* of, double mu0, int conserves) {
  struct layer const layer = layer_of(of->absorption, of->scattering, of->asymmetric);
  struct operator_of_layer const quad = of_layer(two_stream, layer, mu0, conserves);
  struct quad_operator const result = {(double)quad.reflected_beam, (double)(quad.total_beam - quad.beam),
                                       (double)quad.reflected, (double)quad.transmitted, (double)quad.beam};
  return result;
}

void quad_fluxes(struct quad_column const* c, double* up, double* down, double* direct) {
  int const n = c->nlay;
  size_t const size = (size_t)n + 1;
  struct operator_of_layer* const layer = malloc(size * sizeof *layer);
  Quad* const direct_beam = malloc(size * sizeof *direct_beam); /* of layers */
  Quad* const of_beam = malloc(size * sizeof *of_beam);         /* reflection of all below */
  Quad* const of_diffuse = malloc(size * sizeof *of_diffuse);
  if (layer == NULL || direct_beam == NULL || of_beam == NULL || of_diffuse == NULL) abort();
  Quad const mu0 = c->mu0;
  of_beam[0] = c->albedo_direct;
  of_diffuse[0] = c->albedo_diffuse;
  for (int l = 0; l < n; ++l) {
    Quad absorption = c->absorption[l], scattering = c->rayleigh[l], asymmetric = 0;
    if (c->aerosol != NULL) {
      absorption += c->aerosol[l].absorption;
      scattering += c->aerosol[l].scattering;
      asymmetric += c->aerosol[l].asymmetric;
    }
    Quad const depth = absorption + scattering;
    Quad const g = scattering != 0 ? asymmetric / scattering : 0;
    asymmetric -= g * g * scattering;
    scattering -= g * g * scattering;
    struct layer const clear = layer_of(absorption, scattering, asymmetric);
    layer[l] = of_layer(c->two_stream, clear, mu0, counts_as_conservative(clear));
    direct_beam[l] = c->unscaled_beam ? QUAD(exp)(-depth / mu0) : layer[l].beam;
    if (c->cloud != NULL && c->fraction[l] > 0) {
      Quad const f = c->fraction[l];
      struct layer const cloudy =
          layer_of(absorption + c->cloud[l].absorption, scattering + c->cloud[l].scattering,
                   asymmetric + c->cloud[l].asymmetric);
      struct operator_of_layer const more = of_layer(c->two_stream, cloudy, mu0, counts_as_conservative(cloudy));
      layer[l].reflected_beam = (1 - f) * layer[l].reflected_beam + f * more.reflected_beam;
      layer[l].total_beam = (1 - f) * layer[l].total_beam + f * more.total_beam;
      layer[l].reflected = (1 - f) * layer[l].reflected + f * more.reflected;
      layer[l].transmitted = (1 - f) * layer[l].transmitted + f * more.transmitted;
      layer[l].beam = (1 - f) * layer[l].beam + f * more.beam;
      direct_beam[l] = (1 - f) * direct_beam[l] +
                       f * (c->unscaled_beam ? QUAD(exp)(-(depth + c->cloud_depth[l]) / mu0) : more.beam);
    }
    Quad const x = 1 / (1 - of_diffuse[l] * layer[l].reflected);
    of_beam[l + 1] =
        layer[l].reflected_beam + layer[l].transmitted *
                                      ((layer[l].total_beam - layer[l].beam) * of_diffuse[l] +
                                       layer[l].beam * of_beam[l]) *
                                      x;
    of_diffuse[l + 1] = layer[l].reflected + layer[l].transmitted * layer[l].transmitted * of_diffuse[l] * x;
  }
  /* Downward: P, D and W of all above a level. */
  Quad beam = 1, total = 1, reflected = 0, direct_flux = 1;
  for (int level = n; level >= 0; --level) {
    Quad const x = 1 / (1 - reflected * of_diffuse[level]);
    up[level] = (double)((beam * of_beam[level] + (total - beam) * of_diffuse[level]) * x);
    down[level] = (double)(beam + (total - beam + beam * of_beam[level] * reflected) * x);
    direct[level] = (double)direct_flux;
    if (level == 0) break;
    struct operator_of_layer const* const here = &layer[level - 1];
    Quad const y = 1 / (1 - here->reflected * reflected);
    total = beam * here->total_beam + here->transmitted * (total - beam + beam * here->reflected_beam * reflected) * y;
    reflected = here->reflected + here->transmitted * here->transmitted * reflected * y;
    beam *= here->beam;
    direct_flux *= direct_beam[level - 1];
  }
  free(layer);
  free(direct_beam);
  free(of_beam);
  free(of_diffuse);
}

#else

int quad_is_available(void) { return 0; }

double quad_unscaled_coalbedo(struct quad_optics const* of) {
  (void)of;
  return 0;
}

struct quad_operator quad_layer(int two_stream, struct quad_optics const* of, double mu0, int conserves) {
  struct quad_operator const result = {0, 0, 0, 0, 0};
  (void)two_stream;
  (void)of;
  (void)mu0;
  (void)conserves;
  return result;
}

void quad_fluxes(struct quad_column const* column, double* up, double* down, double* direct) {
  (void)column;
  (void)up;
  (void)down;
  (void)direct;
}

#endif
