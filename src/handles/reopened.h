/* A recorded run opened once more, from its work order, to get products of it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_HANDLES_REOPENED_H
#define TS_HANDLES_REOPENED_H

#include "data/data.h"
#include "order/order.h"
#include "project/project.h"
#include "store/store.h"

#include <pthread.h>

struct ts_reopened {
  pthread_mutex_t lock; /* guards the opening; afterwards what follows is read-only */
  bool is_open;
  struct ts_arena arena; /* texts of row and request, sets */
  struct ts_request request;
  struct ts_order order;
  struct ts_project project;
  const struct ts_value *sets; /* in the arena: of the order; later rounds are in the result of the run */
  size_t set_count;
};

/* Where a run is found. */
struct ts_reopened_place {
  struct ts_store *store;       /* borrowed */
  bool read_only;               /* nothing can be kept in it */
  const char *folder;           /* borrowed: to which paths are relative */
  const char *id;               /* borrowed */
  const struct ts_order *begun; /* borrowed: of the project that it was started from, for its locations; NULL */
};

/* One product. */
struct ts_reopened_wish {
  const char *output; /* "segment.mask" */
  int64_t set;        /* -1: the defaults */
  size_t unit;
};

void ts_reopened_init(struct ts_reopened *reopened);
void ts_reopened_release(struct ts_reopened *reopened);
/* Opens it at the first call; false with faults. From any thread. */
bool ts_reopened_open(struct ts_reopened *reopened, const struct ts_reopened_place *place, struct ts_issues *issues);
/* The values of a set, in the arena; NULL: a fault. It is open. */
const struct ts_value *ts_reopened_set(const struct ts_reopened *reopened, const struct ts_reopened_place *place,
                                       int64_t set, struct ts_arena *arena, struct ts_issues *issues);
/* reopened_product.c: loads or computes a product; a new reference, NULL with faults. It is open. */
struct ts_data *ts_reopened_product(const struct ts_reopened *reopened, const struct ts_reopened_place *place,
                                    const struct ts_reopened_wish *wish, struct ts_issues *issues);

#endif
