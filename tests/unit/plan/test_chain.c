/* Plans whose tasks are shared along the chain of their stage: buckets made of them are those of the chain's keys.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "plan/bucket.h"
#include "support/toy_case.h"

#include <stdlib.h>
#include <string.h>

#define CASES 1000

static struct ts_plan *plan_of(struct toy_case *toy, bool chain) {
  toy->options.merge = TS_MERGE_LINEAGE;
  toy->options.keep_instances = true;
  toy->options.chain = chain;
  return toy_case_plan(toy);
}

static void same_buckets(const struct ts_plan *a, bool a_dag, const struct ts_plan *b, bool b_dag,
                         const struct ts_merger *merger, unsigned long long seed) {
  struct ts_plan_bucket_options options = {.merger = merger, .workers = 3, .units = {5, 2, 1}};
  options.bucket.max_bucket_size = 1 + seed % 4;
  options.bucket.max_buckets = 1 + seed % 5;
  struct ts_buckets x, y;
  struct ts_error err = {0};
  options.dag = a_dag;
  if (!ts_plan_buckets(a, &options, &x, NULL, &err)) fail_msg("%s", err.text);
  options.dag = b_dag;
  if (!ts_plan_buckets(b, &options, &y, NULL, &err)) fail_msg("%s", err.text);
  if (x.count != y.count) fail_msg("seed %llu, %s: %zu buckets, not %zu", seed, merger->name, y.count, x.count);
  for (size_t i = 0; i < x.count; i++) {
    const struct ts_bucket *p = &x.items[i], *q = &y.items[i];
    if (p->stage != q->stage || p->tasks != q->tasks || p->member_count != q->member_count ||
        memcmp(p->members, q->members, p->member_count * sizeof *p->members) != 0)
      fail_msg("seed %llu, %s: bucket %zu differs", seed, merger->name, i);
  }
  for (size_t t = 0; t < a->workflow->task_count; t++) assert_int_equal(x.executed[t], y.executed[t]);
  ts_buckets_release(&x);
  ts_buckets_release(&y);
}

/* Whether two instances are equal up to task t. */
static bool same_so_far(const uint32_t *x, const uint32_t *y, size_t t) {
  return memcmp(x, y, (t + 1) * sizeof *x) == 0;
}

/* The nodes of a stage in a plan by lineage, each with all before it, are as many as the chain's nodes. */
static void recount(const struct ts_plan *lineage, const struct ts_plan *chain, unsigned long long seed) {
  const struct ts_workflow *w = lineage->workflow;
  for (size_t s = 0; s < w->stage_count; s++) {
    const struct ts_stage_instances *instances = &lineage->instances[s];
    const size_t tasks = w->stages[s].task_count;
    assert_int_equal(instances->count, chain->instances[s].count); /* stages are shared as ever */
    for (size_t t = 0; t < tasks; t++) {
      size_t distinct = 0;
      for (size_t i = 0; i < instances->count; i++) {
        bool met = false;
        for (size_t k = 0; k < i && !met; k++)
          met = same_so_far(instances->nodes + i * tasks, instances->nodes + k * tasks, t);
        distinct += !met;
      }
      const struct ts_task_count *count = &chain->counts[w->stages[s].first_task + t];
      if (chain->active[w->stages[s].first_task + t] && count->distinct != distinct)
        fail_msg("seed %llu: %zu tasks along the chain, not %zu", seed, count->distinct, distinct);
    }
  }
}

static void buckets_along_the_chain_are_those_of_its_keys(void **state) {
  (void)state;
  const struct toy_settings settings = {.stages = 4, .tasks = 4, .sets = 12, .digits = 3};
  size_t merger_count = 0;
  const struct ts_merger *const *mergers = ts_merger_list(&merger_count);
  for (unsigned long long seed = 0; seed < CASES; seed++) {
    struct ts_registry *registry = toy_registry_create();
    struct toy_case toy;
    toy_case_draw(&toy, registry, &settings, seed);
    struct ts_plan *lineage = plan_of(&toy, false);
    struct ts_plan *chain = plan_of(&toy, true);
    recount(lineage, chain, seed);
    for (size_t m = 0; m < merger_count; m++) {
      same_buckets(lineage, false, chain, false, mergers[m], seed);
    }
    ts_plan_destroy(lineage);
    ts_plan_destroy(chain);
    toy_case_release(&toy);
    ts_registry_destroy(registry);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(buckets_along_the_chain_are_those_of_its_keys)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
