/* Loops of the AVX2 variant that the AVX-512 variant uses too, because wider vectors gain nothing there.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_KERNELS_CPU_ROWS_AVX2_H
#define TS_KERNELS_CPU_ROWS_AVX2_H

#include <stdint.h>

void ts_take_channel_avx2(const uint8_t *first, int64_t width, uint8_t flip, uint8_t *out);
int32_t ts_count_runs_avx2(const uint64_t *bits, int64_t words, uint64_t flip, uint64_t tail);

#endif
