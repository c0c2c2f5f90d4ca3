/* Bands of rows for threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/cpu/bands.h"

enum { ROWS_MIN = 8, BANDS_PER_THREAD = 4 };

size_t ts_band_count(const struct ts_kernel_threads *threads, int64_t rows) {
  if (!threads || threads->count < 2) return 1;
  size_t most = (size_t)(rows / ROWS_MIN);
  size_t wanted = threads->count < TS_BANDS_MAX / BANDS_PER_THREAD ? threads->count * BANDS_PER_THREAD : TS_BANDS_MAX;
  if (most < 1) return 1;
  return wanted < most ? wanted : most;
}

struct ts_band ts_band_at(size_t index, size_t count, int64_t rows) {
  int64_t n = (int64_t)count;
  int64_t i = (int64_t)index;
  return (struct ts_band){.index = index, .begin = rows * i / n, .end = rows * (i + 1) / n};
}

void ts_pieces_run(const struct ts_kernel_threads *threads, size_t count, void (*body)(void *context, size_t index),
                   void *context) {
  if (count > 1 && threads && threads->count > 1) {
    threads->run(threads->user, count, body, context);
  } else {
    for (size_t i = 0; i < count; i++) body(context, i);
  }
}

struct bands {
  size_t count;
  int64_t rows;
  void (*body)(void *context, const struct ts_band *band);
  void *context; /* borrowed */
};

static void run_band(void *argument, size_t index) {
  const struct bands *bands = argument;
  struct ts_band band = ts_band_at(index, bands->count, bands->rows);
  bands->body(bands->context, &band);
}

void ts_bands_run(const struct ts_kernel_threads *threads, int64_t rows,
                  void (*body)(void *context, const struct ts_band *band), void *context) {
  struct bands bands = {.count = ts_band_count(threads, rows), .rows = rows, .body = body, .context = context};
  ts_pieces_run(threads, bands.count, run_band, &bands);
}
