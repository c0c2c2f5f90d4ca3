/* The tracing wrapper writes a line per call, and only when it is asked to.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/support.h"

#include "base/file.h"
#include "base/log.h"

#include <fcntl.h>

/* What a short life of a store writes to stderr. */
static void capture(struct ts_str *text) {
  char path[SCRATCH_SIZE];
  char folder[SCRATCH_SIZE];
  scratch_create(folder);
  snprintf(path, sizeof path, "%.200s/stderr", folder);
  int before = dup(STDERR_FILENO);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  assert_true(before >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
  struct ts_store *store = open_store(NULL);
  put_sample(store, 1, 10);
  flush(store);
  has_record(store, 2);
  ts_store_close(store);
  assert_true(dup2(before, STDERR_FILENO) >= 0);
  close(fd);
  close(before);
  struct ts_error err = {0};
  assert_true(ts_file_read(path, 0, text, &err));
  scratch_remove(folder);
}

static void silent_by_default(void **state) {
  (void)state;
  struct ts_str text = {0};
  unsetenv("TESSERA_STORE_TRACE");
  capture(&text);
  assert_string_equal(ts_str_get(&text), "");
  setenv("TESSERA_STORE_TRACE", "0", 1);
  capture(&text);
  assert_string_equal(ts_str_get(&text), "");
  ts_str_release(&text);
}

static void every_call_is_told(void **state) {
  (void)state;
  struct ts_str text = {0};
  setenv("TESSERA_STORE_TRACE", "1", 1);
  capture(&text);
  assert_non_null(strstr(ts_str_get(&text), "memory.open() for writing"));
  assert_non_null(strstr(ts_str_get(&text), "memory.write(1 rows, 1 products) done"));
  const struct ts_key key = key_of("lineage", 2);
  char expected[64];
  char hex[65];
  ts_hex_encode(key.digest.bytes, 32, hex);
  snprintf(expected, sizeof expected, "memory.find(%.16s) no", hex);
  assert_non_null(strstr(ts_str_get(&text), expected));
  assert_non_null(strstr(ts_str_get(&text), "memory.close() done"));
  ts_str_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(silent_by_default),
      cmocka_unit_test(every_call_is_told),
  };
  ts_log_use_stderr();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
