/* The table of the innermost loops in use.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/variant.h"

static const struct ts_variant *const variants[TS_VARIANT_COUNT] = {
    [TS_VARIANT_SCALAR] = &ts_variant_scalar,
#ifdef TS_KERNELS_AVX2
    [TS_VARIANT_AVX2] = &ts_variant_avx2,
#endif
#ifdef TS_KERNELS_AVX512
    [TS_VARIANT_AVX512] = &ts_variant_avx512,
#endif
};

const struct ts_variant *ts_variant_get(void) { return variants[ts_variant_chosen()]; }
