/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Fortran of the drop-in for RRTMG_SW calls, beside rrtmg.h. Its other side is the module rrtmg_sw_parhelion.
 */
#ifndef PARHELION_INTEROP_FORTRAN_RRTMG_SW_H
#define PARHELION_INTEROP_FORTRAN_RRTMG_SW_H

#include <parhelion.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The numbers of a call, and the arrays of it that the C interface does not have. */
typedef struct parhelion_rrtmg_sw_call {
  int32_t mcica; /**< not 0: clouds are for g-points; otherwise the members below hold clouds of layers */
  int32_t icld, iaer, inflgsw, iceflgsw, liqflgsw;
  int32_t dyofyr, isolvar;
  int32_t has_bndsolvar, has_indsolvar, has_solcycfrac; /**< not 0: what they are about is given */
  double scon;
  double bndsolvar[PARHELION_SW_NBAND], indsolvar[2], solcycfrac;
  parhelion_array adjes;                           /**< (column), or the same for all columns, (1) */
  parhelion_array asdir, asdif, aldir, aldif;      /**< (column) */
  parhelion_array fraction, ice_path, liquid_path; /**< (column, layer) */
  parhelion_array optical_depth, albedo;           /**< of bands, (column, layer, 14) */
  parhelion_array asymmetry, forward_fraction;     /**< of bands, (column, layer, 14) */
} parhelion_rrtmg_sw_call;

/** \brief Reads the settings of the environment and, at the first time, initializes parhelion and finds coefficients.
 *  \param heat_capacity of air [J kg-1 K-1]
 *  \param gravity       for heating rates [m s-2]; 0: the default
 *  \param precision     of the calculation, unless the environment says otherwise */
PARHELION_API int parhelion_rrtmg_sw_initialize(double heat_capacity, double gravity, int32_t precision);

/** \brief Solves with the solver of the calling thread, which is made when it is first needed.
 *  \param input,output with all arrays but those of `call`, which are added to them; the direct flux may be absent */
PARHELION_API int parhelion_rrtmg_sw_solve(const parhelion_rrtmg_sw_call* call, parhelion_shortwave_input* input,
                                           parhelion_shortwave_output* output);

/** Clouds of layers, or those of g-points that are drawn from them. */
typedef struct parhelion_rrtmg_sw_clouds {
  parhelion_array fraction, ice_path, liquid_path; /**< (column, layer), of g-points (column, layer, 112) */
  parhelion_array optical_depth, albedo, asymmetry, forward_fraction; /**< (column, layer, 14 or 112) */
} parhelion_rrtmg_sw_clouds;

/** \brief Draws subcolumns, which depend on the seed and on the pressure of the lowest four layers, as the longwave's:
 *         with the same seed the same g-points are cloudy.
 *  \param overlap      icld, 1 to 5
 *  \param seed         permuteseed
 *  \param pressure_lay (column, layer)
 *  \param layers       clouds of layers
 *  \param alpha        correlation with the layer below, (column, layer); needed with overlap 4 and 5
 *  \param gpoints      set */
PARHELION_API int parhelion_rrtmg_sw_subcolumns(int32_t overlap, int32_t seed, const parhelion_array* pressure_lay,
                                                const parhelion_rrtmg_sw_clouds* layers, const parhelion_array* alpha,
                                                const parhelion_rrtmg_sw_clouds* gpoints);

#ifdef __cplusplus
}
#endif

#endif
