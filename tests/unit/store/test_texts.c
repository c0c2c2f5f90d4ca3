/* Texts of runs: what is put comes back, equal ones are one, and damage or a missing text is told.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

static char folder[SCRATCH_SIZE];

static int set_up(void **state) {
  (void)state;
  scratch_create(folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

/* Larger than what lies in the database. */
static char *long_text(size_t length) {
  char *text = ts_malloc(length + 1);
  uint64_t state = 1;
  for (size_t i = 0; i < length; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    text[i] = (char)('a' + (state >> 33) % 26);
  }
  text[length] = '\0';
  return text;
}

static void assert_text(struct ts_store *store, const struct ts_sha256 *digest, const char *wanted) {
  struct ts_str text = {0};
  struct ts_error err = {0};
  assert_true(ts_store_text_get(store, digest, &text, &err));
  assert_no_error(&err);
  assert_string_equal(ts_str_get(&text), wanted);
  ts_str_release(&text);
}

static void texts_come_back(void **state) {
  (void)state;
  char *large = long_text(300000);
  const char *const texts[] = {"{\"schema\":\"tessera.order/1\"}", "", large};
  for (int in_memory = 0; in_memory < 2; in_memory++) {
    struct ts_store *store = open_store(in_memory ? NULL : folder);
    struct ts_sha256 digests[3], again;
    struct ts_error err = {0};
    for (size_t i = 0; i < 3; i++) {
      assert_true(ts_store_text_put(store, texts[i], strlen(texts[i]), &digests[i], &err));
      assert_true(ts_store_text_put(store, texts[i], strlen(texts[i]), &again, &err));
      assert_memory_equal(&digests[i], &again, sizeof again);
    }
    struct ts_store_usage usage;
    assert_true(ts_store_usage(store, &usage, &err));
    assert_int_equal(usage.products, 3);
    assert_int_equal(usage.records, 0);
    for (size_t i = 0; i < 3; i++) assert_text(store, &digests[i], texts[i]);
    ts_store_close(store);
    if (in_memory) continue;
    store = open_to_read(folder); /* another process, later */
    for (size_t i = 0; i < 3; i++) assert_text(store, &digests[i], texts[i]);
    assert_false(ts_store_text_put(store, "x", 1, &again, &err));
    assert_int_not_equal(err.code, TS_ERR_OK);
    ts_store_close(store);
  }
  free(large);
}

static void a_missing_text_is_no_error(void **state) {
  (void)state;
  struct ts_store *store = open_store(folder);
  struct ts_str text = {0};
  struct ts_error err = {0};
  assert_false(ts_store_text_get(store, &(struct ts_sha256){{7}}, &text, &err));
  assert_no_error(&err);
  ts_store_close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(texts_come_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_missing_text_is_no_error, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
