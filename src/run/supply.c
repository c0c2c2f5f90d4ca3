/* Windows of a run as its items come: asks the feed when threads run dry.
 * SPDX-License-Identifier: Apache-2.0 */
#include "run/run_int.h"

void ts_supply_begin(struct engine *engine) {
  struct supply *supply = &engine->supply;
  supply->array = (struct ts_array_feed){.dataset = engine->dataset};
  supply->feed = engine->options->feed ? *engine->options->feed : ts_array_feed(&supply->array);
  supply->has_ended = engine->options->part != NULL; /* its window is known */
  if (!supply->has_ended) engine->window_count = 0;
}

/* A window may open when all its items are there. */
static void add_windows(struct engine *engine, size_t item) {
  size_t first = 0, count = 0;
  if (!ts_scope_is_in_item(engine->plan->coarsest) || engine->plan->node_count == 0) return;
  ts_dataset_units_in_item(engine->dataset, engine->plan->coarsest, item, &first, &count);
  engine->window_count = first + count;
}

bool ts_supply_ask(struct engine *engine) {
  struct supply *supply = &engine->supply;
  size_t item = 0;
  if (supply->has_ended || supply->is_asking) return false;
  supply->is_asking = true;
  pthread_mutex_unlock(&engine->lock);
  const enum ts_feed_state state = supply->feed.next(supply->feed.user, &item);
  pthread_mutex_lock(&engine->lock);
  supply->is_asking = false;
  if (state == TS_FEED_WAIT) return false;
  if (state == TS_FEED_ITEM) {
    add_windows(engine, item);
  } else {
    supply->has_ended = true;
    engine->window_count = ts_run_window_count(engine->plan, engine->dataset);
  }
  pthread_cond_broadcast(&engine->changed);
  return true;
}
