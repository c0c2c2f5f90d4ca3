/* 'What it cost': where tasks were saved, which runs shared them, and what the workers did.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* ---- waterfall ---- */

static size_t collect_falls(const json_t *reuse, struct ts_fall *falls) {
  static const struct {
    const char *key, *name;
  } levels[] = {{"stage", "Same stage inputs"},
                {"task", "Same task inputs"},
                {"cutoff", "Same inputs after all"},
                {"store", "From an earlier run"}};
  size_t count = 0;
  double left = ts_result_count(reuse, "requested"), executed = ts_result_count(reuse, "executed");
  falls[count++] = (struct ts_fall){"Requested", left, true};
  for (size_t i = 0; i < 4; i++) {
    double saved = ts_result_count(reuse, levels[i].key);
    if (saved == 0 && i > 1) continue; /* the two levels of merging are always shown */
    falls[count++] = (struct ts_fall){levels[i].name, -saved, false};
    left -= saved;
  }
  if (left > executed) falls[count++] = (struct ts_fall){"Not run", executed - left, false};
  if (left < executed) falls[count++] = (struct ts_fall){"Computed again", executed - left, false};
  falls[count++] = (struct ts_fall){"Executed", executed, true};
  return count;
}

static void add_waterfall(struct ts_page *page, const json_t *reuse) {
  struct ts_fall falls[8];
  struct ts_waterfall waterfall = {.items = falls, .axis_title = "tasks \xe2\x86\x92"};
  waterfall.count = collect_falls(reuse, falls);
  char requested[TS_NUMBER_SIZE], executed[TS_NUMBER_SIZE];
  ts_format_number(ts_result_count(reuse, "requested"), 3, requested);
  ts_format_number(ts_result_count(reuse, "executed"), 3, executed);
  ts_auto(ts_str_release) struct ts_str label = {0};
  ts_str_addf(&label, "Waterfall from %s requested tasks over what each level of reuse saved to %s executed ones.",
              requested, executed);
  ts_str_add(page->out, "<figure>\n");
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &waterfall, ts_draw_waterfall}, TS_CHART_HALF_PX);
  ts_str_add(page->out, "<figcaption>Where tasks were saved: from the tasks that the runs requested to those that were "
                        "computed.</figcaption>\n");
  static const char *const headers[] = {"Step", "Tasks"};
  struct ts_table table;
  ts_table_open(&table, page, "Tasks by level of reuse", "Numbers as a table", headers, "lr");
  for (size_t i = 0; i < waterfall.count; i++) {
    ts_table_text(&table, falls[i].name);
    ts_table_number(&table, falls[i].value);
  }
  ts_table_close(&table, true);
  ts_str_add(page->out, "</figure>\n");
}

/* Saved of requested; NaN if nothing was requested. */
static double saved_share(const json_t *reuse) {
  double requested = ts_result_count(reuse, "requested");
  return requested > 0 ? 1 - ts_result_count(reuse, "executed") / requested : NAN;
}

static void add_words(struct ts_page *page, const json_t *reuse) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  char a[TS_NUMBER_SIZE], b[TS_NUMBER_SIZE], c[TS_NUMBER_SIZE];
  ts_str_addf(&text, "The runs requested %s tasks; %s were computed",
              ts_format_number(ts_result_count(reuse, "requested"), 3, a),
              ts_format_number(ts_result_count(reuse, "executed"), 3, b));
  double share = saved_share(reuse);
  if (share > 0) ts_str_addf(&text, ", %s were saved", ts_format_percent(share, c));
  ts_str_add(&text, ".");
  double wall = ts_result_number(page->result, "wall_s"), cpu = ts_result_number(page->result, "cpu_s");
  if (!isnan(wall)) ts_str_addf(&text, " They took %s", ts_format_time(wall, a));
  if (!isnan(wall) && !isnan(cpu)) ts_str_addf(&text, " and %s of processor time", ts_format_time(cpu, b));
  if (!isnan(wall)) {
    double threads = ts_result_number(page->result, "threads"), peak = ts_result_number(page->result, "peak_bytes");
    if (!isnan(threads))
      ts_str_addf(&text, " on %s thread%s", ts_format_number(threads, 3, a), threads == 1 ? "" : "s");
    double workers = ts_result_number(page->result, "workers");
    if (workers > 0)
      ts_str_addf(&text, " of %s worker process%s", ts_format_number(workers, 3, a), workers == 1 ? "" : "es");
    char bytes[32];
    if (peak > 0) ts_str_addf(&text, ", with at most %s of data in memory", ts_format_bytes((uint64_t)peak, bytes));
    ts_str_add(&text, ".");
  }
  double distinct = ts_result_number(page->result, "distinct_runs");
  double runs = ts_result_number(json_object_get(page->result, "method"), "runs");
  if (distinct < runs) {
    ts_str_addf(&text, " %s of %s runs are distinct; equal ones were computed once and counted as often as they occur.",
                ts_format_number(distinct, 3, a), ts_format_number(runs, 3, b));
  }
  const json_t *reference = json_object_get(page->result, "reference");
  if (json_is_object(reference)) {
    ts_str_addf(&text, " The reference run is counted apart: %s tasks requested, %s computed.",
                ts_format_number(ts_result_count(reference, "requested"), 3, a),
                ts_format_number(ts_result_count(reference, "executed"), 3, b));
  }
  ts_page_paragraph(page, ts_str_get(&text));
}

static void add_by_task(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "by_task");
  if (!list) return;
  static const char *const headers[] = {"Task",      "Requested", "Executed",   "CPU s", "Same stage",
                                        "Same task", "Cutoff",    "From store", "Failed"};
  static const char *const keys[] = {"requested",   "executed", "cpu_s", "stage_reused",
                                     "task_reused", "cutoff",   "store", "failed"};
  struct ts_table table;
  ts_str_add(page->out, "<h3>By task</h3>\n");
  ts_table_open(&table, page, "Reuse by task", NULL, headers, "lrrrrrrrr");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *row = json_array_get(list, i);
    ts_auto(ts_str_release) struct ts_str name = {0};
    ts_str_addf(&name, "%s.%s", ts_result_text(row, "stage"), ts_result_text(row, "task"));
    ts_table_text(&table, ts_str_get(&name));
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) ts_table_number(&table, ts_result_number(row, keys[k]));
  }
  ts_table_close(&table, false);
  ts_str_add(
      page->out,
      "<p class=\"small\">Not computed: because all inputs of the stage or of the task were the same as in another "
      "run, because they turned out the same (cutoff), or because an earlier run had left the product in the "
      "store.</p>\n");
}

/* ---- icicle ---- */

static const json_t *icicle_levels(const json_t *result) {
  const json_t *tree = json_object_get(result, "tree");
  if (json_is_array(tree)) return json_array_size(tree) > 0 ? tree : NULL;
  return ts_result_list(tree, "levels");
}

static void read_icicle(struct ts_page *page, const json_t *levels, struct ts_icicle *icicle) {
  size_t count = json_array_size(levels);
  struct ts_icicle_level *items = ts_arena_array(&page->arena, count, sizeof *items);
  *icicle = (struct ts_icicle){.levels = items, .level_count = count};
  for (size_t i = 0; i < count; i++) {
    const json_t *level = json_array_get(levels, i), *boxes = ts_result_list(level, "boxes");
    struct ts_icicle_box *own = ts_arena_array(&page->arena, json_array_size(boxes) + 1, sizeof *own);
    for (size_t k = 0; k < json_array_size(boxes); k++) {
      const json_t *box = json_array_get(boxes, k);
      double from = ts_result_count(box, "from"), to = ts_result_count(box, "to"), runs = ts_result_number(box, "runs");
      own[k] = (struct ts_icicle_box){from, to, isnan(runs) ? to - from : runs};
      icicle->run_count = fmax(icicle->run_count, to);
    }
    const char *task = ts_result_text(level, "task");
    items[i] = (struct ts_icicle_level){.name = task,
                                        .colour = ts_colour_get(ts_page_stage_of(page, task)),
                                        .boxes = own,
                                        .box_count = json_array_size(boxes)};
  }
}

static void add_icicle(struct ts_page *page) {
  const json_t *levels = icicle_levels(page->result);
  if (!levels) return;
  struct ts_icicle icicle;
  read_icicle(page, levels, &icicle);
  if (icicle.run_count <= 0) return;
  ts_auto(ts_str_release) struct ts_str label = {0};
  char number[TS_NUMBER_SIZE];
  ts_str_addf(&label,
              "Icicle of %s runs: one row per task, one box per computation, as wide as the runs that share it.",
              ts_format_number(icicle.run_count, 3, number));
  ts_str_add(page->out, "<h3>Which runs shared a task</h3>\n<figure>\n");
  ts_page_legend(page, page->stages, page->stage_count);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &icicle, ts_draw_icicle}, TS_CHART_FULL_PX);
  ts_str_add(
      page->out,
      "<figcaption>One row per task, one box per computation for one tile; the width, and the number after "
      "\xc3\x97, are the runs that share it. Boxes too thin to draw one by one are drawn together.</figcaption>\n");
  static const char *const headers[] = {"Task", "Computations", "Runs", "Runs per computation"};
  struct ts_table table;
  ts_table_open(&table, page, "Computations by task", "Numbers as a table", headers, "lrrr");
  for (size_t i = 0; i < icicle.level_count; i++) {
    double runs = 0;
    for (size_t k = 0; k < icicle.levels[i].box_count; k++) runs += icicle.levels[i].boxes[k].runs;
    ts_table_text(&table, icicle.levels[i].name);
    ts_table_number(&table, (double)icicle.levels[i].box_count);
    ts_table_number(&table, runs);
    ts_table_number(&table, icicle.levels[i].box_count ? runs / (double)icicle.levels[i].box_count : NAN);
  }
  ts_table_close(&table, true);
  ts_str_add(page->out, "</figure>\n");
}

/* ---- timeline ---- */

static void read_timeline(struct ts_page *page, const json_t *list, struct ts_timeline *timeline) {
  struct ts_span *spans = ts_arena_array(&page->arena, json_array_size(list), sizeof *spans);
  *timeline = (struct ts_timeline){.spans = spans, .groups = page->stages, .group_count = page->stage_count};
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    double worker = ts_result_count(entry, "worker");
    struct ts_span span = {.start = ts_result_count(entry, "start"),
                           .end = ts_result_count(entry, "end"),
                           .group = ts_page_stage_of(page, ts_result_text(entry, "task"))};
    if (!(worker >= 0 && worker < 4096) || !(span.end > span.start) || span.start < 0) continue;
    if (span.group == page->stage_count) continue;
    span.worker = (size_t)worker;
    spans[timeline->span_count++] = span;
    if (span.worker >= timeline->worker_count) timeline->worker_count = span.worker + 1;
    timeline->end = fmax(timeline->end, span.end);
  }
}

static void add_timeline_table(struct ts_page *page, const struct ts_timeline *timeline) {
  static const char *const headers[] = {"Worker", "Busy s", "Busy"};
  double *busy = ts_arena_array(&page->arena, timeline->worker_count, sizeof *busy);
  for (size_t i = 0; i < timeline->span_count; i++)
    busy[timeline->spans[i].worker] += timeline->spans[i].end - timeline->spans[i].start;
  struct ts_table table;
  ts_table_open(&table, page, "Work by worker", "Numbers as a table", headers, "lrr");
  for (size_t w = 0; w < timeline->worker_count; w++) {
    char text[TS_NUMBER_SIZE];
    snprintf(text, sizeof text, "w%zu", w);
    ts_table_text(&table, text);
    ts_table_number(&table, busy[w]);
    ts_table_text(&table, ts_format_percent(fmin(busy[w] / timeline->end, 1), text));
  }
  ts_table_close(&table, true);
}

static void add_timeline(struct ts_page *page) {
  const json_t *list = ts_result_list(page->result, "timeline");
  if (!list) return;
  struct ts_timeline timeline;
  read_timeline(page, list, &timeline);
  if (timeline.span_count == 0) return;
  double busy = 0;
  for (size_t i = 0; i < timeline.span_count; i++) busy += timeline.spans[i].end - timeline.spans[i].start;
  char percent[TS_NUMBER_SIZE];
  ts_format_percent(fmin(busy / (timeline.end * (double)timeline.worker_count), 1), percent);
  ts_auto(ts_str_release) struct ts_str label = {0};
  ts_str_addf(&label, "Timeline of %zu workers that were busy %s of the time.", timeline.worker_count, percent);
  ts_str_add(page->out, "<h3>What the workers did</h3>\n<figure>\n");
  ts_page_legend(page, page->stages, page->stage_count);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &timeline, ts_draw_timeline}, TS_CHART_FULL_PX);
  ts_str_addf(
      page->out,
      "<figcaption>The workers were busy %s of the time, white is idle. Neighbouring tasks of a stage are drawn "
      "as one.</figcaption>\n",
      percent);
  add_timeline_table(page, &timeline);
  ts_str_add(page->out, "</figure>\n");
}

void ts_page_cost(struct ts_page *page) {
  const json_t *reuse = json_object_get(page->result, "reuse");
  if (!json_is_object(reuse)) return;
  ts_page_section_open(page, "What it cost");
  ts_str_add(page->out, "<div class=\"pair\">\n");
  add_waterfall(page, reuse);
  ts_str_add(page->out, "<div>\n");
  add_words(page, reuse);
  ts_str_add(page->out, "</div>\n</div>\n");
  add_by_task(page);
  add_icicle(page);
  add_timeline(page);
  ts_page_section_close(page);
}
