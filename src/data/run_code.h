/* Short codes for numbers and for the runs of objects, and a reader that never trusts the bytes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A number takes seven bits per byte, the lowest first; all bytes but the last have their highest bit set. A signed one
 * n becomes 2 n, or -2 n - 1 below 0. A list of runs is their count, the first run relative to a base (y, begin, length
 * - 1), and each further one relative to the run before it: the change of begin, doubled, plus 1 unless it lies in the
 * next row; in that case the number of rows between follows; then the change of the length. Objects of tissue take
 * about two bytes per run. Runs are in raster order, and two of one row do not touch. */
#ifndef TS_DATA_RUN_CODE_H
#define TS_DATA_RUN_CODE_H

#include "kernels/pixel_run.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left to read. */
struct ts_cursor {
  const uint8_t *at; /* borrowed */
  const uint8_t *end;
};

void ts_code_number(struct ts_str *out, uint64_t number);
void ts_code_signed(struct ts_str *out, int64_t number);
/* False: the bytes end, or the number has more than 64 bits. */
bool ts_cursor_number(struct ts_cursor *cursor, uint64_t *number);
bool ts_cursor_signed(struct ts_cursor *cursor, int64_t *number);
/* A number of things of which each takes at least so many bytes: false as well if there cannot be as many. */
bool ts_cursor_count(struct ts_cursor *cursor, size_t least_bytes, size_t *count);
bool ts_cursor_bytes(struct ts_cursor *cursor, void *to, size_t size);

struct ts_run_list {
  struct ts_pixel_run *items; /* owned */
  size_t count;
  size_t capacity;
};

void ts_run_list_add(struct ts_run_list *list, struct ts_pixel_run run);
void ts_run_list_release(struct ts_run_list *list);

/* At least one run. The base is the first run of the list that was coded before it, at first 0; it moves on. */
void ts_code_runs(struct ts_str *out, const struct ts_pixel_run *runs, size_t count, struct ts_pixel_run *base);
/* Appends the runs to the list. False: no such list, or one with a run that is empty, out of order, or outside of what
 * numbers hold; the list may then have grown. */
bool ts_cursor_runs(struct ts_cursor *cursor, struct ts_pixel_run *base, struct ts_run_list *list);

#endif
