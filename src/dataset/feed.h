/* Items that come one after another: a run asks for the next one when its threads run dry.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A feed adds its items to the end of a dataset. The arrays of the dataset have room for all that may come and do not
 * move; an item and its tiles are complete when `next` has named it, and do not change afterwards. */
#ifndef TS_DATASET_FEED_H
#define TS_DATASET_FEED_H

#include "dataset/dataset.h"

enum ts_feed_state {
  TS_FEED_ITEM, /* another item is there */
  TS_FEED_WAIT, /* none yet: ask again a little later */
  TS_FEED_END   /* there will be none any more */
};

struct ts_feed {
  /* Names the items from 0 on in ascending order. Called by one thread at a time, without locks; does not wait. */
  enum ts_feed_state (*next)(void *user, size_t *item);
  void *user;
};

/* The feed of a dataset that is complete. */
struct ts_array_feed {
  const struct ts_dataset *dataset; /* borrowed */
  size_t next_item;
};
struct ts_feed ts_array_feed(struct ts_array_feed *array); /* borrows the array */

#endif
