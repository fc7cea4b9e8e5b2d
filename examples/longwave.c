/* SPDX-License-Identifier: BSD-3-Clause */
/* Longwave fluxes of the columns of a model in C. The arrays are those of a model: double precision, column fastest,
   longer than what is used (pcols), pressures in hPa, the top of the atmosphere first. Nothing of it is copied or
   rearranged by the model: the strides say how it is.

     cc longwave.c -o longwave $(pkg-config --cflags --libs parhelion-c) -lm */
#include <parhelion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { pcols = 8, ncol = 3, nlay = 20 };

/* Arrays (layer, column) and (level, column) in the order of C: the column is the last index. */
static double p_mid[nlay][pcols], p_int[nlay + 1][pcols], t_mid[nlay][pcols], t_int[nlay + 1][pcols];
static double t_skin[pcols], emissivity[pcols], h2o[nlay][pcols];
static double flux_up[nlay + 1][pcols], flux_dn[nlay + 1][pcols], heating[nlay][pcols];

/* Every call returns a status. */
static void check(int status) {
  if (status == PARHELION_SUCCESS) return;
  char message[500];
  parhelion_last_error(message, sizeof(message));
  fprintf(stderr, "parhelion: %s\n", message);
  exit(EXIT_FAILURE);
}

/* The description of an array [n][pcols], whose indices are (column, layer) or (column, level) for parhelion. */
static parhelion_array field(double* data, int n) {
  parhelion_array array = {.data = data, .type = PARHELION_FLOAT64, .where = PARHELION_HOST, .rank = 2};
  array.extent[0] = ncol;
  array.stride[0] = 1;
  array.extent[1] = n;
  array.stride[1] = pcols;
  return array;
}

/* The same for a value for each column. */
static parhelion_array values(double* data) {
  parhelion_array array = field(data, 1);
  array.rank = 1;
  return array;
}

/* A number that is the same everywhere. */
static parhelion_array everywhere(double* data) {
  parhelion_array array = field(data, nlay);
  array.stride[0] = array.stride[1] = 0;
  return array;
}

/* Stands for the model: a moist troposphere and a stratosphere of one temperature. */
static void fill(void) {
  for (int c = 0; c < ncol; ++c) {
    double const surface = 1000 + 5 * c;
    for (int k = 0; k <= nlay; ++k) {
      p_int[k][c] = 0.1 + (surface - 0.1) * k / nlay;
      t_int[k][c] = fmax(210., 288 * pow(p_int[k][c] / surface, 0.19));
    }
    for (int k = 0; k < nlay; ++k) {
      p_mid[k][c] = (p_int[k][c] + p_int[k + 1][c]) / 2;
      t_mid[k][c] = (t_int[k][c] + t_int[k + 1][c]) / 2;
      h2o[k][c] = fmax(4e-6, 0.012 * pow(p_mid[k][c] / surface, 3));
    }
    t_skin[c] = 289 + c;
    emissivity[c] = 0.98;
  }
}

int main(void) {
  fill();

  /* Once: an object with what all calls have in common. PARHELION_SIMPLE needs no file; a climate model leaves `model`
     out, for RRTMG_LW, and has PARHELION_DATA name the folder of its coefficients. */
  parhelion_longwave_options options = {.size = sizeof(options),
                                        .model = PARHELION_SIMPLE,
                                        .vertical_order = PARHELION_TOP_FIRST,
                                        .ncol = ncol,
                                        .nlay = nlay};
  parhelion_longwave* longwave = NULL;
  check(parhelion_longwave_create(&options, &longwave));

  /* In each time step: descriptions of the arrays, and the call. Gases that are left out count as 0. */
  double co2 = 420e-6;
  parhelion_longwave_input input = {.size = sizeof(input),
                                    .pressure_lay = field(p_mid[0], nlay),
                                    .pressure_lev = field(p_int[0], nlay + 1),
                                    .temperature_lay = field(t_mid[0], nlay),
                                    .temperature_lev = field(t_int[0], nlay + 1),
                                    .temperature_sfc = values(t_skin),
                                    .emissivity_sfc = values(emissivity),
                                    .pressure_factor = 100};
  input.gases[PARHELION_H2O] = field(h2o[0], nlay);
  input.gases[PARHELION_CO2] = everywhere(&co2);
  parhelion_longwave_output output = {.size = sizeof(output),
                                      .flux_up = field(flux_up[0], nlay + 1),
                                      .flux_dn = field(flux_dn[0], nlay + 1),
                                      .heating_rate = field(heating[0], nlay)};
  check(parhelion_longwave_solve(longwave, &input, &output, NULL));

  for (int c = 0; c < ncol; ++c)
    printf("column %d: outgoing %.2f W m-2, down at the surface %.2f W m-2, heating of the lowest layer %.2f K day-1\n",
           c, flux_up[0][c], flux_dn[nlay][c], heating[nlay - 1][c]);

  check(parhelion_longwave_destroy(longwave));
  check(parhelion_finalize());
  return EXIT_SUCCESS;
}
