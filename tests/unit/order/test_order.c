/* Orders that are read: of a run, of one that an earlier program began, damaged and foreign ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "order/order.h"

#include <stdlib.h>
#include <string.h>

static struct ts_store *store;
static struct ts_arena arena;

static int set_up(void **state) {
  (void)state;
  store = ts_store_open(&(struct ts_store_options){.path = NULL}, NULL);
  return store ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  ts_store_close(store);
  ts_arena_release(&arena);
  return 0;
}

static const char good[] =
    "{\"schema\":\"tessera.order/1\",\"workflow\":\"{}\",\"operations\":[],\"items\":[{\"name\":\"a\"}],\"grid\":{},"
    "\"space\":{\"parameters\":[]},\"sets\":[[]],\"wanted\":[],\"options\":{\"seed\":7},\"settings\":{\"workers\":3}}";

static struct ts_run_row begin(const char *settings) {
  struct ts_error err = {0};
  struct ts_run_row *rows = NULL;
  size_t count = 0;
  char id[9];
  if (!ts_store_run_begin(store, "study", "/gone/study.json", settings, id, &err)) fail_msg("%s", err.text);
  if (!ts_store_run_list(store, &arena, &rows, &count, &err)) fail_msg("%s", err.text);
  return rows[0];
}

/* A row that refers to a text, which may be that of an order. */
static struct ts_run_row begin_with(const char *text) {
  struct ts_error err = {0};
  struct ts_sha256 digest;
  char hex[65];
  if (!ts_store_text_put(store, text, strlen(text), &digest, &err)) fail_msg("%s", err.text);
  ts_hex_encode(digest.bytes, 32, hex);
  return begin(ts_arena_printf(&arena, "{\"order\":\"%s\",\"places\":{\"output\":\"there\",\"data\":[\"x\"]}}", hex));
}

static void an_order_is_taken_up(void **state) {
  (void)state;
  struct ts_run_row row = begin_with(good);
  struct ts_order order;
  struct ts_error err = {0};
  struct ts_request request = {0};
  assert_true(ts_order_load(store, &row, &order, &err));
  assert_non_null(order.root);
  ts_order_restore(&arena, &order, &request);
  assert_true(request.has_seed && request.seed == 7 && request.workers == 3 && request.data_count == 1);
  assert_string_equal(request.output, "there");
  assert_int_equal(json_array_size(ts_order_begun_items(&order)), 1);
  ts_order_release(&order);
}

/* As programs wrote rows before there were orders. */
static void an_earlier_run_is_taken_up(void **state) {
  (void)state;
  struct ts_run_row row = begin("{\"command\":\"tessera study\",\"items\":[{\"inputs\":{},\"name\":\"a\"}],"
                                "\"merge\":\"rtma\",\"output\":\"there\",\"parameters\":{},\"seed\":7,\"workers\":3}");
  struct ts_order order;
  struct ts_error err = {0};
  struct ts_request request = {0};
  assert_true(ts_order_load(store, &row, &order, &err));
  assert_null(order.root);
  ts_order_restore(&arena, &order, &request);
  assert_true(request.has_seed && request.seed == 7 && request.workers == 3);
  assert_string_equal(request.merge, "rtma");
  assert_string_equal(request.output, "there");
  assert_int_equal(json_array_size(ts_order_begun_items(&order)), 1);
  ts_order_release(&order);
}

static void expect_refused(const struct ts_run_row *row, const char *part) {
  struct ts_order order;
  struct ts_error err = {0};
  assert_false(ts_order_load(store, row, &order, &err));
  if (!strstr(err.text, part) || !strstr(err.text, row->id)) fail_msg("'%s' is not about '%s'", err.text, part);
  assert_int_not_equal(err.help[0], '\0');
  ts_order_release(&order);
}

static void other_documents_are_refused(void **state) {
  (void)state;
  static const char *const members[] = {"workflow", "operations", "items",   "grid",    "space",
                                        "sets",     "wanted",     "options", "settings"};
  struct ts_run_row row = begin("{\"order\":\""
                                "00000000000000000000000000000000"
                                "00000000000000000000000000000000"
                                "\"}");
  expect_refused(&row, "has lost the work order");
  row = begin_with("no JSON");
  expect_refused(&row, "has lost the work order");
  row = begin_with("{\"schema\":\"tessera.order/2\"}");
  expect_refused(&row, "'tessera.order/2'");
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    json_t *object = json_loads(good, 0, NULL);
    json_object_set_new(object, members[i], json_integer(1));
    char *text = json_dumps(object, 0);
    row = begin_with(text);
    expect_refused(&row, members[i]);
    free(text);
    json_decref(object);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_order_is_taken_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_earlier_run_is_taken_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(other_documents_are_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
