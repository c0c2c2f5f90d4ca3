/* The page under construction and the pieces of HTML that its sections share. For the report module alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPORT_PAGE_INT_H
#define TS_REPORT_PAGE_INT_H

#include "base/arena.h"
#include "base/str.h"
#include "report/chart/chart.h"
#include "report/findings.h"
#include "report/report.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct ts_view;

struct ts_page {
  struct ts_str *out;                       /* borrowed */
  const json_t *result;                     /* borrowed */
  const json_t *embedded;                   /* borrowed; the object that the page keeps as it was given */
  bool is_analysis;                         /* of runs that another program made */
  const struct ts_report_picture *pictures; /* borrowed */
  size_t picture_count;
  struct ts_arena arena;
  struct ts_view *views; /* owned by the arena; all analyses, see views_int.h */
  size_t view_count;
  struct ts_look *stages; /* owned by the arena; one colour per stage, the same in all charts */
  size_t stage_count;
  size_t section_count; /* so far */
};

/* ---- reading the result: missing or wrong fields read as "", NaN or NULL ---- */
const char *ts_result_text(const json_t *object, const char *key);
/* How tiles became the number of an output, and its further notes (a list under `notes`): "pooled over tiles;
 * objects cut at tile edges"; in the page's arena. */
const char *ts_page_over_tiles(struct ts_page *page, const json_t *output, const char *notes);
/* A parameter with its unit, if the result gives one: "minSize (µm²)"; in the page's arena. */
const char *ts_page_parameter(struct ts_page *page, const char *name);
double ts_result_number(const json_t *object, const char *key);
const json_t *ts_result_list(const json_t *object, const char *key);
/* 0 for a missing number. */
double ts_result_count(const json_t *object, const char *key);
/* Any JSON value as short text: numbers rounded, strings as they are, null as a dash, the rest as JSON. */
void ts_result_print(const json_t *value, struct ts_str *out);
/* Fills page->views and page->stages. */
void ts_page_read(struct ts_page *page);
/* The colour of a task's stage; the task is "stage.task" or "stage". */
size_t ts_page_stage_of(const struct ts_page *page, const char *task);

/* analysis_page.c: a reply of `analyse`, and what the page reads of it (a new reference). */
bool ts_result_is_analysis(const json_t *result);
json_t *ts_result_of_analysis(const json_t *reply);

/* ---- pieces ---- */
/* The head of the page up to the answer ("": none), which leaves <header> open. */
void ts_page_begin(struct ts_page *page, const char *title, const char *answer);
/* The foot, "tessera 1.0, run 7f3a91bc.", and the result as JSON. */
void ts_page_end(struct ts_page *page, const char *about);
void ts_page_section_open(struct ts_page *page, const char *title);
void ts_page_section_close(struct ts_page *page);
/* Two drawings of a chart, one of which is shown. */
void ts_page_chart(struct ts_page *page, const struct ts_chart *chart, double wide_px);
void ts_page_legend(struct ts_page *page, const struct ts_look *looks, size_t count);
/* <p> with escaped text. */
void ts_page_paragraph(struct ts_page *page, const char *text);

/* A table: align has one letter per column, 'l' or 'r'; the first column names the row. It scrolls in a box of its
 * own. */
struct ts_table {
  struct ts_page *page; /* borrowed */
  const char *align;    /* borrowed */
  size_t column;        /* of the next cell */
};
/* collapsed: in a <details> with this summary; NULL: shown. `name` is for screen readers. */
void ts_table_open(struct ts_table *table, struct ts_page *page, const char *name, const char *collapsed,
                   const char *const *headers, const char *align);
void ts_table_text(struct ts_table *table, const char *text);
void ts_table_code(struct ts_table *table, const char *text); /* may be broken anywhere: hashes, paths */
void ts_table_number(struct ts_table *table, double number);
void ts_table_finding(struct ts_table *table, enum ts_finding finding); /* in words */
void ts_table_close(struct ts_table *table, bool collapsed);

/* ---- the page's parts, in the order of the page ---- */
void ts_page_indices(struct ts_page *page);  /* 'What matters' */
void ts_page_best(struct ts_page *page);     /* 'Best values' */
void ts_page_phases(struct ts_page *page);   /* 'Screening, then variance' */
void ts_page_spread(struct ts_page *page);   /* 'From slide to slide' */
void ts_page_held_out(struct ts_page *page); /* 'Held-out data' */
void ts_page_slide(struct ts_page *page);    /* 'Where on the slide' */
void ts_page_cost(struct ts_page *page);     /* 'What it cost' */
void ts_page_trust(struct ts_page *page);    /* 'Trust' */
void ts_page_method(struct ts_page *page);   /* 'Method' */

void ts_page_picture(struct ts_page *page, const struct ts_report_picture *picture);
/* Whether the first screen shows it: the defaults beside the best run and the truth, or beside the most different
 * one. */
bool ts_page_is_first_picture(const struct ts_page *page, const struct ts_report_picture *picture);
const struct ts_report_picture *ts_page_find_picture(const struct ts_page *page, const char *role);
/* The style sheet. */
void ts_page_add_style(struct ts_str *out);

#endif
