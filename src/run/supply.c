/* Windows of a run as its items come: asks the feed when threads run dry.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

void ts_supply_begin(struct supply *supply, const struct ts_run_options *options) {
  supply->array = (struct ts_array_feed){.dataset = supply->dataset};
  supply->feed = options->feed ? *options->feed : ts_array_feed(&supply->array);
  supply->has_ended = options->part != NULL; /* its window is known */
  if (!supply->has_ended) supply->window_count = 0;
}

/* A window may open when all its items are there. */
static void add_windows(struct supply *supply, size_t item) {
  size_t first = 0, count = 0;
  if (!ts_scope_is_in_item(supply->plan->coarsest) || supply->plan->node_count == 0) return;
  ts_dataset_units_in_item(supply->dataset, supply->plan->coarsest, item, &first, &count);
  supply->window_count = first + count;
}

bool ts_supply_ask(struct supply *supply, pthread_mutex_t *lock) {
  size_t item = 0;
  if (supply->has_ended || supply->is_asking) return false;
  supply->is_asking = true;
  pthread_mutex_unlock(lock);
  const enum ts_feed_state state = supply->feed.next(supply->feed.user, &item);
  pthread_mutex_lock(lock);
  supply->is_asking = false;
  if (state == TS_FEED_WAIT) return false;
  if (state == TS_FEED_ITEM) {
    add_windows(supply, item);
  } else {
    supply->has_ended = true;
    supply->window_count = ts_run_window_count(supply->plan, supply->dataset);
  }
  return true;
}
