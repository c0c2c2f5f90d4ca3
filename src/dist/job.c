/* The text of a job, written and read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/job.h"

#include "base/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ts_job_release(struct ts_job *job) {
  free(job->demands);
  *job = (struct ts_job){0};
}

void ts_job_print(const struct ts_run_part *part, struct ts_str *out) {
  if (part->keep) ts_str_add(out, "keep ");
  if (part->execution != 0) ts_str_addf(out, "execution %" PRIu64 " ", part->execution);
  if (!part->wanted) {
    ts_str_add(out, "all");
    return;
  }
  ts_str_add(out, "list");
  size_t unit = part->window;
  for (size_t i = 0; i < part->wanted_count;) {
    const struct ts_run_demand *first = &part->wanted[i];
    size_t run = 1; /* demands that differ in the number of the node alone, by one */
    while (i + run < part->wanted_count && part->wanted[i + run].node == first->node + run &&
           part->wanted[i + run].port == first->port && part->wanted[i + run].unit == first->unit)
      run++;
    ts_str_addf(out, " %" PRIu32, first->node);
    if (run > 1) ts_str_addf(out, "-%" PRIu32, first->node + (uint32_t)run - 1);
    if (first->port != 0) ts_str_addf(out, ":%" PRIu32, first->port);
    if (first->unit != unit) ts_str_addf(out, "@%zu", first->unit);
    unit = first->unit;
    i += run;
  }
}

static bool take_word(const char **text, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*text, word, length) != 0) return false;
  *text += length;
  return true;
}

static bool take_number(const char **text, uint64_t most, uint64_t *number) {
  char *end = NULL;
  if (**text < '0' || **text > '9') return false;
  errno = 0;
  *number = strtoull(*text, &end, 10);
  *text = end;
  return errno == 0 && *number <= most;
}

struct reader {
  const struct ts_plan *plan;
  const struct ts_dataset *dataset;
  struct ts_job *job;
  size_t capacity;
  uint64_t unit;
};

static size_t units_of(const struct reader *r, uint32_t node) {
  return ts_dataset_units(r->dataset, r->plan->nodes[node].scope);
}

static size_t outputs_of(const struct reader *r, uint32_t node) {
  const struct ts_node *n = &r->plan->nodes[node];
  return n->kind == TS_NODE_TASK ? r->plan->workflow->tasks[n->task].op->descriptor->output_count : 1;
}

static bool add_demand(struct reader *r, uint32_t node, uint32_t port) {
  struct ts_job *job = r->job;
  size_t unit = (size_t)r->unit;
  enum ts_scope scope = r->plan->nodes[node].scope;
  if (port >= outputs_of(r, node) || unit >= units_of(r, node) ||
      ts_run_window_of(r->plan, r->dataset, scope, unit) != job->part.window)
    return false;
  job->demands = ts_grow(job->demands, job->part.wanted_count, &r->capacity, sizeof *job->demands);
  job->demands[job->part.wanted_count++] = (struct ts_run_demand){node, port, unit};
  return true;
}

/* " 12-15:1@7" */
static bool read_demands(struct reader *r, const char **text) {
  uint64_t first = 0, last = 0, port = 0;
  if (!take_word(text, " ") || !take_number(text, UINT32_MAX, &first)) return false;
  last = first;
  if (take_word(text, "-") && !take_number(text, UINT32_MAX, &last)) return false;
  if (take_word(text, ":") && !take_number(text, 63, &port)) return false;
  if (take_word(text, "@") && !take_number(text, SIZE_MAX, &r->unit)) return false;
  if (last >= r->plan->node_count || last < first) return false;
  for (uint64_t n = first; n <= last; n++) {
    if (!add_demand(r, (uint32_t)n, (uint32_t)port)) return false;
  }
  return true;
}

bool ts_job_parse(const char *text, uint32_t window, const struct ts_plan *plan, const struct ts_dataset *dataset,
                  struct ts_job *job) {
  struct reader r = {plan, dataset, job, 0, window};
  *job = (struct ts_job){.part = {.window = window}};
  if (window >= ts_run_window_count(plan, dataset)) return false;
  job->part.keep = take_word(&text, "keep ");
  if (take_word(&text, "execution ") &&
      !(take_number(&text, UINT64_MAX, &job->part.execution) && take_word(&text, " ")))
    return false;
  if (strcmp(text, "all") == 0) return true;
  bool ok = take_word(&text, "list");
  job->demands = ts_calloc(1, sizeof *job->demands);
  while (ok && *text) ok = read_demands(&r, &text);
  job->part.wanted = job->demands;
  if (!ok) ts_job_release(job);
  return ok;
}
