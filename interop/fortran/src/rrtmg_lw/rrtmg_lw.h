/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Fortran of the drop-in for RRTMG_LW calls, beside rrtmg.h. Its other side is the module rrtmg_lw_parhelion.
 */
#ifndef PARHELION_INTEROP_FORTRAN_RRTMG_LW_H
#define PARHELION_INTEROP_FORTRAN_RRTMG_LW_H

#include <parhelion.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The integers of a call, and the arrays of it that the C interface does not have. */
typedef struct parhelion_rrtmg_lw_call {
  int32_t mcica; /**< not 0: clouds are for g-points; otherwise the members below hold clouds of layers */
  int32_t icld, inflglw, iceflglw, liqflglw;
  parhelion_array fraction, ice_path, liquid_path; /**< (column, layer) */
  parhelion_array optical_depth;                   /**< of bands, (column, layer, 16) */
  parhelion_array play;                            /**< (column, layer) */
  parhelion_array olr_sr;                          /**< upward flux at the top, (column, 16); may be absent */
} parhelion_rrtmg_lw_call;

/** \brief Reads the settings of the environment and, at the first time, initializes parhelion and finds coefficients.
 *  \param heat_capacity of air [J kg-1 K-1]
 *  \param gravity       for heating rates [m s-2]; 0: the default
 *  \param precision     of the calculation, unless the environment says otherwise */
PARHELION_API int parhelion_rrtmg_lw_initialize(double heat_capacity, double gravity, int32_t precision);

/** \brief Solves with the solver of the calling thread, which is made when it is first needed.
 *  \param input,output with all arrays but those of `call`, which are added to them */
PARHELION_API int parhelion_rrtmg_lw_solve(const parhelion_rrtmg_lw_call* call, parhelion_longwave_input* input,
                                           parhelion_longwave_output* output);

/** \brief Draws subcolumns, which depend on the seed and on the pressure of the lowest four layers.
 *  \param overlap      icld, 1 to 5
 *  \param seed         permuteseed
 *  \param pressure_lay (column, layer)
 *  \param fraction,ice_path,liquid_path of layers, (column, layer)
 *  \param optical_depth of bands, (column, layer, 16)
 *  \param alpha        correlation with the layer below, (column, layer); needed with overlap 4 and 5
 *  \param fraction_gpt,ice_path_gpt,liquid_path_gpt,optical_depth_gpt set, (column, layer, 140) */
PARHELION_API int parhelion_rrtmg_lw_subcolumns(
    int32_t overlap, int32_t seed, const parhelion_array* pressure_lay, const parhelion_array* fraction,
    const parhelion_array* ice_path, const parhelion_array* liquid_path, const parhelion_array* optical_depth,
    const parhelion_array* alpha, const parhelion_array* fraction_gpt, const parhelion_array* ice_path_gpt,
    const parhelion_array* liquid_path_gpt, const parhelion_array* optical_depth_gpt);

#ifdef __cplusplus
}
#endif

#endif
