/* Text of a profile: what each task cost, what the engine took beside it, how busy the threads were.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows add up to the CPU time of the process while the plan ran; commands, which are other processes, come on top
 * with their wall time. */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include <math.h>

/* Sums of the rows that were printed. */
struct totals {
  uint64_t calls, reused;
  double cpu_s, wall_s;
};

struct line {
  const char *name;
  uint64_t calls, reused;
  double cpu_s, wall_s, px; /* wall NaN: not known; 0: nothing was done; px 0: not known */
};

/* A member that counts; 0 where it is missing. */
static double seconds(const json_t *object, const char *name) {
  double value = ts_cli_reply_number(object, name);
  return isnan(value) ? 0 : value;
}

static void add_fixed(struct ts_cli_table *table, double value, int decimals) {
  struct ts_str cell = {0};
  if (!isnan(value)) ts_cli_text_add_fixed(&cell, value, decimals);
  ts_cli_table_take(table, &cell);
}

/* Three digits, at most three decimals. */
static void add_three_digits(struct ts_cli_table *table, double value) {
  add_fixed(table, value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

static void add_count(struct ts_cli_table *table, uint64_t count) {
  if (count > 0)
    ts_cli_table_add_count(table, count);
  else
    ts_cli_table_add(table, "");
}

static uint64_t microseconds(double value) { return value > 0 ? (uint64_t)llround(value * 1e6) : 0; }

static void add_line(struct ts_cli_table *table, const struct line *line, double whole_s) {
  struct ts_str share = {0};
  if (line->cpu_s != 0) ts_cli_text_add_share(&share, microseconds(line->cpu_s), microseconds(whole_s));
  ts_cli_table_add(table, line->name);
  add_count(table, line->calls);
  add_fixed(table, line->cpu_s != 0 ? line->cpu_s : (double)NAN, 3);
  add_fixed(table, line->wall_s != 0 ? line->wall_s : (double)NAN, 3);
  add_three_digits(table, line->calls > 0 ? line->wall_s * 1e3 / (double)line->calls : (double)NAN);
  ts_cli_table_take(table, &share);
  add_three_digits(table, line->px > 0 && line->wall_s > 0 ? line->px / line->wall_s / 1e6 : (double)NAN);
  add_count(table, line->reused);
}

static void sum(struct totals *totals, const struct line *line) {
  totals->calls += line->calls;
  totals->reused += line->reused;
  totals->cpu_s += line->cpu_s;
  totals->wall_s += isnan(line->wall_s) ? 0 : line->wall_s;
}

static void add_task(struct ts_cli_table *table, struct totals *totals, const json_t *task, double whole_s) {
  struct ts_str name = {0};
  ts_str_addf(&name, "%s.%s", ts_cli_reply_text(task, "stage"), ts_cli_reply_text(task, "task"));
  struct line line = {.name = ts_str_get(&name),
                      .calls = ts_cli_reply_count(task, "calls"),
                      .reused = ts_cli_reply_count(task, "stage_reused") + ts_cli_reply_count(task, "task_reused") +
                                ts_cli_reply_count(task, "cutoff") + ts_cli_reply_count(task, "store"),
                      .cpu_s = seconds(task, "cpu_s"),
                      .wall_s = seconds(task, "wall_s"),
                      .px = seconds(task, "px")};
  add_line(table, &line, whole_s);
  sum(totals, &line);
  ts_str_release(&name);
}

/* What the engine does itself, where it did it at all. */
static void add_node(struct ts_cli_table *table, struct totals *totals, const json_t *node, const char *name,
                     double whole_s) {
  struct line line = {.name = name,
                      .calls = ts_cli_reply_count(node, "calls"),
                      .cpu_s = seconds(node, "cpu_s"),
                      .wall_s = seconds(node, "wall_s"),
                      .px = seconds(node, "px")};
  if (line.calls == 0) return;
  add_line(table, &line, whole_s);
  sum(totals, &line);
}

static void add_rows(struct ts_cli_table *table, struct totals *totals, const json_t *reply, const json_t *profile) {
  const json_t *tasks = ts_cli_reply_member(reply, "by_task");
  double whole_s = seconds(profile, "process_cpu_s") + seconds(profile, "external_s");
  for (size_t i = 0; i < json_array_size(tasks); i++) add_task(table, totals, json_array_get(tasks, i), whole_s);
  add_node(table, totals, ts_cli_reply_member(profile, "read"), "(reading)", whole_s);
  add_node(table, totals, ts_cli_reply_member(profile, "crop"), "(cropping)", whole_s);
  add_node(table, totals, ts_cli_reply_member(profile, "gather"), "(gathering)", whole_s);
  struct line engine = {.name = "(engine)", .cpu_s = seconds(profile, "engine_cpu_s"), .wall_s = (double)NAN};
  add_line(table, &engine, whole_s);
  sum(totals, &engine);
  struct line all = {.name = "total",
                     .calls = totals->calls,
                     .reused = totals->reused,
                     .cpu_s = totals->cpu_s,
                     .wall_s = totals->wall_s};
  add_line(table, &all, whole_s);
}

/* "2 threads, 93 % busy for 2.3 s." */
static void add_threads(struct ts_str *out, const json_t *reply, const json_t *profile, const struct totals *totals) {
  uint64_t threads = ts_cli_reply_count(reply, "threads");
  double run_s = seconds(profile, "run_s");
  ts_str_add(out, "  ");
  ts_cli_text_add_count(out, threads, "thread");
  ts_str_add(out, ", ");
  ts_cli_text_add_share(out, microseconds(totals->wall_s), microseconds(run_s * (double)threads));
  ts_str_add(out, " busy with tasks for ");
  ts_cli_text_add_time(out, run_s);
  ts_str_add(out, ".");
}

static void add_memory(struct ts_str *out, const json_t *reply, const json_t *profile) {
  char text[32];
  ts_str_addf(out, " Peak memory: %s of data", ts_format_bytes(ts_cli_reply_count(reply, "peak_bytes"), text));
  uint64_t process = ts_cli_reply_count(profile, "process_peak_bytes");
  if (process > 0) ts_str_addf(out, ", %s in all", ts_format_bytes(process, text));
  ts_str_add(out, ".\n");
}

/* "Parts of tasks: 385 077 of 414 561 recalled (93 %)." */
static void add_parts(struct ts_str *out, const json_t *profile) {
  const json_t *parts = ts_cli_reply_member(profile, "parts");
  uint64_t asked = ts_cli_reply_count(parts, "asked"), recalled = ts_cli_reply_count(parts, "recalled");
  char one[32], all[32];
  if (asked == 0) return;
  ts_str_addf(out, "  Parts of tasks: %s of %s recalled (", ts_format_count(recalled, one),
              ts_format_count(asked, all));
  ts_cli_text_add_share(out, recalled, asked);
  ts_str_add(out, ").\n");
}

void ts_show_profile(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  const json_t *profile = ts_cli_reply_member(reply, "profile");
  if (!json_is_object(profile)) return;
  static const char *const headings[] = {"task", "calls", "CPU s", "wall s", "mean ms", "share", "MPix/s", "reused"};
  struct ts_cli_table table;
  struct totals totals = {0};
  ts_cli_table_init(&table, "lrrrrrrr");
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) ts_cli_table_add(&table, headings[i]);
  add_rows(&table, &totals, reply, profile);
  ts_str_addf(out, "\n%sWhere the time went%s\n", view->color ? TS_BOLD : "", view->color ? TS_PLAIN : "");
  ts_cli_table_print(&table, "  ", out);
  add_threads(out, reply, profile, &totals);
  add_memory(out, reply, profile);
  add_parts(out, profile);
  if (*ts_cli_reply_text(profile, "trace")) {
    ts_str_add(out, "  Trace: ");
    ts_cli_text_add_safe(out, ts_cli_reply_text(profile, "trace"));
    ts_str_add_char(out, '\n');
  }
  ts_cli_table_release(&table);
}
