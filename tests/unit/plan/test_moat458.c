/* The recorded study of 458 runs: how many tasks of the segmentation are distinct, as counted by another program.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: ops/nuclei design */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error_format.h"
#include "base/file.h"
#include "design/design.h"
#include "op/implementation.h"
#include "ops/nuclei/nuclei.h"
#include "plan/bucket.h"
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
  struct ts_registry *registry;
  struct ts_workflow *workflow;
  struct ts_design design;
  struct ts_value *sets;
};

static const char *shared;

static void fail_with(const struct ts_faults *faults) {
  struct ts_str text = {0};
  ts_faults_format(faults, false, &text);
  fail_msg("%s", ts_str_get(&text));
}

/* Rows of the design in the order of the workflow's parameters. */
static struct ts_value *rows_of(const struct ts_workflow *workflow, const struct ts_design *design) {
  struct ts_value *sets = ts_calloc(design->row_count * workflow->parameter_count, sizeof *sets);
  for (size_t c = 0; c < design->column_count; c++) {
    size_t index = 0;
    assert_true(ts_workflow_find_parameter(workflow, design->names[c], &index));
    for (size_t r = 0; r < design->row_count; r++)
      sets[r * workflow->parameter_count + index] = design->values[r * design->column_count + c];
  }
  assert_int_equal(design->column_count, workflow->parameter_count);
  return sets;
}

static int set_up(void **state) {
  struct fixture *f = ts_calloc(1, sizeof *f);
  struct ts_faults faults = {0};
  const char *root = getenv("TESSERA_SOURCE_DIR");
  ts_auto_free char *file = ts_path_join(root ? root : ".", "workflows/nuclei-tiles/workflow.json");
  ts_auto_free char *csv = ts_path_join(shared, "data/moat458.csv");
  f->registry = ts_registry_create();
  ts_registry_add_built_in(f->registry, ts_nuclei_operations, ts_nuclei_operation_count, ts_implementations,
                           ts_implementation_count);
  f->workflow = ts_workflow_read(file, f->registry, &faults);
  if (!f->workflow) fail_with(&faults);
  if (!ts_design_read_csv(&f->design, f->workflow, csv, &faults)) fail_with(&faults);
  f->sets = rows_of(f->workflow, &f->design);
  ts_faults_release(&faults);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *f = *state;
  free(f->sets);
  ts_design_release(&f->design);
  ts_workflow_destroy(f->workflow);
  ts_registry_destroy(f->registry);
  free(f);
  return 0;
}

/* The plan of the first `runs` runs for the mask; the caller destroys it. */
static struct ts_plan *make_plan(const struct fixture *f, enum ts_merge merge, bool raw_values, size_t runs) {
  struct ts_error err = {0};
  bool *supplied = ts_calloc(f->workflow->input_count, sizeof *supplied);
  size_t image = 0;
  assert_true(ts_workflow_find_input(f->workflow, "image", &image));
  supplied[image] = true;
  struct ts_source wanted;
  assert_true(ts_workflow_find_output(f->workflow, "segment.mask", &wanted, &err));
  struct ts_plan_options options = {.merge = merge,
                                    .raw_values = raw_values,
                                    .keep_instances = merge == TS_MERGE_LINEAGE,
                                    .only_stage = TS_NONE,
                                    .supplied = supplied,
                                    .wanted = &wanted,
                                    .wanted_count = 1};
  struct ts_plan *plan = ts_plan_create(f->workflow, f->sets, runs, &options, false, &err);
  if (!plan) fail_msg("%s", err.text);
  free(supplied);
  return plan;
}

static size_t distinct_in_segment(const struct fixture *f, enum ts_merge merge, bool raw_values, size_t *requested) {
  struct ts_plan *plan = make_plan(f, merge, raw_values, f->design.row_count);
  size_t stage = 0;
  assert_true(ts_workflow_find_stage(f->workflow, "segment", &stage));
  size_t distinct = 0;
  *requested = 0;
  for (size_t t = 0; t < f->workflow->task_count; t++) {
    if (f->workflow->tasks[t].stage != stage) continue;
    distinct += plan->counts[t].distinct;
    *requested += plan->counts[t].requested;
  }
  ts_plan_destroy(plan);
  return distinct;
}

/* spec/reuse.md section 4: keys of the graph give 1649 of 3206 tasks, 1323 with canonical values. */
static void distinct_tasks_are_those_of_the_specification(void **state) {
  const struct fixture *f = *state;
  size_t requested = 0;
  assert_int_equal(f->design.row_count, 458);
  assert_int_equal(distinct_in_segment(f, TS_MERGE_LINEAGE, true, &requested), 1649);
  assert_int_equal(requested, 3206);
  assert_int_equal(distinct_in_segment(f, TS_MERGE_LINEAGE, false, &requested), 1323);
  assert_int_equal(requested, 3206);
  assert_int_equal(distinct_in_segment(f, TS_MERGE_NONE, false, &requested), 3206);
}

/* A stage is shared when all its values are: the distinct rows of the design. */
static void stages_merge_when_rows_are_equal(void **state) {
  const struct fixture *f = *state;
  size_t width = f->workflow->parameter_count;
  size_t rows = 0;
  for (size_t r = 0; r < f->design.row_count; r++) {
    bool met = false;
    for (size_t q = 0; q < r && !met; q++) {
      met = true;
      for (size_t p = 0; p < width; p++) met = met && ts_value_equal(&f->sets[r * width + p], &f->sets[q * width + p]);
    }
    rows += !met;
  }
  size_t requested = 0;
  assert_int_equal(distinct_in_segment(f, TS_MERGE_STAGE, true, &requested), 7 * rows);
}

/* What a merger makes of the segmentation. */
struct grouping {
  size_t executed, buckets, requested;
  double imbalance, least, greatest;
};

static struct grouping group(const struct fixture *f, const char *merger, bool raw_values, bool dag, size_t runs,
                             const struct ts_bucket_options *options) {
  struct ts_plan *plan = make_plan(f, TS_MERGE_LINEAGE, raw_values, runs);
  struct ts_plan_bucket_options settings = {
      .merger = ts_merger_find(merger), .bucket = *options, .dag = dag, .workers = 1, .units = {1, 1, 1}};
  const struct ts_stage_forecast *forecasts = NULL;
  struct ts_buckets buckets;
  struct ts_error err = {0};
  size_t stage = 0;
  if (!ts_plan_buckets(plan, &settings, &buckets, &forecasts, &err)) fail_msg("%s", err.text);
  assert_true(ts_workflow_find_stage(f->workflow, "segment", &stage));
  struct grouping found = {.buckets = forecasts[stage].bucket_count,
                           .requested = 7 * forecasts[stage].members,
                           .imbalance = forecasts[stage].imbalance,
                           .least = 1e9};
  for (size_t b = 0; b < forecasts[stage].bucket_count; b++) {
    const struct ts_bucket *bucket = &buckets.items[forecasts[stage].bucket_first + b];
    found.executed += bucket->tasks;
    found.least = bucket->cost < found.least ? bucket->cost : found.least;
    found.greatest = bucket->cost > found.greatest ? bucket->cost : found.greatest;
    assert_true(options->max_bucket_size == 0 || bucket->member_count <= options->max_bucket_size);
  }
  ts_buckets_release(&buckets);
  ts_plan_destroy(plan);
  return found;
}

static double reuse_of(const struct grouping *g) { return 100.0 * (1 - (double)g->executed / (double)g->requested); }

/* spec/reuse.md section 4: what one bucket with everything executes. */
static void everything_in_one_bucket_is_the_maximum_of_the_specification(void **state) {
  const struct fixture *f = *state;
  const struct ts_bucket_options all = {0};
  assert_int_equal(group(f, "lineage", true, false, 458, &all).executed, 2149);
  assert_int_equal(group(f, "lineage", true, true, 458, &all).executed, 1649);
  assert_int_equal(group(f, "lineage", false, false, 458, &all).executed, 1824);
  assert_int_equal(group(f, "lineage", false, true, 458, &all).executed, 1323);
}

/* The reference rows of spec/reuse.md section 4: naive is exact, the order of leaves may move rtma a little. */
static void sizes_reuse_as_much_as_the_reference(void **state) {
  const struct fixture *f = *state;
  static const size_t sizes[] = {2, 3, 4, 5, 6, 7, 8, 10};
  static const double naive[] = {16.2, 21.7, 25.2, 26.2, 27.2, 27.9, 30.2, 29.2};
  static const double rtma[] = {23.5, 28.4, 30.3, 31.3, 32.3, 32.5, 33.0, 33.0};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const struct ts_bucket_options options = {.max_bucket_size = sizes[i]};
    struct grouping n = group(f, "naive", true, false, 458, &options);
    struct grouping r = group(f, "rtma", true, false, 458, &options);
    printf("size %zu: naive %.2f %%, rtma %.2f %% in %zu buckets\n", sizes[i], reuse_of(&n), reuse_of(&r), r.buckets);
    assert_true(reuse_of(&n) > naive[i] - 0.06 && reuse_of(&n) < naive[i] + 0.06);
    assert_true(reuse_of(&r) >= rtma[i] - 0.3);
  }
}

static void smart_cuts_reuse_at_least_as_much_as_consecutive_groups(void **state) {
  const struct fixture *f = *state;
  const struct ts_bucket_options options = {.max_bucket_size = 7};
  struct grouping naive = group(f, "naive", true, false, 120, &options);
  struct grouping sca = group(f, "sca", true, false, 120, &options);
  printf("first 120 sets, size 7: naive %.2f %%, sca %.2f %%\n", reuse_of(&naive), reuse_of(&sca));
  assert_true(reuse_of(&sca) >= reuse_of(&naive));
}

static void balanced_buckets_keep_the_reuse(void **state) {
  const struct fixture *f = *state;
  const struct ts_bucket_options options = {.max_buckets = 24};
  struct grouping chain = group(f, "trtma", true, false, 458, &options);
  struct grouping dag = group(f, "trtma", true, true, 458, &options);
  printf("24 buckets: chain %.2f %%, costs %g to %g, imbalance %.2f %%; dag %.2f %%, %g to %g, %.2f %%\n",
         reuse_of(&chain), chain.least, chain.greatest, 100 * chain.imbalance, reuse_of(&dag), dag.least, dag.greatest,
         100 * dag.imbalance);
  assert_int_equal(chain.buckets, 24);
  assert_true(reuse_of(&chain) >= 0.95 * 32.97);
  assert_true(chain.imbalance <= 0.02);
  assert_true(reuse_of(&dag) >= 1.25 * reuse_of(&chain)); /* the tasks that the chain cannot share */
}

int main(void) {
  shared = getenv("TESSERA_SHARED");
  if (!shared) {
    printf("SKIP: TESSERA_SHARED is not set\n");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distinct_tasks_are_those_of_the_specification),
      cmocka_unit_test(stages_merge_when_rows_are_equal),
      cmocka_unit_test(everything_in_one_bucket_is_the_maximum_of_the_specification),
      cmocka_unit_test(sizes_reuse_as_much_as_the_reference),
      cmocka_unit_test(smart_cuts_reuse_at_least_as_much_as_consecutive_groups),
      cmocka_unit_test(balanced_buckets_keep_the_reuse),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
