/* The answer of a study as one sentence, made from its findings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/result.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define MAX_NAMES 5 /* more make no sentence */
#define PERCENT   "\xc2\xa0%%"

const char *ts_answer_reference(const char *against) {
  static const char *const words[][2] = {
      {"truth", "the truth"}, {"default", "the run at default parameters"}, {"files", "the reference files"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(against, words[i][0]) == 0) return words[i][1];
  }
  return against; /* a word of a later version */
}

void ts_answer_add_what(const char *label, const char *against, struct ts_str *out) {
  ts_str_add(out, label);
  if (against && *against) ts_str_addf(out, " against %s", ts_answer_reference(against));
}

void ts_answer_add_share(struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  ts_str_addf(out, "%s" PERCENT, ts_format_number(100 * TS_NEGLIGIBLE_SHARE, 2, number));
}

void ts_finding_add_words(enum ts_finding finding, struct ts_str *out) {
  static const char *const words[TS_FINDING_COUNT] = {
      [TS_FINDING_DECIDING] = "decides",   [TS_FINDING_SMALLER] = "smaller",
      [TS_FINDING_BELOW_SHARE] = "below ", [TS_FINDING_NONE] = "no measurable effect",
      [TS_FINDING_UNCLEAR] = "not clear",  [TS_FINDING_UNKNOWN] = "unknown"};
  ts_str_add(out, words[finding]);
  if (finding != TS_FINDING_BELOW_SHARE) return;
  ts_answer_add_share(out);
  ts_str_add(out, " of the largest");
}

/* ---- names and numbers ---- */

static size_t *rows_of(const struct ts_findings *findings, enum ts_finding finding) {
  size_t *rows = ts_calloc(findings->count + 1, sizeof *rows), found = 0;
  for (size_t i = 0; i < findings->count; i++) {
    if (findings->rows[i].finding == finding) rows[found++] = i;
  }
  return rows;
}

/* "G1, G2 and T1", or "G1, G2, T1, T2 and 3 more"; with numbers "G1 (ST 0.62) and T1 (ST 0.21)". */
static void add_names(const struct ts_findings *findings, const size_t *rows, size_t count, bool with_numbers,
                      struct ts_str *out) {
  size_t shown = count > MAX_NAMES ? MAX_NAMES - 1 : count;
  for (size_t i = 0; i < shown; i++) {
    const struct ts_finding_row *row = &findings->rows[rows[i]];
    bool last = i + 1 == shown && shown == count;
    if (i > 0) ts_str_add(out, last ? " and " : ", ");
    ts_str_add(out, row->name);
    char number[TS_NUMBER_SIZE];
    if (with_numbers)
      ts_str_addf(out, " (%s %s)", findings->measure.name, ts_format_number(row->index.value, 2, number));
  }
  if (shown < count) ts_str_addf(out, " and %zu more", count - shown);
}

void ts_answer_add_names(const struct ts_findings *findings, enum ts_finding finding, struct ts_str *out) {
  ts_auto_free size_t *rows = rows_of(findings, finding);
  for (size_t i = 0; i < findings->counts[finding]; i++) {
    if (i > 0) ts_str_add(out, i + 1 == findings->counts[finding] ? " and " : ", ");
    ts_str_add(out, findings->rows[rows[i]].name);
  }
}

/* "mu*", "|prcc|". */
static void add_measure(const struct ts_findings *findings, struct ts_str *out) {
  const char *bar = findings->measure.has_sign ? "|" : "";
  ts_str_addf(out, "%s%s%s", bar, findings->measure.name, bar);
}

/* "ST at most 0.03"; rounded up, so that it holds for what the table shows. */
static void add_limit(const struct ts_findings *findings, double limit, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  add_measure(findings, out);
  ts_str_addf(out, " at most %s", ts_format_number_up(fmax(limit, 0), 2, number));
}

static void add_upper_ends(const struct ts_findings *findings, enum ts_finding finding, struct ts_str *out) {
  if (findings->has_intervals) ts_str_add(out, "upper ends of ");
  add_limit(findings, findings->reach[finding], out);
}

/* Where the intervals of those begin that are not measurable. */
static void add_lower_ends(const struct ts_findings *findings, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  if (findings->measure.has_sign) {
    ts_str_add(out, "contain 0");
  } else if (findings->measure.inert > 0) {
    ts_str_addf(out, "reach down to %s, the level of an inert input",
                ts_format_number(findings->measure.inert, 3, number));
  } else {
    ts_str_add(out, "reach down to 0");
  }
}

/* Not one of those without a measurable effect shows anything but 0. */
static bool all_are_zero(const struct ts_findings *findings) {
  for (size_t i = 0; i < findings->count; i++) {
    const struct ts_finding_row *row = &findings->rows[i];
    bool low_or_high =
        (isfinite(row->index.low) && row->index.low != 0) || (isfinite(row->index.high) && row->index.high != 0);
    if (row->finding == TS_FINDING_NONE && (row->index.value != 0 || low_or_high)) return false;
  }
  return true;
}

/* "mu* = 0", or how far the intervals reach. */
static void add_nothing_seen(const struct ts_findings *findings, struct ts_str *out) {
  bool zero = all_are_zero(findings);
  if (zero || !findings->has_intervals) {
    add_measure(findings, out);
    char number[TS_NUMBER_SIZE];
    double limit = fmax(findings->estimate[TS_FINDING_NONE], findings->measure.inert);
    ts_str_addf(out, zero ? " = 0" : " at most %s", ts_format_number_up(limit, 2, number));
    return;
  }
  ts_str_add(out, "intervals ");
  add_lower_ends(findings, out);
  ts_str_add(out, "; ");
  add_upper_ends(findings, TS_FINDING_NONE, out);
}

/* ---- clauses ---- */

/* "; 3 other parameters have", "; 1 parameter has" */
static void add_count(const struct ts_findings *findings, size_t count, struct ts_str *out) {
  bool others = count < findings->count - findings->counts[TS_FINDING_UNKNOWN];
  ts_str_addf(out, "; %zu %sparameter%s ", count, others ? "other " : "", count == 1 ? "" : "s");
}

static void add_smaller(const struct ts_findings *findings, struct ts_str *out) {
  size_t count = findings->counts[TS_FINDING_SMALLER];
  if (count == 0) return;
  ts_auto_free size_t *rows = rows_of(findings, TS_FINDING_SMALLER);
  ts_str_add(out, "; ");
  add_names(findings, rows, count, false, out);
  ts_str_add(out, count == 1 ? " has a smaller effect (" : " have a smaller effect (");
  add_limit(findings, findings->estimate[TS_FINDING_SMALLER], out);
  ts_str_add_char(out, ')');
}

static void add_below(const struct ts_findings *findings, struct ts_str *out) {
  size_t count = findings->counts[TS_FINDING_BELOW_SHARE];
  if (count == 0) return;
  add_count(findings, count, out);
  ts_str_add(out, count == 1 ? "is below " : "are each below ");
  ts_answer_add_share(out);
  ts_str_add(out, " of the largest");
  if (findings->measure.inert > 0) ts_str_add(out, ", counted from the level of an inert input");
  ts_str_add(out, " (");
  add_upper_ends(findings, TS_FINDING_BELOW_SHARE, out);
  ts_str_add_char(out, ')');
}

static void add_none(const struct ts_findings *findings, struct ts_str *out) {
  size_t count = findings->counts[TS_FINDING_NONE];
  if (count == 0) return;
  add_count(findings, count, out);
  ts_str_add(out, count == 1 ? "has no measurable effect" : "have no measurable effect");
  if (findings->measure.is_first_order) ts_str_add(out, count == 1 ? " of its own" : " of their own");
  ts_str_add(out, " (");
  add_nothing_seen(findings, out);
  ts_str_add_char(out, ')');
}

static void add_unclear(const struct ts_findings *findings, struct ts_str *out) {
  size_t count = findings->counts[TS_FINDING_UNCLEAR];
  if (count == 0) return;
  ts_auto_free size_t *rows = rows_of(findings, TS_FINDING_UNCLEAR);
  bool known = true;
  for (size_t i = 0; i < count; i++) known = known && isfinite(findings->rows[rows[i]].index.low);
  ts_str_add(out, "; the effect of ");
  add_names(findings, rows, count, false, out);
  ts_str_add(out, " is not clear (intervals ");
  add_lower_ends(findings, out);
  ts_str_add(out, known ? "; " : " or are not known; ");
  add_upper_ends(findings, TS_FINDING_UNCLEAR, out);
  ts_str_add_char(out, ')');
}

/* Names the deciding parameters whose order is open, neighbours together: "; the order of a and b is not settled". */
static void add_unsettled(const struct ts_findings *findings, struct ts_str *out) {
  ts_auto_free size_t *chain = ts_calloc(findings->count + 1, sizeof *chain);
  size_t length = 0, chains = 0;
  if (!findings->has_intervals) {
    if (findings->counts[TS_FINDING_DECIDING] > 1)
      ts_str_add(out, "; without intervals it cannot be said whether their order is settled");
    return;
  }
  for (size_t i = 0; i < findings->count; i++) {
    const struct ts_finding_row *row = &findings->rows[i];
    bool deciding = row->finding == TS_FINDING_DECIDING;
    bool goes_on =
        deciding && row->is_open && i + 1 < findings->count && findings->rows[i + 1].finding == TS_FINDING_DECIDING;
    if (deciding && (goes_on || length > 0)) chain[length++] = i;
    if (goes_on || length == 0) continue;
    ts_str_add(out, chains++ == 0 ? "; the order of " : "; that of ");
    add_names(findings, chain, length, false, out);
    ts_str_add(out, " is not settled");
    length = 0;
  }
}

static void add_unknown(const struct ts_findings *findings, struct ts_str *out) {
  size_t count = findings->counts[TS_FINDING_UNKNOWN];
  if (count == 0) return;
  ts_str_addf(out, "; %zu parameter%s could not be judged, because too many runs failed", count, count == 1 ? "" : "s");
}

/* ---- the first clause ---- */

static void add_deciding(const struct ts_findings *findings, const char *what, struct ts_str *out) {
  size_t count = findings->counts[TS_FINDING_DECIDING];
  ts_auto_free size_t *rows = rows_of(findings, TS_FINDING_DECIDING);
  char number[TS_NUMBER_SIZE];
  bool adds_up = findings->measure.adds_up;
  if (findings->count == 1) {
    ts_str_addf(out, "%s changes %s (%s = %s)", findings->rows[0].name, what, findings->measure.name,
                ts_format_number(findings->rows[0].index.value, 3, number));
    return;
  }
  add_names(findings, rows, count, !adds_up, out);
  if (!adds_up) {
    ts_str_addf(out, " %s the largest influence on %s", count == 1 ? "has" : "have", what);
    return;
  }
  ts_str_addf(out, count == 1 ? " alone decides %s (%s of the summed %s)" : " decide %s (%s of the summed %s)", what,
              ts_format_percent(findings->deciding_share, number), findings->measure.name);
}

/* "None of 15 parameters has a measurable effect on ... (mu* = 0)". */
static void add_nothing(const struct ts_findings *findings, const char *what, struct ts_str *out) {
  size_t count = findings->counts[TS_FINDING_NONE];
  const char *own = findings->measure.is_first_order ? " of its own" : "";
  if (findings->count == 1) {
    ts_str_addf(out, "%s has no measurable effect%s on %s (", findings->rows[0].name, own, what);
  } else {
    ts_str_addf(out, "None of %zu parameter%s%s has a measurable effect%s on %s (", count, count == 1 ? "" : "s",
                count < findings->count ? " that could be judged" : "", own, what);
  }
  add_nothing_seen(findings, out);
  ts_str_add_char(out, ')');
}

void ts_answer(const struct ts_findings *findings, const char *what, struct ts_str *out) {
  size_t known = findings->count - findings->counts[TS_FINDING_UNKNOWN];
  if (findings->count == 0) {
    ts_str_add(out, "No parameter was varied.");
    return;
  }
  if (known == 0) {
    ts_str_addf(out, "Nothing can be said about %s: too few runs succeeded, or it never changes.", what);
    return;
  }
  if (findings->counts[TS_FINDING_NONE] == known) {
    add_nothing(findings, what, out);
  } else {
    if (findings->counts[TS_FINDING_DECIDING] > 0)
      add_deciding(findings, what, out);
    else
      ts_str_addf(out, "No parameter is seen to decide %s", what);
    add_smaller(findings, out);
    add_unclear(findings, out);
    add_below(findings, out);
    add_none(findings, out);
    add_unsettled(findings, out);
  }
  add_unknown(findings, out);
  ts_str_add_char(out, '.');
}
