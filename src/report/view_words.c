/* What is said of an analysis in captions, cards and lists.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"

#include "report/text.h"

#include <math.h>
#include <string.h>

#define CAPTION_PAIRS 2 /* more are in 'Trust' */

const char *ts_view_block_word(const struct ts_view *view, double count) {
  bool one = count == 1;
  if (view->blocks <= 0) return one ? "run" : "runs";
  if (ts_view_is_morris(view)) return one ? "trajectory" : "trajectories";
  if (strcmp(view->method, "vbd") == 0) return one ? "base sample" : "base samples";
  return one ? "block of runs" : "blocks of runs";
}

void ts_view_add_output(const struct ts_view *view, struct ts_str *out) {
  const char *name = *view->label ? view->label : view->output;
  ts_answer_add_what(*name ? name : "the output", view->against, out);
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

bool ts_view_pair_matters(const struct ts_view *view, const json_t *pair) {
  const char *a = ts_result_text(pair, "a"), *b = ts_result_text(pair, "b");
  return *a && *b && view->findings.has_intervals && ts_findings_pair_matters(&view->findings, a, b);
}

void ts_view_add_advice(const struct ts_view *view, const json_t *pair, struct ts_str *out) {
  double runs = ts_result_number(pair, "more_runs"), blocks = ts_result_number(pair, "more_blocks");
  char number[TS_NUMBER_SIZE];
  if (!(runs > 0) && !(blocks > 0)) {
    ts_str_add(out, "; the number of runs that would settle it is not known");
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
    if (!ts_view_pair_matters(view, pair)) continue;
    open++;
    if (shown == CAPTION_PAIRS) continue;
    shown++;
    ts_str_addf(out, " The order of %s and %s is not settled", ts_result_text(pair, "a"), ts_result_text(pair, "b"));
    ts_view_add_advice(view, pair, out);
    ts_str_add_char(out, '.');
  }
  if (open > shown) {
    ts_str_addf(out, " %zu more pair%s of ranks %s not settled either.", open - shown, open - shown == 1 ? "" : "s",
                open - shown == 1 ? "is" : "are");
  }
}

bool ts_view_count_matter(const struct ts_view *view, size_t *count) {
  *count = ts_findings_measurable(&view->findings);
  if (!ts_view_is_variance(view)) return view->findings.has_intervals;
  *count = 0;
  size_t total = ts_view_column(view, "ST");
  for (size_t i = 0; i < view->count; i++) *count += view->rows[i].cells[total].value >= TS_MATTER_SHARE;
  return true;
}

void ts_view_add_matter_words(const struct ts_view *view, struct ts_str *out) {
  bool one = view->count == 1;
  char number[TS_NUMBER_SIZE];
  if (!ts_view_is_variance(view))
    ts_str_add(out, one ? "parameter has a measurable effect" : "parameters have a measurable effect");
  else
    ts_str_addf(out, "%s %s %% or more", one ? "parameter explains" : "parameters explain",
                ts_format_number(100 * TS_MATTER_SHARE, 2, number));
}

/* What a finding means. Advice is given only where an inert input has exactly 0: elsewhere chance, or an effect of a
 * kind that the measure does not see, may hide what a parameter does. */
static void add_meaning(const struct ts_findings *findings, enum ts_finding finding, struct ts_str *out) {
  bool exact = findings->measure.zero_is_exact;
  if (finding == TS_FINDING_BELOW_SHARE) {
    ts_str_add(out, "There is an effect, but even the upper end of its interval is below ");
    ts_answer_add_share(out);
    ts_str_add(out, " of the largest index.");
  } else if (finding == TS_FINDING_UNCLEAR) {
    ts_str_add(out,
               "The interval reaches down to where an input that does nothing would be, but the index is not small. "
               "More runs would settle it.");
  } else if (exact) {
    ts_str_add(out, "The index is 0, or its interval reaches down to 0 and ends below ");
    ts_answer_add_share(out);
    ts_str_add(out, " of the largest index.");
  } else {
    ts_str_addf(
        out,
        "%s cannot separate these from an input that does nothing. A small effect, or one of a kind that it does "
        "not see, may still be there.",
        findings->measure.name);
  }
  if (exact && finding != TS_FINDING_UNCLEAR) ts_str_add(out, " Leave these at their defaults.");
}

void ts_page_add_findings(struct ts_page *page, const struct ts_findings *findings, enum ts_finding first) {
  static const struct {
    enum ts_finding finding;
    const char *heading;
  } entries[] = {{TS_FINDING_BELOW_SHARE, "Very small"},
                 {TS_FINDING_NONE, "No measurable effect"},
                 {TS_FINDING_UNCLEAR, "Not clear"}};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    if (entries[i].finding < first || findings->counts[entries[i].finding] == 0) continue;
    ts_auto(ts_str_release) struct ts_str names = {0}, meaning = {0};
    ts_answer_add_names(findings, entries[i].finding, &names);
    add_meaning(findings, entries[i].finding, &meaning);
    ts_str_addf(page->out, "<dt>%s</dt><dd><b>", entries[i].heading);
    ts_html_addf(page->out, "%s.</b> %s</dd>\n", ts_str_get(&names), ts_str_get(&meaning));
  }
}

void ts_page_heading(struct ts_page *page, int level, const char *text) {
  ts_str_addf(page->out, "<h%d>", level);
  char first[2] = {ts_char_upper(*text), '\0'};
  ts_html_addf(page->out, "%s%s", first, *text ? text + 1 : "");
  ts_str_addf(page->out, "</h%d>\n", level);
}

void ts_add_sentence(struct ts_str *out, const char *text) {
  if (!*text) return;
  ts_str_add_char(out, ts_char_upper(*text));
  ts_str_add(out, text + 1);
  if (!strchr(".!?", text[strlen(text) - 1])) ts_str_add_char(out, '.');
}
