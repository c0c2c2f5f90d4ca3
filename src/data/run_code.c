/* Short codes for numbers and for the runs of objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/run_code.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 10, RUN_LEAST_BYTES = 2 };

static uint64_t fold(int64_t number) { return (uint64_t)number << 1 ^ (number < 0 ? ~UINT64_C(0) : 0); }

static int64_t unfold(uint64_t code) { return (int64_t)(code >> 1 ^ (code & 1 ? ~UINT64_C(0) : 0)); }

void ts_code_number(struct ts_str *out, uint64_t number) {
  uint8_t bytes[NUMBER_BYTES];
  size_t count = 0;
  for (; number > 127; number >>= 7) bytes[count++] = (uint8_t)(number | 128);
  bytes[count++] = (uint8_t)number;
  ts_str_add_bytes(out, bytes, count);
}

void ts_code_signed(struct ts_str *out, int64_t number) { ts_code_number(out, fold(number)); }

bool ts_cursor_number(struct ts_cursor *cursor, uint64_t *number) {
  *number = 0;
  for (unsigned shift = 0; cursor->at < cursor->end && shift < 64; shift += 7) {
    uint64_t byte = *cursor->at++;
    if (shift == 63 && byte > 1) return false;
    *number |= (byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool ts_cursor_signed(struct ts_cursor *cursor, int64_t *number) {
  uint64_t code;
  if (!ts_cursor_number(cursor, &code)) return false;
  *number = unfold(code);
  return true;
}

bool ts_cursor_count(struct ts_cursor *cursor, size_t least_bytes, size_t *count) {
  uint64_t number;
  if (!ts_cursor_number(cursor, &number) || number > (size_t)(cursor->end - cursor->at) / least_bytes) return false;
  *count = (size_t)number;
  return true;
}

bool ts_cursor_bytes(struct ts_cursor *cursor, void *to, size_t size) {
  if ((size_t)(cursor->end - cursor->at) < size) return false;
  memcpy(to, cursor->at, size);
  cursor->at += size;
  return true;
}

void ts_run_list_add(struct ts_run_list *list, struct ts_pixel_run run) {
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = run;
}

void ts_run_list_release(struct ts_run_list *list) {
  free(list->items);
  *list = (struct ts_run_list){0};
}

static int64_t length_of(const struct ts_pixel_run *run) { return (int64_t)run->end - run->begin; }

void ts_code_runs(struct ts_str *out, const struct ts_pixel_run *runs, size_t count, struct ts_pixel_run *base) {
  ts_code_number(out, count);
  ts_code_signed(out, (int64_t)runs[0].y - base->y);
  ts_code_signed(out, (int64_t)runs[0].begin - base->begin);
  ts_code_number(out, (uint64_t)length_of(&runs[0]) - 1);
  for (size_t i = 1; i < count; i++) {
    int64_t rows = (int64_t)runs[i].y - runs[i - 1].y;
    ts_code_number(out, fold((int64_t)runs[i].begin - runs[i - 1].begin) << 1 | (rows != 1));
    if (rows != 1) ts_code_number(out, (uint64_t)rows);
    ts_code_signed(out, length_of(&runs[i]) - length_of(&runs[i - 1]));
  }
  *base = runs[0];
}

/* A run at a place; false if it is none, or no run that may follow `before` (NULL for the first). */
static bool make_run(int64_t y, int64_t begin, int64_t length, const struct ts_pixel_run *before,
                     struct ts_pixel_run *run) {
  if (y < INT32_MIN || y > INT32_MAX || begin < INT32_MIN || begin > INT32_MAX) return false;
  if (length < 1 || length > INT32_MAX - begin) return false;
  *run = (struct ts_pixel_run){.y = (int32_t)y, .begin = (int32_t)begin, .end = (int32_t)(begin + length)};
  return !before || run->y > before->y || (run->y == before->y && run->begin > before->end);
}

static bool read_first(struct ts_cursor *cursor, const struct ts_pixel_run *base, struct ts_pixel_run *run) {
  int64_t y, begin;
  uint64_t more;
  if (!ts_cursor_signed(cursor, &y) || !ts_cursor_signed(cursor, &begin) || !ts_cursor_number(cursor, &more))
    return false;
  if (__builtin_add_overflow(y, base->y, &y) || __builtin_add_overflow(begin, base->begin, &begin)) return false;
  return more < INT32_MAX && make_run(y, begin, (int64_t)more + 1, NULL, run);
}

static bool read_next(struct ts_cursor *cursor, const struct ts_pixel_run *before, struct ts_pixel_run *run) {
  uint64_t code;
  uint64_t rows = 1;
  int64_t change;
  if (!ts_cursor_number(cursor, &code)) return false;
  if ((code & 1) && (!ts_cursor_number(cursor, &rows) || rows == 1)) return false; /* one code for one list */
  if (!ts_cursor_signed(cursor, &change) || rows > UINT32_MAX) return false;
  int64_t begin, length;
  if (__builtin_add_overflow(unfold(code >> 1), before->begin, &begin) ||
      __builtin_add_overflow(change, length_of(before), &length))
    return false;
  return make_run(before->y + (int64_t)rows, begin, length, before, run);
}

bool ts_cursor_runs(struct ts_cursor *cursor, struct ts_pixel_run *base, struct ts_run_list *list) {
  size_t count;
  struct ts_pixel_run run;
  if (!ts_cursor_count(cursor, RUN_LEAST_BYTES, &count) || count == 0 || !read_first(cursor, base, &run)) return false;
  *base = run;
  ts_run_list_add(list, run);
  for (size_t i = 1; i < count; i++) {
    struct ts_pixel_run before = run;
    if (!read_next(cursor, &before, &run)) return false;
    ts_run_list_add(list, run);
  }
  return true;
}
