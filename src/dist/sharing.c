/* Makes the buckets of a run: at the start, or step by step where the tasks of a window are shared out.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where there are fewer windows than keep all workers busy, each is split. Where there are enough, only the last ones
 * are, so that no worker waits long for the one that took the last whole window. Where costs are not given, one run
 * goes first to measure the costs of the tasks, while each other worker does one from elsewhere in the design. The
 * cheap front of the workflow is then shared out task by task as they become ready, equal contents once
 * (run/frontier.h). The rest of the workflow is split by the contents that the front made: runs with the same contents
 * stay together, so that little is done twice and little is passed on. */
#include "dist/coordinator_int.h"
#include "dist/job.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/random.h"

#include <stdlib.h>

/* Measured by `bench/constants sharing.c` (the demo, and 60 sets on one tile of 2048 x 2048; 2 workers: see
 * docs/performance.md, "Constants"). Costs are measured while a study runs, so that repeated tasks differ between two
 * runs of one program: 126 to 317 of about 2,450 in the demo, 22 to 46 of about 220 on the tile. "None": no difference
 * beyond that in CPU time, memory or repeated tasks. */
/* Fewer windows are split. 1: demo, a quarter of the repeated tasks and 18 % less CPU, but whole windows at the end;
 * 6: none. */
#define WINDOWS_PER_WORKER 3
#define BUCKETS_OPEN       3  /* per worker, being done or waiting: more tasks become ready meanwhile. 1, 6: none */
#define SHARES             2  /* per worker, of the ready tasks: the last ones are small. 1, 4: none */
#define MOST_IN_BUCKET     64 /* 32, 128: none */
/* Per worker, of the rest after the front. 2: 19 % less memory in the demo; on the tile half of the repeated tasks, but
 * 11 buckets instead of 16; 10: 10 to 20 % less memory. No difference in CPU. */
#define REST_BUCKETS 5
/* Is enough: workers wait while buckets are made, and take them on demand. Demo: 0.05, 114 repeated tasks instead of
 * 194; 0.2, 336. No difference in CPU seen. */
#define REST_IMBALANCE 0.1
/* The last buckets, one per worker, are split once more, those at the very end into more parts: no worker waits
 * long. */
#define LATE_PARTS 2 /* 1, 4: none */
#define LAST_PARTS 5 /* 2: none; 10: demo, 6 % more memory */
/* Of all work, at most, is done task by task: passing products on costs more than it saves. 0.01: none; 0.04: demo, 58
 * buckets instead of 36, the same CPU. */
#define FRONT_SHARE 0.02

static void add_jobs(struct coordinator *c, const struct ts_jobs *jobs) {
  for (size_t i = 0; i < jobs->count; i++) {
    c->bucket_windows = ts_grow(c->bucket_windows, c->next_number, &c->bucket_capacity, sizeof *c->bucket_windows);
    c->bucket_windows[c->next_number++] = (uint32_t)jobs->rows[i].group;
    c->open_in_window[jobs->rows[i].group]++;
  }
  c->open_buckets += jobs->count;
  c->result->buckets += jobs->count;
  ts_dist_queue_add(&c->queue, jobs->rows, jobs->count);
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
  struct ts_jobs jobs = {0};
  while (ts_frontier_ready(frontier) > 0 && c->open_buckets + jobs.count < BUCKETS_OPEN * c->options->workers) {
    size_t size = ts_frontier_ready(frontier) / (SHARES * c->options->workers) + 1;
    size = size > MOST_IN_BUCKET ? MOST_IN_BUCKET : size;
    struct ts_run_demand *demands = ts_malloc(size * TS_OP_MAX_PORTS * sizeof *demands);
    struct ts_run_part part = {.window = window, .wanted = demands, .keep = true};
    part.wanted_count = ts_frontier_take(frontier, size, demands);
    remember(c, c->next_number + jobs.count, part);
    ts_jobs_add(&jobs, &part, 0);
    free(demands);
  }
  add_jobs(c, &jobs);
  ts_jobs_release(&jobs);
}

/* A whole run, by its place in the order of the plan. False: nothing of it is left to be done. */
static bool share_out_run(struct coordinator *c, uint32_t window, size_t place) {
  size_t most = 2 * c->plan->workflow->task_count * TS_OP_MAX_PORTS * (c->dataset->tile_count + 1); /* with reference */
  struct ts_jobs jobs = {0};
  struct ts_run_demand *demands = ts_malloc(most * sizeof *demands);
  struct ts_run_part part = {.window = window, .wanted = demands, .keep = true};
  part.wanted_count = ts_frontier_take_run(c->shared[window].frontier, place, demands);
  if (part.wanted_count > 0) {
    remember(c, c->next_number, part);
    ts_jobs_add(&jobs, &part, 0);
  }
  free(demands);
  add_jobs(c, &jobs);
  ts_jobs_release(&jobs);
  return part.wanted_count > 0;
}

/* A run for each worker, the first unfinished one of which measures the costs of tasks. They are far from each other,
 * so that they have little in common that would be done twice. */
static void share_out_first(struct coordinator *c, uint32_t window) {
  const size_t runs = c->plan->set_count, workers = (c->options->workers + c->shared_count - 1) / c->shared_count;
  uint64_t *sample = &c->shared[window].sample;
  for (size_t w = 0; w < workers && w < runs; w++) {
    const uint64_t number = c->next_number;
    if (share_out_run(c, window, runs * w / workers) && *sample == TS_NO_BUCKET) *sample = number;
  }
}

/* Seconds of every task as they are given, or so far: the cheapest call, for the first one of a process also pays for
 * fresh memory. 0 where nothing is known. */
static void measure(struct coordinator *c) {
  const double *costs = c->options->costs ? c->options->costs : c->ledger.least_s;
  for (size_t t = 0; t < c->plan->workflow->task_count; t++) c->costs[t] = costs[t];
}

/* The longest beginning of the workflow that is cheap enough. Windows of several units have no runs that could be
 * distinguished by their contents: all their tasks are the front. */
static void choose_front(struct coordinator *c, bool *is_front) {
  const struct ts_plan *plan = c->plan;
  double all = 0, front = 0;
  measure(c);
  for (size_t t = 0; t < plan->workflow->task_count; t++) all += (double)plan->counts[t].distinct * c->costs[t];
  bool whole = plan->coarsest != TS_PER_TILE;
  for (size_t t = 0; t < plan->workflow->task_count; t++) {
    front += (double)plan->counts[t].distinct * c->costs[t];
    is_front[t] = whole || front <= FRONT_SHARE * all;
  }
}

/* The rows of runs that are not finished, over the tasks that are left; equal rows once. */
struct rest {
  uint32_t *keys;   /* owned: per member, per task that is left */
  uint32_t *member; /* owned: per run; TS_NO_NODE: nothing is left of it */
  size_t *tasks;    /* owned: of the workflow */
  double *costs;    /* owned */
  size_t members, task_count, key_count;
};

static void rest_release(struct rest *rest) {
  free(rest->keys);
  free(rest->member);
  free(rest->tasks);
  free(rest->costs);
}

/* Keys from 0 on; a task that a run does not need any more gets a key of its own kind. */
static void number_keys(struct rest *rest) {
  struct ts_map known = {0};
  for (size_t i = 0; i < rest->members * rest->task_count; i++) {
    const uint32_t identity[2] = {(uint32_t)(i % rest->task_count), rest->keys[i]};
    bool inserted = false;
    union ts_map_value *slot = ts_map_insert(&known, identity, sizeof identity, &inserted);
    if (inserted) slot->number = ts_map_count(&known) - 1;
    rest->keys[i] = (uint32_t)slot->number;
  }
  rest->key_count = ts_map_count(&known);
  ts_map_release(&known);
}

static void rest_init(struct rest *rest, const struct coordinator *c, const struct shared_window *shared) {
  const struct ts_plan *plan = c->plan;
  size_t task_count = plan->workflow->task_count;
  uint32_t *row = ts_calloc(task_count + 1, sizeof *row);
  struct ts_map rows = {0};
  *rest = (struct rest){.keys = ts_calloc(plan->set_count * task_count + 1, sizeof *rest->keys),
                        .member = ts_calloc(plan->set_count + 1, sizeof *rest->member),
                        .tasks = ts_calloc(task_count + 1, sizeof *rest->tasks),
                        .costs = ts_calloc(task_count + 1, sizeof *rest->costs)};
  for (size_t t = 0; t < task_count; t++) {
    if (shared->front[t] || !plan->active[t]) continue;
    rest->costs[rest->task_count] = c->costs[t];
    rest->tasks[rest->task_count++] = t;
  }
  for (size_t r = 0; r < plan->set_count; r++) {
    uint32_t *keys = rest->keys + rest->members * rest->task_count;
    bool any = false, inserted = false;
    ts_frontier_keys(shared->frontier, r, row);
    for (size_t t = 0; t < task_count; t++) any = any || row[t] != TS_NO_NODE;
    for (size_t i = 0; i < rest->task_count; i++) keys[i] = row[rest->tasks[i]];
    rest->member[r] = TS_NO_NODE;
    if (!any) continue;
    union ts_map_value *slot = ts_map_insert(&rows, keys, rest->task_count * sizeof *keys, &inserted);
    if (inserted) slot->number = rest->members++;
    rest->member[r] = (uint32_t)slot->number;
  }
  number_keys(rest);
  ts_map_release(&rows);
  free(row);
}

/* All products of the runs of one bucket. */
static void add_runs(struct coordinator *c, struct ts_jobs *jobs, uint32_t window, const struct rest *rest,
                     const struct ts_bucket *bucket) {
  const struct ts_plan *plan = c->plan;
  bool *in = ts_calloc(rest->members + 1, sizeof *in);
  bool *met = ts_calloc(plan->node_count + 1, sizeof *met);
  struct ts_run_demand *demands = ts_malloc((plan->set_count * plan->wanted_count + 1) * sizeof *demands);
  struct ts_run_part part = {.window = window, .wanted = demands};
  for (size_t i = 0; i < bucket->member_count; i++) in[bucket->members[i]] = true;
  for (size_t i = 0; i < plan->set_count * plan->wanted_count; i++) {
    uint32_t member = rest->member[i / plan->wanted_count];
    const struct ts_node_input *product = &plan->products[i];
    if (member == TS_NO_NODE || !in[member] || product->node == TS_NO_NODE || met[product->node]) continue;
    met[product->node] = plan->wanted_count == 1;
    demands[part.wanted_count++] = (struct ts_run_demand){product->node, product->port, window};
  }
  ts_jobs_add(jobs, &part, 0);
  free(demands);
  free(met);
  free(in);
}

/* Products of the reference run alone that did not belong to the front. */
static void add_reference(struct coordinator *c, struct ts_jobs *jobs, uint32_t window) {
  const struct ts_plan *plan = c->plan;
  struct ts_run_demand *demands = ts_malloc((plan->wanted_count + 1) * sizeof *demands);
  struct ts_run_part part = {.window = window, .wanted = demands};
  for (size_t i = 0; plan->coarsest == TS_PER_TILE && i < plan->wanted_count; i++) {
    const struct ts_node_input *product = &plan->reference_products[i];
    if (product->node == TS_NO_NODE || !plan->nodes[product->node].reference_only) continue;
    if (ts_ledger_is_wanted(&c->ledger, product->node, product->port, window))
      demands[part.wanted_count++] = (struct ts_run_demand){product->node, product->port, window};
  }
  if (part.wanted_count > 0) ts_jobs_add(jobs, &part, 0);
  free(demands);
}

/* Puts members of the rest, given by their numbers, into buckets. */
static bool bucket_members(const struct rest *rest, const uint32_t *members, size_t count, size_t max_buckets,
                           struct ts_buckets *buckets, struct ts_error *err) {
  uint32_t *keys = ts_malloc((count * rest->task_count + 1) * sizeof *keys);
  for (size_t i = 0; i < count * rest->task_count; i++)
    keys[i] = rest->keys[(size_t)members[i / rest->task_count] * rest->task_count + i % rest->task_count];
  const struct ts_bucket_input input = {.member_count = count,
                                        .task_count = rest->task_count,
                                        .keys = keys,
                                        .key_count = rest->key_count,
                                        .costs = rest->costs};
  const struct ts_bucket_options options = {
      .max_buckets = max_buckets, .enough_imbalance = REST_IMBALANCE, .no_swaps = true};
  bool ok = ts_buckets_make(buckets, ts_merger_find("trtma"), &input, &options, err);
  for (size_t b = 0; ok && b < buckets->count; b++) {
    struct ts_bucket *bucket = &buckets->items[b];
    uint32_t *numbers = ts_arena_array(&buckets->arena, bucket->member_count, sizeof *numbers);
    for (size_t i = 0; i < bucket->member_count; i++) numbers[i] = members[bucket->members[i]];
    bucket->members = numbers;
  }
  free(keys);
  return ok;
}

static bool add_in_parts(struct coordinator *c, struct ts_jobs *jobs, uint32_t window, const struct rest *rest,
                         const struct ts_bucket *bucket, size_t part_count, struct ts_error *err) {
  struct ts_buckets parts = {0};
  if (!bucket_members(rest, bucket->members, bucket->member_count, part_count, &parts, err)) return false;
  for (size_t b = 0; b < parts.count; b++) add_runs(c, jobs, window, rest, &parts.items[b]);
  ts_buckets_release(&parts);
  return true;
}

static bool add_rest(struct coordinator *c, struct ts_jobs *jobs, uint32_t window, const struct rest *rest,
                     struct ts_error *err) {
  const size_t workers = c->options->workers;
  struct ts_buckets buckets = {0};
  uint32_t *all = ts_malloc(rest->members * sizeof *all);
  for (size_t i = 0; i < rest->members; i++) all[i] = (uint32_t)i;
  bool ok = bucket_members(rest, all, rest->members, (REST_BUCKETS * workers + c->shared_count - 1) / c->shared_count,
                           &buckets, err);
  free(all);
  if (!ok) return false;
  for (size_t b = 0; ok && b < buckets.count; b++) {
    const size_t left = buckets.count - b;
    if (left > workers)
      add_runs(c, jobs, window, rest, &buckets.items[b]);
    else
      ok = add_in_parts(c, jobs, window, rest, &buckets.items[b], 2 * left > workers ? LATE_PARTS : LAST_PARTS, err);
  }
  ts_buckets_release(&buckets);
  return ok;
}

static bool share_out_rest(struct coordinator *c, uint32_t window, struct ts_error *err) {
  struct rest rest;
  struct ts_jobs jobs = {0};
  rest_init(&rest, c, &c->shared[window]);
  bool ok = rest.members == 0 || add_rest(c, &jobs, window, &rest, err);
  if (ok) add_reference(c, &jobs, window);
  add_jobs(c, &jobs);
  ts_jobs_release(&jobs);
  rest_release(&rest);
  return ok;
}

/* Failed tasks, and those that need them, are reported by running all that is left as a whole. */
static void add_whole(struct coordinator *c, uint32_t window) {
  struct ts_jobs jobs = {0};
  ts_jobs_add(&jobs, &(struct ts_run_part){.window = window}, 0);
  add_jobs(c, &jobs);
  ts_jobs_release(&jobs);
}

/* The next step of a window of which nothing is handed out or ready. */
static bool next_step(struct coordinator *c, uint32_t window, struct ts_error *err) {
  struct shared_window *shared = &c->shared[window];
  bool ok = true;
  if (shared->step == SHARING_FIRST) {
    shared->step = SHARING_FRONT;
    choose_front(c, shared->front);
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
    if (c->plan->coarsest == TS_PER_TILE && !c->options->costs) share_out_first(c, g);
  }
  return share_out(c, err);
}

/* Whole windows, but for the last ones (the smallest), or for all if there are few. */
static bool add_windows(struct coordinator *c, struct ts_error *err) {
  struct ts_jobs whole = {0};
  ts_jobs_of_windows(&whole, c->plan, c->dataset);
  const bool few = whole.count < WINDOWS_PER_WORKER * c->options->workers;
  const bool no_sharing = c->options->workers == 1 || (!few && c->plan->coarsest != TS_PER_TILE);
  const size_t last = no_sharing || c->options->no_store ? 0 : few ? whole.count : (c->options->workers + 1) / 2;
  const size_t count = whole.count;
  whole.count -= last;
  add_jobs(c, &whole);
  const struct ts_jobs shared = {.rows = whole.rows + whole.count, .count = last};
  bool ok = last == 0 || begin_sharing(c, &shared, err);
  whole.count = count;
  ts_jobs_release(&whole);
  return ok;
}

static bool add_buckets_of_stages(struct coordinator *c, struct ts_jobs *jobs, struct ts_error *err) {
  size_t tasks = c->plan->workflow->task_count;
  uint64_t *repeated = ts_calloc(tasks + 1, sizeof *repeated);
  bool ok = ts_jobs_of_buckets(jobs, c->plan, c->dataset, c->options->grouping, ts_random_name(), repeated, err);
  for (size_t t = 0; ok && c->options->on_planned && t < tasks; t++)
    c->options->on_planned(c->options->run.user, t, repeated[t]);
  free(repeated);
  return ok;
}

bool ts_coordinator_first_jobs(struct coordinator *c, struct ts_error *err) {
  struct ts_jobs jobs = {0};
  size_t windows = ts_run_window_count(c->plan, c->dataset);
  size_t enough = WINDOWS_PER_WORKER * c->options->workers;
  bool ok = true;
  if (c->options->grouping)
    ok = add_buckets_of_stages(c, &jobs, err);
  else if (c->options->no_store && windows < enough && c->options->workers > 1)
    ts_jobs_of_runs(&jobs, c->plan, c->dataset, windows ? (enough + windows - 1) / windows : 1);
  else
    ok = add_windows(c, err);
  if (ok) add_jobs(c, &jobs);
  ts_jobs_release(&jobs);
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
  if (result->stopped) return true; /* it stays open for the process that continues the run */
  ts_dist_queue_done(&c->queue, result->number);
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
