/* Reads STG files (Standard Task Graph set, kasahara.cs.waseda.ac.jp): numbers in columns, edges that take no time.
 * SPDX-License-Identifier: Apache-2.0
 *
 * First the number of tasks without the two dummy tasks at the ends; then per task: number, time, number of
 * predecessors, and these. Everything after a '#' is a comment. */
#include "graph/read_int.h"

#include "base/decimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct scan {
  const char *name, *at, *end, *line_start;
  int line;
  const char *token; /* the number that was read last */
  struct ts_task_graph *graph;
  struct ts_faults *faults;
};

static bool fail_at(struct scan *scan, const char *place, const struct ts_error *err) {
  ts_graph_fault_at(scan->faults, err, scan->name, scan->line, (int)(place - scan->line_start) + 1);
  return false;
}

static bool fail(struct scan *scan, const char *text, const char *help) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "%s", text);
  ts_error_help(&err, "%s", help);
  return fail_at(scan, scan->token, &err);
}

static void skip_space(struct scan *scan) {
  for (; scan->at < scan->end; scan->at++) {
    if (*scan->at == '#') {
      while (scan->at < scan->end && *scan->at != '\n') scan->at++;
      if (scan->at == scan->end) return;
    }
    if (!ts_graph_is_space(*scan->at)) return;
    if (*scan->at == '\n') {
      scan->line++;
      scan->line_start = scan->at + 1;
    }
  }
}

static bool read_number(struct scan *scan, const char *what, double *number) {
  skip_space(scan);
  scan->token = scan->at;
  const char *after = ts_decimal_read(scan->at, scan->end, number);
  if (after && (after == scan->end || ts_graph_is_space(*after) || *after == '#')) {
    scan->at = after;
    return true;
  }
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, scan->at == scan->end ? "the file ends before %s" : "%s is not a number", what);
  ts_error_help(&err, "a line of an STG file is: task, time, number of predecessors, predecessors");
  return fail_at(scan, scan->token, &err);
}

static bool read_count(struct scan *scan, const char *what, double most, size_t *count) {
  double number = 0;
  if (!read_number(scan, what, &number)) return false;
  if (number >= 0 && number <= most && number == (double)(size_t)number) {
    *count = (size_t)number;
    return true;
  }
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_BAD_VALUE, "%s is not a whole number from 0 to %.0f", what, most);
  ts_error_help(&err, "an STG file begins with the number of its tasks, at most %d", TS_TASK_GRAPH_MAX_TASKS - 2);
  return fail_at(scan, scan->token, &err);
}

/* The number and time of a task; the second pass, which reads edges, has seen them before. */
static bool read_head(struct scan *scan, size_t expected, size_t total, bool is_second) {
  size_t number = 0;
  double time = 0;
  char id[24];
  struct ts_error err = {0};
  if (!read_count(scan, "the number of a task", (double)(total - 1), &number)) return false;
  if (number != expected) return fail(scan, "tasks are not numbered in order", "number them 0, 1, 2 and so on");
  int line = scan->line, column = (int)(scan->token - scan->line_start) + 1;
  if (!read_number(scan, "the time of a task", &time)) return false;
  if (is_second) return true;
  snprintf(id, sizeof id, "%zu", number);
  if (!ts_task_graph_add_task(scan->graph, id, time, &err)) return fail_at(scan, scan->token, &err);
  scan->graph->tasks[number].is_number = true;
  scan->graph->tasks[number].line = line;
  scan->graph->tasks[number].column = column;
  return true;
}

/* All tasks, or when these are known all edges: a predecessor may follow later in the file. */
static bool read_all(struct scan *scan, size_t total, bool is_second) {
  for (size_t task = 0; task < total; task++) {
    size_t count = 0, before = 0;
    if (!read_head(scan, task, total, is_second)) return false;
    if (!read_count(scan, "the number of predecessors", (double)total, &count)) return false;
    for (size_t i = 0; i < count; i++) {
      struct ts_error err = {0};
      if (!read_count(scan, "a predecessor", (double)(total - 1), &before)) return false;
      if (is_second && !ts_task_graph_add_edge(scan->graph, before, task, 0, &err))
        return fail_at(scan, scan->token, &err);
    }
  }
  return true;
}

bool ts_graph_read_stg(struct ts_task_graph *graph, const char *name, const char *text, size_t length,
                       struct ts_faults *faults) {
  struct scan scan = {.name = name,
                      .at = text,
                      .end = text + length,
                      .line_start = text,
                      .line = 1,
                      .token = text,
                      .graph = graph,
                      .faults = faults};
  size_t total = 0;
  if (!read_count(&scan, "the number of tasks", TS_TASK_GRAPH_MAX_TASKS - 2, &total)) return false;
  total += 2; /* the dummies */
  struct scan second = scan;
  if (!read_all(&scan, total, false)) return false;
  skip_space(&scan);
  scan.token = scan.at;
  if (scan.at < scan.end) return fail(&scan, "there is more behind the last task", "remove it, or begin it with '#'");
  return read_all(&second, total, true);
}
