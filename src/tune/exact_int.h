/* Exponential and natural logarithm, the same on every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_EXACT_INT_H
#define TS_TUNE_EXACT_INT_H

#include "base/exact_math.h"

#define TS_LN_OF_2 0x1.62e42fefa39efp-1

static inline double ts_exp(double x) { return ts_exact_exp10(x * TS_EXACT_LOG10_OF_E); }
static inline double ts_ln(double x) { return ts_exact_log2(x) * TS_LN_OF_2; }

#endif
