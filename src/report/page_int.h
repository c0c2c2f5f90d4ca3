/* The page under construction and the pieces of HTML that its sections share. For the report module alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPORT_PAGE_INT_H
#define TS_REPORT_PAGE_INT_H

#include "base/arena.h"
#include "base/str.h"
#include "report/chart.h"
#include "report/report.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* One parameter's indices for one output, as read from the result. NaN: unknown. */
struct ts_effect {
  const char *name;           /* borrowed from the result */
  const char *class_name;     /* borrowed from the result */
  const struct ts_look *look; /* static */
  double mu, mu_star, sigma, low, high, count;
};

struct ts_view;

/* One analysed output; effects by mu*, largest first. */
struct ts_effects {
  const char *name;        /* borrowed from the result; "" if it has none */
  const char *over_tiles;  /* owned by the page's arena: "pooled over tiles"; "" if it has none */
  struct ts_effect *items; /* owned by the page's arena */
  size_t count;
  const json_t *unsettled;    /* borrowed; list of pairs, or NULL */
  const struct ts_view *view; /* borrowed; the analysis they come from, NULL for results without a list of analyses */
};

struct ts_page {
  struct ts_str *out;                       /* borrowed */
  const json_t *result;                     /* borrowed */
  const struct ts_report_picture *pictures; /* borrowed */
  size_t picture_count;
  struct ts_arena arena;
  struct ts_view *views; /* owned by the arena; all analyses, see views_int.h; none in older results */
  size_t view_count;
  struct ts_effects *outputs; /* owned by the arena; empty if there are views */
  size_t output_count;
  struct ts_look *stages; /* owned by the arena; one colour per stage, the same in all charts */
  size_t stage_count;
  size_t section_count; /* so far */
};

/* ---- reading the result: missing or wrong fields read as "", NaN or NULL ---- */
const char *ts_result_text(const json_t *object, const char *key);
/* How tiles became the number of an output, and what else is to be known about it (a list under `notes`): "pooled over tiles;
 * objects cut at tile edges"; in the page's arena. */
const char *ts_page_over_tiles(struct ts_page *page, const json_t *output, const char *notes);
double ts_result_number(const json_t *object, const char *key);
const json_t *ts_result_list(const json_t *object, const char *key);
/* 0 for a missing number. */
double ts_result_count(const json_t *object, const char *key);
/* Any JSON value as short text: numbers rounded, strings as they are, null as a dash, the rest as JSON. */
void ts_result_print(const json_t *value, struct ts_str *out);
/* Fills page->outputs and page->stages. */
void ts_page_read(struct ts_page *page);
/* The colour of a task's stage; the task is "stage.task" or "stage". */
size_t ts_page_stage_of(const struct ts_page *page, const char *task);

/* ---- pieces ---- */
void ts_page_section_open(struct ts_page *page, const char *title);
void ts_page_section_close(struct ts_page *page);
/* Two drawings of a chart, one of which is shown. */
void ts_page_chart(struct ts_page *page, const struct ts_chart *chart, double wide_px);
void ts_page_legend(struct ts_page *page, const struct ts_look *looks, size_t count);
/* <p> with escaped text. */
void ts_page_paragraph(struct ts_page *page, const char *text);

/* A table: align has one letter per column, 'l' or 'r'; the first column names the row. It scrolls in a box of its own. */
struct ts_table {
  struct ts_page *page; /* borrowed */
  const char *align;    /* borrowed */
  size_t column;        /* of the next cell */
};
/* collapsed: in a <details> with this summary; NULL: shown. `name` tells screen readers what it is. */
void ts_table_open(struct ts_table *table, struct ts_page *page, const char *name, const char *collapsed,
                   const char *const *headers, const char *align);
void ts_table_text(struct ts_table *table, const char *text);
void ts_table_code(struct ts_table *table, const char *text); /* may be broken anywhere: hashes, paths */
void ts_table_number(struct ts_table *table, double number);
void ts_table_close(struct ts_table *table, bool collapsed);

/* ---- the page's parts, in the order of the page ---- */
void ts_page_head(struct ts_page *page);
void ts_page_first_screen(struct ts_page *page);
void ts_page_effects(struct ts_page *page); /* 'What matters' */
void ts_page_phases(struct ts_page *page);  /* 'Screening, then variance' */
void ts_page_spread(struct ts_page *page);  /* 'From slide to slide' */
void ts_page_slide(struct ts_page *page);   /* 'Where on the slide' */
void ts_page_cost(struct ts_page *page);    /* 'What it cost' */
void ts_page_trust(struct ts_page *page);   /* 'Trust' */
void ts_page_method(struct ts_page *page);  /* 'Method' */
void ts_page_data(struct ts_page *page);    /* 'All data', and the embedded object */

/* The look of a class of effects. */
const struct ts_look *ts_effect_look(const char *class_name);
/* The bars of one output, in a figure with its caption, legend and table; the Morris plane; what the classes mean. */
void ts_page_bars(struct ts_page *page, const struct ts_effects *effects, double wide_px);
void ts_page_scatter(struct ts_page *page, const struct ts_effects *effects);
void ts_page_reading(struct ts_page *page, const struct ts_effects *effects, int heading);
void ts_page_picture(struct ts_page *page, const struct ts_report_picture *picture);
const struct ts_report_picture *ts_page_find_picture(const struct ts_page *page, const char *role);
/* "Morris, 10 trajectories, 160 runs; 95 % intervals": what every chart of indices states. */
void ts_page_add_method(const struct ts_page *page, struct ts_str *out);
/* The style sheet. */
void ts_page_add_style(const struct ts_page *page, struct ts_str *out);

#endif
