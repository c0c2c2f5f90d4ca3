/* Reading indices: classes of effects, ranks, and whether the ranks are settled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rank.h"

#include "analysis/analysis.h"
#include "base/alloc.h"

#include <math.h>

#define ADVICE_TIMES 100 /* beyond this many times the runs, a number is not useful advice */

/* The figures that a rank depends on. */
struct entry {
  struct ts_index index;
  size_t blocks; /* effects, base samples or runs behind it */
};

/* Several effects were seen, and all were zero. */
static bool without_effect(const struct entry *entry) { return entry->blocks > 1 && entry->index.value == 0; }

/* Whether a belongs strictly before b. */
static bool before(const struct entry *a, const struct entry *b) {
  if (isnan(b->index.value)) return !isnan(a->index.value);
  return a->index.value > b->index.value;
}

static bool overlap(const struct entry *a, const struct entry *b) {
  if (without_effect(a) && without_effect(b)) return false;
  /* Written so that an unknown (NaN) end counts as overlapping. */
  return !(a->index.low > b->index.high || b->index.low > a->index.high);
}

static void rank(const struct entry *entries, size_t count, size_t *order, bool *unsettled) {
  for (size_t i = 0; i < count; i++) { /* insertion keeps equal ones in order, and there are few */
    size_t at = i;
    while (at > 0 && before(&entries[i], &entries[order[at - 1]])) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = i;
  }
  for (size_t i = 0; i < count; i++) {
    unsettled[i] = i + 1 < count && overlap(&entries[order[i]], &entries[order[i + 1]]);
  }
}

/* About how many further blocks would separate the two, since widths shrink with the square root of their number. 0:
 * they are apart already, or need `limit` further ones or more, or it is unknown. */
static size_t more_blocks(const struct entry *a, const struct entry *b, size_t limit) {
  if (!overlap(a, b)) return 0;
  const struct entry *upper = a->index.value >= b->index.value ? a : b;
  const struct entry *lower = upper == a ? b : a;
  double gap = upper->index.value - lower->index.value;
  double reach = (upper->index.value - upper->index.low) + (lower->index.high - lower->index.value);
  size_t have = a->blocks < b->blocks ? a->blocks : b->blocks;
  double ratio = reach / gap;
  double more = ceil((double)have * ratio * ratio) - (double)have;
  return more >= 1 && more < (double)limit ? (size_t)more : 0;
}

/* Without its sign; an interval around 0 then starts there. */
static struct ts_index size_of(struct ts_index index) {
  double low = fabs(index.low), high = fabs(index.high);
  bool crosses = index.low < 0 && index.high > 0;
  return (struct ts_index){.value = fabs(index.value),
                           .low = crosses      ? 0
                                  : low < high ? low
                                               : high,
                           .high = low > high ? low : high};
}

/* The entries of a column, owned by the caller. */
static struct entry *column_entries(const struct ts_indices *indices, const char *column) {
  const struct ts_method *method = indices->method;
  if (!column) column = method->rank_by;
  size_t at = ts_indices_column(indices, column);
  if (at >= indices->column_count) TS_BUG("method '%s' has no column '%s'", method->name, column);
  struct entry *entries = ts_calloc(indices->name_count + 1, sizeof *entries);
  for (size_t i = 0; i < indices->name_count; i++) {
    struct ts_index index = indices->cells[i * indices->column_count + at];
    entries[i] = (struct entry){.index = method->rank_by_size ? size_of(index) : index, .blocks = indices->usable[i]};
  }
  return entries;
}

void ts_rank(const struct ts_indices *indices, const char *column, size_t *order, bool *unsettled) {
  ts_auto_free struct entry *entries = column_entries(indices, column);
  rank(entries, indices->name_count, order, unsettled);
}

static size_t most_usable(const struct ts_indices *indices) {
  size_t most = 0;
  for (size_t i = 0; i < indices->name_count; i++) most = indices->usable[i] > most ? indices->usable[i] : most;
  return most;
}

size_t ts_rank_open(const struct ts_indices *indices, struct ts_open_rank *open) {
  ts_auto_free struct entry *entries = column_entries(indices, NULL);
  ts_auto_free size_t *order = ts_calloc(indices->name_count + 1, sizeof *order);
  ts_auto_free bool *unsettled = ts_calloc(indices->name_count + 1, sizeof *unsettled);
  const size_t limit = ADVICE_TIMES * most_usable(indices);
  size_t count = 0;
  rank(entries, indices->name_count, order, unsettled);
  for (size_t i = 0; i < indices->name_count; i++) {
    if (!unsettled[i]) continue;
    const size_t a = order[i], b = order[i + 1];
    open[count++] = (struct ts_open_rank){i, a, b, more_blocks(&entries[a], &entries[b], limit)};
  }
  return count;
}

double ts_morris_largest(const struct ts_morris_index *indices, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    if (indices[i].mu_star > largest) largest = indices[i].mu_star;
  }
  return largest;
}

static struct entry morris_entry(const struct ts_morris_index *index) {
  return (struct entry){.index = {index->mu_star, index->mu_star_low, index->mu_star_high},
                        .blocks = index->effect_count};
}

enum ts_effect_class ts_morris_classify(const struct ts_morris_index *index, double largest_mu_star, double share) {
  struct entry entry = morris_entry(index);
  if (share <= 0) share = TS_NEGLIGIBLE_SHARE;
  if (without_effect(&entry) || index->mu_star_high < share * largest_mu_star) return TS_EFFECT_NEGLIGIBLE;
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

void ts_morris_rank(const struct ts_morris_index *indices, size_t count, size_t *order, bool *unsettled) {
  ts_auto_free struct entry *entries = ts_calloc(count + 1, sizeof *entries);
  for (size_t i = 0; i < count; i++) entries[i] = morris_entry(&indices[i]);
  rank(entries, count, order, unsettled);
}
