/* Messages: levels, prefixes, the hook, and whole lines from several threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/file.h"
#include "base/log.h"

#include <fcntl.h>
#include <pthread.h>

/* Runs the function with stderr going to a file, and returns what it wrote. */
static char *captured(void (*function)(void)) {
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stderr);
  int saved = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  function();
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = calloc(1, (size_t)size + 1);
  assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
  fclose(file);
  return text;
}

static void say_all(void) {
  ts_log(TS_LOG_QUIET, "never");
  ts_log(TS_LOG_WARN, "w%d", 1);
  ts_log(TS_LOG_INFO, "i%d", 2);
  ts_log(TS_LOG_DEBUG, "d%d", 3);
}

/* First: it cannot be taken back. */
static void nothing_goes_to_stderr_unasked(void **state) {
  (void)state;
  char *text = captured(say_all);
  assert_string_equal(text, "");
  free(text);
  ts_log_use_stderr();
}

static void levels_select(void **state) {
  (void)state;
  static const char *const expected[] = {"", "warning: w1\n", "warning: w1\ni2\n", "warning: w1\ni2\ndebug: d3\n"};
  assert_int_equal(ts_log_get_level(), TS_LOG_WARN);
  for (int level = TS_LOG_QUIET; level <= TS_LOG_DEBUG; level++) {
    ts_log_set_level((enum ts_log_level)level);
    assert_int_equal(ts_log_get_level(), level);
    char *text = captured(say_all);
    assert_string_equal(text, expected[level]);
    free(text);
  }
  ts_log_set_level(TS_LOG_WARN);
}

static void clear_line(void *user) {
  ++*(int *)user;
  fputs("<clear>", stderr);
}

static void the_hook_comes_first(void **state) {
  (void)state;
  int calls = 0;
  ts_log_set_before_message(clear_line, &calls);
  char *text = captured(say_all);
  assert_string_equal(text, "<clear>warning: w1\n");
  assert_int_equal(calls, 1);
  free(text);
  ts_log_set_before_message(NULL, NULL);
  text = captured(say_all);
  assert_string_equal(text, "warning: w1\n");
  free(text);
}

static bool take_warnings(void *user, enum ts_log_level level, const char *text) {
  if (level != TS_LOG_WARN) return false;
  snprintf(user, 16, "%s", text);
  return true;
}

static void a_sink_takes_what_it_wants(void **state) {
  (void)state;
  char taken[16] = "";
  ts_log_set_level(TS_LOG_INFO);
  ts_log_set_sink(take_warnings, taken);
  char *text = captured(say_all);
  ts_log_set_sink(NULL, NULL);
  ts_log_set_level(TS_LOG_WARN);
  assert_string_equal(text, "i2\n");
  assert_string_equal(taken, "w1");
  free(text);
}

static void *say_much(void *argument) {
  for (int i = 0; i < 200; i++) ts_log(TS_LOG_WARN, "%s", (const char *)argument);
  return NULL;
}

static void say_in_threads(void) {
  static char letters[4][65];
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++) {
    memset(letters[i], 'a' + (int)i, 64);
    pthread_create(&threads[i], NULL, say_much, letters[i]);
  }
  for (size_t i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void lines_stay_whole(void **state) {
  (void)state;
  char *text = captured(say_in_threads);
  size_t lines = 0;
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
    assert_int_equal(strlen(line), strlen("warning: ") + 64);
    assert_memory_equal(line, "warning: ", 9);
    assert_int_equal(strspn(line + 9, (char[]){line[9], '\0'}), 64);
  }
  assert_int_equal(lines, 800);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_goes_to_stderr_unasked),
      cmocka_unit_test(levels_select),
      cmocka_unit_test(the_hook_comes_first),
      cmocka_unit_test(a_sink_takes_what_it_wants),
      cmocka_unit_test(lines_stay_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
