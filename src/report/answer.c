/* The answer of a Morris study as one sentence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/result.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define MAX_NAMES 5 /* more make no sentence */

/* The parameters in their order by mu*, sorted into what the sentence says of them. */
struct verdict {
  const struct ts_morris_index *indices; /* borrowed */
  size_t count;
  size_t *order;   /* owned; by mu*, largest first */
  bool *unsettled; /* owned; rank i overlaps rank i+1 */
  size_t deciding; /* the first ones in the order */
  size_t smaller;  /* those after them that are not negligible */
  size_t negligible;
  size_t unknown; /* without any usable effect */
  double negligible_below;
  double deciding_share; /* of the summed mu* */
};

static void judge(struct verdict *verdict, const struct ts_morris_index *indices, size_t count) {
  *verdict = (struct verdict){.indices = indices, .count = count};
  verdict->order = ts_calloc(count + 1, sizeof *verdict->order);
  verdict->unsettled = ts_calloc(count + 1, sizeof *verdict->unsettled);
  ts_morris_rank(indices, count, verdict->order, verdict->unsettled);
  double largest = ts_morris_largest(indices, count), sum = 0, deciding_sum = 0;
  for (size_t rank = 0; rank < count; rank++) {
    const struct ts_morris_index *index = &indices[verdict->order[rank]];
    if (isnan(index->mu_star)) {
      verdict->unknown++;
      continue;
    }
    sum += index->mu_star;
    if (ts_morris_classify(index, largest, 0) == TS_EFFECT_NEGLIGIBLE) {
      verdict->negligible++;
      verdict->negligible_below = fmax(verdict->negligible_below, index->mu_star_high);
    } else if (index->mu_star >= TS_DECIDING_SHARE * largest && index->mu_star > 0) {
      verdict->deciding++;
      deciding_sum += index->mu_star;
    } else {
      verdict->smaller++;
    }
  }
  verdict->deciding_share = sum > 0 ? deciding_sum / sum : 0;
}

static void verdict_release(struct verdict *verdict) {
  free(verdict->order);
  free(verdict->unsettled);
}

/* "G1, G2 and T1", or "G1, G2, T1, T2 and 3 more". */
static void add_names(const struct verdict *verdict, size_t first, size_t count, struct ts_str *out) {
  size_t shown = count > MAX_NAMES ? MAX_NAMES - 1 : count;
  for (size_t i = 0; i < shown; i++) {
    bool last = i + 1 == shown && shown == count;
    if (i > 0) ts_str_add(out, last ? " and " : ", ");
    ts_str_add(out, verdict->indices[verdict->order[first + i]].name);
  }
  if (shown < count) ts_str_addf(out, " and %zu more", count - shown);
}

/* The smaller ones need not follow the deciding ones without a gap: a negligible one may stand between. */
static void add_smaller(const struct verdict *verdict, struct ts_str *out) {
  if (verdict->smaller == 0) return;
  double largest = ts_morris_largest(verdict->indices, verdict->count);
  struct verdict some = *verdict;
  some.order = ts_calloc(verdict->count, sizeof *some.order);
  size_t found = 0;
  for (size_t rank = verdict->deciding; rank < verdict->count; rank++) {
    const struct ts_morris_index *index = &verdict->indices[verdict->order[rank]];
    if (isnan(index->mu_star) || ts_morris_classify(index, largest, 0) == TS_EFFECT_NEGLIGIBLE) continue;
    some.order[found++] = verdict->order[rank];
  }
  ts_str_add(out, "; ");
  add_names(&some, 0, found, out);
  ts_str_add(out, found == 1 ? " has a smaller effect" : " have a smaller effect");
  free(some.order);
}

static void add_negligible(const struct verdict *verdict, struct ts_str *out) {
  if (verdict->negligible == 0) return;
  bool one = verdict->negligible == 1;
  ts_str_addf(out, "; %zu other parameter%s %s no measurable effect (mu* ", verdict->negligible, one ? "" : "s",
              one ? "has" : "have");
  if (verdict->negligible_below == 0) {
    ts_str_add(out, "= 0)");
    return;
  }
  char number[TS_NUMBER_SIZE];
  ts_format_number_up(verdict->negligible_below, 2, number);
  ts_str_addf(out, "< %s)", number);
}

/* Names the deciding parameters whose order is open. */
static void add_unsettled(const struct verdict *verdict, struct ts_str *out) {
  struct verdict open = *verdict;
  open.order = ts_calloc(verdict->count + 1, sizeof *open.order);
  size_t found = 0;
  for (size_t rank = 0; rank < verdict->deciding; rank++) {
    bool with_next = rank + 1 < verdict->deciding && verdict->unsettled[rank];
    bool with_previous = rank > 0 && verdict->unsettled[rank - 1];
    if (with_next || with_previous) open.order[found++] = verdict->order[rank];
  }
  if (found > 0) {
    ts_str_add(out, "; the order of ");
    add_names(&open, 0, found, out);
    ts_str_add(out, " is not settled");
  }
  free(open.order);
}

static void add_deciding(const struct verdict *verdict, const char *what, struct ts_str *out) {
  add_names(verdict, 0, verdict->deciding, out);
  char number[TS_NUMBER_SIZE], percent[TS_NUMBER_SIZE];
  if (verdict->count == 1) {
    ts_format_number(verdict->indices[0].mu_star, 3, number);
    ts_str_addf(out, " changes %s (mu* = %s)", what, number);
    return;
  }
  ts_format_percent(verdict->deciding_share, percent);
  ts_str_addf(out,
              verdict->deciding == 1 ? " alone decides %s (%s of the summed mu*)" : " decide %s (%s of the summed mu*)",
              what, percent);
}

/* Nothing was seen to matter. */
static void add_nothing(const struct verdict *verdict, const char *what, struct ts_str *out) {
  size_t known = verdict->count - verdict->unknown;
  if (known == 0) {
    ts_str_addf(out, "Nothing can be said about %s: no run succeeded next to another one", what);
  } else if (verdict->count == 1) {
    ts_str_addf(out, "%s has no effect on %s (mu* = 0)", verdict->indices[0].name, what);
  } else {
    ts_str_addf(out, "None of %zu parameters has an effect on %s (mu* = 0 for all)", known, what);
  }
}

void ts_answer_morris(const struct ts_morris_index *indices, size_t count, const char *what, struct ts_str *out) {
  if (count == 0) {
    ts_str_add(out, "No parameter was varied.");
    return;
  }
  struct verdict verdict;
  judge(&verdict, indices, count);
  if (verdict.deciding == 0) {
    add_nothing(&verdict, what, out);
  } else {
    add_deciding(&verdict, what, out);
    add_smaller(&verdict, out);
    add_negligible(&verdict, out);
    add_unsettled(&verdict, out);
  }
  if (verdict.unknown > 0 && verdict.unknown < count) {
    ts_str_addf(out, "; %zu parameter%s could not be judged, because too many runs failed", verdict.unknown,
                verdict.unknown == 1 ? "" : "s");
  }
  ts_str_add_char(out, '.');
  verdict_release(&verdict);
}
