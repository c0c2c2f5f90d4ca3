/* Small allocations; the only place where running out of memory ends the program.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include "base/error.h"
#include "base/log.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_CAPACITY 8

static atomic_bool exhausted;
static atomic_bool exits;

bool ts_memory_is_exhausted(void) { return atomic_load(&exhausted); }

void ts_memory_exit_when_exhausted(void) { atomic_store(&exits, true); }

/* Not exit: what it would call may need memory, too. */
static void exit_with_words(const char *what) {
  struct sigaction action;
  if (!atomic_load(&exits) || sigaction(SIGABRT, NULL, &action) != 0 || action.sa_handler != SIG_DFL) return;
  fprintf(stderr,
          "error[T%03d]: out of memory (%s)\n"
          "help: allow the program more memory (ulimit -v), or ask for less: fewer runs, smaller tiles\n",
          ts_error_number(TS_ERR_NO_MEMORY), what);
  _exit(ts_error_exit_code(TS_ERR_NO_MEMORY));
}

_Noreturn void ts_memory_fail(const char *what) {
  atomic_store(&exhausted, true);
  exit_with_words(what);
  if (ts_log_uses_stderr()) fprintf(stderr, "tessera: out of memory (%s)\n", what);
  abort();
}

static _Noreturn void out_of_memory(size_t count, size_t size) {
  char what[64];
  snprintf(what, sizeof what, "%zu x %zu bytes", count, size);
  ts_memory_fail(what);
}

static size_t multiply(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) out_of_memory(count, size);
  return total;
}

/* A size of 0 still gives a pointer of its own, so that NULL always means failure. No object can be larger than
 * PTRDIFF_MAX; the sanitizers' allocators end the program for such sizes in a way of their own. */
static size_t checked(size_t size) {
  if (size > PTRDIFF_MAX) out_of_memory(1, size);
  return size ? size : 1;
}

void *ts_malloc(size_t size) {
  void *pointer = malloc(checked(size));
  if (!pointer) out_of_memory(1, size);
  return pointer;
}

void *ts_calloc(size_t count, size_t size) {
  void *pointer = calloc(1, checked(multiply(count, size)));
  if (!pointer) out_of_memory(count, size);
  return pointer;
}

void *ts_realloc(void *pointer, size_t size) {
  void *moved = realloc(pointer, checked(size));
  if (!moved) out_of_memory(1, size);
  return moved;
}

void *ts_realloc_array(void *pointer, size_t count, size_t size) { return ts_realloc(pointer, multiply(count, size)); }

char *ts_strdup(const char *text) { return ts_memdup(text, strlen(text) + 1); }

char *ts_strndup(const char *text, size_t length) {
  size_t used = strnlen(text, length);
  char *copy = ts_malloc(used + 1);
  memcpy(copy, text, used);
  copy[used] = '\0';
  return copy;
}

void *ts_memdup(const void *data, size_t size) {
  void *copy = ts_malloc(size);
  if (size) memcpy(copy, data, size);
  return copy;
}

void *ts_grow(void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity) return items;
  size_t wanted = *capacity ? multiply(*capacity, 2) : FIRST_CAPACITY;
  items = ts_realloc_array(items, wanted, item_size);
  *capacity = wanted;
  return items;
}

/* memcpy, because the variable is a `char *` or `struct x *`, which must not be read through a `void **`. */
void ts_free_pointer(void *pointer_to_pointer) { free(ts_steal_pointer(pointer_to_pointer)); }

void *ts_steal_pointer(void *pointer_to_pointer) {
  void *pointer;
  memcpy(&pointer, pointer_to_pointer, sizeof pointer);
  memset(pointer_to_pointer, 0, sizeof pointer);
  return pointer;
}
