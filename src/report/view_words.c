/* What is said of an analysis in captions, cards and lists.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "report/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define CAPTION_PAIRS 2 /* more are in 'Trust' */

const char *ts_column_name(const char *column) {
  static const char *const names[][2] = {
      {"mu", "\xce\xbc"}, {"mu_star", "\xce\xbc*"}, {"sigma", "\xcf\x83"}, {"vi", "mean squared slope"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i][0], column) == 0) return names[i][1];
  }
  return column;
}

const char *ts_view_block_word(const struct ts_view *view, double count) {
  bool one = count == 1;
  if (view->blocks <= 0) return one ? "run" : "runs";
  if (ts_view_is_morris(view)) return one ? "trajectory" : "trajectories";
  if (strcmp(view->method, "vbd") == 0) return one ? "base sample" : "base samples";
  return one ? "block of runs" : "blocks of runs";
}

void ts_view_add_output(const struct ts_view *view, struct ts_str *out) {
  const char *name = *view->label ? view->label : view->output;
  ts_str_add(out, *name ? name : "the output");
  if (*view->over_tiles) ts_str_addf(out, " (%s)", view->over_tiles);
}

static const char *method_name(const struct ts_view *view) {
  if (strcmp(view->method, "morris") == 0) return "Morris";
  if (*view->title) return view->title;
  return *view->method ? view->method : "unknown method";
}

void ts_view_add_method(const struct ts_view *view, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  ts_str_add(out, method_name(view));
  if (view->blocks > 0) {
    ts_str_addf(out, ", %s %s", ts_format_number(view->blocks, 3, number), ts_view_block_word(view, view->blocks));
  }
  if (!isnan(view->runs)) {
    ts_str_addf(out, ", %s run%s", ts_format_number(view->runs, 3, number), view->runs == 1 ? "" : "s");
  }
  if (view->lost > 0) ts_str_addf(out, " (%s without a usable output)", ts_format_number(view->lost, 3, number));
  if (!ts_view_has_intervals(view, view->rank_column)) {
    ts_str_add(out, "; no intervals");
    return;
  }
  ts_str_add(out, "; ");
  if (!isnan(view->confidence)) ts_str_addf(out, "%s ", ts_format_percent(view->confidence, number));
  ts_str_add(out, "intervals");
}

bool ts_view_pair_is_negligible(const struct ts_view *view, const json_t *pair) {
  double largest = 0;
  for (size_t i = 0; i < view->count; i++) {
    double size = fabs(view->rows[i].cells[view->rank_column].value);
    if (size > largest) largest = size;
  }
  const char *names[] = {ts_result_text(pair, "a"), ts_result_text(pair, "b")};
  for (size_t i = 0; i < 2; i++) {
    const struct ts_view_row *row = ts_view_row(view, names[i]);
    if (!row) return false;
    if (*row->class_name) {
      if (strcmp(row->class_name, "negligible") != 0) return false;
      continue;
    }
    const struct ts_estimate *cell = &row->cells[view->rank_column];
    double reach = fmax(fabs(cell->low), fabs(cell->high));
    if (!(reach < TS_NEGLIGIBLE_SHARE * largest)) return false;
  }
  return true;
}

void ts_view_add_advice(const struct ts_view *view, const json_t *pair, struct ts_str *out) {
  double runs = ts_result_number(pair, "more_runs"), blocks = ts_result_number(pair, "more_blocks");
  char number[TS_NUMBER_SIZE];
  if (!(runs > 0) && !(blocks > 0)) {
    ts_str_add(out, "; how many more runs would settle it cannot be told");
    return;
  }
  ts_str_add(out, "; about ");
  if (runs > 0) ts_str_addf(out, "%s more run%s", ts_format_number(runs, 3, number), runs == 1 ? "" : "s");
  if (blocks > 0 && view->blocks > 0) {
    ts_str_addf(out, runs > 0 ? " (%s more %s)" : "%s more %s", ts_format_number(blocks, 3, number),
                ts_view_block_word(view, blocks));
  } else if (!(runs > 0)) {
    ts_str_addf(out, "%s more run%s", ts_format_number(blocks, 3, number), blocks == 1 ? "" : "s");
  }
  ts_str_add(out, " would likely settle it");
}

void ts_view_add_unsettled(const struct ts_view *view, struct ts_str *out) {
  const json_t *list = ts_result_list(view->json, "unsettled");
  size_t shown = 0, open = 0;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *pair = json_array_get(list, i);
    const char *a = ts_result_text(pair, "a"), *b = ts_result_text(pair, "b");
    if (!*a || !*b || ts_view_pair_is_negligible(view, pair)) continue;
    open++;
    if (shown == CAPTION_PAIRS) continue;
    shown++;
    ts_str_addf(out, " The order of %s and %s is not settled", a, b);
    ts_view_add_advice(view, pair, out);
    ts_str_add_char(out, '.');
  }
  if (open > shown) {
    ts_str_addf(out, " %zu more pair%s of ranks %s not settled either.", open - shown, open - shown == 1 ? "" : "s",
                open - shown == 1 ? "is" : "are");
  }
}

bool ts_view_count_matter(const struct ts_view *view, size_t *count) {
  size_t total = ts_view_column(view, "ST");
  *count = 0;
  if (!ts_view_is_morris(view) && !ts_view_is_variance(view)) return false;
  for (size_t i = 0; i < view->count; i++) {
    const struct ts_view_row *row = &view->rows[i];
    if (ts_view_is_morris(view)) {
      *count +=
          *row->class_name && strcmp(row->class_name, "negligible") != 0 && strcmp(row->class_name, "unknown") != 0;
    } else {
      *count += row->cells[total].value >= TS_MATTER_SHARE;
    }
  }
  return true;
}

const char *ts_view_matter_words(const struct ts_view *view) {
  bool one = view->count == 1;
  if (ts_view_is_morris(view)) return one ? "parameter has an effect" : "parameters have an effect";
  return one ? "parameter explains 5 % or more" : "parameters explain 5 % or more";
}

void ts_page_heading(struct ts_page *page, int level, const char *text) {
  ts_str_addf(page->out, "<h%d>", level);
  char first[2] = {(char)toupper((unsigned char)*text), '\0'};
  ts_html_add(page->out, first);
  ts_html_add(page->out, *text ? text + 1 : "");
  ts_str_addf(page->out, "</h%d>\n", level);
}

void ts_add_sentence(struct ts_str *out, const char *text) {
  if (!*text) return;
  ts_str_add_char(out, (char)toupper((unsigned char)*text));
  ts_str_add(out, text + 1);
  if (!strchr(".!?", text[strlen(text) - 1])) ts_str_add_char(out, '.');
}
