/* Chooses the variant of the kernels: by the processor and the environment.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/choice.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"

static bool has_nothing_to_ask(void) { return true; }

#ifdef TS_KERNELS_AVX2
static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
}
#endif

#ifdef TS_KERNELS_AVX512
static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#endif

/* NULL: not in this build. */
static const struct {
  const char *name;
  bool (*is_supported)(void);
} variants[TS_VARIANT_COUNT] = {
    [TS_VARIANT_SCALAR] = {"scalar", has_nothing_to_ask},
#ifdef TS_KERNELS_AVX2
    [TS_VARIANT_AVX2] = {"avx2", has_avx2},
#endif
#ifdef TS_KERNELS_AVX512
    [TS_VARIANT_AVX512] = {"avx512", has_avx512},
#endif
};

enum { NOT_CHOSEN = -1 };

static atomic_int chosen = NOT_CHOSEN;
static pthread_once_t choose_once = PTHREAD_ONCE_INIT;

static bool is_supported(int id) { return variants[id].name && variants[id].is_supported(); }

static int find(const char *name) {
  for (int id = 0; id < TS_VARIANT_COUNT; id++)
    if (is_supported(id) && strcmp(name, variants[id].name) == 0) return id;
  return NOT_CHOSEN;
}

static int best(void) {
  int id = TS_VARIANT_COUNT - 1;
  while (!is_supported(id)) id--; /* scalar always is */
  return id;
}

static void choose(void) {
  const char *wanted = getenv("TESSERA_KERNELS");
  int id = best();
  if (wanted && wanted[0]) {
    int found = find(wanted);
    if (found == NOT_CHOSEN)
      fprintf(stderr,
              "warning: TESSERA_KERNELS='%s' is ignored, '%s' is used\n"
              "  help: give scalar, avx2 or avx512, as far as this processor has it\n",
              wanted, variants[id].name);
    else
      id = found;
  }
  atomic_store_explicit(&chosen, id, memory_order_release);
}

enum ts_variant_id ts_variant_chosen(void) {
  int id = atomic_load_explicit(&chosen, memory_order_acquire);
  if (id != NOT_CHOSEN) return (enum ts_variant_id)id;
  pthread_once(&choose_once, choose);
  return (enum ts_variant_id)atomic_load_explicit(&chosen, memory_order_acquire);
}

bool ts_variant_use(const char *name) {
  int id = find(name);
  if (id == NOT_CHOSEN) return false;
  ts_variant_chosen(); /* so that the first choice does not come later and replace this one */
  atomic_store_explicit(&chosen, id, memory_order_release);
  return true;
}

const char *ts_kernels_variant(void) { return variants[ts_variant_chosen()].name; }
