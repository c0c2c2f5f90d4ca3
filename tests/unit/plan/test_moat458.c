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
  ts_auto_free char *file = ts_path_join(root ? root : ".", "workflows/nuclei/workflow.json");
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

static size_t distinct_in_segment(const struct fixture *f, enum ts_merge merge, bool raw_values, size_t *requested) {
  struct ts_error err = {0};
  bool *supplied = ts_calloc(f->workflow->input_count, sizeof *supplied);
  size_t image = 0;
  assert_true(ts_workflow_find_input(f->workflow, "image", &image));
  supplied[image] = true;
  struct ts_source wanted;
  assert_true(ts_workflow_find_output(f->workflow, "segment.mask", &wanted, &err));
  struct ts_plan_options options = {.merge = merge,
                                    .raw_values = raw_values,
                                    .only_stage = TS_NONE,
                                    .supplied = supplied,
                                    .wanted = &wanted,
                                    .wanted_count = 1};
  struct ts_plan *plan = ts_plan_create(f->workflow, f->sets, f->design.row_count, &options, false, &err);
  if (!plan) {
    fail_msg("%s", err.text);
    return 0;
  }
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
  free(supplied);
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

int main(void) {
  shared = getenv("TESSERA_SHARED");
  if (!shared) {
    printf("SKIP: TESSERA_SHARED is not set\n");
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distinct_tasks_are_those_of_the_specification),
      cmocka_unit_test(stages_merge_when_rows_are_equal),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
