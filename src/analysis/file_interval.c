/* The interval of a number over files: what it would be with other files of the same kind, by a bootstrap over files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/aggregate.h"
#include "analysis/method.h"

#include "base/alloc.h"

#include <math.h>

/* As many as the sensitivity methods draw unless the user asks for others. */
#define USUAL_RESAMPLES  1000
#define USUAL_CONFIDENCE 0.95

struct ts_files_spread ts_files_spread_of(enum ts_over over, const struct ts_total *files, size_t count,
                                          const struct ts_files_resampling *how) {
  const struct ts_total whole = ts_total_of_files(over, files, count);
  const size_t resamples = how->resamples ? how->resamples : USUAL_RESAMPLES;
  if (over == TS_OVER_SUM || whole.failed || whole.n < 2 || resamples == TS_NO_RESAMPLES)
    return (struct ts_files_spread){NAN, NAN};
  ts_auto_free uint32_t *draws = ts_calloc(count, sizeof *draws);
  ts_auto_free struct ts_total *drawn = ts_calloc(count, sizeof *drawn);
  ts_auto_free double *values = ts_calloc(resamples, sizeof *values);
  for (size_t r = 0; r < resamples; r++) {
    ts_bootstrap_draw(how->seed, r, count, count, draws);
    for (size_t i = 0; i < count; i++) drawn[i] = files[draws[i]];
    values[r] = ts_total_of_files(over, drawn, count).value;
  }
  struct ts_index index = {.value = whole.value};
  const double confidence = how->confidence > 0 ? how->confidence : USUAL_CONFIDENCE;
  ts_interval_of(values, resamples, 1, confidence, TS_INTERVAL_PERCENTILE, &index);
  return (struct ts_files_spread){index.low, index.high};
}
