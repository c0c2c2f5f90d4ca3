/* Means, standard errors and medians over the seeds of a replay.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/order.h"
#include "replay/replay_int.h"

#include <math.h>
#include <stdlib.h>

struct moments ts_replayed_moments(const struct replayed *results, size_t count, size_t offset) {
  struct moments m = {.mean = NAN, .se = NAN};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    double value = *(const double *)((const char *)&results[i] + offset);
    if (!isfinite(value)) continue;
    sum += value;
    m.count++;
  }
  if (m.count == 0) return m;
  m.mean = sum / (double)m.count;
  for (size_t i = 0; i < count; i++) {
    double value = *(const double *)((const char *)&results[i] + offset);
    if (isfinite(value)) squares += (value - m.mean) * (value - m.mean);
  }
  if (m.count > 1) m.se = sqrt(squares / (double)(m.count - 1) / (double)m.count);
  return m;
}

double ts_replayed_median_uses(const struct replayed *results, size_t count) {
  ts_auto_free double *uses = ts_calloc(count + 1, sizeof *uses);
  for (size_t i = 0; i < count; i++) {
    if (isnan(results[i].least_uses)) return NAN;
    uses[i] = results[i].least_uses;
  }
  qsort(uses, count, sizeof *uses, ts_compare_doubles);
  return count == 0 ? NAN : (uses[(count - 1) / 2] + uses[count / 2]) / 2;
}
