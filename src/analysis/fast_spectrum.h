/* Power spectrum of a series of any length.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_ANALYSIS_FAST_SPECTRUM_H
#define TS_ANALYSIS_FAST_SPECTRUM_H

#include <stddef.h>

/* power[f] = |sum_j (y_j - mean) e^(-2 pi i f j / n)|^2 / n^2 for f = 0 .. n / 2. Takes n log n time for every n. */
void ts_spectrum(const double *series, size_t count, double *power);
/* The same for frequencies 1 .. `harmonics` alone (power[0] is the first), without working memory. */
void ts_low_spectrum(const double *series, size_t count, size_t harmonics, double *power);

#endif
