/* How often values occur in an object, as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/objects/measure_code.h"

enum { VALUES = 256 };

static void code_histogram(struct ts_str *out, const int64_t histogram[VALUES]) {
  uint64_t used = 0;
  for (int i = 0; i < VALUES; i++) used += histogram[i] > 0;
  ts_code_number(out, used);
  for (int i = 0, before = 0; i < VALUES; i++) {
    if (histogram[i] == 0) continue;
    ts_code_number(out, (uint64_t)(i - before));
    ts_code_number(out, (uint64_t)histogram[i]);
    before = i;
  }
}

void ts_measure_code_counts(struct ts_str *out, const struct ts_feature_counts *counts) {
  for (int c = 0; c < TS_FEATURE_CHANNELS; c++) {
    code_histogram(out, counts->intensity[c]);
    code_histogram(out, counts->gradient[c]);
  }
}

/* Every pixel is in a histogram once. NULL: only whether it is one. */
static bool read_histogram(struct ts_cursor *cursor, int64_t pixels, int64_t *histogram) {
  uint64_t used, value = 0;
  if (!ts_cursor_number(cursor, &used) || used > VALUES) return false;
  for (uint64_t i = 0; i < used; i++) {
    uint64_t step, count;
    if (!ts_cursor_number(cursor, &step) || !ts_cursor_number(cursor, &count)) return false;
    if (step >= VALUES - value || (i > 0 && step == 0) || count == 0 || count > (uint64_t)pixels) return false;
    value += step;
    if (histogram) histogram[value] += (int64_t)count;
    pixels -= (int64_t)count;
  }
  return pixels == 0;
}

bool ts_measure_read_counts(struct ts_cursor *cursor, int64_t pixels, struct ts_feature_counts *counts) {
  for (int c = 0; c < TS_FEATURE_CHANNELS; c++)
    if (!read_histogram(cursor, pixels, counts ? counts->intensity[c] : NULL) ||
        !read_histogram(cursor, pixels, counts ? counts->gradient[c] : NULL))
      return false;
  return true;
}
