/* The books of a run by several processes: first outcomes, repetitions, products once; and news as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "dist/ledger.h"
#include "dist/messages.h"
#include "support/toy_run.h"

#include <stdlib.h>
#include <string.h>

struct seen {
  size_t tasks, repeated, products;
};

static void on_task(void *user, const struct ts_task_event *event) {
  (void)event;
  ((struct seen *)user)->tasks++;
}

static void on_repeated(void *user, const struct ts_task_event *event) {
  (void)event;
  ((struct seen *)user)->repeated++;
}

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  (void)node, (void)port, (void)unit, (void)data;
  ((struct seen *)user)->products++;
}

static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {}, "
    "\"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"data\"}, \"out\": {\"out\": \"t.out\"}, "
    "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.same\", \"in\": {\"a\": \"a\"}}]}]}";
static const struct toy_image images[] = {{"one", 4, 4}, {"two", 4, 4}};

struct books {
  struct ts_registry *registry;
  struct toy_subject s;
  struct seen seen;
  struct ts_dist_options options;
  struct ts_run_result result;
  struct ts_ledger ledger;
  uint32_t task, source; /* nodes */
};

static void books_open(struct books *b) {
  *b = (struct books){.registry = toy_registry_create()};
  toy_case_init(&b->s.toy, workflow, b->registry);
  toy_subject_complete(&b->s, b->registry, images, 2, 0, 0);
  b->options.run = (struct ts_run_options){.user = &b->seen, .on_task = on_task, .on_product = on_product};
  b->options.on_repeated = on_repeated;
  ts_ledger_init(&b->ledger, b->s.plan, &b->s.data.dataset, &b->options, &b->result);
  for (uint32_t n = 0; n < b->s.plan->node_count; n++)
    *(b->s.plan->nodes[n].kind == TS_NODE_TASK ? &b->task : &b->source) = n;
}

static void books_close(struct books *b) {
  ts_ledger_release(&b->ledger);
  ts_run_result_release(&b->result);
  toy_subject_release(&b->s);
  ts_registry_destroy(b->registry);
}

static void tell(struct books *b, uint32_t node, size_t unit, enum ts_outcome outcome) {
  ts_ledger_task(&b->ledger,
                 &(struct ts_task_event){.node = node, .unit = unit, .outcome = outcome, .log = "", .remark = ""});
}

static void assert_counts(const struct books *b, uint64_t executed, uint64_t store, uint64_t repeated) {
  assert_int_equal(b->result.tasks[0].by_outcome[TS_OUTCOME_EXECUTED], executed);
  assert_int_equal(b->result.tasks[0].by_outcome[TS_OUTCOME_STORE], store);
  assert_int_equal(b->result.repeated, repeated);
}

static void the_first_outcome_counts(void **state) {
  (void)state;
  struct books b;
  books_open(&b);
  tell(&b, b.task, 0, TS_OUTCOME_EXECUTED);
  tell(&b, b.task, 0, TS_OUTCOME_STORE); /* another process found it */
  assert_counts(&b, 1, 0, 0);
  tell(&b, b.task, 0, TS_OUTCOME_EXECUTED); /* another process made it as well */
  assert_counts(&b, 2, 0, 1);
  tell(&b, b.task, 1, TS_OUTCOME_STORE);
  assert_counts(&b, 2, 1, 1);
  tell(&b, b.task, 1, TS_OUTCOME_EXECUTED); /* so it was not only found */
  assert_counts(&b, 3, 0, 1);
  assert_int_equal(b.seen.tasks, 2);
  assert_int_equal(b.seen.repeated, 2);
  tell(&b, b.task, 2, TS_OUTCOME_EXECUTED); /* there are two files */
  tell(&b, 1000, 0, TS_OUTCOME_EXECUTED);
  assert_counts(&b, 3, 0, 1);
  books_close(&b);
}

static void what_nobody_asked_for_was_there(void **state) {
  (void)state;
  struct books b;
  books_open(&b);
  tell(&b, b.task, 0, TS_OUTCOME_EXECUTED);
  ts_ledger_close_window(&b.ledger, 0);
  assert_counts(&b, 1, 0, 0);
  ts_ledger_close_window(&b.ledger, 1);
  assert_counts(&b, 1, 1, 0);
  assert_int_equal(b.seen.tasks, 2);
  books_close(&b);
}

static void reading_is_told_each_time_and_its_failure_once(void **state) {
  (void)state;
  struct books b;
  books_open(&b);
  tell(&b, b.source, 0, TS_OUTCOME_EXECUTED);
  tell(&b, b.source, 0, TS_OUTCOME_EXECUTED);
  assert_int_equal(b.result.reads, 2);
  assert_int_equal(b.seen.tasks, 2);
  tell(&b, b.source, 1, TS_OUTCOME_FAILED);
  tell(&b, b.source, 1, TS_OUTCOME_FAILED);
  assert_int_equal(b.seen.tasks, 3);
  books_close(&b);
}

static void products_are_told_once(void **state) {
  (void)state;
  struct books b;
  struct ts_error err = {0};
  const char *const names[] = {"x"};
  struct ts_data *data = ts_data_create_table(1, 1, names, &err);
  *(double *)ts_data_writable(data) = 1;
  ts_data_finish(data);
  books_open(&b);
  assert_true(ts_ledger_is_wanted(&b.ledger, b.task, 0, 1));
  assert_false(ts_ledger_is_wanted(&b.ledger, b.source, 0, 0));
  assert_false(ts_ledger_is_wanted(&b.ledger, b.task, 1, 0));
  for (int i = 0; i < 2; i++) ts_ledger_product(&b.ledger, b.task, 0, 1, data);
  assert_int_equal(b.seen.products, 1);
  assert_false(ts_ledger_is_wanted(&b.ledger, b.task, 0, 1));
  books_close(&b);
  ts_data_unref(data);
}

/* Whatever is cut off or changed on the way is refused or gives other numbers, never a fault. */
static void news_are_read_back(void **state) {
  (void)state;
  struct ts_error err = {0};
  const char *const names[] = {"x"};
  struct ts_data *data = ts_data_create_table(1, 1, names, &err);
  *(double *)ts_data_writable(data) = 2.5;
  ts_data_finish(data);
  struct ts_str bytes = {0};
  struct ts_error why = {0};
  ts_fail(&why, TS_ERR_COMMAND, "it ended");
  ts_error_help(&why, "see why");
  ts_error_place(&why, "fit.json", 3, 4, "/command");
  const struct ts_task_event event = {.node = 7,
                                      .unit = 3,
                                      .outcome = TS_OUTCOME_FAILED,
                                      .start_s = 1.5,
                                      .worker = 2,
                                      .error = &why,
                                      .log = "no luck",
                                      .remark = "luck",
                                      .output_bytes = UINT64_C(5000000000),
                                      .port_count = 9, /* one more than travel */
                                      .port_bytes = (const size_t[]){1, 2, 3, 4, 5, 6, 7, 4000000000, 9},
                                      .peak_bytes = 12};
  ts_dist_add_start(&bytes, 9);
  ts_dist_add_task(&bytes, &event);
  assert_true(ts_dist_add_product(&bytes, 5, 1, 4, data, &err));
  struct ts_wire wire = ts_wire_of(bytes.data, bytes.length);
  struct ts_dist_news news;
  assert_true(ts_dist_read_news(&wire, &news));
  assert_int_equal(news.item, TS_DIST_ITEM_START);
  assert_int_equal(news.event.node, 9);
  assert_true(ts_dist_read_news(&wire, &news));
  assert_int_equal(news.event.outcome, TS_OUTCOME_FAILED);
  assert_int_equal(news.event.unit, 3);
  assert_string_equal(news.event.log, "no luck");
  assert_non_null(news.event.error);
  assert_memory_equal(news.event.error, &why, sizeof why);
  assert_true(news.event.output_bytes == UINT64_C(5000000000) && news.event.peak_bytes == 12);
  assert_int_equal(news.event.port_count, TS_DIST_PORTS);
  assert_true(news.event.port_bytes[0] == 1 && news.event.port_bytes[7] == 4000000000);
  assert_true(ts_dist_read_news(&wire, &news));
  assert_int_equal(news.port, 1);
  struct ts_data *back = ts_data_unpack(news.packed, news.packed_bytes, &err);
  assert_true(back && ts_data_cells(back)[0] == 2.5);
  assert_false(ts_dist_read_news(&wire, &news));
  assert_true(ts_wire_is_whole(&wire));
  for (size_t length = 0; length < bytes.length; length++) {
    wire = ts_wire_of(bytes.data, length);
    size_t count = 0;
    while (ts_dist_read_news(&wire, &news)) count++;
    assert_true(count < 3);
  }
  ts_data_unref(back);
  ts_data_unref(data);
  ts_str_release(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_outcome_counts),
      cmocka_unit_test(what_nobody_asked_for_was_there),
      cmocka_unit_test(reading_is_told_each_time_and_its_failure_once),
      cmocka_unit_test(products_are_told_once),
      cmocka_unit_test(news_are_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
