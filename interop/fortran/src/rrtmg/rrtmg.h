/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Fortran of the drop-ins for RRTMG_LW and RRTMG_SW calls that both have in common: errors, and the overlap of
 * clouds. Its other side is the module rrtmg_parhelion. */
#ifndef PARHELION_INTEROP_FORTRAN_RRTMG_H
#define PARHELION_INTEROP_FORTRAN_RRTMG_H

#include <parhelion.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The message of the last error of the calling thread, as parhelion_last_error() gives it. */
PARHELION_API size_t parhelion_rrtmg_last_error(char* text, size_t size);

/** Says that the program is going to be stopped, while other threads may be in the middle of a call. */
PARHELION_API void parhelion_rrtmg_stopping(void);

/** \brief Correlation of the clouds of neighbouring layers, exp(-distance of their middles / decorrelation length).
 *
 *  With overlap 5 it is 0 in a clear layer above a cloudy one; with others than 4 and 5 nothing is done.
 *  \param overlap   icld
 *  \param by_place  not 0: the decorrelation length depends on latitude and day; 0: it is `length`
 *  \param length    [m], > 0
 *  \param thickness of layers [m], (column, layer)
 *  \param latitude  [degrees north], (column)
 *  \param day       of the year
 *  \param fraction  of clouds [1], (column, layer)
 *  \param alpha     set, (column, layer), 0 in the lowest layer */
PARHELION_API int parhelion_rrtmg_correlation(int32_t overlap, int32_t by_place, double length,
                                              const parhelion_array* thickness, const parhelion_array* latitude,
                                              int32_t day, const parhelion_array* fraction,
                                              const parhelion_array* alpha);

#ifdef __cplusplus
}
#endif

#endif
