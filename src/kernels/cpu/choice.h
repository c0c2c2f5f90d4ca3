/* Which variant of the innermost loops is used: every table of variants is chosen by it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scalar C is the reference; variants give the same bits. The best one that the processor has is chosen once, at the
 * first use; TESSERA_KERNELS=scalar|avx2|avx512 chooses another (see ts_kernels_variant).
 *
 * Loops that few kernels use have tables of their own (canny_rows.h, nuclei_colour.h), so that a change of them
 * concerns only the operations that use them: an implementation digest covers every file that a table leads to. */
#ifndef TS_KERNELS_CPU_CHOICE_H
#define TS_KERNELS_CPU_CHOICE_H

#include <stdbool.h>

/* The best last. */
enum ts_variant_id { TS_VARIANT_SCALAR, TS_VARIANT_AVX2, TS_VARIANT_AVX512, TS_VARIANT_COUNT };

/* The variant in use. */
enum ts_variant_id ts_variant_chosen(void);

/* For tests: takes another variant from now on; false if this processor or this build does not have it. */
bool ts_variant_use(const char *name);

#endif
