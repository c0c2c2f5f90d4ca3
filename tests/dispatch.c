/* The main of a module's test program: runs the test file that its first argument names.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All test files of a module are one program; CMake renames their main functions and lists them in entries.h. A file
 * that skipped a part of itself exits with 77: cmocka alone would count it as passed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "support/test_file.h"

enum { SKIPPED = 77, OFF = 0, ON = 1 };

/* Names the file for processes that a test starts from its own program with arguments of its own. */
static const char *const FILE_VARIABLE = "TESSERA_TEST_FILE";

struct entry {
  const char *name;
  int (*plain)(void);
  int (*with_words)(int count, char **words);
  bool one_thread;
};

#define PLAIN(name, one_thread)      {#name, test_main_##name, NULL, one_thread},
#define WITH_WORDS(name, one_thread) {#name, NULL, test_main_##name, one_thread},
static const struct entry entries[] = {ENTRIES(PLAIN, WITH_WORDS)};
enum { ENTRY_COUNT = sizeof entries / sizeof *entries };

static int skipped_parts;
static bool starts_no_thread;

/* The linker puts this in the place of cmocka's function (--wrap). */
_Noreturn void __real__skip(const char *file, int line);
_Noreturn void __wrap__skip(const char *file, int line);

void __wrap__skip(const char *file, int line) {
  skipped_parts++;
  printf("SKIP: the rest of this test is left out at %s:%d\n", file, line);
  fflush(stdout);
  __real__skip(file, line);
}

void test_skip_part(const char *why) {
  skipped_parts++;
  printf("SKIP: %s\n", why);
  fflush(stdout);
}

bool test_starts_no_thread(void) { return starts_no_thread; }

static const struct entry *find(const char *name) {
  for (int i = 0; name && i < ENTRY_COUNT; i++)
    if (strcmp(entries[i].name, name) == 0) return &entries[i];
  return NULL;
}

static int refuse(const char *program) {
  fprintf(stderr, "usage: %s FILE [ARGUMENT...]; the files are:\n", program);
  for (int i = 0; i < ENTRY_COUNT; i++) fprintf(stderr, "  %s\n", entries[i].name);
  return 2;
}

int main(int count, char **words) {
  const char *name = getenv(FILE_VARIABLE);
  const struct entry *entry = find(name);
  if (!entry) {
    entry = find(count > 1 ? words[1] : NULL);
    if (!entry) return refuse(words[0]);
    setenv(FILE_VARIABLE, entry->name, 1);
    words[1] = words[0];
    words++;
    count--;
  }
  starts_no_thread = entry->one_thread;
  int status = entry->plain ? entry->plain() : entry->with_words(count, words);
  return status == 0 && skipped_parts > 0 ? SKIPPED : status;
}
