/* Text of what looks back: status, log, explain, report.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define KEY_DIGITS 16 /* enough to name a task in any store */

/* "2026-01-31T12:00:00Z" -> "2026-01-31 12:00". */
static void add_moment(struct ts_cli_table *table, const char *text) {
  struct ts_str moment = {0};
  bool known = strlen(text) >= 16 && text[10] == 'T';
  ts_str_add_bytes(&moment, text, known ? 16 : strlen(text));
  if (known) moment.data[10] = ' ';
  ts_cli_table_take(table, &moment);
}

static void add_time_cell(struct ts_cli_table *table, const json_t *row, const char *name) {
  struct ts_str text = {0};
  double seconds = ts_cli_reply_number(row, name);
  if (!isnan(seconds)) ts_cli_text_add_time(&text, seconds);
  ts_cli_table_take(table, &text);
}

/* "3 600 of 12 000". */
static void add_tasks_cell(struct ts_cli_table *table, const json_t *run) {
  char executed[32], requested[32];
  if (!ts_cli_reply_has(run, "requested")) {
    ts_cli_table_add(table, "");
    return;
  }
  ts_cli_table_addf(table, "%s of %s", ts_format_count(ts_cli_reply_count(run, "executed"), executed),
                    ts_format_count(ts_cli_reply_count(run, "requested"), requested));
}

static void add_runs(struct ts_cli_table *table, const json_t *runs) {
  static const char *const headings[] = {"run", "state", "started (UTC)", "took", "tasks run", "command", "file"};
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) ts_cli_table_add(table, headings[i]);
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i);
    ts_cli_table_add(table, ts_cli_reply_text(run, "id"));
    ts_cli_table_add(table, ts_cli_reply_text(run, "state"));
    add_moment(table, ts_cli_reply_text(run, "started"));
    add_time_cell(table, run, "wall_s");
    add_tasks_cell(table, run);
    ts_cli_table_add(table, ts_cli_reply_text(run, "command"));
    ts_cli_table_add(table, ts_path_name(ts_cli_reply_text(run, "file")));
  }
}

/* The answers go between the lines of the table: they are sentences, too wide for a column. */
static void print_runs(const json_t *runs, const struct ts_view *view, struct ts_str *out) {
  struct ts_cli_table table;
  struct ts_str text = {0};
  ts_cli_table_init(&table, "lllrrll");
  add_runs(&table, runs);
  ts_cli_table_print(&table, "", &text);
  const char *line = ts_str_get(&text);
  for (size_t row = 0; *line; row++) {
    size_t length = strcspn(line, "\n") + 1;
    ts_str_add_bytes(out, line, length);
    line += length;
    const char *answer = row > 0 ? ts_cli_reply_text(json_array_get(runs, row - 1), "answer") : "";
    if (*answer == '\0') continue;
    struct ts_str safe = {0};
    ts_cli_text_add_safe(&safe, answer);
    ts_str_add(out, "          ");
    ts_cli_text_add_wrapped(out, ts_str_get(&safe), (size_t)view->width, 10, "          ");
    ts_str_add_char(out, '\n');
    ts_str_release(&safe);
  }
  ts_str_release(&text);
  ts_cli_table_release(&table);
}

/* "segment.split failed with T504 (3), T512 (1)". */
static void print_codes(const json_t *row, struct ts_str *out) {
  json_t *codes = json_object_get(row, "codes");
  const char *code, *before = " failed with ";
  json_t *count;
  if (json_object_size(codes) == 0) return;
  ts_cli_text_add_safe(out, ts_cli_reply_text(row, "stage"));
  ts_str_add_char(out, '.');
  ts_cli_text_add_safe(out, ts_cli_reply_text(row, "task"));
  json_object_foreach(codes, code, count) {
    ts_str_addf(out, "%s%s (%lld)", before, code, (long long)json_integer_value(count));
    before = ", ";
  }
  ts_str_add_char(out, '\n');
}

static void print_detail(const json_t *rows, struct ts_str *out) {
  static const char *const counts[] = {"executed", "cutoff", "store", "failed", "skipped"};
  struct ts_cli_table table;
  ts_cli_table_init(&table, "llrrrrrr");
  ts_cli_table_add(&table, "stage");
  ts_cli_table_add(&table, "task");
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) ts_cli_table_add(&table, counts[i]);
  ts_cli_table_add(&table, "time");
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    ts_cli_table_add(&table, ts_cli_reply_text(row, "stage"));
    ts_cli_table_add(&table, ts_cli_reply_text(row, "task"));
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
      ts_cli_table_add_count(&table, ts_cli_reply_count(row, counts[k]));
    add_time_cell(&table, row, "seconds");
  }
  ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
  for (size_t i = 0; i < json_array_size(rows); i++) print_codes(json_array_get(rows, i), out);
}

void ts_show_status(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *runs = ts_cli_reply_member(reply, "runs");
  if (json_array_size(runs) == 0) {
    ts_str_addf(out, "No runs yet. Start one with: %s study\n", view->program);
    return;
  }
  print_runs(runs, view, out);
  const json_t *rows = ts_cli_reply_member(ts_cli_reply_member(reply, "detail"), "by_task");
  if (json_array_size(rows) > 0) print_detail(rows, out);
}

/* "failed: segment/9c1e4f (segment.split), slide.png, tile 12,40, 2.3 s, T504, with G1 = 40". */
static void add_log_heading(struct ts_str *out, const json_t *task) {
  ts_auto(ts_str_release) struct ts_str place = {0}, params = {0};
  ts_cli_text_add_safe(out, ts_cli_reply_text(task, "outcome"));
  ts_str_add(out, ": ");
  ts_cli_reply_add_task(out, task);
  bool by_key = *ts_cli_reply_text(task, "key") != '\0'; /* what reads a file has none and is named already */
  if (by_key && strchr(ts_cli_reply_text(task, "task"), '.')) {
    ts_str_add(out, " (");
    ts_cli_text_add_safe(out, ts_cli_reply_text(task, "task"));
    ts_str_add(out, ")");
  }
  ts_cli_reply_add_place(&place, task);
  if (place.length > 0) ts_str_addf(out, ", %s", ts_str_get(&place));
  if (ts_cli_reply_has(task, "seconds")) {
    ts_str_add(out, ", ");
    ts_cli_text_add_time(out, ts_cli_reply_number(task, "seconds"));
  }
  if (ts_cli_reply_has(task, "code")) ts_str_addf(out, ", T%03d", (int)ts_cli_reply_count(task, "code"));
  ts_cli_reply_add_params(&params, json_object_get(task, "params"));
  if (params.length > 0) ts_str_addf(out, ", with %s", ts_str_get(&params));
  ts_str_add_char(out, '\n');
}

static bool says_the_same(const json_t *a, const json_t *b) {
  return *ts_cli_reply_text(a, "message") &&
         strcmp(ts_cli_reply_text(a, "message"), ts_cli_reply_text(b, "message")) == 0 &&
         strcmp(ts_cli_reply_text(a, "task"), ts_cli_reply_text(b, "task")) == 0 &&
         strcmp(ts_cli_reply_text(a, "outcome"), ts_cli_reply_text(b, "outcome")) == 0;
}

/* Tasks that follow each other and say the same are one entry. */
void ts_show_log(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  (void)view;
  const json_t *tasks = ts_cli_reply_member(reply, "tasks");
  const size_t count = json_array_size(tasks);
  if (count == 0) ts_str_addf(out, "No task of run %s said anything.\n", ts_cli_reply_text(reply, "run"));
  for (size_t i = 0; i < count;) {
    const json_t *task = json_array_get(tasks, i);
    size_t end = i + 1;
    while (end < count && says_the_same(task, json_array_get(tasks, end))) end++;
    add_log_heading(out, task);
    ts_cli_text_add_lines(out, ts_cli_reply_text(task, "message"), "  ");
    if (end - i > 1) {
      ts_str_add(out, "and ");
      ts_cli_text_add_count(out, end - i - 1, "more task");
      ts_str_add(out, " that said the same\n");
    }
    i = end;
  }
}

/* A value of any JSON type in one line. */
static void add_value_cell(struct ts_cli_table *table, const json_t *value) {
  struct ts_str text = {0};
  const char *string = json_string_value(value);
  if (string && ts_str_starts_with(string, "k1:")) {
    ts_str_addf(&text, "%.*s", KEY_DIGITS, ts_cli_reply_key(string));
  } else if (string) {
    ts_str_add(&text, string);
  } else if (json_is_integer(value)) {
    ts_str_addf(&text, "%lld", (long long)json_integer_value(value));
  } else if (json_is_real(value)) {
    ts_str_add_double(&text, json_real_value(value));
  } else if (value && !json_is_null(value)) {
    char *dumped = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    ts_str_add(&text, dumped ? dumped : "");
    free(dumped);
  } else {
    ts_str_add_char(&text, '-');
  }
  ts_cli_table_take(table, &text);
}

static void add_nearest(struct ts_str *out, const json_t *nearest) {
  if (!nearest || json_is_null(nearest)) return;
  const json_t *differs = ts_cli_reply_member(nearest, "differs");
  ts_str_addf(out, "\nNearest earlier task: %.*s", KEY_DIGITS, ts_cli_reply_key(ts_cli_reply_text(nearest, "key")));
  if (*ts_cli_reply_text(nearest, "run")) {
    ts_str_add(out, " of run ");
    ts_cli_text_add_safe(out, ts_cli_reply_text(nearest, "run"));
  }
  ts_str_add_char(out, '\n');
  if (json_array_size(differs) == 0) return;
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lll");
  ts_cli_table_add(&table, "differs in");
  ts_cli_table_add(&table, "here");
  ts_cli_table_add(&table, "there");
  for (size_t i = 0; i < json_array_size(differs); i++) {
    const json_t *field = json_array_get(differs, i);
    ts_cli_table_add(&table, ts_cli_reply_text(field, "field"));
    add_value_cell(&table, ts_cli_reply_member(field, "here"));
    add_value_cell(&table, ts_cli_reply_member(field, "there"));
  }
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

static void add_inputs(struct ts_str *out, const json_t *inputs) {
  if (json_array_size(inputs) == 0) return;
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lll");
  ts_cli_table_add(&table, "input");
  ts_cli_table_add(&table, "made by");
  ts_cli_table_add(&table, "key");
  for (size_t i = 0; i < json_array_size(inputs); i++) {
    const json_t *input = json_array_get(inputs, i);
    ts_cli_table_add(&table, ts_cli_reply_text(input, "port"));
    ts_cli_table_add(&table, ts_cli_reply_text(input, "task"));
    ts_cli_table_addf(&table, "%.*s", KEY_DIGITS, ts_cli_reply_key(ts_cli_reply_text(input, "key")));
  }
  ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "  ", out);
  ts_cli_table_release(&table);
}

static void add_cost(struct ts_str *out, const json_t *cost) {
  if (!ts_cli_reply_has(cost, "recompute_s")) return;
  ts_str_add(out, "Cost: ");
  ts_cli_text_add_time(out, ts_cli_reply_number(cost, "recompute_s"));
  ts_str_add(out, " to compute");
  if (ts_cli_reply_has(cost, "load_s")) {
    ts_str_add(out, ", ");
    ts_cli_text_add_time(out, ts_cli_reply_number(cost, "load_s"));
    ts_str_add(out, " to load");
    if (json_is_false(ts_cli_reply_member(cost, "load_measured"))) ts_str_add(out, " (not measured)");
  }
  char bytes[32];
  if (ts_cli_reply_has(cost, "bytes"))
    ts_str_addf(out, ", %s", ts_format_bytes(ts_cli_reply_count(cost, "bytes"), bytes));
  ts_str_add_char(out, '\n');
}

static void add_sentence(struct ts_str *out, const json_t *task, const char *field, const struct ts_view *view) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_cli_text_add_safe(&text, ts_cli_reply_text(task, field));
  if (text.length == 0) return;
  ts_cli_text_add_wrapped(out, ts_str_get(&text), (size_t)view->width, 2, "  ");
  ts_str_add_char(out, '\n');
}

/* "4 executed, 2 store" of a task of which a run has several; nothing for a single one. */
static void add_outcomes(struct ts_str *out, json_t *outcomes) {
  const char *outcome, *before = "; in this run: ";
  json_t *count;
  uint64_t all = 0;
  json_object_foreach(outcomes, outcome, count) all += (uint64_t)json_integer_value(count);
  if (all < 2) return;
  json_object_foreach(outcomes, outcome, count) {
    char number[32];
    const bool is_reuse = strcmp(outcome, "store") == 0;
    ts_str_addf(out, "%s%s %s", before, ts_format_count((uint64_t)json_integer_value(count), number),
                is_reuse ? "from the store" : outcome);
    before = ", ";
  }
}

/* "Run 7f3a91bc, task segment/9c1e4f, compared with run 5b210000". */
static void add_subject(struct ts_str *out, const json_t *reply, const json_t *task) {
  ts_str_add(out, "Run ");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "run"));
  if (*ts_cli_reply_text(task, "key")) {
    ts_str_add(out, ", task ");
    ts_cli_reply_add_task(out, task);
  }
  if (*ts_cli_reply_text(task, "compared_with"))
    ts_str_addf(out, ", compared with run %s", ts_cli_reply_text(task, "compared_with"));
  add_outcomes(out, json_object_get(task, "outcomes"));
  ts_str_add_char(out, '\n');
}

static void add_details(struct ts_str *out, const json_t *task, const struct ts_view *view) {
  ts_str_add_char(out, '\n');
  add_sentence(out, task, "reason", view);
  add_nearest(out, ts_cli_reply_member(task, "nearest"));
  add_inputs(out, ts_cli_reply_member(task, "inputs"));
}

void ts_show_explain(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *tasks = ts_cli_reply_member(reply, "tasks");
  for (size_t i = 0; i < json_array_size(tasks); i++) {
    const json_t *task = json_array_get(tasks, i);
    add_sentence(out, task, "because", view);
    if (view->verbose) add_details(out, task, view);
  }
  if (tasks) {
    ts_str_addf(out, "\nStage %s of run %s. One task: %s explain %s\n", ts_cli_reply_text(reply, "stage"),
                ts_cli_reply_text(reply, "run"), view->program, ts_cli_reply_text(json_array_get(tasks, 0), "task"));
    return;
  }
  add_sentence(out, reply, "because", view);
  add_subject(out, reply, reply);
  add_cost(out, ts_cli_reply_member(reply, "cost"));
  if (view->verbose) add_details(out, reply, view);
}

void ts_show_report(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  (void)view;
  ts_str_add(out, "Report: ");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "report"));
  ts_str_add_char(out, '\n');
}
