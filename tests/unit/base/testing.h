/* What the tests of base share: scratch folders, checks of errors, and children that are expected to die.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_BASE_TESTING_H
#define TS_TESTS_UNIT_BASE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"

#include <ctype.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A new empty folder; its path is written to `path`, which holds at least 64 bytes. */
static inline char *scratch_create(char path[64]) {
  snprintf(path, 64, "%s", P_tmpdir "/tessera-test-XXXXXX");
  assert_non_null(mkdtemp(path));
  return path;
}

static inline int scratch_remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status;
  (void)type;
  (void)walk;
  return remove(path);
}

static inline void scratch_remove(const char *path) { nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS); }

/* The error is set as the conventions want it: code, lower case, no full stop, a help text. */
static inline void assert_error(const struct ts_error *err, enum ts_error_code code) {
  assert_int_equal(err->code, code);
  assert_true(err->text[0] != '\0');
  assert_false(isupper((unsigned char)err->text[0]));
  assert_true(err->text[strlen(err->text) - 1] != '.');
  assert_true(err->help[0] != '\0');
}

static inline void assert_place(const struct ts_error *err, const char *file, int line, int column) {
  assert_string_equal(err->where.file, file);
  assert_int_equal(err->where.line, line);
  assert_int_equal(err->where.column, column);
}

/* How the function ends its process, as waitpid says it; run in a child whose stderr is this file. */
static inline int end_of(void (*function)(void), const char *words) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    if (!freopen(words, "w", stderr) || setvbuf(stderr, NULL, _IONBF, 0) != 0) _exit(1);
    function();
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

/* Whether the function ends its process by abort(). */
static inline bool aborts(void (*function)(void)) {
  const int status = end_of(function, "/dev/null");
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
