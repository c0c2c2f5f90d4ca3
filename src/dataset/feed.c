/* The feed of a dataset whose items are all there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dataset/feed.h"

static enum ts_feed_state next(void *user, size_t *item) {
  struct ts_array_feed *array = user;
  if (array->next_item == array->dataset->item_count) return TS_FEED_END;
  *item = array->next_item++;
  return TS_FEED_ITEM;
}

struct ts_feed ts_array_feed(struct ts_array_feed *array) {
  return (struct ts_feed){.next = next, .user = array};
}
