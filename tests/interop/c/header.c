/* SPDX-License-Identifier: BSD-3-Clause */
/* The header by itself in standard C. */
#include <parhelion.h>

_Static_assert(offsetof(parhelion_longwave_options, size) == 0, "structs begin with their size");
_Static_assert(offsetof(parhelion_shortwave_input, size) == 0, "structs begin with their size");
_Static_assert(offsetof(parhelion_monte_carlo_output, size) == 0, "structs begin with their size");

int use_the_header(void);

int use_the_header(void) {
  parhelion_array const array = {0};
  parhelion_settings const settings = {.size = sizeof(settings)};
  return array.rank + settings.device + PARHELION_SUCCESS;
}
