/* Sorting orders and ranks of columns with many rows.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_ANALYSIS_RANKS_H
#define TS_ANALYSIS_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* The indices of the values in increasing order; equal values keep their order. The values must be numbers. Takes
 * linear time and 32 bytes of working memory per value. */
void ts_sort_order(const double *values, size_t count, uint32_t *order);

/* Ranks from 1, equal values share the mean of theirs. Doubled, so that they are whole numbers: 2, 4, 6, ... */
void ts_twice_ranks(const double *values, const uint32_t *order, size_t count, uint32_t *ranks);

/* The same for a resample in which value i occurs counts[i] times: ranks[i * stride] is the mean rank of its copies.
 * Values that do not occur get the rank they would have. */
void ts_weighted_ranks(const double *values, const uint32_t *order, size_t count, const uint32_t *counts, double *ranks,
                       size_t stride);

#endif
