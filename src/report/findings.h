/* What indices say of each parameter: the one structure that all sentences, cards, captions and tables are made from.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sizes are counted from the level of an inert input: 0 for most methods, the stated level for PAWN and delta; measures
 * with a sign are counted by their absolute value. docs/report.md has the same definitions for users. */
#ifndef TS_REPORT_FINDINGS_H
#define TS_REPORT_FINDINGS_H

#include "analysis/analysis.h"
#include "analysis/method.h"

#include <stdbool.h>
#include <stddef.h>

/* A parameter "decides" when its effect is measurable and its index is at least this share of the largest. */
#define TS_DECIDING_SHARE 0.2

/* Measurable: the lower end of the interval is above the level of an inert input (for a measure with a sign: the
 * interval does not contain 0). Without an interval the index itself counts. */
enum ts_finding {
  TS_FINDING_DECIDING,    /* measurable, at least TS_DECIDING_SHARE of the largest index */
  TS_FINDING_SMALLER,     /* measurable, less than that */
  TS_FINDING_BELOW_SHARE, /* measurable, and even the upper end is below TS_NEGLIGIBLE_SHARE of the largest index */
  TS_FINDING_NONE,        /* not measurable, and small */
  TS_FINDING_UNCLEAR,     /* not measurable, but not small either: more runs are needed */
  TS_FINDING_UNKNOWN,     /* no index */
  TS_FINDING_COUNT,
};

/* What the numbers of a column are. */
struct ts_measure {
  const char *name; /* borrowed; for people: "mu*", "ST" */
  bool has_sign;
  bool is_first_order; /* S1: what a parameter does alone; what it does only together with others is not in it */
  bool adds_up;        /* shares of the sum over the parameters are quoted: mu* */
  /* An inert input has 0 in every sample, so that an index above 0 was seen: with an interval that reaches down to 0
   * such a parameter counts as small only if the upper end is below TS_NEGLIGIBLE_SHARE. Otherwise (noise gives an
   * inert input some index) it does if the index itself is below TS_DECIDING_SHARE. */
  bool zero_is_exact;
  double inert; /* level of an inert input */
};

struct ts_finding_row {
  const char *name;      /* borrowed */
  struct ts_index index; /* as in the table */
  double usable;         /* effects, base samples or runs behind it */
  enum ts_finding finding;
  bool is_open; /* whether this rank and the next are in the right order is not settled */
};

struct ts_findings {
  struct ts_measure measure;
  struct ts_finding_row *rows; /* owned, or of the caller of ts_findings_judge; most important first */
  size_t count;
  size_t counts[TS_FINDING_COUNT];
  double estimate[TS_FINDING_COUNT]; /* the largest size of an index among those; 0 if there are none */
  double reach[TS_FINDING_COUNT];    /* the same for the upper ends (the index itself where there is none) */
  double largest;                    /* of all sizes */
  double deciding_share;             /* of the sum of all indices */
  bool has_intervals;                /* at least one */
};

/* The measure that a method ranks by, a column of this name; `inert` is the level that it stated, NaN: none. NULL: a
 * method that is not known. */
struct ts_measure ts_measure_of(const struct ts_method *method, const char *column, double inert);
/* "mu*", "sigma" for columns that have a name for people; else the column. */
const char *ts_column_name(const char *column);

/* Judges rows that have all but the finding, in the order of their ranks. The rows are kept, not copied: where they
 * belong to an arena, ts_findings_release is not called. */
void ts_findings_judge(struct ts_findings *findings, struct ts_measure measure, struct ts_finding_row *rows,
                       size_t count);
void ts_findings_of_indices(struct ts_findings *findings, const struct ts_indices *indices);
void ts_findings_of_morris(struct ts_findings *findings, const struct ts_morris_index *indices, size_t count);
void ts_findings_release(struct ts_findings *findings);

/* TS_FINDING_UNKNOWN if there is no such row. */
enum ts_finding ts_findings_of_name(const struct ts_findings *findings, const char *name);
/* Parameters with a measurable effect: deciding, smaller, below the share. */
size_t ts_findings_measurable(const struct ts_findings *findings);
/* Whether the order of two parameters is of interest: at least one of them may have more than the share. */
bool ts_findings_pair_matters(const struct ts_findings *findings, const char *a, const char *b);
/* For programs: "deciding", "smaller", "below_share", "none", "unclear", "unknown". */
const char *ts_finding_name(enum ts_finding finding);

#endif
