/* The least cut of a complete graph, for the smart cut algorithm.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PLAN_MIN_CUT_INT_H
#define TS_PLAN_MIN_CUT_INT_H

#include "plan/bucket_int.h"

/* weights: symmetric, rows of `stride`. side[i] is the side of vertices[i]; returns the weight of the cut.
 * There must be at least two vertices. */
int64_t ts_min_cut(const int64_t *weights, size_t stride, const uint32_t *vertices, size_t count, bool *side);

#endif
