/* Reading Morris indices: classes, ranks, and whether the ranks are settled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/analysis.h"

#include <math.h>

#define MANY_TRAJECTORIES 1000 /* more than this is no advice */

double ts_morris_largest(const struct ts_morris_index *indices, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    if (indices[i].mu_star > largest) largest = indices[i].mu_star;
  }
  return largest;
}

/* Several effects were seen, and all were zero. */
static bool without_effect(const struct ts_morris_index *index) {
  return index->effect_count > 1 && index->mu_star == 0;
}

enum ts_effect_class ts_morris_classify(const struct ts_morris_index *index, double largest_mu_star, double share) {
  if (share <= 0) share = TS_NEGLIGIBLE_SHARE;
  if (without_effect(index) || index->mu_star_high < share * largest_mu_star) return TS_EFFECT_NEGLIGIBLE;
  return index->sigma >= TS_INTERACTING_RATIO * index->mu_star ? TS_EFFECT_INTERACTING : TS_EFFECT_LINEAR;
}

const char *ts_effect_class_name(enum ts_effect_class effect_class) {
  switch (effect_class) {
  case TS_EFFECT_NEGLIGIBLE: return "negligible";
  case TS_EFFECT_LINEAR: return "influential";
  case TS_EFFECT_INTERACTING: return "interacting";
  }
  return "";
}

/* Whether a belongs strictly before b. */
static bool before(const struct ts_morris_index *a, const struct ts_morris_index *b) {
  if (isnan(b->mu_star)) return !isnan(a->mu_star);
  return a->mu_star > b->mu_star;
}

static bool overlap(const struct ts_morris_index *a, const struct ts_morris_index *b) {
  if (without_effect(a) && without_effect(b)) return false;
  /* Written so that an unknown (NaN) end counts as overlapping. */
  return !(a->mu_star_low > b->mu_star_high || b->mu_star_low > a->mu_star_high);
}

void ts_morris_rank(const struct ts_morris_index *indices, size_t count, size_t *order, bool *unsettled) {
  for (size_t i = 0; i < count; i++) { /* insertion keeps equal ones in order, and there are few */
    size_t at = i;
    while (at > 0 && before(&indices[i], &indices[order[at - 1]])) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = i;
  }
  for (size_t i = 0; i < count; i++) {
    unsettled[i] = i + 1 < count && overlap(&indices[order[i]], &indices[order[i + 1]]);
  }
}

size_t ts_morris_more_trajectories(const struct ts_morris_index *a, const struct ts_morris_index *b) {
  if (!overlap(a, b)) return 0;
  const struct ts_morris_index *upper = a->mu_star >= b->mu_star ? a : b;
  const struct ts_morris_index *lower = upper == a ? b : a;
  double gap = upper->mu_star - lower->mu_star;
  double reach = (upper->mu_star - upper->mu_star_low) + (lower->mu_star_high - lower->mu_star);
  size_t have = a->effect_count < b->effect_count ? a->effect_count : b->effect_count;
  double ratio = reach / gap;
  double more = ceil((double)have * ratio * ratio) - (double)have;
  return more >= 1 && more < MANY_TRAJECTORIES ? (size_t)more : 0;
}
