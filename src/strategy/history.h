/* What a study knows so far: the points that were run, what came out of each, and what it cost.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Typed arrays, one row per set in the order in which sets were asked for. The caller of a strategy fills it in; a
 * strategy only reads it. */
#ifndef TS_STRATEGY_HISTORY_H
#define TS_STRATEGY_HISTORY_H

#include "base/value.h"

#include <stdbool.h>
#include <stddef.h>

/* One number per set: an output over all files, or over some of them. */
struct ts_series {
  size_t output; /* index among the names of the problem */
  size_t subset; /* of the files, as its owner numbers them; TS_NONE: all */
};

/* Sets that were asked for together. */
struct ts_history_round {
  size_t first, count;
};

struct ts_history {
  size_t count;                    /* sets */
  size_t column_count;             /* of the space */
  size_t series_count;             /* as in the problem */
  struct ts_value *points;         /* owned; set by set */
  double *outputs;                 /* owned; set by set, one per series; NaN: it has none */
  double *seconds;                 /* owned; what the set cost; NaN: not measured */
  bool *failed;                    /* owned; its outputs are not used */
  struct ts_history_round *rounds; /* owned */
  size_t round_count, round_capacity;
};
void ts_history_init(struct ts_history *history, size_t column_count, size_t series_count);
/* A round of new sets, without outcome: outputs and seconds are NaN, none failed. Its number. */
size_t ts_history_add(struct ts_history *history, const struct ts_value *points, size_t count);
void ts_history_release(struct ts_history *history);
/* NaN if the set failed. */
double ts_history_output(const struct ts_history *history, size_t set, size_t series);

#endif
