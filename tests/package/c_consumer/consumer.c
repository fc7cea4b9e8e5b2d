/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes something with an installed parhelion; with an argument, by a model that needs data. */
#include <parhelion.h>

#include <stdio.h>

enum { nlay = 10 };

static parhelion_array array(double* data, int64_t n) {
  parhelion_array a = {.data = data, .type = PARHELION_FLOAT64, .rank = 2, .extent = {1, n}, .stride = {n, 1}};
  return a;
}

int main(int argc, char** argv) {
  (void)argv;
  double p_lay[nlay], p_lev[nlay + 1], t_lay[nlay], t_lev[nlay + 1], t_sfc = 288, emissivity = 1;
  double up[nlay + 1], dn[nlay + 1], heating[nlay];
  for (int k = 0; k <= nlay; ++k) {
    p_lev[k] = 1e5 * (nlay - k) / nlay;
    t_lev[k] = 210 + 78 * p_lev[k] / 1e5;
  }
  for (int k = 0; k < nlay; ++k) {
    p_lay[k] = (p_lev[k] + p_lev[k + 1]) / 2;
    t_lay[k] = (t_lev[k] + t_lev[k + 1]) / 2;
  }
  parhelion_longwave_options const options = {
      .size = sizeof(options), .model = argc > 1 ? PARHELION_RRTMG_LW : PARHELION_SIMPLE, .nlay = nlay};
  parhelion_longwave_input input = {.size = sizeof(input),
                                    .pressure_lay = array(p_lay, nlay),
                                    .pressure_lev = array(p_lev, nlay + 1),
                                    .temperature_lay = array(t_lay, nlay),
                                    .temperature_lev = array(t_lev, nlay + 1),
                                    .temperature_sfc = array(&t_sfc, 1),
                                    .emissivity_sfc = array(&emissivity, 1)};
  input.temperature_sfc.rank = 1;
  parhelion_longwave_output const output = {.size = sizeof(output),
                                            .flux_up = array(up, nlay + 1),
                                            .flux_dn = array(dn, nlay + 1),
                                            .heating_rate = array(heating, nlay)};
  parhelion_longwave* longwave = NULL;
  if (parhelion_longwave_create(&options, &longwave) != PARHELION_SUCCESS ||
      parhelion_longwave_solve(longwave, &input, &output, NULL) != PARHELION_SUCCESS ||
      parhelion_longwave_destroy(longwave) != PARHELION_SUCCESS || parhelion_finalize() != PARHELION_SUCCESS) {
    char message[500];
    parhelion_last_error(message, sizeof(message));
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  /* Without gases nothing absorbs, so that the surface radiates into space. */
  double const sigma = 5.670374419e-8;
  double const expected = sigma * t_sfc * t_sfc * t_sfc * t_sfc;
  printf("parhelion %s: %.3f W m-2 leave the Earth\n", parhelion_version(), up[nlay]);
  return up[nlay] > 0.97 * expected && up[nlay] < 1.03 * expected && dn[0] == 0 ? 0 : 2;
}
