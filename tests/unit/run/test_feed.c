/* Items that come while a run goes on: late, one by one, or not at all.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/toy_run.h"

#define HEAD                                                                                                           \
  "{\"tessera\": 1, \"name\": \"feed\", \"inputs\": {\"image\": {\"type\": \"image/gray8\"}}, \"parameters\": {}, "    \
  "\"stages\": [{\"name\": \"stat\", \"per\": \"tile\", \"in\": {\"i\": \"image\"}, \"out\": {\"out\": \"t.out\"}, "   \
  "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.stat\", \"in\": {\"image\": \"i\"}, \"params\": {\"p\": {\"value\": "   \
  "0}}}]}"
#define JOIN(scope)                                                                                                    \
  ",{\"name\": \"join\", \"per\": \"" scope "\", \"in\": {\"a\": \"stat.out\"}, \"out\": {\"out\": \"t.out\"}, "       \
  "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.join\", \"in\": {\"a\": \"a\"}}]}"

enum { ITEMS = 3, WAITS = 2 };
static const struct toy_image images[ITEMS] = {{"one", 4, 3}, {"two", 3, 3}, {"three", 2, 2}};
static const char *const workflows[] = {HEAD "]}", HEAD JOIN("file") "]}", HEAD JOIN("dataset") "]}"};

/* Adds the items of a complete dataset to another one; says WAIT a few times before each and before the end. */
struct late {
  const struct ts_dataset *complete;
  struct ts_dataset dataset;
  size_t waits, items;
  bool is_inside; /* two threads must not ask at once */
};

static enum ts_feed_state next_item(void *user, size_t *item) {
  struct late *late = user;
  assert_false(late->is_inside);
  late->is_inside = true;
  enum ts_feed_state state = TS_FEED_WAIT;
  if (++late->waits > WAITS) {
    late->waits = 0;
    state = late->dataset.item_count == late->items ? TS_FEED_END : TS_FEED_ITEM;
  }
  if (state == TS_FEED_ITEM) {
    *item = late->dataset.item_count++;
    late->dataset.tile_count += late->complete->items[*item].tile_count;
  }
  late->is_inside = false;
  return state;
}

static void late_items_give_the_same(void **state) {
  for (size_t w = 0; w < 3; w++) {
    struct toy_subject s = {0};
    toy_case_init(&s.toy, workflows[w], *state);
    toy_subject_complete(&s, *state, images, ITEMS, 2, 0);
    for (size_t threads = 1; threads <= 4; threads *= 2) {
      const struct ts_dataset complete = s.data.dataset;
      struct late late = {.complete = &complete, .items = ITEMS, .dataset = complete};
      late.dataset.item_count = late.dataset.tile_count = 0;
      struct ts_feed feed = {.next = next_item, .user = &late};
      struct toy_run run = {.subject = &s};
      run.options = (struct ts_run_options){.threads = threads, .feed = &feed};
      toy_run_do_on(&run, &late.dataset);
      toy_run_check(&run, "late items");
      assert_int_equal(late.dataset.tile_count, complete.tile_count);
      toy_run_release(&run);
    }
    toy_subject_release(&s);
  }
}

static void a_feed_without_items_does_nothing(void **state) {
  for (size_t w = 0; w < 2; w++) {
    struct toy_subject s = {0};
    toy_case_init(&s.toy, workflows[w], *state);
    toy_subject_complete(&s, *state, images, ITEMS, 2, 0);
    struct late late = {.complete = &s.data.dataset, .dataset = s.data.dataset};
    late.dataset.item_count = late.dataset.tile_count = 0;
    struct ts_feed feed = {.next = next_item, .user = &late};
    struct toy_run run = {.subject = &s};
    run.options = (struct ts_run_options){.threads = 2, .feed = &feed};
    toy_run_do_on(&run, &late.dataset);
    assert_int_equal(run.event_count, 0);
    assert_int_equal(run.executions, 0);
    assert_false(run.result.stopped);
    toy_run_release(&run);
    toy_subject_release(&s);
  }
}

/* ---- A feed that never ends. ---- */

static enum ts_feed_state never(void *user, size_t *item) {
  *item = 0;
  return ++*(size_t *)user == 3 ? TS_FEED_ITEM : TS_FEED_WAIT;
}

static void a_run_that_waits_for_items_can_be_stopped(void **state) {
  struct toy_subject s = {0};
  size_t asked = 0;
  toy_case_init(&s.toy, workflows[1], *state);
  toy_subject_complete(&s, *state, images, ITEMS, 2, 0);
  struct ts_feed feed = {.next = never, .user = &asked};
  struct toy_run run = {.subject = &s, .stop_after = 5}; /* events of the first item */
  run.options = (struct ts_run_options){.threads = 2, .feed = &feed};
  toy_run_do(&run);
  assert_true(run.result.stopped);
  assert_true(run.event_count >= 5);
  toy_run_release(&run);
  toy_subject_release(&s);
}

static void the_feed_of_a_complete_dataset(void **state) {
  (void)state;
  const struct ts_dataset dataset = {.item_count = 2};
  struct ts_array_feed array = {.dataset = &dataset};
  const struct ts_feed feed = ts_array_feed(&array);
  size_t item = 9;
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(feed.next(feed.user, &item), TS_FEED_ITEM);
    assert_int_equal(item, i);
  }
  for (size_t i = 0; i < 2; i++) assert_int_equal(feed.next(feed.user, &item), TS_FEED_END);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(late_items_give_the_same),
      cmocka_unit_test(a_feed_without_items_does_nothing),
      cmocka_unit_test(a_run_that_waits_for_items_can_be_stopped),
      cmocka_unit_test(the_feed_of_a_complete_dataset),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
