/* Text of what operations cost: the table of 'store costs', and the sentence about time below a plan.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <math.h>
#include <string.h>

#define VERSION_DIGITS 8

static bool in_pixels(const json_t *row) { return strcmp(ts_cli_reply_text(row, "measure"), "px") == 0; }

static void add_size(struct ts_str *out, const json_t *row, double size) {
  char bytes[32];
  if (in_pixels(row)) {
    ts_cli_text_add_number(out, size / 1e6);
    ts_str_add(out, " Mpx");
  } else {
    ts_str_add(out, ts_format_bytes((uint64_t)size, bytes));
  }
}

/* "0.26 Mpx", or "0.07 Mpx to 0.26 Mpx". */
static void take_sizes(struct ts_cli_table *table, const json_t *row) {
  struct ts_str least = {0}, most = {0};
  add_size(&least, row, ts_cli_reply_number(row, "size_min"));
  add_size(&most, row, ts_cli_reply_number(row, "size_max"));
  if (strcmp(ts_str_get(&least), ts_str_get(&most)) != 0) ts_str_addf(&least, " to %s", ts_str_get(&most));
  ts_cli_table_take(table, &least);
  ts_str_release(&most);
}

static void take_time(struct ts_cli_table *table, const json_t *row, const char *name) {
  struct ts_str text = {0};
  if (ts_cli_reply_has(row, name)) ts_cli_text_add_time(&text, ts_cli_reply_number(row, name));
  ts_cli_table_take(table, &text);
}

static void add_bytes(struct ts_cli_table *table, const json_t *row, const char *name) {
  char bytes[32];
  uint64_t count = ts_cli_reply_count(row, name);
  ts_cli_table_add(table, count > 0 ? ts_format_bytes(count, bytes) : "");
}

static void take_share(struct ts_cli_table *table, const json_t *row, const char *name) {
  struct ts_str text = {0};
  double share = ts_cli_reply_number(row, name);
  if (share > 0) ts_cli_text_add_share(&text, (uint64_t)llround(share * 1e6), 1000000);
  ts_cli_table_take(table, &text);
}

/* Whether another row differs in the version of the operation alone. */
static bool has_versions(const json_t *rows, const json_t *row) {
  size_t same = 0;
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *other = json_array_get(rows, i);
    same += strcmp(ts_cli_reply_text(other, "operation"), ts_cli_reply_text(row, "operation")) == 0 &&
            strcmp(ts_cli_reply_text(other, "machine"), ts_cli_reply_text(row, "machine")) == 0 &&
            strcmp(ts_cli_reply_text(other, "measure"), ts_cli_reply_text(row, "measure")) == 0;
  }
  return same > 1;
}

static void add_operation(struct ts_cli_table *table, const json_t *rows, const json_t *row) {
  ts_cli_table_add(table, ts_cli_reply_text(row, "operation"));
  ts_cli_table_addf(table, "%.*s", has_versions(rows, row) ? VERSION_DIGITS : 0, ts_cli_reply_text(row, "version"));
  ts_cli_table_add(table, ts_cli_reply_text(row, "machine"));
  ts_cli_table_add_count(table, ts_cli_reply_count(row, "calls"));
  take_sizes(table, row);
  take_time(table, row, "seconds_per_megapixel");
  take_time(table, row, "seconds");
  add_bytes(table, row, "bytes");
  add_bytes(table, row, "peak_bytes");
  take_share(table, row, "cutoff_share");
}

void ts_show_costs(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  static const char *const headings[] = {"operation", "version",  "machine", "calls",       "size",
                                         "per Mpx",   "per call", "makes",   "peak memory", "cut off"};
  const json_t *rows = ts_cli_reply_member(reply, "operations");
  if (json_array_size(rows) == 0) {
    ts_str_add(out, "The store knows no costs yet: the next run or study that computes something teaches it.\n");
    return;
  }
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lllrlrrrrr");
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) ts_cli_table_add(&table, headings[i]);
  for (size_t i = 0; i < json_array_size(rows); i++) add_operation(&table, rows, json_array_get(rows, i));
  ts_cli_table_print(&table, "", out);
  ts_cli_table_release(&table);
  if (view->quiet) return;
  ts_str_add(out,
             "\nTimes are CPU seconds, averages of a sample of the calls without those far out; 'store.load' is wall "
             "time.\nThis machine: ");
  ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "machine"));
  ts_str_add_char(out, '\n');
}

/* "segment.split and 3 more". */
static void add_guessed(struct ts_str *out, const json_t *guessed) {
  size_t count = json_array_size(guessed);
  if (count == 0) return;
  ts_str_add(out, "That is partly a guess: ");
  ts_cli_text_add_safe(out, json_string_value(json_array_get(guessed, 0)));
  if (count > 1) ts_str_addf(out, " and %zu more", count - 1);
  ts_str_add(out, count > 1 ? " were" : " was");
  ts_str_add(out, " measured on another machine, in another version or at other sizes only\n");
}

/* "Outputs: about 1.2 MB (segment.mask 1.1 MB, compare.table 3.0 kB)". */
static void add_outputs(struct ts_str *out, const json_t *outputs) {
  char bytes[32];
  uint64_t all = 0;
  for (size_t i = 0; i < json_array_size(outputs); i++) all += ts_cli_reply_count(json_array_get(outputs, i), "bytes");
  if (all == 0) return;
  ts_str_addf(out, "Outputs of all sets: about %s (", ts_format_bytes(all, bytes));
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const json_t *output = json_array_get(outputs, i);
    ts_str_add(out, i > 0 ? ", " : "");
    ts_cli_text_add_safe(out, ts_cli_reply_text(output, "output"));
    ts_str_addf(out, " %s", ts_format_bytes(ts_cli_reply_count(output, "bytes"), bytes));
  }
  ts_str_add(out, ")\n");
}

void ts_show_prediction(const json_t *reply, struct ts_str *out) {
  const json_t *costs = ts_cli_reply_member(reply, "costs"), *predicted = ts_cli_reply_member(reply, "predicted");
  const char *source = ts_cli_reply_text(costs, "source");
  if (predicted && ts_cli_reply_number(predicted, "cpu_s_most") > 0) {
    double cpu_s = ts_cli_reply_number(predicted, "cpu_s"), most = ts_cli_reply_number(predicted, "cpu_s_most");
    ts_str_add(out, "Predicted: about ");
    ts_cli_text_add_time(out, ts_cli_reply_number(predicted, "wall_s"));
    ts_str_add(out, " with ");
    ts_cli_text_add_count(out, ts_cli_reply_count(predicted, "threads"), "thread");
    ts_str_add(out, ", ");
    ts_cli_text_add_time(out, cpu_s);
    ts_str_add(out, " of CPU time");
    if (most > 1.05 * cpu_s) {
      ts_str_add(out, " (at most ");
      ts_cli_text_add_time(out, most);
      ts_str_add(out, ": early cutoff saved as much as that before)");
    }
    ts_str_add_char(out, '\n');
  }
  if (predicted) add_outputs(out, ts_cli_reply_member(predicted, "outputs"));
  if (strcmp(source, "model") == 0) {
    ts_str_add(out, "Costs of tasks: as measured by the store, see 'tessera store costs'\n");
    add_guessed(out, ts_cli_reply_member(costs, "guessed"));
  } else if (strcmp(source, "file") == 0) {
    ts_str_add(out, "Costs of tasks: the file\n");
  } else if (strcmp(source, "unit") == 0) {
    ts_str_add(out, "Costs of tasks: 1 each\n");
  }
}
