/* The loops over rows of the Canny edges in plain C: the reference, and the table of the variants.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/canny_rows_body.h"
#include "kernels/cpu/choice.h"

const struct ts_canny_rows ts_canny_rows_scalar = {columns, sobel, ridges};

static const struct ts_canny_rows *const variants[TS_VARIANT_COUNT] = {
    [TS_VARIANT_SCALAR] = &ts_canny_rows_scalar,
#ifdef TS_KERNELS_AVX2
    [TS_VARIANT_AVX2] = &ts_canny_rows_avx2,
    [TS_VARIANT_AVX512] = &ts_canny_rows_avx2, /* wider vectors gain nothing */
#endif
};

const struct ts_canny_rows *ts_canny_rows_get(void) { return variants[ts_variant_chosen()]; }
