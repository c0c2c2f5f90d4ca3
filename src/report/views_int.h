/* The analyses of a result as the page shows them, whatever their method. For the report module alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPORT_VIEWS_INT_H
#define TS_REPORT_VIEWS_INT_H

#include "report/page_int.h"
#include "report/result.h"

/* A parameter "matters" in an analysis of variance when its total index is at least this. */
#define TS_MATTER_SHARE 0.05

struct ts_view_row {
  const char *name;          /* borrowed from the result */
  const char *class_name;    /* borrowed from the result; "" if the method has none */
  double usable;             /* effects, base samples or runs behind it */
  struct ts_estimate *cells; /* owned by the arena; one per column */
};

/* One entry of "analyses": one method, phase, output, and all slides or one of them. Missing fields are "" or NaN. */
struct ts_view {
  const json_t *json; /* borrowed */
  const char *method, *title, *assumes, *interval;
  const char *output, *label;
  const char *over_tiles; /* owned by the arena: "sum over tiles"; "" if it has none */
  const char *against;    /* what the output was compared with; "": it is not a comparison, or it is not known */
  const char *file;       /* "": all slides together */
  double phase, runs, blocks, lost, resamples, confidence;
  const char **columns; /* owned by the arena */
  size_t column_count;  /* at least one */
  size_t rank_column;
  struct ts_view_row *rows;    /* owned by the arena; most important first */
  size_t count;                /* at least one */
  struct ts_findings findings; /* what the column that ranks says; rows as above, owned by the arena */
};

/* ---- reading (views.c) ---- */
void ts_page_read_views(struct ts_page *page);
/* The one on the first screen; not NULL if there are views. */
const struct ts_view *ts_page_first_view(const struct ts_page *page);
/* Of the last phase and over all slides: what the page is about. */
bool ts_view_is_main(const struct ts_page *page, const struct ts_view *view);
bool ts_view_is_pooled(const struct ts_view *view);
bool ts_view_is_morris(const struct ts_view *view);
/* Has first-order and total indices. */
bool ts_view_is_variance(const struct ts_view *view);
/* TS_NO_COLUMN if there is none of this name. */
#define TS_NO_COLUMN ((size_t)-1)
size_t ts_view_column(const struct ts_view *view, const char *name);
/* The row of a parameter, NULL if it is not there. */
const struct ts_view_row *ts_view_row(const struct ts_view *view, const char *name);
bool ts_view_has_intervals(const struct ts_view *view, size_t column);
/* An array of an estimate's value and ends from an object with NAME, NAME_lo, NAME_hi. */
struct ts_estimate ts_result_estimate(const json_t *object, const char *name);

/* ---- words (view_words.c) ---- */
/* "trajectories", "base samples"; "runs" where there are no blocks. */
const char *ts_view_block_word(const struct ts_view *view, double count);
/* "the Dice overlap against the truth (mean over tiles)" */
void ts_view_add_output(const struct ts_view *view, struct ts_str *out);
/* "Variance-based indices, 64 base samples, 640 runs; 95 % intervals from 1000 resamples" */
void ts_view_add_method(const struct ts_view *view, struct ts_str *out);
/* " The order of G1 and T1 is not settled; ..." for a caption; nothing if all is settled. */
void ts_view_add_unsettled(const struct ts_view *view, struct ts_str *out);
/* "; about 320 more runs (20 more trajectories) would likely settle it", or that the number is not known, for one entry
 * of "unsettled". */
void ts_view_add_advice(const struct ts_view *view, const json_t *pair, struct ts_str *out);
/* Whether an entry of "unsettled" names a pair of which one may matter; never without intervals. */
bool ts_view_pair_matters(const struct ts_view *view, const json_t *pair);
/* How many parameters matter, countable in the table; false if the numbers do not say. */
bool ts_view_count_matter(const struct ts_view *view, size_t *count);
void ts_view_add_matter_words(const struct ts_view *view, struct ts_str *out);
/* Entries of a list of definitions, by name: those below the share, without a measurable effect, not clear; from
 * `first` on. */
void ts_page_add_findings(struct ts_page *page, const struct ts_findings *findings, enum ts_finding first);
/* A heading with a capital first letter. */
void ts_page_heading(struct ts_page *page, int level, const char *text);
/* "text" with a capital first letter and a full stop. */
void ts_add_sentence(struct ts_str *out, const char *text);

/* ---- parts of the page ---- */
/* The ranked bars of a view in a figure with caption and table. */
void ts_page_view_bars(struct ts_page *page, const struct ts_view *view, double wide_px);
/* The same of a Morris view; its plane of mu* and sigma; the plane and what the classes mean (section/morris.c). */
void ts_page_morris_bars(struct ts_page *page, const struct ts_view *view, double wide_px);
void ts_page_morris_plane(struct ts_page *page, const struct ts_view *view);
void ts_page_morris(struct ts_page *page, const struct ts_view *view, int heading);
/* The heat map of pairs and the convergence (section/variance.c); nothing where the view has none. */
void ts_page_view_pairs(struct ts_page *page, const struct ts_view *view);
void ts_page_view_convergence(struct ts_page *page, const struct ts_view *view);

#endif
