/* A recorded run that is compared: what it was asked, what it answered, and the masks that it made.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_COMPARE_COMPARED_RUN_H
#define TS_API_COMPARE_COMPARED_RUN_H

#include "image/spool.h"
#include "order/order.h"

struct ts_compared_run {
  struct ts_run_row row;
  json_t *result;            /* owned; the object of the run */
  struct ts_order order;     /* owned */
  struct ts_request request; /* of the order */
  struct ts_project project;
  struct ts_arena arena;
  const char *folder;       /* of its files, as the reply of the run has it; "" if it wrote none */
  bool is_open;             /* its workflow and its data were found */
  struct ts_task_row *rows; /* in the arena */
  size_t row_count;
};

/* Finds a finished run; faults say why one cannot be compared. */
bool ts_compared_run_find(struct ts_compared_run *run, struct ts_store *store, const char *id,
                          struct ts_issues *issues);
/* Opens workflow and data from the work order. False: why not is in the error, and everything but masks can be
 * compared. */
bool ts_compared_run_open(struct ts_compared_run *run, struct ts_store *store, const struct ts_request *asked,
                          struct ts_error *why);
void ts_compared_run_release(struct ts_compared_run *run);

/* The number of an item of this name; TS_NONE: there is none. */
size_t ts_compared_run_item(const struct ts_compared_run *run, const char *name);
/* The whole mask of an item, from the store if every part of it is there, else from the folder of the run. NULL without
 * an error: it is nowhere. */
struct ts_spool *ts_compared_run_mask(const struct ts_compared_run *run, struct ts_store *store, size_t item,
                                      const char *product, const struct ts_source *source, struct ts_error *err);

#endif
