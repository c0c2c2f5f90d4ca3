/* Which buckets there are: from the start, or from what is known by now where the tasks of a group are shared out.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where there are fewer groups than keep all workers busy, the tasks of each are shared out as they become ready, equal
 * contents once (run/contents.h). Their buckets are small enough that nobody waits long at the end. */
#include "dist/coordinator_int.h"
#include "dist/job.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdlib.h>

#define GROUPS_PER_WORKER 3 /* fewer groups are split */
#define BUCKETS_OPEN      3 /* per worker, being done or waiting: more tasks become ready until they are needed */
#define SHARES            2 /* per worker, of what is ready: the last ones are small */
#define MOST_IN_BUCKET    64

bool ts_coordinator_add_jobs(struct coordinator *c, struct ts_jobs *jobs, struct ts_error *err) {
  for (size_t i = 0; i < jobs->count; i++) {
    c->bucket_groups = ts_grow(c->bucket_groups, c->next_number, &c->bucket_capacity, sizeof *c->bucket_groups);
    c->bucket_groups[c->next_number] = (uint32_t)jobs->rows[i].group;
    jobs->rows[i].number = c->next_number++;
    c->open_in_group[jobs->rows[i].group]++;
  }
  c->open_buckets += jobs->count;
  c->result->buckets += jobs->count;
  return jobs->count == 0 ||
         ts_store_buckets_add(c->options->run.store, c->options->run.run_id, jobs->rows, jobs->count, err);
}

static void on_settled(void *user, const struct ts_task_event *event) {
  struct coordinator *c = user;
  ts_ledger_task(&c->ledger, event);
}

static void on_found(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct coordinator *c = user;
  ts_ledger_product(&c->ledger, node, port, unit, data);
}

/* The job of a bucket, so that its wishes are known when it ends. */
static void remember(struct coordinator *c, uint64_t number, struct ts_run_part part) {
  while (c->job_capacity <= number) {
    size_t before = c->job_capacity;
    c->job_capacity = before ? 2 * before : 256;
    c->jobs = ts_realloc(c->jobs, c->job_capacity * sizeof *c->jobs);
    for (size_t i = before; i < c->job_capacity; i++) c->jobs[i] = (struct ts_job){0};
  }
  c->jobs[number] = (struct ts_job){.part = part};
  c->jobs[number].wishes = ts_malloc((part.wanted_count + 1) * sizeof *part.wanted);
  for (size_t i = 0; i < part.wanted_count; i++) c->jobs[number].wishes[i] = part.wanted[i];
  c->jobs[number].part.wanted = c->jobs[number].wishes;
}

/* What is ready now in buckets, as many as keep the workers busy for a while. */
static bool share_out_group(struct coordinator *c, uint32_t group, struct ts_error *err) {
  struct ts_contents *contents = c->contents[group];
  struct ts_jobs jobs = {0};
  while (ts_contents_ready(contents) > 0 && c->open_buckets + jobs.count < BUCKETS_OPEN * c->options->workers) {
    size_t size = ts_contents_ready(contents) / (SHARES * c->options->workers) + 1;
    size = size > MOST_IN_BUCKET ? MOST_IN_BUCKET : size;
    struct ts_run_wish *wishes = ts_malloc(size * TS_OP_MAX_PORTS * sizeof *wishes);
    struct ts_run_part part = {.group = group, .wanted = wishes, .keep = true};
    part.wanted_count = ts_contents_take(contents, size, wishes);
    remember(c, c->next_number + jobs.count, part);
    ts_jobs_add(&jobs, &part, 0);
    free(wishes);
  }
  bool ok = ts_coordinator_add_jobs(c, &jobs, err);
  ts_jobs_release(&jobs);
  return ok;
}

static bool finish_sharing(struct coordinator *c, uint32_t group, struct ts_error *err);

/* The first groups come first; a group of which nothing is left is finished. */
static bool share_out(struct coordinator *c, struct ts_error *err) {
  size_t groups = ts_run_group_count(c->plan, c->dataset);
  bool ok = true;
  for (uint32_t g = 0; ok && g < groups; g++) {
    if (!c->contents[g]) continue;
    ok = share_out_group(c, g, err);
    if (ok && ts_contents_is_over(c->contents[g])) ok = finish_sharing(c, g, err);
  }
  return ok;
}

/* What failed, and what needs it, is told by running what is left as a whole. */
static bool finish_sharing(struct coordinator *c, uint32_t group, struct ts_error *err) {
  bool failed = ts_contents_any_failed(c->contents[group]);
  ts_contents_destroy(c->contents[group]);
  c->contents[group] = NULL;
  if (!failed) {
    ts_ledger_close_group(&c->ledger, group);
    return true;
  }
  struct ts_jobs jobs = {0};
  ts_jobs_add(&jobs, &(struct ts_run_part){.group = group}, 0);
  bool ok = ts_coordinator_add_jobs(c, &jobs, err);
  ts_jobs_release(&jobs);
  return ok;
}

static bool begin_sharing(struct coordinator *c, struct ts_error *err) {
  size_t groups = ts_run_group_count(c->plan, c->dataset);
  c->shares_tasks = true;
  c->contents = ts_calloc(groups + 1, sizeof(struct ts_contents *));
  c->setup = ts_run_setup_create(c->plan, c->options->run.registry, c->options->run.store, err);
  if (!c->setup) return false;
  c->share_options = c->options->run;
  c->share_options.setup = c->setup;
  c->share_options.user = c;
  c->share_options.on_task = on_settled;
  c->share_options.on_product = on_found;
  for (uint32_t g = 0; g < groups; g++) {
    c->contents[g] = ts_contents_create(c->plan, c->dataset, &c->share_options, g, err);
    if (!c->contents[g]) return false;
  }
  return share_out(c, err);
}

static bool add_buckets_of_stages(struct coordinator *c, struct ts_jobs *jobs, struct ts_error *err) {
  size_t tasks = c->plan->workflow->task_count;
  uint64_t *repeated = ts_calloc(tasks + 1, sizeof *repeated);
  bool ok = ts_jobs_of_buckets(jobs, c->plan, c->dataset, c->options->grouping, ts_clock_unix_ns(), repeated, err);
  for (size_t t = 0; ok && c->options->on_planned && t < tasks; t++)
    c->options->on_planned(c->options->run.user, t, repeated[t]);
  free(repeated);
  return ok;
}

bool ts_coordinator_first_jobs(struct coordinator *c, struct ts_error *err) {
  struct ts_jobs jobs = {0};
  size_t groups = ts_run_group_count(c->plan, c->dataset);
  size_t enough = GROUPS_PER_WORKER * c->options->workers;
  bool ok = true;
  if (c->options->grouping)
    ok = add_buckets_of_stages(c, &jobs, err);
  else if (groups >= enough || c->options->workers == 1)
    ts_jobs_of_groups(&jobs, c->plan, c->dataset);
  else if (c->options->no_store)
    ts_jobs_of_runs(&jobs, c->plan, c->dataset, groups ? (enough + groups - 1) / groups : 1);
  else
    ok = begin_sharing(c, err);
  ok = ok && ts_coordinator_add_jobs(c, &jobs, err);
  ts_jobs_release(&jobs);
  return ok;
}

static bool take_up(struct coordinator *c, uint32_t group, const struct ts_dist_result *result, struct ts_error *err) {
  struct ts_job *job = &c->jobs[result->number];
  ts_contents_came(c->contents[group], job->part.wanted, job->part.wanted_count);
  ts_job_release(job);
  return share_out(c, err);
}

bool ts_coordinator_bucket_done(struct coordinator *c, uint32_t group, const struct ts_dist_result *result,
                                struct ts_error *err) {
  if (result->stopped) return true; /* it stays open: whoever continues the run does it */
  bool ok = ts_store_bucket_done(c->options->run.store, c->options->run.run_id, result->number, err);
  c->open_buckets--;
  c->open_in_group[group]--;
  if (ok && c->shares_tasks && c->contents[group]) return take_up(c, group, result, err);
  if (ok && c->open_in_group[group] == 0) ts_ledger_close_group(&c->ledger, group);
  return ok;
}

void ts_coordinator_release_sharing(struct coordinator *c) {
  for (size_t g = 0; c->contents && g < ts_run_group_count(c->plan, c->dataset); g++)
    ts_contents_destroy(c->contents[g]);
  free(c->contents);
  for (size_t i = 0; i < c->job_capacity; i++) ts_job_release(&c->jobs[i]);
  free(c->jobs);
  ts_run_setup_destroy(c->setup);
}
