/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in C that knows nothing of Kokkos: what works before, between and after parhelion_initialize() and
   parhelion_finalize(). Exit code 0 where all is as it should be. */
#include <parhelion.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int line, int status, int expected, char const* message) {
  char text[500];
  parhelion_last_error(text, sizeof(text));
  if (status == expected && (expected == PARHELION_SUCCESS || strstr(text, message) != NULL)) return;
  fprintf(stderr, "line %d: status %d, '%s', expected status %d and '%s'\n", line, status, text, expected, message);
  ++failures;
}
#define EXPECT(CALL, STATUS, MESSAGE) expect(__LINE__, CALL, STATUS, MESSAGE)

int main(void) {
  char text[1] = {'x'};
  if (parhelion_last_error(text, sizeof(text)) != 1 || text[0] != '\0') ++failures;

  /* Before. */
  EXPECT(parhelion_finalize(), PARHELION_SUCCESS, "");
  parhelion_longwave_input const input = {.size = sizeof(input)};
  parhelion_longwave_output const output = {.size = sizeof(output)};
  EXPECT(parhelion_longwave_solve(NULL, &input, &output, NULL), PARHELION_ERROR_ARGUMENT, "longwave is NULL");
  parhelion_settings settings = {.size = sizeof(settings), .device = 1000};
  EXPECT(parhelion_initialize(&settings), PARHELION_ERROR_DEVICE, "device = 1000");
  settings.device = -1;
  EXPECT(parhelion_initialize(&settings), PARHELION_ERROR_DEVICE, "device = -1");
  settings.device = 0;
  settings.device_by = 2;
  EXPECT(parhelion_initialize(&settings), PARHELION_ERROR_ARGUMENT, "device_by = 2");
  settings.device_by = PARHELION_DEVICE_CURRENT;
  settings.threads = -1;
  EXPECT(parhelion_initialize(&settings), PARHELION_ERROR_ARGUMENT, "threads = -1");
  settings.threads = 2;
  EXPECT(parhelion_initialize(&settings), PARHELION_SUCCESS, "");

  /* Between. */
  parhelion_longwave_options const of_longwave = {.size = sizeof(of_longwave), .model = PARHELION_SIMPLE, .nlay = 4};
  parhelion_adding_options const of_adding = {.size = sizeof(of_adding)};
  parhelion_monte_carlo_options const of_boxes = {.size = sizeof(of_boxes), .gas = PARHELION_GAS_GREY_GASES};
  parhelion_longwave* longwave = NULL;
  parhelion_adding* adding = NULL;
  parhelion_monte_carlo* boxes = NULL;
  EXPECT(parhelion_longwave_create(&of_longwave, &longwave), PARHELION_SUCCESS, "");
  EXPECT(parhelion_adding_create(&of_adding, &adding), PARHELION_SUCCESS, "");
  EXPECT(parhelion_monte_carlo_create(&of_boxes, &boxes), PARHELION_SUCCESS, "");
  EXPECT(parhelion_longwave_solve(longwave, &input, &output, NULL), PARHELION_ERROR_ARGUMENT, "pressure_lay is absent");
  EXPECT(parhelion_finalize(), PARHELION_SUCCESS, "");

  /* After. */
  EXPECT(parhelion_longwave_solve(longwave, &input, &output, NULL), PARHELION_ERROR_STATE, "finalized");
  EXPECT(parhelion_longwave_bytes(longwave, NULL, NULL), PARHELION_ERROR_STATE, "finalized");
  EXPECT(parhelion_adding_bytes(adding, NULL, NULL), PARHELION_ERROR_STATE, "finalized");
  EXPECT(parhelion_longwave_destroy(longwave), PARHELION_SUCCESS, "");
  EXPECT(parhelion_longwave_destroy(longwave), PARHELION_ERROR_STATE, "destroyed");
  EXPECT(parhelion_adding_destroy(adding), PARHELION_SUCCESS, "");
  EXPECT(parhelion_longwave_create(&of_longwave, &longwave), PARHELION_ERROR_STATE, "finalized");
  EXPECT(parhelion_initialize(NULL), PARHELION_ERROR_STATE, "finalized");
  EXPECT(parhelion_finalize(), PARHELION_SUCCESS, "");
  /* One object stays until the process ends. */
  if (failures == 0) puts("as it should be");
  return failures == 0 ? 0 : 1;
}
