/* Text of plan: the tasks that a run or study would do, and their cost.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <math.h>
#include <string.h>

#define WIDE_COLUMNS 100 /* of a window that has room for long headings */

/* Buckets of the other kinds share by lineage alone. */
static bool may_cut_off(const char *merge) {
  static const char *const without[] = {"naive", "sca", "rtma", "trtma"};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
    if (strcmp(merge, without[i]) == 0) return false;
  }
  return true;
}

/* One sentence first: what is asked for, what is avoided, what is left. */
static void add_sentence(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  uint64_t requested = ts_cli_reply_count(reply, "requested"), executed = ts_cli_reply_count(reply, "executed");
  uint64_t avoided = requested > executed ? requested - executed : 0;
  bool cutoff_open = !ts_cli_reply_has(ts_cli_reply_member(reply, "reuse"), "cutoff") && !view->no_cutoff &&
                     executed > 0 && may_cut_off(ts_cli_reply_text(reply, "merge"));
  char number[32];
  ts_cli_text_add_count(out, requested, "task");
  ts_str_addf(out, " requested, %s (", ts_format_count(avoided, number));
  ts_cli_text_add_share(out, avoided, requested);
  ts_str_addf(out, ") avoided, %s to run", ts_format_count(executed, number));
  if (cutoff_open) ts_str_add(out, " at most; early cutoff may save more");
  ts_str_add_char(out, '\n');
}

static void add_level(struct ts_cli_table *table, const json_t *row, const char *name) {
  if (ts_cli_reply_has(row, name)) {
    ts_cli_table_add_count(table, ts_cli_reply_count(row, name));
  } else {
    ts_cli_table_add(table, "");
  }
}

static void add_row(struct ts_cli_table *table, const json_t *row, const char *stage, const char *task) {
  ts_cli_table_add(table, stage);
  ts_cli_table_add(table, task);
  ts_cli_table_add_count(table, ts_cli_reply_count(row, "requested"));
  add_level(table, row, "stage_reused");
  add_level(table, row, "task_reused");
  add_level(table, row, "cutoff");
  add_level(table, row, "store");
  ts_cli_table_add_count(table, ts_cli_reply_count(row, "executed"));
}

static void add_share(struct ts_cli_table *table, const json_t *row, const char *name, uint64_t whole) {
  struct ts_str text = {0};
  if (ts_cli_reply_has(row, name)) ts_cli_text_add_share(&text, ts_cli_reply_count(row, name), whole);
  ts_cli_table_take(table, &text);
}

/* The totals are those of the reply, not sums of the rows: the two must agree, and a reader can see it. */
static void add_totals(struct ts_cli_table *table, const json_t *reply) {
  const json_t *reuse = ts_cli_reply_member(reply, "reuse");
  uint64_t requested = ts_cli_reply_count(reply, "requested");
  ts_cli_table_add(table, "total");
  ts_cli_table_add(table, "");
  ts_cli_table_add_count(table, requested);
  add_level(table, reuse, "stage");
  add_level(table, reuse, "task");
  add_level(table, reuse, "cutoff");
  add_level(table, reuse, "store");
  ts_cli_table_add_count(table, ts_cli_reply_count(reply, "executed"));
  ts_cli_table_add(table, "");
  ts_cli_table_add(table, "");
  ts_cli_table_add(table, requested ? "100 %" : "");
  add_share(table, reuse, "stage", requested);
  add_share(table, reuse, "task", requested);
  add_share(table, reuse, "cutoff", requested);
  add_share(table, reuse, "store", requested);
  add_share(table, reply, "executed", requested);
}

static void add_table(struct ts_str *out, const json_t *reply) {
  static const char *const headings[] = {"stage",      "task",   "requested", "stage reuse",
                                         "task reuse", "cutoff", "store",     "to run"};
  struct ts_cli_table table;
  ts_cli_table_init(&table, "llrrrrrr");
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) ts_cli_table_add(&table, headings[i]);
  const json_t *rows = ts_cli_reply_member(reply, "by_task");
  const char *previous = "";
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    const char *stage = ts_cli_reply_text(row, "stage");
    add_row(&table, row, strcmp(stage, previous) == 0 ? "" : stage, ts_cli_reply_text(row, "task"));
    previous = stage;
  }
  add_totals(&table, reply);
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
}

static void add_frame(struct ts_str *out, const json_t *reply) {
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "runs"), "run");
  if (ts_cli_reply_has(reply, "files")) {
    ts_str_add(out, " over ");
    ts_cli_text_add_count(out, ts_cli_reply_count(reply, "files"), "file");
  }
  if (ts_cli_reply_has(reply, "tiles")) {
    ts_str_add(out, " (");
    ts_cli_text_add_count(out, ts_cli_reply_count(reply, "tiles"), "tile");
    ts_str_add(out, ")");
  }
  const char *merge = ts_cli_reply_text(reply, "merge");
  if (*merge) ts_str_addf(out, ", merge %s", merge);
  double planning_s = ts_cli_reply_number(reply, "planning_s");
  if (!isnan(planning_s)) {
    ts_str_add(out, ", planned in ");
    ts_cli_text_add_time(out, planning_s);
  }
  ts_str_add_char(out, '\n');
  ts_show_tissue(reply, out);
  const json_t *reference = ts_cli_reply_member(reply, "reference");
  if (ts_cli_reply_count(reference, "requested") == 0) return;
  char number[32];
  ts_str_add(out, "The reference run comes on top: ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reference, "requested"), "task");
  ts_str_addf(out, ", %s to run\n", ts_format_count(ts_cli_reply_count(reference, "executed"), number));
}

/* Seconds where costs are seconds, otherwise a number of tasks. */
static void add_cost(struct ts_str *out, double cost, bool seconds) {
  if (seconds)
    ts_cli_text_add_time(out, cost);
  else
    ts_cli_text_add_number(out, cost);
}

static void take_cost(struct ts_cli_table *table, const json_t *row, const char *name, bool seconds) {
  struct ts_str text = {0};
  if (ts_cli_reply_has(row, name)) add_cost(&text, ts_cli_reply_number(row, name), seconds);
  ts_cli_table_take(table, &text);
}

static void take_percent(struct ts_cli_table *table, const json_t *row, const char *name, int decimals) {
  struct ts_str text = {0};
  if (ts_cli_reply_has(row, name)) {
    ts_cli_text_add_fixed(&text, 100 * ts_cli_reply_number(row, name), decimals);
    ts_str_add(&text, " %");
  }
  ts_cli_table_take(table, &text);
}

/* How stages are grouped for workers that do not share memory, and what that comes to. */
static void add_grouping(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  const json_t *grouping = ts_cli_reply_member(reply, "grouping");
  if (!grouping) return;
  static const char *const headings[] = {"stage", "distinct", "buckets", "imbalance", "makespan", "lower bound"};
  bool seconds = strcmp(ts_cli_reply_text(grouping, "cost"), "seconds") == 0;
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lrrrrr");
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) ts_cli_table_add(&table, headings[i]);
  const json_t *rows = ts_cli_reply_member(grouping, "stages");
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    ts_cli_table_add(&table, ts_cli_reply_text(row, "stage"));
    ts_cli_table_add_count(&table, ts_cli_reply_count(row, "members"));
    ts_cli_table_add_count(&table, ts_cli_reply_count(row, "buckets"));
    take_percent(&table, row, "imbalance", 1);
    take_cost(&table, row, "makespan", seconds);
    take_cost(&table, row, "lower_bound", seconds);
  }
  ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
  struct ts_str line = {0};
  const char *keys = ts_cli_reply_text(grouping, "keys");
  if (*keys)
    ts_str_addf(&line, "Buckets for each piece of the data, %s keys. ", keys);
  else
    ts_str_add(&line, "Every run of a stage by itself. ");
  ts_str_add(&line, "Prediction for ");
  ts_cli_text_add_count(&line, ts_cli_reply_count(grouping, "workers"), "worker");
  ts_str_add(&line, " that share no memory: ");
  add_cost(&line, ts_cli_reply_number(grouping, "makespan"), seconds);
  if (!seconds) ts_str_add(&line, " task lengths");
  ts_str_add(&line, *keys ? "; no grouping with these keys needs less than " : "; at least ");
  add_cost(&line, ts_cli_reply_number(grouping, "lower_bound"), seconds);
  ts_str_add_char(out, '\n');
  ts_cli_text_add_wrapped(out, ts_str_get(&line), (size_t)view->width, 0, "");
  ts_str_add_char(out, '\n');
  ts_str_release(&line);
}

/* The names of the columns of the comparison; narrow ones where the window is. */
static void add_comparison_headings(struct ts_cli_table *table, bool narrow) {
  static const char *const wide[] = {"merge",     "keys",     "to run",      "avoided",   "buckets",
                                     "imbalance", "makespan", "lower bound", "planned in"};
  static const char *const short_ones[] = {"merge", "keys",     "to run", "saved",  "buckets",
                                           "imb.",  "makespan", "bound",  "planned"};
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) ts_cli_table_add(table, narrow ? short_ones[i] : wide[i]);
}

static void add_compared(struct ts_cli_table *table, const json_t *reply, const json_t *row, bool narrow) {
  uint64_t requested = ts_cli_reply_count(reply, "requested"), executed = ts_cli_reply_count(row, "executed");
  bool seconds = strcmp(ts_cli_reply_text(reply, "cost"), "seconds") == 0;
  struct ts_str avoided = {0};
  ts_cli_table_add(table, ts_cli_reply_text(row, "merge"));
  ts_cli_table_add(table, ts_cli_reply_text(row, "keys"));
  ts_cli_table_add_count(table, executed);
  ts_cli_text_add_share(&avoided, requested > executed ? requested - executed : 0, requested);
  ts_cli_table_take(table, &avoided);
  add_level(table, row, "buckets");
  take_percent(table, row, "imbalance", narrow ? 0 : 1);
  take_cost(table, row, "makespan", seconds);
  take_cost(table, row, "lower_bound", seconds);
  take_cost(table, row, "planning_s", true);
}

/* Rows without numbers say why below the table. */
static void add_refusals(struct ts_str *out, const json_t *rows, const struct ts_view *view) {
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    if (!*ts_cli_reply_text(row, "refused")) continue;
    struct ts_str line = {0};
    ts_str_addf(&line, "Not compared: %s, %s keys: ", ts_cli_reply_text(row, "merge"), ts_cli_reply_text(row, "keys"));
    ts_cli_text_add_safe(&line, ts_cli_reply_text(row, "refused"));
    ts_cli_text_add_wrapped(out, ts_str_get(&line), (size_t)view->width, 0, "  ");
    ts_str_add_char(out, '\n');
    ts_str_release(&line);
  }
}

static void add_comparison(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  const json_t *rows = ts_cli_reply_member(reply, "compare");
  if (!rows) return;
  struct ts_cli_table table;
  ts_cli_table_init(&table, "llrrrrrrr");
  bool narrow = view->width > 0 && view->width < WIDE_COLUMNS;
  add_comparison_headings(&table, narrow);
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    if (ts_cli_reply_has(row, "executed")) add_compared(&table, reply, row, narrow);
  }
  ts_str_add(out, "\nGrouped for ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reply, "workers"), "worker");
  ts_str_add(out, strcmp(ts_cli_reply_text(reply, "cost"), "seconds") == 0
                      ? " that share no memory:\n"
                      : " that share no memory, times in task lengths:\n");
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
  add_refusals(out, rows, view);
}

/* What a study does after these runs: another phase, more rounds, further sets. */
static void add_later(struct ts_str *out, const json_t *reply) {
  const json_t *second = json_array_get(ts_cli_reply_member(reply, "phases"), 1);
  if (second) {
    bool known = ts_cli_reply_has(second, "runs");
    ts_str_addf(out, "That is the screening; the second phase (%s) depends on what it keeps: ",
                ts_cli_reply_text(second, "method"));
    if (!known) ts_str_add(out, "at most ");
    ts_cli_text_add_count(out, ts_cli_reply_count(second, known ? "runs" : "runs_most"), "run");
    ts_str_add_char(out, '\n');
  }
  if (*ts_cli_reply_text(reply, "until")) {
    ts_str_add(out, "That is the first round; more runs follow until ");
    ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "until"));
    ts_str_add_char(out, '\n');
  }
  const uint64_t further = ts_cli_reply_count(reply, "further_most");
  if (further == 0) return;
  ts_str_add(out, "In the end: the defaults and the shortest change towards the best run, at most ");
  ts_cli_text_add_count(out, further, "run");
  ts_str_add(out, " that share tasks with these\n");
}

void ts_show_plan(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  add_sentence(out, reply, view);
  ts_str_add_char(out, '\n');
  add_table(out, reply);
  ts_str_add_char(out, '\n');
  add_frame(out, reply);
  ts_show_prediction(reply, out);
  add_grouping(out, reply, view);
  add_comparison(out, reply, view);
  const char *picture = ts_cli_reply_text(reply, "picture");
  if (*picture) {
    ts_str_add(out, "\nPicture: ");
    ts_cli_text_add_safe(out, picture);
    ts_str_add_char(out, '\n');
  }
  add_later(out, reply);
}
