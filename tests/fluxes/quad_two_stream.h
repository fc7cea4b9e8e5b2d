/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of the shortwave in quadruple precision (113 bits), as Meador & Weaver (1980) and Oreopoulos & Barker
   (1999) write them: with them the tests compare what the solver computes in another form. In C: nvcc does not know
   this precision. */
#ifndef PARHELION_TESTS_QUAD_TWO_STREAM_H
#define PARHELION_TESTS_QUAD_TWO_STREAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* Optical depths of a layer, as parhelion::fluxes::Impl::LayerOptics. */
struct quad_optics {
  double absorption, scattering, asymmetric;
};

/* As parhelion::fluxes::Impl::LayerOperator, rounded from quadruple precision. */
struct quad_operator {
  double reflected_beam, scattered_beam, reflected, transmitted, beam;
};

/* A column as one g-point sees it; layers from the ground. */
struct quad_column {
  int nlay;
  int two_stream;    /* 0 PIFM, 1 Eddington, 2 quadrature */
  int unscaled_beam; /* whether the direct flux is that of depths before scaling */
  double mu0;        /* cosine of the zenith angle of the sun */
  double albedo_direct, albedo_diffuse;
  double const* absorption;          /* by gases */
  double const* rayleigh;            /* scattering by gases */
  struct quad_optics const* aerosol; /* before scaling; NULL: none */
  struct quad_optics const* cloud;   /* after scaling; NULL: none */
  double const* cloud_depth;         /* of cloud before scaling */
  double const* fraction;            /* of cloud */
};

/* Whether this compiler and C library have that precision: else the functions do nothing. */
int quad_is_available(void);

/* 1 - the single scattering albedo before scaling by the square of the asymmetry parameter, from what is scaled. */
double quad_unscaled_coalbedo(struct quad_optics const* of);

/* The operator of a layer. conserves: it counts as one that absorbs nothing. */
struct quad_operator quad_layer(int two_stream, struct quad_optics const* of, double mu0, int conserves);

/* Upward, downward and direct flux at the levels of a column, from the ground, for a flux of 1 that enters. */
void quad_fluxes(struct quad_column const* column, double* up, double* down, double* direct);

#ifdef __cplusplus
}
#endif

#endif
