/* Makes the buckets of a run: at the start, or step by step where the tasks of a window are shared out.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mechanism alone: numbers, queue, ledger, and which bucket made which demands. share_policy.h decides what is
 * split, when, and into what. */
#include "dist/coordinator_int.h"
#include "dist/job.h"
#include "dist/share_policy.h"

#include "base/alloc.h"
#include "base/random.h"

#include <stdlib.h>

static void add_jobs(struct coordinator *c, const struct ts_jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++) {
    c->bucket_windows = ts_grow(c->bucket_windows, c->next_number, &c->bucket_capacity, sizeof *c->bucket_windows);
    c->bucket_windows[c->next_number++] = (uint32_t)jobs->rows[i].group;
    c->open_in_window[jobs->rows[i].group]++;
  }
  c->open_buckets += jobs->count;
  c->result->buckets += jobs->count;
  struct ts_error err = {0};
  if (!ts_queue_add(c->queue, jobs->rows, jobs->count, &err)) ts_coordinator_end_with(c, &err);
}

static void on_settled(void *user, const struct ts_task_event *event) {
  struct coordinator *c = user;
  ts_ledger_task(&c->ledger, event);
}

static void on_found(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct coordinator *c = user;
  ts_ledger_product(&c->ledger, node, port, unit, data);
}

/* The job of a bucket, so that its demands are known when it ends. */
static void remember(struct coordinator *c, uint64_t number, struct ts_run_part part) {
  while (c->job_capacity <= number) {
    size_t before = c->job_capacity;
    c->job_capacity = before ? 2 * before : 256;
    c->jobs = ts_realloc(c->jobs, c->job_capacity * sizeof *c->jobs);
    for (size_t i = before; i < c->job_capacity; i++) c->jobs[i] = (struct ts_job){0};
  }
  c->jobs[number] = (struct ts_job){.part = part};
  c->jobs[number].demands = ts_malloc((part.wanted_count + 1) * sizeof *part.wanted);
  for (size_t i = 0; i < part.wanted_count; i++) c->jobs[number].demands[i] = part.wanted[i];
  c->jobs[number].part.wanted = c->jobs[number].demands;
}

/* Puts ready tasks into buckets, as many as keep the workers busy for a while. */
static void share_out_tasks(struct coordinator *c, uint32_t window) {
  struct ts_frontier *frontier = c->shared[window].frontier;
  ts_auto(ts_jobs_release) struct ts_jobs jobs = {0};
  while (ts_frontier_ready(frontier) > 0 && ts_share_has_room(c->open_buckets + jobs.count, c->options->workers)) {
    const size_t size = ts_share_bucket_size(ts_frontier_ready(frontier), c->options->workers);
    ts_auto_free struct ts_run_demand *demands = ts_malloc(size * TS_OP_MAX_PORTS * sizeof *demands);
    struct ts_run_part part = {.window = window, .wanted = demands, .keep = true};
    part.wanted_count = ts_frontier_take(frontier, size, demands);
    remember(c, c->next_number + jobs.count, part);
    ts_jobs_add(&jobs, &part, 0);
  }
  add_jobs(c, &jobs);
}

/* A whole run, by its place in the order of the plan. False: nothing of it is left to be done. */
static bool share_out_run(struct coordinator *c, uint32_t window, size_t place) {
  ts_auto(ts_jobs_release) struct ts_jobs jobs = {0};
  struct ts_run_part part = {.window = window, .keep = true};
  ts_auto_free struct ts_run_demand *demands =
      ts_frontier_take_run(c->shared[window].frontier, place, &part.wanted_count);
  part.wanted = demands;
  if (part.wanted_count > 0) {
    remember(c, c->next_number, part);
    ts_jobs_add(&jobs, &part, 0);
  }
  add_jobs(c, &jobs);
  return part.wanted_count > 0;
}

/* A run for each worker, the first unfinished one of which measures the costs of tasks. */
static void share_out_first(struct coordinator *c, uint32_t window) {
  ts_auto_free size_t *places = ts_calloc(c->options->workers + 1, sizeof *places);
  const size_t count = ts_share_first_runs(c->plan, c->options->workers, c->shared_count, places);
  uint64_t *sample = &c->shared[window].sample;
  for (size_t i = 0; i < count; i++) {
    const uint64_t number = c->next_number;
    if (share_out_run(c, window, places[i]) && *sample == TS_NO_BUCKET) *sample = number;
  }
}

/* Seconds of every task as they are given, or so far: the cheapest call, for the first one of a process also pays for
 * fresh memory. 0 where nothing is known. */
static void measure(struct coordinator *c) {
  const double *costs = c->options->costs ? c->options->costs : c->ledger.least_s;
  for (size_t t = 0; t < c->plan->workflow->task_count; t++) c->costs[t] = costs[t];
}

/* Products of the reference run alone that did not belong to the front. */
static void add_reference(struct coordinator *c, struct ts_jobs *jobs, uint32_t window) {
  ts_auto_free struct ts_run_demand *demands = ts_malloc((c->plan->wanted_count + 1) * sizeof *demands);
  const size_t count = ts_share_reference(c->plan, window, demands);
  struct ts_run_part part = {.window = window, .wanted = demands};
  for (size_t i = 0; i < count; i++) {
    if (ts_ledger_is_wanted(&c->ledger, demands[i].node, demands[i].port, window))
      demands[part.wanted_count++] = demands[i];
  }
  if (part.wanted_count > 0) ts_jobs_add(jobs, &part, 0);
}

static bool share_out_rest(struct coordinator *c, uint32_t window, struct ts_error *err) {
  const struct shared_window *shared = &c->shared[window];
  const size_t tasks = c->plan->workflow->task_count;
  ts_auto_free uint32_t *keys = ts_calloc(c->plan->set_count * tasks + 1, sizeof *keys);
  ts_auto(ts_share_buckets_release) struct ts_share_buckets buckets = {0};
  ts_auto(ts_jobs_release) struct ts_jobs jobs = {0};
  for (size_t r = 0; r < c->plan->set_count; r++) ts_frontier_keys(shared->frontier, r, keys + r * tasks);
  const struct ts_share_rest rest = {.plan = c->plan,
                                     .window = window,
                                     .keys = keys,
                                     .is_front = shared->front,
                                     .costs = c->costs,
                                     .workers = c->options->workers,
                                     .windows = c->shared_count};
  const bool ok = ts_share_split_rest(&rest, &buckets, err);
  for (size_t i = 0; i < buckets.count; i++) {
    const struct ts_share_bucket *bucket = &buckets.items[i];
    ts_jobs_add(&jobs,
                &(struct ts_run_part){.window = window, .wanted = bucket->demands, .wanted_count = bucket->count}, 0);
  }
  if (ok) add_reference(c, &jobs, window);
  add_jobs(c, &jobs);
  return ok;
}

/* Failed tasks, and those that need them, are reported by running all that is left as a whole. */
static void add_whole(struct coordinator *c, uint32_t window) {
  ts_auto(ts_jobs_release) struct ts_jobs jobs = {0};
  ts_jobs_add(&jobs, &(struct ts_run_part){.window = window}, 0);
  add_jobs(c, &jobs);
}

/* The next step of a window of which nothing is handed out or ready. */
static bool next_step(struct coordinator *c, uint32_t window, struct ts_error *err) {
  struct shared_window *shared = &c->shared[window];
  bool ok = true;
  if (shared->step == SHARING_FIRST) {
    shared->step = SHARING_FRONT;
    measure(c);
    ts_share_front(c->plan, c->costs, shared->front);
    ts_frontier_open(shared->frontier, shared->front);
    share_out_tasks(c, window);
    if (!ts_frontier_is_over(shared->frontier)) return true;
  }
  shared->step = SHARING_REST;
  if (ts_frontier_any_failed(shared->frontier))
    add_whole(c, window);
  else
    ok = share_out_rest(c, window, err);
  ts_frontier_destroy(shared->frontier);
  shared->frontier = NULL;
  if (ok && c->open_in_window[window] == 0) ts_ledger_close_window(&c->ledger, window);
  return ok;
}

/* The first windows come first. */
static bool share_out(struct coordinator *c, struct ts_error *err) {
  size_t windows = ts_run_window_count(c->plan, c->dataset);
  bool ok = true;
  for (uint32_t g = 0; ok && g < windows; g++) {
    if (!c->shared[g].frontier) continue;
    share_out_tasks(c, g);
    bool is_first = c->shared[g].step == SHARING_FIRST;
    if (is_first ? c->shared[g].sample == TS_NO_BUCKET : ts_frontier_is_over(c->shared[g].frontier))
      ok = next_step(c, g, err);
  }
  return ok;
}

static bool prepare_sharing(struct coordinator *c, struct ts_error *err) {
  size_t windows = ts_run_window_count(c->plan, c->dataset), tasks = c->plan->workflow->task_count;
  c->shared = ts_calloc(windows + 1, sizeof *c->shared);
  c->costs = ts_calloc(tasks + 1, sizeof *c->costs);
  c->setup = ts_run_setup_create(c->plan, c->options->run.registry, c->options->run.store, err);
  c->share_options = c->options->run;
  c->share_options.setup = c->setup;
  c->share_options.user = c;
  c->share_options.on_task = on_settled;
  c->share_options.on_product = on_found;
  return c->setup != NULL;
}

static bool begin_sharing(struct coordinator *c, const struct ts_jobs *windows, struct ts_error *err) {
  if (!prepare_sharing(c, err)) return false;
  c->shared_count = windows->count;
  for (size_t i = 0; i < windows->count; i++) {
    uint32_t g = (uint32_t)windows->rows[i].group;
    c->shared[g].front = ts_calloc(c->plan->workflow->task_count + 1, sizeof *c->shared[g].front);
    c->shared[g].sample = TS_NO_BUCKET;
    c->shared[g].frontier = ts_frontier_create(c->plan, c->dataset, &c->share_options, g, err);
    if (!c->shared[g].frontier) return false;
    /* Where all tasks are shared out, costs decide nothing. */
    if (ts_scope_is_tile(c->plan->coarsest) && !c->options->costs) share_out_first(c, g);
  }
  return share_out(c, err);
}

/* Whole windows, but for the last ones (the smallest), or for all if there are few. */
static bool add_windows(struct coordinator *c, struct ts_error *err) {
  ts_auto(ts_jobs_release) struct ts_jobs whole = {0};
  ts_jobs_of_windows(&whole, c->plan, c->dataset);
  const size_t last = ts_share_split_count(c->plan, whole.count, c->options->workers, c->options->no_store);
  const size_t count = whole.count;
  whole.count -= last;
  add_jobs(c, &whole);
  const struct ts_jobs shared = {.rows = whole.rows + whole.count, .count = last};
  bool ok = last == 0 || begin_sharing(c, &shared, err);
  whole.count = count;
  return ok;
}

static bool add_buckets_of_stages(struct coordinator *c, struct ts_jobs *jobs, struct ts_error *err) {
  size_t tasks = c->plan->workflow->task_count;
  ts_auto_free uint64_t *repeated = ts_calloc(tasks + 1, sizeof *repeated);
  bool ok = ts_jobs_of_buckets(jobs, c->plan, c->dataset, c->options->grouping, ts_random_name(), repeated, err);
  for (size_t t = 0; ok && c->options->on_planned && t < tasks; t++)
    c->options->on_planned(c->options->run.user, t, repeated[t]);
  return ok;
}

bool ts_coordinator_first_jobs(struct coordinator *c, struct ts_error *err) {
  ts_auto(ts_jobs_release) struct ts_jobs jobs = {0};
  const size_t shares = ts_share_run_shares(ts_run_window_count(c->plan, c->dataset), c->options->workers);
  bool ok = true;
  if (c->options->grouping)
    ok = add_buckets_of_stages(c, &jobs, err);
  else if (c->options->no_store && shares > 0 && c->options->workers > 1)
    ts_jobs_of_runs(&jobs, c->plan, c->dataset, shares);
  else
    ok = add_windows(c, err);
  if (ok) add_jobs(c, &jobs);
  return ok;
}

/* Products that arrived make other tasks ready. */
static void take_up(struct coordinator *c, uint32_t window, uint64_t number) {
  struct ts_job *job = &c->jobs[number];
  if (c->shared[window].sample == number) c->shared[window].sample = TS_NO_BUCKET;
  ts_frontier_came(c->shared[window].frontier, job->part.wanted, job->part.wanted_count);
  ts_job_release(job);
}

bool ts_coordinator_bucket_done(struct coordinator *c, uint32_t window, const struct ts_dist_result *result,
                                struct ts_error *err) {
  c->open_buckets--;
  c->open_in_window[window]--;
  if (c->shared && c->shared[window].frontier)
    take_up(c, window, result->number);
  else if (c->open_in_window[window] == 0)
    ts_ledger_close_window(&c->ledger, window);
  return !c->shared || share_out(c, err); /* there is room for buckets of any window */
}

void ts_coordinator_release_sharing(struct coordinator *c) {
  for (size_t g = 0; c->shared && g < ts_run_window_count(c->plan, c->dataset); g++) {
    ts_frontier_destroy(c->shared[g].frontier);
    free(c->shared[g].front);
  }
  free(c->shared);
  free(c->costs);
  for (size_t i = 0; i < c->job_capacity; i++) ts_job_release(&c->jobs[i]);
  free(c->jobs);
  ts_run_setup_destroy(c->setup);
}
