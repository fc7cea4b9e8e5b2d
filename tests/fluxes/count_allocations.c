/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces operator new and delete of the test program to count what is allocated. In C, under the names that the
   Itanium ABI gives them: nvcc would compile them for devices, too. */
#include <stdatomic.h>
#include <stdlib.h>

void* _Znwm(size_t bytes);
void _ZdlPv(void* memory);
void _ZdlPvm(void* memory, size_t bytes);
long number_of_allocations(void);

static atomic_long count;

long number_of_allocations(void) { return atomic_load(&count); }

void* _Znwm(size_t bytes) {
  atomic_fetch_add(&count, 1);
  void* const memory = malloc(bytes == 0 ? 1 : bytes);
  if (memory == NULL) abort();
  return memory;
}

void _ZdlPv(void* memory) { free(memory); }

void _ZdlPvm(void* memory, size_t bytes) {
  (void)bytes;
  free(memory);
}
