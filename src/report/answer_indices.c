/* The answer of a study by any method but Morris, as one sentence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/result.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "report/text.h"

#include <math.h>

#define MAX_NAMES 5 /* more make no sentence */

struct ranking {
  const struct ts_indices *indices; /* borrowed */
  size_t column;
  size_t *order;   /* owned; largest first */
  bool *unsettled; /* owned; rank i overlaps rank i+1 */
  size_t deciding; /* the first ones */
  size_t known;    /* those whose index is a number; they come first */
};

static const struct ts_index *index_at(const struct ranking *ranking, size_t rank) {
  return &ranking->indices->cells[ranking->order[rank] * ranking->indices->column_count + ranking->column];
}

static double size_at(const struct ranking *ranking, size_t rank) { return fabs(index_at(ranking, rank)->value); }

/* The end of the interval that is farther from 0; the index itself without one. */
static double reach_at(const struct ranking *ranking, size_t rank) {
  const struct ts_index *index = index_at(ranking, rank);
  double reach = fmax(fabs(index->low), fabs(index->high));
  return isnan(reach) ? fabs(index->value) : reach;
}

static void rank(const struct ts_indices *indices, struct ranking *ranking) {
  *ranking = (struct ranking){.indices = indices, .column = ts_indices_column(indices, indices->method->rank_by)};
  ranking->order = ts_calloc(indices->name_count + 1, sizeof *ranking->order);
  ranking->unsettled = ts_calloc(indices->name_count + 1, sizeof *ranking->unsettled);
  ts_rank(indices, NULL, ranking->order, ranking->unsettled);
  while (ranking->known < indices->name_count && !isnan(size_at(ranking, ranking->known))) ranking->known++;
  if (ranking->known == 0 || !(size_at(ranking, 0) > 0)) return;
  double least = TS_DECIDING_SHARE * size_at(ranking, 0);
  while (ranking->deciding < ranking->known && size_at(ranking, ranking->deciding) >= least) ranking->deciding++;
}

static void add_deciding(const struct ranking *ranking, struct ts_str *out) {
  size_t shown = ranking->deciding > MAX_NAMES ? MAX_NAMES - 1 : ranking->deciding;
  for (size_t i = 0; i < shown; i++) {
    char number[TS_NUMBER_SIZE];
    ts_format_number(index_at(ranking, i)->value, 2, number);
    bool last = i + 1 == shown && shown == ranking->deciding;
    if (i > 0) ts_str_add(out, last ? " and " : ", ");
    ts_str_addf(out, "%s (%s %s)", ranking->indices->names[ranking->order[i]], ranking->indices->method->rank_by,
                number);
  }
  if (shown < ranking->deciding) ts_str_addf(out, " and %zu more", ranking->deciding - shown);
}

static void add_others(const struct ranking *ranking, struct ts_str *out) {
  size_t others = ranking->known - ranking->deciding;
  double reach = 0;
  char number[TS_NUMBER_SIZE];
  if (others == 0) return;
  for (size_t i = ranking->deciding; i < ranking->known; i++) reach = fmax(reach, reach_at(ranking, i));
  ts_format_number_up(reach, 2, number);
  ts_str_addf(out, "; %zu other parameter%s %s less (%s up to %s)", others, others == 1 ? "" : "s",
              others == 1 ? "has" : "have", ranking->indices->method->rank_by, number);
}

static void add_unsettled(const struct ranking *ranking, struct ts_str *out) {
  size_t found = 0;
  for (size_t i = 0; i < ranking->deciding; i++) {
    bool open = (i + 1 < ranking->deciding && ranking->unsettled[i]) || (i > 0 && ranking->unsettled[i - 1]);
    if (!open) continue;
    ts_str_addf(out, "%s%s",
                found++ ? ", " : "; the order is not settled: ", ranking->indices->names[ranking->order[i]]);
  }
}

void ts_answer_indices(const struct ts_indices *indices, const char *what, struct ts_str *out) {
  struct ranking ranking;
  rank(indices, &ranking);
  if (ranking.deciding > 0) {
    add_deciding(&ranking, out);
    ts_str_addf(out, " %s the largest influence on %s", ranking.deciding == 1 ? "has" : "have", what);
    add_others(&ranking, out);
    add_unsettled(&ranking, out);
  } else if (ranking.known > 0) {
    ts_str_addf(out, "None of %zu parameters has an influence on %s (%s = 0 for all)", ranking.known, what,
                indices->method->rank_by);
  } else {
    ts_str_addf(out, "Nothing can be said about %s: too few runs succeeded, or it never changes", what);
  }
  ts_str_add_char(out, '.');
  free(ranking.order);
  free(ranking.unsettled);
}
