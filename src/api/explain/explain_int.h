/* Why a task had to be computed: what differs from the same task of an earlier run, followed to its origin.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_EXPLAIN_INT_H
#define TS_API_EXPLAIN_INT_H

#include "api/api_int.h"
#include "order/order.h"

enum ts_cause_kind {
  TS_CAUSE_PARAMETER, /* name, here, there */
  TS_CAUSE_CODE,      /* name: the operation whose code changed */
  TS_CAUSE_DATA,      /* name: the file here; there: the file then, if it is another one */
  TS_CAUSE_TILES,     /* the image is cut in another way */
  TS_CAUSE_WORKFLOW,  /* name: an operation that was not there, or is connected in another way */
};

struct ts_cause {
  enum ts_cause_kind kind;
  const char *name;     /* in the arena of the past, like what the values are made of */
  json_t *here, *there; /* owned by the list; NULL: none */
};

struct ts_cause_list {
  struct ts_cause *items; /* owned */
  size_t count, capacity;
};
void ts_cause_list_release(struct ts_cause_list *causes);

/* A run that is explained, or one that it is compared with. */
struct ts_told_run {
  const struct ts_run_row *row; /* borrowed */
  struct ts_order order;        /* to release; without a root if the run kept none */
};

/* Everything that makes record `a`, of a task in `set` of run `here`, differ from record `b` of an earlier run: found
 * by walking both histories side by side. */
void ts_causes_find(struct ts_past *past, const struct ts_record *a, const struct ts_told_run *here, int64_t set,
                    const struct ts_record *b, const struct ts_told_run *there, int64_t there_set,
                    struct ts_cause_list *causes);
/* "G1 = 40 (was 80) and slide.svs changed". */
void ts_causes_print(const struct ts_cause_list *causes, struct ts_str *out);
/* "G1 = 40, T1 = 5". */
void ts_values_print(json_t *values, struct ts_str *out);
/* A new reference. */
json_t *ts_causes_json(const struct ts_cause_list *causes);

#endif
