/* Logarithms and powers whose results are the same bits on every machine and with every compiler flag.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The functions of libm differ between versions and processors; a result that reaches a stored product may therefore
 * not come from them. These use only additions, multiplications and divisions of IEEE doubles in a fixed order. Build
 * with -ffp-contract=off. Square roots are exact by the IEEE standard: use sqrt and sqrtf of libm.
 * Accuracy: a few units in the last place of a double; the float forms are correctly rounded but for rare near-ties.
 * This header must stay free of other project headers: the stand-alone kernels include it. */
#ifndef TS_BASE_EXACT_MATH_H
#define TS_BASE_EXACT_MATH_H

#include <stddef.h>

/* As in libm: 0 gives -infinity, a negative number NaN, +infinity itself.
 * Powers of two give exact base-2 logarithms. */
double ts_exact_log2(double x);
double ts_exact_log10(double x);

/* 10 to the power x. -infinity gives 0; too large gives +infinity. */
double ts_exact_exp10(double x);

/* The same for floats. */
float ts_exact_log10f(float x);
float ts_exact_exp10f(float x);

/* The same for many at once, faster; x and y may not overlap. */
void ts_exact_log10f_all(const float *restrict x, float *restrict y, size_t count);
void ts_exact_exp10f_all(const float *restrict x, float *restrict y, size_t count);

#endif
