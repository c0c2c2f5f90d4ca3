/* Setting, completing and sorting errors; the tables behind the codes; the end after mistakes of the program itself.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code_facts {
  int number;
  int exit_code;
};

static const struct code_facts facts[TS_ERR_COUNT] = {
#define X(name, number, exit_code, title) {number, exit_code},
    TS_ERROR_MAP(X)
#undef X
};

/* Drops the beginning of a UTF-8 character that truncation cut in two: messages end up in JSON, which must be valid. */
static void trim_broken_tail(char *text) {
  size_t length = strlen(text);
  size_t start = length;
  while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
  if (start == 0) return;
  unsigned char lead = (unsigned char)text[start - 1];
  if (lead < 0xC0) return;
  size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (length - start < wanted) text[start - 1] = '\0';
}

void ts_text_repair(char *text) {
  if (ts_utf8_valid(text, strlen(text))) return;
  while (*text) {
    size_t size = 1;
    while (size < 4 && text[size - 1] && !ts_utf8_valid(text, size)) size++;
    bool valid = text[size - 1] && ts_utf8_valid(text, size);
    if (!valid) *text = '?';
    text += valid ? size : 1;
  }
}

/* The last error of each thread, as far as it was completed. */
static _Thread_local struct ts_error last;
static _Thread_local const struct ts_error *last_of; /* where it was set; only compared, never followed */

static void keep_last(const struct ts_error *err) {
  last = *err;
  last_of = err;
}

const struct ts_error *ts_error_last(void) { return &last; }

void ts_error_forget_last(void) {
  last.code = TS_ERR_OK;
  last_of = NULL;
}

TS_PRINTF(3, 0) static void print_into(char *buffer, size_t size, const char *format, va_list args) {
  int wanted = vsnprintf(buffer, size, format, args);
  if (wanted < 0) buffer[0] = '\0';
  if (wanted >= 0 && (size_t)wanted >= size) trim_broken_tail(buffer);
  ts_text_repair(buffer);
}

static void copy_into(char *buffer, size_t size, const char *text) {
  size_t length = strnlen(text, size);
  bool cut = length == size;
  if (cut) length--;
  memmove(buffer, text, length);
  buffer[length] = '\0';
  if (cut) trim_broken_tail(buffer);
  ts_text_repair(buffer);
}

bool ts_vfail(struct ts_error *err, enum ts_error_code code, const char *format, va_list args) {
  if (code == TS_ERR_OK || code >= TS_ERR_COUNT) TS_BUG("error code %d cannot be set", (int)code);
  if (!err || err->code != TS_ERR_OK) return false;
  /* A caller that reset only the code must not see the help or the place of an earlier error. */
  err->help[0] = '\0';
  memset(&err->where, 0, sizeof err->where);
  print_into(err->text, sizeof err->text, format, args);
  err->code = code;
  keep_last(err);
  return false;
}

bool ts_fail(struct ts_error *err, enum ts_error_code code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  ts_vfail(err, code, format, args);
  va_end(args);
  return false;
}

bool ts_error_help(struct ts_error *err, const char *format, ...) {
  if (!err || err->code == TS_ERR_OK || err->help[0]) return false;
  va_list args;
  va_start(args, format);
  print_into(err->help, sizeof err->help, format, args);
  va_end(args);
  if (err == last_of) keep_last(err);
  return false;
}

bool ts_error_place(struct ts_error *err, const char *file, int line, int column, const char *path) {
  if (!err || err->code == TS_ERR_OK || err->where.file[0] || err->where.path[0]) return false;
  copy_into(err->where.file, sizeof err->where.file, file ? file : "");
  err->where.line = line;
  err->where.column = column;
  copy_into(err->where.path, sizeof err->where.path, path ? path : "");
  if (err == last_of) keep_last(err);
  return false;
}

void ts_error_context(struct ts_error *err, const char *format, ...) {
  if (!err || err->code == TS_ERR_OK) return;
  char what[sizeof err->text];
  va_list args;
  va_start(args, format);
  print_into(what, sizeof what, format, args);
  va_end(args);
  /* Kept shorter than the text field, so that the fault itself always has room behind it. */
  char text[2 * sizeof err->text + 16];
  snprintf(text, sizeof text, "while %.200s: %s", what, err->text);
  copy_into(err->text, sizeof err->text, text);
  if (err == last_of) keep_last(err);
}

void ts_error_clear(struct ts_error *err) {
  if (err) memset(err, 0, sizeof *err);
}

static const struct code_facts *facts_of(enum ts_error_code code) {
  if ((unsigned)code >= TS_ERR_COUNT) TS_BUG("no such error code: %d", (int)code);
  return &facts[code];
}

int ts_error_number(enum ts_error_code code) { return facts_of(code)->number; }

int ts_error_exit_code(enum ts_error_code code) { return facts_of(code)->exit_code; }

enum ts_error_code ts_error_of_number(int number, enum ts_error_code unknown) {
  for (int code = TS_ERR_OK + 1; code < TS_ERR_COUNT; code++) {
    if (facts[code].number == number) return (enum ts_error_code)code;
  }
  return unknown;
}

struct ts_error *ts_faults_add(struct ts_faults *faults) {
  faults->items = ts_grow(faults->items, faults->count, &faults->capacity, sizeof *faults->items);
  struct ts_error *fault = &faults->items[faults->count++];
  memset(fault, 0, sizeof *fault);
  return fault;
}

void ts_faults_release(struct ts_faults *faults) {
  free(faults->items);
  memset(faults, 0, sizeof *faults);
}

static int compare_numbers(int a, int b) { return (a > b) - (a < b); }

/* Everything that is shown takes part, so that the order does not depend on qsort's treatment of ties. */
static int compare_faults(const void *left, const void *right) {
  const struct ts_error *a = left;
  const struct ts_error *b = right;
  int order = strcmp(a->where.file, b->where.file);
  if (!order) order = compare_numbers(a->where.line, b->where.line);
  if (!order) order = compare_numbers(a->where.column, b->where.column);
  if (!order) order = strcmp(a->where.path, b->where.path);
  if (!order) order = compare_numbers((int)a->code, (int)b->code);
  if (!order) order = strcmp(a->text, b->text);
  return order;
}

void ts_faults_sort(struct ts_faults *faults) {
  if (faults->count > 1) qsort(faults->items, faults->count, sizeof *faults->items, compare_faults);
}

_Noreturn void ts_bug(const char *file, int line, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  /* Not by ts_log, whose lock this thread may hold. */
  if (ts_log_uses_stderr())
    fprintf(stderr,
            "tessera: internal error at %s:%d: %s\n"
            "This is a mistake in tessera, not in your input; please report it with this line.\n",
            file, line, text);
  abort();
}
