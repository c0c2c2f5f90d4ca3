/* Chooses the variant of the kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/variant.h"

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

/* The variants of this build, the best last. */
static const struct {
  const struct ts_variant *variant;
  bool (*is_supported)(void);
} variants[] = {
    {&ts_variant_scalar, has_nothing_to_ask},
#ifdef TS_KERNELS_AVX2
    {&ts_variant_avx2, has_avx2},
#endif
#ifdef TS_KERNELS_AVX512
    {&ts_variant_avx512, has_avx512},
#endif
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

static _Atomic(const struct ts_variant *) chosen;
static pthread_once_t choose_once = PTHREAD_ONCE_INIT;

static const struct ts_variant *find(const char *name) {
  for (size_t i = 0; i < VARIANTS; i++)
    if (strcmp(name, variants[i].variant->name) == 0 && variants[i].is_supported()) return variants[i].variant;
  return NULL;
}

static const struct ts_variant *best(void) {
  for (size_t i = VARIANTS; i > 1; i--)
    if (variants[i - 1].is_supported()) return variants[i - 1].variant;
  return &ts_variant_scalar;
}

static void choose(void) {
  const char *wanted = getenv("TESSERA_KERNELS");
  const struct ts_variant *variant = best();
  if (wanted && wanted[0]) {
    const struct ts_variant *found = find(wanted);
    if (!found)
      fprintf(stderr,
              "warning: TESSERA_KERNELS='%s' is ignored, '%s' is used\n"
              "  help: give scalar, avx2 or avx512, as far as this processor has it\n",
              wanted, variant->name);
    else
      variant = found;
  }
  atomic_store_explicit(&chosen, variant, memory_order_release);
}

const struct ts_variant *ts_variant_get(void) {
  const struct ts_variant *variant = atomic_load_explicit(&chosen, memory_order_acquire);
  if (variant) return variant;
  pthread_once(&choose_once, choose);
  return atomic_load_explicit(&chosen, memory_order_acquire);
}

bool ts_variant_use(const char *name) {
  const struct ts_variant *variant = find(name);
  if (!variant) return false;
  ts_variant_get(); /* so that the first choice does not come later and replace this one */
  atomic_store_explicit(&chosen, variant, memory_order_release);
  return true;
}

const char *ts_kernels_variant(void) { return ts_variant_get()->name; }
