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

/* Constants for code that repeats the float forms with vectors. log10(2) comes in two parts: the first has 33 bits, so
 * that its product with an exponent is exact. */
#define TS_EXACT_LOG10_OF_2_HIGH    0x1.34413509p-2
#define TS_EXACT_LOG10_OF_2_LOW     0x1.ef3fde623e256p-35
#define TS_EXACT_LOG10_OF_E         0x1.bcb7b1526e50ep-2
#define TS_EXACT_LOG2_OF_10         0x1.a934f0979a371p+1
#define TS_EXACT_LN_OF_10           0x1.26bb1bbb55516p+1
#define TS_EXACT_MANTISSA_OF_SQRT_2 0x6a09e667f3bcdu

/* As in libm: 0 gives -infinity, a negative number NaN, +infinity itself.
 * Powers of two give exact base-2 logarithms. */
double ts_exact_log2(double x);

/* 10 to the power x. -infinity gives 0; too large gives +infinity. */
double ts_exact_exp10(double x);

/* Logarithms to base 10 and powers of 10 of many floats at once; x and y may not overlap. Arguments without a finite
 * result as above. */
void ts_exact_log10f_all(const float *restrict x, float *restrict y, size_t count);
void ts_exact_exp10f_all(const float *restrict x, float *restrict y, size_t count);

#endif
