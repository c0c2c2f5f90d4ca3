/* Buckets of drawn workflows and designs: every stage instance once, tasks as recounted from the nodes of the plan.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "plan/bucket.h"
#include "support/toy_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CASES 10000

struct checked {
  const struct ts_plan *plan;
  const struct ts_plan_bucket_options *options;
  const struct ts_buckets *buckets;
  unsigned long long seed;
};

static void check(const struct checked *c, bool condition, const char *text) {
  if (!condition)
    fail_msg("seed %llu, %s, %s: %s", c->seed, c->options->merger->name, c->options->dag ? "dag" : "chain", text);
}
#define CHECK(c, condition) check((c), (condition), #condition)

/* The nodes of a stage for the run that first asked for them; NULL if it is not the first run of an instance. */
static const uint32_t *nodes_of(const struct ts_plan *plan, size_t stage, uint32_t run) {
  const struct ts_stage_instances *instances = &plan->instances[stage];
  for (size_t i = 0; i < instances->count; i++) {
    if (instances->runs[i] == run) return instances->nodes + i * plan->workflow->stages[stage].task_count;
  }
  return NULL;
}

/* Whether two instances share task t of the stage. */
static bool is_shared(const struct checked *c, const uint32_t *x, const uint32_t *y, size_t t) {
  for (size_t i = 0; i <= t; i++) {
    if ((!c->options->dag || i == t) && x[i] != y[i]) return false;
  }
  return true;
}

/* Adds the distinct tasks of a bucket to `executed`, by task of the workflow; returns how many. */
static size_t recount(const struct checked *c, const struct ts_bucket *bucket, size_t *executed) {
  const struct ts_stage *stage = &c->plan->workflow->stages[bucket->stage];
  size_t count = 0;
  for (size_t i = 0; i < bucket->member_count; i++) {
    const uint32_t *nodes = nodes_of(c->plan, bucket->stage, bucket->members[i]);
    CHECK(c, nodes != NULL);
    for (size_t t = 0; t < stage->task_count; t++) {
      bool met = !c->plan->active[stage->first_task + t];
      for (size_t k = 0; k < i && !met; k++)
        met = is_shared(c, nodes, nodes_of(c->plan, bucket->stage, bucket->members[k]), t);
      if (met) continue;
      executed[stage->first_task + t]++;
      count++;
    }
  }
  return count;
}

/* The cost of a bucket, from the nodes again: for each task that it does. */
static double cost_of(const struct checked *c, const struct ts_bucket *bucket) {
  size_t *executed = ts_calloc(c->plan->workflow->task_count + 1, sizeof *executed);
  recount(c, bucket, executed);
  double sum = 0;
  for (size_t t = 0; t < c->plan->workflow->task_count; t++)
    sum += (double)executed[t] * (c->options->costs ? c->options->costs[t] : 1);
  free(executed);
  return sum;
}

/* Predictions for all tiles and files: one worker does everything, no worker is idle while buckets wait. */
static void check_forecast(const struct checked *c, size_t stage, const struct ts_stage_forecast *f) {
  double units = (double)c->options->units[c->plan->workflow->stages[stage].scope], sum = 0, most = 0;
  for (size_t b = f->bucket_first; b < f->bucket_first + f->bucket_count; b++) {
    CHECK(c, c->buckets->items[b].stage == stage);
    sum += units * c->buckets->items[b].cost;
    most = fmax(most, c->buckets->items[b].cost);
  }
  double workers = (double)c->options->workers, slack = 1 - 1e-9;
  CHECK(c, f->makespan >= f->lower_bound * slack && f->makespan >= sum / workers * slack);
  CHECK(c, f->makespan * slack <= sum / workers + most);
  CHECK(c, f->distinct_cost <= sum / slack && f->distinct_cost / workers <= f->lower_bound / slack);
  CHECK(c, f->imbalance >= 0 && f->imbalance <= 1);
}

/* Every instance of a stage that is needed at all stands in exactly one bucket. */
static void check_partition(const struct checked *c, size_t stage, size_t distinct) {
  size_t *met = ts_calloc(c->plan->set_count + 1, sizeof *met);
  size_t members = 0;
  for (size_t b = 0; b < c->buckets->count; b++) {
    const struct ts_bucket *bucket = &c->buckets->items[b];
    for (size_t i = 0; bucket->stage == stage && i < bucket->member_count; i++) {
      met[bucket->members[i]]++;
      members++;
    }
  }
  CHECK(c, members == distinct);
  for (size_t r = 0; r < c->plan->set_count; r++) CHECK(c, met[r] <= 1);
  free(met);
}

/* How many different instances a stage has, by the counts of the plan. */
static size_t distinct_stages(const struct ts_plan *plan, size_t stage) {
  const struct ts_stage *s = &plan->workflow->stages[stage];
  for (size_t t = s->first_task; t < s->first_task + s->task_count; t++) {
    if (plan->active[t]) return plan->counts[t].requested - plan->counts[t].stage_reused;
  }
  return 0;
}

static void check_buckets(const struct checked *c) {
  const struct ts_workflow *w = c->plan->workflow;
  size_t *executed = ts_calloc(w->task_count + 1, sizeof *executed);
  for (size_t b = 0; b < c->buckets->count; b++) {
    const struct ts_bucket *bucket = &c->buckets->items[b];
    size_t tasks = recount(c, bucket, executed);
    CHECK(c, bucket->tasks == tasks);
    CHECK(c, c->options->costs || bucket->cost == (double)tasks); /* every task costs 1 */
    CHECK(c, fabs(bucket->cost - cost_of(c, bucket)) <= 1e-9 * bucket->cost);
  }
  for (size_t s = 0; s < w->stage_count; s++) check_partition(c, s, distinct_stages(c->plan, s));
  bool everything = strcmp(c->options->merger->name, "lineage") == 0 && c->options->dag;
  for (size_t t = 0; t < w->task_count; t++) {
    CHECK(c, c->buckets->executed[t] == executed[t]);
    CHECK(c, executed[t] >= c->plan->counts[t].distinct);
    if (everything) CHECK(c, executed[t] == c->plan->counts[t].distinct);
  }
  free(executed);
}

static void check_case(struct toy_case *toy, unsigned long long seed) {
  toy->options.merge = TS_MERGE_LINEAGE;
  toy->options.keep_instances = true;
  struct ts_plan *plan = toy_case_plan(toy);
  size_t merger_count = 0;
  const struct ts_merger *const *mergers = ts_merger_list(&merger_count);
  double *costs = ts_calloc(plan->workflow->task_count + 1, sizeof *costs);
  for (size_t t = 0; t < plan->workflow->task_count; t++) costs[t] = 0.1 + (double)((seed + 7 * t) % 11);
  for (size_t i = 0; i < 2 * merger_count; i++) {
    const struct ts_merger *merger = mergers[i / 2];
    struct ts_plan_bucket_options options = {.merger = merger, .dag = i % 2 == 1, .workers = 3, .units = {5, 2, 1}};
    options.bucket.max_bucket_size = 1 + seed % 4;
    if (merger->needs_count) options.bucket.max_buckets = 1 + seed % 5;
    if (seed % 2 == 1) options.costs = costs;
    struct ts_buckets buckets;
    const struct ts_stage_forecast *forecasts = NULL;
    struct ts_error err = {0};
    if (!ts_plan_buckets(plan, &options, &buckets, &forecasts, &err)) fail_msg("%s", err.text);
    const struct checked c = {plan, &options, &buckets, seed};
    check_buckets(&c);
    for (size_t s = 0; s < plan->workflow->stage_count; s++) check_forecast(&c, s, &forecasts[s]);
    ts_buckets_release(&buckets);
  }
  free(costs);
  ts_plan_destroy(plan);
}

/* Stages over few pieces of the data are split for the workers, those over many are not. */
static void stages_are_split_where_pieces_are_few(void **state) {
  (void)state;
  const struct toy_settings settings = {.stages = 4, .tasks = 4, .sets = 40, .digits = 3};
  struct ts_registry *registry = toy_registry_create();
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct toy_case toy;
    toy_case_draw(&toy, registry, &settings, seed);
    toy.options.merge = TS_MERGE_LINEAGE;
    toy.options.keep_instances = true;
    struct ts_plan *plan = toy_case_plan(&toy);
    const size_t units[] = {100, 3, 1};
    struct ts_plan_bucket_options options = {
        .merger = ts_merger_find("lineage"), .dag = true, .split_few = true, .workers = 2, .units = {100, 3, 1}};
    struct ts_buckets buckets;
    const struct ts_stage_forecast *forecasts = NULL;
    assert_true(ts_plan_buckets(plan, &options, &buckets, &forecasts, NULL));
    for (size_t s = 0; s < plan->workflow->stage_count; s++) {
      size_t pieces = units[plan->workflow->stages[s].scope];
      size_t most = pieces == 100 ? 1 : pieces == 3 ? 2 : 6; /* three buckets for each of two workers */
      assert_int_equal(forecasts[s].bucket_count, forecasts[s].members < most ? forecasts[s].members : most);
    }
    ts_buckets_release(&buckets);
    ts_plan_destroy(plan);
    toy_case_release(&toy);
  }
  ts_registry_destroy(registry);
}

static void drawn_workflows_are_grouped_as_recounted(void **state) {
  (void)state;
  const struct toy_settings settings = {.stages = 4, .tasks = 4, .sets = 12, .digits = 3};
  struct ts_registry *registry = toy_registry_create();
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct toy_case toy;
    toy_case_draw(&toy, registry, &settings, seed + 70000);
    check_case(&toy, (unsigned long long)seed);
    toy_case_release(&toy);
  }
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_workflows_are_grouped_as_recounted),
                                     cmocka_unit_test(stages_are_split_where_pieces_are_few)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
